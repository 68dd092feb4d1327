"""What holds for every display."""

from __future__ import annotations

import subprocess
import sys
from copy import copy
from itertools import combinations
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from display.exhibits import EXHIBITS, HARD_NAMES, NAMED, Exhibit, plain_names
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

import polyroc.display as displays
from polyroc.errors import InvalidType, NotDefined

every_display = pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda each: each.name)


def with_names(each: Exhibit, K: int) -> Any:
    """An exhibit of K classes; few names that overlap, or G of many pairs, are for another time."""
    later = K in (2, 5) or (each.name, K) == ("GiniDeltaDisplay", 12)
    marks = [pytest.mark.slow] if later else []
    return pytest.param(each, K, marks=marks, id=f"{each.name}-{K}")


every_size = pytest.mark.parametrize(
    ("exhibit", "K"), [with_names(each, K) for each in NAMED for K in (2, 3, 5, 12)]
)


def test_every_display_is_exhibited() -> None:
    shown = {each.name.split(",")[0] for each in EXHIBITS}
    assert shown == set(displays.__all__) - {"Display"}


def test_importing_displays_does_not_import_matplotlib() -> None:
    code = "import polyroc.display, sys; print('matplotlib' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def given_axes(exhibit: Exhibit) -> tuple[Any, Any]:
    """Two axes of one figure, to draw into the first."""
    figure = plt.figure(figsize=(14, 7))
    return figure.add_subplot(1, 2, 1, projection=exhibit.projection), figure.add_subplot(1, 2, 2)


@every_display
def test_draws_into_the_given_axes_only(exhibit: Exhibit) -> None:
    display = exhibit.example()
    plt.close("all")  # the figure that it may have been drawn into when it was made
    ax, other = given_axes(exhibit)
    open_before, axes_before = plt.get_fignums(), list(ax.figure.axes)
    untouched = set(other.get_children()), other.get_xlim(), other.get_title()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert plt.get_fignums() == open_before
    assert ax.figure.axes == axes_before
    assert (set(other.get_children()), other.get_xlim(), other.get_title()) == untouched


@every_display
def test_makes_one_figure_where_no_axes_are_given(exhibit: Exhibit) -> None:
    display = copy(exhibit.example())
    assert not hasattr(display, "ax_")  # where it was drawn is not copied
    plt.close("all")
    assert display.plot() is display
    assert len(plt.get_fignums()) == 1
    assert display.figure_.axes == [display.ax_]


@every_display
def test_leaves_the_settings_alone(exhibit: Exhibit) -> None:
    before = mpl.rcParams.copy()
    exhibit.example().plot()
    assert mpl.rcParams == before


@pytest.mark.slow
@every_display
def test_two_calls_draw_the_same(exhibit: Exhibit) -> None:
    display = exhibit.example()
    first, second = (pixels(exhibit, display) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def pixels(exhibit: Exhibit, display: Any) -> np.ndarray:
    figure = plt.figure(dpi=50)
    display.plot(figure.add_subplot(projection=exhibit.projection))
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba()).copy()


@every_display
def test_the_frame_holds_what_is_drawn(exhibit: Exhibit) -> None:
    display = exhibit.example()
    frame = display.frame()
    assert len(frame) > 0
    assert list(frame.index) == list(range(len(frame)))
    display.plot()
    exhibit.check(display.ax_, frame)
    pd.testing.assert_frame_equal(display.frame(), frame)


@pytest.mark.system
@every_size
def test_draws_every_allowed_number_of_classes(exhibit: Exhibit, K: int) -> None:
    """What is drawn is the frame's, and names are literal and do not overlap."""
    if K not in exhibit.allowed:
        with pytest.raises(NotDefined, match=f"{K}"):
            exhibit.make(K, plain_names(K))
        return
    display = exhibit.make(K, HARD_NAMES[:K]).plot()
    exhibit.check(display.ax_, display.frame())
    check_texts(display)


def check_texts(display: Any) -> None:
    """All texts are literal, inside the figure, and apart from each other."""
    page = display.figure_.bbox.padded(1.5)
    boxes = {text: text.get_window_extent() for text in drawn_texts(display.figure_)}
    for text, box in boxes.items():
        assert not is_math_text(text.get_text()), text
        assert page.contains(box.x0, box.y0), text
        assert page.contains(box.x1, box.y1), text
    if display.projection is None:  # boxes of slanted labels overlap where their letters do not
        for (one, first), (two, second) in combinations(boxes.items(), 2):
            assert not first.padded(-0.6).overlaps(second.padded(-0.6)), (one, two)


def drawn_texts(figure: Any) -> list[Text]:
    """The texts that are drawn; axes also keep some that are not, such as ticks out of view."""
    seen = []
    draw = Text.draw

    def recorded(text: Text, *arguments: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            seen.append(text)
        draw(text, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", recorded)
        figure.canvas.draw()
    return seen


def test_names_without_glyphs_only_warn() -> None:
    names = ["良性の腫瘍", "悪性の腫瘍", "境界"]
    display = EXHIBITS[0].make(3, names).plot()
    with pytest.warns(UserWarning, match="Glyph"):
        display.figure_.canvas.draw()


@every_display
def test_refuses_what_is_no_axes(exhibit: Exhibit) -> None:
    with pytest.raises(InvalidType, match="axes or None"):
        exhibit.example().plot(plt.figure())  # type: ignore[arg-type]


@every_display
def test_is_read_only(exhibit: Exhibit) -> None:
    display = exhibit.example()
    field = next(iter(vars(display)))
    with pytest.raises(AttributeError):
        setattr(display, field, None)
