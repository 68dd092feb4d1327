"""Pair statistics of many resamples of the same cases, from one sort.

A resample is a vector of weights: how often a bootstrap sample holds each case, 0 where it is
absent. The order of the scores does not depend on the weights, so each column, and the margins of
each pair of classes, is sorted once. A replicate is then one walk down each order, from the highest
score: the weight of the positives met so far is the weight above the next case.

* Ties. Among equal scores the other classes come before the positives, so the walk counts no tied
  pair as above. Runs of equal scores that hold both kinds are kept a second time, turned round: the
  same walk along each of them counts its tied pairs. Without such runs ties cost nothing.
* Margins. The margins of class i towards every class j > i are one order in K − 1 − i parts.
* Layout. Cases are kept by class, so a pair of classes touches few neighbouring rows of weights.

O(K n log n) once, then O(K n) a replicate, for the columns, the margins and the means alike.
Replicates pass in blocks, a bounded number of blocks at once. Threads share the columns of the
blocks; neither they nor the blocks change a bit of the answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import map_threads
from polyroc._base.ties import as_written, merged, slack_between
from polyroc.errors import InvalidInput
from polyroc.predictions import Predictions
from polyroc.statistics.directed import margins_of
from polyroc.statistics.margins import Margins
from polyroc.statistics.means import Means
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, FloatArray, Int64Array, Label

BYTE_BLOCK = 64
"""Replicates at once where weights are whole numbers up to 255: a row is one cache line."""

FLOAT_BLOCK = 16
"""Replicates at once with other weights."""

MEMORY = 1 << 28
"""Bytes of weights that are laid out at once; more only where one block needs more."""

SMALL_WORK = 10_000_000
"""Cases × columns × replicates up to which one thread is done before others have started."""

_POSITIVE = -1
Weights: TypeAlias = NDArray[np.uint8] | Float64Array


@dataclass(frozen=True)
class PairReplicates:
    """Statistics of B replicates; row = positive class. What was not asked for is NaN.

    Attributes
    ----------
    above, tied, excess : (B, K, K) sums over pairs as in ``Pairs``, but 0 on the diagonal.
    margin_above, margin_tied : (B, K, K) sums over pairs as in ``Margins``, for i < j.
    means : (B, K, K), row c the mean probability vector of class c; NaN for a class without weight.
    class_weights : (B, K).
    """

    above: Float64Array
    tied: Float64Array
    excess: Float64Array
    margin_above: Float64Array
    margin_tied: Float64Array
    means: Float64Array
    class_weights: Float64Array
    classes: tuple[Label, ...] = ()

    def __len__(self) -> int:
        return len(self.class_weights)

    def statistic(self, kind: type[Statistic], b: int) -> Statistic:
        """The statistic of replicate b: pairs, margins or means."""
        shared: dict[str, Any] = {"classes": self.classes, "weights": self.class_weights[b]}
        if kind is Means:
            return Means(vectors=self.means[b], **shared)
        if kind is Margins:
            return Margins(above=self.margin_above[b], tied=self.margin_tied[b], **shared)
        return Pairs(above=self.above[b], tied=self.tied[b], excess=self.excess[b], **shared)


class ResampledPairs:
    """Predictions sorted once, to be weighted anew many times.

    Parameters
    ----------
    predictions : their own sample weights, if any, multiply those of each replicate.
    excess, margins, means : what to compute besides ``above``, ``tied`` and the class weights.

    Examples
    --------
    The second replicate has the first case twice and the second case not at all:

    >>> import numpy as np
    >>> predictions = Predictions([0, 0, 1, 1], [0.1, 0.7, 0.6, 0.8])
    >>> replicates = ResampledPairs(predictions).replicates(np.array([[1, 1, 1, 1], [2, 0, 1, 1]]))
    >>> replicates.above[:, 1, 0]
    array([3., 4.])
    """

    def __init__(
        self,
        predictions: Predictions,
        *,
        excess: bool = True,
        margins: bool = True,
        means: bool = True,
    ) -> None:
        self._base, self._n_threads = predictions.weights, predictions.n_threads
        self._excess, self._means = excess, means
        self._cases = cases = _by_class(predictions)
        self._classes = predictions.classes
        rows = predictions.probabilities("the class means") if means else predictions.scores[:, :0]
        self._values = np.hstack([np.ones((len(rows), 1)), rows[cases.order]])
        columns = range(cases.n_classes)
        firsts = columns[:-1] if margins else columns[:0]
        self._columns = map_threads(partial(_sort_column, cases, excess), columns, self._n_threads)
        self._margins = map_threads(partial(_sort_margins, cases), firsts, self._n_threads)

    def replicates(self, weights: NDArray[Any]) -> PairReplicates:
        """Statistics for each row of ``weights`` (B, n), n = len(predictions).

        Whole numbers up to 255 are the fastest, in any type. Few calls with many rows keep the
        threads busy; their number does not change the memory used.
        """
        weights = np.asarray(weights)
        _check_shape(weights, len(self._cases.codes))
        results = self._blank(len(weights))
        narrow = self._base is None and weights.dtype.itemsize == 1
        at_once = _at_once(weights.shape[1] * (1 if narrow else 8))
        for start in range(0, len(weights), at_once):
            self._fill(results, list(self._blocks(weights[start : start + at_once], start)))
        return results

    def _blank(self, n_replicates: int) -> PairReplicates:
        """Zeros for what will be summed, NaN for the rest."""
        n_classes = self._cases.n_classes
        shape = (n_replicates, n_classes, n_classes)
        margin = 0.0 if self._margins else np.nan
        return PairReplicates(
            above=np.zeros(shape),
            tied=np.zeros(shape),
            excess=np.full(shape, 0.0 if self._excess else np.nan),
            margin_above=np.full(shape, margin),
            margin_tied=np.full(shape, margin),
            means=np.full(shape, np.nan),
            class_weights=np.zeros(shape[:2]),
            classes=self._classes,
        )

    def _blocks(self, weights: NDArray[Any], first: int) -> Iterator["_Block"]:
        for start in range(0, len(weights), BYTE_BLOCK):
            rows = weights[start : start + BYTE_BLOCK]
            _check_values(rows, first + start)
            if self._base is None and _fit_bytes(rows):
                yield _block(first + start, np.ascontiguousarray(rows, np.uint8))
                continue
            for at in range(0, len(rows), FLOAT_BLOCK):
                part = np.ascontiguousarray(rows[at : at + FLOAT_BLOCK], np.float64)
                yield _block(first + start + at, part if self._base is None else part * self._base)

    def _fill(self, results: PairReplicates, blocks: list["_Block"]) -> None:
        """Lay the weights of all blocks out by class, then walk down every order."""
        classes = [partial(self._fill_class, c) for c in range(self._cases.n_classes)]
        columns = [partial(self._fill_column, k) for k in range(len(self._columns))]
        margins = [partial(self._fill_margins, i) for i in range(len(self._margins))]
        work = sum(block.laid.size for block in blocks) * len(columns)
        n_threads = 1 if work < SMALL_WORK else self._n_threads
        for fillers in (classes, columns + margins):
            tasks = [partial(fill, results, block) for block in blocks for fill in fillers]
            map_threads(lambda task: task(), tasks, n_threads)

    def _fill_class(self, c: int, results: PairReplicates, block: "_Block") -> None:
        from polyroc.kernels.resample import lay_out, weighted_totals

        members = self._cases.members(c)
        laid = block.laid[members]
        lay_out(block.given, self._cases.order[members], laid)
        totals = np.zeros((self._values.shape[1], laid.shape[1]))
        weighted_totals(laid, self._values[members], totals)
        results.class_weights[block.where, c] = totals[0]
        if self._means:
            with np.errstate(invalid="ignore"):  # 0 / 0 for a class without weight
                results.means[block.where, c] = (totals[1:] / totals[0]).T

    def _fill_column(self, k: int, results: PairReplicates, block: "_Block") -> None:
        from polyroc.kernels.resample import pairs_above_with_excess

        (order, ties, gaps), where = self._columns[k], block.where
        results.tied[where, k] = self._walk(ties, block).T
        if not self._excess:
            results.above[where, k] = self._walk(order, block).T
            return
        above, excess = np.zeros((2, self._cases.n_classes, block.laid.shape[1]))
        pairs_above_with_excess(block.laid, order.cases, order.rows, gaps, above, excess)
        results.above[where, k], results.excess[where, k] = above.T, excess.T

    def _fill_margins(self, i: int, results: PairReplicates, block: "_Block") -> None:
        results.margin_above[block.where, i] = self._walk(self._margins[i].walk, block).T
        results.margin_tied[block.where, i] = self._walk(self._margins[i].ties, block).T

    def _walk(self, order: "_Order", block: "_Block") -> Float64Array:
        from polyroc.kernels.resample import pairs_above

        above = np.zeros((self._cases.n_classes, block.laid.shape[1]))
        if len(order.cases):
            pairs_above(block.laid, order.cases, order.rows, order.starts, above)
        return above


class _Block(NamedTuple):
    """Replicates that are computed together: which, their weights as given and laid out by case."""

    where: slice
    given: Weights
    laid: Weights


def _block(start: int, given: Weights) -> _Block:
    laid = np.empty(given.shape[::-1], given.dtype)
    return _Block(slice(start, start + len(given)), given, laid)


def _at_once(row_bytes: int) -> int:
    """Replicates to lay out at once: whole blocks, within the memory meant for them."""
    blocks = MEMORY // max(1, row_bytes * BYTE_BLOCK)
    return BYTE_BLOCK * max(1, blocks)


def _check_shape(weights: NDArray[Any], n_cases: int) -> None:
    if weights.ndim != 2 or weights.shape[1] != n_cases or weights.dtype.kind not in "biuf":
        raise InvalidInput(
            f"The weights of replicates have the shape {weights.shape} and the type "
            f"{weights.dtype}, but there are {n_cases} cases. "
            "Pass one row of numbers per replicate, one number per case."
        )


def _check_values(rows: NDArray[Any], start: int) -> None:
    if rows.dtype.kind in "bu" or not rows.size or (rows.min() >= 0 and rows.max() < np.inf):
        return
    replicate, case = np.argwhere(~((rows >= 0) & (rows < np.inf)))[0].tolist()
    raise InvalidInput(
        f"The weights of replicate {start + replicate} contain {rows[replicate, case]} for case "
        f"{case}. Weights must be finite and not negative."
    )


def _fit_bytes(rows: NDArray[Any]) -> bool:
    """Whether all weights are whole numbers up to 255."""
    if rows.dtype.itemsize == 1 or not rows.size:
        return True
    return bool(rows.max() <= 255 and (rows.dtype.kind != "f" or (rows == np.floor(rows)).all()))


class _CasesByClass(NamedTuple):
    """Cases in the order of their classes: class c from ``starts[c]`` to ``starts[c + 1]``."""

    order: NDArray[np.uint32]
    starts: NDArray[np.intp]
    codes: NDArray[np.int16]
    scores: FloatArray

    @property
    def n_classes(self) -> int:
        return len(self.starts) - 1

    def members(self, c: int) -> slice:
        """Where class c lies."""
        return slice(int(self.starts[c]), int(self.starts[c + 1]))

    def places(self, c: int) -> NDArray[np.uint32]:
        """The places of class c."""
        return np.arange(self.starts[c], self.starts[c + 1], dtype=np.uint32)


def _by_class(predictions: Predictions) -> _CasesByClass:
    order = np.concatenate(predictions.members)
    starts = np.concatenate(([0], np.cumsum(predictions.class_counts)))
    codes = predictions.codes[order].astype(np.int16)
    return _CasesByClass(order.astype(np.uint32), starts, codes, predictions.scores[order])


class _Order(NamedTuple):
    """Cases in the order of a walk, part p from ``starts[p]`` on; rows are −1 for positives."""

    cases: NDArray[np.uint32]
    rows: NDArray[np.int16]
    starts: Int64Array


class _Sorted(NamedTuple):
    """The walk along all cases, the one along tied ones, and the way down from case to case."""

    walk: _Order
    ties: _Order
    gaps: Float64Array


def _sort_column(cases: _CasesByClass, with_gaps: bool, k: int) -> _Sorted:
    """All cases by column k."""
    others = [cases.places(r) for r in range(cases.n_classes) if r != k]
    places = np.concatenate([*others, cases.places(k)])
    return _sort(places, _rows(cases, places, k), cases.scores[places, k], with_gaps)


def _sort_margins(cases: _CasesByClass, i: int) -> _Sorted:
    """The cases of classes i and j by their margins s_i − s_j, for one j > i after another."""
    parts = []
    for j in range(i + 1, cases.n_classes):
        places = np.concatenate([cases.places(j), cases.places(i)])
        own, other = as_written(cases.scores[places][:, [i, j]]).T
        margins = merged(margins_of(own, other), slack_between(own, other))
        parts.append(_sort(places, _rows(cases, places, i), margins, False))
    walks, ties = [part.walk for part in parts], [part.ties for part in parts]
    return _Sorted(_joined(walks), _joined(ties), np.empty(0))


def _rows(cases: _CasesByClass, places: NDArray[np.uint32], k: int) -> NDArray[np.int16]:
    codes = cases.codes[places]
    return np.where(codes == k, np.int16(_POSITIVE), codes)


def _sort(
    places: NDArray[np.uint32], rows: NDArray[np.int16], values: FloatArray, with_gaps: bool
) -> _Sorted:
    """Descending; the positives are given last and stay so among equal values."""
    order = np.argsort(-values, kind="stable")
    values = values[order]
    walk = _Order(places[order], rows[order], np.array([0, len(order)], dtype=np.int64))
    return _Sorted(walk, _mixed_runs(walk, values), _gaps(values) if with_gaps else np.empty(0))


def _gaps(values: FloatArray) -> Float64Array:
    """How far each value lies below the one before, 0 for the first."""
    gaps = np.zeros(len(values))
    with np.errstate(over="ignore"):  # the excess of unbounded scores: not used
        np.subtract(values[:-1], values[1:], out=gaps[1:], dtype=np.float64)
    return gaps


def _mixed_runs(walk: _Order, values: FloatArray) -> _Order:
    """Runs of equal values that hold positives and others, each one backwards: a part each."""
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    last = np.append(first[1:], len(values)) - 1
    mixed = (walk.rows[first] != _POSITIVE) & (walk.rows[last] == _POSITIVE) & (first < last)
    lengths, last = (last - first + 1)[mixed], last[mixed]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    backwards = np.repeat(last + starts[:-1], lengths) - np.arange(starts[-1])
    return _Order(walk.cases[backwards], walk.rows[backwards], starts)


def _joined(orders: list[_Order]) -> _Order:
    """One order with the parts of all."""
    ends = np.cumsum([order.starts[-1] for order in orders])
    offsets = np.concatenate(([0], ends[:-1]))
    starts = [order.starts[1:] + at for order, at in zip(orders, offsets, strict=True)]
    return _Order(
        np.concatenate([order.cases for order in orders]),
        np.concatenate([order.rows for order in orders]),
        np.concatenate([[0], *starts]).astype(np.int64),
    )
