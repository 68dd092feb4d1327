"""Tuples of any number of classes against enumeration in exact arithmetic."""

from __future__ import annotations

from itertools import pairwise, permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from twins import tuples as twin

from polyroc._base.ties import slack_between
from polyroc.kernels import assignment_triplets, highest_triplets, tuples

SIZES = [(1, 1), (3, 5), (7, 1), (4, 3, 5), (1, 6, 2), (3, 2, 4, 3), (1, 3, 1, 2), (2, 3, 2, 1, 2)]


def layout(sizes, rng):
    """Case numbers in a random order, listed class by class, and where each class starts."""
    members = rng.permutation(sum(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return members, starts, [list(members[i:j]) for i, j in pairwise(starts)]


def credit(cost):
    """Of whole numbers, which have no slack."""
    return tuples.assignment_credit(cost.astype(float), np.zeros(cost.shape))


def exactly(cost):
    """Costs as the kernels take them, without slack."""
    return cost.astype(float), np.zeros(cost.shape)


def squares(elements):
    """Integer matrices of two to five rows and as many columns."""
    return st.integers(2, 5).flatmap(lambda K: hnp.arrays(np.int64, (K, K), elements=elements))


def case_of(sizes, values, seed):
    rng = np.random.default_rng(seed)
    n, K = sum(sizes), len(sizes)
    cost = rng.integers(0, values or 2**40, (n, K))
    return cost, rng.integers(0, 64, n) / 64, rng.integers(1, 8, n) / 4, layout(sizes, rng)


@given(squares(st.integers(-3, 3)))
@settings(max_examples=300, deadline=None)
def test_credit_of_any_tuple(cost):
    expected = [float(value) for value in twin.assignment_credit(cost.tolist())]
    assert list(credit(cost)) == expected


@pytest.mark.parametrize("K", [2, 3, 4, 5, 6])
def test_credit_of_tied_but_optimal_tuples(K):
    """Costs u_i + v_j plus a few penalties off the diagonal: the identity is always optimal."""
    rng = np.random.default_rng(K)
    for _ in range(60 if K < 6 else 15):
        penalty = rng.integers(0, 2, (K, K)) * rng.integers(1, 4)
        np.fill_diagonal(penalty, 0)
        cost = rng.integers(-9, 9, (K, 1)) + rng.integers(-9, 9, (1, K)) + penalty
        expected = [float(value) for value in twin.assignment_credit(cost.tolist())]
        assert list(credit(cost)) == expected


@pytest.mark.parametrize(("K", "orders"), [(2, 2), (3, 6), (4, 24), (5, 120), (8, 40320)])
def test_constant_scores_split_evenly(K, orders):
    assert credit(np.zeros((K, K), np.int64)) == (0.0, 1 / orders, 1.0)


def test_many_classes_all_tied():
    """As many as 30! permutations are counted by kinds of corners; what cannot be is NaN."""
    assert credit(np.zeros((30, 30), np.int64)) == (0.0, pytest.approx(1 / factorial(30)), 1.0)
    edges = np.random.default_rng(0).random((40, 40)) < 0.3
    np.fill_diagonal(edges, True)
    assert np.isnan(tuples.matchings(edges))
    strict, fair, lenient = credit(np.zeros((40, 40)) + np.where(edges & edges.T, 0, 1))
    assert (strict, lenient) == (0.0, 1.0) and np.isnan(fair)


@pytest.mark.parametrize("K", [1, 2, 4, 6])
def test_matchings(K):
    rng = np.random.default_rng(K)
    for share in (0.3, 0.5, 0.8, 1.0):
        for repeated in (False, True):
            edges = rng.random((K, K)) < share
            if repeated:
                edges = edges[:, rng.integers(0, max(1, K // 2), K)]
            expected = sum(all(edges[i, q[i]] for i in range(K)) for q in permutations(range(K)))
            assert tuples.matchings(edges) == tuples.matchings(edges.T.copy()) == expected


@pytest.mark.parametrize("K", [2, 3, 4])
def test_slack_belongs_to_the_cases_compared(K):
    """Whole numbers over ten are as the whole numbers are; one masked score changes nothing."""
    rng = np.random.default_rng(K)
    for _ in range(50):
        score = rng.integers(0, 6, (K, K)) / 10
        rows = [score[k] for k in range(K)]
        slack = np.stack([slack_between(row, row[k]) for k, row in enumerate(rows)])
        expected = credit(-np.rint(10 * score).astype(np.int64))
        assert tuples.assignment_credit(-score, slack) == expected
        masked = score.copy()
        masked[0, -1] = -1e30
        slack[0] = slack_between(masked[0], masked[0, 0])
        lower = score.copy()
        lower[0, -1] = -9
        expected = credit(-np.rint(10 * lower).astype(np.int64))
        assert tuples.assignment_credit(-masked, slack) == expected


def test_many_classes_with_small_ties():
    """Twenty pairs of interchangeable classes: 2^20 optima, found component by component."""
    cost = np.ones((40, 40), np.int64)
    for k in range(0, 40, 2):
        cost[k : k + 2, k : k + 2] = 0
    assert credit(cost) == (0.0, 2.0**-20, 1.0)


@pytest.mark.parametrize("K", [2, 3, 4, 5])
def test_determinant(K):
    rng = np.random.default_rng(K)
    for _ in range(40):
        rows = rng.dirichlet(np.ones(K), K)
        expected = float(twin.determinant(twin.exact(rows)))
        assert tuples.determinant(rows) == pytest.approx(expected, rel=1e-10, abs=1e-16)
    assert tuples.determinant(np.eye(K)[::-1].copy()) == 1.0
    assert tuples.determinant(np.ones((K, K))) == 0.0
    assert tuples.determinant(np.zeros((K, K))) == 0.0


@given(squares(st.integers(0, 40)))
@settings(max_examples=300, deadline=None)
def test_right_by_the_highest_rule_is_right_by_the_sum(score):
    right = tuples.highest_right(score)
    assert right == twin.highest_right(score.tolist())
    if right:
        assert credit(-score) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("K", [3, 4, 5])
def test_right_tuples_are_right_by_the_sum(K):
    rng = np.random.default_rng(K)
    for _ in range(200):
        score = rng.integers(0, 1000, (K, K))
        np.fill_diagonal(score, score.max(axis=0) + 1)
        assert tuples.highest_right(score)
        assert credit(-score) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("values", [None, 1, 2, 3, 5])
def test_enumeration_of_assignments(sizes, values):
    for seed in range(2):
        cost, length, weight, (members, starts, classes) = case_of(sizes, values, seed)
        expected = twin.assignment_projections(cost, length, weight, classes)
        found = tuples.enumerate_assignment(
            *exactly(cost), length, weight, members, starts, 0, sizes[0]
        )
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("values", [None, 2, 4])
def test_enumeration_of_highest(sizes, values):
    for seed in range(3):
        _, _, weight, (members, starts, classes) = case_of(sizes, values, seed)
        rng = np.random.default_rng(seed)
        score = rng.dirichlet(np.ones(len(sizes)), sum(sizes))
        if values:
            score = np.round(values * score) / values
        score[members, np.repeat(np.arange(len(sizes)), sizes)] += 0.25  # so that some are right
        rank = np.rint(score * 2**30).astype(np.int64)
        expected = twin.highest_projections(rank, score, weight, classes)
        found = tuples.enumerate_highest(rank, score, weight, members, starts, 0, sizes[0])
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("values", [None, 2, 4])
def test_three_classes_agree_with_the_sweeps(values):
    sizes = (12, 9, 14)
    cost, length, weight, (members, starts, classes) = case_of(sizes, values, 4)
    arrays = (*exactly(cost), length, weight)
    parts = [array[cases] for array in arrays for cases in classes]
    found = tuples.enumerate_assignment(*exactly(cost), length, weight, members, starts, 0, 12)
    for side, cases in zip(
        assignment_triplets.assignment_sweep(*parts, 0, 12), classes, strict=False
    ):
        np.testing.assert_allclose(side, found[cases], rtol=1e-12, atol=1e-10)
    score = np.random.default_rng(4).dirichlet(np.ones(3), 35)
    rank = np.rint(score * (values or 2**40)).astype(np.int64)
    scores = [score[cases] for cases in classes]
    ranks = [rank[cases] for cases in classes]
    found = tuples.enumerate_highest(rank, score, weight, members, starts, 0, 12)
    sides = highest_triplets.highest_sweep(*ranks, *scores, *parts[9:], 0, 12)
    for side, cases in zip(sides, classes, strict=False):
        np.testing.assert_allclose(side[:, 0], found[cases, 0], rtol=1e-13)
        if values is None:
            np.testing.assert_allclose(side[:, 1], found[cases, 1], rtol=1e-12, atol=1e-14)


def test_ranges_of_the_first_class_add_up():
    sizes = (7, 3, 4, 3)
    cost, length, weight, (members, starts, classes) = case_of(sizes, 4, 9)
    whole = tuples.enumerate_assignment(*exactly(cost), length, weight, members, starts, 0, 7)
    borders = [0, 1, 3, 3, 7]
    pieces = [
        tuples.enumerate_assignment(*exactly(cost), length, weight, members, starts, i, j)
        for i, j in pairwise(borders)
    ]
    np.testing.assert_allclose(sum(pieces), whole, rtol=1e-13)
    owner = np.searchsorted(borders, np.arange(7), side="right") - 1
    for k, case in enumerate(classes[0]):
        assert np.array_equal(pieces[min(owner[k], 3)][case], whole[case])


@pytest.mark.parametrize("sizes", SIZES)
def test_drawn_tuples_earn_their_credit(sizes):
    rng = np.random.default_rng(1)
    cost, length, _, (_, _, classes) = case_of(sizes, 3, 1)
    drawn = np.array([[rng.choice(cases) for cases in classes] for _ in range(50)])
    found = tuples.sample_assignment(*exactly(cost), length, drawn)
    score = cost / 4.0
    found_highest = tuples.sample_highest(cost, score, drawn)
    for row, highest, cases in zip(found, found_highest, drawn, strict=True):
        plain = np.array(twin.assignment_credit(cost[cases].tolist()), dtype=float)
        np.testing.assert_allclose(row, [*plain, *(plain * length[cases].sum())], rtol=1e-15)
        right = twin.highest_right(cost[cases].tolist())
        volume = float(twin.determinant(twin.exact(score[cases]))) if right else 0.0
        np.testing.assert_allclose(highest, [right, volume], rtol=1e-12, atol=1e-15)


def test_tuples_of_dependent_scores_have_no_volume():
    """Ranks may be right where the first case alone, or with the second, spans nothing."""
    members, starts = np.arange(3), np.arange(4)
    arguments = np.eye(3, dtype=np.int64), np.ones(3), members, starts, 0, 1
    for score in (np.zeros((3, 3)), np.ones((3, 3)), np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0.0]])):
        found = tuples.enumerate_highest(arguments[0], score, *arguments[1:])
        assert found.tolist() == [[1, 0]] * 3
