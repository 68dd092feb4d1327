"""The outcome of ``polyroc check`` in a sentence, as Markdown and as JUnit XML."""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from polyroc._base.wording import plural
from polyroc.cli.wording import one_line

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from polyroc.inference import Check
    from polyroc.inference._checking import Checked
    from polyroc.readers import FilePredictions

WORDS = {"pass": "pass", "fail": "fail", "undecided": "too few cases"}

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may contain."""


def verdict(result: "Check", strict: bool = False) -> str:
    """What becomes of all requirements together."""
    number = len(result.rows)
    counts = {name: sum(row.outcome == name for row in result.rows) for name in WORDS}
    if result.outcome == "pass":
        return "Pass: the requirement is met." if number == 1 else f"Pass: all {number} are met."
    of = f"{counts[result.outcome]} of {plural(number, 'requirement')}"
    if result.outcome == "fail":
        return f"Fail: {of} {'is' if counts['fail'] == 1 else 'are'} violated."
    less = " With --strict that is a failure." if strict else ""
    return f"Too few cases to tell: {of} {'is' if counts['undecided'] == 1 else 'are'} open.{less}"


def markdown(files: "Sequence[FilePredictions]", result: "Check", strict: bool) -> str:
    """A table for a pull request."""
    against = f" against {_cell(files[1].path)}" if len(files) > 1 else ""
    lines = [
        f"### polyroc check: {WORDS[result.outcome]}",
        "",
        f"{_cell(files[0].path)}{against}, {plural(len(files[0]), 'case')}. "
        f"{verdict(result, strict)}",
        "",
        "| requirement | found | baseline | value | limits | outcome |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_row(row) for row in result.rows]
    return "\n".join([*lines, "", f"Limits are one-sided. {result.explain()}"])


def _row(row: "Checked") -> str:
    numbers = [_short(each) for each in (row.judged, row.baseline, row.value)]
    known = not math.isnan(row.low)
    limits = f"{_short(row.low)} and {_short(row.high)}" if known else "–"
    outcome = f"**{WORDS[row.outcome]}**"
    return f"| {' | '.join([_cell(row.describe()), *numbers, limits, outcome])} |"


def _short(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}"


def _cell(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&@$-])", r"\\\1", one_line(text))


def junit(path: str, source: str, result: "Check", strict: bool) -> None:
    """Write a JUnit XML file: a test per requirement; undecided ones are skipped, or fail."""
    from pathlib import Path
    from xml.etree.ElementTree import tostring

    from polyroc._storage.atomic import write_whole

    content = tostring(_suite(source, result, strict), encoding="utf-8", xml_declaration=True)
    write_whole(Path(path), lambda file: file.write(content + b"\n"))


def _suite(source: str, result: "Check", strict: bool) -> "Element":
    from xml.etree.ElementTree import Element, SubElement

    tags = {"fail": "failure", "undecided": "failure" if strict else "skipped"}
    found = [tags.get(row.outcome) for row in result.rows]
    counts = {"tests": len(found), "failures": found.count("failure"), "errors": 0}
    counts["skipped"] = found.count("skipped")
    numbers = {name: str(count) for name, count in counts.items()}
    suite = Element("testsuite", {"name": "polyroc check", **numbers})
    for row, tag in zip(result.rows, found, strict=True):
        case = SubElement(suite, "testcase", classname=_allowed(source), name=row.describe())
        if tag is not None:
            SubElement(case, tag, message=_allowed(row.sentence(result.level)))
    root = Element("testsuites")
    root.append(suite)
    return root


def _allowed(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
