"""Pairs above and tied in all columns of a short table at once.

Of a thousand cases the calls of NumPy cost more than their sorting: here all columns share them.
Counts of unweighted cases are whole numbers, equal to those of one column after the other.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.typing import Float64Array

Integers = NDArray[np.intp]

SHORT = 1 << 12
"""Cases up to which the calls cost more than the memory for all columns side by side."""

FEW_SCORES = 1 << 15
"""Scores that stay in the cache while all columns are sorted."""


def is_short(predictions: Predictions) -> bool:
    """Whether the columns of unweighted cases are so short that they are sorted together."""
    few = len(predictions) <= SHORT and predictions.scores.size <= FEW_SCORES
    return few and predictions.weights is None


def counted_pairs(predictions: Predictions) -> tuple[Float64Array, Float64Array]:
    """Pairs in which the case of class k (row) has more, or the same, than that of r (column)."""
    n_classes = predictions.n_classes
    columns = np.ascontiguousarray(predictions.scores.T)
    rows = np.arange(n_classes)[:, None]
    order = columns.argsort(axis=1)
    codes = predictions.codes[order].astype(np.intp)
    own = codes == rows
    order += rows * columns.shape[1]
    upto, level = _ranks(own, columns.take(order))
    codes += rows * n_classes

    def summed(ranks: Integers) -> Float64Array:
        sums = np.bincount(codes.ravel(), ranks.ravel(), n_classes**2)
        return sums.reshape(n_classes, n_classes).astype(np.float64, copy=False)

    counts = predictions.class_weights
    tied = np.diag(counts) if level is None else summed(level)
    return counts[:, None] * counts - summed(upto), tied


def _ranks(
    own: NDArray[np.bool_], scores: NDArray[np.floating]
) -> tuple[Integers, Integers | None]:
    """Positives not above each case, and those tied with it; cases ascend by score in each row.

    The latter is None where no two scores are equal: a positive is tied with itself alone.
    """
    right = own.cumsum(axis=1)
    new = scores[:, 1:] != scores[:, :-1]
    if new.all():
        return right, None
    left = right - own
    starts = np.ones(scores.shape, dtype=bool)
    starts[:, 1:] = new
    first = np.flatnonzero(starts)
    lengths = np.diff(first, append=scores.size)
    left, right = left.ravel()[first], right.ravel()[first + lengths - 1]
    return np.repeat(right, lengths), np.repeat(right - left, lengths)
