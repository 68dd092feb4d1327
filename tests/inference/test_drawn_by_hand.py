"""The variance of a mean over random tuples, and its degrees of freedom, with tuples by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyroc import Design, Predictions
from polyroc.inference._drawn import drawn_spread, spread_of_value
from polyroc.inference._influence import CaseDesign
from polyroc.metrics.question import Influence
from polyroc.statistics.statistic import Drawn

Y = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
P = np.random.default_rng(1).dirichlet(np.ones(3), len(Y))
TUPLES = np.array([[0, 3, 7], [0, 4, 7], [1, 4, 8], [2, 3, 7], [0, 5, 8], [2, 6, 7], [0, 3, 8]])
CREDIT = np.array([1.0, 0.5, 0.0, 1.0, 1.0, 0.0, 1.0])


def parts_by_loops(
    drawn: Drawn, counts: list[int], units: list[int], weights: list[float]
) -> list[float]:
    """What each class adds: products of two different tuples that hold the same unit of it."""
    n_tuples = len(drawn.credit)
    mean = sum(drawn.credit) / n_tuples
    parts = []
    for k, m in enumerate(counts):
        total = 0.0
        for s in range(n_tuples):
            for t in range(n_tuples):
                i, j = drawn.tuples[s][k], drawn.tuples[t][k]
                if s != t and units[i] == units[j]:
                    factor = m / (m - 1) / math.sqrt(weights[i] * weights[j])
                    total += (drawn.credit[s] - mean) * (drawn.credit[t] - mean) * factor
        parts.append(max(total, 0.0) / (n_tuples * (n_tuples - 1)))
    return parts


def freedom_by_loops(parts: list[float], counts: list[int], credit: np.ndarray) -> float:
    n_tuples = len(credit)
    of_draw = sum((c - credit.mean()) ** 2 for c in credit) / (n_tuples * (n_tuples - 1))
    unknown = of_draw**2 / (n_tuples - 1)
    unknown += sum(part**2 / (m - 1) for part, m in zip(parts, counts, strict=True))
    return (sum(parts) + of_draw) ** 2 / unknown


@pytest.mark.parametrize("frequency", [False, True])
def test_variance_and_freedom_by_loops(frequency: bool) -> None:
    """The draw is one more part of the variance, known from one tuple less than were drawn."""
    weights = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 2.0, 1.0]
    made = Predictions(Y, P, sample_weight=weights)
    design = CaseDesign(weights="frequency" if frequency else "sampling")
    counts = [4, 7, 3] if frequency else [3, 4, 2]
    drawn = Drawn(TUPLES, CREDIT)
    found, freedom = drawn_spread(made, drawn, design)
    ones = weights if frequency else [1.0] * len(Y)
    parts = parts_by_loops(drawn, counts, list(range(len(Y))), ones)
    of_draw = sum((c - CREDIT.mean()) ** 2 for c in CREDIT) / (7 * 6)
    assert sum(part > 0 for part in parts) >= 1 and min(parts) == 0
    assert found == pytest.approx(sum(parts) + of_draw, rel=1e-13)
    assert freedom == pytest.approx(freedom_by_loops(parts, counts, CREDIT), rel=1e-13)
    influence = Influence(np.zeros(len(Y)), drawn=drawn)
    assert spread_of_value(made, influence, design) == (found, freedom)


def test_groups_within_and_across_classes() -> None:
    """A tuple that holds a group twice is no pair of tuples; groups less 1 limit the freedom."""
    made, drawn = Predictions(Y, P), Drawn(TUPLES, CREDIT)
    within = np.array([0, 0, 1, 2, 2, 3, 4, 5, 6])
    _, freedom = drawn_spread(made, drawn, CaseDesign.of(within, made))
    parts = parts_by_loops(drawn, [2, 3, 2], within.tolist(), [1.0] * len(Y))
    assert freedom == pytest.approx(freedom_by_loops(parts, [2, 3, 2], CREDIT), rel=1e-12)
    across = np.array([0, 1, 2, 0, 1, 3, 2, 3, 0])
    counts = [3, 4, 2]
    deviations = CREDIT - CREDIT.mean()
    total = 0.0
    for s in range(len(CREDIT)):
        for t in range(len(CREDIT)):
            for k in range(3):
                for r in range(3):
                    if s != t and across[TUPLES[s][k]] == across[TUPLES[t][r]]:
                        scale = math.sqrt(counts[k] / (counts[k] - 1) * counts[r] / (counts[r] - 1))
                        total += deviations[s] * deviations[t] * scale
    of_draw = float((deviations**2).sum()) / 42
    design = CaseDesign.of(across, made)
    spanning, limited = drawn_spread(made, drawn, design)
    assert spanning == pytest.approx(max(total, 0) / 42 + of_draw, rel=1e-12)
    parts = parts_by_loops(drawn, counts, across.tolist(), [1.0] * len(Y))
    assert limited == min(freedom_by_loops(parts, counts, CREDIT), 3) == 3


def test_one_case_or_no_variation() -> None:
    """A class of one case has no variance; tuples that agree have one of 0, not known how well."""
    drawn = Drawn(TUPLES[:, :2], CREDIT)
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    made = Predictions(y, P[:7, 0])
    assert not any(map(math.isnan, drawn_spread(made, drawn, CaseDesign())))
    one = CaseDesign.of(np.array([0, 0, 0, 1, 2, 3, 4]), made)
    assert all(map(math.isnan, drawn_spread(made, drawn, one)))
    two = CaseDesign.of(np.array([0, 1, 1, 2, 3, 4, 5]), made)
    assert drawn_spread(made, drawn, two)[0] > 0
    agreeing = drawn_spread(made, Drawn(TUPLES[:, :2], np.ones(7)), CaseDesign())
    assert agreeing[0] == 0 and math.isnan(agreeing[1])


def test_without_a_draw_the_parts_of_the_classes_are_added() -> None:
    made = Predictions(Y, P)
    cases = np.array([1.0, 0.0, -1.0, 2.0, -2.0, 1.0, -1.0, 0.5, -0.5])
    parts = [2 / 2 / 3, 10 / 3 / 4, 0.5 / 1 / 2]
    variance, freedom = spread_of_value(made, Influence(cases), CaseDesign())
    assert variance == pytest.approx(sum(parts), rel=1e-12)
    unknown = parts[0] ** 2 / 2 + parts[1] ** 2 / 3 + parts[2] ** 2 / 1
    assert freedom == pytest.approx(sum(parts) ** 2 / unknown, rel=1e-12)
    none, unknown_freedom = spread_of_value(made, Influence(np.zeros(len(Y))), CaseDesign())
    assert none == 0 and math.isnan(unknown_freedom)


def test_sampled_priors_add_to_the_variance_of_a_value() -> None:
    """Σ over cases of (φ/n_k scaled + slope)², where the class shares were sampled."""
    made = Predictions(Y, P)
    cases = np.array([1.0, 0.0, -1.0, 2.0, -2.0, 1.0, -1.0, 0.5, -0.5])
    slopes = np.array([0.3, -0.6, 0.9])
    counts, priors = [3, 4, 2], [3 / 9, 4 / 9, 2 / 9]
    mean = sum(p * s for p, s in zip(priors, slopes, strict=True))
    total = 0.0
    for phi, k in zip(cases, Y, strict=True):
        m = counts[k]
        total += (math.sqrt(m / (m - 1)) * phi / m + (slopes[k] - mean) / len(Y)) ** 2
    design = CaseDesign.of(Design(sampling="random"), made)
    found, _ = spread_of_value(made, Influence(cases, slopes), design)
    assert found == pytest.approx(total, rel=1e-13)
    fixed, _ = spread_of_value(made, Influence(cases, slopes), CaseDesign())
    assert fixed == pytest.approx(2 / 6 + 10 / 12 + 0.5 / 2, rel=1e-13)
