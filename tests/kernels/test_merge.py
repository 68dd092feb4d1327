"""Pairs in order against two loops over the cases of both classes, and runs of tied margins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from polyroc.kernels.merge import merge_pairs


def merged(gains, sizes, least_slack=0.0, most_slack=0.0):
    """Above and tied of all pairs i < j; row j of class i holds the margins g_i − g_j, sorted."""
    n_classes, starts = len(sizes), np.concatenate([[0], np.cumsum(sizes)])
    blocks = [
        np.sort((gains[start:stop, [i]] - gains[start:stop]).T, axis=1).ravel()
        for i, (start, stop) in enumerate(pairwise(starts))
    ]
    above, tied = np.zeros((2, n_classes, n_classes))
    for first in range(n_classes):
        merge_pairs(np.concatenate(blocks), starts, first, least_slack, most_slack, above, tied)
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
    """−0 and 0 are tied; numbers one rounding apart are not without slack."""
    step = np.nextafter(1.0, 2.0)
    gains = np.array([[0.0, -0.0], [1.0, 0.0], [-0.0, 0.0], [step, 0.0], [1.0, 0.0]])
    above, tied = merged(gains, (2, 3))
    assert (above[0, 1], tied[0, 1]) == (1, 2)


@pytest.mark.parametrize("sizes", [(1, 1), (5, 3), (3, 1, 6, 2), (40, 30)])
def test_runs_of_close_margins(sizes):
    """Multiples of ¼ off by up to 2⁻⁴⁴: as without, or left open where the slack decides."""
    slack = 2.0**-41
    for seed in range(5):
        rng = np.random.default_rng(seed)
        gains = rng.integers(1, 9, (sum(sizes), len(sizes))) / 4.0
        noisy = gains + rng.integers(-1, 2, gains.shape) * 2.0**-45
        above, tied = merged(noisy, sizes, slack, 4 * slack)
        expected = compared(gains, sizes)
        known = tied >= 0
        np.testing.assert_array_equal(above[known], expected[0][known])
        np.testing.assert_array_equal(tied[known], expected[1][known])
        assert (known | (expected[1] > 0)).all()


def test_what_slack_decides_is_left_open():
    """Between the least and the most slack, near 0, and in a run that becomes wide."""
    for margins in ([1.0, 1 + 3e-12], [0.0, 1e-13], 1 + np.arange(1200) * 2.0**-42):
        gains = np.column_stack([margins, np.zeros(len(margins))])
        odd = gains[np.argsort(np.arange(len(gains)) % 2, kind="stable")]
        sizes = (len(gains) - len(gains) // 2, len(gains) // 2)
        assert merged(odd, sizes, 2.0**-42, 1e-11)[1][0, 1] == -1
