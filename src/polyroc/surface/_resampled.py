"""G corrected for few cases: a union over thousands of noisy points is larger than it should be.

The mean of G over resamples of the cases exceeds G by about as much as G exceeds its true value. So
2G − mean(G*) is reported, with the standard deviation of G* as its standard error.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyroc._base.checks import repeats
from polyroc._base.parallel import map_threads, thread_count
from polyroc._base.random import seed_of, stream
from polyroc.errors import NotDefined
from polyroc.results import Estimate, Note
from polyroc.statistics.rates import decisions
from polyroc.surface import _gini as volumes
from polyroc.surface._cases import Cases
from polyroc.surface._certainty import IN_GROUPS, NO_CASES, of_samples, on_selection, one_case
from polyroc.surface._costs import errors
from polyroc.surface._rates import model_probabilities, sharing_parameters
from polyroc.typing import BoolArray, Float64Array, RandomState

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface

SAMPLES = 20_000
"""Points of the region that all resamples are counted with."""

AGREEING = Note("no-variation", "no standard error: the resamples agree")

AT_ONCE = 2048
"""Operating points that are held against the samples together."""


def resampled_gini(
    surface: "RocSurface", n_resamples: int, rng: RandomState, n_threads: int | None
) -> Estimate:
    """2G − mean(G*) with SD(G*), over stratified resamples of the surface's cases."""
    model = surface.model
    if model is None or not hasattr(model, "cases"):
        raise NotDefined(f"G cannot be corrected: {NO_CASES.text}.")
    if model.cases.grouped:
        raise NotDefined(f"G cannot be corrected: {IN_GROUPS.text}.")
    n_resamples, seed = repeats(n_resamples, "n_resamples", least=2), seed_of(rng)
    plain = volumes.gini(surface.rates, surface.n_classes, rng=seed, n_threads=n_threads)
    weights = resample_weights(model.cases, n_resamples, seed)
    counted = shares_dominated(surface, weights, seed, thread_count(n_threads))
    optimism = float(counted[1:].mean() - counted[0])
    error = float(counted[1:].std(ddof=1))
    counts = np.bincount(model.cases.codes, minlength=surface.n_classes)
    missing = one_case(surface.classes, [counts]) or (AGREEING if not error > 0 else None)
    notes = [*of_samples(plain, missing is None), _correction(plain.value, optimism)]
    notes += [on_selection([surface]), *([] if missing is None else [missing])]
    sampled = 0.0 if math.isnan(plain.standard_error) else plain.standard_error
    return replace(
        plain,
        value=min(max(plain.value - optimism, 0.0), 1.0),
        standard_error=math.hypot(error, sampled) if missing is None else math.nan,
        method=f"{plain.method}, corrected by resampling",
        degrees_of_freedom=max(float(counts.min()) - 1.0, 1.0),
        counts=dict(zip(surface.classes, counts.tolist(), strict=True)),
        notes=tuple(notes),
        settings={**plain.settings, "n_resamples": n_resamples, "seed": seed, "plain": plain.value},
        error_of="cases",
    )


def _correction(value: float, optimism: float) -> Note:
    moved = round(-optimism, 4) + 0.0  # no -0.0000
    text = f"{value:.4f} before the correction by {moved:+.4f} for the number of cases"
    if not 0 <= value - optimism <= 1:
        text += ", cut off at 0" if value < optimism else ", cut off at 1"
    return Note("corrected", text)


def resample_weights(cases: Cases, n_resamples: int, seed: int) -> Float64Array:
    """(1 + B, n): the weights of the cases, then those of resamples within classes."""
    weights = np.zeros((1 + n_resamples, len(cases)))
    weights[0] = 1
    for k in range(len(cases.classes)):
        own = np.flatnonzero(cases.codes == k)
        for b in range(n_resamples):
            drawn = stream(seed, b * len(cases.classes) + k).integers(len(own), size=len(own))
            weights[1 + b, own] = np.bincount(drawn, minlength=len(own))
    return np.asarray(weights * cases.weights)


def shares_dominated(
    surface: "RocSurface", weights: Float64Array, seed: int, n_threads: int
) -> Float64Array:
    """Share of samples of the region that the surface dominates, for each row of weights."""
    from polyroc.kernels.dominated_samples import mark_dominated

    samples = volumes.sample_region(surface.n_classes, SAMPLES, stream(seed, 2**31))
    marks: BoolArray = np.zeros((len(weights), SAMPLES), dtype=bool)
    for rates in resampled_rates(surface, weights):

        def mark(b: int, rates: Float64Array = rates) -> None:
            mark_dominated(np.ascontiguousarray(rates[b].T), samples, marks[b])

        map_threads(mark, range(len(weights)), n_threads)
    return np.asarray(marks.mean(axis=1))


def resampled_rates(surface: "RocSurface", weights: Float64Array) -> Iterator[Float64Array]:
    """(1 + B, points, D) rates of some points at a time, for each row of weights."""
    model = surface.model
    assert model is not None
    waiting: list[Float64Array] = []
    for rows in sharing_parameters(surface.parameters):
        probabilities = model_probabilities(model, surface.parameters[rows[0]])
        for decided in decisions(probabilities, surface.costs[rows]):
            waiting.append(_rates(decided, model.cases, weights))
            if sum(each.shape[1] for each in waiting) >= AT_ONCE:
                yield np.concatenate(waiting, axis=1)
                waiting = []
    if waiting:
        yield np.concatenate(waiting, axis=1)


def _rates(decided: Float64Array, cases: Cases, weights: Float64Array) -> Float64Array:
    """(1 + B, points, D) rates, from (points, n, K) decisions."""
    n_points, _, n_classes = decided.shape
    tables = np.zeros((len(weights), n_points, n_classes, n_classes))
    for k in range(n_classes):
        own = cases.codes == k
        flat = decided[:, own].transpose(1, 0, 2).reshape(int(own.sum()), -1)
        totals = weights[:, own].sum(axis=1, keepdims=True)
        tables[:, :, k] = (weights[:, own] / totals @ flat).reshape(-1, n_points, n_classes)
    return errors(tables)
