"""Bounds on costs and on their ratios: what is left of the cost space, and a search in it."""

import numpy as np
import pytest
from scipy.stats import beta

from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.surface import KnnModel, RocSurface, ScoreModel, search
from polyroc.surface._cost_space import CostSpace, cost_space
from polyroc.surface._costs import errors

CLASSES = ("a", "b", "c")
AB, AC, BA = ("a", "b"), ("a", "c"), ("b", "a")


def test_the_share_that_is_left_has_closed_forms() -> None:
    """Of D uniform shares one lies in (l, u) with (1 − l)⁵ − (1 − u)⁵; ratios are those of two."""
    wanted = {
        0.7**5 - 0.5**5: {AB: (0.3, 0.5)},
        10 / 11 - 3 / 4: {(AB, AC): (3, 10)},
        1 / 4: {(AB, BA): (3, np.inf)},
        1.0: {AB: (0, 1), (AB, AC): (0, np.inf)},
        (1 - 3e-3) ** 5: {AB: (3e-3, 1)},
    }
    for share, bounds in wanted.items():
        space = cost_space(bounds, None, CLASSES)
        assert abs(space.share - share) <= 4 * space.share_error
    # Shares far too small for plain draws: b⁵ with all others above, thin slices of ratios.
    low = cost_space({AB: (0.97, 1)}, None, CLASSES)
    assert low.share == pytest.approx(0.03**5, rel=0.3)
    thin = cost_space({(AB, AC): (3, 3.001), (BA, AC): (7, 7.01)}, None, CLASSES)
    # The density of both ratios (x, y) of three equal gamma variables is 2/(1 + x + y)³.
    assert thin.share == pytest.approx(2 / 11**3 * 0.001 * 0.01, rel=0.4)
    two = cost_space({(AB, BA): (3, 10)}, None, ("a", "b"))
    assert two.share == pytest.approx(10 / 11 - 3 / 4, abs=1e-15) and two.share_error == 0


def test_costs_next_to_nothing_are_inside_of_bounds_that_allow_them() -> None:
    """Of a sparse distribution many shares are below any margin; one has a beta distribution."""
    space = cost_space({AB: (0, 0.6)}, np.full(6, 0.05), CLASSES)
    assert abs(space.share - beta(0.05, 0.25).cdf(0.6)) <= 4 * space.share_error < 0.01
    drawn = space.draw(2000, np.random.default_rng(0))
    assert (drawn < 1e-12).any(axis=1).mean() > 0.5


def test_draws_have_the_distribution_that_bounds_leave() -> None:
    alpha = np.array([5, 1, 1, 2, 1, 0.5])
    for known in (np.ones(6), alpha):
        space = cost_space({AB: (0.3, 0.5), (BA, AC): (0.5, 4)}, known, CLASSES)
        plain = np.random.default_rng(0).dirichlet(known, 400_000)
        kept = plain[space.contains(plain)]
        loops = [0.3 <= row[0] <= 0.5 and 0.5 <= row[2] / row[1] <= 4 for row in plain[:5000]]
        assert np.array_equal(space.contains(plain[:5000]), loops)
        drawn = space.draw(20_000, np.random.default_rng(1))
        assert space.contains(drawn).all() and np.allclose(drawn.sum(axis=1), 1)
        assert np.abs(drawn.mean(axis=0) - kept.mean(axis=0)).max() < 0.006
        assert np.abs(drawn.std(axis=0) - kept.std(axis=0)).max() < 0.006
        assert space.contains(space.centre[None]).all()
        outside = np.random.default_rng(2).dirichlet(np.ones(6), 200)
        back = space.pulled(space.centre, outside)
        assert space.contains(back).all()
        stays = space.contains(outside)
        assert np.array_equal(back[stays], outside[stays])
    assert CostSpace(np.ones(2)).share == 1


def test_every_point_of_a_search_has_costs_inside() -> None:
    X, y = three_class_mixture((30, 30, 30), rng=0)
    y = np.array(CLASSES)[y]
    model = KnnModel(X, y)
    scores = ScoreModel(y, model.probabilities(np.array([9.0, 5.0])))
    bounds = {AB: (0.2, 0.4), (AC, BA): (2, 5), (("c", "a"), ("c", "b")): (0.5, 0.501)}
    for kind, strategy in ((model, "inherit"), (model, "paper"), (scores, "inherit")):
        found = search(kind, generations=30, cost_bounds=bounds, strategy=strategy, rng=1)
        costs = found.costs
        assert len(found) > 20 and np.allclose(costs.sum(axis=(1, 2)), 1)
        assert ((costs[:, 0, 1] >= 0.2) & (costs[:, 0, 1] <= 0.4)).all()
        ratio = costs[:, 0, 2] / costs[:, 1, 0]
        assert ((ratio >= 2) & (ratio <= 5)).all()
        ratio = costs[:, 2, 0] / costs[:, 2, 1]
        assert ((ratio >= 0.5) & (ratio <= 0.501)).all()
        assert 0 < found.provenance["cost_share"] < 0.001
        for criterion in ("knee", "total_error", "farthest_from_chance"):
            point = found.choose(criterion=criterion, cost_bounds=bounds)
            assert 0.2 <= point.costs[0, 1] <= 0.4
            assert 2 <= point.costs[0, 2] / point.costs[1, 0] <= 5
            assert point.cost_share == found.provenance["cost_share"]
        share = f"cost_bounds leave {100 * point.cost_share:.3g} % of the cost space"
        assert repr(point).splitlines()[-1] == share
        assert "cost_bounds" not in repr(found.choose(criterion="total_error"))
    focused = search(model, generations=20, cost_bounds=bounds, alpha=2, rng=1)
    assert ((focused.costs[:, 0, 1] >= 0.2) & (focused.costs[:, 0, 1] <= 0.4)).all()
    merged = search(model, generations=5, cost_bounds=bounds, islands=2, rng=1)
    assert ((merged.costs[:, 0, 1] >= 0.2) & (merged.costs[:, 0, 1] <= 0.4)).all()


