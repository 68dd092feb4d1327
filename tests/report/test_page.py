"""The page as text: whole, safe, self-contained."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from report.conftest import make_sample
from report.dom import parsed
from report.recount import agrees, exact_at_ends

from polyroc import Predictions, estimate
from polyroc.errors import InvalidInput
from polyroc.report import write_report
from polyroc.report._content import gather
from polyroc.report._packing import packed
from polyroc.report._page import SCRIPTS, bundle, render
from polyroc.report._tables import classes_table
from polyroc.report._verdict import Rival, gap_digits, verdict

pytestmark = pytest.mark.usefixtures("short_search")

ODD_NAMES = ["<b>bold</b>", "</script><script>alert(1)</script>", "שלום \"quoted' &amp;", "🙂"]


class Outline(HTMLParser):
    """Tags, ids and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for key, value in attrs if key == "id"]
        self.links += [value for key, value in attrs if key == "href"]


@pytest.fixture(scope="module")
def odd_page(sample) -> str:
    y, models = sample(4, 60)
    names = dict(zip(["<img src=x onerror=alert(1)>", "m\u202e2"], models.values(), strict=True))
    labels = np.array(ODD_NAMES)
    return render(
        gather(labels[y], names, labels=ODD_NAMES, title="</title><script>alert(2)</script>")
    )


