"""Certified metrics: counts in bins, of a size that does not grow, and bounds from them.

A bin whose smallest and largest number are equal holds ties; of other cases in one bin the order is
not known, and the bounds allow both. Counts of processes are added, and the smallest and largest
numbers are joined by minima and maxima: the result is the same to the bit.
"""

from typing import Any

import numpy as np
import torch

from polyroc.errors import InvalidInput
from polyroc.integrations._torch_grid import Grid, SignedGrid
from polyroc.integrations._torch_settings import Settings
from polyroc.integrations._torch_states import StateMetric, TensorBatch
from polyroc.scale._batch import Chunk, ColumnTrack, Track, margin_tracks
from polyroc.scale._class_sums import ClassSums
from polyroc.scale._evaluation import OF_MARGINS, OF_MEANS, Known, PairMatrix
from polyroc.scale._histogram import Bins, pair_bounds
from polyroc.scale._sample import Sample
from polyroc.scale._totals import Totals

MOST_BYTES = 2 << 30
"""States of more memory are refused: each process sends them all."""


class CertifiedMetric(StateMetric):
    """Bounds of a metric from sums over cases."""

    parts = ("", "_low", "_high")
    class_sizes: Any

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(settings, **options)
        self.add_state("class_sizes", _zeros(len(settings.classes)), dist_reduce_fx="sum")

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
        sizes = torch.bincount(batch.codes, minlength=len(self.settings.classes))
        self.class_sizes = self.class_sizes + sizes
        self.add(batch)

    def class_counts(self) -> list[int]:
        counts: list[int] = self.class_sizes.tolist()
        return counts

    def values(self) -> tuple[float, ...]:
        if not int(self.class_sizes.sum()):
            raise InvalidInput("The metric has no cases yet. Update it with some first.")
        name, known = self.settings.name, self._nothing_known()
        self.tell(known)
        found = known.evaluate([name], "fair", self.settings.absent)[name]
        self.reason = found.note
        return found.midpoint, found.low, found.high

    def _nothing_known(self) -> Known:
        """How many cases there are, as a summary says it."""
        n_classes = len(self.settings.classes)
        totals = Totals(n_classes)
        totals.counts = self.class_sizes.cpu().numpy()
        totals.weights, totals.unit = totals.counts.astype(np.float64), 0
        ranked, margins = PairMatrix.empty(n_classes), PairMatrix.empty(n_classes)
        sums, sample = ClassSums(n_classes), Sample(n_classes, 0)
        return Known(self.settings.classes, totals, ranked, margins, sums, sample)

    def add(self, batch: TensorBatch) -> None:
        """Add a batch to the states."""
        raise NotImplementedError

    def tell(self, known: Known) -> None:
        """Add what the states say to what is known."""
        raise NotImplementedError


class MeanSums(CertifiedMetric):
    """A metric of class means: sums of probabilities in whole numbers, without rounding."""

    digits: Any
    n_faulty: Any

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(settings, **options)
        n_classes = len(settings.classes)
        self.add_state("digits", _zeros(3, n_classes, n_classes), dist_reduce_fx="sum")
        self.add_state("n_faulty", _zeros(), dist_reduce_fx="sum")

    def add(self, batch: TensorBatch) -> None:
        sums = ClassSums(len(self.settings.classes))
        columns = list(batch.scores.double().cpu().numpy().T)
        sums.add(batch.codes.cpu().numpy(), columns, None)
        self.digits = self.digits + torch.from_numpy(sums.digits).to(self.digits.device)
        self.n_faulty = self.n_faulty + sums.n_faulty

    def tell(self, known: Known) -> None:
        own = ClassSums(len(self.settings.classes))
        own.digits, own.n_faulty = self.digits.cpu().numpy(), int(self.n_faulty)
        known.sums.merge(own)


