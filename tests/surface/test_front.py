"""RocSurface: files, new cases, choices."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, NotDefined, UnknownName
from polyroc.surface import (
    CostSensitiveClassifier,
    KnnModel,
    LinearModel,
    MlpModel,
    Model,
    RocSurface,
    ScoreModel,
    search,
)
from polyroc.surface._objectives import on_front

X, CODES = three_class_mixture((30, 25, 20), rng=0)
NAMES = np.array(["failing", "ectopic", "intra-uterine"])
Y = NAMES[CODES]
NEW_X, NEW_CODES = three_class_mixture((40, 40, 40), rng=1)
NEW_Y = NAMES[NEW_CODES]


def some_model(kind: type[Model]) -> Model:
    if kind is ScoreModel:
        p = LinearModel(X, Y).probabilities(np.linspace(-1, 1, 9))
        return ScoreModel(Y, p, labels=sorted(NAMES))
    return kind(X, Y)


@pytest.fixture(scope="module")
def surface() -> RocSurface:
    return search(KnnModel(X, Y), generations=60, rng=0)


def test_a_surface_knows_where_it_comes_from(surface: RocSurface) -> None:
    origin = surface.provenance
    assert origin["model"] == "knn" and origin["seed"] == 0 and origin["generations"] == 60
    assert origin["evaluations"] == 100 + 60 * 100
    assert origin["data"] == KnnModel(X, Y).fingerprint()
    assert surface.classes == tuple(sorted(NAMES))
    assert surface.class_weights.tolist() == [25, 30, 20]


def test_confusion_rows_sum_to_one(surface: RocSurface) -> None:
    assert np.allclose(surface.confusion.sum(axis=2), 1)
    assert np.array_equal(surface.confusion[:, ~np.eye(3, dtype=bool)], surface.rates)


# Files and new cases


@pytest.mark.parametrize("kind", [KnnModel, MlpModel, LinearModel, ScoreModel])
def test_a_loaded_surface_does_what_the_saved_one_did(kind: type[Model], tmp_path: Path) -> None:
    surface = search(some_model(kind), generations=20, rng=1)
    surface.save(tmp_path / "surface.npz")
    loaded = RocSurface.load(tmp_path / "surface.npz")
    for name in ("rates", "costs", "parameters", "class_weights"):
        assert np.array_equal(getattr(loaded, name), getattr(surface, name))
    assert loaded.provenance == surface.provenance and loaded.classes == surface.classes
    new = NEW_X if kind is not ScoreModel else np.full((120, 3), 1 / 3)
    one, two = surface.rescore(new, NEW_Y), loaded.rescore(new, NEW_Y)
    assert np.array_equal(one.rates, two.rates)
    assert np.array_equal(surface.decide(new, 0), loaded.decide(new, 0))


def test_rescoring_on_the_same_cases_changes_nothing() -> None:
    for kind in (MlpModel, LinearModel):
        model = some_model(kind)
        surface = search(model, generations=20, rng=1)
        assert np.array_equal(surface.rescore(X, Y).rates, surface.rates)


def test_held_out_rates_are_those_of_the_decisions(surface: RocSurface) -> None:
    held_out = surface.rescore(NEW_X, NEW_Y)
    for index in (0, len(surface) // 2):
        decided = surface.decide(NEW_X, index)
        for a, truth in enumerate(surface.classes):
            for b, decision in enumerate(surface.classes):
                share = np.mean(decided[truth == NEW_Y] == decision)
                assert held_out.confusion[index, a, b] == pytest.approx(share)


def test_a_front_is_optimistic() -> None:
    """On average over draws of the data, G on new cases is below G on those searched."""
    gains = []
    for seed in range(4):
        found = search(
            KnnModel(*three_class_mixture((30, 30, 30), rng=seed)), generations=50, rng=0
        )
        new = found.rescore(*three_class_mixture((300, 300, 300), rng=100 + seed))
        gains.append(found.gini().value - new.gini().value)
    assert np.mean(gains) > 0.01


def test_a_model_of_your_own_comes_back_with_load(surface: RocSurface, tmp_path: Path) -> None:
    class Mine(LinearModel):
        name = "mine"

    model = Mine(X, Y)
    search(model, generations=3, rng=0).save(tmp_path / "mine.npz")
    with pytest.raises(NotDefined, match=r"RocSurface\.load\(path, model=…\)"):
        RocSurface.load(tmp_path / "mine.npz").rescore(NEW_X, NEW_Y)
    RocSurface.load(tmp_path / "mine.npz", model=model).rescore(NEW_X, NEW_Y)


def test_other_files_are_refused(surface: RocSurface, tmp_path: Path) -> None:
    path = tmp_path / "surface.npz"
    surface.save(path)
    whole = path.read_bytes()
    for content in (b"", b"PK", whole[:100], whole[:-200]):
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="is not a ROC surface"):
            RocSurface.load(path)
    np.savez(path, rates=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InvalidInput, match="is not a ROC surface"):
        RocSurface.load(path)
    with pytest.raises(InvalidInput, match="no file"):
        RocSurface.load(tmp_path / "none.npz")
    with pytest.raises(InvalidInput, match="no folder"):
        surface.save(tmp_path / "none" / "surface.npz")


@pytest.mark.parametrize("name", ["rates", "costs", "parameters", "class_weights"])
def test_arrays_of_another_shape_are_refused(
    surface: RocSurface, tmp_path: Path, name: str
) -> None:
    from dataclasses import replace

    path = tmp_path / "surface.npz"
    replace(surface, **{name: getattr(surface, name)[:-1]}).save(path)
    with pytest.raises(InvalidInput, match=f"its {'.*' if name == 'rates' else name}"):
        RocSurface.load(path)


# Choices


def test_costs_choose_the_least_expected_cost(surface: RocSurface) -> None:
    costs = np.array([[0, 1, 5], [2, 0, 1], [1, 3, 0]])
    point = surface.choose(costs=costs)
    priors = np.array([25, 30, 20]) / 75
    values = [(priors[:, None] * costs * table).sum() for table in surface.confusion]
    assert point.value == pytest.approx(min(values))
    assert point.index == int(np.argmin(values))
    assert np.array_equal(point.costs, surface.costs[point.index])


def test_priors_replace_those_of_the_sample(surface: RocSurface) -> None:
    priors = {"ectopic": 0.98, "failing": 0.01, "intra-uterine": 0.01}
    rare = surface.choose(criterion="total_error", priors=priors)
    assert rare.confusion[0, 0] >= surface.choose(criterion="total_error").confusion[0, 0]
    total = sum(priors[name] * (1 - rare.confusion[k, k]) for k, name in enumerate(surface.classes))
    assert rare.value == pytest.approx(total)


def test_limits_are_kept_and_the_rest_is_best(surface: RocSurface) -> None:
    limits = {("ectopic", "failing"): 0.05, ("failing", "ectopic"): 0.1}
    point = surface.choose(limits=limits)
    assert point.rate("ectopic", "failing") <= 0.05 and point.rate("failing", "ectopic") <= 0.1
    kept = [
        (surface.class_weights * (1 - np.diag(table))).sum() / 75
        for table in surface.confusion
        if table[0, 1] <= 0.05 and table[1, 0] <= 0.1
    ]
    assert point.value == pytest.approx(min(kept))


def test_farthest_from_chance_has_the_least_sum_of_rates(surface: RocSurface) -> None:
    point = surface.choose(criterion="farthest_from_chance")
    assert point.value == pytest.approx((surface.rates.sum(axis=1).min() - 2) / np.sqrt(6))


def test_impossible_choices_say_why(surface: RocSurface) -> None:
    some = surface[surface.rates[:, 0] > 0.01]
    with pytest.raises(NotDefined, match="at or below 0: the least is"):
        some.choose(limits={("ectopic", "failing"): 0})
    with pytest.raises(UnknownName, match="'well' is not a class"):
        surface.choose(limits={("ectopic", "well"): 0.1})
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        surface.choose(limits={("ectopic", "failing"): 5})
    with pytest.raises(InvalidInput, match="Say what to optimise"):
        surface.choose()
    with pytest.raises(InvalidInput, match="not both"):
        surface.choose(costs=1 - np.eye(3), criterion="total_error")
    with pytest.raises(InvalidInput, match="criterion must be"):
        surface.choose(criterion="best")  # type: ignore[arg-type]


def test_a_choice_can_be_deployed() -> None:
    """From scores through the surface to a classifier, the decisions are the same."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression().fit(X, Y)
    model = ScoreModel(NEW_Y, fitted.predict_proba(NEW_X))
    point = search(model, generations=30, rng=0).choose(limits={("ectopic", "failing"): 0.1})
    deployed = CostSensitiveClassifier(fitted, point.costs).fit(X, Y)
    assert np.array_equal(deployed.predict(NEW_X), point.decide(fitted.predict_proba(NEW_X)))


