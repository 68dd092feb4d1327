"""Findings about models: which is best, whether it is better than guessing, what its scores are."""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from polyroc._base.wording import plural
from polyroc.errors import PolyrocError
from polyroc.inference import plan
from polyroc.inference._comparison import Difference
from polyroc.inference._notes import share_of_ties
from polyroc.metrics import registry
from polyroc.metrics.folds import in_folds, statistics_of
from polyroc.report._content import Content, ModelContent
from polyroc.report._decisions import perfect_pairs
from polyroc.report._finding import FEW_CASES, Finding
from polyroc.report._wording import (
    difference_digits,
    interval_digits,
    level_text,
    limits,
    number,
    p_value,
    share,
    signed,
    size_of_difference,
    with_decimals,
)
from polyroc.results import Estimate
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.statistic import Need
from polyroc.surface._certainty import NO_ERROR, OF_CASES
from polyroc.typing import Int64Array

TIED_SHARE = 0.01
POWER = 0.8
LEAKAGE = "Check that no feature contains the answer (leakage)."
MOST_TIMES = 1000
"""As many cases are not asked for, where only the variance of all of them is known."""


def differences(content: Content) -> Iterator[Finding]:
    """Whether the leading model is really ahead of each other one."""
    if content.comparison is None:
        return
    best, symbol = content.leading.name, registry[content.main_metric].symbol
    for row in content.comparison.differences:
        if row.metric != content.main_metric or best not in (row.model_a, row.model_b):
            continue
        other = row.model_b if row.model_a == best else row.model_a
        if math.isnan(row.p_value):
            reason = next(iter(row.notes), "").removeprefix("no standard error: ")
            text = f"The difference in {symbol} cannot be tested: {reason or 'no standard error'}."
            yield Finding("no-test", "notice", f"{best} against {other}: no test", text)
            continue
        size = _difference(content, row, best)
        if content.rejects(row.p_adjusted):
            yield Finding("difference-clear", "fact", f"{best} is better than {other}", size)
        else:
            text = (
                f"{size} Another sample of cases could reverse the order.{_settled(content, row)}"
            )
            title = f"{best} and {other} cannot be told apart"
            yield Finding("difference-unclear", "notice", title, text)


def _difference(content: Content, row: Difference, best: str) -> str:
    """How far the leading model is ahead, with interval and test."""
    low, high, *_ = row.interval(content.level)
    low, high = (low, high) if row.model_a == best else (-high, -low)
    symbol, ahead = registry[row.metric].symbol, abs(row.difference)
    digits = difference_digits(ahead, low, high)
    by = size_of_difference(ahead, digits)
    than = f"{by} {registry[row.metric].direction}"
    size = f"{symbol} of {best} is {than}" if ahead else f"{symbol} is the same for both"
    tested = p_value(row.p_adjusted, content.alpha)
    tested += " after Holm's adjustment" if len(content.models) > 2 else ""
    return (
        f"{size} ({level_text(content.level)} interval {signed(low, digits)} to "
        f"{signed(high, digits)}; paired test, {tested})."
    )


def _settled(content: Content, row: Difference) -> str:
    """How many cases would settle the comparison, where that can be told."""
    several = content.groups is not None or content.predictions.folds is not None
    needed = _times_as_many(content, row) if several else _planned(content, row)
    if needed is None or needed <= len(content.predictions):
        return ""
    groups = ""
    if content.groups is not None:
        n_groups = math.ceil(needed * content.n_groups / len(content.predictions))
        groups = f" in {n_groups:,} groups"
    return (
        f" If the difference is as large as here, a paired test has a power of {share(POWER)} with "
        f"{needed:,} cases of these shares of classes{groups}."
    )


def _planned(content: Content, row: Difference) -> int | None:
    """By a plan with these cases as the pilot."""
    known = {model.name: model.predictions for model in content.models}
    pilot = {name: known[name] for name in (row.model_a, row.model_b)}
    level = content.level
    try:
        return plan(pilot, metric=row.metric, power=POWER, level=level, allocation="pilot").total
    except PolyrocError:
        return None


