"""The result of an evaluation by slices."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from polyroc._base.levels import check_level
from polyroc._base.pivots import quantile_above
from polyroc._base.tables import less, without_nan
from polyroc.inference._slices.parts import BySlices, Withheld
from polyroc.results import Evaluation, Interval

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "attribute",
    "slice",
    "cases",
    "metric",
    "value",
    "low",
    "high",
    "difference",
    "p_value",
    "p_adjusted",
)
AGAINST_REST = (
    "attribute",
    "slice",
    "metric",
    "difference",
    "standard_error",
    "low",
    "high",
    "degrees_of_freedom",
    "p_value",
    "p_adjusted",
    "note",
)


@dataclass(frozen=True)
class SliceDifference:
    """How far the value of a slice lies from that of the rest."""

    attribute: str
    slice: Any
    metric: str
    difference: float = math.nan
    standard_error: float = math.nan
    degrees_of_freedom: float = math.inf
    p_value: float = math.nan
    p_adjusted: float = math.nan
    note: str = ""

    def interval(self, level: float = 0.95) -> Interval:
        """Confidence limits of the difference, by t."""
        check_level(level)
        reach = quantile_above((1 - level) / 2, self.degrees_of_freedom) * self.standard_error
        return Interval(self.difference - reach, self.difference + reach, level, "plain")


@dataclass(frozen=True)
class SliceTest:
    """A test that a metric has the same value in all slices of an attribute."""

    attribute: str
    metric: str
    slices: int
    """How many were compared."""
    statistic: float = math.nan
    degrees_of_freedom: int = 0
    denominator_degrees_of_freedom: float = math.nan
    p_value: float = math.nan
    p_adjusted: float = math.nan
    note: str = ""


@dataclass(frozen=True, repr=False)
class SlicedEvaluation(BySlices, Evaluation):
    """Metrics of all cases and of the slices of attributes, from ``evaluate(…, by=…)``.

    As a mapping, and in ``covariance()``, it is the evaluation of all cases, ``overall``.
    ``slices[attribute][slice]`` is the evaluation of a slice, the same as of its cases alone.

    The difference of a slice is its value minus that of the rest: the mean over the other slices of
    the attribute, each counting as much as its cases weigh. No case is compared with one of another
    slice, so where all slices have the same value every difference is 0, however much the scores
    differ between them.

    Examples
    --------
    >>> from polyroc import evaluate
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> site = ["north", "south", "west"] * (len(y) // 3) + ["north"] * (len(y) % 3)
    >>> found = evaluate(y, models["forest"], ["hand_till"], labels=labels, by={"site": site})
    >>> found.overall["hand_till"].value == found["hand_till"].value
    True
    >>> sorted(found.slices["site"])
    ['north', 'south', 'west']
    >>> found.tests()["degrees_of_freedom"].tolist()
    [2]
    """

    slices: Mapping[str, Mapping[Any, Evaluation]] = field(kw_only=True)
    """Evaluations by attribute and slice."""
    cases: Mapping[str, Mapping[Any, int]] = field(kw_only=True, repr=False)
    """Number of cases by attribute and slice."""
    differences: tuple[SliceDifference, ...] = field(kw_only=True, repr=False)
    """Of each slice from the rest, in the order of ``frame()``."""
    alike: tuple[SliceTest, ...] = field(kw_only=True, repr=False)
    """Whether the slices of each attribute are alike."""
    thin: tuple[Withheld, ...] = field(default=(), kw_only=True, repr=False)
    """Slices with too few cases for a statement."""

    @property
    def overall(self) -> Evaluation:
        """The evaluation of all cases."""
        return Evaluation(self.estimates, self.level, self.joint)

    def frame(self, level: float | None = None) -> "pd.DataFrame":
        """A row per attribute, metric and slice, the worst slice first.

        Columns: ``attribute, slice, cases, metric, value, low, high, difference`` (slice − rest)
        ``, p_value, p_adjusted`` (Holm's adjustment over the slices of the attribute). ``low`` and
        ``high`` are limits of the value, those of the difference are in ``against_rest()``.
        """
        import pandas as pd

        return pd.DataFrame(self._rows(self._level(level)), columns=list(COLUMNS))

    def against_rest(self, level: float | None = None) -> "pd.DataFrame":
        """Differences of each slice from the rest, in the order of ``frame()``.

        Columns: ``attribute, slice, metric, difference, standard_error, low, high,
        degrees_of_freedom, p_value, p_adjusted, note``.
        """
        import pandas as pd

        rows = [_difference_row(each, self._level(level)) for each in self.differences]
        return pd.DataFrame(rows, columns=list(AGAINST_REST))

    def tests(self) -> "pd.DataFrame":
        """A row per attribute and metric: are its slices alike?

        Columns: ``attribute, metric, slices, statistic, degrees_of_freedom,
        denominator_degrees_of_freedom, p_value, p_adjusted, note``; the adjustment is Holm's over
        the attributes.
        """
        import pandas as pd

        columns = [each.name for each in fields(SliceTest)]
        return pd.DataFrame([vars(test) for test in self.alike], columns=columns)

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        level = self._level(level)
        return {**super().to_dict(level), "by": [self._attribute(a, level) for a in self.slices]}

    def _attribute(self, attribute: str, level: float) -> dict[str, Any]:
        own = [each for each in self.differences if each.attribute == attribute]
        tests = [vars(each) for each in self.alike if each.attribute == attribute]
        return {
            "attribute": attribute,
            "slices": [self._document(each, level) for each in own],
            "tests": [without_nan(less(test, "attribute")) for test in tests],
            "withheld": self._withheld_from(attribute),
        }

    def _document(self, difference: SliceDifference, level: float) -> dict[str, Any]:
        """A slice with its difference from the rest, for JSON."""
        row = self._row(difference, level)
        apart = _difference_row(difference, level)
        estimate = self.slices[difference.attribute][difference.slice][difference.metric]
        rest = {
            f"difference_{name}": apart[name]
            for name in ("standard_error", "low", "high", "degrees_of_freedom", "note")
        }
        named = {**row, "slice": str(row["slice"]), "standard_error": estimate.standard_error}
        return without_nan(less({**named, **rest, "note": estimate.note}, "attribute"))

    def _rows(self, level: float) -> list[dict[str, Any]]:
        return [self._row(each, level) for each in self.differences]

    def _row(self, difference: SliceDifference, level: float) -> dict[str, Any]:
        attribute, name = difference.attribute, difference.slice
        estimate = self.slices[attribute][name][difference.metric]
        low, high, *_ = estimate.interval(level)
        return {
            "attribute": attribute,
            "slice": name,
            "cases": self.cases[attribute][name],
            "metric": difference.metric,
            "value": estimate.value,
            "low": low,
            "high": high,
            "difference": difference.difference,
            "p_value": difference.p_value,
            "p_adjusted": difference.p_adjusted,
        }

    def _print_rows(self, level: float | None, digits: int) -> list[dict[str, str]]:
        parts = {"all cases": self.overall} | {
            f"{attribute} = {name}": found
            for attribute, slices in self.slices.items()
            for name, found in slices.items()
        }
        return [
            {"slice": name, **row}
            for name, found in parts.items()
            for row in found._print_rows(self._level(level), digits)
        ]

    def _print_columns(self, level: float | None) -> list[str]:
        return ["slice", *super()._print_columns(level)]


def _difference_row(difference: SliceDifference, level: float) -> dict[str, Any]:
    low, high, *_ = difference.interval(level)
    row = {**vars(difference), "low": low, "high": high}
    return {name: row[name] for name in AGAINST_REST}
