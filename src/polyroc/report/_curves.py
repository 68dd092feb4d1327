"""ROC curves of the page: of each class against the rest, with what their rates rest on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.levels import two_sided_quantile, wilson_limits
from polyroc.curves._roc import RocCurve
from polyroc.display._rate_bands import FALSE_POSITIVE_RATES, effective_count, ellipses
from polyroc.inference import estimate
from polyroc.results import Interval
from polyroc.typing import Float64Array, Int64Array

if TYPE_CHECKING:
    from polyroc.report._content import ModelContent

MOST_CURVES = 12
"""Classes with a ROC curve; of more, those with the least area are shown."""
MOST_BANDS = 3
"""Models whose bands are drawn: more would cover each other."""
BAND_PLACES = np.unique((400 * np.linspace(0, 1, 45) ** 2).astype(int))
"""Where an edge of a band is drawn, close together at the left, where curves rise."""


@dataclass(frozen=True, eq=False)
class PageCurve:
    """One curve.

    Attributes
    ----------
    curve : its points.
    false_count, true_count : (m,) number of cases that each rate rests on, for Wilson's limits.
    area : interval of the area under it.
    """

    curve: RocCurve
    false_count: Float64Array
    true_count: Float64Array
    area: Interval

    def band(self, level: float) -> tuple[Float64Array, Float64Array, Float64Array]:
        """FPR, lower and upper edge of the pointwise band."""
        quantile = two_sided_quantile(level)
        sides = [
            (rate, *wilson_limits(rate, count, quantile))
            for rate, count in (
                (self.curve.false_positive_rate, self.false_count),
                (self.curve.true_positive_rate, self.true_count),
            )
        ]
        low, high = ellipses(*sides)
        return FALSE_POSITIVE_RATES[BAND_PLACES], low[BAND_PLACES], high[BAND_PLACES]


def drawn_classes(models: Sequence["ModelContent"]) -> list[int]:
    """Classes that get a panel: all of few, or those with the least area, the least first."""
    areas = np.array([model.rest for model in models])
    drawn = sorted(models[0].curves)
    if len(drawn) <= MOST_CURVES:
        return drawn
    order = np.argsort(np.where(np.isnan(areas), 2, areas).mean(axis=0), kind="stable").tolist()
    return [int(k) for k in order[:MOST_CURVES]]


def page_curves(
    models: Sequence["ModelContent"], groups: Int64Array | None, level: float
) -> dict[int, tuple[PageCurve, ...]]:
    """From each class with a panel to the curves of the models."""
    return {
        k: tuple(_page_curve(model, k, groups, level) for model in models)
        for k in drawn_classes(models)
    }


def _page_curve(
    model: "ModelContent", k: int, groups: Int64Array | None, level: float
) -> PageCurve:
    predictions, curve = model.predictions, model.curves[k]
    own, scores = predictions.codes == k, predictions.scores[:, k]
    known: Mapping[str, Any] = {"sample_weight": predictions.weights, "groups": groups}
    area = Interval(math.nan, math.nan, level, "")
    if not math.isnan(curve.area):
        found = estimate(own, scores, "roc_auc", labels=[False, True], level=level, **known)
        area = found.interval(level)
    counts = [
        rested_on(
            scores[side],
            predictions.case_weights[side],
            None if groups is None else groups[side],
            curve.thresholds,
        )
        for side in (~own, own)
    ]
    return PageCurve(curve, counts[0], counts[1], area)


def rested_on(
    scores: Float64Array,
    weights: Float64Array,
    groups: Int64Array | None,
    thresholds: Float64Array,
) -> Float64Array:
    """Number of cases that the share of cases at or above each threshold rests on.

    (Σw)²/Σw²; where cases come in groups, divided by the design effect, the variance over groups
    against that over cases. A share of 0 or 1 has no variance, and rests on as many cases as there
    are groups.

    Examples
    --------
    >>> rested_on(np.array([0.1, 0.2, 0.9]), np.ones(3), None, np.array([0.5]))
    array([3.])
    >>> scores, groups = np.array([0.1, 0.1, 0.9, 0.9]), np.array([0, 0, 1, 1])
    >>> rested_on(scores, np.ones(4), groups, np.array([0.5]))
    array([1.33333333])
    """
    count = effective_count(weights) if len(weights) else math.nan
    if groups is None or not len(weights):
        return np.full(len(thresholds), count)
    order = np.argsort(-scores, kind="stable")
    reached = np.searchsorted(-scores[order], -thresholds, side="right")
    effect = _design_effects(weights[order], np.unique(groups[order], return_inverse=True)[1])
    return np.asarray(count / np.fmax(1.0, effect[reached]))


def _design_effects(weights: Float64Array, groups: Int64Array) -> Float64Array:
    """Of the share of the first 0, 1, …, n cases."""
    n, m = len(weights), int(groups.max()) + 1
    count = effective_count(weights)
    if m < 2:
        return np.full(n + 1, max(1.0, count / m))
    # What is left varies as much: the smaller share is counted, which rounding leaves its digits.
    small = _running(weights) <= weights.sum() / 2
    ratios = _ratios(weights, groups), _ratios(weights[::-1], groups[::-1])[::-1]
    effect = np.where(small, *ratios) * m / (m - 1) * (n - 1) / n
    effect[[0, -1]] = max(1.0, count / m)
    return np.asarray(effect)


def _ratios(weights: Float64Array, groups: Int64Array) -> Float64Array:
    """Variance of the share of the first 0, 1, …, n cases over groups, against that over cases."""
    totals, share = np.bincount(groups, weights), _running(weights) / weights.sum()
    own = _running(weights * (2 * _before(weights, groups) + weights))
    together = own - 2 * share * _running(weights * totals[groups]) + share**2 * (totals**2).sum()
    above = _running(weights**2)
    alone = above * (1 - share) ** 2 + (above[-1] - above) * share**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(together / alone)


def _running(values: Float64Array) -> Float64Array:
    """Sums of the first 0, 1, …, n."""
    return np.asarray(np.append(0.0, np.cumsum(values)))


def _before(weights: Float64Array, groups: Int64Array) -> Float64Array:
    """Weight of the cases of the same group that come earlier."""
    order = np.argsort(groups, kind="stable")
    sums = np.cumsum(weights[order]) - weights[order]
    starts = np.searchsorted(groups[order], np.arange(groups.max() + 1))
    found = np.empty(len(weights))
    found[order] = sums - sums[starts][groups[order]]
    return found
