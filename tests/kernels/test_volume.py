"""Dominated volumes against exact fractions, moocore's published numbers and plain loops."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from polyroc.kernels import dominated_samples, volume

NO_END = 2**62


def box_twin(corner, limit):
    """Σ_S (−1)^|S| (limit − Σp − Σ_{i∈S}(1 − p_i))₊^D / limit^D over all 2^D sets S."""
    slack = Fraction(limit) - sum(corner)
    total = Fraction(0)
    for size in range(len(corner) + 1):
        for chosen in combinations(corner, size):
            bracket = slack - sum(1 - value for value in chosen)
            total += (-1) ** size * max(bracket, Fraction(0)) ** len(corner)
    return total / Fraction(limit) ** len(corner)


def union_twin(points, limit):
    """Inclusion and exclusion over all sets of points."""
    rows = [[Fraction(float(value)) for value in row] for row in points]
    total = Fraction(0)
    for size in range(1, len(rows) + 1):
        for chosen in combinations(rows, size):
            corner = [max(column) for column in zip(*chosen, strict=True)]
            total += (-1) ** (size + 1) * box_twin(corner, limit)
    return float(total)


def union(points, limit, differing=None):
    """Sum of what each point adds to those before it; in this order all columns may differ."""
    columns = np.ascontiguousarray(np.asarray(points, dtype=float).T)
    n_columns, m = columns.shape
    volumes, spent = np.zeros(m), np.zeros(1, np.int64)
    memory = volume.memory_for(n_columns, m, NO_END)
    volume.exclusive_volumes(
        columns, np.arange(m), differing or n_columns, float(limit), spent, 0, memory, volumes
    )
    return math.fsum(volumes)


def fronts(n_columns, most_points, steps):
    """Points on a grid, so that ties and equal points are frequent."""
    grid = st.integers(0, steps - 1).map(lambda value: value / steps)
    shapes = st.integers(1, most_points).map(lambda m: (m, n_columns))
    return shapes.flatmap(lambda shape: hnp.arrays(float, shape, elements=grid))


@given(hnp.arrays(float, 6, elements=st.floats(0, 1)), st.integers(1, 8))
@settings(max_examples=200, deadline=None)
def test_box_against_fractions(corner, limit):
    slack = limit - corner.sum()
    assume(slack > 0)
    memory = volume.memory_for(6, 1, NO_END)
    expected = float(box_twin([Fraction(value) for value in corner], limit))
    found = volume.box_volume(corner, slack, float(limit), memory.edges, memory.work)
    assert found == pytest.approx(expected, abs=2e-14)


def test_box_beyond_its_work_stops():
    memory = volume.memory_for(30, 1, 1000)
    volume.box_volume(np.full(30, 0.9), 20.0, 47.0, memory.edges, memory.work)
    assert memory.work[0] <= 1001


@pytest.mark.parametrize("limit", [1, 2, 3])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_union_against_inclusion_and_exclusion(limit, data):
    n_columns = data.draw(st.sampled_from([2, 3, 4, 5, 6]))
    points = data.draw(fronts(n_columns, 6, 8)) * data.draw(st.sampled_from([1, 0.5, 0.375]))
    expected = union_twin(points, limit)
    assert union(points, limit) == pytest.approx(expected, abs=1e-13)
    by_last = points[np.lexsort(points.T)]
    assert union(by_last, limit, n_columns - 1) == pytest.approx(expected, abs=1e-13)


def swept(points, limit):
    """The sweep alone, of points in ascending order of their third column."""
    columns = np.ascontiguousarray(points.T)
    memory = volume.memory_for(*columns.shape, NO_END)
    return volume.sweep(columns, len(points), float(limit), memory)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_sweep_of_any_boxes(limit):
    """Also of boxes inside others, which the recursion never hands over."""
    rng = np.random.default_rng(limit)
    for m in (1, 2, 3, 5, 7):
        for _ in range(8):
            points = rng.integers(0, 6, (m, 3)) / 8
            points = points[np.argsort(points[:, 2], kind="stable")]
            assert swept(points, limit) == pytest.approx(union_twin(points, limit), abs=1e-13)


def test_sweep_of_a_box_that_replaces_several_steps():
    """Those that it leaves in place meet the boxes that come after it."""
    points = np.array([(0.1, 0.7, 0.0), (0.3, 0.5, 0.1), (0.5, 0.3, 0.2), (0.7, 0.1, 0.3)])
    for last in ((0.2, 0.2, 0.4), (0, 0, 0.4), (0.3, 0.3, 0.4), (0.3, 0.0, 0.4)):
        boxes = np.vstack([points, last, (0.05, 0.65, 0.5), (0.6, 0.05, 0.5), (0.6, 0.6, 0.5)])
        assert swept(boxes, 2) == pytest.approx(union_twin(boxes, 2), abs=1e-13)


def test_twelve_columns_against_inclusion_and_exclusion():
    points = np.random.default_rng(3).integers(0, 16, (4, 12)) / 64
    assert union(points, 3) == pytest.approx(union_twin(points, 3), abs=1e-14)


@pytest.mark.parametrize(
    ("points", "reference", "expected"),
    [
        ([(5, 5), (4, 6), (2, 7), (7, 4)], 10, 38),
        ([(1, 0, 1), (0, 1, 0)], 2, 5),
    ],
)
def test_hypervolumes_that_moocore_publishes(points, reference, expected):
    """With the plane beyond the cube, this is the hypervolume (numbers of moocore 0.3.2)."""
    n_columns = len(points[0])
    pyramid = n_columns**n_columns / math.factorial(n_columns)
    found = union(np.array(points) / reference, n_columns) * pyramid * reference**n_columns
    assert found == pytest.approx(expected, rel=1e-13)


def test_contributions_that_moocore_publishes():
    """What each adds to the others, without the dominated (4, 4), equal points 0: moocore 0.3.2."""
    points = np.array([(5, 1), (1, 5), (4, 2), (5, 1)]) / 6
    whole = union(points, 2)
    added = [whole - union(np.delete(points, k, axis=0), 2) for k in range(4)]
    np.testing.assert_allclose(np.array(added) * 2 * 36, [0, 3, 3, 0], atol=1e-13)


def test_undominated_against_loops():
    rng = np.random.default_rng(0)
    for m in (1, 2, 7, 60):
        points = rng.integers(0, 4, (m, 4)) / 4
        points = points[np.argsort(points.sum(axis=1), kind="stable")]
        expected = [
            k
            for k, p in enumerate(points)
            if not any((q <= p).all() for q in points[:k])
            and not any((q <= p).all() and (q < p).any() for q in points[k:])
        ]
        found = volume.undominated(np.ascontiguousarray(points.T), np.array([0, NO_END]))
        assert found.tolist() == expected


@pytest.mark.parametrize("m", [1, 63, 64, 65, 2048, 2049, 2500])
def test_marked_samples_against_loops(m):
    rng = np.random.default_rng(m)
    points, samples = rng.integers(0, 21, (m, 6)) / 20, rng.integers(0, 21, (400, 6)) / 20
    points[: m // 2] = rng.random((m // 2, 6))
    before = rng.random(400) < 0.1
    dominated = before.copy()
    dominated_samples.mark_dominated(np.ascontiguousarray(points.T), samples, dominated)
    expected = [any((p <= x).all() for p in points) for x in samples]
    assert dominated.tolist() == (before | expected).tolist()


def test_volumes_beyond_their_work_stop():
    """With one unit of work the first point is measured and the others are left."""
    columns = np.random.default_rng(0).random((6, 30)) / 2
    for allowed in (1, 200, 2000):
        volumes, memory = np.full(30, -1.0), volume.memory_for(6, 30, allowed)
        spent = np.zeros(2, np.int64)
        volume.exclusive_volumes(columns, np.arange(30), 6, 3.0, spent, 1, memory, volumes)
        measured = np.flatnonzero(volumes >= 0)
        assert 1 <= len(measured) < 30 and measured.tolist() == list(range(len(measured)))
        assert spent.tolist() == [0, memory.work[0]] and spent[1] > allowed


def test_work_of_other_blocks_counts():
    columns = np.random.default_rng(0).random((6, 5)) / 2
    volumes, memory = np.full(5, -1.0), volume.memory_for(6, 5, 10**6)
    volume.exclusive_volumes(
        columns, np.arange(5), 6, 3.0, np.array([10**6, 0]), 1, memory, volumes
    )
    assert (volumes >= 0).tolist() == [True] + [False] * 4


def test_undominated_beyond_its_work_stops():
    line = np.linspace(0, 1, 50)
    points = np.array([line, line[::-1]])
    assert volume.undominated(points, np.array([0, NO_END])).tolist() == list(range(50))
    assert volume.undominated(points, np.array([0, 10])).tolist() == list(range(5))
