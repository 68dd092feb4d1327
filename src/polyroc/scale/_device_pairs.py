"""Pairs in order, counted on the device where the scores are.

The cases are put side by side by class once. Then, for column k, the rank of each case among the
positives (the cases of class k) is found by one of two routes with equal results:

* search: the positives are sorted, and every other case is looked up among them, O(n log n_k);
* sort: the column is sorted, and positives are counted along it, O(n log n).

Both give ``left + right`` for each case: positives below it and positives not above it, so that
2 n_k − left − right is twice its credit with a tie counting one half, in whole numbers. Cases of a
class lie side by side, so their sum is a difference of running totals, and nothing depends on the
order in which threads happen to add.

A positive s sets two thresholds: s itself, which the cases not below it reach, and the next number
above s, which only the cases above it reach. So a case reaches left + right of them, and one search
finds both. Where a tie counts nothing or all, both thresholds are s, or both the next number.

All columns of a batch are worked on at once; as many as fit into the memory allowed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from polyroc.scale._extras import Tensor, torch
from polyroc.typing import Ties

FEW_POSITIVES = {"cuda": 1 << 24}
"""Up to here a look-up is known to beat the sort of the whole column."""

FEW_ELSEWHERE = 1 << 15

FEW_CLASSES = 32
"""Up to here a call for each class costs less than what it saves: sums read less, and a column that
is searched alone stays in the cache."""

BYTES_PER_SCORE = 96
"""Memory of either route for each score of a batch, with room for what a sort sets aside."""

MOST_SCORES = 1 << 30
"""Scores of a batch of several columns, so that their numbers fit into 32 bits."""


@dataclass(frozen=True)
class Grouped:
    """Scores, and where the cases of each class are."""

    scores: Tensor
    """(n, K) float32 or float64."""
    order: Tensor
    """The cases, class by class."""
    counts: Tensor
    """(K,) cases of each class."""
    sizes: list[int]
    """The same as numbers."""

    @property
    def starts(self) -> Tensor:
        """(K,) position of the first case of each class in ``order``."""
        return self.counts.cumsum(0) - self.counts

    @cached_property
    def codes(self) -> Tensor:
        """(n,) classes of the cases, class by class."""
        return parts_of(self.counts, len(self.order))

    def picked(self, chosen: list[int]) -> Any:
        """What picks some classes from a tensor: nothing need be sent to the device for all."""
        if chosen == list(range(len(self.sizes))):
            return slice(None)
        return self.counts.new_tensor(chosen)

    def columns(self, chosen: list[int]) -> Tensor:
        """(B, n) columns of scores, the cases class by class."""
        some = self.scores[:, self.picked(chosen)]
        return some.index_select(0, self.order).T.contiguous()


def parts_of(lengths: Tensor, total: int) -> Tensor:
    """(total,) numbers of the parts of a line that are so long, by a search for each position."""
    steps = torch.arange(total, device=lengths.device)
    return torch.searchsorted(lengths.cumsum(0), steps, right=True)


def grouped(scores: Tensor, codes: Tensor) -> Grouped:
    """Scores with the cases of each class found; ``codes`` are positions of classes."""
    order, counts = by_class(codes, scores.shape[1])
    return Grouped(scores, order, counts, counts.tolist())


def by_class(codes: Tensor, n_classes: int) -> tuple[Tensor, Tensor]:
    """The cases, class by class, and how many of each there are; the device is not waited for."""
    narrow = torch.uint8 if n_classes <= 256 else torch.int32  # a radix sort takes fewer rounds
    ascending, order = codes.to(narrow).sort(stable=True)
    classes = torch.arange(n_classes, device=codes.device, dtype=narrow)
    stops = torch.searchsorted(ascending, classes, right=True)
    return order, stops.diff(prepend=stops.new_zeros(1))


def credit_sums(cases: Grouped, ties: Ties, memory: int, route: str | None = None) -> Tensor:
    """(K, K) twice the credit of the positives of row k over the cases of class r, as int64.

    The diagonal is 0. ``route`` is ``"search"`` or ``"sort"`` to have all columns go that way.
    """
    sums = cases.counts.new_empty((len(cases.sizes),) * 2)
    few = FEW_POSITIVES.get(cases.scores.device.type, FEW_ELSEWHERE)
    for chosen, searched in batches(cases.sizes, most_scores(memory), few, route):
        if searched:
            ranks = ranks_by_search(cases, chosen, ties)[0]
        else:
            ranks = _by_sorting(cases, chosen, ties)
        sums[cases.picked(chosen)] = credit_of(ranks, cases, chosen)
    return sums.fill_diagonal_(0)


def most_scores(memory: int) -> int:
    """Scores of a batch that fit into so many bytes."""
    return min(MOST_SCORES, memory // BYTES_PER_SCORE)


def credit_of(ranks: Tensor, cases: Grouped, chosen: list[int]) -> Tensor:
    """(B, K) twice the credit of the positives of some columns, from the ranks of all cases."""
    most = 2 * cases.counts[cases.picked(chosen)][:, None] * cases.counts
    return most - sums_by_class(ranks, cases.sizes, cases.counts)


def batches(
    sizes: list[int], most: int, few: int, route: str | None
) -> Iterator[tuple[list[int], bool]]:
    """Columns that are worked on together, and whether by search.

    Classes of similar size share a batch: their positives are kept in rows of the longest.
    """
    searched = [size <= few if route is None else route == "search" for size in sizes]
    width = max(1, most // max(1, sum(sizes)))
    for way in (True, False):
        chosen = [k for k, by_search in enumerate(searched) if by_search == way]
        if len(chosen) > width:
            chosen.sort(key=lambda k: sizes[k])
        for start in range(0, len(chosen), width):
            yield chosen[start : start + width], way


# Search


class Thresholds(NamedTuple):
    """What the positives of some columns set, in ascending order, a row for each column."""

    values: Tensor
    """(B, 2 longest) ending with +∞ where there are fewer positives."""
    order: Tensor
    """Which threshold each is: those from ``longest`` on are the second of a positive."""

    @classmethod
    def of(cls, positives: Tensor, ties: Ties) -> "Thresholds":
        above = positives.nextafter(torch.full_like(positives[:1, :1], torch.inf))
        both = {"fair": (positives, above), "strict": (positives,) * 2, "lenient": (above,) * 2}
        return cls(*torch.cat(both[ties], dim=1).sort(dim=1))


def ranks_by_search(
    cases: Grouped, chosen: list[int], ties: Ties
) -> tuple[Tensor, list[Thresholds]]:
    """(B, n) thresholds that each case reaches, 0 in its own column, and the thresholds."""
    columns = cases.columns(chosen)
    if len(chosen) > FEW_CLASSES:
        found = Thresholds.of(_padded(columns, cases, chosen), ties)
        ranks = torch.searchsorted(found.values, columns, right=True)
        ranks.view(-1)[own_places(cases, chosen)] = 0
        return ranks, [found]
    ranks, each = cases.counts.new_empty(columns.shape), []
    for row, k in enumerate(chosen):
        start = sum(cases.sizes[:k])
        column, stop = columns[row], start + cases.sizes[k]
        each.append(Thresholds.of(column[None, start:stop], ties))
        ranks[row, start:stop] = 0
        for others in (slice(0, start), slice(stop, None)):
            given, out = column[others], ranks[row, others]
            torch.searchsorted(each[-1].values[0], given, right=True, out=out)
    return ranks, each


def _padded(columns: Tensor, cases: Grouped, chosen: list[int]) -> Tensor:
    """(B, longest) scores of the positives of each row, +∞ where there are fewer."""
    picked = cases.picked(chosen)
    steps = torch.arange(max(cases.sizes[k] for k in chosen), device=columns.device)
    places = (cases.starts[picked, None] + steps).clamp_(max=columns.shape[1] - 1)
    missing = steps >= cases.counts[picked, None]
    return columns.gather(1, places).masked_fill_(missing, torch.inf)


def members(cases: Grouped, chosen: list[int]) -> Tensor:
    """Positions of the cases of some classes, class by class."""
    picked = cases.picked(chosen)
    if isinstance(picked, slice):
        return torch.arange(len(cases.order), device=cases.order.device)
    counts, n_members = cases.counts[picked], sum(cases.sizes[k] for k in chosen)
    first = cases.starts[picked] - (counts.cumsum(0) - counts)
    steps = torch.arange(n_members, device=counts.device)
    return first[rows_of(cases, chosen)] + steps


def own_places(cases: Grouped, chosen: list[int]) -> Tensor:
    """Where the positives are in (B, n) numbers of all cases, one column after the other."""
    return rows_of(cases, chosen) * len(cases.order) + members(cases, chosen)


def rows_of(cases: Grouped, chosen: list[int]) -> Tensor:
    """For each case of some classes which of them it belongs to."""
    picked = cases.picked(chosen)
    if isinstance(picked, slice):
        return cases.codes
    return parts_of(cases.counts[picked], sum(cases.sizes[k] for k in chosen))


# Sort


def _by_sorting(cases: Grouped, chosen: list[int], ties: Ties) -> Tensor:
    columns = cases.columns(chosen)
    picked = cases.picked(chosen)
    counts, starts = cases.counts[picked, None], cases.starts[picked, None]
    values, order = columns.sort(dim=1)
    del columns
    kind = torch.int32 if values.shape[1] < 1 << 30 else torch.int64
    runs = _Runs.of(values)
    del values
    own = (order >= starts) & (order < starts + counts)
    ranks = _counted_along(own.view(-1), runs, kind, ties).view(own.shape)
    ranks -= 2 * (counts.cumsum(0) - counts).to(kind)  # positives of the rows before
    return torch.empty_like(ranks).scatter_(1, order, ranks)


class _Runs(NamedTuple):
    """Runs of equal scores in rows that ascend, all rows one after the other."""

    last: Tensor
    """Which cases end a run."""
    after: Tensor
    """Which cases come after the end of a run; the first does not."""

    @classmethod
    def of(cls, values: Tensor) -> "_Runs":
        marks = torch.ones(values.numel() + 1, dtype=torch.bool, device=values.device)
        marks[0] = False
        last = marks[1:].view(values.shape)
        torch.ne(values[:, 1:], values[:, :-1], out=last[:, :-1])
        return cls(marks[1:], marks[:-1])  # one set of marks, seen from two places


def _counted_along(own: Tensor, runs: _Runs, kind: Any, ties: Ties) -> Tensor:
    """Left + right of cases in ascending order.

    A run begins where the one before it ended, also across rows, which follow each other in one
    long line because a device scans a line at full speed.
    """
    ends = runs.last.nonzero().squeeze(1)
    right = own.cumsum(0, dtype=kind)[ends]
    if ties == "strict":
        both = 2 * right
    else:
        left = torch.nn.functional.pad(right[:-1], (1, 0))
        both = left.add_(right) if ties == "fair" else 2 * left
    if len(ends) == len(own):
        return both
    return both.index_select(0, runs.after.cumsum(0, dtype=kind))


def sums_by_class(numbers: Tensor, sizes: list[int], counts: Tensor) -> Tensor:
    """(B, K) sums of whole numbers over the cases of each class, which lie side by side."""
    if len(sizes) <= FEW_CLASSES:
        parts = numbers.split(sizes, dim=1)
        return torch.stack([part.sum(dim=1, dtype=torch.int64) for part in parts], dim=1)
    n_rows, n_cases = numbers.shape
    running = numbers.reshape(-1).cumsum(0, dtype=torch.int64)
    stops = counts.cumsum(0) + n_cases * torch.arange(n_rows, device=counts.device)[:, None]
    reached = torch.where(stops > 0, running[(stops - 1).clamp_(min=0)], 0).view(-1)
    before = torch.nn.functional.pad(reached[:-1], (1, 0))
    return (reached - before).view(n_rows, len(counts))
