"""One table in every line end, separator, quoting and encoding that programs write: one result."""

import gzip
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from faults.processes import command

from polyroc.errors import InvalidInput, PolyrocError
from polyroc.readers import read_features, read_predictions

ROWS = [["y", "p_a", "p_é"], ["a", "0.7", "0.3"], ["é", "0.25", "0.75"], ["a", "0.5", "0.5"]]

LINE_ENDS = {
    "Unix": itertools.repeat("\n"),
    "Windows": itertools.repeat("\r\n"),
    "old Mac": itertools.repeat("\r"),
    "mixed": ["\r\n", "\n", "\r", "\n"],
    "mixed the other way": ["\r", "\n", "\r\n", "\r"],
    "Windows twice": itertools.repeat("\r\r\n"),
}
SEPARATORS = {"commas": ",", "tabs": "\t", "semicolons": ";", "bars": "|"}
ENCODINGS = {
    "UTF-8": lambda text: text.encode(),
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16, little end first": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16, big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-32, little end first": lambda text: b"\xff\xfe\0\0" + text.encode("utf-32-le"),
    "UTF-32, big end first": lambda text: b"\0\0\xfe\xff" + text.encode("utf-32-be"),
    "gzipped": lambda text: gzip.compress(text.encode()),
    "gzipped UTF-16": lambda text: gzip.compress(text.encode("utf-16")),
}


def texts() -> list[str]:
    """All ways to write the table as text: with and without quotes, with and without a last end."""
    made = []
    for ends, separator, quote, last in itertools.product(
        LINE_ENDS.values(), SEPARATORS.values(), ("", '"'), (True, False)
    ):
        lines = [separator.join(f"{quote}{cell}{quote}" for cell in row) for row in ROWS]
        text = "".join(line + end for line, end in zip(lines, ends, strict=False))
        made.append(text if last else text.rstrip("\r\n"))
    return made


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_same_numbers(
    encoding: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path, all_texts = tmp_path / "table", texts()
    assert len(all_texts) == 96
    record_property("faults", len(all_texts))
    for text in all_texts:
        path.write_bytes(ENCODINGS[encoding](text))
        read = read_predictions(path)
        assert read.y_true.tolist() == ["a", "é", "a"], repr(text)
        assert read.labels == ("a", "é")
        (scores,) = read.models.values()
        assert np.array_equal(scores, [[0.7, 0.3], [0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize("ends", LINE_ENDS)
def test_features_and_the_lines_of_errors(ends: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(ended(["u,class", "1,a", "2,b"], ends))
    assert read_features(path).X.tolist() == [[1], [2]]
    path.write_bytes(ended(["y,p_a,p_b", "a,1,0", "b,x,1"], ends))
    line = 5 if ends == "Windows twice" else 3
    with pytest.raises(PolyrocError, match=rf"'x' in row 1 \(line {line}\), column 'p_a'"):
        read_predictions(path)


def ended(lines: list[str], ends: str) -> bytes:
    """Lines with the ends of some system."""
    pairs = zip(lines, LINE_ENDS[ends], strict=False)
    return "".join(line + end for line, end in pairs).encode()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("y,p_a,p_é\na,1,0\n".encode("utf-16-le"), "neither text nor a table"),
        ("y,p_a,p_é\na,1,0\n".encode("utf-16-be"), "neither text nor a table"),
        (
            "y,p_a,p_é\na,1,0\n".encode("latin-1"),
            "is not UTF-8 text: line 1 contains the byte 0xe9",
        ),
        ("y,p_a\na,1\né,0\n".encode("cp1252"), "is not UTF-8 text: line 3 contains the byte 0xe9"),
        (b"\xff\xfe" + "y,p_a\na,1\n".encode("utf-16-le")[:-1], "cannot be read as UTF-16 text"),
        (b"\xff\xfe", "is empty|cannot be read|columns but no rows"),
    ],
    ids=["UTF-16 without a mark", "the other one", "Latin 1", "Windows 1252", "cut", "mark only"],
)
def test_what_cannot_be_told_apart_is_refused(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=says) as caught:
        read_predictions(path)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_program_reads_what_spreadsheets_call_unicode_text(tmp_path: Path) -> None:
    """Tabs, Windows line ends and UTF-16."""
    text = "\r\n".join("\t".join(row) for row in ROWS) + "\r\n"
    answers = []
    for content in (text.encode("utf-16"), "\n".join(map(",".join, ROWS)).encode()):
        path = tmp_path / "table.csv"
        path.write_bytes(content)
        answers.append(command("evaluate", path, "-m", "hand_till", "--json"))
    assert answers[0] == answers[1]
    assert answers[0].code == 0 and answers[0].said == ""
