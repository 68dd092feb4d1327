"""Estimates of every AUC(k|r) beside the estimate of two classes alone, in blocks and at limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polyroc import Design, Predictions, evaluate, evaluate_pairs
from polyroc.errors import InvalidInput
from polyroc.inference import _edge, _pair_spread, _pairs
from polyroc.inference._influence import CaseDesign
from polyroc.inference._pair_spread import PairCases
from polyroc.inference._pairs import pair_estimates, pair_limits, reversed_pairs

RNG = np.random.default_rng(12)
Y = RNG.permutation(np.repeat([0, 1, 2, 3], [14, 9, 11, 8]))
N = len(Y)
SCORES = RNG.normal(size=(N, 4)).round(1) + 0.9 * np.eye(4)[Y]
SPANNING = RNG.integers(0, 12, N)
WITHIN = np.where(Y < 2, Y * 100 + np.arange(N) % 4, np.arange(N))
"""Groups of the first two classes, none with two classes."""
FOLDS = np.concatenate([np.arange((k == Y).sum()) % 2 for k in range(4)])[
    np.argsort(np.argsort(Y, kind="stable"), kind="stable")
]
COPIES = 1 + np.arange(N) % 3

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": RNG.integers(1, 6, N) / 4},
    "copies": {"sample_weight": COPIES},
    "spanning": {"groups": SPANNING},
    "within": {"groups": WITHIN},
    "weighted groups": {"groups": SPANNING, "sample_weight": RNG.integers(1, 6, N) / 4},
    "folds": {"folds": FOLDS},
    "folds of groups": {"folds": FOLDS, "groups": SPANNING},
}


def made(kind: str) -> tuple[Predictions, CaseDesign]:
    options = dict(KINDS[kind])
    groups = options.pop("groups", None)
    given = Predictions(Y, SCORES, **options)
    frequency = Design(weights="frequency")
    return given, CaseDesign.of(frequency if kind == "copies" else groups, given)


def alone(kind: str, k: int, r: int) -> Any:
    """The estimate of the AUC of two classes, by the scores of the first."""
    kept = np.isin(Y, [k, r])
    own = {name: np.asarray(each)[kept] for name, each in KINDS[kind].items()}
    if kind == "copies":
        own["groups"] = Design(weights="frequency")
    return evaluate((Y[kept] == k).astype(int), SCORES[kept, k], ["roc_auc"], **own)["roc_auc"]


@pytest.mark.parametrize("kind", KINDS)
def test_estimates_are_those_of_two_classes(kind: str) -> None:
    """Also their degrees of freedom, effective sizes and what they say of the design."""
    estimates = pair_estimates(*made(kind))
    assert list(estimates) == [(k, r) for k in range(4) for r in range(4) if k != r]
    limited = 0
    for k, r in ((0, 1), (1, 0), (3, 2), (0, 3), (2, 1)):
        each, expected = estimates[k, r], alone(kind, k, r)
        assert each.metric == "auc" and each.method == "influence"
        assert each.value == pytest.approx(expected.value, rel=1e-12)
        assert each.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
        assert each.degrees_of_freedom == pytest.approx(expected.degrees_of_freedom, rel=1e-9)
        assert each.effective is not None and expected.effective is not None
        assert each.effective.size == pytest.approx(expected.effective.size, rel=1e-8)
        known = expected.effective.degrees_of_freedom
        assert each.effective.degrees_of_freedom == pytest.approx(known, rel=1e-8)
        assert each.counts == {k: int((k == Y).sum()), r: int((r == Y).sum())}
        assert each.settings["groups"] == ("groups" in KINDS[kind])
        assert each.settings["weights"] == ("frequency" if kind == "copies" else "sampling")
        groups = KINDS[kind].get("groups")
        if groups is not None:
            both = len(set(groups[np.isin(Y, [k, r])].tolist())) - 1
            limited += each.degrees_of_freedom == both
    assert limited > 0 or kind not in ("spanning", "weighted groups")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [1, 33])
def test_blocks_of_classes_change_nothing(
    kind: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One class at a time, or so many that the last block is not full."""
    whole = PairCases.of(*made(kind)).spread()
    monkeypatch.setattr(_pair_spread, "MOST_PLACEMENTS", most)
    by_blocks = PairCases.of(*made(kind)).spread()
    for one, other in zip(whole, by_blocks, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        assert np.isnan(np.diag(one)).all() and not np.isnan(one[~np.eye(4, dtype=bool)]).any()


def test_folds_that_lack_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair is a mean over the folds that have both of its classes, in blocks too."""
    folds = np.where(Y == 1, 0, np.arange(N) % 3)
    given = Predictions(Y, SCORES, folds=folds, absent="skip")
    found = pair_estimates(given, CaseDesign())
    for k, r in ((0, 3), (2, 3), (1, 0), (3, 1)):
        kept = np.isin(Y, [k, r])
        if 1 in (k, r):
            kept &= folds == 0  # elsewhere there is nothing to compare
        own = Predictions((Y[kept] == k) * 1, SCORES[kept, k], folds=folds[kept], absent="skip")
        expected = evaluate(own, metrics=["roc_auc"])["roc_auc"]
        assert found[k, r].value == pytest.approx(expected.value, rel=1e-12)
        if 1 not in (k, r):
            assert found[k, r].standard_error == pytest.approx(expected.standard_error, rel=1e-9)
    monkeypatch.setattr(_pair_spread, "MOST_PLACEMENTS", 28)
    again = pair_estimates(Predictions(Y, SCORES, folds=folds, absent="skip"), CaseDesign())
    for pair, each in found.items():
        error = pytest.approx(each.standard_error, rel=1e-12, nan_ok=True)
        assert again[pair].standard_error == error
        assert again[pair].effective is not None and each.effective is not None
        assert again[pair].effective.size == pytest.approx(each.effective.size, rel=1e-12)


def test_large_classes_have_no_extra_mass(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the limit on, of both classes: θ(1 − θ)/V, with the degrees of freedom of V."""
    given, design = made("plain")
    usual = PairCases.of(given, design).spread()
    monkeypatch.setattr(_pair_spread, "LARGE_CLASS", 11)
    found = PairCases.of(given, design).spread()
    sizes = [14, 9, 11, 8]
    for k in range(4):
        for r in range(4):
            if k == r:
                continue
            if min(sizes[k], sizes[r]) >= 11:
                theta = found.value[k, r]
                plain = theta * (1 - theta) / found.variance[k, r]
                assert found.size[k, r] == pytest.approx(plain, rel=1e-12)
                assert found.size_freedom[k, r] == found.freedom[k, r]
                assert found.size[k, r] != pytest.approx(usual.size[k, r], rel=1e-3)
            else:
                assert found.size[k, r] == usual.size[k, r]
                assert found.size_freedom[k, r] == usual.size_freedom[k, r]
    monkeypatch.setattr(_pair_spread, "LARGE_CLASS", 2)
    perfect = PairCases.of(Predictions(Y, np.eye(4)[Y]), design).spread()
    kept = ~np.eye(4, dtype=bool)
    assert (perfect.value[kept] == 1).all() and (perfect.variance[kept] == 0).all()
    assert np.isfinite(perfect.size[kept]).all() and (perfect.size[kept] > 5).all()


def test_groups_whose_cases_agree_count_as_their_number() -> None:
    """At a value of 1 nothing varies, and a group is one case: copies change no limit."""
    y = np.repeat([0, 1, 2], [5, 4, 6])
    single = evaluate_pairs(y, np.eye(3)[y])
    twice = np.repeat(np.arange(len(y)), 2)
    copied = evaluate_pairs(y[twice], np.eye(3)[y[twice]], groups=twice)
    pd.testing.assert_frame_equal(copied, single, rtol=1e-9)
    assert (single["high"] == 1).all() and single["standard_error"].isna().all()
    assert single["low"].nunique() > 1


def test_pairs_on_which_every_case_agrees_have_a_normal_quantile() -> None:
    y = np.repeat([0, 1, 2], [5, 4, 6])
    scores = np.random.default_rng(2).normal(size=(15, 3))
    scores[:, 0] = y == 0
    found = pair_estimates(Predictions(y, scores), CaseDesign())
    certain, open_ = found[0, 1], found[1, 2]
    assert certain.value == 1 and math.isnan(certain.standard_error)
    assert certain.degrees_of_freedom == math.inf and certain.effective is not None
    assert open_.standard_error > 0 and open_.degrees_of_freedom < 10
    lone = pair_estimates(Predictions([0, 1, 1, 2, 2], np.eye(3)[[0, 1, 0, 2, 1]]), CaseDesign())
    assert lone[0, 1].effective is None and math.isnan(lone[0, 1].standard_error)
    assert lone[1, 2].effective is not None


def test_limits_lie_where_the_pairs_are() -> None:
    """Row k, column r; the level is that of the limits."""
    given, design = made("weights")
    limits = pair_limits(given, design, 0.8)
    assert limits.shape == (2, 4, 4)
    assert np.isnan(limits[:, range(4), range(4)]).all()
    for (k, r), each in pair_estimates(given, design).items():
        assert tuple(limits[:, k, r]) == each.interval(0.8)[:2]


def test_pairs_that_are_ranked_the_wrong_way_round() -> None:
    """Both upper limits below ½ at a level for all pairs together, six of four classes."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2, 3], 30)
    scores = rng.normal(size=(120, 4)) + 0.8 * np.eye(4)[y]
    scores[y == 0, 1] += 2.2  # classes 0 and 1 are mistaken for each other
    scores[y == 1, 0] += 2.2
    scores[y == 2, 3] += 5.0  # 2 looks like 3, but 3 does not look like 2
    given, design = Predictions(y, scores), CaseDesign()
    limits = pair_limits(given, design, 0.95)
    found = reversed_pairs(given, design, limits, 0.95)
    expected = np.zeros((4, 4), dtype=bool)
    expected[0, 1] = expected[1, 0] = True
    assert (found == expected).all() and limits[1, 3, 2] < 0.5 < limits[1, 2, 3]
    two = Predictions(y[:60], scores[:60, 0])
    assert not reversed_pairs(two, design, np.zeros((2, 2, 2)), 0.95).any()
    none = reversed_pairs(given, design, np.ones((2, 4, 4)), 0.95)
    assert none.shape == (4, 4) and none.dtype == bool and not none.any()


def test_the_level_of_reversed_pairs_is_shared_by_all_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, design = made("plain")
    asked = []

    def limits(predictions: Predictions, own: CaseDesign, level: float) -> np.ndarray:
        assert predictions is given and own is design
        asked.append(level)
        return np.full((2, 4, 4), 0.4)

    monkeypatch.setattr(_pairs, "pair_limits", limits)
    found = reversed_pairs(given, design, np.full((2, 4, 4), 0.4), 0.94)
    assert asked == [pytest.approx(0.99)] and found.all()
    at_half = np.full((2, 4, 4), 0.4)
    at_half[1] = 0.5
    assert not reversed_pairs(given, design, at_half, 0.94).any()
    assert len(asked) == 1


def test_options_reach_the_pairs() -> None:
    """Labels, classes without cases, levels, and the number of threads."""
    names = np.array(list("dbca"))[Y]
    plain = evaluate_pairs(Y, SCORES)
    named = evaluate_pairs(names, SCORES, labels=list("dbca"), n_threads=1, level=0.8)
    assert named["positive"].tolist() == [list("dbca")[k] for k in plain["positive"]]
    assert named["value"].tolist() == plain["value"].tolist()
    assert (named["low"] > plain["low"]).all() and (named["high"] < plain["high"]).all()
    wide = np.column_stack([SCORES, np.zeros(N)])
    labels = [0, 1, 2, 3, 4]
    with pytest.raises(InvalidInput):
        evaluate_pairs(Y, wide, labels=labels)
    skipped = evaluate_pairs(Y, wide, labels=labels, absent="skip")
    pd.testing.assert_frame_equal(skipped, plain)
    with pytest.raises(InvalidInput, match="n_threads"):
        evaluate_pairs(Y, SCORES, n_threads=0)


def test_extra_mass_is_that_of_the_edge() -> None:
    """The value of two classes that are shrunken to each other, by loops over the cases."""
    y, x = np.array([1, 1, 1, 0, 0]), np.array([0.9, 0.4, 0.6, 0.5, 0.1])
    w = _edge.EXTRA_MASS
    found = pair_estimates(Predictions(y, np.column_stack([1 - x, x])), CaseDesign())[1, 0]
    sizes = {0: 2, 1: 3}

    def share(i: int, k: int) -> float:
        own = sizes[k] * (y[i] == k) / sizes[k]
        return (own + w / 2 / sizes[int(y[i])]) / (sizes[k] + w)

    def credit(i: int, j: int) -> float:
        return 1.0 if x[i] > x[j] else 0.5 if x[i] == x[j] else 0.0

    n = range(5)
    value = sum(share(i, 1) * share(j, 0) * credit(i, j) for i in n for j in n)
    up = [sum(share(j, 0) * credit(i, j) for j in n) - value for i in n]
    down = [sum(share(i, 1) * credit(i, j) for i in n) - value for j in n]
    first = sum(share(i, 1) * up[i] ** 2 for i in n) / (sizes[1] - 1 + w)
    second = sum(share(j, 0) * down[j] ** 2 for j in n) / (sizes[0] - 1 + w)
    assert found.effective is not None
    expected = value * (1 - value) / (first + second)
    assert found.effective.size == pytest.approx(expected, rel=1e-10)
    freedom = (first + second) ** 2 / (first**2 / 2 + second**2 / 1)
    assert found.effective.degrees_of_freedom == pytest.approx(freedom, rel=1e-10)


def nearly_perfect(weight: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two classes of ten cases, told apart but for one case of little weight."""
    y = np.repeat([0, 1], 10)
    x = np.arange(20.0)
    x[3] = 14.5
    return y, np.column_stack([-x, x]), np.where(np.arange(20) == 3, weight, 1.0)


@pytest.mark.parametrize("weight", [1.0, 1e-6])
def test_a_variance_may_be_small_and_is_one(weight: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Far above rounding: a standard error of 1e-8 counts as variation, in groups too."""
    y, scores, w = nearly_perfect(weight)
    given = Predictions(y, scores, sample_weight=w)
    monkeypatch.setattr(_pair_spread, "LARGE_CLASS", 2)
    found = pair_estimates(given, CaseDesign())[1, 0]
    assert (found.standard_error < 1e-6) == (weight < 1)
    assert found.standard_error > 1e-9 and found.effective is not None
    plain = found.value * (1 - found.value) / found.standard_error**2
    assert found.effective.size == pytest.approx(plain, rel=1e-6)
    monkeypatch.undo()
    design = CaseDesign.of(np.arange(20) // 2, given)
    grouped = pair_estimates(given, design)[1, 0]
    alone = evaluate(y, scores[:, 1], ["roc_auc"], sample_weight=w, groups=np.arange(20) // 2)
    assert grouped.effective is not None
    expected = alone["roc_auc"].effective
    assert grouped.effective.size == pytest.approx(expected.size, rel=1e-6)
    assert grouped.standard_error == pytest.approx(alone["roc_auc"].standard_error, rel=1e-6)
