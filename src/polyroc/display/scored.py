"""Scored ROC curves of two classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves.scored import ScoredRoc, scored_roc
from polyroc.display.base import PredictionsDisplay, checked_models
from polyroc.display.marks import add_legend, line_options, square_size
from polyroc.display.naming import shown_names
from polyroc.predictions import Predictions
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_STEPS = 1_000_000
"""Pairs of cases up to which every step is drawn; beyond, the curve at 1,001 margins."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoredRocDisplay(PredictionsDisplay):
    """How the AUC falls when positives lose a margin, for one or more models, each with its sAUC.

    Van Calster et al. 2008 §II C. The second class is positive.

    Examples
    --------
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> models = {"A": [1.0, 0.7, 0.6, 0.5, 0.4, 0.0], "B": [1.0, 0.9, 0.5, 0.6, 0.2, 0.0]}
    >>> ScoredRocDisplay.from_models(y, models).curves["A"]
    ScoredRoc(1 against 0: 8 steps, area 0.466667)
    """

    curves: dict[str, ScoredRoc]

    @classmethod
    def from_models(
        cls,
        y_true: LabelsLike,
        models: Mapping[str, ScoresLike],
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        margins: ArrayLike | None = None,
    ) -> Self:
        """From the probabilities of several models for the same cases."""
        gate: dict[str, Any] = {"labels": labels, "sample_weight": sample_weight}
        curves = {}
        for name, scores in checked_models(models).items():
            grid = _margins(Predictions(y_true, scores, **gate)) if margins is None else margins
            curves[name] = scored_roc(y_true, scores, margins=grid, **gate)
        return cls(curves)

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike,
        y_score: ScoresLike,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        name: str = "model",
        **options: Any,
    ) -> Self:
        """From true classes and probabilities; ``margins=`` sets a grid of margins."""
        return cls.from_models(
            y_true, {name: y_score}, labels=labels, sample_weight=sample_weight, **options
        )

    def frame(self) -> "pd.DataFrame":
        """A row per margin: model, margin, value."""
        import pandas as pd

        frames = {name: curve.frame() for name, curve in self.curves.items()}
        points: pd.DataFrame = pd.concat(frames, names=["model", None])
        return points.reset_index("model").reset_index(drop=True)

    def _size(self) -> tuple[float, float]:
        return square_size(self._names())

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
            ylabel="Share of pairs still ranked right",
        )
        add_legend(ax, names, "upper right")

    def _names(self) -> list[str]:
        """Names in the legend, each with its area."""
        names = shown_names(self.curves)
        gap = "\n" if max(map(len, names)) > 12 and len(names) <= 3 else "  "
        return [
            f"{name}{gap}sAUC {curve.area:.3f}"
            for name, curve in zip(names, self.curves.values(), strict=True)
        ]


def _margins(predictions: Predictions) -> ArrayLike | None:
    """None, every step, where the curve has few enough of them to draw; else a fine grid."""
    few = float(np.prod(predictions.class_counts, dtype=np.float64)) <= MOST_STEPS
    return None if few else np.linspace(0, 1, 1001)
