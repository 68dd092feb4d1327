"""The slices of an attribute: which have cases enough for a statement, and their cases."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._base.tables import html_table, text_table
from polyroc.errors import InvalidInput
from polyroc.inference._folds import name_of
from polyroc.inference._influence import CaseDesign
from polyroc.predictions import Predictions
from polyroc.predictions._slices import Attribute
from polyroc.results import Note
from polyroc.typing import Label

if TYPE_CHECKING:
    import pandas as pd

LEAST_UNITS = 2
"""Cases, or groups, of every class that a slice must have: one says nothing about how they vary."""


@dataclass(frozen=True)
class Withheld:
    """A slice without a statement, because it has too few cases of some class."""

    attribute: str
    slice: Any
    cases: int
    counts: Mapping[Label, int]
    """Cases of each class."""
    reason: str

    @property
    def note(self) -> str:
        """What a result says of it."""
        counts = ", ".join(f"{label} {count}" for label, count in self.counts.items())
        return (
            f"slice {shown(self.slice)} of {self.attribute} is withheld: {self.reason} "
            f"(cases per class: {counts})"
        )


class BySlices(ABC):
    """What results by slices have in common: slices withheld, and how they print."""

    level: float
    thin: tuple[Withheld, ...]

    @abstractmethod
    def _rows(self, level: float) -> list[dict[str, Any]]:
        """The rows of its table."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """Which slices are withheld, and why."""
        return tuple(Note("slice-withheld", each.note) for each in self.thin)

    def withheld(self) -> "pd.DataFrame":
        """Slices too thin for a statement, with their cases of each class; empty if none is."""
        import pandas as pd

        columns = ["attribute", "slice", "cases", "reason"]
        classes = [f"cases of {label}" for label in self.thin[0].counts] if self.thin else []
        rows = [
            [each.attribute, each.slice, each.cases, each.reason, *each.counts.values()]
            for each in self.thin
        ]
        return pd.DataFrame(rows, columns=[*columns, *classes])

    def _withheld_from(self, attribute: str) -> list[dict[str, Any]]:
        """The same of one attribute, for JSON."""
        return [
            {
                "slice": str(each.slice),
                "cases": each.cases,
                "counts": {str(label): count for label, count in each.counts.items()},
                "reason": each.reason,
            }
            for each in self.thin
            if each.attribute == attribute
        ]

    def _level(self, level: float | None) -> float:
        return self.level if level is None else level

    def __repr__(self) -> str:
        told = [f"Note. {note.text}" for note in self.notes]
        return "\n".join([text_table(self._rows(self.level)), *told])

    def _repr_html_(self) -> str:
        told = "".join(f"<p>{escape(f'Note. {note.text}')}</p>" for note in self.notes)
        return html_table(self._rows(self.level)) + told


class SliceCases(NamedTuple):
    """The cases of a slice."""

    name: Any
    rows: NDArray[np.intp]


@dataclass(frozen=True)
class Sliced:
    """The slices of an attribute, and those withheld."""

    attribute: Attribute
    kept: tuple[SliceCases, ...]
    withheld: tuple[Withheld, ...]


def attributes_of(by: Any, predictions: Predictions) -> tuple[tuple[Attribute, ...], Any]:
    """The attributes given or held, and which of them were matched by position."""
    if by is None:
        return predictions.slices or (), ()
    if predictions.slices is not None:
        raise InvalidInput(
            "by cannot be given together with Predictions that have slices. Pass them once."
        )
    return predictions.case_slices(by)


def check_no_slices(attributes: tuple[Attribute, ...]) -> None:
    """A bootstrap resamples the cases, and not those of a slice."""
    if attributes:
        raise InvalidInput(
            "A bootstrap has no slices: what groups in several slices have in common is known from "
            'influence values. Pass interval="influence", or None for values alone, with by= (or '
            "slices in Predictions)."
        )


def sliced(attribute: Attribute, predictions: Predictions, design: CaseDesign) -> Sliced:
    """Slices with cases enough in every class, and in every class of every fold."""
    kept, withheld = [], []
    for name, rows in zip(attribute.slices, attribute.rows(), strict=True):
        reason = _too_thin(predictions, design, rows)
        if reason is None:
            kept.append(SliceCases(name, rows))
            continue
        counts = np.bincount(predictions.codes[rows], minlength=predictions.n_classes)
        by_class = dict(zip(predictions.classes, counts.tolist(), strict=True))
        withheld.append(Withheld(attribute.name, name, len(rows), by_class, reason))
    return Sliced(attribute, tuple(kept), tuple(withheld))


def _too_thin(predictions: Predictions, design: CaseDesign, rows: NDArray[np.intp]) -> str | None:
    """Why there is no statement about a slice, if there is none."""
    n_classes, codes = predictions.n_classes, predictions.codes[rows].astype(np.intp)
    strata, folds = codes, predictions.folds
    if folds is not None:
        strata = codes + n_classes * folds.numbers[rows]
    if design.groups is not None:
        size = int(strata.max()) + 1
        strata = np.unique(design.groups[rows] * size + strata) % size
    counts = np.bincount(strata, minlength=n_classes)
    counts = np.append(counts, np.zeros(-len(counts) % n_classes, dtype=counts.dtype))
    table = counts.reshape(-1, n_classes)
    used = table.sum(axis=1) > 0
    table, places = table[used], np.flatnonzero(used)
    thin = np.argwhere(table < LEAST_UNITS)
    if not len(thin):
        return None
    fold, k = thin[int(np.argmin(table[table < LEAST_UNITS]))]
    unit = "case" if design.groups is None else "group"
    number = "no cases" if table[fold, k] == 0 else f"one {unit}"
    where = "" if folds is None else f" in fold {name_of(folds.names[places[fold]])}"
    return f"{number} of class {predictions.classes[k]}{where}"
