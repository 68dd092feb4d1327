"""One Predictions takes the place of labels and scores in every public function."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import polyroc
from polyroc import (
    Predictions,
    calibration,
    curves,
    display,
    inference,
    metrics,
    surface,
    utility,
    write_report,
)
from polyroc.display import ProbabilisticRocDisplay, ScoredRocDisplay, SimplexDisplay
from polyroc.errors import InvalidInput, NotConverged, NotDefined, PolyrocError

HOMES = (polyroc, metrics, inference, curves, utility, surface)
ONLY_NUMBERS = {"estimate": {"interval": None}, "evaluate": {"interval": None}}
OPTIONS: dict[str, dict[str, Any]] = {
    **ONLY_NUMBERS,
    "saec_interval": {"n_replicates": 5, "rng": 1},
    "chance_test": {"rng": 1},
    "check": {"minimum": {"hand_till": 0.6}},
    "cost_by_share": {"vary": "a", "shares": [0.5]},
    "saec_of_scores": {"rng": 1, "n_walks": 2, "n_looks": 50},
    "calibration_error": {"rng": 1, "n_resamples": 9},
}


def public_functions() -> dict[str, Callable[..., Any]]:
    """Everything public that starts with labels and scores, by name."""
    found = {name: getattr(home, name) for home in HOMES for name in home.__all__}
    shown = {name: getattr(display, name) for name in display.__all__}
    found |= {
        f"{name}.from_predictions": shown[name].from_predictions
        for name in shown
        if hasattr(shown[name], "from_predictions") and not inspect.isabstract(shown[name])
    }
    return {name: each for name, each in found.items() if callable(each) and takes_both(each)}


def takes_both(function: Callable[..., Any]) -> bool:
    try:
        names = list(inspect.signature(function).parameters)
    except ValueError:
        return False
    return names[:1] == ["y_true"] and names[1:2] in (["y_score"], ["score"])


def cases_of(n_classes: int) -> tuple[list[str], Any, list[float], list[str]]:
    """Labels, probabilities, weights of which one is 0, and an order of classes unlike sorted."""
    rng = np.random.default_rng(n_classes)
    codes = np.arange(60) % n_classes
    scores = np.round(rng.dirichlet(np.ones(n_classes), 60), 2) + 0.3 * (
        codes[:, None] == range(n_classes)
    )
    scores /= scores.sum(axis=1, keepdims=True)
    labels = ["c", "a", "b"][:n_classes]
    return [labels[k] for k in codes], scores, [0.0, *np.tile([1.0, 2.0], 30)[1:]], labels


def content(result: Any) -> Iterator[Any]:
    """What is in a result, as plain values."""
    if isinstance(result, surface.ScoreModel):
        yield from (result.X, result.classes, result.cases.codes, result.cases.weights)
    elif isinstance(result, float | np.ndarray):
        yield result
    elif isinstance(result, Predictions):
        yield from (result.codes, result.scores, result.case_weights, result.classes)
    elif hasattr(result, "frame"):
        yield result.frame()
    else:
        yield repr(result)


def same(one: Any, other: Any) -> bool:
    for a, b in zip(content(one), content(other), strict=True):
        if isinstance(a, pd.DataFrame):
            pd.testing.assert_frame_equal(a, b)
        elif not np.array_equal(a, b, equal_nan=isinstance(a, float | np.ndarray)):
            return False
    return True


@pytest.mark.system  # every function is called
@pytest.mark.filterwarnings(f"ignore::{NotConverged.__module__}.{NotConverged.__name__}")
def test_every_function_takes_predictions_in_the_place_of_both() -> None:
    tried = {2: set[str](), 3: set[str]()}
    for n_classes, done in tried.items():
        y, p, w, labels = cases_of(n_classes)
        whole = Predictions(y, p, labels=labels, sample_weight=w)
        for name, function in public_functions().items():
            if name == "Predictions":
                continue
            options = OPTIONS.get(name, {})
            try:
                expected = function(y, p, labels=labels, sample_weight=w, **options)
            except NotDefined:
                with pytest.raises(NotDefined):
                    function(whole, **options)
                continue
            assert same(function(whole, **options), expected), name
            for again in ({"labels": labels}, {"sample_weight": w}):
                with pytest.raises(InvalidInput, match=f"{next(iter(again))} cannot be given"):
                    function(whole, **again, **options)
            with pytest.raises(PolyrocError, match="y_score is missing"):
                function(y, **options)
            done.add(name)
    both = tried[2] | tried[3]
    assert both | {"Predictions"} == set(public_functions())
    expected_names = (
        "hand_till",
        "saec",
        "saec_interval",
        "ScoreModel",
        "fit_binormal",
        "roc_hull",
    )
    assert both >= {*expected_names, "tpr_surface", "tpr_surface_volume", "one_vs_one_roc"}
    assert sum("from_predictions" in name for name in both) == 10


def test_displays_of_models_take_a_mapping_of_predictions() -> None:
    y, p, w, labels = cases_of(2)
    models = {"one": p, "other": p[:, ::-1]}
    options: dict[str, Any] = {"labels": labels, "sample_weight": w}
    given = {name: Predictions(y, scores, **options) for name, scores in models.items()}
    for shown in (ProbabilisticRocDisplay, ScoredRocDisplay):
        expected = shown.from_models(y, models, **options)
        assert same(shown.from_models(given), expected)
        with pytest.raises(InvalidInput, match="labels cannot be given"):
            shown.from_models(given, labels=labels)
        with pytest.raises(InvalidInput, match="'other' is not given as Predictions"):
            shown.from_models({**given, "other": p})


def test_curves_keep_what_they_were_made_of() -> None:
    y, p, _, labels = cases_of(3)
    for make in (curves.one_vs_one_roc, curves.one_vs_rest_roc):
        expected = make(y, p.copy(), labels=labels).areas()
        changed = p.copy()
        lazy = make(y, changed, labels=labels)
        changed[:] = 0
        assert lazy.areas() == expected


def test_triplets_are_rows_as_given_whatever_was_dropped() -> None:
    y, p, w, labels = cases_of(3)
    whole = Predictions(y, p, labels=labels, sample_weight=w)
    expected = SimplexDisplay.from_predictions(
        y, p, labels=labels, sample_weight=w, triplets=[(3, 4, 5)]
    )
    found = SimplexDisplay.from_predictions(whole, triplets=[(3, 4, 5)])
    assert same(found, expected)
    with pytest.raises(InvalidInput, match="one case of each"):
        SimplexDisplay.from_predictions(whole, triplets=[(0, 1, 2)])  # row 0 has no weight


@pytest.mark.system
def test_reports_take_predictions_too(tmp_path: Path) -> None:
    y, p, w, labels = cases_of(3)
    models = {"one": p, "other": np.roll(p, 1, axis=0) ** 2}  # rows that do not sum to 1
    options: dict[str, Any] = {"labels": labels, "sample_weight": w}
    given = {name: Predictions(y, scores, **options) for name, scores in models.items()}

    def page(*arguments: Any, **options: Any) -> str:
        return write_report(tmp_path / "page.html", *arguments, **options).read_text()

    assert page(given) == page(y, models, **options)
    assert page(given["one"]) == page(y, p, **options)
    assert "1 case of weight 0 left out." in page(given)
    with pytest.raises(InvalidInput, match="models cannot be given together with Predictions"):
        page(given["one"], p)
    with pytest.raises(InvalidInput, match="labels cannot be given"):
        page(given, labels=labels)
    with pytest.raises(PolyrocError, match="models is missing"):
        page(y)
    with pytest.raises(InvalidInput, match="other true classes"):
        page({"one": given["one"], "other": Predictions(y[::-1], p, **options)})
    groups = [f"g{i // 2}" for i in range(len(y))]
    whole = Predictions(y, p, labels=labels, groups=groups)
    assert page(whole) == page(y, p, labels=labels, groups=groups)


def test_groups_are_not_given_beside_predictions_that_hold_them() -> None:
    y, p, _, labels = cases_of(3)
    groups = np.arange(len(y)) // 2
    whole = Predictions(y, np.abs(p), labels=labels, groups=groups, normalize=True)
    functions = {
        **public_functions(),
        **{name: getattr(calibration, name) for name in calibration.__all__},
        (models := "decision_curves"): utility.decision_curves,
    }
    names = [name for name, each in functions.items() if takes_groups(each)]
    assert len(names) >= 9
    for name in names:
        options = OPTIONS.get(name, {})
        with pytest.raises(InvalidInput, match="groups cannot be given together with Predictions"):
            functions[name]({"m": whole} if name == models else whole, groups=groups, **options)


def takes_groups(function: Callable[..., Any]) -> bool:
    return inspect.isfunction(function) and "groups" in inspect.signature(function).parameters


def test_rows_by_position_are_told_of_scores_and_groups() -> None:
    y, p, _, labels = cases_of(3)
    p = np.abs(p) / np.abs(p).sum(axis=1, keepdims=True)
    scores = pd.DataFrame(p, columns=labels, index=np.arange(len(y)) + 1000)
    with pytest.warns(UserWarning, match="different indexes"):
        found = calibration.recalibration(
            pd.Series(y), scores, groups=pd.Series(np.arange(len(y)) // 2)
        )
    told = [note.text for note in found.notes if note.code == "rows-by-position"]
    assert told == ["rows of y_score were matched by position, although indexes differ"]
