"""cross_evaluate: what is fitted and held out, resuming, groups, weights, and tests of learners."""

import math

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import polyroc
from polyroc import cross_evaluate, evaluate, study
from polyroc._storage.npz import read_arrays, write_arrays
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._cross import run
from polyroc.inference._resampled_t import SplitValues
from polyroc.metrics import registry
from polyroc.metrics.declaration import Occasion

X, CODES = three_class_mixture((40, 30, 20), rng=3)
Y = np.array(["b", "c", "a"])[CODES]
CLASSES = ["a", "b", "c"]
FIVE = StratifiedKFold(5, shuffle=True, random_state=4)
MODELS = {"logistic": make_pipeline(StandardScaler(), LogisticRegression()), "bayes": GaussianNB()}


def by_hand(estimator, cv, groups=None, weights=None):
    """Labels, out-of-fold scores and folds in plain loops."""
    rows, scores, folds = [], [], []
    for fold, (train, test) in enumerate(cv.split(X, Y, groups)):
        given = {} if weights is None else {"sample_weight": weights[train]}
        model = clone(estimator).fit(X[train], Y[train], **given)
        rows += test.tolist()
        scores.append(model.predict_proba(X[test]))
        folds += [fold] * len(test)
    return np.array(rows), np.concatenate(scores), np.array(folds)


def test_an_estimator_is_fitted_and_evaluated_within_folds():
    found = cross_evaluate(GaussianNB(), X, Y, cv=FIVE, metrics=["hand_till", "total_length"])
    rows, scores, folds = by_hand(GaussianNB(), FIVE)
    held_out = polyroc.Predictions(Y[rows], scores, labels=CLASSES, folds=folds)
    plain = evaluate(held_out, metrics=["hand_till", "total_length"])
    assert found.frame().equals(plain.frame())
    np.testing.assert_array_equal(found.predictions.scores, scores)
    assert isinstance(found, polyroc.results.Evaluation)
    values = [polyroc.hand_till(Y[rows][folds == v], scores[folds == v]) for v in range(5)]
    per_fold = found.fold_values().query("metric == 'hand_till'")["value"]
    np.testing.assert_allclose(per_fold, values, rtol=1e-13)
    row = found.learners().iloc[0]
    error = math.sqrt((1 / 5 + 18 / 72) * np.var(values, ddof=1))
    assert row["standard_error"] == pytest.approx(error)
    assert row["high"] - row["value"] == pytest.approx(student.ppf(0.975, 4) * error)


def test_groups_and_weights():
    patients = np.arange(len(Y)) // 2
    weights = np.random.default_rng(2).uniform(0.5, 2, len(Y))
    cv = StratifiedGroupKFold(3)
    found = cross_evaluate(
        GaussianNB(), X, Y, cv=cv, groups=patients, sample_weight=weights, metrics=["hand_till"]
    )
    rows, scores, folds = by_hand(GaussianNB(), cv, patients, weights)
    held_out = polyroc.Predictions(Y[rows], scores, folds=folds, sample_weight=weights[rows])
    plain = evaluate(held_out, metrics=["hand_till"], groups=patients[rows])
    assert found.frame().equals(plain.frame())
    own = cross_evaluate(GaussianNB(), X, Y, cv=3, groups=patients, metrics=["hand_till"], rng=1)
    rows = own.predictions.groups  # of each row its group, which is in one fold only
    folds = own.predictions.folds.numbers
    assert all(len(set(folds[rows == group])) == 1 for group in set(rows))
    pipeline = cross_evaluate(MODELS, X, Y, sample_weight=weights, metrics=["hand_till"], rng=1)
    assert pipeline.predictions["bayes"].weights is not None
    dropped = np.where(np.arange(len(Y)) % 9 == 0, 0, 1)
    some = cross_evaluate(
        GaussianNB(), X, Y, groups=patients, cv=3, sample_weight=dropped, metrics=["hand_till"]
    )
    assert len(some.predictions) == dropped.sum() == len(some.predictions.groups)
    with pytest.raises(InvalidInput, match="'KNeighborsClassifier' takes no sample_weight in fit"):
        cross_evaluate(KNeighborsClassifier(), X, Y, sample_weight=weights)


