"""Choosing an operating point on a ROC surface."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import check_choice, shown
from polyroc.errors import InvalidInput, NotDefined
from polyroc.results import text_table
from polyroc.surface._costs import CostsLike, checked_costs, errors, pair_index
from polyroc.surface._gini import signed_distance
from polyroc.surface._limits import ALLOWANCE, checked_limits
from polyroc.typing import BoolArray, Float64Array, Label, ScoresLike

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface

Criterion: TypeAlias = Literal["total_error", "farthest_from_chance"]
CRITERIA: tuple[str, ...] = get_args(Criterion)


@dataclass(frozen=True, eq=False, repr=False)
class SurfacePoint:
    """An operating point of a surface, and why it was chosen.

    Attributes
    ----------
    index : its position on the surface.
    confusion : (K, K) share of each class (row) decided as each class.
    costs : (K, K) costs whose decisions have these rates, in the order of ``classes``;
        ``named_costs`` has them by name, for ``CostSensitiveClassifier``. Only their ratios mean
        something: they were found by the search, and are not the costs that were asked for.
    parameters : of the classifier.
    criterion, value : what was minimised, and how low it is here.
    costs_asked : (K, K) the whole table of costs that ``value`` is the mean of, in the units in
        which it was given and 1 where nothing was given; None where no costs were.
    """

    index: int
    confusion: Float64Array
    costs: Float64Array
    parameters: Float64Array
    classes: tuple[Label, ...]
    criterion: str
    value: float
    surface: "RocSurface"
    costs_asked: Float64Array | None = None

    def rate(self, truth: Any, decided: Any) -> float:
        """Share of the cases of one class that are decided as another."""
        return float(self.confusion[pair_index((truth, decided), self.classes)])

    @property
    def named_costs(self) -> dict[tuple[Label, Label], float]:
        """The costs by (truth, decided), whatever order of classes others keep.

        ``CostSensitiveClassifier(estimator, point.named_costs)`` deploys the choice.
        """
        return {
            (truth, decided): float(self.costs[k, j])
            for k, truth in enumerate(self.classes)
            for j, decided in enumerate(self.classes)
            if k != j
        }

    def decide(self, X: ScoresLike) -> NDArray[Any]:
        """Decisions for new cases; for a ``ScoreModel``, ``X`` are their scores."""
        return self.surface.decide(X, self.index)

    def __repr__(self) -> str:
        shares = f"{self.criterion} = {self.value:.4f}; share of each class decided as …"
        parts = [shares, self._table(self.confusion)]
        if self.costs_asked is not None:
            parts += ["costs asked for, 1 where none was named", self._table(self.costs_asked)]
        return "\n".join(parts)

    def _table(self, table: Float64Array) -> str:
        rows: list[dict[str, Any]] = [
            {"truth": str(truth), **dict(zip(map(str, self.classes), row.tolist(), strict=True))}
            for truth, row in zip(self.classes, table, strict=True)
        ]
        return text_table(rows)


def choose(
    surface: "RocSurface",
    costs: CostsLike | None,
    limits: Mapping[tuple[Any, Any], float] | None,
    criterion: Criterion | None,
    priors: Float64Array,
) -> SurfacePoint:
    """The member with the least value among those within the limits; the first of equals."""
    if not len(surface):
        raise NotDefined("There is nothing to choose from: the surface has no operating points.")
    if costs is not None and criterion is not None:
        raise InvalidInput("Give costs or a criterion, not both: each says what to minimise.")
    if costs is None and criterion is None:
        if limits is None:
            raise InvalidInput(
                "Say what is best: costs=, limits=, or criterion= one of " + ", ".join(CRITERIA)
            )
        criterion = "total_error"
    table = None if costs is None else checked_costs(costs, surface.classes)
    name, values = _values(surface, table, criterion, priors)
    allowed = _within(surface, limits)
    index = int(np.flatnonzero(allowed)[np.argmin(values[allowed])])
    return SurfacePoint(
        index,
        surface.confusion[index],
        surface.costs[index],
        surface.parameters[index],
        surface.classes,
        name,
        float(values[index]),
        surface,
        table,
    )


def _values(
    surface: "RocSurface", costs: Float64Array | None, criterion: str | None, priors: Float64Array
) -> tuple[str, Float64Array]:
    """What is to be minimised, its name and a value for each member."""
    if costs is not None:
        return "expected cost", surface.rates @ errors(costs * priors[:, None])
    check_choice(criterion, "criterion", CRITERIA)
    if criterion == "farthest_from_chance":
        return "signed distance from chance", signed_distance(surface.rates, surface.n_classes)
    ones = np.ones((surface.n_classes, surface.n_classes))
    return "total error", surface.rates @ errors(ones * priors[:, None])


def _within(surface: "RocSurface", limits: Mapping[tuple[Any, Any], float] | None) -> BoolArray:
    """Which members keep all limits; an error that tells the least that is reached if none does."""
    allowed = np.ones(len(surface), dtype=bool)
    tables = surface.confusion
    for (row, column), most in checked_limits(limits, surface.classes).items():
        kept = allowed & (tables[:, row, column] <= most + ALLOWANCE)
        if not kept.any():
            least = tables[allowed, row, column].min()
            before = " within the limits before it" if not allowed.all() else ""
            pair = (surface.classes[row], surface.classes[column])
            raise NotDefined(
                f"No operating point keeps the rate of {shown(pair)} at or below {most:g}: "
                f"the least{before} is {least:.4g}. Allow more, or drop another limit."
            )
        allowed = kept
    return allowed
