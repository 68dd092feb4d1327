"""Posteriors of the nearest neighbours against Everson & Fieldsend 2006 eq. 11 as loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyroc.kernels.neighbours import neighbour_posteriors


def posteriors(distances, codes, k, beta, n_classes):
    found = np.empty((len(codes), n_classes))
    neighbour_posteriors(
        np.asarray(distances) ** 3.0, np.asarray(codes, np.uint8), k, beta, 0, found
    )
    return found


def slow_posteriors(distances, codes, k, beta, n_classes):
    rows = []
    for away, classes in zip(distances, codes, strict=True):
        reach = away[k]
        u = [(1 - (d / reach) ** 3) ** 3 if reach > 0 else 0.0 for d in away[:k]]
        u = u if sum(u) > 0 else [1.0] * k
        shares = [
            sum(w for w, c in zip(u, classes[:k], strict=True) if c == j) for j in range(n_classes)
        ]
        powers = [math.exp(beta * share / sum(u)) for share in shares]
        rows.append([power / sum(powers) for power in powers])
    return np.array(rows)


@pytest.mark.parametrize("n_classes", [2, 3, 9])
@pytest.mark.parametrize(("k", "beta"), [(1, 2.0), (3, 0.0), (4, 3.0), (13, 40.0)])
def test_equation_11(n_classes, k, beta):
    rng = np.random.default_rng(k)
    distances = np.sort(rng.random((6, 15)), axis=1)
    codes = rng.integers(0, n_classes, (6, 15))
    expected = slow_posteriors(distances, codes, k, beta, n_classes)
    found = posteriors(distances, codes, k, beta, n_classes)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_neighbours_that_all_lie_at_the_reach_count_the_same():
    """At one distance every tricube is 0; at distance 0 there is none."""
    codes = [[0, 1, 1, 0, 0]] * 3
    distances = [[2.0] * 5, [0.0] * 5, [0.0, 0.0, 0.0, 0.0, 1.0]]
    found = posteriors(distances, codes, 3, 2.0, 2)
    np.testing.assert_allclose(found, slow_posteriors(distances, codes, 3, 2.0, 2), rtol=1e-14)
    assert found[0, 1] == pytest.approx(1 / (1 + math.exp(-2 / 3)))
