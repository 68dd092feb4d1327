"""Binormal curves fitted to data by maximum likelihood, on ranks.

Both models hold up to an unknown monotone transformation of the scores, so only their order is
used. Ordinal ratings are categories as they are; of continuous scores the truth-state runs are
(:mod:`polyroc.utility._categories`).
"""

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from polyroc._base.checks import check_choice
from polyroc.curves._binormal import BinormalCurve
from polyroc.curves._proper_binormal import ProperBinormalCurve
from polyroc.errors import NotDefined
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Float64Array, LabelsLike, ScoresLike, WeightsLike
from polyroc.utility import _categories as categories
from polyroc.utility._categories import Categories, RankedCases
from polyroc.utility._families import Conventional, Proper, Theta
from polyroc.utility._fitted import BinormalFit, ProperFit
from polyroc.utility._information import covariance, first_alone
from polyroc.utility._likelihood import Maximum, diagonal_value, maximise

WeightKind = Literal["sampling", "frequency"]

_VAGUE = 5.0
"""A standard error of ln b beyond this: the likelihood is flat towards a limit."""

_NEAR_ZERO = 0.1
"""Where d_a hardly matters beside c."""
_CERTAIN = 6.0
"""Standard errors of d_a beyond which other maxima are not looked for; some were missed at 3."""
_SAME = 1e-7
"""Log-likelihoods this close are one maximum, reached from several starts."""
_LEAST_AREA, _MOST_SHAPE = 0.5 + 1e-6, 0.98
_MORE = (
    "The expected cost of three or more classes is that of their ROC surface: use "
    "utility.ideal_observer(probabilities).saec(), which uses calibrated probabilities, or "
    "utility.saec_surface(surface), the hull of a searched surface of three classes."
)
_DIAGONAL = "the best curve is the diagonal, c = d_a = 0, where there are no standard errors"


def fit_binormal(
    y_true: LabelsLike | Predictions,
    score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    weights: WeightKind = "sampling",
) -> BinormalFit:
    """Maximum likelihood fit of the conventional binormal curve to the order of the scores.

    The classical estimate of Dorfman and Alf (1969) for ratings, and of Metz, Herman and Shen
    (1998) for continuous scores. O(n log n) to sort, then O(m) for each of a few Newton steps over
    m categories or runs.

    Undefined if all scores are equal, if a threshold separates the classes, or if the scores give
    a single operating point. Where the best fit lies at a limit (b → 0, b → ∞, a → ∞),
    ``converged`` is False, standard errors are NaN and ``note`` names the limit.

    Parameters
    ----------
    score : the higher, the likelier the second class; with two columns, the second is used.
    weights : what ``sample_weight`` is: ``"sampling"`` gives sandwich standard errors that do not
        depend on its scale, ``"frequency"`` takes a weight as so many copies.

    Examples
    --------
    Ratings of 109 CT images by one reader (Hanley & McNeil, Radiology 143, 1982, Table I).

    >>> ratings = [1, 2, 3, 4, 5] * 2
    >>> counts = [33, 6, 6, 11, 2, 3, 2, 2, 11, 33]
    >>> fit_binormal(np.repeat([0] * 5 + [1] * 5, counts), np.repeat(ratings, counts))
    BinormalFit(a = 1.6568 ± 0.3105, b = 0.7130 ± 0.2159)
    """
    predictions = two_classes(y_true, score, labels, sample_weight, "fit_binormal")
    data = _fit_data(predictions, weights, "fit_binormal")
    return _binormal_fit(data, predictions.case_weights, weights)


@np.errstate(under="ignore")  # densities far from their means are 0
def _binormal_fit(
    data: Categories, case_weights: Float64Array, kind: WeightKind = "sampling"
) -> BinormalFit:
    found = maximise(Conventional(), data, start_of(data))
    a, b = Conventional.pair(found.at.theta)
    spread = _scaled_covariance(data, found, case_weights, kind)
    note = limit_note(BinormalCurve(a, b), found.settled, math.sqrt(spread[1, 1]), math.log(b))
    change = Conventional.jacobian(found.at.theta) * (1.0 if note is None else math.nan)
    return BinormalFit(a=a, b=b, **_common(data, found, change @ spread @ change.T, note))


