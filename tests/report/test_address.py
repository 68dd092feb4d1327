"""What the reader chooses is in the address: a link shows the same to someone else."""

import pytest
from report.conftest import make_sample

from polyroc.report import write_report

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("short_search")]

SHOWN = """() => [
  ...[...document.querySelectorAll("#controls input, #controls select, .choice select")]
    .filter((each) => each.type !== "search")
    .map((each) => `${each.id}:${each.value}:${each.checked}`),
  ...["explorer-summary", "limit-message", "python", "cases"].map(
    (id) => document.getElementById(id)?.innerText),
  document.getElementById("surface-view")?.toDataURL(),
  document.getElementById("simplex").toDataURL(),
  document.querySelector(".errors")?.innerText,
]"""
PRESS = (
    "([id, key]) => document.getElementById(id).dispatchEvent(new KeyboardEvent('keydown', {key}))"
)


def settled(page) -> str:
    page.wait_for_timeout(400)
    return page.evaluate("() => location.hash")


def same_by_link(open_page, path, page) -> str:
    """What is chosen is shown again where the link is opened; the address."""
    link, shown = settled(page), page.evaluate(SHOWN)
    other = open_page(path).page
    assert other.evaluate(SHOWN) != shown
    other.evaluate("(link) => { location.hash = link }", link)
    other.wait_for_timeout(100)
    assert other.evaluate(SHOWN) == shown
    assert settled(other) == link
    return link


def test_limits_and_axes(open_page, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = make_sample(4, 120)
    path = write_report(tmp_path / "page.html", y, models)
    page = open_page(path).page
    page.check("#mode-limits")
    page.fill("#limit-1-number", "30")
    page.fill("#limit-7-number", "12.5")
    page.select_option("#upward", "3")
    page.select_option("#rate-axis-0", "2")
    page.evaluate(PRESS, ["surface-view", "ArrowLeft"])
    page.select_option("#model", "1")
    page.click("#confusion .cell[data-cell='2']")
    link = same_by_link(open_page, path, page)
    assert link == ("#model=1&limits=1:0.3,7:0.125&cell=2&axes=0,3&rateAxes=2,1,2&turned=0.3,0.2")
    page.check("input[name=mode][value=costs]")
    page.click("#equal")
    assert "limits" not in settled(page) and page.is_visible("#cost-controls")
    page.evaluate("() => { location.hash = '#limits=1:7,99:0.1&axes=0,9&turned=x,1&cut=9:0.1' }")
    page.wait_for_timeout(100)
    assert page.is_checked("#mode-limits") and page.input_value("#limit-1-number") == "100"
    assert page.input_value("#upward") == "1"


def test_search(open_page, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = make_sample(14, 200, 1)
    names = [f"kind & {k}%" for k in range(14)]
    path = write_report(tmp_path / "page.html", [names[k] for k in y], models, labels=names)
    page = open_page(path).page
    page.fill("#class-search", "& 13%")
    assert "with such a class" in page.inner_text("#confusion")
    assert same_by_link(open_page, path, page) == "#search=%26%2013%25"
