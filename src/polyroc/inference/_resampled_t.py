"""The corrected resampled t: which learner is better on new training sets?

Values over J splits of the same cases are not independent, since training sets overlap. Nadeau &
Bengio (Machine Learning 52 (2003) 239–281) take the variance of their mean as

    (1/J + n_test/n_train) s²,    s² the variance over the splits,

with J − 1 degrees of freedom. That is a rule of thumb: no estimate of this variance is unbiased for
all learners. In simulations it holds its level for metrics of what scores rank or decide. Metrics
of the sizes of probabilities vary more with the training set than over its splits: two learners of
equal quality were found different in 12 to 38 % of samples at the level of 5 %. They have no test
here.
"""

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyroc._base.levels import check_level
from polyroc.inference._comparison import Difference, holm, row_of
from polyroc.metrics import registry
from polyroc.results import Effective, Estimate
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd


def corrected_errors(values: Float64Array, overlap: float) -> Float64Array:
    """Standard errors of means over splits (first axis); NaN for one split."""
    n_splits = len(values)
    if n_splits < 2:
        return np.full(values.shape[1:], np.nan)
    errors: Float64Array = np.sqrt((1 / n_splits + overlap) * values.var(axis=0, ddof=1))
    return errors


def mean_over_splits(
    values: Float64Array, overlap: float, allowed: tuple[float, float], level: float
) -> dict[str, float]:
    """The mean of a bounded quantity with Wilson's limits for the corrected variance.

    Where all splits agree the variance is that of a share that varies as much as it can.
    """
    n_splits, mean = len(values), float(values.mean())
    lowest, highest = allowed
    share = (mean - lowest) / (highest - lowest)
    error = float(corrected_errors(values, overlap))
    size = None
    if n_splits > 1 and not math.isnan(mean):
        size = (1 - 1 / n_splits) / (1 / n_splits + overlap)
        if error > 1e-12:
            size = share * (1 - share) * (highest - lowest) ** 2 / error**2
    made = Estimate(
        metric="mean over splits",
        value=mean,
        standard_error=error,
        method="corrected resampled t",
        range=allowed,
        effective=None if size is None else Effective(size, n_splits - 1),
    )
    low, high, *_ = made.interval(level, scale="wilson")
    return {"value": mean, "standard_error": error, "low": low, "high": high}


WITHHELD = (
    "no test: metrics of the sizes of probabilities vary more with the training set than over its "
    "splits, and the corrected resampled t rejects far too often. Compare the learners by a metric "
    "of ranks, such as hand_till, or the fitted models on new cases by compare."
)


def withheld(metric: str) -> bool:
    """Whether standard errors over splits are known to be far too small for a metric."""
    return metric in registry and registry[metric].of_sizes


class SplitValues(NamedTuple):
    """Values (splits × learners × metrics)."""

    values: Float64Array
    learners: tuple[str, ...]
    metrics: tuple[str, ...]

    def tests(self, overlap: float, level: float = 0.95) -> "pd.DataFrame":
        """A row per metric and pair of learners, p-values adjusted within a metric.

        Metrics of the sizes of probabilities have no test, and ``note`` says why.
        """
        import pandas as pd

        check_level(level)
        rows = [row for column in range(len(self.metrics)) for row in self._pairs(column, overlap)]
        columns = ["metric", "model_a", "model_b", "difference", "standard_error"]
        columns += ["low", "high", "p_value", "p_adjusted", "note"]
        told = [row_of(each, level) | {"note": each.note} for each in rows]
        return pd.DataFrame(told, columns=columns)

    def _pairs(self, column: int, overlap: float) -> list[Difference]:
        """Differences of all pairs of learners in one metric."""
        found = [
            self._difference(column, a, b, overlap)
            for a, b in combinations(range(len(self.learners)), 2)
        ]
        return holm(found)

    def _difference(self, column: int, a: int, b: int, overlap: float) -> Difference:
        from scipy.special import stdtr

        apart = self.values[:, a, column] - self.values[:, b, column]
        difference, freedom = float(apart.mean()), len(apart) - 1
        error = float(corrected_errors(apart, overlap))
        reason = _no_test(self.metrics[column], apart, error)
        known = not reason and not math.isnan(error)
        p_value = 2 * float(stdtr(freedom, -abs(difference) / error)) if known else np.nan
        return Difference(
            metric=self.metrics[column],
            model_a=self.learners[a],
            model_b=self.learners[b],
            difference=difference,
            standard_error=error if known else np.nan,
            p_value=p_value,
            degrees_of_freedom=float(freedom),
            lower_is_better=registry.sign_of(self.metrics[column]) < 0,
            notes=(reason,) if reason else (),
        )


def _no_test(metric: str, apart: Float64Array, error: float) -> str:
    """Why two learners are not tested; empty where they are, or where a value is missing."""
    if withheld(metric):
        return WITHHELD
    if len(apart) < 2:
        return "no test: one split says nothing about how splits vary"
    return "no test: the learners differ by the same in every split" if error <= 1e-12 else ""
