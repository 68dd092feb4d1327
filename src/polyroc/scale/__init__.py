"""Beyond memory and beyond one machine: mergeable summaries, files, clusters and GPUs.

Names are loaded when they are first used: a GPU needs none of the readers of files, and a cluster
no GPU.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyroc.scale import torch
    from polyroc.scale._certified import Certified, CertifiedEvaluation
    from polyroc.scale._dask import evaluate_dask
    from polyroc.scale._extras import MissingExtra
    from polyroc.scale._parquet import evaluate_parquet
    from polyroc.scale._source import Layout, summarise
    from polyroc.scale._summary import PairSummary

_HOMES = {
    "Certified": "_certified",
    "CertifiedEvaluation": "_certified",
    "Layout": "_source",
    "MissingExtra": "_extras",
    "PairSummary": "_summary",
    "evaluate_dask": "_dask",
    "evaluate_parquet": "_parquet",
    "summarise": "_source",
}

__all__ = [
    "Certified",
    "CertifiedEvaluation",
    "Layout",
    "MissingExtra",
    "PairSummary",
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
