"""Small computations that go through every kernel, to be run compiled and interpreted.

``python workloads.py FILE`` writes their results to FILE.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import numpy as np

import polyroc
from polyroc import Bootstrap, Predictions, registry
from polyroc.datasets import three_class_mixture
from polyroc.kernels import by_class
from polyroc.kernels.archive import non_dominated
from polyroc.kernels.cone import cone_gap
from polyroc.kernels.confusion import critical_costs, least_costs
from polyroc.kernels.exposed import ray_hits
from polyroc.kernels.facets import walk_facets
from polyroc.kernels.sorting import bring_in_order, sort_keys, sort_places
from polyroc.scale._class_sums import ClassSums
from polyroc.scale._histogram import Histogram
from polyroc.statistics import long_tables
from polyroc.surface import KnnModel, LinearModel, search
from polyroc.surface._gini import gini
from polyroc.surface._gradient import gini_slopes
from polyroc.surface._hull import lower_hull
from polyroc.surface.classifiers.sweeps import envelope
from polyroc.utility._mixtures import GaussianMixture
from polyroc.utility._observer import ideal_observer
from polyroc.utility._surface_average import groups_of, pairs_of

Result = tuple[str, np.ndarray]


def results(part: int = 0, n_parts: int = 1) -> Iterator[Result]:
    """A name and an array each; of several parts, which about share the kernels, one."""
    parts = (of_cases, of_observers, of_pairs, of_surfaces, of_summaries, of_slopes, of_hulls)
    for work in (*parts, of_lines, of_long_tables)[part::n_parts]:
        yield from work()


def of_cases() -> Iterator[Result]:
    for n_classes, n, levels in ((2, 60, None), (3, 60, 8), (3, 45, None), (4, 16, None)):
        yield from of_tuples(n_classes, n, levels)


def sample(n: int, n_classes: int, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities, rounded to so many levels."""
    rng = np.random.default_rng([n, n_classes])
    y = np.arange(n) % n_classes
    p = rng.dirichlet(np.ones(n_classes), n) + 0.5 * np.eye(n_classes)[y]
    p = p / p.sum(axis=1, keepdims=True)
    return y, p if levels is None else np.round(p * levels) / levels


def of_tuples(n_classes: int, n: int, levels: int | None) -> Iterator[Result]:
    y, p = sample(n, n_classes, levels)
    weights = np.random.default_rng(0).integers(1, 9, n) / 7
    predictions = Predictions(y, p, sample_weight=weights, normalize=True)
    for name in ("vus", "wvus", "vus2", "wvus2", "hum"):
        yield f"{name} {n_classes} {levels}", np.array(registry[name].of(predictions))
    for name in ("vus", "vus2"):
        drawn = polyroc.evaluate(
            Predictions(y, p, normalize=True), metrics=[name], n_tuples=200, rng=1
        )
        yield f"drawn {name} {n_classes} {levels}", np.array(drawn[name].value)


def of_pairs() -> Iterator[Result]:
    y, p = sample(120, 30)
    weights = 1.0 + np.arange(120) % 3
    yield "auc_mu of many classes", np.array(polyroc.auc_mu(y, p))
    p = p[::-1].copy()  # labels that the scores do not fit
    yield "weighted auc_mu", np.array(polyroc.auc_mu(y, p, sample_weight=weights))
    yield "influence on auc_mu", registry["auc_mu"].influence(Predictions(y, p)).cases
    costs = (1.0 + np.arange(900).reshape(30, 30) % 7) * (1 - np.eye(30))
    directed = registry["auc_mu"].influence(Predictions(y, p), partition=costs)
    yield "influence on auc_mu with costs", directed.cases
    p = np.random.default_rng(7).dirichlet(np.ones(30), 120) + 0.05 * np.eye(30)[y]
    p /= p.sum(axis=1, keepdims=True)
    yield "influence on pdi", registry["pdi"].influence(Predictions(y, p)).cases
    scored = registry["hand_till_scored"].influence(Predictions(y, p, sample_weight=weights))
    yield "influence on hand_till_scored", scored.cases
    found = polyroc.evaluate(y, p, ["auc_mu", "pdi", "hand_till", "hand_till_scored"])
    yield "effective cases", np.array([each.effective.size for each in found.values()])
    decimals = np.random.default_rng(8).multinomial(10, p) / 10  # margins that are nearly equal
    for name, own in (("decimals", None), ("weighted decimals", weights)):
        cases = Predictions(y, decimals, sample_weight=own)
        found = polyroc.evaluate(cases, metrics=["auc_mu"])["auc_mu"]
        yield name, np.array([found.value, found.effective.size])
    y, p = sample(50, 3, 8)
    for weights in (None, np.linspace(1, 2, 50)):
        names = ["hand_till", "auc_mu", "hand_till_scored", "hand_till_probabilistic"]
        cases = Predictions(y, p, sample_weight=weights, normalize=True)
        found = polyroc.evaluate(cases, metrics=names, interval=Bootstrap(20, 1))
        for name in names:
            yield f"bootstrap {name} {weights is None}", found[name].replicates


