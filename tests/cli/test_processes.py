"""The installed program: start-up and Ctrl-C."""

import io
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.running import EXAMPLE, main
from faults.processes import PROGRAM, heed_interrupts

pytestmark = pytest.mark.system


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


def test_the_module_is_the_program() -> None:
    module = [sys.executable, "-m", "polyroc"]
    done = subprocess.run([*module, "evaluate", "none.csv"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("polyroc: There is no file")
    asked = subprocess.run([*module, "--help"], capture_output=True, text=True, check=True)
    assert asked.stdout.startswith("Usage: polyroc [OPTIONS]")


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
    assert "Resume with the same command" in said
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


# Signals that come when nobody is listening

LONG = (
    "evaluate",
    EXAMPLE,
    "-m",
    "hand_till",
    "--interval",
    "bootstrap",
    "--replicates",
    "9999999",
)

WHILE_IMPORTING = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(100): pass  # for the handler to run
wanted = sys.argv.pop(1)
sys.meta_path.insert(0, Finder())
"""
WHILE_READING = """
import os, signal, threading, time
import pyarrow.csv
read = pyarrow.csv.read_csv
def interrupted(*given, **options):
    stop = lambda: os.kill(os.getpid(), signal.SIGINT)
    threading.Timer({seconds}, stop).start()
    return read(*given, **options)
pyarrow.csv.read_csv = interrupted
"""


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a program that is to stop soon."""
    try:
        printed, said = process.communicate(timeout=30)
    finally:
        process.kill()
    return process.returncode, printed, said


def started(before: str = "", *arguments: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", before + PROGRAM[2], *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
        env={**os.environ, **environment},
    )


def test_ctrl_c_during_an_import_is_not_lost() -> None:
    """pyarrow asks for pandas and takes whatever goes wrong for its absence."""
    for module in ("pandas", "pandas.core.frame", "numpy"):
        process = started(WHILE_IMPORTING, module, *LONG)
        assert ended(process) == (130, "", "polyroc: Stopped.\n"), module


@pytest.mark.slow
def test_ctrl_c_while_arrow_reads_is_not_lost() -> None:
    """Arrow has handlers of its own, and loses signals while it puts ours back."""
    for milliseconds in range(12):
        process = started(WHILE_READING.format(seconds=milliseconds / 4000), *LONG)
        assert ended(process) == (130, "", "polyroc: Stopped.\n")


@pytest.mark.slow
def test_ctrl_c_at_any_time_of_the_first_second(tmp_path: Path) -> None:
    for wait in range(100, 1100, 60):
        process = started("import os; os.write(1, b'.'); ", *LONG)
        assert process.stdout is not None and process.stdout.read(1) == "."
        time.sleep(wait / 1000)
        process.send_signal(signal.SIGINT)
        code, printed, said = ended(process)
        assert (code, printed) == (130, "") and said in ("", "polyroc: Stopped.\n"), (wait, said)


def test_an_interrupt_lost_in_a_destructor_is_raised_again() -> None:
    code = """
import signal, sys, time
from polyroc.cli.interrupts import heeded_interrupts
class Lossy:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
with heeded_interrupts():
    try:
        Lossy()
        time.sleep(20)
    except KeyboardInterrupt:
        print("heard")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=heed_interrupts)
    assert (done.stdout, done.stderr) == ("heard\nTrue\n", "")


def test_signals_that_are_ignored_stay_ignored() -> None:
    code = "from polyroc.cli.interrupts import heeded_interrupts\nimport signal\n"
    code += "with heeded_interrupts(): signal.raise_signal(signal.SIGINT)\nprint('on')"

    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=ignore)
    assert done.stdout == "on\n"


def family(mark: str) -> list[int]:
    """The processes whose environment has a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:  # it has ended, or is not ours
                pass
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_sigterm_of_a_study_leaves_no_process_behind(tmp_path: Path) -> None:
    rows = [f"{i % 7},{(i * i) % 11},{i % 2}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["u,v,class", *rows]))
    checkpoint, name, value = tmp_path / "c.npz", "POLYROC_TEST_MARK", str(tmp_path)
    options = ("--jobs", "2", "--splits", "9999999", "--learners", "kernel")
    options = (*options, "--checkpoint", str(checkpoint))
    eager = "import polyroc._storage.checkpoint as s; s.SECONDS_BETWEEN_SAVES = 0; "
    process = started(eager, "study", str(tmp_path / "t.csv"), *options, **{name: value})
    wait_until(checkpoint.exists)
    assert len(family(f"{name}={value}")) >= 4, "workers, and those that look after shared memory"
    process.terminate()
    code, printed, said = ended(process)
    assert (code, printed) == (143, ""), said
    assert said.startswith("polyroc: The study was stopped after") and said.count("\n") == 1
    wait_until(lambda: not family(f"{name}={value}"))


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_workers_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    """It has no time to stop them."""
    child = (
        "import os, time; from polyroc.inference._orphans import end_with; end_with(os.getppid())"
    )
    parent = (
        "import subprocess, sys; "
        f"worker = subprocess.Popen([sys.executable, '-c', {child + '; print(1, flush=True); '!r}"
        "'time.sleep(100)']); worker.wait()"
    )
    name, value = "POLYROC_TEST_MARK", str(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-c", parent],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, name: value},
    )
    assert process.stdout is not None and process.stdout.readline() == "1\n"
    assert len(family(f"{name}={value}")) == 2
    process.kill()
    process.wait()
    wait_until(lambda: not family(f"{name}={value}"))
    process.stdout.close()


def wait_until(happened: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.1)


# Other versions of click, and streams that take nothing


def test_a_click_that_prints_help_by_itself() -> None:
    """Before 8.2 there was no error for a command without arguments."""
    older = "import click; vars(click.exceptions).pop('NoArgsIsHelpError', None); "
    process = started(older, "evaluate", "nothing.csv")
    assert ended(process) == (2, "", "polyroc: There is no file nothing.csv. Check the path.\n")


class FullDisk(io.StringIO):
    """A stream that cannot be written, and keeps what it was given for the next try."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.file = path.open("w")

    def fileno(self) -> int:
        return self.file.fileno()

    def flush(self) -> None:
        nowhere = Path(os.devnull).stat()
        if self.getvalue() and not os.path.samestat(os.fstat(self.fileno()), nowhere):
            raise OSError(28, "No space left on device")


def test_what_was_not_printed_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second failure, while Python shuts down, would make the exit code 120."""
    stream = FullDisk(tmp_path / "file")
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as end:
        main(["metrics", "hand_till"], prog_name="polyroc")
    assert end.value.code == 2
    stream.flush()
    assert capsys.readouterr().err == "polyroc: No space left on device.\n"
    stream.file.close()
