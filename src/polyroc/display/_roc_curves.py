"""One-vs-rest ROC curves with bands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polyroc._base.checks import check_choice
from polyroc._base.levels import check_level
from polyroc.display._base import PredictionsDisplay
from polyroc.display._cross_validated import cross_validated
from polyroc.display._marks import add_legend, line_options, square_size, unit_square
from polyroc.display._naming import names_with
from polyroc.display._rate_bands import FALSE_POSITIVE_RATES, Band, BandedCurve, banded_curve
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Absent, Label, LabelsLike, RandomState, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_BANDS = 4
"""More bands than this hide each other, so that only the frame has them."""


@dataclass(frozen=True, eq=False, repr=False)
class RocCurvesDisplay(PredictionsDisplay):
    """ROC curve of each class against the rest, its band, and its AUC with an interval.

    Two classes have one curve, with the second class positive. Pointwise bands contain the true
    curve at any one FPR with the probability ``level``, nearly; simultaneous ones, of fixed width,
    contain the whole curve with that probability or a higher one, each curve by itself. Bands are
    drawn for up to four curves; the frame always has them.

    Examples
    --------
    >>> y, p = [0, 1, 2, 2], [[1, 0, 0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]
    >>> display = RocCurvesDisplay.from_predictions(y, p)
    >>> {label: banded.curve.area for label, banded in display.curves.items()}
    {0: 1.0, 1: 1.0, 2: 0.875}
    """

    curves: dict[Label, BandedCurve]
    level: float

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        level: float = 0.95,
        band: Band = "pointwise",
        rng: RandomState = 0,
        absent: Absent = "raise",
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and scores of any kind, drawn at once.

        ``band`` is ``"pointwise"`` or ``"simultaneous"``; the width of the latter is found by
        resampling, with ``rng`` as its seed.
        """
        check_level(level)
        check_choice(band, "band", ("pointwise", "simultaneous"))
        predictions = predictions_of(y_true, y_score, labels, sample_weight, absent)
        curves = {
            predictions.classes[k]: banded_curve(predictions, k, level, band, rng)
            for k in _positives(predictions)
        }
        return cls(curves, level)._drawn(ax)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: LabelsLike,
        *,
        sample_weight: WeightsLike | None = None,
        level: float = 0.95,
        ax: "Axes | None" = None,
    ) -> Self:
        """From a cross-validation by scikit-learn, drawn at once: a curve per class and fold.

        ``cv_results`` is what ``cross_validate(…, return_estimator=True, return_indices=True)``
        returned for the same ``X`` and ``y``. Cases of different folds are not ranked together.
        """
        check_level(level)
        whole = cross_validated(cv_results, X, y, sample_weight)
        curves: dict[Label, BandedCurve] = {}
        for fold, rows in enumerate(whole.fold_rows):
            part = whole.part(rows)
            for k in _positives(part):
                name = f"{part.classes[k]}, fold {fold}"
                curves[name] = banded_curve(part, k, level, "pointwise", 0)
        return cls(curves, level)._drawn(ax)

    def frame(self) -> "pd.DataFrame":
        """A row per point of each curve and of its band, with the area and its limits."""
        import pandas as pd

        frames = [banded.frame() for banded in self.curves.values()]
        return pd.concat(frames, ignore_index=True)

    def _size(self) -> tuple[float, float]:
        return square_size(self._names())

    def _draw(self, ax: "Axes") -> None:
        names = self._names()
        unit_square(ax, "False positive rate", "True positive rate")
        for k, (banded, name) in enumerate(zip(self.curves.values(), names, strict=True)):
            style, curve = line_options(k, len(self.curves)), banded.curve
            ax.plot(curve.false_positive_rate, curve.true_positive_rate, label=name, **style)
            if len(self.curves) <= MOST_BANDS:
                _draw_band(ax, banded, style["color"])
        add_legend(ax, names)

    def _names(self) -> list[str]:
        """Names in the legend, each with its area and interval."""
        each = self.curves.values()
        areas = (f"AUC {banded.curve.area:.3f}{_limits(banded)}" for banded in each)
        return names_with(self.curves, areas)


def _positives(predictions: Predictions) -> Sequence[int]:
    """The classes that have a curve."""
    return range(predictions.n_classes) if predictions.n_classes > 2 else [1]


def _limits(banded: BandedCurve) -> str:
    low, high, *_ = banded.area
    return "" if low != low else f" ({low:.3f}–{high:.3f})"


def _draw_band(ax: "Axes", banded: BandedCurve, colour: str) -> None:
    x = np.append(FALSE_POSITIVE_RATES, FALSE_POSITIVE_RATES[::-1])
    y = np.append(banded.high, banded.low[::-1])
    ax.fill(x, y, color=colour, alpha=0.15, linewidth=0, zorder=1)
