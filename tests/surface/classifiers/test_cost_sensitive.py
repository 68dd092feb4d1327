"""Decisions of least expected cost: by loops, at ties, and as a scikit-learn estimator."""

import io

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.surface.classifiers.cost_sensitive import CostSensitiveClassifier, decide

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
COSTS = np.array([[0, 1, 2], [3, 0, 1], [9, 4, 0.0]])


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of the linear algebra cost more than they bring on data this small."""
    with threadpool_limits(1):
        yield


def twin_of_decide(probabilities, costs):
    """argmin_j Σ_k λ_kj p_k, case by case."""
    decisions = []
    for p in probabilities:
        expected = [sum(costs[k][j] * p[k] for k in range(len(p))) for j in range(len(p))]
        decisions.append(expected.index(min(expected)))
    return decisions


@given(st.integers(2, 6), st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_decisions_are_those_of_the_definition(n_classes, seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n_classes), 30)
    costs = rng.uniform(size=(n_classes, n_classes)) * (1 - np.eye(n_classes))
    assert decide(p, costs).tolist() == twin_of_decide(p.tolist(), costs.tolist())


@given(st.integers(2, 6), st.integers(0, 10**6), st.sampled_from([1.0, 0.1, 7.0]))
@settings(max_examples=50, deadline=None)
def test_equal_costs_are_argmax_also_at_ties(n_classes, seed, cost):
    rng = np.random.default_rng(seed)
    p = rng.integers(0, 3, (50, n_classes)) * rng.choice([1e-300, 0.1, 1 / 3], (50, 1))
    assert (decide(p, cost * (1 - np.eye(n_classes))) == p.argmax(axis=1)).all()


@pytest.mark.system
@parametrize_with_checks([CostSensitiveClassifier(LogisticRegression(C=1))])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_no_costs_predict_as_the_estimator_does():
    plain = LogisticRegression(max_iter=1000).fit(X, Y)
    model = CostSensitiveClassifier(LogisticRegression(max_iter=1000)).fit(X, Y)
    assert (model.predict(X) == plain.predict(X)).all()
    assert (model.predict_proba(X) == plain.predict_proba(X)).all()
    assert (model.costs_ == 1 - np.eye(3)).all()


def test_prediction_is_the_greatest_of_the_decision_function():
    model = CostSensitiveClassifier(GaussianNB(), COSTS).fit(X, Y)
    scores = model.decision_function(X)
    assert np.allclose(scores, -model.predict_proba(X) @ COSTS / 9)
    assert (model.classes_[scores.argmax(axis=1)] == model.predict(X)).all()
    assert (model.predict(X) != GaussianNB().fit(X, Y).predict(X)).any()


def test_where_argmax_decides_the_decision_function_is_that_of_the_probabilities():
    model = CostSensitiveClassifier(GaussianNB()).fit(X, Y)
    assert (model.decision_function(X) == model.predict_proba(X)).all()
    two = CODES > 0
    binary = CostSensitiveClassifier(GaussianNB()).fit(X[two], Y[two])
    first, second = binary.predict_proba(X[two]).T
    assert (binary.decision_function(X[two]) == second - first).all()


@pytest.mark.parametrize("cost", [0.1, 1, 20])
def test_two_classes_are_a_threshold(cost):
    two = CODES > 0
    cases, truth = X[two][:, :2], Y[two]
    costs = {("versicolor", "virginica"): 1, ("virginica", "versicolor"): cost}
    model = CostSensitiveClassifier(LogisticRegression(), costs).fit(cases, truth)
    second = model.predict_proba(cases)[:, 1] > 1 / (1 + cost)
    assert (model.predict(cases) == model.classes_[second.astype(int)]).all()
    assert ((model.decision_function(cases) > 0) == second).all()


def test_names_and_table_say_the_same():
    names = sorted(set(Y))
    mapping = {
        (truth, decided): COSTS[k, j]
        for k, truth in enumerate(names)
        for j, decided in enumerate(names)
        if k != j
    }
    by_name = CostSensitiveClassifier(GaussianNB(), mapping).fit(X, Y)
    by_place = CostSensitiveClassifier(GaussianNB(), COSTS.tolist()).fit(X, Y)
    assert (by_name.costs_ == by_place.costs_).all()
    assert by_place.costs_.max() == 1


@pytest.mark.parametrize("labels", [[10, 20, 30], [1.0, 2.0, 3.0], [False, True]])
def test_labels_of_any_kind_name_costs(labels):
    y = np.array(labels)[CODES % len(labels)]
    model = CostSensitiveClassifier(GaussianNB(), {(labels[1], labels[0]): 4}).fit(X, y)
    wanted = (1 - np.eye(len(labels))) / 4
    wanted[1, 0] = 1
    assert np.array_equal(model.costs_, wanted)


def test_weights_reach_the_estimator():
    weights = np.random.default_rng(0).uniform(size=len(Y))
    model = CostSensitiveClassifier(GaussianNB()).fit(X, Y, sample_weight=weights)
    plain = GaussianNB().fit(X, Y, sample_weight=weights)
    assert (model.predict_proba(X) == plain.predict_proba(X)).all()
    with pytest.raises(InvalidType, match="takes no sample_weight"):
        CostSensitiveClassifier(KNeighborsClassifier()).fit(X, Y, sample_weight=weights)


def test_weights_are_routed_through_a_pipeline():
    weights = np.random.default_rng(0).uniform(size=len(Y))
    plain = GaussianNB().fit(X, Y, sample_weight=weights)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = make_pipeline(GaussianNB().set_fit_request(sample_weight=True))
        model = CostSensitiveClassifier(inner).fit(X, Y, sample_weight=weights)
    assert np.allclose(model.predict_proba(X), plain.predict_proba(X))


def test_parameters_of_steps_are_passed_without_routing():
    weights = np.random.default_rng(0).uniform(size=len(Y))
    inner = make_pipeline(GaussianNB())
    model = CostSensitiveClassifier(inner).fit(X, Y, gaussiannb__sample_weight=weights)
    plain = GaussianNB().fit(X, Y, sample_weight=weights)
    assert (model.predict_proba(X) == plain.predict_proba(X)).all()


def test_a_fitted_classifier_is_taken_as_it_is():
    fitted = GaussianNB().fit(X[:120:2], Y[:120:2])
    model = CostSensitiveClassifier(FrozenEstimator(fitted), COSTS).fit(X, Y)
    assert (model.predict_proba(X) == fitted.predict_proba(X)).all()
    assert (model.predict(X) == fitted.classes_[decide(fitted.predict_proba(X), COSTS)]).all()


def test_frames_pipelines_searches_and_pickles():
    frame = pd.DataFrame(X, columns=list("abcd"))
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    model = CostSensitiveClassifier(inner, COSTS)
    grid = {"estimator__logisticregression__C": [0.01, 1], "costs": [None, COSTS]}
    search = GridSearchCV(model, grid, cv=3).fit(frame, Y)
    best = search.best_estimator_
    assert best.feature_names_in_.tolist() == list("abcd") and best.n_features_in_ == 4
    stored = io.BytesIO()
    joblib.dump(best, stored)
    stored.seek(0)
    assert (joblib.load(stored).predict(frame) == search.predict(frame)).all()
    assert clone(model).get_params()["costs"] is not None
    assert make_pipeline(StandardScaler(), model).fit(X, Y).score(X, Y) > 0.8


def test_sparse_cases_where_the_estimator_takes_them():
    model = CostSensitiveClassifier(LogisticRegression(max_iter=999), COSTS).fit(csr_matrix(X), Y)
    assert sklearn.utils.get_tags(model).input_tags.sparse
    assert model.predict(csr_matrix(X)).shape == Y.shape
    assert not sklearn.utils.get_tags(CostSensitiveClassifier(GaussianNB())).input_tags.sparse


def test_one_class_is_always_decided():
    model = CostSensitiveClassifier(DummyClassifier()).fit(X, np.zeros(len(X)))
    assert (model.predict(X) == 0).all()


def test_features_of_an_earlier_fit_are_forgotten():
    model = CostSensitiveClassifier(GaussianNB()).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    assert not hasattr(model.fit(X, Y), "feature_names_in_")


def test_bad_input_is_named():
    with pytest.raises(InvalidType, match="no predict_proba"):
        CostSensitiveClassifier(LinearSVC()).fit(X, Y)
    with pytest.raises(InvalidInput, match="3 classes"):
        CostSensitiveClassifier(GaussianNB(), np.ones((2, 2)) - np.eye(2)).fit(X, Y)
    with pytest.raises(UnknownName, match="'rose' is not a class"):
        CostSensitiveClassifier(GaussianNB(), {("rose", "setosa"): 1}).fit(X, Y)
    with pytest.raises(InvalidInput, match="one label per case"):
        CostSensitiveClassifier(KNeighborsClassifier()).fit(X, np.eye(3, dtype=int)[CODES])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        CostSensitiveClassifier(GaussianNB()).predict(X)
