"""Displays: figures as data, drawn by matplotlib when ``plot`` is called.

Every display holds what it shows by name, gives it as a table with ``frame()``, and draws it into
given axes with ``plot(ax)``. Importing this package does not import matplotlib.
"""

from polyroc.display.base import Display
from polyroc.display.comparison import ComparisonDisplay
from polyroc.display.correlation import CorrelationDisplay
from polyroc.display.decision_regions import DecisionRegionsDisplay
from polyroc.display.dirichlet import DirichletCostsDisplay
from polyroc.display.distances import DistanceHistogramDisplay
from polyroc.display.false_positive_front import FalsePositiveFrontDisplay
from polyroc.display.forest import ForestDisplay
from polyroc.display.gini_areas import GiniAreasDisplay
from polyroc.display.gini_delta import GiniDeltaDisplay
from polyroc.display.observer_cost import ObserverCostDisplay
from polyroc.display.one_vs_one import OneVsOneRocDisplay
from polyroc.display.pairwise_auc import PairwiseAucDisplay
from polyroc.display.parallel_coordinates import ParallelCoordinatesDisplay
from polyroc.display.probabilistic import ProbabilisticRocDisplay
from polyroc.display.reader_study import ReaderStudyDisplay
from polyroc.display.roc_curves import RocCurvesDisplay
from polyroc.display.saec_discordance import SaecDiscordanceDisplay
from polyroc.display.saec_isopleths import SaecIsoplethDisplay
from polyroc.display.saec_pair import SaecCrossingDisplay, SaecPairDisplay
from polyroc.display.scored import ScoredRocDisplay
from polyroc.display.search_progress import SearchProgressDisplay
from polyroc.display.simplex import SimplexDisplay
from polyroc.display.tpr_surface import TprSurfaceDisplay

__all__ = [
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
    "ObserverCostDisplay",
    "OneVsOneRocDisplay",
    "PairwiseAucDisplay",
    "ParallelCoordinatesDisplay",
    "ProbabilisticRocDisplay",
    "ReaderStudyDisplay",
    "RocCurvesDisplay",
    "SaecCrossingDisplay",
    "SaecDiscordanceDisplay",
    "SaecIsoplethDisplay",
    "SaecPairDisplay",
    "ScoredRocDisplay",
    "SearchProgressDisplay",
    "SimplexDisplay",
    "TprSurfaceDisplay",
]
