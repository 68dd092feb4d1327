"""From counted pairs to metrics: bounds, standard errors, and the reasons where there are none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.metrics import registry
from polyroc.predictions import Predictions
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.scale import PairSummary
from polyroc.scale._batch import ColumnTrack, MarginTrack
from polyroc.scale._evaluation import (
    _given,
    _outward,
    checked_names,
    measured_options,
    needs_margins,
    scaled_error,
)
from polyroc.scale._histogram import PairBounds

OF_TWO = ["hand_till", "au1p", "aunu", "aunp", "roc_auc"]
OF_THREE = ["hand_till", "au1p", "aunu", "aunp"]


def cases(n_classes: int, n: int = 30, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes of unequal sizes."""
    rng = np.random.default_rng(seed)
    sizes = np.arange(2, 2 + n_classes)
    y = np.repeat(np.arange(n_classes), np.ceil(sizes * n / sizes.sum()).astype(int))
    p = rng.dirichlet(np.ones(n_classes), len(y)) + 0.3 * np.eye(n_classes)[y]
    return y, p / p.sum(axis=1, keepdims=True)


# Which metrics


@pytest.mark.parametrize(
    ("n_classes", "auc_mu", "by_default", "all_of_them"),
    [
        (
            2,
            False,
            ["roc_auc", "probabilistic_auc"],
            [*OF_TWO, "hand_till_probabilistic", "total_length", "simplex_volume",
             "probabilistic_auc"],
        ),
        (
            2,
            True,
            ["roc_auc", "probabilistic_auc"],
            [*OF_TWO, "auc_mu", "hand_till_probabilistic", "total_length", "simplex_volume",
             "probabilistic_auc"],
        ),
        (
            3,
            True,
            [*OF_THREE, "auc_mu", "hand_till_probabilistic", "total_length", "triangle_area"],
            [*OF_THREE, "auc_mu", "hand_till_probabilistic", "total_length", "triangle_area",
             "simplex_volume"],
        ),
        (
            4,
            False,
            [*OF_THREE, "hand_till_probabilistic", "total_length", "simplex_volume"],
            [*OF_THREE, "hand_till_probabilistic", "total_length", "simplex_volume"],
        ),
    ],
)  # fmt: skip
def test_metrics_by_default_and_all(
    n_classes: int, auc_mu: bool, by_default: list[str], all_of_them: list[str]
) -> None:
    y, p = cases(n_classes)
    summary = PairSummary(range(n_classes), auc_mu=auc_mu).update(y, p)
    assert list(summary.compute()) == by_default
    assert list(summary.compute("all")) == all_of_them
    scores = PairSummary(range(n_classes), auc_mu=auc_mu).update(y, 2 * p)
    ranks = [name for name in all_of_them if not registry[name].needs_probabilities]
    assert list(scores.compute("all")) == ranks
    named = summary.compute(["aunp", "hand_till"])
    assert list(named) == ["aunp", "hand_till"]
    assert list(summary.compute("au1p")) == ["au1p"]


def test_classes_that_are_skipped_do_not_count_for_the_metrics_by_default() -> None:
    y, p = cases(2)
    empty = np.column_stack([p, np.zeros(len(y))])
    found = PairSummary(range(3)).update(y, empty).compute(absent="skip")
    assert list(found) == ["roc_auc", "probabilistic_auc"]
    assert found.counts == {0: int((y == 0).sum()), 1: int((y == 1).sum()), 2: 0}


def test_names_of_metrics() -> None:
    assert checked_names(None) is None and checked_names("all") == "all"
    assert checked_names(iter(["aunp", "auc_mu"])) == ["aunp", "auc_mu"]
    wanted = [(None, False), ("all", True), ("auc_mu", True), ("hand_till", False)]
    for names, needed in [*wanted, (["aunp", "auc_mu"], True), (["aunp"], False), ([], False)]:
        assert needs_margins(names) is needed


