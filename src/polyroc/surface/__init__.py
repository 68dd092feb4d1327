"""ROC surfaces: the Pareto front of the error rates, its volume, and operating points on it.

Names are loaded when they are first used: a classifier that only decides by costs needs neither
the search nor its compiled kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyroc.surface._comparison import SurfaceComparison
    from polyroc.surface._costs import cost_matrix
    from polyroc.surface._cross_fitted import CrossFittedGini, cross_fitted_gini
    from polyroc.surface._front import RocSurface
    from polyroc.surface._hull import SurfaceHull
    from polyroc.surface._operating_point import SurfacePoint
    from polyroc.surface._prevalence import PrevalenceCurve, cost_by_share
    from polyroc.surface._referring_point import ReferringPoint
    from polyroc.surface._risk_coverage import RiskCoverage, risk_coverage
    from polyroc.surface._search import search
    from polyroc.surface._strategies import SearchStrategy
    from polyroc.surface.classifiers import (
        CostSensitiveClassifier,
        RejectingClassifierCV,
        TunedCostClassifierCV,
    )
    from polyroc.surface.models import (
        AveragedKnnModel,
        KnnModel,
        LinearModel,
        MlpModel,
        Model,
        ScoreModel,
    )

_HOMES = {
    "AveragedKnnModel": "models",
    "CostSensitiveClassifier": "classifiers",
    "CrossFittedGini": "_cross_fitted",
    "KnnModel": "models",
    "LinearModel": "models",
    "MlpModel": "models",
    "Model": "models",
    "PrevalenceCurve": "_prevalence",
    "ReferringPoint": "_referring_point",
    "RejectingClassifierCV": "classifiers",
    "RiskCoverage": "_risk_coverage",
    "RocSurface": "_front",
    "ScoreModel": "models",
    "SearchStrategy": "_strategies",
    "SurfaceComparison": "_comparison",
    "SurfaceHull": "_hull",
    "SurfacePoint": "_operating_point",
    "TunedCostClassifierCV": "classifiers",
    "cost_by_share": "_prevalence",
    "cost_matrix": "_costs",
    "cross_fitted_gini": "_cross_fitted",
    "risk_coverage": "_risk_coverage",
    "search": "_search",
}

__all__ = [
    "AveragedKnnModel",
    "CostSensitiveClassifier",
    "CrossFittedGini",
    "KnnModel",
    "LinearModel",
    "MlpModel",
    "Model",
    "PrevalenceCurve",
    "ReferringPoint",
    "RejectingClassifierCV",
    "RiskCoverage",
    "RocSurface",
    "ScoreModel",
    "SearchStrategy",
    "SurfaceComparison",
    "SurfaceHull",
    "SurfacePoint",
    "TunedCostClassifierCV",
    "cost_by_share",
    "cost_matrix",
    "cross_fitted_gini",
    "risk_coverage",
    "search",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'polyroc.surface' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"polyroc.surface.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
