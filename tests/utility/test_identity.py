"""What holds arrays has no single answer to whether it equals another: it equals itself only."""

import inspect
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

import polyroc.utility

MODULES = sorted(path.stem for path in Path(polyroc.utility.__file__).parent.glob("_[a-z]*.py"))
OF_NUMBERS = {"CostDifference", "OperatingPoint"}
"""Numbers and names alone: these are compared by their values."""


def kept(module: str) -> list[type]:
    name = f"polyroc.utility.{module}"
    return [
        each
        for each in vars(import_module(name)).values()
        if inspect.isclass(each) and is_dataclass(each) and each.__module__ == name
    ]


@pytest.mark.parametrize("module", MODULES)
def test_results_with_arrays_equal_only_themselves(module: str) -> None:
    for each in kept(module):
        assert ("__eq__" in vars(each)) == (each.__name__ in OF_NUMBERS), each


def test_there_are_some() -> None:
    found = [each for module in MODULES for each in kept(module)]
    assert len(found) > 20 and {each.__name__ for each in found} >= OF_NUMBERS
    assert all(fields(each) for each in found)
