"""Strips, ROC panels and other drawings: every mark stands where its number says."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from report.dom import Node, parsed

from polyroc.report._figures import (
    line_key,
    own_axis_cell,
    roc_panel,
    strip,
    strip_axis,
    strip_cell,
)
from polyroc.report._markup import Markup
from polyroc.report._panels import Band, Frame, Line, panel
from polyroc.report._scales import Axis, differences_axis, rounded_axis

AXIS = Axis(0.5, 1.0, 5)
NONE = (math.nan, math.nan, math.nan)


def drawn(markup: Markup) -> Node:
    """The only element of a piece of markup."""
    (node,) = parsed(str(markup)).children
    assert isinstance(node, Node)
    return node


def numbers(node: Node, *names: str) -> tuple[float, ...]:
    return tuple(float(node.attributes[name]) for name in names)


def ends(node: Node) -> tuple[float, ...]:
    return numbers(node, "x1", "x2", "y1", "y2")


def across(value: float, low: float = 0.5, high: float = 1.0) -> float:
    """Where a strip of 280 units with a rim of 6 has a value."""
    return round(6 + 268 * (value - low) / (high - low), 2)


def test_a_strip_has_a_row_per_model_and_no_mark_without_a_value() -> None:
    picture = drawn(strip([(0.75, 0.625, 0.8), NONE, (0.9, math.nan, math.nan)], 0.6, AXIS, "M"))
    height = 3 * 11 + 4
    assert picture.attributes == {
        "viewbox": f"0 0 280 {height}",
        "class": "strip",
        "role": "img",
        "aria-label": "M",
    }
    grid = [(across(at), across(at), 0, height) for at in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]
    assert [ends(each) for each in picture.all("line", "grid")] == grid
    (chance,) = picture.all("line", "chance")
    assert ends(chance) == (across(0.6), across(0.6), 0, height)
    first, last = picture.all("g", "mark")
    assert [each.attributes["class"] for each in (first, last)] == ["mark model-0", "mark model-2"]
    (line,) = first.all("line")
    assert ends(line) == (across(0.625), across(0.8), 7.5, 7.5)
    assert numbers(first.all("circle")[0], "cx", "cy", "r") == (across(0.75), 7.5, 3.4)
    assert last.all("line") == []
    assert numbers(last.all("circle")[0], "cx", "cy", "r") == (across(0.9), 29.5, 3.4)


@pytest.mark.parametrize(
    ("chance", "shown"), [(0.5, True), (1.0, True), (0.49, False), (1.01, False), (None, False)]
)
def test_a_strip_marks_chance_where_its_axis_reaches_it(chance, shown) -> None:
    marks = drawn(strip([(0.75, 0.7, 0.8)], chance, AXIS)).all("line", "chance")
    assert len(marks) == shown
    assert all(numbers(each, "x1") == (across(chance),) for each in marks)


def test_a_strip_repeats_six_colours_or_has_none() -> None:
    values = [(0.6 + k / 100, 0.55, 0.7) for k in range(8)]
    picture = drawn(strip(values, None, AXIS))
    assert picture.attributes["aria-label"] == ""
    kinds = [each.attributes["class"] for each in picture.all("g")]
    assert kinds == [f"mark model-{k}" for k in (0, 1, 2, 3, 4, 5, 0, 1)]
    assert [numbers(each, "cy")[0] for each in picture.all("circle")] == [
        2 + 11 * (k + 0.5) for k in range(8)
    ]
    plain = drawn(strip(values, None, AXIS, of_models=False))
    assert {each.attributes["class"] for each in plain.all("g")} == {"mark"}


def test_axes_of_strips_are_written_with_and_without_signs() -> None:
    even = Axis(-0.1, 0.1)
    plain, signed = drawn(strip_axis(even)), drawn(strip_axis(even, signed=True))
    assert [each.text for each in plain.all("span")[1:]] == ["−0.1", "0", "0.1"]
    assert [each.text for each in signed.all("span")[1:]] == ["−0.1", "0", "+0.1"]
    assert signed.attributes == {
        "class": "strip axis",
        "role": "img",
        "aria-label": "Intervals, from −0.1 to +0.1",
    }
    assert plain.attributes["aria-label"] == "Intervals, from −0.1 to 0.1"
    assert [each.text for each in drawn(strip_axis(AXIS)).all("span")[1:]] == ["0.5", "1"]


def test_cells_of_strips_name_the_ends_of_the_axis() -> None:
    figure, even = Markup("<svg></svg>"), Axis(-0.1, 0.1)
    plain = drawn(strip_cell(figure, even))
    assert plain.attributes == {"class": "figure", "data-from": "−0.1", "data-to": "0.1"}
    assert [each.tag for each in plain.children] == ["svg"]
    headed = drawn(strip_cell(figure, even, signed=True, headed=True))
    assert headed.attributes["data-to"] == "+0.1"
    assert [each.tag for each in headed.children] == ["span", "svg"]
    assert headed.children[0].text == "−0.10+0.1"
    own = drawn(own_axis_cell(figure, AXIS))
    assert own.attributes == {"class": "figure own"}
    assert [each.tag for each in own.children] == ["svg", "span"]
    assert own.text == "0.51"


def points(places) -> str:
    """In a ROC panel, whose square is 206 wide and begins at (28, 212)."""
    return " ".join(f"{28 + 206 * x:.1f},{212 - 206 * y:.1f}" for x, y in places)


def test_a_roc_panel_has_curves_over_bands() -> None:
    rates = [(0.0, 0.0), (0.25, 0.8), (1.0, 1.0)]
    curve = SimpleNamespace(
        false_positive_rate=np.array([x for x, _ in rates]),
        true_positive_rate=np.array([y for _, y in rates]),
    )
    at, low, high = np.array([0, 0.5, 1]), np.array([0, 0.4, 0.9]), np.array([0.2, 0.7, 1])
    picture = drawn(roc_panel([curve] * 8, [(at, low, high)] * 7, "ROC of a"))
    assert picture.attributes == {
        "viewbox": "-8 0 248 246",
        "class": "panel",
        "role": "img",
        "aria-label": "ROC of a",
    }
    lines = picture.all("polyline")
    assert {each.attributes["points"] for each in lines} == {points(rates)}
    assert [each.attributes["class"] for each in lines] == [
        f"curve model-{k % 6} dash-{k % 4}" for k in range(8)
    ]
    bands = picture.all("polygon")
    around = [(0, 0), (0.5, 0.4), (1, 0.9), (1, 1), (0.5, 0.7), (0, 0.2)]
    assert {each.attributes["points"] for each in bands} == {points(around)}
    assert [each.attributes["class"] for each in bands] == [f"band model-{k % 6}" for k in range(7)]
    tags = [each.tag for each in picture.children]
    assert tags.index("polygon") < tags.index("polyline")
    (chance,), (frame,) = picture.all("line", "chance"), picture.all("rect", "frame")
    assert numbers(chance, "x1", "y1", "x2", "y2") == (28, 212, 234, 6)
    assert numbers(frame, "x", "y", "width", "height") == (28, 6, 206, 206)


def test_labels_of_a_roc_panel_stand_at_the_middle_of_its_sides() -> None:
    texts = drawn(roc_panel([], [], "")).all("text")
    assert [each.text for each in texts] == [
        *("0", "½", "1"),
        *("0", "½", "1"),
        "false positive rate",
        "true positive rate",
    ]
    places = [numbers(each, "x", "y") for each in texts]
    assert places[:3] == [(28, 226), (131, 226), (234, 226)]
    assert places[3:6] == [(22, 216), (22, 113), (22, 12)]
    assert places[6:] == [(131, 242), (0, 0)]
    assert texts[7].attributes["transform"] == "translate(3 113) rotate(-90)"
    anchors = [each.attributes["text-anchor"] for each in texts]
    assert anchors == ["middle"] * 3 + ["end"] * 3 + ["middle"] * 2


@pytest.mark.parametrize(
    ("k", "kind"), [(0, "model-0 dash-0"), (5, "model-5 dash-1"), (7, "model-1 dash-3")]
)
def test_a_legend_has_a_piece_of_each_line(k, kind) -> None:
    picture = drawn(line_key(k))
    assert picture.attributes == {
        "viewbox": "0 0 26 12",
        "class": "line-key",
        "aria-hidden": "true",
    }
    (line,) = picture.all("line")
    assert ends(line) == (0, 26, 6, 6) and line.attributes["class"] == f"curve {kind}"


FRAME = Frame("threshold", "net benefit", -0.25, 0.75)


def in_panel(x: float, y: float) -> str:
    """In a panel from (40, 212) to (240, 6) whose upright axis is that of FRAME."""
    return f"{40 + 200 * x:.1f},{212 - 206 * (y + 0.25):.1f}"


def test_a_panel_has_its_frame_and_the_names_of_its_axes() -> None:
    picture = drawn(panel(FRAME, [], "Lines"))
    assert picture.attributes == {
        "viewbox": "-14 0 260 246",
        "class": "panel",
        "role": "img",
        "aria-label": "Lines",
    }
    (frame,) = picture.all("rect", "frame")
    assert numbers(frame, "x", "y", "width", "height") == (40, 6, 200, 206)
    texts = {each.text: each for each in picture.all("text")}
    assert list(texts) == ["0", "1", "0.75", "−0.25", "threshold", "net benefit"]
    assert [(*numbers(each, "x", "y"), each.text) for each in picture.all("text")] == [
        (40, 226, "0"),
        (240, 226, "1"),
        (35, 14, "0.75"),
        (35, 212, "−0.25"),
        (35, 164.5, "0"),
        (140, 242, "threshold"),
        (0, 0, "net benefit"),
    ]
    assert texts["net benefit"].attributes["transform"] == "translate(-3 109.0) rotate(-90)"
    assert texts["threshold"].attributes["text-anchor"] == "middle"


def test_quarters_of_an_axis_that_begins_above_zero() -> None:
    picture = drawn(panel(Frame("x", "y", 0.2, 0.6), [], ""))
    level = [ends(each)[2] for each in picture.all("line", "grid") if ends(each)[0] == 40]
    assert level == [160.5, 109.0, 57.5]


def test_a_line_ends_where_it_leaves_the_picture_and_begins_where_it_comes_back() -> None:
    x = [0.0, 0.2, 0.4, 0.6, 0.8]
    y = [0.25, 1.25, 0.5, -0.75, 0.25]
    picture = drawn(panel(FRAME, [Line(x, y, "chance")], ""))
    pieces = [each.attributes["points"] for each in picture.all("polyline")]
    assert pieces == [
        " ".join([in_panel(0, 0.25), in_panel(0.1, 0.75)]),
        " ".join(
            [
                in_panel(0.2 + 0.2 * 2 / 3, 0.75),
                in_panel(0.4, 0.5),
                in_panel(0.4 + 0.2 * 0.75 / 1.25, -0.25),
            ]
        ),
        " ".join([in_panel(0.7, -0.25), in_panel(0.8, 0.25)]),
    ]
    assert {each.attributes["class"] for each in picture.all("polyline")} == {"chance"}


def test_a_line_along_an_edge_is_in_the_picture() -> None:
    """Rounding by less than a billionth does not take a point out."""
    for y in (-0.25, 0.75):
        for off in (0, 5e-10, -5e-10):
            assert FRAME.inside(Line([0, 1], [y + off, y], "")) == [[(0, y + off), (1, y)]]
    assert FRAME.inside(Line([0, 1], [0.76, 0.77], "")) == []
    assert FRAME.inside(Line([0, 1], [-0.26, -0.27], "")) == []
    for edge, outside in ((-0.25, -0.25 - 1.5e-9), (0.75, 0.75 + 1.5e-9)):
        ((first, second),) = FRAME.inside(Line([0, 1], [outside, 0.0], ""))
        assert first == pytest.approx((0, edge), abs=1e-7) and second == (1, 0.0)
        assert first[0] > 0


def test_lines_of_models_have_dots_in_their_colour() -> None:
    made = Line.of_model(7, [0.1, 0.3], [0.25, 0.5], marks=True)
    assert made == Line([0.1, 0.3], [0.25, 0.5], "curve model-1 dash-3", True)
    assert Line.of_model(2, [0.1], [0.2]).marks is False
    picture = drawn(panel(FRAME, [made, Line.of_model(2, [0, 1], [0, 0])], ""))
    (dots,) = picture.all("g", "dots")
    assert dots.attributes["class"] == "model-1 dots"
    places = [f"{each.attributes['cx']},{each.attributes['cy']}" for each in dots.all("circle")]
    assert places == [in_panel(0.1, 0.25), in_panel(0.3, 0.5)]
    assert {each.attributes["r"] for each in dots.all("circle")} == {"2.4"}
    assert len(picture.all("circle")) == 2


def test_bands_are_cut_at_the_edges_and_lie_under_lines() -> None:
    band = Band([0, 0.5, 1], [-0.5, 0, 0.1], [0.2, 0.9, 0.3], "band model-1")
    picture = drawn(panel(FRAME, [Line([0, 1], [0, 0], "chance")], "", [band]))
    (area,) = picture.all("polygon")
    around = [(0, -0.25), (0.5, 0), (1, 0.1), (1, 0.3), (0.5, 0.75), (0, 0.2)]
    assert area.attributes == {
        "points": " ".join(in_panel(*each) for each in around),
        "class": "band model-1",
    }
    tags = [each.tag for each in picture.children]
    assert tags.index("polygon") < tags.index("polyline")


def test_ticks_of_an_axis_are_evenly_spaced() -> None:
    assert Axis(0.5, 0.9).ticks == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9])
    assert Axis(-1, 2, 3).ticks == pytest.approx([-1, 0, 1, 2])
    assert Axis(0, 1, 1).labels() == ["0", "1"]
    assert Axis(0, 1, 2).labels(signed=True) == ["0", "+0.5", "+1"]
    assert Axis(0, 1e-4).labels() == ["0", "5·10⁻⁵", "0.0001"]
    assert Axis(-2e-5, 2e-5, 3).labels(signed=True) == ["−2·10⁻⁵", "+2·10⁻⁵"]
    assert Axis(0, 1.25e-10, 1).labels() == ["0", "1.25·10⁻¹⁰"]


@pytest.mark.parametrize(
    ("given", "axis"),
    [
        ([0, 1], (0, 1, 5)),
        ([0.01, 0.99], (0, 1, 5)),
        ([0.5, 1.0], (0.5, 1.0, 5)),
        ([0.12, 0.13], (0.12, 0.13, 5)),
        ([0.121, 0.13], (0.12, 0.13, 5)),
        ([0.3, 0.9], (0.2, 1.0, 4)),
        ([0.4, 0.9], (0.4, 0.9, 5)),
        ([0.39, 0.9], (0.2, 1.0, 4)),
        ([0.49, 0.91], (0.4, 1.0, 3)),
        ([-0.3, 0.7], (-0.5, 1.0, 3)),
        ([-0.05, 0.93], (-0.5, 1.0, 3)),
        ([0.7, 0.7], (0.6, 0.7, 1)),
        ([0.71, math.nan], (0.7, 0.8, 1)),
        ([0.0], (0, 0.1, 1)),
        ([1.0], (0.9, 1.0, 1)),
        ([], (0, 1, 4)),
    ],
)
def test_axes_end_at_round_numbers(given, axis) -> None:
    assert rounded_axis(given) == pytest.approx(axis, abs=1e-12)


def test_a_value_is_a_round_number_but_for_rounding() -> None:
    assert rounded_axis([0.7 + 5e-11]) == Axis(0.6, 0.7, 1)
    assert rounded_axis([0.7 + 15e-11]) == Axis(0.7, 0.8, 1)


@pytest.mark.parametrize(
    ("given", "axis"),
    [
        ([0.02, 0.04], (0, 0.04, 4)),
        ([-0.04, -0.02], (-0.04, 0, 4)),
        ([math.nan, math.nan], (-1, 1, 4)),
        ([0.0, 0.0], (-1, 1, 4)),
        ([math.nan, 0.5], (0, 0.5, 5)),
        ([], (-1, 1, 4)),
    ],
)
def test_axes_of_differences_hold_zero(given, axis) -> None:
    assert differences_axis(given) == pytest.approx(axis, abs=1e-12)
