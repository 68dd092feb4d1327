"""Both triplet sweeps against enumeration in exact arithmetic, ties included."""

from __future__ import annotations

from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import tuples as twin

from polyroc.kernels import compile as compiler
from polyroc.kernels.assignment_triplets import assignment_sweep
from polyroc.kernels.highest_triplets import highest_sweep
from polyroc.kernels.quadrant_sums import dominance, mass_before

SIZES = [(1, 1, 1), (1, 4, 2), (5, 1, 3), (2, 3, 1), (4, 5, 6), (7, 6, 5)]


def split(array, sizes):
    return [np.ascontiguousarray(part) for part in np.split(array, np.cumsum(sizes)[:-1])]


def members(sizes):
    return [list(part) for part in np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])]


def parts_of(cost, length, weight, sizes):
    """What the sweep takes of whole numbers, which have no slack."""
    arrays = cost.astype(float), np.zeros(cost.shape), length, weight
    return [part for array in arrays for part in split(array, sizes)]


def assignment(cost, length, weight, sizes, borders=None):
    """Both projections, the range of a cut at `borders`, stacked as the twin stacks them."""
    parts = parts_of(cost, length, weight, sizes)
    borders = borders or [0, sizes[0]]
    runs = [assignment_sweep(*parts, i, j) for i, j in pairwise(borders)]
    return np.concatenate([run[0] for run in runs]), sum(run[1] for run in runs)


def highest(rank, score, weight, sizes, borders=None):
    parts = [*split(rank, sizes), *split(score, sizes), *split(weight, sizes)]
    borders = borders or [0, sizes[0]]
    runs = [highest_sweep(*parts, i, j) for i, j in pairwise(borders)]
    return np.concatenate([run[0] for run in runs]), sum(run[1] for run in runs)


def column_ranks(score):
    columns = [np.unique(column, return_inverse=True)[1] for column in score.T]
    return np.stack(columns, axis=1).astype(np.int64)


def lenient_ranks(rank, sizes):
    own = np.repeat(np.eye(len(sizes), dtype=np.int64), sizes, axis=0)
    return 2 * rank + own


def random_case(seed, sizes, values=None):
    """Integer costs (on a grid of `values` if given), dyadic lengths, dyadic weights."""
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    cost = rng.integers(0, values or 2**40, size=(n, 3))
    return cost, rng.integers(0, 64, n) / 64, rng.integers(1, 16, n) / 4


def rotated(cost, length, weight, sizes):
    """The same data with the classes named b, c, a."""
    first, second, third = members(sizes)
    order = [*second, *third, *first]
    return np.roll(cost[order], -1, axis=1), length[order], weight[order], (*sizes[1:], sizes[0])


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("values", [None, 1, 2, 3, 4, 5, 20])
def test_assignment_equals_enumeration(sizes, values):
    for seed in range(6):
        cost, length, weight = random_case(seed, sizes, values)
        expected = twin.assignment_projections(cost, length, weight, members(sizes))
        on_a, on_b = assignment(cost, length, weight, sizes)
        n_a, n_b, _ = sizes
        np.testing.assert_allclose(on_a, expected[:n_a], rtol=1e-13, atol=1e-11)
        np.testing.assert_allclose(on_b, expected[n_a : n_a + n_b], rtol=1e-13, atol=1e-11)


def test_rotation_gives_the_projection_on_the_third_class():
    sizes = (4, 3, 5)
    cost, length, weight = random_case(3, sizes, 4)
    expected = twin.assignment_projections(cost, length, weight, members(sizes))
    turned = rotated(cost, length, weight, sizes)
    _, on_c = assignment(*turned[:3], turned[3])
    np.testing.assert_allclose(on_c, expected[7:], rtol=1e-13, atol=1e-11)


