"""Scorers and pairs of classes inside scikit-learn against its own."""

import warnings
from itertools import combinations

import numpy as np
import pytest
import sklearn
from differential.data_sets import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils.fixes import parse_version

from polyroc import PairwiseCoupling, scorers
from polyroc.coupling import couple

SCORERS = {
    "roc_auc_ovo": "hand_till",
    "roc_auc_ovo_weighted": "au1p",
    "roc_auc_ovr": "aunu",
    "roc_auc_ovr_weighted": "aunp",
}
LEARNERS = (GaussianNB(), KNeighborsClassifier(5), LinearDiscriminantAnalysis())


def problem(n_classes: int, seed: int, n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """Four features; the first class is the most frequent."""
    shares = np.arange(2 * n_classes, n_classes, -1.0)
    X, y = make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1,
        weights=shares / shares.sum(), random_state=seed,
    )  # fmt: skip
    return X, np.array([f"class {k}" for k in range(n_classes)])[y]


@pytest.mark.parametrize("theirs", SCORERS)
@examples(5)
@given(st.integers(3, 5), st.integers(0, 10**6), st.sampled_from(LEARNERS))
def test_cross_validation(theirs, n_classes, seed, learner):
    X, y = problem(n_classes, seed)
    folds = StratifiedKFold(3)
    expected = cross_val_score(learner, X, y, scoring=theirs, cv=folds)
    found = cross_val_score(learner, X, y, scoring=scorers[SCORERS[theirs]], cv=folds)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


@examples(10)
@given(st.integers(0, 10**6), st.sampled_from(LEARNERS))
def test_cross_validation_of_two_classes(seed, learner):
    X, y = problem(2, seed)
    expected = cross_val_score(learner, X, y, scoring="roc_auc", cv=3)
    found = cross_val_score(learner, X, y, scoring=scorers["roc_auc"], cv=3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


@examples(15)
@given(st.integers(2, 5), st.integers(0, 10**6))
def test_classifiers_of_pairs(n_classes, seed):
    """Class j of a pair (i, j) is called 1 there, class i here."""
    X, y = problem(n_classes, seed)
    r = PairwiseCoupling(GaussianNB()).fit(X, y).pairwise_proba(X)
    theirs = OneVsOneClassifier(GaussianNB()).fit(X, y).estimators_
    for (i, j), fitted in zip(combinations(range(n_classes), 2), theirs, strict=True):
        of_second = fitted.predict_proba(X)[:, 1]
        np.testing.assert_allclose(r[:, j, i], of_second, rtol=0, atol=1e-12)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) >= parse_version("1.11"),
    reason="scikit-learn has removed SVC(probability=True)",
)
@examples(10)
@given(st.integers(3, 5), st.integers(0, 10**6))
def test_coupling_of_libsvm(n_classes, seed):
    """libsvm stops an iteration for the same least squares early; the exact solution is no worse.

    It bounds pairwise probabilities by 1e-7 from 0 and 1 and stops when no component of the
    gradient is more than .005/K off.
    """
    X, y = problem(n_classes, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # it is to be removed
        machine = SVC(probability=True, decision_function_shape="ovo", random_state=0).fit(X, y)
        theirs, slopes, offsets = machine.predict_proba(X), machine.probA_, machine.probB_
    decisions = machine.decision_function(X)
    r = np.zeros((len(X), n_classes, n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        first = np.clip(expit(-slopes[pair] * decisions[:, pair] - offsets[pair]), 1e-7, 1 - 1e-7)
        r[:, i, j], r[:, j, i] = first, 1 - first
    ours = couple(r)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.02)
    assert (loss(r, ours) <= loss(r, theirs) + 1e-15).all()


def loss(r: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)² of each case."""
    apart = r.transpose(0, 2, 1) * p[:, :, None] - r * p[:, None, :]
    return (apart**2).sum(axis=(1, 2))
