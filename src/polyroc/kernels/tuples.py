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

# -------------------------------------------------------------------------- the assignment rule
#
# Draw an edge i → j of length cost[i, j] − cost[i, i] for giving case i the corner of class j. A
# permutation moves cases along disjoint cycles, so the identity is optimal if no cycle has a
# negative length, and the only optimum if none has length zero. The shortest paths between the
# classes so far (`paths`, with the shortest cycle through each class on the diagonal) are kept
# up to date while classes are added one at a time: shortest ways into and out of the new class,
# the cycle they close, and then the detours through it, O(K²) a class and O(K³) a tuple. As soon
# as a cycle is negative no tuple with these cases can be right: enumeration drops all of them.
#
# Costs are rounded, so a cycle of length zero may come out a little off: every edge has a slack,
# a path the largest slack of its edges, and a cycle within its slack of zero has length zero.


class Graph(NamedTuple):
    """Edges and shortest paths between classes, each with a length and a slack."""

    step: Floats
    slack: Floats
    paths: Floats
    slacks: Floats


@compiled
def add_class(graph: Graph, new: int) -> tuple[float, float]:
    """Add class `new` to the shortest paths among the classes before it; return its cycle.

    Paths are left incomplete if the cycle is negative. Returned are its length and its slack.
    """
    step, slack, paths, slacks = graph
    cycle, own = np.inf, 0.0
    for i in range(new):
        into, out, slack_in, slack_out = step[i, new], step[new, i], slack[i, new], slack[new, i]
        for k in range(new):
            if k != i:
                if paths[i, k] + step[k, new] < into:
                    into = paths[i, k] + step[k, new]
                    slack_in = max(slacks[i, k], slack[k, new])
                if step[new, k] + paths[k, i] < out:
                    out = step[new, k] + paths[k, i]
                    slack_out = max(slack[new, k], slacks[k, i])
        paths[i, new], paths[new, i] = into, out
        slacks[i, new], slacks[new, i] = slack_in, slack_out
        if step[new, i] + into < cycle:
            cycle, own = step[new, i] + into, max(slack[new, i], slack_in)
    paths[new, new], slacks[new, new] = cycle, own
    if cycle >= -own:
        add_detours(graph, new)
    return cycle, own


@compiled
def add_detours(graph: Graph, new: int) -> None:
    """Shorten the paths among the classes before `new` by ways through it."""
    _, _, paths, slacks = graph
    for i in range(new):
        for j in range(new):
            if paths[i, new] + paths[new, j] < paths[i, j]:
                paths[i, j] = paths[i, new] + paths[new, j]
                slacks[i, j] = max(slacks[i, new], slacks[new, j])


# If cycles of length zero exist, the optimal permutations are those made of edges on such cycles.
# They fall into components of classes that reach each other and come back at length zero, and the
# number of optimal permutations is the product over components of the number of perfect matchings.


@compiled
def optimal_permutations(graph: Graph) -> float:
    """Count the permutations as good as the identity, none being better; NaN for too many."""
    n_classes = len(graph.step)
    seen = np.zeros(n_classes, np.bool_)
    count = 1.0
    for i in range(n_classes):
        if seen[i] or graph.paths[i, i] > graph.slacks[i, i]:
            continue
        component = [i]
        for j in range(i + 1, n_classes):
            slack = max(graph.slacks[i, j], graph.slacks[j, i])
            if not seen[j] and graph.paths[i, j] + graph.paths[j, i] <= slack:
                component.append(j)
                seen[j] = True
        count *= matchings(tied_edges(graph, np.array(component)))
    return count


@compiled
def tied_edges(graph: Graph, component: Integers) -> NDArray[np.bool_]:
    """Which classes of a component may be given the corner of which: edges on zero cycles."""
    m = len(component)
    edges = np.eye(m, dtype=np.bool_)
    for a in range(m):
        for b in range(m):
            i, j = component[a], component[b]
            slack = max(graph.slack[i, j], graph.slacks[j, i])
            edges[a, b] |= i != j and graph.step[i, j] + graph.paths[j, i] <= slack
    return edges


# Corners with the same edges are interchangeable, so it matters only how many of each kind have
# been given away: one kind of m corners has m + 1 states, where all subsets would be 2^m. Counting
# matchings takes exponential time in general: beyond MOST_STATES it is not tried.

MOST_STATES = 1 << 18


@compiled
def matchings(edges: NDArray[np.bool_]) -> float:
    """Count the perfect matchings of rows and columns; NaN if there are too many states."""
    kinds, sizes = kinds_of_columns(edges)
    turned, turned_sizes = kinds_of_columns(edges.T.copy())
    if n_states(turned_sizes) < n_states(sizes):
        kinds, sizes = turned, turned_sizes
    if n_states(sizes) > MOST_STATES:
        return np.nan
    return matchings_by_kind(kinds, sizes)


@compiled
def n_states(sizes: Integers) -> float:
    """How many ways there are to say how many of each kind are taken."""
    states = 1.0
    for size in sizes:
        states *= size + 1
    return states


