"""How every case is placed in the columns of the scores, and what follows from it, on a device.

In column k a case of another class is placed by the positives below it, and a positive by the cases
of each other class r below it. With ranks R (see :mod:`polyroc.scale._device_pairs`) the first is
R/2. For the second, cases of class r are counted by their rank: those that reach up to g thresholds
are below threshold g (counted from 0), so running totals of these counts, looked up at the two
thresholds of a positive, give twice the number of cases of r below it, a tie counting one half.

All of it is in whole numbers, so nothing depends on the order in which threads happen to add. What
is as long as K columns is met only as a product with a matrix of few rows, or summed by class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from polyroc.scale._device_pairs import (
    Grouped,
    Thresholds,
    batches,
    credit_of,
    members,
    most_scores,
    own_places,
    parts_of,
    ranks_by_search,
    rows_of,
    sums_by_class,
)
from polyroc.scale._device_weights import PairWeights
from polyroc.scale._extras import Tensor, torch
from polyroc.typing import Ties


class Influenced(NamedTuple):
    """Sums over pairs, and how much each case moves some metrics of them."""

    credit: Tensor
    """(K, K) twice the credit of the positives of row k over the cases of class r, as int64."""
    cases: Tensor
    """(Q, n) influence values, the cases class by class; their mean is 0 in each class."""


def pair_influences(
    cases: Grouped, weights: Sequence[PairWeights], ties: Ties, memory: int
) -> Influenced:
    """Influence values of all cases on metrics of pairwise AUCs, ties counted as asked for.

    φ = Σ_r W_cr / n_r (cases of r below) − Σ_k W_kc / n_k (positives below), c the class of the
    case, less the mean of its class, which the sums over pairs give.
    """
    rows = torch.cat([each.rows for each in weights])
    columns = torch.cat([each.columns for each in weights])
    codes, inverse = cases.codes, _inverse(cases.counts)
    ahead = torch.zeros((len(rows), len(codes)), dtype=torch.float64, device=codes.device)
    behind, credit = ahead.clone(), cases.counts.new_empty((len(cases.sizes),) * 2)
    for batch in _placed(cases, ties, memory):
        credit[batch.picked] = credit_of(batch.ranks, cases, batch.chosen)
        ahead.addmm_((rows * inverse)[:, batch.picked], batch.ranks.double())
        behind[:, batch.members] = batch.below(columns * inverse)
    means = _mean_parts(rows, columns, credit.fill_diagonal_(0), cases.counts)
    moved = behind.mul_((rows / 2)[:, codes])
    moved.sub_(ahead.mul_((columns / 2)[:, codes])).sub_((means / 2)[:, codes])
    parts = moved.split([len(each.rows) for each in weights])
    return Influenced(credit, torch.stack([part.sum(dim=0) for part in parts]))


def _mean_parts(rows: Tensor, columns: Tensor, credit: Tensor, counts: Tensor) -> Tensor:
    """(T, K) means by class of what moves each metric, from the sums over pairs."""
    inverse, lost = _inverse(counts), 2 * counts[:, None] * counts - credit
    lost.fill_diagonal_(0)
    won = (columns * inverse) @ credit.double().T * inverse * rows
    return won - (rows * inverse) @ lost.double() * inverse * columns


def _inverse(counts: Tensor) -> Tensor:
    """1/n, and 0 of classes without cases."""
    return counts.double().reciprocal().masked_fill_(counts == 0, 0)


class PairMoments(NamedTuple):
    """Sums over pairs, and the spread of placements of each pair of classes."""

    credit: Tensor
    """(K, K) twice the credit of the positives of row k over the cases of class r, as int64."""
    positives: Tensor
    """(K, K) Σ over the positives of the squared deviation of twice the cases of r below."""
    others: Tensor
    """(K, K) Σ over the cases of r of the squared deviation of twice the positives below."""


def pair_moments(cases: Grouped, memory: int) -> PairMoments:
    """Of all pairs of classes, ties shared."""
    shape = (len(cases.sizes),) * 2
    credit = cases.counts.new_empty(shape)
    positives, others = torch.zeros((2, *shape), dtype=torch.float64, device=credit.device)
    for batch in _placed(cases, "fair", memory):
        chosen, counts = batch.picked, cases.counts[batch.picked]
        won = credit_of(batch.ranks, cases, batch.chosen)
        lost = 2 * counts[:, None] * cases.counts - won
        others[chosen] = _squares(batch.ranks, lost, cases.sizes, cases.counts)
        sizes = [cases.sizes[k] for k in batch.chosen]
        for some, below in batch.below_each():
            each = won[:, some].T.contiguous()
            positives[chosen, some] = _squares(below, each, sizes, counts).T
        credit[chosen] = won
    return PairMoments(credit.fill_diagonal_(0), positives, others)


def _squares(numbers: Tensor, sums: Tensor, sizes: list[int], counts: Tensor) -> Tensor:
    """(B, K) Σ of squared deviations from the mean of each class; ``sums`` are those by class.

    Deviations from the whole number below the mean are whole, and so are their squares.
    """
    some = counts.clamp(min=1)
    floor = sums.div(some, rounding_mode="floor")
    shift = floor.index_select(1, parts_of(counts, numbers.shape[1]))
    squares = sums_by_class(shift.sub_(numbers).square_(), sizes, counts)
    left = (sums - floor * some).double()
    return squares.double() - left.square() / some


# Placements of some columns


@dataclass(frozen=True)
class _Placed:
    """Placements of all cases in some columns."""

    cases: Grouped
    chosen: list[int]
    ranks: Tensor
    """(B, n) thresholds that each case reaches, 0 in its own column."""
    places: Tensor
    """(2, positives) where the thresholds of each positive are on the line of all columns."""
    most: int
    """Counts that fit into the memory."""

    @property
    def picked(self) -> Any:
        """What picks these columns from a tensor."""
        return self.cases.picked(self.chosen)

    @property
    def members(self) -> Tensor:
        """Positions of the positives."""
        return members(self.cases, self.chosen)

    @property
    def lengths(self) -> Tensor:
        """How many numbers of thresholds a case may reach in each column, from 0 on."""
        return 2 * self.cases.counts[self.picked] + 1

    @property
    def length(self) -> int:
        """Of the line of all columns."""
        return sum(2 * self.cases.sizes[k] + 1 for k in self.chosen)

    def below(self, weights: Tensor) -> Tensor:
        """(T, positives) Σ_r weight_r times twice the cases of class r below each positive."""
        shape = (len(weights), self.length)
        total = torch.zeros(shape, dtype=torch.float64, device=weights.device)
        for some, counts in self._below_thresholds():
            total.addmm_(weights[:, some], counts.double())
        return total[:, self.places[0]].add_(total[:, self.places[1]])

    def below_each(self) -> Iterator[tuple[slice, Tensor]]:
        """Some classes r, and twice their cases below each positive, (classes, positives)."""
        for some, counts in self._below_thresholds():
            yield some, counts[:, self.places[0]].add_(counts[:, self.places[1]])

    def _below_thresholds(self) -> Iterator[tuple[slice, Tensor]]:
        """Some classes, and how many of their cases are below each threshold of the line."""
        width = max(1, self.most // self.length)
        for start in range(0, len(self.cases.sizes), width):
            some = slice(start, start + width)
            yield some, self._running(self._counted(some))

    def _counted(self, some: slice) -> Tensor:
        """(classes, length) cases of some classes by the thresholds that they reach.

        Positives do not count. They are spread out, since what is added to one place takes turns.
        """
        sizes = self.cases.sizes
        begin, own = sum(sizes[: some.start]), own_places(self.cases, self.chosen)
        within = slice(begin, begin + sum(sizes[some]))
        places = self.ranks + _begins(self.lengths)[:, None]
        places.view(-1)[own] = self.places[0]
        places[:, within] += (self.cases.codes[within] - some.start) * self.length
        ones = torch.ones(places.shape, dtype=torch.int32, device=places.device)
        ones.view(-1)[own] = 0
        counts = ones.new_zeros((len(sizes[some]), self.length))
        line, each = places[:, within].reshape(-1), ones[:, within].reshape(-1)
        counts.view(-1).scatter_add_(0, line, each)
        return counts

    def _running(self, counts: Tensor) -> Tensor:
        """Running totals along every column."""
        lengths = self.lengths
        n_some, length = counts.shape
        line = counts.view(-1).cumsum(0, dtype=torch.int32)
        rows = torch.arange(n_some, device=line.device)[:, None]
        before = torch.nn.functional.pad(line[:-1], (1, 0))[_begins(lengths) + length * rows]
        return line.view(n_some, length).sub_(before.index_select(1, parts_of(lengths, length)))


def _begins(lengths: Tensor) -> Tensor:
    """Where each part of a line begins."""
    return lengths.cumsum(0) - lengths


def _placed(cases: Grouped, ties: Ties, memory: int) -> Iterator[_Placed]:
    """Placements of all cases, some columns after the other."""
    most = most_scores(memory)
    for chosen, _ in batches(cases.sizes, most, 0, "search"):
        ranks, thresholds = ranks_by_search(cases, chosen, ties)
        counts = cases.counts[cases.picked(chosen)]
        each = counts.split([len(some.order) for some in thresholds])
        places = [_places(*some) for some in zip(thresholds, each, strict=True)]
        begins = _begins(2 * counts + 1)[rows_of(cases, chosen)]
        line = torch.cat(places, dim=1).add_(begins)
        yield _Placed(cases, chosen, ranks, line, most)


def _places(thresholds: Thresholds, counts: Tensor) -> Tensor:
    """(2, positives) where the first and where the second threshold of each is in its row.

    The largest number there is sets the threshold +∞, which may lie among those that fill the row.
    """
    order = thresholds.order
    steps = torch.arange(order.shape[1], device=order.device)
    places = torch.empty_like(order).scatter_(1, order, steps.expand_as(order))
    both = places.minimum(2 * counts[:, None]).view(len(order), 2, -1)
    if len(order) == 1:
        return both[0]
    return both.transpose(0, 1)[:, steps[: both.shape[2]] < counts[:, None]]
