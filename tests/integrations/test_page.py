"""The page on integrations: code that needs the packages runs, after what comes before it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import polyroc
from polyroc.readers import read_predictions

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"
BLOCK = re.compile(r"^```(python3?|r)\n(.*?)^```", re.DOTALL | re.MULTILINE)

pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]


def blocks(*languages: str) -> list[str]:
    """The code of the page in these languages."""
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [text for language, text in found if language in languages]


@pytest.mark.usefixtures(
    "torch", "mlflow", "xgboost", "catboost", "transformers", "keras", "wandb", "skore"
)
def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(blocks("python3")) == 7
    namespace: dict[str, Any] = {"__name__": "page"}
    for text in blocks("python", "python3"):
        exec(compile(text, str(PAGE), "exec"), namespace)
    (table,) = tmp_path.glob("wandb/offline-run-*/files/media/table/pairs*.json")
    logged = json.loads(table.read_text())
    assert {"positive", "negative", "value", "low", "high"} <= set(logged["columns"])
    assert len(logged["data"]) == 6
    (page,) = tmp_path.glob("wandb/offline-run-*/files/media/html/report*.html")
    assert "<title>" in page.read_text(encoding="utf-8")
    assert len(namespace["fitted"].history["val_hand_till"]) >= 2
    logs = [entry for entry in namespace["trainer"].state.log_history if "eval_hand_till" in entry]
    assert all(log["eval_hand_till_low"] < log["eval_hand_till_high"] for log in logs)
    assert len(logs) == 3  # two epochs, and the call on the page


def test_the_recipe_for_r_runs(reticulate: str, tmp_path: Path) -> None:
    """What R prints is what Python computes of the same numbers."""
    (recipe,) = blocks("r")
    saving = 'write.csv(cbind(probabilities, y = as.character(y)), "cases.csv", row.names = FALSE)'
    (tmp_path / "recipe.R").write_text("options(digits = 15)\n" + recipe + saving)
    source = str(Path(polyroc.__file__).parents[1])
    environment = {**os.environ, "RETICULATE_PYTHON": sys.executable, "PYTHONPATH": source}
    said = subprocess.check_output(
        [reticulate, "recipe.R"], cwd=tmp_path, env=environment, text=True
    )
    cases = read_predictions(tmp_path / "cases.csv", target="y")
    (scores,) = cases.models.values()
    found = polyroc.evaluate(cases.y_true, scores, ["hand_till"], labels=cases.labels)["hand_till"]
    low, high, *_ = found.interval()
    assert [float(each) for each in said.split()] == pytest.approx([found.value, low, high], 1e-5)
