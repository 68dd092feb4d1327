"""Risk by coverage and cost by share on few cases, recounted with weights and unequal classes."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from surface.few_cases import CODES, NAMES, WEIGHTS, P, Y, decided_by

from polyroc import Predictions
from polyroc.errors import InvalidInput, UnknownName
from polyroc.surface import cost_by_share, risk_coverage
from polyroc.surface._point_certainty import Linear

TABLE = np.array([[0.0, 2, 1], [1, 0, 4], [5, 1, 0]])
COSTS = {("a", "b"): 2, ("b", "c"): 4, ("c", "a"): 5}


# Risk by coverage


def slow_curve(table: np.ndarray, weights: np.ndarray, level: float) -> list[list[float]]:
    """Coverage, risk, limits and threshold after each different certainty, by loops."""
    decided = decided_by(table)
    least = [
        min(sum(row[k] * table[k, j] for k in range(3)) for j in range(3)) for row in P.tolist()
    ]
    paid = [table[k, j] for k, j in zip(CODES, decided, strict=True)]
    z, most = norm.ppf((1 + level) / 2), table.max()
    rows = []
    for cut in sorted({round(each, 11) for each in least}):
        own = [i for i in range(len(P)) if least[i] <= cut + 1e-11]
        total = sum(weights[i] for i in own)
        n = total**2 / sum(weights[i] ** 2 for i in own)
        risk = sum(weights[i] * paid[i] for i in own) / total / most
        square = sum(weights[i] * (paid[i] / most) ** 2 for i in own) / total
        mean, squared = (risk * n + 1) / (n + 1), (square * n + 1) / (n + 1)
        spread = squared - mean**2
        size = n * max(mean * (1 - mean) / spread if spread > 1e-15 else 1.0, 1.0)
        extra = z**2 / size
        reach = math.sqrt(extra * (risk * (1 - risk) + extra / 4))
        limits = [(risk + extra / 2 + sign * reach) / (1 + extra) for sign in (-1, 1)]
        limits = [min(max(limits[0], 0.0), risk), max(limits[1], risk)]
        rows.append([total / sum(weights), risk * most, *(most * each for each in limits), cut])
    return rows


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weights"])
@pytest.mark.parametrize("table", [None, TABLE, TABLE / 50], ids=["errors", "costs", "cents"])
def test_the_curve_is_that_of_loops(table: Any, weights: Any, level: float) -> None:
    curve = risk_coverage(Y, P, costs=table, sample_weight=weights, level=level)
    own = 1 - np.eye(3) if table is None else table
    wanted = slow_curve(own, np.ones(len(P)) if weights is None else weights, level)
    found = np.column_stack([curve.coverage, curve.risk, curve.low, curve.high, curve.threshold])
    assert found == pytest.approx(np.array(wanted), rel=1e-10, abs=1e-10)
    assert curve.level == level
    coverage, risk, before = [row[0] for row in wanted], [row[1] for row in wanted], 0.0
    area = 0.0
    for share, height in zip(coverage, risk, strict=True):
        area, before = area + (share - before) * height, share
    assert curve.area == pytest.approx(area)


def test_options_and_columns_of_the_curve() -> None:
    assert risk_coverage(Y, P).level == 0.95
    frame = risk_coverage(Y, P, costs=COSTS).frame()
    assert list(frame.columns) == ["coverage", "risk", "low", "high", "threshold"]
    assert frame["risk"].tolist() == risk_coverage(Y, P, costs=TABLE).risk.tolist()
    back = P[:, [2, 0, 1]]
    turned = risk_coverage(Y, back, labels=["c", "a", "b"], costs=COSTS)
    assert turned.risk == pytest.approx(frame["risk"].to_numpy())
    made = Predictions(Y, P, sample_weight=WEIGHTS)
    direct = risk_coverage(Y, P, sample_weight=WEIGHTS)
    assert risk_coverage(made).high.tolist() == direct.high.tolist()
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
        risk_coverage(Y, P, level=95)
    with pytest.raises(InvalidInput, match="risk_coverage"):
        risk_coverage(Y, 3 * P - 1)


def test_risk_at_a_coverage() -> None:
    """Risk after ½, ¾ and all of the cases: 0, 0 and ¼."""
    curve = risk_coverage([0, 0, 1, 1], [0.1, 0.4, 0.2, 0.9])
    assert curve.coverage.tolist() == [0.5, 0.75, 1] and curve.risk.tolist() == [0, 1 / 3, 0.25]
    for coverage, risk in (
        (1e-9, 0.0), (0.5, 0.0), (0.5 + 1e-13, 0.0), (0.5 + 1e-9, 1 / 3),
        (0.75, 1 / 3), (0.76, 0.25), (1, 0.25),
    ):  # fmt: skip
        assert curve.at(coverage) == risk
    for wrong in (0, -0.1, 1.0001, 2):
        with pytest.raises(InvalidInput, match=f"above 0 and at most 1, got {wrong}"):
            curve.at(wrong)
    assert repr(curve) == f"RiskCoverage(3 points, area {(1 / 12 + 1 / 16):.4g})"
    assert repr(risk_coverage([0, 1], [0.1, 0.9])) == "RiskCoverage(1 point, area 0)"


def test_certainties_that_are_equal_as_decimals_come_together() -> None:
    p = np.array([0.3, 0.7, 0.1 + 0.2, 1 - 0.3])
    for scale in (1, 1e6):
        curve = risk_coverage([0, 1, 1, 1], p, costs=scale * (1 - np.eye(2)))
        assert curve.coverage.tolist() == [1] and curve.risk.tolist() == [scale / 4]
    apart = risk_coverage([0, 1, 1, 1], p + np.array([0, 0, 1e-9, 0]))
    assert len(apart.risk) == 2


def test_limits_where_every_decision_is_the_dearest_error() -> None:
    """Costs that do not vary are those of 0 and 1: Wilson's limits of n of n, times the cost."""
    for cost in (1.0, 4.0):
        curve = risk_coverage([0, 1, 0, 1], [0.9, 0.2, 0.8, 0.3], costs=[[0, cost], [cost, 0]])
        assert curve.risk.tolist() == [cost] * 3 and curve.high.tolist() == [cost] * 3
        z = norm.ppf(0.975) ** 2
        assert curve.low == pytest.approx([cost * n / (n + z) for n in (1, 3, 4)])
        assert (curve.at(0.25), curve.area) == (cost, cost)


