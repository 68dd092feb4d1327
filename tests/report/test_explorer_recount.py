"""What the explorer prints about the data, recounted from the cases in Python."""

import math
import re

import numpy as np
import pytest
from report.conftest import make_sample
from report.datasets import case, special_cases
from report.recount import Facts, agrees, number_in
from scipy.stats import t as student

from polyroc.report import write_report

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("short_search")]

QUANTILE = 1.959963984540054


class Recounted:
    """Decisions of one model on probabilities in single precision, and sums over them."""

    def __init__(self, facts: Facts, model: str, costs: list[list[float]]) -> None:
        self.facts, self.costs = facts, costs
        rows = np.float32(facts.probabilities(model)).tolist()
        self.decided = [self._cheapest(row) for row in rows]
        self.paid = [costs[k][j] for k, j in zip(facts.y, self.decided, strict=True)]
        mean = zip(rows, self.decided, facts.weights, strict=True)
        self.promised = math.fsum(
            weight * math.fsum(q * costs[k][j] for k, q in enumerate(row))
            for row, j, weight in mean
        ) / sum(facts.weights)
        self.whole = [sum(facts.weights[i] for i in each) for each in facts.members]
        self.cells: dict[tuple[int, int], float] = {}
        for truth, decision, weight in zip(facts.y, self.decided, facts.weights, strict=True):
            self.cells[truth, decision] = self.cells.get((truth, decision), 0.0) + weight

    def _cheapest(self, row: list[float]) -> int:
        classes = range(len(row))
        expected = []
        for j in classes:
            total = row[0] * self.costs[0][j]
            for k in classes[1:]:
                total += row[k] * self.costs[k][j]
            expected.append(total)
        return expected.index(min(expected))

    @property
    def correct(self) -> float:
        return math.fsum(w for (k, j), w in self.cells.items() if k == j) / sum(self.whole)

    @property
    def cost(self) -> float:
        costs = self.costs
        return math.fsum(w * costs[k][j] for (k, j), w in self.cells.items()) / sum(self.whole)

    def limits(self, truth: int, decision: int) -> tuple[float, float]:
        """Wilson's limits for the effective number of cases, group by group."""
        facts, members = self.facts, self.facts.members[truth]
        share = self.cells.get((truth, decision), 0.0) / self.whole[truth]
        weights = [facts.weights[i] for i in members]
        count = sum(weights) ** 2 / sum(w * w for w in weights)
        if facts.groups is not None:
            count = self._grouped(truth, decision, share, count)
        extra = QUANTILE**2 / count
        centre = (share + extra / 2) / (1 + extra)
        reach = math.sqrt(extra * (share * (1 - share) + extra / 4)) / (1 + extra)
        return max(0, min(centre - reach, share)), min(1, max(centre + reach, share))

    def _grouped(self, truth: int, decision: int, share: float, count: float) -> float:
        facts, alone, sums = self.facts, 0.0, {}
        for i in facts.members[truth]:
            apart = facts.weights[i] * ((self.decided[i] == decision) - share)
            sums[facts.groups[i]] = sums.get(facts.groups[i], 0.0) + apart
            alone += apart**2
        m, n = len(sums), len(facts.members[truth])
        if m < 2 or share in (0, 1) or alone < 1e-20:
            return min(count, m)
        together = math.fsum(each**2 for each in sums.values()) * m / (m - 1)
        return count / max(1, together / (alone * n / (n - 1)))


def opened(facts: Facts, open_page, tmp_path):
    options = {key: facts.inputs[key] for key in ("labels", "sample_weight", "groups")}
    path = tmp_path / "page.html"
    return open_page(write_report(path, facts.inputs["y"], facts.inputs["scores"], **options)).page


def check_summary(facts: Facts, model: str, text: str, found: Recounted, cost: bool) -> None:
    pattern = (
        r"(.+) classifies (\S+\s%) of cases( by weight)? correctly"
        r"(?:, at a cost of (\S+) per case)?\. (?:No errors|Most frequent error: (weight )?"
        r"([\d,.]+)(?: cases?)? of (.+) classified as (.+))\."
    )
    name, share, by_weight, price, weight, amount, x, y = re.fullmatch(pattern, text).groups()
    assert name == model and agrees(share, found.correct) and bool(by_weight) == facts.weighted
    assert agrees(price, found.cost) if cost else price is None
    errors = {cell: w for cell, w in found.cells.items() if cell[0] != cell[1]}
    if not errors:
        assert amount is None
        return
    told = errors[facts.names.index(x), facts.names.index(y)]
    assert told == max(errors.values()) and bool(weight) == facts.weighted
    assert math.isclose(number_in(amount), told, rel_tol=5e-4)


