"""Which row belongs to which case: indexes are compared, and never used."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from polyroc import (
    CostSensitiveClassifier,
    PairwiseCoupling,
    Predictions,
    TunedCostClassifierCV,
    compare,
    evaluate,
    hand_till,
    ordinal_vus,
    pairwise_auc,
    scorers,
    study,
)
from polyroc.display import RocCurvesDisplay
from polyroc.errors import NotAligned, RowsByPosition
from polyroc.report._content import gather
from polyroc.scale import PairSummary
from polyroc.surface import LinearModel

RNG = np.random.default_rng(5)
CODES = np.arange(60) % 3
Y = pd.Series(np.array(list("abc"))[CODES], index=[f"case {k}" for k in range(60)])
P = pd.DataFrame(
    RNG.dirichlet(np.ones(3), 60) + 0.4 * np.eye(3)[CODES], index=Y.index, columns=list("abc")
)
W = pd.Series(1 + RNG.random(60), index=Y.index)
G = pd.Series(np.arange(60) // 2, index=Y.index)
TRUTH = hand_till(Y.to_numpy(), P.to_numpy(), sample_weight=W.to_numpy())
SHUFFLED = RNG.permutation(60)


def calls(y, p, w, g):
    """Every way in that takes rows."""
    return {
        "function": lambda: hand_till(y, p, sample_weight=w),
        "matrix": lambda: pairwise_auc(y, p, sample_weight=w),
        "predictions": lambda: Predictions(y, p, sample_weight=w),
        "evaluate": lambda: evaluate(y, p, ["hand_till"], sample_weight=w, groups=g),
        "compare": lambda: compare(y, {"m": P, "n": p}, ["hand_till"], sample_weight=w, groups=g),
        "summary": lambda: PairSummary(list("abc")).update(y, p, w),
        "marker": lambda: ordinal_vus(y, p["a"], sample_weight=w),
    }


@pytest.mark.parametrize("moved", [0, 1, 2, 3], ids=["labels", "scores", "weights", "groups"])
def test_the_same_labels_in_another_order_are_an_error(moved):
    given = [Y, P, W, G]
    given[moved] = given[moved].iloc[SHUFFLED]
    for name, call in calls(*given).items():
        if moved == 3 and name not in ("evaluate", "compare"):
            continue
        with pytest.raises(NotAligned, match="same index labels in another order"):
            call()


def test_every_two_objects_with_rows_are_compared_also_where_labels_have_none():
    y, p, g = Y.to_numpy(), P.iloc[SHUFFLED], G.iloc[SHUFFLED]
    made = Predictions(y, P, sample_weight=W)
    wrong = {
        "models": lambda: compare(y, {"m": P, "n": p}, ["hand_till"]),
        "predictions": lambda: compare({"m": Predictions(y, P), "n": Predictions(y, p)}),
        "groups and scores": lambda: evaluate(y, P, ["hand_till"], groups=g),
        "groups and weights": lambda: evaluate(y, P.to_numpy(), sample_weight=W, groups=g),
        "groups and predictions": lambda: evaluate(made, metrics=["hand_till"], groups=g),
        "groups of models": lambda: compare(y, {"m": P, "n": P**2}, ["hand_till"], groups=g),
        "report": lambda: gather(y, P, groups=g),
    }
    for call in wrong.values():
        with pytest.raises(NotAligned, match="same index labels in another order"):
            call()
    other = P.set_axis(range(60))
    with pytest.warns(RowsByPosition, match=r"y_scores\['n'\] and y_scores\['m'\] have different"):
        found = compare(y, {"m": P**2, "n": other}, ["hand_till"])
    assert "rows of y_scores['n'] taken by position" in found.differences[0].note


def test_features_and_labels_are_compared_too():
    X, y = P[["a", "b"]], Y.iloc[SHUFFLED]
    fitted = LogisticRegression().fit(X, Y)
    wrong = {
        "study": lambda: study({"m": LogisticRegression()}, X, y, n_splits=1, progress=False),
        "scorer": lambda: scorers["hand_till"](fitted, X, y),
        "display": lambda: RocCurvesDisplay.from_estimator(fitted, X, y),
        "model": lambda: LinearModel(X, y),
        "other cases": lambda: LinearModel(X, Y).on(X, y),
        "weights": lambda: LinearModel(X, Y).on(X, Y, sample_weight=W.iloc[SHUFFLED]),
        "costs": lambda: CostSensitiveClassifier(LogisticRegression()).fit(X, y),
        "tuned": lambda: TunedCostClassifierCV(LogisticRegression()).fit(X, y),
        "coupling": lambda: PairwiseCoupling(LogisticRegression()).fit(X, y),
    }
    for call in wrong.values():
        with pytest.raises(NotAligned, match=r"X and y have the same|sample_weight and y have"):
            call()


def test_the_error_says_how_to_align():
    p = P.iloc[[1, 0, *range(2, 60)]]
    with pytest.raises(NotAligned) as caught:
        hand_till(Y, p)
    assert str(caught.value) == (
        "y_score and y_true have the same index labels in another order: row 0 is 'case 1' in "
        "y_score and 'case 0' in y_true. Pass y_score.loc[y_true.index], or y_score.to_numpy() if "
        "the rows correspond by position."
    )
    assert hand_till(Y, p.loc[Y.index]) == hand_till(Y, P)
    with pytest.raises(NotAligned, match=r"^Model 'n': y_score and y_true have .* by position\.$"):
        compare(Y, {"m": P, "n": p})


def test_labels_that_repeat_are_never_matched():
    index = ["u", "v"] * 30
    y, p = Y.set_axis(index), P.set_axis(index)
    assert hand_till(y, p) == hand_till(Y, P)
    with pytest.raises(NotAligned, match=r"labels repeat, so they cannot be matched: pass y_score"):
        hand_till(y, p.set_axis(index[::-1]))


def test_other_labels_are_taken_by_position_with_a_warning():
    others = [P.reset_index(drop=True), P.set_axis(range(100, 160)), P.set_axis([0] * 60)]
    for p in others:
        for name, call in calls(Y, p, W, G).items():
            with pytest.warns(RowsByPosition, match="have different indexes: rows are taken by"):
                found = call()
            if name == "function":
                assert found == TRUTH
    with pytest.warns(RowsByPosition) as caught:
        hand_till(Y, others[0], sample_weight=W)
    assert [str(each.message) for each in caught] == [
        "y_score and y_true have different indexes: rows are taken by position. Give both the same "
        "index, or drop it with .reset_index(drop=True)."
    ]
    assert caught[0].filename == __file__


def test_results_say_so_too():
    with pytest.warns(RowsByPosition):
        result = evaluate(Y, P.reset_index(drop=True), ["hand_till", "aunp"])
    said = "rows of y_score taken by position: indexes differ"
    assert all(said in each.note for each in result.values())
    with pytest.warns(RowsByPosition):
        compared = compare(Y, {"m": P, "n": P.reset_index(drop=True)}, ["hand_till"])
    assert said in compared.differences[0].note
    with pytest.warns(RowsByPosition):
        grouped = evaluate(Y, P, ["hand_till"], groups=G.reset_index(drop=True))
    assert "rows of groups taken by position: indexes differ" in grouped["hand_till"].note


def test_equal_indexes_and_none_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hand_till(Y, P, sample_weight=W) == TRUTH
        assert hand_till(Y.to_numpy(), P, sample_weight=W) == TRUTH
        assert hand_till(Y, P.to_numpy(), sample_weight=W.tolist()) == TRUTH
        assert hand_till(Y.set_axis(range(60)), P.set_axis(np.arange(60.0))) == hand_till(Y, P)
        assert Predictions(Y, P).by_position == ()
    many = pd.MultiIndex.from_product([range(30), ["x", "y"]])
    assert hand_till(Y.set_axis(many), P.set_axis(many)) == hand_till(Y, P)
    with pytest.warns(RowsByPosition):
        assert hand_till(Y.set_axis(many), P) == hand_till(Y, P)


def test_without_labels_in_an_index_the_others_are_compared():
    with pytest.raises(NotAligned, match="sample_weight and y_score have the same index labels"):
        hand_till(Y.to_numpy(), P, sample_weight=W.iloc[SHUFFLED])


def test_labelled_arrays_have_row_labels_too():
    from predictions.test_columns import DataArray

    rows = list(Y.index)
    same = DataArray(P.to_numpy(), list("abc"), rows)
    assert hand_till(Y, same) == hand_till(Y, P)
    with pytest.raises(NotAligned, match="same index labels in another order"):
        hand_till(Y, DataArray(P.to_numpy(), list("abc"), rows[::-1]))
