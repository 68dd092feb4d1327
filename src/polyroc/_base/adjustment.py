"""Several tests at once."""

import math
from collections.abc import Sequence

import numpy as np


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted by Holm's method; tests that do not exist (NaN) are not counted.

    Examples
    --------
    >>> holm_adjusted([0.02, 0.01, math.nan])
    [0.02, 0.02, nan]
    """
    given = np.asarray(p_values, dtype=np.float64)
    order = [int(i) for i in np.argsort(given) if not math.isnan(given[i])]
    adjusted, reached = [math.nan] * len(given), 0.0
    for rank, i in enumerate(order):
        reached = max(reached, min(1.0, (len(order) - rank) * float(given[i])))
        adjusted[i] = reached
    return adjusted
