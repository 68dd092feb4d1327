"""Files made to do harm: read or refused in one line, and nothing in them runs."""

import os
import socket
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hostile import crafted, seeds
from hostile.child import read_in_child, warm_up
from hostile.loaders import LOADERS
from hostile.oracle import Broken, check_message, outcome

from polyroc.errors import InvalidInput, PolyrocError
from polyroc.readers import read_features, read_predictions
from polyroc.report import write_report
from polyroc.scale import PairSummary, evaluate_parquet
from polyroc.surface import RocSurface, search
from polyroc.surface._checkpoint import checkpoint_of

Files = dict[str, bytes]

SECONDS = 20
"""More than any small file may take, also where the machine is busy."""

OWN = {
    "surface_load": "rates",
    "search_checkpoint": "rates",
    "study_checkpoint": "values",
    "summary_load": "bin_values",
}
"""Our own formats, and an array of numbers in each."""

SETS: dict[str, tuple[str, Callable[[Path], Files]]] = {
    "texts": ("csv", lambda _: crafted.texts()),
    "arrays": ("npz", lambda marker: crafted.archives(seeds.npz()[0], "forest", marker)),
    "packed arrays": ("npz", lambda marker: crafted.archives(seeds.npz()[1], "y_true", marker)),
    "Parquet tables": ("parquet", crafted.parquet_tables),
    "Parquet streams": ("parquet_stream", crafted.parquet_tables),
    "Parquet footers": ("parquet", lambda _: crafted.footers(seeds.parquet()[0])),
    "stream footers": ("parquet_stream", lambda _: crafted.footers(seeds.parquet()[0])),
    "Arrow tables": (
        "arrow",
        lambda marker: {
            what: crafted.arrow_of(table) for what, table in crafted.tables(marker).items()
        },
    ),
    "Arrow types": ("arrow", lambda _: crafted.arrow_tables()),
}
for kind, member in OWN.items():
    SETS[f"{kind} arrays"] = (
        kind,
        lambda marker, kind=kind, member=member: crafted.archives(
            LOADERS[kind].seeds()[0], member, marker
        ),
    )


def try_all(loader: str, files: Files, folder: Path) -> dict[str, object]:
    """What became of each file; all that broke are told at once."""
    path, found, broken = folder / "file", {}, []
    warm_up(loader, path)
    for what, content in files.items():
        path.write_bytes(content)
        start = time.perf_counter()
        try:
            found[what] = outcome(lambda: LOADERS[loader].read(path), path)
        except Broken as error:
            broken.append(f"{what}: {error}")
        if time.perf_counter() - start > SECONDS:
            broken.append(f"{what}: it took {time.perf_counter() - start:.0f} seconds")
        assert [each.name for each in folder.iterdir()] == ["file"], what
    assert not broken, "\n".join(broken)
    return found


@pytest.mark.parametrize("name", SETS)
def test_crafted(name: str, tmp_path: Path) -> None:
    loader, make = SETS[name]
    marker = tmp_path / "marker"
    found = try_all(loader, make(marker), tmp_path)
    for what, result in found.items():
        if "pickle" in what or "Python" in what:
            assert not marker.exists(), what
        if "pickle" in what:
            assert isinstance(result, PolyrocError), what


def with_headers(content: bytes, step: int = 1) -> Files:
    """A file of ours with wrong headers: all of them, or every second, third, … wrong value."""
    header = crafted.header_of(content)
    values = list(crafted.wrong_values(header).items())[::step]
    texts = {**crafted.headers(header), **dict(values)}
    return {what: crafted.with_header(content, text) for what, text in texts.items()}


