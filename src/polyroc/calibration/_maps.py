"""Maps from probabilities to recalibrated ones: softmax(W u + c), as free as the method allows.

u_k = log q_k less the mean of these logarithms over classes. ``"temperature"``: W is a number times
the identity. ``"vector"``: W is diagonal, and there are intercepts. ``"multinomial"``: W and c are
free. A ridge draws W towards the identity and c towards 0, so that there always is a best map, also
where classes are separated, and none of the classes is special.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from polyroc.calibration._likelihood import Cases, Form, fit, softmax
from polyroc.calibration._log_ratios import log_floored
from polyroc.typing import Float64Array, IntArray

Method = Literal["none", "temperature", "vector", "multinomial"]
LEAST_FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class CalibrationMap:
    """A fitted map.

    Attributes
    ----------
    method : what was fitted.
    coefficients : (K, K + 1): c, then W.
    floor : probabilities below it are raised to it.
    """

    method: str
    coefficients: Float64Array
    floor: float

    def __call__(self, q: Float64Array) -> Float64Array:
        """Recalibrated probabilities (n, K) of probabilities (n, K)."""
        if self.method == "none":
            return q
        return softmax(_features(q, self.floor) @ self.coefficients.T)


def floor_of(q: Float64Array) -> float:
    """Half the smallest positive probability, but no less than 1e-12."""
    return max(float(q[q > 0].min()) / 2, LEAST_FLOOR)


def fit_map(
    q: Float64Array,
    codes: IntArray,
    weights: Float64Array,
    method: str,
    ridge: float,
    floor: float,
) -> CalibrationMap:
    """The map of greatest penalised likelihood for probabilities (n, K) of known classes.

    A weight counts as so many cases.
    """
    form = form_of(method, q.shape[1])
    if method == "none":
        return CalibrationMap(method, form.held, floor)
    found = fit(Cases(_features(q, floor), codes, weights), form, ridge)
    return CalibrationMap(method, found.coefficients, floor)


def _features(q: Float64Array, floor: float) -> Float64Array:
    logs = log_floored(q, floor)
    return np.column_stack([np.ones(len(q)), logs - logs.mean(axis=1, keepdims=True)])


def form_of(method: str, n: int) -> Form:
    """Which entries of (c, W) are free."""
    identity = np.column_stack([np.zeros(n), np.eye(n)])
    free = np.zeros(identity.shape, dtype=bool)
    if method in ("temperature", "vector"):
        free = identity == 1
    if method == "vector":
        free[:, 0] = True
    if method == "multinomial":
        free[:] = True
    rows, columns = np.nonzero(free)
    held, start = np.where(free, 0, identity), identity[free]
    if method == "temperature":
        return Form(held, rows, columns, np.ones(1), np.ones((n, 1)))
    return Form(held, rows, columns, start)


def log_loss(q: Float64Array, codes: IntArray, weights: Float64Array, floor: float) -> float:
    """Mean of −log of the probability of the true class, probabilities raised to the floor."""
    own = log_floored(q, floor)[np.arange(len(q)), codes]
    return float(-(weights @ own) / weights.sum())
