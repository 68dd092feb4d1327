"""Any number of classes K ≥ 2: the two rules on single tuples, on all tuples and on drawn ones.

A tuple holds one case of each class. Projections are, for every case, the sum over the tuples that
hold it of the credit times the weights of the other cases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FAR = 1 << 61  # no path; two of them still add up without overflow

# -------------------------------------------------------------------------- the assignment rule
#
# Draw an edge i → j of length cost[i, j] − cost[i, i] for giving case i the corner of class j. A
# permutation moves cases along disjoint cycles, so the identity is optimal if no cycle has a
# negative length, and the only optimum if none has length zero. The shortest paths between the
# classes so far (`paths`, with the shortest cycle through each class on the diagonal) are kept
# up to date while classes are added one at a time: shortest ways into and out of the new class,
# the cycle they close, and then the detours through it, O(K²) a class and O(K³) a tuple. As soon
# as a cycle is negative no tuple with these cases can be right: enumeration drops all of them.


@compiled
def add_class(step: Integers, paths: Integers, new: int, slack: int) -> int:
    """Add class `new` to the shortest paths among the classes before it; return its cycle.

    step[i, j] is the length of an edge. Paths are left incomplete if the cycle is negative.
    """
    cycle = FAR
    for i in range(new):
        into, out = step[i, new], step[new, i]
        for k in range(new):
            if k != i:
                into = min(into, paths[i, k] + step[k, new])
                out = min(out, step[new, k] + paths[k, i])
        paths[i, new], paths[new, i] = into, out
        cycle = min(cycle, step[new, i] + into)
    paths[new, new] = cycle
    if cycle >= -slack:
        for i in range(new):
            for j in range(new):
                paths[i, j] = min(paths[i, j], paths[i, new] + paths[new, j])
    return cycle


# Costs are rounded, so a cycle of length zero may come out a few units off: lengths within `slack`
# of zero count as zero.
#
# If cycles of length zero exist, the optimal permutations are those made of edges on such cycles:
# the edges with step[i, j] + paths[j, i] = 0. They fall into components of classes that reach each
# other and come back at length zero, and the number of optimal permutations is the product over
# components of the number of perfect matchings, by a recursion over subsets: O(2^m m) for a
# component of m classes, and nothing for the classes that take no part in a tie.


@compiled
def optimal_permutations(step: Integers, paths: Integers, slack: int) -> float:
    """Count the permutations as good as the identity, none being better."""
    n_classes = len(step)
    seen = np.zeros(n_classes, np.bool_)
    count = 1.0
    for i in range(n_classes):
        if seen[i] or paths[i, i] > slack:
            continue
        component = [i]
        for j in range(i + 1, n_classes):
            if paths[i, j] + paths[j, i] <= slack:
                component.append(j)
                seen[j] = True
        count *= matchings(step, paths, np.array(component), slack)
    return count


@compiled
def matchings(step: Integers, paths: Integers, component: Integers, slack: int) -> float:
    """Count the permutations of a component that use edges on cycles of length zero only."""
    m = len(component)
    ways = np.zeros(1 << m)  # by the set of corners given to the first cases
    case = np.zeros(1 << m, np.int64)  # the size of that set: which case comes next
    ways[0] = 1.0
    for corners in range((1 << m) - 1):
        i = component[case[corners]]
        for k in range(m):
            if corners >> k & 1 == 0:
                case[corners | 1 << k] = case[corners] + 1
                j = component[k]
                if i == j or step[i, j] + paths[j, i] <= slack:
                    ways[corners | 1 << k] += ways[corners]
    return float(ways[-1])


@compiled
def assignment_credit(cost: Integers, slack: int = 0) -> tuple[float, float, float]:
    """Return the strict, fair and lenient credit of one tuple.

    cost[i, j] is the integer cost of giving the case of class i the corner of class j. Fair credit
    is one over the number of optimal permutations if the identity is among them.
    """
    step = np.empty_like(cost)
    paths = np.empty_like(cost)
    tied = False
    for new in range(len(cost)):
        for j in range(len(cost)):
            step[new, j] = cost[new, j] - cost[new, new]
        cycle = add_class(step, paths, new, slack)
        if cycle < -slack:
            return 0.0, 0.0, 0.0
        tied |= cycle <= slack
    if tied:
        return 0.0, 1.0 / optimal_permutations(step, paths, slack), 1.0
    return 1.0, 1.0, 1.0


# ---------------------------------------------------------------- the highest-probability rule


@compiled
def highest_right(rank: Integers) -> bool:
    """Tell whether the case of class k (row k) has the strictly highest rank in column k."""
    right = True
    for i in range(len(rank)):
        right = right and outranks(rank, i)
    return right


@compiled
def outranks(rank: Integers, new: int) -> bool:
    """Tell whether case `new` and each case before it lead one another in their own columns."""
    for i in range(new):
        if rank[i, i] <= rank[new, i] or rank[new, new] <= rank[i, new]:
            return False
    return True


# Rows enter the elimination one at a time, with pivots chosen among the columns: a tuple that
# shares its first cases with the last one shares their work, and a further row costs O(K²).


@compiled
def eliminate(rows: Floats, pivots: Integers, new: int) -> float:
    """Reduce row `new` by the rows before it; return its pivot, 0 if it depends on them."""
    n = rows.shape[1]
    for i in range(new):
        factor = rows[new, pivots[i]] / rows[i, pivots[i]]
        for j in range(n):
            rows[new, j] -= factor * rows[i, j]
        rows[new, pivots[i]] = 0.0
    pivots[new] = np.argmax(np.abs(rows[new]))
    return float(rows[new, pivots[new]])


@compiled
def determinant(rows: Floats) -> float:
    """Return |det(rows)| by elimination: O(K³)."""
    rows = rows.copy()
    pivots = np.empty(len(rows), np.int64)
    volume = 1.0
    for new in range(len(rows)):
        volume *= abs(eliminate(rows, pivots, new))
        if volume == 0.0:
            return 0.0
    return volume


# ------------------------------------------------------------------------------ all the tuples
#
# A depth-first walk chooses the case of class 0, then of class 1, and so on; `place[d]` is the
# current member of class d. `below[d]` collects the credit of all tuples below the current choice
# of the classes before d, times the weights of their cases of class d and after. When the walk
# leaves a case, it adds to that case's projection what was collected below it times the weights
# above it, and hands the sum one class up: O(1) per case left, not O(K) per tuple.


class Walk(NamedTuple):
    """Where the walk stands, and what it has collected."""

    members: Integers
    weights: Floats
    place: Integers
    begins: Integers
    ends: Integers
    above: Floats  # product of the weights of the classes before
    below: Floats
    projection: Floats


@compiled
def set_out(
    weights: Floats, members: Integers, starts: Integers, start: int, stop: int, columns: int
) -> Walk:
    """Stand before the first case of members[start:stop]."""
    n_classes = len(starts) - 1
    begins, ends = starts[:-1].copy(), starts[1:].copy()
    begins[0], ends[0] = start, stop
    below = np.zeros((n_classes + 1, columns))
    projection = np.zeros((len(weights), columns))
    above = np.ones(n_classes + 1)
    return Walk(members, weights, begins.copy(), begins, ends, above, below, projection)


@compiled
def descend(walk: Walk, depth: int) -> int:
    """Keep the current case of class `depth` and go on, to the first case of the next class."""
    case = walk.members[walk.place[depth]]
    walk.above[depth + 1] = walk.above[depth] * walk.weights[case]
    if depth + 1 < len(walk.place):
        walk.place[depth + 1] = walk.begins[depth + 1]
        return depth + 1
    leave(walk, depth)
    return depth


@compiled
def leave(walk: Walk, depth: int) -> None:
    """Account for all tuples with the current cases up to class `depth`; on to the next case."""
    case = walk.members[walk.place[depth]]
    for column in range(walk.below.shape[1]):
        collected = walk.below[depth + 1, column]
        walk.projection[case, column] += walk.above[depth] * collected
        walk.below[depth, column] += walk.weights[case] * collected
        walk.below[depth + 1, column] = 0.0
    walk.place[depth] += 1


@compiled
def climb(walk: Walk, depth: int) -> int:
    """Go up from exhausted classes; return the class to choose next, or −1 at the end."""
    while walk.place[depth] == walk.ends[depth]:
        depth -= 1
        if depth < 0:
            break
        leave(walk, depth)
    return depth


@compiled
def enumerate_assignment(
    cost: Integers,
    length: Floats,
    weights: Floats,
    members: Integers,
    starts: Integers,
    start: int,
    stop: int,
    slack: int = 0,
) -> Floats:
    """Return the projections (n, 6) of the tuples whose case of class 0 is in members[start:stop].

    `members` lists the cases class by class, class k in members[starts[k]:starts[k + 1]]. Columns:
    strict, fair and lenient credit, then the same times the tuple's total length.
    """
    n_classes = cost.shape[1]
    walk = set_out(weights, members, starts, start, stop, 6)
    total, tied = np.zeros(n_classes + 1), np.zeros(n_classes + 1, np.bool_)
    step = np.empty((n_classes, n_classes), np.int64)
    paths = np.empty((n_classes, n_classes, n_classes), np.int64)
    depth = climb(walk, 0)
    while depth >= 0:
        case = members[walk.place[depth]]
        cycle = choose(cost, case, step, paths, depth, slack)
        if cycle < -slack:
            walk.place[depth] += 1
        else:
            total[depth + 1] = total[depth] + length[case]
            tied[depth + 1] = tied[depth] or cycle <= slack
            if depth + 1 == n_classes:
                optimal = optimal_permutations(step, paths[depth], slack) if tied[-1] else 1.0
                credit_tuple(optimal, total[-1], walk.below[-1])
            depth = descend(walk, depth)
        depth = climb(walk, depth)
    return walk.projection


@compiled
def choose(
    cost: Integers, case: int, step: Integers, paths: Integers, depth: int, slack: int
) -> int:
    """Take `case` for class `depth`, on top of the paths of the classes before it."""
    for j in range(len(step)):
        step[depth, j] = cost[case, j] - cost[case, depth]
    for i in range(depth):
        for j in range(depth):
            paths[depth, i, j] = paths[depth - 1, i, j]
    return add_class(step, paths[depth], depth, slack)


@compiled
def credit_tuple(optimal: float, total: float, credit: Floats) -> None:
    """Set the six credits of a tuple whose identity is one of `optimal` best permutations."""
    credit[0] = 1.0 if optimal == 1.0 else 0.0
    credit[1] = 1.0 / optimal
    credit[2] = 1.0
    for k in range(3):
        credit[3 + k] = credit[k] * total


@compiled
def enumerate_highest(
    rank: Integers,
    score: Floats,
    weights: Floats,
    members: Integers,
    starts: Integers,
    start: int,
    stop: int,
) -> Floats:
    """Return the projections (n, 2): the number of right tuples, and the sum of their |det|."""
    n_classes = rank.shape[1]
    walk = set_out(weights, members, starts, start, stop, 2)
    chosen = np.empty((n_classes, n_classes), np.int64)
    volume = np.ones(n_classes + 1)
    rows, pivots = np.empty((n_classes, n_classes)), np.empty(n_classes, np.int64)
    depth = climb(walk, 0)
    while depth >= 0:
        case = members[walk.place[depth]]
        chosen[depth] = rank[case]
        if not outranks(chosen, depth):
            walk.place[depth] += 1
        else:
            volume[depth + 1] = 0.0
            if volume[depth] > 0.0:  # otherwise there is no pivot to divide by
                rows[depth] = score[case]
                volume[depth + 1] = volume[depth] * abs(eliminate(rows, pivots, depth))
            if depth + 1 == n_classes:
                walk.below[-1, 0], walk.below[-1, 1] = 1.0, volume[-1]
            depth = descend(walk, depth)
        depth = climb(walk, depth)
    return walk.projection


# ---------------------------------------------------------------------------- the drawn tuples


@compiled
def sample_assignment(cost: Integers, length: Floats, tuples: Integers, slack: int = 0) -> Floats:
    """Return the six credits of every tuple, a row of case indices in order of class: (m, 6)."""
    credits = np.zeros((len(tuples), 6))
    for t in range(len(tuples)):
        total = 0.0
        for case in tuples[t]:
            total += length[case]
        strict, fair, lenient = assignment_credit(cost[tuples[t]], slack)
        credits[t, 0], credits[t, 1], credits[t, 2] = strict, fair, lenient
        credits[t, 3:] = credits[t, :3] * total
    return credits


@compiled
def sample_highest(rank: Integers, score: Floats, tuples: Integers) -> Floats:
    """Return for every tuple whether it is right, and its |det| if so: (m, 2)."""
    credits = np.zeros((len(tuples), 2))
    for t in range(len(tuples)):
        if highest_right(rank[tuples[t]]):
            credits[t, 0] = 1.0
            credits[t, 1] = determinant(score[tuples[t]])
    return credits
