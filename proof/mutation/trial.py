"""Trying mutants: each in a forked child of a process that has the heavy imports behind it."""

import contextlib
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mutation.importing import install
from mutation.mapping import Map, Reach
from mutation.places import PACKAGES, ROOT
from mutation.population import Mutant
from mutation.quiet import pytest_options, reproducible_examples, silence

MOST_SECONDS = 40.0
"""Tests that take so long together, the quickest ones, are all that a mutant has to outlive."""

PATIENCE, GRACE = 10, 20
"""A test may take so many times as long as without a mutant, and so many seconds more."""

FIRST_FILES, FIRST_TESTS = 3, 100
"""A trial begins with so many tests of so many files."""

MEMORY = 10 << 30
"""Bytes of address space of a child; a mutant that asks for more has failed."""

AT_IMPORT = "import"
"""What has killed a mutant that cannot even be imported."""

SIGNALS = {
    signal.SIGALRM: "timed out",
    **dict.fromkeys([signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE], "killed"),
}
"""What it means when a signal ends a child; one from outside says nothing about the mutant."""

HEAVY = """hypothesis.extra.numpy joblib lightgbm matplotlib.pyplot numba pandas pyarrow.parquet
    rich.console scipy.optimize scipy.special scipy.stats sklearn.calibration sklearn.datasets
    sklearn.ensemble sklearn.linear_model sklearn.metrics sklearn.model_selection
    sklearn.naive_bayes sklearn.neighbors sklearn.pipeline sklearn.tree"""
"""Modules that tests import and that take long to."""


@dataclass(frozen=True)
class Plan:
    """The tests for a mutant, the quickest first."""

    tests: tuple[Reach, ...]
    left_out: int = 0
    """Tests that reach the mutant but would take the whole beyond the time that it is given."""
    known: frozenset[str] = frozenset()
    """All tests of the code as it is: any other was made by the mutant, and is run first."""


@dataclass(frozen=True)
class Trial:
    """How a mutant fared."""

    key: str
    verdict: str
    """killed, timed out, survived, not reached, or error: ended by something else."""
    by: str | None
    """The test that killed it, or that did not end."""
    seconds: float
    tests: int
    left_out: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(mutant: Mutant, found: Map, most: float = MOST_SECONDS) -> Plan:
    """Tests that reach the mutant's lines, then others that reach its file, while there is time.

    The others because a value made by one test and kept may be used by another. What runs at import
    concerns all tests: half of the time is theirs.
    """
    lines = range(mutant.lines[0], mutant.lines[1] + 1)
    direct = found.reaching(mutant.file, lines)
    if not direct and not found.at_import(mutant.file, lines):
        return Plan(())
    near = [test for test in found.tests.values() if mutant.file in test.lines]
    far = list(found.tests.values()) if found.at_import(mutant.file, lines) else []
    chosen: dict[str, Reach] = {}
    used = 0.0
    for tests, share in ((direct, 1.0), (near, 0.5 if far else 1.0), (far, 1.0)):
        for test in _quickest_first(tests):
            if test.name not in chosen and used + test.seconds <= share * most:
                chosen[test.name] = test
                used += test.seconds
    left_out = sum(test.name not in chosen for test in direct)
    return Plan(tuple(chosen.values()), left_out, frozenset(found.known))


def _quickest_first(tests: Iterable[Reach]) -> list[Reach]:
    """By their time; those that share something stay together, with the time of all of them.

    Of a test with many parameters three come first, then three more after all the others: a check
    of sixty kinds of input would otherwise take the time of tests that look at the numbers.
    """
    tests = list(tests)
    together: dict[str, float] = {}
    for test in tests:
        if test.shared:
            together[test.file] = together.get(test.file, 0) + test.seconds
    tests.sort(key=lambda t: (together[t.file], t.file) if t.shared else (t.seconds, t.file))
    before: Counter[str] = Counter()
    rounds = {}
    for test in tests:
        function = test.name.partition("[")[0]
        rounds[test.name] = before[function] // 3
        before[function] += 1
    return sorted(tests, key=lambda test: rounds[test.name])


def warm_up() -> None:
    """Import what takes long and holds nothing of ours that may be mutated."""
    for name in HEAVY.split():
        import_module(name)
    for path in sorted((ROOT / "src" / "polyroc" / "kernels").glob("*.py")):
        import_module(f"polyroc.kernels.{path.stem}")
    early = [name for name in sys.modules if name.startswith(_mutable())]
    if early:
        raise RuntimeError(f"{early} were imported too early to be mutated.")


