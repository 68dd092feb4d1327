"""Sums over pairs of cases of two classes, ranked by the column of the first class.

With a in class k, b in class r and s = column k of the scores:

=================== ================================ =================================
``Pairs``           mean over pairs (a, b) of        paper
=================== ================================ =================================
``auc()``           step(s_a − s_b)                  Van Calster et al. 2008 eq. 1–2
``scored_auc()``    max(s_a − s_b, 0)                Van Calster et al. 2008 eq. 5–6
=================== ================================ =================================

One sort per column serves all r: O(K n log n) in all, threads over columns.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import check_choice
from polyroc._base.parallel import each_of_threads, map_threads
from polyroc._base.sums import running_sum, sum_by_class
from polyroc.predictions import Predictions
from polyroc.predictions._columns import FEW_POSITIVES, Column, add_to_cells
from polyroc.statistics import many_columns
from polyroc.statistics.long_tables import carried_pairs, is_long, sums_of_columns
from polyroc.statistics.many_columns import column_influences, column_sums
from polyroc.statistics.means import centred_by_class
from polyroc.statistics.mixture import Carried, MixedColumn, Mixture
from polyroc.statistics.short_tables import carried_together, counted_pairs, is_short, mixed_pairs
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, Ties

Made = TypeVar("Made")

SHORT_COLUMN = 1 << 15
"""Columns below this length are not worth a thread (measured with 300 columns of 20,000)."""


def tie_credit(ties: Ties) -> float:
    """What a tied pair counts."""
    credits = {"fair": 0.5, "strict": 0.0, "lenient": 1.0}
    check_choice(ties, "ties", tuple(credits))
    return credits[ties]


class PairGradient(NamedTuple):
    """Derivative of a metric by AUC(k|r), ties counting ``credit``, or by sAUC(k|r)."""

    matrix: Float64Array
    credit: float | None
    """None: the derivative is by sAUC(k|r)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs(Statistic):
    """Weighted sums over all pairs of a case of class k (row) and one of class r (column).

    Pairs of one class, on the diagonal, count nowhere.
    """

    above: Float64Array
    """Pairs in which the case of class k has the higher score for k."""
    tied: Float64Array
    """Pairs with equal scores."""
    excess: Float64Array
    """Sum of s_a − s_b over the pairs above; NaN where nobody asked for it."""
    summed_pairs: Float64Array | None = None
    """Weight of the pairs of each two classes, where not all pairs were formed."""
    placed: "tuple[Placed, ...] | None" = None
    """Placements in each column, ties counting half, where they were found along."""

    @classmethod
    def of(cls, predictions: Predictions, scored: bool = False) -> Self:
        """One sort per column; the excess only where ``scored``."""
        n_classes = predictions.n_classes

        def of_column(k: int) -> Float64Array:
            return _column_sums(predictions.column(k), n_classes, scored)

        excess = np.full((n_classes, n_classes), np.nan)
        if not scored and is_short(predictions) and not predictions.keeps_columns:
            above, tied = counted_pairs(predictions)
        elif not scored and _is_mirrored(predictions):
            above, tied = (_mirrored(sums) for sums in of_column(1))
        elif scored and is_long(predictions):  # counts alone take NumPy no longer, and less memory
            above, tied, excess = sums_of_columns(predictions)
        elif n_classes >= many_columns.MANY_CLASSES:
            above, tied, excess = (*column_sums(predictions, scored), excess)[:3]
        else:
            n_threads = column_threads(predictions)
            made = np.stack(map_threads(of_column, range(n_classes), n_threads), axis=1)
            above, tied, excess = (*made, excess)[:3]
        return cls._of_sums(predictions, above, tied, excess)

    @classmethod
    def _of_sums(
        cls,
        predictions: Predictions,
        above: Float64Array,
        tied: Float64Array,
        excess: Float64Array,
        placed: "tuple[Placed, ...] | None" = None,
    ) -> Self:
        return cls(
            classes=predictions.classes,
            weights=predictions.class_weights,
            above=above,
            tied=tied,
            excess=excess,
            placed=placed,
        )

    @classmethod
    def of_carried(cls, predictions: Predictions, **options: Any) -> Self:
        """Where cases are counted, the placements of all of them are found along.

        Of two classes one column is enough for both, or for those that ask for influence values.
        """
        if is_short(predictions):
            return cls.of(predictions, **options)
        if predictions.n_classes > 2 and is_long(predictions, carried=True):
            return cls._of_sums(predictions, *sums_of_columns(predictions))
        many = predictions.n_classes >= many_columns.MANY_CLASSES
        if many or predictions.n_classes == 2 or predictions.weights is not None:
            return cls.of(predictions, **options)

        def of_column(k: int) -> tuple[Float64Array, Placed]:
            column = predictions.column(k)
            with column.remembered_ranks():
                return _counted(column, predictions.class_weights, **options)

        n_threads = column_threads(predictions)
        sums, placed = zip(
            *map_threads(of_column, range(predictions.n_classes), n_threads), strict=True
        )
        above, tied, excess = np.stack(sums, axis=1)
        return cls._of_sums(predictions, above, tied, excess, placed)

    @staticmethod
    def keep_columns(predictions: Predictions, scored: bool = False) -> None:
        """Keep sorted columns for influence values; those of many classes are never sorted.

        Those of short tables are sorted together, unless leads are ``scored``.
        """
        if is_short(predictions) and not scored:
            _ = predictions.side_by_side
        elif predictions.n_classes < many_columns.MANY_CLASSES:
            predictions.keep_columns()

    def __add__(self, other: "Pairs") -> "Pairs":
        """Pairs formed within either set of cases, such as a fold: none joins a case of each."""
        return Pairs(
            classes=self.classes,
            weights=self.weights + other.weights,
            above=self.above + other.above,
            tied=self.tied + other.tied,
            excess=self.excess + other.excess,
            summed_pairs=self.n_pairs + other.n_pairs,
        )

    def auc(self, ties: Ties = "fair") -> Float64Array:
        """AUC(k|r), NaN on the diagonal."""
        return self._mean(self.above + tie_credit(ties) * self.tied)

    def scored_auc(self) -> Float64Array:
        """sAUC(k|r), NaN on the diagonal."""
        return self._mean(self.excess)

    @property
    def n_pairs(self) -> Float64Array:
        """Weight of the pairs of each two classes."""
        if self.summed_pairs is not None:
            return self.summed_pairs
        return np.outer(self.weights, self.weights)

    def _mean(self, sums: Float64Array) -> Float64Array:
        return blank_diagonal(sums / self.n_pairs)

    def carry(
        self, predictions: Predictions, gradients: Sequence[PairGradient]
    ) -> list[Float64Array]:
        """From the placements of each case in each column."""

        def of_credit(some: list[PairGradient], credit: float | None) -> list[Float64Array]:
            if credit is None:
                return self._by_column(predictions, some)
            return [each.own for each in carried_together(predictions, _slopes(some), credit)]

        if is_short(predictions):
            return centred_by_class(predictions, _by_credit(gradients, of_credit))
        return centred_by_class(predictions, self._by_column(predictions, gradients))

    def _by_column(
        self, predictions: Predictions, gradients: Sequence[PairGradient]
    ) -> list[Float64Array]:
        """Influence values before they are centred, from one column after the other."""
        if self.n_classes >= many_columns.MANY_CLASSES:
            return [each.own for each in self._by_blocks(predictions, gradients)]
        predictions.keep_columns()
        if is_long(predictions, carried=True):
            return _carried_along(predictions, gradients)

        def of_column(k: int) -> list[Float64Array]:
            column, fair = predictions.column(k), None if self.placed is None else self.placed[k]
            if fair is not None and all(each.credit == 0.5 for each in gradients):
                return _carried(column, gradients, self.weights, fair)
            with column.remembered_ranks():
                return _carried(column, gradients, self.weights, fair)

        totals = [np.zeros(len(predictions)) for _ in gradients]
        columns, n_threads = _columns_that_count(gradients), column_threads(predictions)
        for parts in each_of_threads(of_column, columns, n_threads):
            for total, part in zip(totals, parts, strict=True):
                total += part
        return totals

    @classmethod
    def of_mixture(cls, mixture: Mixture, scored: bool = False, **options: Any) -> Self:
        """One sort per column, in which the pool is once."""
        del options
        if not scored and is_short(mixture.predictions):
            above, tied, *leads = mixed_pairs(mixture)
        elif mixture.n_classes >= many_columns.MANY_CLASSES:
            above, tied, *leads = column_sums(mixture, scored)
        elif mixture.predictions.one_column and not scored:
            (sums,) = mixed_columns(mixture, MixedColumn.sums, (1,))
            above, tied, *leads = map(_mirrored, sums)
        else:
            made = mixed_columns(mixture, lambda column: column.sums(scored))
            above, tied, *leads = np.stack(list(made), axis=1)
        excess = leads[0] if scored else np.full_like(above, np.nan)
        classes, weights = mixture.predictions.classes, mixture.class_weights
        return cls(classes=classes, weights=weights, above=above, tied=tied, excess=excess)

    def carry_mixture(
        self, mixture: Mixture, gradients: Sequence[PairGradient]
    ) -> list[Float64Array]:
        """From the placements of each case and each row of the pool in each column."""

        def of_credit(some: list[PairGradient], credit: float | None) -> list[Carried]:
            if credit is None:
                return self._mixed_by_column(mixture, some)
            return carried_together(mixture, _slopes(some), credit)

        if is_short(mixture.predictions):
            found = _by_credit(gradients, of_credit)
        else:
            found = self._mixed_by_column(mixture, gradients)
        return [mixture.centred(each) for each in found]

    def _mixed_by_column(
        self, mixture: Mixture, gradients: Sequence[PairGradient]
    ) -> list[Carried]:
        """The same before they are centred, from one column after the other."""
        if self.n_classes >= many_columns.MANY_CLASSES:
            return self._by_blocks(mixture, gradients)

        def of_column(mixed: MixedColumn) -> list[Carried]:
            rows = [each.matrix[mixed.column.k].copy() for each in gradients]
            for row in rows:
                row[mixed.column.k] = 0
            return [
                mixed.scored(row, self.weights)
                if each.credit is None
                else mixed.ranked(row, self.weights, each.credit)
                for row, each in zip(rows, gradients, strict=True)
            ]

        totals = [mixture.nothing() for _ in gradients]
        for parts in mixed_columns(mixture, of_column, _columns_that_count(gradients)):
            for total, part in zip(totals, parts, strict=True):
                total.add(part)
        return totals

    def _by_blocks(
        self, cases: Predictions | Mixture, gradients: Sequence[PairGradient]
    ) -> list[Carried]:
        """Influence values of many classes, before they are centred."""
        credits = [each.credit for each in gradients]
        return column_influences(cases, [each.matrix for each in gradients], credits, self.weights)


