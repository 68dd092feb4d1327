"""Derivatives of G by the rates of its points: against differences, ties broken in every way."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from surface.test_gini import front

from polyroc.surface._gini import gini
from polyroc.surface._gradient import gini_slopes

STEP = 1e-6


def value(rates, n_classes):
    return gini(rates, n_classes, method="exact").value


def differences(rates, n_classes):
    """The slow twin: every rate moved up and down, the exact volume each time."""
    slopes = np.zeros(rates.shape)
    for place in np.ndindex(*rates.shape):
        moved = [rates.copy(), rates.copy()]
        moved[0][place] += STEP
        moved[1][place] -= STEP
        up, down = (value(each, n_classes) for each in moved)
        slopes[place] = (up - down) / (2 * STEP)
    return slopes


def exact(rates, n_classes):
    found = gini_slopes(rates, n_classes, work=math.inf, spent=0)
    assert found.method == "exact"
    return found.values


def by_rays(rates, n_classes):
    found = gini_slopes(rates, n_classes, work=0, spent=1)
    assert found.method == "rays"
    return found.values


@pytest.mark.parametrize(("n_classes", "m"), [(2, 30), (3, 25), (4, 5)])
def test_against_differences(n_classes, m):
    for seed in range(3):
        rates = front(n_classes, m, seed) + 1e-4
        twin = differences(rates, n_classes)
        found = exact(rates, n_classes)
        np.testing.assert_allclose(found, twin, rtol=0, atol=2e-4 * np.abs(twin).max())
        assert (found <= 0).all()


def all_orders(rates, n_classes):
    """Each column's ties broken in every order, the slopes averaged."""
    slopes = np.zeros(rates.shape)
    orders = list(permutations(range(len(rates))))
    for c in range(rates.shape[1]):
        for order in orders:
            broken = rates.copy()
            broken[:, c] += 1e-9 * np.array(order)
            slopes[:, c] += exact(broken, n_classes)[:, c] / len(orders)
    return slopes


def test_points_that_tie_share_evenly():
    """Rates of few cases: many ties, of two and of more; one point is there twice."""
    rng = np.random.default_rng(5)
    for n_classes in (2, 3):
        n_rates = n_classes * (n_classes - 1)
        rates = rng.integers(0, 3, (5, n_rates)) / 10
        rates[4] = rates[3]
        twin = all_orders(rates, n_classes)
        if n_classes == 2:
            np.testing.assert_allclose(exact(rates, 2), twin, rtol=0, atol=1e-7)
        else:
            rays = by_rays(rates, n_classes)
            np.testing.assert_allclose(rays, twin, rtol=0, atol=0.02 * np.abs(twin).max())
        # However ties are broken, the areas of a column add up to the same.
        total = exact(rates, n_classes).sum(axis=0)
        np.testing.assert_allclose(total, twin.sum(axis=0), rtol=1e-6)
    pair = np.array([[0.1, 0.2, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.2, 0.1, 0.1, 0.1]])
    np.testing.assert_allclose(exact(pair, 3), all_orders(pair, 3), rtol=0, atol=1e-6)


def test_rays_against_exact():
    rates = front(3, 200, 1)
    found, rays = exact(rates, 3), by_rays(rates, 3)
    np.testing.assert_allclose(rays, found, rtol=0, atol=0.02 * np.abs(found).max())
    # Weighted sums, which influence values are, are far more accurate than single areas.
    weights = np.random.default_rng(0).random(rates.shape)
    assert (weights * rays).sum() == pytest.approx((weights * found).sum(), rel=5e-3)


def test_what_dominates_nothing_has_no_slope():
    rates = np.array([[0.1, 0.2], [0.3, 0.4], [0.9, 0.9], [1.0, 0.0]])
    slopes = exact(rates, 2)
    assert not slopes[1:].any()
    np.testing.assert_allclose(slopes[0], [-2 * 0.7, -2 * 0.7])
    assert exact(np.empty((0, 6)), 3).shape == (0, 6)
    assert not exact(np.ones((2, 6)), 3).any()
