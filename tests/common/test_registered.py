"""A metric is registered, exported, twinned, explained and documented, or it is none."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pickle
import re
from pathlib import Path

import pytest
from common.samples import GATE
from twins.metrics import TWINS

import polyroc
from polyroc import metrics as package
from polyroc import registry
from polyroc.metrics.declaration import ON_REQUEST, THREE_CLASSES
from polyroc.statistics.statistic import Statistic
from polyroc.statistics.tuples import Tuples

METRICS = list(registry.values())
NAMES = list(registry)
NOT_METRICS = {"pairwise_auc", "ordinal_vus", "registry"}
"""Exported from polyroc.metrics, but no numbers of a table of scores."""
REFERENCE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_registered_is_exported_is_twinned():
    assert set(NAMES) == set(package.__all__) - NOT_METRICS
    assert set(NAMES) == set(TWINS)
    assert set(package.__all__) <= set(polyroc.__all__)
    assert set(package.__all__) <= set(dir(polyroc))


@pytest.mark.parametrize("name", NAMES)
def test_one_object_by_every_way(name):
    function = registry[name].function
    assert getattr(polyroc, name) is function
    module = importlib.import_module(function.__module__)
    assert getattr(module, name) is function
    assert module.__name__.rpartition(".")[2] not in NAMES
    assert getattr(polyroc, name) is getattr(package, name) is function
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_docstring_with_an_example_that_runs(metric):
    found = doctest.DocTestFinder(recurse=False).find(
        metric.function, metric.name, module=False, globs={}
    )
    examples = [test for test in found if test.examples]
    assert examples
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in examples:
        assert any(metric.name in example.source for example in test.examples)
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_docstring_describes_every_parameter(metric):
    text = metric.function.__doc__
    assert metric.summary == text.splitlines()[0]
    assert metric.summary.endswith(".")
    for name, parameter in inspect.signature(metric.function).parameters.items():
        described = re.search(rf"^ *{name} : (.*)$", text, re.MULTILINE)
        assert described is not None, name
        kind = name, str(parameter.default)
        assert described[1] == DESCRIBED.setdefault(kind, described[1])


DESCRIBED: dict[tuple[str, str], str] = {}
"""A parameter with the same default is described in the same words by every metric."""


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_declaration_is_complete(metric):
    assert metric.name == metric.function.__name__
    assert metric.title and metric.symbol and metric.reference
    assert metric.complexity.startswith("O(")
    assert issubclass(metric.statistic, Statistic)
    assert metric.lowest < metric.highest
    assert (metric.instead is None) == (metric.classes.most is None)
    assert metric.instead is None or registry[metric.instead].classes == (2, None)
    if metric.affordable != ON_REQUEST:
        assert (metric.affordable == THREE_CLASSES) == (metric.statistic is Tuples)
    assert {other for each in metric.repeats for other in each.others} <= set(registry)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_parameters_are_those_of_all_metrics(metric):
    parameters = inspect.signature(metric.function).parameters
    assert list(parameters)[:4] == ["y_true", "y_score", "labels", "sample_weight"]
    assert parameters.keys() >= GATE - {"normalize"}
    assert ("normalize" in parameters) == metric.needs_probabilities
    assert ("priors" in parameters) == metric.prior_weighted
    positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == ["y_true", "y_score"]


def test_titles_and_symbols_tell_metrics_apart():
    assert len({metric.title for metric in METRICS}) == len(METRICS)
    assert len({metric.symbol for metric in METRICS}) == len(METRICS)


@pytest.mark.parametrize("name", NAMES)
def test_reference_page_names_it(name):
    assert f"`{name}`" in REFERENCE.read_text(encoding="utf-8")
