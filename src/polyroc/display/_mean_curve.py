"""The mean of the ROC curves of folds, at each false positive rate."""

from collections.abc import Sequence

import numpy as np

from polyroc.curves import RocCurve
from polyroc.typing import Float64Array


def mean_curve(curves: Sequence[RocCurve]) -> RocCurve:
    """Vertical averaging (Fawcett 2006): its area is the mean of the areas, exactly.

    There is a point before and one after each step, and thresholds, which differ between folds,
    are NaN.
    """
    rates = np.unique(np.concatenate([curve.false_positive_rate for curve in curves]))
    ends = np.mean([_ends(curve, rates) for curve in curves], axis=0)
    points = np.column_stack([np.repeat(rates, 2), ends.T.ravel()])
    points = points[np.append(True, (np.diff(points, axis=0) != 0).any(axis=1))]
    first, area = curves[0], float(np.mean([curve.area for curve in curves]))
    nothing = np.full(len(points), np.nan)
    return RocCurve(first.positive, first.negative, points[:, 0], points[:, 1], nothing, area)


def _ends(curve: RocCurve, rates: Float64Array) -> Float64Array:
    """(2, m) true positive rates at the foot and at the head of the step at each rate."""
    x, y = curve.false_positive_rate, curve.true_positive_rate
    between = np.interp(rates, x, y)
    foot, head = np.searchsorted(x, rates, "left"), np.searchsorted(x, rates, "right") - 1
    there = x[head] == rates
    return np.where(there, [y[np.minimum(foot, len(x) - 1)], y[head]], between)
