"""Probabilistic ROC curve: every score stands for an interval of width d around it.

Both rates are linear in the threshold between two neighbouring ends of intervals, so the curve is a
chain of straight lines between those ends, and the trapezoidal rule gives its area exactly.

The width is the smallest d at which that area, mean over pairs of T(δ/d), equals pAUC. Here
δ = p_a − p_b and T is the distribution function of the triangular law on [−1, 1]. Let u be the
sorted distinct |δ| > 0, and W = sign(δ) times the share of the pair. For d between u_j and
u_{j+1}, with x = 1/d,

    area(x) = ½ + ½ Σ_{|δ| > u_j} W + x Σ_{|δ| ≤ u_j} W|δ| − ½ x² Σ_{|δ| ≤ u_j} W|δ|²,

a quadratic in x whose coefficients are running sums. The pairs are visited in ascending |δ|, one
ring lo < |δ| ≤ hi after the other, and the first root ends the visit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.checks import shown
from polyroc.curves._roc import Survival, require_classes, roc_of, two_sides
from polyroc.errors import InvalidInput, NotDefined
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import (
    Float64Array,
    Int64Array,
    Label,
    LabelsLike,
    ScoresLike,
    WeightsLike,
)

MOST_PAIRS = 50_000_000
"""Pairs of distinct scores up to which the width is searched for."""

_PAIRS_PER_RING = 1 << 20
_EQUAL = 1e-13
"""Areas closer than this are equal: running sums of shares carry errors of this size."""


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilisticRoc:
    """Probabilistic ROC curve, a chain of straight lines.

    Attributes
    ----------
    positive, negative : the two classes.
    width : d, the width of the interval around each score; 0 is the ordinary ROC curve.
    false_positive_rate, true_positive_rate : (m,) rising from (0, 0) to (1, 1).
    thresholds : (m,) falling, all ends of intervals; both rates are linear in between.
    area : area under the curve; equals ``probabilistic_auc`` unless the width was given.
    probabilistic_auc : pAUC = ½ + ½ (mean of p over positives − mean of p over negatives).
    """

    positive: Label
    negative: Label
    width: float
    false_positive_rate: Float64Array
    true_positive_rate: Float64Array
    thresholds: Float64Array
    area: float
    probabilistic_auc: float

    def __repr__(self) -> str:
        return (
            f"ProbabilisticRoc({self.positive!r} against {self.negative!r}: "
            f"width {self.width:.6g}, area {self.area:.6g})"
        )

    def frame(self) -> Any:
        """One row per point, as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(
            {
                "threshold": self.thresholds,
                "false_positive_rate": self.false_positive_rate,
                "true_positive_rate": self.true_positive_rate,
            }
        )


