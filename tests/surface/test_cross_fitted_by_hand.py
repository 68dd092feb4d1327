"""The cross-fitted G put together by hand from searches, folds and resamples."""

import math
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polyroc._base.random import stream
from polyroc._base.tables import cell, text_table
from polyroc.errors import InvalidInput, InvalidType, RowsByPosition
from polyroc.results import Estimate
from polyroc.surface import CrossFittedGini, KnnModel, ScoreModel, cross_fitted_gini, search
from polyroc.surface import _cross_fitted as cross
from polyroc.surface._cross_fitted import _folds, _mean

RNG = np.random.default_rng(1)
Y = np.array(["x", "y", "z"])[np.repeat([0, 1, 2], [7, 9, 12])][RNG.permutation(28)]
OWN = Y[:, None] == np.array(["x", "y", "z"])
P = RNG.dirichlet(np.ones(3), 28) + 0.7 * OWN
P /= P.sum(axis=1, keepdims=True)
X = RNG.normal(size=(28, 2)) + 1.5 * OWN[:, :2]
SMALL: dict[str, Any] = {"generations": 1, "costs_per_generation": 6, "n_resamples": 4}


def folds_by_hand(codes: np.ndarray, folds: int, seed: int) -> np.ndarray:
    held = np.empty(len(codes), dtype=int)
    generator = stream(seed, 0)
    for k in sorted(set(codes.tolist())):
        for place, case in enumerate(generator.permutation(np.flatnonzero(codes == k))):
            held[case] = place % folds
    return held


def test_folds_are_dealt_out_class_by_class() -> None:
    codes = np.repeat([2, 0, 1], [4, 5, 7])
    for folds in (1, 2):
        found = _folds(codes, folds, 9)
        assert np.array_equal(found, folds_by_hand(codes, folds, 9))
        assert found.dtype == np.int64
        for k in range(3):
            counts = np.bincount(found[codes == k], minlength=folds)
            assert counts.max() - counts.min() <= 1 and counts.min() >= 2
    assert not np.array_equal(_folds(codes, 2, 9), _folds(codes, 2, 10))
    with pytest.raises(InvalidInput) as error:
        _folds(codes, 3, 9)
    assert str(error.value) == (
        "Each fold needs two cases of every class, but a class has 5 cases for 3 folds. Use fewer "
        "folds, or more cases."
    )


def test_a_whole_number_of_folds_may_be_a_float() -> None:
    model = ScoreModel(Y, P)
    one, two = (cross_fitted_gini(model, folds=folds, rng=1, **SMALL) for folds in (2, 2.0))
    assert one.honest.to_dict() == two.honest.to_dict() and len(two.folds) == 2


def check(found: CrossFittedGini, parts: list[Estimate], whole: Any, seed: int) -> None:
    assert [each.to_dict() for each in found.folds] == [each.to_dict() for each in parts]
    assert np.array_equal(found.surface.rates, whole.rates)
    assert found.optimistic.to_dict() == whole.gini(rng=seed).to_dict()
    assert found.honest.to_dict() == _mean(parts).to_dict()
    assert found.optimism == found.optimistic.value - found.honest.value


@pytest.mark.parametrize(("folds", "weighted"), [(2, True), (3, False)])
def test_scores_are_searched_on_the_other_folds_and_rated_on_each(
    folds: int, weighted: bool
) -> None:
    weights = np.linspace(0.5, 2, 28) if weighted else np.ones(28)
    model = ScoreModel(Y, P, labels=["z", "x", "y"], sample_weight=weights)
    found = cross_fitted_gini(model, folds=folds, rng=5, **SMALL)
    columns = model.X
    held = folds_by_hand(model.cases.codes, folds, 5)
    options: dict[str, Any] = {"generations": 1, "costs_per_generation": 6, "rng": 5}
    parts = []
    for v in range(folds):
        inside, outside = held == v, held != v
        part = ScoreModel(Y[outside], columns[outside], labels=["z", "x", "y"],
                          sample_weight=weights[outside])  # fmt: skip
        rated = search(part, progress=False, **options).rescore(
            columns[inside], Y[inside], sample_weight=weights[inside]
        )
        parts.append(rated.resampled_gini(n_resamples=4, rng=5 + v))
    check(found, parts, search(model, progress=False, **options), 5)
    assert found.honest.settings == {"folds": folds, "n_resamples": 4}
    assert found.honest.counts == {"z": 12, "x": 7, "y": 9}


