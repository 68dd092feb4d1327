"""Every metric as the papers define it: plain loops over cases, pairs and tuples.

A twin is called with the codes of the true classes, the rows of scores, the weights and the number
of classes. Scores and weights become fractions, so ranks, means, ties and determinants are exact.
Distances are square roots; which sums of them, and of scores, are equal is decided by
:mod:`twins.ties`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial, fsum, prod, sqrt
from operator import le, mul

from twins.ties import run_numbers, slack_of
from twins.tuples import determinant, exact
from twins.utility import arc_length, conventional_area, dorfman_alf

from polyroc.statistics.rates import fixed_costs

CREDIT = {"strict": Fraction(0), "fair": Fraction(1, 2), "lenient": Fraction(1)}

Codes = Sequence[int]
Rows = Sequence[Sequence[float]]
Weights = Sequence[float]
Vector = list[Fraction]


def step(difference: Fraction, ties: str) -> Fraction:
    """1 above, 0 below, and the credit of a tie."""
    if difference == 0:
        return CREDIT[ties]
    return Fraction(difference > 0)


def members(y: Codes, k: int) -> list[int]:
    """The cases of class k."""
    return [i for i, code in enumerate(y) if code == k]


def pair_mean(
    first: Iterable[int], second: Sequence[int], w: Vector, credit: Callable[[int, int], Fraction]
) -> Fraction:
    """Weighted mean of a credit over the pairs of a first and a second case."""
    pairs = [(a, b) for a in first for b in second]
    total = sum(w[a] * w[b] * credit(a, b) for a, b in pairs)
    return total / sum(w[a] * w[b] for a, b in pairs)


def auc(positive: list[int], negative: list[int], s: Vector, w: Vector, ties: str) -> Fraction:
    """How often a positive case outscores a negative one (Van Calster et al. 2008 eq. 1–2)."""
    return pair_mean(positive, negative, w, lambda a, b: step(s[a] - s[b], ties))


def column(p: Rows, k: int) -> Vector:
    """Scores of class k."""
    return [Fraction(float(row[k])) for row in p]


def fractions(values: Iterable[float]) -> Vector:
    """Numbers without rounding."""
    return [Fraction(float(value)) for value in values]


def ordered_pairs(n_classes: int) -> list[tuple[int, int]]:
    """All (k, r), k ≠ r."""
    return list(permutations(range(n_classes), 2))


def pairwise_auc(
    y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "fair"
) -> dict[tuple[int, int], Fraction]:
    """AUC(k|r) by pair of classes."""
    weights = fractions(w)
    return {
        (k, r): auc(members(y, k), members(y, r), column(p, k), weights, ties)
        for k, r in ordered_pairs(n_classes)
    }


def roc_auc(y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "fair") -> float:
    """AUC of the second class against the first."""
    return float(pairwise_auc(y, p, w, n_classes, ties)[1, 0])


def hand_till(y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "fair") -> float:
    """Van Calster et al. 2008 eq. 9."""
    matrix = pairwise_auc(y, p, w, n_classes, ties)
    return float(sum(matrix.values()) / (n_classes * (n_classes - 1)))


def shares(y: Codes, w: Vector, n_classes: int, priors: Sequence[float] | None) -> Vector:
    """π: as given, or the shares of the classes in the sample."""
    if priors is None:
        sizes = [sum(w[i] for i in members(y, k)) for k in range(n_classes)]
    else:
        sizes = fractions(priors)
    return [size / sum(sizes) for size in sizes]


def au1p(
    y: Codes,
    p: Rows,
    w: Weights,
    n_classes: int,
    ties: str = "fair",
    priors: Sequence[float] | None = None,
) -> float:
    """Σ ½(π_k + π_r) AUC(k|r) / (K−1)."""
    prior = shares(y, fractions(w), n_classes, priors)
    matrix = pairwise_auc(y, p, w, n_classes, ties)
    total = sum((prior[k] + prior[r]) / 2 * matrix[k, r] for k, r in ordered_pairs(n_classes))
    return float(total / (n_classes - 1))


def one_vs_rest(
    y: Codes, p: Rows, w: Weights, n_classes: int, ties: str, priors: Sequence[float] | None
) -> tuple[Vector, Vector]:
    """π and AUC(k|rest), the rest being all other cases together.

    Given priors mean a sample of that mix: each case weighs its share of its class times the prior.
    """
    weights = fractions(w)
    prior = shares(y, weights, n_classes, priors)
    if priors is not None:
        sizes = [sum(weights[i] for i in members(y, k)) for k in range(n_classes)]
        weights = [prior[k] * v / sizes[k] for k, v in zip(y, weights, strict=True)]
    cases = range(len(y))
    return prior, [
        auc(members(y, k), [i for i in cases if y[i] != k], column(p, k), weights, ties)
        for k in range(n_classes)
    ]


def aunu(
    y: Codes,
    p: Rows,
    w: Weights,
    n_classes: int,
    ties: str = "fair",
    priors: Sequence[float] | None = None,
) -> float:
    """Mean of AUC(k|rest)."""
    _, areas = one_vs_rest(y, p, w, n_classes, ties, priors)
    return float(sum(areas) / n_classes)


def aunp(
    y: Codes,
    p: Rows,
    w: Weights,
    n_classes: int,
    ties: str = "fair",
    priors: Sequence[float] | None = None,
) -> float:
    """Σ π_k AUC(k|rest)."""
    prior, areas = one_vs_rest(y, p, w, n_classes, ties, priors)
    return float(sum(share * area for share, area in zip(prior, areas, strict=True)))


def dot(left: Vector, right: Vector) -> Fraction:
    """Scalar product."""
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def minus(left: Vector, right: Vector) -> Vector:
    """Difference of two vectors."""
    return [a - b for a, b in zip(left, right, strict=True)]


def corner(k: int, n_classes: int) -> Vector:
    """e_k."""
    return [Fraction(i == k) for i in range(n_classes)]


def auc_mu(
    y: Codes,
    p: Rows,
    w: Weights,
    n_classes: int,
    partition: Rows | None = None,
    pair_weights: Rows | None = None,
    ties: str = "fair",
) -> float:
    """Kleiman & Page 2019: the orientation function of each pair of classes, step for step."""
    K, rows, weights = n_classes, exact(p), fractions(w)
    costs = exact(partition or [[float(i != j) for j in range(K)] for i in range(K)])
    importance = exact(pair_weights or [[1.0] * K] * K)
    total = scale = Fraction(0)
    for j in range(K):
        for i in range(j):
            v = minus(costs[i], costs[j])
            facing = dot(v, minus(corner(i, K), corner(j, K)))
            cases = members(y, i) + members(y, j)
            sizes = [
                max(pair) if pair[0] != pair[1] else 0
                for pair in zip(costs[i], costs[j], strict=True)
            ]
            values = [dot(v, rows[a]) for a in cases]
            slacks = [
                slack_of(value, map(mul, sizes, rows[a]))
                for value, a in zip(values, cases, strict=True)
            ]
            runs = run_numbers(values, slacks)
            oriented = {a: facing * run for a, run in zip(cases, runs, strict=True)}

            def credit(a: int, b: int, oriented: dict[int, Fraction] = oriented) -> Fraction:
                return step(oriented[a] - oriented[b], ties)

            weight = importance[i][j] + importance[j][i]
            total += weight * pair_mean(members(y, i), members(y, j), weights, credit)
            scale += weight
    return float(total / scale)


def probabilistic_pair(k: int, r: int, y: Codes, p: Rows, w: Vector) -> Fraction:
    """Van Calster et al. 2008 eq. 4."""
    s = column(p, k)
    mean = pair_mean(members(y, k), members(y, r), w, lambda a, b: s[a] - s[b])
    return Fraction(1, 2) + mean / 2


def scored_pair(k: int, r: int, y: Codes, p: Rows, w: Vector) -> Fraction:
    """Van Calster et al. 2008 eq. 5."""
    s = column(p, k)
    return pair_mean(
        members(y, k), members(y, r), w, lambda a, b: (s[a] - s[b]) * (1 if s[a] > s[b] else 0)
    )


def probabilistic_auc(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Van Calster et al. 2008 eq. 3–4, the second class positive."""
    return float(probabilistic_pair(1, 0, y, p, fractions(w)))


