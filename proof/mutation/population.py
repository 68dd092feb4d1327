"""All mutants of the packages, a sample of them, and the code of one."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mutation.operators import OPERATORS
from mutation.places import ROOT, modules

LONGEST = 90
"""A mutant is shown with as much around it as fits so many characters."""

AROUND = 30
"""Characters on both sides of the change of a longer text."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file. ``number`` counts the changes of the file."""

    file: str
    number: int
    function: str
    operator: str
    lines: tuple[int, int]
    """First and last line of the statement, or of the head of a block."""
    line: int
    before: str
    after: str
    repeat: int = 0
    """How many changes of the same text come before in the same function."""

    @property
    def key(self) -> str:
        """A name that does not change when other code does."""
        again = f" ({self.repeat + 1})" if self.repeat else ""
        return f"{self.file}::{self.function}: {self.before} → {self.after}{again}"

    @property
    def package(self) -> str:
        """The package of polyroc that the file belongs to, not one inside."""
        return Path(self.file).relative_to("src/polyroc").parts[0]

    def within(self, package: str) -> bool:
        """Whether the file belongs to a package, given as a path from that of polyroc."""
        return Path(self.file).is_relative_to(Path("src/polyroc", package))

    @property
    def module(self) -> str:
        """The name under which the file is imported."""
        parts = Path(self.file).relative_to("src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Site(NamedTuple):
    """A node, and the nodes around it from the module inwards."""

    trail: tuple[ast.AST, ...]
    field: str
    index: int | None
    node: ast.AST

    @property
    def parent(self) -> ast.AST:
        return self.trail[-1]

    def put(self, node: ast.AST) -> None:
        """Put a node in this place."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def population() -> list[Mutant]:
    """Every mutant of the packages."""
    return [mutant for path in modules() for mutant in mutants_of(path)]


def sample(mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """Mutants drawn at random: those with the smallest hashes of seed and name.

    Each set of this size is as likely as any other, a smaller sample is the beginning of a larger
    one, and a change of the code changes only the part of the sample that it concerns.
    """

    def drawn(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()

    return sorted(mutants, key=drawn)[:size]


def mutants_of(path: Path) -> Iterator[Mutant]:
    """The mutants of a file, in the order of the code."""
    name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
    seen: Counter[tuple[str, str, str]] = Counter()
    for number, (site, operator, new) in enumerate(changes(ast.parse(path.read_bytes()))):
        function = ".".join(getattr(node, "name", "") for node in site.trail if named(node))
        text = function, *_texts(site, new)
        first, last = _lines(site)
        yield Mutant(
            file=name,
            number=number,
            function=function or "module",
            operator=operator,
            lines=(first, last),
            line=_line(site.node, first),
            before=text[1],
            after=text[2],
            repeat=seen[text],
        )
        seen[text] += 1


def mutated(source: bytes, number: int) -> ast.Module:
    """The code of a file with one change made."""
    tree = ast.parse(source)
    for count, (site, _, new) in enumerate(changes(tree)):
        if count == number:
            site.put(ast.copy_location(new, site.node))
            return ast.fix_missing_locations(tree)
    raise IndexError(f"There are no {number + 1} mutants of this file.")


def changes(tree: ast.Module) -> Iterator[tuple[Site, str, ast.AST]]:
    """All places, the operators that apply and the nodes that they put there."""
    for site in _sites(tree, (tree,)):
        for operator in OPERATORS:
            for new in operator(site.node, site.parent):
                yield site, operator.__name__, new


def _sites(node: ast.AST, trail: tuple[ast.AST, ...]) -> Iterator[Site]:
    for field, index, child in _children(node):
        if _is_prose(child):
            continue
        yield Site(trail, field, index, child)
        if not isinstance(child, ast.Raise):  # the message of an error
            yield from _sites(child, (*trail, child))


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns"}:
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                yield field, index if isinstance(value, list) else None, child


def _is_prose(node: ast.AST) -> bool:
    """What says nothing to the machine: docstrings, types, imports, texts put together."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return any(getattr(target, "id", None) == "__all__" for target in node.targets)
    if isinstance(node, ast.AnnAssign):
        return "TypeAlias" in ast.unparse(node.annotation)
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr)


def named(node: ast.AST) -> bool:
    """Whether a node is a class or a function."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _is_block(node: ast.AST) -> bool:
    return hasattr(node, "body") and isinstance(node.body, list)


def _texts(site: Site, new: ast.AST) -> tuple[str, str]:
    """Before and after: the largest piece around the change that is short enough to show."""
    shown = site.node
    for node in reversed(site.trail):
        if _is_block(node) or isinstance(shown, ast.stmt):
            break
        complete = not isinstance(shown, ast.Slice | ast.Tuple) and not isinstance(
            node, ast.arguments
        )
        if complete and len(ast.unparse(node)) > LONGEST:
            break
        shown = node
    before = _head(shown)
    if shown is site.node:
        return _differing(before, _head(new))
    site.put(new)
    after = ast.unparse(shown)
    site.put(site.node)
    return _differing(before, after)


def _differing(before: str, after: str) -> tuple[str, str]:
    """Long texts are cut down to where they differ, and a little on both sides."""
    if len(before) <= LONGEST:
        return before, after
    if after == "pass":
        return before[:LONGEST] + "…", after
    first = max(0, _common(before, after) - AROUND)
    last = max(0, _common(before[:first:-1], after[:first:-1]) - AROUND)

    def cut(text: str) -> str:
        return "…" * (first > 0) + text[first : len(text) - last] + "…" * (last > 0)

    return cut(before), cut(after)


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with together."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _head(node: ast.AST) -> str:
    """The text of a node; of a block its first line."""
    return ast.unparse(node).split("\n")[0] if _is_block(node) else ast.unparse(node)


def _lines(site: Site) -> tuple[int, int]:
    """The lines that run when the changed place does."""
    around: list[Any] = [node for node in (*site.trail, site.node) if hasattr(node, "lineno")]
    inner = next(node for node in reversed(around) if isinstance(node, ast.stmt))
    first = min(each.lineno for each in [inner, *getattr(inner, "decorator_list", [])])
    if _is_block(inner):
        return first, max(first, inner.body[0].lineno - 1)
    return first, inner.end_lineno


def _line(node: ast.AST, first: int) -> int:
    return getattr(node, "lineno", first)
