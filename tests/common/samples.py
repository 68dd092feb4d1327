"""Samples that every metric is tried on, and the values of its options.

Scores come from grids of dyadic fractions, so that rows sum to 1 exactly, ties are many and twins
are exact, or are continuous. A metric that needs probabilities gets rows of probabilities, any
other arbitrary scores.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from twins.metrics import TWINS

import polyroc  # noqa: F401  (registers the metrics)
from polyroc import Predictions, registry
from polyroc.metrics.declaration import Metric
from polyroc.statistics.tuples import Tuples

METRICS = [metric for metric in registry.values() if metric.fault is None]
"""Without those of fitted curves, for which these samples are too small: see test_saec."""
NAMES = [metric.name for metric in METRICS]


@dataclass(frozen=True)
class Sample:
    """Codes of the true classes, rows of scores, weights or None."""

    y: np.ndarray
    p: np.ndarray
    w: np.ndarray | None = None

    @property
    def n_classes(self) -> int:
        return self.p.shape[1]

    @property
    def weights(self) -> np.ndarray:
        return np.ones(len(self.y)) if self.w is None else self.w

    def predictions(self, **gate: Any) -> Predictions:
        return Predictions(self.y, self.p, sample_weight=self.w, **gate)

    def value(self, metric: Metric, n_threads: int = 1, **options: Any) -> float:
        return metric.function(self.y, self.p, sample_weight=self.w, n_threads=n_threads, **options)

    def twin(self, metric: Metric, **options: Any) -> float:
        y, p, w = self.y.tolist(), self.p.tolist(), self.weights.tolist()
        return TWINS[metric.name](y, p, w, self.n_classes, **options)

    def take(self, cases: Any) -> Sample:
        return Sample(self.y[cases], self.p[cases], None if self.w is None else self.w[cases])

    def with_scores(self, p: np.ndarray) -> Sample:
        return replace(self, p=p)

    def with_weights(self, w: np.ndarray | None) -> Sample:
        return replace(self, w=w)


def class_numbers(metric: Metric, most: int = 4) -> list[int]:
    """Numbers of classes that the metric allows, from 2 to ``most``."""
    return [K for K in range(2, most + 1) if K in metric.classes]


def each_class_number(most: int = 4, most_tuples: int | None = None) -> list[tuple[str, int]]:
    """(name, K) of every metric, to parametrise tests by; tuples may stop earlier."""
    return [
        (metric.name, K)
        for metric in METRICS
        for K in class_numbers(metric, most)
        if metric.statistic is not Tuples or (most_tuples or most) >= K
    ]


def all_tuples(metric: Metric) -> bool:
    """Whether the twin walks over all tuples, so that samples must be small."""
    return metric.statistic is Tuples or metric.name == "pdi"


def few_cases(metric: Metric, K: int) -> int:
    """Cases that the twin can deal with in a moment."""
    return {2: 14, 3: 15, 4: 12, 5: 11, 6: 10}[K] if all_tuples(metric) else 6 * K


def classes_of(rng: np.random.Generator, n: int, K: int, skewed: bool = False) -> np.ndarray:
    """Codes in random order, every class at least once; skewed: the last class has most cases."""
    share = np.arange(1, K + 1) ** 3.0 if skewed else np.ones(K)
    rest = rng.choice(K, n - K, p=share / share.sum())
    return rng.permutation(np.concatenate([np.arange(K), rest]))


def grid_probabilities(rng: np.random.Generator, n: int, K: int, parts: int = 16) -> np.ndarray:
    """Rows of multiples of 1/parts that sum to 1 exactly."""
    cuts = np.sort(rng.integers(0, parts + 1, (n, K - 1)), axis=1)
    edges = np.hstack([np.zeros((n, 1)), cuts, np.full((n, 1), parts)])
    return np.diff(edges, axis=1) / parts


def scores_for(metric: Metric, rng: np.random.Generator, n: int, K: int, kind: str) -> np.ndarray:
    """Scores of a kind: "coarse" and "fine" grids, or "continuous"."""
    if metric.needs_probabilities:
        if kind == "continuous":
            return rng.dirichlet(np.full(K, 0.7), n)
        return grid_probabilities(rng, n, K, {"coarse": 4, "fine": 16}[kind])
    if kind == "continuous":
        return rng.normal(size=(n, K))
    width = {"coarse": 2, "fine": 12}[kind]
    return rng.integers(-width, width + 1, (n, K)) / 8


def sample_for(
    metric: Metric,
    K: int,
    seed: int,
    *,
    kind: str = "fine",
    n: int | None = None,
    weighted: bool = False,
    skewed: bool = False,
) -> Sample:
    """A sample for a metric, the same for the same seed."""
    rng = np.random.default_rng([seed, K])
    n = few_cases(metric, K) if n is None else n
    y = classes_of(rng, n, K, skewed)
    p = scores_for(metric, rng, n, K, kind)
    p = informed(p, y) if seed % 2 else p
    return Sample(y, p, rng.integers(1, 30, n) / 8 if weighted else None)


def informed(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The scores with the highest of each row moved to the true class, in two rows of three."""
    p = p.copy()
    for i, k in enumerate(y):
        if i % 3:
            j = int(p[i].argmax())
            p[i, j], p[i, k] = p[i, k], p[i, j]
    return p


