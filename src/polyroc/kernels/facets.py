"""Facets of the ROC hypersurface of an ideal observer, one for each tuple of observations.

A row of ``likelihoods`` holds the N likelihoods of one observation. An observation between the
decisions i and j is an edge of the set of reachable error rates: deciding j instead of i moves the
rates along v = (f_t at (t, i)) − (f_t at (t, j)). As many edges as the surface has dimensions,
k = N² − N − 1, span a facet; its normal is the one cost vector for which all k observations are
undecided, its size the volume that the edges span. It belongs to the surface if no cost is
negative, the costs tell every two decisions apart, and no other decision is cheaper for any of the
k observations. Costs of exactly 0 need likelihoods of exactly 0.

Observations with equal or with vanishing likelihoods leave three decisions tied, and many tuples
would then cover the same piece of the surface. So every observation and decision has a ``height``,
a random number that is infinitely small beside the costs. It changes no facet, but settles ties so
that each piece is covered once: a mixed subdivision of the facet. ``slopes`` are the infinitely
small change of costs that leaves the k observations undecided with their heights.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

MOST_TRIES = 2_000

CANCELLED = 2.0**-46
"""A difference is 0 if it is smaller than this share of its terms: 64 units of rounding."""

TIED = 1e-11
"""Relative difference below which two expected costs are equal."""


@compiled
def _edges(rows: Floats, heights: Floats, labels: Ints, pairs: Ints, table: Floats) -> None:
    """The edges v of k observations, as rows of a k × (D + 1) table that ends in their rise."""
    n_classes = rows.shape[1]
    table[:] = 0
    for a in range(len(rows)):
        i, j = pairs[labels[a]]
        table[a, -1] = heights[a, j] - heights[a, i]
        for t in range(n_classes):
            start = t * (n_classes - 1)
            if t != i:
                table[a, start + i - (i > t)] = rows[a, t]
            if t != j:
                table[a, start + j - (j > t)] = -rows[a, t]


@compiled
def _difference(one: float, other: float) -> float:
    """One minus other, or 0 where only rounding is left."""
    found = one - other
    return found if abs(found) > CANCELLED * abs(other) else 0.0


@compiled
def _normal(table: Floats, order: Ints, normal: Floats) -> float:
    """Volume of the k rows, and the unit vector orthogonal to them; overwrites the table.

    Gauss elimination with complete pivoting: the volume is that of the k × k minor of the pivots,
    times the length of the null vector whose free entry is 1. The last column is carried along.
    """
    k, d = table.shape[0], table.shape[1] - 1
    volume = 1.0
    for b in range(d):
        order[b] = b
    for s in range(k):
        largest, row, column = 0.0, s, s
        for a in range(s, k):
            for b in range(s, d):
                if abs(table[a, b]) > largest:
                    largest, row, column = abs(table[a, b]), a, b
        if largest == 0:
            return 0.0
        for b in range(d + 1):
            table[s, b], table[row, b] = table[row, b], table[s, b]
        for a in range(k):
            table[a, s], table[a, column] = table[a, column], table[a, s]
        order[s], order[column] = order[column], order[s]
        volume *= largest
        for a in range(s + 1, k):
            factor = table[a, s] / table[s, s]
            if factor != 0:
                for b in range(s, d):
                    table[a, b] = _difference(table[a, b], factor * table[s, b])
                table[a, d] -= factor * table[s, d]
    return volume * _null_vector(table, order, normal)


@compiled
def _null_vector(table: Floats, order: Ints, normal: Floats) -> float:
    """Solve the triangular system with its last entry 1; the length before scaling to 1."""
    k, d = table.shape[0], table.shape[1] - 1
    solved = np.ones(d)
    length = 1.0
    for a in range(k - 1, -1, -1):
        total, largest = 0.0, 0.0
        for b in range(a + 1, d):
            term = table[a, b] * solved[b]
            total -= term
            largest = max(largest, abs(term))
        solved[a] = total / table[a, a] if abs(total) > CANCELLED * largest else 0.0
        length += solved[a] ** 2
    length = float(np.sqrt(length))
    for b in range(d):
        normal[order[b]] = solved[b] / length
    return length


@compiled
def _rise(table: Floats, order: Ints, slopes: Floats) -> None:
    """Solve the triangular system for its last column, with the free entry 0, into N × N slopes."""
    k, n_classes = len(table), len(slopes)
    solved = np.zeros(k + 1)
    for a in range(k - 1, -1, -1):
        total = table[a, k + 1]
        for b in range(a + 1, k):
            total -= table[a, b] * solved[b]
        solved[a] = total / table[a, a]
    for b in range(k + 1):
        truth, place = order[b] // (n_classes - 1), order[b] % (n_classes - 1)
        slopes[truth, place + (place >= truth)] = solved[b]


@compiled
def facet(
    rows: Floats, heights: Floats, labels: Ints, pairs: Ints, costs: Floats, slopes: Floats
) -> float:
    """Size of the facet that k observations span, or 0 if it is not on the surface.

    ``costs`` (N × N, truth by decision, zero diagonal) receives its unit normal, and ``slopes``
    what settles ties.
    """
    k, n_classes = rows.shape
    table, order, normal = np.empty((k, k + 2)), np.empty(k + 1, np.int64), np.empty(k + 1)
    _edges(rows, heights, labels, pairs, table)
    volume = _normal(table, order, normal)
    if volume == 0:
        return 0.0
    sign = 1.0 if normal.max() > -normal.min() else -1.0
    for b in range(k + 1):
        if sign * normal[b] < 0:
            return 0.0
        truth, place = b // (n_classes - 1), b % (n_classes - 1)
        costs[truth, place + (place >= truth)] = abs(normal[b])
    if not _told_apart(costs, pairs):
        return 0.0
    _rise(table, order, slopes)
    for a in range(k):
        if _beaten(rows[a], heights[a], costs, slopes, pairs[labels[a]]):
            return 0.0
    return volume


@compiled
def _told_apart(costs: Floats, pairs: Ints) -> bool:
    """Whether no two decisions cost the same whatever the truth, which makes one class of two."""
    for i, j in pairs:
        alike = costs[i, j] == 0 and costs[j, i] == 0
        for t in range(len(costs)):
            alike = alike and equal(costs[t, i], costs[t, j])
        if alike:
            return False
    return True


@compiled
def equal(one: float, other: float) -> bool:
    return abs(one - other) <= TIED * (one + other)


@compiled
def cost_of(row: Floats, costs: Floats, decision: int) -> float:
    total = 0.0
    for t in range(len(row)):
        total += costs[t, decision] * row[t]
    return total


@compiled
def _settle(row: Floats, heights: Floats, slopes: Floats, i: int, j: int) -> float:
    """Negative if i goes before j, which costs the same; 0 if their heights are equal too."""
    one, other = cost_of(row, slopes, i) + heights[i], cost_of(row, slopes, j) + heights[j]
    return float(one - other)


@compiled
def _beaten(row: Floats, heights: Floats, costs: Floats, slopes: Floats, pair: Ints) -> bool:
    """Whether a third decision is cheaper than the two of the pair, which cost the same."""
    known = cost_of(row, costs, pair[0])
    for other in range(len(row)):
        if other in (pair[0], pair[1]):
            continue
        cost = cost_of(row, costs, other)
        if equal(cost, known):
            if _settle(row, heights, slopes, other, pair[0]) < 0:
                return True
        elif cost < known:
            return True
    return False


@compiled
def cheapest_rates(
    likelihoods: Floats,
    heights: Floats,
    costs: Floats,
    slopes: Floats,
    first: int | np.int64,
    count: int,
    members: Ints,
) -> Floats:
    """N × N rates (truth by decision) of the cheapest decisions.

    Over ``count`` observations from ``first`` on, in a circle, without the members of the tuple.
    Decisions that cost the same, heights included, share an observation equally.
    """
    size, n_classes = likelihoods.shape
    rates, used = np.zeros((n_classes, n_classes)), 0
    best = np.zeros(n_classes, np.int64)
    for step in range(count):
        at = (first + step) % size
        if at in members:
            continue
        used += 1
        row = likelihoods[at]
        best[0], n_best, lowest = 0, 1, cost_of(row, costs, 0)
        for decision in range(1, n_classes):
            cost = cost_of(row, costs, decision)
            sign = cost - lowest
            if equal(cost, lowest):
                sign = _settle(row, heights[at], slopes, decision, best[0])
            if sign < 0:
                best[0], n_best, lowest = decision, 1, cost
            elif sign == 0:
                best[n_best] = decision
                n_best += 1
        for b in range(n_best):
            for t in range(n_classes):
                rates[t, best[b]] += row[t] / n_best
    return rates / max(used, 1)


@compiled
def _parts(costs: Floats, rates: Floats, out: Floats) -> None:
    """γ̂_q P_q for every kind of error q, in row-major order; their sum is the expected cost."""
    q = 0
    for t in range(len(costs)):
        for i in range(len(costs)):
            if i != t:
                out[q] = costs[t, i] * rates[t, i]
                q += 1


@compiled
def _unlike(members: Ints) -> bool:
    for a in range(len(members)):
        for b in range(a):
            if members[a] == members[b]:
                return False
    return True


@compiled
def draw_facets(
    likelihoods: Floats,
    heights: Floats,
    patterns: Ints,
    pairs: Ints,
    rng: np.random.Generator,
    n_draws: int,
    window: int,
) -> tuple[Floats, Floats]:
    """Facets of independent tuples: sizes, and costs taken apart.

    Draw number m takes pattern m modulo their number, which says how many observations lie between
    each pair of decisions; sizes are divided by the orders that give the same facet. Facets that
    are not on the surface are left out.
    """
    size, n_classes = likelihoods.shape
    k = n_classes * (n_classes - 1) - 1
    members, labels = np.empty(k, np.int64), np.empty(k, np.int64)
    costs, slopes = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    sizes, parts = np.empty(n_draws), np.empty((n_draws, k + 1))
    found = 0
    for draw in range(n_draws):
        pattern, weight, a = patterns[draw % len(patterns)], 1.0, 0
        for pair in range(len(pairs)):
            for repeat in range(pattern[pair]):
                labels[a] = pair
                weight /= repeat + 1
                a += 1
        for a in range(k):
            members[a] = rng.integers(0, size)
        if not _unlike(members):
            continue
        volume = facet(likelihoods[members], heights[members], labels, pairs, costs, slopes)
        if volume == 0:
            continue
        start = rng.integers(0, size)
        rates = cheapest_rates(likelihoods, heights, costs, slopes, start, window, members)
        sizes[found] = volume * weight
        _parts(costs, rates, parts[found])
        found += 1
    return sizes[:found].copy(), parts[:found].copy()


@compiled
def spread_out(labels: Ints, groups: Ints, limits: Ints) -> bool:
    """Whether the observations can fix all costs: no group of decisions has too many of them."""
    for g in range(len(groups)):
        total = 0
        for a in range(len(labels)):
            total += groups[g, labels[a]]
        if total > limits[g]:
            return False
    return True


@compiled
def even_costs(n_classes: int) -> Floats:
    """Costs of 1 for every error."""
    costs = np.ones((n_classes, n_classes))
    for t in range(n_classes):
        costs[t, t] = 0
    return costs


@compiled
def _start(
    likelihoods: Floats,
    pairs: Ints,
    rng: np.random.Generator,
    begin: Floats,
    rows: Floats,
    labels: Ints,
) -> int:
    """Observations undecided at the costs to begin with, made up of two drawn each; how many."""
    size, n_classes = likelihoods.shape
    level, flat = np.zeros((n_classes, n_classes)), np.zeros(n_classes)
    a = 0
    for _ in range(MOST_TRIES):
        if a == len(labels):
            break
        labels[a] = rng.integers(0, len(pairs))
        i, j = pairs[labels[a]]
        one, other = likelihoods[rng.integers(0, size)], likelihoods[rng.integers(0, size)]
        here = cost_of(one, begin, j) - cost_of(one, begin, i)
        there = cost_of(other, begin, j) - cost_of(other, begin, i)
        if here * there >= 0:
            continue
        rows[a] = (there * one - here * other) / (there - here)
        if not _beaten(rows[a], flat, begin, level, pairs[labels[a]]):
            a += 1
    return a


@compiled
def first_facet(
    likelihoods: Floats,
    pairs: Ints,
    groups: Ints,
    limits: Ints,
    rng: np.random.Generator,
    begin: Floats,
    rows: Floats,
    rises: Floats,
    labels: Ints,
    costs: Floats,
) -> float:
    """Size of a facet between made-up observations, 0 if none was found."""
    slopes = np.zeros_like(costs)
    for _ in range(MOST_TRIES):
        if _start(likelihoods, pairs, rng, begin, rows, labels) < len(labels):
            break
        if spread_out(labels, groups, limits):
            volume = facet(rows, rises, labels, pairs, costs, slopes)
            if volume > 0:
                return volume
    return 0.0


@compiled
def walk_facets(
    likelihoods: Floats,
    heights: Floats,
    pairs: Ints,
    groups: Ints,
    limits: Ints,
    rng: np.random.Generator,
    n_burn: int,
    n_steps: int,
    every: int,
    window: int,
) -> Floats:
    """A Metropolis walk over the facets of the surface, each visited in proportion to its size.

    A step replaces one observation and the pair of decisions it lies between. Returns costs taken
    apart, a row for every so many steps; no row if the walk did not leave its made-up start. Ties
    of other observations do not change the costs, so they are settled as if level.
    """
    size, n_classes = likelihoods.shape
    k = n_classes * (n_classes - 1) - 1
    rows, labels, members = np.empty((k, n_classes)), np.empty(k, np.int64), np.full(k, -1)
    rises, square = np.zeros((k, n_classes)), (n_classes, n_classes)
    costs, proposed, slopes = np.zeros(square), np.zeros(square), np.zeros(square)
    even = even_costs(n_classes)
    volume = first_facet(likelihoods, pairs, groups, limits, rng, even, rows, rises, labels, costs)
    parts = np.empty((n_steps // every, k + 1))
    if volume == 0:
        return parts[:0]
    row, rise, level = np.empty(n_classes), np.empty(n_classes), np.zeros(square)
    for step in range(-n_burn, len(parts) * every):
        a, new, label = rng.integers(0, k), rng.integers(0, size), rng.integers(0, len(pairs))
        row[:], rise[:], former = rows[a], rises[a], labels[a]
        rows[a], rises[a], labels[a], trial = likelihoods[new], heights[new], label, 0.0
        if new not in members and spread_out(labels, groups, limits):
            trial = facet(rows, rises, labels, pairs, proposed, slopes)
        if trial > volume * rng.random():
            volume, members[a], costs[:] = trial, new, proposed
        else:
            rows[a], rises[a], labels[a] = row, rise, former
        if step >= 0 and step % every == every - 1:
            start = rng.integers(0, size)
            rates = cheapest_rates(likelihoods, heights, costs, level, start, window, members)
            _parts(costs, rates, parts[step // every])
        if step == 0 and members.min() < 0:
            return parts[:0]
    return parts
