"""Statistics of folds: their parts, shares and means by plain loops over the folds."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from polyroc import Predictions, registry
from polyroc.errors import NotDefined
from polyroc.metrics import folds
from polyroc.metrics.folds import (
    DRAWN,
    FoldStatistics,
    in_folds,
    pairs_of,
    statistics_of,
    undivided,
)
from polyroc.metrics.measure import CaseStatistics, measure
from polyroc.metrics.question import Gradient, Influence, NoDerivative
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.statistic import Need

rng = np.random.default_rng(5)
Y = np.array(list("aabbcccaaabbccabbbcc"))
FOLD = np.repeat(["x", "y", "z"], [7, 7, 6])
P = rng.dirichlet(np.ones(3), 20) + 0.3 * np.eye(3)[np.searchsorted(list("abc"), Y)]
P = np.round(P / P.sum(axis=1, keepdims=True), 2)
P[:, 2] = 1 - P[:, :2].sum(axis=1)
W = rng.integers(1, 9, 20) / 7
NAMES = ["hand_till", "auc_mu", "pdi", "hand_till_scored", "aunp", "total_length", "vus"]


def held_out(weighted: bool = False, **given: Any) -> Predictions:
    return Predictions(Y, P, folds=FOLD, sample_weight=W if weighted else None, **given)


def lacking(weighted: bool = False) -> Predictions:
    """Fold "y" has no c, fold "z" only b."""
    keep = ~((FOLD == "y") & (Y == "c")) & ~((FOLD == "z") & (Y != "b"))
    weights = W[keep] if weighted else None
    return Predictions(Y[keep], P[keep], folds=FOLD[keep], sample_weight=weights, absent="skip")


def asked(*names: str) -> list[tuple[Any, dict[str, Any]]]:
    return [(registry[name], {}) for name in names]


def test_parts_are_the_cases_of_each_fold() -> None:
    statistics = FoldStatistics(held_out())
    assert statistics.names == ("x", "y", "z") and statistics.complete.tolist() == [True] * 3
    for name, rows, part in zip("xyz", statistics.rows, statistics.parts, strict=True):
        np.testing.assert_array_equal(rows, np.flatnonzero(name == FOLD))
        np.testing.assert_array_equal(part.predictions.scores, P[name == FOLD])
    assert statistics.across.predictions is statistics.predictions
    some = FoldStatistics(lacking())
    assert some.complete.tolist() == [True, False, False]


@pytest.mark.parametrize(("n_threads", "outer", "inner"), [(2, 2, 1), (3, 3, 1), (4, 1, 4)])
def test_threads_are_shared_among_folds_or_within_them(
    n_threads: int, outer: int, inner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among as many folds as threads, or more of them; else each fold has them all."""
    seen = []
    plain = folds.map_threads

    def recorded(work: Any, items: Any, threads: int) -> list[Any]:
        seen.append(threads)
        return plain(work, items, 1)

    monkeypatch.setattr(folds, "map_threads", recorded)
    statistics = FoldStatistics(held_out(n_threads=n_threads))
    assert {part.predictions.n_threads for part in statistics.parts} == {inner}
    statistics.measure(asked("hand_till"))
    assert seen == [outer]
    for part in statistics.parts:
        assert not part.predictions.keeps_columns
        assert "side_by_side" not in vars(part.predictions)


def test_folds_that_lack_classes_keep_no_columns() -> None:
    statistics = FoldStatistics(lacking())
    found = statistics.measure(asked("hand_till"))
    assert found[0].influence is not None
    assert len(statistics.parts) > 1
    for part in statistics.parts:
        assert not part.predictions.keeps_columns
        assert "side_by_side" not in vars(part.predictions)


