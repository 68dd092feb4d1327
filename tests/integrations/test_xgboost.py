"""XGBoost: each round is polyroc of that round's predictions, and stops where a loop would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from integrations.rounds import PATIENCE, ROUNDS, best_round, cases
from scipy.special import softmax

import polyroc
from polyroc.errors import InvalidInput
from polyroc.integrations import boosting

pytestmark = pytest.mark.integrations

QUIET = {"verbosity": 0, "max_depth": 3, "eta": 0.5, "nthread": 1}


def settings_of(n_classes: int) -> dict[str, Any]:
    if n_classes == 2:
        return {**QUIET, "objective": "binary:logistic"}
    return {**QUIET, "objective": "multi:softprob", "num_class": n_classes}


def kept(value: float) -> float:
    """A value as XGBoost keeps it, in six decimals."""
    return float(f"{value:f}")


def trained(xgboost: Any, given: Any, settings: dict[str, Any], name: str, **more: Any) -> Any:
    """A booster, and the values of each round."""
    found: dict[str, Any] = {}
    held = xgboost.DMatrix(given.X_held, given.y_held, weight=given.w_held)
    booster = xgboost.train(
        settings,
        xgboost.DMatrix(given.X, given.y, weight=given.w),
        ROUNDS,
        evals=[(held, "held")],
        custom_metric=boosting.xgboost(name, logits=more.pop("logits", False)),
        evals_result=found,
        verbose_eval=False,
        **more,
    )
    return booster, found["held"], held


def test_every_round_of_training_is_polyroc_of_its_predictions(xgboost: Any) -> None:
    for n_classes, name, shown in (
        (2, "saec", "saec"),
        (2, "probabilistic_auc", "auc_probabilistic_auc"),
        (4, "hand_till", "auc_hand_till"),
        (4, "auc_mu", "auc_mu"),
        (4, "total_length", "auc_total_length"),
    ):
        given = cases(n_classes)
        settings = {**settings_of(n_classes), "disable_default_eval_metric": 1}
        booster, found, held = trained(xgboost, given, settings, name)
        rounds = [booster.predict(held, iteration_range=(0, i + 1)) for i in range(ROUNDS)]
        function = getattr(polyroc, name)
        by_hand = [kept(function(given.y_held, p, sample_weight=given.w_held)) for p in rounds]
        assert found == {shown: by_hand}
        assert len(set(by_hand)) > 3


def test_its_own_areas(xgboost: Any) -> None:
    """The AUC of two classes; of more, XGBoost's ``auc`` is one-vs-rest weighted by prevalence."""
    for n_classes, name in ((2, "roc_auc"), (4, "aunp")):
        given = cases(n_classes)._replace(w=None, w_held=None)
        settings = {**settings_of(n_classes), "eval_metric": "auc"}
        _, found, _ = trained(xgboost, given, settings, name)
        assert np.allclose(found["auc"], found[f"auc_{name}"], rtol=0, atol=1e-6)


def test_training_stops_where_a_loop_by_hand_stops(xgboost: Any) -> None:
    """By ``early_stopping_rounds`` alone: XGBoost learns from the name that higher is better."""
    stopped = []
    for n_classes, name, seed in ((3, "hand_till", 0), (3, "hand_till", 1), (2, "saec", 2)):
        given = cases(n_classes, seed)
        settings = {**settings_of(n_classes), "disable_default_eval_metric": 1}
        whole, _, held = trained(xgboost, given, settings, name)
        rounds = [whole.predict(held, iteration_range=(0, i + 1)) for i in range(ROUNDS)]
        function = getattr(polyroc, name)
        by_hand = [kept(function(given.y_held, p, sample_weight=given.w_held)) for p in rounds]
        booster, found, _ = trained(xgboost, given, settings, name, early_stopping_rounds=PATIENCE)
        best = best_round(by_hand, name != "saec")
        assert booster.best_iteration == best
        assert next(iter(found.values())) == by_hand[: best + 1 + PATIENCE]
        stopped.append(best + 1 + PATIENCE < ROUNDS)
    assert any(stopped)


def test_the_classifier(xgboost: Any) -> None:
    given = cases(3)
    for held in (given.w_held, None):
        model = xgboost.XGBClassifier(
            n_estimators=ROUNDS,
            max_depth=3,
            learning_rate=0.5,
            n_jobs=1,
            eval_metric=boosting.xgboost("hand_till"),
            early_stopping_rounds=PATIENCE,
        )
        model.fit(
            given.X,
            given.y,
            eval_set=[(given.X_held, given.y_held)],
            sample_weight_eval_set=None if held is None else [held],
            verbose=False,
        )
        found = model.evals_result()["validation_0"]["auc_hand_till"]
        for i, value in enumerate(found):
            p = model.predict_proba(given.X_held, iteration_range=(0, i + 1))
            assert value == kept(polyroc.hand_till(given.y_held, p, sample_weight=held))
        assert model.best_iteration == best_round(found)


def test_raw_scores_and_classes_in_the_place_of_probabilities(xgboost: Any) -> None:
    given = cases(3)

    def objective(raw: Any, data: Any) -> tuple[Any, Any]:
        p = softmax(raw, axis=1)
        return p - np.eye(3)[data.get_label().astype(int)], np.maximum(p * (1 - p), 1e-3)

    own = {**QUIET, "num_class": 3, "disable_default_eval_metric": 1}
    with pytest.raises(InvalidInput, match="Pass logits=True if these are logits"):
        trained(xgboost, given, own, "hand_till", obj=objective)
    booster, found, held = trained(xgboost, given, own, "hand_till", obj=objective, logits=True)
    for i, value in enumerate(found["auc_hand_till"]):
        raw = booster.predict(held, iteration_range=(0, i + 1), output_margin=True)
        p = softmax(raw, axis=1)
        assert value == kept(polyroc.hand_till(given.y_held, p, sample_weight=given.w_held))
    with pytest.raises(InvalidInput, match='"multiclass" in LightGBM, "multi:softprob" in XGBoost'):
        trained(xgboost, given, {**own, "objective": "multi:softmax"}, "hand_till")
