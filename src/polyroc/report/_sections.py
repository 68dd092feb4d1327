"""Sections of the page, in the order in which they are read."""

import math
import re
from dataclasses import replace

import numpy as np

from polyroc._base.wording import plural
from polyroc.metrics import registry
from polyroc.report._calibration import (
    banded,
    benefit_figures,
    calibration_figures,
    calibration_table,
    hides_everyone,
    usable,
)
from polyroc.report._content import Content
from polyroc.report._curves import MOST_CURVES
from polyroc.report._explanations import explanation
from polyroc.report._finding import Finding
from polyroc.report._grouping import Group, above_the_fold, grouped
from polyroc.report._markup import Markup, element, joined
from polyroc.report._methods import methods
from polyroc.report._on_models import why_no_interval
from polyroc.report._pair_data import searched
from polyroc.report._ranking import chance_text, models_table
from polyroc.report._references import cited
from polyroc.report._roc_section import roc_figure, told_first, told_of_legend
from polyroc.report._since import changes, since_table, since_text
from polyroc.report._slices import introduction, sliced_models, slices_of
from polyroc.report._surfaces import PageSurface
from polyroc.report._tables import (
    MOST_CLASSES,
    MOST_LISTED,
    MOST_ROWS,
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
    titled,
    whole,
    worst_pairs_table,
)
from polyroc.report._verdict import verdict
from polyroc.report._wording import interval_digits, level_text, limits, number, spoken
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
    named = replace(content, classes=tuple(spoken(label) for label in content.classes))
    tall = len(content.classes) > MOST_ROWS
    classes = scrolled(classes_table(content), "Classes", tall=tall)
    part = f"{MOST_LISTED} of " if len(content.classes) > MOST_LISTED else ""
    told = f"{part}{plural(len(content.classes), 'class')}; scroll for more rows."
    scrolls = paragraph(told, class_="scrolls") if tall else None
    return section(
        "summary",
        "Summary",
        element("p", isolated(content, verdict(named)), class_="verdict"),
        element(
            "div",
            element(
                "div",
                models_table(content),
                paragraph(isolated(content, chance_text(named)), class_="muted"),
                *_cards(content, found),
            ),
            element("div", classes, scrolls),
            class_="beside",
        ),
    )


def _cards(content: Content, found: list[Finding]) -> list[Markup]:
    """What was found, most of it in view."""
    shown, others = above_the_fold(grouped(content, found))
    first, rest = (
        element("ul", *(_card(content, each) for each in part), class_="findings")
        for part in (shown, others)
    )
    more = element("summary", plural(len(others), "more finding"))
    return [first, element("details", more, rest)] if others else [first]


def _card(content: Content, group: Group) -> Markup:
    kind = element("span", SEVERITY_WORDS[group.severity], class_="kind")
    about = element("span", f" about {group.title}", class_="hidden")
    link = element("a", "What this means", about, href=f"#about-{group.code}")
    if len(group.members) == 1:
        body = paragraph(with_symbols(content, group.members[0].text), " ", link)
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


def with_symbols(content: Content, text: str) -> Markup:
    """Text in which symbols of metrics look as in tables, unless a name looks like one."""
    low = [each.symbol for each in registry.values() if "_" in each.symbol]
    names = {*content.classes, *(model.name for model in content.models)}
    found = "|".join(map(re.escape, low))
    if not low or any(re.search(found, each) for each in names):
        return joined(isolated(content, text))
    parts = re.split(f"({found})", isolated(content, text))
    return joined(symbol(part) if part in low else part for part in parts)


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
    return f" Computed over {plural(content.n_groups, 'group')} of cases."


def metrics(content: Content) -> Markup:
    """Values and intervals; screens that do not draw intervals do not explain the drawing."""
    bold = " The best value is bold." if len(content.models) > 1 else ""
    dotted = (
        "Each metric has its own axis. A dotted line marks the value of guessing, where the axis "
        "reaches it."
    )
    return section(
        "metrics",
        "Metrics",
        paragraph(
            f"Every metric with its {level_text(content.level)} Wilson interval, computed from "
            f"influence values.{bold} ",
            element("span", dotted, class_="drawn"),
            _grouped(content),
        ),
        metrics_table(content),
    )


