"""Plans: variances against loops, cases against trying all of them, power against SciPy."""

from __future__ import annotations

import itertools
import json
import math
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from polyroc import Predictions, compare, evaluate, plan, reader_study
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.inference import Prices
from polyroc.inference._planning.allocation import divided
from polyroc.inference._planning.gaussian import gaussian_variances, indicator_covariance

ROOT = Path(__file__).parents[2]
PAIRS = np.array([[np.nan, 0.85, 0.75], [0.80, np.nan, 0.70], [0.75, 0.65, np.nan]])


def made_predictions(seed: int, counts: tuple[int, ...] = (12, 9, 7), **options) -> Predictions:
    """Tied scores of a few cases; the same seed has the same true classes."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.array(list("abcdef"))[: len(counts)], counts)
    own = (y[:, None] == np.array(list("abcdef"))[: len(counts)]) * 1.5
    return Predictions(y, np.round(rng.normal(size=own.shape) + own, 1), **options)


def loop_variances(pilot: Predictions, other: Predictions | None = None) -> list[float]:
    """c_k of M, or of a difference of two: jackknife-like loops over pairs of cases."""
    classes = range(pilot.n_classes)
    members = [[i for i, code in enumerate(pilot.codes) if code == k] for k in classes]

    def step(scores: np.ndarray, i: int, j: int, k: int) -> float:
        return 1.0 if scores[i, k] > scores[j, k] else 0.5 if scores[i, k] == scores[j, k] else 0.0

    def placed(scores: np.ndarray, i: int, own: int) -> float:
        total = 0.0
        for r in classes:
            if r != own:
                total += sum(step(scores, i, j, own) for j in members[r]) / len(members[r])
                total += sum(step(scores, j, i, r) for j in members[r]) / len(members[r])
        return total / (pilot.n_classes * (pilot.n_classes - 1))

    found = []
    for k in classes:
        values = [placed(pilot.scores, i, k) for i in members[k]]
        if other is not None:
            values = [
                v - placed(other.scores, i, k) for v, i in zip(values, members[k], strict=True)
            ]
        found.append(float(np.var(values, ddof=1)))
    return found


# Variances


@pytest.mark.parametrize("seed", range(3))
def test_variances_of_a_pilot_are_those_of_loops(seed: int) -> None:
    first, second = made_predictions(seed), made_predictions(seed + 100)
    alone = plan(first, cases=first.class_counts)
    assert list(alone.variances.values()) == pytest.approx(loop_variances(first), rel=1e-10)
    both = plan({"x": first, "y": second}, cases=60)
    assert list(both.variances.values()) == pytest.approx(loop_variances(first, second), rel=1e-10)


@pytest.mark.parametrize("metric", ["hand_till", "aunp", "auc_mu", "pdi", "total_length"])
def test_the_numbers_of_the_pilot_reach_what_it_reached(metric: str) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], [25, 15, 10])
    p = [rng.dirichlet(1 + 3.0 * (y[:, None] == ["a", "b", "c"])[i]) for i in range(50)]
    weights = rng.integers(1, 4, 50) if metric == "hand_till" else None
    pilot = Predictions(y, p, sample_weight=weights)
    expected = evaluate(pilot, metrics=[metric])[metric]
    found = plan(pilot, metric=metric, cases={"a": 25, "b": 15, "c": 10})
    assert found.value == expected.value
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-10)
    assert found.degrees_of_freedom == pytest.approx(expected.degrees_of_freedom, rel=1e-10)
    # A plan takes the value for the true one; other intervals of TL allow for its bias.
    low, high, *_ = replace(expected, bias=0.0).interval(0.9)
    ninety = plan(pilot, metric=metric, cases=[25, 15, 10], level=0.9)
    assert ninety.half_width == pytest.approx((high - low) / 2, rel=1e-2)  # to first order


SEPARATED = {"hand_till": 3.5, "auc_mu": 2.6, "pdi": 3.8}
"""By how much classes are apart so that the metric is nearly 1."""


def nearly_perfect(n: int, metric: str = "hand_till") -> Predictions:
    """Cases of three classes of which hardly any are misplaced."""
    rng = np.random.default_rng(5)
    y = np.arange(3 * n) % 3
    return Predictions(y, rng.normal(size=(3 * n, 3)) + SEPARATED[metric] * np.eye(3)[y])


@pytest.mark.parametrize("metric", sorted(SEPARATED))
@pytest.mark.parametrize("counts", [(6, 8, 12), (20, 20, 20)])
def test_half_widths_near_the_end_of_the_range(metric: str, counts: tuple[int, ...]) -> None:
    """Those of intervals of evaluate in samples of the pilot; its variance alone says a third."""
    pilot, rng = nearly_perfect(60, metric), np.random.default_rng(1)
    planned = plan(pilot, metric=metric, cases=counts, against=0.6)
    found = []
    for _ in range(25):
        drawn = [rng.choice(own, n) for own, n in zip(pilot.members, counts, strict=True)]
        sample = Predictions(*(each[np.concatenate(drawn)] for each in (pilot.codes, pilot.scores)))
        low, high, *_ = evaluate(sample, metrics=[metric])[metric].interval()
        found.append((high - low) / 2)
    assert pilot.codes.size == 180 and planned.value > 0.98
    assert planned.half_width == pytest.approx(
        np.median(found), rel=0.25 if min(counts) < 10 else 0.15
    )
    assert planned.half_width > 1.3 * planned.standard_error * stats.t.ppf(0.975, 20)
    assert "power is rough" in planned.assumptions[-1]
    few = [each for each in planned.assumptions if each.startswith("rough")]
    assert few == (["rough: fewer than 10 cases planned of 0 (6), 1 (8)"] if counts[0] < 10 else [])


def test_a_plan_for_a_half_width_is_kept_near_the_end_of_the_range() -> None:
    """The fewest cases whose interval is so narrow; with one fewer it is wider."""
    pilot = nearly_perfect(60)
    found = plan(pilot, half_width=0.03, allocation="equal")
    assert found.half_width <= 0.03
    each = found.cases[0] - 1
    assert plan(pilot, cases=[each] * 3).half_width > 0.03
    assert not any("power" in words for words in plan(pilot, cases=[600] * 3).assumptions)


def probabilities(counts: tuple[int, ...], separated: float) -> Predictions:
    """Softmax of normal scores that are higher for the true class."""
    y = np.repeat(np.arange(len(counts)), counts)
    raw = np.random.default_rng(2).normal(size=(len(y), len(counts)))
    p = np.exp(raw + separated * np.eye(len(counts))[y])
    return Predictions(y, p, normalize=True)


def half_width_of(predictions: Predictions, metric: str) -> float:
    """Of the interval of evaluate."""
    low, high, *_ = evaluate(predictions, metrics=[metric])[metric].interval()
    return (high - low) / 2


@pytest.mark.parametrize(
    ("metric", "counts", "separated"),
    [
        *product(["simplex_volume"], [(40, 40, 40), (12, 51, 53), (12, 25, 53, 30)], [0.2, 1, 4]),
        *product(["total_length"], [(40, 40, 40), (12, 25, 53, 30)], [0.2, 4]),
        *product(["gini"], [(40, 40, 40), (12, 21, 23)], [0.2, 1]),
        *product(["vus"], [(6, 7, 8), (6, 7, 8, 9)], [0.2, 1, 2]),
    ],
)
def test_a_plan_of_the_pilot_has_the_interval_of_the_pilot(
    metric: str, counts: tuple[int, ...], separated: float
) -> None:
    """Also of sizes whose sign may be unknown, and of volumes of four classes."""
    pilot = probabilities(counts, separated)
    found = half_width_of(pilot, metric)
    planned = plan(pilot, metric=metric, cases=dict(enumerate(counts))).half_width
    assert planned == pytest.approx(found, rel=0.06)


def test_the_half_width_of_a_volume_of_four_classes_has_no_jump() -> None:
    """However many cases there are, intervals of evaluate allow for misplaced ones."""
    pilot = probabilities((25,) * 4, 3.1)
    widths = [plan(pilot, metric="vus", cases=[n] * 4).half_width for n in (499, 500)]
    assert widths[1] == pytest.approx(widths[0], rel=0.01)


@pytest.mark.parametrize(("each", "against"), [(40, 0.9), (40, 0.5), (20, 0.9), (20, 0.95)])
def test_power_is_rough_where_its_interval_is_not_that_of_evaluate(
    each: int, against: float
) -> None:
    """Of many errors that are not seen, and of so few cases that the logit scale says nothing."""
    pilot = probabilities((2000, 2000), 3.5)
    assert plan(pilot, cases=[each] * 2, against=against).assumptions[-1] == (
        "the power is rough: so near the end of the range the intervals and tests of evaluate "
        "differ much from those on the logit scale, on which it is computed"
    )
    assert "rough" not in plan(pilot, cases=[2000] * 2, against=against).assumptions[-1]


def test_the_half_width_at_another_value_is_near_that_of_samples_with_it() -> None:
    """AUC .8 in the pilot, .995 planned: 50 samples of twenty cases a class, with mean .051.

    The interval on the logit scale would be .176.
    """
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 20)
    many = np.repeat([0, 1], 200)
    pilot = Predictions(many, rng.normal(size=400) + 1.2 * many)
    planned = plan(pilot, cases=[20, 20], against=0.5, difference=0.495)
    separated = np.sqrt(2) * stats.norm.ppf(planned.value)
    samples = (Predictions(y, rng.normal(size=40) + separated * y) for _ in range(50))
    found = np.mean([half_width_of(each, "hand_till") for each in samples])
    assert planned.value == pytest.approx(0.995)
    assert planned.half_width == pytest.approx(found, rel=0.3)


def test_a_paired_plan_reaches_what_the_pilot_reached() -> None:
    first, second = made_predictions(1), made_predictions(2)
    (row,) = compare(
        first.codes, {"x": first.scores, "y": second.scores}, ["hand_till"], reference="normal"
    ).differences
    found = plan({"x": first, "y": second}, cases=first.class_counts)
    assert (found.value, found.models) == (pytest.approx(row.difference), ("x", "y"))
    assert found.standard_error == pytest.approx(row.standard_error, rel=1e-10)
    quantile = stats.t.ppf(0.975, found.degrees_of_freedom)
    assert found.half_width == pytest.approx(quantile * row.standard_error, rel=1e-10)


def test_priors_are_held_fixed() -> None:
    """The variance of AUNP is Σ c_k/n_k with the same c_k whatever the numbers of cases."""
    pilot = made_predictions(4)
    for metric in ("au1p", "aunp", "aunu"):
        few = plan(pilot, metric=metric, cases=[20, 20, 20])
        many = plan(pilot, metric=metric, cases=[10, 500, 30])
        assert few.variances == many.variances and few.value == many.value
        other = plan(pilot, metric=metric, cases=60, priors={"a": 0.1, "b": 0.1, "c": 0.8})
        assert (
            other.value == evaluate(pilot, metrics=[metric], priors=[0.1, 0.1, 0.8])[metric].value
        )
        assert other.value != few.value
        assert any("priors fixed: those given" in each for each in other.assumptions)


# Assumed pair AUCs


def test_covariances_are_those_of_a_bivariate_normal() -> None:
    for g, h, rho in itertools.product((-1.3, 0.0, 2.1), (-0.4, 1.7), (-0.5, -0.25, 0.1, 0.5)):
        both = stats.multivariate_normal.cdf([g, h], cov=[[1, rho], [rho, 1]], abseps=1e-12)
        expected = both - stats.norm.cdf(g) * stats.norm.cdf(h)
        found = indicator_covariance(np.array(g), np.array(h), np.array(rho))
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_variances_of_the_model_are_those_of_its_samples(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    pairs = rng.uniform(0.55, 0.9, (n_classes, n_classes))
    if n_classes == 2:
        pairs[0, 1] = pairs[1, 0]
    n = 3000
    noise = rng.normal(size=(n_classes, n, n_classes))
    noise -= noise.mean(axis=2, keepdims=True)
    noise *= math.sqrt(n_classes / (n_classes - 1))
    distance = math.sqrt(2) * stats.norm.ppf(pairs)
    for k in range(n_classes):
        noise[k] -= np.where(np.arange(n_classes) == k, 0, distance[:, k])
    sample = Predictions(np.repeat(range(n_classes), n), noise.reshape(-1, n_classes))
    for metric, priors in (("hand_till", None), ("aunp", range(1, n_classes + 1))):
        options = {"metric": metric, "priors": None if priors is None else list(priors)}
        seen = plan(sample, cases=100 * n_classes, **options)
        assumed = plan(pair_auc=pairs, cases=100 * n_classes, **options)
        assert assumed.value == pytest.approx(seen.value, abs=4 * 0.5 / math.sqrt(n))
        for label, variance in assumed.variances.items():
            assert seen.variances[label] == pytest.approx(variance, rel=0.1)


def test_two_classes_are_the_binormal_auc() -> None:
    """c of an AUC in the equal-variance binormal model, by quadrature over one class."""
    auc = 0.8
    d = math.sqrt(2) * stats.norm.ppf(auc)
    x = np.linspace(-9, 9, 20001)
    square = np.trapezoid(stats.norm.cdf(x + d) ** 2 * stats.norm.pdf(x), x)
    for metric in ("roc_auc", "hand_till"):
        made = plan(pair_auc=auc, metric=metric, cases=[30, 60])
        assert list(made.variances.values()) == pytest.approx([square - auc**2] * 2, rel=1e-9)
        assert list(made.cases) == ["negative", "positive"]


def test_forms_of_pair_auc() -> None:
    classes = ["x", "y", "z"]
    table = plan(pair_auc=PAIRS, cases=60)
    frame = plan(pair_auc=pd.DataFrame(PAIRS, classes, classes), cases=60)
    pairs = {(a, b): PAIRS[i, j] for i, a in enumerate(classes) for j, b in enumerate(classes)}
    named = plan(pair_auc={key: v for key, v in pairs.items() if key[0] != key[1]}, cases=60)
    assert list(table.cases) == [0, 1, 2] and list(frame.cases) == list(named.cases) == classes
    assert table.half_width == frame.half_width == named.half_width
    one_way = plan(pair_auc={("x", "y"): 0.8, ("x", "z"): 0.8, ("z", "y"): 0.8}, cases=60)
    assert one_way.value == pytest.approx(0.8)
    ill = plan(pair_auc={("ill", "well"): 0.8}, cases={"ill": 30, "well": 70}, metric="roc_auc")
    assert list(ill.cases.items()) == [("well", 70), ("ill", 30)]


def test_value_and_variances_follow_a_difference() -> None:
    """All separations are multiplied by one number; a pilot's variances follow θ(1 − θ)."""
    assumed = plan(pair_auc=PAIRS, cases=60, difference=0.1, against=0.7)
    assert assumed.value == pytest.approx(0.8, abs=1e-12)
    factor = stats.norm.ppf(PAIRS)
    grid = [np.nanmean(stats.norm.cdf(t * factor)) for t in (1.2, 1.3, 1.4, 1.5)]
    assert min(grid) < 0.8 < max(grid)
    assert sum(assumed.variances.values()) < sum(plan(pair_auc=PAIRS, cases=60).variances.values())
    pilot = made_predictions(5)
    own, moved = plan(pilot, cases=60), plan(pilot, cases=60, against=0.5, difference=0.4)
    scale = 0.9 * 0.1 / (own.value * (1 - own.value))
    assert moved.value == pytest.approx(0.9)
    assert list(moved.variances.values()) == pytest.approx(
        [scale * each for each in own.variances.values()]
    )