def fit_proper(
    y_true: LabelsLike | Predictions,
    score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    weights: WeightKind = "sampling",
) -> ProperFit:
    """Maximum likelihood fit of the proper binormal curve to the order of the scores.

    Metz and Pan (Journal of Mathematical Psychology 43, 1999). Parameters, limits and errors are
    as in :func:`fit_binormal`, and c → ±1 is a limit too. Near d_a = 0 a change of d_a² does to
    the curve what a change of c does, so the likelihood is flat in d_a: a fit that ends there has
    a standard error for c alone. Scores that rank the classes the wrong way end at the diagonal,
    c = d_a = 0, where there is none.

    Examples
    --------
    >>> ratings = [1, 2, 3, 4, 5] * 2
    >>> counts = [33, 6, 6, 11, 2, 3, 2, 2, 11, 33]
    >>> fit_proper(np.repeat([0] * 5 + [1] * 5, counts), np.repeat(ratings, counts))
    ProperFit(c = -0.1675 ± 0.1472, d_a = 1.9078 ± 0.2598)
    """
    predictions = two_classes(y_true, score, labels, sample_weight, "fit_proper")
    data = _fit_data(predictions, weights, "fit_proper")
    return _proper_fit(data, predictions.case_weights, weights)


@np.errstate(under="ignore")  # densities far from their means are 0
def _proper_fit(
    data: Categories,
    case_weights: Float64Array,
    kind: WeightKind = "sampling",
    near: ProperFit | None = None,
) -> ProperFit:
    found = maximise_proper(data, near)
    if found.diagonal:
        common = _common(data, found, np.full((2, 2), np.nan), None)
        return ProperFit(
            c=0.0, d_a=0.0, **{**common, "note": _DIAGONAL, "log_likelihood": diagonal_value(data)}
        )
    c, d_a = math.tanh(found.at.theta[0]), abs(float(found.at.theta[1]))
    spread, flat = _scaled_covariance(data, found, case_weights, kind), None
    if d_a < _NEAR_ZERO and not spread[1, 1] < 1:
        spread = _scaled_covariance(data, found, case_weights, kind, alone=True)
        flat = "d_a is at its limit 0, where the likelihood is flat in it"
    log_b = 2 * float(found.at.theta[0])
    note = limit_note(
        ProperBinormalCurve(c, d_a), found.settled, 2 * math.sqrt(spread[0, 0]), log_b
    )
    scale = np.array([1 - c * c, 1.0]) if note is None else np.full(2, np.nan)
    common = _common(data, found, spread * np.outer(scale, scale), note or flat)
    return ProperFit(c=c, d_a=d_a, **{**common, "converged": note is None})


def two_classes(
    y_true: LabelsLike | Predictions,
    score: ScoresLike | None,
    labels: LabelsLike | None,
    sample_weight: WeightsLike | None,
    name: str,
    **gate: Any,
) -> Predictions:
    """Predictions of two classes, or an error that names who needs them."""
    predictions = predictions_of(y_true, score, labels, sample_weight, **gate)
    if predictions.n_classes != 2:
        raise NotDefined(f"{name} is defined for 2 classes, got {predictions.n_classes}. {_MORE}")
    return predictions


def fit_runs(cases: RankedCases) -> Categories:
    """The categories that fits work on."""
    return cases.runs(categories.MOST_CATEGORIES)


def _fit_data(predictions: Predictions, weights: WeightKind, name: str) -> Categories:
    """The same, checked for the fit of this name."""
    predictions.check_independent(name)
    data = fit_runs(RankedCases.of(predictions))
    data.check()
    check_choice(weights, "weights", ("sampling", "frequency"))
    return data


def start_of(data: Categories) -> Theta:
    """(a/√(1 + b²), ln b) from the moments of the normal scores of the categories."""
    from scipy.special import ndtri

    pooled = data.weights.sum(axis=0)
    z = ndtri((np.cumsum(pooled) - pooled / 2) / pooled.sum())
    share = data.weights / data.weights.sum(axis=1, keepdims=True)
    means = share @ z
    spreads = np.sqrt(np.maximum((share * (z - means[:, None]) ** 2).sum(axis=1), 0.01))
    log_b = np.clip(np.log(spreads[0] / spreads[1]), -1.5, 1.5)
    return np.array([np.clip((means[1] - means[0]) / np.hypot(*spreads), -3, 3), log_b])


