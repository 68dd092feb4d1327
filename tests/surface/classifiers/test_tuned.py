"""Tuned decision costs: known answers, one standard error, limits, scikit-learn's checks."""

import io
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.surface.classifiers.cost_sensitive import CostSensitiveClassifier, decide
from polyroc.surface.classifiers.sweeps import Goal
from polyroc.surface.classifiers.tuned import TunedCostClassifierCV, in_units

SEPALS, CODES = load_iris(return_X_y=True)
SEPALS = SEPALS[:, :2]
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of the linear algebra cost more than they bring on data this small."""
    with threadpool_limits(1):
        yield


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are its cases."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.arange(X.shape[1])
        return self

    def predict_proba(self, X):
        return X


def drawn(seed, n_cases, n_classes, sharpness=1.5):
    """Calibrated probabilities and truths drawn from them."""
    rng = np.random.default_rng(seed)
    raw = np.exp(sharpness * rng.normal(size=(n_cases, n_classes)))
    p = raw / raw.sum(axis=1, keepdims=True)
    truths = (rng.uniform(size=(n_cases, 1)) > p.cumsum(axis=1)).sum(axis=1)
    return p, np.minimum(truths, n_classes - 1)


def shifted(p, factors):
    """Probabilities as if the classes had been so much more frequent."""
    q = p * factors
    return q / q.sum(axis=1, keepdims=True)


@pytest.mark.slow
@parametrize_with_checks([TunedCostClassifierCV(LogisticRegression(C=1), cv=3)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.slow
def test_noise_stays_at_argmax():
    stayed = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        tuner = TunedCostClassifierCV(GaussianNB(), random_state=0)
        tuner.fit(rng.normal(size=(120, 2)), rng.integers(0, 3, 120))
        if tuner.chosen_ == "argmax":
            assert (tuner.costs_ == 1 - np.eye(3)).all()
            assert tuner.gain_ == tuner.gain_standard_error_ == 0
            stayed += 1
    assert stayed >= 15  # one standard error is exceeded by chance about every sixth time


def test_calibrated_probabilities_need_no_tuning():
    p, y = drawn(0, 3000, 3)
    costs = np.array([[0, 1, 1], [1, 0, 1], [8, 8, 0.0]])
    tuner = TunedCostClassifierCV(Given(), costs=costs, random_state=0).fit(p, y)
    assert tuner.chosen_ == "bayes"
    assert (tuner.costs_ == costs / 8).all()
    assert tuner.gain_ > 5 * tuner.gain_standard_error_ > 0


@pytest.mark.parametrize("costs", [None, [[0, 1, 2], [1, 0, 1], [4, 2, 0]]])
def test_a_known_shift_of_priors_is_recovered(costs):
    factors = np.array([8.0, 1.0, 0.25])
    p, y = drawn(1, 4000, 3)
    tuner = TunedCostClassifierCV(Given(), costs=costs, random_state=0).fit(shifted(p, factors), y)
    assert tuner.chosen_ == "tuned"
    ideal = (np.ones((3, 3)) - np.eye(3)) if costs is None else np.array(costs, float)
    weights = (tuner.costs_ / np.where(ideal > 0, ideal, 1)).max(axis=1) * factors
    assert np.abs(np.log(weights / weights[0])).max() < 0.35
    assert tuner.cost_ < ideal[y, decide(p, ideal)].mean() * 1.03


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_agree_with_a_sweep_of_the_threshold(seed):
    p, y = drawn(seed, 200, 2)
    p = shifted(p, np.array([6.0, 1.0]))
    costs = np.array([[0, 1], [3, 0.0]])
    tuner = TunedCostClassifierCV(Given(), costs=costs, standard_errors=0, random_state=0)
    tuned = tuner.fit(p, y).candidates_["tuned"].costs
    cuts = np.append(np.unique(p[:, 1]), 2)
    best = min(costs[y, (p[:, 1] >= cut).astype(int)].mean() for cut in cuts)
    assert costs[y, decide(p, tuned)].mean() == pytest.approx(best, abs=1e-12)


def test_gain_is_cross_fitted_and_paired():
    p, y = drawn(2, 150, 3)
    p = shifted(p, np.array([5.0, 1.0, 1.0]))
    folds = list(StratifiedKFold(4).split(p, y))
    tuner = TunedCostClassifierCV(Given(), cv=folds, random_state=3).fit(p, y)
    saved = np.empty(len(y))
    for train, test in folds:  # tuning on a part does not look at the folds inside it
        inner = TunedCostClassifierCV(Given(), cv=2, random_state=3).fit(p[train], y[train])
        decided = decide(p[test], inner.candidates_["tuned"].costs)
        saved[test] = (p[test].argmax(axis=1) != y[test]).astype(int) - (decided != y[test])
    tuned = tuner.candidates_["tuned"]
    # Starts depend on class shares and are not those of the part; the answers hardly differ.
    assert tuned.gain == pytest.approx(saved.mean(), abs=0.015)
    assert tuned.standard_error == pytest.approx(saved.std(ddof=1) / np.sqrt(len(y)), rel=0.1)
    assert tuned.cost == pytest.approx((p.argmax(axis=1) != y).mean() - tuned.gain)


def test_standard_errors_decide_who_wins():
    p, y = drawn(3, 400, 3)
    p = shifted(p, np.array([2.0, 1.0, 1.0]))
    eager = TunedCostClassifierCV(Given(), standard_errors=0, random_state=0).fit(p, y)
    timid = TunedCostClassifierCV(Given(), standard_errors=50, random_state=0).fit(p, y)
    assert eager.chosen_ == "tuned" and eager.gain_ > 0
    assert timid.chosen_ == "argmax"


@pytest.mark.parametrize("vary", ["classes", pytest.param("pairs", marks=pytest.mark.slow)])
def test_limits_are_honoured_out_of_fold(vary):
    p, y = drawn(4, 400, 3)
    limits = {(2, 0): 0.05, (1, 0): 0.1}
    tuner = TunedCostClassifierCV(Given(), limits=limits, vary=vary, cv=2, random_state=0).fit(p, y)
    plain = tuner.candidates_["argmax"]
    assert not plain.feasible and plain.rates[2, 0] > 0.05
    pooled = decide(p, tuner.costs_)
    for (truth, decision), limit in limits.items():
        assert tuner.rates_[truth, decision] <= limit
        assert np.mean(pooled[y == truth] == decision) <= limit
    assert 0 < tuner.cost_ - plain.cost < 0.12  # limits have a price, and not any price
    assert np.allclose(tuner.rates_.sum(axis=1), 1)


def test_limits_that_argmax_keeps_leave_it_alone():
    p, y = drawn(5, 600, 3)
    tuner = TunedCostClassifierCV(Given(), limits={(0, 1): 0.9}, random_state=0).fit(p, y)
    assert tuner.chosen_ == "argmax"


@pytest.mark.slow
def test_one_rate_is_minimised_under_limits_on_others():
    p, y = drawn(6, 400, 3)
    limits = {(0, 2): 0.3, (2, 1): 0.3, (1, 0): 0.3}
    tuner = TunedCostClassifierCV(Given(), minimise=(2, 0), limits=limits, cv=3, random_state=0)
    tuner.fit(p, y)
    assert tuner.chosen_ == "tuned"
    assert tuner.cost_ == pytest.approx(tuner.rates_[2, 0])
    assert tuner.cost_ < tuner.candidates_["argmax"].rates[2, 0] - 0.05
    assert all(tuner.rates_[pair] <= limit for pair, limit in limits.items())


def test_limits_that_cannot_be_kept_are_an_error_that_says_how_close():
    p, y = drawn(7, 300, 2)
    with pytest.raises(NotDefined, match=r"closest reach 0 as 1 0\.\d+ \(limit 0.01\), 1 as 0"):
        TunedCostClassifierCV(Given(), limits={(0, 1): 0.01, (1, 0): 0.01}).fit(p, y)


def test_limits_kept_only_where_tuned_are_a_warning():
    p, y = drawn(8, 60, 2, sharpness=0.8)
    pooled = TunedCostClassifierCV(Given(), limits={(0, 1): 0.0}, random_state=0)
    limits = {(0, 1): 0.0, (1, 0): 0.8}
    with pytest.warns(UserWarning, match="not cross-fitted"):
        pooled.set_params(limits=limits).fit(p, y)
    assert pooled.candidates_["tuned"].feasible is False


def test_priors_of_the_place_of_use():
    p, y = drawn(9, 4000, 3)
    priors = {0: 0.8, 1: 0.1, 2: 0.1}
    tuner = TunedCostClassifierCV(Given(), priors=priors, random_state=0).fit(p, y)
    shares = np.bincount(y) / len(y)
    bayes = tuner.candidates_["bayes"].costs
    assert np.allclose(bayes.max(axis=1) / bayes.max(), [1, *(0.125 * shares[0] / shares[1:])])
    assert tuner.chosen_ == "bayes"
    rates = [np.mean(decide(p, bayes)[y == k] != k) for k in range(3)]
    assert tuner.cost_ == pytest.approx(0.8 * rates[0] + 0.1 * rates[1] + 0.1 * rates[2])


def test_weight_zero_is_absence():
    p, y = drawn(10, 300, 3)
    p = shifted(p, np.array([5.0, 1.0, 1.0]))
    weights = np.where(np.arange(300) < 200, np.random.default_rng(0).uniform(1, 2, 300), 0)
    cv = [(np.arange(300) % 3 != f, np.arange(300) % 3 == f) for f in range(3)]
    all_cases = [tuple(np.flatnonzero(part) for part in split) for split in cv]
    some = [tuple(np.flatnonzero(part[:200]) for part in split) for split in cv]
    zero = TunedCostClassifierCV(Given(), cv=all_cases, random_state=0).fit(p, y, weights)
    absent = TunedCostClassifierCV(Given(), cv=some, random_state=0)
    absent.fit(p[:200], y[:200], sample_weight=weights[:200] * 7)
    assert np.allclose(zero.costs_, absent.costs_)
    assert zero.gain_ == pytest.approx(absent.gain_)
    assert zero.gain_standard_error_ == pytest.approx(absent.gain_standard_error_)


def test_classes_without_cases_have_no_rates():
    p, y = drawn(10, 60, 3)
    only = y < 2
    for options, named in (
        ({"limits": {(2, 0): 0.1}}, "limits"),
        ({"minimise": (2, 0)}, "minimise"),
        ({"priors": [0.4, 0.3, 0.3]}, "priors"),
    ):
        with pytest.raises(NotDefined) as caught:
            TunedCostClassifierCV(Given(), **options).fit(p, y, sample_weight=1.0 * only)
        assert str(caught.value) == f"{named} name the class 2, of which there are no cases."


def test_weights_change_what_is_best():
    p, y = drawn(11, 2000, 3)
    weights = np.array([20.0, 1, 1])[y]
    tuner = TunedCostClassifierCV(Given(), random_state=0).fit(p, y, sample_weight=weights)
    assert tuner.chosen_ == "tuned"
    assert tuner.costs_[0, 1] > 8 * tuner.costs_[1, 0]


def test_weights_that_the_classifier_cannot_take_count_in_tuning_only():
    weights = np.ones(len(Y))
    with pytest.warns(UserWarning, match="count in tuning only"):
        TunedCostClassifierCV(KNeighborsClassifier()).fit(SEPALS, Y, sample_weight=weights)


def test_the_same_seed_gives_the_same_costs_on_any_number_of_jobs():
    costs = {("virginica", "versicolor"): 5, ("versicolor", "virginica"): 1}
    tuner = TunedCostClassifierCV(GaussianNB(), costs=costs, standard_errors=0, random_state=7)
    with joblib.parallel_config("threading"):
        first, second = (
            clone(tuner).set_params(n_jobs=n_jobs).fit(SEPALS, Y) for n_jobs in (None, 2)
        )
    assert (first.costs_ == second.costs_).all()
    assert first.gain_ == second.gain_


def test_costs_found_serve_the_plain_classifier():
    tuner = TunedCostClassifierCV(GaussianNB(), costs=1 - np.eye(3), standard_errors=0)
    tuner.fit(SEPALS, Y)
    model = CostSensitiveClassifier(GaussianNB(), tuner.costs_).fit(SEPALS, Y)
    assert (model.predict(SEPALS) == tuner.predict(SEPALS)).all()
    assert (model.predict_proba(SEPALS) == tuner.predict_proba(SEPALS)).all()


def test_units_of_costs_are_those_given():
    p, y = drawn(12, 200, 3)
    table = np.array([[0, 1, 2], [1, 0, 1], [4, 2, 0.0]])
    one = TunedCostClassifierCV(Given(), costs=table, random_state=0).fit(p, y)
    many = TunedCostClassifierCV(Given(), costs=1000 * table, random_state=0).fit(p, y)
    assert many.cost_ == pytest.approx(1000 * one.cost_)
    assert np.allclose(many.costs_, one.costs_)


def test_a_fitted_classifier_is_taken_as_it_is():
    fitted = GaussianNB().fit(SEPALS[::2], Y[::2])
    tuner = TunedCostClassifierCV(FrozenEstimator(fitted)).fit(SEPALS[1::2], Y[1::2])
    assert (tuner.predict_proba(SEPALS) == fitted.predict_proba(SEPALS)).all()
    two = TunedCostClassifierCV(FrozenEstimator(fitted)).fit(SEPALS[:100], Y[:100])
    assert len(two.classes_) == 3 and np.isnan(two.rates_[2]).all()
    with pytest.raises(InvalidInput, match="'rose'"):
        TunedCostClassifierCV(FrozenEstimator(fitted)).fit(
            SEPALS, np.where(np.arange(150) % 10, Y, "rose")
        )


def test_frames_pipelines_searches_and_pickles():
    frame = pd.DataFrame(SEPALS, columns=["length", "width"])
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    tuner = TunedCostClassifierCV(inner, costs={("virginica", "versicolor"): 3.0}, cv=3)
    grid = {"estimator__logisticregression__C": [0.01, 1]}
    search = GridSearchCV(tuner, grid, cv=3).fit(frame, pd.Series(Y))
    best = search.best_estimator_
    assert best.feature_names_in_.tolist() == ["length", "width"]
    stored = io.BytesIO()
    joblib.dump(best, stored)
    stored.seek(0)
    assert (joblib.load(stored).predict(frame) == search.predict(frame)).all()
    assert clone(tuner).get_params()["costs"] == {("virginica", "versicolor"): 3.0}
    assert make_pipeline(StandardScaler(), TunedCostClassifierCV(GaussianNB())).fit(frame, Y)


def test_groups_and_weights_are_routed():
    groups, weights = np.arange(150) % 5, np.random.default_rng(0).uniform(1, 2, 150)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = GaussianNB().set_fit_request(sample_weight=True)
        tuner = TunedCostClassifierCV(inner, cv=GroupKFold(5))
        tuner.fit(SEPALS, Y, groups=groups, sample_weight=weights)
    plain = GaussianNB().fit(SEPALS, Y, sample_weight=weights)
    assert (tuner.predict_proba(SEPALS) == plain.predict_proba(SEPALS)).all()


def test_many_folds_are_joined_for_cross_fitting():
    p, y = drawn(13, 60, 3)
    tuner = TunedCostClassifierCV(Given(), cv=LeaveOneOut(), random_state=0).fit(p, y)
    assert np.isfinite(tuner.candidates_["tuned"].gain)


def test_folds_must_serve():
    with pytest.raises(InvalidInput, match="'virginica' has no cases in the training part"):
        TunedCostClassifierCV(GaussianNB(), cv=KFold(3)).fit(SEPALS[:101], Y[:101])
    with pytest.raises(InvalidInput, match="exactly once"):
        TunedCostClassifierCV(GaussianNB(), cv=ShuffleSplit(3)).fit(SEPALS, Y)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"vary": "all"}, InvalidInput, "vary must be"),
        ({"standard_errors": -1}, InvalidInput, "standard_errors"),
        ({"limits": {("setosa", "virginica"): 5}}, InvalidInput, "rate from 0 to 1"),
        ({"limits": {("setosa", "rose"): 0.1}}, UnknownName, "'rose' is not a class"),
        ({"limits": [0.1]}, InvalidType, "limits"),
        ({"costs": np.ones((3, 3)), "minimise": ("setosa", "virginica")}, InvalidInput, "one of"),
        ({"costs": np.ones((2, 2))}, InvalidInput, "3 classes"),
        ({"priors": [0.5, 0.5]}, InvalidInput, "one prior per class"),
        ({"estimator": LinearSVC()}, InvalidType, "no predict_proba"),
    ],
)
def test_bad_options_are_named(options, error, words):
    tuner = TunedCostClassifierCV(GaussianNB()).set_params(**options)
    with pytest.raises(error, match=words):
        tuner.fit(SEPALS, Y)


def test_costs_that_are_not_named_are_one():
    """Smaller ones that are named do not change the units of those that are not."""
    table = in_units({(0, 1): 0.25}, (0, 1, 2))
    assert table.tolist() == [[0, 0.25, 1], [1, 0, 1], [1, 1, 0]]
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    X = rng.normal(size=(150, 2)) + np.array([[0, 0], [1, 0], [0, 1]])[y]
    some, all_ = (
        TunedCostClassifierCV(GaussianNB(), costs=costs, random_state=0).fit(X, y)
        for costs in ({(2, 0): 5}, np.array([[0, 1, 1], [1, 0, 1], [5, 1, 0]]))
    )
    assert np.array_equal(some.costs_, all_.costs_) and some.cost_ == all_.cost_


@pytest.mark.parametrize("limited", [False, True])
def test_which_costs_move_together(limited):
    """By default those of a class, and each limited one; with vary="pairs" each by itself."""
    p, y = drawn(14, 40, 3)
    known = Goal(p, y, np.full(len(y), 1 / len(y)), 1 - np.eye(3))
    goal = replace(known, limited=((2, 0),), limits=np.array([0.1])) if limited else known
    equal = 1 - np.eye(3)
    searched = {
        vary: TunedCostClassifierCV(Given(), vary=vary, random_state=0)._search(
            goal, equal * 2, (0, 1, 2)
        )
        for vary in ("classes", "pairs")
    }
    moved = {
        vary: [each.astype(int).tolist() for each in found.groups]
        for vary, found in searched.items()
    }
    pairs = [(k, j) for k in range(3) for j in range(3) if k != j]
    alone = [[[int((k, j) == pair) for j in range(3)] for k in range(3)] for pair in pairs]
    assert sorted(moved["pairs"]) == sorted(alone)
    assert len(moved["classes"]) == 3 + limited
    assert all(group not in moved["classes"][:3] for group in alone)
    assert alone[pairs.index((2, 0))] in moved["classes"] or not limited
    *others, last = searched["pairs"].starts
    np.testing.assert_array_equal(last, equal)
    assert len(others) == len(searched["classes"].starts)
