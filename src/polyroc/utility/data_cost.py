"""Surface-averaged expected cost of data: by a fitted curve or by the hull, with an interval."""

import math
from typing import Literal

import numpy as np

from polyroc.errors import NotDefined
from polyroc.options import check_choice, repeats
from polyroc.results import Estimate, Note
from polyroc.seeds import seed_of
from polyroc.typing import Float64Array, LabelsLike, RandomState, ScoresLike, WeightsLike
from polyroc.utility.categories import RankedCases
from polyroc.utility.fits import fit_runs, fitted_curve, two_classes
from polyroc.utility.hull import hull_of

Model = Literal["binormal", "proper", "hull"]
MODELS = ("binormal", "proper", "hull")

HIGHEST = 4 / (2 + math.sqrt(math.pi))
"""Most that 2(1 − A)/S can be for any rising curve, 1.06: straight sides and a rounded corner."""


def saec_of(cases: RankedCases, model: Model, copies: Float64Array | None = None) -> float:
    """SAEC of cases, or of so many copies of each.

    Where a threshold separates the classes it is the limit of the model.
    """
    if model == "hull":
        return hull_of(cases.runs(copies)).saec
    data = fit_runs(cases, copies)
    if data.ordered and data.right_way:
        return 0.0
    if data.ordered:
        return 1.0 if model == "binormal" else math.sqrt(0.5)
    return fitted_curve(data, model).saec


def saec_interval(
    y_true: LabelsLike,
    y_score: ScoresLike,
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
    Replicates whose scores give no curve are left out, and a note counts them. The level is asked
    of the result: ``interval(0.9)`` gives bias-corrected percentiles.

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
    count = repeats(n_replicates, "n_replicates", least=2)
    cases, seed = RankedCases.of(predictions), seed_of(rng)
    value = saec_of(cases, model)
    drawn = np.array([_replicate(cases, model, seed, index) for index in range(count)])
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < 2:
        raise NotDefined(
            f"Of {count} resamples {len(defined)} gave a curve to fit. "
            'Pass more cases or finer scores, or use model="hull".'
        )
    sizes = predictions.class_counts.tolist()
    return Estimate(
        metric="saec",
        value=value,
        standard_error=float(defined.std(ddof=1)),
        method="bootstrap",
        range=(0.0, HIGHEST),
        counts=dict(zip(predictions.classes, sizes, strict=True)),
        notes=_notes(count - len(defined), count),
        settings={"model": model, "n_replicates": count, "seed": seed},
        replicates=defined,
    )


def _replicate(cases: RankedCases, model: Model, seed: int, index: int) -> float:
    """SAEC of cases drawn within their classes; NaN where it does not exist."""
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))
    copies: Float64Array = np.zeros(len(cases.positive))
    for side in (0, 1):
        members = np.flatnonzero(cases.positive == side)
        chosen = generator.integers(0, len(members), len(members))
        copies[members] = np.bincount(chosen, minlength=len(members))
    try:
        return saec_of(cases, model, copies)
    except NotDefined:
        return math.nan


def _notes(undefined: int, count: int) -> tuple[Note, ...]:
    if not undefined:
        return ()
    text = f"{undefined} of {count} replicates have no curve and are left out"
    return (Note("undefined-replicates", text),)
