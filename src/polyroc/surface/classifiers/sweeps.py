"""Decision costs that do best on given probabilities: exact sweeps, one group of costs at a time.

Multiply a group of costs, a row of λ or one entry, by a factor t. The expected cost of every
decision is then a straight line in t, and the decision for a case changes where the lower envelope
of its K lines has a corner. All corners of all cases, sorted, with running sums of what changes
there, give the goal for *every* t at once, in O(n K² + n K log n): the best t is exact, however
many cases there are. Sweeps over all groups are repeated until none of them gains anything.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyroc._base.parallel import map_threads
from polyroc.predictions._columns import in_ascending_order
from polyroc.surface._costs import TIED
from polyroc.typing import BoolArray, Float64Array, Int64Array

if TYPE_CHECKING:
    from polyroc.kernels.envelope import Corners

TIE_BREAK = 1e-6
"""Weight of the share of errors beside the criterion: among equally cheap costs, the fewest."""

ROUNDS = 30
SHOWN = 0.01
"""A round that gains less than this share of a standard error, about, was the last."""

PRICES = (0.25, 1.0, 4.0)
"""Prices of breaking limits, in units of the whole cost of a class."""

MANY_CASES = 1 << 12
"""From here on sweeps from several starts are worth a thread each."""

RESOLUTION = 1e-12
"""Changes of the goal up to this are rounding."""

WIDEST = 1e100
"""The greatest ratio of two costs: naive Bayes gives probabilities of 1e-40 and needs it."""

Mask = BoolArray


class Score(NamedTuple):
    """How far rates exceed their limits, all together, and then the goal; less is better."""

    excess: float
    goal: float

    def beats(self, other: "Score") -> bool:
        """Whether this is better by more than rounding."""
        if abs(self.excess - other.excess) > RESOLUTION:
            return self.excess < other.excess
        return self.goal < other.goal - RESOLUTION


@dataclass(frozen=True, eq=False)
class Goal:
    """What decision costs are to achieve on given cases.

    Attributes
    ----------
    probabilities : (n, K), truths : (n,) positions of the true classes.
    weights : (n,) of the cases, sum 1.
    criterion : (K, K) cost of each decision for each truth, whose mean is to be least.
    limited : pairs (truth, decision) whose rates have limits.
    limits : (L,) those limits.
    penalty : price of a unit of excess over the limits; infinite: limits come before the goal.
    """

    probabilities: Float64Array
    truths: Int64Array
    weights: Float64Array
    criterion: Float64Array
    limited: tuple[tuple[int, int], ...] = ()
    limits: Float64Array = field(default_factory=lambda: np.zeros(0))
    penalty: float = np.inf

    @cached_property
    def class_weights(self) -> Float64Array:
        """Weight of the cases of each class."""
        return class_totals(self.truths, self.weights, len(self.criterion))

    @cached_property
    def tables(self) -> Float64Array:
        """(1 + L, K, K): what a case adds to the goal and to each limited rate, by its decision."""
        n_classes = len(self.criterion)
        tables = np.zeros((1 + len(self.limited), n_classes, n_classes))
        tables[0] = self.criterion + TIE_BREAK * self.criterion.max() * (1 - np.eye(n_classes))
        for table, (truth, decision) in zip(tables[1:], self.limited, strict=True):
            if self.class_weights[truth] > 0:
                table[truth, decision] = 1 / self.class_weights[truth]
        return tables

    def values(self, decisions: Int64Array) -> Float64Array:
        """The goal and the limited rates of these decisions."""
        return np.asarray(self.added(self.truths, decisions) @ self.weights)

    def added(self, truths: Int64Array, decisions: Int64Array) -> Float64Array:
        """(1 + L, m): what cases of these truths add by these decisions."""
        flat = self.tables.reshape(len(self.tables), -1)
        return np.take(flat, truths * len(self.criterion) + decisions, axis=1)

    def score(self, costs: Float64Array) -> Score:
        """How good decisions by these costs are."""
        return self.score_of(_decided(self.probabilities, costs))

    def score_of(self, decisions: Int64Array) -> Score:
        """How good these decisions are."""
        excess, goal = self.scores(self.values(decisions)[:, None])
        return Score(float(excess[0]), float(goal[0]))

    def scores(self, values: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Excess over the limits, exactly 0 if there is none, and goal, for columns of values."""
        above = values[1:] - self.limits[:, None]
        excess = np.where(above > RESOLUTION, above, 0.0).sum(axis=0)
        if np.isinf(self.penalty):
            return excess, values[0]
        return np.zeros_like(excess), values[0] + self.penalty * excess

    def cost(self, decisions: Int64Array) -> float:
        """Mean of the criterion."""
        return float(self.weights @ self.criterion[self.truths, decisions])

    def saved(self, before: Int64Array, after: Int64Array) -> tuple[float, Float64Array]:
        """What the decisions after save against those before, and what each case saves."""
        saved = self.criterion[self.truths, before] - self.criterion[self.truths, after]
        return float(self.weights @ saved), saved

    def value_of(self, decisions: Int64Array) -> float:
        """The score of these decisions, where the goal is one; NaN for costs."""
        del decisions
        return float("nan")

    @property
    def in_threads(self) -> bool:
        """Whether several threads pay, and may ask for scores at the same time."""
        return len(self.truths) >= MANY_CASES

    def part(self, rows: Int64Array | BoolArray) -> "Goal":
        """The same goal on some of the cases."""
        weights = self.weights[rows]
        return replace(
            self,
            probabilities=self.probabilities[rows],
            truths=self.truths[rows],
            weights=weights / weights.sum(),
        )


