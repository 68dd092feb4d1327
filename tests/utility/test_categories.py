"""Categories and truth-state runs, by loops over cases."""

import numpy as np
import pytest

from polyroc.errors import NotDefined
from polyroc.predictions import Predictions
from polyroc.utility import _categories as module
from polyroc.utility import fit_binormal
from polyroc.utility._categories import Categories, RankedCases
from polyroc.utility._fits import fit_runs

Y = np.array([0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1])
SCORES = np.array([1.0, 3, 1, 2, 2, 7, 5, 6, 5, 1, 9])
WEIGHTS = np.array([1.0, 2, 3, 0.5, 1, 1, 4, 2, 1, 1, 3])


def table_by_loops(y, scores, weights):
    levels = sorted(set(scores.tolist()))
    return np.array(
        [
            [
                sum(w for k, s, w in zip(y, scores, weights, strict=True) if (k, s) == (side, each))
                for each in levels
            ]
            for side in (0, 1)
        ]
    )


def runs_by_loops(table):
    """Columns without empty ones, neighbours of one and the same class joined."""
    columns: list[list[float]] = []
    for low, high in table.T.tolist():
        if low == high == 0:
            continue
        before = columns[-1] if columns else None
        if before and ((low == before[0] == 0) or (high == before[1] == 0)):
            before[0] += low
            before[1] += high
        else:
            columns.append([low, high])
    return np.array(columns).T


def ranked(weights=WEIGHTS) -> RankedCases:
    return RankedCases.of(Predictions(Y, SCORES, sample_weight=weights))


def test_cases_in_order_of_their_scores() -> None:
    found = ranked()
    order = sorted(range(11), key=lambda i: SCORES[i])
    levels = sorted(set(SCORES.tolist()))
    assert found.positive.tolist() == [bool(Y[i]) for i in order]
    assert found.weights.tolist() == [WEIGHTS[i] for i in order]
    assert found.group.tolist() == [levels.index(SCORES[i]) for i in order]


def test_a_category_per_score() -> None:
    found = ranked().categories()
    np.testing.assert_allclose(found.weights, table_by_loops(Y, SCORES, WEIGHTS))
    np.testing.assert_allclose(found.squares, table_by_loops(Y, SCORES, WEIGHTS**2))
    assert found.weights.dtype == found.squares.dtype == np.float64
    assert found.n_categories == 7
    expected = [WEIGHTS[k == Y].sum() / WEIGHTS.sum() for k in (0, 1)]
    np.testing.assert_allclose(found.shares, expected)


def test_copies_multiply_the_weights() -> None:
    copies = np.array([0.0, 1, 2, 0, 1, 3, 1, 0, 1, 1, 1])
    order = np.argsort(SCORES, kind="stable")
    found = ranked().categories(copies)
    heavier = np.empty(11)
    heavier[order] = WEIGHTS[order] * copies
    np.testing.assert_allclose(found.weights, table_by_loops(Y, SCORES, heavier))
    np.testing.assert_allclose(found.squares, table_by_loops(Y, SCORES, heavier**2))


TABLES = [
    [[3, 2, 0, 0, 1, 0, 2, 2, 1], [0, 0, 1, 4, 2, 0, 1, 0, 0]],
    [[0, 0, 5, 1, 1], [0, 2, 0, 0, 0]],
    [[0, 1, 1, 0, 0, 0], [1, 1, 1, 3, 0, 2]],
    [[1, 0, 0, 2, 0], [0, 0, 0, 3, 0]],
    [[4.0], [2.0]],
]


@pytest.mark.parametrize("table", TABLES)
def test_runs_and_which_run_each_category_is_in(table) -> None:
    table = np.array(table, dtype=float)
    levels = Categories(table, table**2)
    found = levels.runs()
    np.testing.assert_allclose(found.weights, runs_by_loops(table))
    numbers = levels.run_numbers()
    assert numbers.shape == (table.shape[1],)
    for squares, values in ((found.weights, table), (found.squares, table**2)):
        for side in (0, 1):
            sums = np.bincount(numbers, values[side], minlength=found.n_categories)
            np.testing.assert_allclose(squares[side], sums)
    assert (np.diff(numbers) >= 0).all() and numbers[0] == 0
    for k in range(1, table.shape[1]):
        if not table[:, k].any():  # an empty one belongs to the run before it
            assert numbers[k] == numbers[k - 1]


