"""How certain G and δ are: standard errors from the cases that the error rates were counted on.

Each rate C_kj of an operating point is a mean over the cases of class k, and G is a function of all
of them: case i of class k moves it by φ_i = Σ_points Σ_j (1[i decided j] − C_kj) ∂G/∂C_kj. That is
what the intervals of every metric are made of; here the operating points are taken as given.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.results import Estimate, Note
from polyroc.statistics.rates import decided_sums
from polyroc.statistics.spread import Spread, class_spread
from polyroc.surface._cases import Cases
from polyroc.surface._costs import matrices
from polyroc.surface._rates import model_probabilities, sharing_parameters
from polyroc.surface.models.model import Model
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface

SAME_RATE = 1e-9
"""Rates counted anew differ by rounding from those of the surface, not by this much."""

NO_VARIATION = 1e-12
"""Standard errors up to this are rounding."""

NO_ERROR = "no standard error: "
OF_CASES = "the standard error is that of the cases alone"

NO_CASES = Note(
    "no-cases",
    "no interval: the surface does not have the cases that its rates were counted on; "
    "surface.rescore(X, y) counts them on cases of yours",
)
IN_GROUPS = Note(
    "cases-in-groups",
    "no interval: the cases belong to groups, and intervals of surfaces treat cases as independent",
)
OTHER_CASES = Note(
    "other-cases",
    "no interval: the rates of the surface are not those of its model's cases; "
    "surface.rescore(X, y) recounts them",
)
OPTIMISTIC = Note(
    "points-chosen-here",
    "optimistic: the operating points were found on the same cases; the interval treats them as "
    "fixed. surface.rescore(X, y) evaluates them on other cases, cross_fitted_gini(…) on "
    "held-out ones",
)
AT_EDGE = Note("no-derivative", "no standard error: δ is 0, which it cannot fall below")
AS_GIVEN = Note("points-as-given", "the interval treats the operating points as fixed")


class Effect(NamedTuple):
    """Influence values of cases."""

    influence: Float64Array
    cases: Cases


@dataclass(frozen=True, eq=False)
class Unknown(Exception):
    """Why there are no influence values."""

    note: Note


def model_with_cases(surface: "RocSurface") -> Model:
    """The model of a surface, which has the cases that its certainty comes from."""
    if surface.model is None or not hasattr(surface.model, "cases"):
        raise Unknown(NO_CASES)
    if surface.model.cases.grouped:
        raise Unknown(IN_GROUPS)
    return surface.model


def effect_of(surface: "RocSurface", slopes: Float64Array) -> Effect:
    """φ of the cases of a surface, given the (m, D) derivatives by its rates."""
    model = model_with_cases(surface)
    tables = matrices(slopes, surface.n_classes)
    used = np.flatnonzero(slopes.any(axis=1))
    sums = member_sums(model, surface.parameters[used], surface.costs[used], tables[used])
    expected = (tables * surface.confusion).sum(axis=(0, 2))
    totals = np.bincount(model.cases.codes, model.cases.weights * sums, surface.n_classes)
    scale = max(1.0, float(np.abs(slopes).sum()))
    counted = totals / model.cases.class_weights
    if not np.allclose(counted, expected, rtol=0, atol=SAME_RATE * scale):
        raise Unknown(OTHER_CASES)
    return Effect(sums - counted[model.cases.codes], model.cases)


def member_sums(
    model: Model, parameters: Float64Array, costs: Float64Array, values: Float64Array
) -> Float64Array:
    """Σ over members of the value of what each decides, for each case of the model."""
    sums = np.zeros(len(model.cases))
    for rows in sharing_parameters(parameters):
        probabilities = model_probabilities(model, parameters[rows[0]])
        sums += decided_sums(probabilities, model.cases.codes, costs[rows], values[rows])
    return sums


def joined(effects: Sequence[Effect], paired: bool) -> tuple[Spread, list[Cases]]:
    """Spread of the sum of effects: on the same cases, or on samples of their own."""
    first = effects[0].cases
    n_classes = len(first.classes)
    if paired:
        total = np.sum([each.influence for each in effects], axis=0)
        return class_spread(total, first.codes, first.weights, n_classes), [first]
    influence = np.concatenate([each.influence for each in effects])
    codes = np.concatenate([each.cases.codes + n_classes * t for t, each in enumerate(effects)])
    weights = np.concatenate([each.cases.weights for each in effects])
    samples = [each.cases for each in effects]
    return class_spread(influence, codes, weights, n_classes * len(effects)), samples


def same_cases(surfaces: Sequence["RocSurface"]) -> bool:
    """Whether labels and weights of the cases agree, row by row."""
    every = [getattr(surface.model, "cases", None) for surface in surfaces]
    first = every[0]
    return all(
        first is not None
        and each is not None
        and np.array_equal(first.codes, each.codes)
        and np.array_equal(first.weights, each.weights)
        for each in every
    )


def check_paired(surfaces: Sequence["RocSurface"]) -> None:
    """An error if surfaces that are to be compared case by case have other cases."""
    for surface in surfaces:
        if not hasattr(surface.model, "cases"):
            raise InvalidInput(
                "A paired comparison needs the cases of both surfaces, which a file does not "
                "contain. Rescore both on the same cases with surface.rescore(X, y)."
            )
    if not same_cases(surfaces):
        raise InvalidInput(
            "The surfaces were rated on different cases: their labels or weights differ. "
            "Rescore both on the same cases, or pass paired=False for independent samples."
        )


def with_cases(
    estimate: Estimate, spread: Spread, samples: Sequence[Cases], notes: Sequence[Note]
) -> Estimate:
    """The estimate with the standard error of the cases; Monte Carlo error is named beside it."""
    classes = samples[0].classes
    counts = [np.bincount(each.codes, minlength=len(classes)) for each in samples]
    error = math.sqrt(spread.variance) if spread.variance >= 0 else math.nan
    missing = one_case(classes, counts) or _no_variation(error, estimate.value)
    notes = [*of_samples(estimate, missing is None), *notes]
    if missing is not None:
        notes, error = [*notes, missing], math.nan
    sampled = 0.0 if estimate.error_of != "samples" else estimate.standard_error
    if sampled > 0:
        error = math.hypot(error, sampled)
    return replace(
        estimate,
        standard_error=error,
        degrees_of_freedom=math.inf if math.isnan(error) else spread.freedom,
        counts=dict(zip(classes, np.sum(counts, axis=0).tolist(), strict=True)),
        notes=tuple(notes),
        settings={**estimate.settings, **({"monte_carlo_error": sampled} if sampled > 0 else {})},
        error_of="cases",
    )


def of_samples(estimate: Estimate, known: bool) -> list[Note]:
    """Notes that stay: those on samples say what they are beside the error of the cases.

    ``known`` says whether there is an error of the cases.
    """
    error = f"Monte Carlo error {estimate.standard_error:.1e} of the samples"
    found = []
    for note in estimate.notes:
        if note.code == "monte-carlo-error":
            note = Note(note.code, f"{error}, included" if known else error)
        elif note.code == "samples-agree" and known:
            told = note.text.removeprefix(NO_ERROR)
            note = Note(note.code, f"{told}; {OF_CASES}")
        if note.code != "points-as-given":
            found.append(note)
    return found


def one_case(classes: Sequence[Label], counts: Sequence[NDArray[np.intp]]) -> Note | None:
    """The first class with a single case in a sample; samples after the first are named."""
    for own in counts:
        if own.min() <= 1:
            whose = " of one of the surfaces" * (len(counts) > 1)
            label = classes[int(own.argmin())]
            return Note("one-case", f"{NO_ERROR}class {label!r}{whose} has one case")
    return None


def _no_variation(error: float, value: float) -> Note | None:
    if error > NO_VARIATION:
        return None
    return Note("no-variation", f"{NO_ERROR}every case agrees on {value:.4g}")


def without_cases(estimate: Estimate, reason: Note) -> Estimate:
    """The estimate as it is, and why it has no interval."""
    kept = tuple(note for note in estimate.notes if note.code != "points-as-given")
    return replace(estimate, notes=(*kept, reason))


def on_selection(surfaces: Sequence["RocSurface"]) -> Note:
    """Whether the points were found on the cases that rate them."""
    own = any("rescored_on" not in surface.provenance for surface in surfaces)
    return OPTIMISTIC if own else AS_GIVEN
