"""What scripts find in the page, and the page around its sections."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from report.dom import Node, parsed
from report.small import NBSP, content_of, scores_of, valued

from polyroc._version import __version__
from polyroc.predictions._slices import read_attribute
from polyroc.report import _page, _pair_data
from polyroc.report._earlier import Earlier
from polyroc.report._page import STYLES, bundle, page_data, render, stylesheet
from polyroc.report._pair_data import hardest, pairs_data, searched
from polyroc.report._roc_section import curves_data

NET = {"net": valued(0.8, 0.7, 0.9, metric="hand_till", standard_error=0.1, degrees_of_freedom=5.0)}
TWO = {"new": valued(0.7, 0.6, 0.8), "old": valued(0.85, 0.8, 0.9)}
KINDS = {"Uint8": "u1", "Uint16": "<u2", "Uint32": "<u4", "Float32": "<f4", "Float64": "<f8"}


def unpacked(each: dict[str, str]) -> np.ndarray:
    raw = base64.b64decode(each["data"])
    return np.frombuffer(raw, KINDS[each["type"].removesuffix("Array")])


def data_of(content) -> dict:
    return json.loads(page_data(content))


def test_cases_are_written_as_arrays() -> None:
    content = content_of(TWO, weights=np.linspace(1, 2, 30), level=0.9)
    cases = replace(
        content.cases,
        rows=np.arange(30) + 2,
        groups=np.arange(30) // 4,
        slices=(read_attribute("site", np.array([10, 7] * 15)),),
        ids=tuple(f"id {k}" for k in range(30)),
        n_cases=99,
    )
    data = data_of(replace(content, cases=cases))
    held = data["cases"]
    assert unpacked(held["rows"]).tolist() == list(range(2, 32))
    assert unpacked(held["codes"]).tolist() == [0, 1, 2] * 10
    assert unpacked(held["weights"]) == pytest.approx(np.linspace(1, 2, 30))
    assert unpacked(held["groups"]).tolist() == [k // 4 for k in range(30)]
    for place, table in enumerate(cases.scores.values()):
        assert (unpacked(held["scores"][place]).reshape(30, 3) == table).all()
    (site,) = held["slices"]
    assert site["name"] == "site" and sorted(site["slices"]) == ["10", "7"]
    named = [site["slices"][k] for k in unpacked(site["numbers"])]
    assert named == ["10", "7"] * 15
    assert held["ids"] == [f"id {k}" for k in range(30)] and held["drawn_from"] == 99
    assert held["all"] is None
    assert data["models"] == ["new", "old"] and data["best"] == 1 and data["first"] == [0, 1]
    assert data["classes"] == ["a", "b", "c"] and data["literals"] == ["0", "1", "2"]
    assert data["level"] == 0.9 and data["quantile"] == pytest.approx(1.6448536, abs=1e-6)
    assert data["mesh"] == 22 and data["surfaces"] == [] and data["pairs"] is None


def test_what_is_not_known_is_not_written() -> None:
    held = data_of(content_of(NET))["cases"]
    for name in ("rows", "weights", "groups", "ids", "drawn_from", "all"):
        assert held[name] is None
    assert held["slices"] == []
    text = page_data(content_of(NET, classes=["</script>", "b", "c"]))
    assert "<" not in text and json.loads(text)["classes"][0] == "</script>"
    assert ": " not in text.replace("</script>", "") and ", " not in text


def test_a_page_without_cases_has_none() -> None:
    surfaces = {"net": surface([[1.0]], [[1.0]], [True])}
    data = data_of(content_of(NET, holds_cases=False, surfaces=surfaces))
    assert data["models"] == data["surfaces"] == data["cases"]["scores"] == []
    assert unpacked(data["cases"]["codes"]).tolist() == []
    assert data["cases"]["drawn_from"] == 30 and data["cases"]["rows"] is None
    assert data["best"] == 0 and data["first"] == [0, 1]


def surface(costs, tables, front):
    return SimpleNamespace(
        costs=np.array(costs), tables=np.array(tables), front=np.array(front, dtype=bool)
    )


def test_points_of_surfaces_are_whole_numbers_where_cases_weigh_the_same() -> None:
    surfaces = {
        "one": surface([[1.5, 10.0]], [[3.0, 300.0]], [True]),
        "two": surface([[1.5, 10.0]], [[3.5, 300.0]], [False]),
    }
    content = content_of(TWO, surfaces=surfaces)
    first, second = data_of(content)["surfaces"]
    assert first["costs"]["type"] == "Float32Array" and unpacked(first["costs"]).tolist() == [
        1.5,
        10,
    ]
    assert first["tables"]["type"] == "Uint16Array"
    assert unpacked(first["tables"]).tolist() == [3, 300]
    assert first["front"]["type"] == "Uint8Array" and unpacked(first["front"]).tolist() == [1]
    assert second["tables"]["type"] == "Float64Array"
    assert unpacked(second["tables"]).tolist() == [3.5, 300]
    assert unpacked(second["front"]).tolist() == [0]
    two = content_of(NET, y=[0, 1] * 9, n_classes=2)
    assert data_of(two)["mesh"] == 0


def test_the_explorer_opens_on_the_best_model_that_has_probabilities() -> None:
    values = {"a": valued(0.7), "b": valued(0.9), "c": valued(0.8)}
    assert data_of(content_of(values))["best"] == 1
    none = {"b": {"probabilities": None}}
    assert data_of(content_of(values, of_models=none))["best"] == 1  # c, the second that is left
    none = {name: {"probabilities": None} for name in values}
    assert data_of(content_of(values, of_models=none))["best"] == 0


def test_the_explorer_of_five_classes_opens_on_the_most_frequent_confusion() -> None:
    y = [0, 1, 2, 3, 4] * 6
    chosen = np.array(y)
    chosen[[3, 8, 13]] = 2  # three of class 3
    chosen[[0, 5]] = 4
    p = np.full((30, 5), 0.1)
    p[np.arange(30), chosen] = 0.6
    other = np.roll(p, 1, axis=1)
    values = {"bad": valued(0.5), "good": valued(0.9)}
    content = content_of(values, y=y, n_classes=5, scores={"bad": other, "good": p})
    assert data_of(content)["first"] == [3, 2]
    right = np.eye(5)[y] * 0.5 + 0.1
    content = content_of(NET, y=y, n_classes=5, scores={"net": right})
    assert data_of(content)["first"] == [0, 1]
    four = [k % 4 for k in range(32)]
    p = scores_of(four, 4)
    assert data_of(content_of(NET, y=four, n_classes=4, scores={"net": p}))["first"] == [0, 1]


def test_the_explorer_of_many_classes_opens_on_a_confusion_of_all_cases() -> None:
    """Of which the page holds only some: those of the class that is never confused there."""
    y = [*range(13)] * 4
    chosen = np.array(y)
    chosen[[7, 20]] = 5
    p = np.full((52, 13), 0.01)
    p[np.arange(52), chosen] = 0.88
    content = content_of(NET, y=y, n_classes=13, scores={"net": p})
    kept = np.flatnonzero(np.array(y) != 7)
    cases = replace(
        content.cases,
        rows=kept,
        codes=content.cases.codes[kept],
        scores={"net": content.cases.scores["net"][kept]},
    )
    content = replace(content, cases=cases)
    assert data_of(content)["first"] == [7, 5] and data_of(content)["cases"]["all"] is not None
    grouped = replace(content, groups=np.arange(52))
    assert data_of(grouped)["first"] == [0, 1]  # no error among the cases in the page


def curve(n_points: int, area: float = 0.8):
    rates = np.linspace(0, 1, n_points)
    return SimpleNamespace(
        false_positive_rate=rates,
        true_positive_rate=np.sqrt(rates),
        thresholds=np.linspace(1, 0, n_points),
        area=area,
    )


def test_points_of_curves_are_written_with_what_they_rest_on() -> None:
    page = SimpleNamespace(curve=curve(5), false_count=np.full(5, 7.0), true_count=np.arange(5.0))
    content = content_of(TWO, panels={2: (page, page)})
    data = curves_data(content)
    assert data["names"] == ["new", "old"]
    ((panel),) = data["panels"]
    assert panel["k"] == 2 and [each["place"] for each in panel["curves"]] == [0, 1]
    found = panel["curves"][0]
    across, upright = (unpacked(each) for each in found["rates"])
    assert across.tolist() == [round(65_535 * k / 4) for k in range(5)]
    assert upright.tolist() == [round(65_535 * (k / 4) ** 0.5) for k in range(5)]
    assert found["thresholds"]["type"] == "Float32Array"
    assert unpacked(found["thresholds"]).tolist() == [1, 0.75, 0.5, 0.25, 0]
    assert found["counts"][0] == 7.0
    assert unpacked(found["counts"][1]).tolist() == [0, 1, 2, 3, 4]


def test_curves_are_linked_to_the_explorer_where_it_has_their_model() -> None:
    page = SimpleNamespace(curve=curve(2), false_count=np.ones(2), true_count=np.ones(2))

    def written(**more) -> list[dict]:
        return curves_data(content_of(TWO, panels={0: (page, page)}, **more))["panels"][0]["curves"]

    assert [each["place"] for each in written(holds_cases=False)] == [-1, -1]
    assert [each["thresholds"] for each in written(holds_cases=False)] == [None, None]
    faulty = written(of_models={"new": {"fault": "x"}})
    assert [each["place"] for each in faulty] == [-1, 1]
    none = written(of_models={"new": {"fault": "x", "probabilities": None}})
    assert [each["place"] for each in none] == [-1, 0] and none[0]["thresholds"] is not None
    nothing = written(of_models={"new": {"probabilities": None}})
    assert [each["place"] for each in nothing] == [-1, 0]
    empty = SimpleNamespace(curve=curve(0), false_count=np.ones(2), true_count=np.ones(2))
    data = curves_data(content_of(NET, panels={0: (empty,)}))
    assert data["panels"][0]["curves"][0]["thresholds"] is None


@pytest.mark.parametrize(("n_classes", "most"), [(2, 1), (10, 9), (11, 10), (100, 10), (101, 5)])
def test_pairs_of_a_class_that_can_be_looked_up(n_classes, most) -> None:
    assert searched(n_classes) == most


def test_the_hardest_pairs_of_each_class_come_in_the_order_of_their_means(monkeypatch) -> None:
    monkeypatch.setattr(_pair_data, "SEARCHED", 2)
    rng = np.random.default_rng(0)
    pairs = rng.random((6, 6))
    np.fill_diagonal(pairs, np.nan)
    both = {(a, b): (pairs[a, b] + pairs[b, a]) / 2 for a in range(6) for b in range(a + 1, 6)}
    kept = set()
    for k in range(6):
        own = sorted((each for each in both if k in each), key=both.__getitem__)
        kept |= set(own[:2])
    first, second = hardest(pairs)
    expected = sorted(kept, key=both.__getitem__)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected
    assert len(expected) < len(both)


def test_pairs_of_many_classes_are_whole_numbers_in_the_page() -> None:
    def made(n_classes: int):
        pairs = np.full((n_classes, n_classes), 0.75)
        np.fill_diagonal(pairs, np.nan)
        pairs[0, 1], pairs[1, 0] = 1e-9, 0.5
        pairs[0, 2], pairs[2, 0] = 1 - 1e-9, 0.0
        limits = np.stack([pairs - 0.25, pairs + 0.25])
        limits[:, 0, 1] = np.nan
        known = {"net": {"pairs": pairs, "pair_limits": limits}}
        y = [*range(n_classes)] * 2
        return content_of(NET, y=y, n_classes=n_classes, of_models=known)

    assert pairs_data(made(12)) is None
    data = pairs_data(made(13))
    assert data["names"] == ["net"]
    (model,) = data["models"]
    first, second = (unpacked(each).tolist() for each in model["classes"])
    assert (first[:2], second[:2]) == ([0, 0], [1, 2])  # means of 0.25 and of 0.5
    numbers = [unpacked(each).tolist()[:3] for each in model["numbers"]]
    half, none = 32_767, 65_535
    three = round(0.75 * 65_534)
    assert numbers == [
        [1, 65_533, three],
        [none, three, half],  # the lower limit of 1 − 1e-9 is 0.75
        [none, 65_534, 65_534],
        [half, 0, three],
        [round(0.25 * 65_534), 0, half],
        [three, round(0.25 * 65_534), 65_534],
    ]


def page_of(content) -> Node:
    return parsed(render(content))


@pytest.fixture
def plain(monkeypatch) -> None:
    """A page with headings alone."""
    monkeypatch.setattr(_page, "_main", lambda *_: _page.element("main"))
    monkeypatch.setattr(_page, "findings", lambda _: [])


@pytest.mark.usefixtures("plain")
def test_the_heading_has_the_facts() -> None:
    def told(content) -> str:
        return page_of(content).all("header")[0].all("p")[0].text

    assert told(content_of(NET)) == f"30 cases · 3 classes · 1 model · 95{NBSP}% intervals"
    known = {"groups": np.arange(30) // 3, "date": "2026-01-02", "source": "a.csv", "level": 0.9}
    content = content_of(NET, weights=np.arange(1, 31), title="<Title>", **known)
    assert told(content) == (
        f"30 weighted cases in 10 groups · 3 classes · 1 model · 90{NBSP}% intervals · 2026-01-02 "
        "· a.csv"
    )
    page = page_of(content)
    (heading,) = page.all("h1")
    assert heading.text == "<Title>" and heading.attributes == {"dir": "auto"}
    assert page.all("title")[0].text == "<Title>"
    assert page.all("html")[0].attributes == {"lang": "en"}
    assert page.all("footer")[0].text == (
        f"Made by polyroc {__version__}. Self-contained, no network requests."
    )
    (skip,) = page.all("a", "skip")
    assert skip.attributes["href"] == "#summary"
    assert [each.attributes for each in page.all("meta")][2:] == [
        {"name": "viewport", "content": "width=device-width, initial-scale=1"},
        {"name": "color-scheme", "content": "light dark"},
    ]


@pytest.mark.usefixtures("plain")
def test_links_lead_to_the_sections_that_there_are() -> None:
    def links(content) -> dict[str, str]:
        (nav,) = page_of(content).all("nav")
        assert nav.attributes == {"aria-label": "Sections"}
        return {each.attributes["href"][1:]: each.text for each in nav.all("a")}

    always = ["summary", "explorer", "metrics", "pairs", "curves"]
    assert list(links(content_of(NET))) == [*always, "calibration", "benefit", "reading"]
    faulty = content_of(NET, of_models={"net": {"fault": "x"}})
    assert list(links(faulty)) == [*always, "reading"]
    models = {name: replace_values(each) for name, each in TWO.items()}
    content = content_of(models, surfaces={"new": surface([[1.0]], [[1.0]], [True])})
    found = links(content)
    assert list(found)[-3:] == ["compared", "surface", "reading"]
    assert (found["surface"], found["compared"]) == ("ROC surface", "Models compared")
    earlier = Earlier("old.html", "", 3, (), {}, {}, False)
    assert list(links(replace(content, earlier=earlier)))[3] == "since"
    two = content_of(
        {"net": replace_values(valued(0.8, 0.7, 0.9), "roc_auc")},
        y=[0, 1] * 9,
        n_classes=2,
        surfaces={"net": surface([[1.0]], [[1.0]], [True])},
    )
    assert links(two)["surface"] == "All costs"


def replace_values(each, metric: str = "hand_till"):
    """With what a later report is told of it."""
    each.metric, each.standard_error, each.degrees_of_freedom = metric, 0.1, 5.0
    return each


@pytest.mark.usefixtures("plain")
def test_the_page_holds_its_values_for_a_later_one() -> None:
    y = [0, 0, 1, 2, 2, 2]
    content = content_of(NET, y=y, classes=["<a>", "b", "c"], date="2026-01-02")
    text = render(content)
    assert text.startswith("<!doctype html>\n<html") and text.endswith("</html>\n")
    (found,) = re.findall(r'<script type="application/json" id="evaluation">(.*?)</script>', text)
    assert "<" not in found and ": " not in found
    assert json.loads(found) == {
        "schema": "polyroc report 1",
        "polyroc": __version__,
        "date": "2026-01-02",
        "input": {"cases": 6, "classes": ["<a>", "b", "c"], "counts": {"<a>": 2, "b": 1, "c": 3}},
        "models": [
            {
                "model": "net",
                "metrics": [
                    {
                        "metric": "hand_till",
                        "value": 0.8,
                        "standard_error": 0.1,
                        "degrees_of_freedom": 5.0,
                        "settings": {},
                    }
                ],
            }
        ],
    }


@pytest.mark.usefixtures("plain")
def test_the_policy_names_the_hashes_of_script_and_style() -> None:
    text = render(content_of(NET))
    hashes = [
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for each in (bundle(), stylesheet())
    ]
    policy = page_of(content_of(NET)).all("meta")[1].attributes
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert policy["content"] == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert f"<style>{stylesheet()}</style>" in text
    assert f'<script type="module">{bundle()}</script>' in text
    assert len(STYLES) == len(set(STYLES)) and stylesheet().count("{") == stylesheet().count("}")
