"""The volume that points dominate below a plane, exactly.

A point p dominates the box p ≤ x ≤ 1. What counts of it is the part with Σx ≤ limit, whose volume
has a closed form; all volumes here are in units of limit^D / D!, the pyramid under the plane.

The union of boxes follows the WFG recursion (While, Bradstreet & Barone 2012): a point adds its
box less what it shares with the points before it, and that is a union of boxes again. All it asks
of a volume is to be a measure, so the plane is welcome: boxes beyond it vanish early. In the lists
of overlaps points come in ascending order of the last column that still differs, so that each
level fixes one column more, and the last three are left to a sweep that keeps a staircase in the
plane of the first two. Coordinates are stored by columns: entry [c, j] is coordinate c of point j.

The recursion is written with its stack in arrays: Numba keeps no recursive function on disk.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Float64Array = NDArray[np.float64]
Int64Array = NDArray[np.int64]

SWEPT = 3
"""Columns that the sweep deals with."""


class Memory(NamedTuple):
    """All that the recursion writes to: nothing is allocated on the way."""

    lists: Float64Array  # (levels, D, m) overlaps that each level works through
    sizes: Int64Array  # (levels,) how many there are
    places: Int64Array  # (levels,) the one a level has come to
    totals: Float64Array  # (levels,) the volume of those before it
    excess: Float64Array  # (m,) how far overlaps start above a point
    candidates: Int64Array  # (m,)
    chosen: Int64Array  # (m,)
    staircase: Float64Array  # (2, m + 1)
    corner: Float64Array  # (D,) the box being measured
    edges: Float64Array  # (3, D + 1) short ones; slack and next edge of each set of them
    rising: Int64Array  # (D,) columns in which an overlap starts above the point
    work: Int64Array  # (2,) elementary operations done, and how many are allowed


def memory_for(n_columns: int, n_points: int, work: int) -> Memory:
    """Memory for overlaps among so many points, and so many operations."""
    levels = n_columns
    return Memory(
        np.empty((levels, n_columns, n_points)),
        np.empty(levels, np.int64),
        np.empty(levels, np.int64),
        np.empty(levels),
        np.empty(n_points),
        np.empty(n_points, np.int64),
        np.empty(n_points, np.int64),
        np.empty((2, n_points + 1)),
        np.empty(n_columns),
        np.empty((3, n_columns + 1)),
        np.empty(n_columns, np.int64),
        np.array([0, work], np.int64),
    )


@compiled
def box_volume(
    corner: Float64Array, slack: float, limit: float, edges: Float64Array, work: Int64Array
) -> float:
    """Volume of {x : corner ≤ x ≤ 1, Σx ≤ limit}, where slack = limit − Σ corner is positive.

    Σ_S (−1)^|S| (slack − Σ_{i∈S} (1 − corner_i))₊^D over sets S of columns. Once a bracket is not
    positive no larger set counts, so only edges shorter than the slack are combined, depth first.
    """
    short = 0
    for i in range(len(corner)):
        if 1.0 - corner[i] < slack:
            edges[0, short] = 1.0 - corner[i]
            short += 1
    work[0] += 1
    volume = pyramid(slack / limit, len(corner))
    if short == 0:
        return volume
    depth, sign = 0, 1.0
    edges[1, 0], edges[2, 0] = slack, 0.0
    while depth >= 0:
        edge = int(edges[2, depth])
        if edge == short or work[0] > work[1]:
            depth, sign = depth - 1, -sign
            continue
        edges[2, depth] = edge + 1
        rest = edges[1, depth] - edges[0, edge]
        work[0] += 1
        if rest > 0.0:
            depth, sign = depth + 1, -sign
            edges[1, depth], edges[2, depth] = rest, edge + 1
            volume += sign * pyramid(rest / limit, len(corner))
    return volume


@compiled
def pyramid(slack: float, n_columns: int) -> float:
    """slack^D by squaring: D = K(K − 1) is even."""
    square, power, exponent = slack * slack, 1.0, n_columns >> 1
    while exponent > 0:
        if exponent & 1:
            power *= square
        square *= square
        exponent >>= 1
    return power * slack if n_columns & 1 else power


@compiled
def point_volume(points: Float64Array, k: int, limit: float, memory: Memory) -> float:
    """Volume of the box of one point."""
    slack = limit
    for c in range(len(points)):
        memory.corner[c] = points[c, k]
        slack -= points[c, k]
    if slack <= 0.0:
        return 0.0
    return box_volume(memory.corner, slack, limit, memory.edges, memory.work)


@compiled
def step_volume(
    x: float, y: float, rest: float, room: float, limit: float, memory: Memory
) -> float:
    """Volume of the box of ``memory.corner`` with x and y in its first two places.

    ``rest`` is the limit less the other places, ``room`` the shortest of their edges. A box with no
    edge shorter than its slack is a pyramid: the most frequent case by far.
    """
    slack = rest - x - y
    if slack <= 0.0 or y >= 1.0:
        return 0.0
    if slack <= room and slack <= 1.0 - x and slack <= 1.0 - y:
        memory.work[0] += 1
        return pyramid(slack / limit, len(memory.corner))
    memory.corner[0], memory.corner[1] = x, y
    return box_volume(memory.corner, slack, limit, memory.edges, memory.work)


@compiled
def sweep(points: Float64Array, m: int, limit: float, memory: Memory) -> float:
    """Volume of the union of m boxes whose columns after the third are all equal.

    They come in ascending order of the third column. Each adds what lies between it and the
    staircase of those before it, and takes its place in the staircase.
    """
    steps, corner = memory.staircase, memory.corner
    size, total = 0, 0.0
    for k in range(m):
        x, y = points[0, k], points[1, k]
        start = 0
        while start < size and steps[0, start] < x:
            start += 1
        covered = start > 0 and steps[1, start - 1] <= y
        if covered or (start < size and steps[0, start] == x and steps[1, start] <= y):
            continue
        rest, room = limit, 1.0
        for c in range(2, len(points)):
            corner[c] = points[c, k]
            rest -= corner[c]
            room = min(room, 1.0 - corner[c])
        above = steps[1, start - 1] if start > 0 else 1.0
        total += step_volume(x, y, rest, room, limit, memory)
        total -= step_volume(x, above, rest, room, limit, memory)
        end = start
        while end < size:
            total += step_volume(steps[0, end], above, rest, room, limit, memory)
            above = steps[1, end]
            total -= step_volume(steps[0, end], max(above, y), rest, room, limit, memory)
            if above < y:
                break
            end += 1
        memory.work[0] += size
        size = replace_steps(steps, size, start, end, x, y)
    return total


@compiled
def replace_steps(
    staircase: Float64Array, size: int, start: int, end: int, x: float, y: float
) -> int:
    """Put (x, y) in place of the steps from start to end; return how many there are now."""
    shift = 1 - (end - start)
    if shift > 0:
        for i in range(size - 1, end - 1, -1):
            staircase[0, i + 1], staircase[1, i + 1] = staircase[0, i], staircase[1, i]
    elif shift < 0:
        for i in range(end, size):
            staircase[0, i + shift], staircase[1, i + shift] = staircase[0, i], staircase[1, i]
    staircase[0, start], staircase[1, start] = x, y
    return size + shift


@compiled
def excesses(
    points: Float64Array, count: int, origin: Float64Array, active: int, excess: Float64Array
) -> float:
    """How far, summed over columns, each of the first points starts above the origin; the least.

    0 is a point that weakly dominates the origin.
    """
    excess[:count] = 0.0
    for c in range(active):
        own = origin[c]
        for j in range(count):
            rise = points[c, j] - own
            excess[j] += rise if rise > 0.0 else 0.0
    least = np.inf
    for j in range(count):
        least = min(least, excess[j])
    return least


@compiled
def choose_overlaps(points: Float64Array, k: int, active: int, limit: float, memory: Memory) -> int:
    """Choose points before k: those whose overlaps with k lie in no other's; return how many.

    The overlap with j starts (p_j − p_k)₊ above p_k. The one that starts lowest, by the sum, is in
    no other one; those in it are dropped, and the lowest of the rest is the next.
    """
    excess, candidates = memory.excess, memory.candidates
    for c in range(len(points)):
        memory.corner[c] = points[c, k]
    slack = limit - memory.corner.sum()
    least = excesses(points, k, memory.corner, active, excess)
    memory.work[0] += k
    if not least < slack:
        return 0
    size, count = 0, k
    lowest = 0
    while excess[lowest] != least:
        lowest += 1
    for j in range(k):
        candidates[j] = j
    while True:
        memory.chosen[size] = lowest
        size += 1
        memory.work[0] += count
        count = drop_inside(points, k, lowest, active, slack, count, memory)
        if count == 0 or memory.work[0] > memory.work[1]:
            return size
        lowest = candidates[0]
        for i in range(1, count):
            if excess[candidates[i]] < excess[lowest]:
                lowest = candidates[i]


@compiled
def drop_inside(
    points: Float64Array, k: int, lowest: int, active: int, slack: float, count: int, memory: Memory
) -> int:
    """Keep the candidates whose overlap with k is not empty and not inside that of the lowest.

    Only the columns in which the lowest rises above k can tell, and they are few.
    """
    candidates, excess = memory.candidates, memory.excess
    rising = memory.rising
    n_rising = 0
    for c in range(active):
        if points[c, lowest] > points[c, k]:
            rising[n_rising] = c
            n_rising += 1
    kept = 0
    for i in range(count):
        j = candidates[i]
        inside = True
        for r in range(n_rising):
            c = rising[r]
            inside &= points[c, j] >= points[c, lowest]
        candidates[kept] = j
        kept += (not inside) & (excess[j] < slack)
    return kept


@compiled
def write_overlaps(
    points: Float64Array, k: int, active: int, size: int, memory: Memory, overlaps: Float64Array
) -> None:
    """Write the chosen overlaps in ascending order of their last active column."""
    chosen = memory.chosen
    last, own = active - 1, points[active - 1, k]
    for i in range(1, size):
        j, at = chosen[i], i
        start = max(points[last, j], own)
        while at > 0 and points[last, chosen[at - 1]] > start:
            chosen[at] = chosen[at - 1]
            at -= 1
        chosen[at] = j
    for c in range(len(points)):
        for i in range(size):
            overlaps[c, i] = max(points[c, k], points[c, chosen[i]])


@compiled
def union_volume(m: int, differing: int, limit: float, memory: Memory) -> float:
    """Volume of the union of the first m boxes of ``memory.lists[0]``.

    They differ in so many columns, and come in ascending order of the last of these. ``lists`` is
    overwritten from level 1 on.
    """
    lists, sizes, places, totals = memory.lists, memory.sizes, memory.places, memory.totals
    if m == 0:
        return 0.0
    if m == 1:
        return point_volume(lists[0], 0, limit, memory)
    if differing <= SWEPT:
        return sweep(lists[0], m, limit, memory)
    level = 0
    sizes[0], places[0], totals[0] = m, 0, 0.0
    while memory.work[0] <= memory.work[1]:
        if places[level] < sizes[level]:
            active = differing - level - 1
            k = places[level]
            size = choose_overlaps(lists[level], k, active, limit, memory)
            write_overlaps(lists[level], k, active, size, memory, lists[level + 1])
            if size > 1 and active > SWEPT:
                level += 1
                sizes[level], places[level], totals[level] = size, 0, 0.0
                continue
            shared = 0.0
            if size == 1:
                shared = point_volume(lists[level + 1], 0, limit, memory)
            elif size > 1:
                shared = sweep(lists[level + 1], size, limit, memory)
        else:
            if level == 0:
                break
            shared = totals[level]
            level -= 1
        totals[level] += point_volume(lists[level], places[level], limit, memory) - shared
        places[level] += 1
    return float(totals[0])


@compiled
def exclusive_volumes(
    points: Float64Array,
    chosen: Int64Array,
    differing: int,
    limit: float,
    spent: Int64Array,
    block: int,
    memory: Memory,
    volumes: Float64Array,
) -> None:
    """Volume that each chosen point dominates and no point before it does.

    ``spent`` tells the work of all blocks, to which this one adds its own. When together they
    spend more than is allowed, all stop.
    """
    for k in chosen:
        size = choose_overlaps(points, k, differing, limit, memory)
        write_overlaps(points, k, differing, size, memory, memory.lists[0])
        shared = union_volume(size, differing, limit, memory)
        volumes[k] = max(point_volume(points, k, limit, memory) - shared, 0.0)
        spent[block] = memory.work[0]
        if spent.sum() > memory.work[1]:
            return


@compiled
def undominated(points: Float64Array, work: Int64Array) -> Int64Array:
    """Places of the points that no other dominates, of equal points the first.

    The points come in ascending order of their sums, so that only an earlier one can dominate.
    """
    kept = np.empty_like(points)
    places = np.empty(points.shape[1], np.int64)
    excess = np.empty(points.shape[1])
    size = 0
    for k in range(points.shape[1]):
        work[0] += size
        if work[0] > work[1]:
            break
        if size > 0 and excesses(kept, size, points[:, k], len(points), excess) == 0.0:
            continue
        kept[:, size] = points[:, k]
        places[size] = k
        size += 1
    return places[:size]
