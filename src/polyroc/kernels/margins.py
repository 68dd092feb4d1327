"""Sums over pairs of classes, and placements of cases, by margins sorted in blocks of pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.runs import runs_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Counts = NDArray[np.int32]

POOL = 2


class Table(NamedTuple):
    """Scores, and the cases of each class: class k in members[starts[k]:starts[k + 1]]."""

    scores: NDArray[np.floating]
    weights: Floats
    """Of the cases, class by class."""
    members: Integers
    starts: Integers
    partition: Floats
    """Costs of the partition, without rows for the argmax."""
    slack: float
    """Slack of a margin, relative to the scores in it."""
    most_slack: float
    """No margin has a larger slack."""
    totals: Floats
    """Weight of each class."""
    pool: Integers
    """Rows that are cases of every class, beside its own."""
    shares: Floats
    added: Floats
    """Weight of the pool in each class."""


class Lists(NamedTuple):
    """Margins of a block of pairs: classes from ``rows`` on, and classes from ``columns`` on."""

    rows: int
    n_rows: int
    columns: int
    n_columns: int
    first: Floats
    """Of the cases of each row class towards it, and away from each column class."""
    first_order: Integers
    second: Floats
    """Of the cases of each column class towards it, and away from each row class."""
    second_order: Integers
    pool: Floats
    """Of the pool towards each row class, and away from each column class."""
    pool_order: Integers


class Pulls(NamedTuple):
    """What the placements of cases are multiplied by, pair by pair; a tie counts ``credit``."""

    matrix: Floats
    """Without rows if only sums are asked for."""
    credit: float


class Found(NamedTuple):
    """Sums over the pairs, and values of the cases, class by class, and of the pool."""

    above: Floats
    tied: Floats
    cases: Floats
    pooled: Floats


class Union(NamedTuple):
    """Margins of one pair in ascending order."""

    values: Floats
    kinds: NDArray[np.int8]
    """1: a case of the first class, 0: of the second, 2: of the pool."""
    rows: Integers
    """Place of a case among all, class by class, or in the pool."""


class Sorted(NamedTuple):
    """The margins of a class or of the pool in one pair, ascending, with infinity at the end."""

    values: Floats
    places: Integers
    """Place of each among the cases, class by class, or in the pool."""
    weights: Floats
    """Weight of the first t of them; of the pool their shares."""
    others: Integers
    """(n + 1, 2) how many of the two other lists are below each."""


@compiled
def place_block(table: Table, lists: Lists, pulls: Pulls, found: Found) -> None:
    """Add the sums of each pair of a block, and the mean credit of each case times its pull.

    O(n) a pair, from lists that are sorted.
    """
    largest = 0
    for k in range(len(table.starts) - 1):
        largest = max(largest, table.starts[k + 1] - table.starts[k])
    own, other, pool = room(largest), room(largest), room(len(table.pool))
    for i in range(lists.rows, lists.rows + lists.n_rows):
        n_own, row = table.starts[i + 1] - table.starts[i], i - lists.rows
        for j in range(max(i + 1, lists.columns), lists.columns + lists.n_columns):
            n_other, column = table.starts[j + 1] - table.starts[j], j - lists.columns
            at = lists.n_columns * (table.starts[i] - table.starts[lists.rows]) + column * n_own
            fill(own, lists.first, lists.first_order, at, n_own, False, table.starts[i])
            at = lists.n_rows * (table.starts[j] - table.starts[lists.columns]) + row * n_other
            fill(other, lists.second, lists.second_order, at, n_other, True, table.starts[j])
            at = (row * lists.n_columns + column) * len(table.pool)
            fill(pool, lists.pool, lists.pool_order, at, len(table.pool), False, 0)
            sizes = (n_own, n_other, len(table.pool))
            if merged_apart(own, other, pool, sizes, table.most_slack):
                add_weights(own, table.weights, n_own)
                add_weights(other, table.weights, n_other)
                add_weights(pool, table.shares, len(table.pool))
                place_apart(table, own, other, pool, i, j, pulls, found)
            else:
                union, close = united(own, other, pool, sizes, table.most_slack)
                place_pair(table, union, ends_of(table, union, close, i, j), i, j, pulls, found)


class Ascending(NamedTuple):
    """The margins of the cases of one class in one pair, ascending."""

    values: Floats
    order: Integers
    """Place of each among the cases of the class; without any if only sums are asked for."""


@compiled
def place_counts(
    table: Table, own: Ascending, other: Ascending, i: int, j: int, pulls: Pulls, found: Found
) -> bool:
    """The same of one pair without weights and a pool; false, with nothing added, where any margins
    are tied or close.
    """
    n_own, n_other = len(own.values), len(other.values)
    below, above = np.empty(n_own + 1, np.int32), np.empty(n_other + 1, np.int32)
    if not counted_apart(own.values, other.values, table.most_slack, below, above):
        return False
    total = 0
    for t in range(n_own):
        total += below[t]
    found.above[i, j], found.tied[i, j] = total, 0.0
    if len(pulls.matrix):
        cases, scale = found.cases[table.starts[i] :], pulls.matrix[i, j] / table.totals[j]
        for t in range(n_own):
            cases[own.order[t]] += scale * below[t]
        cases, scale = found.cases[table.starts[j] :], pulls.matrix[i, j] / table.totals[i]
        for t in range(n_other):
            cases[other.order[n_other - 1 - t]] += scale * (n_own - above[t])
    return True


@compiled
def counted_apart(own: Floats, other: Floats, slack: float, below: Counts, above: Counts) -> bool:
    """Count for each margin those of the other list below it; false where any two are close.

    The second list is read from its end, each margin with the opposite sign. No step depends on a
    jump that cannot be foreseen.
    """
    n_own, n_other, a, b, last, apart = len(own), len(other), 0, 0, -np.inf, True
    for _ in range(n_own + n_other):
        x = own[a] if a < n_own else np.inf
        y = -other[n_other - 1 - b] if b < n_other else np.inf
        below[a], above[b] = b, a
        value = min(x, y)
        apart &= value - last > slack
        last = value
        first = int(x <= y)
        a += first
        b += 1 - first
    return apart


@compiled
def room(n: int) -> Sorted:
    """Room for n margins."""
    return Sorted(
        np.empty(n + 1), np.empty(n + 1, np.int64), np.zeros(n + 1), np.empty((n + 1, 2), np.int64)
    )


@compiled
def fill(
    into: Sorted, margins: Floats, order: Integers, at: int, n: int, opposite: bool, first: int
) -> None:
    """Fill in the n margins from ``at`` on in ascending order, or the opposite of each."""
    if opposite:
        for t in range(n):
            into.places[t] = first + order[at + n - 1 - t]
            into.values[t] = -margins[at + order[at + n - 1 - t]]
    else:
        for t in range(n):
            into.places[t] = first + order[at + t]
            into.values[t] = margins[at + order[at + t]]
    into.values[n] = np.inf


@compiled
def add_weights(into: Sorted, weights: Floats, n: int) -> None:
    """Fill in the running sums of the weights."""
    for t in range(n):
        into.weights[t + 1] = into.weights[t] + weights[into.places[t]]


@compiled
def merged_apart(
    own: Sorted, other: Sorted, pool: Sorted, sizes: tuple[int, int, int], slack: float
) -> bool:
    """Count for each margin those of the other lists below it; false where any two are close.

    No step depends on a jump that cannot be foreseen.
    """
    a, b, c, last, apart = 0, 0, 0, -np.inf, True
    for _ in range(sizes[0] + sizes[1] + sizes[2]):
        x, y, z = own.values[a], other.values[b], pool.values[c]
        own.others[a, 0], own.others[a, 1] = b, c
        other.others[b, 0], other.others[b, 1] = a, c
        pool.others[c, 0], pool.others[c, 1] = a, b
        value = min(x, min(y, z))
        apart &= value - last > slack
        last = value
        first = int(x == value)
        second = int(y == value) & (1 - first)
        a += first
        b += second
        c += 1 - first - second
    return apart


@compiled
def place_apart(
    table: Table,
    own: Sorted,
    other: Sorted,
    pool: Sorted,
    i: int,
    j: int,
    pulls: Pulls,
    found: Found,
) -> None:
    """Add the sums of a pair, and the placements in it, where nothing but the pool is tied."""
    n_own, n_other = table.starts[i + 1] - table.starts[i], table.starts[j + 1] - table.starts[j]
    added_own, added_other, above, level = 0.0, 0.0, 0.0, 0.0
    if len(table.pool):
        added_own, added_other = table.added[i], table.added[j]
    pull = pulls.matrix[i, j] if len(pulls.matrix) else 0.0
    scale = pull / table.totals[j]
    for t in range(n_own):
        below = other.weights[own.others[t, 0]] + added_other * pool.weights[own.others[t, 1]]
        above += (own.weights[t + 1] - own.weights[t]) * below
        if pull != 0.0:
            found.cases[own.places[t]] += scale * below
    scale = pull / table.totals[i]
    if pull != 0.0:
        for t in range(n_other):
            below = own.weights[other.others[t, 0]] + added_own * pool.weights[other.others[t, 1]]
            found.cases[other.places[t]] += scale * (table.totals[i] - below)
    for t in range(len(table.pool)):
        share = table.shares[pool.places[t]]
        below = other.weights[pool.others[t, 1]] + added_other * pool.weights[t]
        above += share * added_own * below
        level += share * added_own * share * added_other
        if pull != 0.0:
            won = (below + pulls.credit * share * added_other) / table.totals[j]
            below = own.weights[pool.others[t, 0]] + added_own * pool.weights[t]
            lost = table.totals[i] - below - (1 - pulls.credit) * share * added_own
            found.pooled[i, pool.places[t]] += pull * won
            found.pooled[j, pool.places[t]] += pull * (lost / table.totals[i])
    found.above[i, j], found.tied[i, j] = above, level


@compiled
def united(
    own: Sorted, other: Sorted, pool: Sorted, sizes: tuple[int, int, int], slack: float
) -> tuple[Union, bool]:
    """The lists of a pair merged, and whether two margins are different but close."""
    n = sizes[0] + sizes[1] + sizes[2]
    values, kinds, rows = np.empty(n), np.empty(n, np.int8), np.empty(n, np.int64)
    a, b, c, close, last = 0, 0, 0, False, -np.inf
    for place in range(n):
        if own.values[a] <= other.values[b] and own.values[a] <= pool.values[c]:
            value, kinds[place], rows[place] = own.values[a], 1, own.places[a]
            a += 1
        elif other.values[b] <= pool.values[c]:
            value, kinds[place], rows[place] = other.values[b], 0, other.places[b]
            b += 1
        else:
            value, kinds[place], rows[place] = pool.values[c], POOL, pool.places[c]
            c += 1
        close |= value != last and value - last <= slack
        values[place], last = value, value
    return Union(values, kinds, rows), close


@compiled
def ends_of(table: Table, union: Union, close: bool, i: int, j: int) -> Integers:
    """Where the run of tied margins ends that begins at each place."""
    n = len(union.values)
    if close:
        slacks = np.zeros(n)
        for at in range(n):
            value, before, after = union.values[at], -np.inf, np.inf
            if at > 0:
                before = union.values[at - 1]
            if at < n - 1:
                after = union.values[at + 1]
            # Far from both neighbours no slack reaches them; and scores are far apart in memory.
            if value != 0.0 and min(value - before, after - value) <= table.most_slack:
                row = union.rows[at]
                row = table.pool[row] if union.kinds[at] == POOL else table.members[row]
                slacks[at] = slack_of(table, row, i, j)
        return runs_of(union.values, slacks).ends
    ends, start = np.empty(n, np.int64), 0
    for at in range(1, n + 1):
        if at == n or union.values[at] != union.values[start]:
            ends[start] = at
            start = at
    return ends


@compiled
def place_pair(
    table: Table, union: Union, ends: Integers, i: int, j: int, pulls: Pulls, found: Found
) -> None:
    """Add the sums of one pair and, if asked for, the placements in it."""
    below_own, below_other, above, level, start = 0.0, 0.0, 0.0, 0.0, 0
    while start < len(union.values):
        own, other = 0.0, 0.0
        for at in range(start, ends[start]):
            row = union.rows[at]
            if union.kinds[at] == 1:
                own += table.weights[row]
            elif union.kinds[at] == 0:
                other += table.weights[row]
            else:
                own += table.shares[row] * table.added[i]
                other += table.shares[row] * table.added[j]
        above += own * below_other
        level += own * other
        if len(pulls.matrix):
            won = pulls.matrix[i, j] * ((below_other + pulls.credit * other) / table.totals[j])
            lost = table.totals[i] - below_own - own + pulls.credit * own
            lost = pulls.matrix[i, j] * (lost / table.totals[i])
            for at in range(start, ends[start]):
                if union.kinds[at] == POOL:
                    found.pooled[i, union.rows[at]] += won
                    found.pooled[j, union.rows[at]] += lost
                else:
                    found.cases[union.rows[at]] += won if union.kinds[at] else lost
        below_own, below_other = below_own + own, below_other + other
        start = ends[start]
    found.above[i, j], found.tied[i, j] = above, level


@compiled
def slack_of(table: Table, row: int, i: int, j: int) -> float:
    """Slack of the margin of one case, unless that is 0."""
    scores, size = table.scores[row], 0.0
    if not len(table.partition):
        return table.slack * max(abs(np.float64(scores[i])), abs(np.float64(scores[j])))
    own, other = table.partition[i], table.partition[j]
    for c in range(len(own)):
        if own[c] != other[c]:
            size = max(size, max(own[c], other[c]) * abs(scores[c]))
    return table.slack * size


@compiled
def directed_margins(rows: Floats, costs: Floats, i: int, start: int, margins: Floats) -> None:
    """Fill a row for each class from ``start`` on: Σ_c (A_jc − A_ic) p_c of some cases.

    ``costs`` is the partition with a column per class named, so that the classes lie side by side.
    Terms are added in the order of c, and equal costs add nothing.
    """
    n_classes, n_named = costs.shape
    stop = start + margins.shape[0]
    sums = np.empty(n_named)
    for case in range(len(rows)):
        sums[start:stop] = 0.0
        for c in range(n_classes):
            score, own = rows[case, c], costs[c, i]
            for j in range(start, stop):
                sums[j] += (costs[c, j] - own) * score
        margins[:, case] = sums[start:stop]
