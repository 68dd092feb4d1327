"""Variances and covariances from influence values in one way for every metric.

The contribution of case i of class k to a metric is u_i = w_i φ_i / n_k, n_k the weight of the
class. Contributions sum to 0 within a class, so the variance with fixed class sizes is

    Var = Σ_k m_k/(m_k − 1) Σ_{i in k} u_i²,    m_k the number of cases of class k,

which for two classes and the AUC is DeLong's, and in general that of a jackknife within classes.
Several models on the same cases: the same with products of their contributions. Three variations:

* cases in groups (several images of a patient): contributions are first summed over a group, also
  where a group spans classes; m_k counts groups;
* classes not fixed but sampled with the cases, for metrics weighted by priors: each case also
  contributes w_i (D_k − Σ_j π_j D_j) / n;
* weights that are numbers of copies ("frequency"): a case counts as w_i cases.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import each_of_threads
from polyroc.errors import InvalidInput
from polyroc.inference._options import Design, Sampling, Weighting
from polyroc.metrics.question import NO_VARIATION, Influence
from polyroc.predictions import Predictions
from polyroc.statistics.means import case_threads, code_blocks
from polyroc.typing import Float64Array

CASES_AT_ONCE = 1 << 15
"""Products of contributions are summed over so many cases, then over the sums."""

ALL = slice(None)
"""Every case."""


@dataclass(frozen=True)
class CaseDesign:
    """How the cases at hand were sampled: a checked :class:`polyroc.Design`."""

    groups: NDArray[np.intp] | None = None
    """Group of each case, numbered from 0; None if cases are independent."""
    weights: Weighting = "sampling"
    sampling: Sampling = "stratified"
    n_groups: int | None = None
    by_position: tuple[str, ...] = ()
    """``groups``, if their rows were matched with the labels by position and indexes differ."""

    @classmethod
    def of(cls, given: Any, predictions: Predictions) -> "CaseDesign":
        """From a design, or groups of the rows of predictions, or those that they hold."""
        design = Design.of(given)
        numbers, by_position = predictions.groups, tuple[str, ...]()
        if design.groups is not None:
            numbers, by_position = predictions.case_groups(design.groups)
        if numbers is None:
            return cls(None, design.weights, design.sampling)
        if design.weights == "frequency" and predictions.weights is not None:
            raise InvalidInput(
                'groups and weights="frequency" exclude each other: copies of a case would be one '
                "group. Repeat the cases instead."
            )
        n_groups = len(np.unique(numbers))
        return cls(numbers, design.weights, design.sampling, n_groups, by_position)

    def part(self, rows: NDArray[np.intp]) -> "CaseDesign":
        """The design of some of the cases, whose groups are numbered anew."""
        if self.groups is None:
            return self
        there, numbers = np.unique(self.groups[rows], return_inverse=True)
        return replace(self, groups=numbers, n_groups=len(there))

    def settings(self) -> dict[str, Any]:
        """What a result says of the design."""
        grouped = self.groups is not None
        return {"sampling": self.sampling, "weights": self.weights, "groups": grouped}

    def most_freedom(self, predictions: Predictions) -> float:
        """Groups less 1 where a group has cases of several classes, else no limit."""
        if self.groups is None:
            return math.inf
        n_groups = len(np.unique(self.groups))
        return n_groups - 1 if self.counts(predictions).sum() > n_groups else math.inf

    def counts(self, predictions: Predictions) -> Float64Array:
        """m_k: cases, copies or groups in each class."""
        if self.weights == "frequency":
            return predictions.class_weights
        if self.groups is None:
            return predictions.class_counts.astype(np.float64)
        units = np.unique(predictions.codes + predictions.n_classes * self.groups)
        counted = np.bincount(units % predictions.n_classes, minlength=predictions.n_classes)
        return counted.astype(np.float64)

    def freedom(self, predictions: Predictions) -> Float64Array:
        """Degrees of freedom of each class: m_k − 1, and within folds m_k less a mean per fold.

        A group that is in several folds is counted once: Σ_v (m_kv − 1) is divided by the number of
        folds that a group is in, on average.
        """
        counts, folds, n_classes = (
            self.counts(predictions),
            predictions.folds,
            predictions.n_classes,
        )
        if folds is None:
            return counts - 1
        strata = np.bincount(
            predictions.codes + n_classes * folds.numbers, minlength=n_classes * len(folds.names)
        )
        n_strata, occurring = (strata.reshape(-1, n_classes) > 0).sum(axis=0), counts
        if self.groups is not None:
            unit = folds.numbers + len(folds.names) * self.groups
            units = np.unique(predictions.codes + n_classes * unit) % n_classes
            occurring = np.bincount(units, minlength=n_classes).astype(np.float64)
        left: Float64Array = counts * (1 - n_strata / occurring)
        return left


def contributions(
    predictions: Predictions, influences: Sequence[Influence], design: CaseDesign
) -> Float64Array:
    """Scaled contributions S (units × metrics): their products sum to the covariance matrix."""
    scaled = case_contributions(predictions, influences, design)
    if design.groups is None:
        return scaled
    sums = np.zeros((int(design.groups.max()) + 1, scaled.shape[1]))
    np.add.at(sums, design.groups, scaled)
    return sums


def case_contributions(
    predictions: Predictions,
    influences: Sequence[Influence],
    design: CaseDesign,
    cases: slice = ALL,
) -> Float64Array:
    """Scaled contributions of cases, not yet summed over groups."""
    return _moved(predictions, influences, design, cases, design.sampling == "random")


def _moved(
    predictions: Predictions,
    influences: Sequence[Influence],
    design: CaseDesign,
    cases: slice = ALL,
    shares_vary: bool = False,
) -> Float64Array:
    """The same, by default where the shares of the classes are fixed."""
    scaled = _of_cases(predictions, influences, design, cases)
    if shares_vary:
        scaled += _prior_contributions(predictions, influences, cases)
    if design.weights == "frequency":
        scaled /= np.sqrt(predictions.case_weights[cases])[:, None]
    return scaled


def _of_cases(
    predictions: Predictions,
    influences: Sequence[Influence],
    design: CaseDesign,
    cases: slice = ALL,
) -> Float64Array:
    """√(m_k/(m_k − 1)) u_i for each case; NaN in a class of one case or group."""
    scale = case_scale(predictions, design.counts(predictions), cases)
    scaled = np.empty((len(influences), len(scale)))
    for row, each in zip(scaled, influences, strict=True):
        np.multiply(scale, each.cases[cases], out=row)
    return scaled.T


def case_scale(predictions: Predictions, counts: Float64Array, cases: slice = ALL) -> Float64Array:
    """√(m_k/(m_k − 1)) w_i/n_k: what the influence value of a case is multiplied by."""
    alone = counts <= 1  # one case says nothing about its spread
    correction = np.where(alone, np.nan, np.sqrt(counts / np.where(alone, 1, counts - 1)))
    scale = (correction / predictions.class_weights)[predictions.codes[cases]]
    weights = predictions.weights
    return np.asarray(scale if weights is None else scale * weights[cases])


def _prior_contributions(
    predictions: Predictions, influences: Sequence[Influence], cases: slice
) -> Float64Array:
    columns = [_through_priors(predictions, each, cases) for each in influences]
    weights = predictions.case_weights[cases]
    moved: Float64Array = weights[:, None] * np.column_stack(columns)
    return moved


def _through_priors(predictions: Predictions, influence: Influence, cases: slice) -> Float64Array:
    """(D_k − Σ_j π_j D_j) / n of each case."""
    codes = predictions.codes[cases]
    if influence.through_priors is not None:
        return influence.through_priors[cases]
    if influence.priors is None:
        return np.zeros(len(codes))
    slope, total = influence.priors, predictions.class_weights.sum()
    return np.asarray((slope - predictions.priors @ slope)[codes] / total)


def covariance(
    predictions: Predictions, influences: Sequence[Influence], design: CaseDesign
) -> Float64Array:
    """Covariance matrix of several metrics, or of several models, on the same cases."""
    if design.groups is not None:
        return _products(contributions(predictions, influences, design))

    def of_block(start: int) -> Float64Array:
        cases = slice(start, start + CASES_AT_ONCE)
        return _products(case_contributions(predictions, influences, design, cases))

    starts, total = range(0, len(predictions), CASES_AT_ONCE), np.zeros((len(influences),) * 2)
    for part in each_of_threads(of_block, starts, case_threads(predictions)):
        total += part
    return total


@dataclass(frozen=True)
class ClassProducts:
    """Products of the contributions to several metrics, summed over the cases of each class."""

    sums: Float64Array
    """(K, G, G), of which what lies above the diagonal is not filled."""
    scales: tuple[float, ...]
    """Scale of each metric's influence values."""

    @classmethod
    def of(
        cls, predictions: Predictions, influences: Sequence[Influence], design: CaseDesign
    ) -> "ClassProducts":
        """In one pass over the cases, which are not in groups."""
        from polyroc.kernels.by_class import products_of_classes

        def of_block(block: tuple[slice, NDArray[np.int32]]) -> Float64Array:
            cases, codes = block
            scaled = _moved(predictions, influences, design, cases).T
            return products_of_classes(codes, scaled, predictions.n_classes)

        total = np.zeros((predictions.n_classes, len(influences), len(influences)))
        blocks, n_threads = code_blocks(predictions), case_threads(predictions)
        for part in each_of_threads(of_block, blocks, n_threads):
            total += part
        return cls(total, tuple(each.scale for each in influences))

    def parts(self, place: int) -> Float64Array:
        """What each class adds to the variance of a metric."""
        return without_rounding(self.sums[:, place, place], self.scales[place])

    def covariance(self) -> Float64Array:
        """Of all metrics, where the shares of the classes are fixed."""
        lower: Float64Array = self.sums.sum(axis=0)
        return np.tril(lower) + np.tril(lower, -1).T


