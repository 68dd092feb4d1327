"""Multi-class ROC analysis: metrics, intervals, comparisons, surfaces and operating points.

Public names are loaded when they are first used, so that importing the package costs little.
"""

from importlib import import_module
from typing import Any

from polyroc._version import __version__

_HOMES = {
    "polyroc.metrics": """auc_mu au1p aunp aunu gini hand_till hand_till_probabilistic
        hand_till_scored hum length_weighted_vus2 ordinal_vus pairwise_auc pdi
        probabilistic_auc registry roc_auc saec scored_auc simplex_volume
        total_length triangle_area vus vus2 wvus wvus2""",
    "polyroc.inference": """Bootstrap Design Influence Permutation chance_test check compare
        cross_evaluate estimate estimate_ordinal_vus evaluate evaluate_pairs plan reader_study
        study""",
    "polyroc._scorers": "scorers",
    "polyroc.coupling": "PairwiseCoupling",
    "polyroc.predictions": "Predictions",
    "polyroc.report": "write_report",
    "polyroc.surface": "CostSensitiveClassifier RejectingClassifierCV TunedCostClassifierCV",
}
_MODULES = (
    "calibration",
    "curves",
    "datasets",
    "display",
    "errors",
    "inference",
    "integrations",
    "metrics",
    "readers",
    "report",
    "results",
    "scale",
    "surface",
    "utility",
)
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME_OF, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in _MODULES:
        value = import_module(f"polyroc.{name}")
    else:
        raise AttributeError(f"module 'polyroc' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
