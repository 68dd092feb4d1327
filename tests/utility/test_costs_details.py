"""Operating points, costs of models and net benefit: options, ends of ranges and words."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from polyroc import Predictions
from polyroc.curves import roc_curve
from polyroc.curves._binormal import BinormalCurve
from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.surface._point_certainty import Linear
from polyroc.utility import (
    CostComparison,
    CostDifference,
    best_operating_point,
    cheapest,
    compare_costs,
    decision_curves,
    expected_cost,
    expected_utility,
    unit_costs,
    utility_curves,
)

U2 = [[3.0, -1.0], [-4.0, 2.0]]
PRIORS = [0.8, 0.2]


def test_utilities_taken_apart_by_hand() -> None:
    costs = unit_costs(U2, PRIORS)
    losses = [(3 + 1) * 0.8, (2 + 4) * 0.2]
    scale = math.hypot(*losses)
    assert costs.scale == pytest.approx(scale)
    np.testing.assert_allclose(costs.direction, np.array(losses) / scale)
    assert costs.gain == pytest.approx((3 * 0.8 + 2 * 0.2) / scale)
    assert costs.slope == pytest.approx(losses[0] / losses[1])
    again = unit_costs(U2, PRIORS)
    assert costs == costs and costs != again
    with pytest.raises(AttributeError):
        costs.scale = 1.0  # type: ignore[misc]


def test_an_error_must_cost_something() -> None:
    with pytest.raises(InvalidInput) as reason:
        unit_costs([[1.0, 0.0], [2.0, 2.0]], PRIORS)  # as good as the right decision
    assert str(reason.value) == (
        "utilities give an error at least the utility of the correct decision for its truth, got "
        "[[1.0, 0.0], [2.0, 2.0]]. First index is the truth, second the decision; the diagonal "
        "must be the highest of its row."
    )
    for table in ([[0.0]], [[0.0, -1], [-1, 0], [0, 0]], [0.0, 1.0], np.zeros((2, 2, 2))):
        with pytest.raises(InvalidInput, match="utilities must be K × K, got shape"):
            unit_costs(table, PRIORS)
    with pytest.raises(InvalidInput, match="utilities must be finite, got"):
        unit_costs([[0.0, -math.inf], [-1, 0]], PRIORS)
    with pytest.raises(InvalidInput) as slope:
        _ = unit_costs([[0, -1, -1], [-1, 0, -1], [-1, -1, 0]], [1, 1, 1]).slope
    assert str(slope.value).startswith("A slope belongs to two classes, got 6 kinds of errors.")


def test_confusion_matrices_are_checked() -> None:
    for value in (expected_utility, expected_cost):
        for confusion in ([[1, -1], [2, 3]], [[1, math.nan], [2, 3]], [[math.inf, 1], [1, 1]],
                          [[0, 0], [1, 1]]):  # fmt: skip
            with pytest.raises(InvalidInput) as reason:
                value(confusion, U2)
            assert str(reason.value).startswith(
                "confusion must contain finite non-negative numbers, with a case in every row, got"
            )
        with pytest.raises(InvalidInput) as shape:
            value([[1, 2, 3], [4, 5, 6]], U2)
        assert str(shape.value).startswith(
            "confusion has the shape (2, 3) but utilities are for 2 classes."
        )
    assert expected_utility([[0, 4], [1, 0]], U2) == pytest.approx(-0.8 - 0.8)
    assert expected_cost([[4, 0], [0, 1]], U2) == 0


def test_the_first_of_the_cheapest_points() -> None:
    rates = [[0.5, 0.5], [0.2, 0.3], [0.2, 0.3], [0.0, 1.0]]
    assert cheapest(rates, U2, PRIORS) == 1
    assert type(cheapest(rates, U2, PRIORS)) is int
    for points in ([0.1, 0.2], np.empty((0, 2)), np.zeros((2, 6)), np.zeros((1, 1, 2))):
        with pytest.raises(InvalidInput) as reason:
            cheapest(points, U2, PRIORS)
        assert str(reason.value) == (
            f"rates have the shape {np.shape(points)}; expected points and 2 kinds of errors."
        )


def test_misses_count_down_to_the_last_digit_of_their_rate() -> None:
    curve = roc_curve([0, 1, 1], [0.0, 1, 2], sample_weight=[1, 2**-53, 1 - 2**-53])
    point = best_operating_point(curve, U2, PRIORS)
    assert (point.threshold, point.false_positive_rate, point.true_positive_rate) == (1.0, 0, 1)


def test_the_rates_of_points_may_be_decimals() -> None:
    """At losses of 3.2 and 1.2 the points cost 2.2, 1.0 and 1.2."""
    rates = [["0.5", "0.5"], ["0.2", "0.3"], ["0", "1"]]
    assert cheapest([[Decimal(each) for each in row] for row in rates], U2, PRIORS) == 1


def test_of_equal_points_the_strictest_threshold_is_taken() -> None:
    curve = roc_curve([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0])
    point = best_operating_point(curve, [[0, -1], [-1, 0]], [0.5, 0.5])
    assert (point.threshold, point.false_positive_rate, point.true_positive_rate) == (4.0, 0, 0.5)
    half = math.sqrt(0.5)
    assert point.expected_cost == pytest.approx(0.5 * half)
    assert point.expected_utility == pytest.approx(-0.25) and point.slope == 1
    again = best_operating_point(curve, [[0, -1], [-1, 0]], [0.5, 0.5])
    assert point == again and "OperatingPoint(false_positive_rate=0.0" in repr(point)


def test_a_smooth_curve_is_asked_for_its_slope() -> None:
    curve = BinormalCurve(1.2, 0.8)
    point = best_operating_point(curve, U2, PRIORS)
    slope = 4 * 0.8 / (6 * 0.2)
    false, true = curve.at_slope(slope)
    assert (point.false_positive_rate, point.true_positive_rate) == (false, true)
    assert point.slope == pytest.approx(slope) and point.threshold is None
    worth = 0.8 * (3 * (1 - false) - false) + 0.2 * (2 * true - 4 * (1 - true))
    assert point.expected_utility == pytest.approx(worth)
    scale = math.hypot(3.2, 1.2)
    assert point.expected_cost == pytest.approx((3.2 * false + 1.2 * (1 - true)) / scale)


# Costs of models

LABELS = ("a", "b", "c")
TABLE = np.array([[0, 4, 1], [1, 0, 1], [2, 1, 0.0]])
COSTS = {("a", "b"): 4, ("c", "a"): 2}
Y = np.repeat(LABELS, [14, 9, 6])
WEIGHTS = np.random.default_rng(8).uniform(0.5, 2, 29)


def model(seed, n=29):
    rng = np.random.default_rng(seed)
    raised = np.exp(1.2 * np.eye(3)[np.repeat([0, 1, 2], [14, 9, 6])[:n]] + rng.normal(size=(n, 3)))
    return raised / raised.sum(axis=1, keepdims=True)


MODELS = {"x": model(0), "y": model(1), "z": model(2)}


def paid_by_loops(p, ratios=(1.0, 1.0, 1.0)):
    found, confusion = [], np.zeros((3, 3))
    for truth, row, weight in zip(Y, p, WEIGHTS, strict=True):
        t = LABELS.index(truth)
        each = [sum(row[k] * ratios[k] * TABLE[k, j] for k in range(3)) for j in range(3)]
        decided = each.index(min(each))
        found.append(TABLE[t, decided])
        confusion[t, decided] += weight
    return np.array(found), confusion / confusion.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("priors", [None, {"a": 0.2, "b": 0.5, "c": 0.3}])
def test_weighted_costs_and_paired_differences_by_loops(priors) -> None:
    found = compare_costs(Y, MODELS, COSTS, sample_weight=WEIGHTS, priors=priors)
    sums = np.array([WEIGHTS[label == Y].sum() for label in LABELS])
    own = sums / sums.sum()
    shares = own if priors is None else np.array([0.2, 0.5, 0.3])
    np.testing.assert_allclose(found.priors, shares)
    np.testing.assert_array_equal(found.costs, TABLE)
    assert found.classes == LABELS and list(found) == ["x", "y", "z"] and len(found) == 3
    paid = {}
    effective = [s * s / (WEIGHTS[k == Y] ** 2).sum() for s, k in zip(sums, LABELS, strict=True)]
    for name, p in MODELS.items():
        paid[name], confusion = paid_by_loops(p, shares / own)
        np.testing.assert_allclose(found[name].confusion, confusion)
        value = sum(shares[t] * confusion[t] @ TABLE[t] for t in range(3))
        assert found[name].value == pytest.approx(value)
        quantity = Linear(TABLE * shares[:, None])
        for level in (0.95, 0.8):
            expected = quantity.interval(confusion, np.array(effective), level)
            got = found[name].interval(level)
            assert (got.low, got.high) == pytest.approx((expected.low, expected.high))
        assert found[name].interval() == found[name].interval(0.95)
        low, high, *_ = found[name].interval()
        assert repr(found[name]) == (
            f"expected cost = {value:.4f} (95 % interval {low:.4f} to {high:.4f})"
        )
        with pytest.raises(InvalidInput, match="level"):
            found[name].interval(95)
    for row, (a, b) in zip(found.differences, (("x", "y"), ("x", "z"), ("y", "z")), strict=True):
        apart = paid[a] - paid[b]
        means = [np.average(apart[k == Y], weights=WEIGHTS[k == Y]) for k in LABELS]
        assert (row.model_a, row.model_b) == (a, b)
        assert row.difference == pytest.approx(shares @ means)
        variance = 0.0
        for k in range(3):
            inside = LABELS[k] == Y
            w, n = WEIGHTS[inside], inside.sum()
            parts = shares[k] * w * (apart[inside] - means[k]) / w.sum()
            variance += (parts**2).sum() * n / (n - 1)
        assert row.standard_error == pytest.approx(math.sqrt(variance), rel=0.02)
        ratio = abs(row.difference) / row.standard_error
        assert row.p_value == pytest.approx(2 * student.sf(ratio, row.degrees_of_freedom))
        assert 2 < row.degrees_of_freedom < 26


def test_priors_of_the_sample_change_nothing() -> None:
    plain = compare_costs(Y, MODELS, COSTS)
    given = compare_costs(Y, MODELS, COSTS, priors=[14 / 29, 9 / 29, 6 / 29])
    for name in MODELS:
        assert plain[name].value == pytest.approx(given[name].value)


def test_labels_and_scores_that_do_not_add_up_to_1() -> None:
    plain = compare_costs(Y, MODELS, COSTS)
    order = [2, 0, 1]
    turned = {name: p[:, order] for name, p in MODELS.items()}
    named = compare_costs(Y, turned, COSTS, labels=["c", "a", "b"])
    raised = {name: p * np.linspace(1, 3, 29)[:, None] for name, p in MODELS.items()}
    divided = compare_costs(Y, raised, COSTS, normalize=True)
    for name in MODELS:
        assert named[name].value == pytest.approx(plain[name].value)
        assert divided[name].value == pytest.approx(plain[name].value)
    np.testing.assert_array_equal(named.costs, TABLE[np.ix_(order, order)])
    assert named.classes == ("c", "a", "b")
    with pytest.raises(ValueError, match="probabilities"):
        compare_costs(Y, raised, COSTS)


def difference(p_value: float, name: str = "x") -> CostDifference:
    return CostDifference(name, "y", -0.25, 0.1, 12.5, p_value)


def test_intervals_of_differences_and_their_table() -> None:
    row = difference(0.03)
    assert math.isnan(row.p_adjusted)
    for level in (0.95, 0.9):
        reach = student.ppf((1 + level) / 2, 12.5) * 0.1
        got = row.interval(level)
        assert (got.low, got.high) == pytest.approx((-0.25 - reach, -0.25 + reach))
        assert got.level == level and got.scale == "plain"
    assert row.interval() == row.interval(0.95)
    both = CostComparison({}, (row, difference(0.5, "w")), TABLE, np.ones(3) / 3, LABELS)
    frame = both.frame(0.9)
    assert frame.columns.tolist() == [
        *("model_a", "model_b", "difference", "standard_error", "low", "high"),
        *("p_value", "p_adjusted"),
    ]
    assert frame["low"].tolist() == [row.interval(0.9).low] * 2
    assert frame["high"].tolist() == [row.interval(0.9).high] * 2
    assert frame["p_value"].tolist() == [0.03, 0.5]
    assert both.frame()["low"].tolist() == [row.interval(0.95).low] * 2


def test_p_values_are_adjusted_by_holm() -> None:
    found = compare_costs(Y, MODELS, COSTS, sample_weight=WEIGHTS)
    ordered = sorted(found.differences, key=lambda row: row.p_value)
    highest = 0.0
    for times, row in zip((3, 2, 1), ordered, strict=True):
        highest = max(highest, min(1, times * row.p_value))
        assert row.p_adjusted == pytest.approx(highest)


def test_what_a_comparison_prints() -> None:
    alone = compare_costs(Y, {"x": MODELS["x"]}, COSTS)
    assert repr(alone) == f"x: {alone['x']}" and alone.differences == ()
    both = compare_costs(Y, {"x": MODELS["x"], "y": MODELS["y"]}, COSTS)
    lines = repr(both).splitlines()
    assert lines[:2] == [f"x: {both['x']}", f"y: {both['y']}"] and "model_a" in lines[2]
    with pytest.raises(UnknownName) as reason:
        both["w"]
    assert str(reason.value) == "'w' is not a model. There are x, y."
    with pytest.raises(InvalidType, match=r"models must map names to scores, got \{\}"):
        compare_costs(Y, {}, COSTS)


def test_a_class_of_one_case_has_no_interval() -> None:
    kept = [*range(23), 28]
    found = compare_costs(Y[kept], {"x": MODELS["x"][kept]}, COSTS)["x"]
    assert repr(found) == f"expected cost = {found.value:.4f} (no interval: a class has one case)"


def test_models_with_classes_in_another_order_are_refused() -> None:
    given = {
        "one": Predictions(Y, MODELS["x"], labels=LABELS),
        "two": Predictions(Y, MODELS["y"], labels=("c", "a", "b")),
    }
    with pytest.raises(InvalidInput, match="The models have different classes"):
        decision_curves(given)


# Net benefit

CODES = np.repeat([0, 1, 2], [14, 9, 6])


@pytest.mark.parametrize("grouped", [False, True])
def test_curves_of_all_classes_by_loops(grouped) -> None:
    """A case is acted on where its probability is at least t, and not 0."""
    p = np.round(MODELS["x"], 1)
    p[:, 0] = 1 - p[:, 1] - p[:, 2]
    p = np.clip(p, 0, 1)
    groups = np.arange(29) // 3 if grouped else None
    at = [0.0, 0.1, 0.3, 0.7]
    found = decision_curves(CODES, {"m": p}, thresholds=at, sample_weight=WEIGHTS, groups=groups)
    assert list(found) == [0, 1, 2] and len(found) == 3
    for k in range(3):
        curve = found[k]
        assert curve.strategies == ("m", "all", "none") and curve.n_models == 1
        assert curve.position == "threshold" and curve.positions.tolist() == at
        assert curve.degrees_of_freedom == (9 if grouped else 28)
        for i, t in enumerate(at):
            total = {"m": 0.0, "all": 0.0}
            for truth, row, w in zip(CODES, p, WEIGHTS, strict=True):
                gain = w * (1 if truth == k else -t / (1 - t))
                total["all"] += gain
                if row[k] >= t - 1e-12 and row[k] > 0:
                    total["m"] += gain
            assert curve.value("m")[i] == pytest.approx(total["m"] / WEIGHTS.sum())
            assert curve.value("all")[i] == pytest.approx(total["all"] / WEIGHTS.sum())
            assert curve.value("none")[i] == 0


def test_groups_of_predictions_are_used() -> None:
    groups = np.arange(29) // 3
    cases = {"m": Predictions(CODES, MODELS["x"], groups=groups)}
    known = decision_curves(CODES, {"m": MODELS["x"]}, thresholds=[0.2, 0.4], groups=groups)
    found = decision_curves(cases, thresholds=[0.2, 0.4])
    for k in range(3):
        assert found[k].degrees_of_freedom == known[k].degrees_of_freedom == 9
        np.testing.assert_allclose(found[k].covariances, known[k].covariances)
    over = {"costs": lambda x: {(2, 0): x}, "over": [1, 3]}
    one, other = (
        utility_curves(cases, **over),
        utility_curves(CODES, {"m": MODELS["x"]}, groups=groups, **over),
    )
    np.testing.assert_allclose(one.covariances, other.covariances)


def test_thresholds_by_default_are_hundredths() -> None:
    curve = decision_curves(CODES, {"m": MODELS["x"]})[1]
    assert curve.positions.tolist() == [i / 100 for i in range(100)]


def test_of_two_classes_the_second_alone_has_a_curve() -> None:
    y = np.where(CODES == 0, "no", "yes")
    p = np.column_stack([1 - MODELS["x"][:, 0], MODELS["x"][:, 0]])
    found = decision_curves(y, {"m": p}, thresholds=[0.5])
    assert list(found) == ["yes"]
    turned = decision_curves(y, {"m": p}, labels=["yes", "no"], thresholds=[0.5])
    assert list(turned) == ["no"]
    with pytest.raises(UnknownName, match="'no' has no curve"):
        found["no"]


def test_tables_of_all_classes() -> None:
    models = {"m": MODELS["x"], "n": MODELS["y"]}
    found = decision_curves(CODES, models, thresholds=[0.2, 0.4])
    frame, moved = found.frame(0.8), found.differences(0.8)
    assert frame.columns[0] == moved.columns[0] == "class"
    assert frame["class"].tolist() == [k for k in range(3) for _ in range(8)]
    assert moved["class"].tolist() == [k for k in range(3) for _ in range(2)]
    for k in range(3):
        own = frame[frame["class"] == k].drop(columns="class").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, found[k].frame(0.8), check_dtype=False)
        own = moved[moved["class"] == k].drop(columns="class").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, found[k].differences(0.8), check_dtype=False)
    plain = found.frame()
    pd.testing.assert_frame_equal(plain, found.frame(0.95))
    pd.testing.assert_frame_equal(found.differences(), found.differences(0.95))
    assert not plain["low"].equals(frame["low"])


def test_savings_by_loops() -> None:
    def costs(x):
        table = np.array([[0, x, 1], [2, 0, 1], [x, 3, 0]])
        return {(t, d): float(table[t, d]) for t in range(3) for d in range(3) if t != d}

    models = {"m": MODELS["x"], "n": MODELS["y"]}
    found = utility_curves(
        CODES, models, costs=costs, over=[0.5, 2, 9], name="price", sample_weight=WEIGHTS
    )
    assert found.position == "price" and found.positions.tolist() == [0.5, 2, 9]
    assert found.strategies == ("m", "n", "best constant") and found.n_models == 2
    assert found.degrees_of_freedom == 28 and found.covariances.shape == (3, 3, 3)
    constants = []
    for i, x in enumerate((0.5, 2, 9)):
        table = np.zeros((3, 3))
        for (t, d), cost in costs(x).items():
            table[t, d] = cost
        each = [np.average(table[CODES, d], weights=WEIGHTS) for d in range(3)]
        constants.append(each.index(min(each)))
        for name, p in models.items():
            spent = p @ table
            saved = table[CODES, constants[-1]] - table[CODES, spent.argmin(axis=1)]
            assert found.value(name)[i] == pytest.approx(np.average(saved, weights=WEIGHTS))
        assert found.value("best constant")[i] == 0
    assert found.constants == tuple(constants)
    plain = utility_curves(CODES, models, costs=costs, over=[2])
    assert plain.position == "cost"
    turned = {name: p[:, [2, 0, 1]] for name, p in models.items()}
    same = utility_curves(CODES, turned, costs=costs, over=[2], labels=[2, 0, 1])
    np.testing.assert_allclose(same.values, plain.values)


def test_thresholds_and_values_in_order() -> None:
    given = (CODES, {"m": MODELS["x"]})
    for at in ([0.2, 0.2], [0.3, 0.2], [], [[0.1, 0.2]], [0.1, math.nan]):
        with pytest.raises(InvalidInput, match="thresholds must be increasing finite numbers, got"):
            decision_curves(*given, thresholds=at)
    for at, words in (([-0.01, 0.2], "got -0.01 to 0.2"), ([0.5, 1.0], "got 0.5 to 1")):
        with pytest.raises(InvalidInput) as reason:
            decision_curves(*given, thresholds=at)
        assert str(reason.value) == f"thresholds must lie in [0, 1), {words}."
    assert decision_curves(*given, thresholds=(0.0, 0.999))[0].positions.tolist() == [0, 0.999]
    with pytest.raises(InvalidInput, match="over must be increasing finite numbers"):
        utility_curves(*given, costs=lambda x: {(0, 1): x}, over=[1, math.inf])
    with pytest.raises(InvalidInput, match="'best constant' is the name of a strategy"):
        utility_curves(CODES, {"best constant": MODELS["x"]}, costs=lambda x: {}, over=[1])
    for name in ("all", "none"):
        with pytest.raises(InvalidInput, match=f"'{name}' is the name of a strategy"):
            decision_curves(CODES, {"m": MODELS["x"], name: MODELS["y"]})
    free = utility_curves(CODES, {"all": MODELS["x"]}, costs=lambda x: {(0, 1): x}, over=[1])
    assert free.strategies == ("all", "best constant")
