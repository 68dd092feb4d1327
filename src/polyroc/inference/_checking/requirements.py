"""What is required of a classifier: values not below or above a bound, or no great loss."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.metrics import registry
from polyroc.results._value_test import check_constant

Rule = Literal["minimum", "maximum", "max_drop", "max_rise"]
Bounds = float | Mapping[str, float]

OF_VALUES = ("minimum", "maximum")
"""Rules about a value; the others are about its change from a baseline."""

_HIGHER = {"minimum": True, "maximum": False, "max_drop": True, "max_rise": False}
"""Whether a rule is for metrics where higher is better."""

_INSTEAD = {
    "minimum": "maximum",
    "maximum": "minimum",
    "max_drop": "max_rise",
    "max_rise": "max_drop",
}


@dataclass(frozen=True)
class Requirement:
    """One thing that is required of one metric."""

    metric: str
    rule: Rule
    bound: float

    @property
    def of_value(self) -> bool:
        """Whether it is about a value, not about a change."""
        return self.rule in OF_VALUES

    def describe(self) -> str:
        """In a few words.

        Examples
        --------
        >>> Requirement("pdi", "minimum", 0.7).describe()
        'pdi at least 0.7'
        >>> Requirement("pdi", "max_drop", 0.01).describe()
        'pdi drops by at most 0.01'
        """
        words = {
            "minimum": "at least",
            "maximum": "at most",
            "max_drop": "drops by at most",
            "max_rise": "rises by at most",
        }
        return f"{self.metric} {words[self.rule]} {self.bound:g}"


def requirements_of(
    minimum: Any, maximum: Any, max_drop: Any, max_rise: Any
) -> tuple[Requirement, ...]:
    """All requirements, checked: values first, then changes."""
    values = [*_each("minimum", minimum), *_each("maximum", maximum)]
    changes = [
        *_each("max_drop", max_drop, [r.metric for r in values if r.rule == "minimum"]),
        *_each("max_rise", max_rise, [r.metric for r in values if r.rule == "maximum"]),
    ]
    if not values and not changes:
        raise InvalidInput(
            "Nothing is required. Pass minimum=, maximum=, max_drop= or max_rise=, such as "
            'minimum={"hand_till": 0.9}.'
        )
    return (*values, *changes)


def _each(rule: Rule, given: Any, named: list[str] | None = None) -> Iterator[Requirement]:
    """The requirements of one rule; a number alone is about the metrics named elsewhere."""
    if given is None:
        return
    if not isinstance(given, Mapping):
        given = _for_named(rule, given, named)
    for metric, bound in given.items():
        yield _checked(rule, metric, bound)


def _for_named(rule: Rule, bound: Any, named: list[str] | None) -> dict[str, Any]:
    if named is None:
        raise InvalidType(
            f"{rule} must be a mapping from metric to number, got {shown(bound)}. Pass "
            f'{rule}={{"hand_till": 0.9}}.'
        )
    if not named:
        other = "minimum" if rule == "max_drop" else "maximum"
        raise InvalidInput(
            f"{rule}={shown(bound)} does not say which metric it is about, and {other}= names "
            f'none. Name it, such as {rule}={{"hand_till": {shown(bound)}}}.'
        )
    return dict.fromkeys(named, bound)


def _checked(rule: Rule, name: Any, bound: Any) -> Requirement:
    metric = registry[name]
    if isinstance(bound, bool) or not isinstance(bound, (int, float)):
        raise InvalidType(f"{rule} of {name} must be a number, got {shown(bound)}.")
    if (metric.direction == "higher") != _HIGHER[rule]:
        raise InvalidInput(
            f"{metric.direction.capitalize()} is better for {name}, so {rule}= makes no sense of "
            f"it. Pass {_INSTEAD[rule]}=."
        )
    low, high = metric.lowest, metric.highest
    if rule in OF_VALUES:
        try:
            check_constant(float(bound), (low, high))
        except InvalidInput as error:
            raise InvalidInput(str(error).replace("against", f"{rule} of {name}")) from None
    elif not 0 <= bound < high - low or math.isinf(bound):
        most = f" and less than {high - low:g}" if math.isfinite(high - low) else " and finite"
        raise InvalidInput(
            f"{rule} of {name} must be at least 0{most}, got {bound!r}. Pass 0.01 for a hundredth."
        )
    return Requirement(name, rule, float(bound))
