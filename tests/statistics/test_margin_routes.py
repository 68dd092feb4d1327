"""Margins of pairs of classes by every route: whole numbers of decimals, compared one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from polyroc import Predictions
from polyroc._base.ties import SLACK
from polyroc.predictions import _columns
from polyroc.statistics import long_tables, margin_blocks, margins, short_tables
from polyroc.statistics.directed import Directed, margins_of
from polyroc.statistics.margins import MarginGradient, Margins, equal_pairs
from polyroc.statistics.mixture import Mixture

SIZES = 5, 9, 3, 7
COSTS = ((0.0, 1.0, 3.0, 2.0), (2.0, 0.0, 1.0, 1.0), (1.0, 4.0, 0.0, 2.0), (5.0, 1.0, 2.0, 0.0))
STEPS = (
    "ranked_margins",
    "_by_merging",
    "sums_by_blocks",
    "sums_by_pairs",
    "_totals_unless_close",
    "_counted_runs",
    "_totals",
    "_merged_pair",
    "_mixed_pair",
    "placements",
)
Patch = pytest.MonkeyPatch


def table(
    steps: int = 10, weighted: bool = False, sizes: tuple[int, ...] = SIZES, **given: Any
) -> tuple[Predictions, np.ndarray]:
    """Cases with decimals for scores, and the whole numbers that these decimals are made of."""
    rng = np.random.default_rng([steps, *sizes])
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    whole = rng.integers(0, steps + 1, (len(y), len(sizes)))
    weights = rng.integers(1, 9, len(y)) / 7 if weighted else None
    return Predictions(y, whole / steps, sample_weight=weights, **given), whole


def credit_of(
    cases: Predictions, whole: np.ndarray, i: int, j: int, costs: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Which cases of i (rows) are above, and tied with, which of j (columns)."""
    A = 1 - np.eye(cases.n_classes) if costs is None else np.array(costs)
    margin = whole @ (A[j] - A[i])
    own, other = (margin[cases.members[k]] for k in (i, j))
    return own[:, None] > other, own[:, None] == other


