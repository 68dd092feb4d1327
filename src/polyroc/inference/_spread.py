"""How the values of models vary together, how their differences vary, and how well that is known.

Each class of each sample adds its part to the covariances V = Σ_k V_k, known from n_k − 1
differences between its cases. One difference of models has Satterthwaite's degrees of freedom

    ν = (Σ_k v_k)² / Σ_k v_k²/(n_k − 1),    v_k its variance in class k,

few where a small class makes up the variance. All q contrasts of q + 1 models at once are whitened
by V, so that Σ_k W_k = I, and then

    ν = (q + q²) / Σ_k [tr W_k² + (tr W_k)²]/(n_k − 1),

which for q = 1 is the same. Groups that span classes do not vary independently in them: ν is then
at most the number of groups less 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from polyroc.inference._comparison import Omnibus
from polyroc.inference._drawn import drawn_spread, spread_of_value
from polyroc.inference._influence import (
    CaseDesign,
    contributions,
    contributions_by_class,
    satterthwaite,
    variance_parts,
    without_rounding,
)
from polyroc.metrics.question import NO_VARIATION, Influence
from polyroc.predictions import Predictions
from polyroc.statistics.statistic import Drawn
from polyroc.typing import Float64Array

LEAST_DENOMINATOR = 2
"""Below so many denominator degrees of freedom there is no test of several contrasts."""

ROUNDING = 1e-12
"""What is left of a variance after subtraction is nothing if it is less than this share."""


@dataclass(frozen=True)
class Spread:
    """Variances of the differences of models, and what is known of them."""

    differences: Float64Array
    """Variance of each difference, not taken from covariances, where it might cancel."""
    freedom: Float64Array
    """Degrees of freedom of the test of each difference; infinite: the normal test."""
    parts: Float64Array
    """What each class of each sample adds to the variance of each difference."""
    parts_freedom: Float64Array
    """Degrees of freedom of each part."""
    published: Float64Array
    """Degrees of freedom of tests as DeLong and Welch published them: infinite for paired models,
    of all cases and not of each class for independent samples."""
    most: float = math.inf
    """No test has more degrees of freedom than this."""
    scale: float = 1.0
    """What a standard error that is no rounding is not far below."""
    whole: Float64Array | None = None
    """Variances of the differences before anything was subtracted, for all models at once."""

    @property
    def normal(self) -> bool:
        """Whether tests are those for known variances."""
        return len(self.parts) == 0

    def for_reference(self, reference: str) -> "Spread":
        """The same for tests by t and F, or by the normal and χ²."""
        if reference == "t":
            return self
        none = np.empty((0, *self.freedom.shape))
        return replace(self, freedom=self.published, parts=none, parts_freedom=np.empty(0))

    def less(self, overcounted: Float64Array | None) -> "Spread":
        """Variances of differences less what they count too much, where something is left."""
        if overcounted is None:
            return self
        left = self.differences - overcounted
        kept = np.where(left > ROUNDING * self.differences, left, self.differences)
        return replace(self, differences=kept, whole=self.differences)


def spread_of(
    predictions: Sequence[Predictions],
    designs: Sequence[CaseDesign],
    influences: Sequence[Influence],
    paired: bool,
) -> Spread:
    """Spread of the models' values, each on its own cases unless they are paired."""
    scale = max(influence.scale for influence in influences)
    if any(influence.drawn is not None for influence in influences):
        return _of_draws(predictions, designs, influences, paired)
    if paired:
        return _of_sample(predictions[0], designs[0], influences, scale)
    alone = [_alone(*each) for each in zip(predictions, designs, influences, strict=True)]
    return _independent(alone, scale)


