"""``check``: requirements judged on intervals and paired differences.

With θ the value of a metric where higher is better, and e = θ − θ_baseline, a requirement has two
one-sided tests, on the scales of the intervals of :meth:`Estimate.test` and :func:`compare`:

    minimum m     met: H₀ θ ≤ m rejected        violated: H₀ θ ≥ m rejected
    max_drop m    met: H₀ e ≤ −m rejected       violated: H₀ e ≥ −m rejected

For a metric where lower is better, maximum and max_rise turn θ and e round.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from polyroc._base.levels import check_level
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.inference._checking.places import Place, places_of
from polyroc.inference._checking.requirements import Bounds, Requirement, requirements_of
from polyroc.inference._checking.result import Check, Checked, judged
from polyroc.inference._compare import compare_by_slices
from polyroc.inference._comparison import Comparison, Difference
from polyroc.inference._differences import AGREE
from polyroc.inference._evaluate import evaluate
from polyroc.inference._margins import Hypothesis
from polyroc.inference._options import Influence
from polyroc.inference._samples import Samples, samples_of
from polyroc.metrics import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.results import Estimate, Evaluation
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike


def check(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    minimum: Bounds | None = None,
    maximum: Bounds | None = None,
    baseline: ScoresLike | Predictions | None = None,
    max_drop: Bounds | None = None,
    max_rise: Bounds | None = None,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: Any = None,
    level: float = 0.95,
) -> Check:
    """Test a classifier against requirements: pass, fail, or too few cases to tell.

    A requirement passes if a one-sided test shows that it is met, and fails if one shows that it
    is violated. So a value just above its minimum does not pass by luck, and one just below does
    not fail by bad luck. A check passes if all its requirements do, and fails if one does. Failures
    are adjusted by Holm's method over the requirements: a check whose requirements are all met
    fails in at most 1 − level of samples, and one with a violated requirement passes in about as
    many at most.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight, groups, folds : as for :func:`polyroc.evaluate`.
    by : attributes of the cases, such as site, as for :func:`polyroc.evaluate`: every requirement
        is also one of each slice. A slice with too few cases of a class is undecided.
    minimum : the lowest value allowed, by metric; for metrics where higher is better.
    maximum : the highest value allowed, by metric; for metrics where lower is better, such as
        ``saec``.
    baseline : scores of another classifier for the same cases, or its
        :class:`polyroc.Predictions` where ``y_true`` is one.
    max_drop, max_rise : by how much a metric may be worse than that of the baseline, judged on the
        paired difference: by metric, or one number for all metrics that ``minimum`` (``maximum``
        for ``max_rise``) names.
    level : confidence level of the one-sided limits; tests reject at 1 − level.

    Returns
    -------
    Check
        ``outcome`` is ``"pass"``, ``"fail"`` or ``"undecided"``; ``frame()`` has a row per
        requirement and ``explain()`` says how they were judged.

    Examples
    --------
    >>> import polyroc
    >>> y, models, labels = polyroc.datasets.example_predictions()
    >>> found = polyroc.check(
    ...     y, models["forest"], minimum={"hand_till": 0.8}, labels=labels,
    ...     baseline=models["bayes"], max_drop=0.05,
    ... )
    >>> found.outcome
    'pass'
    >>> found.frame()[["requirement", "outcome", "judged", "low", "high"]].round(3)
                           requirement outcome  judged    low   high
    0           hand_till at least 0.8    pass   0.875  0.851  0.896
    1  hand_till drops by at most 0.05    pass   0.011  0.000  0.022
    """
    check_level(level)
    asked = requirements_of(minimum, maximum, max_drop, max_rise)
    _check_baseline(asked, baseline)
    given = {"labels": labels, "sample_weight": sample_weight, "folds": folds}
    if baseline is None:
        predictions, samples = predictions_of(y_true, y_score, **given), None
    else:
        samples = _paired(y_true, y_score, baseline, groups, given)
        predictions = samples.predictions[0]
    names = list(dict.fromkeys(each.metric for each in asked))
    values = evaluate(predictions, metrics=names, groups=groups, by=by, level=level)
    changes = None if samples is None else _compared(samples, by, asked, level)
    _check_defined(values, changes)
    same = samples is not None and _same_scores(samples)
    places = places_of(values, changes)
    return judged([_row(each, place, same, level) for place in places for each in asked], level)


def _row(asked: Requirement, place: Place, same: bool, level: float) -> Checked:
    """One requirement for all cases, or for those of a slice."""
    found = None if place.values is None else place.values[asked.metric]
    if found is None or math.isnan(found.value):
        reasons = (place.withheld,) if found is None else _texts(found)
        made = Checked(asked.metric, asked.rule, asked.bound, notes=reasons)
    elif asked.of_value:
        made = _of_value(asked, found, level)
    else:
        made = _of_change(asked, found, place.change(asked.metric), same, level)
    return replace(made, attribute=place.attribute, slice=place.slice)


def _texts(found: Estimate) -> tuple[str, ...]:
    return tuple(note.text for note in found.notes)


def _check_baseline(asked: tuple[Requirement, ...], baseline: Any) -> None:
    """A baseline and requirements about changes belong together."""
    changes = [each for each in asked if not each.of_value]
    if changes and baseline is None:
        raise InvalidInput(
            f"{changes[0].rule}= needs a baseline. Pass baseline=, scores of the classifier to "
            "compare with."
        )
    if baseline is not None and not changes:
        raise InvalidInput(
            "baseline= is given, but nothing is required of changes. Pass max_drop= or max_rise=."
        )


def _paired(
    y_true: Any, y_score: Any, baseline: Any, groups: Any, given: dict[str, Any]
) -> Samples:
    """The classifier and its baseline on the same cases."""
    if isinstance(y_true, Predictions) != isinstance(baseline, Predictions):
        raise InvalidType(
            "Of y_true and baseline, one is a Predictions and the other is not. Pass both as "
            "Predictions of the same cases, or labels and the scores of both."
        )
    if isinstance(y_true, Predictions):
        models = {"candidate": y_true, "baseline": baseline}
        return samples_of(models, y_score, groups, **given)
    scores = {"candidate": y_score, "baseline": baseline}
    return samples_of(y_true, scores, groups, **given)


def _check_defined(values: Evaluation, changes: Comparison | None) -> None:
    """A requirement about a metric that does not exist cannot be judged."""
    undefined = [(each.metric, each.note) for each in values.values() if math.isnan(each.value)]
    rows = () if changes is None else changes.differences
    undefined += [(row.metric, row.note) for row in rows if math.isnan(row.difference)]
    for metric, reason in undefined:
        raise NotDefined(f"{metric} does not exist for these data: {reason}")


def _compared(
    samples: Samples, by: Any, asked: tuple[Requirement, ...], level: float
) -> Comparison:
    """The paired differences of the metrics whose changes are limited."""
    names = list(dict.fromkeys(each.metric for each in asked if not each.of_value))
    return compare_by_slices(samples, by, names, None, Influence(), level, Hypothesis())


def _same_scores(samples: Samples) -> bool:
    """Whether the classifier gives the scores of the baseline."""
    after, before = (each.scores for each in samples.predictions)
    return np.array_equal(after, before)


def _of_value(asked: Requirement, found: Estimate, level: float) -> Checked:
    low, high, *_ = found.interval(level, alternative="equivalent")
    return Checked(
        *(asked.metric, asked.rule, asked.bound, found.value),
        *(math.nan, found.value, low, high),
        p_met=found.test(asked.bound, "greater").p_value,
        p_violated=found.test(asked.bound, "less").p_value,
        notes=_texts(found),
    )


def _of_change(
    asked: Requirement,
    found: Estimate,
    change: tuple[Difference, float],
    same: bool,
    level: float,
) -> Checked:
    row, before = change
    lower = row.lower_is_better
    worse = row.difference if lower else -row.difference
    made = Checked(
        *(asked.metric, asked.rule, asked.bound, found.value),
        *(before, worse + 0.0, *_limits_of_loss(row, level)),
        p_met=Hypothesis("noninferior", asked.bound).p_value(row, lower),
        p_violated=Hypothesis("less", asked.bound).p_value(row, lower),
        notes=row.notes,
    )
    if math.isnan(row.standard_error) and row.difference == 0:
        return _without_variation(made, found, same)
    return made


def _limits_of_loss(row: Difference, level: float) -> tuple[float, float]:
    """One-sided limits of how much worse the classifier is than the baseline."""
    low, high, *_ = replace(row, alternative="equivalent").interval(level)
    return (low, high) if row.lower_is_better else (-high, -low)


def _without_variation(made: Checked, found: Estimate, same: bool) -> Checked:
    """A change of 0 without a standard error.

    Classifiers that order all cases alike have no difference. Two that are perfect on these cases
    need not be so on others: the loss is at most what the value lacks to the best one.
    """
    best = found.range[found.direction == "higher"]
    if same or (AGREE in made.note and found.value != best):
        return replace(made, low=0.0, high=0.0, p_met=0.0, p_violated=1.0)
    if AGREE not in made.note:
        return made
    worst = best - registry[made.metric].sign * made.bound
    return replace(made, p_met=found.test(worst, "greater").p_value, p_violated=1.0)
