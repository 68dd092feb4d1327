"""The matrix of pairwise AUCs as a heat map."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polyroc._base.levels import check_level
from polyroc.display._base import PredictionsDisplay, require_classes
from polyroc.display._cross_validated import HeldOut
from polyroc.display._matrix import Scale, draw_matrix, matrix_frame, matrix_size
from polyroc.errors import InvalidInput
from polyroc.inference._influence import CaseDesign
from polyroc.inference._pairs import pair_limits
from polyroc.metrics.folds import pairs_of
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Absent, Float64Array, Label, LabelsLike, ScoresLike, Ties, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_CLASSES = 30


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseAucDisplay(PredictionsDisplay):
    """AUC(k|r) of all ordered pairs: row k is the positive class, whose scores rank.

    With ``from_cv_results`` AUCs are means over folds.

    Examples
    --------
    >>> y = [1, 1, 2, 2, 3, 3]
    >>> p = [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.5, 0.2],
    ...      [0.4, 0.5, 0.1], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8]]
    >>> PairwiseAucDisplay.from_predictions(y, p).frame().head(2)
       positive  negative   auc
    0         1         2  1.00
    1         1         3  0.75
    """

    matrix: Float64Array
    classes: tuple[Label, ...]
    limits: Float64Array | None = None
    """(2, K, K) lower and upper confidence limits, written below each AUC, if asked for."""

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        ties: Ties = "fair",
        absent: Absent = "raise",
        groups: Any = None,
        level: float | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and scores of any kind, drawn at once; means over folds, if any.

        With a ``level``, such as 0.95, the confidence limits of :func:`polyroc.evaluate_pairs` are
        written below each AUC, for cases in ``groups`` if they are.
        """
        predictions = predictions_of(y_true, y_score, labels, sample_weight, absent)
        require_classes(predictions, cls.__name__, 2, MOST_CLASSES, "polyroc.pairwise_auc")
        matrix = pairs_of(predictions).auc(ties)
        if level is None:
            return cls(matrix, predictions.classes)._drawn(ax)
        check_level(level)
        if ties != "fair":
            raise InvalidInput(f'Limits are those of ties="fair", got ties={ties!r}.')
        design = CaseDesign.of(groups, predictions)
        limits = pair_limits(predictions, design, level)
        return cls(matrix, predictions.classes, limits)._drawn(ax)

    @classmethod
    def _from_folds(cls, held_out: HeldOut, **options: Any) -> Self:
        """Means over folds; limits count each case once."""
        if options.get("level") is not None:
            held_out.together(cls.__name__)
        return cls.from_predictions(held_out.by_fold, **options)

    def frame(self) -> "pd.DataFrame":
        """A row per ordered pair: positive, negative, auc, and low and high where there are."""
        made = matrix_frame(self.matrix, self.classes, ("positive", "negative", "auc"))
        if self.limits is None:
            return made
        low, high = self.limits[:, ~np.isnan(self.matrix)]
        return made.assign(low=low, high=high)

    def _size(self) -> tuple[float, float]:
        return matrix_size(self.classes)

    def _draw(self, ax: "Axes") -> None:
        lowest = min(0.5, math.floor(float(np.nanmin(self.matrix)) * 10) / 10)
        scale = Scale("AUC of row against column", lowest, 1.0, "cividis", "{:.2f}")
        draw_matrix(ax, self.matrix, self.classes, scale, self.limits)
        ax.set(xlabel="Negative class", ylabel="Positive class")
