"""Optional packages: not loaded before they are used, and named where they are missing."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

from polyroc import scale
from polyroc.scale import _extras

HEAVY = ("torch", "dask", "distributed", "numba", "pandas", "sklearn", "scipy", "pyarrow")


@pytest.mark.parametrize("module", ["polyroc.scale", "polyroc.scale.torch", "polyroc.scale._dask"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    code = f"import {module}, sys; print([m for m in {HEAVY} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize(
    "call",
    [
        lambda: scale.torch.pairwise_auc([0, 1], [0.1, 0.2]),
        lambda: scale.torch.evaluate([0, 1], [0.1, 0.2]),
        lambda: scale.torch.evaluate_pairs([0, 1], [0.1, 0.2]),
        lambda: scale.torch.gini([[0.1, 0.2]], 2),
    ],
    ids=["pairwise_auc", "evaluate", "evaluate_pairs", "gini"],
)
def test_missing_torch_names_the_extra(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(scale.MissingExtra, match=r"pip install 'polyroc\[torch\]'") as caught:
        call()
    assert isinstance(caught.value, ImportError)


def test_looking_at_the_modules_does_not_load_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """As doctest does, which unwraps every object of a module."""
    monkeypatch.setitem(sys.modules, "torch", None)
    assert inspect.unwrap(_extras.torch) is _extras.torch
    assert not hasattr(_extras.torch, "__wrapped__")
    with pytest.raises(scale.MissingExtra):
        _extras.torch.tensor([1])


def test_every_name_can_be_had() -> None:
    for name in scale.__all__:
        assert getattr(scale, name) is not None
    assert dir(scale) == sorted(scale.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = scale.nothing
