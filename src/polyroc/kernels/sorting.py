"""Keys sorted by their leading digits, and what these leave out of order put right.

Random numbers differ in their leading bits: three passes over digits of ten bits bring all but a
few in a thousand of them in order, and these are moved by one place or two. Where many numbers
share their leading bits, as beside an outlier, all digits are sorted.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Keys: TypeAlias = NDArray[np.uint64] | NDArray[np.uint32]

BITS, RADIX = 10, 1024
"""Of a digit: with more, the places that a pass writes to leave the fastest cache."""

FEW_KEYS = 1 << 20
"""Up to here three digits tell nearly all keys apart, beyond four."""

MOST_MOVES = 4
"""Places that a key may be moved on average after its leading digits were sorted."""


@compiled
def sort_keys(keys: Keys, spare: Keys, low: int) -> bool:
    """Sort keys by their bits from ``low`` on; those equal in these keep their order.

    Whether the result is in ``spare``, of the same length; the other array is then of no use.
    """
    largest = np.uint64(0)
    for key in keys:
        largest = max(largest, np.uint64(key))
    high = 0
    while high < 64 and largest >> np.uint64(high):
        high += 1
    leading = max(low, high - BITS * (3 if len(keys) <= FEW_KEYS else 4))
    moved = sort_digits(keys, spare, leading, high)
    if leading == low:
        return moved
    found, other = (spare, keys) if moved else (keys, spare)
    if settled(found, low):
        return moved
    return moved != sort_digits(found, other, low, high)


@compiled
def sort_digits(keys: Keys, spare: Keys, low: int, high: int) -> bool:
    """Sort by the bits from ``low`` on, digit by digit from the last; equal keys stay put.

    No key has bits from ``high`` on. Without digits that all keys share, from one array to the
    other and back. Whether the result is in the second one.
    """
    n, n_digits, mask = len(keys), (max(0, high - low) + BITS - 1) // BITS, np.uint64(RADIX - 1)
    counts = np.zeros((n_digits, RADIX), np.int32)
    for key in keys:
        rest = np.uint64(key) >> np.uint64(low)
        for digit in range(n_digits):
            counts[digit, rest & mask] += 1
            rest >>= np.uint64(BITS)
    moved = False
    for digit in range(n_digits):
        shift, starts, before = np.uint64(low + BITS * digit), counts[digit], 0
        if n == 0 or starts[(np.uint64(keys[0]) >> shift) & mask] == n:
            continue
        for value in range(RADIX):
            here = starts[value]
            starts[value] = before
            before += here
        for key in keys:
            found = (np.uint64(key) >> shift) & mask
            to = starts[found]
            starts[found] = to + 1
            spare[to] = key
        keys, spare = spare, keys
        moved = not moved
    return moved


@compiled
def settled(keys: Keys, low: int) -> bool:
    """Put the few keys in order that are not; false, with some in order, where they are many."""
    shift, left = np.uint64(low), MOST_MOVES * len(keys)
    for place in range(1, len(keys)):
        key, at = keys[place], place
        own = np.uint64(key) >> shift
        while at > 0 and np.uint64(keys[at - 1]) >> shift > own:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key
        left -= place - at
        if left < 0:
            return False
    return True
