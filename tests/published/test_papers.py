"""Worked examples of the papers and of scikit-learn's own tests, small enough to check by hand."""

import numpy as np
import pytest

from polyroc import (
    au1p,
    aunp,
    aunu,
    hand_till,
    pairwise_auc,
    probabilistic_auc,
    roc_auc,
    scored_auc,
)

TWO = ["b", "b", "b", "a", "a", "a"]
MODEL_A = [1.0, 0.7, 0.6, 0.5, 0.4, 0.0]
MODEL_B = [1.0, 0.9, 0.5, 0.6, 0.2, 0.0]


@pytest.mark.parametrize(
    ("scores", "auc", "scored", "probabilistic"),
    [
        (MODEL_A, 1, 7 / 15, 1 / 2 + (2.3 - 0.9) / 6),
        (MODEL_B, 8 / 9, 4.9 / 9, 1 / 2 + (2.4 - 0.8) / 6),
    ],
)
def test_the_two_models_of_paper_000(scores, auc, scored, probabilistic):
    """Van Calster et al. 2008 §I: model A has the higher AUC, model B the higher probabilities."""
    assert roc_auc(TWO, scores) == pytest.approx(auc, abs=1e-15)
    assert scored_auc(TWO, scores) == pytest.approx(scored, abs=1e-15)
    assert probabilistic_auc(TWO, scores) == pytest.approx(probabilistic, abs=1e-15)


def test_the_numbers_that_paper_000_prints():
    assert round(scored_auc(TWO, MODEL_A), 5) == 0.46667
    assert round(scored_auc(TWO, MODEL_B), 5) == 0.54444
    assert round(roc_auc(TWO, MODEL_B), 5) == 0.88889


def test_the_worked_example_of_paper_002():
    y = [1, 1, 2, 2, 3, 3]
    p = [
        [0.7, 0.2, 0.1],
        [0.5, 0.3, 0.2],
        [0.3, 0.5, 0.2],
        [0.4, 0.5, 0.1],
        [0.6, 0.1, 0.3],
        [0.1, 0.1, 0.8],
    ]
    matrix = pairwise_auc(y, p)
    assert matrix[2, 0] == 1  # AUC(3|1)
    assert matrix[0, 2] == 0.75  # AUC(1|3)
    assert np.isnan(np.diag(matrix)).all()


A = ([0, 1, 0, 2], [[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0, 0.2, 0.8]])
B = ([0, 1, 2, 2], [[1, 0, 0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]])
C = ([0, 2, 0, 2], [[0.2, 0, 0.8], [0.6, 0, 0.4], [0.55, 0, 0.45], [0.4, 0, 0.6]])
D = ([3, 1, 2, 0], [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0.75, 0.05, 0.05, 0.15]])


def micro(y, scores):
    indicator = np.equal.outer(y, range(np.shape(scores)[1]))
    return roc_auc(indicator.ravel(), np.ravel(scores))


def test_sklearn_toy_a():
    assert hand_till(*A) == pytest.approx(0.75, abs=1e-15)
    assert au1p(*A) == pytest.approx(0.71875, abs=1e-15)


def test_sklearn_toy_b():
    y, scores = B
    by_class = [roc_auc(np.equal(y, k), np.array(scores)[:, k]) for k in range(3)]
    assert by_class == [1.0, 1.0, 0.875]
    assert aunu(*B) == pytest.approx(0.9583333333333334, abs=1e-15)
    assert aunp(*B) == pytest.approx(0.9375, abs=1e-15)
    assert micro(*B) == 0.984375


@pytest.mark.parametrize("function", [hand_till, au1p])
def test_sklearn_toy_c_with_an_absent_class(function):
    assert function(*C, labels=[0, 1, 2], absent="skip") == 0.25
    with pytest.raises(ValueError, match="The class 1 has no cases"):
        function(*C, labels=[0, 1, 2])


@pytest.mark.parametrize("function", [hand_till, aunu, micro])
def test_sklearn_toy_d(function):
    y, perfect = D
    assert function(y, perfect) == pytest.approx(1, abs=1e-15)
    assert function(y, np.full((4, 4), 0.25)) == pytest.approx(0.5, abs=1e-15)
