"""Pieces of the effective number of cases: the pool, chance, units, ranges and limits of size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from twins.inference import influence as twin_influence
from twins.metrics import TWINS

from polyroc import Design, Predictions, evaluate, registry
from polyroc.inference import _edge
from polyroc.inference._drawn import spread_of_value
from polyroc.inference._edge import Kind, effective_sizes, own_or, shrunken_classes, signed
from polyroc.inference._influence import CaseDesign
from polyroc.inference._pairs import pair_estimates
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.measure import Measured
from polyroc.metrics.question import Influence

RNG = np.random.default_rng(6)
Y = RNG.permutation(np.repeat([0, 1, 2], [7, 4, 5]))
N = len(Y)
P = RNG.dirichlet(np.ones(3), N) + 0.4 * np.eye(3)[Y]
P /= P.sum(axis=1, keepdims=True)
W = 1.0 + np.arange(N) % 4


@pytest.fixture(autouse=True)
def numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on how many numbers others have drawn."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(6))


def sizes_of(names: list[str], given: Predictions, design: CaseDesign, **options: Any) -> list[Any]:
    statistics = statistics_of(given)
    asked = [(registry[name], options) for name in names]
    return effective_sizes(statistics, asked, statistics.measure(asked), design)


def test_how_much_extra_mass_a_metric_gets() -> None:
    """0.1, but 0.5 for sizes of probabilities, and 0.25 for volumes and for signed sizes."""
    assert Kind.of(registry["hand_till"]) == (0.1, False, False)
    assert Kind.of(registry["auc_mu"]) == (0.1, False, False)
    assert Kind.of(registry["gini"]) == (0.1, False, False)
    assert Kind.of(registry["hand_till_scored"]) == (0.5, False, False)
    assert Kind.of(registry["total_length"]) == (0.5, False, False)
    assert Kind.of(registry["hum"]) == (0.25, True, False)
    assert Kind.of(registry["wvus"]) == (0.25, True, False)
    assert Kind.of(registry["triangle_area"]) == (0.25, False, True)
    assert [name for name in registry if signed(registry[name])] == [
        "gini",
        "simplex_volume",
        "triangle_area",
    ]


def test_a_small_pool_is_every_case() -> None:
    """Each class has the same share of it, each case its share of its class."""
    given = Predictions(Y, P, sample_weight=W)
    for most in (N, N + 1):
        pool, shares = _edge._pool(given, most)
        assert pool.tolist() == list(range(N))
        for i, k in enumerate(Y):
            assert shares[i] == pytest.approx(W[i] / W[k == Y].sum() / 3)


@pytest.mark.parametrize("most", [5, N - 1])
def test_a_large_pool_is_thinned_evenly(most: int) -> None:
    """Along the classes, one row for each step of 1/most of the weight, from its middle."""
    given = Predictions(Y, P, sample_weight=W)
    pool, shares = _edge._pool(given, most)
    expected = []
    ordered = [i for k in range(3) for i in range(N) if Y[i] == k]
    for step in range(most):
        target, reached = (step + 0.5) / most, 0.0
        for i in ordered:
            reached += W[i] / W[Y[i] == Y].sum() / 3
            if reached >= target:
                break
        expected.append(i)
    assert pool.tolist() == expected
    assert shares.tolist() == [1 / most] * most


def test_the_size_of_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared by the classes, but never fewer rows than the least for one."""
    given = Predictions(Y, P)
    monkeypatch.setattr(_edge, "POOL", 32)
    monkeypatch.setattr(_edge, "LEAST_POOL", 3)
    assert len(_edge._pool(given, None)[0]) == 10
    assert len(_edge._pool(given, 4)[0]) == 4
    monkeypatch.setattr(_edge, "LEAST_POOL", 12)
    assert len(_edge._pool(given, None)[0]) == 12