def check_cells(facts: Facts, page, found: Recounted) -> None:
    for cell in page.locator("#confusion .cell").all():
        truth, decision = divmod(int(cell.get_attribute("data-cell")), facts.n_classes)
        amount, share, limits = (cell.locator(each).inner_text() for each in ("b", "span", "small"))
        told = found.cells.get((truth, decision), 0.0)
        assert math.isclose(number_in(amount), told, rel_tol=5e-4)
        assert agrees(share, told / found.whole[truth])
        low, high = found.limits(truth, decision)
        shown = [float(each) / 100 for each in limits.split("–")]
        assert abs(shown[0] - low) < 5.1e-4 and abs(shown[1] - high) < 5.1e-4


def check_costs(facts: Facts, page, found: dict[str, Recounted]) -> None:
    rows = page.locator("#model-costs tbody tr").all()
    classes = range(facts.n_classes)
    costs = next(iter(found.values())).costs
    whole = next(iter(found.values())).whole
    constant = min(sum(whole[k] * costs[k][j] for k in classes) for j in classes) / sum(whole)
    chosen = found[list(found)[int(page.input_value("#model"))]]
    for row, (model, each) in zip(rows, found.items(), strict=True):
        name, cost, _, saved, _, promised, apart = (
            *row.locator("th").all_text_contents(),
            *row.locator("td").all_text_contents(),
        )
        assert name == model and agrees(cost, each.cost)
        assert agrees(saved.replace("-", "−"), 1 - each.cost / constant)
        assert agrees(promised, each.promised)
        check_apart(apart, each, chosen)
    told = page.inner_text("#model-costs p")
    sentence = (
        r"Always choosing one class costs at least (\S+) per case; “saved” is relative to that\."
        r"(?: The difference is from the chosen model on the same cases(.+)\.)?"
    )
    assert agrees(re.fullmatch(sentence, told)[1], constant)
    cells = [row.locator("td").last.inner_text() for row in rows]
    shown = [" to " in cell for cell in cells if cell != "chosen"]
    assert re.fullmatch(sentence, told)[2] == apart_told(shown)


def apart_told(shown: list[bool]) -> str | None:
    """What is said of the intervals of differences, of which some are shown."""
    if not shown:
        return None
    if not any(shown):
        return "; without a standard error it has no interval"
    return ", with its 95\u00a0% interval" + (
        "" if all(shown) else " where it has a standard error"
    )


def check_apart(told: str, model: Recounted, chosen: Recounted) -> None:
    """The difference of costs, and where cases are in groups its limits, group by group."""
    if model is chosen:
        assert told == "chosen"
        return
    value, low, high = re.fullmatch(r"([−+][\d.]+)(?:([−+][\d.]+) to ([−+][\d.]+))?", told).groups()
    assert agrees(value.lstrip("+"), model.cost - chosen.cost)
    facts, sums = model.facts, {}
    if facts.groups is None or low is None:
        return
    apart = [a - b for a, b in zip(model.paid, chosen.paid, strict=True)]
    means = [
        math.fsum(facts.weights[i] * apart[i] for i in each) / whole
        for each, whole in zip(facts.members, model.whole, strict=True)
    ]
    for i, k in enumerate(facts.y):
        part = facts.weights[i] * (apart[i] - means[k]) / sum(model.whole)
        sums[facts.groups[i]] = sums.get(facts.groups[i], 0.0) + part
    n = len(sums)
    error = math.sqrt(math.fsum(each**2 for each in sums.values()) * n / (n - 1))
    reach = float(student.ppf(0.975, n - 1)) * error
    assert agrees(low.lstrip("+"), model.cost - chosen.cost - reach)
    assert agrees(high.lstrip("+"), model.cost - chosen.cost + reach)


