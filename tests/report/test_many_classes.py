"""Many classes: pairs that can be searched, tables that scroll, confused classes side by side."""

import re

import numpy as np
import pytest
from report.conftest import make_sample
from report.recount import agrees

from polyroc import evaluate_pairs
from polyroc.report import write_report
from polyroc.report._pair_data import hardest

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("short_search")]

ROWS = """(selector) => [...document.querySelectorAll(`${selector} tr`)].map((row) =>
  [...row.cells].map((cell) => (cell.querySelector("button b, button, span") ?? cell).innerText
    .replaceAll("\\n", " ").trim()))"""
LIMITS = "(selector) => [...document.querySelectorAll(`${selector} small`)].map((e) => e.innerText)"
BOX = """() => {
  const box = document.querySelector("#confusion .tall");
  box.scrollTo(200, 300);
  const [frame, head, side] = [box, box.querySelector("thead th:nth-child(2)"),
    box.querySelector("tbody tr:nth-child(2) th")].map((each) => each.getBoundingClientRect());
  return [box.scrollTop, head.top - frame.top, side.left - frame.left];
}"""

EXPLORER = """() => ["#explorer-summary", "#confusion", "#model-costs", "#explorer-calibration",
  "#simplex-choice", "#curves"].map((each) => document.querySelector(each).innerText)"""


@pytest.fixture
def page_of(open_page, tmp_path, monkeypatch):
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])

    def made(n_classes: int, n_cases: int):
        y, models = make_sample(n_classes, n_cases)
        p = models["model 0"]
        p[:, 1] += 0.5 * p[:, n_classes - 1] * (y == n_classes - 1)  # a pair that is confused
        models["model 0"] = p / p.sum(axis=1, keepdims=True)
        names = [f"kind {k}." for k in range(n_classes)]
        path = tmp_path / "page.html"
        write_report(path, [names[k] for k in y], models, labels=names)
        return open_page(path).page, y, models, names

    return made


def test_hardest_pairs_of_each_class() -> None:
    """By loops: a pair is kept if it is among the ten hardest of one of its two classes."""
    rng = np.random.default_rng(0)
    pairs = rng.random((23, 23))
    np.fill_diagonal(pairs, np.nan)
    means = {(a, b): (pairs[a, b] + pairs[b, a]) / 2 for a in range(23) for b in range(a + 1, 23)}
    kept = set()
    for k in range(23):
        kept |= set(sorted((pair for pair in means if k in pair), key=means.get)[:10])
    expected = sorted(kept, key=means.get)
    assert [tuple(map(int, pair)) for pair in zip(*hardest(pairs), strict=True)] == expected


def test_pairs_are_searched_and_tables_scroll(page_of) -> None:
    page, y, models, names = page_of(33, 700)
    before = page.evaluate(ROWS, "#pairs tbody")
    page.fill("#pair-search", "KIND 7.")
    frame = evaluate_pairs(y, models["model 0"]).set_index(["positive", "negative"])
    rows = page.evaluate(ROWS, "#pairs figure:first-child tbody")
    smalls = page.evaluate(LIMITS, "#pairs figure:first-child tbody")
    assert 10 <= len(rows) <= 20 and all("kind 7." in row[:2] for row in rows)
    means = []
    for place, (first, second, ab, ba) in enumerate(rows):
        a, b = names.index(first), names.index(second)
        for text, small, key in (
            (ab, smalls[2 * place], (a, b)),
            (ba, smalls[2 * place + 1], (b, a)),
        ):
            assert agrees(text, frame.loc[key, "value"])
            low, high = small.split(" to ")
            assert agrees(low, frame.loc[key, "low"]) and agrees(high, frame.loc[key, "high"])
        means.append(frame.loc[(a, b), "value"] + frame.loc[(b, a), "value"])
    assert means == sorted(means)
    mine = [frame.loc[(7, k), "value"] + frame.loc[(k, 7), "value"] for k in range(33) if k != 7]
    assert np.allclose(means[:10], sorted(mine)[:10])
    page.fill("#pair-search", "nothing")
    assert page.inner_text("#pairs [role=status]") == "There is no such class."
    assert page.inner_text(".scrolls") == "20 of 33 classes; scroll for more rows."
    page.select_option("#across", "4")
    page.select_option("#upward", "9")
    named = page.locator(".truths li").all_inner_texts()
    assert named == [names[4], names[9], "every other class"]
    page.fill("#pair-search", "")
    assert page.evaluate(ROWS, "#pairs tbody") == before
    check_search(page, names)
    check_matrix(page, y, models["model 0"], names)


