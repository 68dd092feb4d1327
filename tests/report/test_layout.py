"""Where things stand: beside each other, in view, whole on paper."""

import itertools
import re

import numpy as np
import pytest

from polyroc.report import write_report
from polyroc.report._panels import BOTTOM, TOP, Frame, panel

A4 = {"width": round(182 / 25.4 * 96), "height": 1000}  # 210 mm without its margins
pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("short_search")]
NAMES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

TEXTS = """selector => [...document.querySelectorAll(selector)].filter(
  each => each.checkVisibility()
).map(each => {
  const range = document.createRange();
  range.selectNodeContents(each);
  return range.getBoundingClientRect().toJSON();
})"""
"""Where the texts are that can be seen."""

BOXES = """(selector) => [...document.querySelectorAll(selector)]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .map((each) => each.getBoundingClientRect())
  .map(({ left, top, right, bottom }) => ({ left, top, right, bottom }))"""
BREAKS = """() => Object.fromEntries(["python", "confusion", "model-costs"].map((id) =>
  [id, getComputedStyle(document.getElementById(id).closest(".panel-box")).breakInside]))"""


@pytest.fixture
def page_of(sample, open_page, tmp_path, monkeypatch):
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])

    def made(n_classes: int, n_cases: int, n_models: int = 3, **options):
        y, models = sample(n_classes, n_cases, n_models)
        known = NAMES if n_classes == len(NAMES) else [f"kind {k}" for k in range(n_classes)]
        path = tmp_path / "page.html"
        write_report(path, np.array(known)[y], models, labels=known)
        return open_page(path, **options).page

    return made


def test_ten_classes_are_in_view(page_of) -> None:
    page = page_of(10, 3000, 1)
    for width in (1280, 768):
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("""() => { const box = document.querySelector("#confusion .scroll");
          return [box.scrollWidth, box.clientWidth]; }""")
        assert wide[0] <= wide[1], width


def test_findings_stand_beside_the_classes(page_of) -> None:
    """One model leaves no gap as tall as the table of ten classes; narrow screens stack them."""
    page = page_of(10, 300, 1)
    (models,), (classes,) = page.evaluate(BOXES, ".ranking"), page.evaluate(BOXES, ".classes")
    (first, *_) = page.evaluate(BOXES, ".finding")
    assert first["top"] < classes["bottom"] and first["right"] <= classes["left"]
    assert first["top"] - models["bottom"] < 150
    page.set_viewport_size({"width": 768, "height": 900})
    (classes,) = page.evaluate(BOXES, ".classes")
    assert max(each["bottom"] for each in page.evaluate(BOXES, ".finding")) <= classes["top"]


