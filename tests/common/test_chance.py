"""Scores that say nothing: every class has the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import METRICS, Sample, class_numbers, each_class_number, scores_for

from polyroc import registry


def without_information(metric, K: int, seed: int, kind: str, weighted: bool = False) -> Sample:
    """Each class with a copy of the same rows and weights, in random order."""
    rng = np.random.default_rng([seed, K])
    copies = 4 if K < 4 else 3
    rows = scores_for(metric, rng, copies, K, kind)
    w = np.tile(rng.integers(1, 9, copies) / 4, K) if weighted else None
    sample = Sample(np.repeat(np.arange(K), copies), np.tile(rows, (K, 1)), w)
    return sample.take(rng.permutation(len(sample.y)))


@pytest.mark.parametrize(
    ("name", "K"),
    [(name, K) for name, K in each_class_number(6, most_tuples=5) if registry[name].chance],
)
def test_chance(name, K):
    metric = registry[name]
    for seed, kind in enumerate(["coarse", "fine", "continuous"]):
        for weighted in (False, True):
            value = without_information(metric, K, seed, kind, weighted).value(metric)
            assert value == pytest.approx(metric.chance(K), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.chance is None], ids=lambda metric: metric.name
)
def test_no_chance_value(metric):
    """What is declared to depend on the scores differs between two such samples."""
    K = 3 if 3 in metric.classes else class_numbers(metric)[0]
    values = {
        round(without_information(metric, K, seed, "fine").value(metric), 6) for seed in range(4)
    }
    assert len(values) > 1
