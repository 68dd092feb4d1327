"""Millions of cases: no count overflows, no sum drifts, a class of one case beside them all.

Where pairs, triplets and cases are counted, and what the largest exact count is:

======================================  ===============================================
``columns``, ``pairs``, ``mu``          float64: exact to 2⁵² pairs, 6·10⁷ cases a class
``kernels.merge``                       int64: 9·10¹⁸ pairs
``kernels.resample``                    float64: exact to 2⁵³ pairs of a replicate
``scale.histogram``                     float64: exact to 2⁵³ cases a bin
``scale.device_pairs``                  int64 of twice the credit: 4·10¹⁸ pairs
triplet sweeps                          float64 of weights scaled to at most 1 a class
``ordinal_vus``                         the same, for any number of classes
enumerated tuples                       2·10⁸ at most, else they are drawn
======================================  ===============================================

Beyond, floats are rounded, by 2⁻⁵³ of their size, and no integer wraps round. A whole weight is
that many copies, so weights reach in a moment what cases reach in minutes.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from common.samples import METRICS, class_numbers, options_of, sample_for
from robustness import exact

import polyroc
from polyroc import Bootstrap, registry
from polyroc.curves import roc_curve
from polyroc.scale import PairSummary

MANY = 2_200_000
"""More pairs than 2³² and more triplets than 2⁶³."""


def ladder(n: int, K: int, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """K classes on n rungs: rung i in every column, and half a rung more in the own one.

    A case of rung i in class k outscores in column k the cases up to rung i of any other class.
    """
    y = np.repeat(np.arange(K, dtype=np.int8), n)
    p = np.tile(np.arange(n, dtype=dtype)[:, None], (K, K))
    for k in range(K):
        p[y == k, k] += 0.5
    return y, p


def ladder_auc(n: int) -> Fraction:
    """Σ (i + 1) over n²."""
    return Fraction(n + 1, 2 * n)


def ladder_pdi(n: int, K: int) -> Fraction:
    """Σ ((i + 1)/n)^(K−1) over n."""
    return Fraction(sum((i + 1) ** (K - 1) for i in range(n)), n**K)


def ladder_lead(n: int) -> Fraction:
    """The mean of max(s_a − s_b, 0) in rungs: Σ_{i ≥ j} (i − j + ½) over n²."""
    return sum((n - d) * Fraction(2 * d + 1, 2) for d in range(n)) / Fraction(n * n)


def off(found: float, expected: Fraction) -> float:
    """Distance in units of 2⁻⁵³."""
    return float(abs(Fraction(found) - expected) / Fraction(exact.UNIT))


WEIGHTINGS = {
    "none": lambda n: None,
    "ones": np.ones,
    "tenths": lambda n: np.full(n, 0.1),
    "thirds": lambda n: np.full(n, 1 / 3),
}


def check_ladder(n: int, K: int, weighting: str = "none", dtype: type = np.float64) -> None:
    y, p = ladder(n, K, dtype)
    w = WEIGHTINGS[weighting](len(y))
    exactly = weighting in ("none", "ones")
    allowed = 2 if exactly else 16
    for name in ("hand_till", "au1p", "aunu", "aunp"):
        found = getattr(polyroc, name)(y, p, sample_weight=w)
        assert off(found, ladder_auc(n)) <= allowed + 2 * (name != "hand_till"), name
    assert off(polyroc.auc_mu(y, p, sample_weight=w), Fraction(1)) <= (0 if exactly else allowed)
    assert off(polyroc.pdi(y, p, sample_weight=w), ladder_pdi(n, K)) <= 2 * allowed


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("K", [2, 3])
def test_ladders(K, weighting):
    """Equal weights of any size are none; a sum of tenths one by one is wrong in the 12th digit."""
    check_ladder(20_000, K, weighting)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_ladders_of_probabilities(weighting):
    n = 20_000
    y, p = ladder(n, 2)
    p1 = p[:, 1] / (n + 1)
    w = WEIGHTINGS[weighting](len(y))
    lead = ladder_lead(n) / (n + 1)
    assert off(polyroc.scored_auc(y, p1, sample_weight=w), lead) <= 64
    shift = Fraction(1, 2) + Fraction(1, 4) / (n + 1)
    assert off(polyroc.probabilistic_auc(y, p1, sample_weight=w), shift) <= 32
    assert off(polyroc.total_length(y, p1, sample_weight=w), shift) <= 32
    assert off(polyroc.simplex_volume(y, p1, sample_weight=w), 2 * shift - 1) <= 32


@pytest.mark.parametrize("score", [0.1, 1 / 3, 0.7])
def test_means_of_many_equal_scores(score):
    """Every class has one row: the means are these rows, whatever the number of cases."""
    n = 100_000
    y = np.repeat([0, 1], n)
    p = np.where(y == 1, score, 0.0)
    exactly = Fraction(score)
    assert off(polyroc.scored_auc(y, p), exactly) <= 8
    assert off(polyroc.probabilistic_auc(y, p), Fraction(1, 2) + exactly / 2) <= 8
    assert off(polyroc.simplex_volume(y, p), exactly) <= 8
    assert "every case agrees" in polyroc.estimate(y, p, "scored_auc").note


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_chains_of_one_marker(weighting):
    """Σ_{i ≤ j ≤ k} over n³: 8·10¹² triplets."""
    n = 20_000
    y = np.repeat([0, 1, 2], n)
    marker = np.tile(np.arange(n), 3) + 0.25 * y
    expected = Fraction((n + 1) * (n + 2), 6 * n * n)
    found = polyroc.ordinal_vus(y, marker, sample_weight=WEIGHTINGS[weighting](3 * n))
    assert off(found, expected) <= (4 if weighting in ("none", "ones") else 16)


COPIES = [30_000, 3_000_000, 2**40, 10**15]
"""With 100 cases a class: 2.7·10¹⁹ triplets, more than 2⁶³, and up to 10⁵¹."""


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_copies_by_weight(metric):
    K = min(3, class_numbers(metric)[-1])
    sample = sample_for(metric, K, 1, n=300, skewed=True)
    for options in options_of(metric, K):
        expected = Fraction(sample.value(metric, **options))
        for copies in COPIES:
            heavy = sample.with_weights(np.full(300, float(copies)))
            found = heavy.value(metric, **options)
            assert off(found, expected) <= (0 if copies == 2**40 else 8), (options, copies)


@pytest.mark.parametrize("copies", COPIES)
def test_copies_of_an_ordered_marker(copies):
    rng = np.random.default_rng(1)
    y, marker = np.arange(90) % 3, rng.integers(0, 20, 90)
    plain = polyroc.ordinal_vus(y, marker)
    found = polyroc.ordinal_vus(y, marker, sample_weight=np.full(90, float(copies)))
    assert abs(found - plain) <= 4 * exact.UNIT


@pytest.mark.parametrize("K", [2, 3, 4, 10, 40])
def test_chains_through_many_classes_stay_finite(K):
    """n^K tuples, all tied: 1/K!; 10⁷ copies of every case."""
    y = np.arange(4 * K) % K
    found = polyroc.ordinal_vus(y, np.zeros(4 * K), sample_weight=np.full(4 * K, 1e7))
    assert found == pytest.approx(1 / math.factorial(K), rel=1e-14)


def test_credits_of_all_ties_are_exact_in_every_count():
    """All tied, and perfectly separated, on numbers of pairs that are no multiples of anything."""
    for n, m in ((1, 99_991), (10_007, 20_011), (70_001, 3)):
        y = np.repeat([0, 1], [n, m])
        assert polyroc.roc_auc(y, np.zeros(n + m)) == 0.5
        assert polyroc.roc_auc(y, y * 1.0) == 1
        assert polyroc.roc_auc(y, 1.0 - y) == 0
        assert polyroc.auc_mu(y, np.zeros((n + m, 2))) == 0.5
        assert polyroc.pdi(y, np.zeros((n + m, 2))) == 0.5
        assert roc_curve(y, np.zeros(n + m)).area == 0.5


@pytest.mark.parametrize("weighting", ["none", "ones"])
def test_one_case_beside_all_others(weighting):
    """AUC is the share of the others below it, exactly; of one case no spread is known."""
    n = 120_000
    y = np.append(np.zeros(n, dtype=int), 1)
    scores = np.append(np.arange(n) // 3, 20_000.0)  # a tie with three
    w = None if weighting == "none" else np.ones(n + 1)
    expected = Fraction(2 * 3 * 20_000 + 3, 2 * n)
    both = np.column_stack([-scores, scores])
    for name in ("roc_auc", "hand_till", "auc_mu", "pdi", "aunu", "aunp", "au1p"):
        found = registry[name].function(y, both, sample_weight=w)
        assert off(found, expected) <= 2, name
    estimate = polyroc.estimate(y, scores, "roc_auc", sample_weight=w)
    assert off(estimate.value, expected) == pytest.approx(0, abs=0.5)
    assert math.isnan(estimate.standard_error)
    assert "class 1 has one case" in estimate.note
    low, high = (bound[1, 0] for bound in PairSummary([0, 1]).update(y, both).pairwise_auc())
    assert low <= float(expected) <= high


def test_two_cases_beside_all_others_have_a_standard_error():
    """Nearly all spread is that of the two: half the difference of their placements."""
    n = 100_000
    y = np.append(np.zeros(n, dtype=int), [1, 1])
    scores = np.append(np.arange(n, dtype=float), [0.3 * n - 0.5, 0.7 * n - 0.5])
    found = polyroc.estimate(y, scores, "roc_auc")
    assert found.value == 0.5
    assert found.standard_error == pytest.approx(0.2, rel=1e-4)
    assert found.degrees_of_freedom == pytest.approx(1, rel=1e-4)


def by_histogram(y: np.ndarray, s: np.ndarray) -> tuple[int, int, int]:
    """Pairs right, tied and in all of scores that are small whole numbers."""
    one, other = (np.bincount(s[y == k].astype(int), minlength=300).tolist() for k in (1, 0))
    below = [0, *itertools.accumulate(other)]
    right = sum(n * b for n, b in zip(one, below, strict=False))
    tied = sum(n * m for n, m in zip(one, other, strict=True))
    return right, tied, sum(one) * sum(other)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_millions_of_cases_a_class(dtype):
    """5·10¹² pairs: more than 32 bits hold, and than float32 counts."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.array([0, 1], dtype=np.int8), MANY)
    s = rng.integers(0, 200, len(y)).astype(dtype)
    s[y == 1] += rng.integers(0, 60, MANY).astype(dtype)
    right, tied, pairs = by_histogram(y, s)
    assert pairs == MANY**2
    fair = float(Fraction(2 * right + tied, 2 * pairs))
    assert polyroc.roc_auc(y, s) == fair
    assert polyroc.roc_auc(y, s, ties="strict") == float(Fraction(right, pairs))
    assert polyroc.hand_till(y, s) == fair
    assert polyroc.auc_mu(y, s) == fair
    assert abs(polyroc.pdi(y, s) - fair) <= 4 * exact.UNIT
    assert abs(polyroc.ordinal_vus(y, s) - fair) <= 4 * exact.UNIT
    assert polyroc.roc_auc(y, s, sample_weight=np.ones(len(y))) == fair
    assert abs(polyroc.roc_auc(y, s, sample_weight=np.full(len(y), 0.1)) - fair) <= 64 * exact.UNIT
    summary = PairSummary([0, 1], auc_mu=True).update(y, np.column_stack([-s, s]))
    for bounds in summary.compute(["hand_till", "auc_mu"]).values():
        assert bounds.low <= fair <= bounds.high
        assert bounds.width < 0.02
    estimate = polyroc.estimate(y, s, "roc_auc")
    assert estimate.value == fair
    assert 0 < estimate.standard_error < 3e-4