def probabilistic_roc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    width: float | None = None,
) -> ProbabilisticRoc:
    """Probabilistic ROC curve of two classes, the second of them positive.

    TPR(t) = mean over the positives of the share of [p − d/2, p + d/2] above t, FPR likewise over
    the negatives [1]_. Its area is the mean over pairs of T((p_a − p_b)/d), with
    T(x) = ½ + x − x|x|/2 inside [−1, 1], 0 below and 1 above.

    Parameters
    ----------
    width : d. By default the smallest width at which the area equals pAUC, found by visiting the
        N pairs of distinct scores in ascending abs(p_a − p_b): O(N log N) time, and memory for
        about a million pairs. With a width given, O(n log n).

    Raises
    ------
    NotDefined : no width gives the area pAUC. With m the mean of δ = p_a − p_b and q the mean of
        δ|δ|, d = 1 + √(1 − q/m) does if q/m ≤ 1, so this takes m = 0 or q/m > 1.

    References
    ----------
    .. [1] Van Calster et al., "Multi-class AUC metrics and weighted alternatives", IJCNN 2008,
       §II B and eq. 3–4, after Ferri et al., ROCML 2005.

    Examples
    --------
    One pair with δ = ½: pAUC = ¾, and ½ + x/2 − x²/8 = ¾ at x = 1/d = 2 − √2.

    >>> curve = probabilistic_roc([0, 1], [0.25, 0.75])
    >>> curve
    ProbabilisticRoc(1 against 0: width 1.70711, area 0.75)
    >>> probabilistic_roc([0, 1], [0.25, 0.75], width=1).frame()
       threshold  false_positive_rate  true_positive_rate
    0       1.25                  0.0                 0.0
    1       0.75                  0.0                 0.5
    2       0.25                  0.5                 1.0
    3      -0.25                  1.0                 1.0
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    require_classes(predictions, 2, "probabilistic_roc")
    rows = predictions.probabilities(needed_by="probabilistic_roc")
    above, below = two_sides(predictions, 1, rows)
    target = 0.5 + 0.5 * (_mean(above) - _mean(below))
    found = smallest_width(above, below, target) if width is None else _checked(width)
    negative, positive = predictions.classes
    points = _points(above, below, found) if found > 0 else _ordinary_points(above, below)
    area = float(np.trapezoid(points[1], points[0]))
    return ProbabilisticRoc(positive, negative, found, *points, area, target)


def _mean(side: Survival) -> float:
    values, weights = side.distinct()
    return float(weights @ values / side.above[0])


def _checked(width: float) -> float:
    if not (np.isfinite(width) and width >= 0):
        raise InvalidInput(
            f"width must be a number of at least 0, got {shown(width)}. "
            "Leave it out to have the width found for which the area equals pAUC."
        )
    return float(width)


def _ordinary_points(
    above: Survival, below: Survival
) -> tuple[Float64Array, Float64Array, Float64Array]:
    curve = roc_of(1, 0, above, below)
    return curve.false_positive_rate, curve.true_positive_rate, curve.thresholds


def _points(
    above: Survival, below: Survival, width: float
) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Rates at all ends of intervals, from the top: O(n log n).

    Between two ends a rate grows by the weight of the intervals that cover the gap. The gap comes
    from the scores, not from the rounded ends, so that widths near the spacing of floats are safe.
    """
    (high, high_weight), (low, low_weight) = above.distinct(), below.distinct()
    score = np.tile(np.concatenate([high, low]), 2)
    end = np.repeat([0.5, -0.5], len(score) // 2)
    order = np.lexsort((-end, -(score + end * width)))
    score, end = score[order], end[order]
    gaps = np.maximum(0.0, -np.diff(score) - width * np.diff(end))
    true = np.concatenate([high_weight, np.zeros(len(low))])
    false = np.concatenate([np.zeros(len(high)), low_weight])
    thresholds = score + end * width
    last = np.append(np.diff(thresholds) != 0, True)
    rates = [_covered(np.tile(side, 2)[order] * 2 * end, gaps)[last] for side in (false, true)]
    return rates[0], rates[1], thresholds[last]


def _covered(starts: Float64Array, gaps: Float64Array) -> Float64Array:
    """Share of the weighted intervals passed at each end, from 0 to 1."""
    passed = np.append(0.0, np.cumsum(np.maximum(0.0, np.cumsum(starts)[:-1]) * gaps))
    shares: Float64Array = passed / passed[-1]
    return shares


class _Sums(NamedTuple):
    """Running sums over the pairs up to |δ| = u, of W, W|δ| and W|δ|², one entry for each u."""

    u: Float64Array
    signs: Float64Array
    first: Float64Array
    second: Float64Array

    def last(self) -> "_Sums":
        return _Sums(*(column[-1:] for column in self))

    def shares(self, n_pairs: float) -> "_Sums":
        return _Sums(self.u, *(column / n_pairs for column in self[1:]))


def smallest_width(above: Survival, below: Survival, target: float) -> float:
    """Smallest d whose area is the target; 0 if the ordinary curve has it."""
    auc = roc_of(1, 0, above, below).area
    if abs(auc - target) <= _EQUAL:
        return 0.0
    n_pairs = float(above.above[0] * below.above[0])
    sums = _Sums(*(np.zeros(0) for _ in range(4)))
    for leads, weights in _rings(above, below):
        sums = _running(leads, weights, sums)
        width = _first_root(sums.shares(n_pairs), 2 * auc - 1, target)
        if width is not None:
            return width
        sums = sums.last()
    u, _, _, q = (float(column[0]) for column in sums.shares(n_pairs))
    return _width_beyond(u, 2 * target - 1, q)


def _width_beyond(u: float, m: float, q: float) -> float:
    """Smallest root from the largest |δ| on, where the area is pAUC at d = 1 ± √(1 − q/m)."""
    if abs(m) > _EQUAL and q / m <= 1 + _EQUAL:
        root = np.sqrt(max(0.0, 1 - q / m))
        for width in (q / m / (1 + root), 1 + root):
            if width >= u * (1 - _EQUAL):
                return float(width)
    raise _no_width(m, q)


def _no_width(m: float, q: float) -> NotDefined:
    cause = "m = 0" if abs(m) <= _EQUAL else f"q/m = {q / m:.6g} > 1"
    return NotDefined(
        "No width of the intervals gives the probabilistic ROC curve the area pAUC: "
        f"{cause}, where m is the mean of p_a − p_b over pairs and q that of its signed square. "
        "Pass width= to draw the curve at a width of your choice."
    )


def _first_root(sums: _Sums, total: float, target: float) -> float | None:
    """Smallest d in [u_0, u_last] at which the area is the target, or None."""
    constant = 0.5 + 0.5 * (total - sums.signs[:-1]) - target
    linear, square = sums.first[:-1], -0.5 * sums.second[:-1]
    near, far = 1 / sums.u[:-1], 1 / sums.u[1:]  # x falls from near to far as d rises
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(square != 0, -linear / (2 * square), near)
    turn = np.clip(turn, far, near)
    values = np.array([constant + x * (linear + x * square) for x in (near, turn, far)])
    meets = (values.min(axis=0) <= _EQUAL) & (values.max(axis=0) >= -_EQUAL)
    if not meets.any():
        return None
    j = int(np.argmax(meets))
    x = _largest_root(constant[j], linear[j], square[j], (near[j], turn[j], far[j]))
    return float(1 / x)


def _largest_root(
    constant: float, linear: float, square: float, stops: tuple[float, float, float]
) -> float:
    """Largest x where the quadratic is 0, on a falling chain of stops between which it is monotone.

    A stop where it is 0 but for rounding counts.
    """
    values = [constant + x * (linear + x * square) for x in stops]
    for x, y, value, following in zip(stops, stops[1:], values, values[1:], strict=False):
        if abs(value) <= _EQUAL:
            return x
        if value * following < 0 and abs(following) > _EQUAL:
            return _root_between(constant, linear, square, y, x)
    return next(x for x, value in zip(stops, values, strict=True) if abs(value) <= _EQUAL)


def _root_between(constant: float, linear: float, square: float, low: float, high: float) -> float:
    """The root of a quadratic inside a bracket, by the formula without cancellation."""
    root = np.sqrt(max(0.0, linear * linear - 4 * square * constant))
    partner = -0.5 * (linear + np.copysign(root, linear))
    roots = [top / bottom for top, bottom in ((partner, square), (constant, partner)) if bottom]
    inside = [min(max(x, low), high) for x in roots]
    misses = [abs(x - kept) for x, kept in zip(roots, inside, strict=True)]
    return float(inside[int(np.argmin(misses))])


def _running(leads: Float64Array, weights: Float64Array, before: _Sums) -> _Sums:
    """Running sums over the distinct |δ| of a ring, after the last of those before it."""
    u = np.abs(leads)
    order = np.argsort(u)
    u, signed = u[order], (np.sign(leads) * weights)[order]
    last = np.append(u[1:] != u[:-1], True)
    columns = (u, *(_continued(signed * u**power, before[power + 1]) for power in range(3)))
    return _Sums(
        *(np.append(start, column[last]) for start, column in zip(before, columns, strict=True))
    )


def _continued(terms: Float64Array, before: Float64Array) -> Float64Array:
    """Running sums that continue from the last of those before, if there are any."""
    return np.cumsum(np.append(before, terms))[len(before) :]


def _rings(above: Survival, below: Survival) -> Iterator[tuple[Float64Array, Float64Array]]:
    """δ and weight of all pairs of distinct scores with δ ≠ 0, ring by ring in ascending |δ|."""
    (high, high_weight), (low, low_weight) = above.distinct(), below.distinct()
    if len(high) * len(low) > MOST_PAIRS:
        raise InvalidInput(
            f"The width would have to be searched for among {len(high)} × {len(low)} pairs of "
            f"scores, over the limit of {MOST_PAIRS}. Pass width=, or a sample of the cases."
        )
    for pick, partner in _pairs_in(high, low, 0.0, 2.0):
        yield high[pick] - low[partner], high_weight[pick] * low_weight[partner]


def _pairs_in(
    high: Float64Array, low: Float64Array, inner: float, outer: float
) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Positions of the pairs with inner < |δ| ≤ outer; halved while they are too many."""
    starts = np.concatenate(
        [np.searchsorted(low, high - outer), np.searchsorted(low, high + inner, "right")]
    )
    stops = np.concatenate(
        [np.searchsorted(low, high - inner), np.searchsorted(low, high + outer, "right")]
    )
    counts = stops - starts
    n_pairs, middle = int(counts.sum()), (inner + outer) / 2
    if n_pairs > _PAIRS_PER_RING and inner < middle < outer:
        yield from _pairs_in(high, low, inner, middle)
        yield from _pairs_in(high, low, middle, outer)
    elif n_pairs:
        first = np.repeat(starts - np.cumsum(counts) + counts, counts)
        yield np.repeat(np.tile(np.arange(len(high)), 2), counts), first + np.arange(n_pairs)
