"""Expected costs of models at given costs, paired."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from polyroc.errors import InvalidType, UnknownName
from polyroc.utility import compare_costs, decision_curves

COSTS = {("a", "b"): 4, ("c", "a"): 2}
TABLE = np.array([[0, 4, 1], [1, 0, 1], [2, 1, 0.0]])
LABELS = ("a", "b", "c")


def models(n, seed=0, noise=(1.0, 1.3)):
    rng = np.random.default_rng(seed)
    y = np.tile(np.arange(3), n)
    found = {}
    for name, scale in zip("xyz", noise, strict=False):
        powers = np.exp(1.5 * np.eye(3)[y] + scale * rng.normal(size=(3 * n, 3)))
        found[name] = powers / powers.sum(axis=1, keepdims=True)
    return np.array(LABELS)[y], found


def paid(y, p, table=TABLE, ratios=(1, 1, 1)):
    """What each case costs, by loops."""
    found = []
    for truth, row in zip(y, p, strict=True):
        weighted = [q * r for q, r in zip(row, ratios, strict=True)]
        expected = [sum(table[k][j] * weighted[k] for k in range(3)) for j in range(3)]
        found.append(table[LABELS.index(truth)][int(np.argmin(expected))])
    return np.array(found)


def test_costs_and_differences_by_loops():
    y, found = models(40)
    result = compare_costs(y, found, COSTS)
    costs = {name: paid(y, p) for name, p in found.items()}
    for name in found:
        assert result[name].value == pytest.approx(costs[name].mean())
        low, high, *_ = result[name].interval()
        assert low < result[name].value < high
    (row,) = result.differences
    moved = costs["x"] - costs["y"]
    classes = [moved[y == label] for label in LABELS]
    variances = [each.var(ddof=1) / 9 / len(each) for each in classes]
    assert row.difference == pytest.approx(moved.mean())
    assert row.standard_error == pytest.approx(math.sqrt(sum(variances)))
    assert row.p_value == pytest.approx(ttest_rel(costs["x"], costs["y"]).pvalue, abs=0.03)
    assert row.interval().low < row.difference < row.interval().high
    assert row.p_adjusted == row.p_value
    np.testing.assert_array_equal(result.costs, TABLE)


def test_priors_adjust_decisions_and_weights():
    y, found = models(30)
    priors = np.array([0.6, 0.3, 0.1])
    result = compare_costs(y, found, COSTS, priors=priors)
    costs = paid(y, found["x"], ratios=3 * priors)
    expected = sum(w * costs[y == label].mean() for w, label in zip(priors, LABELS, strict=True))
    assert result["x"].value == pytest.approx(expected)


def test_copies_are_weights_and_holm():
    y, found = models(20, noise=(1.0, 1.2, 1.4))
    weights = np.tile([1.0, 2.0, 3.0], len(y) // 3)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = compare_costs(y, found, COSTS, sample_weight=weights)
    copied = compare_costs(y[rows], {name: p[rows] for name, p in found.items()}, COSTS)
    for a, b in zip(weighted.differences, copied.differences, strict=True):
        assert a.difference == pytest.approx(b.difference)
    p = sorted(each.p_value for each in weighted.differences)
    adjusted = sorted(each.p_adjusted for each in weighted.differences)
    assert adjusted[0] == pytest.approx(min(1, 3 * p[0]))
    assert len(weighted.frame()) == 3


def test_what_has_no_error_and_refusals():
    y, found = models(10)
    same = compare_costs(y, {"x": found["x"], "again": found["x"]}, COSTS)
    assert same.differences[0].difference == 0 and math.isnan(same.differences[0].p_value)
    perfect = compare_costs(y, {"x": np.eye(3)[np.tile(np.arange(3), 10)]}, COSTS)["x"]
    assert perfect.value == 0 and perfect.interval().high > 0.1
    with pytest.raises(InvalidType, match="models must map names to scores"):
        compare_costs(y, found["x"], COSTS)
    with pytest.raises(UnknownName, match="'w' is not a model"):
        same["w"]


def test_named_columns_are_matched_by_name():
    """Frames with their columns in other orders are the same models."""
    y, given = models(20)
    frames = {
        name: pd.DataFrame(p, columns=list(LABELS))[list(order)]
        for (name, p), order in zip(given.items(), ("cab", "abc"), strict=True)
    }
    wanted, found = (compare_costs(y, each, COSTS) for each in (given, frames))
    for name in given:
        assert found[name].value == wanted[name].value
    assert found.differences[0].standard_error == pytest.approx(
        wanted.differences[0].standard_error
    )
    curves = [decision_curves(y, each, thresholds=[0.2, 0.5]) for each in (given, frames)]
    for label in LABELS:
        for name in given:
            assert curves[0][label].value(name).tolist() == curves[1][label].value(name).tolist()