def test_slices_of_six_models_are_in_view(sample, open_page, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = sample(3, 600, 6)
    path = write_report(tmp_path / "page.html", y, models, by={"site": np.arange(600) % 4})
    page = open_page(path).page
    for width in (1280, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        (box,), cells = page.evaluate(BOXES, "#slices .scroll"), page.evaluate(BOXES, "#slices td")
        assert len(cells) == 4 * 6 * 5
        assert max(each["right"] for each in cells) <= box["right"] + 1, width


def test_paper_keeps_what_fits_together(page_of) -> None:
    page = page_of(10, 300, viewport=A4)
    page.emulate_media(media="print")
    assert set(page.evaluate(BREAKS).values()) == {"avoid"}
    order = [page.evaluate(BOXES, f"#{each}")[0]["top"] for each in ("confusion", "python")]
    assert order == sorted(order)  # what was decided comes first


def test_paper_has_pairs_and_confusions_side_by_side(page_of) -> None:
    page = page_of(13, 400, viewport=A4)
    page.emulate_media(media="print")
    first, second, third = page.evaluate(BOXES, "#pairs figure")
    assert first["top"] == second["top"] and first["right"] < second["left"]
    assert third["top"] >= first["bottom"]
    lefts = {round(each["left"]) for each in page.evaluate(BOXES, "#confusion .errors li")}
    assert len(lefts) == 2


def test_numbers_of_an_axis_do_not_meet(sample, open_page, tmp_path, monkeypatch) -> None:
    """Differences so small that their numbers are long."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = sample(3, 4000, 1)
    p = models["model 0"]
    other = p * np.exp(0.01 * np.random.default_rng(0).normal(size=p.shape))
    pair = {"one": p, "another": other / other.sum(axis=1, keepdims=True)}
    page = open_page(write_report(tmp_path / "page.html", y, pair), viewport=A4).page
    page.set_viewport_size({"width": 390, "height": 900})
    (box,), cells = page.evaluate(BOXES, "#compared .scroll"), page.evaluate(BOXES, ".whole")
    assert max(each["right"] for each in cells) <= box["right"] + 1
    page.set_viewport_size(A4)
    page.emulate_media(media="print")
    low, *_, high = page.locator(".differences .axis > span").all_inner_texts()
    assert len(low) + len(high) > 12
    ends = page.evaluate(TEXTS, ".differences .axis > span")
    (strip,) = page.evaluate(BOXES, ".differences svg.strip")
    assert len(ends) == 2
    assert (ends[0]["left"], ends[1]["right"]) == pytest.approx((strip["left"], strip["right"]))
    assert all(a["right"] + 2 < b["left"] for a, b in itertools.pairwise(ends))


def test_grid_of_net_benefit_keeps_away_from_zero() -> None:
    """Quarters of the positive part, so that no line lies close to the one at 0."""
    drawn = str(panel(Frame("threshold", "net benefit", -0.05, 0.2), [], "label"))
    found = re.findall(r'<line x1="40" x2="240" y1="([\d.]+)"', drawn)
    zero = TOP + (BOTTOM - TOP) * 0.8
    steps = np.diff([zero, *map(float, found), TOP])
    assert len(steps) == 4 and np.allclose(steps, (TOP - zero) / 4, atol=0.1)


def test_rates_above_zero_do_not_read_as_zero(open_page, tmp_path, monkeypatch) -> None:
    """One false positive among 4,000."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y = np.repeat([0, 1, 2], [100, 2000, 2000])
    p = 0.1 + 0.7 * np.eye(3)[y]
    p[100] = 0.8, 0.1, 0.1
    page = open_page(write_report(tmp_path / "page.html", y, {"model": p})).page
    assert "false positive rate 0.03\u00a0%, " in page.inner_text('.roc[data-class="0"] > p')


def test_five_classes_are_in_view_on_a_phone(page_of) -> None:
    page = page_of(5, 600, 2, viewport={"width": 390, "height": 900})
    for scrolled in page.locator("#confusion .scroll, #pairs .scroll").all():
        wide, seen = scrolled.evaluate("(box) => [box.scrollWidth, box.clientWidth]")
        assert wide <= seen
    assert all(each["right"] <= 390 for each in page.evaluate(BOXES, ".cell"))


def test_figures_of_two_classes_have_numbers_at_their_axes(sample, open_page, tmp_path) -> None:
    """And more dots on paper than on the screen: what is written there is as sharp as the text."""
    y, models = sample(2, 300)
    path = write_report(tmp_path / "page.html", np.array(["no", "yes"])[y], models)
    page = open_page(path, viewport=A4).page
    page.evaluate("""() => { window.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        written.push([this.canvas.id, text]);
        fillText.call(this, text, ...place);
      }; }""")
    page.emulate_media(media="print")
    page.wait_for_function("() => written.some(([id]) => id === 'surface-view')")
    written = page.evaluate("written")
    for text, times in (("0", 1), ("1", 2), ("errors on no", 1)):
        assert written.count(["surface-view", text]) == times
    assert "probability of yes, 0 to 1 →" in [text for _, text in written]
    dots = page.evaluate("""() => [...document.querySelectorAll("canvas")].map((each) =>
      each.width / each.getBoundingClientRect().width)""")
    assert len(dots) == 2 and min(dots) > 2.9


def test_guessing_is_seen_in_a_narrow_strip(page_of) -> None:
    page = page_of(3, 300, viewport={"width": 768, "height": 900})
    line, strip = page.locator(".strip .chance").first, page.locator(".differences .strip").first
    assert strip.evaluate("(each) => each.clientWidth") < 200  # of 280 in which it is drawn
    assert line.evaluate("(each) => getComputedStyle(each).vectorEffect") == "non-scaling-stroke"


def test_paper_has_the_values_of_six_models_beside_their_figure(page_of) -> None:
    page = page_of(3, 300, 6, viewport=A4)
    page.emulate_media(media="print")
    (figure,) = page.evaluate(BOXES, ".metrics.many .figure svg.strip")
    values = page.evaluate(BOXES, ".metrics.many tbody td:not(.figure)")
    assert len(values) == 6 and all(each["left"] > figure["right"] for each in values)
