"""Dataclasses are frozen: a result, a design or a declaration is not changed once it is made."""

import inspect
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

import polyroc

SOURCE = Path(polyroc.__file__).parent
PACKAGES = """calibration curves display inference metrics predictions readers report scale
    statistics surface utility"""
MODULES = [
    f"polyroc.{package}.{path.stem}"
    for package in PACKAGES.split()
    for path in sorted((SOURCE / package).glob("*.py"))
    if path.stem != "__init__" and not path.stem.startswith(("_device", "torch"))  # need PyTorch
]
GROWING = {"polyroc.curves._roc._SortedColumn"}
"""Holds the latest of what it has sorted."""


def dataclasses_of(name: str) -> list[type]:
    """The dataclasses that a module defines."""
    members = vars(import_module(name)).values()
    return [
        each
        for each in members
        if inspect.isclass(each) and is_dataclass(each) and each.__module__ == name
    ]


@pytest.mark.parametrize("name", MODULES)
def test_are_frozen(name: str) -> None:
    for each in dataclasses_of(name):
        full_name = f"{name}.{each.__name__}"
        assert each.__dataclass_params__.frozen or full_name in GROWING, full_name


def test_there_are_some() -> None:
    assert sum(len(dataclasses_of(name)) for name in MODULES) > 120
