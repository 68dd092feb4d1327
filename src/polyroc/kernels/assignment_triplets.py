"""Assignment rule, three classes: all n_a·n_b·n_c triplets, visiting every pair (a, b) once.

The sweep takes the cases of the three classes apart (a, b, c) and learns from a table what all
cases c together contribute to a pair (a, b). It returns the projections on a and on b: for every
case, the weighted sum of the credit of all triplets that hold it, its own weight left out. Either
projection, weighted by the cases' weights and added up, is the total over all triplets; the
projection on c comes from a second run with the classes rotated.

A call handles the cases a in [start, stop), so that threads can share the work. The row of a case
a is the same to the last bit wherever these borders lie. The rows of b are sums over that range:
the caller adds them up, over borders that do not depend on the number of threads. Every call
prepares its tables anew, so ranges should be a few long ones rather than many short ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.quadrant_sums import Dominance, dominance, mass_before
from polyroc.kernels.runs import Runs, merge_codes, place_code, place_of, runs_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Write a1, a2, a3 for the costs of giving case a the corners 1, 2, 3. The identity a→1, b→2, c→3
# beats the five other permutations if and only if
#     a1 − a2 < b1 − b2                                    (against the swap of a and b)
#     c3 − c1 < min(a3 − a1, (a2 − a1) + (b3 − b2))        (the swap of a and c; one cycle)
#     c3 − c2 < min(b3 − b2, (a3 − a1) + (b1 − b2))        (the swap of b and c; the other cycle)
# so c matters through x = c3 − c1 and y = c3 − c2 alone, each below a threshold: a dominance sum
# over the places of the cases c in order of x and in order of y.
#
# The places of the thresholds need no search. With g = b3 − b2 and h = b1 − b2, the cases b are
# sorted by g and by h once. For a given a the threshold of x rises with g, and the second term of
# the threshold of y rises with h: one merge with the sorted x and one with the sorted y place
# them all. The pairs (a, b) that pass the first line are a suffix of the order by h.
#
# Costs are rounded, so equal sums may differ a little: two of them are tied if they differ by no
# more than the largest slack of the differences in them. A place is coded as 2·(number of smaller
# values) + [tied with a run of values]. Codes are ordered as the thresholds are, so the lesser of
# two thresholds has the lesser code, and two thresholds that are tied with values are tied with
# each other if their codes are equal. Ties show in the lowest bit; data without ties pays nothing
# for them.
#
# Every pair takes O(1): O(n_a (n_b + n_c) + n log n + n_c √n_c) in all, ties or not.


class Middle(NamedTuple):
    """The cases of class b in order of g, and the same in order of h."""

    g: Floats
    slack_g: Floats
    code_g: Integers  # of g among the y of class c
    h: Runs
    slack_h: Floats
    by_h: Integers
    length: Floats
    weight: Floats


class Last(NamedTuple):
    """The cases of class c: runs of x and of y, dominance sums, and the largest slack of all."""

    x: Runs
    y: Runs
    tables: Dominance
    most: float


class First(NamedTuple):
    """One case a, with the coded places of its thresholds for every b in order of g."""

    length: float
    weight: float
    code_a: int  # of a3 − a1 among x
    code_x: Integers  # of (a2 − a1) + g among x
    code_y: Integers  # of (a3 − a1) + h among y


def assignment_sweep(
    cost_a: Floats,
    cost_b: Floats,
    cost_c: Floats,
    slack_a: Floats,
    slack_b: Floats,
    slack_c: Floats,
    length_a: Floats,
    length_b: Floats,
    length_c: Floats,
    weight_a: Floats,
    weight_b: Floats,
    weight_c: Floats,
    start: int,
    stop: int,
) -> tuple[Floats, Floats]:
    """Return the projections of the assignment rule on a[start:stop] and on b.

    cost_x[i, k] is the cost of giving case i the corner k, and slack_x[i, k] the slack of what
    that costs more than its own corner. The columns of both results are the strict, fair and
    lenient credit, then the same three times the triplet's length_a + length_b + length_c. A
    triplet whose identity is one of m > 1 optimal permutations earns 0, 1/m and 1.
    """
    most = max(slack_a.max(), slack_b.max(), slack_c.max())
    last = last_class(cost_c, slack_c, length_c, weight_c, most)
    order = np.argsort(cost_b[:, 2] - cost_b[:, 1], kind="stable")
    middle = middle_class(cost_b[order], slack_b[order], length_b[order], weight_b[order], last)
    # Neighbours in this order look up nearly the same places, which are then still in the cache.
    rows = start + np.argsort((cost_a[:, 1] - cost_a[:, 0])[start:stop], kind="stable")
    first = cost_a[rows], slack_a[rows], length_a[rows], weight_a[rows]
    sums_a, sums_b = assignment_pairs(*first, middle, last)
    on_a, on_b = np.empty_like(sums_a), np.empty_like(sums_b)
    on_a[rows - start] = with_ties(sums_a)
    on_b[order] = with_ties(sums_b)
    return on_a, on_b


def with_ties(sums: Floats) -> Floats:
    """Turn what fair and lenient credit have in excess of strict into these credits."""
    credit = sums.reshape(-1, 2, 3)
    credit[:, :, 1:] += credit[:, :, :1]
    return sums


def middle_class(cost: Floats, slack: Floats, length: Floats, weight: Floats, last: Last) -> Middle:
    """Prepare class b, given in order of g."""
    g, h = cost[:, 2] - cost[:, 1], cost[:, 0] - cost[:, 1]
    by_h = np.argsort(h, kind="stable")
    code_g, slack_g, slack_h = np.empty(len(g), np.int64), slack[:, 2].copy(), slack[by_h, 0]
    merge_codes(last.y, g, slack_g, 0.0, 0.0, last.most, 0, code_g)
    return Middle(g, slack_g, code_g, runs_of(h[by_h], slack_h), slack_h, by_h, length, weight)


def last_class(cost: Floats, slack: Floats, length: Floats, weight: Floats, most: float) -> Last:
    """Prepare class c."""
    x, y = cost[:, 2] - cost[:, 0], cost[:, 2] - cost[:, 1]
    by_x, by_y = np.argsort(x, kind="stable"), np.argsort(y, kind="stable")
    runs_x, runs_y = runs_of(x[by_x], slack[by_x, 0]), runs_of(y[by_y], slack[by_y, 1])
    place_y = np.empty(len(y), np.int64)
    place_y[by_y] = np.arange(len(y))
    mass = np.column_stack([weight, weight * length])[by_x]
    return Last(runs_x, runs_y, dominance(place_y[by_x], mass), most)


@compiled
def assignment_pairs(
    cost: Floats, slack: Floats, length: Floats, weight: Floats, middle: Middle, last: Last
) -> tuple[Floats, Floats]:
    """Visit all pairs (a, b), b in order of g.

    Fair and lenient columns of the result hold what they have in excess of strict credit.
    """
    n_b = len(middle.g)
    on_a, on_b = np.zeros((len(cost), 6)), np.zeros((n_b, 6))
    code_x, code_y = np.empty(n_b, np.int64), np.empty(n_b, np.int64)
    code_h = np.zeros(n_b, np.int64)
    for i in range(len(cost)):
        to_b, to_c = cost[i, 1] - cost[i, 0], cost[i, 2] - cost[i, 0]
        slack_b, slack_c, most = slack[i, 1], slack[i, 2], last.most
        tied = right = place_of(middle.h.values, -to_b)
        code = place_code(middle.h, tied, -to_b, slack_b, most)
        if code & 1:
            tied, right = code >> 1, middle.h.ends[code >> 1]
        code_a = place_code(last.x, place_of(last.x.values, to_c), to_c, slack_c, most)
        merge_codes(last.x, middle.g, middle.slack_g, to_b, slack_b, most, 0, code_x)
        merge_codes(last.y, middle.h.values, middle.slack_h, to_c, slack_c, most, tied, code_h)
        for k in range(n_b):  # nothing lies before place 0: wrong and tied pairs get no credit
            code_y[middle.by_h[k]] = code_h[k] if k >= right else 0
        case = First(length[i], weight[i], code_a, code_x, code_y)
        if add_strict(case, middle, last, on_a[i], on_b):
            for j in range(n_b):
                add_excess(j, 1, case, middle, last, on_a[i], on_b)
        for k in range(tied, right):  # a and b can be swapped at no cost
            code_y[middle.by_h[k]] = code_h[k]
            add_excess(middle.by_h[k], 2, case, middle, last, on_a[i], on_b)
    return on_a, on_b


@compiled
def add_strict(case: First, middle: Middle, last: Last, on_a: Floats, on_b: Floats) -> bool:
    """Add one a's strict credit with every b; return whether any threshold meets a value."""
    total, total_length, codes = 0.0, 0.0, 0
    for j in range(len(middle.g)):
        x, y = min(case.code_a, case.code_x[j]), min(middle.code_g[j], case.code_y[j])
        codes |= x | y
        credit, credit_length = mass_before(last.tables, x >> 1, y >> 1)
        credit_length += credit * (case.length + middle.length[j])
        total += middle.weight[j] * credit
        total_length += middle.weight[j] * credit_length
        on_b[j, 0] += case.weight * credit
        on_b[j, 3] += case.weight * credit_length
    on_a[0], on_a[3] = total, total_length
    return codes & 1 == 1


