"""Importing a mutant: the loader compiles the changed code, and no file is ever written."""

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from mutation.places import ROOT
from mutation.population import Mutant, mutated

VARIABLE = "POLYROC_MUTANT"
"""Tells the processes that a trial starts which mutant they see: number, module and file."""


class _Loader(SourceFileLoader):
    """Loads a module with one change, whatever compiled code of it is kept."""

    def __init__(self, module: str, path: str, number: int) -> None:
        super().__init__(module, path)
        self._number = number

    def get_code(self, fullname: str) -> CodeType:
        return compile(mutated(self.get_data(self.path), self._number), self.path, "exec")


class _Finder(MetaPathFinder):
    """Finds the mutated module; all others are found by those who come after."""

    def __init__(self, module: str, path: str, number: int) -> None:
        self._module, self._loader = module, _Loader(module, path, number)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        return spec_from_file_location(fullname, self._loader.path, loader=self._loader)


def install(mutant: Mutant | None) -> None:
    """Make this process, and those it starts, import the mutant (None: the code as it is)."""
    hook = Path(__file__).parent / "hook"
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (hook, ROOT / "src", ROOT / "proof")))
    if mutant:
        os.environ[VARIABLE] = f"{mutant.number} {mutant.module} {ROOT / mutant.file}"
        install_for_this_process()


def install_for_this_process() -> None:
    """Import the mutant that the environment names."""
    number, module, path = os.environ[VARIABLE].split(" ", 2)
    sys.meta_path.insert(0, _Finder(module, path, int(number)))
