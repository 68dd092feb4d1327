"""Covariances of models and of metrics, against structural components by plain loops."""

import math

import numpy as np
import pytest

from polyroc import Bootstrap, Predictions, compare, evaluate, registry
from polyroc.errors import InvalidInput
from polyroc.inference._influence import CaseDesign, covariance


def components(y: list[int], rows: list[list[float]], n_classes: int) -> tuple[float, list[float]]:
    """M and its structural component of each case (Xu 2024), by comparing all pairs of cases."""

    def credit(a: float, b: float) -> float:
        return 1.0 if a > b else 0.5 if a == b else 0.0

    counts = [y.count(k) for k in range(n_classes)]
    n_pairs = n_classes * (n_classes - 1)
    found, total = [], 0.0
    for i, k in enumerate(y):
        own = 0.0
        for j, r in enumerate(y):
            if r != k:
                as_positive = credit(rows[i][k], rows[j][k])
                as_negative = credit(rows[j][r], rows[i][r])
                own += (as_positive + as_negative) / counts[r]
                total += as_positive / (counts[k] * counts[r])
        found.append(own / n_pairs)
    return total / n_pairs, found


def covariance_of(first: list[float], second: list[float], y: list[int]) -> float:
    """Σ over classes of the sample covariance of the components, over the cases of the class."""
    total = 0.0
    for k in set(y):
        a = [value for value, label in zip(first, y, strict=True) if label == k]
        b = [value for value, label in zip(second, y, strict=True) if label == k]
        mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
        products = sum((s - mean_a) * (t - mean_b) for s, t in zip(a, b, strict=True))
        total += products / (len(a) - 1) / len(a)
    return total


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 6])
def test_delong_for_hand_till_as_xu_published_it(n_classes):
    rng = np.random.default_rng(n_classes)
    y = np.append(np.repeat(np.arange(n_classes), 2), rng.integers(0, n_classes, 40))
    shared = rng.normal(size=(len(y), n_classes)) + 1.5 * np.eye(n_classes)[y]
    models = {m: (shared + rng.normal(size=shared.shape)).round(1) for m in "abc"}
    twins = {m: components(y.tolist(), p.tolist(), n_classes) for m, p in models.items()}
    predictions = [Predictions(y, p) for p in models.values()]
    metric = registry["hand_till"]
    influences = [metric.influence(each) for each in predictions]
    found = covariance(predictions[0], influences, CaseDesign())
    for a, (value, first) in enumerate(twins.values()):
        assert math.isclose(metric.of(predictions[a]), value, rel_tol=1e-12)
        own = evaluate(predictions[a], metrics=["hand_till"])["hand_till"]
        assert math.isclose(own.standard_error**2, found[a, a], rel_tol=1e-12)
        for b, (_, second) in enumerate(twins.values()):
            expected = covariance_of(first, second, y.tolist())
            assert math.isclose(found[a, b], expected, rel_tol=1e-12, abs_tol=1e-18)


def test_covariances_of_metrics():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], [30, 25, 8])
    p = rng.dirichlet([1, 1, 1], len(y)) * 0.5 + 0.5 * np.eye(3)[y] * rng.random((len(y), 1))
    p /= p.sum(axis=1, keepdims=True)
    names = ["hand_till", "aunu", "pdi", "total_length", "vus", "roc_auc"]
    found = evaluate(y, p, names)
    joint = found.covariance()
    assert list(joint) == list(joint.index) == names
    assert joint["roc_auc"].isna().all()
    known = names[:-1]
    errors = [found[name].standard_error for name in known]
    assert np.allclose(np.sqrt(np.diag(joint.loc[known, known])), errors, rtol=1e-12)
    twin = components(y.tolist(), p.tolist(), 3)[1]
    projections = registry["pdi"].influence(Predictions(y, p)).cases.tolist()
    expected = covariance_of(twin, projections, y.tolist())
    assert math.isclose(joint.loc["hand_till", "pdi"], expected, rel_tol=1e-10)
    drawn = evaluate(y, p, ["hand_till", "vus"], n_tuples=500, rng=0).covariance()
    assert drawn.isna().to_numpy().tolist() == [[False, True], [True, False]]
    boot = evaluate(y, p, names, interval=Bootstrap(1500, 1)).covariance().loc[known, known]
    scale = np.outer(errors, errors)
    assert np.abs(boot / scale - joint.loc[known, known] / scale).to_numpy().max() < 0.2
    with pytest.raises(InvalidInput, match="There are no covariances without standard errors"):
        evaluate(y, p, names, interval=None).covariance()
    grouped = evaluate(y, p, ["hand_till", "pdi"], groups=np.arange(len(y)) // 2)
    assert np.linalg.eigvalsh(grouped.covariance()).min() > 0


def test_the_difference_of_models_follows_from_their_covariance():
    rng = np.random.default_rng(9)
    y = np.repeat([0, 1, 2], 200)
    models = {m: rng.normal(size=(600, 3)) + np.eye(3)[y] for m in "ab"}
    predictions = [Predictions(y, p) for p in models.values()]
    moved = [registry["pdi"].influence(each) for each in predictions]
    joint = covariance(predictions[0], moved, CaseDesign())
    row = compare(y, models, ["pdi"]).differences[0]
    variance = joint[0, 0] + joint[1, 1] - 2 * joint[0, 1]
    assert math.isclose(row.standard_error**2, variance, rel_tol=1e-10)
