"""A notebook that nbconvert executes shows tables, a figure and the report."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]

CELLS = (
    """
import polyroc
from polyroc import display
from polyroc.datasets import example_predictions

y, models, labels = example_predictions()
cases = polyroc.Predictions(y, models["forest"], labels=labels)
polyroc.evaluate(cases, metrics=["hand_till", "pdi"])
""",
    'polyroc.compare(y, models, ["hand_till"], labels=labels)',
    "display.RocCurvesDisplay.from_predictions(cases)",
    'display.ForestDisplay.from_evaluations(polyroc.evaluate(cases, metrics=["hand_till"]))',
    'polyroc.write_report("report.html", cases, title="In a notebook")',
    """
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

polyroc.cross_evaluate(GaussianNB(), *load_iris(return_X_y=True), metrics=["hand_till"], rng=0)
""",
)


def executed(tmp_path: Path) -> list[Any]:
    """The outputs of each cell."""
    nbformat = pytest.importorskip("nbformat")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(text.strip()) for text in CELLS]
    runner = preprocessors.ExecutePreprocessor(timeout=120, kernel_name="python3")
    runner.preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    return [cell.outputs for cell in notebook.cells]


def test_results_figures_and_the_report_show_themselves(nbconvert: Any, tmp_path: Path) -> None:
    table, comparison, curves, forest, report, folds = executed(tmp_path)
    assert "<td>hand_till</td>" in table[-1].data["text/html"]
    assert "p_value" in comparison[-1].data["text/html"]
    pictures = [out for out in curves if "image/png" in out.get("data", {})]
    assert len(pictures) == 1  # drawn at once, and shown once
    assert '<img alt="ForestDisplay" src="data:image/png' in forest[-1].data["text/html"]
    frame = report[-1].data["text/html"]
    assert re.match(r'<iframe [^>]*sandbox="allow-scripts allow-downloads"', frame)
    (page,) = re.findall(r'srcdoc="([^"]*)"', frame)
    assert unescape(page) == (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "In a notebook" in page
    bar, result = folds
    assert '<progress value="5" max="5">' in bar.data["text/html"]
    assert bar.data["text/plain"].startswith("splits: 5 of 5")
    assert "<td>hand_till</td>" in result.data["text/html"]
