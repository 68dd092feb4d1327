"""Intervals at operating points, and limits that are held with confidence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binom
from surface.test_certainty import cases, found

from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface import RocSurface, TunedCostClassifierCV
from polyroc.surface._limits import held_limits, upper_bound
from polyroc.surface._point_certainty import Linear, effective_cases, wilson


def test_wilson_inverts_the_score_test():
    """Newcombe 1998, Table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (count, n), expected in published.items():
        assert wilson(count / n, n, 1.959964) == pytest.approx(expected, abs=5e-5)


def test_rates_and_sensitivities_are_wilsons():
    y, p = cases(40, 1)
    point = found(y, p).choose(criterion="total_error")
    for truth in range(3):
        for decided in range(3):
            if truth == decided:
                continue
            rate = point.rate(truth, decided)
            assert point.estimate("rate", truth, decided) == rate
            limits = point.interval("rate", truth, decided, level=0.9)
            assert limits[:2] == pytest.approx(wilson(rate, 40, 1.644854), abs=1e-6)
        right = point.confusion[truth, truth]
        assert point.interval("sensitivity", truth)[:2] == pytest.approx(
            wilson(right, 40, 1.959964)
        )


def test_sums_over_classes():
    y, p = cases(400, 1)
    surface = found(y, p)
    costs = {(0, 1): 5, (1, 2): 2}
    point = surface.choose(costs=costs, priors=[0.5, 0.3, 0.2])
    assert point.estimate() == pytest.approx(point.value)
    assert point.estimate("cost") == pytest.approx(point.value)
    low, high, *_ = point.interval()
    assert low < point.value < high
    # Far from the edge the width is about that of value ± 2 standard errors.
    table = point.costs_asked * np.array([0.5, 0.3, 0.2])[:, None]
    means = (point.confusion * table).sum(axis=1)
    variance = ((point.confusion * table**2).sum(axis=1) - means**2).sum() / 400
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(variance), rel=0.05)
    assert point.estimate("cost", costs={(0, 1): 1}, priors=[1 / 3] * 3) == pytest.approx(
        1 - np.trace(point.confusion) / 3
    )
    right = np.diag(point.confusion)
    assert point.estimate("youden") == pytest.approx((right.sum() - 1) / 2)
    far = surface.choose(criterion="farthest_from_chance")
    assert far.estimate() == pytest.approx(far.value)
    assert far.interval().low < far.value < far.interval().high
    frame = far.frame()
    assert len(frame) == 2 + 3 + 6 and (frame["low"] < frame["high"]).all()


def test_no_width_of_0_and_no_interval_without_cases(tmp_path):
    y = np.repeat([0, 1, 2], 10)
    surface = found(y, np.eye(3)[y])
    point = surface.choose(criterion="total_error")
    assert point.value == 0
    for row in point.rows():
        assert row["high"] - row["low"] > 0.02 and row["low"] <= row["value"] <= row["high"]
    surface.save(tmp_path / "surface.npz")
    loaded = RocSurface.load(tmp_path / "surface.npz").choose(criterion="total_error")
    assert math.isnan(loaded.interval().low) and loaded.estimate() == 0
    with pytest.raises(NotDefined, match="which the surface does not have"):
        loaded.surface.choose(limits={(0, 1): 0.5}, confidence=0.95)


def test_refusals():
    point = found(*cases(20, 1)).choose(criterion="total_error")
    with pytest.raises(InvalidInput, match="'rate' takes truth and decided, got 0 and None"):
        point.interval("rate", 0)
    with pytest.raises(InvalidInput, match="'youden' takes neither truth nor decided"):
        point.interval("youden", 0)
    with pytest.raises(InvalidInput, match="quantity must be"):
        point.interval("auc")
    with pytest.raises(InvalidInput, match="costs go with the quantity"):
        point.interval("youden", costs={(0, 1): 2})
    with pytest.raises(ValueError, match="7 is not a class"):
        point.interval("sensitivity", 7)