def test_costs_go_by_name_where_orders_differ() -> None:
    """A surface keeps the order of its labels, a classifier sorts them."""
    from sklearn.frozen import FrozenEstimator
    from sklearn.naive_bayes import GaussianNB

    fitted = GaussianNB().fit(X, Y)
    order = ["intra-uterine", "failing", "ectopic"]
    columns = [list(fitted.classes_).index(name) for name in order]
    model = ScoreModel(Y, fitted.predict_proba(X)[:, columns], labels=order)
    point = search(model, generations=30, rng=0).choose(limits={("ectopic", "failing"): 0.05})
    deployed = CostSensitiveClassifier(FrozenEstimator(fitted), point.named_costs).fit(X, Y)
    share = np.mean(deployed.predict(X)[Y == "ectopic"] == "failing")
    assert share == pytest.approx(point.rate("ectopic", "failing"))


class Votes(ClassifierMixin, BaseEstimator):
    """Gives back the features as probabilities, its classes in sorted order."""

    def fit(self, X: Any, y: Any) -> "Votes":
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.asarray(X)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
@pytest.mark.parametrize("levels", [10, 7])
def test_deployed_costs_decide_every_case_as_the_point_does(
    order: list[int], levels: int, tmp_path: Path
) -> None:
    """Votes tie at most operating points; the rates of each are those of the deployed rule."""
    rng = np.random.default_rng(levels)
    y = rng.integers(0, 3, 300)
    chances = 0.25 + 0.5 * np.eye(3)[y] * rng.random((300, 1))
    votes = np.array([rng.multinomial(levels, each / each.sum()) for each in chances]) / levels
    surface = search(ScoreModel(y, votes[:, order], labels=order), generations=10, rng=0)
    surface.save(tmp_path / "votes.npz")
    again = RocSurface.load(tmp_path / "votes.npz")
    counts, tied = np.bincount(y), 0
    for index in range(len(surface)):
        point = surface[[index]].choose(criterion="total_error")
        deployed = CostSensitiveClassifier(Votes(), point.named_costs).fit(votes, y).predict(votes)
        assert np.array_equal(deployed, again.decide(votes[:, order], index))
        table = np.zeros((3, 3))
        np.add.at(table, (y, deployed), 1)
        wanted = (table / counts[:, None])[np.ix_(order, order)]
        assert np.allclose(point.confusion, wanted, atol=1e-12)
        ascending = np.sort(votes[:, order] @ point.costs, axis=1)
        tied += int((ascending[:, 1] - ascending[:, 0] < 1e-12).sum())
    assert tied > 1000


