"""How certain G and δ are, recounted by loops; what notes say; comparisons of two surfaces."""

import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

from polyroc._base.tables import text_table
from polyroc.errors import InvalidInput, NotDefined
from polyroc.predictions import Predictions
from polyroc.results import Estimate, Note
from polyroc.statistics.spread import Spread
from polyroc.surface import LinearModel, RocSurface, ScoreModel
from polyroc.surface import _certainty as certainty
from polyroc.surface import _comparison as comparison
from polyroc.surface._certainty import (
    Unknown,
    check_paired,
    effect_of,
    joined,
    of_samples,
    on_selection,
    one_case,
    same_cases,
    without_cases,
)
from polyroc.surface._front import member_rates
from polyroc.surface._gini import delta, gini
from polyroc.surface._gradient import gini_slopes

NAMES = ("a", "b", "c")
OFF = ~np.eye(3, dtype=bool)
PAIRS = [(k, j) for k in range(3) for j in range(3) if k != j]
ENTRIES = np.array(
    [
        [0.1, 0.2, 0.1, 0.3, 0.1, 0.2],
        [0.5, 0.1, 0.1, 0.1, 0.1, 0.1],
        [0.2, 0.2, 0.2, 0.2, 0.1, 0.1],
        [0.1, 0.1, 0.4, 0.2, 0.1, 0.1],
        [0.1, 0.1, 0.1, 0.1, 0.2, 0.4],
    ]
)


def scores(seed: int, counts: tuple[int, ...] = (6, 9, 14)) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(counts)), counts)
    p = rng.dirichlet(np.ones(len(counts)), len(codes)) + 0.5 * np.eye(len(counts))[codes]
    return codes, p / p.sum(axis=1, keepdims=True)


def surface_of(
    codes: np.ndarray, p: np.ndarray, entries: np.ndarray = ENTRIES, weights: Any = None,
    groups: Any = None,
) -> RocSurface:  # fmt: skip
    y = np.array(NAMES)[codes]
    if groups is None:
        model = ScoreModel(y, p, labels=list(NAMES), sample_weight=weights)
    else:
        model = ScoreModel(Predictions(y, p, labels=list(NAMES), groups=groups))
    rates = member_rates(model, np.zeros((len(entries), 0)), entries)
    tables = np.zeros((len(entries), 3, 3))
    tables[:, OFF] = entries
    totals = model.cases.class_weights
    return RocSurface(rates, tables, np.zeros((len(entries), 0)), NAMES, totals, {}, model)


WEIGHTS = np.linspace(0.5, 2.5, 29)
CODES, P = scores(1)
_, Q = scores(2)


def decisions(surface: RocSurface, p: np.ndarray) -> np.ndarray:
    """(m, n) what each point decides for each case."""
    return np.array([[int(np.argmin(row @ table)) for row in p] for table in surface.costs])