def test_metrics_that_a_summary_does_not_offer() -> None:
    y, p = cases(3)
    summary = PairSummary(range(3)).update(y, p)
    with pytest.raises(NotDefined) as told:
        summary.compute(["hand_till", "auc_mu"])
    assert str(told.value) == (
        "auc_mu needs margins that this summary does not keep. Ask for auc_mu=True."
    )
    with pytest.raises(NotDefined) as told:
        summary.compute(["vus"])
    assert str(told.value) == (
        "vus cannot be computed from a summary, which offers hand_till, au1p, aunu, aunp, roc_auc, "
        "hand_till_probabilistic, total_length, triangle_area, simplex_volume, probabilistic_auc. "
        "Evaluate it in memory."
    )
    with_margins = PairSummary(range(3), auc_mu=True).update(y, p)
    with pytest.raises(NotDefined, match="roc_auc, auc_mu, hand_till_probabilistic, total"):
        with_margins.compute(["vus"])
    with pytest.raises(InvalidInput, match="has no cases"):
        PairSummary(range(4)).update(y, np.column_stack([p, 0 * y])).compute(["hand_till"])


def test_metrics_of_other_numbers_of_classes_are_not_defined() -> None:
    y, p = cases(3)
    found = PairSummary(range(3)).update(y, p).compute(["roc_auc", "hand_till"])
    assert math.isnan(found["roc_auc"].low) and math.isnan(found["roc_auc"].high)
    assert math.isnan(found["roc_auc"].standard_error) and found["roc_auc"].note
    assert found["hand_till"].low > 0


# Values and bounds


@pytest.mark.parametrize("ties", ["fair", "strict", "lenient"])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_of_rounded_scores_are_those_in_memory(ties: Any, weighted: bool) -> None:
    y, p = cases(3)
    p = np.round(8 * p) / 8
    w = 1.0 + np.arange(len(y)) % 4 if weighted else None
    summary = PairSummary(range(3), auc_mu=True).update(y, p, w)
    found = summary.compute([*OF_THREE, "auc_mu"], ties=ties)
    for name, each in found.items():
        value = registry[name].function(y, p, sample_weight=w, ties=ties)
        assert each.low == pytest.approx(value, abs=1e-12) and each.width < 1e-15
        assert each.range == (registry[name].lowest, registry[name].highest)
    exact = polyroc.pairwise_auc(y, p, sample_weight=w, ties=ties)
    for low, high in (summary.pairwise_auc(ties=ties), (found.pairwise_low, found.pairwise_high)):
        np.testing.assert_allclose(low, exact, rtol=1e-12)
        np.testing.assert_allclose(high, exact, rtol=1e-12)
    assert found.counts == {k: int((y == k).sum()) for k in range(3)}


def test_bounds_of_open_bins_hold_every_order() -> None:
    """Two cases of each class in one bin: their pairs may all be right, or none."""
    a, b, c = 0.3, np.nextafter(0.3, 1), np.nextafter(0.3, 0)
    p = np.array([[a, 0.7], [b, 0.2], [c, 0.9], [b, 0.9], [0.1, 0.9]])
    low, high = PairSummary([0, 1]).update([0, 0, 1, 1, 1], p).pairwise_auc()
    assert (low[0, 1], high[0, 1]) == (2 / 6, 1.0)
    strict = PairSummary([0, 1]).update([0, 0, 1, 1, 1], p).pairwise_auc(ties="strict")
    assert (strict[0][0, 1], strict[1][0, 1]) == (2 / 6, 1.0)
    assert low[1, 0] == high[1, 0] == 1.0


def test_metrics_are_lowest_and_highest_at_the_ends_of_the_pairs() -> None:
    """M and AUNU from the mean of the bounds of all pairs; AUC_mu from those of margins."""
    y, p = cases(3)
    summary = PairSummary(range(3), mantissa_bits=1, auc_mu=True).update(y, p)
    found = summary.compute(["hand_till", "auc_mu"])
    for end, matrix in zip(("low", "high"), summary.pairwise_auc(), strict=True):
        pairs = matrix[~np.eye(3, dtype=bool)]
        assert getattr(found["hand_till"], end) == pytest.approx(pairs.mean(), abs=1e-12)
    for name, each in found.items():
        value = registry[name].function(y, p)
        assert each.low < value < each.high and each.width < 0.5, name


