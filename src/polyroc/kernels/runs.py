"""Runs of tied numbers: neighbours in ascending order that are no further apart than their slack.

The rule is that of :mod:`polyroc._base.ties`, in loops.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WIDEST_RUN = 1024.0


class Runs(NamedTuple):
    """Numbers in ascending order, their slacks, and where the run of each begins and ends."""

    values: Floats
    slacks: Floats
    starts: Integers
    ends: Integers


@compiled
def runs_of(values: Floats, slacks: Floats) -> Runs:
    """Runs of numbers in ascending order; equal numbers share the largest of their slacks."""
    n = len(values)
    slacks = slacks.copy()
    for i in range(1, n):
        if values[i] == values[i - 1]:
            slacks[i] = max(slacks[i], slacks[i - 1])
    for i in range(n - 2, -1, -1):
        if values[i] == values[i + 1]:
            slacks[i] = slacks[i + 1]
    starts, ends = np.empty(n, np.int64), np.empty(n, np.int64)
    start = 0
    while start < n:
        end, wide = run_end(values, slacks, start)
        while wide and start < end:  # only equal numbers are tied
            equal = start + 1
            while equal < end and values[equal] == values[start]:
                equal += 1
            starts[start:equal], ends[start:equal] = start, equal
            start = equal
        starts[start:end], ends[start:end] = start, end
        start = end
    return Runs(values, slacks, starts, ends)


@compiled
def run_end(values: Floats, slacks: Floats, start: int) -> tuple[int, bool]:
    """Where the run from ``start`` on ends, and whether it is too wide to be one number."""
    end, most = start + 1, slacks[start]
    while end < len(values) and (
        values[end] == values[end - 1]
        or values[end] - values[end - 1] <= max(slacks[end], slacks[end - 1])
    ):
        most = max(most, slacks[end])
        end += 1
    last = values[end - 1]
    return end, last != values[start] and last - values[start] > WIDEST_RUN * most


# Not by np.searchsorted: with it come the modules of Numba's array functions, and with these the
# linear algebra of SciPy, which take longer to import than a thousand cases to sweep.


@compiled
def place_of(values: NDArray[Any], value: float) -> int:
    """How many of numbers in ascending order are smaller than a value."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


# A place among numbers is coded as 2·(number of smaller ones) + [tied with one].


@compiled
def place_code(runs: Runs, place: int, value: float, slack: float, most: float) -> int:
    """Code of a value before which ``place`` numbers are smaller; no slack exceeds ``most``."""
    if place < len(runs.values):
        gap = runs.values[place] - value
        if gap <= most and gap <= max(slack, runs.slacks[place]):
            return int(2 * runs.starts[place] + 1)
    if place > 0:
        gap = value - runs.values[place - 1]
        if gap <= most and gap <= max(slack, runs.slacks[place - 1]):
            return int(2 * runs.starts[place - 1] + 1)
    return 2 * place


@compiled
def merge_codes(
    runs: Runs,
    thresholds: Floats,
    slacks: Floats,
    shift: float,
    shift_slack: float,
    most: float,
    start: int,
    codes: Integers,
) -> None:
    """Code `thresholds[start:] + shift` among numbers, both ascending, in one merge."""
    values, n = runs.values, len(runs.values)
    place = 0
    if start < len(thresholds):
        place = place_of(values, thresholds[start] + shift)
    for j in range(start, len(thresholds)):
        threshold = thresholds[j] + shift
        while place < n and values[place] < threshold:
            place += 1
        near = (place < n and values[place] - threshold <= most) or (
            place > 0 and threshold - values[place - 1] <= most
        )
        codes[j] = 2 * place
        if near:
            codes[j] = place_code(runs, place, threshold, max(slacks[j], shift_slack), most)
