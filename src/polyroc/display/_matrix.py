"""A square table of numbers as a heat map with the numbers written in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyroc.display._naming import shown_names
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage


LONGEST_NAME = 20


class Scale(NamedTuple):
    """Which colours mean which numbers."""

    name: str
    low: float
    high: float
    colours: str
    format: str


def draw_matrix(
    ax: "Axes",
    matrix: Float64Array,
    names: Sequence[object],
    scale: Scale,
    limits: Float64Array | None = None,
) -> None:
    """Cells, numbers (with limits below them), names on both sides and a bar for the scale."""
    image = ax.imshow(matrix, cmap=scale.colours, vmin=scale.low, vmax=scale.high)
    places = range(len(names))
    short = shown_names(names, LONGEST_NAME)
    size = "medium" if len(names) <= 6 else "small"
    upright = len(names) <= 4 and max(map(len, short)) <= 10
    ax.set_xticks(places, short, fontsize=size)
    if not upright:
        ax.tick_params(axis="x", labelrotation=90)
    ax.set_yticks(places, short, fontsize=size)
    _write_numbers(ax, image, matrix, scale, limits)
    bar = ax.inset_axes((1.03, 0.0, 0.04, 1.0))
    ax.figure.colorbar(image, cax=bar, label=scale.name)


def _write_numbers(
    ax: "Axes",
    image: "AxesImage",
    matrix: Float64Array,
    scale: Scale,
    limits: Float64Array | None,
) -> None:
    colours = image.to_rgba(matrix)
    size = _number_size(ax, len(matrix)) * (1 if limits is None else 0.7)
    for (row, column), value in np.ndenumerate(matrix):
        if not np.isnan(value):
            colour = "black" if lightness(colours[row, column]) > 0.45 else "white"
            text = scale.format.format(value)
            if limits is not None and not np.isnan(limits[0, row, column]):
                text += "\n" + "–".join(map(scale.format.format, limits[:, row, column]))
            ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=size)


def _number_size(ax: "Axes", n_names: int) -> float:
    """Points of a font in which four digits fit into a cell, also when labels take some room."""
    cell = 72 * ax.get_window_extent().width / ax.figure.dpi / n_names
    return float(np.clip(0.7 * cell / 3, 3, 10))


def lightness(colour: Sequence[float] | Float64Array) -> float:
    """Perceived lightness of a colour between 0 and 1: L* of CIELAB over 100, nearly.

    Examples
    --------
    >>> lightness((0, 0, 0, 1)), round(lightness((1, 1, 1, 1)), 6)
    (0.0, 1.0)
    """
    red, green, blue = (part**2.2 for part in colour[:3])
    return float((0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 2.4))


def matrix_frame(
    matrix: Float64Array, names: Sequence[object], columns: tuple[str, str, str]
) -> "pd.DataFrame":
    """A row per cell that holds a number."""
    import pandas as pd

    rows = [
        (names[row], names[column], value)
        for (row, column), value in np.ndenumerate(matrix)
        if not np.isnan(value)
    ]
    return pd.DataFrame(rows, columns=list(columns))


def matrix_size(names: Sequence[object]) -> tuple[float, float]:
    """Width and height in inches at which the numbers can be read."""
    longest = max(map(len, shown_names(names, LONGEST_NAME)))
    side = 2.0 + 0.45 * len(names) + 0.09 * longest
    return side + 1.0, side
