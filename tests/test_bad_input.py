"""Every kind of bad input, with the whole message: what is wrong, what was got, what to do."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

import polyroc
from polyroc import (
    Predictions,
    auc_mu,
    aunp,
    hand_till,
    hum,
    ordinal_vus,
    pairwise_auc,
    registry,
    roc_auc,
    total_length,
    triangle_area,
    vus,
    vus2,
)
from polyroc.errors import InvalidInput, InvalidType, NotDefined, PolyrocError, UnknownName

Y = [0, 1, 2, 0, 1, 2]
S = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]] * 2)
NAN, INF = float("nan"), float("inf")


def message(kind, function, *arguments, **named):
    """The whole message of the error, which must be of exactly this kind."""
    with pytest.raises(kind) as caught:
        function(*arguments, **named)
    assert type(caught.value) is kind
    assert isinstance(caught.value, (ValueError, TypeError))
    return str(caught.value)


def changed(array, place, value):
    array = np.array(array, dtype=float)
    array[place] = value
    return array


# Scores that are not finite

FINITE = "Scores must be finite numbers: remove the case or correct its scores."


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_score_that_is_not_finite(bad, dtype):
    s = changed(S, (4, 1), bad).astype(dtype)
    expected = f"y_score contains {bad} in row 4, column 1. {FINITE}"
    assert message(InvalidInput, Predictions, Y, s) == expected
    assert message(InvalidInput, hand_till, Y, s.tolist()) == expected


@pytest.mark.parametrize("row", [65_535, 65_536, 70_001, 139_999])
def test_a_score_that_is_not_finite_far_down(row):
    s = changed(np.tile([[0.4, 0.6]], (140_000, 1)), (row, 1), NAN)
    expected = f"y_score contains nan in row {row}, column 1. {FINITE}"
    assert message(InvalidInput, Predictions, np.arange(140_000) % 2, s) == expected


def test_the_first_of_several_is_named():
    s = changed(changed(S, (2, 0), NAN), (1, 2), INF)
    assert (
        message(InvalidInput, Predictions, Y, s)
        == f"y_score contains inf in row 1, column 2. {FINITE}"
    )


def test_none_is_not_finite():
    s = S.astype(object)
    s[3, 2] = None
    assert (
        message(InvalidInput, Predictions, Y, s)
        == f"y_score contains nan in row 3, column 2. {FINITE}"
    )


def test_nan_in_a_single_column():
    expected = f"y_score contains nan in row 1, column 0. {FINITE}"
    assert message(InvalidInput, Predictions, [0, 1, 1], [0.5, NAN, 0.5]) == expected


def test_infinity_in_a_single_column_keeps_its_sign():
    expected = f"y_score contains inf in row 1, column 0. {FINITE}"
    assert message(InvalidInput, Predictions, [0, 1, 1], [0.5, INF, 0.5]) == expected


def test_nan_in_a_frame_is_found_in_the_column_of_the_user():
    frame = pd.DataFrame(changed(S, (1, 0), NAN), columns=["c", "a", "b"])
    text = message(InvalidInput, Predictions, list("abcabc"), frame, labels=list("abc"))
    assert text == f"y_score contains nan in row 1, column 'c'. {FINITE}"


def test_pandas_na_in_scores_names_its_place():
    frame = pd.DataFrame(S, columns=[0, 1, 2]).astype("Float64")
    frame.iloc[3, 1] = pd.NA
    expected = f"y_score contains nan in row 3, column 1. {FINITE}"
    assert message(InvalidInput, Predictions, Y, frame) == expected


# Scores that are not numbers, or not a table


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (complex, "complex128"),
        (str, "<U32"),
        ("M8[ns]", "datetime64[ns]"),
        ("m8[s]", "timedelta64[s]"),
        ("S5", "|S5"),
    ],
)
def test_scores_of_a_type_without_numbers(dtype, name):
    text = message(InvalidType, Predictions, Y, S.astype(dtype))
    assert text == f"y_score has the type {name}; expected numbers."


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        ("abc", "str"),
        ("0.5", "str"),
        ([1], "list"),
        ({}, "dict"),
        (1j, "complex"),
        (np.datetime64(1, "ns"), "datetime64"),
        (Decimal("sNaN"), "Decimal"),
    ],
)
def test_objects_among_scores(bad, name):
    s = S.astype(object)
    s[1, 2] = bad
    assert message(InvalidType, Predictions, Y, s) == (
        f"y_score contains {bad!r} of type {name} in row 1, column 2; expected a number."
    )
    frame = pd.DataFrame(s, columns=list("abc"))
    assert "in row 1, column 'c';" in message(InvalidType, Predictions, list("abcabc"), frame)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({1, 2}, "y_score is of type set; expected numbers."),
        (
            sparse.csr_array(S),
            "y_score is of type csr_array; expected numbers. Pass y_score.toarray().",
        ),
    ],
)
def test_scores_in_no_array(scores, expected):
    assert message(InvalidType, Predictions, Y, scores) == expected


@pytest.mark.parametrize("shape", [(), (6, 3, 1), (1, 6, 3)])
def test_scores_of_another_dimension(shape):
    assert message(InvalidInput, Predictions, Y, np.zeros(shape)) == (
        f"y_score must have two dimensions, cases and classes, got shape {shape}."
    )


def test_ragged_scores():
    text = message(InvalidInput, Predictions, Y, [[0.5, 0.5, 0], [0.5, 0.5]] * 3)
    assert text == (
        "y_score is not a rectangular table of numbers (setting an array element with a sequence. "
        "The requested array has an inhomogeneous shape after 1 dimensions. The detected shape was "
        "(6,) + inhomogeneous part.). Pass rows that all have the same length."
    )


@pytest.mark.parametrize(
    ("y", "s"),
    [
        (Y, [[10**400, 1, 1]] * 6),
        (Y, S.astype("g") * np.longdouble("1e4000")),
    ],
)
def test_scores_too_large_for_float64(y, s):
    with pytest.raises(InvalidInput, match=r"y_score contains .* in row 0, column 0"):
        Predictions(y, s)


def test_text_among_objects_is_no_number():
    with pytest.raises(InvalidType):
        Predictions(Y, S.astype(str).astype(object))


# Shapes that disagree


@pytest.mark.parametrize("n", [1, 5, 7])
def test_lengths_that_disagree(n):
    s = np.resize(S, (n, 3))
    assert message(InvalidInput, Predictions, Y, s) == (
        f"y_true has 6 cases but y_score has {n}. Pass one label and one row of scores per case."
    )


@pytest.mark.parametrize(
    ("y", "s"), [([], []), ([], np.zeros((0, 3))), (np.array([]), np.array([])), ((), [])]
)
def test_no_cases(y, s):
    assert message(InvalidInput, Predictions, y, s) == (
        "There are no cases: y_true is empty. Pass at least one case per class."
    )


@pytest.mark.parametrize(
    ("n_columns", "words"), [(0, "0 columns"), (1, "1 column"), (2, "2 columns"), (4, "4 columns")]
)
def test_columns_that_disagree(n_columns, words):
    s = np.zeros((6, n_columns))
    todo = "Pass one column per class and name their classes in labels=."
    assert message(InvalidInput, Predictions, Y, s) == (
        f"y_score has {words} but y_true has 3 classes: 0, 1, 2. {todo}"
    )
    assert message(InvalidInput, Predictions, Y, s, labels=[0, 1, 2]) == (
        f"y_score has {words} but labels have 3 classes: 0, 1, 2. {todo}"
    )
    assert message(InvalidInput, Predictions, pd.Categorical(Y), s) == (
        f"y_score has {words} but the categories of y_true have 3 classes: 0, 1, 2. {todo}"
    )


def test_long_lists_of_classes_are_cut():
    assert message(InvalidInput, Predictions, range(25), np.zeros((25, 3))) == (
        "y_score has 3 columns but y_true has 25 classes: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 15 more."
        " Pass one column per class and name their classes in labels=."
    )


@pytest.mark.parametrize(
    ("y", "advice"),
    [
        (
            np.eye(3)[Y],
            "These are one-hot rows: pass the class of each row, such as "
            "numpy.argmax(y_true, axis=1).",
        ),
        (
            pd.get_dummies(pd.Series(Y)),
            "These are one-hot rows: pass the class of each row, y_true.idxmax(axis=1).",
        ),
        (np.eye(3)[Y] / 2, "Pass class labels, not one-hot rows."),
        (np.array(Y)[:, None], "Pass its one column, y_true[:, 0]."),
        (pd.DataFrame({"y": Y}), "Pass the column that contains the labels, such as y_true['y']."),
    ],
)
def test_labels_of_another_dimension(y, advice):
    assert message(InvalidInput, Predictions, y, S) == (
        f"y_true must have one label per case, got an array of shape {np.shape(y)}. {advice}"
    )


@pytest.mark.parametrize(
    ("y", "name"),
    [
        ("abc", "str"),
        (b"abc", "bytes"),
        (None, "NoneType"),
        (3, "int"),
        (np.int64(3), "int64"),
        ({0, 1, 2}, "set"),
        ({0: "a"}, "dict"),
        ((k for k in Y), "generator"),
    ],
)
def test_labels_that_are_no_sequence(y, name):
    text = message(InvalidType, Predictions, y, S)
    assert text == f"y_true must be a sequence of labels, got {name}."


# Classes


def test_fewer_than_two_classes():
    assert message(InvalidInput, Predictions, [7] * 6, S) == (
        "At least two classes are needed, but y_true has only 7. "
        "Name the classes without cases in labels=."
    )
    assert message(InvalidInput, Predictions, ["a"] * 6, S[:, 0]) == (
        "At least two classes are needed, but y_true has only 'a'. "
        "Name the classes without cases in labels=."
    )


@pytest.mark.parametrize(("labels", "found"), [([], "none"), ([0], "only 0")])
def test_fewer_than_two_labels(labels, found):
    text = message(InvalidInput, Predictions, [0] * 6, S[:, : len(labels)], labels=labels)
    assert text == (
        f"At least two classes are needed, but labels names {found}. "
        "Name the class of every column, or leave labels out."
    )


def test_an_absent_class():
    assert message(InvalidInput, Predictions, [0, 1] * 3, S, labels=[0, 1, 2]) == (
        'The class 2 has no cases. Pass absent="skip" to evaluate the other classes, '
        "or remove the column."
    )


def test_several_absent_classes():
    y, s = ["a", "b"] * 3, np.hstack([S, S])
    assert message(InvalidInput, Predictions, y, s, labels=list("xaybzv")) == (
        "The classes 'x', 'y', 'z', 'v' have no cases. "
        'Pass absent="skip" to evaluate the other classes, or remove the column.'
    )


def test_one_class_left_after_skipping():
    text = message(InvalidInput, Predictions, ["b"] * 6, S, labels=list("abc"), absent="skip")
    assert text == (
        "At least two classes with cases are needed, but only 'b' has some. "
        "Add cases of another class."
    )


@pytest.mark.parametrize(("bad", "labels"), [(3, [0, 1, 2]), ("d", ["a", "b", "c"])])
def test_an_unknown_label(bad, labels):
    y = [labels[k] for k in Y]
    y[4] = bad
    listed = ", ".join(map(repr, labels))
    assert message(InvalidInput, Predictions, y, S, labels=labels) == (
        f"y_true has the label {bad!r} in row 4, which is not among the classes {listed}. "
        "Correct the label, or add it to labels=."
    )


def test_labels_of_another_kind_are_unknown():
    assert message(InvalidInput, Predictions, ["0", "1", "2"], S[:3], labels=[0, 1, 2]) == (
        "y_true has the label '0' in row 0, which is not among the classes 0, 1, 2. "
        "Correct the label, or add it to labels=."
    )
    assert message(InvalidInput, Predictions, [10**9, 0, 1], S[:3], labels=[0, 1, 2]) == (
        "y_true has the label 1000000000 in row 0, which is not among the classes 0, 1, 2. "
        "Correct the label, or add it to labels=."
    )


def test_duplicate_labels():
    assert message(InvalidInput, Predictions, Y, S, labels=[0, 1, 1]) == (
        "labels name 1 more than once. Name each class once."
    )
    assert message(InvalidInput, Predictions, Y, np.hstack([S, S]), labels=list("babacc")) == (
        "labels name 'a', 'b', 'c' more than once. Name each class once."
    )


def test_duplicate_column_names():
    frame = pd.DataFrame(S, columns=["a", "b", "b"])
    assert message(InvalidInput, Predictions, ["a", "b"] * 3, frame) == (
        "The column names of y_score name 'b' more than once. Name each class once."
    )


def test_duplicate_column_names_with_labels():
    frame = pd.DataFrame(S, columns=["a", "b", "b"])
    text = message(InvalidInput, Predictions, ["a", "b"] * 3, frame, labels=["a", "b", "c"])
    assert text == "The column names of y_score name 'b' more than once. Name each class once."


def test_column_names_that_do_not_match():
    frame = pd.DataFrame(S, columns=["a", "b", "x"])
    y = list("abcabc")
    assert message(InvalidInput, Predictions, y, frame) == (
        "y_true has the label 'c' in row 2, but the columns of y_score are named after the classes "
        "'a', 'b', 'x'. Correct the label, rename the columns, or pass an array of the scores with "
        "labels=."
    )
    assert message(InvalidInput, Predictions, y, frame, labels=list("abc")) == (
        "y_score has no column for 'c'; its columns are 'a', 'b', 'x'. "
        "Name the columns as the classes, or pass an array."
    )


def test_the_message_for_misnamed_columns_speaks_of_columns():
    frame = pd.DataFrame(S, columns=["p0", "p1", "p2"])
    assert message(InvalidInput, Predictions, Y, frame) == (
        "The columns of y_score are named 'p0', 'p1', 'p2', but the labels of y_true are 0, 1, 2. "
        "Rename the columns after the labels, or pass an array of the scores with labels= in the "
        "order of its columns."
    )


def test_a_frame_with_an_extra_column():
    frame = pd.DataFrame(np.hstack([S, S[:, :1]]), columns=list("abcd"))
    assert message(InvalidInput, Predictions, list("abcabc"), frame) == (
        "The class 'd' has no cases. "
        'Pass absent="skip" to evaluate the other classes, or remove the column.'
    )
    assert message(InvalidInput, Predictions, list("abcabc"), frame, labels=list("abc")) == (
        "y_score has 4 columns but labels have 3 classes: 'a', 'b', 'c'. "
        "Pass one column per class and name their classes in labels=."
    )


def test_a_frame_without_a_column():
    frame = pd.DataFrame(S[:, :2], columns=list("ab"))
    assert message(InvalidInput, Predictions, list("abcabc"), frame) == (
        "y_true has the label 'c' in row 2, but the columns of y_score are named after the classes "
        "'a', 'b'. Correct the label, rename the columns, or pass an array of the scores with "
        "labels=."
    )


@pytest.mark.parametrize("name", ["²", "--5"])
def test_odd_column_names_do_not_crash(name):
    with pytest.raises(PolyrocError):
        Predictions(Y, pd.DataFrame(S, columns=["0", "1", name]))


def test_mixed_labels():
    assert message(InvalidInput, Predictions, [0, "a", 0] * 2, S) == (
        "y_true mixes strings and numbers, for instance 'a' and 0. Use one kind of label."
    )


# Labels that are none

KINDS = "Class labels are strings, integers, booleans or floats with whole values."


@pytest.mark.parametrize(
    "y",
    [
        ["a", "b", None] * 2,
        ["a", "b", NAN] * 2,
        [0.0, 1.0, NAN] * 2,
        np.array([0, 1, NAN] * 2),
        np.array([0, 1, NAN] * 2, dtype=np.float16),
        [0, 1, None] * 2,
        ["a", "b", pd.NaT] * 2,
        ["a", "b", np.datetime64("NaT", "D")] * 2,
        [Decimal(0), Decimal(1), Decimal("NaN")][2:] * 2 + ["a"] * 4,
        pd.array([0, 1, None] * 2, dtype="Int64"),
        pd.Categorical(["a", "b", None] * 2),
        pd.Series([0, 1, None] * 2),
        ["a", "b", pd.NA] * 2,
        pd.array(["a", "b", None] * 2, dtype="string[python]"),
        pd.Series([True, False, None] * 2, dtype="boolean"),
    ],
    ids=lambda y: f"{type(y).__name__} {getattr(y, 'dtype', type(y[2]).__name__)}",
)
def test_a_missing_label(y):
    row = 0 if isinstance(y[0], Decimal) else 2
    assert message(InvalidInput, Predictions, y, S) == (
        f"y_true has a missing label in row {row}. Remove the row, or give it its true class."
    )


def test_a_missing_label_among_labels():
    text = message(InvalidInput, Predictions, Y, S, labels=[0, 1, None])
    assert text == "labels has a missing label at position 2. Name every class."


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_that_are_not_whole(dtype):
    y = np.array([0, 1, 2, 0, 1.5, 2], dtype=dtype)
    assert message(InvalidInput, Predictions, y, S) == (
        f"y_true contains 1.5 in row 4, which is not a whole number. {KINDS}"
    )


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        (1.5, "float"),
        (b"a", "bytes"),
        (1j, "complex"),
        (date(2020, 1, 1), "date"),
        ((1, 2), "tuple"),
        (Decimal(1), "Decimal"),
        (np.array([1, 2]), "ndarray"),
        ([1], "list"),
        (Decimal("sNaN"), "Decimal"),
    ],
    ids=str,
)
def test_objects_that_are_no_labels(bad, name):
    assert message(InvalidType, Predictions, ["a", bad, "b"] * 2, S) == (
        f"y_true contains {bad!r} of type {name} in row 1. {KINDS}"
    )


def test_times_are_no_labels():
    for kind in ("m8[ns]", "M8[s]"):
        y = np.array([1, 2, 3] * 2, dtype=kind)
        expected = f"y_true has the type {y.dtype}. {KINDS}"
        assert message(InvalidType, Predictions, y, S) == expected
        assert "of type" in message(InvalidType, Predictions, list(y), S)


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (INF, "not a whole number"),
        (1e300, "too large for an integer of 64 bits"),
        (-(2.0**63), "too large for an integer of 64 bits"),
    ],
)
def test_floats_that_are_no_integers(bad, fault):
    assert message(InvalidInput, Predictions, [0.0, bad, 1.0] * 2, S) == (
        f"y_true contains {bad} in row 1, which is {fault}. {KINDS}"
    )
    assert f"{bad!r} of type float in row 1" in message(InvalidType, Predictions, ["a", bad] * 3, S)


# Weights


@pytest.mark.parametrize("bad", [-1.0, -0.5, NAN, INF, -INF])
def test_weights_that_are_negative_or_not_finite(bad):
    weights = [1, 1, 1, bad, 1, 1]
    assert message(InvalidInput, Predictions, Y, S, sample_weight=weights) == (
        f"sample_weight contains {bad} in row 3. Weights must be finite and not negative."
    )


def test_weights_that_are_all_zero():
    assert message(InvalidInput, Predictions, Y, S, sample_weight=[0] * 6) == (
        "sample_weight is 0 for every case. Give some case a positive weight."
    )


@pytest.mark.parametrize("shape", [(), (5,), (7,), (6, 1), (1, 6), (0,)])
def test_weights_of_another_shape(shape):
    assert message(InvalidInput, Predictions, Y, S, sample_weight=np.ones(shape)) == (
        f"sample_weight has the shape {shape} but there are 6 cases. Pass one weight per case."
    )


def test_weights_that_are_not_numbers():
    assert message(InvalidType, Predictions, Y, S, sample_weight=["a"] * 6) == (
        "sample_weight has the type <U1; expected numbers."
    )


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (np.array([1 + 1j] * 6), "has the type complex128; expected numbers."),
        (np.array([1] * 6, "M8[s]"), "has the type datetime64[s]; expected numbers."),
        (["1"] * 6, "has the type <U1; expected numbers."),
        (np.array([1, "1"] * 3, object), "contains '1' of type str in row 1; expected a number."),
        ([10**400] * 6, "contains a number too large for float64 in row 0."),
        ({1, 2}, "is of type set; expected numbers."),
    ],
)
def test_weights_of_a_type_without_numbers(weights, expected):
    kind = InvalidInput if "too large" in expected else InvalidType
    text = message(kind, Predictions, Y, S, sample_weight=weights)
    assert text == f"sample_weight {expected}"


# Probabilities

LOGITS = "Pass probabilities, such as scipy.special.softmax(scores, axis=1) for logits."
OFFER = "Pass probabilities, or normalize=True to divide each row by its sum."
PROBABILISTIC = [m for m in registry.values() if m.needs_probabilities and 3 in m.classes]


@pytest.mark.parametrize("metric", PROBABILISTIC, ids=lambda m: m.name)
def test_rows_that_do_not_sum_to_one(metric):
    s = changed(S, (4, 1), 0.9)
    expected = f"{metric.name} needs probabilities, but row 4 of y_score sums to 1.4. {OFFER}"
    assert message(NotDefined, metric.function, Y, s) == expected
    assert message(NotDefined, metric.influence, Predictions(Y, s)) == expected
    assert 0 <= metric.function(Y, s, normalize=True) <= 1


@pytest.mark.parametrize("metric", PROBABILISTIC, ids=lambda m: m.name)
def test_negative_probabilities(metric):
    s = changed(changed(S, (4, 1), -0.25), (4, 0), 0.95)
    assert message(NotDefined, metric.function, Y, s) == (
        f"{metric.name} needs probabilities, but row 4 of y_score contains -0.25. {LOGITS}"
    )


def test_probabilities_are_checked_far_down():
    s = changed(np.tile([[0.4, 0.6]], (140_000, 1)), (70_001, 1), 0.5)
    assert message(NotDefined, total_length, np.arange(140_000) % 2, s) == (
        f"total_length needs probabilities, but row 70001 of y_score sums to 0.9. {OFFER}"
    )


def test_metrics_of_ranks_take_any_scores():
    for metric in registry.values():
        if 3 in metric.classes and not metric.needs_probabilities:
            assert 0 <= metric.function(Y, 100 * S - 50) <= 1


@pytest.mark.parametrize("normalize", [False, True])
def test_rows_are_counted_as_the_user_counts_them(normalize):
    s = changed(S, (4, 1), -0.25)
    with pytest.raises(InvalidInput, match=r"row 4\b"):
        total_length(Y, s, sample_weight=[0, 1, 1, 1, 1, 1], normalize=normalize)


def test_one_column_beyond_one_is_told_as_given():
    s = [0.1, 0.2, 1.2]
    assert message(NotDefined, total_length, [0, 0, 1], s, sample_weight=[0, 1, 1]) == (
        "total_length needs probabilities, but row 2 of y_score contains 1.2. "
        "Pass the probability of 1, between 0 and 1, such as scipy.special.expit(score) for "
        "log-odds."
    )
    assert message(InvalidInput, total_length, [0, 0, 1], s, normalize=True) == (
        "normalize=True needs one column of probabilities, or a column per class, got 1.2 in row "
        "2, column 0. Pass probabilities, such as scipy.special.expit(score) for log-odds."
    )


def test_sums_beyond_float64_are_no_probabilities():
    s = np.full((6, 3), 1.5e308)
    assert "row 0 of y_score sums to inf" in message(NotDefined, total_length, Y, s)


def test_normalize_of_negative_scores():
    s = changed(S, (4, 1), -0.25)
    assert message(InvalidInput, total_length, Y, s, normalize=True) == (
        f"normalize=True needs scores that are not negative, got -0.25 in row 4, column 1. {LOGITS}"
    )


def test_what_is_advised_for_logits_works():
    from scipy.special import expit, softmax

    logits = np.log(S + 0.01)
    assert LOGITS in message(NotDefined, total_length, Y, logits)
    assert 0 <= total_length(Y, softmax(logits, axis=1)) <= 1
    assert 0 <= total_length([0, 1, 0, 1], expit(np.array([-3.0, 2.0, 0.1, 5.0]))) <= 1


def test_normalize_of_a_row_of_zeros():
    s = changed(S, 4, 0)
    assert message(InvalidInput, total_length, Y, s, normalize=True) == (
        "normalize=True cannot divide row 4 by its sum 0. Remove the case."
    )


def test_normalize_of_huge_scores():
    assert total_length(Y, 1.5e308 * (S / 0.7), normalize=True) == pytest.approx(
        total_length(Y, S), abs=1e-12
    )


# Options


@pytest.mark.parametrize(
    ("function", "n_classes", "allowed", "instead"),
    [
        (roc_auc, 3, 2, "hand_till"),
        (polyroc.scored_auc, 3, 2, "hand_till_scored"),
        (polyroc.probabilistic_auc, 3, 2, "hand_till_probabilistic"),
        (triangle_area, 2, 3, "simplex_volume"),
        (triangle_area, 4, 3, "simplex_volume"),
    ],
)
def test_numbers_of_classes_that_are_not_allowed(function, n_classes, allowed, instead):
    assert message(NotDefined, function, range(n_classes), np.eye(n_classes)) == (
        f"{function.__name__} is defined for {allowed} classes, but there are {n_classes}. "
        f"Use {instead}, which is defined for any number."
    )


def test_every_metric_with_limits_names_another():
    for metric in registry.values():
        assert metric.classes == (2, None) or metric.instead in registry


@pytest.mark.parametrize(
    ("arguments", "named", "reason"),
    [
        ((Y, S), {"tie": "fair"}, "got an unexpected keyword argument 'tie'"),
        ((Y, S), {"normalize": True}, "got an unexpected keyword argument 'normalize'"),
        ((Y, S), {"priors": [1, 1, 1]}, "got an unexpected keyword argument 'priors'"),
        ((Y, S, [0, 1, 2]), {}, "takes from 1 to 2 positional arguments but 3 were given"),
        ((Y, S), {"y_true": Y}, "got multiple values for argument 'y_true'"),
        ((), {}, "missing 1 required positional argument: 'y_true'"),
    ],
)
def test_calls_that_do_not_fit(arguments, named, reason):
    """Newer Pythons add which name may have been meant."""
    told = message(TypeError, hand_till, *arguments, **named)
    assert told.removesuffix(". Did you mean 'ties'?") == f"hand_till() {reason}"


def test_scores_that_are_missing():
    expected = "y_score is missing. Pass labels and scores, or one Predictions."
    assert message(InvalidType, hand_till, Y) == expected


@pytest.mark.parametrize("ties", ["half", "", None, 0.5])
@pytest.mark.parametrize("function", [hand_till, pairwise_auc, auc_mu, vus, hum])
def test_ties_that_are_not_known(function, ties):
    assert message(InvalidInput, function, Y, S, ties=ties) == (
        f'ties must be "fair", "strict" or "lenient", got {ties!r}.'
    )


@pytest.mark.parametrize("ties", ["fair", "half", None])
@pytest.mark.parametrize("function", [vus2, polyroc.wvus2])
def test_ties_that_the_highest_rule_does_not_know(function, ties):
    assert message(InvalidInput, function, Y, S, ties=ties) == (
        f'ties must be "strict" or "lenient" for this rule, got {ties!r}: '
        "a tie within a column has no fair share. Report both, they enclose every other choice."
    )


@pytest.mark.parametrize("absent", ["drop", None, True, []])
def test_absent_that_is_not_known(absent):
    text = message(InvalidInput, hand_till, Y, S, absent=absent)
    assert text == f'absent must be "raise" or "skip", got {absent!r}.'


@pytest.mark.parametrize(
    ("priors", "expected"),
    [
        (
            [0.5, 0.5],
            "priors have the shape (2,) but there are 3 classes. Give one prior per class.",
        ),
        (1.0, "priors have the shape () but there are 3 classes. Give one prior per class."),
        ([0.5, 0, 0.5], "priors must be positive, got [0.5, 0.0, 0.5]."),
        ([0.5, -0.5, 1], "priors must be positive, got [0.5, -0.5, 1.0]."),
        ([0.5, NAN, 0.5], "priors must be positive, got [0.5, nan, 0.5]."),
        ([0.5, INF, 0.5], "priors must be positive, got [0.5, inf, 0.5]."),
        (
            {0: 0.5, 1: 0.5},
            "priors name 0, 1 but the classes are 0, 1, 2. Give one prior per class.",
        ),
        (
            {0: 0.2, 1: 0.3, "2": 0.5},
            "priors name 0, 1, '2' but the classes are 0, 1, 2. Give one prior per class.",
        ),
    ],
)
def test_priors_that_do_not_fit(priors, expected):
    assert message(InvalidInput, aunp, Y, S, priors=priors) == expected


@pytest.mark.parametrize(
    ("partition", "expected"),
    [
        (np.ones((2, 2)), "a 3 × 3 matrix of finite numbers, got shape (2, 2)."),
        ([1, 2, 3], "a 3 × 3 matrix of finite numbers, got shape (3,)."),
        (
            changed(np.ones((3, 3)), (1, 2), NAN),
            "a 3 × 3 matrix of finite numbers, got nan in row 1, column 2.",
        ),
    ],
)
def test_matrices_that_do_not_fit(partition, expected):
    assert (
        message(InvalidInput, auc_mu, Y, S, partition=partition) == f"partition must be {expected}"
    )
    text = message(InvalidInput, auc_mu, Y, S, pair_weights=partition)
    assert text == f"pair_weights must be {expected}"


@pytest.mark.parametrize(
    "partition",
    [
        np.ones((3, 3)),
        np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1]], float),
        np.array([[0, -1, 1], [2, 0, 1], [1, 1, 0]], float),
        np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]], float),
    ],
    ids=["diagonal", "one place of the diagonal", "negative", "no cost for a pair"],
)
def test_partitions_that_decide_nothing(partition):
    assert message(InvalidInput, auc_mu, Y, S, partition=partition) == (
        "partition must have a zero diagonal, no negative costs and a positive cost for at least "
        f"one direction of each pair, got {partition.tolist()}."
    )


@pytest.mark.parametrize("weights", [np.zeros((3, 3)), -np.ones((3, 3)), np.eye(3)])
def test_pair_weights_that_weigh_nothing(weights):
    assert message(InvalidInput, auc_mu, Y, S, pair_weights=weights) == (
        "pair_weights must not be negative and at least one pair must count, "
        f"got {weights.tolist()}."
    )


def test_a_negative_pair_weight_that_another_makes_up_for():
    with pytest.raises(InvalidInput):
        auc_mu(Y, S, pair_weights=[[0, 2, 1], [-1, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize("n_tuples", [1, 0, -5])
@pytest.mark.parametrize("function", [vus, vus2, hum])
def test_too_few_tuples(function, n_tuples):
    text = message(InvalidInput, function, Y, S, n_tuples=n_tuples)
    assert text == f"n_tuples must be at least 2, got {n_tuples}."


@pytest.mark.parametrize("function", [vus, vus2, polyroc.wvus, polyroc.wvus2, hum])
def test_too_many_tuples(function):
    """Never random ones unless they are asked for."""
    y, s = np.arange(600) % 4, np.random.default_rng(0).dirichlet(np.ones(4), 600)
    expected = (
        "There are 5.06e+08 tuples of one case from each of 4 classes, more than the 2e+08 that are"
        " enumerated. Pass n_tuples= to the metric or to evaluate, to estimate it from so many "
        "random ones."
    )
    assert message(NotDefined, function, y, s) == expected
    assert message(NotDefined, registry[function.__name__].influence, Predictions(y, s)) == expected
    assert 0 <= function(y, s, n_tuples=100, rng=0) <= 1
    assert function(y, s, n_tuples=100, rng=0) == function(y, s, n_tuples=100, rng=0)


def test_n_threads_of_zero():
    text = message(InvalidInput, hand_till, Y, S, n_threads=0)
    assert text == "n_threads must be at least 1, got 0."


@pytest.mark.parametrize(
    "named",
    [
        {"ties": []},
        {"ties": np.array(["fair", "strict"])},
        {"priors": "abc"},
        {"priors": ["a", "b", "c"]},
        {"priors": {0: [1], 1: 2, 2: 3}},
        {"partition": "abc"},
        {"partition": [[1], [1, 2]]},
        {"pair_weights": [["a"] * 3] * 3},
        {"n_tuples": "x"},
        {"n_tuples": NAN},
        {"n_tuples": 2.7},
        {"rng": "x"},
        {"rng": -1},
        {"absent": np.array([1, 2])},
        {"n_threads": "2"},
        {"n_threads": 1.5},
        {"normalize": "no"},
        {"normalize": np.array([True, False])},
    ],
    ids=str,
)
def test_options_of_another_type(named):
    name = next(iter(named))
    function = {"ties": hand_till, "priors": aunp, "partition": auc_mu, "pair_weights": auc_mu}.get(
        name, vus
    )
    with pytest.raises(PolyrocError, match=f"^{name}"):
        function(Y, S, **named)


@pytest.mark.parametrize("function", [hand_till, vus, vus2])
def test_ties_that_are_no_word(function):
    for ties in ([], np.array(["fair", "strict"])):
        assert message(InvalidInput, function, Y, S, ties=ties).startswith("ties must be ")


def test_whole_floats_are_numbers_of_tuples():
    assert vus(Y, S, n_tuples=1e2, rng=0) == vus(Y, S, n_tuples=100, rng=0)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_of_priors_and_matrices_does_not_matter(scale):
    priors = np.array([0.5, 0.25, 1])
    assert aunp(Y, S, priors=priors * scale) == pytest.approx(aunp(Y, S, priors=priors), abs=1e-15)
    costs = np.array([[0, 2, 1], [1, 0, 3], [4, 1, 0]])
    for name in ("partition", "pair_weights"):
        expected = pytest.approx(auc_mu(Y, S, **{name: costs}), abs=1e-15)
        assert auc_mu(Y, S, **{name: costs * scale}) == expected


def test_an_unknown_metric():
    assert message(UnknownName, registry.__getitem__, "auc") == (
        f"There is no metric 'auc'. Did you mean 'roc_auc'? The metrics are {', '.join(registry)}."
    )
    assert "no metric ['a']" in message(UnknownName, registry.__getitem__, ["a"])
    assert ["a"] not in registry
    assert message(InvalidType, registry.named, 5) == (
        'metrics must be names, "all" or None, got 5.'
    )


# One ordered marker


def test_a_marker_of_two_dimensions():
    assert message(InvalidInput, ordinal_vus, Y, S) == (
        "marker must have one value per case, got an array of shape (6, 3)."
    )


def test_markers_and_labels_that_disagree():
    assert message(InvalidInput, ordinal_vus, [0] * 3, [1, 2, 3]) == (
        "At least two classes are needed, but y_true has only 0. "
        "Name the classes without cases in labels=."
    )


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        (
            [1, 2, 3, 4, 5],
            "y_true has 6 cases but marker has 5. Pass one label and one value per case.",
        ),
        ([1, 2, 3, 4, 5, NAN], f"marker contains nan in row 5. {FINITE}"),
        (list("abcdef"), "marker has the type <U1; expected numbers."),
        ([1, 2, None, 4, 5, 6], f"marker contains nan in row 2. {FINITE}"),
    ],
)
def test_messages_about_a_marker_name_it(marker, expected):
    kind = InvalidType if isinstance(marker[0], str) else InvalidInput
    assert message(kind, ordinal_vus, Y, marker) == expected


# Scores at the ends of float64


@pytest.mark.parametrize("unit", [1e-310, 1.2e308])
def test_hum_of_scores_near_the_limits(unit):
    """HUM declares that a common scale does not change it."""
    assert hum(Y, np.round(S * 10) / 7 * unit) == hum(Y, np.round(S * 10) / 7)


# Anything at all

ODD = st.sampled_from(
    [
        *(
            0,
            1,
            2,
            -1,
            2**40,
            True,
            False,
            "a",
            "b",
            "",
            "0",
            0.5,
            1.0,
            -0.0,
            1e300,
            5e-324,
            NAN,
            INF,
        ),
        *(None, b"a", 1j, (), (1, 2), [], [1], {}, date(2020, 1, 1), Decimal(1), Decimal("NaN")),
        *(np.float32(2), np.int8(-3), np.str_("c"), np.datetime64("NaT", "D"), pd.NaT, 10**30),
        object,
        *(pd.NA, np.array([1, 2]), np.array(3), [[1]], 10**400, 10**5000, 2**63, -(2**63), 1e19),
        *(np.uint64(2**63), np.datetime64(1, "ns"), np.longdouble("1e4000"), Decimal("sNaN")),
    ]
)
PLAIN = st.sampled_from([0, 1, 2, "a", "b", 0.0, 1.0, True])
NUMBER = st.sampled_from([0, 1, 0.25, 0.5, 0.75, 1.0, -1, 1e-9, NAN, INF, 1e300, 2**63])


def containers(values):
    return st.one_of(
        st.just(values),
        st.builds(lambda: tuple(values)),
        st.builds(lambda: as_array(values)),
        st.builds(lambda: pd.Series(as_array(values))),
    )


def as_array(values):
    array = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        array[row] = value
    return array


def lists(elements, most=6):
    return st.lists(elements, max_size=most)


LABELS = st.one_of(lists(PLAIN), lists(ODD), st.lists(PLAIN, min_size=3, max_size=3), ODD)
ROWS = st.one_of(
    st.integers(0, 6).flatmap(
        lambda n: st.integers(0, 4).flatmap(
            lambda k: st.lists(st.lists(NUMBER, min_size=k, max_size=k), min_size=n, max_size=n)
        )
    ),
    lists(NUMBER),
    lists(lists(ODD, 4)),
    ODD,
)


def anything(elements):
    return elements.flatmap(lambda v: containers(v) if isinstance(v, list) else st.just(v))


def evaluated(function, *arguments, **named):
    """A value, or None if polyroc refused; any other error or warning comes through."""
    try:
        return function(*arguments, **named)
    except PolyrocError as error:
        refused = error
    assert isinstance(refused, (ValueError, TypeError))
    assert str(refused).endswith(".")
    return None


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    anything(LABELS),
    anything(ROWS),
    st.none() | anything(LABELS),
    st.none() | anything(lists(NUMBER)),
)
def test_anything_at_all_is_evaluated_or_refused(y, s, labels, weights):
    value = evaluated(hand_till, y, s, labels=labels, sample_weight=weights)
    assert value is None or 0 <= value <= 1
    value = evaluated(polyroc.hand_till_scored, y, s, labels=labels, absent="skip", normalize=True)
    assert value is None or 0 <= value <= 1


@pytest.mark.filterwarnings("ignore::polyroc.errors.NotConverged")
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=8),
    st.data(),
    st.sampled_from(sorted(registry)),
    st.booleans(),
)
def test_every_metric_evaluates_or_refuses_small_tables(y, data, name, skip):
    """Few cases, absent classes, rows of zeros: a number in range, or an error on purpose."""
    row = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=4, max_size=4)
    s = data.draw(st.lists(row, min_size=len(y), max_size=len(y)))
    extra = {"normalize": True} if registry[name].needs_probabilities else {}
    absent = "skip" if skip else "raise"
    metric = registry[name]
    value = evaluated(metric.function, y, s, labels=range(4), absent=absent, **extra)
    assert value is None or metric.lowest - 1e-12 <= value <= metric.highest + 1e-12
