"""Cells as labels, numbers, groups and names: every type, and the place of each that is wrong."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from polyroc import hand_till
from polyroc.errors import InvalidInput, InvalidType
from polyroc.readers import Table, read_predictions, read_table
from polyroc.readers._cells import (
    floats_in,
    groups_in,
    ids_in,
    is_numeric,
    labels_in,
    numbers_in,
    values_in,
)
from polyroc.readers._identity import check_unique, complete_ids, place_of_each


def table(*values: Any, kind: Any = None, **options: Any) -> Table:
    """A table with one column c, in two pieces."""
    array = values[0] if isinstance(values[0], pa.Array) else pa.array(list(values), kind)
    cut = len(array) // 2
    chunks = pa.chunked_array([array[:cut], array[cut:]])
    return Table("x", ("c",), (chunks,), **options)


def coded(words: list[Any], codes: list[Any]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(words))


def told(error: type[Exception], call: Any, *arguments: Any) -> str:
    with pytest.raises(error) as caught:
        call(*arguments)
    return str(caught.value)


# Labels


@pytest.mark.parametrize(
    ("given", "labels", "kind"),
    [
        (table(3, 1, 2, kind=pa.int8()), [3, 1, 2], np.int8),
        (table(3.0, -1.0, 2.0), [3, -1, 2], np.int64),
        (table(Decimal("3.0"), Decimal("1.0")), [3, 1], np.int64),
        (table(True, False, True), [True, False, True], np.bool_),
        (table("b", "a", "b"), ["b", "a", "b"], object),
        (table("b", "a", kind=pa.large_string()), ["b", "a"], object),
        (table("b", "a", kind=pa.string_view()), ["b", "a"], object),
        (table(coded(["b", "a", "b"], [2, 1, 0])), ["b", "a", "b"], object),
        (table(coded([7, 5], [1, 1, 0])), [5, 5, 7], np.int64),
        (table(coded([True, False], [1, 0, 0])), [False, True, True], np.bool_),
    ],
)
def test_labels_of_every_type(given: Table, labels: list[Any], kind: Any) -> None:
    found = labels_in(given, "c")
    assert found.tolist() == labels and found.dtype == kind


def test_labels_that_are_no_classes() -> None:
    missing = "x has no value in row 2, column 'c'. Remove the row, or give it its true class."
    words, codes = [["a", None], ["a", ""]], [0, 0, 1, 1]
    for given in (table("a", "b", None), table(1, 2, None), table("a", "b", ""),
                  *(table(coded(each, codes)) for each in words)):  # fmt: skip
        assert told(InvalidInput, labels_in, given, "c") == missing
    for value in (1.5, np.nan, np.inf, 2.0**63, -(2.0**63)):
        assert told(InvalidInput, labels_in, table(0.0, 1.0, value, 0.25), "c") == (
            f"x contains {value} in row 2, column 'c'. Class labels are strings or whole numbers: "
            "is this the column of true classes?"
        )
    largest = float(np.nextafter(2.0**63, 0))
    assert labels_in(table(largest, -largest), "c").tolist() == [int(largest), -int(largest)]
    for given, kind in ((table(b"a"), "binary"), (table([1]), "list<item: int64>")):
        assert told(InvalidType, labels_in, given, "c") == (
            f"x: column 'c' has the type {kind}. Class labels are strings, integers or booleans."
        )


# Numbers


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (table(1, 2, 3, kind=pa.uint8()), [1, 2, 3]),
        (table(0.5, -0.25), [0.5, -0.25]),
        (table(Decimal("0.5"), Decimal("1.25")), [0.5, 1.25]),
        (table(0.1, 0.7), [0.1, 0.7]),
        (table("0.1", " 0.7"), [0.1, 0.7]),
        (table(Decimal("0.1"), Decimal("0.2")), [0.1, 0.2]),
        (table(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8()))), [1, 0]),
        (table(True, False), [1, 0]),
        (table("1e-1", " 2 ", "-.5", "1."), [0.1, 2, -0.5, 1]),
        (table("+.5", "7", "+1E2", "+.5"), [0.5, 7, 100, 0.5]),
        (table(coded(["0.5", "2"], [1, 0, 1])), [2, 0.5, 2]),
        (table(coded([0.5, 2.0], [1, 0, 1])), [2, 0.5, 2]),
        (table(coded(["u", "0.5", "", "2"], [1, 3, 1])), [0.5, 2, 0.5]),
        (table("0,5", "1e1", "-2,25", decimal=","), [0.5, 10, -2.25]),
    ],
)
def test_numbers_of_every_type(given: Table, numbers: list[float]) -> None:
    found = numbers_in(given, "c")
    assert found.tolist() == numbers and found.dtype == np.float64


def test_cells_that_are_no_numbers() -> None:
    remedy = "Remove the row, or fill it in."
    missing = f"x has no value in row 1, column 'c'. {remedy}"
    for given in (table(0.5, None), table("0.5", None), table("1", "", "u"), table("+1", "NA"),
                  table("+1", "nan", "u"), table(True, None)):  # fmt: skip
        assert told(InvalidInput, numbers_in, given, "c") == missing
    nothing = table(None, None, kind=pa.null())
    assert told(InvalidInput, numbers_in, nothing, "c") == missing.replace("row 1", "row 0")
    for value in (np.inf, -np.inf, np.nan):
        assert told(InvalidInput, numbers_in, table(0.5, 1.0, value), "c") == (
            f"x contains {value} in row 2, column 'c'. Expected a finite number. {remedy}"
        )
    assert told(InvalidInput, numbers_in, table("+1", "-inf"), "c").startswith(
        "x contains -inf in row 1, column 'c'. Expected a finite number."
    )
    assert told(InvalidType, numbers_in, table("0.5", "u", "v", "u"), "c") == (
        "x contains 'u' in row 1, column 'c'; expected a number. Remove the row, or correct it."
    )
    dates = table(datetime.date(2020, 1, 1))
    assert told(InvalidType, numbers_in, dates, "c") == (
        f"x: column 'c' has the type date32[day], not numbers. {remedy}"
    )
    assert told(InvalidType, numbers_in, dates, "c", "Do so.").endswith("not numbers. Do so.")
    assert told(InvalidInput, numbers_in, table(0.5, None), "c", "Do so.").endswith("'c'. Do so.")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("70%", "Write it as a plain number, 0.7 or 70."),
        (" 12.5 % ", "Write it as a plain number, 0.125 or 12.5."),
        ("0,7", 'Pass decimal="," where all numbers are written so, or write them with a decimal '
                "point."),
        (" -1,5e3 ", 'Pass decimal="," where all numbers are written so, or write them with a '
                     "decimal point."),
        ("1,2,3", "Remove the row, or correct it."),
        ("x%", "Remove the row, or correct it."),
        ("%", "Remove the row, or correct it."),
        ("70%%", "Remove the row, or correct it."),
        ("1_0", "Remove the row, or correct it."),
    ],
)  # fmt: skip
def test_advice_on_numbers_that_are_written_otherwise(text: str, advice: str) -> None:
    words = told(InvalidType, numbers_in, table("1", text), "c")
    assert words.endswith(f"in row 1, column 'c'; expected a number. {advice}")


def test_points_among_decimal_commas() -> None:
    given = table("0,5", "1", "0.5", "0.7", decimal=",")
    assert told(InvalidType, numbers_in, given, "c") == (
        "x contains '0.5' in row 2, column 'c', a number with a point, but decimal=\",\" is given. "
        "Write all numbers alike."
    )
    assert "'u'" in told(InvalidType, numbers_in, table("0,5", "u", decimal=","), "c")


def test_columns_that_can_hold_scores() -> None:
    for given, numeric in (
        (table(1, 2), True),
        (table(0.5), True),
        (table(Decimal("1.5")), True),
        (table(coded([0.5, 1.0], [0, 1])), True),
        (table(True), False),
        (table("1"), False),
        (table(coded(["1"], [0])), False),
        (table(datetime.date(2020, 1, 1)), False),
        (table(None, kind=pa.null()), False),
    ):
        assert is_numeric(given.columns[0]) is numeric
    found = floats_in(table(0.5, None, 2.0).columns[0])
    np.testing.assert_array_equal(found, [0.5, np.nan, 2.0])


# Groups and names


@pytest.mark.parametrize(
    ("given", "groups"),
    [
        (table("u", "v", "u", "w"), [0, 1, 0, 2]),
        (table(7, 3, 7), [0, 1, 0]),
        (table(0.5, 1.5, 0.5), [0, 1, 0]),
        (table(True, False, True), [0, 1, 0]),
        (table(coded(["u", "v", "u"], [2, 1, 0])), [0, 1, 0]),
        (table(datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)), [0, 1]),
    ],
)
def test_groups_are_numbered(given: Table, groups: list[int]) -> None:
    assert groups_in(given, "c").tolist() == groups


def test_rows_without_a_group() -> None:
    remedy = "Every case needs a group: name it, or leave the groups out."
    for given in (table("u", "v", None, None), table("u", "v", ""), table("u", "v", "NaN", "u"),
                  table(1.0, 2.0, np.nan), table(1, 2, None), table("u", "v", "n/a")):  # fmt: skip
        assert told(InvalidInput, groups_in, given, "c") == (
            f"x has no value in row 2, column 'c'. {remedy}"
        )
    assert told(InvalidType, groups_in, table([1], [2]), "c") == (
        "x: column 'c' has the type list<item: int64>, which cannot name groups. Use strings or "
        "integers."
    )


def test_names_are_text_or_numbers() -> None:
    day = datetime.date(2020, 1, 2)
    for given, names in (
        (table("u", "v", "u"), ["u", "v", "u"]),
        (table(3, 1, 3), [3, 1, 3]),
        (table(3.0, 1.5, -2.0), [3, 1.5, -2]),
        (table(day, day), ["2020-01-02"] * 2),
        (table(coded([day, day], [1, 0])), ["2020-01-02"] * 2),
        (table(coded([2.0, 0.5], [1, 0])), [0.5, 2]),
        (table(True, False), [True, False]),
        (table(coded(["u", "v"], [1, 0, 1])), ["v", "u", "v"]),
        (table(Decimal("1.50"), Decimal("2.00")), ["1.50", "2.00"]),
    ):
        found = ids_in(given, "c", "case")
        assert found.tolist() == names and found.dtype == object
        assert [type(each) for each in found] == [type(each) for each in names]
    assert values_in(table("u", None, "", None), "c", "slice").tolist() == ["u", None, "", None]
    assert values_in(table(1, None, 2), "c", "slice").tolist() == [1, None, 2]


def test_rows_without_a_name() -> None:
    for what in ("case", "fold"):
        for given in (table("u", "v", None), table("u", "v", "", ""), table(1, 2, None)):
            assert told(InvalidInput, ids_in, given, "c", what) == (
                f"x has no value in row 2, column 'c'. Name the {what} of every row, or remove the "
                "row."
            )
        assert told(InvalidType, values_in, table([1], [2]), "c", what) == (
            f"x: column 'c' has the type list<item: int64>, which cannot name a {what}. Use "
            "strings or integers."
        )


@pytest.mark.parametrize(
    ("kind", "far"),
    [(pa.duration("s"), 2**62), (pa.timestamp("s"), 2**40), (pa.date32(), 2**30)],
)
def test_dates_beyond_those_of_python_name_nothing(kind: Any, far: int) -> None:
    """Nor are they labels, as an array or as its encoding."""
    values = pa.array([1, far, 3], pa.int32() if far < 2**31 else pa.int64()).cast(kind)
    assert told(InvalidInput, values_in, table(values), "c", "case") == (
        f"x: column 'c' has a value of the type {kind} that is too large to name a case. Use "
        "strings or integers."
    )
    assert len(values_in(table(values.take([0, 2])), "c", "case")) == 2
    for labels in (values, values.dictionary_encode()):
        with pytest.raises((InvalidInput, InvalidType)):
            hand_till(labels, np.eye(3))


def test_names_that_repeat_are_told_with_both_places() -> None:
    given = table("u", "v", "w", "v", "u", line=lambda row: row + 10)
    assert complete_ids(given, "c") is not None
    words = told(InvalidInput, check_unique, ids_in(given, "c", "case"), "c", given)
    assert words == (
        "x has the case 'v' twice, in row 1 (line 11), column 'c', and row 3 (line 13), column "
        "'c'. Name a column that identifies the cases, or remove one of them."
    )
    check_unique(np.array(["u", "v"], dtype=object), "c", given)
    assert complete_ids(table("u", None), "c") is None
    assert complete_ids(table([1], [2]), "c") is None


def test_rows_of_wanted_cases() -> None:
    ids = np.array(["u", "v", "w"], dtype=object)
    found = place_of_each(np.array(["w", "z", "u"], dtype=object), ids)
    assert found.tolist() == [2, -1, 0] and found.dtype == np.intp
    assert ids[place_of_each(ids[:0], ids)].tolist() == [], "nothing is wanted"


# Tables


def test_columns_by_their_names() -> None:
    array = pa.array([1, 2])
    twice = Table("x", ("a", "b", "a"), (array, array, array))
    assert len(twice) == 2 and len(Table("x", (), ())) == 0
    assert twice.places == {"a": [0, 2], "b": [1]}
    assert twice.column("b") is array
    assert told(InvalidInput, twice.column, "a") == (
        "x: there are 2 columns named 'a'. The columns are 'a', 'b', 'a'."
    )
    many = Table("x", ("score", "age"), (array, array))
    assert told(InvalidInput, many.check_has, ["age", "scores"], " Do so.") == (
        "x: there is no column 'scores'. Did you mean 'score'? The columns are 'score', 'age'. Do "
        "so."
    )
    assert told(InvalidType, many.check_has, ["age", 3]) == ("Columns are named by strings, got 3.")
    many.check_has(["age", "score"])
    assert many.place(4, "age") == "row 4, column 'age'"
    lined = Table("x", ("a",), (array,), lambda row: 2 * row)
    assert lined.place(4, "a") == "row 4 (line 8), column 'a'"


def test_a_table_does_not_show_its_cells() -> None:
    """They may be many, and of patients."""
    assert "Anna" not in repr(table("Anna", "Otto"))


def test_names_as_they_are_written() -> None:
    """Where two of them are the same number."""
    numbers = pa.array([1.1, 1.1, 2.0])

    def names(written: Any, column: Any = numbers) -> list[Any]:
        given = Table(
            "x", ("a", "c"), (column, column), None, lambda place: written if place else None
        )
        found: list[Any] = given.names_in("c").to_pylist()
        return found

    assert names(pa.array(["1.1", "1.10", "2"])) == ["1.1", "1.10", "2"]
    assert names(pa.array(["1.1", "1.1", "2"])) == [1.1, 1.1, 2.0]
    assert names(pa.array(["1.1", "1.10"])) == [1.1, 1.1, 2.0], "of another length"
    assert names(None) == [1.1, 1.1, 2.0]
    holed = pa.array([1.1, 1.1, None])
    assert names(pa.array(["1.1", "1.10", ""]), holed) == [1.1, 1.1, None]


def test_decimal_commas_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("y;p_a;p_b\na;0,25;0,75\nb;0,5;0,5\n")
    found = read_predictions(path, decimal=",")
    assert found.models["x"].tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert read_table(path, decimal=",").decimal == "," and read_table(path).decimal == "."
    with pytest.raises(InvalidType, match='Pass decimal="," where all numbers'):
        read_predictions(path)
    with pytest.raises(InvalidInput, match="decimal"):
        read_predictions(path, decimal="'")


@pytest.mark.parametrize("kind", [pa.decimal128(10, 5), pa.decimal256(40, 20)])
def test_decimals_are_the_nearest_floats(kind: Any) -> None:
    texts = ["0.7", "0.1", "-0.3", "1", "99.99999", "0.00001", "-0.57", "12345.67891"]
    column = pa.array([*map(Decimal, texts), None], kind)
    found = floats_in(column)
    assert found[:-1].tolist() == [float(text) for text in texts]
    assert np.isnan(found[-1])


SIGNALLING = {
    "float64": np.array([0, 0x7FF0000000000001], dtype=np.uint64),
    "float32": np.array([0, 0xFF800005], dtype=np.uint32),
}
"""A nought and a signalling NaN, by their bits."""


@pytest.mark.parametrize("kind", SIGNALLING)
def test_a_signalling_nan_is_no_label_and_no_warning(kind: str) -> None:
    buffer = pa.py_buffer(SIGNALLING[kind].tobytes())
    column = pa.Array.from_buffers(getattr(pa, kind)(), 2, [None, buffer])
    assert np.array_equal(floats_in(column), [0.0, np.nan], equal_nan=True)
    with pytest.raises(InvalidInput, match="Class labels are strings or whole numbers"):
        labels_in(table(column), "c")
