"""CatBoost: each round is polyroc of that round's predictions, and stops where a loop would."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from integrations.rounds import PATIENCE, ROUNDS, best_round, cases
from scipy.special import softmax

import polyroc
from polyroc.integrations import boosting

pytestmark = pytest.mark.integrations


def fitted(catboost: Any, given: Any, metric: Any, **more: Any) -> tuple[Any, list[float]]:
    """A classifier with all its trees, and the values of each round on the validation set."""
    model = catboost.CatBoostClassifier(
        **{
            "iterations": ROUNDS,
            "depth": 3,
            "learning_rate": 0.5,
            "eval_metric": metric,
            "use_best_model": False,
            "verbose": False,
            "allow_writing_files": False,
            "thread_count": 2,
            "random_seed": 0,
            **more,
        }
    )
    held = catboost.Pool(given.X_held, given.y_held, weight=given.w_held)
    model.fit(catboost.Pool(given.X, given.y, weight=given.w), eval_set=held)
    return model, model.get_evals_result()["validation"][metric.metric]


def staged(model: Any, given: Any) -> list[Any]:
    """Raw scores after each round."""
    kept = range(1, model.tree_count_ + 1)
    return [model.predict(given.X_held, prediction_type="RawFormulaVal", ntree_end=i) for i in kept]


def test_every_round_is_polyroc_of_its_predictions(catboost: Any) -> None:
    for n_classes, name in ((2, "roc_auc"), (2, "saec"), (4, "hand_till"), (4, "total_length")):
        given = cases(n_classes)
        loss = "Logloss" if n_classes == 2 else "MultiClass"
        model, found = fitted(catboost, given, boosting.catboost(name), loss_function=loss)
        assert len(found) == ROUNDS and len(set(found)) > 3
        for i, value in enumerate(found):
            p = model.predict_proba(given.X_held, ntree_end=i + 1)
            p = p[:, 1] if n_classes == 2 else p
            by_hand = getattr(polyroc, name)(given.y_held, p, sample_weight=given.w_held)
            assert np.isclose(value, by_hand, rtol=0, atol=1e-12)


def test_its_own_areas(catboost: Any) -> None:
    """AUC of two classes; of more, ``AUC:type=Mu`` is AUC_mu of raw scores.

    In the first rounds many cases have the same score up to the rounding of sums. They are tied
    here, and not in CatBoost.
    """
    given = cases(2)._replace(w=None, w_held=None)  # its own areas leave weights out
    model, found = fitted(
        catboost, given, boosting.catboost("roc_auc"), loss_function="Logloss", custom_metric="AUC"
    )
    own = model.get_evals_result()["validation"]["AUC"]
    assert np.allclose(found, own, rtol=0, atol=1e-9)
    given = cases(4)._replace(w=None, w_held=None)
    model, found = fitted(
        catboost,
        given,
        boosting.catboost("auc_mu", logits=None),
        loss_function="MultiClass",
        custom_metric="AUC:type=Mu",
    )
    (own,) = (v for k, v in model.get_evals_result()["validation"].items() if "AUC" in k)
    assert np.allclose(found[2:], own[2:], rtol=0, atol=1e-9)
    assert np.allclose(found, own, rtol=0, atol=1e-3)


def test_raw_scores_are_ranked_where_asked(catboost: Any) -> None:
    given = cases(3)
    metric = boosting.catboost("hand_till", logits=None)
    model, found = fitted(catboost, given, metric, loss_function="MultiClassOneVsAll")
    for value, raw in zip(found, staged(model, given), strict=True):
        by_hand = polyroc.hand_till(given.y_held, raw, sample_weight=given.w_held)
        assert np.isclose(value, by_hand, rtol=0, atol=1e-12)


def test_training_stops_where_a_loop_by_hand_stops(catboost: Any) -> None:
    stopped = []
    for n_classes, name, seed in ((3, "hand_till", 0), (3, "hand_till", 1), (2, "saec", 2)):
        given = cases(n_classes, seed)
        loss = "Logloss" if n_classes == 2 else "MultiClass"
        whole, _ = fitted(catboost, given, boosting.catboost(name), loss_function=loss)
        rounds = staged(whole, given)
        scores = rounds if n_classes == 2 else [softmax(raw, axis=1) for raw in rounds]
        weights = given.w_held
        function = getattr(polyroc, name)
        by_hand = [function(given.y_held, each, sample_weight=weights) for each in scores]
        model, found = fitted(
            catboost,
            given,
            boosting.catboost(name),
            loss_function=loss,
            early_stopping_rounds=PATIENCE,
        )
        best = best_round(by_hand, name != "saec")
        assert model.get_best_iteration() == best
        assert np.allclose(found, by_hand[: len(found)], rtol=0, atol=1e-12)
        stopped.append(len(found) < ROUNDS)
    assert any(stopped)


def test_names_of_classes_and_a_copy(catboost: Any) -> None:
    """Classes by name come as numbers; a metric is copied and pickled with its model."""
    given = cases(3)
    names = np.array(["c", "a", "b"])
    named = given._replace(y=names[given.y], y_held=names[given.y_held])
    metric = pickle.loads(pickle.dumps(boosting.catboost("hand_till")))
    model, found = fitted(catboost, named, metric, loss_function="MultiClass")
    assert model.classes_.tolist() == ["a", "b", "c"]
    for i, value in enumerate(found):
        p = model.predict_proba(given.X_held, ntree_end=i + 1)
        by_hand = polyroc.hand_till(named.y_held, p, sample_weight=given.w_held)
        assert np.isclose(value, by_hand, rtol=0, atol=1e-12)
