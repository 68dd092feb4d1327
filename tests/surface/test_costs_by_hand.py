"""Costs, cases, archives and shares of costs in small numbers that can be checked by eye."""

import math
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polyroc.errors import InvalidInput, InvalidType, PolyrocError, UnknownName
from polyroc.surface import RocSurface
from polyroc.surface import _archive as archives
from polyroc.surface import _costs as costs_module
from polyroc.surface import _curvature as curvatures
from polyroc.surface._archive import Archive
from polyroc.surface._cases import (
    Cases,
    cases_of,
    check_columns,
    check_features,
    feature_names,
    read_features,
)
from polyroc.surface._cost_space import Bound, CostSpace
from polyroc.surface._costs import (
    TIED_SINGLE,
    checked_costs,
    cost_matrix,
    errors,
    expected_costs,
    least_cost,
    matrices,
    pair_index,
)
from polyroc.surface._curvature import curvature_of, knee_table, trivial_rates

CLASSES = ("a", "b", "c")


# Tables of costs


def test_entries_and_tables_of_any_number_of_dimensions() -> None:
    table = np.arange(2 * 4 * 9.0).reshape(2, 4, 3, 3)
    found = errors(table)
    assert found.shape == (2, 4, 6)
    for i in range(2):
        for j in range(4):
            assert found[i, j].tolist() == [
                table[i, j, k, d] for k in range(3) for d in range(3) if k != d
            ]
    back = matrices(found, 3)
    assert back.shape == (2, 4, 3, 3)
    assert np.array_equal(back * ~np.eye(3, dtype=bool), table * ~np.eye(3, dtype=bool))
    assert not back[..., range(3), range(3)].any()
    assert matrices(np.array([1.0, 2.0]), 2).tolist() == [[0, 1], [2, 0]]
    assert matrices(np.ones((5, 2)), 2).shape == (5, 2, 2)


def test_a_matrix_of_costs_has_sum_one() -> None:
    found = cost_matrix([[0, 2, 0], [1, 0, 4], [0.5, 0.5, 0]], CLASSES)
    assert found.tolist() == [[0, 0.25, 0], [0.125, 0, 0.5], [0.0625, 0.0625, 0]]


def test_costs_that_are_none() -> None:
    negative = 1.0 - np.eye(3)
    negative[2, 0] = -1e-9
    one_endless = 1.0 - np.eye(3)
    one_endless[0, 1] = math.inf
    one_paid = 1.0 - np.eye(3)
    one_paid[1, 1] = 0.5
    for table in (negative, one_endless, np.full((3, 3), math.nan), -np.eye(3)):
        with pytest.raises(InvalidInput, match="costs must be finite non-negative numbers, got"):
            checked_costs(table, CLASSES)
    with pytest.raises(InvalidInput, match=r"must cost 0, got a diagonal of \[0\.0, 0\.5, 0\.0\]"):
        checked_costs(one_paid, CLASSES)
    with pytest.raises(InvalidInput, match="All costs are 0"):
        checked_costs(dict.fromkeys([(a, b) for a in "abc" for b in "abc" if a != b], 0), CLASSES)
    for shape in ((2, 2), (3, 2), (3, 4), (9,), (1, 3, 3)):
        with pytest.raises(
            InvalidInput, match="a row and a column for each of the 3 classes"
        ) as said:
            checked_costs(np.zeros(shape), CLASSES)
        assert f"the shape {shape}. Rows are true classes" in str(said.value)
    for wrong in ("xyz", [["a", "b"], ["c", "d"]], None):
        with pytest.raises(InvalidType, match="costs must be a table of numbers or a mapping from"):
            checked_costs(wrong, CLASSES)  # type: ignore[arg-type]
    with pytest.raises(
        InvalidType, match=r"The cost of \('a', 'b'\) must be a number, got \[1, 2\]"
    ):
        checked_costs({("a", "b"): [1, 2]}, CLASSES)  # type: ignore[dict-item]
    with pytest.raises(PolyrocError, match=r"The cost of \('a', 'b'\)"):
        checked_costs({("a", "b"): "much"}, CLASSES)  # type: ignore[dict-item]
    one_only = np.zeros((3, 3))
    one_only[0, 2] = 7
    assert np.array_equal(checked_costs(one_only, CLASSES), one_only)


