"""Layers import downwards only, and importing the package stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "polyroc"

LAYERS = (
    {"_base", "_storage", "_version", "errors", "kernels", "typing"},
    {"predictions", "results"},
    {"statistics"},
    {"metrics", "curves", "utility", "calibration", "surface", "scale"},
    {"datasets", "readers", "coupling", "_scorers"},
    {"inference"},
    {"display"},
    {"report"},
    {"cli", "integrations"},
    {"__main__"},
)
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
FILES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    """The top-level module or folder that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> set[str]:
    """All modules that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.ImportFrom):
            pytest.fail(f"{path} imports relatively; say where from")
    return found


def test_imports_go_down() -> None:
    for path in FILES:
        if part_of(path) != "__init__":
            check_imports_of(path)


def check_imports_of(path: Path) -> None:
    own = part_of(path)
    for module in imported_modules(path):
        root, _, rest = module.partition(".")
        if root == "polyroc" and rest:
            other = rest.split(".")[0]
            assert HEIGHT[other] <= HEIGHT[own], f"{path.name} reaches up to {module}"
            assert {own, other} != {"surface", "inference"}


def modules_used(path: Path) -> set[str]:
    """Modules that a file needs, also inside functions; not those for types alone."""
    tree = ast.parse(path.read_text())
    for_types = {
        each
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for each in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node not in for_types:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_no_module_needs_itself() -> None:
    """No cycles of imports, those inside functions counted."""
    names = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): path for path in FILES
    }
    left = {
        name: {each for each in modules_used(path) if each in names and each != name}
        for name, path in names.items()
    }
    while free := [name for name, needs in left.items() if not needs]:
        left = {name: needs - set(free) for name, needs in left.items() if name not in free}
    assert not left, f"each of these needs another of them: {sorted(left)}"


@pytest.mark.parametrize("path", sorted((SOURCE / "kernels").glob("*.py")), ids=lambda p: p.name)
def test_kernels_know_nothing_of_the_package(path: Path) -> None:
    allowed = {"numpy", "numba", "typing", "collections", "contextlib", "__future__"}
    for module in imported_modules(path):
        root = module.split(".")[0]
        own = module.startswith("polyroc.kernels")
        tools = {"hashlib", "pathlib"} if path.name == "compile.py" else set()
        assert own or root in allowed | tools, module


@pytest.mark.parametrize("statement", ["import polyroc", "import polyroc; polyroc.hand_till"])
def test_the_everyday_path_loads_nothing_heavy(statement: str) -> None:
    heavy = ("numba", "matplotlib", "pandas", "sklearn", "scipy", "rich", "click")
    code = f"{statement}; import sys; print([m for m in {heavy} if m in sys.modules])"
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.strip() == "[]"
