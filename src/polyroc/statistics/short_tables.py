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

MARGINS_OF_PAIR = 140
"""So many margins are sorted in the time that the calls for one pair of classes take."""

MOST_MARGINS = 1 << 14
"""Margins that stay in the cache while they are sorted."""


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


def has_few_margins(predictions: Predictions) -> bool:
    """Whether the margins of unweighted cases are sorted sooner than calls for all pairs made."""
    n_classes, n_margins = predictions.n_classes, predictions.scores.size
    few = 2 * n_margins <= MARGINS_OF_PAIR * n_classes * (n_classes - 3)
    return few and n_margins <= MOST_MARGINS and predictions.weights is None


def ranked_margins(predictions: Predictions, directed: Directed) -> Float64Array | None:
    """Pairs in which the case of i has the greater margin, for i < j; none if any may be tied.

    The margins of all pairs of classes, those of j with the opposite sign, are sorted together.
    The ranks of the cases of i among those of i and j then sum to the wins and n_i(n_i − 1)/2.
    """
    n_classes, codes = predictions.n_classes, predictions.codes.astype(np.intp)[:, None]
    classes, counts = np.arange(n_classes), predictions.class_counts
    margins = directed.between(np.take_along_axis(directed.scores, codes, axis=1), directed.scores)
    first, other = codes < classes, codes != classes
    pairs = np.where(first, codes * n_classes + classes, classes * n_classes + codes)[other]
    margins, first = np.where(first, margins, -margins)[other], first[other]
    order = margins.argsort()
    # Short numbers are sorted by their digits; every class has cases, so K² ≤ nK is one.
    order = order[pairs[order].astype(np.uint16).argsort(kind="stable")]
    margins, first, pairs = margins[order], first[order], pairs[order]
    close = margins[1:] <= margins[:-1] + directed.most_slack
    if (close & (first[1:] != first[:-1]) & (pairs[1:] == pairs[:-1])).any():
        return None
    i, j = np.triu_indices(n_classes, 1)
    ends = np.cumsum(counts[i] + counts[j])
    starts = ends - counts[i] - counts[j]
    sums = np.concatenate(([0], np.cumsum(np.where(first, np.arange(len(first)), 0))))
    above = np.zeros((n_classes, n_classes))
    above[i, j] = sums[ends] - sums[starts] - counts[i] * (starts + (counts[i] - 1) / 2)
    return above


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