def _by_credit(
    gradients: Sequence[PairGradient],
    work: Callable[[list[PairGradient], float | None], list[Made]],
) -> list[Made]:
    """What some work makes of the gradients of each credit, in the order of the gradients."""
    some = {
        each.credit: [one for one in gradients if one.credit == each.credit] for each in gradients
    }
    made = {credit: iter(work(each, credit)) for credit, each in some.items()}
    return [next(made[each.credit]) for each in gradients]


def _slopes(gradients: Sequence[PairGradient]) -> Float64Array:
    """Derivatives (G, K, K)."""
    return np.stack([each.matrix for each in gradients])


def _carried_along(
    predictions: Predictions, gradients: Sequence[PairGradient]
) -> list[Float64Array]:
    """Influence values of long tables, those of one credit and of leads in one pass."""
    columns, found = _columns_that_count(gradients), [np.empty(0)] * len(gradients)
    leads = [place for place, each in enumerate(gradients) if each.credit is None]
    credits = {each.credit for each in gradients if each.credit is not None}
    for credit in sorted(credits) or [0.5]:
        ranked = [place for place, each in enumerate(gradients) if each.credit == credit]
        rows = np.stack([gradients[place].matrix for place in ranked + leads], axis=2)
        rows[np.arange(len(rows)), np.arange(len(rows))] = 0
        made = carried_pairs(predictions, columns, rows, credit, len(ranked))
        for place, values in zip(ranked + leads, made.T, strict=True):
            found[place] = values
        leads = []
    return found


