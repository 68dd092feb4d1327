"""The metrics, a module per family: formula, gradient, declaration and public function of each."""

from polyroc.metrics.expected_cost import saec
from polyroc.metrics.margins import auc_mu
from polyroc.metrics.means import (
    hand_till_probabilistic,
    probabilistic_auc,
    simplex_volume,
    total_length,
    triangle_area,
)
from polyroc.metrics.mixed_tuples import length_weighted_vus2
from polyroc.metrics.ordinal import ordinal_vus
from polyroc.metrics.pairs import au1p, aunp, aunu, hand_till, pairwise_auc, roc_auc
from polyroc.metrics.placements import pdi
from polyroc.metrics.registry import registry
from polyroc.metrics.scored_pairs import hand_till_scored, scored_auc
from polyroc.metrics.surface import gini
from polyroc.metrics.tuples import hum, vus, vus2, wvus, wvus2

__all__ = [
    "au1p",
    "auc_mu",
    "aunp",
    "aunu",
    "gini",
    "hand_till",
    "hand_till_probabilistic",
    "hand_till_scored",
    "hum",
    "length_weighted_vus2",
    "ordinal_vus",
    "pairwise_auc",
    "pdi",
    "probabilistic_auc",
    "registry",
    "roc_auc",
    "saec",
    "scored_auc",
    "simplex_volume",
    "total_length",
    "triangle_area",
    "vus",
    "vus2",
    "wvus",
    "wvus2",
]
