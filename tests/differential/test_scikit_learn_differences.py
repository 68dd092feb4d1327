"""Where scikit-learn and polyroc differ by intention: what each does, as docs/migration.md says."""

import numpy as np
import pytest
from differential.data_sets import PROBABILITIES, data_sets, examples
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score, roc_curve

import polyroc
from polyroc.errors import InvalidInput

SOME_CLASSES = st.sampled_from([3, 3, 4, 5])
COUNTED = data_sets(SOME_CLASSES, PROBABILITIES, weights=("none",))
PAIRS = {"macro": "hand_till", "weighted": "au1p"}
AVERAGES = st.sampled_from(list(PAIRS))

Y = [0, 1, 2, 0, 1, 2]
P = np.array([[6, 1, 1], [2, 4, 2], [1, 1, 6], [2, 4, 2], [1, 6, 1], [4, 2, 2]]) / 8


def same(found: float, expected: float) -> bool:
    return found == pytest.approx(expected, rel=0, abs=1e-13)


@examples(30)
@given(COUNTED, AVERAGES)
def test_pairs_without_the_cases_of_a_class(data, average):
    """scikit-learn averages over the classes present and says nothing; here one has to ask."""
    kept = data.codes != 1
    labels, y, p = data.classes, data.y[kept], data.scores[kept]
    theirs = roc_auc_score(y, p, labels=labels, multi_class="ovo", average=average)
    function = polyroc.registry[PAIRS[average]].function
    with pytest.raises(InvalidInput, match="has no cases"):
        function(y, p, labels=labels)
    assert same(function(y, p, labels=labels, absent="skip"), theirs)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_the_rest_without_the_cases_of_a_class(average):
    """There a warning, then NaN, or a mean in which the class has weight 0; here an error."""
    y, p = np.delete(Y, [1, 4]), np.delete(P, [1, 4], axis=0)
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present"):
        theirs = roc_auc_score(y, p, labels=[0, 1, 2], multi_class="ovr", average=average)
    function = {"macro": polyroc.aunu, "weighted": polyroc.aunp}[average]
    with pytest.raises(InvalidInput, match="The class 1 has no cases"):
        function(y, p, labels=[0, 1, 2])
    found = function(y, p, labels=[0, 1, 2], absent="skip")
    assert found == function(y, p[:, [0, 2]])
    assert np.isnan(theirs) if average == "macro" else same(found, theirs)


def test_a_class_without_weight():
    """As if it had no cases: NaN and two kinds of warnings, or an error."""
    weights = [1, 0, 1, 1, 0, 1]
    options = {"labels": [0, 1, 2], "sample_weight": weights}
    with pytest.warns(UndefinedMetricWarning, match="No positive samples"):
        assert np.isnan(roc_auc_score(Y, P, multi_class="ovr", **options))
    with pytest.raises(InvalidInput, match="The class 1 has no cases"):
        polyroc.aunu(Y, P, **options)


def test_one_class():
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present"):
        assert np.isnan(roc_auc_score([1, 1], [0.5, 0.75]))
    with pytest.raises(InvalidInput, match="At least two classes are needed"):
        polyroc.roc_auc([1, 1], [0.5, 0.75])


@examples(30)
@given(data_sets(SOME_CLASSES, PROBABILITIES, weights=("whole",)), AVERAGES)
def test_weights_of_pairs(data, average):
    """Refused there; here they are numbers of copies, as the copies themselves show there."""
    with pytest.raises(ValueError, match="sample_weight is not supported"):
        roc_auc_score(data.y, data.scores, multi_class="ovo", sample_weight=data.weights)
    copies = np.repeat(np.arange(len(data.codes)), data.weights.astype(int))
    theirs = roc_auc_score(data.y[copies], data.scores[copies], multi_class="ovo", average=average)
    function = polyroc.registry[PAIRS[average]].function
    assert same(function(data.y, data.scores, sample_weight=data.weights), theirs)


@pytest.mark.parametrize("unit", [1e-300, 1e-12, 1, 1e300])
def test_small_weights(unit):
    """A sum of weights below 1e-8 is none there: 0. Here only their ratios count."""
    weights = unit * np.ones(6)
    theirs = roc_auc_score(Y, P, multi_class="ovr", average="weighted", sample_weight=weights)
    assert theirs == pytest.approx(0 if unit < 1e-8 else polyroc.aunp(Y, P))
    assert polyroc.aunp(Y, P, sample_weight=weights) == pytest.approx(polyroc.aunp(Y, P))


def test_negative_weights():
    weights = [1, 1, 1, -0.5]
    assert np.isfinite(roc_auc_score([0, 1, 0, 1], [0.1, 0.4, 0.2, 0.8], sample_weight=weights))
    with pytest.raises(InvalidInput, match="not negative"):
        polyroc.roc_auc([0, 1, 0, 1], [0.1, 0.4, 0.2, 0.8], sample_weight=weights)


@examples(30)
@given(COUNTED, AVERAGES)
def test_scores_that_are_no_probabilities(data, average):
    """Refused there with many classes. Ranks do not change by a factor, here a power of two."""
    with pytest.raises(ValueError, match="need to be probabilities"):
        roc_auc_score(data.y, 4 * data.scores, multi_class="ovo")
    theirs = roc_auc_score(data.y, data.scores, multi_class="ovo", average=average)
    assert same(polyroc.registry[PAIRS[average]].function(data.y, 4 * data.scores), theirs)


def test_two_columns_for_two_classes():
    """An error there. Here both columns count, and the second alone is what scikit-learn takes."""
    y, p = [0, 1, 0, 1], np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75], [0.125, 0.875]])
    with pytest.raises(ValueError, match="y should be a 1d array"):
        roc_auc_score(y, p, multi_class="ovo")
    theirs = roc_auc_score(y, p[:, 1], multi_class="ovo")
    assert polyroc.hand_till(y, p) == polyroc.roc_auc(y, p) == polyroc.roc_auc(y, p[:, 1]) == theirs


def test_columns_that_rank_differently():
    """A column near 1 has ties that the other, near 0, does not have."""
    y, p = [0, 1], [[1e-20, 1.0], [1e-30, 1.0]]
    assert roc_auc_score(y, [1.0, 1.0]) == polyroc.roc_auc(y, p) == 0.5
    assert polyroc.pairwise_auc(y, p)[0, 1] == 1
    assert polyroc.hand_till(y, p) == 0.75


def test_labels_in_an_order_of_their_own():
    order = [2, 0, 1]
    with pytest.raises(ValueError, match="must be ordered"):
        roc_auc_score(Y, P[:, order], multi_class="ovo", labels=order)
    assert polyroc.hand_till(Y, P[:, order], labels=order) == polyroc.hand_till(Y, P)


def test_the_positive_class():
    """Of any two labels the second is positive here; scikit-learn's curve has to be told."""
    y, score = ["ill", "well", "well"], [0.25, 0.5, 0.125]
    with pytest.raises(ValueError, match="pos_label is not specified"):
        roc_curve(y, score)
    assert polyroc.curves.roc_curve(y, score).positive == "well"
    assert polyroc.roc_auc(y, score) == roc_auc_score(y, score) == 0.5
