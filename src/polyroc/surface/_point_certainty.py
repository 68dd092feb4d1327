"""Intervals at an operating point: rates, sensitivities, expected cost, Youden's index.

All are linear in the error rates of the point, θ = constant + Σ_kj a_kj C_kj, and within class k
the cases take the values a_kj with probabilities C_kj. Wilson's interval needs a share and a number
of cases: θ goes to its share of the range it can have, and the number is the one whose variance
θ(1 − θ)/n is that of θ. The variance is taken at rates with one more case in each class, spread
evenly over the decisions, so that no interval has width 0. For a single rate this is Wilson's
interval itself (1927); where several classes enter, the normal quantile becomes that of t with
Satterthwaite's degrees of freedom.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from polyroc._base.checks import check_choice, shown
from polyroc._base.levels import check_level, two_sided_quantile
from polyroc.errors import InvalidInput, UnknownName
from polyroc.predictions._classes import listed
from polyroc.results import Interval
from polyroc.surface._cases import Cases
from polyroc.surface._costs import off_diagonal, pair_index
from polyroc.typing import Float64Array, Label

Quantity: TypeAlias = Literal["value", "rate", "sensitivity", "cost", "youden"]
QUANTITIES: tuple[str, ...] = get_args(Quantity)


@dataclass(frozen=True, eq=False)
class Linear:
    """A quantity that is linear in the rates C (K × K, rows sum to 1), and its range."""

    coefficients: Float64Array
    constant: float = 0.0

    @property
    def range(self) -> tuple[float, float]:
        """The least and the most that any rates give."""
        least, most = self.coefficients.min(axis=1).sum(), self.coefficients.max(axis=1).sum()
        return float(self.constant + least), float(self.constant + most)

    def value(self, confusion: Float64Array) -> float:
        """θ at these rates."""
        return float(self.constant + (self.coefficients * confusion).sum())

    def interval(self, confusion: Float64Array, n_cases: Float64Array, level: float) -> Interval:
        """Wilson's interval of θ for rates counted on so many cases of each class."""
        low, high = self.range
        effective, freedom = self._effective(confusion, n_cases)
        share = min(max((self.value(confusion) - low) / (high - low), 0.0), 1.0)
        reach = two_sided_quantile(level, freedom)
        least, most = wilson(share, effective, reach)
        width = high - low
        return Interval(low + width * least, low + width * most, level, "wilson")

    def _effective(self, confusion: Float64Array, n_cases: Float64Array) -> tuple[float, float]:
        """The number of cases that a single share of this variance has; degrees of freedom."""
        low, high = self.range
        used = self.coefficients.any(axis=1)
        shrunk = (confusion * n_cases[:, None] + 1 / len(confusion)) / (n_cases[:, None] + 1)
        means = (shrunk * self.coefficients).sum(axis=1, keepdims=True)
        spreads = (shrunk * (self.coefficients - means) ** 2).sum(axis=1) / n_cases
        share = (self.value(shrunk) - low) / (high - low)
        variance = float(spreads.sum()) / (high - low) ** 2
        if used.sum() == 1:
            return share * (1 - share) / variance, math.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(spreads > 0, spreads**2 / (n_cases - 1), 0.0).sum()
        return share * (1 - share) / variance, float(spreads.sum() ** 2 / parts)


def wilson(share: float, n_cases: float, quantile: float) -> tuple[float, float]:
    """Limits p with |share − p| ≤ quantile √(p(1 − p)/n).

    Examples
    --------
    >>> [round(limit, 4) for limit in wilson(0.0, 20, 1.959964)]
    [0.0, 0.1611]
    """
    squared = quantile**2 / n_cases
    centre = (share + squared / 2) / (1 + squared)
    reach = math.sqrt(squared * share * (1 - share) + squared**2 / 4) / (1 + squared)
    # Rounding must not move a limit past the share itself where that is 0 or 1.
    return max(min(centre - reach, share), 0.0), min(max(centre + reach, share), 1.0)


def effective_cases(cases: Cases) -> Float64Array:
    """Cases of each class that equal weights would need for the same variance, (Σw)² / Σw²."""
    squares = np.bincount(cases.codes, cases.weights**2, len(cases.classes))
    return np.asarray(cases.class_weights**2 / squares)


def linear(
    quantity: str,
    classes: tuple[Label, ...],
    named: tuple[Any, Any],
    costs: Float64Array,
) -> Linear:
    """A quantity by name; ``costs`` are those of the expected cost, times the priors."""
    check_choice(quantity, "quantity", QUANTITIES)
    n_classes = len(classes)
    coefficients = np.zeros((n_classes, n_classes))
    _check_named(quantity, named)
    if quantity == "rate":
        coefficients[pair_index(named, classes)] = 1
        return Linear(coefficients)
    if quantity == "sensitivity":
        if named[0] not in classes:
            raise UnknownName(f"{shown(named[0])} is not a class. There are {listed(classes)}.")
        place = classes.index(named[0])
        coefficients[place, place] = 1
        return Linear(coefficients)
    if quantity == "youden":
        return Linear(np.eye(n_classes) / (n_classes - 1), -1 / (n_classes - 1))
    return Linear(np.where(off_diagonal(n_classes), costs, 0.0))


def _check_named(quantity: str, named: tuple[Any, Any]) -> None:
    wanted = {"rate": 2, "sensitivity": 1}.get(quantity, 0)
    given = sum(each is not None for each in named)
    if given != wanted or (wanted == 1 and named[0] is None):
        form = {2: "truth and decided", 1: "truth", 0: "neither truth nor decided"}[wanted]
        raise InvalidInput(
            f"The interval of {quantity!r} takes {form}, got {shown(named[0])} and "
            f"{shown(named[1])}."
        )


def signed_distance_of(n_classes: int) -> Linear:
    """(Σ rates − (K − 1)) / √D."""
    scale = math.sqrt(n_classes * (n_classes - 1))
    return Linear(off_diagonal(n_classes) / scale, -(n_classes - 1) / scale)


def checked_interval(
    quantity: Linear, confusion: Float64Array, cases: Cases | None, level: float
) -> Interval:
    """The interval; NaN where cases are not known, are in groups, or a class has a single one."""
    check_level(level)
    if (
        cases is None
        or cases.grouped
        or (np.bincount(cases.codes, minlength=len(cases.classes)) < 2).any()
    ):
        return Interval(math.nan, math.nan, level, "wilson")
    return quantity.interval(confusion, effective_cases(cases), level)
