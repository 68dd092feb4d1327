"""Weights of cases and priors of classes: checked, and kept away from the ends of float64."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.predictions._classes import listed
from polyroc.predictions._containers import read_weights
from polyroc.predictions._names import as_label
from polyroc.typing import Float64Array, Label, PriorsLike, WeightsLike

_MODERATE = 200
"""Weights up to 2 to this, or its inverse, are taken as they are: 1.6e60."""

_WIDEST = 1e-90
"""The least share of one class in the weight of another: products of both must not vanish."""


class CaseWeights(NamedTuple):
    """Weights of the cases that count, None if all weigh the same, and their rows, None if all."""

    weights: Float64Array | None
    rows: NDArray[np.intp] | None


def shares(values: Float64Array) -> Float64Array:
    """Values divided by their sum."""
    divided: Float64Array = values / values.sum()
    return divided


def moderate(values: Float64Array) -> Float64Array:
    """Values times a power of two if the largest size is beyond 2^±200, so that it no longer is.

    Products and sums of weights stay within float64, and no digit of a weight changes. Moderate
    weights are not scaled at all, since they may be numbers of copies.
    """
    exponent = int(np.frexp(max(values.max(), -values.min()))[1])
    excess = exponent - int(np.clip(exponent, -_MODERATE, _MODERATE))
    return np.ldexp(values, -excess) if excess else values


def checked_weights(sample_weight: WeightsLike | None, n_cases: int) -> CaseWeights:
    """Weights of the cases whose weight is not 0."""
    if sample_weight is None:
        return CaseWeights(None, None)
    weights = read_weights(sample_weight)
    if weights.shape != (n_cases,):
        raise InvalidInput(
            f"sample_weight has the shape {weights.shape} but there are {n_cases} cases. "
            "Pass one weight per case."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidInput(
            f"sample_weight contains {weights[row]} in row {row}. "
            "Weights must be finite and not negative."
        )
    kept = weights > 0
    if not kept.any():
        raise InvalidInput("sample_weight is 0 for every case. Give some case a positive weight.")
    rows = None if kept.all() else np.flatnonzero(kept)
    return CaseWeights(moderate(weights if rows is None else weights[rows]), rows)


def check_spread(class_weights: Float64Array, classes: tuple[Label, ...]) -> None:
    """Whether the weights of the classes can be multiplied without one of them vanishing."""
    least, most = int(class_weights.argmin()), int(class_weights.argmax())
    if class_weights[least] < _WIDEST * class_weights[most]:
        raise InvalidInput(
            f"sample_weight gives the class {shown(classes[least])} less than {_WIDEST:g} of the "
            f"weight of the class {shown(classes[most])}. Leave the class out, or weigh it more."
        )


def checked_priors(priors: PriorsLike, classes: tuple[Label, ...]) -> Float64Array:
    """Priors in the order of the classes, divided by their sum; by class where they have keys."""
    values = read_weights(_in_order(priors, classes), "priors")
    if values.shape != (len(classes),):
        raise InvalidInput(
            f"priors have the shape {values.shape} but there are {len(classes)} classes. "
            "Give one prior per class."
        )
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise InvalidInput(f"priors must be positive, got {shown(values.tolist())}.")
    return shares(moderate(values))


def _in_order(priors: Any, classes: tuple[Label, ...]) -> Any:
    """The values of a mapping or of a Series with an index in the order of the classes."""
    if not (hasattr(priors, "keys") and hasattr(priors, "items")):
        return priors
    pairs = [(as_label(key), value) for key, value in priors.items()]
    keys = [key for key, _ in pairs]
    if len(keys) == len(classes) and set(keys) == set(classes):
        by_class = dict(pairs)
        return [by_class[label] for label in classes]
    if hasattr(priors, "index") and keys == list(range(len(keys))):  # a Series without an index
        return [value for _, value in pairs]
    raise InvalidInput(
        f"priors name {listed(keys)} but the classes are {listed(classes)}. "
        "Give one prior per class."
    )
