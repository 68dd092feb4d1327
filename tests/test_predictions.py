"""Predictions from plain Python and NumPy: labels, scores, order of classes, weights, views."""

import copy
import pickle
from enum import Enum, IntEnum
from fractions import Fraction

import numpy as np
import pytest

import polyroc
from polyroc import Predictions, hand_till, pairwise_auc, registry
from polyroc.statistics.pairs import Pairs

SCORES = np.array(
    [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3], [0.5, 0.4, 0.1]]
)
CODES = [0, 1, 2, 0, 1]


def labelled(classes):
    return [classes[k] for k in CODES]


# Labels


@pytest.mark.parametrize(
    "classes",
    [
        ("a", "b", "c"),
        ("", " ", "é"),
        (0, 1, 2),
        (-5, 0, 7),
        (1, 10, 10**12),
        (-(2**70), 0, 2**70),
        (-(2**63), 0, 2**63 - 1),
    ],
)
@pytest.mark.parametrize("container", [list, tuple, lambda x: np.array(x, dtype=object)])
def test_labels_of_python(classes, container):
    predictions = Predictions(container(labelled(classes)), SCORES)
    assert predictions.classes == classes
    assert predictions.codes.tolist() == CODES
    assert [type(label) for label in predictions.classes] == [type(label) for label in classes]


@pytest.mark.parametrize("dtype", list("bBhHiIlLqQefdg?UO"))
def test_labels_of_every_type_of_numpy(dtype):
    y = np.array([0, 1, 1, 0, 1]).astype(dtype)
    predictions = Predictions(y, SCORES[:, :2])
    assert predictions.codes.tolist() == [0, 1, 1, 0, 1]
    expected = {"?": (False, True), "U": ("0", "1")}.get(dtype, (0, 1))
    assert predictions.classes == expected
    assert {type(label) for label in predictions.classes} == {type(expected[0])}


INTEGERS = [np.int8, np.int16, np.int32, np.int64]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_negative_labels(dtype):
    y = np.array(labelled((-3, -1, 2)), dtype=dtype)
    assert Predictions(y, SCORES).classes == (-3, -1, 2)
    assert Predictions(y, SCORES).codes.tolist() == CODES


@pytest.mark.parametrize("dtype", [np.int64, *(d for d in INTEGERS if d is not np.int64)])
def test_labels_that_span_a_whole_signed_type(dtype):
    """high − low does not fit into the type."""
    limits = np.iinfo(dtype)
    y = np.array(labelled((limits.min, 0, limits.max)), dtype=dtype)
    assert Predictions(y, SCORES).codes.tolist() == CODES


@pytest.mark.parametrize(
    ("dtype", "label"), [(np.int8, 100), (np.int16, 20000), (np.int16, 30), (np.int32, 20000)]
)
def test_labels_that_span_most_of_a_signed_type(dtype, label):
    y = np.array(labelled((-label, 0, label)), dtype=dtype)
    assert Predictions(y, SCORES).codes.tolist() == CODES


def test_unsigned_labels_near_the_top():
    y = np.array(labelled((250, 254, 255)), dtype=np.uint8)
    assert Predictions(y, SCORES).codes.tolist() == CODES


@pytest.mark.parametrize("labels", [None, [0, 2**63, 2**63 + 1]])
def test_unsigned_labels_beyond_int64(labels):
    y = np.array(labelled((0, 2**63, 2**63 + 1)), dtype=np.uint64)
    assert Predictions(y, SCORES, labels=labels).codes.tolist() == CODES


@pytest.mark.parametrize("lowest", [-1, 0])
def test_python_integers_between_int64_and_uint64(lowest):
    assert Predictions(labelled((lowest, 1, 2**63)), SCORES).classes == (lowest, 1, 2**63)


def test_labels_far_apart_with_labels_given():
    y = labelled((0, 5, 10**9))
    predictions = Predictions(y, SCORES, labels=[10**9, 0, 5])
    assert predictions.codes.tolist() == [1, 2, 0, 1, 2]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_whole_floats_are_integers(dtype):
    predictions = Predictions(np.array(labelled((-1, 0, 3)), dtype=dtype), SCORES)
    assert predictions.classes == (-1, 0, 3)
    assert all(type(label) is int for label in predictions.classes)


