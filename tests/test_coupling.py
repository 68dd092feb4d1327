"""Pairwise coupling: exact cases, loops as twins, and scikit-learn's own checks."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from polyroc.coupling import PairwiseCoupling, couple, couple_by_iteration
from polyroc.errors import InvalidInput, InvalidType

X, Y = load_iris(return_X_y=True)
METHODS = ("wu_lin_weng", "hastie_tibshirani")


def of_probabilities(p):
    """r_ij = p_i / (p_i + p_j)."""
    r = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    return r * (1 - np.eye(p.shape[1]))


def random_pairs(rng, n_cases, n_classes):
    upper = np.triu(rng.uniform(size=(n_cases, n_classes, n_classes)), 1)
    return upper + np.tril(1 - upper.transpose(0, 2, 1), -1)


def loss(r, p):
    pairs = permutations(range(len(p)), 2)
    return sum((r[j, i] * p[i] - r[i, j] * p[j]) ** 2 for i, j in pairs)


def twin_of_iteration(r, n, rounds=3000):
    """One case, class by class, as Hastie & Tibshirani write it."""
    K = len(r)
    p = [1 / K] * K
    for _ in range(rounds):
        new = []
        for i in range(K):
            won = sum(n[i][j] * r[i][j] for j in range(K) if j != i)
            expected = sum(n[i][j] * p[i] / (p[i] + p[j]) for j in range(K) if j != i)
            new.append(p[i] * won / expected)
        p = [value / sum(new) for value in new]
    return p


@pytest.mark.parametrize("n_classes", [2, 3, 5, 8])
def test_consistent_pairs_give_back_their_probabilities(n_classes):
    p = np.random.default_rng(n_classes).dirichlet(np.ones(n_classes), 50)
    np.testing.assert_allclose(couple(of_probabilities(p)), p, atol=1e-10)
    cases = np.random.default_rng(0).integers(5, 50, n_classes)
    iterated = couple_by_iteration(of_probabilities(p), np.add.outer(cases, cases).astype(float))
    np.testing.assert_allclose(iterated, p, atol=1e-5)


@pytest.mark.parametrize("n_classes", [3, 4])
def test_least_squares_against_a_minimiser(n_classes):
    for r in random_pairs(np.random.default_rng(1), 5, n_classes):
        found = minimize(
            lambda p, r=r: loss(r, p),
            np.full(n_classes, 1 / n_classes),
            bounds=[(0, 1)] * n_classes,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        p = couple(r[None])[0]
        np.testing.assert_allclose(p, found.x, atol=1e-5)
        assert loss(r, p) <= found.fun + 1e-12


def test_iteration_against_loops():
    r = random_pairs(np.random.default_rng(2), 4, 4)
    cases = np.array([10, 3, 40, 7])
    n = np.add.outer(cases, cases).astype(float)
    twin = [twin_of_iteration(each.tolist(), n.tolist()) for each in r]
    np.testing.assert_allclose(couple_by_iteration(r, n), twin, atol=1e-7)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6), st.booleans())
def test_rows_are_probabilities_also_at_the_edge(n_classes, seed, extreme):
    r = random_pairs(np.random.default_rng(seed), 6, n_classes)
    r = np.where(np.eye(n_classes), 0, np.rint(r)) if extreme else r
    p = couple(r)
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_certain_pairs_are_coupled_too():
    certain = np.array([[[0, 1, 1], [0, 0, 1], [0, 0, 0.0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0.0]]])
    np.testing.assert_allclose(couple(certain), [[1, 0, 0], [1 / 3] * 3], atol=1e-12)
    iterated = couple_by_iteration(certain, np.ones((3, 3)))
    np.testing.assert_allclose(iterated, [[1, 0, 0], [1 / 3] * 3], atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_names_of_classes_do_not_matter(method):
    base = LogisticRegression(max_iter=1000)
    numbers = PairwiseCoupling(base, method=method).fit(X, Y)
    names = np.array(["setosa", "versicolor", "virginica"])
    named = PairwiseCoupling(base, method=method, n_jobs=2).fit(X, names[Y])
    np.testing.assert_allclose(named.predict_proba(X), numbers.predict_proba(X))
    assert (named.predict(X) == names[numbers.predict(X)]).all()
    assert (numbers.predict(X) == Y).mean() > 0.95


@pytest.mark.parametrize("method", METHODS)
def test_two_classes_are_the_base_classifier(method):
    two = Y < 2
    base = LogisticRegression().fit(X[two], Y[two])
    model = PairwiseCoupling(LogisticRegression(), method=method).fit(X[two], Y[two])
    np.testing.assert_allclose(model.predict_proba(X), base.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_repetitions(method):
    weights = np.random.default_rng(3).integers(1, 4, len(Y))
    base = LogisticRegression(solver="newton-cholesky", tol=1e-10)
    weighted = PairwiseCoupling(base, method=method).fit(X, Y, sample_weight=weights)
    repeated = PairwiseCoupling(base, method=method).fit(X.repeat(weights, 0), Y.repeat(weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_frames_keep_their_columns_and_sparse_matrices_pass():
    frame = pd.DataFrame(X, columns=list("abcd"))
    base = make_pipeline(
        make_column_transformer((StandardScaler(), ["a", "c"])), LogisticRegression()
    )
    by_name = PairwiseCoupling(base).fit(frame, pd.Series(Y))
    assert by_name.feature_names_in_.tolist() == list("abcd")
    assert by_name.predict_proba(frame).shape == (150, 3)
    dense = PairwiseCoupling(LogisticRegression(max_iter=1000)).fit(X, Y)
    sparse = PairwiseCoupling(LogisticRegression(max_iter=1000)).fit(csr_matrix(X), Y)
    np.testing.assert_allclose(
        sparse.predict_proba(csr_matrix(X)), dense.predict_proba(X), atol=1e-3
    )


def test_errors_say_what_to_do():
    with pytest.raises(InvalidType, match="LinearSVC has no predict_proba"):
        PairwiseCoupling(LinearSVC()).fit(X, Y)
    with pytest.raises(InvalidType, match="takes no sample_weight"):
        PairwiseCoupling(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(150))
    with pytest.raises(InvalidInput, match="\"hastie_tibshirani\", got 'platt'"):
        PairwiseCoupling(LogisticRegression(), method="platt").fit(X, Y)
    with pytest.raises(InvalidInput, match="one class"):
        PairwiseCoupling(LogisticRegression()).fit(X, np.zeros(150, int))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([PairwiseCoupling(LogisticRegression(), method=m) for m in METHODS])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
