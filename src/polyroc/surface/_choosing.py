"""Choosing an operating point on a ROC surface."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from polyroc._base.checks import check_choice
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface._cost_space import CostBounds, CostSpace, checked_alpha, cost_space
from polyroc.surface._costs import CostsLike, checked_costs, errors
from polyroc.surface._curvature import N_SAMPLES, Curvature, curvature_of
from polyroc.surface._gini import signed_distance
from polyroc.surface._limits import ALLOWANCE, checked_limits, held_limits, in_words
from polyroc.surface._objectives import RatesFunction, function_values
from polyroc.surface._operating_point import KNEE, OBJECTIVE, SurfacePoint
from polyroc.surface._point_certainty import effective_cases
from polyroc.surface._referral import has_last_column, referral_costs
from polyroc.surface._referring_point import Goal, ReferringPoint, checked_share, refer_from
from polyroc.typing import BoolArray, Float64Array, PriorsLike, RandomState

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface

Criterion: TypeAlias = Literal["total_error", "farthest_from_chance", "knee"]
CRITERIA: tuple[str, ...] = get_args(Criterion)


@dataclass(frozen=True, eq=False)
class Wish:
    """What is best, and what is allowed; see :meth:`RocSurface.choose`."""

    costs: CostsLike | None = None
    limits: Mapping[tuple[Any, Any], float] | None = None
    criterion: Criterion | None = None
    objective: RatesFunction | None = None
    priors: PriorsLike | None = None
    confidence: float | None = None
    cost_bounds: CostBounds | None = None
    alpha: Any = None
    rng: RandomState = 0
    reject_at_most: float | None = None
    refer_cost: Any = None

    def checked_criterion(self) -> Criterion | None:
        """The criterion; the total error where only limits are given."""
        given = [self.costs is not None, self.criterion is not None, self.objective is not None]
        if sum(given) > 1:
            raise InvalidInput(
                "Give costs, a criterion or an objective, not both: each says what to minimise."
            )
        if not any(given):
            if self.limits is None:
                raise InvalidInput(
                    "Say what to optimise: costs=, limits=, objective=, or criterion= one of "
                    + f"{', '.join(CRITERIA)}."
                )
            return "total_error"
        if self.criterion is not None:
            check_choice(self.criterion, "criterion", CRITERIA)
        if self.alpha is not None and self.criterion != "knee":
            raise InvalidInput('alpha is the distribution of costs of criterion="knee".')
        return self.criterion


def choose(surface: "RocSurface", wish: Wish) -> SurfacePoint:
    """The best member among those within limits and bounds; the first of equals."""
    if not len(surface):
        raise NotDefined("There is nothing to choose from: the surface has no operating points.")
    if wish.refer_cost is not None:
        raise InvalidInput("refer_cost goes with reject_at_most, the share that may be referred.")
    criterion = wish.checked_criterion()
    priors = surface.priors(wish.priors)
    table = None if wish.costs is None else checked_costs(wish.costs, surface.classes)
    space = space_of(surface, wish.alpha, wish.cost_bounds)
    if criterion == "knee":
        found = knees(surface, space, wish.priors, rng=wish.rng)
        name, values = KNEE, np.where(found.trivial, 0.0, -found.utilities)
    elif wish.objective is not None:
        name, values = OBJECTIVE, function_values(surface.rates, wish.objective)
    else:
        name, values = _linear_values(surface, table, criterion, priors)
    allowed = _within(surface, wish.limits, wish.confidence) & _inside(surface, space)
    if not allowed.any():
        raise NotDefined("No operating point meets both the limits and the cost_bounds.")
    index = int(np.flatnonzero(allowed)[np.argmin(values[allowed])])
    if name == KNEE and not values[index] < 0:
        raise NotDefined(
            "No operating point that is allowed is the best for any costs, so there is no knee: "
            "others, or always choosing one class, cost less. Allow more."
        )
    value = abs(values[index]) if name == KNEE else values[index]
    return SurfacePoint(
        index,
        surface.confusion[index],
        surface.costs[index],
        surface.parameters[index],
        surface.classes,
        name,
        float(value),
        surface,
        table,
        priors,
        space.share,
    )


def choose_with_referrals(surface: "RocSurface", wish: Wish) -> ReferringPoint:
    """The best point and threshold, some of the cases being referred to a person."""
    most = checked_share(wish.reject_at_most)
    if not len(surface):
        raise NotDefined("There is nothing to choose from: the surface has no operating points.")
    if wish.checked_criterion() not in (None, "total_error") or wish.objective is not None:
        raise InvalidInput(
            'Cases are referred for costs=, limits= or criterion="total_error". '
            "Leave reject_at_most out for another criterion."
        )
    costs = {} if wish.costs is None else wish.costs
    refer = 0.0 if wish.refer_cost is None else wish.refer_cost
    last_column = has_last_column(costs, surface.classes)
    table = referral_costs(costs, wish.refer_cost if last_column else refer, surface.classes)
    assert table is not None  # there is a cost of referring
    whole = np.column_stack([table.decisions, table.refer])
    limits = _held(surface, checked_limits(wish.limits, surface.classes), wish.confidence)
    priors = surface.priors(wish.priors)
    goal = Goal(whole, priors, priors / surface.priors(), limits, most)
    allowed = _inside(surface, space_of(surface, wish.alpha, wish.cost_bounds))
    name = "total error" if wish.costs is None and not table.refer.any() else "expected cost"
    return refer_from(surface, allowed, goal, name)


def space_of(surface: "RocSurface", alpha: Any, bounds: CostBounds | None) -> CostSpace:
    """The costs that ``alpha`` and ``cost_bounds`` describe."""
    checked = None if alpha is None else np.array(checked_alpha(alpha, surface.n_classes))
    return cost_space(bounds, checked, surface.classes)


def knees(
    surface: "RocSurface",
    space: CostSpace,
    priors: PriorsLike | None,
    *,
    n_samples: int = N_SAMPLES,
    rng: RandomState = 0,
    trivial: bool = True,
) -> Curvature:
    """Curvature of a surface, for costs that weigh rates or, times priors, cases.

    Costs about which nothing is said weigh the rates themselves. Where bounds or a distribution of
    them are given, they are costs of a case, as in the search, and classes count by their priors.
    """
    said = space.bounded or not (space.alpha == 1).all() or priors is not None
    weights = np.repeat(surface.priors(priors), surface.n_classes - 1) if said else None
    return curvature_of(
        surface.rates, surface.n_classes, space, weights,
        n_samples=n_samples, rng=rng, trivial=trivial,
    )  # fmt: skip


def _linear_values(
    surface: "RocSurface", costs: Float64Array | None, criterion: str | None, priors: Float64Array
) -> tuple[str, Float64Array]:
    """What is to be minimised, its name and a value for each member."""
    if costs is not None:
        return "expected cost", surface.rates @ errors(costs * priors[:, None])
    if criterion == "farthest_from_chance":
        return "signed distance from chance", signed_distance(surface.rates, surface.n_classes)
    ones = np.ones((surface.n_classes, surface.n_classes))
    return "total error", surface.rates @ errors(ones * priors[:, None])


def _inside(surface: "RocSurface", space: CostSpace) -> BoolArray:
    """Which members decide by costs within the bounds; an error if none does."""
    if not space.bounded:
        return np.ones(len(surface), dtype=bool)
    costs = errors(surface.costs)
    inside = space.contains(costs / costs.sum(axis=1, keepdims=True))
    if not inside.any():
        raise NotDefined(
            f"No operating point of this surface decides by costs within cost_bounds, which leave "
            f"{100 * space.share:.3g} % of the cost space. Search with search(…, cost_bounds=…)."
        )
    return inside


def _within(
    surface: "RocSurface",
    limits: Mapping[tuple[Any, Any], float] | None,
    confidence: float | None,
) -> BoolArray:
    """Which members keep all limits; an error that tells the least that is reached if none does."""
    allowed = np.ones(len(surface), dtype=bool)
    tables = surface.confusion
    checked = checked_limits(limits, surface.classes)
    held = _held(surface, checked, confidence)
    for (row, column), most in held.items():
        kept = allowed & (tables[:, row, column] <= most + ALLOWANCE)
        if not kept.any():
            least = tables[allowed, row, column].min()
            before = " within the limits before it" if not allowed.all() else ""
            pair = (surface.classes[row], surface.classes[column])
            limit = checked[row, column]
            sure = (
                "" if confidence is None else f", to hold {limit:g} with confidence {confidence:g}"
            )
            raise NotDefined(
                f"No operating point keeps the rate of {in_words(pair)} at or below {most:.4g}"
                f"{sure}: the least{before} is {least:.4g}. Allow more, or drop another limit."
            )
        allowed = kept
    return allowed


def _held(
    surface: "RocSurface", limits: dict[tuple[int, int], float], confidence: float | None
) -> dict[tuple[int, int], float]:
    """Limits on the rates seen, so that those asked for hold with the confidence."""
    if confidence is None:
        return limits
    if not limits:
        raise InvalidInput("confidence applies to limits. Give limits=, too.")
    cases = getattr(surface.model, "cases", None)
    if cases is None:
        raise NotDefined(
            "How certainly a limit holds depends on the cases, which the surface does not have. "
            "Count its rates on cases with surface.rescore(X, y) first."
        )
    if cases.grouped:
        raise NotDefined(
            "How certainly a limit holds is computed for independent cases, and these belong to "
            "groups. Make the ScoreModel from predictions without groups if they are independent."
        )
    return held_limits(limits, confidence, effective_cases(cases), surface.classes)
