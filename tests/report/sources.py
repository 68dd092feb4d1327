"""What the source of the report can say: the codes of its findings."""

import ast
from collections.abc import Iterator
from pathlib import Path

import polyroc.report

FOLDER = Path(polyroc.report.__file__).parent


def codes_in_source() -> set[str]:
    """The first argument of every ``Finding(…)``, looked up where it is a local name."""
    return {code for path in FOLDER.glob("*.py") for code in _codes(ast.parse(path.read_text()))}


def _codes(tree: ast.AST) -> Iterator[str]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Finding":
                yield from _texts(call.args[0], function)


def _texts(node: ast.AST, function: ast.FunctionDef) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        yield str(node.value)
        return
    assert isinstance(node, ast.Name), f"{function.name}: a code must be text or a local name"
    for each in ast.walk(function):
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == node.id:
            assert isinstance(each.value, ast.IfExp)
            yield from (ast.literal_eval(value) for value in (each.value.body, each.value.orelse))
