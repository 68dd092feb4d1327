"""Sweeps of decision costs, against every stretch between corners tried one by one."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyroc.surface.classifiers import sweeps
from polyroc.surface.classifiers.cost_sensitive import decide
from polyroc.surface.classifiers.sweeps import (
    SHOWN,
    Goal,
    Search,
    _decided,
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
    both, eye = np.hstack([fixed, growing]), np.eye(2 * n_classes)
    start, corners = envelope(both, eye[:, :n_classes].copy(), eye[:, n_classes:].copy())
    assert (corners.at > 0).all()
    for t in (1e-6, 0.31, 0.77, 1.01, 2.03, 4.7, 1e6):
        now = start.copy()
        for case, at, before, after in zip(*corners, strict=True):
            if at < t:
                assert now[case] == before
                now[case] = after
        values = fixed + t * growing
        assert (values[np.arange(20), now] == values.min(axis=1)).all()


@pytest.mark.parametrize("seed", range(8))
def test_the_envelope_decides_as_costs_do_that_tie_as_decimals(seed):
    """Fifths, and costs in thirds: between corners, ties are those of lines that coincide."""
    rng = np.random.default_rng(seed)
    p = rng.multinomial(5, np.ones(4) / 4, 200) / 5
    costs = rng.integers(1, 4, (4, 4)) * (1 - np.eye(4)) / 3
    for group in pair_groups(4) + class_groups(4):
        start, corners = envelope(p, np.where(group, 0, costs), np.where(group, costs, 0))
        edges = np.array([1e-3, *sorted(set(corners.at.round(9)) - {0.0}), 1e3])
        for t in np.sqrt(edges[1:] * edges[:-1]):
            now = start.copy()
            for case, at, _, after in zip(*corners, strict=True):
                if at < t:
                    now[case] = after
            np.testing.assert_array_equal(now, _decided(p, np.where(group, costs * t, costs)))


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


@pytest.mark.parametrize(("truth", "expected"), [(1, 1 / 8), (0, 2.0)])
def test_costs_beyond_all_corners_lie_a_factor_of_two_away(truth, expected):
    """Decisions change where errors of the first class cost a quarter of the others, or as much."""
    p, costs = np.array([[0.8, 0.2], [0.5, 0.5]]), 1 - np.eye(2)
    goal = Goal(p, np.array([truth, truth]), np.array([0.5, 0.5]), costs)
    moved = sweep(goal, costs, class_groups(2)[0])
    assert goal.score(moved).goal == 0
    assert moved[0, 1] / moved[1, 0] == pytest.approx(expected)


def test_a_limit_is_kept_beside_a_case_that_every_factor_decides_alike():
    """Rates are those at the factor, and the first case is never decided as the second class."""
    p = np.array([[1.0, 1e-150], [0.5, 0.5], [0.8, 0.2]])
    weights, costs = np.array([0.2, 0.2, 0.6]), 1 - np.eye(2)
    for limit, errors in ((0.4, 0.6), (0.6, 0.2)):  # of the first class half is the second case
        goal = Goal(p, np.array([0, 0, 1]), weights, costs, ((0, 1),), np.array([limit]))
        score = goal.score(sweep(goal, costs, class_groups(2)[0]))
        assert score.excess == 0
        assert score.goal == pytest.approx(errors, abs=1e-5)


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


def test_compiled_decisions_are_those_of_the_one_rule():
    """Also where costs are equal as decimals, or joined by chains of such neighbours."""
    rng = np.random.default_rng(8)
    for n_classes in (2, 3, 6):
        tenths = rng.multinomial(10, np.full(n_classes, 1 / n_classes), 300) / 10
        fine = rng.dirichlet(np.ones(n_classes), 300)
        for p in (tenths, fine, np.asfortranarray(tenths), tenths + 1e-13 * fine):
            for costs in (rng.integers(0, 10, (n_classes, n_classes)) / 10, rng.random((2, 2))):
                if len(costs) == n_classes:
                    np.testing.assert_array_equal(_decided(p, costs), decide(p, costs))


def test_a_group_is_not_swept_again_where_it_gained_nothing(monkeypatch):
    """The costs found are those of sweeping every group in every round, with fewer sweeps."""
    swept = []

    def counted(goal, costs, group):
        swept.append((costs.tobytes(), group.tobytes()))
        return sweep(goal, costs, group)

    monkeypatch.setattr(sweeps, "sweep", counted)
    rng = np.random.default_rng(3)
    p, truths = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    goal = Goal(p, truths, np.full(200, 1 / 200), rng.random((4, 4)) * (1 - np.eye(4)))
    start, groups = goal.criterion / goal.criterion.max(), class_groups(4)
    found, score = descend(goal, start, groups)
    assert len(set(swept)) == len(swept) > 4
    costs, best, before = start, goal.score(start), None
    while before is None or best.goal < before.goal - SHOWN * goal.criterion.max() / np.sqrt(200):
        before = best
        for group in groups:
            moved = sweep(goal, costs, group)
            if goal.score(moved).beats(best):
                costs, best = moved, goal.score(moved)
    assert found.tobytes() == costs.tobytes()
    assert score == best


def test_cases_in_tiles_are_decided_and_followed_as_alone():
    costs, group = random_goal(2, 4, 5).criterion, class_groups(4)[1]
    still, moving = np.where(group, 0, costs), np.where(group, costs, 0)
    for n_cases in (1, 64, 65, 131):
        p = random_goal(n_cases, 4, n_cases, whole=n_cases == 65).probabilities
        np.testing.assert_array_equal(_decided(p, costs), decide(p, costs))
        start, corners = envelope(p, still, moving)
        alone = [envelope(row[None], still, moving) for row in p]
        np.testing.assert_array_equal(start, np.concatenate([first for first, _ in alone]))
        for field in ("at", "before", "after"):
            own = np.concatenate([getattr(each, field) for _, each in alone])
            np.testing.assert_array_equal(getattr(corners, field), own)
        counts = [len(each.at) for _, each in alone]
        np.testing.assert_array_equal(corners.cases, np.repeat(np.arange(n_cases), counts))


def test_starts_on_several_threads_reach_the_same_costs(monkeypatch):
    goal, rng = random_goal(6, 3, 300, 1), np.random.default_rng(0)
    starts = tuple(goal.criterion * np.exp(rng.normal(size=(3, 1))) for _ in range(4))
    found = []
    for many in (1000, 1):
        monkeypatch.setattr(sweeps, "MANY_CASES", many)
        assert goal.in_threads == (many == 1)
        found.append(Search(starts, tuple(class_groups(3))).best(goal))
    np.testing.assert_array_equal(*found)