def test_a_bounded_search_of_two_classes_is_exact_and_resumes(tmp_path: object) -> None:
    """All thresholds of a range of costs: those of the whole curve that such costs bring about."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=80)
    p = np.clip(rng.normal(0.35 + 0.3 * y, 0.2), 0.01, 0.99)
    bounds = {((1, 0), (0, 1)): (0.5, 3)}
    found = search(ScoreModel(y, p), generations=3, cost_bounds=bounds, rng=0)
    # Decide 1 where p₁ λ₁₀ > (1 − p₁) λ₀₁, for a fine grid of ratios within the bounds.
    rates = set()
    for ratio in np.linspace(0.5, 3, 20_001):
        decided = p * ratio > 1 - p
        rates.add((decided[y == 0].mean(), (~decided)[y == 1].mean()))
    front = {r for r in rates if not any(o != r and o[0] <= r[0] and o[1] <= r[1] for o in rates)}
    assert {tuple(row) for row in found.rates.tolist()} == front
    path = tmp_path / "search.npz"  # type: ignore[operator]
    options = {"cost_bounds": bounds, "rng": 0, "tolerance": 0, "costs_per_generation": 20}
    search(ScoreModel(y, p), generations=4, checkpoint=path, **options)
    resumed = search(ScoreModel(y, p), generations=8, checkpoint=path, **options)
    whole = search(ScoreModel(y, p), generations=8, **options)
    assert np.array_equal(resumed.costs, whole.costs)
    with pytest.raises(InvalidInput, match="different cost_bounds"):
        search(ScoreModel(y, p), generations=8, checkpoint=path,
               **{**options, "cost_bounds": {((1, 0), (0, 1)): (0.5, 4)}})  # fmt: skip
    whole.save(tmp_path / "surface.npz")  # type: ignore[operator]
    loaded = RocSurface.load(tmp_path / "surface.npz")  # type: ignore[operator]
    assert loaded.provenance["cost_share"] == whole.provenance["cost_share"]


def test_bounds_that_are_no_bounds_are_named() -> None:
    said = {
        "low < high": [
            {AB: (0.5, 0.5)},
            {AB: (0.5, 0.2)},
            {AB: 3},
            {AB: (-1, 0.5)},
            {AB: (0, "x")},
        ],
        "costs have sum 1": [{AB: (2, 5)}],
        "leave no costs": [{AB: (0.6, 1), AC: (0.6, 1)}, {(AB, AC): (2, 3), (AC, AB): (2, 3)}],
        "to itself": [{(AB, AB): (1, 2)}],
        "same class": [{("a", "a"): (0, 0.5)}],
        r"\(truth, decided\)": [{"a": (0, 0.5)}, {("a",): (0, 0.5)}],
    }
    for message, every in said.items():
        for bounds in every:
            with pytest.raises(InvalidInput, match=message):
                cost_space(bounds, None, CLASSES)
    with pytest.raises(UnknownName, match="'d' is not a class"):
        cost_space({("a", "d"): (0, 1)}, None, CLASSES)
    with pytest.raises(InvalidType, match="must map"):
        cost_space([1], None, CLASSES)  # type: ignore[arg-type]
    table = np.array([[0.1] * 6])
    costs = np.tile((1 - np.eye(3)) / 6, (1, 1, 1))
    surface = RocSurface(table, costs, np.zeros((1, 0)), CLASSES, np.ones(3))
    with pytest.raises(NotDefined, match="No operating point of this surface decides by costs"):
        surface.choose(criterion="total_error", cost_bounds={AB: (0.5, 1)})
    point = surface.choose(criterion="total_error", cost_bounds={AB: (0.1, 0.5)})
    assert point.cost_share == pytest.approx(0.9**5 - 0.5**5, abs=0.01)
    assert errors(point.costs)[0] == pytest.approx(1 / 6)
