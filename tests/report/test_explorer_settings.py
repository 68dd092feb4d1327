"""Slices, shares of practice and referrals: the page gives the numbers of the Python functions."""

import json
import re
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from report.conftest import make_sample
from report.recount import agrees, check_p, number_in

from polyroc.calibration import cost_calibration
from polyroc.calibration._cost_calibration import promised_and_paid
from polyroc.report import write_report
from polyroc.report._cases import confusion
from polyroc.surface import cost_by_share, risk_coverage
from polyroc.surface._referral import ReferralCosts, excess_of
from polyroc.utility import compare_costs

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("short_search")]

COSTS = np.array([[0.0, 1, 2], [1, 0, 1], [6, 3, 0]])
REFER = 0.35
SHARE = 0.15
TYPE = """([id, value]) => {
  const input = document.getElementById(id);
  input.value = String(value);
  input.dispatchEvent(new Event(input.tagName === "SELECT" ? "change" : "input"));
}"""


class Sample:
    """What the report is given, and parts of it."""

    def __init__(self) -> None:
        self.y, models = make_sample(3, 260)
        rng = np.random.default_rng(3)
        self.weights = rng.integers(1, 4, 260) / 2
        self.site = rng.choice(["north", "south"], 260, p=[0.4, 0.6])
        sharp = models["model 0"] ** 3
        models["model 1"] = sharp / sharp.sum(axis=1, keepdims=True)
        self.models = {name: np.float32(p).astype(np.float64) for name, p in models.items()}
        self.own = np.bincount(self.y, self.weights) / self.weights.sum()

    def own_of(self, site: str) -> np.ndarray:
        """Shares of the classes in a slice."""
        inside = self.site == site
        return np.bincount(self.y[inside], self.weights[inside]) / self.weights[inside].sum()

    def shares(self, own: np.ndarray | None = None) -> np.ndarray:
        """The last class has a share of its own, the others keep their proportions."""
        own = self.own if own is None else own
        shares = own * (1 - SHARE) / (1 - own[2])
        shares[2] = SHARE
        return shares


class Page:
    """The explorer, by the hands of a reader."""

    def __init__(self, page) -> None:
        self.page = page

    def set(self, key: str, value: object) -> None:
        self.page.evaluate(TYPE, [key, value])

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector).replace("\u2068", "").replace("\u2069", "")

    def cells(self) -> list[float]:
        return [
            number_in(each) for each in self.page.locator("#confusion .cell b").all_inner_texts()
        ]

    def rows(self) -> list[list[str]]:
        """Cost, saved, decided, promised, difference and its interval, of each model."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll("#model-costs tbody tr")].map((row) =>
            [1, 3, 4, 5, 6].map((k) => row.children[k].firstChild.textContent).concat(
            row.children[6].querySelector("small")?.textContent ?? ""))"""
        )

    def check_promise(self, found) -> None:
        pattern = (
            r"(No sign of miscalibration|Miscalibrated) at these costs: the probabilities of model "
            r"\d predict a cost of (\S+) per case, and the decisions cost (\S+), (\S+) (more|less) "
            r"\(standard error (\S+), p ([<=]) (\S+)\)\."
            r"( See polyroc\.calibration\.Recalibrated\.)?"
        )
        told = re.fullmatch(pattern, self.text("#explorer-calibration")).groups()
        verdict, expected, observed, apart, word, error, sign, p, advice = told
        assert agrees(expected, found.expected) and agrees(observed, found.observed)
        assert agrees(apart, abs(found.difference)) and agrees(error, found.standard_error)
        assert word == ("more" if found.difference > 0 else "less")
        check_p(sign, p, found.p_value)
        assert (verdict == "Miscalibrated") == bool(advice) == (found.p_value < 0.05)


