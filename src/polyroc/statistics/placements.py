"""Placements: what share of each class lies below, or level with, each positive of a column."""

from typing import NamedTuple

import numpy as np

from polyroc.predictions import Predictions
from polyroc.statistics.columns import Column
from polyroc.statistics.pairs import column_of
from polyroc.sums import running_sum, sum_by_class
from polyroc.typing import Float64Array, IntArray


class Placements(NamedTuple):
    """Rows: the positives of a column in ascending order of score; columns: the classes."""

    column: Column
    below: Float64Array
    tied: Float64Array


def placements(predictions: Predictions, k: int) -> Placements:
    """Shares of every class below and tied with the cases of class k in column k.

    The row of a positive counts the cases of rank ``right`` ≤ its position as below it, and those
    of rank ``left`` ≤ position as below or tied. O(n log n + n_k K) a column.
    """
    column = column_of(predictions, k)
    n_classes = predictions.n_classes
    strict, lenient = np.zeros((2, column.n_positives + 1, n_classes))
    for ranks in column.ranks():
        weights = None if column.weights is None else column.weights[ranks.cases]
        _tally(strict, ranks.right, ranks.codes, weights)
        _tally(lenient, ranks.left, ranks.codes, weights)
    below = running_sum(strict)[1:-1]
    level = running_sum(lenient)[1:-1] - below
    return Placements(
        column, below / predictions.class_weights, np.maximum(level, 0) / predictions.class_weights
    )


def _tally(
    table: Float64Array, ranks: IntArray, codes: IntArray, weights: Float64Array | None
) -> None:
    """Add cases by rank (row) and class (column).

    A block of sorted cases has neighbouring ranks, so only a few rows of a long table are touched.
    """
    first, n_classes = int(ranks.min()), table.shape[1]
    n_rows = int(ranks.max()) + 1 - first
    cells = (ranks - first) * n_classes + codes
    n_cells = n_rows * n_classes
    rows = table[first : first + n_rows].reshape(n_cells)
    if weights is None:
        rows += np.bincount(cells, minlength=n_cells)
    else:
        rows += sum_by_class(cells, weights, n_cells)