def of_summaries() -> Iterator[Result]:
    values = np.random.default_rng(1).normal(size=300).round(2)
    codes = (np.arange(300) % 3).astype(np.uint8)
    for weights in (None, np.linspace(1, 2, 300)):
        histogram, sums = Histogram(3, 5), ClassSums(3)
        histogram.add(values, codes, weights, compiled=True)
        yield f"histogram {weights is None}", histogram.counts
        yield f"values {weights is None}", histogram.values
        sums.add(codes, list(sample(300, 3)[1].T), weights, compiled=True)
        yield f"class sums {weights is None}", sums.digits if weights is None else sums.weighted


def of_surfaces() -> Iterator[Result]:
    cases = three_class_mixture((8, 7, 6), rng=3)
    yield "neighbours", KnnModel(*cases).probabilities(np.array([5.0, 3.0]))
    surface = search(LinearModel(*cases), generations=15, rng=1, n_threads=1, progress=False)
    yield "search", surface.rates
    yield "gini of the search", np.array(surface.gini().value)
    rates = np.random.default_rng(1).integers(0, 9, (60, 6)) / 16
    yield "gini", np.array(gini(rates, 3).value)
    points = np.random.default_rng(1).integers(0, 5, (60, 4)).astype(float)
    yield "front", non_dominated(points, np.lexsort(points.T[::-1]))
    costs = np.ones((3, 3)) - np.eye(3)
    yield "critical costs", critical_costs(sample(40, 3)[1], costs, 0, 1)


def of_hulls() -> Iterator[Result]:
    """Enough vertices that near ones are asked first; equal and parallel points."""
    points = np.abs(np.random.default_rng(3).normal(size=(90, 3)))
    points = 2 - points / np.sqrt((points**2).sum(axis=1, keepdims=True)) ** 0.9
    yield "hull", lower_hull(points)
    line = np.repeat(np.linspace(0, 1, 9), 2)
    yield "hull of a line", lower_hull(np.column_stack([line, 1 - line]))
    gap = np.empty(3)
    cone_gap(np.array([[0.0, 1.0], [1e-14, 1.0], [1.0, 0.0]]), np.array([0.2, 0.3]), gap)
    yield "gap", gap


def of_lines() -> Iterator[Result]:
    """Least lines of cases, with equal lines and corners at the same place."""
    fixed, growing = np.random.default_rng(5).integers(0, 4, (2, 40, 4)).astype(float)
    both = np.hstack([fixed, growing])
    start, corners = envelope(both, np.eye(8, 4), np.eye(8, 4, -4))
    yield "lines", start
    for name, column in zip(corners._fields, corners, strict=True):
        yield f"lines, {name}", column
    decided = np.empty(40, dtype=np.int64)
    least_costs(fixed / 4, np.arange(16.0).reshape(4, 4) % 5, 2.0**-40, decided)
    yield "decisions", decided


