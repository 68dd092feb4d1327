"""Sections of the page, in the order in which they are read."""

import math
from dataclasses import replace

import numpy as np

from polyroc.metrics import registry
from polyroc.report._calibration import (
    benefit_figures,
    calibration_figures,
    calibration_table,
    usable,
)
from polyroc.report._content import MOST_CURVES, Content
from polyroc.report._explanations import EXPLANATIONS
from polyroc.report._figures import line_key, roc_panel
from polyroc.report._finding import Finding
from polyroc.report._grouping import ABOVE_THE_FOLD, Group, grouped
from polyroc.report._markup import Markup, element, joined
from polyroc.report._methods import methods
from polyroc.report._ranking import chance_text, models_table
from polyroc.report._slices import introduction, sliced_models, slices_of
from polyroc.report._tables import (
    MOST_CLASSES,
    MOST_LISTED,
    classes_table,
    differences_table,
    head,
    key,
    metrics_table,
    name,
    pairs_table,
    right,
    scrolled,
    symbol,
    worst_pairs_table,
)
from polyroc.report._verdict import verdict
from polyroc.report._wording import counted, level_text, number, spoken
from polyroc.results import Estimate

SEVERITY_WORDS = {"warning": "Warning", "notice": "Note", "fact": "Fact"}


def section(anchor: str, title: str, *children: object) -> Markup:
    """A section with a heading that names it."""
    heading = element("h2", title, id=f"{anchor}-title")
    return element("section", heading, *children, id=anchor, aria_labelledby=f"{anchor}-title")


def paragraph(*text: object, class_: str | None = None) -> Markup:
    return element("p", *text, class_=class_)


def summary(content: Content, found: list[Finding]) -> Markup:
    """The answer, the models, the classes, and what was found."""
    groups = grouped(content, found)
    first, rest = groups[:ABOVE_THE_FOLD], groups[ABOVE_THE_FOLD:]
    named = replace(content, classes=tuple(spoken(label) for label in content.classes))
    classes = scrolled(classes_table(content), "Classes")
    return section(
        "summary",
        "Summary",
        element("p", isolated(content, verdict(named)), class_="verdict"),
        element(
            "div",
            element("div", models_table(content)),
            element("div", classes),
            class_="beside",
        ),
        paragraph(isolated(content, chance_text(named)), class_="muted"),
        element("ul", *(_card(content, each) for each in first), class_="findings"),
        element(
            "details",
            element("summary", f"{counted(len(rest), 'more finding')}"),
            element("ul", *(_card(content, each) for each in rest), class_="findings"),
        )
        if rest
        else None,
    )


def _card(content: Content, group: Group) -> Markup:
    kind = element("span", SEVERITY_WORDS[group.severity], class_="kind")
    about = element("span", f" about {group.title}", class_="hidden")
    link = element("a", "What this means", about, href=f"#about-{group.code}")
    if len(group.members) == 1:
        body = paragraph(isolated(content, group.members[0].text), " ", link)
    else:
        each = [
            element("li", isolated(content, f"{member.title}. {member.text}"))
            for member in group.members
        ]
        folded = element("details", element("summary", "Model by model"), element("ul", *each))
        body = joined(paragraph(link), folded)
    return element(
        "li",
        element("h3", kind, " ", isolated(content, group.title)),
        body,
        class_=f"finding {group.severity}",
        data_code=group.code,
    )


def isolated(content: Content, text: str) -> str:
    """Text in which names of other scripts do not turn the words around them."""
    names = {*content.classes, *(model.name for model in content.models)}
    for each in sorted(names, key=len, reverse=True):
        if each.strip() and not each.isascii():
            text = text.replace(each, f"\u2068{each}\u2069")
    return text


def _grouped(content: Content) -> str:
    """What intervals and tests are computed over, where cases belong together."""
    if content.groups is None:
        return ""
    return f" Computed over {counted(content.n_groups, 'group')} of cases."


