"""Sections on probabilities: calibration and net benefit, by loops; and points of surfaces."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from report.dom import Node, parsed
from report.small import NBSP, content_of, scores_of, valued

from polyroc.calibration import calibration_curves, calibration_error, cost_calibration
from polyroc.calibration._error import SEED
from polyroc.predictions import Predictions
from polyroc.report import _calibration, _surfaces
from polyroc.report._calibration import (
    Benefit,
    banded,
    benefit_figures,
    calibration_figures,
    calibration_table,
    error_of,
    hides_everyone,
    net_benefit,
    usable,
)
from polyroc.report._cases import PageCases, page_cases
from polyroc.report._sections import benefit, calibration
from polyroc.report._surfaces import class_costs, room, short_costs, spaced
from polyroc.report._wording import interval_digits, limits, number

NET = {"net": valued(0.8, 0.7, 0.9)}
Y = [0, 1, 1, 2, 2, 2] * 15


def made(n_models: int = 1, y=Y, n_classes: int = 3, **more):
    return content_of(
        {f"m{k}": valued(0.8, 0.7, 0.9) for k in range(n_models)}, y=y, n_classes=n_classes, **more
    )


def tree(markup) -> Node:
    (node,) = parsed(str(markup)).children
    assert isinstance(node, Node)
    return node


def test_models_with_probabilities_keep_their_places() -> None:
    content = made(3, of_models={"m1": {"fault": "x"}})
    assert [(m, model.name) for m, model in usable(content)] == [(0, "m0"), (2, "m2")]
    assert banded(made(3)) and not banded(made(4))
    assert banded(made(4, of_models={"m1": {"fault": "x"}}))


def test_the_table_of_calibration() -> None:
    groups, weights = np.arange(90) // 3, np.linspace(1, 2, 90)
    content = made(2, weights=weights, groups=groups, level=0.8, of_models={"m0": {"fault": "x"}})
    model = content.models[1]
    found = calibration_error(model.predictions, groups=groups, rng=SEED)
    assert error_of(content, model).debiased == found.debiased
    assert error_of(content, model).p_value == found.p_value
    paid = cost_calibration(model.predictions, groups=groups)
    (table,) = tree(calibration_table(content)).all("table")
    titles = ["Calibration error", "If calibrated", "p", "Errors expected", "Errors observed"]
    heading, row = table.rows
    assert heading == ["Model", *titles]
    low, high, *_ = found.interval(0.8)
    shown = number(found.debiased, interval_digits(low, high))
    assert row[:2] == ["m1", f"{shown}{limits(low, high)}"]
    assert row[2] == number(found.under_calibration) and " " not in row[3]
    assert row[4:] == [
        f"{100 * paid.expected:.1f}{NBSP}%",
        f"{100 * paid.observed:.1f}{NBSP}%",
    ]
    assert table.all("span", "key")[0].attributes["class"] == "key model-1"
    assert [each.attributes["data-label"] for each in table.all("td")] == titles
    assert [len(each.all("small")) for each in table.all("td")] == [1, 0, 0, 0, 0]


def test_groups_of_the_predictions_are_not_given_again() -> None:
    groups = np.arange(90) // 3
    content = made(groups=groups)
    own = Predictions(Y, scores_of(Y, 3), groups=groups)
    held = replace(content, models=(replace(content.models[0], predictions=own),))
    assert error_of(held, held.models[0]).p_value == error_of(content, content.models[0]).p_value
    alone = replace(content, groups=None)
    assert error_of(alone, alone.models[0]).interval() != error_of(held, held.models[0]).interval()


def places(line: Node) -> np.ndarray:
    pairs = [each.split(",") for each in line.attributes["points"].split()]
    return np.array(pairs, dtype=float)


@pytest.mark.parametrize("grouped", [False, True])
def test_curves_of_calibration_are_drawn_with_bands(grouped) -> None:
    groups = np.arange(90) // 3 if grouped else None
    content = made(2, groups=groups, level=0.8, of_models={"m0": {"fault": "x"}})
    figures = tree(calibration_figures(content)).all("figure")
    assert [each.all("figcaption")[0].text for each in figures] == [
        "Most probable class",
        *("a", "b", "c"),
    ]
    model = content.models[1].predictions
    curves = calibration_curves(model, groups=groups, bins=8, level=0.8)
    for figure, curve in zip(figures, [curves.top_label, *curves.classes.values()], strict=True):
        first, own = figure.all("svg", "panel")[0].all("polyline")
        assert first.attributes["class"] == "chance"
        assert first.attributes["points"] == "40.0,212.0 240.0,6.0"
        assert own.attributes["class"] == "curve model-1 dash-1"
        x, y = 40 + 200 * curve.probability, 212 - 206 * curve.share
        assert places(own) == pytest.approx(np.column_stack([x, y]), abs=0.051)
        (band,) = figure.all("polygon")
        assert band.attributes["class"] == "band model-1"
        ends = np.append(curve.low, curve.high[::-1])
        assert places(band)[:, 1] == pytest.approx(212 - 206 * ends, abs=0.051)
        assert len(figure.all("circle")) == len(x)
        assert [each.text for each in figure.all("li")] == ["m1"]
    assert figures[1].all("svg", "panel")[0].attributes["aria-label"] == "Calibration: a"
    section = tree(calibration(content)).all("p")[0].text
    told = f" Bands are 80{NBSP}% intervals of the share in each bin."
    assert section.endswith(f"{told} Computed over 30 groups of cases." if grouped else told)


def test_of_two_or_many_classes_only_the_most_probable_one_has_a_curve(monkeypatch) -> None:
    two = made(y=[0, 1] * 20, n_classes=2)
    assert len(tree(calibration_figures(two)).all("figure")) == 1
    for most, n_figures in ((3, 4), (2, 1)):
        monkeypatch.setattr(_calibration, "MOST_CURVES", most)
        assert len(tree(calibration_figures(made())).all("figure")) == n_figures
    many = made(4)
    assert tree(calibration_figures(many)).all("polygon") == []
    assert "Bands are" not in tree(calibration(many)).all("p")[0].text


@pytest.mark.parametrize("weighted", [False, True])
def test_net_benefit_is_that_of_loops(weighted) -> None:
    """Cases at a threshold reach it."""
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 4, 90) / 2 if weighted else None
    p = np.round(scores_of(Y, 3) * 50) / 50
    p[:, 2] = np.maximum(1 - p[:, 0] - p[:, 1], 0.0)
    content = made(scores={"m0": p}, weights=weights)
    ones = [1.0] * 90 if weights is None else weights.tolist()
    total = sum(ones)
    for k in range(3):
        found = net_benefit(content.models[0], k)
        assert len(found.model) == len(found.everyone) == 49
        for place in range(49):
            t = (place + 1) / 50
            hits = sum(
                w for w, y, q in zip(ones, Y, p[:, k], strict=True) if y == k and q >= t - 1e-9
            )
            false = sum(
                w for w, y, q in zip(ones, Y, p[:, k], strict=True) if y != k and q >= t - 1e-9
            )
            assert found.model[place] == pytest.approx((hits - false * t / (1 - t)) / total)
            own = sum(w for w, y in zip(ones, Y, strict=True) if y == k) / total
            assert found.everyone[place] == pytest.approx(own - (1 - own) * t / (1 - t))


def benefit_of(above: list[int], by: float = 0.1, everyone: float = -1.0) -> Benefit:
    model = np.full(49, max(everyone, 0.0))
    model[above] += by
    return Benefit(model, np.full(49, everyone))


def test_a_model_is_of_use_where_it_beats_acting_on_all_and_on_none() -> None:
    assert benefit_of([]).useful() is None
    assert benefit_of([4]).useful() == (0.1, 0.1)
    assert benefit_of([0, 1, 2]).useful() == (0.02, 0.06)
    assert benefit_of([46, 47, 48]).useful() == pytest.approx((0.94, 0.98))
    assert benefit_of([1, 2, 10, 11, 12, 20, 21]).useful() == pytest.approx((0.22, 0.26))
    assert benefit_of([1, 2, 10, 11]).useful() == pytest.approx((0.04, 0.06))  # the first
    assert benefit_of([4], everyone=0.3).useful() == (0.1, 0.1)
    assert benefit_of([4], by=5e-13).useful() is None
    assert benefit_of([4], by=5e-12).useful() == (0.1, 0.1)
    behind = Benefit(np.full(49, 0.2), np.full(49, 0.3))
    assert behind.useful() is None


def captions(content) -> list[str]:
    return [each.text for each in tree(benefit_figures(content)).all("figcaption")]


def test_classes_whose_net_benefit_is_drawn(monkeypatch) -> None:
    assert captions(made(y=[0, 1] * 20, n_classes=2)) == ["b"]
    assert captions(made()) == ["a", "b", "c"]
    monkeypatch.setattr(_calibration, "MOST_CURVES", 3)
    monkeypatch.setattr("polyroc.report._sections.MOST_CURVES", 3)
    y = [0, 1, 1, 2, 2, 2, 3, 3] * 6
    content = made(y=y, n_classes=4)
    assert captions(content) == ["c", "b", "d"]
    told = tree(benefit(content)).all("p")[0].text
    assert told.endswith(" Shown are the 3 most frequent classes.")
    assert "most frequent" not in tree(benefit(made())).all("p")[0].text


def test_a_panel_of_net_benefit() -> None:
    content = made(2, of_models={"m0": {"fault": "x"}})
    figure = tree(benefit_figures(content)).all("figure")[1]
    (panel,) = figure.all("svg", "panel")
    assert panel.attributes["aria-label"] == "Net benefit of acting on b"
    prior = 1 / 3
    texts = [each.text for each in panel.all("text")]
    assert texts[2:4] == [f"{prior:.2g}", f"−{prior / 4:.2g}"]
    assert texts[-2:] == ["threshold probability", "net benefit"]
    found = net_benefit(content.models[1], 1)
    kinds = [each.attributes["class"] for each in panel.all("polyline")]
    assert kinds[:2] == ["chance", "chance"] and set(kinds[2:]) == {"curve model-1 dash-1"}
    none, everyone, *own = panel.all("polyline")
    zero = 212 - 206 / 5
    assert places(none) == pytest.approx(np.array([[40, zero], [240, zero]]), abs=0.051)
    scale = 206 / (prior * 1.25)
    assert places(everyone)[0] == pytest.approx(
        [40 + 200 / 50, 212 - (found.everyone[0] + prior / 4) * scale], abs=0.051
    )
    assert places(own[0])[0] == pytest.approx(
        [44, 212 - (found.model[0] + prior / 4) * scale], abs=0.051
    )
    ends = found.useful()
    told = "of no use" if ends is None else f"{ends[0]:.2f}–{ends[1]:.2f}"
    assert [each.text for each in figure.all("li")] == [f"m1{told}"]


def test_models_of_no_use_are_told() -> None:
    guess = np.tile([1 / 6, 1 / 3, 1 / 2], (90, 1))
    figure = tree(benefit_figures(made(scores={"m0": guess}))).all("figure")[0]
    assert figure.all("li")[0].text == "m0of no use"


@pytest.mark.parametrize(("n_rare", "hidden"), [(16, True), (17, False)])
def test_acting_on_all_cases_lies_below_the_panel_of_a_rare_class(n_rare, hidden) -> None:
    """At a threshold of 0.02 it is worth s − (1 − s)/49; the panel ends at −s/4."""
    y = [0] * n_rare + [1] * 500 + [2] * (1000 - 500 - n_rare)
    guess = np.tile([0.2, 0.3, 0.5], (1000, 1))
    content = made(y=y, scores={"m0": guess})
    assert hides_everyone(content) == hidden
    told = " For rare classes, acting on all cases lies below the panel throughout."
    assert (told in tree(benefit(content)).text) == hidden
    two = made(y=[0] * n_rare + [1] * 500, n_classes=2)
    assert not hides_everyone(two)  # of two classes the second is drawn


def test_room_for_points_is_what_the_cases_leave() -> None:
    least, most, all_bytes = 90_000, 400_000, 1_140_000
    for used, expected in (
        (0, most),
        (all_bytes + least - most, most),
        (all_bytes + least - most + 1, most - 1),
        (all_bytes - 10, least + 10),
        (all_bytes, least),
        (all_bytes + 99, least),
    ):
        assert room(SimpleNamespace(n_bytes=used)) == expected


def test_positions_are_denser_near_the_first() -> None:
    assert spaced(5, 5).tolist() == [0, 1, 2, 3, 4] and spaced(5, 6).tolist() == [0, 1, 2, 3, 4]
    assert spaced(101, 5).tolist() == [0, 6, 25, 56, 100]
    assert spaced(6, 5).tolist() == [0, 1, 3, 5]
    assert spaced(5, 0).tolist() == [] and spaced(5, -3).tolist() == []


def test_costs_have_three_digits_and_ten_as_the_largest() -> None:
    costs = short_costs(np.array([[1.0, 3.0, 0.00123456], [4.0, 4.0, 0.1239]]))
    assert costs.tolist() == [[3.33, 10.0, 0.00412], [10.0, 10.0, 0.31]]


def test_costs_of_classes_reach_three_times_the_spread_of_log_odds() -> None:
    """The 0.9 quantile of the range of logarithms, plus 1; probabilities count from 1e-4 on."""
    rng = np.random.default_rng(0)
    for n_classes in (2, 3, 4):
        p = rng.dirichlet(np.ones(n_classes), 50).astype(np.float32)
        p[0] = np.eye(n_classes)[0]
        ranges = [
            max(math.log(max(q, 1e-4)) for q in row) - min(math.log(max(q, 1e-4)) for q in row)
            for row in p.astype(float).tolist()
        ]
        spread = float(np.quantile(ranges, 0.9)) + 1
        costs = class_costs(p, 40).reshape(-1, n_classes, n_classes - 1)
        assert len(costs) == (23 * 24 // 2 if n_classes == 3 else 40)
        assert (costs == costs[:, :, :1]).all()
        logs = -np.log(costs[:, :, 0])
        assert logs.sum(axis=1) == pytest.approx(np.full(len(costs), 3 * spread), rel=1e-10)
        if n_classes == 3:
            assert logs.max() == pytest.approx(3 * spread) and logs.min() == pytest.approx(0)


def test_the_search_is_given_the_cases_it_needs(monkeypatch) -> None:
    """A sample of them with weights and groups, the settings of the report, and a fixed seed."""
    asked = {}

    class Found:
        costs = np.tile(1 - np.eye(4), (3, 1, 1)) + np.eye(4)[1] * np.arange(3)[:, None, None]
        rates = np.array([[0.3] * 12, [0.1] * 12, [0.2] * 12])

        def __len__(self) -> int:
            return 3

        def priors(self) -> np.ndarray:
            return np.array([0.1, 0.2, 0.3, 0.4])

        def gini(self, method, **options):
            asked["gini"] = (method, options)
            return "G"

    def search(model, **options):
        asked["search"] = options
        return Found()

    monkeypatch.setattr("polyroc.surface.ScoreModel", lambda given: asked.update(given=given))
    monkeypatch.setattr("polyroc.surface.search", search)
    monkeypatch.setattr(_surfaces, "SEARCH_CASES", 20)
    monkeypatch.setattr(_surfaces, "MOST_POINTS", 9)
    y = [0, 1, 2, 3] * 10
    weights, groups = np.linspace(1, 2, 40), np.arange(40) // 2
    predictions = Predictions(y, scores_of(y, 4), sample_weight=weights)
    cases = page_cases(predictions, np.arange(40), {"net": predictions.scores}, groups)
    surface = _surfaces.page_surface(cases, "net")
    given = asked["given"]
    assert len(given) == 20 and given.class_counts.tolist() == [5] * 4
    chosen = _surfaces.stratified(cases.codes, 20)
    assert given.weights.tolist() == weights[chosen].tolist()
    assert len(np.unique(given.groups)) == len(np.unique(groups[chosen]))
    assert np.array_equal(given.scores, cases.scores["net"][chosen].astype(np.float64))
    assert asked["search"] == {
        "generations": 20,
        "costs_per_generation": 200,
        "rng": 2006,
        "progress": False,
    }
    assert asked["gini"] == ("monte_carlo", {"n_samples": 50_000, "rng": 2006})
    assert (surface.gini, surface.n_found, surface.n_searched) == ("G", 3, 20)
    assert surface.n_samples == 50_000
    assert len(surface.costs) == len(surface.tables) == len(surface.front) == 4 + 3
    last = np.array([Found.costs[k][~np.eye(4, dtype=bool)] for k in (1, 2, 0)])  # the best first
    assert np.array_equal(surface.costs[4:], short_costs(last))


def test_no_weights_and_no_groups_are_given_where_there_are_none(monkeypatch) -> None:
    given = []

    class Enough(Exception):
        pass

    def model(predictions):
        given.append(predictions)
        raise Enough

    monkeypatch.setattr("polyroc.surface.ScoreModel", model)
    y = [0, 1, 2] * 4
    codes, scores = np.array(y), {"net": scores_of(y, 3).astype(np.float32)}
    with pytest.raises(Enough):
        _surfaces.page_surface(PageCases(np.arange(12), codes, None, scores, 12), "net")
    (only,) = given
    assert only.weights is None and only.groups is None and len(only) == 12
