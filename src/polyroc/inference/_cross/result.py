"""Results of a cross-validation: what the fitted models do, and what the learners would do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.levels import two_sided_quantile
from polyroc.inference._comparison import Comparison
from polyroc.inference._resampled_t import SplitValues, corrected_errors, withheld
from polyroc.predictions import Predictions
from polyroc.results import Evaluation

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Resampled:
    """Values of learners in every split."""

    split_values: SplitValues = field(kw_only=True, repr=False)
    overlap: float = field(kw_only=True)
    """n_test/n_train."""

    def fold_values(self) -> "pd.DataFrame":
        """A row per fold, learner and metric."""
        import pandas as pd

        values, learners, metrics = self.split_values
        index = pd.MultiIndex.from_product(
            [range(len(values)), learners, metrics], names=["fold", "estimator", "metric"]
        )
        return pd.DataFrame({"value": values.ravel()}, index=index).reset_index()


@dataclass(frozen=True, repr=False)
class CrossEvaluation(Evaluation, Resampled):
    """Metrics of an estimator by cross-validation, means over folds.

    The intervals are about the mean performance of the models fitted here; ``learners()`` is about
    new training sets. ``predictions`` are the out-of-fold predictions, with their folds.
    """

    predictions: Predictions = field(kw_only=True, repr=False)

    def learners(self, level: float = 0.95) -> "pd.DataFrame":
        """The mean over new training sets: ``metric, value, standard_error, low, high``.

        By the corrected variance of Nadeau & Bengio (2003), a rule of thumb; the limits are those
        of t with as many degrees of freedom as there are folds less 1. Metrics of the sizes of
        probabilities, for which the variance is far too small, have a value only.
        """
        import pandas as pd

        values = self.split_values.values[:, 0]
        means, errors = values.mean(axis=0), corrected_errors(values, self.overlap)
        errors[[withheld(name) for name in self.split_values.metrics]] = np.nan
        reach = two_sided_quantile(level, len(values) - 1) * errors
        columns = {
            "metric": list(self.split_values.metrics),
            "value": means,
            "standard_error": errors,
            "low": means - reach,
            "high": means + reach,
        }
        return pd.DataFrame(columns)


@dataclass(frozen=True, repr=False)
class CrossComparison(Comparison, Resampled):
    """Estimators compared by cross-validation on the same folds.

    ``frame()`` compares the models fitted here, on new cases; ``learners()`` the learners, on new
    training sets. ``predictions`` maps their names to out-of-fold predictions.
    """

    predictions: Mapping[str, Predictions] = field(kw_only=True, repr=False)

    def learners(self, level: float = 0.95) -> "pd.DataFrame":
        """Which learner is better on new training sets: a row per metric and pair of learners.

        The test is the corrected resampled t of Nadeau & Bengio (2003), a rule of thumb. Metrics of
        the sizes of probabilities have no test, and ``note`` says why.
        """
        return self.split_values.tests(self.overlap, level)


def split_values(predictions: Mapping[str, Predictions], metrics: Any) -> SplitValues:
    """Values of metrics in every fold (folds × learners × metrics)."""
    from polyroc.metrics.folds import FoldStatistics

    found = []
    for each in predictions.values():
        measured = FoldStatistics(each).measure([(m, {}) for m in metrics], with_influence=False)
        found.append([row.by_fold for row in measured])
    folds = len(next(iter(predictions.values())).fold_rows)
    n_folds = max((len(row) for rows in found for row in rows if row is not None), default=folds)
    empty = np.full(n_folds, np.nan)
    values = np.array([[empty if row is None else row for row in rows] for rows in found])
    values = values.reshape(len(found), len(metrics), n_folds)  # also where none was asked for
    names = tuple(metric.name for metric in metrics)
    return SplitValues(values.transpose(2, 0, 1), tuple(predictions), names)
