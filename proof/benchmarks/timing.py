"""Timing of rivals in turn, so that a slow moment of the machine hits all of them."""

import statistics
import time
from collections.abc import Callable, Mapping

import numpy as np


def seconds_of(call: Callable[[], object], calls: int = 1) -> float:
    """Wall-clock seconds of a call, the mean of so many where one is too short for the clock."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def seconds_in_turn(
    work: Mapping[str, Callable[[], object]],
    rounds: Mapping[str, int],
    calls: Mapping[str, int] | None = None,
) -> dict[str, list[float]]:
    """Seconds of each piece of work in its rounds; in a round all run, one after the other."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(max(rounds.values(), default=0)):
        for name, call in work.items():
            if turn < rounds[name]:
                seconds[name].append(seconds_of(call, calls[name] if calls else 1))
    return seconds


def median_seconds(work: dict[str, Callable[[], object]], repeat: int = 5) -> dict[str, float]:
    """Median wall-clock seconds of each piece of work, run in turn."""
    seconds = seconds_in_turn(work, dict.fromkeys(work, repeat))
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
