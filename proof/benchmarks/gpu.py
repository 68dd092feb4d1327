"""Metrics of tensors on a GPU: first equal to NumPy, then timed, beside the bare sort.

Needs torch, NumPy and this repository's ``src`` on the path, nothing else; torchmetrics is timed
where it is installed. Without a GPU the sizes shrink and the bars are not asked for.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from timing import report

from polyroc.scale import torch as on_device
from polyroc.scale._device_cases import memory_for
from polyroc.scale._device_pairs import credit_sums, grouped

REPEAT = 20
RANKED = ["hand_till", "au1p", "aunu", "aunp"]


def scores(n: int, n_classes: int, device: str, digits: int | None = None, seed: int = 0) -> tuple:
    generator = torch.Generator(device).manual_seed(0)
    y = torch.randint(n_classes, (n,), generator=generator, device=device)
    y[: 2 * n_classes] = torch.arange(n_classes, device=device).repeat(2)
    generator = torch.Generator(device).manual_seed(seed)
    raw = torch.randn((n, n_classes), generator=generator, device=device)
    raw[torch.arange(n, device=device), y] += 1
    p = raw.softmax(dim=1)
    if digits is None:
        return y, p
    decimals = p.double().cpu().numpy().round(digits)  # divided by a number, a GPU rounds twice
    return y, torch.tensor(decimals, dtype=torch.float32, device=device)


# Twins in NumPy: a case is placed among the cases of one class at a time


def placements(own: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of the others below each of the one, and of the one above each of the others."""
    one, two = np.sort(own), np.sort(other)
    below = np.searchsorted(two, own, "left") + np.searchsorted(two, own, "right")
    not_above = np.searchsorted(one, other, "left") + np.searchsorted(one, other, "right")
    return below / 2 / len(two), 1 - not_above / 2 / len(one)


def spread(parts: tuple[np.ndarray, np.ndarray]) -> float:
    """DeLong's variance of one pair of classes."""
    return sum(part.var(ddof=1) / len(part) for part in parts)


