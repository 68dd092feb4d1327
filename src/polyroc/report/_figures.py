"""Figures of the page that do not move, as SVG: intervals on a line, and ROC curves.

Colours come from the style sheet by class names (``model-0`` …), so that they follow dark mode.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

from polyroc.curves._roc import RocCurve
from polyroc.report._markup import Markup, element, joined
from polyroc.report._scales import Axis
from polyroc.typing import Float64Array

N_COLOURS = 6
STRIP_WIDTH = 280
Band: TypeAlias = tuple[Float64Array, Float64Array, Float64Array]
_EDGE = 6
_ROW = 11


def strip(
    intervals: Sequence[tuple[float, float, float]],
    chance: float | None,
    axis: Axis,
    label: str = "",
    of_models: bool = True,
) -> Markup:
    """Values with their limits, one line each, over a common axis; a mark where chance is.

    The k-th has the colour of the k-th model, unless they are not values of models.
    """
    height = _ROW * len(intervals) + 4
    marks = [_grid(axis, height)]
    if chance is not None and axis.low <= chance <= axis.high:
        x = _x(chance, axis)
        marks.append(element("line", x1=x, x2=x, y1=0, y2=height, class_="chance"))
    for k, interval in enumerate(intervals):
        kind = f"mark model-{k % N_COLOURS}" if of_models else "mark"
        marks.append(_interval(k, interval, axis, kind))
    return element(
        "svg",
        *marks,
        viewBox=f"0 0 {STRIP_WIDTH} {height}",
        class_="strip",
        role="img",
        aria_label=label,
    )


def _x(value: float, axis: Axis) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return round(_EDGE + (STRIP_WIDTH - 2 * _EDGE) * share, 2)


def _grid(axis: Axis, height: float) -> Markup:
    return joined(
        element("line", x1=_x(at, axis), x2=_x(at, axis), y1=0, y2=height, class_="grid")
        for at in axis.ticks
    )


def _interval(k: int, interval: tuple[float, float, float], axis: Axis, kind: str) -> Markup:
    value, low, high = interval
    if math.isnan(value):
        return Markup("")
    y = 2 + _ROW * (k + 0.5)
    dot = element("circle", cx=_x(value, axis), cy=y, r=3.4)
    line = None
    if not math.isnan(low):
        line = element("line", x1=_x(low, axis), x2=_x(high, axis), y1=y, y2=y)
    return element("g", line, dot, class_=kind)


def strip_axis(axis: Axis, signed: bool = False) -> Markup:
    """Numbers of the axis, to stand over or under strips."""
    labels = axis.labels(signed)
    return element(
        "span",
        *(element("span", label) for label in labels),
        class_="strip axis",
        role="img",
        aria_label=f"Intervals, from {labels[0]} to {labels[-1]}",
    )


def strip_cell(drawn: Markup, axis: Axis, signed: bool = False, headed: bool = False) -> Markup:
    """A strip in a table, whose ends stand beside it where the head of the table is not shown.

    The first of several that have an axis in common may be headed by it.
    """
    labels, over = axis.labels(signed), strip_axis(axis, signed) if headed else None
    return element("td", over, drawn, class_="figure", data_from=labels[0], data_to=labels[-1])


def own_axis_cell(drawn: Markup, axis: Axis) -> Markup:
    """A strip in a table above its axis, which no other strip has."""
    return element("td", drawn, strip_axis(axis), class_="figure own")


def roc_panel(curves: Sequence[RocCurve], bands: Sequence[Band], label: str) -> Markup:
    """ROC curves of the models for one class, and bands under them: FPR, lower and upper edge."""
    lines = [
        element(
            "polyline",
            points=_points(curve.false_positive_rate, curve.true_positive_rate),
            class_=f"curve model-{k % N_COLOURS} dash-{k % 4}",
        )
        for k, curve in enumerate(curves)
    ]
    areas = [
        element(
            "polygon",
            points=f"{_points(x, low)} {_points(x[::-1], high[::-1])}",
            class_=f"band model-{k % N_COLOURS}",
        )
        for k, (x, low, high) in enumerate(bands)
    ]
    frame = element("rect", x=28, y=6, width=206, height=206, class_="frame")
    diagonal = element("line", x1=28, y1=212, x2=234, y2=6, class_="chance")
    return element(
        "svg",
        frame,
        _panel_grid(),
        diagonal,
        *areas,
        *lines,
        *_panel_labels(),
        viewBox="-8 0 248 246",
        class_="panel",
        role="img",
        aria_label=label,
    )


def _points(across: Float64Array, upright: Float64Array) -> str:
    pairs = zip(across.tolist(), upright.tolist(), strict=True)
    return " ".join(f"{28 + 206 * x:.1f},{212 - 206 * y:.1f}" for x, y in pairs)


def _panel_grid() -> Markup:
    places = (0.25, 0.5, 0.75)
    upright = (
        element("line", x1=28 + 206 * p, x2=28 + 206 * p, y1=6, y2=212, class_="grid")
        for p in places
    )
    level = (
        element("line", x1=28, x2=234, y1=212 - 206 * p, y2=212 - 206 * p, class_="grid")
        for p in places
    )
    return joined(upright, level)


def _panel_labels() -> list[Markup]:
    texts = [(28, 226, "middle", "0"), (131, 226, "middle", "½"), (234, 226, "middle", "1")]
    texts += [(22, 216, "end", "0"), (22, 113, "end", "½"), (22, 12, "end", "1")]
    ticks = [element("text", text, x=x, y=y, text_anchor=anchor) for x, y, anchor, text in texts]
    across = element("text", "false positive rate", x=131, y=242, text_anchor="middle")
    upright = element(
        "text",
        "true positive rate",
        x=0,
        y=0,
        text_anchor="middle",
        transform="translate(3 113) rotate(-90)",
    )
    return [*ticks, across, upright]


def line_key(k: int) -> Markup:
    """A piece of the line of a model, for legends."""
    line = element(
        "line", x1=0, x2=26, y1=6, y2=6, class_=f"curve model-{k % N_COLOURS} dash-{k % 4}"
    )
    return element("svg", line, viewBox="0 0 26 12", class_="line-key", aria_hidden="true")
