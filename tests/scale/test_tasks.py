"""The tasks that a scheduler runs, one by one and without a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import polyroc
from polyroc.errors import InvalidInput, InvalidType
from polyroc.scale import Layout, evaluate_dask, evaluate_parquet

pytest.importorskip("distributed", reason="Dask is not installed")

import dask
import dask.dataframe as dd

from polyroc.scale import _dask as tasks


@pytest.fixture(autouse=True)
def synchronous() -> Iterator[None]:
    """Tasks run here, one after the other."""
    with dask.config.set(scheduler="synchronous"):
        yield


def frame(n: int = 30) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = np.append([0, 1, 2], rng.integers(0, 3, n - 3))
    p = rng.dirichlet(np.ones(3), n).round(2)
    named = {name: p[:, k] for k, name in enumerate(("ant", "bee", "cat"))}
    return pd.DataFrame({"y": np.array(["ant", "bee", "cat"])[y], **named, "w": 1.0 + y})


def survey(table: pd.DataFrame, npartitions: int = 3) -> tasks._Survey:
    made = dd.from_pandas(table, npartitions=npartitions)
    return tasks._Survey(made, tasks.Scheduler(None))


class Client:
    """A client that runs tasks here and notes how many."""

    def __init__(self, *workers: str) -> None:
        self.workers, self.computed = workers, 0

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.workers, 4)

    def compute(self, given: list[Any]) -> list[Any]:
        self.computed += len(given)
        return given

    def gather(self, given: list[Any]) -> tuple[Any, ...]:
        return dask.compute(*given)  # type: ignore[no-any-return]


# Who runs tasks


def test_workers_of_a_scheduler() -> None:
    assert tasks.Scheduler(None).n_workers == 1
    assert tasks.Scheduler(Client()).n_workers == 1
    assert tasks.Scheduler(Client("a")).n_workers == 1
    assert tasks.Scheduler(Client("a", "b", "c")).n_workers == 3
    with pytest.raises(FrozenInstanceError):
        tasks.Scheduler(None).client = Client()  # type: ignore[misc]


def test_results_come_in_order() -> None:
    made = [tasks.task(divmod, number, 3) for number in (7, 8, 9)]
    expected = [(2, 1), (2, 2), (3, 0)]
    client = Client("a")
    assert tasks.Scheduler(None).compute(made) == expected
    assert tasks.Scheduler(client).compute(made) == expected and client.computed == 3


def test_equal_calls_are_tasks_of_their_own() -> None:
    one, two = (tasks.task(divmod, 7, 3) for _ in range(2))
    assert one.key != two.key
    nested = tasks.task(max, [one, tasks.task(divmod, 9, 3)])
    assert tasks.Scheduler(None).compute([nested]) == [(3, 0)]


def test_which_clients_are_taken() -> None:
    import distributed

    class Asleep(distributed.Client):  # type: ignore[misc]
        asynchronous = True

        def __init__(self) -> None:
            pass

        def __del__(self) -> None:
            pass

        def __repr__(self) -> str:
            return "<asleep>"

    class Awake(Asleep):
        asynchronous = False

    awake = Awake()
    assert tasks._checked_client(None) is None and tasks._checked_client(awake) is awake
    for wrong in (Asleep(), Client("a"), 1):
        with pytest.raises(InvalidType, match=r"client must be a distributed\.Client that is not"):
            tasks._checked_client(wrong)


def test_which_frames_are_taken() -> None:
    made = dd.from_pandas(frame(), npartitions=2)
    assert tasks._checked_frame(made) is made
    with pytest.raises(InvalidType) as caught:
        tasks._checked_frame(made["y"])
    assert str(caught.value) == (
        "ddf must be a dask.dataframe.DataFrame, got Series. Use dask.dataframe.from_pandas, or "
        "polyroc.evaluate for data in memory."
    )


# Collectors


class Numbers:
    """A collector of numbers."""

    def __init__(self, *found: int) -> None:
        self.found = list(found)
        self.n_merged = 0

    def merge(self, other: Numbers) -> None:
        self.found += other.found
        self.n_merged += 1


class Reader(tasks._Reader):
    """Ranges that hold a number each."""

    def __init__(self, n_ranges: int, client: Any = None) -> None:
        object.__setattr__(self, "scheduler", tasks.Scheduler(client))
        object.__setattr__(self, "layout", None)
        object.__setattr__(self, "n_ranges", n_ranges)

    def tasks(self, needed: Any, n_cells: int, work: Any, *arguments: Any) -> list[Any]:
        asked.append((needed, n_cells))
        return [tasks.task(work, number, *arguments) for number in range(self.n_ranges)]  # type: ignore[attr-defined]


asked: list[tuple[Any, int]] = []


@pytest.mark.parametrize("n_ranges", [1, 2, 3, 8, 9, 10, 28])
def test_collectors_are_merged_in_order(n_ranges: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Numbers] = []

    def filled(make: Any, number: int) -> Numbers:
        made.append(Numbers(number))
        return made[-1]

    monkeypatch.setattr(tasks, "_fill", filled)
    monkeypatch.setattr(tasks, "FAN_IN", 3)
    asked.clear()
    found = Reader(n_ranges).collect(Numbers, [0, 2], 77, "Reading")  # type: ignore[type-var]
    assert found.found == list(range(n_ranges)) and asked == [([0, 2], 77)]
    assert found.n_merged <= 3
    assert all(len(each.found) == 1 for each in made)  # what came from a task is not changed


def test_parts_are_sorted_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four groups for each worker, whose results come in the order of the parts."""
    groups_seen: list[list[int]] = []

    def pick(groups: list[range], number: int, packed: bytes) -> Any:
        return [[f"{part} of {number}" for part in group] for group in groups]

    def sort(tracks: list[Any], pieces: list[list[str]]) -> list[Any]:
        groups_seen.append(tracks)
        return [(track, [piece[i] for piece in pieces]) for i, track in enumerate(tracks)]

    monkeypatch.setattr(tasks, "_pick", pick)
    monkeypatch.setattr(tasks, "_sort", sort)
    for n_parts, workers, size in ((9, "a", 3), (8, "a", 2), (3, "a", 1), (9, "ab", 2)):
        parts: Any = [
            SimpleNamespace(track=number, n_cases=1, codes=None, mantissa_bits=3)
            for number in range(n_parts)
        ]
        groups_seen.clear()
        asked.clear()
        found = Reader(2, Client(*workers)).sort(parts, [1])
        expected = [(part, [f"{part} of 0", f"{part} of 1"]) for part in range(n_parts)]
        assert found == expected and asked == [([1], 0)]
        wanted = [list(range(n_parts))[start : start + size] for start in range(0, n_parts, size)]
        assert sorted(groups_seen) == wanted


