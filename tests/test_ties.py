"""The rule for equal sums and differences against plain loops, and what it promises."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import ties as twin

from polyroc._base.ties import SLACK, merged, slack_between, tied_with_least

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
