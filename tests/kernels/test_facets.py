"""Facets of an ideal observer's surface against linear algebra, sums over all tuples and limits."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from polyroc.kernels.facets import cheapest_rates, draw_facets, facet, walk_facets
from polyroc.utility._surface_average import groups_of, pairs_of, patterns_of


def facet_of(rows, labels, heights=None):
    """Size, costs and slopes of the facet of some observations."""
    n_classes = rows.shape[1]
    costs, slopes = np.zeros((2, n_classes, n_classes))
    heights = np.zeros(rows.shape) if heights is None else heights
    labels = np.asarray(labels, dtype=np.int64)
    return facet(rows, heights, labels, pairs_of(n_classes), costs, slopes), costs, slopes


def slow_facet(rows, labels):
    """The definition by singular values; 0 where a cost is negative or a decision is cheaper."""
    k, n_classes = rows.shape
    edges = np.zeros((k, n_classes, n_classes))
    for edge, row, label in zip(edges, rows, labels, strict=True):
        i, j = pairs_of(n_classes)[label]
        edge[:, i], edge[:, j] = row, -row
    table = edges[:, ~np.eye(n_classes, dtype=bool)]
    _, spans, directions = np.linalg.svd(table)
    normal = directions[-1] * np.sign(directions[-1].sum())
    costs = np.zeros((n_classes, n_classes))
    costs[~np.eye(n_classes, dtype=bool)] = normal
    spent = rows @ costs
    least = spent.min(axis=1)
    decided = [spent[a, pairs_of(n_classes)[label]] for a, label in enumerate(labels)]
    on_surface = (normal >= 0).all() and np.allclose(np.array(decided).T, least, atol=1e-9)
    return (np.prod(spans) if on_surface else 0.0), costs


def undecided(costs, pair, rng):
    """An observation for which both decisions of a pair cost the same and no other costs less."""
    gap = costs[:, pair[0]] - costs[:, pair[1]]
    while True:
        one, other = rng.dirichlet(np.ones(len(costs)), 2)
        here, there = one @ gap, other @ gap
        row = (there * one - here * other) / (there - here)
        spent = row @ costs
        if here * there < 0 and spent[pair[0]] <= spent.min() + 1e-12:
            return row


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_undecided_observations_span_the_facet_of_their_costs(n_classes):
    rng = np.random.default_rng(n_classes)
    pairs = pairs_of(n_classes)
    for _ in range(20):
        costs = rng.uniform(0.8, 1.2, (n_classes, n_classes))  # each decision is best somewhere
        np.fill_diagonal(costs, 0)
        labels = np.repeat(np.arange(len(pairs)), rng.choice(patterns_of(n_classes)))
        rows = np.array([undecided(costs, pairs[label], rng) for label in labels])
        size, found, slopes = facet_of(rows, labels)
        assert size == pytest.approx(slow_facet(rows, labels)[0], rel=1e-7) and size > 0
        np.testing.assert_allclose(found, costs / np.linalg.norm(costs), rtol=1e-5)
        assert not slopes.any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_observations_against_singular_values(n_classes):
    rng = np.random.default_rng(n_classes)
    patterns = patterns_of(n_classes)
    for _ in range(400):
        labels = np.repeat(np.arange(len(patterns[0])), rng.choice(patterns))
        rows = rng.dirichlet(np.full(n_classes, 0.7), len(labels)) * rng.uniform(0.5, 2)
        assert facet_of(rows, labels)[0] == pytest.approx(slow_facet(rows, labels)[0], rel=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_no_facet_where_costs_stay_open_or_make_one_class_of_two(seed):
    """Equal observations leave a cost open; three for one pair make both decisions cost alike."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(3), 5)
    assert facet_of(rows, [0, 0, 0, 1, 2])[0] == 0
    assert facet_of(rows[[0, 0, 1, 2, 3]], [0, 0, 1, 1, 2])[0] == 0
    assert facet_of(np.eye(3)[[0, 1, 2, 0, 1]], [0, 0, 1, 2, 2])[0] == 0


