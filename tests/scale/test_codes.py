"""The code of the bins never falls where scores rise, compiled or not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyroc._base.ties import SLACK
from polyroc.scale._codes import MOST_BITS, SIGNIFICANT, code_of_one, highest_code, ordered_codes
from polyroc.scale._extents import links

LARGEST = float(np.finfo(np.float64).max)
EDGES = [0.0, 5e-324, 1e-310, 2.0**-1022, 2.0**-149, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 1e9, LARGEST]
NEIGHBOURS = sorted(
    {
        float(sign * near)
        for edge in EDGES
        for near in (edge, np.nextafter(edge, -1), np.nextafter(edge, LARGEST))
        for sign in (1, -1)
    }
)
finite = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(NEIGHBOURS)


@pytest.mark.parametrize("bits", [1, 5, 9, 10, MOST_BITS])
def test_neighbours_of_the_edges_keep_their_order(bits: int) -> None:
    codes = ordered_codes(np.array(NEIGHBOURS), bits)
    assert (np.diff(codes) >= 0).all()


@given(st.lists(finite, min_size=1, max_size=50), st.integers(1, MOST_BITS))
def test_codes_rise_with_scores_and_are_odd(scores: list[float], bits: int) -> None:
    values = np.sort(np.array(scores))
    codes = ordered_codes(values, bits)
    assert (np.diff(codes) >= 0).all()
    assert (codes == -ordered_codes(-values, bits)).all()
    assert (np.abs(codes) <= highest_code(bits)).all()


@pytest.mark.parametrize("bits", [1, 9, MOST_BITS])
@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_zero_and_one_have_bins_of_their_own(edge: float, bits: int) -> None:
    around = np.array([np.nextafter(edge, -1), edge, np.nextafter(edge, 2)])
    assert len(set(ordered_codes(around, bits).tolist())) == 3


def test_bins_are_narrow_at_both_ends_of_the_unit_interval() -> None:
    near_zero = np.array([1e-9, 1e-9 * (1 + 2.0**-8)])
    assert np.diff(ordered_codes(near_zero, 9))[0] in (1, 2, 3)
    assert np.diff(ordered_codes(1 - near_zero[::-1], 9))[0] in (1, 2, 3)


def test_every_float16_has_a_bin_of_its_own() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)
    every = np.unique(every[np.isfinite(every)])
    assert len(np.unique(ordered_codes(every, 10))) == len(every)


@settings(deadline=None)  # the first call compiles
@given(st.lists(finite, min_size=1, max_size=30), st.integers(1, MOST_BITS))
def test_the_compiled_code_is_the_same(scores: list[float], bits: int) -> None:
    from polyroc.kernels.histogram import ordered_code

    expected = ordered_codes(np.array(scores), bits).tolist()
    one = code_of_one(bits)
    assert [ordered_code(each, SIGNIFICANT - bits, one) for each in scores] == expected


def test_linked_bins_are_tied_where_they_are_closer_than_half_a_slack() -> None:
    for size in (0.25, -0.25):
        for part, tied in ((0.3, True), (0.49, True), (0.51, False), (0.9, False)):
            ends = np.sort([size, size * (1 + part * SLACK)])
            slack = np.full(2, SLACK)
            starts, found = links(ends, ends, slack)
            assert (starts.tolist(), found.tolist()) == ([0], [tied]), (size, part)
