"""The steps: each runs commands that anyone can run, and keeps what they found as JSON."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import junit

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "docs" / "reliability"

PYTEST = (str(Path(sys.executable).with_name("pytest")), "-q", "-p", "no:cacheprovider")
COVERAGE = (sys.executable, "-m", "coverage")

REQUIRED = {f"POLYROC_REQUIRE_{tool}": "1" for tool in ("BROWSER", "R", "VALGRIND", "TORCH")}
"""A tool that is missing is an error: nothing that is skipped is counted."""

GENERATED = ("tests/differential", "tests/hostile")
"""Folders whose tests draw their inputs, so that more of them tell more."""


def keep(name: str, figures: Any) -> None:
    """Keep the figures of a step for the page."""
    RECORDS.mkdir(exist_ok=True)
    (RECORDS / f"{name}.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


def run(*command: str, **environment: str) -> None:
    """Run a command in the root of the repository; its failure ends the measurement."""
    print("$", *(Path(command[0]).name, *command[1:]), flush=True)
    subprocess.run(command, cwd=ROOT, env={**os.environ, **REQUIRED, **environment}, check=True)


def tested(*options: str) -> dict[str, Any]:
    """Figures of a run of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        xml = Path(folder, "run.xml")
        run(*PYTEST, f"--junitxml={xml}", *options)
        return asdict(junit.read(xml))


def tests() -> None:
    """What the README's command runs, the second tier, and what needs PyTorch."""
    tiers = {"first": (), "second": ("-m", "slow"), "torch": ("-m", "torch")}
    keep("tests", {name: tested(*options) for name, options in tiers.items()})


def long() -> None:
    """Fifty times as many generated inputs."""
    keep("long", tested("--hypothesis-profile", "long", *GENERATED))


def branches(measured: Path | None = None) -> None:
    """Branches that the tests take: outside the kernels, and in them without the compiler.

    ``measured`` is a folder with the data of both tiers of tests outside the kernels, if they were
    run under coverage already.
    """
    with tempfile.TemporaryDirectory() as folder:
        outside, inside = measured or Path(folder, "outside"), Path(folder, "inside")
        if not measured:
            _measure(outside, "-m", "not slow and not torch and not integrations")
            _measure(outside, "-m", "torch")
        _measure(inside, "-m", "not slow", "tests/kernels", NUMBA_DISABLE_JIT="1")
        kernels, own = "--include=src/polyroc/kernels/*", "--include=src/polyroc/*"
        found = {
            "outside the kernels": _taken(outside, own, "--omit=*/kernels/*"),
            "kernels, interpreted": _taken(inside, kernels, "--omit=*/kernels/compile.py"),
        }
    keep("branches", found)


def _measure(folder: Path, *options: str, **environment: str) -> None:
    """Run tests under coverage, in all their processes."""
    folder.mkdir(exist_ok=True)
    data = {"COVERAGE_FILE": str(folder / "data")}
    run(*COVERAGE, "run", "-m", "pytest", *PYTEST[1:], *options, **data, **environment)


def _taken(folder: Path, *files: str) -> dict[str, Any]:
    """Totals of coverage over the runs that left their data in a folder."""
    data, found = {"COVERAGE_FILE": str(folder / "data")}, folder / "found.json"
    run(*COVERAGE, "combine", "-q", **data)
    run(*COVERAGE, "json", "-q", *files, "-o", str(found), **data)
    return _totals(json.loads(found.read_text()))


def _totals(found: dict[str, Any]) -> dict[str, Any]:
    files = {
        Path(name).relative_to("src/polyroc").as_posix(): each["summary"]
        for name, each in found["files"].items()
    }
    missing = {name: each["missing_branches"] for name, each in files.items()}
    return {
        "branches": found["totals"]["num_branches"],
        "taken": found["totals"]["covered_branches"],
        "lines": found["totals"]["num_statements"],
        "run": found["totals"]["covered_lines"],
        "missing": dict(sorted(((k, n) for k, n in missing.items() if n), key=lambda x: -x[1])),
    }


def fuzz() -> None:
    """Inputs guided by what they reach, for a while a reader."""
    run(sys.executable, "proof/fuzz", "--seconds", "100", "--record", str(RECORDS / "fuzz.json"))


def mutation() -> None:
    """Mistakes put into the source, one at a time."""
    run(sys.executable, "proof/mutation", "--record", str(RECORDS / "mutation.json"))


def peers() -> None:
    """The benchmarks, which write a page of their own."""
    run(sys.executable, "proof/benchmarks/peers", "--page", "docs")


STEPS: dict[str, Callable[[], None]] = {
    each.__name__: each for each in (tests, long, branches, fuzz, mutation, peers)
}