def _times_as_many(content: Content, row: Difference) -> int | None:
    """With groups or folds: variance and degrees of freedom are those of m times as much."""
    from scipy.special import nctdtr, stdtrit

    def power(times: float) -> float:
        freedom = row.degrees_of_freedom * times
        away = abs(row.difference) / row.standard_error * math.sqrt(times)
        return float(1 - nctdtr(freedom, away, stdtrit(freedom, 1 - content.alpha / 2)))

    fewest, most = 1.0, float(MOST_TIMES)
    if not math.isfinite(row.degrees_of_freedom) or not power(most) >= POWER:
        return None
    while most / fewest > 1 + 1e-6:
        middle = math.sqrt(fewest * most)
        fewest, most = (fewest, middle) if power(middle) >= POWER else (middle, most)
    return math.ceil(most * len(content.predictions) - 1e-3)


def metric_choice(content: Content) -> Iterator[Finding]:
    """Whether metrics disagree about the best model."""
    firsts = first_by_metric(content)
    winners = {names for names in firsts.values() if len(names) == 1}
    if len(content.models) < 2 or not winners:
        return
    (name,) = next(iter(winners))
    rankings = "; ".join(_rankings(firsts))
    if len(winners) > 1 or not all(name in names for names in firsts.values()):
        advice = "Choose the metric by the question it answers, not by the model it favours."
        title = "The best model depends on the metric"
        yield Finding("metric-choice", "notice", title, f"{rankings}. {advice}")
    elif set(firsts.values()) == winners:
        text = f"{name} is first by all {plural(len(firsts), 'metric')} of this page."
        yield Finding("metrics-agree", "fact", f"Every metric prefers {name}", text)
    else:
        title = f"No metric prefers another model to {name}"
        yield Finding("metrics-agree", "fact", title, f"{rankings}.")


