"""Derivatives of G: rays followed one by one, orders of ties, and when which is used."""

import math

import numpy as np
import pytest

from polyroc._base.random import stream
from polyroc.surface import _gradient as gradient
from polyroc.surface._gini import below_plane, gini, random_region_volume
from polyroc.surface._gradient import gini_slopes

POINTS = np.array(
    [
        [0.1, 0.2, 0.3, 0.05, 0.2, 0.15],
        [0.3, 0.1, 0.05, 0.2, 0.1, 0.35],
        [0.0, 0.4, 0.2, 0.3, 0.05, 0.1],
        [0.1, 0.2, 0.3, 0.05, 0.2, 0.15],
        [0.1, 0.3, 0.1, 0.1, 0.3, 0.1],
        [0.9, 0.9, 0.9, 0.1, 0.1, 0.1],
    ]
)


def rays_by_loops(points: np.ndarray, rays: np.ndarray, c: int, limit: int) -> np.ndarray:
    """Share of the rays along column c that meet each point first; points that tie share."""
    hits = np.zeros(len(points))
    for ray in rays:
        end = min(1.0, limit - ray.sum())
        met = [
            m
            for m, point in enumerate(points)
            if (np.delete(point, c) <= ray).all() and point[c] < end
        ]
        if met:
            least = min(points[m, c] for m in met)
            first = [m for m in met if points[m, c] == least]
            for m in first:
                hits[m] += 1 / len(first)
    return hits / len(rays)


def facet_of_chance(n_classes: int) -> float:
    """Σ of D − 1 rates up to K − 1: the area that a perfect point would expose, over P."""
    columns, limit = n_classes * (n_classes - 1) - 1, n_classes - 1
    area = sum(
        (-1) ** j * math.comb(columns, j) * (limit - j) ** columns for j in range(limit)
    ) / math.factorial(columns)
    return area / random_region_volume(n_classes)


def test_rays_are_followed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient, "RAYS", 275)  # 46 along each of six rates
    monkeypatch.setattr(gradient, "RAY_BLOCK", 20)
    inside = POINTS[:5]
    wanted = np.zeros(POINTS.shape)
    for c in range(6):
        rays = np.vstack(
            [
                below_plane(5, 2, size, stream(20_060_501, 1000 * (c + 1) + block))
                for block, size in enumerate((20, 20, 6))
            ]
        )
        wanted[:5, c] = -rays_by_loops(inside, rays, c, 2) * facet_of_chance(3)
    for threads in (1, 2):
        found = gini_slopes(POINTS, 3, work=0, spent=1, n_threads=threads)
        assert found.method == "rays"
        np.testing.assert_allclose(found.values, wanted, rtol=1e-12)
    assert wanted.any() and not found.values[5].any()
    assert np.array_equal(found.values[0], found.values[3])


def test_131072_rays_in_blocks_of_8192() -> None:
    """A single point: the rays at or above it that meet it before the plane, counted at once."""
    point = POINTS[2]
    per_rate = math.ceil(131_072 / 6)
    sizes = [8192, 8192, per_rate - 2 * 8192]
    found = gini_slopes(point[None], 3, work=0, spent=1).values[0]
    for c in (0, 4):
        rays = np.vstack(
            [
                below_plane(5, 2, size, stream(20_060_501, 1000 * (c + 1) + block))
                for block, size in enumerate(sizes)
            ]
        )
        ends = np.minimum(1.0, 2 - rays.sum(axis=1))
        met = (rays >= np.delete(point, c)).all(axis=1) & (point[c] < ends)
        assert found[c] == pytest.approx(-met.mean() * facet_of_chance(3), rel=1e-12)


