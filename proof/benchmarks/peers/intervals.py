"""Confidence intervals of the area under the curve of two classes, and errors of M."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from timing import softmax_scores

import polyroc
from peers import metric_frame
from peers.contest import Contest, Rival
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work
from polyroc.results import Estimate

NAME, SEED = "intervals", 1
Scored = tuple[np.ndarray, np.ndarray]
Theirs = tuple[float, tuple[float, float]]

DELONG = (
    "confidenceinterval has DeLong's limits on the plain scale with the normal quantile, which may "
    "leave [0, 1]; polyroc's default is Wilson's scale with a quantile of t. Compared are the "
    "limits of both on the plain scale with the normal quantile, "
    '`interval(scale="plain", small_sample=False)`. confidenceinterval ranks in 32-bit floats.'
)
BOOTSTRAP = (
    "Both are BCa intervals, with their own random numbers: the areas are compared to the last "
    "digits, the limits within four standard errors of their simulation. confidenceinterval "
    "resamples cases of both classes together and takes its acceleration from n areas, each "
    "without one case; polyroc resamples within classes and takes it from influence values."
)

XU = (
    "The covariance of M as Xu (2024) published it, written anew with matrices of all pairs of "
    "cases, as the program of that paper (jingyanxu/mauc) has it. Compared are M and its standard "
    "error."
)


def cases(n: int) -> Scored:
    y, raw = softmax_scores(n, 2)
    return y, raw[:, 1] - raw[:, 0]


def our_influence(data: Scored) -> Callable[[], Estimate]:
    def call() -> Estimate:
        estimate = polyroc.estimate(*data, "roc_auc")
        estimate.interval()
        return estimate

    return call


def our_bootstrap(replicates: int, data: Scored) -> Callable[[], Estimate]:
    def call() -> Estimate:
        method = polyroc.Bootstrap(replicates, SEED)
        estimate = polyroc.estimate(*data, "roc_auc", interval=method)
        estimate.interval()
        return estimate

    return call


def our_error_of_m(data: Scored) -> Callable[[], Estimate]:
    return lambda: polyroc.estimate(*data, "hand_till")


def their_error_of_m(data: Scored) -> Callable[[], tuple[float, float]]:
    """M and its standard error, from the components of each ordered pair of classes."""
    y, scores = data
    members = [np.flatnonzero(y == k) for k in range(scores.shape[1])]

    def call() -> tuple[float, float]:
        parts, areas = np.zeros(len(y)), []
        for k, own in enumerate(members):
            for other in (each for r, each in enumerate(members) if r != k):
                ahead, behind = scores[own, k][:, None], scores[other, k]
                credit = np.where(ahead > behind, 1.0, 0.0) + np.where(ahead == behind, 0.5, 0.0)
                areas.append(credit.mean())
                parts[own] += credit.mean(axis=1) - areas[-1]
                parts[other] += credit.mean(axis=0) - areas[-1]
        moved = parts / len(areas)
        variance = sum((moved[own] ** 2).sum() / (len(own) * (len(own) - 1)) for own in members)
        return float(np.mean(areas)), math.sqrt(variance)

    return call


def of_m(ours: Estimate, theirs: tuple[float, float]) -> float:
    """Largest difference of M and its standard error."""
    return max(abs(ours.value - theirs[0]), abs(ours.standard_error - theirs[1]))


def their_delong(data: Scored) -> Callable[[], Theirs]:
    from confidenceinterval import roc_auc_score

    return lambda: roc_auc_score(*data)


def their_bootstrap(replicates: int, data: Scored) -> Callable[[], Theirs]:
    from confidenceinterval import roc_auc_score

    options = {"n_resamples": replicates, "random_state": SEED}
    return lambda: roc_auc_score(*data, method="bootstrap_bca", **options)


def on_the_plain_scale(ours: Estimate, theirs: Theirs) -> float:
    """Largest difference of area and limits, all defined alike."""
    low, high, *_ = ours.interval(scale="plain", small_sample=False)
    value, limits = theirs
    return float(np.abs(np.array([ours.value, low, high]) - [value, *limits]).max())


def within_simulation(ours: Estimate, theirs: Theirs, scale: Any = None) -> float:
    """Difference of the areas; that of the limits where chance does not explain it."""
    value, limits = theirs
    low, high, *_ = ours.interval(scale=scale)
    apart = float(np.abs(np.array([low, high]) - limits).max())
    allowed = 4 * math.sqrt(2) * simulation_error(ours)
    return abs(ours.value - value) if apart <= allowed else apart


def simulation_error(estimate: Estimate) -> float:
    """Standard error of a 2.5 % limit from its replicates, as if they were normal."""
    density = math.exp(-(1.96**2) / 2) / math.sqrt(2 * math.pi)
    share = math.sqrt(0.025 * 0.975 / len(estimate.replicates))
    return float(np.std(estimate.replicates)) * share / density


def limits_of_both(ours: Estimate, theirs: Theirs) -> dict[str, float]:
    low, high, *_ = ours.interval()
    return {
        "low": low,
        "high": high,
        "their low": float(theirs[1][0]),
        "their high": float(theirs[1][1]),
    }


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(
        tiny=(200,), quick=(10**3, 10**4), full=(100, 300, 10**3, 10**4, 10**5, 10**6)
    )
    rival = Rival(
        "confidenceinterval",
        "DeLong",
        their_delong,
        1e-5,
        DELONG,
        on_the_plain_scale,
        limits_of_both,
    )
    contest = Contest(NAME, "roc_auc, DeLong", our_influence, [rival], settings)
    for n in sizes:
        yield from contest.at(n, {"n": n, "K": 2}, cases(n))
    yield from measure_m(settings)
    yield from measure_bootstrap(settings)
    yield from metric_frame.measure(NAME, within_simulation, settings)


def measure_m(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(200,), quick=(300, 1_000), full=(100, 300, 1_000, 3_000, 10_000))
    rival = Rival("numpy", "Xu 2024", their_error_of_m, 1e-12, XU, of_m)
    contest = Contest(NAME, "hand_till, standard error", our_error_of_m, [rival], settings)
    for n in sizes:
        yield from contest.at(n, {"n": n, "K": 5}, softmax_scores(n, 5))


def measure_bootstrap(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(100,), quick=(100, 300), full=(300, 1_000, 3_000))
    replicates = settings.choose(tiny=100, quick=150, full=1_000)
    rival = Rival(
        "confidenceinterval",
        "bootstrap_bca",
        partial(their_bootstrap, replicates),
        1e-12,
        BOOTSTRAP,
        within_simulation,
        limits_of_both,
    )
    ours = partial(our_bootstrap, replicates)
    contest = Contest(NAME, "roc_auc, bootstrap", ours, [rival], settings)
    for n in sizes:
        yield from contest.at(n, {"n": n, "K": 2, "B": replicates}, cases(n))


WORK = Work(
    name=NAME,
    title="Intervals",
    axis="n",
    axis_title="cases n",
    peers=("confidenceinterval", "numpy", "fairlearn"),
    about=(
        "The area under the ROC curve of two classes with its 95 % interval, by DeLong's variance "
        "and by BCa; M of five classes with its standard error, and by percentiles of replicates."
    ),
    measure=measure,
)
