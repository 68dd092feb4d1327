"""Parquet files as a stream of checked batches, with memory that does not grow with them.

A :class:`Layout` says which column holds what. It is small and can be sent to other processes;
:func:`read_record_batch` and :func:`summarise` are plain functions of an Arrow record batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import harmless, reason_of, shown
from polyroc._storage.limits import GROWTH, check_size
from polyroc._storage.parquet_pages import LARGEST_PAGE, unpacked_at_once
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import Declared, encode, listed, positions
from polyroc.predictions._containers import read_labels
from polyroc.scale._batch import CHUNK, Batch, Track, weighted_batch
from polyroc.scale._stamps import Stamp, check_same
from polyroc.scale._summary import PairSummary
from polyroc.typing import FloatArray, IntArray, Label

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

BYTES_PER_BATCH = 1 << 26
MOST_ROWS = CHUNK

BUFFER = 1 << 20
"""Bytes of a column that are read from a file at once."""


@dataclass(frozen=True)
class Layout:
    """Which columns of a table hold the labels, the scores of each class and the weights."""

    target: str
    classes: tuple[Label, ...]
    columns: tuple[str, ...]
    weight: str | None = None

    @property
    def declared(self) -> Declared:
        """The classes as labels are encoded by them."""
        return Declared(self.classes, tuple(range(len(self.classes))))

    def needed_by(self, tracks: Iterable[Track]) -> list[int]:
        """Positions of the columns that some tracks are computed from."""
        last = len(self.columns) - 1  # one column may stand for two classes
        return sorted({min(k, last) for track in tracks for k in track.needs})

    def names(self, needed: Sequence[int] | None = None) -> list[str]:
        """Columns to read for the scores of some classes, or of all."""
        scores = self.columns if needed is None else [self.columns[k] for k in needed]
        weight = [] if self.weight is None else [self.weight]
        return list(dict.fromkeys([self.target, *scores, *weight]))


class File(NamedTuple):
    """A Parquet file or some of its row groups, and the columns that its folders stand for."""

    path: str
    n_rows: int
    keys: dict[str, Any]
    groups: tuple[int, ...]
    """Rows of each of its row groups."""
    row_groups: tuple[int, ...] | None = None
    """Which groups these are, None for all."""
    row: int = 0
    """Position of the first row in the file."""
    stamp: Stamp | None = None
    """What the file was like when its rows were counted."""


@dataclass(frozen=True)
class Files:
    """Parquet files of one table, or a range of its rows."""

    files: tuple[File, ...]
    schema: "pa.Schema"
    first: int = 0
    """Position of the first row among all rows."""

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(file.n_rows for file in self.files)

    def ranges(self, n_rows: int) -> "list[Files]":
        """The same in ranges of about so many rows; a row group is never divided."""
        ranges: list[Files] = []
        first, gathered = self.first, list[File]()
        for part in (part for file in self.files for part in _parts(file, n_rows)):
            gathered.append(part)
            number = sum(each.n_rows for each in gathered)
            if number >= n_rows:
                ranges.append(Files(tuple(gathered), self.schema, first))
                first, gathered = first + number, []
        return [*ranges, Files(tuple(gathered), self.schema, first)] if gathered else ranges


def _parts(file: File, n_rows: int) -> Iterator[File]:
    """A file in runs of row groups with about so many rows."""
    row, chosen = 0, list[int]()
    for group in range(len(file.groups)):
        chosen.append(group)
        number = sum(file.groups[each] for each in chosen)
        if number >= n_rows or group == len(file.groups) - 1:
            sizes = tuple(file.groups[each] for each in chosen)
            yield file._replace(n_rows=number, groups=sizes, row_groups=tuple(chosen), row=row)
            row, chosen = row + number, []


class Piece(NamedTuple):
    """A record batch of a file."""

    records: "pa.RecordBatch"
    path: str
    row: int
    """Position of its first row in the file."""
    first: int
    """Position of its first row among all rows."""


def pieces(files: Files, columns: list[str]) -> Iterator[Piece]:
    """Batches of all files in order.

    Columns are read through small buffers, so memory does not grow with the size of row groups.
    """
    first = files.first
    for file in files.files:
        for row, records in _batches(file, files.schema, columns):
            yield Piece(records, file.path, file.row + row, first + row)
        first += file.n_rows


def _batches(
    file: File, schema: "pa.Schema", columns: list[str]
) -> Iterator[tuple[int, "pa.RecordBatch"]]:
    import pyarrow as pa

    stored = [name for name in columns if name not in file.keys]
    texts = [name for name in stored if _is_text(schema.field(name).type)]
    n_rows = min(MOST_ROWS, max(1, BYTES_PER_BATCH // (8 * max(1, len(stored)))))
    row = 0
    try:
        check_same(file.path, file.stamp)
        with _opened(file.path, texts) as reader:
            _check_columns(stored, reader.schema_arrow.names, file.path)
            for records in reader.iter_batches(n_rows, file.row_groups, stored):
                records.validate(full=True)  # Arrow believes a broken file otherwise
                yield row, _with_keys(records, file, schema, columns)
                row += records.num_rows
        check_same(file.path, file.stamp)
    except InvalidInput:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(
            f"{file.path} cannot be read from row {file.row + row} on ({reason_of(error)}). "
            "Write it again."
        ) from None


def _opened(path: str, texts: list[str]) -> "ParquetFile":
    """A file that is read through small buffers, or a small one as a whole.

    Arrow sets aside what the header of a page announces, up to 2 GiB: more than a small file may
    become. Compressed pages of a file in memory need no room of their own, and what unpacking takes
    is known before.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    size = Path(path).stat().st_size
    if GROWTH * size >= LARGEST_PAGE:
        return ParquetFile(path, pre_buffer=False, buffer_size=BUFFER, read_dictionary=texts)
    content = Path(path).read_bytes()
    check_size(unpacked_at_once(content), size, path)
    return ParquetFile(pa.BufferReader(content), pre_buffer=False, read_dictionary=texts)


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _check_columns(wanted: list[str], names: list[str], path: str) -> None:
    missing = [name for name in wanted if name not in names]
    if missing:
        raise InvalidInput(
            f"{path} has no column {listed(missing)}; its columns are {listed(names)}. "
            "Pass files of one schema."
        )


