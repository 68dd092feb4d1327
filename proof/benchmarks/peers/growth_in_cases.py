"""Time against the number of cases, ten classes."""

from collections.abc import Iterator

from peers.multiclass_auc import PEERS, Cases, contests
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work

NAME, N_CLASSES = "growth_in_cases", 10


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(
        tiny=(100, 300),
        quick=(10**3, 10**4, 3 * 10**4, 10**5),
        full=(100, 300, 10**3, 10**4, 10**5, 10**6, 3 * 10**6),
    )
    quantities = ("hand_till", "aunu", "auc_mu", "auc_mu, read before")
    rivals = contests(NAME, quantities, settings)
    for n in sizes:
        cases = Cases.drawn(n, N_CLASSES)
        for contest in rivals:
            yield from contest.at(n, {"n": n, "K": N_CLASSES}, cases)


WORK = Work(
    name=NAME,
    title="Time against the number of cases",
    axis="n",
    axis_title="cases n",
    peers=PEERS,
    about=f"One metric of n cases of {N_CLASSES} classes, from scores to the number.",
    measure=measure,
)
