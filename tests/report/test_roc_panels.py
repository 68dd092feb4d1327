"""ROC curves of the page: what they rest on, what pointing tells, and how dragging decides."""

import json
import math
import re
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from report.conftest import make_sample
from report.recount import agrees

from polyroc._base.levels import two_sided_quantile, wilson_limits
from polyroc.report import write_report
from polyroc.report._curves import rested_on

SHOWN = re.compile(
    r"(.+), probability ≥ (\S+): false positive rate (\S+\s%) \((\S+)–(\S+)\), "
    r"true positive rate (\S+\s%) \((\S+)–(\S+)\)\."
)
PLACE = """([panel, curve, at]) => {
  const svg = document.querySelectorAll(".roc svg.panel")[panel];
  svg.scrollIntoView({ block: "center", behavior: "instant" });
  const [x, y] = svg.querySelectorAll("polyline")[curve].getAttribute("points").split(" ").at(at)
    .split(",").map(Number);
  const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
  return [left, top];
}"""


def count_by_loops(scores, weights, groups, threshold) -> float:
    """Kish's number of cases over the design effect of the share at or above the threshold."""
    cases = list(zip(scores, weights, groups, strict=True))
    total = sum(weights)
    count = total**2 / sum(w * w for w in weights)
    share = sum(w for s, w, _ in cases if s >= threshold) / total
    m, n = len(set(groups)), len(cases)
    if m < 2 or share in (0, 1):
        return min(count, m)
    apart = [(w * ((s >= threshold) - share), g) for s, w, g in cases]
    sums = [sum(a for a, g in apart if g == group) for group in set(groups)]
    together = sum(a * a for a in sums) * m / (m - 1)
    return count / max(1, together / sum(a * a for a, _ in apart) * (n - 1) / n)


@pytest.mark.system
def test_cases_that_a_rate_rests_on() -> None:
    rng = np.random.default_rng(5)
    for n, n_groups in ((1, 1), (6, 1), (30, 7), (30, 30), (60, 9)):
        groups = np.arange(n) % n_groups
        scores = np.round(rng.random(n) + rng.random(n_groups)[groups], 1)
        for weights in (np.ones(n), rng.integers(1, 4, n) / 2):
            places = np.append(np.inf, np.unique(scores)[::-1])
            found = rested_on(scores, weights, groups, places)
            given = scores.tolist(), weights.tolist(), groups.tolist()
            expected = [count_by_loops(*given, each) for each in places.tolist()]
            assert np.allclose(found, expected)
            alone = rested_on(scores, weights, None, places)
            assert np.allclose(alone, weights.sum() ** 2 / (weights**2).sum())


@pytest.mark.system
@pytest.mark.parametrize("weight", [1e-6, 1e-9, 1.35e-11])
def test_rates_next_to_0_and_1_rest_on_the_cases_that_make_the_difference(weight) -> None:
    """Two cases of little weight in one group count as one, above the others or below."""
    scores, groups = np.arange(20.0), np.arange(20) // 4
    for light, threshold in (([0, 1], 2.0), ([18, 19], 18.0)):
        weights = np.ones(20)
        weights[light] = weight
        exact = [Fraction(each) for each in weights.tolist()]
        expected = count_by_loops(scores.tolist(), exact, groups.tolist(), threshold)
        found = rested_on(scores, weights, groups, np.array([threshold]))
        assert found == pytest.approx([float(expected)], rel=1e-3)


class Drawn:
    """The page of a sample with weights and groups, and its numbers by loops."""

    def __init__(self, opened, y, models, weights, groups) -> None:
        self.page = opened.page
        self.y, self.models, self.weights, self.groups = y, models, weights, groups

    def point(self, panel: int, curve: int, at: int) -> None:
        self.page.mouse.move(*self.page.evaluate(PLACE, [panel, curve, at]))

    def told(self, panel: int) -> str:
        return self.page.locator(".roc > p").nth(panel).inner_text()

    def threshold(self) -> tuple[int, float]:
        """What the address says decides."""
        self.page.wait_for_function("() => location.hash.includes('cut=')")
        self.page.wait_for_timeout(300)
        k, t = re.search(r"cut=(\d):([\d.e-]+)", self.page.evaluate("() => location.hash")).groups()
        return int(k), float(t)

    def check(self, text: str, k: int) -> None:
        """Rates with Wilson's limits at the threshold that is told, which has three digits."""
        name, near, *told = SHOWN.fullmatch(text).groups()
        p = self.models[name][:, k]
        t = float(min(p, key=lambda each: abs(each - float(near))))
        own = self.y == k
        for side, (rate, *limits) in ((~own, told[:3]), (own, told[3:])):
            given = p[side], self.weights[side]
            share = given[1][given[0] >= t].sum() / given[1].sum()
            count = count_by_loops(*map(np.ndarray.tolist, (*given, self.groups[side])), t)
            ends = wilson_limits(np.array([share]), np.array([count]), two_sided_quantile(0.95))
            assert agrees(rate, share)
            assert all(agrees(f"{a}\u00a0%", b[0]) for a, b in zip(limits, ends, strict=True))

    def decided(self, name: str, k: int, t: float) -> np.ndarray:
        """Class k from t upwards, else the most probable other one."""
        found = []
        for row in np.float32(self.models[name]):
            others = [j for j in range(3) if j != k]
            found.append(k if row[k] >= np.float32(t) else max(others, key=lambda j: row[j]))
        return np.array(found)

    def table(self) -> list[float]:
        return [float(each) for each in self.page.locator("#confusion .cell b").all_inner_texts()]