# Cost by share


@pytest.mark.parametrize("vary", NAMES)
def test_cost_by_share_with_weights(vary: str) -> None:
    place, shares, level = NAMES.index(vary), [0.07, 0.4, 0.85], 0.9
    curve = cost_by_share(
        Y, P, vary=vary, costs=COSTS, shares=shares, sample_weight=WEIGHTS, level=level
    )
    totals = np.array([WEIGHTS[k == CODES].sum() for k in range(3)])
    own = totals / totals.sum()
    for column, share in enumerate(shares):
        others = sum(own[k] for k in range(3) if k != place)
        priors = [share if k == place else (1 - share) * own[k] / others for k in range(3)]
        for name, ratios in (("fixed", np.ones(3)), ("adapted", np.array(priors) / own)):
            decided = decided_by(TABLE * ratios[:, None])
            rates, variance, sizes = np.zeros((3, 3)), 0.0, []
            for k in range(3):
                rows = [i for i in range(len(Y)) if k == CODES[i]]
                for i in rows:
                    rates[k, decided[i]] += WEIGHTS[i] / totals[k]
                mean = sum(rates[k, j] * TABLE[k, j] for j in range(3))
                among = sum((WEIGHTS[i] * (TABLE[k, decided[i]] - mean)) ** 2 for i in rows)
                n = len(rows)
                variance += priors[k] ** 2 * among / totals[k] ** 2 * n / (n - 1)
                sizes.append(totals[k] ** 2 / sum(WEIGHTS[i] ** 2 for i in rows))
            quantity = Linear(TABLE * np.array(priors)[:, None])
            low, high, *_ = quantity.interval(rates, np.array(sizes), level)
            values = [getattr(curve, name + end)[column] for end in ("", "_error", "_low", "_high")]
            wanted = [quantity.value(rates), math.sqrt(variance), low, high]
            assert values == pytest.approx(wanted, abs=1e-11)
    assert (curve.vary, curve.level) == (vary, level)
    assert curve.sample_share == pytest.approx(own[place]) and curve.share.tolist() == shares
    assert type(curve.sample_share) is float


