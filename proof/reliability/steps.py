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
import marks

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "docs" / "reliability"

PYTEST = (str(Path(sys.executable).with_name("pytest")), "-q", "-p", "no:cacheprovider")

REQUIRED = {
    f"POLYROC_REQUIRE_{tool}": "1" for tool in ("BROWSER", "R", "VALGRIND", "TORCH", "INTEGRATIONS")
}
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


def tested(*options: str, **environment: str) -> dict[str, Any]:
    """Figures of a run of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        xml = Path(folder, "run.xml")
        plugins = {"PYTHONPATH": str(Path(__file__).parent)}
        run(*PYTEST, "-p", "generated", f"--junitxml={xml}", *options, **plugins, **environment)
        return asdict(junit.read(xml))


TIERS = {
    "first": (),
    "system": ("-m", "system and not slow and not torch and not integrations"),
    "torch": ("-m", "torch or integrations"),
    "second": ("-m", "slow"),
}
"""What the README's command runs, and the tiers of ``.ci/run``."""


def peers() -> None:
    """The benchmarks, which write a page of their own; first, while the machine is idle."""
    run(sys.executable, "proof/benchmarks/peers", "--page", "docs")


def tests() -> None:
    """All tests, and the branches they take, for which the slow ones are not counted."""
    with tempfile.TemporaryDirectory() as folder:
        found = {
            name: tested(*options) if name == "second" else _measure(Path(folder), *options)
            for name, options in TIERS.items()
        }
        keep("tests", found)
        branches(Path(folder))


def long() -> None:
    """Many times as many generated inputs."""
    every = ("-m", "not slow and not torch and not integrations")
    keep("long", tested("--hypothesis-profile", "long", *every, *GENERATED))


def branches(measured: Path | None = None) -> None:
    """Branches that the tests take: outside the kernels, and in them without the compiler.

    ``measured`` is a folder with the marks of all tiers of tests outside the kernels, if they were
    run with them already.
    """
    with tempfile.TemporaryDirectory() as folder:
        outside, inside = measured or Path(folder, "outside"), Path(folder, "inside")
        if not measured:
            _measure(outside, "-m", "not slow and not torch and not integrations")
            _measure(outside, *TIERS["torch"])
        _measure(inside, "-m", "not slow", "tests/kernels", NUMBA_DISABLE_JIT="1")
        found = {
            "outside the kernels": marks.taken(outside),
            "kernels, interpreted": marks.taken(inside, kernels=True),
        }
    keep("branches", found)


def _measure(folder: Path, *options: str, **environment: str) -> dict[str, Any]:
    """Figures of a run of tests with marks at every branch, which take no time."""
    folder.mkdir(exist_ok=True)
    return tested("-p", "marks", *options, POLYROC_BRANCHES=str(folder), **environment)


def fuzz() -> None:
    """Inputs guided by what they reach, for a while a reader."""
    run(sys.executable, "proof/fuzz", "--seconds", "100", "--record", str(RECORDS / "fuzz.json"))


def mutation() -> None:
    """Mistakes put into the source, one at a time."""
    sample = ("--sample", "150", "--seed", "503", "--seconds", "60", "--least", "0.7")
    run(sys.executable, "proof/mutation", *sample, "--record", str(RECORDS / "mutation.json"))


STEPS: dict[str, Callable[..., None]] = {
    each.__name__: each for each in (peers, tests, branches, long, fuzz, mutation)
}

TELLING = ("fuzz", "mutation")
"""Steps that keep their figures when they fail."""
