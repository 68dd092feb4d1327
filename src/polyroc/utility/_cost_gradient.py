"""How the SAEC of two classes moves with the weight of a class at a score.

A fitted curve: at the maximum of the likelihood the derivative of the parameters θ by the weight w
of a case with the score s = ∂ ln p/∂θ, boundaries profiled out, is J⁻¹ s, with J the information
that is left for θ. So ∂SAEC/∂w = ∇g(θ)ᵀ J⁻¹ s. Whether boundaries are told by thresholds or by
shares of all cases makes no difference.

The hull: with u and v the shares of the classes under an edge of the hull and h its length,

    A = Σ u (V + v/2),   S = Σ h,   h = √(u² + v²),   g = 2(1 − A)/S,

V the share of the positives above the edge. A point on an edge, between its ends, is a corner of g:
moved one way it is a new vertex of the hull, moved the other way nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from polyroc.typing import Float64Array, IntArray
from polyroc.utility import _categories as categories
from polyroc.utility._binormal_cost import saec_binormal, saec_proper
from polyroc.utility._categories import Categories
from polyroc.utility._families import Conventional, Theta
from polyroc.utility._fits import fit_of, maximise_proper, start_of
from polyroc.utility._hull import hull_edges
from polyroc.utility._information import profile_scores
from polyroc.utility._likelihood import maximise

_NUDGE = 1e-3
_ON_LINE = 1e-12


class Slopes(NamedTuple):
    """∂SAEC/∂w for each class and category, or why there is none."""

    values: Float64Array
    reason: str | None = None

    @classmethod
    def none(cls, reason: str) -> "Slopes":
        """No derivative here."""
        return cls(np.empty((2, 0)), reason)


def cost_slopes(levels: Categories, model: str, given: Float64Array) -> Slopes:
    """∂SAEC/∂w at each score; ``given`` are weights of cases, of which only matters if they differ.

    Examples
    --------
    >>> table = np.array([[3.0, 2, 1], [1, 1, 4]])
    >>> found = cost_slopes(Categories(table, table), "hull", np.ones(1))
    >>> found.values.round(4)
    array([[-0.0363,  0.0004,  0.1083],
           [ 0.1223,  0.0306, -0.0382]])
    """
    most = None if model == "hull" else categories.MOST_CATEGORIES
    data = levels.runs(most)
    of_run = _of_hull(data) if model == "hull" else _of_fit(data, model, given)
    if of_run.reason is not None:
        return of_run
    return Slopes(of_run.values[:, levels.run_numbers(most)])


@np.errstate(under="ignore")  # densities far from their means are 0
def _of_fit(data: Categories, model: str, given: Float64Array) -> Slopes:
    """By implicit differentiation of the fit."""
    if data.ordered:  # the limit, whatever the weights are
        return Slopes(np.zeros((2, data.n_categories)))
    fit = fit_of(data, model, given)
    if not fit.converged:
        return Slopes.none("the fit of the curve runs to a limit of the model")
    if np.isnan(fit.covariance).all():
        return Slopes.none("the best curve is the diagonal, where the likelihood has a kink")
    if model == "binormal":
        found = maximise(Conventional(), data, start_of(data))
    else:
        found = maximise_proper(data)
    known = ~np.isnan(np.diag(fit.covariance))
    towards = np.zeros(2)
    information = (found.step.information + found.step.information.T) / 2
    slope = _by_theta(found.at.theta, model)[known]
    towards[known] = np.linalg.solve(information[np.ix_(known, known)], slope)
    return Slopes(profile_scores(data, found) @ towards)


def _by_theta(theta: Theta, model: str) -> Float64Array:
    """∇g(θ), by differences with an error of fourth order."""

    def moved(steps: float) -> list[float]:
        return [_cost(theta + steps * _NUDGE * unit, model) for unit in np.eye(2)]

    near, far = (np.subtract(moved(step), moved(-step)) for step in (1, 2))
    return np.asarray((8 * near - far) / (12 * _NUDGE))


def _cost(theta: Theta, model: str) -> float:
    if model == "binormal":
        return float(saec_binormal(*Conventional.pair(theta)))
    return float(saec_proper(math.tanh(theta[0]), abs(float(theta[1]))))


def _of_hull(data: Categories) -> Slopes:
    """By the vertices of the hull."""
    totals = data.weights.sum(axis=1)
    edges = hull_edges(data)
    shares = np.add.reduceat(data.weights, edges[:-1], axis=1) / totals[:, None]
    if _points_on_edges(data, edges, shares):
        return Slopes.none("a point of the ROC curve lies on an edge of its hull")
    u, v = shares
    above, below = v.sum() - np.cumsum(v) + v / 2, np.cumsum(u) - u / 2
    lengths = np.hypot(u, v)
    area, length = float(u @ above), float(lengths.sum())
    cost = 2 * (1 - area) / length
    by_share = -(2 * np.stack([above, below]) + cost * shares / lengths) / length
    slopes = (by_share - (by_share * shares).sum(axis=1, keepdims=True)) / totals[:, None]
    return Slopes(np.repeat(slopes, np.diff(edges), axis=1))


def _points_on_edges(data: Categories, edges: IntArray, shares: Float64Array) -> bool:
    """Whether a point between two categories is on an edge of the hull, but no vertex of it."""
    points = np.cumsum(data.weights, axis=1) / data.weights.sum(axis=1)[:, None]
    inside = np.setdiff1d(np.arange(data.n_categories - 1), edges[1:] - 1)
    edge = np.searchsorted(edges, inside, side="right") - 1
    start = np.cumsum(shares, axis=1)[:, edge] - shares[:, edge]
    along = points[:, inside] - start
    return bool((np.abs(along[0] * shares[1, edge] - along[1] * shares[0, edge]) < _ON_LINE).any())
