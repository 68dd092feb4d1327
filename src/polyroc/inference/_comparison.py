"""The result of a comparison of models."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.results import (
    Interval,
    check_level,
    html_table,
    text_table,
    two_sided_quantile,
    without_nan,
)
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Difference:
    """Difference of one metric between two models, a − b."""

    metric: str
    model_a: str
    model_b: str
    difference: float
    standard_error: float
    p_value: float
    p_adjusted: float = math.nan
    note: str = ""
    degrees_of_freedom: float = math.inf
    replicates: Float64Array | None = field(default=None, repr=False, compare=False)

    def interval(self, level: float = 0.95) -> Interval:
        """Confidence limits of the difference: percentiles of replicates, else of t or normal."""
        check_level(level)
        if self.replicates is not None:
            low, high = np.quantile(self.replicates, [(1 - level) / 2, (1 + level) / 2])
            return Interval(float(low), float(high), level, "percentile")
        reach = two_sided_quantile(level, self.degrees_of_freedom) * self.standard_error
        return Interval(self.difference - reach, self.difference + reach, level, "plain")


@dataclass(frozen=True)
class Omnibus:
    """Test that all models have the same value of a metric.

    ``statistic`` is that of F, or of χ² where the denominator's degrees of freedom are infinite.
    """

    metric: str
    statistic: float = math.nan
    degrees_of_freedom: int = 0
    denominator_degrees_of_freedom: float = math.nan
    p_value: float = math.nan
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Models compared by several metrics.

    ``p_adjusted`` is Holm's adjustment over the pairs of models, within each metric.
    """

    values: Mapping[str, Mapping[str, float]]
    """Value of each metric for each model."""
    differences: tuple[Difference, ...]
    omnibus_tests: tuple[Omnibus, ...]
    method: str
    level: float = 0.95
    settings: Mapping[str, Any] = field(default_factory=dict)

    def frame(self, level: float | None = None) -> "pd.DataFrame":
        """A row per metric and pair of models; ``difference`` is model_a − model_b.

        Notes on the rows are in ``differences`` and in ``to_dict()``.
        """
        import pandas as pd

        rows = self._rows(self.level if level is None else level)
        return pd.DataFrame(rows).drop(columns="note")

    def omnibus(self) -> "pd.DataFrame":
        """A row per metric: F test (χ² for ``reference="normal"``) that all models are equal."""
        import pandas as pd

        if self.method == "permutation":
            raise InvalidInput(
                'A permutation test compares pairs of models only. Use method="influence" for a '
                "test of all models."
            )

        return pd.DataFrame([vars(test) for test in self.omnibus_tests])

    def _rows(self, level: float) -> list[dict[str, Any]]:
        rows = []
        for each in self.differences:
            low, high, *_ = each.interval(level)
            rows.append(
                {
                    "metric": each.metric,
                    "model_a": each.model_a,
                    "model_b": each.model_b,
                    "difference": each.difference,
                    "standard_error": each.standard_error,
                    "low": low,
                    "high": high,
                    "p_value": each.p_value,
                    "p_adjusted": each.p_adjusted,
                    "note": each.note,
                }
            )
        return rows

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        rows = [without_nan(row) for row in self._rows(self.level if level is None else level)]
        values = {metric: without_nan(models) for metric, models in self.values.items()}
        tests = [_finite(vars(test)) for test in self.omnibus_tests]
        return {
            "method": self.method,
            "level": self.level if level is None else level,
            "values": values,
            "differences": rows,
            "omnibus": tests,
            "settings": dict(self.settings),
        }

    def __repr__(self) -> str:
        return text_table(self._rows(self.level))

    def _repr_html_(self) -> str:
        return html_table(self._rows(self.level))


def _finite(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for JSON: a number that is infinite or does not exist is None."""
    known = {key: math.nan if value == math.inf else value for key, value in row.items()}
    return without_nan(known)
