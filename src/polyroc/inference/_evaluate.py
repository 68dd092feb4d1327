"""``evaluate`` and ``estimate``: metrics of one classifier with standard errors and intervals."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.random import seed_of
from polyroc.errors import InvalidInput
from polyroc.inference._bias import bias_of
from polyroc.inference._drawn import spread_of_value
from polyroc.inference._edge import effective_sizes
from polyroc.inference._folds import measured, told_of_folds
from polyroc.inference._influence import CaseDesign, covariance
from polyroc.inference._notes import design_notes, notes_on
from polyroc.inference._options import Bootstrap, IntervalMethod, interval_method
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric, Occasion
from polyroc.metrics.folds import FoldStatistics, statistics_of
from polyroc.metrics.measure import CaseStatistics, Measured
from polyroc.metrics.question import NO_VARIATION, Influence
from polyroc.predictions import Predictions, predictions_of
from polyroc.results import Estimate, Evaluation, Note, check_level
from polyroc.statistics.tuples import Tuples
from polyroc.typing import (
    Absent,
    Float64Array,
    LabelsLike,
    PriorsLike,
    RandomState,
    ScoresLike,
    WeightsLike,
)


class Draw(NamedTuple):
    """Random tuples to estimate volumes from."""

    n_tuples: int
    seed: int


def evaluate(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    priors: PriorsLike | None = None,
    interval: IntervalMethod | None = "influence",
    level: float = 0.95,
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
) -> Evaluation:
    """Metrics of a classifier with standard errors and confidence intervals.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight, absent : see :class:`polyroc.Predictions`, of which one
        takes the place of labels and scores.
    metrics : names of metrics, ``"all"`` for every one, or None: those that are defined for this
        number of classes, differ from each other and are affordable for these cases (volumes of
        three classes up to 3,000 cases).
    groups : group of each case where cases are not independent, such as the patient of an image;
        or a :class:`polyroc.Design`, which also says how the cases were sampled and what their
        weights mean.
    folds : the fold of a cross-validation in which each case was held out, see
        :class:`polyroc.Predictions`: metrics are means over folds.
    priors : prior of each class, in place of the shares in the sample, for metrics that use them.
    interval : ``"influence"`` from influence values, ``"bootstrap"`` (BCa) or a
        :class:`polyroc.Bootstrap` with the number of replicates, or None: no errors.
    level : confidence level of the limits in the tables; a result can be asked for others.
    n_tuples : random tuples to estimate the volumes from, which are expensive for many classes.
    rng : seed of random tuples and of the bootstrap.

    Returns
    -------
    Evaluation
        Estimates by name; ``frame()``, ``to_dict()``. A metric that does not exist for these
        predictions is NaN and its note says why.

    Examples
    --------
    >>> from polyroc import evaluate
    >>> from polyroc.datasets import example_predictions
    >>> example = example_predictions()
    >>> result = evaluate(example.y_true, example.models["logistic"], labels=example.labels)
    >>> result["hand_till"]
    hand_till = 0.8924 (95 % interval 0.8675 to 0.9131)
    """
    check_level(level)
    method = interval_method(interval)
    predictions = predictions_of(y_true, y_score, labels, sample_weight, absent, folds=folds)
    design = CaseDesign.of(groups, predictions)
    replicates = method.replicates if isinstance(method, Bootstrap) else 1
    chosen = registry.select(metrics, Occasion.of(predictions, replicates))
    if isinstance(method, Bootstrap):
        from polyroc.inference._bootstrap import bootstrap_estimates

        if n_tuples is not None and method.n_tuples is not None:
            raise InvalidInput("n_tuples is given twice, also in the Bootstrap. Pass it once.")
        seeded = method if method.rng is not None else replace(method, rng=rng)
        seeded = seeded if n_tuples is None else replace(seeded, n_tuples=n_tuples)
        estimates = bootstrap_estimates(predictions, chosen, design, priors, seeded)
    else:
        draw = None if n_tuples is None else Draw(n_tuples, seed_of(rng))
        statistics, with_error = statistics_of(predictions), method is not None
        found = _found(statistics, chosen, design, priors, with_error, draw)
        estimates = _estimates(statistics, found, design, priors, draw)
        if with_error:
            joint = joint_covariance(predictions, found.measured, estimates, design)
            return Evaluation(tuple(estimates), level, joint)
    return Evaluation(tuple(estimates), level)


def estimate(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    metric: str = "hand_till",
    **options: Any,
) -> Estimate:
    """One metric with its standard error and interval; options as for :func:`evaluate`."""
    return evaluate(y_true, y_score, [metric], **options)[metric]


def estimate_metrics(
    statistics: CaseStatistics | FoldStatistics,
    metrics: Sequence[Metric],
    design: CaseDesign,
    priors: PriorsLike | None,
    with_error: bool = True,
    draw: Draw | None = None,
) -> list[Estimate]:
    """Values of metrics, and their standard errors from influence values."""
    found = _found(statistics, metrics, design, priors, with_error, draw)
    return _estimates(statistics, found, design, priors, draw)


class _Found(NamedTuple):
    """Metrics with their options, and what was measured."""

    asked: list[tuple[Metric, dict[str, Any]]]
    measured: list[Measured]


def _found(
    statistics: CaseStatistics | FoldStatistics,
    metrics: Sequence[Metric],
    design: CaseDesign,
    priors: PriorsLike | None,
    with_error: bool,
    draw: Draw | None,
) -> _Found:
    asked = [(metric, options_of(metric, priors, draw)) for metric in metrics]
    return _Found(asked, measured(statistics, asked, design, with_influence=with_error))


def _estimates(
    statistics: CaseStatistics | FoldStatistics,
    found: _Found,
    design: CaseDesign,
    priors: PriorsLike | None,
    draw: Draw | None,
) -> list[Estimate]:
    given, predictions = priors is not None, statistics.predictions
    estimates = [_estimated(statistics, each, design, given, draw) for each in found.measured]
    if any(each.influence is not None for each in found.measured):
        sizes = effective_sizes(statistics, *found, design)
        estimates = [
            replace(estimate, effective=size, bias=bias_of(each.metric, predictions, design))
            if size is not None
            else estimate
            for each, estimate, size in zip(found.measured, estimates, sizes, strict=True)
        ]
    if isinstance(statistics, FoldStatistics):
        return told_of_folds(statistics, *found, estimates)
    return estimates


def joint_covariance(
    predictions: Predictions,
    found: Sequence[Measured],
    estimates: Sequence[Estimate],
    design: CaseDesign,
) -> Float64Array:
    """How the values of metrics vary together; NaN where one has no standard error.

    Of values from random tuples only the variance is known, which contains that of the draw.
    """
    errors = np.array([each.standard_error for each in estimates])
    matrix = np.full((len(found), len(found)), np.nan)
    known = [
        place
        for place, each in enumerate(found)
        if each.influence is not None and each.influence.drawn is None and errors[place] > 0
    ]
    moved = [influence for place in known if (influence := found[place].influence) is not None]
    if moved:
        matrix[np.ix_(known, known)] = covariance(predictions, moved, design)
    np.fill_diagonal(matrix, errors**2)
    return matrix


def _estimated(
    statistics: CaseStatistics | FoldStatistics,
    found: Measured,
    design: CaseDesign,
    priors_given: bool,
    draw: Draw | None,
) -> Estimate:
    predictions, metric, influence = statistics.predictions, found.metric, found.influence
    if found.reason is not None:
        return undefined(predictions, metric, found.reason)
    drawn = draw if metric.statistic is Tuples else None
    notes = notes_on(statistics, metric, design.sampling, priors_given, exact=drawn is None)
    notes += design_notes(design)
    settings = {**design.settings(), **({} if drawn is None else drawn._asdict())}
    if influence is None:
        return _estimate(predictions, metric, found.value, "value only", notes, settings=settings)
    variance, freedom = spread_of_value(predictions, influence, design)
    error = math.sqrt(variance)
    missing = why_no_error(predictions, design, found.value, error, influence)
    if missing:
        notes = (*notes, missing)
        return _estimate(predictions, metric, found.value, "influence", notes, settings=settings)
    method = "influence" if drawn is None else "influence, random tuples"
    return _estimate(predictions, metric, found.value, method, notes, error, freedom, settings)


def options_of(
    metric: Metric, priors: PriorsLike | None, draw: Draw | None = None
) -> dict[str, Any]:
    """Options that a metric is called with: priors if it uses them, random tuples if asked for."""
    if metric.prior_weighted and priors is not None:
        return {"priors": priors}
    if draw is not None and metric.statistic is Tuples:
        return {"n_tuples": draw.n_tuples, "rng": draw.seed}
    return {}


def _estimate(
    predictions: Predictions,
    metric: Metric,
    value: float,
    method: str,
    notes: tuple[Note, ...],
    error: float = math.nan,
    freedom: float = math.inf,
    settings: dict[str, Any] | None = None,
) -> Estimate:
    return Estimate(
        metric=metric.name,
        value=value,
        standard_error=error,
        method=method,
        degrees_of_freedom=freedom,
        range=(metric.lowest, metric.highest),
        direction=metric.direction,
        counts=dict(zip(predictions.classes, predictions.class_counts.tolist(), strict=True)),
        notes=notes,
        settings=settings or {},
    )


def undefined(predictions: Predictions, metric: Metric, reason: str) -> Estimate:
    """NaN with the reason, for a metric that does not exist for these predictions."""
    return _estimate(predictions, metric, math.nan, "none", (Note("not-defined", reason),))


def why_no_error(
    predictions: Predictions, design: CaseDesign, value: float, error: float, influence: Influence
) -> Note | None:
    """The reason why there is no standard error, if there is none."""
    if influence.reason is not None:
        return Note("no-derivative", f"no standard error: {influence.reason}")
    counts = design.counts(predictions)
    if (counts <= 1).any():
        label = predictions.classes[int(np.argmin(counts))]
        unit = "case" if design.groups is None else "group"
        return Note("one-case", f"no standard error: class {label!r} has one {unit}")
    if influence.drawn is not None and error == 0:
        agree = f"all {len(influence.drawn.credit):,} random tuples agree on {value:.4g}"
        return Note("no-variation", f"no standard error: {agree}")
    if error <= NO_VARIATION * influence.scale:
        return Note("no-variation", f"no standard error: every case agrees on {value:.4g}")
    return None
