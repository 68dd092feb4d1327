"""The result of a check: one row per requirement, and what follows from all of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from polyroc._base.adjustment import holm_adjusted
from polyroc._base.hypotheses import p_in_words
from polyroc._base.tables import html_table, text_table, without_nan
from polyroc.inference._checking.requirements import Requirement, Rule

if TYPE_CHECKING:
    import pandas as pd

Outcome = Literal["pass", "fail", "undecided"]


@dataclass(frozen=True)
class Checked:
    """One requirement with what the cases say of it.

    ``low`` and ``high`` are one-sided confidence limits, each of the level of the check, of
    ``judged``: the value, or how much worse it is than that of the baseline.
    """

    metric: str
    rule: Rule
    bound: float
    value: float = math.nan
    """NaN for a slice with too few cases of a class."""
    baseline: float = math.nan
    judged: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p_met: float = math.nan
    """Of the one-sided test that shows that the requirement is met."""
    p_violated: float = math.nan
    """Of the one-sided test that shows that it is violated."""
    notes: tuple[str, ...] = ()
    p_adjusted: float = math.nan
    """``p_violated`` adjusted by Holm's method over the requirements of the check."""
    outcome: Outcome = "undecided"
    attribute: str = ""
    """What slices are by, and the slice that this is about; empty for all cases."""
    slice: str = ""

    @property
    def requirement(self) -> Requirement:
        """What was asked."""
        return Requirement(self.metric, self.rule, self.bound)

    @property
    def note(self) -> str:
        """All notes in one line."""
        return "; ".join(self.notes)

    def describe(self) -> str:
        """What was asked, in a few words."""
        of = f", {self.attribute} {self.slice}" if self.attribute else ""
        return f"{self.requirement.describe()}{of}"

    def judge(self, p_adjusted: float, level: float) -> "Checked":
        """The row with its outcome."""
        most = 1 - level + 1e-12
        violated, met = p_adjusted <= most, self.p_met <= most
        outcome: Outcome = "fail" if violated else "pass" if met else "undecided"
        return replace(self, p_adjusted=p_adjusted, outcome=outcome)

    def sentence(self, level: float) -> str:
        """What was required, what was found, and the p-value of what is shown."""
        what = self.describe()
        if math.isnan(self.judged):
            return f"{what}: no value ({self.note}), too few cases to tell."
        found = f"{self.judged:.4f}"
        if not self.requirement.of_value:
            side = "drop" if self.rule == "max_drop" else "rise"
            found = f"{side} {self.judged:+.4f} from {self.baseline:.4f} to {self.value:.4f}"
        return f"{what}: {found}{self._limits(level)}, {self._shown()}."

    def _limits(self, level: float) -> str:
        if math.isnan(self.low) or math.isnan(self.high) or self.low == self.high:
            return ""
        form = ".4f" if self.requirement.of_value else "+.4f"
        return f" ({100 * level:g} % limits {self.low:{form}} and {self.high:{form}})"

    def _shown(self) -> str:
        if self.outcome == "pass" and self.low == self.high == 0:
            return "met, the same on every case"
        if self.outcome == "pass":
            return f"met, {p_in_words(self.p_met)}"
        if self.outcome == "fail":
            return f"violated, {p_in_words(self.p_adjusted)}"
        return "too few cases to tell"

    def row(self) -> dict[str, Any]:
        """A row of a table."""
        return {
            "requirement": self.describe(),
            "outcome": self.outcome,
            "attribute": self.attribute,
            "slice": self.slice,
            "metric": self.metric,
            "rule": self.rule,
            "bound": self.bound,
            "value": self.value,
            "baseline": self.baseline,
            "judged": self.judged,
            "low": self.low,
            "high": self.high,
            "p_met": self.p_met,
            "p_violated": self.p_violated,
            "p_adjusted": self.p_adjusted,
            "note": self.note,
        }


def judged(rows: Sequence[Checked], level: float) -> "Check":
    """All rows with their outcomes: failures are adjusted for the number of requirements."""
    adjusted = holm_adjusted([row.p_violated for row in rows])
    done = [row.judge(p, level) for row, p in zip(rows, adjusted, strict=True)]
    return Check(tuple(done), level)


def _adjustment(tested: int, percent: str) -> str:
    """What is adjusted for the number of requirements that could be tested."""
    return (
        f"P-values of violations are adjusted by Holm's method over {tested} requirements, so that "
        f"a check whose requirements are all met fails in at most {percent} of samples; those of "
        "requirements met are not adjusted, because the check passes only if all are met."
    )


@dataclass(frozen=True)
class Check:
    """Requirements, judged one by one and together; see :func:`polyroc.check`."""

    rows: tuple[Checked, ...]
    level: float = 0.95

    @property
    def outcome(self) -> Outcome:
        """``"fail"`` if a requirement is violated, ``"pass"`` if all are met, else undecided."""
        found = {row.outcome for row in self.rows}
        return "fail" if "fail" in found else "pass" if found == {"pass"} else "undecided"

    def explain(self) -> str:
        """How requirements were judged, in sentences: levels, and what is adjusted."""
        percent, number = f"{100 * (1 - self.level):.6g} %", len(self.rows)
        tested = sum(not math.isnan(row.p_violated) for row in self.rows)
        if not tested:
            none = "The requirement cannot" if number == 1 else f"None of the {number} can"
            return f"{none} be tested: too few cases to tell."
        who = "The requirement" if number == 1 else "Each requirement"
        if tested < number:
            who = f"{number - tested} of {number} requirements cannot be tested. Each of the others"
        told = (
            f"{who} is tested twice, each time one-sided at {percent}: that it is met (pass) and "
            "that it is violated (fail); neither shown is too few cases to tell."
        )
        return told if tested == 1 else f"{told} {_adjustment(tested, percent)}"

    def frame(self) -> "pd.DataFrame":
        """A row per requirement: what was asked, what was found, p-values and the outcome."""
        import pandas as pd

        return pd.DataFrame([row.row() for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        rows = [without_nan(row.row()) for row in self.rows]
        return {"outcome": self.outcome, "level": self.level, "requirements": rows}

    def __repr__(self) -> str:
        return f"Check: {self.outcome}\n{text_table(self._short())}"

    def _repr_html_(self) -> str:
        return html_table(self._short())

    def _short(self) -> list[dict[str, Any]]:
        names = ("requirement", "outcome", "judged", "low", "high", "p_met", "p_adjusted")
        return [{name: row.row()[name] for name in names} for row in self.rows]
