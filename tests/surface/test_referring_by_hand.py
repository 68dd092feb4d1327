"""Points that refer cases, on few cases: thresholds, ties, limits and what is printed."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from surface.few_cases import CODES, COSTS, NAMES, WEIGHTS, P, decided_by, small

from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface import ReferringPoint
from polyroc.surface._referring_point import (
    Goal,
    _better,
    _Found,
    _of_point,
    checked_share,
    excess_of_decisions,
)

PLAIN = np.column_stack([1 - np.eye(2), [0.25, 0.25]])


def two(*choices: Any, **wish: Any) -> ReferringPoint:
    """Six cases of two classes, at the costs of one or more points."""
    costs = np.array(choices or [[[0.0, 1], [1, 0]]])
    y = np.repeat(["no", "yes"], [4, 2])
    p = np.array([0.1, 0.2, 0.4, 0.7, 0.3, 0.9])
    return small(costs=costs, y=y, p=np.column_stack([1 - p, p])).choose(**wish)  # type: ignore


def test_a_share_of_the_cases() -> None:
    for share in (0, 0.5, 1, np.float64(0.25)):
        found = checked_share(share)
        assert found == share and type(found) is float
    for wrong in (-1e-9, 1 + 1e-9, math.nan, None, "1", False):
        with pytest.raises(InvalidInput, match="share of the cases from 0 to 1, got"):
            checked_share(wrong)


def test_excess_of_decisions_at_other_priors() -> None:
    q = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    kept = q.copy()
    costs = np.array([[0, 2, 1, 0.1], [1, 0, 4, 0.2], [3, 1, 0, 0.6]])
    ratios, decided = np.array([0.5, 2.0, 1.0]), np.array([2, 0])
    found = excess_of_decisions(q, decided, costs, ratios)
    for row, way, excess in zip(q, decided, found, strict=True):
        moved = [p * r for p, r in zip(row, ratios, strict=True)]
        posterior = [each / sum(moved) for each in moved]
        wanted = sum(posterior[k] * (costs[k, way] - costs[k, 3]) for k in range(3))
        assert excess == pytest.approx(wanted)
    assert (q == kept).all()


def test_the_least_total_error_with_free_referrals() -> None:
    """The wrong ones have p = .7 and .3; both are the second least certain, .4 the least."""
    point = two(criterion="total_error", reject_at_most=0.5)
    assert (point.value, point.referred, point.coverage) == (0, 0.5, 0.5)
    assert point.confusion.tolist() == [[0.5, 0, 0.5], [0, 0.5, 0.5]]
    assert point.threshold == pytest.approx(0.25, rel=1e-12) and point.risk == 0
    assert point.costs_asked.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert point.priors == pytest.approx([2 / 3, 1 / 3]) and point.criterion == "total error"
    less = two(criterion="total_error", reject_at_most=0.49)
    assert (less.referred, less.threshold) == (0, math.inf)
    assert less.value == pytest.approx(1 / 3) == pytest.approx(less.risk)
    assert less.confusion.tolist() == [[0.75, 0.25, 0], [0.5, 0.5, 0]]
    every = two(limits={("no", "yes"): 0.0}, reject_at_most=1, costs=PLAIN)
    assert every.referred == 0.5 and every.value == pytest.approx(0.125)


def test_a_case_at_the_threshold_is_decided() -> None:
    point = two(criterion="total_error", reject_at_most=0.5)
    p = np.array([0.25, 0.75, 0.26, 0.74, 0.01])
    table = np.column_stack([1 - p, p])
    assert point.decide(table).tolist() == ["no", "yes", "refer", "refer", "no"]
    assert point.decide(table, None).tolist() == ["no", "yes", None, None, "no"]
    at = replace(point, threshold=0.25)
    assert at.decide(table[:2], "?").tolist() == ["no", "yes"]
    assert replace(point, threshold=-math.inf).decide(table).tolist() == ["refer"] * 5
    assert point.decide(table).dtype == object


def test_everything_is_referred_where_that_is_cheapest() -> None:
    """Two cases, both decided wrongly: nothing is left whose risk could be told."""
    y, p = np.array([0, 1]), np.array([[0.4, 0.6], [0.7, 0.3]])
    surface = small(costs=[[[0, 1], [1, 0]]], y=y, p=p)
    point = surface.choose(costs=PLAIN, reject_at_most=1)
    assert isinstance(point, ReferringPoint)
    assert (point.referred, point.coverage, point.threshold) == (1, 0, -math.inf)
    assert math.isnan(point.risk) and point.value == 0.25
    assert point.confusion.tolist() == [[0, 0, 1], [0, 0, 1]]
    half = surface.choose(costs=PLAIN, reject_at_most=0.5)
    assert isinstance(half, ReferringPoint)
    assert (half.referred, half.value, half.risk) == (0.5, 0.625, 1)
    assert half.confusion.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_everything_is_referred_where_limits_allow_nothing_else() -> None:
    y, p = np.array([0, 1]), np.array([[0.4, 0.6], [0.7, 0.3]])
    surface = small(costs=[[[0, 1], [1, 0]]], y=y, p=p)
    dear = np.column_stack([1 - np.eye(2), [9.0, 9.0]])
    point = surface.choose(costs=dear, limits={(0, 1): 0.0, (1, 0): 0.0}, reject_at_most=1)
    assert isinstance(point, ReferringPoint)
    assert (point.referred, point.value) == (1, 9)


def test_cases_of_equal_excess_stay_together() -> None:
    """Six tenths of .3 and .7 are rounded otherwise, and still are the same."""
    y, p = np.array([0, 0, 1, 1, 1]), np.array([0.1 + 0.2, 0.7, 0.3, 0.1 * 7, 0.99])
    surface = small(costs=[[[0, 1], [1, 0]]], y=y, p=np.column_stack([1 - p, p]))
    for most in (0.0, 0.2, 0.79):
        assert surface.choose(criterion="total_error", reject_at_most=most).referred == 0  # type: ignore
    point = surface.choose(criterion="total_error", reject_at_most=0.8)
    assert isinstance(point, ReferringPoint)
    assert point.referred == pytest.approx(0.8) and point.value == 0
    dear = small(costs=[[[0, 1], [1, 0]]], y=y, p=np.column_stack([1 - p, p])).choose(
        costs=1000 * (1 - np.eye(2)), reject_at_most=0.5
    )
    assert dear.referred == 0  # type: ignore[union-attr]


def test_limits_on_shares_of_all_cases_of_a_class() -> None:
    """A referred case is no error: with one of two left the rate is at most a half."""
    costs = np.column_stack([1 - np.eye(2), [9.0, 9.0]])  # as few referrals as limits allow
    for limit, referred in ((0.5, 0), (0.5 - 1e-13, 0), (0.5 - 1e-9, 0.5), (0.0, 0.5)):
        point = two(costs=costs, limits={("yes", "no"): limit}, reject_at_most=1)
        assert point.referred == pytest.approx(referred)
        assert point.rate("yes", "no") <= limit + 1e-12
    with pytest.raises(NotDefined) as told:
        two(costs=costs, limits={("yes", "no"): 0.1}, reject_at_most=0.12345)
    assert str(told.value) == (
        "No operating point meets the limits if at most 12.35 % of the cases are referred. Allow "
        "more referrals, or drop a limit."
    )
    edge = two(costs=costs, limits={("yes", "no"): 0.1}, reject_at_most=0.5 - 1e-13)
    assert edge.referred == pytest.approx(0.5)


def test_the_best_of_several_points_and_the_fewest_referrals() -> None:
    """The second point decides .7 as no: one error, and nothing is referred for another."""
    even, high = [[0.0, 1], [1, 0]], [[0.0, 3], [1, 0]]
    point = two(even, high, criterion="total_error", reject_at_most=0.17)
    assert point.index == 1 and point.costs.tolist() == [[0, 0.75], [0.25, 0]]
    assert point.referred == 0 and point.value == pytest.approx(1 / 6)
    for choices in ((even, high), (high, even), (even, even)):
        both = two(*choices, criterion="total_error", reject_at_most=1)
        assert (both.index, both.referred, both.value) == (0, 0.5, 0)


def test_which_of_two_finds_is_better() -> None:
    def found(value: float, referred: float) -> _Found:
        return _Found(value, referred, 0.0, np.zeros((2, 3)))

    assert _better(found(0.1, 0.9), found(0.2, 0.1))
    assert not _better(found(0.2, 0.1), found(0.1, 0.9))
    assert _better(found(0.1, 0.1), found(0.1, 0.2)) and not _better(
        found(0.1, 0.2), found(0.1, 0.2)
    )
    nearly = 0.1 + 1e-13
    assert _better(found(nearly, 0.1), found(0.1, 0.2))
    assert not _better(found(0.1, 0.2), found(nearly, 0.2 - 1e-13))


def test_values_at_given_priors_with_weights() -> None:
    costs = np.array([[0, 1, 2, 0.3], [3, 0, 1, 0.2], [1, 1, 0, 0.4]])
    priors = np.array([0.2, 0.5, 0.3])
    surface = small(WEIGHTS)
    point = surface.choose(costs=costs, priors=priors, reject_at_most=0.3)
    assert isinstance(point, ReferringPoint)
    table = np.zeros((3, 4))
    own = np.array([WEIGHTS[k == CODES].sum() for k in range(3)])
    ways = [3 if each == "refer" else NAMES.index(each) for each in point.decide(P)]
    np.add.at(table, (CODES, ways), WEIGHTS)
    table /= own[:, None]
    assert point.confusion == pytest.approx(table)
    assert point.referred == pytest.approx(priors @ table[:, 3]) and 0 < point.referred <= 0.3
    assert point.value == pytest.approx((priors[:, None] * table * costs).sum())
    paid = (priors[:, None] * table * costs)[:, :3].sum()
    assert point.risk == pytest.approx(paid / (1 - point.referred))
    assert point.priors.tolist() == priors.tolist() and point.costs_asked.tolist() == costs.tolist()
    assert (point.classes, point.surface) == (NAMES, surface)
    assert point.criterion == "expected cost" and (point.costs == surface.costs[point.index]).all()
    plain = [j for j, way in zip(decided_by(COSTS[point.index]), ways, strict=True) if way < 3]
    assert plain == [way for way in ways if way < 3]


def test_what_a_referring_point_prints() -> None:
    point = two(criterion="total_error", reject_at_most=0.5)
    assert repr(point) == (
        "total error = 0.0000 with 50 % referred; share of each class classified as …\n"
        "truth      no     yes  referred\n"
        "no     0.5000  0.0000    0.5000\n"
        "yes    0.0000  0.5000    0.5000"
    )
    other = repr(replace(point, value=0.123456, referred=0.123456, criterion="expected cost"))
    assert other.startswith("expected cost = 0.1235 with 12.3 % referred; share")


def test_referring_needs_cases_and_keeps_to_bounds() -> None:
    surface = small()
    for model in (None, surface.model.at(P)):  # type: ignore[union-attr]
        with pytest.raises(NotDefined, match=r"Use surface\.rescore\(X, y\) first"):
            replace(surface, model=model).choose(criterion="total_error", reject_at_most=0.1)
    bounds = {("b", "a"): (0.3, 0.4)}  # of the three points the second has a third
    point = surface.choose(criterion="total_error", reject_at_most=0.1, cost_bounds=bounds)
    assert point.index == 1
    goal = Goal(
        np.column_stack([1 - np.eye(3), np.zeros(3)]), surface.priors(), np.ones(3), {}, 0.1
    )
    alone = _of_point(P, COSTS[1], surface.model.cases, goal)  # type: ignore[union-attr]
    assert alone is not None and alone.value == point.value