def test_floats_and_integers_in_one_list():
    predictions = Predictions([0, 1.0, np.float32(2), np.int8(0), 1], SCORES)
    assert predictions.classes == (0, 1, 2)
    assert predictions.codes.tolist() == CODES


def test_booleans_are_sorted_and_stay_booleans():
    predictions = Predictions([True, False, True], [0.9, 0.1, 0.4])
    assert predictions.classes == (False, True)
    assert predictions.classes[1] is True


@pytest.mark.parametrize("container", [list, np.array])
def test_strings_of_numpy_are_strings(container):
    y = container([np.str_(label) for label in labelled("abc")])
    assert Predictions(y, SCORES).classes == ("a", "b", "c")


def test_strings_of_numpy_in_a_list_become_python_strings():
    y = [np.str_(label) for label in labelled("abc")]
    assert {type(label) for label in Predictions(y, SCORES).classes} == {str}


def test_a_range_and_other_sequences_are_labels():
    assert Predictions(range(3), SCORES[:3]).classes == (0, 1, 2)
    assert Predictions(memoryview(np.arange(3)), SCORES[:3]).classes == (0, 1, 2)


def test_members_of_enumerations_are_what_they_stand_for():
    class Colour(str, Enum):  # noqa: UP042 (str() of its members is not their value)
        RED = "red"
        BLUE = "blue"

    class Grade(IntEnum):
        LOW = 1
        HIGH = 2

    classes = Predictions([Colour.RED, Colour.BLUE], [0.1, 0.2]).classes
    assert classes == ("blue", "red") and {type(label) for label in classes} == {str}
    classes = Predictions([Grade.LOW, Grade.HIGH], [0.1, 0.2]).classes
    assert classes == (1, 2) and {type(label) for label in classes} == {int}


def test_label_names_do_not_matter():
    expected = hand_till(CODES, SCORES)
    for classes in ("abc", (-7, 0, 2**40), ("a" * 1000, "b", "c")):
        assert hand_till(labelled(classes), SCORES) == expected


def test_many_classes():
    y = np.arange(1000)
    predictions = Predictions(y, np.eye(1000))
    assert predictions.codes.tolist() == y.tolist()
    assert predictions.n_classes == 1000


# Order of the classes


def test_classes_are_sorted_as_their_kind_is():
    assert Predictions([10, 9, 100], np.eye(3)).classes == (9, 10, 100)
    assert Predictions(["10", "9", "100"], np.eye(3)).classes == ("10", "100", "9")


def test_labels_give_the_order_of_the_columns():
    predictions = Predictions(["c", "a", "b"], np.eye(3), labels=["c", "a", "b"])
    assert predictions.classes == ("c", "a", "b")
    assert predictions.codes.tolist() == [0, 1, 2]
    assert pairwise_auc(["c", "a", "b"], np.eye(3), labels=["c", "a", "b"])[0, 1] == 1
    assert pairwise_auc(["c", "a", "b"], np.eye(3))[0, 1] == 0.5


@pytest.mark.parametrize(
    "labels", [["b", "a"], ("b", "a"), np.array(["b", "a"]), np.array(["b", "a"], dtype=object)]
)
def test_labels_of_any_container(labels):
    assert Predictions(["a", "b"], np.eye(2), labels=labels).classes == ("b", "a")


def test_labels_of_another_kind_of_number():
    predictions = Predictions(
        np.array([0, 1, 2], dtype=np.uint8), np.eye(3), labels=[2.0, 0.0, 1.0]
    )
    assert predictions.classes == (2, 0, 1)


def test_labels_may_mix_kinds_where_they_are_named():
    assert Predictions([0, "a", 1], np.eye(3), labels=["a", 0, 1]).classes == ("a", 0, 1)


