"""Search for a ROC surface against NSGA-II, with as many evaluations."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from peers.contest import Contest, Rival
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work
from polyroc.datasets import three_class_mixture
from polyroc.surface import KnnModel, search
from polyroc.surface._costs import errors
from polyroc.surface._front import RocSurface
from polyroc.surface._gini import gini

NAME = "surface_search"
GENERATION = 100

DEFINITION = (
    "The two search differently, so what is compared to the last digits is the objective: the "
    "error rates of members of polyroc's surface, evaluated by both. An evaluation is one set of "
    "costs. A generation of polyroc shares few sets of parameters between 100 of them, one of "
    "NSGA-II has 100; both call the same compiled objective on one thread. NSGA-II is given an "
    "archive of all it met, without which its G is lower; that takes under 1 % of its time."
)


class Task(NamedTuple):
    """A model and how many evaluations to spend on it."""

    model: KnnModel
    evaluations: int


def ours(task: Task) -> Callable[[], RocSurface]:
    generations = task.evaluations // GENERATION - 1  # the start takes as many as a generation
    options = {"rng": 1, "n_threads": 1, "progress": False}
    return lambda: search(task.model, generations=generations, tolerance=0, **options)


def nsga2(task: Task) -> Callable[[], Any]:
    from search import nsga2

    return lambda: nsga2(task.model, task.evaluations)


def same_objective(surface: RocSurface, _: Any) -> float:
    """Largest difference of error rates where the peer's problem evaluates our members."""
    from search import Errors

    problem = Errors(surface.model)
    some = surface[:: max(1, len(surface) // 50)]
    pairs = zip(some.parameters, errors(some.costs), strict=True)
    theirs = np.vstack([problem.rates(*pair) for pair in pairs])
    return float(np.abs(theirs - some.rates).max())


def reached(surface: RocSurface, found: Any) -> dict[str, float]:
    archive, population = found
    return {
        "G": surface.gini().value,
        "their G": gini(archive.rates, 3).value,
        "G of their last population": gini(population, 3).value,
    }


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(200,), quick=(500, 2_000), full=(10**3, 10**4, 10**5))
    rival = Rival("pymoo", "NSGA-II", nsga2, 1e-12, DEFINITION, same_objective, reached)
    contest = Contest(NAME, "search", ours, [rival], settings)
    model = KnnModel(*three_class_mixture(rng=0))
    for evaluations in sizes:
        yield from contest.at(
            evaluations, {"evaluations": evaluations, "K": 3}, Task(model, evaluations)
        )


WORK = Work(
    name=NAME,
    title="Search for a ROC surface",
    axis="evaluations",
    axis_title="evaluations",
    peers=("pymoo",),
    about=(
        "k-nearest neighbours on the data of Everson & Fieldsend (2006), 300 cases, three classes: "
        "time for a number of evaluations, and the Gini coefficient G that they reached."
    ),
    measure=measure,
)
