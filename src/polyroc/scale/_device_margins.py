"""Pairs in order along the margins that AUC_mu ranks (Kleiman & Page 2019), on a device.

For classes i and j the cases of both are ranked by p_i − p_j. The margins of the cases of i are
sorted and those of the cases of j looked up among them: half of the pairs (i, j) give the sums, all
of them the rank of every case among the cases of every other class. Classes of similar size are
worked on together, as rows that are filled up to the longest: every class of one block with every
class of another is one sort and two searches.

Where margins are close but different, those that are tied are made equal first
(:mod:`polyroc._base.ties`). That is rare: all is counted as if it did not occur, while the device
notes where it does; what it has noted is read once, and counted again.
"""

from collections.abc import Iterator
from typing import NamedTuple

from polyroc._base.ties import PLACES, SLACK, WIDEST_RUN
from polyroc.scale._device_pairs import Grouped
from polyroc.scale._extras import Tensor, torch
from polyroc.statistics.directed import LARGE_MARGIN
from polyroc.typing import Ties

BYTES_PER_MARGIN = 120
"""Memory for each margin of a pair of blocks."""

PARTS = 4
"""Of the pairs within a block, cut into so many parts, not many more than half are counted."""


class Block(NamedTuple):
    """Some classes, and the cases of each in a row."""

    classes: Tensor
    members: Tensor
    """(b, longest) rows of cases; those past the end of a class repeat another case."""
    places: Tensor
    """(b, longest) where the cases are in the order class by class."""
    counts: Tensor
    """(b,) cases of each class."""

    @property
    def valid(self) -> Tensor:
        """(b, longest) which positions hold a case of the class."""
        steps = torch.arange(self.members.shape[1], device=self.members.device)
        return steps < self.counts[:, None]

    def part(self, start: int, stop: int | None = None) -> "Block":
        """Some of the classes."""
        return Block(*(each[start:stop] for each in self))


class MarginRanks(NamedTuple):
    """How the cases of all pairs of classes are ranked."""

    credit: Tensor
    """(K, K) twice the credit of the pairs of each two classes, symmetric, as int64."""
    pulled: Tensor
    """(n,) Σ_i weight_i (left + right) of each case among the cases of class i, class by class.

    0 where no weights are given.
    """


