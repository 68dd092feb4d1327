"""Values, standard errors and differences of metrics of tensors.

The sums over pairs and the influence values of cases are made on the device
(:mod:`polyroc.scale._device_placements`, :mod:`polyroc.scale._device_margins`), and so is all that
is of their size; what leaves it are a few numbers and the matrix of pairwise AUCs. The variance is
that of :mod:`polyroc.inference`: Σ over the cases of φ² / (n_k (n_k − 1)), k the class of the case.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from polyroc.errors import NotDefined
from polyroc.metrics.declaration import Metric
from polyroc.metrics.question import NO_VARIATION
from polyroc.scale._certified import Certified, CertifiedEvaluation
from polyroc.scale._comparison import CertifiedDifference
from polyroc.scale._device_margins import margin_ranks
from polyroc.scale._device_pairs import Grouped, credit_sums
from polyroc.scale._device_placements import Influenced, pair_influences
from polyroc.scale._device_weights import pair_weights
from polyroc.scale._extras import Tensor, torch
from polyroc.statistics.margins import Margins
from polyroc.typing import Label, Ties


@dataclass(frozen=True)
class DeviceCases:
    """Cases of one model, and how their metrics are computed."""

    cases: Grouped
    classes: tuple[int, ...]
    n_present: int
    ties: Ties
    memory: int

    def measure(self, metrics: Sequence[Metric], with_errors: bool) -> "DeviceMeasures":
        """Values, and where asked for influence values, of metrics."""
        reasons = {each.name: _why_undefined(each, self.n_present) for each in metrics}
        defined = [each for each in metrics if reasons[each.name] is None]
        by_margins = [each.name for each in defined if each.statistic is Margins]
        by_pairs = [each.name for each in defined if each.statistic is not Margins]
        pairs = self._pairs(by_pairs, with_errors)
        theta = means_of(pairs.credit, self.cases)
        values = [pair_weights(name, self.cases.counts).mean(theta) for name in by_pairs]
        moved = [*pairs.cases]
        if by_margins:
            margins = self._margins(with_errors)
            along = means_of(margins.credit, self.cases)
            once = torch.ones_like(along, dtype=torch.bool).triu(1)  # both orders are the same
            along.masked_fill_(~once, math.nan)
            values += [pair_weights(name, self.cases.counts).mean(along) for name in by_margins]
            moved += [*margins.cases]
        names = [*by_pairs, *by_margins]
        found = dict(zip(names, torch.stack(values).tolist() if values else [], strict=True))
        influence = dict(zip(names, moved, strict=True)) if with_errors else {}
        return DeviceMeasures(self, list(metrics), found, reasons, theta, influence)

    def _pairs(self, names: Sequence[str], with_errors: bool) -> Influenced:
        if not with_errors or not names:
            credit = credit_sums(self.cases, self.ties, self.memory)
            return Influenced(credit, credit.new_empty((0, 0)))
        weights = [pair_weights(name, self.cases.counts) for name in names]
        return pair_influences(self.cases, weights, self.ties, self.memory)

    def _margins(self, with_errors: bool) -> Influenced:
        """Along margins each pair of classes is ranked once, and counts for both of its orders."""
        cases = self.cases
        if not with_errors:
            credit = margin_ranks(cases, self.ties, self.memory).credit
            return Influenced(credit, credit.new_empty((0, 0)))
        counts = cases.counts.double()
        weights = pair_weights("auc_mu", cases.counts).rows[0] / counts.clamp(min=1)
        credit, pulled = margin_ranks(cases, self.ties, self.memory, weights)
        lost = (2 * counts[:, None] * counts - credit.double()).fill_diagonal_(0)
        means = weights @ lost / counts.clamp(min=1)
        return Influenced(credit, (means[cases.codes] - pulled)[None])


def means_of(credit: Tensor, cases: Grouped) -> Tensor:
    """Credit per pair, NaN on the diagonal and for classes without cases."""
    pairs = 2 * cases.counts[:, None] * cases.counts
    means = credit.double() / pairs.double()
    return means.fill_diagonal_(math.nan)


def _why_undefined(metric: Metric, n_classes: int) -> str | None:
    try:
        metric.check_classes(n_classes)
    except NotDefined as reason:
        return str(reason)
    return None


@dataclass(frozen=True)
class DeviceMeasures:
    """Metrics of one model."""

    of: DeviceCases
    metrics: list[Metric]
    values: Mapping[str, float]
    reasons: Mapping[str, str | None]
    """Why a metric is not defined, if it is not."""
    theta: Tensor
    """(K, K) pairwise AUCs."""
    influence: Mapping[str, Tensor]
    """(n,) of each metric, where asked for."""

    def evaluation(self) -> CertifiedEvaluation:
        """Values with their standard errors."""
        theta = self.theta
        there = torch.empty(theta.shape, dtype=theta.dtype, device="cpu", pin_memory=theta.is_cuda)
        there.copy_(theta)  # at full speed into memory that stays where it is
        errors = standard_errors(self.influence, self.of)
        certified = tuple(self._certified(metric, errors) for metric in self.metrics)
        counts: dict[Label, int] = dict(zip(self.of.classes, self.of.cases.sizes, strict=True))
        matrix = there.numpy()
        return CertifiedEvaluation(certified, counts, matrix, matrix)

    def _certified(self, metric: Metric, errors: Mapping[str, tuple[float, str]]) -> Certified:
        limits, reason = (metric.lowest, metric.highest), self.reasons[metric.name]
        if reason is not None:
            return Certified(metric.name, math.nan, math.nan, note=reason, range=limits)
        value = min(max(self.values[metric.name], metric.lowest), metric.highest)
        not_asked = (math.nan, "no standard error: not requested")
        return Certified(metric.name, value, value, *errors.get(metric.name, not_asked), limits)


def standard_errors(
    influence: Mapping[str, Tensor], of: DeviceCases
) -> dict[str, tuple[float, str]]:
    """Standard errors from influence values, or NaN and the reason."""
    sizes = [(size, label) for size, label in zip(of.cases.sizes, of.classes, strict=True) if size]
    least, label = min(sizes)
    if least == 1:
        missing = (math.nan, f"no standard error: class {label!r} has one case")
        return dict.fromkeys(influence, missing)
    counts = of.cases.counts.double()
    scale = (1 / (counts * (counts - 1)))[of.cases.codes]
    variances = [(each.square() * scale).sum() for each in influence.values()]
    found = torch.stack(variances).sqrt().tolist() if variances else []
    return {name: _known(error) for name, error in zip(influence, found, strict=True)}


def _known(error: float) -> tuple[float, str]:
    if error <= NO_VARIATION:
        return math.nan, "no standard error: every case agrees on the value"
    return error, ""


def differences(measures: Mapping[str, DeviceMeasures]) -> tuple[CertifiedDifference, ...]:
    """Of each metric and pair of models on the same cases."""
    found: list[CertifiedDifference] = []
    first = next(iter(measures.values()))
    pairs = list(combinations(measures, 2))
    errors = {pair: _errors_between(*(measures[name] for name in pair)) for pair in pairs}
    for name in [each.name for each in first.metrics]:
        for a, b in pairs:
            one, other = (measures[model].values.get(name, math.nan) for model in (a, b))
            error, note = errors[a, b].get(name, (math.nan, first.reasons[name] or ""))
            difference = one - other
            found.append(CertifiedDifference(name, a, b, difference, difference, error, note))
    return tuple(found)


def _errors_between(one: DeviceMeasures, other: DeviceMeasures) -> dict[str, tuple[float, str]]:
    moved: dict[str, Any] = {
        name: values - other.influence[name] for name, values in one.influence.items()
    }
    return standard_errors(moved, one.of)
