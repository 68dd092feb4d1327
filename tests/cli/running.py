"""The command line as a test calls it, and small files to call it with."""

import json
from inspect import signature
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import polyroc
from polyroc.cli import main

EXAMPLE = str(Path(polyroc.__file__).parent / "data" / "example.csv")
"""Three models, three classes, 850 cases."""

FOUR_CASES = "y,p_a,p_b\na,.9,.1\nb,.2,.8\na,.4,.6\nb,.3,.7\n"
"""Both cases of b score higher for b than both of a: hand_till is 1."""


_STREAMS: dict[str, Any] = (
    {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
)
"""Standard error apart from the output, as it always is from click 8.2 on."""


def run(*arguments: object, columns: int = 80, **environment: str) -> Result:
    """A command, on a screen of some columns."""
    runner = CliRunner(env={"COLUMNS": str(columns), **environment}, **_STREAMS)
    return runner.invoke(main, [str(each) for each in arguments])


def document(*arguments: object) -> dict[str, Any]:
    """The JSON that a command prints."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    made: dict[str, Any] = json.loads(result.stdout)
    return made


def refused(*arguments: object, code: int = 2) -> str:
    """The one line that a command says on standard error when it refuses."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("polyroc: ")
    return lines[0]


def written(folder: Path, text: str, name: str = "x.csv") -> Path:
    """A file with some text."""
    path = folder / name
    path.write_bytes(text.encode())
    return path
