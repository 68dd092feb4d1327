"""``cross_evaluate``: estimators fitted and evaluated by cross-validation."""

from polyroc.inference._cross.cross import cross_evaluate
from polyroc.inference._cross.result import CrossComparison, CrossEvaluation

__all__ = ["CrossComparison", "CrossEvaluation", "cross_evaluate"]
