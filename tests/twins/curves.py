"""Slow twins of the curves: the definitions in plain loops, with exact fractions where they can."""

import itertools
import math
from fractions import Fraction


def _step(d):
    return Fraction(1) if d > 0 else Fraction(1, 2) if d == 0 else Fraction(0)


def area_of_pairs(positives, negatives):
    """Fair AUC over weighted scores [(score, weight), …]."""
    total = sum(w for _, w in positives) * sum(w for _, w in negatives)
    pairs = itertools.product(positives, negatives)
    return sum(v * w * _step(a - b) for (a, v), (b, w) in pairs) / total


def roc_points(positives, negatives):
    """(threshold, FPR, TPR) at infinity and at every distinct score."""

    def share(side, threshold):
        return sum(w for s, w in side if s >= threshold) / sum(w for _, w in side)

    scores = sorted({s for s, _ in positives + negatives}, reverse=True)
    return [(t, share(negatives, t), share(positives, t)) for t in [math.inf, *scores]]


def triangular(x):
    """Distribution function of the triangular law on [−1, 1]."""
    if x <= -1:
        return 0
    return 1 if x >= 1 else Fraction(1, 2) + x - x * abs(x) / 2


def probabilistic_area(positives, negatives, width):
    """Mean over pairs of T(δ/d)."""
    if width == 0:
        return area_of_pairs(positives, negatives)
    total = sum(w for _, w in positives) * sum(w for _, w in negatives)
    pairs = itertools.product(positives, negatives)
    return sum(v * w * triangular((a - b) / width) for (a, v), (b, w) in pairs) / total


def interval_rate(side, threshold, width):
    """Weighted share of the intervals around the scores that lies above the threshold."""
    shares = [(min(1, max(0, (s + width / 2 - threshold) / width)), w) for s, w in side]
    return sum(share * w for share, w in shares) / sum(w for _, w in side)


def probabilistic_auc(positives, negatives):
    def mean(side):
        return sum(s * w for s, w in side) / sum(w for _, w in side)

    return Fraction(1, 2) + (mean(positives) - mean(negatives)) / 2


def smallest_width(positives, negatives):
    """Smallest root in exact fractions, segment by segment; a float, or None if there is none.

    In each segment area − pAUC is fitted through three points of 1/d, so that nothing is shared
    with the formula under test.
    """
    target = probabilistic_auc(positives, negatives)
    if area_of_pairs(positives, negatives) == target:
        return 0.0
    u = sorted({abs(a - b) for a, _ in positives for b, _ in negatives} - {0})
    for near, far in itertools.zip_longest(u, u[1:]):
        high, low = 1 / near, 1 / far if far else Fraction(0)
        x = [high, (high * 3 + low) / 4, (high + low) / 2]
        y = [probabilistic_area(positives, negatives, 1 / t) - target for t in x]
        roots = [r for r in _roots(x, y) if (low < r or (far and low == r)) and r <= high]
        if roots:
            return float(1 / max(roots))
    return None


def _roots(x, y):
    """Real roots of the parabola through three points; rational where they are so."""
    slope = (y[1] - y[0]) / (x[1] - x[0])
    c = ((y[2] - y[0]) / (x[2] - x[0]) - slope) / (x[2] - x[1])
    b = slope - c * (x[0] + x[1])
    a = y[0] - x[0] * (b + c * x[0])
    if c == 0:
        return [-a / b] if b else ([x[0]] if a == 0 else [])
    inside = b * b - 4 * a * c
    if inside < 0:
        return []
    root = _square_root(inside)
    return [(-b + sign * root) / (2 * c) for sign in (1, -1)]


def _square_root(value):
    """√ of a fraction to 2⁻²⁰⁰, exactly where it is rational."""
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    scaled = value.numerator * value.denominator << 400
    return Fraction(math.isqrt(scaled), value.denominator << 200)


def margin_share(positives, negatives, margin):
    """Weighted share of the pairs with p_a − τ > p_b."""
    total = sum(w for _, w in positives) * sum(w for _, w in negatives)
    pairs = itertools.product(positives, negatives)
    return sum(v * w for (a, v), (b, w) in pairs if a - margin > b) / total


def scored_auc(positives, negatives):
    total = sum(w for _, w in positives) * sum(w for _, w in negatives)
    pairs = itertools.product(positives, negatives)
    return sum(v * w * max(a - b, 0) for (a, v), (b, w) in pairs) / total


def triplet_share(logs, codes, weights):
    """Share of the triplets whose own assignment beats the five others strictly by Σ log p."""
    classes = [[i for i in range(len(codes)) if codes[i] == k] for k in range(3)]
    right = total = 0
    for triplet in itertools.product(*classes):
        weight = math.prod(weights[i] for i in triplet)
        sums = {
            q: sum(logs[i][k] for i, k in zip(triplet, q, strict=True))
            for q in itertools.permutations(range(3))
        }
        own = sums.pop((0, 1, 2))
        total += weight
        right += weight * (own > -math.inf and own > max(sums.values()))
    return right / total


def surface_rates(logs, codes, weights):
    """Weights decided right by a rule in every cell of the arrangement of borders, by trying all.

    Every cell has a corner or reaches infinity, and rules just off each crossing of two borders,
    in eight directions, enter all cells around it. Logarithms must be integers, −inf for zeros.
    """
    finite = [
        (i, j, k, row[i] - row[j])
        for row in logs
        for i, j, k in _AXES
        if math.inf not in (abs(row[i]), abs(row[j]))
    ]
    reach = 4 * max([abs(d) for *_, d in finite], default=0) + 4
    lines = {axis: {-reach, reach} for axis in range(3)}
    for _, _, axis, d in finite:
        lines[axis].add(d)
    crossings = {(u, v) for u in lines[0] for v in lines[1]}
    crossings |= {(u, u - d) for u in lines[0] for d in lines[2]}
    crossings |= {(v + d, v) for v in lines[1] for d in lines[2]}
    offsets = [(Fraction(i, 8), Fraction(j, 8)) for i, j in _DIRECTIONS]
    rules = {(u + i, v + j) for u, v in crossings for i, j in offsets}
    return {_rates((-u, -v, 0), logs, codes, weights) for u, v in rules}


_AXES = [(0, 2, 0), (1, 2, 1), (0, 1, 2)]
_DIRECTIONS = [(2, 1), (1, 2), (-1, 1), (-2, -1), (-1, -2), (1, -1)]


def _rates(log_s, logs, codes, weights):
    right = [0, 0, 0]
    for row, k, w in zip(logs, codes, weights, strict=True):
        values = [s + z for s, z in zip(log_s, row, strict=True)]
        if all(values[k] > other for j, other in enumerate(values) if j != k):
            right[k] += w
    return tuple(right)


def maxima(points):
    """The points that no other equals or betters in all coordinates."""
    points = set(points)
    return {
        p
        for p in points
        if not any(q != p and all(b >= a for a, b in zip(p, q, strict=True)) for q in points)
    }


def union_volume(points):
    """Volume of the union of the boxes from 0 to each point, cell by cell of their grid."""
    axes = [sorted({0, *(p[k] for p in points)}) for k in range(3)]
    return sum(
        math.prod(high - low for low, high in cell)
        for cell in itertools.product(*(list(itertools.pairwise(axis)) for axis in axes))
        if any(all(p[k] >= cell[k][1] for k in range(3)) for p in points)
    )
