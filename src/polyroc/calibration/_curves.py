"""Reliability curves: shares of true labels against mean probabilities, in bins, with bands.

Bins rather than a smoother: every point is a share of counted cases, its band is Wilson's, which
holds for a handful of cases and for shares of 0 and 1, there is no bandwidth to choose, and the
calibration error is read off the same points.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.levels import check_level, two_sided_quantile, wilson_limits
from polyroc._base.wording import plural
from polyroc.calibration._bins import (
    Binned,
    Strategy,
    check_bins,
    class_columns,
    effective_counts,
    top_label,
)
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Float64Array, Label, LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve:
    """Shares against mean probabilities, a point per bin that has cases.

    Attributes
    ----------
    probability : mean probability of the cases in each bin.
    share : share of them for which it came true.
    low, high : Wilson's limits of the true share, for each bin by itself.
    cases : cases in each bin.
    lower_edge, upper_edge : of each bin.
    level : of the limits.
    """

    probability: Float64Array
    share: Float64Array
    low: Float64Array
    high: Float64Array
    cases: NDArray[np.intp]
    lower_edge: Float64Array
    upper_edge: Float64Array
    level: float

    @classmethod
    def of(cls, binned: Binned, counts: Float64Array, level: float) -> "ReliabilityCurve":
        """The points of a binned column, and of how many cases each share is one."""
        there = binned.cases > 0
        weight = binned.weight[there]
        share = np.clip(binned.true[there] / weight, 0, 1)
        low, high = wilson_limits(share, counts[there], two_sided_quantile(level))
        edges = binned.edges[:-1][there], binned.edges[1:][there]
        mean = binned.p[there] / weight
        return cls(mean, share, low, high, binned.cases[there], *edges, level)

    def frame(self) -> "pd.DataFrame":
        """A row per bin: probability, share, low, high, cases, lower_edge, upper_edge."""
        import pandas as pd

        fields = {name: value for name, value in vars(self).items() if name != "level"}
        return pd.DataFrame(fields)

    def __repr__(self) -> str:
        outside = int(((self.probability < self.low) | (self.probability > self.high)).sum())
        return f"ReliabilityCurve({plural(len(self.share), 'bin')}, {outside} off the diagonal)"


@dataclass(frozen=True, eq=False)
class CalibrationCurves:
    """Reliability curves of the most probable class, and of each class.

    Attributes
    ----------
    top_label : of the highest probability of each case.
    classes : curve of the probability of each class.
    """

    top_label: ReliabilityCurve
    classes: Mapping[Label, ReliabilityCurve]

    def frame(self) -> "pd.DataFrame":
        """A row per bin: kind (``"top_label"`` or ``"class"``), class, and the point."""
        import pandas as pd

        parts = [self.top_label.frame().assign(kind="top_label", **{"class": None})]
        parts += [
            curve.frame().assign(kind="class", **{"class": label})
            for label, curve in self.classes.items()
        ]
        rows = [row for part in parts for row in part.to_dict("records")]
        first = ["kind", "class"]
        return pd.DataFrame(rows, columns=[*first, *parts[0].columns.drop(first)])


def calibration_curves(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    bins: int = 10,
    strategy: Strategy = "quantile",
    level: float = 0.95,
) -> CalibrationCurves:
    """Reliability curves with pointwise bands, of the most probable class and class by class.

    Cases are put into bins by a probability; a point is the mean probability and the observed
    share of a bin. On the diagonal the probabilities are calibrated. Bands are Wilson's limits of
    each share, with the effective number of cases where cases have weights or come in groups.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : see :class:`polyroc.Predictions`; the scores must be
        probabilities.
    groups : group of each case where cases are not independent, such as the patient of an image:
        the bands are then those of groups.
    bins : number of bins; fewer remain where many probabilities are equal, or a bin has no cases.
    strategy : ``"quantile"``, about as many cases in each bin, or ``"uniform"``, edges equally far
        apart, as the calibration error has them.
    level : of the bands.

    Returns
    -------
    CalibrationCurves
        ``top_label``, ``classes``, ``frame()``.

    Examples
    --------
    >>> from polyroc.calibration import calibration_curves
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> curves = calibration_curves(y, models["logistic"], labels=labels, bins=4)
    >>> curves.top_label.probability.round(3).tolist()
    [0.567, 0.752, 0.896, 0.974]
    >>> curves.top_label.share.round(3).tolist()
    [0.615, 0.769, 0.883, 0.991]
    """
    check_level(level)
    bins = check_bins(bins, strategy)
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    q = np.asarray(predictions.probabilities("A calibration curve"), dtype=np.float64)
    weights = predictions.case_weights
    units = predictions.groups if groups is None else predictions.case_groups(groups)[0]
    curves = []
    for column in (top_label(predictions, q), *class_columns(predictions, q)):
        binned = Binned.of(column, weights, bins, strategy)
        counts = effective_counts(binned, column, weights, units)
        curves.append(ReliabilityCurve.of(binned, counts, level))
    top, *each = curves
    return CalibrationCurves(top, dict(zip(predictions.classes, each, strict=True)))
