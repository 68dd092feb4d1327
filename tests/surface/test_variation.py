"""How a search varies costs and parameters: each draw repeated, each step recounted."""

import itertools
import math
import warnings
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from surface.few_cases import CODES, WEIGHTS, P, Y

from polyroc.errors import InvalidInput
from polyroc.surface import ScoreModel, SearchStrategy, _thresholds
from polyroc.surface._archive import Archive
from polyroc.surface._cases import cases_of
from polyroc.surface._cost_space import Bound, CostSpace
from polyroc.surface._costs import least_cost, matrices
from polyroc.surface._objectives import on_front
from polyroc.surface._strategies import Variation, checked_strategy
from polyroc.surface._thresholds import _roc_points, between_thresholds, first_thresholds

ONES = np.ones(6)
BOUNDS = (Bound(0, None, 0.2, 0.4), Bound(3, 5, 0.5, math.inf))


def variation(
    strategy: Any = "inherit", alpha: np.ndarray = ONES, focused: bool = False, bounds: Any = ()
) -> Variation:
    return Variation(strategy, alpha, focused, CostSpace(alpha, bounds))


def archive() -> Archive:
    """Five members that do not dominate each other, with costs of their own."""
    rng = np.random.default_rng(2)
    made = Archive(3, 0, "pairs")
    made.insert(
        rng.permuted(np.tile(np.arange(6) / 8, (5, 1)), axis=1), rng.dirichlet(ONES, 5), ONES[:0]
    )
    assert made.size == 5
    return made


# Strategies


def test_strategies_by_name_and_as_they_are() -> None:
    assert SearchStrategy() == SearchStrategy("inherit", "pqrs") == checked_strategy("inherit")
    assert checked_strategy("paper") == SearchStrategy(costs="paper", selection="pqrs")
    own = SearchStrategy(selection="uniform")
    assert checked_strategy(own) is own and own.costs == "inherit" and hash(own) is not None
    with pytest.raises(FrozenInstanceError):
        own.costs = "paper"  # type: ignore[misc]
    with pytest.raises(InvalidInput, match="costs must be"):
        SearchStrategy(costs="uniform")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="selection must be"):
        SearchStrategy(selection="paper")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="strategy must be"):
        checked_strategy("pqrs")


def test_costs_are_divided_between_children() -> None:
    for number, parts in ((100, [50, 50]), (3, [1, 2]), (2, [1, 1]), (1, [1]), (7, [3, 4])):
        assert variation().costs_per_child(number) == parts
        assert variation("paper").costs_per_child(number) == [number]


def test_thresholds_begin_only_what_inherits_and_has_no_focus() -> None:
    assert variation().steps_at_start and variation(bounds=BOUNDS).steps_at_start
    assert not variation("paper").steps_at_start
    assert not variation(focused=True).steps_at_start
    assert not variation("paper", focused=True).steps_at_start


class Noted:
    """A model that notes how far its parameters are to move."""

    def perturb(self, parent: Any, rng: np.random.Generator, scale: float) -> Any:
        return parent, type(scale), scale, rng


def test_parameters_move_by_one_scale_or_by_many() -> None:
    """From a tenth of the model's noise to three times it, evenly on the log scale."""
    model: Any = Noted()
    rng, parent = np.random.default_rng(0), np.zeros(2)
    found: Any = variation("paper").parameters(model, parent, rng)
    assert found == (parent, float, 1.0, rng)
    assert rng.random() == np.random.default_rng(0).random()  # nothing was drawn
    again = np.random.default_rng(5)
    rng = np.random.default_rng(5)
    for _ in range(20):
        _, kind, scale, _ = variation().parameters(model, parent, rng)  # type: ignore[misc]
        assert kind is float and 0.1 <= scale <= 3
        assert math.log(scale / 0.1) / math.log(30) == pytest.approx(again.random())


