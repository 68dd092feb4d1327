"""A locale that knows only ASCII: files are read and written in UTF-8 all the same."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from faults.processes import EXAMPLE, PROGRAM, command, in_child
from faults.writers import cases

ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""Python itself would switch to UTF-8 in the locale C, were it not told to stay."""

TEXT = "y,p_gesund,p_schwächlich\ngesund,0.9,0.1\nschwächlich,0.2,0.8\ngesund,0.4,0.6\n"


def test_signs_that_cannot_be_printed_become_question_marks() -> None:
    ended = command("evaluate", EXAMPLE, "-m", "hand_till", **ASCII, PYTHONIOENCODING="ascii")
    assert (ended.code, ended.said) == (0, "")
    assert ".892 (.868?.913)" in ended.printed


@pytest.mark.slow
@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_names_of_classes_and_files(locale: str, tmp_path: Path) -> None:
    path = tmp_path / "Schwäche 日本.csv"
    path.write_text(TEXT, encoding="utf-8")
    words = ("evaluate", path, "-m", "hand_till", "--json")
    found = command(*words, **{**ASCII, "LC_ALL": locale})
    assert (found.code, found.said) == (0, "")
    assert found.printed == command(*words, LC_ALL="C.UTF-8").printed
    missing = command("evaluate", tmp_path / "Ä", **{**ASCII, "LC_ALL": locale})
    assert missing.code == 2 and missing.said.startswith("polyroc: There is no file")


def write_everything(folder: str) -> list[Any]:
    """Write names and read them back; then try a file whose name the locale has no signs for."""
    from polyroc.errors import InvalidInput
    from polyroc.report import write_report
    from polyroc.scale import PairSummary
    from polyroc.surface import RocSurface, ScoreModel, search

    y, scores = cases(60)
    names = ["gesund", "schwächlich", "日本"]
    labels = [names[code] for code in y]
    place = Path(folder)
    write_report(place / "page.html", labels, scores, labels=names, title="Größe")
    surface = search(ScoreModel(labels, scores, labels=names), generations=1, rng=1)
    summary = PairSummary(names).update(labels, scores)
    surface.save(place / "surface.npz")
    summary.save(place / "summary.npz")
    read = (RocSurface.load(place / "surface.npz"), PairSummary.load(place / "summary.npz"))
    made: list[Any] = [list(each.classes) for each in read]
    for write in (
        lambda path: write_report(path, labels, scores, labels=names),
        surface.save,
        summary.save,
        lambda path: search(ScoreModel(y, scores), generations=1, checkpoint=path),
    ):
        try:
            write(place / "ß")
        except InvalidInput as error:
            made.append(str(error))
    return made


def test_what_is_written_is_utf_8(tmp_path: Path) -> None:
    *classes, a, b, c, d = in_child(write_everything, tmp_path, folder=tmp_path, **ASCII)
    assert classes == [["gesund", "schwächlich", "日本"]] * 2
    page = (tmp_path / "page.html").read_bytes().decode("utf-8")
    assert "Größe" in page and "schwächlich" in page and "日本" in page
    assert '<meta charset="utf-8">' in page
    for message in (a, b, c, d):
        assert "cannot be the name of a file in this locale" in message
        assert "PYTHONUTF8=1" in message and "\n" not in message


@pytest.mark.slow
def test_names_that_are_no_text_at_all(tmp_path: Path) -> None:
    """Bytes that no encoding explains: Linux allows them in the names of files."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(TEXT)
    words = [*PROGRAM, "evaluate", path, "-m", "hand_till"]
    for environment in ({}, ASCII):
        done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True)
        assert done.returncode == 0 and done.stderr == b""
        assert b"hand_till" in done.stdout
        words_for_json = [*words, "--json"]
        done = subprocess.run(
            words_for_json, env={**os.environ, **environment}, capture_output=True
        )
        assert done.returncode == 0 and done.stderr == b""
