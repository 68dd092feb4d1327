"""Timing of rivals in turn, so that a slow moment of the machine hits all of them."""

import statistics
import time
from collections.abc import Callable

import numpy as np


def median_seconds(work: dict[str, Callable[[], object]], repeat: int = 5) -> dict[str, float]:
    """Median wall-clock seconds of each piece of work, run in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeat):
        for name, call in work.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def softmax_scores(n: int, n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels and raw scores of a classifier with a moderate signal."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    raw = rng.normal(size=(n, n_classes))
    raw[np.arange(n), y] += 1
    return y, raw


def probabilities(raw: np.ndarray) -> np.ndarray:
    """Softmax of raw scores."""
    p = np.exp(raw - raw.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def report(work: str, reached: float, bar: float, at_least: bool = True, unit: str = "×") -> bool:
    """Print a line for a bar; True if it is met."""
    met = reached >= bar if at_least else reached <= bar
    sign = "≥" if at_least else "≤"
    print(f"{'ok  ' if met else 'MISS'} {work}: {reached:.3g}{unit} (bar {sign} {bar:g}{unit})")
    return met
