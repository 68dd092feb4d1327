"""``polyroc compare`` opens with what it found: which model is best, and the models in order."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from polyroc.cli.wording import short

if TYPE_CHECKING:
    from polyroc.cli.screen import Titled
    from polyroc.inference import Comparison
    from polyroc.inference._comparison import Difference


class Ranked(NamedTuple):
    """A model with its value, and how far that is from the best one."""

    model: str
    value: float
    difference: float
    low: float
    high: float
    p_adjusted: float


def ranking(result: "Comparison", metric: str) -> list[Ranked]:
    """The models by one metric, the best first."""
    from polyroc.metrics import registry

    values = result.values[metric]
    order = sorted(values, key=lambda model: -registry.sign_of(metric) * values[model])
    best = order[0]
    rows = {(row.model_a, row.model_b): row for row in result.differences if row.metric == metric}
    none = (math.nan,) * 4
    return [
        Ranked(
            model,
            values[model],
            *(none if model == best else _from(best, model, rows, result.level)),
        )
        for model in order
    ]


def _from(
    best: str, model: str, rows: "dict[tuple[str, str], Difference]", level: float
) -> tuple[float, float, float, float]:
    """Difference of a model from the best one, its limits and its adjusted p-value."""
    row = rows.get((model, best)) or rows[best, model]
    low, high, *_ = row.interval(level)
    if row.model_a == model:
        return row.difference, low, high, row.p_adjusted
    return 0.0 - row.difference, -high, -low, row.p_adjusted


def is_ranked(result: "Comparison") -> bool:
    """Whether tests are two-sided: others are about pairs of models in their order."""
    return bool(result.settings.get("alternative", "two-sided") == "two-sided")


def verdicts(result: "Comparison") -> list[str]:
    """Which model is best, and what is known of the others; metrics that agree once.

    The tests are those of ``p_adjusted``.
    """
    told: dict[str, list[str]] = {}
    for metric in result.values:
        told.setdefault(_verdict(ranking(result, metric), result.level), []).append(metric)
    return [f"{', '.join(metrics)}: {text}" for text, metrics in told.items()]


SAME = 1e-12
"""Values no further apart are equal."""


def _verdict(ranked: Sequence[Ranked], level: float) -> str:
    found: dict[str, list[str]] = {}
    for each in ranked[1:]:
        found.setdefault(_standing(each, level), []).append(each.model)
    told = [f"{ranked[0].model} {_LEADS}"]
    if _BETTER in found:
        told = [f"{ranked[0].model} {_BETTER} {_and(found[_BETTER])}"]
    told += [f"{how} {_and(found[how])}" for how in (_EQUAL, _ALIKE) if how in found]
    joint = ", and " if _BETTER in found or len(told) > 2 else ", but "
    text = joint.join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    untested = f"; {_UNTESTED} {_and(found[_UNTESTED])}" if _UNTESTED in found else ""
    return f"{text}{untested}."


_LEADS, _BETTER = "ranks first", "is better than"
_EQUAL, _ALIKE = "has the same value as", "cannot be told apart from"
_UNTESTED = "there is no test against"


def _standing(other: Ranked, level: float) -> str:
    """What can be said of the best model and another one."""
    if other.p_adjusted <= 1 - level + 1e-12:
        return _BETTER
    if abs(other.difference) <= SAME:
        return _EQUAL
    return _UNTESTED if math.isnan(other.p_adjusted) else _ALIKE


def _and(names: Sequence[str]) -> str:
    """Names in a sentence.

    Examples
    --------
    >>> _and(["a"]), _and(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def ranking_tables(result: "Comparison", width: int) -> "list[Titled]":
    """One table of all metrics, else one per metric, and where that does not fit without limits."""
    short_title = "Which is best? Values, and differences from the best"
    title = f"{short_title} with {100 * result.level:.6g} % intervals"
    longest = max(len(metric) for metric in result.values)
    names = max(len(model) for models in result.values.values() for model in models)
    if longest + names + 58 <= width:
        return [_wide(result, title)]
    full = [_full(result, metric, f"{title}: {metric}") for metric in result.values]
    if all(each.width() <= width for each in full):
        return full
    return [_narrow(result, metric, f"{short_title}: {metric}") for metric in result.values]


_NUMBERS = ["value", "from best", "interval", "p (Holm)"]


def _wide(result: "Comparison", title: str) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["metric", "model"], _NUMBERS)
    for metric in result.values:
        for place, each in enumerate(ranking(result, metric)):
            made.add("" if place else metric, each.model, *_cells(each))
    return made


def _full(result: "Comparison", metric: str, title: str) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["model"], _NUMBERS)
    for each in ranking(result, metric):
        made.add(each.model, *_cells(each))
    return made


def _cells(each: Ranked) -> list[str]:
    """Value, difference, its limits and its p-value, as far as there are some."""
    from polyroc._base.tables import cell, p_cell

    limits = "–" if math.isnan(each.low) else f"{each.low:+.4f} … {each.high:+.4f}"
    apart = "–" if math.isnan(each.difference) else f"{each.difference:+.4f}"
    return [cell(each.value), apart, limits, p_cell(each.p_adjusted)]


def _narrow(result: "Comparison", metric: str, title: str) -> "Titled":
    from polyroc._base.tables import cell
    from polyroc.cli.screen import table

    made = table(title, ["model"], ["value", "from best", "Holm"])
    for each in ranking(result, metric):
        apart = "–" if math.isnan(each.difference) else short(f"{each.difference:+.3f}")
        p_value = "–" if math.isnan(each.p_adjusted) else short(f"{each.p_adjusted:.3f}")
        made.add(each.model, cell(each.value), apart, "<.001" if p_value == ".000" else p_value)
    return made
