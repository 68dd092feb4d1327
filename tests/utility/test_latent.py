"""Whether classes differ in one variable: each step by loops, and the ends of every range."""

import math
from itertools import combinations

import numpy as np
import pytest

from polyroc.errors import NotDefined
from polyroc.utility import _latent as module
from polyroc.utility._latent import (
    _distinct,
    _edges,
    _neighbours,
    _rank,
    _white,
    balanced_costs,
    check_surface,
    decision_rank,
    on_a_curve,
)


def cloud(n, n_classes=3, seed=0):
    return np.random.default_rng(seed).dirichlet(np.arange(1, n_classes + 1), n)


def line(n, seed=0, powers=(0.0, 1.0, 2.0)):
    """Likelihoods that depend on one variable."""
    x = np.random.default_rng(seed).normal(1, 1, (n, 1))
    return np.exp(x * np.array(powers) - np.array(powers) ** 2 / 2)


def test_distinct_posteriors_over_their_means() -> None:
    likelihoods = np.array([[2.0, 1, 1], [1, 3, 4], [4, 2, 2], [1, 1, 3]])
    shares = [[x / sum(row) for x in row] for row in likelihoods.tolist()]
    means = [sum(row[k] for row in shares) / 4 for k in range(3)]
    expected = sorted({tuple(x / m for x, m in zip(row, means, strict=True)) for row in shares})
    assert len(expected) == 3
    np.testing.assert_allclose(_distinct(likelihoods), expected)


