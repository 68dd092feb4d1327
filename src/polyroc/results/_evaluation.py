"""Estimates of several metrics for the same predictions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.hypotheses import limits_in_words
from polyroc._base.print_tables import (
    checked_digits,
    latex_table,
    markdown_table,
    with_interval,
)
from polyroc._base.tables import html_table, text_table
from polyroc.errors import InvalidInput, UnknownName
from polyroc.results._estimate import Estimate
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("metric", "value", "standard_error", "low", "high", "method", "note")


@dataclass(frozen=True)
class Evaluation(Mapping[str, Estimate]):
    """Estimates of several metrics for the same predictions."""

    estimates: tuple[Estimate, ...]
    level: float = 0.95
    joint: Float64Array | None = field(default=None, repr=False, compare=False)
    """Covariances of the values, where they come from influence values."""

    def covariance(self) -> "pd.DataFrame":
        """How the values vary together: covariances, a row and a column per metric.

        From influence values, or from the replicates of a bootstrap; NaN where a metric has no
        standard error, and between values from random tuples. The diagonal holds the squares of
        the standard errors, and the variance of a difference of two metrics of the same cases is
        V_aa + V_bb − 2 V_ab.

        Examples
        --------
        >>> from polyroc import evaluate
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> found = evaluate(y, models["forest"], ["hand_till", "pdi"], labels=labels)
        >>> v = found.covariance()
        >>> errors = [each.standard_error for each in found.values()]
        >>> round(float(v.loc["hand_till", "pdi"] / (errors[0] * errors[1])), 3)
        0.989
        """
        import pandas as pd

        names, matrix = list(self), self.joint
        if matrix is None:
            if all(each.replicates is None for each in self.estimates):
                raise InvalidInput(
                    "There are no covariances without standard errors. Pass "
                    'interval="influence" or "bootstrap".'
                )
            matrix = self._of_replicates()
        return pd.DataFrame(matrix, index=names, columns=names)

    def _of_replicates(self) -> Float64Array:
        """Covariances over the replicates; NaN for a metric without any."""
        n = max(len(each.replicates) for each in self.estimates if each.replicates is not None)
        none = np.full(n, np.nan)
        drawn = [none if each.replicates is None else each.replicates for each in self.estimates]
        return np.atleast_2d(np.cov(np.array(drawn))).astype(np.float64)

    def __getitem__(self, metric: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.metric == metric:
                return estimate
        names = ", ".join(estimate.metric for estimate in self.estimates)
        raise UnknownName(f"{metric!r} was not evaluated. There are {names}.")

    def __iter__(self) -> Iterator[str]:
        return (estimate.metric for estimate in self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def frame(self, level: float | None = None) -> "pd.DataFrame":
        """A row per metric: metric, value, standard_error, low, high, method, note."""
        import pandas as pd

        rows = self._rows(self.level if level is None else level)
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def _rows(self, level: float) -> list[dict[str, Any]]:
        return [
            {
                "metric": estimate.metric,
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "low": estimate.interval(level).low,
                "high": estimate.interval(level).high,
                "method": estimate.method,
                "note": estimate.note,
            }
            for estimate in self.estimates
        ]

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        level = self.level if level is None else level
        return {"level": level, "metrics": [each.to_dict(level) for each in self.estimates]}

    def to_markdown(self, level: float | None = None, *, digits: int = 3) -> str:
        """A table of Markdown: each metric with its interval, in the form "0.892 (0.868–0.913)".

        Parameters
        ----------
        level : confidence level of the intervals; by default that of the evaluation.
        digits : decimals.

        Returns
        -------
        str
            A head and a row per metric; a dash where a metric has no value.

        Examples
        --------
        >>> from polyroc import evaluate
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> found = evaluate(y, models["logistic"], ["hand_till", "pdi"], labels=labels)
        >>> print(found.to_markdown())
        | metric | value (95 % interval) |
        |---|---|
        | hand_till | 0.892 (0.868–0.913) |
        | pdi | 0.818 (0.779–0.851) |
        """
        return markdown_table(self._print_rows(level, digits), self._print_columns(level))

    def to_latex(self, level: float | None = None, *, digits: int = 3) -> str:
        """The table of ``to_markdown`` for LaTeX with the package booktabs.

        Parameters
        ----------
        level : confidence level of the intervals; by default that of the evaluation.
        digits : decimals.

        Returns
        -------
        str
            A ``tabular`` environment.

        Examples
        --------
        >>> from polyroc import evaluate
        >>> found = evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ["roc_auc"])
        >>> print(found.to_latex(digits=2).splitlines()[4])
        roc\\_auc & 0.75 (0.05--0.99) \\\\
        """
        return latex_table(self._print_rows(level, digits), self._print_columns(level))

    def _print_rows(self, level: float | None, digits: int) -> list[dict[str, str]]:
        digits = checked_digits(digits)
        level = self.level if level is None else level
        limits = [each.interval(level) for each in self.estimates]
        cells = [
            (each.metric, with_interval(each.value, own.low, own.high, digits))
            for each, own in zip(self.estimates, limits, strict=True)
        ]
        columns = Evaluation._print_columns(self, level)
        return [dict(zip(columns, row, strict=True)) for row in cells]

    def _print_columns(self, level: float | None) -> list[str]:
        told = limits_in_words("two-sided", self.level if level is None else level)
        return ["metric", f"value ({told})"]

    def __repr__(self) -> str:
        return text_table(self._rows(self.level))

    def _repr_html_(self) -> str:
        return html_table(self._rows(self.level))
