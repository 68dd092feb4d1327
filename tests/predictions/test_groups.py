"""Groups of cases: what is missing belongs to nobody, and 1 is not "1"."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from polyroc import Bootstrap, compare, evaluate
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference import reader_study
from polyroc.predictions._slices import read_attribute

RNG = np.random.default_rng(8)
Y = np.arange(48) % 3
P = RNG.dirichlet(np.ones(3), 48) + 0.3 * np.eye(3)[Y]
NUMBERS = np.arange(48) // 3
EXPECTED = evaluate(Y, P, ["hand_till"], groups=NUMBERS)["hand_till"]


def grouped(groups):
    return evaluate(Y, P, ["hand_till"], groups=groups)["hand_till"]


def test_groups_in_any_container():
    words = [f"p{number:02}" for number in NUMBERS]
    for values in (NUMBERS.tolist(), words):
        for make in (list, tuple, np.array, pd.Series, pl.Series, pa.array, pd.Categorical):
            assert grouped(make(values)) == EXPECTED
    assert grouped(np.array(words, dtype=object)) == EXPECTED
    assert grouped(np.array(NUMBERS, dtype=float)) == EXPECTED
    assert grouped([np.int8(number) for number in NUMBERS]) == EXPECTED
    assert grouped(np.ma.array(NUMBERS)) == EXPECTED


def at(values, row, missing):
    changed = list(values)
    changed[row] = missing
    return changed


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, np.ma.masked], ids=repr)
def test_missing_groups_of_any_kind(missing):
    words = [f"p{number}" for number in NUMBERS]
    for values in (NUMBERS.tolist(), words):
        with pytest.raises(InvalidInput, match=r"groups has a missing value in row 7 of 48\. Name"):
            grouped(at(values, 7, missing))


@pytest.mark.parametrize("missing", ["", " ", "NA", "nan", "None", "null", "N/A", "<NA>"])
def test_texts_that_stand_for_nothing(missing):
    words = at([f"p{number}" for number in NUMBERS], 7, missing)
    for make in (list, np.array, pd.Series, pl.Series, pa.array):
        with pytest.raises(InvalidInput, match="groups has a missing value in row 7 of 48"):
            grouped(make(words))


def test_missing_groups_of_typed_containers_and_their_number():
    gaps = [None if number > 9 else number for number in NUMBERS.tolist()]
    masked = np.ma.array(NUMBERS, mask=NUMBERS > 9)
    containers = [pd.Series(gaps, dtype="Int64"), pl.Series(gaps), pa.array(gaps), masked]
    for groups in (*containers, np.where(NUMBERS > 9, np.nan, NUMBERS)):
        with pytest.raises(InvalidInput) as caught:
            grouped(groups)
        assert str(caught.value) == (
            "groups has a missing value in rows 30, 31, 32, 33, 34 and 13 more of 48. Name the "
            "group of every case; a case that belongs to no other gets a name of its own."
        )


def test_groups_of_several_kinds():
    for mixed in ([1, "1"] * 24, ["1", 1.0] * 24, [True, 1] * 24, [True, "x"] * 24):
        with pytest.raises(InvalidType, match=r"all of one kind, got .* in row 0 and .* in row 1"):
            grouped(mixed)
        with pytest.raises(InvalidType, match="all of one kind"):
            grouped(pd.Series(mixed, dtype=object))
    assert grouped([number if number % 2 else float(number) for number in NUMBERS]) == EXPECTED


def test_few_groups_get_a_note():
    few = grouped(NUMBERS % 4)
    assert "4 groups: standard errors from fewer than 10 are rough" in few.note
    assert "groups" not in EXPECTED.note
    compared = compare(Y, {"a": P, "b": P**2}, ["hand_till"], groups=NUMBERS % 4)
    assert "4 groups:" in compared.differences[0].note
    booted = evaluate(Y, P, ["hand_till"], groups=NUMBERS % 4, interval=Bootstrap(20), rng=1)
    assert "4 groups:" in booted["hand_till"].note


def test_numbers_in_the_byte_order_of_another_machine():
    """Groups, attributes and columns of a reader study, as files of other machines hold them."""
    y, p = [0, 1, 0, 1], [0.1, 0.3, 0.2, 0.4]
    for kind in (">i4", ">f8", ">f2", ">U1", ">M8[s]"):
        values = np.array([0, 0, 1, 1]).astype(kind)
        assert evaluate(y, p, ["roc_auc"], groups=values)["roc_auc"].value == 1
        assert read_attribute("site", values).numbers.tolist() == [0, 0, 1, 1]
    order = np.arange(16)
    table = pd.DataFrame({"r": order // 8, "m": order // 4 % 2, "y": order // 2 % 2}).astype(">i4")
    table = table.assign(c=order % 4, s=order % 7)
    names = {"case": "c", "reader": "r", "modality": "m", "truth": "y", "rating": "s"}
    native = reader_study(table.astype("=i4"), **names).frame()
    pd.testing.assert_frame_equal(reader_study(table, **names).frame(), native)


def test_times_that_no_calendar_has():
    times = np.array([0, -(2**62)], dtype="M8[D]")
    with pytest.raises(InvalidInput, match="contains a time that cannot be read"):
        read_attribute("day", times)
    assert read_attribute("day", times[:1]).slices == ("1970-01-01",)
