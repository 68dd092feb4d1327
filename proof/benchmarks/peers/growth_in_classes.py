"""Time against the number of classes, as many cases throughout."""

from collections.abc import Iterator, Sequence

from peers.multiclass_auc import PEERS, Cases, contests
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work

NAME = "growth_in_classes"
QUANTITIES = ("hand_till", "aunu", "aunp", "auc_mu", "auc_mu, read before")


def measure(settings: Settings) -> Iterator[Row]:
    n = settings.choose(tiny=200, quick=2_000, full=20_000)
    sizes = settings.choose(
        tiny=(2, 5), quick=(2, 3, 10, 30, 100), full=(2, 3, 10, 30, 100, 300, 1000)
    )
    yield from of_classes(NAME, n, sizes, settings)


def of_classes(name: str, n: int, sizes: Sequence[int], settings: Settings) -> Iterator[Row]:
    """n cases divided between different numbers of classes."""
    rivals = contests(name, QUANTITIES, settings)
    for n_classes in sizes:
        cases = Cases.drawn(n, n_classes)
        for contest in rivals:
            yield from contest.at(n_classes, {"n": n, "K": n_classes}, cases)


WORK = Work(
    name=NAME,
    title="Time against the number of classes",
    axis="K",
    axis_title="classes K",
    peers=PEERS,
    about="One metric of the same number of cases divided between ever more classes.",
    measure=measure,
)
