"""Values stay between the declared ends, and perfect predictions reach the upper one."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import Sample, each_class_number, options_of, sample_for

from polyroc import registry


@pytest.mark.parametrize(("name", "K"), each_class_number(6, most_tuples=5))
def test_inside(name, K):
    metric = registry[name]
    for options in options_of(metric, K):
        for seed in range(4):
            kind = ("coarse", "continuous")[seed % 2]
            value = sample_for(metric, K, seed, kind=kind, weighted=seed > 1).value(
                metric, **options
            )
            assert metric.lowest <= value <= metric.highest


@pytest.mark.parametrize(("name", "K"), each_class_number(6, most_tuples=5))
def test_worst_predictions_are_inside(name, K):
    """Every case in the corner of the next class."""
    metric = registry[name]
    y = np.tile(np.arange(K), 2)
    value = Sample(y, np.eye(K)[(y + 1) % K]).value(metric)
    assert metric.lowest - 1e-12 <= value <= metric.highest


@pytest.mark.parametrize(("name", "K"), each_class_number(6, most_tuples=5))
def test_perfect_predictions(name, K):
    metric = registry[name]
    y = np.tile(np.arange(K), 2)
    weights = np.arange(1, 2 * K + 1) / 3
    for options in options_of(metric, K):
        for w in (None, weights):
            value = Sample(y, np.eye(K)[y], w).value(metric, **options)
            assert value == pytest.approx(metric.highest, rel=0, abs=1e-12), options
