"""All columns of a short table at once: counts of plain loops, and of one column at a time."""

import numpy as np
import pytest

from polyroc import Predictions, evaluate, hand_till, registry
from polyroc._base.sums import running_sums
from polyroc.metrics.measure import CaseStatistics
from polyroc.predictions import _predictions
from polyroc.predictions._columns import FEW_POSITIVES
from polyroc.predictions._side_by_side import SideBySide
from polyroc.statistics import short_tables
from polyroc.statistics.mixture import Mixture
from polyroc.statistics.pairs import PairGradient, Pairs, _column_sums, _is_mirrored
from polyroc.statistics.short_tables import SHORT, counted_pairs, is_short
from polyroc.statistics.statistic import Need


def plain_counts(y, scores):
    """Pairs above and tied, one after the other."""
    n_classes = scores.shape[1]
    above, tied = np.zeros((2, n_classes, n_classes))
    for a in range(len(y)):
        for b in range(len(y)):
            own, other = scores[a, y[a]], scores[b, y[a]]
            above[y[a], y[b]] += own > other
            tied[y[a], y[b]] += own == other
    return above, tied


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_counts_of_a_short_table(n_classes):
    rng = np.random.default_rng(n_classes)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
    raw = rng.normal(size=(len(y), n_classes))
    signs = np.where(rng.random(raw.shape) < 0.5, 0.0, -0.0)
    tables = raw, raw.round(0), raw.astype(np.float32), signs, np.asfortranarray(raw.round(1))
    for table in tables:
        predictions = Predictions(y, table)
        expected = plain_counts(y, table)
        found = counted_pairs(predictions)
        np.testing.assert_array_equal(found, expected)
        made = Pairs.of(predictions)
        assert np.isnan(made.excess).all()
        predictions.keep_columns()
        by_column = Pairs.of(predictions, scored=True)
        for pairs in (made, by_column):
            np.testing.assert_array_equal((pairs.above, pairs.tied), expected)
        assert np.isfinite(by_column.excess).all()


def test_which_tables_are_short():
    rng = np.random.default_rng(0)
    short = Predictions(np.arange(SHORT) % 2, rng.random((SHORT, 2)))
    assert is_short(short)
    assert not is_short(Predictions(np.arange(SHORT + 1) % 2, rng.random((SHORT + 1, 2))))
    assert not is_short(Predictions([0, 1], [0.25, 0.5], sample_weight=[1.0, 2.0]))
    assert not is_short(Predictions(np.arange(SHORT) % 20, rng.random((SHORT, 20))))


def test_one_statistic_serves_ranks_and_leads():
    """The excess is added up where it is asked for, and then the ranks are those of the same."""
    rng = np.random.default_rng(1)
    y, p = np.arange(60) % 3, rng.dirichlet(np.ones(3), 60)
    ranked, scored = Need(Pairs), Need(Pairs, (("scored", True),))
    assert scored.covers(ranked)
    assert not ranked.covers(scored)
    statistics = CaseStatistics(Predictions(y, p))
    assert statistics[scored] is statistics[ranked]
    apart = CaseStatistics(Predictions(y, p))
    assert apart[ranked] is not apart[scored]
    names = ["hand_till", "hand_till_scored", "aunu"]
    together = evaluate(y, p, names)
    for name in names:
        assert together[name].value == registry[name].of(Predictions(y, p))
        assert together[name] == evaluate(y, p, [name])[name]


def test_the_second_of_two_columns_says_what_the_first_does():
    """Only where it is the first one reversed with the same ties: 1 − p may tie small ones."""
    rng = np.random.default_rng(2)
    n = 2 * FEW_POSITIVES + 100
    y, s = np.arange(n) % 2, rng.normal(size=n)
    p = 1 / (1 + np.exp(-s))
    tiny, swapped = p.copy(), p.copy()
    tiny[:40] *= 1e-20
    swapped[:2] = swapped[1::-1]
    tables = {
        "one column": s,
        "one column with ties": s.round(2),
        "probabilities": np.column_stack([1 - p, p]),
        "probabilities with ties": np.column_stack([1 - p.round(3), p.round(3)]),
        "ties of the first": np.column_stack([1 - tiny, tiny]),
        "ties of the second": np.column_stack([1 - p, np.maximum(p, 0.2)]),
        "another order": np.column_stack([1 - swapped, p]),
        "any": rng.normal(size=(n, 2)),
    }
    for name, table in tables.items():
        predictions = Predictions(y, table)
        columns = [predictions.column(k) for k in range(2)]
        above, tied = np.stack([_column_sums(each, 2, False) for each in columns], axis=1)
        off = ~np.eye(2, dtype=bool)
        for kept in (False, True):
            if kept:
                predictions.keep_columns()
            pairs = Pairs.of(predictions)
            np.testing.assert_array_equal(pairs.above[off], above[off], err_msg=name)
            np.testing.assert_array_equal(pairs.tied[off], tied[off], err_msg=name)
            expected = name.startswith("one column") or (kept and name.startswith("prob"))
            assert _is_mirrored(predictions) == expected, name