def test_what_is_not_named_costs_one_and_is_listed(surface: RocSurface) -> None:
    named = {("ectopic", "failing"): 10.0, ("failing", "ectopic"): 0.5}
    full = np.array([[0, 10, 1], [0.5, 0, 1], [1, 1, 0]])
    assert surface.classes == ("ectopic", "failing", "intra-uterine")
    point = surface.choose(costs=named)
    assert point.costs_asked is not None and np.array_equal(point.costs_asked, full)
    assert point.index == surface.choose(costs=full).index
    loss = (point.confusion * full).sum(axis=1) @ surface.priors()
    assert point.value == pytest.approx(loss) and point.value > 0
    assert "costs requested, 1 where none was given" in repr(point)
    assert "10.0000" in repr(point) and "0.5000" in repr(point)
    assert surface.choose(criterion="total_error").costs_asked is None
    learner = CostSensitiveClassifier(Votes(), named).fit(np.eye(3), surface.classes)
    assert np.allclose(learner.costs_ * 10, full)


def test_a_frame_of_costs_goes_by_its_names(surface: RocSurface) -> None:
    import pandas as pd

    table = pd.DataFrame([[0, 5, 1], [2, 0, 1], [1, 3, 0]], index=NAMES, columns=NAMES, dtype=float)
    shuffled = table.loc[NAMES[[2, 0, 1]], NAMES[[1, 2, 0]]]
    sorted_ = table.loc[sorted(NAMES), sorted(NAMES)].to_numpy()
    wanted = surface.choose(costs=sorted_).index
    assert surface.choose(costs=table).index == surface.choose(costs=shuffled).index == wanted
    plain = pd.DataFrame(sorted_)
    assert surface.choose(costs=plain).index == wanted
    with pytest.raises(InvalidInput, match="Name them after the classes"):
        surface.choose(costs=table.rename(columns={"failing": "failed"}))


