"""Beyond memory: mergeable summaries with certified bounds, and evaluation of files."""

from polyroc.scale.certified import Certified, CertifiedEvaluation
from polyroc.scale.parquet import evaluate_parquet
from polyroc.scale.source import Layout, summarise
from polyroc.scale.summary import PairSummary

__all__ = [
    "Certified",
    "CertifiedEvaluation",
    "Layout",
    "PairSummary",
    "evaluate_parquet",
    "summarise",
]
