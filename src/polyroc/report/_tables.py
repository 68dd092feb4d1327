"""Tables of the page: metrics with intervals, pairs of classes, differences between models."""

import math
from collections.abc import Sequence

import numpy as np

from polyroc.inference._comparison import Difference
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric
from polyroc.report._content import Content, ModelContent
from polyroc.report._figures import N_COLOURS, own_axis_cell, strip, strip_axis, strip_cell
from polyroc.report._markup import Markup, element, joined
from polyroc.report._scales import Axis, differences_axis, rounded_axis
from polyroc.report._wording import (
    difference_digits,
    interval_digits,
    level_text,
    limits,
    number,
    p_number,
    share,
    signed,
)
from polyroc.results import Estimate

MOST_CLASSES = 12
"""Tables with a row and a column per class stop here; beyond, the worst pairs are listed."""
WIDE_CELLS = 6
"""Of more classes the cells of such a table stand close together."""
MOST_LISTED = 20
MOST_ROWS = 10
"""Of more classes the table of their sizes scrolls, so that what was found comes soon."""
FEW_COLUMNS = 4
"""Models whose values and intervals stand beside each other on screens of middle size."""
MOST_COLUMNS = 4
"""Models whose values stand beside each other on paper."""
MOST_DRAWN = 200
"""Differences that are drawn; beyond, the page has only their numbers."""
LONG_NAME = 24
"""Characters beyond which a name does not set the width of its column."""
HEAT_STEPS = 10
OF_A, OF_B = "scores of A", "scores of B"


def name(text: str) -> Markup:
    """A name given by the user, which cannot reverse the direction of the text around it.

    One that is long may break anywhere, so that it leaves room for numbers beside it.
    """
    long = "long-name" if len(text) > LONG_NAME else None
    return element("bdi", text if text.strip() else "(empty)", class_=long)


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


def titled(declared: Metric) -> Markup:
    """The title of a metric, in which its symbol is set as everywhere."""
    before, found, after = declared.title.partition(declared.symbol)
    return joined(before, symbol(found), after)


def whole(text: str) -> Markup:
    """Text that no line breaks, also where cells wrap."""
    return element("span", text, class_="whole")


def scrolled(table: Markup, label: str, tall: bool = False) -> Markup:
    """A table that scrolls by itself where it is too wide, or too tall, also by keys."""
    kind = "scroll tall" if tall else "scroll"
    return element("div", table, class_=kind, tabindex="0", role="region", aria_label=label)


def metrics_table(content: Content) -> Markup:
    """A row per metric: intervals of all models on an axis of its own, and their values."""
    titles = ["Metric", f"{level_text(content.level)} intervals"]
    titles += [right(key(k), name(model.name)) for k, model in enumerate(content.models)]
    rows = [_metric_row(content, metric) for metric in content.models[0].evaluation]
    kinds = {
        "several": len(content.models) > FEW_COLUMNS,
        "many": len(content.models) > MOST_COLUMNS,
    }
    kind = " ".join(["metrics stacked", *(each for each, there in kinds.items() if there)])
    table = element("table", head(*titles), element("tbody", *rows), class_=kind)
    return scrolled(table, "Metrics with intervals")


def metric_axis(declared: Metric, intervals: Sequence[Sequence[float]], n_classes: int) -> Axis:
    """Close around the intervals of the models, so that they can be compared.

    One model has nothing beside it, so that its axis begins where a model is worthless.
    """
    ends = [each for interval in intervals for each in interval]
    if len(intervals) == 1 and not math.isnan(intervals[0][0]):
        worst = declared.lowest if declared.sign > 0 else declared.highest
        ends.append(declared.chance(n_classes) if declared.chance else worst)
    return rounded_axis(ends)


def _metric_row(content: Content, metric: str) -> Markup:
    declared = registry[metric]
    estimates = [model.evaluation[metric] for model in content.models]
    values = [each.value for each in estimates]
    best = declared.best(values) if len(values) > 1 else math.nan
    title = element(
        "th",
        element("a", symbol(declared.symbol), href=f"#metric-{metric}"),
        element("small", titled(declared), "" if declared.sign > 0 else "; lower is better"),
        scope="row",
    )
    cells = [
        _value_cell(content, k, estimate, estimate.value == best)
        for k, estimate in enumerate(estimates)
    ]
    return element("tr", title, _intervals_cell(content, declared, estimates), *cells)


def _intervals_cell(content: Content, declared: Metric, estimates: Sequence[Estimate]) -> Markup:
    intervals = [(each.value, *each.interval(content.level)[:2]) for each in estimates]
    n_classes = len(content.classes)
    axis = metric_axis(declared, intervals, n_classes)
    chance = declared.chance(n_classes) if declared.chance else None
    drawn = strip(intervals, chance, axis, label=f"{declared.symbol} of the models")
    return own_axis_cell(drawn, axis)


def _value_cell(content: Content, k: int, estimate: Estimate, best: bool) -> Markup:
    model = content.models[k].name
    if math.isnan(estimate.value):
        reason = element("small", estimate.note or "not defined", class_="reason")
        return element("td", key(k), "–", reason, data_label=model, class_="number")
    low, high, *_ = estimate.interval(content.level)
    value = element(
        "strong" if best else "span", number(estimate.value, interval_digits(low, high))
    )
    interval = "no interval" if math.isnan(low) else limits(low, high)
    shown = key(k), value, element("small", interval)
    return element("td", *shown, data_label=model, class_="number")