@pytest.mark.parametrize("weighted", [False, True])
def test_means_over_folds_and_what_each_case_moves(weighted: bool) -> None:
    whole = held_out(weighted)
    found = FoldStatistics(whole).measure(asked(*NAMES))
    weights = whole.case_weights
    for each in found:
        values, moved = [], np.zeros(len(whole))
        for name in "xyz":
            own = np.flatnonzero(name == FOLD)
            part = Predictions(Y[own], P[own], sample_weight=weights[own] if weighted else None)
            values.append(each.metric.of(part))
            phi = each.metric.influence(part).cases
            for k in "abc":
                here = own[Y[own] == k]
                ratio = weights[k == Y].sum() / weights[here].sum()
                moved[here] = phi[Y[own] == k] * ratio / 3
        assert each.by_fold is not None and each.influence is not None
        np.testing.assert_allclose(each.by_fold, values, rtol=1e-13)
        assert each.value == pytest.approx(np.mean(values), rel=1e-13)
        np.testing.assert_allclose(each.influence.cases, moved, rtol=0, atol=1e-13)
        assert (each.influence.priors is not None) == (each.metric.name == "aunp")
        assert (each.influence.through_priors is not None) == (each.metric.name == "aunp")
        assert each.influence.reason is None and each.influence.drawn is None
    alone = FoldStatistics(whole).measure(asked(*NAMES), with_influence=False)
    assert [each.influence for each in alone] == [None] * len(NAMES)
    assert [each.value for each in alone] == [each.value for each in found]


def test_priors_of_the_folds_move_with_their_cases() -> None:
    """share (D_k − Σ_j π_jv D_j)/n_v of each case of fold v."""
    for weighted in (False, True):
        whole = held_out(weighted)
        (found,) = FoldStatistics(whole).measure(asked("aunp"))
        assert found.influence is not None
        slopes = []
        for name in "xyz":
            own = np.flatnonzero(name == FOLD)
            w = whole.case_weights[own]
            part = Predictions(Y[own], P[own], sample_weight=w)
            D = registry["aunp"].influence(part).priors
            assert D is not None
            slopes.append(D)
            shares = np.array([w[Y[own] == k].sum() for k in "abc"])
            expected = (D - shares @ D / shares.sum()) / shares.sum() / 3
            codes = whole.codes[own]
            np.testing.assert_allclose(
                found.influence.through_priors[own], expected[codes], atol=1e-12
            )
        np.testing.assert_allclose(found.influence.priors, np.mean(slopes, axis=0), rtol=1e-13)


def within(k: str, r: str, weighted: bool, ties: float = 0.5) -> list[tuple[float, float]]:
    """AUC(k|r) and weight of the pairs of each fold that has both classes, in those cases."""
    cases, found = lacking(weighted), []
    labels = np.array(cases.classes)[cases.codes]
    column = "abc".index(k)
    for rows in cases.fold_rows:
        pairs = [(i, j) for i in rows for j in rows if labels[i] == k and labels[j] == r]
        if not pairs:
            continue
        weight = [cases.case_weights[i] * cases.case_weights[j] for i, j in pairs]
        s = cases.scores[:, column]
        credit = [(s[i] > s[j]) + ties * (s[i] == s[j]) for i, j in pairs]
        found.append((float(np.average(credit, weights=weight)), sum(weight)))
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_are_averaged_over_the_folds_that_have_them(weighted: bool) -> None:
    cases = lacking(weighted)
    statistics = FoldStatistics(cases)
    mean, pooled = statistics.mean_pairs(), statistics[Need(Pairs)]
    assert statistics[Need(Pairs)] is pooled  # made once
    for pairs, by_pairs in ((mean, False), (pooled, True), (pairs_of(cases), False)):
        auc = pairs.auc()
        for k, r in [(a, b) for a in "abc" for b in "abc" if a != b]:
            values, weights = zip(*within(k, r, weighted), strict=True)
            expected = np.average(values, weights=weights if by_pairs else None)
            found = auc["abc".index(k), "abc".index(r)]
            assert found == pytest.approx(expected, rel=1e-12)
        np.testing.assert_array_equal(pairs.weights, cases.class_weights)
        assert pairs.classes == ("a", "b", "c")
    hand_till = registry["hand_till"]
    question = hand_till.question(cases)
    off = ~np.eye(3, dtype=bool)
    assert statistics.value(question) == pytest.approx(mean.auc()[off].mean())
    assert statistics.pooled_value(question) == pytest.approx(pooled.auc()[off].mean())
    (measured,) = statistics.measure(asked("hand_till"))
    assert measured.value == statistics.value(question) and measured.by_fold is not None
    assert measured.by_fold.tolist() == [question.value(Pairs.of(statistics.parts[0].predictions))]


