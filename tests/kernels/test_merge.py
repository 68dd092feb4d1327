"""Pairs in order against two loops over the cases of both classes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from polyroc.kernels.merge import merge_pairs


def merged(gains, sizes):
    """Above and tied of all pairs i < j; row j of class i holds the margins g_i − g_j, sorted."""
    n_classes, starts = len(sizes), np.concatenate([[0], np.cumsum(sizes)])
    blocks = [
        np.sort((gains[start:stop, [i]] - gains[start:stop]).T, axis=1).ravel()
        for i, (start, stop) in enumerate(pairwise(starts))
    ]
    above, tied = np.zeros((2, n_classes, n_classes))
    for first in range(n_classes):
        merge_pairs(np.concatenate(blocks), starts, first, above, tied)
    return above, tied


def compared(gains, sizes):
    """The definition: a case of i is above one of j if its margin i over j is larger."""
    groups = np.split(gains, np.cumsum(sizes)[:-1])
    above, tied = np.zeros((2, len(sizes), len(sizes)))
    for i, own in enumerate(groups):
        for j in range(i + 1, len(sizes)):
            for one in own:
                for other in groups[j]:
                    above[i, j] += one[i] - one[j] > other[i] - other[j]
                    tied[i, j] += one[i] - one[j] == other[i] - other[j]
    return above, tied


@pytest.mark.parametrize("sizes", [(1, 1), (5, 3), (4, 0, 3), (0, 2), (3, 1, 6, 2), (9, 8, 7)])
@pytest.mark.parametrize("values", [1, 2, 4, 1 << 20])
def test_merging_counts_pairs(sizes, values):
    for seed in range(5):
        gains = np.random.default_rng(seed).integers(0, values, (sum(sizes), len(sizes))) / 4.0
        np.testing.assert_array_equal(merged(gains, sizes), compared(gains, sizes))


def test_zeros_of_both_signs_and_neighbours():
    """−0 and 0 are tied; numbers one rounding apart are not."""
    step = np.nextafter(1.0, 2.0)
    gains = np.array([[0.0, -0.0], [1.0, 0.0], [-0.0, 0.0], [step, 0.0], [1.0, 0.0]])
    above, tied = merged(gains, (2, 3))
    assert (above[0, 1], tied[0, 1]) == (1, 2)