def _columns_that_count(gradients: Sequence[PairGradient]) -> list[int]:
    """Columns in which the derivative by some AUC(k|r) is not 0."""
    rows = np.logical_or.reduce([each.matrix != 0 for each in gradients])
    np.fill_diagonal(rows, False)
    return [int(k) for k in np.flatnonzero(rows.any(axis=1))]


def mixed_columns(
    mixture: Mixture, work: Callable[[MixedColumn], Made], columns: Sequence[int] | None = None
) -> Iterator[Made]:
    """What some work on columns of a mixture, by default all of them, makes, in order."""

    def of_column(k: int) -> Made:
        mixed = mixture.column(k)
        with mixed.remembered():
            return work(mixed)

    columns = range(mixture.n_classes) if columns is None else columns
    return each_of_threads(of_column, columns, column_threads(mixture.predictions))


class Placed(NamedTuple):
    """Placements in the column of class k, from which AUC(k|r) follows for several r."""

    members: NDArray[np.intp]
    """The cases of class k."""
    positives: Float64Array
    """Share of class r (columns) below each of them (rows); ties count a credit."""
    negatives: Float64Array
    """Share of class k above each case."""


def placements(column: Column, totals: Float64Array, classes: slice, credit: float = 0.5) -> Placed:
    """Of every case in one column: those of a positive among the cases of each of some classes."""
    below = column.class_weights_below(classes, credit)
    return _placed(column, below / totals[classes], credit)


