"""One pass over a column against dictionaries of bins and exact sums."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

from polyroc.kernels.histogram import (
    ONE_VALUE,
    PAGE,
    PAGE_BITS,
    SEVERAL,
    count_column,
    ordered_code,
    sum_column,
)
from polyroc.scale._codes import SIGNIFICANT, code_of_one, highest_code, ordered_codes

EMPTY = 0
BITS = 4


class Pages:
    """Arrays of a histogram with a page for each of the codes that are known."""

    def __init__(self, known, n_rows):
        self.origin = (highest_code(BITS) >> PAGE_BITS) + 1
        self.numbers = sorted({int(code) >> PAGE_BITS for code in known})
        self.place = np.full(2 * self.origin, -1)
        for slot, number in enumerate(self.numbers):
            self.place[number + self.origin] = slot << PAGE_BITS
        self.counts = np.zeros((len(self.numbers), n_rows, PAGE))
        self.state = np.zeros((len(self.numbers), PAGE), np.uint8)
        self.kept = np.zeros((len(self.numbers), PAGE))

    def count(self, values, codes, weights, start=0):
        bits = SIGNIFICANT - BITS, code_of_one(BITS), self.origin
        arrays = self.place, self.counts, self.state, self.kept
        return count_column(values, codes, weights, start, bits, *arrays)

    def bin(self, code):
        return self.numbers.index(code >> PAGE_BITS), code & (PAGE - 1)


def scores(n, dtype=np.float64):
    """Negative and positive numbers, near 0 and 1 and beyond, many of them equal."""
    rng = np.random.default_rng(n)
    pool = [0.0, -0.0, 1.0, 1.5, -1.5, 0.25, 1 - 1e-6, 1e-6, -2.0, 7.0, *rng.random(30)]
    return rng.choice(np.array(pool), n).astype(dtype)


@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1e300, 5e-324])
def test_codes_on_all_sides_of_the_corners(value):
    for each in (value, -value, np.nextafter(value, 9.0)):
        expected = ordered_codes(np.array([each]), BITS)[0]
        assert ordered_code(each, SIGNIFICANT - BITS, code_of_one(BITS)) == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_hold_the_weight_of_their_cases(dtype, weighted):
    values, rng = scores(400, dtype), np.random.default_rng(0)
    codes = rng.integers(0, 3, 400, dtype=np.uint8)
    weights = rng.integers(1, 9, 400) / 4 if weighted else np.empty(0)
    bins = ordered_codes(values.astype(np.float64), BITS)
    pages = Pages(bins, 3)
    assert pages.count(values, codes, weights) == 400
    held, seen = defaultdict(float), defaultdict(set)
    for i, code in enumerate(bins.tolist()):
        held[code, int(codes[i])] += weights[i] if weighted else 1.0
        seen[code].add(float(values[i]))
    assert pages.counts.sum() == sum(held.values())
    for (code, row), weight in held.items():
        page, inside = pages.bin(code)
        assert pages.counts[page, row, inside] == weight
    assert np.count_nonzero(pages.state) == len(seen)
    for code, found in seen.items():
        at = pages.bin(code)
        assert pages.state[at] == (ONE_VALUE if len(found) == 1 else SEVERAL)
        assert pages.kept[at] == (found.pop() if len(found) == 1 else 0.0)


def test_it_stops_at_a_page_that_is_not_there():
    values = np.array([0.25, 0.25, 1e9, 0.25])
    pages = Pages(ordered_codes(values[:1], BITS), 1)
    codes = np.zeros(4, np.uint8)
    assert pages.count(values, codes, np.empty(0)) == 2
    assert pages.counts.sum() == 2
    assert pages.count(values, codes, np.empty(0), 3) == 4
    assert pages.counts.sum() == 3
    assert pages.state[pages.state != EMPTY].tolist() == [ONE_VALUE]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_in_two_parts_are_exact(dtype):
    rng = np.random.default_rng(4)
    values = rng.dirichlet([1, 1], 500)[:, 0].astype(dtype)
    codes = rng.integers(0, 3, 500, dtype=np.uint8)
    row_sums, coarse, fine = np.ones(500), *np.zeros((2, 3))
    assert not sum_column(values, codes, np.empty(0), row_sums, coarse, fine)
    assert np.array_equal(row_sums, 1 + values.astype(np.float64))
    for k in range(3):
        expected = math.fsum(values[codes == k].astype(np.float64))
        assert coarse[k] + fine[k] == pytest.approx(expected, rel=1e-16, abs=500 * 2.0**-71)


def test_sums_with_weights_and_signs():
    values, codes = np.array([0.5, -0.25, 0.75]), np.array([0, 1, 0], np.uint8)
    row_sums, coarse, fine = np.zeros(3), *np.zeros((2, 2))
    assert sum_column(values, codes, np.array([2.0, 4.0, 1.0]), row_sums, coarse, fine)
    assert (coarse.tolist(), fine.tolist()) == ([1.75, -1.0], [0.0, 0.0])