def _rankings(firsts: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Who is first by which metrics."""
    for names, count in Counter(firsts.values()).most_common():
        symbols = ", ".join(registry[metric].symbol for metric in firsts if firsts[metric] == names)
        who = (
            f"{names[0]} is first" if len(names) == 1 else f"{' and '.join(names)} are equal first"
        )
        yield f"{who} by {plural(count, 'metric')} ({symbols})"


def first_by_metric(content: Content) -> dict[str, tuple[str, ...]]:
    """The models with the best value of each metric that all models have."""
    firsts = {}
    for metric in content.leading.evaluation:
        values = np.array([model.evaluation[metric].value for model in content.models])
        if not np.isnan(values).any():
            best = np.flatnonzero(np.abs(values - registry[metric].best(values)) <= 1e-12)
            firsts[metric] = tuple(content.models[k].name for k in best)
    return firsts


def guessing(content: Content) -> Iterator[Finding]:
    """Models whose main metric may be what guessing reaches, or is worse."""
    declared = registry[content.main_metric]
    worse, worst = ("below", declared.lowest) if declared.sign > 0 else ("above", declared.highest)
    chance = 0.5 if declared.chance is None else declared.chance(len(content.classes))
    for model in content.models:
        estimate = model.evaluation[content.main_metric]
        low, high, *_ = estimate.interval(content.level)
        value = f"{declared.symbol} is {number(estimate.value, interval_digits(low, high))}"
        interval = f"{level_text(content.level)} interval {limits(low, high)}"
        if declared.worse_than_guessing(low, high, len(content.classes)):
            text = f"{value} ({interval}), and the interval lies {worse} {chance:g}, the value of"
            yield _worse(model, f"{text} guessing.")
        elif low <= chance <= high:
            text = f"{value} ({interval}), and the interval contains {chance:g}, the value of"
            yield _no_better(model, f"{text} guessing.")
        elif math.isnan(low) and estimate.value == worst:
            text = f"{value}: every pair of cases is in the wrong order; guessing gives {chance:g}."
            yield _worse(model, text)
        elif math.isnan(low) and declared.sign * (estimate.value - chance) <= 1e-12:
            where = "which is" if abs(estimate.value - chance) < 1e-12 else f"{worse} {chance:g},"
            text = f"{value}, {where} the value of guessing. {why_no_interval(estimate)}."
            yield _no_better(model, text)


def _worse(model: ModelContent, text: str) -> Finding:
    text = f"{text} Check that the columns are in the order of the classes."
    return Finding("worse-than-guessing", "warning", f"{model.name}: worse than guessing", text)


def _no_better(model: ModelContent, text: str) -> Finding:
    title = f"{model.name}: not better than guessing, as far as these cases show"
    return Finding("not-better-than-guessing", "warning", title, text)


NONE = "no interval: "


def why_no_interval(estimate: Estimate) -> str:
    """A sentence on an interval that does not exist, without its full stop."""
    texts = [
        note.text.removeprefix(NO_ERROR).removeprefix(NONE).removesuffix(f"; {OF_CASES}")
        for note in estimate.notes
        if note.text.startswith((NO_ERROR, NONE)) or note.code == "samples-agree"
    ]
    return f"No interval: {with_decimals(texts[0])}" if texts else "No interval"


def separation(content: Content) -> Iterator[Finding]:
    """Pairs of classes whose scores do not overlap."""
    n_classes = len(content.classes)
    for model in content.models:
        perfect = perfect_pairs(model)
        pairs = np.argwhere(np.triu(perfect & perfect.T))
        if len(pairs) == n_classes * (n_classes - 1) // 2:
            where = _in_folds(model)
            text = (
                "Every case has a higher score for its own class than any case of another class"
                f"{where}."
            )
            title = f"{model.name}: perfect separation"
            yield Finding("perfect-separation", "warning", title, f"{text} {LEAKAGE}")
        elif len(pairs):
            yield _some_separated(content, model, pairs)


def _in_folds(model: ModelContent) -> str:
    """Which cases are compared, where scores of different folds come from different models."""
    return " in the same fold" if in_folds(model.predictions) else ""


def _some_separated(content: Content, model: ModelContent, pairs: Int64Array) -> Finding:
    """Of pairs without overlap, that with the most cases: of few cases chance is enough."""
    fewer = content.predictions.class_counts[pairs].min(axis=1)
    place = int(np.argmax(fewer))
    a, b = (content.classes[k] for k in pairs[place])
    more = len(pairs) - 1
    others = f"; the same holds for {plural(more, 'other pair')} of classes" if more else ""
    telling = fewer[place] >= FEW_CASES
    pair = "Each of these pairs" if more else "This pair"
    chance = f"{pair} has a class with fewer than {FEW_CASES} cases, so this may be chance."
    text = (
        f"Every case of {a} has a higher score for {a} than any case of {b}{_in_folds(model)}, and "
        f"vice versa{others}. {LEAKAGE if telling else chance}"
    )
    title = f"{model.name}: perfect separation of some classes"
    return Finding("perfect-separation", "notice" if telling else "fact", title, text)


def not_probabilities(content: Content) -> Iterator[Finding]:
    """Scores that the explorer cannot use as they are."""
    for model in content.models:
        if not model.fault:
            continue
        if model.probabilities is None:
            done = "The explorer leaves this model out, because costs need probabilities."
        else:
            done = "The explorer divides each row by its sum; rank metrics use the scores as given."
        text = f"{model.fault[:1].upper()}{model.fault[1:]}. {done}"
        title = f"{model.name}: the scores are not probabilities"
        yield Finding("not-probabilities", "warning", title, text)


def ties(content: Content) -> Iterator[Finding]:
    """Scores that are exactly equal."""
    for model in content.models:
        metric, statistics = registry[content.main_metric], statistics_of(model.predictions)
        tied_share = share_of_ties(statistics, metric, Need(Pairs))
        if tied_share >= TIED_SHARE:
            text = (
                f"{share(tied_share, 1)} of the pairs of cases compared, one of each of two "
                "classes, have equal scores and count half."
            )
            yield Finding("tied-scores", "notice", f"{model.name}: tied scores", text)


def undefined(content: Content) -> Iterator[Finding]:
    """Metrics without a value."""
    for model in content.models:
        missing = [name for name, each in model.evaluation.items() if math.isnan(each.value)]
        if missing:
            symbols = ", ".join(registry[name].symbol for name in missing)
            verb = "has" if len(missing) == 1 else "have"
            text = f"{symbols} {verb} no value here; the table of metrics says why."
            title = f"{model.name}: metrics that are not defined"
            yield Finding("undefined-metric", "notice", title, text)
