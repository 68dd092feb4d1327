"""Facets visited by walks: in proportion to size and weight, and their costs by plain loops."""

import numpy as np

from polyroc.kernels.facets import even_costs, facet
from polyroc.kernels.visits import (
    costs_of_visits,
    moved_facets,
    visited_facets,
)
from polyroc.utility._surface_average import groups_of, pairs_of


def sample(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    posteriors = rng.dirichlet(np.ones(n_classes), n)
    return posteriors / posteriors.mean(axis=0), rng.random((n, n_classes))


def visits(likelihoods, heights, ends, n_burn, n_looks, every, seed=1):
    n_classes = likelihoods.shape[1]
    rng = np.random.default_rng(seed)
    sizes = n_burn, n_looks, every
    tables = pairs_of(n_classes), *groups_of(n_classes)
    return visited_facets(likelihoods, heights, *tables, rng, ends, even_costs(n_classes), *sizes)


def test_facets_are_visited_in_proportion_to_size_times_weight():
    likelihoods, heights = sample(6, 2, 8)
    weights = np.array([1.0, 2, 1, 3, 1, 2])
    seen, between = visits(likelihoods, heights, np.cumsum(weights), 200, 6_000, 2)
    assert seen.shape == (6_000, 1) and not between.any()
    share = np.bincount(seen[:, 0], minlength=6) / len(seen)
    expected = np.linalg.norm(likelihoods, axis=1) * weights
    np.testing.assert_allclose(share, expected / expected.sum(), atol=0.03)


def test_costs_and_moves_by_loops():
    likelihoods, heights = sample(60, 3, 3)
    rng, pairs = np.random.default_rng(5), pairs_of(3)
    truth, weights = rng.integers(0, 3, 60), rng.uniform(0.5, 2, 60)
    seen, between = visits(likelihoods, heights, np.cumsum(weights), 8000, 12, 300)
    assert len(seen) == 12
    paid, expected_paid = np.zeros(60), np.zeros(60)
    rates, costs = costs_of_visits(likelihoods, heights, pairs, seen, between, truth, weights, paid)
    for m, members in enumerate(seen):
        table, slopes = np.zeros((2, 3, 3))
        rows = likelihoods[members]
        assert facet(rows, heights[members], between[m], pairs, table, slopes) > 0
        others = [i for i in range(60) if i not in members]
        decided = (likelihoods @ table).argmin(axis=1)
        counted, modelled = np.zeros((2, 3, 3))
        for i in others:
            counted[truth[i], decided[i]] += weights[i]
            modelled[:, decided[i]] += weights[i] * likelihoods[i]
        counted /= counted.sum(axis=1, keepdims=True)
        modelled /= modelled.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(rates[m], counted)
        np.testing.assert_allclose(costs[m], [(table * counted).sum(), (table * modelled).sum()])
        for i in others:
            mean = (table * counted)[truth[i]].sum()
            expected_paid[i] += table[truth[i], decided[i]] - mean
    np.testing.assert_allclose(paid, expected_paid)
    sizes, again = moved_facets(likelihoods, heights, pairs, seen, between, rates)
    assert (sizes > 0).all()
    np.testing.assert_allclose(again, costs[:, 0])
    sizes, _ = moved_facets(likelihoods[::-1].copy(), heights, pairs, seen, between, rates)
    assert not sizes.all()


def test_decisions_that_cost_the_same_share_a_case():
    likelihoods = np.array([[1.5, 0.5], [1.5, 0.5], [0.5, 1.5]])
    seen, between = np.array([[0]]), np.array([[0]])
    truth, paid = np.array([0, 0, 1]), np.zeros(3)
    arguments = pairs_of(2), seen, between, truth, np.ones(3), paid
    rates, _ = costs_of_visits(likelihoods, np.zeros((3, 2)), *arguments)
    np.testing.assert_allclose(rates[0], [[0.5, 0.5], [0, 1]])


def test_a_walk_without_a_surface_has_no_visits():
    likelihoods = np.ones((30, 3))
    seen, _ = visits(likelihoods, np.zeros((30, 3)), np.arange(1.0, 31), 100, 5, 5)
    assert len(seen) == 0
