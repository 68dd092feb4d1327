"""Counts of machine instructions: read from Callgrind rightly, and the same each time.

With POLYROC_REQUIRE_VALGRIND=1 a missing Valgrind is a failure.
"""

import doctest
import importlib.util
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPORT = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
cmd:  python work.py
part: 1

desc: I1 cache:
desc: Timerange: Basic block 0 - 77994950
desc: Trigger: --dump-before=getppid

positions: line
events: Ir
summary: 348847776

fn=(1) summary: 13
3 6
totals: 348847776

part: 2
desc: Trigger: --dump-before=getppid
events: Ir
summary: 1300
fn=(1)
3 1300
totals: 1300

part: 3
desc: Trigger: --dump-before=getppid
events: Ir
summary: 2500
totals: 2500

part: 4
desc: Trigger: Program termination
events: Ir
summary: 30524792
totals: 30524792
"""


def load(path: Path) -> ModuleType:
    """A benchmark is a script, not part of a package."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return module


instructions = load(
    Path(__file__).parents[1] / "proof" / "benchmarks" / "peers" / "instructions.py"
)


@pytest.fixture
def valgrind() -> None:
    if shutil.which("valgrind") is None:
        if os.environ.get("POLYROC_REQUIRE_VALGRIND") == "1":
            pytest.fail("POLYROC_REQUIRE_VALGRIND=1, but valgrind is not installed")
        pytest.skip("valgrind is not installed")


def test_examples() -> None:
    assert doctest.testmod(instructions) == (0, 2)


def test_only_what_ends_in_a_mark_counts() -> None:
    assert instructions.between_marks(REPORT) == [348847776, 1300, 2500]
    assert instructions.between_marks("") == []


def test_the_difference_of_both_runs_is_shared_by_the_calls() -> None:
    marks = [10**9, 700, 1300, 5_000, 1300, 2500]
    small, large = instructions.counts("scan 50\nscan 100\n", marks)
    calls = instructions.CALLS
    assert small == instructions.Count("scan", 50, 600 // calls, 600 / calls / 50)
    assert large == instructions.Count("scan", 100, 1200 // calls, 1200 / calls / 100)


@pytest.mark.parametrize(("done", "marks"), [("scan 5", [1, 2]), ("", []), ("a 1\nb 2", [1] * 5)])
def test_marks_that_got_lost_are_noticed(done: str, marks: list[int]) -> None:
    with pytest.raises(instructions.Unavailable, match=f"noted {len(marks)} calls of getppid"):
        instructions.counts(done, marks)


def test_without_valgrind_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(instructions.Unavailable, match="Valgrind, which is not installed"):
        instructions.count()
    with pytest.raises(SystemExit, match="install the package valgrind"):
        instructions.main()


def test_a_process_that_fails_is_quoted(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no such instruction')"]
    with pytest.raises(instructions.Unavailable, match=r"status 1 .*\n.*no such instruction"):
        instructions.run(command, str(tmp_path))


def test_nothing_of_the_surroundings_leaks_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler, or with a tracer, other instructions would be counted."""
    for name in ("NUMBA_DISABLE_JIT", "COVERAGE_PROCESS_START", "PYTHONTRACEMALLOC"):
        monkeypatch.setenv(name, "1")
    found = instructions.surroundings("here")
    assert found["NUMBA_CACHE_DIR"] == "here"
    assert not {"NUMBA_DISABLE_JIT", "COVERAGE_PROCESS_START", "PYTHONTRACEMALLOC"} & set(found)


@pytest.mark.slow
@pytest.mark.usefixtures("valgrind")
def test_counts_are_the_same_each_time_and_linear() -> None:
    first, second = instructions.count_times(2)
    assert [row.kernel for row in first] == ["confusion_tables"] * 2 + ["assignment_pairs"] * 2
    for one, other in zip(first, second, strict=True):
        assert (one.kernel, one.size) == (other.kernel, other.size)
        assert one.instructions == pytest.approx(other.instructions, rel=0.005)
    for small, large in (first[:2], first[2:]):
        assert large.size == 2 * small.size
        assert large.instructions / small.instructions == pytest.approx(2, rel=0.05)
        assert 10 < large.per_case < 1000
