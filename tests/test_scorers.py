"""Scorers inside scikit-learn, and the module that is their mapping."""

import pickle
from collections.abc import Mapping

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

from polyroc import hand_till, registry, scorers
from polyroc._scorers import Scorer
from polyroc.errors import InvalidInput, InvalidType, NotDefined

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def model():
    return GaussianNB().fit(X[::2, :2], NAMES[Y[::2]])


def test_a_scorer_is_the_metric_of_the_predictions(model):
    expected = hand_till(NAMES[Y], model.predict_proba(X[:, :2]))
    assert scorers["hand_till"](model, X[:, :2], NAMES[Y]) == expected
    assert expected == pytest.approx(
        roc_auc_score(NAMES[Y], model.predict_proba(X[:, :2]), multi_class="ovo")
    )


def test_weights_count(model):
    weights = np.arange(150) % 3
    kept = np.repeat(np.arange(150), weights)
    weighted = scorers["vus"](model, X[:, :2], NAMES[Y], sample_weight=weights)
    assert weighted == pytest.approx(scorers["vus"](model, X[kept, :2], NAMES[Y[kept]]))


def test_cross_validation_with_one_and_many_metrics():
    scoring = {name: scorers[name] for name in ("hand_till", "vus2", "total_length")}
    many = cross_validate(GaussianNB(), X, NAMES[Y], scoring=scoring, n_jobs=2)
    one = cross_val_score(GaussianNB(), X, NAMES[Y], scoring=scorers["vus2"])
    np.testing.assert_array_equal(many["test_vus2"], one)
    assert set(many) == {"fit_time", "score_time", *(f"test_{name}" for name in scoring)}


def test_grid_search_uses_it_and_can_be_cloned():
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e3]}, scoring=scorers["wvus2"])
    fitted = clone(search).fit(X, Y)
    assert fitted.best_params_ == {"var_smoothing": 1e-9}
    assert fitted.score(X, Y) == scorers["wvus2"](fitted, X, Y)
    scoring = {name: scorers[name] for name in ("aunp", "pdi")}
    many = clone(search).set_params(scoring=scoring, refit="pdi").fit(X, Y)
    assert many.best_score_ == many.cv_results_["mean_test_pdi"].max()


def test_two_classes():
    data = load_breast_cancer()
    model = RidgeClassifier().fit(data.data[:, :3], data.target)
    assert scorers["roc_auc"](model, data.data[:, :3], data.target) == pytest.approx(
        roc_auc_score(data.target, model.decision_function(data.data[:, :3]))
    )


def test_decision_functions_serve_metrics_of_ranks_only():
    model = RidgeClassifier().fit(X, Y)
    assert scorers["aunu"](model, X, Y) > 0.8
    with pytest.raises(NotDefined, match="vus needs probabilities, but RidgeClassifier has no"):
        scorers["vus"](model, X, Y)
    with pytest.raises(InvalidType, match="neither predict_proba nor decision_function"):
        scorers["aunu"](object(), X, Y)


def test_a_fold_without_a_class(model):
    some = Y < 2
    with pytest.raises(InvalidInput, match="'virginica' has no cases"):
        scorers["hand_till"](model, X[some, :2], NAMES[Y[some]])
    skipping = scorers["hand_till"].with_options(absent="skip")
    scores = model.predict_proba(X[some, :2])[:, :2]
    assert skipping(model, X[some, :2], NAMES[Y[some]]) == hand_till(Y[some], scores)


def test_error_score_applies_to_a_fold_without_a_class():
    order = np.random.default_rng(0).permutation(150)
    y = np.where(np.arange(150) == 7, 2, Y[order] % 2)
    options = {"cv": KFold(3), "scoring": scorers["hand_till"], "error_score": -1}
    with pytest.warns(UserWarning, match="Scoring failed"):
        scores = cross_val_score(LogisticRegression(max_iter=1000), X[order], y, **options)
    assert (scores == -1).any()


def test_options_are_checked_and_add_up():
    scorer = scorers["vus"].with_options(ties="strict").with_options(absent="skip")
    assert repr(scorer) == "scorers[\"vus\"].with_options(ties='strict', absent='skip')"
    assert scorer.with_options(ties="fair") != scorer
    with pytest.raises(InvalidType, match=r"has no option colour\. Its options are ties"):
        scorers["vus"].with_options(colour=1)
    with pytest.raises(InvalidType, match="no option sample_weight"):
        scorers["vus"].with_options(sample_weight=[1])


@pytest.mark.parametrize("name", list(registry))
def test_every_metric_has_a_scorer_that_pickles(name):
    scorer = scorers[name].with_options(n_threads=1)
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    assert hash(scorer) == hash(clone(scorer, safe=False))


def test_metadata_routing_passes_weights():
    weights = np.random.default_rng(0).uniform(size=150)
    with config_context(enable_metadata_routing=True):
        scorer = scorers["hand_till"].set_score_request(sample_weight=True)
        model = GaussianNB().set_fit_request(sample_weight=False)
        options = {"cv": 3, "params": {"sample_weight": weights}}
        routed = cross_validate(model, X[:, :2], Y, scoring=scorer, **options)
        many = cross_validate(model, X[:, :2], Y, scoring={"a": scorer}, **options)
        with pytest.raises(ValueError, match="sample_weight"):
            cross_validate(model, X[:, :2], Y, scoring=scorers["hand_till"], **options)
    plain = cross_validate(GaussianNB(), X[:, :2], Y, scoring=scorers["hand_till"], cv=3)
    assert (routed["test_score"] != plain["test_score"]).any()
    np.testing.assert_array_equal(routed["test_score"], many["test_a"])


def test_scorers_are_named_in_the_tables_of_other_packages():
    assert scorers["hand_till"].__name__ == "hand_till"
    assert scorers["saec"].with_options(absent="skip").__name__ == "neg_saec"
    assert Scorer.__name__ == "Scorer"


def test_scorers_are_a_mapping():
    assert isinstance(scorers, Mapping)
    assert list(scorers) == list(registry)
    assert len(scorers) == len(registry)
    assert dict(scorers)["pdi"] == Scorer("pdi") == scorers.get("pdi")
    assert "nothing" not in scorers
    assert scorers.get("nothing") is None
    assert "hand_till" in repr(scorers)
    assert scorers in {scorers}
    with pytest.raises(InvalidInput, match="There is no metric 'nothing'"):
        scorers["nothing"]


def test_a_class_that_the_training_fold_lacks():
    """Sorted labels and KFold without shuffling: a fold is a class."""
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000)
    folds = {"scoring": scorers["hand_till"], "error_score": "raise"}
    with pytest.raises(InvalidInput) as error:
        cross_val_score(model, X, y, cv=KFold(3), **folds)
    assert str(error.value) == (
        "LogisticRegression was trained without cases of the class 0; it knows 1, 2. Of the 50 "
        "cases it is tested on, 50 are of the class it lacks. If this is a fold of a "
        "cross-validation, split with StratifiedKFold or StratifiedShuffleSplit, so that every "
        "training set has cases of every class."
    )
    few = LogisticRegression(max_iter=1000).fit(X[y > 0][:60], np.repeat([1, 3], [50, 10]))
    said = "of the classes 0, 2; it knows 1, 3. Of the 150 cases it is tested on, 100 are of the "
    with pytest.raises(InvalidInput, match=f"{said}classes it lacks"):
        scorers["hand_till"](few, X, y)
    assert cross_val_score(model, X, y, cv=StratifiedKFold(3), **folds).min() > 0.9
