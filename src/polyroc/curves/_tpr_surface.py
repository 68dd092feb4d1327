"""ROC surface of three classes: the true positive rates of the rules argmax_k s_k p_k.

In logarithms a case is a point x = log p_1 − log p_3, y = log p_2 − log p_3, and a rule cuts the
plane into three sectors that meet at (u, v) = (log s_3 − log s_1, log s_3 − log s_2). Seen from the
rules, each case has a wedge of vertices (u, v) that decide it right:

    class 1:  u < x and u − v < x − y
    class 2:  v < y and u − v > x − y
    class 3:  u > x and v > y

The rules that decide a given set of cases right form an intersection of wedges, a hexagon
U_3 < u < U_1, V_3 < v < V_2, D_2 < u − v < D_1. Its leftmost lowest corner is one of

    (U_3, V_3)           two cases of class 3,
    (U_3, U_3 − D_1)     one of class 3 and one of class 1,
    (V_3 + D_2, V_3)     one of class 3 and one of class 2,

so every rule that no other dominates decides like one just inside such a corner: about n_3 n
candidates, where 3 stands for the smallest class. Logarithms are multiples of 2⁻⁴⁰, of equal
products the same, and kept as integers four apart, which leaves room for "just inside": no
comparison rounds.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc._base.logarithms import UNIT, whole_logarithms
from polyroc._base.wording import plural
from polyroc.curves._roc import require_classes
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import (
    Float64Array,
    FloatArray,
    Int64Array,
    Label,
    LabelsLike,
    ScoresLike,
    WeightsLike,
)

_UNIT = 4 * UNIT  # the logarithm of e, in integers whose multiples of 4 are rounded logarithms
_CANDIDATES_PER_BLOCK = 1 << 19


@dataclass(frozen=True, eq=False, repr=False)
class TprSurface:
    """ROC surface of three classes: its corners, none of which dominates another.

    Attributes
    ----------
    classes : the three classes, in the order of the columns.
    rates : (m, 3) true positive rates, in descending order of the first.
    log_multipliers : (m, 3) log s of one rule argmax_k s_k p_k with these rates, the last 0.
    volume : volume of the union of the boxes [0, TPR_1] × [0, TPR_2] × [0, TPR_3]. It is the share
        of triplets, one case from each class, whose own assignment has a strictly larger Σ log p
        than the five others, the logarithm of 0 being −∞.
    """

    classes: tuple[Label, ...]
    rates: Float64Array
    log_multipliers: Float64Array
    volume: float

    @property
    def multipliers(self) -> Float64Array:
        """(m, 3) the multipliers s, scaled to the sum 1."""
        raised = np.exp(self.log_multipliers - self.log_multipliers.max(axis=1, keepdims=True))
        scaled: Float64Array = raised / raised.sum(axis=1, keepdims=True)
        return scaled

    def __repr__(self) -> str:
        return f"TprSurface({plural(len(self.rates), 'corner')}, volume {self.volume:.6g})"

    def frame(self) -> Any:
        """One row per corner, as a pandas data frame: rates and multipliers of each class."""
        import pandas as pd

        rates = {f"rate_{label}": self.rates[:, k] for k, label in enumerate(self.classes)}
        s = self.multipliers
        return pd.DataFrame(
            rates | {f"multiplier_{label}": s[:, k] for k, label in enumerate(self.classes)}
        )


def tpr_surface(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
) -> TprSurface:
    """Exact ROC surface of three classes: all true positive rates that no rule improves on.

    The rules decide for argmax_k s_k p_k with positive multipliers s; of their rates
    (TPR_1, TPR_2, TPR_3) those are kept that no other rule betters [1]_. Two rules never exchange
    cases in two classes at once, so weights change the rates but not which rules are kept.

    Ties are strict: where cases of different classes have the same p, a rule decides for one
    class, and a rule that puts a case on a border is never used. A case whose own class has
    probability 0 is right by no rule; a 0 elsewhere only means that no rule decides for that class.

    O(n_3 n log n) time for the candidates, n_3 being the smallest class, and a sweep over those
    that are distinct.

    References
    ----------
    .. [1] Van Calster et al., "Multi-class AUC metrics and weighted alternatives", IJCNN 2008,
       §III A, after Mossman, Med. Decis. Making 1999, and Dreiseitl et al., ibid. 2000.

    Examples
    --------
    The last two cases have the same scores, so a rule gets one of them right or the other.

    >>> scores = [[0.8, 0.1, 0.1], [0.1, 0.5, 0.4], [0.1, 0.5, 0.4]]
    >>> surface = tpr_surface(["a", "b", "c"], scores)
    >>> surface
    TprSurface(2 corners, volume 0)
    >>> surface.rates
    array([[1., 1., 0.],
           [1., 0., 1.]])
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    require_classes(predictions, 3, "tpr_surface")
    rows = predictions.probabilities(needed_by="tpr_surface")
    order = np.argsort(-predictions.class_counts, kind="stable")
    wedges = _Wedges.of(predictions, rows, order)
    corners = np.concatenate([_distinct(wedges, u, v) for u, v in _candidates(wedges)])
    columns = np.argsort(order)
    totals = wedges.totals[columns]
    rates = wedges.covered(corners[:, 0], corners[:, 1])[:, columns]
    kept, volume = _front(rates)
    vertex = _central(wedges, corners[kept])
    logs = np.column_stack([-vertex, np.zeros(len(vertex))])[:, columns] / _UNIT
    return TprSurface(
        predictions.classes,
        rates[kept] / totals,
        logs - logs[:, 2:],
        float(volume / np.prod(totals)),
    )


