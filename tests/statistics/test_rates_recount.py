"""Fixed costs by their definition, and thresholds at margins that are tied, close or apart."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from polyroc import Predictions
from polyroc.statistics.rates import Rates, fixed_costs


def root_of(power: int) -> float:
    """The positive root of x^power = x + 1, by halving."""
    low, high = 1.0, 2.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**power < middle + 1 else (low, middle)
    return low


@pytest.mark.parametrize("K", [2, 3])
def test_fixed_costs_by_their_definition(K: int) -> None:
    """Fractional parts of multiples of powers of one number, their logarithms over their sum."""
    places = [(k, j) for k in range(K) for j in range(K) if k != j]
    number = root_of(len(places) + 1)
    tables = []
    for m in range(1, 1000 // math.factorial(K) + 1):
        fractions = [((m + 0.5) / number ** (d + 1)) % 1 for d in range(len(places))]
        parts = [-math.log(1 - each) for each in fractions]
        if m == 1:
            parts = [1 + 1e-9 * part for part in parts]
        table = np.zeros((K, K))
        for place, part in zip(places, parts, strict=True):
            table[place] = part / math.fsum(parts)
        tables.append(table)
    expected = [
        [[table[a, b] for b in order] for a in order]
        for order in permutations(range(K))
        for table in tables
    ]
    np.testing.assert_allclose(fixed_costs(K), expected, rtol=1e-10, atol=1e-12)


def test_margins_that_are_equal_as_decimals_are_one_threshold() -> None:
    y = [0, 1, 0, 1]
    p = np.array([[0.3, 0.7], [0.1 + 0.2, 0.7], [0.3 + 1e-8, 0.7 - 1e-8], [0.6, 0.4]])
    found = Rates.of(Predictions(y, p)).rates
    # margins .4 (twice), just below it, and −.2: three steps, four thresholds
    np.testing.assert_array_equal(found, [[1, 0], [1, 0.5], [0.5, 0.5], [0, 1]])


@pytest.mark.parametrize("n", [17, 60])
def test_rates_are_never_above_one(n: int) -> None:
    """Whatever the rounding of weights that are added up."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        p, weights = rng.dirichlet(np.ones(2), n), rng.random(n) + 0.1
        found = Rates.of(Predictions(np.arange(n) % 2, p, sample_weight=weights)).rates
        assert found.max() <= 1.0 and found.max() == pytest.approx(1.0, abs=1e-12)
        assert found.min() >= 0.0


def test_rates_of_three_classes_by_the_least_expected_cost() -> None:
    """C_kj over the weight of class k, in row-major order of what is off the diagonal."""
    rng = np.random.default_rng(4)
    y, p, w = np.arange(16) % 3, rng.dirichlet(np.ones(3), 16), rng.random(16) + 0.2
    made = Rates.of(Predictions(y, p, sample_weight=w))
    costs = fixed_costs(3)
    for m in (0, 1, 165, 166, 500, 995):
        decided = [int(np.argmin(row @ costs[m])) for row in p]
        expected = [
            sum(w[i] for i in range(16) if y[i] == k and decided[i] == j) / w[y == k].sum()
            for k in range(3)
            for j in range(3)
            if j != k
        ]
        np.testing.assert_allclose(made.rates[m], expected, atol=1e-12)
    assert made.rates.shape == (996, 6)