@pytest.mark.parametrize("n_classes", [2, 3, 7, 30])
def test_all_columns_at_once_and_one_after_the_other(n_classes, monkeypatch):
    """Of cases and of mixtures, with few ties and many, and pools that repeat cases."""
    rng = np.random.default_rng(n_classes)
    for steps in (1, 3, 20, 10**9):
        y = rng.permutation(np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 150)]))
        cases = Predictions(y, rng.integers(-steps, steps + 1, (len(y), n_classes)) / 8)
        pool = rng.integers(0, len(y), rng.integers(1, 40))
        kept, added = rng.random(n_classes), 3 * rng.random(n_classes)
        mixed = Mixture(cases, pool, rng.dirichlet(np.ones(len(pool))), kept, added)
        matrices = rng.normal(size=(4, n_classes, n_classes))
        gradients = [PairGradient(*each) for each in zip(matrices, (0.5, 0, 1, 0.5), strict=True)]
        found = []
        for short in (SHORT, 0):
            monkeypatch.setattr(short_tables, "SHORT", short)
            plain, of_mixed = Pairs.of_carried(cases), Pairs.of_mixture(mixed)
            assert (plain.placed is None) == (short > 0 or n_classes in (2, 30))
            moved = plain.carry(cases, gradients) + of_mixed.carry_mixture(mixed, gradients)
            sums = [of_mixed.auc(ties) for ties in ("fair", "strict", "lenient")]
            found.append([plain.auc(), *sums, *moved])
        for together, apart in zip(*found, strict=True):
            scale = np.nanmax(np.abs(apart))
            np.testing.assert_allclose(together, apart, rtol=0, atol=1e-13 * scale)


@pytest.mark.parametrize("seed", [162, 7, 11])
def test_rounding_does_not_pile_up_over_the_cases_of_a_column(seed):
    """Two cases against thousands: from whole numbers, each share is rounded once."""
    scores = np.random.default_rng(seed).random((SHORT, 2))
    y = np.r_[0, 0, np.ones(SHORT - 2, int)]
    parts = np.zeros(2, np.longdouble)
    of_case = np.zeros(SHORT, np.longdouble)
    for k in (0, 1):
        own, other = np.flatnonzero(y == k), np.flatnonzero(y != k)
        below = np.searchsorted(np.sort(scores[other, k]), scores[own, k])
        above = len(own) - np.searchsorted(np.sort(scores[own, k]), scores[other, k])
        of_case[own] += below / np.longdouble(2 * len(other))
        of_case[other] += above / np.longdouble(2 * len(own))
    for k in (0, 1):
        own = of_case[y == k]
        parts[k] = ((own - own.mean()) ** 2).sum() / (len(own) * (len(own) - 1))
    error = evaluate(y, scores, ["hand_till"])["hand_till"].standard_error
    assert error == pytest.approx(float(np.sqrt(parts.sum())), rel=2e-13, abs=0)


@pytest.mark.parametrize("shape", [(1,), (2, 512), (3, 513), (2, 3, 576), (2, 577), (1, 2, 4161)])
def test_running_sums_along_the_last_axis(shape):
    values = np.random.default_rng(len(shape)).integers(-9, 9, shape).astype(float)
    found = running_sums(values)
    assert found.shape == (*shape[:-1], shape[-1] + 1)
    assert (found[..., 0] == 0).all()
    np.testing.assert_array_equal(found[..., 1:], values.cumsum(axis=-1))


def test_values_alone_keep_no_sorted_columns():
    """With influence values the columns are sorted once, and stay until they are let go of."""
    rng = np.random.default_rng(4)
    predictions = Predictions(np.arange(60) % 3, rng.random((60, 3)))
    hand_till(predictions)
    evaluate(predictions, metrics=["hand_till"], interval=None)
    assert "side_by_side" not in vars(predictions)
    evaluate(predictions, metrics=["hand_till"])
    kept = predictions.side_by_side
    assert predictions.sorted_together() is kept
    assert hand_till(predictions) == evaluate(predictions, metrics=["hand_till"])["hand_till"].value
    predictions.forget_columns()
    assert predictions.sorted_together() is not kept


@pytest.mark.parametrize("scored", [False, True])
def test_columns_are_sorted_together_once(scored, monkeypatch):
    """For values, influence values and the shrunken classes behind the limits."""
    made = []

    class Counted(SideBySide):
        def __init__(self, scores, codes):
            made.append(1)
            super().__init__(scores, codes)

    monkeypatch.setattr(_predictions, "SideBySide", Counted)
    rng = np.random.default_rng(5)
    y, p = np.arange(60) % 3, rng.dirichlet(np.ones(3), 60)
    evaluate(y, p, ["hand_till", "aunp", *(["hand_till_scored"] if scored else [])])
    assert len(made) == 1