def since(content: Content) -> Markup | None:
    """What has changed since an earlier report."""
    if content.earlier is None:
        return None
    rows = changes(content, content.earlier)
    main = [row for row in rows if row.metric == content.main_metric]
    others = [row for row in rows if row.metric != content.main_metric]
    folded = element(
        "summary", f"The other {plural(len({row.metric for row in others}), 'metric')}"
    )
    return section(
        "since",
        "Since the earlier report",
        paragraph(isolated(content, since_text(content, content.earlier))),
        since_table(content, main) if main else None,
        element("details", folded, since_table(content, others)) if others else None,
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
    unlike = any(
        not np.allclose(each.pairs, each.pairs.T, equal_nan=True) for each in content.models
    )
    halves = " The two halves use different scores, so they differ." if unlike else ""
    told = (
        "Row: the class whose scores are used. Column: the class it is compared with."
        f"{halves} The stronger the colour, the harder to tell apart; 0.5 is guessing."
        if small
        else f"The {min(MOST_LISTED, n_pairs)} pairs of classes, of {n_pairs:,}, that are hardest "
        "to tell apart, by the mean over the scores of either class."
    )
    told += f" Below each AUC is its {level_text(content.level)} interval."
    search = (
        f"A search for a class shows its {searched(len(content.classes))} hardest pairs, and "
        "those that are among the hardest of the other class."
    )
    hint = None if small else element("span", search, class_="hint")
    figures = [
        element("figure", element("figcaption", key(k), name(model.name)), table(content, model))
        for k, model in enumerate(content.models)
    ]
    return section(
        "pairs",
        "Pairs of classes",
        paragraph(told, " ", hint),
        element("div", *figures, class_="figures"),
    )


def curves(content: Content) -> Markup:
    """A panel per class, with a curve per model."""
    return section(
        "curves",
        "ROC curves",
        paragraph(told_first(content)),
        told_of_legend(content),
        element("div", *(roc_figure(content, k) for k in content.panels), class_="panels"),
    )


def calibration(content: Content) -> Markup | None:
    """Whether probabilities can be trusted."""
    if not usable(content):
        return None
    told = (
        "Decisions by costs take probabilities at face value. A curve below the diagonal means "
        "that the class is less frequent than predicted. The calibration error "
        "of the most probable class has its bias removed; next to it are the error that "
        "calibrated probabilities would have, and the test against it. Errors expected are those "
        "that the probabilities of the most probable class predict."
    )
    if banded(content):
        told += f" Bands are {level_text(content.level)} intervals of the share in each bin."
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
        "of true positives minus the share of false positives times "
        "threshold/(1\u00a0−\u00a0threshold) (Vickers & Elkin 2006). Dotted and grey: acting on "
        "all cases, and on none. The legend has the longest range, among thresholds from 0.02 to "
        "0.98, in which a model is above both."
    )
    if hides_everyone(content):
        told += " For rare classes, acting on all cases lies below the panel throughout."
    if len(content.classes) > MOST_CURVES:
        told += f" Shown are the {MOST_CURVES} most frequent classes."
    return section(
        "benefit", "Are the decisions useful?", paragraph(told), benefit_figures(content)
    )


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
        differences_table(content, main, "Differences between models"),
        element(
            "details",
            element(
                "summary",
                f"The other {plural(n_others, 'metric')} ({plural(len(others), 'row')})",
            ),
            differences_table(content, others, "Differences in the other metrics"),
        )
        if others
        else None,
    )


def _limits(estimate: Estimate, level: float) -> Markup:
    """The interval of G, or why there is none: the search knows classes by their places only."""
    low, high, *_ = estimate.interval(level)
    if not math.isnan(low):
        return whole(limits(low, high))
    known = [note.code for note in estimate.notes]
    reason = why_no_interval(estimate)
    if "one-case" in known:
        reason = "No interval: a class has one case"
    elif "samples-agree" in known:
        points = "all random points are" if estimate.value > 0.5 else "no random point is"
        reason = f"No interval: {points} dominated; {reason.partition('; ')[2]}"
    return joined("–", element("small", reason, class_="reason"))


