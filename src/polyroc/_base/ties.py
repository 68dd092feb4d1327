"""When two sums or differences of scores are equal: one rule for all that adds or subtracts.

.3 − .1 and .5 − .3 are equal as decimals, but not in floating point: rounding breaks ties. So
computed numbers are tied, too, where they are closer than rounding could tell. Each has a *slack*:
2⁻⁴⁰ (about 10⁻¹²) times the largest size of the scores that it was computed from; 0 has none. In
ascending order, neighbours are tied if they are no further apart than the larger of their slacks,
and so are all numbers of a run of such neighbours.

* A score elsewhere does not matter, however large: a slack belongs to the number itself.
* The order of cases, classes and columns does not matter, nor does a common factor that is a power
  of two. Numbers that are equal share the largest of their slacks.
* A run that is wider than 2⁻³⁰ of the scores is not one number with rounding, but many that lie
  close together, as the scores of a very confident model do. In it only equal numbers are tied.

Scores that are compared as they are, within a column, are tied only where they are equal.

.3 in float32 is .30000001, and the differences of such scores are off by far more than a slack. So
a score that is the float32 nearest to a decimal of six places stands for that decimal.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array, FloatArray

SLACK = 2.0**-40
"""Slack of a computed number, relative to the scores in it."""

WIDEST_RUN = 1024.0
"""Width of the widest run of tied numbers, in slacks."""


PLACES = ((8.0, 1e6), (512.0, 1e4))
"""Sizes below which float32 tells apart decimals with steps of one in so many."""


def as_written(scores: FloatArray) -> FloatArray:
    """Scores in which float32 numbers nearest to a decimal of six places are that decimal.

    Of four places from 8 on, none from 512 on. A number in float64 that float32 also has is
    treated alike, since tables are widened on the way. No two scores become equal, and none change
    places: the nearest float32 stays what it was. Where nothing changes it is the array given.

    >>> as_written(np.array([0.3, 0.5, 1 / 3], dtype=np.float32)).tolist()
    [0.3, 0.5, 0.3333333432674408]
    """
    with np.errstate(over="ignore"):
        narrow = scores.astype(np.float32, copy=False)
    same = narrow == scores
    if not same.any():
        return scores
    held = np.flatnonzero(same)
    own, single = scores.ravel()[held].astype(np.float64), narrow.ravel()[held]
    meant = own.copy()
    for size, steps in reversed(PLACES):
        near = np.flatnonzero(np.abs(own) < size)
        meant[near] = np.rint(own[near] * steps) / steps
    changed = np.flatnonzero((meant.astype(np.float32) == single) & (meant != own))
    if not changed.size:
        return scores
    written = scores.astype(np.float64, order="C")
    written.ravel()[held[changed]] = meant[changed]
    return written


def slack_between(first: FloatArray, second: FloatArray) -> Float64Array:
    """Slack of first − second, elementwise; 0 where both are equal, however large they are.

    >>> slack_between(np.array([0.5, 2.0, -1.0]), np.array([0.25, 2.0, -4.0])) / SLACK
    array([0.5, 0. , 4. ])
    """
    size = np.maximum(np.abs(first), np.abs(second)).astype(np.float64, copy=False)
    return np.where(first == second, 0.0, SLACK * size)


def merged(values: Float64Array, slacks: Float64Array) -> Float64Array:
    """Numbers with those that are tied made equal: each is the least of its run.

    O(n log n); where no two numbers are close but different, they are returned as they are.

    >>> values = np.array([0.5 - 0.3, 0.3 - 0.1, 0.3])
    >>> merged(values, np.full(3, SLACK / 2)).tolist()
    [0.19999999999999998, 0.19999999999999998, 0.3]
    """
    if not any_close(np.sort(values), slacks.max(initial=0.0)):
        return values
    order = np.argsort(values)
    sorted_values = values[order]
    first = np.flatnonzero(np.concatenate(([True], sorted_values[1:] != sorted_values[:-1])))
    distinct = sorted_values[first]
    least = _least_of_run(distinct, np.maximum.reduceat(slacks[order], first))
    result = np.empty_like(values)
    result[order] = np.repeat(least, np.diff(first, append=len(values)))
    return result


def any_close(ascending: FloatArray, slack: float) -> bool:
    """Whether any two neighbours are different, but no further apart than a slack."""
    with np.errstate(over="ignore"):
        gaps = ascending[1:] - ascending[:-1]
    close = gaps <= slack
    return bool(close.any() and (gaps[close] > 0).any())


def runs_by_size(
    ascending: Float64Array, least_slack: float, most_slack: float
) -> Float64Array | None:
    """The least number of each run where slacks need not be known, else None.

    The slack of each number lies between ``least_slack`` times its size and ``most_slack``: the
    difference of two scores is at most twice as large as the larger of them.
    """
    with np.errstate(over="ignore"):
        gaps = ascending[1:] - ascending[:-1]
    sizes = np.abs(ascending)
    least = least_slack * np.maximum(sizes[1:], sizes[:-1])
    joined = gaps <= least
    if ((gaps <= most_slack) & ~joined).any():
        return None
    first = np.concatenate(([True], ~joined))
    starts, ends = ascending[first], ascending[np.append(first[1:], True)]
    widest = WIDEST_RUN * least_slack * np.maximum(np.abs(starts), np.abs(ends))
    with np.errstate(over="ignore"):
        return starts if (ends - starts <= widest).all() else None


def _least_of_run(distinct: Float64Array, slacks: Float64Array) -> Float64Array:
    """For each of different numbers in ascending order the least of its run."""
    with np.errstate(over="ignore"):
        apart = distinct[1:] - distinct[:-1] > np.maximum(slacks[1:], slacks[:-1])
    starts = np.flatnonzero(np.concatenate(([True], apart)))
    ends = np.append(starts[1:], len(distinct)) - 1
    widest = WIDEST_RUN * np.maximum.reduceat(slacks, starts)
    with np.errstate(over="ignore"):
        is_run = distinct[ends] - distinct[starts] <= widest
    lengths = ends - starts + 1
    return np.where(np.repeat(is_run, lengths), np.repeat(distinct[starts], lengths), distinct)


def tied_with_least(values: Float64Array, slacks: Float64Array) -> NDArray[np.bool_]:
    """Which numbers of each row are tied with its least; both arrays (n, K).

    >>> values = np.array([[0.3 - 0.1, 0.5 - 0.3, 0.9], [0.0, 1.0, 0.0]])
    >>> tied_with_least(values, np.full((2, 3), SLACK))
    array([[ True,  True, False],
           [ True, False,  True]])
    """
    order = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    slack = np.take_along_axis(slacks, order, axis=1)
    n_columns = values.shape[1]
    with np.errstate(over="ignore"):
        gaps = np.diff(ascending, axis=1)
    for way in (range(n_columns - 1), range(n_columns - 2, -1, -1)):
        for m in way:  # equal numbers share the largest slack
            shared = np.where(gaps[:, m] == 0, np.maximum(slack[:, m], slack[:, m + 1]), 0)
            slack[:, m : m + 2] = np.maximum(slack[:, m : m + 2], shared[:, None])
    joined = gaps <= np.maximum(slack[:, 1:], slack[:, :-1])
    length = np.logical_and.accumulate(joined, axis=1).sum(axis=1)
    highest = np.take_along_axis(ascending, length[:, None], axis=1)
    tied: NDArray[np.bool_] = values <= highest
    return tied
