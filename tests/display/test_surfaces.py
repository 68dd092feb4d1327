"""Displays of ROC surfaces: figures of Everson & Fieldsend 2006, and HUH beside SAEC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from display.exhibits import HARD_NAMES, plain_names, plane, surface
from hypothesis import given
from hypothesis import strategies as st

from polyroc.datasets import three_class_mixture, three_class_posteriors
from polyroc.display import (
    DecisionRegionsDisplay,
    DirichletCostsDisplay,
    DistanceHistogramDisplay,
    FalsePositiveFrontDisplay,
    GiniAreasDisplay,
    GiniDeltaDisplay,
    ObserverCostDisplay,
    ParallelCoordinatesDisplay,
    SearchProgressDisplay,
)
from polyroc.display._surface_points import least_in_turn, three_ways_to_decide
from polyroc.display._surfaces import named_surfaces, thinned
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.surface import KnnModel, RocSurface, search

NAMES = plain_names(3)


def surface_with(rates: Any, K: int = 2, weights: Any = None) -> RocSurface:
    """A surface with these rates, made by hand."""
    table = np.asarray(rates, dtype=np.float64).reshape(-1, K * (K - 1))
    costs, nothing = np.zeros((len(table), K, K)), np.empty((len(table), 0))
    return RocSurface(
        table, costs, nothing, tuple(plain_names(K)), np.asarray(weights or [10.0] * K)
    )


@pytest.fixture(scope="module")
def neighbours() -> RocSurface:
    """A small k-nn surface of the paper's data."""
    X, y = three_class_mixture((30, 30, 30), rng=0)
    model = KnnModel(X, np.array(NAMES)[y], labels=NAMES)
    return search(model, generations=60, rng=0, progress=False)


# Which surfaces, which points


def test_only_surfaces_with_the_same_classes_are_shown_together() -> None:
    two, three = surface_with([[0, 0.5]]), surface(3, NAMES)
    with pytest.raises(InvalidType, match="RocSurface"):
        named_surfaces({"a": two, "b": [1]})
    with pytest.raises(InvalidInput, match="different classes"):
        named_surfaces({"a": two, "b": three})
    with pytest.raises(NotDefined, match="no surfaces"):
        named_surfaces({})
    with pytest.raises(NotDefined, match="no operating points"):
        named_surfaces(two[:0])
    assert list(named_surfaces(three)) == ["scores"]


@given(st.integers(0, 300), st.integers(1, 40))
def test_thinned_points_are_few_distinct_and_spread(number: int, most: int) -> None:
    kept = thinned(number, most)
    assert len(kept) == min(number, most) == len(set(kept.tolist()))
    if min(number, most) > 1:
        assert (kept[0], kept[-1]) == (0, number - 1)
        assert np.ptp(np.diff(kept)) <= 1


def lexicographic_by_loops(found: RocSurface, groups: list[list[tuple[str, str]]]) -> int:
    """The first member with the least tuple of sums, exact fractions of 30 cases."""

    def key(index: int) -> tuple[int, ...]:
        table = found.confusion[index]
        place = found.classes.index
        sums = [sum(table[place(a), place(b)] for a, b in group) for group in groups]
        wrong = sum(table[i, j] for i in range(3) for j in range(3) if i != j)
        return tuple(round(30 * value) for value in [*sums, wrong])

    return min(range(len(found)), key=key)


def test_errors_are_least_in_turn(neighbours: RocSurface) -> None:
    one, two, three = NAMES
    for groups in (
        [[(two, one), (two, three)], [(three, one), (one, three)]],
        [[(one, two), (three, two)]],
        [[(three, one)], [(one, two)], [(two, three)]],
    ):
        point = least_in_turn(neighbours, *groups)
        assert point.index == lexicographic_by_loops(neighbours, groups)
        assert point.value == sum(point.rate(*pair) for pair in groups[0])


def test_points_of_the_papers_third_figure(neighbours: RocSurface) -> None:
    """§4.2: the second class can be wholly right, or nothing else be taken for it."""
    one, two, three = NAMES
    least, right, untaken = three_ways_to_decide(neighbours)
    assert least.value == neighbours.choose(criterion="total_error").value
    for decided in (one, three):
        assert right.rate(two, decided) == 0
        assert untaken.rate(decided, two) == 0
    assert right.rate(three, one) == right.rate(one, three) == 0


def test_groups_are_checked(neighbours: RocSurface) -> None:
    with pytest.raises(InvalidInput, match="at least one error"):
        least_in_turn(neighbours)
    with pytest.raises(InvalidInput, match="at least one error"):
        least_in_turn(neighbours, [])
    with pytest.raises(UnknownName, match="not a class"):
        least_in_turn(neighbours, [("class 1", "other")])
    with pytest.raises(NotDefined, match="three classes, got 2"):
        three_ways_to_decide(surface_with([[0, 0.5]]))