@pytest.mark.slow
def test_millions_of_cases_in_each_of_three_classes():
    """1.06·10¹⁹ triplets, more than 2⁶³."""
    y, p = ladder(MANY, 3)
    auc, n = ladder_auc(MANY), MANY
    matrix = polyroc.pairwise_auc(y, p)
    assert all(matrix[pair] == float(auc) for pair in itertools.permutations(range(3), 2))
    assert off(polyroc.hand_till(y, p), auc) <= 2
    assert polyroc.auc_mu(y, p) == 1
    assert off(polyroc.pdi(y, p), Fraction((n + 1) * (2 * n + 1), 6 * n * n)) <= 4
    marker = p[:, 0] - np.where(y == 0, 0.5, 0) + 0.25 * y
    assert off(polyroc.ordinal_vus(y, marker), Fraction((n + 1) * (n + 2), 6 * n * n)) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hum", "vus2"])
def test_random_tuples_of_millions_of_cases_a_class(name):
    """Nothing is counted but what is drawn: 1 where classes are apart, 1/K! where all are tied."""
    y = np.repeat(np.arange(3, dtype=np.int8), MANY)
    function = getattr(polyroc, name)
    assert function(y, np.eye(3, dtype=np.float32)[y], n_tuples=1000, rng=1) == 1
    equal = function(y, np.ones((3 * MANY, 3), dtype=np.float32), n_tuples=1000, rng=1)
    assert equal == pytest.approx(1 / 6 if name == "hum" else 0, abs=1e-12)


@pytest.mark.slow
def test_a_bootstrap_of_millions_of_cases_a_class():
    """Counts of a replicate are whole numbers up to 5·10¹²: those of the case, times its copies."""
    n = MANY
    y = np.repeat(np.array([0, 1], dtype=np.int8), n)
    s = np.concatenate([np.zeros(n), np.ones(n)]).astype(np.float32)
    result = polyroc.evaluate(y, s, ["roc_auc", "auc_mu"], interval=Bootstrap(3), rng=1)
    for estimate in result.values():
        assert estimate.value == 1
        assert "every case agrees on 1" in estimate.note
