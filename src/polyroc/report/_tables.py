"""Tables of the page: metrics with intervals, pairs of classes, differences between models."""

import math
from collections.abc import Sequence

import numpy as np

from polyroc._base.tables import cell
from polyroc.inference._comparison import Difference
from polyroc.metrics import registry
from polyroc.report._content import Content, ModelContent
from polyroc.report._figures import N_COLOURS, strip, strip_axis
from polyroc.report._markup import Markup, element, joined
from polyroc.report._wording import level_text, limits, number, share
from polyroc.results import Estimate

MOST_CLASSES = 12
"""Tables with a row and a column per class stop here; beyond, the worst pairs are listed."""
WIDE_CELLS = 6
"""Of more classes the cells of such a table stand close together."""
MOST_LISTED = 20
MOST_COLUMNS = 6
"""Models whose values stand beside each other on paper."""
MOST_DRAWN = 200
"""Differences that are drawn; beyond, the page has only their numbers."""
HEAT_STEPS = 10


def name(text: str) -> Markup:
    """A name given by the user, which cannot reverse the direction of the text around it."""
    return element("bdi", text if text.strip() else "(empty)")


def key(k: int) -> Markup:
    """The colour of a model."""
    return element("span", class_=f"key model-{k % N_COLOURS}", aria_hidden="true")


def head(*titles: object) -> Markup:
    """A row of column headings."""
    cells = (
        element("th", title, scope="col", class_="number" if isinstance(title, _Right) else None)
        for title in titles
    )
    return element("thead", element("tr", *cells))


class _Right(Markup):
    """A heading over a column of numbers."""

    __slots__ = ()


def right(*title: object) -> Markup:
    """A heading over a column of numbers."""
    return _Right(joined(*title))


def symbol(text: str) -> Markup:
    """The symbol of a metric, what follows a bar set low.

    Examples
    --------
    >>> symbol("AUC_μ")
    'AUC<sub>μ</sub>'
    """
    main, bar, low = text.partition("_")
    return joined(main, element("sub", low) if bar else None)


def scrolled(table: Markup, label: str) -> Markup:
    """A table that scrolls by itself where it is too wide, also by keys."""
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)


def metrics_table(content: Content) -> Markup:
    """A row per metric: intervals of all models on one scale, and their values."""
    titles = ["Metric", strip_axis()]
    titles += [right(key(k), name(model.name)) for k, model in enumerate(content.models)]
    rows = [_metric_row(content, metric) for metric in content.models[0].evaluation]
    kind = "metrics" if len(content.models) <= MOST_COLUMNS else "metrics many"
    table = element("table", head(*titles), element("tbody", *rows), class_=kind)
    return scrolled(table, "Metrics with intervals")


def _metric_row(content: Content, metric: str) -> Markup:
    declared = registry[metric]
    estimates = [model.evaluation[metric] for model in content.models]
    values = [each.value for each in estimates]
    best = declared.best(values) if len(values) > 1 else math.nan
    chance = declared.chance(len(content.classes)) if declared.chance else None
    intervals = [(each.value, *each.interval(content.level)[:2]) for each in estimates]
    title = element(
        "th",
        element("a", symbol(declared.symbol), href=f"#metric-{metric}"),
        element("small", declared.title, "" if declared.sign > 0 else "; lower is better"),
        scope="row",
    )
    figure = element("td", strip(intervals, chance, label=f"{declared.symbol} of the models"))
    cells = [
        _value_cell(estimate, model.name, content.level, estimate.value == best)
        for estimate, model in zip(estimates, content.models, strict=True)
    ]
    return element("tr", title, figure, *cells)


def _value_cell(estimate: Estimate, model: str, level: float, best: bool) -> Markup:
    if math.isnan(estimate.value):
        reason = element("small", estimate.note or "not defined", class_="reason")
        return element("td", "–", reason, data_label=model, class_="number")
    low, high, *_ = estimate.interval(level)
    value = element("strong" if best else "span", number(estimate.value))
    interval = "no interval" if math.isnan(low) else limits(low, high)
    return element("td", value, element("small", interval), data_label=model, class_="number")


def pairs_table(content: Content, model: ModelContent) -> Markup:
    """AUC(k|r), row = positive class."""
    titles = [element("span", "scores of ↓ against →", class_="corner")]
    titles += [right(name(label)) for label in content.classes]
    rows = [
        element(
            "tr",
            element("th", name(label), scope="row"),
            *(_pair_cell(model, k, r) for r in range(len(content.classes))),
        )
        for k, label in enumerate(content.classes)
    ]
    kind = "matrix" if len(content.classes) <= WIDE_CELLS else "matrix dense"
    table = element("table", head(*titles), element("tbody", *rows), class_=kind)
    return scrolled(table, f"Pairwise AUC of {model.name}")