def _surface_values(surface: PageSurface, level: float) -> dict[str, object]:
    low, high, *_ = surface.gini.interval(level)
    return {
        "G": number(surface.gini.value, interval_digits(low, high)),
        "Interval": _limits(surface.gini, level),
        "Operating points": f"{surface.n_found:,}",
    }


def _told_of_surfaces(content: Content, kind: str) -> str:
    some = next(iter(content.surfaces.values()))
    n_rates = len(content.classes) * (len(content.classes) - 1)
    same = ", the same for every model" if len(content.surfaces) > 1 else ""
    return (
        f"All costs together give a {kind} of operating points in the space of the {n_rates} "
        "error rates: none of its points can lower one rate without raising another (Everson & "
        f"Fieldsend 2006). G is the share of the region better than guessing that the {kind} "
        "dominates, 1 for a perfect classifier. The points come from a short search on "
        f"{some.n_searched:,} cases{same}. A longer one, by "
        "polyroc.surface.search, may find more: G, measured at "
        f"{some.n_samples:,} random points, is a lower bound for these cases. The interval is for "
        "the same operating points on other cases; that they were found on these makes G "
        "optimistic, most of all with few cases."
    )


def surfaces(content: Content) -> Markup | None:
    """G of each model."""
    if not content.surfaces:
        return None
    kind = "surface" if len(content.classes) > 2 else "curve"
    places = {model.name: k for k, model in enumerate(content.models)}
    rows = [
        element(
            "tr",
            element("th", key(places[model]), name(model), scope="row"),
            *(
                element("td", value, class_="number", data_label=title)
                for title, value in _surface_values(surface, content.level).items()
            ),
        )
        for model, surface in content.surfaces.items()
    ]
    interval = right(f"{level_text(content.level)} interval")
    titles = head("Model", right("G"), interval, right("Operating points"))
    table = element("table", titles, element("tbody", *rows), class_="surfaces stacked")
    return section(
        "surface",
        "The ROC surface" if kind == "surface" else "The ROC curve of all costs",
        paragraph(_told_of_surfaces(content, kind)),
        scrolled(table, "G of each model"),
    )


def published(reference: str) -> str:
    """What readers of the page can look up; lecture slides are known to the documentation only.

    Examples
    --------
    >>> published("multi-class AUC slides; Ferri et al. 2009"), published("Kleiman & Page 2019")
    ('Ferri et al. 2009', 'Kleiman & Page 2019')
    """
    parts = reference.split("; ")
    return "; ".join(each for each in parts if "slides" not in each) or reference


def reading(content: Content, found: list[Finding]) -> Markup:
    """Explanations that the summary and the tables link to."""
    codes = dict.fromkeys(finding.code for finding in found)
    metrics_shown = [registry[each] for each in content.models[0].evaluation]
    symbols = [each.symbol for each in metrics_shown]
    titles = {finding.code: finding.code.replace("-", " ").capitalize() for finding in found}
    notes = [
        joined(
            element("dt", titles[code], id=f"about-{code}"),
            element("dd", with_symbols(content, explanation(code, symbols, content.alpha))),
        )
        for code in codes
    ]
    terms = [
        joined(
            element("dt", symbol(each.symbol), " – ", titled(each), id=f"metric-{each.name}"),
            element(
                "dd",
                with_symbols(content, each.summary),
                " ",
                element("cite", published(each.reference)),
                ".",
            ),
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
        element("h3", "References"),
        _papers(content, [each.reference for each in metrics_shown]),
    )


def _papers(content: Content, named: list[str]) -> Markup:
    """The papers of these metrics, and those that the sections on decisions name."""
    of_sections = [
        *(["Vickers & Elkin 2006"] if usable(content) else []),
        *(["Everson & Fieldsend 2006"] if content.surfaces else []),
    ]
    papers = [
        element("li", element("strong", short), ": ", with_symbols(content, full), ".")
        for short, full in cited([*named, *of_sections])
    ]
    return element("ul", *papers, class_="references")
