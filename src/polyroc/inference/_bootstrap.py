"""Bootstrap: standard errors, percentile and BCa intervals, and comparisons, for every metric."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polyroc._base.random import seed_of
from polyroc.inference._comparison import Comparison, Difference, holm
from polyroc.inference._differences import comparison_notes, differences_of, undefined_differences
from polyroc.inference._edge import effective_sizes
from polyroc.inference._estimates import Draw, estimate_metrics, options_of, why_no_error
from polyroc.inference._folds import designs_of_folds
from polyroc.inference._influence import CaseDesign, contributions
from polyroc.inference._margins import Hypothesis
from polyroc.inference._options import Bootstrap
from polyroc.inference._resampling import (
    BATCH,
    Replicator,
    Resampler,
    drawn_weights,
)
from polyroc.inference._samples import Samples
from polyroc.inference._spread import Spread, omnibus_test
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import FoldStatistics, statistics_of
from polyroc.metrics.measure import CaseStatistics, Measured
from polyroc.metrics.question import Influence, Question
from polyroc.predictions import Predictions
from polyroc.results import Estimate, Note
from polyroc.typing import Float64Array, PriorsLike


def replicate_values(
    predictions: Predictions,
    questions: Sequence[Question],
    design: CaseDesign,
    n_replicates: int,
    seed: int,
    step: int = 1,
) -> Float64Array:
    """Values (replicates × metrics) on resampled cases; seeds of folds are ``step`` apart."""
    if predictions.folds is not None:
        return _replicates_of_folds(predictions, questions, design, n_replicates, seed, step)
    resampler = Resampler.of(predictions, design)
    if design.sampling == "stratified":
        questions = [_at_fixed_priors(each, predictions) for each in questions]
    replicator = Replicator(predictions, questions)
    parts = []
    for start in range(0, n_replicates, BATCH):
        batch = range(start, min(start + BATCH, n_replicates))
        weights = drawn_weights(resampler, seed, batch, predictions.n_threads)
        parts.append(replicator.values(weights, start))
    return np.concatenate(parts)


def _at_fixed_priors(question: Question, predictions: Predictions) -> Question:
    """The question at the priors of the sample, where it has none: classes keep their shares."""
    if question.priors is not None or not question.metric.prior_weighted:
        return question
    return replace(question, priors=predictions.priors)


def _replicates_of_folds(
    predictions: Predictions,
    questions: Sequence[Question],
    design: CaseDesign,
    n_replicates: int,
    seed: int,
    step: int,
) -> Float64Array:
    """Means over folds, the cases of each fold resampled on their own."""
    parts = [
        predictions.part(rows, n_threads=predictions.n_threads) for rows in predictions.fold_rows
    ]
    designs = designs_of_folds(predictions, parts, design)
    found = [
        replicate_values(part, questions, own, n_replicates, seed + v * step)
        for v, (part, own) in enumerate(zip(parts, designs, strict=True))
    ]
    return np.asarray(np.mean(found, axis=0))


def defined_questions(
    models: Sequence[CaseStatistics | FoldStatistics],
    metrics: Sequence[Metric],
    priors: PriorsLike | None,
    draw: Draw | None = None,
) -> tuple[list[Question], list[list[Measured]], dict[str, str]]:
    """Questions that have an answer for all models, the answers, and why others have none."""
    asked = [(metric, options_of(metric, priors, draw)) for metric in metrics]
    found = list(zip(*(each.measure(asked) for each in models), strict=True))
    reasons = {each.metric.name: each.reason for row in found for each in row if each.reason}
    questions = [
        metric.question(models[0].predictions, **options)
        for metric, options in asked
        if metric.name not in reasons
    ]
    return questions, [list(row) for row in found], reasons


def bootstrap_estimates(
    predictions: Predictions,
    metrics: Sequence[Metric],
    design: CaseDesign,
    priors: PriorsLike | None,
    method: Bootstrap,
) -> list[Estimate]:
    """Estimates with replicates, for BCa and percentile intervals."""
    seed, n_replicates = seed_of(method.rng), method.replicates
    draw = None if method.n_tuples is None else Draw(method.n_tuples, seed)
    statistics = statistics_of(predictions)
    questions, found, _ = defined_questions([statistics], metrics, priors, draw)
    values = replicate_values(predictions, questions, design, n_replicates, seed)
    columns = dict(zip((q.metric.name for q in questions), values.T, strict=True))
    settings = {**design.settings(), "n_replicates": n_replicates, "seed": seed}
    plain = estimate_metrics(statistics, metrics, design, priors, False, draw)
    asked = [(metric, options_of(metric, priors, draw)) for metric in metrics]
    sizes = effective_sizes(statistics, asked, [row[0] for row in found], design)
    plain = [replace(each, effective=size) for each, size in zip(plain, sizes, strict=True)]
    return [
        each
        if row[0].influence is None
        else _with_error(each, row[0], columns[each.metric], predictions, design, settings)
        for each, row in zip(plain, found, strict=True)
    ]


def _with_error(
    plain: Estimate,
    found: Measured,
    replicates: Float64Array,
    predictions: Predictions,
    design: CaseDesign,
    settings: dict[str, Any],
) -> Estimate:
    influence = found.influence
    assert influence is not None
    plain, replicates = _without_missing(plain, replicates)
    error = float(replicates.std(ddof=1)) if len(replicates) > 1 else math.nan
    at_limit = found.metric.fault is not None and influence.reason is not None
    known = influence if at_limit else replace(influence, reason=None)
    missing = why_no_error(predictions, design, plain.value, error, known)
    if missing:
        notes = (*plain.notes, missing)
        return replace(plain, method="bootstrap", notes=notes, settings=settings)
    return replace(
        plain,
        standard_error=error,
        method="bootstrap",
        replicates=replicates,
        acceleration=_acceleration(predictions, influence, design),
        settings={**plain.settings, **settings},
    )


def _without_missing(plain: Estimate, replicates: Float64Array) -> tuple[Estimate, Float64Array]:
    """Replicates that have a value, and a note that counts the others."""
    missing = np.isnan(replicates)
    if not missing.any():
        return plain, replicates
    note = Note("undefined-replicates", _left_out(missing))
    return replace(plain, notes=(*plain.notes, note)), replicates[~missing]


def _left_out(missing: Any) -> str:
    counted = f"{int(missing.sum())} of {len(missing)} replicates"
    return f"{counted} have no curve that fits and are left out"


def _acceleration(
    predictions: Predictions, influence: Influence, design: CaseDesign
) -> float | None:
    """Skewness of the contributions over 6: 0 where a metric has none.

    None for random tuples, whose contributions are mostly noise of the draw.
    """
    if influence.drawn is not None:
        return None
    moved = contributions(predictions, [influence], design)[:, 0]
    squares = float((moved**2).sum())
    if not squares > 0:
        return 0.0
    return float((moved**3).sum() / (6 * squares**1.5))


def bootstrap_comparison(
    samples: Samples,
    metrics: Sequence[Metric],
    priors: PriorsLike | None,
    level: float,
    method: Bootstrap,
    hypothesis: Hypothesis,
) -> Comparison:
    """Differences on resampled cases; paired models see the same resamples."""
    seed, n_replicates = seed_of(method.rng), method.replicates
    draw = None if method.n_tuples is None else Draw(method.n_tuples, seed)
    models = [statistics_of(each) for each in samples.predictions]
    questions, measured, reasons = defined_questions(models, metrics, priors, draw)
    drawn = _replicates_of_models(samples, questions, n_replicates, seed)
    differences: list[Difference] = []
    tests, values = [], {}
    for metric, row in zip(metrics, measured, strict=True):
        if metric.name in reasons:
            differences += undefined_differences(samples, metric, reasons[metric.name])
            continue
        column = next(i for i, q in enumerate(questions) if q.metric is metric)
        missing = np.isnan(drawn[:, :, column]).any(axis=0)
        of_metric = drawn[:, ~missing, column]
        found = np.array([each.value for each in row])
        values[metric.name] = dict(zip(samples.names, found.tolist(), strict=True))
        moved = [each.influence for each in row if each.influence is not None]
        spread = _spread(samples, of_metric, moved).for_reference(hypothesis.reference)
        notes = comparison_notes(samples, metric, priors)
        notes += (_left_out(missing),) * bool(missing.any())
        rows = differences_of(samples, metric, found, spread, notes)
        rows = hypothesis.tests(rows, metric)
        differences += holm(_with_replicates(rows, samples, of_metric))
        tests.append(omnibus_test(metric.name, found, spread))
    settings = {**hypothesis.settings(), "n_replicates": n_replicates, "seed": seed}
    return Comparison(values, tuple(differences), tuple(tests), "bootstrap", level, settings)


def _replicates_of_models(
    samples: Samples, questions: Sequence[Question], n_replicates: int, seed: int
) -> Float64Array:
    """Values (models × replicates × metrics); independent samples have seeds of their own."""
    n_models = len(samples.names)
    seeds = [(seed, 1) if samples.paired else (seed + 1 + m, n_models) for m in range(n_models)]
    found = [
        replicate_values(each, questions, design, n_replicates, *own)
        for each, design, own in zip(samples.predictions, samples.designs, seeds, strict=True)
    ]
    return np.stack(found)


def _spread(samples: Samples, drawn: Float64Array, influences: Sequence[Influence]) -> Spread:
    """Spread of the models over the replicates; NaN where a class has one case or group.

    Degrees of freedom come from influence values, as without a bootstrap. Where a metric has none,
    they are those of the smallest class.
    """
    if drawn.shape[1] < 2:
        drawn = np.full((len(drawn), 2), math.nan)
    centred = (drawn - drawn.mean(axis=1, keepdims=True)) / math.sqrt(drawn.shape[1] - 1)
    counts = [
        design.counts(each)
        for each, design in zip(samples.predictions, samples.designs, strict=True)
    ]
    for m, each in enumerate(counts):
        if (each <= 1).any():
            centred[m] = math.nan
    differences = ((centred[:, None] - centred[None]) ** 2).sum(axis=2)
    known = samples.spread(influences)
    least = float(min(each.min() for each in counts) - 1)
    if any(each.reason is not None for each in influences):
        freedom = np.full(known.freedom.shape, least)
        parts = differences[None]
        known = replace(known, freedom=freedom, parts=parts, parts_freedom=np.array([least]))
    return replace(known, differences=differences)


def _with_replicates(
    rows: list[Difference], samples: Samples, drawn: Float64Array
) -> list[Difference]:
    place = {name: m for m, name in enumerate(samples.names)}
    return [
        replace(row, replicates=drawn[place[row.model_a]] - drawn[place[row.model_b]])
        if not math.isnan(row.standard_error)
        else row
        for row in rows
    ]