def test_pairs_have_a_row_and_a_column() -> None:
    for a, first in enumerate(CLASSES):
        for b, second in enumerate(CLASSES):
            if a != b:
                assert pair_index((first, second), CLASSES) == (a, b)
            else:
                with pytest.raises(InvalidInput, match="truth and decision are the same class"):
                    pair_index((first, second), CLASSES)
    for wrong in ("ab", ["a", "b"], ("a",), ("a", "b", "c"), 3, ()):
        with pytest.raises(InvalidInput, match=r"Name an error by \(truth, decided\), got"):
            pair_index(wrong, CLASSES)
    for pair, name in ((("x", "a"), "x"), (("a", "y"), "y"), (("x", "y"), "x")):
        with pytest.raises(UnknownName, match=f"'{name}' is not a class. There are 'a', 'b', 'c'"):
            pair_index(pair, CLASSES)
    with pytest.raises(UnknownName, match=r"not a class\. Did you mean 'common'\? There are"):
        pair_index(("rare", "comon"), ("common", "rare"))


# Expected costs


def sums_by_loops(p: np.ndarray, costs: np.ndarray) -> np.ndarray:
    found = np.zeros((len(p), costs.shape[1]))
    for i, row in enumerate(p):
        for j in range(costs.shape[1]):
            for k, share in enumerate(row):
                found[i, j] += share * costs[k, j]
    return found


@pytest.mark.parametrize(
    ("rows", "classes", "decisions"), [(7, 3, 3), (1, 2, 2), (5, 4, 6), (9, 3, 1)]
)
@pytest.mark.parametrize("block", [1, 6, 10, 1 << 16])
def test_sums_are_added_in_blocks(
    rows: int, classes: int, decisions: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs_module, "BLOCK", block)
    rng = np.random.default_rng(rows)
    p, costs = rng.random((rows, classes)), rng.random((classes, decisions))
    wanted = sums_by_loops(p, costs)
    assert np.array_equal(costs_module._sums_of_costs(p, costs), wanted)
    np.testing.assert_allclose(expected_costs(p, costs), wanted, rtol=1e-12)
    stacked = np.stack([p, p[::-1]])
    found = costs_module._sums_of_costs(stacked, costs)
    assert found.shape == (2, rows, decisions)
    assert np.array_equal(found[1], wanted[::-1])
    one = costs_module._sums_of_costs(p[0], costs)
    assert one.shape == (decisions,) and np.array_equal(one, wanted[0])
    none = costs_module._sums_of_costs(p[:0], costs)
    assert none.shape == (0, decisions)


@pytest.mark.parametrize("columns", [2, 15, 16, 17, 20])
def test_few_and_many_decisions_are_compared_alike(columns: int) -> None:
    rng = np.random.default_rng(columns)
    table = rng.random((3, 5, columns)).round(1)
    least = costs_module._least_of(table)
    several = costs_module._more_than_one(table < 0.15)
    assert least.shape == several.shape == (3, 5)
    for i in range(3):
        for j in range(5):
            assert least[i, j] == min(table[i, j])
            assert several[i, j] == (sum(value < 0.15 for value in table[i, j]) > 1)
    assert not costs_module._more_than_one(np.eye(columns, dtype=bool)).any()
    p = rng.random((4, columns))
    costs = rng.random((columns, columns))
    wanted = [int(np.argmin(row)) for row in sums_by_loops(p, costs)]
    assert least_cost(p, costs).tolist() == wanted
    assert least_cost(p, costs).dtype == np.int64
    assert least_cost(np.stack([p, p[::-1]]), costs).tolist() == [wanted, wanted[::-1]]
    assert least_cost(p[2], costs) == wanted[2]
    # Two equal columns, at the first and at the last place.
    costs[:, -1] = costs[:, 0] = costs.min(axis=1) * 0.5
    assert least_cost(p, costs).tolist() == [0] * 4


