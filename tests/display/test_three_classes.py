"""The triangle of probabilities, its triplets, and the surface of true positive rates."""

from __future__ import annotations

from itertools import permutations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from display.exhibits import plain_names, sample

from polyroc import total_length, triangle_area
from polyroc.display import SimplexDisplay, TprSurfaceDisplay
from polyroc.display._ternary import CORNERS, placed
from polyroc.display._tpr_surface import heights_over, seen_from_the_origin
from polyroc.display._triplets import Triplet
from polyroc.errors import InvalidInput, InvalidType, NotDefined

NAMES = plain_names(3)


def test_corners_are_one_apart_and_belong_to_the_classes() -> None:
    sides = np.linalg.norm(CORNERS - np.roll(CORNERS, 1, axis=0), axis=1)
    np.testing.assert_allclose(sides, 1)
    np.testing.assert_array_equal(placed(np.eye(3)), CORNERS)


def test_means_and_metrics_are_those_of_all_cases() -> None:
    y, p = sample(3, NAMES)
    weights = np.random.default_rng(1).random(len(y))
    display = SimplexDisplay.from_predictions(y, p, sample_weight=weights, most_cases=50)
    assert display.triangle_area == triangle_area(y, p, sample_weight=weights)
    assert display.total_length == total_length(y, p, sample_weight=weights)
    own = y == NAMES[1]
    np.testing.assert_allclose(display.means[1], np.average(p[own], axis=0, weights=weights[own]))
    assert len(display.cases) <= 50 < display.n_cases


def test_the_triangle_of_means_has_the_area() -> None:
    """AOT is the share of the whole triangle, by the shoelace formula on what is drawn."""
    display = SimplexDisplay.from_predictions(*sample(3, NAMES)).plot()
    whole, means = (patch.get_xy()[:3] for patch in display.ax_.patches)

    def area(corners: np.ndarray) -> float:
        (ax, ay), (bx, by), (cx, cy) = corners
        return abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2

    assert area(means) / area(whole) == pytest.approx(display.triangle_area)


def judged_by_hand(rows: np.ndarray) -> tuple[bool, bool]:
    """Van Calster et al. 2008: total length to the corners; highest probability of each class."""
    lengths = [[np.linalg.norm(row - corner) for corner in np.eye(3)] for row in rows]
    totals = {q: sum(lengths[k][q[k]] for k in range(3)) for q in permutations(range(3))}
    own = totals.pop((0, 1, 2))
    highest = all(rows[k, k] > rows[r, k] for k in range(3) for r in range(3) if r != k)
    return all(own < other for other in totals.values()), highest


def test_triplets_are_judged_as_the_paper_says() -> None:
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(200):
        rows = rng.dirichlet(np.ones(3), 3)
        triplet = Triplet.of(rows)
        assert (triplet.by_assignment, triplet.by_highest) == judged_by_hand(rows)
        gaps = np.linalg.norm(rows - np.eye(3), axis=1).sum()
        assert triplet.assignment_weight == pytest.approx(1 - gaps / (3 * np.sqrt(2)))
        assert triplet.highest_weight == pytest.approx(abs(np.linalg.det(rows)))
        seen.add((triplet.by_assignment, triplet.by_highest))
    assert {(True, True), (True, False), (False, False)} <= seen


def test_triplets_count_rows_of_the_input_in_any_order() -> None:
    y, p = np.array(["c", "a", "b", "a"]), np.random.default_rng(0).dirichlet(np.ones(3), 4)
    weights = [1, 0, 1, 1]
    display = SimplexDisplay.from_predictions(y, p, sample_weight=weights, triplets=[(2, 0, 3)])
    np.testing.assert_array_equal(display.triplets[0].rows, p[[3, 2, 0]])


@pytest.mark.parametrize("rows", [(0, 1), (0, 0, 1), (0, 1, 99), (0, 1, 2, 3), (0, 3, 6)])
def test_a_triplet_of_other_rows_is_refused(rows: tuple[int, ...]) -> None:
    y, p = sample(3, NAMES)
    with pytest.raises(InvalidInput, match="one case of each"):
        SimplexDisplay.from_predictions(y, p, triplets=[rows])


def test_lines_of_equal_probability_pass_through_their_cases() -> None:
    y, p = sample(3, NAMES)
    display = SimplexDisplay.from_predictions(y, p, triplets=[(0, 1, 2)])
    display.plot(cases=False, means=False, equal_probability=True)
    dashed = [line.get_xydata() for line in display.ax_.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 3
    for point, (start, end) in zip(placed(display.triplets[0].rows), dashed, strict=True):
        along, offset = end - start, point - start
        assert along[0] * offset[1] - along[1] * offset[0] == pytest.approx(0, abs=1e-12)
        assert 0 <= offset @ along <= along @ along


def test_scores_that_are_no_probabilities_are_refused() -> None:
    y, p = sample(3, NAMES)
    with pytest.raises(NotDefined, match="probabilities"):
        SimplexDisplay.from_predictions(y, p * 3)


def test_heights_are_the_best_rates_beyond() -> None:
    rng = np.random.default_rng(3)
    rates, grid = rng.integers(0, 9, (30, 3)) / 8, np.linspace(0, 1, 5)
    heights = heights_over(rates, grid)
    for i, x in enumerate(grid):
        for j, y in enumerate(grid):
            beyond = [r[2] for r in rates if r[0] >= x and r[1] >= y]
            assert heights[i, j] == max(beyond, default=0)


def test_the_drawn_border_is_where_rates_end() -> None:
    """Nearer to the origin some point reaches it, further away none, and no corner is torn."""
    rates = np.random.default_rng(4).integers(0, 257, (40, 3)) / 256
    border = seen_from_the_origin(rates, 6)
    for corner in border.reshape(-1, 3):
        assert (rates >= 0.999 * corner - 1e-9).all(axis=1).any()
        assert not (rates >= 1.001 * corner + 1e-9).all(axis=1).any()
    places, met = np.unique(border.reshape(-1, 3).round(12), axis=0, return_counts=True)
    inside = (places > 0).all(axis=1)
    assert (met[inside] >= 3).all() and set(met[inside]) >= {3, 4}


def test_a_surface_needs_three_axes() -> None:
    display = TprSurfaceDisplay.from_predictions(*sample(3, NAMES), n_grid=5)
    with pytest.raises(InvalidType, match="projection"):
        display.plot(plt.figure().add_subplot())
