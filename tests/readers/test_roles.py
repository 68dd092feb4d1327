"""Which column is what in words, what is kept of rows, folds, slices and names of cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.readers import (
    FilePredictions,
    read_features,
    read_predictions,
    read_readings,
    read_table,
)
from polyroc.readers._names import check_name, role_among, target_among
from polyroc.readers._predictions import Roles, _typed, chosen

ROWS = (
    "a,.7,.2,.1,1,u,7,x,2,m",
    "b,.1,.8,.1,2,v,8,y,1,f",
    "c,.2,.2,.6,1,w,9,x,3,f",
    "a,.5,.3,.2,3,u,5,y,1,",
    "b,.3,.6,.1,1,v,6,x,2,m",
)
HEADER = "y,p_a,p_b,p_c,weight,patient,id,site,fold,sex"


def put(folder: Path, *lines: str, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(folder: Path, *lines: str, **options: Any) -> FilePredictions:
    return read_predictions(put(folder, *(lines or (HEADER, *ROWS))), **options)


def told(error: type[Exception], call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    return str(caught.value)


# What was read


def test_every_role_of_a_file(tmp_path: Path) -> None:
    found = read(tmp_path, fold="fold", slices=["sex", "site"], case_id="id")
    assert found.path == str(tmp_path / "x.csv") and len(found) == 5
    assert found.y_true.tolist() == ["a", "b", "c", "a", "b"] and found.labels == ("a", "b", "c")
    assert found.models["x"].tolist() == [
        [0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2], [0.3, 0.6, 0.1],
    ]  # fmt: skip
    assert found.sample_weight is not None and found.sample_weight.tolist() == [1, 2, 1, 3, 1]
    assert found.groups is not None and found.groups.tolist() == [0, 1, 2, 0, 1]
    assert found.group_names is not None and found.group_names.tolist() == list("uvwuv")
    assert found.folds is not None and found.folds.tolist() == [2, 1, 3, 1, 2]
    assert found.slices is not None and list(found.slices) == ["sex", "site"]
    assert found.slices["sex"].tolist() == ["m", "f", "f", "", "m"]
    assert {name: ids.tolist() for name, ids in found.case_ids.items()} == {"id": [7, 8, 9, 5, 6]}
    assert found.roles == Roles(
        "y", {"x": ("p_a", "p_b", "p_c")}, "weight", "patient", (), None, "fold", ("sex", "site"),
        "id",
    )  # fmt: skip
    assert found.roles.describe() == (
        "true classes in 'y'; scores in 'p_a', 'p_b', 'p_c'; weights in 'weight'; groups in "
        "'patient'; folds in 'fold'; slices by 'sex', 'site'; cases named in 'id'"
    )
    assert repr(found) == "FilePredictions(5 cases, classes 'a', 'b', 'c', models x)"


def test_roles_that_were_not_asked_for(tmp_path: Path) -> None:
    found = read(tmp_path, weight=False, group=False)
    assert found.folds is None and found.slices is None and found.group_names is None
    assert found.roles.unused == ("weight", "patient", "id", "site", "fold", "sex")
    assert (found.roles.fold, found.roles.slices, found.roles.case) == (None, (), None)
    assert list(found.case_ids) == ["id"], "named like one"
    assert found.roles.describe().endswith(
        "; not used: 'weight', 'patient', 'id', 'site' and 2 more"
    )
    assert read(tmp_path, case_id=False).case_ids == {}
    some = read(tmp_path, fold="site", slices=("sex",), case_id="id")
    assert some.roles.unused == ("fold",)


def test_columns_with_a_role_are_no_classes(tmp_path: Path) -> None:
    """Though rows would sum to 1 with them."""
    lines = ("y,a,b,c", "a,.5,.3,.2", "b,.3,.5,.2", "a,.6,.3,.1")
    assert read(tmp_path, *lines).labels == ("a", "b", "c")
    for options in ({"slices": ["c"]}, {"fold": "c"}, {"weight": "c"}, {"group": "c"}):
        assert read(tmp_path, *lines, **options).labels == ("a", "b"), options


def test_the_target_of_arrays(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, kind=["u", "v", "u"], y=[1, 2, 3], m=np.eye(3)[:, :2])
    found = read_predictions(path, target="kind")
    assert found.labels == ("u", "v") and found.models["m"].tolist() == [[1, 0], [0, 1], [0, 0]]
    assert found.roles.unused == ("y",)


def test_the_target_of_features_and_readings_in_arrays(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, kind=["u", "v", "u"], m=np.arange(6.0).reshape(3, 2), age=[1, 2, 3])
    found = read_features(path, target="kind")
    assert found.features == ("age", "m:u", "m:v")
    assert found.X.tolist() == [[1, 0, 1], [2, 2, 3], [3, 4, 5]]
    np.savez(path, c=[1, 2], r=[1, 1], q=[1, 1], kind=["u", "v"], m=np.eye(2))
    names = {"case": "c", "reader": "r", "modality": "q", "truth": "kind"}
    study = read_readings(path, **names, scores={"u": "m:u", "v": "m:v"})
    assert study.columns["m:v"].tolist() == [0, 1]


def test_classes_without_cases_are_sought_among_numbers_alone(tmp_path: Path) -> None:
    """Columns of words, and those that are there twice, are passed over."""
    lines = ("y,a,b,c,note,q,q", "a,.5,.3,.2,hm,.1,.1", "b,.3,.5,.2,so,.2,.2", "a,.6,.3,.1,,.3,.3")
    found = read(tmp_path, *lines)
    assert found.labels == ("a", "b", "c") and found.roles.unused == ("note", "q")


def test_names_of_cases_may_be_left_out() -> None:
    roles = Roles("y", {"m": ("p",)})
    made = FilePredictions("x", np.array([0, 1]), {"m": np.ones((2, 1))}, (0, 1), None, None, roles)
    assert made.case_ids == {} and made.folds is None and made.rows(np.array([1])).case_ids == {}


def test_some_rows_in_another_order(tmp_path: Path) -> None:
    found = read(tmp_path, fold="fold", slices=["sex"], case_id="id")
    some = found.rows(np.array([3, 0]))
    assert some.y_true.tolist() == ["a", "a"]
    assert some.models["x"].tolist() == [[0.5, 0.3, 0.2], [0.7, 0.2, 0.1]]
    assert some.sample_weight is not None and some.sample_weight.tolist() == [3, 1]
    assert some.groups is not None and some.groups.tolist() == [0, 0]
    assert some.group_names is not None and some.group_names.tolist() == ["u", "u"]
    assert some.folds is not None and some.folds.tolist() == [1, 2]
    assert some.slices is not None and some.slices["sex"].tolist() == ["", "m"]
    assert some.case_ids["id"].tolist() == [5, 7]
    assert (some.labels, some.roles, some.path) == (found.labels, found.roles, found.path)
    plain = read(tmp_path, weight=False, group=False, case_id=False).rows(np.array([1]))
    assert plain.sample_weight is None and plain.groups is None and plain.folds is None
    assert plain.slices is None and plain.case_ids == {} and len(plain) == 1


def test_predictions_take_what_was_read(tmp_path: Path) -> None:
    lines = ("y,p_c,p_a,p_b,weight,k,sex", "a,.1,.7,.2,1,2,m", "b,.1,.1,.8,2,1,f",
             "c,.6,.2,.2,1,2,f", "a,.2,.5,.3,3,1,m")  # fmt: skip
    found = read(tmp_path, *lines, fold="k", slices=["sex"])
    made = found.predictions(absent="skip")
    assert made.classes == ("c", "a", "b")
    assert made.weights is not None and made.weights.tolist() == [1, 2, 1, 3]
    assert made.folds is not None and made.slices is not None
    assert made.scores.tolist() == found.models["x"].tolist()
    absent = read(tmp_path, *lines[:3], group=False).predictions(absent="skip")
    assert absent.n_classes == 2
    assert found.predictions("x", absent="skip").classes == made.classes


def test_models_are_chosen_by_name(tmp_path: Path) -> None:
    lines = ("y,m:a,m:b,n:a,n:b", "a,1,2,3,4", "b,5,6,7,8")
    found = read(tmp_path, *lines)
    assert found.predictions("n").scores.tolist() == [[3, 4], [7, 8]]
    only = read(tmp_path, *lines, model="n")
    assert list(only.models) == ["n"] and only.roles.unused == ("m:a", "m:b")
    assert only.predictions().scores.tolist() == [[3, 4], [7, 8]]
    assert told(UnknownName, only.predictions, "m").endswith("no model 'm'. There is 'n'.")
    assert told(InvalidInput, chosen, {"m": 1, "n": 2}, None, "x") == (
        "x has the models 'm', 'n'. Choose one with model=."
    )
    assert told(UnknownName, chosen, {"forest": 1, "n": 2}, "forrest", "x") == (
        "x: there is no model 'forrest'. Did you mean 'forest'? There are 'forest', 'n'."
    )
    assert told(UnknownName, chosen, {"m": 1}, 3, "x").endswith("There is 'm'.")
    assert chosen({"m": 1, "n": 2}, "n", "x") == 2


def test_one_column_says_whose_it_is(tmp_path: Path) -> None:
    found = read(tmp_path, "y,p_b", "a,.2", "b,.9")
    assert found.roles.score_of == "b"
    assert found.roles.describe() == "true classes in 'y'; scores of 'b' in 'p_b'"
    both = read(tmp_path, "y,m:b,n:b", "a,.2,.1", "b,.9,.8")
    assert both.roles.score_of == "b"
    assert read(tmp_path, "y,p_a,p_b", "a,.2,.8", "b,.9,.1").roles.score_of is None


# Cases, groups and folds


def test_names_of_cases(tmp_path: Path) -> None:
    """Columns that are named like one and have no gaps, or the one that is asked for."""
    lines = (
        "y,p_a,p_b,id,image,Case ID,code",
        "a,.2,.8,1,u,,5",
        "b,.9,.1,1,v,3,5",
        "a,.3,.7,2,w,4,6",
    )
    found = read(tmp_path, *lines)
    assert {name: ids.tolist() for name, ids in found.case_ids.items()} == {
        "id": [1, 1, 2],
        "image": ["u", "v", "w"],
    }
    assert "id" in found.roles.unused and found.roles.case is None
    asked = read(tmp_path, *lines, case_id="image")
    assert list(asked.case_ids) == ["image"] and asked.roles.case == "image"
    assert "image" not in asked.roles.unused and "id" in asked.roles.unused
    assert "has the case 1 twice, in row 0 (line 2), column 'id', and row 1 (line 3)" in told(
        InvalidInput, read, tmp_path, *lines, case_id="id"
    )
    assert told(InvalidInput, read, tmp_path, *lines, case_id="Case ID").endswith(
        "no value in row 0 (line 2), column 'Case ID'. Name the case of every row, or remove the "
        "row."
    )
    assert told(InvalidType, read, tmp_path, *lines, case_id=True) == (
        "case_id must be the name of a column, got True."
    )
    twice = ("y,p_a,p_b,id,id", "a,.2,.8,1,5", "b,.9,.1,2,6")
    assert read(tmp_path, *twice).case_ids == {}


def test_three_groups_are_taken_and_two_are_not(tmp_path: Path) -> None:
    for n_groups, taken in ((2, False), (3, True), (4, True)):
        rows = [f"{'ab'[k % 2]},.2,.8,g{k % n_groups}" for k in range(12)]
        found = read(tmp_path, "y,p_a,p_b,group", *rows)
        assert (found.groups is not None) is taken and (found.group_names is not None) is taken
        assert found.roles.group == ("group" if taken else None)
        assert found.roles.unused == (() if taken else ("group",))


def test_folds_and_slices_that_are_not_there(tmp_path: Path) -> None:
    assert "there is no column 'z'" in told(InvalidInput, read, tmp_path, fold="z")
    assert "there is no column 'z'" in told(InvalidInput, read, tmp_path, slices=["sex", "z"])
    assert told(InvalidType, read, tmp_path, fold=3) == (
        "fold must be the name of a column, got 3."
    )
    assert told(InvalidType, read, tmp_path, target=3) == (
        "target must be the name of a column, got 3."
    )
    with pytest.raises(InvalidType, match="slices"):
        read(tmp_path, slices="sex")
    lines = ("y,p_a,p_b,k", "a,.2,.8,1", "b,.9,.1,")
    assert told(InvalidInput, read, tmp_path, *lines, fold="k").endswith(
        "column 'k'. Name the fold of every row, or remove the row."
    )
    found = read(tmp_path, *lines, slices=["k"])
    assert found.slices is not None and found.slices["k"].tolist() == [1, None]


# Labels


def test_classes_are_typed_as_the_column_is(tmp_path: Path) -> None:
    text, numbers, bools = np.array(["a", "b"], dtype=object), np.array([1, 2]), np.array([True])
    assert _typed(None, numbers) is None
    assert _typed(["b", "a"], text) == ("b", "a")
    assert _typed(["2", "1", "3"], numbers) == (2, 1, 3)
    assert _typed([2, 1], numbers) == (2, 1) and _typed([1, 2], text) == ("1", "2")
    assert _typed(["true", "FALSE"], bools) == (True, False)
    assert _typed([False, True], bools) == (False, True)
    assert told(InvalidInput, _typed, [], text) == (
        "labels names no class. Name all of them, or leave labels out."
    )
    assert told(InvalidInput, _typed, ["a", "b", "b", "b"], text) == (
        "labels name 'b' more than once. Name each class once."
    )
    assert told(InvalidInput, _typed, ["true", "maybe"], bools) == (
        "labels names 'maybe', but the labels are True and False."
    )
    with pytest.raises(InvalidType, match="labels names True, but the true classes are whole"):
        _typed([True, False], numbers)
    assert told(InvalidType, _typed, ["1", "1.5"], numbers) == (
        "labels names '1.5', but the true classes are whole numbers. Leave labels= out, and name "
        "the column of each class, such as columns={1: …, 2: …}."
    )
    lines = ("y,p_true,p_false", "true,.9,.1", "false,.2,.8")
    found = read(tmp_path, *lines, labels=["FALSE", "True"])
    assert found.labels == (False, True) and found.models["x"].tolist() == [[0.1, 0.9], [0.8, 0.2]]
    alone = read(tmp_path, "y,p_true,p_false", "true,.9,.1", "true,.2,.8", labels=["false", "true"])
    assert alone.labels == (False, True)


# Names


def test_targets_by_name() -> None:
    assert target_among(["a", "b"], "z", "x") == "z"
    assert target_among(["a", "Y True"], None, "x") == "Y True"
    assert told(InvalidInput, target_among, ["y", "a", "label"], None, "x") == (
        "x: several columns could contain the true classes: 'y', 'label'. Choose one with target=."
    )
    assert told(InvalidInput, target_among, ["a", "b"], None, "x") == (
        "x: no column is named like the true classes (y, label, truth, …). The columns are 'a', "
        "'b'. Name the one with target=."
    )
    one_hot = told(InvalidInput, target_among, ["y_cat", "y_dog", "p"], None, "x")
    assert one_hot.endswith(
        "The columns are 'y_cat', 'y_dog', 'p'. If 'y_cat', 'y_dog' say which class is true, write "
        "one column with the class of each row, in pandas idxmax(axis=1) over these; otherwise "
        "name the column with target=."
    )
    assert told(InvalidInput, target_among, ["y_cat", "p_y"], None, "x").endswith(
        "Name the one with target=."
    )


@pytest.mark.parametrize(
    "name",
    ["y", "y_true", "true_y", "label", "labels", "target", "class", "truth", "true_class",
     "true_label", "ground_truth", "actual", "outcome", "diagnosis"],
)  # fmt: skip
def test_words_for_targets(name: str) -> None:
    assert target_among(["p", name], None, "x") == name


def test_weights_and_groups_by_name() -> None:
    words = ("weight", "weights")
    assert role_among(["a", "Weight"], None, words, "weight", "x") == "Weight"
    assert role_among(["a"], None, words, "weight", "x") is None
    assert role_among(["weight"], False, words, "weight", "x") is None
    assert role_among(["weight"], "a", words, "weight", "x") == "a"
    assert told(InvalidInput, role_among, ["weights", "weight"], None, words, "weight", "x") == (
        "x: several columns could be the weight: 'weights', 'weight'. Choose one with weight=, for "
        "instance weight='weights'."
    )
    for wrong in (True, 3):
        assert told(InvalidType, role_among, ["weight"], wrong, words, "group", "x") == (
            f"group must be the name of a column, None or False, got {wrong}."
        )
    check_name(None, "target")
    check_name("", "target")


@pytest.mark.parametrize("name", ["weight", "weights", "sample weight", "case_weight"])
@pytest.mark.parametrize(
    "group", ["patient", "patient_id", "group", "groups", "group_id", "subject", "subject_id"]
)
def test_words_for_weights_and_groups(tmp_path: Path, name: str, group: str) -> None:
    found = read(tmp_path, f"y,p_a,p_b,{name},{group}", "a,.2,.8,1,u", "b,.9,.1,2,v", "a,.9,.1,2,w")
    assert (found.roles.weight, found.roles.group) == (name, group)


def test_the_target_is_no_weight_or_group(tmp_path: Path) -> None:
    found = read(
        tmp_path, "group,p_a,p_b,subject", "a,.2,.8,1", "b,.9,.1,2", "a,.9,.1,3", target="group"
    )
    assert found.roles.target == "group" and found.roles.group == "subject"


# Features and reader studies


def test_features_of_a_file(tmp_path: Path) -> None:
    path = put(tmp_path, ",Unnamed: 0,__index_level_0__,id,age,bmi,class", "0,0,0,7,30,1.5,b",
               "1,1,1,8,40,2.5,a")  # fmt: skip
    found = read_features(path, drop=("id",))
    assert found.features == ("age", "bmi") and found.X.tolist() == [[30, 1.5], [40, 2.5]]
    assert found.y.tolist() == ["b", "a"] and found.classes == ("a", "b")
    assert (found.path, found.target) == (str(path), "class")
    assert repr(found) == "FileFeatures(2 cases, features 'age', 'bmi')"
    assert found.describe() == "true classes in 'class'; features 'age', 'bmi'"
    other = read_features(path, target="id", drop=["class"])
    assert other.features == ("age", "bmi") and other.target == "id"
    assert told(InvalidInput, read_features, path, drop=["id", "age", "bmi"]) == (
        f"{path} has no features beside the column 'class'."
    )
    assert "no column 'z'" in told(InvalidInput, read_features, path, drop=["z"])
    assert "no column 'z'" in told(InvalidInput, read_features, path, target="z")
    assert told(InvalidType, read_features, path, target=3) == (
        "target must be the name of a column, got 3."
    )
    with pytest.raises(InvalidType, match="drop"):
        read_features(path, drop="id")
    wrong = put(tmp_path, "sex,class", "f,a", "m,b")
    assert told(InvalidType, read_features, wrong).endswith(
        "contains 'f' in row 0 (line 2), column 'sex'; expected a number. Correct it, or leave the "
        "column out with drop=."
    )


STUDY = ("c,r,m,t,s,u", "1,A,ct,0,3,.5", "2,A,ct,1,2,.25", "1,B,mr,0,1,.75")
NAMES = {"case": "c", "reader": "r", "modality": "m", "truth": "t"}


def test_readings_of_a_file(tmp_path: Path) -> None:
    path = put(tmp_path, *STUDY)
    found = read_readings(path, **NAMES, rating="s")
    assert {name: each.tolist() for name, each in found.columns.items()} == {
        "c": [1, 2, 1], "r": ["A", "A", "B"], "m": ["ct", "ct", "mr"], "t": [0, 1, 0],
        "s": [3, 2, 1],
    }  # fmt: skip
    assert found.options == {**NAMES, "rating": "s", "scores": None, "labels": None}
    assert len(found) == 3 and repr(found) == f"FileReadings(3 rows of {path})"
    by_class = read_readings(path, **NAMES, scores={"0": "s", "1": "u"}, labels=["1", "0"])
    assert by_class.options["scores"] == {0: "s", 1: "u"}
    assert by_class.options["labels"] == [1, 0] and by_class.options["rating"] is None
    assert by_class.columns["u"].tolist() == [0.5, 0.25, 0.75]
    listed = read_readings(path, **NAMES, scores=["u", "s"], labels=["1", "z"])
    assert listed.options["scores"] == ["u", "s"] and listed.options["labels"] == [1, "z"]
    assert list(listed.columns) == ["c", "r", "m", "t", "u", "s"]


def test_readings_that_are_refused(tmp_path: Path) -> None:
    path = put(tmp_path, *STUDY)
    both = {"rating": "s", "scores": ["s", "u"]}
    for options in ({}, both):
        assert told(InvalidInput, read_readings, path, **NAMES, **options) == (
            "Name either rating=, the column of ratings of two classes, or scores=, a column per "
            "class."
        )
    for option in NAMES:
        words = told(InvalidInput, read_readings, path, **{**NAMES, option: "z"}, rating="s")
        assert words.endswith(
            f"The columns are 'c', 'r', 'm', 't', 's', 'u'. Name the column with {option}=."
        )
        assert (
            told(InvalidType, read_readings, path, **{**NAMES, option: 3}, rating="s")
            == f"{option} must be the name of a column, got 3."
        )
    assert told(InvalidType, read_readings, path, **NAMES, rating=3) == (
        "rating must be the name of a column, got 3."
    )
    assert told(InvalidInput, read_readings, path, **NAMES, rating="z").endswith("'s', 'u'.")
    holed = put(tmp_path, "c,r,m,t,s", "1,A,ct,0,3", "2,,ct,1,2")
    assert told(InvalidInput, read_readings, holed, **NAMES, rating="s").endswith(
        "column 'r'. Name the reader of every row, or remove the row."
    )


# Scores


def test_models_are_named_after_the_file(tmp_path: Path) -> None:
    lines = ("y,p_a,p_b", "a,.2,.8", "b,.9,.1")
    for name, model in (("forest.csv", "forest"), ("a.b.csv", "a"), (".csv", "model"), ("m", "m")):
        assert list(read_predictions(put(tmp_path, *lines, name=name)).models) == [model]


def test_columns_that_are_there_twice_are_refused(tmp_path: Path) -> None:
    twice = ("y,p_a,p_b,p_b", "a,.2,.8,.8", "b,.9,.1,.1")
    assert "2 columns named 'p_b'" in told(InvalidInput, read, tmp_path, *twice)
    assert "2 columns named 'p_b'" in told(
        InvalidInput, read, tmp_path, *twice, columns={"a": "p_a", "b": "p_b"}
    )
    other = ("y,p_a,p_b,q,q", "a,.2,.8,1,1", "b,.9,.1,1,1")
    assert read(tmp_path, *other).roles.unused == ("q",)


def test_what_was_read_cannot_be_changed(tmp_path: Path) -> None:
    """Nor do two readings of one file compare, which hold arrays."""
    path = put(tmp_path, HEADER, *ROWS)
    study, cases = put(tmp_path, *STUDY, name="s.csv"), ("age,class", "1,a", "2,b")
    features = put(tmp_path, *cases, name="f.csv")
    for make in (
        lambda: read_predictions(path),
        lambda: read_features(features),
        lambda: read_readings(study, **NAMES, rating="s"),
        lambda: read_table(path),
    ):
        one, other = make(), make()
        assert one == one and one != other and len({one, other}) == 2
        with pytest.raises(AttributeError):
            one.path = "elsewhere"
    with pytest.raises(AttributeError):
        read_predictions(path).roles.target = "z"  # type: ignore[misc]
    assert "array" not in repr(read_table(path)) and "HEADER" not in repr(read_table(path))
