"""ROC curves of pairs of classes, and of each class against the rest.

A curve needs from each side one thing only: the share of its weight at or above a threshold. One
sort of column k gives that for every class at once, so the K − 1 curves of class k share it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from polyroc._base.sums import running_weight
from polyroc._base.wording import plural
from polyroc.errors import NotDefined, UnknownName
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._classes import positions, some_of
from polyroc.predictions._given import kept_predictions_of
from polyroc.typing import (
    Absent,
    BoolArray,
    Float64Array,
    FloatArray,
    Label,
    LabelsLike,
    ScoresLike,
    WeightsLike,
)

Key = TypeVar("Key")


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve:
    """One ROC curve: what is decided positive has a score at or above the threshold.

    Attributes
    ----------
    positive, negative : the two classes; ``negative`` is None for all the others together.
    false_positive_rate, true_positive_rate : (m,) rising from (0, 0) to (1, 1).
    thresholds : (m,) falling from infinity, one for each distinct score.
    area : area under the straight lines between the points, AUC with half credit for ties.
    """

    positive: Label
    negative: Label | None
    false_positive_rate: Float64Array
    true_positive_rate: Float64Array
    thresholds: Float64Array
    area: float

    def __repr__(self) -> str:
        against = "the rest" if self.negative is None else repr(self.negative)
        return (
            f"RocCurve({self.positive!r} against {against}: "
            f"{len(self.thresholds):,} points, area {self.area:.6g})"
        )

    def frame(self) -> Any:
        """One row per point, as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(
            {
                "positive": self.positive,
                "negative": self.negative,
                "threshold": self.thresholds,
                "false_positive_rate": self.false_positive_rate,
                "true_positive_rate": self.true_positive_rate,
            }
        )


class RocCurves(Mapping[Key, RocCurve], Generic[Key]):
    """Several ROC curves by name, each computed on access and not stored.

    So the K(K − 1) curves of many classes are iterated in the memory of one.
    """

    def __init__(self, keys: tuple[Key, ...], curve: Callable[[Key], RocCurve]) -> None:
        self._keys = dict.fromkeys(keys)
        self._curve = curve

    def __getitem__(self, key: Key) -> RocCurve:
        if key not in self._keys:
            raise UnknownName(
                f"There is no curve {key!r}. The curves are {some_of(list(map(repr, self._keys)))}."
            )
        return self._curve(key)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"RocCurves({plural(len(self), 'curve')})"

    def areas(self) -> dict[Key, float]:
        """Area of every curve."""
        return {key: curve.area for key, curve in self.items()}

    def frame(self) -> Any:
        """One row per point of every curve, as a pandas data frame."""
        import pandas as pd

        return pd.concat([curve.frame() for curve in self.values()], ignore_index=True)


@dataclass(frozen=True, eq=False)
class Survival:
    """Scores of some cases in ascending order, and the weight from each of them upwards.

    ``above[i]`` is the weight of ``values[i:]``, so ``above[0]`` is all of it.
    """

    values: Float64Array
    above: Float64Array

    @classmethod
    def of_sorted(cls, values: FloatArray, weights: Float64Array | None) -> "Survival":
        """From scores in ascending order; unit weights where none are given."""
        steps = np.ones(len(values)) if weights is None else weights
        return cls(values.astype(np.float64), running_weight(steps[::-1])[::-1])

    @classmethod
    def of(cls, values: FloatArray, weights: Float64Array | None) -> "Survival":
        """From scores in any order: O(n log n)."""
        order = np.argsort(values, kind="stable")
        return cls.of_sorted(values[order], None if weights is None else weights[order])

    def at_least(self, thresholds: Float64Array) -> Float64Array:
        """Weight of the scores ≥ each threshold."""
        return self.above[np.searchsorted(self.values, thresholds, side="left")]

    def more_than(self, thresholds: Float64Array) -> Float64Array:
        """Weight of the scores > each threshold."""
        return self.above[np.searchsorted(self.values, thresholds, side="right")]

    def distinct(self) -> tuple[Float64Array, Float64Array]:
        """The distinct scores, ascending, and the weight of each."""
        values, first = np.unique(self.values, return_index=True)
        return values, -np.diff(np.append(self.above[first], 0.0))


@dataclass(eq=False)
class _SortedColumn:
    """The latest column that was sorted, split by class; another column takes its place."""

    predictions: Predictions
    latest: tuple[int, list[Survival]] | None = None

    def by_class(self, k: int) -> list[Survival]:
        latest = self.latest
        if latest is None or latest[0] != k:
            latest = self.latest = (k, _split_by_class(self.predictions, k))
        return latest[1]


def _split_by_class(predictions: Predictions, k: int) -> list[Survival]:
    order = np.argsort(predictions.scores[:, k], kind="stable")
    order = order[np.argsort(predictions.codes[order], kind="stable")]
    ends = np.cumsum(predictions.class_counts)[:-1]
    weights = predictions.weights
    return [
        Survival.of_sorted(
            predictions.scores[cases, k], None if weights is None else weights[cases]
        )
        for cases in np.split(order, ends)
    ]


