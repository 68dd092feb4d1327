"""The calibration error of bins (ECE), its bias, its uncertainty, and what calibration would give.

In bin b let D_b = Σ w_i (y_i − p_i), p_i being the probability of what came true (y_i = 1) or did
not. ECE = Σ_b |D_b| / Σ w. Each |D_b| is above |E D_b| on average, because luck does not cancel in
an absolute value: even calibrated probabilities have an error above 0, the larger the fewer cases
there are in a bin.

Where cases come in groups, luck is that of groups: each group's part of D_b, 0 on average if the
probabilities are right, is taken with a random sign (a wild bootstrap), the same in all bins and
classes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from polyroc._base.checks import check_choice, repeats
from polyroc._base.levels import two_sided_quantile
from polyroc._base.random import seed_of, stream
from polyroc._base.sums import sum_by_class
from polyroc._base.tables import without_nan
from polyroc.calibration._bins import (
    Binned,
    Column,
    Strategy,
    check_bins,
    class_columns,
    top_label,
)
from polyroc.predictions import Predictions, predictions_of
from polyroc.results import Interval
from polyroc.typing import Float64Array, LabelsLike, RandomState, ScoresLike, WeightsLike

Kind = Literal["top_label", "class_wise"]
_STEPS = 60
RESAMPLES = 500
SEED = 20_140_430
"""Of what the command and the report show: both print the same numbers."""
NO_VARIATION = 1e-12
"""Standard errors no larger are rounding: all cases are off by the same."""


@dataclass(frozen=True)
class CalibrationError:
    """Calibration error of bins, with what is known of its bias; see :func:`calibration_error`.

    Attributes
    ----------
    kind : ``"top_label"`` or ``"class_wise"``.
    value : the plug-in value, as it is usually published. Biased upwards.
    debiased : the value minus the bias of each bin: the size of its difference D is replaced by the
        δ for which abs(δ + noise) is as large on average, 0 where noise alone gives as much.
        Less biased than the value, but still above 0 for calibrated probabilities.
    standard_error : of the value, from the influence values of cases.
    degrees_of_freedom : of its t distribution.
    under_calibration : mean of the value over classes drawn from the probabilities themselves, or
        with groups over random signs of groups.
    p_value : share of these that are at least as large, (1 + number) / (1 + n_resamples).
    n_resamples, bins, strategy, seed : how it was computed.
    """

    kind: str
    value: float
    debiased: float
    standard_error: float
    degrees_of_freedom: float
    under_calibration: float
    p_value: float
    n_resamples: int
    bins: int
    strategy: str
    seed: int

    def interval(self, level: float = 0.95) -> Interval:
        """Limits around the debiased value, not below 0 and not above 1.

        Near 0 some bias is left, so that the lower limit is 0 unless calibration is rejected at
        this level, or by all draws.
        """
        reach = two_sided_quantile(level, self.degrees_of_freedom) * self.standard_error
        low, high = max(self.debiased - reach, 0.0), min(self.debiased + reach, 1.0)
        least = 1 / (1 + self.n_resamples)
        if low > 0 and self.p_value > max(1 - level, least) + 1e-12:
            low = 0.0
        return Interval(low, high, level, "plain")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        low, high, *_ = self.interval()
        return without_nan({**vars(self), "low": low, "high": high})

    def __repr__(self) -> str:
        return (
            f"{self.kind.replace('_', '-')} calibration error = {self.value:.4f}, debiased "
            f"{self.debiased:.4f}; if calibrated {self.under_calibration:.4f}, p "
            f"{p_text(self, lambda p: f'{p:.3g}', '= ')}"
        )


def p_text(error: CalibrationError, shown: Callable[[float], str], equal: str = "") -> str:
    """The p-value as ``shown`` writes it; "≤" before the least that so many draws can give."""
    if math.isnan(error.p_value):
        return f"{equal}–"
    least = error.p_value * (1 + error.n_resamples) < 1.5
    return f"{'≤ ' if least else equal}{shown(error.p_value)}"


def calibration_error(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    kind: Kind = "top_label",
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    bins: int = 10,
    strategy: Strategy = "uniform",
    n_resamples: int = RESAMPLES,
    rng: RandomState = None,
) -> CalibrationError:
    """Expected calibration error (ECE), debiased, with its value under calibration beside it.

    Σ_b n_b/n abs(share_b − mean probability_b) over bins: of the highest probability of each case
    (``"top_label"``, Naeini et al. 2015), or the mean over classes of that of their probabilities
    (``"class_wise"``). The value depends on the bins, and is biased upwards: read ``debiased``,
    and compare the value with ``under_calibration``.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : see :class:`polyroc.Predictions`; the scores must be
        probabilities.
    kind : ``"top_label"`` or ``"class_wise"``.
    groups : group of each case where cases are not independent; the standard error, the bias and
        the value under calibration are then those of groups.
    bins : number of bins.
    strategy : ``"uniform"``, edges equally far apart, or ``"quantile"``, about as many cases each.
    n_resamples : how often classes are drawn from the probabilities, or signs of groups.
    rng : seed.

    Returns
    -------
    CalibrationError
        ``value``, ``debiased``, ``standard_error``, ``interval(level)``, ``under_calibration``,
        ``p_value``.

    Examples
    --------
    >>> from polyroc.calibration import calibration_error
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> calibration_error(y, models["forest"], labels=labels, rng=1)
    top-label calibration error = 0.0323, debiased 0.0261; if calibrated 0.0236, p = 0.122
    """
    check_choice(kind, "kind", ("top_label", "class_wise"))
    bins, n_resamples = check_bins(bins, strategy), repeats(n_resamples, "n_resamples", least=1)
    seed = seed_of(rng)
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    q = np.asarray(predictions.probabilities("The calibration error"), dtype=np.float64)
    columns = [top_label(predictions, q)] if kind == "top_label" else class_columns(predictions, q)
    weights = predictions.case_weights
    binned = [Binned.of(column, weights, bins, strategy) for column in columns]
    value = _value(binned)
    units = predictions.groups if groups is None else predictions.case_groups(groups)[0]
    error, freedom = _standard_error(columns, binned, weights, value, units)
    variances = [each.variance for each in binned]
    if units is None:
        drawn = _under_calibration(kind, q, columns, binned, weights, n_resamples, seed)
    else:
        parts = group_parts(columns, binned, weights, units)
        variances = [(each**2).sum(axis=0) for each in parts]
        drawn = _by_signs(parts, n_resamples, seed) / weights.sum()
    p_value = (1 + int((drawn >= value * (1 - 1e-12)).sum())) / (1 + n_resamples)
    p_value = math.nan if math.isnan(freedom) else p_value
    found = value, _debiased(binned, variances), error, freedom, float(drawn.mean()), p_value
    return CalibrationError(kind, *found, n_resamples, bins, strategy, seed)


def _value(binned: list[Binned]) -> float:
    gaps = [np.abs(each.true - each.p).sum() / each.weight.sum() for each in binned]
    return float(np.mean(gaps))


def _standard_error(
    columns: list[Column],
    binned: list[Binned],
    weights: Float64Array,
    value: float,
    groups: Any,
) -> tuple[float, float]:
    """ECE is the mean over cases of ± (y − p), the sign that of D in the bin of the case."""
    moved = np.zeros(len(weights))
    for column, each in zip(columns, binned, strict=True):
        moved += np.sign(each.true - each.p)[each.numbers] * (column.true - column.p)
    parts = weights * (moved / len(columns) - value) / weights.sum()
    if groups is not None:
        numbers = np.unique(groups, return_inverse=True)[1]
        parts = sum_by_class(numbers, parts, int(numbers.max()) + 1)
    n = len(parts)
    if n < 2:
        return math.nan, math.nan
    error = math.sqrt(float(parts @ parts) * n / (n - 1))
    return error if error > NO_VARIATION else math.nan, float(n - 1)


def _debiased(binned: list[Binned], variances: list[Float64Array]) -> float:
    """The error with |D| of each bin replaced by the δ that has |δ + noise| = |D| on average."""
    gaps = []
    for each, variance in zip(binned, variances, strict=True):
        noise, gap = np.sqrt(variance), np.abs(each.true - each.p)
        scaled = np.divide(gap, noise, out=np.zeros_like(gap), where=noise > 0)
        delta = np.where(noise > 0, unfolded(scaled) * noise, gap)
        gaps.append(delta.sum() / each.weight.sum())
    return float(np.mean(gaps))


def unfolded(mean: Float64Array) -> Float64Array:
    """The δ ≥ 0 for which E|δ + Z| is this mean, Z standard normal; 0 where none is as small.

    Examples
    --------
    >>> unfolded(np.array([0.5, 0.7978846, 2.0, 9.0])).round(3)
    array([0.   , 0.   , 1.982, 9.   ])
    """
    low, high = np.zeros_like(mean), mean + 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = _folded(middle) > mean
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(mean <= _folded(np.zeros(1))[0] + 1e-6, 0.0, (low + high) / 2)


def _folded(delta: Float64Array) -> Float64Array:
    """E|δ + Z|."""
    from scipy.special import ndtr

    with np.errstate(under="ignore"):
        density = math.sqrt(2 / math.pi) * np.exp(-(delta**2) / 2)
    return np.asarray(density + delta * (2 * ndtr(delta) - 1))


def _under_calibration(
    kind: str,
    q: Float64Array,
    columns: list[Column],
    binned: list[Binned],
    weights: Float64Array,
    n_resamples: int,
    seed: int,
) -> Float64Array:
    """The error of classes drawn from the probabilities, replicate by replicate."""
    reached = np.cumsum(q, axis=1)
    reached /= reached[:, -1:]
    values = np.empty(n_resamples)
    for replicate in range(n_resamples):
        uniform = stream(seed, replicate).random(len(q))
        if kind == "top_label":
            trues = [uniform < columns[0].p]
        else:
            drawn = (uniform[:, None] >= reached[:, :-1]).sum(axis=1)
            trues = [drawn == k for k in range(q.shape[1])]
        gaps = [
            np.abs(sum_by_class(each.numbers, weights * true, len(each.p)) - each.p).sum()
            for each, true in zip(binned, trues, strict=True)
        ]
        values[replicate] = np.mean(gaps) / weights.sum()
    return values


def group_parts(
    columns: list[Column], binned: list[Binned], weights: Float64Array, groups: Any
) -> list[Float64Array]:
    """For each column (G, bins): what groups contribute to D.

    Their squares sum to an estimate of the variance of D, unbiased if the probabilities are right.
    """
    numbers = np.unique(groups, return_inverse=True)[1]
    n_groups, parts = int(numbers.max()) + 1, []
    for column, each in zip(columns, binned, strict=True):
        cells = numbers * len(each.p) + each.numbers
        apart = weights * (column.true - column.p)
        parts.append(sum_by_class(cells, apart, n_groups * len(each.p)).reshape(n_groups, -1))
    return parts


def _by_signs(parts: list[Float64Array], n_resamples: int, seed: int) -> Float64Array:
    """Σ |D|, mean over columns, with each group's part taken with a random sign."""
    values = np.empty(n_resamples)
    for replicate in range(n_resamples):
        signs = 2.0 * stream(seed, replicate).integers(0, 2, len(parts[0])) - 1
        values[replicate] = np.mean([np.abs(signs @ each).sum() for each in parts])
    return values
