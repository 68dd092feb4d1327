"""Findings: what a reader should know first, in plain words."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from polyroc.metrics import registry
from polyroc.report.content import Content, ModelContent
from polyroc.report.markup import percent
from polyroc.statistics.pairs import pair_sums
from polyroc.typing import Float64Array

Severity = Literal["warning", "notice", "fact"]
SEVERITIES: tuple[Severity, ...] = ("warning", "notice", "fact")

RARE_SHARE = 0.1
FEW_CASES = 30
TIED_SHARE = 0.01
TOLD_GAP = 0.02
"""Differences of mean probabilities up to this are not worth a sentence."""
CLEAR_ERRORS = 3
"""Standard errors from which on such a difference is no accident."""
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Finding:
    """One fact: a code that names its explanation, how much it matters, a headline and a text."""

    code: str
    severity: Severity
    title: str
    text: str


def findings(content: Content) -> list[Finding]:
    """All that was found, what matters most first."""
    content = replace(content, classes=tuple(spoken(label) for label in content.classes))
    found = [finding for rule in RULES for finding in rule(content)]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def spoken(label: str) -> str:
    """A class as it stands in a sentence: a bare number would read as a count.

    Examples
    --------
    >>> spoken("4"), spoken("benign"), spoken(" ")
    ('class 4', 'benign', '(empty)')
    """
    if not label.strip():
        return "(empty)"
    return f"class {label}" if not any(letter.isalpha() for letter in label) else label


def _differences(content: Content) -> Iterator[Finding]:
    """Whether the leading model is really ahead of each other one."""
    if content.comparison is None:
        return
    best, symbol = content.leading.name, registry[content.main_metric].symbol
    for row in content.comparison.differences:
        if row.metric != content.main_metric or best not in (row.model_a, row.model_b):
            continue
        other = row.model_b if row.model_a == best else row.model_a
        if math.isnan(row.p_value):
            reason = row.note.split(";")[0] or "it has no standard error"
            text = f"The difference in {symbol} cannot be tested ({reason})."
            yield Finding("no-test", "notice", f"{best} against {other}: no test", text)
            continue
        low, high, *_ = row.interval(content.level)
        low, high = (low, high) if row.model_a == best else (-high, -low)
        size = (
            f"{symbol} differs by {abs(row.difference):.3f} "
            f"({percent(content.level)} interval {low:+.3f} to {high:+.3f}; paired test, "
            f"p = {_p(row.p_adjusted)} after Holm)."
        )
        if row.p_adjusted < SIGNIFICANT:
            yield Finding("difference-clear", "fact", f"{best} is better than {other}", size)
        else:
            text = f"{size} Other cases could turn the order round."
            yield Finding("difference-unclear", "notice", f"{best} or {other}: not decided", text)


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.0005 else "0.0005 or less"


def _metric_choice(content: Content) -> Iterator[Finding]:
    """Whether metrics disagree about the best model."""
    if len(content.models) < 2:
        return
    firsts = _first_by_metric(content)
    if not firsts:
        return
    if len(set(firsts.values())) == 1:
        name = next(iter(firsts.values()))
        text = f"All {len(firsts)} metrics put {name} first."
        yield Finding("metrics-agree", "fact", "The choice of metric does not matter here", text)
        return
    parts = []
    for name, number in Counter(firsts.values()).most_common():
        symbols = ", ".join(registry[metric].symbol for metric in firsts if firsts[metric] == name)
        parts.append(f"{name} is first by {number} ({symbols})")
    text = "; ".join(parts) + ". Choose by what a metric asks, not by what it answers."
    yield Finding("metric-choice", "notice", "The best model depends on the metric", text)


def _first_by_metric(content: Content) -> dict[str, str]:
    """The model with the highest value of each metric that all models have."""
    firsts = {}
    for metric in content.leading.evaluation:
        values = [model.evaluation[metric].value for model in content.models]
        if not np.isnan(values).any():
            firsts[metric] = content.models[int(np.argmax(values))].name
    return firsts


def _confused_pairs(content: Content) -> Iterator[Finding]:
    """The pair of classes that the leading model tells apart least."""
    if len(content.classes) == 2:
        return
    model = content.leading
    both = (model.pairs + model.pairs.T) / 2
    a, b = np.unravel_index(np.nanargmin(both), both.shape)
    first, second = sorted((int(a), int(b)))
    names = content.classes
    text = (
        f"By {model.name}, a case of {names[first]} outranks one of {names[second]} with "
        f"probability {model.pairs[first, second]:.3f} in its own column, and the other way round "
        f"{model.pairs[second, first]:.3f}; ½ would be guessing. "
        f"{_commonest_error(content, model)}"
    )
    title = f"{names[first]} and {names[second]} are hardest to tell apart"
    yield Finding("confused-pair", "fact", title, text)


def _commonest_error(content: Content, model: ModelContent) -> str:
    """The highest error rate where every error costs the same."""
    if model.probabilities is None:
        return ""
    predictions, n_classes = model.predictions, len(content.classes)
    cells = predictions.codes * n_classes + np.argmax(model.probabilities, axis=1)
    table = np.bincount(cells, predictions.weights, n_classes**2).reshape(n_classes, n_classes)
    rates = table / predictions.class_weights[:, None]
    np.fill_diagonal(rates, 0)
    truth, decided = np.unravel_index(np.argmax(rates), rates.shape)
    return (
        f"If every error costs the same, {percent(rates[truth, decided])} of "
        f"{content.classes[truth]} are decided as {content.classes[decided]}, the most frequent "
        "confusion."
    )


def _rare_classes(content: Content) -> Iterator[Finding]:
    """Classes with a small share or few cases."""
    shares, counts = content.predictions.priors, content.predictions.class_counts
    limit = RARE_SHARE if len(content.classes) <= 4 else 0.5 / len(content.classes)
    order = np.argsort(counts, kind="stable").tolist()
    rare = [k for k in order if shares[k] < limit]
    few = [k for k in order if counts[k] < FEW_CASES]
    if rare:
        text = (
            f"{_listed(content, rare)} of {counts.sum():,} cases. Metrics weighted by prevalence "
            "(AUNP, AU1P) hardly see such a class; M, AUNU, AUC_μ and PDI count it as much as any."
        )
        yield Finding(
            "rare-class", "notice", f"{_names(content, rare)}: a small share of the cases", text
        )
    if few:
        text = (
            f"{_listed(content, few)}. Whatever concerns them is uncertain: look at the intervals, "
            "and do not trust the third digit."
        )
        yield Finding("few-cases", "warning", f"{_names(content, few)}: few cases", text)


def _names(content: Content, chosen: list[int]) -> str:
    shown = ", ".join(content.classes[k] for k in chosen[:3])
    return shown if len(chosen) <= 3 else f"{shown} and {len(chosen) - 3} more classes"


def _listed(content: Content, chosen: list[int]) -> str:
    shares, counts = content.predictions.priors, content.predictions.class_counts
    parts = [
        f"{content.classes[k]} has {counts[k]:,} ({percent(shares[k], 1)})" for k in chosen[:5]
    ]
    more = f" and {len(chosen) - 5} other classes are as small" if len(chosen) > 5 else ""
    return ", ".join(parts) + more


def _not_probabilities(content: Content) -> Iterator[Finding]:
    for model in content.models:
        if not model.fault:
            continue
        if model.probabilities is None:
            done = "The explorer leaves this model out, because costs need probabilities."
        else:
            done = "The explorer divides each row by its sum; rank metrics take them as they are."
        text = f"{model.fault[:1].upper()}{model.fault[1:]}. {done}"
        title = f"{model.name}: the scores are not probabilities"
        yield Finding("not-probabilities", "warning", title, text)


def _ties(content: Content) -> Iterator[Finding]:
    """Scores that are exactly equal."""
    for model in content.models:
        totals = model.predictions.class_weights
        pairs = np.outer(totals, totals)
        np.fill_diagonal(pairs, 0)
        tied = model.predictions.derived(pair_sums).tied.copy()
        np.fill_diagonal(tied, 0)
        share = tied.sum() / pairs.sum()
        if share >= TIED_SHARE:
            text = f"{percent(share, 1)} of the pairs compared have equal scores and count half."
            yield Finding("tied-scores", "notice", f"{model.name}: tied scores", text)


def _separation(content: Content) -> Iterator[Finding]:
    """Pairs of classes that no case confuses."""
    for model in content.models:
        perfect = np.argwhere(np.triu((model.pairs == 1) & (model.pairs.T == 1)))
        if not len(perfect):
            continue
        a, b = (content.classes[k] for k in perfect[0])
        more = f" and {len(perfect) - 1} other pairs" if len(perfect) > 1 else ""
        text = (
            f"No case of {a} and {b}{more} is out of order. Such a value has no standard error, "
            "and scores that see the answer (leakage) look like this."
        )
        yield Finding("perfect-separation", "warning", f"{model.name}: perfect separation", text)


def _worse_than_chance(content: Content) -> Iterator[Finding]:
    for model in content.models:
        estimate = model.evaluation[content.main_metric]
        if estimate.interval(content.level).high < 0.5:
            text = (
                f"{registry[content.main_metric].symbol} is {estimate.value:.3f}, below ½ beyond "
                "doubt. Are the columns in the order of the classes?"
            )
            yield Finding("worse-than-chance", "warning", f"{model.name}: worse than chance", text)


def _calibration(content: Content) -> Iterator[Finding]:
    """Whether the highest probability is about as high as the share of right decisions."""
    for model in content.models:
        if model.probabilities is None or model.fault:
            continue
        highest = model.probabilities.max(axis=1)
        right = np.argmax(model.probabilities, axis=1) == model.predictions.codes
        gap, error = _mean_with_error(highest - right, model.predictions.case_weights)
        if abs(gap) < max(TOLD_GAP, CLEAR_ERRORS * error):
            continue
        weights = model.predictions.case_weights
        mean, share = np.average(highest, weights=weights), np.average(right, weights=weights)
        word = "overconfident" if gap > 0 else "underconfident"
        text = (
            f"The class it decides for has the probability {percent(mean)} on average, and is "
            f"right in {percent(share)} of cases. Costs and thresholds set on these probabilities "
            "go astray: calibrate them first."
        )
        yield Finding(word, "warning", f"{model.name} is {word}", text)


def _class_shares(content: Content) -> Iterator[Finding]:
    """Whether the mean probability of each class is about its share of the cases."""
    for model in content.models:
        if model.probabilities is None or model.fault:
            continue
        own = np.arange(len(content.classes)) == model.predictions.codes[:, None]
        gaps = [
            _mean_with_error(column, model.predictions.case_weights)
            for column in (model.probabilities - own).T
        ]
        k = int(np.argmax([abs(gap) for gap, _ in gaps]))
        gap, error = gaps[k]
        if abs(gap) < max(TOLD_GAP, CLEAR_ERRORS * error):
            continue
        share = model.predictions.priors[k]
        text = (
            f"It gives {content.classes[k]} {percent(share + gap, 1)} of the probability on "
            f"average, while {percent(share, 1)} of the cases belong to it."
        )
        title = f"{model.name} expects {'more' if gap > 0 else 'less'} {content.classes[k]}"
        yield Finding("class-shares", "notice", title, text)


def _mean_with_error(values: Float64Array, weights: Float64Array) -> tuple[float, float]:
    mean = float(np.average(values, weights=weights))
    error = math.sqrt(float((weights**2 * (values - mean) ** 2).sum())) / float(weights.sum())
    return mean, error


def _undefined(content: Content) -> Iterator[Finding]:
    """Metrics without a value."""
    for model in content.models:
        missing = [name for name, each in model.evaluation.items() if math.isnan(each.value)]
        if missing:
            symbols = ", ".join(registry[name].symbol for name in missing)
            text = f"{symbols} have no value here; the table of metrics says why."
            title = f"{model.name}: metrics that do not exist"
            yield Finding("undefined-metric", "notice", title, text)


def _sampled(content: Content) -> Iterator[Finding]:
    cases = content.cases
    if cases.sampled:
        text = (
            f"All numbers outside the explorer and the surface are computed from all "
            f"{cases.n_cases:,} cases. The page itself holds {len(cases):,} of them, drawn at "
            "random within each class, so that it stays small."
        )
        yield Finding("sample-in-page", "fact", "The explorer shows a sample of the cases", text)


RULES: tuple[Callable[[Content], Iterator[Finding]], ...] = (
    _differences,
    _metric_choice,
    _confused_pairs,
    _not_probabilities,
    _worse_than_chance,
    _separation,
    _rare_classes,
    _calibration,
    _class_shares,
    _ties,
    _undefined,
    _sampled,
)