def metrics(content: Content) -> Markup:
    """Values and intervals."""
    return section(
        "metrics",
        "Metrics",
        paragraph(
            f"Every metric with its {level_text(content.level)} interval, Wilson's from influence "
            "values. A dotted line marks the value of guessing"
            f"{'; the best value is bold' if len(content.models) > 1 else ''}.{_grouped(content)}"
        ),
        metrics_table(content),
    )


def slices(content: Content) -> Markup | None:
    """The main metric in the slices of attributes."""
    if not sliced_models(content):
        return None
    told = paragraph(isolated(content, introduction(content)), _grouped(content))
    return section("slices", "For whom does it work?", told, *slices_of(content))


def pairs(content: Content) -> Markup:
    """Pairwise AUC of each model."""
    small = len(content.classes) <= MOST_CLASSES
    n_pairs = len(content.classes) * (len(content.classes) - 1) // 2
    table = pairs_table if small else worst_pairs_table
    told = (
        "Row: the class whose scores are used. Column: the class it is compared with. The two "
        "halves use different scores, so they differ. The stronger the colour, the harder to "
        "tell apart; 0.5 is guessing."
        if small
        else f"The {min(MOST_LISTED, n_pairs)} pairs of classes, of {n_pairs:,}, that are hardest "
        "to tell apart, by the mean over the scores of either class."
    )
    told += f" Below each AUC stands its {level_text(content.level)} interval."
    figures = [
        element("figure", element("figcaption", key(k), name(model.name)), table(content, model))
        for k, model in enumerate(content.models)
    ]
    return section(
        "pairs", "Pairs of classes", paragraph(told), element("div", *figures, class_="figures")
    )


def curves(content: Content) -> Markup:
    """A panel per class, with a curve per model."""
    areas = np.array([model.rest for model in content.models])
    order = np.argsort(np.where(np.isnan(areas), 2, areas).mean(axis=0), kind="stable").tolist()
    drawn = [k for k in range(len(content.classes)) if k in content.models[0].curves]
    if len(drawn) > MOST_CURVES:
        drawn = order[:MOST_CURVES]
    told = "Each class against all others together, by its own scores."
    if len(content.classes) == 2:
        told = "The second class against the first, by the scores of the second."
    elif len(drawn) < len(content.classes):
        mean = " (mean of the models)" if len(content.models) > 1 else ""
        told += f" Of {len(content.classes)} classes the {len(drawn)} with the least area{mean}."
    return section(
        "curves",
        "ROC curves",
        paragraph(told),
        element("div", *(_class_panel(content, k) for k in drawn), class_="panels"),
    )


def _class_panel(content: Content, k: int) -> Markup:
    lines = [(m, model.curves[k]) for m, model in enumerate(content.models)]
    legend = element(
        "ul",
        *(
            element(
                "li",
                line_key(m),
                name(content.models[m].name),
                element("span", number(curve.area), class_="number"),
            )
            for m, curve in lines
        ),
        class_="legend",
    )
    caption = element("figcaption", name(content.classes[k]))
    label = f"ROC curves of {content.classes[k]} against the rest"
    return element("figure", caption, roc_panel(lines, label), legend)


def calibration(content: Content) -> Markup | None:
    """Whether probabilities can be trusted."""
    if not usable(content):
        return None
    told = (
        "Decisions by costs take probabilities at their word. A curve below the diagonal says that "
        "what is predicted with some probability is less frequent than that. The calibration error "
        "of the most probable class has its bias removed; beside it stands what calibrated "
        "probabilities would have, and the test against that. Errors promised are what the "
        "probabilities say of the most probable class."
    )
    return section(
        "calibration",
        "Can the probabilities be trusted?",
        paragraph(told, _grouped(content)),
        calibration_table(content),
        calibration_figures(content),
    )


