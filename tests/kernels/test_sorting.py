"""Keys sorted by digits: NumPy's stable sort of the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc.kernels.sorting import FEW_KEYS, MOST_MOVES, settled, sort_digits, sort_keys


def check(keys: np.ndarray, low: int) -> None:
    """Ascending by the bits from ``low`` on, and otherwise as before."""
    expected = keys[np.argsort(keys >> keys.dtype.type(low), kind="stable")]
    given, spare = keys.copy(), np.empty_like(keys)
    found = spare if sort_keys(given, spare, low) else given
    assert found.dtype == keys.dtype
    np.testing.assert_array_equal(found, expected)


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
