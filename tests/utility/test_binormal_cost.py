"""Binormal curves and their cost: against the paper, against quadrature, and at the limits."""

import math

import numpy as np
import pytest
from scipy.stats import norm
from twins import utility as twin

from polyroc.curves import _arc_length as arc
from polyroc.curves._binormal import BinormalCurve
from polyroc.curves._proper_binormal import ProperBinormalCurve
from polyroc.errors import InvalidInput
from polyroc.utility import (
    area_binormal,
    area_proper,
    length_binormal,
    length_proper,
    saec_binormal,
    saec_proper,
    to_binormal,
    to_proper,
)


@pytest.mark.parametrize(
    ("a", "b", "area", "saec"),
    [(0.4819, 0.5060, 0.6663, 0.4315), (0.2410, 0.0080, 0.5950, 0.4095)],
)
def test_pairs_printed_by_edwards_and_metz_section_4(a, b, area, saec):
    assert area_binormal(a, b) == pytest.approx(area, abs=1e-3)
    assert saec_binormal(a, b) == pytest.approx(saec, abs=1e-3)
    curve = BinormalCurve(a, b)
    assert (curve.area, curve.saec) == pytest.approx((area, saec), abs=1e-3)


def by_equal_steps(a, b, intervals):
    """Trapezoid area, and cost by the length of chords, on equally spaced FPF."""
    fpf = np.linspace(0, 1, intervals + 1)
    tpf = np.concatenate([[0], norm.cdf(a + b * norm.ppf(fpf[1:-1])), [1]])
    area = np.trapezoid(tpf, fpf)
    return area, 2 * (1 - area) / np.hypot(np.diff(fpf), np.diff(tpf)).sum()


def test_printed_digits_are_those_of_400_equal_steps_of_fpf():
    """All four digits, on the points of the paper's grids: 250 values of a and of b.

    So the caption's a = .4189, which is no point of the grid, is .4819 with two digits exchanged.
    """
    a, b = np.linspace(0, 5, 250), np.linspace(0, 2, 250)
    pairs = {(a[24], b[63]): (0.6663, 0.4315), (a[12], b[1]): (0.5950, 0.4095)}
    assert [tuple(np.round(pair, 4)) for pair in pairs] == [(0.4819, 0.5060), (0.2410, 0.0080)]
    for pair, printed in pairs.items():
        assert np.round(by_equal_steps(*pair, 400), 4).tolist() == list(printed)
        curve = area_binormal(*pair), saec_binormal(*pair)
        np.testing.assert_allclose(by_equal_steps(*pair, 10**6), curve, atol=1e-5)
    fits = [
        n
        for n in range(100, 900)
        if all(np.round(by_equal_steps(*p, n), 4).tolist() == list(v) for p, v in pairs.items())
    ]
    assert (min(fits), max(fits)) == (390, 434)
    assert 0.4189 not in np.round(a, 4)
    assert abs(by_equal_steps(0.4189, 0.5060, 400)[1] - 0.4315) > 0.02


def test_cost_and_area_disagree_on_the_paper_s_pair():
    """Less area and less cost: the crossing that the paper shows for the conventional model."""
    areas, costs = area_binormal([0.4819, 0.241], [0.506, 0.008]), [0.43135, 0.40879]
    assert areas[1] < areas[0]
    np.testing.assert_allclose(saec_binormal([0.4819, 0.241], [0.506, 0.008]), costs, atol=1e-5)


def test_the_conjecture_of_the_paper_is_false():
    """Under the proper model, too, a curve can have less area and less cost than another."""
    area, cost = area_proper([0, 0.51], [1.2, 0]), saec_proper([0, 0.51], [1.2, 0])
    np.testing.assert_allclose(area, [0.8019280, 0.8002398], atol=5e-8)
    np.testing.assert_allclose(cost, [0.2493682, 0.2476362], atol=5e-8)
    assert area[1] < area[0] and cost[1] < cost[0]
    slow = [2 * (1 - twin.proper_area(c, d)) for c, d in ((0, 1.2), (0.51, 0))]
    lengths = [twin.arc_length(*map(float, to_binormal(c, d))) for c, d in ((0, 1.2), (0.51, 0))]
    np.testing.assert_allclose(cost, np.divide(slow, lengths), atol=1e-9)


def random_pairs(n):
    rng = np.random.default_rng(20)
    return rng.uniform(-1, 5, n), np.exp(rng.uniform(-4, 4, n))


def check_against_quadrature(n):
    a, b = random_pairs(n)
    lengths, areas = length_binormal(a, b), area_binormal(a, b)
    slow = np.array([twin.arc_length(*pair) for pair in zip(a, b, strict=True)])
    assert np.abs(lengths - slow).max() < 1e-10
    slow_area = np.array([twin.conventional_area(*pair) for pair in zip(a, b, strict=True)])
    assert np.abs(areas - slow_area).max() < 1e-8
    assert np.abs(saec_binormal(a, b) - 2 * (1 - slow_area) / slow).max() < 1e-8
    c, d = to_proper(a, b)
    proper = np.array([twin.proper_area(*pair) for pair in zip(c, d, strict=True)])
    assert np.abs(area_proper(c, d) - proper).max() < 1e-8
    assert np.abs(saec_proper(c, d) - 2 * (1 - proper) / slow).max() < 1e-8


