"""G and δ of two surfaces of two classes as areas."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from polyroc.display._base import Display
from polyroc.display._marks import COLOURS, GREY
from polyroc.display._naming import shown_names
from polyroc.display._surfaces import named_surfaces
from polyroc.errors import NotDefined
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


ROUNDING = 1e-12
"""Heights that differ by less are equal."""


class Strip(NamedTuple):
    """A part of an area between two values of the first rate: low is level, high may slope."""

    left: float
    right: float
    low: float
    high_left: float
    high_right: float

    @property
    def share(self) -> float:
        """Its area as a share of the region better than chance, which has area ½."""
        return (self.right - self.left) * (self.high_left + self.high_right - 2 * self.low)


@dataclass(frozen=True, eq=False, repr=False)
class GiniAreasDisplay(Display):
    """What two surfaces of two classes dominate below chance: G(X), δ(X, Y) and δ(Y, X).

    Everson & Fieldsend 2006, Figure 7. The axes are the two error rates, chance is the diagonal;
    areas count as shares of the triangle below it, so that the strips of each area add up to the
    exact G or δ.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> x = search(ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8]), generations=5, progress=False)
    >>> y = search(ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.9, 0.8]), generations=5, progress=False)
    >>> GiniAreasDisplay.from_surfaces({"X": x, "Y": y}).shares
    {'G(X)': 0.5, 'δ(X, Y)': 0.25, 'δ(Y, X)': 0.0}
    """

    names: tuple[str, str]
    classes: tuple[Label, ...]
    steps: tuple[Float64Array, Float64Array]
    """Points of each surface below chance that no other dominates, by their first rate."""
    areas: dict[str, tuple[Strip, ...]]

    @classmethod
    def from_surfaces(cls, surfaces: "dict[str, Any]") -> Self:
        """From two surfaces by name; G is shown for the first."""
        named = named_surfaces(surfaces)
        classes = next(iter(named.values())).classes
        if len(named) != 2 or len(classes) != 2:
            raise NotDefined(
                f"{cls.__name__} shows 2 surfaces of 2 classes, got {len(named)} of "
                f"{len(classes)}. Use GiniDeltaDisplay."
            )
        x, y = (_steps(surface.rates) for surface in named.values())
        nothing = np.empty((0, 2))
        first, second = named
        areas = {
            f"G({first})": _strips(x, nothing),
            f"δ({first}, {second})": _strips(x, y),
            f"δ({second}, {first})": _strips(y, x),
        }
        return cls((first, second), classes, (x, y), areas)

    @property
    def shares(self) -> dict[str, float]:
        """G of the first surface and δ both ways."""
        return {
            name: float(sum(strip.share for strip in strips)) for name, strips in self.areas.items()
        }

    def frame(self) -> "pd.DataFrame":
        """A row per strip of each area (its ends and share), and per step of both surfaces."""
        import pandas as pd

        rows: list[tuple[Any, ...]] = [
            (name, *strip, strip.share) for name, strips in self.areas.items() for strip in strips
        ]
        for name, points in zip(self.names, self.steps, strict=True):
            rows += [(f"steps of {name}", x, np.nan, y) for x, y in points.tolist()]
        columns = ["area", *Strip._fields, "share"]
        return pd.DataFrame([(*row, *[np.nan] * (7 - len(row))) for row in rows], columns=columns)

    def _size(self) -> tuple[float, float]:
        return 5.6, 5.6

    def _draw(self, ax: "Axes") -> None:
        looks: tuple[dict[str, Any], ...] = (
            {"facecolor": COLOURS[0], "alpha": 0.25, "linewidth": 0},
            {"facecolor": "none", "edgecolor": COLOURS[0], "hatch": "---", "linewidth": 0},
            {"facecolor": "none", "edgecolor": COLOURS[4], "hatch": "|||", "linewidth": 0},
        )
        x, y = shown_names(self.names, most=18)
        labels = (f"G({x})", f"δ({x}, {y})", f"δ({y}, {x})")
        rows = zip(looks, labels, self.areas.values(), self.shares.values(), strict=True)
        for look, label, strips, share in rows:
            for outline in outlines(strips):
                ax.fill(*outline.T, **look)
            ax.fill([], [], label=f"{label} = {share:.4f}", **look)
        lines = zip(self.steps, (x, y), (COLOURS[0], COLOURS[4]), ("-", "--"), strict=True)
        for points, name, colour, dashes in lines:
            corners = _staircase(points).T
            ax.plot(*corners, color=colour, linestyle=dashes, linewidth=1.6, label=name)
        ax.plot([0, 1], [1, 0], color=GREY, linewidth=1, linestyle=":")
        first, second = shown_names(self.classes, most=18)
        ax.set(xlabel=f"{first} → {second}", ylabel=f"{second} → {first}")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.legend(loc="upper right", fontsize="small")


def _steps(rates: Float64Array) -> Float64Array:
    """Points below chance that no other dominates, in order of their first rate."""
    points = rates[np.lexsort(rates.T[::-1])]
    points = points[points.sum(axis=1) < 1]
    before = np.concatenate([[np.inf], np.minimum.accumulate(points[:, 1])[:-1]])[: len(points)]
    return np.asarray(points[points[:, 1] < before])


def _height(steps: Float64Array, x: float) -> float:
    """The least second rate of the points whose first is at most x; 1 if there is none."""
    reached = int(np.searchsorted(steps[:, 0], x, side="right"))
    return float(steps[reached - 1, 1]) if reached else 1.0


def _strips(own: Float64Array, other: Float64Array) -> tuple[Strip, ...]:
    """What lies above own steps, below those of the other, and below chance.

    Between two edges, where neither staircase steps nor meets the diagonal, this is a trapezium.
    """
    edges = np.unique(np.concatenate([own[:, 0], other[:, 0], 1 - own[:, 1], 1 - other[:, 1]]))
    # where a staircase meets the diagonal, 1 − (1 − low) may be a little less than low
    found = []
    for left, right in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        low, roof = _height(own, left), _height(other, left)
        ends = min(roof, 1 - left), min(roof, 1 - right)
        if ends[0] > low and ends[1] >= low - ROUNDING:
            found.append(Strip(left, right, low, ends[0], max(ends[1], low)))
    return tuple(found)


def outlines(strips: tuple[Strip, ...]) -> list[Float64Array]:
    """Polygons around strips, one for each run of neighbours, so that no seams are seen.

    Examples
    --------
    >>> outlines((Strip(0, 0.5, 0.5, 1, 0.5), Strip(0.5, 1, 0, 0.5, 0)))[0].tolist()[:4]
    [[0.0, 0.5], [0.5, 0.5], [0.5, 0.0], [1.0, 0.0]]
    """
    runs: list[list[Strip]] = []
    for strip in strips:
        if runs and runs[-1][-1].right == strip.left:
            runs[-1].append(strip)
        else:
            runs.append([strip])
    return [_outline(run) for run in runs]


def _outline(run: list[Strip]) -> Float64Array:
    below = [point for s in run for point in ((s.left, s.low), (s.right, s.low))]
    above = [p for s in run for p in ((s.left, s.high_left), (s.right, s.high_right))]
    return np.array(below + above[::-1], dtype=np.float64)


def _staircase(points: Float64Array) -> Float64Array:
    """Corners of the boundary of what points dominate, from chance to chance."""
    if not len(points):
        return np.empty((0, 2))
    x, y = points.T
    corners_x = np.concatenate([[x[0]], np.repeat(x[1:], 2), [1 - y[-1]]])
    corners_y = np.concatenate([np.repeat(y[:-1], 2), [y[-1], y[-1]]])
    start = [[x[0], 1 - x[0]]]
    return np.concatenate([start, np.column_stack([corners_x, corners_y])])
