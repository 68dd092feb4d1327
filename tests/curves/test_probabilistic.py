"""Probabilistic ROC curve: the width against exact fractions, the curve against the intervals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from twins import curves as twin

from polyroc.curves import _probabilistic as probabilistic
from polyroc.curves import probabilistic_roc, roc_curve
from polyroc.errors import InvalidInput, NotDefined

weighted = st.lists(st.tuples(st.integers(0, 16), st.integers(1, 3)), min_size=1, max_size=6)


def exact(side):
    return [(Fraction(s, 16), Fraction(w)) for s, w in side]


def arrays(positives, negatives):
    y = np.array([1] * len(positives) + [0] * len(negatives))
    scores, weights = np.array([*positives, *negatives], dtype=float).T
    return y, scores / 16, weights


@settings(deadline=None)
@given(weighted, weighted)
def test_width_is_the_smallest_root(positives, negatives):
    y, scores, weights = arrays(positives, negatives)
    expected = twin.smallest_width(exact(positives), exact(negatives))
    if expected is None:
        with pytest.raises(NotDefined, match="No width"):
            probabilistic_roc(y, scores, sample_weight=weights)
        return
    curve = probabilistic_roc(y, scores, sample_weight=weights)
    assert curve.width == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert curve.area == pytest.approx(curve.probabilistic_auc, abs=1e-12)


@settings(deadline=None)
@given(weighted, weighted, st.integers(1, 40))
def test_points_are_the_shares_of_the_intervals(positives, negatives, sixteenths):
    y, scores, weights = arrays(positives, negatives)
    width = Fraction(sixteenths, 16)
    curve = probabilistic_roc(y, scores, sample_weight=weights, width=float(width))
    area = twin.probabilistic_area(exact(positives), exact(negatives), width)
    assert curve.area == pytest.approx(float(area), abs=1e-13)
    for side, rates in (
        (exact(negatives), curve.false_positive_rate),
        (exact(positives), curve.true_positive_rate),
    ):
        expected = [twin.interval_rate(side, Fraction(t), width) for t in curve.thresholds]
        np.testing.assert_allclose(rates, np.array(expected, dtype=float), atol=1e-14)


def test_rates_are_linear_between_the_points():
    rng = np.random.default_rng(2)
    y, scores = rng.integers(0, 2, 40), rng.random(40)
    curve = probabilistic_roc(y, scores, width=0.3)
    for t in np.linspace(-0.2, 1.2, 1001):
        for side, rates in ((0, curve.false_positive_rate), (1, curve.true_positive_rate)):
            direct = np.clip((scores[y == side] + 0.15 - t) / 0.3, 0, 1).mean()
            read = np.interp(t, curve.thresholds[::-1], rates[::-1])
            assert read == pytest.approx(direct, abs=1e-12)


def area_gap(scores, y, width):
    lead = np.subtract.outer(scores[y == 1], scores[y == 0])
    x = np.clip(lead / width, -1, 1)
    return (0.5 + x - x * np.abs(x) / 2).mean() - 0.5 - lead.mean() / 2


def test_bracketing_misses_the_smallest_root():
    y, scores = np.array([1, 1, 1, 0, 0, 0]), np.array([6, 6, 3, 0, 5, 8]) / 8
    bracketed = brentq(lambda d: area_gap(scores, y, d), 0.01, 4)
    assert bracketed == pytest.approx(1.2041241, abs=1e-6)
    assert probabilistic_roc(y, scores).width == pytest.approx(0.1933648, abs=1e-6)


def test_no_root_below_the_width_on_a_fine_grid():
    rng = np.random.default_rng(3)
    several = 0
    for _ in range(100):
        y, scores = np.arange(8) % 2, rng.random(8)
        grid = np.linspace(0.001, 4, 700)
        gaps = np.array([area_gap(scores, y, d) for d in grid])
        crossings = grid[1:][gaps[:-1] * gaps[1:] < 0]
        several += len(crossings) > 1
        width = width_or_none(y, scores)
        if width is None:
            assert not len(crossings)
            continue
        assert abs(area_gap(scores, y, width)) < 1e-12
        assert not len(crossings) or width <= crossings[0] + 1e-12
    assert several > 3


def test_rings_do_not_change_the_width(monkeypatch):
    rng = np.random.default_rng(4)
    y = np.arange(40) % 2
    models = [rng.beta(1 + 0.2 * y, 1) for _ in range(30)]
    whole = [width_or_none(y, scores) for scores in models]
    assert min(width for width in whole if width) < 0.8
    monkeypatch.setattr(probabilistic, "_PAIRS_PER_RING", 5)
    for scores, width in zip(models, whole, strict=True):
        assert width_or_none(y, scores) == (width and pytest.approx(width, rel=1e-9))


def width_or_none(y, scores):
    try:
        return probabilistic_roc(y, scores).width
    except NotDefined:
        return None


def test_a_good_model_has_the_width_of_the_formula():
    rng = np.random.default_rng(5)
    y = np.arange(2000) % 2
    scores = 1 / (1 + np.exp(-rng.normal(2 * y - 1)))
    lead = np.subtract.outer(scores[y == 1], scores[y == 0])
    expected = 1 + np.sqrt(1 - (lead * np.abs(lead)).mean() / lead.mean())
    curve = probabilistic_roc(y, scores)
    assert curve.width == pytest.approx(expected, rel=1e-10)
    assert curve.area == pytest.approx(curve.probabilistic_auc, abs=1e-13)


def test_width_zero_is_the_ordinary_curve():
    perfect = probabilistic_roc([0, 0, 1], [0.0, 0.0, 1.0])
    assert perfect.width == 0 and perfect.area == 1
    y, scores = [0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8]
    assert probabilistic_roc(y, scores, width=0).area == roc_curve(y, scores).area
    assert probabilistic_roc(y, scores, width=1e-15).area == pytest.approx(0.875, abs=1e-14)


def test_errors(monkeypatch):
    with pytest.raises(NotDefined, match="m = 0"):
        probabilistic_roc([1, 1, 1, 0], [0.0, 0.375, 0.375, 0.25])
    with pytest.raises(InvalidInput, match="width must be"):
        probabilistic_roc([0, 1], [0.2, 0.8], width=-1)
    with pytest.raises(NotDefined, match="needs probabilities"):
        probabilistic_roc([0, 1], [2.0, 3.0])
    with pytest.raises(NotDefined, match="2 classes, got 3"):
        probabilistic_roc([0, 1, 2], np.eye(3))
    monkeypatch.setattr(probabilistic, "MOST_PAIRS", 3)
    with pytest.raises(InvalidInput, match="Pass width="):
        probabilistic_roc([0, 0, 1, 1], [0.1, 0.5, 0.4, 0.8])
    assert probabilistic_roc([0, 0, 1, 1], [0.1, 0.5, 0.4, 0.8], width=0.5).width == 0.5
