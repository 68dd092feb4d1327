"""Which files are found, and which of their columns hold what."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.scale import Layout
from polyroc.scale._discovery import FilesSurvey, distinct_labels, find_files, labels_in, layout_of

SMALL = pa.table({"y": ["a", "b", "a"], "a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]})


@dataclass
class Frame:
    """A table as a survey sees it; it notes what it is asked for."""

    columns: dict[str, Any]
    twice: tuple[str, ...] = ()
    asked: list[Any] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [*self.columns, *self.twice]

    def labels(self, target: str) -> set[Any]:
        self.asked.append(target)
        return set(self.columns[target])

    def has_numbers(self, target: str) -> bool:
        return not isinstance(self.columns[target][0], str)

    def first_rows(self, names: list[str]) -> Any:
        self.asked.append(tuple(names))
        arrays = [pa.array(self.columns[name]) for name in names]
        return pa.record_batch(arrays, names) if len(arrays[0]) else None


def layout(table: dict[str, Any], /, **options: Any) -> Layout:
    asked = {"target": "y", "classes": None, "columns": None, "weight": None, **options}
    return layout_of(Frame(table), **asked)


P = [0.25, 0.75, 0.5]
Q = [0.75, 0.25, 0.5]


# Files


def paths(tmp_path: Path, *names: str) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(SMALL, tmp_path / name, row_group_size=2)


def found_in(given: Any, folder: Path) -> list[str]:
    return [str(Path(each.path).relative_to(folder)) for each in find_files(given).files]


def test_files_folders_and_patterns(tmp_path: Path) -> None:
    paths(tmp_path, "c.parquet", "a.parquet", "sub/b.parquet", "sub/deep/z.parquet", "sub/a.parq")
    at = str(tmp_path)
    assert found_in(tmp_path / "c.parquet", tmp_path) == ["c.parquet"]
    assert found_in(f"{at}/*.parquet", tmp_path) == ["a.parquet", "c.parquet"]
    assert found_in(f"{at}/**/*.parquet", tmp_path) == [
        *("a.parquet", "c.parquet", "sub/b.parquet", "sub/deep/z.parquet"),
    ]
    several = [f"{at}/sub", f"{at}/c.parquet", Path(at) / "a.parquet"]
    in_order = ["sub/b.parquet", "sub/deep/z.parquet", "c.parquet", "a.parquet"]
    assert found_in(several, tmp_path) == in_order
    assert found_in(iter(several), tmp_path) == in_order
    assert found_in(np.array([str(each) for each in several]), tmp_path) == in_order
    assert found_in([f"{at}/c.parquet", f"{at}/*.parquet"], tmp_path) == [
        *("c.parquet", "a.parquet", "c.parquet"),
    ]


def test_files_of_a_folder_come_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whichever order the system lists them."""
    paths(tmp_path, "c.parquet", "sub/b.parquet", "sub/a.parquet")
    at = tmp_path / "sub"
    for listed in ([at / "a.parquet", at / "b.parquet"], [at / "b.parquet", at / "a.parquet"]):
        monkeypatch.setattr(Path, "rglob", lambda self, pattern, given=listed: iter(given))
        assert found_in([at, tmp_path / "c.parquet"], tmp_path) == [
            *("sub/a.parquet", "sub/b.parquet", "c.parquet"),
        ]


def test_a_name_with_signs_of_a_pattern_is_a_file(tmp_path: Path) -> None:
    paths(tmp_path, "a[1].parquet", "a1.parquet")
    assert found_in(tmp_path / "a[1].parquet", tmp_path) == ["a[1].parquet"]
    (tmp_path / "a[1].parquet").unlink()
    assert found_in(tmp_path / "a[1].parquet", tmp_path) == ["a1.parquet"]


def test_files_of_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths(tmp_path, "a.parquet")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert found_in("~/a.parquet", tmp_path) == ["a.parquet"]


