"""The command line, as a newcomer would try it."""

import pytest
from click.testing import CliRunner, Result

from polyroc.cli import main
from polyroc.metrics import registry


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, arguments)


def test_demo_shows_values_intervals_and_differences() -> None:
    result = run("demo")
    assert result.exit_code == 0
    assert "850 cases of 3 classes: 440 common, 350 frequent, 60 rare." in result.output
    assert "hand_till                .892 (.868–.913)" in result.output
    assert "hand_till  logistic − forest     +0.0176  +0.0060 … +0.0292" in result.output
    assert "…\n" not in result.output, "a cell was cut off"


def test_metrics_lists_every_metric() -> None:
    result = run("metrics")
    assert result.exit_code == 0
    assert all(f" {name} " in result.output for name in registry)


@pytest.mark.parametrize("name", list(registry))
def test_metrics_explains_one(name: str) -> None:
    result = run("metrics", name)
    assert result.exit_code == 0
    assert registry[name].summary in " ".join(result.output.split())


def test_unknown_metric_is_one_line_and_code_2() -> None:
    result = run("metrics", "auc")
    assert result.exit_code == 2
    assert "There is no metric 'auc'." in result.output