def _placed(column: Column, positives: Float64Array, credit: float) -> Placed:
    """The placements of positives with those of all cases among the positives."""
    negatives = np.empty(len(column.scores))
    for ranks in column.ranks():
        negatives[ranks.cases] = column.placed(ranks, credit)
    negatives /= column.weight
    return Placed(column.members, positives, negatives)


def own_placements(column: Column, totals: Float64Array) -> Float64Array:
    """Share of its own class below each case of a column, ties counting half."""
    scores, codes = column.scores, column.codes
    order = np.lexsort((scores, codes))
    scores, codes = scores[order], codes[order]
    new = (codes[1:] != codes[:-1]) | (scores[1:] != scores[:-1])
    first = np.concatenate(([0], np.flatnonzero(new) + 1))
    weights = np.ones(len(order)) if column.weights is None else column.weights[order]
    running = running_sum(weights)
    below, upto = running[first], running[np.append(first[1:], len(order))]
    start = running[np.searchsorted(codes, codes[first])]
    shares = ((below + upto) / 2 - start) / totals[codes[first]]
    own = np.empty(len(order))
    own[order] = np.repeat(shares, np.diff(first, append=len(order)))
    return own


def column_threads(predictions: Predictions) -> int | None:
    """Threads for work on columns: one where they are so short that threads wait for each other."""
    return predictions.n_threads if len(predictions) >= SHORT_COLUMN else 1


def _is_mirrored(predictions: Predictions) -> bool:
    """Whether the first of two columns is known to rank the cases as the second one, reversed."""
    if predictions.n_classes != 2 or predictions.weights is not None:
        return False
    if predictions.one_column:
        return True
    second = predictions.column(1)
    sorted_anyway = second.kept and second.n_positives > FEW_POSITIVES
    return sorted_anyway and second.is_reversed(predictions.scores[:, 0])