def area(likelihoods, heights):
    """Size of the surface: the sum over all sets of observations and ways to place them."""
    n_classes = likelihoods.shape[1]
    total = 0.0
    for pattern in patterns_of(n_classes):
        labels = np.repeat(np.arange(len(pattern)), pattern)
        for places in set(permutations(labels.tolist())):
            for chosen in combinations(range(len(likelihoods)), len(labels)):
                rows = np.array(chosen)
                total += facet_of(likelihoods[rows], places, heights[rows])[0]
    return total


def test_two_classes_have_the_length_of_the_roc_curve():
    likelihoods = np.array([[0.5, 0.1], [0.3, 0.3], [0.2, 0.6], [0.0, 0.4], [0.1, 0.0]])
    found = area(likelihoods, np.zeros((5, 2)))
    assert found == pytest.approx(np.linalg.norm(likelihoods, axis=1).sum())


TIED = {
    "equal": [[2, 1, 2], [2, 1, 2], [0, 0, 1], [0, 2, 2], [2, 3, 3], [3, 1, 2], [1, 1, 1]],
    "zeros": [[0, 3, 0], [0, 3, 0], [2, 0, 1], [3, 2, 0], [3, 2, 1], [3, 1, 1], [2, 0, 0]],
    "collinear": [[2, 4, 1], [0, 3, 0], [4, 8, 2], [0, 2, 0], [4, 2, 2], [2, 4, 3], [2, 3, 0]],
    "grid": [[1, 3, 0], [3, 3, 0], [2, 4, 4], [1, 4, 4], [2, 0, 1], [3, 3, 4], [3, 3, 3]],
}


@pytest.mark.parametrize("name", TIED)
def test_heights_settle_which_tuples_cover_a_tied_piece(name):
    """With any heights each piece is covered once, without them some are covered repeatedly."""
    likelihoods = np.array(TIED[name]) / 10
    rng = np.random.default_rng(1)
    one, other = (area(likelihoods, rng.random(likelihoods.shape)) for _ in range(2))
    assert one == pytest.approx(other, rel=1e-9)
    assert 0 < one < 0.9 * area(likelihoods, np.zeros(likelihoods.shape))


def slow_rates(likelihoods, costs, members):
    rates, used = np.zeros(costs.shape), 0
    for at, row in enumerate(likelihoods):
        if at not in members:
            spent = row @ costs
            best = np.flatnonzero(np.isclose(spent, spent.min(), rtol=1e-12, atol=0))
            rates[:, best] += row[:, None] / len(best)
            used += 1
    return rates / max(used, 1)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("values", [None, 3])
def test_cheapest_rates_against_loops(n_classes, values):
    rng = np.random.default_rng(n_classes)
    likelihoods = rng.dirichlet(np.ones(n_classes), 30)
    costs = rng.random((n_classes, n_classes))
    if values:  # decisions that cost the same share an observation
        likelihoods, costs = np.round(likelihoods * values), np.ones(costs.shape)
    np.fill_diagonal(costs, 0)
    members, flat = np.array([3, 7]), np.zeros(likelihoods.shape)
    level = np.zeros(costs.shape)
    found = cheapest_rates(likelihoods, flat, costs, level, 11, 30, members)
    np.testing.assert_allclose(found, slow_rates(likelihoods, costs, members), rtol=1e-12)
    nobody = cheapest_rates(likelihoods, flat, costs, level, 3, 1, members)
    assert not nobody.any()


def test_heights_settle_ties_of_rates():
    """All decisions cost the same, so each observation goes where its height is least."""
    likelihoods, costs = np.ones((4, 3)), np.ones((3, 3)) - np.eye(3)
    heights = np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0], [1, 0.5, 0]])
    found = cheapest_rates(likelihoods, heights, costs, np.zeros((3, 3)), 0, 4, np.array([-1]))
    assert (found * 4).tolist() == [[1, 1, 2]] * 3


