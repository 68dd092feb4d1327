"""Machine instructions of the two hottest kernels, counted by Valgrind: a figure without noise.

Seconds depend on the machine and on its neighbours; how many instructions a call executes does
not, so that a change of one percent shows. Share of kernels in the time, measured on one thread:

* vus of 10,000 cases of 3 classes: 93 % in ``assignment_pairs``;
* vus2 of the same, in half the time: 92 % in ``highest_pairs``;
* a search for a surface of 300 cases: 23 % in ``confusion_tables``, then 14 % in
  ``neighbour_posteriors`` and 10 % in ``insert``;
* auc_mu of 20,000 cases of 100 classes: 36 % in ``merge_pairs``;
* 300 replicates of hand_till, 10⁵ cases of 10 classes: 18 % in ``pairs_above``;
* pairwise_auc of 10⁶ cases of 10 classes: none takes part.

Counted are the one with the largest share, ``assignment_pairs``, and the one with most seconds,
``confusion_tables`` (1.6 in a search of 2,000 generations). Callgrind, a tool of Valgrind, follows
a process that calls each kernel N times and then 2N times: the difference is N calls, without what
surrounds them. Valgrind knows instructions up to AVX2, so the kernels are compiled for such a
processor, in a folder of their own and before Valgrind looks on.

Run it as ``python proof/benchmarks/peers/instructions.py``.
"""

import gc
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CALLS = 2
COST_MATRICES, CASES = 100, (500, 1000)
OTHER_CLASSES, FIRST_CLASS = 300, (100, 200)

MARK = "getppid"
"""A system call that nothing else makes: Callgrind writes down its count before each."""

PROCESSOR = {"x86_64": ("haswell", "+avx2,+fma,+bmi,+bmi2,+popcnt")}
"""What kernels are compiled for, where this is not simply any processor of the kind."""


class Unavailable(RuntimeError):
    """Instructions cannot be counted here; the message says why."""


@dataclass(frozen=True)
class Count:
    """Instructions of one call of a kernel.

    ``size`` is how many decisions or pairs of cases the call goes through, ``per_case`` the
    instructions for one of them.
    """

    kernel: str
    size: int
    instructions: int
    per_case: float


class Work(NamedTuple):
    """A call of a kernel on prepared arrays."""

    kernel: str
    size: int
    call: Callable[[], object]


def count() -> list[Count]:
    """Count the instructions of each kernel at two sizes, the second twice the first."""
    return count_times(1)[0]


