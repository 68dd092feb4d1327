"""polyroc in the tools of others: training loops, boosting libraries, experiment tracking.

The modules are loaded when they are first used, and the packages they serve only where they must
be: importing this package loads none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyroc.integrations import boosting, mlflow, torchmetrics

_MODULES = ("boosting", "mlflow", "torchmetrics")

__all__ = ["boosting", "mlflow", "torchmetrics"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'polyroc.integrations' has no attribute {name!r}")
    return import_module(f"polyroc.integrations.{name}")


def __dir__() -> list[str]:
    return sorted(__all__)
