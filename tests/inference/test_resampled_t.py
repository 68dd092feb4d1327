"""The corrected resampled t by hand: errors, limits, tests of learners, and why there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t

from polyroc.errors import InvalidInput
from polyroc.inference._resampled_t import (
    WITHHELD,
    SplitValues,
    corrected_errors,
    mean_over_splits,
    withheld,
)

OVERLAP = 0.25


def error_by_hand(values: list[float], overlap: float) -> float:
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    return math.sqrt((1 / len(values) + overlap) * variance)


def test_errors_of_each_column() -> None:
    """Splits are the first axis; one split has none."""
    values = np.array([[0.5, 0.9, 0.1], [0.7, 0.8, 0.1], [0.6, 0.4, 0.1], [0.9, 0.6, 0.1]])
    found = corrected_errors(values, OVERLAP)
    for column in range(3):
        expected = error_by_hand(values[:, column].tolist(), OVERLAP)
        assert found[column] == pytest.approx(expected)
    two = corrected_errors(values[:2], OVERLAP)
    assert two[0] == pytest.approx(error_by_hand([0.5, 0.7], OVERLAP))
    one = corrected_errors(values[:1], OVERLAP)
    assert one.shape == (3,) and np.isnan(one).all()


@pytest.mark.parametrize("allowed", [(0.0, 1.0), (-1.0, 3.0)])
def test_means_over_splits_have_wilsons_limits(allowed: tuple[float, float]) -> None:
    """(θ̂ − θ)² = q² θ(1 − θ)/n of a share of the range, n from the corrected variance."""
    values = np.array([0.5, 0.7, 0.6, 0.9, 0.65])
    found = mean_over_splits(values, OVERLAP, allowed, 0.9)
    error = error_by_hand(values.tolist(), OVERLAP)
    assert found["value"] == pytest.approx(0.67)
    assert found["standard_error"] == pytest.approx(error)
    lowest, highest = allowed
    width = highest - lowest
    share = (0.67 - lowest) / width
    size = share * (1 - share) * width**2 / error**2
    q = t.ppf(0.95, 4)
    assert found["low"] < found["value"] < found["high"]
    for limit in (found["low"], found["high"]):
        place = (limit - lowest) / width
        assert (share - place) ** 2 == pytest.approx(q**2 * place * (1 - place) / size)


def test_splits_that_agree_vary_as_a_share_can() -> None:
    """The variance over J splits of what is 0 or 1 is at most J/(J − 1) θ(1 − θ)."""
    for value in (1.0, 0.8):
        found = mean_over_splits(np.full(4, value), OVERLAP, (0.0, 1.0), 0.95)
        size, q = (1 - 1 / 4) / (1 / 4 + OVERLAP), t.ppf(0.975, 3)
        assert found["standard_error"] == pytest.approx(0, abs=1e-12)
        place = found["low"]
        assert (value - place) ** 2 == pytest.approx(q**2 * place * (1 - place) / size)
    almost = mean_over_splits(0.8 + 1e-13 * np.arange(4), OVERLAP, (0.0, 1.0), 0.95)
    assert almost["low"] == pytest.approx(found["low"], rel=1e-9)
    for error, agree in ((0.8e-12, True), (1.5e-12, False)):
        gap = error / math.sqrt(2 * (1 / 2 + OVERLAP))
        two = mean_over_splits(np.array([0.8 - gap, 0.8 + gap]), OVERLAP, (0.0, 1.0), 0.95)
        assert (two["low"] < 0.5) == agree
    little = mean_over_splits(0.8 + 1e-9 * np.arange(4), OVERLAP, (0.0, 1.0), 0.95)
    assert little["low"] == pytest.approx(0.8, abs=1e-7)


def test_one_split_or_none_that_has_a_value() -> None:
    one = mean_over_splits(np.array([0.8]), OVERLAP, (0.0, 1.0), 0.95)
    assert one["value"] == 0.8
    for name in ("standard_error", "low", "high"):
        assert math.isnan(one[name])
    missing = mean_over_splits(np.array([0.8, math.nan, 0.7]), OVERLAP, (0.0, 1.0), 0.95)
    assert all(math.isnan(each) for each in missing.values())
    two = mean_over_splits(np.array([0.8, 0.7]), OVERLAP, (0.0, 1.0), 0.95)
    assert 0 <= two["low"] < 0.75 < two["high"] <= 1


VALUES = np.random.default_rng(4).uniform(0.5, 0.9, size=(5, 3, 2))
"""Five splits, three learners, two metrics."""


def test_tests_of_all_pairs_of_learners() -> None:
    made = SplitValues(VALUES, ("x", "y", "z"), ("hand_till", "saec"))
    found = made.tests(OVERLAP, 0.9)
    assert list(found) == [
        *("metric", "model_a", "model_b", "difference", "standard_error"),
        *("low", "high", "p_value", "p_adjusted", "note"),
    ]
    pairs = [("x", "y"), ("x", "z"), ("y", "z")]
    assert list(zip(found["model_a"], found["model_b"], strict=True)) == pairs * 2
    assert found["metric"].tolist() == ["hand_till"] * 3 + ["saec"] * 3
    place = {"x": 0, "y": 1, "z": 2}
    for row in found.itertuples():
        column = 0 if row.metric == "hand_till" else 1
        apart = VALUES[:, place[row.model_a], column] - VALUES[:, place[row.model_b], column]
        error = error_by_hand(apart.tolist(), OVERLAP)
        assert row.difference == pytest.approx(apart.mean())
        assert row.standard_error == pytest.approx(error)
        assert row.p_value == pytest.approx(2 * t.sf(abs(apart.mean()) / error, 4))
        assert row.low == pytest.approx(apart.mean() - t.ppf(0.95, 4) * error)
        assert row.high == pytest.approx(apart.mean() + t.ppf(0.95, 4) * error)
        assert row.note == ""
    for _, part in found.groupby("metric"):  # Holm's, within a metric
        order = np.argsort(part["p_value"].to_numpy())
        reached = 0.0
        for rank, i in enumerate(order):
            reached = max(reached, min(1.0, (3 - rank) * part["p_value"].iloc[i]))
            assert part["p_adjusted"].iloc[i] == pytest.approx(reached)
    usual = made.tests(OVERLAP)
    assert (usual["low"] < found["low"]).all() and (usual["high"] > found["high"]).all()
    assert usual["low"].iloc[0] == pytest.approx(
        found["difference"].iloc[0] - t.ppf(0.975, 4) * found["standard_error"].iloc[0]
    )
    with pytest.raises(InvalidInput, match="level"):
        made.tests(OVERLAP, 1.0)
    alone = SplitValues(VALUES[:, :1], ("x",), ("hand_till", "saec")).tests(OVERLAP)
    assert len(alone) == 0 and list(alone) == list(found)


def test_a_lower_cost_is_better() -> None:
    made = SplitValues(VALUES, ("x", "y", "z"), ("hand_till", "saec"))
    assert [row.lower_is_better for row in made._pairs(0, OVERLAP)] == [False] * 3
    rows = made._pairs(1, OVERLAP)
    assert [row.lower_is_better for row in rows] == [True] * 3
    assert [row.degrees_of_freedom for row in rows] == [4.0] * 3


def test_why_two_learners_are_not_tested() -> None:
    names = ("hand_till", "total_length", "own")
    assert [withheld(name) for name in names] == [False, True, False]
    values = np.stack([VALUES[:, :, 0]] * 3, axis=2)
    rows = SplitValues(values, ("x", "y", "z"), names).tests(OVERLAP).set_index("metric")
    assert (rows.loc["total_length", "note"] == WITHHELD).all()
    for column in ("p_value", "p_adjusted", "standard_error", "low", "high"):
        assert rows.loc["total_length", column].isna().all()
        assert rows.loc["own", column].tolist() == rows.loc["hand_till", column].tolist()
    assert rows.loc["total_length", "difference"].notna().all()
    one = SplitValues(values[:1], ("x", "y", "z"), names).tests(OVERLAP).set_index("metric")
    assert (
        one.loc["hand_till", "note"] == "no test: one split says nothing about how splits vary"
    ).all()
    assert one.loc["hand_till", "p_value"].isna().all()
    two = SplitValues(values[:2], ("x", "y", "z"), names).tests(OVERLAP).set_index("metric")
    assert (two.loc["hand_till", "note"] == "").all()
    assert two.loc["hand_till", "p_value"].notna().all()
    same = values.copy()
    same[:, 1] = same[:, 0] - 0.125
    told = SplitValues(same, ("x", "y", "z"), names).tests(OVERLAP).set_index("metric")
    notes = told.loc["hand_till", "note"].tolist()
    assert notes == ["no test: the learners differ by the same in every split", "", ""]
    assert told.loc["hand_till", "difference"].iloc[0] == pytest.approx(0.125)
    assert math.isnan(told.loc["hand_till", "standard_error"].iloc[0])
    assert told.loc["hand_till", "p_adjusted"].notna().tolist() == [False, True, True]
    missing = values.copy()
    missing[2, 0, 0] = math.nan
    rest = SplitValues(missing, ("x", "y", "z"), names).tests(OVERLAP).set_index("metric")
    assert rest.loc["hand_till", "note"].tolist() == ["", "", ""]
    assert rest.loc["hand_till", "p_value"].isna().tolist() == [True, True, False]
