"""Probabilistic ROC curves of two classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

from polyroc.curves._probabilistic import ProbabilisticRoc, probabilistic_roc
from polyroc.display._marks import add_legend, line_options, unit_square
from polyroc.display._model_curves import ModelCurvesDisplay, curves_of
from polyroc.display._naming import names_with
from polyroc.predictions import Predictions
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilisticRocDisplay(ModelCurvesDisplay):
    """Probabilistic ROC curves of one or more models, each with its pAUC and interval width d.

    Van Calster et al. 2008 §II B. The second class is positive. ``from_cv_results``
    draws a curve per fold.

    Examples
    --------
    >>> display = ProbabilisticRocDisplay.from_predictions([0, 1], [0.25, 0.75])
    >>> display.curves
    {'model': ProbabilisticRoc(1 against 0: width 1.70711, area 0.75)}
    """

    styles = ("line_kw",)

    curves: dict[str, ProbabilisticRoc]

    @classmethod
    def from_models(
        cls,
        y_true: LabelsLike | Mapping[str, Predictions],
        models: Mapping[str, ScoresLike] | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        width: float | None = None,
    ) -> Self:
        """From the probabilities of several models for the same cases.

        A mapping from models to Predictions takes the place of labels and scores.
        """
        curve = partial(probabilistic_roc, width=width)
        options = {"labels": labels, "sample_weight": sample_weight}
        return cls(curves_of(curve, y_true, models, **options))

    def _draw(self, ax: "Axes") -> None:
        unit_square(ax, "False positive rate", "True positive rate")
        names = self._names()
        for k, (curve, name) in enumerate(zip(self.curves.values(), names, strict=True)):
            style = line_options(k, len(names))
            ax.plot(curve.false_positive_rate, curve.true_positive_rate, label=name, **style)
        add_legend(ax, names)

    def _names(self) -> list[str]:
        """Names in the legend, each with its area."""
        areas = (f"pAUC {curve.area:.3f}, d {curve.width:.3g}" for curve in self.curves.values())
        return names_with(self.curves, areas)