def scored_auc(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Van Calster et al. 2008 eq. 5–6, the second class positive."""
    return float(scored_pair(1, 0, y, p, fractions(w)))


def hand_till_probabilistic(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Van Calster et al. 2008 eq. 13."""
    weights, pairs = fractions(w), ordered_pairs(n_classes)
    return float(sum(probabilistic_pair(k, r, y, p, weights) for k, r in pairs) / len(pairs))


def hand_till_scored(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Van Calster et al. 2008 eq. 14."""
    weights, pairs = fractions(w), ordered_pairs(n_classes)
    return float(sum(scored_pair(k, r, y, p, weights) for k, r in pairs) / len(pairs))


def class_mean(y: Codes, p: Rows, w: Vector, k: int) -> Vector:
    """Van Calster et al. 2008 eq. 10."""
    cases, rows = members(y, k), exact(p)
    size = sum(w[i] for i in cases)
    return [sum(w[i] * rows[i][j] for i in cases) / size for j in range(len(rows[0]))]


def simplex_volume(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """|det| of the mean vectors."""
    weights = fractions(w)
    return float(determinant([class_mean(y, p, weights, k) for k in range(n_classes)]))


def triangle_area(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Van Calster et al. 2008 §III B: area of the triangle of the means over that of the whole."""
    a, b, c = (class_mean(y, p, fractions(w), k) for k in range(3))
    u, v = minus(b, a), minus(c, a)
    cross = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)]
    return sqrt(dot(cross, cross)) / 2 / (sqrt(3) / 2)


