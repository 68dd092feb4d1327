"""Styles, sizes and files of figures are the user's, and legends stay where there is room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from display.exhibits import EXHIBITS, Exhibit, plain_names, sample
from matplotlib.colors import to_hex

import polyroc.display as displays
from polyroc import compare, evaluate
from polyroc.datasets import example_predictions
from polyroc.display import (
    ComparisonDisplay,
    PairwiseAucDisplay,
    RocCurvesDisplay,
    SimplexDisplay,
)
from polyroc.errors import InvalidType, NotDefined, UnknownName
from polyroc.surface import ScoreModel, search


def all_lines(ax: Any) -> list[Any]:
    return [line for axes in (ax, *ax.child_axes) for line in axes.lines]


def exhibited_class(exhibit: Exhibit) -> Any:
    return getattr(displays, exhibit.name.split(",")[0])


def test_options_reach_the_lines_and_bands_of_every_display_that_takes_them() -> None:
    taking = {exhibited_class(each): each for each in EXHIBITS if exhibited_class(each).styles}
    assert len(taking) == 12
    for cls, exhibit in taking.items():
        display = exhibit.example()
        display.plot(line_kw={"lw": 7.25, "c": "#123456"})
        drawn = [each for each in all_lines(display.ax_) if each.get_linewidth() == 7.25]
        assert drawn, cls
        assert {to_hex(each.get_color()) for each in drawn} == {"#123456"}, cls
        display.plot()  # the next call is as before
        assert not any(each.get_linewidth() == 7.25 for each in all_lines(display.ax_)), cls
        if "band_kw" in display.styles:
            display.plot(band_kw={"facecolor": "#654321", "alpha": 1})
            filled = [*display.ax_.patches, *display.ax_.collections]
            assert "#654321" in {to_hex(np.ravel(each.get_facecolor())[:3]) for each in filled}, cls
        plt.close("all")


def test_options_that_a_display_cannot_obey_are_refused() -> None:
    y, p = sample(3, plain_names(3))
    triangle = SimplexDisplay.from_predictions(y, p)
    curves = RocCurvesDisplay.from_predictions(y, p)
    for style in ("line_kw", "band_kw"):
        with pytest.raises(NotDefined, match=f"does not draw what {style} is for"):
            triangle.plot(**{style: {"alpha": 0.4}})
        with pytest.raises(InvalidType, match=f"{style} must be a mapping from options to values"):
            curves.plot(**{style: "red"})


def test_settings_of_matplotlib_are_obeyed() -> None:
    y, p = sample(3, plain_names(3))
    settings = {
        "lines.linewidth": 3.25,
        "axes.prop_cycle": mpl.cycler(color=["#111111", "#222222"]),
        "figure.figsize": (3.5, 3.25),
    }
    with mpl.rc_context(settings):
        display = RocCurvesDisplay.from_predictions(y, p, labels=plain_names(3))
    curves = display.ax_.lines[1:]
    assert [line.get_linewidth() for line in curves] == [3.25] * 3
    assert [line.get_color() for line in curves] == ["#111111", "#222222", "#111111"]
    assert display.figure_.get_size_inches().tolist() == [3.5, 3.25]


def legend_box(ax: Any) -> Any:
    ax.figure.canvas.draw()
    return ax.get_legend().get_window_extent()


def test_legends_of_many_classes_stay_in_the_figure_and_in_axes_of_the_user() -> None:
    for n_classes, entries in ((8, 8), (50, 50), (90, 75)):
        y, p = sample(n_classes, plain_names(n_classes), n=4 * n_classes)
        display = RocCurvesDisplay.from_predictions(y, p, labels=plain_names(n_classes))
        box, page = legend_box(display.ax_), display.figure_.bbox
        assert page.x0 <= box.x0 and box.x1 <= page.x1 + 1, n_classes
        assert page.y0 <= box.y0 and box.y1 <= page.y1 + 1, n_classes
        assert display.ax_.get_window_extent().height > 0.6 * page.height  # not squeezed
        assert len(display.ax_.get_legend().get_texts()) == entries
        figure, axes = plt.subplots(1, 2, figsize=(9, 4))
        display.plot(axes[0])
        inside = axes[0].get_window_extent().padded(2)
        box = legend_box(axes[0])
        assert inside.x0 <= box.x0 and box.x1 <= inside.x1, n_classes
        assert inside.y0 <= box.y0 and box.y1 <= inside.y1, n_classes
        texts = [text.get_text() for text in axes[0].get_legend().get_texts()]
        if n_classes > 20:
            assert texts[-1] == f"and {n_classes - len(texts) + 1} more"
        plt.close(figure)


def test_what_stands_beside_axes_of_the_user_does_not_cover_their_neighbours() -> None:
    y, models, labels = example_predictions()
    values = {
        name: evaluate(y, each, ["hand_till"], labels=labels) for name, each in models.items()
    }
    for display in (
        displays.ForestDisplay.from_evaluations(values),
        ComparisonDisplay.from_comparison(compare(y, models, ["hand_till"], labels=labels)),
        PairwiseAucDisplay.from_predictions(y, models["bayes"], labels=labels),
        SimplexDisplay.from_predictions(y, models["bayes"], labels=labels),
    ):
        figure, axes = plt.subplots(2, 2, figsize=(9, 7))
        before = [ax.get_position().bounds for ax in axes.flat]
        display.plot(axes[0, 0])
        figure.canvas.draw()
        right = axes[0, 0].get_tightbbox().x1
        assert right < axes[0, 1].get_window_extent().x0, display
        assert [ax.get_position().bounds for ax in axes.flat][1:] == before[1:]
        assert axes[0, 0].get_position().width > 0.25 * before[0][2]
        figure.tight_layout()  # is the user's to call, and counts what is beside
        assert axes[0, 0].get_tightbbox().x1 <= axes[0, 1].get_tightbbox().x0 + 1, display
        plt.close(figure)


def test_narrow_axes_of_the_user_have_room_for_bars_numbers_and_legend() -> None:
    """G and δ of three surfaces: the legend stands above the bars, and nothing leaves the axes."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = {name: 1 / (1 + np.exp(-y - rng.normal(size=60))) for name in ("one", "two", "three")}
    found = {name: surface_of(y, each) for name, each in scores.items()}
    figure, axes = plt.subplots(2, 2)
    ax = displays.GiniDeltaDisplay.from_surfaces(found).plot(axes[0, 0]).ax_
    figure.canvas.draw()
    bars = [patch.get_window_extent() for patch in ax.patches]
    assert legend_box(ax).y0 > max(bar.y1 for bar in bars)
    assert all(bar.width < ax.get_window_extent().width + 1 for bar in bars)
    assert ax.get_window_extent().width > 0.9 * axes[0, 1].get_window_extent().width
    assert ax.get_tightbbox().x1 < axes[0, 1].get_window_extent().x0
    assert ax.get_tightbbox().y0 > axes[1, 0].get_window_extent().y1
    for text in ax.texts:
        box = text.get_window_extent()
        assert ax.get_window_extent().padded(1).contains(box.x0, box.y0)
        assert not any(box.shrunk(0.9, 0.6).overlaps(bar) for bar in bars)
    plt.close(figure)


