"""Variances of every AUC(k|r), and effective numbers of cases behind them.

A pair is treated as the AUC of two classes: as if the cases of k and r were all there are, ranked
by the scores of k. In column k a case of another class has one placement, which belongs to the pair
with its own class, and a positive has one for each r. So one pass over the column gives the
variances of all r, in O(n log n + n_k K).

Near 1 the two classes are shrunken towards each other, as in :mod:`polyroc.inference._edge`: class
k has the distribution P̃_k = α_k P_k + β_k P_r, with β_k = w/2 / (m_k + w) and α_k = 1 − β_k. An AUC
is linear in both distributions, so its value and placements there follow from those of P_k, P_r.
With groups the extra mass counts against the cases divided by the design effect of the pair.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import map_threads
from polyroc.inference._edge import EXTRA_MASS, LARGE_CLASS
from polyroc.inference._folds import stratum_factor
from polyroc.inference._influence import CaseDesign, case_scale
from polyroc.metrics.folds import FoldStatistics, statistics_of, undivided
from polyroc.metrics.question import NO_VARIATION
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import (
    Pairs,
    Placed,
    blank_diagonal,
    column_threads,
    own_placements,
    placements,
)
from polyroc.typing import Float64Array

MOST_PLACEMENTS = 1 << 23
"""Placements of positives that are in memory at a time."""


class PairSpread(NamedTuple):
    """Of every AUC(k|r), row k: NaN on the diagonal and where nothing is known."""

    value: Float64Array
    variance: Float64Array
    freedom: Float64Array
    size: Float64Array
    """Effective number of cases, for Wilson's interval."""
    size_freedom: Float64Array


class _Squares(NamedTuple):
    """Sums of squared contributions of the positives and of the negatives, and their products."""

    positive: Float64Array
    negative: Float64Array
    crossed: Float64Array | float

    @property
    def total(self) -> Float64Array:
        return self.positive + self.negative + 2 * self.crossed

    def times(self, positive: Float64Array, negative: Float64Array) -> "_Squares":
        """Those of contributions that are multiplied by a factor on either side."""
        both = positive * negative * self.crossed
        return _Squares(positive**2 * self.positive, negative**2 * self.negative, both)


class _Mixed(NamedTuple):
    """Class k and each class r shrunken to each other."""

    value: Float64Array
    """AUC(k|r)."""
    placed: Placed
    """Influence values."""
    positive: Float64Array
    """Their mean squares over the extra mass in class k."""
    negative: Float64Array
    """The same in class r."""


class _Units(NamedTuple):
    """Cases of class k and of each class r, divided by the design effect of groups on AUC(k|r)."""

    positive: Float64Array
    negative: Float64Array

    def divisors(self) -> tuple[Float64Array, Float64Array]:
        """Of the extra mass, and of squared contributions."""
        made = [(each + EXTRA_MASS) * (each - 1 + EXTRA_MASS) for each in self]
        return made[0], made[1]