def _with_keys(
    records: "pa.RecordBatch", file: File, schema: "pa.Schema", columns: list[str]
) -> "pa.RecordBatch":
    import pyarrow as pa

    for name in columns:
        if name in file.keys:
            value = pa.scalar(file.keys[name], schema.field(name).type)
            records = records.append_column(name, pa.repeat(value, records.num_rows))
    return records


def read_record_batch(
    records: "pa.RecordBatch",
    layout: Layout,
    needed: Sequence[int] | None = None,
    row: int = 0,
    path: str = "",
) -> Batch:
    """A checked batch; columns of scores that are not needed stay empty."""
    place = _Place(path, row)
    codes = _codes(records.column(layout.target), layout, place)
    wanted = range(len(layout.columns)) if needed is None else needed
    columns: list[FloatArray] = [np.empty(0)] * len(layout.columns)
    for k in wanted:
        columns[k] = _scores(records.column(layout.columns[k]), layout.columns[k], place)
    if layout.weight is None:
        return Batch(codes, columns)
    weights = _scores(records.column(layout.weight), layout.weight, place).astype(np.float64)
    try:
        return weighted_batch(codes, columns, weights)
    except InvalidInput as error:
        raise InvalidInput(f"{place.prefix(layout.weight)}: {error}") from None


def summarise(
    records: "pa.RecordBatch", layout: Layout, first: int = 0, **options: Any
) -> PairSummary:
    """A summary of one record batch, to be merged with others; options as of PairSummary.

    >>> import pyarrow as pa
    >>> records = pa.record_batch({"y": ["a", "b"], "a": [0.9, 0.2], "b": [0.1, 0.8]})
    >>> summarise(records, Layout("y", ("a", "b"), ("a", "b")))
    PairSummary(2 cases, 2 classes)
    """
    batch = read_record_batch(records, layout)
    return PairSummary(list(layout.classes), **options).update_batch(batch, first)


