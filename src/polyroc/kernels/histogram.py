"""One pass over a column of scores: bins counted, values remembered, sums by class added up.

What :mod:`polyroc.scale` does in NumPy over many small arrays, fused for large data: the same
numbers to the bit, since each case is added in the same order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Float64Array = NDArray[np.float64]
Int64Array = NDArray[np.int64]

PAGE_BITS = 9
PAGE = 1 << PAGE_BITS
ONE_VALUE, SEVERAL = 1, 2

COARSE = 1.5 * 2.0**17
"""Adding and subtracting it rounds to multiples of 2⁻³⁵."""
FINE = 1.5 * 2.0**-18
"""The same for 2⁻⁷⁰."""


@compiled
def ordered_code(value: float, dropped: int, code_of_one: int) -> np.int64:
    """The bin of a score: exponent and leading bits of its distance from the nearer of 0 and 1."""
    size = abs(value)
    corner = min(np.rint(size), 1.0)
    gap = np.float64(size - corner)
    leading = (np.float64(abs(gap)).view(np.int64) + ((1 << dropped) - 1)) >> dropped
    code = leading
    if corner == 1.0:
        code = code_of_one + leading if gap >= 0 else code_of_one - leading
    return code if value >= 0 else -code


@compiled
def count_column(
    values: NDArray[Any],
    codes: NDArray[Any],
    weights: Float64Array,
    start: int,
    bits: tuple[int, int, int],
    place: Int64Array,
    counts: Float64Array,
    state: NDArray[np.uint8],
    kept: Float64Array,
) -> int:
    """Count cases from ``start`` on; return where it stopped.

    That is at the end, or at a score whose page does not exist yet: make it and continue from
    there. ``bits`` holds the bits that the code drops, the code of 1 and the position of page 0.
    ``weights`` is empty if every case counts 1.
    """
    dropped, code_of_one, origin = bits
    for i in range(start, len(values)):
        value = np.float64(values[i]) + 0.0  # −0 is 0
        code = ordered_code(value, dropped, code_of_one)
        first = place[(code >> PAGE_BITS) + origin]
        if first < 0:
            return i
        page, inside = first >> PAGE_BITS, code & (PAGE - 1)
        counts[page, codes[i], inside] += weights[i] if len(weights) else 1.0
        known = state[page, inside]
        if known != SEVERAL:
            if known == ONE_VALUE and kept[page, inside] != value:
                state[page, inside] = SEVERAL
                kept[page, inside] = 0.0
            elif known != ONE_VALUE:
                state[page, inside] = ONE_VALUE
                kept[page, inside] = value
    return len(values)


@compiled
def extend_bins(
    values: Float64Array,
    slacks: Float64Array,
    bits: tuple[int, int, int],
    place: Int64Array,
    low: Float64Array,
    high: Float64Array,
    slack: Float64Array,
) -> None:
    """Note the least and the largest value and the largest slack of every bin; pages exist."""
    dropped, code_of_one, origin = bits
    for i in range(len(values)):
        value = values[i] + 0.0  # −0 is 0
        code = ordered_code(value, dropped, code_of_one)
        page, inside = place[(code >> PAGE_BITS) + origin] >> PAGE_BITS, code & (PAGE - 1)
        low[page, inside] = min(low[page, inside], value)
        high[page, inside] = max(high[page, inside], value)
        slack[page, inside] = max(slack[page, inside], slacks[i])


@compiled
def sum_column(
    values: NDArray[Any],
    codes: NDArray[Any],
    weights: Float64Array,
    row_sums: Float64Array,
    coarse: Float64Array,
    fine: Float64Array,
) -> bool:
    """Add scores to the sums of their rows and, in two parts, to those of their classes.

    With weights all of w p goes to ``coarse``, rounded. Returns whether any score is negative.
    """
    negative = False
    for i in range(len(values)):
        value = np.float64(values[i])
        if value < 0:
            negative = True
        row_sums[i] += value
        if len(weights):
            coarse[codes[i]] += value * weights[i]
        else:
            rounded = (value + COARSE) - COARSE
            coarse[codes[i]] += rounded
            fine[codes[i]] += ((value - rounded) + FINE) - FINE
    return negative
