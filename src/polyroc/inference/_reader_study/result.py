"""The result of a reader study."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from polyroc._base.adjustment import holm_adjusted
from polyroc._base.checks import check_choice, real_number, share, shown, whole_number
from polyroc._base.levels import check_level, two_sided_quantile
from polyroc._base.tables import html_table, less, text_table, without_nan
from polyroc.errors import InvalidInput
from polyroc.inference._reader_study.analysis import RANDOM, ROUNDING, Analysis, Random, ReaderTest
from polyroc.inference._reader_study.power import Pilot, Power, check_plan, checked_difference
from polyroc.metrics.declaration import Direction
from polyroc.results import Estimate, Note
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    import pandas as pd

_TABLES = ("means", "values", "differences", "differences by reader")


@dataclass(frozen=True, eq=False, repr=False)
class ReaderStudy:
    """Modalities compared by several readers of the same cases.

    Three analyses answer three questions: ``"readers and cases"`` speaks of other readers and other
    cases, ``"cases"`` of these readers and other cases, ``"readers"`` of other readers and these
    cases.

    Attributes
    ----------
    metric : name of the metric.
    modalities, readers : in sorted order.
    values : (I, J) value for each modality and reader.
    covariance : (I, J, I, J) covariances of the values over cases.
    classes : in order; ``positive`` is the second of two.
    counts : number of cases in each class.
    method : how the covariances were estimated.
    level : confidence level of the tables.
    notes, settings : what is unusual, and the options that matter.
    """

    metric: str
    modalities: tuple[Any, ...]
    readers: tuple[Any, ...]
    values: Float64Array
    covariance: Float64Array
    classes: tuple[Label, ...]
    counts: Mapping[Label, int]
    method: str
    range: tuple[float, float] = (0.0, 1.0)
    direction: Direction = "higher"
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def analysis(self) -> Analysis:
        """The analysis of variance."""
        return Analysis(self.values, self.covariance)

    @property
    def positive(self) -> Label | None:
        """With two classes, the one that higher ratings speak for; None with more classes."""
        return self.classes[1] if len(self.classes) == 2 else None

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return sum(self.counts.values())

    @property
    def means(self) -> dict[Any, float]:
        """Mean over readers of each modality."""
        return dict(zip(self.modalities, self.analysis.means.tolist(), strict=True))

    @property
    def components(self) -> dict[str, float]:
        """Var(R), Var(T·R), Cov1, Cov2, Cov3 and Var(ε), as estimated, even if negative."""
        return dict(self.analysis.components)

    @property
    def mean_squares(self) -> dict[str, float]:
        """Mean squares of modalities (t), readers (r) and their interaction (tr)."""
        return dict(self.analysis.mean_squares)

    def test(self, random: Random = "readers and cases") -> ReaderTest:
        """Test that the means of all modalities are equal."""
        check_choice(random, "random", RANDOM)
        return self.analysis.test(random)

    def frame(
        self,
        table: str = "means",
        *,
        random: Random = "readers and cases",
        level: float | None = None,
    ) -> "pd.DataFrame":
        """A table of the study.

        Parameters
        ----------
        table : ``"means"``, a row per modality, each analysed from its own readings;
            ``"differences"`` between the means of modalities, with p-values, Holm's over the pairs
            in ``p_adjusted``; ``"values"`` of each reader under each modality;
            ``"differences by reader"``. The last two are about these readers and other cases.
        random : which analysis; it matters to means and differences.
        level : confidence level, by default that of the study.
        """
        import pandas as pd

        return pd.DataFrame(self.rows(table, random=random, level=level))

    def rows(
        self,
        table: str = "means",
        *,
        random: Random = "readers and cases",
        level: float | None = None,
    ) -> list[dict[str, Any]]:
        """The rows of :meth:`frame` as dictionaries."""
        check_choice(table, "table", _TABLES)
        check_choice(random, "random", RANDOM)
        level = self.level if level is None else level
        check_level(level)
        if table == "means":
            return self._mean_rows(random, level)
        if table == "differences":
            return self._difference_rows(random, level)
        return self._value_rows(level) if table == "values" else self._reader_rows(level)

    def _mean_rows(self, random: Random, level: float) -> list[dict[str, Any]]:
        rows, analysis = [], self.analysis
        for i, (modality, mean) in enumerate(self.means.items()):
            error, freedom = analysis.mean_spread(i, random)
            reach = two_sided_quantile(level, freedom) * error
            rows.append(
                {
                    "modality": modality,
                    "value": mean,
                    "standard_error": error,
                    "degrees_of_freedom": freedom,
                    "low": mean - reach,
                    "high": mean + reach,
                }
            )
        return rows

    def _difference_rows(self, random: Random, level: float) -> list[dict[str, Any]]:
        means = self.analysis.means
        error, freedom = self.analysis.difference_spread(random)
        rows = [
            {"modality_a": self.modalities[a], "modality_b": self.modalities[b]}
            | _difference(float(means[a] - means[b]), error, freedom, level)
            for a, b in combinations(range(len(self.modalities)), 2)
        ]
        adjusted = holm_adjusted([row["p_value"] for row in rows])
        return [row | {"p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)]

    def _value_rows(self, level: float) -> list[dict[str, Any]]:
        rows = []
        for i, modality in enumerate(self.modalities):
            for j, reader in enumerate(self.readers):
                estimate = self.estimate(i, j)
                low, high, *_ = estimate.interval(level)
                rows.append(
                    {
                        "modality": modality,
                        "reader": reader,
                        "value": estimate.value,
                        "standard_error": estimate.standard_error,
                        "low": low,
                        "high": high,
                    }
                )
        return rows

    def estimate(self, modality: int, reader: int) -> Estimate:
        """The value of one reader under one modality, by their positions, over cases."""
        variance = float(self.covariance[modality, reader, modality, reader])
        return Estimate(
            metric=self.metric,
            value=float(self.values[modality, reader]),
            standard_error=math.sqrt(variance) if variance > ROUNDING else math.nan,
            method=self.method,
            range=self.range,
            direction=self.direction,
            counts=self.counts,
        )

    def _reader_rows(self, level: float) -> list[dict[str, Any]]:
        rows, analysis = [], self.analysis
        for j, reader in enumerate(self.readers):
            for a, b in combinations(range(len(self.modalities)), 2):
                who = {
                    "reader": reader,
                    "modality_a": self.modalities[a],
                    "modality_b": self.modalities[b],
                }
                difference = float(self.values[a, j] - self.values[b, j])
                error = analysis.reader_spread(j, a, b)
                rows.append(who | _difference(difference, error, math.inf, level))
        return rows

    def power(
        self,
        readers: int,
        cases: int,
        *,
        difference: float | None = None,
        random: Random = "readers and cases",
        level: float | None = None,
    ) -> Power:
        """Power of a study with so many readers and cases, this one being the pilot.

        Parameters
        ----------
        readers, cases : planned; classes in the same shares as here.
        difference : between the means of two modalities that the study should find; by default the
            one observed here, which with two modalities is there but is itself uncertain. With more
            modalities it is the largest difference, the others lying in the middle.
        random, level : of the test; ``level=0.95`` is α = .05.
        """
        level = self.level if level is None else level
        planned = check_plan(readers, random, level)
        sought = self._difference(difference)
        count = whole_number(cases, "cases", least=2)
        return self._pilot.power(planned, count, sought, random, level)

    def cases_needed(
        self,
        readers: int,
        power: float = 0.8,
        *,
        difference: float | None = None,
        random: Random = "readers and cases",
        level: float | None = None,
    ) -> Power:
        """The fewest cases with which so many readers reach a power; see :meth:`power`."""
        level = self.level if level is None else level
        planned = check_plan(readers, random, level)
        wanted = share(power, "power")
        sought = self._difference(difference)
        return self._pilot.cases_needed(planned, wanted, sought, random, level)

    def half_width(
        self,
        readers: int,
        cases: int,
        *,
        random: Random = "readers and cases",
        level: float | None = None,
    ) -> tuple[float, float]:
        """Half-width of the interval of a difference with so many readers and cases, and its error.

        Parameters are those of :meth:`power`.
        """
        level = self.level if level is None else level
        planned = check_plan(readers, random, level)
        count = whole_number(cases, "cases", least=2)
        return self._pilot.interval(planned, count, random, level)

    def cases_for(
        self,
        readers: int,
        half_width: float,
        *,
        random: Random = "readers and cases",
        level: float | None = None,
    ) -> int:
        """The fewest cases with which so many readers reach a :meth:`half_width`."""
        level = self.level if level is None else level
        planned = check_plan(readers, random, level)
        if not real_number(half_width, "half_width") > 0:
            raise InvalidInput(f"half_width must be a positive number, got {shown(half_width)}.")
        return self._pilot.cases_for(planned, float(half_width), random, level)

    @property
    def _pilot(self) -> Pilot:
        return Pilot(self.components, len(self.modalities), self.n_cases)

    @property
    def observed_difference(self) -> float | None:
        """Between the means of two modalities; None with more of them."""
        if len(self.modalities) > 2:
            return None
        first, second = self.means.values()
        return first - second

    def _difference(self, given: float | None) -> float:
        return checked_difference(self.observed_difference if given is None else given)

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        level = self.level if level is None else level
        return {
            "metric": self.metric,
            "direction": self.direction,
            "covariance": self.method,
            "level": level,
            "modalities": list(self.modalities),
            "readers": list(self.readers),
            "classes": list(self.classes),
            "positive": self.positive,
            "counts": {str(label): count for label, count in self.counts.items()},
            "by_reader": [without_nan(row) for row in self.rows("values", level=level)],
            "differences_by_reader": [
                without_nan(row) for row in self.rows("differences by reader", level=level)
            ],
            "components": self.components,
            "mean_squares": self.mean_squares,
            "analyses": [self._analysis_dict(random, level) for random in RANDOM],
            "notes": [note._asdict() for note in self.notes],
            "settings": dict(self.settings),
        }

    def _analysis_dict(self, random: Any, level: float) -> dict[str, Any]:
        return {
            "random": random,
            "test": without_nan(less(self.test(random)._asdict(), "random")),
            "means": [without_nan(row) for row in self.rows("means", random=random, level=level)],
            "differences": [
                without_nan(row) for row in self.rows("differences", random=random, level=level)
            ],
        }

    def _head(self) -> str:
        positive = "" if self.positive is None else f"; {shown(self.positive)} is positive"
        return (
            f"{self.metric} of {len(self.modalities)} modalities by {len(self.readers)} readers of "
            f"{self.n_cases} cases{positive}"
        )

    def __repr__(self) -> str:
        return "\n".join(
            [
                self._head(),
                text_table(self.rows("means")),
                text_table(self.rows("differences")),
                described(self.test()),
            ]
        )

    def _repr_html_(self) -> str:
        tables = html_table(self.rows("means")) + html_table(self.rows("differences"))
        from html import escape

        return f"<p>{escape(self._head())}</p>{tables}<p>{escape(described(self.test()))}</p>"


def described(test: ReaderTest) -> str:
    """A test in words."""
    if math.isnan(test.p_value):
        return f"random {test.random}: no test, differences do not vary"
    p_value = f"p = {test.p_value:.4f}" if not test.p_value < 1e-4 else "p < 0.0001"
    if test.random == "cases":
        statistic = f"χ²({test.df}) = {test.statistic:.4f}"
    else:
        statistic = f"F({test.df}, {test.ddf:.2f}) = {test.statistic:.4f}"
    return f"random {test.random}: {statistic}, {p_value}"


def _difference(difference: float, error: float, freedom: float, level: float) -> dict[str, Any]:
    """A difference with its interval and p-value; all NaN where nothing varies."""
    from scipy.special import ndtr, stdtr

    reach = two_sided_quantile(level, freedom) * error
    statistic = difference / error
    tail = ndtr(-abs(statistic)) if math.isinf(freedom) else stdtr(freedom, -abs(statistic))
    return {
        "difference": difference,
        "standard_error": error,
        "degrees_of_freedom": freedom,
        "low": difference - reach,
        "high": difference + reach,
        "p_value": float(2 * tail),
    }
