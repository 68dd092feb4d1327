"""Colours, line styles and markers of series, and legends.

The colours are those of Okabe and Ito without yellow, which vanishes on white, ordered so that
neighbours differ in lightness. Colour alone never tells two series apart: line styles and markers
do the same in grey print.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#000000", "#009E73", "#D55E00", "#CC79A7")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
GREY = "#808080"

Place = Literal["lower right", "upper right"]

MOST_LINES, LONGEST_LINE = 6, 34
"""Legends with more or longer lines stand beside the axes."""


class Mark(NamedTuple):
    """How a series is drawn."""

    colour: str
    dashes: Any
    marker: str


def mark_of(k: int) -> Mark:
    """Mark of series k: 12 of them differ in colour or line style, and all 12 in marker.

    Examples
    --------
    >>> mark_of(0)
    Mark(colour='#0072B2', dashes='-', marker='o')
    """
    turn, place = divmod(k, len(COLOURS))
    return Mark(COLOURS[place], DASHES[(place + turn * 3) % len(DASHES)], MARKERS[k % len(MARKERS)])


def line_options(k: int, n_series: int) -> dict[str, Any]:
    """Options of a line: markers help where the line styles repeat."""
    mark = mark_of(k)
    options = {"color": mark.colour, "linestyle": mark.dashes, "linewidth": 1.6}
    if n_series <= len(DASHES):
        return options
    return options | {"marker": mark.marker, "markersize": 5, "markevery": (0.02 * k, 0.25)}


def fits_inside(labels: Sequence[str]) -> bool:
    """Whether a legend with these labels is small enough for a corner of the axes."""
    lines = [line for label in labels for line in label.split("\n")]
    return len(lines) <= MOST_LINES and max(map(len, lines)) <= LONGEST_LINE


def add_legend(ax: "Axes", labels: Sequence[str], place: Place = "lower right") -> None:
    """A legend in the axes where it is small, else beside them."""
    if fits_inside(labels):
        ax.legend(loc=place, fontsize="small", handlelength=3)
        return
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.01), fontsize="small", handlelength=3)


def square_size(labels: Sequence[str]) -> tuple[float, float]:
    """Width and height in inches of square axes and their legend."""
    if fits_inside(labels):
        return 5.2, 5.2
    longest = max(len(line) for label in labels for line in label.split("\n"))
    return 6.3 + 0.087 * longest, 5.2


def unit_square(ax: "Axes", x_name: str, y_name: str, diagonal: bool = True) -> None:
    """Axes from 0 to 1, equally long, with the line of chance."""
    if diagonal:
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel=x_name, ylabel=y_name)
