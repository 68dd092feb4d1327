"""Limits on error rates, by (truth, decided)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface._costs import pair_index
from polyroc.typing import Label

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
    number = isinstance(limit, (int, float, np.number)) and not isinstance(limit, bool)
    if not (number and 0 <= limit <= 1):
        raise InvalidInput(
            f"The limit of {shown(pair)} must be a rate from 0 to 1, got {shown(limit)}."
        )
    return float(limit)
