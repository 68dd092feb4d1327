"""Other people's containers: pandas, polars, pyarrow and torch objects, and estimators' output."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from polyroc import Predictions, aunp, hand_till, ordinal_vus, pairwise_auc, roc_auc
from polyroc.errors import InvalidInput, InvalidType, PolyrocError

SCORES = np.array(
    [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3], [0.5, 0.4, 0.1]]
)
LETTERS = ["a", "b", "c", "a", "b"]
NUMBERS = [0, 1, 2, 0, 1]
CODES = [0, 1, 2, 0, 1]
EXPECTED = hand_till(NUMBERS, SCORES)


def columns(names, library=pd):
    if library is pd:
        return pd.DataFrame(SCORES, columns=names)
    return pl.DataFrame({name: SCORES[:, k] for k, name in enumerate(names)})


def check(predictions, classes):
    assert predictions.classes == tuple(classes)
    assert predictions.codes.tolist() == CODES
    assert {type(label) for label in predictions.classes} == {type(classes[0])}


# Labels in pandas


@pytest.mark.parametrize(
    "dtype", ["Int8", "Int64", "UInt16", "int32", "float64", "Float64", object]
)
def test_pandas_numbers(dtype):
    check(Predictions(pd.Series(NUMBERS, dtype=dtype), SCORES), (0, 1, 2))


@pytest.mark.parametrize("dtype", ["str", "string", "string[python]", "string[pyarrow]", object])
def test_pandas_strings(dtype):
    check(Predictions(pd.Series(LETTERS, dtype=dtype), SCORES), "abc")


@pytest.mark.parametrize("dtype", ["bool", "boolean", "bool[pyarrow]", object])
def test_pandas_booleans(dtype):
    predictions = Predictions(pd.Series([False, True, True], dtype=dtype), SCORES[:3, :2])
    assert predictions.classes == (False, True)
    assert predictions.codes.tolist() == [0, 1, 1]


@pytest.mark.parametrize("dtype", ["int64[pyarrow]", "uint8[pyarrow]", "double[pyarrow]"])
def test_pandas_on_arrow(dtype):
    check(Predictions(pd.Series(NUMBERS, dtype=dtype), SCORES), (0, 1, 2))


def test_pandas_index_and_array_of_labels():
    check(Predictions(pd.Index(LETTERS), SCORES), "abc")
    check(Predictions(pd.array(NUMBERS), SCORES), (0, 1, 2))
    check(Predictions(pd.RangeIndex(3).take(CODES), SCORES), (0, 1, 2))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("wrap", [lambda c: c, pd.Series, pd.Index])
def test_categories_in_another_order_than_sorted_need_names_or_labels(ordered, wrap):
    names = ["lo", "mid", "hi"]
    y = wrap(pd.Categorical([names[k] for k in CODES], names, ordered=ordered))
    with pytest.raises(InvalidInput) as caught:
        hand_till(y, SCORES)
    assert str(caught.value) == (
        "The categories of y_true are in the order 'lo', 'mid', 'hi', which is not their sorted "
        "order 'hi', 'lo', 'mid', and the columns of y_score have no names. Pass "
        "labels=['lo', 'mid', 'hi'] if the columns are in the order of the categories, or "
        "labels=['hi', 'lo', 'mid'] if they are in sorted order, as scikit-learn's are."
    )
    check(Predictions(y, SCORES, labels=names), names)
    assert hand_till(y, SCORES, labels=names) == EXPECTED
    assert hand_till(y, columns(names)) == EXPECTED
    assert hand_till(y, columns(names)[["hi", "lo", "mid"]]) == EXPECTED
    with pytest.raises(InvalidInput, match="which is not their sorted order"):
        hand_till(y, pd.DataFrame(SCORES))


def test_categories_in_sorted_order():
    check(Predictions(pd.Categorical(LETTERS, ["a", "b", "c"]), SCORES), "abc")
    check(Predictions(pd.Categorical(NUMBERS, [0.0, 1.0, 2.0]), SCORES), (0, 1, 2))
    with pytest.raises(InvalidInput, match=r"labels=\[5, 3, 1\].*or labels=\[1, 3, 5\]"):
        Predictions(pd.Categorical([5, 3, 1, 5, 3], categories=[5, 3, 1]), SCORES)


def test_one_column_and_categories_in_another_order():
    y = pd.Categorical(["well", "ill", "well"], ["well", "ill"])
    with pytest.raises(InvalidInput, match="which is not their sorted order 'ill', 'well'"):
        roc_auc(y, [0.1, 0.8, 0.3])
    assert roc_auc(y, [0.1, 0.8, 0.3], labels=["well", "ill"]) == 1


def test_labels_overrule_categories():
    y = pd.Categorical(LETTERS, categories=["c", "b", "a"])
    check(Predictions(y, SCORES, labels=["a", "b", "c"]), "abc")


def test_column_names_overrule_categories():
    y = pd.Categorical(LETTERS, categories=["c", "b", "a"])
    check(Predictions(y, columns(["a", "b", "c"])), "abc")


def test_unused_categories_are_absent_classes():
    y = pd.Categorical(["a", "b", "a", "b", "a"], categories=["a", "b", "c"])
    with pytest.raises(InvalidInput, match="The class 'c' has no cases"):
        Predictions(y, SCORES)
    assert Predictions(y, SCORES, absent="skip").skipped == ("c",)
    assert Predictions(y.remove_unused_categories(), SCORES[:, :2]).classes == ("a", "b")


def test_a_categorical_of_labels():
    assert Predictions(LETTERS, SCORES, labels=pd.Index(["a", "b", "c"])).classes == ("a", "b", "c")


# Scores in frames


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_column_names_decide(library):
    s = columns(["c", "a", "b"], library)
    predictions = Predictions(LETTERS, s)
    assert predictions.classes == ("c", "a", "b")
    assert (predictions.scores == SCORES).all()
    ordered = Predictions(LETTERS, s, labels=["a", "b", "c"])
    assert ordered.classes == ("a", "b", "c")
    assert (ordered.scores == SCORES[:, [1, 2, 0]]).all()
    expected = hand_till(LETTERS, SCORES[:, [1, 2, 0]])
    assert hand_till(LETTERS, s) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_names_as_text_stand_for_numbers(library):
    s = columns(["2", "0", "1"], library)
    assert Predictions(NUMBERS, s).classes == (2, 0, 1)
    assert (
        Predictions(NUMBERS, s, labels=[0, 1, 2]).scores.tolist() == SCORES[:, [1, 2, 0]].tolist()
    )
    negative = columns(["-2", "0", "1"], library)
    assert Predictions([-2, 0, 1, 0, 1], negative).classes == (-2, 0, 1)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_names_as_text_stand_for_booleans(library):
    s = columns(["True", "x", "False"], library)
    s = s[["True", "False"]]
    assert Predictions([True, False, True, True, True], s).classes == (True, False)


def test_names_as_text_of_an_absent_number():
    s = columns(["0", "1", "7"])
    assert Predictions([0, 1, 0, 1, 0], s, absent="skip").skipped == (7,)


def test_names_as_text_of_whole_floats():
    """What pandas writes into a header for float columns."""
    assert Predictions(np.array(NUMBERS, float), columns(["2.0", "0.0", "1.0"])).classes == (
        2,
        0,
        1,
    )


def test_numbers_as_names_stand_for_text():
    y = ["0", "1", "2", "0", "1"]
    assert Predictions(y, columns([2, 0, 1])).classes == ("2", "0", "1")
    named = Predictions(y, columns([2, 0, 1]), labels=["0", "1", "2"])
    assert (named.scores == SCORES[:, [1, 2, 0]]).all()
    absent = Predictions(["0", "1", "0", "1", "0"], columns([7, 0, 1]), absent="skip")
    assert absent.skipped == ("7",)


def test_names_that_are_spelled_alike_must_equal_their_labels():
    y = ["1", "01", "1", "01", "1"]
    named = Predictions(y, columns(["01", "1", "x"])[["01", "1"]])
    assert named.classes == ("01", "1")
    with pytest.raises(InvalidInput, match="no column for '1', '01'; its columns are 1, 2"):
        Predictions(y, columns([1, 2, 3])[[1, 2]], labels=["1", "01"])
    with pytest.raises(InvalidInput, match="The column names of y_score name 1 more than once"):
        Predictions([0, 1, 0, 1, 0], columns(["1", 1, 0]))


def test_names_may_mix_kinds_as_labels_do():
    mixed = columns([0, "a", 1])
    assert Predictions([0, "a", 1, "a", 0], mixed).classes == (0, "a", 1)


@pytest.mark.parametrize(
    "names", [[2, 0, 1], np.array([2, 0, 1], np.int8), [2.0, 0.0, 1.0]], ids=str
)
def test_numbers_as_names(names):
    predictions = Predictions(NUMBERS, columns(names))
    assert predictions.classes == (2, 0, 1)
    assert {type(label) for label in predictions.classes} == {int}


def test_categorical_names():
    s = columns(pd.CategoricalIndex(["c", "a", "b"], categories=["a", "b", "c"]))
    assert Predictions(LETTERS, s).classes == ("c", "a", "b")


def test_unnamed_columns_count_as_no_names():
    check(Predictions(LETTERS, pd.DataFrame(SCORES)), "abc")
    check(Predictions(LETTERS, pl.DataFrame(SCORES)), "abc")
    check(Predictions(LETTERS, pd.DataFrame(SCORES), labels=["a", "b", "c"]), "abc")


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_the_name_of_a_single_column_does_not_matter(library):
    y, s = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    assert roc_auc(y, library.DataFrame({"probability": s})) == 0.75
    assert roc_auc(y, library.Series(s)) == 0.75


def test_pandas_scores_are_views_where_pandas_has_one_block():
    s = pd.DataFrame(SCORES)
    assert np.shares_memory(Predictions.borrowed(NUMBERS, s).scores, s.to_numpy())


@pytest.mark.parametrize("dtype", ["Float64", "Float32", "double[pyarrow]", "float32", object])
def test_pandas_columns_of_other_types(dtype):
    s = columns(["a", "b", "c"]).astype(dtype)
    assert hand_till(LETTERS, s) == EXPECTED


def test_pandas_columns_of_different_types():
    s = columns(["a", "b", "c"]).astype({"a": "float32"})
    assert hand_till(LETTERS, s) == EXPECTED
    assert Predictions(LETTERS, s.astype({"b": int})).scores.dtype == np.float64


def test_a_list_of_series():
    assert hand_till(LETTERS, [row for _, row in columns(["a", "b", "c"]).iterrows()]) == EXPECTED


def test_frames_are_not_touched():
    y = pd.Series(pd.Categorical(LETTERS))
    s = columns(["c", "a", "b"])
    w = pd.Series([1.0, 1, 1, 0, 2])
    before = y.copy(), s.copy(), w.copy()
    hand_till(y, s, sample_weight=w)
    for now, then in zip((y, s, w), before, strict=True):
        assert now.equals(then)


# polars


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Int64, pl.Float32, pl.Object])
def test_polars_numbers(dtype):
    check(Predictions(pl.Series(NUMBERS, dtype=dtype), SCORES), (0, 1, 2))


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Object])
def test_polars_strings(dtype):
    check(Predictions(pl.Series(LETTERS, dtype=dtype), SCORES), "abc")


def test_polars_booleans():
    assert Predictions(pl.Series([True, False, True]), [0.5, 0.1, 0.2]).classes == (False, True)


def test_a_polars_enum_in_another_order_than_sorted_needs_names_or_labels():
    y = pl.Series(["lo", "mid", "hi", "lo", "mid"], dtype=pl.Enum(["lo", "mid", "hi"]))
    with pytest.raises(InvalidInput, match=r"labels=\['lo', 'mid', 'hi'\]"):
        Predictions(y, SCORES)
    check(Predictions(y, columns(["lo", "mid", "hi"], pl)), ("lo", "mid", "hi"))
    unused = pl.Series(["a", "b"], dtype=pl.Enum(["a", "b", "c"]))
    assert Predictions(unused, SCORES[:2], absent="skip").skipped == ("c",)


def test_a_polars_categorical_has_no_order_of_its_own():
    y = pl.Series(["c", "a", "b", "a", "c"], dtype=pl.Categorical)
    assert hand_till(y, SCORES) == hand_till(["c", "a", "b", "a", "c"], SCORES)


def test_polars_weights_and_chunks():
    y = pl.concat([pl.Series(LETTERS[:2]), pl.Series(LETTERS[2:])], rechunk=False)
    s = pl.concat([columns(list("abc"), pl)[:3], columns(list("abc"), pl)[3:]], rechunk=False)
    w = pl.Series([1, 2, 3, 4, 5])
    assert hand_till(y, s, sample_weight=w) == hand_till(LETTERS, SCORES, sample_weight=w.to_list())


def test_polars_integers_that_numpy_does_not_have():
    wide = pl.Series(NUMBERS, dtype=pl.Int128)
    for y, s in ((wide, SCORES), (NUMBERS, pl.DataFrame([wide, wide, wide]))):
        with pytest.raises(PolyrocError, match="cannot be read as an array"):
            Predictions(y, s)


@pytest.mark.parametrize("series", [pl.Series(["a", None, "b"]), pl.Series([0, None, 1])])
def test_polars_nulls_are_missing_labels(series):
    with pytest.raises(InvalidInput, match="y_true has a missing label in row 1"):
        Predictions(series, np.eye(3))


# pyarrow


@pytest.mark.parametrize(
    "array",
    [
        pa.array(LETTERS),
        pa.array(LETTERS, pa.large_string()),
        pa.array(LETTERS).dictionary_encode(),
        pa.chunked_array([LETTERS[:2], LETTERS[2:]]),
    ],
    ids=["array", "large", "dictionary", "chunked"],
)
def test_arrow_strings(array):
    check(Predictions(array, SCORES), "abc")


def test_arrow_numbers_and_weights():
    check(Predictions(pa.array(NUMBERS, pa.int8()), SCORES), (0, 1, 2))
    w = pa.array([1.0, 2, 3, 4, 5])
    assert hand_till(NUMBERS, SCORES, sample_weight=w) == hand_till(
        NUMBERS, SCORES, sample_weight=w.to_pylist()
    )


@pytest.mark.parametrize("array", [pa.array(["a", None, "b"]), pa.array([0, None, 1])])
def test_arrow_nulls_are_missing_labels(array):
    with pytest.raises(InvalidInput, match="y_true has a missing label in row 1"):
        Predictions(array, np.eye(3))


@pytest.mark.parametrize("make", [pa.table, pa.record_batch])
def test_names_of_an_arrow_table_decide(make):
    table = make({name: SCORES[:, k] for k, name in enumerate("cab")})
    expected = hand_till(LETTERS, columns(["c", "a", "b"]))
    assert hand_till(LETTERS, table) == pytest.approx(expected, abs=1e-15)
    ordered = Predictions(LETTERS, table, labels=["a", "b", "c"])
    assert (ordered.scores == SCORES[:, [1, 2, 0]]).all()


def test_nulls_of_an_arrow_table_have_a_place():
    table = pa.table({"a": [0.5, None], "b": [0.5, 0.5]})
    with pytest.raises(InvalidInput, match="y_score contains nan in row 1, column 'a'"):
        Predictions(["a", "b"], table)


def test_an_arrow_table_in_the_order_of_the_classes():
    table = pa.table({name: SCORES[:, k] for k, name in enumerate("abc")})
    assert hand_till(LETTERS, table) == EXPECTED


def test_an_arrow_dictionary_in_another_order_than_sorted_needs_names_or_labels():
    words = ["c", "b", "a", "c", "b"]
    array = pa.array(words).dictionary_encode()
    for y in (array, pa.chunked_array([array[:2], array[2:]]), pa.chunked_array([array])):
        with pytest.raises(InvalidInput, match=r"labels=\['c', 'b', 'a'\]"):
            hand_till(y, SCORES)
        assert hand_till(y, columns(["c", "b", "a"])) == EXPECTED
        assert hand_till(y, SCORES, labels=["c", "b", "a"]) == EXPECTED
    part = pa.array(["x", *LETTERS]).dictionary_encode()[1:]  # lists x, which does not occur
    check(Predictions(part, SCORES), "abc")


# torch

torch_test = pytest.mark.torch


@pytest.fixture
def torch():
    if os.environ.get("POLYROC_REQUIRE_TORCH"):
        return importlib.import_module("torch")  # a missing torch is then a failure
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@torch_test
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float32", "bool"])
def test_torch_labels(torch, dtype):
    y = torch.tensor([0, 1, 1, 0, 1]).to(getattr(torch, dtype))
    predictions = Predictions(y, torch.tensor(SCORES[:, :2]))
    assert predictions.codes.tolist() == [0, 1, 1, 0, 1]
    assert predictions.classes == (0, 1)


@torch_test
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64"])
def test_torch_scores(torch, dtype):
    s = torch.tensor(SCORES * 10).round().to(getattr(torch, dtype))
    predictions = Predictions(torch.tensor(NUMBERS), s)
    assert predictions.scores.tolist() == s.double().tolist()
    assert hand_till(NUMBERS, s) == hand_till(NUMBERS, np.round(SCORES * 10))


@torch_test
def test_torch_scores_with_a_gradient(torch):
    s = torch.tensor(SCORES, requires_grad=True)
    assert hand_till(torch.tensor(NUMBERS), s) == EXPECTED
    assert s.requires_grad
    assert hand_till(NUMBERS, (s * 2).softmax(dim=1)) > 0


@torch_test
def test_torch_scores_are_views(torch):
    for dtype in (torch.float32, torch.float64):
        s = torch.tensor(SCORES, dtype=dtype)
        assert np.shares_memory(Predictions.borrowed(NUMBERS, s).scores, s.numpy())
        assert not np.shares_memory(Predictions(NUMBERS, s).scores, s.numpy())


@torch_test
def test_torch_strided_and_weighted(torch):
    s = torch.tensor(SCORES).T.contiguous().T
    w = torch.tensor([1.0, 2, 0, 4, 5])
    y = torch.tensor([0, 1, 2, 2, 1])
    expected = hand_till(y.tolist(), SCORES, sample_weight=w.tolist())
    assert hand_till(y, s, sample_weight=w) == expected
    assert hand_till(y, s, sample_weight=w.bfloat16()) == expected


@torch_test
@pytest.mark.parametrize("special", ["conj", "neg"])
def test_torch_lazy_views(torch, special):
    """A view with the negative bit set: numpy() refuses it unless it is resolved."""
    s = torch.tensor(SCORES)
    s = torch._neg_view(-s) if special == "neg" else torch.complex(s, s).conj().real
    assert hand_till(NUMBERS, s) == EXPECTED


@torch_test
def test_torch_tensors_elsewhere(torch):
    elsewhere = torch.empty((5, 3), device="meta")
    with pytest.raises(InvalidType) as caught:
        Predictions(NUMBERS, elsewhere)
    assert str(caught.value) == (
        "y_score is a tensor on the device 'meta'; expected one on the CPU. Pass y_score.cpu()."
    )
    with pytest.raises(InvalidType, match=r"Pass y_true\.cpu\(\)"):
        Predictions(elsewhere[:, 0], SCORES)
    with pytest.raises(InvalidType, match=r"Pass sample_weight\.cpu\(\)"):
        Predictions(NUMBERS, SCORES, sample_weight=elsewhere[:, 0])


@torch_test
def test_torch_sparse_scores_are_refused(torch):
    with pytest.raises(InvalidType) as caught:
        Predictions(NUMBERS, torch.tensor(SCORES).to_sparse())
    assert str(caught.value) == (
        "y_score is a tensor with the layout torch.sparse_coo; expected a dense one. "
        "Pass y_score.to_dense()."
    )


@torch_test
def test_torch_lists_of_tensors(torch):
    assert hand_till(NUMBERS, list(torch.tensor(SCORES))) == EXPECTED
    assert hand_till(NUMBERS, [torch.tensor(row) for row in SCORES]) == EXPECTED


@torch_test
def test_torch_nan_names_its_place(torch):
    s = torch.tensor(SCORES)
    s[3, 1] = float("nan")
    with pytest.raises(InvalidInput, match="y_score contains nan in row 3, column 1"):
        Predictions(NUMBERS, s)


@torch_test
def test_torch_labels_as_strings_of_classes(torch):
    assert Predictions(torch.tensor(NUMBERS), columns([0, 1, 2])).classes == (0, 1, 2)
    assert Predictions(NUMBERS, SCORES, labels=torch.tensor([2, 1, 0])).classes == (2, 1, 0)


# Others


def test_the_output_of_an_estimator():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = load_iris().target_names
    model = LogisticRegression(max_iter=1000).fit(X, names[y])
    value = hand_till(names[y], model.predict_proba(X), labels=model.classes_)
    assert value == hand_till(y, model.predict_proba(X))
    assert 0.99 < value < 1


@pytest.mark.parametrize(
    "scores",
    [sparse.csr_matrix(SCORES), {"a": [1, 2]}, {1, 2, 3}, (row for row in SCORES), object(), "abc"],
    ids=["sparse", "dict", "set", "generator", "object", "text"],
)
def test_scores_that_are_no_table(scores):
    with pytest.raises(PolyrocError):
        Predictions(LETTERS, scores)


def test_priors_by_class_from_pandas():
    y = pd.Series(LETTERS)
    shares = y.value_counts(normalize=True)
    assert aunp(y, SCORES, priors=dict(shares)) == pytest.approx(aunp(y, SCORES), abs=1e-15)


def test_priors_as_a_series_by_class():
    shares = pd.Series(LETTERS).value_counts(normalize=True)
    assert aunp(LETTERS, SCORES, priors=shares) == pytest.approx(aunp(LETTERS, SCORES), abs=1e-15)
    turned = pd.Series({"c": 0.5, "a": 0.2, "b": 0.3})
    assert aunp(LETTERS, SCORES, priors=turned) == aunp(LETTERS, SCORES, priors=[0.2, 0.3, 0.5])
    unnamed = pd.Series([0.2, 0.3, 0.5])
    assert aunp(LETTERS, SCORES, priors=unnamed) == aunp(LETTERS, SCORES, priors=[0.2, 0.3, 0.5])
    with pytest.raises(InvalidInput, match="priors name 'a', 'b', 'x' but the classes are"):
        aunp(LETTERS, SCORES, priors=pd.Series({"a": 1, "b": 1, "x": 1}))
    with pytest.raises(InvalidInput, match="priors name 'a', 'b', 'c', 'a' but"):
        aunp(LETTERS, SCORES, priors=pd.Series([1, 1, 1, 1], index=list("abca")))


def test_a_marker_in_any_container():
    y = pd.Categorical(LETTERS, ["a", "b", "c"])
    marker = [1.0, 2, 3, 1, 3]
    expected = ordinal_vus(LETTERS, marker)
    for container in (np.array, pd.Series, pl.Series, pa.array, tuple):
        assert ordinal_vus(y, container(marker)) == expected


def test_a_matrix_of_pairs_from_frames():
    s = columns(["c", "a", "b"])
    moved = pairwise_auc(LETTERS, s, labels=["a", "b", "c"])
    assert np.array_equal(moved, pairwise_auc(LETTERS, SCORES[:, [1, 2, 0]]), equal_nan=True)


def test_containers_are_recognised_without_importing_their_libraries():
    code = (
        "import sys, polyroc; polyroc.hand_till([0, 1], [0.1, 0.9]); "
        "print(sorted({'pandas', 'polars', 'torch', 'pyarrow', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