@pytest.fixture
def opened(open_page, tmp_path, monkeypatch):
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    given = Sample()
    options = {"sample_weight": given.weights, "by": {"site": given.site}}
    options["ids"] = [f"P{i}" for i in range(260)]
    path = write_report(tmp_path / "page.html", given.y, given.models, **options)
    page = Page(open_page(path).page)
    page.set("model", "0")
    for cell in (1, 2, 3, 5, 6, 7):
        page.set(f"cost-{cell}-number", COSTS.ravel()[cell])
    return given, page


def check_slice(given: Sample, page: Page) -> None:
    """As if the report were on the cases of the slice alone."""
    page.set("slice", "0,1")
    south = given.site == "south"
    y, weights = given.y[south], given.weights[south]
    models = {name: p[south] for name, p in given.models.items()}
    p = models["model 0"]
    assert page.cells() == confusion(np.float32(p), y, COSTS, weights).ravel().tolist()
    page.check_promise(cost_calibration(y, p, COSTS, sample_weight=weights))
    found = compare_costs(y, models, COSTS, sample_weight=weights)
    low, high, *_ = found.differences[0].interval()
    _, (cost, *_, apart, limits) = page.rows()
    assert agrees(cost, found["model 1"].value)
    assert agrees(apart.lstrip("+"), -found.differences[0].difference)
    for told, limit in zip(limits.split(" to "), (-high, -low), strict=True):
        assert agrees(told.lstrip("+"), limit)
    assert page.text("#explorer-summary").startswith(
        f"For site = south ({south.sum()} cases): model 0"
    )
    page.page.click("#confusion .cell[data-cell='1']")
    decided = np.argmin(p @ COSTS, axis=1)
    listed = {int(row[1:]) for row in page.page.locator("#cases tbody th").all_inner_texts()}
    assert page.text("#cases thead th") == "case" and "Rows are counted" not in page.text(
        "#cases p"
    )
    assert listed == set(np.flatnonzero(south)[(y == 0) & (decided == 1)].tolist())
    page.page.click("#confusion .cell[data-cell='1']")
    page.set("slice", "")


def check_shares(given: Sample, page: Page) -> None:
    page.page.click("#practice summary")
    page.set("share-2-number", 100 * SHARE)
    p, ratios = given.models["model 0"], given.shares() / given.own
    known = {"costs": COSTS, "sample_weight": given.weights}
    curve = cost_by_share(given.y, p, vary=2, shares=[SHARE], **known)
    assert agrees(page.rows()[0][0], curve.adapted[0])
    posterior = p * ratios / (p @ ratios)[:, None]
    weights = given.weights * ratios[given.y]
    page.check_promise(cost_calibration(given.y, posterior, COSTS, sample_weight=weights))
    assert page.text("#explorer-summary").startswith("At the chosen shares of the classes: model 0")
    found = compare_costs(
        given.y, given.models, COSTS, sample_weight=given.weights, priors=given.shares()
    )
    assert agrees(page.rows()[1][4].lstrip("+"), -found.differences[0].difference)


def check_referrals(given: Sample, page: Page) -> None:
    page.page.click("#observed-shares")
    page.page.check("#may-refer")
    page.set("refer-cost-number", REFER)
    p = given.models["model 0"]
    curve = risk_coverage(given.y, p, costs=COSTS, sample_weight=given.weights)
    at = int(np.flatnonzero(curve.threshold <= REFER)[-1])
    pattern = (
        r"model 0 decides (\S+\s%) of cases by weight and refers the others, at a cost of (\S+) "
        r"per case\. Of those decided it classifies (\S+\s%) correctly, at a cost of (\S+) per "
        r"case\. .*"
    )
    coverage, cost, right, risk = re.fullmatch(pattern, page.text("#explorer-summary")).groups()
    assert agrees(coverage, curve.coverage[at]) and agrees(risk, curve.risk[at])
    kept = curve.coverage[at]
    assert agrees(cost, kept * curve.risk[at] + (1 - kept) * REFER)
    assert agrees(page.rows()[0][2], curve.coverage[at])
    least, decided = (p @ COSTS).min(axis=1), np.argmin(p @ COSTS, axis=1)
    correct = given.weights[(least <= REFER) & (decided == given.y)].sum()
    assert agrees(right, correct / given.weights[least <= REFER].sum())