# Cases


def test_the_fewest_cases_are_found() -> None:
    """One case per class less does not do, and no other allocation of as few cases does."""
    pilot = made_predictions(6)
    aims = (
        {"half_width": 0.07},
        {"power": 0.9, "against": 0.65},
        {"half_width": 0.1, "power": 0.8},
    )
    for aim in aims:
        equal = plan(pilot, allocation="equal", **aim)
        (n,) = set(equal.cases.values())
        fewer = plan(pilot, cases=[n - 1] * 3, against=aim.get("against"))
        lacking = fewer.half_width > aim.get("half_width", 1) or fewer.power < aim.get("power", 0)
        assert lacking
        assert equal.half_width <= aim.get("half_width", 1) and equal.power >= aim.get("power", 0)
        best = plan(pilot, **aim)
        assert best.total <= equal.total


def test_the_best_allocation_is_the_cheapest_of_all() -> None:
    pilot, prices = made_predictions(7), {"a": 1, "b": 4, "c": 9}
    best = plan(pilot, half_width=0.1, allocation=Prices(prices))
    c = np.array(list(best.variances.values()))
    ideal = np.sqrt(c / [1, 4, 9])
    assert np.array(list(best.cases.values())) == pytest.approx(
        ideal * best.cases["a"] / ideal[0], abs=1.01
    )
    assert best.price == best.cases["a"] + 4 * best.cases["b"] + 9 * best.cases["c"]
    target = (c / np.array(list(best.cases.values()))).sum()
    grid = np.stack(np.meshgrid(*[np.arange(2, 2 * n) for n in best.cases.values()]), axis=-1)
    enough = (c / grid).sum(axis=-1) <= target
    cheapest = (grid @ [1, 4, 9])[enough].min()
    assert best.price <= cheapest + 14  # each class is rounded up