def test_coverage_of_a_cost_by_counting():
    """Every outcome of two classes of 15 cases: the limits hold the true cost often enough."""
    table = np.array([[0.0, 2.0], [1.0, 0.0]]) * 0.5
    quantity = Linear(table)
    for rates in ((0.1, 0.2), (0.4, 0.3), (0.02, 0.05)):
        true = 0.5 * (2 * rates[0] + rates[1])
        covered = 0.0
        for a in range(16):
            for b in range(16):
                confusion = np.array([[1 - a / 15, a / 15], [b / 15, 1 - b / 15]])
                low, high, *_ = quantity.interval(confusion, np.array([15.0, 15.0]), 0.95)
                chance = binom.pmf(a, 15, rates[0]) * binom.pmf(b, 15, rates[1])
                covered += chance * (low <= true <= high)
        assert 0.93 < covered <= 1


def test_weights_count_as_effective_cases():
    y, p = cases(30, 2)
    weights = np.random.default_rng(0).uniform(0.2, 3, len(y))
    surface = found(y, p, weights)
    own = [weights[y == k] for k in range(3)]
    expected = [each.sum() ** 2 / (each**2).sum() for each in own]
    np.testing.assert_allclose(effective_cases(surface.model.cases), expected)
    tenfold = found(y, p, 10 * weights).choose(criterion="total_error")
    plain = surface.choose(criterion="total_error")
    assert tenfold.interval()[:2] == pytest.approx(plain.interval()[:2])


def test_limits_held_with_confidence():
    n = np.array([100.0, 100.0])
    for limit in (0.05, 0.1, 0.3):
        held = held_limits({(0, 1): limit}, 0.95, n, "ab")[0, 1]
        most = math.floor(100 * held + 1e-9)
        assert beta.ppf(0.95, most + 1, 100 - most) <= limit < beta.ppf(0.95, most + 2, 99 - most)
    both = held_limits({(0, 1): 0.1, (1, 0): 0.1}, 0.9, n, "ab")
    assert both[0, 1] == pytest.approx(held_limits({(0, 1): 0.1}, 0.95, n, "ab")[0, 1])
    assert held_limits({(0, 1): 0.1}, None, n, "ab") == {(0, 1): 0.1}
    assert held_limits({(0, 1): 1.0}, 0.9, n, "ab") == {(0, 1): 1.0}
    with pytest.raises(NotDefined, match="even no error is not enough, it takes 299 cases"):
        held_limits({(0, 1): 0.01}, 0.95, n, "ab")
    with pytest.raises(NotDefined, match="no error is not enough, no number of cases is enough"):
        held_limits({(0, 1): 0.0}, 0.95, n, "ab")
    surface = found(*cases(100, 3))
    point = surface.choose(limits={(0, 1): 0.1}, confidence=0.95)
    count = round(100 * point.rate(0, 1))
    assert upper_bound(count, 100, 0.95) <= 0.1
    assert point.value >= surface.choose(limits={(0, 1): 0.1}).value
    with pytest.raises(InvalidInput, match="Give limits="):
        surface.choose(criterion="total_error", confidence=0.95)


@pytest.mark.slow
def test_the_tuner_holds_limits_with_confidence():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 1)) + 1.5 * y[:, None]
    tuners = [
        TunedCostClassifierCV(
            LogisticRegression(), limits={(1, 0): 0.1}, confidence=confidence, random_state=0
        ).fit(X, y)
        for confidence in (None, 0.95)
    ]
    assert tuners[0].rates_[1, 0] <= 0.1
    assert upper_bound(round(150 * tuners[1].rates_[1, 0]), 150, 0.95) <= 0.1
    with pytest.raises(InvalidInput, match="Give limits, too"):
        TunedCostClassifierCV(LogisticRegression(), confidence=0.9).fit(X, y)


@pytest.mark.parametrize("alone", [0, 2])
def test_no_interval_where_one_class_has_a_single_case(alone):
    y, p = cases(12, 4)
    kept = np.r_[np.flatnonzero(y != alone), np.flatnonzero(y == alone)[:1]]
    point = found(y[kept], p[kept]).choose(criterion="total_error")
    for quantity in ("rate", "sensitivity"):
        limits = point.interval(quantity, 1, *([0] if quantity == "rate" else []))
        assert math.isnan(limits.low) and math.isnan(limits.high)
    assert np.isfinite(found(y, p).choose(criterion="total_error").interval("sensitivity", 1).low)