def test_shares_of_folds_in_each_pair() -> None:
    statistics = FoldStatistics(lacking(weighted=True))
    equal, by_pairs = statistics.shares(), statistics.shares(by_pairs=True)
    assert len(equal) == len(by_pairs) == 2  # the third fold has one class
    first, second = (statistics.parts[v].predictions.class_weights for v in (0, 1))
    np.testing.assert_array_equal(equal[0][:2, :2], 0.5)
    np.testing.assert_array_equal(equal[1][:2, :2], 0.5)
    assert (equal[0][2] == 1).all() and (equal[0][:, 2] == 1).all()
    assert (equal[1][2] == 0).all() and (equal[1][:, 2] == 0).all()
    total = np.outer(first, first)[:2, :2] + np.outer(second, second)
    np.testing.assert_allclose(by_pairs[1][:2, :2], np.outer(second, second) / total)
    np.testing.assert_allclose(by_pairs[0] + by_pairs[1], 1.0)
    parts = list(statistics.pair_parts())
    assert [part[3] for part in parts] == [[0, 1, 2], [0, 1]]
    for (cases, rows, share, _), v in zip(parts, (0, 1), strict=True):
        assert cases is statistics.parts[v].predictions
        np.testing.assert_array_equal(rows, statistics.rows[v])
        np.testing.assert_array_equal(share, equal[v])


@pytest.mark.parametrize("name", ["hand_till", "auc_mu", "hand_till_scored", "au1p"])
@pytest.mark.parametrize("weighted", [False, True])
def test_derivatives_where_folds_lack_classes(name: str, weighted: bool) -> None:
    """φ_i = n_k ∂θ/∂w_i at fixed priors, by differences of values."""
    cases = lacking(weighted)
    options = {"priors": [0.25, 0.25, 0.5]} if name == "au1p" else {}
    metric = registry[name]
    (found,) = FoldStatistics(cases).measure([(metric, options)])
    assert found.influence is not None and found.influence.scale == 1.0
    labels = np.array(cases.classes)[cases.codes]
    names = np.array(cases.folds.names)[cases.folds.numbers]  # type: ignore[union-attr]
    base = cases.case_weights.copy()
    assert metric.of(cases, **options) == pytest.approx(found.value)
    for i in (0, 3, 6, 8, 10, len(cases) - 1):
        values = []
        for sign in (1, -1):
            w = base.copy()
            w[i] += sign * 1e-5
            other = Predictions(labels, cases.scores, folds=names, sample_weight=w, absent="skip")
            values.append(metric.of(other, **options))
        slope = (values[0] - values[1]) / 2e-5
        n_k = base[labels == labels[i]].sum()
        assert found.influence.cases[i] == pytest.approx(n_k * slope, abs=1e-6)


def test_a_metric_that_is_no_sum_of_pairs_uses_the_folds_with_all_classes() -> None:
    cases = lacking()
    statistics = FoldStatistics(cases)
    first = statistics.parts[0].predictions
    for name in ("pdi", "total_length", "vus"):
        question = registry[name].question(cases)
        (found,) = statistics.measure(asked(name))
        assert found.value == statistics.value(question) == registry[name].of(first)
        assert found.by_fold is not None and found.by_fold.tolist() == [found.value]
        assert found.influence is not None
        assert not found.influence.cases[statistics.rows[1]].any()
        assert found.influence.cases[statistics.rows[0]].any()
    pooled = statistics.pooled_value(registry["pdi"].question(cases))
    assert pooled == pytest.approx(registry["pdi"].of(first))
    assert math.isnan(statistics.pooled_value(registry["total_length"].question(cases)))


