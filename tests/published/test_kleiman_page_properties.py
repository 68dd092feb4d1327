"""Counterexamples of the table of properties in docs/gallery.md, as it prints them."""

from pathlib import Path

import numpy as np
import pytest

from polyroc import auc_mu, aunp, hand_till, vus
from polyroc.utility import ferri_vus

PAGE = (Path(__file__).parents[2] / "docs" / "gallery.md").read_text(encoding="utf-8")
PERFECT = np.array([[0.40, 0.30, 0.30], [0.45, 0.50, 0.05], [0.30, 0.25, 0.45]])
SKEWED = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3], [0.1, 0.2, 0.7]])


def test_every_argmax_is_right_and_two_metrics_are_below_one():
    assert (PERFECT.argmax(axis=1) == [0, 1, 2]).all()
    values = [metric([1, 2, 3], PERFECT) for metric in (vus, hand_till, aunp, auc_mu)]
    assert values == pytest.approx([1, 0.8333, 0.8333, 1], abs=5e-5)
    assert all(
        str(tuple(f".{round(100 * x):02}" for x in row)).replace("'", "") in PAGE for row in PERFECT
    )


def test_only_one_metric_changes_when_a_case_is_repeated():
    y, repeated = np.array([1, 1, 2, 3]), [0, 1, *[2] * 9, 3]
    for metric in (vus, hand_till, auc_mu):
        assert metric(y, SKEWED) == pytest.approx(metric(y[repeated], SKEWED[repeated]), abs=1e-15)
    found = aunp(y, SKEWED), aunp(y[repeated], SKEWED[repeated])
    assert found == pytest.approx((0.7917, 0.6750), abs=5e-5)
    assert ".7917; with the case of class 2 nine times, .6750" in " ".join(PAGE.split())


def test_the_volume_of_ferri_runs_from_chance_to_an_eighth():
    perfect, chance = np.zeros((1, 6)), np.full((1, 6), 1 / 3)
    assert ferri_vus(perfect, n_samples=20, rng=0).value == 1 / 8
    assert ferri_vus(perfect, n_samples=20, rng=0, normalize=True).value == 1
    found = ferri_vus(chance, n_samples=5_000, rng=0)
    assert abs(found.value - 1 / 180) < 3 * found.standard_error
    assert f"1/180 = .{round(1e4 / 180):04}, normalised .{round(8e4 / 180):04}" in PAGE
