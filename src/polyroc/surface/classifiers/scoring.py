"""Goals that are no mean over cases: scores of a confusion table, such as F1 or Matthews' φ.

A sweep over a group of costs changes decisions one by one, so that the confusion tables between
the changes are running sums, and any score of them can be followed along the sweep. Scores that
are used often are computed for all tables of a sweep at once. Others are called for a few tables,
spread evenly, and then for those around the best of these.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface.classifiers.sweeps import RESOLUTION, TIE_BREAK, Goal
from polyroc.typing import Float64Array, Int64Array, Label

CALLS = 40
"""Tables of a sweep that a score is called for at once, where it takes one at a time."""

STEP = 1e-6
"""Share of the cases by which a cell is moved for a derivative."""

TableScore = Callable[[Float64Array], Any]
"""Confusion tables (…, K, K) → scores (…)."""


def _ratio(above: Any, below: Any) -> Float64Array:
    """A quotient that is 0 where it is 0/0, as scikit-learn's scores have it."""
    above, below = np.broadcast_arrays(above, below)
    return np.asarray(np.divide(above, below, out=np.zeros(above.shape), where=below != 0))


def _mean(values: Float64Array, present: Any) -> Float64Array:
    return np.asarray(_ratio((values * present).sum(axis=-1), present.sum(axis=-1)))


def _sides(table: Float64Array) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Correct decisions, cases and decisions of each class."""
    right = np.diagonal(table, axis1=-2, axis2=-1)
    return right, table.sum(axis=-1), table.sum(axis=-2)


def accuracy(table: Float64Array) -> Float64Array:
    """Share of correct decisions."""
    return _ratio(_sides(table)[0].sum(axis=-1), table.sum(axis=(-2, -1)))


def balanced_accuracy(table: Float64Array) -> Float64Array:
    """Mean over the classes that have cases of the share that is decided correctly."""
    right, truths, _ = _sides(table)
    return _mean(_ratio(right, truths), truths > 0)


def _f1(table: Float64Array) -> tuple[Float64Array, Any, Float64Array]:
    right, truths, decided = _sides(table)
    return _ratio(2 * right, truths + decided), truths + decided > 0, truths


def f1_macro(table: Float64Array) -> Float64Array:
    """Mean of F1 over the classes that have cases or decisions."""
    values, present, _ = _f1(table)
    return _mean(values, present)


def f1_weighted(table: Float64Array) -> Float64Array:
    """Mean of F1, classes weighted by their cases."""
    values, _, truths = _f1(table)
    return _mean(values, truths)


def matthews_corrcoef(table: Float64Array) -> Float64Array:
    """Correlation of truth and decision (Gorodkin's R_K)."""
    right, truths, decided = _sides(table)
    total = table.sum(axis=(-2, -1))
    joint = right.sum(axis=-1) * total - (truths * decided).sum(axis=-1)
    spreads = [total**2 - (side**2).sum(axis=-1) for side in (truths, decided)]
    return _ratio(joint, np.sqrt(np.maximum(spreads[0] * spreads[1], 0)))


def cohen_kappa(table: Float64Array) -> Float64Array:
    """Agreement of truth and decision beyond chance."""
    right, truths, decided = _sides(table)
    total = table.sum(axis=(-2, -1))
    chance = (truths * decided).sum(axis=-1)
    return _ratio(right.sum(axis=-1) * total - chance, total**2 - chance)


AT_ONCE: dict[str, TableScore] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "f1_macro": f1_macro,
    "f1_weighted": f1_weighted,
    "matthews_corrcoef": matthews_corrcoef,
    "cohen_kappa": cohen_kappa,
}
"""Scores that take all tables of a sweep at once."""


def table_score(scoring: Any, classes: tuple[Label, ...]) -> tuple[TableScore, bool]:
    """The score as a function of a confusion table, and whether it takes many tables at once."""
    if isinstance(scoring, str) and scoring in AT_ONCE:
        return AT_ONCE[scoring], True
    if isinstance(scoring, str):
        from sklearn.metrics import get_scorer

        scoring = get_scorer(scoring)
    if hasattr(scoring, "_score_func"):
        return _of_scorer(scoring, classes), False
    if not callable(scoring):
        raise InvalidType(
            "scoring must be the name of a scikit-learn scorer, a scorer, or a function of a "
            f"confusion table with a row per truth, got {shown(scoring)}."
        )
    return scoring, False


def _takes_weights(function: Any) -> bool:
    known = inspect.signature(function).parameters
    return "sample_weight" in known or any(each.kind is each.VAR_KEYWORD for each in known.values())


