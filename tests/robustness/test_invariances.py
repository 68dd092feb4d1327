"""What must not change a bit: increasing functions, the unit of weights, the order of cases.

Sums of whole numbers do not depend on their order, so the metrics that count pairs stay the same to
the bit when cases are exchanged; sums of scores, of weights that are no whole numbers and of
credits such as ⅓ may move in the last digits.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from common.samples import METRICS, class_numbers, options_of, sample_for
from robustness import exact

import polyroc
from polyroc import Predictions, registry
from polyroc.errors import InvalidInput, NotDefined
from polyroc.metrics.declaration import Property
from polyroc.statistics.tuples import Tuples

RANKED = [m for m in METRICS if Property.COLUMN_MONOTONE in m.properties]
INCREASING = {
    "doubled": lambda p: 2 * p,
    "divided by 2¹⁰⁰⁰": lambda p: np.ldexp(p, -1000),
    "times 2¹⁰⁰⁰": lambda p: np.ldexp(p, 1000),
    "exp": np.exp,
    "logistic": lambda p: 1 / (1 + np.exp(-p)),
    "cubed": lambda p: p**3,
    "each column its own": lambda p: p * 2.0 ** np.arange(p.shape[1]) + np.arange(p.shape[1]),
    "ranks": lambda p: np.column_stack([np.unique(c, return_inverse=True)[1] for c in p.T]),
}


def answers(sample, metric, **options) -> tuple[float, bytes]:
    """The value, and every bit of the influence values."""
    predictions = sample.predictions()
    influence = metric.influence(predictions, **options)
    return metric.of(predictions, **options), influence.cases.tobytes()


@pytest.mark.parametrize("metric", RANKED, ids=lambda metric: metric.name)
def test_increasing_functions_of_the_scores(metric):
    """Values and influence values, scores being eighths that no function here makes equal."""
    for K in class_numbers(metric, 4):
        sample = sample_for(metric, K, 1, kind="fine", weighted=True)
        for options in options_of(metric, K):
            expected = answers(sample, metric, **options)
            for name, change in INCREASING.items():
                moved = sample.with_scores(change(sample.p))
                assert answers(moved, metric, **options) == expected, (K, name, options)


@pytest.mark.parametrize(
    "metric",
    [m for m in METRICS if Property.COMMON_SCALE in m.properties],
    ids=lambda metric: metric.name,
)
def test_powers_of_two_times_all_scores(metric):
    for K in class_numbers(metric, 4):
        sample = sample_for(metric, K, 1, kind="fine", weighted=True)
        for exponent in (-1060, -300, 300, 1019):
            moved = sample.with_scores(np.ldexp(sample.p, exponent))
            assert moved.value(metric) == sample.value(metric), (K, exponent)


COUNTED = {"roc_auc", "hand_till", "au1p", "aunp", "aunu", "auc_mu"}
"""Sums of whole numbers, if weights are whole: no order of the cases changes a bit."""


def numbers_of_classes(metric) -> list[int]:
    """Up to 5, and up to 4 where tuples are enumerated."""
    return class_numbers(metric, 4 if metric.statistic is Tuples else 5)


def off(found: float, expected: float) -> float:
    """Distance in units of 2⁻⁵³."""
    return abs(found - expected) / exact.UNIT


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_order_of_cases(metric):
    for K in numbers_of_classes(metric):
        plain, eighths = sample_for(metric, K, 5), sample_for(metric, K, 5, weighted=True)
        for sample in (plain, eighths, plain.with_weights(np.arange(len(plain.y)) % 7 + 1.0)):
            for seed in range(3):
                moved = sample.take(np.random.default_rng(seed).permutation(len(sample.y)))
                far = off(moved.value(metric), sample.value(metric))
                assert far <= (0 if metric.name in COUNTED else 2), (K, seed)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_order_of_classes(metric):
    """With their columns and labels: the terms are the same, their sum may round otherwise."""
    for K in numbers_of_classes(metric):
        sample = sample_for(metric, K, 3, weighted=True)
        if K == 2:  # the second column alone is used, so rows sum to 1
            sample = sample.with_scores(sample_for(registry["vus"], 2, 3, n=len(sample.y)).p)
        for shift in range(1, K):
            order = np.roll(np.arange(K), shift)
            columns = sample.p[:, order]
            moved = metric.function(sample.y, columns, labels=order, sample_weight=sample.w)
            assert off(moved, sample.value(metric)) <= 4, (K, shift)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_powers_of_two_times_all_weights(metric):
    for K in class_numbers(metric, 4):
        sample = sample_for(metric, K, 3, weighted=True)
        for exponent in (-1020, -400, -1, 1, 400, 1000):
            moved = sample.with_weights(np.ldexp(sample.w, exponent))
            for options in options_of(metric, K):
                found = moved.value(metric, **options)
                assert found == sample.value(metric, **options), (K, exponent, options)


@pytest.mark.parametrize("exponent", [-300, 1, 300])
def test_standard_errors_do_not_know_the_unit_of_weights(exponent):
    sample = sample_for(registry["vus"], 3, 3, weighted=True, n=30)
    moved = sample.with_weights(np.ldexp(sample.w, exponent))
    one, other = (
        polyroc.evaluate(each.y, each.p, "all", sample_weight=each.w).frame()
        for each in (sample, moved)
    )
    assert one.equals(other)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_case_of_next_to_no_weight_is_next_to_absent(metric):
    """Weights 1e16 apart and more: those of the light cases are lost, not those of the others."""
    for K, light in product(class_numbers(metric, 4), (1e-300, 1e-16, 5e-324)):
        sample = sample_for(metric, K, 2)
        first = {int(np.flatnonzero(sample.y == k)[0]) for k in range(K)}
        w = np.array([1.0 if i in first or i % 2 else light for i in range(len(sample.y))])
        kept = np.flatnonzero(w == 1)
        found = sample.with_weights(w).value(metric)
        assert off(found, sample.take(kept).value(metric)) <= 32, (K, light)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_one_heavy_case_in_each_class_decides(metric):
    for K, heavy in product(class_numbers(metric, 4), (1e16, 1e300, 1.7e308)):
        sample = sample_for(metric, K, 1)
        first = [int(np.flatnonzero(sample.y == k)[0]) for k in range(K)]
        w = np.ones(len(sample.y))
        w[first] = heavy
        found = sample.with_weights(w).value(metric)
        assert off(found, sample.take(first).value(metric)) <= 160, (K, heavy)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_weights_against_fractions_when_they_differ_by_1e16(metric):
    for K in class_numbers(metric, 3):
        sample = sample_for(metric, K, 4)
        w = 10.0 ** (np.arange(len(sample.y)) * 7 % 17)
        sample = sample.with_weights(w)
        assert abs(sample.value(metric) - sample.twin(metric)) <= 8 * exact.UNIT, K


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_zero_weight_is_absence_to_the_bit(metric):
    for K in numbers_of_classes(metric):
        sample = sample_for(metric, K, 2, weighted=True)
        first = {int(np.flatnonzero(sample.y == k)[0]) for k in range(K)}
        w = np.array([v if i in first or i % 2 else 0 for i, v in enumerate(sample.w)])
        kept = sample.take(np.flatnonzero(w))
        for options in options_of(metric, K):
            found = answers(sample.with_weights(w), metric, **options)
            assert found == answers(kept, metric, **options), (K, options)


def test_weights_of_classes_may_not_vanish_beside_each_other():
    """Products of the weights of two classes stay numbers; beyond 1e90 apart they are refused."""
    y, scores = [0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8]
    assert polyroc.roc_auc(y, scores, sample_weight=[1e-80, 1, 1e-80, 1]) == 0.75
    with pytest.raises(InvalidInput, match="less than 1e-90 of the weight"):
        polyroc.roc_auc(y, scores, sample_weight=[1e-100, 1, 1e-100, 1])
    assert polyroc.roc_auc(y, scores, sample_weight=[1e300] * 4) == 0.75
    assert polyroc.roc_auc(y, scores, sample_weight=[5e-324] * 4) == 0.75


NEAR_ONE = [0, 1e-16, 1e-7, -1e-7, 6e-8, 9.9e-5, -9.9e-5]
NOT_ONE = [1.01e-4, -1.01e-4, 1e-3, -1e-3, 0.5]


@pytest.mark.parametrize("excess", [*NEAR_ONE, *NOT_ONE])
@pytest.mark.parametrize("name", ["hand_till_scored", "total_length", "simplex_volume", "wvus2"])
def test_rows_that_nearly_sum_to_1(name, excess):
    """Within 1e-4, what rounding to float16 does, they are probabilities; beyond they are none."""
    metric = registry[name]
    K = class_numbers(metric)[-1]
    sample = sample_for(metric, K, 1, kind="continuous")
    moved = sample.with_scores(sample.p * (1 + excess))
    if excess in NOT_ONE:
        with pytest.raises(NotDefined, match="needs probabilities, but row 0 of y_score sums to"):
            moved.value(metric)
    else:
        near = abs(moved.value(metric) - sample.value(metric))
        assert near <= 2 * K * abs(excess) + 2 * exact.UNIT
    found = moved.value(metric, normalize=True)
    assert found == pytest.approx(sample.value(metric), rel=0, abs=1e-14)


@pytest.mark.parametrize("K", [2, 3, 10, 300])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_softmax_of_any_precision_gives_probabilities(dtype, K):
    rng = np.random.default_rng(K)
    logits = rng.normal(size=(2 * K, K)) * 3
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = (p / p.sum(axis=1, keepdims=True)).astype(dtype)
    y = np.arange(2 * K) % K
    if dtype == np.float16 and not Predictions(y, p).are_probabilities:
        with pytest.raises(NotDefined, match="normalize=True"):
            polyroc.total_length(y, p)
        p = p.astype(np.float64) / p.sum(axis=1, keepdims=True, dtype=np.float64)
    assert 0 <= polyroc.total_length(y, p) <= 1