def test_bounds_a_little_outward() -> None:
    assert _outward(0.5, 0.5, 0.0) == (0.5, 0.5)
    low, high = _outward(0.25, 0.5, 0.0)
    assert (low, high) == (0.25 - 2 * 2.0**-54 / 2, 0.5 + 2 * 2.0**-53)
    low, high = _outward(0.5, 0.5, 2.0**-20)
    assert 0.5 - 2.0**-20 - 2.0**-50 < low < 0.5 - 2.0**-20
    assert 0.5 + 2.0**-20 < high < 0.5 + 2.0**-20 + 2.0**-50
    assert _outward(0.0, 1.0, 0.0) == (0.0, 1.0)
    assert _outward(2.0**-60, 1 - 2.0**-53, 2.0**-30) == (0.0, 1.0)


def test_pairwise_bounds_of_rounded_weights_are_wider_on_both_sides() -> None:
    y, p = cases(3)
    p, w = np.round(8 * p) / 8, np.random.default_rng(1).uniform(0.5, 2, len(y))
    summary = PairSummary(range(3)).update(y, p, w)
    low, high = summary.pairwise_auc()
    slack = 16 * len(y) * 2.0**-53
    pairs = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((high - low)[pairs], 2 * slack, rtol=1e-2)
    found = summary.compute("hand_till")["hand_till"]
    assert 0 < found.width < 8 * slack


def test_pairs_are_filled_in_and_corrected_by_track() -> None:
    known = PairSummary(range(3), auc_mu=True).update(*cases(3)).known()
    one = PairBounds(
        np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), np.array([7.0, 8.0, 9.0])
    )
    known.fill(ColumnTrack(1, 3), one)
    assert known.ranked.above.tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0]]
    assert known.ranked.tied[1].tolist() == [4, 5, 6]
    assert known.ranked.undecided[1].tolist() == [7, 8, 9]
    two = PairBounds(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0]))
    known.fill(MarginTrack(0, 2), two)
    assert known.margins is not None
    assert known.margins.above.tolist() == [[0, 0, 2], [0, 0, 0], [0, 0, 0]]
    assert (known.margins.tied[0, 2], known.margins.undecided[0, 2]) == (4, 6)
    found = PairBounds(np.array([9.0, 9.0, 3.0]), np.array([4.0, 4.0, 6.0]), np.zeros(3))
    known.correct(ColumnTrack(1, 3), one, found)
    assert known.ranked.above[1].tolist() == [9, 9, 3]
    assert known.ranked.tied[1].tolist() == [4, 4, 6]
    assert known.ranked.undecided[1].tolist() == [0, 0, 0]
    without = PairSummary(range(3)).update(*cases(3)).known()
    assert without.margins is None
    without.fill(MarginTrack(0, 2), two)
    assert not without.ranked.above.any()


def test_classes_that_are_there() -> None:
    y, p = cases(2)
    known = (
        PairSummary(["a", "b", "c"])
        .update(np.array(["a", "c"])[y], np.insert(p, 1, 0, axis=1))
        .known()
    )
    assert known.present("skip").tolist() == [0, 2]
    with pytest.raises(InvalidInput, match="'b' has no cases"):
        known.present("raise")


def test_skipped_classes_leave_the_values_of_the_others() -> None:
    y, p = cases(3)
    wide = np.insert(p, 1, 0, axis=1)
    labels = np.array([0, 2, 3])
    summary = PairSummary(range(4), auc_mu=True).update(labels[y], wide)
    found, expected = (
        summary.compute("all", absent="skip"),
        PairSummary(range(3), auc_mu=True).update(y, p).compute("all"),
    )
    assert list(found) == list(expected)
    for name, each in found.items():
        assert (each.low, each.high) == (expected[name].low, expected[name].high), name
        assert each.standard_error == pytest.approx(expected[name].standard_error), name


# Probabilities


