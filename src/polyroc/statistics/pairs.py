"""Pair statistics: K × K matrices θ, row = positive class, and the influence values of Σ W_kr θ_kr.

Every pair metric is a weighted sum of such a matrix, so a statistic offers two things: its matrix,
and, for any weights W, the influence value of each case on the weighted sum. With a in class k, b
in class r and s = column k of the scores:

======================= ================================ ===================
statistic               θ_kr = mean over pairs (a, b) of paper
======================= ================================ ===================
:class:`Ranked`         step(s_a − s_b)                  Van Calster et al. 2008 eq. 1–2
:class:`Scored`         max(s_a − s_b, 0)                Van Calster et al. 2008 eq. 5–6
:class:`Probabilistic`  ½ + ½ (s_a − s_b)                Van Calster et al. 2008 eq. 3–4
======================= ================================ ===================

One sort per column serves the first two for all r: O(K n log n) in all, threads over columns.
The influence value of case i in class c is φ_i = n_c ∂(Σ W θ)/∂w_i at fixed W: its own mean credit
over the pairs that it takes part in, less the average of its class.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from polyroc.options import check_choice
from polyroc.predictions import Predictions
from polyroc.statistics.columns import Column
from polyroc.statistics.means import centre_by_class, class_means, mean_influence
from polyroc.sums import sum_by_class
from polyroc.threads import map_threads
from polyroc.typing import Float64Array, Ties


def tie_credit(ties: Ties) -> float:
    """What a tied pair counts."""
    credits = {"fair": 0.5, "strict": 0.0, "lenient": 1.0}
    check_choice(ties, "ties", tuple(credits))
    return credits[ties]


MOST_KEPT_SCORES = 1 << 26
"""Columns stay sorted in memory between metrics up to so many scores (about 1 GB)."""

SHORT_COLUMN = 1 << 15
"""Columns below this length are not worth a thread (measured with 300 columns of 20,000)."""


class PairStatistic(Protocol):
    """A K × K matrix of pair values and the influence of weighted sums over it."""

    def matrix(self, predictions: Predictions) -> Float64Array:
        """θ, with NaN on the diagonal."""

    def influence(self, predictions: Predictions, weights: Float64Array) -> Float64Array:
        """φ of Σ W_kr θ_kr for each case."""


@dataclass(frozen=True)
class Ranked:
    """step(s_a − s_b): how often the positive case is ranked first."""

    ties: Ties = "fair"

    def matrix(self, predictions: Predictions) -> Float64Array:
        """AUC(k|r)."""
        sums = predictions.derived(pair_sums)
        return mean_over_pairs(predictions, sums.above + tie_credit(self.ties) * sums.tied)

    def influence(self, predictions: Predictions, weights: Float64Array) -> Float64Array:
        """From the placements of each case in each column."""
        totals, credit = predictions.class_weights, tie_credit(self.ties)

        def of_column(k: int) -> Float64Array:
            return ranked_influence(column_of(predictions, k), _row(weights, k), totals, credit)

        return _summed(predictions, of_column)


def ranked_influence(
    column: Column, row: Float64Array, totals: Float64Array, credit: float
) -> Float64Array:
    """Mean credit of each case in one column, times the weight W of its pair.

    ``row`` holds W_kr for each class r, 0 for that of the positives; ``totals`` the weights of the
    classes.
    """
    influence = np.empty(len(column.scores))
    for ranks in column.ranks():
        factor = (row / column.weight)[ranks.codes]
        influence[ranks.cases] = factor * column.placed(ranks, credit)
    below, upto = column.sums_below(row / totals)
    influence[column.members] = (1 - credit) * below + credit * upto
    return influence


@dataclass(frozen=True)
class Scored:
    """max(s_a − s_b, 0): how far the positive case is ahead."""

    def matrix(self, predictions: Predictions) -> Float64Array:
        """sAUC(k|r)."""
        return mean_over_pairs(predictions, predictions.derived(pair_sums).excess)

    def influence(self, predictions: Predictions, weights: Float64Array) -> Float64Array:
        """From the sums of the scores above and below each case."""

        def of_column(k: int) -> Float64Array:
            column, row = column_of(predictions, k), _row(weights, k)
            return _scored_influence(column, row, predictions.class_weights)

        return _summed(predictions, of_column)


def _scored_influence(column: Column, row: Float64Array, totals: Float64Array) -> Float64Array:
    influence = np.empty(len(column.scores))
    for ranks in column.ranks():
        influence[ranks.cases] = (row / column.weight)[ranks.codes] * column.excess(ranks)
    weight_below, _ = column.sums_below(row / totals)
    score_below, _ = column.sums_below(row / totals, scored=True)
    influence[column.members] = column.scores[column.members] * weight_below - score_below
    return influence


@dataclass(frozen=True)
class Probabilistic:
    """½ + ½ (s_a − s_b): the difference of the class means."""

    def matrix(self, predictions: Predictions) -> Float64Array:
        """pAUC(k|r)."""
        means = class_means(predictions)
        return blank_diagonal(0.5 + 0.5 * (np.diag(means)[:, None] - means.T))

    def influence(self, predictions: Predictions, weights: Float64Array) -> Float64Array:
        """Linear in the means."""
        pull = -0.5 * np.where(np.eye(len(weights), dtype=bool), 0, weights).T
        np.fill_diagonal(pull, -pull.sum(axis=0))
        return mean_influence(predictions, predictions.scores, pull)


class PairSums(NamedTuple):
    """Weighted sums over all pairs of a case of class k (row) and one of class r (column)."""

    above: Float64Array
    tied: Float64Array
    excess: Float64Array


def pair_sums(predictions: Predictions) -> PairSums:
    """Pairs ranked right, pairs tied and the summed lead, from one sort per column."""

    def of_column(k: int) -> Float64Array:
        return _column_sums(column_of(predictions, k), predictions.n_classes)

    columns = range(predictions.n_classes)
    above, tied, excess = np.stack(
        map_threads(of_column, columns, column_threads(predictions)), axis=1
    )
    return PairSums(above, tied, excess)


def _column_sums(column: Column, n_classes: int) -> Float64Array:
    """Rows: above, tied, excess of the column's positives over the cases of each class."""
    sums = np.zeros((3, n_classes))
    # Without weights the first two are whole numbers, exact in any order.
    adders = (np.bincount if column.weights is None else sum_by_class,) * 2 + (sum_by_class,)
    with np.errstate(over="ignore", invalid="ignore"):  # the excess of unbounded scores: not used
        for ranks in column.anonymous_ranks():
            values = (column.above(ranks), column.tied(ranks), column.excess(ranks))
            for total, value, add in zip(sums, values, adders, strict=True):
                if column.weights is not None:
                    value = value * column.weights[ranks.cases]
                total += add(ranks.codes, value, n_classes)
    return sums


