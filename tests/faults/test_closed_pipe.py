"""Readers that go away early, and streams that are closed from the start: quiet, and no damage."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from faults.processes import EXAMPLE, PROGRAM, command
from faults.writers import cases

FOREST = ("--model", "forest", "--generations", "2", "--seed", "1")
COMMANDS = {
    "--help": ("--help",),
    "metrics": ("metrics",),
    "metrics hand_till": ("metrics", "hand_till"),
    "evaluate": ("evaluate", EXAMPLE),
    "evaluate --json": ("evaluate", EXAMPLE, "--json"),
    "compare": ("compare", EXAMPLE),
    "surface": ("surface", EXAMPLE, *FOREST),
    "surface --json": ("surface", EXAMPLE, *FOREST, "--json"),
    "report": ("report", EXAMPLE, "-o", "{folder}/report.html"),
    "demo": ("demo", "-o", "{folder}/demo.html"),
    "study": ("study", "{folder}/table.csv", "--learners", "shrunken", "--splits", "2"),
}
QUICK = ("--help", "evaluate --json")


def words_of(name: str, folder: Path) -> list[str]:
    if name == "study":
        y, X = cases(60)
        rows = [f"{a},{b},{label}" for (a, b, _), label in zip(X, y, strict=True)]
        (folder / "table.csv").write_text("\n".join(["u,v,class", *rows]))
    return [word.format(folder=folder) for word in COMMANDS[name]]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in COMMANDS],
)
def test_a_reader_that_is_gone(name: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, *words_of(name, tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1
    process.stderr.close()
    for page in tmp_path.glob("*.html"):
        assert page.read_text().endswith("</html>\n"), "what was written is whole"
    assert not list(tmp_path.glob("*.polyroc-part"))


def closing(*numbers: int) -> Callable[[], None]:
    """What a shell does for ``<&-``, ``>&-`` and ``2>&-``."""

    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


@pytest.mark.parametrize(
    "numbers", [(0, 1, 2), *(pytest.param((n,), marks=pytest.mark.slow) for n in range(3))]
)
def test_closed_streams(numbers: tuple[int, ...]) -> None:
    words = COMMANDS["metrics hand_till"]
    ended = command(*words, before=closing(*numbers))
    assert (ended.code, ended.said) == (0, "")
    assert ended.printed == ("" if 1 in numbers else command(*words).printed)
    wrong = command("evaluate", "nothing.csv", before=closing(*numbers))
    assert wrong.code == 2 and wrong.printed == ""
    assert ("There is no file" in wrong.said) == (2 not in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report", "surface", "study"])
def test_files_are_whole_where_all_streams_are_closed(name: str, tmp_path: Path) -> None:
    """The number of a closed stream goes to the next file that is opened."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    more = {
        "report": [],
        "surface": ["-o", "{folder}/surface.npz", "--checkpoint", "{folder}/c.npz"],
        "study": ["--jobs", "2", "--seed", "1", "--checkpoint", "{folder}/study.npz"],
    }[name]
    contents = []
    for folder, before in ((tmp_path / "one", None), (tmp_path / "two", closing(0, 1, 2))):
        words = words_of(name, folder) + [word.format(folder=folder) for word in more]
        assert command(*words, before=before).code == 0
        contents.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert contents[0] == contents[1]
