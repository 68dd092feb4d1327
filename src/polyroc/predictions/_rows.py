"""Which row belongs to which case: by position, unless indexes say that this would be wrong.

Indexes are compared and never used: the same labels in another order are an error that says how to
align the objects, and other labels are taken by position with a warning.
"""

import sys
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import NotAligned, RowsByPosition
from polyroc.predictions._frames import row_labels


class RowLabels(NamedTuple):
    """The labels of the rows of some cases, and which parameter has them."""

    source: str
    index: Any


def labels_of_rows(given: dict[str, Any]) -> RowLabels | None:
    """Those of the first object that has some; None if none has."""
    known = ((name, row_labels(values)) for name, values in given.items() if values is not None)
    return next((RowLabels(*each) for each in known if each[1] is not None), None)


def rows_by_position(given: dict[str, Any], known: RowLabels | None = None) -> tuple[str, ...]:
    """Names of what has other row labels than the first object that has some, with a warning.

    ``given`` holds the objects by the names of their parameters; those without rows are None.
    ``known`` are the labels of rows of cases that were read before.
    """
    indexes = {name: row_labels(values) for name, values in given.items() if values is not None}
    return indexes_by_position([*([] if known is None else [known]), *indexes.items()])


def indexes_by_position(indexes: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    """The same for indexes with their names; None where there is none."""
    with_labels = [(name, index) for name, index in indexes if index is not None]
    if len(with_labels) < 2:
        return ()
    (first, reference), *others = with_labels
    differing = tuple(name for name, index in others if _differs(index, reference, name, first))
    if differing:
        warn_by_position(differing, first)
    return differing


def warn_by_position(names: Iterable[str], first: str) -> None:
    """Say that rows were matched by position, at the caller's line."""
    listed = " and ".join(names)
    warnings.warn(
        RowsByPosition(
            f"{listed} and {first} have different indexes: rows are taken by position. Give both "
            "the same index, or drop it with .reset_index(drop=True)."
        ),
        stacklevel=_depth_of_caller(),
    )


def _plain(label: Any) -> Any:
    """A label of an index without its NumPy type."""
    return label.item() if isinstance(label, np.generic) else label


def _differs(index: Any, reference: Any, name: str, first: str) -> bool:
    """Whether labels of rows are other ones; the same ones in another order are an error."""
    if index is reference or len(index) != len(reference) or index.equals(reference):
        return False  # other lengths are an error of their own
    if not _same_labels(index, reference):
        return True
    place = next(row for row in range(len(index)) if index[row] != reference[row])
    own, other = (shown(_plain(labels[place])) for labels in (index, reference))
    raise NotAligned(
        f"{name} and {first} have the same index labels in another order: row {place} is "
        f"{own} in {name} and {other} in {first}. " + _remedy(index, reference, name, first)
    )


def _remedy(index: Any, reference: Any, name: str, first: str) -> str:
    position = f"{name}.to_numpy() if the rows correspond by position"
    if index.is_unique and reference.is_unique:
        return f"Pass {name}.loc[{first}.index], or {position}."
    return f"The labels repeat, so they cannot be matched: pass {position}."


def _same_labels(index: Any, reference: Any) -> bool:
    try:
        return bool(index.isin(reference).all() and reference.isin(index).all())
    except Exception:  # indexes of kinds that do not compare
        return False


def _depth_of_caller() -> int:
    """How many calls above ``warnings.warn`` the user's line is."""
    depth, frame = 1, sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("polyroc."):
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    return depth
