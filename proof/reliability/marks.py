"""Branches that tests take, by marks in the source: a plugin of pytest.

    POLYROC_BRANCHES=FOLDER PYTHONPATH=proof/reliability pytest -p marks

Each module of the package is compiled with a statement at the start of either way of every branch,
``__branches__[17] = 1``, and its bytecode has a cache file of its own. A tracer, which is called
for every line, makes the tests twice as slow on Python 3.11; the marks cost nothing that can be
measured. Where ``NUMBA_DISABLE_JIT=1``, the kernels are measured, and elsewhere all but them.

A branch is what coverage.py calls one: both ways of ``if`` and ``while``, the items of ``for`` and
their end.
"""

import ast
import json
import os
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).parents[2] / "src" / "polyroc"
NAME = "__branches__"
CACHE = f"marks-{zlib.crc32(Path(__file__).read_bytes()):x}.pyc"

Taken = dict[str, dict[int, int]]


def files(kernels: bool) -> list[Path]:
    """The modules of the kernels, or all the others."""
    of_kernels = PACKAGE / "kernels"
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if (of_kernels in path.parents) == kernels and path != of_kernels / "compile.py"
    ]


def marked(source: bytes) -> tuple[ast.Module, int]:
    """The tree of a module with its marks, and how many there are."""
    marking = _Marking()
    tree = marking.visit(ast.parse(source))
    return ast.fix_missing_locations(tree), marking.count


def taken(folder: Path, kernels: bool = False) -> dict[str, Any]:
    """How many branches there are, how many of them the runs that wrote into a folder took."""
    found: dict[str, set[int]] = defaultdict(set)
    for path in folder.glob("*.json"):
        for name, numbers in json.loads(path.read_text()).items():
            found[name].update(numbers)
    counts = {path.relative_to(PACKAGE).as_posix(): path for path in files(kernels)}
    counts = {name: marked(path.read_bytes())[1] for name, path in counts.items()}
    missing = {name: count - len(found[name]) for name, count in counts.items()}
    return {
        "branches": sum(counts.values()),
        "taken": sum(counts.values()) - sum(missing.values()),
        "missing": dict(sorted(((k, n) for k, n in missing.items() if n), key=lambda x: -x[1])),
    }


class _Marking(ast.NodeTransformer):
    """Puts a mark at the start of either way of each branch."""

    def __init__(self) -> None:
        self.count = 0

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        return self._both_ways(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._both_ways(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        if isinstance(node.test, ast.Constant):
            return self.generic_visit(node)
        return self._both_ways(node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        raise NotImplementedError("The package has no match statement; if it gets one, mark it.")

    def _both_ways(self, node: ast.If | ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, self._mark(node.body[0]))
        node.orelse.insert(0, self._mark(node.orelse[0] if node.orelse else node))
        return node

    def _mark(self, place: ast.stmt) -> ast.stmt:
        (mark,) = ast.parse(f"{NAME}[{self.count}] = 1").body
        self.count += 1
        for node in ast.walk(mark):
            ast.copy_location(node, place)
        return mark


class _Loader(SourceFileLoader):
    """Compiles with marks, and keeps the bytecode beside that without them."""

    def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> Any:
        tree = marked(data)[0]
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimization)

    def get_data(self, path: str) -> bytes:
        return super().get_data(_of_its_own(path))

    def set_data(self, path: str, data: Any, **options: Any) -> None:
        super().set_data(_of_its_own(path), data, **options)

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, NAME, _taken[Path(self.path).relative_to(PACKAGE).as_posix()])
        super().exec_module(module)


def _of_its_own(path: str) -> str:
    return f"{path.removesuffix('pyc')}{CACHE}" if path.endswith(".pyc") else path


class _Finder(MetaPathFinder):
    """Has the modules that are measured loaded with marks."""

    def __init__(self, kernels: bool) -> None:
        self.measured = {str(path) for path in files(kernels)}

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        others = (each for each in sys.meta_path if each is not self)
        specs = (each.find_spec(name, path, target) for each in others)
        spec: ModuleSpec | None = next(filter(None, specs), None)
        if spec and spec.origin in self.measured:
            spec.loader = _Loader(spec.name, spec.origin)
        return spec


_taken: Taken = defaultdict(dict)


def pytest_unconfigure() -> None:
    """Each process leaves what it took."""
    text = json.dumps({name: sorted(numbers) for name, numbers in _taken.items()})
    Path(os.environ["POLYROC_BRANCHES"], f"{os.getpid()}.json").write_text(text)


if "POLYROC_BRANCHES" in os.environ:
    sys.meta_path.insert(0, _Finder(os.environ.get("NUMBA_DISABLE_JIT") == "1"))
