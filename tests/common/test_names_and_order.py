"""The names of the classes do not matter, and priors and partitions follow their classes."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import METRICS, Sample, each_class_number, sample_for

import polyroc
from polyroc import registry

CASES = each_class_number(5, most_tuples=4)
CLOSE = {"rel": 0, "abs": 1e-13}


NAMES = (
    ["a", "b", "c", "d", "e"],
    ["z", "é", "Ω", "9", "10"],  # not sorted
    [-5, 0, 3, 7, 10**12],
    [4, 3, 2, 1, 0],
)


@pytest.mark.parametrize(("name", "K"), CASES)
def test_names_of_classes(name, K):
    metric = registry[name]
    sample = sample_for(metric, K, 1, weighted=True)
    for names in NAMES:
        labels = names[:K]
        y = [labels[k] for k in sample.y]
        named = metric.function(y, sample.p, labels=labels, sample_weight=sample.w)
        assert named == sample.value(metric), names


@pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.prior_weighted], ids=lambda metric: metric.name
)
def test_priors_by_name(metric):
    sample = sample_for(metric, 3, 7)
    names = np.array(["x", "y", "z"])
    priors = [0.2, 0.5, 0.3]
    found = metric.function(names[sample.y], sample.p, priors={"z": 0.3, "x": 0.2, "y": 0.5})
    assert found == sample.value(metric, priors=priors)
    doubled = sample.value(metric, priors=[2 * prior for prior in priors])
    assert found == pytest.approx(doubled, **CLOSE)


@pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.prior_weighted], ids=lambda metric: metric.name
)
def test_priors_of_the_sample_change_nothing(metric):
    sample = sample_for(metric, 4, 8, weighted=True)
    priors = np.bincount(sample.y, sample.w)
    assert sample.value(metric, priors=priors) == pytest.approx(sample.value(metric), **CLOSE)


def test_partition_moves_with_the_classes():
    metric = registry["auc_mu"]
    sample: Sample = sample_for(metric, 3, 9)
    costs = np.array([[0, 2, 1], [0.5, 0, 3], [1, 0.25, 0]])
    order = np.array([2, 0, 1])
    moved = polyroc.auc_mu(
        sample.y, sample.p[:, order], labels=order, partition=costs[np.ix_(order, order)]
    )
    assert moved == pytest.approx(sample.value(metric, partition=costs), **CLOSE)
