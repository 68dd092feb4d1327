"""From what is known of the pairs to metrics: the formulas are those of :mod:`polyroc.metrics`.

A metric of class means is a function of nothing else, and a metric of pairs one of the sums over
pairs and of the class weights. So stand-ins for the data serve: one case per class, whose scores
are the mean of the class, and for pairs the same with the sums supplied. Every pair metric rises
with every pairwise AUC; at the lower sums it gives its lower bound, at the upper its upper bound.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import NotDefined
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric, Occasion
from polyroc.predictions import Predictions
from polyroc.predictions._classes import present_classes
from polyroc.predictions._predictions import sum_of_weights
from polyroc.predictions._weights import shares
from polyroc.scale.batch import ColumnTrack, Track
from polyroc.scale.certified import Certified, CertifiedEvaluation
from polyroc.scale.class_sums import ClassSums
from polyroc.scale.histogram import PairBounds
from polyroc.scale.sample import Sample
from polyroc.scale.totals import Totals
from polyroc.statistics.mu import margin_sums
from polyroc.statistics.pairs import PairSums, blank_diagonal, pair_sums, tie_credit
from polyroc.typing import Absent, Float64Array, FloatArray, Label, Ties

OF_PAIRS = ("hand_till", "au1p", "aunu", "aunp", "roc_auc")
OF_MARGINS = ("auc_mu",)
OF_MEANS = (
    "hand_till_probabilistic",
    "total_length",
    "triangle_area",
    "simplex_volume",
    "probabilistic_auc",
)


@dataclass(frozen=True)
class PairMatrix:
    """K × K weights of pairs: positive above, tied, or not known which."""

    above: Float64Array
    tied: Float64Array
    unsure: Float64Array

    @classmethod
    def empty(cls, n_classes: int) -> "PairMatrix":
        """No pairs."""
        return cls(*np.zeros((3, n_classes, n_classes)))


@dataclass(frozen=True)
class Known:
    """All that metrics are computed from."""

    classes: tuple[Label, ...]
    totals: Totals
    ranked: PairMatrix
    margins: PairMatrix | None
    sums: ClassSums
    sample: Sample

    def fill(self, track: Track, bounds: PairBounds) -> None:
        """Add what a histogram says of the pairs of a track."""
        for name, values in bounds._asdict().items():
            if isinstance(track, ColumnTrack):
                getattr(self.ranked, name)[track.k] += values
            elif self.margins is not None:
                getattr(self.margins, name)[track.i, track.j] += values[1]

    def correct(self, track: Track, known: PairBounds, found: PairBounds) -> None:
        """Put the pairs found in some bins in place of what was known of them."""
        pairs = zip(known, found, strict=True)
        self.fill(track, PairBounds(*(new - old for old, new in pairs)))

    def pairwise_auc(self, ties: Ties) -> tuple[Float64Array, Float64Array]:
        """Bounds of AUC(k|r); NaN on the diagonal and for classes without cases."""
        credited = self.ranked.above + tie_credit(ties) * self.ranked.tied
        slack, weights = self.totals.slack, self.totals.weights
        with np.errstate(invalid="ignore", divide="ignore"):
            pairs = np.outer(weights, weights)
            low, high = credited / pairs, (credited + self.ranked.unsure) / pairs
        # Not cut at 0 and 1: rounding may carry the value in memory beyond them as well.
        return blank_diagonal(low - slack), blank_diagonal(high + slack)

    def evaluate(
        self, metrics: Iterable[str] | str | None, ties: Ties, absent: Absent
    ) -> CertifiedEvaluation:
        """Bounds and standard errors of metrics."""
        cases = np.repeat(np.arange(len(self.classes)), np.minimum(self.totals.counts, 1))
        present = present_classes(cases, self.classes, absent)
        chosen = self._chosen(metrics, len(present))
        sampled = _Sampled.of(self, present)
        ends = _Ends.of(self, present)
        certified = (self._certified(metric, ends, sampled, ties) for metric in chosen)
        counts = dict(zip(self.classes, self.totals.counts.tolist(), strict=True))
        return CertifiedEvaluation(tuple(certified), counts, *self.pairwise_auc(ties))

    def _chosen(self, names: Iterable[str] | str | None, n_classes: int) -> list[Metric]:
        offered = [*OF_PAIRS, *(OF_MARGINS if self.margins else ()), *OF_MEANS]
        if names is None or (isinstance(names, str) and names == "all"):
            within = [registry[name] for name in offered if n_classes in registry[name].classes]
            if names is None:
                one_sum = not self.sums.n_faulty
                occasion = Occasion(n_classes, int(self.totals.n_cases), one_sum)
                within = [metric for metric in within if metric.by_default(occasion)]
            return [m for m in within if not (m.needs_probabilities and self.sums.n_faulty)]
        chosen = registry.named(names)
        for metric in chosen:
            if metric.name not in offered:
                raise NotDefined(_not_offered(metric.name, offered))
        return chosen

    def _certified(
        self, metric: Metric, ends: "_Ends", sampled: "_Sampled | None", ties: Ties
    ) -> Certified:
        limits = (metric.lowest, metric.highest)
        options: dict[str, Any] = {} if metric.name in OF_MEANS else {"ties": ties}
        try:
            if metric.needs_probabilities:
                self._check_probabilities(metric.name)
            low, high = (metric.value(end, **options) for end in ends.of_metric(metric))
        except NotDefined as reason:
            return Certified(metric.name, math.nan, math.nan, note=str(reason), range=limits)
        if metric.name not in OF_MEANS:
            low, high = _outward(low, high, self.totals.slack)
        error, note = (
            (math.nan, "no standard error: there are too many classes for a sample of cases")
            if sampled is None
            else sampled.standard_error(metric, options)
        )
        return Certified(metric.name, low, high, error, note, limits)

    def _check_probabilities(self, needed_by: str) -> None:
        if self.sums.n_faulty:
            raise NotDefined(
                f"{needed_by} needs probabilities, but {self.sums.n_faulty:,} of "
                f"{self.totals.n_cases:,} rows of scores do not sum to 1 or hold something "
                "negative. Pass probabilities."
            )


def _as_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """Classes as an array, of numbers where they are numbers."""
    mixed = any(isinstance(label, str) for label in classes)
    return np.array(classes, dtype=object if mixed else None)


def _given(rows: FloatArray) -> FloatArray:
    """Scores as they came: one column s of two classes is kept as −s and s."""
    one_column = rows.shape[1] == 2 and bool((rows[:, 0] == -rows[:, 1]).all())
    return rows[:, 1:] if one_column else rows


def _not_offered(name: str, offered: list[str]) -> str:
    if name in OF_MARGINS:
        return f"{name} needs margins that this summary does not keep. Ask for auc_mu=True."
    return (
        f"{name} cannot be computed from a summary, which offers {', '.join(offered)}. "
        "Evaluate it in memory."
    )


def _outward(low: float, high: float, slack: float) -> tuple[float, float]:
    """Bounds a little further apart where they are bounds, for the rounding of the last sum."""
    if slack == 0 and low == high:
        return low, high
    low, high = low - slack, high + slack
    for _ in range(2):
        low, high = math.nextafter(low, -1), math.nextafter(high, 2)
    return max(low, 0.0), min(high, 1.0)


@dataclass(frozen=True)
class _Ends:
    """Stand-ins for the data: for class means, and for the least and most pairs in order."""

    means: Predictions
    least: Predictions
    most: Predictions

    @classmethod
    def of(cls, known: Known, present: NDArray[np.intp]) -> "_Ends":
        if known.sums.n_faulty:  # means that no metric will ask for
            means = np.eye(len(known.classes))
        else:
            with np.errstate(invalid="ignore"):
                means = known.sums.totals() / known.totals.weights[:, None]
        labels = [known.classes[k] for k in present]

        def stand_in() -> Predictions:
            return Predictions(labels, means[present], labels=list(known.classes), absent="skip")

        least, most = (_with_sums(stand_in(), known, present, upper) for upper in (False, True))
        return cls(stand_in(), least, most)

    def of_metric(self, metric: Metric) -> tuple[Predictions, Predictions]:
        """Where the metric has its lower and its upper bound."""
        return (self.means, self.means) if metric.name in OF_MEANS else (self.least, self.most)


def _with_sums(
    stand_in: Predictions, known: Known, present: NDArray[np.intp], upper: bool
) -> Predictions:
    stand_in.supply(sum_of_weights, known.totals.weights[present])
    pairs = np.ix_(present, present)
    above, tied = _sums(known.ranked, pairs, upper)
    stand_in.supply(pair_sums, PairSums(above, tied, np.full_like(above, np.nan)))
    if known.margins is not None:
        stand_in.supply(margin_sums, _sums(known.margins, pairs, upper), None)
    return stand_in


def _sums(matrix: PairMatrix, pairs: Any, upper: bool) -> tuple[Float64Array, Float64Array]:
    above = matrix.above + matrix.unsure if upper else matrix.above
    return above[pairs], matrix.tied[pairs]


@dataclass(frozen=True)
class _Sampled:
    """A sample of the cases, and how many cases it stands for."""

    predictions: Predictions
    raw_weights: Float64Array
    counts: Float64Array
    weights: Float64Array

    @classmethod
    def of(cls, known: Known, present: NDArray[np.intp]) -> "_Sampled | None":
        sample, totals = known.sample, known.totals
        if not sample.size:
            return None
        sample.tidy()
        predictions = Predictions(
            _as_array(known.classes)[sample.codes],
            _given(sample.rows),
            labels=list(known.classes),
            sample_weight=sample.weights if totals.weighted else None,
            absent="skip",
        )
        counts = totals.counts[present].astype(np.float64)
        return cls(predictions, sample.weights, counts, totals.weights[present])

    def standard_error(self, metric: Metric, options: dict[str, Any]) -> tuple[float, str]:
        """Var = Σ_k n_k/(n_k − 1) Σ_i (w_i φ_i / W_k)², the sum over class k scaled up."""
        if metric.prior_weighted:
            options = {**options, "priors": shares(self.weights)}
        try:
            influence = metric.influence(self.predictions, **options)
        except NotDefined as reason:
            return math.nan, f"no standard error: {reason}"
        if influence.reason is not None:
            return math.nan, f"no standard error: {influence.reason}"
        if (self.counts <= 1).any():
            label = self.predictions.classes[int(self.counts.argmin())]
            return math.nan, f"no standard error: class {label!r} has one case"
        codes, drawn = self.predictions.codes, self.predictions.class_counts
        squares = np.bincount(codes, (self.raw_weights * influence.cases) ** 2, len(drawn))
        parts = squares * self.counts**2 / (drawn * (self.counts - 1)) / self.weights**2
        error = math.sqrt(float(parts.sum()))
        if error <= 1e-12 * influence.scale:
            return math.nan, "no standard error: every case of the sample agrees on the value"
        return error, ""
