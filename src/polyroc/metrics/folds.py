"""Metrics within folds: a fold is another producer of statistics.

Scores of different folds come from different fitted models, so pairs and tuples of cases are formed
within folds only. θ is the mean over folds of θ_v (LeDell, Petersen & van der Laan 2015), and the
influence value of case i of class k in fold v, one of V, is

    φ_i = n_k ∂θ/∂w_i = (1/V) φ_i^(v) n_k / n_kv,

with φ_i^(v) that of the fold alone and n_kv the weight of class k there. A fold without cases of
some class has fewer pairs: then each AUC(k|r) is averaged over the folds that have the pair, and a
metric that is no sum of pairs over the folds that have all classes.

The other estimand, sums of pairs over the folds, weights folds by n_kv n_rv for the pair (k, r),
and volumes by the product of the n_kv of all classes.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.lazy import lazy_property
from polyroc._base.parallel import map_threads, thread_count
from polyroc.errors import NotDefined
from polyroc.metrics.measure import CaseStatistics, Measured, measure
from polyroc.metrics.question import Gradient, Influence, NoDerivative, Question
from polyroc.predictions import Predictions
from polyroc.predictions._classes import positions
from polyroc.statistics.margins import Margins
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.statistic import Need, Statistic
from polyroc.statistics.tuples import Tuples
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    from polyroc.metrics.declaration import Metric

SUMS_OF_PAIRS = (Pairs, Margins)
_SUMS = ("above", "tied", "excess")

MOST_POOLED = 20_000
"""Cases up to which values are also computed as if they had no folds."""

NO_FOLD = "every fold lacks a class. Use StratifiedKFold, or fewer folds."

DRAWN = "random tuples are drawn in every fold, and their noise is not known; leave n_tuples out"

Asked = Sequence[tuple["Metric", Mapping[str, Any]]]


class FoldStatistics:
    """The statistics of the cases of each fold, made when they are first asked for."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions
        self.rows = predictions.fold_rows
        few = len(self.rows) < thread_count(predictions.n_threads)
        self._n_threads = 1 if few else predictions.n_threads
        inner = predictions.n_threads if few else 1
        parts = (predictions.part(rows, n_threads=inner) for rows in self.rows)
        self.parts = tuple(CaseStatistics(part) for part in parts)
        self.across = CaseStatistics(predictions)
        self._pooled: dict[Need, Statistic] = {}

    @property
    def names(self) -> tuple[Any, ...]:
        """Names of the folds."""
        return () if self.predictions.folds is None else self.predictions.folds.names

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which folds have cases of every class."""
        n_classes = self.predictions.n_classes
        return np.array([part.predictions.n_classes == n_classes for part in self.parts])

    def __getitem__(self, need: Need) -> Any:
        """Sums of pairs over the folds, as one statistic."""
        if need not in self._pooled:
            self._pooled[need] = self.combined(need, self.shares(by_pairs=True))
        return self._pooled[need]

    def value(self, question: Question) -> float:
        """θ: the mean over folds."""
        if not self.complete.all() and question.metric.statistic in SUMS_OF_PAIRS:
            return question.value(self.combined(question.need, self.shares()))
        return float(np.mean([question.value(part[question.need]) for part in self._used()]))

    def pooled_value(self, question: Question) -> float:
        """Pairs or tuples of cases formed within folds and pooled; NaN for other metrics."""
        if question.metric.statistic in SUMS_OF_PAIRS:
            return question.value(self[question.need])
        if question.metric.statistic not in (Tuples, Placements):
            return math.nan
        values = [question.value(part[question.need]) for part in self._used()]
        tuples = np.array([part.predictions.priors.prod() for part in self._used()])
        sizes = np.array([part.predictions.class_weights.sum() for part in self._used()])
        return float(np.average(values, weights=tuples * sizes**self.predictions.n_classes))

    def value_across(self, question: Question) -> float:
        """As if all scores came from one model, which they do not; NaN where it does not exist.

        It is a warning only, and NaN where it would take long: for more than 20,000 cases.
        """
        if len(self.predictions) > MOST_POOLED:
            return math.nan
        try:
            return self.across.value(question)
        except NotDefined:
            return math.nan

    def measure(self, asked: Asked, *, with_influence: bool = True) -> list[Measured]:
        """Means over folds, and influence values of all cases."""
        if not in_folds(self.predictions):
            whole = measure(self.across, asked, with_influence=with_influence)
            return [each._replace(by_fold=np.array([each.value])) for each in whole]
        used = [(part, rows) for part, rows in zip(self.parts, self.rows, strict=True)]
        used = [each for each, whole in zip(used, self.complete, strict=True) if whole]

        def of_fold(part: CaseStatistics) -> list[Measured]:
            found = measure(part, asked, with_influence=with_influence)
            part.predictions.forget_columns()  # the next fold has the same memory
            return found

        by_fold = map_threads(of_fold, [part for part, _ in used], self._n_threads)
        found = []
        for place, (metric, options) in enumerate(asked):
            if not self.complete.all() and metric.statistic in SUMS_OF_PAIRS:
                found.append(self._of_pairs(metric, options, with_influence))
                continue
            values = [each[place] for each in by_fold]
            found.append(self._mean(metric, values, [rows for _, rows in used]))
        for part in self.parts:  # of pairs, all metrics have the same columns
            part.predictions.forget_columns()
        return found

    def combined(self, need: Need, shares: list[Float64Array]) -> Statistic:
        """One statistic whose AUC(k|r) is the mean over folds with these shares of a pair."""
        whole, weights = self.predictions, self.predictions.class_weights
        sums: dict[str, Float64Array] = {}
        for (part, place), share in zip(self._with_pairs(), shares, strict=True):
            statistic = part[need]
            pairs = np.outer(statistic.weights, statistic.weights)
            for name in (name for name in _SUMS if hasattr(statistic, name)):
                total = sums.setdefault(name, np.zeros((whole.n_classes, whole.n_classes)))
                total[place] += share[place] * getattr(statistic, name) / pairs
        scaled = {name: total * np.outer(weights, weights) for name, total in sums.items()}
        changed = {"classes": whole.classes, "weights": weights, **scaled}
        combined: Statistic = replace(statistic, **changed)
        return combined

    def mean_pairs(self) -> Pairs:
        """Pairs whose AUC(k|r) is the mean over the folds that have cases of both classes."""
        pairs = self.combined(Need(Pairs), self.shares())
        assert isinstance(pairs, Pairs)
        return pairs

    def pair_parts(
        self,
    ) -> Iterator[tuple[Predictions, NDArray[np.intp], Float64Array, list[int]]]:
        """Folds of two or more classes: cases, their rows, share in each pair, their classes."""
        position = positions(self.predictions.classes)
        having = [r for r, part in zip(self.rows, self.parts, strict=True) if _has_pairs(part)]
        for (part, _), share, rows in zip(self._with_pairs(), self.shares(), having, strict=True):
            yield part.predictions, rows, share, [position[c] for c in part.predictions.classes]

    def _used(self) -> list[CaseStatistics]:
        """Folds with cases of every class."""
        used = [part for part, whole in zip(self.parts, self.complete, strict=True) if whole]
        if not used:
            raise NotDefined(NO_FOLD)
        return used

    def _with_pairs(self) -> Iterator[tuple[CaseStatistics, Any]]:
        """Folds of at least two classes, and where the pairs of these stand among all pairs."""
        position = positions(self.predictions.classes)
        for part in self.parts:
            present = [position[label] for label in part.predictions.classes]
            if len(present) > 1:
                yield part, np.ix_(present, present)

    def shares(self, by_pairs: bool = False) -> list[Float64Array]:
        """Share of each fold in each AUC(k|r): equal for all that have the pair, or n_kv n_rv."""
        n_classes = self.predictions.n_classes
        shares = []
        for part, place in self._with_pairs():
            weights = part.predictions.class_weights
            share = np.zeros((n_classes, n_classes))
            share[place] = np.outer(weights, weights) if by_pairs else 1.0
            shares.append(share)
        total = np.sum([np.zeros((n_classes, n_classes)), *shares], axis=0)
        self._check_pairs(total)
        return [share / total for share in shares]

    def _check_pairs(self, total: Float64Array) -> None:
        missing = np.argwhere(np.triu(total == 0, 1))
        if len(missing):
            a, b = (self.predictions.classes[k] for k in missing[0])
            raise NotDefined(f"no fold has cases of both {a!r} and {b!r}. Use StratifiedKFold.")

    def _mean(
        self, metric: "Metric", found: list[Measured], rows: list[NDArray[np.intp]]
    ) -> Measured:
        """The mean over folds of the values, and of what each case moves them by."""
        if not found:
            return Measured(metric, reason=NO_FOLD)
        reason = next((each.reason for each in found if each.reason is not None), None)
        if reason is not None:
            return Measured(metric, reason=reason)
        values = np.array([each.value for each in found])
        moved = [each.influence for each in found if each.influence is not None]
        joined = self._joined(moved, rows, 1 / len(found)) if moved else None
        return Measured(metric, float(values.mean()), joined, by_fold=values)

    def _joined(
        self, influences: list[Influence], rows: list[NDArray[np.intp]], share: float
    ) -> Influence:
        """Influence values of all cases from those within folds."""
        if any(each.drawn is not None for each in influences):
            return Influence.undefined(self.predictions, DRAWN)
        priors = [each.priors for each in influences if each.priors is not None]
        return Influence(
            self._spread_out([each.cases for each in influences], rows, share),
            np.mean(priors, axis=0) if priors else None,
            next((each.reason for each in influences if each.reason is not None), None),
            through_priors=self._through_priors(priors, rows, share),
            scale=max(each.scale for each in influences),
        )

    @lazy_property
    def _enlarged(self) -> Float64Array:
        """n_k/n_kv of each case: the weight of its class over that in its fold."""
        whole, larger = self.predictions, np.empty(len(self.predictions))
        for rows in self.rows:
            codes = whole.codes[rows]
            with np.errstate(divide="ignore"):  # a class without cases here
                ratios = whole.class_weights / self._class_weights(rows)
            larger[rows] = np.take(ratios, codes)
        return larger

    def _class_weights(self, rows: NDArray[np.intp]) -> Float64Array:
        """Weight of each class in a fold."""
        whole = self.predictions
        weights = None if whole.weights is None else whole.weights[rows]
        return np.bincount(whole.codes[rows], weights, whole.n_classes).astype(np.float64)

    def _through_priors(
        self, priors: list[Float64Array], rows: list[NDArray[np.intp]], share: float
    ) -> Float64Array | None:
        """share (D_k − Σ_j π_jv D_j)/n_v of each case, π_v and n_v the priors and weight of v."""
        if len(priors) < len(rows):
            return None
        moved = np.zeros(len(self.predictions))
        for slope, members in zip(priors, rows, strict=True):
            weights = self._class_weights(members)
            total = weights.sum()
            slopes = share * (slope - weights @ slope / total) / total
            moved[members] = np.take(slopes, self.predictions.codes[members])
        return moved

    def _spread_out(
        self, cases: Sequence[Float64Array], rows: Sequence[NDArray[np.intp]], share: float
    ) -> Float64Array:
        """share φ_i^(v) n_k/n_kv of each case; 0 in folds that do not count."""
        moved = np.zeros(len(self.predictions))
        for values, members in zip(cases, rows, strict=True):
            moved[members] = share * values
        moved *= self._enlarged
        return moved

    def _of_pairs(
        self, metric: "Metric", options: Mapping[str, Any], with_influence: bool
    ) -> Measured:
        """A sum of pairs, each averaged over the folds that have it."""
        try:
            question = metric.question(self.predictions, **options)
            shares = self.shares()
            statistic = self.combined(question.need, shares)
            value = question.value(statistic)
        except NotDefined as reason:
            return Measured(metric, reason=str(reason))
        used = self._used_values(question)
        if not with_influence:
            return Measured(metric, value, by_fold=used)
        try:
            gradient = question.gradient(statistic)
        except NoDerivative as reason:
            undefined = Influence.undefined(self.predictions, str(reason))
            return Measured(metric, value, undefined, by_fold=used)
        influence = self._carried(question.need, gradient, shares)
        return Measured(metric, value, influence, by_fold=used)

    def _used_values(self, question: Question) -> Float64Array:
        """Values in the folds that have all classes."""
        used = [part for part, whole in zip(self.parts, self.complete, strict=True) if whole]
        return np.array([question.value(part[question.need]) for part in used])

    def _carried(self, need: Need, gradient: Gradient, shares: list[Float64Array]) -> Influence:
        """Influence values from the derivative by each AUC(k|r), shared among the folds."""
        slope, cases, rows = gradient.of_statistic, [], []
        having = [r for r, part in zip(self.rows, self.parts, strict=True) if _has_pairs(part)]
        for (part, place), share, members in zip(self._with_pairs(), shares, having, strict=True):
            own = slope._replace(matrix=(slope.matrix * share)[place])
            cases += part[need].carry(part.predictions, [own])
            rows.append(members)
        moved = self._spread_out(cases, rows, 1.0)
        return Influence(moved, gradient.priors, scale=gradient.scale)


def _has_pairs(part: CaseStatistics) -> bool:
    return part.predictions.n_classes > 1


def pairs_of(predictions: Predictions) -> Pairs:
    """Sums over pairs; where cases have folds, those whose AUC(k|r) are means over folds."""
    if predictions.folds is None:
        return Pairs.of(predictions)
    statistics = FoldStatistics(predictions)
    averaged = statistics.combined(Need(Pairs), statistics.shares())
    assert isinstance(averaged, Pairs)
    return averaged


def in_folds(predictions: Predictions) -> bool:
    """Whether cases are in several folds; one fold divides nothing."""
    return predictions.folds is not None and len(predictions.folds.names) > 1


def undivided(statistics: CaseStatistics | FoldStatistics) -> CaseStatistics | FoldStatistics:
    """The statistics of all cases where one fold has them all, else those given."""
    one = isinstance(statistics, FoldStatistics) and not in_folds(statistics.predictions)
    return statistics.across if one and isinstance(statistics, FoldStatistics) else statistics


def statistics_of(predictions: Predictions) -> CaseStatistics | FoldStatistics:
    """The statistics of cases, by fold where they have folds."""
    return CaseStatistics(predictions) if predictions.folds is None else FoldStatistics(predictions)
