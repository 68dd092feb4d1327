"""Fits and costs of data, part by part: starts, choices between maxima, notes and words."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtri

from polyroc.curves._binormal import BinormalCurve
from polyroc.curves._proper_binormal import ProperBinormalCurve
from polyroc.errors import InvalidInput, NotDefined
from polyroc.predictions import Predictions
from polyroc.utility import (
    _data_cost,
    _fits,
    fit_binormal,
    fit_proper,
    roc_hull,
    saec_binormal,
    saec_interval,
    saec_proper,
    to_binormal,
)
from polyroc.utility._categories import Categories, RankedCases
from polyroc.utility._data_cost import Cost, _notes, _replicate, advice, cost_of, cost_of_levels
from polyroc.utility._families import Conventional, Proper
from polyroc.utility._fits import (
    _certain,
    _other_starts,
    fit_of,
    fit_runs,
    limit_note,
    maximise_proper,
    proper_start,
    start_of,
)
from polyroc.utility._fitted import BinormalFit, ProperFit
from polyroc.utility._information import covariance
from polyroc.utility._likelihood import Maximum, diagonal_value, maximise

HANLEY = np.array([[33.0, 6, 6, 11, 2], [3, 2, 2, 11, 33]])
Y = np.repeat([0] * 5 + [1] * 5, HANLEY.ravel().astype(int))
RATINGS = np.repeat([1, 2, 3, 4, 5] * 2, HANLEY.ravel().astype(int))
FLAT = np.array([[2.0, 10, 10, 2], [8, 3, 3, 8]])


def data_of(table) -> Categories:
    table = np.array(table, dtype=float)
    return Categories(table, table)


# Starts


def start_by_loops(table):
    pooled = [low + high for low, high in table.T]
    total, before, z = sum(pooled), 0.0, []
    for each in pooled:
        z.append(float(ndtri((before + each / 2) / total)))
        before += each
    means, spreads = [], []
    for row in table:
        mean = sum(n * x for n, x in zip(row, z, strict=True)) / sum(row)
        square = sum(n * (x - mean) ** 2 for n, x in zip(row, z, strict=True)) / sum(row)
        means.append(mean)
        spreads.append(math.sqrt(max(square, 0.01)))
    log_b = min(max(math.log(spreads[0] / spreads[1]), -1.5), 1.5)
    return [min(max((means[1] - means[0]) / math.hypot(*spreads), -3), 3), log_b]


@pytest.mark.parametrize(
    "table",
    [
        HANLEY,
        FLAT,
        [[40, 1, 40], [0, 20, 0]],
        [[0, 20, 0], [40, 1, 40]],
        [[90, 90, 1, 0, 0], [0, 0, 1, 4, 4]],
        [[0, 0, 1, 50, 50], [50, 50, 1, 0, 0]],
        [[0, 5, 1], [5, 0.001, 0]],
    ],
)
def test_the_start_is_made_of_normal_scores(table) -> None:
    table = np.array(table, dtype=float)
    expected = start_by_loops(table)
    assert start_of(data_of(table)).tolist() == pytest.approx(expected)
    z, log_b = expected
    other = [log_b / 2, max(z * math.sqrt(2), 0.2)]
    assert proper_start(data_of(table)).tolist() == pytest.approx(other)


@pytest.mark.parametrize("start", [(0.3, 1.1), (-0.6, 0.4), (0.0, 0.2), (2.2, 4.0)])
def test_other_starts_have_the_same_area_or_lie_half_way(start) -> None:
    shape, d_a = start
    area = max(ProperBinormalCurve(math.tanh(shape), d_a).area, 0.5 + 1e-6)
    found = [(math.tanh(a), d) for a, d in _other_starts(np.array(start))]
    far = found[0][0]
    assert found == [
        (far, 0.05),
        (pytest.approx(-far), 0.05),
        (pytest.approx(0.6 * far), pytest.approx(0.6 * d_a)),
        (pytest.approx(-0.6 * far), pytest.approx(0.6 * d_a)),
        (0.0, 0.3),
    ]
    if far < 0.979:
        assert ProperBinormalCurve(far, 0.0).area == pytest.approx(area)
    else:
        assert far == pytest.approx(0.98) and ProperBinormalCurve(0.98, 0.0).area < area


def test_other_starts_of_a_useless_curve_are_a_little_better_than_it() -> None:
    far = math.tanh(_other_starts(np.array([0.0, 0.0]))[0][0])
    assert ProperBinormalCurve(far, 0.0).area - 0.5 == pytest.approx(1e-6, rel=1e-3)


def test_d_a_is_certain_six_standard_errors_from_0(monkeypatch) -> None:
    def found(d_a, settled=True):
        return SimpleNamespace(settled=settled, at=SimpleNamespace(theta=np.array([9.0, d_a])))

    def plain(data, found, sandwich):
        assert not sandwich
        return np.array([[99.0, 0], [0, 0.25]])

    monkeypatch.setattr(_fits, "covariance", plain)
    data = data_of(HANLEY)
    assert _certain(data, found(3.01)) and _certain(data, found(-3.01))
    assert not _certain(data, found(2.99)) and not _certain(data, found(3.01, settled=False))
    monkeypatch.setattr(_fits, "covariance", lambda *_: np.full((2, 2), np.nan))
    assert not _certain(data, found(30.0))


# Several maxima


def maxima(monkeypatch, results):
    """Fake searches that end with these values; what they started from is recorded."""
    starts: list = []
    real = maximise(Proper(), data_of(HANLEY), np.array([0.0, 1.0]))

    def fake(family, data, start):
        value, settled = results[len(starts)]
        starts.append(np.asarray(start).tolist())
        place = np.array([float(len(starts)), 1.0])
        at = SimpleNamespace(value=value, theta=place, place=real.at.place)
        return Maximum(at, real.step, len(starts), settled)

    monkeypatch.setattr(_fits, "maximise", fake)
    return starts


def test_the_highest_maximum_that_has_settled_is_taken(monkeypatch) -> None:
    data = data_of(HANLEY)
    monkeypatch.setattr(_fits, "_certain", lambda *_: False)
    for results, chosen in (
        ([(-9, True), (-8, True), (-7, True), (-9, True), (-9, True), (-8.5, True)], 3),
        ([(-7, False), (-8, True), (-7 - 5e-8, True), (-9, True), (-9, True), (-9, True)], 3),
        ([(-7, False), (-8, True), (-7 - 2e-7, True), (-9, True), (-9, True), (-9, True)], 1),
        ([(-7, True), (-7, True), (-7, True), (-7, True), (-7, True), (-7, True)], 1),
        ([(-9, True), (-9, True), (-9, True), (-9, True), (-9, True), (-1, False)], 6),
    ):
        starts = maxima(monkeypatch, results)
        assert maximise_proper(data).steps == chosen
        expected = [proper_start(data), *_other_starts(proper_start(data))]
        np.testing.assert_allclose(starts, expected)


def test_a_certain_maximum_is_the_only_one_looked_for(monkeypatch) -> None:
    data = data_of(HANLEY)
    monkeypatch.setattr(_fits, "_certain", lambda *_: True)
    starts = maxima(monkeypatch, [(-7, True)])
    assert maximise_proper(data).steps == 1 and len(starts) == 1


@pytest.mark.parametrize(("c", "used"), [(0.4, 0.4), (-0.995, -0.98), (0.995, 0.98)])
def test_a_resample_starts_near_the_fit_of_all_cases(monkeypatch, c, used) -> None:
    data = data_of(HANLEY)
    monkeypatch.setattr(_fits, "_certain", lambda *_: False)
    starts = maxima(monkeypatch, [(-8, True), (-7, True)])
    assert maximise_proper(data, SimpleNamespace(c=c, d_a=1.7)).steps == 2
    np.testing.assert_allclose(starts, [proper_start(data), [math.atanh(used), 1.7]])


@pytest.mark.parametrize(("above", "diagonal"), [(-0.5, True), (0.0, True), (1e-6, False)])
def test_a_maximum_not_above_the_diagonal_is_the_diagonal(monkeypatch, above, diagonal) -> None:
    data = data_of(HANLEY)
    monkeypatch.setattr(_fits, "_certain", lambda *_: True)
    maxima(monkeypatch, [(diagonal_value(data) + above, True)])
    assert maximise_proper(data).diagonal is diagonal


# Notes


def test_limits_in_words() -> None:
    plain = BinormalCurve(1.0, 1.0)
    perfect = "the likelihood rises as the curve becomes perfect"
    assert limit_note(BinormalCurve(7.0, 1.0), True, 0.1, 0.0) == perfect
    assert limit_note(BinormalCurve(6.6, 1.0), True, 0.1, 0.0) is None  # area 1 − 1.5e-6
    assert limit_note(plain, True, 4.99, 2.0) is None
    singular = "the information about the parameters is singular"
    for settled, vague in ((True, 5.0), (False, 0.1), (True, math.nan)):
        assert limit_note(plain, settled, vague, 0.49) == singular
        assert limit_note(plain, settled, vague, -0.49) == singular
        told = "the likelihood rises, or is flat, towards b → "
        assert limit_note(plain, settled, vague, 0.5) == told + "∞"
        assert limit_note(plain, settled, vague, -0.5) == told + "0"


def test_flat_and_diagonal_fits_in_words() -> None:
    flat = fit_of(data_of(FLAT), "proper", np.ones(46))
    assert flat.note == "d_a is at its limit 0, where the likelihood is flat in it"
    assert flat.converged and np.isnan(flat.covariance[[0, 1, 1], [1, 0, 1]]).all()
    table = data_of([[1, 2, 3, 10], [10, 3, 2, 1]])
    found = fit_of(table, "proper", np.ones(32))
    assert isinstance(found, ProperFit) and found.converged and found.n_categories == 4
    assert found.note == (
        "the best curve is the diagonal, c = d_a = 0, where there are no standard errors"
    )
    assert found.log_likelihood == pytest.approx(diagonal_value(table))
    assert np.isnan(found.covariance).all()
    assert repr(found) == "ProperFit(c = 0.0000 ± nan, d_a = 0.0000 ± nan)"
    assert found.to_dict()["c_standard_error"] is None and found.to_dict()["c"] == 0.0


def proper_fit_at(monkeypatch, theta, spread, settled=True):
    """The fit where the search ended at these parameters with this covariance of them."""
    data = data_of(HANLEY)
    real = maximise(Proper(), data, np.array([0.0, 1.0]))
    at = SimpleNamespace(theta=np.array(theta), value=-5.0, place=real.at.place)
    monkeypatch.setattr(_fits, "maximise_proper", lambda *_: Maximum(at, real.step, 4, settled))
    asked: list = []

    def covariance(*_, alone=False):
        asked.append(alone)
        return np.array(spread, dtype=float)

    monkeypatch.setattr(_fits, "_scaled_covariance", covariance)
    return fit_of(data, "proper", np.ones(109)), asked


@pytest.mark.parametrize(
    ("d_a", "variance", "flat"),
    [(0.099, 1.0, True), (-0.099, 1.0, True), (0.099, 0.99, False), (0.101, 1.0, False),
     (0.05, math.nan, True)],
)  # fmt: skip
def test_where_the_likelihood_is_flat_in_d_a(monkeypatch, d_a, variance, flat) -> None:
    fit, asked = proper_fit_at(monkeypatch, [0.3, d_a], [[0.04, 0.01], [0.01, variance]])
    assert asked == [False, True][: 1 + flat]
    assert (fit.note is not None) == flat and fit.converged
    assert fit.d_a == abs(d_a) and fit.c == pytest.approx(math.tanh(0.3))
    assert fit.log_likelihood == -5.0 and fit.iterations == 4


def test_covariances_of_the_shape_follow_from_those_of_its_artanh(monkeypatch) -> None:
    fit, _ = proper_fit_at(monkeypatch, [0.3, 1.2], SPREAD)
    by = 1 - math.tanh(0.3) ** 2
    np.testing.assert_allclose(fit.covariance, [[0.04 * by**2, 0.01 * by], [0.01 * by, 0.09]])


@pytest.mark.parametrize(
    ("theta", "error", "settled", "words"),
    [
        (0.26, 2.49, True, None),
        (0.26, 2.51, True, "b → ∞"),
        (-0.26, 2.51, True, "b → 0"),
        (0.24, 2.51, True, "singular"),
        (0.26, 0.1, False, "b → ∞"),
    ],
)
def test_proper_fits_that_are_vague_about_the_shape(
    monkeypatch, theta, error, settled, words
) -> None:
    """The logarithm of b is twice the artanh of c."""
    spread = [[error**2, 0], [0, 0.01]]
    fit, _ = proper_fit_at(monkeypatch, [theta, 1.2], spread, settled)
    assert fit.converged is (words is None)
    assert (fit.note is None) if words is None else (words in fit.note)
    assert np.isnan(fit.covariance).all() == (words is not None)


@pytest.mark.parametrize(
    ("error", "log_b", "settled", "words"),
    [
        (4.99, 0.6, True, None),
        (5.01, 0.6, True, "b → ∞"),
        (5.01, -0.6, True, "b → 0"),
        (5.01, 0.4, True, "singular"),
        (0.1, -0.6, False, "b → 0"),
    ],
)
def test_conventional_fits_that_are_vague_about_b(
    monkeypatch, error, log_b, settled, words
) -> None:
    data = data_of(HANLEY)
    real = maximise(Conventional(), data, start_of(data))
    theta = np.array([0.7, log_b])
    at = SimpleNamespace(theta=theta, value=-5.0, place=real.at.place)
    monkeypatch.setattr(_fits, "maximise", lambda *_: Maximum(at, real.step, 4, settled))
    spread = np.array([[0.04, 0.01], [0.01, error**2]])
    monkeypatch.setattr(_fits, "_scaled_covariance", lambda *_: spread)
    fit = fit_of(data, "binormal", np.ones(109))
    assert fit.b == pytest.approx(math.exp(log_b))
    assert fit.a == pytest.approx(0.7 * math.hypot(1, fit.b))
    assert fit.converged is (words is None)
    if words is None:
        change = Conventional.jacobian(theta)
        np.testing.assert_allclose(fit.covariance, change @ spread @ change.T)
    else:
        assert words in fit.note and np.isnan(fit.covariance).all()


def test_three_classes_are_told_who_needs_two() -> None:
    for fit in (fit_binormal, fit_proper, roc_hull):
        with pytest.raises(NotDefined) as reason:
            fit([0, 1, 2], np.eye(3))
        assert str(reason.value).startswith(
            f"{fit.__name__} is defined for 2 classes, got 3. The expected cost of three or more "
            "classes is that of their ROC surface: use utility.ideal_observer(probabilities)"
        )
    for fit in (fit_binormal, fit_proper):
        with pytest.raises(InvalidInput, match=f"{fit.__name__} treats cases as independent"):
            fit(Predictions(Y, RATINGS, groups=np.arange(len(Y)) // 2))
        with pytest.raises(InvalidInput, match='weights must be "sampling" or "frequency"'):
            fit(Y, RATINGS, weights="copies")


def test_labels_say_which_class_is_positive() -> None:
    names = np.where(Y == 1, "ill", "well")
    for fit in (fit_binormal, fit_proper):
        plain = fit(Y, RATINGS)
        named = fit(names, RATINGS, labels=["well", "ill"])
        two = fit(Y, np.column_stack([RATINGS * 0, RATINGS]))
        assert repr(plain) == repr(named) == repr(two)
    hull = roc_hull(names, RATINGS, labels=["well", "ill"])
    assert hull.area == roc_hull(Y, RATINGS).area


def test_proper_fits_take_weights_for_what_they_are() -> None:
    weights = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    copies = fit_proper(np.repeat(Y, weights.astype(int)), np.repeat(RATINGS, weights.astype(int)))
    counted = fit_proper(Y, RATINGS, sample_weight=weights, weights="frequency")
    np.testing.assert_allclose(counted.covariance, copies.covariance, rtol=1e-5)
    sampled = fit_proper(Y, RATINGS, sample_weight=weights)
    assert sampled.standard_errors["d_a"] > 1.2 * counted.standard_errors["d_a"]
    plain = fit_proper(Y, RATINGS)
    scaled = fit_proper(Y, RATINGS, sample_weight=np.full(len(Y), 5.0))
    np.testing.assert_allclose(scaled.covariance, plain.covariance, rtol=1e-5)
    five = fit_proper(Y, RATINGS, sample_weight=np.full(len(Y), 5.0), weights="frequency")
    np.testing.assert_allclose(5 * five.covariance, plain.covariance, rtol=1e-5)


def test_weights_that_differ_give_the_covariance_of_the_sandwich() -> None:
    weights = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    data = fit_runs(RankedCases.of(Predictions(Y, RATINGS, sample_weight=weights)))
    found = maximise(Conventional(), data, start_of(data))
    change = Conventional.jacobian(found.at.theta)
    expected = change @ covariance(data, found, True) @ change.T
    fit = fit_binormal(Y, RATINGS, sample_weight=weights)
    np.testing.assert_allclose(fit.covariance, expected, rtol=1e-9)


def test_what_a_fit_keeps() -> None:
    data = data_of(HANLEY)
    for model, family, start in (
        ("binormal", Conventional(), start_of(data)),
        ("proper", Proper(), proper_start(data)),
    ):
        fit, found = fit_of(data, model, np.ones(109)), maximise(family, data, start)
        assert fit.iterations == found.steps and fit.n_categories == 5 and fit.note is None
        assert fit.log_likelihood == found.at.value
        points = [(1 - low, 1 - high) for low, high in found.at.place.below.T[::-1]]
        np.testing.assert_allclose(fit.operating_points, points)
        assert (np.diff(fit.operating_points, axis=0) > 0).all()
        np.testing.assert_allclose(
            fit.curve.true_positive_rate(fit.operating_points[:, 0]),
            fit.operating_points[:, 1],
            atol=1e-9,
        )
    with pytest.raises(NotDefined, match="one operating point"):
        fit_of(data_of([[5, 3], [2, 6]]), "proper", np.ones(16))


# Standard errors by the delta method

KEPT = {
    "log_likelihood": -1.5,
    "converged": True,
    "iterations": 3,
    "n_categories": 4,
    "operating_points": np.zeros((3, 2)),
    "note": None,
}
SPREAD = np.array([[0.04, 0.01], [0.01, 0.09]])


def slope(cost, first, second):
    step = 1e-4
    return np.array(
        [
            (cost(first + step, second) - cost(first - step, second)) / (2 * step),
            (cost(first, second + step) - cost(first, second - step)) / (2 * step),
        ]
    )


def test_errors_of_area_and_cost_by_hand() -> None:
    fit = BinormalFit(a=1.3, b=0.7, covariance=SPREAD, **KEPT)
    proper = ProperFit(c=-0.2, d_a=1.1, covariance=SPREAD, **KEPT)
    for found, curve, pair in (
        (fit, BinormalCurve, (1.3, 0.7)),
        (proper, ProperBinormalCurve, (-0.2, 1.1)),
    ):
        assert (found.area, found.saec) == (curve(*pair).area, curve(*pair).saec)
        for quantity, claimed in (
            ("area", found.area_standard_error),
            ("saec", found.saec_standard_error),
        ):
            by = slope(lambda a, b, q=quantity, k=curve: getattr(k(a, b), q), *pair)
            assert claimed == pytest.approx(math.sqrt(by @ SPREAD @ by), rel=1e-4)
    assert fit.standard_errors == {"a": pytest.approx(0.2), "b": pytest.approx(0.3)}
    assert fit.parameters == {"a": 1.3, "b": 0.7}
    assert proper.parameters == {"c": -0.2, "d_a": 1.1}
    assert repr(fit) == "BinormalFit(a = 1.3000 ± 0.2000, b = 0.7000 ± 0.3000)"
    stopped = BinormalFit(a=1.3, b=0.7, covariance=SPREAD, **{**KEPT, "converged": False})
    assert repr(stopped).endswith("b = 0.7000 ± 0.3000, not converged)")


def test_a_parameter_without_a_variance_does_not_matter() -> None:
    spread = np.array([[0.04, np.nan], [np.nan, np.nan]])
    held = ProperFit(c=0.3, d_a=0.4, covariance=spread, **KEPT)
    by = slope(lambda c, d: ProperBinormalCurve(c, d).saec, 0.3, 0.4)
    assert held.saec_standard_error == pytest.approx(abs(by[0]) * 0.2, rel=1e-4)
    assert held.to_dict()["d_a_standard_error"] is None
    assert held.to_dict()["c_standard_error"] == pytest.approx(0.2)
    none = ProperFit(c=0.3, d_a=0.4, covariance=np.full((2, 2), np.nan), **KEPT)
    assert math.isnan(none.saec_standard_error) and math.isnan(none.area_standard_error)


def test_parameters_at_the_edge_of_their_range_are_not_nudged_out_of_it() -> None:
    for fit in (
        ProperFit(c=1.0, d_a=0.5, covariance=SPREAD, **KEPT),
        ProperFit(c=-1.0, d_a=0.5, covariance=SPREAD, **KEPT),
        ProperFit(c=0.2, d_a=0.0, covariance=SPREAD, **KEPT),
        BinormalFit(a=0.5, b=1e-6, covariance=SPREAD, **KEPT),
    ):
        assert fit.area_standard_error >= 0 and fit.saec_standard_error >= 0


def test_fits_equal_only_themselves() -> None:
    one, other = (BinormalFit(a=1.3, b=0.7, covariance=SPREAD, **KEPT) for _ in range(2))
    assert one == one and one != other
    with pytest.raises(AttributeError):
        one.a = 2.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        BinormalFit(1.3, 0.7)  # type: ignore[call-arg, misc]


# Costs of data


def test_costs_at_their_limits() -> None:
    right, wrong = data_of([[3, 0], [0, 2]]), data_of([[0, 3], [2, 0]])
    for model in ("binormal", "proper"):
        assert cost_of_levels(right, model, np.ones(1)) == (0.0, None, None)
    assert cost_of_levels(wrong, "binormal", np.ones(1)) == (1.0, None, None)
    assert cost_of_levels(wrong, "proper", np.ones(1)) == (math.sqrt(0.5), None, None)
    assert cost_of_levels(right, "hull", np.ones(1)).saec == 0
    found = cost_of_levels(data_of([[5, 0, 5], [0, 10, 0]]), "binormal", np.ones(20))
    assert found.fault == found.fit.note == "the likelihood rises, or is flat, towards b → ∞"
    fine = cost_of_levels(data_of(HANLEY), "proper", np.ones(109))
    assert fine.fault is None and fine.saec == fine.fit.saec


def test_copies_of_cases_are_costed() -> None:
    cases = RankedCases.of(Predictions(Y, RATINGS))
    copies = np.random.default_rng(1).integers(0, 3, len(Y)).astype(float)
    order = np.argsort(RATINGS, kind="stable")
    rows = np.repeat(order, copies.astype(int))
    for model in ("binormal", "proper", "hull"):
        again = cost_of(RankedCases.of(Predictions(Y[rows], RATINGS[rows])), model)
        assert cost_of(cases, model, copies).saec == pytest.approx(again.saec, abs=1e-9)


def test_advice_in_words() -> None:
    levels = data_of(HANLEY)
    hull = roc_hull(Y, RATINGS).saec
    assert advice(Cost(0.01234, "it runs away"), levels, "proper") == (
        "The proper curve has no best fit to these scores: it runs away. The SAEC of 0.012 is that "
        f'limit, not an estimate. Use model="hull", which gives {hull:.4f}, or pass more cases or '
        "finer scores."
    )


def test_replicates_that_are_left_out_are_told_apart() -> None:
    drawn = [Cost(0.1), Cost(math.nan, "no curve"), Cost(0.2, "limit"), Cost(0.2, "limit")]
    assert [(note.code, note.text) for note in _notes(drawn)] == [
        ("undefined-replicates", "1 of 4 replicates have no curve and are left out"),
        (
            "replicates-at-limit",
            "the fits of 2 of 4 replicates ran to a limit of the model and are left out",
        ),
    ]
    assert _notes(drawn[:1]) == ()
    assert [note.code for note in _notes(drawn[:2])] == ["undefined-replicates"]
    assert [note.code for note in _notes(drawn[2:])] == ["replicates-at-limit"]


@pytest.mark.parametrize("model", ["binormal", "proper", "hull"])
def test_replicates_are_drawn_within_classes_by_hand(model) -> None:
    weights = np.random.default_rng(2).uniform(0.5, 2, len(Y))
    cases = RankedCases.of(Predictions(Y, RATINGS, sample_weight=weights))
    whole = cost_of(cases, model)
    for index in (0, 3):
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence((5, index))))
        copies = np.zeros(len(Y))
        for side in (False, True):
            members = [i for i in range(len(Y)) if cases.positive[i] == side]
            for chosen in generator.integers(0, len(members), len(members)):
                copies[members[chosen]] += 1
        expected = cost_of(cases, model, copies, whole.fit)
        assert _replicate(cases, model, 5, index, whole).saec == expected.saec


def test_resamples_without_a_curve() -> None:
    cases = RankedCases.of(Predictions([0, 1, 0, 1], [1.0, 1.0, 2.0, 2.0]))
    found = _replicate(cases, "binormal", 0, 0, Cost(0.5))
    assert math.isnan(found.saec) and found.fault == "no curve" and found.fit is None


@pytest.mark.parametrize(("fine", "enough"), [(1, False), (2, True)])
def test_an_interval_needs_two_replicates(monkeypatch, fine, enough) -> None:
    values = [Cost(0.1 + 0.1 * i) for i in range(fine)] + [Cost(math.nan, "no curve")] * 3
    monkeypatch.setattr(_data_cost, "_replicate", lambda *arguments: values[arguments[3]])
    if not enough:
        with pytest.raises(NotDefined) as reason:
            saec_interval(Y, RATINGS, n_replicates=len(values), rng=0)
        assert str(reason.value) == (
            "Of 4 resamples 1 gave a curve that could be fitted. Pass more cases or finer scores, "
            'or use model="hull".'
        )
        return
    found = saec_interval(Y, RATINGS, n_replicates=len(values), rng=0)
    assert found.replicates.tolist() == [0.1, 0.2]
    assert found.standard_error == pytest.approx(math.sqrt(0.005))
    assert found.notes[0].text == "3 of 5 replicates have no curve and are left out"


def test_what_the_interval_keeps() -> None:
    weights = np.random.default_rng(2).uniform(0.5, 2, len(Y))
    names = np.where(Y == 1, "ill", "well")
    found = saec_interval(
        names, RATINGS, labels=["well", "ill"], sample_weight=weights, n_replicates=2, rng=3
    )
    assert found.counts == {"well": 58, "ill": 51}
    assert found.settings == {"model": "binormal", "n_replicates": 2, "seed": 3}
    assert (found.metric, found.method, found.direction) == ("saec", "bootstrap", "lower")
    assert found.range == (0.0, 4 / (2 + math.sqrt(math.pi)))
    plain = cost_of(RankedCases.of(Predictions(Y, RATINGS, sample_weight=weights)), "binormal")
    assert found.value == plain.saec
    with pytest.raises(InvalidInput, match="saec_interval treats cases as independent"):
        saec_interval(Predictions(Y, RATINGS, groups=np.arange(len(Y)) // 2))
    with pytest.raises(NotDefined, match="saec is defined for 2 classes, got 3"):
        saec_interval([0, 1, 2], np.eye(3))
    with pytest.raises(InvalidInput, match='model must be "binormal", "proper" or "hull"'):
        saec_interval(Y, RATINGS, model="probit")


def test_replicates_by_default(monkeypatch) -> None:
    asked: list = []

    def one(cases, model, seed, index, whole):
        asked.append((model, seed, index))
        return Cost(0.1 + 1e-4 * index)

    monkeypatch.setattr(_data_cost, "_replicate", one)
    assert len(saec_interval(Y, RATINGS, rng=1).replicates) == 500
    assert asked == [("binormal", 1, index) for index in range(500)]


def test_pairs_of_parameters_by_hand() -> None:
    with pytest.raises(InvalidInput) as reason:
        to_binormal([0.2, 1.0], [1.0, 0.5])
    assert str(reason.value) == "c = 1 means b = ∞ and a = ∞. Give a c below 1."
    a, b = to_binormal([-1.0, 0.0, 0.5], [2.0, 2.0, 1.0])
    np.testing.assert_allclose(b, [0, 1, 3])
    np.testing.assert_allclose(a, [math.sqrt(2), 2, math.sqrt(5)])
    assert float(saec_binormal(0, 1)) == pytest.approx(math.sqrt(0.5))
    assert float(saec_proper(0, 0)) == pytest.approx(math.sqrt(0.5))
