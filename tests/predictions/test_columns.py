"""Which column belongs to which class: names decide, and nothing is matched by guess."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import polyroc
from polyroc import (
    CostSensitiveClassifier,
    Predictions,
    TunedCostClassifierCV,
    auc_mu,
    hand_till,
    roc_auc,
)
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import columns_of
from polyroc.scale import PairSummary
from polyroc.surface import ScoreModel
from polyroc.surface._costs import cost_matrix

RNG = np.random.default_rng(3)
Y = np.repeat([0, 1, 2], 8)
P = RNG.dirichlet(np.ones(3), len(Y)) + 0.4 * np.eye(3)[Y]
TRUTH = hand_till(Y, P)
ORDER = [2, 0, 1]


class Table(pd.DataFrame):
    """A subclass of a frame."""

    @property
    def _constructor(self):
        return Table


class DataArray:
    """What of xarray's labelled arrays is used."""

    def __init__(self, values, columns, rows=None):
        self.values, self.dims = np.asarray(values), ("case", "class")
        self.coords = {"class": np.array(columns)}
        if rows is not None:
            self.coords["case"] = Coordinate(rows)

    def __array__(self, dtype=None, copy=None):
        return self.values

    def to_pandas(self):
        rows, columns = self.coords["case"], self.coords["class"]
        return pd.DataFrame(self.values, index=rows, columns=columns)


class Coordinate(list):
    def to_index(self):
        return pd.Index(self)


