"""What a report is made of: models, options, cases that fit, curves with what they rest on."""

import datetime
import math
from dataclasses import replace

import numpy as np
import pytest
from report.conftest import make_sample
from report.small import content_of, scores_of, valued
from scipy.stats import norm

from polyroc import Predictions, compare, evaluate
from polyroc.curves._roc import RocCurve
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference import estimate
from polyroc.inference._influence import CaseDesign
from polyroc.inference._pairs import pair_limits
from polyroc.predictions._slices import read_attribute
from polyroc.report import _cases, _content, _curves
from polyroc.report._cases import PageCases, page_cases, stratified
from polyroc.report._content import gather, metric_names
from polyroc.report._curves import PageCurve, drawn_classes


@pytest.fixture(autouse=True)
def quick(monkeypatch) -> None:
    """One metric, and no search."""

    def only(predictions) -> list[str]:
        return ["roc_auc" if predictions.n_classes == 2 else "hand_till"]

    monkeypatch.setattr(_content, "metric_names", only)
    monkeypatch.setattr(_content, "_surfaces_of", lambda *_: {})


def test_names_of_a_report() -> None:
    y, models = make_sample(3, 30, 1)
    content = gather(np.array(["b", "a", "c"])[y], models, labels=["b", "a", "c"])
    assert content.title == "Multi-class ROC report" and content.source == ""
    assert content.classes == ("b", "a", "c") and content.literals == ("'b'", "'a'", "'c'")
    assert content.date == datetime.date.today().isoformat()
    assert content.level == 0.95 and content.alpha == 0.05 and content.holds_cases
    assert content.earlier is None and content.groups is None and content.comparison is None
    assert content.n_groups == 30 and content.n_given == 30
    assert content.main_metric == "hand_till"
    two = gather(*make_sample(2, 20, 1), title="Mine", source="a.csv", include_cases=False)
    assert (two.title, two.source, two.holds_cases) == ("Mine", "a.csv", False)
    assert two.main_metric == "roc_auc" and two.literals == ("0", "1")
    assert gather(*make_sample(2, 20, 1)).title == "ROC report"


def test_options_reach_evaluation_and_comparison() -> None:
    y, models = make_sample(3, 60)
    weights, groups = np.random.default_rng(0).integers(0, 4, 60) / 2, np.arange(60) // 2
    weights[:3] = 1
    known = {"sample_weight": weights, "groups": groups}
    content = gather(y, models, level=0.9, **known)
    for model in content.models:
        expected = evaluate(y, models[model.name], ["hand_till"], level=0.9, **known)
        found = model.evaluation["hand_till"]
        assert found.value == expected["hand_till"].value
        assert found.standard_error == expected["hand_till"].standard_error
        assert model.evaluation.level == 0.9
        predictions = Predictions(y, models[model.name], sample_weight=weights)
        design = CaseDesign.of(groups, predictions)
        limits = pair_limits(predictions, design, 0.9)
        assert np.array_equal(model.pair_limits, limits, equal_nan=True)
    (row,) = content.comparison.differences
    (expected,) = compare(y, models, ["hand_till"], level=0.9, **known).differences
    assert (row.difference, row.standard_error) == (expected.difference, expected.standard_error)
    kept = weights > 0
    assert content.n_given == 60 and len(content.predictions) == kept.sum()
    assert content.n_groups == len(np.unique(groups[kept]))
    assert content.cases.rows.tolist() == np.flatnonzero(kept).tolist()
    assert content.cases.weights.tolist() == weights[kept].tolist()
    assert content.alpha == 0.1 and content.rejects(0.1) and not content.rejects(0.1000001)
    assert not content.rejects(math.nan)


