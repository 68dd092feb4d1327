"""Isopleths of area and expected cost over the parameters of binormal ROC curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from polyroc.display._base import Display
from polyroc.display._cost_grid import CostGrid, CostModel, ModelName, Point, Segment, model_named
from polyroc.display._marks import COLOURS
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

AREA_LEVELS = (0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
SAEC_LEVELS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)


@dataclass(frozen=True, eq=False, repr=False)
class SaecIsoplethDisplay(Display):
    """Lines of equal area (solid) and of equal SAEC (dash-dotted).

    Where two such lines cross, the metrics disagree about curves nearby. Figures 1 and 2 of
    Edwards & Metz 2007.

    Examples
    --------
    >>> display = SaecIsoplethDisplay.over_grid("proper", n_values=3)
    >>> display.frame().iloc[1].round(4).to_dict()  # the diagonal: SAEC = 1/√2
    {'c': 0.0, 'd_a': 0.0, 'area': 0.5, 'saec': 0.7071}
    """

    grid: CostGrid

    @classmethod
    def over_grid(cls, model: ModelName = "binormal", *, n_values: int = 250) -> Self:
        """Over the paper's ranges of the parameters of ``"binormal"`` or ``"proper"`` curves."""
        return cls(CostGrid.over(model_named(model), n_values))

    def frame(self) -> "pd.DataFrame":
        """A row per point of the grid: both parameters, area and saec."""
        return self.grid.frame()

    def _draw(self, ax: "Axes") -> None:
        grid = self.grid
        model = grid.model
        for values, levels, dashes, colour, places in (
            (grid.area, AREA_LEVELS, "solid", COLOURS[0], _area_places(model)),
            (grid.saec, SAEC_LEVELS, "dashdot", COLOURS[4], _saec_places(model)),
        ):
            lines = ax.contour(
                grid.first, grid.second, values, levels=levels, colors=colour, linestyles=dashes,
                linewidths=1.2,
            )  # fmt: skip
            ax.clabel(lines, fontsize="x-small", fmt="%.2f", manual=places)
        _name_lines(ax, model.area_name)
        ax.set(xlabel=model.axis_names[0], ylabel=model.axis_names[1])
        ax.set_title(f"{model.title.capitalize()} model", fontsize="medium", loc="right")


def _area_places(model: CostModel) -> list[Point]:
    x, y = _along(model.area_labels)
    return _crossings(x, y, model.area_above(x, y), [1 - level for level in AREA_LEVELS])


def _saec_places(model: CostModel) -> list[Point]:
    x, y = _along(model.saec_labels)
    return _crossings(x, y, model.saec(x, y), SAEC_LEVELS)


def _along(segment: Segment) -> tuple[Float64Array, Float64Array]:
    (x, y), (end_x, end_y) = segment
    return np.linspace(x, end_x, 1000), np.linspace(y, end_y, 1000)


def _crossings(
    x: Float64Array, y: Float64Array, falling: Float64Array, levels: Sequence[float]
) -> list[Point]:
    """Where values that fall along a line reach the levels; levels beyond its ends are left out."""
    reached = [level for level in levels if falling[-1] < level < falling[0]]
    steps = np.interp(reached, falling[::-1], np.arange(len(falling))[::-1])
    places = np.arange(len(falling))
    return [
        (float(np.interp(step, places, x)), float(np.interp(step, places, y))) for step in steps
    ]


def _name_lines(ax: "Axes", area_name: str) -> None:
    """A legend for the two kinds of lines, above the axes."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=COLOURS[0], linestyle="solid", label=area_name),
        Line2D([], [], color=COLOURS[4], linestyle="dashdot", label="SAEC"),
    ]
    ax.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize="small",
        handlelength=4, frameon=False,
    )  # fmt: skip
