"""Likelihood of categories: gradients, curvature and information against differences of it."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from polyroc.utility import _likelihood as module
from polyroc.utility._categories import Categories
from polyroc.utility._families import Conventional, Proper
from polyroc.utility._fits import proper_start, start_of
from polyroc.utility._information import covariance, first_alone, profile_scores
from polyroc.utility._likelihood import (
    Step,
    _advanced,
    diagonal_value,
    likelihood,
    maximise,
    newton_step,
)

TABLE = np.array([[20.0, 9, 6, 0, 2], [3, 4, 0, 8, 5.5]])
SQUARES = np.array([[25.0, 9, 8, 0, 2], [3, 5, 0, 9, 7.5]])
DATA = Categories(TABLE, SQUARES)
Q = np.array([0.35, 0.6, 0.72, 0.9])
CASES = [
    (Conventional(), np.array([0.8, 0.2])),
    (Conventional(), np.array([0.6, -0.4])),
    (Proper(), np.array([0.3, 1.2])),
    (Proper(), np.array([-0.25, 0.9])),
]


def value_at(family, theta, q, data=DATA) -> float:
    """Σ n ln p over classes and categories, by loops."""
    spot = module.place(family, theta, q, data.shares)
    total = 0.0
    for counts, below in zip(data.weights, spot.below, strict=True):
        edges = [0.0, *below.tolist(), 1.0]
        for k, count in enumerate(counts):
            if count:
                total += count * math.log(edges[k + 1] - edges[k])
    return total


def differences(function, at, step=1e-5):
    """Derivatives of a function of a vector, by central differences, one row per number."""
    return np.array(
        [
            (np.asarray(function(at + e)) - np.asarray(function(at - e))) / (2 * step)
            for e in step * np.eye(len(at))
        ]
    )


@pytest.mark.parametrize(("family", "theta"), CASES)
def test_value_and_gradients(family, theta) -> None:
    found = likelihood(family, DATA, theta, Q)
    assert found.value == pytest.approx(value_at(family, theta, Q), abs=1e-10)
    by_q = differences(lambda q: value_at(family, theta, q), Q)
    by_theta = differences(lambda t: value_at(family, t, Q), theta)
    np.testing.assert_allclose(found.gradient_q, by_q, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.gradient_theta, by_theta, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.gaps.sum(axis=1), 1)
    assert found.theta is theta and found.q is Q
    spot = module.place(family, theta, Q, DATA.shares)
    moved = differences(lambda q: module.place(family, theta, q, DATA.shares).below, Q)
    own = np.stack([np.diag(moved[:, 0]), np.diag(moved[:, 1])])
    np.testing.assert_allclose(found.rates, own, rtol=1e-5)
    for row, weights, gaps in zip(found.pressure, TABLE, found.gaps, strict=True):
        for k in range(4):
            expected = weights[k] / gaps[k] - weights[k + 1] / gaps[k + 1]
            assert row[k] == pytest.approx(expected)
    np.testing.assert_array_equal(found.place.below, spot.below)


@pytest.mark.parametrize(("family", "theta"), CASES)
def test_curvature_by_the_boundaries(family, theta) -> None:
    found = likelihood(family, DATA, theta, Q)
    table = -differences(lambda q: likelihood(family, DATA, theta, q).gradient_q, Q)
    above, diagonal = found.curvature(DATA, exact=True)
    np.testing.assert_allclose(diagonal, np.diag(table), rtol=1e-4)
    np.testing.assert_allclose(above[1:], np.diag(table, 1), rtol=1e-4)
    assert above[0] == 0
    rough_above, rough = found.curvature(DATA, exact=False)
    np.testing.assert_array_equal(rough_above, above)
    for k in range(4):
        expected = sum(
            found.rates[c, k] ** 2
            * (TABLE[c, k] / found.gaps[c, k] ** 2 + TABLE[c, k + 1] / found.gaps[c, k + 1] ** 2)
            for c in (0, 1)
        )
        assert rough[k] == pytest.approx(expected * (1 + 1e-6), rel=1e-9)


@pytest.mark.parametrize(("family", "theta"), CASES)
def test_a_step_solves_newton_s_equations(family, theta) -> None:
    """With the whole Hessian by differences of the gradients; information is its complement."""
    at = likelihood(family, DATA, theta, Q)

    def gradient(both):
        here = likelihood(family, DATA, both[4:], both[:4])
        return np.append(here.gradient_q, here.gradient_theta)

    both = np.append(Q, theta)
    hessian = -differences(gradient, both)
    inner, cross, own = hessian[:4, :4], hessian[:4, 4:], hessian[4:, 4:]
    step = newton_step(family, DATA, at)
    follow = np.linalg.solve(inner, cross)
    np.testing.assert_allclose(step.follow, follow, rtol=1e-3, atol=1e-5)
    information = own - cross.T @ follow
    np.testing.assert_allclose(step.information, information, rtol=1e-3, atol=1e-3)
    whole = np.linalg.solve(hessian, gradient(both))
    if np.linalg.eigvalsh(information).min() > 0 and np.abs(whole[4:]).max() < 1:
        np.testing.assert_allclose(np.append(step.q, step.theta), whole, rtol=1e-3, atol=1e-5)
    gain = float(gradient(both) @ np.append(step.q, step.theta))
    assert step.decrement == pytest.approx(gain) and gain > 0


def test_a_step_moves_no_parameter_by_more_than_one() -> None:
    flat = Categories(*[np.array([[3.0, 1, 0, 2], [1, 2, 2, 0]])] * 2)
    q = np.array([0.3, 0.5, 0.75])
    lengths = []
    for theta in ([4.0, 1.5], [-3.0, 0.5], [2.5, -1.5], [0.2, 0.0]):
        step = newton_step(
            Conventional(), flat, likelihood(Conventional(), flat, np.array(theta), q)
        )
        lengths.append(np.abs(step.theta).max())
    assert max(lengths) == pytest.approx(1.0) and min(lengths) < 0.99


def test_negative_curvature_is_turned_round_so_that_steps_lead_uphill() -> None:
    data = Categories(*[np.array([[10.0, 1, 2, 10], [1, 6, 7, 2]])] * 2)
    pooled = data.weights.sum(axis=0)
    q = np.cumsum(pooled)[:-1] / pooled.sum()
    turned = 0
    for family, starts in ((Proper(), ((0.1, 0.3), (-0.1, 2.0), (1.0, 2.0))),
                           (Conventional(), ((1.0, 0.0), (2.0, 2.0)))):  # fmt: skip
        for start in starts:
            step = newton_step(family, data, likelihood(family, data, np.array(start), q))
            turned += np.linalg.eigvalsh((step.information + step.information.T) / 2)[0] < 0
            assert step.decrement > 0
    assert turned > 0


def test_a_step_is_cut_where_categories_would_vanish_or_the_value_fall() -> None:
    """Nine tenths of the way to an empty category, then halves until enough is gained."""
    family, theta = Conventional(), np.array([0.8, 0.2])
    at = likelihood(family, DATA, theta, Q)
    step = newton_step(family, DATA, at)
    whole = _advanced(family, DATA, at, step)
    np.testing.assert_allclose(whole.theta, theta + step.theta)
    np.testing.assert_allclose(whole.q, Q + step.q)
    toward = Step(np.zeros(2), np.array([0.0, 0.2, 0.0, 0.0]), -1e9, np.eye(2), step.follow)
    cut = _advanced(family, DATA, at, toward)  # a gap of .12 closes after .6 of the step
    assert cut.q[1] == pytest.approx(Q[1] + 0.9 * 0.12)
    ends = Step(np.zeros(2), np.array([-0.7, 0, 0, 0.0]), -1e9, np.eye(2), step.follow)
    assert _advanced(family, DATA, at, ends).q[0] == pytest.approx(Q[0] - 0.9 * 0.35)
    last = Step(np.zeros(2), np.array([0, 0, 0, 0.4]), -1e9, np.eye(2), step.follow)
    assert _advanced(family, DATA, at, last).q[3] == pytest.approx(Q[3] + 0.9 * 0.1)
    downhill = Step(-step.theta, -step.q, step.decrement, step.information, step.follow)
    assert _advanced(family, DATA, at, downhill) is None
    far = Step(8 * step.theta, 0 * step.q, step.decrement, step.information, step.follow)
    halved = _advanced(family, DATA, at, far)
    times = (halved.theta - theta) / (8 * step.theta)
    length = float(times[0])
    assert times[1] == pytest.approx(length) and length in (
        pytest.approx(0.5**k) for k in (1, 2, 3)
    )
    assert halved.value >= at.value + 1e-4 * length * step.decrement
    twice = likelihood(family, DATA, theta + 2 * length * far.theta, Q)
    assert twice.value < at.value + 2e-4 * length * step.decrement


def test_the_maximum_has_no_gradient_and_names_its_steps() -> None:
    for family, start in ((Conventional(), start_of(DATA)), (Proper(), proper_start(DATA))):
        found = maximise(family, DATA, start)
        assert found.settled and not found.diagonal and 2 < found.steps < 20
        assert np.abs(found.at.gradient_theta).max() < 1e-3
        assert np.abs(found.at.gradient_q).max() < 1e-2
        assert found.step.decrement <= 1e-12 * TABLE.sum()
        again = maximise(family, DATA, found.at.theta)
        assert again.at.value == pytest.approx(found.at.value, abs=1e-9)
        for q in (found.at.q + 0.01, found.at.q - 0.01):
            assert likelihood(family, DATA, found.at.theta, q).value < found.at.value


def test_searches_stop_after_so_many_steps(monkeypatch) -> None:
    full = maximise(Conventional(), DATA, np.array([0.0, 0.0]))
    values = []
    for most in (1, 2, full.steps, full.steps + 1):
        monkeypatch.setattr(module, "MOST_STEPS", most)
        found = maximise(Conventional(), DATA, np.array([0.0, 0.0]))
        assert found.steps == min(most, full.steps)
        assert found.settled == (most > full.steps) and not found.diagonal
        values.append(found.at.value)
    assert values == sorted(values) and values[-1] == full.at.value


@pytest.mark.parametrize(
    ("family", "table", "place_"),
    [
        (Conventional(), [[5.0, 0, 5], [0, 10, 0]], 1),
        (Conventional(), [[0, 10.0, 0], [4, 0, 6]], 1),
        (Proper(), [[2.0, 4, 6, 0, 0], [0, 0, 4, 5, 3]], 0),
    ],
)
def test_searches_stop_beyond_the_limits_of_a_family(family, table, place_) -> None:
    data = Categories(*[np.array(table)] * 2)
    found = maximise(family, data, np.array([0.5, 0.5]))
    assert not found.settled and found.steps < 60
    assert abs(found.at.theta[place_]) > family.limits[place_]


@pytest.mark.parametrize("family", [Conventional(), Proper()])
def test_a_start_beyond_a_limit_is_left_where_it_is(family, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(module, "_advanced", lambda *_: asked.append(1))
    for place_, limit in enumerate(family.limits):
        for side in (1, -1):
            for times, moves in ((1.01, False), (0.99, True)):
                start = np.array([0.1, 0.1])
                start[place_] = side * times * limit
                asked.clear()
                found = maximise(family, DATA, start)
                assert found.steps == 0 and not found.settled
                assert bool(asked) is moves


def test_a_search_that_nears_the_diagonal_from_below_ends_there() -> None:
    data = Categories(*[np.array([[1.0, 2, 3, 10], [10, 3, 2, 1]])] * 2)
    found = maximise(Proper(), data, np.array([0.0, 0.3]))
    assert found.diagonal and found.settled
    assert np.abs(found.at.theta).max() < Proper.near_diagonal
    assert found.at.value < diagonal_value(data)
    assert not maximise(Conventional(), data, np.array([0.0, 0.0])).diagonal


def test_the_conventional_search_leaves_the_diagonal_also_where_rounding_lowers_its_start(
    monkeypatch,
) -> None:
    monkeypatch.setattr(module, "diagonal_value", lambda data: diagonal_value(data) + 1e-9)
    found = maximise(Conventional(), DATA, np.zeros(2))
    assert not found.diagonal
    assert found.at.value > diagonal_value(DATA) + 1


def test_the_diagonal_has_the_likelihood_of_pooled_shares() -> None:
    expected = 0.0
    for k in range(5):
        for c in (0, 1):
            share = (TABLE[0, k] + TABLE[1, k]) / TABLE.sum()
            expected += TABLE[c, k] * math.log(share)
    assert diagonal_value(DATA) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("decrement", "asks", "settled"),
    [
        (1e-12, False, True),
        (1.1e-12, True, True),
        (1e-8, True, True),
        (1.1e-8, True, False),
    ],
)
def test_how_small_a_gain_is_none(monkeypatch, decrement, asks, settled) -> None:
    """1e-12 per case ends the search; where no part of a step helps, 1e-8 is near enough."""
    real = newton_step(Conventional(), DATA, likelihood(Conventional(), DATA, CASES[0][1], Q))
    gain = decrement * float(TABLE.sum(axis=0).sum())
    step = Step(real.theta, real.q, gain, real.information, real.follow)
    asked: list = []
    monkeypatch.setattr(module, "newton_step", lambda *_: step)
    monkeypatch.setattr(module, "_advanced", lambda *_: asked.append(1))
    found = maximise(Conventional(), DATA, CASES[0][1])
    assert found.settled is settled and bool(asked) is asks and found.steps == 0
    assert found.step is step


def test_a_search_that_never_settles_ends_after_two_hundred_steps(monkeypatch) -> None:
    real = newton_step(Conventional(), DATA, likelihood(Conventional(), DATA, CASES[0][1], Q))
    monkeypatch.setattr(module, "newton_step", lambda *_: real)
    monkeypatch.setattr(module, "_advanced", lambda family, data, at, step: at)
    found = maximise(Conventional(), DATA, CASES[0][1])
    assert found.steps == 200 and not found.settled


@pytest.mark.parametrize(
    ("theta", "ends"),
    [((0.0005, -0.0009), True), ((-0.00099, 0.0), True), ((0.0011, 0.0), False)],
)
def test_how_near_the_diagonal_a_search_ends(monkeypatch, theta, ends) -> None:
    worse = Categories(*[np.array([[1.0, 2, 3, 10], [10, 3, 2, 1]])] * 2)
    monkeypatch.setattr(module, "_advanced", lambda *_: None)
    found = maximise(Proper(), worse, np.array(theta))
    assert found.diagonal is ends
    assert not maximise(Proper(), DATA, np.array([0.0, 0.5])).diagonal
    monkeypatch.setattr(module, "diagonal_value", lambda _: -1e9)
    assert not maximise(Proper(), worse, np.array(theta)).diagonal


def test_a_search_that_is_level_with_the_diagonal_goes_on(monkeypatch) -> None:
    pooled, start = TABLE.sum(axis=0), np.array([0.0, 0.0009])
    level = likelihood(Proper(), DATA, start, np.cumsum(pooled)[:-1] / pooled.sum()).value
    monkeypatch.setattr(module, "diagonal_value", lambda _: level)
    found = maximise(Proper(), DATA, start)
    assert not found.diagonal and found.at.value > level + 1


# Information


@pytest.mark.parametrize("family", [Conventional(), Proper()])
def test_scores_are_derivatives_of_log_probabilities_with_boundaries_that_follow(family) -> None:
    start = start_of(DATA) if isinstance(family, Conventional) else proper_start(DATA)
    found = maximise(family, DATA, start)
    scores = profile_scores(DATA, found)
    assert scores.shape == (2, 5, 2)
    for i, unit in enumerate(np.eye(2)):
        ahead, back = (
            likelihood(
                family, DATA, found.at.theta + e * unit, found.at.q - e * found.step.follow[:, i]
            ).gaps
            for e in (1e-5, -1e-5)
        )
        expected = (np.log(ahead) - np.log(back)) / 2e-5
        np.testing.assert_allclose(
            scores[:, :, i], np.where(TABLE > 0, expected, 0), rtol=1e-4, atol=1e-6
        )
    total = np.einsum("ck,cki->i", TABLE, scores)
    np.testing.assert_allclose(total, 0, atol=1e-3)


def test_covariances_are_the_inverse_and_the_sandwich() -> None:
    found = maximise(Conventional(), DATA, start_of(DATA))
    information = (found.step.information + found.step.information.T) / 2
    inverse = np.linalg.inv(information)
    np.testing.assert_allclose(covariance(DATA, found, False), inverse)
    scores, meat = profile_scores(DATA, found), np.zeros((2, 2))
    for c in (0, 1):
        for k in range(5):
            meat += SQUARES[c, k] * np.outer(scores[c, k], scores[c, k])
    np.testing.assert_allclose(covariance(DATA, found, True), inverse @ meat @ inverse)
    alone = first_alone(DATA, found, False)
    assert alone[0, 0] == pytest.approx(1 / found.step.information[0, 0])
    assert np.isnan(alone[[0, 1, 1], [1, 0, 1]]).all()
    robust = first_alone(DATA, found, True)
    assert robust[0, 0] == pytest.approx(meat[0, 0] / found.step.information[0, 0] ** 2)
    assert np.isnan(robust[[0, 1, 1], [1, 0, 1]]).all()


def test_information_that_is_not_positive_has_no_covariance() -> None:
    def found(*rows):
        return SimpleNamespace(step=SimpleNamespace(information=np.array(rows)))

    for rows in ([[1.0, 2], [2, 1]], [[0.0, 0], [0, 1]], [[-1.0, 0], [0, 2]], [[1.0, 3], [-1, 1]]):
        assert np.isnan(covariance(DATA, found(*rows), False)).all()
    tilted = covariance(DATA, found([2.0, 0.4], [0.6, 1.0]), False)
    np.testing.assert_allclose(tilted, np.linalg.inv([[2, 0.5], [0.5, 1]]))
    for first in (0.0, -1.0):
        assert np.isnan(first_alone(DATA, found([first, 0], [0, 1]), False)).all()
    assert first_alone(DATA, found([0.5, 0], [0, -1]), False)[0, 0] == 2
    first_alone(DATA, found([0.5, 0], [0, -1]), False)[:] = 7
    assert np.isnan(covariance(DATA, found([-1.0, 0], [0, 1]), False)).all()
