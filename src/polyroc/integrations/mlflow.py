"""Results of polyroc in MLflow: a few scalars, the pair table and the report as artefacts.

    import mlflow
    from polyroc.integrations.mlflow import log_evaluation

    with mlflow.start_run():
        log_evaluation(polyroc.evaluate(predictions, metrics=["hand_till"]), predictions)

``mlflow.models.evaluate(…, evaluators="polyroc")`` does the same for a model. Needs ``pip install
'polyroc[mlflow]'``.
"""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from polyroc._storage.atomic import write_whole
from polyroc.errors import InvalidType
from polyroc.inference import evaluate_pairs
from polyroc.predictions import Predictions
from polyroc.report import write_report
from polyroc.results import Evaluation
from polyroc.scale._extras import required

__all__ = ["log_evaluation"]

FOLDER = "polyroc"
"""Where the artefacts of a run are."""


def log_evaluation(
    evaluation: Evaluation,
    predictions: Predictions | None = None,
    *,
    prefix: str = "",
    report: bool = True,
    title: str | None = None,
    run_id: str | None = None,
) -> dict[str, float]:
    """Log an evaluation to a run of MLflow.

    Parameters
    ----------
    evaluation : what :func:`polyroc.evaluate` or :func:`polyroc.cross_evaluate` returned. Each of
        its metrics becomes three scalars: ``hand_till``, ``hand_till_low``, ``hand_till_high``,
        those that do not exist left out.
    predictions : the cases. With them the table of pairs of classes is written to
        ``polyroc/pairs.csv`` and the report to ``polyroc/report.html``. By default those that the
        evaluation of a cross-validation holds.
    prefix : put before the names of the scalars, such as ``"validation_"``, and before those of
        the artefacts.
    report : whether to write the report.
    title : heading of the report.
    run_id : the run; by default the active one, or a new one where none is active.

    Returns
    -------
    dict
        The scalars that were logged.
    """
    mlflow = required("mlflow", "mlflow")
    if not isinstance(evaluation, Evaluation):
        raise InvalidType(
            f"log_evaluation needs an Evaluation, got {type(evaluation).__name__}. Pass what "
            "polyroc.evaluate returns."
        )
    client, run = mlflow.MlflowClient(), run_id or _active(mlflow)
    scalars = _scalars(evaluation, prefix)
    for name, value in scalars.items():
        client.log_metric(run, name, value)
    cases = predictions or getattr(evaluation, "predictions", None)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        text = json.dumps(evaluation.to_dict(), indent=1).encode()
        write_whole(place / f"{prefix}evaluation.json", lambda file: file.write(text))
        if cases is not None:
            pairs = evaluate_pairs(cases, level=evaluation.level)
            pairs.to_csv(place / f"{prefix}pairs.csv", index=False)
            if report:
                page = place / f"{prefix}report.html"
                write_report(page, cases, title=title, level=evaluation.level)
        for path in sorted(place.iterdir()):
            client.log_artifact(run, str(path), FOLDER)
    return scalars


def _active(mlflow: Any) -> str:
    """The run that logging goes to, as MLflow's own functions choose it."""
    run = mlflow.active_run() or mlflow.start_run()
    return str(run.info.run_id)


def _scalars(evaluation: Evaluation, prefix: str) -> dict[str, float]:
    """Value and limits of each metric, as far as they exist."""
    found = {}
    for name, estimate in evaluation.items():
        low, high, *_ = estimate.interval(evaluation.level)
        for part, value in (("", estimate.value), ("_low", low), ("_high", high)):
            if math.isfinite(value):
                found[f"{prefix}{name}{part}"] = value
    return found