def _of_draws(
    predictions: Sequence[Predictions],
    designs: Sequence[CaseDesign],
    influences: Sequence[Influence],
    paired: bool,
) -> Spread:
    """Of means over random tuples, paired models having the same tuples.

    The variance of a difference is that of the differences of credits. All models at once have the
    fewest degrees of freedom of any two.
    """
    n_models = len(influences)
    differences = np.zeros((n_models, n_models))
    freedom = np.full((n_models, n_models), math.inf)
    alone = [] if paired else list(map(spread_of_value, predictions, influences, designs))
    for a, b in combinations(range(n_models), 2):
        if paired:
            both = _apart(influences[a].drawn, influences[b].drawn)
            variance, known = drawn_spread(predictions[0], both, designs[0])
        else:
            variances = np.array([alone[a][0], alone[b][0]])
            known = satterthwaite(variances, np.array([alone[a][1], alone[b][1]]))
            variance = float(variances.sum())
        differences[a, b] = differences[b, a] = variance
        freedom[a, b] = freedom[b, a] = known
    fewest = np.array([freedom[np.triu_indices(n_models, 1)].min()])
    normal = np.full_like(freedom, math.inf)
    return Spread(differences, freedom, differences[None], fewest, normal)


def _apart(first: Drawn | None, second: Drawn | None) -> Drawn:
    """The same tuples with the difference of their credits."""
    assert first is not None and second is not None
    assert np.array_equal(first.tuples, second.tuples)
    return Drawn(first.tuples, first.credit - second.credit)


def _of_sample(
    predictions: Predictions, design: CaseDesign, influences: Sequence[Influence], scale: float
) -> Spread:
    """Of models on the same cases."""
    moved, codes = contributions_by_class(predictions, influences, design)
    by_class = design.groups is None and design.sampling == "stratified"
    columns = moved if by_class else contributions(predictions, influences, design)
    n_models = len(influences)
    counts, most = design.freedom(predictions), design.most_freedom(predictions)
    differences = np.zeros((n_models, n_models))
    freedom = np.full((n_models, n_models), math.inf)
    parts = np.zeros((predictions.n_classes, n_models, n_models))
    for a, b in combinations(range(n_models), 2):
        differences[a, b] = differences[b, a] = np.sum((columns[:, a] - columns[:, b]) ** 2)
        apart = np.bincount(codes, (moved[:, a] - moved[:, b]) ** 2, predictions.n_classes)
        varying = without_rounding(apart.astype(np.float64, copy=False), scale)
        parts[:, a, b] = parts[:, b, a] = varying
        freedom[a, b] = freedom[b, a] = min(satterthwaite(parts[:, a, b], counts), most)
    normal = np.full_like(freedom, math.inf)
    return Spread(differences, freedom, parts, counts, normal, most, scale)


def _alone(predictions: Predictions, design: CaseDesign, influence: Influence) -> "_Alone":
    """Of one model on its own cases."""
    variance = float((contributions(predictions, [influence], design) ** 2).sum())
    parts = variance_parts(predictions, influence, design)
    return _Alone(variance, parts, design.freedom(predictions), design.most_freedom(predictions))


class _Alone(NamedTuple):
    variance: float
    parts: Float64Array
    parts_freedom: Float64Array
    most: float

    @property
    def freedom(self) -> float:
        return min(satterthwaite(self.parts, self.parts_freedom), self.most)

    def known(self) -> tuple[Float64Array, Float64Array]:
        """Parts and their degrees of freedom: one part where groups span classes."""
        if math.isinf(self.most):
            return self.parts, self.parts_freedom
        return np.array([self.variance]), np.array([self.freedom])


def _independent(alone: Sequence[_Alone], scale: float) -> Spread:
    """Of models on different cases, which do not vary together."""
    variances = np.array([each.variance for each in alone])
    known = np.array([each.freedom for each in alone])
    cases = np.array([(each.parts_freedom + 1).sum() - 1 for each in alone])
    freedom, published = np.full((2, len(alone), len(alone)), math.inf)
    for a, b in combinations(range(len(alone)), 2):
        freedom[a, b] = freedom[b, a] = satterthwaite(variances[[a, b]], known[[a, b]])
        published[a, b] = published[b, a] = satterthwaite(variances[[a, b]], cases[[a, b]])
    separate = [each.known() for each in alone]
    parts = [
        part * (own[:, None] != own)
        for own, (found, _) in zip(np.eye(len(alone)), separate, strict=True)
        for part in found
    ]
    differences = variances[:, None] + variances
    np.fill_diagonal(differences, 0)
    parts_freedom = np.concatenate([each for _, each in separate])
    return Spread(differences, freedom, np.array(parts), parts_freedom, published, scale=scale)


