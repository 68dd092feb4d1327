"""The answer, in one sentence: which model is best, how good it is, and what cannot be told."""

import math
from typing import NamedTuple

import numpy as np

from polyroc.inference._comparison import Difference
from polyroc.metrics import registry
from polyroc.report._content import Content, ModelContent
from polyroc.report._decisions import perfect_pairs
from polyroc.report._wording import (
    difference_digits,
    digits_for,
    interval_digits,
    limits,
    number,
    p_value,
    size_of_difference,
)

MOST_NAMES = 3
SAME = 1e-12
"""Differences no further apart are equal."""


class Rival(NamedTuple):
    """Another model, and how it differs from the best."""

    name: str
    row: Difference


def ranked(content: Content) -> list[ModelContent]:
    """The models, the best by the main metric first; one without a value last."""
    sign = registry[content.main_metric].sign

    def key(model: ModelContent) -> float:
        value = sign * model.evaluation[content.main_metric].value
        return math.inf if math.isnan(value) else -value

    return sorted(content.models, key=key)


def rivals(content: Content) -> list[Rival]:
    """The other models in that order, with the row of each in the comparison."""
    best, *others = ranked(content)
    rows = content.comparison.differences if content.comparison else ()
    pairs = {
        frozenset((row.model_a, row.model_b)): row
        for row in rows
        if row.metric == content.main_metric
    }
    return [Rival(model.name, pairs[frozenset((best.name, model.name))]) for model in others]


def clear_rivals(content: Content) -> list[Rival]:
    """The models that are clearly worse than the best, the nearest first."""
    return [each for each in rivals(content) if content.rejects(each.row.p_adjusted)]


def gap_digits(clear: list[Rival]) -> int:
    """Decimals by which models that are further behind than the nearest read as further behind."""
    if not clear:
        return 3
    nearest, *others = (abs(each.row.difference) for each in clear)
    further = min((gap for gap in others if gap > nearest + SAME), default=math.inf)
    least = digits_for(nearest)
    return next((d for d in range(least, 7) if f"{nearest:.{d}f}" != f"{further:.{d}f}"), least)


def verdict(content: Content) -> str:
    """One sentence on all models."""
    if all(_guesses(content, model) for model in content.models):
        return _no_better(content)
    best = ranked(content)[0]
    if len(content.models) == 1:
        return f"{best.name} {_alone(content, best)}: {_value(content, best)}; {_chance(content)}."
    found = rivals(content)
    clear = clear_rivals(content)
    unclear = [each.name for each in found if each.row.p_adjusted > content.alpha]
    untested = [each.name for each in found if math.isnan(each.row.p_adjusted)]
    parts = [_ahead(content, best, clear, sure=len(clear) == len(found))]
    if unclear:
        parts.append(f"{listed(unclear)} cannot be told apart from it")
    if untested:
        parts.append(f"there is no test against {listed(untested)}")
    return f"{'; '.join(parts)}."


def _ahead(content: Content, best: ModelContent, clear: list[Rival], sure: bool) -> str:
    """What the best model reaches, and the nearest model that is clearly worse.

    "Is best" is said only where every other model is clearly worse.
    """
    perfect = " and separates the classes perfectly" if _perfect(content, best) else ""
    declared, value = registry[content.main_metric], _value(content, best)
    highest = "highest" if declared.sign > 0 else "lowest"
    told = value.removeprefix(f"{declared.symbol} ")
    start = f"{best.name} has the {highest} {declared.symbol}{perfect}, {told}"
    if sure:
        start = f"{best.name} is best{perfect}: {value}"
    if not clear:
        return start
    nearest, *others = clear
    holm = " after Holm's adjustment" if len(content.models) > 2 else ""
    by = abs(nearest.row.difference)
    needed = difference_digits(by, *nearest.row.interval(content.level)[:2])
    size = size_of_difference(by, max(gap_digits(clear), needed))
    p = p_value(nearest.row.p_adjusted, content.alpha).replace(" ", "\u00a0")
    tested = f"{size} ({p}{holm})"
    return f"{start}, ahead of {nearest.name} by {tested}{_further(by, others)}"


def _further(by: float, others: list[Rival]) -> str:
    """The other models that are clearly worse; some may be behind by as much as the nearest."""
    if not others:
        return ""
    equal = [abs(each.row.difference) <= by + SAME for each in others]
    much = "as much" if all(equal) else "at least as much" if any(equal) else "more"
    return f" and of {_others(others)} by {much}"


def _others(rivals: list[Rival]) -> str:
    return rivals[0].name if len(rivals) == 1 else f"{len(rivals)} other models"


def _alone(content: Content, model: ModelContent) -> str:
    low, *_ = model.evaluation[content.main_metric].interval(content.level)
    if _perfect(content, model):
        return "separates the classes perfectly"
    return "has no interval" if math.isnan(low) else "is better than guessing"


def _no_better(content: Content) -> str:
    best = ranked(content)[0]
    value, chance = _value(content, best), _chance(content)
    if len(content.models) == 1:
        worse = "worse" if _worse(content, best) else "not better"
        shown = "" if worse == "worse" else ", as far as these cases show"
        return f"{best.name} is {worse} than guessing{shown}: {value}; {chance}."
    start = "No model is better than guessing, as far as these cases show"
    return f"{start}: the best is {best.name} with {value}; {chance}."


def _guesses(content: Content, model: ModelContent) -> bool:
    """Whether a model may be as good as guessing, or is worse."""
    estimate = model.evaluation[content.main_metric]
    declared = registry[content.main_metric]
    low, high, *_ = estimate.interval(content.level)
    if math.isnan(low):
        return not declared.sign * (estimate.value - _chance_value(content)) > 1e-12
    return low <= _chance_value(content) <= high or _worse(content, model)


def _worse(content: Content, model: ModelContent) -> bool:
    estimate, declared = model.evaluation[content.main_metric], registry[content.main_metric]
    low, high, *_ = estimate.interval(content.level)
    if math.isnan(low):
        return declared.sign * (estimate.value - _chance_value(content)) < -1e-12
    return declared.worse_than_guessing(low, high, len(content.classes))


def _perfect(content: Content, model: ModelContent) -> bool:
    perfect = perfect_pairs(model)
    off = ~np.eye(len(content.classes), dtype=bool)
    return bool((perfect & perfect.T)[off].all())


def _value(content: Content, model: ModelContent) -> str:
    estimate = model.evaluation[content.main_metric]
    low, high, *_ = estimate.interval(content.level)
    interval = "" if math.isnan(low) else f" ({limits(low, high)})"
    value = number(estimate.value, interval_digits(low, high))
    return f"{registry[content.main_metric].symbol} {value}{interval}"


def _chance_value(content: Content) -> float:
    chance = registry[content.main_metric].chance
    return 0.5 if chance is None else chance(len(content.classes))


def _chance(content: Content) -> str:
    return f"guessing gives {_chance_value(content):g}"


def listed(names: list[str]) -> str:
    """Names in a sentence, the first few of many.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more models')
    """
    shown, more = names[:MOST_NAMES], len(names) - MOST_NAMES
    if more > 0:
        return f"{', '.join(shown)} and {more} more model{'s' if more > 1 else ''}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
