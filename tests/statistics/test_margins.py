"""Influence values of AUC_mu by the compiled loops for many classes equal those pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from polyroc import Predictions, registry
from polyroc._base.ties import merged
from polyroc.statistics import margins, short_tables
from polyroc.statistics.directed import Directed

METRIC = registry["auc_mu"]


def sample(kind, K, seed=0):
    rng = np.random.default_rng([seed, K])
    y = np.concatenate([np.arange(K), rng.integers(0, K, 4 * K)])
    if kind == "decimals":
        return y, np.round(rng.dirichlet(np.ones(K), len(y)), 2)
    scores = rng.normal(size=(len(y), K))
    if kind == "masked":
        scores[rng.random(scores.shape) < 0.2] = -1e30
    return y, (scores * 2.0**1021 if kind == "huge" else scores)


@pytest.mark.parametrize("kind", ["decimals", "continuous", "masked", "huge"])
def test_compiled_placements(kind, monkeypatch):
    y, scores = sample(kind, 7)
    rng = np.random.default_rng(1)
    costs = rng.integers(1, 9, (7, 7)) / 10 * (1 - np.eye(7))
    for weights in (None, rng.integers(1, 5, len(y)) / 2):
        for dtype in (np.float64, np.float32) if kind != "huge" else (np.float64,):
            predictions = Predictions(y, scores.astype(dtype), sample_weight=weights)
            for options in ({}, {"ties": "strict"}, {"ties": "lenient"}, {"partition": costs}):
                monkeypatch.setattr(margins, "MANY_CLASSES", 1000)
                expected = METRIC.influence(predictions, **options).cases
                value = METRIC.of(predictions, **options)
                monkeypatch.setattr(margins, "MANY_CLASSES", 2)
                found = METRIC.influence(predictions, **options).cases
                np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
                fresh = Predictions(y, scores.astype(dtype), sample_weight=weights)
                assert METRIC.of(fresh, **options) == pytest.approx(value, abs=1e-14)
                for n_threads in (1, 3):
                    alone = Predictions(
                        y, scores.astype(dtype), sample_weight=weights, n_threads=n_threads
                    )
                    again = METRIC.influence(alone, **options).cases
                    np.testing.assert_array_equal(again, found)


def test_an_explicit_argmax_is_the_default():
    for kind in ("decimals", "continuous"):
        for K in (3, 25):
            y, scores = sample(kind, K)
            argmax = 1 - np.eye(K)
            assert METRIC.function(y, scores, partition=argmax) == METRIC.function(y, scores)


def test_margins_that_are_tied_are_equal_and_the_others_come_with_their_order():
    rng = np.random.default_rng(4)
    y, p = np.arange(90) % 3, rng.dirichlet(np.ones(3), 90)
    tenths, sizes = rng.multinomial(10, np.ones(3) / 3, 90) / 10, [0.0, 1.0, 1e-13, 1e-11]
    for scores in (p, tenths, p.astype(np.float32), *(0.25 + size * p for size in sizes)):
        for partition in (None, ((0.0, 1.0, 2.0), (1.0, 0.0, 1.0), (3.0, 1.0, 0.0))):
            directed, cases = Directed.of(Predictions(y, scores), partition), np.arange(60)
            found, order = directed.ordered(cases, 0, 1)
            plain = directed.margins(cases, 0, 1)
            expected = merged(plain, directed.slacks(cases, 0, 1))
            assert found.tobytes() == expected.tobytes()
            assert order is None or (np.diff(found[order]) >= 0).all()
            if (found != plain).any():
                assert order is None


@pytest.mark.parametrize("kind", ["decimals", "continuous", "masked", "huge"])
@pytest.mark.parametrize("K", [4, 7, 12])
def test_few_margins_of_all_pairs_are_sorted_together(kind, K, monkeypatch):
    y, scores = sample(kind, K)
    monkeypatch.setattr(short_tables, "MARGINS_OF_PAIR", 10**9)
    assert short_tables.has_few_margins(Predictions(y, scores))
    together = margins.Margins.of(Predictions(y, scores))
    monkeypatch.setattr(short_tables, "MARGINS_OF_PAIR", 0)
    searched = margins.Margins.of(Predictions(y, scores))
    np.testing.assert_array_equal(together.above, searched.above)
    np.testing.assert_array_equal(together.tied, searched.tied)


def test_ranks_of_margins_are_the_comparisons_of_all_cases():
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(5), [9, 1, 14, 3, 6])
    rng.shuffle(y)
    scores = rng.normal(size=(len(y), 5))
    predictions = Predictions(y, scores)
    found = short_tables.ranked_margins(predictions, Directed.of(predictions, None))
    expected = np.zeros((5, 5))
    for a, i in enumerate(y):
        for b, j in enumerate(y):
            if i < j:
                expected[i, j] += scores[a, i] - scores[a, j] > scores[b, i] - scores[b, j]
    np.testing.assert_array_equal(found, expected)


def test_margins_are_sorted_together_while_they_are_few():
    rng, weights = np.random.default_rng(1), np.ones(490)
    few = Predictions(np.arange(490) % 10, rng.normal(size=(490, 10)))
    many = Predictions(np.arange(491) % 10, rng.normal(size=(491, 10)))
    assert short_tables.has_few_margins(few)
    assert not short_tables.has_few_margins(many)  # 70 cases for each of the classes but three
    weighted = Predictions(few.codes, few.scores, sample_weight=2 * weights)
    assert not short_tables.has_few_margins(weighted)
    at_most = Predictions(np.arange(512) % 32, rng.normal(size=(512, 32)))
    beyond = Predictions(np.arange(513) % 32, rng.normal(size=(513, 32)))
    assert short_tables.has_few_margins(at_most)
    assert not short_tables.has_few_margins(beyond)


def test_margins_that_may_be_tied_are_not_ranked():
    y = np.arange(30) % 10
    scores = np.random.default_rng(0).dirichlet(np.ones(10), 30)
    predictions = Predictions(y, scores)
    directed = Directed.of(predictions, None)
    assert short_tables.ranked_margins(predictions, directed) is not None
    scores[y == 0, :2] = [0.3, 0.1]
    scores[y == 1, :2] = [0.5, 0.3]  # 0.5 − 0.3 and 0.3 − 0.1 differ in the last bits
    tied = Predictions(y, scores)
    assert short_tables.ranked_margins(tied, Directed.of(tied, None)) is None
    assert margins.Margins.of(tied).tied[0, 1] == 9


def test_equal_margins_within_a_class_do_not_hinder_ranks():
    y = np.arange(30) % 10
    scores = np.random.default_rng(0).dirichlet(np.ones(10), 30)
    scores[10] = scores[0]  # both of class 0
    predictions = Predictions(y, scores)
    assert short_tables.ranked_margins(predictions, Directed.of(predictions, None)) is not None
