"""Which row belongs to which case: indexes are compared, and never used."""

import warnings

import numpy as np
import pandas as pd
import pytest

from polyroc import Predictions, compare, evaluate, hand_till, ordinal_vus, pairwise_auc
from polyroc.errors import NotAligned, RowsByPosition
from polyroc.scale import PairSummary

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
