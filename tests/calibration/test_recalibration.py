"""Recalibration: against its definition in loops, by any reference, and where there is none."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2

from polyroc import Predictions
from polyroc.calibration import recalibration
from polyroc.errors import InvalidInput, NotDefined, UnknownName


def cases(n_classes=3, n_cases=200, seed=0, spread=1.5):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n_cases, n_classes))
    drawn = np.argmax(truth + rng.gumbel(size=truth.shape), axis=1)
    q = np.exp(spread * truth + 0.3 * rng.normal(size=truth.shape))
    return drawn, q / q.sum(axis=1, keepdims=True)


def twin_log_likelihood(codes, q, a, b, weights):
    """Σ w log P(y), case by case, with the last class as reference."""
    total = 0.0
    for y, row, w in zip(codes, q, weights, strict=True):
        z = [math.log(p / row[-1]) for p in row[:-1]]
        odds = [math.exp(a[j] + sum(b[j][m] * z[m] for m in range(len(z)))) for j in range(len(z))]
        total += w * math.log(([*odds, 1.0][y]) / (1 + sum(odds)))
    return total


def test_the_maximum_is_that_of_the_definition():
    codes, q = cases(n_cases=60)
    weights = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    found = recalibration(codes, q, sample_weight=weights)
    scale = len(weights) / weights.sum()

    def full(theta):
        return -twin_log_likelihood(codes, q, theta[:2], theta[2:].reshape(2, 2), weights * scale)

    def intercepts(theta):
        return -twin_log_likelihood(codes, q, theta, np.eye(2), weights * scale)

    best = np.append(found.intercepts_beside_slopes, found.slopes.ravel())
    assert found.log_likelihoods["full"] == pytest.approx(-full(best), rel=1e-12)
    assert found.log_likelihoods["as_given"] == pytest.approx(-intercepts([0, 0]), rel=1e-12)
    solved = minimize(full, [0, 0, 1, 0, 0, 1], method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(best, solved.x, atol=1e-4)
    solved = minimize(intercepts, [0, 0], method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(found.intercepts, solved.x, atol=1e-4)


def test_standard_errors_are_those_of_second_derivatives():
    codes, q = cases(n_cases=80)
    found = recalibration(codes, q)
    best = np.append(found.intercepts_beside_slopes, found.slopes.ravel())

    def value(theta):
        return twin_log_likelihood(codes, q, theta[:2], theta[2:].reshape(2, 2), np.ones(80))

    steps, hessian = 1e-4 * np.eye(6), np.empty((6, 6))
    for i, one in enumerate(steps):
        for j, two in enumerate(steps):
            signs = value(best + one + two) - value(best + one - two)
            signs -= value(best - one + two) - value(best - one - two)
            hessian[i, j] = signs / (4 * 1e-8)
    errors = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    ours = np.append(found.intercepts_beside_slopes_errors, found.slope_errors.ravel())
    np.testing.assert_allclose(ours, errors, rtol=1e-3)


def test_tests_are_likelihood_ratios_with_their_degrees_of_freedom():
    for n_classes in (2, 3, 4):
        found = recalibration(*cases(n_classes))
        tests, k = found.test(), n_classes - 1
        assert {name: test.df for name, test in tests.items()} == {
            "intercepts": k,
            "slopes": k**2,
            "diagonal_slopes": k,
            "joint": k * (k + 1),
        }
        joint = tests["intercepts"].statistic + tests["slopes"].statistic
        assert tests["joint"].statistic == pytest.approx(joint)
        assert tests["joint"].p_value == pytest.approx(chi2.sf(joint, k * (k + 1)))
        assert (tests.statistic, tests.df, tests.p_value) == (
            tests["joint"].statistic,
            tests["joint"].df,
            tests["joint"].p_value,
        )
        assert tests["slopes"].statistic >= tests["diagonal_slopes"].statistic - 1e-9
        assert tests.frame()["hypothesis"].tolist() == list(tests)
    with pytest.raises(UnknownName, match=r"'slope' is not a hypothesis. There are intercepts, "):
        tests["slope"]


def test_another_reference_is_the_same_model():
    codes, q = cases(4, 300)
    y = np.array(list("abcd"))[codes]
    last, other = recalibration(y, q), recalibration(y, q, reference="b")
    assert (last.reference, other.compared) == ("d", ("a", "c", "d"))
    for name in ("intercepts", "slopes", "joint"):
        assert last.test()[name].statistic == pytest.approx(other.test()[name].statistic, abs=1e-7)
    np.testing.assert_allclose(last.apply(q), other.apply(q), atol=1e-7)
    # intercepts are log ratios of classes: those of b in one are minus those of d in the other
    assert last.intercepts[1] == pytest.approx(-other.intercepts[2], abs=1e-8)
    with pytest.raises(UnknownName, match=r"The reference 'e' is not a class."):
        recalibration(y, q, reference="e")


def test_recalibrated_probabilities_are_calibrated():
    codes, q = cases(3, 400)
    found = recalibration(codes, q)
    again = recalibration(codes, found.apply(q))
    np.testing.assert_allclose(again.slopes, np.eye(2), atol=1e-6)
    np.testing.assert_allclose(again.intercepts, 0, atol=1e-6)
    assert again.test().p_value > 0.999
    frame = pd.DataFrame(q, columns=[0, 1, 2])
    np.testing.assert_array_equal(found.apply(frame[[2, 0, 1]]), found.apply(q))
    with pytest.raises(NotDefined, match="needs probabilities, but row 0 of y_score sums to 2"):
        found.apply(2 * q)
    with pytest.raises(NotDefined, match=r"A probability of 0, as in row 0, has no logarithm."):
        found.apply([[0, 0.5, 0.5]])


def test_two_classes_by_one_column_or_two():
    codes, q = cases(2)
    both, one = recalibration(codes, q), recalibration(codes, q[:, 1])
    np.testing.assert_allclose(one.slopes, both.slopes, rtol=1e-9)
    np.testing.assert_allclose(one.apply(q[:, 1]), both.apply(q), rtol=1e-9)


def test_weights_are_free_of_scale_and_groups_count_once():
    codes, q = cases(3, 150)
    plain = recalibration(codes, q)
    np.testing.assert_allclose(
        recalibration(codes, q, sample_weight=np.full(150, 7.0)).slope_errors, plain.slope_errors
    )
    weights = np.random.default_rng(0).uniform(1, 3, 150)
    weighted = [recalibration(codes, q, sample_weight=c * weights) for c in (1, 10)]
    np.testing.assert_allclose(weighted[0].slope_errors, weighted[1].slope_errors)
    assert {test.method for test in weighted[0].test().values()} == {"wald"}
    # every case three times, as one group: nothing is learned from the copies
    often, groups = np.tile(np.arange(150), 3), np.tile(np.arange(150), 3)
    grouped = recalibration(codes[often], q[often], groups=groups)
    np.testing.assert_allclose(grouped.slopes, plain.slopes, atol=1e-7)
    held = Predictions(codes[often], q[often], groups=groups)
    np.testing.assert_array_equal(recalibration(held).slope_errors, grouped.slope_errors)
    single = recalibration(codes, q, groups=np.arange(150))
    np.testing.assert_allclose(grouped.slope_errors, single.slope_errors, rtol=1e-6)
    assert np.all(grouped.slope_errors > 0.5 * plain.slope_errors)
    few = recalibration(codes, q, groups=np.arange(150) % 4)
    assert math.isnan(few.test().p_value)
    assert [note.code for note in few.notes] == ["few-groups"]


def test_probabilities_of_zero_are_raised_and_it_is_said():
    codes, q = cases(3, 200)
    q = np.round(q, 2)
    q[:, -1] = 1 - q[:, :-1].sum(axis=1)
    q = np.clip(np.round(q, 2), 0, 1)
    zeros = q == 0
    assert zeros.any()
    found = recalibration(codes, q)
    assert found.floor == 0.005
    assert found.notes[0].text == (
        f"{zeros.sum()} probabilities of 0, in {zeros.any(axis=1).sum()} of 200 cases, were raised "
        "to 0.005, because 0 has no logarithm"
    )
    same = recalibration(
        codes, np.where(zeros, 0.005, q) / np.where(zeros, 0.005, q).sum(1)[:, None]
    )
    np.testing.assert_allclose(found.slopes, same.slopes, rtol=1e-6)
    higher = recalibration(codes, q, floor=0.05)
    assert "probabilities below 0.05" in higher.notes[0].text
    assert np.isfinite(higher.apply([[0, 0, 1]])).all()
    for floor in (0, 0.5, "low", math.nan):
        with pytest.raises(InvalidInput, match=r"floor must lie between 0 and 0.1, or be None"):
            recalibration(codes, q, floor=floor)


def test_where_there_is_no_maximum():
    codes, q = cases(3, 200)
    perfect = np.full((200, 3), 0.1)
    perfect[np.arange(200), codes] = 0.8
    jitter = np.random.default_rng(0).uniform(0, 0.01, q.shape)
    perfect = (perfect + jitter) / (perfect + jitter).sum(axis=1, keepdims=True)
    with pytest.raises(NotDefined, match="a combination of the log ratios separates classes"):
        recalibration(codes, perfect)
    first = np.where(codes == 0, 0.9, 0.05) + jitter[:, 0]  # separates class 0 alone
    rest = q[:, 1:] / q[:, 1:].sum(axis=1, keepdims=True) * (1 - first)[:, None]
    with pytest.raises(NotDefined, match="separates classes completely"):
        recalibration(codes, np.column_stack([first, rest]))
    with pytest.raises(NotDefined, match="log ratios of the probabilities are linearly dependent"):
        recalibration(codes, np.tile([0.2, 0.3, 0.5], (200, 1)))
    many = np.full((50, 50), 0.02)
    with pytest.raises(NotDefined, match="which is too many for 50 classes; at most 40"):
        recalibration(np.arange(50), many)
    with pytest.raises(NotDefined, match="Recalibration needs probabilities"):
        recalibration(codes, 2 * q)


def test_extreme_probabilities_and_one_error_in_many_cases_still_have_a_maximum():
    rng = np.random.default_rng(0)
    z = rng.normal(scale=300, size=2000)
    codes = (rng.random(2000) < 1 / (1 + np.exp(-z / 100))).astype(int)
    p = np.clip(1 / (1 + np.exp(-np.clip(z, -700, 700))), 1e-300, 1 - 1e-16)
    found = recalibration(codes, np.column_stack([1 - p, p]))
    assert 0 < found.slopes[0, 0] < 0.2
    sure = np.where(np.arange(5000) < 2500, 0.999, 0.001) + rng.uniform(-5e-4, 5e-4, 5000)
    codes = (sure < 0.5).astype(int)
    codes[[0, 4000]] = 1, 0
    assert recalibration(codes, np.column_stack([sure, 1 - sure])).n_cases == 5000


def test_results_are_frozen_and_tell_themselves():
    found = recalibration(*cases())
    assert pickle.loads(pickle.dumps(found)).test() == found.test()
    with pytest.raises(AttributeError):
        found.slopes = None
    frame = found.frame(0.9)
    assert frame.columns.tolist() == [
        "parameter",
        "class",
        "by",
        "value",
        "standard_error",
        "low",
        "high",
        "calibrated",
    ]
    assert len(frame) == 2 + 2 + 4 + 2
    slope = frame[frame["parameter"] == "slope"]
    assert slope["value"].tolist() == found.slopes.ravel().tolist()
    assert slope["calibrated"].tolist() == [1, 0, 0, 1]
    assert "diagonal_slopes" in repr(found) and "<table>" in found._repr_html_()
    assert len(found.to_dict()["parameters"]) == 10
