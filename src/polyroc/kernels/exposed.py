"""Areas of the facets that points alone expose: how fast the volume falls as a rate rises.

The volume that points dominate (:mod:`polyroc.kernels.volume`) falls by the area of a facet as its
point moves in a coordinate c: what the point dominates in the other coordinates, below the plane
that is left for them, and what no point that is lower in c does. That is the volume of a union of
boxes again, with one column fewer (Emmerich & Deutz 2014).

Rays find the same by sampling: a ray along c meets the surface at its lowest point that is nowhere
above the ray in the other columns, and the share of rays that meet a point is its area.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.dominated_samples import CHUNK, dominance_sets, last_not_above
from polyroc.kernels.volume import (
    Memory,
    choose_overlaps,
    point_volume,
    union_volume,
    write_overlaps,
)

Float64Array = NDArray[np.float64]
Int64Array = NDArray[np.int64]


@compiled
def exposed_areas(
    others: Float64Array,
    limits: Float64Array,
    chosen: Int64Array,
    spent: Int64Array,
    block: int,
    memory: Memory,
    areas: Float64Array,
) -> None:
    """Area of the facet of each chosen point that no point before it covers.

    ``others`` has the columns but the one that moves, points in ascending order of that one;
    ``limits`` what the plane leaves to the others. Areas are in units of limit^d / d!, d the number
    of these columns. ``spent`` as for ``exclusive_volumes``.
    """
    columns = len(others)
    for k in chosen:
        size = choose_overlaps(others, k, columns, limits[k], memory)
        write_overlaps(others, k, columns, size, memory, memory.lists[0])
        shared = union_volume(size, columns, limits[k], memory)
        areas[k] = max(point_volume(others, k, limits[k], memory) - shared, 0.0)
        spent[block] = memory.work[0]
        if spent.sum() > memory.work[1]:
            return


@compiled
def ray_hits(
    moving: Float64Array, others: Float64Array, rays: Float64Array, limit: float, hits: Float64Array
) -> None:
    """Add to ``hits`` the share of each ray that each point has: points that tie share it evenly.

    ``moving`` is the column along which rays go, ascending, ``others`` (d, m) the rest of each
    point; a ray is a row of d coordinates. A ray that meets the plane or the cube's end first hits
    nothing. Points are looked up in sets of bits, 64 at once, in the order in which rays meet them.
    """
    d, m = others.shape
    found, places = np.empty(m, np.int64), np.empty(d, np.int64)
    done = np.zeros(len(rays), np.bool_)
    for first in range(0, m, CHUNK):
        levels, counts, sets = dominance_sets(others[:, first : first + CHUNK])
        for r in range(len(rays)):
            end = min(1.0, limit - rays[r].sum())
            if done[r] or moving[first] >= end:
                continue
            size = first_below(levels, counts, sets, rays[r], places, moving[first:], end, found)
            if size == 0:
                continue
            done[r], height = True, moving[first + found[0]]
            size += below_after(moving, others, rays[r], first + CHUNK, height, size, found)
            for i in range(size):
                hits[first + found[i]] += 1.0 / size


@compiled
def first_below(
    levels: Float64Array,
    counts: Int64Array,
    sets: NDArray[np.uint64],
    ray: Float64Array,
    places: Int64Array,
    moving: Float64Array,
    end: float,
    found: Int64Array,
) -> int:
    """Write the lowest points of a chunk that a ray meets, all at one height; return how many."""
    for c in range(len(ray)):
        places[c] = last_not_above(levels, c, counts[c], ray[c])
        if places[c] < 0:
            return 0
    size = 0
    for word in range(sets.shape[2]):
        common = sets[0, places[0], word]
        for c in range(1, len(ray)):
            common &= sets[c, places[c], word]
        bit = 64 * word
        while common != 0:
            if common & np.uint64(1):
                if moving[bit] >= end or (size > 0 and moving[bit] > moving[found[0]]):
                    return size
                found[size] = bit
                size += 1
            common >>= np.uint64(1)
            bit += 1
    return size


@compiled
def below_after(
    moving: Float64Array,
    others: Float64Array,
    ray: Float64Array,
    start: int,
    value: float,
    size: int,
    found: Int64Array,
) -> int:
    """Write points of later chunks that a ray meets at the same height; return how many."""
    more = 0
    for j in range(start, len(moving)):
        if moving[j] > value:
            break
        below = True
        for c in range(len(ray)):
            below &= others[c, j] <= ray[c]
        if below:
            found[size + more] = j - start + CHUNK
            more += 1
    return more


@compiled
def exposed_lengths(moving: Float64Array, other: Float64Array, lengths: Float64Array) -> None:
    """Lengths of the facets of two rates, points in ascending order of the one that moves.

    Points that are level in it come in ascending order of the other and share what both cover.
    """
    ceiling = 1.0  # the lowest of the points that are lower in the rate that moves
    start = 0
    while start < len(moving):
        end = start
        while end < len(moving) and moving[end] == moving[start]:
            end += 1
        top = min(ceiling, 1.0 - moving[start])
        share = 0.0
        for k in range(end - 1, start - 1, -1):
            above = other[k + 1] if k + 1 < end else top
            share += max(min(above, top) - min(other[k], top), 0.0) / (k - start + 1)
            lengths[k] = share
        ceiling = min(ceiling, other[start])
        start = end