def test_models_are_made_anew_from_the_other_folds() -> None:
    made = []

    def make(features: Any, labels: Any) -> KnnModel:
        made.append((features, labels))
        return KnnModel(features, labels)

    found = cross_fitted_gini(make, pd.DataFrame(X, columns=["p", "q"]), Y, rng=2, **SMALL)
    codes = np.searchsorted(["x", "y", "z"], Y)
    held = folds_by_hand(codes, 2, 2)
    options: dict[str, Any] = {"generations": 1, "costs_per_generation": 6, "rng": 2}
    parts = []
    for v in range(2):
        assert np.array_equal(made[v][0], X[held != v])
        assert np.array_equal(made[v][1], Y[held != v])
        surface = search(KnnModel(X[held != v], Y[held != v]), progress=False, **options)
        rated = surface.rescore(X[held == v], Y[held == v])
        parts.append(rated.resampled_gini(n_resamples=4, rng=2 + v))
    assert len(made) == 3 and np.array_equal(made[2][0], X) and np.array_equal(made[2][1], Y)
    check(found, parts, search(KnnModel(X, Y), progress=False, **options), 2)


def test_options_are_passed_to_every_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    counted: list[dict[str, Any]] = []
    whole: list[dict[str, Any]] = []
    real = cross.search

    def quick(model: Any, **options: Any) -> Any:
        seen.append(options)
        return real(model, **{**options, "generations": 1, "costs_per_generation": 6})

    def resampled(self: Any, **options: Any) -> Estimate:
        counted.append(options)
        return Estimate("gini", 0.5, 0.1, "x", 4.0, counts={"x": 1}, settings={"n_resamples": 1})

    monkeypatch.setattr(cross, "search", quick)

    def plain(self: Any, **options: Any) -> Estimate:
        whole.append(options)
        return Estimate("gini", 0.6, 0.1, "exact")

    monkeypatch.setattr(cross.RocSurface, "resampled_gini", resampled)
    monkeypatch.setattr(cross.RocSurface, "gini", plain)
    model = ScoreModel(Y, P)
    cross_fitted_gini(model, rng=2**31 + 6)
    wanted = {"generations": 200, "costs_per_generation": 100, "progress": False, "rng": 6,
              "n_threads": None}  # fmt: skip
    assert seen == [wanted] * 3
    assert counted == [{"n_resamples": 200, "rng": 6 + v, "n_threads": None} for v in range(2)]
    seen.clear(), counted.clear()
    cross_fitted_gini(model, folds=3, generations=7, costs_per_generation=8, n_resamples=9, rng=1,
                      n_threads=1)  # fmt: skip
    assert seen == [{"generations": 7, "costs_per_generation": 8, "progress": False, "rng": 1,
                     "n_threads": 1}] * 4  # fmt: skip
    assert counted == [{"n_resamples": 9, "rng": 1 + v, "n_threads": 1} for v in range(3)]
    assert whole == [{"rng": 6, "n_threads": None}, {"rng": 1, "n_threads": 1}]


def test_rows_with_other_labels_are_taken_by_position_with_a_warning() -> None:
    frame = pd.DataFrame(X, index=np.arange(28) + 100)
    with pytest.warns(RowsByPosition, match="X and y have different indexes"):
        found = cross_fitted_gini(KnnModel, frame, pd.Series(Y), rng=2, **SMALL)
    assert found.honest == cross_fitted_gini(KnnModel, X, Y, rng=2, **SMALL).honest