def check_search(page, names) -> None:
    """Confusions of one class: each has it as truth or decision; one that is not there is said."""
    told = page.locator("#confusion > p.muted")
    page.fill("#class-search", "KIND 7.")
    listed = page.locator("#confusion .errors li").all_inner_texts()
    assert listed and all(names[7] in each for each in listed)
    assert "errors that involve the class searched for, " in told.last.inner_text()
    copy = page.locator("#confusion .share")
    assert copy.is_visible()
    page.fill("#class-search", "nothing")
    assert told.first.inner_text() == "There is no such class." and not copy.is_visible()
    page.fill("#class-search", "")


def check_matrix(page, y, p, names) -> None:
    (_, *head), *rows = page.evaluate(ROWS, "#confusion .tall table")
    decided = np.float32(p).argmax(axis=1)
    table = np.zeros((33, 33), dtype=int)
    np.add.at(table, (y, decided), 1)
    shown = [names.index(each) for each in head]
    assert [row[0] for row in rows] == head and len(head) == 30
    for truth, row in zip(shown, rows, strict=True):
        assert [int(each or 0) for each in row[1:]] == table[truth, shown].tolist()
    errors = table.sum(axis=0) + table.sum(axis=1) - 2 * np.diag(table)
    assert min(errors[shown]) >= max(np.delete(errors, shown))
    scrolled, top, left = page.evaluate(BOX)
    assert scrolled > 100 and abs(top) < 2 and abs(left) < 2
    page.locator("#confusion .tall td button").nth(0).click()
    assert "cell=" in page.evaluate(
        "() => new Promise((done) => setTimeout(() => done(location.hash), 400))"
    )
    assert page.locator("#confusion .tall [aria-pressed=true]").count() == 1


def test_confused_classes_side_by_side(page_of) -> None:
    page, _, _, names = page_of(5, 400)
    (corner, *head), *rows = page.evaluate(ROWS, "#confusion table")
    values = {
        (row[0], name): text for row in rows for name, text in zip(head, row[1:], strict=True)
    }
    for _ in range(2):
        page.check("#sorted")
        for selector in ("#confusion table", "#pairs figure:first-child table"):
            (_, *order), *sorted_rows = page.evaluate(ROWS, selector)
            assert [row[0] for row in sorted_rows] == order != head and set(order) == set(names)
            assert abs(order.index("kind 1.") - order.index("kind 4.")) == 1
        (_, *order), *sorted_rows = page.evaluate(ROWS, "#confusion table")
        for row in sorted_rows:
            assert all(
                values[row[0], name] == text for name, text in zip(order, row[1:], strict=True)
            )
        page.check("#may-refer")  # whose column stays the last
        (_, *order), *sorted_rows = page.evaluate(ROWS, "#confusion table")
        assert order[-1] == "referred" and [row[0] for row in sorted_rows] == order[:-1]
        page.set_viewport_size({"width": 390, "height": 900})
        head_box, frame = (
            page.locator(each).bounding_box() for each in ("th.refers", "#confusion .scroll")
        )
        assert head_box["x"] + head_box["width"] <= frame["x"] + frame["width"] + 1  # in view
        page.set_viewport_size({"width": 1280, "height": 900})
        page.uncheck("#may-refer")
        page.uncheck("#sorted")
        assert page.evaluate(ROWS, "#confusion table") == [[corner, *head], *rows]


def test_some_cases_open_as_all_do(open_page, tmp_path, monkeypatch) -> None:
    """A page that holds few of its cases counts all where every error costs the same."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = make_sample(14, 500)
    weights = np.random.default_rng(0).integers(1, 5, 500)
    for given in (None, weights):
        pages = []
        for size in (10**6, 6000):
            monkeypatch.setattr("polyroc.report._cases.SCORE_BYTES", size)
            path = write_report(tmp_path / f"{size}.html", y, models, sample_weight=given)
            pages.append(open_page(path).page)
        whole, part = (page.evaluate(EXPLORER) for page in pages)
        told = re.compile(r" among all 500 cases| Other costs are tried on \d+ cases, which.*")
        assert [told.sub("", each) for each in part] == whole
        assert " among all 500 cases" in part[1]
        pages[1].fill(".slider-row input[type=number]", "3")
        changed = pages[1].evaluate(EXPLORER)
        assert " of 500 cases that this page contains" in changed[0] and changed != part
        pages[1].click("text=All equal")
        assert pages[1].evaluate(EXPLORER) == part
        check_listed(pages[1])


def check_listed(page) -> None:
    """The cases of a cell that are in the page are listed, and all are counted."""
    page.click("#confusion .errors .cell >> nth=0")
    count = int(page.inner_text("#confusion .errors .cell[aria-pressed=true] b"))
    told = page.inner_text("#cases p")
    held = re.search(r": (\d+) cases?(?:, (\d+|none) of them in this page)?\.", told)
    n_held = page.locator("#cases tbody tr").count()
    assert held and (held[2] is None or held[2] == (str(n_held) if n_held else "none"))
    assert n_held <= int(held[1]) <= count
