"""Processes with something wrong with them: started afresh, or forked where hundreds are needed."""

import ctypes
import importlib
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cli.running import EXAMPLE as EXAMPLE

if sys.platform != "linux":
    pytest.skip("faults are made with what Linux has for it", allow_module_level=True)

TESTS = Path(__file__).parents[1]
PROGRAM = (sys.executable, "-c", "from polyroc.cli import main; main(prog_name='polyroc')")
PACKAGE = Path(importlib.import_module("polyroc").__file__).parent

_CAPABILITIES = {"to write anywhere": 1, "to read anywhere": 2}
_DROP_FROM_BOUNDS = 24
_CALL = (
    "import importlib, json, sys\n"
    "module, function, given, path = sys.argv[1:]\n"
    "made = getattr(importlib.import_module(module), function)(*json.loads(given))\n"
    "open(path, 'w').write(json.dumps(made))\n"
)


class Ended(NamedTuple):
    """How a process ended, and what it printed."""

    code: int
    printed: str
    said: str


def heed_interrupts() -> None:
    """Tests that run in the background of a shell inherit that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def give_up_privileges() -> None:
    """Let the permissions of files hold for this process and its children, even for root."""
    for number in _CAPABILITIES.values():
        ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDS, number)


def in_child(
    function: Callable[..., Any],
    *arguments: Any,
    folder: Path,
    before: Callable[[], None] | None = None,
    prefix: tuple[str, ...] = (),
    **environment: str,
) -> Any:
    """What a function of a test file returns in a fresh interpreter, which may have a fault."""
    module = f"faults.{Path(function.__code__.co_filename).stem}"
    answer = folder / "answer.json"
    given = json.dumps(arguments, default=str)
    done = subprocess.run(
        [*prefix, sys.executable, "-c", _CALL, module, function.__name__, given, str(answer)],
        env=_environment(**environment),
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(answer.read_text())


def command(
    *arguments: object, before: Callable[[], None] | None = None, **environment: str
) -> Ended:
    """The program, as a shell would run it."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        env=_environment(**environment),
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def _environment(**changes: str) -> dict[str, str]:
    """Ours with changes."""
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **changes}


def forked(action: Callable[[], object]) -> int:
    """The exit code of a fork of this process that does something; −9 if it was killed."""
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            action()
            code = 0
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def forked_command(arguments: list[str], fault: Callable[[], object]) -> Ended:
    """The program in a fork of this process, where its modules are loaded, with a fault."""
    from polyroc.cli import main

    out, err = os.memfd_create("out"), os.memfd_create("err")

    def run() -> None:
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(each, "wb"), encoding="utf-8") for each in (out, err)
        )
        fault()
        code = 1
        try:
            main(arguments, prog_name="polyroc")
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    code = forked(run)
    printed, said = (_content(each) for each in (out, err))
    return Ended(code, printed, said)


def _content(descriptor: int) -> str:
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read().decode()


# Faults


def limit_files(size: int, deadly: bool) -> None:
    """Let no file grow beyond so many bytes: an error there, or the death of the process."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL if deadly else signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder in which nothing can be made."""
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(0o755)


def own_mounts() -> tuple[str, ...]:
    """What to put before a command that mounts file systems which nobody else sees."""
    words = ("unshare", "--map-root-user", "--mount")
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare(1) to mount a small disk with")
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a small disk of their own")
    return words


def mount_disk(folder: Path, size: int, *, writable: bool = True) -> None:
    """A disk of so many bytes, in the process's own view of the system."""
    options = f"size={size},{'rw' if writable else 'ro'}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)


def unmount(folder: Path) -> None:
    """Take a disk away."""
    subprocess.run(["umount", folder], check=True)


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(entry.name for entry in folder.iterdir())