def test_merging_makes_a_new_collector() -> None:
    given = [Numbers(1), Numbers(2, 3)]
    total = tasks._merged(Numbers, given)  # type: ignore[type-var]
    assert total.found == [1, 2, 3]
    assert [each.found for each in given] == [[1], [2, 3]]


# Ranges of rows


def test_row_groups_are_gathered_for_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "SCORES_PER_TASK", 1000)
    monkeypatch.setattr(tasks, "SCORES_PER_CELL", 3)
    sizes: list[int] = []

    def ranges(n_rows: int) -> list[str]:
        sizes.append(n_rows)
        return ["first", "second"]

    files: Any = SimpleNamespace(ranges=ranges, n_rows=12)
    layout = Layout("y", ("a", "b", "c", "d"), ("a", "b", "c", "d"))
    reader = tasks._FilesReader(tasks.Scheduler(None), layout, files)
    assert reader.n_rows == 12 and reader.n_machines == 1 and reader.n_sorters == 1
    for needed, n_cells in ((None, 0), ([0, 2], 0), ([1], 100), ([1], 400), ([], 0), (None, 401)):
        assert len(reader.tasks(needed, n_cells, max)) == 2
    assert sizes == [250, 500, 1000, 1200, 1000, 300]
    assert all(type(size) is int for size in sizes)
    with pytest.raises(FrozenInstanceError):
        reader.files = None  # type: ignore[misc, assignment]


def test_partitions_follow_each_other() -> None:
    table = frame(10)
    made = survey(table)
    layout = Layout("y", ("ant", "bee", "cat"), ("ant", "bee", "cat"), "w")
    reader = tasks._FrameReader(tasks.Scheduler(None), layout, made)
    lengths = [len(part) for part in made._frame.partitions]
    with pytest.raises(FrozenInstanceError):
        reader.survey = None  # type: ignore[misc, assignment]
    assert reader.n_rows == 10 and made.lengths("y") == lengths and len(lengths) == 3

    def looked(chunks: Any, *more: Any) -> list[Any]:
        return [(placed.position, placed.chunk.columns[1].tolist(), *more) for placed in chunks]

    found = tasks.Scheduler(None).compute(reader.tasks(None, 0, looked, "x"))
    starts = np.cumsum([0, *lengths])
    assert found == [
        [(start, table["bee"].tolist()[start:stop], "x")] for start, stop in pairwise(starts)
    ]


