"""ROC curves: against the definition in loops, against theory, against scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import curves as twin

from polyroc.curves import one_vs_one_roc, one_vs_rest_roc, roc_curve
from polyroc.errors import InvalidInput, NotDefined


def sides(scores, own, weights):
    cases = [(float(s), Fraction(int(w))) for s, w in zip(scores, weights, strict=True)]
    split = zip(cases, own, strict=True)
    chosen = [(case, bool(is_own)) for case, is_own in split]
    return [c for c, o in chosen if o], [c for c, o in chosen if not o]


@st.composite
def multiclass(draw):
    n_classes = draw(st.integers(2, 4))
    extra = draw(st.lists(st.integers(0, n_classes - 1), max_size=8))
    y = np.array([*range(n_classes), *extra])
    cell = st.integers(0, 4)
    scores = draw(st.lists(cell, min_size=y.size * n_classes, max_size=y.size * n_classes))
    weights = draw(st.lists(st.integers(1, 3), min_size=y.size, max_size=y.size))
    return y, np.reshape(scores, (y.size, n_classes)) / 4, np.array(weights)


def check(curve, positives, negatives):
    points = np.array(twin.roc_points(positives, negatives), dtype=float)
    np.testing.assert_array_equal(curve.thresholds, points[:, 0])
    np.testing.assert_allclose(curve.false_positive_rate, points[:, 1], atol=1e-15)
    np.testing.assert_allclose(curve.true_positive_rate, points[:, 2], atol=1e-15)
    assert curve.area == pytest.approx(float(twin.area_of_pairs(positives, negatives)), abs=1e-14)


@settings(deadline=None)
@given(multiclass())
def test_pairs_equal_the_definition(data):
    y, scores, weights = data
    curves = one_vs_one_roc(y, scores, sample_weight=weights)
    assert len(curves) == scores.shape[1] * (scores.shape[1] - 1)
    for (k, r), curve in curves.items():
        pair = (y == k) | (y == r)
        check(curve, *sides(scores[pair, k], y[pair] == k, weights[pair]))


@settings(deadline=None)
@given(multiclass())
def test_rest_equals_the_definition(data):
    y, scores, weights = data
    for k, curve in one_vs_rest_roc(y, scores, sample_weight=weights).items():
        check(curve, *sides(scores[:, k], y == k, weights))


@settings(deadline=None)
@given(multiclass())
def test_dropping_collinear_points_keeps_the_curve(data):
    y, scores, weights = data
    full = one_vs_one_roc(y, scores, sample_weight=weights)
    for key, curve in one_vs_one_roc(y, scores, sample_weight=weights, drop_collinear=True).items():
        fpr, tpr = curve.false_positive_rate, curve.true_positive_rate
        assert curve.area == full[key].area == pytest.approx(np.trapezoid(tpr, fpr), abs=1e-14)
        turns = np.diff(fpr)[:-1] * np.diff(tpr)[1:] - np.diff(fpr)[1:] * np.diff(tpr)[:-1]
        assert (np.abs(turns) > 1e-9).all()


def test_against_scikit_learn():
    from sklearn import metrics

    rng = np.random.default_rng(0)
    y, scores, weights = rng.integers(0, 2, 500), rng.integers(0, 50, 500) / 50, rng.random(500)
    fpr, tpr, thresholds = metrics.roc_curve(
        y, scores, sample_weight=weights, drop_intermediate=False
    )
    curve = roc_curve(y, scores, sample_weight=weights)
    np.testing.assert_allclose(curve.false_positive_rate, fpr, atol=1e-12)
    np.testing.assert_allclose(curve.true_positive_rate, tpr, atol=1e-12)
    np.testing.assert_array_equal(curve.thresholds, thresholds)


def test_near_ties_one_ulp_apart_are_not_ties():
    assert roc_curve([0, 1], [0.5, np.nextafter(0.5, 1)]).area == 1
    assert roc_curve([0, 1], [0.5, 0.5]).area == 0.5


def test_two_classes_look_the_same_from_both_sides():
    y, scores = [0, 1, 1, 0], [0.2, 0.2, 0.9, 0.4]
    curves = one_vs_one_roc(y, np.column_stack([1 - np.array(scores), scores]))
    assert curves[1, 0].area == curves[0, 1].area == roc_curve(y, scores).area


def test_collection_is_lazy_and_sorts_each_column_once(monkeypatch):
    rng = np.random.default_rng(1)
    y, scores = np.arange(3000) % 300, rng.random((3000, 300)).astype(np.float32)
    curves = one_vs_one_roc(y, scores)
    sorts, argsort = [], np.argsort
    monkeypatch.setattr(np, "argsort", lambda *a, **k: sorts.append(1) or argsort(*a, **k))
    first_two = [curve.area for _, curve in zip(range(598), curves.values(), strict=False)]
    assert len(first_two) == 598 and len(sorts) == 4


def test_frames_and_reprs():
    curves = one_vs_one_roc(["a", "b", "c"], np.eye(3))
    frame = curves.frame()
    assert list(frame) == [
        "positive", "negative", "threshold", "false_positive_rate", "true_positive_rate",
    ]  # fmt: skip
    assert len(frame) == 6 * 3
    assert repr(curves) == "RocCurves(6 curves)"
    rest = one_vs_rest_roc(["a", "b", "c"], np.eye(3))
    assert repr(rest["a"]) == "RocCurve('a' against the rest: 3 points, area 1)"


def test_errors():
    with pytest.raises(NotDefined, match="defined for 2 classes, got 3"):
        roc_curve([0, 1, 2], np.eye(3))
    with pytest.raises(KeyError):
        one_vs_one_roc([0, 1, 2], np.eye(3))[0, 0]
    with pytest.raises(InvalidInput):
        one_vs_one_roc([0, 1], [0.5, np.nan])


def test_classes_without_cases_can_be_skipped():
    y, p = [0, 2, 0, 2], [[0.2, 0, 0.8], [0.6, 0, 0.4], [0.55, 0, 0.45], [0.4, 0, 0.6]]
    curves = one_vs_one_roc(y, p, labels=[0, 1, 2], absent="skip")
    assert curves.areas() == {(0, 2): 0.25, (2, 0): 0.25}
    assert set(one_vs_rest_roc(y, p, labels=[0, 1, 2], absent="skip")) == {0, 2}
