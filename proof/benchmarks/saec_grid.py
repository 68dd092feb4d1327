"""SAEC over the 250 × 250 grids of Edwards and Metz, both models, and the time of one fit."""

import sys

import numpy as np
from timing import median_seconds, report

from polyroc.utility import fit_binormal, fit_proper, saec_binormal, saec_proper


def grids() -> bool:
    """62,500 values of each of Figures 1 and 2."""
    a, b = np.meshgrid(np.linspace(0, 5, 250), np.linspace(0, 2, 250))
    c, d_a = np.meshgrid(np.linspace(-1, 1, 250), np.linspace(0, 4, 250))
    work = {
        "conventional": lambda: saec_binormal(a, b),
        "proper": lambda: saec_proper(c, d_a),
    }
    times = median_seconds(work, 3)
    met = [report(f"SAEC of 62,500 {name} curves", t, 2, False, " s") for name, t in times.items()]
    return all(met)


def fits(n: int = 200) -> bool:
    """Maximum likelihood on n continuous scores of each class."""
    rng = np.random.default_rng(0)
    y, x = np.repeat([0, 1], n), rng.normal(np.repeat([0.0, 1.2], n))
    work = {"conventional": lambda: fit_binormal(y, x), "proper": lambda: fit_proper(y, x)}
    times = median_seconds(work, 15)
    met = [
        report(f"{name} fit to {n} cases a class", 1000 * t, 20, False, " ms")
        for name, t in times.items()
    ]
    return all(met)


if __name__ == "__main__":
    results = [grids(), fits()]
    sys.exit(not all(results))
