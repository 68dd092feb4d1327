"""No home, no folder for temporary files, no shared memory: the same numbers, or one line."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.processes import EXAMPLE, command, in_child, mount_disk, own_mounts
from faults.writers import cases

NO_PLACE = "/dev/null/nowhere"
"""No folder, and none that even root can make."""

NOWHERE = {
    "HOME": NO_PLACE,
    "XDG_CACHE_HOME": NO_PLACE,
    "XDG_CONFIG_HOME": NO_PLACE,
    "MPLCONFIGDIR": NO_PLACE,
    "USER": "",
    "LOGNAME": "",
}
WORDS = {
    "evaluate": ("evaluate", EXAMPLE, "-m", "hand_till"),
    "surface": ("surface", EXAMPLE, "--model", "forest", "--generations", "2", "--seed", "1"),
    "compare": ("compare", EXAMPLE, "-m", "hand_till"),
    "metrics": ("metrics",),
}


@pytest.mark.parametrize(
    "name",
    ["evaluate", *(pytest.param(n, marks=pytest.mark.slow) for n in WORDS if n != "evaluate")],
)
def test_the_program_needs_no_home(name: str) -> None:
    expected = command(*WORDS[name])
    assert (expected.code, expected.said) == (0, "")
    assert command(*WORDS[name], **NOWHERE) == expected


@pytest.mark.slow
def test_a_report_needs_no_home_and_leaves_it_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name, changes in (("with", {"HOME": str(home)}), ("without", NOWHERE)):
        ended = command("report", EXAMPLE, "-o", tmp_path / name, **changes)
        assert (ended.code, ended.said) == (0, "")
    assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes()
    assert list(home.iterdir()) == [], "nothing is put into people's homes"


@pytest.mark.slow
def test_a_demo_without_a_place_for_temporary_files_is_one_line(tmp_path: Path) -> None:
    said = in_child(demo_without_temporary_files, folder=tmp_path)
    assert said[0] == 2
    assert said[2].startswith("polyroc: ") and len(said[2].splitlines()) == 1


def demo_without_temporary_files() -> Any:
    import tempfile

    from faults.processes import forked_command

    def nowhere() -> None:
        tempfile.tempdir = NO_PLACE

    return forked_command(["demo"], nowhere)


# What joblib needs for workers


def study_with_workers(disk: str) -> dict[str, Any]:
    """A study whose tables go to the workers through a disk that is too small for them."""
    from sklearn.naive_bayes import GaussianNB

    from polyroc.errors import InvalidInput
    from polyroc.inference import study

    y = cases(300)[0]
    X = np.random.default_rng(0).normal(size=(300, 800)) + y[:, None]
    options: dict[str, Any] = {"n_splits": 3, "rng": 0, "metrics": ["hand_till"]}
    alone = study({"bayes": GaussianNB()}, X, y, **options)
    mount_disk(Path(disk), 64 << 10)
    try:
        found = study({"bayes": GaussianNB()}, X, y, n_jobs=2, **options)
        return {"same": np.array_equal(alone.values, found.values)}
    except InvalidInput as error:
        return {"said": str(error)}


@pytest.mark.slow
def test_a_full_folder_for_tables_is_one_line(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    found = in_child(
        study_with_workers, disk, folder=tmp_path, prefix=own_mounts(), JOBLIB_TEMP_FOLDER=str(disk)
    )
    assert found["said"].startswith("Cases and estimators cannot be sent to workers (")
    assert "No space left on device" in found["said"] and "\n" not in found["said"]
    assert "Use n_jobs=1" in found["said"] and "JOBLIB_TEMP_FOLDER" in found["said"]


@pytest.mark.slow
def test_without_shared_memory_workers_are_done_without(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    y, X = cases(60)
    rows = [f"{a},{b},{label}" for (a, b, _), label in zip(X, y, strict=True)]
    table.write_text("\n".join(["u,v,class", *rows]))
    words = ("study", table, "--learners", "shrunken", "--splits", "2", "--seed", "1")
    expected = command(*words, "-m", "hand_till")
    found = in_child(without_shared_memory, *words, "-m", "hand_till", "--jobs", "2",
                     folder=tmp_path, prefix=own_mounts())  # fmt: skip
    code, printed, said = found
    assert expected.code == code == 0 and printed == expected.printed
    assert "joblib will operate in serial mode" in said, "which joblib says as it is loaded"


def without_shared_memory(*words: str) -> Any:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", "/dev/shm"], check=True)
    return command(*words)