def of_long_tables() -> Iterator[Result]:
    """Metrics of columns in compiled loops, with ties and without; and of cases in order."""
    limits = "MANY_SCORES", "MANY_CARRIED", "MANY_OF_PART"
    many = {name: getattr(long_tables, name) for name in limits}
    vars(long_tables).update(dict.fromkeys(limits, 1))
    for levels in (8, None):
        y, p = sample(600, 3, levels)
        cases = Predictions(y, p, normalize=True)
        names = ["hand_till", "hand_till_scored", "pdi", "auc_mu"]
        found = polyroc.evaluate(cases, metrics=names)
        errors = [(each.value, each.standard_error) for each in found.values()]
        yield f"long table {levels}", np.array(errors)
        keys = cases.scores[:, 0].copy().view(np.uint64)
        found = keys.copy(), np.empty_like(keys)
        yield f"sorted by digits {levels}", found[sort_keys(*found)]
        places, ascending = np.empty((2, len(keys)), keys.dtype), np.empty(len(keys))
        order = places[int(sort_places(keys, *places))]
        right = bring_in_order(keys.view(np.float64), order, ascending)
        yield f"in ascending order {levels}", np.append(ascending, right)
    codes, rows = y.astype(np.int32), np.ascontiguousarray(p)
    yield "sums of classes", by_class.sums_of_classes(codes, rows[:, 0].copy(), 3)
    yield "products of classes", by_class.products_of_classes(codes, rows.T.copy(), 3)
    yield "squares across", by_class.squares_across(codes, rows, np.eye(3) / 2, np.eye(3))
    left = np.empty(len(y))
    by_class.less_of_classes(codes, rows[:, 1].copy(), np.array([0.1, 0.2, 0.3]), left)
    yield "less of classes", left
    y, p = sample(4200, 2)  # more positives than places that are kept before they are copied
    yield "many positives", registry["hand_till_scored"].influence(Predictions(y, p)).cases
    y, p = sample(90, 3)
    p[1] = p[3] = p[4] = [0.25, 0.5, 0.25]
    p[5] = [0.25, 0.5 + 2.0**-45, 0.25 - 2.0**-45]
    for costs in (None, [[0, 1, 2], [3, 0, 1], [1, 1, 0]]):
        close = registry["auc_mu"].influence(Predictions(y, p), partition=costs).cases
        yield f"close margins {costs}", close
    vars(long_tables).update(many)


def of_slopes() -> Iterator[Result]:
    """Derivatives of G: lengths and areas of facets, and rays with ties across chunks of points."""
    rng = np.random.default_rng(2)
    for n_classes, m in ((2, 40), (3, 12)):
        rates = rng.integers(0, 9, (m, n_classes * (n_classes - 1))) / 12
        slopes = gini_slopes(rates, n_classes, work=math.inf, spent=0, n_threads=1)
        yield f"slopes {n_classes}", slopes.values
    moving, others = np.sort(rng.integers(0, 3, 2100)) / 8, rng.integers(1, 8, (2, 2100)) / 8
    hits = np.zeros(2100)
    ray_hits(moving, others, rng.random((40, 2)), 2.0, hits)
    moving[:], others[:, :2060] = 0.125, 0.9
    ray_hits(moving, others, rng.random((40, 2)), 2.0, hits)
    yield "rays", hits


def of_observers() -> Iterator[Result]:
    corners = ([0.0, 0.0], [1.0, 0.0], [0.5, 0.9])
    observer = ideal_observer([GaussianMixture([corner]) for corner in corners])
    found = observer.integrals(n_blocks=2, n_draws=1500, rng=1)
    yield "areas", found.areas
    yield "parts", found.parts
    likelihoods, rng = sample(40, 3)[1], np.random.default_rng(1)
    sizes = 800, 200, 5, 40  # steps before it counts, steps, steps between looks, window
    heights, groups = rng.random(likelihoods.shape), groups_of(3)
    yield "walk", walk_facets(likelihoods, heights, pairs_of(3), *groups, rng, *sizes)


if __name__ == "__main__":
    np.savez(sys.argv[1], **dict(results()))
