"""Files as checked batches: where rows stand, which columns are read, and what is refused."""

from __future__ import annotations

import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import polyroc
from polyroc.errors import InvalidInput, InvalidType
from polyroc.scale import Layout, PairSummary, evaluate_parquet, summarise
from polyroc.scale import _source as source
from polyroc.scale._batch import ColumnTrack, MarginTrack
from polyroc.scale._discovery import find_files
from polyroc.scale._exact import BYTES_TO_SORT, Part, whole
from polyroc.scale._extras import MissingExtra, _Extra, required
from polyroc.scale._job import Job
from polyroc.scale._parquet import _Threads
from polyroc.scale._passes import chunks_of_files
from polyroc.scale._room import check_room
from polyroc.scale._source import File, Files, check_label_type, pieces, read_record_batch
from polyroc.scale._stamps import check_same, stamp_of

LAYOUT = Layout("y", ("a", "b", "c"), ("p", "q", "r"))


def table(n: int = 10, **more: Any) -> pa.Table:
    """Row i has the class i mod 3, and scores that tell where it stands."""
    columns = {name: [100.0 * k + i for i in range(n)] for k, name in enumerate("pqr")}
    return pa.table({"y": ["abc"[i % 3] for i in range(n)], **columns, **more})


def written(folder: Path, tables: list[pa.Table], rows: int = 3) -> Files:
    folder.mkdir(exist_ok=True)
    for number, each in enumerate(tables):
        pq.write_table(each, folder / f"{number}.parquet", row_group_size=rows)
    return find_files(folder)


# Layouts


def test_columns_that_are_read() -> None:
    assert LAYOUT.names() == ["y", "p", "q", "r"]
    assert LAYOUT.names([2, 0]) == ["y", "r", "p"] and LAYOUT.names([]) == ["y"]
    weighted = Layout("y", ("a", "b"), ("p", "q"), "w")
    assert weighted.names() == ["y", "p", "q", "w"] and weighted.names([1]) == ["y", "q", "w"]
    shared = Layout("y", ("a", "b"), ("p", "q"), "q")
    assert shared.names() == ["y", "p", "q"], "a column is read once"
    assert LAYOUT.weight is None and LAYOUT.declared.classes == ("a", "b", "c")
    assert LAYOUT.declared.columns == (0, 1, 2)


def test_columns_that_tracks_need() -> None:
    tracks = [MarginTrack(0, 2), ColumnTrack(2, 3)]
    assert LAYOUT.needed_by(tracks) == [0, 2] and LAYOUT.needed_by([ColumnTrack(1, 3)]) == [1]
    wide = Layout("y", tuple(range(25)), tuple(f"p{k}" for k in range(25)))
    assert wide.needed_by([MarginTrack(20, 3), ColumnTrack(9, 25)]) == [3, 9, 20]
    one = Layout("y", (0, 1), ("s",))
    assert one.needed_by([ColumnTrack(0, 2), ColumnTrack(1, 2)]) == [0]
    assert one.needed_by([ColumnTrack(1, 2)]) == [0]


# Rows of files


def test_ranges_of_rows_end_with_a_row_group(tmp_path: Path) -> None:
    files = written(tmp_path / "x", [table(10), table(4)])
    assert files.n_rows == 14 and [file.groups for file in files.files] == [(3, 3, 3, 1), (3, 1)]

    def shape(n_rows: int) -> list[tuple[int, list[tuple[Any, int, int]]]]:
        return [
            (each.first, [(part.row_groups, part.row, part.n_rows) for part in each.files])
            for each in files.ranges(n_rows)
        ]

    assert shape(3) == [
        (0, [((0,), 0, 3)]),
        (3, [((1,), 3, 3)]),
        (6, [((2,), 6, 3)]),
        (9, [((3,), 9, 1), ((0,), 0, 3)]),
        (13, [((1,), 3, 1)]),
    ]
    assert shape(6) == [
        (0, [((0, 1), 0, 6)]),
        (6, [((2, 3), 6, 4), ((0, 1), 0, 4)]),
    ]
    assert shape(7) == [(0, [((0, 1, 2), 0, 9)]), (9, [((3,), 9, 1), ((0, 1), 0, 4)])]
    assert shape(14) == [(0, [((0, 1, 2, 3), 0, 10), ((0, 1), 0, 4)])]
    assert shape(100) == shape(14)
    for each in files.ranges(3):
        assert each.schema == files.schema
        for part in each.files:
            assert sum(part.groups) == part.n_rows and part.stamp is not None
    later = Files(files.files, files.schema, 50).ranges(7)
    assert [each.first for each in later] == [50, 59]


