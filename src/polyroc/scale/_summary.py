"""PairSummary: all that ranks and class means need, in a size that does not grow with the data."""

import os
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from polyroc._base.checks import flag, whole_number
from polyroc._base.table_size import check_classes
from polyroc._base.wording import plural
from polyroc._storage.paths import path_of
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import declared_classes
from polyroc.predictions._containers import read_labels
from polyroc.scale._batch import (
    Batch,
    Chunk,
    Track,
    column_tracks,
    margin_tracks,
    read_batch,
)
from polyroc.scale._certified import CertifiedEvaluation
from polyroc.scale._class_sums import ClassSums
from polyroc.scale._codes import LEAST_BITS, MOST_BITS
from polyroc.scale._evaluation import Known, PairMatrix
from polyroc.scale._histogram import placement_variances
from polyroc.scale._histograms import (
    Histograms,
    Task,
    bounds_of,
    counting,
    empty_histograms,
    merge_histograms,
)
from polyroc.scale._room import check_room
from polyroc.scale._sample import Sample, cases_per_class
from polyroc.scale._totals import Totals
from polyroc.typing import (
    Absent,
    Float64Array,
    Label,
    LabelsLike,
    ScoresLike,
    Ties,
    WeightsLike,
)

MANTISSA_BITS = 10
"""As many as float16 has: its scores get a bin each."""

MANY_SCORES = 1 << 23
"""From so many scores on, the compiled loops are worth their loading."""


