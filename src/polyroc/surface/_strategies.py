"""Where a generation's costs come from, and how far its parameters move."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from polyroc._base.checks import check_choice
from polyroc.surface._archive import Archive
from polyroc.surface._cost_space import CostSpace
from polyroc.surface._thresholds import between_thresholds
from polyroc.surface.models.model import Model
from polyroc.typing import Float64Array

Strategy: TypeAlias = Literal["inherit", "paper"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)

Selection: TypeAlias = Literal["pqrs", "uniform"]
SELECTIONS: tuple[str, ...] = get_args(Selection)


@dataclass(frozen=True)
class SearchStrategy:
    """How a search makes new operating points: ``search(…, strategy=SearchStrategy(…))``.

    Parameters
    ----------
    costs : ``"inherit"`` or ``"paper"``, as ``strategy`` of :func:`polyroc.surface.search`.
    selection : of the member whose parameters are perturbed. ``"pqrs"``: partitioned quasi-random
        selection (Fieldsend et al. 2003): an objective at random, one of 20 equal bins of its range
        in turn, a member of the bin at random, so that crowded parts of the front are not searched
        more than others. ``"uniform"``: all members with equal probability, which §3 of Everson &
        Fieldsend 2006 allows too.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, SearchStrategy, search
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> uniform = SearchStrategy(selection="uniform")
    >>> len(search(model, strategy=uniform, generations=10, rng=0, progress=False))
    2
    """

    costs: Strategy = "inherit"
    selection: Selection = "pqrs"

    def __post_init__(self) -> None:
        check_choice(self.costs, "costs", STRATEGIES)
        check_choice(self.selection, "selection", SELECTIONS)


def checked_strategy(strategy: Any) -> SearchStrategy:
    """A strategy by name, or as given."""
    if isinstance(strategy, SearchStrategy):
        return strategy
    check_choice(strategy, "strategy", STRATEGIES)
    return SearchStrategy(strategy)


CHILDREN = 2
"""Parents, and perturbed parameters of each, between which a generation divides its costs."""

INHERITED = 0.9
"""Share of the costs that descend from those of members."""

FROM_PARENT = 0.5
"""Share of those that descend from the costs of the selected parent."""

STEPPED = 0.3
"""Share of them that step one cost over thresholds at which a decision changes."""

COST_STEPS = (0.3, 1.0)
"""Range of the standard deviation, on the log scale, by which inherited costs vary."""

PARAMETER_STEPS = (0.1, 3.0)
"""Range of the factor on the model's scale of noise."""


@dataclass(frozen=True)
class Variation:
    """Children of a parent: new parameters, and costs to try with them."""

    strategy: Strategy
    alpha: Float64Array
    focused: bool
    """Whether the user gave ``alpha``, so that costs are to stay where it has them."""
    space: CostSpace
    """Where costs may lie."""

    @property
    def steps_at_start(self) -> bool:
        """Whether costs may also come from thresholds before there are members."""
        return self.strategy == "inherit" and not self.focused

    def costs_per_child(self, n_costs: int) -> list[int]:
        """How many costs each child of a generation gets: all, or a part each.

        Inherited costs find in few tries what a child is good for.
        """
        if self.strategy == "paper":
            return [n_costs]
        edges = [n_costs * child // CHILDREN for child in range(CHILDREN + 1)]
        return [end - start for start, end in pairwise(edges) if end > start]

    def parameters(
        self, model: Model, parent: Float64Array, rng: np.random.Generator
    ) -> Float64Array:
        """Perturbed parameters.

        Algorithm 1 has one scale of noise. Inheritance draws the scale as well, from fine to
        coarse, since what is too coarse near the end of a search is too fine at its start.
        """
        scale = 1.0 if self.strategy == "paper" else _log_uniform(rng, PARAMETER_STEPS, 1)[0]
        return model.perturb(parent, rng, float(scale))

    def costs(
        self,
        archive: Archive,
        parent: int,
        probabilities: Float64Array,
        number: int,
        rng: np.random.Generator,
    ) -> Float64Array:
        """(number, D) costs: all fresh, or most of them descendants of members' costs."""
        if self.strategy == "paper":
            return self.fresh(number, rng)
        n_inherited = rng.binomial(number, INHERITED)
        whose = rng.integers(archive.size, size=n_inherited)
        whose[: round(FROM_PARENT * n_inherited)] = parent
        before = archive.costs[whose]
        n_stepped = round(STEPPED * n_inherited)
        stepped = self._stepped(archive.costs[parent], probabilities, n_stepped, rng)
        varied = self._varied(before[n_stepped:], rng)
        fresh = self.fresh(number - len(stepped) - len(varied), rng)
        return np.vstack([stepped, varied, fresh])

    def fresh(self, number: int, rng: np.random.Generator) -> Float64Array:
        """Draws from the Dirichlet distribution (eq. 8), within the bounds where there are some."""
        return self.space.draw(number, rng)

    def _varied(self, before: Float64Array, rng: np.random.Generator) -> Float64Array:
        """Each entry of the costs times exp(step · normal)."""
        steps = _log_uniform(rng, COST_STEPS, len(before))[:, None]
        after = before * np.exp(steps * rng.standard_normal(before.shape))
        after /= after.sum(axis=1, keepdims=True)
        after = self._within_bounds(before, after, rng)
        return self._kept_in_focus(before, after, rng) if self.focused else after

    def _stepped(
        self,
        before: Float64Array,
        probabilities: Float64Array,
        most: int,
        rng: np.random.Generator,
    ) -> Float64Array:
        """One cost, drawn at random, set between some of its thresholds; the others as before."""
        options = between_thresholds(before, int(rng.integers(len(before))), probabilities)
        after = options[rng.permutation(len(options))[:most]]
        after = self._within_bounds(before, after, rng)
        if self.focused:
            return self._kept_in_focus(np.broadcast_to(before, after.shape), after, rng)
        return after

    def _within_bounds(
        self, before: Float64Array, after: Float64Array, rng: np.random.Generator
    ) -> Float64Array:
        """Costs that left the bounds end somewhere on the way to where they left them."""
        if not self.space.bounded:
            return after
        return self.space.pulled(before, after, rng.random(len(after)))

    def _kept_in_focus(
        self, before: Float64Array, after: Float64Array, rng: np.random.Generator
    ) -> Float64Array:
        """Fresh costs in place of those that strayed to where α has few.

        A step to costs of lower density is taken with the ratio of the densities, as in a
        Metropolis walk; otherwise generations of steps would forget α.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            change = ((self.alpha - 1) * (np.log(after) - np.log(before))).sum(axis=1)
        strayed = ~(np.log(rng.random(len(after))) < change)
        after[strayed] = self.fresh(int(strayed.sum()), rng)
        return after


def _log_uniform(
    rng: np.random.Generator, limits: tuple[float, float], number: int
) -> Float64Array:
    low, high = limits
    return np.asarray(low * (high / low) ** rng.random(number))
