"""Probabilistic ROC curves of two classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from polyroc.curves.probabilistic import ProbabilisticRoc, probabilistic_roc
from polyroc.display.base import PredictionsDisplay, checked_models
from polyroc.display.marks import add_legend, line_options, square_size, unit_square
from polyroc.display.naming import shown_names
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilisticRocDisplay(PredictionsDisplay):
    """Probabilistic ROC curves of one or more models, each with its pAUC and interval width d.

    Van Calster et al. 2008 §II B. The second class is positive.

    Examples
    --------
    >>> display = ProbabilisticRocDisplay.from_predictions([0, 1], [0.25, 0.75])
    >>> display.curves
    {'model': ProbabilisticRoc(1 against 0: width 1.70711, area 0.75)}
    """

    curves: dict[str, ProbabilisticRoc]

    @classmethod
    def from_models(
        cls,
        y_true: LabelsLike,
        models: Mapping[str, ScoresLike],
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        width: float | None = None,
    ) -> Self:
        """From the probabilities of several models for the same cases."""
        return cls(
            {
                name: probabilistic_roc(
                    y_true, scores, labels=labels, sample_weight=sample_weight, width=width
                )
                for name, scores in checked_models(models).items()
            }
        )

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
        """From true classes and probabilities; ``width=`` sets the width d."""
        return cls.from_models(
            y_true, {name: y_score}, labels=labels, sample_weight=sample_weight, **options
        )

    def frame(self) -> "pd.DataFrame":
        """A row per point: model, threshold, both rates."""
        import pandas as pd

        frames = {name: curve.frame() for name, curve in self.curves.items()}
        points: pd.DataFrame = pd.concat(frames, names=["model", None])
        return points.reset_index("model").reset_index(drop=True)

    def _size(self) -> tuple[float, float]:
        return square_size(self._names())

    def _draw(self, ax: "Axes") -> None:
        unit_square(ax, "False positive rate", "True positive rate")
        names = self._names()
        for k, (curve, name) in enumerate(zip(self.curves.values(), names, strict=True)):
            style = line_options(k, len(names))
            ax.plot(curve.false_positive_rate, curve.true_positive_rate, label=name, **style)
        add_legend(ax, names)

    def _names(self) -> list[str]:
        """Names in the legend, each with its area."""
        names = shown_names(self.curves)
        gap = "\n" if max(map(len, names)) > 12 and len(names) <= 3 else "  "
        return [
            f"{name}{gap}pAUC {curve.area:.3f}, d {curve.width:.3g}"
            for name, curve in zip(names, self.curves.values(), strict=True)
        ]
