"""Numbers in sentences: as many digits as they need, and no false 0, 1 or tie."""

import math

import pytest

from polyroc.report._markup import Markup, element, joined, percent
from polyroc.report._packing import packed
from polyroc.report._wording import (
    difference_digits,
    digits_for,
    interval_digits,
    level_text,
    limits,
    number,
    p_number,
    p_value,
    share,
    signed,
    size_of_difference,
    spoken,
    width_digits,
    with_decimals,
)

NBSP = "\u00a0"


@pytest.mark.parametrize(
    ("label", "told"),
    [("4", "class 4"), ("-1.5", "class -1.5"), ("4a", "4a"), ("", "(empty)"), ("?", "class ?")],
)
def test_bare_numbers_are_called_classes(label, told) -> None:
    assert spoken(label) == told


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (0.0, 0, "0"),
        (5e-13, 0, "0"),
        (1.0, 1, "100.0"),
        (1 - 5e-13, 0, "100"),
        (0.005, 0, "0.5"),
        (0.995, 0, "99.5"),
        (0.0004, 0, "0.04"),
        (0.00001, 0, "0.001"),
        (0.99999, 0, "99.999"),
        (0.000004, 0, "less than 0.001"),
        (2e-12, 0, "less than 0.001"),
        (0.999996, 0, "more than 99.999"),
        (1 - 2e-12, 0, "more than 99.999"),
        (0.000004, 1, "0.0004"),
        (0.5, 1, "50.0"),
        (0.71234, 2, "71.23"),
    ],
)
def test_shares_read_as_0_and_100_only_where_they_are(value, digits, told) -> None:
    assert share(value, digits) == f"{told}{NBSP}%"


def test_shares_have_no_decimals_unless_asked() -> None:
    assert share(0.714) == percent(0.714) == f"71{NBSP}%"
    assert percent(0.7149, 2) == f"71.49{NBSP}%"


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (0.0, 3, "0.000"),
        (5e-13, 3, "0.000"),
        (1.5e-12, 3, "<0.00001"),
        (1 - 5e-13, 3, "1.000"),
        (1 - 1.5e-12, 3, ">0.99999"),
        (0.0004, 3, "0.0004"),
        (0.00004, 3, "0.00004"),
        (0.000004, 3, "<0.00001"),
        (0.000004, 4, "0.000004"),
        (0.99996, 3, "0.99996"),
        (0.999996, 3, ">0.99999"),
        (0.8124, 2, "0.81"),
        (1.25, 3, "1.250"),
        (-0.25, 3, "-0.250"),
    ],
)
def test_values_read_as_0_and_1_only_where_they_are(value, digits, told) -> None:
    assert number(value, digits) == told


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [(0.25, 2, "+0.25"), (-0.25, 2, "−0.25"), (0.0, 3, "0.000"), (-0.0004, 3, "0.000")],
)
def test_differences_have_a_sign_unless_they_read_as_0(value, digits, told) -> None:
    assert signed(value, digits) == told


def test_signs_and_values_have_three_decimals() -> None:
    assert (signed(0.12345), number(0.12345)) == ("+0.123", "0.123")


@pytest.mark.parametrize(
    ("value", "digits"),
    [(0.0005, 3), (5e-7, 6), (4e-7, 3), (0.00049, 4), (-0.00005, 4), (4.9e-5, 5), (0.0, 3)],
)
def test_small_differences_have_up_to_six_decimals(value, digits) -> None:
    assert digits_for(value) == digits


@pytest.mark.parametrize(
    ("given", "digits"),
    [
        ((0.05, -0.02, 0.12), 3),
        ((0.0164, 0.0002, 0.0326), 4),  # the lower limit
        ((-0.0164, -0.0326, -0.0002), 4),  # the upper one, below 0
        ((0.0164, -0.0002, 0.033), 3),  # on both sides of 0 none needs to be told from it
        ((0.00004, -0.02, 0.02), 5),  # the difference
        ((0.0112, 0.0111, 0.0119), 4),  # the width
        ((0.5, 0.49996, 0.50004), 5),
        ((-0.01, -0.02, 0.0), 3),
        ((0.01, 0.0, 0.02), 3),
        ((0.25, math.nan, math.nan), 3),
    ],
)
def test_decimals_of_a_difference_are_those_of_the_part_that_needs_most(given, digits) -> None:
    assert difference_digits(*given) == digits


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [(0.1, 0.2, 3), (0.1, 0.1051, 3), (0.1, 0.1049, 4), (0.5, 0.4985, 3), (0.1, 0.1, 3)],
)
def test_rounding_moves_limits_by_a_tenth_of_the_width_at_most(low, high, digits) -> None:
    assert width_digits(low, high) == digits


def test_sizes_of_differences() -> None:
    assert size_of_difference(0.0006, 3) == "0.001"
    assert size_of_difference(0.0004, 3) == "less than 0.001"
    assert size_of_difference(0.0004, 4) == "0.0004"


