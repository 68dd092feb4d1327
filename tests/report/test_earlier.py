"""A report beside an earlier one: values then and now, and intervals where they are honest."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from cli.running import run
from report.conftest import make_sample
from report.dom import parsed
from report.recount import agrees

from polyroc import evaluate
from polyroc.errors import InvalidInput, InvalidType
from polyroc.report import EarlierReport, write_report

pytestmark = [pytest.mark.system, pytest.mark.usefixtures("short_search")]

METRICS = ["hand_till", "aunu"]


@pytest.fixture(autouse=True)
def few_metrics(monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: METRICS)


def section_of(path: Path):
    return parsed(path.read_text(encoding="utf-8")).one("since")


def rows_of(section) -> list[list[str]]:
    return [row for table in section.all("table") for row in table.rows[1:]]


def welch(then, now) -> tuple[float, float]:
    """Limits of now − then by hand: the t quantile by bisection on its distribution."""
    from scipy.stats import t

    a, b = then.standard_error**2, now.standard_error**2
    freedom = (a + b) ** 2 / (a**2 / then.degrees_of_freedom + b**2 / now.degrees_of_freedom)
    reach = t.ppf(0.975, freedom) * math.sqrt(a + b)
    return now.value - then.value - reach, now.value - then.value + reach


def test_then_and_now(tmp_path) -> None:
    y, models = make_sample(3, 150)
    write_report(tmp_path / "old.html", y, models, include_cases=False)
    then = {name: evaluate(y, p, METRICS) for name, p in models.items()}
    y, models = make_sample(3, 240, seed=4)
    models = {"model 1": models["model 1"], "new": models["model 0"]}
    now = {name: evaluate(y, p, METRICS) for name, p in models.items()}
    for other in (False, True):
        earlier = EarlierReport(tmp_path / "old.html", other_cases=other)
        path = write_report(tmp_path / "new.html", y, models, earlier=earlier)
        section = section_of(path)
        told = section.all("p")[0].text
        assert told.startswith("Compared with old.html (20")
        assert "), on 150 cases; this report is on 240 cases. " in told
        assert told.endswith(" Only there: model 0. Only here: new.")
        assert ("have no interval and no test" in told) != other
        rows = rows_of(section)
        assert [row[1] for row in rows] == ["model 1", "model 1"]
        for metric, (_, _, before, after, change, *limits) in zip(METRICS, rows, strict=True):
            a, b = then["model 1"][metric], now["model 1"][metric]
            assert agrees(before, a.value) and agrees(after, b.value)
            assert agrees(change.lstrip("+"), b.value - a.value)
            assert len(limits) == other
            if other:
                ends = limits[0].replace("+", "").split(" to ")
                assert all(agrees(*each) for each in zip(ends, welch(a, b), strict=True))


def test_what_evaluate_printed(tmp_path) -> None:
    """One model on either side may change its name; as many cases of each class are said to be."""
    y, models = make_sample(3, 60, 1)
    lines = ["y,p_0,p_1,p_2"] + [
        f"{k},{','.join(map(str, p))}" for k, p in zip(y, models["model 0"], strict=True)
    ]
    (tmp_path / "cases.csv").write_text("\n".join(lines))
    printed = run("evaluate", tmp_path / "cases.csv", "--metrics", "hand_till,aunu", "--json")
    (tmp_path / "old.json").write_text(printed.stdout)
    result = run(
        "report",
        tmp_path / "cases.csv",
        "-o",
        tmp_path / "r.html",
        "--earlier",
        tmp_path / "old.json",
    )
    assert result.exit_code == 0, result.stderr
    section = section_of(tmp_path / "r.html")
    assert (
        "It has as many cases of each class, as if they were the same. " in section.all("p")[0].text
    )
    assert {row[4] for row in rows_of(section)} == {"+0.0000"}
    path = write_report(
        tmp_path / "r.html", y, {"renamed": models["model 0"]}, earlier=tmp_path / "old.json"
    )
    (name,) = {row[1] for row in rows_of(section_of(path))}
    assert name.startswith("renamedthen ")


def test_what_cannot_be_compared(tmp_path) -> None:
    y, models = make_sample(3, 40)
    write_report(tmp_path / "old.html", y, models)
    page = (tmp_path / "old.html").read_text(encoding="utf-8")
    files = {
        "a.html": "<!doctype html><p>",
        "b.json": "nothing",
        "c.json": json.dumps({"schema": "polyroc compare 1"}),
        "d.json": json.dumps([1]),
        "e.json": json.dumps({"schema": "polyroc evaluate 1", "models": []}),
        "f.json": "[" * 100_000,
        "g.html": page.replace('"standard_error"', '"other"'),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    advice = "Pass a page that polyroc report wrote, or what polyroc evaluate --json printed."
    said = {
        "a.html": "is a page without values to compare with, not one of this version of polyroc.",
        "b.json": "is neither a page nor JSON.",
        "c.json": "is the document 'polyroc compare 1'.",
        "d.json": "is another kind of JSON.",
        "e.json": "lacks what such a document has.",
        "f.json": "is neither a page nor JSON.",
        "g.html": "lacks what such a document has.",
        "none.json": "cannot be read: No such file or directory.",
    }
    for name, why in said.items():
        with pytest.raises(InvalidInput) as caught:
            write_report(tmp_path / "new.html", y, models, earlier=tmp_path / name)
        assert str(caught.value) == f"The earlier report {name!r} {why} {advice}"
    with pytest.raises(InvalidType, match=r"^earlier must be the path of a file, got 3\.$"):
        write_report(tmp_path / "new.html", y, models, earlier=3)
    with pytest.raises(
        InvalidInput, match="is about the classes 0, 1, 2; these predictions have 0, "
    ):
        write_report(tmp_path / "new.html", *make_sample(4, 40), earlier=tmp_path / "old.html")
    renamed = {"x": models["model 0"], "y": models["model 1"]}
    with pytest.raises(
        InvalidInput, match=r"none of which is among x, y\. Name models as they were"
    ):
        write_report(tmp_path / "new.html", y, renamed, earlier=tmp_path / "old.html")
    assert not (tmp_path / "new.html").exists()
    result = run("report", tmp_path / "c.json", "-o", tmp_path / "r.html", "--other-cases")
    assert result.exit_code == 2 and "--other-cases needs --earlier" in result.stderr


def test_other_metrics_folds_and_perfect_models(tmp_path) -> None:
    """What is not on the page is no comparison; means over folds are named as such."""
    y, models = make_sample(3, 60, 1)
    folds = np.arange(60) % 3
    document = {
        "schema": "polyroc evaluate 1",
        "polyroc": "0.2",
        "input": {"cases": 60, "classes": [0, 1, 2]},
    }
    rows = [each.to_dict() for each in evaluate(y, models["model 0"], ["vus"]).values()]
    document["models"] = [{"model": "model 0", "metrics": rows}]
    (tmp_path / "vus.json").write_text(json.dumps(document))
    with pytest.raises(
        InvalidInput,
        match=r"^The earlier report 'vus.json' has the metrics vus of these models, none",
    ):
        write_report(tmp_path / "new.html", y, models, earlier=tmp_path / "vus.json")
    pooled = write_report(tmp_path / "pooled.html", y, models)
    over = write_report(tmp_path / "folds.html", y, models, folds=folds)
    told = " Values are means over folds {} and of all cases together {}: they differ by that, too."
    for earlier, now, expected in (
        (over, {}, told.format("there", "here")),
        (pooled, {"folds": folds}, told.format("here", "there")),
        (over, {"folds": folds}, None),
        (pooled, {}, None),
    ):
        path = write_report(tmp_path / "new.html", y, models, earlier=earlier, **now)
        text = section_of(path).all("p")[0].text
        assert ("means over folds" not in text) if expected is None else text.endswith(expected)
    perfect = write_report(tmp_path / "perfect.html", y, {"model 0": 0.1 + 0.7 * np.eye(3)[y]})
    earlier = EarlierReport(perfect, other_cases=True)
    section = section_of(write_report(tmp_path / "new.html", y, models, earlier=earlier))
    assert section.all("p")[0].text.endswith(", where both values have a standard error.")
    assert {len(row) for row in rows_of(section)} == {5}


def test_only_whole_values_reach_the_page(tmp_path) -> None:
    """Names of classes cannot end the element that holds the values."""
    y, models = make_sample(3, 40, 1)
    names = ["</script><b>", "b", "c"]
    path = write_report(tmp_path / "a.html", [names[k] for k in y], models, labels=names)
    again = write_report(
        tmp_path / "b.html", [names[k] for k in y], models, labels=names, earlier=path
    )
    assert np.all([row[4] == "+0.0000" for row in rows_of(section_of(again))])
