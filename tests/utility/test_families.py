"""The two binormal families: each formula against differences of the one that it derives."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from polyroc.utility._binormal_cost import to_proper
from polyroc.utility._families import Conventional, Proper, place

SHARES = np.array([0.7, 0.3])
THETAS = [
    (Conventional(), (0.8, 0.3)),
    (Conventional(), (-0.5, -0.7)),
    (Proper(), (0.35, 1.1)),
    (Proper(), (-0.35, 1.1)),
    (Proper(), (0.8, -0.6)),
    (Proper(), (-0.2, -2.0)),
]
STEP = 1e-5


def places(family, theta):
    """Inner places along the curve, where neither density rounds to 0."""
    nodes = family.nodes(theta)
    low, high = family.below(theta, nodes)
    inside = (low > 1e-3) & (low < 1 - 1e-3) & (high > 1e-3) & (high < 1 - 1e-3)
    return nodes[inside][1:-1]


def by_steps(function, step=STEP):
    """A derivative by central differences."""
    return (np.asarray(function(step)) - np.asarray(function(-step))) / (2 * step)


@pytest.mark.parametrize(("family", "theta"), THETAS)
def test_densities_slope_and_bend_are_derivatives_along_the_curve(family, theta) -> None:
    theta = np.array(theta)
    x = places(family, theta)
    assert len(x) > 10
    low, high = family.densities(theta, x)
    np.testing.assert_allclose(
        by_steps(lambda e: family.below(theta, x + e)), [low, high], rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(family.log_slope(theta, x), np.log(high / low), atol=1e-9)
    np.testing.assert_allclose(
        family.bend(theta, x), by_steps(lambda e: family.log_slope(theta, x + e)), atol=1e-7
    )


@pytest.mark.parametrize(("family", "theta"), THETAS)
def test_excess_is_the_difference_of_what_parameters_move(family, theta) -> None:
    """E_θ = L ∂G₋/∂θ − ∂G₊/∂θ at a fixed place."""
    theta = np.array(theta)
    x = places(family, theta)
    slope = np.exp(family.log_slope(theta, x))
    found = family.excess(theta, x, slope)
    assert found.shape == (2, len(x))
    for row, unit in zip(found, np.eye(2), strict=True):
        low, high = by_steps(lambda e, unit=unit: family.below(theta + e * unit, x))
        np.testing.assert_allclose(row, slope * low - high, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(("family", "theta"), THETAS)
def test_rates_move_with_shares_and_parameters_as_written(family, theta) -> None:
    """dG₋/dq = u, dG₊/dq = L u, dG₋/dθ = π₊ u E, dG₊/dθ = −π₋ u E, and bend is d ln L/dq."""
    theta, q = np.array(theta), np.array([0.03, 0.2, 0.55, 0.6, 0.9])
    found = place(family, theta, q, SHARES)
    np.testing.assert_allclose(SHARES @ found.below, q, atol=1e-12)
    u = 1 / (SHARES[0] + SHARES[1] * found.slope)
    low, high = by_steps(lambda e: place(family, theta, q + e, SHARES).below)
    np.testing.assert_allclose([low, high], [u, found.slope * u], rtol=1e-5)
    turned = by_steps(lambda e: np.log(place(family, theta, q + e, SHARES).slope))
    np.testing.assert_allclose(turned, found.bend, rtol=1e-4, atol=1e-6)
    for row, unit in zip(found.excess, np.eye(2), strict=True):
        moved = by_steps(lambda e, unit=unit: place(family, theta + e * unit, q, SHARES).below)
        np.testing.assert_allclose(
            moved, [SHARES[1] * u * row, -SHARES[0] * u * row], rtol=1e-4, atol=1e-7
        )


def test_conventional_rates_are_those_of_two_normal_densities() -> None:
    theta = np.array([0.8, 0.3])
    a, b = Conventional.pair(theta)
    assert b == pytest.approx(math.exp(0.3))
    assert a == pytest.approx(0.8 * math.sqrt(1 + b * b))
    x = np.array([-1.3, 0.0, 0.4, 2.2])
    low, high = Conventional().below(theta, x)
    np.testing.assert_allclose(low, norm.cdf(x))
    np.testing.assert_allclose(high, norm.cdf(b * x - a))
    columns = [
        by_steps(lambda e, unit=unit: Conventional.pair(theta + e * unit)) for unit in np.eye(2)
    ]
    np.testing.assert_allclose(Conventional.jacobian(theta), np.transpose(columns), atol=1e-8)


@pytest.mark.parametrize(("a", "b"), [(1.0, 2.5), (0.7, 0.4)])
def test_proper_rates_are_those_of_the_likelihood_ratio(a, b) -> None:
    """Shares of N(0, 1) and N(a/b, 1/b²) whose likelihood ratio is below one number."""
    c, d_a = (float(each) for each in to_proper(a, b))
    theta = np.array([math.atanh(c), d_a])
    x = np.linspace(-30, 30, 60_001)
    densities = norm.pdf(x), b * norm.pdf(b * x - a)
    ratio = np.log(b) + (x * x - (b * x - a) ** 2) / 2
    for v in places(Proper(), theta)[::9]:
        level = float(Proper().log_slope(theta, v))
        expected = [np.trapezoid(np.where(ratio < level, f, 0), x) for f in densities]
        np.testing.assert_allclose(Proper().below(theta, v), expected, atol=1e-3)


@pytest.mark.parametrize(
    ("family", "theta"),
    [
        *THETAS,
        (Conventional(), (6.0, 1.5)),
        (Conventional(), (-6.0, -1.5)),
        (Proper(), (1.5, 6.0)),
        (Proper(), (-1.5, 6.0)),
        (Proper(), (0.05, 4.0)),
    ],
)
def test_nodes_ascend_and_cover_both_classes_in_small_pieces(family, theta) -> None:
    theta = np.array(theta)
    nodes = family.nodes(theta)
    assert (np.diff(nodes) >= 0).all()
    for side in family.below(theta, nodes):
        assert side[0] < 1e-12 and side[-1] > 1 - 1e-12
        assert np.diff(side).max() < 0.13
    if isinstance(family, Proper):  # they end where both tails meet
        c = math.tanh(theta[0])
        vertex = abs(theta[1]) * math.sqrt(1 + c * c) / (4 * c)
        assert nodes[0 if c < 0 else -1] == pytest.approx(vertex)
        assert family.bend(theta, np.array(vertex)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("family", "theta"), [*THETAS, (Conventional(), (-2.0, 1.2))])
def test_boundaries_of_unequal_classes_cut_off_their_shares(family, theta) -> None:
    q = np.concatenate([[1e-12], np.linspace(0.001, 0.999, 61), [1 - 1e-12]])
    for shares in (SHARES, SHARES[::-1], np.array([0.98, 0.02])):
        found = place(family, np.array(theta), q, shares)
        np.testing.assert_allclose(shares @ found.below, q, rtol=1e-9, atol=1e-12)
        assert (np.diff(found.below, axis=1) >= 0).all()


def test_a_share_below_all_nodes_lies_at_the_first_also_where_nodes_coincide() -> None:
    """Equal densities have every node twice, with nothing in between to divide by."""
    with np.errstate(divide="raise"):
        found = place(Conventional(), np.zeros(2), np.array([1e-20, 0.5]), SHARES)
    np.testing.assert_allclose(found.below, [[norm.cdf(-8.5), 0.5]] * 2)


def test_the_proper_curve_is_even_in_the_distance() -> None:
    x = np.linspace(-2, 0.4, 7)
    ahead, back = np.array([0.4, 1.3]), np.array([0.4, -1.3])
    np.testing.assert_array_equal(Proper().below(ahead, x), Proper().below(back, x))
    slope = np.exp(Proper().log_slope(ahead, x))
    one, other = (Proper().excess(each, x, slope) for each in (ahead, back))
    np.testing.assert_array_equal(one, other * [[1], [-1]])


def test_equal_spreads_are_close_to_c_of_0() -> None:
    """c = 0 has no vertex; it is taken for 1e-9, where the conventional curve is the same."""
    q = np.linspace(0.02, 0.98, 25)
    theta = np.array([0.0, 1.2])
    proper = place(Proper(), theta, q, SHARES)
    conventional = place(Conventional(), np.array([1.2 / math.sqrt(2), 0.0]), q, SHARES)
    np.testing.assert_allclose(proper.below, conventional.below, atol=1e-7)
    np.testing.assert_allclose(proper.slope, conventional.slope, rtol=1e-6)


def test_slopes_have_a_bound() -> None:
    """exp(±200), so that what is computed from them stays finite."""
    theta = np.array([-10.0, 2.0])
    found = place(Conventional(), theta, np.array([1e-9, 0.5, 1 - 1e-9]), SHARES)
    assert np.isfinite(found.slope).all()
    assert found.slope.max() <= math.exp(200) * (1 + 1e-9)
    assert found.slope.min() >= math.exp(-200) * (1 - 1e-9)
    steep = place(Conventional(), np.array([28.0, 0.0]), np.array([0.69, 0.5, 0.99]), SHARES)
    assert np.isfinite(steep.bend).all() and steep.slope.min() > 0
