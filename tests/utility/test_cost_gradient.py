"""How SAEC moves with weights: against the cost of categories whose weights were moved."""

import math

import numpy as np
import pytest

from polyroc.utility import _categories as categories
from polyroc.utility._categories import Categories
from polyroc.utility._cost_gradient import _by_theta, _points_on_edges, cost_slopes
from polyroc.utility._data_cost import cost_of_levels
from polyroc.utility._families import Conventional
from polyroc.utility._hull import hull_edges, hull_of

RATINGS = np.array([[33.0, 6, 6, 11, 2], [3, 2, 2, 11, 31]])
STRONG = np.array([[20.0, 9, 1, 2], [3, 4, 2, 30]])
MIXED = np.array([[9.0, 5, 0, 3, 2, 0, 1], [4, 0, 6, 2, 0, 0, 9.5]])


def cost(table, model) -> float:
    return cost_of_levels(Categories(table, table), model, np.ones(1)).saec


def slopes_by_steps(table, model, step, places=None):
    found = np.full(table.shape, np.nan)
    for place in np.ndindex(table.shape) if places is None else places:
        ahead, back = table.copy(), table.copy()
        ahead[place] += step
        back[place] -= step
        found[place] = (cost(ahead, model) - cost(back, model)) / (2 * step)
    return found


@pytest.mark.parametrize("model", ["binormal", "proper"])
def test_fitted_curves_by_steps_of_the_weights(model) -> None:
    found = cost_slopes(Categories(RATINGS, RATINGS), model, np.ones(1))
    assert found.reason is None and found.values.shape == (2, 5)
    places = [(0, 0), (0, 3), (1, 1), (1, 4)]
    steps = slopes_by_steps(RATINGS, model, 0.01, places)
    for place in places:
        assert found.values[place] == pytest.approx(steps[place], abs=2e-6)
    # The scale of all weights leaves the curve as it is.
    assert (found.values * RATINGS).sum() == pytest.approx(0, abs=1e-7)


def test_hulls_by_steps_of_the_weights() -> None:
    for table in (np.array([[9.0, 5, 3, 4, 1], [2, 3, 1, 5, 8]]), STRONG):
        found = cost_slopes(Categories(table, table), "hull", np.ones(1))
        assert found.reason is None
        np.testing.assert_allclose(found.values, slopes_by_steps(table, "hull", 1e-4), atol=1e-7)
        np.testing.assert_allclose((found.values * table).sum(axis=1), 0, atol=1e-12)


def test_runs_share_a_slope_and_empty_scores_follow_the_one_before() -> None:
    for model in ("binormal", "hull"):
        found = cost_slopes(Categories(MIXED, MIXED), model, np.ones(1))
        assert found.reason is None and found.values.shape == (2, 7)
        numbers = Categories(MIXED, MIXED).run_numbers()
        assert numbers.tolist() == [0, 1, 2, 3, 4, 4, 5]
        np.testing.assert_array_equal(found.values[:, 5], found.values[:, 4])
        places = [(0, 1), (0, 4), (1, 2)]
        steps = slopes_by_steps(MIXED, model, 1e-4 if model == "hull" else 0.01, places)
        for place in places:
            assert found.values[place] == pytest.approx(steps[place], abs=5e-5)


