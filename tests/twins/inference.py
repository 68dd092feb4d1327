"""Standard errors as the theory reads: projections of U-statistics and sums over cases, by loops.

All metrics but those of class means are means over pairs or tuples with one case of each class that
takes part. The projection on case i of class k is then the value of the metric when i is all that
there is of class k, priors held; less the value of the metric it is the influence value φ_i.

Metrics of class means are differentiated instead: the mean of class k moves a little towards case
i, in 80 decimal digits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations
from math import prod, sqrt

from twins.metrics import TWINS, members

PRIOR_WEIGHTED = ("au1p", "aunu", "aunp")
DIGITS = 80
STEP = Decimal(10) ** -20

Means = list[list[Decimal]]


def influence(
    name: str,
    y: Sequence[int],
    p: Sequence[Sequence[float]],
    w: Sequence[float],
    n_classes: int,
    priors: Sequence[float] | None = None,
) -> list[float]:
    """φ of every case, the priors held as given or as they are in the sample."""
    if name in OF_MEANS:
        return _differentiated(OF_MEANS[name], y, p, w, n_classes)
    options = {}
    if name in PRIOR_WEIGHTED:
        options = {"priors": priors or [sum(w[i] for i in members(y, k)) for k in range(n_classes)]}
    whole = TWINS[name](y, p, w, n_classes, **options)
    found = []
    for i, own in enumerate(y):
        kept = [j for j, other in enumerate(y) if other != own or j == i]
        alone = [[values[j] for j in kept] for values in (y, p, w)]
        found.append(TWINS[name](*alone, n_classes, **options) - whole)
    return found


def _differentiated(
    function: Callable[[Means], Decimal],
    y: Sequence[int],
    p: Sequence[Sequence[float]],
    w: Sequence[float],
    n_classes: int,
) -> list[float]:
    """Derivative of a function of the means as that of class k moves towards case i."""
    with localcontext() as context:
        context.prec = DIGITS
        rows = [[Decimal(float(value)) for value in row] for row in p]
        means = [_mean(members(y, k), rows, w) for k in range(n_classes)]

        def moved(i: int, step: Decimal) -> Decimal:
            near = [list(mean) for mean in means]
            own = y[i]
            near[own] = [m + step * (x - m) for m, x in zip(means[own], rows[i], strict=True)]
            return function(near)

        return [float((moved(i, STEP) - moved(i, -STEP)) / (2 * STEP)) for i in range(len(y))]


def _mean(cases: Sequence[int], rows: Means, w: Sequence[float]) -> list[Decimal]:
    weight = sum(Decimal(float(w[i])) for i in cases)
    return [
        sum(Decimal(float(w[i])) * rows[i][j] for i in cases) / weight for j in range(len(rows[0]))
    ]


def _volume(means: Means) -> Decimal:
    """|det|."""
    total, K = Decimal(0), len(means)
    for q in permutations(range(K)):
        inversions = sum(q[i] > q[j] for j in range(K) for i in range(j))
        total += (-1) ** inversions * prod(means[k][q[k]] for k in range(K))
    return abs(total)


def _area(means: Means) -> Decimal:
    """Half the length of the cross product of two sides, over √3/2."""
    a, b, c = means
    u, v = ([x - y for x, y in zip(side, a, strict=True)] for side in (b, c))
    cross = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)]
    return sum(x * x for x in cross).sqrt() / Decimal(3).sqrt()


def _total_length(means: Means) -> Decimal:
    lengths = [
        sum((x - (j == k)) ** 2 for j, x in enumerate(mean)).sqrt() for k, mean in enumerate(means)
    ]
    return 1 - sum(lengths) / (len(means) * Decimal(2).sqrt())


OF_MEANS = {"simplex_volume": _volume, "triangle_area": _area, "total_length": _total_length}


def standard_error(phi: Sequence[float], y: Sequence[int]) -> float:
    """Unweighted: √ Σ_k S²_k(φ)/n_k."""
    total = 0.0
    for k in set(y):
        own = [phi[i] for i in members(y, k)]
        mean = sum(own) / len(own)
        total += sum((value - mean) ** 2 for value in own) / (len(own) - 1) / len(own)
    return sqrt(total)


def weighted_standard_error(phi: Sequence[float], y: Sequence[int], w: Sequence[float]) -> float:
    """Sampling weights: √ Σ_k m_k/(m_k − 1) Σ u_i², u_i = w_i φ_i/W_k."""
    total = 0.0
    for k in set(y):
        own = members(y, k)
        weight = sum(w[i] for i in own)
        total += len(own) / (len(own) - 1) * sum((w[i] * phi[i] / weight) ** 2 for i in own)
    return sqrt(total)


def frequency_standard_error(phi: Sequence[float], y: Sequence[int], w: Sequence[int]) -> float:
    """Numbers of copies: every case written down as often as its weight says."""
    copies = [i for i, count in enumerate(w) for _ in range(int(count))]
    return standard_error([phi[i] for i in copies], [y[i] for i in copies])


def grouped_standard_error(
    phi: Sequence[float], y: Sequence[int], w: Sequence[float], groups: Sequence[Hashable]
) -> float:
    """Contributions summed over a group, each class corrected by its number of groups."""
    total = 0.0
    for group in set(groups):
        inside = 0.0
        for k in set(y):
            own = members(y, k)
            weight, m = sum(w[i] for i in own), len({groups[i] for i in own})
            here = [w[i] * phi[i] / weight for i in own if groups[i] == group]
            inside += sqrt(m / (m - 1)) * sum(here)
        total += inside**2
    return sqrt(total)


def prior_slopes(
    name: str, y: Sequence[int], p: Sequence[Sequence[float]], w: Sequence[float], n_classes: int
) -> list[float]:
    """D_k, the change with the share of class k, from the pair matrix A and the shares π."""
    from twins.metrics import pairwise_auc

    A = pairwise_auc(y, p, w, n_classes)
    sizes = [sum(Fraction(float(w[i])) for i in members(y, k)) for k in range(n_classes)]
    prior = [size / sum(sizes) for size in sizes]
    slopes = []
    for k in range(n_classes):
        others = [r for r in range(n_classes) if r != k]
        if name == "au1p":
            slopes.append(sum((A[k, r] + A[r, k]) / 2 for r in others) / (n_classes - 1))
            continue
        rest = sum(prior[r] * A[k, r] for r in others) / (1 - prior[k])
        if name == "aunp":
            against = sum(prior[j] * A[j, k] / (1 - prior[j]) for j in others)
            slopes.append(rest / (1 - prior[k]) + against)
        else:
            against = sum(A[j, k] / (1 - prior[j]) for j in others)
            slopes.append((rest / (1 - prior[k]) + against) / n_classes)
    return [float(slope) for slope in slopes]


def prior_variance(slopes: Sequence[float], y: Sequence[int]) -> float:
    """(1/n) [Σ π_k D_k² − (Σ π_k D_k)²]."""
    n = len(y)
    prior = [len(members(y, k)) / n for k in range(len(slopes))]
    mean = sum(share * slope for share, slope in zip(prior, slopes, strict=True))
    square = sum(share * slope**2 for share, slope in zip(prior, slopes, strict=True))
    return (square - mean**2) / n


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p: the largest (m − rank + 1) p among those not larger, at most 1."""
    m = len(p_values)
    ranked = sorted(p_values)
    return [
        min(1.0, max((m - rank) * q for rank, q in enumerate(ranked) if q <= p)) for p in p_values
    ]


def joint_freedom(parts: Sequence[Sequence[Sequence[float]]], freedom: Sequence[float]) -> float:
    """ν of q contrasts from the part of each class in their covariances, by plain loops.

    W = V⁻¹ V_k has the traces of the whitened part: tr W and tr W².
    """
    import numpy as np

    q = len(parts[0])
    inverse = np.linalg.inv(sum(np.asarray(part) for part in parts))
    unknown = 0.0
    for part, known in zip(parts, freedom, strict=True):
        white = [
            [sum(inverse[i][m] * part[m][j] for m in range(q)) for j in range(q)] for i in range(q)
        ]
        trace = sum(white[i][i] for i in range(q))
        squares = sum(white[i][j] * white[j][i] for i in range(q) for j in range(q))
        unknown += (squares + trace**2) / known
    return (q + q**2) / unknown
