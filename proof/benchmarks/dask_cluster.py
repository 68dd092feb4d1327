"""What Dask adds to evaluate_parquet: two worker processes against two threads of one process.

``--rows`` sets the size (10⁷ × 10 by default; 10⁶ takes seconds), ``--exact`` sorts out of core as
well. The bounds must be equal to the bit before anything is timed.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import dask.dataframe as dd
from distributed import Client, LocalCluster
from streaming import N_CLASSES, write
from timing import median_seconds, report

from polyroc.scale import CertifiedEvaluation, evaluate_dask, evaluate_parquet

MOST_SECONDS_ADDED = 4


def same(one: CertifiedEvaluation, other: CertifiedEvaluation) -> bool:
    bounds = ("pairwise_low", "pairwise_high")
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in bounds)


def measure(path: Path, client: Client, n_rows: int, repeat: int, exact: bool) -> bool:
    options = {"target": "y", "classes": range(N_CLASSES), "exact": exact}

    def threads() -> CertifiedEvaluation:
        return evaluate_parquet(path, n_threads=2, **options)

    def cluster() -> CertifiedEvaluation:
        return evaluate_parquet(path, client=client, **options)

    def frame() -> CertifiedEvaluation:
        ddf = dd.read_parquet(path, split_row_groups="adaptive", blocksize="100 MB")
        return evaluate_dask(ddf, client=client, **options)

    start = time.perf_counter()
    expected = threads()
    between = time.perf_counter()
    assert same(cluster(), expected)
    first = (between - start, time.perf_counter() - between)
    print(f"     first run, with all imports: threads {first[0]:.2f} s, workers {first[1]:.2f} s")
    assert same(frame(), expected)
    seconds = median_seconds({"threads": threads, "files": cluster, "frame": frame}, repeat)
    shown = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
    name = f"{n_rows:,} × {N_CLASSES}{', exact' if exact else ''}"
    print(f"     {name}: {shown}; load {os.getloadavg()[0]:.1f}")
    added = seconds["files"] - seconds["threads"]
    return report(f"{name}: seconds that Dask adds", added, MOST_SECONDS_ADDED, False, " s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--exact", action="store_true")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, processes=True, threads_per_worker=1) as local,
        Client(local) as connected,
    ):
        file = Path(folder) / "scores.parquet"
        write(file, "normal", arguments.rows)
        modes = [False, True] if arguments.exact else [False]
        results = [
            measure(file, connected, arguments.rows, 1 if mode else arguments.repeat, mode)
            for mode in modes
        ]
    sys.exit(not all(results))
