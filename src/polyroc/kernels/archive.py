"""The archive of mutually non-dominated points: who may enter, who must leave, whom to select.

Comparing a point with thousands of members in six coordinates is the main work of a search. Beside
its coordinates every member therefore has a word of *levels*: its first eight coordinates, each
cut to seven bits. One subtraction of words compares all levels at once, a loop over words becomes
vector instructions, and only members whose levels allow it are compared in full.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

_IN_A_WORD = 8
_HIGHEST = 127.0
_GUARDS = np.uint64(0x8080808080808080)
"""The top bit of each level: set in the minuend, it is still set where nothing was borrowed."""
_BLOCK = 64


@compiled
def nowhere_worse(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether one point weakly dominates the other: no coordinate is larger."""
    for d in range(len(one)):  # noqa: SIM110  (a compiled loop, not a generator)
        if one[d] > other[d]:
            return False
    return True


@compiled
def levels_of(point: NDArray[np.float64], tops: NDArray[np.float64]) -> np.uint64:
    """Coordinates from 0 to their tops as levels from 0 to 127, in the bytes of a word.

    A coordinate whose top is infinite may be negative; it has the level 0.
    """
    word = np.uint64(0)
    for d in range(min(len(point), _IN_A_WORD)):
        level = np.uint64(min(_HIGHEST, np.floor(point[d] / tops[d] * _HIGHEST)))
        word |= level << np.uint64(8 * d)
    return word


@compiled
def may_dominate(one: np.uint64, other: np.uint64) -> bool:
    """Whether no level of one is above that of the other."""
    return bool(((other | _GUARDS) - one) & _GUARDS == _GUARDS)


@compiled
def insert(
    candidates: NDArray[np.float64],
    cargo: NDArray[np.float64],
    tops: NDArray[np.float64],
    objectives: NDArray[np.float64],
    levels: NDArray[np.uint64],
    payload: NDArray[np.float64],
    size: int,
    entered: NDArray[np.bool_],
) -> int:
    """Insert candidates in turn, remove what they dominate; the new number of members.

    ``entered[m]`` tells whether candidate m was inserted: it is if no member weakly dominates it,
    though a later candidate may remove it again. ``objectives``, ``levels`` and ``payload`` hold
    the members and have room for all candidates; ``cargo`` is what candidates bring for the
    payload, ``tops`` the largest value that each objective can have.

    Most candidates are refused, each by the first member found that dominates it. That member
    then moves half of the way to the front: members that refuse often are soon asked first.
    """
    for m in range(len(candidates)):
        word = levels_of(candidates[m], tops)
        guard = _dominator(candidates[m], word, objectives, levels, size)
        entered[m] = guard < 0
        if guard >= 0:
            _swap(objectives, guard, guard // 2)
            _swap(payload, guard, guard // 2)
            levels[guard], levels[guard // 2] = levels[guard // 2], levels[guard]
            continue
        size = _without_dominated(candidates[m], word, objectives, levels, payload, size)
        objectives[size] = candidates[m]
        payload[size] = cargo[m]
        levels[size] = word
        size += 1
    return size


@compiled
def _dominator(
    candidate: NDArray[np.float64],
    word: np.uint64,
    objectives: NDArray[np.float64],
    levels: NDArray[np.uint64],
    size: int,
) -> int:
    """The first member that weakly dominates the candidate, −1 if none does."""
    for start in range(0, size, _BLOCK):
        end = min(size, start + _BLOCK)
        possible = False
        for i in range(start, end):
            possible |= may_dominate(levels[i], word)
        if not possible:
            continue
        for i in range(start, end):
            if may_dominate(levels[i], word) and nowhere_worse(objectives[i], candidate):
                return i
    return -1


@compiled
def _without_dominated(
    candidate: NDArray[np.float64],
    word: np.uint64,
    objectives: NDArray[np.float64],
    levels: NDArray[np.uint64],
    payload: NDArray[np.float64],
    size: int,
) -> int:
    """Put the last member in the place of each that the candidate dominates; the number left."""
    i = 0
    while i < size:
        if may_dominate(word, levels[i]) and nowhere_worse(candidate, objectives[i]):
            size -= 1
            objectives[i] = objectives[size]
            payload[i] = payload[size]
            levels[i] = levels[size]
        else:
            i += 1
    return size


@compiled
def _swap(rows: NDArray[np.float64], i: int, j: int) -> None:
    for column in range(rows.shape[1]):
        kept = rows[i, column]
        rows[i, column] = rows[j, column]
        rows[j, column] = kept


@compiled
def select_from_bin(values: NDArray[np.float64], n_bins: int, first: float, pick: float) -> int:
    """A member from one of equal bins over the range of an objective's values.

    The bin is the one at the share ``first`` of the range, or the next with a member, going round;
    the member is at the share ``pick`` of those in the bin.
    """
    least, most = values.min(), values.max()
    if not most > least:
        return int(pick * len(values))
    bins = np.empty(len(values), dtype=np.int64)
    counts = np.zeros(n_bins, dtype=np.int64)
    for i in range(len(values)):
        bins[i] = min(n_bins - 1, int((values[i] - least) / (most - least) * n_bins))
        counts[bins[i]] += 1
    chosen = int(first * n_bins)
    while counts[chosen] == 0:
        chosen = (chosen + 1) % n_bins
    left = int(pick * counts[chosen])
    for i in range(len(values)):
        if bins[i] == chosen:
            if left == 0:
                return i
            left -= 1
    return -1


@compiled
def _tops_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest value of each coordinate; infinite where some are negative or all are 0."""
    tops = np.empty(points.shape[1])
    for d in range(points.shape[1]):
        tops[d] = 0.0
        for i in range(len(points)):
            if points[i, d] < 0.0:
                tops[d] = np.inf
            tops[d] = max(tops[d], points[i, d])
        if tops[d] == 0.0:
            tops[d] = np.inf
    return tops


@compiled
def non_dominated(points: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which points no other point dominates; of equal points the first in ``order`` stays.

    ``order`` ascends lexicographically, so that a point can only be dominated by one before it.
    """
    stays, tops = np.empty(len(points), dtype=np.bool_), _tops_of(points)
    front, levels = np.empty(points.shape), np.empty(len(points), dtype=np.uint64)
    size = 0
    for place in range(len(order)):
        candidate = points[order[place]]
        word = levels_of(candidate, tops)
        guard = _dominator(candidate, word, front, levels, size)
        stays[order[place]] = guard < 0
        if guard >= 0:
            _swap(front, guard, guard // 2)
            levels[guard], levels[guard // 2] = levels[guard // 2], levels[guard]
            continue
        for d in range(points.shape[1]):
            front[size, d] = candidate[d]
        levels[size] = word
        size += 1
    return stays
