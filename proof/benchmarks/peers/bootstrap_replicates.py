"""Bootstrap replicates of a metric, against evaluating the same resamples one by one."""

from collections.abc import Callable, Iterator

import numpy as np
from bootstrap import bootstrap

from peers.contest import Contest, Rival
from peers.multiclass_auc import Cases
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work

NAME, N_CLASSES, SEED = "bootstrap", 10, 1
COMPARED = 3
"""Replicates that the peer is timed on and compared in; each takes it as long as the next."""


def resamples(cases: Cases) -> list[np.ndarray]:
    """Cases that polyroc's first replicates draw."""
    from polyroc import Predictions
    from polyroc.inference._influence import CaseDesign
    from polyroc.inference._resampling import Resampler, drawn_weights

    resampler = Resampler.of(Predictions(cases.y, cases.p), CaseDesign())
    weights = drawn_weights(resampler, SEED, range(COMPARED), 1)
    return [np.repeat(np.arange(len(cases.y)), each) for each in weights]


def scikit_learn(cases: Cases) -> Callable[[], list[float]]:
    from sklearn.metrics import roc_auc_score

    chosen = resamples(cases)
    return lambda: [
        roc_auc_score(cases.y[rows], cases.p[rows], multi_class="ovo") for rows in chosen
    ]


def first_replicates(ours: np.ndarray, theirs: list[float]) -> float:
    return float(np.abs(ours[:COMPARED] - theirs).max())


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(200,), quick=(10**3, 10**4), full=(10**3, 10**4, 10**5))
    replicates = settings.choose(tiny=10, quick=50, full=200)

    def ours(cases: Cases) -> Callable[[], np.ndarray]:
        def call() -> np.ndarray:
            return bootstrap(cases.y, cases.p, ["hand_till"], replicates)["hand_till"].replicates

        return call

    rival = Rival(
        "scikit-learn", "ovo, resampled", scikit_learn, 1e-12, "", first_replicates, pieces=COMPARED
    )
    contest = Contest(NAME, "hand_till, a replicate", ours, [rival], settings, pieces=replicates)
    for n in sizes:
        yield from contest.at(
            n, {"n": n, "K": N_CLASSES, "B": replicates}, Cases.drawn(n, N_CLASSES)
        )


WORK = Work(
    name=NAME,
    title="Bootstrap",
    axis="n",
    axis_title="cases n",
    peers=("scikit-learn",),
    about=(
        f"Seconds a replicate of `hand_till`, {N_CLASSES} classes. The peer evaluates the same "
        "resamples, drawn before the clock starts; polyroc's time includes drawing them, the "
        "sort and the acceleration of BCa intervals, divided by the number of replicates B."
    ),
    measure=measure,
)