def test_closed_forms_equal_integrals():
    check_against_quadrature(100)


@pytest.mark.slow
def test_closed_forms_equal_integrals_on_1000_pairs():
    check_against_quadrature(1000)


def test_length_is_good_to_ten_digits_on_the_grid_of_figure_1(monkeypatch):
    a, b = np.meshgrid(np.linspace(0, 5, 40), np.linspace(0, 2, 40))
    found = length_binormal(a, b)
    monkeypatch.setattr(arc, "TOLERANCE", 0.0)
    assert np.abs(found - length_binormal(a, b)).max() < 1e-10


def test_both_models_of_a_pair_have_the_same_length():
    a, b = random_pairs(50)
    np.testing.assert_allclose(length_proper(*to_proper(a, b)), length_binormal(a, b), atol=1e-12)


def test_conversion_goes_both_ways():
    a, b = random_pairs(50)
    back = to_binormal(*to_proper(a, b))
    np.testing.assert_allclose(back, (np.abs(a), b), rtol=1e-10)
    assert [float(each) for each in to_proper(1.0, np.inf)] == [1.0, 0.0]
    with pytest.raises(InvalidInput, match="c = 1"):
        to_binormal(1, 0.5)


@pytest.mark.parametrize("curve", [BinormalCurve(1, 0.5), ProperBinormalCurve(0.3, 1)], ids=repr)
def test_cost_integrated_over_the_curve_is_twice_the_area_above(curve):
    """Edwards & Metz 2007 eq. 14 for two classes: γ̂ dσ = (−dFNF, dFPF), the normal of the curve."""
    false, true = curve.points(20_001)
    middle_false, missed = (false[1:] + false[:-1]) / 2, 1 - (true[1:] + true[:-1]) / 2
    total = middle_false @ np.diff(true) + missed @ np.diff(false)
    assert total == pytest.approx(2 * (1 - curve.area), abs=1e-7)
    length = np.hypot(np.diff(false), np.diff(true)).sum()
    assert total / length == pytest.approx(curve.saec, abs=1e-7)


def test_limits():
    half, inf = math.sqrt(0.5), np.inf
    np.testing.assert_allclose(
        saec_binormal([0, 0, 1, 1, inf, -inf], [1, 0, 0, inf, 2, 2]),
        [half, 0.5, 0.158655254, 0.5, 0, 1],
        atol=1e-9,
    )
    np.testing.assert_allclose(
        saec_proper([0, 1, -1, 0, 1], [0, 1, 0, inf, inf]), [half, 0, 0, 0, 0], atol=1e-15
    )
    np.testing.assert_allclose(saec_binormal(1, [1e-12, 0]), 0.158655254, atol=1e-6)
    assert length_binormal(1, 1e-250) == 2 == length_binormal(1, 1e250)
    np.testing.assert_allclose(saec_proper([1e-12, 0], 1.2), saec_proper(0, 1.2), atol=1e-12)
    near = saec_proper([0.9, 0.999, 0.999999], 0.3)
    assert (np.diff(near) < 0).all() and near[-1] < 1e-5


def test_small_costs_keep_their_digits():
    assert saec_binormal(12, 1) == pytest.approx(1.0747e-17, rel=1e-3)


def test_cost_is_symmetric_in_the_classes():
    a, b = random_pairs(20)
    np.testing.assert_allclose(saec_binormal(a, b), saec_binormal(a / b, 1 / b), atol=1e-10)
    np.testing.assert_allclose(saec_proper(-0.3, [0, 1]), saec_proper(0.3, [0, 1]), atol=1e-15)


def test_shapes_broadcast():
    assert saec_binormal(np.zeros((3, 1)), np.ones(4)).shape == (3, 4)
    assert saec_proper(np.zeros((3, 1)), np.ones(4)).shape == (3, 4)
    assert saec_binormal([], []).shape == (0,)
    assert saec_binormal(1.0, 1.0).shape == ()


@pytest.mark.parametrize(
    ("function", "pair"),
    [
        (saec_binormal, (1, -0.1)),
        (saec_binormal, (np.nan, 1)),
        (saec_binormal, (np.inf, np.inf)),
        (saec_proper, (1.1, 1)),
        (saec_proper, (0, -1)),
        (saec_proper, (np.nan, 1)),
        (BinormalCurve, (1, -1)),
        (ProperBinormalCurve, (-2, 1)),
    ],
)
def test_parameters_outside_the_model(function, pair):
    with pytest.raises(InvalidInput, match=r"must be numbers|both infinite"):
        function(*pair)
