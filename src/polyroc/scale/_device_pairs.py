"""Pairs in order, counted on the device where the scores are.

The cases are put side by side by class once. Then, for column k, the rank of each case among the
positives (the cases of class k) is found by one of two routes with equal results:

* few positives: they are sorted, and every case is looked up among them, O(n log n_k);
* many positives: the column is sorted, and positives are counted along it, O(n log n).

Both give ``left + right`` for each case: positives below it and positives not above it, so that
2 n_k − left − right is twice its credit with a tie counting one half, in whole numbers. Cases of a
class lie side by side, so their sum is a difference of running totals, and nothing depends on the
order in which threads happen to add.

All columns of a batch are worked on at once; as many as fit into the memory allowed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from polyroc.scale._extras import Tensor, required
from polyroc.typing import Ties

FEW_POSITIVES = {"cuda": 1 << 22}
"""Up to here a look-up beats the sort of the whole column."""

FEW_ELSEWHERE = 1 << 15

FEW_CLASSES = 32
"""Up to here a sum for each class reads less than running totals of all."""

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

    def columns(self, chosen: list[int]) -> Tensor:
        """(B, n) columns of scores, the cases class by class."""
        some = self.scores
        if chosen != list(range(some.shape[1])):
            some = some[:, chosen]
        return some.index_select(0, self.order).T.contiguous()


def grouped(scores: Tensor, codes: Tensor) -> Grouped:
    """Scores with the cases of each class found; ``codes`` are positions of classes."""
    torch = required("torch", "torch")
    n_classes = scores.shape[1]
    counts = torch.bincount(codes, minlength=n_classes)
    narrow = torch.uint8 if n_classes <= 256 else torch.int32  # a radix sort takes fewer rounds
    order = codes.to(narrow).argsort(stable=True)
    return Grouped(scores, order, counts, counts.tolist())


def credit_sums(cases: Grouped, ties: Ties, memory: int, route: str | None = None) -> Tensor:
    """(K, K) twice the credit of the positives of row k over the cases of class r, as int64.

    The diagonal holds what the positives do among themselves. ``route`` is ``"search"`` or
    ``"sort"`` to have all columns go that way.
    """
    sums = cases.counts.new_empty((len(cases.sizes),) * 2)
    most_scores = min(MOST_SCORES, memory // BYTES_PER_SCORE)
    few = FEW_POSITIVES.get(cases.scores.device.type, FEW_ELSEWHERE)
    for chosen, searched in _batches(cases.sizes, most_scores, few, route):
        ranks = (_by_search if searched else _by_sorting)(cases, chosen, ties)
        rows = cases.counts[chosen]
        most = 2 * rows[:, None] * cases.counts
        sums[chosen] = most - _sums_by_class(ranks, cases)
    return sums


def _batches(
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


def _by_search(cases: Grouped, chosen: list[int], ties: Ties) -> Tensor:
    columns = cases.columns(chosen)
    counts, starts = cases.counts[chosen, None], cases.starts[chosen, None]
    positives = _padded(columns, starts, counts, max(cases.sizes[k] for k in chosen))
    return ranks_among(positives.sort(dim=1).values, columns, ties)


def _padded(columns: Tensor, starts: Tensor, counts: Tensor, longest: int) -> Tensor:
    """(B, longest + 1) scores of the positives of each row, +∞ where there are fewer."""
    torch = required("torch", "torch")
    steps = torch.arange(longest + 1, device=columns.device)
    places = (starts + steps).clamp_(max=columns.shape[1] - 1)
    return columns.gather(1, places).masked_fill_(steps >= counts, torch.inf)


def ranks_among(
    positives: Tensor, queries: Tensor, ties: Ties, most: Tensor | None = None
) -> Tensor:
    """Left + right of every query among the positives of its row, which ascend and end with +∞.

    One search finds the positives below a query. If the next is equal, the end of its run, known
    for every positive, says how many are not above. ``most`` is the number of positives of each
    row, for queries that may be +∞ themselves.
    """
    torch = required("torch", "torch")
    left = torch.searchsorted(positives, queries)
    if ties == "lenient":
        return 2 * left
    run_ends = torch.searchsorted(positives, positives, right=True)
    if most is not None:
        run_ends = torch.minimum(run_ends, most)
    tied = (positives.gather(-1, left) == queries).view(-1).nonzero().squeeze(1)
    rows = tied.div(queries.shape[-1], rounding_mode="floor").mul_(positives.shape[-1])
    flat = left.view(-1)
    first = flat[tied]  # of the run of positives that equal these queries
    more = run_ends.view(-1)[rows.add_(first)].sub_(first)
    flat.mul_(2).index_add_(0, tied, more, alpha=2 if ties == "strict" else 1)
    return left


def _by_sorting(cases: Grouped, chosen: list[int], ties: Ties) -> Tensor:
    torch = required("torch", "torch")
    columns = cases.columns(chosen)
    counts, starts = cases.counts[chosen, None], cases.starts[chosen, None]
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
        torch = required("torch", "torch")
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
    torch = required("torch", "torch")
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


def _sums_by_class(ranks: Tensor, cases: Grouped) -> Tensor:
    """(B, K) sums over the cases of each class, which lie side by side."""
    torch = required("torch", "torch")
    if len(cases.sizes) <= FEW_CLASSES:
        parts = ranks.split(cases.sizes, dim=1)
        return torch.stack([part.sum(dim=1, dtype=torch.int64) for part in parts], dim=1)
    counts, (n_rows, n_cases) = cases.counts, ranks.shape
    running = ranks.reshape(-1).cumsum(0, dtype=torch.int64)
    stops = counts.cumsum(0) + n_cases * torch.arange(n_rows, device=counts.device)[:, None]
    reached = torch.where(stops > 0, running[(stops - 1).clamp_(min=0)], 0).view(-1)
    before = torch.nn.functional.pad(reached[:-1], (1, 0))
    return (reached - before).view(n_rows, len(counts))