def test_what_is_known_of_a_file(tmp_path: Path) -> None:
    from polyroc.scale._stamps import stamp_of

    paths(tmp_path, "k=1/a.parquet", "k=2/b.parquet")
    found = find_files(tmp_path)
    assert [each.keys for each in found.files] == [{"k": 1}, {"k": 2}]
    for each in found.files:
        assert each.n_rows == 3 and each.groups == (2, 1)
        assert each.stamp == stamp_of(each.path) and each.row_groups is None
    assert found.n_rows == 6 and found.schema.names == ["y", "a", "b", "k"]
    listed = find_files([tmp_path / "k=1/a.parquet", tmp_path / "k=2/b.parquet"])
    assert [each.keys for each in listed.files] == [{"k": 1}, {"k": 2}]


def test_paths_that_are_none(tmp_path: Path) -> None:
    for wrong, message in (
        (7, "path must be a path, a pattern or several, got 7."),
        (np.array("x"), "path must be a path, a pattern or several, got "),
        ([b"x"], "path must be a path, a pattern or several, got b'x'."),
    ):
        with pytest.raises(InvalidType) as caught:
            find_files(wrong)  # type: ignore[arg-type]
        assert str(caught.value).startswith(message)
    for empty, message in (
        ("", "A path is empty. Pass a file, a folder or a pattern."),
        ([""], "A path is empty. Pass a file, a folder or a pattern."),
        ([], "There are no files: the list of paths is empty. Pass at least one."),
    ):
        with pytest.raises(InvalidInput) as refused:
            find_files(empty)
        assert str(refused.value) == message
    missing = str(tmp_path / "none.parquet")
    with pytest.raises(InvalidInput) as refused:
        find_files(missing)
    said = f"There is no file or folder {shown(missing)}. Check the path or the pattern."
    assert str(refused.value) == said
    with pytest.raises(InvalidInput) as refused:
        find_files(tmp_path)
    said = f"There are no Parquet files in {shown(str(tmp_path))}. Pass another path."
    assert str(refused.value) == said


def test_files_of_another_kind_are_named(tmp_path: Path) -> None:
    paths(tmp_path, "a.parquet")
    text = tmp_path / "scores.csv"
    text.write_text("y,a,b\n")
    only = f"{shown(str(text))} is not a Parquet file, the only kind that is read in pieces."
    for given in (text, [text, tmp_path / "a.parquet"]):
        with pytest.raises(InvalidInput) as caught:
            find_files(given)
        assert str(caught.value) == f"{only} Pass Parquet files of one schema."
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-20])
    with pytest.raises(InvalidInput, match=r"Pass Parquet files of one schema\.$") as caught:
        find_files(tmp_path / "cut.parquet")
    assert "the only kind" not in str(caught.value)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "cut.parquet").write_bytes(whole[:-20])
    with pytest.raises(InvalidInput, match=r"Pass Parquet files of one schema\.$") as caught:
        find_files(tmp_path / "folder")
    assert "the only kind" not in str(caught.value)


def test_tables_of_absurd_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc._base import table_size
    from polyroc.scale import _discovery as discovery

    paths(tmp_path, "a.parquet", "b.parquet")
    monkeypatch.setattr(table_size, "MOST_COLUMNS", 3)
    assert len(find_files(tmp_path / "a.parquet").files) == 1
    monkeypatch.setattr(table_size, "MOST_COLUMNS", 2)
    with pytest.raises(InvalidInput, match=r"a\.parquet has more than 2 columns"):
        find_files(tmp_path / "a.parquet")
    monkeypatch.setattr(discovery, "LONGEST_LIST", 3)
    with pytest.raises(InvalidInput, match=r"a\.parquet has more than 2 columns"):
        find_files(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match=r"^One of the files has more than 2 columns"):
        find_files([tmp_path / "a.parquet", tmp_path / "b.parquet"])


def test_what_files_say_of_themselves(tmp_path: Path) -> None:
    table = SMALL.append_column("n", pa.array([1, 2, 3])).append_column(
        "t", pa.array([True, False, True])
    )
    pq.write_table(table, tmp_path / "a.parquet")
    survey = FilesSurvey(find_files(tmp_path / "a.parquet"))
    assert survey.names == ["y", "a", "b", "n", "t"]
    assert [survey.has_numbers(name) for name in survey.names] == [False, True, True, True, False]
    assert survey.labels("y") == {"a", "b"} and survey.labels("n") == {1, 2, 3}
    rows = survey.first_rows(["b", "n"])
    assert rows is not None and rows.to_pydict() == {"b": [0.1, 0.8, 0.4], "n": [1, 2, 3]}
    with pytest.raises(FrozenInstanceError):
        survey.files = None  # type: ignore[misc, assignment]
    pq.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    assert FilesSurvey(find_files(tmp_path / "empty.parquet")).first_rows(["b"]) is None


