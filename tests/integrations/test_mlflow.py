"""MLflow: what is logged is read back from a store of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import polyroc
from polyroc.datasets import example_predictions
from polyroc.errors import InvalidInput, InvalidType
from polyroc.integrations.mlflow import log_evaluation

# MLflow warns of its own store, of its own ways of saving, and of versions of others.
pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]


def stored(mlflow: Any, run_id: str, folder: Path) -> tuple[dict[str, float], dict[str, Path]]:
    """Metrics and artefacts of a run, as the store has them."""
    run = mlflow.MlflowClient().get_run(run_id)
    got = mlflow.artifacts.download_artifacts(
        run_id=run_id, artifact_path="polyroc", dst_path=str(folder)
    )
    return run.data.metrics, {path.name: path for path in Path(got).iterdir()}


def expected_scalars(predictions: Any, names: list[str], level: float = 0.95) -> dict[str, float]:
    found = polyroc.evaluate(predictions, metrics=names, level=level)
    return {
        f"{name}{part}": value
        for name in names
        for part, value in zip(
            ("", "_low", "_high"),
            (found[name].value, *found[name].interval(level)[:2]),
            strict=True,
        )
    }


def test_log_evaluation(mlflow: Any, tmp_path: Path) -> None:
    y, models, labels = example_predictions()
    cases = polyroc.Predictions(y, models["forest"], labels=labels)
    found = polyroc.evaluate(cases, metrics=["hand_till", "pdi"])
    with mlflow.start_run() as run:
        logged = log_evaluation(found, cases, title="Forest")
        log_evaluation(found, prefix="held_out_")
    metrics, files = stored(mlflow, run.info.run_id, tmp_path)
    assert logged == expected_scalars(cases, ["hand_till", "pdi"])
    assert metrics == logged | {f"held_out_{name}": value for name, value in logged.items()}
    assert sorted(files) == [
        "evaluation.json",
        "held_out_evaluation.json",
        "pairs.csv",
        "report.html",
    ]
    pairs = pd.read_csv(files["pairs.csv"])
    written = polyroc.evaluate_pairs(cases)
    assert list(pairs.columns) == list(written.columns) and len(pairs) == len(written)
    assert np.allclose(pairs["value"], written["value"])
    assert (
        "<h1" in files["report.html"].read_text() and "Forest" in files["report.html"].read_text()
    )
    with pytest.raises(InvalidType, match="needs an Evaluation, got dict"):
        log_evaluation({})  # type: ignore[arg-type]


def test_a_model_evaluated_by_name(mlflow: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(240, 3)), columns=["x1", "x2", "x3"])
    y = np.array(["b", "a", "c"])[(X["x1"] + rng.normal(size=240)).rank().astype(int) // 81]
    model = LogisticRegression().fit(X[:120], y[:120])
    table = X[120:].assign(target=y[120:])
    wrapped = mlflow.pyfunc.PyFuncModel if hasattr(mlflow, "pyfunc") else None
    assert wrapped is not None
    mlflow.sklearn.save_model(model, tmp_path / "model", serialization_format="cloudpickle")
    with mlflow.start_run() as run:
        result = mlflow.models.evaluate(
            (tmp_path / "model").as_uri(),
            table,
            targets="target",
            model_type="classifier",
            evaluators="polyroc",
            evaluator_config={"metrics": ["hand_till", "aunp"], "level": 0.9, "title": "Logistic"},
        )
    p = model.predict_proba(X[120:])
    cases = polyroc.Predictions(y[120:], p, labels=model.classes_)
    metrics, files = stored(mlflow, run.info.run_id, tmp_path)
    assert metrics == result.metrics == expected_scalars(cases, ["hand_till", "aunp"], 0.9)
    assert "Logistic" in files["report.html"].read_text()
    assert sorted(result.artifacts) == ["polyroc_pairs.csv", "polyroc_report.html"]
    assert "Logistic" in result.artifacts["polyroc_report.html"].content
    assert len(result.artifacts["polyroc_pairs.csv"].content) == len(polyroc.evaluate_pairs(cases))


def test_scores_in_the_data(mlflow: Any, tmp_path: Path) -> None:
    y, models, labels = example_predictions()
    p = np.asarray(models["forest"])
    table = pd.DataFrame(p, columns=[f"p_{label}" for label in labels]).assign(target=y)
    columns = list(table.columns[: len(labels)])

    def evaluated(**config: Any) -> Any:
        with mlflow.start_run() as run:
            result = mlflow.models.evaluate(
                data=table.assign(decided=np.array(labels)[p.argmax(axis=1)]),
                targets="target",
                predictions="decided",
                model_type="classifier",
                evaluators="polyroc",
                evaluator_config=config,
            )
        return result, run.info.run_id

    result, run_id = evaluated(score_columns=columns, labels=labels, report=False)
    metrics, files = stored(mlflow, run_id, tmp_path)
    cases = polyroc.Predictions(y, p, labels=labels)
    assert metrics == result.metrics == expected_scalars(cases, ["hand_till"])
    assert "report.html" not in files and "pairs.csv" in files
    with pytest.raises(InvalidInput, match=r"which are not scores\. Name the columns"):
        evaluated()
    with pytest.raises(InvalidInput, match="has no setting metric"):
        evaluated(metric="hand_till")
