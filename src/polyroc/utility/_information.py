"""Covariance of fitted parameters: the inverse information, or a sandwich for weighted cases."""

import numpy as np

from polyroc.typing import Float64Array
from polyroc.utility._categories import Categories
from polyroc.utility._likelihood import Maximum

_NONE = np.full((2, 2), np.nan)


def covariance(data: Categories, found: Maximum, sandwich: bool) -> Float64Array:
    """Covariance of θ; NaN where the information is not positive definite.

    The information is the observed one, with the boundaries profiled out. The sandwich
    J⁻¹ (Σ w² s sᵀ) J⁻¹ does not depend on the scale of the weights.
    """
    information = (found.step.information + found.step.information.T) / 2
    if not np.linalg.eigvalsh(information)[0] > 0:
        return _NONE
    inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    return inverse @ _scores_square(data, found) @ inverse if sandwich else inverse


def first_alone(data: Categories, found: Maximum, sandwich: bool) -> Float64Array:
    """Covariance where the second parameter is held: its row and column are NaN."""
    information, held = float(found.step.information[0, 0]), _NONE.copy()
    if information > 0:
        square = float(_scores_square(data, found)[0, 0]) if sandwich else information
        held[0, 0] = square / information**2
    return held


def _scores_square(data: Categories, found: Maximum) -> Float64Array:
    """Σ w² s sᵀ over cases, s their scores for the curve with the boundaries profiled out."""
    scores = profile_scores(data, found)
    return np.asarray(np.einsum("ck,cki,ckj->ij", data.squares, scores, scores))


def profile_scores(data: Categories, found: Maximum) -> Float64Array:
    """(2, m, 2) derivatives of ln p by θ, boundaries profiled out; 0 where there is no weight."""
    at, shares = found.at, data.shares
    by_theta = at.rates[0] * np.stack([shares[1] * at.place.excess, -shares[0] * at.place.excess])
    moved = by_theta.transpose(0, 2, 1) - at.rates[:, :, None] * found.step.follow
    scores = np.diff(np.pad(moved, ((0, 0), (1, 1), (0, 0))), axis=1) / at.gaps[:, :, None]
    return np.where(data.weights[:, :, None] > 0, scores, 0.0)