def _products(scaled: Float64Array) -> Float64Array:
    """SᵀS, not by BLAS, whose threads cost more than these few columns take."""
    return np.asarray(np.einsum("im,in->mn", scaled, scaled))


def contributions_by_class(
    predictions: Predictions, influences: Sequence[Influence], design: CaseDesign
) -> tuple[Float64Array, NDArray[Any]]:
    """Scaled contributions of cases, or of the cases of a group in a class, and their classes."""
    moved = _moved(predictions, influences, design)
    codes: NDArray[Any] = predictions.codes
    if design.groups is None:
        return moved, codes
    pair = codes.astype(np.intp) + predictions.n_classes * design.groups
    sums: Float64Array = np.column_stack([np.bincount(pair, column) for column in moved.T])
    return sums, np.arange(len(sums)) % predictions.n_classes


def degrees_of_freedom(predictions: Predictions, influence: Influence, design: CaseDesign) -> float:
    """Satterthwaite's: few where a small class makes up most of the variance.

    Groups that span classes do not vary independently in them: then at most their number less 1.
    """
    return freedom_of_parts(variance_parts(predictions, influence, design), predictions, design)


def variance_parts(
    predictions: Predictions, influence: Influence, design: CaseDesign
) -> Float64Array:
    """What each class adds to the variance, where no group spans classes."""
    moved, codes = contributions_by_class(predictions, [influence], design)
    parts = np.bincount(codes, moved[:, 0] ** 2, predictions.n_classes).astype(np.float64)
    return without_rounding(parts, influence.scale)


