"""Values of metrics with their standard errors from influence values."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.parallel import map_threads
from polyroc.inference._bias import bias_of
from polyroc.inference._coverage import coverage_note
from polyroc.inference._drawn import spread_of_parts, spread_of_value
from polyroc.inference._edge import effective_sizes
from polyroc.inference._folds import measured, told_of_folds
from polyroc.inference._influence import CaseDesign, ClassProducts, covariance
from polyroc.inference._notes import design_notes, notes_on
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import FoldStatistics
from polyroc.metrics.measure import CaseStatistics, Measured
from polyroc.metrics.question import NO_VARIATION, Influence
from polyroc.predictions import Predictions
from polyroc.results import Effective, Estimate, Note
from polyroc.statistics.means import MANY_CASES, case_threads
from polyroc.statistics.tuples import Tuples
from polyroc.typing import (
    Float64Array,
    PriorsLike,
)


class Draw(NamedTuple):
    """Random tuples to estimate volumes from."""

    n_tuples: int
    seed: int


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
    """Metrics with their options, what was measured, and how it varies."""

    asked: list[tuple[Metric, dict[str, Any]]]
    measured: list[Measured]
    together: "_Together | None"
    """Of many cases that are not in groups."""


class _Together(NamedTuple):
    """Products of the contributions to some of the metrics."""

    places: dict[int, int]
    """Where the products of a metric are, by its place among all."""
    products: ClassProducts


def _found(
    statistics: CaseStatistics | FoldStatistics,
    metrics: Sequence[Metric],
    design: CaseDesign,
    priors: PriorsLike | None,
    with_error: bool,
    draw: Draw | None,
) -> _Found:
    asked = [(metric, options_of(metric, priors, draw)) for metric in metrics]
    found = measured(statistics, asked, design, with_influence=with_error)
    return _Found(asked, found, _together(statistics.predictions, found, design))


def _together(
    predictions: Predictions, found: Sequence[Measured], design: CaseDesign
) -> _Together | None:
    """How metrics vary, in one pass over many cases for all of them."""
    moved = {
        place: each.influence
        for place, each in enumerate(found)
        if each.influence is not None and each.reason is None and each.influence.drawn is None
    }
    if not moved or design.groups is not None or len(predictions) < MANY_CASES:
        return None
    places = {place: at for at, place in enumerate(moved)}
    return _Together(places, ClassProducts.of(predictions, list(moved.values()), design))


def _estimates(
    statistics: CaseStatistics | FoldStatistics,
    found: _Found,
    design: CaseDesign,
    priors: PriorsLike | None,
    draw: Draw | None,
) -> list[Estimate]:
    given, predictions = priors is not None, statistics.predictions

    def spread_of(place: int) -> tuple[float, float] | None:
        each, together = found.measured[place], found.together
        if each.influence is None or each.reason is not None:
            return None
        if together is None or place not in together.places:
            return spread_of_value(predictions, each.influence, design)
        parts = together.products.parts(together.places[place])
        return spread_of_parts(parts, predictions, each.influence, design)

    spreads = map_threads(spread_of, range(len(found.measured)), case_threads(predictions))
    estimates = [
        _estimated(statistics, each, design, given, draw, spread)
        for each, spread in zip(found.measured, spreads, strict=True)
    ]
    if any(each.influence is not None for each in found.measured):
        sizes = effective_sizes(statistics, found.asked, found.measured, design, spreads)
        estimates = [
            estimate if size is None else _with_limits(statistics, each, estimate, size, design)
            for each, estimate, size in zip(found.measured, estimates, sizes, strict=True)
        ]
    if isinstance(statistics, FoldStatistics):
        return told_of_folds(statistics, found.asked, found.measured, estimates)
    return estimates


def _with_limits(
    statistics: CaseStatistics | FoldStatistics,
    found: Measured,
    estimate: Estimate,
    effective: Effective,
    design: CaseDesign,
) -> Estimate:
    """The estimate with what its limits are made of, and what is known of their coverage."""
    bias = bias_of(found.metric, statistics, design)
    limited = replace(estimate, effective=effective, bias=bias)
    told = coverage_note(limited, statistics.predictions, design)
    return replace(limited, notes=(*limited.notes, *told)) if told else limited


def joint_covariance(
    predictions: Predictions,
    found: _Found,
    estimates: Sequence[Estimate],
    design: CaseDesign,
) -> Float64Array:
    """How the values of metrics vary together; NaN where one has no standard error.

    Of values from random tuples only the variance is known, which contains that of the draw.
    """
    errors = np.array([each.standard_error for each in estimates])
    matrix = np.full((len(errors), len(errors)), np.nan)
    moved = {
        place: each.influence
        for place, each in enumerate(found.measured)
        if each.influence is not None and each.influence.drawn is None and errors[place] > 0
    }
    if len(moved) > 1:
        known = list(moved)
        matrix[np.ix_(known, known)] = _covariance(predictions, found.together, moved, design)
    np.fill_diagonal(matrix, errors**2)
    return matrix


def _covariance(
    predictions: Predictions,
    together: _Together | None,
    moved: dict[int, Influence],
    design: CaseDesign,
) -> Float64Array:
    """How metrics, by their places among all, vary together."""
    if together is None or design.sampling == "random":
        return covariance(predictions, list(moved.values()), design)
    places = [together.places[place] for place in moved]
    return together.products.covariance()[np.ix_(places, places)]


def _estimated(
    statistics: CaseStatistics | FoldStatistics,
    found: Measured,
    design: CaseDesign,
    priors_given: bool,
    draw: Draw | None,
    spread: tuple[float, float] | None,
) -> Estimate:
    predictions, metric, influence = statistics.predictions, found.metric, found.influence
    if found.reason is not None:
        return undefined(predictions, metric, found.reason)
    drawn = draw if metric.statistic is Tuples else None
    notes = notes_on(statistics, metric, design.sampling, priors_given, exact=drawn is None)
    notes += design_notes(design)
    settings = {**design.settings(), **({} if drawn is None else drawn._asdict())}
    if influence is None or spread is None:
        return _estimate(predictions, metric, found.value, "value only", notes, settings=settings)
    variance, freedom = spread
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
