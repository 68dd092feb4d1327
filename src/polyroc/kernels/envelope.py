"""The least of straight lines in t, case by case: where it changes from one line to another."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.confusion import TILE, add_costs, read_tile

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class Corners(NamedTuple):
    """Where decisions change as t grows: (m,) cases, t, decision before and after."""

    cases: Ints
    at: Floats
    before: Ints
    after: Ints


@compiled
def follow_lines(
    probabilities: Floats, still: Floats, moving: Floats, tied: float, start: Ints, found: Corners
) -> int:
    """Fill in the least line just above t = 0 of each case, and its corners; their number.

    The lines of a case are p · still + t p · moving; both terms of two lines are equal if they
    differ by no more than the share ``tied`` of the larger, as expected costs are. They are there
    for some cases at a time, so that they stay in the cache.
    """
    n_lines, number, tile = still.shape[1], 0, np.zeros((len(still), TILE))
    at_0, slopes = np.empty((n_lines, TILE)), np.empty((n_lines, TILE))
    fixed, growing = np.empty(n_lines), np.empty(n_lines)
    for first in range(0, len(probabilities), TILE):
        n = read_tile(probabilities, first, tile)
        add_costs(tile, still, at_0)
        add_costs(tile, moving, slopes)
        for i in range(n):
            for j in range(n_lines):
                fixed[j], growing[j] = at_0[j, i], slopes[j, i]
            join_equal(fixed, growing, tied)
            now = first_line(fixed, growing)
            start[first + i] = now
            while True:
                at, following = next_corner(fixed, growing, now)
                if following == now:
                    break
                found.cases[number], found.at[number] = first + i, at
                found.before[number], found.after[number] = now, following
                now, number = following, number + 1
    return number


@compiled
def join_equal(fixed: Floats, growing: Floats, tied: float) -> None:
    """Put the first of lines that are equal everywhere in the place of the others."""
    for j in range(1, len(fixed)):
        for k in range(j):
            if are_tied(fixed[j], fixed[k], tied) and are_tied(growing[j], growing[k], tied):
                fixed[j], growing[j] = fixed[k], growing[k]
                break


@compiled
def are_tied(a: float, b: float, tied: float) -> bool:
    """Whether two costs differ by no more than a share of the larger."""
    return max(a, b) * (1 - tied) <= min(a, b)


@compiled
def first_line(fixed: Floats, growing: Floats) -> int:
    """The least line just above t = 0, the first of equals."""
    best = 0
    for j in range(1, len(fixed)):
        level = fixed[j] == fixed[best]
        if fixed[j] < fixed[best] or (level and growing[j] < growing[best]):
            best = j
    return best


@compiled
def next_corner(fixed: Floats, growing: Floats, now: int) -> tuple[float, int]:
    """Where a line of less slope first crosses the line that is least now, and which.

    The line itself where none does; of lines that cross at the same t that of least slope, the
    first.
    """
    first, best = np.inf, now
    for j in range(len(fixed)):
        catching_up = growing[now] - growing[j]
        if catching_up > 0.0:
            time = (fixed[j] - fixed[now]) / catching_up
            if time < first or (time == first and growing[j] < growing[best]):
                first, best = time, j
    return first, best
