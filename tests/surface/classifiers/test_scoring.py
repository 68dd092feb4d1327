"""Scores of a confusion table as goals of tuning: as scikit-learn has them, and brute force."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    make_scorer,
    matthews_corrcoef,
)
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB

from polyroc.surface import TunedCostClassifierCV
from polyroc.surface.classifiers.candidates import Trial
from polyroc.surface.classifiers.scoring import AT_ONCE, CALLS, ScoreGoal, table_score
from polyroc.surface.classifiers.sweeps import Search, class_groups

PEERS = {
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1_macro": lambda t, d, **k: f1_score(t, d, average="macro", zero_division=0, **k),
    "f1_weighted": lambda t, d, **k: f1_score(t, d, average="weighted", zero_division=0, **k),
    "matthews_corrcoef": matthews_corrcoef,
    "cohen_kappa": cohen_kappa_score,
}


def cases(n, seed, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, n, p=np.arange(1, n_classes + 1) / sum(range(n_classes + 1)))
    x = rng.normal(size=(n, n_classes))
    x[np.arange(n), y] += 1
    p = np.exp(x * 2)
    return y, p / p.sum(axis=1, keepdims=True), x


def goal_of(scoring, y, p):
    function, at_once = table_score(scoring, tuple(range(p.shape[1])))
    n_classes = p.shape[1]
    weights, total = np.full(len(y), 1 / len(y)), float(len(y))
    known = p, y.astype(np.int64), weights, 1 - np.eye(n_classes)
    return ScoreGoal(*known, scoring=function, at_once=at_once, total=total)


def test_scores_of_tables_equal_scikit_learn():
    rng = np.random.default_rng(1)
    assert set(PEERS) == set(AT_ONCE)
    for n_classes, _ in itertools.product((2, 3, 5), range(20)):
        truth, decided = rng.integers(n_classes, size=(2, 12))
        truth[:n_classes] = np.arange(n_classes)  # scikit-learn warns of classes without cases
        weights = rng.uniform(0.5, 2, 12)
        table = np.zeros((n_classes, n_classes))
        np.add.at(table, (truth, decided), weights)
        for name, peer in PEERS.items():
            expected = peer(truth, decided, sample_weight=weights)
            assert AT_ONCE[name](table) == pytest.approx(expected, abs=1e-12), name
            scorer, _ = table_score(make_scorer(peer), tuple(range(n_classes)))
            assert scorer(table) == pytest.approx(expected, abs=1e-12), name
    stack = rng.uniform(size=(4, 3, 3))
    for score in AT_ONCE.values():
        assert score(stack) == pytest.approx([float(score(table)) for table in stack])


def test_the_best_weights_of_three_classes_are_those_of_a_grid():
    """Weights of classes on a fine grid, for every small sample: none does better."""
    grid = np.exp(np.linspace(-4, 4, 41))
    for seed in range(3):
        y, p, _ = cases(60, seed)
        for scoring in ("f1_macro", "matthews_corrcoef", lambda table: table[0, 0] * table[2, 2]):
            goal = goal_of(scoring, y, p)
            best = max(
                goal.value_of((p * [1, a, b]).argmax(axis=1))
                for a, b in itertools.product(grid, repeat=2)
            )
            starts = tuple(
                (1 - np.eye(3)) * np.array([1, a, b])[:, None]
                for a, b in itertools.product((0.2, 1, 5), repeat=2)
            )
            found = Search(starts, tuple(class_groups(3))).best(goal)
            reached = -goal.score(found).goal
            assert reached >= best - 2e-6 - (0 if isinstance(scoring, str) else 0.02 * best)


def test_two_classes_reach_the_score_of_scikit_learns_tuned_threshold():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [160, 40])
    X = rng.normal(y[:, None] * 1.2, 1, (200, 2))
    fitted = LogisticRegression().fit(X, y)
    for scoring in ("f1_macro", "balanced_accuracy", "matthews_corrcoef"):
        thresholds = np.unique(fitted.predict_proba(X)[:, 1])
        peer = TunedThresholdClassifierCV(
            fitted, scoring=scoring, thresholds=thresholds, cv="prefit", refit=False
        ).fit(X, y)
        ours = TunedCostClassifierCV(
            FrozenEstimator(fitted), scoring=scoring, cv=2, standard_errors=0
        ).fit(X, y)
        tuned = ours.candidates_["tuned"].costs
        threshold = tuned[0, 1] / (tuned[0, 1] + tuned[1, 0])
        decided = [fitted.predict_proba(X)[:, 1] >= at for at in (threshold, peer.best_threshold_)]
        scores = [AT_ONCE[scoring](confusion_matrix(y, each)) for each in decided]
        assert scores[0] == pytest.approx(scores[1], abs=1e-12)
        assert scores[1] == pytest.approx(peer.best_score_, abs=1e-12)


def test_the_standard_error_of_a_gain_is_that_of_the_jackknife():
    y, p, _ = cases(150, 7)
    goal = goal_of("f1_macro", y, p)
    before, after = p.argmax(axis=1), (p * [3, 1, 1]).argmax(axis=1)
    trial = Trial(goal, np.arange(150) % 5, by_class=False)
    gain, error = trial.gain(before, after)
    assert gain == goal.value_of(after) - goal.value_of(before)
    left = np.array(
        [
            f1_score(np.delete(y, i), np.delete(after, i), average="macro")
            - f1_score(np.delete(y, i), np.delete(before, i), average="macro")
            for i in range(150)
        ]
    )
    assert error == pytest.approx(np.sqrt(149 / 150 * ((left - left.mean()) ** 2).sum()), rel=0.04)


def test_costs_that_differ_between_folds_add_to_the_standard_error():
    """Twice the jackknife variance: of the costs of the folds, and of those of all cases."""
    y, p, _ = cases(150, 7)
    weights = [(3, 1, 1), (2, 1, 1), (1, 1, 2), (1, 2, 1)]
    costs = [np.outer(each, np.ones(3)) * (1 - np.eye(3)) for each in weights]
    scores = [f1_score(y, (p * each).argmax(axis=1), average="macro") for each in weights]
    trial = Trial(goal_of("f1_macro", y, p), np.arange(150) % 4, by_class=False)
    expected = 2 * 3 / 4 * sum((each - np.mean(scores)) ** 2 for each in scores)
    assert trial.spread_of_tuning(p.argmax(axis=1), costs) == pytest.approx(expected, rel=1e-9)
    assert expected > 0


@pytest.mark.slow
def test_a_tuner_raises_a_score_and_says_by_how_much():
    y, _, x = cases(600, 3)
    tuner = TunedCostClassifierCV(GaussianNB(priors=[0.8, 0.1, 0.1]), scoring="f1_macro")
    tuner.fit(x, y)
    assert tuner.chosen_ == "tuned"
    assert tuner.gain_ > tuner.gain_standard_error_ > 0
    table = tuner.rates_ * np.bincount(y)[:, None]
    assert tuner.score_ == pytest.approx(AT_ONCE["f1_macro"](table))
    assert tuner.gain_ == pytest.approx(tuner.score_ - tuner.candidates_["argmax"].score)
    told = f"Tuned costs: the score is {tuner.gain_:.4g} higher than that of argmax "
    assert tuner.verdict_.startswith(told)
    assert f"(standard error {tuner.gain_standard_error_:.2g})" in tuner.verdict_
    limited = TunedCostClassifierCV(
        GaussianNB(priors=[0.8, 0.1, 0.1]), scoring="f1_macro", limits={(2, 0): 0.05}
    ).fit(x, y)
    assert limited.rates_[2, 0] <= 0.05


def test_argmax_is_kept_and_said_where_nothing_is_gained():
    y, _, x = cases(300, 5)
    tuner = TunedCostClassifierCV(DummyClassifier(), scoring="accuracy").fit(x, y)
    assert (tuner.chosen_, tuner.gain_) == ("argmax", 0)
    tuned = tuner.candidates_["tuned"]
    assert tuned.gain == 0 and tuner.verdict_ == (
        "Argmax is kept: with tuned costs the score is the same as that of argmax "
        f"(standard error {tuned.standard_error:.2g}) on out-of-fold cases."
    )
    plain = TunedCostClassifierCV(DummyClassifier()).fit(x, y)
    assert np.isnan(plain.score_)
    assert "the cost is" in plain.verdict_


def test_scores_that_cannot_be_tuned_are_refused():
    y, _, x = cases(60, 5)
    for scoring, words in (
        ("roc_auc_ovr", "evaluates probabilities"),
        (make_scorer(lambda t, d: 1.0), "takes no sample_weight"),
        (3, "scoring must be"),
        (lambda table: np.nan, "must return a finite number"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            TunedCostClassifierCV(GaussianNB(), scoring=scoring).fit(x, y)
    for other in ({"costs": 1 - np.eye(3)}, {"minimise": (0, 1)}):
        with pytest.raises(ValueError, match="two goals"):
            TunedCostClassifierCV(GaussianNB(), scoring="f1_macro", **other).fit(x, y)


def test_scores_that_take_many_tables_are_called_once_for_a_sweep(monkeypatch):
    """However many tables there are; others are called for some of them, around the best."""
    tables = np.random.default_rng(2).uniform(size=(500, 3, 3))
    y, p, _ = cases(30, 3)
    given = []

    def accuracy(some):
        given.append(len(some))
        return np.trace(some, axis1=1, axis2=2) / some.sum(axis=(1, 2))

    at_once = replace(goal_of("accuracy", y, p), scoring=accuracy)
    expected = np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))
    np.testing.assert_allclose(at_once._followed(tables), expected)
    assert given == [500]
    one_by_one = replace(at_once, scoring=lambda table: accuracy(table[None])[0], at_once=False)
    some = one_by_one._followed(tables)
    called = np.isfinite(some)
    assert CALLS <= called.sum() < 500
    np.testing.assert_allclose(some[called], expected[called])
