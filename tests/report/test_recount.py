"""Every sentence about the data is recounted: plain loops over the cases against what is printed.

Numbers of classes beyond what a byte holds, perfect, random, tied, tiny and skewed cases, one model
and six; weights, groups and scores of other kinds.
"""

import functools

import pytest
from report.datasets import KINDS, MORE_SIZES, SIZES, case, special_cases
from report.dom import parsed
from report.page_text import check_page
from report.recount import Facts
from report.sentences import CHECKS, Told, expected_codes
from report.sources import codes_in_source

from polyroc.report._content import Content, gather
from polyroc.report._findings import findings
from polyroc.report._page import render

pytestmark = [pytest.mark.system, pytest.mark.usefixtures("short_search")]

FEW_METRICS = 16
"""From so many classes on two metrics stand for all, to save time."""


def gathered(facts: Facts, monkeypatch) -> Content:
    """What the report says of these facts."""
    if facts.n_classes >= FEW_METRICS:
        few = ["hand_till", "aunu"]
        monkeypatch.setattr("polyroc.report._content.metric_names", lambda _: few)
    options = {key: facts.inputs[key] for key in ("labels", "sample_weight", "groups")}
    content = gather(facts.inputs["y"], facts.inputs["scores"], **options)
    facts.inputs["metrics"] = list(content.leading.evaluation)
    return content


def recount(facts: Facts, content: Content) -> set[str]:
    """Check every finding; the codes there were."""
    found = findings(content)
    for finding in found:
        CHECKS[finding.code](Told(facts, finding.title, finding.text))
    assert expected_codes(facts) <= {finding.code for finding in found}
    return {finding.code for finding in found}


def told_of(facts: Facts) -> set[str]:
    """Recount findings and page; the codes of the findings."""
    with pytest.MonkeyPatch.context() as patched:
        content = gathered(facts, patched)
    codes = recount(facts, content)
    check_page(facts, parsed(render(content)))
    return codes


@functools.cache
def codes_by_size(n_classes: int, kinds: tuple[str, ...] = KINDS) -> set[str]:
    """Of every kind of data with so many classes, recounted once."""
    codes = set()
    for place, kind in enumerate(kinds):
        six = (place + n_classes) % 2 and n_classes <= 50
        codes |= told_of(case(kind, n_classes, 6 if six else 1, numbers=place == 1))
    return codes


@functools.cache
def codes_by_name(name: str) -> set[str]:
    """Of one of the special cases, recounted once."""
    return told_of(special_cases()[name])


@functools.cache
def codes_of_a_sample() -> set[str]:
    """Of a page that cannot hold all cases."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("polyroc.report._cases.SCORE_BYTES", 2000)
        facts = case("skewed", 3, 2)
        return recount(facts, gathered(facts, patched))


@pytest.mark.parametrize(
    "n_classes", [pytest.param(K, marks=[pytest.mark.slow] * (K in (5, 50))) for K in SIZES]
)
def test_report(n_classes) -> None:
    assert codes_by_size(n_classes)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", MORE_SIZES)
def test_report_on_other_numbers_of_classes(n_classes) -> None:
    assert codes_by_size(n_classes, KINDS if n_classes < 257 else ("random", "tied", "skewed"))


@pytest.mark.slow
def test_report_on_six_models_of_many_classes() -> None:
    for kind in ("tiny", "skewed"):
        assert told_of(case(kind, 100, 6))


@pytest.mark.filterwarnings("ignore::polyroc.errors.RowsByPosition")
@pytest.mark.parametrize("name", special_cases())
def test_report_on_other_inputs(name) -> None:
    assert codes_by_name(name)


def test_report_on_a_sample() -> None:
    assert "sample-in-page" in codes_of_a_sample()


FOLDS = {"mean-over-folds", "cases-pooled"}


def test_report_on_folds() -> None:
    """Folds on scales of their own: how many there are, and M of all cases together."""
    facts = case("balanced", 3, 1)
    folds = [i % 4 for i in range(len(facts.y))]
    shifted = [
        [score / 8 + fold for score in row]
        for row, fold in zip(facts.models["model 0"], folds, strict=True)
    ]
    facts.models["model 0"] = shifted
    content = gather(facts.inputs["y"], {"model 0": shifted}, folds=folds)
    told = {each.code: each for each in findings(content) if each.code in FOLDS}
    assert set(told) == FOLDS
    assert "held out in 4 folds of a cross-validation" in told["mean-over-folds"].text
    assert told["cases-pooled"].title == "model 0: folds are on different scales"
    pooled = f"All cases pooled would give {facts.value('model 0'):.4f}, over a standard error away"
    assert told["cases-pooled"].text.startswith(pooled)


@pytest.mark.filterwarnings("ignore::polyroc.errors.RowsByPosition")
def test_every_finding_is_recounted_and_occurs() -> None:
    """A new finding needs a recount in sentences.py, and data that make it appear."""
    assert set(CHECKS) | FOLDS == codes_in_source()
    seen = set(codes_of_a_sample()).union(*map(codes_by_size, SIZES[:3]))
    assert seen.union(*map(codes_by_name, special_cases())) == set(CHECKS)
