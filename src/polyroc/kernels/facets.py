"""Facets of the ROC hypersurface of an ideal observer, one for each tuple of observations.

A row of ``likelihoods`` holds the N likelihoods of one observation. An observation between the
decisions i and j is an edge of the set of reachable error rates: deciding j instead of i moves the
rates along v = (f_t at (t, i)) − (f_t at (t, j)). As many edges as the surface has dimensions,
k = N² − N − 1, span a facet; its normal is the one cost vector for which all k observations are
undecided, its size the volume that the edges span. It belongs to the surface if the costs are
positive and no other decision is cheaper for any of the k observations.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

MOST_TRIES = 2_000


@compiled
def _edges(rows: Floats, labels: Ints, pairs: Ints, table: Floats) -> None:
    """The edges v of k observations, as rows of a k × D table."""
    n_classes = rows.shape[1]
    table[:] = 0
    for a in range(len(rows)):
        i, j = pairs[labels[a]]
        for t in range(n_classes):
            start = t * (n_classes - 1)
            if t != i:
                table[a, start + i - (i > t)] = rows[a, t]
            if t != j:
                table[a, start + j - (j > t)] = -rows[a, t]


@compiled
def _normal(table: Floats, order: Ints, normal: Floats) -> float:
    """Volume of the k rows, and the unit vector orthogonal to them; overwrites the table.

    Gauss elimination with complete pivoting: the volume is that of the k × k minor of the pivots,
    times the length of the null vector whose free entry is 1.
    """
    k, d = table.shape
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
        for b in range(d):
            table[s, b], table[row, b] = table[row, b], table[s, b]
        for a in range(k):
            table[a, s], table[a, column] = table[a, column], table[a, s]
        order[s], order[column] = order[column], order[s]
        volume *= largest
        for a in range(s + 1, k):
            factor = table[a, s] / table[s, s]
            if factor != 0:
                for b in range(s, d):
                    table[a, b] -= factor * table[s, b]
    return volume * _null_vector(table, order, normal)


@compiled
def _null_vector(table: Floats, order: Ints, normal: Floats) -> float:
    """Solve the triangular system with its last entry 1; the length before scaling to 1."""
    k, d = table.shape
    solved = np.ones(d)
    length = 1.0
    for a in range(k - 1, -1, -1):
        total = 0.0
        for b in range(a + 1, d):
            total -= table[a, b] * solved[b]
        solved[a] = total / table[a, a]
        length += solved[a] ** 2
    length = float(np.sqrt(length))
    for b in range(d):
        normal[order[b]] = solved[b] / length
    return length


@compiled
def facet(rows: Floats, labels: Ints, pairs: Ints, costs: Floats) -> float:
    """Size of the facet that k observations span, or 0 if it is not on the surface.

    ``costs`` (N × N, truth by decision, zero diagonal) receives its unit normal.
    """
    k, n_classes = rows.shape
    table, order, normal = np.empty((k, k + 1)), np.empty(k + 1, np.int64), np.empty(k + 1)
    _edges(rows, labels, pairs, table)
    volume = _normal(table, order, normal)
    if volume == 0:
        return 0.0
    sign = 1.0 if normal[0] > 0 else -1.0
    for b in range(k + 1):
        if not sign * normal[b] > 0:
            return 0.0
        truth, place = b // (n_classes - 1), b % (n_classes - 1)
        costs[truth, place + (place >= truth)] = sign * normal[b]
    for a in range(k):
        if _beaten(rows[a], costs, pairs[labels[a], 0], pairs[labels[a], 1]):
            return 0.0
    return volume


@compiled
def _cost(row: Floats, costs: Floats, decision: int) -> float:
    total = 0.0
    for t in range(len(row)):
        total += costs[t, decision] * row[t]
    return total


@compiled
def _beaten(row: Floats, costs: Floats, i: int, j: int) -> bool:
    """Whether a third decision is cheaper than i and j, which cost the same."""
    known = _cost(row, costs, i)
    for other in range(len(row)):
        if other not in (i, j) and _cost(row, costs, other) < known:
            return True
    return False


@compiled
def cheapest_rates(
    likelihoods: Floats, costs: Floats, first: int | np.int64, count: int, members: Ints
) -> Floats:
    """N × N rates (truth by decision) of the cheapest decisions.

    Over ``count`` observations from ``first`` on, in a circle, without the members of the tuple.
    """
    size, n_classes = likelihoods.shape
    rates, used = np.zeros((n_classes, n_classes)), 0
    for step in range(count):
        at = (first + step) % size
        if at in members:
            continue
        used += 1
        best, lowest = 0, _cost(likelihoods[at], costs, 0)
        for decision in range(1, n_classes):
            cost = _cost(likelihoods[at], costs, decision)
            if cost < lowest:
                best, lowest = decision, cost
        for t in range(n_classes):
            rates[t, best] += likelihoods[at, t]
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
    patterns: Ints,
    pairs: Ints,
    rng: np.random.Generator,
    n_draws: int,
    window: int,
) -> tuple[Floats, Floats, Floats]:
    """Facets of independent tuples: sizes, costs taken apart, and unit normals.

    Draw number m takes pattern m modulo their number, which says how many observations lie between
    each pair of decisions; sizes are divided by the orders that give the same facet. Facets that
    are not on the surface are left out.
    """
    size, n_classes = likelihoods.shape
    k = n_classes * (n_classes - 1) - 1
    members, labels = np.empty(k, np.int64), np.empty(k, np.int64)
    costs = np.zeros((n_classes, n_classes))
    sizes, parts, normals = (
        np.empty(n_draws),
        np.empty((n_draws, k + 1)),
        np.empty((n_draws, k + 1)),
    )
    found = 0
    everything = np.ones((n_classes, n_classes))
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
        volume = facet(likelihoods[members], labels, pairs, costs)
        if volume == 0:
            continue
        rates = cheapest_rates(likelihoods, costs, rng.integers(0, size), window, members)
        sizes[found] = volume * weight
        _parts(costs, rates, parts[found])
        _parts(costs, everything, normals[found])
        found += 1
    return sizes[:found].copy(), parts[:found].copy(), normals[:found].copy()


@compiled
def _spread_out(labels: Ints, groups: Ints, limits: Ints) -> bool:
    """Whether the observations can fix all costs: no group of decisions has too many of them."""
    for g in range(len(groups)):
        total = 0
        for a in range(len(labels)):
            total += groups[g, labels[a]]
        if total > limits[g]:
            return False
    return True


@compiled
def _start(
    likelihoods: Floats, pairs: Ints, rng: np.random.Generator, rows: Floats, labels: Ints
) -> int:
    """Observations between decisions of equal costs, made up of two drawn ones each; how many."""
    size, n_classes = likelihoods.shape
    even = np.ones((n_classes, n_classes))
    for t in range(n_classes):
        even[t, t] = 0
    a = 0
    for _ in range(MOST_TRIES):
        if a == len(labels):
            break
        labels[a] = rng.integers(0, len(pairs))
        i, j = pairs[labels[a]]
        one, other = likelihoods[rng.integers(0, size)], likelihoods[rng.integers(0, size)]
        # at equal costs i is cheaper than j where its likelihood is higher
        here, there = one[i] - one[j], other[i] - other[j]
        if here * there >= 0:
            continue
        rows[a] = (there * one - here * other) / (there - here)
        if not _beaten(rows[a], even, i, j):
            a += 1
    return a


@compiled
def walk_facets(
    likelihoods: Floats,
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
    apart, a row for every so many steps; no row if the walk did not leave its made-up start.
    """
    size, n_classes = likelihoods.shape
    k = n_classes * (n_classes - 1) - 1
    rows, labels, members = np.empty((k, n_classes)), np.empty(k, np.int64), np.full(k, -1)
    costs, proposed = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    volume = 0.0
    for _ in range(MOST_TRIES):
        if volume > 0 or _start(likelihoods, pairs, rng, rows, labels) < k:
            break
        if _spread_out(labels, groups, limits):
            volume = facet(rows, labels, pairs, costs)
    parts = np.empty((n_steps // every, k + 1))
    if volume == 0:
        return parts[:0]
    row = np.empty(n_classes)
    for step in range(-n_burn, len(parts) * every):
        a, new = rng.integers(0, k), rng.integers(0, size)
        row[:] = rows[a]
        label, trial = labels[a], 0.0
        rows[a], labels[a] = likelihoods[new], rng.integers(0, len(pairs))
        if new not in members and _spread_out(labels, groups, limits):
            trial = facet(rows, labels, pairs, proposed)
        if trial > volume * rng.random():
            volume, members[a] = trial, new
            costs[:] = proposed
        else:
            rows[a], labels[a] = row, label
        if step >= 0 and step % every == every - 1:
            rates = cheapest_rates(likelihoods, costs, rng.integers(0, size), window, members)
            _parts(costs, rates, parts[step // every])
        if step == 0 and members.min() < 0:
            return parts[:0]
    return parts
