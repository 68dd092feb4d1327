"""Columns of many classes: ranked and summed by compiled loops, some columns at a time.

Blocks of columns are added up in the same order for any number of threads. Nothing is kept between
two passes over the columns: to rank the cases again costs less than to read their ranks.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from polyroc._base.parallel import each_of_threads
from polyroc.predictions import Predictions
from polyroc.statistics.mixture import Carried, Mixture
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    from polyroc.kernels.ranks import Block, Cases

Made = TypeVar("Made")

MANY_CLASSES = 24
"""From here on compiled loops pay for their loading."""

WIDTH = 16
"""Columns of a block: what a line of memory or two holds of a case."""

TILE = 1 << 10
"""Cases whose columns are read at a time, so that they stay in the cache."""

FEW_SCORES = 1 << 17
"""Up to here threads cost more than they save."""


def in_blocks(
    cases: Predictions | Mixture, work: Callable[["Cases", "Block"], Made]
) -> Iterator[Made]:
    """What some work on each block of columns makes, in order."""
    predictions = cases.predictions if isinstance(cases, Mixture) else cases
    table = _table(cases, predictions)

    def of_block(first: int) -> Made:
        return work(table, _block(cases, predictions, first))

    few = predictions.scores.size <= FEW_SCORES
    starts = range(0, predictions.n_classes, WIDTH)
    return each_of_threads(of_block, starts, 1 if few else predictions.n_threads)


def column_sums(cases: Predictions | Mixture, scored: bool) -> Float64Array:
    """Rows: above, tied and, where asked for, excess of the positives of each column."""
    from polyroc.kernels.columns import sum_columns

    def of_block(table: "Cases", block: "Block") -> Float64Array:
        shape = 3 if scored else 2, len(block.scores), len(table.added) + 1
        sums = np.zeros(shape)
        sum_columns(table, block, sums)
        return np.asarray(sums[..., :-1] + sums[..., -1:] * table.added)

    return np.concatenate(list(in_blocks(cases, of_block)), axis=1)


def column_influences(
    cases: Predictions | Mixture,
    matrices: Sequence[Float64Array],
    credits: Sequence[float | None],
    totals: Float64Array,
) -> list[Carried]:
    """Influence values by the derivatives by AUC(k|r) or, without a credit, by sAUC(k|r).

    ``totals`` are the weights of the classes.
    """
    from polyroc.kernels.columns import Gradients, carry_columns

    if not matrices:
        return []
    n_classes, shapes = cases.n_classes, [each.shape for each in nothing(cases)]
    rows = np.stack([np.where(np.eye(n_classes, dtype=bool), 0.0, each) for each in matrices])
    weights = np.array(totals, dtype=np.float64)
    counts = np.array([np.nan if credit is None else credit for credit in credits])

    def of_block(table: "Cases", block: "Block") -> tuple[Float64Array, Float64Array]:
        own, pooled = (np.zeros((len(rows), *shape)) for shape in shapes)
        here = np.ascontiguousarray(rows[:, block.first : block.first + len(block.scores)])
        carry_columns(table, block, Gradients(here, counts, weights), own, pooled)
        return own, pooled

    total = [np.zeros((len(rows), *shape)) for shape in shapes]
    for parts in in_blocks(cases, of_block):
        for sums, part in zip(total, parts, strict=True):
            sums += part
    return [Carried(*each) for each in zip(*total, strict=True)]


def nothing(cases: Predictions | Mixture) -> Carried:
    """Influence values that others are added to."""
    if isinstance(cases, Mixture):
        return cases.nothing()
    return Carried(np.zeros(len(cases)), np.zeros((0, cases.n_classes)))


def _table(cases: Predictions | Mixture, predictions: Predictions) -> "Cases":
    """What the compiled loops need of the cases."""
    from polyroc.kernels.ranks import Cases

    codes, weights = predictions.codes.astype(np.uint32), cases.case_weights
    added = np.zeros(predictions.n_classes)
    if isinstance(cases, Mixture):
        pooled = np.full(len(cases.pool), predictions.n_classes, np.uint32)
        codes, weights = np.append(codes, pooled), np.append(weights, cases.shares)
        added = cases.added
    weights, added = (np.array(each, dtype=np.float64) for each in (weights, added))
    return Cases(codes, weights, added, len(predictions))


def _block(cases: Predictions | Mixture, predictions: Predictions, first: int) -> "Block":
    """Some columns, and their positives in ascending order."""
    from polyroc.kernels.ranks import Block

    columns = slice(first, min(first + WIDTH, predictions.n_classes))
    given, n_own = predictions.scores, len(predictions)
    pool = cases.pool if isinstance(cases, Mixture) else np.empty(0, np.intp)
    scores = np.empty((columns.stop - first, n_own + len(pool)))
    for start in range(0, n_own, TILE):
        tile = slice(start, min(start + TILE, n_own))
        scores[:, tile] = given[tile, columns].T
    scores[:, n_own:] = given[pool, columns].T
    scores += 0.0  # which makes −0 equal 0
    extra, members = np.arange(n_own, scores.shape[1]), []
    for k, column in zip(range(first, columns.stop), scores, strict=True):
        rows = np.concatenate([predictions.members[k], extra])
        members.append(rows[column[rows].argsort()])
    ends = np.cumsum([len(each) for each in members])
    return Block(first, scores, np.concatenate(members).astype(np.int64, copy=False), ends)
