"""One-vs-rest ROC curves with bands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from polyroc._base.checks import check_choice, shown
from polyroc._base.levels import check_level
from polyroc.display._base import PredictionsDisplay
from polyroc.display._cross_validated import HeldOut
from polyroc.display._marks import add_legend, band_options, line_options, square_size, unit_square
from polyroc.display._naming import literal, names_with
from polyroc.display._rate_bands import FALSE_POSITIVE_RATES, Band, BandedCurve, banded_curve
from polyroc.errors import NotDefined, UnknownName
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._classes import listed
from polyroc.predictions._given import model_predictions
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
    drawn for up to four curves; the frame always has them. ``from_models`` draws the curves of
    several models for one class.

    Examples
    --------
    >>> y, p = [0, 1, 2, 2], [[1, 0, 0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]
    >>> display = RocCurvesDisplay.from_predictions(y, p)
    >>> {label: banded.curve.area for label, banded in display.curves.items()}
    {0: 1.0, 1: 1.0, 2: 0.875}
    """

    styles = ("line_kw", "band_kw")

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
    def from_models(
        cls,
        y_true: LabelsLike | Mapping[str, Predictions],
        models: Mapping[str, ScoresLike] | None = None,
        *,
        positive: Label | None = None,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        level: float = 0.95,
        band: Band = "pointwise",
        rng: RandomState = 0,
        absent: Absent = "raise",
        ax: "Axes | None" = None,
    ) -> Self:
        """From the scores of several models, drawn at once: a curve per model, of one class.

        Parameters
        ----------
        y_true, models : true classes, and a mapping from names to scores; or a mapping from names
            to Predictions.
        positive : the class whose curves are drawn, each against the rest; of two classes it is
            the second one unless it is named.
        labels, sample_weight, absent : see :class:`polyroc.Predictions`.
        level, band, rng : as for ``from_predictions``.
        ax : axes to draw into; by default those of a new figure.

        Returns
        -------
        RocCurvesDisplay
            Its frame names the model of each row in the column ``curve``.

        Examples
        --------
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> display = RocCurvesDisplay.from_models(y, models, positive="rare", labels=labels)
        >>> {name: round(banded.curve.area, 3) for name, banded in display.curves.items()}
        {'logistic': 0.913, 'forest': 0.893, 'bayes': 0.906}
        """
        check_level(level)
        check_choice(band, "band", ("pointwise", "simultaneous"))
        options = {"labels": labels, "sample_weight": sample_weight, "absent": absent}
        given = model_predictions(y_true, models, **options)
        curves: dict[Label, BandedCurve] = {
            name: banded_curve(each, _place_of(positive, each), level, band, rng)
            for name, each in given.items()
        }
        return cls(curves, level)._drawn(ax)

    @classmethod
    def _from_folds(  # type: ignore[override]  # it has no other options
        cls, held_out: HeldOut, *, level: float = 0.95, ax: "Axes | None" = None
    ) -> Self:
        """A curve per class and fold."""
        check_level(level)
        whole, curves = held_out.by_fold, dict[Label, BandedCurve]()
        for fold, rows in enumerate(whole.fold_rows):
            part = whole.part(rows)
            for k in _positives(part):
                name = f"{part.classes[k]}, fold {fold}"
                curves[name] = banded_curve(part, k, level, "pointwise", 0)
        return cls(curves, level)._drawn(ax)

    def frame(self) -> "pd.DataFrame":
        """A row per point of each curve and of its band, with the area and its limits.

        Where curves are those of models or of folds, ``curve`` is the name of each.
        """
        import pandas as pd

        frames = [
            banded.frame() if name == banded.curve.positive else banded.frame().assign(curve=name)
            for name, banded in self.curves.items()
        ]
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
        positives = {banded.curve.positive for banded in self.curves.values()}
        if len(positives) == 1 and not positives & set(self.curves):  # curves of models or folds
            ax.set_title(f"{literal(positives.pop())} against the rest", fontsize="medium")
        add_legend(ax, names)

    def _names(self) -> list[str]:
        """Names in the legend, each with its area and interval."""
        each = self.curves.values()
        areas = (f"AUC {banded.curve.area:.3f}{_limits(banded)}" for banded in each)
        return names_with(self.curves, areas)


def _positives(predictions: Predictions) -> Sequence[int]:
    """The classes that have a curve."""
    return range(predictions.n_classes) if predictions.n_classes > 2 else [1]


def _place_of(positive: Label | None, predictions: Predictions) -> int:
    """Column of the class whose curve is asked for."""
    if positive is None:
        if predictions.n_classes == 2:
            return 1
        raise NotDefined(
            f"A ROC curve is that of one class against the rest, got {predictions.n_classes} "
            "classes. Name it by positive=."
        )
    if positive not in predictions.classes:
        raise UnknownName(
            f"There is no class {shown(positive)}. The classes are {listed(predictions.classes)}."
        )
    return predictions.classes.index(positive)


def _limits(banded: BandedCurve) -> str:
    low, high, *_ = banded.area
    return "" if low != low else f" ({low:.3f}–{high:.3f})"


def _draw_band(ax: "Axes", banded: BandedCurve, colour: str) -> None:
    x = np.append(FALSE_POSITIVE_RATES, FALSE_POSITIVE_RATES[::-1])
    y = np.append(banded.high, banded.low[::-1])
    ax.fill(x, y, **band_options(colour))
