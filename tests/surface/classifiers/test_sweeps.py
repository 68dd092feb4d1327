"""Sweeps of decision costs, against every stretch between corners tried one by one."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyroc.surface.classifiers.cost_sensitive import decide
from polyroc.surface.classifiers.sweeps import (
    Goal,
    Search,
    class_groups,
    descend,
    envelope,
    pair_groups,
    sweep,
)


def random_goal(seed, n_classes, n_cases, n_limits=0, whole=False):
    rng = np.random.default_rng(seed)
    truths = rng.integers(0, n_classes, n_cases)
    p = rng.dirichlet(np.ones(n_classes), n_cases) + 0.3 * np.eye(n_classes)[truths]
    if whole:  # few distinct values: ties within and between cases
        p = np.round(p * 4) + 1
    p /= p.sum(axis=1, keepdims=True)
    weights = rng.uniform(0.5, 2, n_cases)
    costs = rng.integers(1, 6, (n_classes, n_classes)) * (1 - np.eye(n_classes))
    pairs = np.argwhere(~np.eye(n_classes, dtype=bool))[rng.permutation(n_classes**2 - n_classes)]
    limited = tuple((int(k), int(j)) for k, j in pairs[:n_limits])
    limits = rng.uniform(0, 0.2, n_limits)
    return Goal(p, truths, weights / weights.sum(), costs, limited, limits)


def twin_of_score(goal, costs):
    """Excess over the limits and mean cost, case by case."""
    n_classes = len(costs)
    total, errors = 0.0, 0.0
    rates, sizes = np.zeros((n_classes, n_classes)), np.zeros(n_classes)
    for p, k, w in zip(goal.probabilities, goal.truths, goal.weights, strict=True):
        expected = [sum(costs[r, j] * p[r] for r in range(n_classes)) for j in range(n_classes)]
        j = int(np.argmin(expected))
        total += w * goal.criterion[k, j]
        errors += w * (k != j)
        rates[k, j] += w
        sizes[k] += w
    excess = sum(
        max(rates[k, j] / sizes[k] - limit, 0)
        for (k, j), limit in zip(goal.limited, goal.limits, strict=True)
    )
    return excess, total + 1e-6 * goal.criterion.max() * errors


def every_factor(goal, costs, group):
    """A factor in each stretch between crossings of any two lines of any case."""
    fixed = goal.probabilities @ np.where(group, 0, costs)
    growing = goal.probabilities @ np.where(group, costs, 0)
    at = []
    for a, b in zip(fixed, growing, strict=True):
        for i, j in combinations(range(len(a)), 2):
            if b[i] != b[j] and (a[j] - a[i]) / (b[i] - b[j]) > 0:
                at.append((a[j] - a[i]) / (b[i] - b[j]))
    at = sorted(set(at)) or [1.0]
    between = [np.sqrt(low * high) for low, high in pairwise(at)]
    return [at[0] / 2, *between, at[-1] * 2]


@given(st.integers(2, 5), st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_the_envelope_is_the_least_line_everywhere(n_classes, seed):
    rng = np.random.default_rng(seed)
    fixed, growing = rng.integers(0, 6, (2, 20, n_classes)).astype(float)
    start, corners = envelope(fixed, growing)
    assert (corners.at > 0).all()
    for t in (1e-6, 0.31, 0.77, 1.01, 2.03, 4.7, 1e6):
        now = start.copy()
        for case, at, before, after in zip(*corners, strict=True):
            if at < t:
                assert now[case] == before
                now[case] = after
        values = fixed + t * growing
        assert (values[np.arange(20), now] == values.min(axis=1)).all()


@pytest.mark.parametrize("n_limits", [0, 2])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_a_sweep_finds_the_best_factor(seed, n_classes, n_limits):
    goal = random_goal(seed, n_classes, 25, n_limits)
    costs = np.random.default_rng(seed).uniform(size=goal.criterion.shape) * (goal.criterion > 0)
    for group in class_groups(n_classes) + pair_groups(n_classes)[:2]:
        factors = every_factor(goal, costs, group)
        scores = [twin_of_score(goal, np.where(group, costs * t, costs)) for t in factors]
        least = min(scores, key=lambda score: (round(score[0], 9), score[1]))
        assert np.allclose(goal.score(sweep(goal, costs, group)), least, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_definition(seed):
    goal = random_goal(seed, 4, 30, 3)
    costs = np.random.default_rng(seed).uniform(size=(4, 4)) * (1 - np.eye(4))
    assert np.allclose(goal.score(costs), twin_of_score(goal, costs), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_ties_do_not_make_descent_worse_than_its_start(seed):
    goal = random_goal(seed, 3, 60, 1, whole=True)
    costs, score = descend(goal, 1 - np.eye(3), pair_groups(3))
    assert not goal.score(1 - np.eye(3)).beats(score)
    assert goal.score(costs) == score


@pytest.mark.parametrize("n_limits", [0, 1, 2])
def test_descent_is_no_worse_than_a_thousand_random_weights(n_limits):
    rng = np.random.default_rng(1)
    behind = []
    for seed in range(6):
        goal = random_goal(seed, 3, 80, n_limits)
        groups = class_groups(3) + pair_groups(3, goal.limited)
        starts = [goal.criterion * np.exp(rng.normal(size=(3, 1))) for _ in range(6)]
        stirs = [np.exp(sum(group * rng.normal() for group in groups)) for _ in range(12)]
        found = goal.score(Search(tuple(starts), tuple(groups), tuple(stirs)).best(goal))
        draws = goal.criterion * np.exp(rng.normal(size=(1000, 3, 1)))
        for pair in goal.limited:
            draws[:, *pair] *= np.exp(2 * rng.normal(size=1000))
        random = min(goal.score(costs) for costs in draws)
        behind.append(found.goal - random.goal if found.excess == random.excess else found.excess)
    assert np.mean(behind) < 0.01 and max(behind) < 0.05


def test_probabilities_of_naive_bayes_need_wide_ratios():
    p = np.array([[1 - 1e-40, 1e-40], [1 - 1e-60, 1e-60]])
    goal = Goal(p, np.array([1, 0]), np.array([0.5, 0.5]), 1 - np.eye(2))
    costs, score = descend(goal, 1 - np.eye(2), class_groups(2))
    assert score.goal == 0
    assert decide(p, costs).tolist() == [1, 0]
    assert 1e40 < costs[1, 0] / costs[0, 1] < 1e60


def test_certain_and_impossible_classes_have_no_corner():
    p = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    goal = Goal(p, np.array([1, 0, 1]), np.full(3, 1 / 3), 1 - np.eye(2))
    costs, score = descend(goal, 1 - np.eye(2), class_groups(2))
    assert np.isfinite(costs).all()
    assert score.goal == pytest.approx(2 / 3, abs=1e-5)