def data_of(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', text, re.S)
    return json.loads(found[1])


def test_names_are_text(odd_page) -> None:
    outline = Outline(odd_page)
    assert "img" not in outline.tags and "b" not in outline.tags
    assert outline.tags.count("script") == 3
    assert data_of(odd_page)["classes"] == ODD_NAMES
    assert all(not key.startswith("on") and key != "style" for key, _ in outline.attributes)


def test_links_lead_somewhere_and_ids_are_unique(odd_page) -> None:
    outline = Outline(odd_page)
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.links and {link[1:] for link in outline.links} <= set(outline.ids)


def test_nothing_from_outside(odd_page) -> None:
    outline = Outline(odd_page)
    assert not {"link", "iframe", "object", "embed", "base"} & set(outline.tags)
    assert all(key not in {"src", "srcset", "action"} for key, _ in outline.attributes)
    assert all(link.startswith("#") for link in outline.links)


def test_the_policy_allows_the_script_and_nothing_else(odd_page) -> None:
    script = re.search(r'<script type="module">(.*?)</script>', odd_page, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', odd_page)[1]
    assert policy.startswith("default-src &#x27;none&#x27;;")
    assert f"script-src &#x27;sha256-{digest}&#x27;" in policy
    assert "unsafe" not in policy


def test_scripts_build_no_markup() -> None:
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "</script",
    ):
        assert word not in bundle()


def test_modules_import_from_those_before_them() -> None:
    from importlib.resources import files

    for place, module in enumerate(SCRIPTS):
        text = (files("polyroc.report") / "assets" / f"{module}.js").read_text()
        imported = re.findall(r'from "\./(\w+)\.js"', text)
        assert set(imported) <= set(SCRIPTS[:place])
        assert len(re.findall(r"^import ", text, re.M)) == len(imported)
    assert "import {" not in bundle() and "\nexport " not in bundle()


def test_scripts_and_styles_find_what_they_look_for(sample, monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = sample(3, 90, 1)
    page = parsed(render(gather(y, models, by={"site": np.arange(90) % 2})))
    wanted = set(re.findall(r'\bbyId\("([\w-]+)"\)', bundle()))
    made = set(re.findall(r'\bid: "([\w-]+)"', bundle()))
    ids = {node.attributes.get("id") for node in page.walk()}
    assert len(wanted - made) > 15 and wanted - made <= ids
    explorer = page.one("explorer")
    boxes = [
        node for node in explorer.walk() if "panel-box" in (node.attributes.get("class") or "")
    ]
    for name in ("controls", "python", "confusion", "cases"):
        assert sum(any(n.attributes.get("id") == name for n in b.walk()) for b in boxes) == 1


def test_smallest_classes_come_in_their_order() -> None:
    """Of 200 classes of one to three cases the first twenty of one case."""
    sizes = [(7 * k) % 3 + 1 for k in range(200)]
    y, names = np.repeat(np.arange(200), sizes), [f"kind {k}" for k in range(200)]
    predictions = Predictions(y, np.full((len(y), 200), 1 / 200), labels=range(200))
    table = parsed(str(classes_table(SimpleNamespace(predictions=predictions, classes=names))))
    rows = table.all("table")[0].rows[1:]
    smallest = [k for size in (1, 2, 3) for k in range(200) if sizes[k] == size][:20]
    assert [row[0] for row in rows] == [names[k] for k in smallest]
    assert {row[1] for row in rows} == {"1"}


def test_arrays_survive(sample) -> None:
    y, models = sample(3, 80)
    data = data_of(render(gather(y, models)))
    raw = base64.b64decode(data["cases"]["scores"][1]["data"])
    assert (np.frombuffer(raw, "<f4").reshape(-1, 3) == models["model 1"].astype(np.float32)).all()
    assert base64.b64decode(data["cases"]["codes"]["data"]) == bytes(y.tolist())
    assert data["cases"]["rows"] is None


@pytest.mark.parametrize(
    ("largest", "kind"), [(255, "Uint8Array"), (256, "Uint16Array"), (65_536, "Uint32Array")]
)
def test_whole_numbers_take_few_bytes(largest, kind) -> None:
    assert packed(np.array([0, largest]))["type"] == kind


def test_cases_of_weight_zero_keep_the_rows_of_the_others(sample) -> None:
    y, models = sample(3, 60)
    weights = np.ones(60)
    weights[10] = 0
    content = gather(y, models, sample_weight=weights)
    assert content.cases.rows.tolist() == [*range(10), *range(11, 60)]


@pytest.mark.parametrize("n_classes", [2, 3, 4, 6, 13])
def test_any_number_of_classes(n_classes, sample, tmp_path) -> None:
    y, models = sample(n_classes, 40 * n_classes)
    text = write_report(tmp_path / "r.html", y, models).read_text()
    assert ('id="surface"' in text) == (n_classes <= 5)
    left_out = f"{n_classes} classes have {n_classes * (n_classes - 1)} error rates, too many to"
    assert (left_out in text) == (n_classes > 5)
    assert "NaN" not in data_of(text) and "nan" not in re.sub("<script.*", "", text, flags=re.S)


def test_one_model_one_column(tmp_path) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    p = np.clip(0.3 * y + rng.random(80) * 0.7, 0, 1)
    text = write_report(tmp_path / "r.html", y, p, title="One").read_text()
    assert "Models compared" not in text and "<title>One</title>" in text
    assert data_of(text)["models"] == ["model"]


def test_ids_name_the_cases_and_a_page_may_do_without_them(sample) -> None:
    """Without cases nothing of a single one is in the page: no score, no class, no name."""
    y, models = sample(3, 60)
    ids = [f"patient {i}" for i in range(60)]
    weights = np.ones(60)
    weights[7] = 0
    known = {"ids": ids, "sample_weight": weights, "source": "scores.csv", "by": {"s": y % 2}}
    text = render(gather(y, models, **known))
    assert data_of(text)["cases"]["ids"] == [*ids[:7], *ids[8:]] and " · scores.csv</p>" in text
    private = render(gather(y, models, include_cases=False, **known))
    cases = data_of(private)["cases"]
    assert cases.pop("drawn_from") == 59 and cases.pop("codes")["data"] == ""
    assert not any(cases.values()) and data_of(private)["models"] == []
    assert data_of(private)["surfaces"] == [] and "patient" not in private
    assert "was written without its cases" in private and 'id="surface"' in private
    with pytest.raises(InvalidInput, match="ids has the shape"):
        gather(y, models, ids=ids[:5])


def test_no_probabilities_no_explorer(tmp_path, sample) -> None:
    y, models = sample(3, 60)
    text = write_report(tmp_path / "r.html", y, np.log(models["model 0"])).read_text()
    assert "no model here has them" in text and data_of(text)["models"] == []


def test_level_is_told(sample) -> None:
    y, models = sample(3, 60)
    text = render(gather(y, models, level=0.9))
    assert "90\u00a0% intervals" in text and "95\u00a0%" not in text
    assert data_of(text)["quantile"] == pytest.approx(1.6449, abs=1e-4)


def test_scores_that_are_refused_leave_the_page_that_is_there(tmp_path, sample) -> None:
    path = tmp_path / "r.html"
    path.write_text("before")
    with pytest.raises(InvalidInput, match="Model 'bad'"):
        write_report(path, sample(3, 60)[0], {"bad": np.full((60, 3), np.nan)})
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["r.html"]


def test_bad_input(tmp_path, sample) -> None:
    y, models = sample(3, 60)
    with pytest.raises(InvalidInput, match="no folder"):
        write_report(tmp_path / "missing" / "r.html", y, models)
    with pytest.raises(InvalidInput, match="no models"):
        write_report(tmp_path / "r.html", y, {})
    with pytest.raises(InvalidInput, match="same name"):
        write_report(tmp_path / "r.html", y, {1: models["model 0"], "1": models["model 1"]})
    with pytest.raises(InvalidInput, match="level"):
        write_report(tmp_path / "r.html", y, models, level=2)


def test_inputs_are_left_alone(tmp_path, sample) -> None:
    y, models = sample(3, 60)
    for array in (y, *models.values()):
        array.flags.writeable = False
    write_report(tmp_path / "r.html", y, models)


def test_a_name_that_cannot_be_encoded(tmp_path, sample) -> None:
    y, models = sample(3, 60)
    text = write_report(tmp_path / "r.html", y, {"half \ud83d": models["model 0"]}).read_text()
    assert "half ?" in text


def test_the_same_page_each_time(sample) -> None:
    y, models = sample(3, 90)
    assert render(gather(y, models)) == render(gather(y, models))


@pytest.mark.parametrize("kind", ["separated", "constant", "one case", "two cases"])
def test_degenerate_data(kind, tmp_path) -> None:
    """Where standard errors do not exist the page says so, in words."""
    y = np.repeat([0, 1, 2], 5)
    scores = np.eye(3)[y] * 0.7 + 0.1
    if kind == "constant":
        scores = np.full((15, 3), 1 / 3)
    elif kind == "one case":
        y, scores = np.append(y, 3), np.vstack([np.eye(4)[y] * 0.6 + 0.1, np.full(4, 0.25)])
    elif kind == "two cases":
        y, scores = np.array([0, 1]), np.array([0.2, 0.7])
    text = write_report(tmp_path / "r.html", y, {"a": scores, "b": scores}).read_text()
    visible = re.sub(r"<script.*|<style.*?</style>", "", text, flags=re.S)
    assert "nan" not in visible.lower().replace("dominan", "")
    metrics = re.sub(r'<section id="calibration".*?</section>', "", visible, flags=re.S)
    assert ("no interval" in metrics) == (kind != "separated")
    assert "no interval" in visible  # all cases of the separated classes are off by the same


@pytest.mark.system
def test_limits_and_levels_of_tables(sample, monkeypatch) -> None:
    """No limit below 1 reads as 1 in a legend, and G has intervals of the level of the page."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = sample(3, 90, 1)
    content = gather(y, models, level=0.8)
    page = parsed(render(content))
    (heading, row) = page.one("surface").all("table")[0].rows
    assert heading[2] == "80\u00a0% interval"
    gini = content.surfaces["model 0"].gini
    low, high, *_ = gini.interval(0.8)
    assert all(agrees(*each) for each in zip(row[2].split(" to "), (low, high), strict=True))
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 400)
    p = rng.dirichlet((1, 1, 1), 1200) + 9 * np.eye(3)[y]
    p[::50] = 1 + rng.random((24, 3))
    page = parsed(render(gather(y, {"m": p / p.sum(axis=1, keepdims=True)})))
    for k, figure in enumerate(page.all("figure", "roc")):
        low, high, *_ = estimate(y == k, p[:, k] / p.sum(axis=1), "roc_auc").interval(0.95)
        text = figure.all("span", "number")[0].text
        ends = re.search(r"\((.+)–(.+)\)", text).groups()
        assert high < 1
        assert all(
            agrees(*each) and exact_at_ends(*each) for each in zip(ends, (low, high), strict=True)
        )


@pytest.mark.system
def test_what_a_threshold_does(sample, monkeypatch) -> None:
    """Two classes have no others that could be confused."""
    for n_classes, metric in ((2, "roc_auc"), (3, "hand_till")):
        monkeypatch.setattr("polyroc.report._content.metric_names", lambda _, m=metric: [m])
        y, models = sample(n_classes, 60, 1)
        told = parsed(render(gather(y, models))).one("curves").text
        assert "Drag along it" in told
        assert ("other classes" in told) == (n_classes > 2)


@pytest.mark.system
def test_differences_have_no_colour_of_a_model(sample, monkeypatch) -> None:
    """Nor is their axis longer than it need be: it ends at 0 where all limits are on one side."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = sample(3, 400, 3)
    content = gather(y, models)
    compared = parsed(render(content)).one("compared")
    assert [each.attributes["class"] for each in compared.all("g", "mark")] == ["mark"] * 3
    ends = [end for row in content.comparison.differences for end in row.interval(0.95)[:2]]
    (cell, *others) = compared.all("td", "figure")
    low, high = (float(cell.attributes[f"data-{end}"].replace("−", "-")) for end in ("from", "to"))
    assert min(ends) > 0 == low and max(ends) <= high < 2 * max(ends)
    assert all(each.attributes["data-to"] == cell.attributes["data-to"] for each in others)


@pytest.mark.system
def test_models_behind_by_as_much(sample, monkeypatch) -> None:
    """A copy of a model is no further behind than the model."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = sample(3, 90, 1)
    rng = np.random.default_rng(3)
    bad, worse = rng.dirichlet((1, 1, 1), 90), 1 - models["model 0"]
    models["bad"] = bad
    for added, told in (
        ({"copy": bad}, "and of copy by as much."),
        ({"worse": worse}, "and of worse by more."),
        ({"copy": bad, "worse": worse}, "and of 2 other models by at least as much."),
    ):
        assert verdict(gather(y, models | added)).endswith(told)


def test_models_further_behind_read_so() -> None:
    """Decimals are added until the next gap reads larger, if it is."""
    for gaps, digits in (
        ([0.0012, 0.0014, 0.3], 4),
        ([0.0012, 0.0012, 0.3], 3),
        ([0.00121, 0.00124], 5),
        ([0.00004], 5),
        ([0.012, 0.013], 3),
        ([], 3),
    ):
        rows = [Rival("m", SimpleNamespace(difference=-gap)) for gap in gaps]
        assert gap_digits(rows) == digits


def test_a_notebook_shows_the_page_as_long_as_it_is_there(tmp_path: Path) -> None:
    path = write_report(tmp_path / "page.html", *make_sample(2, 20, n_models=1))
    (frame,) = parsed(path._repr_html_()).all("iframe")
    assert frame.attributes["srcdoc"] == path.read_text(encoding="utf-8")
    assert frame.attributes["sandbox"] == "allow-scripts allow-downloads"
    path.unlink()
    assert path._repr_html_() is None