@pytest.mark.parametrize("n_rows", [3, 6, 7, 100])
def test_pieces_know_where_they_stand(tmp_path: Path, n_rows: int) -> None:
    files = written(tmp_path / "x", [table(10), table(4)])
    seen = []
    for each in files.ranges(n_rows):
        for piece in pieces(each, ["p"]):
            assert piece.records.schema.names == ["p"]
            values = piece.records.column("p").to_pylist()
            start = 0 if piece.path.endswith("0.parquet") else 10
            assert values == [float(piece.row + k) for k in range(len(values))]
            assert piece.first == start + piece.row
            seen += [piece.first + k for k in range(len(values))]
    assert seen == list(range(14))


@pytest.mark.parametrize(("limit", "rows"), [("MOST_ROWS", 4), ("BYTES_PER_BATCH", 4 * 8 * 2)])
def test_batches_have_as_many_rows_as_they_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, rows: int
) -> None:
    """So many rows, or so many bytes with eight for each of two columns."""
    monkeypatch.setattr(source, limit, rows)
    files = written(tmp_path / "x", [table(10), table(4)], rows=100)
    found = [
        (piece.records.num_rows, piece.row, piece.first) for piece in pieces(files, ["p", "y"])
    ]
    assert found == [(4, 0, 0), (4, 4, 4), (2, 8, 8), (4, 0, 10)]
    monkeypatch.setattr(source, "BYTES_PER_BATCH", 1)
    assert [piece.records.num_rows for piece in pieces(files, ["p"])] == [1] * 14


def test_folders_stand_for_columns(tmp_path: Path) -> None:
    for y in ("a", "b"):
        (tmp_path / f"y={y}").mkdir()
        pq.write_table(table(3).drop_columns(["y"]), tmp_path / f"y={y}" / "x.parquet")
    files = find_files(tmp_path)
    found = list(pieces(files, ["q", "y"]))
    assert [piece.records.column("y").to_pylist() for piece in found] == [["a"] * 3, ["b"] * 3]
    assert [piece.records.column("q").to_pylist() for piece in found] == [[100.0, 101.0, 102.0]] * 2
    keys = list(pieces(files, ["y"]))
    assert [piece.records.column("y").to_pylist() for piece in keys] == [["a"] * 3, ["b"] * 3]
    only = list(pieces(files, ["p"]))
    assert [piece.records.schema.names for piece in only] == [["p"], ["p"]]


def test_chunks_know_the_rows_that_were_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyroc.scale._batch.CHUNK", 3)
    weights = [1.0, 0.0, 2.0, 0.0, 0.0, 3.0, 1.0, 1.0, 0.0, 4.0]
    files = written(tmp_path / "x", [table(10), table(10, w=weights)], rows=100)
    plain = list(chunks_of_files(Files(files.files[:1], files.schema), LAYOUT, None))
    assert [(len(each.chunk.codes), each.position) for each in plain] == [
        (3, 0), (3, 3), (3, 6), (1, 9),
    ]  # fmt: skip
    weighted = Layout(*("y", ("a", "b", "c"), ("p", "q", "r")), weight="w")
    schema = table(10, w=weights).schema
    some = list(chunks_of_files(Files(files.files[1:], schema, 10), weighted, [1]))
    assert [each.position for each in some] == [10, 16]
    assert [each.chunk.rows.tolist() for each in some if each.chunk.rows is not None] == [
        [0, 2, 5], [6, 7, 9],
    ]  # fmt: skip
    assert [each.chunk.columns[1].tolist() for each in some] == [[100, 102, 105], [106, 107, 109]]
    assert [each.chunk.columns[0].size for each in some] == [0, 0]


# Record batches


