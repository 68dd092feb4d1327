"""Findings about classes: what is misclassified, which are small, how probabilities fit them."""

from collections.abc import Iterator

import numpy as np

from polyroc._base.wording import plural
from polyroc.report._content import Content
from polyroc.report._decisions import (
    Confusions,
    decided,
    error_if_calibrated,
    mean_with_error,
)
from polyroc.report._finding import FEW_CASES, Finding
from polyroc.report._wording import share

RARE_SHARE = 0.1
TOLD_GAP = 0.02
"""Differences of mean probabilities up to this are not reported."""
CLEAR_ERRORS = 3
"""Standard errors from which on such a difference is no accident."""


def confusions(content: Content) -> Iterator[Finding]:
    """The highest error rate of the leading model where every error costs the same."""
    model = content.leading
    decisions = decided(model)
    if decisions is None:
        return
    found = Confusions.of(model, decisions)
    if not found.n_errors:
        text = (
            f"If every error costs the same, all {len(decisions):,} cases are classified correctly."
        )
        title = f"{model.name} classifies every case correctly"
        yield Finding("no-errors", "fact", title, text)
        return
    truth, decision = found.worst()
    x, y = content.classes[truth], content.classes[decision]
    rate, count = found.rates[truth, decision], int(found.counts[truth, decision])
    size = int(model.predictions.class_counts[truth])
    number_of = f"{count:,} of {plural(size, 'case')}"
    which = number_of if model.predictions.weights is None else f"by weight, {number_of}"
    sampled = content.cases.sampled and content.holds_cases  # the page decides only some cases
    among = f" among all {plural(content.cases.n_cases, 'case')}" if sampled else ""
    text = (
        f"If every error costs the same, {share(rate)} of {x} are classified as {y}, {which}: "
        f"no error rate between two classes is higher{among}."
    )
    yield Finding("confusion", "fact", f"{model.name} classifies {share(rate)} of {x} as {y}", text)


def rare_classes(content: Content) -> Iterator[Finding]:
    """Classes with a small share of the cases."""
    shares = content.predictions.priors
    limit = RARE_SHARE if len(content.classes) <= 4 else 0.5 / len(content.classes)
    rare = [k for k in np.argsort(shares, kind="stable").tolist() if shares[k] < limit]
    if not rare:
        return
    effect = (
        "AUC counts both classes equally; accuracy is barely affected by the smaller one."
        if len(content.classes) == 2
        else "Metrics weighted by prevalence (AUNP, AU1P) are barely affected by such a class; M, "
        "AUNU, AUC_μ and PDI count it as much as any other."
    )
    more = f"; {plural(len(rare) - 5, 'more class')} with less than half of the mean share"
    text = (
        f"Of {plural(len(content.predictions), 'case')}, {_listed(content, rare)}"
        f"{more if len(rare) > 5 else ''}. {effect}"
    )
    title = f"{_names(content, rare)}: a small share of the cases"
    yield Finding("rare-class", "notice", title, text)


def few_cases(content: Content) -> Iterator[Finding]:
    """Classes with few cases."""
    counts = content.predictions.class_counts
    few = [k for k in np.argsort(counts, kind="stable").tolist() if counts[k] < FEW_CASES]
    if not few:
        return
    more = f"; {plural(len(few) - 5, 'more class')} with fewer than {FEW_CASES} cases"
    text = (
        f"Of {plural(len(content.predictions), 'case')}, {_listed(content, few)}"
        f"{more if len(few) > 5 else ''}. Values that depend on so few cases are uncertain: read "
        "the intervals, not the third digit."
    )
    yield Finding("few-cases", "warning", f"{_names(content, few)}: few cases", text)


def _names(content: Content, chosen: list[int]) -> str:
    shown = ", ".join(content.classes[k] for k in chosen[:3])
    return shown if len(chosen) <= 3 else f"{shown} and {plural(len(chosen) - 3, 'more class')}"


def _listed(content: Content, chosen: list[int]) -> str:
    shares, counts = content.predictions.priors, content.predictions.class_counts
    weighted = _by_weight(content)
    return ", ".join(
        f"{content.classes[k]} has {counts[k]:,} ({share(shares[k], 1)}{weighted})"
        for k in chosen[:5]
    )


def _by_weight(content: Content) -> str:
    """What shares are of, where cases do not count alike."""
    return "" if content.predictions.weights is None else " by weight"


def calibration(content: Content) -> Iterator[Finding]:
    """Whether the highest probability is about as high as the share of correct decisions."""
    for model in content.models:
        decisions = decided(model)
        if model.probabilities is None or decisions is None or model.fault:
            continue
        highest = model.probabilities.max(axis=1)
        correct = decisions == model.predictions.codes
        weights = model.predictions.case_weights
        gap, error = mean_with_error(highest - correct, weights, content.groups)
        error = max(error, error_if_calibrated(highest, weights))
        if abs(gap) < max(TOLD_GAP, CLEAR_ERRORS * error):
            continue
        mean, right = (float(np.average(each, weights=weights)) for each in (highest, correct))
        word = "overconfident" if gap > 0 else "underconfident"
        text = (
            f"The most probable class has a probability of {share(mean)} on average, and is the "
            f"true class in {share(right)} of cases{_by_weight(content)}. Costs and thresholds set "
            "on these probabilities will mislead: calibrate them first."
        )
        yield Finding(word, "warning", f"{model.name} is {word}", text)


def class_shares(content: Content) -> Iterator[Finding]:
    """Whether the mean probability of each class is about its share of the cases."""
    for model in content.models:
        if model.probabilities is None or model.fault:
            continue
        own = np.arange(len(content.classes)) == model.predictions.codes[:, None]
        gaps = [
            mean_with_error(column, model.predictions.case_weights, content.groups)
            for column in (model.probabilities - own).T
        ]
        # Of two classes both are off by the same amount, and every model is told by the second.
        k = 1 if len(gaps) == 2 else int(np.argmax([abs(gap) for gap, _ in gaps]))
        gap, error = gaps[k]
        weights = model.predictions.case_weights
        error = max(error, error_if_calibrated(model.probabilities[:, k], weights))
        if abs(gap) < max(TOLD_GAP, CLEAR_ERRORS * error):
            continue
        prior, name = float(model.predictions.priors[k]), content.classes[k]
        text = (
            f"The mean probability of {name} is {share(prior + gap, 1)}, while "
            f"{share(prior, 1)} of the cases{_by_weight(content)} belong to it."
        )
        word = "high" if gap > 0 else "low"
        title = f"{model.name}: probabilities of {name} too {word} on average"
        yield Finding("class-shares", "notice", title, text)
