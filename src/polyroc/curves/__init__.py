"""Curves as data: arrays with names, to be read, tabulated or drawn."""

from polyroc.curves._binormal import BinormalCurve
from polyroc.curves._class_pairs import one_vs_one_probabilistic_roc, one_vs_one_scored_roc
from polyroc.curves._probabilistic import ProbabilisticRoc, probabilistic_roc
from polyroc.curves._proper_binormal import ProperBinormalCurve
from polyroc.curves._roc import RocCurve, RocCurves, one_vs_one_roc, one_vs_rest_roc, roc_curve
from polyroc.curves._scored import ScoredRoc, scored_roc
from polyroc.curves._tpr_surface import TprSurface, tpr_surface
from polyroc.curves._tpr_surface_volume import tpr_surface_volume

__all__ = [
    "BinormalCurve",
    "ProbabilisticRoc",
    "ProperBinormalCurve",
    "RocCurve",
    "RocCurves",
    "ScoredRoc",
    "TprSurface",
    "one_vs_one_probabilistic_roc",
    "one_vs_one_roc",
    "one_vs_one_scored_roc",
    "one_vs_rest_roc",
    "probabilistic_roc",
    "roc_curve",
    "scored_roc",
    "tpr_surface",
    "tpr_surface_volume",
]