def two_classes_each() -> Predictions:
    """Folds of a and b, of b and c, of a and c."""
    p = np.random.default_rng(1).dirichlet(np.ones(3), 12)
    return Predictions(list("aabbbbccaacc"), p, folds=np.repeat([0, 1, 2], 4), absent="skip")


def test_no_fold_has_all_classes() -> None:
    cases = two_classes_each()
    p, f = cases.scores, np.repeat([0, 1, 2], 4)
    statistics = FoldStatistics(cases)
    said = "every fold lacks a class. Use StratifiedKFold, or fewer folds."
    pdi, pairs = statistics.measure(asked("pdi", "hand_till"))
    assert pdi.reason == said and pdi.influence is None and math.isnan(pdi.value)
    with pytest.raises(NotDefined) as error:
        statistics.value(registry["pdi"].question(cases))
    assert str(error.value) == said
    assert pairs.reason is None and 0 <= pairs.value <= 1
    assert pairs.by_fold is not None and len(pairs.by_fold) == 0
    for k, r in combinations(range(3), 2):
        own = [
            i for i in range(12) if cases.codes[i] in (k, r) and f[i] == {1: 0, 2: 2, 3: 1}[k + r]
        ]
        found = statistics.mean_pairs().auc()[k, r]
        labels = np.searchsorted([k, r], cases.codes[own])
        assert found == pytest.approx(Pairs.of(Predictions(labels, p[own][:, [k, r]])).auc()[0, 1])


@pytest.mark.parametrize(("y", "missing"), [("aabbccbb", "ac"), ("aaccbbcc", "ab")])
def test_a_pair_that_no_fold_has(y: str, missing: str) -> None:
    p = np.random.default_rng(1).dirichlet(np.ones(3), 8)
    cases = Predictions(list(y), p, folds=np.repeat([0, 1], 4), absent="skip")
    statistics = FoldStatistics(cases)
    said = f"no fold has cases of both {missing[0]!r} and {missing[1]!r}. Use StratifiedKFold."
    with pytest.raises(NotDefined) as error:
        statistics.shares()
    assert str(error.value) == said
    (found,) = statistics.measure(asked("hand_till"))
    assert found.reason == said and found.influence is None


@pytest.mark.parametrize("weighted", [False, True])
def test_tuples_are_pooled_with_the_product_of_their_weights(weighted: bool) -> None:
    cases = held_out(weighted)
    statistics = FoldStatistics(cases)
    for name in ("pdi", "hum"):
        question = registry[name].question(cases)
        parts = [part.predictions for part in statistics.parts]
        weights = [math.prod(part.class_weights.tolist()) for part in parts]
        values = [registry[name].of(part) for part in parts]
        expected = np.average(values, weights=weights)
        assert statistics.pooled_value(question) == pytest.approx(expected, rel=1e-12)
        assert statistics.value(question) == pytest.approx(np.mean(values), rel=1e-12)
    assert math.isnan(statistics.pooled_value(registry["total_length"].question(cases)))


