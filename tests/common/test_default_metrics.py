"""An evaluation that names no metrics: what is listed differs, what is left out is known."""

import math

import numpy as np
import pytest
from scipy.special import softmax

import polyroc
from polyroc import Predictions, registry
from polyroc.errors import NotDefined
from polyroc.metrics.declaration import Occasion

FROM_OTHERS = {
    ("wvus", 2): lambda auc, scored: (auc + scored) / 2,
    ("length_weighted_vus2", 2): lambda auc, scored: (auc + scored) / 2,
    ("simplex_volume", 2): lambda probabilistic: abs(2 * probabilistic - 1),
}
"""Where a metric that is left out is not the same number as one that is listed."""


def cases(n_classes, n=60, seed=0, probabilities=True):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), np.arange(n_classes), rng.integers(n_classes, size=n)]
    y = y[rng.permutation(len(y))] // (1 + (rng.random(len(y)) < 0.3))  # classes of unequal size
    y[: 2 * n_classes] = np.repeat(np.arange(n_classes), 2)
    scores = rng.normal(size=(len(y), n_classes)) + 0.8 * np.eye(n_classes)[y]
    return y, softmax(scores, axis=1) if probabilities else scores


def defaults(predictions, n_evaluations=1):
    return [m.name for m in registry.select(None, Occasion.of(predictions, n_evaluations))]


def values_of(predictions, names):
    """Values of those metrics that exist for these scores."""
    found = {}
    for name in names:
        try:
            found[name] = registry[name].of(predictions)
        except NotDefined:
            continue
    return found


@pytest.mark.parametrize("probabilities", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 7])
def test_no_two_metrics_are_the_same_number(n_classes, probabilities):
    y, p = cases(n_classes, probabilities=probabilities)
    found = values_of(Predictions(y, p), defaults(Predictions(y, p)))
    ordered = np.sort(list(found.values()))
    assert len(found) >= (3 if probabilities else 4)
    assert (np.diff(ordered) > 1e-6).all(), found


@pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 50])
def test_what_is_left_out_is_known_or_not_affordable(n_classes):
    for probabilities in (True, False):
        y, p = cases(n_classes, probabilities=probabilities)
        predictions = Predictions(y, p)
        occasion, listed = Occasion.of(predictions), defaults(predictions)
        for metric in registry.values():
            if metric.name in listed or n_classes not in metric.classes:
                continue
            held = [each for each in metric.repeats if each.holds(occasion)]
            if not held:
                assert metric.affordable is not None and not metric.affordable.holds(occasion)
            elif metric.name in values_of(predictions, [metric.name]):
                given = [registry[name].of(predictions) for name in held[0].others]
                same = FROM_OTHERS.get((metric.name, n_classes), lambda value: value)
                assert metric.of(predictions) == pytest.approx(same(*given), abs=1e-12)


def test_two_classes_have_three_numbers():
    y, p = cases(2)
    assert list(polyroc.evaluate(y, p)) == ["probabilistic_auc", "roc_auc", "scored_auc"]
    assert list(polyroc.evaluate(y, p[:, 1])) == ["probabilistic_auc", "roc_auc", "scored_auc"]
    both = polyroc.compare(y, {"a": p, "b": p[:, ::-1]})
    assert {row.metric for row in both.differences} == {
        "probabilistic_auc",
        "roc_auc",
        "scored_auc",
    }


def test_columns_that_do_not_complement_each_other_are_two_rankings():
    y, p = cases(2, probabilities=False)
    assert {"roc_auc", "hand_till", "auc_mu", "aunp"} <= set(defaults(Predictions(y, p)))
    opposite = np.column_stack([-p[:, 1], p[:, 1]])
    assert "hand_till" not in defaults(Predictions(y, opposite))


def test_volumes_of_three_classes_up_to_three_thousand_cases():
    volumes = {"vus", "vus2", "wvus", "wvus2", "hum"}
    for n, n_evaluations, shown in (
        (3000, 1, True),
        (3001, 1, False),
        (300, 2000, True),
        (400, 2000, False),
    ):
        chosen = {m.name for m in registry.select(None, Occasion(3, n, True, n_evaluations))}
        assert (chosen & volumes) == (volumes if shown else set()), n
    assert not volumes & {m.name for m in registry.select(None, Occasion(4, 20))}
    assert {"triangle_area"} == {"triangle_area", "simplex_volume"} & set(
        defaults(Predictions(*cases(3)))
    )


def test_the_volume_of_many_classes_is_not_shown():
    y, p = cases(50, n=500)
    assert polyroc.simplex_volume(y, p) < 1e-20
    assert "simplex_volume" not in defaults(Predictions(y, p))
    assert "simplex_volume" in polyroc.evaluate(y, p, ["simplex_volume"])


def test_streaming_lists_what_evaluate_lists(tmp_path):
    """As far as a summary has it."""
    for n_classes in (2, 3, 7):
        y, p = cases(n_classes)
        summary = polyroc.scale.PairSummary(list(range(n_classes)), auc_mu=True).update(y, p)
        found = summary.compute()
        offered = set(summary.compute("all"))
        assert set(found) == offered & set(defaults(Predictions(y, p)))
        for name in found:
            value = registry[name].of(Predictions(y, p))
            assert found[name].low - 1e-12 <= value <= found[name].high + 1e-12
            assert math.isfinite(value)


def test_names_that_are_nearly_right():
    for wrong, right in (
        ("handtill", "hand_till"),
        ("Hand-Till", "hand_till"),
        ("AUCmu", "auc_mu"),
        ("vus_2", "vus2"),
        ("rocauc", "roc_auc"),
    ):
        with pytest.raises(polyroc.errors.UnknownName) as error:
            registry[wrong]
        assert f"There is no metric {wrong!r}. Did you mean {right!r}? The metrics are" in str(
            error.value
        )
    with pytest.raises(polyroc.errors.UnknownName) as error:
        registry["accuracy"]
    assert "Did you mean" not in str(error.value)
