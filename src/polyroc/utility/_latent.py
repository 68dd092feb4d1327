"""Whether the likelihood ratios of all classes depend on one variable.

Then the observations lie on a curve in the simplex of likelihoods. Costs of N classes leave those
undecided at which the curve crosses a boundary between decisions, and a facet of the ROC surface
needs N² − N − 1 of them at once: five for three classes, where a curve that runs from one class to
the next crosses two. The surface has fewer dimensions than eq. 11 and 15 of Edwards & Metz (2007)
integrate over.
"""

import numpy as np

from polyroc.typing import Float64Array

NEIGHBOURS = 8
ANCHORS = 400
FLAT = 0.1
"""Median ratio of the second to the first spread of neighbours below which they lie on a line; a
cloud of two dimensions has about one half."""


def on_a_curve(likelihoods: Float64Array) -> bool:
    """Whether observations, (n, N) likelihoods, lie on a curve, by the spread of neighbours.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 1))
    >>> on_a_curve(np.exp(x * np.array([0.0, 1.0, 2.0])))
    True
    >>> on_a_curve(rng.dirichlet(np.ones(3), 500))
    False
    """
    from scipy.spatial import KDTree

    points = np.unique(likelihoods / likelihoods.sum(axis=1, keepdims=True), axis=0)
    if likelihoods.shape[1] < 3 or len(points) <= 2 * NEIGHBOURS:
        return False
    anchors = points[:: -(-len(points) // ANCHORS)]
    _, places = KDTree(points).query(anchors, NEIGHBOURS)
    around = points[places] - points[places].mean(axis=1, keepdims=True)
    first, second = np.linalg.svd(around, compute_uv=False)[:, :2].T
    return bool(np.median(second[first > 0] / first[first > 0]) < FLAT)
