"""No name beside a user's file is written, truncated or deleted unless polyroc made it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from faults.writers import cases

from polyroc._storage.lock import sole_run
from polyroc.errors import InvalidInput
from polyroc.inference import study
from polyroc.surface import ScoreModel, search

Y, P = cases(30)
SUFFIXES = (
    ".lock", ".part", ".previous", ".tmp", ".bak", "~", ".0a1b2c3d.part", ".polyroc-part",
    ".0a1b2c3d.polyroc-part", ".polyroc-0a1b2c3d.part",
)  # fmt: skip
"""Names that others may have given to files of their own."""


def run_search(path: Path) -> None:
    for generations in (1, 2, 3):
        search(ScoreModel(Y, P), generations=generations, rng=0, checkpoint=path)


def run_study(path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB

    for n_splits in (1, 2):
        options = {"n_splits": n_splits, "metrics": ["hand_till"], "rng": 0, "n_jobs": 1}
        study({"bayes": GaussianNB()}, P, Y, checkpoint=path, **options)


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {each.name: (each.stat().st_ino, each.read_bytes()) for each in folder.iterdir()}


@pytest.mark.parametrize("run", [run_search, run_study])
def test_files_of_others_stay(run: Callable[[Path], None], tmp_path: Path) -> None:
    for name in ("run.npz", "poetry"):
        for suffix in SUFFIXES:
            (tmp_path / f"{name}{suffix}").write_text(f"mine {suffix}")
    before = contents(tmp_path)
    for name in ("run.npz", "poetry"):
        run(tmp_path / name)
    after = contents(tmp_path)
    assert before.items() <= after.items()
    made = {"run.npz", "poetry"}
    if run is run_search:
        made |= {f"{name}.polyroc-previous" for name in made}
    assert after.keys() - before.keys() == made


@pytest.mark.parametrize("place", ["file", "link", "dead link", "folder", "pipe"])
@pytest.mark.parametrize("suffix", [".polyroc-lock", ".polyroc-previous"])
def test_what_has_a_name_of_polyroc_and_is_not_its_own(
    suffix: str, place: str, tmp_path: Path
) -> None:
    """It is refused, before there is something to lose, and stays."""
    import os

    mine, taken = tmp_path / "mine", tmp_path / f"run.npz{suffix}"
    if place != "dead link":
        mine.write_text("mine")
    if place == "file":
        mine.replace(taken)
    elif place == "folder":
        taken.mkdir()
    elif place == "pipe":
        os.mkfifo(taken)
    else:
        taken.symlink_to(mine)
    before = sorted((each.name, each.lstat().st_ino) for each in tmp_path.iterdir())
    with pytest.raises(InvalidInput, match=rf"run\.npz\{suffix} is in the way: it is not a \w+"):
        run_search(tmp_path / "run.npz")
    assert sorted((each.name, each.lstat().st_ino) for each in tmp_path.iterdir()) == before
    assert all(each.read_text() == "mine" for each in (mine, taken) if each.is_file())


def test_what_killed_runs_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "run.npz.polyroc-lock").write_text("polyroc: process 1 on nowhere\n")
    (tmp_path / "run.npz.0a1b2c3d.polyroc-part").write_bytes(b"")
    (tmp_path / "run.npz.4e5f6a7b.polyroc-part").write_bytes(b"PK\x03\x04 half of it")
    kept = ("run.npz", "run.npz.polyroc-previous", "other.npz.0a1b2c3d.polyroc-part")
    for name in kept:
        (tmp_path / name).write_bytes(b"PK")
    with sole_run(tmp_path / "run.npz"):
        pass
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(kept)


def test_a_checkpoint_behind_a_link(tmp_path: Path) -> None:
    """What is written beside it lies beside the file, and the link stays."""
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there" / "run.npz")
    run_search(link)
    assert link.is_symlink()
    assert [each.name for each in tmp_path.iterdir() if each != link] == ["there"]
    found = sorted(each.name for each in (tmp_path / "there").iterdir())
    assert found == ["run.npz", "run.npz.polyroc-previous"]
