"""Bounds of a summary hold the value in memory, whatever the scores, their order and their parts.

Twin: AUC as a loop over pairs of cases in fractions.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.metrics import auc, column, fractions, members

import polyroc
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.scale import PairSummary
from polyroc.scale._histogram import Histogram, ordered_codes, placement_variances

POOL = [
    0.0, -0.0, 1.0, 5e-324, 1e-310, 1e-40, 0.5, 0.25, 0.3, 1 / 3, 2.0, -7.5, 1e300, -1e-9,
    np.nextafter(0.3, 1), np.nextafter(0.5, 0), np.nextafter(0.5, 1), np.nextafter(1, 0),
    np.nextafter(1, 2), 1 - 1e-12, 1 - 2e-12,
]  # fmt: skip
TIES = ("fair", "strict", "lenient")


@st.composite
def samples(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Labels, scores with ties and extremes, weights or None; every class has a case."""
    n_classes = draw(st.sampled_from([2, 3, 5]))
    n = draw(st.integers(n_classes, 14))
    y = list(range(n_classes)) + draw(
        st.lists(st.integers(0, n_classes - 1), min_size=n - n_classes, max_size=n - n_classes)
    )
    scores = st.sampled_from(POOL) | st.floats(0, 1) | st.floats(-50, 50)
    p = draw(
        st.lists(st.lists(scores, min_size=n_classes, max_size=n_classes), min_size=n, max_size=n)
    )
    weight = draw(st.sampled_from([None, st.integers(1, 5), st.floats(1e-3, 1e3)]))
    w = None if weight is None else np.array(draw(st.lists(weight, min_size=n, max_size=n)))
    return np.array(y), np.array(p), w


def off_diagonal(matrix: np.ndarray) -> np.ndarray:
    return matrix[~np.eye(len(matrix), dtype=bool)]


