"""Modules that subclass what an optional package defines have no doctests without it."""

from importlib.util import find_spec

_NEEDS = {
    "mlflow": "polyroc/integrations/_mlflow_evaluator.py",
    "torchmetrics": "polyroc/integrations/_torch_*.py",
}

collect_ignore_glob = [files for package, files in _NEEDS.items() if find_spec(package) is None]
