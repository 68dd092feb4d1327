"""Modules that subclass what an optional package defines: to import them would load the package."""

collect_ignore_glob = [
    "polyroc/integrations/_mlflow_evaluator.py",
    "polyroc/integrations/_torch_*.py",
]
