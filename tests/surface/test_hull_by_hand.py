"""Random rules, objectives and rates on a few points and cases, each by a plain loop."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta
from surface.few_cases import CODES, COSTS, WEIGHTS, P, decided_by, small

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.surface import RocSurface, ScoreModel, _rates, cost_by_share, risk_coverage
from polyroc.surface._cases import cases_of
from polyroc.surface._cost_space import Bound, CostSpace
from polyroc.surface._costs import errors
from polyroc.surface._hull import RandomisedRule, SurfaceHull, _combination, lower_hull
from polyroc.surface._knees_of_two import _best_at, _envelope, _first_moment, _mass, two_classes
from polyroc.surface._objectives import (
    _number,
    checked_objectives,
    function_values,
    highest_values,
    objective_names,
    objective_values,
    on_front,
    searched,
)
from polyroc.surface._point_certainty import Linear
from polyroc.surface._rates import error_rates, model_probabilities, sharing_parameters, shown_shape
from polyroc.surface._referral import ReferralCosts, Referrals


def made(rates: Any, weights: Any = (5.0, 5.0)) -> RocSurface:
    """A surface of two classes with these rates."""
    table = np.array(rates, dtype=float)
    costs = np.tile([[0.0, 0.5], [0.5, 0.0]], (len(table), 1, 1))
    return RocSurface(table, costs, np.zeros((len(table), 0)), ("no", "yes"), np.array(weights))


CURVE = [[0, 1], [0.1, 0.6], [0.3, 0.5], [0.4, 0.1], [1, 0]]


# The hull


def test_vertices_keep_their_surface_and_position() -> None:
    one, two = made([[0.5, 0.5], [0.2, 0.4]]), made([[0.3, 0.9], [0.4, 0.1], [0.2, 0.4]])
    hull = one.hull(two)
    assert (hull.origin.tolist(), hull.indices.tolist()) == ([0, 1], [1, 1])
    assert hull.rates.tolist() == [[0.2, 0.4], [0.4, 0.1]]
    assert hull.surfaces == (one, two) and len(hull) == 2 and hull.classes == ("no", "yes")
    assert repr(hull) == "SurfaceHull(2 of 5 operating points)"
    assert hull.indices.dtype == np.int64 and lower_hull(np.zeros((0, 2))).tolist() == []
    other = replace(one, classes=("yes", "no"))
    with pytest.raises(InvalidInput) as told:
        one.hull(other)
    assert "'no'" in str(told.value).partition(" and ")[0]
    assert "Combine surfaces of the same classes in the same order." in str(told.value)
    with pytest.raises(InvalidType, match="Expected a RocSurface, got 'two'"):
        one.hull("two")  # type: ignore[arg-type]


def test_points_within_rounding_of_the_hull_are_above_it() -> None:
    for below, kept in ((1e-10, [0, 1]), (1e-8, [0, 1, 2])):
        points = np.array([[0.1, 0.4], [0.4, 0.25], [0.25 - below, 0.325 - below]])
        assert set(lower_hull(points).tolist()) >= {0, 1}
        assert (2 in lower_hull(points)) == (2 in kept)
        hull = made(points[:2]).hull()
        if below > 1e-9:
            with pytest.raises(NotDefined, match=r"rates .*they lie below the convex hul"):
                hull.reach(points[2])
        else:
            assert hull.reach(points[2]).probabilities == pytest.approx([0.5, 0.5])


def test_rates_that_are_reached() -> None:
    hull = made(CURVE).hull()
    assert hull.indices.tolist() == [0, 1, 3, 4]
    for share in (0.0, 0.125, 0.5, 1.0):
        wanted = share * hull.rates[1] + (1 - share) * hull.rates[2]
        rule = hull.reach(wanted.tolist())
        assert rule.rates == pytest.approx(wanted) and np.isnan(rule.value)
        assert dict(zip(rule.indices.tolist(), rule.probabilities.tolist(), strict=True)) == (
            pytest.approx({1: share, 3: 1 - share} if 0 < share < 1 else {1 if share else 3: 1})
        )
        assert rule.origin.tolist() == [0] * len(rule.indices) and rule.surfaces == hull.surfaces
    above = hull.reach([0.5, 0.5])
    assert (above.rates <= 0.5 + 1e-12).all() and above.probabilities.sum() == pytest.approx(1)
    for wrong, shape in (([0.5], r"\(1,\)"), ([[0.5, 0.5]], r"\(1, 2\)")):
        with pytest.raises(InvalidInput, match=f"must be the 2 error rates of .* shape {shape}"):
            hull.reach(wrong)


def test_weights_of_vertices_and_what_is_missing() -> None:
    vertices = np.array([[0.25, 0.5, 0.1], [0.5, 0.25, 0.2]])
    shares, gap = _combination(vertices, np.array([0.375, 0.375, 0.9]))
    assert shares == pytest.approx([0.5, 0.5]) and gap == pytest.approx(np.zeros(3), abs=1e-12)
    shares, gap = _combination(vertices, np.array([0.25, 0.5, 0.05]))
    assert shares.sum() == pytest.approx(1) and gap[2] < -0.01 and gap.shape == (3,)


def test_the_cheapest_combination_within_limits() -> None:
    """With priors ¾ and ¼ and costs 1 and 4 each rate counts ¾ and 1."""
    surface = made(CURVE, (15.0, 5.0))
    hull = surface.hull()
    costs = {("no", "yes"): 1, ("yes", "no"): 4}
    paid = [0.75 * a + b for a, b in CURVE]
    free = hull.best(costs=costs)
    assert free.indices.tolist() == [int(np.argmin(paid))] and free.value == pytest.approx(
        min(paid)
    )
    assert free.probabilities.tolist() == [1] and free.rates == pytest.approx(CURVE[3])
    even = hull.best(costs=costs, priors=[0.5, 0.5])
    assert even.value == pytest.approx(0.5 * 0.4 + 2 * 0.1)
    for limit, share in ((0.4, 1.0), (0.25, 0.5), (0.1, 0.0)):
        rule = hull.best(costs=costs, limits={("no", "yes"): limit})
        wanted = share * paid[3] + (1 - share) * paid[1]
        assert rule.value == pytest.approx(wanted) and rule.rates[0] == pytest.approx(limit)
        found = dict(zip(rule.indices.tolist(), rule.probabilities.tolist(), strict=True))
        assert found.get(3, 0) == pytest.approx(share) and found.get(1, 0) == pytest.approx(
            1 - share
        )
    other = hull.best(costs=costs, limits={("yes", "no"): 0.05, ("no", "yes"): 0.8})
    assert other.rates == pytest.approx([0.7, 0.05])
    with pytest.raises(NotDefined) as told:
        hull.best(costs=costs, limits={("no", "yes"): 0.1, ("yes", "no"): 0.1})
    assert str(told.value) == (
        "No combination of these classifiers meets the limits {('no', 'yes'): 0.1, ('yes', 'no'): "
        "0.1}. Allow more."
    )


def test_limits_of_three_classes_are_on_their_own_rates() -> None:
    surface = small()
    hull = surface.hull()
    tables = surface.confusion[hull.indices]
    costs = np.array([[0, 1, 2], [3, 0, 1], [2, 4, 0.0]])
    priors = np.array([12, 8, 5]) / 25
    paid = [(priors[:, None] * costs * table).sum() for table in tables]
    assert hull.best(costs=costs).value == pytest.approx(min(paid))
    least = min(tables[:, 2, 0])
    rule = hull.best(costs=costs, limits={("c", "a"): (least + max(tables[:, 2, 0])) / 2})
    mixed = np.tensordot(rule.probabilities, surface.confusion[rule.indices], 1)
    assert errors(mixed) == pytest.approx(rule.rates)
    assert rule.value == pytest.approx((priors[:, None] * costs * mixed).sum())
    assert mixed[2, 0] <= (least + max(tables[:, 2, 0])) / 2 + 1e-9


def test_each_case_is_decided_by_one_of_the_points() -> None:
    surface = small()
    rule = RandomisedRule(
        (surface, surface), np.array([0, 1]), np.array([1, 2]), np.array([0.25, 0.75]),
        np.zeros(6), 0.0,
    )  # fmt: skip
    ways = [surface.decide(P, 1), surface.decide(P, 2)]
    drawn = np.random.default_rng(3).choice(2, size=25, p=[0.25, 0.75])
    wanted = [str(ways[each][i]) for i, each in enumerate(drawn)]
    assert rule.decide(P, rng=3).tolist() == wanted
    assert set(drawn) == {0, 1} and ways[0].tolist() != ways[1].tolist()
    assert repr(rule) == "RandomisedRule(2 operating points with probabilities 0.25, 0.75)"
    one = replace(rule, origin=np.array([1]), indices=np.array([0]), probabilities=np.ones(1))
    assert repr(one) == "RandomisedRule(1 operating point with probability 1)"
    assert one.decide(P).tolist() == surface.decide(P, 0).tolist()


def test_shares_that_are_rounding_are_left_out() -> None:
    surface = made(CURVE)
    hull = SurfaceHull(
        (surface,), np.zeros(3, int), np.array([0, 1, 3]), np.array(CURVE)[[0, 1, 3]]
    )
    rule = hull._rule(np.array([1e-13, 0.3, 0.6]), 0.5)
    assert rule.indices.tolist() == [1, 3] and rule.value == 0.5
    assert rule.probabilities == pytest.approx([1 / 3, 2 / 3])
    assert rule.rates == pytest.approx([(0.1 + 0.8) / 3, (0.6 + 0.2) / 3])
    assert len(hull._rule(np.array([1e-11, 0.4, 0.6]), 0.5).indices) == 3


def test_how_far_below_the_hull_is_outside() -> None:
    """The length of all that is missing counts, up to 10⁻⁹."""
    hull = made([[0.1, 0.4], [0.4, 0.25]]).hull()
    middle = np.array([0.25, 0.325])
    _, gap = _combination(hull.rates, middle - 1e-5)
    scale = 1e-5 / np.linalg.norm(gap)
    assert len(hull.reach(middle - 0.8e-9 * scale).indices) == 2
    for times in (1.2, 1.6):
        with pytest.raises(NotDefined, match="they lie below the convex hull"):
            hull.reach(middle - times * 1e-9 * scale)
    exact = made([[0, 1], [0.1, 0.7], [0.3, 0.6], [1, 0]]).hull()  # not the nearest float32
    assert exact.reach([0.1, 0.7]).indices.tolist() == [1]
    far = made([[0.1, 0.7], [0.4, 0.25]]).hull()
    with pytest.raises(NotDefined, match="they lie below"):
        far.reach([0, 0])


def test_results_are_told_apart_by_what_they_are_not_by_their_arrays() -> None:
    """Arrays have no single answer to whether they are equal; results can be kept in sets."""
    surface, p = small(), P
    hull = surface.hull()
    costs = ReferralCosts(1 - np.eye(3), np.zeros(3))
    for each in (
        hull,
        hull.best(costs=1 - np.eye(3)),
        surface.choose(criterion="total_error"),
        surface.choose(criterion="total_error", reject_at_most=0.1),
        Linear(np.eye(2)),
        Referrals.of(p, CODES, WEIGHTS, costs),
        cost_by_share(surface.decide(p, 0), p, vary="a", shares=[0.5]),
        risk_coverage(surface.decide(p, 0), p),
    ):
        assert len({each, each, replace(each)}) == 2  # type: ignore[type-var]
        assert each == each and each != replace(each)  # type: ignore[type-var]


# Knees of two classes


@pytest.mark.parametrize("bounds", [(), (Bound(0, None, 0.2, 0.7),)])
@pytest.mark.parametrize("alpha", [(1.0, 1.0), (3.0, 0.7)])
def test_shares_and_utilities_by_quadrature(alpha: Any, bounds: Any) -> None:
    points = np.array([*CURVE, [0.05, 0.85]])
    space = CostSpace(np.array(alpha), bounds)
    shares, share_errors, utilities, utility_errors = two_classes(points, space)
    low, high = (0.2, 0.7) if bounds else (0.0, 1.0)
    steps = np.linspace(*beta.cdf([low, high], *alpha), 40_001)
    t = beta.ppf((steps[1:] + steps[:-1]) / 2, *alpha)
    costs = np.outer(t, points[:, 0]) + np.outer(1 - t, points[:, 1])
    best = costs.argmin(axis=1)
    for point in range(len(points)):
        gain = np.maximum(0, np.delete(costs, point, axis=1).min(axis=1) - costs[:, point])
        assert shares[point] == pytest.approx((best == point).mean(), abs=1e-4)
        assert utilities[point] == pytest.approx(gain.mean(), abs=1e-6)
    assert not share_errors.any() and not utility_errors.any()
    assert shares.sum() == pytest.approx(1)


def test_the_envelope_of_lines() -> None:
    """(0, 1) and (.4, .1) meet where .4 t + .1 (1 − t) = 1 − t, and so on."""
    points = np.array([[0.4, 0.1], [0.0, 1.0], [1.0, 0.0], [0.5, 0.6]])
    ends = [0.1 / 0.7, 0.9 / 1.3]
    for low, high, wanted in (
        (0.0, 1.0, [(2, 0, ends[0]), (0, ends[0], ends[1]), (1, ends[1], 1)]),
        (0.3, 0.5, [(0, 0.3, 0.5)]),
        (0.05, 0.3, [(2, 0.05, ends[0]), (0, ends[0], 0.3)]),
    ):
        found = _envelope(points, low, high)
        assert [piece[0] for piece in found] == [piece[0] for piece in wanted]
        assert [piece[1:] for piece in found] == [pytest.approx(piece[1:]) for piece in wanted]
        assert all(one[2] == two[1] for one, two in pairwise(found))
    assert _envelope(points[:1], 0, 1) == [(0, 0, 1)]
    assert _best_at(points, 0.0) == 2 and _best_at(points, 1.0) == 1
    tied = np.array([[0.5, 0.25], [0.25, 0.5]])
    assert _best_at(tied, 0.5) == 1  # it stays the best as t grows
    three = np.array([[0.5, 0.0], [0.25, 0.25], [0.0, 0.5]])  # all meet at a half
    assert [(p, a, b) for p, a, b in _envelope(three, 0, 1) if b > a] == [(0, 0, 0.5), (2, 0.5, 1)]
    assert _envelope(three, 0, 0.5) == [(0, 0, 0.5)] and _envelope(three, 0.5, 1) == [(2, 0.5, 1)]


def test_a_single_point_is_best_for_all_and_saves_nothing() -> None:
    found = two_classes(np.array([[0.2, 0.3]]), CostSpace(np.ones(2)))
    assert found.tolist() == [[1], [0], [0], [0]]
    space = CostSpace(np.array([2.0, 3.0]))
    assert _mass(space, 0.2, 0.7) == pytest.approx(np.diff(beta.cdf([0.2, 0.7], 2, 3))[0])
    t = np.linspace(0.2, 0.7, 20_001)
    middle = (t[1:] + t[:-1]) / 2
    moment = (middle * beta.pdf(middle, 2, 3)).sum() * (t[1] - t[0])
    assert _first_moment(space, 0.2, 0.7) == pytest.approx(moment, abs=1e-8)


# Objectives


def total(rates: np.ndarray) -> float:
    return float(sum(rates))


class Worst:
    """A function without a name of its own."""

    def __call__(self, rates: np.ndarray) -> float:
        return float(max(rates))


def test_objectives_as_they_are_given() -> None:
    for name in ("pairs", "errors_of", "errors_into"):
        assert checked_objectives(name) == name == objective_names(checked_objectives(name))
    worst = Worst()
    assert checked_objectives(total) == (total,)
    assert checked_objectives([total, "errors_of"]) == (total, "errors_of")
    assert checked_objectives(("pairs",)) == ("pairs",)
    assert objective_names((total, "errors_of", worst, max)) == [
        "total",
        "errors_of",
        "Worst",
        "max",
    ]
    for wrong in ("all", None, 3, {"pairs"}):
        with pytest.raises(InvalidInput, match="objectives must be"):
            checked_objectives(wrong)
    for wrong in ([total, "all"], [3]):
        with pytest.raises(InvalidInput, match="objectives must be"):
            checked_objectives(wrong)
    with pytest.raises(InvalidInput, match=r"objectives are empty: .* Name at least one\."):
        checked_objectives(())


def test_what_a_search_keeps_beside_functions() -> None:
    assert searched("errors_of") == "errors_of"
    assert searched(("errors_of", "pairs")) == ("errors_of", "pairs")
    assert searched((total,)) == ("pairs", total)
    assert searched((total, "pairs", "errors_of")) == ("pairs", total, "errors_of")
    highest = highest_values(("errors_of", total, "pairs"), 3)
    assert highest.tolist() == [2, 2, 2, np.inf, 1, 1, 1, 1, 1, 1]
    assert highest_values("errors_into", 4).tolist() == [3] * 4
    assert highest_values("pairs", 2).tolist() == [1, 1]


def test_values_of_objectives() -> None:
    rates = np.random.default_rng(0).random((4, 6))
    assert objective_values(rates, 3, "pairs") is rates
    of, into = objective_values(rates, 3, "errors_of"), objective_values(rates, 3, "errors_into")
    for row, own, ends in zip(rates, of, into, strict=True):
        assert own == pytest.approx([row[0] + row[1], row[2] + row[3], row[4] + row[5]])
        assert ends == pytest.approx([row[2] + row[4], row[0] + row[5], row[1] + row[3]])
    both = objective_values(rates, 3, ("errors_into", total))
    assert both.shape == (4, 4) and (both[:, :3] == into).all()
    assert both[:, 3] == pytest.approx(rates.sum(axis=1))


def test_functions_of_the_rates_of_a_point_or_of_all() -> None:
    rates = np.array([[0.1, 0.4], [0.3, 0.2], [0.0, 0.5]])
    assert function_values(rates, max).tolist() == [0.4, 0.3, 0.5]
    assert function_values(rates, lambda row: np.array(row[0])).tolist() == [0.1, 0.3, 0.0]
    assert function_values(rates, lambda row: np.float32(0.5)).tolist() == [0.5] * 3
    assert function_values(rates, lambda table: table[:, 1] + 1).tolist() == [1.4, 1.2, 1.5]
    assert function_values(rates[:0], max).tolist() == []
    whole = function_values(rates, lambda table: (table[:, 1] > 0.3).astype(int))
    assert whole.tolist() == [1, 0, 1] and whole.dtype == np.float64

    def careless(row: np.ndarray) -> float:
        row *= 0
        return 1.0

    function_values(rates, careless)
    function_values(rates, lambda table: table[:, 1].__imul__(0) + table[:, 0])
    assert rates.tolist() == [[0.1, 0.4], [0.3, 0.2], [0.0, 0.5]]
    with pytest.raises(InvalidType, match="must be a function of rates, got 'max'"):
        function_values(rates, "max")  # type: ignore[arg-type]


def test_functions_that_fail_are_named() -> None:
    rates = np.array([[0.1, 0.4], [0.3, 0.2], [0.0, 0.5]])

    def broken(row: np.ndarray) -> float:
        raise ValueError("no rates today")

    with pytest.raises(InvalidInput) as told:
        function_values(rates, broken)
    assert "broken failed for the 2 rates of a point (" in str(told.value)
    assert "no rates today). It takes an array of these and gives a number." in str(told.value)
    for wrong in (
        lambda table: table[:, :1],
        lambda table: table[:, 0][:2],
        lambda table: table[:, 0] * np.nan,
        lambda table: table[:, 0].sum(),
    ):
        with pytest.raises(InvalidInput, match="of 3 points must give as many finite numbers, got"):
            function_values(rates, wrong)
    for wrong in (
        lambda row: np.nan, lambda row: "0", lambda row: np.array([0.5]), lambda row: None,
        lambda row: True, lambda row: np.inf if row[0] == 0 else 1.0,
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match="must give a finite number for the rates of a poi"):
            function_values(rates, wrong)
    assert _number(np.array(2)) == 2 and type(_number(3)) is float


def test_points_that_no_other_dominates() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, 4, (40, 3)) / 4
    found = on_front(values)
    for i, own in enumerate(values):
        better = any((o <= own).all() and (o < own).any() for o in values)
        twin = any((values[j] == own).all() for j in range(i))
        assert found[i] == (not better and not twin)
    close = np.array([[0.5, 0.5 + 1e-10], [0.5, 0.5], [0.5 - 1e-10, 0.6]])
    assert on_front(close).tolist() == [False, True, True]
    assert on_front(np.asfortranarray(close)).tolist() == [False, True, True]


# Rates


def test_threads_are_used_above_a_number_of_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = cases_of(CODES, sample_weight=WEIGHTS)
    costs = errors(np.tile(COSTS, (3, 1, 1)))
    used: list[int] = []

    def noted(function: Any, parts: Any, threads: int) -> None:
        used.append(threads)
        covered = [i for part in parts for i in range(9)[part]]
        assert covered == list(range(9)) and len(parts) == threads
        for part in parts:
            function(part)

    monkeypatch.setattr(_rates, "map_threads", noted)
    wanted = error_rates(P, cases, costs, 2)
    assert used == []
    for limit, threads in ((9 * 25, []), (9 * 25 - 1, [2])):
        monkeypatch.setattr(_rates, "_WORTH_A_THREAD", limit)
        assert (error_rates(P, cases, costs, 2) == wanted).all() and used == threads
    for row, table in zip(wanted, np.tile(COSTS, (3, 1, 1)), strict=True):
        counted = np.zeros((3, 3))
        np.add.at(counted, (CODES, decided_by(table)), WEIGHTS)
        assert row == pytest.approx(errors(counted / counted.sum(axis=1, keepdims=True)), abs=1e-11)
    assert ((wanted * 2.0**40) % 1 == 0).all()
    whole = error_rates(P, cases_of(CODES), costs)
    assert {round(12 * rate, 9) % 1 for rate in whole[:, :2].ravel()} == {0.0}
    assert (whole[:, 0] == np.round(12 * whole[:, 0]) / 12).all()


def test_members_that_share_their_parameters() -> None:
    parameters = np.array([[1.0, 2], [0, 5], [1, 2], [0, 4], [0, 5], [1, 2]])
    found = [rows.tolist() for rows in sharing_parameters(parameters)]
    assert found == [[3], [1, 4], [0, 2, 5]]
    assert [rows.tolist() for rows in sharing_parameters(np.zeros((3, 0)))] == [[0, 1, 2]]
    assert sharing_parameters(np.zeros((0, 2))) == [] == sharing_parameters(np.zeros((0, 0)))


def test_probabilities_of_a_model_are_checked() -> None:
    class Given(ScoreModel):
        answer: Any = None

        def probabilities(self, parameters: Any) -> Any:
            return self.answer

    model = Given(np.array(["a", "b", "c"])[CODES], P)
    model.answer = np.asfortranarray(P.astype(np.float32))
    found = model_probabilities(model, np.zeros(0))
    assert found.dtype == np.float64 and found.flags.c_contiguous
    assert found == pytest.approx(P, abs=1e-6)
    for answer, says in (
        (
            P[1:],
            "Given gave an array of the shape (24, 3) instead of an array of the shape (25, 3)",
        ),
        (P[:, :2], "gave an array of the shape (25, 2) instead"),
        (P.tolist(), "gave a list instead of an array of the shape (25, 3): a row per case, a"),
    ):
        model.answer = answer
        with pytest.raises(InvalidInput) as told:
            model_probabilities(model, np.zeros(0))
        assert says in str(told.value)
    for wrong in (np.nan, np.inf):
        model.answer = P.copy()
        model.answer[24, 2] = wrong
        with pytest.raises(InvalidInput) as told:
            model_probabilities(model, np.array([0.5, 2.0]))
        assert "gave a number that is not finite, for the parameters [0.5, 2.0]." in str(told.value)
    assert shown_shape(None) == "a NoneType"
