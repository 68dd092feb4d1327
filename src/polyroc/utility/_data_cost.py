"""Surface-averaged expected cost of data: by a fitted curve or by the hull, with an interval."""

import math
from typing import Literal, NamedTuple

import numpy as np

from polyroc._base.checks import check_choice, repeats
from polyroc._base.random import seed_of
from polyroc.errors import NotDefined
from polyroc.predictions import Predictions
from polyroc.results import Estimate, Note
from polyroc.typing import Float64Array, LabelsLike, RandomState, ScoresLike, WeightsLike
from polyroc.utility import _categories as categories
from polyroc.utility._categories import Categories, RankedCases
from polyroc.utility._fits import fit_of, two_classes
from polyroc.utility._fitted import BinormalFit, ProperFit
from polyroc.utility._hull import hull_of

Model = Literal["binormal", "proper", "hull"]
MODELS = ("binormal", "proper", "hull")

HIGHEST = 4 / (2 + math.sqrt(math.pi))
"""Most that 2(1 − A)/S can be for any rising curve, 1.06: straight sides and a rounded corner."""


class Cost(NamedTuple):
    """SAEC of a curve, and what is wrong with the fit of the curve, if anything."""

    saec: float
    fault: str | None = None
    fit: BinormalFit | ProperFit | None = None


def cost_of(
    cases: RankedCases,
    model: Model,
    copies: Float64Array | None = None,
    near: BinormalFit | ProperFit | None = None,
) -> Cost:
    """SAEC of cases, or of so many copies of each, whose fit lies ``near`` that of the cases."""
    return cost_of_levels(cases.categories(copies), model, cases.weights, near)


@np.errstate(under="ignore")
def cost_of_levels(
    levels: Categories,
    model: Model,
    given: Float64Array,
    near: BinormalFit | ProperFit | None = None,
) -> Cost:
    """SAEC of a category per score; ``given`` are weights of cases: it matters if they differ.

    Where a threshold separates the classes it is the limit of the model.
    """
    if model == "hull":
        return Cost(hull_of(levels.runs()).saec)
    data = levels.runs(categories.MOST_CATEGORIES)
    if data.ordered and data.right_way:
        return Cost(0.0)
    if data.ordered:
        return Cost(1.0 if model == "binormal" else math.sqrt(0.5))
    fit = fit_of(data, model, given, near)
    return Cost(fit.saec, None if fit.converged else fit.note, fit)


def advice(found: Cost, levels: Categories, model: Model) -> str:
    """What is wrong with a fit, what follows, and what to use instead."""
    hull = hull_of(levels.runs()).saec
    return (
        f"The {model} curve has no best fit to these scores: {found.fault}. The SAEC of "
        f'{found.saec:.2g} is that limit, not an estimate. Use model="hull", which gives '
        f"{hull:.4f}, or pass more cases or finer scores."
    )


def saec_interval(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    model: Model = "binormal",
    n_replicates: int = 500,
    rng: RandomState = None,
) -> Estimate:
    """SAEC of two classes with its uncertainty by the bootstrap.

    Cases are drawn with replacement within each class and the curve is fitted, or the hull drawn,
    anew for each replicate. Replicate number i uses stream i of the seed, which ``settings`` keeps.
    Replicates whose scores give no curve, or whose fit runs to a limit of the model, are left out,
    and a note counts them. Where the fit to the cases themselves runs to a limit, a note says so
    and there is no interval. The level is chosen when the result is used: ``interval(0.9)`` gives
    bias-corrected percentiles (BC; without the acceleration of BCa).

    Examples
    --------
    >>> counts = [33, 6, 6, 11, 2, 3, 2, 2, 11, 33]
    >>> y, ratings = np.repeat([0] * 5 + [1] * 5, counts), np.repeat([1, 2, 3, 4, 5] * 2, counts)
    >>> found = saec_interval(y, ratings, n_replicates=50, rng=1)
    >>> print(f"{found.value:.4f}", found.interval(0.9).low < found.value)
    0.1019 True
    """
    check_choice(model, "model", MODELS)
    predictions = two_classes(y_true, y_score, labels, sample_weight, "saec")
    predictions.check_independent("saec_interval")
    count = repeats(n_replicates, "n_replicates", least=2)
    cases, seed = RankedCases.of(predictions), seed_of(rng)
    found = cost_of(cases, model)
    drawn = [_replicate(cases, model, seed, index, found) for index in range(count)]
    defined = np.array([each.saec for each in drawn if each.fault is None])
    settled = found.fault is None
    if settled and len(defined) < 2:
        raise NotDefined(
            f"Of {count} resamples {len(defined)} gave a curve that could be fitted. "
            'Pass more cases or finer scores, or use model="hull".'
        )
    sizes = predictions.class_counts.tolist()
    limit = () if settled else (_limit(advice(found, cases.categories(), model)),)
    return Estimate(
        metric="saec",
        value=found.saec,
        standard_error=float(defined.std(ddof=1)) if settled else math.nan,
        method="bootstrap",
        range=(0.0, HIGHEST),
        direction="lower",
        counts=dict(zip(predictions.classes, sizes, strict=True)),
        notes=_notes(drawn) + limit,
        settings={"model": model, "n_replicates": count, "seed": seed},
        replicates=defined if settled else None,
    )


_NO_CURVE = "no curve"


def _replicate(cases: RankedCases, model: Model, seed: int, index: int, whole: Cost) -> Cost:
    """SAEC of cases drawn within their classes."""
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))
    copies: Float64Array = np.zeros(len(cases.positive))
    for side in (0, 1):
        members = np.flatnonzero(cases.positive == side)
        chosen = generator.integers(0, len(members), len(members))
        copies[members] = np.bincount(chosen, minlength=len(members))
    try:
        return cost_of(cases, model, copies, whole.fit)
    except NotDefined:
        return Cost(math.nan, _NO_CURVE)


def _notes(drawn: list[Cost]) -> tuple[Note, ...]:
    """How many replicates were left out, and why."""
    without = sum(each.fault == _NO_CURVE for each in drawn)
    at_limit = sum(each.fault not in (None, _NO_CURVE) for each in drawn)
    notes: tuple[Note, ...] = ()
    if without:
        text = f"{without} of {len(drawn)} replicates have no curve and are left out"
        notes += (Note("undefined-replicates", text),)
    if at_limit:
        text = (
            f"the fits of {at_limit} of {len(drawn)} replicates ran to a limit of the model and "
            "are left out"
        )
        notes += (Note("replicates-at-limit", text),)
    return notes


def _limit(text: str) -> Note:
    return Note("fit-at-limit", text)
