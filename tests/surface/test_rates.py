"""Error rates of many costs, against loops, and the thresholds of a single cost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyroc.surface import _rates as rates
from polyroc.surface._cases import Cases, cases_of
from polyroc.surface._costs import least_cost, matrices
from polyroc.surface._rates import error_rates
from polyroc.surface._thresholds import between_thresholds


def slow_rates(p: np.ndarray, cases: Cases, costs: np.ndarray) -> np.ndarray:
    """The definition: share of the weight of class k for which j costs least."""
    n_classes = len(cases.classes)
    result = []
    for entries in costs:
        table = np.zeros((n_classes, n_classes))
        decisions = least_cost(p, matrices(entries, n_classes))
        for code, weight, decided in zip(cases.codes, cases.weights, decisions, strict=True):
            table[code, decided] += weight
        shares = [
            table[k, j] / cases.class_weights[k]
            for k in range(n_classes)
            for j in range(n_classes)
            if j != k
        ]
        result.append(shares)
    return np.array(result)


def some_cases(seed: int, n_classes: int, grid: int, weighted: bool) -> tuple[np.ndarray, Cases]:
    """Probabilities on a coarse grid, so that costs tie."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=12)])
    counts = rng.multinomial(grid, np.ones(n_classes) / n_classes, size=len(y))
    weights = rng.integers(1, 4, len(y)) / 4 if weighted else None
    return counts / grid, cases_of(y, sample_weight=weights)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from([2, 5, 1000]), st.booleans())
def test_rates_equal_their_definition(seed: int, n_classes: int, grid: int, weighted: bool) -> None:
    p, cases = some_cases(seed, n_classes, grid, weighted)
    rng = np.random.default_rng(seed)
    costs = rng.multinomial(8, np.ones(n_classes * (n_classes - 1)) / 2**9, size=7) / 8
    costs[0] = rng.random(costs.shape[1])
    found, slow = error_rates(p, cases, costs), slow_rates(p, cases, costs)
    if weighted:  # equal up to the grid on which weighted rates are kept
        assert np.allclose(found, slow, rtol=0, atol=1e-12)
    else:
        assert np.array_equal(found, slow)


def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_WORTH_A_THREAD", 0)
    p, cases = some_cases(1, 3, 1000, weighted=True)
    costs = np.random.default_rng(0).dirichlet(np.ones(6), 101)
    one, two, many = (error_rates(p, cases, costs, n_threads=n) for n in (1, 2, 7))
    assert np.array_equal(one, two) and np.array_equal(one, many)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([3, 10, 1000]))
def test_a_stepped_cost_meets_every_set_of_decisions(seed: int, n_classes: int, grid: int) -> None:
    """A fine grid over one cost finds no decisions that the representatives miss."""
    p, _ = some_cases(seed, n_classes, grid, weighted=False)
    rng = np.random.default_rng(seed)
    costs = rng.dirichlet(np.ones(n_classes * (n_classes - 1)))
    entry = int(rng.integers(len(costs)))
    options = between_thresholds(costs, entry, p)
    assert np.allclose(options.sum(axis=1), 1)
    met = {least_cost(p, matrices(row, n_classes)).tobytes() for row in options}
    for value in np.exp(rng.uniform(-8, 8, 200)):
        varied = costs.copy()
        varied[entry] = value
        assert least_cost(p, matrices(varied, n_classes)).tobytes() in met


def test_a_cost_without_thresholds_stays() -> None:
    costs = np.array([0.25, 0.75])
    sure = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert between_thresholds(costs, 0, sure).tolist() == [[0.25, 0.75]]
