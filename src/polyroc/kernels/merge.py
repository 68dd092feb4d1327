"""Pairs in order between the sorted scores of two classes, for many pairs of classes at once."""

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled


@compiled
def merge_pairs(
    margins: NDArray[np.float64],
    starts: NDArray[np.int64],
    first: int,
    above: NDArray[np.float64],
    tied: NDArray[np.float64],
) -> None:
    """Fill row ``first`` of ``above`` and ``tied`` for every second class j > first.

    ``margins`` is flat: the block of class i starts at K · starts[i] and holds K sorted rows of
    n_i numbers; row j are the margins g_i − g_j of the cases of class i. A case of i is above one
    of j if its margin exceeds minus the margin g_j − g_i of the other, so one list is read upwards
    and the other downwards: O(n_i + n_j) a pair.
    """
    n_classes = len(starts) - 1
    n_first = starts[first + 1] - starts[first]
    for second in range(first + 1, n_classes):
        n_second = starts[second + 1] - starts[second]
        own = margins[n_classes * starts[first] + second * n_first :][:n_first]
        other = margins[n_classes * starts[second] + first * n_second :][:n_second]
        below = 0  # cases of the second class below the current case of the first
        reached = 0  # cases of the second class below or tied
        n_above = 0
        n_tied = 0
        for i in range(n_first):
            margin = own[i]
            while below < n_second and -other[n_second - 1 - below] < margin:
                below += 1
            reached = max(reached, below)
            while reached < n_second and -other[n_second - 1 - reached] == margin:
                reached += 1
            n_above += below
            n_tied += reached - below
        above[first, second] = n_above
        tied[first, second] = n_tied
