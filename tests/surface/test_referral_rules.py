"""Which cases are referred: costs as they are given, thresholds by hand, limits and shares."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polyroc.errors import InvalidInput
from polyroc.surface._referral import (
    ReferralCosts,
    Referrals,
    excess_of,
    has_last_column,
    referral_costs,
    threshold_after,
)

ABC = ("a", "b", "c")


def four(refer: Any = (0.5, 0.5), weights: Any = (1, 1, 1, 1), **limits: Any) -> Referrals:
    """Two cases of each class, one of each decided wrongly, those of highest excess first."""
    share = np.array(weights, dtype=float)
    return Referrals(
        np.array([0.5, 0.3, 0.1, -0.1]),
        np.array([1, 0, 0, 1]),
        np.array([0, 0, 1, 1]),
        share / share.sum(),
        ReferralCosts(np.array([[0.0, 1.0], [4.0, 0.0]]), np.array(refer, dtype=float)),
        **limits,
    )


# What referring costs


def test_a_last_column_is_what_referring_costs() -> None:
    table = np.array([[0, 1, 2, 0.1], [3, 0, 4, 0.2], [5, 6, 0, 0.3]])
    for given in (table, table.tolist()):
        found = referral_costs(given, None, ABC)
        assert found is not None
        assert found.decisions.tolist() == table[:, :3].tolist()
        assert found.refer.tolist() == [0.1, 0.2, 0.3]
    with pytest.raises(InvalidInput, match=r"and refer_cost is given, too\. Give one"):
        referral_costs(table, 0.0, ABC)
    frame = pd.DataFrame(table, index=ABC, columns=[*ABC, "refer"])
    with pytest.raises(InvalidInput, match="refer_cost=, or all costs as an array"):
        referral_costs(frame, None, ABC)


def test_both_parts_of_the_costs_are_given_apart() -> None:
    assert referral_costs(None, None, ABC) is None
    assert referral_costs({("a", "b"): 2}, None, ABC) is None
    named = referral_costs({("a", "b"): 2}, 0, ABC)
    assert named is not None
    assert named.decisions.tolist() == [[0, 2, 1], [1, 0, 1], [1, 1, 0]]
    assert named.refer.tolist() == [0, 0, 0] and named.refer.dtype == np.float64
    plain = referral_costs(None, {"c": 3, "a": 1, "b": 2}, ABC)
    assert plain is not None
    assert plain.decisions.tolist() == (1 - np.eye(3)).tolist()
    assert plain.refer.tolist() == [1, 2, 3]
    plain.refer[0] = 9  # a table of its own that may be written to
    each = np.array([0.5, 0.25, 0.0])
    listed = referral_costs(1 - np.eye(3), each, ABC)
    assert listed is not None and listed.refer.tolist() == each.tolist()
    listed.refer[1] = 7
    assert each.tolist() == [0.5, 0.25, 0.0]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (
            {"a": 1, "b": 2},
            r"got \['a', 'b'\] for the classes \['a', 'b', 'c'\]\.",
        ),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "name each class once"),
        ([1, 2], r"or one for each of the 3 classes, got the shape \(2,\)"),
        ([[1], [2], [3]], r"got the shape \(3, 1\)"),
        (-0.001, r"refer_cost must be finite and non-negative, got -0\.001"),
        ([0, 0, -1], "finite and non-negative"),
        (math.inf, "refer_cost"),
    ],
)
def test_malformed_costs_of_referring(wrong: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        referral_costs(None, wrong, ABC)


def test_which_tables_have_a_last_column() -> None:
    assert has_last_column(np.zeros((3, 4)), ABC)
    assert has_last_column([[0, 1, 2], [1, 0, 2]], ("a", "b"))
    for table in (None, {("a", "b"): 1}, np.zeros((3, 3)), np.zeros((4, 3)), np.zeros((4, 4))):
        assert not has_last_column(table, ABC)
    assert not has_last_column(np.zeros((4, 5)), ABC)


# Excess


def test_excess_is_the_least_expected_cost_less_that_of_referring() -> None:
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.25, 0.5, 0.25]])
    costs = ReferralCosts(
        np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 4.0], [3.0, 1.0, 0.0]]), np.array([0.1, 0.5, 0.2])
    )
    excess, decided = excess_of(p, costs)
    for row, found, way in zip(p, excess, decided, strict=True):
        paid = [sum(row[k] * costs.decisions[k, j] for k in range(3)) for j in range(3)]
        asked = sum(row[k] * costs.refer[k] for k in range(3))
        assert way == paid.index(min(paid)) and found == pytest.approx(min(paid) - asked)


@pytest.mark.parametrize("side", [1, -1])
def test_excess_within_rounding_of_the_largest_cost_is_none(side: int) -> None:
    """2⁻⁴⁰ of the largest cost, of a decision or of referring, is what rounding could do."""
    even = np.array([[0.5, 0.5]])
    for scale, gap, zero in (
        (1.0, 5e-13, True),
        (1.0, 5e-10, False),
        (1000.0, 5e-10, True),
        (1000.0, 2e-9, False),
    ):
        refer = np.full(2, 0.5 * scale - side * gap)
        excess, _ = excess_of(even, ReferralCosts(scale * (1 - np.eye(2)), refer))
        assert (excess[0] == 0) == zero
        if not zero:
            assert excess[0] == pytest.approx(side * gap, rel=1e-3)
    rare = 2.0**-9  # only referring is expensive, for a class that is hardly expected
    p = np.array([[rare, (1 - rare) / 2, (1 - rare) / 2]])
    least = 1 - (1 - rare) / 2
    for gap, zero in ((2e-10, True), (3e-10, False)):
        refer = np.array([(least - side * gap) / rare, 0, 0])
        assert (excess_of(p, ReferralCosts(1 - np.eye(3), refer))[0][0] == 0) == zero


# Referrals of cases


def test_referrals_of_probabilities_have_weights_that_sum_to_one() -> None:
    p = np.array([[0.6, 0.4], [0.2, 0.8], [0.7, 0.3]])
    costs = ReferralCosts(1 - np.eye(2), np.array([0.1, 0.2]))
    truths = np.array([0, 1, 1])
    found = Referrals.of(p, truths, np.array([1.0, 2.0, 5.0]), costs, most=0.25)
    assert found.weights.tolist() == [0.125, 0.25, 0.625]
    assert found.decided.tolist() == [0, 1, 0] and found.truths is truths
    assert found.excess == pytest.approx([0.4 - 0.14, 0.2 - 0.18, 0.3 - 0.13])
    assert (found.most, found.limited, found.limits.tolist()) == (0.25, (), [])
    assert Referrals.of(p, truths, np.ones(3), costs).most == 1
    part = found.part(np.array([True, False, True]))
    assert part.weights == pytest.approx([1 / 6, 5 / 6])
    assert part.decided.tolist() == [0, 0] and part.truths.tolist() == [0, 1]
    assert part.excess.tolist() == found.excess[[0, 2]].tolist()
    assert part.most == 0.25 and part.costs is costs


def test_what_cases_cost_and_the_rates() -> None:
    cases = four(refer=(0.5, 0.75), weights=(1, 2, 3, 4))
    referred = np.array([False, True, False, True])
    assert cases.spent(referred).tolist() == [1, 0.5, 4, 0.75]
    assert cases.spent(~referred).tolist() == [0.5, 0, 0.75, 0]
    assert cases.rates(referred) == pytest.approx(np.array([[0, 1 / 3, 2 / 3], [3 / 7, 0, 4 / 7]]))
    assert cases.rates(~referred) == pytest.approx(np.array([[2 / 3, 0, 1 / 3], [0, 4 / 7, 3 / 7]]))
    only = cases.part(np.array([True, True, False, False])).rates(np.zeros(2, bool))
    assert only[0] == pytest.approx([2 / 3, 1 / 3, 0]) and np.isnan(only[1]).all()


def test_limits_that_are_broken_add_up_and_others_do_not_make_up_for_them() -> None:
    both = {"limited": ((0, 1), (1, 0)), "weights": (1, 2, 3, 4)}
    nothing = np.zeros(4, bool)
    for limits, wanted in (
        ((0.3, 0.4), 1 / 3 - 0.3 + 3 / 7 - 0.4),
        ((0.3, 0.9), 1 / 3 - 0.3),
        ((1 / 3, 3 / 7), 0.0),
        ((1 / 3 - 1e-13, 1.0), 0.0),
        ((1 / 3 - 1e-11, 1.0), 1e-11),
    ):
        found = four(limits=np.array(limits), **both).broken(nothing)
        assert found == pytest.approx(wanted, abs=1e-12)
    assert four(limits=np.array([0.3, 0.4]), **both).broken(~nothing) == 0
    assert four().broken(nothing) == 0


def test_limits_are_lower_by_standard_errors_of_the_rates() -> None:
    cases = four(limited=((0, 1), (1, 0)), limits=np.array([0.36, 0.1]))
    assert cases.tightened(0) is cases
    plain = four()
    assert plain.tightened(2.0) is plain
    found = cases.tightened(0.5)
    assert found.limits == pytest.approx([0.36 - 0.5 * math.sqrt(0.36 * 0.64 / 2), 0.0])
    assert found.limited == cases.limited and found.excess is cases.excess
    assert cases.limits.tolist() == [0.36, 0.1]
    uneven = cases.part(np.array([True, True, True, False])).tightened(0.1)
    wanted = [0.36 - 0.1 * math.sqrt(0.36 * 0.64 / 2), 0.1 - 0.1 * math.sqrt(0.1 * 0.9)]
    assert uneven.limits == pytest.approx(wanted)
    missing = cases.part(np.array([True, True, False, False])).tightened(0.1)
    assert missing.limits == pytest.approx(wanted)  # no case counts as one


# Thresholds


def test_a_threshold_that_so_many_exceed() -> None:
    falling = np.array([0.9, 0.5, 0.5, -0.25])
    assert threshold_after(falling, 0) == math.inf
    assert threshold_after(falling, 1) == pytest.approx(0.7)
    assert threshold_after(falling, 3) == 0.125
    assert threshold_after(falling, 4) == -math.inf
    assert threshold_after(falling[:1], 1) == -math.inf


@pytest.mark.parametrize(
    ("most", "wanted"),
    [
        (1.0, 0.0),  # after three: −½ + ½ − 3½ for the sum of four cases
        (0.75, 0.0),
        (0.75 - 1e-13, 0.0),
        (0.75 - 1e-9, 0.4),
        (0.5, 0.4),
        (0.25, 0.4),
        (0.2, math.inf),
        (0.0, math.inf),
    ],
)
def test_the_threshold_of_least_cost(most: float, wanted: float) -> None:
    assert four(most=most).best_threshold() == pytest.approx(wanted, abs=1e-12)


def test_of_equal_costs_the_fewest_are_referred() -> None:
    assert four(refer=(0, 0)).best_threshold() == pytest.approx(0)  # the fourth saves nothing
    assert four(refer=(1, 9)).best_threshold() == math.inf  # the first one costs what it saves
    assert four(refer=(1 - 1e-13, 9)).best_threshold() == math.inf
    assert four(refer=(1 - 1e-9, 9)).best_threshold() == pytest.approx(0.4)
    assert four(refer=(0, 9), weights=(1, 2, 3, 4)).best_threshold() == pytest.approx(0.4)
    wrong = Referrals(
        np.array([0.1, 0.2]), np.array([1, 1]), np.array([0, 0]), np.array([0.5, 0.5]),
        ReferralCosts(1 - np.eye(2), np.zeros(2)),
    )  # fmt: skip
    assert wrong.best_threshold() == -math.inf


def test_weights_decide_what_is_cheapest() -> None:
    """Referring all three saves 4 − ½ of the third case and costs ½ for the second."""
    assert four(weights=(1, 1, 1, 1)).best_threshold() == pytest.approx(0)
    assert four(weights=(1, 8, 1, 1)).best_threshold() == pytest.approx(0.4)
    assert four(weights=(1, 6, 1, 1)).best_threshold() == pytest.approx(0)


def test_cases_of_equal_excess_are_referred_together() -> None:
    cases = Referrals(
        np.array([0.1, 0.5, 0.5, -0.3]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]),
        np.full(4, 0.25), ReferralCosts(1 - np.eye(2), np.array([0.25, 0.25])),
    )  # fmt: skip
    assert cases.best_threshold() == pytest.approx(0.3)
    from dataclasses import replace

    assert replace(cases, most=0.25).best_threshold() == math.inf
    assert replace(cases, most=0.5).best_threshold() == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("pair", "limit", "wanted"),
    [
        ((0, 1), 0.0, 0.4),
        ((0, 1), 1 / 3 - 1e-9, 0.4),
        ((0, 1), 1 / 3 - 1e-13, math.inf),
        ((0, 1), 1 / 3, math.inf),
        ((1, 0), 3 / 7 - 1e-9, 0.0),
        ((1, 0), 3 / 7, math.inf),
    ],
)
def test_limits_come_before_costs(pair: tuple[int, int], limit: float, wanted: float) -> None:
    """A rate is a share of the weight of its class: one of three, and three of seven."""
    options: dict[str, Any] = {"limited": (pair,), "limits": np.array([limit])}
    cases = four(refer=(10, 10), weights=(1, 2, 3, 4), **options)
    assert cases.best_threshold() == pytest.approx(wanted, abs=1e-12)
    never = four(refer=(10, 10), weights=(1, 2, 3, 4), most=0.0, **options)
    assert never.best_threshold() == math.inf  # it keeps the limits as well as is allowed


def test_limits_that_cannot_all_be_kept_are_kept_best() -> None:
    """Of ten parts of weight four may be referred: that keeps the first limit, not the other."""
    options: dict[str, Any] = {"limited": ((0, 1), (1, 0)), "limits": np.array([0.1, 0.1])}
    cases = four(refer=(10, 10), weights=(1, 2, 3, 4), most=0.4, **options)
    assert cases.best_threshold() == pytest.approx(0.4)
    above = cases._above_limits(np.arange(4))
    both, one = 1 / 3 - 0.1 + 3 / 7 - 0.1, 3 / 7 - 0.1
    assert above == pytest.approx([both, one, one, 0, 0])
    other = cases._above_limits(np.array([2, 3, 0, 1]))
    assert other == pytest.approx([both, 1 / 3 - 0.1, 1 / 3 - 0.1, 0, 0])
    absent = cases.part(np.array([True, True, False, False]))
    assert absent._above_limits(np.arange(2)) == pytest.approx([1 / 3 - 0.1, 0, 0])


@pytest.mark.parametrize(
    ("most", "threshold", "wanted"),
    [
        (1.0, -5.0, -5.0),
        (0.5, 0.2, 0.2),
        (0.5, 0.1, 0.1),  # a case at the threshold is decided
        (0.5, 0.0, 0.1),
        (0.5 - 1e-13, 0.2, 0.2),
        (0.5 - 1e-9, 0.2, 0.3),
        (0.49, -1.0, 0.3),
        (0.0, 0.4, 0.5),
        (0.0, 0.5, 0.5),
    ],
)
def test_a_threshold_is_raised_until_the_share_is_kept(
    most: float, threshold: float, wanted: float
) -> None:
    order = np.array([2, 0, 3, 1])
    cases = four(most=most)
    assert cases.threshold_for_share(threshold) == wanted
    mixed = Referrals(
        cases.excess[order], cases.decided, cases.truths, cases.weights, cases.costs, most=most
    )
    assert mixed.threshold_for_share(threshold) == wanted


def test_shares_are_those_of_weights() -> None:
    cases = four(weights=(1, 2, 3, 4), most=0.3)
    assert cases.threshold_for_share(-1) == 0.1
    assert cases.threshold_for_share(0.1) == 0.1
    assert four(weights=(4, 3, 2, 1), most=0.3).threshold_for_share(-1) == 0.5