def test_fresh_costs_are_draws_from_their_space() -> None:
    alpha = np.array([1.0, 2, 3, 4, 5, 6])
    for strategy in ("paper", "inherit"):
        own = variation(strategy, alpha)
        found = own.fresh(4, np.random.default_rng(3))
        assert (found == np.random.default_rng(3).dirichlet(alpha, 4)).all()
    paper = variation("paper", alpha).costs(archive(), 0, P, 7, np.random.default_rng(3))
    assert (paper == np.random.default_rng(3).dirichlet(alpha, 7)).all()


@pytest.mark.parametrize("number", [1, 10, 50])
def test_most_costs_descend_from_those_of_members(number: int) -> None:
    """Nine in ten are inherited, half of them from the parent; three in ten of these are steps."""
    members, parent = archive(), 2
    found = variation().costs(members, parent, P, number, np.random.default_rng(9))
    rng = np.random.default_rng(9)
    inherited = rng.binomial(number, 0.9)
    whose = rng.integers(5, size=inherited).tolist()
    whose = [parent if i < round(inherited / 2) else each for i, each in enumerate(whose)]
    steps = round(0.3 * inherited)
    entry = int(rng.integers(6))
    options = between_thresholds(members.costs[parent], entry, P)
    stepped = options[rng.permutation(len(options))[:steps]]
    factors = 0.3 * (1 / 0.3) ** rng.random(inherited - steps)
    normal = rng.standard_normal((inherited - steps, 6))
    varied = []
    for place, row in enumerate(whose[steps:]):
        after = [
            cost * math.exp(factors[place] * z)
            for cost, z in zip(members.costs[row], normal[place], strict=True)
        ]
        varied.append([each / sum(after) for each in after])
    fresh = rng.dirichlet(ONES, number - inherited)
    assert found.shape == (number, 6)
    assert len(stepped) == steps
    assert found[:steps].tolist() == stepped.tolist()
    assert found[steps:inherited] == pytest.approx(np.array(varied).reshape(-1, 6))
    assert found[inherited:].tolist() == fresh.tolist()


def test_few_thresholds_leave_more_to_fresh_costs() -> None:
    sure = np.eye(3)[CODES]  # no cost below the largest changes a decision
    found = variation().costs(archive(), 0, sure, 40, np.random.default_rng(1))
    assert found.shape == (40, 6) and found.sum(axis=1) == pytest.approx(np.ones(40))


def test_a_step_changes_one_cost() -> None:
    before = np.array([0.15, 0.17, 0.16, 0.18, 0.19, 0.15])
    for seed in range(6):
        after = variation()._stepped(before, P, 5, np.random.default_rng(seed))
        assert after.shape == (5, 6) and after.sum(axis=1) == pytest.approx(np.ones(5))
        for row in after:
            ratio = row / before
            common = np.median(ratio)
            assert (np.abs(ratio / common - 1) > 1e-9).sum() <= 1
    assert variation()._stepped(before, P, 0, np.random.default_rng(0)).shape == (0, 6)


@pytest.mark.parametrize("focused", [False, True])
def test_costs_stay_within_bounds(focused: bool) -> None:
    own = variation(alpha=ONES * 1.5, focused=focused, bounds=BOUNDS)
    rng = np.random.default_rng(0)
    inside = own.fresh(30, rng)
    varied = own._varied(inside, rng)
    stepped = own._stepped(inside[0], P, 12, rng)
    for costs in (inside, varied, stepped):
        assert own.space.contains(costs).all() and costs.sum(axis=1) == pytest.approx(1)
    assert not (varied == inside).all(axis=1).any() and 5 < len(stepped) <= 12


def test_what_leaves_the_bounds_ends_on_the_way_there() -> None:
    own = variation(bounds=BOUNDS)
    rng = np.random.default_rng(0)
    before, out = own.fresh(2, rng), np.array([[0.9, 0.02, 0.02, 0.02, 0.02, 0.02]] * 2)
    draws = np.random.default_rng(6).random(2)
    found = own._within_bounds(before, out, np.random.default_rng(6))
    assert (found == own.space.pulled(before, out, draws)).all() and not (found == out).any()
    free = variation()
    rng = np.random.default_rng(6)
    assert free._within_bounds(before, out, rng) is out
    assert rng.random() == draws[0]  # nothing was drawn


