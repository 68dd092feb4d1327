"""Every metric against its definition in fractions, to the last digit.

``exact.BOUND`` says for each metric how many units of 2⁻⁵³ it may be off.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from common.samples import METRICS, NAMES, each_class_number, sample_for
from robustness import exact

import polyroc
from polyroc import registry
from polyroc.statistics.means import Means

KINDS = ["coarse", "fine", "continuous"]


def test_every_metric_has_a_bound():
    assert sorted(exact.BOUND) == sorted(NAMES)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "K"), each_class_number(5, most_tuples=4))
def test_within_its_bound(name, K, weighted):
    metric = registry[name]
    for seed, kind in enumerate(KINDS):
        sample = sample_for(metric, K, seed, kind=kind, weighted=weighted, skewed=seed > 1)
        off = abs(sample.value(metric) - sample.twin(metric)) / exact.UNIT
        assert off <= exact.BOUND[name], (seed, kind)


@pytest.mark.parametrize("K", [2, 3, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_a_pairwise_auc_is_the_float_nearest_to_the_fraction(K, kind):
    for seed in range(4):
        sample = sample_for(registry["hand_till"], K, seed, kind=kind, n=60 * K)
        found = polyroc.pairwise_auc(sample.y, sample.p)
        for pair, area in exact.pairwise(sample.y, sample.p).items():
            assert found[pair] == float(area)


@pytest.mark.parametrize("name", ["one_vs_one_roc", "one_vs_rest_roc"])
@pytest.mark.parametrize("K", [2, 3, 5])
def test_so_is_the_area_of_a_curve(name, K):
    sample = sample_for(registry["hand_till"], K, 1, kind="fine", n=60 * K)
    areas = getattr(polyroc.curves, name)(sample.y, sample.p).areas()
    expected = (
        exact.pairwise(sample.y, sample.p)
        if name == "one_vs_one_roc"
        else dict(enumerate(exact.one_vs_rest(sample.y, sample.p)))
    )
    assert areas == {key: float(area) for key, area in expected.items()}


def test_the_slow_twins_agree_with_counting_by_value():
    """Two roads to the same fraction, so that the oracle itself is checked."""
    for K in (2, 3, 4):
        sample = sample_for(registry["hand_till"], K, K, kind="coarse", n=20)
        assert sample.twin(registry["hand_till"]) == float(exact.hand_till(sample.y, sample.p))
        assert sample.twin(registry["auc_mu"]) == float(exact.auc_mu(sample.y, sample.p))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_equal_classes_reach_chance_to_the_last_digit(metric):
    """All scores equal: ½, 1/K, 1/K! or 0."""
    for K in range(2, 7):
        if K not in metric.classes or metric.chance is None:
            continue
        y = np.arange(3 * K) % K
        found = metric.function(y, np.full((3 * K, K), 1 / K))
        exactly = metric.chance(K) in (0, 0.5) and metric.statistic is not Means
        assert abs(found - metric.chance(K)) <= (0 if exactly else 4 * math.ulp(1 / K)), K