def test_pieces_of_a_partition() -> None:
    table = pd.DataFrame({"y": [1, 2], 3: [0.5, 0.25]}, index=[7, 9])
    (piece,) = tasks._pieces(table, 4, 100)
    assert piece.records.to_pydict() == {"y": [1, 2], "3": [0.5, 0.25]}
    assert (piece.path, piece.row, piece.first) == ("partition 4", 0, 100)
    assert list(table.columns) == ["y", 3]
    mixed = pd.DataFrame({"y": ["a", 1]})
    with pytest.raises(InvalidType, match=r"^Partition 2 cannot be read \(.*\)\. Pass columns of"):
        list(tasks._pieces(mixed, 2, 0))
    assert tasks._look("y", 1, table) == (2, {1, 2})
    with pytest.raises(InvalidInput, match="'y' is null in row 1 of partition 5"):
        tasks._look("y", 5, pd.DataFrame({"y": ["a", None]}))


def test_parts_travel_without_what_is_known_of_them() -> None:
    from polyroc.scale._batch import ColumnTrack
    from polyroc.scale._exact import Part

    nothing: Any = None
    codes = np.array([3, 5, 8])
    parts = [Part(ColumnTrack(1, 3), 4, nothing, nothing, codes, 6)]
    packed = tasks._packed(parts)
    (found,) = tasks._pick([range(1)], iter(()), packed)
    assert isinstance(packed, bytes) and len(found) == 1


# What is known of a frame first


def test_categories_are_classes_in_their_order() -> None:
    table = frame().assign(y=lambda t: pd.Categorical(t["y"], ["cat", "ant", "bee"]))
    made = survey(table)
    assert made.categories("y") == ["cat", "ant", "bee"]
    assert made.categories("ant") is None and made.categories("none") is None
    unknown = dd.from_pandas(frame(), npartitions=2)
    unknown["y"] = unknown["y"].astype("category")
    hidden = tasks._Survey(unknown, tasks.Scheduler(None))
    assert hidden.categories("y") is None
    twice = table.rename(columns={"w": "y"})
    assert survey(twice).categories("y") is None
    ddf = dd.from_pandas(table, npartitions=2)
    for options, classes in (
        ({}, ("cat", "ant", "bee")),
        ({"classes": ["bee", "cat", "ant"]}, ("bee", "cat", "ant")),
        ({"columns": {"ant": "ant", "cat": "cat", "bee": "bee"}}, ("ant", "cat", "bee")),
    ):
        given = ("y", options.get("classes"), options.get("columns"), None)
        assert tasks.frame_reader(ddf, given, None).layout.classes == classes  # type: ignore[arg-type]


def test_kinds_of_columns_of_a_frame() -> None:
    table = pd.DataFrame(
        {"i": [1, 2], "u": np.array([1, 2], dtype=np.uint8), "f": [0.5, 1], "s": ["a", "b"]}
    ).assign(b=[True, False], c=pd.Categorical(["a", "b"]))
    made = survey(table, 1)
    assert made.names == ["i", "u", "f", "s", "b", "c"]
    kinds = [made.has_numbers(name) for name in made.names]
    assert kinds == [True, True, True, False, False, False]


def test_names_of_columns_are_texts() -> None:
    """Numbers are names, too; a column is found by what it is called in the frame."""
    y = np.arange(12) % 2
    table = pd.DataFrame({"y": y, 0: 1 - y * 0.5, 1: y * 0.5})
    made = survey(table, 2)
    assert made.names == ["y", "0", "1"]
    (part, _) = dask.compute(*made.partitions(["1", "y"]))
    assert list(part.columns) == [1, "y"]
    found = evaluate_dask(dd.from_pandas(table, npartitions=2), target="y")
    assert found["roc_auc"].low == 1 and found.counts == {0: 6, 1: 6}


def test_the_first_rows_are_those_of_the_first_partition_with_rows() -> None:
    table = frame(9)
    empty = dd.from_pandas(table[:0], npartitions=1)
    ddf = dd.concat([empty, dd.from_pandas(table, npartitions=3)])
    made = tasks._Survey(ddf, tasks.Scheduler(None))
    rows = made.first_rows(["bee", "w"])
    assert rows.schema.names == ["bee", "w"]
    n = made.lengths("y")[1]
    assert rows.column("bee").to_pylist() == table["bee"].tolist()[:n]
    assert tasks._Survey(empty, tasks.Scheduler(None)).first_rows(["bee"]) is None


