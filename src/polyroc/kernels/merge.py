"""Sorted margins of two classes merged, for many pairs of classes at once."""

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

WIDEST_RUN = 1024.0


@compiled
def merge_pairs(
    margins: NDArray[np.float64],
    starts: NDArray[np.int64],
    first: int,
    least_slack: float,
    most_slack: float,
    above: NDArray[np.float64],
    tied: NDArray[np.float64],
) -> None:
    """Fill row ``first`` of ``above`` and ``tied`` for every second class j > first.

    ``margins`` is flat: the block of class i starts at K · starts[i] and holds K sorted rows of
    n_i numbers; row j are the margins of the cases of class i towards i and away from j. A case of
    i is above one of j if its margin exceeds minus that of the other, so one list is read upwards
    and the other downwards: O(n_i + n_j) a pair.

    Margins are tied for certain if they are equal or no further apart than ``least_slack`` times
    their size, and not tied if they are further apart than ``most_slack``. Where neither holds,
    ``tied`` is −1 and the pair remains to be counted.
    """
    n_classes = len(starts) - 1
    n_first = starts[first + 1] - starts[first]
    for second in range(first + 1, n_classes):
        n_second = starts[second + 1] - starts[second]
        own = margins[n_classes * starts[first] + second * n_first :][:n_first]
        other = margins[n_classes * starts[second] + first * n_second :][:n_second]
        below = n_below(own, other, most_slack)
        if below >= 0:
            above[first, second], tied[first, second] = below, 0.0
        else:
            merge_runs(own, other, least_slack, most_slack, above[first], tied[first], second)


@compiled
def n_below(own: NDArray[np.float64], other: NDArray[np.float64], slack: float) -> int:
    """Count the pairs of two lists, the second opposite; −1 if two are no further than a slack."""
    n_other, below, total = len(other), 0, 0
    for i in range(len(own)):
        low = own[i] - slack
        while below < n_other and -other[n_other - 1 - below] < low:
            below += 1
        if below < n_other and -other[n_other - 1 - below] <= own[i] + slack:
            return -1
        total += below
    return total


@compiled
def merge_runs(
    own: NDArray[np.float64],
    other: NDArray[np.float64],
    least_slack: float,
    most_slack: float,
    above: NDArray[np.float64],
    tied: NDArray[np.float64],
    second: int,
) -> None:
    """Count one pair of classes, run by run of tied margins in ascending order."""
    i, below, n_above, n_tied = 0, 0, 0, 0  # i, below: cases of both classes in the runs before
    while i < len(own) and below < len(other):
        start = min(own[i], -other[len(other) - 1 - below])
        j, reached, last = i, below, start
        while True:  # the run that starts here
            if j < len(own) and (
                reached == len(other) or own[j] <= -other[len(other) - 1 - reached]
            ):
                value, from_own = own[j], True
            elif reached < len(other):
                value, from_own = -other[len(other) - 1 - reached], False
            else:
                break
            gap = value - last
            if gap > most_slack:
                break
            size = max(abs(value), abs(last))
            if gap > 0 and (
                gap > least_slack * size or value - start > WIDEST_RUN * least_slack * size
            ):
                above[second], tied[second] = 0.0, -1.0
                return
            last = value
            if from_own:
                j += 1
            else:
                reached += 1
        n_above += (j - i) * below
        n_tied += (j - i) * (reached - below)
        i, below = j, reached
    above[second], tied[second] = n_above + (len(own) - i) * below, n_tied
