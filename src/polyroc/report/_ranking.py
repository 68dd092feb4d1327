"""The table of models in the summary: the best first, with accuracy and what guessing gives."""

import math

import numpy as np

from polyroc._base.levels import two_sided_quantile, wilson_limits
from polyroc.metrics import registry
from polyroc.report._content import Content, ModelContent
from polyroc.report._decisions import decided, mean_with_error
from polyroc.report._markup import Markup, element
from polyroc.report._on_models import why_no_interval
from polyroc.report._tables import head, key, name, right, scrolled, symbol
from polyroc.report._verdict import ranked, rivals
from polyroc.report._wording import limits, number, p_value, share, signed


def models_table(content: Content) -> Markup:
    """A row per model, the best first."""
    declared = registry[content.main_metric]
    several = len(content.models) > 1
    link = element("a", symbol(declared.symbol), href=f"#metric-{declared.name}")
    titles: list[object] = ["Model", right(link), right("Accuracy")]
    titles += [right("Behind the best")] if several else []
    rows = [_row(content, place, model) for place, model in enumerate(ranked(content))]
    table = element("table", head(*titles), element("tbody", *rows), class_="ranking")
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
    value = element("span", number(estimate.value), class_="large")
    return element("td", value, element("small", interval), class_="number")


def _behind(content: Content, place: int) -> Markup:
    if place == 0:
        return element("td", "", class_="number")
    row = rivals(content)[place - 1].row
    if math.isnan(row.p_value):
        return element(
            "td", number(abs(row.difference)), element("small", "no test"), class_="number"
        )
    low, high, *_ = row.interval(content.level)
    ends = [low, high] if row.difference >= 0 else [-high, -low]
    told = f"{signed(ends[0])} to {signed(ends[1])}; {p_value(row.p_adjusted)}"
    return element("td", f"{abs(row.difference):.3f}", element("small", told), class_="number")


def accuracy(content: Content, model: ModelContent) -> tuple[float, float, float] | None:
    """Share of cases whose most probable class is the true one, and Wilson's limits."""
    decisions = decided(model)
    if decisions is None:
        return None
    predictions = model.predictions
    correct = (decisions == predictions.codes).astype(np.float64)
    weights = predictions.case_weights
    value, error = mean_with_error(correct, weights, content.groups)
    count = float(weights.sum() ** 2 / (weights**2).sum())
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
        return element("td", "–", element("small", "no probabilities"), class_="number")
    value, low, high = found
    interval = f"{100 * low:.1f} to {100 * high:.1f}"
    return element("td", share(value, 1), element("small", interval), class_="number")


def chance_text(content: Content) -> str:
    """What guessing reaches."""
    declared, predictions = registry[content.main_metric], content.predictions
    chance = 0.5 if declared.chance is None else declared.chance(len(content.classes))
    k = int(np.argmax(predictions.priors))
    most = float(predictions.priors[k])
    by = "" if predictions.weights is None else " by weight"
    return (
        f"Guessing gives {declared.symbol} {chance:g}; always choosing {content.classes[k]} "
        f"classifies {share(most, 1)} of cases{by} correctly. Accuracy is of the most probable "
        "class."
    )
