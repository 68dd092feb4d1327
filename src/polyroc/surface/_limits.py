"""Limits on error rates, by (truth, decided)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polyroc._base.checks import is_real, shown
from polyroc._base.levels import check_level
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.surface._costs import pair_index
from polyroc.typing import Float64Array, Label

ALLOWANCE = 1e-12
"""A rate this far above its limit is at the limit: sums of weights are rounded."""


def checked_limits(
    limits: Mapping[tuple[Any, Any], float] | None, classes: Sequence[Label]
) -> dict[tuple[int, int], float]:
    """Highest allowed rates by position of truth and decision.

    Examples
    --------
    >>> checked_limits({("ill", "well"): 0.05}, ("ill", "well"))
    {(0, 1): 0.05}
    """
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise InvalidType(f"limits must map (truth, decided) to a rate, got {shown(limits)}.")
    return {pair_index(pair, classes): _rate(pair, limit) for pair, limit in limits.items()}


def _rate(pair: Any, limit: Any) -> float:
    if not (is_real(limit) and 0 <= limit <= 1):
        raise InvalidInput(
            f"The limit of {shown(pair)} must be a rate from 0 to 1, got {shown(limit)}."
        )
    return float(limit)


def held_limits(
    limits: Mapping[tuple[int, int], float],
    confidence: float | None,
    n_cases: Float64Array,
    classes: Sequence[Label],
) -> dict[tuple[int, int], float]:
    """The rates up to which limits hold with a confidence, by position; None: the limits.

    A rate counted on n cases of the class holds its limit if the upper confidence bound of Clopper
    & Pearson does not exceed it. Several limits hold together: 1 − confidence is divided among
    them.

    Examples
    --------
    Of 100 cases five may be wrong where the rate itself is to be at most 5 %, one where its upper
    bound is:

    >>> held = held_limits({(0, 1): 0.05}, 0.95, np.array([100.0, 100.0]), ("ill", "well"))
    >>> round(held[0, 1], 4)
    0.0122
    """
    if confidence is None:
        return dict(limits)
    check_level(confidence)
    each = 1 - (1 - confidence) / max(len(limits), 1)
    return {
        pair: _held(limit, each, float(n_cases[pair[0]]), (classes[pair[0]], classes[pair[1]]))
        for pair, limit in limits.items()
    }


def in_words(pair: tuple[Label, Label]) -> str:
    """An error, by truth and decision.

    Examples
    --------
    >>> in_words(("ill", "well"))
    "'ill' decided as 'well'"
    """
    return f"{shown(pair[0])} decided as {shown(pair[1])}"


def _held(limit: float, confidence: float, n: float, pair: tuple[Label, Label]) -> float:
    """The highest rate whose upper bound is the limit, by bisection."""
    if limit >= 1:
        return 1.0
    if upper_bound(0.0, n, confidence) > limit:
        needed = int(np.ceil(np.log1p(-confidence) / np.log1p(-limit))) if limit > 0 else None
        least = f"it takes {needed} cases" if needed else "no number of cases is enough"
        raise NotDefined(
            f"The limit {limit:g} on {in_words(pair)} cannot be held with confidence "
            f"{confidence:.4g}: of {n:.4g} cases of {shown(pair[0])} even no error is not enough, "
            f"{least}. Allow more, or ask for less confidence."
        )
    low, high = 0.0, n
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if upper_bound(middle, n, confidence) <= limit else (low, middle)
    return low / n


def upper_bound(count: float, n: float, confidence: float) -> float:
    """One-sided upper confidence bound of a rate by Clopper & Pearson.

    Examples
    --------
    >>> round(upper_bound(0, 59, 0.95), 4), round(upper_bound(1, 100, 0.95), 4)
    (0.0495, 0.0466)
    """
    from scipy.special import betaincinv

    return 1.0 if count >= n else float(betaincinv(count + 1, n - count, confidence))