def test_allocations() -> None:
    pilot = made_predictions(8, (20, 10, 5))
    shares = {
        "pilot": [4, 2, 1],
        "equal": [1, 1, 1],
    }
    for allocation, expected in shares.items():
        made = plan(pilot, cases=7 * 30, allocation=allocation)
        assert list(made.cases.values()) == [210 * each / sum(expected) for each in expected]
    given = plan(pilot, cases=100, allocation={"c": 1, "b": 1, "a": 2})
    assert list(given.cases.values()) == [50, 25, 25]
    assert plan(pilot, half_width=0.05, allocation=[2, 1, 1]).cases["a"] > 25
    for total, weights in itertools.product((6, 7, 50, 101), ([1, 0, 0], [3, 2, 1], [1, 1, 1])):
        counts = divided(total, np.array(weights) / sum(weights))
        assert counts.sum() == total and (counts >= 2).all()


# Power


def test_power_is_that_of_noncentral_t() -> None:
    pilot = {"x": made_predictions(1), "y": made_predictions(2)}
    for alternative, side in (("two-sided", 1), ("greater", 1), ("less", -1)):
        found = plan(
            pilot, cases=[30, 40, 20], difference=side * 0.05, alternative=alternative, level=0.9
        )
        alpha = 0.05 if alternative == "two-sided" else 0.1
        critical = stats.t.ppf(1 - alpha, found.degrees_of_freedom)
        away = 0.05 / found.standard_error
        expected = stats.nct.sf(critical, found.degrees_of_freedom, away)
        assert found.power == pytest.approx(expected, rel=1e-8)


