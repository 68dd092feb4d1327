"""From what is known of the pairs to metrics: the formulas are those of :mod:`polyroc.metrics`.

A summary gives the statistics of metrics twice, from the least and from the most pairs that may be
in order; the class means are known exactly. Every metric of pairs rises with every pairwise AUC, so
it has its lower bound at the one and its upper bound at the other.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import NotDefined
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric, Occasion
from polyroc.metrics.measure import CaseStatistics, Measured, measure
from polyroc.predictions import Predictions
from polyroc.predictions._classes import listed, present_classes
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.predictions._weights import shares
from polyroc.scale._batch import ColumnTrack, Track
from polyroc.scale._certified import Certified, CertifiedEvaluation
from polyroc.scale._class_sums import ClassSums
from polyroc.scale._histogram import PairBounds
from polyroc.scale._sample import Sample
from polyroc.scale._totals import Totals
from polyroc.statistics.margins import Margins
from polyroc.statistics.means import Means
from polyroc.statistics.pairs import Pairs, blank_diagonal, tie_credit
from polyroc.statistics.statistic import Statistic
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


def checked_names(metrics: Iterable[str] | str | None) -> list[str] | str | None:
    """Metrics as they were asked for, where names were given as a list of known ones."""
    if metrics is None or isinstance(metrics, str):
        return metrics
    return [metric.name for metric in registry.named(metrics)]


def needs_margins(names: list[str] | str | None) -> bool:
    """Whether a metric that is asked for needs sums over margins, K² of them."""
    return names == "all" or (names is not None and "auc_mu" in names)


@dataclass(frozen=True)
class PairMatrix:
    """K × K weights of pairs: positive above, tied, or not known which."""

    above: Float64Array
    tied: Float64Array
    undecided: Float64Array

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
            low, high = credited / pairs, (credited + self.ranked.undecided) / pairs
        # Not cut at 0 and 1: rounding may carry the value in memory beyond them as well.
        return blank_diagonal(low - slack), blank_diagonal(high + slack)

    def evaluate(
        self, metrics: Iterable[str] | str | None, ties: Ties, absent: Absent
    ) -> CertifiedEvaluation:
        """Bounds and standard errors of metrics."""
        present = self.present(absent)
        chosen = self._chosen(metrics, present)
        errors = _sample_errors(self, present, chosen, ties)
        certified = (self._certified(metric, present, errors, ties) for metric in chosen)
        counts = dict(zip(self.classes, self.totals.counts.tolist(), strict=True))
        return CertifiedEvaluation(tuple(certified), counts, *self.pairwise_auc(ties))

    def present(self, absent: Absent) -> NDArray[np.intp]:
        """Classes that have cases."""
        cases = np.repeat(np.arange(len(self.classes)), np.minimum(self.totals.counts, 1))
        return present_classes(cases, self.classes, absent)

    def metrics_of(self, names: Iterable[str]) -> list[Metric]:
        """Metrics by their names."""
        return list(registry.named(list(names)))

    def _chosen(self, names: Iterable[str] | str | None, present: NDArray[np.intp]) -> list[Metric]:
        n_classes, one_sum = len(present), self._fault(present) is None
        offered = [*OF_PAIRS, *(OF_MARGINS if self.margins else ()), *OF_MEANS]
        if names is None or (isinstance(names, str) and names == "all"):
            within = [registry[name] for name in offered if n_classes in registry[name].classes]
            if names is None:
                occasion = Occasion(n_classes, int(self.totals.n_cases), one_sum)
                within = [metric for metric in within if metric.by_default(occasion)]
            return [metric for metric in within if one_sum or not metric.needs_probabilities]
        chosen = registry.named(names)
        for metric in chosen:
            if metric.name not in offered:
                raise NotDefined(_not_offered(metric.name, offered))
        return chosen

    def _certified(
        self,
        metric: Metric,
        present: NDArray[np.intp],
        errors: Mapping[str, "ErrorOrReason"],
        ties: Ties,
    ) -> Certified:
        limits = (metric.lowest, metric.highest)
        try:
            if metric.needs_probabilities and (fault := self._fault(present)):
                raise NotDefined(f"{metric.name} needs probabilities, but {fault}")
            ends = _statistics(self, present, metric.statistic)
            low, high = (metric.at(end, **_options(metric, ties)) for end in ends)
        except NotDefined as reason:
            return Certified(metric.name, math.nan, math.nan, note=str(reason), range=limits)
        if metric.statistic is not Means:
            low, high = _outward(low, high, self.totals.slack)
        return Certified(metric.name, low, high, *errors[metric.name], limits)

    def _fault(self, present: NDArray[np.intp]) -> str | None:
        """What keeps the scores of these classes from being probabilities, and what to do."""
        if self.sums.n_faulty:
            return (
                f"{self.sums.n_faulty:,} of {self.totals.n_cases:,} rows of scores do not sum to 1 "
                "or contain negative values. Pass probabilities."
            )
        skipped = [k for k in range(len(self.classes)) if k not in present]
        # Sums are weighted: without the scale of the weights, small ones would hide every fault.
        weight = self.totals.weights.sum() / max(self.totals.n_cases, 1)
        if self.sums.totals()[:, skipped].sum() > SUM_TOLERANCE * weight:
            names = listed([self.classes[k] for k in skipped])
            return (
                f"rows of scores do not sum to 1 without the skipped {names}. Leave out their "
                "columns, and divide each row by the sum of what remains."
            )
        return None


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


def _statistics(
    known: Known, present: NDArray[np.intp], kind: type[Statistic]
) -> tuple[Statistic, Statistic]:
    """The statistic where a metric has its lower, and where it has its upper bound."""
    shared: dict[str, Any] = {
        "classes": tuple(known.classes[k] for k in present),
        "weights": known.totals.weights[present],
    }
    if kind is Means:
        sums = known.sums.totals()[np.ix_(present, present)]
        means = Means(vectors=sums / shared["weights"][:, None], **shared)
        return means, means
    matrix, pairs = known.ranked if kind is Pairs else known.margins, np.ix_(present, present)

    def end(upper: bool) -> Statistic:
        above, tied = _sums(matrix, pairs, upper)
        if kind is Margins:
            return Margins(above=above, tied=tied, **shared)
        return Pairs(above=above, tied=tied, excess=np.full_like(above, np.nan), **shared)

    return end(False), end(True)


def _sums(matrix: PairMatrix | None, pairs: Any, upper: bool) -> tuple[Float64Array, Float64Array]:
    assert matrix is not None  # metrics of margins are offered only where margins are kept
    above = matrix.above + matrix.undecided if upper else matrix.above
    return above[pairs], matrix.tied[pairs]


def _options(metric: Metric, ties: Ties) -> dict[str, Any]:
    return {} if metric.statistic is Means else {"ties": ties}


def measured_options(metric: Metric, ties: Ties, priors: Float64Array) -> dict[str, Any]:
    """Options of a metric of a sample of cases; priors are those of all cases."""
    return _options(metric, ties) | ({"priors": priors} if metric.prior_weighted else {})


class ErrorOrReason(NamedTuple):
    """A standard error, or NaN and the reason."""

    value: float
    note: str = ""


def _sample_errors(
    known: Known, present: NDArray[np.intp], metrics: Sequence[Metric], ties: Ties
) -> dict[str, ErrorOrReason]:
    """Standard errors from the influence values of a sample of the cases."""
    sample, totals = known.sample, known.totals
    if not sample.size:
        none = ErrorOrReason(
            math.nan, "no standard error: there are too many classes for a sample of cases"
        )
        return {metric.name: none for metric in metrics}
    sample.tidy()
    predictions = sample_predictions(known, sample)
    counts, weights = totals.counts[present].astype(np.float64), totals.weights[present]
    asked = [(each, measured_options(each, ties, shares(weights))) for each in metrics]
    return {
        found.metric.name: _scaled_error(found, predictions, sample.weights, counts, weights)
        for found in measure(CaseStatistics(predictions), asked)
    }


def sample_predictions(known: Known, sample: Sample) -> Predictions:
    """A sample of cases; classes without any are left out."""
    return Predictions(
        _as_array(known.classes)[sample.codes],
        _given(sample.rows),
        labels=list(known.classes),
        sample_weight=sample.weights if known.totals.weighted else None,
        absent="skip",
    )


def _scaled_error(
    found: Measured,
    sample: Predictions,
    raw_weights: Float64Array,
    counts: Float64Array,
    weights: Float64Array,
) -> ErrorOrReason:
    influence = found.influence
    reason = found.reason if influence is None else influence.reason
    if influence is None or reason is not None:
        return ErrorOrReason(math.nan, f"no standard error: {reason}")
    return scaled_error(influence.cases, influence.scale, sample, raw_weights, counts, weights)


def scaled_error(
    influence: Float64Array,
    scale: float,
    sample: Predictions,
    raw_weights: Float64Array,
    counts: Float64Array,
    weights: Float64Array,
) -> ErrorOrReason:
    """Var = Σ_k n_k/(n_k − 1) Σ_i (w_i φ_i / W_k)², the sum over class k scaled up."""
    if (counts <= 1).any():
        label = sample.classes[int(counts.argmin())]
        return ErrorOrReason(math.nan, f"no standard error: class {label!r} has one case")
    drawn = sample.class_counts
    squares = np.bincount(sample.codes, (raw_weights * influence) ** 2, len(drawn))
    parts = squares * counts**2 / (drawn * (counts - 1)) / weights**2
    error = math.sqrt(float(parts.sum()))
    if error <= 1e-12 * scale:
        return ErrorOrReason(
            math.nan, "no standard error: every case of the sample agrees on the value"
        )
    return ErrorOrReason(error)