@pytest.mark.parametrize("loader", OWN)
def test_wrong_headers(loader: str, tmp_path: Path) -> None:
    try_all(loader, with_headers(LOADERS[loader].seeds()[0], step=17), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("loader", OWN)
def test_all_wrong_headers(loader: str, tmp_path: Path) -> None:
    for content in LOADERS[loader].seeds():
        try_all(loader, with_headers(content), tmp_path)


def test_wrong_costs(tmp_path: Path) -> None:
    import json

    files = {}
    for content in seeds.costs():
        value = json.loads(content)
        files |= crafted.wrong_values(value)
        files |= crafted.headers({"schema": "", "a": value})
    try_all("costs", files, tmp_path)


def test_every_kind_is_tried() -> None:
    """The sets are not empty, and no loader is without one."""
    tried = {loader for loader, _ in SETS.values()} | {"costs"}
    assert tried == set(LOADERS)


FOUND = Path(__file__).parent / "found"
"""Files that fuzzing found to end the process, or to be answered by errors of others."""


def found_for(loader: str) -> Files:
    """Those of the format that a loader reads."""
    kind = loader.removesuffix("_stream")
    return {path.name: path.read_bytes() for path in sorted(FOUND.glob(f"{kind}*"))}


@pytest.mark.parametrize("loader", [loader for loader in LOADERS if found_for(loader)])
def test_files_that_were_found(loader: str, tmp_path: Path) -> None:
    files = found_for(loader)
    if loader != "parquet":
        try_all(loader, files, tmp_path)
        return
    for what, each in read_in_child(loader, files, tmp_path, 12 << 30, 100).items():
        assert "broken" not in each, f"{what}: {each}"  # one of them ended the process


# Things in a folder that are no files


def a_folder(path: Path) -> None:
    path.mkdir()


def nothing(path: Path) -> None:
    pass


def a_loop(path: Path) -> None:
    path.symlink_to(path)


def a_dead_end(path: Path) -> None:
    path.symlink_to(path.with_name("gone"))


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def an_empty_file(path: Path) -> None:
    path.touch()


def a_file_of_holes(path: Path) -> None:
    """A terabyte of zeros that takes no room on the disk."""
    path.touch()
    os.truncate(path, 1 << 40)


PLACES = (a_folder, nothing, a_loop, a_dead_end, a_device, a_socket, an_empty_file, a_file_of_holes)


@pytest.mark.parametrize("make", PLACES)
@pytest.mark.parametrize("loader", LOADERS)
def test_what_is_no_file(loader: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "file"
    make(path)
    before = path.lstat() if os.path.lexists(path) else None
    if loader.endswith("checkpoint") and make in (nothing, a_loop, a_dead_end):
        assert not checkpoint_of(path).exists(), "a search or study makes it"
        return
    found = outcome(lambda: LOADERS[loader].read(path), path)
    assert isinstance(found, InvalidInput)
    after = path.lstat() if os.path.lexists(path) else None
    assert (before and before.st_ino) == (after and after.st_ino)


@pytest.mark.parametrize("loader", ["surface_load", "search_checkpoint", "summary_load"])
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(loader: str, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert isinstance(outcome(lambda: LOADERS[loader].read(path), path), InvalidInput)


NAMED: dict[str, Callable[[Any], object]] = {
    "read_predictions": read_predictions,
    "read_features": read_features,
    "RocSurface.load": RocSurface.load,
    "PairSummary.load": PairSummary.load,
    "evaluate_parquet": lambda path: evaluate_parquet(path, target="y"),
    "search": lambda path: search(seeds.models()[0], generations=1, checkpoint=path),
    "RocSurface.save": lambda path: _surface().save(path),
    "PairSummary.save": lambda path: PairSummary(["a", "b"]).save(path),
    "write_report": lambda path: write_report(path, seeds.Y, seeds.P),
}
"""Everything that takes a path."""


@cache
def _surface() -> RocSurface:
    return search(seeds.models()[0], generations=1, rng=1, progress=False)


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "", 3, b"x", ["x\0"], object()])
@pytest.mark.parametrize("function", NAMED)
def test_paths_that_no_file_can_have(
    function: str, path: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _surface()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolyrocError) as caught:
        NAMED[function](path)
    check_message(str(caught.value)[:1000])
    assert not list(tmp_path.iterdir())
