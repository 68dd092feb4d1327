"""Files give the bounds of a summary, and exact values where asked, whatever their layout."""

from __future__ import annotations

import io
import os
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
from polyroc.scale import _stamps as stamps

NAMES = np.array(["ant", "bee", "cat"])


def scores(n: int = 3000, n_classes: int = 3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    raw = rng.normal(size=(n, n_classes))
    raw[np.arange(n), y] += 1
    p = np.exp(raw)
    return y, p / p.sum(axis=1, keepdims=True)


def table(y: Any, p: np.ndarray, names: Any, **more: Any) -> pa.Table:
    columns = {str(name): p[:, k] for k, name in enumerate(names)}
    return pa.table({"y": y, **columns, **more})


def same_bounds(result: Any, summary: PairSummary) -> bool:
    low, high = summary.pairwise_auc()
    return bool(
        result.pairwise_low.tobytes() == low.tobytes()
        and result.pairwise_high.tobytes() == high.tobytes()
    )


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_row_groups_files_and_threads_do_not_matter(tmp_path: Path, n_threads: int) -> None:
    y, p = scores()
    whole = table(NAMES[y], p, NAMES)
    for number, start in enumerate(range(0, 3000, 1100)):
        part = whole.slice(start, 1100)
        pq.write_table(part, tmp_path / f"{number}.parquet", row_group_size=150)
    summary = PairSummary(NAMES).update(NAMES[y], p)
    files = sorted(tmp_path.glob("*.parquet"))
    for path in (tmp_path, f"{tmp_path}/*.parquet", files, [str(each) for each in files[::-1]]):
        result = evaluate_parquet(path, target="y", n_threads=n_threads)
        assert same_bounds(result, summary)
        assert result.counts == dict(zip(NAMES, np.bincount(y), strict=True))
        in_memory = polyroc.evaluate(NAMES[y], p, "hand_till", labels=NAMES)["hand_till"]
        assert result["hand_till"].low <= in_memory.value <= result["hand_till"].high
        assert result["hand_till"].standard_error == pytest.approx(in_memory.standard_error)


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: pa.array(NAMES[y]),
        lambda y: pa.array(NAMES[y]).dictionary_encode(),
        lambda y: pa.array(NAMES[y].tolist(), pa.large_string()),
    ],
    ids=["strings", "dictionary", "large strings"],
)
def test_kinds_of_text_labels(tmp_path: Path, labels: Any) -> None:
    y, p = scores()
    pq.write_table(table(labels(y), p, NAMES), tmp_path / "a.parquet", row_group_size=700)
    result = evaluate_parquet(tmp_path / "a.parquet", target="y")
    assert same_bounds(result, PairSummary(NAMES).update(NAMES[y], p))


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint16(), pa.float64()])
@pytest.mark.parametrize("beginning", ["", "p_", "score "])
def test_numbers_as_labels(tmp_path: Path, kind: Any, beginning: str) -> None:
    y, p = scores()
    names = [f"{beginning}{k}" for k in (7, 8, 9)]
    more = {"feature 7": p[:, 0]} if beginning else {}
    pq.write_table(table(pa.array(y + 7).cast(kind), p, names, **more), tmp_path / "a.parquet")
    columns = names if more else None
    result = evaluate_parquet(tmp_path / "a.parquet", target="y", columns=columns)
    assert same_bounds(result, PairSummary([7, 8, 9]).update(y + 7, p))