def records(**columns: Any) -> pa.RecordBatch:
    base: dict[str, Any] = {"y": ["c", "a", "b"], "p": [1.0, 2.0, 3.0], "q": [4, 5, 6]}
    return pa.record_batch({**base, "r": [7.0, 8.0, 9.0], **columns})


def test_a_batch_holds_what_is_needed() -> None:
    batch = read_record_batch(records(), LAYOUT)
    assert batch.codes.tolist() == [2, 0, 1] and batch.weights is None and batch.rows is None
    assert [column.tolist() for column in batch.columns] == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert batch.columns[1].dtype == np.float64
    large = read_record_batch(records(q=[(1 << 24) + 1, -(1 << 30) - 1, 0]), LAYOUT).columns[1]
    assert large.tolist() == [(1 << 24) + 1, -(1 << 30) - 1, 0]
    some = read_record_batch(records(), LAYOUT, [2])
    assert [column.tolist() for column in some.columns] == [[], [], [7, 8, 9]]
    kinds = {"p": pa.array([1, 2, 3], pa.float32()), "q": np.array([4, 5, 6], dtype=np.float16)}
    small = read_record_batch(records(**kinds), LAYOUT)
    assert [column.dtype for column in small.columns] == [np.float32, np.float32, np.float64]


def test_weights_of_a_batch() -> None:
    layout = Layout("y", ("a", "b", "c"), ("p", "q", "r"), "w")
    batch = read_record_batch(records(w=[2, 0, 3]), layout)
    assert batch.weights is not None and batch.rows is not None
    assert (batch.codes.tolist(), batch.weights.tolist(), batch.rows.tolist()) == (
        [2, 1], [2.0, 3.0], [0, 2],
    )  # fmt: skip
    narrow = read_record_batch(records(w=pa.array([1, 2, 3], pa.float32())), layout)
    assert narrow.weights is not None and narrow.weights.dtype == np.float64
    assert narrow.rows is None
    with pytest.raises(InvalidInput) as told:
        read_record_batch(records(w=[1.0, -2.0, 1.0]), layout, None, 40, "x.parquet")
    assert str(told.value).startswith(
        "In column 'w' of x.parquet, rows from 40 on: sample_weight contains -2.0 in row 1."
    )
    with pytest.raises(InvalidInput, match=r"^In column 'w', rows from 0 on: sample_weight"):
        read_record_batch(records(w=[1.0, -2.0, 1.0]), layout)


@pytest.mark.parametrize(("row", "path", "where"), [(0, "", "row 1"), (7, "x", "row 8 of x")])
def test_cells_that_are_wrong_are_named_with_their_row(row: int, path: str, where: str) -> None:
    def told(layout: Layout = LAYOUT, **columns: Any) -> str:
        with pytest.raises(InvalidInput) as caught:
            read_record_batch(records(**columns), layout, None, row, path)
        return str(caught.value)

    assert told(p=[1.0, None, None]) == (
        f"Column 'p' is null in {where}. Remove the case, or fill in its value."
    )
    assert told(r=[1.0, -np.inf, np.nan]) == (
        f"Column 'r' contains -inf in {where}. Scores must be finite numbers: remove the case or "
        "correct its scores."
    )
    assert told(y=["a", None, "b"]) == (
        f"Column 'y' is null in {where}. Remove the row, or give it its true class."
    )
    stray = (
        f"in {where}, which is not among the classes 'a', 'b', 'c'. Correct the label, or name "
        "all classes."
    )
    assert told(y=["a", "z", "x"]) == f"Column 'y' has the label 'z' {stray}"
    coded = pa.array(["b", "z", "a"]).dictionary_encode()
    assert told(y=coded) == f"Column 'y' has the label 'z' {stray}"
    numbers = Layout("y", (1, 2, 3), ("p", "q", "r"))
    assert told(numbers, y=[2, 9, 8]) == (
        f"Column 'y' has the label 9 in {where}, which is not among the classes 1, 2, 3. Correct "
        "the label, or name all classes."
    )


