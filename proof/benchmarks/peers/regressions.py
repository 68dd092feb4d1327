"""What became worse since an earlier run on the same machine.

A ratio is compared with that of the newest earlier run that has the same work, quantity, sizes
and version of the peer. Times are noisy, so a ratio is worse only if two things hold: its median is
more than 20 % smaller, and its upper quartile over the rounds lies below the lower quartile of
then. The command measures such work a second time, and flags what is worse twice.

Instructions are counted, not timed: more than 2 % of them, compiled by the same Numba, is worse.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from peers.contest import place
from peers.records import InstructionCount, Record
from peers.rows import Row

WORSE_RATIO = 0.2
WORSE_INSTRUCTIONS = 0.02


@dataclass(frozen=True)
class Regression:
    """A figure that became worse, by this share."""

    work: str
    what: str
    before: float
    now: float
    share: float

    def __str__(self) -> str:
        return (
            f"REGRESSION {self.work}: {self.what}, {self.before:,.4g} before, "
            f"{self.now:,.4g} now, worse by {100 * self.share:.0f} %"
        )


def regressions(record: Record, earlier: Iterable[Record]) -> list[Regression]:
    """All figures of a record that are worse than in earlier ones, which come newest first."""
    others = list(earlier)
    found = [*_worse_ratios(record, others), *_worse_counts(record, others)]
    return sorted(found, key=lambda each: -each.share)


def _worse_ratios(record: Record, others: list[Record]) -> Iterator[Regression]:
    for row in record.rows:
        before = next(_same_rows(row, record, others), None)
        if before is not None and is_worse(before, row):
            share = before.ratio.median / row.ratio.median - 1
            what = f"{place(row.quantity, row.sizes)}, ratio to {row.rival} in {row.unit}"
            yield Regression(row.work, what, before.ratio.median, row.ratio.median, share)


def _same_rows(row: Row, record: Record, others: list[Record]) -> Iterator[Row]:
    """The row in earlier records with the same version of the peer."""
    for other in others:
        if other.versions.get(row.peer) == record.versions.get(row.peer):
            yield from (each for each in other.rows if each.key == row.key and each.ratio)


def is_worse(before: Row, now: Row) -> bool:
    """Whether the ratio fell by more than noise."""
    if before.ratio is None or now.ratio is None:
        return False
    fell = now.ratio.median < before.ratio.median / (1 + WORSE_RATIO)
    return fell and now.ratio.high < before.ratio.low


def _worse_counts(record: Record, others: list[Record]) -> Iterator[Regression]:
    alike = [other for other in others if other.versions["numba"] == record.versions["numba"]]
    for count in record.instructions:
        before = next(_same_counts(count, alike), None)
        if before is None:
            continue
        share = count.instructions / before.instructions - 1
        if share > WORSE_INSTRUCTIONS:
            what = f"{count.kernel} (size {count.size:,}), instructions a call"
            yield Regression("instructions", what, before.instructions, count.instructions, share)


def _same_counts(count: InstructionCount, others: list[Record]) -> Iterator[InstructionCount]:
    for other in others:
        for each in other.instructions:
            if (each.kernel, each.size) == (count.kernel, count.size):
                yield each
