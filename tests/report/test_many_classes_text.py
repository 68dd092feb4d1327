"""What a page of many classes, small classes or numbered classes says."""

import re

import numpy as np
import pytest
from report.conftest import make_sample

from polyroc.metrics import registry
from polyroc.report import write_report
from polyroc.report._content import gather
from polyroc.report._decisions import perfect_pairs
from polyroc.report._explanations import EXPLANATIONS
from polyroc.report._findings import findings
from polyroc.report._methods import methods
from polyroc.report._on_classes import few_cases, rare_classes
from polyroc.report._ranking import models_table
from polyroc.report._roc_section import told_first
from polyroc.report._sections import benefit, published
from polyroc.report._verdict import verdict

pytestmark = [pytest.mark.system, pytest.mark.usefixtures("short_search", "one_metric")]


@pytest.fixture
def one_metric(monkeypatch) -> None:
    monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: ["hand_till"])


def test_numbers_of_cases_of_numbered_classes() -> None:
    """Or "178 0, 182 1" would be all that is said of them."""
    y, models = make_sample(3, 60)
    counts = np.bincount(y)
    told = ", ".join(f"{count} of class {k}" for k, count in enumerate(counts))
    assert f"of 3 classes ({told}) by" in methods(gather(y, models))
    named = np.array(["a", "b", "c"])[y]
    told = ", ".join(f"{count} {name}" for name, count in zip("abc", counts, strict=True))
    assert f"of 3 classes ({told}) by" in methods(gather(named, models))


def many_small_classes() -> tuple[np.ndarray, np.ndarray]:
    """Forty classes, ten of which have 3 cases and the others 12."""
    y = np.repeat(np.arange(40), [3] * 10 + [12] * 30)
    p = np.eye(40)[y] + 0.6 * np.random.default_rng(0).random((len(y), 40))
    return y, p / p.sum(axis=1, keepdims=True)


def test_how_many_classes_are_rare_or_small() -> None:
    """Not by a limit in percent: rounded, it is a share that some of these classes have."""
    y, p = many_small_classes()
    content = gather(y, p)
    (rare,), (few,) = rare_classes(content), few_cases(content)
    assert "; 5 more classes with less than half of the mean share. " in rare.text
    assert "; 35 more classes with fewer than 30 cases. " in few.text


@pytest.mark.parametrize("n_models", [1, 2])
def test_which_curves_are_shown(n_models) -> None:
    y, models = make_sample(15, 200, n_models)
    mean = " on average over the models" if n_models > 1 else ""
    told = f"Shown are the 12 of 15 classes with the smallest area{mean}."
    assert told_first(gather(y, models)).endswith(told)


def test_separated_classes_have_intervals() -> None:
    """So the explanation does not say that they may be missing."""
    y, p = many_small_classes()
    (model,) = gather(y, p).models
    perfect = perfect_pairs(model)
    assert perfect.any() and np.isfinite(model.pair_limits[:, perfect]).all()
    assert "missing" not in EXPLANATIONS["perfect-separation"]


def test_the_answer_has_the_decimals_of_the_table() -> None:
    """A small difference is the same number in the first sentence and in the table below it."""
    y, models = make_sample(4, 8000, 1)
    models["worse"] = models["model 0"] ** 0.9 + 0.02 * np.random.default_rng(0).random((8000, 4))
    models["worse"] /= models["worse"].sum(axis=1, keepdims=True)
    content = gather(y, models)
    (row,) = content.comparison.differences
    told = re.search(r"ahead of worse by (0\.\d+) \(", verdict(content))[1]
    assert f"{abs(row.difference):.{len(told) - 2}f}" == told
    assert f">{told}<small>" in models_table(content)
    (found,) = (each for each in findings(content) if each.code == "difference-clear")
    assert f"is {told} higher" in found.text


def test_metrics_are_cited_by_what_was_published() -> None:
    """Every metric has a reference that can be looked up."""
    for metric in registry.values():
        assert re.search(r"\b(19|20)\d\d\b", published(metric.reference)), metric.name
        assert "slides" not in published(metric.reference)


@pytest.mark.parametrize("n_classes", [5, 100])
def test_a_missing_line_of_net_benefit_is_told(n_classes) -> None:
    """Acting on all cases does harm at every threshold where a class has a share of 1 %."""
    y = np.repeat(np.arange(n_classes), 4)
    p = np.eye(n_classes)[y] + 0.6 * np.random.default_rng(0).random((len(y), n_classes))
    section = str(benefit(gather(y, p / p.sum(axis=1, keepdims=True))))
    lines = [figure.count('class="chance"') for figure in section.split("<figure>")[1:]]
    assert set(lines) == {2 if n_classes == 5 else 1}
    assert ("acting on all cases lies below the panel" in section) == (n_classes == 100)
    assert "among thresholds from 0.02 to 0.98, in which" in section


@pytest.mark.browser
def test_ten_columns_of_nearly_perfect_pairs_are_in_view(tmp_path, open_page) -> None:
    """Limits next to 1 have more decimals, which must not push a column out of the table."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 180)
    scores = np.exp(5 * np.eye(10)[y] + 1.4 * rng.normal(size=(len(y), 10)))
    path = write_report(tmp_path / "page.html", y, scores / scores.sum(axis=1, keepdims=True))
    page = open_page(path).page
    assert sum("0.9999" in text for text in page.locator("#pairs td small").all_inner_texts()) > 20
    wide = "(table) => table.scrollWidth - table.clientWidth"
    for width in (1280, 768):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("#pairs .scroll").evaluate(wide) <= 0, width