def test_labels_of_any_kind_are_positions_of_classes() -> None:
    repeated = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, 1], pa.int8()), pa.array(["a", "b", "a"])
    )
    assert read_record_batch(records(y=repeated), LAYOUT).codes.tolist() == [0, 0, 1]
    bools = Layout("y", (True, False), ("p", "q"))
    assert read_record_batch(records(y=[False, True, False]), bools).codes.tolist() == [1, 0, 1]
    numbers = Layout("y", (30, 10, 20), ("p", "q", "r"))
    for kind in (pa.int8(), pa.uint32(), pa.float32(), pa.int64()):
        batch = read_record_batch(records(y=pa.array([10, 20, 30]).cast(kind)), numbers)
        assert batch.codes.tolist() == [1, 2, 0], kind
    coded = pa.array([10, 20, 30]).dictionary_encode()
    assert read_record_batch(records(y=coded), numbers).codes.tolist() == [1, 2, 0]


def test_many_classes_need_wider_codes() -> None:
    for n in (255, 256, 300):
        names = tuple(f"c{k}" for k in range(n))
        layout = Layout("y", names, ("p",) * n)
        batch = read_record_batch(records(y=[names[-1], names[0], names[-2]]), layout, [0])
        assert batch.codes.tolist() == [n - 1, 0, n - 2]


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        (pa.int16(), True),
        (pa.bool_(), True),
        (pa.float32(), True),
        (pa.string(), True),
        (pa.string_view(), True),
        (pa.large_string(), True),
        (pa.decimal128(5, 2), True),
        (pa.null(), True),
        (pa.dictionary(pa.int8(), pa.string()), True),
        (pa.dictionary(pa.int8(), pa.date32()), False),
        (pa.date32(), False),
        (pa.binary(), False),
        (pa.list_(pa.int8()), False),
    ],
)
def test_types_of_labels(kind: Any, fits: bool) -> None:
    if fits:
        check_label_type(kind, "y")
        return
    with pytest.raises(InvalidType) as told:
        check_label_type(kind, "y")
    assert str(told.value) == (
        f"Column 'y' has the type {kind}. Class labels are strings, integers or booleans."
    )


def test_dates_are_no_labels() -> None:
    days = pa.array([1, 2, 3], pa.int32()).cast(pa.date32())
    for wrong in (days, days.dictionary_encode()):
        with pytest.raises(InvalidType, match=r"Column 'y' has the type .*date32"):
            read_record_batch(records(y=wrong), LAYOUT)


def test_types_of_scores() -> None:
    for wrong in (["1", "2", "3"], [True, False, True], [Decimal(1), Decimal(2), Decimal(3)]):
        array = pa.array(wrong)
        with pytest.raises(InvalidType) as told:
            read_record_batch(records(q=array), LAYOUT)
        assert str(told.value) == (
            f"Column 'q' has the type {array.type}; expected numbers. Name the columns of scores "
            "in columns=."
        )


def test_summaries_of_record_batches_take_their_position_and_options() -> None:
    found = summarise(records(), LAYOUT, 7, mantissa_bits=5, auc_mu=True)
    assert (found.mantissa_bits, found.auc_mu, found.classes) == (5, True, ("a", "b", "c"))
    p = np.array([[1.0, 4.0, 7.0], [2.0, 5.0, 8.0], [3.0, 6.0, 9.0]])
    batch = read_record_batch(records(), LAYOUT)
    expected = PairSummary(["a", "b", "c"], mantissa_bits=5, auc_mu=True).update_batch(batch, 7)
    assert found.to_bytes() == expected.to_bytes()
    assert (
        summarise(records(), LAYOUT).to_bytes()
        == PairSummary(["a", "b", "c"]).update(["c", "a", "b"], p).to_bytes()
    )


# Files that have changed


def test_stamps_tell_files_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(table(), path)
    stamp = stamp_of(str(path))
    found = path.stat()
    assert (stamp.size, stamp.inode, stamp.modified) == (
        found.st_size, found.st_ino, found.st_mtime_ns,
    )  # fmt: skip
    assert len(stamp.footer) == 64
    check_same(str(path), stamp)
    check_same(str(path), None)
    check_same(str(tmp_path / "nothing"), None)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 10**9))
    with pytest.raises(InvalidInput, match=r"has changed while it was evaluated, so that its pass"):
        check_same(str(path), stamp)
    check_same(str(path), stamp._replace(host="elsewhere"))
    for other in (stamp._replace(size=stamp.size + 1), stamp._replace(footer="0" * 64)):
        with pytest.raises(InvalidInput, match="or a copy of it"):
            check_same(str(path), other._replace(host="elsewhere"))


