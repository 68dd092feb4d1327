"""vus, wvus, vus2 and wvus2 together, exact, and how the time grows with n."""

import itertools
import sys

import numpy as np
from timing import median_seconds, probabilities, report, softmax_scores

from polyroc import Predictions, registry
from polyroc.metrics.measure import CaseStatistics, measure

NAMES = ("vus", "wvus", "vus2", "wvus2")


def four(y: np.ndarray, p: np.ndarray) -> list[float]:
    asked = [(registry[name], {}) for name in NAMES]
    found = measure(CaseStatistics(Predictions(y, p)), asked, with_influence=False)
    return [each.value for each in found]


def enumerated(y: np.ndarray, p: np.ndarray) -> list[float]:
    """Definition by loops, for a few cases."""
    sums = np.zeros(4)
    groups = [p[y == k] for k in range(3)]
    corners = np.eye(3)
    for rows in itertools.product(*groups):
        x = np.array(rows)
        length = np.linalg.norm(x[:, None] - corners, axis=2)
        own = np.trace(length)
        others = [sum(length[i, q[i]] for i in range(3)) for q in itertools.permutations(range(3))]
        right = own < min(others[1:])
        highest = all(x[k, k] > x[r, k] for k in range(3) for r in range(3) if r != k)
        weight = 1 - own / (3 * np.sqrt(2))
        volume = abs(np.linalg.det(x))
        sums += [right, right * weight, highest, highest * volume]
    return list(sums / np.prod([len(group) for group in groups]))


if __name__ == "__main__":
    y, raw = softmax_scores(45, 3)
    np.testing.assert_allclose(
        four(y, probabilities(raw)), enumerated(y, probabilities(raw)), 1e-12
    )
    data = {n: softmax_scores(n, 3) for n in (12_000, 24_000)}
    work = {str(n): lambda y=y, s=s: four(y, probabilities(s)) for n, (y, s) in data.items()}
    times = median_seconds(work, 5)
    print(times)
    met = report("vus, wvus, vus2, wvus2 at n=12,000", times["12000"], 5, False, " s")
    met &= report("doubling n", times["24000"] / times["12000"], 4.6, False)
    sys.exit(not met)
