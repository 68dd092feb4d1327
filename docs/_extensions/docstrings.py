"""Docstrings say ``name : what it is`` in one sentence; numpydoc reads its first line as a type.

Here the sentence goes below the name, in one piece. Members of scikit-learn are left to its own
documentation.
"""

import re
from typing import Any

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


def process(app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    lines[:] = put_below(lines)


def skip(app: Any, what: str, name: str, item: Any, skipped: bool, options: Any) -> bool | None:
    inherited = str(getattr(item, "__module__", "")).startswith("sklearn")
    return True if inherited or re.fullmatch(r"set_\w+_request", name) else None


def setup(app: Any) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=1)  # before numpydoc
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
