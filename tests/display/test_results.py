"""Displays of evaluations, comparisons and studies, and displays made from estimators."""

from __future__ import annotations

import math
import pickle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from display.exhibits import correlation, plain_names, sample
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_validate,
)

import polyroc.display as displays
from polyroc import compare, evaluate, pairwise_auc
from polyroc.display._base import PredictionsDisplay
from polyroc.display._model_curves import ModelCurvesDisplay
from polyroc.errors import InvalidInput, InvalidType, NotDefined

NAMES = plain_names(3)
Y, P = sample(3, NAMES)


def test_a_forest_has_the_rows_of_its_evaluations() -> None:
    one, two = evaluate(Y, P), evaluate(Y, (P + 0.1) / 1.3, ["pdi"])
    frame = displays.ForestDisplay.from_evaluations({"one": one, "two": two}, level=0.8).frame()
    assert len(frame) == len(one) + 1
    for row in frame[frame["model"] == "one"].itertuples():
        estimate = one[row.metric]
        assert (row.value, row.low, row.high) == (estimate.value, *estimate.interval(0.8)[:2])
    assert frame.set_index("metric").loc["pdi", "chance"].tolist() == [1 / 3, 1 / 3]


def test_a_forest_leaves_out_what_has_no_value() -> None:
    evaluation = evaluate(Y, P, ["roc_auc", "pdi"])
    assert math.isnan(evaluation["roc_auc"].value)
    frame = displays.ForestDisplay.from_evaluations(evaluation).frame()
    assert frame["metric"].tolist() == ["pdi"]
    with pytest.raises(NotDefined, match="No metric has a value"):
        displays.ForestDisplay.from_evaluations(evaluate(Y, P, ["roc_auc"]))


def test_a_value_without_an_interval_is_drawn_without_a_bar() -> None:
    one_case = evaluate([0, 0, 1], [0.1, 0.2, 0.8], ["roc_auc"])
    display = displays.ForestDisplay.from_evaluations(one_case).plot()
    assert display.ax_.texts[0].get_text() == "1.000"
    assert len(display.ax_.lines) == 2  # chance and the mark


