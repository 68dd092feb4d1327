"""Triplets, one case of each of three classes, and how two rules judge them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyroc._base.checks import shown, whole_number
from polyroc.display._ternary import CORNERS, placed
from polyroc.errors import InvalidInput
from polyroc.metrics import registry
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("s", "^", "*")
"""Square, triangle and star, as in the figures of Van Calster et al. 2008."""

_FILLINGS = ("black", "white", "0.45", "0.75")


@dataclass(frozen=True, eq=False)
class Triplet:
    """Probabilities of a case of each class, and what the triplet counts.

    ``by_assignment`` and ``by_highest`` say whether it is right by the rules of VUS and VUS₂; the
    weights are those that wVUS and wVUS₂ give it if so (Van Calster et al. 2008 §III A, D).
    """

    rows: Float64Array
    by_assignment: bool
    by_highest: bool
    assignment_weight: float
    highest_weight: float

    @classmethod
    def of(cls, rows: Float64Array) -> "Triplet":
        """Judge three rows, the first of class 1 and so on.

        Examples
        --------
        >>> Triplet.of(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1.0]])).by_highest
        True
        """
        alone = Predictions([0, 1, 2], rows)
        return cls(
            rows,
            registry["vus"].of(alone, ties="strict") == 1,
            registry["vus2"].of(alone, ties="strict") == 1,
            registry["total_length"].of(alone),
            registry["triangle_area"].of(alone),
        )

    @property
    def verdict(self) -> str:
        """Both rules in words."""
        first = f"right, {self.assignment_weight:.2f}" if self.by_assignment else "wrong"
        second = f"right, {self.highest_weight:.2f}" if self.by_highest else "wrong"
        return f"wVUS {first}; wVUS₂ {second}"


def triplets_of(predictions: Predictions, triplets: Iterable[Iterable[int]]) -> tuple[Triplet, ...]:
    """Triplets by row numbers, one of each class in any order."""
    return tuple(Triplet.of(_rows(predictions, list(each))) for each in triplets)


def _rows(predictions: Predictions, numbers: list[int]) -> Float64Array:
    cases = [whole_number(number, "a row of a triplet", least=0) for number in numbers]
    given = predictions.given_rows
    inside = bool(np.isin(cases, given).all())
    cases = np.searchsorted(given, cases).tolist()
    if not inside or sorted(predictions.codes[cases].tolist()) != [0, 1, 2]:
        raise InvalidInput(
            f"A triplet has one case of each of the three classes, got the rows {shown(numbers)}. "
            "Name three rows of y_true with different classes."
        )
    ordered = sorted(cases, key=lambda case: int(predictions.codes[case]))
    return np.asarray(predictions.probabilities("a triplet")[ordered], dtype=np.float64)


def draw_triplet(ax: "Axes", triplet: Triplet, number: int, equal_probability: bool) -> None:
    """Three marks joined to their corners; dashed lines where the own probability is equal."""
    filling = _FILLINGS[number % len(_FILLINGS)]
    for k, point in enumerate(placed(triplet.rows)):
        ax.plot(*np.transpose([point, CORNERS[k]]), color="black", linewidth=0.9)
        if equal_probability:
            ends = placed(_equal_ends(triplet.rows[k, k], k))
            ax.plot(*ends.T, color="black", linewidth=0.9, linestyle="--")
        ax.plot(
            *point, marker=MARKERS[k], markersize=9 + 3 * (k == 2), markerfacecolor=filling,
            markeredgecolor="black", linestyle="", zorder=5,
            label=triplet.verdict if k == 0 else None,
        )  # fmt: skip


def _equal_ends(share: float, k: int) -> Float64Array:
    """Rows at the two ends of the line on which class k has this probability."""
    ends = np.full((2, 3), 0.0)
    ends[:, k] = share
    ends[[0, 1], [(k + 1) % 3, (k + 2) % 3]] = 1 - share
    return ends
