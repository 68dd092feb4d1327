"""The pair statistic of AUC_mu (Kleiman & Page 2019): a pair compared along one direction.

Row i of a partition matrix A holds what it costs to name class i, by true class. With the gain
g_i = −A_i · p of naming class i, the cases of classes i and j are ranked by their margin g_i −
g_j; the orientation function of the paper has the sign of the difference of two margins, because
v · (e_i − e_j) = −(A_ij + A_ji) is never positive. For the argmax partition A = 1 − I the margin
is p_i − p_j, and the scores themselves serve as gains.

Only the n_i + n_j cases of a pair are sorted: O(K n log n) in all. A margin is rounded once, so two
cases whose margins differ by less than that rounding count as tied; of margins from 2¹⁰²² on, which
may be larger than a float can be, three more bits are rounded.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.predictions._weights import moderate
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

FEW_CASES = 5_000
"""A class: up to here the calls of NumPy for each pair cost more than its sorting."""

FEW_MARGINS = 50_000
"""Up to here threads cost more than they save."""

Partition = tuple[tuple[float, ...], ...]

LARGE_MARGIN = 2.0**1022
"""From here on margins are squeezed, since a difference of two scores may reach 2¹⁰²⁵."""


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
    scores = moderate(predictions.scores.astype(np.float64, copy=False))
    gains = np.zeros(scores.shape)
    for column, costs in zip(scores.T, np.array(partition).T, strict=True):
        gains -= column[:, None] * costs
    return gains


def margins_of(first: FloatArray, second: FloatArray) -> Float64Array:
    """first − second in float64, and no margin infinite.

    A margin m from 2¹⁰²² on becomes 2¹⁰²² + (m − 2¹⁰²²)/4, and its opposite the opposite: no order
    is changed, and each margin depends on its own scores alone.
    """
    with np.errstate(over="ignore"):
        margins = np.subtract(first, second, dtype=np.float64)
    large = np.abs(margins) >= LARGE_MARGIN
    if large.any():
        half = first * np.float64(0.5) - second * np.float64(0.5)
        margins[large] = (np.copysign(0.75 * LARGE_MARGIN, half) + half / 2)[large]
    return margins


def margin_sums(
    predictions: Predictions, partition: Partition | None
) -> tuple[Float64Array, Float64Array]:
    """Weight of the pairs above and of the pairs tied, for i < j."""
    gains, members = gains_of(predictions, partition), predictions.members
    few = len(predictions) <= FEW_CASES * predictions.n_classes
    if predictions.weights is None and (few or predictions.n_classes >= MANY_CLASSES):
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
        above += float((column.above(ranks) * weights).sum())
        tied += float((column.tied(ranks) * weights).sum())
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
    margins = margins_of(gains[cases, i], gains[cases, j])
    codes = np.repeat(np.array([1, 0], dtype=np.uint8), [len(members[i]), len(members[j])])
    weights = None if predictions.weights is None else predictions.weights[cases]
    return Column(margins, codes, 1, weights)


def _by_merging(
    predictions: Predictions, gains: FloatArray, members: tuple[NDArray[np.intp], ...]
) -> tuple[Float64Array, Float64Array]:
    """Sort all margins of a class in one call, then merge the lists of each pair."""
    n_classes, counts = predictions.n_classes, predictions.class_counts
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    margins = np.empty(n_classes * len(predictions))
    above, tied = np.zeros((2, n_classes, n_classes))
    n_threads = 1 if len(margins) <= FEW_MARGINS else predictions.n_threads

    def sort_class(i: int) -> None:
        own = gains[members[i]].T
        rows = _rows(margins, starts, i)
        rows[:] = margins_of(own[i], own)
        rows.sort(axis=1)

    def merge_class(i: int) -> None:
        from polyroc.kernels.merge import merge_pairs

        merge_pairs(margins, starts, i, above, tied)

    def search_class(i: int) -> None:
        own = _rows(margins, starts, i)
        for j in range(i + 1, n_classes):
            other = -_rows(margins, starts, j)[i, ::-1]
            above[i, j] = other.searchsorted(own[j]).sum()
            tied[i, j] = other.searchsorted(own[j], "right").sum() - above[i, j]

    merge = merge_class if n_classes >= MANY_CLASSES else search_class
    map_threads(sort_class, range(n_classes), n_threads)
    map_threads(merge, range(n_classes - 1), n_threads)
    return above, tied


def _rows(margins: Float64Array, starts: NDArray[np.int64], i: int) -> Float64Array:
    """The margins of class i, a sorted row for each other class."""
    n_classes = len(starts) - 1
    block = margins[n_classes * starts[i] : n_classes * starts[i + 1]]
    return block.reshape(n_classes, starts[i + 1] - starts[i])