# Figure 1


def test_costs_have_the_mean_of_the_dirichlet_distribution() -> None:
    alpha = np.array([1.0, 2.0, 5.0])
    display = DirichletCostsDisplay.draw(alpha, n=4000, rng=0)
    np.testing.assert_allclose(display.costs.sum(axis=1), 1)
    np.testing.assert_allclose(display.costs.mean(axis=0), alpha / 8, atol=0.01)


@pytest.mark.parametrize("alpha", [(1, 1), (1, 1, 0), (1, 1, np.inf), 1.0])
def test_other_parameters_are_refused(alpha: Any) -> None:
    with pytest.raises(InvalidInput, match="three positive numbers"):
        DirichletCostsDisplay.draw(alpha)


# Figures 2 to 4


def test_regions_are_the_decisions_of_the_point(neighbours: RocSurface) -> None:
    point = three_ways_to_decide(neighbours)[1]
    display = DecisionRegionsDisplay.from_point(point, n_grid=15)
    frame = display.frame()
    places = frame[frame["kind"] == "place"]
    np.testing.assert_array_equal(point.decide(places[["x", "y"]]), places["class"])
    low, high = places[["x", "y"]].min(), places[["x", "y"]].max()
    cases = frame[frame["kind"] == "case"][["x", "y"]]
    assert (cases.min() > low).all()
    assert (cases.max() < high).all()


def test_boundaries_are_where_the_greatest_probability_changes() -> None:
    X, y = three_class_mixture(rng=0)
    display = DecisionRegionsDisplay.from_data(X, y, boundary=three_class_posteriors).plot()
    ax = display.ax_
    vertices = np.concatenate([p.vertices for c in ax.collections for p in c.get_paths()])
    first, second = np.sort(three_class_posteriors(vertices), axis=1).T[:0:-1]
    assert len(vertices) > 300
    assert np.quantile(first - second, 0.99) < 0.02
    assert not ax.images


def test_every_pair_of_neighbouring_regions_has_its_boundary() -> None:
    X, y = three_class_mixture(rng=0)
    display = DecisionRegionsDisplay.from_data(X, y, boundary=three_class_posteriors, n_grid=61)
    ax = display.plot().ax_
    vertices = np.concatenate([p.vertices for c in ax.collections for p in c.get_paths()])
    ideal = display.posteriors.argmax(axis=2)  # type: ignore[union-attr]
    step = display.x[1] - display.x[0]
    rows, columns = np.nonzero(ideal[:, 1:] != ideal[:, :-1])
    for row, column in zip(rows, columns, strict=True):
        between = np.array([(display.x[column] + display.x[column + 1]) / 2, display.y[row]])
        assert np.linalg.norm(vertices - between, axis=1).min() < step


def test_a_surface_from_a_file_needs_its_cases(neighbours: RocSurface, tmp_path: Path) -> None:
    neighbours.save(tmp_path / "surface.npz")
    point = RocSurface.load(tmp_path / "surface.npz").choose(criterion="total_error")
    with pytest.raises(NotDefined, match="Pass them as X and y"):
        DecisionRegionsDisplay.from_point(point)
    X, y = three_class_mixture((5, 5, 5), rng=1)
    display = DecisionRegionsDisplay.from_point(point, X=X, y=np.array(NAMES)[y], n_grid=5)
    np.testing.assert_array_equal(display.cases, X)


def test_models_without_a_plane_are_refused() -> None:
    point = surface(3, NAMES).choose(criterion="total_error")
    with pytest.raises(NotDefined, match="scores only"):
        DecisionRegionsDisplay.from_point(point)
    with pytest.raises(NotDefined, match="no model"):
        DecisionRegionsDisplay.from_point(surface_with([[0, 0.5]]).choose(criterion="total_error"))
    with pytest.raises(NotDefined, match="two features, got 3"):
        DecisionRegionsDisplay.from_data(np.eye(3), [0, 1, 2])
    with pytest.raises(InvalidType, match=r"surface\.choose"):
        DecisionRegionsDisplay.from_point(surface(3, NAMES))  # type: ignore[arg-type]


def test_long_criteria_stay_within_the_figure() -> None:
    names = HARD_NAMES[:3]
    X, y, _ = plane(3, names)
    model = KnnModel(X, y, labels=names)
    found = search(model, generations=5, rng=0, progress=False)
    display = DecisionRegionsDisplay.from_point(three_ways_to_decide(found)[1], n_grid=5).plot()
    display.figure_.canvas.draw()
    box, page = display.ax_.title.get_window_extent(), display.figure_.bbox
    assert box.width > 50
    assert page.x0 <= box.x0
    assert box.x1 <= page.x1