class PairSummary:
    """A mergeable summary of predictions that bounds every pairwise AUC, and metrics over them.

    For column k and each class it counts the cases in bins of the scores. Pairs in different bins
    are in a known order, pairs in a bin that holds one value are tied, and all others may go either
    way: that is the distance between the bounds. Bins have a relative width of 2⁻¹⁰ at both ends of
    the unit interval, so it is about 10⁻⁴, and 0 for scores that come as float16 or rounded to two
    digits. Logits and any other finite scores have bins, too.

    Updates and merges may come in any order: counts are whole numbers, so the bounds are the same
    to the bit. With weights that are not multiples of some power of two the sums are rounded, and
    the bounds are wider by what that can do.

    Memory is about K² × 8 kB × the number of powers of two that the scores of a column span (some
    15 to 70), or 10 to 60 MB for ten classes. Standard errors come from a random sample of up to
    4,096 cases of each class.

    Parameters
    ----------
    classes : the classes in the order of the columns of scores.
    mantissa_bits : resolution of the bins; one more halves the width and doubles the memory.
    auc_mu : whether to keep the margins that AUC_mu needs, a histogram for each pair of classes.

    Examples
    --------
    >>> from polyroc.scale import PairSummary
    >>> summary = PairSummary(["a", "b"]).update(["a", "b"], [[0.9, 0.1], [0.2, 0.8]])
    >>> other = PairSummary(["a", "b"]).update(["b", "a"], [[0.6, 0.4], [0.5, 0.5]])
    >>> low, high = summary.merge(other).pairwise_auc()
    >>> low
    array([[ nan, 0.75],
           [0.75,  nan]])
    >>> summary.compute()["roc_auc"].width
    0.0
    """

    def __init__(
        self, classes: LabelsLike, *, mantissa_bits: int = MANTISSA_BITS, auc_mu: bool = False
    ) -> None:
        self.classes = _checked_classes(classes)
        self.mantissa_bits = _checked_bits(mantissa_bits)
        self.auc_mu = flag(auc_mu, "auc_mu")
        self._compiled = False
        self.reset()

    def reset(self) -> "PairSummary":
        """Forget all cases."""
        n_classes = len(self.classes)
        self.histograms = empty_histograms(self.tracks(), self.mantissa_bits)
        self.totals = Totals(n_classes)
        self.sums = ClassSums(n_classes)
        self.sample = Sample(n_classes, cases_per_class(n_classes))
        self.one_column: bool | None = None
        return self

    def update(
        self, y: LabelsLike, p: ScoresLike, sample_weight: WeightsLike | None = None
    ) -> "PairSummary":
        """Add a batch of cases: labels, scores with a column per class, weights."""
        return self.update_batch(read_batch(y, p, sample_weight, self.classes))

    def partial_fit(
        self, y: LabelsLike, p: ScoresLike, sample_weight: WeightsLike | None = None
    ) -> "PairSummary":
        """``update`` by the name that scikit-learn has for learning batch by batch."""
        return self.update(y, p, sample_weight)

    def update_batch(self, batch: Batch, first: int | None = None) -> "PairSummary":
        """Add a batch that was checked before; ``first`` is its position among all cases."""
        if not len(batch.codes):
            return self
        self._compiled |= len(batch.codes) * len(batch.columns) >= MANY_SCORES
        position = self.n_cases if first is None else first
        for chunk in batch.chunks():
            for task in self.tasks(chunk, position):
                task()
                self._check_room()
            position += len(chunk.codes)
        return self

    def _check_room(self) -> None:
        """Refuse before memory runs out, which would end the process without a word."""
        check_room(len(self.classes), self.nbytes)

    def merge(self, other: "PairSummary") -> "PairSummary":
        """Add the cases of another summary of the same classes and bins; returns self."""
        self._check_alike(other)
        if other.one_column is not None:
            self._agree(other.one_column)
        merge_histograms(self.histograms, other.histograms)
        self.totals.merge(other.totals)
        self.sums.merge(other.sums)
        self.sample.merge(other.sample)
        return self

    def expect(self, n_scores: int) -> "PairSummary":
        """Say how many scores will come in many batches, to choose the faster loops."""
        self._compiled |= n_scores >= MANY_SCORES
        return self

    @property
    def n_cases(self) -> int:
        """Cases so far, those of weight 0 not counted."""
        return self.totals.n_cases

    @property
    def nbytes(self) -> int:
        """Memory of the histograms, in bytes."""
        return sum(each.room_for(len(each.pages)) for each in self.histograms.values())

    def pairwise_auc(self, *, ties: Ties = "fair") -> tuple[Float64Array, Float64Array]:
        """Lower and upper bounds of :func:`polyroc.pairwise_auc` of all cases so far.

        NaN on the diagonal and in the rows and columns of classes without cases.
        """
        columns: Histograms = {
            track: self.histograms[track] for track in column_tracks(len(self.classes))
        }
        return self._known(columns).pairwise_auc(ties)

    def pairwise_standard_error(self) -> Float64Array:
        """Standard errors of the pairwise AUCs, from the placements of all cases in the bins.

        NaN where a class has fewer than two cases, and with weights.
        """
        errors = np.full((len(self.classes),) * 2, np.nan)
        if self.totals.weighted or not self.totals.counts.all():
            return errors
        counts = self.totals.weights
        for track in column_tracks(len(self.classes)):
            bins = self.histograms[track].bins()
            own, others = placement_variances(bins, track.k, counts)
            errors[track.k] = np.sqrt(own / counts[track.k] + others / counts)
        np.fill_diagonal(errors, np.nan)
        return errors

    def class_means(self) -> Float64Array:
        """Mean probabilities of each class (row), exact up to the last rounding."""
        if self.sums.n_faulty:
            return np.full((len(self.classes),) * 2, np.nan)
        with np.errstate(invalid="ignore"):
            means: Float64Array = self.sums.totals() / self.totals.weights[:, None]
        return means

    def compute(
        self,
        metrics: Iterable[str] | str | None = None,
        *,
        ties: Ties = "fair",
        absent: Absent = "raise",
    ) -> CertifiedEvaluation:
        """Bounds and standard errors of metrics for all cases so far.

        By default all that the summary offers: M, AU1P, AUNU, AUNP, AUC_mu if asked for, and with
        probabilities M_p, TL and AOT, which are exact up to rounding.
        """
        if not self.n_cases:
            raise InvalidInput("The summary has no cases yet. Update it with some first.")
        return self._known(self.histograms).evaluate(metrics, ties, absent)

    def to_bytes(self) -> bytes:
        """The summary as the contents of a file; equal for equal cases in any order."""
        from polyroc.scale._storage import to_bytes

        return to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> "PairSummary":
        """The summary in such contents; whatever else they hold is an error."""
        from polyroc.scale._storage import from_bytes

        return from_bytes(data, cls)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the summary to a file, which is whole at every moment."""
        from polyroc.scale._storage import save

        save(self, path_of(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PairSummary":
        """The summary in a file."""
        from polyroc.scale._storage import load

        return load(path_of(path), cls)

    @classmethod
    def without_histograms(cls, classes: LabelsLike, **options: Any) -> "PairSummary":
        """Totals, class means and the sample alone, where the pairs are counted elsewhere."""
        summary = cls(classes, **options)
        summary.histograms = {}
        return summary

    def tracks(self) -> list[Track]:
        """What is counted: the columns, and the margins if AUC_mu was asked for."""
        margins = margin_tracks(len(self.classes)) if self.auc_mu else []
        return [*column_tracks(len(self.classes)), *margins]

    def tasks(self, chunk: Chunk, position: int) -> list[Task]:
        """What is to be done with a chunk, in any order and on any threads."""
        self._agree(chunk.one_column)
        counted = counting(self.histograms, chunk, self._compiled)
        return [*counted, partial(self._add_rows, chunk, position)]

    def _add_rows(self, chunk: Chunk, position: int) -> None:
        self.totals.add(chunk.codes, chunk.weights)
        self.sums.add(chunk.codes, chunk.probabilities, chunk.weights, self._compiled)
        self.sample.add(position, chunk.codes, chunk.columns, chunk.weights)

    def _known(self, histograms: Histograms) -> Known:
        known = self.known()
        for track, bounds in bounds_of(histograms):
            known.fill(track, bounds)
        return known

    def known(self) -> Known:
        """What is known of rows and totals, with nothing about pairs yet."""
        n_classes = len(self.classes)
        margins = PairMatrix.empty(n_classes) if self.auc_mu else None
        ranked = PairMatrix.empty(n_classes)
        return Known(self.classes, self.totals, ranked, margins, self.sums, self.sample)

    def _agree(self, one_column: bool) -> None:
        if self.one_column not in (None, one_column):
            raise InvalidInput(
                "The summary has batches with one column of scores and with one per class, whose "
                "scores do not compare. Pass all batches in the same way."
            )
        self.one_column = one_column

    def _check_alike(self, other: Any) -> None:
        if not isinstance(other, PairSummary):
            raise InvalidType(f"Only a PairSummary can be merged, got {type(other).__name__}.")
        if other is self:
            raise InvalidInput("A summary cannot be merged with itself. Merge a copy of it.")
        for name in ("classes", "mantissa_bits", "auc_mu"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise InvalidInput(
                    f"The summaries have different {name}: {mine!r} and {theirs!r}. "
                    "Make both with the same options."
                )

    def __repr__(self) -> str:
        cases, classes = plural(self.n_cases, "case"), plural(len(self.classes), "class")
        return f"PairSummary({cases}, {classes})"


def _checked_classes(classes: LabelsLike) -> tuple[Label, ...]:
    listed = read_labels(classes, "classes")[0].tolist()
    check_classes(len(listed))
    nobody: Any = np.empty(0, dtype=np.int64)
    return declared_classes(listed, None, None, nobody, len(listed)).classes


def _checked_bits(mantissa_bits: int) -> int:
    bits = whole_number(mantissa_bits, "mantissa_bits", LEAST_BITS)
    if bits > MOST_BITS:
        raise InvalidInput(f"mantissa_bits must be at most {MOST_BITS}, got {bits}.")
    return bits