def pairs_table(content: Content, model: ModelContent) -> Markup:
    """AUC(k|r), row = positive class."""
    titles = [element("span", "scores of\u00a0↓ against\u00a0→", class_="corner")]
    titles += [right(name(label)) for label in content.classes]
    dense = len(content.classes) > WIDE_CELLS
    between = "–" if dense else " to "
    rows = [
        element(
            "tr",
            element("th", name(label), scope="row"),
            *(_pair_cell(model, k, r, between=between) for r in range(len(content.classes))),
        )
        for k, label in enumerate(content.classes)
    ]
    kind = "matrix dense" if dense else "matrix"
    table = element("table", head(*titles), element("tbody", *rows), class_=kind)
    return scrolled(table, f"Pairwise AUC of {model.name}")


def _pair_cell(
    model: ModelContent, k: int, r: int, title: str | None = None, between: str = " to "
) -> Markup:
    value, (low, high) = float(model.pairs[k, r]), model.pair_limits[:, k, r].tolist()
    if math.isnan(value):
        return element("td", "", class_="diagonal")
    step = round(min(1.0, max(0.0, 2 * (1 - value))) * HEAT_STEPS)
    interval = "no interval" if math.isnan(low) else limits(low, high, between)
    text = number(value, interval_digits(low, high))
    shown = element("span", text), element("small", interval)
    return element("td", *shown, class_=f"heat-{step}", data_label=title)


def worst_pairs_table(content: Content, model: ModelContent) -> Markup:
    """The pairs with the lowest mean of both orientations."""
    both = (model.pairs + model.pairs.T) / 2
    first, second = np.triu_indices(len(content.classes), 1)
    order = np.argsort(both[first, second], kind="stable")[:MOST_LISTED]
    rows = [
        element(
            "tr",
            element("td", name(content.classes[first[i]]), class_="name"),
            element("td", name(content.classes[second[i]]), class_="name"),
            _pair_cell(model, int(first[i]), int(second[i]), OF_A),
            _pair_cell(model, int(second[i]), int(first[i]), OF_B),
        )
        for i in order
    ]
    titles = head("Class A", "Class B", right(OF_A), right(OF_B))
    table = element("table", titles, element("tbody", *rows), class_="matrix stacked")
    return scrolled(table, f"Hardest pairs of {model.name}")


def differences_table(content: Content, rows: Sequence[Difference], label: str) -> Markup:
    """Differences with intervals and tests; the intervals drawn where rows are few.

    Those of a metric have an axis in common, which is in the head if there is one metric.
    """
    level, drawn = content.level, len(rows) <= MOST_DRAWN
    metrics: dict[str, list[Difference]] = {}
    for row in rows:
        metrics.setdefault(row.metric, []).append(row)
    axes = {metric: _axis_of(each, level) for metric, each in metrics.items()} if drawn else {}
    titles = ["Metric", "Models", *([_drawn_title(list(axes.values()))] if drawn else [])]
    titles += [
        right(each) for each in ("Difference", f"{level_text(level)} interval", "p", "p (Holm)")
    ]
    body = [
        _difference_row(content, row, axes.get(metric), headed=len(axes) > 1 and row is each[0])
        for metric, each in metrics.items()
        for row in each
    ]
    table = element("table", head(*titles), element("tbody", *body), class_="differences stacked")
    return scrolled(table, label)


def _axis_of(rows: Sequence[Difference], level: float) -> Axis:
    return differences_axis([each for row in rows for each in row.interval(level)[:2]])


def _drawn_title(axes: Sequence[Axis]) -> Markup:
    if len(axes) == 1:
        return strip_axis(axes[0], signed=True)
    return element("span", "Intervals", class_="hidden")


def difference_texts(difference: float, low: float, high: float) -> tuple[str, str]:
    """A difference and its interval, with as many digits as tell them from 0; dashes for NaN.

    Examples
    --------
    >>> difference_texts(0.0014, 0.0002, 0.0026), difference_texts(-0.25, math.nan, math.nan)
    (('+0.0014', '+0.0002 to +0.0026'), ('−0.2500', '–'))
    """
    digits = max(4, difference_digits(difference, low, high))
    interval = "–" if math.isnan(low) else f"{signed(low, digits)} to {signed(high, digits)}"
    change = "–" if math.isnan(difference) else f"{difference:+.{digits}f}".replace("-", "−")
    return change, interval


def _difference_row(content: Content, row: Difference, axis: Axis | None, headed: bool) -> Markup:
    low, high, *_ = row.interval(content.level)
    p, adjusted = (p_number(each, content.alpha) for each in (row.p_value, row.p_adjusted))
    change, interval = difference_texts(row.difference, low, high)
    figure = None
    if axis is not None:
        ends, label = [(row.difference, low, high)], f"interval: {interval}"
        drawn = strip(ends, 0.0, axis, label, of_models=False)
        figure = strip_cell(drawn, axis, signed=True, headed=headed)
    return element(
        "tr",
        element("th", symbol(registry[row.metric].symbol), scope="row"),
        element("td", name(row.model_a), " − ", name(row.model_b), class_="models"),
        figure,
        element("td", change, class_="number", data_label="Difference"),
        element("td", whole(interval), class_="number", data_label="Interval"),
        element("td", p, class_="number", data_label="p"),
        element(
            "td",
            element("strong" if content.rejects(row.p_adjusted) else "span", adjusted),
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
