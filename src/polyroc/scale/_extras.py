"""Packages that only some users need, loaded where they are used."""

from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from polyroc.errors import PolyrocError

Tensor: TypeAlias = Any  # a torch.Tensor
Client: TypeAlias = Any  # a distributed.Client


class MissingExtra(PolyrocError, ImportError):
    """An optional package is not installed."""


class _Extra:
    """A module of an optional package, imported when something of it is first asked for."""

    def __init__(self, module: str, extra: str) -> None:
        self.module, self.extra = module, extra

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # inspection of objects, such as by doctest, asks for these
            raise AttributeError(name)
        return getattr(required(self.module, self.extra), name)


torch: Any = _Extra("torch", "torch")


def required(module: str, extra: str) -> ModuleType:
    """A module of an optional package, or an error that names the extra to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"This needs {module.partition('.')[0]}, which cannot be imported "
            f"({str(error).rstrip('.')}). Install it with: pip install 'polyroc[{extra}]'"
        ) from error
