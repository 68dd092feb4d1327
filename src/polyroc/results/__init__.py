"""Results: a value with its uncertainty, frozen, that is asked for intervals later."""

from polyroc.results._estimate import Estimate
from polyroc.results._evaluation import Evaluation
from polyroc.results._parts import Effective, Interval, Note
from polyroc.results._value_test import ValueTest

__all__ = ["Effective", "Estimate", "Evaluation", "Interval", "Note", "ValueTest"]