def test_labels_of_all_pieces(tmp_path: Path) -> None:
    for name, labels in (("a", ["x", "y"]), ("b", ["z", "x"])):
        pq.write_table(pa.table({"y": labels}), tmp_path / f"{name}.parquet", row_group_size=1)
    assert labels_in(find_files(tmp_path), "y") == {"x", "y", "z"}
    assert distinct_labels(pa.array([3, 1, 3]), "y", 0, "here") == {1, 3}
    with pytest.raises(InvalidInput, match="'y' is null in row 7 of here"):
        distinct_labels(pa.array(["a", "b", None]), "y", 5, "here")


# Columns


def test_columns_named_after_classes_in_sorted_order() -> None:
    found = layout({"b": P, "y": ["b", "a", "b"], "a": Q})
    assert found == Layout("y", ("a", "b"), ("a", "b"), None)
    beginning = layout({"p_b": P, "p_a": Q, "y": ["b", "a", "b"], "w": [1.0, 2.0, 3.0]}, weight="w")
    assert beginning == Layout("y", ("a", "b"), ("p_a", "p_b"), "w")
    numbers = layout({"10": P, "9": Q, "y": [10, 9, 10]})
    assert numbers == Layout("y", (9, 10), ("9", "10"), None)


def test_classes_as_given_keep_their_order() -> None:
    columns = {"y": ["b", "a", "b"], "a": Q, "b": P}
    assert layout(columns, classes=["b", "a"]) == Layout("y", ("b", "a"), ("b", "a"), None)
    frame = Frame(columns)
    layout_of(frame, "y", ["b", "a"], None, None)
    assert "y" not in frame.asked  # labels need not be looked for
    layout_of(frame, "y", None, None, None)
    assert "y" in frame.asked
    chosen = layout({**columns, "c": P}, classes=["b", "a"], columns=["c", "a"])
    assert chosen == Layout("y", ("b", "a"), ("c", "a"), None)


def test_columns_by_class() -> None:
    columns = {"y": ["b", "a", "b"], "one": Q, "two": P}
    found = layout(columns, columns={"b": "two", "a": "one"})
    assert found == Layout("y", ("b", "a"), ("two", "one"), None)
    with pytest.raises(InvalidInput, match=r"^columns= names the classes already\. Leave classes="):
        layout(columns, columns={"b": "two", "a": "one"}, classes=["a", "b"])


def test_one_column_belongs_to_the_second_class() -> None:
    for labels in (["no", "yes", "no"], [0, 1, 0]):
        found = layout({"y": labels, "score": P})
        assert found == Layout("y", tuple(sorted(set(labels))), ("score",), None)
    chosen = layout({"y": ["no", "yes", "no"], "s": P, "t": Q}, columns=["t"])
    assert chosen == Layout("y", ("no", "yes"), ("t",), None)


def test_classes_are_labels_of_the_kind_of_the_column() -> None:
    """As a command line names them: 1 and "1" are one class, whichever the column has."""
    numbers = {"y": [1, 2, 1], "1": P, "2": Q}
    assert layout(numbers, classes=["2", "1"]).classes == (2, 1)
    assert layout(numbers, columns={"2": "2", "1": "1"}).classes == (2, 1)
    texts = {"y": ["1", "2", "1"], "1": P, "2": Q}
    assert layout(texts, classes=["2", "1"]).classes == ("2", "1")


def test_two_models_must_be_told_apart() -> None:
    columns = {"y": ["a", "b", "a"], "m_a": P, "m_b": Q, "n_a": Q, "n_b": P}
    with pytest.raises(InvalidInput) as caught:
        layout(columns)
    assert str(caught.value) == (
        "There are the models 'm', 'n'. Name the columns of one of them in columns=."
    )
    found = layout(columns, columns=["n_a", "n_b"], classes=["a", "b"])
    assert found.columns == ("n_a", "n_b")


