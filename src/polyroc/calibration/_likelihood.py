"""Multinomial logistic models, fitted by Newton's method.

The linear predictors of case i are the features x_i times a table of coefficients, a row per class;
its probabilities are their softmax. A :class:`Form` says which entries of the table are free, which
are held, and which move together; so one fit serves intercepts given slopes, slopes of their own,
one temperature for all classes, and full tables with or without a ridge.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array, IntArray

MOST_STEPS = 100
_SETTLED = 1e-12
"""Newton decrement, relative to the log-likelihood, after which one more step is the last."""
_HALVINGS = 40
_LEAST_INFORMATION = 1e-5
"""In cases: a direction about which all cases tell less than this is one that separates classes."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Features (n, F), position of each case's class, and weights whose mean is 1."""

    features: Float64Array
    codes: IntArray
    weights: Float64Array


@dataclass(frozen=True, eq=False)
class Form:
    """Coefficients as a function of the parameters θ.

    Attributes
    ----------
    held : (K, F) coefficients, those that are free 0.
    rows, columns : (E,) the free entries.
    start : (P,) parameters that leave the probabilities as they are; a ridge draws towards them.
    ties : (E, P), free entries = ties @ θ; None where each has a parameter of its own.
    """

    held: Float64Array
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    start: Float64Array
    ties: Float64Array | None = None

    def coefficients(self, theta: Float64Array) -> Float64Array:
        """(K, F) the whole table."""
        table = self.held.copy()
        table[self.rows, self.columns] = theta if self.ties is None else self.ties @ theta
        return table

    def first_order(self, by_entry: Float64Array) -> Float64Array:
        """Derivatives by the free entries (…, E) as derivatives by θ (…, P)."""
        return by_entry if self.ties is None else by_entry @ self.ties

    def second_order(self, by_entries: Float64Array) -> Float64Array:
        """The same for a matrix of second derivatives."""
        return by_entries if self.ties is None else self.ties.T @ by_entries @ self.ties


@dataclass(frozen=True, eq=False)
class Fit:
    """Where Newton's method ended."""

    form: Form
    theta: Float64Array
    log_likelihood: float
    """Without the penalty of the ridge."""
    information: Float64Array
    """(P, P) minus the second derivatives, the ridge included."""
    steps: int
    settled: bool

    @property
    def coefficients(self) -> Float64Array:
        """(K, F)."""
        return self.form.coefficients(self.theta)


def softmax(predictors: Float64Array) -> Float64Array:
    """Rows of linear predictors as probabilities.

    Examples
    --------
    >>> softmax(np.log([[1.0, 3.0]]))
    array([[0.25, 0.75]])
    """
    with np.errstate(under="ignore"):
        raised = np.exp(predictors - predictors.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def log_likelihood(cases: Cases, coefficients: Float64Array) -> float:
    """Σ w_i log P(class of case i)."""
    predictors = cases.features @ coefficients.T
    highest = predictors.max(axis=1)
    own = np.take_along_axis(predictors, cases.codes[:, None].astype(np.intp), axis=1)[:, 0]
    with np.errstate(under="ignore"):
        totals = np.log(np.exp(predictors - highest[:, None]).sum(axis=1))
    return float(cases.weights @ (own - highest - totals))


def fit(cases: Cases, form: Form, ridge: float = 0.0) -> Fit:
    """The θ that maximises log-likelihood − ridge/2 ‖θ − start‖², by Newton's method.

    Steps are halved until the objective rises. O(n E²) for each step.
    """
    theta, value, settled, steps = form.start, _objective(cases, form, form.start, ridge), False, 0
    while True:
        probabilities = softmax(cases.features @ form.coefficients(theta).T)
        information = _information(cases, form, probabilities, ridge)
        if settled or steps == MOST_STEPS:
            break
        slope = _slope(cases, form, probabilities) - ridge * (theta - form.start)
        step = _newton_step(information, slope)
        settled = bool(slope @ step <= _SETTLED * max(1.0, abs(value)))
        theta, value = _climbed(cases, form, ridge, theta, value, step)
        steps += 1
    likelihood = log_likelihood(cases, form.coefficients(theta))
    return Fit(form, theta, likelihood, information, steps, settled)


def _objective(cases: Cases, form: Form, theta: Float64Array, ridge: float) -> float:
    moved = theta - form.start
    return log_likelihood(cases, form.coefficients(theta)) - ridge / 2 * float(moved @ moved)


def _newton_step(information: Float64Array, slope: Float64Array) -> Float64Array:
    """The step, by least squares where the information is singular to working precision."""
    try:
        lower = np.linalg.cholesky(information)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(information, slope, rcond=None)[0])
    return np.asarray(np.linalg.solve(lower.T, np.linalg.solve(lower, slope)))


