"""Scored ROC curve: how much of the AUC is left when the positives lose a margin."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import shown
from polyroc._base.sums import running_sum
from polyroc._base.wording import plural
from polyroc.curves._roc import Survival, require_classes, two_sides
from polyroc.errors import InvalidInput
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Float64Array, Label, LabelsLike, ScoresLike, WeightsLike

MOST_PAIRS = 5_000_000
"""Pairs of distinct scores up to which every step of the curve is listed."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoredRoc:
    """Scored ROC curve, a falling step function of the margin.

    Attributes
    ----------
    positive, negative : the two classes.
    margins : (m,) ascending in [0, 1]. Without a grid of the user's, the curve keeps its value
        from each margin up to the next.
    values : (m,) share of the pairs whose positive leads by more than the margin.
    area : area under the whole curve, sAUC, whether or not the margins are a grid.
    exact : whether ``margins`` holds every step of the curve.
    """

    positive: Label
    negative: Label
    margins: Float64Array
    values: Float64Array
    area: float
    exact: bool

    def __repr__(self) -> str:
        count = plural(len(self.margins), "step" if self.exact else "grid point")
        return (
            f"ScoredRoc({self.positive!r} against {self.negative!r}: {count}, area {self.area:.6g})"
        )

    def frame(self) -> Any:
        """One row per margin, as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame({"margin": self.margins, "value": self.values})


def scored_roc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    margins: ArrayLike | None = None,
) -> ScoredRoc:
    """Scored ROC curve of two classes, the second of them positive.

    τ ↦ mean over positives a and negatives b of 1[p_a − τ > p_b], for τ in [0, 1]. At τ = 0 it is
    the strict AUC; the area under it is sAUC = mean of max(p_a − p_b, 0) [1]_.

    Parameters
    ----------
    margins : a grid of τ at which to evaluate the curve, O(n log n) for each of them. By default
        the curve is given exactly, with a step for each distinct positive p_a − p_b:
        O(N log N) for N pairs of distinct scores.

    References
    ----------
    .. [1] Van Calster et al., "Multi-class AUC metrics and weighted alternatives", IJCNN 2008,
       eq. 5–6, after Wu, Flach and Ferri, ECML 2007.

    Examples
    --------
    Model A ranks every pair correctly, model B does not, but B has larger margins.

    >>> y = [1, 1, 1, 0, 0, 0]
    >>> a = scored_roc(y, [1.0, 0.7, 0.6, 0.5, 0.4, 0.0])
    >>> b = scored_roc(y, [1.0, 0.9, 0.5, 0.6, 0.2, 0.0])
    >>> f"{a.values[0]:.5f} {a.area:.5f}"
    '1.00000 0.46667'
    >>> f"{b.values[0]:.5f} {b.area:.5f}"
    '0.88889 0.54444'
    >>> scored_roc([1, 1, 0], [1.0, 0.5, 0.25]).frame()
       margin  value
    0    0.00    1.0
    1    0.25    0.5
    2    0.75    0.0
    3    1.00    0.0
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    require_classes(predictions, 2, "scored_roc")
    above, below = two_sides(predictions, 1, predictions.probabilities(needed_by="scored_roc"))
    if margins is None:
        grid, values = _steps(above, below)
    else:
        grid = _checked(margins)
        values = np.array([_share(above, below, margin) for margin in grid])
    negative, positive = predictions.classes
    return ScoredRoc(positive, negative, grid, values, _scored_auc(above, below), margins is None)


def _checked(margins: ArrayLike) -> Float64Array:
    grid = np.unique(np.asarray(margins, dtype=np.float64))
    if not grid.size or not np.isfinite(grid).all() or grid[0] < 0 or grid[-1] > 1:
        raise InvalidInput(
            f"margins must be numbers from 0 to 1, got {shown(margins)}. "
            "Pass for instance numpy.linspace(0, 1, 101)."
        )
    return grid


def _steps(above: Survival, below: Survival) -> tuple[Float64Array, Float64Array]:
    """Every margin at which the curve falls, with 0 and 1, and the value from there on."""
    (high, high_weight), (low, low_weight) = above.distinct(), below.distinct()
    if len(high) * len(low) > MOST_PAIRS:
        raise InvalidInput(
            f"The exact curve has up to {len(high)} × {len(low)} steps, over the limit of "
            f"{MOST_PAIRS}. Pass margins=, for instance numpy.linspace(0, 1, 101)."
        )
    leads = np.subtract.outer(high, low)
    right = leads > 0
    leads, weights = leads[right], np.multiply.outer(high_weight, low_weight)[right]
    lead = Survival.of(leads, weights)
    grid = np.union1d(leads, [0.0, 1.0])
    return grid, lead.more_than(grid) / (above.above[0] * below.above[0])


def _share(above: Survival, below: Survival, margin: float) -> float:
    """Share of the pairs with p_a − τ > p_b at one margin τ."""
    positives, weights = above.distinct()
    beaten = below.above[0] - below.at_least(positives - margin)
    return float(weights @ beaten / (above.above[0] * below.above[0]))


def _scored_auc(above: Survival, below: Survival) -> float:
    """Mean of max(p_a − p_b, 0) from running sums over the sorted negatives: O(n log n)."""
    positives, weights = above.distinct()
    negatives, negative_weights = below.distinct()
    weight_below = running_sum(negative_weights)
    sum_below = running_sum(negative_weights * negatives)
    place = np.searchsorted(negatives, positives)
    lead = positives * weight_below[place] - sum_below[place]
    return float(weights @ lead / (above.above[0] * below.above[0]))
