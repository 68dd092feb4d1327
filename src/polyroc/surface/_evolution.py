"""Algorithm 1 of Everson & Fieldsend 2006, one generation at a time."""

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.kernels.archive import select_from_bin
from polyroc.surface._archive import Archive
from polyroc.surface._cost_space import Bound, bounded_space
from polyroc.surface._gini import GiniTracker
from polyroc.surface._objectives import Minimised, objective_names, searched
from polyroc.surface._rates import error_rates, model_probabilities
from polyroc.surface._strategies import Selection, Strategy, Variation
from polyroc.surface._thresholds import first_thresholds
from polyroc.surface.models.model import LARGEST, Model
from polyroc.typing import Float64Array

FIRST_MEMBERS = 100
"""Random parameters and costs that begin the archive, as in the paper."""

EVALUATIONS_BETWEEN_MARKS = 10_000
"""Evaluations after which G is noted, to tell whether a search still gains."""

_BINS = 20
_GOLDEN = 0.6180339887498949
"""Multiples of the golden ratio modulo 1 visit the bins evenly in an order without pattern."""


@dataclass(frozen=True)
class Settings:
    """What a search does in each generation."""

    costs_per_generation: int
    objectives: Minimised
    strategy: Strategy
    alpha: tuple[float, ...] | None
    bounds: tuple[Bound, ...] = ()
    selection: Selection = "pqrs"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; what is as in earlier versions is written as they wrote it."""
        plain: dict[str, Any] = {
            "costs_per_generation": self.costs_per_generation,
            "objectives": objective_names(self.objectives),
            "strategy": self.strategy,
            "alpha": None if self.alpha is None else list(self.alpha),
        }
        if self.bounds:
            plain["cost_bounds"] = [list(astuple(bound)) for bound in self.bounds]
        return plain if self.selection == "pqrs" else {**plain, "selection": self.selection}


class Evolution:
    """An archive that generations of perturbed parameters and varied costs improve.

    All randomness comes from one generator, whose state is part of ``snapshot``: a search that is
    stopped and resumed draws what it would have drawn.
    """

    def __init__(
        self, model: Model, settings: Settings, seed: int, n_threads: int | None = None
    ) -> None:
        n_classes = len(model.cases.classes)
        n_rates = n_classes * (n_classes - 1)
        self.model, self.settings, self.seed, self.n_threads = model, settings, seed, n_threads
        self.rng = np.random.default_rng(seed)
        alpha = np.ones(n_rates) if settings.alpha is None else np.array(settings.alpha)
        self.space = bounded_space(tuple(alpha.tolist()), settings.bounds)
        focused = settings.alpha is not None
        self.variation = Variation(settings.strategy, alpha, focused, self.space)
        self.archive = Archive(n_classes, len(model.noise), searched(settings.objectives))
        self._tracker = GiniTracker(n_classes)
        self._untracked: list[Float64Array] = []
        self.generation = 0
        self.children = 0
        self.evaluations = 0
        self.history: list[tuple[int, int, float]] = []
        self.marks: list[tuple[int, float]] = []
        self._between_marks = -(-EVALUATIONS_BETWEEN_MARKS // settings.costs_per_generation)

    def begin(self) -> None:
        """Evaluate random costs with random parameters, or with the model's seeds if it has some.

        Where there are no parameters and costs are inherited, each cost is also stepped over its
        thresholds.
        """
        costs = self.variation.fresh(FIRST_MEMBERS, self.rng)
        seeds = self.model.seeds(self.rng) or [self.model.draw(self.rng) for _ in costs]
        for first, seed in enumerate(seeds):
            probabilities = model_probabilities(self.model, seed)
            self._evaluate(seed, probabilities, costs[first :: len(seeds)])
        if not self.archive.n_parameters and self.variation.steps_at_start:
            self._step_over_thresholds()
        self.marks = [(0, self.share())]

    def _step_over_thresholds(self) -> None:
        nothing = np.zeros(0)
        probabilities = model_probabilities(self.model, nothing)
        for costs in first_thresholds(probabilities, self.model.cases, self.space):
            self._evaluate(nothing, probabilities, costs)

    def advance(self) -> None:
        """One generation: lines 3–13 of Algorithm 1, for each child the strategy asks for."""
        self.generation += 1
        for number in self.variation.costs_per_child(self.settings.costs_per_generation):
            self._breed(number)
        if worth_recording(self.generation):
            self.history.append((self.generation, self.archive.size, self.share()))
        if self.generation % self._between_marks == 0:
            self.marks.append((self.generation, self.share()))

    def converged(self, tolerance: float) -> bool:
        """Whether the last 10,000 evaluations changed G by less than this share of it.

        It follows from the generations alone, so a search that was stopped and resumed ends where
        it would have ended. Where no sample is dominated, G says nothing, and the search continues.
        """
        shares = [share for _, share in self.marks[-2:]]
        return len(shares) == 2 and abs(shares[1] - shares[0]) < tolerance * shares[1]

    def _breed(self, n_costs: int) -> None:
        """Perturb a member's parameters and try costs with them."""
        parent = self._select()
        child = self.variation.parameters(self.model, self.archive.parameters[parent], self.rng)
        probabilities = model_probabilities(self.model, child)
        costs = self.variation.costs(self.archive, parent, probabilities, n_costs, self.rng)
        self._evaluate(child, probabilities, costs)

    def _select(self) -> int:
        """A parent by partitioned quasi-random selection (Fieldsend et al. 2003), or any alike."""
        self.children += 1
        if self.settings.selection == "uniform":
            return int(self.rng.integers(self.archive.size))
        objectives = self.archive.objectives
        values = np.ascontiguousarray(objectives[:, self.rng.integers(objectives.shape[1])])
        return select_from_bin(values, _BINS, self.children * _GOLDEN % 1, self.rng.random())

    def _evaluate(
        self, parameters: Float64Array, probabilities: Float64Array, costs: Float64Array
    ) -> None:
        rates = error_rates(probabilities, self.model.cases, costs, self.n_threads)
        self.evaluations += len(costs)
        entered = self.archive.insert(rates, costs, parameters)
        self._untracked.append(rates[entered])

    def share(self) -> float:
        """G so far, by a fixed sample of points.

        With all rates as objectives, what a removed member dominated is still dominated, so the
        tracker only ever needs the new points. One rate per class has no such rule.
        """
        if "pairs" not in self.archive.kind:
            self._tracker = GiniTracker(self.archive.n_classes)
            self._untracked = [self.archive.rates]
        if self._untracked:
            self._tracker.add(np.vstack(self._untracked))
            self._untracked = []
        return self._tracker.share

    # Stopping and resuming

    def snapshot(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """All that resuming needs: values for JSON, and arrays."""
        progress = {
            "seed": self.seed,
            "generation": self.generation,
            "children": self.children,
            "evaluations": self.evaluations,
            "generator": self.rng.bit_generator.state,
            "history": self.history,
            "marks": self.marks,
        }
        archive = self.archive
        arrays = {"rates": archive.rates, "costs": archive.costs, "parameters": archive.parameters}
        return progress, arrays

    def resume(self, progress: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Resume from a snapshot; an error if it cannot be one."""
        archive = self.archive
        rates = _rows(arrays["rates"], archive.rates.shape[1])
        costs = _rows(arrays["costs"], archive.costs.shape[1], len(rates))
        parameters = _rows(arrays["parameters"], archive.n_parameters, len(rates))
        if not len(rates) or (rates < 0).any() or (rates > 1).any() or (costs < 0).any():
            raise ValueError("its archive does not contain rates and costs")
        if costs.sum(axis=1).min() < 1 / LARGEST:
            raise ValueError("some costs in its archive are all 0")
        archive.insert(rates, costs, parameters)
        if archive.size != len(rates):
            raise ValueError("the members of its archive dominate each other")
        self._untracked = [rates]
        self.rng.bit_generator.state = progress["generator"]
        self.generation = _count(progress["generation"])
        self.children = _count(progress["children"])
        self.evaluations = _count(progress["evaluations"])
        self.history = [
            (_count(t), _count(size), float(share)) for t, size, share in progress["history"]
        ]
        # A file of an earlier version has no marks; the first comes after the next evaluations.
        self.marks = [(_count(t), float(share)) for t, share in progress.get("marks", [])]


def _rows(array: NDArray[Any], width: int, number: int | None = None) -> Float64Array:
    """Rows of finite numbers."""
    shape = (len(array) if number is None else number, width)
    if array.dtype != np.float64 or array.shape != shape or not (np.abs(array) <= LARGEST).all():
        raise ValueError("its archive does not contain rows of finite numbers")
    return array


def _count(value: Any) -> int:
    """A number of things that have been done: below 2⁶³, like those of any search."""
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"it counts {shown(value)} of something")
    return value


def worth_recording(generation: int) -> bool:
    """Every generation up to 10, then 90 in each power of ten, however long the search."""
    step = int(10 ** max(0, len(str(generation)) - 2))
    return generation % step == 0
