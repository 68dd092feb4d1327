"""Net benefit of models against thresholds or costs, with the best one marked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polyroc._base.levels import check_level, two_sided_quantile
from polyroc.display._base import PredictionsDisplay
from polyroc.display._marks import GREY, add_legend, band_options, fits_inside, line_options
from polyroc.display._naming import literal, shown_names
from polyroc.errors import NotDefined
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Label, LabelsLike, ScoresLike, WeightsLike
from polyroc.utility import BenefitCurves, decision_curves

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_BANDS = 4
"""More bands than this hide each other, so that only the frame has them."""
LOWEST = -0.25
"""Curves that fall below this share of the highest benefit are cut off."""
ABOVE_AXIS = 0.02
"""Share of the height at which the best strategy is marked: the axis hides no part of it."""


@dataclass(frozen=True, eq=False, repr=False)
class NetBenefitDisplay(PredictionsDisplay):
    """Benefit of each strategy, and below it which one is the best, where.

    The line at the foot has the colour of the best strategy; it is thick where the differences to
    all others are clear. Bands are drawn for up to four models; the frame always has them.
    ``from_cv_results`` takes the cases of all folds together, which have the same thresholds.

    Examples
    --------
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> display = NetBenefitDisplay.from_models(y, models, positive="rare", labels=labels)
    >>> display.curves.strategies
    ('logistic', 'forest', 'bayes', 'all', 'none')
    """

    styles = ("line_kw", "band_kw")

    curves: BenefitCurves
    level: float
    subject: str

    @classmethod
    def of(cls, curves: BenefitCurves, *, level: float = 0.95, subject: str = "") -> Self:
        """From curves that were computed before, such as those of ``utility_curves``."""
        check_level(level)
        return cls(curves, level, subject)

    @classmethod
    def from_models(
        cls,
        y_true: LabelsLike | Mapping[str, Predictions],
        models: Mapping[str, ScoresLike] | None = None,
        *,
        positive: Label | None = None,
        level: float = 0.95,
        labels: LabelsLike | None = None,
        **options: Any,
    ) -> Self:
        """Decision curves of one class; options as for ``decision_curves``."""
        curves = decision_curves(y_true, models, labels=labels, **options)
        if positive is None and len(curves) > 1:
            raise NotDefined(
                f"A decision curve is that of one class, got {len(curves)} classes. "
                "Name it by positive=."
            )
        label = next(iter(curves)) if positive is None else positive
        return cls.of(curves[label], level=level, subject=str(label))

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        name: str = "model",
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """From true classes and probabilities of one model, drawn at once.

        Options are those of ``from_models``, which does not draw before ``plot``.
        """
        predictions = predictions_of(y_true, y_score, labels, sample_weight)
        return cls.from_models({name: predictions}, **options)._drawn(ax)

    def frame(self) -> "pd.DataFrame":
        """A row per strategy and position: the benefit, its limits and whether it is the best."""
        return self.curves.frame(self.level)

    def _size(self) -> tuple[float, float]:
        return (6.4, 4.8) if fits_inside(shown_names(self.curves.strategies)) else (9.4, 4.8)

    def _draw(self, ax: "Axes") -> None:
        found, names = self.curves, shown_names(self.curves.strategies)
        styles = self._styles()
        reach = two_sided_quantile(self.level, found.degrees_of_freedom) * found.standard_errors
        for k, (name, style) in enumerate(zip(names, styles, strict=True)):
            ax.plot(found.positions, found.values[k], label=name, **style)
            if k < found.n_models <= MOST_BANDS:
                x = np.append(found.positions, found.positions[::-1])
                y = np.append((found.values + reach)[k], (found.values - reach)[k, ::-1])
                ax.fill(x, y, **band_options(style["color"]))
        highest = float((found.values + reach)[: found.n_models].max())
        lowest = LOWEST * highest if highest > 0 else None
        ax.set_ylim(lowest, 1.05 * highest if highest > 0 else None)
        self._mark_best(ax, styles)
        subject = f" of acting on {literal(self.subject)}" if self.subject else ""
        name = found.position[:1].upper() + found.position[1:]
        ax.set(xlabel=literal(name), ylabel=f"Net benefit{subject}")
        add_legend(ax, names, "upper right")

    def _styles(self) -> list[dict[str, Any]]:
        n = self.curves.n_models
        models = [line_options(k, n) for k in range(n)]
        others = [
            {"color": GREY, "linestyle": dashes, "linewidth": 1.2}
            for dashes in ("-", ":", "--")[: len(self.curves.strategies) - n]
        ]
        return models + others

    def _mark_best(self, ax: "Axes", styles: list[dict[str, Any]]) -> None:
        """A line at the foot, each range as far as half-way to the next."""
        at, ranges = self.curves.positions, self.curves.where(self.level)
        middles = np.concatenate([at[:1], (at[1:] + at[:-1]) / 2, at[-1:]])
        low, high = ax.get_ylim()
        foot = low + ABOVE_AXIS * (high - low)
        for each in ranges:
            start = middles[np.searchsorted(at, each.start)]
            end = middles[np.searchsorted(at, each.end) + 1]
            colour = styles[self.curves.strategies.index(each.strategy)]["color"]
            width = 8 if each.clear else 3
            ax.plot([start, end], [foot, foot], color=colour, linewidth=width, zorder=3,
                    solid_capstyle="butt")  # fmt: skip