def test_the_column_of_labels_and_weights_hold_no_scores() -> None:
    """A class that is named like one of them is not mistaken for it."""
    found = layout({"y": ["w", "y", "w"], "w": P, "p_w": P, "p_y": Q}, weight="w")
    assert found == Layout("y", ("w", "y"), ("p_w", "p_y"), "w")


def test_columns_that_are_not_there() -> None:
    columns = {"label": ["a", "b", "a"], "a": P, "b": Q}
    listed = "The columns are 'label', 'a', 'b'."
    for options, said in (
        ({"target": "labels"}, f"There is no column 'labels'. Did you mean 'label'? {listed}"),
        ({"target": "zzz"}, f"There is no column 'zzz'. {listed}"),
        ({"target": "label", "weight": "www"}, f"There is no column 'www'. {listed}"),
    ):
        with pytest.raises(InvalidInput) as caught:
            layout(columns, **options)
        assert str(caught.value) == said
    for options in ({"target": 3}, {"target": "label", "weight": 3}):
        with pytest.raises(InvalidType, match=r"^Columns are named by strings, got 3\.$"):
            layout(columns, **options)


def test_columns_that_are_there_twice() -> None:
    columns = {"y": ["a", "b", "a"], "a": P, "b": Q}
    twice = "There is more than one column 'y'. The columns are 'y', 'a', 'b', 'y'."
    with pytest.raises(InvalidInput) as caught:
        layout_of(Frame(columns, ("y",)), "y", None, None, None)
    assert str(caught.value) == twice
    for options in ({"columns": ["a", "b"], "classes": ["a", "b"]}, {}):
        asked: dict[str, Any] = {"classes": None, "columns": None, "weight": None, **options}
        with pytest.raises(InvalidInput, match="more than one column 'b'"):
            layout_of(Frame(columns, ("b",)), "y", **asked)


@pytest.mark.parametrize(("labels", "said"), [(["a", "a", "a"], "'a'"), ([4, 4, 4], "4")])
def test_at_least_two_labels_occur(labels: list[Any], said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        layout({"y": labels, "a": P, "b": Q})
    assert str(caught.value) == (
        f"Column 'y' contains {said}, and at least two classes are needed. Check the column, or "
        "name all classes in classes=."
    )
    with pytest.raises(InvalidInput, match="'y' contains nothing, and"):
        layout({"y": [], "a": [], "b": []})


def test_only_columns_of_numbers_are_looked_at() -> None:
    """Of those that are there once; a column without rows says nothing."""
    from polyroc.scale._discovery import _numbers

    frame = Frame({"y": ["a", "b"], "n": [1, 2], "m": [0.5, None], "d": [1, 1]}, ("d",))
    found = _numbers(frame, ["y", "n", "m", "d"])
    assert list(found) == ["n", "m"] and frame.asked == [("n", "m")]
    assert found["n"].tolist() == [1.0, 2.0] and found["n"].dtype == np.float64
    assert found["m"][0] == 0.5 and np.isnan(found["m"][1])
    third = _numbers(Frame({"t": [1 / 3]}), ["t"])
    assert third["t"].tolist() == [1 / 3]
    signalling = np.array([0xFF800005], dtype=np.uint32).tobytes()
    column = pa.Array.from_buffers(pa.float32(), 1, [None, pa.py_buffer(signalling)])
    assert np.isnan(_numbers(Frame({"t": column}), ["t"])["t"]).all()  # without a warning
    nothing = Frame({"y": ["a", "b"]})
    assert _numbers(nothing, ["y"]) == {} and nothing.asked == []
    assert _numbers(Frame({"n": pa.array([], pa.int64())}), []) == {}


def test_no_rows_hold_no_numbers() -> None:
    from polyroc.scale._discovery import _numbers

    class Empty(Frame):
        def has_numbers(self, target: str) -> bool:
            return True

    assert _numbers(Empty({"n": pa.array([], pa.float64())}), ["n"]) == {}
