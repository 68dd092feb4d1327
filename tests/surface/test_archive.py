"""The archive against the definition of a non-dominated set, and selection from it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyroc.kernels.archive import select_from_bin
from polyroc.surface._archive import Archive
from polyroc.surface._objectives import Objectives, objective_values, on_front

POINTS = arrays(np.float64, st.tuples(st.integers(1, 40), st.just(6)), elements=st.integers(0, 3))


def weakly_dominates(one: np.ndarray, other: np.ndarray) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


def slow_front(points: np.ndarray) -> set[tuple[float, ...]]:
    """Eq. 6 and 7 as loops: points that no different point weakly dominates."""
    distinct = {tuple(point) for point in points.tolist()}
    return {
        point
        for point in distinct
        if not any(weakly_dominates(other, point) for other in distinct - {point})
    }


@given(POINTS)
def test_the_front_is_what_nothing_dominates(points: np.ndarray) -> None:
    kept = points[on_front(points)]
    assert len(kept) == len(slow_front(points))
    assert {tuple(point) for point in kept.tolist()} == slow_front(points)


def test_of_equal_points_the_first_stays() -> None:
    points = np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0]])
    assert on_front(points).tolist() == [True, True, False]


@settings(max_examples=100)
@given(POINTS, st.sampled_from(["pairs", "errors_of", "errors_into"]))
def test_the_archive_holds_the_front_of_all_it_saw(points: np.ndarray, kind: Objectives) -> None:
    archive = Archive(3, 1, kind)
    rates, costs = points / 10, np.arange(len(points) * 6.0).reshape(-1, 6)
    names = np.arange(len(points), dtype=float)[:, None]
    for rows in np.array_split(np.arange(len(points)), 3):
        entered = archive.insert(rates[rows], costs[rows], names[rows])
        assert entered.shape == rows.shape
    values = objective_values(rates, 3, kind)
    assert {tuple(row) for row in archive.objectives.tolist()} == slow_front(values)
    assert archive.size == len(slow_front(values))
    for place, name in enumerate(archive.parameters[:, 0].astype(int)):
        assert np.array_equal(archive.rates[place], rates[name])
        assert np.array_equal(archive.costs[place], costs[name])


def test_the_archive_grows_without_bound() -> None:
    archive = Archive(2, 0, "pairs")
    rates = np.column_stack([np.arange(5000), np.arange(5000)[::-1]]) / 5000
    for part in np.array_split(rates, 7):
        archive.insert(part, part, np.zeros(0))
    assert archive.size == 5000
    assert np.array_equal(np.sort(archive.rates[:, 0]), rates[:, 0])


def test_one_rate_per_class_sums_rows_or_columns() -> None:
    rates = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]])  # 01 02 10 12 20 21
    assert np.allclose(objective_values(rates, 3, "errors_of"), [[0.3, 0.7, 1.1]])
    assert np.allclose(objective_values(rates, 3, "errors_into"), [[0.8, 0.7, 0.6]])


@given(
    arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 1)),
    st.floats(0, 1, exclude_max=True),
    st.floats(0, 1, exclude_max=True),
)
def test_selection_takes_a_member_of_the_bin_asked_for(
    values: np.ndarray, first: float, pick: float
) -> None:
    chosen = select_from_bin(values, 10, first, pick)
    assert 0 <= chosen < len(values)
    span = values.max() - values.min()
    if span > 0:
        bins = np.minimum(9, ((values - values.min()) / span * 10).astype(int))
        wanted = int(first * 10)
        while wanted not in bins:
            wanted = (wanted + 1) % 10
        assert bins[chosen] == wanted


def test_crowded_bins_are_not_selected_more_often() -> None:
    """What partitioned selection is for: 99 members in one corner get one share of ten."""
    values = np.append(np.full(99, 0.0) + np.linspace(0, 0.01, 99), 1.0)
    golden = 0.6180339887498949
    picks = [select_from_bin(values, 10, t * golden % 1, 0.5) for t in range(1000)]
    assert picks.count(99) > 800  # nine empty bins lead to it, going round
