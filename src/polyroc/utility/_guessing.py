"""What surface-averaged expected cost tends to as the classes come to look alike.

Let the density of class t be f (1 + ε g_t) with ε → 0. Decisions at costs γ differ between
observations only if the sums of γ over the truth are nearly the same for all decisions, and then
every decision costs this sum, S, whatever the observations say. So SAEC tends to the mean of S(γ̂)
over the surface. A column of γ̂ has N − 1 costs with the sum S, and the squares of all add up to 1:
1/√N ≤ S ≤ √((N − 1)/N). Both are 1/√2 for two classes, whose limit does not depend on the
densities; for three they are .577 and .816, and how g varies decides what lies between.
"""

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import whole_number
from polyroc._base.random import seed_of
from polyroc.errors import InvalidInput
from polyroc.results import Estimate
from polyroc.typing import Float64Array, RandomState
from polyroc.utility._mixtures import _numbers
from polyroc.utility._surface_average import walk

NEARLY = 1e-4
"""ε: the limit is off by as much, and rounding by far less."""

OBSERVATIONS = 2**14


def guessing_limit(
    means: ArrayLike,
    covariances: ArrayLike | None = None,
    *,
    n_blocks: int = 20,
    n_steps: int = 100_000,
    rng: RandomState = None,
) -> Estimate:
    """SAEC of Gaussian classes in the limit where they look alike.

    Class t is N(ε m_t, I + ε C_t), with ε → 0. The limit depends on how the classes are arranged,
    but not on the scale of the arrangement, and lies between 1/√N and √((N − 1)/N): 1/√2 for two
    classes, whatever they look like. Edwards & Metz 2007, section 5, left it open.

    Undefined where the classes differ in one variable, such as means on a line.

    Parameters
    ----------
    means : (N, d) the m_t.
    covariances : (N, d, d) the C_t, symmetric; 0 by default.
    n_blocks : independent walks over the surface.
    n_steps : of each walk.
    rng : seed or generator.

    Returns
    -------
    Estimate
        The standard error is that of the simulation.

    Examples
    --------
    >>> found = guessing_limit([[0, 0], [1, 0], [0, 3]], n_blocks=4, n_steps=5_000, rng=1)
    >>> 1 / 3**0.5 < found.value < (2 / 3) ** 0.5
    True
    """
    centres, changes = _arrangement(means, covariances)
    blocks = whole_number(n_blocks, "n_blocks", least=2)
    steps = whole_number(n_steps, "n_steps", least=1000)
    seed = seed_of(rng)

    def nearly_alike(_: int, rng: np.random.Generator) -> Float64Array:
        x = rng.standard_normal((OBSERVATIONS, centres.shape[1]))
        return _likelihoods(x, centres, changes)

    found = walk(nearly_alike, len(centres), seed=seed, n_blocks=blocks, n_steps=steps)
    value, error = found.cost
    return Estimate(
        metric="saec",
        value=value,
        standard_error=error,
        method="near guessing, walk",
        degrees_of_freedom=blocks - 1,
        direction="lower",
        settings={"seed": seed, "n_blocks": blocks, "n_steps": steps},
    )


def _likelihoods(x: Float64Array, centres: Float64Array, changes: Float64Array) -> Float64Array:
    """1 + ε g over their mean: g = m·x + (xᵀC x − tr C)/2."""
    slopes = x @ centres.T + np.einsum("ni,tij,nj->nt", x, changes, x) / 2
    slopes -= np.trace(changes, axis1=1, axis2=2) / 2
    slopes /= np.sqrt(np.mean((slopes - slopes.mean(axis=1, keepdims=True)) ** 2)) or 1.0
    ratios = 1 + NEARLY * (slopes - slopes.mean(axis=1, keepdims=True))
    return np.ascontiguousarray(ratios)


def _arrangement(
    means: ArrayLike, covariances: ArrayLike | None
) -> tuple[Float64Array, Float64Array]:
    centres = _numbers(means, "means")
    if centres.ndim != 2 or len(centres) < 2 or not np.isfinite(centres).all():
        raise InvalidInput(
            f"means must be finite, (N, d) with N ≥ 2 classes, got the shape {centres.shape}."
        )
    shape = (len(centres), centres.shape[1], centres.shape[1])
    changes = np.zeros(shape) if covariances is None else _numbers(covariances, "covariances")
    if changes.shape != shape or not np.isfinite(changes).all():
        raise InvalidInput(
            f"covariances must be finite, {shape}: what is added to I for each class, got the "
            f"shape {changes.shape}."
        )
    if not np.allclose(changes, changes.transpose(0, 2, 1)):
        raise InvalidInput("covariances must be symmetric.")
    return centres, changes
