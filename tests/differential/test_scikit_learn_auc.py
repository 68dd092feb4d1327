"""Areas of two and of many classes against ``sklearn.metrics.roc_auc_score``."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from differential.data_sets import PROBABILITIES, DataSet, data_sets, examples
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from twins.metrics import TWINS

import polyroc
from polyroc import registry
from polyroc.curves import one_vs_rest_roc
from polyroc.predictions import _columns as columns

FEW = st.sampled_from([columns.FEW_POSITIVES, 0])
"""Up to so many positives are looked up; otherwise the column is sorted, also where it is short."""

MANY_CLASSES = st.integers(3, 8)
SOME_CLASSES = st.sampled_from([3, 3, 3, 4, 4, 5, 6, 8])
ONE_VS_ONE = {"macro": "hand_till", "weighted": "au1p"}
ONE_VS_REST = {"macro": "aunu", "weighted": "aunp"}


@contextmanager
def looking_up(few: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "FEW_POSITIVES", few)
        yield


def ours(name: str, data: DataSet, seed: int = 0) -> float:
    """The metric with the columns in another order: unlike scikit-learn, labels may have any."""
    order = np.random.default_rng(seed).permutation(len(data.classes))
    return registry[name].function(
        data.y,
        data.scores[:, order],
        labels=data.classes[order],
        sample_weight=data.weights,
    )


@examples(500)
@given(data_sets(st.just(2)), FEW)
def test_two_classes(data, few):
    theirs = roc_auc_score(data.y, data.scores[:, 1], sample_weight=data.weights)
    with looking_up(few):
        found = polyroc.roc_auc(data.y, data.scores[:, 1], sample_weight=data.weights)
    assert found == pytest.approx(theirs, rel=0, abs=data.tolerance)


@examples(80)
@given(
    data_sets(SOME_CLASSES, PROBABILITIES, weights=("none",)),
    st.sampled_from(list(ONE_VS_ONE)),
    FEW,
)
def test_one_vs_one(data, average, few):
    theirs = roc_auc_score(data.y, data.scores, multi_class="ovo", average=average)
    with looking_up(few):
        found = ours(ONE_VS_ONE[average], data)
    assert found == pytest.approx(theirs, rel=0, abs=data.tolerance)


@examples(120)
@given(data_sets(MANY_CLASSES, PROBABILITIES), st.sampled_from(list(ONE_VS_REST)), FEW)
def test_one_vs_rest(data, average, few):
    theirs = roc_auc_score(
        data.y, data.scores, multi_class="ovr", average=average, sample_weight=data.weights
    )
    with looking_up(few):
        found = ours(ONE_VS_REST[average], data)
    assert found == pytest.approx(theirs, rel=0, abs=data.tolerance)


@examples(150)
@given(data_sets(MANY_CLASSES), st.sampled_from(list(ONE_VS_REST)), FEW)
def test_one_vs_rest_of_any_scores(data, average, few):
    """As several labels per case, scikit-learn takes scores that are no probabilities."""
    indicators = np.eye(len(data.classes), dtype=int)[data.codes]
    theirs = roc_auc_score(indicators, data.scores, average=average, sample_weight=data.weights)
    with looking_up(few):
        found = ours(ONE_VS_REST[average], data)
    assert found == pytest.approx(theirs, rel=0, abs=data.tolerance)


@examples(80)
@given(data_sets(MANY_CLASSES, PROBABILITIES))
def test_each_class_against_the_rest(data):
    theirs = roc_auc_score(
        data.y, data.scores, multi_class="ovr", average=None, sample_weight=data.weights
    )
    curves = one_vs_rest_roc(data.y, data.scores, sample_weight=data.weights)
    areas = [curves[label].area for label in data.classes.tolist()]
    np.testing.assert_allclose(areas, theirs, rtol=0, atol=data.tolerance)


@examples(200)
@given(data_sets(MANY_CLASSES, PROBABILITIES))
def test_micro_average(data):
    """One AUC of all entries of the table, as docs/migration.md writes it."""
    theirs = roc_auc_score(
        data.y, data.scores, multi_class="ovr", average="micro", sample_weight=data.weights
    )
    K = len(data.classes)
    hits = (data.codes[:, None] == np.arange(K)).ravel()
    weights = None if data.weights is None else np.repeat(data.weights, K)
    found = polyroc.roc_auc(hits, data.scores.ravel(), sample_weight=weights)
    assert found == pytest.approx(theirs, rel=0, abs=data.tolerance)


@pytest.mark.parametrize("digits", [8, 12, 16, 20, 80])
@pytest.mark.parametrize(("average", "name"), ONE_VS_REST.items())
def test_a_class_that_is_nearly_all_there_is(average, name, digits):
    """1 − π would have lost the share of the others: the definition in fractions decides."""
    rng = np.random.default_rng(digits)
    y, p = np.arange(30) % 3, rng.integers(0, 9, (30, 3)) / 8
    weights = np.where(y == 0, 10.0**digits, rng.integers(1, 9, 30) / 8)
    exact = TWINS[name](y.tolist(), p.tolist(), weights.tolist(), 3)
    theirs = roc_auc_score(np.eye(3, dtype=int)[y], p, average=average, sample_weight=weights)
    found = registry[name].function(y, p, sample_weight=weights)
    assert found == pytest.approx(float(exact), rel=0, abs=1e-15)
    assert theirs == pytest.approx(float(exact), rel=0, abs=1e-13)
