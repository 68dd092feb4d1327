"""Docstrings say ``name : what it is`` in one sentence; numpydoc reads its first line as a type.

Here the sentence goes below the name, in one piece, and formulas of metrics are drawn. Members of
scikit-learn are left to its own documentation.
"""

import re
import runpy
from pathlib import Path
from typing import Any

FORMULAS = runpy.run_path(str(Path(__file__).parents[1] / "formulas.py"))["FORMULAS"]

ENTRY = re.compile(r"^(\s*)(\*{0,2}\w[\w.*, ]*?) : (\S.*)$")
SECTIONS = {"Parameters", "Attributes", "Returns", "Other Parameters", "Raises", "Yields"}


def put_below(lines: list[str]) -> list[str]:
    """Lines of a docstring, with the sentences of its sections below the names."""
    made: list[str] = []
    within, margin = False, ""
    for number, line in enumerate(lines):
        if number + 1 < len(lines) and re.fullmatch(r"\s*-{3,}", lines[number + 1]):
            within, margin = line.strip() in SECTIONS, line[: len(line) - len(line.lstrip())]
        found = ENTRY.match(line) if within else None
        if found and found[1] == margin:
            made += [margin + found[2], f"{margin}    {found[3]}"]
        else:
            made.append(line)
    return made


def with_formula(name: str, lines: list[str]) -> list[str]:
    """The formula of a metric below the summary, in place of the one in plain signs."""
    formula = FORMULAS[name]
    first, *others = "\n".join(lines).split("\n\n")
    if formula.begins:
        others = [each for each in others if not each.startswith(formula.begins)]
    drawn = [f".. math::\n\n   {formula.tex}", *([formula.words] if formula.words else [])]
    return "\n\n".join([first, *drawn, *others]).split("\n")


def process(app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    package, _, last = name.rpartition(".")
    if package == "polyroc" and last in FORMULAS:
        lines[:] = with_formula(last, lines)
    lines[:] = put_below(lines)


def skip(app: Any, what: str, name: str, item: Any, skipped: bool, options: Any) -> bool | None:
    inherited = str(getattr(item, "__module__", "")).startswith("sklearn")
    return True if inherited or re.fullmatch(r"set_\w+_request", name) else None


def setup(app: Any) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=1)  # before numpydoc
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
