"""Maximum likelihood of a family of ROC curves for ordered categories.

ln 𝓛 = Σ over classes and categories k of n_k ln(G(q_{k+1}) − G(q_k)), maximised over the two
parameters of the curve and the boundaries q. The boundaries are nuisance parameters whose part of
the Hessian is tridiagonal, so a Newton step costs O(m): they are eliminated, and what remains is
the 2 × 2 information of the curve.
"""

from dataclasses import dataclass, field

import numpy as np

from polyroc.typing import Float64Array
from polyroc.utility._categories import Categories
from polyroc.utility._families import Family, Place, Theta, place

MOST_STEPS = 200
SETTLED = 1e-12
"""Newton's decrement below which the parameters are within 1e-6 standard errors of the maximum."""

_NUDGE = 1e-5
_LEAST = 1e-100
_RIDGE = 1e-6
_LONGEST = 1.0
"""Most that a parameter of the curve moves in one step."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Log-likelihood at one set of parameters, with its derivatives by the boundaries."""

    theta: Theta
    q: Float64Array
    value: float
    place: Place
    rates: Float64Array
    """(2, m − 1) dG/dq."""
    gaps: Float64Array
    """(2, m) probabilities of the categories."""
    gradient_q: Float64Array
    gradient_theta: Float64Array
    pressure: Float64Array
    """(2, m − 1) derivative by G of the boundaries."""

    def curvature(self, data: Categories, exact: bool) -> Float64Array:
        """Negative Hessian by the boundaries, in the banded form of scipy: above, diagonal.

        Without the second derivatives of G, and with a ridge against rounding, it is positive
        definite everywhere.
        """
        weight = data.weights / self.gaps**2
        diagonal = (self.rates**2 * (weight[:, :-1] + weight[:, 1:])).sum(axis=0)
        if exact:
            shares, u = data.shares, self.rates[0]
            turn = self.place.bend * self.place.slope * u**2
            diagonal -= turn * (shares[0] * self.pressure[1] - shares[1] * self.pressure[0])
        else:
            diagonal *= 1 + _RIDGE
        beside = -(self.rates[:, :-1] * self.rates[:, 1:] * weight[:, 1:-1]).sum(axis=0)
        return np.stack([np.append(0.0, beside), diagonal])


def likelihood(family: Family, data: Categories, theta: Theta, q: Float64Array) -> Likelihood:
    """Log-likelihood and gradient; minus infinity where a category has no probability."""
    shares = data.shares
    spot = place(family, theta, q, shares)
    edges = np.pad(spot.below, ((0, 0), (1, 1)))
    edges[:, -1] = 1
    gaps = np.maximum(np.diff(edges, axis=1), _LEAST)
    value = float(np.where(data.weights > 0, data.weights * np.log(gaps), 0.0).sum())
    push = data.weights / gaps
    pressure = push[:, :-1] - push[:, 1:]
    u = 1 / (shares[0] + shares[1] * spot.slope)
    rates = np.stack([u, spot.slope * u])
    by_theta = spot.excess * u * (shares[1] * pressure[0] - shares[0] * pressure[1])
    return Likelihood(
        theta=theta,
        q=q,
        value=value,
        place=spot,
        rates=rates,
        gaps=gaps,
        gradient_q=(rates * pressure).sum(axis=0),
        gradient_theta=by_theta.sum(axis=1),
        pressure=pressure,
    )


@dataclass(frozen=True, eq=False)
class Step:
    """Newton's step, and the information that is left for the curve."""

    theta: Theta
    q: Float64Array
    decrement: float
    information: Float64Array
    follow: Float64Array = field(repr=False)
    """(m − 1, 2) how the boundaries move with the parameters at the maximum: −dq/dθ."""


def newton_step(family: Family, data: Categories, at: Likelihood) -> Step:
    """Solve for the step; negative curvature of the curve's parameters is turned round."""
    from scipy.linalg import LinAlgError, solveh_banded

    cross, own = _cross_curvature(family, data, at)
    sides = np.column_stack([at.gradient_q, cross])
    try:
        solved = solveh_banded(at.curvature(data, exact=True), sides, check_finite=False)
    except LinAlgError:
        solved = solveh_banded(at.curvature(data, exact=False), sides, check_finite=False)
    direct, follow = solved[:, 0], solved[:, 1:]
    information = own - cross.T @ follow
    values, axes = np.linalg.eigh((information + information.T) / 2)
    values = np.maximum(np.abs(values), 1e-8 * max(1.0, float(np.abs(values).max())))
    rest = at.gradient_theta - cross.T @ direct
    theta = axes @ ((axes.T @ rest) / values)
    theta *= min(1.0, _LONGEST / max(float(np.abs(theta).max()), 1e-300))
    q = direct - follow @ theta
    gain = float(at.gradient_q @ q + at.gradient_theta @ theta)
    return Step(theta, q, gain, information, follow)


def _cross_curvature(
    family: Family, data: Categories, at: Likelihood
) -> tuple[Float64Array, Float64Array]:
    """Negative Hessian by boundaries and parameters, and by parameters: central differences."""
    columns, own = [], []
    for nudge in np.eye(2) * _NUDGE:
        ahead = likelihood(family, data, at.theta + nudge, at.q)
        back = likelihood(family, data, at.theta - nudge, at.q)
        columns.append((back.gradient_q - ahead.gradient_q) / (2 * _NUDGE))
        own.append((back.gradient_theta - ahead.gradient_theta) / (2 * _NUDGE))
    return np.column_stack(columns), np.column_stack(own)


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where the likelihood is greatest, as far as the search went."""

    at: Likelihood
    step: Step
    steps: int
    settled: bool
    diagonal: bool = False


def diagonal_value(data: Categories) -> float:
    """Greatest log-likelihood of a curve that is the diagonal."""
    pooled = data.weights.sum(axis=0)
    return float(pooled @ np.log(pooled / pooled.sum()))


def maximise(family: Family, data: Categories, start: Theta) -> Maximum:
    """Newton's method with backtracking, from boundaries at the pooled shares of the data."""
    pooled = data.weights.sum(axis=0)
    at = likelihood(family, data, start, np.cumsum(pooled)[:-1] / pooled.sum())
    total, useless = float(pooled.sum()), diagonal_value(data)
    for count in range(MOST_STEPS):
        step = newton_step(family, data, at)
        if np.abs(at.theta).max() < family.near_diagonal and at.value < useless:
            return Maximum(at, step, count, True, diagonal=True)
        if step.decrement <= SETTLED * total:
            return Maximum(at, step, count, True)
        if (np.abs(at.theta) > family.limits).any():
            return Maximum(at, step, count, False)
        ahead = _advanced(family, data, at, step)
        if ahead is None:
            return Maximum(at, step, count, step.decrement <= 1e-8 * total)
        at = ahead
    return Maximum(at, newton_step(family, data, at), MOST_STEPS, False)


def _advanced(family: Family, data: Categories, at: Likelihood, step: Step) -> Likelihood | None:
    """The likelihood after as much of the step as raises it; None if nothing does."""
    gaps, changes = np.diff(at.q, prepend=0, append=1), np.diff(step.q, prepend=0, append=0)
    shrinking = changes < 0
    reach = float((gaps[shrinking] / -changes[shrinking]).min(initial=np.inf))
    length = min(1.0, 0.9 * reach)
    for _ in range(40):
        ahead = likelihood(family, data, at.theta + length * step.theta, at.q + length * step.q)
        if ahead.value >= at.value + 1e-4 * length * step.decrement:
            return ahead
        length /= 2
    return None
