"""Classes, scopes and labels of elements, on which styles and readers of screens rely."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from report.dom import parsed
from report.small import content_of, row, valued

from polyroc.report import _sections as sections
from polyroc.report._calibration import benefit_figures, calibration_figures, calibration_table
from polyroc.report._finding import Finding
from polyroc.report._ranking import models_table
from polyroc.report._since import Change, since_table
from polyroc.report._tables import (
    classes_table,
    differences_table,
    metric_axis,
    metrics_table,
    pairs_table,
    worst_pairs_table,
)

TWO = {"new": valued(0.9, 0.85, 0.95), "old": valued(0.85, 0.8, 0.9)}
ROWS = [row("new", "old", 0.05, 0.03), row("old", "new", 0.02, math.nan, metric="pdi")]


def kinds(markup) -> list[str]:
    """Every element with its class, scope, role and what it is next to, once; not in pictures."""
    found = set()
    names = ("class", "scope", "role", "tabindex", "data-label", "id", "aria-labelledby")

    def visit(node) -> None:
        known = [f"{name}={node.attributes[name]}" for name in names if name in node.attributes]
        found.add(" ".join([node.tag, *known]))
        for child in node.children:
            if not isinstance(child, str) and node.tag != "svg":
                visit(child)

    for node in parsed(str(markup)).children:
        visit(node)
    return sorted(found)


def made() -> dict[str, object]:
    content = content_of(TWO, ROWS)
    gini = SimpleNamespace(gini=valued(0.9), n_found=3, n_searched=20, n_samples=50)
    surfaces = content_of(TWO, ROWS, surfaces={"new": gini})
    found = [Finding("tied-scores", "fact", "t", "x")] * 2
    found += [Finding(f"code-{k}", "notice", "t", "x") for k in range(9)]
    change = Change("saec", "then", "new", 0.5, 0.6, 0.01, 0.2)
    model = content.models[0]
    return {
        "summary": sections.summary(content, found),
        "models": models_table(content),
        "metrics": metrics_table(content),
        "pairs": pairs_table(content, model),
        "worst": worst_pairs_table(content, model),
        "differences": differences_table(content, ROWS, "d"),
        "classes": classes_table(content),
        "since": since_table(content, [change]),
        "surfaces": sections.surfaces(surfaces),
        "calibration": calibration_table(content),
        "curves": calibration_figures(content),
        "benefit": benefit_figures(content),
        "reading": sections.reading(surfaces, found[:1]),
        "section of metrics": sections.metrics(content),
        "section of pairs": sections.pairs(content),
    }


EXPECTED = {
    "summary": """
        a
        bdi
        details
        div
        div class=beside
        div class=scroll role=region tabindex=0
        h2 id=summary-title
        h3
        li
        li class=finding fact
        li class=finding notice
        p
        p class=muted
        p class=verdict
        section id=summary aria-labelledby=summary-title
        small
        span class=badge
        span class=hidden
        span class=key model-0
        span class=key model-1
        span class=kind
        span class=large
        summary
        table class=classes
        table class=ranking stacked
        tbody
        td class=number
        td class=number data-label=Accuracy
        td class=number data-label=Behind the best
        td class=number data-label=M
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
        ul
        ul class=findings
    """,
    "models": """
        a
        bdi
        div class=scroll role=region tabindex=0
        small
        span class=badge
        span class=key model-0
        span class=key model-1
        span class=large
        table class=ranking stacked
        tbody
        td class=number
        td class=number data-label=Accuracy
        td class=number data-label=Behind the best
        td class=number data-label=M
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "metrics": """
        a
        bdi
        div class=scroll role=region tabindex=0
        small
        span
        span class=key model-0
        span class=key model-1
        span class=strip axis role=img
        strong
        svg class=strip role=img
        table class=metrics stacked
        tbody
        td class=figure own
        td class=number data-label=new
        td class=number data-label=old
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "pairs": """
        bdi
        div class=scroll role=region tabindex=0
        small
        span
        span class=corner
        table class=matrix
        tbody
        td class=diagonal
        td class=heat-4
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "worst": """
        bdi
        div class=scroll role=region tabindex=0
        small
        span
        table class=matrix stacked
        tbody
        td class=heat-4 data-label=scores of A
        td class=heat-4 data-label=scores of B
        td class=name
        th class=number scope=col
        th scope=col
        thead
        tr
    """,
    "differences": """
        bdi
        div class=scroll role=region tabindex=0
        span
        span class=hidden
        span class=strip axis role=img
        span class=whole
        strong
        svg class=strip role=img
        table class=differences stacked
        tbody
        td class=figure
        td class=models
        td class=number data-label=Difference
        td class=number data-label=Interval
        td class=number data-label=p
        td class=number data-label=p (Holm)
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "classes": """
        bdi
        table class=classes
        tbody
        td class=number
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "since": """
        bdi
        div class=scroll role=region tabindex=0
        small
        table class=since
        tbody
        td
        td class=number
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "surfaces": """
        bdi
        div class=scroll role=region tabindex=0
        h2 id=surface-title
        p
        section id=surface aria-labelledby=surface-title
        small class=reason
        span class=key model-0
        table class=surfaces stacked
        tbody
        td class=number data-label=G
        td class=number data-label=Interval
        td class=number data-label=Operating points
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "calibration": """
        bdi
        div class=scroll role=region tabindex=0
        small
        span class=key model-0
        span class=key model-1
        table class=calibration stacked
        tbody
        td class=number data-label=Calibration error
        td class=number data-label=Errors expected
        td class=number data-label=Errors observed
        td class=number data-label=If calibrated
        td class=number data-label=p
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "curves": """
        bdi
        div class=panels
        figcaption
        figure
        li
        span class=number
        svg class=line-key
        svg class=panel role=img
        ul class=legend
    """,
    "benefit": """
        bdi
        div class=panels
        figcaption
        figure
        li
        span class=number
        svg class=line-key
        svg class=panel role=img
        ul class=legend
    """,
    "reading": """
        cite
        dd
        dl
        dt id=about-tied-scores
        dt id=metric-hand_till
        h2 id=reading-title
        h3
        li
        p id=methods
        section id=reading aria-labelledby=reading-title
        strong
        ul class=references
    """,
    "section of metrics": """
        a
        bdi
        div class=scroll role=region tabindex=0
        h2 id=metrics-title
        p
        section id=metrics aria-labelledby=metrics-title
        small
        span
        span class=drawn
        span class=key model-0
        span class=key model-1
        span class=strip axis role=img
        strong
        svg class=strip role=img
        table class=metrics stacked
        tbody
        td class=figure own
        td class=number data-label=new
        td class=number data-label=old
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
    "section of pairs": """
        bdi
        div class=figures
        div class=scroll role=region tabindex=0
        figcaption
        figure
        h2 id=pairs-title
        p
        section id=pairs aria-labelledby=pairs-title
        small
        span
        span class=corner
        span class=key model-0
        span class=key model-1
        table class=matrix
        tbody
        td class=diagonal
        td class=heat-4
        th class=number scope=col
        th scope=col
        th scope=row
        thead
        tr
    """,
}


