"""Scored ROC curve: against the definition in loops, and its area against sAUC."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import curves as twin

from polyroc.curves import _scored as scored
from polyroc.curves import scored_roc
from polyroc.errors import InvalidInput, NotDefined

weighted = st.lists(st.tuples(st.integers(0, 16), st.integers(1, 3)), min_size=1, max_size=6)


@settings(deadline=None)
@given(weighted, weighted)
def test_equals_the_definition(positives, negatives):
    y = np.array([1] * len(positives) + [0] * len(negatives))
    scores, weights = np.array([*positives, *negatives], dtype=float).T
    above, below = (
        [(Fraction(s, 16), Fraction(w)) for s, w in side] for side in (positives, negatives)
    )
    curve = scored_roc(y, scores / 16, sample_weight=weights)
    expected = [float(twin.margin_share(above, below, Fraction(t))) for t in curve.margins]
    np.testing.assert_allclose(curve.values, expected, atol=1e-15)
    area = float(twin.scored_auc(above, below))
    assert curve.area == pytest.approx(area, abs=1e-14)
    assert curve.values[:-1] @ np.diff(curve.margins) == pytest.approx(area, abs=1e-14)
    grid = np.arange(33) / 32
    gridded = scored_roc(y, scores / 16, sample_weight=weights, margins=grid)
    expected = [float(twin.margin_share(above, below, Fraction(t))) for t in grid]
    np.testing.assert_allclose(gridded.values, expected, atol=1e-15)
    assert gridded.area == curve.area and not gridded.exact


def test_grid_and_steps_agree_on_continuous_scores():
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 200), rng.random(200)
    curve, grid = scored_roc(y, scores), np.linspace(0, 1, 57)
    read = curve.values[np.searchsorted(curve.margins, grid, side="right") - 1]
    np.testing.assert_allclose(scored_roc(y, scores, margins=grid).values, read, atol=1e-15)


def test_errors(monkeypatch):
    with pytest.raises(NotDefined, match="needs probabilities"):
        scored_roc([0, 1], [-1.0, 3.0])
    with pytest.raises(NotDefined, match="2 classes, got 3"):
        scored_roc([0, 1, 2], np.eye(3))
    for wrong in ([], [0.5, 2], [np.nan], [-0.1]):
        with pytest.raises(InvalidInput, match="margins must be"):
            scored_roc([0, 1], [0.2, 0.8], margins=wrong)
    monkeypatch.setattr(scored, "MOST_PAIRS", 3)
    with pytest.raises(InvalidInput, match="Pass margins="):
        scored_roc([0, 0, 1, 1], [0.1, 0.5, 0.4, 0.8])
