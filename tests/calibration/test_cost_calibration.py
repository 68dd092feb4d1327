"""Costs that probabilities promise, against those that decisions have."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from polyroc import CostSensitiveClassifier, Predictions
from polyroc.calibration import Recalibrated, cost_calibration
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.surface import ScoreModel, search

COSTS = np.array([[0, 1, 2], [3, 0, 1], [9, 4, 0.0]])


def drawn(n_cases, rng, sharpness=1.0):
    logits = rng.normal(size=(n_cases, 3))
    codes = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    raised = np.exp(sharpness * logits)
    return codes, raised / raised.sum(axis=1, keepdims=True)


def test_it_is_the_definition_case_by_case():
    rng = np.random.default_rng(0)
    codes, q = drawn(80, rng, 2)
    weights = rng.integers(1, 4, 80).astype(float)
    promised, paid, variances = [], [], []
    for y, p in zip(codes, q, strict=True):
        expected = [sum(COSTS[k, j] * p[k] for k in range(3)) for j in range(3)]
        j = expected.index(min(expected))
        promised.append(expected[j])
        paid.append(COSTS[y, j])
        variances.append(sum(p[k] * (COSTS[k, j] - expected[j]) ** 2 for k in range(3)))
    found = cost_calibration(codes, q, COSTS, sample_weight=weights)
    assert found.expected == pytest.approx(np.average(promised, weights=weights))
    assert found.observed == pytest.approx(np.average(paid, weights=weights))
    each = weights * (np.subtract(paid, promised) - found.difference) / weights.sum()
    seen = math.sqrt((each**2).sum() * 80 / 79)
    calibrated = math.sqrt(np.sum(weights**2 * variances)) / weights.sum()
    assert found.standard_error == pytest.approx(max(seen, calibrated))
    often = np.repeat(np.arange(80), 3)
    plain = cost_calibration(codes, q, COSTS)
    grouped = cost_calibration(codes[often], q[often], COSTS, groups=often)
    assert grouped.standard_error == pytest.approx(plain.standard_error)
    random = cost_calibration(codes, q, COSTS, groups=np.arange(80) % 40)
    assert 0.5 < random.standard_error / plain.standard_error < 2
    errors = cost_calibration(codes, q)
    assert errors.observed == pytest.approx(np.mean(q.argmax(axis=1) != codes))
    assert errors.to_dict()["difference"] == errors.difference


def test_calibrated_probabilities_keep_their_promise_and_extreme_ones_do_not():
    rng, rejected = np.random.default_rng(1), 0
    for _ in range(400):
        rejected += cost_calibration(*drawn(300, rng), COSTS).p_value < 0.05
    assert 0.025 <= rejected / 400 <= 0.08
    found = cost_calibration(*drawn(2000, rng, 3), COSTS)
    assert found.difference > 0.2 and found.p_value < 1e-6
    low, high, *_ = found.interval()
    assert low < found.difference < high


def test_errors_that_were_not_seen_do_not_condemn_calibrated_probabilities():
    """About one error in 100 cases: a third of the samples have none, and vary hardly at all."""
    rng, rejected, covered = np.random.default_rng(4), 0, 0
    for _ in range(200):
        top = rng.beta(100, 1, 100)
        lead = np.arange(100) % 2
        codes = np.where(rng.random(100) < top, lead, 1 - lead)
        q = np.where(lead[:, None] == [0, 1], top[:, None], 1 - top[:, None])
        found = cost_calibration(codes, q)
        low, high, *_ = found.interval()
        rejected, covered = rejected + (found.p_value < 0.05), covered + (low <= 0 <= high)
    assert rejected <= 16 and covered == 200 - rejected


def test_groups_that_do_not_vary_count_as_one_case_each():
    y, groups = np.arange(12) % 2, np.repeat([0, 1, 2], 4)
    q = np.where(y[:, None] == [0, 1], 0.9, 0.1)
    assert cost_calibration(y, q).standard_error == pytest.approx(math.sqrt(0.09 / 12))
    found = cost_calibration(y, q, groups=groups)
    assert found.standard_error == pytest.approx(math.sqrt(0.09 / 3))
    assert found.degrees_of_freedom == 2


def test_a_cost_sensitive_classifier_that_recalibrates():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X[:, :4]] * 3)  # features that repeat make naive Bayes too certain
    plain = CostSensitiveClassifier(GaussianNB(), COSTS).fit(X[::2], y[::2])
    model = CostSensitiveClassifier(GaussianNB(), COSTS, calibrate="temperature")
    model.fit(X[::2], y[::2])
    assert isinstance(model.estimator_, Recalibrated)
    assert model.estimator_.coefficients_[0, 1] < 0.7
    test = X[1::2], y[1::2]
    before, after = (
        cost_calibration(test[1], each.predict_proba(test[0]), COSTS) for each in (plain, model)
    )
    assert abs(after.difference) < abs(before.difference)
    decided = np.argmin(model.predict_proba(test[0]) @ COSTS, axis=1)
    assert (model.predict(test[0]) == decided).all()
    weighted = CostSensitiveClassifier(GaussianNB(), COSTS, calibrate="auto")
    assert weighted.fit(X, y, sample_weight=1.0 + y).n_features_in_ == 12


@pytest.mark.slow
def test_scikit_learn_accepts_one_that_recalibrates():
    with warnings.catch_warnings():  # of folds, in checks that have three cases of a class
        warnings.simplefilter("ignore", UserWarning)
        check_estimator(CostSensitiveClassifier(LogisticRegression(C=1), calibrate="auto", cv=3))


def test_errors_say_what_is_wrong():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InvalidInput, match='calibrate must be "auto", "temperature", "vector" or'):
        CostSensitiveClassifier(GaussianNB(), calibrate="isotonic").fit(X, y)
    with pytest.raises(InvalidType, match="has no predict_proba"):
        CostSensitiveClassifier(LinearSVC(), calibrate="auto").fit(X, y)
    with pytest.raises(NotDefined, match="An expected cost needs probabilities"):
        cost_calibration([0, 1], [[2, 3], [4, 5]])


def test_operating_points_tell_when_probabilities_are_off():
    codes, q = drawn(2000, np.random.default_rng(2), 3)
    found = search(ScoreModel(codes, q), generations=20, rng=0, progress=False)
    point = found.choose(costs=COSTS)
    miss = point.cost_calibration()
    assert miss.observed == pytest.approx(point.value)
    decided = np.asarray(point.decide(q))
    assert miss.expected == pytest.approx(np.mean((q @ COSTS)[np.arange(2000), decided]))
    assert "the probabilities are off: expected cost" in repr(point)
    (note,) = point.notes
    assert note.code == "miscalibrated-costs" and note.text == (
        f"the probabilities predict a cost of {miss.expected:.4f} per case, and the decisions cost "
        f"{miss.observed:.4f}, {miss.difference:.4f} more (standard error "
        f"{miss.standard_error:.4f}, p < .001): they are miscalibrated at these costs"
    )
    assert [each.code for each in found.notes] == ["miscalibrated-costs"]
    assert f"{cost_calibration(codes, q).observed:.4f}" in found.notes[0].text
    codes, q = drawn(2000, np.random.default_rng(3))
    found = search(ScoreModel(codes, q), generations=20, rng=0, progress=False)
    assert found.choose(costs=COSTS).notes[0].code == found.notes[0].code == "cost-calibration"
    assert "the probabilities are off" not in repr(found.choose(costs=COSTS))
    bare = replace(found, model=None).choose(costs=COSTS)
    assert "the probabilities are off" not in repr(bare)
    assert bare.notes == replace(found, model=None).notes == ()
    with pytest.raises(NotDefined, match="The surface does not have its cases"):
        bare.cost_calibration()


def test_operating_points_of_cases_in_groups_have_no_test():
    codes, q = drawn(900, np.random.default_rng(5), 4)
    patients = Predictions(codes, q, groups=np.arange(900) // 3)
    found = search(ScoreModel(patients), generations=5, rng=0, progress=False)
    alone = search(ScoreModel(codes, q), generations=5, rng=0, progress=False)
    point, other = found.choose(costs=COSTS), alone.choose(costs=COSTS)
    assert point.cost_calibration().difference == other.cost_calibration().difference
    assert math.isnan(point.cost_calibration().p_value)
    assert other.cost_calibration().p_value < 0.01
    for note in (*point.notes, *found.notes):
        assert note.code == "cost-calibration" and "(no standard error, no test)" in note.text
    assert "the probabilities are off" not in repr(point)
