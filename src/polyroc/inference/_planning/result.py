"""What a plan says."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from polyroc._base.tables import html_table, without_nan
from polyroc.typing import Label

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, kw_only=True)
class Plan:
    """Cases of each class, and what they achieve.

    Attributes
    ----------
    metric : name of the metric.
    cases : number of cases of each class.
    half_width : half the length of the confidence interval, at ``level``.
    power : chance that the test rejects in the right direction; NaN if nothing is tested.
    value : assumed, of the metric or of the difference between two models or modalities; NaN if
        none is, in the plan for an interval of a difference among three or more modalities.
    against : value tested against, None if nothing is tested.
    standard_error, degrees_of_freedom : of the value, with these cases.
    level, alternative, method : of the interval and the test.
    models : the two that are compared, or None.
    readers : number of readers of a reader study, or None.
    variances : c_k: the variance is Σ_k c_k/n_k. None for a reader study.
    prices : of a case of each class, or None.
    assumptions : what the plan rests on, in words.
    """

    metric: str
    cases: Mapping[Label, int]
    half_width: float
    power: float
    value: float
    against: float | None
    standard_error: float
    degrees_of_freedom: float
    level: float
    alternative: str
    method: str
    models: tuple[str, str] | None = None
    readers: int | None = None
    variances: Mapping[Label, float] | None = None
    prices: Mapping[Label, float] | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Number of cases."""
        return sum(self.cases.values())

    @property
    def price(self) -> float | None:
        """Of all cases, None if prices are not known."""
        if self.prices is None:
            return None
        return float(sum(self.prices[label] * count for label, count in self.cases.items()))

    @property
    def difference(self) -> float:
        """Of the value from the one tested against; NaN if nothing is tested."""
        return math.nan if self.against is None else self.value - self.against

    def frame(self) -> "pd.DataFrame":
        """A row per class: class, cases, share, variance c_k, part of the variance, price."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The rows of :meth:`frame` as dictionaries."""
        rows = []
        for label, count in self.cases.items():
            row: dict[str, Any] = {"class": label, "cases": count, "share": count / self.total}
            if self.variances is not None:
                part = self.variances[label] / count / self.standard_error**2
                row |= {"variance": self.variances[label], "part_of_variance": part}
            if self.prices is not None:
                row["price"] = self.prices[label] * count
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        infinite = math.isinf(self.degrees_of_freedom)
        numbers = {
            "half_width": self.half_width,
            "power": self.power,
            "value": self.value,
            "against": self.against,
            "difference": self.difference,
            "standard_error": self.standard_error,
            "degrees_of_freedom": None if infinite else self.degrees_of_freedom,
        }
        return {
            "metric": self.metric,
            "models": None if self.models is None else list(self.models),
            "readers": self.readers,
            "total": self.total,
            "price": self.price,
            **without_nan(numbers),
            "level": self.level,
            "alternative": self.alternative,
            "method": self.method,
            "classes": self.rows(),
            "assumptions": list(self.assumptions),
        }

    @property
    def subject(self) -> str:
        """What the value is of."""
        if self.models is not None:
            return f"{self.metric} of {self.models[0]} − {self.models[1]}"
        return f"{self.metric}, difference of two modalities" if self.readers else self.metric

    def _stated(self) -> str:
        """The subject with its value, if one is assumed."""
        return self.subject if math.isnan(self.value) else f"{self.subject} = {self.value:.4f}"

    def __repr__(self) -> str:
        named = all(isinstance(label, str) for label in self.cases)
        word = "" if named else "of class "
        counts = ", ".join(f"{count:,} {word}{label}" for label, count in self.cases.items())
        readers = "" if self.readers is None else f"{self.readers} readers, "
        tested = "" if math.isnan(self.power) else f", power {self._power()} {self._tested()}"
        return (
            f"{readers}{self.total:,} cases ({counts}): {self._stated()} ± "
            f"{self.half_width:.4f} ({100 * self.level:g} %){tested}"
        )

    def sentences(self) -> list[str]:
        """What the cases reach, in words."""
        lines = [
            f"{self._stated()} is known to ± {self.half_width:.4f} "
            f"({100 * self.level:g} % interval; standard error {self.standard_error:.4f})."
        ]
        if not math.isnan(self.power):
            lines.append(
                f"A test {self._tested()} at {100 * (1 - self.level):.6g} % finds it with a power "
                f"of {self._power()}."
            )
        if self.price is not None:
            lines.append(f"All cases cost {self.price:,.6g}.")
        return lines

    def _power(self) -> str:
        """With four decimals; a power below 1 does not read as 1."""
        text = f"{self.power:.4f}"
        return "over 0.9999" if text == "1.0000" else text

    def _tested(self) -> str:
        side = "" if self.alternative == "two-sided" else f" ({self.alternative})"
        return f"against {self.against:.4g}{side}"

    def _repr_html_(self) -> str:
        assumed = "".join(f"<li>{escape(each)}</li>" for each in self.assumptions)
        return f"<p>{escape(repr(self))}</p>{html_table(self.rows())}<ul>{assumed}</ul>"
