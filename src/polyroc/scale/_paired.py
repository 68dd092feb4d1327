"""Two models of the same cases, read one after the other: whether rows correspond, and errors.

The variance of a difference needs the scores of both models for the same cases. Each model's table
is passed over once: a case is drawn into the sample by its position alone, so that both samples
hold the same cases, and a sum over pseudo-random numbers of position, class and weight is the same
for both tables only if all rows correspond.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.metrics.declaration import Metric
from polyroc.metrics.measure import CaseStatistics, Measured, measure
from polyroc.predictions import Predictions
from polyroc.predictions._weights import shares
from polyroc.scale._batch import Chunk
from polyroc.scale._evaluation import (
    ErrorOrReason,
    Known,
    measured_options,
    sample_predictions,
    scaled_error,
)
from polyroc.scale._histograms import Task
from polyroc.scale._sample import Sample, cases_per_class, pseudo_random_keys
from polyroc.typing import Float64Array, FloatArray, IntArray, Ties

_WRAP = (1 << 64) - 1


class PositionSample(Sample):
    """Cases with the lowest keys, where the key is that of the position alone."""

    def keys_of(self, first: int | IntArray, columns: list[FloatArray]) -> NDArray[np.uint64]:
        """Keys of cases, whose positions are given, or follow the first."""
        return pseudo_random_keys(first, np.zeros(len(columns[0])))


class Pairing:
    """What is kept of the rows of one model to pair them with those of another."""

    def __init__(self, n_classes: int) -> None:
        self.sample = PositionSample(n_classes, cases_per_class(n_classes))
        self.n_cases = 0
        self.rows_sum = 0

    def tasks(self, chunk: Chunk, position: int) -> list[Task]:
        """What is to be done with a chunk."""
        return [partial(self._add, chunk, position)]

    def _add(self, chunk: Chunk, position: int) -> None:
        self.n_cases += len(chunk.codes)
        places = position if chunk.rows is None else position + (chunk.rows - chunk.rows[0])
        self.rows_sum = (self.rows_sum + _sum_of_rows(places, chunk)) & _WRAP
        self.sample.add(places, chunk.codes, chunk.columns, chunk.weights)

    def merge(self, other: "Pairing") -> "Pairing":
        """Add what another has kept; returns itself."""
        self.n_cases += other.n_cases
        self.rows_sum = (self.rows_sum + other.rows_sum) & _WRAP
        self.sample.merge(other.sample)
        return self


def _sum_of_rows(places: int | IntArray, chunk: Chunk) -> int:
    """A sum that is another one where a class or a weight is in another row."""
    keys = pseudo_random_keys(places, chunk.codes.astype(np.float64))
    if chunk.weights is not None:
        keys ^= pseudo_random_keys(places + 1, chunk.weights)
    return int(keys.sum(dtype=np.uint64))


def check_paired(pairings: Mapping[str, Pairing]) -> None:
    """An error unless row i is the same case in the tables of all models."""
    (first, own), *others = pairings.items()
    for name, other in others:
        if other.n_cases != own.n_cases:
            raise InvalidInput(
                f"The models are paired row by row, but {first!r} has {own.n_cases:,} cases and "
                f"{name!r} has {other.n_cases:,}. Pass the same cases in the same order."
            )
        if other.rows_sum != own.rows_sum:
            raise InvalidInput(
                f"The models are paired row by row, but the classes or weights in the rows of "
                f"{first!r} and {name!r} differ. Sort both tables by the name of the case."
            )


def paired_errors(
    one: tuple[Known, Pairing],
    other: tuple[Known, Pairing],
    metrics: Sequence[Metric],
    present: NDArray[np.intp],
    ties: Ties,
) -> dict[str, ErrorOrReason]:
    """Standard errors of differences, from influence values of both models for the same cases."""
    known, own = one
    if not own.sample.size:
        reason = "no standard error: there are too many classes for a sample of cases"
        return {metric.name: ErrorOrReason(math.nan, reason) for metric in metrics}
    weights = known.totals.weights[present]
    asked = [(each, measured_options(each, ties, shares(weights))) for each in metrics]
    found = []
    for of, pairing in (one, other):
        pairing.sample.tidy()
        found.append(_measured(of, pairing, asked))
    predictions, first = found[0]
    counts = known.totals.counts[present].astype(np.float64)
    errors = (
        _error(a, b, predictions, own.sample.weights, (counts, weights))
        for a, b in zip(first, found[1][1], strict=True)
    )
    return {metric.name: error for metric, error in zip(metrics, errors, strict=True)}


def _measured(
    known: Known, pairing: Pairing, asked: Sequence[tuple[Metric, dict[str, Any]]]
) -> tuple[Predictions, list[Measured]]:
    predictions = sample_predictions(known, pairing.sample)
    return predictions, list(measure(CaseStatistics(predictions), asked))


def _error(
    one: Measured,
    other: Measured,
    sample: Predictions,
    raw_weights: Float64Array,
    sizes: tuple[Float64Array, Float64Array],
) -> ErrorOrReason:
    for each in (one, other):
        reason = each.reason if each.influence is None else each.influence.reason
        if reason is not None or each.influence is None:
            return ErrorOrReason(math.nan, f"no standard error: {reason}")
    assert one.influence is not None and other.influence is not None
    values = one.influence.cases - other.influence.cases
    scale = max(one.influence.scale, other.influence.scale)
    return scaled_error(values, scale, sample, raw_weights, *sizes)
