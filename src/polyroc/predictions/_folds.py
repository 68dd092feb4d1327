"""Folds: in which part of a cross-validation each case was held out.

A fold is a name, or, where a cross-validation was repeated, a repeat and a fold in two columns. A
case that was held out several times has a row for each.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput
from polyroc.predictions._frames import computed
from polyroc.predictions._groups import read_named
from polyroc.typing import IntArray, Label


class Folds(NamedTuple):
    """The fold of each case as a number from 0, and the names of the numbers."""

    numbers: NDArray[np.intp]
    names: tuple[Any, ...]

    def of(self, rows: NDArray[np.intp] | None) -> "Folds":
        """Of some of the cases; folds without any are left out."""
        if rows is None:
            return self
        there, numbers = np.unique(self.numbers[rows], return_inverse=True)
        return Folds(numbers, tuple(self.names[number] for number in there.tolist()))


def check_same_folds(models: Mapping[str, Folds | None]) -> None:
    """Whether all models held out the same cases together."""
    (reference, first), *others = models.items()
    for name, folds in others:
        if not _same(folds, first):
            raise InvalidInput(
                f"Model {name!r} has other folds than {reference!r}. Compare models that were "
                "fitted and tested on the same folds."
            )


def _same(folds: Folds | None, first: Folds | None) -> bool:
    if folds is None or first is None:
        return folds is first
    return np.array_equal(folds.numbers, first.numbers)


def read_folds(folds: Any, n_cases: int) -> Folds:
    """Folds of cases, by one column or by several that name a fold together."""
    columns = _columns(computed(folds))
    read = [read_named(column, "folds") for column in columns]
    for numbers, _ in read:
        if len(numbers) != n_cases:
            raise InvalidInput(
                f"folds names the fold of {plural(len(numbers), 'case')} but there are "
                f"{n_cases}. Pass one fold per case."
            )
    if len(read) == 1:
        numbers, names = read[0]
        return Folds(numbers, tuple(names))
    table = np.column_stack([numbers for numbers, _ in read])
    found, together = np.unique(table, axis=0, return_inverse=True)
    several = [tuple(read[c][1][n] for c, n in enumerate(row)) for row in found.tolist()]
    return Folds(together.reshape(-1), tuple(several))


def _columns(folds: Any) -> list[Any]:
    """The columns of a table, or all that was given."""
    if hasattr(folds, "iloc") and hasattr(folds, "columns"):
        return [folds.iloc[:, c] for c in range(folds.shape[1])] or [folds]
    if hasattr(folds, "get_columns"):  # a frame of Polars
        return list(folds.get_columns()) or [folds]
    if isinstance(folds, np.ndarray) and folds.ndim == 2 and folds.shape[1]:
        return list(folds.T)
    if isinstance(folds, list) and folds and all(isinstance(each, tuple) for each in folds):
        lengths = sorted({len(each) for each in folds})
        if len(lengths) > 1 or not lengths[0]:
            raise InvalidInput(
                f"folds contains tuples of {', '.join(map(str, lengths))} values. Name each fold "
                "by as many values as the others, such as (repeat, fold)."
            )
        return [list(column) for column in zip(*folds, strict=True)]
    return [folds]


def check_fold_classes(folds: Folds, codes: IntArray, classes: tuple[Label, ...]) -> None:
    """Whether every class has cases in every fold."""
    n_classes = len(classes)
    counts = np.bincount(folds.numbers * n_classes + codes, minlength=len(folds.names) * n_classes)
    missing = np.argwhere(counts.reshape(-1, n_classes) == 0)
    if len(missing):
        fold, k = missing[0].tolist()
        raise InvalidInput(
            f"Fold {shown(folds.names[fold])} has no cases of the class {shown(classes[k])}. "
            'Use StratifiedKFold or fewer folds, or pass absent="skip" to leave out what cannot '
            "be computed in that fold."
        )
