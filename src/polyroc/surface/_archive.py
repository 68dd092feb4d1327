"""The archive E of Algorithm 1: mutually non-dominated parameters and costs, without a bound."""

import numpy as np

from polyroc.kernels.archive import insert
from polyroc.surface._objectives import Minimised, highest_values, objective_values
from polyroc.typing import BoolArray, Float64Array

_FIRST_ROOM = 1024


class Archive:
    """Members of the front so far: their error rates, costs and parameters."""

    def __init__(self, n_classes: int, n_parameters: int, objectives: Minimised) -> None:
        self.n_classes, self.n_parameters, self.kind = n_classes, n_parameters, objectives
        self.size = 0
        self._n_rates = n_classes * (n_classes - 1)
        somewhere = objective_values(np.zeros((1, self._n_rates)), n_classes, objectives)
        self._objectives = np.empty((_FIRST_ROOM, somewhere.shape[1]))
        self._tops = highest_values(objectives, n_classes)
        self._levels = np.empty(_FIRST_ROOM, dtype=np.uint64)
        self._payload = np.empty((_FIRST_ROOM, 2 * self._n_rates + n_parameters))

    @property
    def objectives(self) -> Float64Array:
        """(m, d) values that the search minimises."""
        return self._objectives[: self.size]

    @property
    def rates(self) -> Float64Array:
        """(m, D) error rates."""
        return self._payload[: self.size, : self._n_rates]

    @property
    def costs(self) -> Float64Array:
        """(m, D) off-diagonal costs."""
        return self._payload[: self.size, self._n_rates : 2 * self._n_rates]

    @property
    def parameters(self) -> Float64Array:
        """(m, P) parameters of the classifier."""
        return self._payload[: self.size, 2 * self._n_rates :]

    def insert(
        self, rates: Float64Array, costs: Float64Array, parameters: Float64Array
    ) -> BoolArray:
        """Insert what no member weakly dominates, remove what it dominates; who was inserted.

        Lines 9–11 of Algorithm 1, whose dominance signs are printed the wrong way round.
        ``parameters`` are one vector for all, or a row each.
        """
        each = np.broadcast_to(parameters, (len(rates), self.n_parameters))
        self._make_room(len(rates))
        entered = np.empty(len(rates), dtype=bool)
        self.size = insert(
            np.ascontiguousarray(objective_values(rates, self.n_classes, self.kind)),
            np.hstack([rates, costs, each]),
            self._tops,
            self._objectives,
            self._levels,
            self._payload,
            self.size,
            entered,
        )
        return entered

    def _make_room(self, number: int) -> None:
        room = len(self._objectives)
        if self.size + number <= room:
            return
        room = max(2 * room, self.size + number)
        for name in ("_objectives", "_levels", "_payload"):
            before = vars(self)[name]
            after = np.empty((room, *before.shape[1:]), dtype=before.dtype)
            after[: self.size] = before[: self.size]
            setattr(self, name, after)
