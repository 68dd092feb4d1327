"""Curvature and marginal utility of a ROC curve, exactly.

With two classes costs are (t, 1 − t), and the cost of a point is a line over t. The points that are
best somewhere make up the lower envelope of the lines. Without one of them the envelope sags over
its own interval only; the area between, weighted by the density of t, is the marginal utility.
"""

import numpy as np

from polyroc.surface._cost_space import CostSpace
from polyroc.typing import Float64Array, Int64Array


def two_classes(points: Float64Array, space: CostSpace) -> Float64Array:
    """Shares, their errors (0), marginal utilities, their errors (0) of distinct (m, 2) points."""
    low, high = space.interval
    found = np.zeros((4, len(points)))
    total = _mass(space, low, high)
    for point, start, end in _envelope(points, low, high):
        found[0, point] = _mass(space, start, end) / total
        found[2, point] = _gain(points, point, (start, end), space) / total
    return found


def _gain(points: Float64Array, point: int, own: tuple[float, float], space: CostSpace) -> float:
    """∫ over the point's own interval of what the best other point costs more."""
    others = np.delete(points, point, axis=0)
    if not len(others):
        return 0.0
    gain = 0.0
    for other, start, end in _envelope(others, *own):
        line = others[other] - points[point]
        mass, first = _mass(space, start, end), _first_moment(space, start, end)
        gain += line[1] * mass + (line[0] - line[1]) * first
    return max(float(gain), 0.0)


def _envelope(points: Float64Array, low: float, high: float) -> list[tuple[int, float, float]]:
    """Points that are best somewhere from low to high, each with the interval where it is.

    The costs (t, 1 − t) go from the second to the first: as t grows the best point has an ever
    lower first rate.
    """
    pieces, start = [], low
    best = _best_at(points, low)
    while True:
        rise = points[:, 0] - points[:, 1]
        flatter = np.flatnonzero(rise < rise[best])
        gap = (points[flatter] - points[best])[:, 1]
        meets = gap / (gap - (points[flatter] - points[best])[:, 0]) if len(flatter) else gap
        after = meets.min(initial=np.inf)
        end = min(max(float(after), start), high)
        pieces.append((best, start, end))
        if after >= high:
            return pieces
        ties = flatter[meets <= after]
        start, best = end, int(ties[np.argmin(rise[ties])])


def _best_at(points: Float64Array, t: float) -> int:
    """The cheapest point at t, and of equals the one that stays so."""
    costs = t * points[:, 0] + (1 - t) * points[:, 1]
    equal: Int64Array = np.flatnonzero(costs == costs.min())
    return int(equal[np.argmin((points[:, 0] - points[:, 1])[equal])])


def _mass(space: CostSpace, start: float, end: float) -> float:
    """Probability of t between the two."""
    low, high = space.distribution(np.array([start, end]))
    return float(high - low)


def _first_moment(space: CostSpace, start: float, end: float) -> float:
    """∫ t dF(t) between the two: the mean times a distribution function with α₁ + 1."""
    from scipy.special import betainc

    one, two = space.alpha
    return float(one / (one + two) * (betainc(one + 1, two, end) - betainc(one + 1, two, start)))
