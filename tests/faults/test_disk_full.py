"""A disk that is full: one line that says so, what was there stays, no result is lost."""

import json
import os
import resource
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.processes import (
    EXAMPLE,
    command,
    forked_command,
    in_child,
    mount_disk,
    names,
    own_mounts,
    unmount,
)
from faults.writers import NEW, OLD, SETS, Writer, cases, writer

from polyroc._storage.atomic import write_whole
from polyroc._storage.checkpoint import Checkpoint
from polyroc.errors import InvalidInput, NotSaved

PAGE = resource.getpagesize()


@contextmanager
def small_files(size: int) -> Iterator[None]:
    """No file may be longer; Python ignores the signal and gets an error."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    mount_disk(folder, size)
    try:
        yield
    finally:
        unmount(folder)


class Trial:
    """Writes a new version in a folder where it cannot fit, and looks at what is left."""

    def __init__(self, write: Writer, folder: Path) -> None:
        self.write, self.folder = write, folder
        self.failures: list[str] = []
        self.tried = 0
        contents = []
        for version in (OLD, NEW):
            write(folder / "file", version)
            contents.append((folder / "file").read_bytes())
        self.old, self.new = contents
        for name in names(folder):
            (folder / name).unlink()

    def attempt(self, reason: str) -> None:
        path = self.folder / "file"
        there = names(self.folder)
        self.tried += 1
        try:
            self.write(path, NEW)
            self.failures.append("it was written")
        except InvalidInput as error:
            text = str(error)
            if f"{path} cannot be written ({reason})" not in text or "\n" in text:
                self.failures.append(text)
        if names(self.folder) != there:
            self.failures.append(f"left {names(self.folder)}")
        if path.exists() and path.read_bytes() != self.old:
            self.failures.append("the file changed")

    def on_small_files(self) -> None:
        sizes = sorted({0, 1, *range(1, len(self.new), max(1, len(self.new) // 6))})
        for before in (None, self.old):
            for size in sizes:
                self._begin(before)
                with small_files(size):
                    self.attempt("File too large")
        self._finish()

    def on_small_disks(self) -> None:
        pages = -(-len(self.new) // PAGE)
        for before in (None, self.old):
            used = 0 if before is None else -(-len(before) // PAGE)
            for free in {*range(0, pages, max(1, pages // 3))} - ({0} if not used else set()):
                with small_disk(self.folder, (used + free) * PAGE):
                    self._begin(before)
                    self.attempt("No space left on device")
        self._begin(self.old)
        self._finish()

    def _begin(self, content: bytes | None) -> None:
        for name in names(self.folder):
            (self.folder / name).unlink()
        if content is not None:
            (self.folder / "file").write_bytes(content)

    def _finish(self) -> None:
        """With room again, all is as if nothing had been."""
        self.write(self.folder / "file", NEW)
        if (self.folder / "file").read_bytes() != self.new:
            self.failures.append("not written at last")


def fill_up(folder: str, *chosen: str) -> dict[str, Any]:
    failures, tried = [], {}
    for name in chosen:
        place = Path(folder, name)
        place.mkdir()
        trial = Trial(writer(name), place)
        trial.on_small_files()
        trial.on_small_disks()
        failures += [f"{name}: {failure}" for failure in trial.failures]
        tried[name] = trial.tried
    return {"failures": failures, "tried": tried}


@pytest.mark.parametrize("chosen", SETS)
def test_every_writer(
    chosen: tuple[str, ...], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    found = in_child(fill_up, place, *chosen, folder=tmp_path, prefix=own_mounts())
    assert found["failures"] == []
    assert min(found["tried"].values()) >= 14
    record_property("faults", sum(found["tried"].values()))


# Runs that are under way when the disk fills up


def search_on_a_small_disk(folder: str) -> dict[str, Any]:
    from polyroc._storage import checkpoint
    from polyroc.surface import ScoreModel, search

    checkpoint.SECONDS_BETWEEN_SAVES = 0
    disk, path = Path(folder), Path(folder, "search.npz")
    model = ScoreModel(*cases(60))
    whole = search(model, generations=30, rng=1)
    search(model, generations=0, rng=1, checkpoint=path)
    first = path.read_bytes()
    pages = -(-len(first) // PAGE)
    with small_disk(disk, (2 * pages + 2) * PAGE), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        path.write_bytes(first)
        found = search(model, generations=30, rng=1, checkpoint=path)
        left, kept = names(disk), path.read_bytes()
    path.write_bytes(kept)
    resumed = search(model, generations=30, rng=1, checkpoint=path)
    return {
        "told": [[each.category.__name__, str(each.message), each.message.last] for each in told],
        "left": left,
        "same": all(
            np.array_equal(whole.rates, other.rates)
            and json.dumps(whole.provenance) == json.dumps(other.provenance)
            for other in (found, resumed)
        ),
    }


@pytest.mark.slow
def test_a_search_goes_on_and_its_checkpoint_too(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    found = in_child(search_on_a_small_disk, disk, folder=tmp_path, prefix=own_mounts())
    assert found["same"]
    assert set(found["left"]) <= {"search.npz", "search.npz.polyroc-previous"}
    kinds, messages, last = zip(*found["told"], strict=True)
    assert set(kinds) == {"NotSaved"}
    assert "The search continues, but" in messages[0] and not last[0]
    assert "The search ends, but" in messages[-1] and last[-1]
    assert "search.npz cannot be written (No space left on device)" in messages[-1]


def test_a_study_ends_with_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.naive_bayes import GaussianNB

    from polyroc.inference import study

    def full(self: Checkpoint, *content: object) -> None:
        raise InvalidInput("study.npz cannot be written (No space left on device).")

    y, X = cases(60)
    options: dict[str, Any] = {"n_splits": 3, "rng": 0, "metrics": ["hand_till"]}
    whole = study({"bayes": GaussianNB()}, X, y, **options)
    monkeypatch.setattr(Checkpoint, "save", full)
    with pytest.warns(NotSaved, match="The study ends, but study.npz cannot be written"):
        found = study({"bayes": GaussianNB()}, X, y, checkpoint=tmp_path / "s.npz", **options)
    assert np.array_equal(found.values, whole.values)
    assert names(tmp_path) == []


# The program


def command_on_a_small_disk(folder: str, name: str) -> Any:
    """A command that writes, with no room beside what is there."""
    place, disk = Path(folder), Path(folder, "disk")
    disk.mkdir()
    y, X = cases(60)
    rows = [f"{a},{b},{label}" for (a, b, _), label in zip(X, y, strict=True)]
    table = place / "table.csv"
    table.write_text("\n".join(["u,v,class", *rows]))
    surface = ["surface", EXAMPLE, "--model", "forest", "--generations", "3", "--seed", "1"]
    study = ["study", str(table), "--learners", "logistic", "--splits", "2", "--seed", "1"]
    words = {
        "surface -o": [*surface, "-o"],
        "surface -o --json": [*surface, "--json", "-o"],
        "report -o": ["report", EXAMPLE, "-o"],
        "demo -o": ["demo", "-o"],
        "study --checkpoint": [*study, "--checkpoint"],
        "surface --checkpoint": [*surface, "--checkpoint"],
    }
    with small_disk(disk, 2 * PAGE):
        (disk / "other").write_bytes(bytes(PAGE * (2 if "checkpoint" in name else 1)))
        if "checkpoint" not in name:
            (disk / "file").write_bytes(b"before")
        ended = forked_command([*words[name], str(disk / "file")], lambda: None)
        left = {path.name: len(path.read_bytes()) for path in disk.iterdir()}
    return [*ended, left]


RESULTS = {
    "surface --checkpoint": "",
    "surface -o --json": '"operating_points"',
    "surface -o": "G = ",
    "report -o": "",
    "demo -o": "hand_till",
    "study --checkpoint": "Mean",
}
"""What commands print although they cannot write."""


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_every_command_that_writes(name: str, tmp_path: Path) -> None:
    found = in_child(command_on_a_small_disk, tmp_path, name, folder=tmp_path, prefix=own_mounts())
    code, printed, said, left = found
    assert code == 2, said
    assert "file cannot be written (No space left on device)" in said
    assert said.startswith("polyroc: ") and len(said.splitlines()) == 1
    checkpoint = "checkpoint" in name
    assert left == ({"other": 2 * PAGE} if checkpoint else {"file": 6, "other": PAGE})
    assert RESULTS[name] in printed
    if "--json" in name:
        assert json.loads(printed)["surface"]["output"] is None


PRINTING = {
    "--help": ["--help"],
    "--version": ["--version"],
    "metrics": ["metrics"],
    "evaluate --json": ["evaluate", EXAMPLE, "-m", "hand_till", "--json"],
    "evaluate": ["evaluate", EXAMPLE, "-m", "hand_till"],
    "compare": ["compare", EXAMPLE, "-m", "hand_till"],
    "surface": ["surface", EXAMPLE, "--model", "forest", "--generations", "1"],
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "--help" else pytest.mark.slow) for name in PRINTING],
)
def test_what_is_printed_does_not_fit(name: str) -> None:
    full = Path("/dev/full").open("w")  # noqa: SIM115
    with full:
        ended = command(*PRINTING[name], before=partial(os.dup2, full.fileno(), 1))
    assert (ended.code, ended.said) == (2, "polyroc: No space left on device.\n")


def test_an_error_that_cannot_be_told_is_still_an_error() -> None:
    full = Path("/dev/full").open("w")  # noqa: SIM115
    with full:
        ended = command("evaluate", "nothing.csv", before=partial(os.dup2, full.fileno(), 2))
    assert (ended.code, ended.printed) == (2, "")


# What is no plain file


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, lambda file: file.write(b"content"))
    assert pipe.is_fifo() and os.read(reader, 100) == b"content"
    os.close(reader)
    assert names(tmp_path) == ["pipe"]


def test_a_link_stays_and_permissions_too(tmp_path: Path) -> None:
    target, link = tmp_path / "there" / "file", tmp_path / "link"
    target.parent.mkdir()
    target.write_bytes(b"before")
    target.chmod(0o600)
    link.symlink_to(target)
    write_whole(link, lambda file: file.write(b"after"))
    assert link.is_symlink() and target.read_bytes() == b"after"
    assert target.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["link", "there"] and names(target.parent) == ["file"]


def test_threads_that_write_the_same_file_leave_one_of_theirs(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([n]) * 50_000 for n in range(8)]
    threads = [
        threading.Thread(target=write_whole, args=(path, lambda file, own=own: file.write(own)))
        for own in contents
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert names(tmp_path) == ["file"]