def test_cases_pooled_as_if_they_had_no_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 20,000 of them, and where the metric exists."""
    cases = held_out()
    statistics = FoldStatistics(cases)
    question = registry["hand_till"].question(cases)
    assert statistics.value_across(question) == registry["hand_till"].of(Predictions(Y, P))
    for most, known in ((20, True), (19, False)):
        monkeypatch.setattr(folds, "MOST_POOLED", most)
        assert math.isnan(statistics.value_across(question)) is not known
    monkeypatch.undo()

    class Undefined:
        def value(self, question: Any) -> float:
            raise NotDefined("not here")

    statistics.across = Undefined()  # type: ignore[assignment]
    assert math.isnan(statistics.value_across(question))
    for n, known in ((20_000, True), (20_001, False)):
        y = np.arange(n) % 2
        long = FoldStatistics(Predictions(y, y / 2, folds=np.arange(n) // 2 % 2))
        asked_for = registry["roc_auc"].question(long.predictions)
        assert math.isnan(long.value_across(asked_for)) is not known


def test_one_fold_divides_nothing() -> None:
    one = Predictions(Y, P, folds=["v"] * 20)
    assert not in_folds(one) and in_folds(held_out()) and not in_folds(Predictions(Y, P))
    statistics = statistics_of(one)
    assert isinstance(statistics, FoldStatistics)
    assert undivided(statistics) is statistics.across
    several = FoldStatistics(held_out())
    assert undivided(several) is several
    plain = statistics_of(Predictions(Y, P))
    assert isinstance(plain, CaseStatistics) and undivided(plain) is plain
    found = statistics.measure(asked("hand_till", "vus"))
    for each, alone in zip(found, measure(plain, asked("hand_till", "vus")), strict=True):
        assert each.value == alone.value and each.by_fold.tolist() == [alone.value]
        assert each.need == alone.need is not None  # one statistic of all cases
        np.testing.assert_array_equal(each.influence.cases, alone.influence.cases)
    silent = statistics.measure(asked("vus"), with_influence=False)
    assert silent[0].influence is None
    np.testing.assert_array_equal(
        pairs_of(Predictions(Y, P)).above, Pairs.of(Predictions(Y, P)).above
    )


def test_random_tuples_in_folds_have_no_standard_errors() -> None:
    (found,) = FoldStatistics(held_out()).measure([(registry["vus"], {"n_tuples": 5, "rng": 1})])
    assert found.reason is None and found.influence is not None
    assert found.influence.reason == DRAWN and np.isnan(found.influence.cases).all()
    assert DRAWN == (
        "random tuples are drawn in every fold, and their noise is not known; leave n_tuples out"
    )


def test_a_reason_of_one_fold_is_that_of_all() -> None:
    statistics = FoldStatistics(held_out())
    moved = [
        Influence(np.zeros(7), scale=0.5),
        Influence.undefined(statistics.parts[1].predictions, "a corner"),
        Influence(np.zeros(6), scale=3.0),
    ]
    joined = statistics._joined(moved, list(statistics.rows), 1 / 3)
    assert joined.reason == "a corner" and joined.scale == 3.0
    assert np.isnan(joined.cases[statistics.rows[1]]).all()
    assert joined.priors is None and joined.through_priors is None


def test_a_sum_of_pairs_without_a_derivative(monkeypatch: pytest.MonkeyPatch) -> None:
    def corner(*_: Any, **__: Any) -> Gradient:
        raise NoDerivative("a corner")

    cases = two_classes_each()
    question = registry["hand_till"].question(cases)
    monkeypatch.setattr(type(question), "gradient", corner)
    statistics = FoldStatistics(cases)
    (found,) = statistics.measure(asked("hand_till"))
    assert found.value == pytest.approx(statistics.value(question))
    assert found.influence is not None and found.influence.reason == "a corner"
    assert np.isnan(found.influence.cases).all() and found.by_fold is not None
    (alone,) = statistics.measure(asked("hand_till"), with_influence=False)
    assert alone.influence is None and alone.by_fold is not None and len(alone.by_fold) == 0


def test_statistics_are_made_once_and_serve_those_they_cover() -> None:
    y, p = np.arange(12) % 3, np.random.default_rng(0).dirichlet(np.ones(3), 12)
    statistics = CaseStatistics(Predictions(y, p))
    scored = statistics[Need(Pairs, (("scored", True),))]
    assert statistics[Need(Pairs)] is scored and statistics[Need(Pairs)] is scored
    assert statistics[Need(Placements)] is statistics[Need(Placements)]
    other = CaseStatistics(Predictions(y, p))
    other.will_carry(Need(Placements))
    assert other[Need(Placements)].projected is not None
    assert statistics[Need(Placements)].projected is None
    expecting = CaseStatistics(Predictions(y, p))
    expecting.expect([Need(Placements), Need(Pairs)])
    assert np.isnan(expecting[Need(Pairs)].excess).all()  # a short table makes each alone
    assert set(expecting._made) == {Need(Pairs)}


def test_long_tables_make_what_is_expected_from_one_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.metrics import measure as module

    monkeypatch.setattr(module, "is_long", lambda cases: True)
    y, p = np.arange(12) % 3, np.random.default_rng(0).dirichlet(np.ones(3), 12)
    pairs, places, scored = Need(Pairs), Need(Placements), Need(Pairs, (("scored", True),))
    for needs, asked_for, made in (
        ([pairs, places], pairs, {pairs, places}),
        ([scored, places], places, {scored, places}),
        ([pairs], pairs, {pairs}),
        ([], places, {places}),
    ):
        statistics = CaseStatistics(Predictions(y, p))
        statistics.expect(needs)
        assert type(statistics[asked_for]) is asked_for.statistic
        assert set(statistics._made) == made
    carried = CaseStatistics(Predictions(y, p))
    carried.expect([pairs, places])
    carried.will_carry(places)
    assert carried[places].projected is not None and set(carried._made) == {places}


def test_a_metric_that_is_not_defined_in_one_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the place of that fold."""
    from polyroc.statistics import tuples

    monkeypatch.setattr(tuples, "MOST_TUPLES", 20)
    for sizes in ((2, 3), (3, 2)):
        y = np.concatenate([np.tile(np.arange(4), size) for size in sizes])
        cases = Predictions(y, np.eye(4)[y], folds=np.repeat([0, 1], [4 * size for size in sizes]))
        hum, pdi = FoldStatistics(cases).measure(asked("hum", "pdi"))
        assert hum.reason is not None and hum.reason.startswith("There are 81 tuples of one case")
        assert math.isnan(hum.value) and hum.influence is None and hum.by_fold is None
        assert pdi.reason is None and pdi.value == 1.0


