"""Net benefit: by loops, against dcurves, its errors by simulation, and costs of many classes."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from polyroc import Predictions
from polyroc.datasets import example_predictions
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.utility import compare_costs, decision_curves, utility_curves

RECORDED = Path(__file__).parents[1] / "published" / "calibration.json"


def drawn(n_cases, rng, n_classes=3):
    logits = rng.normal(size=(n_cases, n_classes))
    codes = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    raised = np.exp(logits + 0.5 * rng.normal(size=logits.shape))
    return codes, raised / raised.sum(axis=1, keepdims=True)


def twin_of_net_benefit(true, p, t, weights):
    """Share of true positives less t/(1 − t) times that of false ones, case by case."""
    total = 0.0
    for y, x, w in zip(true, p, weights, strict=True):
        if x >= t:
            total += w * (1 if y else -t / (1 - t))
    return total / sum(weights)


def test_the_curves_are_those_of_dcurves():
    """Recorded by tests/published/record_calibration.py."""
    y, models, labels = example_predictions()
    recorded = json.loads(RECORDED.read_text())
    found = decision_curves(y, models, labels=labels, thresholds=recorded["thresholds"])
    for label in labels:
        for strategy in found[label].strategies:
            expected = recorded["net_benefit"][f"{label}, {strategy}"]
            ours = found[label].value(strategy)
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


def test_values_and_errors_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    codes, q = drawn(120, rng)
    weights = rng.integers(1, 4, 120).astype(float)
    at = [0.0, 0.2, 0.45]
    curve = decision_curves(codes, {"m": q}, thresholds=at, sample_weight=weights)[1]
    for t, value, error in zip(at, curve.value("m"), curve.standard_errors[0], strict=True):
        twin = twin_of_net_benefit(codes == 1, q[:, 1], t, weights)
        assert value == pytest.approx(twin, abs=1e-14)
        gained = np.where(q[:, 1] >= t, np.where(codes == 1, 1, -t / (1 - t)), 0)
        parts = weights * (gained - value) / weights.sum()
        assert error == pytest.approx(math.sqrt((parts**2).sum() * 120 / 119))
    assert curve.value("all")[0] == pytest.approx(np.average(codes == 1, weights=weights))
    assert not curve.value("none").any()
    often = np.tile(np.arange(120), 2)
    grouped = decision_curves(codes[often], {"m": q[often]}, thresholds=at, groups=often)[1]
    plain = decision_curves(codes, {"m": q}, thresholds=at)[1]
    np.testing.assert_allclose(grouped.standard_errors, plain.standard_errors, rtol=1e-12)


def test_differences_are_paired():
    rng = np.random.default_rng(1)
    codes, q = drawn(300, rng)
    other = 0.9 * q + 0.1 / 3
    found = decision_curves(codes, {"a": q, "b": other}, thresholds=[0.3, 0.5])
    curve = found[2]
    difference = curve.difference("a", "b")
    gained = [
        np.where(each[:, 2] >= 0.3, np.where(codes == 2, 1, -0.3 / 0.7), 0) for each in (q, other)
    ]
    each = gained[0] - gained[1]
    assert difference.difference[0] == pytest.approx(each.mean())
    assert difference.standard_error[0] == pytest.approx(each.std(ddof=1) / math.sqrt(300))
    assert difference.standard_error[0] < np.hypot(*curve.standard_errors[:2, 0])
    frame = found.differences()
    assert frame.columns.tolist() == [
        *("class", "model_a", "model_b", "threshold", "difference"),
        *("standard_error", "low", "high", "p_value"),
    ]
    assert len(frame) == 3 * 2
    same = decision_curves(codes, {"a": q, "b": q}, thresholds=[0.3])[2].difference("a", "b")
    assert same.standard_error[0] == 0 and math.isnan(same.p_value[0])


def test_intervals_cover():
    rng = np.random.default_rng(2)
    truth = drawn(400_000, rng)
    exact = decision_curves(*_named(truth), thresholds=[0.2, 0.5])[1]
    covered = np.zeros(2)
    for _ in range(300):
        curve = decision_curves(*_named(drawn(250, rng)), thresholds=[0.2, 0.5])[1]
        reach = 1.97 * curve.standard_errors[0]
        covered += np.abs(curve.value("m") - exact.value("m")) <= reach
    assert ((covered / 300 > 0.91) & (covered / 300 < 0.985)).all()


def _named(cases):
    return cases[0], {"m": cases[1]}


def test_utility_of_two_classes_is_the_decision_curve_above_the_better_constant():
    rng = np.random.default_rng(3)
    codes, q = drawn(200, rng, 2)
    at = np.array([0.1, 0.3, 0.6])
    curve = decision_curves(codes, {"m": q}, thresholds=at)[1]
    found = utility_curves(
        codes, {"m": q}, costs=lambda t: {(1, 0): 1, (0, 1): t / (1 - t)}, over=at, name="threshold"
    )
    better = np.maximum(curve.value("all"), 0)
    np.testing.assert_allclose(found.value("m"), curve.value("m") - better, atol=1e-12)
    assert found.constants == tuple(np.where(curve.value("all") > 0, 1, 0).tolist())


def test_utility_of_many_classes_is_the_cost_saved():
    y, models, labels = example_predictions()
    costs = lambda x: {("rare", "common"): x, ("rare", "frequent"): x}  # noqa: E731
    found = utility_curves(y, models, costs=costs, over=[1, 5, 200], labels=labels)
    codes = np.array([labels.index(label) for label in y])
    for t, x in enumerate((1, 5, 200)):
        table = np.ones((3, 3)) - np.eye(3)
        table[2, :2] = x
        constant = min(table[codes, j].mean() for j in range(3))
        known = compare_costs(y, models, costs(x), labels=labels)
        for name in models:
            assert found.value(name)[t] == pytest.approx(constant - known[name].value)
    assert found.constants[0] == "common" and found.constants[-1] == "rare"
    assert found.where()[0].strategy in models


def test_where_tells_ranges_and_whether_they_are_clear():
    rng = np.random.default_rng(4)
    codes, q = drawn(3000, rng)
    noise = rng.dirichlet(np.ones(3), 3000)
    at = np.arange(1, 20) / 20
    curve = decision_curves(codes, {"good": q, "noise": noise}, thresholds=at)[0]
    ranges = curve.where()
    assert ranges[0].start == at[0] and ranges[-1].end == at[-1]
    middle = [each for each in ranges if each.strategy == "good" and each.clear]
    assert middle and all(each.strategy != "noise" for each in ranges)
    assert "good" in repr(curve)
    best = curve.frame()
    assert best[best["best"]].sort_values("threshold")["strategy"].tolist() == [
        each.strategy for each in ranges for t in at if each.start <= t <= each.end
    ]


def test_errors_say_what_is_wrong():
    codes, q = drawn(30, np.random.default_rng(5))
    with pytest.raises(InvalidInput, match=r"thresholds must lie in \[0, 1\), got 0.5 to 1"):
        decision_curves(codes, {"m": q}, thresholds=[0.5, 1])
    with pytest.raises(InvalidInput, match="thresholds must be increasing finite numbers"):
        decision_curves(codes, {"m": q}, thresholds=[0.5, 0.2])
    with pytest.raises(InvalidType, match="over must be numbers, got 'low'"):
        utility_curves(codes, {"m": q}, costs=lambda x: np.eye(3), over="low")
    with pytest.raises(InvalidInput, match=r"'all' is the name of a strategy. Rename the model"):
        decision_curves(codes, {"all": q})
    with pytest.raises(InvalidType, match="costs must be a function of a number"):
        utility_curves(codes, {"m": q}, costs={(0, 1): 2}, over=[1, 2])
    with pytest.raises(NotDefined, match="Net benefit needs probabilities"):
        decision_curves(codes, {"m": 2 * q})
    with pytest.raises(UnknownName, match=r"7 has no curve. There are 0, 1, 2."):
        decision_curves(codes, {"m": q})[7]
    with pytest.raises(UnknownName, match=r"'x' is not a strategy. There are m, all, none."):
        decision_curves(codes, {"m": q})[0].value("x")
    given = {"a": Predictions(codes, q), "b": Predictions(np.roll(codes, 1), q)}
    with pytest.raises(InvalidInput, match="The models have different true classes"):
        decision_curves(given)
