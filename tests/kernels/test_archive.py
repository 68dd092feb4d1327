"""The archive's words of levels against comparisons of all coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from polyroc.kernels.archive import (
    insert,
    levels_of,
    may_dominate,
    non_dominated,
    nowhere_worse,
    select_from_bin,
)


class Members:
    """An archive's arrays with room for n candidates, each with its number as payload."""

    def __init__(self, n, dimensions, top):
        self.tops, self.size, self.next = np.full(dimensions, top), 0, 0.0
        self.objectives = np.full((n, dimensions), np.nan)
        self.levels, self.payload = np.zeros(n, np.uint64), np.full((n, 2), np.nan)

    def insert(self, candidates):
        entered = np.zeros(len(candidates), np.bool_)
        numbers = self.next + np.arange(len(candidates), dtype=float)
        cargo = np.column_stack([numbers, -numbers])
        arrays = self.objectives, self.levels, self.payload
        self.size = insert(candidates, cargo, self.tops, *arrays, self.size, entered)
        self.next += len(candidates)
        return entered.tolist()

    def held(self):
        rows = zip(self.objectives[: self.size], self.payload[: self.size], strict=True)
        return {int(cargo[0]): tuple(point) for point, cargo in rows}


def slow_insert(members, number, candidate):
    """Lines 9 to 11 of Algorithm 1 of Everson & Fieldsend 2006; whether it was inserted."""
    if any((np.array(member) <= candidate).all() for member in members.values()):
        return False
    for name in [n for n, member in members.items() if (candidate <= np.array(member)).all()]:
        del members[name]
    members[number] = tuple(candidate)
    return True


@pytest.mark.parametrize(
    ("dimensions", "values", "n"),
    [(1, 9, 40), (2, 40, 200), (6, 3, 250), (6, 1000, 250), (12, 3, 150)],
)
@pytest.mark.parametrize("top", [1.0, 2.0])
def test_insertion_against_the_definition(dimensions, values, n, top):
    """More members than a block of 64, more coordinates than a word, ties and equal points."""
    rng = np.random.default_rng([dimensions, values])
    points = rng.integers(0, values, (n, dimensions)) / (values - 1) * top
    if dimensions == 2:  # a long front
        points[:, 1] = top - points[:, 0]
        points[::7] += rng.random((len(points[::7]), 1)) * 0.01
    archive, members = Members(n, dimensions, 1.02 * top), {}
    for rows in np.array_split(np.arange(n), 4):
        expected = [slow_insert(members, int(i), points[i]) for i in rows]
        assert archive.insert(points[rows]) == expected
        assert archive.held() == members
        words = [levels_of(row, archive.tops) for row in archive.objectives[: archive.size]]
        assert words == archive.levels[: archive.size].tolist()
    assert np.array_equal(archive.payload[: archive.size, 0], -archive.payload[: archive.size, 1])


def test_levels_never_hide_a_dominated_point():
    """They may say yes too often, not no: rounding down keeps the order."""
    points = np.random.default_rng(0).integers(0, 4, (80, 9)) / 3
    words = [np.uint64(levels_of(point, np.ones(9))) for point in points]
    refused = 0
    for one, word in zip(points, words, strict=True):
        for other, second in zip(points, words, strict=True):
            dominates = bool((one <= other).all())
            assert nowhere_worse(one, other) == dominates
            assert may_dominate(word, second) or not dominates
            refused += not may_dominate(word, second)
    assert refused > 0.8 * 80 * 79


def test_the_top_has_the_highest_level():
    assert levels_of(np.full(8, 3.0), np.full(8, 3.0)) == 0x7F7F7F7F7F7F7F7F
    assert levels_of(np.full(9, 4.0), np.full(9, 3.0)) == 0x7F7F7F7F7F7F7F7F  # clipped
    assert levels_of(np.zeros(2), np.full(2, 3.0)) == 0
    assert levels_of(np.array([-5.0, 1.0]), np.array([np.inf, 1.0])) == 0x7F00  # of any sign


@pytest.mark.parametrize("values", [2, 5, 1000])
@pytest.mark.parametrize("lowest", [0, -3, [0, -3, 1]])
@pytest.mark.parametrize("scale", [1, [1, 0, 1], [1e-300, 1, 1e300]])
def test_non_dominated_points(values, lowest, scale):
    drawn = np.random.default_rng(values).integers(0, values, (60, 3))
    points = (drawn + lowest) * np.array(scale, dtype=float)
    order = np.lexsort(points.T[::-1])
    expected = [
        not any((q <= p).all() and ((q < p).any() or j < i) for j, q in enumerate(points) if j != i)
        for i, p in enumerate(points)
    ]
    assert non_dominated(points, order).tolist() == expected


@pytest.mark.parametrize("dimensions", [2, 6, 12])
def test_most_points_are_on_the_front(dimensions):
    """More than fit into a block, and coordinates that are in no word."""
    rng = np.random.default_rng(dimensions)
    points = rng.dirichlet(np.ones(dimensions), 300)
    points[::3] = points[1::3] + 0.05 * rng.random((100, dimensions))
    worse = (points[:, None] <= points).all(axis=2).sum(axis=0) > 1
    stays = non_dominated(points, np.lexsort(points.T[::-1]))
    assert stays.tolist() == (~worse).tolist() and 150 < stays.sum() < 300


def test_selection_goes_round_to_the_next_bin_with_members():
    values = np.array([0.05, 0.55, 0.0, 0.59, 1.0])
    picks = [select_from_bin(values, 10, first, 0.99) for first in (0.0, 0.1, 0.5, 0.6, 0.95)]
    assert picks == [2, 3, 3, 4, 4]
    assert [select_from_bin(values[:4], 10, 0.95, pick) for pick in (0.0, 0.5)] == [1, 3]
    assert select_from_bin(np.append(values, 0.0)[:4], 10, 0.3, 0.0) == 1


def test_selection_among_equal_values():
    assert [select_from_bin(np.full(4, 0.5), 10, 0.9, pick) for pick in (0.0, 0.6)] == [0, 2]


def test_a_share_beyond_the_last_member_is_nobody():
    assert select_from_bin(np.array([0.0, 1.0]), 10, 0.0, 1.0) == -1
