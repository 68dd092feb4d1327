"""The table of models in the summary: the best first, with accuracy and what guessing gives."""

import math

import numpy as np

from polyroc._base.levels import two_sided_quantile, wilson_limits
from polyroc.display._rate_bands import effective_count
from polyroc.metrics import registry
from polyroc.report._content import Content, ModelContent
from polyroc.report._decisions import decided, mean_with_error
from polyroc.report._markup import Markup, element
from polyroc.report._on_models import why_no_interval
from polyroc.report._tables import head, key, name, right, scrolled, symbol
from polyroc.report._verdict import clear_rivals, gap_digits, ranked, rivals
from polyroc.report._wording import (
    difference_digits,
    interval_digits,
    level_text,
    limits,
    number,
    p_value,
    share,
    signed,
    width_digits,
)

BEHIND = "Behind the best"


def models_table(content: Content) -> Markup:
    """A row per model, the best first."""
    declared = registry[content.main_metric]
    several = len(content.models) > 1
    link = element("a", symbol(declared.symbol), href=f"#metric-{declared.name}")
    titles: list[object] = ["Model", right(link), right("Accuracy")]
    titles += [right(BEHIND)] if several else []
    rows = [_row(content, place, model) for place, model in enumerate(ranked(content))]
    table = element("table", head(*titles), element("tbody", *rows), class_="ranking stacked")
    return scrolled(table, "Models, the best first")


def _row(content: Content, place: int, model: ModelContent) -> Markup:
    several = len(content.models) > 1
    badge = element("span", "best", class_="badge") if several and place == 0 else None
    colour = key(content.models.index(model))
    title = element("th", colour, name(model.name), badge, scope="row")
    behind = _behind(content, place) if several else None
    return element("tr", title, _value(content, model), _accuracy(content, model), behind)


def _value(content: Content, model: ModelContent) -> Markup:
    estimate = model.evaluation[content.main_metric]
    low, high, *_ = estimate.interval(content.level)
    interval = f"{why_no_interval(estimate)}" if math.isnan(low) else limits(low, high)
    value = element("span", number(estimate.value, interval_digits(low, high)), class_="large")
    return _cell(value, interval, registry[content.main_metric].symbol)


def _behind(content: Content, place: int) -> Markup:
    if place == 0:
        return element("td", "", class_="number")
    row = rivals(content)[place - 1].row
    if math.isnan(row.p_value):
        return _cell(number(abs(row.difference)), "no test", BEHIND)
    low, high, *_ = row.interval(content.level)
    ends = [low, high] if row.difference >= 0 else [-high, -low]
    digits = max(difference_digits(row.difference, low, high), _common_digits(content))
    told = f"{signed(ends[0], digits)} to {signed(ends[1], digits)}"
    told += f"; {p_value(row.p_adjusted, content.alpha)}"
    return _cell(f"{abs(row.difference):.{digits}f}", told, BEHIND)


def _common_digits(content: Content) -> int:
    """Decimals that the narrowest interval needs; one that ends next to 0 may need more."""
    rows = [each.row for each in rivals(content) if not math.isnan(each.row.p_value)]
    needed = [width_digits(*row.interval(content.level)[:2]) for row in rows]
    return max(gap_digits(clear_rivals(content)), *needed)


def _cell(value: object, below: str, title: str) -> Markup:
    """A value and what stands below it; narrow screens have the title of the column beside it."""
    return element("td", value, element("small", below), class_="number", data_label=title)


def accuracy(content: Content, model: ModelContent) -> tuple[float, float, float] | None:
    """Share of cases whose most probable class is the true one, and Wilson's limits."""
    decisions = decided(model)
    if decisions is None:
        return None
    predictions = model.predictions
    correct = (decisions == predictions.codes).astype(np.float64)
    weights = predictions.case_weights
    value, error = mean_with_error(correct, weights, content.groups)
    count = effective_count(weights)
    if content.groups is not None:
        count = min(count, content.n_groups)
    if error > 0 and 0 < value < 1:
        count = value * (1 - value) / error**2
    quantile = two_sided_quantile(content.level)
    low, high = wilson_limits(np.array([value]), count, quantile)[:, 0].tolist()
    return value, low, high


def _accuracy(content: Content, model: ModelContent) -> Markup:
    found = accuracy(content, model)
    if found is None:
        return _cell("–", "no probabilities", "Accuracy")
    value, low, high = found
    return _cell(share(value, 1), f"{100 * low:.1f} to {100 * high:.1f}", "Accuracy")


def chance_text(content: Content) -> str:
    """What guessing reaches."""
    declared, predictions = registry[content.main_metric], content.predictions
    chance = 0.5 if declared.chance is None else declared.chance(len(content.classes))
    k = int(np.argmax(predictions.priors))
    most = float(predictions.priors[k])
    by = "" if predictions.weights is None else " by weight"
    return (
        f"Guessing gives {declared.symbol} {chance:g}; always choosing {content.classes[k]} "
        f"classifies {share(most, 1)} of cases{by} correctly.{_deciding(content)}"
        f"{_adjusted(content)}"
    )


def _deciding(content: Content) -> str:
    """What accuracy is, where a model has one."""
    if all(decided(model) is None for model in content.models):
        return ""
    return " Accuracy is that of choosing the most probable class."


def _adjusted(content: Content) -> str:
    """That intervals behind the best are of one difference each, and p-values of all together."""
    tested = not all(math.isnan(each.row.p_value) for each in rivals(content))
    if len(content.models) < 3 or not tested:
        return ""
    return (
        f" {BEHIND}: the {level_text(content.level)} interval is for each difference alone; p is "
        "after Holm's adjustment."
    )
