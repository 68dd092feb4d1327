"""Scores of fitted classifiers: a decision function per pair of classes is no score per class."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC

from polyroc import hand_till, scorers, study
from polyroc.display import PairwiseAucDisplay
from polyroc.errors import InvalidInput


def cases(n_classes):
    return make_classification(
        240, 6, n_informative=4, n_classes=n_classes, n_clusters_per_class=1, random_state=2
    )


def wrapped(machine):
    return {
        "alone": machine,
        "pipeline": make_pipeline(StandardScaler(), machine),
        "search": GridSearchCV(machine, {"C": [1.0]}, cv=2),
        "pipeline in a search": GridSearchCV(
            make_pipeline(StandardScaler(), machine), {"svc__C": [1.0]}, cv=2
        ),
    }


@pytest.mark.parametrize("n_classes", [3, 4])
def test_a_column_per_pair_is_refused(n_classes):
    X, y = cases(n_classes)
    for model in wrapped(SVC(decision_function_shape="ovo")).values():
        fitted = model.fit(X, y)
        for call in (
            lambda fitted=fitted: scorers["hand_till"](fitted, X, y),
            lambda fitted=fitted: PairwiseAucDisplay.from_estimator(fitted, X, y),
            lambda model=model: study({"svm": model}, X, y, n_splits=1, metrics=["hand_till"]),
        ):
            with pytest.raises(InvalidInput, match="of SVC has a column per pair of classes"):
                call()
    message = (
        "The decision function of NuSVC has a column per pair of classes "
        '(decision_function_shape="ovo"), and a column per class is needed. Pass '
        'decision_function_shape="ovr", or wrap the classifier in '
        "sklearn.calibration.CalibratedClassifierCV or polyroc.PairwiseCoupling."
    )
    with pytest.raises(InvalidInput) as caught:
        scorers["hand_till"](NuSVC(nu=0.2, decision_function_shape="ovo").fit(X, y), X, y)
    assert str(caught.value) == message


def test_a_column_per_class_is_used():
    X, y = cases(3)
    for model in (SVC(), make_pipeline(StandardScaler(), SVC()), OneVsOneClassifier(SVC())):
        fitted = model.fit(X, y)
        expected = hand_till(y, fitted.decision_function(X))
        assert scorers["hand_till"](fitted, X, y) == expected
    assert cross_val_score(SVC(), X, y, scoring=scorers["hand_till"], cv=2).min() > 0.5
    X, y = cases(2)
    two = SVC(decision_function_shape="ovo").fit(X, y)
    assert scorers["roc_auc"](two, X, y) > 0.5


class Named(LogisticRegression):
    """A classifier whose probabilities have names, in an order of their own."""

    def predict_proba(self, X):
        frame = pd.DataFrame(super().predict_proba(X), columns=self.classes_)
        return frame[list(self.classes_[::-1])]


def test_names_of_probabilities_decide():
    X, y = cases(3)
    y = np.array(["low", "medium", "high"])[y]
    plain, named = LogisticRegression().fit(X, y), Named().fit(X, y)
    assert scorers["hand_till"](named, X, y) == scorers["hand_till"](plain, X, y)
    options = {"n_splits": 2, "metrics": ["hand_till"], "rng": 1}
    categories = pd.Categorical(y, ["low", "medium", "high"])
    for labels in (y, categories):
        values = study({"m": Named(), "n": LogisticRegression()}, X, labels, **options).values
        assert (values[:, 0] == values[:, 1]).all()
