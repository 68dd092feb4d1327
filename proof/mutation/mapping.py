"""Which tests reach which line: one run of the tests under coverage, kept between runs.

Coverage is told the name of each test as it starts, so doctests and fixtures are seen too. The map
is kept per test file; only files that changed are run again, and all of them after a change of the
sources or of what the tests share.
"""

import hashlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mutation.places import PACKAGES, ROOT, TESTS, modules
from mutation.quiet import in_children, pytest_options, reproducible_examples

Lines = dict[str, set[int]]
"""Numbers of lines by file, relative to the root."""


@dataclass
class Reach:
    """A test: how long it takes and which lines it runs."""

    name: str
    seconds: float
    shared: bool
    """Whether it uses something that is made once for several tests."""
    lines: Lines

    @property
    def file(self) -> str:
        """The test file."""
        return self.name.partition("::")[0]


@dataclass
class Map:
    """Tests by file, and the lines that run when the package is imported."""

    sources: str
    imported: Lines = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    tests: dict[str, Reach] = field(default_factory=dict)
    failing: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    """All tests, those left out as well: another name belongs to a test that a mutant made."""

    def reaching(self, file: str, lines: Iterable[int]) -> list[Reach]:
        """Tests that run one of these lines."""
        wanted = set(lines)
        return [test for test in self.tests.values() if wanted & test.lines.get(file, set())]

    def at_import(self, file: str, lines: Iterable[int]) -> bool:
        """Whether one of these lines runs while modules are imported."""
        return bool(self.imported.get(file, set()) & set(lines))


def current_map(kept: Path, jobs: int = 1) -> Map:
    """The map kept in a file, brought up to date."""
    found, sources = load(kept), sources_hash()
    if found.sources != sources:
        found = Map(sources)
    files = {str(path.relative_to(ROOT)): _hash([path]) for path in test_files()}
    stale = [name for name, content in files.items() if found.hashes.get(name) != content]
    _forget(found, {*stale, *(found.hashes.keys() - files.keys())})
    if stale:
        print(f"Mapping the tests of {len(stale)} files to the lines they reach …", flush=True)
        start = time.perf_counter()
        parts = filter(None, (stale[job::jobs] for job in range(jobs)))
        for measured in in_children([partial(_measured, part) for part in parts]):
            _merge(found, measured)
        print(f"{len(found.tests)} tests in {time.perf_counter() - start:.0f} s.", flush=True)
    found.hashes = files
    save(found, kept)
    return found


def _forget(found: Map, files: set[str]) -> None:
    found.tests = {name: test for name, test in found.tests.items() if test.file not in files}
    found.failing = [name for name in found.failing if name.partition("::")[0] not in files]
    found.known = {name for name in found.known if name.partition("::")[0] not in files}


def test_files() -> Iterator[Path]:
    """Files with tests of the packages, doctests included; folders that are not there are none."""
    for pattern in TESTS:
        yield from sorted(ROOT.glob(pattern))
    yield from modules()


def sources_hash() -> str:
    """Changes with the sources and with what tests share."""
    tests = [path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_")]
    return _hash([*(ROOT / "src").rglob("*.py"), *tests])


def _hash(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


class _Watch:
    """Tells coverage which test runs, and keeps the time and the outcome of each.

    What is made once for several tests is measured under a name of its own, because each of the
    tests that use it depends on the lines that made it.
    """

    def __init__(self, measure: Any) -> None:
        self._measure = measure
        self._running = ""
        self.seconds: dict[str, float] = {}
        self.passed: dict[str, bool] = {}
        self.uses: dict[str, set[str]] = {}
        self.made: dict[str, str] = {}
        self.known: list[str] = []

    def pytest_collection(self) -> None:
        reproducible_examples()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.known = [item.nodeid for item in items]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self._running = item.nodeid
        self._measure.switch_context(item.nodeid)
        start = time.perf_counter()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.perf_counter() - start
            self.uses[item.nodeid] = {
                context
                for context, base in self.made.items()
                if item.nodeid.startswith(base)
                and context.rpartition(" ")[2] in getattr(item, "fixturenames", ())
            }
            self._measure.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        if fixturedef.scope == "function":
            return (yield)
        context = f"made for {fixturedef.baseid}: {fixturedef.argname}"
        self.made[context] = fixturedef.baseid
        self._measure.switch_context(context)
        try:
            return (yield)
        finally:
            self._measure.switch_context(self._running)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.passed[report.nodeid] = report.outcome == "passed"
        elif report.failed:
            self.passed[report.nodeid] = False


def _measured(files: list[str]) -> dict[str, Any]:
    """Run test files under coverage (in a child, so that the parent imports nothing of ours)."""
    import coverage

    include = [str(ROOT / package / each) for package in PACKAGES for each in ("*.py", "**/*.py")]
    measure = coverage.Coverage(data_file=None, config_file=False, include=include)
    watch = _Watch(measure)
    measure.start()
    ended = pytest.main([*pytest_options(), *files], plugins=[watch])
    measure.stop()
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"The tests were not run to their end: {ended!r}.")
    reached = _by_context(measure.get_data())
    return {
        "known": watch.known,
        "imported": _plain(reached[""]),
        "failing": [name for name, passed in watch.passed.items() if not passed],
        "tests": {
            name: [
                watch.seconds[name],
                bool(watch.uses[name]),
                _plain(_union(reached[each] for each in (name, *watch.uses[name]))),
            ]
            for name, passed in watch.passed.items()
            if passed
        },
    }


def _by_context(data: Any) -> dict[str, Lines]:
    found: dict[str, Lines] = defaultdict(dict)
    for path in data.measured_files():
        name = os.path.relpath(path, ROOT)
        for line, contexts in data.contexts_by_lineno(path).items():
            for context in contexts:
                found[context].setdefault(name, set()).add(line)
    return found


def _union(parts: Iterable[Lines]) -> Lines:
    whole: Lines = {}
    for part in parts:
        for file, lines in part.items():
            whole[file] = whole.get(file, set()) | lines
    return whole


def _plain(lines: Lines) -> dict[str, list[int]]:
    return {file: sorted(numbers) for file, numbers in lines.items()}


def _merge(found: Map, measured: dict[str, Any]) -> None:
    for file, lines in measured["imported"].items():
        found.imported.setdefault(file, set()).update(lines)
    found.failing += measured["failing"]
    found.known.update(measured["known"])
    for name, (seconds, shared, lines) in measured["tests"].items():
        found.tests[name] = Reach(name, seconds, shared, {k: set(v) for k, v in lines.items()})


def load(path: Path) -> Map:
    """The map in a file; an empty one where there is no file."""
    if not path.exists():
        return Map("")
    kept = json.loads(path.read_text())
    found = Map(kept["sources"], hashes=kept["hashes"])
    _merge(found, kept)
    return found


def save(found: Map, path: Path) -> None:
    """Write a map to a file."""
    kept = {
        "sources": found.sources,
        "hashes": found.hashes,
        "imported": _plain(found.imported),
        "failing": found.failing,
        "known": sorted(found.known),
        "tests": {
            test.name: [test.seconds, test.shared, _plain(test.lines)]
            for test in found.tests.values()
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parent / ".gitignore").write_text("*\n")
    path.write_text(json.dumps(kept))
