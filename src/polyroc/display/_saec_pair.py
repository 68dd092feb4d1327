"""Two binormal ROC curves about which area and expected cost disagree."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from polyroc.display._base import Display
from polyroc.display._cost_grid import CostGrid, CostModel, ModelName, Point, Range, model_named
from polyroc.display._marks import COLOURS, line_options, unit_square
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

PAPER_PAIR: tuple[Point, Point] = ((0.4819, 0.5060), (0.2410, 0.0080))
"""(a, b) of the conventional curves of Edwards & Metz 2007 Figure 3 (whose caption misprints a)."""

COUNTEREXAMPLE: tuple[Point, Point] = ((0.0, 1.2), (0.51, 0.0))
"""(c, d_a) of two proper curves: the second has less area and less cost."""

PAIRS = {"binormal": PAPER_PAIR, "proper": COUNTEREXAMPLE}

WINDOWS: dict[tuple[Point, Point], tuple[Range, Range]] = {
    PAPER_PAIR: ((0.0, 1.0), (0.0, 1.0)),
    COUNTEREXAMPLE: ((0.4, 0.56), (0.0, 0.6)),
}
"""Where to look at isopleths: those of proper curves lie too close together to show both curves."""


@dataclass(frozen=True, eq=False, repr=False)
class SaecPairDisplay(Display):
    """Two ROC curves of a model with their area and SAEC.

    By default those of Edwards & Metz 2007 Figure 3 for the conventional model, and for the proper
    one a pair that refutes the paper's conjecture that area and SAEC order proper curves alike.

    Examples
    --------
    >>> display = SaecPairDisplay.of("proper")
    >>> [round(area, 4) for area in display.areas], [round(cost, 4) for cost in display.costs]
    ([0.8019, 0.8002], [0.2494, 0.2476])
    """

    styles = ("line_kw",)

    model: CostModel
    points: tuple[Point, Point]

    @classmethod
    def of(
        cls,
        model: ModelName = "binormal",
        first: Point | None = None,
        second: Point | None = None,
    ) -> Self:
        """Curves with these parameters."""
        pair = PAIRS.get(model, PAPER_PAIR)
        return cls(model_named(model), (first or pair[0], second or pair[1]))

    @property
    def areas(self) -> tuple[float, ...]:
        """Area of both curves."""
        return tuple(self.model.curve(*point).area for point in self.points)

    @property
    def costs(self) -> tuple[float, ...]:
        """SAEC of both curves."""
        return tuple(self.model.curve(*point).saec for point in self.points)

    def frame(self) -> "pd.DataFrame":
        """A row per point of both curves: parameters, area, saec, both rates."""
        import pandas as pd

        frames = [
            self.model.curve(*point)
            .frame()
            .assign(**dict(zip(self.model.parameters, point, strict=True)), area=area, saec=cost)
            for point, area, cost in zip(self.points, self.areas, self.costs, strict=True)
        ]
        points: pd.DataFrame = pd.concat(frames, ignore_index=True)
        return points

    def _size(self) -> tuple[float, float]:
        return 5.2, 5.2

    def _draw(self, ax: "Axes") -> None:
        unit_square(ax, "False positive rate", "True positive rate")
        rows = zip(self.points, self.areas, self.costs, strict=True)
        for k, (point, area, cost) in enumerate(rows):
            text = f"{self.model.named(point)}\n{self.model.area_name} {area:.4f}, SAEC {cost:.4f}"
            ax.plot(*self.model.curve(*point).points(), label=text, **line_options(3 * k, 2))
        ax.legend(loc="lower right", fontsize="small", handlelength=3)
        ax.set_title(f"{self.model.title.capitalize()} curves", fontsize="medium")


@dataclass(frozen=True, eq=False, repr=False)
class SaecCrossingDisplay(Display):
    """The isopleths of area and of SAEC through one curve, and where the metrics disagree with it.

    Curves in the shaded part have less area and less cost than the first of the pair, or more of
    both.

    Examples
    --------
    >>> display = SaecCrossingDisplay.of("binormal", ranges=((0.2, 0.6), (0, 1)), n_values=2)
    >>> display.frame()[["a", "b", "disagrees"]]
         a    b  disagrees
    0  0.2  0.0       True
    1  0.6  0.0      False
    2  0.2  1.0      False
    3  0.6  1.0      False
    """

    pair: SaecPairDisplay
    grid: CostGrid

    @classmethod
    def of(
        cls,
        model: ModelName = "binormal",
        first: Point | None = None,
        second: Point | None = None,
        *,
        ranges: tuple[Range, Range] | None = None,
        n_values: int = 250,
    ) -> Self:
        """The pair as for :class:`SaecPairDisplay`; ``ranges`` of the parameters to look at."""
        pair = SaecPairDisplay.of(model, first, second)
        window = ranges or WINDOWS.get(pair.points) or _around(pair)
        return cls(pair, CostGrid.over(pair.model, n_values, window))

    @property
    def disagreement(self) -> Float64Array:
        """Positive where both metrics are less than those of the first curve, or both more."""
        area = self.grid.area - self.pair.areas[0]
        cost = self.grid.saec - self.pair.costs[0]
        return np.maximum(np.minimum(area, cost), np.minimum(-area, -cost))

    def frame(self) -> "pd.DataFrame":
        """A row per point of the grid: parameters, area, saec, and whether they disagree there."""
        return self.grid.frame().assign(disagrees=self.disagreement.ravel() > 0)

    def _draw(self, ax: "Axes") -> None:
        grid, model = self.grid, self.pair.model
        places = grid.first, grid.second
        ax.contourf(*places, self.disagreement, levels=[0, np.inf], colors=["0.85"])
        ax.contour(*places, grid.area, levels=[self.pair.areas[0]], colors=COLOURS[0])
        ax.contour(
            *places, grid.saec, levels=[self.pair.costs[0]], colors=COLOURS[4],
            linestyles="dashdot",
        )  # fmt: skip
        for point, marker in zip(self.pair.points, "os", strict=True):
            seen = self._in_view(point)
            text = model.named(point) + ("" if seen else " (not in view)")
            ax.plot(*point, marker, color="black", label=text, clip_on=not seen, zorder=4)
        self._name_lines(ax)
        ax.set(xlabel=model.axis_names[0], ylabel=model.axis_names[1])
        ax.set(xlim=grid.first[[0, -1]], ylim=grid.second[[0, -1]])

    def _in_view(self, point: Point) -> bool:
        sides = zip(point, (self.grid.first, self.grid.second), strict=True)
        return all(values[0] <= value <= values[-1] for value, values in sides)

    def _size(self) -> tuple[float, float]:
        return 7.6, 4.8

    def _name_lines(self, ax: "Axes") -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        points, _ = ax.get_legend_handles_labels()
        area = f"{self.pair.model.area_name} = {self.pair.areas[0]:.4f}"
        handles = [
            *points,
            Line2D([], [], color=COLOURS[0], label=area),
            Line2D(
                [], [], color=COLOURS[4], linestyle="-.", label=f"SAEC = {self.pair.costs[0]:.4f}"
            ),
            Patch(color="0.85", label="the metrics disagree"),
        ]
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), fontsize="small")


def _around(pair: SaecPairDisplay) -> tuple[Point, Point]:
    """Ranges that hold both points with a margin, within those of the model."""
    ranges = []
    by_parameter = zip(*pair.points, strict=True)
    for values, (least, most) in zip(by_parameter, pair.model.ranges, strict=True):
        reach = max(values) - min(values) or 0.1 * (most - least)
        low, high = min(values) - 0.5 * reach, max(values) + 0.5 * reach
        ranges.append((max(least, low), min(most, high)))
    return ranges[0], ranges[1]
