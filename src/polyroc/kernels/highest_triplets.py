"""Highest-probability rule, three classes: all triplets, visiting every pair (a, b) once.

Projections and ranges are those of :mod:`polyroc.kernels.assignment_triplets`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.runs import place_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# A triplet is right if every case has the highest value of its own column. Given a and b with
# b1 < a1 and b2 > a2, the cases c that complete them have c1 < a1, c2 < b2 and c3 > max(a3, b3).
# Visit the cases a by ascending a1, so that the cases c with c1 < a1 only grow in number, and keep
#     of_b[b]  the sum over the c so far with c2 < b2, c3 > b3: adding a c updates a suffix of the b
#              in order of b2, O(n_b);
#     of_a[r]  for the current a only, the sum over the c so far with c3 > a3 that are among the
#              first r in order of c2: one cumulative sum, O(n_c).
# A pair needs of_b[b] if b3 ≥ a3, else of_a[number of c with c2 < b2]: O(1). The sums hold Σw and
# Σ w·c, because det[a; b; c] = (a × b)·c is linear in c; where the scores of a case sum to 1 it is
# never negative for a right triplet.
#
# O(n_a (n_b + n_c) + n_b n_c + n log n) time, O(n) memory.


class Ranked(NamedTuple):
    """Cases of a class in order of their second column."""

    rank: Integers  # (3, n)
    score: Floats  # (3, n)
    weight: Floats
    place: Integers  # b: how many c have a lower second column; c: how many b do not have a higher


def highest_sweep(
    rank_a: Integers,
    rank_b: Integers,
    rank_c: Integers,
    score_a: Floats,
    score_b: Floats,
    score_c: Floats,
    weight_a: Floats,
    weight_b: Floats,
    weight_c: Floats,
    start: int,
    stop: int,
) -> tuple[Floats, Floats]:
    """Return the projections of the highest-probability rule on a[start:stop] and on b.

    rank_x[i, k] orders the cases of all classes by column k; only strict inequalities count. For
    the lenient rule pass 2r + 1 in a class's own column and 2r in the others. The columns of both
    results are the number of right triplets and the sum of their determinants det[a; b; c], which
    are volumes (not negative) if the scores of a case sum to 1.
    """
    by_b, by_c = (np.argsort(rank[:, 1], kind="stable") for rank in (rank_b, rank_c))
    second_b, second_c = rank_b[by_b, 1], rank_c[by_c, 1]
    below, upto = np.searchsorted(second_c, second_b), np.searchsorted(second_b, second_c, "right")
    b = ranked(rank_b, score_b, weight_b, by_b, below)
    c = ranked(rank_c, score_c, weight_c, by_c, upto)
    order_a = start + np.argsort(rank_a[start:stop, 0], kind="stable")
    order_c = np.argsort(c.rank[0], kind="stable")
    a = rank_a[order_a], score_a[order_a], weight_a[order_a]
    sums_a, sums_b = highest_pairs(*a, b, c, order_c)
    on_a, on_b = np.empty_like(sums_a), np.empty((len(by_b), 2))
    on_a[order_a - start] = sums_a
    on_b[by_b] = sums_b.T
    return on_a, on_b


def ranked(
    rank: Integers, score: Floats, weight: Floats, order: Integers, place: Integers
) -> Ranked:
    """Sort a class, and lay the values of one column side by side in memory."""
    columns = np.ascontiguousarray(rank[order].T), np.ascontiguousarray(score[order].T)
    return Ranked(*columns, weight[order], place)


@compiled
def highest_pairs(
    rank: Integers, score: Floats, weight: Floats, b: Ranked, c: Ranked, order_c: Integers
) -> tuple[Floats, Floats]:
    """Visit all pairs (a, b), a by ascending first column."""
    n_b, n_c = len(b.weight), len(c.weight)
    on_a, on_b = np.zeros((len(rank), 2)), np.zeros((2, n_b))
    of_b, of_a = np.zeros((4, n_b)), np.zeros((n_c + 1, 4))
    credit = np.zeros((2, n_b))
    entered = 0
    for i in range(len(rank)):
        while entered < n_c and c.rank[0, order_c[entered]] < rank[i, 0]:
            enter(c, order_c[entered], b, of_b)
            entered += 1
        accumulate(c, rank[i, 0], rank[i, 2], of_a)
        first = place_of(b.rank[1], rank[i, 1] + 1)
        pair_credit(rank[i], score[i], b, first, of_b, of_a, credit)
        for k in range(2):
            total = 0.0
            for j in range(first, n_b):
                on_b[k, j] += weight[i] * credit[k, j]
                total += b.weight[j] * credit[k, j]
            on_a[i, k] = total
    return on_a, on_b


@compiled
def enter(c: Ranked, k: int, b: Ranked, of_b: Floats) -> None:
    """Add case c_k to the sums of all b with c2 < b2 and c3 > b3."""
    third, weight = c.rank[2, k], c.weight[k]
    third_b = b.rank[2, c.place[k] :]
    for m in range(4):
        value = weight if m == 0 else weight * c.score[m - 1, k]
        sums = of_b[m, c.place[k] :]
        for j in range(len(sums)):
            sums[j] += value if third_b[j] < third else 0.0


@compiled
def accumulate(c: Ranked, first: int, third: int, of_a: Floats) -> None:
    """Set of_a[r] to the sums over the c with c1 < first, c3 > third among the r lowest in c2."""
    mass, mass_1, mass_2, mass_3 = 0.0, 0.0, 0.0, 0.0
    for k in range(len(c.weight)):
        inside = c.rank[0, k] < first and c.rank[2, k] > third
        weight = c.weight[k] if inside else 0.0
        mass += weight
        mass_1 += weight * c.score[0, k]
        mass_2 += weight * c.score[1, k]
        mass_3 += weight * c.score[2, k]
        of_a[k + 1, 0], of_a[k + 1, 1] = mass, mass_1
        of_a[k + 1, 2], of_a[k + 1, 3] = mass_2, mass_3


@compiled
def pair_credit(
    rank: Integers,
    score: Floats,
    b: Ranked,
    first: int,
    of_b: Floats,
    of_a: Floats,
    credit: Floats,
) -> None:
    """Set the count and the sum of determinants of one a with each b from `first` on."""
    a_1, a_2, a_3 = score[0], score[1], score[2]
    for j in range(first, len(b.weight)):
        right = b.rank[0, j] < rank[0]
        own = b.rank[2, j] >= rank[2]
        place = b.place[j]
        mass = of_b[0, j] if own else of_a[place, 0]
        mass_1 = of_b[1, j] if own else of_a[place, 1]
        mass_2 = of_b[2, j] if own else of_a[place, 2]
        mass_3 = of_b[3, j] if own else of_a[place, 3]
        b_1, b_2, b_3 = b.score[0, j], b.score[1, j], b.score[2, j]
        volume = (a_2 * b_3 - a_3 * b_2) * mass_1 + (a_3 * b_1 - a_1 * b_3) * mass_2
        volume += (a_1 * b_2 - a_2 * b_1) * mass_3
        credit[0, j] = mass if right else 0.0
        credit[1, j] = volume if right else 0.0
