"""The same cases in every format, encoding and dialect; files that are broken."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from polyroc.errors import InvalidInput, InvalidType, PolyrocError
from polyroc.readers import read_predictions, read_table
from polyroc.readers._delimited import line_of

LABELS = ["a", "é", "a", "b c"]
SCORES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.5, 0.25, 0.25], [0.0, 0.125, 0.875]])
CLASSES = ("a", "é", "b c")
COLUMNS = {"y": LABELS, **{f"p_{c}": SCORES[:, k].tolist() for k, c in enumerate(CLASSES)}}
TEXT = "\n".join(
    ["y,p_a,p_é,p_b c"]
    + [f"{y},{','.join(map(str, row))}" for y, row in zip(LABELS, SCORES.tolist(), strict=True)]
)


def write_text(text: str, encoding: str = "utf-8") -> Callable[[Path], Any]:
    return lambda path: path.write_bytes(text.encode(encoding))


def write_stream(path: Path) -> None:
    table = pa.table(COLUMNS)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def write_npz(path: Path) -> None:
    with path.open("wb") as file:
        np.savez(file, y_true=np.array(LABELS), y_score=SCORES, labels=np.array(CLASSES))


def write_categories(path: Path) -> None:
    table = pa.table(COLUMNS)
    index = table.schema.get_field_index("y")
    table = table.set_column(index, "y", table["y"].dictionary_encode())
    pa.parquet.write_table(table, path)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "csv": write_text(TEXT),
    "with a last line end": write_text(TEXT + "\n"),
    "byte order mark": write_text(TEXT, "utf-8-sig"),
    "UTF-16": write_text(TEXT, "utf-16"),
    "UTF-16 big endian": lambda path: path.write_bytes(b"\xfe\xff" + TEXT.encode("utf-16-be")),
    "Windows line ends": write_text(TEXT.replace("\n", "\r\n")),
    "blanks": write_text(TEXT.replace(",", " , ")),
    "empty lines": write_text("\n" + TEXT.replace("\n", "\n\n") + "\n\n"),
    "tabs": write_text(TEXT.replace(",", "\t")),
    "semicolons": write_text(TEXT.replace(",", ";")),
    "bars": write_text(TEXT.replace(",", "|")),
    "quoted": write_text(TEXT.replace("y,", '"y",', 1).replace("p_b c", '"p_b c"')),
    "gzip": lambda path: path.write_bytes(gzip.compress(TEXT.encode())),
    "parquet": lambda path: pa.parquet.write_table(pa.table(COLUMNS), path),
    "categories": write_categories,
    "feather": lambda path: pa.feather.write_feather(pa.table(COLUMNS), path),
    "Arrow stream": write_stream,
    "npz": write_npz,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_gives_the_same(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "forest.any"
    WRITERS[kind](path)
    read = read_predictions(path)
    assert read.y_true.tolist() == LABELS
    assert read.labels == CLASSES
    assert list(read.models) == ["forest"]
    assert np.array_equal(read.models["forest"], SCORES)
    assert read.predictions().n_classes == 3


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_cut_anywhere_is_read_or_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "forest.any"
    WRITERS[kind](path)
    content = path.read_bytes()
    for end in range(0, len(content), max(1, len(content) // 40)):
        path.write_bytes(content[:end])
        assert "\n" not in outcome(path)


@pytest.mark.parametrize("kind", ["csv", "UTF-16", "gzip", "parquet", "feather", "npz"])
def test_bytes_that_were_changed_are_read_or_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    """Whatever the parsers raise; and a broken Arrow file must not show other memory."""
    path = tmp_path / "forest.any"
    WRITERS[kind](path)
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(1)
    for _ in range(150):
        changed = content.copy()
        places = rng.integers(0, len(content), size=rng.integers(1, 6))
        changed[places] = rng.integers(0, 256, size=len(places))
        path.write_bytes(changed.tobytes())
        words = outcome(path)
        assert "\n" not in words and len(words) < 600


def outcome(path: Path) -> str:
    """What reading a file comes to, in words; anything but an error of ours is raised."""
    try:
        return repr(read_predictions(path))
    except PolyrocError as error:
        return str(error)


def test_types_of_scores_and_labels(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    for kind in (pa.float16(), pa.float32(), pa.float64(), pa.int8(), pa.decimal128(9, 1)):
        scores = [pa.array([1, 0], pa.int8()).cast(kind), pa.array([0, 1], pa.int8()).cast(kind)]
        for labels in (pa.array([3, 4]), pa.array([3.0, 4.0]), pa.array([3, 4], pa.uint8())):
            pa.parquet.write_table(pa.table([labels, *scores], ["y", "p_3", "p_4"]), path)
            read = read_predictions(path)
            assert read.labels == (3, 4)
            assert read.models["x"].dtype == np.float64
            assert read.models["x"].tolist() == [[1, 0], [0, 1]]


def test_booleans_in_any_spelling(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("y,p_true,p_FALSE\ntrue,1,0\nFalse,0,1\n")
    read = read_predictions(path)
    assert (read.labels, read.y_true.tolist()) == ((True, False), [True, False])
    assert read.models["x"].tolist() == [[1, 0], [0, 1]]


def test_kinds_of_columns_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    dates = pa.array([1, 2], pa.int32()).cast(pa.date32())
    pa.parquet.write_table(pa.table({"y": dates, "p_a": [0.0, 1.0]}), path)
    with pytest.raises(InvalidType, match="column 'y' has the type date32"):
        read_predictions(path)
    pa.parquet.write_table(pa.table({"y": ["a", "b"], "p_a": dates, "p_b": dates}), path)
    with pytest.raises(InvalidType, match=r"column 'p_a' has the type date32.*, not numbers"):
        read_predictions(path)
    pa.parquet.write_table(pa.table({"y": ["a", "b"], "p_a": [[1.0], [2.0]], "p_b": dates}), path)
    with pytest.raises(InvalidType, match="column 'p_a' has the type list"):
        read_predictions(path)


@pytest.mark.parametrize("column", ["y", "p_a", "patient"])
def test_codes_that_stand_for_nothing_are_missing_values(column: str, tmp_path: Path) -> None:
    """Arrow keeps a missing value as a code of none, or as a code of a word that is missing."""
    words = pa.array([0.7, None, 0.1] if column == "p_a" else ["a", None, "é"])
    for codes in ([0, 2, 1, 0], [0, 2, None, 0]):
        coded = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), words)
        path = tmp_path / "x.arrow"
        pa.feather.write_feather(
            pa.table({**COLUMNS, "patient": list("stuv"), column: coded}), str(path)
        )
        with pytest.raises(InvalidInput, match=rf"has no value in row 2, column '{column}'"):
            read_predictions(path, group="patient")
    unused = pa.DictionaryArray.from_arrays(pa.array([0, 2, 0, 2], pa.int32()), words)
    given = {**COLUMNS, "patient": list("stuv"), column: unused}
    pa.feather.write_feather(pa.table(given), str(path))
    found = read_predictions(path, group="patient", fold="patient", labels=CLASSES)
    assert found.groups is not None and found.folds is not None
    assert (found.groups[0] == found.groups[2]) == (column == "patient")
    assert list(found.folds) == (["a", "é"] * 2 if column == "patient" else list("stuv"))


def test_whole_numbers_first_and_fractions_after_the_first_block(tmp_path: Path) -> None:
    """Arrow infers types from the first megabyte."""
    n = 200_000
    rows = ["a,1,0"] * n + ["b,0.25,0.75"]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["y,p_a,p_b", *rows]))
    read = read_predictions(path)
    assert len(read) == n + 1
    assert read.models["x"][-1].tolist() == [0.25, 0.75]


def test_a_late_word_is_named_with_its_line(tmp_path: Path) -> None:
    rows = ["a,1,0"] * 200_000
    rows[150_000] = "b,x,0"
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["y,p_a,p_b", *rows]))
    with pytest.raises(
        InvalidType,
        match=r"contains 'x' in row 150000 \(line 150002\), column "
        r"'p_a'",
    ):
        read_predictions(path)


def test_rows_longer_than_a_block(tmp_path: Path) -> None:
    n_classes = 3_000
    header = "y," + ",".join(f"p_{k}" for k in range(n_classes))
    row = "," + ",".join(["0." + "0" * 400] * n_classes)
    path = tmp_path / "x.csv"
    path.write_text("\n".join([header, "0" + row, "1" + row]))
    assert len(read_table(path).names) == n_classes + 1


def test_lines_are_counted_with_quotes_and_empty_lines() -> None:
    text = b'y,p\n\n"a\nb",1\n\n\nc,2\n'
    assert [line_of(text, ",", row) for row in (0, 1)] == [4, 7]


def test_arrays_without_names_of_classes(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, truth=[1, 2, 1], forest=np.eye(3)[:, :2], logit=np.ones((3, 2)))
    read = read_predictions(path)
    assert read.labels == (1, 2)
    assert list(read.models) == ["forest", "logit"]
    assert list(read_predictions(path, model="logit").models) == ["logit"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"y": [0, 1], "m": np.ones((2, 3))},
            "has 3 columns for the 2 classes of the labels that occur. ",
        ),
        (
            {"y": [0, 1] * 2, "labels": [0, 1], "m": np.ones((4, 2)), "n": np.ones((4, 3))},
            "'n' has 3 columns for the 2 classes of labels. ",
        ),
        ({"y": [0, 1, 1], "m": np.ones((2, 2))}, "different lengths"),
        ({"m": np.ones((2, 2))}, "no array of labels"),
        ({"q": [0, 1], "m": np.ones((2, 2))}, "no column is named like the true classes"),
        (
            {"y": [0, 1], "m": np.array([[1, np.nan], [0, 1]])},
            "contains nan in row 0, column 'm:1'",
        ),
        ({"y": [0, 1], "m": np.ones((2, 2), dtype=complex)}, "has the type complex128"),
    ],
)
def test_arrays_that_do_not_fit(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, **arrays)
    with pytest.raises(PolyrocError, match=message):
        read_predictions(path)


def test_other_archives_and_arrays(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(InvalidInput, match="zip archive but not an NPZ file"):
        read_table(path)
    with zipfile.ZipFile(path, "w"):
        pass
    with pytest.raises(InvalidInput, match="contains no arrays"):
        read_table(path)
    np.save(tmp_path / "x.npy", np.eye(2))
    with pytest.raises(InvalidInput, match="contains one array"):
        read_table(tmp_path / "x.npy")


def test_a_pipe_is_read(tmp_path: Path) -> None:
    import os
    import threading

    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text(TEXT))
    writer.start()
    assert len(read_predictions(path)) == 4
    writer.join()


def test_a_path_that_is_none() -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_table("a\0b")