def test_cases_of_folds_that_do_not_count_move_no_priors() -> None:
    statistics = FoldStatistics(held_out(weighted=True))
    rows = list(statistics.rows)
    slopes = [np.array([1.0, 2.0, 4.0]), np.array([0.5, -1.0, 0.0])]
    found = statistics._through_priors(slopes, rows[:2], 0.5)
    assert found is not None and not found[rows[2]].any()
    for D, members in zip(slopes, rows, strict=False):
        part = statistics.predictions.part(members)
        w = part.class_weights
        expected = 0.5 * (D - w @ D / w.sum()) / w.sum()
        np.testing.assert_allclose(found[members], expected[part.codes], atol=1e-12)
    assert statistics._through_priors(slopes[:1], rows[:2], 0.5) is None


@pytest.mark.parametrize(
    ("name", "weighted", "with_influence", "kept"),
    [
        ("hand_till", True, True, True),
        ("hand_till", True, False, False),
        ("hand_till", False, True, False),
        ("hand_till_scored", False, True, True),
        ("pdi", True, True, False),
    ],
)
def test_columns_are_kept_for_influence_values_of_pairs(
    name: str, weighted: bool, with_influence: bool, kept: bool
) -> None:
    """Where they are not sorted together; what is expected is told where nothing is carried."""
    weights = np.ones(len(Y)) if weighted else None
    statistics = CaseStatistics(Predictions(Y, P, sample_weight=weights))
    measure(statistics, asked(name), with_influence=with_influence)
    assert statistics.predictions.keeps_columns is kept
    options = (("scored", True),) if name.endswith("scored") else ()
    need = Need(registry[name].statistic, options)
    assert statistics._expected == (set() if with_influence else {need})
    assert statistics._carried == ({need} if with_influence else set())