def test_slices_show_what_the_evaluation_says() -> None:
    by = {"half": np.arange(len(Y)) % 2, "third": np.arange(len(Y)) // (len(Y) // 3 + 1)}
    evaluation = evaluate(Y, P, ["hand_till", "pdi"], by=by)
    display = displays.SliceDisplay.from_evaluation(evaluation, "pdi", level=0.8)
    table = evaluation.frame(0.8)
    expected = table[table["metric"] == "pdi"].reset_index(drop=True)
    assert display.frame().drop(columns="overall").equals(expected)
    line = display.plot().ax_.lines[0].get_xdata()
    assert list(line) == [evaluation["pdi"].value] * 2
    one = displays.SliceDisplay.from_evaluation(evaluation, attribute="half")
    assert one.metric == "hand_till" and set(one.frame()["attribute"]) == {"half"}
    with pytest.raises(NotDefined, match="No slice has a value"):
        displays.SliceDisplay.from_evaluation(evaluate(Y, P, ["roc_auc"], by=by))


def test_a_comparison_shows_differences_and_adjusted_p_values() -> None:
    models = {"a": P, "b": (P + 0.4) / 2.2, "c": np.roll(P, 7, axis=0)}
    comparison = compare(Y, models, ["hand_till"])
    display = displays.ComparisonDisplay.from_comparison(comparison)
    expected = comparison.frame().drop(columns="standard_error")
    assert display.frame().equals(expected)
    texts = [text.get_text() for text in display.plot().ax_.texts]
    assert texts[1].endswith("p < 0.001")
    assert not any("-" in text for text in texts)


def test_correlations_are_those_of_the_study() -> None:
    display = correlation(4, plain_names(4))
    assert display.method == "spearman"
    np.testing.assert_array_equal(np.diag(display.matrix).round(12), 1)
    assert display.frame()["correlation"].between(-1, 1).all()


def test_pairs_are_read_by_row() -> None:
    display = displays.PairwiseAucDisplay.from_predictions(Y, P, labels=NAMES)
    expected = pairwise_auc(Y, P, labels=NAMES)
    np.testing.assert_array_equal(display.matrix, expected)
    cell = display.frame().query("positive == 'class 1' and negative == 'class 3'")["auc"]
    assert cell.item() == expected[0, 2]


def test_an_auc_under_a_half_has_its_own_colour() -> None:
    display = displays.PairwiseAucDisplay.from_predictions(Y, np.roll(P, 1, axis=1)).plot()
    image = display.ax_.images[0]
    assert image.norm.vmin <= np.nanmin(display.matrix) < 0.5
    assert image.norm.vmax == 1


def test_numbers_in_cells_stand_out_from_their_cell() -> None:
    display = correlation(5, plain_names(5)).plot()
    image = display.ax_.images[0]
    for text in display.ax_.texts:
        column, row = (round(place) for place in text.get_position())
        cell = np.array(image.to_rgba(display.matrix)[row, column, :3])
        shade = 1.0 if text.get_color() == "white" else 0.0
        assert contrast(cell, np.full(3, shade)) > 4.5


def contrast(one: np.ndarray, two: np.ndarray) -> float:
    """Contrast ratio of two colours as web accessibility guidelines define it."""
    light = []
    for colour in (one, two):
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        light.append(float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(light) / min(light)


@pytest.mark.parametrize("estimator", [LogisticRegression(), RidgeClassifier()], ids=["p", "score"])
@pytest.mark.parametrize("name", ["RocCurvesDisplay", "PairwiseAucDisplay", "OneVsOneRocDisplay"])
def test_from_an_estimator_is_from_its_scores(estimator: Any, name: str) -> None:
    cls, fitted = getattr(displays, name), estimator.fit(P, Y)
    scores = getattr(fitted, "predict_proba", getattr(fitted, "decision_function", None))(P)
    made = cls.from_estimator(fitted, P, Y).frame()
    assert made.equals(cls.from_predictions(Y, scores, labels=fitted.classes_).frame())


def test_from_an_estimator_of_two_classes() -> None:
    y = NAMES[0] == Y
    fitted = RidgeClassifier().fit(P, y)
    display = displays.RocCurvesDisplay.from_estimator(fitted, P, y)
    assert list(display.curves) == [True]
    probable = LogisticRegression().fit(P, y)
    assert displays.ScoredRocDisplay.from_estimator(probable, P, y, name="lr").curves["lr"].area > 0


def test_drawn_at_once() -> None:
    """Into the axes given or one new figure, which goes when the display is drawn elsewhere."""
    fitted = LogisticRegression().fit(P, Y)
    made = [getattr(displays, name) for name in displays.__all__]
    made = [cls for cls in made if hasattr(cls, "from_predictions") and "Roc" not in cls.__name__]
    made.remove(displays.NetBenefitDisplay)  # asks for a class
    for cls in (*made, displays.RocCurvesDisplay, displays.OneVsOneRocDisplay):
        plt.close("all")
        display = cls.from_predictions(Y, P, labels=NAMES)
        assert display.figure_.axes[0] is display.ax_ and len(plt.get_fignums()) == 1
        assert display._repr_html_() is None  # a notebook shows the figure
        state = pickle.loads(pickle.dumps(display))
        assert not hasattr(state, "figure_") and state.frame().equals(display.frame())
        assert state._repr_html_().startswith(f'<img alt="{cls.__name__}" src="data:image/png')
        kept = plt.figure().add_subplot(projection=cls.projection)
        assert display.plot(kept).ax_ is kept and len(plt.get_fignums()) == 1
        ax = plt.figure().add_subplot(projection=cls.projection)
        assert cls.from_estimator(fitted, P, Y, ax=ax).ax_ is ax and len(plt.get_fignums()) == 2
    ax = plt.figure().add_subplot()
    both = displays.ScoredRocDisplay.from_predictions([0, 1, 1], [0.2, 0.4, 0.9], ax=ax)
    assert both.ax_ is ax


def test_from_a_cross_validation() -> None:
    model, weights = LogisticRegression(), np.random.default_rng(0).uniform(1, 2, len(Y))
    options = {"return_estimator": True, "return_indices": True}
    found = cross_validate(model, P, Y, cv=StratifiedKFold(3), **options)
    curves = displays.RocCurvesDisplay.from_cv_results(found, P, Y, sample_weight=weights)
    assert len(curves.curves) == 3 * len(NAMES) == len(curves.ax_.get_legend().get_texts())
    expected, areas = [], []
    for fold, (estimator, test) in enumerate(
        zip(found["estimator"], found["indices"]["test"], strict=True)
    ):
        own = estimator.predict_proba(P[test])
        given = {"labels": estimator.classes_, "sample_weight": weights[test]}
        alone = displays.RocCurvesDisplay.from_predictions(Y[test], own, **given)
        areas += [banded.curve.area for banded in alone.curves.values()]
        assert list(curves.curves)[fold * len(NAMES)] == f"{sorted(NAMES)[0]}, fold {fold}"
        expected.append(pairwise_auc(Y[test], own, **given))
    assert [banded.curve.area for banded in curves.curves.values()] == areas
    pairs = displays.PairwiseAucDisplay.from_cv_results(found, P, Y, sample_weight=weights)
    assert np.allclose(pairs.matrix, np.mean(expected, axis=0), equal_nan=True)
    panels = displays.OneVsOneRocDisplay.from_cv_results(found, P, Y, sample_weight=weights)
    for (k, r), curve in panels.curves.items():
        place = sorted(NAMES).index(k), sorted(NAMES).index(r)
        assert curve.area == pytest.approx(pairs.matrix[place])
        drawn = np.trapezoid(curve.true_positive_rate, curve.false_positive_rate)
        assert drawn == pytest.approx(curve.area, rel=1e-3)  # thinned
    with pytest.raises(InvalidInput, match=r"has no 'indices'\. Call cross_validate with"):
        displays.PairwiseAucDisplay.from_cv_results({"estimator": []}, P, Y)
    nothing = {"estimator": [], "indices": {"test": []}}
    with pytest.raises(InvalidInput, match="has 0 estimators and 0 sets of tested cases"):
        displays.CalibrationDisplay.from_cv_results(nothing, P, Y)
    with pytest.raises(InvalidInput, match=r"but y has 9 cases\. Pass the X and y that were"):
        displays.RocCurvesDisplay.from_cv_results(found, P[:9], Y[:9])
    order = np.argsort(Y)
    unstratified = cross_validate(model, P[order], Y[order], cv=KFold(len(NAMES)), **options)
    said = (
        rf"The classifier of fold 0 was trained without cases of class .*{min(NAMES)}.*Stratified"
    )
    with pytest.raises(InvalidInput, match=said):
        displays.RocCurvesDisplay.from_cv_results(unstratified, P[order], Y[order])


def test_every_display_of_predictions_has_the_three_ways() -> None:
    """From predictions, an estimator and a cross-validation, drawn at once; or it says why not."""
    options = {"cv": StratifiedKFold(3), "return_estimator": True, "return_indices": True}
    kinds = [each for each in vars(displays).values() if isinstance(each, type)]
    kinds = [each for each in kinds if issubclass(each, PredictionsDisplay)]
    assert len(kinds) == 10
    together = ("Calibration", "RiskCoverage", "Simplex", "NetBenefit")
    for cls in kinds:
        two = issubclass(cls, ModelCurvesDisplay)
        x, y = (P[NAMES[2] != Y], Y[NAMES[2] != Y]) if two else (P, Y)
        more = {"positive": NAMES[1]} if cls is displays.NetBenefitDisplay else {}
        found = cross_validate(LogisticRegression(), x, y, **options)
        model = found["estimator"][0]
        alone = cls.from_estimator(model, x, y, **more)
        same = cls.from_predictions(y, model.predict_proba(x), labels=model.classes_, **more)
        assert hasattr(alone, "ax_") and alone.frame().equals(same.frame())
        if cls is displays.TprSurfaceDisplay:
            with pytest.raises(NotDefined, match="has no form for cross-validation"):
                cls.from_cv_results(found, x, y)
            continue
        drawn = cls.from_cv_results(found, x, y, **more)
        assert hasattr(drawn, "ax_") and len(drawn.frame())
        tests = found["indices"]["test"]
        scores = [m.predict_proba(x[t]) for m, t in zip(found["estimator"], tests, strict=True)]
        rows = np.concatenate(tests)
        pooled = {"labels": model.classes_, **more}
        if cls.__name__.startswith(together):
            once = cls.from_predictions(y[rows], np.concatenate(scores), **pooled)
            assert drawn.frame().equals(once.frame())
        if two:
            areas = [cls.from_predictions(y[t], s) for t, s in zip(tests, scores, strict=True)]
            assert [c.area for c in drawn.curves.values()] == [
                each.curves["model"].area for each in areas
            ]
        plt.close("all")


def test_cases_that_several_folds_test() -> None:
    """A curve per fold, means over folds without limits; but no case twice in one sample."""
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    options = {"cv": cv, "return_estimator": True, "return_indices": True}
    found = cross_validate(LogisticRegression(), P, Y, **options)
    assert len(displays.RocCurvesDisplay.from_cv_results(found, P, Y).curves) == 6 * len(NAMES)
    pairs = displays.PairwiseAucDisplay
    assert pairs.from_cv_results(found, P, Y).limits is None
    said = "tested in several folds, and {} would count them as several cases"
    for cls, more in ((pairs, {"level": 0.9}), (displays.CalibrationDisplay, {})):
        with pytest.raises(InvalidInput, match=said.format(cls.__name__)):
            cls.from_cv_results(found, P, Y, **more)


def test_an_estimator_without_scores_is_refused() -> None:
    with pytest.raises(InvalidType, match="neither predict_proba nor decision_function"):
        displays.RocCurvesDisplay.from_estimator(object(), P, Y)


@pytest.mark.parametrize(
    "call",
    [
        lambda: displays.ForestDisplay.from_evaluations({"a": 1}),
        lambda: displays.ForestDisplay.from_evaluations({}),
        lambda: displays.ForestDisplay.from_evaluations([1]),
        lambda: displays.ComparisonDisplay.from_comparison("x"),
        lambda: displays.SliceDisplay.from_evaluation(evaluate(Y, P, ["pdi"])),
        lambda: displays.SliceDisplay.from_evaluation(
            evaluate(Y, P, ["pdi"], by=np.arange(len(Y)) % 2), "vus"
        ),
        lambda: displays.SliceDisplay.from_evaluation(
            evaluate(Y, P, ["pdi"], by=np.arange(len(Y)) % 2), attribute="x"
        ),
        lambda: displays.CorrelationDisplay.from_study(None),
        lambda: displays.ScoredRocDisplay.from_models([0, 1], [0.1, 0.2]),
        lambda: displays.RocCurvesDisplay.from_predictions(Y, P, level=95),
        lambda: displays.RocCurvesDisplay.from_predictions(Y, P[:5]),
        lambda: displays.SaecIsoplethDisplay.over_grid("binomial"),
        lambda: displays.SaecPairDisplay.of("binomial"),
        lambda: displays.SaecDiscordanceDisplay.over_grid("proper", n_values=1),
        lambda: displays.TprSurfaceDisplay.from_predictions(Y, P, n_grid=1),
        lambda: displays.SimplexDisplay.from_predictions(Y, P, most_cases=0),
    ],
)
def test_bad_input_is_told_in_words(call: Any) -> None:
    with pytest.raises((InvalidInput, InvalidType)):
        call()


def test_many_pairs_are_drawn_on_a_grid_of_margins() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2200)
    curve = displays.ScoredRocDisplay.from_predictions(y, rng.random(2200)).curves["model"]
    assert not curve.exact
    assert len(curve.margins) == 1001


def test_the_axis_of_a_comparison_names_its_limits() -> None:
    """One-sided limits and those of equivalence are not called 95 % intervals, and are drawn."""
    models = {"a": P, "b": np.roll(P, 7, axis=0)}
    for alternative, name in (
        ("two-sided", "95 % interval"),
        ("noninferior", "one-sided 95 % limit"),
        ("equivalent", "90 % interval"),
    ):
        margin = None if alternative == "two-sided" else 0.1
        found = compare(Y, models, ["hand_till"], alternative=alternative, margin=margin)
        ax = displays.ComparisonDisplay.from_comparison(found).plot().ax_
        assert ax.get_xlabel() == f"Difference with {name}"
        low, high, *_ = found.differences[0].interval(0.95)
        ends = [low, high if np.isfinite(high) else found.differences[0].difference]
        bars = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2]
        assert any(np.allclose(bar, ends) for bar in bars[1:])