def test_cases_power_and_difference_follow_from_each_other() -> None:
    single, paired = made_predictions(9), {"x": made_predictions(9), "y": made_predictions(10)}
    for pilot, sign in ((single, 1), (paired, 1), (single, -1), (paired, -1)):
        options = {"cases": 90, "alternative": "less" if sign < 0 else "two-sided"}
        if pilot is single:
            options["against"] = 0.7
        found = plan(pilot, power=0.85, **options)
        assert found.power == pytest.approx(0.85, abs=1e-9) and sign * found.difference > 0
        again = plan(pilot, difference=found.difference, **options)
        assert again.power == pytest.approx(0.85, abs=1e-9)
    assumed = plan(pair_auc=PAIRS, cases=90, power=0.9)
    assert plan(
        pair_auc=PAIRS, cases=assumed.cases, difference=assumed.difference
    ).power == pytest.approx(0.9, abs=1e-9)


@pytest.mark.parametrize(("against", "cases"), [(0.2, 12), (0.8, 60)])
def test_a_value_is_looked_for_up_to_the_end_of_its_range(against: float, cases: int) -> None:
    found = plan(pair_auc=0.75, cases=cases, against=against, power=0.8)
    assert 0.6 < found.value < 1 and found.power == pytest.approx(0.8, abs=1e-9)
    again = plan(pair_auc=0.75, cases=cases, against=against, difference=found.difference)
    assert again.power == pytest.approx(0.8, abs=1e-9)