@dataclass(frozen=True, eq=False)
class PairCases:
    """Cases whose pairs are evaluated, and what the columns of all classes share."""

    predictions: Predictions
    design: CaseDesign
    counts: Float64Array
    known: Float64Array
    """Degrees of freedom of each class."""
    scale: Float64Array
    values: Float64Array
    across: Float64Array
    """AUC(k|r) of all cases; where there are folds, ``values`` are means over them."""
    folds: FoldStatistics | None
    most: Float64Array
    """Limit of the degrees of freedom of each pair."""

    @classmethod
    def of(cls, predictions: Predictions, design: CaseDesign) -> "PairCases":
        """Values, and how contributions are scaled."""
        predictions.keep_columns()
        counts = design.counts(predictions)
        scale = case_scale(predictions, counts)
        if design.weights == "frequency":
            scale = scale / np.sqrt(predictions.case_weights)
        across = Pairs.of(predictions).auc()
        statistics = undivided(statistics_of(predictions))
        folds = statistics if isinstance(statistics, FoldStatistics) else None
        values = across if folds is None else folds.mean_pairs().auc()
        most = _most_freedom(predictions, design, counts)
        known = design.freedom(predictions)
        return cls(predictions, design, counts, known, scale, values, across, folds, most)

    def spread(self) -> PairSpread:
        """Of all pairs, column by column."""
        factor = None if self.folds is None else stratum_factor(self.folds, self.design)

        def of_column(k: int) -> Float64Array:
            return self._column(k, factor)

        columns, n_threads = range(self.predictions.n_classes), column_threads(self.predictions)
        found = np.stack(map_threads(of_column, columns, n_threads), axis=1)
        for matrix in found:
            blank_diagonal(matrix)
        return PairSpread(self.values, *found)

    def _column(self, k: int, factor: Float64Array | None) -> Float64Array:
        """Variance, freedom, effective size and its freedom of AUC(k|r), for all classes r."""
        predictions, n_classes = self.predictions, self.predictions.n_classes
        own = own_placements(predictions.column(k), predictions.class_weights)
        step = max(1, MOST_PLACEMENTS // int(predictions.class_counts[k]))
        starts = range(0, n_classes, step)
        blocks = [slice(start, min(start + step, n_classes)) for start in starts]
        return np.concatenate([self._block(k, each, own, factor) for each in blocks], axis=1)

    def _block(
        self, k: int, classes: slice, own: Float64Array, factor: Float64Array | None
    ) -> Float64Array:
        """The same for some classes r."""
        predictions = self.predictions
        placed = placements(predictions.column(k), predictions.class_weights, classes)
        if self.folds is None or factor is None:
            moved = self._centred(placed, k, classes)
        else:
            moved = self._within_folds(self.folds, k, classes, factor)
        squares = self._squares(moved, classes, self.scale, self.design.groups)
        freedom = self._freedom(squares.positive, squares.negative, k, classes)
        variance = np.maximum(squares.total, 0)
        units = self._units(moved, variance, k, classes)
        sized = self._shrunken(self._mixed(placed, own, k, classes), moved, k, classes, units)
        varies = variance > NO_VARIATION**2
        large = (np.minimum(self.counts[k], self.counts[classes]) >= LARGE_CLASS) & varies
        theta = self.values[k, classes]
        with np.errstate(divide="ignore", invalid="ignore"):
            plain = theta * (1 - theta) / variance
        sizes = np.where(large, [plain, freedom], sized)
        return np.array([variance, freedom, *sizes])

    def _centred(self, placed: Placed, k: int, classes: slice) -> Placed:
        """Influence values: placements less AUC(k|r)."""
        return placed._replace(
            positives=placed.positives - self.across[k, classes],
            negatives=placed.negatives - self.across[k][self.predictions.codes],
        )

    def _within_folds(
        self, folds: FoldStatistics, k: int, classes: slice, factor: Float64Array
    ) -> Placed:
        """The same of the mean over the folds that have the pair."""
        negatives, members, positives = np.zeros(len(self.predictions)), [], []
        totals = self.predictions.class_weights
        for part, rows, share, there in folds.pair_parts():
            if k not in there:
                continue
            column, weights = part.column(there.index(k)), part.class_weights
            local = slice(*np.searchsorted(there, [classes.start, classes.stop]).tolist())
            placed = placements(column, weights, local)
            auc = Pairs.of(part).auc()[there.index(k)]
            codes = self.predictions.codes[rows]
            larger = (totals[there] / weights)[part.codes] * factor[rows]
            own = (placed.negatives - auc[part.codes]) * larger * share[k][codes]
            negatives[rows] = np.where(codes == k, 0, own)
            global_classes = np.array(there[local], dtype=np.intp)
            block = np.zeros((len(placed.members), classes.stop - classes.start))
            block[:, global_classes - classes.start] = (
                (placed.positives - auc[local]) * share[k][global_classes]
            ) * larger[placed.members][:, None]
            members.append(rows[placed.members])
            positives.append(block)
        return Placed(np.concatenate(members), np.concatenate(positives), negatives)

    def _units(self, moved: Placed, together: Float64Array, k: int, classes: slice) -> _Units:
        """Of the pairs of class k, whose variances are ``together`` with groups."""
        predictions, counts = self.predictions, self.counts
        if self.design.groups is None:
            return _Units(np.full(len(together), counts[k]), counts[classes])
        cases = predictions.class_counts.astype(np.float64)
        alone = self._squares(moved, classes, case_scale(predictions, cases), None).total
        varies = alone > NO_VARIATION**2
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(varies, alone / together, 0)
        return _Units(
            np.clip(cases[k] * share, counts[k], cases[k]),
            np.clip(cases[classes] * share, counts[classes], cases[classes]),
        )

    def _squares(
        self,
        moved: Placed,
        classes: slice,
        scale: Float64Array,
        groups: NDArray[np.intp] | None,
    ) -> _Squares:
        """Squared contributions, added up over groups where there are groups."""
        predictions, n_classes = self.predictions, self.predictions.n_classes
        positive = moved.positives * scale[moved.members][:, None]
        negative = moved.negatives * scale
        if groups is None:
            squared = np.bincount(predictions.codes, negative**2, n_classes).astype(np.float64)
            return _Squares((positive**2).sum(axis=0), squared[classes], 0.0)
        own, number = np.unique(groups[moved.members], return_inverse=True)
        of_group = np.zeros((len(own), positive.shape[1]))
        np.add.at(of_group, number, positive)
        cells = groups * n_classes + predictions.codes
        n_cells = (int(groups.max()) + 1) * n_classes
        others = np.bincount(cells, negative, n_cells).astype(np.float64)
        others = others.reshape(-1, n_classes)[:, classes]
        crossed = (of_group * others[own]).sum(axis=0)
        return _Squares((of_group**2).sum(axis=0), (others**2).sum(axis=0), crossed)

    def _freedom(
        self, positive: Float64Array, negative: Float64Array, k: int, classes: slice
    ) -> Float64Array:
        """Satterthwaite's, of two parts."""
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = positive**2 / self.known[k] + negative**2 / self.known[classes]
            freedom = (positive + negative) ** 2 / parts
        return np.asarray(np.minimum(freedom, self.most[k, classes]))

    def _mixed(self, placed: Placed, own: Float64Array, k: int, classes: slice) -> _Mixed:
        """Class k and each class r shrunken to each other."""
        codes, theta = self.predictions.codes, self.across[k]
        beta = EXTRA_MASS / 2 / (self.counts + EXTRA_MASS)
        alpha = 1 - beta
        value = (
            alpha[k] * alpha * theta
            + (alpha[k] * beta + beta[k] * alpha) / 2
            + beta[k] * beta * (1 - theta)
        )
        among = 1 - placed.negatives  # share of class k below each case
        own_positives = among[placed.members][:, None]
        at_k = alpha[classes] * placed.positives + beta[classes] * own_positives - value[classes]
        at_r = 1 - alpha[k] * among - beta[k] * own - value[codes]
        foreign_k = alpha[codes] * own + beta[codes] * among - value[codes]
        foreign_r = 1 - alpha[k] * own_positives - beta[k] * placed.positives - value[classes]
        mean_k = (self._mean(at_k, placed.members) + self._by_class(foreign_k)[classes]) / 2
        mean_r = (self._mean(foreign_r, placed.members) + self._by_class(at_r)[classes]) / 2
        return _Mixed(value[classes], Placed(placed.members, at_k, at_r), mean_k, mean_r)

    def _shrunken(
        self, mixed: _Mixed, moved: Placed, k: int, classes: slice, units: _Units
    ) -> Float64Array:
        """Effective sizes and their degrees of freedom, from classes shrunken to each other."""
        divisor, divisor_r = units.divisors()
        seen = mixed.placed if self.folds is None else moved
        with np.errstate(invalid="ignore"):
            narrower = (
                np.sqrt(units.positive * (units.positive - 1) / divisor),
                np.sqrt(units.negative * (units.negative - 1) / divisor_r),
            )
        squares = self._squares(seen, classes, self.scale, self.design.groups).times(*narrower)
        positive = squares.positive + EXTRA_MASS * mixed.positive / divisor
        negative = squares.negative + EXTRA_MASS * mixed.negative / divisor_r
        less_k = (self.counts[k] + EXTRA_MASS) / (units.positive + EXTRA_MASS)
        less_r = (self.counts[classes] + EXTRA_MASS) / (units.negative + EXTRA_MASS)
        moved_by = (mixed.value - self.across[k, classes]) * (less_k + less_r) / 2
        shifted = self.values[k, classes] + moved_by
        variance = positive + negative + 2 * squares.crossed
        freedom = self._freedom(positive, negative, k, classes)
        inside = (shifted > 0) & (shifted < 1) & (variance > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.where(inside, shifted * (1 - shifted) / variance, math.nan)
        return np.array([size, freedom])

    def _mean(self, values: Float64Array, members: NDArray[np.intp]) -> Float64Array:
        """Weighted mean square over the positives."""
        weights = self.predictions.case_weights[members]
        return np.asarray(weights @ values**2 / weights.sum())

    def _by_class(self, values: Float64Array) -> Float64Array:
        """Weighted mean square over each class."""
        predictions = self.predictions
        squares = values**2 * predictions.case_weights
        totals = np.bincount(predictions.codes, squares, predictions.n_classes)
        return np.asarray(totals / predictions.class_weights)


def _most_freedom(
    predictions: Predictions, design: CaseDesign, counts: Float64Array
) -> Float64Array:
    """Groups of the two classes less 1 where a group has cases of both, else no limit."""
    n_classes = predictions.n_classes
    if design.groups is None:
        return np.full((n_classes, n_classes), math.inf)
    cells = design.groups * n_classes + predictions.codes
    there = np.bincount(cells, minlength=(int(design.groups.max()) + 1) * n_classes) > 0
    held = there.reshape(-1, n_classes).astype(np.float64)
    both = held.T @ held
    return np.where(both > 0, np.add.outer(counts, counts) - both - 1, math.inf)
