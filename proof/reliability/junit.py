"""Figures of a test run, read from the XML that pytest writes."""

import base64
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PASSING = re.compile(r"(\d+) passing")
_FAILING = re.compile(r"(\d+) failing")


@dataclass(frozen=True)
class Run:
    """What ran: counts by folder of tests, and what Hypothesis generated."""

    passed: int
    failed: int
    skipped: int
    seconds: float
    inputs: dict[str, int]
    """Generated inputs that a test accepted, by folder of tests."""
    modules: dict[str, int]
    """Tests that were run, by module, such as ``tests.faults.test_disk_full``."""
    failing: dict[str, int]
    """Tests that failed, by module."""
    properties: dict[str, dict[str, int]]
    """Sums of what tests recorded by ``record_property``, by name and module."""


def read(path: Path) -> Run:
    """The figures of one run."""
    suite = ElementTree.parse(path).getroot()[0]
    cases = list(suite.iter("testcase"))
    total, failed, skipped = (int(suite.attrib[name]) for name in ("tests", "failures", "skipped"))
    failed += int(suite.attrib["errors"])
    return Run(
        passed=total - failed - skipped,
        failed=failed,
        skipped=skipped,
        seconds=float(suite.attrib["time"]),
        inputs=dict(_inputs(suite)),
        modules=dict(_modules(case for case in cases if case.find("skipped") is None)),
        failing=dict(_modules(case for case in cases if _failed(case))),
        properties=_properties(suite),
    )


def _inputs(suite: ElementTree.Element) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in suite.iter("property"):
        name = each.attrib["name"]
        if name.startswith("hypothesis-statistics-"):
            found[_folder(name.removeprefix("hypothesis-statistics-"))] += _examples(each)
    return found


def _examples(each: ElementTree.Element) -> int:
    text = base64.b64decode(each.attrib["value"]).decode()
    return sum(int(n) for pattern in (_PASSING, _FAILING) for n in pattern.findall(text))


def _folder(test: str) -> str:
    """``tests/hostile/test_names.py::test_x`` is of ``tests/hostile``."""
    return test.split("::")[0].rpartition("/")[0] or "tests"


def _modules(cases: Iterable[ElementTree.Element]) -> Counter[str]:
    return Counter(case.attrib["classname"] for case in cases)


def _failed(case: ElementTree.Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


def _properties(suite: ElementTree.Element) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for case in suite.iter("testcase"):
        for each in case.iter("property"):
            if each.attrib["value"].isdigit():
                sums = found.setdefault(each.attrib["name"], {})
                module = case.attrib["classname"]
                sums[module] = sums.get(module, 0) + int(each.attrib["value"])
    return found