def test_booleans_and_one_column(tmp_path: Path) -> None:
    y, p = scores(n_classes=2)
    pq.write_table(pa.table({"y": y == 1, "s": p[:, 1]}), tmp_path / "a.parquet")
    for exact in (False, True):
        result = evaluate_parquet(tmp_path / "a.parquet", target="y", columns=["s"], exact=exact)
        value = polyroc.roc_auc(y == 1, p[:, 1])
        assert result["roc_auc"].low <= value <= result["roc_auc"].high
    assert result["roc_auc"].low == value == result["roc_auc"].high


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.int32()])
def test_kinds_of_scores(tmp_path: Path, kind: Any) -> None:
    y, p = scores()
    given = np.round(100 * p) if kind == pa.int32() else p
    columns = {name: pa.array(given[:, k].astype(kind.to_pandas_dtype())) for k, name in
               enumerate(NAMES)}  # fmt: skip
    pq.write_table(pa.table({"y": NAMES[y], **columns}), tmp_path / "a.parquet")
    result = evaluate_parquet(tmp_path / "a.parquet", target="y")
    stored = given.astype(kind.to_pandas_dtype())
    assert same_bounds(result, PairSummary(NAMES).update(NAMES[y], stored))


def test_folders_that_stand_for_a_column(tmp_path: Path) -> None:
    y, p = scores()
    pq.write_to_dataset(table(NAMES[y], p, NAMES), tmp_path, partition_cols=["y"])
    result = evaluate_parquet(tmp_path, target="y")
    assert same_bounds(result, PairSummary(NAMES).update(NAMES[y], p))


def test_classes_and_columns_as_given(tmp_path: Path) -> None:
    y, p = scores()
    path = tmp_path / "a.parquet"
    pq.write_table(table(NAMES[y], p, ["x", "y z", "<b>"]), path)
    columns = ["x", "y z", "<b>"]
    summary = PairSummary(NAMES).update(NAMES[y], p)
    given = dict(zip(NAMES.tolist(), columns, strict=True))
    assert same_bounds(evaluate_parquet(path, target="y", columns=given), summary)
    assert same_bounds(evaluate_parquet(path, target="y", columns=columns, classes=NAMES), summary)
    with pytest.raises(InvalidInput, match="classes="):
        evaluate_parquet(path, target="y", columns=columns)
    with pytest.raises(InvalidInput, match="No columns are named after"):
        evaluate_parquet(path, target="y")
    with pytest.raises(InvalidInput, match="Leave classes= out"):
        evaluate_parquet(path, target="y", columns=given, classes=NAMES)
    with pytest.raises(InvalidInput, match="names 2 columns for the 3 classes"):
        evaluate_parquet(path, target="y", columns=columns[:2], classes=NAMES)


