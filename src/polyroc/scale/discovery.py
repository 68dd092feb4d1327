"""Which files there are, and which of their columns hold what."""

import glob
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._storage.paths import is_there
from polyroc.errors import InvalidInput, InvalidType
from polyroc.options import reason_of, shown
from polyroc.predictions._classes import declared_classes, listed
from polyroc.predictions._containers import read_labels
from polyroc.predictions._names import as_label
from polyroc.scale.source import File, Files, Layout, check_no_null, labels_of, pieces
from polyroc.scale.stamps import stamp_of
from polyroc.typing import Label, LabelsLike
from polyroc.width import LONGEST_LIST, check_width, is_too_wide, too_wide

if TYPE_CHECKING:
    import pyarrow as pa

PathLike = str | os.PathLike[str]
PathsLike = PathLike | Iterable[PathLike]
ColumnsLike = Sequence[str] | Mapping[Any, str]
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
        check_width(len(dataset.schema.names), found[0])  # names that are no text are known now
    except InvalidInput:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        if is_too_wide(error):
            raise too_wide(found[0] if len(found) == 1 else "One of the files") from None
        raise InvalidInput(f"{reason_of(error)}. Pass Parquet files of one schema.") from None
    if not files:
        raise InvalidInput(f"There are no Parquet files in {folder!r}. Pass another path.")
    return Files(files, dataset.schema)


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
    if not isinstance(paths, Iterable):
        raise InvalidType(f"path must be a path, a pattern or several, got {shown(paths)}.")
    found = [name for path in paths for name in _expanded(path)]
    if not found:
        raise InvalidInput("There are no files: the list of paths is empty. Pass at least one.")
    return found


def _expanded(path: PathLike) -> list[str]:
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidType(f"path must be a path, a pattern or several, got {shown(path)}.")
    name = os.path.expanduser(os.fspath(path))  # noqa: PTH111  (patterns are not paths)
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


def layout_of(
    names: list[str],
    find_labels: FindLabels,
    target: str,
    classes: LabelsLike | None,
    columns: ColumnsLike | None,
    weight: str | None,
) -> Layout:
    """The columns of the scores: as given, else those named after the classes.

    ``find_labels`` looks through the column of labels, if it has to be.
    """
    _check_present([target, *([] if weight is None else [weight])], names)
    if isinstance(columns, Mapping):
        if classes is not None:
            raise InvalidInput("columns= names the classes already. Leave classes= out.")
        classes, columns = list(columns), list(columns.values())
    if columns is not None:
        columns = _column_list(columns)
        _check_present(columns, names)
        return _layout_by_columns(find_labels, target, classes, columns, weight)
    labels = _distinct(find_labels, target) if classes is None else _classes(classes)
    candidates = [name for name in names if name not in (target, weight)]
    return Layout(target, tuple(labels), _named_after(labels, candidates), weight)


def _check_present(wanted: Sequence[str], names: list[str]) -> None:
    for name in wanted:
        if not isinstance(name, str):
            raise InvalidType(f"Columns are named by strings, got {shown(name)}.")
        if names.count(name) != 1:
            number = "no column" if name not in names else "more than one column"
            raise InvalidInput(f"There is {number} {shown(name)}. The columns are {listed(names)}.")


def _column_list(columns: Any) -> list[str]:
    try:
        found = None if isinstance(columns, str) else list(columns)
    except Exception:  # no sequence, or one that cannot be gone through
        found = None
    if found is None:
        raise InvalidType(
            f"columns must be names of columns, or a mapping by class, got {shown(columns)}."
        )
    return found


def _classes(classes: LabelsLike) -> list[Label]:
    listed_classes = read_labels(classes, "classes")[0].tolist()
    nobody: Any = np.empty(0, dtype=np.int64)
    return list(declared_classes(listed_classes, None, None, nobody, len(listed_classes)).classes)


def _layout_by_columns(
    find_labels: FindLabels,
    target: str,
    classes: LabelsLike | None,
    columns: list[str],
    weight: str | None,
) -> Layout:
    if classes is not None:
        labels = _classes(classes)
    elif len(columns) == 1:
        labels = _distinct(find_labels, target)
    else:
        labels = _named_by_columns(_distinct(find_labels, target), columns)
    if len(labels) != len(columns) and not (len(columns) == 1 and len(labels) == 2):
        raise InvalidInput(
            f"There are {len(columns)} columns for the {len(labels)} classes {listed(labels)}. "
            "Name one column per class."
        )
    return Layout(target, tuple(labels), tuple(columns), weight)


def _named_by_columns(labels: list[Label], columns: list[str]) -> list[Label]:
    """The classes in the order of their columns, where the columns are named after them."""
    try:
        order = dict(zip(_named_after(labels, columns), labels, strict=True))
    except InvalidInput:
        raise InvalidInput(
            f"The columns {listed(columns)} do not say which classes among {listed(labels)} they "
            "belong to. Name them in the order of the columns in classes=."
        ) from None
    return [order[name] for name in columns if name in order]


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
            f"Column {shown(target)} holds {listed(found) or 'nothing'}, and at least two classes "
            "are needed. Check the column, or name all classes in classes=."
        )
    return sorted(found, key=lambda label: (isinstance(label, str), label))


def _named_after(labels: Sequence[Label], names: Sequence[str]) -> tuple[str, ...]:
    """The column of each class: named as the class, or so with one beginning for all of them."""
    spelled = [str(as_label(label)) for label in labels]
    beginnings = dict.fromkeys(
        name.removesuffix(spelled[0]) for name in names if name.endswith(spelled[0])
    )
    fitting = [start for start in beginnings if all(start + label in names for label in spelled)]
    if "" in fitting:
        fitting = [""]
    if len(fitting) == 1:
        return tuple(fitting[0] + label for label in spelled)
    if not fitting:
        raise InvalidInput(
            f"There are no columns named after the classes {listed(labels)}; the other columns "
            f"are {listed(names)}. Name the columns of the scores in columns=."
        )
    raise InvalidInput(
        f"Several sets of columns are named after the classes, beginning with {listed(fitting)}. "
        "Name the columns of the scores in columns=."
    )
