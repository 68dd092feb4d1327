"""Sums over the pairs of columns of many classes, and the influence values of their cases.

Of many classes each has few cases: only these positives of a column are sorted, and all cases are
looked up among them (:mod:`polyroc.kernels.ranks`), which takes less time than sorting the column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled
from polyroc.kernels.ranks import Block, Cases, Ranked, plus, ranked

Floats = NDArray[np.float64]

PIECE = 1 << 13
"""Cases whose sums by class are added up first, so that rounding does not pile up."""


class Gradients(NamedTuple):
    """Derivatives by AUC(k|r), or by sAUC(k|r): for each a row for each column of a block."""

    rows: Floats
    credits: Floats
    """What a tie counts; NaN where the derivative is by sAUC(k|r)."""
    totals: Floats
    """Weight of each class."""


@compiled
def sum_columns(cases: Cases, block: Block, sums: Floats) -> None:
    """Add what the positives of each column are above each class, and the pool.

    The rows of ``sums`` are the pairs above, those tied and, where there is a third, by how much
    the positives are above; then a row for each column.
    """
    n_parts, _, n_codes = sums.shape
    for c in range(len(block.scores)):
        places = ranked(cases, block, c)
        m, n = len(places.members), len(places.scores)
        part = np.zeros((2, n_codes))
        for start in range(0, n, PIECE):
            for t in range(start, min(start + PIECE, n)):
                code, at = cases.codes[t], places.right[t]
                above = places.weights[m] - places.weights[at]
                part[0, code] += cases.weights[t] * above
                if n_parts > 2:
                    lead = places.sums[m] - places.sums[at] - places.scores[t] * above
                    part[1, code] += cases.weights[t] * lead
            for code in range(n_codes):
                sums[0, c, code] += part[0, code]
                if n_parts > 2:
                    sums[2, c, code] += part[1, code]
                part[0, code], part[1, code] = 0.0, 0.0
        for t in places.ties:
            level = places.weights[places.right[t]] - places.weights[places.left[t]]
            sums[1, c, cases.codes[t]] += cases.weights[t] * level


@compiled
def carry_columns(
    cases: Cases, block: Block, gradients: Gradients, own: Floats, pooled: Floats
) -> None:
    """Add the influence values of the cases, and of the pool as cases of each class.

    A row for each gradient.
    """
    for c in range(len(block.scores)):
        places, last = ranked(cases, block, c), -1.0
        lost = np.empty(len(places.scores))
        for g in range(len(gradients.credits)):
            credit = gradients.credits[g]
            if credit != last:
                fill_lost(places, credit, lost)
                last = credit
            row = gradients.rows[g, c]
            won = carried(cases, places, row, gradients.totals, credit, lost, own[g])
            for j in range(len(places.members)):
                case = places.members[j]
                if case < cases.n_own:
                    own[g, case] += won[j]
                else:
                    pooled[g, case - cases.n_own, places.k] += won[j]
            for case in range(cases.n_own, len(lost)):
                share = lost[case] / places.weights[len(won)]
                for r in range(len(row)):
                    pooled[g, case - cases.n_own, r] += share * row[r]


@compiled
def fill_lost(places: Ranked, credit: float, lost: Floats) -> None:
    """What each case lacks: weight of the positives above it, or by how much they are above."""
    m = len(places.members)
    for t in range(len(lost)):
        at = places.right[t]
        if credit == credit:
            level = credit * places.weights[places.left[t]]
            lost[t] = places.weights[m] - ((1 - credit) * places.weights[at] + level)
        else:
            above = places.weights[m] - places.weights[at]
            lost[t] = places.sums[m] - places.sums[at] - places.scores[t] * above


@compiled
def carried(
    cases: Cases,
    places: Ranked,
    row: Floats,
    totals: Floats,
    credit: float,
    lost: Floats,
    own: Floats,
) -> Floats:
    """Add the values of the cases through one column; those of its positives are returned."""
    m, n_classes, scored = len(places.members), len(row), credit != credit
    factors, scales = np.zeros(n_classes + 1), np.zeros(n_classes + 1)
    for r in range(n_classes):
        factors[r], scales[r] = row[r] / totals[r], row[r] / places.weights[m]
        factors[n_classes] += factors[r] * cases.added[r]
    below, scores_below, level = np.zeros(m + 1), np.zeros(m + 1), np.zeros(m + 1)
    for t in range(len(lost)):
        code, at = cases.codes[t], places.right[t]
        value = factors[code] * cases.weights[t]
        below[at] += value
        if scored:
            scores_below[at] += value * places.scores[t]
        if t < cases.n_own:
            own[t] += scales[code] * lost[t]
    if not scored:
        for t in places.ties:
            level[places.left[t]] += factors[cases.codes[t]] * cases.weights[t]
    return gained(places, credit, below, scores_below, level)


@compiled
def gained(
    places: Ranked, credit: float, below: Floats, scores_below: Floats, level: Floats
) -> Floats:
    """What each positive is above, from what is added up between the positives."""
    won = np.empty(len(places.members))
    total, total_lost, score, score_lost = 0.0, 0.0, 0.0, 0.0
    for j in range(len(won)):
        case = places.members[j]
        total, total_lost = plus(total, below[j], total_lost)
        score, score_lost = plus(score, scores_below[j], score_lost)
        if credit == credit:
            won[j] = total + credit * level[places.left[case]]
        else:
            won[j] = places.scores[case] * total - score
    return won
