"""Differences of models whose scores do not fit into memory: bounds, and a paired test."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from polyroc._base.adjustment import holm_adjusted
from polyroc._base.checks import shown
from polyroc._base.levels import two_sided_quantile
from polyroc._base.tables import html_table, text_table, without_nan
from polyroc.errors import InvalidInput, InvalidType
from polyroc.scale._certified import CertifiedEvaluation, outward

if TYPE_CHECKING:
    import pandas as pd


def checked_models(models: Any, holding: str) -> Mapping[str, Any]:
    """Two models or more by name, and what each has: scores, or tables."""
    if not isinstance(models, Mapping) or not all(isinstance(name, str) for name in models):
        got = shown(models)
        raise InvalidType(f"models must map names of models to their {holding}, got {got}.")
    if len(models) < 2:
        raise InvalidInput(f"A comparison needs two models or more, got {len(models)}.")
    return models


@dataclass(frozen=True)
class CertifiedDifference:
    """Bounds of model_a − model_b: the difference in the data is certain to lie between them.

    Attributes
    ----------
    metric, model_a, model_b : what is compared.
    low, high : the bounds, equal up to rounding where values are exact.
    standard_error : of the difference, for the same cases.
    note : why there is no standard error.

    Examples
    --------
    >>> found = CertifiedDifference("hand_till", "a", "b", 0.0199, 0.0201, 0.01)
    >>> round(found.p_value, 4), [round(end, 4) for end in found.interval()]
    (0.0466, [0.0003, 0.0397])
    """

    metric: str
    model_a: str
    model_b: str
    low: float
    high: float
    standard_error: float = math.nan
    note: str = ""

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence limits: the lower from ``low``, the upper from ``high``."""
        reach = two_sided_quantile(level) * self.standard_error
        return self.low - reach, self.high + reach

    @property
    def p_value(self) -> float:
        """The largest that any difference between the bounds has, so 1 where 0 is among them."""
        from scipy.special import ndtr

        nearest = max(self.low, -self.high, 0.0)
        return 2 * float(ndtr(-nearest / self.standard_error))


@dataclass(frozen=True)
class CertifiedComparison(Mapping[str, CertifiedEvaluation]):
    """Models compared on the same cases; a mapping from models to their evaluations.

    Attributes
    ----------
    evaluations : bounds of the metrics of each model.
    differences : of each metric and pair of models, in the order of ``frame()``.
    """

    evaluations: Mapping[str, CertifiedEvaluation]
    differences: tuple[CertifiedDifference, ...] = field(repr=False)

    def __getitem__(self, model: str) -> CertifiedEvaluation:
        return self.evaluations[model]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per metric and pair of models: bounds of the difference, limits, p values.

        ``low`` and ``high`` are confidence limits around the bounds ``least`` and ``most``;
        ``p_adjusted`` is Holm's, over all rows.
        """
        import pandas as pd

        return pd.DataFrame(self._rows(level))

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "models": {name: each.to_dict() for name, each in self.evaluations.items()},
            "differences": [without_nan(row) for row in self._rows(level)],
        }

    def _rows(self, level: float) -> list[dict[str, Any]]:
        adjusted = holm_adjusted([each.p_value for each in self.differences])
        return [
            {
                "metric": each.metric,
                "model_a": each.model_a,
                "model_b": each.model_b,
                "least": each.low,
                "most": each.high,
                "standard_error": each.standard_error,
                **dict(zip(("low", "high"), each.interval(level), strict=True)),
                "p_value": each.p_value,
                "p_adjusted": p,
                "note": each.note,
            }
            for each, p in zip(self.differences, adjusted, strict=True)
        ]

    def __repr__(self) -> str:
        return text_table(self._printed_rows())

    def _repr_html_(self) -> str:
        return html_table(self._printed_rows())

    def _printed_rows(self) -> list[dict[str, Any]]:
        """Rows whose bounds still hold after four decimals."""
        rows = self._rows(0.95)
        ends = [outward(row["least"], row["most"], 4) for row in rows]
        return [row | {"least": a, "most": b} for row, (a, b) in zip(rows, ends, strict=True)]
