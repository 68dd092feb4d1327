"""Ranks of all cases among the positives of columns, for many classes.

A case is looked up by the leading bits of its score: they name a bucket of a few positives, among
which a short search finds its place.

Cases are followed by the rows of a pool, which are positive in every column, and a case of every
other class too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Places = NDArray[np.uint32]
Keys = NDArray[np.uint64]

SIGN = np.uint64(1 << 63)

MOST_BUCKETS = 1 << 11

FEW_IN_BUCKET = 8
"""Positives of a bucket that are looked at one after the other."""


class Cases(NamedTuple):
    """N cases of K classes and of the pool."""

    codes: Places
    """Class of each, K for the pool."""
    weights: Floats
    """Weight of each, share of each in the pool."""
    added: Floats
    """Weight of the pool in each class."""
    n_own: int
    """Cases that are none of the pool."""


class Block(NamedTuple):
    """Some columns, the first of them that of class ``first``."""

    first: int
    scores: Floats
    """A row for each column."""
    members: Integers
    """The positives of each column in ascending order of score."""
    ends: Integers
    """Where those of each column end; the first begin at 0."""


class Ranked(NamedTuple):
    """One column: m positives in ascending order, and the places of all cases among them."""

    k: int
    scores: Floats
    members: Integers
    left: Places
    """How many positives are below each case."""
    right: Places
    """How many are not above it."""
    ties: Integers
    """Cases that are tied with a positive, and not of its class."""
    weights: Floats
    """Of the first j positives, j = 0 … m."""
    sums: Floats
    """Of their weighted scores."""


class Buckets(NamedTuple):
    """Positives by the leading bits of their scores."""

    lowest: np.uint64
    highest: np.uint64
    shift: np.uint64
    starts: Integers
    """Where those of each bucket begin."""


@compiled
def ranked(cases: Cases, block: Block, c: int) -> Ranked:
    """The places of all cases in column c of a block."""
    k, scores = block.first + c, block.scores[c]
    members = block.members[block.ends[c - 1] if c else 0 : block.ends[c]]
    n, m = len(scores), len(members)
    ascending, weights, sums = running(cases, scores, members, k)
    ends = np.empty(m, np.int64)
    for j in range(m - 1, -1, -1):
        tied = j < m - 1 and ascending[j] == ascending[j + 1]
        ends[j] = ends[j + 1] if tied else j + 1
    keys, buckets = scores.view(np.uint64), buckets_of(ascending, n)
    left, right = np.empty(n, np.uint32), np.empty(n, np.uint32)
    ties, n_ties = np.empty(n, np.int64), 0
    for t in range(n):
        place = number_below(scores[t], in_order(keys[t]), ascending, buckets)
        left[t], right[t] = place, place
        if place < m and ascending[place] == scores[t]:
            right[t] = ends[place]
            ties[n_ties] = t
            n_ties += int(cases.codes[t] != k)
    return Ranked(k, scores, members, left, right, ties[:n_ties], weights, sums)


@compiled
def running(
    cases: Cases, scores: Floats, members: Integers, k: int
) -> tuple[Floats, Floats, Floats]:
    """Scores of the positives, and the sums of the first weights and of the first scores."""
    m = len(members)
    ascending, weights, sums = np.empty(m), np.zeros(m + 1), np.zeros(m + 1)
    weight_lost, sum_lost = 0.0, 0.0
    for j in range(m):
        row = members[j]
        weight = cases.weights[row]
        if row >= cases.n_own:
            weight *= cases.added[k]
        ascending[j] = scores[row]
        weights[j + 1], weight_lost = plus(weights[j], weight, weight_lost)
        weights[j + 1] = max(weights[j], weights[j + 1])
        sums[j + 1], sum_lost = plus(sums[j], weight * scores[row], sum_lost)
    return ascending, weights, sums


@compiled
def in_order(bits: np.uint64) -> np.uint64:
    """The bits of a float as a number in the order of the floats."""
    return ~bits if bits >= SIGN else bits | SIGN


@compiled
def buckets_of(ascending: Floats, n_cases: int) -> Buckets:
    """About four cases a bucket, up to a table that stays in the fastest cache."""
    keys, m = ascending.view(np.uint64), len(ascending)
    lowest, highest, shift = in_order(keys[0]), in_order(keys[m - 1]), np.uint64(0)
    n_buckets = np.uint64(min(max(n_cases // 4, 1), MOST_BUCKETS))
    while (highest - lowest) >> shift >= n_buckets:
        shift += np.uint64(1)
    n_used = int((highest - lowest) >> shift) + 1
    starts, reached = np.empty(n_used + 1, np.int64), 0
    for j in range(m):
        bucket = int((in_order(keys[j]) - lowest) >> shift)
        while reached <= bucket:
            starts[reached] = j
            reached += 1
    starts[n_used] = m
    return Buckets(lowest, highest, shift, starts)


@compiled
def number_below(score: float, key: np.uint64, ascending: Floats, buckets: Buckets) -> int:
    """How many positives are below a score."""
    if key <= buckets.lowest:
        return 0
    if key > buckets.highest:
        return len(ascending)
    bucket = int((key - buckets.lowest) >> buckets.shift)
    place, end = buckets.starts[bucket], buckets.starts[bucket + 1]
    while end - place > FEW_IN_BUCKET:
        middle = (place + end) >> 1
        if ascending[middle] < score:
            place = middle + 1
        else:
            end = middle
    while place < end and ascending[place] < score:
        place += 1
    return int(place)


@compiled
def plus(total: float, value: float, lost: float) -> tuple[float, float]:
    """The sum of two numbers, and what its rounding lost, which is to be taken off the next one."""
    value -= lost
    rounded = total + value
    return rounded, (rounded - total) - value