class BinCounts(CertifiedMetric):
    """A metric of pairs: counts in bins of each track, a row per class in it."""

    counts: Any
    lowest: Any
    highest: Any

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(settings, **options)
        self.grid, self.tracks = self.binned(settings)
        n_rows = self.tracks[0].n_rows
        n_ends = 3 if self.tracks[0].computed else 2
        shape = (len(self.tracks), self.grid.n_bins)
        _check_memory(settings, 8 * (n_rows + n_ends) * shape[0] * shape[1])
        ends = torch.full(shape, torch.inf, dtype=torch.float64)
        self.add_state("counts", _zeros(shape[0], n_rows, shape[1]), dist_reduce_fx="sum")
        self.add_state("lowest", ends, dist_reduce_fx="min")
        self.add_state("highest", -ends, dist_reduce_fx="max")

    def binned(self, settings: Settings) -> tuple[Grid, list[Track]]:
        """The bins, and what is counted in them."""
        n_classes = len(settings.classes)
        return Grid(settings.mantissa_bits), [ColumnTrack(k, n_classes) for k in range(n_classes)]

    def add(self, batch: TensorBatch) -> None:
        for place in range(len(self.tracks)):
            values = batch.scores[:, place].double() + 0.0  # −0 is 0
            self.count(place, values, batch.codes)

    def count(self, place: int, values: Any, rows: Any) -> Any:
        """Count the numbers of a track with the rows they belong to; returns their bins."""
        bins = self.grid.bins_of(values)
        cells = rows * self.grid.n_bins + bins
        self.counts[place].view(-1).index_add_(0, cells, torch.ones_like(cells))
        self.lowest[place].scatter_reduce_(0, bins, values, "amin")
        self.highest[place].scatter_reduce_(0, bins, values, "amax")
        return bins

    def tell(self, known: Known) -> None:
        for place, track in enumerate(self.tracks):
            known.fill(track, pair_bounds(self.bins(place).linked(), track.positive))

    def bins(self, place: int) -> Bins:
        """The bins of a track that are not empty."""
        low, high = self.lowest[place].cpu().numpy(), self.highest[place].cpu().numpy()
        used = np.flatnonzero(high >= low)
        counts = self.counts[place].cpu().numpy()[:, used].astype(np.float64)
        return Bins(counts, low[used] == high[used], used)


class MarginCounts(BinCounts):
    """AUC_mu: counts in bins of the margins of each pair of classes, with their slacks."""

    slacks: Any

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(settings, **options)
        shape = self.lowest.shape
        self.add_state("slacks", torch.zeros(shape, dtype=torch.float64), dist_reduce_fx="max")

    def binned(self, settings: Settings) -> tuple[Grid, list[Track]]:
        return SignedGrid(settings.mantissa_bits), list(margin_tracks(len(settings.classes)))

    def add(self, batch: TensorBatch) -> None:
        wide = batch.scores.dtype in (torch.float32, torch.float64)
        scores = batch.scores if wide else batch.scores.float()
        chunk = Chunk(batch.codes.cpu().numpy(), list(scores.cpu().numpy().T), None)
        for place, track in enumerate(self.tracks):
            values, rows, _, slacks = track.of(chunk)
            given = torch.from_numpy(values.astype(np.float64) + 0.0).to(self.counts.device)
            bins = self.count(
                place, given, torch.from_numpy(rows.astype(np.int64)).to(given.device)
            )
            close = torch.from_numpy(np.asarray(slacks, dtype=np.float64)).to(given.device)
            self.slacks[place].scatter_reduce_(0, bins, close, "amax")

    def bins(self, place: int) -> Bins:
        made = super().bins(place)
        states = (self.lowest, self.highest, self.slacks)
        low, high, slack = (state[place].cpu().numpy()[made.codes] for state in states)
        return made._replace(extents=(low, high, slack))


def certified_metric(settings: Settings, **options: Any) -> CertifiedMetric:
    """The kind of sums that a metric needs."""
    if settings.name in OF_MEANS:
        return MeanSums(settings, **options)
    return (MarginCounts if settings.name in OF_MARGINS else BinCounts)(settings, **options)


def _zeros(*shape: int) -> Any:
    return torch.zeros(shape, dtype=torch.int64)


def _check_memory(settings: Settings, needed: int) -> None:
    if needed > MOST_BYTES:
        raise InvalidInput(
            f"A certified metric of {len(settings.classes)} classes with mantissa_bits="
            f"{settings.mantissa_bits} would take {needed / 2**30:.1f} GiB in each process. Pass "
            "fewer mantissa_bits."
        )
