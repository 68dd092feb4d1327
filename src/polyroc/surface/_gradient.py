"""Derivatives of G by the rates of its points: minus the area of the facet each alone exposes.

Exactly where D + D times the work of the volume itself is allowed, else from rays. Points that are
level in a rate share the area that they cover together evenly, 1/m for each of m: what breaking
the ties at random gives in the mean. The exact areas break them in one order, which no order of the
classes changes, and in its reverse, which is right for two points and on average for more; equal
points count as one there and share its area.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from polyroc._base.parallel import map_threads
from polyroc._base.random import stream
from polyroc.surface._gini import TASKS, below_plane, inside_region, region_share
from polyroc.typing import Float64Array, Int64Array

RAYS = 1 << 17
"""Rays in all, as many along each rate: the error of a standard error is far below 1 %."""

RAY_BLOCK = 1 << 13
SEED = 20_060_501
"""Of the rays and of the order of ties: derivatives are the same for the same points."""


class Slopes(NamedTuple):
    """(m, D) derivatives of G by the rates, and how they were found: "exact" or "rays"."""

    values: Float64Array
    method: str


def gini_slopes(
    rates: Float64Array, n_classes: int, *, work: float, spent: float, n_threads: int = 1
) -> Slopes:
    """∂G/∂rate of every point; 0 for points that are dominated or no better than chance.

    ``spent`` is the work that the exact volume of these points took: the derivatives take that for
    each rate and each of two orders. Where this is more than ``work`` they are estimated.
    """
    inside = np.flatnonzero(inside_region(rates, n_classes))
    slopes, points = np.zeros(rates.shape), rates[inside]
    if not len(inside):
        return Slopes(slopes, "exact")
    if n_classes == 2:
        slopes[inside] = -2 * _lengths(points)
        return Slopes(slopes, "exact")
    if 2 * rates.shape[1] * spent <= work:
        slopes[inside] = -_exact(points, n_classes, n_threads)
        return Slopes(slopes, "exact")
    slopes[inside] = -_from_rays(points, n_classes, n_threads)
    return Slopes(slopes, "rays")


def _lengths(points: Float64Array) -> Float64Array:
    """Two classes: (m, 2) lengths of the facets."""
    from polyroc.kernels.exposed import exposed_lengths

    found = np.zeros(points.shape)
    for c in (0, 1):
        order = np.lexsort((points[:, 1 - c], points[:, c]))
        ascending = np.ascontiguousarray(points[order].T)
        lengths = np.zeros(len(order))
        exposed_lengths(ascending[c], ascending[1 - c], lengths)
        found[order, c] = lengths
    return found


def _exact(points: Float64Array, n_classes: int, n_threads: int) -> Float64Array:
    """(m, D) areas over the volume of P; equal points share that of one."""
    unlike, place, copies = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    found = _exact_of_unlike(unlike, n_classes, n_threads)
    return np.asarray((found / copies[:, None])[place.ravel()])


def _exact_of_unlike(points: Float64Array, n_classes: int, n_threads: int) -> Float64Array:
    """The same for points of which no two are equal, ties broken in an order and its reverse."""
    n_rates, limit = points.shape[1], n_classes - 1
    keys = _keys(points)
    found = np.zeros(points.shape)
    for c in range(n_rates):
        distinct = len(np.unique(points[:, c])) == len(points)
        orders = [
            np.lexsort((*key, points[:, c])) for key in ((keys,) if distinct else (keys, -keys))
        ]
        for order in orders:
            areas = _areas(points[order], c, limit, n_threads)
            left = (limit - points[order, c]) / limit
            found[order, c] += areas * left ** (n_rates - 1) / len(orders)
    return np.asarray(found * n_rates / limit / float(region_share(n_rates, limit)))


def _keys(points: Float64Array) -> Float64Array:
    """(2, m) an order of points by their rates, whichever class each belongs to.

    The second row is the key: the rates sorted, times fixed numbers, without the whole part, as
    good as random. The first orders points with the same rates for other classes.
    """
    factors = (1e6 * stream(SEED, 0).random((points.shape[1],))).tolist()
    mixed = np.zeros(len(points))
    for rate, factor in zip(np.sort(points).T, factors, strict=True):
        mixed += rate * factor
    return np.stack([np.arange(float(len(points))), mixed % 1])


def _areas(points: Float64Array, c: int, limit: int, n_threads: int) -> Float64Array:
    """Areas of the facets in column c of points in ascending order of it, in the kernel's units."""
    from polyroc.kernels.exposed import exposed_areas
    from polyroc.kernels.volume import memory_for

    others = np.ascontiguousarray(np.delete(points, c, axis=1).T)
    limits, areas = limit - points[:, c], np.zeros(len(points))
    spent = np.zeros(TASKS, np.int64)

    def part(task: int) -> None:
        chosen: Int64Array = np.arange(task, len(points), TASKS)
        memory = memory_for(len(others), len(points), 2**62)
        exposed_areas(others, limits, chosen, spent, task, memory, areas)

    map_threads(part, range(min(TASKS, len(points))), n_threads)
    return areas


def _from_rays(points: Float64Array, n_classes: int, n_threads: int) -> Float64Array:
    """The same estimated from rays along each rate."""
    n_rates, limit = points.shape[1], n_classes - 1
    per_rate = math.ceil(RAYS / n_rates)
    shares = np.column_stack([_hits(points, c, limit, per_rate, n_threads) for c in range(n_rates)])
    ratio = (
        region_share(n_rates - 1, limit) / region_share(n_rates, limit) * Fraction(n_rates, limit)
    )
    return shares * float(ratio)


def _hits(points: Float64Array, c: int, limit: int, n_rays: int, n_threads: int) -> Float64Array:
    """Share of the rays along column c that meet each point first."""
    from polyroc.kernels.exposed import ray_hits

    order = np.argsort(points[:, c], kind="stable")
    moving = np.ascontiguousarray(points[order, c])
    others = np.ascontiguousarray(np.delete(points[order], c, axis=1).T)

    def part(block: int) -> Float64Array:
        size = min(RAY_BLOCK, n_rays - block * RAY_BLOCK)
        rays = below_plane(len(others), limit, size, stream(SEED, 1000 * (c + 1) + block))
        hits = np.zeros(len(points))
        ray_hits(moving, others, rays, float(limit), hits)
        return hits

    counted = sum(map_threads(part, range(-(-n_rays // RAY_BLOCK)), n_threads))
    found = np.zeros(len(points))
    found[order] = counted / n_rays
    return found
