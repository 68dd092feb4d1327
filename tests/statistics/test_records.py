"""Statistics as records: frozen, given by name, equal to nothing but themselves."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from functools import lru_cache
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
import pytest

from polyroc import Predictions, registry
from polyroc.errors import InvalidInput, NotDefined
from polyroc.metrics.measure import CaseStatistics, Measured, measure
from polyroc.metrics.question import Influence
from polyroc.statistics import rates
from polyroc.statistics.chains import Chains
from polyroc.statistics.margins import Margins
from polyroc.statistics.means import BLOCK, Means, along_classes
from polyroc.statistics.mixture import Mixture
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.rates import Rates
from polyroc.statistics.ratings import Ratings
from polyroc.statistics.resampled import ResampledPairs
from polyroc.statistics.spread import Spread, class_spread
from polyroc.statistics.statistic import Need, Statistic
from polyroc.statistics.tuples import Rule, Tuples

rng = np.random.default_rng(8)
Y = np.repeat([0, 1], [7, 4])[rng.permutation(11)]
P = rng.integers(0, 9, 11) / 8
W = rng.integers(1, 9, 11) / 7
CASES = Predictions(Y, P, sample_weight=W)
KINDS = (Chains, Margins, Means, Pairs, Placements, Rates, Ratings)


@lru_cache
def made() -> tuple[Statistic, ...]:
    drawn = Tuples.of(CASES, Rule.SCORES, drawn=True, n_tuples=3, rng=0)
    return (*(kind.of(CASES) for kind in KINDS), Tuples.of(CASES, Rule.SCORES), drawn)


@pytest.mark.parametrize("place", range(9))
def test_a_statistic_is_frozen_named_and_equal_to_itself_alone(place: int) -> None:
    statistic = made()[place]
    for field in fields(statistic):
        with pytest.raises(FrozenInstanceError):
            setattr(statistic, field.name, None)
        value = getattr(statistic, field.name)
        assert not isinstance(value, np.ndarray) or not value.flags.writeable
    with pytest.raises(TypeError):
        type(statistic)(*(getattr(statistic, field.name) for field in fields(statistic)))
    same = replace(statistic)
    assert type(same) is type(statistic) and (same == statistic) is False
    assert len({statistic, same, statistic}) == 2  # kept in caches by itself
    assert statistic.n_classes == 2 and statistic.classes == (0, 1)
    np.testing.assert_array_equal(statistic.weights, CASES.class_weights)


def test_priors_are_shares_of_weights_unless_they_are_given() -> None:
    for statistic in made():
        assert statistic.given_priors is None
        assert statistic.priors == pytest.approx(statistic.weights / statistic.weights.sum())
        other = statistic.with_priors(np.array([0.25, 0.75]))
        assert other.priors.tolist() == [0.25, 0.75] and type(other) is type(statistic)
        assert statistic.with_priors(None) is statistic and statistic.given_priors is None


def test_what_a_base_does_not_know() -> None:
    class Other(Statistic):
        pass

    with pytest.raises(NotImplementedError):
        Other.of(CASES)
    with pytest.raises(NotImplementedError):
        Other(classes=(0, 1), weights=np.ones(2)).carry(CASES, [])
    for statistic in made()[:-1]:
        assert statistic.drawn(np.zeros(6)) is None


def test_the_statistic_of_a_mixture_is_by_default_that_of_the_cases_written_out() -> None:
    half = np.full(2, 0.5)
    mixed = Mixture(CASES, np.array([0, 3]), half, half, half)
    written = mixed.written_out()
    for kind, gradient in ((Chains, 2.0), (Ratings, np.ones((2, len(np.unique(P)))))):
        one, other = kind.of_mixture(mixed), kind.of(written)
        np.testing.assert_array_equal(one.weights, other.weights)
        (found,) = one.carry_mixture(mixed, [gradient])
        (expected,) = other.carry(written, [gradient])
        np.testing.assert_array_equal(found, expected)
        assert len(found) == 11 + 4


def test_needs_cover_what_they_hold() -> None:
    plain, scored = Need(Pairs), Need(Pairs, (("scored", True),))
    assert plain.covers(plain) and scored.covers(scored) and scored.covers(plain)
    assert not plain.covers(scored)
    assert not Need(Margins).covers(plain) and not Need(Margins, scored.options).covers(plain)
    costs = ((0.0, 1.0), (2.0, 0.0))
    directed = Need(Margins, (("partition", costs),))
    found = directed.of(CASES)
    assert isinstance(found, Margins) and found.partition == costs
    assert not np.isnan(scored.of(CASES).excess).any()
    assert np.isnan(plain.of(CASES).excess).all()


def test_needs_are_made_carried_or_of_a_mixture(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, Any]] = []
    for name in ("of", "of_carried", "of_mixture"):

        def called(*args: Any, name: str = name, **options: Any) -> None:
            calls.append((name, options))

        monkeypatch.setattr(Pairs, name, called)
    half = np.full(2, 0.5)
    need = Need(Pairs, (("scored", True),))
    need.of(CASES)
    need.of(CASES, carried=True)
    need.of(Mixture(CASES, np.array([0]), np.ones(1), half, half))
    need.of(Mixture(CASES, np.array([0]), np.ones(1), half, half), carried=True)
    names = ["of", "of_carried", "of_mixture", "of_mixture"]
    assert calls == [(name, {"scored": True}) for name in names]


def test_variance_of_a_mean_over_classes() -> None:
    """Recounted class by class, with weights and groups of unequal size."""
    codes = np.array([0, 1, 1, 0, 2, 2, 2, 0, 1, 2, 2])
    weights = np.arange(1.0, 12) / 7
    values = np.random.default_rng(0).normal(size=11)
    parts, ms = [], []
    for k in range(3):
        own = codes == k
        values[own] -= np.average(values[own], weights=weights[own])
        u = weights[own] * values[own] / weights[own].sum()
        m = own.sum()
        parts.append(m / (m - 1) * (u**2).sum())
        ms.append(m)
    found = class_spread(values, codes, weights, 3)
    assert isinstance(found, Spread)
    assert found.variance == pytest.approx(sum(parts))
    freedom = sum(parts) ** 2 / sum(p**2 / (m - 1) for p, m in zip(parts, ms, strict=True))
    assert found.freedom == pytest.approx(freedom)


@pytest.mark.parametrize(("sizes", "known"), [([2, 2], True), ([1, 3], False), ([3, 1], False)])
def test_a_single_case_of_a_class_has_no_variance(sizes: list[int], known: bool) -> None:
    codes = np.repeat([0, 1], sizes)
    values = np.where(np.arange(4) % 2, 1.0, -1.0)
    found = class_spread(values, codes, np.ones(4), 2)
    assert np.isfinite(found.variance) == np.isfinite(found.freedom) == known
    missing = class_spread(values, np.zeros(4, dtype=int), np.ones(4), 2)
    assert np.isnan(missing.variance) and np.isnan(missing.freedom)
    level = class_spread(np.zeros(4), np.array([0, 0, 1, 1]), np.ones(4), 2)
    assert level.variance == 0.0 and np.isnan(level.freedom)


def test_ratings_by_class_and_score() -> None:
    found = Ratings.of(CASES)
    assert found.scores.tolist() == sorted(set(P.tolist()))
    for k in range(2):
        for m, score in enumerate(found.scores):
            own = (k == Y) & (score == P)
            w = CASES.case_weights[own]
            assert found.levels[k, m] == pytest.approx(w.sum())
            assert found.squares[k, m] == pytest.approx((w**2).sum())
    assert found.levels.shape == found.squares.shape == (2, len(found.scores))
    assert found.extremes.tolist() == [CASES.case_weights.min(), CASES.case_weights.max()]
    gradient = np.random.default_rng(1).normal(size=found.levels.shape)
    one, other = found.carry(CASES, [gradient, 3 * gradient])
    for k in range(2):
        own = k == Y
        values = CASES.class_weights[k] * gradient[k, np.searchsorted(found.scores, P[own])]
        centre = np.average(values, weights=CASES.case_weights[own])
        np.testing.assert_allclose(one[own], values - centre, atol=1e-13)
    np.testing.assert_allclose(other, 3 * one, atol=1e-13)


def chain_credit(values: list[float]) -> float:
    """1 over the factorial of each run of ties, 0 where the marker falls."""
    credit, run = 1.0, 1
    for one, other in pairwise(values):
        if other < one:
            return 0.0
        run = run + 1 if other == one else 1
        credit /= run
    return credit


@pytest.mark.parametrize("sizes", [(3, 5), (4, 2, 3), (2, 3, 2, 3), (1, 2, 2, 1, 3)])
@pytest.mark.parametrize("levels", [1, 3, 40])
def test_chains_by_plain_loops(sizes: tuple[int, ...], levels: int) -> None:
    K, generator = len(sizes), np.random.default_rng([levels, *sizes])
    y = generator.permutation(np.repeat(np.arange(K), sizes))
    marker = (generator.integers(0, levels, len(y)) + (levels > 3) * 8 * y) / 4
    w = generator.integers(1, 9, len(y)) / 7
    cases = Predictions(y, np.column_stack([marker] * K), sample_weight=w)
    w = cases.case_weights
    total, through = 0.0, np.zeros(len(y))
    for chain in product(*cases.members):
        credit = chain_credit([marker[i] for i in chain])
        whole = prod(w[i] for i in chain)
        total += credit * whole
        for i in chain:
            through[i] += credit * whole / w[i]
    every = float(np.prod(cases.class_weights))
    made = Chains.of(cases)
    assert made.credit == pytest.approx(total / every, rel=1e-12)
    through /= every / cases.class_weights[y]
    for k in range(K):
        through[y == k] -= np.average(through[y == k], weights=w[y == k])
    one, other = made.carry(cases, [1.0, -2.0])
    np.testing.assert_allclose(one, through, atol=1e-13)
    np.testing.assert_allclose(other, -2 * through, atol=1e-13)


def test_chains_of_many_classes_stay_finite() -> None:
    """Products of the sizes of 200 classes are larger than any float."""
    y = np.repeat(np.arange(200), 40)
    cases = Predictions(y, np.broadcast_to(np.arange(8000.0)[:, None], (8000, 200)))
    assert Chains.of(cases).credit == pytest.approx(1.0, rel=1e-12)


def test_rates_of_two_classes_are_those_of_every_threshold() -> None:
    for weights in (None, W):
        cases = Predictions(Y, P, sample_weight=weights)
        w, levels = cases.case_weights, [*sorted(set(P.tolist())), 2.0]
        expected = [
            [
                w[(Y == 0) & (t <= P)].sum() / w[Y == 0].sum(),
                w[(Y == 1) & (t > P)].sum() / w[Y == 1].sum(),
            ]
            for t in levels
        ]
        np.testing.assert_allclose(Rates.of(cases).rates, expected, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_rates_and_their_derivatives_by_weights(K: int) -> None:
    """φ_i = n_k ∂θ/∂w_i of any linear combination of the rates."""
    generator = np.random.default_rng(K)
    y = np.arange(13) % K
    p = generator.dirichlet(np.ones(K), 13)
    w = generator.integers(1, 9, 13) / 7
    made = Rates.of(Predictions(y, p, sample_weight=w))
    gradients = generator.normal(size=(2, *made.rates.shape))
    gradients[0, ::2] = 0
    found = made.carry(Predictions(y, p, sample_weight=w), list(gradients))
    base = Predictions(y, p, sample_weight=w)
    for gradient, moved in zip(gradients, found, strict=True):
        assert moved @ base.case_weights == pytest.approx(0, abs=1e-9)
        for i in (0, 1, 5, 12):
            step = 1e-6
            values = []
            for sign in (1, -1):
                other = w.copy()
                other[i] += sign * step
                rates_there = Rates.of(Predictions(y, p, sample_weight=other)).rates
                values.append((gradient * rates_there).sum())
            slope = (values[0] - values[1]) / (2 * step)
            assert moved[i] == pytest.approx(w[y == y[i]].sum() * slope, rel=1e-5, abs=1e-6)


def test_sums_of_decisions_over_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    p, costs = generator.dirichlet(np.ones(3), 9), rates.fixed_costs(3)[::60]
    codes, values = np.arange(9) % 3, generator.normal(size=(len(costs), 3, 3))
    decided = [[int(np.argmin(row @ table)) for row in p] for table in costs]
    expected = [
        sum(values[m, codes[i], decided[m][i]] for m in range(len(costs))) for i in range(9)
    ]
    for at_once in (1 << 22, 27 * 4, 1):
        monkeypatch.setattr(rates, "DECISIONS_AT_ONCE", at_once)
        found = rates.decided_sums(p, codes.astype(np.int64), costs, values)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_first_fixed_costs_are_nearly_equal() -> None:
    """In every order, and further from equal than rounding."""
    costs = rates.fixed_costs(3)
    assert not costs.flags.writeable and rates.fixed_costs(3) is costs
    parts = costs[:, ~np.eye(3, dtype=bool)]
    apart = np.abs(parts * 6 - 1).max(axis=1)
    near = np.flatnonzero(apart < 1e-6)
    assert len(near) == 6 and near[0] == 0
    assert (apart[near] > 1e-11).all() and (apart[near] < 1e-8).all()
    assert (np.delete(apart, near) > 0.01).all()
    assert len({tuple(row) for row in parts.round(15)}) == 996
    two = rates.fixed_costs(2)
    assert two.shape == (1000, 2, 2) and not two[:, [0, 1], [0, 1]].any()


def test_means_of_classes_with_weights_and_their_slopes() -> None:
    y, generator = np.arange(14) % 3, np.random.default_rng(2)
    p, w = generator.dirichlet(np.ones(3), 14), generator.integers(1, 9, 14) / 7
    for weights in (None, w):
        cases = Predictions(y, p, sample_weight=weights)
        made = Means.of(cases)
        expected = [
            np.average(p[y == k], axis=0, weights=cases.case_weights[y == k]) for k in range(3)
        ]
        np.testing.assert_allclose(made.vectors, expected, rtol=1e-12)
        slopes = generator.normal(size=(2, 3, 3))
        for found, slope in zip(made.carry(cases, list(slopes)), slopes, strict=True):
            plain = [(p[i] - expected[y[i]]) @ slope[y[i]] for i in range(14)]
            np.testing.assert_allclose(found, plain, atol=1e-12)
        kept, added = np.array([0.5, 0.75, 0.9]), np.array([1.0, 0.25, 2.0])
        mixed = Mixture(cases, np.array([1, 5]), np.array([0.25, 0.75]), kept, added)
        written = mixed.written_out()
        pooled = Means.of_mixture(mixed)
        np.testing.assert_allclose(pooled.vectors, Means.of(written).vectors, rtol=1e-13)
        np.testing.assert_allclose(pooled.weights, mixed.class_weights)
        for one, other in zip(
            pooled.carry_mixture(mixed, list(slopes)),
            Means.of(written).carry(written, list(slopes)),
            strict=True,
        ):
            np.testing.assert_allclose(one, other, atol=1e-13)


def test_products_with_the_direction_of_a_class_pass_in_blocks() -> None:
    """The order of rows and columns in memory changes no bit."""
    generator = np.random.default_rng(0)
    rows, directions = generator.random((BLOCK + 5, 7)), generator.random((3, 7))
    codes = np.arange(BLOCK + 5) % 3
    plain = along_classes(rows, directions, codes)
    np.testing.assert_allclose(plain, (rows * directions[codes]).sum(axis=1), rtol=1e-13)
    turned = along_classes(np.asfortranarray(rows), directions, codes)
    assert turned.tobytes() == plain.tobytes()
    part = along_classes(rows[3:], directions, codes[3:])
    assert part.tobytes() == plain[3:].tobytes()
    single = along_classes(rows.astype(np.float32), directions, codes)
    assert single.dtype == np.float64


def test_replicates_know_their_classes_and_kinds() -> None:
    cases = Predictions(["b", "a", "b", "a"], [0.1, 0.4, 0.3, 0.2])
    found = ResampledPairs(cases).replicates(np.array([[1, 1, 1, 1], [2, 1, 0, 3]]))
    assert len(found) == 2 and found.classes == ("a", "b")
    for b in range(2):
        weights = found.class_weights[b]
        kinds = [found.statistic(kind, b) for kind in (Pairs, Margins, Means)]
        assert [type(each) for each in kinds] == [Pairs, Margins, Means]
        for each in kinds:
            assert each.classes == ("a", "b") and each.weights.tolist() == weights.tolist()
        sums, margins, means = kinds
        np.testing.assert_array_equal(sums.above, found.above[b])
        np.testing.assert_array_equal(sums.tied, found.tied[b])
        np.testing.assert_array_equal(sums.excess, found.excess[b])
        np.testing.assert_array_equal(margins.above, found.margin_above[b])
        np.testing.assert_array_equal(margins.tied, found.margin_tied[b])
        np.testing.assert_array_equal(means.vectors, found.means[b])
    with pytest.raises(FrozenInstanceError):
        found.above = None  # type: ignore[misc, assignment]


def test_replicates_of_any_scores_have_no_means() -> None:
    """Means need probabilities; without them any scores do."""
    cases = Predictions([0, 1, 0, 1], [-3.0, 4.0, 0.0, 7.5])
    with pytest.raises((NotDefined, InvalidInput)):
        ResampledPairs(cases)
    found = ResampledPairs(cases, means=False).replicates(np.ones((1, 4)))
    assert np.isnan(found.means).all() and found.above[0, 1, 0] == 4


def test_measured_metrics_come_in_the_order_asked_with_their_needs() -> None:
    """Metrics that share a statistic are answered together, and each is found at its place."""
    names = ["hand_till_scored", "pdi", "hand_till", "auc_mu", "aunp", "scored_auc"]
    y, p = np.arange(12) % 3, np.random.default_rng(0).dirichlet(np.ones(3), 12)
    statistics = CaseStatistics(Predictions(y, p))
    found = measure(statistics, [(registry[name], {}) for name in names])
    assert [each.metric.name for each in found] == names
    assert [each.need for each in found[:3]] == [
        Need(Pairs, (("scored", True),)),
        Need(Placements),
        Need(Pairs),
    ]
    assert found[-1].reason == (
        "scored_auc is defined for 2 classes, but there are 3. Use hand_till_scored, which is "
        "defined for any number."
    )
    assert np.isnan(found[-1].value) and found[-1].influence is None and found[-1].need is None
    assert all(each.reason is None and each.by_fold is None for each in found[:-1])
    assert all(isinstance(each.influence, Influence) for each in found[:-1])
    alone = measure(statistics, [(registry[name], {}) for name in names], with_influence=False)
    assert all(each.influence is None for each in alone)
    assert [each.value for each in alone[:-1]] == [each.value for each in found[:-1]]
    assert np.isnan(Measured(registry["pdi"]).value)
    again = statistics.measure([(registry["pdi"], {})])
    assert again[0].influence is not None
    assert statistics.measure([(registry["pdi"], {})], with_influence=False)[0].influence is None
