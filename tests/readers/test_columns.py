"""Which column is what: guesses, options, and ambiguity that is told, not resolved."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.readers import FilePredictions, read_features, read_predictions
from polyroc.readers._delimited import header_of

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), min_size=1
)


def read(folder: Path, header: str, *rows: str, **options: Any) -> FilePredictions:
    path = folder / "x.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return read_predictions(path, **options)


@pytest.mark.parametrize("target", ["y", "Y_True", "label", "Class", "truth", "ground truth"])
@pytest.mark.parametrize("start", ["", "p_", "prob_", "proba_", "score_", "p:", "odd_"])
def test_names_of_targets_and_beginnings(target: str, start: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"{target},{start}b,{start}a,id", "a,.2,.8,7", "b,.9,.1,8")
    assert found.labels == ("b", "a"), "the order of the columns"
    assert found.roles.target == target
    assert list(found.models) == ["odd" if start == "odd_" else "x"]
    assert next(iter(found.models.values())).tolist() == [[0.2, 0.8], [0.9, 0.1]]
    assert found.roles.unused == ("id",)


def test_several_models(tmp_path: Path) -> None:
    header = "y,m 1:a,m 1:b,m:2:a,m:2:b"
    found = read(tmp_path, header, "a,1,2,3,4", "b,5,6,7,8")
    assert {name: table.tolist() for name, table in found.models.items()} == {
        "m 1": [[1, 2], [5, 6]],
        "m:2": [[3, 4], [7, 8]],
    }
    with pytest.raises(InvalidInput, match=r"has the models 'm 1', 'm:2'\. Choose one with model="):
        found.predictions()
    with pytest.raises(UnknownName, match=r"no model 'm'\. There are 'm 1', 'm:2'\."):
        read(tmp_path, header, "a,1,2,3,4", "b,5,6,7,8", model="m")


def test_models_with_other_separators(tmp_path: Path) -> None:
    found = read(tmp_path, "y,rf_a,rf_b,svm_a,svm_b", "a,1,2,3,4", "b,5,6,7,8")
    assert list(found.models) == ["rf", "svm"]


def test_separators_after_a_quote_that_is_not_closed_do_not_count() -> None:
    assert header_of(b'y;p_a;p_"b, c, d, e\n') == (b'y;p_a;p_"b, c, d, e\n', ";")
    assert header_of(b'y;p_a;"p_b, c, d, e"\n') == (b'y;p_a;"p_b, c, d, e"', ";")


@given(st.lists(NAMES, min_size=2, max_size=5, unique=True), st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names_of_classes(tmp_path: Path, names: list[str], data: st.DataObject) -> None:
    """Whatever the classes are called, each finds its own column."""
    import pyarrow as pa
    import pyarrow.parquet

    order = data.draw(st.permutations(names))
    scores = {f"forest:{name}": [float(names.index(name))] * len(names) for name in order}
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"the truth": names, **scores}), path)
    found = read_predictions(path, target="the truth")
    assert found.models.keys() == {"forest"}
    assert found.models["forest"][0].tolist() == [names.index(str(c)) for c in found.labels]


def test_numbers_as_labels(tmp_path: Path) -> None:
    found = read(tmp_path, "y,p_01,p_10,p_-2", "1,.8,.1,.1", "10,.1,.8,.1", "-2,.1,.1,.8")
    assert found.labels == (1, 10, -2)
    typed = read(tmp_path, "y,p_1,p_2", "1,.8,.2", "2,.1,.9", labels=["2", "1"])
    assert typed.labels == (2, 1)
    assert typed.models["x"].tolist() == [[0.2, 0.8], [0.9, 0.1]]
    with pytest.raises(InvalidType, match="labels names 'z', but the true classes are whole"):
        read(tmp_path, "y,p_1,p_2", "1,.8,.2", "2,.1,.9", labels=["1", "z"])
    with pytest.raises(InvalidType, match="labels names True, but the true classes are whole"):
        read(tmp_path, "y,p_1,p_2", "1,.8,.2", "2,.1,.9", labels=[True, False])


def test_a_class_without_cases_keeps_its_column(tmp_path: Path) -> None:
    for header in ("y,p_a,p_b,p_c", "y,m:a,m:b,m:c", "y,a,b,c"):
        found = read(tmp_path, header, "a,.5,.3,.2", "b,.3,.5,.2")
        assert found.labels == ("a", "b", "c")
    numbers = read(tmp_path, "y,p_1,p_2,p_3", "1,.5,.3,.2", "2,.3,.5,.2")
    assert numbers.labels == (1, 2, 3)


def test_classes_without_cases_among_other_columns(tmp_path: Path) -> None:
    rows = ("a,.5,.3,.2,20", "b,.3,.5,.2,31", "b,.25,.74,.02,7", "a,.6,.25,.15,44")
    for header in ("y,a,b,c,age", "y,a,b,bird,id"):
        found = read(tmp_path, header, *rows)
        assert found.labels == ("a", "b", header.split(",")[3])
        assert found.roles.unused == (header.split(",")[4],)
        assert read(tmp_path, header, *rows, labels=["a", "b"]).labels == ("a", "b")
    logits = ("class 0,1.5,-.3,.2,20", "class 1,-.3,.5,3,31")
    assert len(read(tmp_path, "y,class 0,class 1,class 2,age", *logits).labels) == 3
    assert len(read(tmp_path, "y,class 0,class 1,height,age", *logits).labels) == 2
    with pytest.raises(InvalidInput, match=r"sum to 1, but do together with 'c', or with 'd'"):
        read(tmp_path, "y,a,b,c,d", "a,.5,.3,.2,.2", "b,.3,.5,.2,.2")
    with pytest.raises(InvalidInput, match=r"'p_a', 'p_b' do not sum to 1, but do .* with 'c'\."):
        read(tmp_path, "y,p_a,p_b,c,age", *rows)
    with pytest.raises(InvalidInput, match=r"no column of scores for 'a', but 'p_b' for 'b', and"):
        read(tmp_path, "y,p_b,p_c,age", "a,.5,.3,20", "b,.3,.5,31")


def test_many_other_columns_are_told_from_classes_without_cases(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    scores, noise = rng.dirichlet(np.ones(5), 60), rng.random((60, 20))
    names = ["a", "b", *(f"feature {k}" for k in range(20)), "red", "green", "blue"]
    cells = np.hstack([scores[:, :2], noise, scores[:, 2:]])
    rows = [
        f"{'ab'[k % 2]},{','.join(f'{cell:.5f}' for cell in row)}" for k, row in enumerate(cells)
    ]
    found = read(tmp_path, ",".join(["y", *names]), *rows)
    assert found.labels == ("a", "b", "red", "green", "blue")
    without = [",".join(row.split(",")[:-1]) for row in rows]
    assert read(tmp_path, ",".join(["y", *names[:-1]]), *without).labels == ("a", "b")


def test_columns_beside_complete_rows_are_no_classes(tmp_path: Path) -> None:
    found = read(tmp_path, "y,a,b,age", "a,.5,.5,20", "b,.3,.7,30")
    assert (found.labels, found.roles.unused) == (("a", "b"), ("age",))


def test_one_column_for_two_classes(tmp_path: Path) -> None:
    rows = ("a,.2", "b,.9")
    for header, labels in (
        ("y,score", ("a", "b")),
        ("y,p_b", ("a", "b")),
        ("y,p_a", ("b", "a")),
    ):
        found = read(tmp_path, header, *rows)
        assert (found.labels, found.models["x"].shape) == (labels, (2, 1))
    models = read(tmp_path, "y,m:b,n:b", "a,.2,.3", "b,.9,.8")
    assert (models.labels, list(models.models)) == (("a", "b"), ["m", "n"])
    assert read(tmp_path, "y,p_a,q", "a,.2,1", "b,.9,1", columns=["p_a"]).labels == ("b", "a")
    assert read(tmp_path, "y,p_a,q", "a,.2,1", "b,.9,1", columns=["q"]).labels == ("a", "b")


def test_weights_and_groups(tmp_path: Path) -> None:
    rows = ("a,.2,.8,2,u", "b,.9,.1,0,v", "b,.8,.2,1,w", "a,.3,.7,1,u")
    header = "y,p_a,p_b,Sample_Weight,patient"
    found = read(tmp_path, header, *rows)
    assert found.sample_weight is not None and found.groups is not None
    assert found.sample_weight.tolist() == [2, 0, 1, 1]
    assert found.groups.tolist() == [0, 1, 2, 0]
    assert "weights in 'Sample_Weight'; groups in 'patient'" in found.roles.describe()
    declined = read(tmp_path, header, *rows, weight=False, group=False)
    assert declined.sample_weight is None and declined.groups is None
    with pytest.raises(InvalidInput, match=r"could be the weight: 'weight', 'weights'"):
        read(tmp_path, "y,p_a,p_b,weight,weights", "a,.2,.8,2,1", "b,.9,.1,0,1")


def test_two_groups_are_not_taken_unless_they_are_asked_for(tmp_path: Path) -> None:
    header, rows = "y,p_a,p_b,group", [f"{'ab'[k % 2]},.2,.8,{k % 4 // 2}" for k in range(12)]
    found = read(tmp_path, header, *rows)
    assert (found.groups, found.roles.group, found.roles.unused) == (None, None, ("group",))
    asked = read(tmp_path, header, *rows, group="group")
    assert asked.groups is not None and asked.roles.group == "group"
    assert asked.groups.tolist() == [k % 4 // 2 for k in range(12)]


@pytest.mark.parametrize("missing", ["", "NA", "nan", "None"])
def test_missing_groups(missing: str, tmp_path: Path) -> None:
    for name in ("u", "7"):
        rows = (f"a,.2,.8,{name}", f"b,.9,.1,{missing}", f"a,.9,.1,{name}")
        for options in ({}, {"group": "patient"}):
            with pytest.raises(InvalidInput, match=r"no value in row 1 \(line 3\), column 'pat"):
                read(tmp_path, "y,p_a,p_b,patient", *rows, **options)
        assert read(tmp_path, "y,p_a,p_b,patient", *rows, group=False).groups is None


@pytest.mark.parametrize("text", ["0.7_0", "０.７", "0,7", "٠.٧", "1e", "0x1p3", "--1", "+-1"])
def test_texts_that_only_look_like_numbers(text: str, tmp_path: Path) -> None:
    with pytest.raises(
        InvalidType,
        match=r"contains .* in row 1 \(line 3\), column 'p_b'; "
        r"expected",
    ):
        read(tmp_path, "y;p_a;p_b", "a;.2;.8", f"b;.9;{text}")
    plain = read(tmp_path, "y;p_a;p_b", "a;.2;+.8", "b;.9;1E-1", "a;1.;-0")
    assert plain.models["x"][:, 1].tolist() == [0.8, 0.1, 0]


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        ({"a": "u", "b": "v"}, None),
        ({"b": "v", "a": "u"}, ["a", "b"]),
        (["u", "v"], ["a", "b"]),
    ],
)
def test_columns_by_name(columns: Any, labels: Any, tmp_path: Path) -> None:
    options = {"columns": columns, "labels": labels}
    found = read(tmp_path, "y,u,v", "a,.2,.8", "b,.9,.1", **options)
    assert found.labels == ("a", "b")
    assert found.models["x"].tolist() == [[0.2, 0.8], [0.9, 0.1]]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"columns": ["u", "v"]}, InvalidInput, "do not say which of the classes 'a', 'b'"),
        ({"columns": {"a": "u"}, "labels": ["a", "b"]}, InvalidInput, "no column for .* 'b'"),
        ({"columns": "u"}, InvalidType, "names of columns, or a mapping"),
        ({"columns": ["u", 3], "labels": ["a", "b"]}, InvalidType, "named by strings, got 3"),
        ({"columns": ["u", "v", "w"], "labels": ["a", "b"]}, InvalidInput, "no column 'w'"),
        ({"labels": []}, InvalidInput, "labels names no class"),
        ({"labels": ["a", "a"]}, InvalidInput, "name 'a' (twice|more than once)"),
        ({"target": "q"}, InvalidInput, "no column 'q'"),
        ({"weight": "q"}, InvalidInput, "no column 'q'"),
        ({}, InvalidInput, "no columns are named after the classes 'a', 'b'"),
        ({}, InvalidInput, r"such as columns=\{'a': 'u', 'b': 'v'\}, or another column of true"),
        ({"columns": {"a": "u"}, "labels": ["a", "b"]}, InvalidInput, "for the class 'b'"),
        (
            {"columns": {"a": "u", "B1": "v"}},
            InvalidInput,
            r"'y' has the label 'b' in row 1, but columns= names columns for 'a', 'B1' only"
            r"\. Correct the label or",
        ),
    ],
)
def test_options_that_do_not_fit(
    options: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        read(tmp_path, "y,u,v", "a,.2,.8", "b,.9,.1", **options)


def test_ambiguity_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"several sets of columns .* 'a', 'p_a' for the first"):
        read(tmp_path, "y,a,b,p_a,p_b", "a,1,0,.8,.2", "b,0,1,.1,.9")
    with pytest.raises(InvalidInput, match="models have columns for different classes"):
        read(tmp_path, "y,m:a,m:b,n:a,n:b,n:c", "a,1,0,.8,.2,0", "b,0,1,.1,.9,0")
    with pytest.raises(InvalidInput, match="2 columns for the class 1: 'p_1', 'p_01'"):
        read(tmp_path, "y,p_1,p_01,p_2", "1,1,0,0", "2,0,1,0")


def test_features(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(",id,age,ill,class\n0,7,30,true,a\n1,8,40,false,b\n")
    found = read_features(path, drop=["id"])
    assert (found.features, found.classes, found.target) == (("age", "ill"), ("a", "b"), "class")
    assert found.X.tolist() == [[30, 1], [40, 0]]
    with pytest.raises(InvalidInput, match="no features beside the column 'class'"):
        read_features(path, drop=["id", "age", "ill"])
    path.write_text("sex,age,class\nf,30,a\nm,,b\n")
    with pytest.raises(InvalidType, match=r"contains 'f' in row 0 \(line 2\), column 'sex'"):
        read_features(path)
    with pytest.raises(InvalidInput, match=r"no value in row 1 .* leave the column out with drop="):
        read_features(path, drop=["sex"])


def test_results_cannot_be_changed(tmp_path: Path) -> None:
    found = read(tmp_path, "y,p_a,p_b", "a,.2,.8", "b,.9,.1")
    with pytest.raises(AttributeError):
        found.labels = ("b", "a")  # type: ignore[misc]
    assert np.isfinite(found.models["x"]).all()


def test_names_that_are_equal_as_numbers_stay_apart(tmp_path: Path) -> None:
    names = ["1.1", "1.10", "1.1", "2.0", "02", "2"]
    rows = [f"{'ab'[k % 2]},.{k + 1},.{9 - k},{name}" for k, name in enumerate(names)]
    found = read(tmp_path, "y,p_a,p_b,patient", *rows)
    assert found.groups is not None and found.group_names is not None
    assert found.groups.tolist() == [0, 1, 0, 2, 3, 4]
    assert found.group_names.tolist() == names
    ids = [*names[:2], "1.100", *names[3:]]
    rows = [f"{row.rpartition(',')[0]},{name}" for row, name in zip(rows, ids, strict=True)]
    found = read(tmp_path, "y,p_a,p_b,scan", *rows, case_id="scan")
    assert found.case_ids["scan"].tolist() == ids
    found = read(tmp_path, "y,p_a,p_b,scan", "a,.1,.9,007", "b,.2,.8,8", case_id="scan")
    assert found.case_ids["scan"].tolist() == [7, 8]


def test_columns_in_order_are_not_named_after_other_classes(tmp_path: Path) -> None:
    three = "y,p_1,p_2,p_10", "1,.7,.2,.1", "2,.1,.8,.1", "10,.2,.3,.5"
    columns = ["p_1", "p_2", "p_10"]
    found = read(tmp_path, *three, columns=columns, labels=[1, 2, 10])
    assert found.labels == (1, 2, 10)
    for labels in ([10, 2, 1], [2, 1, 10]):
        with pytest.raises(InvalidInput, match=r"column 'p_\d+' to the class \d+, but it is named"):
            read(tmp_path, *three, columns=columns, labels=labels)
    by_class = dict(zip([10, 2, 1], columns, strict=True))
    assert read(tmp_path, *three, columns=by_class).labels == (10, 2, 1)
    one = "y,p_ill,x", "ill,.7,.3", "well,.2,.8", "ill,.6,.4"
    assert read(tmp_path, *one, columns=["p_ill"], labels=["well", "ill"]).roles.score_of == "ill"
    assert read(tmp_path, *one, columns=["x"], labels=["ill", "well"]).roles.score_of == "well"
    with pytest.raises(InvalidInput, match="'p_ill' to the class 'well', but it is named after"):
        read(tmp_path, *one, columns=["p_ill"], labels=["ill", "well"])
