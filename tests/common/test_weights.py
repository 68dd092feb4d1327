"""Weights are copies: whole ones repeat a case, and their unit does not matter."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import each_class_number, options_of, sample_for

from polyroc import registry

CASES = each_class_number(5, most_tuples=4)
CLOSE = {"rel": 0, "abs": 1e-12}


@pytest.mark.parametrize(("name", "K"), CASES)
def test_whole_weights_repeat(name, K):
    metric = registry[name]
    for kind in ("coarse", "continuous"):
        sample = sample_for(metric, K, 1, kind=kind)
        times = np.random.default_rng(K).integers(1, 4, len(sample.y))
        for options in options_of(metric, K):
            weighted = sample.with_weights(times.astype(float)).value(metric, **options)
            repeated = sample.take(np.repeat(np.arange(len(times)), times)).value(metric, **options)
            assert weighted == pytest.approx(repeated, **CLOSE), (kind, options)


@pytest.mark.parametrize(("name", "K"), CASES)
def test_unit_of_weights(name, K):
    metric = registry[name]
    sample = sample_for(metric, K, 3, weighted=True)
    for options in options_of(metric, K):
        expected = pytest.approx(sample.value(metric, **options), **CLOSE)
        for scale in (1e-9, 1 / 3, 7e8):
            scaled = sample.with_weights(sample.w * scale).value(metric, **options)
            assert scaled == expected, (scale, options)


@pytest.mark.parametrize(("name", "K"), CASES)
def test_equal_weights_are_none(name, K):
    metric = registry[name]
    sample = sample_for(metric, K, 4)
    weighted = sample.with_weights(np.full(len(sample.y), 2.0)).value(metric)
    assert weighted == pytest.approx(sample.value(metric), **CLOSE)
