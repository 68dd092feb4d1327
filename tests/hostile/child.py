"""Hostile files read in a process of their own, with little memory and little time.

Run by itself, as ``python child.py LOADER FOLDER``, it reads every file in a folder and writes what
came of each, and how much memory that took at most, as lines of JSON.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]


def read_in_child(
    loader: str, files: dict[str, bytes], folder: Path, memory: int, seconds: float
) -> dict[str, dict[str, Any]]:
    """What came of each file: ``outcome`` or ``broken``, ``seconds``, and ``peak`` in bytes.

    The peak is what reading added to the most that the process had used before.
    """
    for number, content in enumerate(files.values()):
        (folder / f"{number:04}").write_bytes(content)
    printed = run(["read", loader, str(folder)], folder, memory, seconds)
    found = [json.loads(line) for line in printed.splitlines()]
    assert len(found) == len(files), f"the process ended after {len(found)} of {len(files)} files"
    return dict(zip(files, found, strict=True))


def run(arguments: list[str], folder: Path, memory: int, seconds: float) -> str:
    """What a child prints; a crash, a hang or a file left in its folder is a failure."""
    work = folder / "work"
    work.mkdir(exist_ok=True)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    paths = os.pathsep.join(path for path in (str(TESTS), os.environ.get("PYTHONPATH")) if path)
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        cwd=work,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "ARROW_NUM_THREADS": "1"},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-2000:]}"
    assert not list(work.iterdir()), "something was written"
    return done.stdout


def peak_memory() -> int:
    """The most memory that this process has used so far, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _read(loader: str, folder: Path) -> None:
    from hostile.loaders import LOADERS
    from hostile.oracle import Broken, outcome

    read = LOADERS[loader].read
    warm_up(loader, folder / "seed")
    for path in sorted(folder.glob("[0-9]*")):
        _forget_peak()
        before, start = peak_memory(), time.perf_counter()
        try:
            found = {"outcome": repr(outcome(lambda path=path: read(path), path))}
        except Broken as error:
            found = {"broken": str(error)}
        found["seconds"] = time.perf_counter() - start
        found["peak"] = peak_memory() - before
        print(json.dumps(found), flush=True)


def warm_up(loader: str, path: Path) -> None:
    """Read the valid files, so that all modules are loaded before anything is watched."""
    from contextlib import suppress

    from hostile.loaders import LOADERS

    from polyroc.errors import PolyrocError

    for content in LOADERS[loader].seeds():
        path.write_bytes(content)
        with suppress(PolyrocError):
            LOADERS[loader].read(path)


if __name__ == "__main__":
    _read(sys.argv[2], Path(sys.argv[3]))
