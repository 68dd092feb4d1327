"""Curves of the two models: points, areas, slopes and best points, against each other."""

import numpy as np
import pytest
from twins import utility as twin

from polyroc.curves._binormal import BinormalCurve
from polyroc.curves._proper_binormal import ProperBinormalCurve
from polyroc.errors import InvalidInput

CURVES = [
    BinormalCurve(1.2, 0.6),
    BinormalCurve(0.5, 1.8),
    BinormalCurve(2.0, 1.0),
    BinormalCurve(-0.5, 0.9),
    ProperBinormalCurve(0.3, 1.0),
    ProperBinormalCurve(-0.3, 1.0),
    ProperBinormalCurve(0.0, 1.2),
    ProperBinormalCurve(1e-10, 1.2),
    ProperBinormalCurve(-0.9, 0.5),
    ProperBinormalCurve(0.51, 0.0),
]
GRID = np.linspace(0.02, 0.98, 25)


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_points_have_the_area_and_length_of_the_formulas(curve):
    false, true = curve.points(4001)
    assert np.trapezoid(true, false) == pytest.approx(curve.area, abs=1e-6)
    assert np.hypot(np.diff(false), np.diff(true)).sum() == pytest.approx(curve.length, abs=1e-6)
    assert np.diff(false).min() > -1e-15 and np.diff(true).min() > -1e-15
    inside = (false > 1e-5) & (false < 1 - 1e-5)
    np.testing.assert_allclose(curve.true_positive_rate(false[inside]), true[inside], atol=1e-9)
    assert list(curve.frame(11).columns) == ["false_positive_rate", "true_positive_rate"]


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_slope_is_the_derivative(curve):
    step = 1e-6
    ahead, back = (curve.true_positive_rate(GRID + e) for e in (step, -step))
    np.testing.assert_allclose(curve.slope(GRID), (ahead - back) / (2 * step), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("curve", CURVES, ids=repr)
@pytest.mark.parametrize("slope", [0.05, 0.4, 1.0, 2.5, 30.0])
def test_at_slope_beats_every_other_point(curve, slope):
    false, true = curve.at_slope(slope)
    points = curve.points(2001)
    assert true - slope * false >= (points[1] - slope * points[0]).max() - 1e-9
    if 0 < false < 1 and 0 < true < 1:
        assert curve.slope(false) == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize("curve", CURVES[4:], ids=repr)
def test_proper_curves_are_concave_and_equal_their_parametrisation(curve):
    slopes = curve.slope(GRID)
    assert (np.diff(slopes) <= 1e-9).all()
    expected = [twin.proper_rate(curve, rate) for rate in GRID]
    np.testing.assert_allclose(curve.true_positive_rate(GRID), expected, atol=1e-10)
    assert curve.true_positive_rate([0, 1]).tolist() == [0, 1]


def test_the_proper_curve_dominates_the_conventional_one_of_the_pair():
    conventional, proper = (
        BinormalCurve(0.5, 0.4),
        ProperBinormalCurve(-0.6 / 1.4, 0.5 * 2**0.5 / 1.16**0.5),
    )
    assert (proper.true_positive_rate(GRID) >= conventional.true_positive_rate(GRID)).all()


def test_without_a_difference_of_spread_the_models_agree():
    conventional, proper = BinormalCurve(1.2, 1.0), ProperBinormalCurve(0.0, 1.2)
    rates = proper.true_positive_rate(GRID)
    np.testing.assert_allclose(conventional.true_positive_rate(GRID), rates, atol=1e-12)
    assert conventional.saec == pytest.approx(proper.saec, abs=1e-14)


@pytest.mark.parametrize(
    ("curve", "corners"),
    [
        (BinormalCurve(np.inf, 1), [(0, 0), (0, 1), (1, 1)]),
        (BinormalCurve(-np.inf, 1), [(0, 0), (1, 0), (1, 1)]),
        (BinormalCurve(0, 0), [(0, 0), (0, 0.5), (1, 0.5), (1, 1)]),
        (BinormalCurve(3, np.inf), [(0, 0), (0.5, 0), (0.5, 1), (1, 1)]),
        (ProperBinormalCurve(1, 2), [(0, 0), (0, 1), (1, 1)]),
        (ProperBinormalCurve(0, np.inf), [(0, 0), (0, 1), (1, 1)]),
    ],
    ids=repr,
)
def test_limits_are_made_of_straight_pieces(curve, corners):
    false, true = curve.points()
    assert list(zip(false.tolist(), true.tolist(), strict=True)) == corners
    assert np.trapezoid(true, false) == pytest.approx(curve.area, abs=1e-12)
    assert np.hypot(np.diff(false), np.diff(true)).sum() == pytest.approx(curve.length)
    assert curve.at_slope(1.0) in [(float(x), float(y)) for x, y in corners]
    inside = [0.2, 0.8]
    np.testing.assert_allclose(curve.true_positive_rate(inside), np.interp(inside, false, true))
    assert not np.isnan(curve.true_positive_rate([0, 1])).any()


@pytest.mark.parametrize("curve", [CURVES[0], CURVES[4]], ids=repr)
@pytest.mark.parametrize("slope", [0, -1, np.inf, np.nan])
def test_slopes_must_be_positive(curve, slope):
    with pytest.raises(InvalidInput, match="positive number"):
        curve.at_slope(slope)