def plain_sums(
    cases: Predictions, whole: np.ndarray, costs: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    K, w = cases.n_classes, cases.case_weights
    above, tied = np.zeros((2, K, K))
    for i in range(K):
        for j in range(i + 1, K):
            more, same = credit_of(cases, whole, i, j, costs)
            both = np.outer(w[cases.members[i]], w[cases.members[j]])
            above[i, j], tied[i, j] = (more * both).sum(), (same * both).sum()
    return above, tied


def plain_influence(
    cases: Predictions, whole: np.ndarray, gradient: MarginGradient, costs: Any = None
) -> np.ndarray:
    """For each case the mean credit of its pairs, times what the pair of classes counts."""
    K, w, moved = cases.n_classes, cases.case_weights, np.zeros(len(cases))
    for i in range(K):
        for j in range(i + 1, K):
            more, same = credit_of(cases, whole, i, j, costs)
            credit = more + gradient.credit * same
            counts = gradient.matrix[i, j] + gradient.matrix[j, i]
            first, second = cases.members[i], cases.members[j]
            moved[first] += counts * credit @ w[second] / w[second].sum()
            moved[second] += counts * w[first] @ credit / w[first].sum()
    for own in cases.members:
        moved[own] -= np.average(moved[own], weights=w[own])
    return moved


def route(patch: Patch, name: str) -> None:
    """Let tables of any size take one of the routes."""
    if name != "ranked":
        patch.setattr(short_tables, "MOST_MARGINS", 0)
    if name in ("merged", "blocks"):
        patch.setattr(margins, "MANY_CLASSES", 2)
    if name in ("pairs", "sorted pairs", "pairs in blocks"):
        patch.setattr(margins, "FEW_CASES", 0)
    if name in ("sorted pairs", "pairs in blocks"):
        patch.setattr(margins, "FEW_POSITIVES", 1)
        patch.setattr(_columns, "FEW_POSITIVES", 1)
    if name == "pairs in blocks":
        patch.setattr(_columns, "_BLOCK", 3)
    if name == "long":
        for limit in ("MANY_SCORES", "MANY_OF_PART"):
            patch.setattr(long_tables, limit, 1)


ROUTES = ["ranked", "searched", "merged", "pairs", "sorted pairs", "pairs in blocks", "long"]


def watched(patch: Patch) -> list[str]:
    """Names of the steps that are taken from now on."""
    taken: list[str] = []

    def watch(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **options: Any) -> Any:
            taken.append(name)
            return plain(*args, **options)

        return step

    for name in STEPS:
        patch.setattr(margins, name, watch(name, getattr(margins, name)))
    return taken


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize("steps", [3, 10, 1000, 10**9])
def test_counts_by_every_route(name: str, steps: int, monkeypatch: Patch) -> None:
    """Many ties, decimals that differ in the last bit, and none."""
    route(monkeypatch, name)
    for sizes in (SIZES, (6, 4), (1, 8, 1)):
        cases, whole = table(steps, sizes=sizes)
        made = Margins.of(cases)
        np.testing.assert_array_equal((made.above, made.tied), plain_sums(cases, whole))
        assert made.classes == cases.classes and made.partition is None and made.placed is None
        np.testing.assert_array_equal(made.weights, cases.class_weights)


@pytest.mark.parametrize("name", ROUTES)
def test_counts_along_costs_by_every_route(name: str, monkeypatch: Patch) -> None:
    route(monkeypatch, name)
    for steps in (3, 10, 10**6):
        cases, whole = table(steps)
        made = Margins.of(cases, COSTS)
        np.testing.assert_array_equal((made.above, made.tied), plain_sums(cases, whole, COSTS))
        assert made.partition == COSTS


@pytest.mark.parametrize("name", ["searched", "blocks", "pairs", "sorted pairs", "long"])
@pytest.mark.parametrize("costs", [None, COSTS], ids=["argmax", "costs"])
def test_weights_by_every_route(name: str, costs: Any, monkeypatch: Patch) -> None:
    route(monkeypatch, name)
    for steps in (3, 10, 10**6):
        cases, whole = table(steps, weighted=True)
        made = Margins.of(cases, costs)
        expected = plain_sums(cases, whole, costs)
        np.testing.assert_allclose((made.above, made.tied), expected, rtol=1e-13)
        values = (made.above + 0.5 * made.tied) / np.outer(cases.class_weights, cases.class_weights)
        found = made.auc()
        np.testing.assert_allclose(np.triu(found, 1), np.triu(values, 1), rtol=1e-13)
        np.testing.assert_array_equal(found, found.T)
        assert np.isnan(np.diag(found)).all()
        strict, lenient = made.auc("strict")[0, 1], made.auc("lenient")[0, 1]
        assert (strict + lenient) / 2 == pytest.approx(found[0, 1])


@pytest.mark.parametrize("name", ["searched", "merged", "sorted pairs", "long"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("costs", [None, COSTS], ids=["argmax", "costs"])
def test_influence_values_by_every_route(
    name: str, weighted: bool, costs: Any, monkeypatch: Patch
) -> None:
    """For equal pairs and others, at once; what was found along serves only what it is of."""
    route(monkeypatch, name)
    matrix = np.arange(16.0).reshape(4, 4) / 50
    gradients = [
        MarginGradient(equal_pairs(4), 0.5),
        MarginGradient(equal_pairs(4), 0.0),
        MarginGradient(matrix, 0.5),
        MarginGradient(matrix.T, 1.0),
    ]
    for steps in (3, 10, 10**6):
        cases, whole = table(steps, weighted)
        for made in (Margins.of(cases, costs), Margins.of_carried(cases, costs)):
            np.testing.assert_allclose(
                (made.above, made.tied), plain_sums(cases, whole, costs), rtol=1e-13
            )
            assert made.partition == costs
            found = made.carry(cases, gradients)
            for moved, gradient in zip(found, gradients, strict=True):
                expected = plain_influence(cases, whole, gradient, costs)
                np.testing.assert_allclose(moved, expected, rtol=0, atol=1e-13)


def test_influence_values_found_along_are_not_computed_again(monkeypatch: Patch) -> None:
    route(monkeypatch, "merged")
    cases, _ = table()
    made, plain = Margins.of_carried(cases), Margins.of(cases)
    assert plain.placed is None and made.placed is not None and made.placed.credit == 0.5
    calls = watched(monkeypatch)
    fair = MarginGradient(equal_pairs(4), 0.5)
    made.carry(cases, [fair])
    assert calls == []
    made.carry(cases, [fair._replace(credit=0.0)])
    made.carry(cases, [fair._replace(matrix=np.ones((4, 4)))])
    plain.carry(cases, [fair])
    assert calls == ["sums_by_blocks"] * 3


@pytest.mark.parametrize(
    ("name", "steps", "weighted", "expected"),
    [
        ("ranked", 10**9, False, {"ranked_margins"}),
        ("ranked", 4, False, {"ranked_margins", "_by_merging"}),
        ("ranked", 10**9, True, {"_totals"}),
        ("searched", 10**9, False, {"_by_merging"}),
        ("searched", 10, False, {"_by_merging", "_counted_runs"}),
        ("merged", 10**9, False, {"_by_merging"}),
        ("blocks", 10**9, True, {"sums_by_blocks"}),
        ("pairs", 10**9, False, {"_totals"}),
        ("sorted pairs", 10**9, False, {"_totals_unless_close"}),
        ("sorted pairs", 10, False, {"_totals_unless_close", "_counted_runs"}),
        ("long", 10**9, False, {"sums_by_pairs"}),
        ("long", 10**9, True, {"_totals"}),
    ],
)
def test_the_steps_of_each_route(
    name: str, steps: int, weighted: bool, expected: set[str], monkeypatch: Patch
) -> None:
    route(monkeypatch, name)
    cases, _ = table(steps, weighted)
    taken = watched(monkeypatch)
    Margins.of(cases)
    assert set(taken) - {"_merged_pair"} == expected


@pytest.mark.parametrize(("many", "step"), [(4, "_by_merging"), (5, "_totals")])
def test_many_classes_are_merged_however_large(many: int, step: str, monkeypatch: Patch) -> None:
    route(monkeypatch, "pairs")
    monkeypatch.setattr(margins, "MANY_CLASSES", many)
    cases, whole = table(10**9)
    taken = watched(monkeypatch)
    made = Margins.of(cases)
    assert set(taken) == {step}
    np.testing.assert_array_equal((made.above, made.tied), plain_sums(cases, whole))
    weighted, whole = table(10, weighted=True)
    taken.clear()
    made = Margins.of(weighted)
    assert set(taken) == ({"sums_by_blocks"} if many == 4 else {"_totals"})
    np.testing.assert_allclose((made.above, made.tied), plain_sums(weighted, whole), rtol=1e-13)


@pytest.mark.parametrize(("n", "step"), [(10_000, "_by_merging"), (10_001, "_totals_unless_close")])
def test_up_to_5000_cases_a_class_are_searched(n: int, step: str, monkeypatch: Patch) -> None:
    scores = np.random.default_rng(0).random((n, 2))
    taken = watched(monkeypatch)
    Margins.of(Predictions(np.arange(n) % 2, scores))
    assert set(taken) == {step}


@pytest.mark.parametrize(("n", "step"), [(512, "_totals"), (513, "_totals_unless_close")])
def test_few_positives_of_a_pair_are_looked_up(n: int, step: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(margins, "FEW_CASES", 0)
    y = np.repeat([0, 1], [n, 600])
    cases = Predictions(y, np.random.default_rng(0).random((n + 600, 2)))
    taken = watched(monkeypatch)
    Margins.of(cases)
    assert taken == [step]


@pytest.mark.parametrize(("K", "merges"), [(23, 0), (24, 23)])
def test_from_24_classes_on_sorted_lists_are_merged(
    K: int, merges: int, monkeypatch: Patch
) -> None:
    from polyroc.kernels import merge

    monkeypatch.setattr(short_tables, "MOST_MARGINS", 0)
    calls, plain = [], merge.merge_pairs

    def counted(*args: Any) -> None:
        calls.append(args[2])
        plain(*args)

    monkeypatch.setattr(merge, "merge_pairs", counted)
    cases, whole = table(10, sizes=(3, 2) * (K // 2) + (4,) * (K % 2))
    made = Margins.of(cases)
    assert len(calls) == merges
    np.testing.assert_array_equal((made.above, made.tied), plain_sums(cases, whole))
    assert (made.placed is None) and (Margins.of_carried(cases).placed is None) == (K < 24)


@pytest.mark.parametrize("name", ["searched", "merged", "sorted pairs"])
def test_pairs_are_shared_among_threads(name: str, monkeypatch: Patch) -> None:
    """More than so many margins, cases times classes."""
    route(monkeypatch, name)
    seen: list[int | None] = []
    plain = margins.map_threads

    def recorded(work: Any, items: Any, n_threads: int | None) -> list[Any]:
        seen.append(n_threads)
        return plain(work, items, 1)

    monkeypatch.setattr(margins, "map_threads", recorded)
    cases, _ = table(10**9, n_threads=5)
    gradient = MarginGradient(np.ones((4, 4)), 0.5)
    for few, threads in ((24 * 4, 1), (24 * 4 - 1, 5)):
        monkeypatch.setattr(margins, "FEW_MARGINS", few)
        seen.clear()
        made = Margins.of(cases)
        if name != "merged":
            made.carry(cases, [gradient])
        assert seen and set(seen) == {threads}


@pytest.mark.parametrize("loops", [False, True])
def test_a_pool_is_a_part_of_every_class(loops: bool, monkeypatch: Patch) -> None:
    """Sums and influence values are those of the cases written out."""
    if loops:
        monkeypatch.setattr(margins, "MANY_CLASSES", 4)
    matrix = np.arange(16.0).reshape(4, 4) / 50
    gradients = [MarginGradient(matrix, 0.0), MarginGradient(equal_pairs(4), 0.5)]
    for costs in (None, COSTS):
        cases, whole = table(10, weighted=True)
        pool = np.array([3, 8, 11, 20])
        kept, added = np.array([0.5, 0.75, 0.9, 0.8]), np.array([2.0, 1.0, 0.5, 0.25])
        mixed = Mixture(cases, pool, np.array([0.1, 0.2, 0.3, 0.4]), kept, added)
        written = mixed.written_out()
        numbers = np.concatenate([whole, *[whole[pool]] * 4])
        taken = watched(monkeypatch)
        made = Margins.of_mixture(mixed, partition=costs)
        expected = plain_sums(written, numbers, costs)
        np.testing.assert_allclose((made.above, made.tied), expected, rtol=1e-12)
        assert made.partition == costs and made.classes == cases.classes
        assert (made.placed is not None) == loops
        np.testing.assert_allclose(made.weights, written.class_weights)
        assert ("_mixed_pair" in taken) is not loops
        taken.clear()
        for moved, gradient in zip(made.carry_mixture(mixed, gradients), gradients, strict=True):
            assert ("_mixed_pair" in taken) is not loops
            plain = plain_influence(written, numbers, gradient, costs)
            np.testing.assert_allclose(moved, plain, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["searched", "sorted pairs", "merged"])
def test_runs_that_are_too_wide_are_no_ties(name: str, monkeypatch: Patch) -> None:
    """Only equal margins are tied there; close to one number they are, whatever lies between."""
    route(monkeypatch, name)
    y = np.repeat([0, 1], [2000, 1500])
    rng = np.random.default_rng(2)
    first = 0.5 + rng.permutation(3500) * 2.0**-41  # each as near as a slack to the next
    scores = np.column_stack([first, np.zeros(3500)])
    made = Margins.of(Predictions(y, scores))
    own, other = first[y == 0], first[y == 1]
    assert made.above[0, 1] == (own[:, None] > other).sum() and made.tied[0, 1] == 0
    near = 0.5 + rng.integers(0, 3, 3500) * 2.0**-50
    made = Margins.of(Predictions(y, np.column_stack([near, np.zeros(3500)])))
    assert made.above[0, 1] == 0 and made.tied[0, 1] == 2000 * 1500


def test_margins_close_across_the_blocks_of_a_column(monkeypatch: Patch) -> None:
    """Two in different blocks, or side by side, make the pair be counted again."""
    monkeypatch.setattr(_columns, "_BLOCK", 4)
    monkeypatch.setattr(_columns, "FEW_POSITIVES", 0)
    monkeypatch.setattr(_columns, "SHORT_COLUMN", 0)
    scores = np.arange(16.0)
    codes = (np.arange(16) % 3 == 0).astype(np.uint8)
    slack = 0.01
    counted = margins._totals_unless_close(_columns.Column(scores, codes, 1), slack)
    assert counted == margins._totals(_columns.Column(scores, codes, 1))
    for place in range(1, 16):
        for gap in (0.01, 0.02, 0.0):
            near = scores.copy()
            near[place] = near[place - 1] + gap
            apart = float(near[place] - near[place - 1])
            for slack, close in ((apart, gap > 0), (apart * 0.99, False)):
                column = _columns.Column(near, codes, 1)
                found = margins._totals_unless_close(column, slack)
                if gap:
                    assert (found is None) is close, (place, gap)


def test_equal_pairs_sum_to_one_above_the_diagonal() -> None:
    for K in (2, 3, 7):
        weights = equal_pairs(K)
        pairs = np.triu(np.ones((K, K), dtype=bool), 1)
        np.testing.assert_allclose(weights[pairs], 2 / (K * (K - 1)), rtol=1e-12)
        assert weights.shape == (K, K) and not weights[~pairs].any()
        assert not weights.flags.writeable and equal_pairs(K) is weights


def test_slacks_and_sizes_of_directed_scores() -> None:
    scores = np.array([[0.25, -3.0], [0.5, 1.0], [2.0, 0.125]])
    plain = Directed(scores)
    assert plain.size == 3.0
    assert Directed(-scores).size == 3.0
    assert plain.most_slack == pytest.approx(1.01 * SLACK * 3.0)
    assert plain.least_slack == SLACK / 2
    costs = Directed(scores, np.array([[0.0, 5.0], [2.0, 0.0]]))
    assert costs.most_slack == pytest.approx(1.01 * SLACK * 15.0)
    assert costs.least_slack == SLACK / 2
    three = Directed(np.ones((2, 3)), np.ones((3, 3)))
    assert three.least_slack == SLACK / 3
    limit = 2.0**1021
    assert Directed(np.array([[limit, 0.0]])).has_large_margins
    assert Directed(np.array([[0.0, -limit]])).has_large_margins
    assert not Directed(np.array([[np.nextafter(limit, 0), 0.0]])).has_large_margins


def test_margins_along_costs_and_their_slacks() -> None:
    cases, whole = table(10)
    directed, rows = Directed.of(cases, COSTS), np.array([4, 0, 17, 9])
    A = np.array(COSTS)
    np.testing.assert_allclose(
        directed.margins(rows, 2, 0), whole[rows] / 10 @ (A[0] - A[2]), atol=1e-12
    )
    slack = directed.slacks(rows, 2, 0)
    differ = A[0] != A[2]
    sizes = (np.abs(whole[rows] / 10) * np.maximum(A[0], A[2]))[:, differ].max(axis=1)
    zero = directed.margins(rows, 2, 0) == 0
    np.testing.assert_allclose(slack, np.where(zero, 0.0, SLACK * sizes), rtol=1e-12)
    plain = Directed.of(cases, None)
    first, second = (cases.scores[rows, k] for k in (2, 0))
    np.testing.assert_array_equal(plain.margins(rows, 2, 0), first - second)
    larger = SLACK * np.maximum(first, second)
    np.testing.assert_array_equal(plain.slacks(rows, 2, 0), np.where(first == second, 0.0, larger))
    single = Directed.of(Predictions(cases.codes, cases.scores.astype(np.float32)), None)
    np.testing.assert_array_equal(single.margins(rows, 2, 0), first - second)  # as written


def test_squeezed_margins_keep_their_order() -> None:
    """From 2¹⁰²² on a margin m is 2¹⁰²² + (m − 2¹⁰²²)/4; its opposite is the opposite."""
    unit = 2.0**1022
    first = np.array([unit, unit, 1.5 * unit, 1.5 * unit, -1.5 * unit, 3.0, np.nextafter(unit, 0)])
    second = np.array([0.0, -unit, 0.0, -1.5 * unit, 1.5 * unit, 1.0, 0.0])
    expected = np.array([1.0, 1.25, 1.125, 1.5, -1.5, 0.0, 1.0]) * unit
    expected[5], expected[6] = 2.0, np.nextafter(unit, 0)
    np.testing.assert_array_equal(margins_of(first, second), expected)
    np.testing.assert_array_equal(margins_of(second, first), -expected)
    assert margins_of(np.float32([3.0]), np.float32([0.5])).dtype == np.float64


def test_corners_of_blocks_have_every_pair_once(monkeypatch: Patch) -> None:
    """Up to 64 classes on a side."""
    corners = list(margin_blocks._corners(64))
    assert corners == [(range(64), range(64))]
    sides = [range(64), range(64, 128), range(128, 130)]
    found = list(margin_blocks._corners(130))
    assert found == [(a, b) for n, a in enumerate(sides) for b in sides[n:]]


@pytest.mark.parametrize("small", [False, True])
def test_blocks_are_shared_among_threads_and_added_up(small: bool, monkeypatch: Patch) -> None:
    """Of three classes a side, compared or sorted, with and without influence values."""
    monkeypatch.setattr(margin_blocks, "WIDTH", 3)
    monkeypatch.setattr(margin_blocks, "SMALL_CLASS", 128 if small else 0)
    seen: list[tuple[int, int | None]] = []

    def record(name: str) -> None:
        plain = getattr(margin_blocks, name)

        def recorded(work: Any, items: Any, n_threads: int | None) -> Any:
            items = list(items)
            seen.append((len(items), n_threads))
            return plain(work, items, 1)

        monkeypatch.setattr(margin_blocks, name, recorded)

    record("each_of_threads")
    record("map_threads")
    monkeypatch.setattr(long_tables, "CASES_AT_ONCE", 6)
    sizes = (2, 4, 1, 3, 2, 5, 3)
    pull = np.triu(np.arange(49.0).reshape(7, 7) / 99, 1)
    for steps in (4, 10, 10**9):
        cases, whole = table(steps, sizes=sizes, n_threads=4)
        directed = Directed.of(cases, None)
        alone = margin_blocks.sums_by_blocks(cases, directed)
        along = margin_blocks.sums_by_blocks(cases, directed, pull, 0.25)
        expected = plain_sums(cases, whole)
        for made in (alone, along):
            np.testing.assert_array_equal((made.above, made.tied), expected)
        assert len(alone.carried.own) == 0
        moved = plain_influence(cases, whole, MarginGradient(pull, 0.25))
        own = along.carried.own
        centres = [own[m].mean() for m in cases.members]
        np.testing.assert_allclose(own - np.array(centres)[cases.codes], moved, atol=1e-13)
        half = margin_blocks.sums_by_blocks(cases, directed, pull).carried.own
        fair = margin_blocks.sums_by_blocks(cases, directed, pull, 0.5).carried.own
        np.testing.assert_array_equal(half, fair)
        by_pairs = margin_blocks.sums_by_pairs(cases, directed, pull).carried.own
        np.testing.assert_allclose(by_pairs, fair, atol=1e-13)
        assert len(margin_blocks.sums_by_pairs(cases, directed).carried.own) == 0
    assert set(seen) == {(6, 4), (4, 4), (7, 4)}  # blocks, lanes of pairs, columns by class


@pytest.mark.parametrize(("many_close", "left"), [(1, True), (4, True), (5, False), (9, False)])
def test_a_block_with_many_close_margins_is_sorted(
    many_close: int, left: bool, monkeypatch: Patch
) -> None:
    """One pair of classes in so many may be left out; of more than that none is compared."""
    monkeypatch.setattr(margin_blocks, "MANY_CLOSE", many_close)
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(4), 3)
    scores = rng.integers(0, 10**9, (12, 4)) / 10**9
    for i, j in ((0, 1), (0, 2), (1, 3), (2, 3)):  # four close pairs of classes, of 16 places
        a, b = 3 * i + (j - 1) % 3, 3 * j + i % 3
        scores[a, [i, j]], scores[b, [i, j]] = [0.5, 0.3], [0.3, 0.1]
    cases = Predictions(y, scores)
    directed = Directed.of(cases, None)
    found = margin_blocks._compared
    seen = []

    def compared(*args: Any) -> Any:
        seen.append(found(*args))
        return seen[-1]

    monkeypatch.setattr(margin_blocks, "_compared", compared)
    made = margin_blocks.sums_by_blocks(cases, directed)
    sorted_ = margin_blocks.sums_by_pairs(cases, directed)
    np.testing.assert_array_equal((made.above, made.tied), (sorted_.above, sorted_.tied))
    assert len(seen) == 1 and (seen[0] is not None) is left
    if left:
        assert 0 < len(seen[0]) <= 16 // many_close


@pytest.mark.parametrize("name", ["searched", "merged", "sorted pairs", "long"])
def test_ties_along_costs_of_other_classes(name: str, monkeypatch: Patch) -> None:
    """.1 + .2 and .3 in the columns of two other classes, where the own ones are 0."""
    route(monkeypatch, name)
    costs = ((0.0, 1.0, 1.0, 1.0), (1.0, 0.0, 2.0, 2.0), (1.0, 1.0, 0.0, 1.0), (1.0, 1.0, 1.0, 0.0))
    y = np.array([0, 0, 0, 1, 1, 1, 2, 3])
    whole = np.zeros((8, 4), dtype=int)
    whole[:, 2:] = [[1, 2], [2, 1], [3, 3], [3, 0], [0, 3], [1, 1], [4, 2], [1, 6]]
    for weights in (None, np.arange(1.0, 9)):
        cases = Predictions(y, whole / 10, sample_weight=weights)
        expected = plain_sums(cases, whole, costs)
        assert expected[1][0, 1] > 0
        for made in (Margins.of(cases, costs), Margins.of_carried(cases, costs)):
            np.testing.assert_allclose((made.above, made.tied), expected, rtol=1e-13)


@pytest.mark.parametrize(("n_close", "left"), [(2, True), (3, False)])
def test_one_pair_of_classes_in_eight_may_be_close(n_close: int, left: bool) -> None:
    """Of a block of four classes with four others, that is two of sixteen."""
    from polyroc.kernels.margins import Found, Pulls

    scores = np.random.default_rng(1).integers(0, 10**9, (12, 4)) / 10**9
    for i, j in ((0, 1), (0, 2), (1, 3))[:n_close]:
        a, b = 3 * i + (j - 1) % 3, 3 * j + i % 3
        scores[a, [i, j]], scores[b, [i, j]] = [0.5, 0.3], [0.3, 0.1]
    cases = Predictions(np.repeat(np.arange(4), 3), scores)
    directed = Directed.of(cases, None)
    block = margin_blocks._table(cases, cases, directed)
    above, tied = np.zeros((2, 4, 4))
    found = Found(above, tied, np.zeros(0), np.zeros((4, 0)))
    pulls = Pulls(np.empty((0, 0)), 0.5)
    close = margin_blocks._compared(block, (range(4), range(4)), pulls, found)
    assert close == ([[0, 1], [0, 2]] if left else None)


def nearly_tied(steps: tuple[int, ...]) -> tuple[Predictions, np.ndarray]:
    """Random multiples of 2⁻⁴⁶; in each pair of classes margins so many steps apart, and some 0."""
    y = np.arange(90) % 3
    scores = np.random.default_rng(3).integers(2**44, 2**45, (90, 3))
    for place, step in enumerate(steps):
        for i, j in combinations(range(3), 2):
            own, other = np.flatnonzero(y == i)[2 * place + j - 1], 6 * (2 * place + i) + j
            scores[other] = scores[own]
            scores[other, i] += step
    if steps:
        scores[-3:] = 2**44
    return Predictions(y, scores / 2.0**46), scores


@pytest.mark.parametrize("steps", [(), (0,), (1, -1), (20, 3, -25, 60)])
def test_few_margins_that_are_close(steps: tuple[int, ...]) -> None:
    """Each pair of cases by whole numbers: 2⁻⁴⁰ of a score are 16 to 31 steps."""
    cases, scores = nearly_tied(steps)
    above, tied = np.zeros((2, 3, 3))
    credit = np.zeros((3, 90))
    for i, j in combinations(range(3), 2):
        for a, b in product(cases.members[i], cases.members[j]):
            margins = [scores[each, i] - scores[each, j] for each in (a, b)]
            slacks = [
                max(scores[each, i], scores[each, j]) / 2**40 if margin else 0
                for each, margin in zip((a, b), margins, strict=True)
            ]
            same = abs(margins[0] - margins[1]) <= max(slacks)
            tied[i, j] += same
            above[i, j] += margins[0] > margins[1] and not same
            share = 0.5 if same else float(margins[0] > margins[1])
            credit[j, a] += share / 30
            credit[i, b] += share / 30
    assert ((tied[np.triu_indices(3, 1)] > 1) == bool(steps)).all()
    directed, pull = Directed.of(cases, None), np.triu(np.ones((3, 3)), 1)
    for found in (
        margin_blocks.sums_by_pairs(cases, directed),
        margin_blocks.sums_by_pairs(cases, directed, pull),
        margin_blocks.sums_by_blocks(cases, directed, pull),
    ):
        np.testing.assert_array_equal(found.above, above)
        np.testing.assert_array_equal(found.tied, tied)
        if len(found.carried.own):
            np.testing.assert_allclose(found.carried.own, credit.sum(axis=0), rtol=1e-14)
