"""Long tables in compiled loops: plain loops over cases, and the columns of short tables."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from polyroc import Predictions, evaluate, registry
from polyroc.metrics.measure import CaseStatistics
from polyroc.predictions import _columns
from polyroc.predictions._columns import Column
from polyroc.statistics import long_tables, short_tables
from polyroc.statistics.long_tables import is_long
from polyroc.statistics.pairs import PairGradient, Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.statistic import Need


def long_from(monkeypatch, many, of_part=1):
    """Let compiled loops pay from so many scores on, and no table be short."""
    monkeypatch.setattr(short_tables, "SHORT", 0)
    monkeypatch.setattr(long_tables, "MANY_SCORES", many)
    monkeypatch.setattr(long_tables, "MANY_CARRIED", many)
    monkeypatch.setattr(long_tables, "MANY_OF_PART", of_part)


@pytest.fixture
def long(monkeypatch):
    """Tables of any size are long."""
    long_from(monkeypatch, 1)


def tables(n=60):
    """Scores of 2 to 5 classes: without ties, with many, negative, in float32 and with both 0."""
    rng = np.random.default_rng(3)
    for n_classes in (2, 3, 5):
        y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n)])
        raw = rng.normal(size=(len(y), n_classes)) + 0.7 * np.eye(n_classes)[y]
        signs = np.where(rng.random(raw.shape) < 0.5, 0.0, -0.0)
        for scores in (raw, raw.round(0), raw.astype(np.float32), signs, np.abs(raw) ** 90):
            yield y, scores


def plain_sums(y, scores):
    n_classes = scores.shape[1]
    sums = np.zeros((3, n_classes, n_classes))
    for a, b in product(range(len(y)), repeat=2):
        lead = float(scores[a, y[a]]) - float(scores[b, y[a]])
        sums[:, y[a], y[b]] += (lead > 0, lead == 0, max(lead, 0))
    return sums


def plain_wins(y, scores):
    """Chances by multiplying polynomials of the share of tied cases that are beaten."""
    wins = []
    for k in range(scores.shape[1]):
        chances = []
        for own in scores[y == k, k]:
            chance = np.polynomial.Polynomial([1.0])
            for r in set(range(scores.shape[1])) - {k}:
                others = scores[y == r, k]
                chance *= np.polynomial.Polynomial([(others < own).mean(), (others == own).mean()])
            chances.append(chance.integ()(1.0))
        wins.append(np.mean(chances))
    return wins


def test_sums_and_chances_of_plain_loops(long):
    for y, scores in tables():
        predictions = Predictions(y, scores)
        assert is_long(predictions)
        placements, pairs = Placements.with_pairs(predictions)
        off = ~np.eye(scores.shape[1], dtype=bool)
        for made in (pairs, Pairs.of(predictions, scored=True)):
            above, tied, excess = plain_sums(y, scores)
            np.testing.assert_array_equal(made.above[off], above[off])
            np.testing.assert_array_equal(made.tied[off], tied[off])
            np.testing.assert_allclose(made.excess[off], excess[off], rtol=1e-12)
        for made in (placements, Placements.of(predictions), Placements.of_carried(predictions)):
            np.testing.assert_allclose(made.wins, plain_wins(y, scores), rtol=1e-12)


def test_influence_values_of_short_tables(monkeypatch):
    """Several credits of ties at once, leads with them and alone; blocks of sums are crossed."""
    for y, scores in tables(1500):
        n_classes = scores.shape[1]
        matrices = np.random.default_rng(5).normal(size=(4, n_classes, n_classes))
        credits = 0.5, None, 0.0, 0.5
        gradients = [PairGradient(*each) for each in zip(matrices, credits, strict=True)]
        found = []
        for many in (1 << 22, 1):
            long_from(monkeypatch, many)
            predictions = Predictions(y, scores)
            pairs, placements = Pairs.of(predictions, scored=True), Placements.of(predictions)
            carried = pairs.carry(predictions, gradients)
            carried += pairs.carry(predictions, gradients[1:2])
            carried += placements.carry(predictions, [np.full(n_classes, 1 / n_classes)])
            found.append((pairs.excess, placements.wins, *carried))
        for expected, made in zip(*found, strict=True):
            scale = np.abs(expected).max() + 0.01
            np.testing.assert_allclose(made, expected, rtol=1e-12, atol=1e-12 * scale)


def test_any_number_of_threads_and_either_order_of_asking(long):
    for y, scores in tables(300):
        first, *others = (
            evaluate(Predictions(y, scores, n_threads=n), metrics=["hand_till", "pdi", "auc_mu"])
            for n in (1, 2, 3)
        )
        for other in others:
            for name in first:
                assert repr(other[name].value) == repr(first[name].value)
                assert repr(other[name].standard_error) == repr(first[name].standard_error)
        asked = [(registry["pdi"], {}), (registry["hand_till"], {})]
        alone = [metric.of(Predictions(y, scores)) for metric, _ in asked]
        for order in (1, -1):
            statistics = CaseStatistics(Predictions(y, scores))
            found = statistics.measure(asked[::order], with_influence=False)
            assert [each.value for each in found][::order] == alone
            assert {Need(Placements), Need(Pairs)} <= set(statistics._made)


def test_parts_of_long_tables_are_summed_in_the_same_loops(monkeypatch):
    """Slices and folds have the values of their cases alone, and errors equal but for rounding."""
    rng = np.random.default_rng(4)
    y = np.arange(900) % 3
    scores = (rng.multinomial(20, np.ones(3) / 3, 900) + 5 * np.eye(3)[y]) / 25
    part = np.arange(900) % 2
    names = ["hand_till", "auc_mu", "pdi", "hand_till_scored"]
    alone = [evaluate(y[part == s], scores[part == s], names) for s in (0, 1)]
    long_from(monkeypatch, 2700, 1350)
    whole = Predictions(y, scores)
    assert is_long(whole) and is_long(whole.part(np.flatnonzero(part)))
    assert not is_long(whole.part(np.flatnonzero(part)[1:]))
    assert not is_long(Predictions(y[part == 1], scores[part == 1]))
    found = evaluate(whole, metrics=names, by=part).slices["slice"]
    within = evaluate(y, scores, names, folds=part)
    for name in names:
        for s in (0, 1):
            assert found[s][name].value == pytest.approx(alone[s][name].value, rel=1e-14)
            error = pytest.approx(alone[s][name].standard_error, rel=1e-12)
            assert found[s][name].standard_error == error
        mean = (alone[0][name].value + alone[1][name].value) / 2
        assert within[name].value == pytest.approx(mean, rel=1e-14)


def test_placements_found_along_give_the_same(monkeypatch):
    """Sums exactly, influence values from ties of any credit and from leads."""
    monkeypatch.setattr(short_tables, "SHORT", 0)
    for y, scores in tables(700):
        n_classes = scores.shape[1]
        matrices = np.random.default_rng(6).normal(size=(4, n_classes, n_classes))
        credits = 0.5, None, 1.0, 0.5
        gradients = [PairGradient(*each) for each in zip(matrices, credits, strict=True)]
        predictions = Predictions(y, scores)
        plain, along = (
            Pairs.of(predictions, scored=True),
            Pairs.of_carried(predictions, scored=True),
        )
        assert plain.placed is None and len(along.placed or ()) == (n_classes > 2) * n_classes
        for name in ("above", "tied", "excess"):
            np.testing.assert_array_equal(getattr(along, name), getattr(plain, name))
        assert np.isnan(Pairs.of_carried(predictions).excess).all() or n_classes == 2
        for some in (gradients, gradients[::3]):
            for one, other in zip(
                *(p.carry(predictions, some) for p in (plain, along)), strict=True
            ):
                np.testing.assert_array_equal(one, other)


def test_sorted_in_compiled_loops(monkeypatch):
    from polyroc.kernels import sorting

    monkeypatch.setattr(_columns, "MANY_KEYS", 1)
    sorted_here, own = (
        set(),
        {name: getattr(sorting, name) for name in ("sort_keys", "sort_places")},
    )

    def sort(name, *given):
        sorted_here.add(name)
        return own[name](*given)

    for name in own:
        monkeypatch.setattr(sorting, name, partial(sort, name))
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, 500).astype(np.uint8)
    wide = rng.normal(size=500) * 10.0 ** rng.integers(-300, 300, 500)
    narrow = np.r_[rng.random(499).round(2), 1.0]
    for scores in (wide, narrow, narrow.astype(np.float32), -narrow, np.zeros(500)):
        order = np.argsort(scores, kind="stable")
        for kept in (False, True):
            column = Column(scores, codes, 1, kept=kept)
            of_class = [column.ascending()[0][np.sort(scores) == each] for each in set(scores)]
            expected = [codes[scores == each] for each in set(scores)]
            for found, given in zip(of_class, expected, strict=True):
                np.testing.assert_array_equal(np.sort(found), np.sort(given))
            np.testing.assert_array_equal(column.ascending()[1], np.sort(scores))
            np.testing.assert_array_equal(column.with_cases[2], order)
            np.testing.assert_array_equal(column.order, order)
    assert sorted_here == set(own)


def test_sums_of_leads_depend_neither_on_the_order_of_rows_nor_on_who_sorts(monkeypatch):
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 3, 2_000), rng.random((2_000, 3))
    scores[rng.random(scores.shape) < 0.5] = 1 / 3
    found = set()
    for many in (1, 1 << 20):
        monkeypatch.setattr(_columns, "MANY_KEYS", many)
        for order in (np.arange(2_000), *(rng.permutation(2_000) for _ in range(8))):
            cases = Predictions(y[order], scores[order])
            found.add(Pairs.of(cases, scored=True).excess.tobytes())
    assert len(found) == 1


def test_influence_values_pay_sooner(monkeypatch):
    """Values alone take NumPy fewer passes."""
    whole = Predictions(np.arange(60) % 3, np.random.default_rng(0).dirichlet(np.ones(3), 60))
    long_from(monkeypatch, 180)
    monkeypatch.setattr(long_tables, "MANY_SCORES", 181)
    assert is_long(whole, carried=True) and not is_long(whole)
    assert is_long(whole.part(np.arange(30)), carried=True)
    assert not is_long(Predictions(whole.codes[:59], whole.scores[:59]), carried=True)
    moved = Pairs.of_carried(whole)
    assert moved.placed is None
    monkeypatch.setattr(long_tables, "MANY_CARRIED", 181)
    assert Pairs.of_carried(whole).placed is not None


def test_margins_of_short_tables(monkeypatch):
    """Margins that are tied, close or huge; directed by costs; each pair with its own weight."""
    rng, metric = np.random.default_rng(2), registry["auc_mu"]
    decimals = rng.dirichlet(np.ones(4), 200).round(2)
    even = np.arange(200) % 4
    costs = rng.integers(1, 9, (4, 4)) / 10 * (1 - np.eye(4))
    for y, scores in (*tables(120), (even, decimals), (even, (decimals - 0.5) * 2.0**1022)):
        for options in ({}, {"ties": "strict"}, {"partition": costs} if len(y) == 200 else {}):
            found = []
            for many, n_threads in ((1 << 22, 1), (1, 1), (1, 3)):
                long_from(monkeypatch, many)
                cases = Predictions(y, scores, n_threads=n_threads)
                moved = metric.influence(cases, **options).cases
                found.append(np.append(moved, metric.of(cases, **options)))
            np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-14)
            np.testing.assert_array_equal(found[2], found[1])