def benefit(content: Content) -> Markup | None:
    """Whether decisions by the probabilities are of use."""
    if not usable(content):
        return None
    told = (
        "Net benefit of acting on a class where its probability reaches the threshold: the share "
        "of true positives less the share of false positives times threshold/(1 − threshold) "
        "(Vickers & Elkin 2006). Dotted: acting on all cases, and on none. The legend has the "
        "longest range of thresholds at which a model is above both."
    )
    if len(content.classes) > MOST_CURVES:
        told += f" Shown are the {MOST_CURVES} most frequent classes."
    return section("benefit", "Are decisions of use?", paragraph(told), benefit_figures(content))


def compared(content: Content) -> Markup | None:
    """Differences between models."""
    if content.comparison is None:
        return None
    rows = content.comparison.differences
    main = [row for row in rows if row.metric == content.main_metric]
    others = [row for row in rows if row.metric != content.main_metric]
    n_others = len({row.metric for row in others})
    return section(
        "compared",
        "Models compared",
        paragraph(
            "Differences on the same cases: paired tests use how the models differ case by case, "
            "so they can find differences where intervals overlap. Holm's adjustment is over the "
            f"pairs of models within a metric.{_grouped(content)}"
        ),
        differences_table(content, main),
        element(
            "details",
            element(
                "summary",
                f"The other {counted(n_others, 'metric')} ({counted(len(others), 'row')})",
            ),
            differences_table(content, others),
        )
        if others
        else None,
    )


def _limits(estimate: Estimate) -> str:
    low, high, *_ = estimate.interval()
    return "–" if math.isnan(low) else f"{low:.3f} to {high:.3f}"


def surfaces(content: Content) -> Markup | None:
    """G of each model."""
    if not content.surfaces:
        return None
    some = next(iter(content.surfaces.values()))
    n_rates = len(content.classes) * (len(content.classes) - 1)
    rows = [
        element(
            "tr",
            element("th", name(model), scope="row"),
            element("td", f"{surface.gini.value:.3f}", class_="number"),
            element("td", _limits(surface.gini), class_="number"),
            element("td", f"{surface.n_found:,}", class_="number"),
        )
        for model, surface in content.surfaces.items()
    ]
    titles = head("Model", right("G"), right("95 % interval"), right("operating points"))
    told = (
        f"All costs together give a surface of operating points in the space of the {n_rates} "
        "error rates: none of its points can lower one rate without raising another (Everson & "
        "Fieldsend 2006). G is the share of the region better than guessing that the surface "
        "dominates, 1 for a perfect classifier. The points come from a short search on "
        f"{some.n_searched:,} cases, the same for every model. A longer one, by "
        "polyroc.surface.search, may find more: G, measured at "
        f"{some.n_samples:,} random points, is a lower bound for these cases. The interval is for "
        "the same operating points on other cases; that they were found on these makes G "
        "optimistic, most of all with few cases."
    )
    table = element("table", titles, element("tbody", *rows))
    return section(
        "surface", "The ROC surface", paragraph(told), scrolled(table, "G of each model")
    )


def reading(content: Content, found: list[Finding]) -> Markup:
    """Explanations that the summary and the tables link to."""
    codes = dict.fromkeys(finding.code for finding in found)
    titles = {finding.code: finding.code.replace("-", " ").capitalize() for finding in found}
    notes = [
        joined(element("dt", titles[code], id=f"about-{code}"), element("dd", EXPLANATIONS[code]))
        for code in codes
    ]
    metrics_shown = [registry[each] for each in content.models[0].evaluation]
    terms = [
        joined(
            element("dt", symbol(each.symbol), f" – {each.title}", id=f"metric-{each.name}"),
            element("dd", each.summary, " ", element("cite", each.reference), "."),
        )
        for each in metrics_shown
    ]
    return section(
        "reading",
        "How to read this page",
        element("h3", "Methods"),
        element("p", isolated(content, methods(content)), id="methods"),
        element("h3", "Findings"),
        element("dl", *notes),
        element("h3", "Metrics"),
        element("dl", *terms),
    )