@compiled
def kinds_of_columns(edges: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Integers]:
    """The different columns of a matrix, and how often each occurs."""
    kinds, sizes, n_kinds = np.empty_like(edges), np.zeros(len(edges), np.int64), 0
    for column in range(edges.shape[1]):
        kind = 0
        while kind < n_kinds and not np.array_equal(kinds[:, kind], edges[:, column]):
            kind += 1
        if kind == n_kinds:
            kinds[:, kind] = edges[:, column]
            n_kinds += 1
        sizes[kind] += 1
    return kinds[:, :n_kinds].copy(), sizes[:n_kinds].copy()


@compiled
def matchings_by_kind(kinds: NDArray[np.bool_], sizes: Integers) -> float:
    """Count matchings row by row; a state is a number with a digit for each kind."""
    n_kinds, n = len(sizes), int(n_states(sizes))
    ways, row_of = np.zeros(n), np.zeros(n, np.int64)
    ways[0] = 1.0
    for state in range(n - 1):
        place, rest = 1, state
        for kind in range(n_kinds):
            taken = rest % (sizes[kind] + 1)
            rest //= sizes[kind] + 1
            if taken < sizes[kind]:
                row_of[state + place] = row_of[state] + 1
                if kinds[row_of[state], kind]:
                    ways[state + place] += ways[state] * (sizes[kind] - taken)
            place *= sizes[kind] + 1
    return float(ways[-1])


@compiled
def empty_graph(n_classes: int) -> Graph:
    """No edges and no paths yet."""
    shape = (n_classes, n_classes)
    return Graph(np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape))


@compiled
def assignment_credit(cost: Floats, slack: Floats) -> tuple[float, float, float]:
    """Return the strict, fair and lenient credit of one tuple.

    cost[i, j] is the cost of giving the case of class i the corner of class j, and slack[i, j] the
    slack of what that costs more than its own corner. Fair credit is one over the number of optimal
    permutations if the identity is among them; NaN if they are too many to count.
    """
    graph = empty_graph(len(cost))
    graph.slack[:] = slack
    tied = False
    for new in range(len(cost)):
        for j in range(len(cost)):
            graph.step[new, j] = cost[new, j] - cost[new, new]
        cycle, own = add_class(graph, new)
        if cycle < -own:
            return 0.0, 0.0, 0.0
        tied |= cycle <= own
    if tied:
        return 0.0, 1.0 / optimal_permutations(graph), 1.0
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
    """Keep the current case of class `depth` and go to the first case of the next class."""
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
    cost: Floats,
    slack: Floats,
    length: Floats,
    weights: Floats,
    members: Integers,
    starts: Integers,
    start: int,
    stop: int,
) -> Floats:
    """Return the projections (n, 6) of the tuples whose case of class 0 is in members[start:stop].

    `members` lists the cases class by class, class k in members[starts[k]:starts[k + 1]]. Columns:
    strict, fair and lenient credit, then the same times the tuple's total length.
    """
    n_classes = cost.shape[1]
    walk = set_out(weights, members, starts, start, stop, 6)
    total, tied = np.zeros(n_classes + 1), np.zeros(n_classes + 1, np.bool_)
    step, edge_slack = np.empty((n_classes, n_classes)), np.empty((n_classes, n_classes))
    paths = np.empty((n_classes, n_classes, n_classes))
    slacks = np.empty_like(paths)
    depth = climb(walk, 0)
    while depth >= 0:
        case = members[walk.place[depth]]
        graph = Graph(step, edge_slack, paths[depth], slacks[depth])
        cycle, own = choose(cost[case], slack[case], graph, paths, slacks, depth)
        if cycle < -own:
            walk.place[depth] += 1
        else:
            total[depth + 1] = total[depth] + length[case]
            tied[depth + 1] = tied[depth] or cycle <= own
            if depth + 1 == n_classes:
                optimal = optimal_permutations(graph) if tied[-1] else 1.0
                credit_tuple(optimal, total[-1], walk.below[-1])
            depth = descend(walk, depth)
        depth = climb(walk, depth)
    return walk.projection


@compiled
def choose(
    cost: Floats, slack: Floats, graph: Graph, paths: Floats, slacks: Floats, depth: int
) -> tuple[float, float]:
    """Take a case for class `depth`, on top of the paths of the classes before it."""
    for j in range(len(cost)):
        graph.step[depth, j] = cost[j] - cost[depth]
        graph.slack[depth, j] = slack[j]
    for i in range(depth):
        for j in range(depth):
            graph.paths[i, j] = paths[depth - 1, i, j]
            graph.slacks[i, j] = slacks[depth - 1, i, j]
    return add_class(graph, depth)


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
def sample_assignment(cost: Floats, slack: Floats, length: Floats, tuples: Integers) -> Floats:
    """Return the six credits of every tuple, a row of case indices in order of class: (m, 6)."""
    credits = np.zeros((len(tuples), 6))
    for t in range(len(tuples)):
        total = 0.0
        for case in tuples[t]:
            total += length[case]
        strict, fair, lenient = assignment_credit(cost[tuples[t]], slack[tuples[t]])
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
