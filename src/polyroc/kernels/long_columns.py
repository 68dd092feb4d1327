"""Long columns of scores: sorted by digits, and what pairs and tuples need in one pass along them.

A column is given as the classes and scores of its cases in ascending order of score. The cases of
class k are its positives. Runs of equal scores are taken together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.ranks import plus

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Cases = NDArray[np.uint32]
Keys = NDArray[np.uint64]

DIGITS, BITS, RADIX = 8, 8, 256


class Column(NamedTuple):
    """A column in ascending order of score."""

    k: int
    """The class of its positives."""
    codes: Codes
    scores: Floats
    cases: Cases
    """Where each is among the cases; empty where that is of no use."""


class Pulls(NamedTuple):
    """What the places of cases in a column are multiplied by, for several gradients."""

    n_ranked: int
    """From here on gradients are those of leads, not of numbers of cases."""
    lost: Floats
    """(K, G) for a case of each class."""
    won: Floats
    """(G, K) for a positive, by the class that it is above."""


class Room(NamedTuple):
    """Memory to work in, so that it is set aside once for several columns."""

    places: Floats
    """Two numbers a case, in ascending order of score."""
    by_case: Floats
    """The same in the order of the cases."""
    winners: Floats
    """Values of the positives."""


BLOCK, FLUSH = 64, 512
"""So many numbers, or numbers of all classes, are summed before they are added to the rest."""


@compiled
def sort_keys(keys: Keys, cases: Cases, keys_to: Keys, cases_to: Cases) -> bool:
    """Sort keys in ascending order, and their cases unless there are none; equal keys stay put.

    Digit by digit from the last, without those that all keys share, from one pair of arrays to the
    other and back. Whether the result is in the second pair.
    """
    n = len(keys)
    counts = np.zeros((DIGITS, RADIX), np.int64)
    for place in range(n):
        key = keys[place]
        for digit in range(DIGITS):
            counts[digit, (key >> np.uint64(BITS * digit)) & np.uint64(RADIX - 1)] += 1
    moved = False
    for digit in range(DIGITS):
        shift, starts, before = np.uint64(BITS * digit), counts[digit], 0
        if n == 0 or starts[(keys[0] >> shift) & np.uint64(RADIX - 1)] == n:
            continue
        for value in range(RADIX):
            here = starts[value]
            starts[value] = before
            before += here
        for place in range(n):
            key = keys[place]
            value = (key >> shift) & np.uint64(RADIX - 1)
            to = starts[value]
            starts[value] = to + 1
            keys_to[to] = key
            if len(cases):
                cases_to[to] = cases[place]
        keys, keys_to = keys_to, keys
        cases, cases_to = cases_to, cases
        moved = not moved
    return moved


@compiled
def end_of_ties(scores: Floats, start: int) -> int:
    """Where the run of equal scores from ``start`` on ends."""
    end = start + 1
    while end < len(scores) and scores[end] == scores[start]:
        end += 1
    return end


@compiled
def sum_of_positives(codes: Codes, scores: Floats, k: int) -> tuple[int, float]:
    """Number of positives, and the sum of their scores, rounded as its parts are below."""
    total, part, added = 0.0, 0.0, 0
    for at in range(len(codes)):
        if codes[at] == k:
            part, added = part + scores[at], added + 1
            if added % BLOCK == 0:
                total, part = total + part, 0.0
    return added, total + part


@compiled
def flush(part: Floats, total: Floats) -> None:
    """Add sums by class to the rest."""
    for r in range(len(part)):
        total[r] += part[r]
        part[r] = 0.0


@compiled
def sum_column(codes: Codes, scores: Floats, k: int, n_classes: int) -> Floats:
    """Rows: pairs of the positives above each class, tied with it, and the excess."""
    n_positives, all_scores = sum_of_positives(codes, scores, k)
    above, tied = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    excess, part = np.zeros(n_classes), np.zeros(n_classes)
    total, block, seen, start, flushed = 0.0, 0.0, 0, 0, 0
    while start < len(codes):
        end, own = end_of_ties(scores, start), 0
        for at in range(start, end):
            if codes[at] == k:
                own, block = own + 1, block + scores[at]
                if (seen + own) % BLOCK == 0:
                    total, block = total + block, 0.0
        seen += own
        left = n_positives - seen
        lead = (all_scores - (total + block)) - scores[start] * left
        for at in range(start, end):
            above[codes[at]] += left
            tied[codes[at]] += own
            part[codes[at]] += lead
        start = end
        if start - flushed >= FLUSH:
            flush(part, excess)
            flushed = start
    flush(part, excess)
    sums = np.empty((3, n_classes))
    for r in range(n_classes):
        sums[0, r], sums[1, r], sums[2, r] = above[r], tied[r], excess[r]
    return sums


@compiled
def carry_column(
    column: Column, given: Codes, credit: float, pulls: Pulls, room: Room, carried: Floats
) -> None:
    """Add what each case contributes through one column, for several gradients.

    A case of another class r has ``lost[r]`` times the number of positives above it, ties counting
    ``credit``, or times the sum of their leads. A positive has ``won[:, r]`` times the number of
    cases of r below it, or the sum of its leads over them. ``given`` are the classes in the order
    of the cases.
    """
    k, codes, scores, _ = column
    n_classes, seen = len(pulls.lost), 0
    n_positives, all_scores = sum_of_positives(codes, scores, k)
    below, level, leads = np.zeros(n_classes), np.zeros(n_classes), np.zeros(n_classes)
    score_below, part = np.zeros(n_classes), np.zeros(n_classes)
    total, block, start, flushed = 0.0, 0.0, 0, 0
    while start < len(codes):
        end, own = end_of_ties(scores, start), 0
        for at in range(start, end):
            level[codes[at]] += credit
            if codes[at] == k:
                own, block = own + 1, block + scores[at]
                if (seen + own) % BLOCK == 0:
                    total, block = total + block, 0.0
        left = n_positives - seen - own
        lead = (all_scores - (total + block)) - scores[start] * left
        if own:
            for r in range(n_classes):
                leads[r] = scores[start] * below[r] - (score_below[r] + part[r])
                level[r] += below[r]
        for winner in range(seen, seen + own):
            add_products(pulls, level, leads, room.winners[winner])
        for at in range(start, end):
            room.places[at, 0], room.places[at, 1] = left + credit * own, lead
            below[codes[at]] += 1
            part[codes[at]] += scores[at]
            level[codes[at]] = 0.0
        if own:
            for r in range(n_classes):
                level[r] = 0.0
        seen, start = seen + own, end
        if start - flushed >= FLUSH:
            flush(part, score_below)
            flushed = start
    scatter(column, room, carried)
    add_lost(given, pulls, room.by_case, carried)


@compiled
def add_products(pulls: Pulls, ranked: Floats, leads: Floats, values: Floats) -> None:
    """Sums over classes of what a positive has won, a value for each gradient."""
    for g in range(len(pulls.won)):
        value = 0.0
        if g < pulls.n_ranked:
            for r in range(len(ranked)):
                value += pulls.won[g, r] * ranked[r]
        else:
            for r in range(len(leads)):
                value += pulls.won[g, r] * leads[r]
        values[g] = value


@compiled
def add_lost(given: Codes, pulls: Pulls, by_case: Floats, carried: Floats) -> None:
    """Add what each case has lost."""
    for case in range(len(given)):
        for g in range(pulls.n_ranked):
            carried[case, g] += pulls.lost[given[case], g] * by_case[case, 0]
        for g in range(pulls.n_ranked, pulls.lost.shape[1]):
            carried[case, g] += pulls.lost[given[case], g] * by_case[case, 1]


@compiled
def scatter(column: Column, room: Room, carried: Floats) -> None:
    """Two numbers a case in the order of the cases, and the values of positives added to theirs.

    What is scattered over memory has loops of its own, which wait for it less.
    """
    cases, seen = column.cases, 0
    for at in range(len(cases)):
        room.by_case[cases[at], 0] = room.places[at, 0]
        room.by_case[cases[at], 1] = room.places[at, 1]
    for at in range(len(cases)):
        if column.codes[at] == column.k:
            for g in range(room.winners.shape[1]):
                carried[cases[at], g] += room.winners[seen, g]
            seen += 1


class Quadratures(NamedTuple):
    """Points and weights on [0, 1]: row c has c + 1 of them."""

    points: Floats
    weights: Floats


class Chances(NamedTuple):
    """Of a positive against all classes but one: each below it, or level with it."""

    before: Floats
    clear: Floats
    split: Floats


@compiled
def place_column(
    column: Column, counts: Floats, nodes: Quadratures, places: Floats, carried: Floats
) -> float:
    """Sum over the positives of the chance to win against one case of every other class.

    Unless ``carried`` is empty, a positive adds its chance to it, and a case of class r how often
    it lets a positive win, over their number. ``places`` is room for a number a case. Descending.
    """
    k, codes, scores, cases = column
    n_classes, project = len(counts), len(carried) > 0
    below, level, share = counts.copy(), np.zeros(n_classes), 1 / counts
    chances = Chances(np.zeros(n_classes), np.zeros(n_classes), np.zeros(n_classes))
    beaten, part, wins, lost = np.zeros(n_classes), np.zeros(n_classes), 0.0, 0.0
    end, flushed = len(codes), len(codes)
    while end > 0:
        start, own, n_tied, chance = end - 1, 0, 0, 0.0
        while start > 0 and scores[start - 1] == scores[end - 1]:
            start -= 1
        for at in range(start, end):
            n_tied += codes[at] != k and level[codes[at]] == 0
            level[codes[at]] += 1
            below[codes[at]] -= 1
            own += codes[at] == k
        if own:
            chance = chance_of(below, level, share, k, nodes, (n_tied + 2) // 2, project, chances)
            wins, lost = plus(wins, own * chance, lost)
        if project:
            for at in range(start, end):
                let = beaten[codes[at]] + part[codes[at]]
                if own:
                    let += own * chances.split[codes[at]]
                places[at] = chance if codes[at] == k else let * share[k]
            if own:
                for r in range(n_classes):
                    part[r] += own * chances.clear[r]
        for at in range(start, end):
            level[codes[at]] = 0
        end = start
        if flushed - end >= FLUSH:
            flush(part, beaten)
            flushed = end
    for at in range(len(carried)):
        carried[cases[at]] += places[at]
    return wins


@compiled
def chance_of(
    below: Floats,
    level: Floats,
    share: Floats,
    k: int,
    nodes: Quadratures,
    n_nodes: int,
    project: bool,
    chances: Chances,
) -> float:
    """Chance of a positive to win, ties split evenly; if asked for, of all classes but one, too."""
    n_classes, chance = len(below), 0.0
    for r in range(n_classes):
        chances.clear[r], chances.split[r] = 0.0, 0.0
    for node in range(n_nodes):
        point, weight = nodes.points[n_nodes - 1, node], nodes.weights[n_nodes - 1, node]
        product = 1.0
        for r in range(n_classes):
            chances.before[r] = product
            if r != k:
                product *= (below[r] + point * level[r]) * share[r]
        chance += weight * product
        if project:
            after = weight
            for r in range(n_classes - 1, -1, -1):
                others = chances.before[r] * after
                chances.clear[r] += others
                chances.split[r] += point * others
                if r != k:
                    after *= (below[r] + point * level[r]) * share[r]
    return chance
