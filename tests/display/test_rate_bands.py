"""Bands of ROC curves: their definition, their coverage, and what thinning loses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from display.exhibits import plain_names, sample
from scipy.special import ndtr, ndtri

from polyroc import Predictions, evaluate_pairs
from polyroc._base.levels import wilson_limits
from polyroc.curves import one_vs_rest_roc, roc_curve
from polyroc.display import PairwiseAucDisplay, RocCurvesDisplay
from polyroc.display._rate_bands import (
    FALSE_POSITIVE_RATES,
    BandedCurve,
    banded_curve,
    effective_count,
    thinned,
)
from polyroc.display._simultaneous_band import fixed_width
from polyroc.errors import InvalidInput
from polyroc.inference import estimate


@pytest.mark.parametrize("count", [1, 7, 250.5])
def test_wilson_limits_solve_their_equation(count: float) -> None:
    """At a limit p the observed share is just z standard errors away: (s − p)² = z² p(1 − p)/n."""
    shares, z = np.linspace(0, 1, 21), 1.7
    for limits in wilson_limits(shares, count, z):
        np.testing.assert_allclose(
            (shares - limits) ** 2, z**2 * limits * (1 - limits) / count, atol=1e-14
        )


def test_the_curves_and_areas_are_those_of_the_library() -> None:
    names = plain_names(4)
    y, p = sample(4, names)
    display = RocCurvesDisplay.from_predictions(y, p, labels=names, level=0.9)
    curves = one_vs_rest_roc(y, p, labels=names, drop_collinear=True)
    for k, name in enumerate(names):
        banded, area = display.curves[name], estimate(y == name, p[:, k], "roc_auc")
        np.testing.assert_array_equal(
            banded.curve.true_positive_rate, curves[name].true_positive_rate
        )
        assert banded.curve.area == curves[name].area == area.value
        assert banded.area == area.interval(0.9)


def test_integer_weights_draw_the_curve_of_repeated_cases() -> None:
    y, p = sample(3, plain_names(3), n=40)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weights[:3] = 1
    weighted = RocCurvesDisplay.from_predictions(y, p, sample_weight=weights)
    repeated = RocCurvesDisplay.from_predictions(np.repeat(y, weights), np.repeat(p, weights, 0))
    for name, banded in repeated.curves.items():
        np.testing.assert_allclose(
            weighted.curves[name].curve.false_positive_rate, banded.curve.false_positive_rate
        )


def test_equal_weights_count_as_cases() -> None:
    y, p = sample(3, plain_names(3), n=40)
    weighted = Predictions(y, p, sample_weight=np.full(40, 0.3))
    assert effective_count(weighted.case_weights[np.arange(40) < 25]) == pytest.approx(25)


def test_two_classes_have_one_curve() -> None:
    y, p = sample(2, ["no", "yes"])
    (label,) = RocCurvesDisplay.from_predictions(y, p, labels=["no", "yes"]).curves
    assert label == "yes"


def test_a_class_of_one_case_has_no_interval_but_a_band() -> None:
    y, p = ["a", "b", "b", "c", "c"], np.eye(3)[[0, 1, 0, 2, 2]]
    display = RocCurvesDisplay.from_predictions(y, p).plot()
    assert math.isnan(display.curves["a"].area.low)
    assert (display.curves["a"].low < display.curves["a"].high).all()
    assert "nan" not in " ".join(text.get_text() for text in display.ax_.get_legend().get_texts())


def test_a_thinned_curve_stays_close() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 20_000)
    whole = roc_curve(y, rng.normal(size=len(y)) + y)
    few = thinned(whole, 500)
    assert len(few.thresholds) <= 500
    assert few.true_positive_rate[[0, -1]].tolist() == [0, 1]
    along = few.false_positive_rate + few.true_positive_rate
    every = whole.false_positive_rate + whole.true_positive_rate
    redrawn = np.interp(every, along, few.true_positive_rate)
    assert np.abs(redrawn - whole.true_positive_rate).max() <= 2 / 499
    assert few.area == whole.area


def highest_by_loops(banded: BandedCurve, n_negative: int, n_positive: int, z: float) -> np.ndarray:
    """The upper edge: every quarter ellipse at every place, with half axes of Wilson's reach."""
    edge = np.zeros(len(FALSE_POSITIVE_RATES))
    curve = banded.curve
    for x, y in zip(curve.false_positive_rate, curve.true_positive_rate, strict=True):
        wide = x - wilson_limits(np.array([x]), n_negative, z)[0, 0]
        high = wilson_limits(np.array([y]), n_positive, z)[1, 0] - y
        for i, u in enumerate(FALSE_POSITIVE_RATES):
            if u >= x:
                edge[i] = max(edge[i], y + high)
            elif u >= x - wide and wide > 0:
                edge[i] = max(edge[i], y + high * math.sqrt(1 - ((x - u) / wide) ** 2))
    return edge


def test_the_band_is_made_of_ellipses() -> None:
    """Seventeen points of a quarter ellipse fall short of it by little, and never exceed it."""
    y = np.repeat([0, 1], [30, 20])
    scores = np.random.default_rng(4).normal(size=50) + y
    banded = banded_curve(Predictions(y, scores), 1, 0.95)
    exact = highest_by_loops(banded, 30, 20, float(ndtri(0.975)))
    assert (banded.high <= exact + 1e-12).all()
    assert np.mean(exact - banded.high) < 0.005
    assert (banded.low <= banded.high).all()