def test_folds_and_slices_reach_the_evaluation() -> None:
    y, models = make_sample(3, 90)
    folds, site = np.arange(90) // 3 % 2, np.arange(90) // 45
    content = gather(y, models, folds=folds)
    for name, scores in models.items():
        (model,) = [each for each in content.models if each.name == name]
        expected = evaluate(y, scores, ["hand_till"], folds=folds)["hand_till"]
        assert model.evaluation["hand_till"].value == expected.value
    (row,) = content.comparison.differences
    (expected,) = compare(y, models, ["hand_till"], folds=folds).differences
    assert row.difference == expected.difference
    content = gather(y, models, by={"site": site}, ids=[f"c{k}" for k in range(90)])
    assert list(content.models[1].evaluation.slices["site"]) == [0, 1]
    (held,) = content.cases.slices
    assert held.name == "site" and held.numbers.tolist() == site.tolist()
    assert content.cases.ids == tuple(f"c{k}" for k in range(90))


def test_significance_levels_have_up_to_twelve_decimals() -> None:
    for level, alpha in ((0.999, 0.001), (0.999999999998, 2e-12), (0.9500000000004, 0.05)):
        assert content_of({"net": valued(0.8)}, level=level).alpha == alpha


def test_predictions_take_the_place_of_labels_and_scores() -> None:
    y, models = make_sample(3, 30)
    one = gather(Predictions(y, models["model 0"]))
    assert [each.name for each in one.models] == ["model"] and one.comparison is None
    assert [each.name for each in gather(y, models["model 0"]).models] == ["model"]
    given = {name: Predictions(y, scores) for name, scores in models.items()}
    several, plain = gather(given), gather(y, models)
    assert [each.name for each in several.models] == list(models)
    assert several.comparison.differences == plain.comparison.differences
    with pytest.raises(InvalidInput, match=r"^models cannot be given together with Predictions"):
        gather(given, models)
    with pytest.raises(InvalidType, match=r"^models is missing\. Pass labels and scores, or"):
        gather(y)
    with pytest.raises(InvalidInput, match="Two models have the same name as text"):
        gather({1: given["model 0"], "1": given["model 1"]})
    with pytest.raises(InvalidType, match="include_cases"):
        gather(y, models, include_cases="yes")


def test_models_of_different_classes_are_refused() -> None:
    y, models = make_sample(3, 30)
    given = {
        "one": Predictions(y, models["model 0"], labels=[0, 1, 2]),
        "two": Predictions(y, models["model 1"], labels=[0, 1, 2]),
        "three": Predictions(y, models["model 1"], labels=[2, 1, 0]),
    }
    with pytest.raises(InvalidInput) as caught:
        gather(given)
    assert str(caught.value) == (
        "The models 'one' and 'three' have different classes. "
        "Pass the same labels for all, or columns in the same order."
    )


def test_the_metric_of_the_findings_comes_first(monkeypatch) -> None:
    monkeypatch.undo()
    for n_classes, first in ((2, "roc_auc"), (3, "hand_till")):
        y, models = make_sample(n_classes, 20, 1)
        predictions = Predictions(y, models["model 0"])
        names = metric_names(predictions)
        usual = list(evaluate(predictions))
        assert names[0] == first and sorted(names) == sorted(usual)
        assert names[1:] == [each for each in usual if each != first]


def test_scores_that_are_no_probabilities_are_divided_or_left_out() -> None:
    y, models = make_sample(3, 30, 1)
    p = models["model 0"]
    content = gather(y, {"p": p, "twice": 2 * p, "logits": np.log(p)})
    first, twice, logits = content.models
    assert first.fault == "" and np.array_equal(first.probabilities, p)
    assert np.allclose(twice.probabilities, p) and twice.probabilities.dtype == np.float64
    for model in (twice, logits):
        assert model.fault and "y_score" not in model.fault and ". " not in model.fault
        assert not model.fault.startswith("The explorer")
    assert logits.probabilities is None
    assert list(content.cases.scores) == ["p", "twice"]


def test_the_leading_model_has_the_best_value() -> None:
    values = {"a": valued(math.nan), "b": valued(0.7), "c": valued(0.9), "d": valued(0.9)}
    assert content_of(values).leading.name == "c"