def _mutable() -> tuple[str, ...]:
    """The names under which the packages are imported."""
    return tuple(package.removeprefix("src/").replace("/", ".") for package in PACKAGES)


def trials(work: Iterable[tuple[Mutant | None, Plan]], jobs: int) -> Iterator[Trial]:
    """Try mutants (None: the code as it is), several at a time, and yield them as they end."""
    queue, running = iter(work), {}
    while True:
        while len(running) < jobs and (pair := next(queue, None)) is not None:
            started = _Running(*pair)
            running[started.child] = started
        if not running:
            return
        child, status = os.wait()
        yield running.pop(child).ended(status)


class _Running:
    """A child that runs the tests of a plan against a mutant."""

    def __init__(self, mutant: Mutant | None, tests: Plan) -> None:
        self._mutant, self._plan, self._start = mutant, tests, time.perf_counter()
        self._folder = Path(tempfile.mkdtemp(prefix="mutation-"))
        self.child = os.fork()
        if not self.child:
            _run(mutant, tests, self._folder)

    def ended(self, status: int) -> Trial:
        """What became of it; whatever it started ends too."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child, signal.SIGKILL)
        log = (self._folder / "log").read_text().splitlines()
        shutil.rmtree(self._folder, ignore_errors=True)
        verdict = _verdict(status)
        return Trial(
            key=self._mutant.key if self._mutant else "unchanged",
            verdict=verdict,
            by=None if verdict == "survived" else log[-1],
            seconds=round(time.perf_counter() - self._start, 2),
            tests=len(log) - 1,
            left_out=self._plan.left_out,
        )


def _verdict(status: int) -> str:
    if os.WIFSIGNALED(status):
        return SIGNALS.get(signal.Signals(os.WTERMSIG(status)), "error")
    return {0: "survived", 1: "killed"}.get(os.WEXITSTATUS(status), "error")


def _run(mutant: Mutant | None, tests: Plan, folder: Path) -> None:
    """In the child: import the mutant, run the tests until one fails, and end."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    silence(errors=True)
    with (folder / "log").open("w", buffering=1) as log:
        log.write(f"{AT_IMPORT}\n")
        signal.setitimer(signal.ITIMER_REAL, 10 * GRACE)
        code = 2
        try:
            code = _tested(tests, folder, log) if _imported(mutant) else 1
        finally:
            log.flush()
            os._exit(code)


def _imported(mutant: Mutant | None) -> bool:
    """Whether the packages can be imported; all of them, as pytest would load a metric twice."""
    install(mutant)
    try:
        for name in _mutable():
            import_module(name)
    except BaseException:
        return False
    return True


def rounds(tests: tuple[Reach, ...]) -> list[list[Reach]]:
    """A few tests of few files first: most mutants end there, before all files are imported."""
    sizes = Counter(test.file for test in tests)
    files = {file for file, _ in sizes.most_common(FIRST_FILES)}
    first = [test for test in tests if test.file in files][:FIRST_TESTS]
    begun = {test.name for test in first}
    return [first, [test for test in tests if test.name not in begun]]


def _tested(tests: Plan, folder: Path, log: Any) -> int:
    options = [*pytest_options(), "-x", f"--basetemp={folder / 'files'}"]
    for part in filter(None, rounds(tests.tests)):
        files = list(dict.fromkeys(test.file for test in part))
        code = int(pytest.main([*options, *files], plugins=[_Chosen(part, tests.known, log)]))
        if code not in (0, 5):  # all passed, or all are gone
            return 1 if code in (1, 2) else 2  # 2 of pytest: a file could not be imported
    return 0


class _Chosen:
    """Runs chosen tests in their order, each with a limit of time."""

    def __init__(self, tests: list[Reach], known: frozenset[str], log: Any) -> None:
        self._seconds = {test.name: test.seconds for test in tests}
        self._known, self._log = known, log

    def pytest_collection(self) -> None:
        reproducible_examples()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A test that is no longer there has not noticed anything; a new one may."""
        found = {item.nodeid: item for item in items}
        new = [item for item in items if self._known and item.nodeid not in self._known]
        items[:] = new + [found[name] for name in self._seconds if name in found]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self._log.write(f"{item.nodeid}\n")
        limit = PATIENCE * self._seconds.get(item.nodeid, 0) + GRACE
        signal.setitimer(signal.ITIMER_REAL, limit)  # ends the process, compiled loops included

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._log.write(f"{report.nodeid}\n")
