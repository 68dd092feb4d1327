"""Curves as data: arrays with names, to be read, tabulated or drawn."""

from polyroc.curves.binormal import BinormalCurve
from polyroc.curves.probabilistic import ProbabilisticRoc, probabilistic_roc
from polyroc.curves.proper_binormal import ProperBinormalCurve
from polyroc.curves.roc import RocCurve, RocCurves, one_vs_one_roc, one_vs_rest_roc, roc_curve
from polyroc.curves.scored import ScoredRoc, scored_roc

# Modules of these names are bound to the package as they are imported; the functions take over.
from polyroc.curves.tpr_surface import TprSurface, tpr_surface
from polyroc.curves.tpr_surface_volume import tpr_surface_volume

__all__ = [
    "BinormalCurve",
    "ProbabilisticRoc",
    "ProperBinormalCurve",
    "RocCurve",
    "RocCurves",
    "ScoredRoc",
    "TprSurface",
    "one_vs_one_roc",
    "one_vs_rest_roc",
    "probabilistic_roc",
    "roc_curve",
    "scored_roc",
    "tpr_surface",
    "tpr_surface_volume",
]
