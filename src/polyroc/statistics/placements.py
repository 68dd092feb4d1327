"""Placements: what share of each class lies below, or level with, each positive of a column."""

from typing import NamedTuple

import numpy as np

from polyroc.predictions import Predictions
from polyroc.statistics.columns import Column
from polyroc.statistics.pairs import column_of
from polyroc.typing import Float64Array


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
    shape = (len(column.members) + 1, n_classes)
    strict, lenient = np.zeros((2, shape[0] * n_classes))
    for ranks in column.ranks():
        weights = None if column.weights is None else column.weights[ranks.cases]
        strict += np.bincount(ranks.right * n_classes + ranks.codes, weights, len(strict))
        lenient += np.bincount(ranks.left * n_classes + ranks.codes, weights, len(strict))
    below = np.cumsum(strict.reshape(shape), axis=0)[:-1]
    level = np.cumsum(lenient.reshape(shape), axis=0)[:-1] - below
    return Placements(
        column, below / predictions.class_weights, np.maximum(level, 0) / predictions.class_weights
    )
