"""The result of a comparison of models."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polyroc._base.adjustment import holm_adjusted
from polyroc._base.checks import check_choice
from polyroc._base.hypotheses import claim, limits_in_words, p_in_words, tails_of
from polyroc._base.levels import check_level
from polyroc._base.pivots import quantile_above
from polyroc._base.print_tables import (
    checked_digits,
    latex_table,
    markdown_table,
    p_with_bound,
    with_interval,
)
from polyroc._base.tables import html_table, text_table, without_nan
from polyroc.errors import InvalidInput
from polyroc.results import Interval
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "metric",
    "model_a",
    "model_b",
    "difference",
    "standard_error",
    "low",
    "high",
    "p_value",
    "p_adjusted",
)


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
    notes: tuple[str, ...] = ()
    degrees_of_freedom: float = math.inf
    alternative: str = "two-sided"
    margin: float = 0.0
    lower_is_better: bool = False
    replicates: Float64Array | None = field(default=None, repr=False, compare=False)

    def interval(self, level: float = 0.95) -> Interval:
        """Confidence limits of the difference: percentiles of replicates, else of t or normal.

        They are those of the test: a test of superiority or non-inferiority has one limit, the
        other is infinite; one of equivalence at 5 % has the limits of the 90 % interval.
        """
        check_level(level)
        below, above = tails_of(self.alternative, level, self.lower_is_better)
        if self.replicates is not None:
            low, high = np.quantile(self.replicates, [below, 1 - above])
            low, high = (low if below else -math.inf), (high if above else math.inf)
            return Interval(float(low), float(high), level, "percentile")
        error, freedom = self.standard_error, self.degrees_of_freedom
        low = self.difference - quantile_above(below, freedom) * error
        high = self.difference + quantile_above(above, freedom) * error
        return Interval(low, high, level, "plain")

    @property
    def note(self) -> str:
        """All notes in one line."""
        return "; ".join(self.notes)

    def conclusion(self, level: float = 0.95) -> str:
        """What the adjusted test shows, in a sentence; empty if there is no test."""
        if math.isnan(self.p_adjusted):
            return ""
        rejected = self.p_adjusted <= 1 - level + 1e-12
        said = claim(self.alternative, rejected, self.model_a, self.model_b, models=True)
        within = f" (margin {self.margin:g})" if self.margin else ""
        told = p_in_words(self.p_adjusted)
        return f"{self.metric}: {said}{within}, difference {self.difference:+.4f}, {told}."


def row_of(each: Difference, level: float) -> dict[str, Any]:
    """A difference as a row of a table."""
    low, high, *_ = each.interval(level)
    row = {**vars(each), "low": low, "high": high}
    return {name: row[name] for name in COLUMNS}


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


WITHIN = "pairs of models within each metric"
ACROSS = "pairs of models and metrics together"


def holm(rows: list[Difference]) -> list[Difference]:
    """Rows with Holm's adjusted p-values; tests that do not exist are not counted."""
    adjusted = holm_adjusted([row.p_value for row in rows])
    return [replace(row, p_adjusted=value) for row, value in zip(rows, adjusted, strict=True)]


