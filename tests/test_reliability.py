"""The page of figures is current, and figures are read right from pytest's XML."""

import subprocess
import sys
from pathlib import Path

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


def test_figures_of_a_run(tmp_path: Path) -> None:
    xml = tmp_path / "run.xml"
    xml.write_text(RUN)
    code = f"import junit, pathlib; print(junit.read(pathlib.Path({str(xml)!r})))"
    assert in_reliability(code) == (
        "Run(passed=2, failed=1, skipped=1, seconds=2.5, inputs={'tests/hostile': 8}, "
        "modules={'tests.faults.test_b': 2, 'tests.test_d': 1}, "
        "failing={'tests.faults.test_b': 1}, properties={'faults': {'tests.faults.test_b': 12}})\n"
    )