def count_times(times: int) -> list[list[Count]]:
    """Count them so many times in a process, which finds what another has compiled."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise Unavailable(
            "Instructions are counted by Valgrind, which is not installed here: install the "
            "package valgrind (Linux) or leave these figures out."
        )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "callgrind.out")
        watched = [valgrind, "--tool=callgrind", "--combine-dumps=yes", f"--dump-before={MARK}"]
        calls = [sys.executable, "-P", str(Path(__file__).resolve()), "--calls"]
        run([*calls, "1"], folder)  # compiles
        done = run([*watched, f"--callgrind-out-file={out}", *calls, str(times)], folder)
        found = counts(done, between_marks(out.read_text()))
    each = len(found) // times
    return [found[first : first + each] for first in range(0, len(found), each)]


def run(command: list[str], folder: str) -> str:
    """Run a process with its own cache of compiled code; what it printed."""
    done = subprocess.run(command, env=surroundings(folder), capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable(
            f"{Path(command[0]).name} ended with status {done.returncode} instead of counting:\n"
            f"{done.stderr[-2000:]}"
        )
    return done.stdout


def surroundings(folder: str) -> dict[str, str]:
    """Environment of the process: nothing that compiles, hashes or traces differently elsewhere."""
    name, features = PROCESSOR.get(platform.machine(), ("generic", ""))
    kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    compiler = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features, "NUMBA_CACHE_DIR": folder}
    return kept | threads | compiler | {"PYTHONHASHSEED": "0"}


def between_marks(text: str) -> list[int]:
    """Instructions before each mark and after the one before it, from what Callgrind wrote.

    >>> between_marks("desc: Trigger: --dump-before=getppid\\nevents: Ir\\nsummary: 42\\n")
    [42]
    """
    part = rf"^desc: Trigger: --dump-before={MARK}$.*?^summary: (\d+)$"
    return [int(found) for found in re.findall(part, text, re.MULTILINE | re.DOTALL)]


def counts(done: str, marks: list[int]) -> list[Count]:
    """Put together what was called, a line each, and the instructions between three marks each.

    >>> counts("scan 50", [9000, 1300, 2500])
    [Count(kernel='scan', size=50, instructions=600, per_case=12.0)]
    """
    rows = [line.split() for line in done.splitlines()]
    if len(marks) != 3 * len(rows) or not rows:
        raise Unavailable(
            f"Callgrind noted {len(marks)} calls of {MARK} where {3 * len(rows)} were made: this "
            "version of Valgrind or of the C library names them differently."
        )
    found = []
    for (kernel, size), once, twice in zip(rows, marks[1::3], marks[2::3], strict=True):
        instructions = round((twice - once) / CALLS)
        found.append(Count(kernel, int(size), instructions, instructions / int(size)))
    return found


# ------------------------------------------------------------------- in the process that is watched


def make_calls(times: int) -> None:
    """Call every kernel N and 2N times between marks, and print what was called."""
    gc.disable()
    for work in chain.from_iterable(all_work() for _ in range(times)):
        work.call()  # loads it, or compiles it
        os.getppid()
        for times in (CALLS, 2 * CALLS):
            for _ in range(times):
                work.call()
            os.getppid()
        print(work.kernel, work.size)


def all_work() -> Iterator[Work]:
    for n in CASES:
        yield confusion_work(n)
    for n in FIRST_CLASS:
        yield triplet_work(n)


def probabilities(n: int, winner: int | None = None) -> NDArray[np.float64]:
    """Scores of three classes, the winner's drawn higher."""
    leaning = np.ones(3) if winner is None else np.ones(3) + np.eye(3)[winner]
    return np.random.default_rng(n).dirichlet(leaning, n)


def confusion_work(n: int) -> Work:
    """Decide n cases under each of many costs, as a generation of a search does."""
    from polyroc.kernels.confusion import confusion_tables

    rng = np.random.default_rng(1)
    costs = rng.dirichlet(np.ones(9), COST_MATRICES).reshape(-1, 3, 3) * (1 - np.eye(3))
    tables = np.zeros_like(costs)
    arrays = probabilities(n), rng.integers(0, 3, n), np.ones(n), costs, tables
    return Work("confusion_tables", n * COST_MATRICES, lambda: confusion_tables(*arrays, 2.0**-40))


def triplet_work(n: int) -> Work:
    """Visit the pairs of n cases of class a with the cases of class b, as vus does."""
    from polyroc.kernels.assignment_triplets import assignment_pairs, last_class, middle_class

    sizes = n, OTHER_CLASSES, OTHER_CLASSES
    a, b, c = (corner_costs(probabilities(size, k)) for k, size in enumerate(sizes))
    b = b[np.argsort(b[:, 2] - b[:, 1], kind="stable")]
    ones, slack = np.ones(max(sizes)), np.full((max(sizes), 3), 2.0**-40)
    last = last_class(c, slack[: len(c)], ones[: len(c)], ones[: len(c)], 2.0**-40)
    middle = middle_class(b, slack[: len(b)], ones[: len(b)], ones[: len(b)], last)
    arrays = a, slack[:n], ones[:n], ones[:n], middle, last
    return Work("assignment_pairs", n * len(b), lambda: assignment_pairs(*arrays))


def corner_costs(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances to the corners of the simplex."""
    lengths: NDArray[np.float64] = np.linalg.norm(scores[:, None, :] - np.eye(3), axis=2)
    return lengths


def main() -> None:
    try:
        found = count()
    except Unavailable as error:
        sys.exit(str(error))
    print(f"{'kernel':18}{'size':>10}{'instructions':>15}{'per case':>10}")
    for row in found:
        print(f"{row.kernel:18}{row.size:>10,}{row.instructions:>15,}{row.per_case:>10.2f}")


if __name__ == "__main__":
    make_calls(int(sys.argv[2])) if sys.argv[1:2] == ["--calls"] else main()
