"""What displays of one curve per model have in common."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from polyroc.display._base import PredictionsDisplay
from polyroc.display._cross_validated import HeldOut
from polyroc.display._marks import square_size
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._given import model_predictions
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Curve = TypeVar("Curve")


def curves_of(
    curve: Callable[[Predictions], Curve],
    y_true: LabelsLike | Mapping[str, Predictions],
    models: Mapping[str, ScoresLike] | None,
    **options: Any,
) -> dict[str, Curve]:
    """A curve per model."""
    given = model_predictions(y_true, models, **options)
    return {name: curve(each) for name, each in given.items()}


class ModelCurvesDisplay(PredictionsDisplay):
    """Curves by model, each a row per point in ``frame``."""

    curves: Mapping[str, Any]

    @classmethod
    @abstractmethod
    def from_models(
        cls,
        y_true: LabelsLike | Mapping[str, Predictions],
        models: Mapping[str, ScoresLike] | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
    ) -> Self:
        """From the probabilities of several models, or a mapping from models to Predictions."""

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        ax: "Axes | None" = None,
        name: str = "model",
        **options: Any,
    ) -> Self:
        """From true classes and probabilities of one model, drawn at once.

        Options are those of ``from_models``, which does not draw before ``plot``.
        """
        predictions = predictions_of(y_true, y_score, labels, sample_weight)
        return cls.from_models({name: predictions}, **options)._drawn(ax)

    @classmethod
    def _from_folds(cls, held_out: HeldOut, *, ax: "Axes | None" = None, **options: Any) -> Self:
        """A curve per fold."""
        whole = held_out.by_fold
        parts = {f"fold {v}": whole.part(rows) for v, rows in enumerate(whole.fold_rows)}
        return cls.from_models(parts, **options)._drawn(ax)

    def frame(self) -> "pd.DataFrame":
        """A row per point of a curve: the model, and what the curve's own frame holds."""
        import pandas as pd

        frames = {name: curve.frame() for name, curve in self.curves.items()}
        points: pd.DataFrame = pd.concat(frames, names=["model", None])
        return points.reset_index("model").reset_index(drop=True)

    def _size(self) -> tuple[float, float]:
        return square_size(self._names())

    @abstractmethod
    def _names(self) -> list[str]:
        """Names in the legend, each with its area."""
