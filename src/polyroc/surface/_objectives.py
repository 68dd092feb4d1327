"""What a search minimises: all error rates, one rate per class, or functions of the rates."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from polyroc._base.checks import check_choice, is_real, reason_of, shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface._costs import matrices
from polyroc.typing import BoolArray, Float64Array

Objectives: TypeAlias = Literal["pairs", "errors_of", "errors_into"]
OBJECTIVES: tuple[str, ...] = get_args(Objectives)

RatesFunction: TypeAlias = Callable[[Float64Array], Any]
"""From the D error rates of a point, or the (m, D) rates of many, to a number each."""

ObjectivesLike: TypeAlias = Objectives | RatesFunction | Sequence[Objectives | RatesFunction]
Minimised: TypeAlias = Objectives | tuple[Objectives | RatesFunction, ...]


def checked_objectives(given: Any) -> Minimised:
    """A name, or a tuple of names and functions."""
    if isinstance(given, str) or not (callable(given) or isinstance(given, (list, tuple))):
        check_choice(given, "objectives", OBJECTIVES)
        return cast("Objectives", given)
    parts = (given,) if callable(given) else tuple(given)
    if not parts:
        raise InvalidInput("objectives are empty: a search minimises something. Name at least one.")
    for part in parts:
        if not callable(part):
            check_choice(part, "objectives", OBJECTIVES)
    return parts


def objective_names(objectives: Minimised) -> str | list[str]:
    """Names for files and tables; functions by their own."""
    if isinstance(objectives, str):
        return objectives
    return [each if isinstance(each, str) else _name(each) for each in objectives]


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def searched(objectives: Minimised) -> Minimised:
    """What the archive of a search is to keep: functions beside all rates.

    An archive of a single best value would be a search downhill that stays in the first valley;
    the front of all rates holds what leads elsewhere, and the best value of any function that falls
    with every rate.
    """
    if isinstance(objectives, str) or all(isinstance(each, str) for each in objectives):
        return objectives
    return ("pairs", *(each for each in objectives if each != "pairs"))


def highest_values(objectives: Minimised, n_classes: int) -> Float64Array:
    """What each objective does not exceed; infinite for functions, of which that is not known."""
    parts = (objectives,) if isinstance(objectives, str) else objectives
    n_rates = n_classes * (n_classes - 1)
    tops: list[float] = []
    for part in parts:
        if not isinstance(part, str):
            tops += [float("inf")]
        else:
            tops += [1.0] * n_rates if part == "pairs" else [n_classes - 1.0] * n_classes
    return np.array(tops)


def objective_values(rates: Float64Array, n_classes: int, objectives: Minimised) -> Float64Array:
    """Values to minimise for points with these (m, D) error rates.

    ``"pairs"``: all D rates. ``"errors_of"``: for each class the errors made on its cases,
    Σ_j C_kj, as eq. 12 is printed. ``"errors_into"``: for each class the errors that end in it,
    Σ_k C_kj, as the text of the paper describes them (false positives). Of several objectives the
    columns stand beside each other.
    """
    if not isinstance(objectives, str):
        return np.column_stack([_column(rates, n_classes, each) for each in objectives])
    if objectives == "pairs":
        return rates
    axis = 2 if objectives == "errors_of" else 1
    return np.asarray(matrices(rates, n_classes).sum(axis=axis))


def _column(
    rates: Float64Array, n_classes: int, objective: Objectives | RatesFunction
) -> Float64Array:
    if isinstance(objective, str):
        return objective_values(rates, n_classes, objective)
    return function_values(rates, objective)


def function_values(rates: Float64Array, function: RatesFunction) -> Float64Array:
    """(m,) values of a function of the rates, for each of (m, D) points.

    It is called with the D rates of one point at a time; a function that cannot take these is
    called with those of all points.

    Examples
    --------
    >>> rates = np.array([[0.1, 0.4], [0.3, 0.2]])
    >>> function_values(rates, max)
    array([0.4, 0.3])
    >>> function_values(rates, lambda all_rates: all_rates.max(axis=1))
    array([0.4, 0.3])
    """
    if not callable(function):
        raise InvalidType(f"An objective must be a function of rates, got {shown(function)}.")
    if not len(rates):
        return np.zeros(0)
    try:
        first = function(rates[0].copy())
    except (TypeError, ValueError, IndexError) as error:
        return _all_at_once(rates, function, error)
    others = [function(row.copy()) for row in rates[1:]]
    return np.array([_number(value) for value in (first, *others)])


def _all_at_once(rates: Float64Array, function: RatesFunction, error: Exception) -> Float64Array:
    try:
        found = np.asarray(function(rates.copy()), dtype=np.float64)
    except (TypeError, ValueError, IndexError):
        raise InvalidInput(
            f"The objective {_name(function)} failed for the {rates.shape[1]} rates of a point "
            f"({reason_of(error)}). It takes an array of these and gives a number."
        ) from error
    if found.shape != (len(rates),) or not np.isfinite(found).all():
        raise InvalidInput(
            f"The objective {_name(function)} of {len(rates)} points must give as many finite "
            f"numbers, got {shown(found.tolist())}."
        )
    return found


def _number(value: Any) -> float:
    """A finite number, that of an array without dimensions included."""
    scalar = isinstance(value, (np.ndarray, np.generic)) and not np.ndim(value)
    plain = value.item() if scalar else value
    if not is_real(plain):
        raise InvalidInput(
            f"An objective must give a finite number for the rates of a point, got {shown(value)}."
        )
    return float(plain)


def on_front(values: Float64Array) -> BoolArray:
    """Which of (m, d) points no other dominates; of equal points the first (eq. 13)."""
    from polyroc.kernels.archive import non_dominated

    order = np.lexsort(values.T[::-1])
    return non_dominated(np.ascontiguousarray(values, dtype=np.float64), order)
