"""The certified metric: counts in bins between 0 and 1, of a size that does not grow.

The bins are those of :mod:`polyroc.scale`, as far as probabilities need them: down to 2⁻⁶⁴ above 0
and to 2⁻³² below 1, each binade in 2^mantissa_bits bins. What is closer to 0 or to 1 shares a bin,
and 0 and 1 have one each. A bin whose smallest and largest score are equal holds ties; of other
cases in one bin the order is not known, and the bounds allow both.
"""

from typing import Any

import numpy as np
import torch

from polyroc.errors import InvalidInput
from polyroc.integrations._torch_settings import Settings
from polyroc.integrations._torch_states import StateMetric, TensorBatch
from polyroc.scale._batch import ColumnTrack
from polyroc.scale._class_sums import ClassSums
from polyroc.scale._codes import SIGNIFICANT, code_of_one, ordered_codes
from polyroc.scale._evaluation import OF_MEANS, Known, PairMatrix
from polyroc.scale._histogram import Bins, PairBounds, pair_bounds
from polyroc.scale._sample import Sample
from polyroc.scale._totals import Totals

ABOVE_0, BELOW_1 = 64, 32
"""Binades that have bins of their own."""

MOST_BYTES = 2 << 30
"""States of more memory are refused: each process sends them all."""


class CertifiedMetric(StateMetric):
    """Bounds of a metric from counts."""

    parts = ("", "_low", "_high")
    class_sizes: Any
    n_faulty: Any
    digits: Any
    counts: Any
    lowest: Any
    highest: Any

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(settings, **options)
        n_classes = len(settings.classes)
        self.of_means = settings.name in OF_MEANS
        self.add_state("class_sizes", _zeros(n_classes), dist_reduce_fx="sum")
        self.add_state("n_faulty", _zeros(), dist_reduce_fx="sum")
        if self.of_means:
            self.add_state("digits", _zeros(3, n_classes, n_classes), dist_reduce_fx="sum")
            return
        n_bins = Grid(settings.mantissa_bits).n_bins
        _check_memory(settings, n_bins)
        ends = torch.full((n_classes, n_bins), torch.inf, dtype=torch.float64)
        self.add_state("counts", _zeros(n_classes, n_classes, n_bins), dist_reduce_fx="sum")
        self.add_state("lowest", ends, dist_reduce_fx="min")
        self.add_state("highest", -ends, dist_reduce_fx="max")

    def update(self, preds: Any, target: Any, sample_weight: Any = None) -> None:
        """Add a batch: predictions and classes."""
        if sample_weight is not None:
            raise InvalidInput(
                "A certified metric counts cases and has no weights. Pass certified=False."
            )
        batch = self.read(preds, target, None)
        if batch.scores.ndim == 1:
            raise InvalidInput(
                "A certified metric needs a column per class, got one for two classes. Pass the "
                "probabilities of both."
            )
        batch = batch._replace(scores=batch.scores.double() + 0.0)  # −0 is 0
        sizes = torch.bincount(batch.codes, minlength=len(self.settings.classes))
        self.class_sizes = self.class_sizes + sizes
        if self.of_means:
            self._add_sums(batch)
        else:
            self._add_counts(batch)

    def _add_sums(self, batch: TensorBatch) -> None:
        sums = ClassSums(len(self.settings.classes))
        columns = list(batch.scores.cpu().numpy().T)
        sums.add(batch.codes.cpu().numpy(), columns, None)
        self.digits = self.digits + torch.from_numpy(sums.digits).to(self.digits.device)
        self.n_faulty = self.n_faulty + sums.n_faulty

    def _add_counts(self, batch: TensorBatch) -> None:
        n_classes = len(self.settings.classes)
        grid = Grid(self.settings.mantissa_bits)
        columns = torch.arange(n_classes, device=batch.codes.device)
        bins = grid.bins_of(batch.scores)
        ends = (columns * grid.n_bins + bins).reshape(-1)
        cells = (columns * n_classes + batch.codes[:, None]) * grid.n_bins + bins
        values = batch.scores.reshape(-1)
        self.counts.view(-1).index_add_(0, cells.reshape(-1), torch.ones_like(ends))
        self.lowest.view(-1).scatter_reduce_(0, ends, values, "amin")
        self.highest.view(-1).scatter_reduce_(0, ends, values, "amax")

    def class_counts(self) -> list[int]:
        counts: list[int] = self.class_sizes.tolist()
        return counts

    def values(self) -> tuple[float, ...]:
        if not int(self.class_sizes.sum()):
            raise InvalidInput("The metric has no cases yet. Update it with some first.")
        name = self.settings.name
        found = self._known().evaluate([name], "fair", self.settings.absent)[name]
        self.reason = found.note
        return found.midpoint, found.low, found.high

    def _known(self) -> Known:
        """All that the states say, as a summary says it."""
        n_classes = len(self.settings.classes)
        totals, sums = Totals(n_classes), ClassSums(n_classes)
        totals.counts = self.class_sizes.cpu().numpy()
        totals.weights, totals.unit = totals.counts.astype(np.float64), 0
        if self.of_means:
            own = ClassSums(n_classes)
            own.digits, own.n_faulty = self.digits.cpu().numpy(), int(self.n_faulty)
            sums.merge(own)
        ranked = PairMatrix.empty(n_classes)
        known = Known(self.settings.classes, totals, ranked, None, sums, Sample(n_classes, 0))
        for k in range(0 if self.of_means else n_classes):
            known.fill(ColumnTrack(k, n_classes), self._bounds(k))
        return known

    def _bounds(self, k: int) -> PairBounds:
        """What the bins of a column say of the pairs."""
        counts = self.counts[k].cpu().numpy().astype(np.float64)
        low, high = self.lowest[k].cpu().numpy(), self.highest[k].cpu().numpy()
        used = np.flatnonzero(high >= low)
        return pair_bounds(Bins(counts[:, used], low[used] == high[used], used), k)