def one_vs_one_roc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    drop_collinear: bool = False,
    absent: Absent = "raise",
) -> RocCurves[tuple[Label, Label]]:
    """ROC curves of all ordered pairs of classes (k, r), by the scores in column k.

    The area of curve (k, r) is AUC(k|r) = mean of step(p_ak − p_bk) over a in class k and b in
    class r, the term of Hand and Till's M [1]_. All curves take O(K n log n) time when they are
    iterated in order.

    Parameters
    ----------
    drop_collinear : leave out points on the straight line between their neighbours.
    absent : ``"skip"`` leaves out classes without cases, which are an error otherwise.

    Returns
    -------
    RocCurves : a mapping from (positive, negative) to :class:`RocCurve`.

    References
    ----------
    .. [1] Van Calster et al., "Multi-class AUC metrics and weighted alternatives", IJCNN 2008,
       eq. 1 and 9.

    Examples
    --------
    >>> curves = one_vs_one_roc(["a", "b", "b"], [[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])
    >>> curves["a", "b"]
    RocCurve('a' against 'b': 3 points, area 0.75)
    >>> curves["a", "b"].thresholds
    array([ inf, 0.5 , 0.25])
    """
    predictions = kept_predictions_of(
        y_true, y_score, labels=labels, sample_weight=sample_weight, absent=absent
    )
    classes, column = predictions.classes, _SortedColumn(predictions)
    pairs = tuple((k, r) for k in classes for r in classes if k != r)
    return RocCurves(pairs, partial(_one_vs_one, column, positions(classes), drop_collinear))


def _one_vs_one(
    column: _SortedColumn,
    position: Mapping[Label, int],
    drop_collinear: bool,
    pair: tuple[Label, Label],
) -> RocCurve:
    """One of the curves; a function of a module, so that the curves can be pickled."""
    k, r = position[pair[0]], position[pair[1]]
    sides = column.by_class(k)
    return roc_of(*pair, sides[k], sides[r], drop_collinear)


def one_vs_rest_roc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    drop_collinear: bool = False,
    absent: Absent = "raise",
) -> RocCurves[Label]:
    """ROC curves of each class k against all others, by the scores in column k.

    The area of curve k is AUC(k|rest), the term of Provost and Domingos' mean (Van Calster et al.
    2008, §III A). O(n log n) for each curve.

    Examples
    --------
    >>> scores = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25]]
    >>> one_vs_rest_roc(["a", "b", "c"], scores).areas()
    {'a': 0.75, 'b': 1.0, 'c': 0.5}
    """
    predictions = kept_predictions_of(
        y_true, y_score, labels=labels, sample_weight=sample_weight, absent=absent
    )
    classes = predictions.classes
    return RocCurves(
        classes, partial(_one_vs_rest, predictions, positions(classes), drop_collinear)
    )


def _one_vs_rest(
    predictions: Predictions, position: Mapping[Label, int], drop_collinear: bool, label: Label
) -> RocCurve:
    positive, negative = two_sides(predictions, position[label], predictions.scores)
    return roc_of(label, None, positive, negative, drop_collinear)


def roc_curve(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    drop_collinear: bool = False,
) -> RocCurve:
    """ROC curve of two classes, the second of them positive: O(n log n).

    Examples
    --------
    >>> curve = roc_curve([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    >>> curve.area
    0.875
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    require_classes(predictions, 2, "roc_curve")
    positive, negative = two_sides(predictions, 1, predictions.scores)
    first, second = predictions.classes
    return roc_of(second, first, positive, negative, drop_collinear)


def require_classes(predictions: Predictions, n_classes: int, name: str) -> None:
    """Raise an error unless there are as many classes as the curve is defined for."""
    if predictions.n_classes != n_classes:
        raise NotDefined(
            f"{name} is defined for {n_classes} classes, got {predictions.n_classes}. "
            "Use one_vs_one_roc or one_vs_rest_roc for any number of classes."
        )


def two_sides(predictions: Predictions, k: int, rows: FloatArray) -> tuple[Survival, Survival]:
    """Column k of rows for the cases of class k and for all others."""
    own = predictions.codes == k

    def side(cases: BoolArray) -> Survival:
        weights = None if predictions.weights is None else predictions.weights[cases]
        return Survival.of(rows[cases, k], weights)

    return side(own), side(~own)


def roc_of(
    positive: Label,
    negative: Label | None,
    above: Survival,
    below: Survival,
    drop_collinear: bool = False,
) -> RocCurve:
    """The curve of two sorted sides."""
    values = np.unique(np.concatenate([above.values, below.values]))[::-1]
    thresholds = np.append(np.inf, values)
    true, false = above.at_least(thresholds), below.at_least(thresholds)
    area = float(np.trapezoid(true, false) / (true[-1] * false[-1]))
    if drop_collinear:
        kept = _corners(false, true)
        thresholds, true, false = thresholds[kept], true[kept], false[kept]
    return RocCurve(positive, negative, false / false[-1], true / true[-1], thresholds, area)


def _corners(x: Float64Array, y: Float64Array) -> BoolArray:
    """Where the line through the points turns, and both ends; exact for whole weights."""
    dx, dy = np.diff(x), np.diff(y)
    kept = np.ones(len(x), dtype=bool)
    kept[1:-1] = dx[:-1] * dy[1:] != dx[1:] * dy[:-1]
    return kept
