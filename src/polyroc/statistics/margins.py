"""The pair statistic of AUC_mu (Kleiman & Page 2019): a pair compared along one direction.

Row i of a partition matrix A holds what it costs to name class i, by true class. The cases of
classes i and j are ranked by their margin Σ_c (A_jc − A_ic) p_c; the orientation function of the
paper has the sign of the difference of two margins, because v · (e_i − e_j) = −(A_ij + A_ji) is
never positive. For the argmax partition A = 1 − I the margin is p_i − p_j.

Only the n_i + n_j cases of a pair are sorted: O(K n log n) in all. Which margins are equal is
decided by the rule of :mod:`polyroc._base.ties`. Most data have no margins that are close but
different: a pair is counted as if only equal margins were tied, in the same pass it is seen whether
any are close, and only if so the runs are formed and the pair is counted again. Margins from 2¹⁰²²
on, which may be larger than a float can be, are rounded by three more bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import map_threads
from polyroc._base.ties import SLACK, any_close, as_written, merged, runs_by_size, slack_between
from polyroc.predictions import Predictions
from polyroc.predictions._columns import FEW_POSITIVES, Column
from polyroc.predictions._weights import moderate
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.pairs import blank_diagonal, ranked_influences, tie_credit
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, FloatArray, Ties

if TYPE_CHECKING:
    from polyroc.kernels.margins import Table

MANY_CLASSES = 24
"""From here on there are so many small pairs that a compiled merge pays for its loading."""

FEW_CASES = 5_000
"""A class: up to here the calls of NumPy for each pair cost more than its sorting."""

FEW_MARGINS = 50_000
"""Up to here threads cost more than they save."""

SHARES = 8
"""Parts of the classes that threads work on, each with sums of its own."""

Partition = tuple[tuple[float, ...], ...]

LARGE_MARGIN = 2.0**1022
"""From here on margins are squeezed, since a difference of two scores may reach 2¹⁰²⁵."""


class MarginGradient(NamedTuple):
    """Derivative of a metric by θ_ij, both entries of a pair added up; a tie counts ``credit``."""

    matrix: Float64Array
    credit: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Margins(Statistic):
    """Weighted sums over all pairs of a case of class i and one of class j, for i < j.

    Above are the pairs in which the case of i has the greater margin towards i.
    """

    above: Float64Array
    tied: Float64Array
    partition: Partition | None = None

    @classmethod
    def of(cls, predictions: Predictions, partition: Partition | None = None) -> Self:
        """The n_i + n_j cases of each pair are sorted by their margins."""
        above, tied = _margin_sums(predictions, partition)
        return cls(
            classes=predictions.classes,
            weights=predictions.class_weights,
            above=above,
            tied=tied,
            partition=partition,
        )

    def auc(self, ties: Ties = "fair") -> Float64Array:
        """θ_ij = θ_ji: how often a case of i has the greater margin towards i than one of j."""
        sums = self.above + tie_credit(ties) * self.tied
        upper = np.triu(sums / np.outer(self.weights, self.weights), 1)
        return blank_diagonal(upper + upper.T)

    def carry(
        self, predictions: Predictions, gradients: Sequence[MarginGradient]
    ) -> list[Float64Array]:
        """From the placements of each case in the margins of each pair."""
        directed, members = Directed.of(predictions, self.partition), predictions.members
        pulls = [np.triu(each.matrix + each.matrix.T, 1) for each in gradients]
        if predictions.n_classes >= MANY_CLASSES:
            found = [
                _placed(predictions, directed, pull, each.credit)
                for pull, each in zip(pulls, gradients, strict=True)
            ]
            return [centre_by_class(predictions, total) for total in found]
        pairs = list(combinations(range(predictions.n_classes), 2))

        def of_pair(pair: tuple[int, int]) -> list[Float64Array]:
            column = _pair_column(predictions, directed, pair)
            both = self.weights[[pair[1], pair[0]]]
            with column.remembered_ranks():
                return [
                    ranked_influences(column, [np.array([pull[pair], 0.0])], both, each.credit)[0]
                    for pull, each in zip(pulls, gradients, strict=True)
                ]

        totals = [np.zeros(len(predictions)) for _ in gradients]
        placed = map_threads(of_pair, pairs, predictions.n_threads)
        for (i, j), parts in zip(pairs, placed, strict=True):
            for total, part in zip(totals, parts, strict=True):
                total[members[i]] += part[: len(members[i])]
                total[members[j]] += part[len(members[i]) :]
        return [centre_by_class(predictions, total) for total in totals]


@dataclass(frozen=True)
class Directed:
    """Scores, and the direction in which each pair of classes is compared."""

    scores: FloatArray
    partition: Float64Array | None = None

    @classmethod
    def of(cls, predictions: Predictions, partition: Partition | None) -> "Directed":
        """Scores of a moderate size where costs multiply them."""
        if partition is None:
            return cls(as_written(predictions.scores))
        scores = moderate(as_written(predictions.scores).astype(np.float64, copy=False))
        return cls(scores, np.array(partition))

    @property
    def most_slack(self) -> float:
        """No margin has a larger slack; a little more, for the rounding of sums with it."""
        size = max(float(self.scores.max()), -float(self.scores.min()))
        return 1.01 * SLACK * size * (1 if self.partition is None else self.partition.max())

    @property
    def least_slack(self) -> float:
        """The least slack of a margin, relative to its size: it is a sum of so many terms."""
        return SLACK / (2 if self.partition is None else len(self.partition))

    def margins(self, cases: NDArray[np.intp], i: int, j: int) -> Float64Array:
        """Margins of some cases towards class i and away from class j."""
        if self.partition is None:
            return margins_of(self.scores[cases, i], self.scores[cases, j])
        costs = self.partition[j] - self.partition[i]
        differ = np.flatnonzero(costs)
        # Along memory, so that equal rows have equal sums to the last bit.
        terms = np.ascontiguousarray(self.scores[np.ix_(cases, differ)] * costs[differ])
        return np.asarray(terms.sum(axis=1))

    def slacks(self, cases: NDArray[np.intp], i: int, j: int) -> Float64Array:
        """Slack of each of these margins."""
        if self.partition is None:
            return slack_between(self.scores[cases, i], self.scores[cases, j])
        costs = np.maximum(self.partition[i], self.partition[j])
        differ = np.flatnonzero(self.partition[i] != self.partition[j])
        sizes = (np.abs(self.scores[np.ix_(cases, differ)]) * costs[differ]).max(axis=1)
        return np.where(self.margins(cases, i, j) == 0, 0.0, SLACK * sizes)

    def merged(self, cases: NDArray[np.intp], i: int, j: int) -> Float64Array:
        """Margins of some cases, those that are tied made equal."""
        return merged(self.margins(cases, i, j), self.slacks(cases, i, j))


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


def _placed(
    predictions: Predictions, directed: Directed, pull: Float64Array, credit: float
) -> Float64Array:
    """Mean credit of each case in all its pairs, by compiled loops over the pairs.

    The classes are shared out in the same way for every number of threads.
    """
    from polyroc.kernels.margins import place_pairs

    n_classes, table = predictions.n_classes, _table(predictions, directed)

    def of_share(share: int) -> Float64Array:
        influence = np.zeros(len(predictions))
        for i in range(share, n_classes - 1, SHARES):
            place_pairs(table, i, pull[i], credit, influence)
        return influence

    parts = map_threads(of_share, range(SHARES), predictions.n_threads)
    return np.asarray(np.sum(parts, axis=0))


def _table(predictions: Predictions, directed: Directed) -> "Table":
    """What the compiled loops over pairs need."""
    from polyroc.kernels.margins import Table

    return Table(
        directed.scores,
        predictions.case_weights,
        np.concatenate(predictions.members).astype(np.int64),
        np.concatenate(([0], np.cumsum(predictions.class_counts))).astype(np.int64),
        np.empty((0, 0)) if directed.partition is None else directed.partition,
        SLACK,
        LARGE_MARGIN,
    )


def _weighed(predictions: Predictions, directed: Directed) -> tuple[Float64Array, Float64Array]:
    """Weight of the pairs above and tied, by compiled loops over the pairs."""
    from polyroc.kernels.margins import weigh_pairs

    table = _table(predictions, directed)
    above, tied = np.zeros((2, predictions.n_classes, predictions.n_classes))

    def of_class(i: int) -> None:
        weigh_pairs(table, i, above[i], tied[i])

    map_threads(of_class, range(predictions.n_classes - 1), predictions.n_threads)
    return above, tied


def _margin_sums(
    predictions: Predictions, partition: Partition | None
) -> tuple[Float64Array, Float64Array]:
    """Weight of the pairs above and of the pairs tied, for i < j."""
    directed = Directed.of(predictions, partition)
    few = len(predictions) <= FEW_CASES * predictions.n_classes
    if predictions.weights is None and (few or predictions.n_classes >= MANY_CLASSES):
        return _by_merging(predictions, directed)
    if predictions.n_classes >= MANY_CLASSES:
        return _weighed(predictions, directed)
    above, tied = np.zeros((2, predictions.n_classes, predictions.n_classes))
    pairs = list(combinations(range(predictions.n_classes), 2))
    most_slack = directed.most_slack

    def of_pair(pair: tuple[int, int]) -> tuple[float, float]:
        column = _pair_column(predictions, directed, pair, as_computed=True)
        if column.weights is None and column.n_positives > FEW_POSITIVES:
            if (totals := _totals_unless_close(column, most_slack)) is not None:
                return totals
            own, other = np.split(column.scores, [column.n_positives])
            return _counted_runs(predictions, directed, pair, np.sort(own), np.sort(other))
        return _totals(_pair_column(predictions, directed, pair))

    sums = map_threads(of_pair, pairs, predictions.n_threads)
    for pair, totals in zip(pairs, sums, strict=True):
        above[pair], tied[pair] = totals
    return above, tied


def _totals_unless_close(column: Column, slack: float) -> tuple[float, float] | None:
    """Pairs above and tied; none if two margins are different but no further apart than a slack.

    The margins of many positives come in ascending order, in blocks.
    """
    above = tied = 0.0
    last = np.full(1, -np.inf)
    for ranks in column.anonymous_ranks():
        if any_close(ranks.scores, slack) or ranks.scores[0] - last[0] <= slack:
            return None
        last = ranks.scores[-1:]
        negative = ranks.codes != column.k
        above += float((column.above(ranks) * negative).sum())
        tied += float((column.tied(ranks) * negative).sum())
    return above, tied


def _totals(column: Column) -> tuple[float, float]:
    """Pairs above and tied."""
    above = tied = 0.0
    for ranks in column.anonymous_ranks():
        negative = ranks.codes != column.k
        weights = negative if column.weights is None else negative * column.weights[ranks.cases]
        above += float((column.above(ranks) * weights).sum())
        tied += float((column.tied(ranks) * weights).sum())
    return above, tied


def _pair_column(
    predictions: Predictions, directed: Directed, pair: tuple[int, int], as_computed: bool = False
) -> Column:
    """The margins of the cases of both classes, those of the first positive and in front."""
    members = [predictions.members[k] for k in pair]
    cases = np.concatenate(members)
    margins = (directed.margins if as_computed else directed.merged)(cases, *pair)
    codes = np.repeat(np.array([1, 0], dtype=np.uint8), [len(each) for each in members])
    weights = None if predictions.weights is None else predictions.weights[cases]
    return Column(margins, codes, 1, weights)


def _by_merging(predictions: Predictions, directed: Directed) -> tuple[Float64Array, Float64Array]:
    """Sort all margins of a class in one call, then merge the lists of each pair."""
    n_classes, members = predictions.n_classes, predictions.members
    starts = np.concatenate(([0], np.cumsum(predictions.class_counts))).astype(np.int64)
    margins = np.empty(n_classes * len(predictions))
    above, tied = np.zeros((2, n_classes, n_classes))
    n_threads = 1 if len(margins) <= FEW_MARGINS else predictions.n_threads
    most_slack = directed.most_slack

    def sort_class(i: int) -> None:
        rows = _rows(margins, starts, i)
        if directed.partition is None:
            own = directed.scores[members[i]].T
            rows[:] = margins_of(own[i], own)
        else:
            for j in range(n_classes):
                rows[j] = directed.margins(members[i], i, j)
        rows.sort(axis=1)

    def merge_class(i: int) -> None:
        from polyroc.kernels.merge import merge_pairs

        slacks = directed.least_slack, most_slack
        merge_pairs(margins, starts, i, *slacks, above, tied)
        for j in np.flatnonzero(tied[i] < 0).tolist():
            above[i, j], tied[i, j] = _merged_pair(predictions, directed, (i, j))

    def search_class(i: int) -> None:
        rows = _rows(margins, starts, i)
        for j in range(i + 1, n_classes):
            own, other = rows[j], -_rows(margins, starts, j)[i, ::-1]
            found = _searched(own, other, most_slack)
            if found is None:
                found = _counted_runs(predictions, directed, (i, j), own, other)
            above[i, j], tied[i, j] = found

    merge = merge_class if n_classes >= MANY_CLASSES else search_class
    map_threads(sort_class, range(n_classes), n_threads)
    map_threads(merge, range(n_classes - 1), n_threads)
    return above, tied


Counts = tuple[int, int]
"""Pairs above and pairs tied."""


def _searched(own: Float64Array, other: Float64Array, slack: float) -> Counts | None:
    """Counts of two sorted lists; none if two are different but no further apart than a slack.

    A run of different margins of both classes has two of different classes side by side.
    """
    below = other.searchsorted(own - slack).sum()
    upto = other.searchsorted(own + slack, "right").sum()
    if below == upto:
        return below, 0
    equal = _counts(own, other)
    return equal if equal == (below, upto - below) else None


def _counted_runs(
    predictions: Predictions,
    directed: Directed,
    pair: tuple[int, int],
    own: Float64Array,
    other: Float64Array,
) -> Counts:
    """Counts of two sorted lists in which margins are close."""
    ascending = np.concatenate([own, other])
    ascending.sort(kind="stable")  # which merges what is sorted
    starts = runs_by_size(ascending, directed.least_slack, directed.most_slack)
    if starts is None:
        return _merged_pair(predictions, directed, pair)
    return _counts(*(starts.searchsorted(each, "right") for each in (own, other)))


def _counts(own: NDArray[Any], other: NDArray[Any]) -> Counts:
    """Counts of two lists, the second sorted; only equal margins are tied."""
    below = other.searchsorted(own).sum()
    return below, other.searchsorted(own, "right").sum() - below


def _merged_pair(predictions: Predictions, directed: Directed, pair: tuple[int, int]) -> Counts:
    """Counts of a pair of classes, margins that are tied made equal first."""
    first, second = (predictions.members[k] for k in pair)
    margins = directed.merged(np.concatenate([first, second]), *pair)
    return _counts(margins[: len(first)], np.sort(margins[len(first) :]))


def _rows(margins: Float64Array, starts: NDArray[np.int64], i: int) -> Float64Array:
    """The margins of class i, a sorted row for each other class."""
    n_classes = len(starts) - 1
    block = margins[n_classes * starts[i] : n_classes * starts[i + 1]]
    return block.reshape(n_classes, starts[i + 1] - starts[i])
