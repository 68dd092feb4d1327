"""evaluate_parquet on files of 10⁷ × 10 scores: time, memory, width, and the exact values inside.

``--rows`` sets the size, ``--exact`` also sorts out of core. Files go to a temporary folder, each
kind after the other is deleted.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from timing import probabilities, report

import polyroc

N_CLASSES = 10
CHUNK = 1 << 20
KINDS = ("normal", "float32", "confident", "tied", "skewed")

CHILD = r"""
import json, re, sys, time
from pathlib import Path
import numpy as np
from polyroc.scale import evaluate_parquet
path, exact, warm = sys.argv[1], sys.argv[2] == "1", sys.argv[3]
if warm:  # the compiled loops are loaded, the file is not
    evaluate_parquet(warm, target="y", classes=range(10), exact=exact)
start, used = time.perf_counter(), time.process_time()
result = evaluate_parquet(path, target="y", classes=range(10), exact=exact)
seconds, busy = time.perf_counter() - start, time.process_time() - used
status = Path("/proc/self/status").read_text()  # getrusage would count the parent's peak
peak = int(re.search("VmHWM: *\t* *([0-9]+) kB", status)[1]) / 1024
low, high = result.pairwise_low, result.pairwise_high
print(json.dumps([seconds, busy, peak, low.tolist(), high.tolist()]))
"""


def chunk(kind: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    shares = 0.5 ** np.arange(N_CLASSES) if kind == "skewed" else np.ones(N_CLASSES)
    y = rng.choice(N_CLASSES, n, p=shares / shares.sum()).astype(np.int64)
    raw = rng.standard_normal((n, N_CLASSES))
    raw[np.arange(n), y] += 1
    p = probabilities(raw * (4 if kind == "confident" else 1))
    p = np.round(p, 2) if kind == "tied" else p
    return y, p.astype(np.float32) if kind == "float32" else p


def write(path: Path, kind: str, n: int) -> None:
    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, n, CHUNK):
        y, p = chunk(kind, min(CHUNK, n - start), rng)
        table = pa.table({"y": y, **{str(k): p[:, k] for k in range(N_CLASSES)}})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def in_memory(path: Path) -> np.ndarray:
    table = pq.read_table(path)
    y, first = table["y"].to_numpy(), table["0"].to_numpy()
    p = np.empty((len(y), N_CLASSES), dtype=first.dtype, order="F")
    for k in range(N_CLASSES):
        p[:, k] = table[str(k)].to_numpy()
    return polyroc.pairwise_auc(y, p)


def child(
    path: Path, exact: bool, warm: Path
) -> tuple[float, float, float, np.ndarray, np.ndarray]:
    arguments = [sys.executable, "-c", CHILD, str(path), str(int(exact)), str(warm)]
    printed = subprocess.check_output(arguments, text=True)
    seconds, busy, peak, low, high = json.loads(printed)
    return seconds, busy, peak, np.array(low, dtype=float), np.array(high, dtype=float)


def measure(kind: str, n: int, exact: bool, compare: bool, folder: Path) -> bool:
    path, warm = folder / f"{kind}.parquet", folder / "warm.parquet"
    write(path, kind, n)
    write(warm, kind, 10**6)
    pairs = ~np.eye(N_CLASSES, dtype=bool)
    truth = in_memory(path) if compare else None
    seconds, busy, peak, low, high = child(path, False, warm)
    name, bar = f"{kind} {n:,} × {N_CLASSES}", 2 * n / 10**7
    print(f"     {name}: {busy:.2f} s of processor time, load {os.getloadavg()[0]:.1f}")
    met = report(f"{name}, streaming", seconds, max(2, bar), False, " s")
    met &= report(f"{name}, peak", peak, 700, False, " MB")
    met &= report(f"{name}, width", float((high - low)[pairs].max()), 5e-4, False, "")
    if truth is not None:
        assert (low[pairs] <= truth[pairs]).all() and (truth[pairs] <= high[pairs]).all()
    if exact:
        seconds, busy, peak, low, high = child(path, True, warm)
        print(f"     {name}: exact in {seconds:.1f} s, {busy:.1f} s of processor time")
        met &= report(f"{name}, exact, peak", peak, 1000, False, " MB")
        assert (low[pairs] == high[pairs]).all()
        if truth is not None:
            error = float(np.abs(low - truth)[pairs].max())
            met &= report(f"{name}, exact, error", error, 1e-15, False, "")
    path.unlink()
    return met


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--no-compare", action="store_true", help="leave out the values in memory")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        results = [
            measure(kind, options.rows, options.exact, not options.no_compare, Path(name))
            for kind in options.kinds
        ]
    sys.exit(not all(results))
