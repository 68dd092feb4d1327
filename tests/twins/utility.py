"""Slow twins of expected utility: definitions as integrals, sums and loops."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize
from scipy.special import ndtr, ndtri


def _normal(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _pieces(a, b):
    """Where the two densities live, as limits of integration."""
    marks = {-8, -3, 0, 3, 8} | {(a + z) / b for z in (-8, -3, 0, 3, 8)}
    return sorted({min(-11, (a - 11) / b), max(11, (a + 11) / b)} | marks)


def _integral(f, marks):
    return sum(
        quad(f, low, high, epsabs=1e-13, epsrel=1e-13, limit=200)[0]
        for low, high in itertools.pairwise(marks)
    )


def arc_length(a, b):
    """∫ √(f₊² + f₋²) dx."""
    root = math.sqrt(2 * math.pi)

    def speed(x):
        return math.hypot(math.exp(-x * x / 2), b * math.exp(-((b * x - a) ** 2) / 2)) / root

    return _integral(speed, _pieces(a, b))


def conventional_area(a, b):
    """∫ TPF dFPF."""
    return _integral(lambda x: ndtr(a - b * x) * _normal(x), _pieces(a, b))


def proper_area(c, d_a):
    """P(r₊ > r₋) of likelihood ratios: ∫ f₋(x) P₊(ratio beyond that at x) dx."""
    b = (1 + c) / (1 - c)
    a = d_a * math.sqrt((1 + b * b) / 2)
    if b == 1:
        return float(ndtr(d_a / math.sqrt(2)))
    centre = -a * b / (1 - b * b)

    def beyond(x):
        reach = abs(x - centre)
        outside = ndtr(a - b * (centre + reach)) + ndtr(b * (centre - reach) - a)
        return outside if b < 1 else 1 - outside

    return _integral(lambda x: beyond(x) * _normal(x), sorted([*_pieces(a, b), centre]))


def likelihood(a, b, cuts, negative, positive):
    """Log-likelihood of ratings with thresholds on the scale of the negatives."""
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    low, high = np.diff(ndtr(edges)), np.diff(ndtr(b * edges - a))
    return sum(
        n * math.log(p)
        for counts, gaps in ((negative, low), (positive, high))
        for n, p in zip(counts, gaps, strict=True)
        if n
    )


def dorfman_alf(negative, positive):
    """(a, b, log-likelihood) by a general optimiser over thresholds with logarithmic gaps."""
    start = ndtri(np.cumsum(negative)[:-1] / (np.sum(negative) + 0.5))

    def unpacked(v):
        return v[0], math.exp(v[1]), np.cumsum(np.append(v[2], np.exp(v[3:])))

    def loss(v):
        return -likelihood(*unpacked(v), negative, positive)

    first = np.concatenate([[1.0, 0.0, start[0]], np.log(np.diff(start))])
    found = minimize(loss, first, method="BFGS", options={"gtol": 1e-7})
    a, b, _ = unpacked(found.x)
    return a, b, -found.fun


def hull(points):
    """Upper hull of (FPF, TPF) in exact fractions: every chord is tried."""
    kept = [points[0]]
    while kept[-1] != points[-1]:
        x, y = kept[-1]

        def steepness(point, x=x, y=y):
            dx, dy = point[0] - x, point[1] - y
            return (1, dy) if dx == 0 else (0, Fraction(dy) / dx)

        later = [p for p in points if p[0] >= x and p[1] >= y and p != (x, y)]
        steepest = max(steepness(p) for p in later)
        on_edge = [p for p in later if steepness(p) == steepest or (steepest[0] and p[0] == x)]
        kept.append(max(on_edge))
    return kept


def proper_rate(curve, false_positive_rate):
    """TPF of a proper curve at an FPF, through its own parametrisation."""
    low, high = (float(np.clip(edge, -60, 60)) for edge in curve.domain)
    v = brentq(lambda v: float(curve.at(v)[0]) - false_positive_rate, low, high, xtol=1e-14)
    return float(curve.at(v)[1])


def utility(confusion, utilities, priors):
    """E{U} as a double sum over truth and decision."""
    total = 0.0
    for t, row in enumerate(confusion):
        for d, count in enumerate(row):
            total += priors[t] * count / sum(row) * utilities[t][d]
    return total
