"""The result of a study: values over splits, and the tables that follow from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.levels import check_level
from polyroc._base.tables import html_table, text_table, without_nan
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput
from polyroc.inference._resampled_t import SplitValues, corrected_errors, mean_over_splits
from polyroc.metrics import registry
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    import pandas as pd

Correlation = Literal["spearman", "pearson"]


@dataclass(frozen=True)
class Study:
    """Values of metrics for learners over splits, and what follows from them.

    A value is NaN where a metric does not exist; so is every mean and rank that would need it.
    """

    values: Float64Array = field(repr=False)
    """(splits, estimators, metrics)."""
    estimators: tuple[str, ...]
    metrics: tuple[str, ...]
    classes: tuple[Label, ...]
    splits: tuple[int, ...]
    """Numbers of the splits: 0 … R − 1 in a complete study."""
    test_size: float
    seed: int
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """For (estimator, metric): why there is no value."""

    def means(self, *, standard_error: bool = False) -> "pd.DataFrame":
        """Mean of each metric (columns) for each learner (rows) over the splits.

        ``standard_error=True`` puts a column of standard errors beside each mean. Splits overlap,
        so the usual s/√R is far too small; this is √((1/R + n_test/n_train) s²), the correction of
        Nadeau & Bengio (Machine Learning 52 (2003) 239–281), which is a rule of thumb: for metrics
        of the sizes of probabilities, such as ``hand_till_probabilistic``, it was .5 to .8 of the
        true deviation in simulations.
        """
        means = self._table(self.values.mean(axis=0))
        if not standard_error:
            return means
        import pandas as pd

        errors = self._table(self._standard_errors())
        both = pd.concat({"mean": means, "standard_error": errors}, axis=1)
        return both.swaplevel(axis=1)[
            [(metric, kind) for metric in self.metrics for kind in ("mean", "standard_error")]
        ]

    def tests(self, level: float = 0.95) -> "pd.DataFrame":
        """Which learner is better on new training sets: a row per metric and pair of learners.

        The columns are ``metric, model_a, model_b, difference`` (a − b), ``standard_error, low,
        high, p_value, p_adjusted`` (Holm's, within a metric) and ``note``. The test is the
        corrected resampled t of Nadeau & Bengio (2003), with R − 1 degrees of freedom: splits
        overlap, and the variance of their mean is taken as (1/R + n_test/n_train) s². That is a
        rule of thumb, which holds for metrics of what scores rank or decide. For metrics of the
        sizes of probabilities, such as ``hand_till_probabilistic``, it rejects far too often: they
        have a difference and no test, and the note says what to do.
        """
        overlap = self.test_size / (1 - self.test_size)
        values = SplitValues(self.values, self.estimators, self.metrics)
        return values.tests(overlap, level)

    def _standard_errors(self) -> Float64Array:
        return corrected_errors(self.values, self.test_size / (1 - self.test_size))

    def average_ranks(self) -> "pd.DataFrame":
        """Mean over the splits of each learner's rank by each metric; 1 is best, ties averaged.

        The best value is the highest, or for a metric of costs the lowest.
        """
        return self._table(self._ranks().mean(axis=0))

    def first_ranks(self) -> "pd.DataFrame":
        """Share of the splits in which each learner is best; learners tied on top share it."""
        return self._table(self._first().mean(axis=0))

    def rank_intervals(self, level: float = 0.95) -> "pd.DataFrame":
        """Average ranks and shares of first ranks with confidence limits.

        A row per quantity (``average_rank`` or ``first_rank``), metric and estimator, with ``value,
        standard_error, low, high``. The limits are about new splits of cases like these. Splits
        share their cases, so the variance of a mean over R splits is taken as (1/R +
        n_test/n_train) s², the correction of Nadeau & Bengio (2003), with R − 1 degrees of
        freedom: a rule of thumb. Wilson's limits for that variance stay in the range, and exist
        where all splits agree.

        Examples
        --------
        >>> import numpy as np
        >>> from polyroc.inference import Study
        >>> values = np.array([[[0.9], [0.8]], [[0.7], [0.8]], [[0.9], [0.6]], [[0.8], [0.7]]])
        >>> done = Study(values, ("a", "b"), ("hand_till",), (0, 1), (0, 1, 2, 3), 0.25, 0)
        >>> done.rank_intervals().round(3)
               quantity     metric estimator  value  standard_error    low   high
        0  average_rank  hand_till         a   1.25           0.382  1.008  1.936
        1  average_rank  hand_till         b   1.75           0.382  1.064  1.992
        2    first_rank  hand_till         a   0.75           0.382  0.064  0.992
        3    first_rank  hand_till         b   0.25           0.382  0.008  0.936
        """
        import pandas as pd

        check_level(level)
        overlap = self.test_size / (1 - self.test_size)
        by_name = {
            "average_rank": (self._ranks(), (1.0, float(max(self._n_learners, 2)))),
            "first_rank": (self._first(), (0.0, 1.0)),
        }
        rows = [
            {"quantity": name, "metric": metric, "estimator": estimator}
            | mean_over_splits(values[:, row, column], overlap, allowed, level)
            for name, (values, allowed) in by_name.items()
            for column, metric in enumerate(self.metrics)
            for row, estimator in enumerate(self.estimators)
        ]
        return pd.DataFrame(rows)

    def _first(self) -> Float64Array:
        """1 for the best learner of a split, shared among those that are tied."""
        ranks = self._ranks()
        best = np.fmin.reduce(ranks, axis=1, keepdims=True)
        first = np.where(np.isnan(ranks), np.nan, ranks == best)
        return np.asarray(first / np.nansum(first, axis=1, keepdims=True))

    def _ranks(self) -> Float64Array:
        from scipy.stats import rankdata

        ranks: Float64Array = rankdata(-self._higher_is_better(), axis=1, nan_policy="omit")
        return ranks

    def _higher_is_better(self) -> Float64Array:
        """Values, the negative ones of metrics where lower is better."""
        return np.asarray(self.values * [registry.sign_of(name) for name in self.metrics])

    def correlations(self, method: Correlation = "spearman") -> "pd.DataFrame":
        """Correlations between metrics over the splits, averaged over the learners.

        Positive where what is better by one metric is better by the other, also for a metric where
        lower is better. A learner for which one of two metrics does not vary, or does not exist,
        has no correlation of the two and is left out of that average.
        """
        import pandas as pd

        if method not in ("spearman", "pearson"):
            raise InvalidInput(f'method must be "spearman" or "pearson", got {shown(method)}.')
        values = self._higher_is_better()
        each = np.array([_correlations(values[:, m], method) for m in range(self._n_learners)])
        known = ~np.isnan(each)
        total = np.where(known, each, 0).sum(axis=0)
        counts = known.sum(axis=0)
        mean = np.divide(total, counts, out=np.full(total.shape, np.nan), where=counts > 0)
        return pd.DataFrame(mean, index=list(self.metrics), columns=list(self.metrics))

    @property
    def _n_learners(self) -> int:
        return len(self.estimators)

    def _table(self, values: Float64Array) -> "pd.DataFrame":
        import pandas as pd

        return pd.DataFrame(values, index=list(self.estimators), columns=list(self.metrics))

    def frame(self) -> "pd.DataFrame":
        """A row per value: split, estimator, metric, value."""
        import pandas as pd

        index = pd.MultiIndex.from_product(
            [self.splits, self.estimators, self.metrics], names=["split", "estimator", "metric"]
        )
        return pd.DataFrame({"value": self.values.ravel()}, index=index).reset_index()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        return {
            "estimators": list(self.estimators),
            "metrics": list(self.metrics),
            "classes": list(self.classes),
            "splits": list(self.splits),
            "test_size": self.test_size,
            "seed": self.seed,
            "values": _plain(self.values),
            "means": _plain(self.means().to_numpy()),
            "average_ranks": _plain(self.average_ranks().to_numpy()),
            "first_ranks": _plain(self.first_ranks().to_numpy()),
            "correlations": _plain(self.correlations().to_numpy()),
            "tests": [without_nan(row) for row in self.tests().to_dict("records")],
            "notes": [
                {"estimator": estimator, "metric": metric, "note": note}
                for (estimator, metric), note in self.notes.items()
            ],
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"mean": name, **dict(zip(self.metrics, row.tolist(), strict=True))}
            for name, row in zip(self.estimators, self.values.mean(axis=0), strict=True)
        ]

    def _heading(self) -> str:
        learners, metrics = self._n_learners, len(self.metrics)
        return (
            f"Study: {plural(learners, 'estimator')}, {plural(metrics, 'metric')}, "
            f"{plural(len(self.splits), 'split')}, test sets of {100 * self.test_size:.0f} %"
        )

    def __repr__(self) -> str:
        return f"{self._heading()}\n{text_table(self._rows())}"

    def _repr_html_(self) -> str:
        return f"<p>{self._heading()}</p>{html_table(self._rows())}"


def _correlations(values: Float64Array, method: Correlation) -> Float64Array:
    """Correlations between columns; NaN for a column that is constant or not all there."""
    from scipy.stats import rankdata

    columns = rankdata(values, axis=0, nan_policy="propagate") if method == "spearman" else values
    centred = columns - columns.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where((lengths > 0) & (np.ptp(values, axis=0) > 0), lengths, np.nan)
    correlations: Float64Array = np.clip(scaled.T @ scaled, -1, 1)
    return correlations


def _plain(values: Float64Array) -> Any:
    """Nested lists with None for NaN."""
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    return plain.tolist()
