"""Error rates, utilities and decisions by cost against confusion matrices of scikit-learn."""

import numpy as np
import pytest
from differential.data_sets import PROBABILITIES, DataSet, data_sets, examples
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from polyroc import CostSensitiveClassifier
from polyroc.report._cases import confusion
from polyroc.surface._cases import cases_of
from polyroc.surface._costs import errors
from polyroc.surface._rates import error_rates
from polyroc.utility import expected_utility

EXACT_OR_CONTINUOUS = {name: PROBABILITIES[name] for name in ("a grid", "continuous")}
"""Expected costs of a grid under dyadic costs are exact, so ties are the same for everybody."""

DECIDED = data_sets(st.integers(2, 6), EXACT_OR_CONTINUOUS)


def dyadic_costs(n_classes: int, seed: int) -> np.ndarray:
    """Sixteenths from 1 to 16, nothing for right decisions."""
    costs = np.random.default_rng(seed).integers(1, 17, (n_classes, n_classes)) / 16
    return costs * (1 - np.eye(n_classes))


def decisions(data: DataSet, costs: np.ndarray) -> np.ndarray:
    """Labels of least expected cost, the first of equals."""
    return data.classes[np.argmin(data.scores.astype(np.float64) @ costs, axis=1)]


@examples(150)
@given(DECIDED, st.integers(0, 10**6))
def test_error_rates(data, seed):
    costs = dyadic_costs(len(data.classes), seed)
    cases = cases_of(data.y, sample_weight=data.weights)
    rows = np.ascontiguousarray(data.scores[cases.rows], dtype=np.float64)
    found = error_rates(rows, cases, errors(costs)[None])[0]
    table = metrics.confusion_matrix(
        data.y, decisions(data, costs), sample_weight=data.weights, normalize="true"
    )
    np.testing.assert_allclose(found, errors(table), rtol=0, atol=data.tolerance)


@examples(150)
@given(data_sets(st.integers(2, 6), EXACT_OR_CONTINUOUS, weights=("none", "whole")), st.integers(0))
def test_confusion_of_the_report(data, seed):
    """Where no two least costs are closer than the single precision of a page tells apart."""
    costs = dyadic_costs(len(data.classes), seed)
    expected = np.sort(data.scores.astype(np.float64) @ costs, axis=1)
    apart = expected[:, 1] - expected[:, 0]
    assume(not ((apart > 0) & (apart < 1e-6)).any())
    table = metrics.confusion_matrix(data.y, decisions(data, costs), sample_weight=data.weights)
    found = confusion(data.scores, data.codes, costs, data.weights)
    np.testing.assert_array_equal(found, table)


@examples(100)
@given(DECIDED, st.integers(0, 10**6))
def test_accuracy_is_a_utility(data, seed):
    """Right decisions worth 1: accuracy; with equal priors, balanced accuracy."""
    K = len(data.classes)
    decided = decisions(data, dyadic_costs(K, seed))
    options = {"sample_weight": data.weights}
    table = metrics.confusion_matrix(data.y, decided, **options)
    plain = expected_utility(table, np.eye(K))
    balanced = expected_utility(table, np.eye(K), priors=np.ones(K))
    assert plain == pytest.approx(
        metrics.accuracy_score(data.y, decided, **options), rel=0, abs=data.tolerance
    )
    assert balanced == pytest.approx(
        metrics.balanced_accuracy_score(data.y, decided, **options), rel=0, abs=data.tolerance
    )


class Table(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose features are its probabilities."""

    def __init__(self, classes: tuple = ()) -> None:
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=np.float64)


@examples(60)
@given(
    data_sets(st.just(2), EXACT_OR_CONTINUOUS, weights=("none",), labels=("from 0", "strings")),
    st.integers(1, 15),
)
def test_two_classes_have_a_threshold(data, sixteenths):
    """A false alarm costs t, a miss 1 − t: decide for the second class above t.

    Where the probability is t both cost the same, up to the rounding of costs relative to the
    largest. At t = ½ nothing is rounded: the first class here, the second there.
    """
    threshold = sixteenths / 16
    fitted = FrozenEstimator(Table(data.classes.tolist()).fit(data.scores, data.y))
    costs = [[0, threshold], [1 - threshold, 0]]
    ours = CostSensitiveClassifier(fitted, costs).fit(data.scores, data.y)
    theirs = FixedThresholdClassifier(
        fitted, threshold=threshold, response_method="predict_proba", pos_label=ours.classes_[1]
    ).fit(data.scores, data.y)
    apart = data.scores[:, 1] != threshold
    decided, expected = ours.predict(data.scores), theirs.predict(data.scores)
    np.testing.assert_array_equal(decided[apart], expected[apart])
    if threshold == 0.5:
        assert (decided[~apart] == data.classes[0]).all()
        assert (expected[~apart] == data.classes[1]).all()