def test_repeats_and_tests_of_learners():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=1)
    found = cross_evaluate(MODELS, X, Y, cv=cv, metrics=["hand_till"])
    rows, scores, folds = by_hand(GaussianNB(), cv)
    np.testing.assert_array_equal(found.predictions["bayes"].scores, scores)
    np.testing.assert_array_equal(found.predictions["bayes"].groups, rows)  # a case is a group
    values = []
    for name in MODELS:
        p = found.predictions[name].scores
        values.append([polyroc.hand_till(Y[rows][folds == v], p[folds == v]) for v in range(12)])
    apart = np.subtract(*values)
    error = math.sqrt((1 / 12 + 30 / 60) * apart.var(ddof=1))
    row = found.learners().iloc[0]
    assert row["difference"] == pytest.approx(apart.mean(), abs=1e-14)
    assert row["standard_error"] == pytest.approx(error)
    assert row["p_value"] == pytest.approx(2 * student.sf(abs(apart.mean()) / error, 11))
    assert row["low"] == pytest.approx(apart.mean() - student.ppf(0.975, 11) * error)
    paired = found.frame().iloc[0]
    assert paired["difference"] == pytest.approx(apart.mean(), abs=1e-13)
    scores = {name: each.scores for name, each in found.predictions.items()}
    independent = polyroc.compare(Y[rows], scores, ["hand_till"], folds=folds).frame().iloc[0]
    assert paired["standard_error"] > 1.5 * independent["standard_error"]


def test_tests_of_a_study():
    learners = {**MODELS, "tree": DecisionTreeClassifier(max_depth=2)}
    found = study(learners, X, Y, n_splits=6, test_size=0.25, metrics=["hand_till", "vus"], rng=1)
    table = found.tests()
    assert list(table) == [
        "metric", "model_a", "model_b", "difference", "standard_error",
        "low", "high", "p_value", "p_adjusted", "note",
    ]  # fmt: skip
    assert len(table) == 6 and set(table["note"]) == {""}
    apart = found.values[:, 0, 1] - found.values[:, 2, 1]
    row = table.query("metric == 'vus' and model_a == 'logistic' and model_b == 'tree'").iloc[0]
    error = math.sqrt((1 / 6 + 1 / 3) * apart.var(ddof=1))
    assert row["standard_error"] == pytest.approx(error)
    assert row["p_value"] == pytest.approx(2 * student.sf(abs(apart.mean()) / error, 5))
    of_metric = table.query("metric == 'vus'")
    assert of_metric["p_adjusted"].min() == pytest.approx(min(1, 3 * of_metric["p_value"].min()))
    assert found.to_dict()["tests"][0]["model_a"] == "logistic"
    alike = SplitValues(np.ones((4, 2, 1)), ("a", "b"), ("m",)).tests(0.5)
    assert alike["p_value"].isna().all() and alike["difference"].iloc[0] == 0
    assert alike["note"].tolist() == ["no test: the learners differ by the same in every split"]
    alone = SplitValues(np.array([[[0.9], [0.8]]]), ("a", "b"), ("m",)).tests(0.5)
    assert alone["note"].tolist() == ["no test: one split says nothing about how splits vary"]


def test_sizes_of_probabilities_are_not_tested():
    """Over splits they vary too little: the corrected resampled t would reject too often."""
    metrics = ["hand_till", "hand_till_probabilistic", "wvus", "auc_mu", "triangle_area"]
    sizes = {"hand_till_probabilistic", "wvus", "triangle_area"}
    found = study(MODELS, X, Y, n_splits=4, test_size=0.25, metrics=metrics, rng=1)
    table = found.tests().set_index("metric")
    assert table["difference"].notna().all()
    for name in metrics:
        row = table.loc[name]
        numbers = row[["standard_error", "low", "high", "p_value", "p_adjusted"]]
        assert numbers.isna().all() if name in sizes else numbers.notna().all()
        assert ("no test" in row["note"] and "hand_till" in row["note"]) == (name in sizes)
    crossed = cross_evaluate(MODELS["bayes"], X, Y, cv=4, metrics=metrics, progress=False, rng=1)
    alone = crossed.learners().set_index("metric")
    assert alone["value"].notna().all()
    assert set(alone.index[alone["low"].isna()]) == sizes


def test_a_stopped_run_goes_on(tmp_path, monkeypatch):
    file = tmp_path / "folds.npz"
    options = {"cv": 4, "metrics": ["hand_till"], "progress": False}
    plain = cross_evaluate(MODELS, X, Y, rng=7, **options)
    fit = run.fit_split
    monkeypatch.setattr(
        run, "fit_split", lambda work, split: fit(work, split) if split < 2 else 1 / 0
    )
    with pytest.raises(ZeroDivisionError):
        cross_evaluate(MODELS, X, Y, rng=7, checkpoint=file, **options)
    fitted = []
    monkeypatch.setattr(
        run, "fit_split", lambda work, split: fitted.append(split) or fit(work, split)
    )
    resumed = cross_evaluate(MODELS, X, Y, checkpoint=file, **options)
    assert fitted == [2, 3]
    assert resumed.frame().equals(plain.frame())
    before = file.read_bytes()
    with pytest.raises(
        InvalidInput, match="belongs to a cross-validation with different estimators"
    ):
        cross_evaluate(GaussianNB(), X, Y, checkpoint=file, **options)
    with pytest.raises(InvalidInput, match="with different folds"):
        cross_evaluate(MODELS, X, Y, checkpoint=file, **{**options, "cv": FIVE})
    assert file.read_bytes() == before


