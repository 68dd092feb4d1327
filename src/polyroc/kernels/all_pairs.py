"""Margins of small classes compared each with each, in loops that processors run many at a time.

That takes less time than sorting them (:mod:`polyroc.statistics.margin_blocks` says up to where).
All cases of a class have the same weight, and so have all rows of the pool: margins are counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.margins import Found, Pulls, Table

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Small = NDArray[np.int32]


class Corner(NamedTuple):
    """A block of pairs: classes from ``row`` on, and classes from ``column`` on."""

    row: int
    last_row: int
    column: int
    last_column: int


class Side(NamedTuple):
    """Margins of a class or of the pool in one pair."""

    values: Floats
    low: Floats
    """Less a slack."""
    high: Floats
    """And a slack."""


class Counts(NamedTuple):
    """Of each margin of one list, how many of another one it wins or loses against."""

    clear: Small
    level: Small
    totals: Integers
    """Sums of both."""


class Pair(NamedTuple):
    """Cases of the first class are to be above those of the second; the pool is in both."""

    own: Counts
    """Cases of the second class below each of the first, and equal."""
    other: Counts
    """Cases of the first class above each of the second."""
    own_pool: Counts
    """The pool below each of the first."""
    other_pool: Counts
    """The pool above each of the second."""
    pool_own: Counts
    """Cases of the first class above each row of the pool."""
    pool_other: Counts
    """Cases of the second class below each row of the pool."""
    pool: Counts
    """The pool below each row of it."""


@compiled
def compare_block(
    table: Table, corner: Corner, pulls: Pulls, found: Found, close: NDArray[np.bool_], most: int
) -> int:
    """Add the sums of each pair of a block, and the mean credit of each case times its pull.

    Pairs with margins that are close and not equal are marked in ``close``, and left out. Returns
    their number; beyond ``most`` nothing is of use.
    """
    n_close, slack, largest = 0, table.most_slack, 0
    for k in range(len(table.starts) - 1):
        largest = max(largest, table.starts[k + 1] - table.starts[k])
    room, pair, pool = side(largest), pair_of(largest, len(table.pool)), side(len(table.pool))
    for i in range(corner.row, corner.last_row):
        members = table.members[table.starts[i] : table.starts[i + 1]]
        own = side(len(members))
        for j in range(max(i + 1, corner.column), corner.last_column):
            rivals = table.members[table.starts[j] : table.starts[j + 1]]
            n = len(rivals)
            other = Side(room.values[:n], room.low[:n], room.high[:n])
            fill_margins(table.scores, members, i, j, slack, own)
            fill_margins(table.scores, rivals, i, j, slack, other)
            fill_margins(table.scores, table.pool, i, j, slack, pool)
            if compared(own, other, pool, pair):
                add_pair(table, pair, i, j, pulls, found)
                add_pool(table, pair, i, j, pulls, found)
            else:
                close[i, j] = True
                n_close += 1
                if n_close > most:
                    return n_close
    return n_close


@compiled
def side(n: int) -> Side:
    """Room for n margins."""
    return Side(np.empty(n), np.empty(n), np.empty(n))


@compiled
def counts(n: int) -> Counts:
    """Room for n counts."""
    return Counts(np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(2, np.int64))


@compiled
def pair_of(n: int, n_pool: int) -> Pair:
    """Room for the counts of classes of up to n cases, and of the pool."""
    pool = counts(n_pool), counts(n_pool), counts(n_pool)
    return Pair(counts(n), counts(n), counts(n), counts(n), *pool)


@compiled
def fill_margins(
    scores: NDArray[np.floating], rows: Integers, i: int, j: int, slack: float, into: Side
) -> None:
    """Margins of some cases towards class i and away from class j."""
    for t in range(len(rows)):
        into.values[t] = np.float64(scores[rows[t], i]) - np.float64(scores[rows[t], j])
    for t in range(len(rows)):
        into.low[t], into.high[t] = into.values[t] - slack, into.values[t] + slack


@compiled
def compared(own: Side, other: Side, pool: Side, pair: Pair) -> bool:
    """Count all pairs of margins; false if two are close and not equal."""
    if not versus(own, other, pair.own, pair.other):
        return False
    if not len(pool.values):
        return True
    return (
        versus(own, pool, pair.own_pool, pair.pool_own)
        and versus(pool, other, pair.pool_other, pair.other_pool)
        and within(pool, pair.pool)
    )


@compiled
def versus(first: Side, second: Side, wins: Counts, losses: Counts) -> bool:
    """Count the second below each of the first, and the first above each of the second.

    Once with a slack in favour of the second and once with one in favour of the first: as many both
    times if no two margins are close. Otherwise all that are close must be equal.
    """
    n_first, n_second, surely, perhaps = len(first.values), len(second.values), 0, 0
    clear(wins, n_first)
    clear(losses, n_second)
    add_above(first.values, second.high, wins.clear)
    add_above(second.low, first.values, losses.clear)
    for t in range(n_first):
        wins.clear[t] = n_second - wins.clear[t]
        surely += wins.clear[t]
    for t in range(n_second):
        perhaps += losses.clear[t]
    wins.totals[0] = surely
    if surely == perhaps:
        return True
    count_level(second.values, first.values, losses)
    count_wins(first.values, second.values, wins)
    return abs(perhaps - surely) == int(wins.totals[1])


@compiled
def within(pool: Side, wins: Counts) -> bool:
    """Count the rows of the pool below each of them; each is equal to itself.

    Of two rows that are not close one is below the other.
    """
    n, surely = len(pool.values), 0
    clear(wins, n)
    add_above(pool.values, pool.high, wins.clear)
    for t in range(n):
        wins.clear[t] = n - wins.clear[t]
        wins.level[t] = 1
        surely += wins.clear[t]
    wins.totals[0], wins.totals[1] = surely, n
    if 2 * surely == n * (n - 1):
        return True
    clear(wins, n)
    count_wins(pool.values, pool.values, wins)
    return 2 * surely == n * n - int(wins.totals[1])


@compiled
def clear(counted: Counts, n: int) -> None:
    """Begin to count the first n anew."""
    for t in range(n):
        counted.clear[t], counted.level[t] = 0, 0
    counted.totals[0], counted.totals[1] = 0, 0


@compiled
def count_wins(values: Floats, others: Floats, wins: Counts) -> None:
    """Count the others below each value, and those equal to it."""
    count_level(values, others, wins)
    wins.totals[0], wins.totals[1] = 0, 0
    for t in range(len(values)):
        wins.clear[t] = len(others) - wins.clear[t] - wins.level[t]
        wins.totals[0] += wins.clear[t]
        wins.totals[1] += wins.level[t]


@compiled
def count_level(values: Floats, others: Floats, into: Counts) -> None:
    """Count the others above each value, and those equal to it."""
    for t in range(len(values)):
        into.clear[t] = 0
    for o in range(len(others)):
        other = others[o]
        for t in range(len(values)):
            into.clear[t] += int(other > values[t])
            into.level[t] += int(other == values[t])


@compiled
def add_above(values: Floats, others: Floats, sums: Small) -> None:
    """Count the others above each value."""
    n, m = len(values), len(others)
    for o in range(0, m - 3, 4):
        a, b, c, d = others[o], others[o + 1], others[o + 2], others[o + 3]
        for t in range(n):
            value = values[t]
            sums[t] += int(a > value) + int(b > value) + int(c > value) + int(d > value)
    for o in range(m - m % 4, m):
        for t in range(n):
            sums[t] += int(others[o] > values[t])


@compiled
def add_pair(table: Table, pair: Pair, i: int, j: int, pulls: Pulls, found: Found) -> None:
    """Add the sums of a pair over the cases of the first class, and the placements in it."""
    own, other = table.weights[table.starts[i]], table.weights[table.starts[j]]
    pooled_own, pooled_other = pool_weight(table, i), pool_weight(table, j)
    wins, against_pool = pair.own.totals, pair.own_pool.totals
    found.above[i, j] = own * (other * wins[0] + pooled_other * against_pool[0])
    found.tied[i, j] = own * (other * wins[1] + pooled_other * against_pool[1])
    if len(pulls.matrix):
        pull, credit = pulls.matrix[i, j], pulls.credit
        cases = found.cases[table.starts[i] : table.starts[i + 1]]
        scale = pull / table.totals[j]
        add_credits(pair.own, scale * other, pair.own_pool, scale * pooled_other, credit, cases)
        cases = found.cases[table.starts[j] : table.starts[j + 1]]
        scale = pull / table.totals[i]
        add_credits(pair.other, scale * own, pair.other_pool, scale * pooled_own, credit, cases)


@compiled
def add_pool(table: Table, pair: Pair, i: int, j: int, pulls: Pulls, found: Found) -> None:
    """Add the sums of a pair over the pool in the first class, and its placements in both."""
    n, own, other = len(table.pool), pool_weight(table, i), pool_weight(table, j)
    weight, credit = table.weights[table.starts[j]], pulls.credit
    wins, against_pool = pair.pool_other.totals, pair.pool.totals
    found.above[i, j] += own * (weight * wins[0] + other * against_pool[0])
    found.tied[i, j] += own * (weight * wins[1] + other * against_pool[1])
    if len(pulls.matrix):
        scale, pooled = pulls.matrix[i, j] / table.totals[j], found.pooled[i]
        add_credits(pair.pool_other, scale * weight, pair.pool, scale * other, credit, pooled)
        scale, weight = pulls.matrix[i, j] / table.totals[i], table.weights[table.starts[i]]
        for c in range(n):
            over = n - pair.pool.clear[c] - (1 - credit) * pair.pool.level[c]
            lost = pair.pool_own.clear[c] + credit * pair.pool_own.level[c]
            found.pooled[j, c] += scale * (weight * lost + own * over)


@compiled
def pool_weight(table: Table, k: int) -> float:
    """Weight of each row of the pool in class k."""
    return table.added[k] * table.shares[0] if len(table.pool) else 0.0


@compiled
def add_credits(
    counted: Counts, scale: float, pool: Counts, pool_scale: float, credit: float, cases: Floats
) -> None:
    """Add what the cases of a list win, a tie counting ``credit``."""
    if pool_scale == 0.0:
        for t in range(len(cases)):
            cases[t] += scale * (counted.clear[t] + credit * counted.level[t])
    else:
        for t in range(len(cases)):
            won = scale * (counted.clear[t] + credit * counted.level[t])
            cases[t] += won + pool_scale * (pool.clear[t] + credit * pool.level[t])