@pytest.mark.parametrize(("n", "kept"), [(9, 9), (10, 10), (11, 6), (20, 10), (21, 7)])
def test_of_many_observations_every_second_or_third_is_looked_at(monkeypatch, n, kept) -> None:
    monkeypatch.setattr(module, "MOST_OBSERVATIONS", 10)
    found = _distinct(cloud(n))
    assert len(found) == kept
    monkeypatch.setattr(module, "MOST_OBSERVATIONS", 1000)
    step = -(-n // 10)
    np.testing.assert_array_equal(found, _distinct(cloud(n))[::step])


def test_white_coordinates_have_equal_spread_and_no_empty_direction() -> None:
    points = cloud(40, 4)[:, :3] * [1, 5, 20] + [3, 0, 1]
    places = _white(points)
    assert places.shape == (40, 3)
    np.testing.assert_allclose(places.T @ places, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(places.sum(axis=0), 0, atol=1e-12)
    shares = cloud(40)
    assert _white(shares).shape == (40, 2)  # rows add up to 1
    assert _white(shares * 1e-12).shape == (40, 2)
    assert _white(np.ones((5, 3))).shape == (5, 0)
    flat = np.outer(np.arange(6.0), [1, 2, 4])
    assert _white(flat).shape == (6, 1)


@pytest.mark.parametrize("n", [2, 3, 6, 7, 8, 30])
def test_neighbours_are_the_six_nearest_others(n) -> None:
    points = cloud(n)
    first, second = _neighbours(points)
    places, count = _white(points), min(6, n - 1)
    pairs = []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        others.sort(key=lambda j: math.dist(places[i], places[j]))
        pairs += [(i, j) for j in others[:count]]
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == sorted(pairs)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_balanced_costs_lead_to_all_decisions(n_classes) -> None:
    points = cloud(400, n_classes)
    points /= points.mean(axis=0)
    for seed in range(4):
        costs = balanced_costs(points, np.random.default_rng(seed))
        assert costs.shape == (n_classes, n_classes)
        assert not np.diag(costs).any()
        assert (costs[~np.eye(n_classes, dtype=bool)] > 0).all()
        decided = np.bincount((points @ costs).argmin(axis=1), minlength=n_classes)
        assert np.abs(decided / 400 - 1 / n_classes).max() < 0.03


def test_balanced_costs_by_loops() -> None:
    """Random columns that add up to 1, then scaled by ever smaller steps where chosen too often."""
    points = cloud(60)
    raw = np.exp(np.random.default_rng(3).normal(0, 1, (3, 3)))
    costs = [[0.0 if t == d else raw[t, d] for d in range(3)] for t in range(3)]
    sums = [sum(costs[t][d] for t in range(3)) for d in range(3)]
    costs = [[costs[t][d] / sums[d] for d in range(3)] for t in range(3)]
    for step in range(150):
        counts = [0, 0, 0]
        for row in points:
            spent = [sum(row[t] * costs[t][d] for t in range(3)) for d in range(3)]
            counts[spent.index(min(spent))] += 1
        for d in range(3):
            factor = math.exp(0.94**step * (counts[d] / 60 - 1 / 3))
            for t in range(3):
                costs[t][d] *= factor
    found = balanced_costs(points, np.random.default_rng(3))
    np.testing.assert_allclose(found, costs, rtol=1e-9)


def edges_by_loops(points, costs, first, second):
    n, n_classes = points.shape
    scales = []
    for d in range(n_classes):
        rest = np.delete(points, d, axis=1)
        values, vectors = np.linalg.eigh(rest.T @ rest / n)
        scales.append(vectors / np.sqrt(values))
    rows = []
    for a, b in zip(first, second, strict=True):
        spent_a, spent_b = points[a] @ costs, points[b] @ costs
        i, j = int(np.argmin(spent_a)), int(np.argmin(spent_b))
        if i == j:
            continue
        here, there = spent_a[i] - spent_a[j], spent_b[i] - spent_b[j]
        crossing = (there * points[a] - here * points[b]) / (there - here)
        assert crossing @ costs[:, i] == pytest.approx(crossing @ costs[:, j])
        edge = np.zeros((n_classes, n_classes - 1))
        edge[i] = np.delete(crossing, i) @ scales[i]
        edge[j] = -np.delete(crossing, j) @ scales[j]
        rows.append(edge.ravel() / np.linalg.norm(edge))
    return np.array(rows)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_edges_of_crossings_between_neighbours(n_classes) -> None:
    points = _distinct(cloud(50, n_classes, seed=n_classes))
    costs = balanced_costs(points, np.random.default_rng(1))
    pairs = _neighbours(points)
    found = _edges(points, costs, *pairs)
    expected = edges_by_loops(points, costs, *pairs)
    assert len(expected) >= 4
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("columns", [[0, 1, 1], [0, 1, 1, 1]])
def test_edges_have_unit_length_also_where_classes_look_alike(columns) -> None:
    points = _distinct(cloud(60, 2)[:, columns])
    found = _edges(points, balanced_costs(points, np.random.default_rng(0)), *_neighbours(points))
    assert len(found) > 0
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)


def test_no_crossing_has_no_rank_and_small_values_do_not_count() -> None:
    points = cloud(20)
    first, second = _neighbours(points)
    never = np.array([[0.0, 1, 9], [9, 0, 9], [9, 9, 0]]) * [0.0, 1, 1]
    assert _edges(points, never, first, second).shape == (0, 6)
    assert _rank(np.empty((0, 6))) == 0
    assert _rank(np.diag([1.0, 0.5, 0.0101, 0.0099])) == 3
    assert _rank(np.diag([2.0, 0.021, 0.019, 0.0])) == 2
    assert _rank(np.diag([1.0, 0.01])) == 1


def test_the_rank_is_the_highest_over_twelve_random_costs() -> None:
    for likelihoods in (cloud(40), line(40)):
        points, rng = _distinct(likelihoods), np.random.default_rng(0)
        pairs = _neighbours(points)
        ranks = []
        for _ in range(12):
            sizes = np.linalg.svd(edges_by_loops(points, balanced_costs(points, rng), *pairs))[1]
            ranks.append(sum(size > 0.01 * sizes[0] for size in sizes))
        assert decision_rank(likelihoods) == max(ranks)
    assert decision_rank(np.array([[1.0, 2, 3]])) == 0
    assert decision_rank(np.array([[1.0, 2], [2, 1]])) == 1


def flatness(likelihoods):
    """Median ratio of the second to the first spread around every observation, by loops."""
    places = _white(_distinct(likelihoods))
    near, ratios = max(8, len(places) // 25), []
    for centre in places[:: -(-len(places) // 400)]:
        order = np.argsort(np.linalg.norm(places - centre, axis=1))
        around = places[order[:near]]
        sizes = np.linalg.svd(around - around.mean(axis=0), compute_uv=False)
        ratios.append(sizes[1] / sizes[0])
    return float(np.median(ratios))


def widened(n, width, seed=1):
    """A straight line across the simplex with noise beside it."""
    rng = np.random.default_rng(seed)
    along, across = rng.uniform(-1, 1, n), rng.uniform(-width, width, n)
    return 1 / 3 + 0.2 * np.column_stack([along, across, -along - across])


@pytest.mark.parametrize("n", [30, 150, 250, 400, 401])
def test_a_curve_has_a_second_spread_below_a_tenth_of_the_first(n, monkeypatch) -> None:
    """White coordinates stretch a narrow band, so that a bent one is needed to be called flat.

    From 401 observations on, every second one is looked at, and fewer of more.
    """
    for likelihoods in (line(n), cloud(n), widened(n, 0.3)):
        value = flatness(likelihoods)
        for limit in (value * 0.999, value * 1.001):
            monkeypatch.setattr(module, "FLAT", limit)
            assert on_a_curve(likelihoods) == (value < limit)


def test_a_tenth_is_the_limit_of_a_flat_curve() -> None:
    kinds = {on_a_curve(each): flatness(each) for each in (line(300), cloud(300))}
    assert kinds[True] < 0.1 < kinds[False]
    rng = np.random.default_rng(3)
    seen = set()
    for width in (0.02, 0.06, 0.1, 0.14, 0.18, 0.25):
        x = np.linspace(-3, 3, 200)
        wide = np.column_stack([x, 0.7 * x**2 + width * rng.normal(size=200)])
        raised = np.exp(wide @ np.array([[0, 1, 0], [0, 0, 1.0]]))
        assert on_a_curve(raised) == (flatness(raised) < 0.1)
        seen.add(on_a_curve(raised))
    assert seen == {True, False}


@pytest.mark.parametrize(("n", "answer"), [(15, False), (16, False), (17, True), (18, True)])
def test_few_observations_are_not_called_a_curve(n, answer) -> None:
    """Twice eight, or fewer, do not tell."""
    straight = 1 / 3 + 0.2 * np.outer(np.linspace(-1, 1, n), [1, 0.5, -1.5])
    assert on_a_curve(straight) is answer
    assert on_a_curve(np.repeat(straight, 3, axis=0)) is answer


def test_two_classes_are_never_called_a_curve() -> None:
    assert on_a_curve(line(100, powers=(0.0, 1.0))) is False
    assert on_a_curve(line(100)) is True
    assert on_a_curve(line(100, powers=(0.0, 1.0, 2.0, 3.0))) is True


def test_many_observations_are_judged_around_four_hundred() -> None:
    assert on_a_curve(line(900)) and not on_a_curve(cloud(900))
    assert on_a_curve(line(400)) and not on_a_curve(cloud(401))


def words(likelihoods, what="this") -> str | None:
    try:
        check_surface(likelihoods, what)
    except NotDefined as reason:
        return str(reason)
    return None


@pytest.mark.parametrize("n_classes", [3, 4])
def test_a_degenerate_surface_is_told_with_its_numbers(n_classes) -> None:
    likelihoods = line(200, powers=np.arange(n_classes))
    needed = n_classes * n_classes - n_classes - 1
    rank = decision_rank(likelihoods)
    assert 0 < rank < needed
    assert words(likelihoods, "saec") == (
        "saec: the surface is degenerate. The likelihood ratios of all "
        f"{n_classes} classes depend on one variable, so fewer than {needed} observations are "
        f"undecided at the same costs (here {rank}), the surface has fewer than {needed} "
        "dimensions, and its mean cost is not defined. Compare the classes in pairs with saec, "
        "order them and use ordinal_vus, or pass observations of more variables."
    )
    assert words(cloud(200, n_classes)) is None


@pytest.mark.parametrize("rank", [0, 1, 4, 5, 6])
def test_a_surface_is_fine_from_five_undecided_observations_on(monkeypatch, rank) -> None:
    monkeypatch.setattr(module, "decision_rank", lambda _: rank)
    told = words(line(100))
    assert words(cloud(100)) is None
    if rank == 0:
        assert told is not None and told.startswith(
            "this: the probabilities separate the classes completely, so that no case is undecided"
        )
    elif rank < 5:
        assert told is not None and f"(here {rank})" in told
    else:
        assert told is None


def test_order_and_scale_of_the_classes_do_not_matter() -> None:
    for likelihoods, answer in ((line(150), True), (cloud(150), False)):
        rank = decision_rank(likelihoods)
        for i, j in combinations(range(3), 2):
            order = [i, j, 3 - i - j]
            assert on_a_curve(likelihoods[:, order]) is answer
        assert on_a_curve(likelihoods * 7) is answer
        assert decision_rank(likelihoods * 7) == rank
