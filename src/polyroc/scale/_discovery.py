"""Which files there are, and which of their columns hold what."""

import glob
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from polyroc._base.checks import did_you_mean, reason_of, shown
from polyroc._base.table_size import LONGEST_LIST, check_column_count, is_too_wide, too_wide
from polyroc._storage.paths import is_there
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import declared_classes, in_order, listed
from polyroc.predictions._containers import as_float64, read_labels
from polyroc.predictions._names import of_the_kind
from polyroc.predictions._score_columns import (
    ColumnsLike,
    ScoreColumns,
    Search,
    found_scores,
    named_scores,
)
from polyroc.scale._source import File, Files, Layout, check_no_null, labels_of, pieces
from polyroc.scale._stamps import stamp_of
from polyroc.typing import Float64Array, Label, LabelsLike

if TYPE_CHECKING:
    import pyarrow as pa

PathLike = str | os.PathLike[str]
PathsLike = PathLike | Iterable[PathLike]
FindLabels = Callable[[str], set[Label]]


def find_files(paths: PathsLike) -> Files:
    """The files of a path, a pattern, a folder (``key=value`` folders are columns) or several."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    found = _found(paths)
    folder = found[0] if len(found) == 1 and Path(found[0]).is_dir() else None
    try:
        kind = ds.ParquetFileFormat(thrift_container_size_limit=LONGEST_LIST)
        dataset = ds.dataset(folder or _files(found), format=kind, partitioning="hive")
        files = tuple(map(_file, dataset.get_fragments()))
        check_column_count(len(dataset.schema.names), found[0])
    except InvalidInput:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        if is_too_wide(error):
            raise too_wide(found[0] if len(found) == 1 else "One of the files") from None
        reason = next(map(_foreign, filter(_is_foreign, found)), reason_of(error))
        raise InvalidInput(f"{reason}. Pass Parquet files of one schema.") from None
    if not files:
        raise InvalidInput(f"There are no Parquet files in {folder!r}. Pass another path.")
    return Files(files, dataset.schema)


def _is_foreign(name: str) -> bool:
    """Whether a file is of another kind, by how it begins."""
    path = Path(name)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) not in (b"PAR1", b"PARE")


def _foreign(name: str) -> str:
    return f"{shown(name)} is not a Parquet file, the only kind that is read in pieces"


def _file(fragment: Any) -> File:
    """A file by what its footer says, which is read once."""
    from pyarrow.dataset import get_partition_keys

    stamp = stamp_of(fragment.path)
    groups = tuple(group.num_rows for group in fragment.row_groups)
    keys = get_partition_keys(fragment.partition_expression)
    return File(fragment.path, sum(groups), keys, groups, stamp=stamp)


def _found(paths: PathsLike) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if not isinstance(paths, Iterable) or getattr(paths, "ndim", 1) == 0:
        raise InvalidType(f"path must be a path, a pattern or several, got {shown(paths)}.")
    found = [name for path in paths for name in _expanded(path)]
    if not found:
        raise InvalidInput("There are no files: the list of paths is empty. Pass at least one.")
    return found


def _expanded(path: PathLike) -> list[str]:
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidType(f"path must be a path, a pattern or several, got {shown(path)}.")
    name = os.path.expanduser(os.fspath(path))  # noqa: PTH111  (patterns are not paths)
    if not name:  # "." is the folder that this would mean
        raise InvalidInput("A path is empty. Pass a file, a folder or a pattern.")
    matches = [name] if is_there(Path(name)) else sorted(glob.glob(name, recursive=True))  # noqa: PTH207
    if not matches:
        raise InvalidInput(
            f"There is no file or folder {shown(name)}. Check the path or the pattern."
        )
    return matches


def _files(found: list[str]) -> list[str]:
    """Files in order; those of a folder by name."""
    files: list[str] = []
    for name in found:
        inside = sorted(map(str, Path(name).rglob("*.parquet"))) if Path(name).is_dir() else [name]
        files.extend(inside)
    return files


class Survey(Protocol):
    """What must be known of a table before its columns are."""

    @property
    def names(self) -> list[str]:
        """Names of all columns."""

    def labels(self, target: str) -> set[Label]:
        """The labels that occur: a pass over their column."""

    def has_numbers(self, target: str) -> bool:
        """Whether labels are numbers, by the type of their column."""

    def first_rows(self, names: list[str]) -> "pa.RecordBatch | None":
        """Some columns of some rows; None if there are none."""


@dataclass(frozen=True)
class FilesSurvey:
    """What Parquet files say of themselves."""

    files: Files

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        return list(self.files.schema.names)

    def labels(self, target: str) -> set[Label]:
        """The labels that occur."""
        return labels_in(self.files, target)

    def has_numbers(self, target: str) -> bool:
        """Whether labels are numbers."""
        import pyarrow.types as types

        kind = self.files.schema.field(target).type
        return bool(types.is_integer(kind) or types.is_floating(kind))

    def first_rows(self, names: list[str]) -> "pa.RecordBatch | None":
        """The first batch of rows."""
        return next((piece.records for piece in pieces(self.files, names)), None)


def layout_of(
    survey: Survey,
    target: str,
    classes: LabelsLike | None,
    columns: ColumnsLike | None,
    weight: str | None,
) -> Layout:
    """The columns of the scores: as given, else those named after the classes.

    Columns are found by the rules for files in memory, in the sorted order of the classes.
    """
    _check_present([target, *([] if weight is None else [weight])], survey.names)
    given = _given_classes(survey, target, classes, columns)
    occurring = tuple(_distinct(survey.labels, target)) if given is None else given
    candidates = tuple(name for name in survey.names if name not in (target, weight))
    search = Search(
        candidates,
        occurring,
        given,
        lambda names: _numbers(survey, names),
        lambda names: _check_present(names, survey.names),
        asked="classes=",
    )
    if columns is not None:
        named = named_scores(search, columns)
        (chosen,) = named.models.values()
        return Layout(target, named.labels, chosen, weight)
    found = found_scores(search)
    if len(found.models) > 1:
        raise InvalidInput(
            f"There are the models {listed(found.models)}. Name the columns of one of them in "
            "columns=."
        )
    _check_present([name for names in found.models.values() for name in names], survey.names)
    return _sorted_layout(target, found, given, weight)


def _sorted_layout(
    target: str, found: ScoreColumns, given: tuple[Label, ...] | None, weight: str | None
) -> Layout:
    """The classes as given or in sorted order; one column belongs to the second."""
    (columns,) = found.models.values()
    if given is not None or len(columns) == 1:
        return Layout(target, found.labels, columns, weight)
    labels = tuple(in_order(found.labels))
    return Layout(target, labels, tuple(columns[found.labels.index(k)] for k in labels), weight)


def _given_classes(
    survey: Survey, target: str, classes: LabelsLike | None, columns: ColumnsLike | None
) -> tuple[Label, ...] | None:
    """The classes that options name, as labels of the kind that the column has: "1" as 1."""
    if isinstance(columns, Mapping):
        if classes is not None:
            raise InvalidInput("columns= names the classes already. Leave classes= out.")
        classes = list(columns)
    if classes is None:
        return None
    given = _classes(classes)
    if not survey.has_numbers(target):
        return tuple(given)
    return tuple(of_the_kind(label, (0,)) for label in given)


def _numbers(survey: Survey, names: Sequence[str]) -> dict[str, Float64Array]:
    """Columns of numbers among some, each there once, in the first rows; NaN for none."""
    once = [name for name in names if survey.names.count(name) == 1 and survey.has_numbers(name)]
    records = survey.first_rows(once) if once else None
    if records is None:
        return {}
    return {
        name: as_float64(records.column(name).to_numpy(zero_copy_only=False), copy=True)
        for name in once
    }


def _check_present(wanted: Sequence[str], names: list[str]) -> None:
    for name in wanted:
        if not isinstance(name, str):
            raise InvalidType(f"Columns are named by strings, got {shown(name)}.")
        if names.count(name) != 1:
            number = "no column" if name not in names else "more than one column"
            hint = "" if name in names else did_you_mean(name, names)
            raise InvalidInput(
                f"There is {number} {shown(name)}.{hint} The columns are {listed(names)}."
            )


def _classes(classes: LabelsLike) -> list[Label]:
    listed_classes = read_labels(classes, "classes")[0].tolist()
    nobody: Any = np.empty(0, dtype=np.int64)
    return list(declared_classes(listed_classes, None, None, nobody, len(listed_classes)).classes)


def labels_in(files: Files, target: str) -> set[Label]:
    """The labels that occur. One pass over their column."""
    found: set[Label] = set()
    for piece in pieces(files, [target]):
        found |= distinct_labels(piece.records.column(target), target, piece.row, piece.path)
    return found


def distinct_labels(column: "pa.Array", target: str, row: int, path: str) -> set[Label]:
    """The labels in a column of a batch."""
    check_no_null(column, target, row, path)
    return set(labels_of(column.unique(), target).tolist())


def _distinct(find_labels: FindLabels, target: str) -> list[Label]:
    """The labels that occur, in order."""
    found = find_labels(target)
    if len(found) < 2:
        raise InvalidInput(
            f"Column {shown(target)} contains {listed(found) or 'nothing'}, and at least two "
            "classes are needed. Check the column, or name all classes in classes=."
        )
    return in_order(found)
