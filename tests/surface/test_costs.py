"""Costs: checked, ordered by (truth, decision), and decided by."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyroc.errors import InvalidInput, UnknownName
from polyroc.kernels.confusion import confusion_tables
from polyroc.surface._costs import (
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


def test_a_mapping_names_truth_first_and_what_it_does_not_name_costs_one() -> None:
    table = checked_costs({("a", "c"): 5, ("b", "a"): 0}, CLASSES)
    assert table.tolist() == [[0, 1, 5], [0, 0, 1], [1, 1, 0]]


NAMED = {"a": [0, 3, 5], "b": [1, 0, 6], "c": [2, 4, 0]}  # by decision; rows are a, b, c
BY_POSITION = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


class Labelled:
    """What an array of xarray has: labels that it hands to pandas."""

    def __init__(self, frame: Any) -> None:
        self.to_pandas = frame.copy


def tables_with_names() -> dict[str, Any]:
    """The same costs in every container that has names, in orders that are not the classes'."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    frame = pd.DataFrame(NAMED, index=list("abc"))
    mixed = frame.loc[list("cab"), list("bca")]
    with_truth = mixed.rename_axis("truth").reset_index()

    class Own(pd.DataFrame):
        pass

    return {
        "pandas": mixed,
        "subclass": Own(mixed),
        "pandas with a column of truths": with_truth,
        "polars with a column of truths": pl.DataFrame(with_truth.to_dict("list")),
        "polars in order": pl.DataFrame(NAMED),
        "arrow": pa.Table.from_pandas(with_truth),
        "like an xarray": Labelled(mixed),
        "pandas without names": pd.DataFrame(frame.to_numpy()),
    }


def test_tables_with_names_go_by_their_names() -> None:
    for name, table in tables_with_names().items():
        assert checked_costs(table, CLASSES).tolist() == BY_POSITION, name


def test_names_that_were_written_as_strings_are_those_of_the_classes() -> None:
    import polars as pl

    table = pl.DataFrame({"truth": [2, 1], "2": [0, 7], "1": [5, 0]})
    assert checked_costs(table, (1, 2)).tolist() == [[0, 7], [5, 0]]


def test_rows_without_names_beside_columns_in_another_order_are_refused() -> None:
    import pandas as pd
    import polars as pl

    for kind in (pd.DataFrame, pl.DataFrame):
        with pytest.raises(InvalidInput, match="rows of costs have no names"):
            checked_costs(kind({name: NAMED[name] for name in "bac"}), CLASSES)
    with pytest.raises(InvalidInput, match="rows of costs are named"):
        checked_costs(pd.DataFrame(NAMED, index=list("abd")), CLASSES)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_of_costs_does_not_matter(scale: float) -> None:
    table = 1.0 - np.eye(3)
    assert np.allclose(cost_matrix(table * scale, CLASSES), table / 6)


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        (np.ones((2, 2)), "each of the 3 classes"),
        (np.ones((3, 3)), "correct decision must cost 0"),
        (-1.0 + np.eye(3), "finite non-negative"),
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


def first_of_least(row: list[float], costs: list[list[float]], tied: float) -> int:
    """The first decision that a chain of near-equal expected costs joins to the cheapest."""
    expected = [
        sum((Fraction(p) * Fraction(costs[k][j]) for k, p in enumerate(row)), Fraction(0))
        for j in range(len(row))
    ]
    ascending = sorted(expected)
    reached = ascending[0]
    for cost in ascending[1:]:
        if cost - reached > Fraction(tied) * cost:
            break
        reached = cost
    return next(j for j, cost in enumerate(expected) if cost <= reached)


@given(
    arrays(np.float64, (5, 3), elements=st.floats(0, 1, width=16)),
    arrays(np.float64, (3, 3), elements=st.floats(0, 1, width=16)),
)
def test_decisions_minimise_the_expected_cost(p: np.ndarray, costs: np.ndarray) -> None:
    wanted = [first_of_least(row, costs.tolist(), 2.0**-40) for row in p.tolist()]
    assert least_cost(p, costs).tolist() == wanted


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_equal_decimals_are_equal_costs_on_every_scale(n_classes: int) -> None:
    """Votes of ten and probabilities with one decimal, at costs that make thousands of ties."""
    rng = np.random.default_rng(n_classes)
    votes = rng.multinomial(10, np.full(n_classes, 1 / n_classes), 1000).astype(float)
    ties = 0
    for _ in range(20):
        whole = rng.integers(1, 5, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
        wanted = np.argmin(votes @ whole, axis=1)  # all of it in whole numbers
        cheapest = np.sort(votes @ whole, axis=1)
        ties += int((cheapest[:, 0] == cheapest[:, 1]).sum())
        table = np.diag(np.bincount(wanted, minlength=n_classes))
        for scale in (1.0, 0.1, 1 / 3, 1e-30):
            assert np.array_equal(least_cost(votes / 10, whole * scale), wanted)
            found = np.zeros((1, n_classes, n_classes))
            costs = (whole * scale)[None]
            confusion_tables(votes / 10, wanted, np.ones(1000), costs, found, 2.0**-40)
            assert np.array_equal(found[0], table)
    assert ties > 1000


def test_a_huge_cost_elsewhere_does_not_widen_a_tie() -> None:
    p = np.array([[0.2, 0.5 - 1e-9, 0.3 + 1e-9]])
    costs = np.array([[0, 1e15, 1], [1, 0, 1], [1, 1e15, 0]])
    assert least_cost(p, costs).tolist() == [2]


def test_a_chain_of_ties_is_one_tie() -> None:
    step = 1 - 0.75 * 2.0**-40
    costs = np.array([[1.0, step, step**2, 2.0]] * 4)
    assert least_cost(np.full((1, 4), 0.25), costs).tolist() == [0]
    assert least_cost(np.full((1, 4), 0.25), costs[:, [3, 1, 0, 2]]).tolist() == [1]
    tables = np.zeros((1, 4, 4))
    one, zero = np.ones(1), np.zeros(1, dtype=np.int64)
    confusion_tables(np.full((1, 4), 0.25), zero, one, costs[None], tables, 2.0**-40)
    assert tables[0, 0].tolist() == [1, 0, 0, 0]
