"""Sums over pairs and over classes, for a block of weightings of the same cases at once.

The weights of a block lie with one row per case and one column per weighting. A kernel visits the
cases in an order that was sorted before, and its innermost loop runs along one row: neighbours in
memory, independent of each other, so the compiler turns it into vector instructions. Rows of 64
weights in single bytes are one cache line, and one fetch of it serves 64 weightings.

Each weighting sees the same additions in the same order whatever its neighbours are, so blocks of
any width give the same bits. Sums are float64: whole numbers are exact up to 2⁵³.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Float64Array = NDArray[np.float64]
Int64Array = NDArray[np.int64]

Weights = NDArray[np.uint8] | Float64Array
"""A block of weightings: uint8 where all are whole numbers up to 255, else float64."""

TILE = 256


@compiled
def lay_out(given: Weights, cases: NDArray[np.uint32], laid: Weights) -> None:
    """Turn a block with one row per weighting into one row per case, cases in the order given.

    Tile by tile, so that the rows written stay in the fastest cache while the weightings pass.
    """
    for first in range(0, len(cases), TILE):
        last = min(first + TILE, len(cases))
        for b in range(len(given)):
            for i in range(first, last):
                laid[i, b] = given[b, cases[i]]


@compiled
def weighted_totals(weights: Weights, values: Float64Array, totals: Float64Array) -> None:
    """Add to ``totals[j]`` the sum over cases of weight times ``values[case, j]``: O(n J)."""
    width = weights.shape[1]
    own = np.empty(width)
    for i in range(len(weights)):
        for b in range(width):
            own[b] = weights[i, b]
        for j in range(values.shape[1]):
            value, total = values[i, j], totals[j]
            for b in range(width):
                total[b] += own[b] * value


@compiled
def pairs_above(
    weights: Weights,
    cases: NDArray[np.uint32],
    rows: NDArray[np.int16],
    starts: Int64Array,
    above: Float64Array,
) -> None:
    """Add to ``above[r]`` the weight of the pairs of a positive and a later case of row r.

    ``rows`` is −1 for a positive. The order falls into parts, part p from ``starts[p]`` on, and
    only cases of one part are paired. O(n): each case meets the sum of the positives before it.
    """
    width = weights.shape[1]
    ahead = np.empty(width)
    for part in range(len(starts) - 1):
        ahead[:] = 0.0
        for i in range(starts[part], starts[part + 1]):
            own = weights[cases[i]]
            if rows[i] < 0:
                for b in range(width):
                    ahead[b] += own[b]
            else:
                total = above[rows[i]]
                for b in range(width):
                    total[b] += own[b] * ahead[b]


@compiled
def pairs_above_with_excess(
    weights: Weights,
    cases: NDArray[np.uint32],
    rows: NDArray[np.int16],
    gaps: Float64Array,
    above: Float64Array,
    excess: Float64Array,
) -> None:
    """The same for one part in descending order of score, and the lead of the positives summed.

    ``gaps[i]`` is how far case i lies below the one before. The summed lead of the positives so far
    over the present score grows by their weight times the gap: sums of what is never negative, so
    nothing cancels.
    """
    width = weights.shape[1]
    ahead, lead = np.zeros(width), np.zeros(width)
    for i in range(len(cases)):
        own, gap = weights[cases[i]], gaps[i]
        if rows[i] < 0:
            for b in range(width):
                lead[b] += ahead[b] * gap
                ahead[b] += own[b]
        else:
            total, summed = above[rows[i]], excess[rows[i]]
            for b in range(width):
                further = lead[b] + ahead[b] * gap
                lead[b] = further
                total[b] += own[b] * ahead[b]
                summed[b] += own[b] * further
