"""The installed program: start-up and Ctrl-C."""

import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.running import EXAMPLE
from faults.processes import PROGRAM, heed_interrupts


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numpy", "pyarrow", "rich", "scipy", "pandas", "sklearn", "numba")
    code = (
        "import sys; from polyroc.cli import main; main(['--help'], standalone_mode=False); "
        f"print([m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    for command in ("demo", "evaluate", "compare", "study", "surface", "report", "metrics"):
        assert f"  {command} " in done.stdout
    assert not [line for line in done.stdout.splitlines()[1:] if line.endswith("...")], "cut"


@pytest.mark.slow
def test_help_is_quick() -> None:
    """In seconds of the processor, which other processes do not change."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    times = []
    for _ in range(5):
        start = spent()
        subprocess.run([*PROGRAM, "--help"], capture_output=True, check=True)
        times.append(spent() - start)
    assert statistics.median(times) < 0.25, times


def test_interrupted_search_keeps_its_checkpoint_and_writes_nothing_else(tmp_path: Path) -> None:
    checkpoint, output = tmp_path / "c.npz", tmp_path / "s.npz"
    eager = "import polyroc._storage.checkpoint as c; c.SECONDS_BETWEEN_SAVES = 0.1; "
    program = (sys.executable, "-c", eager + PROGRAM[2])
    command = [*program, "surface", EXAMPLE, "--model", "forest", "--seed", "1"]
    options = ["--generations", "100000", "--checkpoint", str(checkpoint), "-o", str(output)]
    process = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    ready = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < ready:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed == ""
    assert said.startswith("polyroc: Stopped after ") and len(said.splitlines()) == 1
    assert "Go on with the same command" in said
    assert list(tmp_path.glob("*.polyroc-part")) == [] and not output.exists()


def test_interrupted_while_reading_is_one_line(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*PROGRAM, "evaluate", str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    with pipe.open("w"):  # returns once the program has opened it too, and waits for content
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed, said) == (130, "", "polyroc: Stopped.\n")
