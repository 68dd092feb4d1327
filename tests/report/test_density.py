"""Many cases are drawn as squares whose pixels are shared out as their cases are."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from report.conftest import make_sample

from polyroc.report import write_report

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("short_search")]

EDGE, SIDE, LEAST = 30, 6, 3
PIXELS = """() => {
  const canvas = document.getElementById("simplex");
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const found = {};
  for (const value of new Uint32Array(data.buffer)) {
    const hex = (value & 0xffffff).toString(16).padStart(6, "0");
    const text = `#${hex.slice(4)}${hex.slice(2, 4)}${hex.slice(0, 2)}`;
    found[text] = (found[text] ?? 0) + 1;
  }
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return { width, height, found, paper: get("--paper"), ink: get("--ink"),
    classes: [0, 1, 2].map((k) => get(`--class-${k}`)) };
}"""


def mixed(first: str, second: str, share: float) -> str:
    parts = []
    for at in (1, 3, 5):
        a, b = int(first[at : at + 2], 16), int(second[at : at + 2], 16)
        parts.append(f"{math.floor(a * (1 - share) + b * share + 0.5):02x}")
    return f"#{''.join(parts)}"


def pixels_by_loops(p: np.ndarray, y: np.ndarray, strong: np.ndarray, size) -> Counter[int]:
    """Pixels of each kind: classes that are pale, then those that are strong."""
    width, height = size
    corners = [(EDGE, height - EDGE), (width - EDGE, height - EDGE), (width / 2, EDGE)]
    squares: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 6)
    for row, k, wrong in zip(p.tolist(), y.tolist(), strong.tolist(), strict=True):
        x, z = (np.float32(sum(row[c] * corners[c][a] for c in range(3))) for a in (0, 1))
        squares[int(x // SIDE), int(z // SIDE)][k + 3 * wrong] += 1
    most = max(map(sum, squares.values()))
    found: Counter[int] = Counter()
    for counts in squares.values():
        side = math.floor(LEAST + (SIDE - LEAST) * math.log(sum(counts)) / math.log(most) + 0.5)
        running = given = 0
        for kind, count in enumerate(counts):
            running += count
            upto = math.floor(side * side * running / sum(counts) + 0.5)
            found[kind] += upto - given
            given = upto
    return found


def test_squares_show_shares(open_page, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = make_sample(3, 4000, 1)
    p = np.float32(models["model 0"]).astype(np.float64)
    page = open_page(write_report(tmp_path / "page.html", y, {"model": p})).page
    decided = p.argmax(axis=1)
    told = "The more cases a square has, the larger it is; each class takes up its share of it."
    assert told in page.inner_text("#simplex-told")
    for cell, strong in ((None, decided != y), (1, (y == 0) & (decided == 1))):
        if cell is not None:
            page.click(f"#confusion .cell[data-cell='{cell}']")
        told = "misclassified" if cell is None else "the cases of the selected cell"
        assert f" Strong: {told}." in page.inner_text("#simplex-told")
        drawn = page.evaluate(PIXELS)
        expected = pixels_by_loops(p, y, strong, (drawn["width"], drawn["height"]))
        inks = [mixed(each, drawn["paper"], 0.55) for each in drawn["classes"]]
        inks += [mixed(each, drawn["ink"], 0.12) for each in drawn["classes"]]
        for kind, ink in enumerate(inks):
            pixels = drawn["found"].get(ink, 0)
            assert abs(pixels - expected[kind]) <= 0.02 * expected[kind] + 2, (cell, kind)
    shown = sum(expected[kind] for kind in (3, 4, 5)) / sum(expected.values())
    assert shown < 0.2


def test_grey_covers_no_colour(open_page, tmp_path, monkeypatch) -> None:
    """Of many classes only two have colours: their few cases lie on the others, at one place."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y = np.repeat(np.arange(14), [5, 5, *[250] * 12])  # what is drawn last comes last
    p = np.full((len(y), 14), 1 / 14)
    path = write_report(tmp_path / "page.html", y, {"model": p})
    page = open_page(path).page
    page.select_option("#across", "0")
    page.select_option("#upward", "1")
    drawn = page.evaluate(PIXELS)
    inks = (
        mixed(drawn["classes"][0], drawn["paper"], 0.55),
        mixed(drawn["classes"][1], drawn["ink"], 0.12),
    )
    assert all(drawn["found"].get(ink, 0) >= LEAST for ink in inks)


def test_squares_of_ten_classes_have_three_colours(open_page, tmp_path, monkeypatch) -> None:
    """There are six colours and squares have no shape: only the classes of the axes have one."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    for n_cases, n_named in ((2000, 10), (4000, 3)):
        y, models = make_sample(10, n_cases, 1)
        page = open_page(write_report(tmp_path / "page.html", y, models)).page
        page.select_option("#across", "8")
        page.select_option("#upward", "2")  # which shares its colour among ten
        keys = page.locator("#simplex-choice .truths li")
        assert keys.count() == n_named
        colours = page.locator("#simplex-choice .truths .key").evaluate_all(
            "(keys) => keys.map((each) => getComputedStyle(each).backgroundColor)"
        )
        shapes = page.locator("#simplex-choice .truths .key").evaluate_all(
            "(keys) => keys.map((each) => each.className.match(/shape-./)[0])"
        )
        assert len(set(zip(colours, shapes, strict=True))) == n_named
        if n_named == 3:
            assert keys.all_inner_texts() == ["8", "2", "every other class"]
            assert set(shapes) == {"shape-1"} and len(set(colours)) == 3


def test_cases_of_five_classes_have_five_shapes(open_page, tmp_path, monkeypatch) -> None:
    """So that who does not see colours can tell classes."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = make_sample(5, 300, 1)
    page = open_page(write_report(tmp_path / "page.html", y, models)).page
    keys = page.locator("#simplex-choice .truths .key")
    looks = keys.evaluate_all(
        """(keys) => keys.map(getComputedStyle).map((each) =>
          [each.clipPath, each.borderRadius, each.transform].join())"""
    )
    assert len(looks) == 5 == len(set(looks))