def _climbed(
    cases: Cases, form: Form, ridge: float, theta: Float64Array, value: float, step: Float64Array
) -> tuple[Float64Array, float]:
    """The step, or the largest of its halves that does not lower the objective."""
    for halving in range(_HALVINGS):
        tried = theta + step / 2**halving
        reached = _objective(cases, form, tried, ridge)
        if reached >= value:
            return tried, reached
    return theta, value


def scores_of_cases(cases: Cases, form: Form, probabilities: Float64Array) -> Float64Array:
    """(n, P) derivatives of each case's weighted log-likelihood by θ."""
    residuals = -cases.weights[:, None] * probabilities
    residuals[np.arange(len(residuals)), cases.codes] += cases.weights
    return form.first_order(residuals[:, form.rows] * cases.features[:, form.columns])


def _slope(cases: Cases, form: Form, probabilities: Float64Array) -> Float64Array:
    residuals = -cases.weights[:, None] * probabilities
    residuals[np.arange(len(residuals)), cases.codes] += cases.weights
    return form.first_order((residuals.T @ cases.features)[form.rows, form.columns])


def _information(
    cases: Cases, form: Form, probabilities: Float64Array, ridge: float
) -> Float64Array:
    """Minus the second derivatives: blocks Xᵀ diag(w p_j (δ_jl − p_l)) X over pairs of classes."""
    entries = np.zeros((len(form.rows), len(form.rows)))
    free = {int(j): np.flatnonzero(form.rows == j) for j in np.unique(form.rows)}
    for j, places in free.items():
        left = cases.features[:, form.columns[places]]
        left = left * (cases.weights * probabilities[:, j])[:, None]
        for k, others in free.items():
            if k < j:
                continue
            right = cases.features[:, form.columns[others]]
            block = left.T @ (right * (float(j == k) - probabilities[:, k])[:, None])
            entries[np.ix_(places, others)] = block
            entries[np.ix_(others, places)] = block.T
    matrix = form.second_order(entries)
    return np.asarray(matrix + ridge * np.eye(len(matrix)))


def separates(cases: Cases, found: Fit) -> bool:
    """Whether the likelihood rises for ever in some direction, so that there is no maximum.

    There the fitted probabilities of all cases that the direction moves approach 0 and 1, and the
    information about it vanishes: it is less than a small share of what one case tells at equal
    probabilities.
    """
    n_classes = len(found.form.held)
    equal = np.full((len(cases.codes), n_classes), 1 / n_classes)
    one_case = _information(cases, found.form, equal, 0.0) / len(cases.codes)
    scale = 1 / np.sqrt(np.maximum(np.diag(one_case), np.finfo(np.float64).tiny))
    unit = scale[:, None] * one_case * scale
    values, vectors = np.linalg.eigh(unit)
    white = scale[:, None] * vectors / np.sqrt(np.maximum(values, 1e-14))
    least = np.linalg.eigvalsh(white.T @ found.information @ white)[0]
    return bool(least < _LEAST_INFORMATION)