def test_what_a_class_keeps_and_gets() -> None:
    given = Predictions(Y, P, sample_weight=W)
    pool, shares = _edge._pool(given, None)
    mixed = shrunken_classes(given, CaseDesign(), 0.4, pool, shares)
    for k, m in enumerate((7, 4, 5)):
        total = W[k == Y].sum()
        assert mixed.kept[k] == pytest.approx(m / (m + 0.4))
        assert mixed.added[k] == pytest.approx(total * 0.4 / (m + 0.4))
        assert mixed.class_weights[k] == pytest.approx(total)


def chance_by_hand(
    value: float, sizes: list[int], variance: float, freedom: float, mass: float = 0.25
) -> tuple[float, float]:
    """n_eff and degrees of freedom of a volume, foreign cases being right by chance."""
    chance = 1 / math.factorial(len(sizes))
    moved = chance * (1 - value) ** 2 + (1 - chance) * value**2
    parts = [mass * moved / ((n + mass) * (n - 1 + mass)) for n in sizes]
    known: list[float] = [n - 1 for n in sizes]
    shifted = value + sum(mass / (n + mass) for n in sizes) * (chance - value)
    shifted = sorted((chance, value, shifted))[1]
    if variance > 0:
        parts.append(variance)
        known.append(freedom)
    total = sum(parts)
    unknown = sum(v**2 / f for v, f in zip(parts, known, strict=True))
    return shifted * (1 - shifted) / total, total**2 / unknown


@pytest.mark.parametrize(
    ("value", "variance", "size"), [(0.7, 0.01, 3), (1.0, 0.0, 3), (0.0, 0.0, 2), (0.9, 0.02, 2)]
)
def test_volumes_by_chance(value: float, variance: float, size: int) -> None:
    """The value moves towards chance and not beyond, be there ever so few cases."""
    sizes = [size, size + 1, size, size, size, size, size, size, size, size]
    y = np.repeat(range(10), sizes)
    given = Predictions(y, np.eye(10)[y])
    found = Measured(registry["hum"], value)
    moved = Influence(np.zeros(len(y)))
    made = _edge._by_chance(given, found, moved, CaseDesign(), (variance, 6.5))
    expected = chance_by_hand(value, sizes, variance, 6.5)
    assert made is not None and not made.signed
    assert made.size == pytest.approx(expected[0], rel=1e-12)
    assert made.degrees_of_freedom == pytest.approx(expected[1], rel=1e-12)


