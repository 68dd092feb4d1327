"""Intervals at a value of exactly 1 and near it, against plain loops over all cases."""

import math

import numpy as np
import pytest
from scipy.stats import t
from twins.inference import influence
from twins.metrics import TWINS

from polyroc import Design, Predictions, evaluate, registry
from polyroc.inference import _edge
from polyroc.metrics.declaration import NOTHING

FITTED = ("saec", "gini")
OF_SIZES = (
    "hand_till_probabilistic",
    "hand_till_scored",
    "probabilistic_auc",
    "scored_auc",
    "total_length",
)
SIZES = {3: (3, 2, 3), 2: (5, 3)}


def sample(n_classes: int, strength: float, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat(np.arange(n_classes), SIZES[n_classes])
    raw = np.random.default_rng(seed).normal(size=(len(y), n_classes))
    raw[np.arange(len(y)), y] += strength
    p = np.exp(raw)
    return y, p / p.sum(axis=1, keepdims=True)


def by_loops(name: str, y: np.ndarray, p: np.ndarray, mass: float) -> tuple[float, float]:
    """n_eff and degrees of freedom: every case is a case of every class with some weight."""
    n_classes, sizes = p.shape[1], np.bincount(y)
    rows, codes, weights = [], [], []
    for k in range(n_classes):
        for i, own in enumerate(y):
            share = (own == k) + mass / (n_classes * sizes[own])
            rows.append(p[i].tolist())
            codes.append(k)
            weights.append(share / (sizes[k] + mass))
    priors = {"priors": sizes.tolist()} if registry[name].prior_weighted else {}
    value = TWINS[name](codes, rows, weights, n_classes, **priors)
    phi = influence(name, codes, rows, weights, n_classes, **priors)
    variances = [
        sum(w * f**2 for w, f, c in zip(weights, phi, codes, strict=True) if c == k)
        / (sizes[k] - 1 + mass)
        for k in range(n_classes)
    ]
    total = sum(variances)
    unknown = sum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
    return value * (1 - value) / total, total**2 / unknown


def test_against_plain_loops():
    checked = 0
    for n_classes, strength in ((3, 1.5), (2, 9)):
        y, p = sample(n_classes, strength)
        found = evaluate(y, p, "all")
        for name, metric in registry.items():
            if n_classes not in metric.classes or metric.chance is NOTHING or name in FITTED:
                continue
            mass = 0.5 if name in OF_SIZES else 0.1
            mass = 0.25 if metric.statistic.__name__ == "Tuples" else mass
            size, freedom = by_loops(name, y, p, mass)
            assert found[name].effective.size == pytest.approx(size, rel=1e-8), name
            assert found[name].effective.degrees_of_freedom == pytest.approx(freedom, rel=1e-8)
            value, q = found[name].value - found[name].bias, t.ppf(0.975, freedom)
            low, high, _, scale = found[name].interval()
            assert scale == "wilson" and low < high
            for limit in (low, high):  # (θ̂ − θ)² = q² θ(1 − θ)/n
                apart = (value - limit) ** 2 - q**2 * limit * (1 - limit) / size
                assert apart == pytest.approx(0, abs=1e-9)
            assert (high == 1) == (value == 1)
            checked += 1
    assert checked > 20


def test_weights_and_groups():
    """Frequency weights are copies; a group of copies is one case; weights have no unit."""
    y, p = sample(3, 2)
    names = ["hand_till", "aunp", "auc_mu", "pdi", "vus"]
    times = 1 + np.arange(len(y)) % 3
    copies = np.repeat(np.arange(len(y)), times)
    written = evaluate(y[copies], p[copies], names)
    counted = evaluate(y, p, names, sample_weight=times, groups=Design(weights="frequency"))
    plain = evaluate(y, p, names)
    grouped = evaluate(np.tile(y, 2), np.tile(p, (2, 1)), names, groups=np.tile(range(len(y)), 2))
    scaled = evaluate(y, p, names, sample_weight=np.full(len(y), 7.5))
    for name in names:
        assert counted[name].interval()[:2] == pytest.approx(written[name].interval()[:2], rel=1e-6)
        assert scaled[name].interval()[:2] == pytest.approx(plain[name].interval()[:2], rel=1e-9)
        assert grouped[name].interval()[:2] == pytest.approx(plain[name].interval()[:2], rel=1e-9)


def spread_by_loops(
    y: np.ndarray, p: np.ndarray, groups: np.ndarray, mass: float
) -> tuple[float, float, float]:
    """θ̃, Ṽ and units of the first class for the AUC of cases in groups, all by loops."""
    name, sizes, scores = "roc_auc", np.bincount(y).tolist(), p.tolist()
    members = [len({g for g, own in zip(groups, y, strict=True) if own == k}) for k in (0, 1)]
    theta = TWINS[name](y.tolist(), scores, [1.0] * len(y), 2)
    phi = influence(name, y.tolist(), scores, [1.0] * len(y), 2)
    alone = sum(
        (f / sizes[k]) ** 2 * sizes[k] / (sizes[k] - 1) for f, k in zip(phi, y, strict=True)
    )

    def together(values: list[float], factor: list[float]) -> float:
        total = 0.0
        for group in set(groups.tolist()):
            inside = [i for i in range(len(y)) if groups[i] == group]
            total += sum(values[i] / sizes[y[i]] * factor[y[i]] for i in inside) ** 2
        return total

    effect = together(phi, [math.sqrt(m / (m - 1)) for m in members]) / alone
    units = [min(max(n / effect, m), n) for n, m in zip(sizes, members, strict=True)]
    rows, codes, weights = [], [], []
    for k in (0, 1):
        for i, own in enumerate(y.tolist()):
            rows.append(scores[i])
            codes.append(k)
            share = (own == k) * members[k] / sizes[k] + mass / (2 * sizes[own])
            weights.append(share / (members[k] + mass))
    shrunken = TWINS[name](codes, rows, weights, 2)
    moved = influence(name, codes, rows, weights, 2)
    own = [moved[k * len(y) + i] for i, k in enumerate(y.tolist())]
    less = [
        math.sqrt(m / (m - 1) * u * (u - 1) / ((u + mass) * (u - 1 + mass)))
        for m, u in zip(members, units, strict=True)
    ]
    extra = 0.0
    for k in (0, 1):
        foreign = sum(moved[k * len(y) + i] ** 2 / (2 * sizes[j]) for i, j in enumerate(y.tolist()))
        extra += mass * foreign / ((units[k] + mass) * (units[k] - 1 + mass))
    shares = [(m + mass) / (u + mass) for m, u in zip(members, units, strict=True)]
    centre = theta + (shrunken - theta) * sum(shares) / 2
    return centre, together(own, less) + extra, units[0]


def test_groups_count_by_their_design_effect():
    """All cases where those of a group do not vary together, groups where they are copies."""
    rng, seen = np.random.default_rng(5), []
    for together in (0.0, 0.7, 3.0):
        y, groups = (
            np.repeat([0, 1], [14, 10]),
            np.concatenate([np.arange(14) % 5, np.arange(10) % 5]),
        )
        raw = rng.normal(size=len(y)) + together * rng.normal(size=5)[groups] + 1.2 * y
        p = np.column_stack([1 / (1 + np.exp(raw)), 1 / (1 + np.exp(-raw))])
        centre, variance, units = spread_by_loops(y, p, groups, 0.1)
        found = evaluate(y, p, ["roc_auc"], groups=groups)["roc_auc"]
        expected = centre * (1 - centre) / variance
        assert found.effective.size == pytest.approx(expected, rel=1e-7)
        seen.append(units)
    assert 5 <= min(seen) < 8 < max(seen) <= 14


def test_the_worst_value_has_an_interval_too():
    y = np.repeat([0, 1, 2], [6, 5, 4])
    found = evaluate(y, np.roll(np.eye(3), 1, axis=1)[y], ["auc_mu", "hum"])
    for each in found.values():
        low, high, *_ = each.interval()
        assert each.value == low == 0 < high < 0.7


def test_volumes_of_many_classes_and_of_random_tuples():
    y = np.repeat(range(5), 8)
    p = np.eye(5)[y] * 0.6 + 0.08
    for options in ({}, {"n_tuples": 500, "rng": 1}):
        found = evaluate(y, p, ["hum"], **options)["hum"]
        assert found.value == found.interval().high == 1 and 0.3 < found.interval().low < 0.95


def test_volumes_of_four_classes_get_extra_mass_by_chance():
    """A foreign case ranks the other classes like a guess: right once in 4! tuples."""
    sizes, mass, chance = (4, 2, 3, 5), 0.25, 1 / 24
    y = np.repeat(range(4), sizes)
    raw = np.random.default_rng(5).normal(size=(len(y), 4)) + 1.5 * np.eye(4)[y]
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    found = evaluate(y, p, ["hum"])["hum"]
    assert 0.1 < found.value < 0.9
    total, value = found.standard_error**2, found.value
    for n in sizes:
        moved = chance * (1 - found.value) ** 2 + (1 - chance) * found.value**2
        total += mass * moved / ((n + mass) * (n - 1 + mass))
        value += mass / (n + mass) * (chance - found.value)
    assert found.effective.size == pytest.approx(value * (1 - value) / total, rel=1e-9)


def slopes_by_loops(y: np.ndarray, p: np.ndarray, mass: float) -> tuple[float, float, float]:
    """How AOT moves, Ṽ and its degrees of freedom, by its slopes at the means of the classes."""
    sizes, by, total, unknown = np.bincount(y), 0.0, 0.0, 0.0
    for k in range(3):
        as_k = [*y, *[k] * len(y)]  # every case a second time, as one of class k without weight
        weights = [1.0] * len(y) + [0.0] * len(y)
        phi = influence("triangle_area", as_k, [*p.tolist(), *p.tolist()], weights, 3)[len(y) :]
        shares = [((own == k) + mass / (3 * sizes[own])) / (sizes[k] + mass) for own in y.tolist()]
        mean = sum(s * f for s, f in zip(shares, phi, strict=True))
        spread = sum(s * (f - mean) ** 2 for s, f in zip(shares, phi, strict=True))
        own = spread / (sizes[k] - 1 + mass)
        by, total, unknown = by + mean, total + own, unknown + own**2 / (sizes[k] - 1)
    return by, total, total**2 / unknown


def test_volumes_of_simplexes_move_by_their_slopes():
    """Of a determinant between −1 and 1, whose sign is not known where the limits contain 0."""
    y, p = sample(3, 3)
    found = evaluate(y, p, ["triangle_area"])["triangle_area"]
    by, variance, freedom = slopes_by_loops(y, p, 0.25)
    value = found.value + by
    assert by < 0 and variance > found.standard_error**2
    assert found.effective.size == pytest.approx((1 - value**2) / variance, rel=1e-8)
    assert found.effective.degrees_of_freedom == pytest.approx(freedom, rel=1e-8)
    perfect = evaluate(y, np.eye(3)[y], ["triangle_area"])["triangle_area"]
    assert perfect.value == perfect.interval().high == 1 > perfect.interval().low
    noise = evaluate(y, sample(3, 0.0)[1], ["triangle_area"])["triangle_area"]
    assert noise.interval().low == 0 < noise.interval().high
    for tested in (found, noise):
        for against in (0.0, 0.01, 0.3, 0.6, 0.9):
            low, high, *_ = tested.interval(0.9)
            p_value = tested.test(against).p_value
            assert (p_value < 0.1 - 1e-9) == (not low <= against <= high), against


def test_large_classes_need_no_extra_mass(monkeypatch):
    """Where it is left out it would hardly change the limits, and at 1 it is not left out."""
    y = np.repeat([0, 1, 2], 520)
    rng = np.random.default_rng(1)
    names = ["hand_till", "pdi", "aunu"]
    for strength in (0.5, 1.5, 2.5):
        p = rng.normal(size=(len(y), 3))
        p[np.arange(len(y)), y] += strength
        plain = evaluate(y, p, names)
        monkeypatch.setattr(_edge, "LARGE_CLASS", math.inf)
        shrunken = evaluate(y, p, names)
        monkeypatch.undo()
        for name in names:
            one, other = plain[name].interval(), shrunken[name].interval()
            assert plain[name].effective != shrunken[name].effective
            assert one.low == pytest.approx(other.low, abs=0.05 * (one.high - one.low))
            assert one.high == pytest.approx(other.high, abs=0.05 * (one.high - one.low))
    perfect = evaluate(y, np.eye(3)[y], ["hand_till"])["hand_till"]
    assert 0.99 < perfect.interval().low < perfect.interval().high == 1


def test_within_folds():
    y, folds = np.tile(np.repeat([0, 1, 2], 4), 3), np.repeat([0, 1, 2], 12)
    found = evaluate(Predictions(y, np.eye(3)[y], folds=folds), metrics=["hand_till", "pdi"])
    for each in found.values():
        assert each.value == each.interval().high == 1 and 0.7 < each.interval().low < 0.99