def test_the_description_at_the_end_is_what_counts(tmp_path: Path) -> None:
    """Its length stands before the last four bytes; bytes before it may differ."""
    path = tmp_path / "x"

    def footer(content: bytes) -> str:
        path.write_bytes(content)
        return stamp_of(str(path)).footer

    end = (5).to_bytes(4, "little") + b"PAR1"
    first = footer(b"data" + b"12345" + end)
    assert footer(b"DATA" + b"12345" + end) == first
    assert footer(b"dat" + b"X" + b"12345" + end) == first
    for other in (b"data" + b"02345" + end, b"data12340" + end, b"data12345" + end[:-1] + b"2"):
        assert footer(other) != first
    assert footer(b"data" + b"12345" + (4).to_bytes(4, "little") + b"PAR1") != first
    assert footer(b"abc") != footer(b"abd") and len(footer(b"")) == 64
    assert footer(b"12" + end) != footer(b"13" + end), "a length beyond the file"


# evaluate_parquet


def small(folder: Path, **more: Any) -> Path:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [9, 12, 19])
    p = np.round(rng.dirichlet(np.ones(3), 40), 1)
    columns = {name: p[:, k] for k, name in enumerate("abc")}
    pq.write_table(pa.table({"y": y, **columns, **more}), folder / "x.parquet", row_group_size=11)
    return folder / "x.parquet"


def test_options_of_files_are_those_of_summaries(tmp_path: Path) -> None:
    weights = 1.0 + np.arange(40) % 3
    path = small(tmp_path, w=weights)
    read = pq.read_table(path)
    y = read["y"].to_numpy(zero_copy_only=False)
    p = np.column_stack([read[name].to_numpy() for name in "abc"])
    for ties in ("fair", "strict", "lenient"):
        found = evaluate_parquet(path, target="y", sample_weight="w", ties=ties, metrics=["aunp"])
        exact = polyroc.pairwise_auc(y, p, sample_weight=weights, ties=ties)
        np.testing.assert_allclose(found.pairwise_low, exact, rtol=1e-12)
        assert list(found) == ["aunp"] and found.columns == ("a", "b", "c")
    assert "auc_mu" not in evaluate_parquet(path, target="y")
    assert "auc_mu" in evaluate_parquet(path, target="y", metrics="all")
    asked = evaluate_parquet(path, target="y", metrics=["auc_mu"])["auc_mu"]
    assert asked.low == pytest.approx(polyroc.auc_mu(y, p))
    coarse = evaluate_parquet(path, target="y", mantissa_bits=1, metrics=["hand_till"])
    assert coarse["hand_till"].width > 0
    exact_value = evaluate_parquet(path, target="y", mantissa_bits=1, exact=True)["hand_till"]
    assert exact_value.width == 0 and exact_value.low == pytest.approx(polyroc.hand_till(y, p))
    skipped = evaluate_parquet(
        path, target="y", classes=["a", "b", "c", "w"], absent="skip", metrics=["hand_till"]
    )
    assert skipped["hand_till"].low == pytest.approx(polyroc.hand_till(y, p))
    assert skipped.counts["w"] == 0


def test_options_that_are_refused(tmp_path: Path) -> None:
    path = small(tmp_path)
    for name in ("exact", "progress"):
        with pytest.raises(InvalidType, match=f"{name} must be True or False"):
            evaluate_parquet(path, target="y", **{name: "yes"})
    with pytest.raises(InvalidInput, match="memory"):
        evaluate_parquet(path, target="y", memory=(1 << 20) - 1)
    with pytest.raises(InvalidInput, match="n_threads"):
        evaluate_parquet(path, target="y", n_threads=0)
    with pytest.raises(InvalidInput, match="mantissa_bits"):
        evaluate_parquet(path, target="y", mantissa_bits=15)
    assert evaluate_parquet(path, target="y", memory=1 << 20).n_cases == 40