def test_steps_out_of_focus_are_taken_with_the_ratio_of_densities() -> None:
    """∏ (after / before)^(α − 1), against a draw for each; the others are drawn afresh."""
    alpha = np.array([3.0, 1, 1, 1, 2, 1])
    own = variation(alpha=alpha, focused=True)
    rng = np.random.default_rng(8)
    before, after = rng.dirichlet(ONES, 40), rng.dirichlet(ONES, 40)
    found = own._kept_in_focus(before, after.copy(), np.random.default_rng(1))
    rng = np.random.default_rng(1)
    draws = rng.random(40)
    kept = [
        math.log(u)
        < sum((a - 1) * math.log(y / x) for a, x, y in zip(alpha, old, new, strict=True))
        for u, old, new in zip(draws, before, after, strict=True)
    ]
    assert 5 < sum(kept) < 35
    assert (found[kept] == after[kept]).all()
    strayed = ~np.array(kept)
    assert (found[strayed] == rng.dirichlet(alpha, strayed.sum())).all()
    varied = own._varied(before, np.random.default_rng(2))
    free = variation(alpha=alpha)._varied(before, np.random.default_rng(2))
    assert (varied == free).all(axis=1).any() and not (varied == free).all()
    stepped = own._stepped(before[0], P, 9, np.random.default_rng(2))
    options = variation(alpha=alpha)._stepped(before[0], P, 9, np.random.default_rng(2))
    assert len(stepped) == 9 and not (stepped == options).all()