def test_expected_costs_that_tie_are_the_least_of_them() -> None:
    p = np.array([[1.0], [2.0], [0.0]])
    near = 1 + 0.5 * 2.0**-40
    costs = np.array([[near, 1.0, near**2, 1.5]])
    found = expected_costs(p, costs)
    assert found.tolist() == [[1, 1, 1, 1.5], [2, 2, 2, 3], [0, 0, 0, 0]]
    apart = expected_costs(p, np.array([[1 + 3 * 2.0**-40, 1.0, 2.0, 3.0]]))
    assert apart[0].tolist() == [1 + 3 * 2.0**-40, 1, 2, 3]
    # Rows that do not tie stay as they are beside rows that do.
    mixed = expected_costs(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, near], [1.0, 2.0]]))
    assert mixed.tolist() == [[1, 1], [1, 2]]
    wide = expected_costs(p, np.array([[1.05, 1.0, 1.12, 2.0]]), tied=0.1)
    assert wide[0].tolist() == [1, 1, 1, 2]


def test_single_precision_ties_within_its_rounding() -> None:
    """Probabilities of a report are rounded to 24 bits: sums of a few differ by a few 2⁻²⁴."""
    p = np.array([[0.3, 0.7]]).astype(np.float32).astype(float)
    costs = np.array([[0.0, 0.7], [0.3, 0.0]])
    assert least_cost(p, costs, TIED_SINGLE).tolist() == [0]
    for off, tied in ((0.9 * 2.0**-22, True), (1.1 * 2.0**-22, False)):
        found = expected_costs(np.ones((1, 1)), np.array([[1.0, 1 - off]]), TIED_SINGLE)
        assert (found[0, 0] == found[0, 1]) == tied


# Cases


def test_cases_have_codes_weights_and_rows() -> None:
    y = ["b", "a", "c", "b", "a", "b"]
    plain = cases_of(y)
    assert plain.classes == CLASSES and plain.codes.tolist() == [1, 0, 2, 1, 0, 1]
    assert plain.codes.dtype == np.int64 and plain.weights.tolist() == [1.0] * 6
    assert plain.rows.tolist() == list(range(6)) and plain.n_given == len(plain) == 6
    assert plain.class_weights.tolist() == [2, 3, 1] and plain.counted and not plain.grouped
    heavy = cases_of(y, ["c", "b", "a"], [0.1, 2, 3, 0, 0.7, 0.2])
    assert heavy.classes == ("c", "b", "a") and heavy.codes.tolist() == [1, 2, 0, 2, 1]
    assert heavy.rows.tolist() == [0, 1, 2, 4, 5] and heavy.n_given == 6 and len(heavy) == 5
    assert heavy.class_weights.tolist() == [3.0, 0.1 + 0.2, 2.7] and not heavy.counted
    assert cases_of(y, sample_weight=[1, 2, 3, 4, 5, 6]).counted
    assert not cases_of(y, sample_weight=[1, 2, 3, 4, 5, 0.5]).counted
    assert Cases(
        ("a", "b", "c"), np.array([0, 1]), np.ones(2), np.arange(2), 2
    ).class_weights.tolist() == [
        1,
        1,
        0,
    ]
    with pytest.raises(FrozenInstanceError):
        plain.grouped = True  # type: ignore[misc]
    assert plain == plain and plain != cases_of(y)


def test_every_class_needs_a_case() -> None:
    with pytest.raises(InvalidInput, match=r"At least two classes are needed, got \['a'\]"):
        cases_of(["a", "a"])
    assert cases_of(["a", "b"]).classes == ("a", "b")
    with pytest.raises(InvalidInput, match="'c'"):
        cases_of(["a", "b"], CLASSES)
    with pytest.raises(InvalidInput, match="'b'"):
        cases_of(["a", "b", "c"], sample_weight=[1, 0, 1])


