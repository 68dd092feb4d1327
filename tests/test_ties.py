"""The rule for equal sums and differences against plain loops, and what it promises."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import ties as twin

from polyroc import Bootstrap, auc_mu, evaluate, hum, vus, wvus
from polyroc._base.ties import SLACK, as_written, merged, slack_between, tied_with_least
from polyroc.scale import PairSummary

NUMBERS = [0.0, 0.1, 0.2, 0.3 - 0.1, 0.5 - 0.3, 0.1 + 0.2, 0.3, 1.0, 1e6, -1e30, 2.0**-41, 3e-13]
SLACKS = [0.0, SLACK * 2**-20, SLACK / 2, SLACK, SLACK * 2**20, SLACK * 2.0**100]


def exact(values):
    return [Fraction(value) for value in values.tolist()]


def numbered(values):
    return np.unique(values, return_inverse=True)[1].tolist()


@given(st.lists(st.tuples(st.sampled_from(NUMBERS), st.sampled_from(SLACKS)), min_size=1))
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_runs_are_those_of_plain_loops(pairs):
    """Also of the opposite numbers, in another order, and times a power of two."""
    values, slacks = np.array(pairs).T
    found = merged(values, slacks)
    assert numbered(found) == twin.run_numbers(exact(values), exact(slacks))
    assert (found <= values).all()
    mirrored = merged(-values[::-1].copy(), slacks[::-1].copy())[::-1]
    assert numbered(-mirrored) == numbered(found)
    np.testing.assert_array_equal(merged(values * 2.0**30, slacks * 2.0**30), found * 2.0**30)


def test_a_dense_stretch_is_not_one_number():
    """A thousand steps of a slack are a run; more are many numbers, of which equal ones tie."""
    steps = np.repeat(np.arange(1024), 2) * SLACK / 2
    assert len(set(merged(1 + steps, np.full(2048, SLACK)).tolist())) == 1
    wide = np.repeat(np.arange(2100), 2) * SLACK
    values, slacks = 1 + wide, np.full(len(wide), SLACK)
    assert len(set(merged(values, slacks).tolist())) == 2100
    assert numbered(merged(values, slacks)) == twin.run_numbers(exact(values), exact(slacks))


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_differences_of_decimals_tie_as_their_counts_do(digits):
    rng = np.random.default_rng(digits)
    counts = rng.integers(0, 10**digits + 1, (2000, 2))
    first, second = (counts / 10**digits).T
    found = merged(first - second, slack_between(first, second))
    assert numbered(found) == numbered(counts[:, 0] - counts[:, 1])


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from(NUMBERS), st.sampled_from(SLACKS)), min_size=4, max_size=4
        ),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=100, deadline=None, derandomize=True, database=None)
def test_the_least_of_a_row(rows):
    values, slacks = np.array(rows).transpose(2, 0, 1)
    found = tied_with_least(values, slacks)
    for row, value, slack in zip(found, values, slacks, strict=True):
        runs = twin.run_numbers(exact(value), exact(slack))
        assert row.tolist() == [run == min(runs) for run in runs]


def test_decimals_in_float32_are_these_decimals():
    rng = np.random.default_rng(2)
    for decimals in (np.arange(-3e6, 7.9e6, 7) / 1e6, np.arange(8e4, 5.1e6, 3) / 1e4):
        for narrow in (decimals.astype(np.float32), decimals.astype(np.float32).astype(float)):
            np.testing.assert_array_equal(as_written(narrow), decimals)
        assert as_written(decimals) is decimals
    for scores in (rng.random(99_999), np.exp(rng.normal(scale=9, size=99_999))):
        narrow = np.unique(scores.astype(np.float32))
        written = as_written(narrow)
        np.testing.assert_array_equal(written.astype(np.float32), narrow)  # in the same order
    table = np.round(rng.random((4, 6)), 2)
    np.testing.assert_array_equal(as_written(np.asfortranarray(table, np.float32)), table)


def test_decimals_in_float32_tie_as_their_counts_do():
    rng = np.random.default_rng(3)
    for n_classes in (2, 3, 4, 33):
        y = np.arange(5 * n_classes) % n_classes
        counts = rng.multinomial(10, np.ones(n_classes) / n_classes, len(y)).astype(float)
        shares = (counts / 10).astype(np.float32)
        weights = 1.0 + np.arange(len(y)) % 3
        partition = 1 - np.eye(n_classes) + 2 * np.eye(n_classes, k=1)
        for options in ({}, {"sample_weight": weights}, {"partition": partition}):
            expected = auc_mu(y, counts, **options)
            for table in (shares, shares.astype(float)):
                assert auc_mu(y, table, **options) == pytest.approx(expected, abs=1e-12)
        drawn = [
            evaluate(y, given, ["auc_mu"], interval=Bootstrap(30), rng=1)["auc_mu"]
            for given in (shares, counts)
        ]
        assert drawn[0].standard_error == pytest.approx(drawn[1].standard_error, abs=1e-12)
        summary = PairSummary(range(n_classes), auc_mu=True).update(y, shares)
        certified = summary.compute(["auc_mu"])["auc_mu"]
        assert certified.low <= auc_mu(y, counts) + 1e-12 <= certified.high + 2e-12
        if n_classes < 4:
            assert hum(y, shares) == pytest.approx(hum(y, counts), abs=1e-12)
            for metric in (vus, wvus):
                assert metric(y, shares) == pytest.approx(metric(y, counts / 10), abs=1e-12)
