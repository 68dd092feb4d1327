"""Inputs are only read, and what predictions remember changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import METRICS, class_numbers, options_of, sample_for

from polyroc import Predictions


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_arrays_keep_their_bytes(metric, dtype):
    K = class_numbers(metric)[-1]
    sample = sample_for(metric, K, 1, weighted=True)
    p, w = sample.p.astype(dtype), sample.w.copy()
    w[0] = 0 if np.count_nonzero(sample.y == sample.y[0]) > 1 else w[0]
    arrays = (sample.y.copy(), p, w)
    before = [array.tobytes() for array in arrays]
    for options in options_of(metric, K):
        held = {key: np.array(v) for key, v in options.items() if not isinstance(v, str)}
        kept = {key: value.copy() for key, value in held.items()}
        metric.function(arrays[0], p, sample_weight=w, **{**options, **held})
        metric.influence(Predictions(arrays[0], p, sample_weight=w), **{**options, **held})
        assert all((held[key] == kept[key]).all() for key in held)
    assert [array.tobytes() for array in arrays] == before


def test_shared_predictions_give_what_fresh_ones_give():
    """All metrics and options one after the other on the same predictions, twice."""
    for K in (2, 3, 4):
        sample = sample_for(next(m for m in METRICS if m.name == "vus"), K, 3, weighted=True)
        shared = sample.predictions()
        for metric in [*METRICS, *METRICS[::-1]]:
            if K not in metric.classes:
                continue
            for options in options_of(metric, K):
                fresh = metric.of(sample.predictions(), **options)
                assert metric.of(shared, **options) == fresh
                ours = metric.influence(shared, **options)
                theirs = metric.influence(sample.predictions(), **options)
                np.testing.assert_array_equal(ours.cases, theirs.cases)
                np.testing.assert_equal(ours.priors, theirs.priors)
