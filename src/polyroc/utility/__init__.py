"""Expected utility: costs of binormal curves and of data, fits, hulls, and operating points."""

from polyroc.utility._benefit import BenefitCurves, BenefitDifference, BestStrategy
from polyroc.utility._binormal_cost import (
    area_binormal,
    area_proper,
    length_binormal,
    length_proper,
    saec_binormal,
    saec_proper,
    to_binormal,
    to_proper,
)
from polyroc.utility._data_cost import saec_interval
from polyroc.utility._facet_average import HullFacets, hull_facets, saec_surface
from polyroc.utility._fits import fit_binormal, fit_proper
from polyroc.utility._fitted import BinormalFit, ProperFit
from polyroc.utility._guessing import guessing_limit
from polyroc.utility._hull import RocHull, roc_hull
from polyroc.utility._hull_volume import ferri_vus
from polyroc.utility._mixtures import GaussianMixture
from polyroc.utility._model_costs import (
    CostComparison,
    CostDifference,
    ModelCost,
    compare_costs,
)
from polyroc.utility._net_benefit import DecisionCurves, decision_curves, utility_curves
from polyroc.utility._observer import IdealObserver, ideal_observer
from polyroc.utility._operating import (
    OperatingPoint,
    UnitCosts,
    best_operating_point,
    cheapest,
    expected_cost,
    expected_utility,
    unit_costs,
)
from polyroc.utility._scored_cost import saec_of_scores

__all__ = [
    "BenefitCurves",
    "BenefitDifference",
    "BestStrategy",
    "BinormalFit",
    "CostComparison",
    "CostDifference",
    "DecisionCurves",
    "GaussianMixture",
    "HullFacets",
    "IdealObserver",
    "ModelCost",
    "OperatingPoint",
    "ProperFit",
    "RocHull",
    "UnitCosts",
    "area_binormal",
    "area_proper",
    "best_operating_point",
    "cheapest",
    "compare_costs",
    "decision_curves",
    "expected_cost",
    "expected_utility",
    "ferri_vus",
    "fit_binormal",
    "fit_proper",
    "guessing_limit",
    "hull_facets",
    "ideal_observer",
    "length_binormal",
    "length_proper",
    "roc_hull",
    "saec_binormal",
    "saec_interval",
    "saec_of_scores",
    "saec_proper",
    "saec_surface",
    "to_binormal",
    "to_proper",
    "unit_costs",
    "utility_curves",
]