def test_no_metrics_and_metrics_without_values():
    """Tables without rows, and rows without values."""
    for models in (GaussianNB(), MODELS):
        nothing = cross_evaluate(models, X, Y, cv=FIVE, metrics=[])
        assert nothing.frame().empty and nothing.learners().empty
    undefined = cross_evaluate(GaussianNB(), X, Y, cv=FIVE, metrics=["roc_auc"])
    assert undefined.learners()["value"].isna().all()


def test_metrics_that_many_cases_cannot_afford_are_computed_in_small_folds():
    """Without names the metrics are those that the largest fold affords."""
    X, y = three_class_mixture((1100, 1100, 1100), rng=0)
    found = cross_evaluate(GaussianNB(), X, y, cv=50, progress=False, rng=1)
    assert list(found) == [metric.name for metric in registry.select(None, Occasion(3, 66))]
    assert "vus" in found
    assert "vus" not in {metric.name for metric in registry.select(None, Occasion(3, 3300))}


def test_what_cannot_be_cross_validated():
    order = np.argsort(Y, kind="stable")
    for kind, message, given in (
        (InvalidInput, "The training part of fold 0 has no cases of the class 'a'. Use Stratified",
         {"cv": KFold(3)}),
        (InvalidInput, "cv must be at least 2, got 1", {"cv": 1}),
        (InvalidInput, "cv='ten' cannot split these cases", {"cv": "ten"}),
        (InvalidInput, "cannot be greater than the number of members in each class", {"cv": 45}),
        (InvalidInput, "Fold 0 has one case of the class 'a', which says nothing", {"cv": 20}),
        (InvalidInput, "groups has 3 values but there are 90 cases", {"groups": [1, 2, 3]}),
        (InvalidInput, "sample_weight has the shape", {"sample_weight": [1.0]}),
    ):  # fmt: skip
        with pytest.raises(kind, match=message):
            cross_evaluate(GaussianNB(), X[order], Y[order], **given)
    with pytest.raises(InvalidInput, match="X has 90 cases but y has 89"):
        cross_evaluate(GaussianNB(), X, Y[1:])
    with pytest.raises(InvalidInput, match="Pass the estimator itself"):
        cross_evaluate({"one": GaussianNB()}, X, Y)
    with pytest.raises(InvalidType, match="not a scikit-learn estimator"):
        cross_evaluate({"one": GaussianNB, "two": 1}, X, Y)
    ridge = cross_evaluate(RidgeClassifier(), X, Y, metrics=["hand_till", "total_length"], rng=1)
    assert ridge["hand_till"].value > 0.8
    assert "needs probabilities" in ridge["total_length"].note


class NeverFitted(GaussianNB):
    """Whoever fits it has not looked at the call."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("it was fitted")


def test_what_is_wrong_is_told_before_anything_is_fitted():
    order = np.argsort(Y, kind="stable")  # 20 of a, 40 of b, 30 of c
    first, last = np.arange(0, 90, 2), np.arange(1, 90, 2)
    known = [(last, first[first < 60]), (first, last)]  # c is learned, and not tested
    pairs = np.arange(90) // 2
    alone = np.delete(np.arange(90), np.arange(2, 20))  # one pair of a
    for message, given in (
        ("level must lie between 0 and 1, got 95. Pass 0.95 for 95 %.", {"level": 95}),
        ("The test part of fold 0 has no cases of the class 'c'. Use Stratified", {"cv": known}),
        ("Fold 0 has one group of the class 'a', which says nothing about how cases vary",
         {"cv": [(np.arange(2, 90), alone)], "groups": pairs}),
    ):  # fmt: skip
        with pytest.raises(InvalidInput) as caught:
            cross_evaluate(NeverFitted(), X[order], Y[order], **given)
        assert str(caught.value).startswith(message)


def test_scores_of_a_file_that_are_not_those_of_its_folds(tmp_path):
    file, schema = tmp_path / "folds.npz", "polyroc cross-validation 2"
    options = {"cv": 3, "metrics": ["hand_till"], "progress": False, "rng": 1}
    cross_evaluate(GaussianNB(), X, Y, checkpoint=file, **options)
    header, arrays = read_arrays(file, schema, "a cross-validation")
    whole = arrays["scores_1"]
    for scores in (whole[:, 1:], whole[:, :, :2], whole[[0, 0]], whole.astype(np.float32)):
        write_arrays(file, schema, header, {**arrays, "scores_1": scores})
        with pytest.raises(InvalidInput, match="its scores are not those of its folds"):
            cross_evaluate(GaussianNB(), X, Y, checkpoint=file, **options)
    for number in (np.nan, np.inf):
        scores = np.where(whole == whole.max(), number, whole)
        write_arrays(file, schema, header, {**arrays, "scores_1": scores})
        with pytest.raises(InvalidInput, match="its scores are not all finite numbers"):
            cross_evaluate(GaussianNB(), X, Y, checkpoint=file, **options)