def test_labels_of_several_types_stay_apart_in_every_fold() -> None:
    y = np.array([1, "a", 2], dtype=object)[np.repeat([0, 1, 2], 6)]
    p = np.random.default_rng(0).dirichlet(np.ones(3), 18) + 0.7 * np.repeat(np.eye(3), 6, axis=0)
    p /= p.sum(axis=1, keepdims=True)
    found = cross_fitted_gini(ScoreModel(y, p, labels=[1, "a", 2]), rng=0, **SMALL)
    assert found.honest.counts == {1: 6, "a": 6, 2: 6}


def estimate(value: float, error: float, freedom: float, counts: tuple[int, int]) -> Estimate:
    return Estimate("gini", value, error, "resampled", freedom, counts=dict(zip("ab", counts,
                    strict=True)), settings={"n_resamples": 7, "plain": 0.3})  # fmt: skip


def test_the_mean_of_folds_and_what_it_says() -> None:
    parts = [estimate(0.2, 0.1, 5.0, (3, 4)), estimate(0.6, 0.2, 8.0, (2, 5))]
    found = _mean(parts)
    assert found.value == pytest.approx(0.4)
    assert found.standard_error == pytest.approx(math.hypot(0.1, 0.2) / 2)
    small, large = 0.01 / 4, 0.04 / 4
    assert found.degrees_of_freedom == pytest.approx(
        (small + large) ** 2 / (small**2 / 5 + large**2 / 8)
    )
    assert found.counts == {"a": 5, "b": 9} and found.method == "cross-fitted"
    assert found.settings == {"folds": 2, "n_resamples": 7} and found.metric == "gini"
    assert [(note.code, note.text) for note in found.notes] == [
        ("cross-fitted", "mean of 2 folds, each rated by a surface of the others")
    ]
    for unknown in (math.nan, math.inf):
        some = _mean([parts[0], estimate(0.6, unknown, 8.0, (2, 5))])
        assert math.isnan(some.standard_error) and some.degrees_of_freedom == math.inf
        assert some.value == pytest.approx(0.4)


def test_tables_and_text() -> None:
    parts = (estimate(0.2, 0.1, 5.0, (3, 4)), estimate(0.6, 0.2, 8.0, (2, 5)))
    honest, optimistic = _mean(list(parts)), estimate(0.7, 0.05, 9.0, (5, 9))
    found = CrossFittedGini(honest, optimistic, parts, None)  # type: ignore[arg-type]
    assert found.optimism == pytest.approx(0.3)
    for level in (0.95, 0.6):
        frame = found.frame() if level == 0.95 else found.frame(level)
        every = [honest, optimistic, *parts]
        assert frame["gini"].tolist() == ["honest", "optimistic", "fold 1", "fold 2"]
        assert frame["value"].tolist() == [each.value for each in every]
        assert frame["standard_error"].tolist() == [each.standard_error for each in every]
        assert frame["low"].tolist() == [each.interval(level).low for each in every]
        assert frame["high"].tolist() == [each.interval(level).high for each in every]
    assert repr(found) == f"{text_table(found._rows(0.95))}\noptimism {cell(found.optimism)}"
    assert found == found
    assert found != CrossFittedGini(honest, optimistic, parts, None)  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        found.honest = optimistic  # type: ignore[misc]


def test_what_cannot_be_cross_fitted() -> None:
    model = ScoreModel(Y, P)
    for given in ((P, None), (None, Y), (P, Y)):
        with pytest.raises(InvalidInput, match="A ScoreModel has its cases: leave X and y out"):
            cross_fitted_gini(model, *given)
    for given in ((None, Y), (X, None), (None, None)):
        with pytest.raises(InvalidInput, match="Give X and y: a model is made from some of the"):
            cross_fitted_gini(KnnModel, *given)
    for wrong in (KnnModel(X, Y), 3, "knn", None):
        with pytest.raises(
            InvalidType, match="model must be a ScoreModel or a function that makes"
        ):
            cross_fitted_gini(wrong, X, Y)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="folds must be at least 2"):
        cross_fitted_gini(model, folds=1)
    with pytest.raises(InvalidInput, match="X"):
        cross_fitted_gini(KnnModel, X[:-1], Y)
    with pytest.raises(InvalidInput, match="a class has 7 cases for 4 folds"):
        cross_fitted_gini(model, folds=4)
