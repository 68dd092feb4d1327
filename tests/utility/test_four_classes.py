"""SAEC of four classes by a walk over facets, against random directions of cost."""

import math

import numpy as np
import pytest
from threadpoolctl import threadpool_limits
from twins.cost_directions import integrals, saec

from polyroc.kernels.facets import facet
from polyroc.utility import GaussianMixture, ideal_observer
from polyroc.utility._surface_average import pairs_of
from polyroc.utility._visits import visits_of

EDGE_1 = math.sqrt(0.5)
"""Times the unit vectors: the corners of a regular body whose edges have length 1."""


def by_directions(observer, n_observations, n_draws, seed):
    """Directions are drawn like those of facets that a short walk visits; weights correct that."""
    rng, n = np.random.default_rng(seed), observer.n_classes
    likelihoods = observer._drawn(0, rng, n_observations)
    heights = rng.random(likelihoods.shape)
    visits = visits_of(likelihoods, heights, np.ones(n_observations), rng, 2000, 30)
    normals, slopes = np.zeros((len(visits[0]), n, n)), np.zeros((n, n))
    for members, between, normal in zip(*visits, normals, strict=True):
        facet(likelihoods[members], heights[members], between, pairs_of(n), normal, slopes)
    costs = normals[:, ~np.eye(n, dtype=bool)]
    return integrals(likelihoods, np.log(costs[(costs > 0).all(axis=1)]), rng, n_draws)


@pytest.mark.slow
def test_walks_agree_with_directions():
    observer = ideal_observer([GaussianMixture(row) for row in EDGE_1 * np.eye(4)])
    walked = observer.saec(n_blocks=8, n_steps=40_000, rng=5)
    with threadpool_limits(1):  # of small matrices
        value, error = saec([by_directions(observer, 2**12, 100, [1, k]) for k in range(10)])
    assert error < 0.08 * value and walked.standard_error < 0.02 * value
    assert abs(value - walked.value) < 3 * math.hypot(error, walked.standard_error)
