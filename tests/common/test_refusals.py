"""What a metric refuses, and in which words."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from common.samples import METRICS, class_numbers, sample_for

import polyroc
from polyroc import registry
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.statistics import tuples
from polyroc.statistics.tuples import Tuples

LIMITED = [m for m in METRICS if m.classes.most is not None]


def with_option(option: str):
    return [m for m in METRICS if option in inspect.signature(m.function).parameters]


def raised(error: type[Exception], function, *arguments, **named) -> str:
    with pytest.raises(error) as caught:
        function(*arguments, **named)
    return str(caught.value)


@pytest.mark.parametrize("K", [2, 3, 4, 5])
@pytest.mark.parametrize("metric", LIMITED, ids=lambda metric: metric.name)
def test_number_of_classes(metric, K):
    if K in metric.classes:
        return
    sample = sample_for(metric, K, 1)
    expected = (
        f"{metric.name} is defined for {metric.classes} classes, but there are {K}. "
        f"Use {metric.instead}, which is defined for any number."
    )
    predictions = sample.predictions()
    assert raised(NotDefined, sample.value, metric) == expected
    assert raised(NotDefined, metric.of, predictions) == expected
    assert raised(NotDefined, metric.influence, predictions) == expected
    assert np.isfinite(sample.value(registry[metric.instead]))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_scores_that_are_no_probabilities(metric):
    K = class_numbers(metric)[0]
    sample = sample_for(metric, K, 1)
    p = np.full(sample.p.shape, 0.75)
    if not metric.needs_probabilities:
        assert np.isfinite(sample.with_scores(p).value(metric))
        return
    advice = "Pass probabilities, or normalize=True to divide each row by its sum."
    start = f"{metric.name} needs probabilities, but row "
    found = raised(NotDefined, sample.with_scores(p).value, metric)
    assert found == f"{start}0 of y_score sums to {0.75 * K:g}. {advice}"
    p = sample.p.copy()
    p[2] = [-0.5, 1.5, *[0] * (K - 2)]
    found = raised(NotDefined, sample.with_scores(p).value, metric)
    softmax = "Pass probabilities, such as scipy.special.softmax(scores, axis=1) for logits."
    assert found == f"{start}2 of y_score contains -0.5. {softmax}"
    found = raised(NotDefined, metric.influence, sample.with_scores(p).predictions())
    assert "needs probabilities, but row 2 of y_score contains -0.5" in found


@pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.needs_probabilities], ids=lambda metric: metric.name
)
def test_normalize_divides_by_sums(metric):
    sample = sample_for(metric, class_numbers(metric)[-1], 1)
    doubled = sample.with_scores(sample.p * np.arange(1, len(sample.y) + 1)[:, None])
    found = doubled.value(metric, normalize=True)
    assert found == pytest.approx(sample.value(metric), rel=0, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_unknown_option(metric):
    sample = sample_for(metric, class_numbers(metric)[0], 1)
    assert "colour" in raised(TypeError, metric.function, sample.y, sample.p, colour="red")
    assert "y_score is missing" in raised(InvalidType, metric.function, sample.y)
    assert "positional" in raised(TypeError, metric.function, sample.y, sample.p, [0, 1])
    assert "colour" in raised(TypeError, metric.of, sample.predictions(), colour="red")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_predictions_take_the_place_of_labels_and_scores(metric):
    sample = sample_for(metric, class_numbers(metric)[0], 1, weighted=True)
    predictions = sample.predictions()
    assert metric.function(predictions) == sample.value(metric)
    message = raised(InvalidInput, metric.function, predictions, sample.p, labels=[0, 1])
    assert message.startswith("y_score, labels cannot be given together with Predictions")


@pytest.mark.parametrize("ties", ["half", "FAIR", None, 0.5])
@pytest.mark.parametrize("metric", with_option("ties"), ids=lambda metric: metric.name)
def test_ties(metric, ties):
    sample = sample_for(metric, class_numbers(metric)[0], 1)
    highest = inspect.signature(metric.function).parameters["ties"].default == "strict"
    expected = (
        f'ties must be "strict" or "lenient" for this rule, got {ties!r}: a tie within a column '
        "has no fair share. Report both, they enclose every other choice."
        if highest
        else f'ties must be "fair", "strict" or "lenient", got {ties!r}.'
    )
    assert raised(InvalidInput, sample.value, metric, ties=ties) == expected
    assert raised(InvalidInput, metric.influence, sample.predictions(), ties=ties) == expected


@pytest.mark.parametrize("name", ["vus2", "wvus2"])
def test_no_fair_share_by_the_highest_rule(name):
    sample = sample_for(registry[name], 3, 1)
    assert "no fair share" in raised(InvalidInput, sample.value, registry[name], ties="fair")


@pytest.mark.parametrize("metric", with_option("priors"), ids=lambda metric: metric.name)
@pytest.mark.parametrize(
    "priors", [[0.5, 0.5], [0.5, 0.5, 0], [1, 1, np.nan], [1, 1, -1], {0: 1, 1: 1, 3: 1}]
)
def test_priors(metric, priors):
    sample = sample_for(metric, 3, 1)
    assert raised(InvalidInput, sample.value, metric, priors=priors).startswith("priors ")


@pytest.mark.parametrize(
    "partition",
    [
        np.ones((3, 3)),
        np.zeros((3, 3)),
        [[0, 1], [1, 0]],
        [[0, -1, 1], [2, 0, 1], [1, 1, 0]],
        [[0, np.inf, 1], [1, 0, 1], [1, 1, 0]],
    ],
)
def test_partition(partition):
    sample = sample_for(registry["auc_mu"], 3, 1)
    found = raised(InvalidInput, sample.value, registry["auc_mu"], partition=partition)
    assert found.startswith("partition must ")


@pytest.mark.parametrize(
    "weights", [np.zeros((3, 3)), -np.ones((3, 3)), np.ones((2, 3)), np.eye(3)]
)
def test_pair_weights(weights):
    sample = sample_for(registry["auc_mu"], 3, 1)
    found = raised(InvalidInput, sample.value, registry["auc_mu"], pair_weights=weights)
    assert found.startswith("pair_weights must ")


def test_unknown_metric():
    assert raised(InvalidInput, lambda: registry["auc"]) == (
        f"There is no metric 'auc'. Did you mean 'roc_auc'? The metrics are {', '.join(registry)}."
    )
    assert "auc" not in registry


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_class_without_cases(metric):
    """An error by default, and the other classes alone if asked for."""
    K = class_numbers(metric, 4)[0]
    sample = sample_for(metric, K, 1)
    p = np.insert(sample.p, K, 0.0, axis=1)
    labels = list(range(K + 1))
    found = raised(InvalidInput, metric.function, sample.y, p, labels=labels)
    assert found.startswith(f"The class {K} has no cases.")
    assert metric.function(sample.y, p, labels=labels, absent="skip") == sample.value(metric)
    assert "absent must be" in raised(InvalidInput, metric.function, sample.y, p, absent="drop")


@pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.statistic is Tuples], ids=lambda metric: metric.name
)
def test_too_many_tuples(metric, monkeypatch):
    monkeypatch.setattr(tuples, "MOST_TUPLES", 20)
    y = np.tile(np.arange(4), 3)
    p = np.eye(4)[y]
    expected = (
        "There are 81 tuples of one case from each of 4 classes, more than the 2e+01 that are "
        "enumerated. Pass n_tuples= to the metric or to evaluate, to estimate it from so many "
        "random ones."
    )
    assert raised(NotDefined, metric.function, y, p) == expected
    assert raised(NotDefined, metric.influence, polyroc.Predictions(y, p)) == expected
    assert metric.function(y, p, n_tuples=50, rng=1) == pytest.approx(1)