# One column


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
@pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"]])
def test_one_column_belongs_to_the_second_class(shape, labels):
    s = np.array([0.1, 0.2, 0.7, 0.9])
    value = polyroc.roc_auc(["a", "a", "b", "b"], s.reshape(shape), labels=labels)
    assert value == (1.0 if labels == ["a", "b"] else 0.0)


def test_one_column_as_probabilities_of_both_classes():
    y, s = [0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8])
    both = np.column_stack([1 - s, s])
    for metric in registry.values():
        if 2 in metric.classes:
            assert metric.function(y, s) == pytest.approx(metric.function(y, both), abs=1e-12)


def test_one_column_of_any_scores_has_two_columns_after():
    predictions = Predictions([0, 1], [-3.0, 5.0])
    assert predictions.scores.tolist() == [[3, -3], [-5, 5]]
    assert predictions.one_column


# Scores


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", "g", ">f2", ">f4", ">f8", "i1", "u1", "i4", "i8", "u8", ">i4", "?"]
)
def test_scores_of_every_type_of_numpy(dtype):
    s = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]).astype(dtype)
    predictions = Predictions(CODES, s)
    assert predictions.scores.tolist() == s.tolist()
    assert predictions.scores.dtype.isnative
    assert predictions.scores.dtype == (np.float32 if dtype in ("f2", "f4") else np.float64)


def test_scores_as_lists_tuples_and_objects():
    for s in (
        SCORES.tolist(),
        tuple(map(tuple, SCORES.tolist())),
        list(SCORES),
        SCORES.astype(object),
        [[Fraction(x) for x in row] for row in SCORES.tolist()],
    ):
        assert (Predictions(CODES, s).scores == SCORES).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(lambda s: s, id="C order"),
        pytest.param(np.asfortranarray, id="Fortran order"),
        pytest.param(lambda s: np.repeat(s, 2, axis=0)[::2], id="every other row"),
        pytest.param(lambda s: np.repeat(s, 2, axis=1)[:, ::2], id="every other column"),
        pytest.param(lambda s: s[::-1, ::-1].copy()[::-1, ::-1], id="backwards"),
        pytest.param(lambda s: np.broadcast_to(s, (2, *s.shape))[1], id="broadcast"),
    ],
)
def test_float_arrays_are_borrowed_by_functions_and_copied_to_stay(dtype, layout):
    s = layout(SCORES.astype(dtype))
    assert np.shares_memory(Predictions.borrowed(CODES, s).scores, s)
    predictions = Predictions(CODES, s)
    assert not np.shares_memory(predictions.scores, s)
    assert (predictions.scores == s).all()
    assert predictions.scores.dtype == dtype
    assert hand_till(CODES, s) == hand_till(CODES, SCORES.astype(dtype))


def test_unit_weights_keep_the_view():
    borrowed = Predictions.borrowed(CODES, SCORES, sample_weight=np.ones(5))
    assert np.shares_memory(borrowed.scores, SCORES)


def test_later_changes_to_what_was_given_change_nothing():
    y, s, w = np.array(CODES), SCORES.copy(), np.array([1.0, 2, 1, 1, 3])
    predictions = Predictions(y, s, sample_weight=w)
    expected = hand_till(CODES, SCORES, sample_weight=w.copy())
    y[:], s[:], w[:] = 1, 0.5, 7
    assert registry["hand_till"].of(predictions) == expected
    assert predictions.weights.tolist() == [1, 2, 1, 1, 3]
    with pytest.raises(ValueError, match="read-only"):
        predictions.scores[0, 0] = 1


def test_read_only_input_is_read():
    s, y = SCORES.copy(), np.array(CODES)
    s.flags.writeable = y.flags.writeable = False
    assert hand_till(y, s) == hand_till(CODES, SCORES)


def test_a_matrix_is_an_array():
    with pytest.warns(PendingDeprecationWarning):
        s = np.asmatrix(SCORES)
    assert type(Predictions(CODES, s).scores) is np.ndarray


