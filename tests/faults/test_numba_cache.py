"""A cache of compiled code that is missing, full, forbidden or damaged costs time, nothing else."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.processes import (
    PACKAGE,
    command,
    forked,
    give_up_privileges,
    in_child,
    mount_disk,
    own_mounts,
    unmount,
)

KERNEL = """
import numpy as np
from polyroc.kernels.compile import compiled

@compiled
def squares(values):
    total = 0.0
    for value in values:
        total += value * value
    return total
"""
VALUES = np.arange(5.0)


def use_kernel(folder: Path, cache: Path | None) -> None:
    """Load a kernel anew and call it, with a folder for the cache; fail if the answer is wrong."""
    import numba

    numba.config.CACHE_DIR = "" if cache is None else str(cache)
    path = folder / "kernel.py"
    if not path.exists():
        path.write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.squares(VALUES) == 30.0


def files(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in cache.rglob("*") if path.is_file()}


def damaged(content: bytes) -> dict[str, bytes]:
    """Ways in which a file can be broken by a disk, a crash or a hand."""
    cuts = {f"cut at {at}": content[:at] for at in (0, 1, 20, len(content) // 2, len(content) - 1)}
    return {**cuts, "other": b"rubbish\n", "zeros": bytes(len(content))}


def damage_everything(folder: str) -> dict[str, Any]:
    """Codes of processes that find each file of a cache damaged in each way, and what they left."""
    use_numba_once()
    place, cache = Path(folder), Path(folder, "cache")
    codes = {"at first": forked(lambda: use_kernel(place, cache))}
    sound = {path: path.read_bytes() for path in cache.rglob("*.nb?")}
    mended = []
    for path, content in sound.items():
        for how, broken in damaged(content).items():
            for each, bytes_of in sound.items():
                each.write_bytes(bytes_of)
            path.write_bytes(broken)
            codes[f"{path.suffix} {how}"] = forked(lambda: use_kernel(place, cache))
            mended.append(path.read_bytes() != broken)
    return {"codes": codes, "kinds": sorted(p.suffix for p in sound), "mended": all(mended)}


def test_damaged_files(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    found = in_child(damage_everything, tmp_path, folder=tmp_path)
    assert found["kinds"] == [".nbc", ".nbi"]
    assert len(found["codes"]) == 15
    record_property("faults", 14)
    assert set(found["codes"].values()) == {0}, found["codes"]
    assert found["mended"], "the cache serves the next process again"


def full_disks(folder: str) -> dict[str, Any]:
    use_numba_once()
    place, cache = Path(folder), Path(folder, "cache")
    cache.mkdir()
    codes = {}
    for pages in (1, 2, 3, 4):
        mount_disk(cache, pages * 4096)
        codes[pages] = [forked(lambda: use_kernel(place, cache)) for _ in range(2)]
        unmount(cache)
    return codes


CALLER = """
import numpy as np
from polyroc.kernels.compile import compiled
from polyroc.kernels.called import square

@compiled
def squares(values):
    total = 0.0
    for value in values:
        total += square(value)
    return total

if __name__ == "__main__":
    print(squares(np.arange(5.0)), sum(squares.stats.cache_hits.values()))
"""
CALLED = """
from polyroc.kernels.compile import compiled

@compiled
def square(value):
    return value * value
"""


def test_a_kernel_that_another_file_calls_changes(tmp_path: Path) -> None:
    """Size and date of the caller stay as they are; so does the date of the file called."""
    kernels = tmp_path / "polyroc" / "kernels"
    kernels.mkdir(parents=True)
    for folder in (kernels, kernels.parent):
        (folder / "__init__.py").write_text("")
    shutil.copy(PACKAGE / "kernels" / "compile.py", kernels)
    (kernels / "caller.py").write_text(CALLER)
    found = []
    for source in (CALLED.replace("* value", "+ value"), CALLED, CALLED):
        (kernels / "called.py").write_text(source)
        os.utime(kernels / "called.py", (1, 1))
        shutil.rmtree(kernels / "__pycache__", ignore_errors=True)  # installers write it anew
        ended = subprocess.run(
            [sys.executable, "-m", "polyroc.kernels.caller"],
            env={**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "c")},
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.append(ended.stdout.split())
    assert found == [["20.0", "0"], ["30.0", "0"], ["30.0", "1"]]


@pytest.mark.slow
def test_a_full_disk(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    found = in_child(full_disks, tmp_path, folder=tmp_path, prefix=own_mounts())
    assert list(found.values()) == [[0, 0]] * 4
    record_property("faults", 8)


def forbidden_folders(folder: str) -> dict[str, int]:
    """Where the cache cannot be: in a file, in a folder that is protected, nowhere at all."""
    use_numba_once()
    place = Path(folder)
    (place / "file").write_text("")
    (place / "protected").mkdir(mode=0o555)
    codes = {}
    for name, cache in {
        "a file": place / "file",
        "protected": place / "protected",
        "below a file": place / "file" / "below",
    }.items():
        codes[name] = forked(lambda cache=cache: use_kernel(place, cache))
    installed = place / "installed"
    installed.mkdir()
    (installed / "kernel.py").write_text(KERNEL)
    installed.chmod(0o555)
    codes["read-only installation, no home"] = forked(lambda: use_kernel(installed, None))
    codes["left"] = len(list(installed.iterdir())) - 1
    return codes


def test_folders_that_cannot_be_written(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    found = in_child(
        forbidden_folders,
        tmp_path,
        folder=tmp_path,
        before=give_up_privileges,
        HOME="/dev/null/nowhere",
        XDG_CACHE_HOME="/dev/null/nowhere",
    )
    assert len(found) == 5
    record_property("faults", 4)
    assert set(found.values()) == {0}, found


def compile_at_once(folder: str) -> dict[str, Any]:
    """Six processes that find no cache and compile the same kernel, five times."""
    place, codes = Path(folder), []
    (place / "kernel.py").write_text(KERNEL)  # before any of them looks for it
    use_numba_once()
    for number in range(5):
        children = []
        for _ in range(6):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    use_kernel(place, place / f"cache {number}")
                    code = 0
                finally:
                    os._exit(code)
            children.append(child)
        codes += [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        codes.append(forked(lambda number=number: use_kernel(place, place / f"cache {number}")))
    return {"codes": codes, "left": [p.name for p in place.rglob("*.tmp.*")]}


def use_numba_once() -> None:
    """Load the compiler before the forks do."""
    import numba

    numba.njit(lambda: 1)()


@pytest.mark.slow
def test_processes_that_compile_at_the_same_time(tmp_path: Path) -> None:
    found = in_child(compile_at_once, tmp_path, folder=tmp_path)
    assert found == {"codes": [0] * 35, "left": []}


@pytest.mark.slow
def test_the_program_with_an_empty_a_full_and_a_damaged_cache(tmp_path: Path) -> None:
    words = ("evaluate", PACKAGE / "data" / "example.csv", "-m", "hum", "--json")
    expected = command(*words)
    assert expected.code == 0
    cache = tmp_path / "cache"
    assert command(*words, NUMBA_CACHE_DIR=str(cache)) == expected, "empty"
    compiled = list(cache.rglob("*.nb?"))
    assert compiled
    for path in compiled:
        path.write_bytes(path.read_bytes()[:30])
    assert command(*words, NUMBA_CACHE_DIR=str(cache)) == expected, "damaged"
    shutil.rmtree(cache, ignore_errors=True)
    cache.write_text("")
    assert command(*words, NUMBA_CACHE_DIR=str(cache)) == expected, "a file"