@st.composite
def grid_samples(
    draw: st.DrawFn, metric: Metric, K: int, most: int, weighted: bool | None = None
) -> Sample:
    """Small samples on a grid, float32 or float64, with or without weights."""
    codes = draw(st.lists(st.integers(0, K - 1), max_size=most - K))
    y = np.array([*range(K), *codes])
    row = _probability_row(K) if metric.needs_probabilities else _score_row(K)
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    p = np.array(draw(st.lists(row, min_size=len(y), max_size=len(y))), dtype=dtype) / dtype(16)
    if weighted is None:
        weighted = draw(st.booleans())
    if not weighted:
        return Sample(y, p)
    drawn = st.lists(st.integers(1, 20), min_size=len(y), max_size=len(y))
    return Sample(y, p, np.array(draw(drawn)) / 4)


def _probability_row(K: int) -> st.SearchStrategy[list[int]]:
    cuts = st.lists(st.integers(0, 16), min_size=K - 1, max_size=K - 1).map(sorted)
    return cuts.map(lambda inner: np.diff([0, *inner, 16]).tolist())


def _score_row(K: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(-20, 20), min_size=K, max_size=K)


GATE = {"y_true", "y_score", "labels", "sample_weight", "absent", "normalize", "n_threads"}
DRAW = {"n_tuples", "rng"}


def options_of(metric: Metric, K: int) -> list[dict[str, Any]]:
    """Every value of every option of a metric, the others at their defaults, and a mix."""
    parameters = inspect.signature(metric.function).parameters
    found = [{}]
    mixed: dict[str, Any] = {}
    for name in parameters.keys() - GATE - DRAW:
        values = _VALUES[name](parameters[name].default, K)
        found += [{name: value} for value in values]
        mixed[name] = values[-1]
    return [*found, mixed] if len(mixed) > 1 else found


def _ties(default: str, _: int) -> list[str]:
    return ["fair", "strict", "lenient"] if default == "fair" else ["strict", "lenient"]


def _priors(_: Any, K: int) -> list[list[float]]:
    return [[(k + 1) / 16 for k in range(K)]]


def _partition(_: Any, K: int) -> list[list[list[float]]]:
    costs = [[((3 * i + 5 * j) % 7 + 1) / 4 if i != j else 0.0 for j in range(K)] for i in range(K)]
    one_sided = [[float(i < j) for j in range(K)] for i in range(K)]
    return [one_sided, costs]


def _pair_weights(_: Any, K: int) -> list[list[list[float]]]:
    return [[[float((i + 2 * j) % 3) + (i < j) for j in range(K)] for i in range(K)]]


_VALUES = {
    "ties": _ties,
    "priors": _priors,
    "partition": _partition,
    "pair_weights": _pair_weights,
}
