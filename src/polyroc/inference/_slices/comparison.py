"""Models compared by slices: in each slice, and whether they differ alike in all of them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from polyroc._base.adjustment import holm_adjusted
from polyroc.errors import InvalidInput
from polyroc.inference._comparison import Comparison, Difference
from polyroc.inference._estimates import options_of
from polyroc.inference._folds import measured
from polyroc.inference._influence import CaseDesign, case_contributions
from polyroc.inference._options import Influence, Method
from polyroc.inference._samples import Samples
from polyroc.inference._slices.compared import Interaction, SlicedComparison
from polyroc.inference._slices.evaluation import TUPLES_IN_GROUPS, spanning, units_of
from polyroc.inference._slices.parts import SliceCases, Sliced, sliced
from polyroc.inference._slices.spread import SliceSpread
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.question import Influence as Moved
from polyroc.predictions._slices import Attribute
from polyroc.statistics.tuples import Tuples
from polyroc.typing import Float64Array, PriorsLike


class ComparedSlice(NamedTuple):
    """The comparison of the models in one slice."""

    cases: SliceCases
    comparison: Comparison


def check_comparable(attributes: Sequence[Attribute], samples: Samples, method: Method) -> None:
    """Whether models can be compared by slices."""
    if not attributes:
        return
    if not samples.paired:
        raise InvalidInput(
            "by compares models of the same cases in the same slices, and independent samples "
            "have no cases in common. Evaluate each sample by itself with evaluate(…, by=…)."
        )
    if not isinstance(method, Influence):
        raise InvalidInput(
            "Neither a bootstrap nor a permutation test has slices: what groups in several slices "
            'have in common is known from influence values. Pass method="influence" with by= (or '
            "slices in Predictions)."
        )


def part_of(samples: Samples, cases: SliceCases) -> Samples:
    """The models on the cases of a slice."""
    return replace(
        samples,
        predictions=tuple(each.part(cases.rows, keep_folds=True) for each in samples.predictions),
        designs=tuple(design.part(cases.rows) for design in samples.designs),
    )


def slices_of(attributes: Sequence[Attribute], samples: Samples) -> list[Sliced]:
    """The slices of every attribute."""
    return [sliced(each, samples.predictions[0], samples.designs[0]) for each in attributes]


def sliced_comparison(
    overall: Comparison,
    samples: Samples,
    metrics: Sequence[Metric],
    priors: PriorsLike | None,
    method: Method,
    found: Sequence[tuple[Sliced, Sequence[ComparedSlice]]],
) -> SlicedComparison:
    """The comparison on all cases with those in the slices."""
    rows: list[tuple[str, object, Difference]] = []
    tests: list[Interaction] = []
    for part, slices in found:
        name = part.attribute.name
        moved = _contributions(samples, metrics, priors, _draws(method), part)
        for place, metric in enumerate(metrics):
            rows += _rows(name, metric, slices)
            for a, b in combinations(range(len(samples.names)), 2):
                own = None if moved is None else moved[:, place, a] - moved[:, place, b]
                pair = samples.names[a], samples.names[b]
                tests.append(_interaction(part, slices, metric, pair, own, samples.designs[0]))
    return SlicedComparison(
        **{name: getattr(overall, name) for name in Comparison.__dataclass_fields__},
        slices={p.attribute.name: {s.cases.name: s.comparison for s in f} for p, f in found},
        cases={p.attribute.name: {s.cases.name: len(s.cases.rows) for s in f} for p, f in found},
        rows=tuple(rows),
        same=_adjusted(tests),
        thin=tuple(each for part, _ in found for each in part.withheld),
    )


def _rows(
    attribute: str, metric: Metric, slices: Sequence[ComparedSlice]
) -> list[tuple[str, object, Difference]]:
    """Differences in the slices: for each pair of models where the first is worst comes first."""
    pairs = list(
        dict.fromkeys((d.model_a, d.model_b) for s in slices for d in s.comparison.differences)
    )
    rows = []
    for pair in pairs:
        own = [(s.cases.name, _difference(s.comparison, metric, pair)) for s in slices]
        signed = np.array([metric.sign * each.difference for _, each in own])
        rows += [own[i] for i in np.argsort(signed, kind="stable")]
    adjusted = holm_adjusted([each.p_value for _, each in rows])
    return [
        (attribute, name, replace(each, p_adjusted=p))
        for (name, each), p in zip(rows, adjusted, strict=True)
    ]


def _difference(comparison: Comparison, metric: Metric, pair: tuple[str, str]) -> Difference:
    return next(
        each
        for each in comparison.differences
        if each.metric == metric.name and (each.model_a, each.model_b) == pair
    )


def _draws(method: Method) -> bool:
    """Whether volumes come from random tuples."""
    return isinstance(method, Influence) and method.n_tuples is not None


def _contributions(
    samples: Samples,
    metrics: Sequence[Metric],
    priors: PriorsLike | None,
    draws: bool,
    part: Sliced,
) -> Float64Array | None:
    """Of each case to each metric of each model (n, metrics, models), where groups span slices.

    NaN for volumes from random tuples, whose noise they would contain.
    """
    if not spanning(part, samples.designs[0]):
        return None
    exact = [p for p, metric in enumerate(metrics) if not (draws and metric.statistic is Tuples)]
    asked = [(metrics[p], options_of(metrics[p], priors)) for p in exact]
    parts = []
    for cases in part.kept:
        own = part_of(samples, cases)
        moved = np.full((len(cases.rows), len(metrics), len(samples.names)), np.nan)
        for m, (each, design) in enumerate(zip(own.predictions, own.designs, strict=True)):
            found = [one.influence for one in measured(statistics_of(each), asked, design)]
            known = [p for p, one in zip(exact, found, strict=True) if one is not None]
            if known:
                kept: list[Moved] = [one for one in found if one is not None]
                moved[:, known, m] = case_contributions(each, kept, design)
        parts.append(moved)
    return np.concatenate(parts)


def _interaction(
    part: Sliced,
    slices: Sequence[ComparedSlice],
    metric: Metric,
    pair: tuple[str, str],
    contributions: Float64Array | None,
    design: CaseDesign,
) -> Interaction:
    """Whether two models differ alike in all slices."""
    rows = [_difference(each.comparison, metric, pair) for each in slices]
    values = np.array([row.difference for row in rows])
    errors = np.array([row.standard_error for row in rows])
    freedom = np.array([row.degrees_of_freedom for row in rows])
    known = np.flatnonzero(np.isfinite(values) & np.isfinite(errors)).tolist()
    made = Interaction(part.attribute.name, metric.name, *pair, len(known))
    if len(known) < 2:
        return replace(made, note="no test: fewer than two slices have a standard error")
    spread = SliceSpread(np.diag(errors**2), freedom)
    if contributions is not None:
        if np.isnan(contributions).all():
            return replace(made, note=TUPLES_IN_GROUPS)
        units = units_of([each.cases for each in slices], design)
        spread = units.spread(np.nan_to_num(contributions), freedom)
    test = spread.of(known).alike(values[known])
    left = [str(each.cases.name) for s, each in enumerate(slices) if s not in known]
    without = f"without {', '.join(left)}: no standard error" if left else ""
    told = "; ".join(filter(None, [test.note, without]))
    return replace(made, **{**test._asdict(), "note": told})


def _adjusted(tests: list[Interaction]) -> tuple[Interaction, ...]:
    """Tests with Holm's adjustment over attributes and pairs of models, for each metric."""
    done = list(tests)
    for metric in dict.fromkeys(each.metric for each in tests):
        own = [place for place, each in enumerate(tests) if each.metric == metric]
        adjusted = holm_adjusted([tests[place].p_value for place in own])
        for place, p in zip(own, adjusted, strict=True):
            done[place] = replace(tests[place], p_adjusted=math.nan if math.isnan(p) else p)
    return tuple(done)
