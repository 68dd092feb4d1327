"""p-values of ``compare`` under the null, and how its power grows with the number of cases.

Null: two models see the same cases through noise of the same size, so neither is better. Their
p-values should be uniform (Kolmogorov–Smirnov) and 5 % of them below .05. Power: the second model
sees more noise, and the share of p-values below .05 should grow with n.

Required of balanced classes. With a class of 15 cases normal p-values are only nearly uniform: over
8,000 simulations distributions were .010 to .017 apart at most (balanced: .007 to .012), and 4.2 to
5.6 % of p-values below .05. That is printed, not required.
"""

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import kstest

from polyroc import Predictions, compare

METRICS = (
    "hand_till",
    "au1p",
    "aunu",
    "aunp",
    "auc_mu",
    "hand_till_probabilistic",
    "hand_till_scored",
    "pdi",
    "triangle_area",
    "total_length",
    "vus",
    "vus2",
    "wvus",
    "wvus2",
    "hum",
)
SHARES = {"balanced": (1, 1, 1), "80/15/5": (16, 3, 1)}
SIGNAL = 1.6
CHUNK = 20


@dataclass(frozen=True)
class Setting:
    """Class sizes, and the noise of each of the two models."""

    sizes: tuple[int, ...]
    noise: tuple[float, float]
    metrics: tuple[str, ...]


def sizes_of(n: int, shares: Iterable[int]) -> tuple[int, ...]:
    shares = tuple(shares)
    return tuple(n * share // sum(shares) for share in shares)


def seen_by(rng: np.random.Generator, features: np.ndarray, noise: float) -> np.ndarray:
    """Probabilities of a model that sees the features through noise."""
    raw = SIGNAL * (features + noise * rng.normal(size=features.shape))
    p = np.exp(raw - raw.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def p_values(setting: Setting, start: int) -> list[list[float]]:
    """p-values of each metric in a run of simulations."""
    rows = []
    for seed in range(start, start + CHUNK):
        rng = np.random.default_rng([seed, sum(setting.sizes)])
        y = np.repeat(np.arange(len(setting.sizes)), setting.sizes)
        features = rng.normal(size=(len(y), len(setting.sizes)))
        features[np.arange(len(y)), y] += SIGNAL
        models = {f"model {m}": seen_by(rng, features, s) for m, s in enumerate(setting.noise)}
        cases = {name: Predictions(y, p, n_threads=1) for name, p in models.items()}
        found = compare(cases, metrics=setting.metrics)
        rows.append([each.p_value for each in found.differences])
    return rows


def simulate(setting: Setting, n_samples: int, pool: ProcessPoolExecutor) -> np.ndarray:
    """Simulations × metrics, with a progress line."""
    rows: list[list[float]] = []
    for found in pool.map(partial(p_values, setting), range(0, n_samples, CHUNK)):
        rows += found
        if sys.stderr.isatty():
            print(f"\r{setting.sizes}: {len(rows)} simulations", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return np.array(rows)


def null(n_samples: int, pool: ProcessPoolExecutor) -> bool:
    """Print a line per metric; True if all p-values of balanced classes are uniform."""
    met = True
    for title, shares in SHARES.items():
        required = title == "balanced"
        setting = Setting(sizes_of(300, shares), (0.5, 0.5), METRICS)
        found = simulate(setting, n_samples, pool)
        print(f"\nNo difference, n = 300, {title}: {n_samples} simulations")
        print(f"      {'metric':24} KS p-value  rejected at 5 %  at 1 %")
        for name, p in zip(METRICS, found.T, strict=True):
            uniform = kstest(p, "uniform").pvalue
            met &= uniform > 0.01 or not required
            mark = "ok  " if uniform > 0.01 else "MISS" if required else "low "
            print(
                f"{mark}  {name:24} {uniform:9.3f}  "
                f"{np.mean(p < 0.05):14.1%}  {np.mean(p < 0.01):7.1%}"
            )
    return bool(met)


def power(n_samples: int, pool: ProcessPoolExecutor) -> bool:
    """Print the share of rejections by n; True if it grows for every metric."""
    numbers = (100, 200, 400, 800)
    chosen = tuple(name for name in METRICS if "vus" not in name and name != "hum")
    settings = [Setting(sizes_of(n, SHARES["balanced"]), (0.5, 0.8), chosen) for n in numbers]
    found = np.array([(simulate(each, n_samples, pool) < 0.05).mean(axis=0) for each in settings])
    print(f"\nA real difference: rejected at 5 % of {n_samples} simulations")
    print(f"      {'metric':24}" + "".join(f"{f'n = {n}':>10}" for n in numbers))
    growing = (np.diff(found, axis=0) > 0).all(axis=0)
    for name, shares, grows in zip(chosen, found.T, growing, strict=True):
        shown = "".join(f"{share:>10.1%}" for share in shares)
        print(f"{'ok  ' if grows else 'MISS'}  {name:24}{shown}")
    return bool(growing.all())


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="simulations under the null")
    parser.add_argument("--power-samples", type=int, default=500, help="simulations for each n")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    options = parsed()
    with ProcessPoolExecutor(options.processes) as pool:
        uniform = null(options.samples, pool)
        grows = power(options.power_samples, pool)
    sys.exit(not (uniform and grows))