@pytest.fixture(scope="module")
def parts() -> dict[str, object]:
    return made()


@pytest.mark.parametrize("name", EXPECTED)
def test_elements_have_the_classes_that_styles_look_for(name, parts) -> None:
    expected = [line.strip() for line in EXPECTED[name].strip().splitlines()]
    assert kinds(parts[name]) == expected


def test_marks_of_differences_have_no_colour_of_a_model(parts) -> None:
    tree = parsed(str(parts["differences"]))
    assert {each.attributes["class"] for each in tree.all("g")} == {"mark"}


def test_an_axis_begins_at_the_worst_value_where_guessing_has_none() -> None:
    for sign, ends in ((1, (0.0, 0.4)), (-1, (0.2, 2.0))):
        declared = SimpleNamespace(sign=sign, chance=None, lowest=0.0, highest=2.0)
        axis = metric_axis(declared, [(0.3, 0.25, 0.35)], 3)
        assert axis.low <= ends[0] and axis.high >= ends[1]
        assert (axis.high > 1) == (sign < 0)


def test_cells_of_slices_and_findings_are_kept_apart() -> None:
    content = content_of(TWO, ROWS, groups=np.arange(30) // 2)
    tree = parsed(str(sections.compared(content)))
    assert [each.attributes["class"] for each in tree.all("table")] == ["differences stacked"] * 2
    assert tree.all("p")[0].text.endswith(" Computed over 15 groups of cases.")