def check_all(given: Sample, page: Page) -> None:
    """Slice, shares and referrals together, by the rule of RejectingClassifierCV."""
    page.set("slice", "0,0")
    north = given.site == "north"
    own = given.own_of("north")
    shown = [float(page.page.input_value(f"#share-{k}-number")) for k in range(3)]
    assert np.allclose(shown, 100 * own, rtol=1e-3)
    assert page.text("#shares .muted").startswith("As among the cases of site = north. ")
    page.set("share-2-number", 100 * SHARE)
    shares = given.shares(own)
    y, weights, p = given.y[north], given.weights[north], given.models["model 0"][north]
    ratios = shares / given.own
    posterior = p * ratios / (p @ ratios)[:, None]
    excess, decided = excess_of(posterior, ReferralCosts(COSTS, np.full(3, REFER)))
    decided = np.where(excess > 0, 3, decided)
    table = np.zeros((3, 4))
    np.add.at(table, (y, decided), weights)
    assert table[:, 3].min() > 0
    assert page.cells() == table.ravel().tolist()
    whole = np.column_stack([COSTS, np.full(3, REFER)])
    weighted = weights * (shares / own)[y]
    found = promised_and_paid(posterior, y, decided, whole, weighted)
    page.check_promise(found)
    assert agrees(page.rows()[0][0], found.observed) and agrees(page.rows()[0][3], found.expected)
    constant = (shares[:, None] * whole).sum(axis=0).min()
    assert agrees(page.rows()[0][1], 1 - found.observed / constant)
    check_code(given, page, decided, p)


def check_code(given: Sample, page: Page, decided: np.ndarray, p: np.ndarray) -> None:
    """The code that is copied decides the same."""
    code = page.text("#python")
    names: dict[str, object] = {"estimator": None}
    exec(code, names)
    classifier = names["classifier"]
    costs = np.array([[classifier.costs.get((k, j), 0) for j in range(3)] for k in range(3)])
    refer = np.array([classifier.refer_cost[k] for k in range(3)])
    excess, least = excess_of(p, ReferralCosts(costs, refer))
    assert np.where(excess > 0, 3, least).tolist() == decided.tolist()


COPY = """(name) => new Promise((done) => {
  navigator.clipboard.writeText = async (text) => done(text);
  document.querySelector(`.share button[aria-label^="${name}"]`).click();
})"""


def check_saved_panel(page: Page, text: str) -> None:
    """The file has the class, and every model with its area, inside of its picture."""
    figure = page.page.locator("figure.roc >> nth=0")
    found = [each.text or "" for each in fromstring(text).iter(f"{SVG}text")]
    assert found[-1] == figure.locator("figcaption").text_content()
    models, areas = (figure.locator(f".legend {kind}") for kind in ("bdi", ".number"))
    for name, area in zip(models.all_text_contents(), areas.all_text_contents(), strict=True):
        assert f"{name}  {area}" in found
    assert page.page.evaluate(OUTSIDE, text) == []


SVG = "{http://www.w3.org/2000/svg}"

OUTSIDE = """(text) => {
  const place = document.createElement("div");
  place.innerHTML = text;
  document.body.append(place);
  const whole = place.firstChild.getBoundingClientRect();
  const outside = [...place.querySelectorAll("text")].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.left < whole.left - 1 || box.right > whole.right + 1 || box.bottom > whole.bottom + 1
      || box.top < whole.top - 1;
  });
  place.remove();
  return outside.map((each) => each.textContent);
}"""