def test_cases_and_boundaries_are_checked(neighbours: RocSurface) -> None:
    point = neighbours.choose(criterion="total_error")
    X, y, _ = plane(3, NAMES)
    with pytest.raises(InvalidInput, match="together"):
        DecisionRegionsDisplay.from_point(point, X=X)
    with pytest.raises(InvalidInput, match="60 rows and y has 59"):
        DecisionRegionsDisplay.from_point(point, X=X, y=y[1:])
    for wrong in (lambda places: places, lambda places: np.full((len(places), 3), np.nan)):
        with pytest.raises(InvalidInput, match="a column per class"):
            DecisionRegionsDisplay.from_data(X, y, boundary=wrong)
    with pytest.raises(InvalidType, match="boundary must be a function"):
        DecisionRegionsDisplay.from_data(X, y, boundary=3)  # type: ignore[arg-type]


def test_a_constant_feature_has_room_around_it() -> None:
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    display = DecisionRegionsDisplay.from_data(X, [0, 1, 1]).plot()
    low, high = display.ax_.get_ylim()
    assert low < 5 < high


# Figures 5 and 6


def test_rates_per_class_are_the_papers_sums() -> None:
    found = surface(3, NAMES)
    into = FalsePositiveFrontDisplay.from_surface(found).frame()
    of = FalsePositiveFrontDisplay.from_surface(found, objectives="errors_of").frame()
    for k, name in enumerate(NAMES):
        others = [j for j in range(3) if j != k]
        columns = found.confusion[:, others, k].sum(axis=1)
        np.testing.assert_allclose(into[f"errors into {name}"], columns)
        rows = found.confusion[:, k, others].sum(axis=1)
        np.testing.assert_allclose(of[f"errors of {name}"], rows)


def test_the_class_of_most_errors_counts_cases_not_rates() -> None:
    """A tenth of the second class is 10 cases, half of the first is 5."""
    found = surface_with([[0.5, 0.1]], weights=[10.0, 100.0])
    frame = FalsePositiveFrontDisplay.from_surface(found).frame()
    assert frame["most_errors_into"].tolist() == ["class 1"]


def test_the_front_is_that_of_equation_13() -> None:
    found = surface(3, NAMES)
    display = FalsePositiveFrontDisplay.from_surface(found)
    front = found.front("errors_into").rates
    np.testing.assert_array_equal(found.rates[display.points[display.on_front]], front)
    assert 0 < len(front) < len(found)


def test_three_classes_need_three_axes() -> None:
    with pytest.raises(InvalidType, match="projection"):
        FalsePositiveFrontDisplay.from_surface(surface(3, NAMES)).plot(plt.figure().add_subplot())


def test_more_classes_are_sent_to_parallel_coordinates() -> None:
    with pytest.raises(NotDefined, match="ParallelCoordinatesDisplay"):
        FalsePositiveFrontDisplay.from_surface(surface(5, plain_names(5)))


# Figure 7

eighths = st.integers(0, 8).map(lambda value: value / 8)
fronts = st.lists(st.tuples(eighths, eighths), min_size=1, max_size=8)


@given(fronts, fronts)
def test_areas_are_the_exact_shares(first: Any, second: Any) -> None:
    x, y = surface_with(first), surface_with(second)
    shares = GiniAreasDisplay.from_surfaces({"X": x, "Y": y}).shares
    assert shares["G(X)"] == pytest.approx(x.gini("exact").value, abs=1e-12)
    assert shares["δ(X, Y)"] == pytest.approx(x.delta(y, "exact").value, abs=1e-12)
    assert shares["δ(Y, X)"] == pytest.approx(y.delta(x, "exact").value, abs=1e-12)


@given(fronts, fronts)
def test_strips_lie_between_the_staircases_and_chance(first: Any, second: Any) -> None:
    display = GiniAreasDisplay.from_surfaces({"X": surface_with(first), "Y": surface_with(second)})
    for strip in display.areas["δ(X, Y)"]:
        x, low = (strip.left + strip.right) / 2, strip.low
        high = (strip.high_left + strip.high_right) / 2
        y = (low + high) / 2
        assert any(a <= x and b <= y for a, b in first)
        assert not any(a <= x and b <= y for a, b in second)
        assert x + y <= 1


def test_surfaces_beyond_chance_have_no_area() -> None:
    beyond = surface_with([[0.6, 0.7]])
    display = GiniAreasDisplay.from_surfaces({"X": beyond, "Y": surface_with([[0, 0]])}).plot()
    assert display.shares == {"G(X)": 0.0, "δ(X, Y)": 0.0, "δ(Y, X)": 1.0}
    both = GiniAreasDisplay.from_surfaces({"X": beyond, "Y": beyond})
    assert both.plot().frame().empty


# Figure 8


