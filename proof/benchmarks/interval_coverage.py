"""Coverage of 95 % intervals in simulation: how often they hold the true value.

Features of class k are Gaussian around s · e_k, and scores are the true posterior probabilities,
with the signal s tuned to a value of M. Class sizes are fixed. The truth of a metric is its value
on 10⁶ cases; for tuple metrics, which are unbiased but expensive, it is the mean over all samples.
With four classes these are estimated from random tuples.

A cell outside 92.5–97 % is marked with *; an interval that does not exist counts as a miss.

The file is not called coverage.py: numba imports a module of that name where it finds one.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import brentq

from polyroc import Bootstrap, Predictions, evaluate, hand_till, registry
from polyroc.statistics.tuples import Tuples

LOW, HIGH = 92.5, 97.0
CONFIGURATIONS = {
    "3 balanced": (100, 100, 100),
    "3 80/15/5": (240, 45, 15),
    "4 balanced": (75, 75, 75, 75),
    "4 70/15/10/5": (210, 45, 30, 15),
}
ADVICE = """
Rank metrics fall short where a class of 15 cases meets M ≥ .97: most samples hold no misplaced case
of it, their values lie near 1 and their standard errors are too small, so nearly all misses are
intervals above the truth. There is no bias, the root mean square of the standard errors is right,
and BCa does no better. Ask for interval(0.99) there: it holds the truth in 94–98 % of samples.
Metrics of the probabilities themselves (M_p, M_s, TL, AOT, wVUS) keep their level."""
LARGE = 1_000_000
N_TUPLES = 20_000
CHUNK = 20


@dataclass(frozen=True)
class Interval:
    """Which interval is tried."""

    scale: str = "logit"
    n_replicates: int = 0

    def options(self, seed: int) -> dict:
        if not self.n_replicates:
            return {"interval": "influence"}
        return {"interval": Bootstrap(self.n_replicates, seed)}


@dataclass(frozen=True)
class Cell:
    """One configuration with one signal."""

    sizes: tuple[int, ...]
    target: float
    signal: float
    metrics: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        return len(self.sizes)


def draw(rng: np.random.Generator, sizes: Sequence[int], signal: float) -> tuple:
    """Labels and posterior probabilities for fixed class sizes."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=(len(y), len(sizes)))
    x[np.arange(len(y)), y] += signal
    raw = signal * x + np.log(np.asarray(sizes) / np.sum(sizes))
    p = np.exp(raw - raw.max(axis=1, keepdims=True))
    return y, p / p.sum(axis=1, keepdims=True)