def test_power_grows_with_cases() -> None:
    for auc, against in ((0.8, 0.5), (0.95, 0.9), (0.999, 0.9)):
        powers = [plan(pair_auc=auc, cases=[n, n], against=against).power for n in range(2, 30)]
        assert powers == sorted(powers)
    one_sided = plan(pair_auc=0.8, cases=20, level=0.3, alternative="greater")
    assert one_sided.power > 0.99
    below = plan(pair_auc=0.8, cases=20, against=0.7, power=0.8, alternative="less")
    assert below.value < 0.5 and below.power == pytest.approx(0.8, abs=1e-9)


def test_a_value_at_the_end_of_its_range_is_not_tested_against() -> None:
    """The volume of a simplex is 0 by chance, where a logit does not exist."""
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    y = np.array(list("abc"))[p.argmax(axis=1)]
    made = plan(Predictions(y, p), metric="simplex_volume", half_width=0.1)
    assert math.isnan(made.power) and made.against is None and "power" not in repr(made)
    assert made.to_dict()["power"] is None
    with pytest.raises(InvalidInput) as error:
        plan(Predictions(y, p), metric="simplex_volume", power=0.8)
    assert str(error.value) == (
        "power= is that of a test, and simplex_volume has no value of chance within its range to "
        "test against. Pass against=."
    )


def test_noninferiority() -> None:
    """A difference of 0 against a margin, one-sided."""
    pilot = {"x": made_predictions(1), "y": made_predictions(2)}
    made = plan(
        pilot, power=0.8, difference=0, against=-0.1, alternative="greater", method="normal"
    )
    z = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    assert made.standard_error == pytest.approx(0.1 / z, rel=0.03)
    assert made.value == 0 and made.difference == 0.1


@pytest.mark.slow
def test_power_planned_is_power_simulated() -> None:
    sys.path.append(str(ROOT / "proof" / "benchmarks"))
    import planned_power

    for name, made, found in planned_power.plans(1)[4:6]:
        share = planned_power.simulated(found, made, 3000, 1)
        assert share == pytest.approx(made.power, abs=0.03), name


# Reader studies


def readings() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    case, reader, modality = (each.ravel() for each in np.indices((60, 4, 2)))
    truth = (case % 3 == 0).astype(int)
    skill = 1 + 0.5 * rng.normal(size=(4, 2))[reader, modality]
    rating = (
        truth * (skill + 0.6 * modality) + rng.normal(size=60)[case] + rng.normal(size=case.size)
    )
    columns = {"case": case, "reader": reader, "modality": modality, "truth": truth}
    return pd.DataFrame({**columns, "rating": rating})