def proper_start(data: Categories) -> Theta:
    """(artanh c, d_a) from the same moments, away from the flat region at d_a = 0."""
    z, log_b = start_of(data).tolist()
    return np.array([log_b / 2, max(z * math.sqrt(2), 0.2)])


def maximise_proper(data: Categories, near: ProperFit | None = None) -> Maximum:
    """The highest of the maxima that are found from several starts.

    The likelihood of the proper model may have more than one: with the other sign of c, near
    d_a = 0, or on the diagonal. Where d_a is many standard errors from 0 there is one only. A
    resample starts from the fit ``near`` it, that of the cases it was drawn from, as well.
    """
    start = proper_start(data)
    tries = [maximise(Proper(), data, start)]
    if near is not None:
        c = min(max(near.c, -_MOST_SHAPE), _MOST_SHAPE)
        tries.append(maximise(Proper(), data, np.array([math.atanh(c), near.d_a])))
    elif not _certain(data, tries[0]):
        tries += [maximise(Proper(), data, each) for each in _other_starts(start)]
    highest = max(each.at.value for each in tries)
    close = [each for each in tries if each.at.value >= highest - _SAME]
    found = next((each for each in close if each.settled), close[0])
    return replace(found, diagonal=found.at.value <= diagonal_value(data))


def _certain(data: Categories, found: Maximum) -> bool:
    """Whether d_a is far from 0 for what is known about it."""
    variance = float(covariance(data, found, False)[1, 1])
    return found.settled and bool(found.at.theta[1] ** 2 > _CERTAIN**2 * variance)


def _other_starts(start: Theta) -> list[Theta]:
    """Curves of the same area with d_a near 0, curves half-way there, and one near the diagonal.

    At d_a = 0 the area is 1 − arctan((1 − c²)/(2|c|))/π, which c₀ solves.
    """
    d_a = float(start[1])
    area = max(ProperBinormalCurve(math.tanh(start[0]), d_a).area, _LEAST_AREA)
    t = math.tan(math.pi * (1 - area))
    far = min(math.hypot(t, 1) - t, _MOST_SHAPE)
    pairs = [(side * far, 0.05) for side in (1, -1)]
    pairs += [(side * 0.6 * far, 0.6 * d_a) for side in (1, -1)]
    return [np.array([math.atanh(c), d]) for c, d in [*pairs, (0.0, 0.3)]]


def limit_note(
    curve: BinormalCurve | ProperBinormalCurve, settled: bool, vagueness: float, log_b: float
) -> str | None:
    """The limit towards which the likelihood rises, in words; None at a proper maximum."""
    if curve.area > 1 - 1e-6:
        return "the likelihood rises as the curve becomes perfect"
    if settled and vagueness < _VAGUE:
        return None
    if abs(log_b) < 0.5:
        return "the information about the parameters is singular"
    return f"the likelihood rises, or is flat, towards b → {'0' if log_b < 0 else '∞'}"


def _scaled_covariance(
    data: Categories,
    found: Maximum,
    given: Float64Array,
    kind: WeightKind,
    alone: bool = False,
) -> Float64Array:
    """Covariance of θ for the weights as what they are; equal ones do not count as weights."""
    matrix = first_alone if alone else covariance
    if kind == "frequency":
        return matrix(data, found, False)
    if (given == given[0]).all():
        return np.asarray(matrix(data, found, False) * given[0])
    return matrix(data, found, True)


def _common(
    data: Categories, found: Maximum, spread: Float64Array, note: str | None
) -> dict[str, Any]:
    return {
        "covariance": spread,
        "log_likelihood": found.at.value,
        "converged": note is None,
        "iterations": found.steps,
        "n_categories": data.n_categories,
        "operating_points": 1 - found.at.place.below.T[::-1],
        "note": note,
    }


def fit_of(
    data: Categories, model: str, case_weights: Float64Array, near: Any = None
) -> BinormalFit | ProperFit:
    """The fit of a model to categories; ``converged`` says whether to rely on it.

    ``near`` is a fit of the same model to cases that these were drawn from.
    """
    data.check()
    if model == "binormal":
        return _binormal_fit(data, case_weights)
    return _proper_fit(data, case_weights, near=near)
