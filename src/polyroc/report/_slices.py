"""The section on slices: for whom does it work?"""

import math
from typing import Any

from polyroc.inference import SlicedEvaluation
from polyroc.inference._slices.result import SliceTest
from polyroc.metrics import registry
from polyroc.report._content import Content, ModelContent
from polyroc.report._markup import Markup, element
from polyroc.report._tables import head, key, name, right, scrolled, symbol
from polyroc.report._wording import (
    digits_for,
    interval_digits,
    level_text,
    limits,
    number,
    p_number,
    p_value,
    signed,
)

MOST_SLICES = 20
"""Rows of an attribute's table; of more, the worst are shown."""


def sliced_models(content: Content) -> list[tuple[int, ModelContent, SlicedEvaluation]]:
    """Models with their evaluations by slices, if there are slices."""
    return [
        (k, model, model.evaluation)
        for k, model in enumerate(content.models)
        if isinstance(model.evaluation, SlicedEvaluation)
    ]


def slices_of(content: Content) -> list[Markup]:
    """For every attribute a table of its slices, and what is said of them all."""
    models = sliced_models(content)
    attributes = models[0][2].slices
    told: list[Markup] = []
    for attribute in attributes:
        told.append(element("h3", "By ", name(attribute)))
        if attributes[attribute]:
            told.append(scrolled(_table(content, attribute), f"Slices by {attribute}"))
        told += [element("p", line) for line in _sentences(content, attribute)]
    return told


def introduction(content: Content) -> str:
    """What the tables hold."""
    declared, weighted = registry[content.main_metric], content.predictions.weights is not None
    by = "the weight of their cases" if weighted else "their cases"
    return (
        f"{declared.title} in each slice with its {level_text(content.level)} interval, the worst "
        f"slice of {content.leading.name} first. The difference is that from the rest, the mean of "
        f"the other slices weighted by {by}; p is Holm's over the slices of an attribute."
    )


def _table(content: Content, attribute: str) -> Markup:
    """A row per slice and model, so that no column is out of view however many models there are."""
    models = sliced_models(content)
    several = len(models) > 1
    sign = symbol(registry[content.main_metric].symbol)
    titles: list[Any] = ["Slice", right("Cases"), *(["Model"] if several else []), right(sign)]
    cases = models[0][2].cases[attribute]
    rows = [
        element(
            "tr",
            element("th", name(str(each)), scope="row"),
            element("td", f"{cases[each]:,}", class_="number", data_label="Cases"),
            element("td", key(k), name(model.name), class_="models") if several else None,
            *_cells(content, evaluation, attribute, each),
        )
        for each in _order(content, attribute)[:MOST_SLICES]
        for k, model, evaluation in models
    ]
    titles += [right("Difference"), right("p")]
    return element("table", head(*titles), element("tbody", *rows), class_="stacked")


def _order(content: Content, attribute: str) -> list[Any]:
    """The slices, the worst of the leading model first."""
    leading = content.leading.evaluation
    assert isinstance(leading, SlicedEvaluation)
    return [
        each.slice
        for each in leading.differences
        if (each.attribute, each.metric) == (attribute, content.main_metric)
    ]


def _cells(
    content: Content, evaluation: SlicedEvaluation, attribute: str, each: Any
) -> list[Markup]:
    metric = content.main_metric
    estimate = evaluation.slices[attribute][each][metric]
    apart = next(
        d
        for d in evaluation.differences
        if d.attribute == attribute and d.slice == each and d.metric == metric
    )
    low, high, *_ = estimate.interval(content.level)
    interval = "no interval" if math.isnan(low) else limits(low, high)
    shown = number(estimate.value, interval_digits(low, high))
    sign = registry[metric].symbol
    value = element("td", shown, element("small", interval), class_="number", data_label=sign)
    difference = "–"
    if not math.isnan(apart.difference):
        difference = signed(apart.difference, digits_for(apart.difference))
    return [
        value,
        element("td", difference, class_="number", data_label="Difference"),
        element("td", p_number(apart.p_adjusted, content.alpha), class_="number", data_label="p"),
    ]


def _sentences(content: Content, attribute: str) -> list[str]:
    """Whether slices are alike, how many are not shown, which have few cases or are withheld."""
    lines = []
    for _, model, evaluation in sliced_models(content):
        for test in evaluation.alike:
            if (test.attribute, test.metric) == (attribute, content.main_metric):
                of = f" of {model.name}" if len(content.models) > 1 else ""
                lines.append(_judged(content, test, evaluation, of))
    first = sliced_models(content)[0][2]
    hidden = len(first.slices[attribute]) - MOST_SLICES
    if hidden > 0:
        lines.append(f"The {MOST_SLICES} worst of {hidden + MOST_SLICES} slices are shown.")
    lines += _few_cases(content, first, attribute)
    thin = [each for each in first.thin if each.attribute == attribute]
    for each in thin:
        counts = ", ".join(f"{label} {count}" for label, count in each.counts.items())
        lines.append(f"{each.slice} is withheld, it has {each.reason} (cases per class: {counts}).")
    return lines


_FEW = ("small-class", "small-class-in-fold", "few-groups")
"""Codes of notes on numbers of cases, which are the same for all models."""


def _few_cases(content: Content, evaluation: SlicedEvaluation, attribute: str) -> list[str]:
    """Slices in the table whose intervals rest on few cases."""
    lines = []
    for each in _order(content, attribute)[:MOST_SLICES]:
        estimate = evaluation.slices[attribute][each][content.main_metric]
        told = [note.text for note in estimate.notes if note.code in _FEW]
        lines += [f"{each}: {'; '.join(told)}."] if told else []
    return lines


def _judged(content: Content, test: SliceTest, evaluation: SlicedEvaluation, of: str) -> str:
    """Whether slices can be told apart, by the p-value adjusted over attributes."""
    of = f"{registry[test.metric].symbol}{of}"
    if math.isnan(test.p_value):
        _, _, reason = test.note.partition(": ")
        return f"There is no test of the slices in {of}: {reason}."
    n_slices = len(evaluation.slices[test.attribute])
    which = f"The {n_slices} slices"
    if test.slices < n_slices:
        which = f"{test.slices} of {n_slices} slices, those with a standard error,"
    tests = [t for t in evaluation.alike if t.metric == test.metric and not math.isnan(t.p_value)]
    holm = f" after Holm's adjustment over {len(tests)} attributes" if len(tests) > 1 else ""
    found = "differ" if content.rejects(test.p_adjusted) else "cannot be told apart"
    return f"{which} {found} ({p_value(test.p_adjusted, content.alpha)}{holm}) in {of}."