def test_a_reader_study_is_a_pilot() -> None:
    study = reader_study(
        readings(),
        case="case",
        reader="reader",
        modality="modality",
        truth="truth",
        rating="rating",
    )
    found = plan(study, readers=6, power=0.8, difference=0.1)
    needed = study.cases_needed(6, 0.8, difference=0.1)
    assert (found.total, found.power, found.readers) == (needed.cases, needed.power, 6)
    rough = plan(study, readers=6, power=0.8, difference=0.1, level=0.8)
    fewer = study.cases_needed(6, 0.8, difference=0.1, level=0.8).cases
    assert rough.total == fewer < found.total
    assert found.cases[1] / found.total == pytest.approx(1 / 3, abs=0.01)
    assert plan(study, cases=60).power == study.power(4, 60).power
    assert plan(study, cases={0: 40, 1: 20}, metric="roc_auc").value == pytest.approx(
        study.means[0] - study.means[1]
    )
    assert study.components["var_tr"] > 0
    row = study.frame("differences").iloc[0]
    assert plan(study, cases=60).half_width == pytest.approx((row["high"] - row["low"]) / 2)
    narrow = plan(study, readers=20, half_width=0.06)
    assert narrow.half_width <= 0.06
    assert study.half_width(20, narrow.total - 1)[0] > 0.06
    seen = plan(study, readers=6, cases=200, power=0.8)
    assert study.power(6, 200, difference=seen.value).power == pytest.approx(0.8, abs=1e-9)
    assert repr(found).startswith(f"6 readers, {found.total} cases (")
    assert json.loads(json.dumps(found.to_dict()))["readers"] == 6
    assert list(found.frame()) == ["class", "cases", "share"]
    with pytest.raises(InvalidInput) as error:
        plan(study, cases=60, metric="pdi", allocation=Prices([1, 2]))
    assert str(error.value) == (
        "metric, allocation cannot be given with a reader study, which has its own metric, "
        "two-sided tests and classes in the shares of the pilot."
    )
    with pytest.raises(InvalidInput, match="must be in the shares of the pilot"):
        plan(study, cases={0: 20, 1: 40})
    with pytest.raises(NotDefined, match=r"2 readers do not reach a half-width of 0\.001 with"):
        plan(study, readers=2, half_width=0.001)


def test_a_plan_of_readers_says_what_it_assumes() -> None:
    roles = {name: name for name in ("case", "reader", "modality", "truth", "rating")}
    found = plan(reader_study(readings(), **roles), cases=60)
    assert found.to_dict()["assumptions"] == [
        "variance components from the 4 readers and 60 cases of the pilot",
        "readers and cases random",
        "classes in the shares of the pilot",
    ]
    assert "<li>readers and cases random</li>" in found._repr_html_()


def test_a_reader_study_without_a_difference_is_a_pilot_for_intervals() -> None:
    """Of three modalities, or of two that do not differ, no difference is the one to be found."""
    roles = {name: name for name in ("case", "reader", "modality", "truth", "rating")}
    two = readings()
    third = two[two["modality"] == 0].assign(modality=2, rating=lambda t: t["rating"].iloc[::-1])
    three = reader_study(pd.concat([two, third]), **roles)
    narrow = plan(three, readers=20, half_width=0.1)
    assert narrow.half_width <= 0.1 < three.half_width(20, narrow.total - 1)[0]
    assert math.isnan(narrow.value) and math.isnan(narrow.power)
    assert "roc_auc, difference of two modalities ± " in repr(narrow)
    assert "roc_auc, difference of two modalities is known to ± " in narrow.sentences()[0]
    assert json.loads(json.dumps(narrow.to_dict(), allow_nan=False))["value"] is None
    assert plan(three, cases=60).half_width == three.half_width(4, 60)[0]
    with pytest.raises(InvalidInput, match="difference must be a number other than 0, got None"):
        plan(three, readers=6, power=0.8)
    one = two[two["reader"] == 0]
    turned = pd.concat([one, one.assign(reader=1, modality=1 - one["modality"])])
    none = plan(reader_study(turned, **roles), cases=60)
    assert none.value == 0 and math.isnan(none.power) and none.half_width > 0
    strict = plan(three, readers=2, cases=10**6, power=0.99, level=0.999)
    assert strict.power == pytest.approx(0.99, abs=1e-9)
    with pytest.raises(InvalidInput, match=r"power must be above 0\.05, got 0\.04"):
        plan(three, readers=6, cases=60, power=0.04)
    one, other = made_predictions(0), made_predictions(1)
    for pilot in (one, {"one": one, "other": other}):
        with pytest.raises(InvalidInput, match=r"power must be above 0\.025, got 0\.02: the test"):
            plan(pilot, cases=[40, 30, 50], power=0.02)


# What people see