def cases() -> dict[str, Facts]:
    every = special_cases()
    return {name: every[name] for name in ("weights", "groups", "grouped weights", "counts")} | {
        "perfect, three": case("perfect", 3, 1),
        "tied, two": case("tied", 2, 2),
        "random, seventeen": case("random", 17, 2, numbers=True),
    }


@pytest.mark.parametrize("name", cases())
def test_explorer(name, open_page, tmp_path, monkeypatch) -> None:
    facts = cases()[name]
    few = ["roc_auc"] if facts.n_classes == 2 else ["hand_till"]
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: few)
    page = opened(facts, open_page, tmp_path)
    costs = [[float(a != b) for b in facts.names] for a in facts.names]
    found = {model: Recounted(facts, model, costs) for model in facts.models}
    for place, model in enumerate(facts.models):
        page.select_option("#model", str(place))
        check_summary(facts, model, page.inner_text("#explorer-summary"), found[model], cost=True)
        check_cells(facts, page, found[model])
        check_costs(facts, page, found)
    if facts.n_classes > 12:
        last = found[model]
        occur = [cell for cell in last.cells if cell[0] != cell[1]]
        assert page.inner_text("#confusion p.muted") == (
            f"The 15 largest confusions of {len(occur)} that occur: truth → decision, cases, share "
            "of the class."
        )
        page.fill("#class-search", "16")
        some = [cell for cell in occur if 16 in cell]
        assert f"of {len(some)} that occur with such a class:" in page.inner_text(
            "#confusion p.muted"
        )
        return
    page.check("#mode-limits")
    summary = page.inner_text("#explorer-summary")
    assert "cost" not in summary and summary.startswith(f"{model} classifies ")
    assert not page.locator("#model-costs").is_visible()
    page.check("input[value=costs]")
    assert page.locator("#model-costs").is_visible()
    assert "at a cost of" in page.inner_text("#explorer-summary")


def test_a_sample_says_of_which_cases_it_is(open_page, tmp_path, monkeypatch) -> None:
    """Decisions, costs and diamonds are of the cases in the page, one per class here."""
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])
    for n_classes, size in ((3, 100), (14, 1700)):
        monkeypatch.setattr("polyroc.report._cases.SCORE_BYTES", size)
        y, models = make_sample(n_classes, 200)
        page = open_page(write_report(tmp_path / "page.html", y, models)).page
        held = sum(max(1, int(n * (size // (8 * n_classes + 5)) / 200)) for n in np.bincount(y))
        told = f"the {held} of 200 cases that this page contains"
        if n_classes > 12:  # which opens with all cases
            assert told not in page.inner_text("#explorer-summary")
            assert told not in page.inner_text("#confusion")
            assert f" Shown are {told}." in page.inner_text("#simplex-told")
            page.fill(".slider-row input[type=number]", "2")
        assert f" correctly (of {told})" in page.inner_text("#explorer-summary")
        assert f" among {told}" in page.inner_text("#confusion p.muted")
        assert page.locator(".roc > p").first.inner_text().endswith(f", among {told}.")
        assert page.locator("#model-costs small").count() == 0
        assert page.inner_text("#model-costs p").endswith(apart_told([False]) + ".")


def test_case_list(open_page, tmp_path) -> None:
    facts = special_cases()["weights"]
    page = opened(facts, open_page, tmp_path)
    costs = [[float(a != b) for b in facts.names] for a in facts.names]
    found = Recounted(facts, "a", costs)
    page.select_option("#model", "0")
    for cell in (0, 1, 5, 7):
        truth, decision = divmod(cell, 4)
        page.click(f"#confusion .cell[data-cell='{cell}']")
        listed = [i for i in facts.members[truth] if found.decided[i] == decision]
        told = page.inner_text("#cases p")
        count = re.fullmatch(
            rf"{facts.names[truth]} classified as {facts.names[decision]}: (\d+) cases?"
            r"(?:; shown are the 50 with the lowest probability of their class)?\. "
            r"Rows are counted from 0\.",
            told,
        )[1]
        assert int(count) == len(listed)
        rows = [int(row) for row in page.locator("#cases tbody th").all_inner_texts()]
        lowest = sorted(listed, key=lambda i: facts.models["a"][i][truth])[:50]
        assert rows == [facts.rows[i] for i in lowest]
