"""What the repository says about itself in several places is the same in each."""

import re
from pathlib import Path

import polyroc

ROOT = Path(__file__).parents[1]


def test_the_citation_names_this_version() -> None:
    (version,) = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert version == polyroc.__version__


def test_each_proof_has_one_command() -> None:
    """A folder of proof can be run, and CONTRIBUTING.md says how."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    commands = set(re.findall(r"`python (proof/[\w/]+)", text))
    assert {command.split("/")[1] for command in commands} == {
        path.name for path in (ROOT / "proof").iterdir() if any(path.rglob("*.py"))
    }
    assert all((ROOT / command / "__main__.py").is_file() for command in commands)


def test_the_tasks_of_the_makefile_are_those_that_contributing_names() -> None:
    tasks = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"`make (\w+)`((?:, `\w+`)*)", (ROOT / "CONTRIBUTING.md").read_text())
    assert named
    for first, others in named:
        assert {first, *re.findall(r"\w+", others)} <= set(tasks)
