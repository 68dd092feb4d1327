"""A batch of cases by columns, checked, and the scores in it that a histogram counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.lazy import lazy_property
from polyroc._base.ties import as_written, slack_between
from polyroc.errors import InvalidInput
from polyroc.predictions._containers import read_weights
from polyroc.predictions._gate import read_cases
from polyroc.statistics.directed import margins_of
from polyroc.typing import (
    Float64Array,
    FloatArray,
    IntArray,
    Label,
    LabelsLike,
    ScoresLike,
    WeightsLike,
)

CHUNK = 1 << 19
"""Cases that are worked on at once, column by column: with fewer, a histogram would leave the cache
before it has been used much."""

_LIGHTEST, _HEAVIEST = 2.0**-200, 2.0**200


@dataclass(frozen=True)
class Batch:
    """Some cases: positions of their classes, a column of scores per class, weights or None."""

    codes: IntArray
    columns: list[FloatArray]
    weights: Float64Array | None = None
    rows: IntArray | None = None
    """Which rows the cases are, where some were left out."""

    def chunks(self) -> Iterator["Chunk"]:
        """The cases in pieces."""
        for start in range(0, len(self.codes), CHUNK):
            piece = slice(start, start + CHUNK)
            columns = [np.ascontiguousarray(column[piece]) for column in self.columns]
            weights = None if self.weights is None else self.weights[piece]
            rows = None if self.rows is None else self.rows[piece]
            yield Chunk(self.codes[piece], columns, weights, rows)


@dataclass(frozen=True)
class Chunk:
    """A piece of a batch."""

    codes: IntArray
    given: list[FloatArray]
    weights: Float64Array | None
    rows: IntArray | None = None
    """Which rows the cases are, where some were left out."""

    @property
    def one_column(self) -> bool:
        """Whether there is one column of scores for two classes."""
        return len(self.given) == 1

    @lazy_property
    def columns(self) -> list[FloatArray]:
        """A column per class; one column s for two classes stands for −s and s."""
        return [-self.given[0], self.given[0]] if self.one_column else self.given

    @lazy_property
    def probabilities(self) -> list[FloatArray]:
        """The columns where they are probabilities: one column p stands for 1 − p and p."""
        return [1 - self.given[0], self.given[0]] if self.one_column else self.given

    @lazy_property
    def members(self) -> list[NDArray[np.intp]]:
        """The cases of each class."""
        order = np.argsort(self.codes, kind="stable")
        counts = np.bincount(self.codes, minlength=len(self.columns))
        return np.split(order, np.cumsum(counts)[:-1])


class Tracked(NamedTuple):
    """Scores for a histogram, with their rows and weights."""

    values: FloatArray
    rows: IntArray
    weights: Float64Array | None
    slacks: Float64Array | None = None
    """How close values are tied, where they are computed from scores."""


@dataclass(frozen=True)
class ColumnTrack:
    """Column k of the scores, a row per class."""

    k: int
    n_classes: int

    computed = False

    @property
    def n_rows(self) -> int:
        """One per class."""
        return self.n_classes

    @property
    def positive(self) -> int:
        """The row of the positives."""
        return self.k

    @property
    def rows(self) -> range:
        """The classes of its rows."""
        return range(self.n_classes)

    @property
    def needs(self) -> tuple[int, ...]:
        """The columns of scores that it is computed from."""
        return (self.k,)

    def of(self, chunk: Chunk) -> Tracked:
        """Its scores in a chunk."""
        return Tracked(chunk.columns[self.k], chunk.codes, chunk.weights)


@dataclass(frozen=True)
class MarginTrack:
    """p_i − p_j of the cases of classes i (row 0) and j: what AUC_mu ranks."""

    i: int
    j: int

    n_rows = 2
    positive = 0
    computed = True

    @property
    def rows(self) -> tuple[int, int]:
        """The classes of its rows."""
        return (self.i, self.j)

    @property
    def needs(self) -> tuple[int, ...]:
        """The columns of scores that it is computed from."""
        return (self.i, self.j)

    def of(self, chunk: Chunk) -> Tracked:
        """Its scores in a chunk."""
        first, second = chunk.members[self.i], chunk.members[self.j]
        cases = np.concatenate([first, second])
        rows = np.zeros(len(cases), dtype=np.uint8)
        rows[len(first) :] = 1
        weights = None if chunk.weights is None else chunk.weights[cases]
        own, other = (as_written(chunk.columns[k][cases]) for k in (self.i, self.j))
        return Tracked(margins_of(own, other), rows, weights, slack_between(own, other))


Track = ColumnTrack | MarginTrack


def column_tracks(n_classes: int) -> list[ColumnTrack]:
    """One per class."""
    return [ColumnTrack(k, n_classes) for k in range(n_classes)]


def margin_tracks(n_classes: int) -> list[MarginTrack]:
    """One per pair of classes."""
    return [MarginTrack(i, j) for i, j in combinations(range(n_classes), 2)]


def read_batch(
    y: LabelsLike, p: ScoresLike, sample_weight: WeightsLike | None, classes: tuple[Label, ...]
) -> Batch:
    """Labels and scores as a batch, cases of weight 0 left out; a batch may be empty."""
    given = read_cases(y, p, list(classes), sample_weight, may_be_empty=True)
    columns = [given.table[:, column] for column in given.declared.columns]
    if sample_weight is None:
        return Batch(given.codes, columns)
    return weighted_batch(given.codes, columns, read_weights(sample_weight))


def weighted_batch(codes: IntArray, columns: list[FloatArray], weights: Float64Array) -> Batch:
    """The cases whose weight is not 0; columns that were not read stay empty."""
    check_weights(weights, len(codes))
    if weights.all():
        return Batch(codes, columns, weights)
    rows = np.flatnonzero(weights)
    columns = [column[rows] if column.size else column for column in columns]
    return Batch(codes[rows], columns, weights[rows], rows)


def check_weights(weights: Float64Array, n_cases: int) -> None:
    """Whether there is a weight per case, none negative and none beyond 2^±200.

    Weights in memory may be scaled to a moderate size; those of one batch among others may not.
    """
    if weights.shape != (n_cases,):
        raise InvalidInput(
            f"sample_weight has the shape {weights.shape} but there are {n_cases} cases. "
            "Pass one weight per case."
        )
    sound = (weights == 0) | ((weights >= _LIGHTEST) & (weights <= _HEAVIEST))
    if not sound.all():
        row = int(np.flatnonzero(~sound)[0])
        raise InvalidInput(
            f"sample_weight contains {weights[row]} in row {row}. Weights of a summary must be 0 "
            "or lie between 2^-200 and 2^200."
        )
