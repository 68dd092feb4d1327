"""Values with intervals as rows: the drawing that forest plots and comparisons share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyroc.display._marks import line_options, mark_of
from polyroc.display._naming import shown_names, wrapped_names
from polyroc.display._room import makes_room
from polyroc.metrics import registry

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class IntervalRow:
    """A value of a metric (``group``) for a model or a pair of models (``series``)."""

    group: str
    series: str
    value: float
    low: float
    high: float
    text: str
    """What stands to the right of it."""


def places(rows: Sequence[IntervalRow]) -> list[float]:
    """Height of each row: groups one apart from the top down, series side by side within."""
    groups = list(dict.fromkeys(row.group for row in rows))
    series = list(dict.fromkeys(row.series for row in rows))
    step = 0.8 / len(series)
    return [
        groups.index(row.group) + (series.index(row.series) - (len(series) - 1) / 2) * step
        for row in rows
    ]


def _label(group: str) -> str:
    """A group as the axis names it: which way is better, where that is down."""
    return f"{group} (lower is better)" if registry.sign_of(group) < 0 else group


def draw_intervals(ax: "Axes", rows: Sequence[IntervalRow], beside: bool = True) -> None:
    """Marks with bars, names of the groups on the left, numbers on the right, and a legend."""
    heights = np.array(places(rows))
    series = list(dict.fromkeys(row.series for row in rows))
    for k, name in enumerate(shown_names(series, most=40)):
        own = [i for i, row in enumerate(rows) if row.series == series[k]]
        _draw_series(ax, [rows[i] for i in own], heights[own], k, name)
    for row, height in zip(rows, heights, strict=True):
        ax.text(
            1.02, height, row.text, transform=ax.get_yaxis_transform(), va="center",
            fontsize="small",
        )  # fmt: skip
    groups = list(dict.fromkeys(row.group for row in rows))
    ax.set_yticks(range(len(groups)), wrapped_names(map(_label, groups), width=24))
    ax.set_ylim(len(groups) - 0.4, -0.6)
    if len(series) > 1 or beside:
        _add_legend(ax, series)


def _add_legend(ax: "Axes", series: Sequence[str]) -> None:
    """Above the axes where the figure makes room for it, else in them."""
    if not makes_room(ax):
        ax.legend(loc="best", fontsize="x-small", framealpha=0.6)
        return
    columns = 1 if max(map(len, series)) > 18 else 4
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.01), fontsize="small", ncols=columns)


def _draw_series(
    ax: "Axes", rows: Sequence[IntervalRow], heights: np.ndarray, k: int, name: str
) -> None:
    mark, bar = mark_of(k), {**line_options(k, 1), "linestyle": "-"}
    values = np.array([row.value for row in rows])
    limits = np.array([(row.low, row.high) for row in rows])
    limits = np.where(np.isinf(limits), values[:, None], limits)  # bars end at a one-sided limit
    for height, (low, high) in zip(heights, limits, strict=True):
        if not math.isnan(low):
            ax.plot([low, high], [height, height], **bar)
    ax.plot(
        values, heights, linestyle="", marker=mark.marker, color=bar["color"], markersize=6,
        label=name,
    )  # fmt: skip


def rows_size(rows: Sequence[IntervalRow]) -> tuple[float, float]:
    """Width and height in inches."""
    series = len({row.series for row in rows})
    groups = len({row.group for row in rows})
    return 8.0, 1.2 + 0.22 * series + groups * max(0.42, 0.24 * series)