def test_how_many_rows_are_no_probabilities() -> None:
    y, p = cases(3)
    y, p = np.tile(y, 100), np.tile(p, (100, 1))
    p[:1200] *= 2
    found = PairSummary(range(3)).update(y, p).compute(["total_length"])["total_length"]
    assert found.note == (
        f"total_length needs probabilities, but 1,200 of {len(y):,} rows of scores do not sum to 1 "
        "or contain negative values. Pass probabilities."
    )
    assert math.isnan(found.low) and math.isnan(found.high)


@pytest.mark.parametrize("factor", [1.0, 2.0**-60, 2.0**40])
def test_mass_of_skipped_classes_counts_in_every_row_and_column(factor: float) -> None:
    """The mass of all cases together may be the tolerance of one row, and no more."""
    y, p = cases(3)
    weights = np.full(len(y), factor)

    def told(*columns: tuple[int, float]) -> str:
        """Mass in the columns of skipped classes 1 and 3, for cases of the last class only."""
        wide = np.insert(np.insert(p, 1, 0, axis=1), 3, 0, axis=1)
        own = np.flatnonzero(y == 2)
        for column, mass in columns:
            wide[own, column] = mass
        wide[own, 0] -= sum(mass for _, mass in columns)
        summary = PairSummary(range(5)).update(np.array([0, 2, 4])[y], np.abs(wide), weights)
        return summary.compute(["total_length"], absent="skip")["total_length"].note

    enough = SUM_TOLERANCE / int((y == 2).sum())
    reason = "total_length needs probabilities, but rows of scores do not sum to 1 without the "
    for columns in (
        [(1, 1.2 * enough)],
        [(3, 1.2 * enough)],
        [(1, 0.6 * enough), (3, 0.6 * enough)],
    ):
        assert told(*columns).startswith(f"{reason}skipped 1, 3. Leave out their columns, and")
    for columns in ([(1, 0.8 * enough)], [(1, 0.4 * enough), (3, 0.4 * enough)]):
        assert "probabilities" not in told(*columns)


# Standard errors


def test_one_column_is_kept_as_both() -> None:
    assert _given(np.array([[-0.5, 0.5], [-1.0, 1.0]])).tolist() == [[0.5], [1.0]]
    for rows in ([[-0.5, 0.5], [0.2, 0.8]], [[0.5, 0.5]], [[-0.5, 0.5, 0.0]]):
        assert _given(np.array(rows)).tolist() == rows


@pytest.mark.parametrize("labels", [["x", "y", "z"], [3, 5, 4], ["1", "b", "c"]])
def test_errors_do_not_depend_on_the_labels(labels: list[Any]) -> None:
    y, p = cases(3)
    found = PairSummary(labels).update([labels[k] for k in y], p).compute("hand_till")["hand_till"]
    expected = polyroc.estimate(y, p, "hand_till").standard_error
    assert found.standard_error == pytest.approx(expected)


@pytest.mark.parametrize("name", ["au1p", "aunp"])
def test_errors_take_the_priors_of_all_cases(name: str) -> None:
    metric, priors = registry[name], np.array([0.25, 0.75])
    assert measured_options(metric, "strict", priors) == {"ties": "strict", "priors": priors}
    assert measured_options(registry["hand_till"], "fair", priors) == {"ties": "fair"}
    assert measured_options(registry["total_length"], "fair", priors) == {}


@pytest.mark.parametrize(("ties", "credit"), [("fair", 0.5), ("strict", 0.0), ("lenient", 1.0)])
def test_errors_credit_ties_as_values_do(ties: Any, credit: float) -> None:
    """Variances of the placements of the positives and of the others, by loops."""
    y, p = cases(2)
    s = np.round(5 * p[:, 1]) / 5
    own, others = s[y == 1], s[y == 0]
    above = (own[:, None] > others) + credit * (own[:, None] == others)
    variance = sum(np.var(above.mean(axis=k), ddof=1) / above.shape[1 - k] for k in (0, 1))
    found = PairSummary([0, 1]).update(y, s).compute("roc_auc", ties=ties)["roc_auc"]
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert found.low == pytest.approx(above.mean(), abs=1e-12)


