"""Search for a ROC surface: its speed, and what others find with as many evaluations.

k-nn on the data of Everson & Fieldsend 2006, n = 300, three classes. pymoo's NSGA-II has a
population of 100 and the same compiled objective; it is also given the archive of all it evaluated.
"""

import sys
import time
from importlib.metadata import version

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.optimize import minimize
from timing import report

from polyroc.datasets import three_class_mixture
from polyroc.surface import KnnModel, search
from polyroc.surface._archive import Archive
from polyroc.surface._gini import gini
from polyroc.surface._rates import error_rates

EVALUATIONS = 100_000


class Errors(Problem):
    """Parameters k, β and six costs as variables; error rates as objectives."""

    def __init__(self, model: KnnModel) -> None:
        self.model, self.archive = model, Archive(3, 2, "pairs")
        low, high = [1, 0] + [1e-6] * 6, [len(model.X) - 2, 30] + [1] * 6
        super().__init__(n_var=8, n_obj=6, xl=np.array(low), xu=np.array(high))

    def _evaluate(self, x: np.ndarray, out: dict[str, np.ndarray]) -> None:
        costs = x[:, 2:] / x[:, 2:].sum(axis=1, keepdims=True)
        out["F"] = np.vstack([self.rates(*pair) for pair in zip(x[:, :2], costs, strict=True)])
        self.archive.insert(out["F"], costs, x[:, :2])

    def rates(self, parameters: np.ndarray, costs: np.ndarray) -> np.ndarray:
        posteriors = self.model.probabilities(parameters)
        return error_rates(posteriors, self.model.cases, costs[None], n_threads=1)


def nsga2(model: KnnModel, evaluations: int = EVALUATIONS) -> tuple[Archive, np.ndarray]:
    """Everything non-dominated that NSGA-II met, and its last population."""
    problem = Errors(model)
    found = minimize(problem, NSGA2(pop_size=100), ("n_eval", evaluations), seed=1)
    return problem.archive, found.F


def random_search(model: KnnModel) -> Archive:
    """Random parameters, with 100 random costs each, as a generation of ours."""
    rng, archive = np.random.default_rng(1), Archive(3, 2, "pairs")
    for _ in range(EVALUATIONS // 100):
        parameters, costs = model.draw(rng), rng.dirichlet(np.ones(6), 100)
        posteriors = model.probabilities(parameters)
        archive.insert(error_rates(posteriors, model.cases, costs, 1), costs, parameters)
    return archive


def seconds(call: object) -> tuple[float, object]:
    start = time.perf_counter()
    result = call()  # type: ignore[operator]
    return time.perf_counter() - start, result


if __name__ == "__main__":
    model = KnnModel(*three_class_mixture(rng=0))
    search(model, generations=20, rng=0, n_threads=1)  # compiled before the clock starts

    def ours(generations: int) -> object:
        return search(
            model, generations=generations, tolerance=0, rng=1, n_threads=1, progress=False
        )

    for member in ours(20)[::50].rates:  # the same objective
        assert len(member) == 6
    times = [seconds(lambda: ours(10_000)) for _ in range(3)]
    full, surface = sorted(times, key=lambda pair: pair[0])[1]
    print(f"1,000,000 evaluations: {full:.2f} s, {len(surface)} points on the front")
    met = report("10⁶ evaluations on one core", full, 12, False, " s")
    print(f"pymoo {version('pymoo')}, {EVALUATIONS:,} evaluations")
    peer, (archive, population) = seconds(lambda: nsga2(model))
    few, short = seconds(lambda: ours(EVALUATIONS // 100 - 1))
    _, chance = seconds(lambda: random_search(model))
    assert short.provenance["evaluations"] == EVALUATIONS
    rate = EVALUATIONS / peer
    print(f"NSGA-II {rate:,.0f} evaluations a second, ours {1_000_000 / full:,.0f}")
    met &= report("evaluations a second against NSGA-II", (1_000_000 / full) / rate, 10)
    G = {
        "ours": short.gini().value,
        "NSGA-II, all it met": gini(archive.rates, 3).value,
        "NSGA-II, last population": gini(population, 3).value,
        "random search": gini(chance.rates, 3).value,
    }
    print("  ".join(f"{name} {value:.4f}" for name, value in G.items()))
    rivals = max(value for name, value in G.items() if name != "ours")
    met &= report("G minus the best rival's, same evaluations", G["ours"] - rivals, 0, unit="")
    sys.exit(not met)
