"""``read_features``: true classes and a table of features, from a file."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.predictions._classes import classes_of, listed
from polyroc.predictions._score_columns import names_in
from polyroc.readers._cells import labels_in, numbers_in
from polyroc.readers._files import read_table
from polyroc.readers._names import check_name, target_among
from polyroc.readers._table import PathLike
from polyroc.typing import Float64Array, Label


@dataclass(frozen=True, eq=False)
class FileFeatures:
    """Features and true classes of the cases in a file.

    Attributes
    ----------
    path : of the file.
    X : (n, p) features.
    y : (n,) true classes.
    features : names of the features.
    target : the column of true classes.
    """

    path: str
    X: Float64Array
    y: NDArray[Any]
    features: tuple[str, ...]
    target: str

    def __repr__(self) -> str:
        return f"FileFeatures({len(self.y)} cases, features {listed(self.features)})"

    def describe(self) -> str:
        """Which column is what, in words, for people to check."""
        return f"true classes in {shown(self.target)}; features {listed(self.features, 6)}"

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes that occur, in order."""
        return classes_of(self.y)


def read_features(
    path: PathLike, *, target: str | None = None, drop: Iterable[str] = ()
) -> FileFeatures:
    """True classes and features: every column but the target, those to drop and pandas' index.

    Parameters
    ----------
    path : a CSV, Parquet, Arrow or NPZ file, as for :func:`read_predictions`.
    target : the column of true classes; by default the one named y, label, target, truth, ….
    drop : columns to leave out, such as a number of the case.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "cases.csv")
    ...     _ = path.write_text("id,age,class\\n1,30,well\\n2,60,ill\\n")
    ...     read_features(path, drop=["id"])
    FileFeatures(2 cases, features 'age')
    """
    check_name(target, "target")
    dropped = names_in(drop, "drop")
    table = read_table(path, target=target)
    target = target_among(table.names, target, table.path)
    table.check_has([target, *dropped])
    out = (target, *dropped)
    names = tuple(name for name in table.names if name not in out and not _is_index(name))
    if not names:
        raise InvalidInput(f"{table.path} has no features beside the column {target!r}.")
    remedy = "Correct it, or leave the column out with drop=."
    y = labels_in(table, target)
    X = np.column_stack([numbers_in(table, name, remedy) for name in names])
    return FileFeatures(table.path, X, y, names, target)


def _is_index(name: str) -> bool:
    """Whether pandas wrote the column for its index, which counts cases and is no feature."""
    return name in ("", "Unnamed: 0") or name.startswith("__index_level_")
