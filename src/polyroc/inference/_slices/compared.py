"""The result of a comparison of models by slices."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from polyroc._base.tables import less, without_nan
from polyroc.inference import _comparison
from polyroc.inference._comparison import Comparison, Difference, holm
from polyroc.inference._slices.parts import BySlices, Withheld

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("attribute", "slice", "cases", *_comparison.COLUMNS)


@dataclass(frozen=True)
class Interaction:
    """A test that two models differ by the same in all slices of an attribute."""

    attribute: str
    metric: str
    model_a: str
    model_b: str
    slices: int
    """How many were compared."""
    statistic: float = math.nan
    degrees_of_freedom: int = 0
    denominator_degrees_of_freedom: float = math.nan
    p_value: float = math.nan
    p_adjusted: float = math.nan
    note: str = ""


@dataclass(frozen=True, repr=False)
class SlicedComparison(BySlices, Comparison):
    """Models compared on all cases and in the slices of attributes, from ``compare(…, by=…)``.

    ``values``, ``differences`` and ``omnibus()`` are those of all cases, ``overall``;
    ``slices[attribute][slice]`` is the comparison in a slice, the same as on its cases alone.

    Examples
    --------
    >>> from polyroc import compare
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> site = ["north", "south"] * (len(y) // 2)
    >>> two = {name: models[name] for name in ("logistic", "forest")}
    >>> found = compare(y, two, ["hand_till"], labels=labels, by={"site": site})
    >>> found.frame()[["slice", "model_a", "model_b"]].values.tolist()
    [['south', 'logistic', 'forest'], ['north', 'logistic', 'forest']]
    >>> found.interactions()["degrees_of_freedom"].tolist()
    [1]
    """

    slices: Mapping[str, Mapping[Any, Comparison]] = field(kw_only=True)
    """Comparisons by attribute and slice."""
    cases: Mapping[str, Mapping[Any, int]] = field(kw_only=True, repr=False)
    """Number of cases by attribute and slice."""
    rows: tuple[tuple[str, Any, Difference], ...] = field(kw_only=True, repr=False)
    """Attribute, slice and difference of two models there, in the order of ``frame()``."""
    same: tuple[Interaction, ...] = field(kw_only=True, repr=False)
    """Whether the models differ by the same in all slices."""
    thin: tuple[Withheld, ...] = field(default=(), kw_only=True, repr=False)
    """Slices with too few cases for a statement."""

    @property
    def overall(self) -> Comparison:
        """The comparison on all cases."""
        return Comparison(**{name: getattr(self, name) for name in Comparison.__dataclass_fields__})

    def adjusted(self, over: Literal["pairs", "all"] = "all") -> "SlicedComparison":
        """The same comparison with p-values adjusted by Holm's method over other families of tests.

        Parameters
        ----------
        over : ``"pairs"``: over the pairs of models, and in ``frame()`` also over the slices of
            the attribute, within each metric; ``"all"``: over all rows, for a statement about
            several metrics or attributes.
        """
        whole = super().adjusted(over)
        families: dict[Any, list[int]] = {}
        for place, (attribute, _, each) in enumerate(self.rows):
            key = (attribute, each.metric) if over == "pairs" else None
            families.setdefault(key, []).append(place)
        rows = list(self.rows)
        for places in families.values():
            done = holm([self.rows[place][2] for place in places])
            for place, each in zip(places, done, strict=True):
                rows[place] = (*self.rows[place][:2], each)
        return replace(
            self, differences=whole.differences, settings=whole.settings, rows=tuple(rows)
        )

    def frame(self, level: float | None = None) -> "pd.DataFrame":
        """A row per attribute, metric, pair of models and slice.

        Columns: ``attribute, slice, cases, metric, model_a, model_b, difference`` (a − b)
        ``, standard_error, low, high, p_value, p_adjusted`` (Holm's adjustment over the slices and
        pairs of models of an attribute). The slice where model_a does worst comes first.
        """
        import pandas as pd

        return pd.DataFrame(self._rows(self._level(level)), columns=list(COLUMNS))

    def interactions(self) -> "pd.DataFrame":
        """A row per attribute, metric and pair of models: is the difference the same everywhere?

        Columns: ``attribute, metric, model_a, model_b, slices, statistic, degrees_of_freedom,
        denominator_degrees_of_freedom, p_value, p_adjusted, note``; the adjustment is Holm's over
        attributes and pairs of models.
        """
        import pandas as pd

        columns = [each.name for each in fields(Interaction)]
        return pd.DataFrame([vars(test) for test in self.same], columns=columns)

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        level = self._level(level)
        by = [self._attribute(attribute, level) for attribute in self.slices]
        return {**self.overall.to_dict(level), "by": by}

    def _attribute(self, attribute: str, level: float) -> dict[str, Any]:
        found = [own for own in self.rows if own[0] == attribute]
        rows = [{**self._row(*own, level), "note": own[2].note} for own in found]
        tests = [vars(each) for each in self.same if each.attribute == attribute]
        return {
            "attribute": attribute,
            "differences": [
                without_nan({**less(row, "attribute"), "slice": str(row["slice"])}) for row in rows
            ],
            "interactions": [without_nan(less(test, "attribute")) for test in tests],
            "withheld": self._withheld_from(attribute),
        }

    def _rows(self, level: float) -> list[dict[str, Any]]:
        return [self._row(*each, level) for each in self.rows]

    def _row(
        self, attribute: str, name: Any, difference: Difference, level: float
    ) -> dict[str, Any]:
        low, high, *_ = difference.interval(level)
        place = {"attribute": attribute, "slice": name, "cases": self.cases[attribute][name]}
        row = {**vars(difference), **place, "low": low, "high": high}
        return {name: row[name] for name in COLUMNS}

    def _print_columns(self, level: float | None) -> list[str]:
        return ["slice", *super()._print_columns(level)]
