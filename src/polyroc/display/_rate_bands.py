"""ROC curves with a pointwise or a simultaneous band.

At a fixed threshold both rates are shares of independent samples, with standard errors s₊ and s₋.
Where the true curve has the slope L, the empirical one misses it by (TPR error) − L (FPR error),
whose standard error is √(s₊² + L² s₋²). An ellipse around the empirical point with the half axes
z s₊ and z s₋ reaches just z times as far across a line of slope L, whatever L is. So the ellipses
of all thresholds together hold the true curve at any one FPR with the probability that belongs to
z, and no density has to be estimated. Half axes are the reaches of Wilson's intervals, each on its
side, so that the band does not shrink to nothing where a rate is 0 or 1, as the bootstrap's does.
Weighted cases count as (Σw)²/Σw² cases. The band says nothing about the whole curve at once:
see :mod:`polyroc.display._simultaneous_band`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyroc._base.levels import two_sided_quantile, wilson_limits
from polyroc.curves._roc import RocCurve, roc_of, two_sides
from polyroc.display._simultaneous_band import simultaneous_band
from polyroc.inference._evaluate import estimate
from polyroc.predictions import Predictions
from polyroc.results import Interval
from polyroc.typing import Float64Array, RandomState

if TYPE_CHECKING:
    import pandas as pd

Band = Literal["pointwise", "simultaneous"]

MOST_POINTS = 2000
"""Points of a curve that are drawn: straight lines between them err by at most 1/1000."""


FALSE_POSITIVE_RATES = np.linspace(0, 1, 401)
"""Where the band is evaluated."""

_ANGLES = np.linspace(0, np.pi / 2, 17)[:, None]


@dataclass(frozen=True, eq=False)
class BandedCurve:
    """A ROC curve, its band over ``FALSE_POSITIVE_RATES``, and the interval of its area."""

    curve: RocCurve
    low: Float64Array
    high: Float64Array
    area: Interval

    def frame(self) -> "pd.DataFrame":
        """A row per point of the curve, then one per point of the band."""
        import pandas as pd

        points: pd.DataFrame = self.curve.frame().assign(part="curve")
        band = {"part": "band", "positive": self.curve.positive}
        limits = {"true_positive_rate_low": self.low, "true_positive_rate_high": self.high}
        rates = {"false_positive_rate": FALSE_POSITIVE_RATES}
        whole = pd.concat([points, pd.DataFrame({**band, **rates, **limits})])
        area = {"area": self.curve.area, "area_low": self.area.low, "area_high": self.area.high}
        return whole.assign(**area).drop(columns="negative")


def banded_curve(
    predictions: Predictions,
    k: int,
    level: float,
    band: Band = "pointwise",
    rng: RandomState = None,
) -> BandedCurve:
    """Class k against the rest, by column k."""
    positive = predictions.codes == k
    above, below = two_sides(predictions, k, predictions.scores)
    whole = roc_of(predictions.classes[k], None, above, below, drop_collinear=True)
    curve, quantile = thinned(whole, MOST_POINTS), two_sided_quantile(level)
    area = estimate(
        positive,
        predictions.scores[:, k],
        "roc_auc",
        labels=[False, True],
        sample_weight=predictions.weights,
    )
    weights = predictions.case_weights
    counts = effective_count(weights[~positive]), effective_count(weights[positive])
    if band == "simultaneous":
        low, high = simultaneous_band(curve, counts, level, FALSE_POSITIVE_RATES, rng)
    else:
        rates = curve.false_positive_rate, curve.true_positive_rate
        sides = [
            (rate, *wilson_limits(rate, count, quantile))
            for rate, count in zip(rates, counts, strict=True)
        ]
        low, high = ellipses(*sides)
    return BandedCurve(curve, low, high, area.interval(level))


def ellipses(
    false: Sequence[Float64Array], true: Sequence[Float64Array]
) -> tuple[Float64Array, ...]:
    """Lower and upper edge of quarter ellipses around points with limits (value, low, high)."""
    x, x_low, x_high = false
    y, y_low, y_high = true
    across, along = np.cos(_ANGLES), np.sin(_ANGLES)
    at = FALSE_POSITIVE_RATES
    high = highest_before(x - across * (x - x_low), y + along * (y_high - y), at)
    # Below, the same from the other corner: the lowest of the points to the right.
    low = 1 - highest_before(1 - x - across * (x_high - x), 1 - y + along * (y - y_low), 1 - at)
    return low, high


def highest_before(x: Float64Array, y: Float64Array, at: Float64Array) -> Float64Array:
    """Greatest y of the points with x up to each place; 0 where there is none.

    Examples
    --------
    >>> highest_before(np.array([0.2, 0.1]), np.array([0.5, 0.7]), np.array([0, 0.1, 1]))
    array([0. , 0.7, 0.7])
    """
    order = np.argsort(x, axis=None)
    reached = np.append(0, np.maximum.accumulate(y.ravel()[order]))
    return reached[np.searchsorted(x.ravel()[order], at, side="right")]


def thinned(curve: RocCurve, most: int) -> RocCurve:
    """The curve with at most about so many points, evenly spaced along FPR + TPR, ends included."""
    if len(curve.thresholds) <= most:
        return curve
    along = curve.false_positive_rate + curve.true_positive_rate
    kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], most)))
    return replace(
        curve,
        false_positive_rate=curve.false_positive_rate[kept],
        true_positive_rate=curve.true_positive_rate[kept],
        thresholds=curve.thresholds[kept],
    )


def effective_count(weights: Float64Array) -> float:
    """(Σw)²/Σw²: the number of cases where they weigh the same."""
    return float(weights.sum() ** 2 / (weights**2).sum())
