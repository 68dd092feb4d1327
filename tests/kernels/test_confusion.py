"""Tables of decisions, and the costs at which decisions change, against loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from polyroc.kernels.confusion import LARGEST_COST, confusion_tables, critical_costs


def cases_of(seed, n, n_classes, values=None):
    """Probabilities (on a grid of `values`), codes and dyadic weights."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n_classes), n)
    if values:
        p = np.round(p * values) / values
    return p, rng.integers(0, n_classes, n), rng.integers(1, 9, n) / 4


def costs_of(seed, m, n_classes, values):
    costs = np.random.default_rng(seed).integers(0, values, (m, n_classes, n_classes)) / 8.0
    return costs * (1 - np.eye(n_classes))


def decisions(p, costs):
    """The cheapest decision for each case, the first of equal ones."""
    expected = [[sum(p_k * c for p_k, c in zip(row, column, strict=True)) for column in costs.T]
                for row in p.tolist()]  # fmt: skip
    return np.array([min(range(len(row)), key=row.__getitem__) for row in expected])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("values", [None, 2, 4])
def test_tables_hold_the_weight_of_each_decision(n_classes, values):
    p, codes, weights = cases_of(n_classes, 40, n_classes, values)
    costs = costs_of(values or 0, 12, n_classes, 6)
    tables = np.zeros_like(costs)
    confusion_tables(p, codes, weights, costs, tables, 2.0**-40)
    for cost, table in zip(costs, tables, strict=True):
        expected = np.zeros_like(table)
        np.add.at(expected, (codes, decisions(p, cost)), weights)
        assert np.array_equal(table, expected)


def test_tables_are_added_to():
    p, codes, weights = cases_of(1, 9, 3)
    costs, tables = costs_of(1, 2, 3, 6), np.ones((2, 3, 3))
    confusion_tables(p, codes, weights, costs, tables, 2.0**-40)
    assert tables.sum() == 2 * (9 + weights.sum())


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_decisions_change_at_critical_costs_and_nowhere_else(n_classes, seed):
    p, _, _ = cases_of(seed, 25, n_classes, 8 if seed == 3 else None)
    costs = costs_of(seed, 1, n_classes, 9)[0]
    for truth in range(n_classes):
        decided = (truth + 1) % n_classes
        critical = critical_costs(p, costs, truth, decided)
        edges = np.concatenate([[0.0], critical, [3 * critical.max(initial=1)]])
        before = None
        for low, high in pairwise(edges):
            if high - low < 1e-9 * high:  # one value, rounded in two ways
                continue
            sets = []
            for share in (1e-6, 0.5, 1 - 1e-6):
                costs[truth, decided] = low + share * (high - low)
                sets.append(set(np.flatnonzero(decisions(p, costs) == decided)))
            assert sets[0] == sets[1] == sets[2]
            assert before is None or sets[1] < before
            before = sets[1]


def test_costs_that_no_case_depends_on_are_left_out():
    """p = 0, another decision that is cheaper anyway, and a cost beside which others vanish."""
    costs = np.array([[0.0, 0.5], [0.5, 0.0]])
    p = np.array([[0.0, 1.0], [0.25, 0.75], [1e-14, 1.0]])
    assert critical_costs(p, costs, 0, 1).tolist() == [1.5]
    assert critical_costs(p[:1], costs, 0, 1).size == 0
    free = np.array([[0.0, 0.5], [0.0, 0.0]])  # deciding 0 costs nothing
    assert critical_costs(p, free, 0, 1).size == 0
    assert LARGEST_COST < 0.5 / 1e-14
