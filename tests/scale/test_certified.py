"""Bounds and differences as objects: what they say, printed and as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.results import Estimate
from polyroc.scale._certified import Certified, CertifiedEvaluation, outward
from polyroc.scale._comparison import CertifiedComparison, CertifiedDifference, checked_models

WIDE = Certified("hand_till", 0.70001, 0.70029, 0.01234)
NARROW = Certified("auc_mu", 0.8123456, 0.8123456, note="no standard error: not requested")


def evaluation(*metrics: Certified, **more: Any) -> CertifiedEvaluation:
    low = np.array([[np.nan, 0.5, 0.6], [0.7, np.nan, 0.8], [0.9, 1.0, np.nan]])
    return CertifiedEvaluation(metrics, {"a": 3, "b": 5, "c": 11}, low, low + 0.01, **more)


@pytest.mark.parametrize(
    ("low", "high", "digits", "expected"),
    [
        (0.12341, 0.12349, 4, (0.1234, 0.1235)),
        (0.12341, 0.12349, 3, (0.123, 0.124)),
        (-0.12349, -0.12341, 4, (-0.1235, -0.1234)),
        (-0.00001, 0.00001, 2, (-0.01, 0.01)),
        (0.25, 0.75, 1, (0.2, 0.8)),
        (0.66666, 0.66666 + 9e-10, 4, (0.6667, 0.6667)),
        (0.66666, 0.66666 + 1.5e-9, 4, (0.6666, 0.6667)),
        (-0.33331, -0.33331, 4, (-0.3333, -0.3333)),
        (0.3, 0.9, 0, (0.0, 1.0)),
    ],
)
def test_bounds_are_rounded_away_from_each_other(
    low: float, high: float, digits: int, expected: tuple[float, float]
) -> None:
    assert outward(low, high, digits) == expected


def test_bounds_of_one_value_up_to_the_limit() -> None:
    assert outward(0.0, 1e-9, 4) == (0.0, 0.0)
    assert outward(0.0, math.nextafter(1e-9, 1), 4) == (0.0, 0.0001)
    missing = outward(math.nan, math.nan, 4)
    assert all(math.isnan(end) for end in missing)


def test_middle_and_width() -> None:
    found = Certified("vus", 0.25, 0.75)
    assert (found.midpoint, found.width) == (0.5, 0.5)
    skewed = Certified("vus", 0.5, 0.625)
    assert (skewed.midpoint, skewed.width) == (0.5625, 0.125)
    assert Certified("mcc", -0.5, -0.25).midpoint == -0.375
    assert math.isnan(found.standard_error) and found.note == "" and found.range == (0.0, 1.0)


def test_limits_are_those_of_estimates_at_both_ends() -> None:
    for level in (0.8, 0.95):
        ends = [
            Estimate("hand_till", end, 0.01234, "x", range=(0.0, 1.0)) for end in (0.70001, 0.70029)
        ]
        found = WIDE.interval(level)
        assert found.low == ends[0].interval(level).low
        assert found.high == ends[1].interval(level).high
        assert (found.level, found.scale) == (level, "logit")
    assert WIDE.interval() == WIDE.interval(0.95)
    assert WIDE.interval().low < 0.70001 < 0.70029 < WIDE.interval().high


def test_limits_keep_the_range_of_the_metric() -> None:
    """A metric from −1 to 1 may have a lower limit below 0."""
    mcc = Certified("mcc", 0.02, 0.03, 0.05, range=(-1.0, 1.0))
    limits = mcc.interval()
    assert -1 < limits.low < 0 < limits.high < 1
    ends = [Estimate("mcc", end, 0.05, "x", range=(-1.0, 1.0)).interval() for end in (0.02, 0.03)]
    assert (limits.low, limits.high) == (ends[0].low, ends[1].high)


def test_lines_of_text() -> None:
    assert repr(WIDE) == "hand_till in [0.700010, 0.700290], standard error 0.012"
    assert repr(NARROW) == "auc_mu = 0.812346, no standard error: not requested"
    off = Certified("vus", math.nan, math.nan, note="vus needs three classes")
    assert repr(off) == "vus is not defined: vus needs three classes"
    outer = Certified("aunp", 0.12345671, 0.23456781, 0.5)
    assert repr(outer) == "aunp in [0.123456, 0.234568], standard error 0.5"
    assert repr(Certified("aunp", 0.0, 1e-9, 0.5)).startswith("aunp = 0.000000,")
    above = Certified("aunp", 0.0, 1.1e-9, 0.5)
    assert repr(above).startswith("aunp in [0.000000, 0.000001],")


def test_plain_values_of_one_metric() -> None:
    assert WIDE.to_dict() == {
        "metric": "hand_till",
        "low": 0.70001,
        "high": 0.70029,
        "midpoint": WIDE.midpoint,
        "width": WIDE.width,
        "standard_error": 0.01234,
        "note": "",
    }
    assert NARROW.to_dict()["standard_error"] is None
    printed = WIDE.printed_row()
    assert (printed["low"], printed["high"]) == (0.7, 0.7003)
    assert printed["midpoint"] == WIDE.midpoint and list(printed) == list(WIDE.to_dict())


def test_an_evaluation_is_a_mapping_of_its_metrics() -> None:
    found = evaluation(WIDE, NARROW)
    assert list(found) == ["hand_till", "auc_mu"] and len(found) == 2
    assert found["hand_till"] is WIDE and found["auc_mu"] is NARROW
    assert found.n_cases == 19 and found.columns == ()
    with pytest.raises(UnknownName) as caught:
        found["vus"]
    assert str(caught.value) == "'vus' was not evaluated. There are hand_till, auc_mu."
    table = found.frame()
    assert table["metric"].tolist() == ["hand_till", "auc_mu"]
    assert table["low"].tolist() == [0.70001, 0.8123456]
    assert found.to_dict() == {
        "counts": {"a": 3, "b": 5, "c": 11},
        "metrics": [WIDE.to_dict(), NARROW.to_dict()],
    }


def test_an_evaluation_in_print_has_four_decimals() -> None:
    found = evaluation(WIDE, Certified("aunp", 0.123456, 0.123467, 0.25))
    text, page = repr(found), found._repr_html_()
    for shown in (text, page):
        assert "0.7003" in shown and "0.1234" in shown and "0.1235" in shown
        assert "0.70029" not in shown and "0.12345" not in shown
        assert "hand_till" in shown and "aunp" in shown
    assert page.startswith("<") and not text.startswith("<")
    assert text.index("hand_till") < text.index("aunp")


def test_evaluations_are_equal_by_metrics_and_counts() -> None:
    """The matrices of pairs are left out of the comparison, which arrays do not allow."""
    one, other = evaluation(WIDE, NARROW), evaluation(WIDE, NARROW)
    assert one == other and dict(one) == dict(other)
    assert one != evaluation(WIDE) and one != evaluation(WIDE, NARROW, columns=("p",))
    assert evaluation(WIDE, columns=("p", "q")).columns == ("p", "q")


@pytest.mark.parametrize(
    "change",
    [
        lambda: setattr(WIDE, "low", 0.1),
        lambda: setattr(evaluation(WIDE), "metrics", ()),
        lambda: setattr(CertifiedDifference("m", "a", "b", 0.1, 0.2), "low", 0.0),
        lambda: setattr(CertifiedComparison({}, ()), "evaluations", {}),
    ],
)
def test_results_do_not_change(change: Callable[[], None]) -> None:
    with pytest.raises(FrozenInstanceError):
        change()


# Differences


def test_p_values_of_the_nearest_difference_between_the_bounds() -> None:
    for low, high, nearest in ((0.02, 0.05, 0.02), (-0.05, -0.02, 0.02), (-0.01, 0.03, 0.0)):
        found = CertifiedDifference("aunp", "a", "b", low, high, 0.013)
        assert found.p_value == pytest.approx(2 * norm.sf(nearest / 0.013), rel=1e-12)
    assert CertifiedDifference("aunp", "a", "b", -0.01, 0.03, 0.013).p_value == 1
    assert math.isnan(CertifiedDifference("aunp", "a", "b", 0.1, 0.1).p_value)


def test_limits_of_a_difference() -> None:
    found = CertifiedDifference("aunp", "a", "b", 0.02, 0.05, 0.013)
    for level in (0.8, 0.95):
        reach = norm.ppf((1 + level) / 2) * 0.013
        assert found.interval(level) == pytest.approx((0.02 - reach, 0.05 + reach), rel=1e-12)
    assert found.interval() == found.interval(0.95)
    bare = CertifiedDifference("aunp", "a", "b", 0.02, 0.05)
    assert math.isnan(bare.standard_error) and bare.note == ""
    assert all(math.isnan(end) for end in bare.interval())


def comparison() -> CertifiedComparison:
    differences = (
        CertifiedDifference("hand_till", "new", "old", 0.030041, 0.030249, 0.01),
        CertifiedDifference("aunp", "new", "old", -0.05, -0.04, 0.01),
        CertifiedDifference("auc_mu", "new", "old", 0.0, 0.0, note="every case agrees"),
    )
    return CertifiedComparison({"new": evaluation(WIDE), "old": evaluation(NARROW)}, differences)


def test_rows_of_a_comparison() -> None:
    """Holm's adjustment by hand: the smallest of two p values counts twice."""
    found = comparison()
    table = found.frame()
    first, second = 2 * norm.sf(3.0041), 2 * norm.sf(4)
    assert table["p_value"].tolist()[:2] == pytest.approx([first, second], rel=1e-9)
    assert table["p_adjusted"].tolist()[:2] == pytest.approx([first, 2 * second], rel=1e-9)
    assert np.isnan(table["p_value"][2]) and np.isnan(table["p_adjusted"][2])
    assert table["least"].tolist() == [0.030041, -0.05, 0.0]
    assert table["most"].tolist() == [0.030249, -0.04, 0.0]
    reach = norm.ppf(0.975) * 0.01
    assert table["low"].tolist()[:2] == pytest.approx([0.030041 - reach, -0.05 - reach])
    assert table["high"].tolist()[:2] == pytest.approx([0.030249 + reach, -0.04 + reach])
    assert table["note"].tolist() == ["", "", "every case agrees"]
    assert table.columns.tolist() == [
        *("metric", "model_a", "model_b", "least", "most", "standard_error"),
        *("low", "high", "p_value", "p_adjusted", "note"),
    ]
    narrower = found.frame(0.5)
    assert (narrower["low"] > table["low"]).tolist() == [True, True, False]
    assert (narrower["high"] < table["high"]).tolist() == [True, True, False]


