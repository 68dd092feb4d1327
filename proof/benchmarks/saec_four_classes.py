"""SAEC of four classes in two ways: by walks over facets, and by random directions of cost.

    python proof/benchmarks/saec_four_classes.py

Four unit Gaussians at the corners of a tetrahedron with edges of length 1. Exit code 1 if the two
are more than three standard errors apart.
"""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "utility"))
from test_four_classes import EDGE_1, by_directions
from twins.cost_directions import saec

from polyroc.utility import GaussianMixture, ideal_observer


def main() -> bool:
    observer = ideal_observer([GaussianMixture(row) for row in EDGE_1 * np.eye(4)])
    walked = observer.saec(n_blocks=12, n_steps=100_000, rng=5)
    print(f"walk {walked.value:.4f} ± {walked.standard_error:.4f}", flush=True)
    value, error = saec([by_directions(observer, 2**15, 300, [2, block]) for block in range(8)])
    off = abs(value - walked.value) / math.hypot(error, walked.standard_error)
    print(f"directions {value:.4f} ± {error:.4f}: {off:.1f} standard errors apart")
    return off < 3


if __name__ == "__main__":
    sys.exit(not main())