def test_result() -> None:
    pilot = made_predictions(1)
    made = plan(pilot, power=0.9, allocation=Prices([1, 2, 3]))
    frame = made.frame()
    columns = ["class", "cases", "share", "variance", "part_of_variance", "price"]
    assert list(frame) == columns and frame["class"].tolist() == ["a", "b", "c"]
    assert frame["part_of_variance"].sum() == pytest.approx(1)
    assert frame["price"].sum() == made.price
    content = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert content["total"] == made.total == frame["cases"].sum()
    assert "\n" not in repr(made) and f"power {made.power:.4f} against 0.5" in repr(made)
    assert "fewer than 10 cases in the pilot of b (9), c (7)" in "".join(made.assumptions)
    script = plan(pair_auc={("<b>", "x"): 0.8}, cases=50)
    assert "<b>" not in script._repr_html_() and "&lt;b&gt;" in script._repr_html_()
    with pytest.raises(AttributeError):
        made.power = 1
    normal = plan(pilot, cases=50, method="normal")
    assert normal.to_dict()["degrees_of_freedom"] is None


PERFECT = Predictions(["a", "a", "b", "b"], [[1, 0], [1, 0], [0, 1], [0, 1]])
ONE = Predictions(["a", "a", "b"], [[1, 0], [0.4, 0.6], [0.5, 0.5]])
MISTAKES = [
    ({}, "A plan needs an aim. Pass half_width= or power= to get the cases needed, or cases= to "
     "get what they reach."),
    ({"power": 0.8}, "Pass a pilot or pair_auc=, got neither."),
    ({"pilot": PERFECT, "pair_auc": 0.8, "power": 0.8}, "Pass a pilot or pair_auc=, got both."),
    ({"pair_auc": 0.8, "cases": 9, "half_width": 0.1},
     "cases= and half_width= exclude each other: one follows from it."),
    ({"pair_auc": 0.8, "cases": 9, "power": 0.8, "difference": 0.1},
     "cases=, power= and difference= exclude each other: each follows from the other two. Leave "
     "one out."),
    ({"pair_auc": 0.8, "power": 80}, "power must lie between 0 and 1, got 80."),
    ({"pair_auc": 0.8, "half_width": -1}, "half_width must be positive, got -1."),
    ({"pair_auc": 0.8, "half_width": "x"}, "half_width must be a number, got 'x'."),
    ({"pair_auc": 0.8, "cases": 3}, "cases must be at least 4, got 3."),
    ({"pair_auc": 0.8, "cases": [3, 1]}, "cases must be at least 2, got 1."),
    ({"pair_auc": 0.8, "cases": {"a": 3, "b": 4}},
     "cases names 'a', 'b' but the classes are 'negative', 'positive'. Give one number per class."),
    ({"pair_auc": 0.8, "cases": 9, "allocation": [1, 2, 3]},
     "allocation has the shape (3,) but there are 2 classes. Give one number per class."),
    ({"pair_auc": 0.8, "cases": 9, "allocation": Prices([1, -2])},
     "prices must be positive, got [1.0, -2.0]."),
    ({"pair_auc": 0.8, "cases": 9, "allocation": Prices(["x", 1])},
     "prices must be numbers, got ['x', 1]."),
    ({"pair_auc": 0.8, "cases": 9, "allocation": "pilot"},
     'allocation="pilot" needs a pilot. Use "best", "equal" or shares.'),
    ({"pair_auc": 0.8, "cases": 9, "readers": 5},
     "readers= is for a reader study. Pass a ReaderStudy as the pilot."),
    ({"pair_auc": 0.8, "cases": 9, "priors": [0.5, 0.5]},
     "hand_till does not depend on priors. Leave priors= out."),
    ({"pair_auc": 0.8, "cases": 9, "against": 1.5},
     "against must lie between 0 and 1, the range of hand_till, got 1.5."),
    ({"pair_auc": 0.8, "cases": 9, "difference": 0.7},
     "against= and difference= give hand_till = 1.2, but it lies between 0 and 1. Pass a smaller "
     "difference=."),
    ({"pair_auc": 0.8, "power": 0.9, "against": 0.8},
     "The value assumed is the value tested against, 0.8. Pass difference= or against=."),
    ({"pair_auc": 0.8, "power": 0.9, "alternative": "less"},
     'alternative="less" looks on the other side of 0.5 than the value assumed, 0.8. Pass '
     "difference=, or another alternative=."),
    ({"pair_auc": 1.2, "power": 0.9},
     "pair_auc must lie between 0 and 1, got 1.2 for 'negative', 'positive'."),
    ({"pair_auc": [0.8, 0.9], "power": 0.9},
     "pair_auc has the shape (2,). Pass a number for two classes, a square table with a row per "
     "positive class, or a mapping such as {('a', 'b'): 0.8}."),
    ({"pair_auc": "x", "power": 0.9}, "pair_auc must be numbers, got 'x'."),
    ({"pair_auc": {"ab": 0.8}, "power": 0.9},
     "A key of pair_auc must be a pair of classes such as ('a', 'b'), got 'ab'."),
    ({"pair_auc": {("a", "b"): 0.8, ("a", "c"): 0.8}, "power": 0.9},
     "pair_auc lacks the pair 'b', 'c'. Give an AUC for every two classes."),
    ({"pair_auc": pd.DataFrame(PAIRS, list("abc"), list("bca")), "power": 0.9},
     "The rows and columns of pair_auc have different names. Name both after the classes, in the "
     "same order."),
    ({"pair_auc": PAIRS, "power": 0.9, "metric": "pdi"},
     "pdi is not a function of pair AUCs, so pair_auc= does not say how it varies. Pass a pilot, "
     "or plan for a metric of ranked pairs such as hand_till."),
    ({"pair_auc": PAIRS, "power": 0.9, "method": "obuchowski"},
     'method="obuchowski" is for the AUC of two classes, got hand_till of 3. Use '
     'method="influence".'),
    ({"pair_auc": 0.8, "power": 0.9, "method": "delong"},
     'method="delong" is for a paired comparison. Pass a mapping of two names to Predictions, or '
     'use method="normal".'),
    ({"pair_auc": 0.5, "cases": 50, "difference": 0.2},
     "No common factor of the assumed separations gives hand_till = 0.7. Pass other values of "
     "pair_auc=."),
    ({"pilot": {"x": ONE, "y": ONE, "z": ONE}, "power": 0.8},
     "A paired pilot names two models, got 3. Choose two."),
    ({"pilot": {"x": ONE, "y": PERFECT}, "power": 0.8},
     "x and y have different cases: their classes, true classes or weights differ. A paired pilot "
     "needs both models on the same cases, in the same order."),
    ({"pilot": ONE, "power": 0.8},
     "Class 'b' has one case in the pilot, which does not show how cases of 'b' vary. Pass a pilot "
     "with two or more cases of each class."),
    ({"pilot": PERFECT, "power": 0.8},
     "Every case of the pilot agrees on hand_till = 1, so there is no variance to plan with. Pass "
     "a larger pilot, or pair_auc=."),
    ({"pilot": {"x": PERFECT, "y": PERFECT}, "power": 0.8},
     "x and y agree on every case of the pilot, so there is no variance to plan with. Pass models "
     "that differ."),
    ({"pilot": PERFECT, "power": 0.8, "method": "obuchowski"},
     "Obuchowski's variance does not exist at an AUC of 1. Plan for a value between 0 and 1."),
    ({"pilot": {"x": PERFECT, "y": PERFECT}, "power": 0.8, "method": "obuchowski"},
     'method="obuchowski" is for one AUC. Use method="influence" or method="delong" for two '
     "models."),
]  # fmt: skip