FRAMES = {
    "pandas": lambda p, columns: pd.DataFrame(p, columns=columns),
    "subclass": lambda p, columns: Table(p, columns=columns),
    "dask": lambda p, columns: dd.from_pandas(pd.DataFrame(p, columns=columns), npartitions=2),
    "polars": lambda p, columns: pl.DataFrame({str(c): p[:, k] for k, c in enumerate(columns)}),
    "arrow": lambda p, columns: pa.table({str(c): p[:, k] for k, c in enumerate(columns)}),
    "labelled array": DataArray,
    "rows": lambda p, columns: [row for _, row in pd.DataFrame(p, columns=columns).iterrows()],
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_names_decide_in_every_frame(make):
    letters = np.array(["a", "b", "c"])
    for classes in (np.array([0, 1, 2]), letters, np.array([7, 8, 9])):
        frame = make(P[:, ORDER], list(classes[ORDER]))
        y = classes[Y]
        assert hand_till(y, frame) == pytest.approx(TRUTH, abs=1e-15)
        for labels in (classes, classes[::-1], classes[ORDER]):
            found = Predictions(y, frame, labels=labels)
            assert found.classes == tuple(labels.tolist())
            assert (found.scores == P[:, [classes.tolist().index(k) for k in labels]]).all()


def test_numbers_from_0_are_names_where_the_classes_are_these_numbers():
    frame = pd.DataFrame(P, columns=[0, 1, 2])
    assert hand_till(Y, frame, labels=[2, 1, 0]) == pytest.approx(TRUTH, abs=1e-15)
    assert hand_till(Y, pd.DataFrame(P), labels=[2, 1, 0]) == pytest.approx(TRUTH, abs=1e-15)
    summary = PairSummary([2, 0, 1], mantissa_bits=14).update(Y, frame)
    assert summary.compute(["hand_till"])["hand_till"].low == pytest.approx(TRUTH, abs=1e-9)
    words = np.array(["0", "1", "2"])
    assert hand_till(words[Y], frame, labels=["2", "1", "0"]) == pytest.approx(TRUTH, abs=1e-15)
    skipped = Predictions(Y[:16], frame[:16], absent="skip").skipped
    assert skipped == (2,)


def test_numbers_that_pandas_gave_are_no_names_of_other_classes():
    for classes in (np.array(["a", "b", "c"]), np.array([1, 2, 3]), np.array([5, 7, 9])):
        assert hand_till(classes[Y], pd.DataFrame(P)) == TRUTH
        turned = pd.DataFrame(P[:, ORDER])
        assert hand_till(classes[Y], turned, labels=classes[ORDER]) == pytest.approx(TRUTH)
    assert hand_till(Y, pl.DataFrame(P)) == TRUTH
    with pytest.raises(InvalidInput, match="label 3 in row 16, but the columns of y_score are"):
        hand_till(Y + 1, pd.DataFrame(P, columns=[0, 1, 2]))
    with pytest.raises(InvalidInput, match="y_score has no column for 3; its columns are 0, 1, 2"):
        hand_till(Y + 1, pd.DataFrame(P, columns=[0, 1, 2]), labels=[1, 2, 3])


def test_booleans_are_spelled_in_any_case():
    y, s = [True, False, True], pd.DataFrame({"TRUE": [0.9, 0.2, 0.4], "false": [0.1, 0.8, 0.6]})
    assert Predictions(y, s).classes == (True, False)


def test_two_columns_for_one_class():
    s = pd.DataFrame(P[:3], columns=["1", "01", "2"])
    with pytest.raises(InvalidInput, match="The column names of y_score name 1 more than once"):
        Predictions([1, 2, 1], s)
    wide = pd.DataFrame(np.hstack([P, P])[:3, :4], columns=["1", "01", "2", "4"])
    with pytest.raises(InvalidInput, match="several columns for 1: '1', '01'"):
        columns_of([1, 2, 4], wide.columns)
    assert columns_of(["1", "01", "2"], wide.columns) == (0, 1, 2)


def test_rows_with_different_names():
    rows = [pd.Series([0.1, 0.9], ["a", "b"]), pd.Series([0.1, 0.9], ["b", "a"])]
    with pytest.raises(InvalidInput, match="different indexes: row 1 has another than row 0"):
        roc_auc(["a", "b"], rows)


@pytest.mark.parametrize("make", [pd.Series, pl.Series], ids=["pandas", "polars"])
def test_one_column_named_after_the_other_class(make):
    y = np.array(["ill", "well", "ill", "well"])
    s = np.array([0.9, 0.2, 0.7, 0.8])
    frame = type(make([0.0]).to_frame())({"ill": s})
    for named in (frame["ill"], frame):
        with pytest.raises(InvalidInput) as caught:
            roc_auc(y, named)
        assert str(caught.value) == (
            "The one column of y_score is named 'ill', but one column belongs to the second class, "
            "'well'. Pass labels=['well', 'ill'] if it contains the scores of 'ill', or an array "
            "if it does not."
        )
        assert roc_auc(y, named, labels=["well", "ill"]) == 0.75
    assert roc_auc(y, type(frame)({"well": s})) == 0.25
    assert roc_auc(y, type(frame)({"score": s})) == 0.25


def test_a_mapping_is_not_the_scores_of_one_model():
    for function in (polyroc.evaluate, hand_till, Predictions):
        with pytest.raises(InvalidType) as caught:
            function(Y, {"a": P, "b": P})
        assert str(caught.value) == (
            "y_score is a mapping with the keys 'a', 'b'; expected the scores of one model. "
            "polyroc.compare(y_true, y_score) compares the models of a mapping; a mapping of "
            "columns becomes a table by pandas.DataFrame(y_score)."
        )


# Square tables

COSTS = np.array([[0, 2, 1], [4, 0, 3], [8, 5, 0.0]])
NAMES = ["a", "b", "c"]


def turned(make):
    return make(COSTS[np.ix_(ORDER, ORDER)], [NAMES[k] for k in ORDER])


def with_rows(table, names):
    return pd.DataFrame(table, index=names, columns=names)


def test_tables_of_classes_go_by_name():
    plain = cost_matrix(COSTS, NAMES)
    labelled = DataArray(COSTS[np.ix_(ORDER, ORDER)], ["c", "a", "b"], ["c", "a", "b"])
    for table in (turned(with_rows), Table(turned(with_rows)), labelled, pd.DataFrame(COSTS)):
        assert (cost_matrix(table, NAMES) == plain).all()
    numbered = pd.DataFrame(COSTS[np.ix_(ORDER, ORDER)], index=ORDER, columns=["2.0", "0", "1"])
    assert (cost_matrix(numbered, [0, 1, 2]) == plain).all()


def test_partitions_and_weights_of_pairs_go_by_name():
    y = np.array(NAMES)[Y]
    for option in ("partition", "pair_weights"):
        plain = auc_mu(y, P, **{option: COSTS})
        assert auc_mu(y, P, **{option: turned(with_rows)}) == plain
        some = auc_mu(y[:16], P[:16], labels=NAMES, absent="skip", **{option: COSTS})
        named = {option: turned(with_rows)}
        assert auc_mu(y[:16], P[:16], labels=NAMES, absent="skip", **named) == some


def test_costs_of_a_classifier_without_names_beside_categories():
    from sklearn.naive_bayes import GaussianNB

    y = pd.Categorical(np.array(["low", "medium", "high"])[Y], ["low", "medium", "high"])
    for make in (CostSensitiveClassifier, TunedCostClassifierCV):
        with pytest.raises(InvalidInput, match="The categories of y are in the order 'low', 'm"):
            make(GaussianNB(), costs=COSTS).fit(P, y)
    named = with_rows(COSTS, ["low", "medium", "high"])
    fitted = CostSensitiveClassifier(GaussianNB(), named).fit(P, y)
    order = [2, 0, 1]
    assert (fitted.costs_ == COSTS[np.ix_(order, order)] / 8).all()


def test_one_column_that_is_no_probability_is_shown_as_given():
    model = ScoreModel([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.3])
    with pytest.raises(InvalidInput, match=r"row 1 of y_score contains 1\.2"):
        model.at([0.3, 1.2])
    assert (model.at([0.3, 0.2]).X == [[0.7, 0.3], [0.8, 0.2]]).all()
