"""Sums over pairs of weighted cases against loops over all pairs, weighting by weighting."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from polyroc.kernels.resample import (
    TILE,
    lay_out,
    pairs_above,
    pairs_above_with_excess,
    weighted_totals,
)


def weights_of(rng, n, width, dtype):
    drawn = rng.poisson(1, (n, width))
    return drawn.astype(np.uint8) if dtype == np.uint8 else drawn * rng.random((n, width))


DTYPES = pytest.mark.parametrize("dtype", [np.uint8, np.float64])


@DTYPES
@pytest.mark.parametrize("n", [1, TILE, TILE + 1, 2 * TILE + 3])
def test_weights_are_laid_out_by_case(n, dtype):
    rng = np.random.default_rng(n)
    given, cases = weights_of(rng, 3, n, dtype), rng.permutation(n).astype(np.uint32)
    laid = np.empty((n, 3), dtype)
    lay_out(given, cases, laid)
    assert np.array_equal(laid, given[:, cases].T)


@DTYPES
def test_totals_are_sums_of_products(dtype):
    rng = np.random.default_rng(1)
    weights, values = weights_of(rng, 30, 5, dtype), rng.random((30, 4))
    totals = np.ones((4, 5))
    weighted_totals(weights, values, totals)
    np.testing.assert_allclose(totals, 1 + values.T @ weights, rtol=1e-13)


def walk_of(rng, n, n_rows):
    """Cases in some order; −1 is a positive, other rows are classes."""
    return rng.permutation(n).astype(np.uint32), rng.integers(-1, n_rows, n).astype(np.int16)


@DTYPES
@pytest.mark.parametrize("starts", [[0, 20], [0, 7, 7, 8, 20], [3, 15], [0]])
def test_pairs_within_the_parts_of_an_order(starts, dtype):
    rng = np.random.default_rng(len(starts))
    cases, rows = walk_of(rng, 20, 3)
    weights, above, expected = weights_of(rng, 20, 4, dtype), *np.zeros((2, 3, 4))
    pairs_above(weights, cases, rows, np.array(starts), above)
    for start, stop in pairwise(starts):
        for i in range(start, stop):
            for j in range(i + 1, stop):
                if rows[i] < 0 <= rows[j]:
                    product = weights[cases[i]].astype(float) * weights[cases[j]]
                    expected[rows[j]] += product
    np.testing.assert_allclose(above, expected, rtol=1e-13)


@DTYPES
def test_pairs_and_their_lead(dtype):
    rng = np.random.default_rng(2)
    cases, rows = walk_of(rng, 25, 3)
    score = -np.sort(-rng.integers(0, 9, 25) / 8)
    gaps = -np.diff(score, prepend=score[0])
    weights = weights_of(rng, 25, 4, dtype)
    above, excess, expected, lead = np.zeros((4, 3, 4))
    pairs_above_with_excess(weights, cases, rows, gaps, above, excess)
    for i in range(25):
        for j in range(i + 1, 25):
            if rows[i] < 0 <= rows[j]:
                product = weights[cases[i]].astype(float) * weights[cases[j]]
                expected[rows[j]] += product
                lead[rows[j]] += product * (score[i] - score[j])
    np.testing.assert_allclose(above, expected, rtol=1e-13)
    np.testing.assert_allclose(excess, lead, rtol=1e-12, atol=1e-13)
