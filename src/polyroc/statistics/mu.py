"""The pair statistic of AUC_mu (Kleiman & Page 2019): a pair compared along one direction.

Row i of a partition matrix A holds what it costs to name class i, by true class. With the gain
g_i = −A_i · p of naming class i, the cases of classes i and j are ranked by their margin g_i −
g_j; the orientation function of the paper has the sign of the difference of two margins, because
v · (e_i − e_j) = −(A_ij + A_ji) is never positive. For the argmax partition A = 1 − I the margin
is p_i − p_j, and the scores themselves serve as gains.

Only the n_i + n_j cases of a pair are sorted: O(K n log n) in all. A margin is rounded once, so two
cases whose margins differ by less than that rounding count as tied.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.statistics.columns import Column
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.pairs import (
    blank_diagonal,
    mean_over_pairs,
    ranked_influence,
    tie_credit,
)
from polyroc.threads import map_threads
from polyroc.typing import Float64Array, FloatArray, Ties

MANY_CLASSES = 24
"""From here on there are so many small pairs that a compiled merge pays for its loading."""

Partition = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Margins:
    """step(margin_a − margin_b); symmetric in the classes of the pair."""

    partition: Partition | None = None
    ties: Ties = "fair"

    def matrix(self, predictions: Predictions) -> Float64Array:
        """θ_ij = θ_ji: how often a case of i has the greater margin towards i than one of j."""
        above, tied = predictions.derived(margin_sums, self.partition)
        upper = mean_over_pairs(predictions, above + tie_credit(self.ties) * tied)
        return blank_diagonal(np.triu(upper, 1) + np.triu(upper, 1).T)

    def influence(self, predictions: Predictions, weights: Float64Array) -> Float64Array:
        """From the placements of each case in the margins of each pair."""
        gains, members = gains_of(predictions, self.partition), predictions.members
        totals = predictions.class_weights
        pull = np.triu(weights + weights.T, 1)
        pairs = list(combinations(range(predictions.n_classes), 2))

        def of_pair(pair: tuple[int, int]) -> Float64Array:
            column = _pair_column(predictions, gains, members, pair)
            row, both = np.array([pull[pair], 0.0]), totals[[pair[1], pair[0]]]
            return ranked_influence(column, row, both, tie_credit(self.ties))

        total = np.zeros(len(predictions))
        for (i, j), part in zip(
            pairs, map_threads(of_pair, pairs, predictions.n_threads), strict=True
        ):
            total[members[i]] += part[: len(members[i])]
            total[members[j]] += part[len(members[i]) :]
        return centre_by_class(predictions, total)


def gains_of(predictions: Predictions, partition: Partition | None) -> FloatArray:
    """−(A p), summed column by column so that equal rows have equal gains to the last bit."""
    if partition is None:
        return predictions.scores
    scores = predictions.scores.astype(np.float64, copy=False)
    gains = np.zeros(scores.shape)
    for column, costs in zip(scores.T, np.array(partition).T, strict=True):
        gains -= column[:, None] * costs
    return gains


def margin_sums(
    predictions: Predictions, partition: Partition | None
) -> tuple[Float64Array, Float64Array]:
    """Weight of the pairs above and of the pairs tied, for i < j."""
    gains, members = gains_of(predictions, partition), predictions.members
    if predictions.n_classes >= MANY_CLASSES and predictions.weights is None:
        return _by_merging(predictions, gains, members)
    above, tied = np.zeros((2, predictions.n_classes, predictions.n_classes))
    pairs = list(combinations(range(predictions.n_classes), 2))

    def of_pair(pair: tuple[int, int]) -> tuple[float, float]:
        return _pair_totals(_pair_column(predictions, gains, members, pair))

    sums = map_threads(of_pair, pairs, predictions.n_threads)
    for pair, totals in zip(pairs, sums, strict=True):
        above[pair], tied[pair] = totals
    return above, tied


def _pair_totals(column: Column) -> tuple[float, float]:
    above = tied = 0.0
    for ranks in column.anonymous_ranks():
        negative = ranks.codes != column.k
        weights = negative if column.weights is None else negative * column.weights[ranks.cases]
        above += float(column.above(ranks) @ weights)
        tied += float(column.tied(ranks) @ weights)
    return above, tied


def _pair_column(
    predictions: Predictions,
    gains: FloatArray,
    members: tuple[NDArray[np.intp], ...],
    pair: tuple[int, int],
) -> Column:
    """The margins of the cases of both classes, those of the first positive and in front."""
    i, j = pair
    cases = np.concatenate([members[i], members[j]])
    margins = np.subtract(gains[cases, i], gains[cases, j], dtype=np.float64)
    codes = np.repeat(np.array([1, 0], dtype=np.uint8), [len(members[i]), len(members[j])])
    weights = None if predictions.weights is None else predictions.weights[cases]
    return Column(margins, codes, 1, weights)


def _by_merging(
    predictions: Predictions, gains: FloatArray, members: tuple[NDArray[np.intp], ...]
) -> tuple[Float64Array, Float64Array]:
    """Sort all margins of a class in one call, then merge the lists of each pair."""
    from polyroc.kernels.merge import merge_pairs

    n_classes = predictions.n_classes
    starts = np.concatenate(([0], np.cumsum(predictions.class_counts))).astype(np.int64)
    margins = np.empty(n_classes * len(predictions))
    above, tied = np.zeros((2, n_classes, n_classes))

    def sort_class(i: int) -> None:
        block = margins[n_classes * starts[i] : n_classes * starts[i + 1]]
        rows = block.reshape(n_classes, len(members[i]))
        own = gains[members[i]].T
        np.subtract(own[i], own, out=rows, dtype=np.float64)
        rows.sort(axis=1)

    def merge_class(i: int) -> None:
        merge_pairs(margins, starts, i, above, tied)

    map_threads(sort_class, range(n_classes), predictions.n_threads)
    map_threads(merge_class, range(n_classes - 1), predictions.n_threads)
    return above, tied
