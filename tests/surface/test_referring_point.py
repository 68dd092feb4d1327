"""Operating points that refer cases, against every point and every threshold tried one by one."""

import itertools

import numpy as np
import pandas as pd
import pytest

from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface import RocSurface, ScoreModel, search

CLASSES = ("a", "b", "c")
STRICT = {(0, 1): 0.0, (0, 2): 0.0, (1, 0): 0.25, (1, 2): 0.25, (2, 0): 0.4, (2, 1): 0.4}


def twelve(seed: int, weighted: bool = False):
    """Twelve cases of three classes, with tied probabilities."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), 4)
    p = np.array([rng.multinomial(10, np.array([2.0, 2, 2]) / 6 + 0 * k) for k in y]) + np.eye(3)[y]
    p = p * 3 + 1
    weights = rng.integers(1, 4, 12) / 2 if weighted else np.ones(12)
    return y, p / p.sum(axis=1, keepdims=True), weights


def brute_force(surface, y, p, weights, costs, priors, limits, most):
    """(value, referred) of the best of all points and thresholds, by plain loops."""
    best = None
    totals = [sum(weights[y == k]) for k in range(3)]
    ratios = [priors[k] * sum(weights) / totals[k] for k in range(3)]
    posterior = [[row[k] * ratios[k] for k in range(3)] for row in p]
    posterior = [[each / sum(row) for each in row] for row in posterior]
    for table in surface.costs:
        every = [
            [sum(p[i, k] * table[k, j] for k in range(3)) for j in range(3)] for i in range(12)
        ]
        decided = [next(j for j in range(3) if row[j] <= min(row) * (1 + 1e-12)) for row in every]
        excess = [
            sum(posterior[i][k] * (costs[k, decided[i]] - costs[k, 3]) for k in range(3))
            for i in range(12)
        ]
        for threshold in [np.inf, -np.inf, *(each + 1e-10 for each in excess)]:
            confusion = np.zeros((3, 4))
            for i in range(12):
                decision = 3 if excess[i] > threshold else decided[i]
                confusion[y[i], decision] += weights[i] / totals[y[i]]
            referred = sum(priors[k] * confusion[k, 3] for k in range(3))
            value = sum(
                priors[k] * confusion[k, j] * costs[k, j]
                for k, j in itertools.product(range(3), range(4))
            )
            kept = all(confusion[pair] <= limit + 1e-9 for pair, limit in limits.items())
            if kept and referred <= most + 1e-9:
                found = round(value, 9), round(referred, 9)
                best = found if best is None else min(best, found)
    return best


def test_brute_force() -> None:
    """Costs, limits, priors, weights and costs of referring; where none fits, both say so."""
    refused = found = 0
    for seed, most in itertools.product(range(4), (0.0, 0.2, 1.0)):
        y, p, weights = twelve(seed, weighted=seed % 2 == 1)
        names = [CLASSES[k] for k in y]
        model = ScoreModel(names, p, labels=list(CLASSES), sample_weight=weights)
        surface = search(model, generations=3, rng=seed, progress=False)
        shares = np.array([sum(weights[y == k]) for k in range(3)]) / sum(weights)
        plain = np.column_stack([1 - np.eye(3), np.zeros(3)])
        dear = np.array([[0, 1, 2, 0.3], [3, 0, 1, 0.2], [1, 1, 0, 0.4]])
        strict = {(CLASSES[k], CLASSES[j]): most for (k, j), most in STRICT.items()}
        for options, costs, priors, limits in [
            ({"criterion": "total_error"}, plain, shares, {}),
            ({"limits": strict}, plain, shares, STRICT),
            ({"costs": dear, "priors": [0.2, 0.5, 0.3]}, dear, np.array([0.2, 0.5, 0.3]), {}),
            (
                {"costs": dear[:, :3], "refer_cost": 0.1, "limits": {("a", "b"): 0.3}},
                np.column_stack([dear[:, :3], np.full(3, 0.1)]), shares, {(0, 1): 0.3},
            ),
        ]:  # fmt: skip
            wanted = brute_force(surface, y, p, weights, costs, priors, limits, most)
            if wanted is None:
                refused += 1
                with pytest.raises(NotDefined, match="No operating point meets the limits if at"):
                    surface.choose(reject_at_most=most, **options)
                continue
            found += 1
            point = surface.choose(reject_at_most=most, **options)
            value, referred = wanted
            assert point.value == pytest.approx(value, abs=2e-9)
            assert point.referred == pytest.approx(referred, abs=2e-9)
            assert point.referred <= most + 1e-9
            assert point.coverage == 1 - point.referred
            assert all(point.confusion[pair] <= limit + 1e-9 for pair, limit in limits.items())
            decided = point.decide(p, refer_label=None)
            counted = np.zeros((3, 4))
            places = [3 if each is None else CLASSES.index(each) for each in decided]
            np.add.at(counted, (y, places), weights)
            totals = counted.sum(axis=1, keepdims=True)
            assert np.allclose(counted / totals, point.confusion, atol=1e-12)
            paid = (priors[:, None] * point.confusion * costs)[:, :3].sum()
            if point.coverage > 1e-9:
                assert point.risk == pytest.approx(paid / point.coverage)
    assert refused >= 3 and found >= 40


def test_nothing_referred_is_the_plain_choice() -> None:
    y, p, _ = twelve(1)
    surface = search(ScoreModel(y, p), generations=3, rng=1, progress=False)
    plain = surface.choose(criterion="total_error")
    point = surface.choose(criterion="total_error", reject_at_most=0)
    assert point.value == plain.value and (point.confusion[:, :3] == plain.confusion).all()
    assert np.isinf(point.threshold) and point.rate(0, 1) == plain.rate(0, 1)


def test_what_cannot_be_asked() -> None:
    y, p, _ = twelve(1)
    surface = search(ScoreModel(y, p), generations=3, rng=1, progress=False)
    for share in (-0.1, 1.5, "many", True):
        with pytest.raises(InvalidInput, match="reject_at_most must be a share of the cases"):
            surface.choose(criterion="total_error", reject_at_most=share)
    for wish in ({"criterion": "knee"}, {"objective": max}):
        with pytest.raises(InvalidInput, match="Cases are referred for costs=, limits= or"):
            surface.choose(reject_at_most=0.1, **wish)
    whole = pd.DataFrame(np.ones((3, 4)), index=[0, 1, 2], columns=[0, 1, 2, "refer"])
    with pytest.raises(InvalidInput, match="A frame of costs has a column for each class"):
        surface.choose(costs=whole, reject_at_most=0.1)
    for free in (np.zeros(3), [0, 0, 0], {0: 0, 1: 0, 2: 0}, 0):
        point = surface.choose(criterion="total_error", reject_at_most=0.1, refer_cost=free)
        assert point.criterion == "total error"
    paid = surface.choose(criterion="total_error", reject_at_most=0.1, refer_cost=np.full(3, 0.1))
    assert paid.criterion == "expected cost"
    with pytest.raises(InvalidInput, match="refer_cost goes with reject_at_most"):
        surface.choose(criterion="total_error", refer_cost=0.1)
    bare = RocSurface(surface.rates, surface.costs, surface.parameters, (0, 1, 2), np.full(3, 4.0))
    with pytest.raises(NotDefined, match="or RejectingClassifierCV on a classifier"):
        bare.choose(criterion="total_error", reject_at_most=0.1)