def test_mistakes_are_told() -> None:
    for options, message in MISTAKES:
        with pytest.raises(InvalidInput) as error:
            plan(**options)
        assert str(error.value) == message
    with pytest.raises(InvalidType) as error:
        plan([1, 2], power=0.8)
    assert str(error.value) == (
        "pilot must be Predictions, a mapping of two names to Predictions or a ReaderStudy, got "
        "list. Pass Predictions(y_true, y_score)."
    )
    with pytest.raises(InvalidType, match=r"The pilot of 'y' must be Predictions, got list\."):
        plan({"x": ONE, "y": []}, power=0.8)
    with pytest.raises(UnknownName, match="There is no metric 'auc'"):
        plan(pair_auc=0.8, power=0.8, metric="auc")
    with pytest.raises(NotDefined, match="A billion cases do not reach this"):
        plan(pair_auc=0.8, half_width=1e-9)
    with pytest.raises(NotDefined, match=r"These cases do not reach a power of 0\.99 for any"):
        plan(pair_auc=0.6, cases=4, power=0.99)


def test_weights_of_pairs_enter_squared() -> None:
    pairs = np.array([[np.nan, 0.8], [0.7, np.nan]])
    one = gaussian_variances(pairs, np.array([[0, 0.0], [1.0, 0]]))
    assert gaussian_variances(pairs, np.array([[0, 0.0], [2.0, 0]])) == pytest.approx(4 * one)


def test_folds_of_a_pilot_are_told_as_taken_together() -> None:
    y, p = np.arange(60) % 3, np.random.default_rng(2).dirichlet(np.ones(3), 60)
    folds = np.arange(60) // 20
    plain = {name: Predictions(y, each) for name, each in (("a", p), ("b", p[::-1]))}
    folded = {name: Predictions(y, each.scores, folds=folds) for name, each in plain.items()}
    told = "the cases of all folds of the pilot are taken together"
    for one, other in ((plain, folded), (plain["a"], folded["a"])):
        without, within = plan(one, half_width=0.1), plan(other, half_width=0.1)
        assert without.cases == within.cases
        assert told not in without.assumptions and told in within.assumptions
