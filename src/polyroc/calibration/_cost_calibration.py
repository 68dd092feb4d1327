"""Whether decisions by cost cost what their probabilities predict."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polyroc._base.hypotheses import p_in_words
from polyroc._base.levels import two_sided_quantile
from polyroc._base.sums import sum_by_class
from polyroc._base.tables import cell, p_cell, without_nan
from polyroc.predictions import Predictions, predictions_of
from polyroc.results import Interval, Note
from polyroc.surface._cases import Cases
from polyroc.surface._costs import CostsLike, checked_costs, least_cost
from polyroc.typing import Float64Array, IntArray, LabelsLike, ScoresLike, WeightsLike

SIGNIFICANT = 0.05
SAME = 1e-12
"""Costs no further apart are equal."""


@dataclass(frozen=True)
class CostCalibration:
    """Mean cost that probabilities predict, and that which decisions by them have.

    Attributes
    ----------
    expected : mean over cases of the lowest expected cost, by the probabilities.
    observed : mean cost of the same decisions, by the true classes.
    standard_error : of observed − expected: from paired values of cases, or that of calibrated
        probabilities where it is larger, as where an expensive error is rare and was not seen.
    degrees_of_freedom : of its t distribution.
    p_value : of the hypothesis that decisions cost what the probabilities predict.
    """

    expected: float
    observed: float
    standard_error: float
    degrees_of_freedom: float
    p_value: float

    @property
    def difference(self) -> float:
        """Observed less expected cost: positive where probabilities promise too much."""
        return self.observed - self.expected

    def interval(self, level: float = 0.95) -> Interval:
        """Confidence limits of the difference."""
        reach = two_sided_quantile(level, self.degrees_of_freedom) * self.standard_error
        return Interval(self.difference - reach, self.difference + reach, level, "plain")

    def note(self, significant: float = SIGNIFICANT) -> Note:
        """The comparison in words, with a code that says whether the probabilities are off.

        Parameters
        ----------
        significant : the p-value below which they are.

        Examples
        --------
        >>> found = cost_calibration([0, 1, 1, 0], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
        >>> found.note().code
        'cost-calibration'
        """
        off = self.p_value < significant
        code = "miscalibrated-costs" if off else "cost-calibration"
        more = "more" if self.difference > 0 else "less"
        same = abs(self.difference) <= SAME
        apart = "the same" if same else f"{cell(abs(self.difference))} {more}"
        known = not math.isnan(self.standard_error)
        tested = f"standard error {self.standard_error:.4f}" if known else "no standard error"
        tested += ", no test" if math.isnan(self.p_value) else f", {p_in_words(self.p_value)}"
        text = (
            f"the probabilities predict a cost of {self.expected:.4f} per case, and the decisions "
            f"cost {self.observed:.4f}, {apart} ({tested})"
        )
        return Note(code, f"{text}: they are miscalibrated at these costs" if off else text)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        low, high, *_ = self.interval()
        return without_nan({**vars(self), "difference": self.difference, "low": low, "high": high})

    def __repr__(self) -> str:
        low, high, *_ = self.interval()
        limits = "no interval" if math.isnan(low) else f"{cell(low)} to {cell(high)}"
        apart = 0.0 if abs(self.difference) <= SAME else self.difference
        tested = "no test" if math.isnan(self.p_value) else f"p = {p_cell(self.p_value)}"
        return (
            f"expected cost {self.expected:.4f}, observed {self.observed:.4f}: off by "
            f"{cell(apart)} ({limits}), {tested.replace('= <', '< ')}"
        )


def cost_calibration(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    costs: CostsLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
) -> CostCalibration:
    """Expected cost of decisions by the probabilities, against the cost that they have.

    Each case is decided for the lowest expected cost, argmin_j Σ_k λ_kj q_k. That minimum is what
    the probabilities predict; for calibrated ones it is correct on average, whatever the costs.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : see :class:`polyroc.Predictions`; the scores must be
        probabilities.
    costs : K × K table, a row per true class and a column per decision (a frame is matched by its
        names), or a mapping from (truth, decided), 1 where an error is not named. None: every
        error costs 1, so that error rates are compared.
    groups : group of each case where cases are not independent, such as the patient of an image.

    Returns
    -------
    CostCalibration
        ``expected``, ``observed``, ``difference``, ``standard_error``, ``interval(level)``,
        ``p_value``.

    Examples
    --------
    >>> from polyroc.calibration import cost_calibration
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> cost_calibration(y, models["forest"], {("rare", "common"): 10}, labels=labels)
    expected cost 0.2357, observed 0.2835: off by 0.0478 (-0.0085 to 0.1042), p = 0.0959
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    table = checked_costs({} if costs is None else costs, predictions.classes)
    q = np.asarray(predictions.probabilities("An expected cost"), dtype=np.float64)
    units = predictions.groups if groups is None else predictions.case_groups(groups)[0]
    decided = least_cost(q, table)
    return promised_and_paid(q, predictions.codes, decided, table, predictions.case_weights, units)


def promised_and_paid(
    q: Float64Array,
    codes: IntArray,
    decided: IntArray,
    table: Float64Array,
    weights: Float64Array,
    units: Any = None,
) -> CostCalibration:
    """Costs of decisions by the probabilities, and by the true classes."""
    columns = decided[:, None].astype(np.intp)
    promised, moments = (
        np.take_along_axis(q @ each, columns, axis=1)[:, 0] for each in (table, table**2)
    )
    shares = weights / weights.sum()
    return calibration_of(
        table[codes, decided], promised, moments, shares, float(table.max()), units
    )


def calibration_of(
    paid: Float64Array,
    promised: Float64Array,
    moments: Float64Array,
    shares: Float64Array,
    largest: float = 1.0,
    units: Any = None,
) -> CostCalibration:
    """From what each case costs, and the mean of that and of its square by the probabilities."""
    from scipy.special import stdtr

    expected, observed = float(shares @ promised), float(shares @ paid)
    parts = shares * (paid - promised - (observed - expected))
    certain = moments - promised**2 <= SAME * largest**2
    noise = shares * np.sqrt(np.where(certain, 0, moments - promised**2))
    least = SAME * largest
    variance, n = _larger_variance(parts, noise, units, least)
    error = math.sqrt(variance) if variance > least**2 else math.nan
    p_value = float(2 * stdtr(n - 1, -abs(observed - expected) / error))
    return CostCalibration(expected, observed, error, float(n - 1), p_value)


def on_cases(
    q: Float64Array, cases: Cases, decided: IntArray, table: Float64Array
) -> CostCalibration:
    """The same on the cases of a surface, which do not say what their groups are: then no test."""
    found = promised_and_paid(q, cases.codes, decided, table, cases.weights)
    return replace(found, standard_error=math.nan, p_value=math.nan) if cases.grouped else found


def _larger_variance(
    parts: Float64Array, noise: Float64Array, units: Any, least: float
) -> tuple[float, int]:
    """That of the parts of cases or that of calibrated probabilities, and independent units.

    In groups, the second is multiplied by the design effect, the variance over groups against that
    over cases; where nothing varies a group counts as one case.
    """
    calibrated = float(noise @ noise)
    if units is not None:
        numbers = np.unique(units, return_inverse=True)[1]
        n_units, alone = int(numbers.max()) + 1, float(parts @ parts)
        parts = sum_by_class(numbers, parts, n_units)
        if alone > least**2:
            calibrated *= max(1.0, float(parts @ parts) / alone)
        else:
            calibrated = float((sum_by_class(numbers, noise, n_units) ** 2).sum())
    n = len(parts)
    return (max(float(parts @ parts) * n / (n - 1), calibrated) if n > 1 else math.nan), n
