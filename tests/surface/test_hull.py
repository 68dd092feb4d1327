"""The lower convex hull and random combinations, against linear programs and by hand."""

import numpy as np
import pytest
from scipy.optimize import linprog, nnls

from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, NotDefined
from polyroc.kernels.cone import _nearest, cone_gap
from polyroc.surface import KnnModel, LinearModel, RocSurface, search
from polyroc.surface._hull import lower_hull


def slow_vertices(points: np.ndarray) -> set[int]:
    """Points that some costs prefer to every other point, each by a linear program."""
    n_rates = points.shape[1]
    found = set()
    for i, point in enumerate(points):
        rows = np.column_stack([point - np.delete(points, i, axis=0), np.ones(len(points) - 1)])
        best = linprog(
            [0.0] * n_rates + [-1.0],
            rows,
            np.zeros(len(rows)),
            [[1.0] * n_rates + [0.0]],
            [1.0],
            bounds=[(0, 1)] * n_rates + [(None, None)],
        )
        if -best.fun > 1e-9:
            found.add(i)
    return found


@pytest.mark.parametrize("n_rates", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_vertices_are_best_for_some_costs(n_rates: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.abs(rng.normal(size=(80, n_rates)))
    points /= np.sqrt((points**2).sum(axis=1, keepdims=True)) ** 0.8
    points = 2 - points
    assert set(lower_hull(points).tolist()) == slow_vertices(points)


def degenerate(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Points with ties: several on a line or a face, equal ones, or rates that do not vary."""
    round_ones = 2 - np.abs(rng.normal(size=(70, 6))) ** 0.5
    line = rng.random(70)[:, None]
    return {
        "equal points": round_ones[rng.integers(0, 30, 70)],
        "line": line * [0.1, 0.9, 0.2] + (1 - line) * [0.5, 0.3, 0.5],
        "face": rng.multinomial(6, np.ones(4) / 4, 70) * [0.11, 0.12, 0.14, 0.17],
        "plane": np.abs(rng.normal(size=(70, 2))) @ rng.random((2, 6)),
        "constant rate": round_ones * [0, 1, 1, 1, 1, 0] + 0.25,
        "many rates": rng.dirichlet(np.full(12, 0.3), 70),
    }[kind]


def first_vertices(points: np.ndarray) -> set[int]:
    """The slow vertices; of equal ones the first."""
    different, first = np.unique(points, axis=0, return_index=True)
    return {int(first[i]) for i in slow_vertices(different)}


@pytest.mark.parametrize("kind", ["equal points", "line", "plane", "constant rate", "many rates"])
@pytest.mark.parametrize("seed", range(3))
def test_ties_and_flat_surfaces(kind: str, seed: int) -> None:
    points = degenerate(kind, np.random.default_rng(seed))
    assert set(lower_hull(points).tolist()) == first_vertices(points)


@pytest.mark.parametrize("seed", range(3))
def test_every_vertex_of_a_face_is_found(seed: int) -> None:
    """Where costs tie all of them, a point between the vertices may be there too."""
    points = degenerate("face", np.random.default_rng(seed))
    found, expected = set(lower_hull(points).tolist()), first_vertices(points)
    assert expected <= found and len(found) <= len(expected) + 2 < len(points) / 2


@pytest.mark.parametrize("levels", [3, 20, 10**6])
@pytest.mark.parametrize("n_known", [8, 9, 15, 16, 17, 300])
def test_the_nearest_vertices(levels: int, n_known: int) -> None:
    """Those of the least differences, in their order; of equally near ones the first."""
    rng = np.random.default_rng(n_known)
    vertices = rng.integers(0, levels, (310, 3)).astype(float)
    point, near = rng.integers(0, levels, 3).astype(float), np.empty((8, 3))
    _nearest(vertices, n_known, point, near, np.empty(310))
    sums = np.abs(vertices[:n_known] - point).sum(axis=1)
    within = np.flatnonzero(sums <= np.sort(sums)[7])[:8]
    np.testing.assert_array_equal(near, vertices[within])


def test_a_point_is_on_or_above_the_hull_as_a_linear_program_says() -> None:
    """Distances to the cone are those of SciPy's non-negative least squares, near-parallel too."""
    rng = np.random.default_rng(0)
    for n_rates, n_vertices, spread in ((2, 3, 1.0), (6, 40, 1.0), (6, 200, 1e-4), (12, 30, 1.0)):
        vertices = 0.3 + spread * rng.random((n_vertices, n_rates))
        generators = np.hstack([np.vstack([vertices.T, np.ones(n_vertices)]), np.eye(n_rates + 1)])
        for place in range(30):
            point = vertices.mean(axis=0) + spread * rng.normal(scale=0.3, size=n_rates)
            point = vertices[place % n_vertices] if place < 5 else point
            gap = np.empty(n_rates + 1)
            found = cone_gap(vertices, point, gap)
            shares, _ = nnls(generators[:, :-1], np.append(point, 1.0))
            rest = np.append(point, 1.0) - generators[:, :-1] @ shares
            assert gap == pytest.approx(rest, abs=1e-9)
            assert found == pytest.approx(np.linalg.norm(rest[:-1]), abs=1e-9)


def made(rates: list[list[float]]) -> RocSurface:
    """A surface of two classes with these rates."""
    table = np.array(rates, dtype=float)
    costs = np.tile([[0.0, 0.5], [0.5, 0.0]], (len(table), 1, 1))
    return RocSurface(table, costs, np.zeros((len(table), 0)), ("no", "yes"), np.array([5.0, 5.0]))


def test_two_classes_by_hand() -> None:
    surface = made([[0, 1], [0.1, 0.6], [0.2, 0.5], [0.4, 0.1], [1, 0], [0.5, 0.6]])
    hull = surface.hull()
    assert hull.indices.tolist() == [0, 1, 3, 4]
    for vertex, (place, rates) in enumerate(zip(hull.indices, hull.rates, strict=True)):
        alone = hull.reach(rates)
        assert alone.indices.tolist() == [place] and alone.probabilities == pytest.approx([1])
        assert alone.rates == pytest.approx(hull.rates[vertex])
        if vertex:
            assert hull.reach((rates + hull.rates[vertex - 1]) / 2).probabilities == pytest.approx(
                [0.5, 0.5]
            )
    rule = hull.reach([0.25, 0.4])
    assert (rule.rates <= np.array([0.25, 0.4]) + 1e-9).all()
    assert rule.probabilities.sum() == pytest.approx(1)
    with pytest.raises(NotDefined, match="below the convex hull"):
        hull.reach([0.2, 0.2])
    with pytest.raises(InvalidInput, match="2 error rates"):
        hull.reach([0.2, 0.2, 0.2])


def test_a_mixture_meets_a_limit_exactly() -> None:
    """With the rate of (no, yes) at most 0.25 half-way between 0.1 and 0.4 is best."""
    hull = made([[0, 1], [0.1, 0.6], [0.4, 0.1], [1, 0]]).hull()
    costs = {("no", "yes"): 1, ("yes", "no"): 1}
    rule = hull.best(costs=costs, limits={("no", "yes"): 0.25})
    assert rule.indices.tolist() == [1, 2]
    assert np.allclose(rule.probabilities, 0.5) and np.allclose(rule.rates, [0.25, 0.35])
    assert rule.value == pytest.approx(0.3)
    with pytest.raises(NotDefined, match="Allow more"):
        made([[0.5, 0.0], [0.4, 0.2]]).hull().best(costs=costs, limits={("no", "yes"): 0.1})


def test_several_classifiers_are_combined() -> None:
    one, two = made([[0, 1], [0.2, 0.4], [1, 0]]), made([[0, 1], [0.4, 0.15], [0.3, 0.5], [1, 0]])
    hull = one.hull(two)
    assert list(zip(hull.origin.tolist(), hull.indices.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 1),
    ]
    other = RocSurface(one.rates, one.costs, one.parameters, ("a", "b"), one.class_weights)
    with pytest.raises(InvalidInput, match="different classes"):
        one.hull(other)


def test_combinations_are_never_worse_than_single_points() -> None:
    X, y = three_class_mixture((30, 30, 30), rng=0)
    surfaces = [search(kind(X, y), generations=40, rng=0) for kind in (KnnModel, LinearModel)]
    hull = surfaces[0].hull(surfaces[1])
    rng = np.random.default_rng(1)
    for _ in range(10):
        costs = rng.random((3, 3)) * (1 - np.eye(3))
        single = min(surface.choose(costs=costs).value for surface in surfaces)
        assert hull.best(costs=costs).value == pytest.approx(single)
        limits = {(0, 1): 0.031, (2, 1): 0.042}
        allowed = [surface.choose(costs=costs, limits=limits).value for surface in surfaces]
        assert hull.best(costs=costs, limits=limits).value <= min(allowed) + 1e-12


def test_every_point_is_on_or_above_the_hull() -> None:
    X, y = three_class_mixture((30, 30, 30), rng=2)
    surface = search(KnnModel(X, y), generations=30, rng=0)
    hull = surface.hull()
    for rates in surface.rates[::5]:
        assert (hull.reach(rates).rates <= rates + 1e-8).all()
