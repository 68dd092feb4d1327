"""Cases in which values once disagreed with their definition, or left their range."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import NAMES, Sample, class_numbers, sample_for
from twins.metrics import assignment_credit

import polyroc
from polyroc import registry
from polyroc.predictions import _columns as columns
from polyroc.predictions._columns import Column


def close(value: float):
    return pytest.approx(value, rel=0, abs=1e-12)


@pytest.mark.parametrize("ties", ["fair", "lenient"])
@pytest.mark.parametrize("name", ["vus", "wvus"])
@pytest.mark.parametrize(
    "rows", [[[5, 0, 11], [6, 10, 0], [0, 7, 9]], [[5, 11, 0], [0, 9, 7], [6, 0, 10]]]
)
def test_equal_sums_of_different_lengths(rows, name, ties):
    """The identity and a 3-cycle cost the same, out of different lengths."""
    sample = Sample(np.arange(3), np.array(rows) / 16)
    metric = registry[name]
    assert sample.value(metric, ties=ties) == close(sample.twin(metric, ties=ties))


@pytest.mark.parametrize(
    ("rows", "parts", "fair"),
    [
        ([[4, 0, 6], [5, 5, 0], [2, 3, 5]], 10, 1 / 2),
        ([[6, 4, 10], [0, 10, 10], [4, 8, 8]], 20, 1 / 3),
        ([[62, 19, 19], [49, 6, 45], [5, 20, 75]], 100, 1 / 2),
    ],
)
def test_equal_sums_of_decimal_scores(rows, parts, fair):
    """Scores of one or two decimals, as tables print them."""
    assert assignment_credit([[-score for score in row] for row in rows], "fair") == close(fair)
    assert polyroc.hum([0, 1, 2], rows) == close(fair)  # whole numbers are right
    assert polyroc.hum([0, 1, 2], np.array(rows) / parts) == close(fair)


def test_single_precision_of_many_classes():
    K = 24
    y = np.arange(K).repeat(2)
    p = np.eye(K, dtype=np.float32)[y]
    p[y == 0, 1] = 2e-9
    p[y == 1, :2] = 1, 1e-9
    assert polyroc.auc_mu(y, p) == close(polyroc.auc_mu(y, p.astype(np.float64)))


@pytest.mark.parametrize("block", [1, 3])
def test_packing_up_to_the_last_bit(block, monkeypatch):
    """Keys that use every bit, and a run of the greatest key across the end of a block."""
    monkeypatch.setattr(columns, "_BLOCK", block)
    greatest = np.finfo(np.float32).max
    least = -np.nextafter(np.finfo(np.float32).tiny, np.float32(0))  # 2³¹ − 1 steps below it
    scores = np.array([least, 1, *[greatest] * 8], dtype=np.float32)
    codes = np.array([0, 1, 0, 1, 1, 1, 0, 1, 1, 1], dtype=np.uint8)
    packed = columns._pack(scores, codes)
    assert packed is not None
    blocks = list(Column(scores, codes, 0)._by_packing(packed))
    left = np.concatenate([ranks.left for ranks in blocks])
    assert left.tolist() == [0, 1, *[1] * 8]


@pytest.mark.parametrize("name", ["total_length", "hand_till_scored", "vus"])
def test_normalize_after_skipping_a_class(name):
    metric = registry[name]
    y, p = [0, 1, 0, 1], np.array([[5, 3, 2], [2, 6, 2], [6, 2, 2], [1, 5, 4]]) / 10
    found = metric.function(y, p, labels=[0, 1, 2], absent="skip", normalize=True)
    assert found == close(metric.function(y, p[:, :2], normalize=True))


@pytest.mark.parametrize("name", ["simplex_volume", "scored_auc", "wvus2"])
def test_sums_above_1_stay_in_range(name):
    metric = registry[name]
    assert metric.function([0, 1], [[1.0001, 0], [0, 1.0001]]) <= metric.highest


def test_total_length_is_not_negative():
    for K in range(2, 40):
        y = np.arange(K)
        assert polyroc.total_length(y, np.eye(K)[(y + 1) % K]) >= 0


def test_registry_get():
    assert registry.get("auc") is None


def refusals():
    """(metric, option) that the value refuses."""
    for name in NAMES:
        yield name, "colour"
        if not registry[name].prior_weighted:
            yield name, "priors"


@pytest.mark.parametrize(("name", "option"), list(refusals()))
def test_influence_refuses_the_options_that_the_value_refuses(name, option):
    metric = registry[name]
    K = class_numbers(metric)[0]
    predictions = sample_for(metric, K, 1).predictions()
    for function in (metric.value, metric.influence):
        with pytest.raises(TypeError, match=option):
            function(predictions, **{option: [1] * K})