def test_many_scores_are_joined_for_fits_and_not_for_hulls(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    rising = np.linspace(0.5, 2, 40)
    table = rng.integers(1, 4, (2, 40)) * np.array([rising[::-1], rising])
    levels = Categories(table, table)
    hull = cost_slopes(levels, "hull", np.ones(1)).values
    monkeypatch.setattr(categories, "MOST_CATEGORIES", 10)
    np.testing.assert_array_equal(cost_slopes(levels, "hull", np.ones(1)).values, hull)
    joined = cost_slopes(levels, "binormal", np.ones(1)).values
    data = levels.runs(10)
    short = cost_slopes(data, "binormal", np.ones(1)).values
    np.testing.assert_allclose(joined, short[:, levels.run_numbers(10)], rtol=1e-6, atol=1e-9)
    assert len(np.unique(joined[0])) == data.n_categories <= 10


@pytest.mark.parametrize(
    ("model", "table", "reason"),
    [
        ("binormal", [[5, 0, 5], [0, 10, 0]], "the fit of the curve runs to a limit of the model"),
        (
            "proper",
            [[1, 2, 3, 10], [10, 3, 2, 1]],
            "the best curve is the diagonal, where the likelihood has a kink",
        ),
        ("hull", [[1, 1, 2], [1, 1, 4]], "a point of the ROC curve lies on an edge of its hull"),
    ],
)
def test_why_there_is_none(model, table, reason) -> None:
    table = np.array(table, dtype=float)
    found = cost_slopes(Categories(table, table), model, np.ones(1))
    assert found.reason == reason and found.values.shape == (2, 0)


@pytest.mark.parametrize("model", ["binormal", "proper"])
@pytest.mark.parametrize("table", [[[3, 2, 0], [0, 0, 4]], [[0, 0, 5], [2, 1, 0]]])
def test_classes_that_a_threshold_separates_stay_at_the_limit(model, table) -> None:
    table = np.array(table, dtype=float)
    found = cost_slopes(Categories(table, table), model, np.ones(1))
    assert found.reason is None
    np.testing.assert_array_equal(found.values, np.zeros((2, 3)))


def test_a_flat_parameter_is_held() -> None:
    """At d_a = 0 the slopes follow from c alone."""
    table = np.array([[2.0, 10, 10, 2], [8, 3, 3, 8]])
    found = cost_slopes(Categories(table, table), "proper", np.ones(1))
    assert found.reason is None
    steps = slopes_by_steps(table, "proper", 0.02, [(1, 2)])
    assert found.values[1, 2] == pytest.approx(steps[1, 2], abs=2e-4)


def test_slopes_by_the_parameters_have_an_error_of_fourth_order() -> None:
    from polyroc.utility import saec_binormal, saec_proper

    theta = np.array([0.9, -0.3])
    for model in ("binormal", "proper"):

        def value(at, model=model):
            if model == "binormal":
                return float(saec_binormal(*Conventional.pair(at)))
            return float(saec_proper(math.tanh(at[0]), abs(at[1])))

        for found, unit in zip(_by_theta(theta, model), np.eye(2), strict=True):
            for step in (2e-3, 4e-3):
                near = (value(theta + step * unit) - value(theta - step * unit)) / (2 * step)
                assert found == pytest.approx(near, abs=step**2)
            fine = [
                (value(theta + k * 3e-3 * unit) - value(theta - k * 3e-3 * unit)) / (6e-3 * k)
                for k in (1, 2)
            ]
            assert found == pytest.approx((4 * fine[0] - fine[1]) / 3, abs=1e-9)


def test_points_on_edges_of_the_hull() -> None:
    def asked(table):
        data = Categories(*[np.array(table, dtype=float)] * 2)
        edges = hull_edges(data)
        shares = np.add.reduceat(data.weights, edges[:-1], axis=1)
        return _points_on_edges(data, edges, shares / data.weights.sum(axis=1)[:, None])

    assert asked([[1, 1, 2], [1, 1, 4]])
    assert asked([[5, 1, 2, 1], [1, 1, 2, 7]])  # in the middle
    assert asked([[5, 2, 1], [1, 4, 2]])  # the last two
    assert not asked([[5, 2, 1], [1, 4, 3]])
    assert not asked([[5, 2, 1, 1], [1, 4, 1, 8]])  # inside, below an edge
    assert not asked([[3, 3, 3], [1, 2, 9]])  # all points are vertices


def test_hull_edges_are_where_shares_of_positives_rise() -> None:
    table = np.array([[5.0, 2, 1, 1, 4], [1, 4, 1, 8, 20]])
    data = Categories(table, table)
    assert hull_edges(data).tolist() == [0, 1, 3, 5] == [int(x) for x in hull_edges(data)]
    hull = hull_of(data)
    false = [0.0, 5 / 13, 8 / 13, 1.0]
    true = [0.0, 28 / 34, 33 / 34, 1.0]
    np.testing.assert_allclose(hull.false_positive_rate, false)
    np.testing.assert_allclose(hull.true_positive_rate, true)
    area = sum((false[i + 1] - false[i]) * (true[i] + true[i + 1]) / 2 for i in range(3))
    length = sum(math.hypot(false[i + 1] - false[i], true[i + 1] - true[i]) for i in range(3))
    assert hull.area == pytest.approx(area) and hull.length == pytest.approx(length)
    assert hull.saec == pytest.approx(2 * (1 - area) / length)
    assert repr(hull) == f"RocHull(4 corners, area {area:.6g})"
    frame = hull.frame()
    assert frame.columns.tolist() == ["false_positive_rate", "true_positive_rate"]
    assert (
        frame.to_numpy().tolist()
        == np.column_stack([hull.false_positive_rate, hull.true_positive_rate]).tolist()
    )


def test_densities_that_round_to_zero_are_no_error() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 24)
    order = np.argsort(rng.normal(size=24) * np.where(y, 4, 1) + 0.5 * y)
    table = np.stack([1.0 - y[order], y[order]])
    with np.errstate(all="raise"):
        strict = cost_slopes(Categories(table, table), "binormal", np.ones(24))
    plain = cost_slopes(Categories(table, table), "binormal", np.ones(24))
    assert strict.reason == plain.reason
    np.testing.assert_array_equal(strict.values, plain.values)
