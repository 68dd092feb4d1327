"""Rows as series for tables and plots: a quantity, who computes it, and amounts over sizes."""

from collections.abc import Iterable
from dataclasses import dataclass

from peers.growth import Exponent, exponent
from peers.rows import Row


@dataclass(frozen=True)
class Series:
    """Amounts by size, measured and, where a peer was not run, predicted."""

    name: str
    measured: dict[int, float]
    predicted: dict[int, float]

    @property
    def amounts(self) -> dict[int, float]:
        """All of them."""
        return self.measured | self.predicted

    @property
    def exponent(self) -> Exponent | None:
        """How the measured amounts grow."""
        return exponent(list(self.measured), list(self.measured.values()))


@dataclass(frozen=True)
class Panel:
    """A quantity in a unit: polyroc first, then the rivals."""

    quantity: str
    unit: str
    series: tuple[Series, ...]


def panels(rows: Iterable[Row], axis: str) -> list[Panel]:
    """A panel for each quantity and unit, in the order of the rows."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.quantity, row.unit), []).append(row)
    return [Panel(*key, _series(group, axis)) for key, group in groups.items()]


def _series(rows: list[Row], axis: str) -> tuple[Series, ...]:
    ours = Series("polyroc", {row.sizes[axis]: row.ours.median for row in rows}, {})
    rivals: dict[str, Series] = {}
    for row in rows:
        one = rivals.setdefault(row.rival, Series(row.rival, {}, {}))
        if row.theirs is not None:
            one.measured[row.sizes[axis]] = row.theirs.median
        elif row.absence is not None and row.absence.predicted is not None:
            one.predicted[row.sizes[axis]] = row.absence.predicted
    return (ours, *rivals.values())