@dataclass(frozen=True, eq=False)
class _Corner:
    """Points of one class on two integer axes, and the weight beyond any corner: O(n²) memory."""

    first: Int64Array  # ascending
    second: Int64Array  # ascending
    beyond: Float64Array  # beyond[i, j]: weight of the points at first[i:] and second[j:]

    @classmethod
    def of(cls, first: Int64Array, second: Int64Array, weights: Float64Array) -> "_Corner":
        table = np.zeros((len(first) + 1, len(first) + 1))
        order_first, order_second = np.argsort(first), np.argsort(second)
        table[np.argsort(order_first), np.argsort(order_second)] = weights
        table = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
        return cls(first[order_first], second[order_second], table)

    def weight(self, first: Int64Array, second: Int64Array) -> Float64Array:
        """Weight of the points beyond each corner."""
        i = np.searchsorted(self.first, first)
        return self.beyond[i, np.searchsorted(self.second, second)]


@dataclass(frozen=True, eq=False)
class _Wedges:
    """The wedges of the cases of three classes, the smallest of them last."""

    x: tuple[Int64Array, ...]
    y: tuple[Int64Array, ...]
    corners: tuple[_Corner, ...]
    totals: Float64Array
    far: int  # beyond every corner between two of the cases

    @classmethod
    def of(cls, predictions: Predictions, rows: FloatArray, order: Int64Array) -> "_Wedges":
        weights = _summable(predictions.case_weights)
        logs = _integer_logs(rows[:, order])
        x, y = logs[:, 0] - logs[:, 2], logs[:, 1] - logs[:, 2]
        cases = [(predictions.codes == k) & (rows[:, k] > 0) for k in order]
        xs, ys = tuple(x[own] for own in cases), tuple(y[own] for own in cases)
        axes = (xs[0], xs[0] - ys[0]), (ys[1], ys[1] - xs[1]), (-xs[2], -ys[2])
        corners = tuple(
            _Corner.of(*pair, weights[own]) for pair, own in zip(axes, cases, strict=True)
        )
        totals = np.array([weights[predictions.codes == k].sum() for k in order])
        far = 4 * int(max(np.abs(x).max(), np.abs(y).max(), np.abs(x - y).max(), _UNIT))
        return cls(xs, ys, corners, totals, far)

    def covered(self, u: Int64Array, v: Int64Array) -> Float64Array:
        """Weight of each class that the rules with the vertices (u, v) decide right."""
        axes = (u, u - v), (v, v - u), (-u, -v)
        pairs = zip(self.corners, axes, strict=True)
        return np.column_stack([corner.weight(*pair) for corner, pair in pairs])


def _summable(weights: Float64Array) -> Float64Array:
    """Weights rounded so that all their partial sums are exact: whole weights stay as they are."""
    step = np.spacing(2 * weights.sum())
    rounded: Float64Array = np.rint(weights / step) * step
    return rounded


def _integer_logs(rows: FloatArray) -> Int64Array:
    """Logarithms as multiples of 4; that of 0 lies below all corners between positive ones."""
    positive = rows > 0
    logs = whole_logarithms(np.where(positive, rows, 1))
    logs = np.where(positive, logs, 8 * logs.min() - 8 * UNIT)
    whole: Int64Array = 4 * logs.astype(np.int64)
    return whole


