"""The evaluator that MLflow finds by its entry point: ``evaluators="polyroc"``."""

from typing import Any

import mlflow
import numpy as np
from mlflow.models.evaluation import EvaluationResult, ModelEvaluator
from mlflow.models.evaluation.artifacts import CsvEvaluationArtifact, TextEvaluationArtifact

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.inference import evaluate
from polyroc.integrations.mlflow import FOLDER, log_evaluation
from polyroc.predictions import Predictions
from polyroc.predictions._estimators import scores_of

_KNOWN = ("metrics", "score_columns", "labels", "report", "prefix", "title", "level", "absent")


class PolyrocEvaluator(ModelEvaluator):
    """Metrics with intervals, the pair table and the report of a classifier.

    ``evaluator_config`` takes ``metrics`` (by default ``["hand_till"]``), ``score_columns`` (the
    columns of the data that hold the scores, where there is no model), ``labels`` (their classes,
    where the columns are not named after them), ``report``, ``prefix``, ``title``, ``level`` and
    ``absent``.
    """

    @classmethod
    def can_evaluate(cls, *, model_type: Any, evaluator_config: Any, **others: Any) -> bool:
        """Classifiers."""
        return str(model_type) == "classifier"

    def evaluate(
        self,
        *,
        model_type: Any,
        dataset: Any,
        run_id: str,
        evaluator_config: Any,
        model: Any = None,
        **others: Any,
    ) -> EvaluationResult:
        """Log metrics and artefacts, and return them."""
        config = dict(evaluator_config or {})
        unknown = sorted(set(config) - set(_KNOWN))
        if unknown:
            raise InvalidInput(
                f"The polyroc evaluator has no setting {', '.join(unknown)}. Its settings are "
                f"{', '.join(_KNOWN)}."
            )
        predictions = _predictions(model, dataset, config)
        found = evaluate(
            predictions,
            metrics=config.get("metrics", ["hand_till"]),
            level=config.get("level", 0.95),
        )
        logged = {name: config[name] for name in ("prefix", "report", "title") if name in config}
        scalars = log_evaluation(found, predictions, run_id=run_id, **logged)
        return EvaluationResult(scalars, _artifacts(run_id, config), run_id)


def _predictions(model: Any, dataset: Any, config: dict[str, Any]) -> Predictions:
    scores, labels = _scores(model, dataset, config)
    return Predictions(
        np.asarray(dataset.labels_data),
        scores,
        labels=config.get("labels", labels),
        absent=config.get("absent", "raise"),
    )


def _scores(model: Any, dataset: Any, config: dict[str, Any]) -> tuple[Any, Any]:
    """Scores, and the classes of their columns where those are known."""
    columns = config.get("score_columns")
    if columns is not None:
        table = dataset.features_data[list(columns)]
        return (table.to_numpy() if "labels" in config else table), None
    if model is None:
        return _table(dataset.predictions_data), None
    raw = _raw_model(model)
    if hasattr(raw, "classes_") and hasattr(raw, "predict_proba"):
        return scores_of(raw, dataset.features_data), raw.classes_
    return _table(model.predict(dataset.features_data)), None


def _raw_model(model: Any) -> Any:
    """The classifier inside a model of MLflow, where it shows it."""
    try:
        return model.get_raw_model()
    except (AttributeError, NotImplementedError):
        return None


def _table(given: Any) -> Any:
    """Scores that a model returned or a column holds; classes cannot be ranked."""
    if hasattr(given, "columns"):
        return given
    values = np.asarray(given)
    if values.dtype == object and values.ndim == 1 and len(values) and np.ndim(values[0]) == 1:
        values = np.stack([np.asarray(row) for row in values])
    if values.dtype.kind == "f":
        return values
    raise InvalidInput(
        f"The model gives {shown(values[:3].tolist())} …, which are not scores. Name the columns "
        'of the data that hold scores, by evaluator_config={"score_columns": […]}, or pass a '
        "model with predict_proba."
    )


def _artifacts(run_id: str, config: dict[str, Any]) -> dict[str, Any]:
    """What was written, as MLflow hands it on."""
    prefix = config.get("prefix", "")
    kinds = {"pairs.csv": CsvEvaluationArtifact}
    if config.get("report", True):
        kinds["report.html"] = TextEvaluationArtifact
    made = {}
    for name, kind in kinds.items():
        path = f"{FOLDER}/{prefix}{name}"
        artifact = kind(uri=mlflow.MlflowClient().get_run(run_id).info.artifact_uri + f"/{path}")
        artifact._load(mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path=path))
        made[f"{FOLDER}_{prefix}{name}"] = artifact
    return made
