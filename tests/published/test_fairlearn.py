"""Slices against fairlearn's MetricFrame: its values, and its bootstrap intervals (recorded)."""

import json
from pathlib import Path

import numpy as np
import pytest

from polyroc import evaluate

RECORDED = json.loads(Path(__file__).with_name("fairlearn_slices.json").read_text())


def test_values_of_slices_are_those_of_fairlearn(vector):
    table = vector("yardstick_hpc_cv")
    scores = table[["VF", "F", "M", "L"]]
    found = evaluate(table["obs"], scores, ["hand_till"], by=table["Resample"], interval=None)
    expected = RECORDED["hpc_cv"]
    assert found["hand_till"].value == pytest.approx(expected["overall"], abs=1e-12)
    for name, value in expected["by_group"].items():
        slice_value = found.slices["Resample"][name]["hand_till"].value
        assert slice_value == pytest.approx(value, abs=1e-12)


def test_intervals_of_slices_are_those_of_fairlearn_within_monte_carlo_error(vector):
    table, expected = vector("proc_aSAH"), RECORDED["asah"]
    y = np.where(table["outcome"] == "Poor", "poor", "good")
    found = evaluate(y, table["s100b"].to_numpy(), ["roc_auc"], by=table["gender"])
    assert set(found.slices["gender"]) == set(expected["by_group"])
    for name, value in expected["by_group"].items():
        estimate = found.slices["gender"][name]["roc_auc"]
        assert estimate.value == pytest.approx(value, abs=1e-12)
        # The 2.5 % quantile of B replicates varies by √(0.025 · 0.975/B)/φ(1.96) standard errors.
        noise = np.sqrt(0.025 * 0.975 / RECORDED["replicates"]) / 0.0584 * estimate.standard_error
        limits = estimate.interval(scale="plain", small_sample=False)
        for ours, theirs in zip(
            limits[:2], (expected["low"][name], expected["high"][name]), strict=True
        ):
            assert abs(ours - theirs) < 5 * noise, (name, ours, theirs, noise)
