"""Utilities and priors: what a decision rule is worth, and which operating point is best.

Utilities U are K × K, first index the truth, second the decision, as rates are here. The paper
writes U_{i|j} and P_ij the other way round.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import shown
from polyroc.curves._roc import RocCurve
from polyroc.errors import InvalidInput
from polyroc.predictions._tables import by_class, by_own_names
from polyroc.predictions._weights import checked_priors, shares
from polyroc.typing import Float64Array, Label, PriorsLike


@dataclass(frozen=True, eq=False)
class UnitCosts:
    """Utilities and priors as Edwards & Metz 2007 eq. 3–5 take them apart.

    E{U} = scale · (gain − γ̂ · P), with P the D = K² − K error rates.

    Attributes
    ----------
    direction : (D,) γ̂, a unit vector of positive numbers in row-major order of the off-diagonal
        (truth, decision): γ ∝ (U_tt − U_td) π_t.
    scale : √Σγ², the unit in which normalised utilities are measured (eq. 4).
    gain : γ₀ = Σ U_tt π_t / scale, the normalised utility without errors.
    """

    direction: Float64Array
    scale: float
    gain: float

    @property
    def slope(self) -> float:
        """For two classes: slope of the ROC curve where it is best to operate, γ̂₁/γ̂₂."""
        if len(self.direction) != 2:
            raise InvalidInput(
                f"A slope belongs to two classes, got {len(self.direction)} kinds of errors. "
                "Use cheapest() over the points of a surface."
            )
        return float(self.direction[0] / self.direction[1])


def unit_costs(utilities: ArrayLike, priors: PriorsLike) -> UnitCosts:
    """γ̂ of utilities and priors: Edwards & Metz 2007 eq. 3–5.

    Every error must have a lower utility than the correct decision for its truth.

    Examples
    --------
    Missing a positive costs four times as much as a false alarm, and a tenth are positive.

    >>> costs = unit_costs([[0, -1], [-4, 0]], priors=[0.9, 0.1])
    >>> costs.direction.round(4), round(costs.slope, 4)
    (array([0.9138, 0.4061]), 2.25)
    """
    table, classes = checked_utilities(utilities)
    return _unit_costs(table, checked_priors(priors, classes))


def _unit_costs(table: Float64Array, shares_: Float64Array) -> UnitCosts:
    right = np.diag(table)
    loss = ((right[:, None] - table) * shares_[:, None])[~np.eye(len(table), dtype=bool)]
    if not (loss > 0).all():
        raise InvalidInput(
            "utilities give an error at least the utility of the correct decision for its truth, "
            f"got {shown(table.tolist())}. First index is the truth, second the decision; the "
            "diagonal must be the highest of its row."
        )
    scale = float(np.sqrt((loss**2).sum()))
    return UnitCosts(loss / scale, scale, float(right @ shares_) / scale)


def checked_utilities(utilities: ArrayLike) -> tuple[Float64Array, tuple[Label, ...]]:
    """A square table of finite numbers, and its classes: their names, or positions without names.

    The columns of a frame are put in the order of its rows by their names.
    """
    values, names = by_own_names(utilities, "utilities")
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise InvalidInput(
            f"utilities must be K × K, got shape {table.shape}. "
            "Give a row per true class and a column per decision."
        )
    if not np.isfinite(table).all():
        raise InvalidInput(f"utilities must be finite, got {shown(table.tolist())}.")
    return table, tuple(range(len(table))) if names is None else names


def expected_utility(
    confusion: ArrayLike, utilities: ArrayLike, *, priors: PriorsLike | None = None
) -> float:
    """E{U} = Σ π_t C_td U_td of a confusion matrix: Edwards & Metz 2007 eq. 2.

    Parameters
    ----------
    confusion : K × K counts, weights or rates; rows are true classes and are divided by their
        sums. Frames are matched by their names, as are those of utilities.
    priors : of the classes; by default the shares of the row sums, so give them with rates.

    Examples
    --------
    >>> expected_utility([[8, 2], [1, 4]], [[0, -1], [-4, 0]])
    -0.4
    >>> round(expected_utility([[0.8, 0.2], [0.2, 0.8]], [[0, -1], [-4, 0]], priors=[0.9, 0.1]), 4)
    -0.26
    """
    table, classes = checked_utilities(utilities)
    rates, shares_ = _rates_and_priors(confusion, priors, classes)
    return float((shares_[:, None] * rates * table).sum())


def expected_cost(
    confusion: ArrayLike, utilities: ArrayLike, *, priors: PriorsLike | None = None
) -> float:
    """γ̂ · P of a confusion matrix: Edwards & Metz 2007 eq. 5, lower is better.

    Examples
    --------
    >>> round(expected_cost([[8, 2], [1, 4]], [[0, -1], [-4, 0]]), 4)
    0.2683
    """
    table, classes = checked_utilities(utilities)
    rates, shares_ = _rates_and_priors(confusion, priors, classes)
    costs = _unit_costs(table, shares_)
    return float(rates[~np.eye(len(table), dtype=bool)] @ costs.direction)


def _rates_and_priors(
    confusion: ArrayLike, priors: PriorsLike | None, classes: tuple[Label, ...]
) -> tuple[Float64Array, Float64Array]:
    n_classes = len(classes)
    counts = np.asarray(by_class(confusion, classes, "confusion"), dtype=np.float64)
    if counts.shape != (n_classes, n_classes):
        raise InvalidInput(
            f"confusion has the shape {counts.shape} but utilities are for {n_classes} classes. "
            "Give a row per true class and a column per decision."
        )
    rows = counts.sum(axis=1)
    if not (np.isfinite(counts).all() and (counts >= 0).all() and (rows > 0).all()):
        raise InvalidInput(
            "confusion must contain finite non-negative numbers, with a case in every row, "
            f"got {shown(counts.tolist())}."
        )
    known = shares(rows) if priors is None else checked_priors(priors, classes)
    return counts / rows[:, None], known


def cheapest(rates: ArrayLike, utilities: ArrayLike, priors: PriorsLike) -> int:
    """Which of m operating points has the lowest expected cost γ̂ · P; the first of equals.

    ``rates`` is (m, D): error rates in row-major order of the off-diagonal (truth, decision).

    Examples
    --------
    >>> cheapest([[0.0, 1.0], [0.1, 0.3], [1.0, 0.0]], [[0, -1], [-4, 0]], priors=[0.9, 0.1])
    1
    """
    points, costs = np.asarray(rates, dtype=np.float64), unit_costs(utilities, priors)
    if points.ndim != 2 or points.shape[1] != len(costs.direction) or not len(points):
        raise InvalidInput(
            f"rates have the shape {points.shape}; expected points and {len(costs.direction)} "
            "kinds of errors."
        )
    return int(np.argmin(points @ costs.direction))


class SmoothCurve(Protocol):
    """A curve that knows its point for a slope: the binormal ones do."""

    def at_slope(self, slope: float) -> tuple[float, float]: ...


@dataclass(frozen=True)
class OperatingPoint:
    """The best point of a ROC curve for given utilities and priors.

    ``threshold`` is the score at or above which to decide positive; None for a fitted curve.
    ``slope`` is the critical one: TPF − slope · FPF is greatest here.
    """

    false_positive_rate: float
    true_positive_rate: float
    threshold: float | None
    slope: float
    expected_cost: float
    expected_utility: float


def best_operating_point(
    curve: RocCurve | SmoothCurve, utilities: ArrayLike, priors: PriorsLike
) -> OperatingPoint:
    """Where on the ROC curve of two classes the expected utility is greatest.

    On a smooth curve it is where the slope equals (U_TN − U_FP) π₋ / ((U_TP − U_FN) π₊), or a
    corner; on an empirical one all points are tried, and of equals the strictest is taken.
    ``utilities`` and ``priors`` are in the order negative, positive.

    Examples
    --------
    >>> from polyroc.curves._binormal import BinormalCurve
    >>> point = best_operating_point(BinormalCurve(2, 1), [[0, -1], [-4, 0]], [0.8, 0.2])
    >>> print(f"{point.slope:.2f} {point.false_positive_rate:.4f} {point.true_positive_rate:.4f}")
    1.00 0.1587 0.8413
    """
    costs = unit_costs(utilities, priors)
    slope, threshold = costs.slope, None
    if isinstance(curve, RocCurve):
        false, true = curve.false_positive_rate, curve.true_positive_rate
        index = cheapest(np.column_stack([false, 1 - true]), utilities, priors)
        point, threshold = (float(false[index]), float(true[index])), float(curve.thresholds[index])
    else:
        point = curve.at_slope(slope)
    cost = float(np.array([point[0], 1 - point[1]]) @ costs.direction)
    return OperatingPoint(*point, threshold, slope, cost, costs.scale * (costs.gain - cost))
