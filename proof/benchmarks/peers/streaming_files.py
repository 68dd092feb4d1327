"""Metrics of a Parquet file read in pieces: time and memory."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from peers.contest import Contest, Rival
from peers.fresh_process import peak_of
from peers.peak_memory import memory_rows
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work

NAME, N_CLASSES, BATCH, THRESHOLDS = "streaming", 10, 100_000, 200
KIND = "normal"
Bounds = list[float]

WHOLE = "scikit-learn does not stream: the file is read whole."
BINNED = (
    f"torchmetrics' binned mode (`thresholds={THRESHOLDS}`) counts at fixed thresholds, batch "
    "after batch, and joins them by straight lines: a value without a bound on its error. "
    "polyroc's bounds hold the exact value for certain. The difference is that of its value from "
    "the middle of the bounds."
)


def ours(path: str) -> Callable[[], Bounds]:
    from polyroc.scale import evaluate_parquet

    def call() -> Bounds:
        result = evaluate_parquet(path, target="y", classes=range(N_CLASSES), metrics=["aunu"])
        return [result["aunu"].low, result["aunu"].high]

    return call


def scikit_learn(path: str) -> Callable[[], float]:
    import pyarrow.parquet as pq
    from sklearn.metrics import roc_auc_score

    def call() -> float:
        table = pq.read_table(path)
        p = np.column_stack([table[str(k)] for k in range(N_CLASSES)])
        return float(roc_auc_score(table["y"].to_numpy(), p, multi_class="ovr"))

    return call


def torchmetrics(path: str) -> Callable[[], float]:
    import pyarrow.parquet as pq
    import torch
    from torchmetrics.classification import MulticlassAUROC

    def call() -> float:
        metric = MulticlassAUROC(num_classes=N_CLASSES, thresholds=THRESHOLDS)
        for batch in pq.ParquetFile(path).iter_batches(BATCH):
            p = np.column_stack([batch[str(k)] for k in range(N_CLASSES)])
            metric.update(torch.from_numpy(p), torch.from_numpy(np.array(batch["y"])))
        return float(metric.compute())

    return call


def outside(bounds: Bounds, value: float) -> float:
    """How far a value lies outside the bounds.

    >>> outside([0.25, 0.5], 0.75)
    0.25
    """
    low, high = bounds
    return max(low - value, value - high, 0.0)


def from_the_middle(bounds: Bounds, value: float) -> float:
    return abs(sum(bounds) / 2 - value)


def width(bounds: Bounds, _: float) -> dict[str, float]:
    return {"width of the bounds": bounds[1] - bounds[0]}


RIVALS = [
    Rival("scikit-learn", "ovr, file read whole", scikit_learn, 1e-12, WHOLE, outside, width),
    Rival("torchmetrics", "binned", torchmetrics, 0.01, BINNED, from_the_middle, width),
]


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(5_000,), quick=(2_000, 5_000), full=(10**5, 10**6, 10**7))
    contest = Contest(NAME, "aunu", ours, RIVALS, settings)
    with tempfile.TemporaryDirectory() as folder:
        small = written(Path(folder, "small.parquet"), 1_000)
        for n in sizes:
            path = written(Path(folder, "scores.parquet"), n)
            place = {"n": n, "K": N_CLASSES}
            yield from contest.at(n, place, path)
            if n >= settings.choose(tiny=10**9, quick=5_000, full=0):
                peak = partial(peak_of, "streaming_files", "prepared", path, small)
                out_of_reach = partial(contest.absence, size=n)
                yield from memory_rows(NAME, "aunu", place, RIVALS, peak, out_of_reach)


def written(path: Path, n: int) -> str:
    from streaming import write

    write(path, KIND, n)
    return str(path)


def prepared(path: str, small: str, rival: str) -> Callable[[], Bounds | float]:
    """The call of a rival, or of polyroc, in a process that has warmed up on a small file."""
    prepare = next((each.prepare for each in RIVALS if each.name == rival), ours)
    prepare(small)()
    return prepare(path)


WORK = Work(
    name=NAME,
    title="Streaming",
    axis="n",
    axis_title="rows n",
    peers=("scikit-learn", "torchmetrics"),
    about=(
        f"One metric of a Parquet file of n rows and {N_CLASSES} classes, from the file to the "
        "number. Memory is the peak beyond what the process had before it opened the file."
    ),
    measure=measure,
)
