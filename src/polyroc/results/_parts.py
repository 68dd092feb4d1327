"""What results are made of: an interval, an effective number of cases, a note."""

from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float
    level: float
    scale: str


class Effective(NamedTuple):
    """As many cases as would give a share the variance of this value, and how well it is known."""

    size: float
    degrees_of_freedom: float
    signed: bool = False
    """Whether the value is the size of a number that may be negative, such as a determinant: then
    the limits are those of the number, and contain 0 where its sign is not known."""


class Note(NamedTuple):
    """Something correct but surprising about a number: a code to look up, and the fact in words."""

    code: str
    text: str