def influence_by_loops(surface: RocSurface, p: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    decided = decisions(surface, p)
    codes = surface.model.cases.codes  # type: ignore[union-attr]
    found = np.zeros(len(codes))
    for i, code in enumerate(codes):
        for m in range(len(surface)):
            for d, (k, j) in enumerate(PAIRS):
                if k == code:
                    found[i] += slopes[m, d] * ((decided[m, i] == j) - surface.rates[m, d])
    return found


def spread_by_loops(influence: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> Spread:
    parts, cases = [], []
    for k in np.unique(codes):
        own = codes == k
        n = int(own.sum())
        total = weights[own].sum()
        parts.append(n / (n - 1) * sum((weights[own] * influence[own] / total) ** 2))
        cases.append(n)
    among = sum(part**2 / (n - 1) for part, n in zip(parts, cases, strict=True))
    return Spread(sum(parts), sum(parts) ** 2 / among)


SLOPES = np.array(
    [
        [-0.1, 0.0, 0.2, -0.3, 0.0, 0.1],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-0.2, -0.1, -0.1, -0.2, -0.3, -0.1],
        [0.0, 0.3, 0.0, 0.0, 0.0, 0.0],
        [0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
    ]
)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_influence_of_any_derivatives(weights: Any) -> None:
    surface = surface_of(CODES, P, weights=weights)
    effect = effect_of(surface, SLOPES)
    wanted = influence_by_loops(surface, P, SLOPES)
    np.testing.assert_allclose(effect.influence, wanted, atol=1e-9)
    assert effect.cases is surface.model.cases  # type: ignore[union-attr]
    own = effect.cases.weights
    for k in range(3):  # the weighted mean of each class is 0
        assert (own * effect.influence)[k == CODES].sum() == pytest.approx(0, abs=1e-9)
    assert not effect_of(surface, np.zeros((5, 6))).influence.any()


@pytest.mark.parametrize(
    ("size", "near", "far"), [(0.5, 0.9e-9, 1.4e-9), (4.0, 3.6e-9, 4.4e-9), (0.01, 0.9e-9, 1.4e-9)]
)
def test_rates_may_differ_from_those_counted_anew_by_rounding(
    size: float, near: float, far: float
) -> None:
    """By 10⁻⁹ of the derivatives' size, and at least of 1."""
    surface = surface_of(CODES, P)
    slopes = np.zeros((5, 6))
    entry = int(np.argmax(surface.rates[0]))
    slopes[0, entry], slopes[2, (entry + 3) % 6] = size / 2, -size / 2
    assert surface.rates[0, entry] > 0.3
    for change, known in ((near, True), (far, False)):
        rates = surface.rates.copy()
        rates[0, entry] += change / (size / 2)
        moved = replace(surface, rates=rates)
        if known:
            effect_of(moved, slopes)
        else:
            with pytest.raises(Unknown) as error:
                effect_of(moved, slopes)
            assert error.value.note is certainty.OTHER_CASES


def test_influence_of_members_with_parameters_of_their_own() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(29, 2)) + np.eye(3)[CODES][:, :2]
    model = LinearModel(X, np.array(NAMES)[CODES])
    one, two = rng.normal(size=(2, len(model.noise)))
    parameters = np.array([one, two, one])
    rates = member_rates(model, parameters, ENTRIES[:3])
    tables = np.zeros((3, 3, 3))
    tables[:, OFF] = ENTRIES[:3]
    totals = model.cases.class_weights
    surface = RocSurface(rates, tables, parameters, NAMES, totals, {}, model)
    wanted = np.zeros(29)
    for m in range(3):
        p = model.probabilities(parameters[m])
        wanted += influence_by_loops(surface[m], p, SLOPES[[0, 2, 3]][m : m + 1])
    found = effect_of(surface, SLOPES[[0, 2, 3]]).influence
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_effects_are_joined_case_by_case_or_as_samples() -> None:
    x, z = surface_of(CODES, P, weights=WEIGHTS), surface_of(CODES, Q, weights=WEIGHTS)
    one, two = effect_of(x, SLOPES), effect_of(z, -SLOPES)
    spread, cases = joined([one, two], True)
    wanted = spread_by_loops(one.influence + two.influence, CODES, WEIGHTS)
    assert spread == pytest.approx(wanted) and cases == [one.cases]
    spread, cases = joined([one], True)
    assert spread == pytest.approx(spread_by_loops(one.influence, CODES, WEIGHTS))
    other_codes, other_p = scores(5, (4, 7, 5))
    other = effect_of(surface_of(other_codes, other_p), SLOPES)
    spread, cases = joined([one, other], False)
    assert cases == [one.cases, other.cases]
    alone = [
        spread_by_loops(one.influence, CODES, WEIGHTS),
        spread_by_loops(other.influence, other_codes, np.ones(16)),
    ]
    assert spread.variance == pytest.approx(alone[0].variance + alone[1].variance)
    codes = np.concatenate([CODES, other_codes + 3])
    whole = spread_by_loops(
        np.concatenate([one.influence, other.influence]),
        codes,
        np.concatenate([WEIGHTS, np.ones(16)]),
    )
    assert spread.freedom == pytest.approx(whole.freedom)


def test_the_same_cases_have_labels_and_weights_alike() -> None:
    x, z = surface_of(CODES, P), surface_of(CODES, Q)
    heavy = surface_of(CODES, P, weights=WEIGHTS)
    codes, p = scores(1, (7, 8, 14))
    other, bare = surface_of(codes, p), replace(x, model=None)
    assert same_cases([x, z]) and same_cases([x]) and same_cases([z, x, z])
    for wrong in ([x, heavy], [heavy, x], [x, other], [x, bare], [bare, x], [bare], [x, z, other]):
        assert not same_cases(wrong)
    check_paired([x, z])
    for wrong in ([x, heavy], [other, x]):
        with pytest.raises(InvalidInput, match="rated on different cases: their labels or weights"):
            check_paired(wrong)
    for wrong in ([x, bare], [bare, x]):
        with pytest.raises(InvalidInput, match="needs the cases of both surfaces, which a file"):
            check_paired(wrong)


def test_why_there_are_no_influence_values() -> None:
    surface = surface_of(CODES, P)
    model = surface.model
    assert model is not None
    reasons = [
        (replace(surface, model=None), certainty.NO_CASES),
        (replace(surface, model=model.at(P)), certainty.NO_CASES),
        (surface_of(CODES, P, groups=np.arange(29) // 2), certainty.IN_GROUPS),
    ]
    for each, note in reasons:
        with pytest.raises(Unknown) as error:
            certainty.model_with_cases(each)
        assert error.value.note is note
        found = each.gini()
        assert found.notes == (note,) and math.isnan(found.standard_error)
        assert found.value == surface.gini().value
    assert certainty.model_with_cases(surface) is model
    assert Unknown(certainty.NO_CASES) != Unknown(certainty.NO_CASES)
    with pytest.raises(FrozenInstanceError):
        Unknown(certainty.NO_CASES).note = certainty.IN_GROUPS  # type: ignore[misc]


def estimate(**changes: Any) -> Estimate:
    known: dict[str, Any] = {"settings": {"work": 3}}
    return Estimate("gini", 0.4, math.nan, "exact", **{**known, **changes})


def two_of_each() -> Any:
    return surface_of(CODES, P).model.cases  # type: ignore[union-attr]


GIVEN = Note("points-as-given", "no interval: as given")
SELECTED = Note("selected", "chosen here")


def test_an_exact_value_gets_the_error_of_the_cases() -> None:
    cases = two_of_each()
    found = certainty.with_cases(
        estimate(notes=(GIVEN, SELECTED)), Spread(0.09, 7.5), [cases], [certainty.AS_GIVEN]
    )
    assert found.standard_error == pytest.approx(0.3) and found.degrees_of_freedom == 7.5
    assert found.counts == {"a": 6, "b": 9, "c": 14} and found.settings == {"work": 3}
    assert found.notes == (SELECTED, certainty.AS_GIVEN) and found.error_of == "cases"
    assert (found.value, found.metric, found.method) == (0.4, "gini", "exact")
    both = certainty.with_cases(estimate(), Spread(0.09, 7.5), [cases, cases], [])
    assert both.counts == {"a": 12, "b": 18, "c": 28} and both.notes == ()


@pytest.mark.parametrize(
    ("variance", "known"), [(0.0, False), (1e-26, False), (2.25e-24, True), (math.nan, False)]
)
def test_an_error_that_is_rounding_is_none(variance: float, known: bool) -> None:
    found = certainty.with_cases(
        estimate(), Spread(variance, 5.0), [two_of_each()], [certainty.AS_GIVEN]
    )
    if known:
        assert found.standard_error == math.sqrt(variance) and found.notes == (certainty.AS_GIVEN,)
        return
    assert math.isnan(found.standard_error) and found.degrees_of_freedom == math.inf
    assert found.notes[0] == certainty.AS_GIVEN
    assert found.notes[1] == Note("no-variation", "no standard error: every case agrees on 0.4")


def test_the_error_of_samples_is_added_and_named() -> None:
    cases = two_of_each()
    note = Note("monte-carlo-error", "standard error of the 50 samples alone")
    drawn = estimate(error_of="samples", notes=(GIVEN, note))
    drawn = replace(drawn, standard_error=0.4)
    found = certainty.with_cases(drawn, Spread(0.09, 7.0), [cases], [SELECTED])
    assert found.standard_error == pytest.approx(0.5) and found.degrees_of_freedom == 7
    assert found.settings == {"work": 3, "monte_carlo_error": 0.4} and found.error_of == "cases"
    said = "Monte Carlo error 4.0e-01 of the samples"
    assert [each.text for each in found.notes] == [f"{said}, included", "chosen here"]
    unknown = certainty.with_cases(drawn, Spread(0.0, math.nan), [cases], [SELECTED])
    assert math.isnan(unknown.standard_error) and unknown.degrees_of_freedom == math.inf
    assert [each.text for each in unknown.notes] == [
        said,
        "chosen here",
        "no standard error: every case agrees on 0.4",
    ]
    agreed = Note("samples-agree", "no standard error: 9 samples agree; so it is")
    same = replace(drawn, standard_error=math.nan, notes=(agreed,))
    found = certainty.with_cases(same, Spread(0.09, 7.0), [cases], [])
    assert found.standard_error == pytest.approx(0.3) and found.settings == {"work": 3}
    assert found.notes[0].text == (
        "9 samples agree; so it is; the standard error is that of the cases alone"
    )
    assert of_samples(same, known=False) == [agreed]
    assert of_samples(estimate(notes=(GIVEN, SELECTED)), known=True) == [SELECTED]


def test_a_class_with_one_case_is_named() -> None:
    found = one_case(NAMES, [np.array([3, 1, 2])])
    assert found == Note("one-case", "no standard error: class 'b' has one case")
    assert one_case(NAMES, [np.array([3, 2, 2])]) is None
    assert one_case(NAMES, [np.array([3, 2, 2]), np.array([2, 2, 9])]) is None
    both = one_case(NAMES, [np.array([3, 2, 2]), np.array([2, 2, 1])])
    assert both == Note(
        "one-case", "no standard error: class 'c' of one of the surfaces has one case"
    )
    codes, p = scores(3, (4, 1, 5))
    alone = surface_of(codes, p).gini()
    assert alone.notes[-1].text == "no standard error: class 'b' has one case"
    assert math.isnan(alone.standard_error) and alone.counts == {"a": 4, "b": 1, "c": 5}


def test_reasons_take_the_place_of_points_as_given() -> None:
    found = without_cases(estimate(notes=(GIVEN, SELECTED)), certainty.NO_CASES)
    assert found.notes == (SELECTED, certainty.NO_CASES)
    plain = surface_of(CODES, P)
    rescored = replace(plain, provenance={"rescored_on": "x"})
    assert on_selection([plain]) is certainty.OPTIMISTIC
    assert on_selection([rescored]) is certainty.AS_GIVEN
    assert on_selection([rescored, rescored]) is certainty.AS_GIVEN
    for mixed in ([plain, rescored], [rescored, plain]):
        assert on_selection(mixed) is certainty.OPTIMISTIC


# G and δ of surfaces


def slopes_of(rates: np.ndarray) -> np.ndarray:
    return gini_slopes(rates, 3, work=math.inf, spent=0).values


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_error_of_g_is_that_of_its_influence_values(weights: Any) -> None:
    surface = surface_of(CODES, P, weights=weights)
    found = surface.gini()
    own = np.ones(29) if weights is None else WEIGHTS
    wanted = spread_by_loops(influence_by_loops(surface, P, slopes_of(surface.rates)), CODES, own)
    assert found.value == gini(surface.rates, 3).value
    assert found.standard_error == pytest.approx(math.sqrt(wanted.variance), rel=1e-6)
    assert found.degrees_of_freedom == pytest.approx(wanted.freedom, rel=1e-6)
    assert found.notes == (certainty.OPTIMISTIC,) and found.method == "exact"


def delta_by_loops(x: RocSurface, z: RocSurface, paired: bool) -> tuple[float, Spread]:
    both = slopes_of(np.vstack([x.rates, z.rates]))
    of_x = influence_by_loops(x, x.model.X, both[: len(x)])  # type: ignore[union-attr]
    rest = both[len(x) :] - slopes_of(z.rates)
    of_z = influence_by_loops(z, z.model.X, rest)  # type: ignore[union-attr]
    value = gini(np.vstack([x.rates, z.rates]), 3).value - gini(z.rates, 3).value
    codes = [each.model.cases.codes for each in (x, z)]  # type: ignore[union-attr]
    weights = [each.model.cases.weights for each in (x, z)]  # type: ignore[union-attr]
    if paired:
        return value, spread_by_loops(of_x + of_z, codes[0], weights[0])
    joint = np.concatenate([codes[0], codes[1] + 3])
    return value, spread_by_loops(np.concatenate([of_x, of_z]), joint, np.concatenate(weights))


def test_delta_has_the_error_of_pairs_or_of_samples() -> None:
    x, z = surface_of(CODES, P, ENTRIES[:4]), surface_of(CODES, Q)
    codes, p = scores(7, (5, 8, 12))
    apart = surface_of(codes, p, ENTRIES[1:])
    for other, paired, note in (
        (z, True, comparison.PAIRED),
        (apart, False, comparison.INDEPENDENT),
    ):
        found = x.delta(other)
        value, wanted = delta_by_loops(x, other, paired)
        assert found.value == pytest.approx(value, abs=1e-12)
        assert found.standard_error == pytest.approx(math.sqrt(wanted.variance), rel=1e-6)
        assert found.degrees_of_freedom == pytest.approx(wanted.freedom, rel=1e-6)
        assert found.notes == (note, certainty.OPTIMISTIC)
    assert found.counts == {"a": 11, "b": 17, "c": 26}
    assert x.delta(z).counts == {"a": 6, "b": 9, "c": 14}
    bare = x.delta(replace(z, model=None))
    assert bare.notes == (certainty.NO_CASES,) and math.isnan(bare.standard_error)


def test_a_delta_of_nothing_has_no_error() -> None:
    x = surface_of(CODES, P)
    none = x.delta(x)
    assert none.value == 0 and none.notes == (certainty.AT_EDGE,)
    sampled = x.delta(x, "monte_carlo", n_samples=40, rng=1)
    assert sampled.value == 0 and math.isnan(sampled.standard_error)
    assert [note.code for note in sampled.notes] == ["samples-agree"]
    assert sampled.notes[0].text.startswith("no standard error: 40 samples agree; with 95 %")
    perfect = surface_of(CODES, np.eye(3)[CODES])
    all_of_it = perfect.gini("monte_carlo", n_samples=30, rng=0)
    assert all_of_it.value == 1 and all_of_it.notes[-1].code == "no-variation"


def test_work_and_threads_are_those_of_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    real = comparison.gini_slopes

    def told(rates: np.ndarray, n_classes: int, **options: Any) -> Any:
        seen.append({"points": len(rates), "n_classes": n_classes, **options})
        return real(rates, n_classes, **options)

    monkeypatch.setattr(comparison, "gini_slopes", told)
    x, z = surface_of(CODES, P, ENTRIES[:4]), surface_of(CODES, Q)
    done = x.gini(work=10**7, n_threads=2).settings["work_done"]
    common = {"n_classes": 3, "work": 10**7, "n_threads": 2}
    assert seen == [{"points": 4, "spent": done, **common}]
    seen.clear()
    x.gini("monte_carlo", n_samples=20, rng=0, work=10**7, n_threads=1)
    assert seen == [{"points": 4, "spent": math.inf, **common, "n_threads": 1}]
    seen.clear()
    done = x.delta(z, work=10**7, n_threads=2).settings["work_done"]
    assert seen == [
        {"points": 9, "spent": done, **common},
        {"points": 5, "spent": done, **common},
    ]
    seen.clear()
    replace(x, model=None).gini()
    assert seen == []  # derivatives would be useless without cases


# Comparisons


def test_a_comparison_is_made_of_both_values_of_g_and_delta() -> None:
    x, z = surface_of(CODES, P, ENTRIES[:4], WEIGHTS), surface_of(CODES, Q, weights=WEIGHTS)
    found = x.compare(z)
    for mine, alone in (
        (found.gini, x.gini()),
        (found.other_gini, z.gini()),
        (found.delta, x.delta(z)),
        (found.other_delta, z.delta(x)),
    ):
        assert mine.value == pytest.approx(alone.value, abs=1e-12)
        assert mine.standard_error == pytest.approx(alone.standard_error, rel=1e-9)
        assert mine.degrees_of_freedom == pytest.approx(alone.degrees_of_freedom, rel=1e-9)
        assert mine.notes == alone.notes and mine.counts == alone.counts
    difference = found.difference
    assert difference.value == found.delta.value - found.other_delta.value
    of_x = influence_by_loops(x, P, slopes_of(x.rates))
    of_z = influence_by_loops(z, Q, slopes_of(z.rates))
    wanted = spread_by_loops(of_x - of_z, CODES, WEIGHTS)
    assert difference.standard_error == pytest.approx(math.sqrt(wanted.variance), rel=1e-6)
    assert difference.degrees_of_freedom == pytest.approx(wanted.freedom, rel=1e-6)
    assert (difference.metric, difference.method) == ("gini difference", "exact")
    assert difference.range == (-1.0, 1.0) and difference.error_of == "cases"
    assert difference.notes == (comparison.PAIRED, certainty.OPTIMISTIC)


def test_samples_of_their_own_are_compared_as_such() -> None:
    x, z = surface_of(CODES, P, ENTRIES[:4]), surface_of(CODES, Q)
    found = x.compare(z, paired=False)
    wanted = math.hypot(x.gini().standard_error, z.gini().standard_error)
    assert found.difference.standard_error == pytest.approx(wanted, rel=1e-9)
    assert found.difference.notes[0] == found.delta.notes[0] == comparison.UNPAIRED
    assert found.difference.counts == {"a": 12, "b": 18, "c": 28}
    codes, p = scores(7, (5, 8, 12))
    apart = surface_of(codes, p, ENTRIES[1:])
    other = x.compare(apart, paired=False)
    assert other.difference.notes[0] == other.other_delta.notes[0] == comparison.INDEPENDENT
    assert other.other_gini.counts == {"a": 5, "b": 8, "c": 12}
    with pytest.raises(InvalidInput, match="rated on different cases"):
        x.compare(apart)
    grouped = surface_of(CODES, P, groups=np.arange(29) // 2)
    with pytest.raises(NotDefined) as error:
        x.compare(grouped)
    assert str(error.value) == f"The surfaces cannot be compared: {certainty.IN_GROUPS.text}."
    with pytest.raises(NotDefined, match="The surfaces cannot be compared: no interval: the surf"):
        x.compare(replace(z, model=None), paired=False)


def test_monte_carlo_errors_of_both_are_in_the_difference() -> None:
    x, z = surface_of(CODES, P, ENTRIES[:4]), surface_of(CODES, Q)
    found = x.compare(z, "monte_carlo", n_samples=400, rng=2)
    parts = [each.settings["monte_carlo_error"] for each in (found.delta, found.other_delta)]
    deltas = [delta(a.rates, b.rates, 3, method="monte_carlo", n_samples=400, rng=2)
              for a, b in ((x, z), (z, x))]  # fmt: skip
    assert parts == [each.standard_error for each in deltas]
    sampled = math.hypot(*parts)
    difference = found.difference
    assert difference.settings == {"monte_carlo_error": sampled}
    assert difference.value == deltas[0].value - deltas[1].value
    assert difference.method == "monte carlo"
    exact = x.compare(z).difference.standard_error
    cases = math.sqrt(difference.standard_error**2 - sampled**2)
    assert cases == pytest.approx(exact, rel=0.05)


def test_tests_and_intervals_of_a_difference() -> None:
    x, z = surface_of(CODES, P, ENTRIES[:4]), surface_of(CODES, Q)
    found = x.compare(z)
    known = found.difference
    ratio = known.value / known.standard_error
    assert found.statistic == ratio
    assert found.p_value == pytest.approx(2 * t.sf(abs(ratio), known.degrees_of_freedom))
    assert z.compare(x).p_value == pytest.approx(found.p_value)
    for level in (0.95, 0.5):
        reach = t.ppf((1 + level) / 2, known.degrees_of_freedom) * known.standard_error
        low, high, told, scale = found.interval(level)
        assert (low, high) == pytest.approx((known.value - reach, known.value + reach))
        assert (told, scale) == (level, "plain")
    assert found.interval() == found.interval(0.95)
    endless = replace(found, difference=replace(known, degrees_of_freedom=math.inf))
    assert endless.p_value == pytest.approx(2 * norm.sf(abs(ratio)))
    reach = norm.ppf(0.975) * known.standard_error
    assert endless.interval().high == pytest.approx(known.value + reach)
    unknown = replace(found, difference=replace(known, standard_error=math.nan))
    assert math.isnan(unknown.p_value)


def test_the_rows_of_a_comparison() -> None:
    x, z = surface_of(CODES, P, ENTRIES[:4]), surface_of(CODES, Q)
    found = x.compare(z)
    for level in (0.95, 0.8):
        frame = found.frame(level) if level != 0.95 else found.frame()
        names = ["G", "G of the other", "δ", "δ of the other", "difference of G"]
        assert frame["quantity"].tolist() == names
        every = [found.gini, found.other_gini, found.delta, found.other_delta, found.difference]
        assert frame["value"].tolist() == [each.value for each in every]
        assert frame["standard_error"].tolist() == [each.standard_error for each in every]
        limits = [each.interval(level) for each in every[:4]] + [found.interval(level)]
        assert frame["low"].tolist() == [each.low for each in limits]
        assert frame["high"].tolist() == [each.high for each in limits]
        assert np.isnan(frame["p_value"][:4]).all() and frame["p_value"][4] == found.p_value
    assert repr(found) == text_table(found._rows(0.95)) != text_table(found._rows(0.9))
    assert found == found and found != x.compare(z)
    with pytest.raises(FrozenInstanceError):
        found.gini = found.delta  # type: ignore[misc]
