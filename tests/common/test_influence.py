"""Influence values are derivatives by weights."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import (
    METRICS,
    Sample,
    class_numbers,
    each_class_number,
    few_cases,
    options_of,
    sample_for,
)

from polyroc import registry
from polyroc.metrics.question import Influence
from polyroc.statistics.rates import Rates

CASES = each_class_number(4)
CORNERED = ("simplex_volume", "triangle_area", "total_length")


def derivative(sample: Sample, metric, direction: np.ndarray, **options) -> float:
    """By the weights: central differences with an error of fourth order."""

    def moved(step: float) -> float:
        return sample.with_weights(sample.weights + step * direction).value(metric, **options)

    share = 1e-4 if metric.statistic is Rates else 1e-3  # G has corners where two rates meet
    h = share * (sample.weights[direction != 0] / np.abs(direction[direction != 0])).min()
    return (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)


def directions(place: int, n: int) -> np.ndarray:
    """Every fourth case alone in the first sample; all cases at once, at random, in the others."""
    return np.eye(n)[::4] if place == 0 else np.random.default_rng(place).normal(size=(3, n))


def promised(sample: Sample, influence: Influence) -> np.ndarray:
    """φ_i / n_k + (D_k − Σ_j π_j D_j) / n."""
    sizes = np.bincount(sample.y, sample.weights)
    slope = influence.cases / sizes[sample.y]
    if influence.priors is not None:
        shares = sizes / sizes.sum()
        slope = slope + (influence.priors - shares @ influence.priors)[sample.y] / sizes.sum()
    return slope


def samples(metric, K: int) -> list[Sample]:
    n = min(few_cases(metric, K), 14)
    found = [
        sample_for(metric, K, seed, kind=kind, n=n, weighted=weighted)
        for seed, (kind, weighted) in enumerate(
            [("coarse", True), ("fine", True), ("continuous", True), ("coarse", False)], start=1
        )
    ]
    if metric.statistic is not Rates:
        return found
    rng = np.random.default_rng(0)  # weights with which no two rates are equal by chance
    return [each.with_weights(rng.uniform(0.5, 2, len(each.y))) for each in found]


@pytest.mark.parametrize(("name", "K"), CASES)
def test_is_the_derivative(name, K):
    metric = registry[name]
    for options in options_of(metric, K):
        for place, sample in enumerate(samples(metric, K)):
            influence = metric.influence(sample.predictions(), **options)
            assert influence.reason is None
            moves = directions(place, len(sample.y))
            slopes = promised(sample, influence)
            numeric = [derivative(sample, metric, each, **options) for each in moves]
            scale = max(np.abs(slopes).max(), 1e-3)
            np.testing.assert_allclose(moves @ slopes, numeric, rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize(("name", "K"), CASES)
def test_sums(name, K):
    """Scaling all weights changes nothing, nor does scaling those of a class at fixed priors."""
    metric = registry[name]
    for options in options_of(metric, K):
        for sample in samples(metric, K):
            influence = metric.influence(sample.predictions(), **options)
            assert abs(sample.weights @ promised(sample, influence)) < 1e-12
            within = np.bincount(sample.y, sample.weights * influence.cases)
            np.testing.assert_allclose(
                within / np.bincount(sample.y, sample.weights), 0, rtol=0, atol=1e-12
            )


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_term_of_the_priors(metric):
    """Only metrics that depend on the priors have one, and only if the sample gives the priors."""
    K = class_numbers(metric)[-1]
    for options in options_of(metric, K):
        influence = metric.influence(sample_for(metric, K, 1).predictions(), **options)
        has_term = metric.prior_weighted and "priors" not in options
        assert (influence.priors is not None) == has_term
        if has_term:
            assert influence.priors.shape == (K,)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_weights_stand_for_copies(metric):
    K = class_numbers(metric)[-1]
    sample = sample_for(metric, K, 2, kind="coarse", n=min(few_cases(metric, K), 12))
    times = np.random.default_rng(0).integers(1, 4, len(sample.y))
    copies = np.repeat(np.arange(len(times)), times)
    weighted = metric.influence(sample.with_weights(times.astype(float)).predictions())
    repeated = metric.influence(sample.take(copies).predictions())
    np.testing.assert_allclose(weighted.cases[copies], repeated.cases, rtol=0, atol=1e-12)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_corners(metric):
    """Perfect predictions: only TL has a corner there; equal means: only the volumes have one."""
    K = 3 if 3 in metric.classes else 2
    y = np.tile(np.arange(K), 2)
    perfect = Sample(y, np.eye(K)[y])
    level = Sample(y, np.repeat(np.eye(K)[:2], K, axis=0))
    for sample, corner in [
        (perfect, metric.name == "total_length"),
        (level, metric.name in ("simplex_volume", "triangle_area")),
    ]:
        influence = metric.influence(sample.predictions())
        assert len(influence.cases) == len(y)
        assert np.isnan(influence.cases).all() == corner
        assert (influence.reason is not None) == corner
        assert corner or np.isfinite(influence.cases).all()


def test_reasons():
    y = [0, 1, 2, 2]
    perfect_class = Sample(
        np.array(y), np.array([[0.5, 0.5, 0], [0, 1, 0], [0, 0.5, 0.5], [1, 0, 0]])
    )
    found = registry["total_length"].influence(perfect_class.predictions()).reason
    assert found == "the mean of class 1 is in its corner, where TL has no derivative"
    flat = Sample(np.array(y), np.array([[0.5, 0.5, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0]]))
    for name in ("simplex_volume", "triangle_area"):
        found = registry[name].influence(flat.predictions()).reason
        assert found == ("the class means lie in a lower dimension, where the volume has a corner")