def test_constant_scores_earn_a_sixth():
    sizes = (3, 4, 5)
    cost = np.full((12, 3), 7)
    on_a, on_b = assignment(cost, np.ones(12), np.ones(12), sizes)
    np.testing.assert_allclose(on_a, np.tile([0, 20 / 6, 20, 0, 10, 60], (3, 1)), rtol=1e-14)
    np.testing.assert_allclose(on_b, np.tile([0, 15 / 6, 15, 0, 7.5, 45], (4, 1)), rtol=1e-14)


def test_credits_without_ties_are_the_same_number():
    cost, length, weight = random_case(11, (30, 40, 50))
    for side in assignment(cost, length, weight, (30, 40, 50)):
        assert np.array_equal(side[:, 0], side[:, 1]) and np.array_equal(side[:, 0], side[:, 2])
        assert np.array_equal(side[:, 3], side[:, 4]) and np.array_equal(side[:, 3], side[:, 5])


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_assignment_on_any_small_integers(data):
    sizes = tuple(data.draw(st.integers(1, 4)) for _ in range(3))
    n = sum(sizes)
    values = st.integers(-3, 3)
    row = st.tuples(values, values, values)
    cost = np.array(data.draw(st.lists(row, min_size=n, max_size=n)), dtype=np.int64)
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), dtype=float)
    length = np.arange(n) / 8
    expected = twin.assignment_projections(cost, length, weight, members(sizes))
    on_a, on_b = assignment(cost, length, weight, sizes)
    np.testing.assert_allclose(
        np.vstack([on_a, on_b]), expected[: len(on_a) + len(on_b)], 1e-13, 1e-11
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 15, 16, 17, 64, 100, 300])
def test_dominance_sums(n):
    rng = np.random.default_rng(n)
    second, mass = rng.permutation(n), rng.integers(1, 9, (n, 2)).astype(float)
    tables = dominance(second, mass)
    corners = [(0, 0), (n, n), (0, n), (n, 0), *rng.integers(0, n + 1, (60, 2))]
    for i, j in corners:
        assert mass_before(tables, i, j) == tuple(mass[:i][second[:i] < j].sum(axis=0))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("values", [None, 2, 3, 5])
@pytest.mark.parametrize("lenient", [False, True])
def test_highest_equals_enumeration(sizes, values, lenient):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        score = rng.dirichlet(np.ones(3), sum(sizes))
        if values:
            score = np.round(score * values) / values
            score[:, 2] = 1 - score[:, 0] - score[:, 1]
        rank = column_ranks(score)
        if lenient:
            rank = lenient_ranks(rank, sizes)
        weight = rng.integers(1, 16, sum(sizes)) / 4
        expected = twin.highest_projections(rank, score, weight, members(sizes))
        on_a, on_b = highest(rank, score, weight, sizes)
        found = np.vstack([on_a, on_b])
        np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("values", [None, 8])
def test_rows_do_not_depend_on_the_borders(values):
    sizes = (61, 47, 83)
    cost, length, weight = random_case(5, sizes, values)
    rng = np.random.default_rng(5)
    weight, length = rng.uniform(0.1, 3, 191), rng.uniform(0, 1.4, 191)
    score = rng.dirichlet(np.ones(3), 191)
    rank = column_ranks(np.round(score, 1) if values else score)
    for sweep, arguments in (
        (assignment, (cost, length, weight)),
        (highest, (rank, score, weight)),
    ):
        whole_a, whole_b = sweep(*arguments, sizes)
        cut_a, cut_b = sweep(*arguments, sizes, [0, 1, 2, 17, 40, 40, 61])
        assert np.array_equal(whole_a, cut_a)
        np.testing.assert_allclose(whole_b, cut_b, rtol=1e-12)
        again_a, again_b = sweep(*arguments, sizes)
        assert np.array_equal(whole_a, again_a) and np.array_equal(whole_b, again_b)