def test_shares_and_options_of_cost_by_share() -> None:
    plain = cost_by_share(Y, P, vary="b")
    assert plain.share == pytest.approx([k / 100 for k in range(1, 100)]) and plain.level == 0.95
    assert cost_by_share(Y, P, vary="b", costs=1 - np.eye(3)).fixed.tolist() == plain.fixed.tolist()
    names = ["share", "fixed", "fixed_low", "fixed_high", "adapted", "adapted_low", "adapted_high"]
    frame = plain.frame()
    assert list(frame.columns) == names and len(frame) == 99
    assert all(frame[name].tolist() == getattr(plain, name).tolist() for name in names)
    assert repr(plain) == "PrevalenceCurve('b', 99 shares)"
    one = cost_by_share(Y, P, vary="b", shares=[0.5])
    assert repr(one) == "PrevalenceCurve('b', 1 share)"
    turned = cost_by_share(Y, P[:, [2, 0, 1]], labels=["c", "a", "b"], vary="b", costs=COSTS)
    assert turned.adapted == pytest.approx(cost_by_share(Y, P, vary="b", costs=COSTS).adapted)
    made = Predictions(Y, P, sample_weight=WEIGHTS)
    weighted = cost_by_share(Y, P, vary="b", sample_weight=WEIGHTS)
    assert cost_by_share(made, vary="b").fixed_low.tolist() == weighted.fixed_low.tolist()


def test_what_cost_by_share_refuses() -> None:
    for shares in ([0.5, 1.0], [0.0], [1.5], [math.nan], [[0.1, 0.2]], [], 0.5):
        with pytest.raises(InvalidInput, match="shares must be numbers between 0 and 1, got"):
            cost_by_share(Y, P, vary="a", shares=shares)
    assert len(cost_by_share(Y, P, vary="a", shares=[1e-9, 1 - 1e-9]).share) == 2
    with pytest.raises(UnknownName, match=r"vary 'd' is not a class\. There are"):
        cost_by_share(Y, P, vary="d")
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
        cost_by_share(Y, P, vary="a", level=0)
    with pytest.raises(InvalidInput, match="cost_by_share"):
        cost_by_share(Y, 3 * P - 1, vary="a")


def test_errors_need_two_cases_of_each_class_and_costs_do_not() -> None:
    y, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]
    two = cost_by_share(y, p, vary=1, shares=[0.25])
    assert two.fixed_error[0] == pytest.approx(math.sqrt(0.75**2 * 0.25 + 0.25**2 * 0.25))
    assert two.fixed[0] == 0.5 and np.isfinite(two.adapted_high).all()
    one = cost_by_share(y[:3], p[:3], vary=1, shares=[0.25])
    assert one.fixed[0] == pytest.approx(0.75 * 0.5 + 0.25)
    missed = cost_by_share(y[:3], p[:3], vary=1, shares=[0.25], costs=[[0, 0], [1, 0]])
    for name in ("fixed_error", "fixed_low", "fixed_high", "adapted_error", "adapted_low"):
        assert np.isnan(getattr(one, name)).all() and np.isnan(getattr(missed, name)).all()
