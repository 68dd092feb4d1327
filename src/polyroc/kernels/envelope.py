"""The least of straight lines in t, case by case: where it changes from one line to another."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@compiled
def first_lines(fixed: Floats, growing: Floats, start: Ints) -> None:
    """The least line just above t = 0 of each case, the first of equals."""
    n, n_lines = fixed.shape
    for case in range(n):
        best = 0
        for j in range(1, n_lines):
            ahead = fixed[case, j] < fixed[case, best]
            level = fixed[case, j] == fixed[case, best]
            if ahead or (level and growing[case, j] < growing[case, best]):
                best = j
        start[case] = best


@compiled
def next_corners(
    fixed: Floats, growing: Floats, cases: Ints, now: Ints, at: Floats, following: Ints
) -> None:
    """Where a line of less slope first crosses the line that is least now, and which.

    Infinity where none does; of lines that cross at the same t that of least slope, the first.
    """
    n_lines = fixed.shape[1]
    for place in range(len(cases)):
        case, here = cases[place], now[place]
        first, best = np.inf, here
        for j in range(n_lines):
            catching_up = growing[case, here] - growing[case, j]
            if catching_up > 0.0:
                time = (fixed[case, j] - fixed[case, here]) / catching_up
                level = time == first and growing[case, j] < growing[case, best]
                if time < first or level:
                    first, best = time, j
        at[place] = first
        following[place] = best
