"""Pairs and placements by every route: plain loops over cases, with weights and ties."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from polyroc import Predictions
from polyroc.errors import InvalidInput
from polyroc.predictions import _columns
from polyroc.statistics import long_tables, many_columns, pairs, placements, short_tables
from polyroc.statistics.mixture import Carried, Mixture
from polyroc.statistics.pairs import PairGradient, Pairs, own_placements, tie_credit
from polyroc.statistics.placements import Placements

SIZES = {2: (7, 5), 3: (6, 3, 8), 4: (2, 4, 1, 4), 5: (3, 6, 2, 5, 4)}
Patch = pytest.MonkeyPatch


def table(K: int, steps: int = 6, weighted: bool = False, **given: Any) -> Predictions:
    """Classes of unequal sizes in mixed order; scores with many ties, or hardly any."""
    rng = np.random.default_rng([K, steps])
    y = rng.permutation(np.repeat(np.arange(K), SIZES[K]))
    scores = (rng.integers(0, steps + 1, (len(y), K)) + np.eye(K)[y]) / 7
    weights = rng.integers(1, 9, len(y)) / 7 if weighted else None
    return Predictions(y, scores, sample_weight=weights, **given)


def plain_sums(cases: Predictions) -> np.ndarray:
    """Above, tied and excess of pairs of two classes; 0 on the diagonal."""
    s, w, K = cases.scores, cases.case_weights, cases.n_classes
    sums = np.zeros((3, K, K))
    for a, k in enumerate(cases.codes):
        for b, r in enumerate(cases.codes):
            if k != r:
                lead = s[a, k] - s[b, k]
                sums[:, k, r] += w[a] * w[b] * np.array([lead > 0, lead == 0, max(lead, 0)])
    return sums


def off(matrices: Any) -> np.ndarray:
    """Without the pairs of one class."""
    found = np.array(matrices)
    found[..., range(found.shape[-1]), range(found.shape[-1])] = 0
    return found


def centred(cases: Predictions, moved: np.ndarray) -> np.ndarray:
    for own in cases.members:
        moved[own] -= np.average(moved[own], weights=cases.case_weights[own])
    return moved


def plain_influence(cases: Predictions, gradient: PairGradient) -> np.ndarray:
    s, w, W = cases.scores, cases.case_weights, cases.class_weights
    moved = np.zeros(len(cases))
    for a, k in enumerate(cases.codes):
        for b, r in enumerate(cases.codes):
            if k == r:
                continue
            lead = s[a, k] - s[b, k]
            if gradient.credit is None:
                credit = max(lead, 0)
            else:
                credit = (lead > 0) + gradient.credit * (lead == 0)
            moved[a] += gradient.matrix[k, r] * credit * w[b] / W[r]
            moved[b] += gradient.matrix[k, r] * credit * w[a] / W[k]
    return centred(cases, moved)


@cache
def places_of_table(*given: Any) -> tuple[list[float], np.ndarray]:
    return plain_places(table(*given))


def plain_places(cases: Predictions) -> tuple[list[float], np.ndarray]:
    """Chances of the positives of each column, and what each case adds to those of all columns.

    The chance that a positive beats one case of every other class is the integral of a product of
    linear functions of the share of tied cases that are beaten.
    """
    s, w, K = cases.scores, cases.case_weights, cases.n_classes
    wins, moved = [], np.zeros(len(cases))
    for k in range(K):
        won = 0.0
        for a in cases.members[k]:
            factors = {}
            for r in set(range(K)) - {k}:
                m = cases.members[r]
                share = w[m] / w[m].sum()
                factors[r] = Polynomial([share @ (s[m, k] < s[a, k]), share @ (s[m, k] == s[a, k])])
            chance = math.prod(factors.values(), start=Polynomial([1.0])).integ()(1.0)
            weight = w[a] / cases.class_weights[k]
            won += weight * chance
            moved[a] += chance
            for r in factors:
                rest = math.prod((f for q, f in factors.items() if q != r), start=Polynomial([1.0]))
                for b in cases.members[r]:
                    one = Polynomial([float(s[b, k] < s[a, k]), float(s[b, k] == s[a, k])])
                    moved[b] += weight * (rest * one).integ()(1.0)
        wins.append(won)
    return wins, moved


def route(patch: Patch, name: str) -> None:
    if name == "blocks":
        patch.setattr(many_columns, "MANY_CLASSES", 2)
        patch.setattr(many_columns, "WIDTH", 2)
        patch.setattr(many_columns, "TILE", 5)
    if name.startswith("long"):
        for limit in ("MANY_SCORES", "MANY_CARRIED", "MANY_OF_PART"):
            patch.setattr(long_tables, limit, 1)
    if name == "long in parts":
        patch.setattr(long_tables, "CASES_AT_ONCE", 5)
        patch.setattr(long_tables, "LANES", 2)
    if name != "short":
        patch.setattr(short_tables, "SHORT", 0)
    if name == "sorted":
        patch.setattr(_columns, "FEW_POSITIVES", 0)
        patch.setattr(_columns, "_BLOCK", 4)


ROUTES = ["short", "columns", "sorted", "blocks", "long", "long in parts"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("name", ROUTES)
def test_sums_by_every_route(name: str, K: int, weighted: bool, monkeypatch: Patch) -> None:
    """The excess only where it is asked for, or comes for nothing."""
    route(monkeypatch, name)
    for steps in (2, 6, 10**6):
        cases = table(K, steps, weighted)
        expected = plain_sums(cases)
        for scored in (False, True):
            for made in (Pairs.of(cases, scored), Pairs.of_carried(cases, scored=scored)):
                np.testing.assert_allclose(off((made.above, made.tied)), expected[:2], rtol=1e-13)
                assert made.classes == cases.classes and made.summed_pairs is None
                np.testing.assert_array_equal(made.weights, cases.class_weights)
                if scored:
                    np.testing.assert_allclose(off(made.excess), expected[2], rtol=1e-12)
        alone = Pairs.of(cases)
        assert np.isnan(alone.excess).all() and alone.excess.shape == (K, K)
        sums = Pairs.of(cases, scored=True)
        total = np.outer(cases.class_weights, cases.class_weights)
        rows = ~np.eye(K, dtype=bool)
        for ties, credit in (("fair", 0.5), ("strict", 0.0), ("lenient", 1.0)):
            auc = sums.auc(ties)  # type: ignore[arg-type]
            fair = (expected[0] + credit * expected[1]) / total
            np.testing.assert_allclose(auc[rows], fair[rows], rtol=1e-13)
            assert np.isnan(np.diag(auc)).all()
        np.testing.assert_array_equal(sums.auc(), sums.auc("fair"))
        np.testing.assert_allclose(sums.scored_auc()[rows], (expected[2] / total)[rows])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("name", ROUTES)
def test_influence_values_by_every_route(
    name: str, K: int, weighted: bool, monkeypatch: Patch
) -> None:
    """Of ties with any credit and of leads, in any order, and with rows that do not count."""
    route(monkeypatch, name)
    cases = table(K, 6, weighted)
    matrices = np.random.default_rng(K).normal(size=(5, K, K))
    matrices[3, 1:] = 0  # one column counts, and its own place on the diagonal does not
    matrices[4] = np.eye(K) * 7
    credits = [1.0, None, 0.5, 0.5, 0.25]
    gradients = [PairGradient(*each) for each in zip(matrices, credits, strict=True)]
    expected = [plain_influence(cases, each) for each in gradients]
    for made in (Pairs.of(cases, scored=True), Pairs.of_carried(cases, scored=True)):
        for some in (slice(0, 5), slice(1, 2), slice(2, 4), slice(3, 4), slice(4, 5)):
            found = made.carry(cases, gradients[some])
            assert len(found) == len(gradients[some])
            for moved, plain in zip(found, expected[some], strict=True):
                np.testing.assert_allclose(moved, plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("name", ROUTES)
def test_chances_by_every_route(name: str, K: int, weighted: bool, monkeypatch: Patch) -> None:
    route(monkeypatch, name)
    for steps in (1, 6, 10**6):
        cases = table(K, steps, weighted)
        wins, moved = places_of_table(K, steps, weighted)
        alone, along = Placements.of(cases), Placements.of_carried(cases)
        assert alone.projected is None and along.projected is not None
        np.testing.assert_allclose(along.projected, moved, rtol=1e-12, atol=1e-12)
        plain = centred(cases, moved.copy())
        for made in (alone, along):
            np.testing.assert_allclose(made.wins, wins, rtol=1e-12)
            np.testing.assert_array_equal(made.weights, cases.class_weights)
            assert made.classes == cases.classes and made.mixed is None
            one, half = made.carry(cases, [np.full(K, 1.0), np.full(K, 0.5)])
            np.testing.assert_allclose(one, plain, rtol=0, atol=1e-13)
            np.testing.assert_allclose(half, plain / 2, rtol=0, atol=1e-13)


def test_both_statistics_of_a_long_table_from_one_sort() -> None:
    for K in (2, 3, 5):
        cases = table(K)
        places, sums = Placements.with_pairs(cases)
        expected = plain_sums(cases)
        np.testing.assert_array_equal(off((sums.above, sums.tied)), expected[:2])
        np.testing.assert_allclose(off(sums.excess), expected[2], rtol=1e-13)
        np.testing.assert_allclose(places.wins, plain_places(cases)[0], rtol=1e-12)
        for made in (places, sums):
            assert made.classes == cases.classes
            np.testing.assert_array_equal(made.weights, cases.class_weights)
        assert places.projected is None and sums.placed is None


@pytest.mark.parametrize("name", ["short", "columns", "blocks"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3, 4])
def test_a_pool_is_a_part_of_every_class(
    K: int, weighted: bool, name: str, monkeypatch: Patch
) -> None:
    """Sums, chances and influence values are those of the cases written out."""
    route(monkeypatch, name)
    cases = table(K, 6, weighted)
    pool, shares = np.array([2, 5, 9, 10]), np.array([0.125, 0.25, 0.5, 0.125])
    kept, added = np.linspace(0.5, 0.75, K), np.arange(1.0, K + 1) / 4
    mixed = Mixture(cases, pool, shares, kept, added)
    written = mixed.written_out()
    assert len(mixed) == len(written) == len(cases) + 4 * K
    assert written.codes.tolist() == [*cases.codes, *np.repeat(np.arange(K), 4)]
    np.testing.assert_array_equal(written.scores[len(cases) :], np.tile(cases.scores[pool], (K, 1)))
    np.testing.assert_allclose(mixed.class_weights, written.class_weights)
    np.testing.assert_allclose(
        written.case_weights[len(cases) :] / written.case_weights[0],
        np.outer(added, shares).ravel() / (cases.case_weights[0] * kept[cases.codes[0]]),
    )
    expected = plain_sums(written)
    factor = written.class_weights.sum() / mixed.class_weights.sum()
    for scored in (False, True):
        made = Pairs.of_mixture(mixed, scored=scored)
        found = off((made.above, made.tied)) * factor**2
        np.testing.assert_allclose(found, expected[:2], rtol=1e-12)
        if scored:
            np.testing.assert_allclose(off(made.excess) * factor**2, expected[2], rtol=1e-12)
        else:
            assert np.isnan(made.excess).all()
        np.testing.assert_allclose(made.weights, mixed.class_weights)
        assert made.classes == cases.classes
    matrices = np.random.default_rng(K).normal(size=(3, K, K))
    gradients = [
        PairGradient(matrices[0], 0.25),
        PairGradient(matrices[1], None),
        PairGradient(np.where(np.arange(K)[:, None] == 1, matrices[2], 0), 1.0),
    ]
    for moved, each in zip(made.carry_mixture(mixed, gradients), gradients, strict=True):
        np.testing.assert_allclose(moved, plain_influence(written, each), rtol=0, atol=1e-12)
    places = Placements.of_mixture(mixed)
    wins, moved = plain_places(written)
    np.testing.assert_allclose(places.wins, wins, rtol=1e-12)
    assert places.mixed is not None and places.projected is None
    (carried,) = places.carry_mixture(mixed, [np.full(K, 3.0)])
    np.testing.assert_allclose(carried, 3 * centred(written, moved), rtol=0, atol=1e-12)
    alone = Placements(classes=cases.classes, weights=mixed.class_weights, wins=np.array(wins))
    (again,) = alone.carry_mixture(mixed, [np.full(K, 3.0)])
    np.testing.assert_allclose(again, carried, rtol=0, atol=1e-13)


def test_a_pool_of_a_single_column(monkeypatch: Patch) -> None:
    """The second column says what the first does, and only it is looked at."""
    route(monkeypatch, "columns")
    rng = np.random.default_rng(1)
    y, s = np.arange(20) % 2, rng.integers(0, 9, 20) / 8
    cases = Predictions(y, s)
    quarter = np.full(4, 0.25)
    mixed = Mixture(
        cases, np.array([1, 4, 7, 8]), quarter, np.array([0.5, 0.75]), np.array([1.0, 2.0])
    )
    asked = []
    column = Mixture.column

    def looked(self: Mixture, k: int) -> Any:
        asked.append(k)
        return column(self, k)

    monkeypatch.setattr(Mixture, "column", looked)
    made = Pairs.of_mixture(mixed)
    assert asked == [1]
    written = mixed.written_out()
    factor = written.class_weights.sum() / mixed.class_weights.sum()
    expected = plain_sums(written)
    np.testing.assert_allclose(off((made.above, made.tied)) * factor**2, expected[:2], rtol=1e-12)
    asked.clear()
    Pairs.of_mixture(mixed, scored=True)
    assert asked == [0, 1]


def watched(patch: Patch, module: Any, *names: str) -> list[str]:
    """Names of the functions that are called from now on."""
    taken: list[str] = []

    def watch(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **options: Any) -> Any:
            taken.append(name)
            return plain(*args, **options)

        return step

    for name in names:
        patch.setattr(module, name, watch(name, getattr(module, name)))
    return taken


STEPS = "counted_pairs", "sums_of_columns", "column_sums", "_column_sums", "_mirrored", "_counted"


@pytest.mark.parametrize(
    ("name", "K", "weighted", "plain", "scored", "carried"),
    [
        ("short", 3, False, {"counted_pairs"}, {"_column_sums"}, {"_column_sums"}),
        ("short", 3, True, {"_column_sums"}, {"_column_sums"}, {"_column_sums"}),
        ("short", 2, False, {"counted_pairs"}, {"_column_sums"}, {"_column_sums"}),
        ("columns", 3, False, {"_column_sums"}, {"_column_sums"}, {"_counted"}),
        ("blocks", 3, True, {"column_sums"}, {"column_sums"}, {"column_sums"}),
        ("blocks", 3, False, {"column_sums"}, {"column_sums"}, {"column_sums"}),
        ("long", 3, False, {"_column_sums"}, {"sums_of_columns"}, {"sums_of_columns"}),
        ("long", 2, False, {"_column_sums"}, {"sums_of_columns"}, {"sums_of_columns"}),
        ("long", 3, True, {"_column_sums"}, {"_column_sums"}, {"_column_sums"}),
    ],
)
def test_the_steps_of_each_route(
    name: str,
    K: int,
    weighted: bool,
    plain: set[str],
    scored: set[str],
    carried: set[str],
    monkeypatch: Patch,
) -> None:
    route(monkeypatch, name)
    cases = table(K, 6, weighted)
    taken = watched(monkeypatch, pairs, *STEPS)
    for expected, make in (
        (plain, lambda: Pairs.of(cases)),
        (scored, lambda: Pairs.of(cases, scored=True)),
        (carried, lambda: Pairs.of_carried(cases, scored=True)),
    ):
        taken.clear()
        make()
        assert set(taken) == expected
    cases.keep_columns()
    taken.clear()
    Pairs.of(cases)
    assert "counted_pairs" not in taken


def test_one_column_of_two_classes_is_counted_once(monkeypatch: Patch) -> None:
    monkeypatch.setattr(short_tables, "SHORT", 0)
    cases = Predictions(np.arange(9) % 2, np.arange(9.0) % 4)
    taken = watched(monkeypatch, pairs, *STEPS)
    made = Pairs.of(cases)
    assert sorted(taken) == ["_column_sums", "_mirrored", "_mirrored"]
    np.testing.assert_array_equal(off((made.above, made.tied)), plain_sums(cases)[:2])
    assert not np.diag(made.above).any() and not np.diag(made.tied).any()
    taken.clear()
    Pairs.of(Predictions(np.arange(9) % 2, np.arange(9.0) % 4, sample_weight=np.arange(1.0, 10)))
    assert taken == ["_column_sums"] * 2


@pytest.mark.parametrize("name", ["columns", "long"])
def test_columns_are_shared_among_threads(name: str, monkeypatch: Patch) -> None:
    """Of so many cases; where compiled loops pay, threads do."""
    route(monkeypatch, name)
    seen: list[int | None] = []

    def watch(plain: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(work: Any, items: Any, n_threads: int | None = None) -> Any:
            seen.append(n_threads)
            return plain(work, items, 1)

        return recorded

    for module in (pairs, placements, long_tables):
        for each in ("map_threads", "each_of_threads"):
            if hasattr(module, each):
                monkeypatch.setattr(module, each, watch(getattr(module, each)))
    cases = table(5, 6, n_threads=6)
    gradients = [PairGradient(np.ones((5, 5)), 0.5), PairGradient(np.ones((5, 5)), None)]
    pool, fifth = np.array([0, 1]), np.full(5, 0.2)
    mixed = Mixture(cases, pool, np.full(2, 0.5), fifth, fifth)
    works: list[Callable[[], Any]] = [
        lambda: Pairs.of(cases, scored=True),
        lambda: Pairs.of_carried(cases, scored=True),
        lambda: Pairs.of(cases, scored=True).carry(cases, gradients),
        lambda: Placements.of(cases),
        lambda: Placements.of_carried(cases),
    ]
    pooled: list[Callable[[], Any]] = [
        lambda: Pairs.of_mixture(mixed),
        lambda: Pairs.of_mixture(mixed).carry_mixture(mixed, gradients),
        lambda: Placements.of_mixture(mixed),
    ]
    for length, threads in ((20, 6), (21, 1)):
        monkeypatch.setattr(pairs, "SHORT_COLUMN", length)
        for work in (works + pooled) if name == "columns" else works:
            seen.clear()
            work()
            assert seen and set(seen) == {threads if name == "columns" else 6}


def test_columns_in_which_a_derivative_is_not_zero() -> None:
    first, second = np.zeros((2, 4, 4))
    first[2, 0], first[1, 1], second[3, 2] = -1.0, 5.0, 1e-300
    both = [PairGradient(first, 0.5), PairGradient(second, None)]
    assert pairs._columns_that_count(both) == [2, 3]
    assert pairs._columns_that_count(both[:1]) == [2]
    assert pairs._columns_that_count(both[1:]) == [3]


def test_shares_of_the_own_class_below_each_case() -> None:
    """Ties count half, a case with itself too."""
    for weighted in (False, True):
        cases = table(3, 4, weighted)
        for k in range(3):
            found = own_placements(cases.column(k), cases.class_weights)
            for i, r in enumerate(cases.codes):
                m = cases.members[r]
                s, w = cases.scores[m, k], cases.case_weights[m]
                own = cases.scores[i, k]
                below = w[s < own].sum() + w[s == own].sum() / 2
                assert found[i] == pytest.approx(below / w.sum(), abs=1e-12)


def test_what_a_tie_counts() -> None:
    assert [tie_credit(ties) for ties in ("fair", "strict", "lenient")] == [0.5, 0.0, 1.0]
    with pytest.raises(InvalidInput, match=r"^ties must be"):
        tie_credit("half")  # type: ignore[arg-type]


def test_columns_of_many_classes_are_not_kept() -> None:
    """Nor those of short tables, unless leads are asked for."""
    rng = np.random.default_rng(0)
    for K, weights, scored, kept in (
        (23, np.ones(48), False, True),
        (24, np.ones(48), False, False),
        (23, None, True, True),
        (24, None, True, False),
        (23, None, False, False),
    ):
        cases = Predictions(np.arange(48) % K, rng.random((48, K)), sample_weight=weights)
        Pairs.keep_columns(cases, scored)
        assert cases.keeps_columns is kept


def test_pairs_of_two_sets_of_cases_add_up() -> None:
    one, other = (Pairs.of(table(3, steps, True), scored=True) for steps in (4, 6))
    both = one + other
    for name in ("above", "tied", "excess", "weights", "n_pairs"):
        total = getattr(one, name) + getattr(other, name)
        np.testing.assert_array_equal(getattr(both, name), total)
    np.testing.assert_allclose((both + one).n_pairs, one.n_pairs * 2 + other.n_pairs)
    np.testing.assert_array_equal(one.n_pairs, np.outer(one.weights, one.weights))


def test_classes_that_count_differently_are_refused() -> None:
    cases = table(3)
    with pytest.raises(NotImplementedError, match=r"^the classes count differently$"):
        Placements.of(cases).carry(cases, [np.array([1.0, 1.0, 2.0])])


def test_nodes_integrate_polynomials_exactly() -> None:
    """On [0, 1], up to the degree 2c − 1."""
    for c in (1, 2, 5, 9):
        nodes = placements._gauss_legendre(c)
        assert len(nodes) == c and sum(node.weight for node in nodes) == pytest.approx(1)
        assert all(0 < node.at < 1 for node in nodes)
        for power in range(2 * c):
            found = sum(node.weight * node.at**power for node in nodes)
            assert found == pytest.approx(1 / (power + 1), rel=1e-13)
        beyond = sum(node.weight * node.at ** (2 * c) for node in nodes)
        assert abs(beyond - 1 / (2 * c + 1)) > 1e-13


def test_as_many_nodes_as_classes_are_tied() -> None:
    """One more than half of them; of many in small shares, as many as matter."""
    found = [len(placements._nodes_for(tied, 5.0)) for tied in range(9)]
    assert found == [1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert len(placements._nodes_for(40, 0.0)) == 4
    assert len(placements._nodes_for(7, 1e-9)) == 4
    assert len(placements._nodes_for(8, 1e-9)) == 4
    assert len(placements._nodes_for(100, 1.0)) == placements._nodes_that_matter(1.0) < 51
    assert len(placements._nodes_for(20, 20.0)) == 11


@pytest.mark.parametrize("share", [0.0, 1e-3, 0.01, 0.05, 0.3, 1.0, 2.5, 7.0, 20.0])
def test_nodes_that_matter(share: float) -> None:
    """The error Σ_{j≥2c} S^j/j! is below 10⁻¹⁸, and c is the least that can be shown to do."""

    def half_of_the_bound(c: int) -> float:
        return share ** (2 * c) / math.factorial(2 * c)

    c = placements._nodes_that_matter(share)
    assert c >= 4 and c >= share and half_of_the_bound(c) <= 0.5e-18 * (1 + 1e-9)
    assert sum(share**j / math.factorial(j) for j in range(2 * c, 2 * c + 60)) <= 1.001e-18
    assert c == 4 or half_of_the_bound(c - 1) > 0.5e-18 or c - 1 < share


def test_products_of_all_factors_but_one() -> None:
    factors = np.array([[2.0, 3.0, 5.0, 7.0], [1.0, 0.0, 4.0, 0.5], [0.0, 0.0, 1.0, 2.0]])
    expected = [[105.0, 70.0, 42.0, 30.0], [0.0, 2.0, 0.0, 0.0], [0.0] * 4]
    np.testing.assert_array_equal(placements._products_without_one(factors), expected)
    one = placements._products_without_one(np.array([[3.0, 4.0]]))
    np.testing.assert_array_equal(one, [[4.0, 3.0]])


def test_places_without_ties_need_no_second_table() -> None:
    """A positive is level with itself alone; one tie of a positive and another case is enough."""
    y = np.array([0, 1, 0, 1, 1])
    scores = np.column_stack([np.array([0.1, 0.2, 0.3, 0.4, 0.4]), np.zeros(5)])
    none = placements._Places.of(Predictions(y, scores), 0)
    assert none.tied is None and placements._nodes(none) == placements._gauss_legendre(1)
    np.testing.assert_array_equal(none.below, [[0.0, 0.0], [0.5, 1 / 3]])
    scores[3, 0] = 0.3
    some = placements._Places.of(Predictions(y, scores), 0)
    assert some.tied is not None
    np.testing.assert_allclose(some.tied, [[0.5, 0.0], [0.5, 1 / 3]])
    np.testing.assert_allclose(some.below, [[0.0, 0.0], [0.5, 1 / 3]])


def test_what_is_added_to_influence_values() -> None:
    total = Carried(np.array([1.0, 2.0]), np.ones((2, 3)))
    total.add(Carried(np.array([10.0, 20.0]), np.full((2, 3), 4.0)), 0.5)
    total.add(Carried(np.array([1.0, 1.0]), np.full((2, 3), 1.0)))
    assert total.own.tolist() == [7.0, 13.0] and (total.pooled == 4.0).all()


def test_a_mixture_is_centred_by_class() -> None:
    """Cases and pool of a class together have the weighted mean 0."""
    cases = table(3, 6, weighted=True)
    kept, added = np.array([0.5, 0.8, 0.9]), np.array([1.0, 0.5, 2.0])
    mixed = Mixture(cases, np.array([0, 3]), np.array([0.25, 0.75]), kept, added)
    rng = np.random.default_rng(0)
    given = Carried(rng.normal(size=len(cases)), rng.normal(size=(2, 3)))
    found = mixed.centred(given)
    written = mixed.written_out()
    joined = np.concatenate([given.own, given.pooled.T.ravel()])
    np.testing.assert_allclose(found, centred(written, joined), atol=1e-13)
    nothing = mixed.nothing()
    assert nothing.own.shape == (len(cases),) and nothing.pooled.shape == (2, 3)
    assert not nothing.own.any() and not nothing.pooled.any()
    empty = many_columns.nothing(cases)
    assert empty.own.shape == (len(cases),) and empty.pooled.shape == (0, 3)
    assert many_columns.column_influences(cases, [], [], cases.class_weights) == []


def test_small_differences_of_sums_are_no_ties_in_a_mixture() -> None:
    """Up to 10⁻¹⁴ of the weight of a class they are rounding; rows of the pool are tied."""
    generator = np.random.default_rng(3)
    y, s = np.arange(300) % 3, generator.random((300, 3))
    cases = Predictions(y, s, sample_weight=generator.random(300) + 0.1)
    third, pool = np.full(3, 1 / 3), np.arange(0, 300, 5)
    mixed = Mixture(cases, pool, generator.dirichlet(np.ones(60)), third, third)
    for k in range(3):
        places = placements._mixed_places(mixed.column(k), mixed.class_weights)
        assert places.tied is not None
        own = np.concatenate([s[:, k], s[pool, k]])[places.column.members]
        pooled = np.isin(own, s[pool, k])
        others = np.delete(places.tied, k, axis=1)
        np.testing.assert_array_equal(others > 0, np.repeat(pooled[:, None], 2, axis=1))


def test_the_own_class_of_a_positive_is_no_class_it_is_tied_with() -> None:
    """Both positives are level, also with cases of one class, or of two: one node, and two."""
    y = np.array([0, 0, 1, 2, 1, 2])
    column = np.array([0.5, 0.5, 0.5, 0.25, 0.1, 0.9])
    for level, n_nodes in ((0.25, 1), (0.5, 2)):
        column[3] = level
        scores = np.column_stack([column, np.zeros(6), np.zeros(6)])
        places = placements._Places.of(Predictions(y, scores), 0)
        assert len(placements._nodes(places)) == n_nodes


@pytest.mark.parametrize("name", ["short", "blocks", "long"])
def test_which_chances_are_found_in_blocks(name: str, monkeypatch: Patch) -> None:
    route(monkeypatch, name)
    cases = table(3)
    third = np.full(3, 1 / 3)
    mixed = Mixture(cases, np.array([0, 4]), np.full(2, 0.5), third, third)
    taken = watched(
        monkeypatch, placements, "_by_blocks", "sums_and_wins", "projected_wins", "mixed_columns"
    )
    steps = {
        "short": ([], [], ["mixed_columns"]),
        "blocks": (["_by_blocks"], ["_by_blocks"], ["_by_blocks"]),
        "long": (["sums_and_wins"], ["projected_wins"], ["mixed_columns"]),
    }[name]
    for expected, make in zip(
        steps,
        (
            lambda: Placements.of(cases),
            lambda: Placements.of_carried(cases),
            lambda: Placements.of_mixture(mixed),
        ),
        strict=True,
    ):
        taken.clear()
        make()
        assert taken == expected
    made = Placements.of_mixture(mixed)
    taken.clear()
    made.carry_mixture(mixed, [np.ones(3)])
    Placements.of_carried(cases).carry(cases, [np.ones(3)])
    assert taken == steps[1]  # what was found along is used


@pytest.mark.parametrize(
    ("name", "ranked", "pooled"),
    [
        ("short", "carried_together", ["carried_together"]),
        ("columns", "_carried", []),
        ("blocks", "column_influences", ["column_influences"]),
        ("long", "carried_pairs", []),
    ],
)
def test_the_steps_of_influence_values_by_each_route(
    name: str, ranked: str, pooled: list[str], monkeypatch: Patch
) -> None:
    route(monkeypatch, name)
    cases = table(3)
    third = np.full(3, 1 / 3)
    mixed = Mixture(cases, np.array([0, 4]), np.full(2, 0.5), third, third)
    steps = "carried_together", "column_influences", "carried_pairs", "_carried"
    taken = watched(monkeypatch, pairs, *steps)
    gradient = [PairGradient(np.ones((3, 3)), 0.5)]
    Pairs.of(cases).carry(cases, gradient)
    assert set(taken) == {ranked}
    taken.clear()
    Pairs.of_mixture(mixed).carry_mixture(mixed, gradient)
    assert taken == pooled


def test_leads_of_a_short_table_come_from_its_columns(monkeypatch: Patch) -> None:
    """And change no bit of what is asked for beside them."""
    cases = table(4)
    third, matrices = np.full(4, 1 / 3), np.random.default_rng(0).normal(size=(4, 4, 4))
    mixed = Mixture(cases, np.array([0, 4]), np.full(2, 0.5), third, third)
    credits = None, 0.5, 1.0, 0.5
    gradients = [PairGradient(*each) for each in zip(matrices, credits, strict=True)]
    pairs_of, mixed_of = Pairs.of(cases, scored=True), Pairs.of_mixture(mixed, scored=True)
    taken = watched(monkeypatch, pairs, "carried_together", "_carried")
    for carry, by_column in (
        (lambda some: pairs_of.carry(cases, some), 4),
        (lambda some: mixed_of.carry_mixture(mixed, some), 0),
    ):
        taken.clear()
        found = carry(gradients)
        assert taken.count("carried_together") == 2 and taken.count("_carried") == by_column
        for values, gradient in zip(found, gradients, strict=True):
            np.testing.assert_array_equal(values, carry([gradient])[0])


def test_placements_found_along_serve_ties_that_count_half(monkeypatch: Patch) -> None:
    route(monkeypatch, "columns")
    cases = table(3)
    along, alone = Pairs.of_carried(cases), Pairs.of(cases)
    taken = watched(monkeypatch, pairs, "placements", "_placed")
    half, whole = PairGradient(np.ones((3, 3)), 0.5), PairGradient(np.ones((3, 3)), 1.0)
    along.carry(cases, [half, half])
    assert taken == []
    along.carry(cases, [half, whole])
    assert taken.count("placements") == 3
    taken.clear()
    alone.carry(cases, [half, half])
    assert taken.count("placements") == 3  # once for each column


@pytest.mark.parametrize("name", ["short", "blocks", "long"])
def test_classes_that_are_all_tied_win_alike(name: str, monkeypatch: Patch) -> None:
    """One in K, of any number of classes."""
    route(monkeypatch, name)
    for K in range(2, 13):
        cases = Predictions(np.arange(3 * K - 1) % K, np.ones((3 * K - 1, K)))
        for made in (Placements.of(cases), Placements.of_carried(cases)):
            np.testing.assert_allclose(made.wins, 1 / K, rtol=1e-13)


def test_a_part_of_so_many_cases_is_filled_where_memory_is_used(monkeypatch: Patch) -> None:
    """The same numbers, from as many cases as are added up at once, one fewer and one more."""
    route(monkeypatch, "long")
    cases = table(3)
    gradients = [PairGradient(np.arange(9.0).reshape(3, 3), credit) for credit in (0.5, None)]
    expected = [plain_influence(cases, each) for each in gradients]
    for at_once in (len(cases) - 1, len(cases), len(cases) + 1):
        monkeypatch.setattr(long_tables, "CASES_AT_ONCE", at_once)
        for some in (slice(0, 2), slice(0, 1), slice(1, 2)):
            found = Pairs.of(cases, scored=True).carry(cases, gradients[some])
            for moved, plain in zip(found, expected[some], strict=True):
                np.testing.assert_allclose(moved, plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_values_of_two_classes_are_counted_in_one_column(K: int, monkeypatch: Patch) -> None:
    """Also where influence values are asked for, and long tables have loops of their own."""
    monkeypatch.setattr(long_tables, "MANY_CARRIED", 1)
    monkeypatch.setattr(long_tables, "MANY_OF_PART", 1)
    cases = table(K)
    taken = watched(monkeypatch, pairs, *STEPS)
    Pairs.of_carried(cases)
    assert taken == ["counted_pairs"]  # as of any short table
    taken.clear()
    monkeypatch.setattr(short_tables, "SHORT", 0)
    made = Pairs.of_carried(cases)
    assert taken == (["_column_sums"] * 2 if K == 2 else ["sums_of_columns"])
    assert made.placed is None
    np.testing.assert_array_equal(off((made.above, made.tied)), plain_sums(cases)[:2])
