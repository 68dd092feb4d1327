"""Intervals of the metrics are drawn where their numbers say, wide enough to be compared."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.conftest import make_sample

from polyroc.inference import evaluate
from polyroc.metrics import registry
from polyroc.report import write_report
from polyroc.report._scales import MOST_STEPS, SMALL, rounded_axis

DRAWN = """() => [...document.querySelectorAll("#metrics tbody tr")].map((row) => {
  const across = (each) => each.getBoundingClientRect();
  const grid = [...row.querySelectorAll("svg .grid")].map((each) => across(each).left);
  const ends = [...row.querySelectorAll(".axis > span")]
    .filter((each) => each.checkVisibility() && across(each).width > 0);
  const middle = ends.map((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return (across(range).left + across(range).right) / 2;
  });
  const marks = [...row.querySelectorAll(".mark")].map((mark) => {
    const line = across(mark.querySelector("line"));
    const dot = across(mark.querySelector("circle"));
    return [(dot.left + dot.right) / 2, line.left, line.right];
  });
  return { name: row.querySelector("a").getAttribute("href").slice("#metric-".length),
    labels: ends.map((each) => each.textContent), middle, grid: [grid[0], grid.at(-1)], marks };
})"""


@pytest.mark.browser
@pytest.mark.parametrize(("n_models", "width"), [(3, 1280), (3, 768), (3, 390), (1, 390)])
def test_marks_lie_where_the_axis_says(n_models, width, tmp_path, open_page, short_search) -> None:
    """Of five classes a volume is near 0, and must not make the intervals of M small."""
    y, models = make_sample(5, 400, n_models)
    path = write_report(tmp_path / "page.html", y, models)
    rows = open_page(path, viewport={"width": width, "height": 900}).run(DRAWN)
    assert {"hand_till", "simplex_volume"} <= {row["name"] for row in rows}
    expected = {row["name"]: [] for row in rows}
    for scores in models.values():
        for name, each in evaluate(y, scores, list(expected)).items():
            expected[name].append((each.value, *each.interval(0.95)[:2]))
    for row in rows:
        (left, right), ends = row["grid"], [float(row["labels"][0]), float(row["labels"][-1])]
        per_unit = (right - left) / (ends[1] - ends[0])
        read = ends[0] + (np.array(row["marks"]) - left) / per_unit
        np.testing.assert_allclose(read, expected[row["name"]], atol=0.6 / per_unit)
        check_size(row, n_models)


def check_size(row, n_models: int) -> None:
    """Intervals of several models take much of the axis; its middle is written below its middle."""
    (left, right), marks = row["grid"], np.array(row["marks"])
    if n_models > 1:
        assert marks.max() - marks.min() > 0.4 * (right - left), row
    else:
        metric = registry[row["name"]]
        start = metric.chance(5) if metric.chance else metric.lowest
        assert float(row["labels"][0]) == pytest.approx(start, abs=1e-9)
    if len(row["labels"]) == 3:
        assert row["middle"][1] == pytest.approx((left + right) / 2, abs=1)


BROKEN = """() => [...document.querySelectorAll("#compared td, #surface td")]
  .filter((each) => each.checkVisibility())
  .filter((each) => /^.?0\\.\\d{3} to .?0\\.\\d{3}$/.test(each.textContent))
  .filter((each) => each.clientHeight > 1.9 * parseFloat(getComputedStyle(each).lineHeight))
  .map((each) => each.textContent)"""


@pytest.mark.browser
def test_narrow_screens_have_intervals_beside_their_title(
    tmp_path, open_page, short_search
) -> None:
    y, models = make_sample(3, 300, 2)
    path = write_report(tmp_path / "page.html", y, models)
    page = open_page(path, viewport={"width": 390, "height": 900}).page
    page.locator("#compared summary", has_text="The other").click()
    shown = page.locator("#compared td:visible, #surface td:visible").all_inner_texts()
    assert len([each for each in shown if re.fullmatch(r".?0\.\d{3,4} to .?0\.\d{3,4}", each)]) > 10
    assert page.evaluate(BROKEN) == []


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9).filter(lambda x: max(x) - min(x) > 1e-9))
def test_an_axis_is_round_and_close(ends) -> None:
    axis = rounded_axis(ends)
    slack = 1e-9 * (axis.high - axis.low)
    assert 0 <= axis.low <= min(ends) + slack and max(ends) - slack <= axis.high <= 1
    assert 1 <= axis.n_steps <= MOST_STEPS
    assert max(ends) - min(ends) > 0.4 * (axis.high - axis.low)
    step = (axis.high - axis.low) / axis.n_steps
    assert f"{step:.5e}"[0] in "125" and f"{step:.5e}"[1:7] == ".00000"
    labels = axis.labels()
    if all(end == 0 or end >= SMALL for end in axis[:2]):  # others are powers of ten
        np.testing.assert_allclose([float(labels[0]), float(labels[-1])], axis[:2], rtol=1e-9)


@pytest.mark.parametrize(("power", "label"), [(-7, "8·10⁻⁷"), (-50, "8·10⁻⁵⁰")])
def test_tiny_volumes_are_written_as_powers(power, label) -> None:
    axis = rounded_axis([10.0**power, 7 * 10.0**power, math.nan])
    assert axis.labels() == ["0", f"4{label[1:]}", label]