def test_a_masked_score_is_not_taken_for_a_score():
    with pytest.raises(polyroc.errors.InvalidInput) as caught:
        Predictions(CODES, np.ma.masked_equal(SCORES, 0.6))
    assert str(caught.value) == (
        "y_score is masked in row 0, column 0. Remove the case, or fill in its value."
    )
    with pytest.raises(polyroc.errors.InvalidInput, match="sample_weight is masked in row 4"):
        Predictions(CODES, SCORES, sample_weight=np.ma.masked_equal([1, 2, 3, 4, 5], 5))
    for rows in (list, tuple):
        with pytest.raises(polyroc.errors.InvalidInput, match="masked in row 0, column 0"):
            hand_till(CODES, rows(np.ma.masked_equal(SCORES, 0.6)))


def test_masked_arrays_without_a_masked_value_are_arrays():
    y, s = np.ma.array(CODES), np.ma.array(SCORES)
    assert hand_till(y, s, sample_weight=np.ma.ones(5)) == hand_till(CODES, SCORES)


def test_a_masked_label_is_missing():
    with pytest.raises(polyroc.errors.InvalidInput, match="y_true has a missing label in row 2"):
        Predictions(np.ma.masked_equal(CODES, 2), SCORES)


# Absent classes


def test_an_absent_class_is_skipped_on_request():
    predictions = Predictions(
        ["a", "c", "a"], SCORES[:3], labels=["a", "b", "c"], absent="skip", sample_weight=[1, 2, 3]
    )
    assert predictions.classes == ("a", "c")
    assert predictions.skipped == ("b",)
    assert predictions.declared == ("a", "b", "c")
    assert predictions.codes.tolist() == [0, 1, 0]
    assert (predictions.scores == SCORES[:3, [0, 2]]).all()


def test_nothing_is_skipped_where_every_class_occurs():
    predictions = Predictions(CODES, SCORES, absent="skip")
    assert predictions.skipped == ()
    assert np.shares_memory(Predictions.borrowed(CODES, SCORES, absent="skip").scores, SCORES)


def test_a_class_whose_weights_are_zero_is_absent():
    weights = [1, 1, 0, 1, 1]
    with pytest.raises(ValueError, match="The class 2 has no cases"):
        Predictions(CODES, SCORES, sample_weight=weights)
    assert Predictions(CODES, SCORES, sample_weight=weights, absent="skip").classes == (0, 1)


def test_rows_and_columns_of_a_skipped_class_are_nan():
    matrix = pairwise_auc([0, 2, 0], SCORES[:3], labels=[0, 1, 2], absent="skip")
    assert np.isfinite(matrix).tolist() == [[False, False, True], [False] * 3, [True, False, False]]


ABSENT_THIRD = {"y_true": [0, 1, 0, 1, 0], "y_score": SCORES, "labels": [0, 1, 2], "absent": "skip"}


def test_normalize_with_a_skipped_class():
    """Rows must sum to 1 over the classes present."""
    present = SCORES[:, :2] / SCORES[:, :2].sum(axis=1, keepdims=True)
    expected = polyroc.total_length([0, 1, 0, 1, 0], present)
    value = polyroc.total_length(**ABSENT_THIRD, normalize=True)
    assert value == pytest.approx(expected, abs=1e-15)


def test_the_error_about_probabilities_with_a_skipped_class_names_it():
    with pytest.raises(polyroc.errors.NotDefined) as caught:
        polyroc.total_length(**ABSENT_THIRD)
    assert str(caught.value) == (
        "total_length needs probabilities, but row 0 of y_score sums to 0.9. The rows count "
        "without the skipped 2: pass normalize=True to divide each row by the sum of what remains."
    )


# Weights and normalize


def test_cases_of_weight_zero_are_dropped():
    weights = [1, 0, 2, 0.5, 0]
    predictions = Predictions([0, 1, 2, 1, 2], SCORES, sample_weight=weights)
    assert len(predictions) == 3
    assert predictions.codes.tolist() == [0, 2, 1]
    assert predictions.weights.tolist() == [1, 2, 0.5]
    assert (predictions.scores == SCORES[[0, 2, 3]]).all()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u1", "i8", "?", "O", ">f4"])