def _pair_cell(model: ModelContent, k: int, r: int) -> Markup:
    value, (low, high) = float(model.pairs[k, r]), model.pair_limits[:, k, r].tolist()
    if math.isnan(value):
        return element("td", "", class_="diagonal")
    step = round(min(1.0, max(0.0, 2 * (1 - value))) * HEAT_STEPS)
    interval = "no interval" if math.isnan(low) else limits(low, high)
    shown = element("span", number(value)), element("small", interval)
    return element("td", *shown, class_=f"heat-{step}")


def worst_pairs_table(content: Content, model: ModelContent) -> Markup:
    """The pairs with the lowest mean of both orientations."""
    both = (model.pairs + model.pairs.T) / 2
    first, second = np.triu_indices(len(content.classes), 1)
    order = np.argsort(both[first, second], kind="stable")[:MOST_LISTED]
    rows = [
        element(
            "tr",
            element("td", name(content.classes[first[i]])),
            element("td", name(content.classes[second[i]])),
            _pair_cell(model, int(first[i]), int(second[i])),
            _pair_cell(model, int(second[i]), int(first[i])),
        )
        for i in order
    ]
    titles = head("Class A", "Class B", right("scores of A"), right("scores of B"))
    table = element("table", titles, element("tbody", *rows), class_="matrix")
    return scrolled(table, f"Hardest pairs of {model.name}")


def differences_table(content: Content, rows: Sequence[Difference]) -> Markup:
    """Differences with intervals and tests; the intervals drawn on one scale where rows are few."""
    level = content.level
    reach = _reach([each for row in rows for each in row.interval(level)[:2]])
    drawn = len(rows) <= MOST_DRAWN
    titles = ["Metric", "Models"]
    titles += [strip_axis((-reach, reach), signed=True)] if drawn else []
    titles += [
        right(each) for each in ("Difference", f"{level_text(level)} interval", "p", "p (Holm)")
    ]
    body = [_difference_row(row, reach if drawn else None, level) for row in rows]
    table = element("table", head(*titles), element("tbody", *body), class_="differences")
    return scrolled(table, "Differences between models")


def _reach(ends: list[float]) -> float:
    """A round number that no limit exceeds."""
    largest = max((abs(each) for each in ends if not math.isnan(each)), default=0.0)
    if largest == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= largest)


def _difference_row(row: Difference, reach: float | None, level: float) -> Markup:
    low, high, *_ = row.interval(level)
    interval = "–" if math.isnan(low) else f"{low:+.3f} to {high:+.3f}".replace("-", "−")
    change = "–" if math.isnan(row.difference) else f"{row.difference:+.4f}".replace("-", "−")
    figure = None
    if reach is not None:
        drawn = strip([(row.difference, low, high)], 0.0, (-reach, reach), f"interval: {interval}")
        figure = element("td", drawn, class_="figure")
    return element(
        "tr",
        element("th", symbol(registry[row.metric].symbol), scope="row"),
        element("td", name(row.model_a), " − ", name(row.model_b), class_="models"),
        figure,
        element("td", change, class_="number", data_label="difference"),
        element("td", interval, class_="number", data_label="interval"),
        element("td", cell(row.p_value), class_="number", data_label="p"),
        element(
            "td",
            element("strong" if row.p_adjusted < 0.05 else "span", cell(row.p_adjusted)),
            class_="number",
            data_label="p (Holm)",
        ),
        title=row.note or None,
    )


def classes_table(content: Content) -> Markup:
    """Cases of each class."""
    predictions = content.predictions
    order = np.argsort(predictions.class_counts, kind="stable")
    shown = (
        range(len(content.classes)) if len(content.classes) <= MOST_LISTED else order[:MOST_LISTED]
    )
    rows = [
        element(
            "tr",
            element("th", name(content.classes[k]), scope="row"),
            element("td", f"{predictions.class_counts[k]:,}", class_="number"),
            element("td", share(predictions.priors[k], 1), class_="number"),
        )
        for k in shown
    ]
    title = "Class" if len(rows) == len(content.classes) else f"Class ({len(rows)} smallest)"
    by = "Share" if predictions.weights is None else "Share by weight"
    return element(
        "table",
        head(title, right("Cases"), right(by)),
        element("tbody", *rows),
        class_="classes",
    )