def _of_scorer(scorer: Any, classes: tuple[Label, ...]) -> TableScore:
    """A scikit-learn scorer of decisions: the cells of the table are weighted cases."""
    response, function = getattr(scorer, "_response_method", "predict"), scorer._score_func
    if response != "predict" and "predict" not in tuple(response):
        raise InvalidInput(
            f"scoring {shown(scorer)} evaluates probabilities, which the costs of decisions do not "
            'change. Use a score of decisions, such as "f1_macro" or "matthews_corrcoef".'
        )
    if not _takes_weights(function):
        raise InvalidInput(
            f"scoring {shown(scorer)} takes no sample_weight, so that it cannot be computed from a "
            "confusion table. Pass a function of a confusion table."
        )
    truths, decided = (np.array(classes)[axis.ravel()] for axis in np.indices((len(classes),) * 2))
    settings, sign = scorer._kwargs, scorer._sign

    def score(table: Float64Array) -> float:
        cells = table.ravel() > 0
        weights = table.ravel()[cells]
        found = function(truths[cells], decided[cells], sample_weight=weights, **settings)
        return float(sign * found)

    return score


@dataclass(frozen=True, eq=False)
class ScoreGoal(Goal):
    """The greatest score of the confusion table of the decisions.

    ``criterion`` remains 0/1: among costs of equal score, the fewest errors.
    """

    scoring: TableScore = accuracy
    at_once: bool = True
    total: float = 1.0
    """Weight of all cases: tables are counts, or sums of weights."""

    @cached_property
    def tables(self) -> Float64Array:
        """(K² + L, K, K): the cells of the confusion table, and the limited rates."""
        n_classes = len(self.criterion)
        cells = np.eye(n_classes**2).reshape(-1, n_classes, n_classes)
        return np.concatenate([cells, super().tables[1:]])

    def values(self, decisions: Int64Array) -> Float64Array:
        """The cells of the confusion table of these decisions, and the limited rates."""
        n_classes = len(self.criterion)
        cells = np.bincount(self.truths * n_classes + decisions, self.weights, n_classes**2)
        rates = [cells[k * n_classes + j] / self._weight_of(k) for k, j in self.limited]
        return np.concatenate([cells, rates])

    def _weight_of(self, place: int) -> float:
        return float(self.class_weights[place]) or np.inf

    def scores(self, values: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Excess over the limits, and minus the score, for columns of values."""
        n_classes = len(self.criterion)
        cells = np.maximum(values[: n_classes**2], 0)
        found = self._followed(cells.T.reshape(-1, n_classes, n_classes))
        errors = 1 - cells[:: n_classes + 1].sum(axis=0)
        above = values[n_classes**2 :] - self.limits[:, None]
        excess = np.where(above > RESOLUTION, above, 0.0).sum(axis=0)
        goal = TIE_BREAK * errors - found
        if np.isinf(self.penalty):
            return excess, goal
        return np.zeros_like(excess), goal + self.penalty * excess

    def _followed(self, tables: Float64Array) -> Float64Array:
        """Scores of tables along a sweep; −∞ where a score is not called for."""
        tables = np.where(tables > RESOLUTION, tables, 0.0) * self.total
        if self.at_once:
            return np.asarray(self.scoring(tables), dtype=np.float64)
        found = np.full(len(tables), -np.inf)
        first, last = 0, len(tables) - 1
        while True:
            places = np.unique(np.linspace(first, last, CALLS).round().astype(int))
            for place in places[np.isneginf(found[places])]:
                found[place] = self._called(tables[place])
            if last - first < CALLS:
                return found
            best, reach = int(np.argmax(found)), (last - first) // CALLS + 1
            first, last = max(0, best - reach), min(len(tables) - 1, best + reach)

    def _called(self, table: Float64Array) -> float:
        found = np.asarray(self.scoring(table))
        if found.shape != () or not np.isfinite(found):
            raise InvalidInput(
                f"scoring must return a finite number for a confusion table, got {shown(found)}."
            )
        return float(found)

    @property
    def in_threads(self) -> bool:
        """Functions of users may not be called by two threads at the same time."""
        return self.at_once and super().in_threads

    def value_of(self, decisions: Int64Array) -> float:
        """The score of these decisions."""
        return self._score(self._table(decisions))

    def _table(self, decisions: Int64Array) -> Float64Array:
        n_classes = len(self.criterion)
        return self.values(decisions)[: n_classes**2].reshape(n_classes, n_classes) * self.total

    def _score(self, table: Float64Array) -> float:
        return float(self.scoring(table)) if self.at_once else self._called(table)

    def saved(self, before: Int64Array, after: Int64Array) -> tuple[float, Float64Array]:
        """The gain in score, and what each case contributes to it (its influence value)."""
        gain = self.value_of(after) - self.value_of(before)
        slopes = [
            self._derivative(self._table(each))[self.truths, each] for each in (before, after)
        ]
        return gain, slopes[1] - slopes[0]

    def _derivative(self, table: Float64Array) -> Float64Array:
        """∂ score / ∂ share of each cell; from one side where a cell is empty."""
        step, found = STEP * self.total, np.zeros_like(table)
        for cell in np.ndindex(table.shape):
            low, high = table.copy(), table.copy()
            low[cell] = max(float(table[cell]) - step, 0.0)
            high[cell] += step
            change = self._score(high) - self._score(low)
            found[cell] = change / (high[cell] - low[cell]) * self.total
        return found
