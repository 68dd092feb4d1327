"""How much mass lies before a given place on two axes, in two look-ups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Every one of n points has a place of its own (0 … n−1) on two axes, and two masses. The mass of
# the points with first place < i and second place < j takes two lookups:
#     coarse[i // B, j]                        points in the blocks of B first places before i's,
#     fine[i // B, i % B, within[i // B, j]]   points in i's own block, before i;
# `within` counts the points of a block with second place < j. With B near √n the tables need
# O(n √n) memory and time, and a query O(1): no tree, and nothing to insert during a sweep.


class Dominance(NamedTuple):
    """Tables that answer how much mass lies before a given place on both axes."""

    coarse: Floats
    within: NDArray[np.int32]
    fine: Floats
    bits: int


def dominance(second: Integers, mass: Floats) -> Dominance:
    """Fill the tables for points given in order of their first place.

    `second` (n,) holds their second places and `mass` (n, 2) what is summed.
    """
    n = len(second)
    bits = n.bit_length() // 2  # blocks of about √n
    blocks, block = (n >> bits) + 1, 1 << bits
    tables = Dominance(
        np.zeros((blocks, n + 1, 2)),
        np.zeros((blocks, n + 1), np.int32),
        np.zeros((blocks, block, block + 1, 2)),
        bits,
    )
    fill_tables(second, mass, tables)
    return tables


@compiled
def fill_tables(second: Integers, mass: Floats, tables: Dominance) -> None:
    """Fill block after block: O(n) for its coarse row, O(B²) for its fine square."""
    n = len(second)
    masses = np.zeros((n, 2))  # of the points in the blocks so far, by second place
    for k in range(len(tables.coarse)):
        coarse, within = tables.coarse[k], tables.within[k]
        first, last = k << tables.bits, min(n, (k + 1) << tables.bits)
        for j in range(n):
            coarse[j + 1, 0] = coarse[j, 0] + masses[j, 0]
            coarse[j + 1, 1] = coarse[j, 1] + masses[j, 1]
        for i in range(first, last):
            within[second[i] + 1] = 1
            masses[second[i], 0] = mass[i, 0]
            masses[second[i], 1] = mass[i, 1]
        for j in range(n):
            within[j + 1] += within[j]
        fill_square(second[first:last], mass[first:last], within, tables.fine[k])


@compiled
def fill_square(second: Integers, mass: Floats, within: NDArray[np.int32], square: Floats) -> None:
    """Set square[i, r] to the mass of the first i points whose rank in the block is below r."""
    for i in range(min(len(second), len(square) - 1)):
        rank = within[second[i]]
        for r in range(square.shape[1]):
            square[i + 1, r, 0] = square[i, r, 0] + (mass[i, 0] if r > rank else 0.0)
            square[i + 1, r, 1] = square[i, r, 1] + (mass[i, 1] if r > rank else 0.0)


@compiled
def mass_before(tables: Dominance, i: int, j: int) -> tuple[float, float]:
    """Return both masses of the points with first place < i and second place < j."""
    k = i >> tables.bits
    coarse = tables.coarse[k, j]
    fine = tables.fine[k, i & ((1 << tables.bits) - 1), tables.within[k, j]]
    return coarse[0] + fine[0], coarse[1] + fine[1]