def surface_of(y: np.ndarray, scores: np.ndarray) -> Any:
    return search(ScoreModel(y, scores), generations=5, progress=False)


def test_several_models_share_a_roc_figure() -> None:
    y, models, labels = example_predictions()
    display = RocCurvesDisplay.from_models(y, models, positive="rare", labels=labels)
    assert len(display.ax_.patches) == 3  # their bands
    assert display.ax_.get_title() == "rare against the rest"
    frame = display.frame()
    assert list(dict.fromkeys(frame["curve"])) == list(models)
    for name, scores in models.items():
        alone = RocCurvesDisplay.from_predictions(y, scores, labels=labels).frame()
        wanted = alone[alone["positive"] == "rare"].reset_index(drop=True)
        own = frame[frame["curve"] == name].drop(columns="curve").reset_index(drop=True)
        assert own.equals(wanted), name
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert all(text.startswith(name) for text, name in zip(legend, models, strict=True))
    two = {name: scores[:, 1] for name, scores in models.items()}
    assert set(RocCurvesDisplay.from_models(y == "rare", two).curves) == set(models)
    with pytest.raises(NotDefined, match=r"got 3 classes\. Name it by positive="):
        RocCurvesDisplay.from_models(y, models, labels=labels)
    with pytest.raises(UnknownName, match="There is no class 'seldom'"):
        RocCurvesDisplay.from_models(y, models, positive="seldom", labels=labels)


def test_files_are_as_journals_take_them(tmp_path: Path) -> None:
    y, models, labels = example_predictions()
    display = ComparisonDisplay.from_comparison(compare(y, models, ["hand_till"], labels=labels))
    assert not hasattr(display, "figure_")
    before = mpl.rcParams.copy()
    for ending, start in ((".pdf", b"%PDF"), (".svg", b"<?xml"), (".png", b"\x89PNG")):
        path = tmp_path / f"figure{ending}"
        display.save(path)
        assert path.read_bytes().startswith(start)
    assert mpl.rcParams == before
    pdf = (tmp_path / "figure.pdf").read_bytes()
    assert b"/Type3" not in pdf and b"/Subtype /Type3" not in pdf
    assert b"/FontFile2" in pdf  # TrueType, embedded
    corner = SimplexDisplay.from_predictions(y, models["bayes"], labels=labels)
    corner.save(str(tmp_path / "triangle.png"), dpi=40)
    assert plt.imread(tmp_path / "triangle.png").shape[0] < 300
