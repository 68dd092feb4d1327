"""Watches what a call does to the machine: files it opens, programs it starts, code it runs.

Python tells audit hooks of every such act, whoever does it. A hook cannot be taken out again, so
there is one for the process, which is only attentive inside ``watching``.
"""

import os
import site
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

FORBIDDEN = frozenset(
    [
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.mkdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "os.chown",
        "os.utime",
        "os.system",
        "os.exec",
        "os.posix_spawn",
        "os.spawn",
        "os.fork",
        "os.forkpty",
        "os.putenv",
        "os.kill",
        "os.mkfifo",
        "os.mknod",
        "subprocess.Popen",
        "pickle.find_class",
        "socket.connect",
        "socket.bind",
        "socket.getaddrinfo",
        "socket.sendto",
        "shutil.rmtree",
        "shutil.move",
        "shutil.copyfile",
        "shutil.copytree",
        "shutil.unpack_archive",
        "shutil.make_archive",
        "tempfile.mkstemp",
        "tempfile.mkdtemp",
        "webbrowser.open",
        "code.__new__",
        "ctypes.dlopen",
        "urllib.Request",
        "ftplib.connect",
        "smtplib.connect",
    ]
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PARTS = {"stdlib", "platstdlib", "purelib", "platlib"}
_OURS = str(Path(__file__).parents[2] / "src")
_HOMES = tuple(
    {sysconfig.get_paths()[name] for name in _PARTS}
    | {sys.prefix, sys.base_prefix, _OURS, *site.getsitepackages()}
    | {"/proc", "/sys", "/usr/share/zoneinfo", "/etc/localtime", "/dev/null"}
)
"""Where programs live, and what the system says of itself: reading there is no harm."""


_COMPILERS = (f"{os.sep}numba{os.sep}", "<frozen importlib._bootstrap>")
_MADE = ("pickle.find_class", "exec", "code.__new__", "ctypes.dlopen")
"""What these two do to make functions."""


class Watch:
    """What a call may read, and what it did beyond that."""

    def __init__(self, *allowed: Path) -> None:
        self.allowed = {str(path) for path in allowed}
        self.acts: list[str] = []

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            self._see_open(*arguments[:3])
            return
        forbidden = event in FORBIDDEN or (event == "exec" and _is_foreign(arguments[0]))
        if forbidden and not _is_compiler(event, arguments):
            self.acts.append(f"{event}{arguments!r}"[:300])

    def _see_open(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        name = os.fsdecode(path)
        writes = any(sign in (mode or "") for sign in "wax+") or (flags or 0) & _WRITING
        if writes and not name.endswith(".pyc") and "__pycache__" not in name:
            self.acts.append(f"wrote {name!r}")
        elif not writes and name not in self.allowed and not name.startswith(_HOMES):
            self.acts.append(f"read {name!r}")


def _is_compiler(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether a module is being loaded, or numba is at work, which keeps a cache of its own."""
    if any("__pycache__" in os.fsdecode(each) for each in arguments if _is_name(each)):
        return True
    return event in _MADE and _called_by_compiler()


def _is_name(value: object) -> bool:
    return isinstance(value, (str, bytes, os.PathLike))


def _called_by_compiler() -> bool:
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if any(name in frame.f_code.co_filename for name in _COMPILERS):
            return True
        frame = frame.f_back
    return False


def _is_foreign(code: object) -> bool:
    """Whether code comes from no file of an installed program."""
    if not isinstance(code, CodeType):
        return True
    return not code.co_filename.startswith((*_HOMES, "<frozen", "<__array_function__", "<attrs"))


_attentive: list[Watch] = []
_thread = threading.local()
_installed = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _attentive or getattr(_thread, "busy", False):
        return
    _thread.busy = True
    try:
        for watch in _attentive:
            watch.see(event, arguments)
    finally:
        _thread.busy = False


@contextmanager
def watching(*allowed: Path) -> Iterator[Watch]:
    """Note every forbidden act in here; reading the allowed files is none."""
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    watch = Watch(*allowed)
    _attentive.append(watch)
    try:
        yield watch
    finally:
        _attentive.remove(watch)
