"""Plots of a work: amounts against a size, both logarithmic, with lines labelled where they end."""

import math
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from peers.rows import Row
from peers.series import Panel, Series, panels
from peers.work import Work
from polyroc.display._marks import GREY, line_options, mark_of

WIDTH, HEIGHT, COLUMNS = 4.7, 3.1, 2
UNITS = {"s": "seconds", "MB": "peak MB"}
GAP = 0.16
"""Share of the height that a label takes."""
MOST_TICKS = 5


def write_plot(work: Work, rows: list[Row], path: Path) -> None:
    """A work as SVG. The same rows give the same bytes."""
    quiet = {"svg.hashsalt": work.name, "svg.fonttype": "path"}
    with matplotlib.rc_context(quiet):
        figure = figure_of(work, rows)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def figure_of(work: Work, rows: list[Row]) -> Figure:
    """A panel for each quantity. The ground is white, so that it can be read on a dark page."""
    drawn = panels(rows, work.axis)
    columns = min(COLUMNS, len(drawn))
    lines = -(-len(drawn) // columns)
    figure = Figure((WIDTH * columns, HEIGHT * lines), layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
    for k, panel in enumerate(drawn):
        draw(figure.add_subplot(lines, columns, k + 1), panel, work)
    return figure


def draw(ax: Axes, panel: Panel, work: Work) -> None:
    """The lines of a quantity."""
    ax.set(xscale="log", yscale="log", xlabel=work.axis_title, ylabel=UNITS[panel.unit])
    ax.set_title(panel.quantity, fontsize="medium", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=GREY, alpha=0.25, linewidth=0.6)
    shown = [series for series in panel.series if series.measured]
    for k, series in enumerate(shown):
        draw_series(ax, series, k)
    set_ticks(ax, sorted(shown[0].measured))
    ax.set_ylim(decades([each for series in shown for each in series.amounts.values()]))
    label_ends(ax, shown)


def style_of(k: int) -> dict[str, Any]:
    """polyroc is series 0."""
    return line_options(k, 2) | {"marker": mark_of(k).marker, "markersize": 4.5}


def draw_series(ax: Axes, series: Series, k: int) -> None:
    """Measured amounts with full marks, predicted ones with open marks."""
    ax.plot(*zip(*series.measured.items(), strict=True), **style_of(k), clip_on=False)
    if series.predicted:
        last = max(series.measured)
        points = {last: series.measured[last]} | series.predicted
        open_marks = {"markerfacecolor": "white", "linestyle": ":", "linewidth": 1, "zorder": 1}
        ax.plot(*zip(*points.items(), strict=True), **style_of(k) | open_marks, clip_on=False)


def set_ticks(ax: Axes, sizes: list[int]) -> None:
    """Ticks at sizes that were measured, as many as have room for their labels."""
    room = math.log(sizes[-1] / sizes[0]) / MOST_TICKS
    ticks = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if math.log(ticks[0] / size) >= room:
            ticks.insert(0, size)
    ax.set_xticks(ticks, [tick_label(size) for size in ticks])
    ax.set_xticks([], minor=True)
    ax.yaxis.set_minor_formatter("")


def decades(amounts: list[float]) -> tuple[float, float]:
    """The powers of ten around amounts, so that every axis has two labels.

    >>> decades([0.5, 3.0])
    (0.1, 10.0)
    """
    low, high = math.floor(math.log10(min(amounts))), math.ceil(math.log10(max(amounts)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def tick_label(size: int) -> str:
    """A size in few characters.

    >>> tick_label(300), tick_label(24_000), tick_label(10_000)
    ('300', '24,000', '$10^{4}$')
    """
    power = round(math.log10(size))
    return rf"$10^{{{power}}}$" if size == 10**power and power > 3 else f"{size:,}"


def label_ends(ax: Axes, shown: list[Series]) -> None:
    """Names and exponents beside the axes, at the height of the last points, kept apart."""
    ends = [series.amounts[max(series.amounts)] for series in shown]
    to_axes = ax.transData + ax.transAxes.inverted()
    heights = [to_axes.transform((1, end))[1] for end in ends]
    order = sorted(range(len(shown)), key=lambda k: heights[k])
    beside = {"transform": ax.transAxes, "clip_on": False}
    for k, height in zip(order, kept_apart([heights[k] for k in order]), strict=True):
        marked = style_of(k) | {"markevery": (1, 3)} | beside
        ax.plot([1.03, 1.075, 1.12], [height] * 3, **marked)
        ax.text(1.15, height, label(shown[k]), fontsize="small", va="center", **beside)


def label(series: Series) -> str:
    """Name and exponent of a line.

    >>> label(Series("polyroc", {10: 1.0, 100: 10.0}, {}))
    'polyroc\\nexponent 1.00'
    """
    return series.name if series.exponent is None else f"{series.name}\nexponent {series.exponent}"


def kept_apart(heights: list[float]) -> list[float]:
    """Rising heights, moved as little as needed so that labels do not meet.

    >>> kept_apart([0.0, 0.9])
    [0.0, 0.9]
    >>> [round(height, 2) for height in kept_apart([0.5, 0.5])]
    [0.42, 0.58]
    """
    placed = list(heights)
    for _ in range(100):
        for k in range(1, len(placed)):
            overlap = GAP - (placed[k] - placed[k - 1])
            if overlap > 1e-9:
                placed[k - 1] -= overlap / 2
                placed[k] += overlap / 2
    return placed