@pytest.fixture
def drawn(open_page, tmp_path, monkeypatch, short_search) -> Drawn:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = make_sample(3, 150)
    models = {name: np.float32(p).astype(np.float64) for name, p in models.items()}
    weights, groups = np.random.default_rng(2).integers(1, 4, 150) / 2, np.arange(150) // 3
    path = tmp_path / "page.html"
    write_report(path, y, models, sample_weight=weights, groups=groups)
    return Drawn(open_page(path), y, models, weights, groups)


def check_decisions(drawn: Drawn, name: str) -> tuple[int, float]:
    k, t = drawn.threshold()
    decided = drawn.decided(name, k, t)
    table = np.zeros((3, 3))
    np.add.at(table, (drawn.y, decided), drawn.weights)
    assert drawn.table() == table.ravel().tolist()
    drawn.page.click(f"#confusion .cell[data-cell='{3 * ((k + 1) % 3) + k}']")
    rows = {int(each) for each in drawn.page.locator("#cases tbody th").all_inner_texts()}
    assert rows == set(np.flatnonzero((drawn.y == (k + 1) % 3) & (decided == k)).tolist())
    drawn.page.click(f"#confusion .cell[data-cell='{3 * ((k + 1) % 3) + k}']")
    estimator = SimpleNamespace(predict_proba=lambda _: drawn.models[name])
    names = {"X": None, "estimator": estimator}
    exec(drawn.page.inner_text("#python"), names)
    assert names["decisions"].tolist() == decided.tolist()
    return k, t


@pytest.mark.browser
def test_curves_answer_and_decide(drawn) -> None:
    page = drawn.page
    before = drawn.table()
    assert drawn.told(0).startswith("model 0, as the explorer decides: false positive rate ")
    for panel, curve in ((0, 0), (2, 1)):
        drawn.point(panel, curve, 12)
        drawn.check(drawn.told(panel), panel)
    page.mouse.move(2, 2)
    assert drawn.table() == before
    drawn.point(1, 1, 6)
    page.mouse.down()
    drawn.point(1, 1, 25)
    page.mouse.up()
    assert page.input_value("#model") == "1"
    drawn.check(drawn.told(1), 1)
    k, t = check_decisions(drawn, "model 1")
    assert k == 1 and page.is_visible("#cut") and page.is_hidden("#practice")
    assert page.inner_text("#explorer-summary").startswith(
        "With class 1 where its probability is at least "
    )
    link, shown = page.evaluate("() => location.hash"), drawn.table()
    page.focus("#roc-1")
    page.keyboard.press("ArrowRight")
    assert drawn.table() != shown or drawn.threshold()[1] < t
    drawn.check(page.get_attribute("#roc-1", "aria-valuetext"), 1)
    check_decisions(drawn, "model 1")
    page.focus("#uncut")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.closest('#cost-controls') !== null")
    assert page.is_hidden("#cut") and page.is_visible("#practice")
    page.evaluate("(link) => { location.hash = link }", link)
    page.wait_for_function("() => !document.getElementById('cut').hidden")
    assert drawn.table() == shown
    page.fill("#cost-1-number", "1")  # what is touched last decides
    page.select_option("#model", "0")
    assert page.is_hidden("#cut") and drawn.table() == before
    page.keyboard.press("Tab")


@pytest.mark.browser
def test_curves_without_cases(open_page, tmp_path, monkeypatch, short_search) -> None:
    """No threshold is in the file, which would be the score of a case; the rates are told."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    y, models = make_sample(3, 90, 1)
    path = write_report(tmp_path / "page.html", y, models, include_cases=False)
    text = path.read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="page-data">(.*?)</script>', text)[1])
    for panel in data["curves"]["panels"]:
        assert [curve["thresholds"] for curve in panel["curves"]] == [None]
    page = open_page(path).page
    page.focus("#roc-0")
    page.keyboard.press("End")
    assert (
        page.locator(".roc > p")
        .nth(0)
        .inner_text()
        .startswith("model 0, false positive rate 100.0")
    )
    assert not math.isnan(float(data["curves"]["panels"][0]["curves"][0]["counts"][0]))


@pytest.mark.browser
def test_thresholds_below_one_do_not_read_as_one(
    open_page, tmp_path, monkeypatch, short_search
) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["roc_auc"])
    y = np.arange(40) % 2
    p = np.float32(1 - 10.0 ** -np.random.default_rng(4).uniform(3.5, 7, 40)).astype(float)
    p[:4] = 0, 1, 1, 0.25
    page = open_page(write_report(tmp_path / "page.html", y, {"m": np.c_[1 - p, p]})).page
    page.focus("#roc-1")
    page.keyboard.press("Home")
    told, seen = page.locator(".roc > p").nth(0), 0
    while "≥ 0.25:" not in told.inner_text():
        page.keyboard.press("ArrowRight")
        shown = re.search(r"probability ≥ (\S+): ", told.inner_text())[1]
        rate = re.search(r"true positive rate (\S+)", told.inner_text())[1]
        assert (shown == "1") == (rate == f"{100 * np.mean(p[y == 1] >= 1):.1f}")
        assert f"at least {shown}, " in page.inner_text("#cut")
        seen += 1
    assert seen > 4
