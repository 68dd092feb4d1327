"""``polyroc calibration``."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import document, refused, run
from report.recount import agrees

from polyroc.calibration import calibration_error, cost_calibration, recalibration
from polyroc.datasets import example_predictions


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, one of them perfect, with patients and weights."""
    y, models, labels = example_predictions()
    sure = np.where(np.array(y)[:, None] == np.array(labels), 0.9, 0.05)
    table = {"y": y, "patient": np.arange(len(y)) // 2, "weight": 1 + np.arange(len(y)) % 3}
    for name, p in {"forest": models["forest"], "sure": sure}.items():
        table |= {f"{name}:{label}": p[:, k] for k, label in enumerate(labels)}
    path = tmp_path_factory.mktemp("calibration") / "scores.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def test_the_numbers_of_the_library(file: Path) -> None:
    y, models, labels = example_predictions()
    costs = file.with_name("costs.json")
    costs.write_text('{"rare": {"common": 10}}')
    options = ("--target", "y", "--costs", costs, "--seed", 3, "--level", 0.9, "--bins", 5)
    made = document("calibration", file, *options, "--reference", "common")
    forest, sure = made["models"]
    n = np.arange(len(y))
    known = {"labels": labels, "groups": n // 2, "sample_weight": 1.0 + n % 3}
    fit = recalibration(y, models["forest"], reference="common", **known).to_dict(0.9)
    assert forest["recalibration"]["parameters"] == fit["parameters"]
    assert forest["recalibration"]["tests"] == fit["tests"] and forest["why"] is None
    for told, kind in zip(forest["errors"], ("top_label", "class_wise"), strict=True):
        error = calibration_error(y, models["forest"], kind, bins=5, rng=3, **known)
        low, high, *_ = error.interval(0.9)
        assert told == {**error.to_dict(), "low": low, "high": high}
    paid = cost_calibration(y, models["forest"], {("rare", "common"): 10}, **known)
    assert forest["costs"]["difference"] == paid.difference
    assert forest["costs"]["low"] == paid.interval(0.9).low
    assert sure["recalibration"] is None and "separate" in sure["why"]


@pytest.mark.system
def test_the_numbers_of_the_report(file: Path, tmp_path: Path) -> None:
    """Without a seed command and page make the same draws; the least p-value of them has "≤"."""
    page = tmp_path / "page.html"
    run("report", file, "--target", "y", "-o", page)
    (table,) = re.findall(
        r'<table class="calibration stacked">.*?</table>', page.read_text(), re.DOTALL
    )
    made = document("calibration", file, "--target", "y")["models"]
    for each, row in zip(made, re.findall(r'<tr><th scope="row".*?</tr>', table), strict=True):
        error = each["errors"][0]
        cells = re.findall(r'<td class="number"[^>]*>([^<]*)', row)
        assert [f"{error[name]:.3f}" for name in ("debiased", "under_calibration")] == cells[:2]
        least = error["p_value"] == 1 / 501
        told = cells[2].replace("\u00a0", " ")
        assert told.startswith("≤ ") == least and agrees(told.removeprefix("≤ "), error["p_value"])
    assert least
    shown = run("calibration", file, "--target", "y", columns=200).output
    assert "≤ 0.0020" in shown


def test_the_screen(file: Path) -> None:
    shown = " ".join(run("calibration", file, "--seed", 3, columns=200).output.split())
    for words in (
        "What would calibrate the probabilities of forest? Log ratios against rare",
        "Are the probabilities of forest calibrated?",
        "How far are the probabilities of sure off? Calibration error of 10 bins",
        "class-wise",
        "Note. The probabilities of forest predict a cost of",
    ):
        assert words in shown
    assert "is not a class. There are" in refused("calibration", file, "--reference", "seldom")