def test_derivatives_are_exact_up_to_the_work_allowed() -> None:
    """They take what the volume took, for each rate and each of two orders."""
    for work, method in ((120, "exact"), (121, "exact"), (119, "rays")):
        assert gini_slopes(POINTS[:2], 3, work=work, spent=10).method == method
    for rates in (np.array([[0.2, 0.3]]), np.array([[0.9, 0.9]])):
        assert gini_slopes(rates, 2, work=0, spent=10**9).method == "exact"
    assert gini_slopes(POINTS[5:], 3, work=0, spent=1).method == "exact"
    nothing = gini_slopes(POINTS[5:], 3, work=0, spent=1)
    assert nothing.values.shape == (1, 6) and not nothing.values.any()


def test_two_classes_have_the_lengths_of_steps() -> None:
    """A staircase: each step falls by twice what it alone exposes."""
    rates = np.array([[0.6, 0.1], [0.9, 0.9], [0.1, 0.5], [0.3, 0.3], [0.4, 0.4], [0.3, 0.6]])
    found = gini_slopes(rates, 2, work=0, spent=0).values
    # x of the steps .1, .3, .6; y .5, .3, .1; a facet ends at the next step or the diagonal.
    wanted = np.zeros((6, 2))
    wanted[2] = [-2 * (1 - 0.1 - 0.5), -2 * 0.2]
    wanted[3] = [-2 * 0.2, -2 * 0.3]
    wanted[0] = [-2 * 0.2, -2 * (1 - 0.6 - 0.1)]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_exact_areas_share_between_copies() -> None:
    alone = gini_slopes(POINTS[[0, 1, 2]], 3, work=math.inf, spent=0).values
    twice = gini_slopes(POINTS[[0, 1, 2, 3]], 3, work=math.inf, spent=0).values
    np.testing.assert_allclose(twice[1:3], alone[1:], rtol=1e-12)
    np.testing.assert_allclose(twice[[0, 3]], np.tile(alone[0] / 2, (2, 1)), rtol=1e-12)


def test_many_points_are_dealt_out_and_put_together() -> None:
    """More points than parts, on one thread and on two, against small steps of the volume."""
    rng = np.random.default_rng(2)
    rates = np.minimum(rng.dirichlet(np.ones(6), 19) * rng.uniform(0.8, 1.5, (19, 1)), 1) + 1e-3
    found = gini_slopes(rates, 3, work=math.inf, spent=0).values
    again = gini_slopes(rates, 3, work=math.inf, spent=0, n_threads=2).values
    assert np.array_equal(found, again)
    for m, c in ((0, 0), (5, 3), (16, 5), (18, 1), (17, 2)):
        moved = []
        for sign in (1, -1):
            near = rates.copy()
            near[m, c] += sign * 1e-6
            moved.append(gini(near, 3, method="exact").value)
        assert found[m, c] == pytest.approx((moved[0] - moved[1]) / 2e-6, abs=1e-5)


def test_ties_are_broken_by_the_rates_whatever_the_classes() -> None:
    keys = gradient._keys(POINTS)
    factors = 1e6 * stream(20_060_501, 0).random(6)
    for m, point in enumerate(POINTS):
        total = 0.0
        for rate, factor in zip(sorted(point), factors, strict=True):
            total += rate * factor
        assert keys[0, m] == m and keys[1, m] == total % 1
    turned = gradient._keys(POINTS[:, [3, 1, 5, 0, 2, 4]])
    assert np.array_equal(turned, keys)


def test_tied_columns_use_an_order_and_its_reverse() -> None:
    """Of points level in one rate, each order alone gives all of the overlap to one of them."""
    rates = np.array([[0.1, 0.2, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.2, 0.1, 0.1, 0.12]])
    found = gini_slopes(rates, 3, work=math.inf, spent=0).values
    halves = np.zeros(2)
    for order in (1e-9, -1e-9):
        broken = rates + np.array([[order], [0.0]]) * (np.arange(6) == 0)
        halves += gini_slopes(broken, 3, work=math.inf, spent=0).values[:, 0] / 2
    np.testing.assert_allclose(found[:, 0], halves, rtol=1e-6)
