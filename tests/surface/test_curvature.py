"""Curvature and knees: the closed form of a corner, the definition, known knees."""

import itertools

import numpy as np
import pytest

from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface import KnnModel, RocSurface, search
from polyroc.surface._choosing import knees, space_of
from polyroc.surface._curvature import trivial_rates


def made(rates: object, K: int = 2, weights: object = None) -> RocSurface:
    """A surface with these rates, which decides by equal costs."""
    table = np.array(rates, dtype=float).reshape(-1, K * (K - 1))
    costs = np.tile((1 - np.eye(K)) / (K * K - K), (len(table), 1, 1))
    share = np.full(K, 10.0) if weights is None else np.array(weights, dtype=float)
    return RocSurface(table, costs, np.zeros((len(table), 0)), tuple("abcd"[:K]), share)


MIDDLES = (np.arange(20_000) + 0.5) / 20_000


def marginal_utility_by_quadrature(points: np.ndarray, point: int) -> float:
    """E max(0, cost of the best other − cost of this one), t uniform, as the definition says."""
    costs = np.outer(MIDDLES, points[:, 0]) + np.outer(1 - MIDDLES, points[:, 1])
    best_other = np.delete(costs, point, axis=1).min(axis=1)
    return float(np.maximum(0.0, best_other - costs[:, point]).mean())


def test_a_single_corner_has_the_closed_form_and_the_published_numbers() -> None:
    wanted = {(0.3, 0.35): 0.0007, (0.05, 0.3): 0.027, (0.1, 0.6): 0.069, (0.1, 0.9): 0.160}
    for (x, y), utility in wanted.items():
        surface = made([[0, 1], [x, 1 - y], [1, 0]])
        s1, s2 = y / x, (1 - y) / (1 - x)
        # λ is the cost of a false negative: 1 − t, the second of the two costs.
        shares = [1 / (1 + s1), 1 / (1 + s2) - 1 / (1 + s1), 1 - 1 / (1 + s2)]
        assert surface.curvature() == pytest.approx(shares, abs=1e-14)
        found = knees(surface, space_of(surface, None, None), None)
        assert found.utilities[0] == pytest.approx(x**2 / (2 * (x + y)), abs=1e-14)
        assert found.utilities[2] == pytest.approx((1 - y) ** 2 / (2 * (2 - x - y)), abs=1e-14)
        assert found.utilities[1] == pytest.approx(utility, abs=5e-4)
        assert found.utilities[1] == pytest.approx(
            marginal_utility_by_quadrature(surface.rates, 1), abs=1e-8
        )
        assert found.trivial.tolist() == [True, False, True]
        # The ends count as others even where the surface does not have them, and are no knees.
        knee = surface.choose(criterion="knee")
        alone = made([[x, 1 - y]])
        assert (knee.index, knee.value) == (1, alone.choose(criterion="knee").value)
        assert alone.curvature().tolist() == [1.0]
        assert alone.knees()["curvature"][0] == pytest.approx(shares[1])


def test_two_classes_agree_with_the_definition_and_with_samples() -> None:
    rng = np.random.default_rng(0)
    for seed in range(4):
        points = np.random.default_rng(seed).random((7, 2)).round(2)
        points = np.vstack([points, points[:2]])  # duplicates: the first has it all
        surface = made(points)
        found = knees(surface, space_of(surface, None, None), None)
        plain = np.vstack([points[:7], trivial_rates(2)])
        for i in range(7):
            by_loop = marginal_utility_by_quadrature(plain, i)
            assert found.utilities[i] == pytest.approx(by_loop, abs=1e-7)
        assert not found.utilities[7:].any()
        alpha = [[0, 3.0], [0.7, 0]]
        bounds = {("a", "b"): (0.2, 0.9)}
        for options in ({}, {"alpha": alpha}, {"cost_bounds": bounds},
                        {"alpha": alpha, "cost_bounds": bounds}):  # fmt: skip
            space = space_of(surface, options.get("alpha"), options.get("cost_bounds"))
            drawn = space.draw(40_000, rng)
            best = (drawn @ points.T).argmin(axis=1)
            shares = np.bincount(best, minlength=9) / len(drawn)
            exact = surface.curvature(**options)
            assert exact.sum() == pytest.approx(1, abs=1e-12)
            assert np.abs(exact - shares).max() < 0.012


