"""Sums in which rounding does not pile up, against exact ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc._base.sums import running_sum, running_weight, sum_by_class

LENGTHS = [0, 1, 64, 65, 4096, 4097, 70_000]


@pytest.mark.parametrize("n", LENGTHS)
def test_running_sums_of_whole_numbers_are_exact(n):
    values = np.random.default_rng(n).integers(-1000, 1000, n)
    expected = np.concatenate([[0], np.cumsum(values)])
    np.testing.assert_array_equal(running_sum(values.astype(float)), expected)


@pytest.mark.parametrize("n", [1, 64, 65, 5000])
def test_running_sums_along_the_first_axis(n):
    values = np.random.default_rng(n).random((n, 3, 2))
    found = running_sum(values)
    for column in np.ndindex(3, 2):
        np.testing.assert_array_equal(
            found[(slice(None), *column)], running_sum(values[(slice(None), *column)])
        )


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7, 1e-300, 1e300])
def test_rounding_does_not_pile_up(value):
    n = 1_000_000
    values = np.full(n, value)
    found = running_sum(values)
    relative = found[1:] / value / np.arange(1, n + 1) - 1
    assert np.abs(relative).max() < 1e-14
    if value < 1e300:
        assert np.abs(np.cumsum(values)[-1] / value / n - 1) > 1e-12  # what is avoided
    codes = np.arange(n) % 3
    by_class = sum_by_class(codes, values, 3) / value / np.bincount(codes) - 1
    assert np.abs(by_class).max() < 4e-15


@given(st.lists(st.floats(0, 1e300), max_size=300))
def test_weights_never_fall(weights):
    below = running_weight(np.array(weights))
    assert (np.diff(below) >= 0).all()
    assert below[0] == 0
    assert below[-1] == pytest.approx(math.fsum(weights), rel=1e-14)


def test_weights_never_fall_at_the_ends_of_blocks():
    rng = np.random.default_rng(1)
    for _ in range(20):
        weights = 10.0 ** rng.integers(-20, 3, 9000)
        assert (np.diff(running_weight(weights)) >= 0).all()


@pytest.mark.parametrize("n", LENGTHS[1:])
@pytest.mark.parametrize("n_classes", [2, 64, 65, 100_000])
def test_sums_by_class(n, n_classes):
    rng = np.random.default_rng(n)
    codes, values = rng.integers(0, n_classes, n), rng.integers(-50, 50, n).astype(float)
    expected = np.bincount(codes, values, n_classes)
    for kind in (np.int64, np.uint32):
        np.testing.assert_array_equal(sum_by_class(codes.astype(kind), values, n_classes), expected)
