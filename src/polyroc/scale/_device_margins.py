"""Pairs in order along the margins that AUC_mu ranks (Kleiman & Page 2019), on a device.

For classes i and j the cases of both are ranked by p_i − p_j. The margins of the cases of i are
sorted and those of the cases of j looked up among them: (K − 1) n margins in all. Classes of
similar size are worked on together, as rows that are filled up to the longest; for every pair of
such blocks, all pairs of their classes are one sort and one search. Where margins are close but
different, those that are tied are made equal first (:mod:`polyroc._base.ties`).
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from polyroc._base.ties import PLACES, SLACK, WIDEST_RUN
from polyroc.scale._device_pairs import Grouped, ranks_among
from polyroc.scale._extras import Tensor, required
from polyroc.statistics.directed import LARGE_MARGIN
from polyroc.typing import Ties

BYTES_PER_MARGIN = 240
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
    most_slack = 1.01 * SLACK * max(abs(float(end)) for end in cases.scores.aminmax())
    for first, second in combinations_with_replacement(blocks, 2):
        found = _credits(cases.scores, first, second, ties, most_slack)
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


def _credits(scores: Tensor, first: Block, second: Block, ties: Ties, most_slack: float) -> Tensor:
    """Twice the credit of every class of one block over every class of another."""
    torch = required("torch", "torch")
    margins = Crossed(_margins(scores, first, second), -_margins(scores, second, first))
    if (ranks := _ranks_unless_close(margins, first, second, ties, most_slack)) is None:
        slacks = Crossed(_slacks(scores, first, second), _slacks(scores, second, first))
        merged = margins.filled(first, second).merged(slacks)
        ranks = ranks_among(*_sorted(merged, first), ties, first.counts[:, None, None])
    credit = (2 * first.counts[:, None, None] - ranks).masked_fill_(~second.valid[None], 0)
    total: Tensor = credit.sum(dim=2, dtype=torch.int64)
    return total


class Crossed:
    """Numbers of the cases of each class of two blocks, for every pair of classes of both."""

    def __init__(self, ahead: Tensor, queries: Tensor) -> None:
        self.ahead = ahead
        """(b_first, b_second, longest of the first)."""
        self.queries = queries.transpose(0, 1).contiguous()
        """(b_first, b_second, longest of the second)."""

    def filled(self, first: Block, second: Block) -> "Crossed":
        """+∞ in the place of cases that do not exist."""
        torch = required("torch", "torch")
        self.ahead = self.ahead.masked_fill(~first.valid[:, None, :], torch.inf)
        self.queries = self.queries.masked_fill(~second.valid[None], torch.inf)
        return self

    def merged(self, slacks: "Crossed") -> "Crossed":
        """Numbers of both that are tied made equal, as ``ties.merged`` does."""
        torch = required("torch", "torch")
        values, order = torch.cat([self.ahead, self.queries], dim=2).sort(dim=2)
        slack = torch.cat([slacks.ahead, slacks.queries], dim=2).gather(2, order)
        gaps = values[..., 1:] - values[..., :-1]
        slack = _of_groups(slack, _groups(gaps > 0), "amax")  # equal numbers share the largest
        groups = _groups(gaps > torch.maximum(slack[..., 1:], slack[..., :-1]))
        low, high = (_of_groups(values, groups, how) for how in ("amin", "amax"))
        wide = high - low > WIDEST_RUN * _of_groups(slack, groups, "amax")
        least = torch.empty_like(values).scatter_(2, order, torch.where(wide, values, low))
        n_ahead = self.ahead.shape[2]
        self.ahead, self.queries = least[..., :n_ahead], least[..., n_ahead:].contiguous()
        return self


def _groups(apart: Tensor) -> Tensor:
    """Numbers of the groups that begin where a number is apart from the one before."""
    torch = required("torch", "torch")
    return torch.nn.functional.pad(apart.long(), (1, 0)).cumsum_(dim=2)


def _of_groups(values: Tensor, groups: Tensor, how: str) -> Tensor:
    """The least or the largest of the group of each number."""
    torch = required("torch", "torch")
    found = torch.zeros_like(values).scatter_reduce_(2, groups, values, how, include_self=False)
    return found.gather(2, groups)


def _sorted(margins: Crossed, first: Block) -> tuple[Tensor, Tensor]:
    """Margins of the first block in ascending order, which end with +∞, and the queries."""
    torch = required("torch", "torch")
    ahead = margins.ahead.masked_fill(~first.valid[:, None, :], torch.inf).sort(dim=2).values
    return torch.nn.functional.pad(ahead, (0, 1), value=torch.inf), margins.queries


def _ranks_unless_close(
    margins: Crossed, first: Block, second: Block, ties: Ties, slack: float
) -> Tensor | None:
    """Left + right of every query; none if two margins are different but no further than a slack.

    A run of different margins of both classes has two of different classes side by side.
    """
    torch = required("torch", "torch")
    ahead, queries = _sorted(margins, first)
    below = torch.searchsorted(ahead, queries - slack)
    upto = torch.searchsorted(ahead, queries + slack, right=True)
    missing = ~second.valid[None].expand_as(below)
    if bool(((below == upto) | missing).all()):
        return 2 * below
    left, right = (torch.searchsorted(ahead, queries, right=side) for side in (False, True))
    if not bool((((left == below) & (right == upto)) | missing).all()):
        return None
    return {"fair": left + right, "strict": 2 * right, "lenient": 2 * left}[ties]


def _margins(scores: Tensor, own: Block, other: Block) -> Tensor:
    """(b_own, b_other, longest) p_i − p_j of the cases of class i, as ``margins_of`` in memory."""
    torch = required("torch", "torch")
    first, second = _both_scores(scores, own, other)
    margins = first - second
    large = margins.abs() >= LARGE_MARGIN
    if large.any():
        half = first / 2 - second / 2
        margins = torch.where(large, half.sign() * (0.75 * LARGE_MARGIN) + half / 2, margins)
    return margins


def _slacks(scores: Tensor, own: Block, other: Block) -> Tensor:
    """Slacks of these margins, as ``slack_between`` in memory."""
    torch = required("torch", "torch")
    first, second = _both_scores(scores, own, other)
    slacks: Tensor = SLACK * torch.maximum(first.abs(), second.abs())
    return slacks.masked_fill_(first == second, 0)


def _both_scores(scores: Tensor, own: Block, other: Block) -> tuple[Tensor, Tensor]:
    """Scores of the cases of each class for it and for each class of the other block."""
    torch = required("torch", "torch")
    classes = torch.tensor(own.classes, device=scores.device)
    for_own = _as_written(scores[own.members, classes[:, None]])
    for_other = _as_written(scores[own.members][:, :, other.classes])
    return for_own[:, None, :], for_other.transpose(1, 2)


def _as_written(scores: Tensor) -> Tensor:
    """Scores in float64, decimals in the place of float32 numbers, as ``ties.as_written`` does.

    A tensor divides: dividing by a number, a GPU multiplies by its rounded inverse.
    """
    torch = required("torch", "torch")
    wide, narrow = scores.double(), scores.float()
    meant = wide
    for size, steps in reversed(PLACES):
        divisor = torch.tensor(steps, dtype=torch.float64, device=scores.device)
        meant = torch.where(wide.abs() < size, (wide * steps).round() / divisor, meant)
    held = (narrow == scores) & (meant.float() == narrow)
    return torch.where(held, meant, wide)
