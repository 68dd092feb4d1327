"""The page of figures is current, its figures are read correctly, branches are counted as such."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

RUN = """<testsuites><testsuite errors="0" failures="1" skipped="1" tests="4" time="2.5">
<properties><property name="hypothesis-statistics-tests/hostile/test_a.py::test_x"
value="LSA3IHBhc3NpbmcsIDEgZmFpbGluZywgYW5kIDIgaW52YWxpZCB0ZXN0IGNhc2Vz"/></properties>
<testcase classname="tests.faults.test_b"><properties><property name="faults" value="12"/>
</properties></testcase><testcase classname="tests.faults.test_b"><failure/></testcase>
<testcase classname="tests.faults.test_c"><skipped/></testcase>
<testcase classname="tests.test_d"/></testsuite></testsuites>"""


def in_reliability(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "proof" / "reliability",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_is_current() -> None:
    code = "import page; print(page.PAGE.read_text() == page.page())"
    assert in_reliability(code) == "True\n", "run python proof/reliability --render"


def test_survivors_of_packages_are_counted_by_their_reasons() -> None:
    survivors = [
        {"where": "src/polyroc/scale/_a.py:3", "reason": "equivalent: the same"},
        {"where": "src/polyroc/scale/_a.py:5", "reason": "gap: closed since by `test_a`"},
        {"where": "src/polyroc/report/_b.py:1", "reason": "speed only: the same, later"},
        {"where": "src/polyroc/report/_b.py:2", "reason": "left out: a slow test fails"},
    ]
    rows = [
        {"package": name, "mutants": mutants, "killed": killed, "timed out": late}
        for name, mutants, killed, late in (
            ("report", 10, 8, 0),
            ("scale", 10, 7, 1),
            ("all", 20, 15, 1),
        )
    ]
    code = (
        f"import page; rows, lost = {rows!r}, {survivors!r}; "
        "print([page._package(row, lost) for row in rows])"
    )
    assert in_reliability(code) == (
        "[('report', 10, 8, 1, 1, 0, '88.9 %'), ('scale', 10, 8, 1, 0, 1, '88.9 %'), "
        "('all', 20, 16, 2, 1, 1, '88.9 %')]\n"
    )


def test_figures_of_a_run(tmp_path: Path) -> None:
    xml = tmp_path / "run.xml"
    xml.write_text(RUN)
    code = f"import junit, pathlib; print(junit.read(pathlib.Path({str(xml)!r})))"
    assert in_reliability(code) == (
        "Run(passed=2, failed=1, skipped=1, seconds=2.5, inputs={'tests/hostile': 8}, "
        "modules={'tests.faults.test_b': 2, 'tests.test_d': 1}, "
        "failing={'tests.faults.test_b': 1}, properties={'faults': {'tests.faults.test_b': 12}})\n"
    )


BRANCHING = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def kind(values: "list[Any]") -> str:
    while True:
        if not values:
            break
        for value in values:
            if value < 0:
                continue
            elif value > 9:
                return "much"
        rest = list(values)
        while rest:
            rest.pop()
            if len(rest) == 1:
                break
        values = []
    return "few"


for given in GIVEN:
    kind(given)
"""


def test_branches_are_those_of_coverage(tmp_path: Path) -> None:
    for number, given in enumerate(
        ("[]", "[[1, 2]]", "[[-1], [1]]", "[[1, 2, 3, 4], [12], [0] * 3]")
    ):
        path, found = tmp_path / f"code{number}.py", tmp_path / "found.json"
        path.write_text(BRANCHING.replace("GIVEN", given))
        steps = (
            ("run", "--branch", f"--data-file={tmp_path / 'data'}", str(path)),
            ("json", "-q", f"--data-file={tmp_path / 'data'}", "-o", str(found)),
        )
        (tmp_path / ".coveragerc").write_text("[report]\nexclude_also = if TYPE_CHECKING:\n")
        for step in steps:
            subprocess.run([sys.executable, "-m", "coverage", *step], cwd=tmp_path, check=True)
        totals = json.loads(found.read_text())["totals"]
        code = (
            "import marks, pathlib\n"
            f"tree, count = marks.marked(pathlib.Path({str(path)!r}).read_bytes())\n"
            "taken = {}\n"
            "exec(compile(tree, 'code', 'exec'), {marks.NAME: taken})\n"
            "print(count, len(taken))"
        )
        expected = f"{totals['num_branches']} {totals['covered_branches']}\n"
        assert in_reliability(code) == expected, given


GENERATING = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=7, database=None, derandomize=True)
@given(st.integers())
def test_it(number):
    assert number == number
"""


@pytest.mark.system
def test_generated_inputs_are_counted_across_processes(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(GENERATING)
    xml = tmp_path / "run.xml"
    command = ["-m", "pytest", "-q", "-n", "1", "-p", "generated", f"--junitxml={xml}", "tests"]
    plugins = {**os.environ, "PYTHONPATH": str(ROOT / "proof" / "reliability")}
    done = subprocess.run([sys.executable, *command], cwd=tmp_path, env=plugins, check=False)
    assert done.returncode == 0
    code = f"import junit, pathlib; print(junit.read(pathlib.Path({str(xml)!r})).inputs)"
    assert in_reliability(code) == "{'tests': 7}\n"


GOES_ON = """
import pathlib, runpy, subprocess, sys
import page, steps

def step(name, fails):
    def measure():
        print(name)
        if name in WRITTEN:
            (steps.RECORDS / f"{name}.json").write_text("{}")
        if fails:
            raise subprocess.CalledProcessError(1, name)
    return measure

steps.RECORDS = pathlib.Path(FOLDER)
(steps.RECORDS / "mutation.json").write_text("{}")
page.write_page = lambda: "page"
page.branch_shares = lambda: {"outside": 97.0}
steps.STEPS.clear()
for each in ("tests", "fuzz", "mutation"):
    steps.STEPS[each] = step(each, each == FAILING)
sys.argv = ["reliability", "--at-least", LEAST]
try:
    runpy.run_path("__main__.py", run_name="__main__")
except (SystemExit, subprocess.CalledProcessError) as end:
    print(type(end).__name__, end.args[0])
"""


SAID = "SystemExit Failed, as the page says: fuzz."


@pytest.mark.parametrize(
    ("failing", "written", "least", "steps", "end"),
    [
        ("fuzz", ["fuzz"], "95", ["tests", "fuzz", "mutation"], SAID),
        ("fuzz", ["fuzz"], "98", ["tests", "fuzz", "mutation"], f"{SAID} Fewer than 98 %."),
        ("fuzz", [], "95", ["tests", "fuzz"], "CalledProcessError 1"),
        ("mutation", [], "95", ["tests", "fuzz", "mutation"], "CalledProcessError 1"),
        ("tests", ["tests"], "95", ["tests"], "CalledProcessError 1"),
        (None, [], "95", ["tests", "fuzz", "mutation"], "Branches taken: outside 97.0 %"),
        (None, [], "98", ["tests", "fuzz", "mutation"], "SystemExit Fewer than 98 %."),
    ],
)
def test_what_keeps_its_figures_ends_the_measurement_last(
    failing: str | None, written: list[str], least: str, steps: list[str], end: str, tmp_path: Path
) -> None:
    given = {"FAILING": failing, "WRITTEN": written, "LEAST": least, "FOLDER": str(tmp_path)}
    code = "\n".join(f"{name} = {value!r}" for name, value in given.items()) + GOES_ON
    said = in_reliability(code).splitlines()
    assert [line for line in said if line in ("tests", "fuzz", "mutation")] == steps
    assert said[-1] == end