def test_memory_is_512_mb_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, ...]] = []

    class Asked(Job):
        def known(self, exact: bool) -> Any:
            given.append((self.memory, self.reader.n_sorters, exact, self.options))
            return super().known(exact)

    monkeypatch.setattr("polyroc.scale._parquet.Job", Asked)
    path = small(tmp_path)
    evaluate_parquet(path, target="y", n_threads=3)
    evaluate_parquet(path, target="y", metrics="all", exact=True, memory=1 << 22, n_threads=2)
    assert given == [
        (512 << 20, 3, False, {"mantissa_bits": 10, "auc_mu": False}),
        (1 << 22, 2, True, {"mantissa_bits": 10, "auc_mu": True}),
    ]


def test_threads_that_sort_fit_into_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path / "x", [table(10)])
    used: list[int] = []

    def mapped(task: Any, items: Any, n_threads: int | None = None) -> list[Any]:
        used.append(n_threads or 0)
        return [task(each) for each in items]

    monkeypatch.setattr("polyroc.scale._parquet.map_threads", mapped)
    parts: list[Part] = [whole(ColumnTrack(k, 3), n, np.ones(3)) for k, n in ((0, 4), (2, 10))]
    need = 2 * 10 * BYTES_TO_SORT
    for memory, n_threads in ((8 * need, 5), (3 * need, 3), (3 * need - 1, 2), (need - 1, 1)):
        reader = _Threads(files, LAYOUT, memory, 5, False)
        found = reader.sort(parts, [0, 2])
        assert used.pop() == n_threads
        assert [each.weights.tolist() for each in found] == [[4.0, 3.0, 3.0]] * 2
    reader = _Threads(files, LAYOUT, 1, 5, False)
    for each, name in ((reader, "n_threads"), (files, "first")):
        with pytest.raises(AttributeError):
            setattr(each, name, 2)
    assert (reader.n_rows, reader.n_sorters, reader.n_machines) == (10, 5, 1)


def test_bars_are_shown_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    class Bar:
        def __init__(self, doing: str, total: int, **options: Any) -> None:
            made.append([doing, total, options, 0])

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *error: Any) -> None:
            pass

        def advance(self, n: int) -> None:
            made[-1][3] += n

    monkeypatch.setattr("polyroc.scale._parquet.ProgressBar", Bar)
    path = small(tmp_path)
    for progress in (False, True):
        made.clear()
        evaluate_parquet(path, target="y", mantissa_bits=1, exact=True, progress=progress)
        options = {"shown": progress, "transient": True}
        assert made == [["Reading", 40, options, 40], ["Sorting", 40, options, 40]]


def test_room_for_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyroc.scale._room.memory_of_machine", lambda: 4000)
    check_room(2, 3000)
    with pytest.raises(InvalidInput, match=r"^The summary of 12,345 classes needs "):
        check_room(12_345, 3001)


def test_files_of_another_schema_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(table(4), path)
    files = find_files(path)
    schema = table(4, s=[1.0] * 4, t=[1.0] * 4).schema
    with pytest.raises(InvalidInput) as told:
        list(pieces(Files(files.files, schema), ["y", "s", "t"]))
    assert str(told.value) == (
        f"{path} has no column 's', 't'; its columns are 'y', 'p', 'q', 'r'. Pass files of one "
        "schema."
    )


def test_files_that_break_off_are_named_with_the_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MOST_ROWS", 2)
    files = written(tmp_path / "x", [table(9)])
    second = files.ranges(3)[1].files[0]
    first, calls = source._with_keys, []

    def broken(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise OSError("the disk is gone")
        return first(*arguments)

    monkeypatch.setattr(source, "_with_keys", broken)
    with pytest.raises(InvalidInput, match=r"cannot be read from row 5 on \(.*the disk is gone"):
        list(pieces(Files((second,), files.schema), ["p"]))
    assert isinstance(second, File)


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "torch.cuda"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra) as told:
        required("torch.cuda", "torch")
    words = str(told.value)
    assert words.startswith("This needs torch, which cannot be imported (")
    assert words.endswith("). Install it with: pip install 'polyroc[torch]'") and ".)" not in words
    assert isinstance(told.value.__cause__, ImportError)
    assert required("json", "x").dumps([1]) == "[1]"
    some = _Extra("json", "x")
    assert some.dumps([1]) == "[1]" and not hasattr(some, "_default_encoder")
    with pytest.raises(AttributeError, match="nothing"):
        _ = some.nothing