def margin_ranks(
    cases: Grouped, ties: Ties, memory: int, weights: Tensor | None = None
) -> MarginRanks:
    """Sums over pairs and, with weights of the classes, the ranks of every case."""
    ranked = _Ranked(cases, ties, weights)
    blocks = list(_blocks(cases))
    most = max(1, memory // BYTES_PER_MARGIN)
    met = [ranked.plain(*pair) for pair in _rectangles(blocks, most, weights is None)]
    doubtful = torch.stack([each.doubtful for each in met]).tolist()
    sums = cases.counts.new_zeros((len(cases.sizes),) * 2)
    pulled = torch.zeros(len(cases.order), dtype=torch.float64, device=sums.device)
    for each, doubted in zip(met, doubtful, strict=True):
        found = ranked.careful(each.first, each.second) if doubted else each
        rows, columns = found.first.classes, found.second.classes
        sums[rows[:, None], columns] = found.sums
        sums[columns[:, None], rows] = found.sums.T
        if found.pulled is not None:  # 0 past the end of a class
            pulled.index_add_(0, found.second.places.flatten(), found.pulled.flatten())
    most_credit = 2 * cases.counts[:, None] * cases.counts
    return MarginRanks((most_credit - sums).fill_diagonal_(0), pulled)


# Blocks of classes


def _blocks(cases: Grouped) -> Iterator[Block]:
    """Classes with cases, of sizes within a factor of two of each other."""
    sizes, block = cases.sizes, list[int]()
    for k in sorted((k for k, size in enumerate(sizes) if size), key=lambda k: sizes[k]):
        if block and sizes[k] > 2 * sizes[block[0]]:
            yield _block(cases, block)
            block = []
        block.append(k)
    yield _block(cases, block)


def _block(cases: Grouped, classes: list[int]) -> Block:
    chosen = torch.tensor(classes, device=cases.order.device)
    steps = torch.arange(cases.sizes[classes[-1]], device=cases.order.device)
    places = (cases.starts[chosen, None] + steps).clamp_(max=len(cases.order) - 1)
    return Block(chosen, cases.order[places], places, cases.counts[chosen])


def _rectangles(blocks: list[Block], most: int, half: bool) -> Iterator[tuple[Block, Block]]:
    """Classes with which others they are met: all ordered pairs, or each pair at least once."""
    for place, first in enumerate(blocks):
        for second in blocks[place if half else 0 :]:
            each = first.members.shape[1] + second.members.shape[1]
            width = max(1, min(len(second.classes), most // each))
            height = max(1, most // (each * width))
            if half and second is first:
                height = min(height, -(-len(first.classes) // PARTS))
            for start in range(0, len(first.classes), height):
                across = second.part(start) if half and second is first else second
                for left in range(0, len(across.classes), width):
                    yield first.part(start, start + height), across.part(left, left + width)


# Ranks


class _Met(NamedTuple):
    """Every class of one block met with every class of another."""

    first: Block
    second: Block
    doubtful: Tensor
    """Whether any margins are closer than the largest slack."""
    sums: Tensor
    """(b_first, b_second) sums of the ranks of the cases of the second class."""
    pulled: Tensor | None
    """(b_second, longest) Σ over the first of weight times rank."""


class _Ranked:
    """How the scores of pairs of classes are ranked."""

    def __init__(self, cases: Grouped, ties: Ties, weights: Tensor | None) -> None:
        scores = cases.scores
        self.scores, self.ties, self.weights = scores, ties, weights
        self.size = torch.stack(scores.aminmax()).abs().max().item()
        self.slack = 1.01 * SLACK * self.size
        self.own = as_written(scores[cases.order, cases.codes], self.size)
        """Scores of all cases for their own class, class by class."""

    def plain(self, first: Block, second: Block) -> _Met:
        """Margins are one where they are equal; in doubt where any others are close."""
        margins = self._margins(first, second).ascending()
        left, right = _searched(margins)
        below, upto = self._around(margins)
        doubts = ((below != left) | (upto != right)).view(*_shape(first, second))
        doubtful = doubts.masked_fill_(~second.valid[None], False).any()
        return self._met(first, second, _credit(left, right, self.ties), doubtful)

    def careful(self, first: Block, second: Block) -> _Met:
        """Margins are one where they are tied: equal, or close and of one run."""
        margins = self._margins(first, second)
        left, right = _searched(ascending := margins.ascending())
        below, upto = self._around(ascending)
        ranks, valid = _credit(left, right, self.ties), second.valid.repeat(len(first.classes), 1)
        doubts = ((below != left) | (upto != right)) & valid
        rows = doubts.any(dim=1).nonzero().squeeze(1)
        merged = _merged(margins.rows(rows), self._slacks(first, second).rows(rows))
        ranks[rows] = _credit(*_searched(merged.ascending()), self.ties)
        return self._met(first, second, ranks, doubts.any())

    def _around(self, margins: "_Margins") -> tuple[Tensor, Tensor]:
        """How many are further below each query than the largest slack, and not further above."""
        ahead, queries = margins
        below = torch.searchsorted(ahead, queries - self.slack, out_int32=True)
        upto = torch.searchsorted(ahead, queries + self.slack, right=True, out_int32=True)
        return below, upto

    def _met(self, first: Block, second: Block, ranks: Tensor, doubtful: Tensor) -> _Met:
        ranks = ranks.view(_shape(first, second)).masked_fill_(~second.valid[None], 0)
        sums, pulled = ranks.sum(dim=2, dtype=torch.int64), None
        if self.weights is not None:
            own = self.weights[first.classes]
            pulled = (own @ ranks.double().view(len(own), -1)).view(ranks.shape[1:])
        return _Met(first, second, doubtful, sums, pulled)

    def _margins(self, first: Block, second: Block) -> "_Margins":
        """p_i − p_j, as ``margins_of`` in memory; a class is not met with itself."""
        one, two = self._sides(first, second)
        ahead, queries = self._between(*one), self._between(*two).neg_()
        ahead.masked_fill_(~first.valid[:, None, :], torch.inf)
        queries.masked_fill_(_same(first, second), -torch.inf)
        return _Margins(ahead.flatten(0, 1), queries.flatten(0, 1))

    def _slacks(self, first: Block, second: Block) -> "_Margins":
        """Slacks of these margins, as ``slack_between`` in memory."""

        def slacks(own: Tensor, other: Tensor) -> Tensor:
            size = torch.maximum(own.abs(), other.abs())
            return (SLACK * size).masked_fill_(own == other, 0).flatten(0, 1)

        return _Margins(*(slacks(*side) for side in self._sides(first, second)))

    def _sides(
        self, first: Block, second: Block
    ) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """Of the cases of either block, the scores for their own class and for the other."""
        one, two = first.classes[:, None, None], second.classes[None, :, None]
        ahead, behind = first.members[:, None, :], second.members[None, :, :]
        return (
            (self.own[first.places][:, None, :], self._written(ahead, two)),
            (self.own[second.places][None], self._written(behind, one)),
        )

    def _written(self, rows: Tensor, classes: Tensor) -> Tensor:
        return as_written(self.scores[rows, classes], self.size)

    def _between(self, own: Tensor, other: Tensor) -> Tensor:
        margins = own - other
        if self.size < LARGE_MARGIN / 2:
            return margins
        half = own / 2 - other / 2
        squeezed = half.sign() * (0.75 * LARGE_MARGIN) + half / 2
        return torch.where(margins.abs() >= LARGE_MARGIN, squeezed, margins)


class _Margins(NamedTuple):
    """Numbers of the cases of every two classes, a row for each pair."""

    ahead: Tensor
    """Of the cases of the first class, +∞ past their end."""
    queries: Tensor
    """Of the cases of the second."""

    def ascending(self) -> "_Margins":
        """The same with those of the first class in ascending order."""
        return _Margins(self.ahead.sort(dim=1).values, self.queries)

    def rows(self, chosen: Tensor) -> "_Margins":
        """Those of some pairs."""
        return _Margins(self.ahead[chosen], self.queries[chosen])


def _shape(first: Block, second: Block) -> tuple[int, int, int]:
    return len(first.classes), len(second.classes), second.members.shape[1]


def _same(first: Block, second: Block) -> Tensor:
    return (first.classes[:, None] == second.classes)[:, :, None]


def _searched(margins: _Margins) -> tuple[Tensor, Tensor]:
    """How many are below each query, and how many not above."""
    left = torch.searchsorted(*margins, out_int32=True)
    return left, torch.searchsorted(*margins, right=True, out_int32=True)


def _credit(left: Tensor, right: Tensor, ties: Ties) -> Tensor:
    """Left + right, where a tie counts half; else twice one of them."""
    one, other = {"fair": (left, right), "strict": (right,) * 2, "lenient": (left,) * 2}[ties]
    return one + other


def _merged(margins: _Margins, slacks: _Margins) -> _Margins:
    """Margins that are tied made equal, as ``ties.merged`` does."""
    values, order = torch.cat(margins, dim=1).sort(dim=1)
    slack = torch.cat(slacks, dim=1).gather(1, order)
    gaps = values[:, 1:] - values[:, :-1]
    slack = _of_groups(slack, _groups(gaps > 0), "amax")  # equal numbers share the largest
    groups = _groups(gaps > torch.maximum(slack[:, 1:], slack[:, :-1]))
    low, high = (_of_groups(values, groups, how) for how in ("amin", "amax"))
    wide = high - low > WIDEST_RUN * _of_groups(slack, groups, "amax")
    least = torch.empty_like(values).scatter_(1, order, torch.where(wide, values, low))
    ahead, queries = least.split([each.shape[1] for each in margins], dim=1)
    return _Margins(ahead.contiguous(), queries.contiguous())


def _groups(apart: Tensor) -> Tensor:
    """Numbers of the groups that begin where a number is apart from the one before.

    Rows follow each other in one long line, which a device scans at full speed.
    """
    begins = torch.nn.functional.pad(apart, (1, 0), value=True)
    return begins.flatten().cumsum(0).sub_(1)


def _of_groups(values: Tensor, groups: Tensor, how: str) -> Tensor:
    """The least or the largest of the group of each number."""
    line = values.flatten()
    found = line.new_zeros(len(line)).scatter_reduce_(0, groups, line, how, include_self=False)
    return found[groups].view(values.shape)


def as_written(scores: Tensor, size: float) -> Tensor:
    """Scores in float64, decimals in the place of float32 numbers, as ``ties.as_written`` does.

    No score is larger than ``size``. A tensor divides: dividing by a number, a GPU multiplies by
    its rounded inverse.
    """
    wide, narrow = scores.double(), scores.float()
    meant, least = wide, min(limit for limit, _ in PLACES)
    for limit, steps in reversed(PLACES):
        if limit > least > size:
            continue  # all scores have more places
        divisor = torch.full((), steps, dtype=torch.float64, device=scores.device)
        rounded = (wide * steps).round_().div_(divisor)
        meant = rounded if size < limit else torch.where(wide.abs() < limit, rounded, meant)
    held = meant.float() == narrow
    if scores.dtype == torch.float64:
        held &= narrow == scores
    return torch.where(held, meant, wide)
