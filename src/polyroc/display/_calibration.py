"""Reliability curves with bands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from polyroc._base.checks import check_choice
from polyroc.calibration import CalibrationError, ReliabilityCurve, calibration_curves
from polyroc.calibration import calibration_error as error_of
from polyroc.calibration._bins import Strategy
from polyroc.display._base import PredictionsDisplay
from polyroc.display._marks import add_legend, band_options, line_options, square_size, unit_square
from polyroc.display._naming import names_with, shown_names
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import LabelsLike, RandomState, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_BANDS = 4
"""More bands than this hide each other, so that only the frame has them."""


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationDisplay(PredictionsDisplay):
    """Reliability curve of each class, or of the most probable class, with pointwise bands.

    Calibrated probabilities lie on the diagonal; bars and bands are Wilson's limits of the share in
    each bin. Bands are drawn for up to four curves; the frame always has them.
    ``from_cv_results`` takes the cases of all folds together: the learner is what is calibrated.

    Attributes
    ----------
    curves : by class, or one by the name ``"most probable class"``.
    error : the calibration error of that kind.

    Examples
    --------
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> display = CalibrationDisplay.from_predictions(y, models["forest"], labels=labels)
    >>> list(display.curves)
    ['common', 'frequent', 'rare']
    """

    styles = ("line_kw", "band_kw")

    curves: Mapping[Any, ReliabilityCurve]
    error: CalibrationError

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        kind: Literal["class_wise", "top_label"] = "class_wise",
        bins: int = 10,
        strategy: Strategy = "quantile",
        level: float = 0.95,
        rng: RandomState = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and probabilities, drawn at once.

        Parameters are those of :func:`polyroc.calibration.calibration_curves`; ``rng`` is the seed
        of the calibration error under calibration, which has bins of the same strategy.
        """
        check_choice(kind, "kind", ("class_wise", "top_label"))
        predictions = predictions_of(y_true, y_score, labels, sample_weight)
        options: dict[str, Any] = {"bins": bins, "strategy": strategy}
        found = calibration_curves(predictions, level=level, **options)
        error = error_of(predictions, kind=kind, rng=rng, n_resamples=200, **options)
        top = {"most probable class": found.top_label}
        return cls(dict(found.classes) if kind == "class_wise" else top, error)._drawn(ax)

    def frame(self) -> "pd.DataFrame":
        """A row per point: class, probability, share, low, high, cases, lower_edge, upper_edge."""
        import pandas as pd

        parts = [curve.frame() for curve in self.curves.values()]
        labels = [label for label, part in zip(self.curves, parts, strict=True) for _ in part.index]
        points = pd.concat(parts, ignore_index=True)
        points.insert(0, "class", labels)
        return points

    def _size(self) -> tuple[float, float]:
        return square_size(self._names())

    def _names(self) -> list[str]:
        names = shown_names(self.curves)
        details = [f"{int(curve.cases.sum()):,} cases" for curve in self.curves.values()]
        return names if len(names) > 1 else names_with(self.curves, details)

    def _draw(self, ax: "Axes") -> None:
        names = self._names()
        unit_square(ax, "Mean probability", "Observed share")
        for k, (curve, name) in enumerate(zip(self.curves.values(), names, strict=True)):
            style = line_options(k, len(self.curves))
            points = {"marker": "o", "markersize": 3.5, **style, "markevery": None}
            ax.plot(curve.probability, curve.share, label=name, **points)
            if len(self.curves) <= MOST_BANDS:
                x = np.append(curve.probability, curve.probability[::-1])
                y = np.append(curve.high, curve.low[::-1])
                ax.fill(x, y, **band_options(style["color"]))
        ax.set_title(_error_in_words(self.error), fontsize="medium")
        add_legend(ax, names)


def _error_in_words(error: CalibrationError) -> str:
    return (
        f"Calibration error {error.debiased:.3f} (raw {error.value:.3f}; "
        f"{error.under_calibration:.3f} if calibrated)"
    )
