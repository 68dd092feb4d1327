"""What a shell offers: files, metrics, columns."""

import subprocess
import sys
from pathlib import Path

import click
import pandas as pd
import pytest
from cli.running import written
from click.shell_completion import ShellComplete

from polyroc.cli import main
from polyroc.metrics import registry


def offered(*words: str) -> list[str]:
    """What follows the last word, which is not complete."""
    shell = ShellComplete(main, {}, "polyroc", "_POLYROC_COMPLETE")
    found = shell.get_completions(list(words[:-1]), words[-1])
    return ["a file" if each.type == "file" else each.value for each in found]


def test_metrics_and_commands() -> None:
    assert offered("ch") == ["check"]
    assert offered("evaluate", "x.csv", "-m", "hand") == [n for n in registry if n[:4] == "hand"]
    assert offered("compare", "x.csv", "-m", "pdi,vu") == ["pdi,vus", "pdi,vus2"]
    assert offered("check", "x.csv", "--min", "roc") == ["roc_auc="]
    assert offered("metrics", "pd") == ["pdi"]


def test_files() -> None:
    for name, command in main.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Argument) and parameter.name in (
                "file",
                "files",
                "data",
            ):
                assert offered(name, "x") == ["a file"], name
    assert offered("check", "x.csv", "--baseline", "o") == ["a file"]


def test_columns_of_the_files_named_so_far(tmp_path: Path) -> None:
    text = written(tmp_path, '\ufeff"the; truth";p_a;p_b\na;1;0\n', "one.csv")
    parquet = tmp_path / "two.parquet"
    pd.DataFrame({"label": [1], "p_a": [0.5], "patient": [3]}).to_parquet(parquet)
    for option in ("--target", "--weights", "--groups", "--folds", "--id"):
        names = ["the; truth", "p_a", "p_b", "label", "patient"]
        assert offered("evaluate", str(text), str(parquet), option, "") == names
    assert offered("evaluate", str(text), "--columns", "p_b,p") == ["p_b,p_a", "p_b,p_b"]
    assert offered("check", str(parquet), "--id", "pat") == ["patient"]
    broken = written(tmp_path, "PAR1 and no more", "broken.parquet")
    for path in (broken, tmp_path / "none.csv", tmp_path):
        assert offered("evaluate", str(path), "--target", "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_of_the_docs(shell: str) -> None:
    code = "from polyroc.cli import main; main(prog_name='polyroc')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "/usr/bin:/bin", "_POLYROC_COMPLETE": f"{shell}_source"}
        | {"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "_POLYROC_COMPLETE" in done.stdout
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    assert f"_POLYROC_COMPLETE={shell}_source polyroc" in page
