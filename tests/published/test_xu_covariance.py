"""The covariance of Hand & Till's M of several models as Xu (2024) has it, by plain loops.

Each AUC(k|r) has a component for every case of k and of r; with A the matrix of those of all
ordered pairs of classes, less their AUC, the covariance of AUCs is Σ_k A_k A_kᵀ / (n_k (n_k − 1)),
and M is their mean.
"""

import numpy as np
import pytest

from polyroc import compare, evaluate


def components(y, p):
    """Rows: ordered pairs of classes; columns: cases; and the AUC of each pair."""
    n_classes, rows, aucs = p.shape[1], [], []
    for k in range(n_classes):
        for r in range(n_classes):
            if k == r:
                continue
            own, other = np.flatnonzero(y == k), np.flatnonzero(y == r)
            won = [[(p[a, k] > p[b, k]) + (p[a, k] == p[b, k]) / 2 for b in other] for a in own]
            row = np.zeros(len(y))
            row[own], row[other] = np.mean(won, axis=1), np.mean(won, axis=0)
            auc = np.mean(won)
            row[own], row[other] = row[own] - auc, row[other] - auc
            rows.append(row)
            aucs.append(auc)
    return np.array(rows), np.array(aucs)


def test_variance_and_covariance():
    rng = np.random.default_rng(11)
    y = np.repeat(np.arange(4), (9, 7, 12, 8))
    for levels in (None, 5):
        raw = rng.normal(size=(len(y), 4)) + np.eye(4)[y]
        models = {"a": raw, "b": raw + rng.normal(size=raw.shape)}
        if levels:
            models = {name: np.round(p * levels) for name, p in models.items()}
        (first, auc), (second, other) = (components(y, p) for p in models.values())
        covariance = np.zeros((2, 2))
        for k in range(4):
            here = np.flatnonzero(y == k)
            means = np.array([each[:, here].mean(axis=0) for each in (first, second)])
            covariance += means @ means.T / (len(here) * (len(here) - 1))
        for name, aucs, variance in zip(models, (auc, other), np.diag(covariance), strict=True):
            found = evaluate(y, models[name], ["hand_till"])["hand_till"]
            assert found.value == pytest.approx(aucs.mean(), rel=1e-12)
            assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-10)
        apart = compare(y, models, ["hand_till"], reference="normal").differences[0]
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        assert apart.standard_error == pytest.approx(np.sqrt(variance), rel=1e-10)
