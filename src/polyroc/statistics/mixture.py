"""Classes that are shrunken towards a pool of cases, without copies of the pool.

Class k keeps the share a_k of its own weight, and what it lost is spread over the pool: a row of
the pool is a case of every class, with the same scores in all of them. So it is ranked once, and
not once per class: a column has n + M rows, for M rows of the pool, where the cases written out
(:meth:`Mixture.written_out`) are n + K M.

Values of cases are followed by those of the pool, class by class: n + K M of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.lazy import lazy_property
from polyroc._base.sums import sum_by_class
from polyroc.predictions import Predictions
from polyroc.predictions._columns import Column, Ranks
from polyroc.predictions._side_by_side import Masses, SideBySide
from polyroc.typing import Float64Array, IntArray

MOST_KEPT_RANKS = 1 << 23
"""Ranks of columns that are kept between values and influence values (about 200 MB)."""


class Pool(NamedTuple):
    """A pool of cases in every column."""

    rows: NDArray[np.intp]
    """(M,) where it has them among the cases, in the order given."""
    shares: Float64Array
    """(K, n) share of each case in the pool."""
    masses: Masses
    """Shares of the pool below each case, and level with it."""


class Blend(NamedTuple):
    """Classes that are made of their own cases and of a pool."""

    columns: SideBySide
    counts: Float64Array
    """(K,) cases of each class."""
    kept: Float64Array
    """(K,) share of its own cases in each class."""
    pooled: Float64Array
    """(K,) share of the pool in it."""
    pool: Pool


@dataclass(frozen=True, eq=False)
class Mixture:
    """Cases, and a pool of some of them that is part of every class."""

    predictions: Predictions
    pool: NDArray[np.intp]
    """(M,) rows of the pool among the cases."""
    shares: Float64Array
    """(M,) share of each row in the pool."""
    kept: Float64Array
    """(K,) what the weight of the cases of each class is multiplied by."""
    added: Float64Array
    """(K,) weight of the pool in each class."""

    def __len__(self) -> int:
        return len(self.predictions) + self.n_classes * len(self.pool)

    @property
    def n_classes(self) -> int:
        """K."""
        return self.predictions.n_classes

    @lazy_property
    def class_weights(self) -> Float64Array:
        """Weight of each class with its part of the pool."""
        return self.predictions.class_weights * self.kept + self.added

    @lazy_property
    def case_weights(self) -> Float64Array:
        """(n,) weights of the cases themselves."""
        weights: Float64Array = self.predictions.case_weights * self.kept[self.predictions.codes]
        return weights

    @lazy_property
    def _codes(self) -> IntArray:
        """Classes of the cases, then K for the pool."""
        pooled = np.full(len(self.pool), self.n_classes)
        return np.concatenate([self.predictions.codes, pooled.astype(np.intp)])

    @lazy_property
    def _columns(self) -> "dict[int, MixedColumn]":
        return {}

    def column(self, k: int) -> "MixedColumn":
        """Column k: the cases of class k and the pool are positive."""
        if k in self._columns:
            return self._columns[k]
        codes = self._codes
        scores = np.ascontiguousarray(self.predictions.scores[:, k])
        positive = np.where(codes == self.n_classes, k, codes)
        weights = np.concatenate([self.case_weights, self.added[k] * self.shares])
        kept = len(codes) * self.n_classes <= MOST_KEPT_RANKS
        column = Column(np.concatenate([scores, scores[self.pool]]), positive, k, weights, kept)
        others = np.concatenate([self.case_weights, self.shares])
        mixed = MixedColumn(column, codes, others, self.added)
        if kept:
            self._columns[k] = mixed
        return mixed

    @lazy_property
    def blend(self) -> Blend:
        """All columns at once, where they are short."""
        columns, counts = self.predictions.side_by_side, self.predictions.class_weights
        shares = np.bincount(self.pool, self.shares, len(self.predictions))
        ordered = columns.in_order(shares.astype(np.float64, copy=False))
        pool = Pool(self.pool, ordered, columns.masses(ordered))
        kept, pooled = self.kept * counts / self.class_weights, self.added / self.class_weights
        return Blend(columns, counts, kept, pooled, pool)

    def nothing(self) -> "Carried":
        """Influence values that others are added to."""
        shape = len(self.pool), self.n_classes
        return Carried(np.zeros(len(self.predictions)), np.zeros(shape))

    def centred(self, found: "Carried") -> Float64Array:
        """Values of the cases and of the pool less the mean of their class."""
        (own, pooled), codes = found, self.predictions.codes
        sums = sum_by_class(codes, own * self.case_weights, self.n_classes)
        means = (sums + self.added * (self.shares @ pooled)) / self.class_weights
        return np.concatenate([own - means[codes], (pooled - means).T.ravel()])

    def written_out(self) -> Predictions:
        """The cases, then the pool as cases of every class."""
        predictions, n_classes = self.predictions, self.n_classes
        codes = np.repeat(np.arange(n_classes), len(self.pool)).astype(predictions.codes.dtype)
        scores = [predictions.scores, *[predictions.scores[self.pool]] * n_classes]
        return predictions.with_cases(
            np.concatenate([predictions.codes, codes]),
            np.concatenate(scores),
            np.concatenate([self.case_weights, np.outer(self.added, self.shares).ravel()]),
        )


class Carried(NamedTuple):
    """Influence values through one column."""

    own: Float64Array
    """(n,) of the cases."""
    pooled: Float64Array
    """(M, C) of the pool, as cases of each class."""

    def add(self, other: "Carried", factor: float = 1.0) -> None:
        """Add others to these."""
        self.own[:] += factor * other.own
        self.pooled[:] += factor * other.pooled


class MixedColumn(NamedTuple):
    """A column of cases, of C classes, and of the pool, which is positive and also all the rest."""

    column: Column
    """The pool counts among the positives, with the weight that it has as such."""
    codes: IntArray
    """(n + M,) class of each case, C for the pool."""
    weights: Float64Array
    """(n + M,) weights of the cases, and shares of the pool."""
    added: Float64Array
    """(C,) weight of the pool in each class."""

    @property
    def n_own(self) -> int:
        """n."""
        return len(self.codes) - len(self.pooled)

    @property
    def pooled(self) -> NDArray[np.intp]:
        """Rows of the pool."""
        return np.flatnonzero(self.codes == len(self.added))

    @contextmanager
    def remembered(self) -> Iterator[None]:
        """While inside, ranks are found once."""
        with self.column.remembered_ranks():
            yield

    def others(self, ranks: Ranks) -> tuple[IntArray, Float64Array]:
        """Classes and weights of a block of cases that are compared with the positives."""
        return self.codes[ranks.cases], self.weights[ranks.cases]

    def sums(self, scored: bool = False) -> Float64Array:
        """Rows: above, tied and, where asked for, excess of the positives over each class."""
        n_classes, column = len(self.added), self.column
        parts = (column.above, column.tied, column.excess)[: 3 if scored else 2]
        sums = np.zeros((len(parts), n_classes + 1))
        for ranks in column.ranks():
            codes, weights = self.others(ranks)
            for total, part in zip(sums, parts, strict=True):
                total += sum_by_class(codes, part(ranks) * weights, n_classes + 1)
        return sums[:, :-1] + sums[:, -1:] * self.added

    def _values(self, row: Float64Array, totals: Float64Array) -> Float64Array:
        """Shares of cases and rows of the pool in their classes, times W_r."""
        factor = row / totals
        values: Float64Array = np.append(factor, factor @ self.added)[self.codes] * self.weights
        return values

    def ranked(self, row: Float64Array, totals: Float64Array, credit: float) -> Carried:
        """Mean credit of each case, times the weight W of its pair; a row has 0 for positives."""
        placed = np.empty(len(self.codes))
        for ranks in self.column.ranks():
            placed[ranks.cases] = self.column.placed(ranks, credit)
        values = self._values(row, totals)
        below, upto = (self.column.summed_below(values, tied=tied) for tied in (False, True))
        return self._carried(row, placed, (1 - credit) * below + credit * upto)

    def scored(self, row: Float64Array, totals: Float64Array) -> Carried:
        """Sums of the leads over the scores below each case, or of the positives above it."""
        leads = np.empty(len(self.codes))
        for ranks in self.column.ranks():
            leads[ranks.cases] = self.column.excess(ranks)
        values, column = self._values(row, totals), self.column
        below, scores_below = map(column.summed_below, (values, values * column.scores))
        return self._carried(row, leads, column.scores[column.members] * below - scores_below)

    def _carried(self, row: Float64Array, lost: Float64Array, won: Float64Array) -> Carried:
        """From what a case as one of the rest, and a positive, is compared with."""
        n_own, members, k = self.n_own, self.column.members, self.column.k
        own = np.append(row, 0.0)[self.codes] * (lost / self.column.weight)
        pooled = np.outer(lost[n_own:] / self.column.weight, row)
        own[members] = won
        pooled[:, k] = own[n_own:]
        return Carried(own[:n_own], pooled)
