"""Operating points: what they promise, print and decide, each number counted by a plain loop."""

import math
import warnings
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from surface.few_cases import CODES, COSTS, COUNTS, NAMES, WEIGHTS, P, Y, decided_by, small

from polyroc import Predictions
from polyroc.calibration import cost_calibration
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.surface import ScoreModel
from polyroc.surface._cases import cases_of
from polyroc.surface._limits import checked_limits, held_limits, upper_bound
from polyroc.surface._operating_point import SurfacePoint
from polyroc.surface._point_certainty import (
    Linear,
    checked_interval,
    effective_cases,
    linear,
    signed_distance_of,
    wilson,
)

CONFUSION = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.2, 0.2, 0.6]])
SIZES = np.array([12.0, 8.0, 5.0])
ASKED = {("a", "b"): 5, ("c", "a"): 2}
TABLE = np.array([[0.0, 5, 1], [1, 0, 1], [2, 1, 0]])
PRIORS = np.array([0.5, 0.2, 0.3])


def slow_interval(
    coefficients: np.ndarray, constant: float, confusion: np.ndarray, n: Any, level: float
) -> tuple[float, float]:
    """Wilson's limits of a sum of rates as the text of the module has them, by loops."""
    low = constant + sum(min(row) for row in coefficients)
    high = constant + sum(max(row) for row in coefficients)
    value = shrunk_value = constant
    spreads = []
    for row, rates, size in zip(coefficients, confusion, n, strict=True):
        shrunk = [(rate * size + 1 / len(row)) / (size + 1) for rate in rates]
        mean = sum(a * rate for a, rate in zip(row, shrunk, strict=True))
        spreads.append(
            sum(rate * (a - mean) ** 2 for a, rate in zip(row, shrunk, strict=True)) / size
        )
        value += sum(a * rate for a, rate in zip(row, rates, strict=True))
        shrunk_value += mean
    share = (shrunk_value - low) / (high - low)
    size = share * (1 - share) / (sum(spreads) / (high - low) ** 2)
    if sum(any(row) for row in coefficients) == 1:
        quantile = norm.ppf((1 + level) / 2)
    else:
        among = sum(each**2 / (size - 1) for each, size in zip(spreads, n, strict=True) if each)
        quantile = student.ppf((1 + level) / 2, sum(spreads) ** 2 / among)
    seen = (value - low) / (high - low)
    z = quantile**2 / size
    centre, reach = seen + z / 2, math.sqrt(z * seen * (1 - seen) + z**2 / 4)
    least, most = ((centre + sign * reach) / (1 + z) for sign in (-1, 1))
    return low + (high - low) * least, low + (high - low) * most


# Quantities that are linear in the rates


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_of_sums_of_rates(level: float) -> None:
    rng = np.random.default_rng(1)
    for constant in (0.0, -0.75, 2.0):
        for coefficients in (
            rng.uniform(-1, 2, (3, 3)),
            np.array([[0, 0, 0], [0.0, 3, 1], [0, 0, 0]]),
            np.array([[0, 1.0, 2], [0, 0, 0], [3, 1, 0]]),
        ):
            quantity = Linear(coefficients, constant)
            found = quantity.interval(CONFUSION, SIZES, level)
            wanted = slow_interval(coefficients, constant, CONFUSION, SIZES, level)
            assert (found.low, found.high) == pytest.approx(wanted, abs=1e-10)
            assert (found.level, found.scale) == (level, "wilson")
            assert found.low < quantity.value(CONFUSION) < found.high