@pytest.mark.parametrize("scale", [1, 6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_exact_values_in_many_parts(
    tmp_path: Path, scale: float, weighted: bool, kind: Any
) -> None:
    y, p = scores(20_000, 4)
    p = (p**scale / (p**scale).sum(axis=1, keepdims=True)).astype(kind)
    p[::3] = np.round(p[::3], 2)
    w = np.random.default_rng(1).integers(1, 4, len(y)) / 2 if weighted else None
    more = {} if w is None else {"w": w}
    pq.write_table(table(y, p, range(4), **more), tmp_path / "a.parquet", row_group_size=7000)
    result = evaluate_parquet(
        tmp_path / "a.parquet",
        target="y",
        sample_weight="w" if weighted else None,
        metrics="all",
        exact=True,
        mantissa_bits=3,
        memory=1 << 20,
        n_threads=2,
    )
    exact = polyroc.pairwise_auc(y, p, sample_weight=w)
    pairs = ~np.eye(4, dtype=bool)
    assert (result.pairwise_low == result.pairwise_high)[pairs].all()
    assert (result.pairwise_low == exact)[pairs].all()
    for name in ("hand_till", "au1p", "aunu", "aunp", "auc_mu"):
        value = polyroc.registry[name].function(y, p, sample_weight=w)
        assert result[name].width == 0
        assert result[name].low == pytest.approx(value, abs=1e-15)


def test_parts_of_open_bins_divide_a_column(tmp_path: Path) -> None:
    from polyroc.scale._batch import Chunk, ColumnTrack
    from polyroc.scale._exact import PartCollector, open_parts, passes
    from polyroc.scale._histogram import Histogram

    y, p = scores(5000, 3)
    track, histogram = ColumnTrack(0, 3), Histogram(3, 4)
    histogram.add(p[:, 0], y.astype(np.uint8))
    parts = open_parts(track, histogram, 1.0, 600)
    assert len(parts) > 5 and max(part.n_cases for part in parts) < 1200
    assert sum(map(len, passes(parts, 20_000))) == len(parts)
    collector = PartCollector(parts)
    for task in collector.tasks(Chunk(y.astype(np.uint8), [p[:, 0], p[:, 1], p[:, 2]], None), 0):
        task()
    for part, cases in zip(parts, collector.cases, strict=True):
        assert sum(map(len, cases._values)) == part.n_cases


def test_many_classes_go_by_columns(tmp_path: Path) -> None:
    y, p = scores(4000, 60)
    pq.write_table(table(y, p, range(60)), tmp_path / "a.parquet")
    exact = polyroc.pairwise_auc(y, p)
    sorted_whole = evaluate_parquet(tmp_path / "a.parquet", target="y", memory=64 << 20)
    assert np.nanmax(np.abs(sorted_whole.pairwise_low - exact)) == 0
    assert sorted_whole["hand_till"].width == 0


def test_blocks_of_histograms(tmp_path: Path) -> None:
    y, p = scores(30_000, 12)
    pq.write_table(table(y, p, range(12)), tmp_path / "a.parquet")
    options: dict[str, Any] = {"target": "y", "mantissa_bits": 3, "memory": 1 << 20}
    low, high = PairSummary(range(12), mantissa_bits=3).update(y, p).pairwise_auc()
    result = evaluate_parquet(tmp_path / "a.parquet", **options)
    assert result.pairwise_low.tobytes() == low.tobytes()
    assert result.pairwise_high.tobytes() == high.tobytes()
    exact = evaluate_parquet(tmp_path / "a.parquet", exact=True, **options)
    assert np.nanmax(np.abs(exact.pairwise_low - polyroc.pairwise_auc(y, p))) == 0
    assert exact["hand_till"].width == 0


@pytest.mark.parametrize("n_classes", [3, 40])
def test_cases_of_weight_zero_are_not_there(tmp_path: Path, n_classes: int) -> None:
    """Also in passes over some columns: for exact values, and for columns in turn."""
    y, p = scores(3000, n_classes)
    weights = np.random.default_rng(1).integers(0, 3, 3000).astype(float)
    columns = [f"p{k}" for k in range(n_classes)]
    options: dict[str, Any] = {"target": "y", "classes": range(n_classes), "columns": columns}
    options |= {"sample_weight": "w", "metrics": "all" if n_classes < 9 else None}
    for name, some in (("all", slice(None)), ("some", np.flatnonzero(weights))):
        part = table(y[some], p[some], columns, w=weights[some])
        pq.write_table(part, tmp_path / f"{name}.parquet", row_group_size=700)
    for more in ({}, {"exact": True}, {"memory": 1 << 20, "exact": True}):
        found, expected = (
            evaluate_parquet(tmp_path / f"{name}.parquet", **options, **more)
            for name in ("all", "some")
        )
        for one, other in zip(found.metrics, expected.metrics, strict=True):
            assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
    value = polyroc.hand_till(y, p, labels=range(n_classes), sample_weight=weights)
    assert found["hand_till"].low == pytest.approx(value, abs=1e-9)


# Files that change between passes


def replaced(path: Path, y: Any, p: np.ndarray, how: str) -> None:
    """Another file under the same name, as like the first as can be."""
    before, other = path.stat(), path.with_name("other")
    pq.write_table(table(y, p, NAMES), other)
    if how == "gone":
        path.unlink()
    elif how == "in its place":
        other.replace(path)
    else:
        path.write_bytes(other.read_bytes())
        if how == "with the same date":
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("how", ["in its place", "in the same file", "with the same date", "gone"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_file_that_is_replaced_between_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, at: int
) -> None:
    """Before the pass over labels, the one over all columns, and the one that sorts."""
    y, p = scores()
    path, opened = tmp_path / "scores.parquet", []
    pq.write_table(table(NAMES[y], p, NAMES), path)
    first = pq.ParquetFile.__init__

    def open_file(*arguments: Any, **options: Any) -> None:
        first(*arguments, **options)
        opened.append(path)

    batches = source._batches

    def read(*arguments: Any) -> Any:
        if len(opened) == at - 1:
            replaced(path, NAMES[y], 1 - p, how)
        return batches(*arguments)

    monkeypatch.setattr(pq.ParquetFile, "__init__", open_file)
    monkeypatch.setattr(source, "_batches", read)
    reason = "cannot be read" if how == "gone" else "has changed while it was evaluated"
    with pytest.raises(InvalidInput, match=reason):
        evaluate_parquet(path, target="y", exact=True)
    assert len(opened) == at - 1


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, p = scores()
    path = tmp_path / "scores.parquet"
    pq.write_table(table(NAMES[y], p, NAMES), path)
    first = source._with_keys

    def read(*arguments: Any) -> Any:
        replaced(path, NAMES[y], 1 - p, "in its place")
        return first(*arguments)

    monkeypatch.setattr(source, "_with_keys", read)
    with pytest.raises(InvalidInput, match="has changed while it was evaluated"):
        evaluate_parquet(path, target="y", classes=NAMES)


def test_copies_on_other_machines_are_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        pq.write_table(table([0, 1], np.eye(2), [0, 1]), tmp_path / name)
    stamp = stamps.stamp_of(str(tmp_path / "one"))
    with pytest.raises(InvalidInput, match="has changed"):
        stamps.check_same(str(tmp_path / "two"), stamp)
    stamps.check_same(str(tmp_path / "two"), stamp._replace(host="another"))
    (tmp_path / "two").write_bytes(b"short")
    with pytest.raises(InvalidInput, match="has changed"):
        stamps.check_same(str(tmp_path / "two"), stamp._replace(host="another"))


def test_record_batches_summarised_apart_merge_to_the_whole() -> None:
    y, p = scores()
    layout = Layout("y", tuple(NAMES.tolist()), tuple(NAMES.tolist()))
    whole = table(NAMES[y], p, NAMES)
    first, *others = (summarise(each, layout) for each in whole.to_batches(max_chunksize=800))
    for other in others:
        first.merge(other)
    low, high = PairSummary(NAMES).update(NAMES[y], p).pairwise_auc()
    assert first.pairwise_auc()[0].tobytes() == low.tobytes()
    assert first.pairwise_auc()[1].tobytes() == high.tobytes()


def write(tmp_path: Path, **columns: Any) -> Path:
    """A small file of two classes with some columns changed."""
    base: dict[str, Any] = {"y": ["a", "b", "a"], "a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]}
    pq.write_table(pa.table({**base, **columns}), tmp_path / "small.parquet")
    return tmp_path / "small.parquet"


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"y": ["a", None, "b"]}, {}, "'y' is null in row 1 of .*small.parquet"),
        ({"y": ["a", None, "b"]}, {"classes": ["a", "b"]}, "'y' is null in row 1 of"),
        ({"a": [0.1, 0.2, None]}, {}, "'a' is null in row 2 of"),
        ({"b": [0.1, np.nan, 0.2]}, {}, "'b' contains nan in row 1 of"),
        ({"b": [0.1, np.inf, 0.2]}, {}, "'b' contains inf in row 1 of"),
        ({}, {"target": "z"}, "no column 'z'"),
        ({}, {"columns": ["a", "z"]}, "no column 'z'"),
        ({}, {"sample_weight": "z"}, "no column 'z'"),
        ({"w": [1.0, -1.0, 1.0]}, {"sample_weight": "w"}, "'w' .*-1.0 in row 1"),
        ({}, {"classes": ["a", "c"]}, "There is no column of scores for 'c', but 'a' for 'a'"),
        ({"c": [0.0, 0.0, 0.0]}, {"classes": ["a", "c"]}, "label 'b' in row 1"),
        ({"c": [0.0, 0.0, 0.0]}, {"classes": ["a", "b", "c"]}, "'c' has no cases"),
        ({"y": ["a", "a", "a"]}, {}, "at least two classes"),
        ({"y": [1, 1, 2], "1": [0.1] * 3, "2": [0.2] * 3}, {"classes": [1, 3],
          "columns": ["1", "2"]}, "label 2 in row 2"),
        ({"y": [1.5, 1.0, 2.0]}, {}, "not a whole number"),
    ],
)  # fmt: skip
def test_wrong_contents(
    tmp_path: Path, columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        evaluate_parquet(write(tmp_path, **columns), **{"target": "y", **options})


def test_wrong_types(tmp_path: Path) -> None:
    path = write(tmp_path, a=["x", "y", "z"])
    with pytest.raises(InvalidType, match="'a' has the type"):
        evaluate_parquet(path, target="y")
    for wrong in (7, [3], None):
        with pytest.raises(InvalidType, match="path must be"):
            evaluate_parquet(wrong, target="y")  # type: ignore[arg-type]
    with pytest.raises(InvalidType, match="columns must be"):
        evaluate_parquet(path, target="y", columns="a")
    with pytest.raises(InvalidType, match="named by strings"):
        evaluate_parquet(path, target=0)  # type: ignore[arg-type]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no file or folder"):
        evaluate_parquet(tmp_path / "none.parquet", target="y")
    with pytest.raises(InvalidInput, match="no file or folder"):
        evaluate_parquet(f"{tmp_path}/*.parquet", target="y")
    with pytest.raises(InvalidInput, match="no Parquet files"):
        evaluate_parquet(tmp_path, target="y")
    with pytest.raises(InvalidInput, match="list of paths is empty"):
        evaluate_parquet([], target="y")
    (tmp_path / "text.parquet").write_text("y,a,b\n")
    with pytest.raises(InvalidInput, match="Pass Parquet files"):
        evaluate_parquet(tmp_path / "text.parquet", target="y")
    whole = write(tmp_path).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidInput, match="Pass Parquet files"):
        evaluate_parquet(tmp_path / "cut.parquet", target="y")
    pq.write_table(pa.table({"y": ["a"], "b": [0.5]}), tmp_path / "other.parquet")
    with pytest.raises(InvalidInput, match=r"other\.parquet has no column 'a'"):
        evaluate_parquet([tmp_path / "small.parquet", tmp_path / "other.parquet"], target="y")
    pq.write_table(pa.table({"y": pa.array([], pa.string())}), tmp_path / "empty.parquet")
    with pytest.raises(InvalidInput, match="no rows"):
        evaluate_parquet(tmp_path / "empty.parquet", target="y")


def test_damaged_pages_are_reported(tmp_path: Path) -> None:
    y, p = scores(20_000)
    path = tmp_path / "a.parquet"
    pq.write_table(table(y, p, range(3)), path, compression="snappy", use_dictionary=False)
    data = bytearray(path.read_bytes())
    start = pq.ParquetFile(io.BytesIO(bytes(data))).metadata.row_group(0).column(1).data_page_offset
    data[start : start + 40] = b"\xff" * 40
    path.write_bytes(bytes(data))
    with pytest.raises(InvalidInput, match="cannot be read from row 0 on"):
        evaluate_parquet(path, target="y", classes=range(3))


def test_no_bar_where_there_is_no_terminal(tmp_path: Path, capsys: Any) -> None:
    y, p = scores(50)
    pq.write_table(table(y, p, range(3)), tmp_path / "a.parquet")
    evaluate_parquet(tmp_path / "a.parquet", target="y", progress=True, exact=True)
    assert capsys.readouterr() == ("", "")
