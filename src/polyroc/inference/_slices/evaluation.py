"""Metrics by slices: each slice alone, against the rest, and all slices at once."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.adjustment import holm_adjusted
from polyroc._base.parallel import map_threads, thread_count
from polyroc.inference._estimates import Draw, _estimates, _found, joint_covariance
from polyroc.inference._influence import CaseDesign, case_contributions
from polyroc.inference._slices.parts import SliceCases, Sliced, sliced
from polyroc.inference._slices.result import SlicedEvaluation, SliceDifference, SliceTest
from polyroc.inference._slices.spread import SliceSpread, Units
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.question import NO_VARIATION
from polyroc.predictions import Predictions
from polyroc.predictions._slices import Attribute
from polyroc.results import Estimate, Evaluation
from polyroc.typing import Float64Array, PriorsLike

ONE_SLICE = "no difference: no other slice has a value"
TUPLES_IN_GROUPS = "no test: groups are in several slices, and values come from random tuples"


class Request(NamedTuple):
    """What is asked about every slice."""

    metrics: Sequence[Metric]
    priors: PriorsLike | None
    with_error: bool
    draw: Draw | None
    level: float


class SliceFound(NamedTuple):
    """What was found about one slice."""

    cases: SliceCases
    evaluation: Evaluation
    weight: float
    contributions: Float64Array | None
    """Of each case to each metric, where groups are in several slices (n, metrics)."""


def evaluate_slices(
    overall: Evaluation,
    attributes: Sequence[Attribute],
    predictions: Predictions,
    design: CaseDesign,
    asked: Request,
) -> SlicedEvaluation:
    """The evaluation of all cases with those of their slices."""
    parts = [sliced(each, predictions, design) for each in attributes]
    found = [_of_attribute(part, predictions, design, asked) for part in parts]
    names = [each.name for each in attributes]
    differences, tests = [], []
    for part, slices in zip(parts, found, strict=True):
        for place, metric in enumerate(asked.metrics):
            spread = _spread(slices, design, place)
            values = _Values(part.attribute.name, metric, slices, spread)
            differences += values.differences()
            tests.append(values.test(asked.with_error))
    return SlicedEvaluation(
        overall.estimates,
        overall.level,
        overall.joint,
        slices={n: {s.cases.name: s.evaluation for s in f} for n, f in _paired(names, found)},
        cases={n: {s.cases.name: len(s.cases.rows) for s in f} for n, f in _paired(names, found)},
        differences=tuple(differences),
        alike=_adjusted(tests, asked.metrics),
        thin=tuple(each for part in parts for each in part.withheld),
    )


def _paired(names: list[str], found: list[list[SliceFound]]) -> Any:
    return zip(names, found, strict=True)


def _adjusted(tests: list[SliceTest], metrics: Sequence[Metric]) -> tuple[SliceTest, ...]:
    """Tests with Holm's adjustment over the attributes, for each metric."""
    done = list(tests)
    for first in range(len(metrics)):
        own = range(first, len(tests), len(metrics))
        for place, p in zip(own, holm_adjusted([tests[i].p_value for i in own]), strict=True):
            done[place] = replace(tests[place], p_adjusted=p)
    return tuple(done)


def _of_attribute(
    part: Sliced, predictions: Predictions, design: CaseDesign, asked: Request
) -> list[SliceFound]:
    """The slices of an attribute, on several threads where there are many."""
    few = len(part.kept) < thread_count(predictions.n_threads)
    inner = predictions.n_threads if few else 1
    spans = spanning(part, design) and asked.with_error

    def of_slice(cases: SliceCases) -> SliceFound:
        own = predictions.part(cases.rows, n_threads=inner, keep_folds=True)
        return _of_slice(cases, own, design.part(cases.rows), asked, spans)

    return map_threads(of_slice, part.kept, 1 if few else predictions.n_threads)


def spanning(part: Sliced, design: CaseDesign) -> bool:
    """Whether a group has cases in several slices."""
    return design.groups is not None and bool((units_of(part.kept, design).span > 1).any())


def units_of(kept: Sequence[SliceCases], design: CaseDesign) -> Units:
    """Slices and groups of the cases of all slices, one slice after the other."""
    assert design.groups is not None
    rows = np.concatenate([each.rows for each in kept] or [np.empty(0, dtype=np.intp)])
    slices = np.repeat(np.arange(len(kept)), [len(each.rows) for each in kept])
    groups = np.unique(design.groups[rows], return_inverse=True)[1]
    return Units(slices, groups, len(kept))


def _of_slice(
    cases: SliceCases, own: Predictions, design: CaseDesign, asked: Request, with_units: bool
) -> SliceFound:
    """One slice, evaluated as if there were no other cases."""
    metrics, priors, with_error, draw, level = asked
    statistics = statistics_of(own)
    found = _found(statistics, metrics, design, priors, with_error, draw)
    estimates = _estimates(statistics, found, design, priors, draw)
    joint = joint_covariance(own, found, estimates, design) if with_error else None
    contributions = None
    if with_units:
        contributions = np.full((len(own), len(metrics)), np.nan)
        known = [p for p, each in enumerate(found.measured) if each.influence is not None]
        moved = [i for p in known if (i := found.measured[p].influence) is not None]
        if moved:
            contributions[:, known] = case_contributions(own, moved, design)
    evaluation = Evaluation(tuple(estimates), level, joint)
    return SliceFound(cases, evaluation, float(own.class_weights.sum()), contributions)


