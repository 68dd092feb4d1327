"""Long columns of scores in order: what pairs and tuples need in one pass along them.

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


class Column(NamedTuple):
    """A column in ascending order of score."""

    k: int
    """The class of its positives."""
    codes: Codes
    scores: Floats
    cases: Cases
    """Where each is among the cases; empty where that is of no use."""


BLOCK, FLUSH = 64, 512
"""So many numbers, or numbers of all classes, are summed before they are added to the rest."""

ROOM, ROOM_OF_POSITIVES = 2048, 256
"""Places that are found, in a fast cache, before they are brought to their cases."""


@compiled
def end_of_ties(codes: Codes, scores: Floats, start: int, k: int) -> tuple[int, int]:
    """Where the run of equal scores from ``start`` on ends, and how many positives it has."""
    end, own = start + 1, 1 if codes[start] == k else 0
    while end < len(scores) and scores[end] == scores[start]:
        own += codes[end] == k
        end += 1
    return end, own


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
def add_positives(
    own: int, score: float, seen: int, total: float, part: float
) -> tuple[int, float, float]:
    """Number of the positives so far and the sums of their scores, with some of one score more."""
    for _ in range(own):
        seen, part = seen + 1, part + score
        if seen % BLOCK == 0:
            total, part = total + part, 0.0
    return seen, total, part


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
        score = scores[start]
        end, own = end_of_ties(codes, scores, start, k)
        if own:  # most scores are those of one case, and of no positive
            seen, total, block = add_positives(own, score, seen, total, block)
            for at in range(start, end):
                tied[codes[at]] += own
        left = n_positives - seen
        lead = (all_scores - (total + block)) - score * left
        for at in range(start, end):
            above[codes[at]] += left
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
    column: Column, credit: float, won: Floats, n_ranked: int, places: Floats, carried: Floats
) -> None:
    """Where each case stands in a column, and what its positives add to several gradients.

    ``places`` (n, 1 or 2): positives above each case, ties counting ``credit``, and where there is
    room the sum of their leads. A positive has ``won[g, r]`` times the number of cases of r below
    it, ties counting ``credit``, or from ``n_ranked`` on times the sum of its leads over them.
    """
    k, codes, scores, cases = column
    n_positives, all_scores = sum_of_positives(codes, scores, k)
    n_classes, leads = won.shape[1], places.shape[1] > 1
    below, score_below, part = np.zeros(n_classes), np.zeros(n_classes), np.zeros(n_classes)
    placed, level = np.empty((ROOM, 2)), np.empty(n_classes)
    over = np.empty((2, n_classes, ROOM_OF_POSITIVES))
    total, block, seen, start, flushed, brought, n_over = 0.0, 0.0, 0, 0, 0, 0, 0
    positives = np.empty(ROOM_OF_POSITIVES, np.uint32)
    while start < len(codes):
        score = scores[start]
        end, own = end_of_ties(codes, scores, start, k)
        if own:
            count_level(below, codes, start, end, credit if end > start + 1 else 0.0, level)
            for at in range(start, end):
                if codes[at] == k:
                    if n_over == ROOM_OF_POSITIVES:
                        add_gains(positives, over, won, n_ranked, carried)
                        n_over = 0
                    positives[n_over] = cases[at]
                    for r in range(n_classes):
                        over[0, r, n_over] = level[r]
                        over[1, r, n_over] = score * below[r] - (score_below[r] + part[r])
                    n_over += 1
            seen, total, block = add_positives(own, score, seen, total, block)
        left = n_positives - seen
        lead = (all_scores - (total + block)) - score * left
        for at in range(start, end):
            if at - brought == ROOM:
                bring_to_cases(cases[brought:at], placed, places)
                brought = at
            placed[at - brought, 0], placed[at - brought, 1] = left + credit * own, lead
            below[codes[at]] += 1
            if leads:
                part[codes[at]] += score
        start = end
        if start - flushed >= FLUSH:
            flush(part, score_below)
            flushed = start
    bring_to_cases(cases[brought:], placed, places)
    add_gains(positives[:n_over], over, won, n_ranked, carried)


# Loops so short that a processor turns to the next cases while it waits for the memory of one.


@compiled
def bring_to_cases(cases: Cases, placed: Floats, places: Floats) -> None:
    """Copy the places of some cases to where they belong."""
    for at in range(len(cases)):
        places[cases[at], 0] = placed[at, 0]
        if places.shape[1] > 1:
            places[cases[at], 1] = placed[at, 1]


@compiled
def add_gains(positives: Cases, over: Floats, won: Floats, n_ranked: int, carried: Floats) -> None:
    """Add to some positives what they have won by the cases below them, and by leads over these.

    ``over`` has a row of positives for each class: how many of its cases are below, and the leads.
    """
    gained = np.empty(len(positives))
    for g in range(len(won)):
        for at in range(len(positives)):
            gained[at] = 0.0
        for r in range(won.shape[1]):
            by_class = over[0 if g < n_ranked else 1, r]
            for at in range(len(positives)):
                gained[at] += won[g, r] * by_class[at]
        for at in range(len(positives)):
            carried[positives[at], g] += gained[at]


@compiled
def count_level(
    below: Floats, codes: Codes, start: int, end: int, credit: float, level: Floats
) -> None:
    """Cases of each class below a run of equal scores, and those in it, which count a credit."""
    for r in range(len(below)):
        level[r] = below[r]
    for at in range(start, end):
        level[codes[at]] += credit


@compiled
def add_lost(given: Codes, lost: Floats, n_ranked: int, places: Floats, carried: Floats) -> None:
    """Add what each case has lost in some columns: ``lost[r, g]`` times its places, r its class."""
    for case in range(len(given)):
        for g in range(carried.shape[1]):
            value, kind = carried[case, g], 0 if g < n_ranked else 1
            for k in range(len(places)):
                value += lost[given[case], g, k] * places[k, case, kind]
            carried[case, g] = value


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
