"""Importing polyroc loads no package that it works with; a missing one is named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from polyroc import integrations
from polyroc.integrations.torchmetrics import metric
from polyroc.scale import MissingExtra

OTHERS = ("torch", "torchmetrics", "lightgbm", "xgboost", "catboost", "mlflow", "lightning")


def test_importing_loads_none_of_them() -> None:
    modules = ", ".join(f"polyroc.integrations.{name}" for name in integrations.__all__)
    code = f"import {modules}, sys; print([m for m in {OTHERS} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize("missing", ["torch", "torchmetrics"])
def test_a_missing_package_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing == "torchmetrics":
        monkeypatch.setitem(sys.modules, "torch", sys)
    monkeypatch.setitem(sys.modules, missing, None)
    said = rf"This needs {missing}, .* pip install 'polyroc\[torch\]'"
    with pytest.raises(MissingExtra, match=said):
        metric("hand_till", classes=3)


def test_every_module_can_be_had() -> None:
    assert dir(integrations) == sorted(integrations.__all__)
    for name in integrations.__all__:
        assert getattr(integrations, name).__name__ == f"polyroc.integrations.{name}"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = integrations.nothing