def check_sharing(page: Page) -> None:
    """A link shows the same; tables are copied as they are shown, and figures saved."""
    page.page.click("#confusion .cell[data-cell='9']")
    page.page.wait_for_function("() => location.hash.includes('cell=9')")
    link = page.page.evaluate("() => location.hash")
    shown = page.cells(), page.text("#explorer-summary"), page.text("#cases p")
    assert "referred to a person" in shown[2]
    page.page.evaluate("() => { location.hash = '#refer=1e9' }")
    page.page.wait_for_function("() => document.getElementById('slice').value === ''")
    assert page.cells() != shown[0]
    page.page.evaluate("() => { location.hash = '#shares=0.5,0.2,0.3' }")
    page.page.wait_for_selector("#shares", state="visible")  # what is set is shown
    page.page.evaluate("(link) => { location.hash = link }", link)
    page.page.wait_for_function("() => document.getElementById('slice').value !== ''")
    assert (page.cells(), page.text("#explorer-summary"), page.text("#cases p")) == shown
    rows = page.page.evaluate(COPY, "CSV: Decisions").split("\n")
    assert rows[0] == "truth ↓ decision →,0,1,2,referred" and len(rows) == 4
    assert [float(cell.split()[0]) for cell in rows[1].split(",")[1:]] == page.cells()[:4]
    copied = page.page.evaluate(COPY, "Markdown: Models, the best first").split("\n")
    assert copied[:2] == [
        "| Model | M | Accuracy | Behind the best |",
        "| --- | ---: | ---: | ---: |",
    ]
    best = page.page.locator(".ranking tbody tr >> nth=0")
    value, limits = best.locator(".large").inner_text(), best.locator("small >> nth=0").inner_text()
    assert copied[2].startswith(f"| {best.locator('bdi').inner_text()} | {value} ({limits}) | ")
    table = page.page.evaluate(COPY, "LaTeX: Models, the best first")
    assert table.startswith("\\begin{tabular}{lrrr}\n\\toprule") and "\\% (" in table
    table = page.page.evaluate(COPY, "LaTeX: Decisions")
    assert "\ntruth $\\downarrow$ decision $\\rightarrow$ & 0 & 1 & 2 & referred \\\\\n" in table
    copied = page.page.evaluate(COPY, "Markdown: Differences between models").split("\n")
    assert copied[1] == "| --- | --- | ---: | ---: | ---: | ---: |"  # metric, models, numbers
    for name, start in (("SVG: ROC curves", b"<svg"), ("PNG: Cases and", b"\x89PNG")):
        with page.page.expect_download() as saved:
            page.page.evaluate(
                "(name) => document.querySelector(`.share button[aria-label^='${name}']`).click()",
                name,
            )
        file = saved.value.path().read_bytes()
        assert file.startswith(start)
        if name.startswith("SVG"):
            check_saved_panel(page, file.decode())
    page.page.click("#confusion .cell[data-cell='9']")


def test_settings(opened) -> None:
    given, page = opened
    before = page.cells(), page.text("#explorer-summary"), page.text("#explorer-calibration")
    check_slice(given, page)
    assert (
        page.cells(),
        page.text("#explorer-summary"),
        page.text("#explorer-calibration"),
    ) == before
    check_shares(given, page)
    check_referrals(given, page)
    check_all(given, page)
    assert json.loads(
        page.page.evaluate(
            "() => new Promise((done) => { navigator.clipboard.writeText = async (t) => done(t);"
            "document.getElementById('copy-json').click(); })"
        )
    ).keys() == {"classes", "costs", "priors", "refer_cost"}
    check_sharing(page)
    page.page.uncheck("#may-refer")
    page.page.click("#observed-shares")
    page.set("slice", "")
    assert (
        page.cells(),
        page.text("#explorer-summary"),
        page.text("#explorer-calibration"),
    ) == before


def test_the_verdict_on_calibration_is_at_the_level_of_the_page(open_page, tmp_path, monkeypatch):
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    given = Sample()
    p = cost_calibration(given.y, given.models["model 0"], 1 - np.eye(3)).p_value
    for alpha, verdict in ((1.1 * p, "Miscalibrated"), (0.9 * p, "No sign of miscalibration")):
        path = write_report(tmp_path / "page.html", given.y, given.models, level=1 - alpha)
        page = Page(open_page(path).page)
        page.set("model", "0")
        assert page.text("#explorer-calibration").startswith(f"{verdict} at these costs: ")
