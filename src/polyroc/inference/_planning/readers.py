"""Reader studies as pilots: readers and cases, by Hillis & Berbaum."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.checks import whole_number
from polyroc.errors import InvalidInput
from polyroc.inference._planning.allocation import FEWEST, MOST_CASES, by_class, divided, is_total
from polyroc.inference._planning.result import Plan
from polyroc.inference._reader_study import ReaderStudy
from polyroc.inference._reader_study.power import checked_difference
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    from polyroc.inference._planning.plan import Asked


def plan_of_readers(
    study: ReaderStudy, readers: int | None, asked: "Asked", level: float, others: dict[str, Any]
) -> Plan:
    """Cases for so many readers, readers and cases random, classes in the shares of the pilot."""
    _check_others(study, others)
    count = len(study.readers) if readers is None else whole_number(readers, "readers", least=2)
    difference = None if asked.detects else _difference(study, asked)
    cases = _cases(study, count, asked, difference, level)
    if asked.detects:
        difference = _detectable(study, count, cases, float(asked.power or 0), level)
    found = study.power(count, cases, difference=difference or 1.0, level=level)
    width, error = study.half_width(count, cases, level=level)
    return Plan(
        metric=study.metric,
        cases=_by_class(study, cases),
        half_width=width,
        power=math.nan if difference is None else found.power,
        value=_assumed(study, difference),
        against=0.0,
        standard_error=error,
        degrees_of_freedom=found.ddf,
        level=level,
        alternative="two-sided",
        method="Hillis & Berbaum",
        readers=count,
        assumptions=(
            f"variance components from the {len(study.readers)} readers and {study.n_cases} cases "
            "of the pilot",
            "readers and cases random",
            "classes in the shares of the pilot",
        ),
    )


def _check_others(study: ReaderStudy, others: dict[str, Any]) -> None:
    if others["metric"] == study.metric:
        others = {**others, "metric": None}
    if others["allocation"] == "pilot":
        others = {**others, "allocation": None}
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise InvalidInput(
            f"{', '.join(given)} cannot be given with a reader study, which has its own metric, "
            "two-sided tests and classes in the shares of the pilot."
        )


def _difference(study: ReaderStudy, asked: "Asked") -> float | None:
    """The difference to be found; None where the plan is for an interval, and none was observed."""
    if asked.difference is not None:
        return checked_difference(asked.difference)
    observed = study.observed_difference
    return None if asked.power is None and not observed else checked_difference(observed)


def _assumed(study: ReaderStudy, difference: float | None) -> float:
    """The value of a plan: NaN where several differences could be meant."""
    if difference is not None:
        return difference
    return math.nan if study.observed_difference is None else 0.0


def _cases(
    study: ReaderStudy, readers: int, asked: "Asked", difference: float | None, level: float
) -> int:
    if asked.cases is not None:
        return _given(study, asked.cases)
    needed = [FEWEST * len(study.classes)]
    if asked.power is not None:
        found = study.cases_needed(readers, asked.power, difference=difference, level=level)
        needed.append(found.cases)
    if asked.half_width is not None:
        needed.append(study.cases_for(readers, asked.half_width, level=level))
    return max(needed)


def _given(study: ReaderStudy, cases: Any) -> int:
    if is_total(cases):
        return whole_number(cases, "cases", FEWEST * len(study.classes), MOST_CASES)
    counts = by_class(cases, "cases", study.classes)
    total = whole_number(counts.sum(), "cases", FEWEST * len(study.classes), MOST_CASES)
    if not np.array_equal(counts, _counts(study, total)):
        raise InvalidInput(
            "cases= of a reader study must be in the shares of the pilot. Pass their total."
        )
    return total


def _counts(study: ReaderStudy, total: int) -> Float64Array:
    pilot = np.array([study.counts[label] for label in study.classes], dtype=np.float64)
    return divided(total, pilot / pilot.sum())


def _by_class(study: ReaderStudy, total: int) -> dict[Any, int]:
    counts = _counts(study, total)
    return dict(zip(study.classes, (int(n) for n in counts), strict=True))


def _detectable(study: ReaderStudy, readers: int, cases: int, power: float, level: float) -> float:
    """The smallest difference between two modalities that is found with a power."""
    from scipy.optimize import brentq

    if power <= 1 - level:
        raise InvalidInput(
            f"power must be above {1 - level:.6g}, got {power:g}: the test rejects so often where "
            "there is no difference."
        )

    def lacking(exponent: float) -> float:
        found = study.power(readers, cases, difference=math.exp(exponent), level=level)
        return found.power - power

    _, error = study.half_width(readers, cases, level=level)
    high = math.log(error)
    while lacking(high) < 0:
        high += 1
    return math.exp(brentq(lacking, high - 30, high, xtol=1e-12))