@pytest.mark.parametrize(
    ("p", "alpha", "told"),
    [
        (0.001, 0.05, "0.001"),
        (0.000999, 0.05, f"<{NBSP}0.001"),
        (0.05, 0.05, "0.050"),
        (0.0496, 0.05, "0.0496"),
        (0.0504, 0.05, "0.0504"),
        (0.049996, 0.05, "0.049996"),
        (0.0499996, 0.05, "0.050000"),
        (0.0496, 0.2, "0.050"),
        (0.1996, 0.2, "0.1996"),
        (0.2, 0.2, "0.200"),
        (1.0, 0.05, "1.000"),
        (math.nan, 0.05, "–"),
    ],
)
def test_p_values_say_on_which_side_of_the_level_they_lie(p, alpha, told) -> None:
    assert p_number(p, alpha) == told
    sign = "" if told.startswith("<") else "= "
    assert p_value(p, alpha) == f"p {sign}{told}".replace(NBSP, " ")


def test_p_values_are_held_against_five_percent_by_default() -> None:
    assert (p_number(0.0496), p_number(0.0996)) == ("0.0496", "0.100")
    assert (p_value(0.0504), p_value(0.0996)) == ("p = 0.0504", "p = 0.100")


def test_levels_have_as_many_digits_as_they_need() -> None:
    told = [level_text(each) for each in (0.5, 0.9, 0.975, 0.9973, 0.999999)]
    assert told == [f"{each}{NBSP}%" for each in ("50", "90", "97.5", "99.73", "99.9999")]


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [
        (0.1, 0.9, 3),
        (0.1, 0.102, 3),
        (0.1, 0.1015, 3),
        (0.1, 0.1009, 4),  # the middle would read as the lower limit
        (0.1, 0.1004, 4),
        (0.1, 0.10004, 5),
        (0.1, 0.1, 3),
        (0.1, 0.1 + 5e-13, 3),
        (0.1, 0.1 + 5e-12, 5),
        (math.nan, math.nan, 3),
    ],
)
def test_limits_have_the_decimals_that_tell_them_from_their_middle(low, high, digits) -> None:
    assert interval_digits(low, high) == digits


@pytest.mark.parametrize(
    ("low", "high", "digits"), [(0.0, 0.0099, 4), (0.0, 0.01, 3), (-0.001, 0.005, 3)]
)
def test_limits_from_0_to_below_a_hundredth_have_four_decimals(low, high, digits) -> None:
    assert interval_digits(low, high) == digits


def test_limits_are_joined_and_do_not_read_as_bounds() -> None:
    assert limits(0.2, 0.9) == "0.200 to 0.900"
    assert limits(0.2, 0.9, "–") == "0.200–0.900"
    assert limits(1e-9, 0.5) == "0.000 to 0.500"
    assert limits(0.5, 1 - 1e-9) == "0.500 to 1.000"
    assert limits(0.9996, 0.9998) == "0.9996 to 0.9998"
    assert limits(0.0001, 0.5) == "0.0001 to 0.500"


def test_exponents_are_written_out() -> None:
    assert with_decimals("under 5e-3 and 1.25e-04, not 12") == "under 0.005 and 0.000125, not 12"


def test_elements_escape_what_is_no_markup() -> None:
    inner = element("b", "x & y")
    assert element("p", inner, None, [1, "<", (2, None)], 3.5) == (
        "<p><b>x &amp; y</b>1&lt;23.5</p>"
    )
    assert element("input", "left out", type="radio", checked=True, hidden=False, name=None) == (
        '<input type="radio" checked>'
    )
    assert element("a", aria_label='"x"', class_="c", data_from=0) == (
        '<a aria-label="&quot;x&quot;" class="c" data-from="0"></a>'
    )
    for name in ("meta", "br", "hr"):
        assert element(name) == f"<{name}>"
    assert isinstance(joined("a"), Markup) and joined() == ""
    assert joined(each for each in ("a", "&")) == "a&amp;"


def test_arrays_are_packed_with_the_lowest_byte_first() -> None:
    import base64

    import numpy as np

    def unpacked(array: np.ndarray) -> tuple[str, bytes]:
        made = packed(array)
        return made["type"], base64.b64decode(made["data"])

    assert unpacked(np.array([], dtype=np.int64)) == ("Uint8Array", b"")
    assert unpacked(np.array([65_535])) == ("Uint16Array", b"\xff\xff")
    assert unpacked(np.array([65_536])) == ("Uint32Array", b"\x00\x00\x01\x00")
    assert unpacked(np.array([255, 1])) == ("Uint8Array", b"\xff\x01")
    assert unpacked(np.array([256], dtype=np.uint16)) == ("Uint16Array", b"\x00\x01")
    assert unpacked(np.array([1.5], dtype=">f4")) == ("Float32Array", b"\x00\x00\xc0\x3f")
    whole = unpacked(np.array([[1.0, 2.0], [3.0, 4.0]]).T)
    assert whole == ("Float64Array", np.array([1.0, 3.0, 2.0, 4.0]).astype("<f8").tobytes())