def test_costs_of_zero_are_no_step_of_which_the_density_is_known() -> None:
    """The logarithm of 0 is no reason for a warning: such costs are drawn afresh."""
    own = variation(alpha=ONES * 2, focused=True)
    before = np.array([[0.2, 0.2, 0.2, 0.2, 0.2, 0.0]] * 2)
    after = np.array([[0.0, 0.2, 0.2, 0.2, 0.2, 0.2], [0.2, 0.2, 0.2, 0.2, 0.2, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = own._kept_in_focus(before, after.copy(), np.random.default_rng(0))
    assert (found > 0).all() and found.sum(axis=1) == pytest.approx(np.ones(2))


# Thresholds of one cost


@pytest.mark.parametrize("entry", range(6))
def test_one_cost_between_all_values_at_which_a_decision_changes(entry: int) -> None:
    costs = np.array([0.05, 0.2, 0.15, 0.1, 0.3, 0.2])
    pairs = [(k, j) for k in range(3) for j in range(3) if j != k]
    truth, decided = pairs[entry]
    table = matrices(costs, 3)
    table[truth, decided] = 0
    critical = set()
    for row in P:
        paid = [sum(row[k] * table[k, j] for k in range(3)) for j in range(3)]
        rival = min(paid[j] for j in range(3) if j != decided)
        if rival > paid[decided]:
            critical.add(round((rival - paid[decided]) / row[truth], 12))
    edges = [0.0, *sorted(critical), 3 * max(critical)]
    options = between_thresholds(costs, entry, P)
    rest = 1 - costs[entry]
    values = options[:, entry] / (1 - options[:, entry]) * rest
    assert values == pytest.approx([(a + b) / 2 for a, b in itertools.pairwise(edges)])
    others = np.delete(options, entry, axis=1) / (1 - options[:, [entry]])
    assert others == pytest.approx(np.tile(np.delete(costs, entry) / rest, (len(options), 1)))
    assert costs.tolist() == [0.05, 0.2, 0.15, 0.1, 0.3, 0.2]


def test_costs_without_thresholds_are_a_copy() -> None:
    costs = np.array([0.25, 0.75])
    found = between_thresholds(costs, 0, np.array([[0.0, 1.0]]))
    found[0, 0] = 9
    assert found.shape == (1, 2) and costs[0] == 0.25


def test_both_rates_at_each_threshold() -> None:
    """Above a threshold cases are decided as the second class, at it as the first."""
    y, score = np.array([0, 1, 0, 1, 0, 1, 1]), np.array([0.2, 0.3, 0.5, 0.5, 0.9, 0.7, 0.1])
    weights = np.array([1.0, 2, 3, 4, 5, 6, 7])
    thresholds = np.array([0.0, 0.1, 0.4, 0.5, 0.6, 0.9])
    found = _roc_points(thresholds, score, cases_of(y, sample_weight=weights))
    for row, cut in zip(found, thresholds, strict=True):
        wrong = [
            sum(w for w, s, k in zip(weights, score, y, strict=True) if k == 0 and s > cut) / 9,
            sum(w for w, s, k in zip(weights, score, y, strict=True) if k == 1 and s <= cut) / 19,
        ]
        assert row == pytest.approx(wrong)


@pytest.mark.parametrize("bounds", [(), (Bound(0, None, 0.3, 0.6),)])
def test_two_classes_begin_with_the_corners_of_the_curve(bounds: Any) -> None:
    y = np.repeat([0, 1], [14, 11])
    p = np.clip(P[:, 1] + 0.2 * y, 0.01, 0.99)
    table, cases = np.column_stack([1 - p, p]), cases_of(y, sample_weight=WEIGHTS)
    space = CostSpace(np.ones(2), bounds)
    (found,) = first_thresholds(table, cases, space)
    start = np.array([0.5, 0.5]) if not bounds else space.centre
    options = space.pulled(start, between_thresholds(start, 0, table))
    rates = []
    for row in options:
        decided = p > row[0]  # costs (t, 1 − t): yes costs t (1 − p), no costs (1 − t) p
        rates.append(
            [WEIGHTS[(y == k) & (decided != k)].sum() / WEIGHTS[y == k].sum() for k in (0, 1)]
        )
    kept = options[on_front(np.array(rates))]
    assert found.tolist() == kept.tolist() and 1 < len(found) < len(options)
    assert space.contains(found).all()


def test_three_classes_begin_with_every_cost_stepped() -> None:
    cases = ScoreModel(Y, P).cases
    equal = np.full(6, 1 / 6)
    found = list(first_thresholds(P, cases, CostSpace(ONES)))
    assert len(found) == 6
    for entry, options in enumerate(found):
        assert options.tolist() == between_thresholds(equal, entry, P).tolist()
    uneven = first_thresholds(P, cases, CostSpace(np.arange(1.0, 7.0)))
    assert [each.tolist() for each in uneven] == [each.tolist() for each in found]
    bounded = CostSpace(ONES, BOUNDS)
    for entry, options in enumerate(first_thresholds(P, cases, bounded)):
        start = between_thresholds(bounded.centre, entry, P)
        assert options == pytest.approx(bounded.pulled(bounded.centre, start))
        assert bounded.contains(options).all()
    assert not hasattr(first_thresholds(P, cases, bounded), "__len__")


def test_of_many_thresholds_some_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(250) % 3
    p = rng.dirichlet(np.ones(3), 250)
    cases = cases_of(y)
    equal = np.full(6, 1 / 6)
    whole = [between_thresholds(equal, entry, p) for entry in range(6)]
    for allowed, most in ((0, 100), (6 * 250 * 120, 120), (6 * 250 * 1000, 1000)):
        monkeypatch.setattr(_thresholds, "DECISIONS_AT_START", allowed)
        for options, found in zip(whole, first_thresholds(p, cases, CostSpace(ONES)), strict=True):
            step = 1 + len(options) // most
            assert found.tolist() == options[::step].tolist()
    assert max(len(options) for options in whole) > 120


def test_decisions_between_thresholds_are_all_there_are() -> None:
    """The lowest value of a cost decides as 0 does, the highest as one beyond all thresholds."""
    costs = np.full(6, 1 / 6)
    for entry in range(6):
        options = between_thresholds(costs, entry, P)
        for place, value in ((0, 1e-12), (-1, 1e6)):
            moved = costs.copy()
            moved[entry] = value
            wanted = least_cost(P, matrices(moved, 3))
            assert (least_cost(P, matrices(options[place], 3)) == wanted).all()