def test_features_are_contiguous_tables_in_double_precision() -> None:
    given = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(3, 2) / 10)
    found = read_features(given)
    assert found.dtype == np.float64 and found.flags.c_contiguous
    assert np.array_equal(found, given.astype(float))
    exact = read_features([[0.1, 0.2]])
    assert exact.tolist() == [[0.1, 0.2]]
    assert read_features(np.arange(6).reshape(3, 2).T).flags.c_contiguous
    for wrong in (math.nan, math.inf):
        with pytest.raises(InvalidInput, match="X"):
            read_features([[0.1, wrong]])
        with pytest.raises(InvalidInput, match="size"):
            read_features(pd.DataFrame({"age": [1.0, 2.0], "size": [0.1, wrong]}))


def test_names_of_features() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0], "size": [3.0, 4.0], "dose": [5.0, 6.0]})
    assert feature_names(frame) == ("age", "size", "dose")
    assert feature_names(frame.to_numpy()) is None
    assert feature_names(pd.DataFrame(frame.to_numpy())) is None
    assert feature_names(frame.rename(columns={"size": 3})) is None
    square = frame.iloc[:, :2]
    assert feature_names(square) == ("age", "size")
    for named in (frame, frame.to_numpy(), pd.DataFrame(frame.to_numpy())):
        check_features(named, ("age", "size", "dose"))
        check_features(named, None)
    with pytest.raises(InvalidInput) as error:
        check_features(frame[["size", "age", "dose"]], ("age", "size", "dose"))
    assert str(error.value) == (
        "X has the columns 'size', 'age', 'dose', but the model was made with 'age', 'size', "
        "'dose'. Pass these in this order, or X.to_numpy() if its columns are the same under other "
        "names."
    )
    check_columns(np.zeros((5, 3)), 3)
    for columns in (2, 4):
        with pytest.raises(
            InvalidInput, match=f"X has 3 columns but the model was made with {columns}"
        ):
            check_columns(np.zeros((2, 3)), columns)


# The archive


def test_an_archive_makes_room_as_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_FIRST_ROOM", 4)
    rng = np.random.default_rng(0)
    xs = np.sort(rng.random(60))
    rates = np.column_stack([xs, 1 - xs])
    costs, parameters = rng.random((60, 2)), rng.random((60, 3))
    archive = Archive(2, 3, "pairs")
    assert (
        archive.size == 0 and archive.rates.shape == (0, 2) and archive.parameters.shape == (0, 3)
    )
    order = rng.permutation(60)
    start = 0
    for number in (1, 3, 1, 2, 20, 5, 28):
        rows = order[start : start + number]
        assert archive.insert(rates[rows], costs[rows], parameters[rows]).all()
        start += number
        assert archive.size == start
        seen = order[:start]
        by_rate = {tuple(row): place for place, row in enumerate(archive.rates.tolist())}
        for member in seen:
            place = by_rate[tuple(rates[member].tolist())]
            assert archive.costs[place].tolist() == costs[member].tolist()
            assert archive.parameters[place].tolist() == parameters[member].tolist()
            assert archive.objectives[place].tolist() == rates[member].tolist()


def test_an_archive_takes_one_vector_of_parameters_for_all() -> None:
    archive = Archive(2, 2, "pairs")
    rates = np.array([[0.1, 0.5], [0.5, 0.1], [0.6, 0.6], [0.1, 0.5]])
    entered = archive.insert(rates, rates[:, ::-1].copy(), np.array([7.0, 8.0]))
    assert entered.tolist() == [True, True, False, False]
    assert archive.parameters.tolist() == [[7.0, 8.0]] * 2
    again = archive.insert(np.array([[0.05, 0.05]]), np.ones((1, 2)), np.array([1.0, 2.0]))
    assert again.tolist() == [True] and archive.size == 1
    assert archive.rates.tolist() == [[0.05, 0.05]] and archive.costs.tolist() == [[1, 1]]
    assert (archive.n_classes, archive.n_parameters, archive.kind) == (2, 2, "pairs")


