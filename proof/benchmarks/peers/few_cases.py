"""Time against the number of classes, so few cases that calls and checks take most of it."""

from collections.abc import Iterator

from peers import growth_in_classes
from peers.multiclass_auc import PEERS
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work

NAME, N = "few_cases", 100


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(tiny=(2, 5), quick=(2, 3), full=(2, 3, 5, 10))
    yield from growth_in_classes.of_classes(NAME, N, sizes, settings)


WORK = Work(
    name=NAME,
    title="Few cases",
    axis="K",
    axis_title="classes K",
    peers=PEERS,
    about=f"One metric of {N} cases: what a call takes where there is little to compute.",
    measure=measure,
)