def length(x: Vector, k: int) -> float:
    """ℓ_k(x) = ‖x − e_k‖."""
    gap = minus(x, corner(k, len(x)))
    return sqrt(dot(gap, gap))


def total_length(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Van Calster et al. 2008 §III C: 1 − TL₀/z."""
    weights = fractions(w)
    lengths = [length(class_mean(y, p, weights, k), k) for k in range(n_classes)]
    return 1 - fsum(lengths) / (n_classes * sqrt(2))


def tuple_mean(
    y: Codes, w: Weights, n_classes: int, worth: Callable[[tuple[int, ...]], float | Fraction]
) -> float:
    """Weighted mean over all tuples of one case from each class."""
    weights = fractions(w)
    tuples = list(product(*(members(y, k) for k in range(n_classes))))
    weight = [prod(weights[i] for i in cases) for cases in tuples]
    earned = [v * Fraction(worth(cases)) for v, cases in zip(weight, tuples, strict=True)]
    return float(sum(earned) / sum(weight))


def assignment_credit(cost: Sequence[Sequence[float | Fraction]], ties: str) -> Fraction:
    """Whether the identity costs least of all permutations, shared with those that cost as much."""
    best = 0
    for q in permutations(range(len(cost))):
        changes = [(row[j], row[k]) for k, (row, j) in enumerate(zip(cost, q, strict=True))]
        dearer = sum(Fraction(new) - Fraction(own) for new, own in changes)
        slack = max(slack_of(Fraction(new) - Fraction(own), (new, own)) for new, own in changes)
        if dearer < -slack:
            return Fraction(0)
        best += dearer <= slack
    return {"strict": Fraction(best == 1), "fair": Fraction(1, best), "lenient": Fraction(1)}[ties]


def lengths_of(p: Rows, n_classes: int) -> list[list[float]]:
    """ℓ_k(x) of every case and corner."""
    return [[length(x, k) for k in range(n_classes)] for x in exact(p)]


def vus(y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "fair") -> float:
    """Van Calster et al. 2008 eq. 7–8."""
    lengths = lengths_of(p, n_classes)
    return tuple_mean(
        y, w, n_classes, lambda cases: assignment_credit([lengths[i] for i in cases], ties)
    )


def wvus(y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "fair") -> float:
    """Van Calster et al. 2008 eq. 11–12."""
    lengths = lengths_of(p, n_classes)

    def worth(cases: tuple[int, ...]) -> float:
        total = fsum(lengths[i][k] for k, i in enumerate(cases))
        credit = assignment_credit([lengths[i] for i in cases], ties)
        return float(credit) * (1 - total / (n_classes * sqrt(2)))

    return tuple_mean(y, w, n_classes, worth)


def hum(y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "fair") -> float:
    """Li & Fine: the right assignment has the largest sum of scores."""
    costs = [[-score for score in row] for row in exact(p)]
    return tuple_mean(
        y, w, n_classes, lambda cases: assignment_credit([costs[i] for i in cases], ties)
    )


def highest(p: Sequence[Vector], cases: tuple[int, ...], ties: str) -> bool:
    """Van Calster et al. 2008 §III D: case k leads column k, alone or (lenient) shared."""
    return all(
        p[i][k] > p[j][k] or (ties == "lenient" and p[i][k] == p[j][k])
        for k, i in enumerate(cases)
        for j in cases
        if j != i
    )


def vus2(y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "strict") -> float:
    """Van Calster et al. 2008 §III D."""
    rows = exact(p)
    return tuple_mean(y, w, n_classes, lambda cases: Fraction(highest(rows, cases, ties)))


def wvus2(y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "strict") -> float:
    """Van Calster et al. 2008 §III D, a right tuple weighted by its own area."""
    rows = exact(p)

    def worth(cases: tuple[int, ...]) -> Fraction:
        if not highest(rows, cases, ties):
            return Fraction(0)
        return determinant([rows[i] for i in cases])

    return tuple_mean(y, w, n_classes, worth)


def length_weighted_vus2(
    y: Codes, p: Rows, w: Weights, n_classes: int, ties: str = "strict"
) -> float:
    """Van Calster et al. 2008 §V, the rule of VUS₂ and the weight of wVUS."""
    rows = exact(p)

    def worth(cases: tuple[int, ...]) -> float:
        if not highest(rows, cases, ties):
            return 0.0
        total = fsum(length(rows[i], k) for k, i in enumerate(cases))
        return 1 - total / (n_classes * sqrt(2))

    return tuple_mean(y, w, n_classes, worth)


def pdi(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Mean over k of the share of tuples in which x_k has the highest p_k, ties split evenly."""
    rows = exact(p)

    def worth(cases: tuple[int, ...]) -> Fraction:
        won = Fraction(0)
        for k, own in enumerate(cases):
            scores = [rows[i][k] for i in cases]
            if rows[own][k] == max(scores):
                won += Fraction(1, scores.count(max(scores)))
        return won / n_classes

    return tuple_mean(y, w, n_classes, worth)


def ordinal_vus(y: Codes, marker: Sequence[float], w: Weights, n_classes: int) -> float:
    """Share of tuples in ascending order; a run of m tied neighbours counts 1/m!."""
    values = fractions(marker)

    def worth(cases: tuple[int, ...]) -> Fraction:
        chain = [values[i] for i in cases]
        if chain != sorted(chain):
            return Fraction(0)
        return Fraction(1, prod(factorial(chain.count(value)) for value in set(chain)))

    return tuple_mean(y, w, n_classes, worth)


def gini(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """Share of the region Σ rates ≤ K − 1 of the unit cube that operating points dominate."""
    decided = by_thresholds(p) if n_classes == 2 else by_costs(p, fixed_costs(n_classes).tolist())
    points = {error_rates(y, w, n_classes, each) for each in decided}
    n_rates, most = n_classes * (n_classes - 1), float(n_classes - 1)
    whole = box_volume((0.0,) * n_rates, most)
    return union_volume([each for each in points if sum(each) < most], most) / whole


def by_thresholds(p: Rows) -> list[list[int]]:
    """Decisions for each threshold between different margins."""
    margins = [Fraction(row[1]) - Fraction(row[0]) for row in p]
    return [[int(m >= t) for m in margins] for t in [*sorted(set(margins)), 2]]


def by_costs(p: Rows, costs: Sequence[Sequence[Sequence[float]]]) -> list[list[int]]:
    """Decisions of least expected cost for each of the costs; the first of equals."""
    found = []
    for table in costs:
        decisions = []
        for row in p:
            expected = [sum(table[k][j] * q for k, q in enumerate(row)) for j in range(len(table))]
            equal = [each * (1 - 2.0**-40) <= min(expected) for each in expected]
            decisions.append(equal.index(True))
        found.append(decisions)
    return [list(each) for each in {tuple(decisions) for decisions in found}]


def error_rates(y: Codes, w: Weights, n_classes: int, decided: list[int]) -> tuple[float, ...]:
    """Share of each class (by weight) that is decided as each other class."""
    weights = fractions(w)
    totals = [sum(weights[i] for i in members(y, k)) for k in range(n_classes)]
    return tuple(
        float(sum(weights[i] for i in members(y, k) if decided[i] == j) / totals[k])
        for k, j in ordered_pairs(n_classes)
    )


def box_volume(corner: tuple[float, ...], most: float) -> float:
    """Volume of {x : corner ≤ x ≤ 1, Σ x ≤ most}, by inclusion and exclusion."""
    total = 0.0
    for size in range(len(corner) + 1):
        for beyond in combinations(corner, size):
            room = most - sum(corner) - sum(1 - each for each in beyond)
            total += (-1) ** size * max(room, 0.0) ** len(corner) / factorial(len(corner))
    return total


def union_volume(points: list[tuple[float, ...]], most: float) -> float:
    """Boxes of points less what each shares with those after it, which are boxes again."""
    left = [
        one
        for one in points
        if sum(one) < most
        and not any(other != one and all(map(le, other, one)) for other in points)
    ]
    if not left:
        return 0.0
    first, rest = left[0], sorted(set(left[1:]) - {left[0]})
    shared = sorted({tuple(map(max, first, other)) for other in rest})
    return box_volume(first, most) + union_volume(rest, most) - union_volume(shared, most)


def saec(y: Codes, p: Rows, w: Weights, n_classes: int) -> float:
    """2(1 − A)/S of the binormal curve that a general optimiser finds (K = 2)."""
    ratings = sorted({row[1] for row in p})
    counts = [
        [fsum(w[i] for i in members(y, k) if p[i][1] == rating) for rating in ratings]
        for k in range(n_classes)
    ]
    a, b, _ = dorfman_alf(*counts)
    return 2 * (1 - conventional_area(a, b)) / arc_length(a, b)


TWINS: dict[str, Callable[..., float]] = {
    twin.__name__: twin
    for twin in (
        au1p,
        auc_mu,
        aunp,
        aunu,
        gini,
        hand_till,
        hand_till_probabilistic,
        hand_till_scored,
        hum,
        length_weighted_vus2,
        pdi,
        probabilistic_auc,
        roc_auc,
        saec,
        scored_auc,
        simplex_volume,
        total_length,
        triangle_area,
        vus,
        vus2,
        wvus,
        wvus2,
    )
}
