"""The volume of one ordered marker with its interval."""

import math
from itertools import product

import numpy as np
import pytest

from polyroc import Bootstrap, Design, estimate_ordinal_vus, evaluate, ordinal_vus
from polyroc.errors import InvalidInput


def credit(values: tuple[float, ...]) -> float:
    if list(values) != sorted(values):
        return 0.0
    return 1 / math.prod(math.factorial(values.count(value)) for value in set(values))


def by_tuples(y: list[int], marker: list[float], w: list[float], n_classes: int):
    """Value and standard error, from the mean credit of the tuples through each case."""
    members = [[i for i, k in enumerate(y) if k == j] for j in range(n_classes)]
    through, total = [0.0] * len(y), 0.0
    for cases in product(*members):
        got = credit(tuple(marker[i] for i in cases)) * math.prod(w[i] for i in cases)
        total += got
        for i in cases:
            through[i] += got / w[i]
    weights = [sum(w[i] for i in each) for each in members]
    value = total / math.prod(weights)
    variance = 0.0
    for own, weight in zip(members, weights, strict=True):
        others = math.prod(weights) / weight
        moved = [w[i] / weight * (through[i] / others - value) for i in own]
        variance += len(own) / (len(own) - 1) * sum(u * u for u in moved)
    return value, math.sqrt(variance)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_against_all_tuples(n_classes):
    for seed, width in enumerate((None, 4, 2)):
        rng = np.random.default_rng([seed, n_classes])
        y = np.append(np.arange(n_classes), rng.integers(0, n_classes, 20))
        y = np.append(y, np.arange(n_classes))
        noise = rng.normal(size=len(y)) if width is None else rng.integers(0, width, len(y))
        marker, w = noise + 0.5 * y, rng.integers(1, 5, len(y)) / 2
        found = estimate_ordinal_vus(y, marker, sample_weight=w)
        value, error = by_tuples(y.tolist(), marker.tolist(), w.tolist(), n_classes)
        assert math.isclose(found.value, value, rel_tol=1e-12, abs_tol=1e-15)
        assert found.value == ordinal_vus(y, marker, sample_weight=w)
        assert math.isclose(found.standard_error, error, rel_tol=1e-11)


def test_two_classes_are_the_auc_and_three_have_limits_at_one():
    rng = np.random.default_rng(1)
    y, noise = np.repeat([0, 1], 300), rng.normal(size=600)
    groups = np.arange(600) // 2
    found = estimate_ordinal_vus(y, noise + y, groups=Design(groups))
    expected = evaluate(y, noise + y, ["roc_auc"], groups=groups)["roc_auc"]
    assert math.isclose(found.standard_error, expected.standard_error, rel_tol=1e-12)
    assert found.degrees_of_freedom == pytest.approx(expected.degrees_of_freedom)
    perfect = estimate_ordinal_vus(np.repeat(["a", "b", "c"], 10), np.arange(30))
    low, high, *_ = perfect.interval()
    assert perfect.value == 1 and high == 1 and 0.5 < low < 0.95
    assert perfect.test(1 / 6).p_value < 0.001


def test_folds_bootstrap_and_orders():
    rng = np.random.default_rng(2)
    y = np.repeat(["low", "mid", "high"], 40)
    marker = rng.normal(size=120) + np.repeat([0, 1, 2], 40)
    order = ["low", "mid", "high"]
    found = estimate_ordinal_vus(y, marker, labels=order)
    drawn = estimate_ordinal_vus(y, marker, labels=order, interval=Bootstrap(400), rng=1)
    assert drawn.method == "bootstrap" and drawn.value == found.value
    assert drawn.standard_error == pytest.approx(found.standard_error, rel=0.15)
    folds = np.arange(120) % 2
    within = estimate_ordinal_vus(y, marker, labels=order, folds=folds)
    means = [ordinal_vus(y[folds == v], marker[folds == v], labels=order) for v in (0, 1)]
    assert within.value == pytest.approx(np.mean(means), rel=1e-12)
    assert math.isnan(estimate_ordinal_vus(y, marker, interval=None).standard_error)
    assert estimate_ordinal_vus(y, -marker, labels=order[::-1]).value == found.value
    with pytest.raises(InvalidInput, match="marker must have one value per case"):
        estimate_ordinal_vus(y, np.ones((120, 3)))
