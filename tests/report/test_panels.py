"""Drawn panels: where their axes, grids and labels are."""

import numpy as np
import pytest
from report.dom import Node, parsed

from polyroc.report._figures import roc_panel
from polyroc.report._panels import BOTTOM, LEFT, RIGHT, TOP, Frame, panel


def numbers(node: Node, *names: str) -> list[float]:
    return [float(node.attributes[name]) for name in names]


def grid_of(picture: Node) -> list[list[float]]:
    return sorted(numbers(line, "x1", "x2", "y1", "y2") for line in picture.all("line", "grid"))


def drawn_grid(left: float, right: float, top: float, bottom: float) -> list[list[float]]:
    """Lines at quarters, each from one side of the frame to the other."""
    lines = []
    for share in (0.25, 0.5, 0.75):
        x, y = left + share * (right - left), bottom - share * (bottom - top)
        lines += [[x, x, top, bottom], [left, right, y, y]]
    return sorted(lines)


def roc_picture() -> Node:
    (picture,) = parsed(str(roc_panel([], [], "ROC"))).all("svg")
    return picture


def test_grids_reach_from_side_to_side() -> None:
    (picture,) = parsed(str(panel(Frame("x", "y"), [], "lines"))).all("svg")
    assert np.allclose(grid_of(picture), drawn_grid(LEFT, RIGHT, TOP, BOTTOM))
    for each in (picture, roc_picture()):
        (frame,) = each.all("rect", "frame")
        left, top, width, height = numbers(frame, "x", "y", "width", "height")
        assert np.allclose(grid_of(each), drawn_grid(left, left + width, top, top + height))


def test_grids_below_zero_lie_at_quarters_of_what_is_positive() -> None:
    (picture,) = parsed(str(panel(Frame("x", "y", -1, 3), [], "lines"))).all("svg")
    zero = BOTTOM - (BOTTOM - TOP) / 4
    level = [line for line in grid_of(picture) if line[2] == line[3]]
    expected = [[LEFT, RIGHT, y, y] for y in (zero - k / 4 * (zero - TOP) for k in (3, 2, 1))]
    assert np.allclose(level, expected, atol=0.05)  # drawn to a tenth of a unit


def test_ticks_of_an_axis_stand_in_line_beside_what_they_name() -> None:
    ticks = [each for each in roc_picture().all("text") if each.text in ("0", "½", "1")]
    across = [each for each in ticks if each.attributes["text-anchor"] == "middle"]
    upright = [each for each in ticks if each.attributes["text-anchor"] == "end"]
    assert [each.text for each in across] == [each.text for each in upright] == ["0", "½", "1"]
    assert [numbers(each, "x")[0] for each in across] == [28, 131, 234]
    assert len({each.attributes["y"] for each in across}) == 1
    assert len({each.attributes["x"] for each in upright}) == 1
    for each, place in zip(upright, (212, 109, 6), strict=True):
        assert 3 <= numbers(each, "y")[0] - place <= 6  # the baseline of digits beside a line


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (-0.5, 0.5, True),
        (-0.1, 0.9, True),
        (-0.85, 0.15, True),
        (-0.05, 0.95, False),  # next to the label of the lower end
        (-0.95, 0.05, False),  # and of the upper one
        (0.0, 1.0, False),
        (-1.0, 0.0, False),
        (0.1, 0.9, False),  # outside
        (-0.9, -0.1, False),
    ],
)
def test_zero_is_named_where_it_is_apart_from_both_ends(low: float, high: float, shown) -> None:
    page = parsed(str(panel(Frame("x", "y", low, high), [], "lines")))
    texts = [each for each in page.all("text") if each.attributes["text-anchor"] == "end"]
    assert [each.text for each in texts[:2]] == [f"{high:.2g}", f"{low:.2g}".replace("-", "−")]
    assert [each.text for each in texts[2:]] == ["0"] * shown
    place = BOTTOM - (BOTTOM - TOP) * (0 - low) / (high - low)
    assert all(numbers(each, "y") == pytest.approx([place + 4]) for each in texts[2:])


@pytest.mark.parametrize(
    ("below", "shown"), [(14, True), (13.9, False), (182, True), (182.1, False)]
)
def test_zero_keeps_fourteen_and_twenty_four_units_from_the_ends(below: float, shown: bool) -> None:
    """A panel whose axis has a unit of its picture for each of its own."""
    frame = Frame("x", "y", -below, BOTTOM - TOP - below)
    page = parsed(str(panel(frame, [], "lines")))
    zeros = [each for each in page.all("text") if each.attributes["text-anchor"] == "end"][2:]
    assert [numbers(each, "y") for each in zeros] == [[BOTTOM - below + 4]] * shown
