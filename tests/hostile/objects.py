"""Python objects that nobody should pass as labels, scores or options, and some that one may."""

import datetime
import decimal
import fractions
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, True, False, 0.5, 1.0, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"),
    -float("inf"), 2**31, 2**53 + 1, 2**63, 2**64, 10**30, -(10**30), 10**400, 1j, 0j,
    np.float16(0.5), np.float32(0.1), np.longdouble("1e4000"), np.int8(-1), np.uint64(2**64 - 1),
    np.bool_(True), np.complex64(1j), decimal.Decimal("0.1"), decimal.Decimal("sNaN"),
    decimal.Decimal("1e999999"), fractions.Fraction(1, 3), fractions.Fraction(10**400, 1),
)  # fmt: skip
WORDS: tuple[Any, ...] = (
    "", "a", "b", "c", "0", "1", "1.0", "nan", "NaN", "None", " ", "\n", "\0", "\x1b[31m", "\u202e",
    "\u2028", "\ud800", "é", "😀", "a" * 5000, "9" * 5000, "<b>", b"", b"a", b"\xff",
    bytearray(b"a"),
)  # fmt: skip


class Raises:
    """An object whose every method fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equality")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")

    def __float__(self) -> float:
        raise RuntimeError("no number")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")


class Endless:
    """A sequence that says it is long."""

    def __len__(self) -> int:
        return 10**15

    def __getitem__(self, index: Any) -> float:
        raise IndexError(index)


class Unlike(str):
    """A word that equals nothing, itself included."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 1


class Promising:
    """An object that pretends to be an array."""

    dtype, shape, ndim = np.dtype(float), (2, 2), 2

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise MemoryError("no array")


def nested(depth: int) -> list[Any]:
    """A list in a list in a list …"""
    inside: list[Any] = []
    for _ in range(depth):
        inside = [inside]
    return inside


def within() -> list[Any]:
    """A list that holds itself."""
    own: list[Any] = []
    own.append(own)
    return own


def generator() -> Iterator[int]:
    """Numbers one at a time."""
    yield from (0, 1, 2)


MAKERS: tuple[Callable[[], Any], ...] = (
    Raises, Endless, Promising, object, generator, within, dict, set, list, tuple,
    lambda: Unlike("a"), lambda: nested(50), lambda: nested(20_000), lambda: None, lambda: ...,
    lambda: 10**5000, lambda: NotImplemented, lambda: int, lambda: print, lambda: range(3),
    lambda: range(10**12),
    lambda: pd.NA, lambda: pd.NaT, lambda: np.ma.masked, lambda: np.datetime64("NaT", "D"),
    lambda: datetime.date(2020, 1, 1), lambda: datetime.timedelta(1), lambda: memoryview(b"ab"),
    lambda: np.zeros(()), lambda: np.zeros((0,)), lambda: np.zeros((0, 3)),
    lambda: np.zeros((3, 0)), lambda: np.zeros((2, 2, 2)),
    lambda: np.broadcast_to(0.5, (10**3, 10**4)),
    lambda: np.zeros(3, dtype=[("a", float), ("b", "U2")]), lambda: np.zeros(3, dtype="V8"),
    lambda: np.array(["a", None, 1.5], dtype=object), lambda: np.array([[1], [1, 2]], dtype=object),
    lambda: np.ma.array([0, 1, 2], mask=[0, 1, 0]), lambda: np.ma.array([[1.0, 2.0]], mask=True),
    lambda: np.array(["2020-01-01", "NaT"], dtype="M8[D]"), lambda: np.array([1j, 2]),
    lambda: np.eye(2).view(np.matrix), lambda: np.recarray(2, dtype=[("x", float)]),
    lambda: np.array([1, 2, 3], dtype=">i4"), lambda: np.array([0.1, 0.2], dtype=">f2"),
    lambda: np.array(["a", "b"], dtype=np.dtypes.StringDType()),
    lambda: np.arange(6.0)[::-2], lambda: np.asfortranarray(np.eye(3)), lambda: np.eye(3)[:, ::-1],
    lambda: pd.Series([1, None, 3], dtype="Int64"), lambda: pd.Series(["a", None, "b"]),
    lambda: pd.Series(["a", "b", "a"], dtype="category"), lambda: pd.Series([], dtype=float),
    lambda: pd.Categorical(["a", None, "b"], categories=["b", "a"]),
    lambda: pd.Series([0, 1, 0], index=[5, 5, 5]), lambda: pd.Index(["a", "b"]),
    lambda: pd.DataFrame(np.eye(2), columns=["a", "a"]), lambda: pd.DataFrame({"a": ["x", 1]}),
    lambda: pd.DataFrame(np.eye(2), columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
    lambda: pd.DataFrame({"a": [0.5, 0.2], "b": [0.5, 0.8]}), lambda: pd.DataFrame(),
    lambda: pd.DataFrame({"a": [[1], [2]], "b": [{}, set()]}),
    lambda: pd.DataFrame({10**5000: [0.5, 0.2], "9" * 5000: [0.5, 0.8]}),
    lambda: pd.DataFrame({"a": pd.array([1, None], dtype="Int8"), "b": [0.5, 0.5]}),
    lambda: pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0]), "b": [1.0, 0.0]}),
    lambda: pd.date_range("2020", periods=3), lambda: pd.interval_range(0, 3),
    lambda: pl.DataFrame({"a": [0.5, 0.2], "b": [0.5, 0.8]}), lambda: pl.Series(["a", None]),
    lambda: pl.Series(["a", "b"], dtype=pl.Categorical), lambda: pl.Series([[1], [2]]),
    lambda: pl.DataFrame({"a": [None, None]}), lambda: pl.LazyFrame({"a": [1]}),
)  # fmt: skip


def _arrow() -> Any:
    import pyarrow as pa

    return pa.table({"a": [0.5, 0.2], "b": [0.5, 0.8]})


def _sparse() -> Any:
    from scipy import sparse

    return sparse.eye_array(3).tocsr()


def _object_array(values: list[Any]) -> Any:
    made = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        made[place] = value
    return made


scalars = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(WORDS),
    st.builds(lambda make: make(), st.sampled_from([*MAKERS, _arrow, _sparse])),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.datetimes(),
    st.complex_numbers(),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.lists(inner, max_size=5).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=2), st.integers()), inner, max_size=3),
        st.lists(inner, min_size=1, max_size=4).map(_object_array),
    ),
    max_leaves=12,
)
tables = arrays.arrays(
    dtype=st.one_of(
        arrays.boolean_dtypes(),
        arrays.integer_dtypes(endianness="?"),
        arrays.floating_dtypes(endianness="?"),
        arrays.complex_number_dtypes(),
        arrays.unicode_string_dtypes(max_len=2),
        arrays.byte_string_dtypes(max_len=2),
        arrays.datetime64_dtypes(),
        arrays.timedelta64_dtypes(),
    ),
    shape=arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)


labels = st.one_of(
    st.lists(st.sampled_from([*"abc"]), min_size=2, max_size=8),
    st.lists(st.integers(0, 2), min_size=2, max_size=8).map(np.array),
    st.lists(scalars, max_size=8),
    tables,
    anything,
)
scores = st.one_of(
    st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=8),
    st.lists(st.lists(scalars, min_size=2, max_size=3), max_size=8),
    st.lists(scalars, max_size=8),
    tables,
    anything,
)