def test_a_limit_met_by_rounded_sums_is_met() -> None:
    weights = [0.7, 0.1, 0.2, 1, 1]
    model = ScoreModel([0, 0, 0, 1, 1], [0.1, 0.8, 0.9, 0.7, 0.95], sample_weight=weights)
    surface = search(model, generations=5, rng=0)
    point = surface.choose(limits={(0, 1): 0.3}, costs={(1, 0): 1, (0, 1): 0})
    assert point.value == 0 and point.rate(0, 1) == pytest.approx(0.3)


def test_labels_of_two_types_stay_apart() -> None:
    model = ScoreModel([1, "a", 1, "a"], [0.1, 0.9, 0.3, 0.8], labels=[1, "a"])
    assert search(model, generations=2, rng=0).decide([0.2, 0.95], 0).tolist() == [1, "a"]


def test_random_rules_decide_case_by_case(surface: RocSurface) -> None:
    rule = surface.hull().best(costs=1 - np.eye(3), limits={("ectopic", "failing"): 0.013})
    decided = rule.decide(NEW_X, rng=0)
    options = [surface.decide(NEW_X, index) for index in rule.indices]
    assert all(any(d == option[i] for option in options) for i, d in enumerate(decided))
    assert "operating points with probabilities" in repr(rule)


def test_crafted_models_in_files_are_refused(surface: RocSurface, tmp_path: Path) -> None:
    """Compiled loops do not check positions; loading does."""
    from polyroc._storage.npz import read_arrays, write_arrays
    from polyroc.surface._storage import SCHEMA

    path = tmp_path / "surface.npz"
    surface.save(path)
    header, arrays = read_arrays(path, SCHEMA, "a surface")
    del header["schema"]
    wrong = [
        ({}, {"model_reference_codes": arrays["model_reference_codes"] + 10**7}),
        ({}, {"model_reference_codes": arrays["model_reference_codes"][:-1]}),
        ({}, {"model_reference": np.full_like(arrays["model_reference"], np.nan)}),
        ({"classes": ["a", "a", "b"]}, {}),
        ({"classes": [["a"], "b", "c"]}, {}),
        ({"provenance": 5}, {}),
        ({"model": ["mlp", {"hidden": "many", "fits": 1}]}, {}),
        ({"model": ["none", {}]}, {}),
    ]
    for of_header, of_arrays in wrong:
        write_arrays(path, SCHEMA, {**header, **of_header}, {**arrays, **of_arrays})
        with pytest.raises(InvalidInput, match="is not a ROC surface"):
            RocSurface.load(path)
    write_arrays(path, SCHEMA, header, {**arrays, "parameters": arrays["parameters"] * 1e7})
    RocSurface.load(path).decide(NEW_X, 0)  # k is put back to where it makes sense
    surface.save(path)
    with pytest.raises(InvalidInput, match="The model has the classes"):
        RocSurface.load(path, model=KnnModel(X, CODES))


# Filters, tables, text


def test_the_filter_of_equation_13(surface: RocSurface) -> None:
    for objectives, axis in (("errors_of", 2), ("errors_into", 1)):
        tables = surface.confusion.copy()
        tables[:, range(3), range(3)] = 0
        sums = tables.sum(axis=axis)
        front = surface.front(objectives)  # type: ignore[arg-type]
        assert len(front) == on_front(sums).sum() < len(surface)


def test_a_frame_names_errors_by_truth_and_decision(surface: RocSurface) -> None:
    frame = surface.frame()
    assert len(frame) == len(surface)
    assert np.array_equal(frame["rate ectopic → failing"], surface.confusion[:, 0, 1])
    assert np.array_equal(frame["cost intra-uterine → failing"], surface.costs[:, 2, 1])
    assert np.array_equal(frame["parameter 0"], surface.parameters[:, 0])


def test_representations_say_what_they_are(surface: RocSurface) -> None:
    assert repr(surface).startswith(f"RocSurface({len(surface)} operating points of knn")
    assert "total error = " in repr(surface.choose(criterion="total_error"))


def test_a_method_is_checked_before_it_is_compared(surface: RocSurface) -> None:
    for method in (np.empty((0, 0)), "best", None):
        with pytest.raises(InvalidInput, match='method must be "auto", "exact" or'):
            surface.gini(method=method)