def test_classes_without_spread_and_with_one_case_give_no_warning() -> None:
    """A class that does not count may have a single case: it adds nothing to the variance."""
    quantity = Linear(np.array([[0.0, 1, 2], [0, 0, 0], [3, 1, 0]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = quantity.interval(CONFUSION, np.array([12.0, 1.0, 5.0]), 0.95)
    assert found == quantity.interval(CONFUSION, np.array([12.0, 8.0, 5.0]), 0.95)


def test_the_value_and_the_range_of_a_sum() -> None:
    quantity = Linear(np.array([[0.0, -2, 1], [4, 3, 5], [1, 1, 1]]), 10)
    assert quantity.range == (10 - 2 + 3 + 1, 10 + 1 + 5 + 1)
    assert quantity.value(np.eye(3)) == 10 + 0 + 3 + 1
    assert quantity.value(np.array([[0.5, 0.5, 0], [0, 0, 1], [0, 1, 0]])) == 10 - 1 + 5 + 1
    assert Linear(np.eye(2)).value(np.eye(2)) == 2
    with pytest.raises(FrozenInstanceError):
        quantity.constant = 1.0  # type: ignore[misc]


def test_no_rate_lies_outside_of_its_limits_by_rounding() -> None:
    """At the ends of the range the limit is the end itself, and the other limit is inside."""
    quantity = Linear(np.array([[0.0, 0.7], [0.3, 0.0]]))
    none = quantity.interval(np.eye(2), np.array([9.0, 7.0]), 0.95)
    assert none.low == 0 < none.high < 1
    nudged = np.array([[1 + 1e-16, -1e-16], [-1e-15, 1 + 1e-15]])
    assert quantity.interval(nudged, np.array([9.0, 7.0]), 0.95).low == 0
    wrong = 1 - np.eye(2)
    every = quantity.interval(wrong * (1 + 1e-15), np.array([9.0, 7.0]), 0.95)
    assert 0 < every.low < every.high and every.high == pytest.approx(1, abs=1e-12)
    for share in (0.0, 1.0):
        for n in (1, 7, 1e9):
            low, high = wilson(share, n, 1.7)
            assert 0 <= low <= share <= high <= 1


def test_quantities_by_name() -> None:
    costs = np.arange(9.0).reshape(3, 3) + 1
    for truth, decided in ((0, 1), (2, 0)):
        found = linear("rate", NAMES, (NAMES[truth], NAMES[decided]), costs)
        assert found.value(CONFUSION) == CONFUSION[truth, decided] and found.constant == 0
    for place, name in enumerate(NAMES):
        found = linear("sensitivity", NAMES, (name, None), costs)
        assert found.value(CONFUSION) == CONFUSION[place, place]
    right = 0.5 + 0.75 + 0.6
    youden = linear("youden", NAMES, (None, None), costs)
    assert youden.value(CONFUSION) == pytest.approx((right - 1) / 2)
    assert youden.range == (-0.5, 1)
    two = linear("youden", ("x", "y"), (None, None), costs)
    assert two.value(np.array([[0.75, 0.25], [0.5, 0.5]])) == 0.25
    for name in ("cost", "value"):
        found = linear(name, NAMES, (None, None), costs)
        paid = sum(costs[k, j] * CONFUSION[k, j] for k in range(3) for j in range(3) if j != k)
        assert found.value(CONFUSION) == pytest.approx(paid)
    for n_classes in (2, 3, 4):
        chance = np.full((n_classes, n_classes), 1 / n_classes)
        distance = signed_distance_of(n_classes)
        assert distance.value(chance) == pytest.approx(0, abs=1e-12)
        best = -(n_classes - 1) / math.sqrt(n_classes * (n_classes - 1))
        assert distance.value(np.eye(n_classes)) == pytest.approx(best)


@pytest.mark.parametrize(
    ("quantity", "named", "says"),
    [
        ("rate", ("a", None), "'rate' takes truth and decided, got 'a' and None."),
        ("rate", (None, "b"), "'rate' takes truth and decided, got None and 'b'."),
        ("rate", (None, None), "'rate' takes truth and decided"),
        ("sensitivity", (None, None), "'sensitivity' takes truth, got None and None."),
        ("sensitivity", (None, "a"), "'sensitivity' takes truth, got None and 'a'."),
        ("sensitivity", ("a", "b"), "'sensitivity' takes truth, got 'a' and 'b'."),
        ("cost", ("a", None), "'cost' takes neither truth nor decided"),
        ("value", (None, "b"), "'value' takes neither truth nor decided"),
    ],
)
def test_classes_go_with_rates_and_sensitivities(
    quantity: str, named: tuple[Any, Any], says: str
) -> None:
    with pytest.raises(InvalidInput) as told:
        linear(quantity, NAMES, named, np.ones((3, 3)))
    assert says in str(told.value)


def test_classes_that_are_not_there() -> None:
    with pytest.raises(UnknownName, match=r"'d' is not a class\. There are"):
        linear("sensitivity", NAMES, ("d", None), np.ones((3, 3)))
    with pytest.raises(UnknownName, match="'d' is not a class"):
        linear("rate", NAMES, ("a", "d"), np.ones((3, 3)))


def test_an_interval_needs_two_independent_cases_of_each_class() -> None:
    quantity = Linear(1 - np.eye(2))
    confusion = np.array([[0.5, 0.5], [0.25, 0.75]])
    two = cases_of([0, 0, 1, 1, 1])
    found = checked_interval(quantity, confusion, two, 0.9)
    assert found == quantity.interval(confusion, np.array([2.0, 3.0]), 0.9)
    for known in (None, cases_of([0, 1, 1]), replace(two, grouped=True)):
        missing = checked_interval(quantity, confusion, known, 0.9)
        assert math.isnan(missing.low) and math.isnan(missing.high)
        assert (missing.level, missing.scale) == (0.9, "wilson")
        with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
            checked_interval(quantity, confusion, known, 1.5)
    heavy = cases_of([0, 0, 1, 1], sample_weight=[1, 3, 2, 2])
    assert effective_cases(heavy).tolist() == [16 / 10, 2]
    weighted = checked_interval(quantity, confusion, heavy, 0.9)
    assert weighted == quantity.interval(confusion, np.array([1.6, 2.0]), 0.9)


# Points


def test_rates_and_estimates_of_a_weighted_point() -> None:
    surface = small(WEIGHTS)
    own = np.array([WEIGHTS[k == CODES].sum() for k in range(3)])
    n = np.array([own[k] ** 2 / (WEIGHTS[k == CODES] ** 2).sum() for k in range(3)])
    for index, costs in enumerate(COSTS):
        table = np.zeros((3, 3))
        np.add.at(table, (CODES, decided_by(costs)), WEIGHTS)
        table /= own[:, None]
        assert surface.confusion[index] == pytest.approx(table, abs=1e-11)
    point = surface.choose(costs=ASKED, priors=PRIORS)
    paid = [float((PRIORS[:, None] * TABLE * table).sum()) for table in surface.confusion]
    assert point.index == int(np.argmin(paid)) and point.value == pytest.approx(min(paid))
    assert point.priors is not None and point.priors.tolist() == PRIORS.tolist()
    for name in ("value", "cost"):
        found = point.interval(name, level=0.8)  # type: ignore[arg-type]
        wanted = slow_interval(TABLE * PRIORS[:, None], 0, point.confusion, n, 0.8)
        assert (found.low, found.high, found.level) == pytest.approx((*wanted, 0.8))
    assert point.interval().level == 0.95
    other = [0.1, 0.1, 0.8]
    at_other = float((np.array(other)[:, None] * TABLE * point.confusion).sum())
    assert point.estimate(priors=other) == pytest.approx(at_other)
    assert point.estimate("cost", priors=other) == pytest.approx(at_other)
    low, high, *_ = point.interval("cost", costs={("b", "c"): 4}, priors=other)
    table = np.array([[0.0, 1, 1], [1, 0, 4], [1, 1, 0]]) * np.array(other)[:, None]
    assert (low, high) == pytest.approx(slow_interval(table, 0, point.confusion, n, 0.95))
    assert point.rate("a", "b") == point.confusion[0, 1]
    assert point.rate("c", "a") == point.confusion[2, 0]


def test_priors_of_the_sample_where_none_are_given() -> None:
    point = small().choose(criterion="total_error")
    shares = np.array(COUNTS) / 25
    wrong = float((shares * (1 - np.diag(point.confusion))).sum())
    assert point.estimate() == pytest.approx(wrong) == point.estimate("cost")
    bare = replace(point, priors=None)
    assert bare.estimate() == pytest.approx(wrong)
    halves = float(np.array([0.5, 0.25, 0.25]) @ (1 - np.diag(point.confusion)))
    assert bare.estimate(priors=[2, 1, 1]) == pytest.approx(halves)
    given = point.estimate("cost", costs=ASKED)
    assert given == pytest.approx(float((shares[:, None] * TABLE * point.confusion).sum()))
    for quantity in ("value", "youden", "rate"):
        with pytest.raises(InvalidInput, match=f'go with the quantity "cost", got {quantity!r}'):
            point.estimate(quantity, costs=ASKED)  # type: ignore[arg-type]


def test_distance_from_chance_and_what_has_no_interval() -> None:
    surface = small()
    far = surface.choose(criterion="farthest_from_chance")
    off = far.confusion.sum() - np.trace(far.confusion)
    assert far.value == pytest.approx((off - 2) / math.sqrt(6)) == pytest.approx(far.estimate())
    coefficients = (1 - np.eye(3)) / math.sqrt(6)
    wanted = slow_interval(coefficients, -2 / math.sqrt(6), far.confusion, SIZES, 0.9)
    assert far.interval(level=0.9)[:2] == pytest.approx(wanted)
    assert far.estimate("cost") == surface.choose(criterion="total_error").estimate()
    for point, name in (
        (surface.choose(criterion="knee"), "expected marginal utility"),
        (surface.choose(objective=max), "objective"),
    ):
        with pytest.raises(NotDefined) as told:
            point.interval()
        assert str(told.value) == (
            f"The point was chosen for its {name}, which is not a weighted sum of its rates and "
            'has no interval. Ask for "rate", "sensitivity", "cost" or "youden".'
        )
        assert point.estimate("youden") == pytest.approx((np.trace(point.confusion) - 1) / 2)
        row = point.rows()[0]
        assert (row["quantity"], row["value"]) == (name, point.value)
        assert math.isnan(row["low"]) and math.isnan(row["high"])


def test_rows_of_a_point() -> None:
    point = small().choose(costs=ASKED, priors=PRIORS)
    rows = point.rows(0.8)
    pairs = [(a, b) for a in NAMES for b in NAMES if a != b]
    wanted = [("expected cost", None, None), ("youden", None, None)]
    wanted += [("sensitivity", a, None) for a in NAMES] + [("rate", a, b) for a, b in pairs]
    assert [(row["quantity"], row["truth"], row["decided"]) for row in rows] == wanted
    asked = ["value", *(name for name, _, _ in wanted[1:])]
    for name, row in zip(asked, rows, strict=True):
        named = row["truth"], row["decided"]
        assert row["value"] == point.estimate(name, *named)  # type: ignore[arg-type]
        limits = point.interval(name, *named, level=0.8)  # type: ignore[arg-type]
        assert (row["low"], row["high"]) == limits[:2]
        assert list(row) == ["quantity", "truth", "decided", "value", "low", "high"]
    assert point.rows()[0]["high"] == point.interval().high
    frame = point.frame(0.8)
    assert list(frame.columns) == ["quantity", "truth", "decided", "value", "low", "high"]
    assert frame["low"].tolist() == [row["low"] for row in rows]
    assert point.frame()["low"][0] == point.interval().low


def test_the_costs_of_a_point_by_name() -> None:
    surface = small()
    point = surface.choose(limits={("c", "a"): 0.1})
    assert point.index == 1 and [type(cost) for cost in point.named_costs.values()] == [float] * 6
    assert point.named_costs == pytest.approx(
        {("a", "b"): 1 / 18, ("a", "c"): 2 / 18, ("b", "a"): 6 / 18,
         ("b", "c"): 1 / 18, ("c", "a"): 3 / 18, ("c", "b"): 5 / 18}
    )  # fmt: skip
    assert point.decide(P).tolist() == [NAMES[j] for j in decided_by(COSTS[1])]


def test_what_a_point_prints() -> None:
    point = small().choose(costs=ASKED, priors=PRIORS)
    assert repr(point) == (
        "expected cost = 0.5150; share of each class classified as …\n"
        "truth       a       b       c\n"
        "a      0.8333  0.0833  0.0833\n"
        "b      0.0000  0.8750  0.1250\n"
        "c      0.4000  0.0000  0.6000\n"
        "costs requested, 1 where none was given\n"
        "truth       a       b       c\n"
        "a      0.0000  5.0000  1.0000\n"
        "b      1.0000  0.0000  1.0000\n"
        "c      2.0000  1.0000  0.0000"
    )
    part = repr(replace(point, costs_asked=None, cost_share=0.123456)).splitlines()
    assert len(part) == 6 and part[-1] == "cost_bounds leave 12.3 % of the cost space"
    assert repr(replace(point, cost_share=0.5)).endswith(
        "\ncost_bounds leave 50 % of the cost space"
    )
    assert repr(replace(point, criterion="expected marginal utility", value=0.0123456)).startswith(
        "expected marginal utility = 0.0123; share"
    )


def test_a_point_by_itself_has_no_costs_asked_and_no_bounds() -> None:
    surface = small()
    point = SurfacePoint(
        2, surface.confusion[2], surface.costs[2], np.zeros(0), NAMES, "total error", 0.25, surface
    )
    assert (point.costs_asked, point.priors, point.cost_share) == (None, None, 1.0)
    assert repr(point).splitlines()[-1] == "c      0.8000  0.0000  0.2000"
    assert point.decide(P).tolist() == [NAMES[j] for j in decided_by(COSTS[2])]


def test_the_cost_that_probabilities_promise() -> None:
    surface = small(WEIGHTS)
    for wish, table in (({"costs": ASKED}, TABLE), ({"criterion": "total_error"}, 1 - np.eye(3))):
        point = surface.choose(**wish)  # type: ignore[arg-type]
        decided = np.array(decided_by(COSTS[point.index]))
        share = WEIGHTS / WEIGHTS.sum()
        found = point.cost_calibration()
        promised = float(share @ (P * table.T[decided]).sum(axis=1))
        assert found.expected == pytest.approx(promised, rel=1e-12)
        assert found.observed == pytest.approx(sum(share * table[CODES, decided]))
        assert found.standard_error > 0
        assert point.notes == (found.note(0.001),)
    plain = small().choose(criterion="total_error")
    same = cost_calibration(Y, P)
    assert plain.cost_calibration().p_value == pytest.approx(same.p_value)


def test_probabilities_that_are_clearly_off_are_told() -> None:
    """Below 1 in 1,000, since the point was chosen on these cases; the usual 5 % are no reason."""
    costs = np.array([[[0, 1.0], [1, 0]]])
    table = np.tile([0.6, 0.4], (100, 1))  # all are decided as 0, at an expected cost of .4
    for wrong, off in ((50, False), (56, False), (57, True), (60, True)):
        y = np.repeat([0, 1], [100 - wrong, wrong])
        point = small(costs=costs, y=y, p=table).choose(costs={(0, 1): 1})
        found = point.cost_calibration()
        assert (found.p_value < 0.001) == off and (off or found.p_value < 0.05)
        assert wrong != 56 or found.p_value < 0.002
        (note,) = point.notes
        assert note.code == ("miscalibrated-costs" if off else "cost-calibration")
        last = repr(point).splitlines()[-1]
        assert last.startswith("the probabilities are off: ") == off
        if off:
            assert last == f"the probabilities are off: {found}"
        unasked = replace(point, costs_asked=None)
        assert "off" not in repr(unasked) and unasked.notes == (note,)


def test_points_without_cases_or_of_groups() -> None:
    surface = small()
    bare = replace(surface, model=None).choose(costs=ASKED)
    assert bare.notes == () and "off" not in repr(bare)
    assert math.isnan(bare.interval().low) and bare.estimate() == pytest.approx(bare.value)
    unlabelled = replace(surface, model=surface.model.at(P)).choose(costs=ASKED)  # type: ignore
    assert unlabelled.notes == () and math.isnan(unlabelled.interval().high)
    for point in (bare, unlabelled):
        with pytest.raises(NotDefined, match="does not have its cases, as from a file"):
            point.cost_calibration()
    grouped = ScoreModel(Predictions(Y, P, groups=np.arange(25) // 2))
    of_groups = replace(surface, model=grouped).choose(costs=ASKED)
    assert math.isnan(of_groups.interval().low)
    assert math.isnan(of_groups.cost_calibration().p_value)
    assert [note.code for note in of_groups.notes] == ["cost-calibration"]


# Limits


def test_limits_are_rates_of_errors() -> None:
    assert checked_limits(None, NAMES) == {} == checked_limits({}, NAMES)
    found = checked_limits({("c", "a"): 0, ("a", "b"): np.float64(0.25), ("b", "c"): 1}, NAMES)
    assert found == {(2, 0): 0.0, (0, 1): 0.25, (1, 2): 1.0}
    assert all(type(limit) is float for limit in found.values())
    with pytest.raises(InvalidType, match=r"map \(truth, decided\) to a rate, got 0\.1"):
        checked_limits(0.1, NAMES)  # type: ignore[arg-type]
    for wrong in (-0.001, 1.001, math.nan, "half", True):
        with pytest.raises(InvalidInput, match=r"\('a', 'b'\) must be a rate from 0 to 1"):
            checked_limits({("a", "b"): wrong}, NAMES)  # type: ignore[dict-item]


def test_the_upper_bound_is_the_rate_at_which_so_few_errors_are_rare() -> None:
    for count, n, confidence in ((0, 20, 0.95), (3, 20, 0.9), (19, 20, 0.5)):
        bound = upper_bound(count, n, confidence)
        chance = sum(math.comb(n, k) * bound**k * (1 - bound) ** (n - k) for k in range(count + 1))
        assert chance == pytest.approx(1 - confidence)
    assert upper_bound(20, 20, 0.9) == upper_bound(21, 20, 0.9) == 1


def test_each_limit_is_held_on_the_cases_of_its_class() -> None:
    sizes = np.array([200.0, 50.0, 80.0])
    limits = {(0, 1): 0.1, (1, 2): 0.2, (2, 0): 1.0}
    for confidence in (0.9, 0.99):
        held = held_limits(limits, confidence, sizes, NAMES)
        each = 1 - (1 - confidence) / 3
        assert list(held) == list(limits) and held[2, 0] == 1
        for pair in ((0, 1), (1, 2)):
            n = sizes[pair[0]]
            assert 0 < held[pair] < limits[pair]
            assert upper_bound(n * held[pair], n, each) == pytest.approx(limits[pair], abs=1e-12)
    assert held_limits({}, 0.9, sizes, NAMES) == {}
    given = {(0, 1): 0.3}
    copy = held_limits(given, None, sizes, NAMES)
    assert copy == given and copy is not given
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
        held_limits(limits, 1.0, sizes, NAMES)


def test_limits_that_no_rate_can_hold_say_how_many_cases_it_takes() -> None:
    """(1 − .1)^n ≤ .05 from n = 29 on, and with two limits (1 − .1)^n ≤ .025 from n = 36 on."""
    for n in (29.0, 30.0):
        held = held_limits({(1, 0): 0.1}, 0.95, np.array([2.0, n]), NAMES[:2])
        assert 0 <= n * held[1, 0] < 0.1
    with pytest.raises(NotDefined) as told:
        held_limits({(1, 0): 0.1}, 0.95, np.array([900.0, 28.0]), NAMES[:2])
    assert str(told.value) == (
        "The limit 0.1 on 'b' decided as 'a' cannot be held with confidence 0.95: of 28 cases of "
        "'b' even no error is not enough, it takes 29 cases. Allow more, or ask for less "
        "confidence."
    )
    with pytest.raises(NotDefined, match=r"confidence 0\.975: of 35 .* it takes 36 cases"):
        held_limits({(1, 0): 0.1, (0, 1): 0.1}, 0.95, np.array([900.0, 35.0]), NAMES[:2])
    with pytest.raises(NotDefined, match="no number of cases is enough"):
        held_limits({(0, 1): 0.0}, 0.5, np.array([1e6, 1e6]), NAMES[:2])