def pairs_by_numpy(y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """AUC(k|r) and its standard error."""
    n_classes = p.shape[1]
    value, error = np.full((2, n_classes, n_classes), np.nan)
    for k in range(n_classes):
        for r in range(n_classes):
            if k != r:
                parts = placements(p[y == k, k], p[y == r, k])
                value[k, r], error[k, r] = parts[0].mean(), spread(parts) ** 0.5
    return value, error


def influence_by_numpy(y: np.ndarray, p: np.ndarray, metric: str) -> tuple[float, np.ndarray]:
    """M or AUC_mu, and the influence values of the cases; decimals are subtracted as such."""
    n_classes, places = p.shape[1], 6 if (np.float32(np.round(p, 3)) == np.float32(p)).all() else 15
    value, moved = 0.0, np.zeros(len(y))
    for k in range(n_classes):
        for r in range(n_classes):
            if k != r:
                ranked = p[:, k] if metric == "hand_till" else np.round(p[:, k] - p[:, r], places)
                parts = placements(ranked[y == k], ranked[y == r])
                value += parts[0].mean() / (n_classes * (n_classes - 1))
                for c, part in zip((k, r), parts, strict=True):
                    moved[y == c] += (part - part.mean()) / (n_classes * (n_classes - 1))
    return value, moved


def error_by_numpy(y: np.ndarray, moved: np.ndarray) -> float:
    return sum(moved[y == k].var(ddof=1) / (y == k).sum() for k in np.unique(y)) ** 0.5


def check(device: str) -> None:
    """Both routes, ties, both precisions, errors and differences, in little memory and in much."""
    for n, n_classes, digits in ((9_000, 7, None), (9_000, 7, 2), (3_000, 60, 3), (2_000, 2, 1)):
        y, p = scores(n, n_classes, device, digits)
        codes = y.cpu().numpy()
        for given in (p, p.double()):
            value, error = pairs_by_numpy(codes, given.double().cpu().numpy())
            for memory in (None, 300 * n):
                found = on_device.evaluate_pairs(y, given, memory=memory)
                assert np.nanmax(np.abs(found.value.cpu().numpy() - value)) <= 1e-12
                assert np.nanmax(np.abs(found.standard_error.cpu().numpy() - error)) <= 1e-12
            cases = grouped(given, y)
            ways = [credit_sums(cases, "fair", 1 << 30, route) for route in ("search", "sort")]
            assert torch.equal(*ways)
            assert torch.equal(credit_sums(cases, "fair", 200 * n), ways[0])
        check_metrics(y, p.double(), scores(n, n_classes, device, digits, 1)[1].double())
    print(
        "ok   equal to NumPy within 1e-12: values and standard errors, with ties, also in batches"
    )


def check_metrics(y: torch.Tensor, p: torch.Tensor, q: torch.Tensor) -> None:
    codes, names = y.cpu().numpy(), ["hand_till", "auc_mu"]
    for memory in (None, 300 * len(codes)):
        found = on_device.compare(y, {"a": p, "b": q}, names, memory=memory)
        for name, difference in zip(names, found.differences, strict=True):
            by_model = [influence_by_numpy(codes, each.cpu().numpy(), name) for each in (p, q)]
            for model, (value, moved) in zip("ab", by_model, strict=True):
                assert abs(found[model][name].low - value) <= 1e-12
                expected = error_by_numpy(codes, moved)
                assert abs(found[model][name].standard_error / expected - 1) <= 1e-12
            expected = error_by_numpy(codes, by_model[0][1] - by_model[1][1])
            assert abs(difference.standard_error / expected - 1) <= 1e-12


# Times


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


def measure(n: int, n_classes: int, device: str, most_margins: float | None) -> bool:
    (y, p), q = scores(n, n_classes, device), scores(n, n_classes, device, seed=1)[1]
    took, name = partial(milliseconds, device=device), f"{n:,} × {n_classes} float32"
    columns = p.T.contiguous()
    bare = took(lambda: columns.sort(dim=1))
    print(f"     {name}: bare sort of the columns {bare:.2f} ms")
    whole = took(lambda: on_device.pairwise_auc(y, p))
    met = [bar(f"{name}: pairwise AUCs", whole, bare, 2, "the sort", device)]
    errors = took(lambda: on_device.evaluate_pairs(y, p))
    bar(f"{name}: the same with errors", errors, whole, None, "the values", device)
    for title, metrics in (("M … AUNP", RANKED), ("AUC_mu", ["auc_mu"]), ("defaults", None)):
        value = took(lambda asked=metrics: on_device.evaluate(y, p, asked, interval=None))
        most = most_margins if title == "AUC_mu" else None
        met.append(bar(f"{name}: {title}", value, None, most, "", device))
        errors = took(lambda asked=metrics: on_device.evaluate(y, p, asked))
        met.append(bar(f"{name}: {title}, errors", errors, value, 3, "the values", device))
        both = took(lambda asked=metrics: on_device.compare(y, {"a": p, "b": q}, asked))
        met.append(bar(f"{name}: {title}, compare", both, 2 * value, 3, "two values", device))
    rival(y, p, device)
    if device == "cuda":
        print(f"     {name}: peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
        torch.cuda.reset_peak_memory_stats()
    return all(met)


def bar(
    title: str, taken: float, against: float | None, most: float | None, what: str, device: str
) -> bool:
    """Print a time, alone or against another, and whether it is within its bar."""
    if against is not None and most is not None and device == "cuda":
        print(f"     {title}: {taken:.2f} ms")
    if most is None or device != "cuda":
        ratio = "" if against is None else f", {taken / against:.2f} × {what}"
        print(f"     {title}: {taken:.2f} ms{ratio}")
        return True
    if against is None:
        return report(title, taken, most, False, " ms")
    return report(f"{title}, against {what}", taken / against, most, False, "×")


def measure_routes(n: int, n_classes: int, device: str) -> None:
    y, p = scores(n, n_classes, device)
    cases, memory = grouped(p, y), memory_for(None, p)
    took, name = partial(milliseconds, device=device, repeat=5), f"{n:,} × {n_classes}"
    for route in ("search", "sort"):
        taken = took(lambda way=route: credit_sums(cases, "fair", memory, way))
        print(f"     {name}: counts by {route} {taken:.2f} ms")
    by_class = took(lambda: grouped(p, y))
    turned = took(lambda: cases.columns(list(range(n_classes))))
    print(f"     {name}: cases by class {by_class:.2f} ms, columns in that order {turned:.2f} ms")


def measure_crossing(n: int, device: str) -> None:
    """From how many positives on the sort is faster: what FEW_POSITIVES should be."""
    for n_classes in (20, 10, 5, 2):
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

    found = on_device.evaluate(y, p, "aunu", interval=None)["aunu"].low
    difference = abs(float(call()) - found)
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
    sizes = [(50_000, 1000, 25.0), (10**7, 10, None)]
    if chosen != "cuda":
        sizes = [(2_000, 100, None), (50_000, 10, None)]
    results = [measure(*size[:2], chosen, size[2]) for size in sizes]
    if chosen == "cuda":
        for size in sizes:
            measure_routes(*size[:2], chosen)
        measure_crossing(20_000_000, chosen)
        measure_gini(chosen)
    print(f"     all in {time.perf_counter() - began:.0f} s")
    sys.exit(not all(results))