# With `optimal` = 1 or 2 permutations of a and b alone, a case c that meets the threshold of x
# brings as many more as there are terms that attain it, and likewise for y; the four sets of cases
# (x below or at its threshold, y below or at its threshold) come from four dominance sums.


@compiled
def add_excess(
    j: int, optimal: int, case: First, middle: Middle, last: Last, on_a: Floats, on_b: Floats
) -> None:
    """Add what fair and lenient credit of the pair (a, b_j) have in excess of strict."""
    x, y = min(case.code_a, case.code_x[j]), min(middle.code_g[j], case.code_y[j])
    if optimal == 1 and (x | y) & 1 == 0:
        return
    more_x = 2 if case.code_a == case.code_x[j] else 1
    more_y = 2 if middle.code_g[j] == case.code_y[j] else 1
    below_x, below_y = x >> 1, y >> 1
    upto_x = last.x.ends[below_x] if x & 1 else below_x
    upto_y = last.y.ends[below_y] if y & 1 else below_y
    sets = (
        mass_before(last.tables, below_x, below_y),
        mass_before(last.tables, upto_x, below_y),
        mass_before(last.tables, below_x, upto_y),
        mass_before(last.tables, upto_x, upto_y),
    )
    length = case.length + middle.length[j]
    for k in range(2):
        excess = excess_over_strict(k, sets, length, optimal, more_x, more_y)
        on_a[3 * k + 1] += middle.weight[j] * excess[0]
        on_a[3 * k + 2] += middle.weight[j] * excess[1]
        on_b[j, 3 * k + 1] += case.weight * excess[0]
        on_b[j, 3 * k + 2] += case.weight * excess[1]


@compiled
def excess_over_strict(
    k: int,
    sets: tuple[tuple[float, float], ...],
    length: float,
    optimal: int,
    more_x: int,
    more_y: int,
) -> tuple[float, float]:
    """Return the excess of fair and of lenient credit: plain (k = 0) or times length (k = 1)."""
    below, wide_x, wide_y, whole = sets
    strict = below[k] + k * length * below[0]
    lenient = whole[k] + k * length * whole[0]
    at_x = wide_x[k] + k * length * wide_x[0] - strict
    at_y = wide_y[k] + k * length * wide_y[0] - strict
    at_both = lenient - strict - at_x - at_y
    fair = at_x / (optimal + more_x) + at_y / (optimal + more_y)
    fair += at_both / (optimal + more_x + more_y)
    if optimal == 1:
        return fair, lenient - strict
    return fair + strict / 2, lenient
