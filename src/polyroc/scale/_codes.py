"""A monotone code of floats: which bin of a histogram a score belongs to.

Any monotone code gives valid bounds; this one makes them narrow wherever scores crowd. Near 0 it
keeps the exponent and ``mantissa_bits`` bits of the mantissa of x, and near 1 those of 1 − x, so
that bins are narrow at both ends of the unit interval, where confident models put their scores.
0 and 1 have bins of their own. Beyond 1 it keeps those of x − 1, and a negative number has the
mirrored code of its opposite. So the same code serves probabilities, logits and differences of
scores, and summaries of different batches always fit together.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array, Int64Array

SIGNIFICANT = 52
"""Bits of the mantissa of a float64."""

LEAST_BITS, MOST_BITS = 1, 14


def ordered_codes(values: Float64Array, mantissa_bits: int) -> Int64Array:
    """Integers that never fall where the values rise, and equal ones for equal values.

    1 − |x| is exact from ½ on and |x| − 1 is rounded monotonically, so no order is lost.

    >>> codes = ordered_codes(np.array([-0.25, 0.0, 1e-9, 0.25, 0.75, 1.0, 7.0]), 9)
    >>> bool((np.diff(codes) > 0).all()), int(codes[0] + codes[3]), int(codes[1])
    (True, 0, 0)
    """
    size = np.abs(values)
    corner = np.rint(size)
    np.minimum(corner, 1, out=corner)  # the nearer of 0 and 1
    size -= corner
    codes = corner.astype(np.int64)
    codes *= code_of_one(mantissa_bits)
    codes += _signed_bits(size, mantissa_bits)
    return codes if values.size == 0 or values.min() >= 0 else _mirrored(codes, values < 0)


def code_of_one(mantissa_bits: int) -> int:
    """The code of 1: far enough above that of ½ for all numbers between them."""
    return 2 * int(_leading_bits(np.array([0.5]).view(np.int64), mantissa_bits)[0]) + 1


def highest_code(mantissa_bits: int) -> int:
    """The code of the largest float."""
    return int(ordered_codes(np.array([np.finfo(np.float64).max]), mantissa_bits)[0])


def _leading_bits(bits: Int64Array, mantissa_bits: int) -> Int64Array:
    """Exponent and leading bits of the mantissa, rounded up: only 0 itself becomes 0."""
    dropped = SIGNIFICANT - mantissa_bits
    return (bits + ((1 << dropped) - 1)) >> dropped


def _signed_bits(gaps: Float64Array, mantissa_bits: int) -> Int64Array:
    """Leading bits of each number with its sign, without a branch."""
    bits = gaps.view(np.int64)
    sign = bits >> 63  # −1 below 0, else 0
    bits &= np.iinfo(np.int64).max
    bits += (1 << (SIGNIFICANT - mantissa_bits)) - 1
    bits >>= SIGNIFICANT - mantissa_bits
    bits ^= sign
    bits -= sign
    return bits


def _mirrored(codes: Int64Array, negative: NDArray[np.bool_]) -> Int64Array:
    return np.where(negative, -codes, codes)
