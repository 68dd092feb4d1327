"""Keys sorted by digits: NumPy's stable sort of the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc.kernels.sorting import (
    FEW_KEYS,
    MOST_MOVES,
    bring_in_order,
    in_order_of_floats,
    settled,
    sort_bits,
    sort_digits,
    sort_keys,
    sort_places,
)


def check(keys: np.ndarray, low: int) -> None:
    """Ascending by the bits from ``low`` on, and otherwise as before."""
    expected = keys[np.argsort(keys >> keys.dtype.type(low), kind="stable")]
    given, spare = keys.copy(), np.empty_like(keys)
    high = max(map(int, keys), default=0).bit_length()
    found = spare if sort_bits(given, spare, low, high) else given
    assert found.dtype == keys.dtype
    np.testing.assert_array_equal(found, expected)
    given = keys.copy()
    found = spare if sort_keys(given, spare) else given
    np.testing.assert_array_equal(found, np.sort(keys))


@given(
    keys=st.lists(
        st.one_of(
            st.integers(0, 2**64 - 1),
            st.integers(0, 40),
            st.integers(2**63, 2**63 + 40),
            st.integers(0, 60).map(lambda bit: 1 << bit),
        ),
        max_size=60,
    ),
    low=st.integers(0, 63),
)
def test_any_keys(keys: list[int], low: int) -> None:
    check(np.array(keys, dtype=np.uint64), low)
    check((np.array(keys, dtype=np.uint64) >> np.uint64(32)).astype(np.uint32), low % 32)


def spread(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(len(kind))
    even = rng.integers(0, 2**63, n, dtype=np.uint64)
    if kind == "beside an outlier":
        even >>= np.uint64(40)
        even[n // 3] = 2**64 - 1
    elif kind == "few levels":
        even //= np.uint64(2**60)
    elif kind == "falling":
        even = np.arange(n, 0, -1, dtype=np.uint64)
    elif kind == "one":
        even[:] = 7
    elif kind == "in the order of floats":
        even = np.abs(rng.normal(size=n)).view(np.uint64)
    return even


KINDS = ["even", "beside an outlier", "few levels", "falling", "one", "in the order of floats"]


@pytest.mark.parametrize("low", [0, 4, 17])
@pytest.mark.parametrize("kind", KINDS)
def test_many_keys(kind: str, low: int) -> None:
    check(spread(kind, 30_000), low)
    check((spread(kind, 30_000) >> np.uint64(32)).astype(np.uint32), low)


@pytest.mark.parametrize("kind", ["even", "beside an outlier"])
def test_more_keys_than_three_digits_tell_apart(kind: str) -> None:
    check(spread(kind, FEW_KEYS + 1), 21)


def test_bits_below_the_digits_asked_for_keep_their_order() -> None:
    keys = spread("even", 500)
    for low in (0, 13, 40, 62):
        given, spare = keys.copy(), np.empty_like(keys)
        found = spare if sort_digits(given, spare, low, 63) else given
        np.testing.assert_array_equal(
            found, keys[np.argsort(keys >> np.uint64(low), kind="stable")]
        )


def out_of_order(n: int, moves: int) -> np.ndarray:
    """Numbers up to n so that putting them in order moves them by so many places in all."""
    numbers: list[int] = []
    for number in range(n):
        places = min(number, moves)
        numbers.insert(number - places, number)
        moves -= places
    return np.array(numbers, dtype=np.uint64)


def test_what_is_nearly_in_order_is_settled_and_no_more() -> None:
    most = MOST_MOVES * 10
    for moves, in_time in ((0, True), (3, True), (most, True), (most + 1, False)):
        keys = out_of_order(10, moves)
        assert sum(int(a > b) for i, a in enumerate(keys) for b in keys[i:]) == moves
        assert settled(keys, 0) is in_time
        if in_time:
            np.testing.assert_array_equal(keys, np.arange(10))
    ties = np.arange(1000, dtype=np.uint64) ^ np.uint64(3)
    assert settled(ties, 2)
    np.testing.assert_array_equal(ties, np.arange(1000, dtype=np.uint64) ^ np.uint64(3))


SIZES = {np.float32: np.uint32, np.float64: np.uint64}


@given(
    numbers=st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False),
            st.integers(-3, 3).map(lambda step: 1 + step * 2.0**-52),
            st.integers(-3, 3).map(float),
        ),
        min_size=1,
        max_size=60,
    ),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_places_of_floats(numbers: list[float], dtype: type[np.floating]) -> None:
    """Ascending and stable, but for floats that differ in bits that no key has room for."""
    with np.errstate(over="ignore"):
        floats = np.array(numbers).astype(dtype)
    floats = floats[np.isfinite(floats)] + dtype(0)
    if not len(floats):
        return
    stored = floats.view(SIZES[dtype])
    keys, spare = np.empty((2, len(floats)), np.uint64)
    order = spare if sort_places(stored, keys, spare) else keys
    ascending = np.empty_like(floats)
    right = bring_in_order(floats, order, ascending)
    np.testing.assert_array_equal(ascending, floats[order])
    assert right == (ascending[1:] >= ascending[:-1]).all()
    bits = (len(floats) - 1).bit_length()
    ranks = [int(in_order_of_floats(each, np.uint64(8 * floats.itemsize))) for each in stored]
    left_out = max(0, (max(ranks) - min(ranks)).bit_length() + bits - 64)
    kept = [(rank - min(ranks)) >> left_out for rank in ranks]
    assert order.tolist() == sorted(range(len(floats)), key=lambda at: (kept[at], at))
    if not left_out:
        np.testing.assert_array_equal(order, np.argsort(floats, kind="stable"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_without_sign_are_in_the_order_of_floats(dtype: type[np.floating]) -> None:
    most = np.finfo(dtype).max
    floats = np.array([-most, -2.5, -2, -np.finfo(dtype).tiny, 0, 1e-30, 1, 1.5, most], dtype=dtype)
    bits = np.uint64(8 * floats.itemsize)
    ranks = [int(in_order_of_floats(each, bits)) for each in floats.view(SIZES[dtype])]
    assert ranks == sorted(set(ranks))
    assert ranks[0] >= 0 and ranks[-1] < 2 ** int(bits)
