"""The bias of metrics that are no means: how far values lie from the truth on average.

TL is made of lengths of the means of vectors, and a length is larger for a mean of few cases than
for the true mean: with C_k the covariance matrix of the mean of class k, L_k its distance from its
corner and u_k the direction there, the mean length exceeds L_k by [tr C_k − u_kᵀ C_k u_k]/(2 L_k).
"""

import math

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import each_of_threads
from polyroc._base.sums import sum_by_class
from polyroc.inference._influence import CaseDesign, case_scale
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import FoldStatistics, in_folds, undivided
from polyroc.metrics.measure import CaseStatistics
from polyroc.predictions import Predictions
from polyroc.statistics.means import BLOCK, MANY_CASES, Means, along_classes, code_blocks
from polyroc.statistics.statistic import Need
from polyroc.typing import Float64Array, FloatArray


def bias_of(
    metric: Metric, statistics: CaseStatistics | FoldStatistics, design: CaseDesign
) -> float:
    """Mean of the values of samples like this one less the true value, to first order."""
    statistics, predictions = undivided(statistics), statistics.predictions
    if metric.name != "total_length" or in_folds(predictions):
        return 0.0
    if (design.counts(predictions) <= 1).any():
        return 0.0
    means = statistics[Need(Means)].vectors
    gaps = np.eye(predictions.n_classes) - means
    lengths = np.linalg.norm(gaps, axis=1)
    far = lengths > 0
    towards = gaps / np.where(far, lengths, 1.0)[:, None]
    across = _spread_across(predictions, design, means, towards)
    excess = float(np.sum(across[far] / (2 * lengths[far])))
    return -excess / (predictions.n_classes * math.sqrt(2))


def _spread_across(
    predictions: Predictions, design: CaseDesign, means: Float64Array, towards: Float64Array
) -> Float64Array:
    """tr C_k − u_kᵀ C_k u_k of every class, C_k from the cases or from sums over groups."""
    codes, n_classes = predictions.codes.astype(np.intp), predictions.n_classes
    scale = case_scale(predictions, design.counts(predictions))
    if design.weights == "frequency":
        scale = scale / np.sqrt(predictions.case_weights)
    rows = predictions.probabilities("total_length")
    if design.groups is not None:
        units = codes + n_classes * design.groups
        owners = np.arange(int(units.max()) + 1) % n_classes
        sums = [
            np.bincount(units, (column - np.take(mean, codes)) * scale)
            for column, mean in zip(rows.T, means.T, strict=True)
        ]
        by_unit = np.stack(sums, axis=1, dtype=np.float64)
        return sum_by_class(owners, _squared_across(by_unit, towards, owners), n_classes)
    if len(codes) >= MANY_CASES:
        return _sums_of_many(predictions, rows, means, towards, scale**2)
    squares = scale**2
    for start in range(0, len(codes), BLOCK):
        block = slice(start, start + BLOCK)
        moved = np.subtract(rows[block], means.take(codes[block], axis=0), order="C")
        squares[block] *= _squared_across(moved, towards, codes[block])
    return sum_by_class(codes, squares, n_classes)


def _sums_of_many(
    predictions: Predictions,
    rows: FloatArray,
    means: Float64Array,
    towards: Float64Array,
    weights: Float64Array,
) -> Float64Array:
    """Weighted sums by class of the same, in compiled loops on all threads."""
    from polyroc.kernels.by_class import squares_across, sums_of_classes

    def of_block(block: tuple[slice, NDArray[np.int32]]) -> Float64Array:
        cases, codes = block
        own = np.ascontiguousarray(rows[cases], dtype=np.float64)
        squares = squares_across(codes, own, means, towards)
        return sums_of_classes(codes, squares * weights[cases], predictions.n_classes)

    total = np.zeros(predictions.n_classes)
    for part in each_of_threads(of_block, code_blocks(predictions), predictions.n_threads):
        total += part
    return total


def _squared_across(
    moved: Float64Array, towards: Float64Array, owners: NDArray[np.intp]
) -> Float64Array:
    """Squared length of each row less the square along the direction of its class."""
    squares: Float64Array = np.einsum("ij,ij->i", moved, moved)
    squares -= along_classes(moved, towards, owners) ** 2
    return squares
