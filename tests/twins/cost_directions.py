"""SAEC of an ideal observer by random directions of cost: no facets, no walk.

The surface has one point P(γ̂) for each direction of cost, and the area that belongs to a small cone
of directions is the determinant of −∂P/∂γ̂ on the tangent space times the solid angle. The
derivative is a sum over the observations whose two cheapest decisions cost nearly the same.
Directions are drawn from a t distribution and reweighted: with y = Hᵀ log γ̂, H orthonormal and
orthogonal to 1, the solid angle is √D Π γ̂_q dy. Few draws carry most of the weight (3 % of them
for four classes), so that this serves for classes that overlap much.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_t

WIDTH = 0.1
"""Of the kernel, in standard deviations of the log ratio of the two costs."""
FREEDOM = 8
"""Of the t distribution that directions are drawn from."""


def rates_and_slopes(likelihoods: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, N) error rates at costs, and (D, D) minus their derivatives by the costs."""
    size, n = likelihoods.shape
    errors = ~np.eye(n, dtype=bool)
    paid = likelihoods @ table
    order = np.argsort(paid, axis=1)[:, :2]
    rates = np.array([likelihoods[order[:, 0] == d].sum(axis=0) for d in range(n)]).T / size
    slopes = np.zeros((n * (n - 1), n * (n - 1)))
    for i in range(n):
        for j in range(i):
            ratio = np.log(paid[:, i] / paid[:, j])
            width = WIDTH * ratio.std()
            between = np.isin(order, (i, j)).all(axis=1) & (np.abs(ratio) < width)
            weight = (1 - np.abs(ratio[between]) / width) / width
            weight /= np.sqrt(paid[between, i] * paid[between, j]) * size
            edges = np.zeros((between.sum(), n, n))
            edges[:, :, i], edges[:, :, j] = likelihoods[between], -likelihoods[between]
            chosen = edges[:, errors]
            slopes += (chosen * weight[:, None]).T @ chosen
    return rates, slopes


def integrals(
    likelihoods: np.ndarray, logs: np.ndarray, rng: np.random.Generator, n_draws: int
) -> tuple[float, float]:
    """∫ dσ and ∫ γ̂·P dσ in one unit, from directions like those of the given log costs."""
    n, d = likelihoods.shape[1], logs.shape[1]
    errors, basis = ~np.eye(n, dtype=bool), np.linalg.svd(np.ones((1, d)))[2][1:]
    y = logs @ basis.T
    shape = np.cov(y.T) * (FREEDOM - 2) / FREEDOM
    law = multivariate_t(y.mean(axis=0), shape, df=FREEDOM, seed=rng)
    drawn, areas, costs = law.rvs(n_draws), np.zeros(n_draws), np.zeros(n_draws)
    for m, place in enumerate(drawn):
        gamma = np.exp(place @ basis)
        gamma /= np.linalg.norm(gamma)
        table = np.zeros((n, n))
        table[errors] = gamma
        rates, slopes = rates_and_slopes(likelihoods, table)
        tangent = np.eye(d) - np.outer(gamma, gamma)
        element = np.linalg.det(tangent @ slopes @ tangent + np.outer(gamma, gamma))
        areas[m] = max(element, 0) * np.prod(gamma) / law.pdf(place)
        costs[m] = gamma @ rates[errors]
    return float(areas.mean()), float((areas * costs).mean())


def saec(blocks: list[tuple[float, float]]) -> tuple[float, float]:
    """The ratio of the means over independent blocks, and its standard error."""
    areas, costs = np.array(blocks).T
    value = costs.mean() / areas.mean()
    off = (costs - value * areas) / areas.mean()
    return float(value), float(np.std(off, ddof=1) / np.sqrt(len(off)))
