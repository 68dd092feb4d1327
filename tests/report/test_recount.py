"""Every sentence about the data is recounted: plain loops over the cases against what is printed.

Numbers of classes beyond what a byte holds, perfect, random, tied, tiny and skewed cases, one model
and six; weights, groups and scores of other kinds.
"""

import pytest
from report.datasets import KINDS, SIZES, case, special_cases
from report.dom import parsed
from report.page_text import check_page
from report.recount import Facts
from report.sentences import CHECKS, Told, expected_codes
from report.sources import codes_in_source

from polyroc.report.content import Content, gather
from polyroc.report.findings import findings
from polyroc.report.page import render

pytestmark = pytest.mark.usefixtures("short_search")

FEW_METRICS = 16
"""From so many classes on two metrics stand for all, to save time."""


@pytest.fixture(scope="module")
def codes_seen() -> set[str]:
    """Codes of all findings that were recounted in this module."""
    return set()


def gathered(facts: Facts, monkeypatch) -> Content:
    """What the report says of these facts."""
    if facts.n_classes >= FEW_METRICS:
        few = ["hand_till", "aunu"]
        monkeypatch.setattr("polyroc.report.content.metric_names", lambda _: few)
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


@pytest.mark.parametrize("n_classes", SIZES)
def test_findings(n_classes, monkeypatch, codes_seen) -> None:
    for place, kind in enumerate(KINDS):
        six = (place + n_classes) % 2 and n_classes <= 50
        facts = case(kind, n_classes, 6 if six else 1, numbers=place == 1)
        with monkeypatch.context() as patched:
            content = gathered(facts, patched)
        codes_seen |= recount(facts, content)
        check_page(facts, parsed(render(content)))


@pytest.mark.slow
def test_findings_on_six_models_of_many_classes(monkeypatch) -> None:
    for kind in ("tiny", "skewed"):
        facts = case(kind, 300, 6)
        content = gathered(facts, monkeypatch)
        recount(facts, content)
        check_page(facts, parsed(render(content)))


@pytest.mark.filterwarnings("ignore::polyroc.errors.RowsByPosition")
@pytest.mark.parametrize("name", special_cases())
def test_findings_on_other_inputs(name, monkeypatch, codes_seen) -> None:
    facts = special_cases()[name]
    content = gathered(facts, monkeypatch)
    codes_seen |= recount(facts, content)
    check_page(facts, parsed(render(content)))


def test_findings_on_a_sample(monkeypatch, codes_seen) -> None:
    monkeypatch.setattr("polyroc.report.cases.SCORE_BYTES", 2000)
    facts = case("skewed", 3, 2)
    codes_seen |= recount(facts, gathered(facts, monkeypatch))


def test_every_finding_is_recounted_and_occurred(codes_seen) -> None:
    """A new finding needs a recount above, and data that make it appear."""
    assert set(CHECKS) == codes_in_source()
    assert codes_seen == set(CHECKS)
