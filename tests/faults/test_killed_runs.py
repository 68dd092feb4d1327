"""Runs that are killed at any time go on from their checkpoints as if nothing had happened."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.processes import heed_interrupts, names
from sklearn.ensemble import RandomForestClassifier

from polyroc._storage.npz import read_arrays
from polyroc.datasets import three_class_mixture
from polyroc.inference import study
from polyroc.surface import KnnModel, RocSurface, search
from polyroc.surface._checkpoint import checkpoint_of

SEARCH = """
import sys
from polyroc.datasets import three_class_mixture
from polyroc._storage import checkpoint
from polyroc.surface import KnnModel, search
checkpoint.SECONDS_BETWEEN_SAVES = 0
save = checkpoint.Checkpoint.save
def save_and_tell(self, identity, progress, arrays):
    save(self, identity, progress, arrays)
    print(progress["generation"], progress["evaluations"], flush=True)
checkpoint.Checkpoint.save = save_and_tell
X, y = three_class_mixture((30, 30, 30), rng=0)
search(KnnModel(X, y), generations=10**9, tolerance=0, rng=0, checkpoint=sys.argv[1])
"""


def kept_in(path: Path) -> tuple[int, int]:
    """Generation and evaluations of the search in a file."""
    progress = read_arrays(path, checkpoint_of(path).schema, "a search")[0]["progress"]
    return progress["generation"], progress["evaluations"]


def same(one: RocSurface, other: RocSurface) -> bool:
    """Bit for bit, history included."""
    arrays = ("rates", "costs", "parameters", "class_weights")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    return equal and json.dumps(one.provenance) == json.dumps(other.provenance)


@pytest.mark.slow
def test_ten_kills_of_a_search_lose_nothing(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("faults", 10)
    path, rng, saved = tmp_path / "search.npz", np.random.default_rng(0), (0, 0)
    for _ in range(10):
        process = subprocess.Popen(
            [sys.executable, "-c", SEARCH, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        first = tuple(map(int, process.stdout.readline().split()))
        assert first == saved or saved == (0, 0), "it goes on where it was"
        for _ in range(rng.integers(1, 15)):
            process.stdout.readline()
        time.sleep(rng.uniform(0, 0.02))
        os.kill(process.pid, signal.SIGKILL)
        told = [tuple(map(int, line.split())) for line in process.stdout.read().splitlines()]
        process.stdout.close()
        process.wait()
        saved = kept_in(path)
        assert saved >= max(told, default=first), "all that was saved is there"
        assert len(list(tmp_path.glob("*.polyroc-part"))) <= 2
    assert saved[0] >= 10
    X, y = three_class_mixture((30, 30, 30), rng=0)
    resumed = search(KnnModel(X, y), generations=saved[0] + 3, rng=0, checkpoint=path)
    assert same(resumed, search(KnnModel(X, y), generations=saved[0] + 3, rng=0))
    assert names(tmp_path) == ["search.npz", "search.npz.polyroc-previous"]


def test_the_generation_before_is_whole_too(tmp_path: Path) -> None:
    """It can take the place of a checkpoint that a broken disk has damaged."""
    path = tmp_path / "search.npz"
    X, y = three_class_mixture((10, 10, 10), rng=0)
    for generations in (2, 4):
        search(KnnModel(X, y), generations=generations, rng=0, checkpoint=path)
    path.with_name("search.npz.polyroc-previous").replace(path)
    assert kept_in(path)[0] < 4
    resumed = search(KnnModel(X, y), generations=5, rng=0, checkpoint=path)
    assert same(resumed, search(KnnModel(X, y), generations=5, rng=0))
    assert checkpoint_of(path).exists()


STUDY = """
import importlib, sys
from sklearn.ensemble import RandomForestClassifier
from polyroc.datasets import three_class_mixture
from polyroc.inference._study.study import study
importlib.import_module("polyroc._storage.checkpoint").SECONDS_BETWEEN_SAVES = 0.0
X, y = three_class_mixture(rng=0)
forest = {"forest": RandomForestClassifier(10)}
options = dict(n_splits=int(sys.argv[2]), rng=0, metrics=["hand_till"], n_jobs=2)
if __name__ == "__main__":
    try:
        result = study(forest, X, y, checkpoint=sys.argv[1], **options)
    except KeyboardInterrupt as stop:
        sys.exit(f"stopped with {len(stop.study.splits)} splits")
    print(result.values.tolist())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "whom"),
    [
        pytest.param(signal.SIGINT, os.killpg, id="Ctrl-C"),
        pytest.param(signal.SIGKILL, os.kill, id="killed, workers left behind"),
        pytest.param(
            signal.SIGKILL, os.killpg, id="killed with its workers", marks=pytest.mark.slow
        ),
    ],
)
def test_a_study_with_workers_goes_on(how: signal.Signals, whom: Any, tmp_path: Path) -> None:
    path, script = tmp_path / "study.npz", tmp_path / "program.py"
    script.write_text(STUDY)
    command = [sys.executable, str(script), str(path)]
    running = subprocess.Popen(
        [*command, "5000"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    whom(running.pid, how)
    running.wait(timeout=60)
    kept = len(np.load(path)["splits"])
    assert 0 < kept < 5000
    resumed = subprocess.run([*command, "8"], check=True, capture_output=True, text=True)
    assert running.stderr is not None
    with running.stderr as stream:
        message = stream.read() if how == signal.SIGINT else ""
    if how == signal.SIGINT:  # a worker that joblib is in between two tasks tells of it first
        *of_workers, own = message.splitlines()
        assert own.startswith("stopped with") and message.count("stopped with") == 1
        assert not of_workers or of_workers[0].startswith("Process LokyProcess-")
    data = three_class_mixture(rng=0)
    options: dict[str, Any] = {"n_splits": 8, "rng": 0, "metrics": ["hand_till"]}
    fresh = study({"forest": RandomForestClassifier(10)}, *data, **options)
    assert json.loads(resumed.stdout) == fresh.values.tolist()
    assert names(tmp_path) == ["program.py", "study.npz"]
