"""Colours, line styles and markers of series, and legends.

The colours are those of Okabe and Ito without yellow, which vanishes on white, ordered so that
neighbours differ in lightness. Colour alone never tells two series apart: line styles and markers
do the same in grey print.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from polyroc._base.checks import shown
from polyroc.display._room import makes_room
from polyroc.errors import InvalidType

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#000000", "#009E73", "#D55E00", "#CC79A7")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
GREY = "#808080"

Place = Literal["lower right", "upper right"]

MOST_LINES, LONGEST_LINE = 6, 34
"""Legends with more or longer lines stand beside the axes."""
MOST_ROWS, MOST_ENTRIES = 25, 75
"""Rows of a column of such a legend, and entries of all of them; a last one counts the others."""

NONE: Mapping[str, Any] = MappingProxyType({})
_LINE_KW: ContextVar[Mapping[str, Any]] = ContextVar("line_kw", default=NONE)
_BAND_KW: ContextVar[Mapping[str, Any]] = ContextVar("band_kw", default=NONE)
"""Options of the call of ``plot`` that is under way."""


@contextmanager
def styled(line_kw: Mapping[str, Any] | None, band_kw: Mapping[str, Any] | None) -> Iterator[None]:
    """Within it, lines and bands are drawn with these options of matplotlib in place of ours."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    lines = _LINE_KW.set(_normal(line_kw, "line_kw", Line2D))
    bands = _BAND_KW.set(_normal(band_kw, "band_kw", Polygon))
    try:
        yield
    finally:
        _LINE_KW.reset(lines)
        _BAND_KW.reset(bands)


def _normal(given: Mapping[str, Any] | None, name: str, artist: type) -> Mapping[str, Any]:
    """Options by their full names, so that ``lw`` takes the place of ``linewidth``."""
    from matplotlib.cbook import normalize_kwargs

    if given is not None and not isinstance(given, Mapping):
        raise InvalidType(f"{name} must be a mapping from options to values, got {shown(given)}.")
    return normalize_kwargs(dict(given or {}), artist)


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
    dashes = DASHES[(place + turn * 3) % len(DASHES)]
    return Mark(_colour_of(k), dashes, MARKERS[k % len(MARKERS)])


def _colour_of(k: int) -> str:
    """Ours, or that of the cycle that the user has set in place of matplotlib's."""
    import matplotlib as mpl

    cycle = mpl.rcParams["axes.prop_cycle"]
    if cycle == mpl.rcParamsDefault["axes.prop_cycle"] or "color" not in cycle.keys:
        return COLOURS[k % len(COLOURS)]
    colours = cycle.by_key()["color"]
    return str(colours[k % len(colours)])


def line_options(k: int, n_series: int) -> dict[str, Any]:
    """Options of a line: markers help where the line styles repeat."""
    import matplotlib as mpl

    mark, given = mark_of(k), _LINE_KW.get()
    width = mpl.rcParams["lines.linewidth"]
    options = {"color": mark.colour, "linestyle": mark.dashes, "linewidth": width}
    if n_series > len(DASHES):
        start = 0.02 * (k % 12)
        options |= {"marker": mark.marker, "markersize": 5, "markevery": (start, 0.25)}
    return {**options, **given}


def band_options(colour: str) -> dict[str, Any]:
    """Options of the band around a line of this colour."""
    ours = {"color": colour, "alpha": 0.15, "linewidth": 0, "zorder": 1}
    given = _BAND_KW.get()
    if given.keys() & {"facecolor", "edgecolor"}:  # one of them alone leaves the other as it was
        ours |= {"facecolor": ours["color"], "edgecolor": ours.pop("color")}
    return {**ours, **given}


def fits_inside(labels: Sequence[str]) -> bool:
    """Whether a legend with these labels is small enough for a corner of the axes."""
    lines = [line for label in labels for line in label.split("\n")]
    return len(lines) <= MOST_LINES and max(map(len, lines)) <= LONGEST_LINE


def add_legend(ax: "Axes", labels: Sequence[str], place: Place = "lower right") -> None:
    """A legend in the axes where it is small; else beside them, if the figure makes room for it.

    In a figure that does not, such as one with axes of the user's own, it stays in the axes and
    has as many entries as there is room for.
    """
    if fits_inside(labels):
        ax.legend(loc=place, fontsize="small", handlelength=3)
    elif makes_room(ax):
        _legend(
            ax, MOST_ENTRIES, loc="upper left", bbox_to_anchor=(1.01, 1.01), fontsize="small",
            handlelength=3, ncols=_columns(labels),
        )  # fmt: skip
    else:
        _legend(ax, _room_for(ax), loc=place, fontsize="x-small", handlelength=2, framealpha=0.6)


def _legend(ax: "Axes", most: int, **options: Any) -> None:
    """A legend of at most so many entries; the last one says how many there are beside those."""
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    if len(labels) > most:
        left = len(labels) - (most - 1)
        handles = [*handles[: most - 1], Line2D([], [], linestyle="")]
        labels = [*labels[: most - 1], f"and {left} more"]
    ax.legend(handles, labels, **options)


def _columns(labels: Sequence[str]) -> int:
    lines = sum(label.count("\n") + 1 for label in labels[:MOST_ENTRIES])
    return math.ceil(lines / MOST_ROWS)


def _room_for(ax: "Axes") -> int:
    """Entries of a legend that takes two thirds of the height of the axes."""
    import matplotlib as mpl

    points = ax.get_window_extent().height * 72 / ax.figure.dpi
    return max(2, int(0.66 * points / (mpl.rcParams["font.size"] * 0.94)))


def square_size(labels: Sequence[str]) -> tuple[float, float]:
    """Width and height in inches of square axes and their legend."""
    if fits_inside(labels):
        return 5.2, 5.2
    longest = max(len(line) for label in labels for line in label.split("\n"))
    return 5.7 + (0.6 + 0.087 * longest) * _columns(labels), 5.2


def unit_square(ax: "Axes", x_name: str, y_name: str) -> None:
    """Axes from 0 to 1, equally long, with the line of chance."""
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel=x_name, ylabel=y_name)
