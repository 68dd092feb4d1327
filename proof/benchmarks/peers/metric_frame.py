"""Percentiles of bootstrap replicates of M, against fairlearn's ``MetricFrame``."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import polyroc
from peers.contest import Contest, Rival
from peers.multiclass_auc import Cases
from peers.rows import Row
from peers.settings import Settings
from polyroc.results import Estimate

N_CLASSES, SEED = 5, 1
QUANTILES = [0.025, 0.975]
Found = tuple[float, tuple[float, float]]

DEFINITION = (
    "fairlearn evaluates scikit-learn's `roc_auc_score` in every resample, once of all cases and "
    "once of each group; there is one group here, and both evaluations count as its work, so that "
    "a replicate is one evaluation. polyroc's time includes the acceleration of BCa intervals. "
    "Both are percentiles, with their own random numbers: the values are compared to the last "
    "digits, the limits within four standard errors of their simulation. fairlearn resamples cases "
    "of all classes together, polyroc within classes."
)


def ours(replicates: int, cases: Cases) -> Callable[[], Estimate]:
    def call() -> Estimate:
        method = polyroc.Bootstrap(replicates, SEED)
        estimate = polyroc.estimate(cases.y, cases.p, "hand_till", interval=method)
        estimate.interval(scale="percentile")
        return estimate

    return call


def theirs(replicates: int, cases: Cases) -> Callable[[], Found]:
    """``overall`` and ``overall_ci``; the rows of probabilities are one column of objects."""
    from fairlearn.metrics import MetricFrame
    from sklearn.metrics import roc_auc_score

    def m(y: np.ndarray, rows: np.ndarray) -> float:
        return float(roc_auc_score(y, np.stack(rows), multi_class="ovo"))

    given = {
        "y_true": cases.y,
        "y_pred": list(cases.p),
        "sensitive_features": np.zeros(len(cases.y)),
    }
    drawn = {"n_boot": replicates, "ci_quantiles": QUANTILES, "random_state": SEED}

    def call() -> Found:
        frame = MetricFrame(metrics=m, **given, **drawn)
        low, high = frame.overall_ci
        return frame.overall, (low, high)

    return call


def limits_of_both(ours: Estimate, theirs: Found) -> dict[str, float]:
    low, high, *_ = ours.interval(scale="percentile")
    return {"low": low, "high": high, "their low": theirs[1][0], "their high": theirs[1][1]}


def measure(name: str, compare: Callable[..., float], settings: Settings) -> Iterator[Row]:
    """Rows of the work of that name; ``compare`` holds the limits to their simulation error."""
    sizes = settings.choose(tiny=(200,), quick=(300, 1_000), full=(300, 1_000, 3_000))
    replicates = settings.choose(tiny=50, quick=50, full=100)
    rival = Rival(
        "fairlearn",
        "MetricFrame",
        partial(theirs, replicates),
        1e-12,
        DEFINITION,
        partial(compare, scale="percentile"),
        limits_of_both,
        pieces=2 * replicates,
    )
    contest = Contest(
        name, "hand_till, a replicate", partial(ours, replicates), [rival], settings, replicates
    )
    for n in sizes:
        place = {"n": n, "K": N_CLASSES, "B": replicates}
        yield from contest.at(n, place, Cases.drawn(n, N_CLASSES))
