"""What is known of the costs: bounds on them and on their ratios, and draws from what is left.

Costs λ have sum 1, so that they are shares. Bounds on a share and on a ratio of two of them are
linear in λ, and leave a convex part of the simplex. It may be a small part, which draws from the
whole simplex would miss. So a population of draws is led into it: the bounds are first relaxed
until they keep a fifth of the population, the rest is replaced by copies that then move along
random chords of what the relaxed bounds allow, and so on until the bounds themselves hold (subset
simulation, Au & Beck 2001). The product of the shares kept is the share of the cost space left.
Chords have the directions of differences between members, which makes the moves as good in a thin
part as in a round one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import is_real, shown
from polyroc._base.lazy import lazy_property
from polyroc.errors import InvalidInput, InvalidType, PolyrocError
from polyroc.predictions._containers import read_weights
from polyroc.surface._costs import errors, pair_index
from polyroc.surface.models.model import LARGEST
from polyroc.typing import BoolArray, Float64Array, Label

CostBounds: TypeAlias = Mapping[Any, tuple[float, float]]
"""From (truth, decided), or from two of these, to the least and the greatest cost or ratio."""

POPULATION = 4096
_DRAWS = 1 << 17
_ENOUGH = 1000
"""Of so many draws from the whole simplex inside of the bounds, no population need be led there."""
_KEPT = 0.2
_MOVES = 30
_MARGIN = 1e-12
"""How far inside of the bounds draws stay, so that rounding does not take them out."""
_LEAST_ROOM = 1e-9
_SEED = 20060


@dataclass(frozen=True)
class Bound:
    """Least and greatest value of a cost, or of its ratio to another, by position."""

    cost: int
    other: int | None
    low: float
    high: float

    def rows(self, n_costs: int) -> list[tuple[Float64Array, float]]:
        """Rows a and limits b with a · λ ≤ b; none where a bound says nothing."""
        own = np.eye(n_costs)[self.cost]
        found = []
        if self.other is None:
            found += [(-own, -self.low)] if self.low > 0 else []
            return found + ([(own, self.high)] if self.high < 1 else [])
        rival = np.eye(n_costs)[self.other]
        found += [(self.low * rival - own, 0.0)] if self.low > 0 else []
        return found + ([(own - self.high * rival, 0.0)] if np.isfinite(self.high) else [])


@dataclass(frozen=True, eq=False)
class CostSpace:
    """Costs with sum 1: a Dirichlet distribution of them, within bounds.

    Attributes
    ----------
    alpha : (D,) parameters of the Dirichlet distribution, all 1 for the uniform one.
    bounds : on costs and ratios of costs, by position.
    """

    alpha: Float64Array
    bounds: tuple[Bound, ...] = ()

    @lazy_property
    def _constraints(self) -> tuple[Float64Array, Float64Array]:
        """Rows of length 1 and their limits, those of λ ≥ 0 last."""
        n_costs = len(self.alpha)
        given = [row for bound in self.bounds for row in bound.rows(n_costs)]
        rows = np.array([row for row, _ in given]).reshape(-1, n_costs)
        lengths = np.hypot.reduce(rows, axis=1, keepdims=True)  # squares may not exist
        limits = np.array([limit for _, limit in given]) / lengths[:, 0]
        rows = np.vstack([rows / lengths, -np.eye(n_costs)])
        return rows, np.append(limits, np.zeros(n_costs))

    @property
    def bounded(self) -> bool:
        """Whether the bounds leave anything out."""
        return len(self._constraints[1]) > len(self.alpha)

    def contains(self, costs: Float64Array) -> BoolArray:
        """Which of (m, D) costs with sum 1 lie within the bounds."""
        rows, limits = self._constraints
        return np.asarray((costs @ rows.T <= limits + _MARGIN).all(axis=1))

    def draw(self, number: int, rng: np.random.Generator) -> Float64Array:
        """(number, D) costs; within bounds members of the population, each moved several times."""
        if not self.bounded:
            return rng.dirichlet(self.alpha, number)
        points, _, _ = self._population
        drawn = points[rng.integers(len(points), size=number)]
        for _ in range(4):
            drawn = self._moved(drawn, points, _MARGIN, rng)
        return drawn

    def pulled(
        self, inside: Float64Array, costs: Float64Array, reach: Float64Array | float = 1.0
    ) -> Float64Array:
        """Costs that lie outside, brought back towards costs inside: ``reach`` times as far as
        the bounds allow."""
        if not self.bounded or not len(costs):
            return costs
        inside = np.broadcast_to(inside, costs.shape)
        _, most = self._chord(inside, costs - inside, _MARGIN)
        way = np.where(most < 1, most * reach, 1.0)[:, None]
        return np.where(most[:, None] < 1, inside + way * (costs - inside), costs)

    @property
    def centre(self) -> Float64Array:
        """The mean of the population, which is inside: what is left is convex."""
        if not self.bounded:
            return np.asarray(self.alpha / self.alpha.sum())
        return np.asarray(self._population[0].mean(axis=0))

    @property
    def share(self) -> float:
        """Probability of the bounds under the Dirichlet distribution; exact for two costs."""
        if not self.bounded:
            return 1.0
        if len(self.alpha) == 2:
            return float(np.diff(self.distribution(np.array(self.interval)))[0])
        return self._population[1]

    @property
    def share_error(self) -> float:
        """Standard error of ``share``: 0 where it is exact."""
        exact = not self.bounded or len(self.alpha) == 2
        return 0.0 if exact else self._population[2]

    @property
    def interval(self) -> tuple[float, float]:
        """Of two costs, the least and the greatest first one."""
        rows, limits = self._constraints
        slopes, room = rows[:, 0] - rows[:, 1], limits - rows[:, 1]
        low = (room[slopes < 0] / slopes[slopes < 0]).max()  # costs are not negative
        high = (room[slopes > 0] / slopes[slopes > 0]).min()
        return float(low), float(high)

    def distribution(self, first: Float64Array) -> Float64Array:
        """Of two costs, the distribution function of the first, without bounds."""
        from scipy.special import betainc

        return np.asarray(betainc(*self.alpha, first))

    # The population

    @lazy_property
    def _population(self) -> tuple[Float64Array, float, float]:
        """Costs spread over what the bounds leave, the share that is left, its standard error."""
        self._check_room()
        rng = np.random.default_rng(_SEED)
        plain = rng.dirichlet(self.alpha, _DRAWS)
        inside = plain[self._within(plain)]
        if len(inside) >= _ENOUGH:
            share = len(inside) / _DRAWS
            points = inside[rng.integers(len(inside), size=POPULATION)]
            return points, share, float(np.sqrt(share * (1 - share) / _DRAWS))
        return self._led_inside(plain[:POPULATION], rng)

    def _within(self, points: Float64Array) -> BoolArray:
        """Which points lie inside of the bounds by the margin."""
        rows, limits = self._constraints
        given = slice(len(rows) - len(self.alpha))
        return np.asarray((points @ rows[given].T <= limits[given] - _MARGIN).all(axis=1))

    def _led_inside(
        self, points: Float64Array, rng: np.random.Generator
    ) -> tuple[Float64Array, float, float]:
        """A population that relaxed bounds, tightened step by step, lead to where bounds hold."""
        rows, limits = self._constraints
        share, variance, level = 1.0, 0.0, np.inf
        while level > -_MARGIN:
            excess = (points @ rows.T - limits)[:, : -len(self.alpha)].max(axis=1)
            level = max(float(np.quantile(excess, _KEPT)), -_MARGIN)
            kept = points[excess <= level]
            share *= len(kept) / POPULATION
            variance += (POPULATION / len(kept) - 1) / POPULATION
            points = kept[rng.integers(len(kept), size=POPULATION)]
            for _ in range(_MOVES):
                points = self._moved(points, points, -level, rng)
        return points, share, share * float(np.sqrt(variance))

    def _check_room(self) -> None:
        """An error if the bounds contradict each other or leave a part of no volume."""
        from scipy.optimize import linprog

        rows, limits = self._constraints
        n_costs = len(self.alpha)
        found = linprog(
            np.append(np.zeros(n_costs), -1.0),
            A_ub=np.column_stack([rows, np.ones(len(rows))]),
            b_ub=limits,
            A_eq=np.append(np.ones(n_costs), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, 1)] * n_costs + [(None, 1)],
        )
        if found.x is None or found.x[-1] < _LEAST_ROOM:
            raise InvalidInput(
                "cost_bounds leave no costs: they contradict each other, or leave no room between "
                "them. Costs have sum 1. Widen the bounds."
            )

    def _moved(
        self, points: Float64Array, others: Float64Array, margin: float, rng: np.random.Generator
    ) -> Float64Array:
        """Each point somewhere else on a chord through it; the distribution stays the same."""
        pair = rng.integers(len(others), size=(2, len(points)))
        direction = _unit(others[pair[0]] - others[pair[1]])
        least, most = self._chord(points, direction, margin)
        after = points + (least + (most - least) * rng.random(len(points)))[:, None] * direction
        np.maximum(after, 0.0, out=after)
        after /= after.sum(axis=1, keepdims=True)
        if (self.alpha == 1).all():
            return after
        with np.errstate(divide="ignore", invalid="ignore"):
            change = ((self.alpha - 1) * (np.log(after) - np.log(points))).sum(axis=1)
        taken = np.log(rng.random(len(points))) < change
        return np.where(taken[:, None], after, points)

    def _chord(
        self, points: Float64Array, direction: Float64Array, margin: float
    ) -> tuple[Float64Array, Float64Array]:
        """How far each point can go back and forth within bounds tightened by ``margin``."""
        rows, limits = self._constraints
        room = limits - points @ rows.T
        room[:, : -len(self.alpha)] -= margin
        speed = direction @ rows.T
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.maximum(room, 0.0) / speed
        forth = np.where(speed > 0, steps, np.inf).min(axis=1)
        back = np.where(speed < 0, steps, -np.inf).max(axis=1)
        still = ~(np.isfinite(forth) & np.isfinite(back))  # no direction at all
        return np.where(still, 0.0, back), np.where(still, 0.0, forth)


def _unit(directions: Float64Array) -> Float64Array:
    """Directions of length 1 and sum 0; none between members that are the same but for rounding."""
    centred = directions - directions.mean(axis=1, keepdims=True)
    lengths = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    return np.where(lengths > 1e-12, centred / np.maximum(lengths, 1e-12), 0.0)


def cost_space(
    bounds: CostBounds | None, alpha: Float64Array | None, classes: Sequence[Label]
) -> CostSpace:
    """The costs that bounds allow, checked.

    Examples
    --------
    A false negative costs three to ten times as much as a false alarm:

    >>> missed, alarm = ("ill", "well"), ("well", "ill")
    >>> space = cost_space({(missed, alarm): (3, 10)}, None, ("ill", "well"))
    >>> round(space.share, 4)  # from 3/4 to 10/11 of the sum of both
    0.1591
    """
    n_costs = len(classes) * (len(classes) - 1)
    known = np.ones(n_costs) if alpha is None else np.asarray(alpha, dtype=np.float64)
    if bounds is None:
        return CostSpace(known)
    if not isinstance(bounds, Mapping):
        raise InvalidType(
            f"cost_bounds must map (truth, decided) to (low, high), got {shown(bounds)}."
        )
    checked = tuple(_bound(key, both, classes) for key, both in bounds.items())
    return bounded_space(tuple(known.tolist()), checked)


@lru_cache(maxsize=32)
def bounded_space(alpha: tuple[float, ...], bounds: tuple[Bound, ...]) -> CostSpace:
    """The same space for the same bounds, whose population takes a moment."""
    space = CostSpace(np.array(alpha), bounds)
    if space.bounded:
        space._check_room()
    return space


def _bound(key: Any, both: Any, classes: Sequence[Label]) -> Bound:
    """A bound by position; the key is an error, or two for the ratio of their costs."""
    ratio = isinstance(key, tuple) and len(key) == 2 and all(isinstance(e, tuple) for e in key)
    low, high = _ends(key, both)
    if ratio:
        first, second = (_place(pair, classes) for pair in key)
        if first == second:
            raise InvalidInput(f"cost_bounds has the ratio of {shown(key[0])} to itself.")
        return Bound(first, second, low, high)
    if high > 1:
        raise InvalidInput(
            f"The bounds of the cost of {shown(key)} must lie from 0 to 1, got {shown(both)}: costs"
            " have sum 1. Bound ratios of costs by {((truth, decided), (truth, decided)): (low, "
            "high)}."
        )
    return Bound(_place(key, classes), None, low, high)


def _ends(key: Any, both: Any) -> tuple[float, float]:
    """The least and the greatest value; an infinite one is no limit."""
    several = isinstance(both, (tuple, list)) or (isinstance(both, np.ndarray) and both.ndim == 1)
    pair = tuple(both) if several and len(both) == 2 else ()
    endless = bool(pair) and isinstance(pair[1], (float, np.floating)) and pair[1] == np.inf
    numbers = pair and is_real(pair[0]) and (endless or is_real(pair[1]))
    if not (numbers and 0 <= pair[0] < pair[1]):
        raise InvalidInput(
            f"The bounds of {shown(key)} must be (low, high) with 0 ≤ low < high, got "
            f"{shown(both)}."
        )
    return float(pair[0]), float(pair[1])


def _place(pair: Any, classes: Sequence[Label]) -> int:
    """Position of an error among the off-diagonal entries in row-major order."""
    truth, decided = pair_index(pair, classes)
    return truth * (len(classes) - 1) + decided - (decided > truth)


def checked_alpha(alpha: ArrayLike, n_classes: int) -> tuple[float, ...]:
    """Parameters of a Dirichlet distribution of the D costs, from a number or a K × K table."""
    try:
        values = np.array(read_weights(alpha, "alpha"))
    except PolyrocError:
        values = np.zeros(0)
    n_rates = n_classes * (n_classes - 1)
    if values.ndim == 0:
        values = np.full(n_rates, values)
    elif values.shape == (n_classes, n_classes):
        values = errors(values)
    moderate = (values >= 1 / LARGEST) & (values <= LARGEST)  # draws of others may not exist
    if values.shape != (n_rates,) or not moderate.all():
        raise InvalidInput(
            f"alpha must be a positive number or a {n_classes} × {n_classes} table of positive "
            f"numbers off its diagonal, got {shown(alpha)}."
        )
    return tuple(values.tolist())
