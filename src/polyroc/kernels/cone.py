"""Whether points lie on or above the convex hull of others: projections onto a cone.

(point, 1) lies in the cone of the (vertex, 1) and the unit vectors (e, 0) exactly if some mean of
the vertices is nowhere worse than the point. The projection is non-negative least squares by active
sets (Lawson & Hanson 1974): at most D + 1 generators are in use, whose least squares problem is
solved anew by orthogonalisation, twice, since neighbouring vertices are nearly parallel.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

UPHILL = 1e-15
"""A generator leads closer to the point if its product with the gap is larger than rounding."""

PARALLEL = 1e-13
"""What is left of a generator that depends on those in use."""


@compiled
def _steepest(vertices: Floats, gap: Floats) -> int:
    """The generator whose direction leads closer to the point most quickly, or −1."""
    n, d = vertices.shape
    best, place = UPHILL, -1
    for j in range(n):
        slope = float(gap[d])
        for i in range(d):
            slope += vertices[j, i] * gap[i]
        if slope > best:
            best, place = slope, j
    for i in range(d):
        if gap[i] > best:
            best, place = float(gap[i]), n + i
    return place


@compiled
def _copy_row(rows: Floats, j: int, others: Floats, k: int) -> None:
    for i in range(rows.shape[1]):
        others[k, i] = rows[j, i]


@compiled
def _put_generator(vertices: Floats, place: int, row: Floats) -> None:
    n, d = vertices.shape
    for i in range(d):
        row[i] = vertices[place, i] if place < n else 0.0
    row[d] = 1.0 if place < n else 0.0
    if place >= n:
        row[place - n] = 1.0


@compiled
def _least_squares(used: Floats, size: int, target: Floats, weights: Floats) -> bool:
    """Weights of ``size`` rows whose sum comes nearest to the target; False if rows depend."""
    n = used.shape[1]
    q, r, rest = np.empty((size, n)), np.empty((size, size)), np.empty(n)
    for k in range(size):
        for i in range(n):
            q[k, i] = used[k, i]
        for j in range(k):
            r[j, k] = 0.0
        for _ in range(2):
            for j in range(k):
                part = 0.0
                for i in range(n):
                    part += q[j, i] * q[k, i]
                r[j, k] += part
                for i in range(n):
                    q[k, i] -= part * q[j, i]
        length = 0.0
        for i in range(n):
            length += q[k, i] * q[k, i]
        r[k, k] = np.sqrt(length)
        if r[k, k] < PARALLEL:
            return False
        for i in range(n):
            q[k, i] /= r[k, k]
    for i in range(n):
        rest[i] = target[i]
    for k in range(size):
        weights[k] = 0.0
        for i in range(n):
            weights[k] += q[k, i] * rest[i]
        for i in range(n):
            rest[i] -= weights[k] * q[k, i]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            weights[k] -= r[k, j] * weights[j]
        weights[k] /= r[k, k]
    return True


@compiled
def _without(used: Floats, weights: Floats, size: int, gone: int) -> None:
    """Move the later generators forward over one that is no longer in use."""
    for k in range(gone, size - 1):
        _copy_row(used, k + 1, used, k)
        weights[k] = weights[k + 1]


@compiled
def _step(weights: Floats, tried: Floats, size: int) -> int:
    """Go towards the tried weights until one of the present ones is 0; its place, or −1."""
    share, gone = 1.0, -1
    for k in range(size):
        if tried[k] <= 0.0:
            part = weights[k] / (weights[k] - tried[k]) if weights[k] > 0.0 else 0.0
            if part < share or gone < 0:
                share, gone = part, k
    for k in range(size):
        weights[k] += share * (tried[k] - weights[k])
    return gone


@compiled
def _put_gap(used: Floats, weights: Floats, size: int, target: Floats, gap: Floats) -> float:
    """Fill ``gap`` with what the weighted generators leave of the target; its squared length."""
    length = 0.0
    for i in range(len(gap)):
        gap[i] = target[i]
        for k in range(size):
            gap[i] -= weights[k] * used[k, i]
        length += gap[i] * gap[i]
    return length


@compiled
def cone_gap(vertices: Floats, point: Floats, gap: Floats) -> float:
    """Size of what the point lacks to be on or above the hull; ``gap`` (D + 1) is overwritten."""
    d = vertices.shape[1]
    used, weights, tried = np.empty((d + 2, d + 1)), np.empty(d + 2), np.empty(d + 2)
    target = np.empty(d + 1)
    for i in range(d + 1):
        target[i] = point[i] if i < d else 1.0
        gap[i] = target[i]
    size = 0
    for _ in range(20 * (d + 1)):
        place = _steepest(vertices, gap)
        if place < 0 or size > d:
            break
        _put_generator(vertices, place, used[size])
        weights[size] = 0.0
        size += 1
        if not _least_squares(used, size, target, tried) or tried[size - 1] <= 0.0:
            break  # only rounding says that it leads closer
        gone = _step(weights, tried, size)
        while gone >= 0:
            _without(used, weights, size, gone)
            size -= 1
            _least_squares(used, size, target, tried)
            gone = _step(weights, tried, size)
        for k in range(size):
            weights[k] = tried[k]
        if _put_gap(used, weights, size, target, gap) < 1e-26:
            break
    length = 0.0
    for i in range(d):
        length += gap[i] * gap[i]
    return float(np.sqrt(length))


@compiled
def _put_sums(vertices: Floats, n_known: int, point: Floats, sums: Floats) -> None:
    """Sums of the absolute differences between each vertex and the point."""
    for j in range(n_known):
        total = 0.0
        for i in range(len(point)):
            total += abs(vertices[j, i] - point[i])
        sums[j] = total


@compiled
def _bound(sums: Floats, n_known: int, least: Floats) -> float:
    """At least as large as the smallest sums, as many as ``least`` has room for.

    The vertices are dealt out in turn to so many groups: no group's least sum is above the bound.
    """
    wanted = len(least)
    for k in range(wanted):
        least[k] = sums[k]
    for start in range(wanted, n_known - wanted + 1, wanted):
        for k in range(wanted):
            least[k] = min(least[k], sums[start + k])
    bound = 0.0
    for k in range(wanted):
        bound = max(bound, float(least[k]))
    return bound


@compiled
def _insert(least: Floats, value: float) -> None:
    """Put a value among the least ones, which ascend, in the place of the largest."""
    k = len(least) - 1
    while k > 0 and least[k - 1] > value:
        least[k] = least[k - 1]
        k -= 1
    least[k] = value


@compiled
def _limit(sums: Floats, n_known: int, least: Floats) -> float:
    """The largest of the smallest sums, as many as ``least`` has room for."""
    bound = _bound(sums, n_known, least)
    for k in range(len(least)):
        least[k] = np.inf
    for j in range(n_known):
        if sums[j] <= bound and sums[j] < least[-1]:
            _insert(least, sums[j])
    return float(least[-1])


@compiled
def _nearest(vertices: Floats, n_known: int, point: Floats, near: Floats, sums: Floats) -> None:
    """Fill ``near`` with the vertices closest to the point, by absolute differences."""
    wanted = len(near)
    _put_sums(vertices, n_known, point, sums)
    limit = _limit(sums, n_known, np.empty(wanted))
    found = 0
    for j in range(n_known):
        if sums[j] <= limit and found < wanted:
            _copy_row(vertices, j, near, found)
            found += 1


@compiled
def _best_for(points: Floats, gap: Floats) -> int:
    """The point that the direction of a gap leads to: of least cost, the first of equals."""
    d = points.shape[1]
    best, place = np.inf, -1
    for j in range(len(points)):
        cost = 0.0
        for i in range(d):
            cost -= min(gap[i], 0.0) * points[j, i]
        if cost < best:
            best, place = cost, j
    return place


@compiled
def _put_known(points: Floats, known: NDArray[np.bool_], vertices: Floats) -> int:
    """Fill ``vertices`` with the points that are marked; their number."""
    n_known = 0
    for j in range(len(points)):
        if known[j]:
            _copy_row(points, j, vertices, n_known)
            n_known += 1
    return n_known


@compiled
def find_vertices(points: Floats, known: NDArray[np.bool_], n_near: int, outside: float) -> None:
    """Mark all vertices of the lower hull in ``known``, where some are marked already.

    A point that is farther than ``outside`` from the hull of those known leads to a vertex that was
    missing.
    """
    n, d = points.shape
    vertices = np.empty((n, d))
    n_known = _put_known(points, known, vertices)
    near, sums, gap = np.empty((n_near, d)), np.empty(n), np.empty(d + 1)
    for place in range(n):
        if known[place]:
            continue
        if n_known > n_near:
            _nearest(vertices, n_known, points[place], near, sums)
            if cone_gap(near, points[place], gap) <= outside:
                continue
        while not known[place]:
            if cone_gap(vertices[:n_known], points[place], gap) <= outside:
                break
            found = _best_for(points, gap)
            if known[found]:
                break  # no direction separates it beyond rounding
            known[found] = True
            _copy_row(points, found, vertices, n_known)
            n_known += 1