def probabilities(n: int, n_classes: int, seed: int, scale: float = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    raw = rng.normal(size=(n, n_classes))
    raw[np.arange(n), y] += 1
    p = np.exp(scale * (raw - raw.max(axis=1, keepdims=True)))
    return y, p / p.sum(axis=1, keepdims=True)


@settings(deadline=None, max_examples=60)
@given(samples(), st.sampled_from(TIES), st.integers(1, 10))
def test_the_twin_lies_in_the_bounds(sample: Any, ties: Any, bits: int) -> None:
    y, p, w = sample
    n_classes = p.shape[1]
    summary = PairSummary(range(n_classes), mantissa_bits=bits).update(y, p, w)
    low, high = summary.pairwise_auc(ties=ties)
    weights = fractions(np.ones(len(y)) if w is None else w)
    for k in range(n_classes):
        for r in range(n_classes):
            if k != r:
                exact = auc(members(y, k), members(y, r), column(p, k), weights, ties)
                assert low[k, r] <= float(exact) <= high[k, r]
    assert np.isnan(np.diag(low)).all() and np.isnan(np.diag(high)).all()


@settings(deadline=None, max_examples=60)
@given(samples(), st.sampled_from(TIES))
def test_metrics_in_memory_lie_in_the_bounds(sample: Any, ties: Any) -> None:
    y, p, w = sample
    p = p / max(1, np.abs(p).max())  # margins of 1e300 are those of one column
    result = PairSummary(range(p.shape[1]), auc_mu=True).update(y, p, w).compute("all", ties=ties)
    low, high = result.pairwise_low, result.pairwise_high
    exact = polyroc.pairwise_auc(y, p, sample_weight=w, ties=ties)
    assert (off_diagonal(low) <= off_diagonal(exact)).all()
    assert (off_diagonal(exact) <= off_diagonal(high)).all()
    for name in ("hand_till", "au1p", "aunu", "aunp", "auc_mu"):
        value = polyroc.registry[name].function(y, p, sample_weight=w, ties=ties)
        assert result[name].low <= value <= result[name].high, name


@settings(deadline=None, max_examples=40)
@given(samples(), st.randoms(use_true_random=False), st.booleans())
def test_parts_in_any_order_give_the_same_bytes(sample: Any, random: Any, compiled: bool) -> None:
    y, p, w = sample
    w = None if w is None else np.rint(w) + 1
    classes = range(p.shape[1])
    at_once = PairSummary(classes, auc_mu=True).update(y, p, w)
    cut = random.randint(0, len(y))
    parts = []
    for part in (slice(0, cut), slice(cut, None)):
        summary = PairSummary(classes, auc_mu=True)
        if compiled:
            summary.expect(1 << 30)
        parts.append(summary.update(y[part], p[part], None if w is None else w[part]))
    random.shuffle(parts)
    merged = parts[0].merge(parts[1])
    for mine, theirs in zip(merged.pairwise_auc(), at_once.pairwise_auc(), strict=True):
        assert mine.tobytes() == theirs.tobytes()
    assert merged.class_means().tobytes() == at_once.class_means().tobytes() or w is not None


def test_updates_in_chunks_equal_one_update_to_the_byte() -> None:
    y, p = probabilities(5000, 4, 0)
    at_once = PairSummary(range(4), auc_mu=True).update(y, p)
    in_chunks = PairSummary(range(4), auc_mu=True).expect(1 << 30)  # compiled, too
    for start in range(0, 5000, 613):
        in_chunks.update(y[start : start + 613], p[start : start + 613])
    assert in_chunks.to_bytes() == at_once.to_bytes()


def test_merging_is_associative_and_commutative_to_the_byte() -> None:
    y, p = probabilities(3000, 3, 1)

    def part(number: int) -> PairSummary:
        return PairSummary(range(3)).update(y[number::3], p[number::3])

    left = part(0).merge(part(1)).merge(part(2)).to_bytes()
    assert part(2).merge(part(0)).merge(part(1)).to_bytes() == left
    assert part(1).merge(part(2).merge(part(0))).to_bytes() == left


def test_large_arrays_and_float32_take_the_compiled_loops() -> None:
    y, p = probabilities(300_000, 3, 2)
    single = p.astype(np.float32)
    plain, fast = PairSummary(range(3)), PairSummary(range(3)).expect(1 << 30)
    for scores in (p, single, np.asfortranarray(p)):
        assert plain.update(y, scores).to_bytes() == fast.update(y, scores).to_bytes()


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("scale", [1, 4])
def test_float16_scores_have_no_width(n_classes: int, scale: float) -> None:
    y, p = probabilities(20_000, n_classes, 3, scale)
    half = p.astype(np.float16)
    low, high = PairSummary(range(n_classes)).update(y, half).pairwise_auc()
    exact = polyroc.pairwise_auc(y, half)
    assert low.tobytes() == high.tobytes()
    assert (off_diagonal(low) == off_diagonal(exact)).all()


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("normal", lambda y, p: p),
        ("logits", lambda y, p: np.log(p)),
        ("tied", lambda y, p: np.round(p, 2)),
    ],
)
def test_bounds_are_narrow(name: str, scores: Any) -> None:
    for scale in (1, 4, 20):
        y, p = probabilities(30_000, 4, 4, scale)
        given = scores(y, np.maximum(p, 1e-300))
        low, high = PairSummary(range(4)).update(y, given).pairwise_auc()
        exact = polyroc.pairwise_auc(y, given)
        assert (off_diagonal(low) <= off_diagonal(exact)).all()
        assert (off_diagonal(exact) <= off_diagonal(high)).all()
        assert np.nanmax(high - low) < (5e-4 if name != "tied" else 1e-300)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_means_are_those_of_fractions(n_classes: int) -> None:
    y, p = probabilities(2000, n_classes, 5)
    means = PairSummary(range(n_classes)).update(y, p).class_means()
    for k in range(n_classes):
        for j in range(n_classes):
            exact = sum(fractions(p[y == k, j])) / int((y == k).sum())
            assert abs(means[k, j] - float(exact)) <= 2.0**-53