def mean_over_pairs(predictions: Predictions, sums: Float64Array) -> Float64Array:
    """Sums over pairs divided by the weight of the pairs, NaN on the diagonal."""
    totals = predictions.class_weights
    return blank_diagonal(sums / np.outer(totals, totals))


def blank_diagonal(matrix: Float64Array) -> Float64Array:
    """The matrix with NaN on its diagonal, in place."""
    np.fill_diagonal(matrix, np.nan)
    return matrix


def column_of(predictions: Predictions, k: int) -> Column:
    """Column k of the scores, the cases of class k positive: the one kept, or a new one."""
    kept = predictions.derived(_shelf).get(k)
    if kept is not None:
        return kept
    scores = np.ascontiguousarray(predictions.scores[:, k])
    return Column(scores, predictions.codes, k, predictions.weights)


def keep_columns(predictions: Predictions) -> None:
    """Keep the sorted columns, where memory allows, for what else will ask for them."""
    shelf = predictions.derived(_shelf)
    if predictions.scores.size <= MOST_KEPT_SCORES and not shelf:
        shelf.update({k: column_of(predictions, k) for k in range(predictions.n_classes)})


def column_threads(predictions: Predictions) -> int | None:
    """Threads for work on columns: one where they are so short that threads wait for each other."""
    return predictions.n_threads if len(predictions) >= SHORT_COLUMN else 1


def _shelf(_: Predictions) -> dict[int, Column]:
    return {}


def _row(weights: Float64Array, k: int) -> Float64Array:
    """Row k of the weights, without its own class."""
    return np.where(np.arange(len(weights)) == k, 0, weights[k])


def _summed(predictions: Predictions, of_column: Callable[[int], Float64Array]) -> Float64Array:
    keep_columns(predictions)
    columns = range(predictions.n_classes)
    total = np.zeros(len(predictions))
    for part in map_threads(of_column, columns, column_threads(predictions)):
        total += part
    return centre_by_class(predictions, total)