def class_totals(truths: Int64Array, weights: Float64Array, n_classes: int) -> Float64Array:
    """Sum of the weights of each class."""
    return np.asarray(np.bincount(truths, weights=weights, minlength=n_classes), dtype=np.float64)


def _decided(probabilities: Float64Array, costs: Float64Array) -> Int64Array:
    """The same decisions as those of :func:`decide`, compiled."""
    from polyroc.kernels.confusion import least_costs

    decisions = np.empty(len(probabilities), dtype=np.int64)
    least_costs(np.ascontiguousarray(probabilities), np.ascontiguousarray(costs), TIED, decisions)
    return decisions


def envelope(
    probabilities: Float64Array, still: Float64Array, moving: Float64Array
) -> tuple[Int64Array, "Corners"]:
    """The least of the K lines p · still + t p · moving of each case, from t = 0 to infinity.

    Returns the least line just above t = 0 and all corners, those of a case in order of t. Of lines
    that are equal everywhere, as decimals are, the first counts.

    Examples
    --------
    >>> start, corners = envelope(np.eye(2)[:1], np.array([[0.0, 1, 3], [0, 0, 0]]), np.eye(2, 3))
    >>> start, corners.at, corners.after
    (array([0]), array([1.]), array([1]))
    """
    from polyroc.kernels.envelope import Corners, follow_lines

    n_cases, n_lines = len(probabilities), still.shape[1]
    probabilities = np.ascontiguousarray(probabilities)
    start, most = np.empty(n_cases, dtype=np.int64), n_cases * (n_lines - 1)
    (cases, before, after), at = np.empty((3, most), dtype=np.int64), np.empty(most)
    room = Corners(cases, at, before, after)
    number = follow_lines(probabilities, still, moving, TIED, start, room)
    return start, Corners(cases[:number], at[:number], before[:number], after[:number])


def best_factor(goal: Goal, start: Int64Array, corners: "Corners") -> float:
    """The t of the best decisions: in the middle, on the log scale, of its stretch."""
    truths = goal.truths[corners.cases]
    change = goal.added(truths, corners.after) - goal.added(truths, corners.before)
    change *= goal.weights[corners.cases]
    early = corners.at <= 1 / WIDEST  # passed by every t that is allowed
    begun = goal.values(start) + change[:, early].sum(axis=1)
    matters = change.any(axis=0) & ~early & (corners.at < WIDEST)
    if not matters.any():
        return 1.0
    at, change = corners.at[matters], change[:, matters]
    order, _ = in_ascending_order(at)  # which leaves equal ones in their order
    running = np.cumsum(np.column_stack([begun, change[:, order]]), axis=1)
    return _middle_of_best(*goal.scores(running), np.log(at[order]))


