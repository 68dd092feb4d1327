"""Hulls of error rates and Ferri's volume: limits, ends of ranges, words and settings."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from polyroc._base.random import stream
from polyroc.errors import InvalidInput, NotDefined
from polyroc.utility import _facet_average as module
from polyroc.utility import _hull_volume, ferri_vus, hull_facets, saec_surface
from polyroc.utility._facet_average import (
    HullFacets,
    _check_facets,
    _hull,
    _polygon,
    _polytope,
    _with_corners,
    facets_at_most,
)
from polyroc.utility._hull_volume import _any_below, _dominated, _random_points, _solve

ALWAYS = [[0, 0, 1, 0, 1, 0], [1, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0]]


def rates_of(n, n_classes=3, seed=0):
    """Points that are better than chance, in no special position."""
    rows = np.random.default_rng(seed).dirichlet(np.ones(n_classes), (n, n_classes))
    return 0.3 * rows[:, ~np.eye(n_classes, dtype=bool)]


def test_costs_and_volumes_of_facets_by_hand() -> None:
    found = HullFacets(
        normals=np.array([[1.0, 0], [0.6, 0.8]]),
        areas=np.array([2.0, 3]),
        centres=np.array([[0.5, 0.25], [0.1, 0.2]]),
        n_points=1234,
    )
    assert found.area == 5
    first, second = 2 * 0.5 + 3 * 0.6 * 0.1, 3 * 0.8 * 0.2
    np.testing.assert_allclose(found.parts, [first, second])
    assert found.saec == pytest.approx((first + second) / 5)
    assert found.huh() == found.huh(-1) == found.huh(1) == pytest.approx(second)
    assert found.huh(0) == pytest.approx(first)
    assert repr(found) == f"HullFacets(1,234 points, 2 facets, SAEC {(first + second) / 5:.6g})"
    alone = HullFacets(np.array([[1.0, 0]]), np.ones(1), np.array([[0.5, 0.25]]), 3)
    assert repr(alone) == "HullFacets(3 points, 1 facet, SAEC 0.5)"


def test_rules_that_always_decide_the_same_are_added_once() -> None:
    found = _with_corners(np.array([ALWAYS[1], [0.1] * 6, [0.1] * 6]), 3)
    assert found.tolist() == sorted([*map(list, np.array(ALWAYS, dtype=float).tolist()), [0.1] * 6])
    two = _with_corners(np.array([[0.25, 0.5]]), 2)
    assert two.tolist() == [[0, 1], [0.25, 0.5], [1, 0]]


def test_the_polygon_keeps_upright_ends_and_drops_points_on_lines() -> None:
    points = np.array([[0, 1], [0, 0.6], [0.2, 0.4], [0.4, 0.2], [0.5, 0.5], [0.6, 0], [1, 0]])
    corners, normals = _polygon(points)
    assert corners.tolist() == [
        [[0, 1], [0, 0.6]],
        [[0, 0.6], [0.6, 0]],
        [[0.6, 0], [1, 0]],
    ]
    half = math.sqrt(0.5)
    np.testing.assert_allclose(normals, [[1, 0], [half, half], [0, 1]], atol=1e-12)
    hull = _hull(points)
    np.testing.assert_allclose(hull.areas, [0.4, 0.6 * math.sqrt(2), 0.4])
    assert hull.n_points == 7


def test_no_facet_with_positive_costs() -> None:
    with pytest.raises(NotDefined, match="The hull has no facet whose costs are all positive"):
        _hull(np.array([[0.0, 0], [1, 1]]))


def test_costs_that_are_0_up_to_rounding_count_as_0() -> None:
    lean = np.array([[0.0, 0.0], [1.0, 0.9e-10]])  # normal (−.9e-10, 1)
    assert _hull(lean).normals.tolist() == [[0, 1]]
    with pytest.raises(NotDefined):
        _hull(np.array([[0.0, 0.0], [1.0, 1.2e-10]]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rates_may_be_off_by_rounding(n_classes) -> None:
    """1e-9 for each rate, below 0 and in the sum of a true class."""
    size = n_classes * (n_classes - 1)
    row = np.full(size, 0.2)
    row[0] = -0.99e-9
    module._checked_rates([row], None)
    row[0] = -1.1e-9
    with pytest.raises(InvalidInput, match="rates must be non-negative, and those of one true"):
        module._checked_rates([row], None)
    full = np.full(size, 0.1)
    full[: n_classes - 1] = (1 + 0.99e-9 * (n_classes - 1)) / (n_classes - 1)
    rates, told = module._checked_rates([full], None)
    assert told == n_classes and rates.max() <= 1
    full[: n_classes - 1] = (1 + 1.1e-9 * (n_classes - 1)) / (n_classes - 1)
    with pytest.raises(InvalidInput, match="sum to at most 1"):
        module._checked_rates([full], None)


def test_the_number_of_classes_is_checked_against_the_columns() -> None:
    for n_classes in (2, 3, 4, 7):
        rates = np.zeros((1, n_classes * (n_classes - 1)))
        assert module._checked_rates(rates, None)[1] == n_classes
        assert module._checked_rates(rates, n_classes)[1] == n_classes
        named = SimpleNamespace(rates=rates, classes=range(n_classes))
        assert module._checked_rates(named, None)[1] == n_classes
    told = "rates have 2 columns; 3 classes have 6 kinds of errors. Give a column for each, in row-"
    with pytest.raises(InvalidInput) as reason:
        hull_facets(SimpleNamespace(rates=[[0.1, 0.2]], classes="abc"), n_classes=2)
    assert str(reason.value).startswith(told)
    with pytest.raises(InvalidInput, match="rates have 0 columns; 1 classes have 0 kinds"):
        hull_facets(np.zeros((1, 0)))
    with pytest.raises(InvalidInput, match=r"rates must be \(m, D\) with a point, got the shape"):
        hull_facets(np.zeros(6))
    with pytest.raises(InvalidInput, match=r"shape \(1, 1, 6\)"):
        hull_facets(np.zeros((1, 1, 6)))


def test_seven_points_in_general_position_span_six_dimensions() -> None:
    corners, normals = _polytope(_with_corners(rates_of(4), 3))
    assert corners.shape == (7, 6, 6) and normals.shape == (7, 6)  # a simplex
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1)
    for simplex, normal in zip(corners, normals, strict=True):
        heights = _with_corners(rates_of(4), 3) @ normal
        np.testing.assert_allclose(simplex @ normal, heights.min(), atol=1e-10)  # inward
    with pytest.raises(NotDefined) as reason:
        hull_facets(rates_of(3))
    assert str(reason.value).startswith(
        "6 points, trivial rules included, do not span the 6 dimensions of ROC space: at least 7 "
        "in general position are needed. Pass more points;"
    )
    flat = rates_of(9)
    flat[:, 1] = flat[:, 0]
    flat[:, 3] = flat[:, 2]
    centred = np.concatenate([flat, ALWAYS])
    assert np.linalg.matrix_rank(centred - centred[0]) == 6  # the rules are not in that plane
    same = np.repeat(rates_of(1), 9, axis=0) * np.linspace(0.1, 1, 9)[:, None]
    with pytest.raises(NotDefined, match="12 points, trivial rules included"):
        hull_facets(same)


def test_points_in_a_plane_beside_the_origin_do_not_span_six_dimensions() -> None:
    """Rates that add up to 2, as those of the trivial rules do."""
    rng = np.random.default_rng(0)
    wrong, first = 1 - rng.dirichlet(np.ones(3), 9), rng.random((9, 3))
    rates = np.stack([wrong * first, wrong * (1 - first)], axis=2).reshape(9, 6)
    with pytest.raises(NotDefined, match="12 points, trivial rules included, do not span the 6"):
        hull_facets(rates)


def test_hulls_of_more_classes_are_bounded_by_their_facets() -> None:
    """The most points whose hull has at most 300,000 facets, whatever their places."""
    for n_errors in (12, 20):
        most = max(n for n in range(n_errors + 1, 80) if facets_at_most(n, n_errors) <= 300_000)
        _check_facets(most, n_errors)
        with pytest.raises(NotDefined) as reason:
            _check_facets(most + 1, n_errors)
        assert str(reason.value).startswith(
            f"A convex hull of {most + 1} points in {n_errors} dimensions may have too many facets "
            f"to draw. Pass at most {most} points, including those that always choose one class"
        )


def test_the_upper_bound_of_facets() -> None:
    """A simplex, polygons, and cyclic polytopes of even dimension: n/(n − k) C(n − k, k)."""
    for dimensions in range(2, 9):
        assert facets_at_most(dimensions + 1, dimensions) == dimensions + 1
    for n in range(5, 12):
        assert facets_at_most(n, 2) == n
        assert facets_at_most(n, 3) == 2 * n - 4
        assert facets_at_most(n, 4) == n * (n - 3) // 2
        if n > 6:
            assert facets_at_most(n, 6) == n * math.comb(n - 3, 3) // (n - 3)


def test_six_dimensions_are_not_bounded_by_facets(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_FACETS", 10)
    assert hull_facets(rates_of(12)).n_points == 15
    with pytest.raises(NotDefined, match="Pass at most 13 points"):
        hull_facets(rates_of(12, 4))


# SAEC of the hull


@pytest.mark.parametrize(("n", "told"), [(19, False), (20, False), (21, True)])
def test_of_many_points_a_random_part_is_used(monkeypatch, n, told) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 20)
    rates = rates_of(n)
    found = saec_surface(rates, n_sizes=2, rng=5)
    used = rates[stream(5, 0).permutation(n)[:20]]
    assert found.value == pytest.approx(hull_facets(used).saec, rel=1e-9)
    assert [note.code for note in found.notes] == ["biased", *["subset"] * told]
    if told:
        assert found.notes[1].text == "hull of 20 of 21 points, drawn at random"
    assert found.settings["n_points"] == min(n, 20)
    hull = hull_facets(used)
    assert found.settings["n_facets"] == len(hull.areas)
    assert found.settings["area"] == pytest.approx(hull.area)
    assert found.settings["trend"][-1] == (len(used), found.value)
    half = len(used) // 2
    assert found.settings["trend"][0][0] == half and len(found.settings["trend"]) == 2
    assert found.settings["trend"][0][1] == pytest.approx(hull_facets(used[:half]).saec, rel=1e-9)


def test_two_classes_use_all_points_and_have_no_trend(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 3)
    grid = np.linspace(0, 1, 9)
    rates = np.column_stack([grid, (1 - np.sqrt(grid)) ** 2])
    found = saec_surface(rates, rng=1)
    assert found.value == hull_facets(rates).saec
    assert found.notes == () and found.settings["trend"] == ((9, found.value),)
    assert (found.metric, found.method, found.direction) == ("saec", "lower convex hull", "lower")
    assert found.settings["seed"] == 1 and math.isnan(found.standard_error)


def test_the_trend_halves_so_many_times_and_leaves_out_what_is_too_small() -> None:
    rates = rates_of(40)
    sizes = {n: [k for k, _ in saec_surface(rates, n_sizes=n, rng=0).settings["trend"]]
             for n in (1, 2, 3, 4, 6)}  # fmt: skip
    assert sizes == {1: [40], 2: [20, 40], 3: [10, 20, 40], 4: [10, 20, 40],
                     6: [10, 20, 40]}  # fmt: skip
    assert [k for k, _ in saec_surface(rates, rng=0).settings["trend"]] == sizes[4]


# Volume


def test_value_and_standard_error_of_the_volume() -> None:
    rates = rates_of(3)
    found = ferri_vus(rates, n_samples=80, rng=4)
    points = stream(4, 0).dirichlet(np.ones(3), (80, 3))[:, :, :2].reshape(80, 6)
    np.testing.assert_array_equal(_random_points(4, 3, 80), points)
    share = _dominated(points, _with_corners(rates, 3)).mean()
    assert 0.05 < share < 0.95
    assert found.value == pytest.approx(share / 8)
    assert found.standard_error == pytest.approx(math.sqrt(share * (1 - share) / 79) / 8)
    whole = ferri_vus(rates, n_samples=80, rng=4, normalize=True)
    assert whole.value == pytest.approx(share)
    assert whole.standard_error == pytest.approx(math.sqrt(share * (1 - share) / 79))
    assert found.settings == {"seed": 4, "n_samples": 80, "n_points": 3}
    assert (found.metric, found.method) == ("ferri_vus", "random points")
    assert [note.code for note in found.notes] == ["monte-carlo-error"]
    assert found.notes[0].text == "standard error of the 80 points alone"
    assert ferri_vus([[0.0, 0.0]], n_samples=2, rng=0).value == 1


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_perfect_classifier_has_the_whole_volume(n_classes) -> None:
    errors = np.zeros((1, n_classes * (n_classes - 1)))
    found = ferri_vus(errors, n_samples=5, rng=0)
    assert found.value == pytest.approx((1 / math.factorial(n_classes - 1)) ** n_classes)
    assert found.standard_error == 0


def test_certificates_decide_as_programs_do(monkeypatch) -> None:
    """Each point by a program of its own, and in batches of any size."""
    rules = _with_corners(rates_of(4), 3)
    points = _random_points(1, 3, 60)
    alone = [_solve(point, rules)[0] for point in points]
    assert 10 < sum(alone) < 50
    for size in (1, 7, 60, 256):
        monkeypatch.setattr(_hull_volume, "BATCH", size)
        assert _dominated(points, rules).tolist() == alone


def test_programs_leave_a_mixture_below_or_costs_that_show_there_is_none() -> None:
    rules = _with_corners(rates_of(4), 3)
    for point in _random_points(2, 3, 30):
        inside, certificate = _solve(point, rules)
        if inside:
            assert (certificate <= point + 1e-8).all()
            combined = np.linalg.lstsq(
                np.vstack([rules.T, np.ones(len(rules))]), np.append(certificate, 1), rcond=None
            )[0]
            np.testing.assert_allclose(combined @ rules, certificate, atol=1e-8)
        else:
            assert (certificate >= -1e-12).all() and certificate.sum() == pytest.approx(1)
            assert point @ certificate < (rules @ certificate).min()


def test_points_on_the_hull_count_up_to_rounding() -> None:
    corners = np.array([[0.0, 1.0], [1.0, 0.0]])
    below = {0.0: True, 0.9e-9: True, 1.5e-9: False, 1e-3: False}
    for gap, inside in below.items():
        point = np.array([0.3 - gap, 0.7 - gap])
        assert _solve(point, corners)[0] is inside
        assert _dominated(point[None], corners).tolist() == [inside]
    np.testing.assert_array_equal(
        _any_below(np.array([[0.2, 0.3], [0.5, 0.1]]),
                   np.array([[0.2, 0.3], [0.19, 0.9], [0.6, 0.1], [0.4, 0.2]])),
        [True, False, True, False],
    )  # fmt: skip


def test_random_points_fill_the_space_evenly() -> None:
    points = _random_points(3, 3, 4000)
    assert points.shape == (4000, 6) and points.min() >= 0
    sums = points.reshape(-1, 3, 2).sum(axis=2)
    assert sums.max() <= 1
    np.testing.assert_allclose(points.mean(axis=0), 1 / 3, atol=0.02)
    for side, other in itertools.combinations(range(3), 2):
        assert abs(np.corrcoef(sums[:, side], sums[:, other])[0, 1]) < 0.05


def test_points_that_are_flat_up_to_rounding_span_too_little() -> None:
    points = np.random.default_rng(0).random((12, 6))
    for times, flat in ((1.2e-9, False), (0.9e-9, True)):
        thin = points * [1, 1, 1, 1, 1, times]
        size = np.linalg.svd(thin - thin[0])[1][-1]
        assert (size < 1e-9) == flat and 0.5e-9 < size < 1.5e-9
        if flat:
            with pytest.raises(NotDefined, match="12 points, trivial rules included, do not span"):
                _polytope(thin)
        else:
            assert _polytope(thin)[1].shape[1] == 6
