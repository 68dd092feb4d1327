"""``polyroc metrics``: the registry, and each metric explained."""

import pytest
from cli.running import refused, run

from polyroc.metrics import registry


@pytest.mark.parametrize("columns", [80, 50])
def test_lists_every_metric(columns: int) -> None:
    result = run("metrics", columns=columns)
    assert result.exit_code == 0
    names = [line.split()[0] for line in result.stdout.splitlines() if line.strip()]
    assert set(registry) <= set(names)
    assert max(map(len, result.stdout.splitlines())) <= columns


@pytest.mark.parametrize("name", list(registry))
def test_explains_one(name: str) -> None:
    result = run("metrics", name)
    assert result.exit_code == 0
    assert registry[name].summary in " ".join(result.stdout.split())


def test_an_unknown_metric_is_one_line_and_code_2() -> None:
    assert "There is no metric 'auc'." in refused("metrics", "auc")
