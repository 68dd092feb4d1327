"""Metrics and comparisons of models by slices of the cases."""

from polyroc.inference._slices.compared import SlicedComparison
from polyroc.inference._slices.result import SlicedEvaluation

__all__ = ["SlicedComparison", "SlicedEvaluation"]
