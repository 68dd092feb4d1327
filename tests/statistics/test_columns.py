"""Ranks of cases among the positives of a column: all routes against counting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyroc.predictions import Predictions
from polyroc.predictions import _columns as columns
from polyroc.predictions._columns import (
    FEW_POSITIVES,
    Column,
    _Buckets,
    _in_float_order,
    _pack,
    in_ascending_order,
    sorted_scores,
)
from polyroc.statistics.pairs import SHORT_COLUMN, column_threads

ROUTES = ("look-up", "search", "sort", "packed")
SCORES = st.sampled_from([-2.5, -1.0, -0.0, 0.0, 5e-324, 0.25, 0.5, np.nextafter(0.5, 1), 1.0, 3.0])


@st.composite
def samples(draw, n_classes=3):
    """A column in which class 1, the positives, has a case."""
    n = draw(st.integers(1, 25))
    scores = np.array(draw(st.lists(SCORES, min_size=n, max_size=n)))
    listed = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    codes = np.array(listed, dtype=np.uint8)
    codes[draw(st.integers(0, n - 1))] = 1
    return scores.astype(draw(st.sampled_from([np.float32, np.float64]))), codes


def ranks_by(route, column):
    if route == "packed":
        packed = _pack(column.scores, column.codes)
        return None if packed is None else list(column._by_packing(packed))
    return list(column._by_sorting() if route == "sort" else column._by_lookup())


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("block", [1, 2, 5, 1 << 16])
@given(sample=samples())
@settings(max_examples=40)
def test_ranks_by_counting(route, block, sample):
    scores, codes = sample
    positives = scores[codes == 1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_BLOCK", block)
        patch.setattr(columns, "SHORT_COLUMN", 1 << 12 if route == "search" else 0)
        blocks = ranks_by(route, Column(scores, codes, 1))
    if blocks is None:  # the scores span too many powers of two to be packed
        return
    rows = [
        (code, score, left, right)
        for ranks in blocks
        for code, score, left, right in zip(*ranks[1:], strict=True)
    ]
    expected = [
        (code, score, (positives < score).sum(), (positives <= score).sum())
        for code, score in zip(codes, scores, strict=True)
    ]
    assert sorted(rows) == sorted(expected)
    if route != "packed":
        cases = np.concatenate([np.arange(len(scores))[ranks.cases] for ranks in blocks])
        assert sorted(cases) == list(range(len(scores)))
        assert [scores[case] for case in cases] == [row[1] for row in rows]


@pytest.mark.parametrize("few", [0, FEW_POSITIVES], ids=["sort", "look-up"])
@pytest.mark.parametrize("block", [2, 1 << 16])
@given(sample=samples(), seed=st.integers(0, 99), weighted=st.booleans())
@settings(max_examples=40)
def test_sums_below_by_counting(few, block, sample, seed, weighted):
    scores, codes = sample
    generator = np.random.default_rng(seed)
    weights = generator.integers(1, 9, len(scores)) / 4 if weighted else None
    values = generator.integers(-8, 9, len(scores)) / 4
    column = Column(scores, codes, 1, weights)
    classes, credit = [slice(0, 3), slice(0, 2), slice(1, 3)][seed % 3], [0.0, 0.5, 1.0][seed % 3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "FEW_POSITIVES", few)
        patch.setattr(columns, "_BLOCK", block)
        below, upto = column.summed_below(values), column.summed_below(values, tied=True)
        table = column.class_weights_below(classes, credit)
    counted = np.ones(len(scores)) if weights is None else weights
    for place, case in enumerate(column.members):
        lower, level = scores < scores[case], scores == scores[case]
        assert below[place] == pytest.approx(values[lower].sum(), abs=1e-9)
        assert upto[place] == pytest.approx(values[lower | level].sum(), abs=1e-9)
        for at, r in enumerate(range(classes.start, classes.stop)):
            expected = counted[lower & (codes == r)].sum()
            expected += credit * counted[level & (codes == r)].sum()
            assert table[place, at] == pytest.approx(expected, abs=1e-9)


CLOSE = np.nextafter(0.5, 1) - 0.5
"""The least difference of scores from 0.5 on."""


@given(
    scores=st.lists(
        st.one_of(
            SCORES, st.floats(-1e300, 1e300), st.integers(0, 40).map(lambda i: 0.5 + i * CLOSE)
        ),
        min_size=1,
        max_size=40,
    ),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_the_order_of_scores_is_ascending_and_stable(scores, dtype):
    """Also where scores differ only in bits that do not fit into a key."""
    with np.errstate(over="ignore"):
        scores = np.array(scores).astype(dtype)
    scores = scores[np.isfinite(scores)]
    if len(scores):
        order, ascending = in_ascending_order(scores)
        np.testing.assert_array_equal(order, np.argsort(scores, kind="stable"))
        assert ascending.dtype == dtype
        np.testing.assert_array_equal(ascending, np.sort(scores))
        np.testing.assert_array_equal(sorted_scores(scores), ascending)


def test_members_are_the_positives_in_order():
    scores, codes = np.array([0.4, 0.1, 0.9, 0.2, 0.3]), np.array([1, 0, 1, 1, 0])
    for looked_at in (False, True):
        column = Column(scores, codes, 1)
        if looked_at:
            assert column.order.tolist() == [1, 3, 4, 0, 2]
        assert column.members.tolist() == [3, 0, 2]
        assert column.weight == column.n_positives == 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_positives", [1, 30, 1000])
def test_few_cases_need_a_search(dtype, n_positives):
    """Most cases have their rank from the table: their bucket holds no positive."""
    scores = np.random.default_rng(1).random(20_000).astype(dtype)
    ordered = _in_float_order(scores)
    below, near = _Buckets.of(ordered, ordered[:n_positives]).look_up(ordered)
    assert np.isin(np.arange(n_positives), near).all()
    assert len(near) < 0.2 * len(scores)
    far = np.setdiff1d(np.arange(len(scores)), near)
    positives = np.sort(scores[:n_positives])
    np.testing.assert_array_equal(below[far], np.searchsorted(positives, scores[far]))


def test_ranks_of_a_kept_column_are_found_once():
    """For the values and influence values of all metrics, where predictions keep their columns."""
    rng, found = np.random.default_rng(0), []
    for length, kept in ((50, True), (50, False), (columns.MOST_KEPT_RANKS + 1, True)):
        column = Column(rng.random(length), np.arange(length) % 3, 1, kept=kept)
        first = next(column.ranks())
        with column.remembered_ranks():
            inside = next(column.ranks())
            again = next(column.ranks())
        found.append((inside is first, inside is again, next(column.ranks()) is first))
    assert found == [(True, True, True), (False, True, False), (False, True, False)]


def test_scores_are_packed_where_they_fit():
    probabilities = np.random.default_rng(2).uniform(0.01, 1, 500)
    codes = np.arange(500, dtype=np.uint16) % 7
    assert _pack(probabilities, codes).keys.dtype == np.uint64
    assert _pack(probabilities.astype(np.float32), codes).keys.dtype == np.uint32
    assert _pack(np.append(probabilities, 1e-300), np.append(codes, codes[:1])) is None


@pytest.mark.parametrize(("length", "threads"), [(SHORT_COLUMN - 1, 1), (SHORT_COLUMN, 3)])
def test_short_columns_are_not_worth_a_thread(length, threads):
    y = np.arange(length) % 2
    assert column_threads(Predictions(y, np.linspace(0, 1, length), n_threads=3)) == threads


def test_scores_alike_in_their_leading_bits_are_put_in_order():
    """With 2¹⁶ cases the keys hold 48 bits: neighbours of 1 differ in the last ones only."""
    rng = np.random.default_rng(8)
    scores = rng.normal(size=1 << 16)
    near = rng.integers(0, len(scores), 500)
    scores[near] = 1 + rng.integers(0, 9, 500) * np.spacing(1.0)
    order, ascending = in_ascending_order(scores)
    np.testing.assert_array_equal(order, np.argsort(scores, kind="stable"))
    np.testing.assert_array_equal(ascending, np.sort(scores))
