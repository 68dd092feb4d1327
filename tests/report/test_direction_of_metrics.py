"""A report calls better what is better, also where lower is."""

from dataclasses import replace

import numpy as np
import pytest

from polyroc import registry
from polyroc.report._content import gather
from polyroc.report._findings import findings
from polyroc.report._on_models import first_by_metric
from polyroc.report._tables import metrics_table

pytestmark = pytest.mark.usefixtures("short_search")

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1, 2], [70, 60, 50])
GOOD = RNG.dirichlet(np.ones(3), 180) + 0.5 * np.eye(3)[Y]
MODELS = {
    name: p / p.sum(axis=1, keepdims=True)
    for name, p in (("good", GOOD), ("poor", RNG.dirichlet(np.ones(3), 180) + 0.1 * np.eye(3)[Y]))
}
WRONG = MODELS["good"][:, [1, 2, 0]]


def said(content):
    """Findings by code, and the table of metrics."""
    return {each.code: each for each in findings(content)}, str(metrics_table(content))


def test_a_report_praises_what_is_better(monkeypatch):
    content = gather(Y, {**MODELS, "wrong": WRONG})
    found, table = said(content)
    assert content.leading.name == "good" and "lower is better" not in table
    assert found["worse-than-guessing"].title == "wrong: worse than guessing"
    bold = table.count("<strong>")
    for name, metric in dict(registry._metrics).items():
        monkeypatch.setitem(registry._metrics, name, replace(metric, direction="lower"))
    found, table = said(content)
    assert content.leading.name == "wrong"
    for metric, firsts in first_by_metric(content).items():
        lowest = min(content.models, key=lambda model: model.evaluation[metric].value)
        assert firsts == (lowest.name,)
    assert found["difference-clear"].title.startswith("wrong is better than ")
    text = found["difference-clear"].text
    assert " lower (95" in text and "interval −" in text
    assert found["worse-than-guessing"].title != "wrong: worse than guessing"
    assert "the interval lies above 0.5, the value of guessing" in found["worse-than-guessing"].text
    assert table.count("; lower is better") == len(content.models[0].evaluation)
    assert table.count("<strong>") == bold
    values = [each.evaluation["hand_till"].value for each in content.models]
    assert f"<strong>{min(values):.3f}</strong>" in table