def omnibus_test(metric: str, values: Float64Array, spread: Spread) -> Omnibus:
    """T² = dᵀ V⁺ d with the differences d from the last model, tested by F or χ²."""
    from scipy.special import chdtrc, fdtrc

    alone = len(values) == 2 or spread.whole is None
    total = _contrasts(spread.differences if alone else np.asarray(spread.whole))
    if not np.isfinite(total).all():
        return Omnibus(metric, note="no test: a model has no standard error")
    if total.max() <= (NO_VARIATION * spread.scale) ** 2:
        return Omnibus(metric, note="no test: the models do not differ by more than rounding")
    rank, squared = _squared_distance(values[:-1] - values[-1], total)
    if spread.normal:
        return Omnibus(metric, squared, rank, math.inf, float(chdtrc(rank, squared)))
    known = joint_freedom(_contrasts(spread.parts), spread.parts_freedom, spread.most)
    denominator = known - rank + 1
    if math.isnan(denominator) or (rank > 1 and denominator < LEAST_DENOMINATOR):
        return Omnibus(metric, degrees_of_freedom=rank, note=_too_few(len(values)))
    statistic = squared / rank * (denominator / known if math.isfinite(known) else 1)
    p_value = float(fdtrc(rank, denominator, statistic))
    return Omnibus(metric, statistic, rank, denominator, p_value)


def _squared_distance(difference: Float64Array, total: Float64Array) -> tuple[int, float]:
    """The rank of V, and dᵀ V⁺ d; of one difference without the decomposition of a matrix."""
    if len(difference) == 1:
        return 1, float(difference[0] * (1 / total[0, 0]) * difference[0])
    rank = int(np.linalg.matrix_rank(total, hermitian=True))
    return rank, float(difference @ np.linalg.pinv(total, hermitian=True) @ difference)


def _contrasts(differences: Float64Array) -> Float64Array:
    """Covariances of the differences from the last model: (D_il + D_jl − D_ij)/2."""
    last = differences[..., :-1, -1]
    both = last[..., :, None] + last[..., None, :]
    return np.asarray((both - differences[..., :-1, :-1]) / 2)


def joint_freedom(parts: Float64Array, freedom: Float64Array, most: float) -> float:
    """ν of several contrasts, parts being what each class adds to their covariances."""
    if parts.shape[1] == 1:
        return _freedom_of_one(parts[:, 0, 0], freedom, most)
    values, vectors = np.linalg.eigh(parts.sum(axis=0))
    kept = values > values.max() * len(values) * np.finfo(float).eps
    whitener = vectors[:, kept] / np.sqrt(values[kept])
    white = whitener.T @ parts @ whitener
    traces = np.einsum("kii->k", white)
    squares = np.einsum("kij,kji->k", white, white)
    present = traces > 0
    rank = int(kept.sum())
    unknown = np.sum((squares + traces**2)[present] / freedom[present])
    return min(float((rank + rank**2) / unknown), most)


def _freedom_of_one(parts: Float64Array, freedom: Float64Array, most: float) -> float:
    """The same of one contrast, which is whitened by its standard error."""
    variance = float(parts.sum())
    if not variance > 0:
        return math.nan
    whitener = 1 / math.sqrt(variance)
    white = whitener * parts * whitener
    present = white > 0
    unknown = float(np.sum((2 * white**2)[present] / freedom[present]))
    return min(2 / unknown, most)


def _too_few(n_models: int) -> str:
    return (
        f"no test of {n_models} models at once: a class has too few cases, or there are too few "
        'groups. Compare pairs of models by method="permutation".'
    )
