"""Pairs in order along the margins that AUC_mu ranks (Kleiman & Page 2019), on a device.

For classes i and j the cases of both are ranked by p_i − p_j. The margins of the cases of i are
sorted and those of the cases of j looked up among them: (K − 1) n margins in all. Classes of
similar size are worked on together, as rows that are filled up to the longest; for every pair of
such blocks, all pairs of their classes are one sort and one search.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from polyroc.scale.device_pairs import Grouped, ranks_among
from polyroc.scale.extras import Tensor, required
from polyroc.statistics.mu import LARGE_MARGIN
from polyroc.typing import Ties

BYTES_PER_MARGIN = 160
"""Memory for each margin of a pair of blocks."""


class Block(NamedTuple):
    """Some classes, and the cases of each in a row."""

    classes: list[int]
    members: Tensor
    """(b, longest) positions of cases; those past the end of a class repeat another case."""
    counts: Tensor
    """(b,) cases of each class."""

    @property
    def valid(self) -> Tensor:
        """(b, longest) which positions hold a case of the class."""
        torch = required("torch", "torch")
        steps = torch.arange(self.members.shape[1], device=self.members.device)
        return steps < self.counts[:, None]


def margin_credit_sums(cases: Grouped, ties: Ties, memory: int) -> Tensor:
    """(K, K) twice the credit of the pairs of each two classes, symmetric, as int64."""
    sums = cases.counts.new_zeros((len(cases.sizes),) * 2)
    blocks = list(_blocks(cases, max(1, memory // BYTES_PER_MARGIN)))
    for first, second in combinations_with_replacement(blocks, 2):
        found = _credits(cases.scores, first, second, ties)
        sums[_crossed(first, second)] = found
        sums[_crossed(second, first)] = found.T
    return sums


def _crossed(rows: Block, columns: Block) -> tuple[Any, list[int]]:
    torch = required("torch", "torch")
    return torch.tensor(rows.classes, device=rows.counts.device)[:, None], columns.classes


def _blocks(cases: Grouped, most_margins: int) -> Iterator[Block]:
    """Classes with cases, of sizes within a factor of two of each other."""
    sizes, block = cases.sizes, list[int]()
    for k in sorted((k for k, size in enumerate(sizes) if size), key=lambda k: sizes[k]):
        full = (len(block) + 1) ** 2 * 2 * sizes[k] > most_margins
        if block and (full or sizes[k] > 2 * sizes[block[0]]):
            yield _block(cases, block)
            block = []
        block.append(k)
    yield _block(cases, block)


def _block(cases: Grouped, classes: list[int]) -> Block:
    torch = required("torch", "torch")
    steps = torch.arange(cases.sizes[classes[-1]], device=cases.order.device)
    places = (cases.starts[classes, None] + steps).clamp_(max=len(cases.order) - 1)
    return Block(classes, cases.order[places], cases.counts[classes])


def _credits(scores: Tensor, first: Block, second: Block, ties: Ties) -> Tensor:
    """Twice the credit of every class of one block over every class of another."""
    torch = required("torch", "torch")
    ahead = _margins(scores, first, second)
    ahead = ahead.masked_fill_(~first.valid[:, None, :], torch.inf).sort(dim=2).values
    ahead = torch.nn.functional.pad(ahead, (0, 1), value=torch.inf)
    queries = -_margins(scores, second, first).transpose(0, 1)
    counts = first.counts[:, None, None]
    ranks = ranks_among(ahead, queries.contiguous(), ties, counts)
    credit = (2 * counts - ranks).masked_fill_(~second.valid[None], 0)
    return credit.sum(dim=2)


def _margins(scores: Tensor, own: Block, other: Block) -> Tensor:
    """(b_own, b_other, longest) p_i − p_j of the cases of class i, as ``margins_of`` in memory."""
    torch = required("torch", "torch")
    classes = torch.tensor(own.classes, device=scores.device)
    for_own = scores[own.members, classes[:, None]].double()
    for_other = scores[own.members][:, :, other.classes].double()
    first, second = for_own[:, None, :], for_other.transpose(1, 2)
    margins = first - second
    large = margins.abs() >= LARGE_MARGIN
    if large.any():
        half = first / 2 - second / 2
        margins = torch.where(large, half.sign() * (0.75 * LARGE_MARGIN) + half / 2, margins)
    return margins
