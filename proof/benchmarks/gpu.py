"""Pairwise AUCs of tensors on a GPU: first equal to NumPy, then timed, beside the bare sort.

Needs torch, NumPy and this repository's ``src`` on the path, nothing else; torchmetrics is timed
where it is installed. Without a GPU the sizes shrink and the bars are not asked for.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import torch
from timing import report

from polyroc.scale import torch as on_device
from polyroc.scale._device_pairs import credit_sums, grouped

REPEAT = 10


def scores(n: int, n_classes: int, device: str, digits: int | None = None) -> tuple:
    generator = torch.Generator(device).manual_seed(0)
    y = torch.randint(n_classes, (n,), generator=generator, device=device)
    y[:n_classes] = torch.arange(n_classes, device=device)
    raw = torch.randn((n, n_classes), generator=generator, device=device)
    raw[torch.arange(n, device=device), y] += 1
    p = raw.softmax(dim=1)
    return y, p if digits is None else (p * 10**digits).round() / 10**digits


def by_numpy(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """AUC(k|r) from the ranks of each case among the positives, column by column."""
    n_classes = p.shape[1]
    counts = np.bincount(y, minlength=n_classes)
    auc = np.empty((n_classes, n_classes))
    for k in range(n_classes):
        positives = np.sort(p[y == k, k])
        not_above = np.searchsorted(positives, p[:, k], "right")
        below = np.searchsorted(positives, p[:, k], "left")
        credit = counts[k] - (not_above + below) / 2
        auc[k] = np.bincount(y, credit, n_classes) / (counts[k] * counts)
    np.fill_diagonal(auc, np.nan)
    return auc


def check(device: str) -> None:
    """Both routes, ties and both precisions against NumPy; AUC_mu against one search per pair."""
    for n, n_classes, digits in ((20_000, 7, None), (20_000, 7, 2), (5_000, 60, 3), (3_000, 2, 1)):
        y, p = scores(n, n_classes, device, digits)
        for given in (p, p.double()):
            expected = by_numpy(y.cpu().numpy(), given.double().cpu().numpy())
            found = on_device.pairwise_auc(y, given).cpu().numpy()
            assert np.nanmax(np.abs(found - expected)) <= 1e-12
            cases = grouped(given, y)
            ways = [credit_sums(cases, "fair", 1 << 30, route) for route in ("search", "sort")]
            assert torch.equal(*ways)
            few = credit_sums(cases, "fair", 200 * n, None)
            assert torch.equal(few, ways[0])
        result = on_device.evaluate(y, p, ["hand_till", "aunu", "auc_mu"])
        assert abs(result["hand_till"].low - np.nanmean(expected)) <= 1e-12
        assert abs(result["auc_mu"].low - auc_mu(y.cpu().numpy(), p.double().cpu().numpy())) < 1e-12
    print("ok   equal to NumPy within 1e-12: both routes, with ties, float32 and float64, AUC_mu")


def auc_mu(y: np.ndarray, p: np.ndarray) -> float:
    values = []
    for i in range(p.shape[1]):
        for j in range(i):
            own, other = (p[y == k, i] - p[y == k, j] for k in (i, j))
            own.sort()
            ranks = np.searchsorted(own, other, "left") + np.searchsorted(own, other, "right")
            values.append(1 - ranks.mean() / 2 / len(own))
    return float(np.mean(values))


def milliseconds(work: Callable[[], object], device: str, repeat: int = REPEAT) -> float:
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    times = []
    for _ in range(repeat + 2):  # the first two warm up
        wait()
        start = time.perf_counter()
        work()
        wait()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times[2:])


def measure(n: int, n_classes: int, device: str, bar: float | None) -> bool:
    y, p = scores(n, n_classes, device)
    columns, cases = p.T.contiguous(), grouped(p, y)
    memory = on_device._memory(None, p)
    name = f"{n:,} × {n_classes} float32"
    bare = milliseconds(lambda: columns.sort(dim=1), device)
    print(f"     {name}: bare sort of the columns {bare:.2f} ms")
    for route in ("search", "sort"):
        taken = milliseconds(lambda way=route: credit_sums(cases, "fair", memory, way), device, 5)
        print(f"     {name}: counts by {route} {taken:.2f} ms")
    by_class = milliseconds(lambda: grouped(p, y), device, 5)
    turned = milliseconds(lambda: cases.columns(list(range(n_classes))), device, 5)
    print(f"     {name}: cases by class {by_class:.2f} ms, columns in that order {turned:.2f} ms")
    whole = milliseconds(lambda: on_device.pairwise_auc(y, p), device)
    margins = milliseconds(lambda: on_device.evaluate(y, p, "auc_mu"), device, 3)
    print(f"     {name}: with AUC_mu {margins:.2f} ms")
    rival(y, p, device)
    if device == "cuda":
        print(f"     {name}: peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
        torch.cuda.reset_peak_memory_stats()
    if bar is None:
        print(f"     {name}: pairwise AUCs {whole:.2f} ms, {whole / bare:.2f} × the sort")
        return True
    met = report(f"{name}: pairwise AUCs", whole, bar, False, " ms")
    return report(f"{name}: against the bare sort", whole / bare, 3, False, "×") and met


def measure_crossing(n: int, device: str) -> None:
    """From how many positives on the sort is faster: what FEW_POSITIVES should be."""
    for n_classes in (100, 50, 20, 10, 5):
        cases = grouped(*reversed(scores(n, n_classes, device)))
        search, sort = (
            milliseconds(lambda way=way, of=cases: credit_sums(of, "fair", 1 << 36, way), device, 3)
            for way in ("search", "sort")
        )
        print(f"     {n // n_classes:,} positives: search {search:.2f} ms, sort {sort:.2f} ms")


def rival(y: torch.Tensor, p: torch.Tensor, device: str) -> None:
    """torchmetrics' one-vs-rest AUROC, which must equal AUNU before it is timed."""
    try:
        from torchmetrics.functional.classification import multiclass_auroc
    except ImportError:
        return

    def call() -> torch.Tensor:
        return multiclass_auroc(p, y, p.shape[1], average="macro", validate_args=False)

    difference = abs(float(call()) - on_device.evaluate(y, p, "aunu")["aunu"].low)
    taken = milliseconds(call, device, 3)
    print(f"     torchmetrics one-vs-rest: {taken:.1f} ms, AUNU differs by {difference:.1e}")


def measure_gini(device: str) -> None:
    generator = torch.Generator(device).manual_seed(0)
    rates = torch.rand((4000, 6), generator=generator, device=device) * 0.6
    taken = milliseconds(lambda: on_device.gini(rates, 3, rng=0), device, 3)
    print(f"     G of 4,000 points by 10⁶ samples: {taken:.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    chosen = parser.parse_args().device
    print(
        f"torch {torch.__version__}, {torch.cuda.get_device_name() if chosen == 'cuda' else 'CPU'}"
    )
    began = time.perf_counter()
    check(chosen)
    sizes = [(50_000, 1000, 40.0), (10**7, 10, 25.0)]
    if chosen != "cuda":
        sizes = [(2_000, 100, None), (50_000, 10, None)]
    results = [measure(*size[:2], chosen, size[2]) for size in sizes]
    if chosen == "cuda":
        measure_crossing(2_000_000, chosen)
        measure_gini(chosen)
    print(f"     all in {time.perf_counter() - began:.0f} s")
    sys.exit(not all(results))