def test_volumes_by_chance_of_groups_across_classes() -> None:
    y = np.tile(range(4), 5)
    given = Predictions(y, np.eye(4)[y])
    design = CaseDesign.of(np.arange(20) // 4, given)
    found = Measured(registry["hum"], 0.8)
    made = _edge._by_chance(given, found, Influence(np.zeros(20)), design, (0.01, 30.0))
    size, freedom = chance_by_hand(0.8, [5, 5, 5, 5], 0.01, 30.0)
    assert freedom > 4 and made is not None
    assert made.size == pytest.approx(size) and made.degrees_of_freedom == 4


def test_which_volumes_are_taken_by_chance() -> None:
    """Those of four classes and of random tuples; volumes of three classes are computed again."""
    y = np.repeat(range(4), [3, 4, 3, 5])
    p = RNG.dirichlet(np.ones(4), len(y)) + 0.5 * np.eye(4)[y]
    found = evaluate(y, p, ["hum", "vus2"])
    for each in found.values():
        size, freedom = chance_by_hand(
            each.value, [3, 4, 3, 5], each.standard_error**2, each.degrees_of_freedom
        )
        assert each.effective.size == pytest.approx(size, rel=1e-9)
        assert each.effective.degrees_of_freedom == pytest.approx(freedom, rel=1e-9)
    drawn = evaluate(Y, P, ["hum"], n_tuples=300, rng=1)["hum"]
    size, freedom = chance_by_hand(
        drawn.value, [7, 4, 5], drawn.standard_error**2, drawn.degrees_of_freedom
    )
    assert drawn.effective.size == pytest.approx(size, rel=1e-9)
    assert drawn.effective.degrees_of_freedom == pytest.approx(freedom, rel=1e-9)
    every = evaluate(Y, P, ["hum"])["hum"]
    by_chance, _ = chance_by_hand(
        every.value, [7, 4, 5], every.standard_error**2, every.degrees_of_freedom
    )
    assert every.effective.size != pytest.approx(by_chance, rel=1e-3)


def test_sizes_in_the_range_of_the_metric() -> None:
    """θ(1 − θ)/V of a share of the range, or of the range and its mirror image."""
    plain = _edge._effective(registry["hand_till"], 0.8, 0.01, 9.0, 1.0)
    assert plain is not None and plain.size == pytest.approx(0.16 / 0.01)
    assert plain.degrees_of_freedom == 9 and not plain.signed
    highest = registry["saec"].highest
    cost = _edge._effective(registry["saec"], 0.3, 0.01, 9.0, 1.0)
    assert cost is not None and cost.size == pytest.approx(0.3 * (highest - 0.3) / 0.01)
    size = _edge._effective(registry["triangle_area"], 0.6, 0.01, 9.0, 1.0)
    assert size is not None and size.signed
    assert size.size == pytest.approx((1 - 0.6) * (1 + 0.6) / 0.01)
    zero = _edge._effective(registry["triangle_area"], 0.0, 0.01, 9.0, 1.0)
    assert zero is not None and zero.size == pytest.approx(100)
    for value, variance, scale in (
        (0.0, 0.01, 1.0),
        (1.0, 0.01, 1.0),
        (0.5, 0.0, 1.0),
        (0.5, 1e-24, 1.0),
        (0.5, 1e-23, 4.0),
        (0.5, math.nan, 1.0),
    ):
        assert _edge._effective(registry["hand_till"], value, variance, 9.0, scale) is None
    assert _edge._effective(registry["hand_till"], 0.5, 1e-23, 9.0, 1.0) is not None


def test_no_size_where_nothing_is_known() -> None:
    """A class of one case or group; a value without influence values or without a derivative."""
    lone = Predictions([0, 0, 1, 2, 2], P[:5])
    assert sizes_of(["hand_till", "aunu"], lone, CaseDesign()) == [None, None]
    given = Predictions(Y, P)
    one = CaseDesign.of(np.where(Y == 1, 99, np.arange(N)), given)
    assert sizes_of(["hand_till"], given, one) == [None]
    statistics = statistics_of(given)
    asked = [(registry["hand_till"], {}), (registry["aunu"], {})]
    found = statistics.measure(asked)
    without = [found[0]._replace(influence=None), found[1]]
    first, second = effective_sizes(statistics, asked, without, CaseDesign())
    assert first is None and second is not None


@pytest.mark.parametrize("least", [4, 5])
def test_from_which_size_of_the_smallest_class_extra_mass_is_left_out(
    least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """θ(1 − θ)/V, with spreads that are at hand or computed; at a value of 1 not."""
    monkeypatch.setattr(_edge, "LARGE_CLASS", least)
    given, names = Predictions(Y, P), ["hand_till", "hum"]
    statistics = statistics_of(given)
    asked = [(registry[name], {}) for name in names]
    found = statistics.measure(asked)
    for spreads in (None, [(0.02, 3.5), (0.03, 4.5)]):
        made = effective_sizes(statistics, asked, found, CaseDesign(), spreads)
        for place, (each, size) in enumerate(zip(found, made, strict=True)):
            assert each.influence is not None and size is not None
            own = spread_of_value(given, each.influence, CaseDesign())
            variance, freedom = own if spreads is None else spreads[place]
            plain = each.value * (1 - each.value) / variance
            assert (size.size == pytest.approx(plain, rel=1e-9)) == (least == 4)
            assert (size.degrees_of_freedom == pytest.approx(freedom, rel=1e-9)) == (least == 4)
    perfect = evaluate(Y, np.eye(3)[Y], ["hand_till"])["hand_till"]
    assert perfect.value == 1 and perfect.effective is not None
    assert perfect.effective.size > 10


def test_classes_of_five_hundred_cases_need_no_extra_mass() -> None:
    """θ(1 − θ)/V from 500 cases in every class on, of values and of pairs; not of 499."""
    for fewest in (499, 500):
        y = np.repeat([0, 1], [fewest, 501])
        scores = np.random.default_rng(1).normal(size=len(y)) + y
        given = Predictions(y, scores)
        found = evaluate(given, metrics=["roc_auc"])["roc_auc"]
        pair = pair_estimates(given, CaseDesign())[1, 0]
        for each in (found, pair):
            plain = each.value * (1 - each.value) / each.standard_error**2
            assert (each.effective.size == pytest.approx(plain, rel=1e-9)) == (fewest == 500)


def test_the_union_of_rates_has_no_extra_mass() -> None:
    found = evaluate(Y, P, ["gini"])["gini"]
    size = (1 - found.value) * (1 + found.value) / found.standard_error**2
    assert found.effective.size == pytest.approx(size, rel=1e-9) and found.effective.signed
    assert found.effective.degrees_of_freedom == found.degrees_of_freedom


def test_sizes_come_in_the_order_in_which_metrics_are_asked_for() -> None:
    """Kinds of extra mass are computed one after the other, and put where they belong."""
    names = ["hand_till_scored", "hand_till", "hum", "triangle_area", "aunu", "vus", "pdi"]
    given = Predictions(Y, P)
    together = sizes_of(names, given, CaseDesign())
    for name, each in zip(names, together, strict=True):
        (alone,) = sizes_of([name], given, CaseDesign())
        assert each is not None and alone is not None
        assert each.size == pytest.approx(alone.size, rel=1e-10), name
        assert each.degrees_of_freedom == pytest.approx(alone.degrees_of_freedom, rel=1e-10)


def test_influence_values_within_folds_where_they_exist() -> None:
    own, other = Influence(np.ones(2)), Influence(np.zeros(2))
    assert own_or(own, other) is own
    assert own_or(None, other) is other
    assert own_or(Influence(np.ones(2), reason="a corner"), other) is other


def units_by_hand(groups: np.ndarray, phi: np.ndarray, counts: list[int]) -> list[float]:
    sizes = [7, 4, 5]
    alone = sum(f**2 / sizes[k] / (sizes[k] - 1) for f, k in zip(phi, Y, strict=True))
    together = 0.0
    for g in set(groups.tolist()):
        inside = np.flatnonzero(groups == g)
        added = [
            phi[i] / sizes[Y[i]] * math.sqrt(counts[Y[i]] / (counts[Y[i]] - 1)) for i in inside
        ]
        together += sum(added) ** 2
    return [min(max(n * alone / together, m), n) for n, m in zip(sizes, counts, strict=True)]


def test_units_are_cases_over_the_design_effect() -> None:
    """Between the groups and the cases of each class; the groups where nothing varies."""
    given = Predictions(Y, P)
    rng, groups = np.random.default_rng(25), np.arange(N) % 6
    phi = rng.normal(size=N) + 0.7 * rng.normal(size=6)[groups]
    counts = [len(set(groups[k == Y].tolist())) for k in range(3)]
    design = CaseDesign.of(groups, given)
    found = _edge._units(given, Influence(phi), design)
    assert found.tolist() == pytest.approx(units_by_hand(groups, phi, counts))
    assert all(m < u < n for m, u, n in zip(counts, found, (7, 4, 5), strict=True))
    for without in (None, Influence(phi, reason="a corner"), Influence(np.zeros(N))):
        assert _edge._units(given, without, design).tolist() == counts
    assert _edge._units(given, Influence(1e-13 * phi), design).tolist() == counts
    assert _edge._units(given, Influence(1e-11 * phi, scale=100.0), design).tolist() == counts
    small = _edge._units(given, Influence(1e-10 * phi), design).tolist()
    assert small == pytest.approx(found.tolist())
    assert _edge._units(given, Influence(phi), CaseDesign()).tolist() == [7, 4, 5]


def mixture(y: np.ndarray, mass: float) -> tuple[list[int], list[list[float]], list[float]]:
    """Every case as a case of every class: classes, scores and weights."""
    n_classes, sizes = 3, np.bincount(y)
    codes, rows, weights = [], [], []
    for k in range(n_classes):
        for i, own in enumerate(y):
            codes.append(k)
            rows.append(P[i].tolist())
            share = (own == k) + mass / (n_classes * sizes[own])
            weights.append(float(share / (sizes[k] + mass)))
    return codes, rows, weights


def test_folds_by_loops() -> None:
    """Own contributions within folds, narrowed; extra mass and shift as in all cases together."""
    mass, sizes = 0.1, [7, 4, 5]
    folds = np.empty(N, dtype=int)
    for k in range(3):
        folds[k == Y] = np.arange(sizes[k]) % 2
    found = evaluate(Predictions(Y, P, folds=folds), metrics=["hand_till"])["hand_till"]
    parts = [0.0] * 3
    for v in (0, 1):
        rows = np.flatnonzero(folds == v)
        own = Y[rows].tolist()
        phi = twin_influence("hand_till", own, P[rows].tolist(), [1.0] * len(rows), 3)
        for k in range(3):
            values = np.array([f for f, c in zip(phi, own, strict=True) if c == k])
            parts[k] += float((values**2).sum()) / (len(values) - 1) / len(values) / 4
    assert found.standard_error == pytest.approx(math.sqrt(sum(parts)), rel=1e-10)
    codes, rows_of, weights = mixture(Y, mass)
    moved = TWINS["hand_till"](codes, rows_of, weights, 3)
    whole = TWINS["hand_till"](Y.tolist(), P.tolist(), [1.0] * N, 3)
    phi = twin_influence("hand_till", codes, rows_of, weights, 3)
    variances = []
    for k, m in enumerate(sizes):
        divisor = (m + mass) * (m - 1 + mass)
        foreign = sum(phi[k * N + i] ** 2 / (3 * sizes[own]) for i, own in enumerate(Y.tolist()))
        variances.append(parts[k] * m * (m - 1) / divisor + mass * foreign / divisor)
    value, total = found.value + moved - whole, sum(variances)
    assert found.effective.size == pytest.approx(value * (1 - value) / total, rel=1e-8)
    unknown = sum(v**2 / (m - 2) for v, m in zip(variances, sizes, strict=True))
    assert found.effective.degrees_of_freedom == pytest.approx(total**2 / unknown, rel=1e-8)


def test_signed_sizes_within_folds_and_with_weights() -> None:
    """Weights have no unit and copies are written out; folds shrink it as all cases do."""
    name = "triangle_area"
    copies = np.repeat(np.arange(N), W.astype(int))
    written = evaluate(Y[copies], P[copies], [name])[name].effective
    counted = evaluate(Y, P, [name], sample_weight=W, groups=Design(weights="frequency"))[name]
    assert counted.effective.size == pytest.approx(written.size, rel=1e-7)
    once = evaluate(Y, P, [name], sample_weight=W)[name].effective
    scaled = evaluate(Y, P, [name], sample_weight=8 * W)[name].effective
    assert once.size == pytest.approx(scaled.size, rel=1e-9)
    assert once.size != pytest.approx(written.size, rel=1e-2)
    one_fold = evaluate(Predictions(Y, P, folds=np.zeros(N)), metrics=[name])[name].effective
    plain = evaluate(Y, P, [name])[name].effective
    assert one_fold.size == pytest.approx(plain.size, rel=1e-9)


def test_a_signed_size_near_zero_does_not_turn_negative() -> None:
    """Slopes would move it below 0, where no size is."""
    y = np.repeat([0, 1, 2], 3)
    p = np.full((9, 3), 1 / 3) + 0.01 * np.random.default_rng(0).normal(size=(9, 3))
    p /= p.sum(axis=1, keepdims=True)
    found = evaluate(y, p, ["triangle_area"])["triangle_area"]
    assert 0 <= found.value < 1e-3
    assert found.effective is not None and found.effective.size > 0
    assert found.interval().low == 0
