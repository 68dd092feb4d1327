"""Arguments of every command, made from what click knows of its parameters.

A new command or option is tried without being listed here.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import click
from click.testing import CliRunner, Result
from hostile import seeds
from hostile.guard import watching
from hostile.oracle import Broken, broken_by

from polyroc.cli import main

ODD = (
    "", " ", ",", ",,", '"', "'", '"a', "a\rb", "a\nb", "\x1b[31mred", "\x07", "\u202e", "\u2028",
    "\ud800", "none", "all", "-", "--", "=", "a=b", "a=", "=b", "a=b=c", "a>b=0.1", ">=", "a>b=nan",
    "a>b=2", "0", "1", "-1", "1.5", "nan", "inf", "-inf", "1e400", "9" * 30, "9" * 5000, "0x10",
    "٣", "true", "<script>", "{0}", "%s", "[/]", "[red]", "..", "/", "/dev/null", "/dev/zero", "~",
    "/proc/self/mem", "no/such/folder/x", "a" * 300, "a" * 200_000, "../../x", "y", "p_a",
    "p_a,p_b,p_c", "a,b,c", "c,b,a", "weight", "patient", "hand_till", "hand_till,hand_till", "pdi",
    "C:\\x", "file:///etc/passwd", "http://127.0.0.1:9/x", "|true", "$(true)", "`true`", "; true",
)  # fmt: skip
"""Values for options that take any text."""

WORK = {"--generations": "1", "--splits": "1", "--replicates": "2", "--jobs": "1"}
"""Values that keep commands short; larger ones are meant as they are said."""

WRITTEN = ("output", "checkpoint", "junit")
"""Parameters that name a file to write."""

ALLOWED = frozenset(["os.remove", "os.rename", "os.link", "os.chmod", "os.truncate"])
"""Acts by which a file is put in its place."""


def fill(folder: Path) -> list[str]:
    """Files in a folder that commands may be called with."""
    made = {
        "scores.csv": seeds.csv()[0],
        "models.npz": seeds.npz()[0],
        "table.parquet": seeds.parquet()[1],
        "surface.npz": seeds.surface()[0],
        "search.npz": seeds.search_checkpoint()[0],
        "study.npz": seeds.study_checkpoint()[0],
        "costs.json": seeds.costs()[1],
        "broken.csv": b"y,p_a\na,x\n\xff",
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return list(made)


def arguments(random: Random, files: list[str]) -> list[str]:
    """A command with arguments and some options, most of them odd."""
    name = random.choice(
        [each for each in main.commands for _ in range(1 if each == "demo" else 9)]
    )
    command, words = main.commands[name], [name]
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and random.random() < 0.95:
            words += _values(parameter, random, files)
    options = [each for each in command.params if isinstance(each, click.Option)]
    for option in random.sample(options, min(len(options), random.randint(0, 4))):
        words += _given(option, random, files)
    for flag, value in (WORK | ({"--output": "out"} if name == "demo" else {})).items():
        if flag not in words and any(flag in option.opts for option in options):
            words += [flag, value]
    return words if random.random() < 0.95 else [*words, random.choice(ODD)]


def _values(argument: click.Argument, random: Random, files: list[str]) -> list[str]:
    number = 1 if argument.nargs == 1 else random.randint(1, 3)
    pools = (files[:3], files, ODD)
    return [random.choice(random.choices(pools, (6, 3, 1))[0]) for _ in range(number)]


def _given(option: click.Option, random: Random, files: list[str]) -> list[str]:
    flag = random.choice(option.opts)
    if option.is_flag:
        return [flag]
    value = random.choice([*ODD, *files, *_choices(option)])
    if flag in WORK and value.strip("-").isdecimal() and len(value) < 10:
        return []  # it would only take long
    if option.name in WRITTEN and value.startswith(("/dev", "/proc", "/")):
        value = "out"
    apart = random.random() < 0.8 or not flag.startswith("--")
    return [flag, value] if apart else [f"{flag}={value}"]


def _choices(option: click.Option) -> list[str]:
    return list(option.type.choices) if isinstance(option.type, click.Choice) else []


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def call(words: list[str], folder: Path) -> Result:
    """Run a command in a folder, and check what it says, returns and does."""
    runner = CliRunner()
    with inside(folder), watching(*_named(words)) as watch:
        result = runner.invoke(main, words)
    check(result)
    wrong = [act for act in watch.acts if not _is_output(act)]
    if wrong:
        raise Broken("; ".join(wrong))
    return result


def warm_up(folder: Path) -> None:
    """Run every command as it is meant, so that all modules are loaded before one is watched."""
    page = str(folder / "page.html")
    calls = {
        "evaluate": ["scores.csv", "-m", "all", "--interval", "bootstrap", "--replicates", "2"],
        "compare": ["scores.csv", "models.npz", "--independent", "--json"],
        "check": ["scores.csv", "--min", "hand_till=0.9", "--markdown"],
        "study": ["scores.csv", "--splits", "1", "--drop", "patient", "-m", "hand_till"],
        "surface": ["scores.csv", "--generations", "1", "--costs", "costs.json"],
        "report": ["scores.csv", "-o", page],
        "metrics": ["pdi"],
        "demo": ["-o", page],
    }
    streaming = ["evaluate", "table.parquet", "--streaming", "-t", "y", "--exact"]
    with inside(folder):
        for words in (*([name, *rest] for name, rest in calls.items()), streaming):
            CliRunner().invoke(main, words)
    Path(page).unlink()


def check(result: Result) -> None:
    """Whether a command ended as it may: no traceback, one line of error, nothing that moves."""
    failed = result.exception
    if failed is not None and not isinstance(failed, SystemExit):
        raise broken_by(failed) from failed
    if result.exit_code not in (0, 1, 2, 3, 130):
        raise Broken(f"exit code {result.exit_code}: {result.stderr[:300]}")
    lines = result.stderr.splitlines()
    if result.exit_code and (len(lines) != 1 or not lines[0].startswith("polyroc: ")):
        raise Broken(
            f"exit code {result.exit_code} with {len(lines)} lines: {result.stderr[:300]!r}"
        )
    for sign in set(result.stdout + result.stderr):
        if not sign.isprintable() and sign not in "\n\u200d":
            raise Broken(f"the terminal gets {sign!r}")


def _named(words: list[str]) -> list[Path]:
    """The files that the words may mean."""
    return [Path(part) for word in words for part in (word, word.partition("=")[2])]


def _is_output(act: str) -> bool:
    """Whether an act puts an output in its place; where that is, the tests look for themselves."""
    return act.split("(")[0] in ALLOWED or act.startswith("wrote ")