def test_metrics_of_means_are_exact() -> None:
    y, p = probabilities(5000, 3, 6)
    result = PairSummary(range(3)).update(y, p).compute("all")
    for name in ("hand_till_probabilistic", "total_length", "triangle_area", "simplex_volume"):
        assert result[name].width == 0
        assert result[name].low == pytest.approx(polyroc.registry[name].function(y, p), abs=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
def test_standard_errors_of_few_cases_are_those_of_evaluate(weighted: bool) -> None:
    y, p = probabilities(2000, 3, 7)
    w = np.random.default_rng(0).uniform(0.5, 3, 2000) if weighted else None
    result = PairSummary(range(3), auc_mu=True).update(y, p, w).compute()
    in_memory = polyroc.evaluate(y, p, list(result), sample_weight=w)
    for name, certified in result.items():
        assert certified.standard_error == pytest.approx(in_memory[name].standard_error, rel=1e-9)


def test_standard_errors_of_a_sample_are_near() -> None:
    y, p = probabilities(60_000, 4, 8)
    y = np.where((y == 3) & (np.arange(60_000) % 10 > 0), 0, y)  # a rare class
    result = PairSummary(range(4)).update(y, p).compute()
    in_memory = polyroc.evaluate(y, p, list(result))
    for name in ("hand_till", "au1p", "aunu", "aunp", "total_length"):
        expected = in_memory[name].standard_error
        assert result[name].standard_error == pytest.approx(expected, rel=0.05), name


def test_pairwise_standard_errors_are_those_of_placements() -> None:
    y, p = probabilities(3000, 3, 9)
    errors = PairSummary(range(3), mantissa_bits=14).update(y, p).pairwise_standard_error()
    for k in range(3):
        for r in set(range(3)) - {k}:
            pair = (y == k) | (y == r)
            expected = polyroc.estimate(y[pair] == k, p[pair, k], "roc_auc").standard_error
            assert errors[k, r] == pytest.approx(expected, rel=1e-4)


def test_one_column_of_two_classes() -> None:
    y, s = [0, 1, 1, 0, 1], np.array([0.2, 0.7, 0.2, 0.1, 0.9])
    summary = PairSummary([0, 1]).update(y, s)
    result = summary.compute("all")
    for name in ("hand_till", "roc_auc", "probabilistic_auc", "total_length"):
        assert result[name].standard_error == pytest.approx(
            polyroc.estimate(y, s, name).standard_error
        )
        assert result[name].midpoint == pytest.approx(polyroc.registry[name].function(y, s))
    with pytest.raises(InvalidInput, match="one column"):
        summary.update(y, np.column_stack([1 - s, s]))
    with pytest.raises(InvalidInput, match="one column"):
        PairSummary([0, 1]).update(y, np.column_stack([1 - s, s])).merge(summary)


def test_names_order_the_columns_of_frames() -> None:
    import pandas as pd

    y, p = probabilities(200, 3, 10)
    labels = np.array(["x", "y", "z"])
    frame = pd.DataFrame(p, columns=labels)[["z", "x", "y"]]
    low, _ = PairSummary(labels).update(labels[y], frame).pairwise_auc()
    assert low.tobytes() == PairSummary(range(3)).update(y, p).pairwise_auc()[0].tobytes()


@pytest.mark.filterwarnings("ignore:overflow")  # of the margins in memory
@pytest.mark.parametrize("n_scores", [0, 1 << 30])
def test_margins_beyond_the_largest_float(n_scores: int) -> None:
    p = [[1e308, -1e308, 0], [-1e308, 1e308, 0], [0, 0, 1], [1e308, -1.5e308, 0]]
    summary = PairSummary(range(3), auc_mu=True).expect(n_scores).update([0, 1, 2, 1], p)
    auc_mu = summary.compute("auc_mu")["auc_mu"]
    assert auc_mu.low <= polyroc.auc_mu([0, 1, 2, 1], p) <= auc_mu.high


def test_absent_classes() -> None:
    summary = PairSummary(["a", "b", "c"]).update(["a", "b"], [[0.9, 0.1, 0], [0.2, 0.8, 0]])
    low, high = summary.pairwise_auc()
    assert low[0, 1] == high[1, 0] == 1
    assert np.isnan(low[2]).all() and np.isnan(high[:, 2]).all()
    assert np.isnan(summary.pairwise_standard_error()).all()
    with pytest.raises(InvalidInput, match="'c' has no cases"):
        summary.compute()
    skipped = summary.compute("hand_till", absent="skip")
    assert skipped["hand_till"].low == 1
    assert "one case" in skipped["hand_till"].note


@pytest.mark.parametrize("weight", [2.0**-60, 1.0, 2.0**60])
def test_mass_of_absent_classes(weight: float) -> None:
    """Whether rows sum to 1 without a skipped class does not depend on the unit of weights."""
    rng = np.random.default_rng(0)
    y, p = np.arange(30) % 3, rng.dirichlet(np.ones(4), 30)
    weights = np.full(30, weight)
    found = PairSummary(range(4)).update(y, p, weights).compute("total_length", absent="skip")
    assert np.isnan(found["total_length"].low)
    assert "do not sum to 1 without the skipped 3" in found["total_length"].note
    nearly = np.column_stack([p[:, :3] / p[:, :3].sum(axis=1, keepdims=True), np.full(30, 1e-9)])
    found = PairSummary(range(4)).update(y, nearly, weights).compute("total_length", absent="skip")
    expected = polyroc.total_length(y, nearly[:, :3])
    np.testing.assert_allclose(found["total_length"].low, expected, rtol=1e-12)


def test_scores_that_are_no_probabilities_have_no_metrics_of_means() -> None:
    y, p = probabilities(100, 3, 11)
    summary = PairSummary(range(3)).update(y, p).update(y[:1], [[2.0, 1.0, -1.0]])
    assert "total_length" not in summary.compute()
    assert np.isnan(summary.class_means()).all()
    asked = summary.compute(["total_length"])["total_length"]
    assert np.isnan(asked.low) and "1 of 101 rows" in asked.note


def test_weights_of_zero_and_empty_batches_count_nothing() -> None:
    y, p = probabilities(100, 3, 12)
    w = np.r_[np.zeros(40), np.ones(60)]
    kept = PairSummary(range(3)).update(y[40:], p[40:])
    some = PairSummary(range(3)).update(y, p, w).update(y[:5], p[:5], np.zeros(5))
    some.update(np.array([], dtype=int), np.empty((0, 3)))
    assert some.n_cases == 60
    for mine, theirs in zip(some.pairwise_auc(), kept.pairwise_auc(), strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_whole_weights_are_copies() -> None:
    y, p = probabilities(50, 3, 13)
    w = np.random.default_rng(1).integers(1, 4, 50)
    weighted = PairSummary(range(3)).update(y, p, w).pairwise_auc()
    copied = PairSummary(range(3)).update(np.repeat(y, w), np.repeat(p, w, axis=0)).pairwise_auc()
    for mine, theirs in zip(weighted, copied, strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_inputs_stay_as_they_are_and_may_be_read_only() -> None:
    y, p = probabilities(100, 3, 14)
    w = np.ones(100)
    copies = [each.copy() for each in (y, p, w)]
    for each in (y, p, w):
        each.flags.writeable = False
    PairSummary(range(3), auc_mu=True).update(y, p, w).expect(1 << 30).update(y, p, w)
    assert all((a == b).all() for a, b in zip((y, p, w), copies, strict=True))


def test_reset_pickle_and_repr() -> None:
    y, p = probabilities(100, 3, 15)
    summary = PairSummary(range(3)).update(y, p)
    assert repr(summary) == "PairSummary(100 cases, 3 classes)"
    assert pickle.loads(pickle.dumps(summary)).to_bytes() == summary.to_bytes()
    assert summary.reset().n_cases == 0
    assert summary.update(y, p).to_bytes() == PairSummary(range(3)).update(y, p).to_bytes()


def test_the_result_as_tables() -> None:
    y, p = probabilities(300, 3, 16)
    result = PairSummary(range(3)).update(y, p).compute(["hand_till", "aunp"])
    frame = result.frame()
    assert list(frame["metric"]) == ["hand_till", "aunp"]
    assert list(frame) == [
        "metric", "low", "high", "midpoint", "width", "standard_error", "note",
    ]  # fmt: skip
    assert result.n_cases == 300 and sum(result.counts.values()) == 300
    assert result.to_dict()["metrics"][0]["low"] == result["hand_till"].low
    interval = result["hand_till"].interval(0.9)
    wider = result["hand_till"].interval()
    assert wider == result["hand_till"].interval(0.95) and wider.low < interval.low
    assert interval.low < result["hand_till"].low <= result["hand_till"].high < interval.high
    assert "hand_till" in repr(result) and "<table>" in result._repr_html_()
    with pytest.raises(UnknownName):
        result["auc_mu"]


def test_refusals() -> None:
    y, p = probabilities(10, 3, 17)
    summary = PairSummary(range(3)).update(y, p)
    with pytest.raises(InvalidInput, match="no cases yet"):
        PairSummary(range(3)).compute()
    with pytest.raises(InvalidInput, match="different classes"):
        summary.merge(PairSummary([0, 1, 3]))
    with pytest.raises(InvalidInput, match="different mantissa_bits"):
        summary.merge(PairSummary(range(3), mantissa_bits=5))
    with pytest.raises(InvalidInput, match="different auc_mu"):
        summary.merge(PairSummary(range(3), auc_mu=True))
    with pytest.raises(InvalidInput, match="itself"):
        summary.merge(summary)
    with pytest.raises(InvalidType, match="PairSummary"):
        summary.merge("other")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="at most 14"):
        PairSummary(range(3), mantissa_bits=15)
    with pytest.raises(InvalidInput, match="more than once"):
        PairSummary([1, 1, 2])
    with pytest.raises(InvalidInput, match="At least two"):
        PairSummary(["a"])
    with pytest.raises(InvalidInput, match="label 7 in row 0"):
        summary.update([7], p[:1])
    with pytest.raises(InvalidInput, match="nan in row 0, column 1"):
        summary.update([0], [[0.1, np.nan, 0.2]])
    with pytest.raises(InvalidInput, match=r"between 2\^-200"):
        summary.update([0], p[:1], [1e-300])
    with pytest.raises(InvalidInput, match=r"-1\.0 in row 0"):
        summary.update([0], p[:1], [-1])
    with pytest.raises(InvalidInput, match="columns"):
        summary.update([0], [[0.5, 0.5]])
    with pytest.raises(NotDefined, match="auc_mu=True"):
        summary.compute("auc_mu")
    with pytest.raises(NotDefined, match="vus cannot"):
        summary.compute(["vus"])
    with pytest.raises(InvalidInput, match="ties"):
        summary.pairwise_auc(ties="half")  # type: ignore[arg-type]
    assert summary.n_cases == 10


def test_batches_come_by_either_name() -> None:
    y, p = np.array([0, 1, 2, 1]), np.eye(3)[[0, 1, 2, 0]] * 0.7 + 0.1
    one, other = PairSummary((0, 1, 2)).update(y, p), PairSummary((0, 1, 2)).partial_fit(y, p)
    assert one.to_bytes() == other.to_bytes()
    assert other.reset().n_cases == 0


def test_room_is_what_the_arrays_take() -> None:
    values = np.concatenate([-np.geomspace(1e-9, 1e9, 40), np.geomspace(1e-9, 1e9, 40)])
    for computed in (False, True):
        made = Histogram(3, 4, computed)
        assert made.room_for(0) == 0
        made.add(values, np.arange(len(values)) % 3, slacks=np.full(len(values), 1e-12))
        held = [made.counts, made.values, made.state, made._place]
        held += [] if made.extents is None else made.extents.arrays()
        assert made.room_for(len(made.pages)) == sum(each.nbytes for each in held)


def test_variances_of_placements_are_those_of_loops() -> None:
    """Cases of one bin share the placement of its middle: those below, and half of its own."""
    rng = np.random.default_rng(2)
    rows, values = rng.integers(0, 3, 90), rng.random(90)
    made = Histogram(3, 2)
    made.add(values, rows)
    bins = made.bins()
    place = [int(np.flatnonzero(bins.codes == code)[0]) for code in ordered_codes(values, 2)]
    of_row = [[p for p, row in zip(place, rows, strict=True) if row == r] for r in range(3)]
    totals = np.array([float(len(each)) for each in of_row])

    def placed(among: list[int], p: int) -> float:
        return (sum(q < p for q in among) + sum(q == p for q in among) / 2) / len(among)

    for k in range(3):
        ours, theirs = placement_variances(bins, k, totals)
        for r in range(3):
            own = [placed(of_row[r], p) for p in of_row[k]]
            other = [1 - placed(of_row[k], p) for p in of_row[r]]
            assert ours[r] == pytest.approx(np.var(own, ddof=1))
            assert theirs[r] == pytest.approx(np.var(other, ddof=1))