class _Place(NamedTuple):
    """Where a batch begins, for messages."""

    path: str
    row: int

    def of(self, row: int) -> str:
        return f"row {self.row + row}" + (f" of {self.path}" if self.path else "")

    def prefix(self, column: str) -> str:
        where = f" of {self.path}" if self.path else ""
        return f"In column {shown(column)}{where}, rows from {self.row} on"


def _scores(array: "pa.Array", name: str, place: _Place) -> FloatArray:
    """A column of numbers as float32 or float64, all finite."""
    import pyarrow.types as types

    if not (types.is_floating(array.type) or types.is_integer(array.type)):
        raise InvalidType(
            f"Column {shown(name)} has the type {harmless(str(array.type))}; expected numbers. "
            "Name the columns of scores in columns=."
        )
    if array.null_count:
        row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
        raise InvalidInput(
            f"Column {shown(name)} is null in {place.of(row)}. "
            "Remove the case, or fill in its value."
        )
    values = array.to_numpy(zero_copy_only=False)
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    elif values.dtype.kind != "f":
        values = values.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise InvalidInput(
            f"Column {shown(name)} contains {values[row]} in {place.of(row)}. "
            "Scores must be finite numbers: remove the case or correct its scores."
        )
    numbers: FloatArray = values
    return numbers


def _codes(array: "pa.Array", layout: Layout, place: _Place) -> IntArray:
    """Positions of the labels among the classes."""
    import pyarrow.types as types

    check_no_null(array, layout.target, place.row, place.path)
    if not (types.is_integer(array.type) or types.is_boolean(array.type)):
        return _codes_by_dictionary(array, layout, place)
    labels = array.to_numpy(zero_copy_only=False)
    try:
        return encode(labels, layout.declared)
    except InvalidInput:
        known = set(layout.classes)
        row = next(row for row, label in enumerate(labels.tolist()) if label not in known)
        raise _stray(labels[row : row + 1].tolist()[0], row, layout, place) from None


def _codes_by_dictionary(array: "pa.Array", layout: Layout, place: _Place) -> IntArray:
    """Each distinct label is looked up once."""
    import pyarrow.types as types

    if not types.is_dictionary(array.type):
        array = array.dictionary_encode()
    indices: NDArray[Any] = array.indices.to_numpy(zero_copy_only=False)
    labels = labels_of(array.dictionary, layout.target).tolist()
    position = positions(layout.classes)
    unknown = len(layout.classes)
    table = np.array([position.get(label, unknown) for label in labels])
    codes: IntArray = table.astype(np.min_scalar_type(unknown))[indices]
    strays = np.flatnonzero(codes == unknown)
    if strays.size:
        row = int(strays[0])
        raise _stray(labels[int(indices[row])], row, layout, place)
    return codes


def labels_of(array: "pa.Array", target: str) -> NDArray[Any]:
    """Arrow values as labels."""
    return read_labels(array.to_pylist(), target)[0]


def check_label_type(kind: Any, target: str) -> None:
    """Whether a column of this type can hold labels."""
    import pyarrow.types as types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    view = getattr(types, "is_string_view", types.is_string)
    for fits in (types.is_integer, types.is_boolean, types.is_floating, types.is_string, view):
        if fits(plain):
            return
    if not (types.is_large_string(plain) or types.is_decimal(plain) or types.is_null(plain)):
        raise InvalidType(
            f"Column {shown(target)} has the type {harmless(str(kind))}. Class labels are strings, "
            "integers or booleans."
        )


def check_no_null(array: "pa.Array", target: str, row: int, path: str) -> None:
    """Whether every case has a label, of a type that labels have."""
    check_label_type(array.type, target)
    if array.null_count:
        missing = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
        raise InvalidInput(
            f"Column {shown(target)} is null in {_Place(path, row).of(missing)}. "
            "Remove the row, or give it its true class."
        )


def _stray(label: Label, row: int, layout: Layout, place: _Place) -> InvalidInput:
    return InvalidInput(
        f"Column {shown(layout.target)} has the label {shown(label)} in {place.of(row)}, which is "
        f"not among the classes {listed(layout.classes)}. Correct the label, or name all classes."
    )
