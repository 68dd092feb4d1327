"""Recalibrated classifiers: what each map corrects, which is chosen, and scikit-learn's checks."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from polyroc.calibration import Recalibrated, recalibration
from polyroc.errors import InvalidInput, InvalidType


class Given(ClassifierMixin, BaseEstimator):
    """Takes probabilities as features and gives them back."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)


def drawn(n_cases=1500, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n_cases, n_classes))
    return logits, np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)


def softmax(logits):
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


@pytest.mark.system
@parametrize_with_checks([Recalibrated(LogisticRegression(C=1), cv=3)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_each_map_is_chosen_where_it_is_the_truth():
    rng = np.random.default_rng(0)
    q = softmax(1.5 * rng.normal(size=(2500, 3)))
    u = np.log(q) - np.log(q).mean(axis=1, keepdims=True)
    turn = np.array([[1.0, 0.9, -0.6], [-0.7, 1.0, 0.9], [0.7, -0.5, 1.0]])
    true = {
        "none": u,
        "temperature": 0.5 * u,
        "vector": u * [1.8, 0.4, 1.0] + [1.5, 0, -1],
        "multinomial": u @ turn.T,
    }
    for method, predictors in true.items():
        y = np.argmax(predictors + rng.gumbel(size=q.shape), axis=1)
        model = Recalibrated(Given()).fit(q, y)
        after = model.losses_[model.method_]
        assert after == min(model.losses_.values()) < log_loss(y, softmax(predictors)) + 0.01
        if method != "none":
            assert model.losses_["none"] > after + 0.02
            assert model.method_ == method
            named = Recalibrated(Given(), method=method).fit(q, y)
            np.testing.assert_array_equal(named.predict_proba(q), model.predict_proba(q))
        p = model.predict_proba(q)
        np.testing.assert_allclose(p, softmax(predictors), atol=0.12)
        assert (model.predict(q) == p.argmax(axis=1)).all()


def test_the_temperature_is_that_of_a_search():
    logits, y = drawn(300)
    q = softmax(3 * logits)
    model = Recalibrated(Given(), method="temperature", ridge=1e-9).fit(q, y)

    def loss(slope):
        return log_loss(y, softmax(slope[0] * np.log(q)))

    slope = minimize(loss, [0.5], method="Nelder-Mead", options={"xatol": 1e-8}).x[0]
    np.testing.assert_allclose(np.diag(model.coefficients_[:, 1:]), slope, atol=1e-5)
    assert (model.predict(q) == q.argmax(axis=1)).all()


def test_without_a_ridge_the_multinomial_map_is_the_recalibration():
    logits, y = drawn(400)
    q = softmax(1.7 * logits + [0.5, 0, 0])
    model = Recalibrated(Given(), method="multinomial", ridge=1e-7).fit(q, y)
    np.testing.assert_allclose(model.predict_proba(q), recalibration(y, q).apply(q), atol=1e-5)


def test_separated_classes_and_probabilities_of_zero_have_a_map():
    X, y = load_iris(return_X_y=True)
    for inner in (DecisionTreeClassifier(random_state=0), KNeighborsClassifier(3), GaussianNB()):
        model = Recalibrated(inner, method="multinomial").fit(X, y)
        p = model.predict_proba(X)
        assert np.isfinite(p).all() and (p > 0).all()
        assert model.score(X, y) > 0.9
        assert 0 < model.floor_ <= 0.5
    assert Recalibrated(GaussianNB(), floor=0.01).fit(X, y).floor_ == 0.01


def test_a_fitted_classifier_is_recalibrated_on_the_cases_given():
    X, y = load_iris(return_X_y=True)
    fitted = GaussianNB().fit(X[::2], y[::2])
    model = Recalibrated(FrozenEstimator(fitted), method="temperature").fit(X[1::2], y[1::2])
    slope = model.coefficients_[0, 1]
    expected = softmax(slope * np.log(np.maximum(fitted.predict_proba(X), model.floor_)))
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-6)


def test_weights_count_as_cases():
    logits, y = drawn(200)
    q, weights = softmax(2 * logits), np.arange(200) % 3
    often = np.repeat(np.arange(200), weights)
    splits = [
        (np.flatnonzero(np.arange(200) % 2 == f), np.flatnonzero(np.arange(200) % 2 != f))
        for f in (0, 1)
    ]
    copies = [(np.flatnonzero(often % 2 == f), np.flatnonzero(often % 2 != f)) for f in (0, 1)]
    weighted = Recalibrated(Given(), cv=splits).fit(q, y, sample_weight=weights)
    repeated = Recalibrated(Given(), cv=copies).fit(q[often], y[often])
    np.testing.assert_allclose(weighted.coefficients_, repeated.coefficients_, atol=1e-9)
    assert weighted.losses_ == pytest.approx(repeated.losses_)


def test_errors_say_what_is_wrong():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match='method must be "auto", "temperature", "vector" or'):
        Recalibrated(GaussianNB(), method="isotonic").fit(X, y)
    with pytest.raises(InvalidInput, match="ridge must be a positive number, got 0"):
        Recalibrated(GaussianNB(), ridge=0).fit(X, y)
    with pytest.raises(InvalidType, match="has no predict_proba"):
        Recalibrated(LinearSVC()).fit(X, y)
    with pytest.raises(InvalidType, match="takes no sample_weight"):
        Recalibrated(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(150))
    codes = np.arange(410) % 41
    q = np.full((410, 41), 1 / 41)
    with pytest.raises(InvalidInput, match="too many for 41 classes; at most 40"):
        Recalibrated(Given(), method="multinomial").fit(q, codes)
    assert "multinomial" not in Recalibrated(Given()).fit(q, codes).losses_