def _candidates(wedges: _Wedges) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Vertices just inside the corners, for a block of cases of class 3 at a time.

    A corner of two cases counts only where each lies on the border of the other's wedge. The case
    added to class 3 stands for "none".
    """
    (x1, x2, x3), (y1, y2, y3) = wedges.x, wedges.y
    x3, y3 = np.append(x3, -wedges.far), np.append(y3, -wedges.far)
    d1, d2, d3 = x1 - y1, x2 - y2, x3 - y3
    block = max(1, _CANDIDATES_PER_BLOCK // (len(x1) + len(x2) + len(x3)))
    for start in range(0, len(x3), block):
        x, y, d = (column[start : start + block, None] for column in (x3, y3, d3))
        i, j = np.nonzero((x3 <= x) & (y3 >= y))
        u, v = x[i, 0], y3[j]
        yield np.append(u + 2, u + 1), np.append(v + 1, v + 2)
        i, j = np.nonzero((x1 > x) & (d1 <= d))
        yield x[i, 0] + 1, x[i, 0] - d1[j] + 2
        i, j = np.nonzero((y2 > y) & (d2 >= d))
        yield y[i, 0] + d2[j] + 2, y[i, 0] + 1


def _distinct(wedges: _Wedges, u: Int64Array, v: Int64Array) -> Int64Array:
    """Of the vertices with the same first two rates, one with the highest third."""
    rates = wedges.covered(u, v)
    order = np.lexsort((-rates[:, 2], rates[:, 1], rates[:, 0]))
    pair = rates[order, :2]
    first = np.append(True, (pair[1:] != pair[:-1]).any(axis=1))[: len(order)]
    kept = order[first]
    return np.column_stack([u[kept], v[kept]])


def _central(wedges: _Wedges, corners: Int64Array) -> Float64Array:
    """A vertex in the middle of the cell around each corner, away from every border."""
    (x1, x2, x3), (y1, y2, y3) = wedges.x, wedges.y
    u, v = corners.T
    low_u, high_u = _neighbours(np.concatenate([x1, x3]), u)
    low_v, high_v = _neighbours(np.concatenate([y2, y3]), v)
    low_d, high_d = _neighbours(np.concatenate([x1 - y1, x2 - y2]), u - v)
    middle_u = (np.maximum(low_u, low_v + low_d) + np.minimum(high_u, high_v + high_d)) / 2
    low, high = np.maximum(low_v, middle_u - high_d), np.minimum(high_v, middle_u - low_d)
    return np.column_stack([middle_u, (low + high) / 2])


def _neighbours(lines: Int64Array, at: Int64Array) -> tuple[Float64Array, Float64Array]:
    """The lines next to each position on both sides; beyond the outermost, a logarithm of 1 off."""
    lines = np.sort(lines)
    padded = np.concatenate([[-np.inf], lines, [np.inf]])
    place = np.searchsorted(lines, at)
    return np.maximum(padded[place], at - _UNIT), np.minimum(padded[place + 1], at + _UNIT)


def _front(points: Float64Array) -> tuple[Int64Array, float]:
    """Points that no other equals or betters, and the volume of the union of their boxes.

    The points come in descending order of the first coordinate; a staircase holds the maxima of
    the other two so far, and its area times the next step of the first is a slab of the volume.
    O(m log m) for m points, apart from shifting the staircase.
    """
    order = np.lexsort((-points[:, 2], -points[:, 1], -points[:, 0]))
    stairs, kept, volume, reached = _Staircase(), [], 0.0, 0.0
    for place, (x, y, z) in zip(order.tolist(), points[order].tolist(), strict=True):
        if stairs.holds(y, z):
            continue
        volume += stairs.area * (reached - x)
        reached = x
        stairs.add(y, z)
        kept.append(place)
    return np.array(kept, dtype=np.int64), volume + stairs.area * reached


class _Staircase:
    """Maxima of points in the plane: y ascends, z descends; area of the union of their boxes."""

    def __init__(self) -> None:
        self.y: list[float] = []
        self.z: list[float] = []
        self.area = 0.0

    def holds(self, y: float, z: float) -> bool:
        """Whether some step is at least as high in both."""
        place = bisect_left(self.y, y)
        return place < len(self.y) and self.z[place] >= z

    def add(self, y: float, z: float) -> None:
        """Put in a step that is not held, and take out those below it."""
        stop = bisect_left(self.y, y)
        stop += stop < len(self.y) and self.y[stop] == y
        start = stop
        while start and self.z[start - 1] <= z:
            start -= 1
        floor = self.y[start - 1] if start else 0.0
        for step in range(start, stop):
            self.area += (self.y[step] - floor) * (z - self.z[step])
            floor = self.y[step]
        self.area += (y - floor) * (z - (self.z[stop] if stop < len(self.z) else 0.0))
        self.y[start:stop], self.z[start:stop] = [y], [z]