def test_the_lower_edge_is_the_upper_one_turned_around() -> None:
    """Scores with the opposite sign turn the curve by half a turn, and the band with it."""
    y = np.repeat([0, 1], [30, 20])
    scores = np.random.default_rng(4).normal(size=50) + y
    one, other = (banded_curve(Predictions(y, s), 1, 0.95) for s in (scores, -scores))
    np.testing.assert_allclose(other.low, 1 - one.high[::-1], atol=1e-12)
    np.testing.assert_allclose(other.high, 1 - one.low[::-1], atol=1e-12)


def inside_band(level: float, rng: np.random.Generator, at: list[int]) -> np.ndarray:
    """Whether the true curve of N(0, 1) against N(1, 1) lies in the band at some FPRs."""
    y = np.repeat([0, 1], [60, 40])
    banded = banded_curve(Predictions(y, rng.normal(size=100) + y), 1, level)
    true = ndtr(1 + ndtri(FALSE_POSITIVE_RATES[at]))
    return (true <= banded.high[at]) & (true >= banded.low[at])


@pytest.mark.slow
def test_the_band_holds_the_true_curve_pointwise() -> None:
    """Theory: ``level`` at each FPR in large samples, and a little more in small ones."""
    rng, at = np.random.default_rng(11), [20, 80, 200, 320]
    coverage = np.mean([inside_band(0.8, rng, at) for _ in range(400)], axis=0)
    assert (coverage > 0.8 - 3 * math.sqrt(0.16 / 400)).all()
    assert coverage.mean() < 0.93


@pytest.mark.slow
def test_a_simultaneous_band_contains_whole_curves() -> None:
    rates = np.linspace(0, 1, 401)
    truth = ndtr(1.5 + ndtri(rates))
    rng, inside, pointwise = np.random.default_rng(3), 0, 0
    y = np.repeat([0, 1], 40)
    for seed in range(60):
        scores = rng.normal(size=80) + 1.5 * y
        bands = [
            RocCurvesDisplay.from_predictions(y, scores, band=band, rng=seed).curves[1]
            for band in ("simultaneous", "pointwise")
        ]
        whole, at_points = (
            bool(((each.low <= truth + 1e-9) & (truth <= each.high + 1e-9)).all()) for each in bands
        )
        inside, pointwise = inside + whole, pointwise + at_points
    assert inside >= 54 and pointwise < inside
    again = RocCurvesDisplay.from_predictions(y, scores, band="simultaneous", rng=59).curves[1]
    assert np.array_equal(again.low, bands[0].low)
    perfect = RocCurvesDisplay.from_predictions(y, y * 1.0, band="simultaneous").curves[1]
    assert perfect.high.min() == 1 and 0.7 < perfect.low.max() < 0.97 and perfect.low[0] == 0
    with pytest.raises(InvalidInput, match='band must be "pointwise" or "simultaneous"'):
        RocCurvesDisplay.from_predictions(y, scores, band="wide")


def test_the_width_of_a_simultaneous_band_by_loops() -> None:
    """κ is the greatest distance along the slope, of curves resampled case by case."""
    rng = np.random.default_rng(4)
    negative, positive = rng.normal(size=30), rng.normal(size=25) + 1
    y, scores = np.repeat([0, 1], [30, 25]), np.append(negative, positive)
    banded = RocCurvesDisplay.from_predictions(y, scores, band="simultaneous", rng=1).curves[1]
    found = fixed_width(banded.curve, (30.0, 25.0), 0.95, 1)
    farthest = []
    for _ in range(300):
        drawn = [rng.choice(side, len(side)) for side in (negative, positive)]
        again = roc_curve(y, np.concatenate(drawn))
        each = []
        for curve, other in ((banded.curve, again), (again, banded.curve)):
            sides = [
                (c.false_positive_rate * 30**0.5, c.true_positive_rate * 25**0.5)
                for c in (curve, other)
            ]
            (x, t), (x_other, t_other) = [(a + b, (b - a) / 2) for a, b in sides]
            each.append(np.abs(np.interp(x, x_other, t_other) - t).max())
        farthest.append(max(each))
    assert found == pytest.approx(np.quantile(farthest, 0.95), rel=0.12)


def test_pairwise_aucs_with_limits() -> None:
    y, p = sample(3, plain_names(3))
    display = PairwiseAucDisplay.from_predictions(y, p, level=0.9)
    expected = evaluate_pairs(y, p, level=0.9)
    assert np.allclose(display.frame()[["low", "high"]], expected[["low", "high"]], equal_nan=True)
    written = [text.get_text() for text in display.plot().ax_.texts]
    first = expected.iloc[0]
    assert f"{first['value']:.2f}\n{first['low']:.2f}–{first['high']:.2f}" in written
    assert "low" not in PairwiseAucDisplay.from_predictions(y, p).frame()
    with pytest.raises(InvalidInput, match='Limits are those of ties="fair"'):
        PairwiseAucDisplay.from_predictions(y, p, level=0.9, ties="strict")
