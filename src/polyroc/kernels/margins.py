"""Weights and placements of cases by the margins of each pair of classes, where pairs are many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.runs import runs_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Table(NamedTuple):
    """Scores, and the cases of each class: class k in members[starts[k]:starts[k + 1]]."""

    scores: NDArray[np.floating]
    weights: Floats
    members: Integers
    starts: Integers
    partition: Floats
    """Costs of the partition, without rows for the argmax."""
    slack: float
    """Slack of a margin, relative to the scores in it."""
    large: float
    """From here on margins are squeezed."""


@compiled
def place_pairs(table: Table, i: int, pull: Floats, credit: float, influence: Floats) -> None:
    """Add the mean credit of each case in its pairs of class i and a later one, times ``pull``.

    pull[j] is the weight of the pair (i, j); a tied pair counts ``credit``. O(n log n) a pair.
    """
    n_classes = len(table.starts) - 1
    first = table.members[table.starts[i] : table.starts[i + 1]]
    for j in range(i + 1, n_classes):
        second = table.members[table.starts[j] : table.starts[j + 1]]
        cases = np.concatenate((first, second))
        margins, slacks = margins_with_slack(table, cases, i, j)
        order = np.argsort(margins)
        runs = runs_of(margins[order], slacks[order])
        place_pair(cases[order], order < len(first), runs.ends, table, pull[j], credit, influence)


@compiled
def weigh_pairs(table: Table, i: int, above: Floats, tied: Floats) -> None:
    """Fill the rows of class i: the weight of its pairs above, and tied, for every later class."""
    first = table.members[table.starts[i] : table.starts[i + 1]]
    for j in range(i + 1, len(table.starts) - 1):
        second = table.members[table.starts[j] : table.starts[j + 1]]
        cases = np.concatenate((first, second))
        margins, slacks = margins_with_slack(table, cases, i, j)
        order = np.argsort(margins)
        ends = runs_of(margins[order], slacks[order]).ends
        below, start = 0.0, 0
        while start < len(cases):
            own, other = 0.0, 0.0
            for at in range(start, ends[start]):
                if order[at] < len(first):
                    own += table.weights[cases[order[at]]]
                else:
                    other += table.weights[cases[order[at]]]
            above[j] += own * below
            tied[j] += own * other
            below += other
            start = ends[start]


@compiled
def place_pair(
    cases: Integers,
    positive: NDArray[np.bool_],
    ends: Integers,
    table: Table,
    pull: float,
    credit: float,
    influence: Floats,
) -> None:
    """Add the placements in one pair, its cases being in ascending order of their margins."""
    totals = np.zeros(2)
    for at in range(len(cases)):
        totals[int(positive[at])] += table.weights[cases[at]]
    below, tied = np.zeros(2), np.empty(2)
    start = 0
    while start < len(cases):
        tied[:] = 0.0
        for at in range(start, ends[start]):
            tied[int(positive[at])] += table.weights[cases[at]]
        won = (below[0] + credit * tied[0]) / totals[0]
        lost = (totals[1] - below[1] - tied[1] + credit * tied[1]) / totals[1]
        for at in range(start, ends[start]):
            influence[cases[at]] += pull * (won if positive[at] else lost)
        below += tied
        start = ends[start]


@compiled
def margins_with_slack(table: Table, cases: Integers, i: int, j: int) -> tuple[Floats, Floats]:
    """Margins of some cases towards class i and away from class j, each with its slack."""
    margins, slacks = np.empty(len(cases)), np.empty(len(cases))
    for at in range(len(cases)):
        row = table.scores[cases[at]]
        if len(table.partition):
            margins[at], slacks[at] = directed_margin(row, table.partition[i], table.partition[j])
        else:
            first, second = np.float64(row[i]), np.float64(row[j])
            margins[at], slacks[at] = first - second, max(abs(first), abs(second))
            if abs(margins[at]) >= table.large:
                half = first * 0.5 - second * 0.5
                margins[at] = np.copysign(0.75 * table.large, half) + half / 2
        slacks[at] = table.slack * slacks[at] if margins[at] != 0.0 else 0.0
    return margins, slacks


@compiled
def directed_margin(row: NDArray[np.floating], own: Floats, other: Floats) -> tuple[float, float]:
    """Margin of one case by two rows of a partition, and the largest term of it."""
    margin, size = 0.0, 0.0
    for c in range(len(own)):
        if own[c] != other[c]:
            margin += (other[c] - own[c]) * row[c]
            size = max(size, max(own[c], other[c]) * abs(row[c]))
    return margin, size
