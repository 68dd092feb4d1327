"""Commands with odd arguments: exit codes as promised, one line of error, nothing elsewhere."""

import random
from pathlib import Path

import pytest
from differential.data_sets import examples
from hostile import commands
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyroc.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files, in which every command has run once."""
    made = tmp_path_factory.mktemp("work") / "inside"
    made.mkdir()
    commands.fill(made)
    commands.warm_up(made)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def written(words: list[str]) -> set[str]:
    """Names of files that a command was told to write, whatever sign is between."""
    values = {part for word in words for part in (word, word.partition("=")[2])}
    return {Path(value).name for value in values if value}


@pytest.mark.slow
def test_odd_arguments(folder: Path) -> None:
    before, files = contents(folder), sorted(contents(folder))
    codes = []

    @settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples(120).max_examples,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        words = commands.arguments(random.Random(seed), files)
        codes.append(commands.call(words, folder).exit_code)
        after = contents(folder)
        changed = {name for name in before if after.get(name) != before[name]}
        made = {name for name in after if name not in before}
        stems = {name.partition(".polyroc-")[0] for name in made}
        assert changed | stems <= written(words), "a file that no argument names"
        for name in made:
            (folder / name).unlink()
        for name in changed:
            (folder / name).write_bytes(before[name])
        assert [path.name for path in folder.parent.iterdir()] == [folder.name]

    check()
    assert {0, 2} <= set(codes), "some work, some do not"


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", main.commands)
def test_every_option_with_odd_values(command: str, every: bool, folder: Path) -> None:
    """One at a time; what only takes long, and outputs, have tests of their own."""
    first = {"demo": [], "metrics": []}.get(command, ["missing.csv"])
    for option in main.commands[command].params:
        flags = [] if option.param_type_name == "argument" else [option.opts[-1]]
        if option.name in commands.WRITTEN or getattr(option, "is_flag", False):
            continue
        for value in commands.ODD[:: 1 if every else 3]:
            commands.call([command, *([] if not flags else first), *flags, value], folder)


@pytest.mark.parametrize(
    "words",
    [
        "evaluate scores.csv --pairs",
        "evaluate scores.csv --by patient -m hand_till",
        "evaluate table.parquet --streaming -t y --exact",
        "compare scores.csv models.npz --independent --all-pairs",
        "compare scores.csv scores.csv --by patient",
        "check scores.csv --min hand_till=0.9 --strict --markdown",
        "calibration scores.csv --normalize",
        "plan --pair-auc 0.8 --half-width 0.05",
        "study scores.csv --splits 2 --drop patient -m hand_till",
        "surface scores.csv --generations 1 --costs costs.json --knee",
        "surface surface.npz --knee",
        "report scores.csv -o out --no-cases --by patient",
        "metrics pdi",
        "schema evaluate",
    ],
)
def test_no_command_runs_code_it_makes(words: str, folder: Path) -> None:
    commands.call(words.split(), folder)
    (folder / "out").unlink(missing_ok=True)


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "\x07", "\u2028", "\x9b31m"])
@pytest.mark.parametrize("place", ["command", "option", "argument", "output", "name"])
def test_nothing_moves_the_terminal(text: str, place: str, folder: Path) -> None:
    words = {
        "command": [f"x{text}"],
        "option": ["evaluate", "scores.csv", f"--x{text}"],
        "argument": ["metrics", "pdi", f"x{text}"],
        "output": ["report", "scores.csv", "-o", f"out{text}.html"],
        "name": ["evaluate", "scores.csv", "--target", f"y{text}"],
    }[place]
    result = commands.call(words, folder)
    assert text not in result.output
    (folder / f"out{text}.html").unlink(missing_ok=True)