def test_the_error_of_a_sample_is_scaled_up_by_class() -> None:
    """Σ_k n_k / (n_k − 1) Σ_i (w φ / W_k)², with the sum over those drawn scaled to all."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [4, 3, 6])
    sample = Predictions(y, rng.random((13, 3)))
    influence, raw = rng.normal(size=13), rng.uniform(0.5, 2, 13)
    counts, weights = np.array([40.0, 2.0, 600.0]), np.array([55.0, 3.5, 500.0])
    variance = 0.0
    for k, drawn in enumerate((4, 3, 6)):
        squares = sum(
            (w * f / weights[k]) ** 2 for w, f in zip(raw[y == k], influence[y == k], strict=True)
        )
        variance += counts[k] / (counts[k] - 1) * squares * counts[k] / drawn
    found = scaled_error(influence, 1.0, sample, raw, counts, weights)
    assert found.value == pytest.approx(math.sqrt(variance)) and found.note == ""
    none = scaled_error(influence * 0, 1.0, sample, raw, counts, weights)
    assert math.isnan(none.value)
    assert none.note == "no standard error: every case of the sample agrees on the value"
    size = found.value
    assert math.isnan(scaled_error(influence, size * 1.1e12, sample, raw, counts, weights).value)
    assert scaled_error(influence, size * 0.9e12, sample, raw, counts, weights).value == size
    alone = scaled_error(influence, 1.0, sample, raw, np.array([40.0, 1.0, 600.0]), weights)
    assert alone.note == "no standard error: class 1 has one case"


def test_classes_of_one_case_are_named() -> None:
    y = ["a"] * 3 + ["b"] * 2 + ["c"]
    p = np.random.default_rng(0).dirichlet(np.ones(3), 6)
    found = PairSummary(["a", "b", "c"]).update(y, p).compute("hand_till")["hand_till"]
    assert found.note == "no standard error: class 'c' has one case"
    assert found.low >= 0 and math.isnan(found.standard_error)


def test_too_many_classes_have_no_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyroc.scale._sample.MOST_SCORES", 9 * 15)
    y, p = cases(3)
    found = PairSummary(range(3)).update(y, p).compute()
    for each in found.values():
        assert math.isnan(each.standard_error) and each.low >= 0
        assert each.note == "no standard error: there are too many classes for a sample of cases"
    monkeypatch.setattr("polyroc.scale._sample.MOST_SCORES", 9 * 16)
    assert PairSummary(range(3)).update(y, p).compute("hand_till")["hand_till"].note == ""


# The summary itself


def test_means_and_errors_where_a_class_is_missing_or_weights_are_given() -> None:
    y, p = cases(3)
    weights = 1.0 + np.arange(len(y)) % 3
    weighted = PairSummary(range(3)).update(y, p, weights)
    assert np.isnan(weighted.pairwise_standard_error()).all()
    expected = [np.average(p[y == k], axis=0, weights=weights[y == k]) for k in range(3)]
    np.testing.assert_allclose(weighted.class_means(), expected, rtol=1e-12)
    missing = PairSummary(range(4)).update(y, np.column_stack([p, 0 * y]))
    assert np.isnan(missing.pairwise_standard_error()).all()
    assert np.isnan(missing.class_means()).any(axis=1).tolist() == [False, False, False, True]
    found = PairSummary(range(3)).update(y, p).pairwise_standard_error()
    assert np.isnan(np.diag(found)).all() and found.shape == (3, 3)
    for k, r in ((0, 1), (1, 0), (2, 1)):
        pair = np.isin(y, (k, r))
        one = polyroc.estimate(y[pair] == k, p[pair, k], "roc_auc").standard_error
        assert found[k, r] == pytest.approx(one, rel=5e-3)


def test_many_scores_choose_the_compiled_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """From so many scores on, in one batch or as expected."""
    monkeypatch.setattr("polyroc.scale._summary.MANY_SCORES", 60)
    y, p = cases(3)
    assert len(y) * 3 > 60
    for n, compiled in ((19, False), (20, True)):
        assert PairSummary(range(3)).update(y[-n:], p[-n:])._compiled is compiled
    for n, compiled in ((59, False), (60, True)):
        assert PairSummary(range(3)).expect(n)._compiled is compiled
    assert PairSummary(range(3)).expect(60).expect(1)._compiled is True


def test_ties_count_one_half_unless_told_otherwise() -> None:
    y, p = cases(3)
    summary = PairSummary(range(3)).update(y, np.round(4 * p) / 4)
    fair, strict = summary.pairwise_auc(ties="fair"), summary.pairwise_auc(ties="strict")
    assert np.array_equal(summary.pairwise_auc()[0], fair[0], equal_nan=True)
    assert not np.array_equal(strict[0], fair[0], equal_nan=True)
    by_default = summary.compute("hand_till")["hand_till"]
    assert by_default == summary.compute("hand_till", ties="fair")["hand_till"]
    assert by_default.low > summary.compute("hand_till", ties="strict")["hand_till"].high


def test_chunks_of_a_batch_count_on(monkeypatch: pytest.MonkeyPatch) -> None:
    y, p = cases(3)
    whole = PairSummary(range(3), auc_mu=True).update(y, p).to_bytes()
    monkeypatch.setattr("polyroc.scale._batch.CHUNK", 7)
    assert PairSummary(range(3), auc_mu=True).update(y, p).to_bytes() == whole


def test_summaries_of_very_many_classes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyroc._base.table_size.MOST_CLASSES", 4)
    assert len(PairSummary(range(4)).classes) == 4
    with pytest.raises(InvalidInput, match="A summary of 5 classes would not fit into memory"):
        PairSummary(range(5))


def test_resolution_of_bins() -> None:
    for bits in (1, 14):
        assert PairSummary([0, 1], mantissa_bits=bits).mantissa_bits == bits
    assert PairSummary([0, 1]).mantissa_bits == 10 and PairSummary([0, 1]).auc_mu is False
    with pytest.raises(InvalidInput, match="mantissa_bits must be at most 14, got 15"):
        PairSummary([0, 1], mantissa_bits=15)
    for wrong in (0, -1):
        with pytest.raises(InvalidInput, match="mantissa_bits"):
            PairSummary([0, 1], mantissa_bits=wrong)
    with pytest.raises(InvalidType, match="auc_mu must be True or False, got 2"):
        PairSummary([0, 1], auc_mu=2)  # type: ignore[arg-type]


def test_summaries_that_differ_say_how() -> None:
    y, p = cases(3)
    summary = PairSummary(range(3)).update(y, p)
    with pytest.raises(InvalidInput) as told:
        summary.merge(PairSummary(range(3), mantissa_bits=5))
    assert str(told.value) == (
        "The summaries have different mantissa_bits: 10 and 5. Make both with the same options."
    )
    before = summary.to_bytes()
    empty = PairSummary(range(3))
    assert summary.merge(empty) is summary and summary.to_bytes() == before
    assert empty.merge(summary).to_bytes() == before and empty.one_column is False


def test_summaries_without_histograms_keep_the_rest() -> None:
    y, p = cases(3)
    lean = PairSummary.without_histograms(range(3), mantissa_bits=7, auc_mu=True).update(y, p)
    whole = PairSummary(range(3), mantissa_bits=7, auc_mu=True).update(y, p)
    assert lean.histograms == {} and (lean.mantissa_bits, lean.auc_mu) == (7, True)
    assert lean.nbytes == 0 < whole.nbytes
    assert lean.class_means().tobytes() == whole.class_means().tobytes()
    assert lean.tracks() == whole.tracks() == list(whole.histograms)
    assert lean.sample.keys.tobytes() == whole.sample.keys.tobytes()


def test_words_for_one_and_many() -> None:
    assert repr(PairSummary([0, 1]).update([1], [0.5])) == "PairSummary(1 case, 2 classes)"