def test_plain_values_of_a_comparison() -> None:
    found = comparison()
    made = found.to_dict()
    assert list(made) == ["models", "differences"] and list(made["models"]) == ["new", "old"]
    assert made["models"]["old"] == evaluation(NARROW).to_dict()
    rows = found.frame().to_dict("records")
    assert made["differences"][:2] == rows[:2]
    assert made["differences"][2]["p_value"] is None
    level = found.to_dict(0.5)["differences"][0]
    assert level["low"] == found.frame(0.5)["low"][0] > rows[0]["low"]


def test_a_comparison_in_print_and_as_a_mapping() -> None:
    found = comparison()
    assert list(found) == ["new", "old"] and len(found) == 2
    assert found["old"] is found.evaluations["old"]
    text, page = repr(found), found._repr_html_()
    for shown in (text, page):
        assert "0.0300" in shown and "0.0303" in shown and "0.0302" not in shown
        assert "new" in shown and "old" in shown and "every case agrees" in shown
    assert page.startswith("<") and not text.startswith("<")
    reach = norm.ppf(0.975) * 0.01
    assert f"{-0.05 - reach:.4f}" in text.replace("−", "-")
    printed = found._printed_rows()
    assert [(row["least"], row["most"]) for row in printed] == [
        (0.03, 0.0303),
        (-0.05, -0.04),
        (0.0, 0.0),
    ]


def test_which_models_are_taken() -> None:
    two = {"a": 1, "b": 2}
    assert checked_models(two, "tables") is two
    assert checked_models({**two, "c": 3}, "tables") == {"a": 1, "b": 2, "c": 3}
    for few in ({"a": 1}, {}):
        with pytest.raises(InvalidInput, match=f"two models or more, got {len(few)}"):
            checked_models(few, "tables")
    for wrong in ({1: 1, 2: 2}, {"a": 1, 2: 2}, ["a", "b"], "ab"):
        with pytest.raises(InvalidType, match="names of models to their scores, got "):
            checked_models(wrong, "scores")