def without_rounding(parts: Float64Array, scale: float) -> Float64Array:
    """The parts, or 0 where nothing varies but the last digits, which have no degrees of freedom.

    Where the shares of the classes are sampled, they may be all that varies.
    """
    return np.zeros_like(parts) if parts.sum() <= (NO_VARIATION * scale) ** 2 else parts


def variance_of_parts(
    parts: Float64Array, predictions: Predictions, influence: Influence, design: CaseDesign
) -> float:
    """The variance itself: the sum of the parts, unless groups or shares sampled add to it."""
    if design.groups is None and (design.sampling == "stratified" or influence.priors is None):
        return float(parts.sum())
    return float(covariance(predictions, [influence], design)[0, 0])


def freedom_of_parts(parts: Float64Array, predictions: Predictions, design: CaseDesign) -> float:
    """Satterthwaite's degrees of freedom of the sum of the parts of the classes."""
    by_class = satterthwaite(parts, design.freedom(predictions))
    return min(by_class, design.most_freedom(predictions))


def satterthwaite(variances: Float64Array, freedom: Float64Array) -> float:
    """Degrees of freedom of a sum of variances; infinite where there is none."""
    known = variances != 0
    if not known.any():
        return math.inf
    shares = variances[known] / variances[known].sum()  # whose squares do not underflow together
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(1 / np.sum(shares**2 / freedom[known]))