@pytest.mark.parametrize(
    ("of_one", "of_all", "n_models", "most"),
    [
        (60, 12_000, 1, 60),
        (250, 600, 2, 100),
        (250, 630, 5, 42),
        (250, 600, 5, 40),
        (250, 600, 9, 40),
    ],
)
def test_curves_have_fewer_points_where_there_are_many(
    of_one, of_all, n_models, most, monkeypatch
) -> None:
    """Of three classes; each keeps forty."""
    asked = []
    thinned = _content.thinned

    def recorded(curve, number):
        asked.append(number)
        return thinned(curve, number)

    monkeypatch.setattr(_content, "thinned", recorded)
    monkeypatch.setattr(_content, "CURVE_POINTS", of_one)
    monkeypatch.setattr(_content, "ALL_POINTS", of_all)
    y, models = make_sample(3, 90, 1)
    predictions = Predictions(y, models["model 0"])
    areas, curves = _content._curves(predictions, n_models)
    assert asked == [most] * 3 and sorted(curves) == [0, 1, 2]
    assert areas == tuple(each.area for each in curves.values())
    whole = evaluate((y == 0).astype(int), predictions.scores[:, 0], ["roc_auc"])
    assert areas[0] == pytest.approx(whole["roc_auc"].value)


def test_curves_of_many_classes_share_the_room_of_those_drawn(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(_content, "thinned", lambda curve, most: asked.append(most) or curve)
    monkeypatch.setattr(_content, "ALL_POINTS", 2400)
    y = [*range(15)] * 2
    _content._curves(Predictions(y, scores_of(y, 15)), 2)
    assert asked == [100] * 15  # of twelve classes and two models


def test_two_classes_have_one_curve_without_points_in_line() -> None:
    y = [0, 0, 0, 1, 1, 1]
    p = np.array([0.1, 0.2, 0.6, 0.5, 0.8, 0.9])
    areas, curves = _content._curves(Predictions(y, np.column_stack([1 - p, p])), 1)
    assert list(curves) == [1] and math.isnan(areas[0])
    assert areas[1] == curves[1].area == pytest.approx(8 / 9)
    assert curves[1].false_positive_rate.tolist() == pytest.approx([0, 0, 1 / 3, 1 / 3, 1])


def test_of_many_classes_those_of_the_least_area_are_drawn(monkeypatch) -> None:
    monkeypatch.setattr(_curves, "MOST_CURVES", 3)

    def drawn(*rests: tuple[float, ...]) -> list[int]:
        y = list(range(4)) * 2
        content = content_of({f"m{k}": valued(0.8) for k in range(len(rests))}, y=y, n_classes=4)
        curves = dict.fromkeys(range(len(rests[0])))
        return drawn_classes(
            [
                replace(model, rest=rest, curves=curves)
                for model, rest in zip(content.models, rests, strict=True)
            ]
        )

    assert drawn((0.9, 0.5, 0.7)) == [0, 1, 2]
    assert drawn((0.9, 0.5, 0.7, 0.6)) == [1, 3, 2]
    assert drawn((0.9, 0.5, 0.7, 0.6), (0.1, 0.9, 0.9, 0.9)) == [0, 1, 3]
    assert drawn((0.9, math.nan, 0.7, 0.7)) == [2, 3, 0]


def test_curves_of_the_page_have_the_intervals_of_their_areas() -> None:
    y, models = make_sample(3, 60, 1)
    scores = models["model 0"]
    weights, groups = np.linspace(1, 2, 60), np.arange(60) // 2
    content = gather(y, models, sample_weight=weights, groups=groups, level=0.8)
    assert list(content.panels) == [0, 1, 2]
    for k, (curve,) in content.panels.items():
        known = {"sample_weight": weights, "groups": groups}
        expected = estimate(y == k, scores[:, k], "roc_auc", labels=[False, True], **known)
        assert curve.area == expected.interval(0.8)
        ends = expected.interval(0.8)
        assert ends.low < curve.curve.area < ends.high
        own = y == k
        few = min(len(np.unique(groups[own])), effective(weights[own]))
        assert curve.true_count[0] == pytest.approx(few)
        few = min(len(np.unique(groups[~own])), effective(weights[~own]))
        assert curve.false_count[-1] == pytest.approx(few)
    alone = gather(y, models, sample_weight=weights).panels[1][0]
    assert alone.true_count == pytest.approx(effective(weights[y == 1]))
    assert alone.false_count == pytest.approx(effective(weights[y != 1]))
    assert len(alone.true_count) == len(alone.curve.thresholds)


def effective(weights: np.ndarray) -> float:
    return float(weights.sum() ** 2 / (weights**2).sum())


def test_bands_reach_as_far_as_the_level_says() -> None:
    rates = np.linspace(0, 1, 2001)
    curve = RocCurve("a", None, rates, rates**0.5, 1 - rates, 2 / 3)
    for level in (0.8, 0.95):
        for certain, counts in (("false", (1e9, 50.0)), ("true", (50.0, 1e9))):
            page = PageCurve(curve, *(np.full(2001, each) for each in counts), None)
            at, low, high = page.band(level)
            assert at[0] == 0 and at[-1] == 1 and (np.diff(at) > 0).all() and len(at) == 43
            assert (np.diff(at) <= 0.05).all() and at[1] == 1 / 400
            place = at.tolist().index(0.25)
            z, n, p = norm.ppf((1 + level) / 2), 50, 0.5
            half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
            if certain == "false":
                assert (low[place], high[place]) == pytest.approx(
                    (0.5 - half, 0.5 + half), abs=2e-3
                )
            else:
                assert low[place] < 0.45 and high[place] > 0.53


def held(**more) -> PageCases:
    codes = np.arange(10) % 3
    made = {
        "rows": np.arange(10),
        "codes": codes,
        "weights": None,
        "scores": {"a": np.zeros((10, 3), np.float32)},
        "n_cases": 10,
        **more,
    }
    return PageCases(**made)


def test_bytes_of_the_cases_in_a_page() -> None:
    assert held().n_bytes == 10 * 12 + 10 and len(held()) == 10 and not held().sampled
    assert held(n_cases=11).n_bytes == 120 + 10 * 5 and held(n_cases=11).sampled
    assert held(weights=np.ones(10)).n_bytes == 120 + 10 * 9
    assert held(groups=np.arange(10)).n_bytes == 120 + 10 * 5
    site = read_attribute("site", np.arange(10) % 2)
    assert held(slices=(site, site)).n_bytes == 120 + 10 * 3
    assert held(ids=("ab",) * 9 + ("abcd",)).n_bytes == 120 + 10 + 9 * 5 + 7
    for largest, more in ((255, 0), (256, 10)):
        codes = np.append(np.zeros(9, dtype=int), largest)
        assert held(codes=codes).n_bytes == 130 + more
    both = {"a": np.zeros((10, 3), np.float32), "b": np.zeros((10, 3), np.float32)}
    assert held(scores=both).n_bytes == 250
    none = PageCases(np.arange(0), np.arange(0), None, {}, 0)
    assert none.n_bytes == 0


@pytest.mark.parametrize(
    ("more", "per_case"),
    [
        ({}, 4 * 3 + 1),
        ({"weights": True}, 4 * 3 + 1 + 8),
        ({"groups": np.arange(60) // 2}, 4 * 3 + 1 + 4),
        ({"slices": 2}, 4 * 3 + 1 + 2),
        ({"ids": np.array(["abc", "abcde"] * 30)}, 4 * 3 + 1 + 3 + 4),
        ({"ids": np.array(["abc", "abcd"] * 30)}, 4 * 3 + 1 + 3 + 3),  # whole letters of the mean
        ({"models": 2}, 4 * 3 * 2 + 1),
        ({"models": 0}, 4 * 3 + 1),
    ],
)
def test_as_many_cases_are_held_as_fit(more, per_case, monkeypatch) -> None:
    """A row of four bytes is added once cases are left out, as they cannot be counted then."""
    y = [0, 1, 2] * 20
    given = dict(more)
    weights = np.linspace(1, 2, 60) if given.pop("weights", False) else None
    predictions = Predictions(y, scores_of(y, 3), sample_weight=weights)
    n_models = given.pop("models", 1)
    known = {f"m{k}": predictions.scores for k in range(n_models)}
    site = read_attribute("site", np.arange(60) % 2)
    given["slices"] = (site,) * given.pop("slices", 0)
    for room, n_held in ((60 * per_case, 60), (60 * per_case - 1, None), (30 * (per_case + 4), 30)):
        monkeypatch.setattr(_cases, "SCORE_BYTES", room)
        cases = page_cases(predictions, np.arange(60) + 5, known, **given)
        fits = (room // (per_case + 4)) if n_held is None else n_held
        assert len(cases) == len(stratified(np.array(y), fits))
        assert cases.n_cases == 60 and cases.sampled == (len(cases) < 60)
        chosen = cases.rows - 5
        assert cases.codes.tolist() == [y[i] for i in chosen]
        assert all(
            np.array_equal(each, predictions.scores[chosen].astype(np.float32))
            for each in cases.scores.values()
        )
        if weights is not None:
            assert cases.weights.tolist() == weights[chosen].tolist()
        if "groups" in given:
            own = given["groups"][chosen]
            assert (np.diff(own) != 0).tolist() == (np.diff(cases.groups) != 0).tolist()
            assert cases.groups.max() == len(set(own.tolist())) - 1
        if "ids" in given:
            assert cases.ids == tuple(given["ids"][chosen].tolist())
        assert [each.numbers.tolist() for each in cases.slices] == [
            (chosen % 2).tolist() for _ in given["slices"]
        ]


def test_tables_of_more_than_three_models_take_room_from_the_cases(monkeypatch) -> None:
    monkeypatch.setattr(_cases, "SCORE_BYTES", 4000)
    monkeypatch.setattr(_cases, "TABLE_BYTES", 1000)
    y = [0, 1, 2] * 40
    predictions = Predictions(y, scores_of(y, 3))
    for n_models, room in ((3, 4000), (4, 3000), (5, 2000)):
        known = {f"m{k}": predictions.scores for k in range(n_models)}
        cases = page_cases(predictions, np.arange(120), known)
        per_case = 4 * 3 * n_models + 1 + 4
        assert len(cases) == len(stratified(np.array(y), room // per_case)) < 120


def test_a_stratified_sample_has_the_share_of_every_class() -> None:
    codes = np.repeat([0, 1, 2], [50, 30, 2])
    assert stratified(codes, 82).tolist() == list(range(82))
    chosen = stratified(codes, 81)
    assert np.bincount(codes[chosen]).tolist() == [49, 29, 1]
    chosen = stratified(codes, 20)
    assert np.bincount(codes[chosen]).tolist() == [12, 7, 1]
    assert sorted(set(chosen.tolist())) == chosen.tolist()
    assert chosen.tolist() != list(range(12)) + list(range(50, 57)) + [80]


def test_rates_of_no_cases_rest_on_nothing_known() -> None:
    places = np.array([0.5, 0.6])
    for groups in (None, np.arange(0)):
        found = _curves.rested_on(np.empty(0), np.empty(0), groups, places)
        assert len(found) == 2 and np.isnan(found).all()
    scores, weights = np.array([0.1, 0.5, 0.9]), np.array([1.0, 2.0, 1.0])
    assert _curves.rested_on(scores, weights, None, places).tolist() == [16 / 6] * 2
    one = _curves.rested_on(scores, weights, np.zeros(3, dtype=int), places)
    assert one == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize(("n_models", "room"), [(3, 1_140_000), (4, 1_126_000)])
def test_cases_take_1140000_bytes_and_14000_less_for_the_fourth_model(n_models, room) -> None:
    y = np.arange(50_000) % 2
    predictions = Predictions(y, np.column_stack([1 - y * 0.9, y * 0.9]))
    known = {f"m{k}": predictions.scores for k in range(n_models)}
    most = room // (4 * 2 * n_models + 1 + 4)
    cases = page_cases(predictions, np.arange(50_000), known)
    assert most - 2 <= len(cases) <= most


def test_a_curve_has_at_most_250_points_and_all_have_12000(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(_content, "thinned", lambda curve, most: asked.append(most) or curve)
    y, models = make_sample(3, 30, 1)
    for n_models in (1, 16, 20, 200):
        _content._curves(Predictions(y, models["model 0"]), n_models)
    assert asked == [each for each in (250, 250, 200, 40) for _ in range(3)]
