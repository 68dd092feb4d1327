"""Runs of tied numbers in loops equal those in NumPy, and places among them the definition."""

from __future__ import annotations

import numpy as np

from polyroc._base.ties import SLACK, merged
from polyroc.kernels.runs import merge_codes, place_code, runs_of

NUMBERS = [0.1, 0.2, 0.3 - 0.1, 0.5 - 0.3, 1.0, 1 + SLACK, 1 + 2.5 * SLACK, 1e6, -1e30, 3e-13]


def sorted_numbers(rng, n):
    values = np.sort(rng.choice(NUMBERS, n))
    return values, rng.choice([0.0, SLACK / 2, SLACK, 1e6 * SLACK], n)


def test_runs():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 30):
        for _ in range(40):
            values, slacks = sorted_numbers(rng, n)
            least = merged(values, slacks)
            found = runs_of(values, slacks)
            np.testing.assert_array_equal(found.starts, np.searchsorted(least, least))
            np.testing.assert_array_equal(found.ends, np.searchsorted(least, least, "right"))
    dense = 1 + np.repeat(np.arange(3000), 2) * SLACK
    found = runs_of(dense, np.full(6000, SLACK))
    np.testing.assert_array_equal(found.starts, np.arange(6000) // 2 * 2)


def test_places():
    """The number of smaller values before the run that a threshold is tied with, or before it."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        values, slacks = sorted_numbers(rng, 20)
        thresholds, own = sorted_numbers(rng, 15)
        runs, codes = runs_of(values, slacks), np.empty(15, np.int64)
        most = max(slacks.max(), own.max())
        merge_codes(runs, thresholds, own, 0.0, 0.0, most, 0, codes)
        for threshold, slack, code in zip(thresholds, own, codes, strict=True):
            place = np.searchsorted(values, threshold)
            near = [
                runs.starts[i]
                for i in (place, place - 1)
                if 0 <= i < 20 and abs(values[i] - threshold) <= max(slack, runs.slacks[i])
            ]
            assert code == (2 * near[0] + 1 if near else 2 * place)
            assert code == place_code(runs, place, threshold, slack, most)
