"""Writing the file: what is passed on, in which order the page is, and the path that comes back."""

import re
import sys
from html import unescape
from importlib.util import find_spec, module_from_spec
from pathlib import PosixPath, WindowsPath
from types import SimpleNamespace

import numpy as np
import pytest
from report.conftest import make_sample
from report.dom import parsed

from polyroc.errors import InvalidInput
from polyroc.report import _content, _page, write_report
from polyroc.report._content import gather
from polyroc.report._findings import findings
from polyroc.report._page import render
from polyroc.report._written import WrittenReport


@pytest.fixture
def quick(monkeypatch) -> None:
    """One metric, and no search."""

    def only(predictions) -> list[str]:
        return ["roc_auc" if predictions.n_classes == 2 else "hand_till"]

    monkeypatch.setattr(_content, "metric_names", only)
    monkeypatch.setattr(_content, "_surfaces_of", lambda *_: {})


def test_every_option_is_passed_on(tmp_path, monkeypatch) -> None:
    asked, checked = [], []

    def gathered(y_true, models, **options):
        asked.append((y_true, models, options))
        return SimpleNamespace()

    monkeypatch.setattr(_page, "gather", gathered)
    monkeypatch.setattr(_page, "check_comparable", checked.append)
    monkeypatch.setattr(_page, "render", lambda _: "<p>\ud83d é")
    path = write_report(str(tmp_path / "r.html"), "y", "m")
    assert path == tmp_path / "r.html" and isinstance(path, WrittenReport)
    assert path.read_bytes() == "<p>? é".encode() and len(checked) == 1
    names = ("labels", "sample_weight", "groups", "folds", "by", "ids", "title", "source")
    usual = {**dict.fromkeys(names), "include_cases": True, "level": 0.95, "earlier": None}
    assert asked == [("y", "m", usual)]
    given = {name: f"the {name}" for name in usual}
    write_report(tmp_path / "r.html", "y", **given)
    assert asked[1] == ("y", None, given)


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_computed(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(_page, "gather", lambda *_, **__: pytest.fail("computed"))
    with pytest.raises(InvalidInput, match="report"):
        write_report(tmp_path / "none" / "r.html", [0, 1], [0.1, 0.2])


def test_a_report_that_cannot_be_compared_leaves_no_file(tmp_path, monkeypatch) -> None:
    def refuse(_):
        raise InvalidInput("other classes")

    monkeypatch.setattr(_page, "gather", lambda *_, **__: SimpleNamespace())
    monkeypatch.setattr(_page, "check_comparable", refuse)
    monkeypatch.setattr(_page, "render", lambda _: "page")
    with pytest.raises(InvalidInput, match="other classes"):
        write_report(tmp_path / "r.html", [0, 1], [0.1, 0.2])
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_the_page_in_a_frame(tmp_path) -> None:
    path = WrittenReport(tmp_path / "r.html")
    assert path._repr_html_() is None
    path.write_text('<p title="é">\'', encoding="utf-8")
    shown = path._repr_html_()
    assert shown.count('"') == 8  # none of the page
    assert unescape(re.search(r'srcdoc="([^"]*)"', shown)[1]) == '<p title="é">\''
    assert 'sandbox="allow-scripts allow-downloads"' in shown


@pytest.mark.parametrize(
    ("system", "kind"), [("win32", WindowsPath), ("linux", PosixPath), ("darwin", PosixPath)]
)
def test_the_path_of_a_report_is_one_of_the_system(system, kind, monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    spec = find_spec("polyroc.report._written")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert issubclass(module.WrittenReport, kind)


@pytest.mark.usefixtures("quick")
def test_sections_come_in_the_order_in_which_they_are_linked() -> None:
    y, models = make_sample(3, 45)
    content = gather(y, models, by={"site": np.arange(45) % 2})
    page = parsed(render(content))
    found = [each.attributes["id"] for each in page.all("main")[0].all("section")]
    assert found == [
        *("summary", "explorer", "metrics", "slices", "pairs", "curves", "calibration", "benefit"),
        *("compared", "reading"),
    ]
    links = [each.attributes["href"][1:] for each in page.all("nav")[0].all("a")]
    assert links == found
    body = [each.tag for each in page.all("body")[0].children]
    assert body == ["a", "header", "nav", "main", "footer", "script", "script", "script"]
    assert len(page.one("curves").all("figure", "roc")) == 3
    assert [each.attributes for each in page.all("script")] == [
        {"type": "application/json", "id": "page-data"},
        {"type": "application/json", "id": "evaluation"},
        {"type": "module"},
    ]


@pytest.mark.usefixtures("quick")
def test_findings_call_numbered_classes_classes() -> None:
    y, models = make_sample(3, 60, 1)
    found = findings(gather(y, models))
    (few,) = [each for each in found if each.code == "few-cases"]
    assert re.match(r"class \d, class \d, class \d: few cases", few.title)
    assert [each.severity for each in found] == sorted(
        (each.severity for each in found), key=["warning", "notice", "fact"].index
    )
    named = findings(gather(np.array(["x", "y", "z"])[y], models))
    assert [each.code for each in named] == [each.code for each in found]
    assert "class" not in next(each.title for each in named if each.code == "few-cases")


def test_surfaces_are_searched_for_up_to_five_classes(monkeypatch) -> None:
    monkeypatch.setattr(_content, "page_surface", lambda cases, name: f"of {name}")
    cases = SimpleNamespace(scores={"a": None, "b": None})
    assert _content._surfaces_of(cases, 5) == {"a": "of a", "b": "of b"}
    assert _content._surfaces_of(cases, 6) == {}