def _middle_of_best(excess: Float64Array, goal: Float64Array, logs: Float64Array) -> float:
    edges = np.concatenate([[logs[0] - 2 * np.log(2)], logs, [logs[-1] + 2 * np.log(2)]])
    widths = np.diff(edges)
    possible = widths > 1e-9  # between corners at the same t there is no t
    least = excess[possible].min()
    possible &= excess <= least + RESOLUTION
    possible &= goal <= goal[possible].min() + RESOLUTION
    place = int(np.argmax(np.where(possible, widths, 0)))
    return float(np.exp((edges[place] + edges[place + 1]) / 2))


def sweep(goal: Goal, costs: Float64Array, group: Mask) -> Float64Array:
    """The costs with the masked ones multiplied by the factor that is best for the goal."""
    lines = envelope(goal.probabilities, np.where(group, 0, costs), np.where(group, costs, 0))
    factor = best_factor(goal, *lines)
    moved = np.where(group, costs * factor, costs)
    return np.asarray(moved / moved.max())


def descend(goal: Goal, costs: Float64Array, groups: Sequence[Mask]) -> tuple[Float64Array, Score]:
    """Sweeps over the groups in turn until a whole round gains nothing that n cases can show."""
    score = goal.score(costs)
    least = SHOWN * float(goal.criterion.max()) / np.sqrt(len(goal.truths))
    idle: set[int] = set()  # groups that gain nothing at the costs reached
    for _ in range(ROUNDS):
        before = score
        for place, group in enumerate(groups):
            if place in idle:
                continue
            moved = sweep(goal, costs, group)
            if (new := goal.score(moved)).beats(score):
                costs, score, idle = moved, new, set()
            else:
                idle.add(place)
        if score.excess == before.excess and score.goal > before.goal - least:
            break
    return costs, score


@dataclass(frozen=True, eq=False)
class Search:
    """Where sweeps start, which costs they move together, and factors that perturb the result."""

    starts: tuple[Float64Array, ...]
    groups: tuple[Mask, ...]
    perturbed: tuple[Float64Array, ...] = ()

    def best(self, goal: Goal) -> Float64Array:
        """The best costs that sweeps reach from any of the starts; the first of equals."""
        n_threads = None if goal.in_threads else 1
        reached = map_threads(partial(self._from, goal), self.starts, n_threads)
        found, best = reached[0]
        for costs, score in reached[1:]:
            if score.beats(best):
                found, best = costs, score
        for factors in self.perturbed:
            costs, score = descend(goal, found * factors, self.groups)
            if score.beats(best):
                found, best = costs, score
        return found

    def _from(self, goal: Goal, costs: Float64Array) -> tuple[Float64Array, Score]:
        """Sweeps from one start; with limits, first at rising prices of breaking them.

        At its limit a rate blocks every sweep that would raise it, also one that another sweep
        could make up for. While breaking a limit only has a price, sweeps go round such corners.
        """
        unit = float((goal.class_weights * goal.criterion.max(axis=1)).max())
        for price in PRICES if goal.limited else ():
            costs, _ = descend(replace(goal, penalty=price * unit), costs, self.groups)
        return descend(goal, costs, self.groups)


def class_groups(n_classes: int) -> list[Mask]:
    """A group per true class: the K − 1 errors of its cases."""
    errors = ~np.eye(n_classes, dtype=bool)
    return [errors & (np.arange(n_classes)[:, None] == truth) for truth in range(n_classes)]


def pair_groups(n_classes: int, pairs: Iterable[tuple[int, int]] | None = None) -> list[Mask]:
    """A group per kind of error, or for the pairs (truth, decision) given."""
    if pairs is None:
        pairs = ((int(k), int(j)) for k, j in np.argwhere(~np.eye(n_classes, dtype=bool)))
    groups = []
    for pair in pairs:
        group = np.zeros((n_classes, n_classes), dtype=bool)
        group[pair] = True
        groups.append(group)
    return groups
