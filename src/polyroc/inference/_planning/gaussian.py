"""Assumed pair AUCs in place of a pilot: an equal-variance Gaussian model of log scores.

The log scores of a case of class k are Gaussian around means that depend on k, with variance 1 in
every column and correlation −1/(K − 1) between columns, which is that of independent log scores
after centring (so that the two columns of two classes mirror each other). The means are such that
AUC(k|r) = Φ(d_kr/√2), d_kr the distance of the means of classes k and r in column k.

The influence value of a case is a weighted sum of terms Φ(d ± e), e its deviation in a column: d_kr
in column k, where it is a positive, and d_rk in column r, where it is a negative. The covariance of
two terms is that of two indicators of a bivariate normal distribution whose correlation ρ is half
that of the deviations:

    P(U ≤ g, V ≤ h) − Φ(g) Φ(h) = 1/(2π) ∫₀^ρ exp(−(g² − 2tgh + h²)/(2(1 − t²))) / √(1 − t²) dt.

As |ρ| ≤ ½, Gauss–Legendre quadrature gives it to the last digits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference._planning.variation import Variation
from polyroc.metrics.declaration import Metric
from polyroc.predictions._names import as_label
from polyroc.statistics.pairs import PairGradient, Pairs
from polyroc.typing import Float64Array, Label

TWO_CLASSES: tuple[Label, ...] = ("negative", "positive")
_NODES = 32
_FARTHEST = 1e3
"""Largest factor by which separations are multiplied to reach a value."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Assumed(Variation):
    """Pair AUCs that are assumed, and the metric that is a function of them."""

    metric: Metric
    pair_auc: Float64Array
    priors: Float64Array

    @classmethod
    def of(
        cls,
        classes: tuple[Label, ...],
        pair_auc: Float64Array,
        metric: Metric,
        priors: Float64Array,
    ) -> "Assumed":
        """Value and variances of a metric of ranked pairs."""
        pairs = _statistic(classes, pair_auc, priors)
        weights = _weights(metric, pairs)
        words = (
            f"pair AUCs {_extent(pair_auc)}, assumed",
            "Gaussian log scores of equal variance, centred",
        )
        return cls(
            classes,
            metric.at(pairs),
            gaussian_variances(pair_auc, weights),
            words,
            range=(metric.lowest, metric.highest),
            metric=metric,
            pair_auc=pair_auc,
            priors=priors,
        )

    def at(self, value: float) -> "Assumed":
        """All separations d_kr multiplied by one number, so that the metric has this value."""
        from scipy.optimize import brentq
        from scipy.special import ndtr, ndtri

        separations = ndtri(self.pair_auc)

        def excess(factor: float) -> float:
            scaled = ndtr(factor * separations)
            return self.metric.at(_statistic(self.classes, scaled, self.priors)) - value

        ends = [end for end in (_FARTHEST, -_FARTHEST) if excess(0.0) * excess(end) < 0]
        if not ends:
            raise NotDefined(
                f"No common factor of the assumed separations gives {self.metric.name} = "
                f"{value:.4g}. Pass other values of pair_auc=."
            )
        scaled = ndtr(brentq(excess, 0.0, ends[0], xtol=1e-13) * separations)
        moved = Assumed.of(self.classes, scaled, self.metric, self.priors)
        return replace(moved, words=(*self.words, "separations multiplied by one number"))


def gaussian_variances(pair_auc: Float64Array, weights: Float64Array) -> Float64Array:
    """c_k of Σ W_kr AUC(k|r), row k the positives."""
    from scipy.special import ndtri

    n_classes = len(pair_auc)
    place, between = ndtri(pair_auc), -1 / (n_classes - 1)
    found = np.empty(n_classes)
    for k in range(n_classes):
        others = np.flatnonzero(np.arange(n_classes) != k)
        limits = np.concatenate([place[k, others], place[others, k]])
        weight = np.concatenate([weights[k, others], weights[others, k]])
        column = np.concatenate([np.full(len(others), k), others])
        sign = np.repeat([1.0, -1.0], len(others))
        correlation = np.where(column[:, None] == column, 1.0, between) * np.outer(sign, sign)
        covariances = indicator_covariance(limits[:, None], limits, correlation / 2)
        found[k] = weight @ covariances @ weight
    return found


def indicator_covariance(g: Float64Array, h: Float64Array, rho: Float64Array) -> Float64Array:
    """P(U ≤ g, V ≤ h) − Φ(g) Φ(h) for standard normal U and V of correlation ρ, |ρ| ≤ ½."""
    nodes, node_weights = np.polynomial.legendre.leggauss(_NODES)
    t = rho[..., None] * (nodes + 1) / 2
    g, h, rest = g[..., None], h[..., None], 1 - t**2
    density = np.exp(-(g**2 - 2 * t * g * h + h**2) / (2 * rest)) / np.sqrt(rest)
    return np.asarray(rho * (density @ node_weights) / (4 * np.pi))


