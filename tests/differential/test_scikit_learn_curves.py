"""Points of ROC curves against ``sklearn.metrics.roc_curve``, ``auc`` and ``det_curve``."""

from itertools import permutations

import numpy as np
import pytest
from differential.data_sets import WEIGHTS, DataSet, data_sets, examples
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from polyroc.curves import RocCurve, one_vs_one_roc, one_vs_rest_roc, roc_curve

TWO_CLASSES = data_sets(st.just(2))
COMPARABLE = tuple(kind for kind in WEIGHTS if kind != "uneven")
"""A weight 24 digits below another is lost in a sum, and when depends on the order."""


def theirs(data: DataSet, positive: int, column: int, cases: np.ndarray | slice = slice(None)):
    """False and true positive rates and thresholds of one column."""
    return metrics.roc_curve(
        data.y[cases],
        data.scores[cases, column],
        pos_label=data.classes[positive].item(),
        sample_weight=None if data.weights is None else data.weights[cases],
        drop_intermediate=False,
    )


def assert_same_points(curve: RocCurve, expected: tuple[np.ndarray, ...], data: DataSet) -> None:
    """Counts divided by counts are the same numbers; sums of weights may be rounded otherwise."""
    found = curve.false_positive_rate, curve.true_positive_rate
    np.testing.assert_array_equal(curve.thresholds, expected[2])
    np.testing.assert_allclose(
        found, expected[:2], rtol=0, atol=0 if data.weights is None else data.tolerance
    )
    assert curve.area == pytest.approx(metrics.auc(*expected[:2]), rel=0, abs=data.tolerance)


@examples(300)
@given(TWO_CLASSES)
def test_two_classes(data):
    curve = roc_curve(data.y, data.scores[:, 1], sample_weight=data.weights)
    assert_same_points(curve, theirs(data, 1, 1), data)


@examples(30)
@given(data_sets(st.integers(2, 6)))
def test_each_class_against_the_rest(data):
    curves = one_vs_rest_roc(data.y, data.scores, sample_weight=data.weights)
    for k, label in enumerate(data.classes.tolist()):
        assert_same_points(curves[label], theirs(data, k, k), data)


@examples(20)
@given(data_sets(st.integers(2, 5)))
def test_every_pair_of_classes(data):
    curves = one_vs_one_roc(data.y, data.scores, sample_weight=data.weights)
    labels = data.classes.tolist()
    for k, r in permutations(range(len(labels)), 2):
        cases = np.isin(data.codes, (k, r))
        assert_same_points(curves[labels[k], labels[r]], theirs(data, k, k, cases), data)


@examples(150)
@given(data_sets(st.just(2), weights=COMPARABLE))
def test_detection_error_tradeoff(data):
    """The same points the other way up, without those before the last of no false positives and
    after the first of no false negatives."""
    label = data.classes[1].item()
    false_positive, false_negative, thresholds = metrics.det_curve(
        data.y, data.scores[:, 1], pos_label=label, sample_weight=data.weights
    )
    curve = roc_curve(data.y, data.scores[:, 1], sample_weight=data.weights)
    first = np.flatnonzero(curve.false_positive_rate == 0)[-1]
    last = np.flatnonzero(curve.true_positive_rate == curve.true_positive_rate[-1])[0]
    kept = slice(first, last + 1)
    np.testing.assert_array_equal(curve.thresholds[kept][::-1], thresholds)
    for ours, expected in (
        (curve.false_positive_rate, false_positive),
        (1 - curve.true_positive_rate, false_negative),
    ):
        np.testing.assert_allclose(ours[kept][::-1], expected, rtol=0, atol=data.tolerance)


@examples(100)
@given(data_sets(st.just(2), weights=("none", "whole")))
def test_points_on_straight_lines(data):
    """scikit-learn leaves some of them in; ``drop_collinear`` takes out all, and no corner."""
    label = data.classes[1].item()
    false_positive, true_positive, _ = metrics.roc_curve(
        data.y, data.scores[:, 1], pos_label=label, sample_weight=data.weights
    )
    curve = roc_curve(data.y, data.scores[:, 1], sample_weight=data.weights, drop_collinear=True)
    ours = curve.false_positive_rate, curve.true_positive_rate
    assert set(zip(*ours, strict=True)) <= set(zip(false_positive, true_positive, strict=True))
    expected = metrics.auc(false_positive, true_positive)
    assert metrics.auc(*ours) == pytest.approx(expected, rel=0, abs=1e-13)


def test_a_point_on_a_straight_line_that_scikit_learn_keeps():
    y = [1, 0] + 3 * [1] + 3 * [0]
    score = [3, 3] + 6 * [2]
    kept = metrics.roc_curve(y, score)[0]
    assert kept.tolist() == [0, 0.25, 1]
    assert roc_curve(y, score, drop_collinear=True).false_positive_rate.tolist() == [0, 1]