def test_three_classes_are_counted_with_the_errors_that_are_stated() -> None:
    X, y = three_class_mixture((30, 20, 10), rng=0)
    surface = search(KnnModel(X, y), generations=20, rng=0)[::3]
    space = space_of(surface, None, None)
    drawn = np.random.default_rng(5).dirichlet(np.ones(6), 30_000)
    shares = np.bincount((drawn @ surface.rates.T).argmin(axis=1), minlength=len(surface)) / 30_000
    ours = surface.curvature(rng=1)
    assert ours.sum() == pytest.approx(1) and ours.shape == (len(surface),)
    spread = np.sqrt(shares * (1 - shares) * (1 / 30_000 + 2**-15)) + 1e-9
    assert np.abs((ours - shares) / spread)[shares > 0.001].max() < 4.5
    assert np.array_equal(ours, surface.curvature(rng=1))
    found = knees(surface, space, None, rng=1)
    again = knees(surface, space, None, rng=2)
    gap = found.utilities - again.utilities
    assert np.abs(gap).max() < 5 * np.hypot(found.utility_errors, again.utility_errors).max()
    assert found.utilities.argmax() == surface.choose(criterion="knee", rng=1).index
    table = surface.knees(3, rng=1)
    assert table["point"][0] == surface.choose(criterion="knee", rng=1).index
    assert (table["curvature_error"] > 0).all() and len(table) == 3
    # Priors weigh the classes where costs are those of a case.
    weighted = surface.curvature(priors=surface.priors(), rng=1)
    times = np.repeat(surface.priors(), 2)
    best = (np.random.default_rng(1).dirichlet(np.ones(6), 2**15) * times @ surface.rates.T).argmin(
        axis=1
    )
    assert np.abs(weighted - np.bincount(best, minlength=len(surface)) / 2**15).max() < 0.01


def test_a_known_knee_is_found_within_the_grid() -> None:
    """Corners whose legs bend slightly inwards, on grids that miss the corner; and six rates."""
    for corner, step in itertools.product([(0.1, 0.2), (0.25, 0.05), (0.4, 0.3)], [0.01, 0.003]):
        x0, y0 = corner
        up = np.arange(y0 + step / 3, 1, step)
        along = np.arange(x0 + step / 3, 1, step)
        left = np.column_stack([x0 * np.maximum(0, 1 - (up - y0) / (1 - y0)) ** 1.2, up])
        down = np.column_stack([along, y0 * np.maximum(0, 1 - (along - x0) / (1 - x0)) ** 1.2])
        surface = made(np.vstack([left, down]))
        knee = surface.choose(criterion="knee").confusion
        assert abs(knee[0, 1] - x0) <= step and abs(knee[1, 0] - y0) <= step
    # Six rates: from the corner towards each of the classifiers that always decide for one class.
    corner6, step = np.array([0.1, 0.05, 0.2, 0.1, 0.15, 0.05]), 0.01
    way = np.arange(step / 3, 1, step)[:, None]
    legs = [
        np.where(end > 0, corner6 + way * (1 - corner6), corner6 * (1 - way) ** 1.2)
        for end in trivial_rates(3)
    ]
    surface = made(np.vstack(legs), K=3)
    found = surface.rates[surface.choose(criterion="knee").index]
    assert np.abs(found - corner6).max() <= step


def test_the_answer_where_there_is_no_knee() -> None:
    with pytest.raises(NotDefined, match="there is no knee"):
        made([[0, 1], [1, 0]]).choose(criterion="knee")
    with pytest.raises(NotDefined, match="there is no knee"):
        made([[0.6, 0.9]]).choose(criterion="knee")
    point = made([[0, 1], [0.1, 0.4], [1, 0]]).choose(criterion="knee")
    with pytest.raises(NotDefined, match="not a weighted sum of its rates"):
        point.interval()
    assert "expected marginal utility = 0.0687" in repr(point)
    with pytest.raises(InvalidInput, match="alpha is the distribution"):
        made([[0.1, 0.4]]).choose(criterion="total_error", alpha=2)
    with pytest.raises(InvalidInput, match="not both"):
        made([[0.1, 0.4]]).choose(criterion="knee", objective=max)
