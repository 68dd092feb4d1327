"""Mean score vector of each class."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import map_threads
from polyroc._base.sums import sum_by_class
from polyroc.predictions import Predictions
from polyroc.statistics.mixture import Carried, Mixture
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, FloatArray, IntArray

MANY_CASES = 1 << 18
"""From here on a pass over all cases is worth a thread."""

BLOCK = 1 << 12
"""Cases whose rows stay in the cache of a processor."""

CASES_AT_ONCE = 1 << 15
"""Cases that a compiled loop passes over, so that what it needs of them takes little memory."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Means(Statistic):
    """p̄: row c is the mean probability vector of class c (Van Calster et al. 2008 eq. 10)."""

    vectors: Float64Array

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """O(n K), of scores that must be probabilities."""
        codes, weights = predictions.codes, predictions.weights
        rows, n_classes = predictions.probabilities("the class means"), predictions.n_classes

        def sums_of(column: FloatArray) -> Float64Array:
            return sum_by_class(codes, column if weights is None else column * weights, n_classes)

        sums = map_threads(sums_of, rows.T, case_threads(predictions))
        return cls(
            classes=predictions.classes,
            weights=predictions.class_weights,
            vectors=np.array(sums).T / predictions.class_weights[:, None],
        )

    def __add__(self, other: "Means") -> "Means":
        """The means of the cases of both."""
        weights = self.weights + other.weights
        sums = self.vectors * self.weights[:, None] + other.vectors * other.weights[:, None]
        return Means(classes=self.classes, weights=weights, vectors=sums / weights[:, None])

    def carry(
        self, predictions: Predictions, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """φ_i = (x_i − p̄_c) · gradient_c for case i of class c."""
        rows = predictions.probabilities("the class means")
        moved = partial(_moved, predictions, rows)
        return map_threads(moved, gradients, case_threads(predictions))

    @classmethod
    def of_mixture(cls, mixture: Mixture, **options: Any) -> Self:
        """From the means of the classes and of the pool."""
        own = cls.of(mixture.predictions, **options)
        sums = own.vectors * (own.weights * mixture.kept)[:, None]
        pooled = mixture.shares @ _pool(mixture)
        vectors = (sums + np.outer(mixture.added, pooled)) / mixture.class_weights[:, None]
        return cls(classes=own.classes, weights=mixture.class_weights, vectors=vectors)

    def carry_mixture(
        self, mixture: Mixture, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """φ of case i of class c, and of the pool as cases of every class."""
        predictions = mixture.predictions
        rows, pool = predictions.probabilities("the class means"), _pool(mixture)
        return [
            mixture.centred(Carried(along_classes(rows, each, predictions.codes), pool @ each.T))
            for each in gradients
        ]


def _pool(mixture: Mixture) -> Float64Array:
    """Probabilities of the pool."""
    rows = mixture.predictions.probabilities("the class means")[mixture.pool]
    return rows.astype(np.float64, copy=False)


def _moved(predictions: Predictions, rows: FloatArray, gradient: Float64Array) -> Float64Array:
    return centre_by_class(predictions, along_classes(rows, gradient, predictions.codes))


def along_classes(rows: FloatArray, directions: Float64Array, codes: IntArray) -> Float64Array:
    """x_i · direction_c for each case i, of class c.

    In blocks with rows one after the other in memory, so that neither the order of columns and rows
    there nor their number changes how it is rounded.
    """
    found = np.empty(len(rows))
    for start in range(0, len(rows), BLOCK):
        block = slice(start, start + BLOCK)
        own = np.ascontiguousarray(rows[block], dtype=np.float64)
        np.einsum("ij,ij->i", own, directions.take(codes[block], axis=0), out=found[block])
    return found


def centred_by_class(predictions: Predictions, found: Sequence[Float64Array]) -> list[Float64Array]:
    """Several values of each case, each less the weighted mean of its class."""
    return map_threads(partial(centre_by_class, predictions), found, case_threads(predictions))


def case_threads(predictions: Predictions) -> int | None:
    """Threads for work on all cases: one where they are so few that threads wait for each other."""
    return predictions.n_threads if len(predictions) >= MANY_CASES else 1


def centre_by_class(predictions: Predictions, values: Float64Array) -> Float64Array:
    """Values less the weighted mean of their class."""
    weighted = values if predictions.weights is None else values * predictions.weights
    codes, n_classes = predictions.codes, predictions.n_classes
    if len(values) < MANY_CASES:
        means = sum_by_class(codes, weighted, n_classes) / predictions.class_weights
        return np.asarray(values - means[codes])
    from polyroc.kernels.by_class import less_of_classes, sums_of_classes

    sums, centred = np.zeros(n_classes), np.empty(len(values))
    for cases, own in code_blocks(predictions):
        sums += sums_of_classes(own, weighted[cases], n_classes)
    means = sums / predictions.class_weights
    for cases, own in code_blocks(predictions):
        less_of_classes(own, values[cases], means, centred[cases])
    return centred


def code_blocks(predictions: Predictions) -> Iterator[tuple[slice, NDArray[np.int32]]]:
    """Blocks of cases, and the codes of each for compiled loops."""
    for start in range(0, len(predictions), CASES_AT_ONCE):
        cases = slice(start, start + CASES_AT_ONCE)
        yield cases, predictions.codes[cases].astype(np.int32)
