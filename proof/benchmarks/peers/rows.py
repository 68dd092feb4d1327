"""What is measured: a row for each quantity, size and peer."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

Key = tuple[str, str, tuple[tuple[str, int], ...], str, str, str]


class Disagreement(Exception):
    """polyroc and a peer returned different numbers: their times must not be compared."""


@dataclass(frozen=True)
class Spread:
    """Median and quartiles of repeated measurements."""

    median: float
    low: float
    high: float
    repeats: int

    @classmethod
    def of(cls, measured: Sequence[float]) -> Self:
        """Of measurements.

        >>> Spread.of([1.0, 2.0, 3.0])
        Spread(median=2.0, low=1.5, high=2.5, repeats=3)
        """
        low, median, high = np.quantile(measured, (0.25, 0.5, 0.75)).tolist()
        return cls(median, low, high, len(measured))


@dataclass(frozen=True)
class Agreement:
    """How far the numbers are apart, or in which definition they differ."""

    difference: float | None
    tolerance: float | None
    definition: str = ""


@dataclass(frozen=True)
class Absence:
    """Why a peer was not run, and the amount that was predicted for it, if that is the reason."""

    reason: str
    predicted: float | None = None


@dataclass(frozen=True)
class Row:
    """polyroc and a peer on the same work.

    ``ours`` and ``theirs`` are amounts of ``unit``; ``ratio`` is theirs over ours, so that more is
    better for polyroc, with the quartiles over the rounds in which both were measured.
    """

    work: str
    quantity: str
    sizes: dict[str, int]
    peer: str
    call: str
    unit: str
    ours: Spread
    theirs: Spread | None = None
    ratio: Spread | None = None
    agreement: Agreement | None = None
    absence: Absence | None = None
    outcome: dict[str, float] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """What must be the same in two runs for their rows to be compared."""
        sizes = tuple(sorted(self.sizes.items()))
        return self.work, self.quantity, sizes, self.peer, self.call, self.unit

    @property
    def series(self) -> tuple[str, str, str]:
        """What rows of different sizes have in common."""
        return self.quantity, self.unit, self.rival

    @property
    def rival(self) -> str:
        """The peer and what is called of it."""
        return f"{self.peer} {self.call}".strip()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The row that ``to_dict`` made plain."""
        kinds = {"ours": Spread, "theirs": Spread, "ratio": Spread}
        parts = kinds | {"agreement": Agreement, "absence": Absence}
        made = {name: kind(**plain[name]) for name, kind in parts.items() if plain[name]}
        return cls(**plain | made)
