"""Samples of a cell, the true values of metrics there, and their limits in each sample."""

import zlib
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from cells import Cell
from scipy.optimize import brentq

import polyroc.inference._estimates as estimates
from polyroc import Predictions, hand_till, registry
from polyroc.inference._estimates import Draw, estimate_metrics
from polyroc.inference._influence import CaseDesign
from polyroc.metrics.measure import CaseStatistics
from polyroc.statistics.tuples import Tuples

SAMPLES, FEW_SAMPLES = 2000, 300
FEW = {"saec", "gini"}
GROUPS = ("quick", "volumes", "few")
MOST_CLASSES_OF_VOLUMES = 6
LARGE, LARGE_UNION, TUPLES = 100_000, 30_000, 200_000
PERFECT = 12.0


class Sample(NamedTuple):
    """Labels, probabilities and patients."""

    y: np.ndarray
    p: np.ndarray
    groups: np.ndarray | None


def draw(rng: np.random.Generator, cell: Cell, signal: float, times: int = 1) -> Sample:
    """A sample of the cell, or one that is so many times as large."""
    sizes = np.array(cell.sizes) * times
    y = np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=(len(y), len(sizes)))
    groups = None
    if cell.patients:
        groups = np.concatenate([np.arange(n) % (cell.patients * times) for n in sizes])
        x = (x + rng.normal(size=(cell.patients * times, len(sizes)))[groups]) / np.sqrt(2)
    x[np.arange(len(y)), y] += signal
    raw = signal * x
    p = np.exp(raw - raw.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    if cell.levels:
        p = np.round(p * (cell.levels - 1)) / (cell.levels - 1) + 0.01
        p /= p.sum(axis=1, keepdims=True)
    return Sample(y, p, groups)


def sample_of(cell: Cell, signal: float, seed: int) -> Sample:
    """Sample number ``seed`` of the cell."""
    return draw(np.random.default_rng([seed, zlib.crc32(cell.name.encode())]), cell, signal)


def many(cell: Cell, n: int) -> int:
    """How many times as large as the cell's a sample of about n cases is."""
    return max(1, n // sum(cell.sizes))


@cache
def signal_of(cell: Cell) -> float:
    """The signal that gives M its target."""
    if cell.target == 1:
        return PERFECT

    def gap(signal: float) -> float:
        y, p, _ = draw(np.random.default_rng(1), cell, signal, many(cell, LARGE // 2))
        return hand_till(y, p) - cell.target

    return float(brentq(gap, 0.02, 12, xtol=1e-4))


def metrics_of(cell: Cell, group: str) -> list[str]:
    """Metrics of a group that are defined for the cell and are not functions of others there."""
    n_classes = len(cell.sizes)
    names = [
        name
        for name, metric in registry.items()
        if n_classes in metric.classes
        and not any(each.n_classes == n_classes for each in metric.repeats)
    ]
    volumes = [name for name in names if registry[name].statistic is Tuples]
    if group == "few":
        return [name for name in names if name in FEW]
    if group == "volumes":
        return volumes if n_classes <= MOST_CLASSES_OF_VOLUMES else []
    return [name for name in names if name not in FEW and name not in volumes]


def most_samples(cell: Cell, group: str) -> int:
    """Samples that the cell is to have."""
    few = group == "few" or (group == "volumes" and len(cell.sizes) > 3)
    return FEW_SAMPLES if few else SAMPLES


def truths(cell: Cell, signal: float, names: list[str]) -> list[float]:
    """The value on very many cases; of volumes, on very many tuples; of unions, on many cases."""

    def cases(n: int) -> Predictions:
        y, p, _ = draw(np.random.default_rng(2), cell, signal, many(cell, n))
        return Predictions(y, p)

    large = cases(LARGE)
    tuples = {"n_tuples": TUPLES, "rng": 1}
    found = []
    for name in names:
        at = cases(LARGE_UNION) if name == "gini" and len(cell.sizes) > 2 else large
        options = tuples if registry[name].statistic is Tuples else {}
        found.append(registry[name].of(at, **options))
    return found


def without_notes() -> None:
    """Notes cost more than intervals, and are not looked at here."""
    estimates.notes_on = lambda *_, **__: ()


def limits(cell: Cell, signal: float, names: list[str], seeds: range) -> Iterator[list]:
    """Value, low and high of each metric in each sample, by what ``evaluate`` consists of."""
    metrics = [registry[name] for name in names]
    for seed in seeds:
        y, p, groups = sample_of(cell, signal, seed)
        predictions = Predictions.borrowed(y, p, n_threads=1)
        design = CaseDesign.of(groups, predictions)
        tuples = Draw(5000, seed) if len(cell.sizes) > 3 else None
        found = estimate_metrics(CaseStatistics(predictions), metrics, design, None, True, tuples)
        yield [(each.value, *each.interval()[:2]) for each in found]