class Grid:
    """The bins of probabilities."""

    def __init__(self, mantissa_bits: int) -> None:
        self.mantissa_bits = mantissa_bits
        self.one = code_of_one(mantissa_bits)
        ends = np.array([2.0**-ABOVE_0, 1 - 2.0**-BELOW_1])
        self.first, last = ordered_codes(ends, mantissa_bits).tolist()
        self.n_bins = last - self.first + 5

    def bins_of(self, values: Any) -> Any:
        """Numbers that never fall where values between 0 and 1 rise, of float64 tensors."""
        corner = torch.round(values)
        codes = corner.to(torch.int64) * self.one + self._leading_bits(values - corner)
        bins = (codes - self.first + 2).clamp(1, self.n_bins - 2)
        bins = torch.where(values == 0, 0, bins)
        return torch.where(values == 1, self.n_bins - 1, bins)

    def _leading_bits(self, gaps: Any) -> Any:
        """Exponent and leading bits of the mantissa, rounded up, with the sign of the gap."""
        dropped = SIGNIFICANT - self.mantissa_bits
        bits = (gaps.abs().view(torch.int64) + ((1 << dropped) - 1)) >> dropped
        return torch.where(gaps < 0, -bits, bits)


def _zeros(*shape: int) -> Any:
    return torch.zeros(shape, dtype=torch.int64)


def _check_memory(settings: Settings, n_bins: int) -> None:
    n_classes = len(settings.classes)
    needed = 8 * n_bins * n_classes * (n_classes + 2)
    if needed > MOST_BYTES:
        raise InvalidInput(
            f"A certified metric of {n_classes} classes with mantissa_bits="
            f"{settings.mantissa_bits} would take {needed / 2**30:.1f} GiB in each process. Pass "
            "fewer mantissa_bits."
        )