def sample(n, n_classes, seed):
    """Likelihoods, each class adding up to 1, and heights."""
    rng = np.random.default_rng(seed)
    likelihoods = rng.dirichlet(np.full(n_classes, 20.0), n)
    return likelihoods / likelihoods.sum(axis=0), rng.random(likelihoods.shape)


@pytest.mark.parametrize(("n_classes", "n_draws"), [(2, 100), (3, 3000)])
def test_drawn_facets_are_those_of_the_definition(n_classes, n_draws):
    """The same draws again, one at a time; an observation drawn twice makes no facet."""
    likelihoods, heights = sample(30, n_classes, 1)
    pairs, patterns = pairs_of(n_classes), patterns_of(n_classes)
    rng = np.random.default_rng(5)
    sizes, parts = draw_facets(likelihoods, heights, patterns, pairs, rng, n_draws, 30)
    again, expected = np.random.default_rng(5), []
    errors = ~np.eye(n_classes, dtype=bool)
    for draw in range(n_draws):
        pattern = patterns[draw % len(patterns)]
        labels = np.repeat(np.arange(len(pairs)), pattern)
        orders = np.prod([np.prod(np.arange(1, count + 1)) for count in pattern])
        members = np.array([again.integers(0, 30) for _ in labels])
        if len(set(members.tolist())) == len(members):
            size, costs = slow_facet(likelihoods[members], labels)
            if size > 0:
                again.integers(0, 30)  # where the window starts
                rates = slow_rates(likelihoods, costs, members)
                expected.append([size / orders, *(costs * rates)[errors]])
    assert len(sizes) == len(expected) > 5
    np.testing.assert_allclose(np.column_stack([sizes, parts]), expected, rtol=1e-8, atol=1e-12)


def walked(likelihoods, heights, seed, burn, steps, every=5):
    n_classes = likelihoods.shape[1]
    arguments = pairs_of(n_classes), *groups_of(n_classes), np.random.default_rng(seed)
    sizes = burn, steps, every, len(likelihoods)
    return walk_facets(likelihoods, heights, *arguments, *sizes)


def test_a_walk_visits_facets_in_proportion_to_their_size():
    likelihoods, heights = sample(5, 2, 8)
    sizes, costs = np.linalg.norm(likelihoods, axis=1), []
    for a, row in enumerate(likelihoods):
        normal = facet_of(likelihoods[[a]], [0])[1]
        costs.append((normal * slow_rates(likelihoods, normal, [a])).sum())
        assert row @ normal == pytest.approx((row @ normal)[::-1])
    expected = np.average(costs, weights=sizes)
    parts = walked(likelihoods, heights, 1, 200, 8000, every=2)
    assert len(parts) == 4000
    error = np.std(costs) / np.sqrt(4000 / 4)
    assert parts.sum(axis=1).mean() == pytest.approx(expected, abs=4 * error)
    assert set(parts.sum(axis=1).round(12)) == set(np.round(costs, 12))


def test_a_walk_looks_at_costs_of_the_surface():
    likelihoods, heights = sample(40, 3, 3)
    parts = walked(likelihoods, heights, 2, 800, 202)
    assert parts.shape == (40, 6)
    assert (parts >= 0).all() and (parts.sum(axis=1) < 1).all() and (parts.sum(axis=1) > 0).all()
    assert len(np.unique(parts, axis=0)) > 1
    assert np.array_equal(parts, walked(likelihoods, heights, 2, 800, 202))


def test_a_walk_that_stays_at_its_start_returns_nothing():
    likelihoods, heights = sample(40, 3, 1)
    assert walked(likelihoods, heights, 1, 0, 20).shape == (0, 6)


@pytest.mark.parametrize("kind", ["guesses", "perfect"])
def test_an_observer_without_a_surface_starts_no_walk(kind):
    likelihoods = np.ones((6, 3)) if kind == "guesses" else np.eye(3)[[0, 1, 2, 0, 1, 2]]
    assert walked(likelihoods, np.zeros((6, 3)), 1, 10, 20).shape == (0, 6)