def test_both_projections_have_the_same_total():
    sizes = (130, 170, 90)
    cost, length, weight = random_case(8, sizes, 30)
    on_a, on_b = assignment(cost, length, weight, sizes)
    weight_a, weight_b, _ = split(weight, sizes)
    np.testing.assert_allclose(weight_a @ on_a, weight_b @ on_b, rtol=1e-12)


def test_integer_weights_are_copies():
    sizes, copies = (4, 5, 3), np.array([1, 2, 3, 1, 2, 2, 1, 1, 3, 2, 1, 2])
    cost, length, _ = random_case(2, sizes, 4)
    on_a, _ = assignment(cost, length, copies.astype(float), sizes)
    many = tuple(int(part.sum()) for part in split(copies, sizes))
    repeated = (np.repeat(cost, copies, axis=0), np.repeat(length, copies))
    spread, _ = assignment(*repeated, np.ones(sum(many)), many)
    np.testing.assert_allclose(np.repeat(on_a, copies[:4], axis=0), spread, rtol=1e-13, atol=1e-12)


def test_inputs_are_left_alone():
    sizes = (5, 6, 7)
    cost, length, weight = random_case(1, sizes, 3)
    parts = parts_of(cost, length, weight, sizes)
    ranks, score = split(cost, sizes), split(cost / 4.0, sizes)
    for part in [*parts, *ranks, *score]:
        part.flags.writeable = False
    assignment_sweep(*parts, 0, 5)
    highest_sweep(*ranks, *score, *parts[9:], 0, 5)


def test_right_by_the_highest_rule_but_not_by_lengths():
    """A triplet that contradicts VUS2 ≤ VUS: a cycle is shorter than the identity."""
    score = np.array([[0.853, 0.146, 0.001], [0.771, 0.147, 0.082], [0.852, 0.065, 0.083]])
    lengths = np.linalg.norm(score[:, None, :] - np.eye(3), axis=2)
    cost = np.rint(lengths * 2**40).astype(np.int64)
    assert np.trace(lengths) == pytest.approx(2.61331, abs=5e-6)
    ones = np.ones(3)
    assert highest(column_ranks(score), score, ones, (1, 1, 1))[0][0, 0] == 1
    assert assignment(cost, np.diag(lengths).copy(), ones, (1, 1, 1))[0][0, 2] == 0
    sums = np.rint(-score * 2**40).astype(np.int64)
    assert assignment(sums, ones, ones, (1, 1, 1))[0][0, 0] == 1


def test_a_folder_that_cannot_hold_a_cache_is_no_obstacle(monkeypatch):
    real, asked = numba.njit, []

    def refuses_to_cache(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(**options)

    with monkeypatch.context() as patch:  # Numba uses it, too, when its compiler gets ready
        patch.setattr(numba, "njit", refuses_to_cache)
        double = compiler.compiled(lambda value: 2 * value)
    assert double(21) == 42
    assert [options.get("cache", False) for options in asked] == [True, False]
    assert not any(options["fastmath"] for options in asked)


@pytest.mark.parametrize("kept", [{"a": 1}, {}])
def test_code_on_disk_does_not_wait_for_the_compiler(kept):
    """Numba's own ``load_overload`` gets its compiler ready first, whatever it finds."""
    asked = []

    class Cache:
        def load_overload(self, signature, context):
            asked.append(signature)
            return self._load_overload(signature, context)

        def _load_overload(self, signature, context):
            return kept.get(signature)

    cache = Cache()
    compiler._load_without_compiler(cache)
    context = numba.core.registry.cpu_target.target_context
    assert cache.load_overload("a", context) == kept.get("a")
    assert asked == ([] if kept else ["a"])


def test_functions_without_a_file_compile_too(monkeypatch):
    """Numba has nowhere to cache a function that was typed in: its own refusal is caught."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)  # also where the tests run without it
    space = {}
    exec("def double(value):\n    return 2 * value", space)
    with pytest.raises(RuntimeError, match="cache"):
        numba.njit(cache=True)(space["double"])
    assert compiler.compiled(space["double"])(21) == 42
