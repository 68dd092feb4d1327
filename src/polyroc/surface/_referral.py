"""Which cases to refer to a person: those whose best decision is more expensive than referring.

A case is referred if its lowest expected cost exceeds what referring it costs by more than a
threshold. With calibrated probabilities the best threshold is 0 (Chow 1970); on given cases the
best one is found exactly, because only the order of the excesses matters.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.ties import SLACK
from polyroc.errors import InvalidInput
from polyroc.predictions._containers import read_weights
from polyroc.surface._costs import CostsLike, checked_costs, expected_costs, least_cost
from polyroc.typing import BoolArray, Float64Array, Int64Array, Label

ROUNDING = 1e-12
"""Sums that differ by less are equal."""


class ReferralCosts(NamedTuple):
    """Costs of decisions (K × K) and of referring a case of each class (K)."""

    decisions: Float64Array
    refer: Float64Array


def referral_costs(
    costs: CostsLike | None, refer_cost: Any, classes: tuple[Label, ...]
) -> ReferralCosts | None:
    """Costs of K decisions and of referring, from a K × (K + 1) table or from both parts.

    None where referring has no cost: then it has to be limited otherwise.

    Examples
    --------
    >>> referral_costs([[0, 1, 0.2], [4, 0, 0.2]], None, ("well", "ill")).refer
    array([0.2, 0.2])
    """
    n_classes = len(classes)
    if has_last_column(costs, classes):
        if refer_cost is not None:
            raise InvalidInput(
                "costs have a last column for referring, and refer_cost is given, too. Give one."
            )
        if hasattr(costs, "columns"):
            raise InvalidInput(
                "A frame of costs has a column for each class. Give what referring costs by "
                "refer_cost=, or all costs as an array whose last column is that of referring."
            )
        table = np.asarray(costs, dtype=np.float64)
        costs, refer_cost = table[:, :n_classes], table[:, n_classes]
    if refer_cost is None:
        return None
    decisions = 1 - np.eye(n_classes) if costs is None else checked_costs(costs, classes)
    return ReferralCosts(decisions, _of_classes(refer_cost, classes))


def has_last_column(costs: Any, classes: tuple[Label, ...]) -> bool:
    """Whether costs are a table with a column more than there are classes."""
    if costs is None or isinstance(costs, Mapping):
        return False
    return bool(np.shape(costs) == (len(classes), len(classes) + 1))


def _of_classes(refer_cost: Any, classes: tuple[Label, ...]) -> Float64Array:
    if isinstance(refer_cost, Mapping):
        if set(refer_cost) != set(classes):
            raise InvalidInput(
                f"refer_cost must name each class once, got {shown(list(refer_cost))} for the "
                f"classes {shown(list(classes))}."
            )
        refer_cost = [refer_cost[label] for label in classes]
    values = np.asarray(read_weights(refer_cost, "refer_cost"), dtype=np.float64)
    if values.shape not in ((), (len(classes),)):
        raise InvalidInput(
            f"refer_cost must be a number or one for each of the {len(classes)} classes, got the "
            f"shape {values.shape}."
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise InvalidInput(f"refer_cost must be finite and non-negative, got {shown(refer_cost)}.")
    return np.array(np.broadcast_to(values, len(classes)))


@dataclass(frozen=True, eq=False)
class Referrals:
    """Cases in the order in which they are referred, and what that changes.

    Attributes
    ----------
    excess : (n,) lowest expected cost of each case minus the expected cost of referring it.
    decided, truths, weights : (n,) decisions, true classes, and weights that sum to 1.
    costs : in the units of the user.
    limited, limits : errors (truth, decision) whose rates have limits.
    most : the largest share of the cases that may be referred.
    """

    excess: Float64Array
    decided: Int64Array
    truths: Int64Array
    weights: Float64Array
    costs: ReferralCosts
    limited: tuple[tuple[int, int], ...] = ()
    limits: Float64Array = field(default_factory=lambda: np.zeros(0))
    most: float = 1.0

    @classmethod
    def of(
        cls,
        probabilities: Float64Array,
        truths: Int64Array,
        weights: Float64Array,
        costs: ReferralCosts,
        **limits: Any,
    ) -> "Referrals":
        """From probabilities and true classes."""
        excess, decided = excess_of(probabilities, costs)
        return cls(excess, decided, truths, weights / weights.sum(), costs, **limits)

    def part(self, rows: BoolArray) -> "Referrals":
        """The same of some of the cases."""
        weights = self.weights[rows]
        return replace(
            self,
            excess=self.excess[rows],
            decided=self.decided[rows],
            truths=self.truths[rows],
            weights=weights / weights.sum(),
        )

    def tightened(self, margin: float) -> "Referrals":
        """The same with limits that are lower by so many standard errors of the rates."""
        if not margin or not self.limited:
            return self
        cases = np.bincount(self.truths, minlength=len(self.costs.refer))
        n_cases = np.array([cases[truth] for truth, _ in self.limited], dtype=np.float64)
        spread = np.sqrt(self.limits * (1 - self.limits) / np.maximum(n_cases, 1))
        return replace(self, limits=np.maximum(self.limits - margin * spread, 0))

    def spent(self, referred: BoolArray) -> Float64Array:
        """(n,) what each case costs."""
        plain = self.costs.decisions[self.truths, self.decided]
        return np.where(referred, self.costs.refer[self.truths], plain)

    def rates(self, referred: BoolArray) -> Float64Array:
        """(K, K + 1) share of each class decided as each, and referred."""
        n_classes = len(self.costs.refer)
        table = np.zeros((n_classes, n_classes + 1))
        np.add.at(table, (self.truths, np.where(referred, n_classes, self.decided)), self.weights)
        totals = table.sum(axis=1, keepdims=True)
        found = np.full_like(table, np.nan)
        np.divide(table, totals, out=found, where=totals > 0)
        return found

    def broken(self, referred: BoolArray) -> float:
        """By how much rates exceed their limits, all together."""
        rates = self.rates(referred)
        above = [rates[pair] - limit for pair, limit in zip(self.limited, self.limits, strict=True)]
        return float(sum(each for each in above if each > ROUNDING))

    def best_threshold(self) -> float:
        """The threshold of least cost among those that keep the limits best.

        Referring nothing is one of the choices, so that on these cases nothing is ever more
        expensive than without referrals. Of equals, the fewest referrals.
        """
        order = np.argsort(-self.excess, kind="stable")
        ordered, weights = self.excess[order], self.weights[order]
        referred = np.concatenate([[0.0], np.cumsum(weights)])
        change = (self.costs.refer[self.truths] - self.spent(np.zeros(len(order), bool)))[order]
        cost = np.concatenate([[0.0], np.cumsum(weights * change)])
        between = np.concatenate([[True], ordered[1:] < ordered[:-1], [True]])
        allowed = between & (referred <= self.most + ROUNDING)
        above = self._above_limits(order)
        allowed &= above <= above[allowed].min() + ROUNDING
        allowed &= cost <= cost[allowed].min() + ROUNDING
        return threshold_after(ordered, int(np.flatnonzero(allowed)[0]))

    def _above_limits(self, order: Int64Array) -> Float64Array:
        """Excess over the limits after each number of referrals."""
        found = np.zeros(len(order) + 1)
        for (truth, decision), limit in zip(self.limited, self.limits, strict=True):
            of_class = self.truths[order] == truth
            wrong = of_class & (self.decided[order] == decision)
            total = float(self.weights[order][of_class].sum()) or 1.0
            errors = np.where(wrong, self.weights[order], 0.0)
            left = (errors.sum() - np.concatenate([[0.0], np.cumsum(errors)])) / total
            found += np.where(left > limit + ROUNDING, left - limit, 0.0)
        return found

    def threshold_for_share(self, threshold: float) -> float:
        """The threshold, raised until no more than the allowed share is referred."""
        order = np.argsort(-self.excess, kind="stable")
        reached = np.cumsum(self.weights[order])
        if float(self.weights[self.excess > threshold].sum()) <= self.most + ROUNDING:
            return threshold
        first = int(np.flatnonzero(reached > self.most + ROUNDING)[0])
        return float(self.excess[order[first]])


def threshold_after(falling: Float64Array, count: int) -> float:
    """A threshold that so many of the falling numbers exceed."""
    if count == 0:
        return float("inf")
    return float("-inf") if count == len(falling) else float(falling[count - 1 : count + 1].mean())


def excess_of(probabilities: Float64Array, costs: ReferralCosts) -> tuple[Float64Array, Int64Array]:
    """Least expected cost minus the expected cost of referring, and the decision of least cost.

    Costs that are equal as decimals are equal: such a case is decided.
    """
    decided = least_cost(probabilities, costs.decisions)
    least = expected_costs(probabilities, costs.decisions).min(axis=1)
    excess = least - probabilities @ costs.refer
    slack = SLACK * max(float(costs.decisions.max()), float(costs.refer.max()))
    return np.where(np.abs(excess) <= slack, 0.0, excess), decided
