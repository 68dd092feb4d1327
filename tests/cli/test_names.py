"""Names that try to be markup, colours, lines or other directions are shown as text."""

import json
from pathlib import Path

import numpy as np
import pytest
from cli.running import document, run, written

from polyroc.cli.wording import one_line, printable, spoken

HOSTILE = [
    "[red]x[/red]",
    "[/]",
    ":smile:",
    'it\'s "quoted"',
    "<script>alert(1)</script>",
    "{braces} %s \\n",
    "שלום",
    "😀👩‍🔬",
    "a" * 120,
]
CONTROLS = {"esc \x1b[31m": "esc \\x1b[31m", "rtl \u202e": "rtl \\u202e", "bell \x07": "bell \\x07"}


def file_of(folder: Path, names: list[str]) -> Path:
    """Two models whose names and classes are these."""
    path = folder / "x.npz"
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(len(names)), size=4 * len(names))
    models = {f"model {name}".replace("/", "∕"): scores for name in names[:1]}
    np.savez(path, y=np.array(names * 4), other=scores[::-1], labels=np.array(names), **models)
    return path


@pytest.mark.parametrize("command", ["evaluate", "compare", "surface", "report"])
@pytest.mark.parametrize("columns", [200, 50])
def test_names_are_shown_as_they_are(command: str, columns: int, tmp_path: Path) -> None:
    names = [*HOSTILE[:3], "b" * 60]
    path = file_of(tmp_path, names)
    options = {
        "surface": ["--model", "other", "--generations", "2", "--seed", "1"],
        "report": ["-o", tmp_path / "r.html"],
    }
    result = run(command, path, *options.get(command, []), columns=columns)
    assert result.exit_code == 0, result.stderr
    joined = "".join(result.stdout.split())
    expected = ["[red]x[/red]"] if command != "compare" else ["model[red]x[∕red]"]
    assert all(name in joined for name in expected)
    assert "😄" not in joined, "an emoji code was replaced"
    width = max(map(len, result.stdout.splitlines()))
    assert width <= columns or command == "report"


@pytest.mark.parametrize("name", [*HOSTILE, *CONTROLS])
def test_every_name_comes_through(name: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, [name, "other class"])
    result = run("evaluate", path, "-m", "hand_till", columns=400)
    assert result.exit_code == 0, result.stderr
    assert CONTROLS.get(name, name) in result.stdout
    assert not set(result.stdout) & {"\x1b", "\x07", "\u202e"}
    made = document("evaluate", path, "-m", "hand_till")
    assert made["input"]["classes"] == [name, "other class"]


def test_errors_with_hostile_names_stay_one_harmless_line(tmp_path: Path) -> None:
    path = written(tmp_path, "y\x1b[2J,p_a,p_b\na,1,0\n", "new\nline \x1b[31m.csv")
    for options in ([], ["--target", "two\nlines\x1b[0m"]):
        result = run("evaluate", path, *options)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert "\x1b" not in result.stderr


def test_no_colour_in_pipes_and_json_is_pure(tmp_path: Path) -> None:
    path = file_of(tmp_path, ["[bold]a[/bold]", "b"])
    assert "\x1b" not in run("evaluate", path).stdout
    forced = run("evaluate", path, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b[3" not in forced, "a colour"
    assert json.loads(run("evaluate", path, "--json", FORCE_COLOR="1").stdout)


def test_the_sign_of_life_shows_names_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyroc.cli.screen.PATIENCE", 0.0)
    path = file_of(tmp_path, ["[/]{0}", "b"])
    assert run("evaluate", path).stderr == "", "not where nobody looks"
    result = run("evaluate", path, FORCE_COLOR="1", TERM="xterm")
    assert result.exit_code == 0, result.exception
    assert "evaluating model [∕]{0}" in result.stderr


def test_words() -> None:
    assert printable("a\tb\r\ud800") == "a\\tb\\r\\ud800"
    assert one_line("a\n b\x00") == "a b\\x00"
    assert spoken('Pass absent="skip" or normalize=True.') == "Pass --absent skip or --normalize."
    assert spoken("y_true is empty") == "The target column is empty"
    assert spoken("Choose one with weight=, for instance weight='w'.") == (
        "Choose one with --weights, for instance --weights 'w'."
    )
