"""LightGBM: each round is polyroc of that round's predictions, and stops where a loop would."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from common.packages import light_gbm
from integrations.rounds import PATIENCE, ROUNDS, best_round, cases
from scipy.special import expit, softmax

import polyroc
from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.integrations import boosting

lightgbm = light_gbm()

QUIET: dict[str, Any] = {"verbosity": -1, "num_leaves": 7, "learning_rate": 0.5, "num_threads": 1}


def trained(
    given: Any, n_classes: int, names: tuple[str, ...], **settings: Any
) -> tuple[Any, dict[str, list[float]]]:
    """A booster, and the values of each round."""
    own = {"objective": "multiclass", "num_class": n_classes} if n_classes > 2 else {}
    own = own or {"objective": "binary"}
    logits, callbacks = settings.pop("logits", False), settings.pop("callbacks", [])
    found: dict[str, Any] = {}
    data = lightgbm.Dataset(given.X, given.y, weight=given.w)
    booster = lightgbm.train(
        {**QUIET, **own, "metric": "none", **settings},
        data,
        ROUNDS,
        valid_sets=[lightgbm.Dataset(given.X_held, given.y_held, weight=given.w_held)],
        valid_names=["held"],
        feval=[boosting.lightgbm(name, logits=logits) for name in names],
        callbacks=[lightgbm.record_evaluation(found), *callbacks],
    )
    return booster, found.get("held", {})


def test_every_round_of_training_is_polyroc_of_its_predictions() -> None:
    for n_classes, names in (
        (2, ("roc_auc", "hand_till", "saec", "probabilistic_auc")),
        (4, ("hand_till", "aunp", "auc_mu", "pdi", "total_length")),
    ):
        given = cases(n_classes)
        booster, found = trained(given, n_classes, names)
        for name in names:
            function = getattr(polyroc, name)
            by_hand = [
                function(
                    given.y_held,
                    booster.predict(given.X_held, num_iteration=i + 1),
                    sample_weight=given.w_held,
                )
                for i in range(ROUNDS)
            ]
            assert found[f"polyroc_{name}" if name == "auc_mu" else name] == by_hand
            assert len(set(by_hand)) > 3  # the rounds differ


def test_raw_scores_of_an_objective_of_ones_own() -> None:
    """LightGBM passes raw scores then: they are an error until it is said what they are."""
    for n_classes in (2, 3):
        given = cases(n_classes)

        def objective(raw: Any, data: Any, n_classes: int = n_classes) -> tuple[Any, Any]:
            y = data.get_label().astype(int)
            p = expit(raw) if n_classes == 2 else softmax(raw, axis=1)
            error = p - (y if n_classes == 2 else np.eye(n_classes)[y])
            return error, np.maximum(p * (1 - p), 1e-3)

        names = ("hand_till", "auc_mu")
        with pytest.raises(InvalidInput, match=r"should be probabilities.*Pass logits=True if"):
            trained(given, n_classes, names, objective=objective)
        for logits in (True, None):
            booster, found = trained(given, n_classes, names, objective=objective, logits=logits)
            for name in names:
                shown = f"polyroc_{name}" if name == "auc_mu" else name
                for i, value in enumerate(found[shown]):
                    raw = booster.predict(given.X_held, num_iteration=i + 1, raw_score=True)
                    p = expit(raw) if n_classes == 2 else softmax(raw, axis=1)
                    by_hand = getattr(polyroc, name)(
                        given.y_held, p if logits else raw, sample_weight=given.w_held
                    )
                    assert value == by_hand


def test_its_own_areas() -> None:
    """AUC of two classes, and auc_mu, which LightGBM computes from raw scores without weights."""
    for n_classes, name, own in ((2, "roc_auc", "auc"), (4, "auc_mu", "auc_mu")):
        given = cases(n_classes)._replace(w=None, w_held=None)
        booster, found = trained(given, n_classes, (name,), metric=own)
        if name == "roc_auc":
            assert np.allclose(found[own], found[name], rtol=0, atol=1e-12)
            continue
        ours = found["polyroc_auc_mu"]
        assert len(ours) == len(found[own]) == ROUNDS  # two lists
        assert not np.allclose(found[own], ours, rtol=0, atol=1e-4)  # raw scores, probabilities
        metric = boosting.lightgbm("auc_mu", logits=None)
        for i, value in enumerate(found[own]):
            raw = booster.predict(given.X_held, num_iteration=i + 1, raw_score=True)
            assert np.isclose(metric(given.y_held, raw)[1], value, rtol=0, atol=1e-9)


def test_training_stops_where_a_loop_by_hand_stops() -> None:
    stopped = []
    for n_classes, name, seed in ((3, "hand_till", 0), (3, "hand_till", 1), (2, "saec", 2)):
        given = cases(n_classes, seed)
        whole, _ = trained(given, n_classes, ())
        by_hand = [
            getattr(polyroc, name)(
                given.y_held,
                whole.predict(given.X_held, num_iteration=i + 1),
                sample_weight=given.w_held,
            )
            for i in range(ROUNDS)
        ]
        stopping = [lightgbm.early_stopping(PATIENCE, verbose=False)]
        booster, found = trained(given, n_classes, (name,), callbacks=stopping)
        best = best_round(by_hand, name != "saec")
        assert booster.best_iteration == best + 1
        assert found[name] == by_hand[: best + 1 + PATIENCE]
        stopped.append(best + 1 + PATIENCE < ROUNDS)
    assert any(stopped)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")  # eval_X is new in 4.7
def test_the_classifier_with_names_of_classes_and_weights() -> None:
    given = cases(3)
    names = np.array(["c", "a", "b"])
    for held in (given.w_held, None):
        model = lightgbm.LGBMClassifier(
            n_estimators=6, num_leaves=7, learning_rate=0.5, verbosity=-1, n_jobs=1
        )
        model.fit(
            given.X,
            names[given.y],
            eval_set=[(given.X_held, names[given.y_held])],
            eval_sample_weight=None if held is None else [held],
            eval_metric=boosting.lightgbm("hand_till"),
        )
        found = next(iter(model.evals_result_.values()))["hand_till"]
        assert len(found) == 6
        for i, value in enumerate(found):
            p = model.predict_proba(given.X_held, num_iteration=i + 1)
            y = names[given.y_held]
            assert value == polyroc.hand_till(y, p, labels=model.classes_, sample_weight=held)


def test_a_class_without_cases_follows_the_option() -> None:
    p = np.random.default_rng(1).dirichlet(np.ones(3), 40)
    y = np.arange(40) % 2
    with pytest.raises(InvalidInput, match="The class 2 has no cases"):
        boosting.lightgbm("hand_till")(y, p)
    for make in (boosting.lightgbm, boosting.xgboost):
        made = make("hand_till", absent="skip").value(y, p)
        assert made == polyroc.hand_till(y, p, labels=[0, 1, 2], absent="skip")


def test_one_prediction_per_case_for_three_classes_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r'classes up to 2.*not "multi:softmax"'):
        boosting.xgboost("hand_till")([0, 1, 2], np.array([0.0, 1.0, 2.0]))


def test_directions_and_names() -> None:
    """XGBoost maximises what begins as its own areas do, and minimises the rest."""
    maximised = ("auc", "aucpr", "pre", "pre@", "map", "ndcg")
    for name, metric in polyroc.registry.items():
        higher = metric.direction == "higher"
        assert boosting.lightgbm(name).higher_is_better == higher
        assert boosting.catboost(name).is_max_optimal() == higher
        shown = boosting.xgboost(name).__name__
        assert shown.startswith(maximised) == higher and shown.endswith(name)


def test_what_is_asked_is_checked_and_kept() -> None:
    with pytest.raises(UnknownName, match=r"There is no metric 'handtill'\. Did you mean"):
        boosting.lightgbm("handtill")
    with pytest.raises(InvalidType, match=r"hand_till has no option partition\. Its options are"):
        boosting.catboost("hand_till", partition=[[0, 1], [1, 0]])
    with pytest.raises(InvalidType, match="logits must be True, False or None"):
        boosting.xgboost("hand_till", logits="yes")  # type: ignore[arg-type]
    metric = boosting.xgboost("auc_mu", ties="strict")
    assert pickle.loads(pickle.dumps(metric)) == metric != boosting.xgboost("auc_mu")
