"""A folder or a file that may not be written: told before the work begins, and nothing changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.processes import (
    EXAMPLE,
    command,
    forked_command,
    give_up_privileges,
    in_child,
    mount_disk,
    names,
    own_mounts,
    read_only,
    unmount,
)
from faults.writers import NEW, OLD, SETS, cases, writer

from polyroc.errors import InvalidInput


def refuse_everywhere(folder: str, *chosen: str) -> dict[str, Any]:
    """All writers, where nothing can be made in the folder, and where a file is protected."""
    failures, tried = [], 0
    for name in chosen:
        write, place = writer(name), Path(folder, name)
        place.mkdir()
        path = place / "file"
        for before, protected in ((None, place), (OLD, place), (OLD, path)):
            if before is not None:
                write(path, before)
            there, content = names(place), path.read_bytes() if before is not None else None
            protected.chmod(0o555)
            tried += 1
            try:
                write(path, NEW)
                failures.append(f"{name} was written")
            except InvalidInput as error:
                if str(error).partition(". ")[0] != f"{path} cannot be written (Permission denied)":
                    failures.append(str(error))
            protected.chmod(0o755)
            if names(place) != there or (content is not None and path.read_bytes() != content):
                failures.append(f"{name} changed something")
    return {"failures": failures, "tried": tried}


@pytest.mark.parametrize("chosen", SETS)
def test_every_writer(
    chosen: tuple[str, ...], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    place = tmp_path / "files"
    place.mkdir()
    found = in_child(refuse_everywhere, place, *chosen, folder=tmp_path, before=give_up_privileges)
    assert found == {"failures": [], "tried": 3 * len(chosen)}
    record_property("faults", found["tried"])


def finished_runs(folder: str) -> dict[str, Any]:
    """A search and a study of which all is in their files, called again; and to do more."""
    from sklearn.naive_bayes import GaussianNB

    from polyroc.inference import study
    from polyroc.surface import ScoreModel, search

    y, X = cases(60)
    model, place = ScoreModel(y, X), Path(folder)
    one = search(model, generations=3, rng=1, checkpoint=place / "search.npz")
    options: dict[str, Any] = {"metrics": ["hand_till"], "checkpoint": place / "study.npz"}
    two = study({"bayes": GaussianNB()}, X, y, n_splits=2, rng=1, **options)
    made: dict[str, Any] = {"refused": []}
    with read_only(place):
        again = search(model, generations=3, rng=1, checkpoint=place / "search.npz")
        made["search"] = np.array_equal(one.rates, again.rates)
        again = study({"bayes": GaussianNB()}, X, y, n_splits=2, rng=1, **options)
        made["study"] = np.array_equal(two.values, again.values)
        for more in (
            lambda: search(model, generations=10**9, rng=1, checkpoint=place / "search.npz"),
            lambda: study({"bayes": GaussianNB()}, X, y, n_splits=10**6, rng=1, **options),
        ):
            try:
                more()
            except InvalidInput as error:
                made["refused"].append(str(error))
    return made


@pytest.mark.slow
def test_finished_runs_are_read_and_others_refused_at_once(tmp_path: Path) -> None:
    place = tmp_path / "files"
    place.mkdir()
    found = in_child(finished_runs, place, folder=tmp_path, before=give_up_privileges)
    assert found["search"] and found["study"]
    assert len(found["refused"]) == 2
    for message in found["refused"]:
        assert "cannot be written (Permission denied)" in message and "\n" not in message
    assert names(place) == ["search.npz", "search.npz.polyroc-previous", "study.npz"]


def on_a_disk_without_writing(folder: str) -> Any:
    disk = Path(folder)
    mount_disk(disk, 1 << 20, writable=False)
    options = ["--model", "forest", "--generations", str(10**9)]
    ended = forked_command(["surface", EXAMPLE, *options, "-o", str(disk / "s")], lambda: None)
    unmount(disk)
    return ended


def test_the_reason_is_that_of_the_system(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    code, printed, said = in_child(
        on_a_disk_without_writing, disk, folder=tmp_path, prefix=own_mounts()
    )
    assert (code, printed) == (2, "")
    assert said == (
        f"polyroc: {disk}/s cannot be written (Read-only file system). "
        "Fix that, or name another file.\n"
    )


COMMANDS = {
    "surface -o": ["surface", EXAMPLE, "--model", "forest", "--generations", "1000000000", "-o"],
    "surface --checkpoint": ["surface", EXAMPLE, "--model", "forest", "--checkpoint"],
    "report -o": ["report", EXAMPLE, "-o"],
    "demo -o": ["demo", "-o"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_refuse_before_the_work(name: str, tmp_path: Path) -> None:
    place = tmp_path / "files"
    place.mkdir()
    path = place / "file"
    with read_only(place):
        ended = command(*COMMANDS[name], path, before=give_up_privileges)
    assert (ended.code, ended.printed) == (2, "")
    assert ended.said.startswith(f"polyroc: {path} cannot be written (Permission denied). ")
    assert len(ended.said.splitlines()) == 1
    assert names(place) == []


def test_a_file_that_may_not_be_read_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text("y,p_a,p_b\na,.9,.1\nb,.2,.8\n")
    path.chmod(0)
    ended = command("evaluate", path, before=give_up_privileges)
    assert ended == (2, "", f"polyroc: {path} cannot be read: Permission denied.\n")