# Shares of costs


def test_classifiers_that_always_decide_for_one_class() -> None:
    assert trivial_rates(3).tolist() == [
        [0, 0, 1, 0, 1, 0],
        [1, 0, 0, 0, 0, 1],
        [0, 1, 0, 1, 0, 0],
    ]
    found = trivial_rates(4)
    for j in range(4):
        assert found[j].tolist() == [float(d == j) for k in range(4) for d in range(4) if d != k]
    found[0, 0] = 5  # a copy, which may be written to


RATES = np.array(
    [
        [0.1, 0.2, 0.3, 0.05, 0.2, 0.15],
        [0.3, 0.1, 0.05, 0.2, 0.1, 0.35],
        [0.1, 0.2, 0.3, 0.05, 0.2, 0.15],
        [0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
        [0.0, 0.4, 0.2, 0.3, 0.05, 0.1],
        [0.4, 0.5, 0.4, 0.4, 0.4, 0.4],
    ]
)


def shares_by_loops(points: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Shares, utilities and their errors: who costs least, and how much the next one costs more."""
    gains: list[list[float]] = [[] for _ in points]
    for costs in drawn:
        paid = [sum(a * b for a, b in zip(costs, point, strict=True)) for point in points]
        best = int(np.argmin(paid))
        others = [each for m, each in enumerate(paid) if m != best]
        for m in range(len(points)):
            gains[m].append((min(others) - paid[best] if others else 0.0) if m == best else 0.0)
    wins = np.bincount(
        [int(np.argmin(drawn[i] @ points.T)) for i in range(len(drawn))], minlength=len(points)
    )
    shares = wins / len(drawn)
    errors_ = np.sqrt(shares * (1 - shares) / len(drawn))
    means = np.array([np.mean(each) for each in gains])
    return np.stack(
        [shares, errors_, means, [np.std(each) / math.sqrt(len(drawn)) for each in gains]]
    )


@pytest.mark.parametrize("trivial", [False, True])
@pytest.mark.parametrize("weights", [None, np.array([0.2, 0.2, 0.5, 0.5, 0.3, 0.3])])
def test_curvature_is_counted_from_random_costs(trivial: bool, weights: Any) -> None:
    space = CostSpace(np.array([1.0, 2.0, 1.0, 1.0, 0.5, 1.0]))
    found = curvature_of(RATES, 3, space, weights, n_samples=150, rng=4, trivial=trivial)
    drawn = np.random.default_rng(4).dirichlet(space.alpha, 150)
    others = [each for each in trivial_rates(3) if each.tolist() != RATES[3].tolist()]
    distinct = np.vstack([RATES[[0, 1, 3, 4, 5]], *others]) if trivial else RATES[[0, 1, 3, 4, 5]]
    wanted = np.zeros((4, 6))
    counted = shares_by_loops(distinct * (1 if weights is None else weights), drawn)
    wanted[:, [0, 1, 3, 4, 5]] = counted[:, :5]
    every = found.shares, found.share_errors, found.utilities, found.utility_errors
    np.testing.assert_allclose(np.stack(every), wanted, atol=1e-12)
    assert found.trivial.tolist() == [False, False, False, True, False, False]
    assert found.space is space and found.shares[2] == 0
    with pytest.raises(FrozenInstanceError):
        found.trivial = found.shares  # type: ignore[misc,assignment]
    assert found == found


def test_random_costs_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    space = CostSpace(np.ones(6))
    for block, numbers in ((40, (8, 8, 8, 6)), (5, (1,) * 30), (1, (1,) * 30), (10**6, (30,))):
        monkeypatch.setattr(curvatures, "_BLOCK", block)
        rng = np.random.default_rng(2)
        drawn = np.vstack([rng.dirichlet(np.ones(6), number) for number in numbers])
        found = curvature_of(RATES, 3, space, n_samples=30, rng=2)
        wanted = shares_by_loops(RATES[[0, 1, 3, 4, 5]], drawn)
        assert found.shares[[0, 1, 3, 4, 5]] == pytest.approx(wanted[0])
        assert found.utility_errors[[0, 1, 3, 4, 5]] == pytest.approx(wanted[3], abs=1e-12)


def test_options_of_curvature() -> None:
    space = CostSpace(np.ones(6))
    plain = curvature_of(RATES, 3, space)
    same = curvature_of(RATES, 3, space, n_samples=32_768, rng=0, trivial=False)
    assert np.array_equal(plain.shares, same.shares)
    assert not np.array_equal(plain.shares, curvature_of(RATES, 3, space, rng=1).shares)
    one = curvature_of(RATES, 3, space, n_samples=1)
    assert sorted(one.shares.tolist()) == [0, 0, 0, 0, 0, 1]
    for number in (0, -1):
        with pytest.raises(InvalidInput, match="n_samples must be at least 1"):
            curvature_of(RATES, 3, space, n_samples=number)
    alone = curvature_of(RATES[:1], 3, space, n_samples=20)
    assert alone.shares.tolist() == [1] and alone.utilities.tolist() == [0]
    bounded = CostSpace(np.ones(6), (Bound(0, None, 0.3, 0.6),))
    drawn = bounded.draw(50, np.random.default_rng(6))
    found = curvature_of(RATES, 3, bounded, n_samples=50, rng=6)
    wanted = shares_by_loops(RATES[[0, 1, 3, 4, 5]], drawn)
    assert found.shares[[0, 1, 3, 4, 5]] == pytest.approx(wanted[0])


def test_two_classes_of_equal_points_and_trivial_rivals() -> None:
    rates = np.array([[0.1, 0.4], [0.1, 0.4], [0.0, 1.0]])
    found = curvature_of(rates, 2, CostSpace(np.ones(2)))
    assert found.shares[1] == 0 and found.shares.sum() == pytest.approx(1)
    rivals = curvature_of(rates, 2, CostSpace(np.ones(2)), trivial=True)
    assert rivals.shares.sum() < 1 and rivals.shares[2] == found.shares[2]
    assert rivals.trivial.tolist() == [False, False, True]
    assert not found.share_errors.any() and not found.utility_errors.any()


def test_a_table_of_knees() -> None:
    tables = np.tile((1 - np.eye(3)) / 6, (6, 1, 1))
    surface = RocSurface(RATES, tables, np.zeros((6, 0)), CLASSES, np.array([1.0, 3.0, 6.0]))
    found = curvatures.Curvature(
        shares=np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
        share_errors=np.arange(6) / 100,
        utilities=np.array([0.2, 0.5, 0.2, 0.9, 1e-9, 0.0]),
        utility_errors=np.arange(6) / 1000,
        trivial=np.array([False, False, False, True, False, False]),
        space=CostSpace(np.ones(6)),
    )
    table = knee_table(surface, found, 9)
    assert table["point"].tolist() == [1, 0, 2, 4]
    assert table["marginal_utility"].tolist() == [0.5, 0.2, 0.2, 1e-9]
    assert table["marginal_utility_error"].tolist() == [0.001, 0, 0.002, 0.004]
    assert table["curvature"].tolist() == [0.2, 0.1, 0.3, 0.5]
    assert table["curvature_error"].tolist() == [0.01, 0, 0.02, 0.04]
    priors = [0.1, 0.3, 0.6]
    wanted = [
        sum(priors[k] * (RATES[m, 2 * k] + RATES[m, 2 * k + 1]) for k in range(3))
        for m in (1, 0, 2, 4)
    ]
    assert table["total_error"].tolist() == pytest.approx(wanted)
    assert knee_table(surface, found, 2)["point"].tolist() == [1, 0]
    assert list(table) == ["point", "marginal_utility", "marginal_utility_error", "curvature",
                           "curvature_error", "total_error"]  # fmt: skip