def _statistic(classes: tuple[Label, ...], pair_auc: Float64Array, priors: Float64Array) -> Pairs:
    """What the metric is asked of."""
    nothing = np.zeros_like(pair_auc)
    above = np.nan_to_num(pair_auc) * np.outer(priors, priors)
    return Pairs(
        classes=classes,
        weights=priors.copy(),
        given_priors=priors.copy(),
        above=above,
        tied=nothing,
        excess=nothing,
    )


def _weights(metric: Metric, pairs: Pairs) -> Float64Array:
    """∂θ/∂AUC(k|r), for a metric that is a function of pair AUCs alone."""
    metric.check_classes(pairs.n_classes)
    if metric.statistic is Pairs:
        slope = metric.gradient(pairs).of_statistic
        if isinstance(slope, PairGradient) and slope.credit is not None:
            return slope.matrix
    raise InvalidInput(
        f"{metric.name} is not a function of pair AUCs, so pair_auc= does not say how it varies. "
        "Pass a pilot, or plan for a metric of ranked pairs such as hand_till."
    )


def _extent(pair_auc: Float64Array) -> str:
    known = pair_auc[~np.eye(len(pair_auc), dtype=bool)]
    low, high = f"{known.min():.4g}", f"{known.max():.4g}"
    return f"of {low}" if low == high else f"from {low} to {high}"


def read_pair_auc(pair_auc: Any) -> tuple[tuple[Label, ...], Float64Array]:
    """Classes and AUC(k|r), row k the positives, NaN on the diagonal."""
    if isinstance(pair_auc, Mapping):
        classes, matrix = _of_mapping(pair_auc)
    elif hasattr(pair_auc, "columns") and hasattr(pair_auc, "index"):
        classes, matrix = _of_frame(pair_auc)
    else:
        matrix = _numbers(pair_auc)
        if matrix.ndim == 0:
            classes, matrix = TWO_CLASSES, np.full((2, 2), float(matrix))
        else:
            classes = tuple(range(len(matrix)))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise InvalidInput(
            f"pair_auc has the shape {matrix.shape}. Pass a number for two classes, a square table "
            "with a row per positive class, or a mapping such as {('a', 'b'): 0.8}."
        )
    _check_inside(classes, matrix)
    matrix = matrix.copy()
    np.fill_diagonal(matrix, np.nan)
    return classes, matrix


def _numbers(given: Any) -> Float64Array:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"pair_auc must be numbers, got {shown(given)}.") from None


def _of_frame(frame: Any) -> tuple[tuple[Label, ...], Float64Array]:
    rows, columns = ([as_label(name) for name in each] for each in (frame.index, frame.columns))
    if rows != columns:
        raise InvalidInput(
            "The rows and columns of pair_auc have different names. Name both after the classes, "
            "in the same order."
        )
    return tuple(columns), _numbers(frame)


def _of_mapping(given: Mapping[Any, Any]) -> tuple[tuple[Label, ...], Float64Array]:
    """Pairs by name; a pair that is given one way round holds for both."""
    known: dict[tuple[Label, Label], float] = {}
    for key, value in given.items():
        if not (isinstance(key, tuple) and len(key) == 2 and key[0] != key[1]):
            raise InvalidInput(
                f"A key of pair_auc must be a pair of classes such as ('a', 'b'), got {shown(key)}."
            )
        known[as_label(key[0]), as_label(key[1])] = float(_numbers(value))
    classes = _ordered(known)
    matrix = np.full((len(classes), len(classes)), np.nan)
    for i, a in enumerate(classes):
        for j, b in enumerate(classes):
            if i != j:
                matrix[i, j] = _either(known, a, b)
    return classes, matrix


def _ordered(known: Mapping[tuple[Label, Label], float]) -> tuple[Label, ...]:
    """The classes as they occur, but of one pair the positive class is the second."""
    if len(known) == 1:
        ((positive, negative),) = known
        return negative, positive
    return tuple(dict.fromkeys(label for pair in known for label in pair))


def _either(known: Mapping[tuple[Label, Label], float], a: Label, b: Label) -> float:
    if (a, b) in known:
        return known[a, b]
    if (b, a) in known:
        return known[b, a]
    raise InvalidInput(
        f"pair_auc lacks the pair {shown(a)}, {shown(b)}. Give an AUC for every two classes."
    )


def _check_inside(classes: tuple[Label, ...], matrix: Float64Array) -> None:
    for i, j in zip(*np.nonzero(~np.eye(len(matrix), dtype=bool)), strict=True):
        if not 0 < matrix[i, j] < 1:
            raise InvalidInput(
                f"pair_auc must lie between 0 and 1, got {matrix[i, j]:g} for "
                f"{shown(classes[i])}, {shown(classes[j])}."
            )
