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
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import map_threads
from polyroc._base.ties import any_close, runs_by_size
from polyroc.predictions import Predictions
from polyroc.predictions._columns import FEW_POSITIVES, Column
from polyroc.predictions._weights import shares
from polyroc.statistics.directed import Directed, Partition
from polyroc.statistics.long_tables import is_long
from polyroc.statistics.margin_blocks import Sums, sums_by_blocks, sums_by_pairs
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.mixture import Carried, MixedColumn, Mixture
from polyroc.statistics.pairs import blank_diagonal, carried_along, placements, tie_credit
from polyroc.statistics.short_tables import has_few_margins, ranked_margins
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, Ties

MANY_CLASSES = 24
"""From here on there are so many small pairs that a compiled merge pays for its loading."""

FEW_CASES = 5_000
"""A class: up to here the calls of NumPy for each pair cost more than its sorting."""

FEW_MARGINS = 1 << 20
"""Up to here threads cost more than they save."""


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
    placed: "PlacedMargins | None" = None
    """Influence values that were found along with the sums, if any."""

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

    @classmethod
    def of_carried(
        cls, predictions: Predictions, partition: Partition | None = None, **options: Any
    ) -> Self:
        """In compiled loops, influence values where all pairs count the same are found along."""
        if not _in_loops(predictions):
            return cls.of(predictions, partition, **options)
        return cls._by_blocks(predictions, predictions, partition)

    @classmethod
    def _by_blocks(
        cls, cases: Predictions | Mixture, predictions: Predictions, partition: Partition | None
    ) -> Self:
        """Sums and influence values from one sort."""
        pull = _pull(MarginGradient(equal_pairs(predictions.n_classes), 0.5))
        directed = Directed.of(predictions, partition)
        above, tied, carried = _looped_sums(cases, directed, pull)
        return cls(
            classes=predictions.classes,
            weights=cases.class_weights,
            above=above,
            tied=tied,
            partition=partition,
            placed=PlacedMargins(pull, 0.5, carried),
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
        if _in_loops(predictions):
            found = [self._carried(predictions, predictions, each) for each in gradients]
            return [centre_by_class(predictions, each.own) for each in found]
        directed, members = Directed.of(predictions, self.partition), predictions.members
        pulls = [_pull(each) for each in gradients]
        pairs = list(combinations(range(predictions.n_classes), 2))

        def of_pair(pair: tuple[int, int]) -> list[Float64Array]:
            column = _pair_column(predictions, directed, pair)
            both = self.weights[[pair[1], pair[0]]]
            with column.remembered_ranks():
                return [
                    carried_along(
                        column,
                        np.array([pull[pair], 0.0]),
                        placements(column, both, slice(0, 2), each.credit),
                    )
                    for pull, each in zip(pulls, gradients, strict=True)
                ]

        totals = [np.zeros(len(predictions)) for _ in gradients]
        placed = map_threads(of_pair, pairs, _threads(predictions))
        for (i, j), parts in zip(pairs, placed, strict=True):
            for total, part in zip(totals, parts, strict=True):
                total[members[i]] += part[: len(members[i])]
                total[members[j]] += part[len(members[i]) :]
        return [centre_by_class(predictions, total) for total in totals]

    @classmethod
    def of_mixture(cls, mixture: Mixture, **options: Any) -> Self:
        """The n_i + n_j cases of each pair and the pool are sorted by their margins."""
        predictions, partition = mixture.predictions, options.get("partition")
        if predictions.n_classes >= MANY_CLASSES:
            return cls._by_blocks(mixture, predictions, partition)
        directed = Directed.of(predictions, partition)
        above, tied = np.zeros((2, predictions.n_classes, predictions.n_classes))
        for pair in combinations(range(predictions.n_classes), 2):
            above[pair], tied[pair] = _mixed_pair(mixture, directed, pair).sums()[:, 0]
        return cls(
            classes=predictions.classes,
            weights=mixture.class_weights,
            above=above,
            tied=tied,
            partition=partition,
        )

    def carry_mixture(
        self, mixture: Mixture, gradients: Sequence[MarginGradient]
    ) -> list[Float64Array]:
        """From the placements of each case and each row of the pool."""
        predictions = mixture.predictions
        if mixture.n_classes >= MANY_CLASSES:
            found = [self._carried(mixture, predictions, each) for each in gradients]
            return [mixture.centred(each) for each in found]
        directed = Directed.of(predictions, self.partition)
        totals = [mixture.nothing() for _ in gradients]
        for pair in combinations(range(mixture.n_classes), 2):
            mixed = _mixed_pair(mixture, directed, pair)
            with mixed.remembered():
                for total, each in zip(totals, gradients, strict=True):
                    row = np.array([_pull(each)[pair], 0.0])
                    moved = mixed.ranked(row, self.weights[[pair[1], pair[0]]], each.credit)
                    _add_pair(total, moved, predictions, pair)
        return [mixture.centred(total) for total in totals]

    def _carried(
        self, cases: Predictions | Mixture, predictions: Predictions, gradient: MarginGradient
    ) -> Carried:
        """By blocks of pairs of classes, unless found along with the sums."""
        pull, credit = _pull(gradient), gradient.credit
        if self.placed and self.placed.credit == credit and np.array_equal(self.placed.pull, pull):
            return self.placed.carried
        directed = Directed.of(predictions, self.partition)
        return _looped_sums(cases, directed, pull, credit).carried


def _in_loops(predictions: Predictions) -> bool:
    """Whether influence values are found in compiled loops."""
    return predictions.n_classes >= MANY_CLASSES or is_long(predictions)


def _threads(predictions: Predictions) -> int | None:
    """Threads for work on pairs of classes."""
    n_margins = len(predictions) * predictions.n_classes
    return 1 if n_margins <= FEW_MARGINS else predictions.n_threads


def _looped_sums(
    cases: Predictions | Mixture, directed: Directed, pull: Float64Array, credit: float = 0.5
) -> Sums:
    """Sums and influence values, pair by pair or in blocks of pairs."""
    if isinstance(cases, Predictions) and is_long(cases):
        return sums_by_pairs(cases, directed, pull, credit)
    return sums_by_blocks(cases, directed, pull, credit)


class PlacedMargins(NamedTuple):
    """Influence values, before they are centred, for one weighting of the pairs."""

    pull: Float64Array
    credit: float
    carried: Carried


@lru_cache(maxsize=8)
def equal_pairs(n_classes: int) -> Float64Array:
    """Weights of pairs i < j that all count the same, and sum to 1."""
    weights = shares(np.triu(np.full((n_classes,) * 2, 2.0), 1))
    weights.flags.writeable = False
    return weights


def _pull(gradient: MarginGradient) -> Float64Array:
    """Weights of the pairs i < j."""
    return np.triu(gradient.matrix + gradient.matrix.T, 1)


def _mixed_pair(mixture: Mixture, directed: Directed, pair: tuple[int, int]) -> MixedColumn:
    """Margins of the cases of both classes, the first positive and in front, then of the pool."""
    members = [mixture.predictions.members[k] for k in pair]
    cases, sizes = np.concatenate(members), [*map(len, members), len(mixture.pool)]
    margins = directed.merged(np.concatenate([cases, mixture.pool]), *pair)
    positive, codes = (np.repeat([1, 0, pool], sizes) for pool in (1, 2))
    own, shares = mixture.case_weights[cases], mixture.shares
    column = Column(margins, positive, 1, np.concatenate([own, mixture.added[pair[0]] * shares]))
    added = mixture.added[[pair[1], pair[0]]]
    return MixedColumn(column, codes, np.concatenate([own, shares]), added)


def _add_pair(
    total: Carried, found: Carried, predictions: Predictions, pair: tuple[int, int]
) -> None:
    """Add the values of one pair of classes to those of all cases."""
    first, second = (predictions.members[k] for k in pair)
    total.own[first] += found.own[: len(first)]
    total.own[second] += found.own[len(first) :]
    total.pooled[:, [pair[1], pair[0]]] += found.pooled


def _margin_sums(
    predictions: Predictions, partition: Partition | None
) -> tuple[Float64Array, Float64Array]:
    """Weight of the pairs above and of the pairs tied, for i < j."""
    directed = Directed.of(predictions, partition)
    if is_long(predictions):
        above, tied, _ = sums_by_pairs(predictions, directed)
        return above, tied
    if partition is None and has_few_margins(predictions):
        ranked = ranked_margins(predictions, directed)
        if ranked is not None:
            return ranked, np.zeros_like(ranked)
    few = len(predictions) <= FEW_CASES * predictions.n_classes
    if predictions.weights is None and (few or predictions.n_classes >= MANY_CLASSES):
        return _by_merging(predictions, directed)
    if predictions.n_classes >= MANY_CLASSES:
        above, tied, _ = sums_by_blocks(predictions, directed)
        return above, tied
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

    sums = map_threads(of_pair, pairs, _threads(predictions))
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
    if as_computed:
        margins, order = directed.margins(cases, *pair), None
    else:
        margins, order = directed.ordered(cases, *pair)
    codes = np.repeat(np.array([1, 0], dtype=np.uint8), [len(each) for each in members])
    weights = None if predictions.weights is None else predictions.weights[cases]
    column = Column(margins, codes, 1, weights)
    return column if order is None else column.in_order(order)


def _by_merging(predictions: Predictions, directed: Directed) -> tuple[Float64Array, Float64Array]:
    """Sort all margins of a class in one call, then merge the lists of each pair."""
    n_classes, members = predictions.n_classes, predictions.members
    starts = np.concatenate(([0], np.cumsum(predictions.class_counts))).astype(np.int64)
    margins = np.empty(n_classes * len(predictions))
    above, tied = np.zeros((2, n_classes, n_classes))
    n_threads = _threads(predictions)
    most_slack = directed.most_slack

    of_class = [_rows(margins, starts, i) for i in range(n_classes)]

    def sort_class(i: int) -> None:
        rows = of_class[i]
        if directed.partition is None:
            own = directed.scores[members[i]].T
            rows[:] = directed.between(own[i], own)
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
        own = of_class[i][i + 1 :]
        others = [-of_class[j][i, ::-1] for j in range(i + 1, n_classes)]
        below, upto = _searched(own, others, most_slack)
        above[i, i + 1 :] = below
        for place in np.flatnonzero(below != upto).tolist():  # some are tied, or close
            j, found = i + 1 + place, _counts(own[place], others[place])
            if found != (below[place], upto[place] - below[place]):
                found = _counted_runs(predictions, directed, (i, j), own[place], others[place])
            above[i, j], tied[i, j] = found

    merge = merge_class if n_classes >= MANY_CLASSES else search_class
    map_threads(sort_class, range(n_classes), n_threads)
    map_threads(merge, range(n_classes - 1), n_threads)
    return above, tied


Counts = tuple[int, int]
"""Pairs above and pairs tied."""


def _searched(
    own: Float64Array, others: Sequence[Float64Array], slack: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs clearly above, and those above or no further apart than a slack, of sorted lists.

    Where both are equal, no margins are tied or close: a run of different margins of both classes
    has two of different classes side by side.
    """
    clear, close = own - slack, own + slack
    below, upto = np.empty((2, *own.shape), np.intp)
    for place, other in enumerate(others):
        below[place] = other.searchsorted(clear[place])
        upto[place] = other.searchsorted(close[place], "right")
    return below.sum(axis=1), upto.sum(axis=1)


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