def _mirrored(second: Float64Array) -> Float64Array:
    """Sums of both columns from those of the second class; no pair is of one class."""
    return np.array([[0.0, second[0]], [second[0], 0.0]])


def _column_sums(column: Column, n_classes: int, scored: bool) -> Float64Array:
    """Rows: above, tied, excess of the column's positives over the cases of each class.

    Without the last where it is not asked for.
    """
    parts = (column.above, column.tied, column.excess)[: 3 if scored else 2]
    sums = np.zeros((len(parts), n_classes))
    # Without weights the first two are whole numbers, exact in any order.
    adders = (np.bincount if column.weights is None else sum_by_class,) * 2 + (sum_by_class,)
    for ranks in column.anonymous_ranks():
        for total, part, add in zip(sums, parts, adders, strict=False):
            value = part(ranks)
            if column.weights is not None:
                value = value * column.weights[ranks.cases]
            total += add(ranks.codes, value, n_classes)
    return sums


def _counted(
    column: Column, totals: Float64Array, scored: bool = False
) -> tuple[Float64Array, Placed]:
    """Above, tied and excess of the column's positives over each class, and the placements.

    Numbers of cases are exact in any order: the sums of placements are those of pairs.
    """
    n_classes = len(totals)
    tied, excess = np.zeros(n_classes), np.full(n_classes, 0.0 if scored else np.nan)
    for ranks in column.ranks():
        level = np.flatnonzero(ranks.left != ranks.right)
        number = ranks.right[level] - ranks.left[level]
        tied += np.bincount(ranks.codes[level], number, n_classes)
        if scored:
            excess += sum_by_class(ranks.codes, column.excess(ranks), n_classes)
    below = column.class_weights_below(slice(0, n_classes), 0.5)
    sums = np.array([below.sum(axis=0) - tied / 2, tied, excess])
    return sums, _placed(column, np.divide(below, totals, out=below), 0.5)


def _carried(
    column: Column,
    gradients: Sequence[PairGradient],
    totals: Float64Array,
    fair: Placed | None,
) -> list[Float64Array]:
    """Influence values through one column, for each gradient."""
    others, every = np.arange(len(totals)) != column.k, slice(0, len(totals))
    placed = {} if fair is None else {0.5: fair}
    found = []
    for each in gradients:
        row = np.where(others, each.matrix[column.k], 0)
        if each.credit is None:
            found.append(_carried_leads(column, row, totals))
            continue
        if each.credit not in placed:
            placed[each.credit] = placements(column, totals, every, each.credit)
        found.append(carried_along(column, row, placed[each.credit]))
    return found


def carried_along(column: Column, row: Float64Array, placed: Placed) -> Float64Array:
    """Placements of each case in one column, times the weight W of its pair.

    The row holds W_kr for each class r, 0 for that of the positives.
    """
    influence = np.take(row, column.codes)
    influence *= placed.negatives
    influence[placed.members] = np.einsum("jr,r->j", placed.positives, row)
    return influence


def _carried_leads(column: Column, row: Float64Array, totals: Float64Array) -> Float64Array:
    """The same with how far a positive is above a case in the place of whether it is."""
    influence, below = np.empty(len(column.scores)), np.zeros((2, column.n_positives + 1))
    lost, won = row / column.weight, row / totals
    for ranks in column.ranks():
        influence[ranks.cases] = np.take(lost, ranks.codes) * column.excess(ranks)
        shares = np.take(won, ranks.codes)
        if column.weights is not None:
            shares *= column.weights[ranks.cases]
        add_to_cells(below[0], ranks.right, shares)
        add_to_cells(below[1], ranks.right, shares * ranks.scores)
    weights, scores = (running_sum(each)[1:-1] for each in below)
    influence[column.members] = column.scores[column.members] * weights - scores
    return influence


def blank_diagonal(matrix: Float64Array) -> Float64Array:
    """The matrix with NaN on its diagonal, in place."""
    np.fill_diagonal(matrix, np.nan)
    return matrix
