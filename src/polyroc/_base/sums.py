"""Sums of many numbers in which rounding does not pile up.

``np.cumsum`` and ``np.bincount`` add one number after another: a million times 0.1 is wrong in the
eleventh digit. Here the numbers of short blocks are added up first and then the sums of the blocks,
so that rounding is that of some dozens of additions, however many cases there are. Whole numbers up
to 2⁵³ are exact either way.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array, FloatArray, IntArray

_BITS = 6
_BLOCK = 1 << _BITS
_FEW = 1 << 9
"""Numbers that may as well be added up one after the other, which takes fewer calls."""

_PIECE_BITS = 16
"""Cases that are summed by class at once stay in the cache."""


def running_sum(values: FloatArray) -> Float64Array:
    """Sums of the first j values along the first axis, j = 0 … n.

    >>> running_sum(np.array([0.5, 0.25, 2.0])).tolist()
    [0.0, 0.5, 0.75, 2.75]
    """
    n, shape = len(values), values.shape[1:]
    if n <= _BLOCK:
        sums = np.zeros((n + 1, *shape))
        np.cumsum(values, axis=0, out=sums[1:])
        return sums
    padded = np.empty((-(-n // _BLOCK) * _BLOCK + 1, *shape))
    padded[0], padded[n + 1 :] = 0, 0
    padded[1 : n + 1] = values
    blocks = padded[1:].reshape(-1, _BLOCK, *shape)
    np.cumsum(blocks, axis=1, out=blocks)
    blocks += running_sum(blocks[:, -1])[:-1, None]
    return padded[: n + 1]


def running_sums(values: Float64Array) -> Float64Array:
    """The same along the last axis, of a few thousand numbers in each row.

    >>> running_sums(np.array([[0.5, 0.25], [2.0, 4.0]])).tolist()
    [[0.0, 0.5, 0.75], [0.0, 2.0, 6.0]]
    """
    *rows, n = values.shape
    if n <= _FEW:
        sums = np.zeros((*rows, n + 1))
        values.cumsum(axis=-1, out=sums[..., 1:])
        return sums
    n_blocks = -(-n // _BLOCK)
    padded = np.zeros((*rows, n_blocks * _BLOCK + 1))
    padded[..., 1 : n + 1] = values
    blocks = padded[..., 1:].reshape(*rows, n_blocks, _BLOCK)
    blocks.cumsum(axis=-1, out=blocks)
    blocks[..., 1:, :] += blocks[..., :-1, -1].cumsum(axis=-1)[..., None]
    return padded[..., : n + 1]


def running_weight(weights: Float64Array) -> Float64Array:
    """The running sum of numbers that are not negative, which never falls.

    >>> running_weight(np.array([1.0, 0.0, 2.0])).tolist()
    [0.0, 1.0, 1.0, 3.0]
    """
    return np.maximum.accumulate(running_sum(weights))


def sum_by_class(codes: IntArray, values: FloatArray, n_classes: int) -> Float64Array:
    """Sum of the values of each class, as ``np.bincount`` with weights.

    >>> sum_by_class(np.array([1, 0, 1]), np.array([0.5, 0.25, 2.0]), 3).tolist()
    [0.25, 2.5, 0.0]
    """
    bits = max(_BITS, n_classes.bit_length())
    if len(codes) <= 1 << bits:
        return np.bincount(codes, values, n_classes).astype(np.float64)
    starts = _first_places(bits, n_classes)
    total = np.zeros(n_classes)
    for start in range(0, len(codes), len(starts)):
        piece = slice(start, start + len(starts))
        places = starts[: len(codes[piece])] + codes[piece]
        blocks = np.bincount(places, values[piece], int(starts[len(places) - 1]) + n_classes)
        by_class = np.ascontiguousarray(blocks.reshape(-1, n_classes).T)
        total += by_class.sum(axis=1)  # along memory, where NumPy adds in blocks, too
    return total


@lru_cache(maxsize=8)
def _first_places(bits: int, n_classes: int) -> NDArray[np.intp]:
    """For each case of a piece, where the sums of its block begin."""
    cases = np.arange(1 << max(_PIECE_BITS, bits))
    return np.asarray((cases >> bits) * n_classes)
