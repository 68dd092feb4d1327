"""SAEC of N classes: closed forms, three Gaussians, near guessing, volumes, and the hull."""

import math
import sys
import time

import numpy as np
from timing import report

from polyroc.utility._binormal_cost import saec_proper
from polyroc.utility._facet_average import saec_surface
from polyroc.utility._mixtures import GaussianMixture
from polyroc.utility._observer import IdealObserver, ideal_observer

TRIANGLE = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])
REFERENCE = {0.5: (0.557, 0.003), 1.0: (0.375, 0.002), 2.0: (0.1156, 0.0006)}
"""From integrals over cost vectors with the second derivatives of the expected cost."""


def gaussians(means: np.ndarray) -> IdealObserver:
    """Unit Gaussians at these means."""
    return ideal_observer([GaussianMixture(mean) for mean in means])


def two_classes() -> bool:
    """Equal variances at distance d_a: eq. 17."""
    met = []
    for distance in (0.5, 1.2, 3.0):
        found = gaussians(np.array([[0.0], [distance]])).saec(rng=1)
        off = abs(found.value - float(saec_proper(0, distance))) / found.standard_error
        print(f"N = 2, d_a = {distance}: {found.value:.5f} ± {found.standard_error:.5f}")
        met.append(report("standard errors from the closed form", off, 3, False, ""))
    return all(met)


def three_gaussians() -> bool:
    """Values with standard errors under 1 %, within 3 standard errors of the reference."""
    met = []
    for distance in (0.5, 1.0, 2.0, 4.0):
        start = time.perf_counter()
        found = gaussians(distance * TRIANGLE).saec(rng=1)
        seconds = time.perf_counter() - start
        notes = ", ".join(note.code for note in found.notes)
        print(f"s = {distance}: {found.value:.5f} ± {found.standard_error:.5f}  {notes}")
        met.append(report("seconds", seconds, 60, False, " s"))
        if distance in REFERENCE:
            value, error = REFERENCE[distance]
            off = abs(found.value - value) / math.hypot(found.standard_error, error)
            met.append(report("standard errors from the reference", off, 3, False, ""))
            relative = 100 * found.standard_error / found.value
            met.append(report("relative standard error", relative, 1, False, " %"))
    return all(met)


def limits() -> None:
    """SAEC stays, area and volume vanish towards guessing and towards perfection."""
    print("    s  SAEC             HUH       area")
    for distance in (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0):
        observer = gaussians(distance * TRIANGLE)
        saec, found = observer.saec(rng=2), observer.integrals(n_draws=200_000, rng=3)
        volume, area = found.parts.mean(), found.areas.mean()
        cost = f"{saec.value:.4f} ± {saec.standard_error:.4f}"
        print(f"{distance:5}  {cost}  {volume:.2e}  {area:.2e}")


def equation_14() -> None:
    """D · HUH over ∫ γ̂·P dσ for each choice of the last axis: 1 by eq. 14."""
    cases = {
        "two classes, d_a = 1.2": np.array([[0.0], [1.2]]),
        "three, equal distances 1": TRIANGLE,
        "three, at (0,0) (1,0) (0,2)": np.array([[0, 0], [1, 0], [0, 2.0]]),
        "three, at (0,0) (1,0) (2.5,0.3)": np.array([[0, 0], [1, 0], [2.5, 0.3]]),
    }
    for name, means in cases.items():
        found = gaussians(means).integrals(rng=1)
        volumes = found.parts.mean(axis=0)
        print(f"{name:34}", (len(volumes) * volumes / volumes.sum()).round(2))


def hulls() -> None:
    """The trend of the hull of points of the surface at s = 2."""
    costs = np.exp(np.random.default_rng(0).normal(0, 1.5, (1500, 6)))
    start = time.perf_counter()
    found = saec_surface(gaussians(2 * TRIANGLE).rates(costs, rng=1), rng=0)
    trend = ", ".join(f"{count}: {value:.4f}" for count, value in found.settings["trend"])
    print(f"hull at s = 2 by points: {trend} ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    results = [two_classes(), three_gaussians()]
    limits()
    equation_14()
    hulls()
    sys.exit(not all(results))