@pytest.mark.parametrize(("most", "joins"), [(7, True), (8, True), (29, True), (30, False)])
def test_beyond_so_many_scores_shares_of_all_cases_are_joined(most, joins) -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 4, (2, 30)).astype(float) + 0.5
    levels = Categories(table, table)
    found = levels.runs(most)
    if not joins:
        np.testing.assert_array_equal(found.weights, levels.runs().weights)
        return
    total, before, bins = table.sum(), 0.0, []
    for low, high in table.T:
        middle = (before + (low + high) / 2) / total
        bins.append(int(most * middle))
        before += low + high
    starts = sorted(set(bins))
    expected = [[sum(x for x, b in zip(row, bins, strict=True) if b == each) for each in starts]
                for row in table.tolist()]  # fmt: skip
    np.testing.assert_allclose(found.weights, expected)
    assert found.n_categories <= most
    assert levels.run_numbers(most).tolist() == [starts.index(each) for each in bins]


def test_fits_join_where_there_are_more_scores_than_the_limit(monkeypatch) -> None:
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 30)
    scores = rng.normal(size=60) + y
    cases = RankedCases.of(Predictions(y, scores))
    whole = cases.runs()
    monkeypatch.setattr(module, "MOST_CATEGORIES", 60)
    np.testing.assert_array_equal(fit_runs(cases).weights, whole.weights)
    monkeypatch.setattr(module, "MOST_CATEGORIES", 59)
    assert fit_runs(cases).n_categories <= 59
    np.testing.assert_array_equal(fit_runs(cases).weights, cases.categories().runs(59).weights)
    monkeypatch.setattr(module, "MOST_CATEGORIES", 12)
    assert fit_binormal(y, scores).n_categories == fit_runs(cases).n_categories <= 12


def test_joined_categories_add_up_from_each_start() -> None:
    table = np.arange(12.0).reshape(2, 6)
    found = Categories(table, 10 * table).joined(np.array([0, 1, 4]))
    assert found.weights.tolist() == [[0, 6, 9], [6, 24, 21]]
    assert found.squares.tolist() == [[0, 60, 90], [60, 240, 210]]


@pytest.mark.parametrize(
    ("table", "ordered", "right"),
    [
        ([[3, 0], [0, 2]], True, True),
        ([[0, 3], [2, 0]], True, False),
        ([[3, 1], [0, 2]], False, True),
        ([[3, 0], [1, 2]], False, True),
        ([[0, 4], [1, 1]], False, False),
        ([[3, 0, 2], [0, 2, 0]], False, True),
    ],
)
def test_a_threshold_that_separates_the_classes(table, ordered, right) -> None:
    data = Categories(*[np.array(table, dtype=float)] * 2)
    assert data.ordered is ordered
    assert data.right_way is right


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[3], [2]], "All scores are equal, so there is no ROC curve to fit. Pass scores that "),
        ([[3, 0], [0, 2]], "A threshold separates the classes, so the likelihood grows without "),
        ([[3, 1], [0, 2]], "The scores give one operating point, which many curves with two "),
    ],
)
def test_data_without_a_curve(table, words) -> None:
    with pytest.raises(NotDefined) as told:
        Categories(*[np.array(table, dtype=float)] * 2).check()
    assert str(told.value).startswith(words)
    Categories(*[np.array([[3.0, 0, 1], [0, 2, 0]])] * 2).check()


@pytest.mark.parametrize(("n", "joins"), [(2000, False), (2001, True)])
def test_two_thousand_distinct_scores_are_fitted_as_they_are(n, joins) -> None:
    alternating = RankedCases(np.arange(n) % 2 == 1, np.arange(n), np.ones(n))
    assert (fit_runs(alternating).n_categories < n) == joins
