"""Volume under the ROC surface by Ferri, Hernández-Orallo & Salido (2003), for any K.

A classifier is a point of K(K − 1) error rates. Whoever has some classifiers, and the K rules that
always decide the same, can decide at random between them: a classifier that is nowhere better than
such a mixture is of no use. VUS is the volume of such points, among all points whose rates of a
true class add up to at most 1. Two classes: the area under the convex hull of the ROC curve. The K
constant rules alone have 1/180 of three classes, the perfect classifier has (1/(K − 1)!)^K.

The volume is estimated from random points. Whether a point is dominated is a linear program; but
each program that is solved leaves a mixture, or costs under which no mixture is as cheap, and
these decide most of the later points without a program of their own.
"""

import math
from typing import Any

import numpy as np

from polyroc._base.checks import whole_number
from polyroc._base.random import seed_of, stream
from polyroc.results import Estimate, Note
from polyroc.typing import BoolArray, Float64Array, RandomState
from polyroc.utility._facet_average import _checked_rates, _with_corners

BATCH = 256
"""Points decided by the certificates at hand before the next programs are solved."""

ROUNDING = 1e-9
"""A mixture may be above a point by this, which is the precision of the linear programs."""


def ferri_vus(
    surface: Any,
    *,
    n_classes: int | None = None,
    normalize: bool = False,
    n_samples: int = 5_000,
    rng: RandomState = None,
) -> Estimate:
    """Volume under the ROC surface of Ferri et al. (2003), for any number of classes.

    It does not run from 0 to 1: three classes have 1/180 = .0056 for the constant rules alone and
    1/8 for a perfect classifier. Not to be confused with :func:`polyroc.vus`, the share of tuples
    that are assigned correctly, which Mossman (1999) and Van Calster et al. (2008) call VUS.

    Parameters
    ----------
    surface : an object with ``rates`` (m, D) in row-major order of the off-diagonal (truth,
        decision) and ``classes``, such as :class:`~polyroc.surface.RocSurface`; or such an array.
        One row is one classifier that makes decisions.
    n_classes : int, to have the number of columns checked.
    normalize : divide by the volume of a perfect classifier, so that the largest value is 1.
    n_samples : random points. The standard error is that of their number, not of the cases.
    rng : seed or generator of the points.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> perfect = ferri_vus([[0, 0, 0, 0, 0, 0]], rng=0, n_samples=100)
    >>> perfect.value
    0.125
    >>> two = ferri_vus([[0.25, 0.25]], rng=0, n_samples=2000)  # area under the hull: 0.75
    >>> abs(two.value - 0.75) < 3 * two.standard_error
    True
    """
    rates, n_classes = _checked_rates(surface, n_classes)
    n_samples = whole_number(n_samples, "n_samples", least=2)
    seed = seed_of(rng)
    points = _random_points(seed, n_classes, n_samples)
    share = _dominated(points, _with_corners(rates, n_classes)).mean()
    whole = 1.0 if normalize else math.factorial(n_classes - 1) ** -float(n_classes)
    return Estimate(
        metric="ferri_vus",
        value=float(share * whole),
        standard_error=float(whole * math.sqrt(share * (1 - share) / (n_samples - 1))),
        method="random points",
        notes=(Note("monte-carlo-error", f"standard error of the {n_samples:,} points alone"),),
        settings={"seed": seed, "n_samples": n_samples, "n_points": len(rates)},
    )


def _random_points(seed: int, n_classes: int, n_samples: int) -> Float64Array:
    """Rates that add up to at most 1 in each true class, uniformly distributed."""
    rows = stream(seed, 0).dirichlet(np.ones(n_classes), (n_samples, n_classes))
    return np.asarray(rows[:, :, :-1].reshape(n_samples, -1))


def _dominated(points: Float64Array, rules: Float64Array) -> BoolArray:
    """Whether a mixture of the rules is nowhere above a point."""
    found = np.zeros(len(points), dtype=bool)
    mixtures, costs = rules, np.empty((0, rules.shape[1]))
    for start in range(0, len(points), BATCH):
        batch = points[start : start + BATCH]
        inside = _any_below(mixtures, batch)
        cheaper = (batch @ costs.T < (rules @ costs.T).min(axis=0) - ROUNDING).any(axis=1)
        for place in np.flatnonzero(~inside & ~cheaper):
            inside[place], certificate = _solve(batch[place], rules)
            if inside[place]:
                mixtures = np.vstack([mixtures, certificate])
            else:
                costs = np.vstack([costs, certificate])
        found[start : start + BATCH] = inside
    return found


def _any_below(mixtures: Float64Array, points: Float64Array) -> BoolArray:
    """Whether one of the mixtures is nowhere above a point."""
    found = np.zeros(len(points), dtype=bool)
    for mixture in mixtures:
        found |= (mixture <= points).all(axis=1)
    return found


def _solve(point: Float64Array, rules: Float64Array) -> tuple[bool, Float64Array]:
    """The mixture with the least excess over the point; if it has one, costs that show it."""
    from scipy.optimize import linprog

    n_rules, n_errors = rules.shape
    above = np.hstack([rules.T, -np.ones((n_errors, 1))])
    found = linprog(
        np.append(np.zeros(n_rules), 1.0),
        A_ub=above,
        b_ub=point,
        A_eq=np.append(np.ones(n_rules), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_rules + [(None, None)],
        method="highs",
    )
    if found.fun <= ROUNDING:
        return True, found.x[:n_rules] @ rules
    return False, -found.ineqlin.marginals
