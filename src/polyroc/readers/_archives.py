"""NPZ files: arrays of one dimension are columns, those of two are scores of a model."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._base.table_size import check_column_count
from polyroc._storage.npz import HoldsObjects, NoArray, Unreadable, read_archive
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import classes_of, listed
from polyroc.predictions._containers import as_float64
from polyroc.predictions._score_columns import is_named
from polyroc.readers._names import LABEL_ARRAYS, target_among
from polyroc.readers._table import Table, unreadable

Arrays = Mapping[str, NDArray[Any]]


def read_npz(content: bytes, path: str, target: str | None = None) -> Table:
    """Columns of an NPZ file; objects are not unpickled."""
    arrays = _arrays(content, path)
    blocks = {name: array for name, array in arrays.items() if array.ndim == 2}
    flat = {name: array for name, array in arrays.items() if array.ndim == 1}
    if not flat:
        raise InvalidInput(f"{path} has no array of labels. Save one, such as y_true=….")
    check_column_count(len(flat) + sum(block.shape[1] for block in blocks.values()), path)
    labels = _class_names(flat, blocks, target, path)
    columns = {name: array for name, array in flat.items() if array is not labels}
    if blocks:
        columns |= _scores(blocks, columns, labels, target, path)
    _check_lengths(columns, path)
    arrow = tuple(_arrow(name, array, path) for name, array in columns.items())
    return Table(path, tuple(columns), arrow)


def _arrays(content: bytes, path: str) -> dict[str, NDArray[Any]]:
    try:
        arrays = read_archive(io.BytesIO(content), len(content), path)
    except HoldsObjects:
        raise InvalidInput(
            f"{path} contains Python objects, which polyroc does not load because loading can run "
            "code. Save labels as strings or integers, such as y.astype(str)."
        ) from None
    except NoArray as error:
        raise InvalidInput(
            f"{path} is a zip archive but not an NPZ file ({error}). "
            "Save the table as CSV (UTF-8), Parquet or NPZ."
        ) from None
    except Unreadable as error:
        raise unreadable(path, "an NPZ file", error) from None
    if not arrays:
        raise InvalidInput(f"{path} contains no arrays.")
    return arrays


def _class_names(
    flat: Arrays, blocks: Arrays, target: str | None, path: str
) -> NDArray[Any] | None:
    """The array that names the columns of the tables: named so, and as long as they are wide."""
    widths = {block.shape[1] for block in blocks.values()}
    found = [
        name
        for name, array in flat.items()
        if name != target and is_named(name, LABEL_ARRAYS) and len(array) in widths
    ]
    if len(found) > 1:
        raise InvalidInput(f"{path} has several arrays of class names: {listed(found)}.")
    return flat[found[0]] if found else None


def _scores(
    blocks: Arrays,
    flat: Arrays,
    labels: NDArray[Any] | None,
    target: str | None,
    path: str,
) -> dict[str, NDArray[Any]]:
    """The columns of the tables of scores, each named ``table:class``."""
    names = classes_of(_target(flat, target, path)) if labels is None else tuple(labels.tolist())
    columns: dict[str, NDArray[Any]] = {}
    for block, scores in blocks.items():
        if scores.shape[1] != len(names):
            known = "the labels that occur" if labels is None else "labels"
            raise InvalidInput(
                f"{path}: the array {shown(block)} has {scores.shape[1]} columns for the "
                f"{len(names)} classes of {known}. Save the classes in order as labels=…."
            )
        columns |= {f"{block}:{name}": scores[:, k] for k, name in enumerate(names)}
    return columns


def _target(flat: Arrays, target: str | None, path: str) -> NDArray[Any]:
    name = target_among(tuple(flat), target, path)
    if name not in flat:
        raise InvalidInput(
            f"{path}: there is no array {shown(name)} of labels among {listed(flat)}."
        )
    return flat[name]


def _check_lengths(columns: Arrays, path: str) -> None:
    lengths = {len(array) for array in columns.values()}
    if len(lengths) > 1:
        first = list(columns.items())[:6]
        each = ", ".join(f"{shown(name)} {len(array)}" for name, array in first)
        raise InvalidInput(f"{path}: arrays have different lengths ({each}). Save one per case.")


def _arrow(name: str, array: NDArray[Any], path: str) -> Any:
    import pyarrow as pa

    kind = array.dtype.kind
    if kind not in "biufSU":
        raise InvalidType(
            f"{path}: the array {shown(name)} has the type {array.dtype}. Save numbers or strings."
        )
    if kind == "f" and array.dtype.itemsize not in (4, 8):
        array = as_float64(array)
    native = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
    try:
        return pa.array(native).cast(pa.string()) if kind == "S" else pa.array(native)
    except ValueError as error:
        raise unreadable(path, f"text in the array {shown(name)}", error) from None
