"""The metrics. Each has a module with its formula, its influence values and its declaration."""

from polyroc.metrics.au1p import au1p
from polyroc.metrics.auc_mu import auc_mu
from polyroc.metrics.aunp import aunp
from polyroc.metrics.aunu import aunu
from polyroc.metrics.hand_till import hand_till
from polyroc.metrics.hand_till_probabilistic import hand_till_probabilistic
from polyroc.metrics.hand_till_scored import hand_till_scored
from polyroc.metrics.hum import hum
from polyroc.metrics.ordinal_vus import ordinal_vus
from polyroc.metrics.pairwise_auc import pairwise_auc
from polyroc.metrics.pdi import pdi
from polyroc.metrics.probabilistic_auc import probabilistic_auc
from polyroc.metrics.registry import registry
from polyroc.metrics.roc_auc import roc_auc
from polyroc.metrics.saec import saec
from polyroc.metrics.scored_auc import scored_auc
from polyroc.metrics.simplex_volume import simplex_volume
from polyroc.metrics.total_length import total_length
from polyroc.metrics.triangle_area import triangle_area
from polyroc.metrics.vus import vus
from polyroc.metrics.vus2 import vus2
from polyroc.metrics.wvus import wvus
from polyroc.metrics.wvus2 import wvus2

__all__ = [
    "au1p",
    "auc_mu",
    "aunp",
    "aunu",
    "hand_till",
    "hand_till_probabilistic",
    "hand_till_scored",
    "hum",
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
