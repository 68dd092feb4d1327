"""How often the positives of a column win against one case of each of many classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.ranks import Cases, Ranked

Floats = NDArray[np.float64]

NOTHING = 1e-150
"""A share of a class up to this is none."""


class Shares(NamedTuple):
    """Shares of the classes below each of m positives, and level with it."""

    below: Floats
    """(m, K)."""
    level: Floats
    """(m, K), filled in where a run of tied positives begins."""
    is_tied: NDArray[np.bool_]
    """Of the positives: whether a case of another class is level with it."""
    most_tied: int
    """The most classes level with a positive."""
    most_level: float
    """The largest sum of shares level with a positive."""


class Nodes(NamedTuple):
    """Points and weights of a quadrature on [0, 1]."""

    points: Floats
    weights: Floats


class Chances(NamedTuple):
    """What the positives win, and what a case of each class lets them win."""

    won: Floats
    """(m,) the chance of each positive."""
    clear: Floats
    """(m + 1, K) of the positives from j on, if it is below them."""
    split: Floats
    """(m, K) of a run of tied positives, where it begins, if it is level with them."""


@compiled
def shares_of(cases: Cases, totals: Floats, places: Ranked) -> Shares:
    """Count the cases of each class between the positives."""
    k, m, n_classes = places.k, len(places.members), len(totals)
    counts, tied = np.zeros((m + 1, n_classes + 1)), np.zeros((m, n_classes + 1))
    for t in range(len(places.scores)):
        counts[places.right[t], cases.codes[t]] += cases.weights[t]
    for t in places.ties:
        tied[places.left[t], cases.codes[t]] += cases.weights[t]
    below, level, is_tied = np.empty((m, n_classes)), tied[:, :n_classes], np.zeros(m, np.bool_)
    reached, most_tied, most_level = np.zeros(n_classes + 1), 0, 0.0
    for j in range(m):
        start = places.left[places.members[j]]
        for r in range(n_classes + 1):
            reached[r] += counts[j, r]
        for r in range(n_classes):
            below[j, r] = (reached[r] + reached[n_classes] * cases.added[r]) / totals[r]
        if start == j:
            n_tied, share = 0, 0.0
            for r in range(n_classes):
                level[j, r] = (tied[j, r] + tied[j, n_classes] * cases.added[r]) / totals[r]
                if r != k and level[j, r] > 0:
                    n_tied, share = n_tied + 1, share + level[j, r]
            is_tied[j] = n_tied > 0
            most_tied, most_level = max(most_tied, n_tied), max(most_level, share)
        is_tied[j] = is_tied[start]
    return Shares(below, level, is_tied, most_tied, most_level)


@compiled
def chances_of(places: Ranked, shares: Shares, nodes: Nodes, carried: bool) -> Chances:
    """From the last positive to the first; without a tie one node is as exact as all of them."""
    m, n_classes = shares.below.shape
    won, beaten, n_rows = np.zeros(m), np.empty(n_classes), m if carried else 0
    clear, split = np.zeros((n_rows + 1, n_classes)), np.zeros((n_rows, n_classes))
    for j in range(m - 1, -1, -1):
        share = (places.weights[j + 1] - places.weights[j]) / places.weights[m]
        start, is_tied = places.left[places.members[j]], shares.is_tied[j]
        if carried:
            for r in range(n_classes):
                clear[j, r] = clear[j + 1, r]
        for q in range(len(nodes.points) if is_tied else 1):
            at, weight = (nodes.points[q], nodes.weights[q]) if is_tied else (0.0, 1.0)
            for r in range(n_classes):
                beaten[r] = shares.below[j, r]
            if is_tied:
                for r in range(n_classes):
                    beaten[r] += at * shares.level[start, r]
            beaten[places.k] = 1.0
            product, n_none, none = product_of(beaten)
            if n_none == 0:
                won[j] += weight * product
            if carried and n_none < 2:
                add_others(beaten, none, share * weight * product, clear[j])
                if is_tied:
                    add_others(beaten, none, at * share * weight * product, split[start])
    for j in range(n_rows):
        clear[j, places.k], split[j, places.k] = 0.0, 0.0
    return Chances(won, clear, split)


@compiled
def product_of(factors: Floats) -> tuple[float, int, int]:
    """The product of all that are not 0, how many are, and the last of those (−1: none is)."""
    a, b, c, d, n_none, none = 1.0, 1.0, 1.0, 1.0, 0, -1
    n = len(factors)
    for r in range(n):
        n_none += int(factors[r] <= NOTHING)
    if n_none:
        if n_none > 1:
            return 0.0, n_none, none
        for r in range(n):
            if factors[r] <= NOTHING:
                none = r
            else:
                a *= factors[r]
        return a, n_none, none
    for r in range(0, n - 3, 4):
        a *= factors[r]
        b *= factors[r + 1]
        c *= factors[r + 2]
        d *= factors[r + 3]
    for r in range(n - n % 4, n):
        a *= factors[r]
    return (a * b) * (c * d), n_none, none


@compiled
def add_others(factors: Floats, none: int, product: float, sums: Floats) -> None:
    """Add the product without one factor, for each; if one is 0, the product is without it."""
    if none >= 0:
        sums[none] += product
    else:
        for r in range(len(factors)):
            sums[r] += product / factors[r]


@compiled
def add_chances(
    cases: Cases, places: Ranked, chances: Chances, own: Floats, pooled: Floats
) -> None:
    """Add what each case wins or lets win, and each row of the pool as a case of each class."""
    for t in range(cases.n_own):
        code = cases.codes[t]
        if code != places.k:
            own[t] += chances.clear[places.right[t], code]
    for t in places.ties:
        if t < cases.n_own:
            own[t] += chances.split[places.left[t], cases.codes[t]]
    for t in range(cases.n_own, len(places.scores)):
        row, right, left = t - cases.n_own, places.right[t], places.left[t]
        for r in range(pooled.shape[1]):
            pooled[row, r] += chances.clear[right, r] + chances.split[left, r]
    for j in range(len(places.members)):
        case = places.members[j]
        if case < cases.n_own:
            own[case] += chances.won[j]
        else:
            pooled[case - cases.n_own, places.k] += chances.won[j]
