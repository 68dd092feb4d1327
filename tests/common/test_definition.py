"""Every metric equals its definition, written as loops."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import (
    METRICS,
    Sample,
    all_tuples,
    class_numbers,
    each_class_number,
    few_cases,
    grid_samples,
    options_of,
    sample_for,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import metrics as twins

import polyroc
from polyroc import registry

TOLERANCE = 1e-12
KINDS = ["coarse", "fine", "continuous"]


def assert_twin(sample: Sample, metric, **options) -> None:
    found = sample.value(metric, **options)
    expected = sample.twin(metric, **options)
    assert found == pytest.approx(expected, rel=0, abs=TOLERANCE), (sample, options)


@pytest.mark.parametrize(("name", "K"), each_class_number(6, most_tuples=5))
def test_value(name, K):
    metric = registry[name]
    for kind in KINDS:
        for seed, weighted, skewed in [(0, False, False), (1, True, False), (2, True, True)]:
            sample = sample_for(metric, K, seed, kind=kind, weighted=weighted, skewed=skewed)
            assert_twin(sample, metric)


@pytest.mark.parametrize(("name", "K"), each_class_number(5, most_tuples=4))
def test_every_option(name, K):
    metric = registry[name]
    for options in options_of(metric, K):
        for seed, kind in enumerate(["coarse", "fine"]):
            sample = sample_for(metric, K, seed, kind=kind, weighted=True, skewed=bool(seed))
            assert_twin(sample, metric, **options)


def drawn_case(data, metric):
    K = data.draw(st.sampled_from(class_numbers(metric, 4)))
    most = few_cases(metric, K) if not all_tuples(metric) else {2: 12, 3: 10, 4: 8}[K]
    sample = data.draw(grid_samples(metric, K, most))
    return sample, data.draw(st.sampled_from(options_of(metric, K)))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@given(data=st.data())
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
def test_searched(metric, data):
    sample, options = drawn_case(data, metric)
    assert_twin(sample, metric, **options)


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_searched_long(metric, data):
    sample, options = drawn_case(data, metric)
    assert_twin(sample, metric, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "metric", [m for m in METRICS if not all_tuples(m)], ids=lambda metric: metric.name
)
def test_continuous_scores_of_either_precision(metric, dtype):
    K = class_numbers(metric)[-1]
    sample = sample_for(metric, K, 3, kind="continuous", n=40, skewed=True)
    sample = sample.with_scores(sample.p.astype(dtype))
    rounded = dtype == np.float32 and metric.name == "triangle_area"
    tolerance = 1e-7 if rounded else TOLERANCE  # an area is a determinant if rows sum to 1 exactly
    assert sample.value(metric) == pytest.approx(sample.twin(metric), rel=0, abs=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_auc_mu_of_many_classes(kind, weighted):
    """From 24 classes on, another route is taken."""
    metric, dtype = registry["auc_mu"], np.float32 if weighted else np.float64
    sample = sample_for(metric, 25, 1, kind=kind, n=60, weighted=weighted)
    sample = sample.with_scores(sample.p.astype(dtype))
    for options in options_of(metric, 25):
        assert_twin(sample, metric, **options)


@pytest.mark.parametrize("ties", ["fair", "strict", "lenient"])
@pytest.mark.parametrize("K", [2, 3, 5])
def test_pairwise_auc(K, ties):
    metric = registry["hand_till"]
    for seed in range(3):
        sample = sample_for(metric, K, seed, kind="coarse", weighted=bool(seed))
        y, p, w = sample.y.tolist(), sample.p.tolist(), sample.weights.tolist()
        found = polyroc.pairwise_auc(sample.y, sample.p, sample_weight=sample.w, ties=ties)
        expected = twins.pairwise_auc(y, p, w, K, ties)
        assert np.isnan(np.diag(found)).all()
        for pair, value in expected.items():
            assert found[pair] == pytest.approx(float(value), rel=0, abs=TOLERANCE)


@pytest.mark.parametrize("width", [1, 3, 8, None])
@pytest.mark.parametrize("K", [2, 3, 4, 5, 6])
def test_ordinal_vus(K, width):
    for seed in range(3):
        rng = np.random.default_rng([seed, K])
        sample = sample_for(registry["pdi"], K, seed, weighted=bool(seed))
        marker = (
            rng.normal(size=len(sample.y))
            if width is None
            else rng.integers(0, width, len(sample.y))
        )
        marker = marker + sample.y * (seed == 2)
        found = polyroc.ordinal_vus(sample.y, marker, sample_weight=sample.w)
        y, w = sample.y.tolist(), sample.weights.tolist()
        expected = twins.ordinal_vus(y, marker.tolist(), w, K)
        assert found == pytest.approx(expected, rel=0, abs=TOLERANCE)
