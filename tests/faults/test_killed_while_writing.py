"""A process that is killed while it writes leaves the old file or the new one, and goes on."""

import ast
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any

import pytest
from faults.processes import PACKAGE, forked, in_child, limit_files, names
from faults.writers import NAMES, NEW, OLD, writer

from polyroc._storage.atomic import write_whole

CHANGES = {"open", "chmod", "write", "seek", "flush", "fsync", "__exit__", "close"}
CHANGES |= {"link", "replace", "rename", "unlink", "truncate"}
"""Functions of the system that change files; the process is killed before and after each call."""


class Killer:
    """Kills the process at the n-th step of its work with files."""

    def __init__(self, step: int) -> None:
        self.left = step

    def __call__(self, frame: FrameType, event: str, function: Any) -> None:
        if event in ("c_call", "c_return") and function.__name__ in CHANGES:
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self.left -= 1


def killed_at_step(write: Callable[[], object], step: int) -> None:
    sys.setprofile(Killer(step))
    write()


def killed_at_byte(write: Callable[[], object], size: int) -> None:
    limit_files(size, deadly=True)
    write()


def kill_everywhere(folder: str, name: str) -> dict[str, Any]:
    """How often a writer was killed, and what was wrong with its file after any of the kills."""
    write = writer(name)
    versions = {}
    for version in (OLD, NEW):
        write(Path(folder, f"version {version}"), version)
        versions[version] = Path(folder, f"version {version}").read_bytes()
    kills, faults = 0, []
    for before in (None, OLD):
        expected = {None if before is None else versions[before], versions[NEW]}
        sizes = {*range(0, len(versions[NEW]), max(1, len(versions[NEW]) // 15)), 1}
        by_byte = [partial(killed_at_byte, size=size) for size in sizes]
        for number, kill in enumerate((*by_byte, *map(steps, range(1000)))):
            place = Path(folder, f"{before} {number}")
            place.mkdir()
            path = place / "file"
            if before is not None:
                path.write_bytes(versions[before])
            code = forked(partial(kill, partial(write, path, NEW)))
            content = path.read_bytes() if path.exists() else None
            if code == 0 and number >= len(by_byte):
                faults += [] if content == versions[NEW] else ["not written at last"]
                break
            kills += 1
            if code not in (-signal.SIGKILL, -signal.SIGXFSZ):
                faults.append(f"ended with {code}")
            if content not in expected:
                faults.append(f"kill {number} left {len(content or b'')} bytes")
            kept = place / "file.polyroc-previous"
            if kept.exists() and kept.read_bytes() != versions[OLD]:
                faults.append(f"kill {number} broke the file kept")
            write(path, NEW)
            if path.read_bytes() != versions[NEW]:
                faults.append(f"after kill {number} nothing can be written")
    return {"kills": kills, "faults": faults}


def steps(step: int) -> Callable[[Callable[[], object]], None]:
    return partial(killed_at_step, step=step)


@pytest.mark.parametrize(
    "name", ["arrays", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES)]
)
def test_at_every_step_and_byte(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    found = in_child(kill_everywhere, tmp_path, name, folder=tmp_path)
    record_property("faults", found["kills"])
    assert found["faults"] == []
    assert found["kills"] >= 60


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_whatever_stops_the_writing(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def fill(file: IO[bytes]) -> None:
        file.write(b"half")
        file.flush()
        raise error

    with pytest.raises(error):
        write_whole(path, fill)
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["file"]


def test_nothing_else_writes_files() -> None:
    """All writers go through ``polyroc._storage.atomic``, so what holds for one holds for all."""
    own = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if path.name not in ("atomic.py", "lock.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and opens_to_write(node)
    ]
    assert own == []


def opens_to_write(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
    modes = [text for text in texts if isinstance(text, str) and set(text) <= set("rwxabt+")]
    opened = name == "open" and any(set(mode) & set("wxa+") for mode in modes)
    return opened or name in {"write_text", "write_bytes", "savefig", "tofile", "memmap", "fdopen"}
