"""One target in a child process: its limits, and what it found."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

SECONDS_PER_INPUT = 30
"""Longer is a hang, also where the machine is busy."""

MEMORY = 3000
"""Megabytes that the process may use: libraries, and the 1 GiB that a file may become."""

STARTING = 240
"""Seconds for loading, compiling and the first inputs, beyond the time asked for."""

TELLING = 10
"""Seconds before that, at which a process says where it is."""

_FIGURE = re.compile(r"^stat::(\w+):\s+(\d+)", re.MULTILINE)
_DONE = re.compile(r"^Done (\d+) ", re.MULTILINE)
_REASONS = ("Uncaught Python exception", "ERROR: libFuzzer", "terminate called", "Timeout (")


@dataclass
class Outcome:
    """What came of a target."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    """Seconds of the slowest input."""
    peak_mb: int = 0
    crashes: list[Path] = field(default_factory=list)
    failed: bool = False
    reason: str = ""

    def line(self) -> str:
        """A line for people."""
        crashes = f"{len(self.crashes)} crash{'es' * (len(self.crashes) != 1)}"
        end = f" FAILED: {self.reason}" if self.failed and not self.crashes else ""
        return (
            f"{self.target:18} {self.inputs:9,} inputs in {self.seconds:4.0f} s, {crashes}, "
            f"slowest {self.slowest:.2f} s, peak {self.peak_mb:,} MB{end}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "crashes": [path.name for path in self.crashes]}


def run_target(name: str, seconds: int, runs: int | None, seed: int, crashes: Path) -> Outcome:
    """Fuzz one target until it has had its time or number of inputs, or crashes."""
    outcome = Outcome(name)
    with tempfile.TemporaryDirectory(prefix="polyroc-fuzz-") as scratch:
        work = Path(scratch)
        for part in ("empty", "corpus", "input"):
            (work / part).mkdir()
        limit = [f"-runs={runs}"] if runs is not None else [f"-max_total_time={seconds}"]
        flags = [
            *limit,
            f"-seed={seed}",
            f"-timeout={SECONDS_PER_INPUT}",
            f"-rss_limit_mb={MEMORY}",
            "-malloc_limit_mb=0",
            "-max_len=20000",
            "-print_final_stats=1",
            f"-artifact_prefix={crashes}/{name}-",
            str(work / "corpus"),
        ]
        before = set(crashes.glob(f"{name}-*"))
        said = _run([name, str(work), *flags], work / "empty", outcome, runs or seconds)
        _read_figures(said, work, outcome)
        left = [path.name for path in (work / "empty").iterdir()]
        last = work / "last"
        if outcome.failed and last.exists() and set(crashes.glob(f"{name}-*")) == before:
            shutil.copy(last, crashes / f"{name}-last")
    outcome.crashes = sorted(set(crashes.glob(f"{name}-*")) - before)
    if left:
        outcome.failed, outcome.reason = True, f"it wrote {left[0]}"
    return outcome


def run_input(name: str, path: Path, work: Path) -> int:
    """The exit code of a target for one input; what it says is shown."""
    for part in ("empty", "corpus", "input"):
        (work / part).mkdir()
    command = [sys.executable, str(HERE / "child.py"), name, str(work), str(path)]
    return subprocess.run(command, cwd=work / "empty", check=False).returncode


def _run(arguments: list[str], folder: Path, outcome: Outcome, work: int) -> str:
    """What the child says; its exit code tells whether it failed."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["POLYROC_FUZZ_SECONDS"] = str(work + STARTING - TELLING)
    command = [sys.executable, str(HERE / "child.py"), *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=work + STARTING,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        said = (error.stderr or b"").decode(errors="replace")
        outcome.failed, outcome.reason = True, _reason(said) or f"it did not end: {said[-300:]}"
        return said
    said = done.stdout + done.stderr
    if done.returncode:
        outcome.failed = True
        outcome.reason = _reason(said) or f"exit code {done.returncode}: {said[-300:]}"
    return said


def _reason(said: str) -> str:
    """What is to be known of a crash: from the first line that speaks of it on."""
    lines = said.splitlines()
    for place, line in enumerate(lines):
        if any(word in line for word in _REASONS):
            kept = lines[place : place + 60]
            noise = ("Extension modules", "INFO: ", "NOTE: ")
            return "\n  ".join(each for each in kept if not each.startswith(noise))
    return ""


def _read_figures(said: str, work: Path, outcome: Outcome) -> None:
    figures = {name: int(value) for name, value in _FIGURE.findall(said)}
    done = _DONE.search(said)
    outcome.inputs = figures.get("number_of_executed_units", int(done[1]) if done else 0)
    outcome.peak_mb = figures.get("peak_rss_mb", 0)
    told = work / "figures.json"
    if told.exists():
        found = json.loads(told.read_text())
        outcome.slowest, outcome.seconds = found["slowest"], found["seconds"]
        outcome.inputs = max(outcome.inputs, found["inputs"])
    elif not outcome.failed:
        outcome.failed, outcome.reason = True, "it tried nothing"