def test_shares_are_gini_and_delta() -> None:
    whole = surface(3, NAMES)
    x, y = whole[::2], whole[1::2]
    (pair,) = GiniDeltaDisplay.from_surfaces({"x": x, "y": y}).pairs
    shares = pair.shares
    assert shares["only_first"] == x.delta(y).value
    assert shares["only_second"] == y.delta(x).value
    assert shares["only_first"] + shares["both"] == pytest.approx(x.gini().value)
    assert shares["only_second"] + shares["both"] == pytest.approx(y.gini().value)
    assert shares["neither"] == pytest.approx(1 - whole.gini().value)


def test_samples_are_the_same_for_all_volumes() -> None:
    whole = surface(3, NAMES)
    parts = {"x": whole[::2], "y": whole[1::2]}
    options: Any = {"method": "monte_carlo", "n_samples": 500}
    (pair,) = GiniDeltaDisplay.from_surfaces(parts, **options).pairs
    second = pair.shares["only_second"] + pair.shares["both"]
    assert second == pytest.approx(pair.ginis[1].value, abs=1e-12)


def test_one_surface_has_no_delta() -> None:
    with pytest.raises(NotDefined, match=r"surface\.gini"):
        GiniDeltaDisplay.from_surfaces(surface(3, NAMES))  # type: ignore[arg-type]


def test_histograms_share_their_bins_and_count_all_points() -> None:
    whole = surface(3, NAMES)
    display = DistanceHistogramDisplay.from_surfaces({"a": whole, "b": whole[::5]}, bins=7).plot()
    frame = display.frame()
    totals = frame.groupby("surface")["points"].sum()
    assert totals.to_dict() == {"a": len(whole), "b": len(whole[::5])}
    edges = [each.edges for each in display.histograms.values()]
    np.testing.assert_array_equal(*edges)
    low, high = display.ax_.get_xlim()
    assert low < whole.signed_distance().min()
    assert high > 0


# Searches and many classes


def test_progress_needs_a_history() -> None:
    found = surface(3, NAMES)
    first, last = SearchProgressDisplay.from_surfaces(found).frame().iloc[[0, -1]].to_numpy()
    assert (first[1], last[1], last[2]) == (1, 30, len(found))
    with pytest.raises(NotDefined, match="no history"):
        SearchProgressDisplay.from_surfaces({"by hand": surface_with([[0, 0.5]])})
    with pytest.raises(NotDefined, match="no history"):
        SearchProgressDisplay.from_surfaces(replace(found, provenance={"history": []}))


def test_lines_are_thinned_and_say_so() -> None:
    found = surface(5, plain_names(5))
    display = ParallelCoordinatesDisplay.from_surface(found, most_points=25).plot()
    frame = display.frame()
    assert len(frame) == 25
    assert display.ax_.get_title() == f"25 of {len(found):,} operating points"
    np.testing.assert_array_equal(frame.iloc[:, 2:], found.rates[frame["point"]])
    assert list(frame.columns[2:4]) == ["class 1 → class 2", "class 1 → class 3"]


def test_thirty_axes_are_the_most() -> None:
    six = surface_with(np.full((2, 30), 0.1), K=6)
    assert len(ParallelCoordinatesDisplay.from_surface(six).frame().columns) == 32
    seven = surface_with(np.full((2, 42), 0.1), K=7)
    with pytest.raises(NotDefined, match=r'got 42 for 7 classes\. Pass objectives="errors_into"'):
        ParallelCoordinatesDisplay.from_surface(seven)


def test_chosen_points_are_of_the_same_classes() -> None:
    found = surface(3, NAMES)
    other = surface_with([[0, 0.5]]).choose(criterion="total_error")
    with pytest.raises(InvalidInput, match="other classes"):
        ParallelCoordinatesDisplay.from_surface(found, chosen=other)
    with pytest.raises(InvalidType, match="mapping from names"):
        ParallelCoordinatesDisplay.from_surface(found, chosen=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidType, match="must be an operating point"):
        ParallelCoordinatesDisplay.from_surface(found, chosen={"a": 3})  # type: ignore[dict-item]


# HUH and SAEC


def test_the_volume_is_small_at_both_ends_and_the_cost_only_at_one() -> None:
    display = ObserverCostDisplay.of((4, 0.25, 1.5), n_blocks=4, n_draws=8_000, rng=0)
    assert display.separations.tolist() == [0.25, 1.5, 4]
    guessing, middle, perfect = display.huh
    assert guessing < middle / 5
    assert perfect < middle / 5
    assert (np.diff(display.saec) < 0).all()


@pytest.mark.parametrize("separations", [(), (0, 1), (1, np.nan), (-1,)])
def test_distances_are_positive(separations: Any) -> None:
    with pytest.raises(InvalidInput, match="positive"):
        ObserverCostDisplay.of(separations)
