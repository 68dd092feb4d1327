"""Convex hull of the empirical ROC curve: its points, area, length and cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc._base.sums import running_weight
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array, IntArray, LabelsLike, ScoresLike, WeightsLike
from polyroc.utility._categories import Categories, RankedCases
from polyroc.utility._fits import two_classes


@dataclass(frozen=True, eq=False, repr=False)
class RocHull:
    """Upper convex hull of an empirical ROC curve.

    Attributes
    ----------
    false_positive_rate, true_positive_rate : (m,) corners from (0, 0) to (1, 1).
    """

    false_positive_rate: Float64Array
    true_positive_rate: Float64Array

    @property
    def area(self) -> float:
        """Area under the hull, at least ½ and at least that of the curve."""
        return float(np.trapezoid(self.true_positive_rate, self.false_positive_rate))

    @property
    def length(self) -> float:
        """Length of the hull, from √2 to 2."""
        steps = np.diff(self.false_positive_rate), np.diff(self.true_positive_rate)
        return float(np.hypot(*steps).sum())

    @property
    def saec(self) -> float:
        """2(1 − area)/length: Edwards & Metz 2007 eq. 17."""
        return 2 * (1 - self.area) / self.length

    def frame(self) -> Any:
        """One row per corner, as a pandas data frame."""
        import pandas as pd

        rates = {"false_positive_rate": self.false_positive_rate}
        return pd.DataFrame({**rates, "true_positive_rate": self.true_positive_rate})

    def __repr__(self) -> str:
        return f"RocHull({len(self.false_positive_rate)} corners, area {self.area:.6g})"


def roc_hull(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
) -> RocHull:
    """Convex hull of the ROC curve of two classes, the second of them positive: O(n log n).

    The hull is what a decision maker can reach who may also decide at random between two
    thresholds. Without ties between the classes the curve itself is a staircase of length 2; its
    hull has a length that says something. It is optimistic: every case helps to draw it.

    Examples
    --------
    >>> hull = roc_hull([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> hull.frame()
       false_positive_rate  true_positive_rate
    0                  0.0                 0.0
    1                  0.0                 0.5
    2                  0.5                 1.0
    3                  1.0                 1.0
    >>> hull.area
    0.875
    """
    predictions = two_classes(y_true, y_score, labels, sample_weight, "roc_hull")
    return hull_of(RankedCases.of(predictions).runs())


def hull_of(data: Categories) -> RocHull:
    """Hull of the ROC points between categories."""
    below = running_weight(data.weights.T)[hull_edges(data)].T
    false, true = (below[:, -1:] - below)[:, ::-1] / below[:, -1:]
    return RocHull(false, true)


def hull_edges(data: Categories) -> IntArray:
    """Where the categories under each edge of the hull start, and where the last end.

    The slopes of the hull are the isotonic regression of the share of positives in each category
    on the score, so the categories that it pools are those under one edge.
    """
    from scipy.optimize import isotonic_regression

    total = data.weights.sum(axis=0)
    blocks = isotonic_regression(data.weights[1] / total, weights=total).blocks
    return np.asarray(blocks, dtype=np.int64)
