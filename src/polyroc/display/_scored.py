"""Scored ROC curves of two classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves._scored import ScoredRoc, scored_roc
from polyroc.display._marks import add_legend, line_options
from polyroc.display._model_curves import ModelCurvesDisplay, curves_of
from polyroc.display._naming import names_with
from polyroc.predictions import Predictions
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_STEPS = 1_000_000
"""Pairs of cases up to which every step is drawn; beyond, the curve at 1,001 margins."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoredRocDisplay(ModelCurvesDisplay):
    """How the AUC falls when positives lose a margin, for one or more models, each with its sAUC.

    Van Calster et al. 2008 §II C. The second class is positive. ``from_cv_results``
    draws a curve per fold.

    Examples
    --------
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> models = {"A": [1.0, 0.7, 0.6, 0.5, 0.4, 0.0], "B": [1.0, 0.9, 0.5, 0.6, 0.2, 0.0]}
    >>> ScoredRocDisplay.from_models(y, models).curves["A"]
    ScoredRoc(1 against 0: 8 steps, area 0.466667)
    """

    styles = ("line_kw",)

    curves: dict[str, ScoredRoc]

    @classmethod
    def from_models(
        cls,
        y_true: LabelsLike | Mapping[str, Predictions],
        models: Mapping[str, ScoresLike] | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        margins: ArrayLike | None = None,
    ) -> Self:
        """From the probabilities of several models for the same cases.

        A mapping from models to Predictions takes the place of labels and scores.
        """
        curve = partial(_curve, margins=margins)
        options = {"labels": labels, "sample_weight": sample_weight}
        return cls(curves_of(curve, y_true, models, **options))

    def _draw(self, ax: "Axes") -> None:
        names = self._names()
        for k, (curve, name) in enumerate(zip(self.curves.values(), names, strict=True)):
            style = line_options(k, len(names)) | {
                "drawstyle": "steps-post" if curve.exact else "default"
            }
            ax.plot(curve.margins, curve.values, label=name, **style)
        ax.set(
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            xlabel="Margin τ taken from the positives",
            ylabel="Share of pairs still ranked correctly",
        )
        add_legend(ax, names, "upper right")

    def _names(self) -> list[str]:
        """Names in the legend, each with its area."""
        return names_with(self.curves, (f"sAUC {curve.area:.3f}" for curve in self.curves.values()))


def _curve(predictions: Predictions, margins: ArrayLike | None) -> ScoredRoc:
    grid = _margins(predictions) if margins is None else margins
    return scored_roc(predictions, margins=grid)


def _margins(predictions: Predictions) -> ArrayLike | None:
    """None, every step, where the curve has few enough of them to draw; else a fine grid."""
    few = float(np.prod(predictions.class_counts, dtype=np.float64)) <= MOST_STEPS
    return None if few else np.linspace(0, 1, 1001)
