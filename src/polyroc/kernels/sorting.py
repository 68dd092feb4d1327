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
Floats: TypeAlias = NDArray[np.float64] | NDArray[np.float32]

BITS, RADIX = 10, 1024
"""Of a digit: with more, the places that a pass writes to leave the fastest cache."""

FEW_KEYS = 1 << 20
"""Up to here three digits tell nearly all keys apart, beyond four."""

MOST_MOVES = 4
"""Places that a key may be moved on average after its leading digits were sorted."""


@compiled
def sort_keys(keys: Keys, spare: Keys) -> bool:
    """Sort keys.

    Whether the result is in ``spare``, of the same length; the other array is then of no use.
    """
    largest = np.uint64(0)
    for key in keys:
        largest = np.uint64(key) if key > largest else largest
    return sort_bits(keys, spare, 0, bit_length(largest))


@compiled
def bit_length(number: np.uint64) -> int:
    """Bits of a number without its leading zeros."""
    bits = 0
    while bits < 64 and number >> np.uint64(bits):
        bits += 1
    return bits


@compiled
def sort_bits(keys: Keys, spare: Keys, low: int, high: int) -> bool:
    """Sort by the bits from ``low`` on keys without bits from ``high`` on; equal ones stay put.

    Whether the result is in ``spare``; the other array is then of no use.
    """
    leading = max(low, high - BITS * (3 if len(keys) <= FEW_KEYS else 4))
    moved = sort_digits(keys, spare, leading, high)
    if leading == low:
        return moved
    found, other = (spare, keys) if moved else (keys, spare)
    if settled(found, low):
        return moved
    return moved != sort_digits(found, other, low, high)


@compiled
def sort_places(stored: Keys, keys: Keys, spare: Keys) -> bool:
    """Fill in the places of floats, as they are stored, in ascending order; equal ones keep theirs.

    A place takes the last bits of a key, and of a float it has those that are left, the first ones.
    Whether the result is in ``spare``; the other array is then of no use.
    """
    size = np.uint64(8 * stored.itemsize)
    lowest = highest = in_order_of_floats(stored[0], size)
    for at in range(len(stored)):
        own = in_order_of_floats(stored[at], size)
        if own < lowest:  # not min: this way a processor compares several numbers at once
            lowest = own
        if own > highest:
            highest = own
    width, bits = bit_length(highest - lowest), bit_length(np.uint64(len(stored) - 1))
    left_out, room = np.uint64(max(0, width + bits - 64)), np.uint64(bits)
    for at in range(len(stored)):
        own = (in_order_of_floats(stored[at], size) - lowest) >> left_out
        keys[at] = own << room | np.uint64(at)
    moved = sort_bits(keys, spare, bits, min(64, width + bits))
    found, mask = spare if moved else keys, (np.uint64(1) << room) - np.uint64(1)
    for at in range(len(found)):
        found[at] &= mask
    return moved


@compiled
def in_order_of_floats(stored: np.uint64, size: np.uint64) -> np.uint64:
    """A number without sign in the order of the floats that are stored in so many bits."""
    number, sign = np.uint64(stored), np.uint64(1) << (size - np.uint64(1))
    return number ^ sign if number < sign else number ^ (sign | (sign - np.uint64(1)))


@compiled
def bring_in_order(floats: Floats, order: Keys, ascending: Floats) -> bool:
    """Fill in floats in an order; whether it is ascending."""
    before, right = -np.inf, True
    for at in range(len(order)):
        own = floats[order[at]]
        ascending[at] = own
        right &= own >= before
        before = own
    return right


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