def test_labels_are_looked_at_once() -> None:
    client = Client("a")
    made = tasks._Survey(dd.from_pandas(frame(), npartitions=3), tasks.Scheduler(client))
    assert made.labels("y") == {"ant", "bee", "cat"}
    assert sum(made.lengths("y")) == 30 and client.computed == 3
    assert made.labels("y") == {"ant", "bee", "cat"} and client.computed == 3


# All together


def test_options_of_a_frame_are_passed_on(tmp_path: Path) -> None:
    """Each as for Parquet files: ties, weights, metrics, bits, absent classes."""
    table = frame(60)
    table.to_parquet(tmp_path / "a.parquet")
    ddf = dd.from_pandas(table, npartitions=3)

    def both(**options: Any) -> tuple[Any, Any]:
        asked: dict[str, Any] = {"target": "y", **options}
        return evaluate_dask(ddf, **asked), evaluate_parquet(tmp_path / "a.parquet", **asked)

    for options in (
        {},
        {"ties": "strict"},
        {"ties": "lenient", "metrics": "aunp"},
        {"sample_weight": "w", "metrics": ["auc_mu", "aunu"]},
        {"mantissa_bits": 1, "metrics": "all"},
        {"exact": True, "memory": 1 << 20},
        {"classes": ["cat", "bee", "ant"]},
    ):
        one, other = both(**options)
        assert one.to_dict() == other.to_dict(), options
        assert np.array_equal(one.pairwise_low, other.pairwise_low, equal_nan=True)
    plain, _ = both(mantissa_bits=1)
    assert plain["hand_till"].width > 0
    fair, _ = both()
    assert fair.to_dict() == both(ties="fair", exact=False, absent="raise")[0].to_dict()
    value = polyroc.hand_till(table["y"], table[["ant", "bee", "cat"]])
    assert fair["hand_till"].low - 1e-12 <= value <= fair["hand_till"].high + 1e-12


def test_absent_classes_of_a_frame() -> None:
    table = frame(40)
    table = table[table["y"] != "bee"]
    options: dict[str, Any] = {"target": "y", "classes": ["ant", "bee", "cat"]}
    ddf = dd.from_pandas(table, npartitions=2)
    with pytest.raises(InvalidInput, match="'bee' has no cases"):
        evaluate_dask(ddf, **options)
    assert evaluate_dask(ddf, absent="skip", **options).counts["bee"] == 0


def test_the_least_memory_of_a_frame() -> None:
    ddf = dd.from_pandas(frame(), npartitions=2)
    assert evaluate_dask(ddf, target="y", memory=1 << 20).n_cases == 30
    for little in ((1 << 20) - 1, 1, 0, -1):
        with pytest.raises(InvalidInput, match="memory"):
            evaluate_dask(ddf, target="y", memory=little)


def test_a_frame_without_rows() -> None:
    ddf = dd.from_pandas(frame()[:0], npartitions=1)
    with pytest.raises(InvalidInput) as caught:
        evaluate_dask(ddf, target="y", classes=["ant", "bee", "cat"])
    assert str(caught.value) == "The frame contains no rows. Pass at least one case per class."


def test_ranges_of_files_as_a_cluster_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyroc.scale._discovery import FilesSurvey, find_files, layout_of
    from polyroc.scale._job import Job

    whole = pa.Table.from_pandas(frame(50), preserve_index=False)
    pq.write_table(whole, tmp_path / "a.parquet", row_group_size=7)
    monkeypatch.setattr(tasks, "_checked_client", lambda client: client)
    monkeypatch.setattr(tasks, "SCORES_PER_TASK", 21)
    monkeypatch.setattr(tasks, "SCORES_PER_CELL", 0)
    files = find_files(tmp_path / "a.parquet")
    layout = layout_of(FilesSurvey(files), "y", None, None, "w")
    reader = tasks.cluster_of_files(files, layout, Client("a", "b"))
    assert reader.n_machines == 2 and len(reader.tasks(None, 0, max)) == 8
    job = Job(reader, layout, {"mantissa_bits": 3, "auc_mu": True}, 1 << 22)
    for exact in (False, True):
        found = job.known(exact).evaluate("all", "fair", "raise")
        expected = evaluate_parquet(
            tmp_path / "a.parquet", target="y", sample_weight="w", metrics="all",
            mantissa_bits=3, exact=exact, memory=1 << 22,
        )  # fmt: skip
        assert found.to_dict() == expected.to_dict()
