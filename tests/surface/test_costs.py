"""Costs: checked, ordered by (truth, decision), and decided by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyroc.errors import InvalidInput, UnknownName
from polyroc.surface.costs import (
    checked_costs,
    cost_matrix,
    errors,
    least_cost,
    matrices,
    off_diagonal,
    pair_index,
)

CLASSES = ("a", "b", "c")


def test_a_table_is_scaled_to_sum_one() -> None:
    table = cost_matrix([[0, 1, 2], [3, 0, 1], [1, 2, 0]], CLASSES)
    assert np.allclose(table * 10, [[0, 1, 2], [3, 0, 1], [1, 2, 0]])


def test_a_mapping_names_truth_first() -> None:
    table = checked_costs({("a", "c"): 5, ("b", "a"): 1}, CLASSES)
    assert table.tolist() == [[0, 0, 5], [1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_of_costs_does_not_matter(scale: float) -> None:
    table = 1.0 - np.eye(3)
    assert np.allclose(cost_matrix(table * scale, CLASSES), table / 6)


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        (np.ones((2, 2)), "each of the 3 classes"),
        (np.ones((3, 3)), "right decision must cost 0"),
        (-1.0 + np.eye(3), "from 0 on"),
        (np.full((3, 3), np.nan), "finite"),
        (np.zeros((3, 3)), "All costs are 0"),
        ({("a", "a"): 1}, "same class"),
        ({"a": 1}, r"\(truth, decided\)"),
    ],
)
def test_bad_costs_are_named(costs: object, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        cost_matrix(costs, CLASSES)  # type: ignore[arg-type]


def test_an_unknown_class_is_named() -> None:
    with pytest.raises(UnknownName, match="'d' is not a class"):
        pair_index(("a", "d"), CLASSES)


@given(st.integers(2, 6))
def test_off_diagonal_entries_come_in_row_major_order(n_classes: int) -> None:
    table = np.arange(n_classes**2, dtype=float).reshape(n_classes, n_classes)
    by_loop = [table[k, j] for k in range(n_classes) for j in range(n_classes) if k != j]
    assert errors(table).tolist() == by_loop
    back = matrices(errors(table), n_classes)
    assert np.array_equal(back[off_diagonal(n_classes)], by_loop)
    assert not np.diag(back).any()


@given(
    arrays(np.float64, (5, 3), elements=st.floats(0, 1)),
    arrays(np.float64, (3, 3), elements=st.floats(0, 1)),
)
def test_decisions_minimise_the_expected_cost(p: np.ndarray, costs: np.ndarray) -> None:
    for row, decided in zip(p, least_cost(p, costs), strict=True):
        expected = []
        for j in range(3):
            total = row[0] * costs[0, j]
            total += row[1] * costs[1, j]
            total += row[2] * costs[2, j]
            expected.append(total)
        assert decided == expected.index(min(expected))