def _spread(slices: Sequence[SliceFound], design: CaseDesign, place: int) -> SliceSpread | None:
    """How the values of a metric in the slices vary; None where that is not known."""
    estimates = [each.evaluation.estimates[place] for each in slices]
    pairs = [_variance(each, estimates) for each in estimates]
    variances, freedom = np.array(pairs).reshape(-1, 2).T
    contributions = [s.contributions[:, place] for s in slices if s.contributions is not None]
    if not contributions:
        return SliceSpread(np.diag(variances), freedom)
    if any("n_tuples" in each.settings for each in estimates):
        return None
    units = units_of([each.cases for each in slices], design)
    spread = units.spread(np.nan_to_num(np.concatenate(contributions)), freedom)
    covariance = spread.covariance
    edges = np.isnan([each.standard_error for each in estimates])  # cases agree, or no derivative
    covariance[edges, edges] = variances[edges]
    return replace(spread, covariance=covariance)


def _variance(estimate: Estimate, estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Variance of the value of a slice, and its degrees of freedom; NaN if there is none.

    Where every case of a slice agrees, as at a value of 1, it has the variance of a share of as
    many effective cases at the mean of all slices: what it would have if the slices were alike.
    """
    if not math.isnan(estimate.standard_error):
        return estimate.standard_error**2, estimate.degrees_of_freedom
    if estimate.effective is None or math.isnan(estimate.value):
        return math.nan, math.nan
    lowest, highest = estimate.range
    values = [each.value for each in estimates if not math.isnan(each.value)]
    share = (float(np.mean(values)) - lowest) / (highest - lowest)
    if not share * (1 - share) > NO_VARIATION:
        return math.nan, math.nan
    variance = share * (1 - share) * (highest - lowest) ** 2 / estimate.effective.size
    return variance, estimate.effective.degrees_of_freedom


class _Values:
    """The values of one metric in the slices of one attribute."""

    def __init__(
        self,
        attribute: str,
        metric: Metric,
        slices: Sequence[SliceFound],
        spread: SliceSpread | None,
    ) -> None:
        self.attribute, self.metric, self.slices = attribute, metric, slices
        estimates = [each.evaluation[metric.name] for each in slices]
        self.values = np.array([each.value for each in estimates])
        self.weights = np.array([each.weight for each in slices])
        self.spread = spread
        nothing = np.full(len(slices), np.nan)
        self.variances = nothing if spread is None else spread.variances

    def differences(self) -> list[SliceDifference]:
        """Of each slice from the rest, the worst slice first."""
        order = np.argsort(self.metric.sign * self.values, kind="stable")  # NaN last
        rows = [self._difference(int(s)) for s in order]
        p_values = [row.p_value for row in rows]
        # Two slices are one test, told twice.
        adjusted = holm_adjusted(p_values) if len(self._valued) > 2 else p_values
        return [replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True)]

    @property
    def _valued(self) -> list[int]:
        return [int(s) for s in np.flatnonzero(~np.isnan(self.values))]

    def _contrast(self, s: int) -> Float64Array | None:
        """1 for a slice, and minus the shares of the others; None if there are none."""
        others = [t for t in self._valued if t != s]
        if not others or math.isnan(self.values[s]):
            return None
        contrast = np.zeros(len(self.values))
        contrast[others] = -self.weights[others] / self.weights[others].sum()
        contrast[s] = 1.0
        return contrast

    def _difference(self, s: int) -> SliceDifference:
        row = SliceDifference(self.attribute, self.slices[s].cases.name, self.metric.name)
        contrast = self._contrast(s)
        if contrast is None:
            return replace(row, note=ONE_SLICE)
        there = contrast != 0
        difference = float(contrast[there] @ self.values[there])
        row = replace(row, difference=difference)
        if self.spread is None:
            return replace(row, note=TUPLES_IN_GROUPS)
        if np.isnan(self.variances[there]).any():
            return replace(row, note="no standard error: a slice has none")
        return _tested(row, self.spread.of(np.flatnonzero(there).tolist()), contrast[there])

    def test(self, with_error: bool) -> SliceTest:
        """Whether all slices are alike."""
        known = [s for s in self._valued if not math.isnan(self.variances[s])]
        made = SliceTest(self.attribute, self.metric.name, len(known))
        if self.spread is None:
            return replace(made, note=TUPLES_IN_GROUPS)
        if not with_error:
            return replace(made, note='no test without standard errors: pass interval="influence"')
        if len(known) < 2:
            return replace(made, note="no test: fewer than two slices have a standard error")
        left = [str(each.cases.name) for s, each in enumerate(self.slices) if s not in known]
        found = self.spread.of(known).alike(self.values[known])
        without = f"without {', '.join(left)}: no standard error" if left else ""
        told = "; ".join(filter(None, [found.note, without]))
        return replace(made, **{**found._asdict(), "note": told})


def _tested(row: SliceDifference, spread: SliceSpread, contrast: Float64Array) -> SliceDifference:
    """A difference with its standard error and t test."""
    from polyroc._base.pivots import upper_tail

    error, freedom = math.sqrt(max(spread.variance(contrast), 0)), spread.freedom(contrast)
    if error == 0:
        return replace(row, note="no standard error: the slices do not vary")
    p_value = 2 * upper_tail(abs(row.difference) / error, freedom)
    return replace(row, standard_error=error, degrees_of_freedom=freedom, p_value=p_value)
