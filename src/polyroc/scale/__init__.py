"""Beyond memory and beyond one machine: mergeable summaries, files, clusters and GPUs.

Names are loaded when they are first used: a GPU needs none of the readers of files, and a cluster
no GPU.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyroc.scale import torch
    from polyroc.scale._certified import Certified, CertifiedEvaluation
    from polyroc.scale._compare import compare_dask, compare_parquet
    from polyroc.scale._comparison import CertifiedComparison, CertifiedDifference
    from polyroc.scale._dask import evaluate_dask
    from polyroc.scale._extras import MissingExtra
    from polyroc.scale._parquet import evaluate_parquet
    from polyroc.scale._source import Layout, summarise
    from polyroc.scale._summary import PairSummary

_HOMES = {
    "Certified": "_certified",
    "CertifiedComparison": "_comparison",
    "CertifiedDifference": "_comparison",
    "CertifiedEvaluation": "_certified",
    "Layout": "_source",
    "MissingExtra": "_extras",
    "PairSummary": "_summary",
    "compare_dask": "_compare",
    "compare_parquet": "_compare",
    "evaluate_dask": "_dask",
    "evaluate_parquet": "_parquet",
    "summarise": "_source",
}

__all__ = [
    "Certified",
    "CertifiedComparison",
    "CertifiedDifference",
    "CertifiedEvaluation",
    "Layout",
    "MissingExtra",
    "PairSummary",
    "compare_dask",
    "compare_parquet",
    "evaluate_dask",
    "evaluate_parquet",
    "summarise",
    "torch",
]


def __getattr__(name: str) -> Any:
    if name == "torch":
        return import_module("polyroc.scale.torch")
    if name not in _HOMES:
        raise AttributeError(f"module 'polyroc.scale' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"polyroc.scale.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