@dataclass(frozen=True)
class Comparison:
    """Models compared by several metrics.

    ``p_adjusted`` is Holm's adjustment over the pairs of models, within each metric;
    ``settings["adjusted_for"]`` says so, and ``adjusted`` adjusts otherwise.
    """

    values: Mapping[str, Mapping[str, float]]
    """Value of each metric for each model."""
    differences: tuple[Difference, ...]
    omnibus_tests: tuple[Omnibus, ...]
    method: str
    level: float = 0.95
    settings: Mapping[str, Any] = field(default_factory=dict)

    def adjusted(self, over: Literal["pairs", "all"] = "all") -> "Comparison":
        """The same comparison with p-values adjusted by Holm's method over other families of tests.

        Parameters
        ----------
        over : ``"pairs"``: over the pairs of models, within each metric; ``"all"``: over all rows,
            for a statement about several metrics.
        """
        check_choice(over, "over", ("pairs", "all"))
        rows = list(self.differences)
        if over == "pairs":
            families = [
                [r for r in rows if r.metric == m] for m in dict.fromkeys(r.metric for r in rows)
            ]
        else:
            families = [rows]
        done = tuple(row for family in families for row in holm(family))
        settings = {**self.settings, "adjusted_for": WITHIN if over == "pairs" else ACROSS}
        return replace(self, differences=done, settings=settings)

    def frame(self, level: float | None = None) -> "pd.DataFrame":
        """A row per metric and pair of models; ``difference`` is model_a − model_b.

        Notes on the rows are in ``differences`` and in ``to_dict()``.
        """
        import pandas as pd

        rows = self._rows(self.level if level is None else level)
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def omnibus(self) -> "pd.DataFrame":
        """A row per metric: F test (χ² for ``reference="normal"``) that all models are equal."""
        import pandas as pd

        if self.method == "permutation":
            raise InvalidInput(
                'A permutation test compares pairs of models only. Use method="influence" for a '
                "test of all models."
            )

        columns = [each.name for each in fields(Omnibus)]
        return pd.DataFrame([vars(test) for test in self.omnibus_tests], columns=columns)

    def _rows(self, level: float) -> list[dict[str, Any]]:
        return [{**row_of(each, level), "note": each.note} for each in self.differences]

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        rows = [
            {**without_nan(row), "direction": "lower" if each.lower_is_better else "higher"}
            for row, each in zip(
                self._rows(self.level if level is None else level), self.differences, strict=True
            )
        ]
        values = {metric: without_nan(models) for metric, models in self.values.items()}
        tests = [without_nan(vars(test)) for test in self.omnibus_tests]
        return {
            "method": self.method,
            "level": self.level if level is None else level,
            "values": values,
            "differences": rows,
            "omnibus": tests,
            "settings": dict(self.settings),
        }

    def to_markdown(self, level: float | None = None, *, digits: int = 3) -> str:
        """A table of Markdown: each difference with its interval and p-values.

        Parameters
        ----------
        level : confidence level of the intervals; by default that of the comparison.
        digits : decimals of differences and limits.

        Returns
        -------
        str
            A head, and a row per metric and pair of models; of a comparison by slices, per slice.

        Examples
        --------
        >>> from polyroc import compare
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> found = compare(y, models, ["hand_till"], labels=labels)
        >>> print(found.to_markdown())
        | metric | models | difference (95 % interval) | p | p, adjusted |
        |---|---|---|---|---|
        | hand_till | logistic − forest | 0.018 (0.006–0.029) | 0.003 | 0.010 |
        | hand_till | logistic − bayes | 0.006 (0.001–0.012) | 0.020 | 0.041 |
        | hand_till | forest − bayes | −0.011 (−0.024 to 0.002) | 0.087 | 0.087 |
        """
        return markdown_table(self._print_rows(level, digits), self._print_columns(level))

    def to_latex(self, level: float | None = None, *, digits: int = 3) -> str:
        """The table of ``to_markdown`` for LaTeX with the package booktabs.

        Parameters
        ----------
        level : confidence level of the intervals; by default that of the comparison.
        digits : decimals of differences and limits.

        Returns
        -------
        str
            A ``tabular`` environment.

        Examples
        --------
        >>> from polyroc import compare
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> print(compare(y, models, ["pdi"], labels=labels).to_latex().splitlines()[4])
        pdi & logistic $-$ forest & 0.017 (0.000--0.033) & 0.046 & 0.137 \\\\
        """
        return latex_table(self._print_rows(level, digits), self._print_columns(level))

    def _print_rows(self, level: float | None, digits: int) -> list[dict[str, str]]:
        digits = checked_digits(digits)
        columns = self._print_columns(level)
        return [
            dict(zip(columns, _print_cells(row, digits), strict=True))
            for row in self._rows(self.level if level is None else level)
        ]

    def _print_columns(self, level: float | None) -> list[str]:
        asked = self.settings.get("alternative", "two-sided")
        told = limits_in_words(asked, self.level if level is None else level)
        return ["metric", "models", f"difference ({told})", "p", "p, adjusted"]

    def __repr__(self) -> str:
        return text_table(self._rows(self.level))

    def _repr_html_(self) -> str:
        return html_table(self._rows(self.level))


def _print_cells(row: Mapping[str, Any], digits: int) -> list[str]:
    """A row of Markdown or LaTeX, with the slice if there is one."""
    place = [f"{row['attribute']} = {row['slice']}"] if "slice" in row else []
    models = [row["metric"], f"{row['model_a']} − {row['model_b']}"]
    shown = with_interval(row["difference"], row["low"], row["high"], digits)
    return [*place, *models, shown, p_with_bound(row["p_value"]), p_with_bound(row["p_adjusted"])]
