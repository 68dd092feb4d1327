"""Surface-averaged expected cost of the two binormal models, for arrays of parameters."""

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves._arc_length import arc_length, checked_pair
from polyroc.curves._binormal import binormal_area
from polyroc.curves._proper_binormal import area_above_proper, checked_proper, proper_length
from polyroc.errors import InvalidInput
from polyroc.typing import Float64Array


def saec_binormal(a: ArrayLike, b: ArrayLike) -> Float64Array:
    """SAEC of conventional binormal curves: 2(1 − A_z)/S with A_z = Φ(a/√(1 + b²)).

    Lower is better: 0 for the perfect curve, 1/√2 on the diagonal, 1 where every decision is
    wrong. Limits: at b = 0 and b = ∞ the length is 2, so SAEC = 1 − Φ(a) and ½; at a = ∞ it is 0.
    Good to 1e-10; O(1) for each pair. Edwards & Metz 2007 eq. 17–19.

    Examples
    --------
    The pair of curves of the paper's Figure 3: less area, and yet less cost.

    >>> saec_binormal([0.4819, 0.2410], [0.5060, 0.0080]).round(4)
    array([0.4313, 0.4088])
    >>> area_binormal([0.4819, 0.2410], [0.5060, 0.0080]).round(4)
    array([0.6664, 0.5952])
    """
    return 2 * binormal_area(np.negative(a), b) / arc_length(a, b)


def saec_proper(c: ArrayLike, d_a: ArrayLike) -> Float64Array:
    """SAEC of proper binormal curves: 2(1 − AUC)/S.

    AUC = 1 − 2 T(d_a/√2, (1 − c²)/(2 abs(c))) with Owen's T. Limits: at c = ±1 and at d_a = ∞ it
    is 0, at c = d_a = 0 it is 1/√2. SAEC and AUC do not order these curves alike, though hardly
    ever differently: at the same AUC, SAEC falls as abs(c) grows. Edwards & Metz 2007
    eq. 17, 20–22.

    Examples
    --------
    >>> saec_proper([0, 0.51], [1.2, 0]).round(7), area_proper([0, 0.51], [1.2, 0]).round(7)
    (array([0.2493682, 0.2476362]), array([0.801928 , 0.8002398]))
    """
    return 2 * area_above_proper(c, d_a) / proper_length(c, d_a)


def area_binormal(a: ArrayLike, b: ArrayLike) -> Float64Array:
    """A_z = Φ(a/√(1 + b²)), the area under the conventional binormal curve."""
    return binormal_area(a, b)


def area_proper(c: ArrayLike, d_a: ArrayLike) -> Float64Array:
    """Area under the proper binormal curve."""
    return 1 - area_above_proper(c, d_a)


def length_binormal(a: ArrayLike, b: ArrayLike) -> Float64Array:
    """Arc length of the conventional binormal curve, from √2 to 2."""
    return arc_length(a, b)


def length_proper(c: ArrayLike, d_a: ArrayLike) -> Float64Array:
    """Arc length of the proper binormal curve; the conventional curve of the pair has the same."""
    return proper_length(c, d_a)


def to_proper(a: ArrayLike, b: ArrayLike) -> tuple[Float64Array, Float64Array]:
    """(c, d_a) of the pair of densities (a, b): c = (b − 1)/(b + 1), d_a = √2 abs(a)/√(1 + b²).

    Edwards & Metz 2007 eq. 21–22; b = ∞ is c = 1. The sign of a is lost, since the likelihood
    ratio has the same distribution for both.

    Examples
    --------
    >>> to_proper(1, 1)
    (array(0.), array(1.))
    """
    centre, spread = checked_pair(a, b)
    shape: Float64Array = np.asarray(1 - 2 / (spread + 1))
    return shape, np.asarray(np.abs(centre) / np.hypot(1, spread) * np.sqrt(2))


def to_binormal(c: ArrayLike, d_a: ArrayLike) -> tuple[Float64Array, Float64Array]:
    """(a, b) of the pair of densities (c, d_a): b = (1 + c)/(1 − c), a = d_a √((1 + b²)/2).

    Edwards & Metz 2007 eq. 21–22 solved for a and b. At c = 1 both would be infinite.

    Examples
    --------
    >>> to_binormal(0.5, 1)
    (array(2.23606798), array(3.))
    """
    shape, distance = checked_proper(c, d_a)
    if (shape == 1).any():
        raise InvalidInput("c = 1 means b = ∞ and a = ∞. Give a c below 1.")
    spread = (1 + shape) / (1 - shape)
    return np.asarray(distance * np.hypot(1, spread) / np.sqrt(2)), np.asarray(spread)
