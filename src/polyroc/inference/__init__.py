"""Inference: intervals, comparisons and studies, written once for every metric."""

from polyroc.inference.compare import Comparison, compare
from polyroc.inference.evaluate import estimate, evaluate

__all__ = ["Comparison", "compare", "estimate", "evaluate"]