def test_weights_of_every_type(dtype):
    weights = np.array([1, 1, 1, 0, 1]).astype(dtype)
    assert Predictions(CODES, SCORES, sample_weight=weights).weights.tolist() == [1, 1, 1, 1]


def test_shares_of_the_classes():
    predictions = Predictions(CODES, SCORES, sample_weight=[1, 2, 3, 4, 10])
    assert predictions.class_counts.tolist() == [2, 2, 1]
    assert predictions.class_weights.tolist() == [5, 12, 3]
    assert predictions.priors.tolist() == [0.25, 0.6, 0.15]
    assert predictions.case_weights.tolist() == [1, 2, 3, 4, 10]
    assert Predictions(CODES, SCORES).case_weights.tolist() == [1] * 5


@pytest.mark.parametrize("metric", [m for m in registry.values() if 3 in m.classes])
def test_the_unit_of_the_weights_does_not_matter(metric):
    weights = np.array([0.5, 0.25, 1, 1, 0.75])
    expected = pytest.approx(metric.function(CODES, SCORES, sample_weight=weights), abs=1e-14)
    for unit in (1e300, 1e-300, 1.7e308, 1e-308, 1e59, 1e-59, 3.0):
        assert metric.function(CODES, SCORES, sample_weight=weights * unit) == expected, unit


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_the_unit_of_the_weights_of_a_marker_does_not_matter(unit):
    y, marker = np.tile(np.arange(120), 2), np.tile(np.arange(120.0), 2)
    assert polyroc.ordinal_vus(y, marker, sample_weight=np.full(240, unit)) == 1


def test_moderate_weights_are_taken_as_they_are():
    """They may be numbers of copies."""
    for weights in ([1e60] * 5, [1e-59] * 5, [1, 2, 3, 4, 1e12]):
        assert Predictions(CODES, SCORES, sample_weight=weights).weights.tolist() == weights


def test_classes_whose_weights_have_no_product():
    with pytest.raises(polyroc.errors.InvalidInput) as caught:
        Predictions(CODES, SCORES, sample_weight=[1, 1, 1e-100, 1, 1])
    assert str(caught.value) == (
        "sample_weight gives the class 2 less than 1e-90 of the weight of the class 0. "
        "Leave the class out, or weigh it more."
    )
    assert 0 <= hand_till(CODES, SCORES, sample_weight=[1, 1, 1e-80, 1e-300, 1]) <= 1


def test_normalize_divides_rows_by_their_sums():
    counts = np.array([[3, 1, 0], [0, 2, 2], [1, 1, 6]])
    predictions = Predictions([0, 1, 2], counts, normalize=True)
    assert predictions.scores.tolist() == [[0.75, 0.25, 0], [0, 0.5, 0.5], [0.125, 0.125, 0.75]]
    assert polyroc.total_length([0, 1, 2], counts, normalize=True) == pytest.approx(
        polyroc.total_length([0, 1, 2], predictions.scores), abs=1e-15
    )


def test_normalize_keeps_one_column_of_probabilities():
    s = [0.25, 0.5, 1.0]
    predictions = Predictions([0, 1, 1], s, normalize=True)
    assert predictions.scores.tolist() == [[0.75, 0.25], [0.5, 0.5], [0, 1]]
    assert not predictions.one_column


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rows_that_sum_to_one_nearly_are_probabilities(dtype):
    p = np.random.default_rng(0).dirichlet(np.ones(3), 50).astype(dtype)
    if dtype is np.float16:
        p = p[np.abs(p.astype(float).sum(axis=1) - 1) < 1e-4]
    assert Predictions(np.arange(len(p)) % 3, p).probabilities("a test").shape == p.shape


# Read-only


