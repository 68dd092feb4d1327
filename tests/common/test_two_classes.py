"""With two classes most metrics are one of four numbers; and orders that hold for any K."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from common.samples import METRICS, Sample, class_numbers, options_of, sample_for

import polyroc
from polyroc import registry

SEEDS = range(6)
KINDS = ["coarse", "fine", "continuous"]
AUCS = ("hand_till", "roc_auc", "au1p", "aunu", "aunp", "auc_mu", "pdi", "vus", "hum")


def two_classes(seed: int, weighted: bool = True) -> Sample:
    """Rows that sum to 1."""
    return sample_for(registry["vus"], 2, seed, kind=KINDS[seed % 3], n=20, weighted=weighted)


def close(value: float):
    return pytest.approx(value, rel=0, abs=1e-12)


@pytest.mark.parametrize("ties", ["fair", "strict", "lenient"])
@pytest.mark.parametrize("name", AUCS)
def test_all_are_the_auc(name, ties):
    if name == "pdi" and ties != "fair":
        return
    options = {} if name == "pdi" else {"ties": ties}
    for seed in SEEDS:
        sample = two_classes(seed)
        found = sample.value(registry[name], **options)
        assert found == close(sample.value(registry["roc_auc"], ties=ties))


@pytest.mark.parametrize("ties", ["strict", "lenient"])
def test_highest_rule_is_the_auc(ties):
    for seed in SEEDS:
        sample = two_classes(seed)
        found = sample.value(registry["vus2"], ties=ties)
        assert found == close(sample.value(registry["roc_auc"], ties=ties))


@pytest.mark.parametrize("seed", SEEDS)
def test_relations_of_the_weighted_metrics(seed):
    sample = two_classes(seed)

    def value(name: str, **options) -> float:
        return sample.value(registry[name], **options)

    scored, probabilistic = value("scored_auc"), value("probabilistic_auc")
    strict = value("roc_auc", ties="strict")
    assert value("wvus", ties="strict") == close((strict + scored) / 2)
    assert value("wvus2") == close(scored)
    assert value("wvus2", ties="lenient") == close(scored)
    assert value("hand_till_scored") == close(scored)
    assert value("hand_till_probabilistic") == close(probabilistic)
    assert value("total_length") == close(probabilistic)
    assert value("simplex_volume") == close(abs(2 * probabilistic - 1))


@pytest.mark.parametrize(
    "metric", [m for m in METRICS if 2 in m.classes], ids=lambda metric: metric.name
)
def test_one_column_is_enough(metric):
    """The probability of the second class alone, of either precision."""
    for seed in SEEDS:
        sample = two_classes(seed)
        alone = metric.function(sample.y, sample.p[:, 1], sample_weight=sample.w)
        assert alone == close(sample.value(metric))
        influence = metric.influence(
            polyroc.Predictions(sample.y, sample.p[:, 1], sample_weight=sample.w)
        )
        np.testing.assert_allclose(
            influence.cases, metric.influence(sample.predictions()).cases, rtol=0, atol=1e-12
        )


def test_area_of_the_triangle_is_the_volume():
    for seed in SEEDS:
        sample = sample_for(registry["vus"], 3, seed, weighted=True)
        assert sample.value(registry["triangle_area"]) == sample.value(registry["simplex_volume"])


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_more_credit_for_ties_is_more(metric):
    for K in class_numbers(metric, 4):
        chosen = [o["ties"] for o in options_of(metric, K) if o.keys() == {"ties"}]
        ordered = [ties for ties in ("strict", "fair", "lenient") if ties in chosen]
        for seed in SEEDS:
            sample = sample_for(metric, K, seed, kind="coarse", weighted=True)
            values = [sample.value(metric, ties=ties) for ties in ordered]
            assert all(a <= b + 1e-15 for a, b in pairwise(values))


@pytest.mark.parametrize("ties", ["strict", "lenient"])
@pytest.mark.parametrize("K", [2, 3, 4])
def test_right_by_the_highest_rule_is_right_by_the_sum(K, ties):
    for seed in range(12):
        sample = sample_for(registry["hum"], K, seed, kind=KINDS[seed % 3], weighted=True)
        highest = sample.value(registry["vus2"], ties=ties)
        assert highest <= sample.value(registry["hum"], ties=ties) + 1e-15


@pytest.mark.parametrize(
    ("lesser", "greater"),
    [
        ("wvus", "vus"),
        ("wvus2", "vus2"),
        ("hand_till_scored", "hand_till"),
        ("vus2", "pdi"),
    ],
)
@pytest.mark.parametrize("K", [2, 3, 4])
def test_weighted_is_at_most_unweighted(lesser, greater, K):
    for seed in range(9):
        sample = sample_for(registry["wvus"], K, seed, kind=KINDS[seed % 3], weighted=True)
        low, high = sample.value(registry[lesser]), sample.value(registry[greater])
        assert low <= high + 1e-15


@pytest.mark.parametrize("name", ["hum", "vus2"])
@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("beyond", [-0.5, 1.5])
def test_a_column_with_one_value_beyond_one_is_ranked_as_it_is(name, row, beyond):
    """It holds no probabilities then, wherever the value stands."""
    y, scores = [0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8])
    scores[row] = beyond
    assert registry[name].function(y, scores) == polyroc.roc_auc(y, scores)
