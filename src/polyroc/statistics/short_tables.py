"""Pairs above and tied in all columns, or margins, of a short table at once.

Of a thousand cases the calls of NumPy cost more than their sorting: here all columns share them.
Counts of unweighted cases are whole numbers, equal to those of one column after the other.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.statistics.directed import Directed
from polyroc.typing import Float64Array

Integers = NDArray[np.intp]

SHORT = 1 << 12
"""Cases up to which the calls cost more than the memory for all columns side by side."""

FEW_SCORES = 1 << 15
"""Scores that stay in the cache while all columns are sorted."""

COMPARISONS = 800
"""Of cases, that cost no more than the calls for one pair of classes."""

MOST_COMPARED = 300
"""Cases all of which are compared with all while that stays in the cache."""


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


def has_few_comparisons(predictions: Predictions) -> bool:
    """Whether all unweighted cases are compared sooner than the calls for all pairs are made."""
    n_cases, n_classes = len(predictions), predictions.n_classes
    few = 2 * n_cases**2 <= COMPARISONS * n_classes * (n_classes - 1)
    return few and n_cases <= MOST_COMPARED and predictions.weights is None


def compared_margins(predictions: Predictions, directed: Directed) -> Float64Array | None:
    """Pairs in which the case of i has the greater margin, for i < j; none if any may be tied."""
    members, counts = np.concatenate(predictions.members), predictions.class_counts
    codes, scores = predictions.codes[members], directed.scores[members]
    own = scores[np.arange(len(codes)), codes]
    towards = directed.between(own[:, None], scores)[:, codes]
    against = -towards.T
    clear, close = towards - directed.most_slack > against, towards + directed.most_slack >= against
    if np.count_nonzero(clear != close) > (counts**2).sum():  # those of one class are tied
        return None
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    by_column = np.add.reduceat(clear, starts, axis=1, dtype=np.intp)
    return np.triu(np.add.reduceat(by_column, starts, axis=0), 1).astype(np.float64)


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