@pytest.mark.parametrize("name", ["scores", "codes", "weights"])
def test_arrays_are_read_only(name):
    predictions = Predictions(CODES, SCORES, sample_weight=[1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match="read-only"):
        getattr(predictions, name)[0] = 0


@pytest.mark.parametrize("name", ["scores", "classes", "weights", "n_classes", "anything"])
def test_attributes_cannot_be_set(name):
    predictions = Predictions(CODES, SCORES)
    with pytest.raises(AttributeError) as caught:
        setattr(predictions, name, None)
    assert str(caught.value) == f"Predictions are read-only: make new ones to change {name}."


def test_attributes_cannot_be_deleted():
    predictions = Predictions(CODES, SCORES)
    with pytest.raises(AttributeError, match="read-only"):
        del predictions.scores
    assert len(predictions.scores) == 5


def test_kept_statistics_cannot_be_changed():
    predictions = Predictions(CODES, SCORES)
    sums = Pairs.of(predictions)
    for array in (predictions.class_weights, predictions.class_counts, sums.above, sums.tied):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 99


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_predictions_travel_between_processes(duplicate):
    other = duplicate(Predictions(CODES, SCORES, sample_weight=[1, 2, 3, 4, 5]))
    assert other.classes == (0, 1, 2)
    assert (other.scores == SCORES).all()
    assert not other.scores.flags.writeable
    assert other.weights.tolist() == [1, 2, 3, 4, 5]
    assert metric_values(other) == metric_values(
        Predictions(CODES, SCORES, sample_weight=[1, 2, 3, 4, 5])
    )


def metric_values(predictions):
    return [m.of(predictions) for m in registry.values() if 3 in m.classes]


def test_input_is_not_touched():
    y, s = np.array(CODES, dtype=float), SCORES * 3
    w = np.array([1.0, 0, 2, 3, 4])
    before = [a.tobytes() for a in (y, s, w)]
    for metric in registry.values():
        if 3 in metric.classes:
            extra = {"normalize": True} if metric.needs_probabilities else {}
            metric.function(y, s, sample_weight=w, **extra)
    assert [a.tobytes() for a in (y, s, w)] == before
    assert all(a.flags.writeable for a in (y, s, w))


def test_lists_are_not_touched():
    y, s, w = list(CODES), SCORES.tolist(), [1.0, 0, 2, 3, 4]
    hand_till(y, s, sample_weight=w)
    assert (y, s, w) == (CODES, SCORES.tolist(), [1.0, 0, 2, 3, 4])


def test_repr_and_length():
    assert repr(Predictions(CODES, SCORES)) == "Predictions(5 cases, 3 classes)"
    weighted = Predictions(CODES, SCORES, sample_weight=[1, 0, 1, 1, 1])
    assert repr(weighted) == "Predictions(4 cases, 3 classes, weighted)"
    assert len(weighted) == 4


def test_sorted_columns_are_kept_only_when_asked_for():
    predictions = Predictions(CODES, SCORES)
    assert predictions.column(1) is not predictions.column(1)
    predictions.keep_columns()
    assert predictions.column(1) is predictions.column(1)


def test_priors_given_replace_those_of_the_sample():
    predictions = Predictions(labelled("abc"), SCORES)
    assert predictions.priors_or(None).tolist() == [0.4, 0.4, 0.2]
    assert predictions.priors_or([1, 2, 1]).tolist() == [0.25, 0.5, 0.25]
    assert predictions.priors_or({"c": 2, "a": 1, "b": 1}).tolist() == [0.25, 0.25, 0.5]
    assert predictions.priors_or(np.array([1, 1, 2])).tolist() == [0.25, 0.25, 0.5]


def test_parts_are_judged_by_the_whole_only_where_it_tells():
    """Rows without a class that the part lacks sum to less than 1; a wrong row may be elsewhere."""
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.6, 0.2, 0.2]])
    whole = Predictions([0, 1, 2, 0], p)
    assert whole.part(np.array([1, 2, 3])).are_probabilities
    assert not whole.part(np.array([0, 1])).are_probabilities
    p[0, 0] = 0.6
    wrong = Predictions([0, 1, 2, 0], p)
    assert wrong.part(np.array([1, 2, 3])).are_probabilities
    assert not wrong.part(np.array([0, 1, 2])).are_probabilities
