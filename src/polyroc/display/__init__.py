"""Displays: figures as data, drawn by matplotlib when ``plot`` is called.

Every display holds what it shows by name, gives it as a table with ``frame()``, and draws it into
given axes with ``plot(ax)``. Importing this package does not import matplotlib.
"""

from polyroc.display._base import Display
from polyroc.display._calibration import CalibrationDisplay
from polyroc.display._comparison import ComparisonDisplay
from polyroc.display._correlation import CorrelationDisplay
from polyroc.display._decision_regions import DecisionRegionsDisplay
from polyroc.display._dirichlet import DirichletCostsDisplay
from polyroc.display._distances import DistanceHistogramDisplay
from polyroc.display._false_positive_front import FalsePositiveFrontDisplay
from polyroc.display._forest import ForestDisplay
from polyroc.display._gini_areas import GiniAreasDisplay
from polyroc.display._gini_delta import GiniDeltaDisplay
from polyroc.display._net_benefit import NetBenefitDisplay
from polyroc.display._observer_cost import ObserverCostDisplay
from polyroc.display._one_vs_one import OneVsOneRocDisplay
from polyroc.display._pairwise_auc import PairwiseAucDisplay
from polyroc.display._parallel_coordinates import ParallelCoordinatesDisplay
from polyroc.display._probabilistic import ProbabilisticRocDisplay
from polyroc.display._reader_study import ReaderStudyDisplay
from polyroc.display._risk_coverage import RiskCoverageDisplay
from polyroc.display._roc_curves import RocCurvesDisplay
from polyroc.display._saec_discordance import SaecDiscordanceDisplay
from polyroc.display._saec_isopleths import SaecIsoplethDisplay
from polyroc.display._saec_pair import SaecCrossingDisplay, SaecPairDisplay
from polyroc.display._scored import ScoredRocDisplay
from polyroc.display._search_progress import SearchProgressDisplay
from polyroc.display._simplex import SimplexDisplay
from polyroc.display._slices import SliceDisplay
from polyroc.display._tpr_surface import TprSurfaceDisplay

__all__ = [
    "CalibrationDisplay",
    "ComparisonDisplay",
    "CorrelationDisplay",
    "DecisionRegionsDisplay",
    "DirichletCostsDisplay",
    "Display",
    "DistanceHistogramDisplay",
    "FalsePositiveFrontDisplay",
    "ForestDisplay",
    "GiniAreasDisplay",
    "GiniDeltaDisplay",
    "NetBenefitDisplay",
    "ObserverCostDisplay",
    "OneVsOneRocDisplay",
    "PairwiseAucDisplay",
    "ParallelCoordinatesDisplay",
    "ProbabilisticRocDisplay",
    "ReaderStudyDisplay",
    "RiskCoverageDisplay",
    "RocCurvesDisplay",
    "SaecCrossingDisplay",
    "SaecDiscordanceDisplay",
    "SaecIsoplethDisplay",
    "SaecPairDisplay",
    "ScoredRocDisplay",
    "SearchProgressDisplay",
    "SimplexDisplay",
    "SliceDisplay",
    "TprSurfaceDisplay",
]
