"""scikit-learn classifiers that decide by costs: given ones, or ones found by cross-validation."""

from polyroc.surface.classifiers.cost_sensitive import CostSensitiveClassifier
from polyroc.surface.classifiers.rejecting import RejectingClassifierCV
from polyroc.surface.classifiers.tuned import TunedCostClassifierCV

__all__ = ["CostSensitiveClassifier", "RejectingClassifierCV", "TunedCostClassifierCV"]
