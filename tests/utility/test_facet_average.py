"""The lower hull of a ROC surface: against simplices worked by hand and the two-class hull."""

import math
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from polyroc._base.random import stream
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.utility._facet_average import hull_facets, saec_surface
from polyroc.utility._hull import roc_hull
from polyroc.utility._mixtures import GaussianMixture
from polyroc.utility._observer import ideal_observer

ALWAYS = np.array([[0, 0, 1, 0, 1, 0], [1, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0]], dtype=float)


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_as_the_roc_hull(seed):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, 60))
    scores = (y + rng.normal(size=62)).round(1)
    hull = roc_hull(y, scores)
    rates = [((scores[y == 0] >= t).mean(), (scores[y == 1] < t).mean()) for t in set(scores)]
    found = hull_facets(rates)
    assert found.area == pytest.approx(hull.length)
    assert found.huh(0) == pytest.approx(found.huh(1)) == pytest.approx(1 - hull.area)
    assert saec_surface(rates).value == pytest.approx(hull.saec)


def test_two_classes_at_the_limits():
    assert hull_facets([[0.5, 0.5]]).area == pytest.approx(math.sqrt(2))
    assert saec_surface([[0.7, 0.7]]).value == pytest.approx(math.sqrt(0.5))
    perfect = hull_facets([[0.0, 0.0]])
    assert (perfect.area, perfect.saec) == (2.0, 0.0)


def test_rounding_outside_the_unit_interval():
    """As much as the Gini coefficient takes for rounding."""
    assert hull_facets([[-5e-10, 0.5], [0.5, 1 + 5e-10]]).saec == hull_facets([[0, 0.5]]).saec
    with pytest.raises(InvalidInput, match="rates must be non-negative"):
        hull_facets([[-2e-9, 0.5]])


def test_facets_by_their_definition():
    """Every facet touches six points and has none below; areas are those of simplices."""
    rates = surface_of(1.0, 25, spread=0.2)
    hull = hull_facets(rates)
    corners = np.concatenate([rates, ALWAYS])
    cost = 0.0
    for normal, area, centre in zip(hull.normals, hull.areas, hull.centres, strict=True):
        heights = corners @ normal
        on = np.isclose(heights, heights.min(), atol=1e-10)
        assert on.sum() == 6 and (normal >= 0).all()
        edges = corners[on][1:] - corners[on][0]
        assert area == pytest.approx(np.prod(np.linalg.svd(edges)[1]) / math.factorial(5))
        np.testing.assert_allclose(centre, corners[on].mean(axis=0))
        cost += area * heights[on].mean()
    assert hull.saec == pytest.approx(cost / hull.areas.sum())
    assert sum(hull.huh(q) for q in range(6)) == pytest.approx(cost)


def surface_of(distance, n_points, spread=1.5):
    triangle = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])
    observer = ideal_observer([GaussianMixture(mean) for mean in distance * triangle])
    costs = np.exp(np.random.default_rng(0).normal(0, spread, (n_points, 6)))
    return observer.rates(costs, n_points=4000, rng=1)


def test_four_classes_with_few_operating_points():
    """All sets of twelve points: those with none below, and positive costs, are the facets."""
    rng = np.random.default_rng(3)  # each point saves on all errors but one
    rates = 0.02 + 0.25 * np.eye(12)[[*range(12), 0]] + 0.02 * rng.random((13, 12))
    errors = ~np.eye(4, dtype=bool)
    always = [np.broadcast_to(row, (4, 4))[errors] for row in np.eye(4)]
    points = np.concatenate([rates, always])
    area = cost = 0.0
    for chosen in combinations(range(len(points)), 12):
        edges = points[list(chosen[1:])] - points[chosen[0]]
        _, sizes, vectors = np.linalg.svd(edges)
        normal = vectors[-1] * np.sign(vectors[-1].sum())
        heights = points @ normal
        if sizes[-1] > 1e-12 and normal.min() >= 0 and heights.min() > heights[chosen[0]] - 1e-12:
            area += np.prod(sizes) / math.factorial(11)
            cost += np.prod(sizes) / math.factorial(11) * heights[chosen[0]]
    found = hull_facets(rates)
    assert area > 0 and found.area == pytest.approx(area, rel=1e-6)
    assert saec_surface(rates).value == pytest.approx(cost / area, rel=1e-6)
    assert sum(found.huh(q) for q in range(12)) == pytest.approx(cost, rel=1e-6)


def test_trend_and_objects():
    rates = surface_of(2.0, 200)
    surface = SimpleNamespace(rates=rates, classes=("a", "b", "c"))
    found = saec_surface(surface, rng=0)
    trend = found.settings["trend"]
    assert [points for points, _ in trend] == [25, 50, 100, 200]
    assert trend[-1][1] == found.value
    assert trend[1][1] == hull_facets(rates[stream(0, 0).permutation(200)[:50]]).saec
    assert found.value == hull_facets(rates).saec
    assert math.isnan(found.standard_error)
    assert found.settings["seed"] == 0


def test_order_of_the_points_does_not_matter():
    rates = surface_of(1.0, 80)
    shuffled = np.random.default_rng(1).permutation(np.concatenate([rates, rates[:9]]))
    assert hull_facets(shuffled).saec == pytest.approx(hull_facets(rates).saec, rel=1e-9)


@pytest.mark.parametrize(
    ("surface", "options", "error", "words"),
    [
        (np.full((2, 6), 1 / 3), {}, NotDefined, "general position"),
        (np.full((30, 12), 0.1), {}, NotDefined, "12 dimensions"),
        (np.random.default_rng(0).random((29, 12)) / 3, {}, NotDefined, "at most 32 points"),
        (np.full((2, 5), 0.1), {}, InvalidInput, "kinds of errors"),
        (np.full((2, 6), 0.1), {"n_classes": 2}, InvalidInput, "2 classes"),
        ([[0.5, -0.1]], {}, InvalidInput, "rates must be non-negative"),
        ([[0.5, np.nan]], {}, InvalidInput, "rates must be non-negative"),
        (np.full((2, 6), 0.6), {}, InvalidInput, "at most 1"),
        (np.zeros((0, 2)), {}, InvalidInput, "shape"),
        ("surface", {}, InvalidType, "str"),
        ([[0.5, 0.1]], {"n_sizes": 0}, InvalidInput, "n_sizes"),
    ],
)
def test_refusals(surface, options, error, words):
    with pytest.raises(error, match=words):
        saec_surface(surface, **options)
