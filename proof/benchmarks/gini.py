"""Gini coefficients of ROC surfaces: exact against moocore's hypervolume, and by Monte Carlo.

The surface is that of a search like Everson & Fieldsend's: k-nearest-neighbour posteriors of the
three-class mixture, half a million random costs, and the error rates that no others dominate.
"""

import math
import sys

import moocore
import numpy as np
from timing import median_seconds, report

from polyroc.datasets import three_class_mixture
from polyroc.kernels.volume import exclusive_volumes, memory_for
from polyroc.surface._costs import errors, matrices
from polyroc.surface._gini import gini

NEIGHBOURS = (3, 5, 8, 12, 17, 25, 35, 50, 70, 100)
COMPARED = 1_000  # points for moocore, whose time grows steeply


def posteriors(X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Tricube-weighted class shares among the neighbours of each case, itself left out."""
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1)
    sorted_distance = np.take_along_axis(distance, order, axis=1)
    tables = []
    for k in NEIGHBOURS:
        weight = (1 - (sorted_distance[:, :k] / sorted_distance[:, k : k + 1]) ** 3) ** 3
        shares = np.einsum("nk,nkc->nc", weight, np.eye(3)[y[order[:, :k]]])
        tables.append(shares / shares.sum(axis=1, keepdims=True))
    return tables


def searched_rates(n_costs: int = 50_000, seed: int = 0) -> np.ndarray:
    """Distinct non-dominated error rates."""
    rng = np.random.default_rng(seed)
    X, y = three_class_mixture(rng=rng)
    truth, found = np.eye(3)[y], []
    for p in posteriors(X, y):
        for _ in range(n_costs // 1000):
            costs = matrices(rng.dirichlet(np.ones(6), 1000), 3)
            decided = np.argmin(p @ costs, axis=2)
            tables = np.einsum("nk,mnj->mkj", truth, np.eye(3)[decided], optimize=True) / 100
            found.append(errors(tables))
        found = [moocore.filter_dominated(np.unique(np.concatenate(found), axis=0))]
    return found[0]


def whole_cube(points: np.ndarray) -> float:
    """Hypervolume by the same kernel, with the plane beyond the cube."""
    m, n_columns = points.shape
    volumes = np.zeros(m)
    memory = memory_for(n_columns, m, 2**62)
    exclusive_volumes(
        np.ascontiguousarray(points.T),
        np.arange(m),
        n_columns,
        float(n_columns),
        np.zeros(1, np.int64),
        0,
        memory,
        volumes,
    )
    return math.fsum(volumes) * n_columns**n_columns / math.factorial(n_columns)


if __name__ == "__main__":
    rates = searched_rates()
    few = rates[:: len(rates) // 60]
    np.testing.assert_allclose(whole_cube(few), moocore.hypervolume(few, ref=1), rtol=1e-11)
    exact = gini(rates, 3, method="exact", n_threads=1)
    drawn = gini(rates, 3, method="monte_carlo", rng=1)
    assert abs(exact.value - drawn.value) < 4 * drawn.standard_error
    print(f"{len(rates)} points: G = {exact.value:.12f} exact, {drawn.value:.6f} sampled")

    some = rates[np.random.default_rng(0).choice(len(rates), COMPARED, replace=False)]
    rivals = {
        "polyroc": lambda: gini(some, 3, method="exact", n_threads=1),
        "moocore": lambda: moocore.hypervolume(some, ref=1),
    }
    compared = median_seconds(rivals, 3)
    times = median_seconds(
        {
            "exact": lambda: gini(rates, 3, method="exact", n_threads=1),
            "monte carlo": lambda: gini(rates, 3, method="monte_carlo", rng=1, n_threads=1),
        },
        5,
    )
    print(compared, times)
    met = report(f"exact volume of {len(rates)} points, one core", times["exact"], 5, False, " s")
    ratio = compared["moocore"] / compared["polyroc"]
    met &= report(f"against moocore's hypervolume of {COMPARED} points", ratio, 10)
    met &= report("10⁶ samples against all points, one core", times["monte carlo"], 2, False, " s")
    sys.exit(not met)
