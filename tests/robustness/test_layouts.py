"""The same numbers in any layout, byte order, container or type: the same answer to the bit.

Inputs are only read, so read-only arrays and files mapped into memory serve.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from common.samples import METRICS, class_numbers, sample_for

import polyroc
from polyroc import Predictions, registry
from polyroc.curves import one_vs_one_roc
from polyroc.scale import PairSummary
from polyroc.surface import ScoreModel


class Subclass(np.ndarray):
    """An array of another name."""


def frozen(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def mapped(array: np.ndarray, path: Any, mode: str = "r") -> np.memmap:
    """The array in a file, mapped into memory."""
    array.tofile(path)
    return np.memmap(path, dtype=array.dtype, mode=mode, shape=array.shape)


def odd_address(array: np.ndarray) -> np.ndarray:
    """A copy that does not begin at a multiple of its item size."""
    room = np.empty(array.nbytes + 1, dtype=np.uint8)
    copy = room[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    assert not copy.flags.aligned
    return copy


LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "read-only": frozen,
    "Fortran order": np.asfortranarray,
    "every second column": lambda p: np.repeat(p, 2, axis=1)[:, ::2],
    "every third row": lambda p: np.repeat(p, 3, axis=0)[::3],
    "columns of a wider table": lambda p: np.hstack([p[::-1], p, p])[:, p.shape[1] :][
        :, : p.shape[1]
    ],
    "rows backwards in memory": lambda p: p[::-1].copy()[::-1],
    "columns backwards in memory": lambda p: p[:, ::-1].copy()[:, ::-1],
    "transposed": lambda p: p.T.copy().T,
    "big-endian": lambda p: p.astype(p.dtype.newbyteorder(">")),
    "little-endian": lambda p: p.astype(p.dtype.newbyteorder("<")),
    "odd address": odd_address,
    "field of records": lambda p: np.rec.fromarrays([p], names=["p"])["p"],
    "subclass": lambda p: p.view(Subclass),
    "masked array, nothing masked": np.ma.array,
    "objects": lambda p: p.astype(object),
    "lists": lambda p: p.tolist(),
    "tuples of scalars": lambda p: tuple(tuple(np.float64(x) for x in row) for row in p),
    "Python buffers": lambda p: memoryview(np.ascontiguousarray(p)),
    "Fractions": lambda p: [[Fraction(float(x)) for x in row] for row in p],
    "Decimals": lambda p: [[Decimal(float(x)) for x in row] for row in p],
    "long double": lambda p: p.astype(np.longdouble),
    "pandas": pd.DataFrame,
    "pandas, nullable": lambda p: pd.DataFrame(p).astype("Float64"),
    "pandas, Arrow": lambda p: pd.DataFrame(p).astype("double[pyarrow]"),
    "pandas, objects": lambda p: pd.DataFrame(p, dtype=object),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_in_any_layout(layout):
    """Every metric and its influence values, on two to four classes."""
    for metric in METRICS:
        K = class_numbers(metric)[-1]
        sample = sample_for(metric, K, 2, weighted=True)
        plain, moved = sample.predictions(), sample.with_scores(LAYOUTS[layout](sample.p))
        assert moved.predictions().scores.tobytes() == plain.scores.tobytes()
        assert moved.value(metric) == metric.of(plain)
        expected = metric.influence(plain).cases
        assert metric.influence(moved.predictions()).cases.tobytes() == expected.tobytes()


@pytest.mark.parametrize("layout", ["Fortran order", "every second column", "pandas"])
def test_sums_along_rows_of_many_classes(layout):
    """NumPy adds eight and more numbers of a row in another order than a column at a time."""
    rng = np.random.default_rng(1)
    y, p = np.arange(36) % 12, rng.random((36, 12))
    moved = LAYOUTS[layout](p)
    plain, same = (Predictions(y, each, normalize=True) for each in (p, moved))
    np.testing.assert_array_equal(same.scores, plain.scores)
    for name in ("simplex_volume", "total_length", "hand_till_probabilistic", "hand_till_scored"):
        one, other = (
            polyroc.evaluate(Predictions(y, each, normalize=True), metrics=[name]).to_dict()
            for each in (p, moved)
        )
        assert one == other
    drawn = [polyroc.wvus(y, each, normalize=True, n_tuples=200, rng=1) for each in (p, moved)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "layout",
    [name for name in LAYOUTS if name.split(",")[0] not in ("pandas", "Python buffers")],
)
def test_precision_survives_the_layout(layout, dtype):
    """float16 becomes float32, which holds it; nothing else changes."""
    rng = np.random.default_rng(1)
    p = rng.normal(size=(24, 3)).astype(dtype)
    y = np.arange(24) % 3
    expected = polyroc.hand_till(y, p)
    assert polyroc.hand_till(y, LAYOUTS[layout](p)) == expected
    assert polyroc.hand_till(y, p.astype(np.float64)) == expected


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_numbers_that_every_precision_holds(dtype):
    """Multiples of 1/16: the same answer from two, four or eight bytes."""
    for metric in METRICS:
        sample = sample_for(metric, class_numbers(metric)[-1], 2, weighted=True)
        found = sample.with_scores(sample.p.astype(dtype)).value(metric)
        assert found == pytest.approx(sample.value(metric), rel=0, abs=1e-15)


LAYOUTS_OF_LABELS: dict[str, Callable[[np.ndarray], Any]] = {
    "read-only": frozen,
    "strided": lambda y: np.repeat(y, 2)[::2],
    "backwards": lambda y: y[::-1].copy()[::-1],
    "big-endian": lambda y: y.astype(">i8"),
    "bytes": lambda y: y.astype(np.int8),
    "unsigned": lambda y: y.astype(np.uint16),
    "floats": lambda y: y.astype(np.float32),
    "objects": lambda y: y.astype(object),
    "list": lambda y: y.tolist(),
    "pandas": pd.Series,
    "Arrow": lambda y: pd.Series(y).astype("int64[pyarrow]"),
    "nullable": lambda y: pd.Series(y).astype("Int32"),
}


@pytest.mark.parametrize("layout", LAYOUTS_OF_LABELS)
def test_labels_and_weights_in_any_layout(layout):
    change = LAYOUTS_OF_LABELS[layout]
    for metric in METRICS:
        sample = sample_for(metric, class_numbers(metric)[-1], 3)
        w = np.arange(len(sample.y)) % 4 + 1
        expected = metric.function(sample.y, sample.p, sample_weight=w)
        assert metric.function(change(sample.y), sample.p, sample_weight=change(w)) == expected


@pytest.mark.parametrize("mode", ["r", "c"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, ">f8"])
def test_files_mapped_into_memory(tmp_path, mode, dtype):
    for metric in METRICS:
        K = class_numbers(metric)[-1]
        sample = sample_for(metric, K, 1, weighted=True)
        arrays = (sample.y, sample.p.astype(dtype), sample.w)
        files = [mapped(array, tmp_path / f"{i}.bin", mode) for i, array in enumerate(arrays)]
        found = metric.function(files[0], files[1], sample_weight=files[2])
        assert found == metric.function(arrays[0], arrays[1], sample_weight=arrays[2])
        assert all(
            (tmp_path / f"{i}.bin").read_bytes() == a.tobytes() for i, a in enumerate(arrays)
        )


def test_a_mapped_npy_file(tmp_path):
    rng = np.random.default_rng(1)
    y, p = np.arange(300) % 3, rng.dirichlet(np.ones(3), 300)
    np.save(tmp_path / "p.npy", p)
    lazily = np.load(tmp_path / "p.npy", mmap_mode="r")
    unread = Predictions.borrowed(y, lazily).scores
    assert np.shares_memory(unread, lazily)  # not read before it is needed
    one, other = (polyroc.evaluate(y, each).to_dict() for each in (p, lazily))
    assert one == other


OTHERS = [name for name in LAYOUTS if name != "tuples of scalars"]


@pytest.mark.parametrize(
    "layout",
    [pytest.param(name, marks=[pytest.mark.slow] * (i % 4 > 0)) for i, name in enumerate(OTHERS)],
)
def test_what_else_reads_scores(layout):
    """Intervals, comparisons, curves, summaries and the model of a surface."""
    sample = sample_for(registry["vus"], 3, 1, n=30)
    y, p, moved = sample.y, sample.p, LAYOUTS[layout](sample.p)
    options = {"interval": polyroc.Bootstrap(10, 1)}
    for kind in ({}, options):
        one, other = (polyroc.evaluate(y, each, **kind).to_dict() for each in (p, moved))
        assert one == other
    one, other = (polyroc.compare(y, {"a": each, "b": p[::-1]}).to_dict() for each in (p, moved))
    assert one == other
    assert one_vs_one_roc(y, moved).frame().equals(one_vs_one_roc(y, p).frame())
    plain, same = (PairSummary([0, 1, 2], auc_mu=True).update(y, each) for each in (p, moved))
    assert plain.to_bytes() == same.to_bytes()
    np.testing.assert_array_equal(
        ScoreModel(y, moved).probabilities(np.zeros(0)), ScoreModel(y, p).probabilities(np.zeros(0))
    )


WHOLE = {
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "float16": np.float16,
    "float32": np.float32,
}


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_scores_of_any_type(kind):
    rng = np.random.default_rng(1)
    for metric in [each for each in METRICS if not each.needs_probabilities]:
        K = class_numbers(metric, 3)[-1]
        y, p = np.arange(12) % K, rng.integers(0, 100, (12, K))
        assert metric.function(y, p.astype(WHOLE[kind])) == metric.function(y, p.astype(float))


def test_boolean_scores_are_0_and_1():
    for metric in METRICS:
        K = class_numbers(metric)[-1]
        y = sample_for(metric, K, 1).y
        decided = np.eye(K, dtype=bool)[np.roll(y, 1)]
        assert metric.function(y, decided) == metric.function(y, decided.astype(float))


SEVERAL = 2**53


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (np.array([SEVERAL, SEVERAL + 1]), "an integer"),
        (np.array([SEVERAL, SEVERAL + 1], dtype=np.uint64), "an unsigned integer"),
        ([Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)], "a fraction"),
        ([Decimal(1) / 3, Decimal(1) / 3 + Decimal("1e-27")], "a decimal number"),
        ([10**30, 10**30 + 1], "a Python integer"),
        (np.longdouble([1, 3]) / np.longdouble([3, 9]), "a long double"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_numbers_wider_than_float64_are_rounded_to_the_nearest(scores, why):
    """One rule: the answer is that of float(score), so no order is reversed, but some are ties."""
    assert polyroc.roc_auc([0, 1], scores) == 0.5
    assert polyroc.roc_auc([0, 1], [float(score) for score in scores]) == 0.5


@pytest.mark.skipif(
    np.finfo(np.longdouble).nmant <= 52, reason="long double is float64 on this platform"
)
def test_long_doubles_that_float64_cannot_tell_apart_are_tied():
    one = np.longdouble(1)
    above = np.nextafter(one, np.longdouble(2))
    assert above > one
    assert polyroc.roc_auc([0, 1], np.array([one, above])) == 0.5
    assert polyroc.roc_auc([0, 1], np.array([one, 1 + np.longdouble(2) ** -52])) == 1