def many(sizes: Sequence[int], n: int) -> list[int]:
    """Sizes in the same proportions, about n cases in all."""
    return [size * n // sum(sizes) for size in sizes]


def tuned_signal(sizes: Sequence[int], target: float) -> float:
    """The signal that gives M its target."""

    def gap(signal: float) -> float:
        return hand_till(*draw(np.random.default_rng(1), many(sizes, 100_000), signal)) - target

    return float(brentq(gap, 0.05, 12, xtol=1e-4))


def metrics_for(n_classes: int, names: Sequence[str] | None) -> tuple[str, ...]:
    """Metrics that exist for K classes."""
    chosen = registry.named(names or "all")
    return tuple(metric.name for metric in chosen if n_classes in metric.classes)


def truths(cell: Cell, values: np.ndarray) -> np.ndarray:
    """The value on very many cases; the mean over the samples for tuple metrics."""
    predictions = Predictions(*draw(np.random.default_rng(2), many(cell.sizes, LARGE), cell.signal))
    found = values.mean(axis=0)
    for column, name in enumerate(cell.metrics):
        if registry[name].statistic is not Tuples:
            found[column] = registry[name].of(predictions)
    return found


def one_chunk(cell: Cell, interval: Interval, start: int) -> list[np.ndarray]:
    """Value, standard error, low and high of each metric in a run of samples."""
    rows = []
    for seed in range(start, start + CHUNK):
        y, p = draw(np.random.default_rng([seed, int(cell.target * 1000)]), cell.sizes, cell.signal)
        tuples = {"n_tuples": N_TUPLES, "rng": seed} if cell.n_classes > 3 else {}
        options = interval.options(seed) | tuples
        found = evaluate(Predictions(y, p, n_threads=1), metrics=cell.metrics, **options)
        limits = [each.interval(0.95, scale=interval.scale)[:2] for each in found.values()]
        errors = [(each.value, each.standard_error) for each in found.values()]
        rows.append(np.hstack([errors, limits]))
    return rows


def simulate(cell: Cell, interval: Interval, n_samples: int, pool: ProcessPoolExecutor):
    """Samples × metrics × (value, standard error, low, high), with a progress line."""
    starts = range(0, n_samples, CHUNK)
    rows: list[np.ndarray] = []
    for found in pool.map(partial(one_chunk, cell, interval), starts):
        rows += found
        if sys.stderr.isatty():
            print(f"\r{cell.sizes} M {cell.target}: {len(rows)} samples", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return np.array(rows)


@dataclass(frozen=True)
class Coverage:
    """What became of the intervals of one metric in one cell."""

    covered: float
    below: float
    """Share of intervals that lie below the truth, in percent."""
    above: float
    truth: float
    bias: float
    """Mean value less the truth, in standard deviations of the values."""
    error_ratio: float
    """Root mean square of the standard errors over the standard deviation of the values."""

    @property
    def outside(self) -> bool:
        return not LOW <= self.covered <= HIGH


def coverage(rows: np.ndarray, truth: float) -> Coverage:
    """Shares of intervals (value, standard error, low, high) that hold or miss the truth."""
    value, error, low, high = rows.T
    spread = value.std(ddof=1)
    return Coverage(
        covered=100 * float(np.mean((low <= truth) & (truth <= high))),
        below=100 * float(np.mean(high < truth)),
        above=100 * float(np.mean(low > truth)),
        truth=truth,
        bias=float((value.mean() - truth) / spread),
        error_ratio=float(np.sqrt(np.nanmean(error**2)) / spread),
    )


def cells(options: argparse.Namespace) -> Iterator[tuple[str, Cell]]:
    for name in options.configurations:
        sizes = CONFIGURATIONS[name]
        for target in options.signals:
            signal = tuned_signal(sizes, target)
            chosen = metrics_for(len(sizes), options.metrics)
            yield f"{name} M {target}", Cell(sizes, target, signal, chosen)


def run(options: argparse.Namespace) -> dict[str, dict[str, Coverage]]:
    """Coverage by cell and metric."""
    interval = Interval(options.scale, options.replicates)
    found = {}
    with ProcessPoolExecutor(options.processes) as pool:
        for title, cell in cells(options):
            n_samples = options.samples if cell.target <= 0.8 else options.strong_samples
            rows = simulate(cell, interval, n_samples, pool)
            true = truths(cell, rows[:, :, 0])
            found[title] = {
                name: coverage(rows[:, column], float(true[column]))
                for column, name in enumerate(cell.metrics)
            }
            if options.details:
                show_details(title, found[title])
    return found


def show_details(title: str, found: dict[str, Coverage]) -> None:
    print(f"\n{title}")
    print(f"{'metric':24}   truth  covered  too low  too high  bias/SD  SE/SD")
    for name, cell in found.items():
        mark = "*" if cell.outside else " "
        print(
            f"{name:24}  {cell.truth:.4f}   {cell.covered:5.1f}{mark}   {cell.below:5.1f}    "
            f"{cell.above:5.1f}    {cell.bias:+.3f}  {cell.error_ratio:.3f}"
        )


def show_table(found: dict[str, dict[str, Coverage]]) -> None:
    """Rows metrics, columns configurations and signals."""
    titles = list(found)
    names = list(dict.fromkeys(name for column in found.values() for name in column))
    print("\nCoverage of 95 % intervals in percent; * is outside 92.5–97\n")
    for number, title in enumerate(titles, start=1):
        print(f"  ({number}) K = {title}")
    print(f"\n{'':24}" + "".join(f"{f'({number})':>8}" for number in range(1, len(titles) + 1)))
    for name in names:
        shown = [_shown(found[title].get(name)) for title in titles]
        print(f"{name:24}" + "".join(f"{cell:>8}" for cell in shown))
    print("\n– : the metric is not defined for so many classes")
    print(ADVICE)


def _shown(cell: Coverage | None) -> str:
    return "–" if cell is None else f"{cell.covered:.1f}" + ("*" if cell.outside else " ")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="samples for M up to .8")
    parser.add_argument("--strong-samples", type=int, default=500, help="samples for larger M")
    parser.add_argument("--signals", type=float, nargs="+", default=[0.8, 0.9, 0.97, 0.99])
    parser.add_argument("--configurations", nargs="+", default=list(CONFIGURATIONS))
    parser.add_argument("--metrics", nargs="+", help="all by default")
    parser.add_argument("--scale", default="logit", help="logit, plain, percentile or bca")
    parser.add_argument("--replicates", type=int, default=0, help="of a bootstrap; 0: influence")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--details", action="store_true", help="bias, errors and both tails")
    return parser.parse_args()


if __name__ == "__main__":
    options = parsed()
    table = run(options)
    show_table(table)
    missed = [
        f"{name} at {title}"
        for title, column in table.items()
        for name, cell in column.items()
        if cell.outside and title.endswith("M 0.8")
    ]
    print("\nOutside at M .8: " + (", ".join(missed) if missed else "none"))
    sys.exit(bool(missed))
