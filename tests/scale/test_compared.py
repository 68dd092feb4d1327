"""How models are opened, paired and set against each other: options, classes, notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import polyroc
from polyroc.errors import InvalidInput, InvalidType
from polyroc.scale import compare_dask, compare_parquet, evaluate_parquet
from polyroc.scale._compare import _columns_of, _opened

NAMES = ["ant", "bee", "cat"]
RNG = np.random.default_rng(5)
Y = np.append([0, 1, 2, 0, 1, 2], RNG.integers(0, 3, 50))
MODELS = {
    name: RNG.multinomial(10, RNG.dirichlet(np.ones(3), len(Y))) / 10
    for name in ("one", "two", "three")
}
WEIGHTS = RNG.integers(1, 5, len(Y)) / 4


def frames() -> dict[str, pd.DataFrame]:
    return {
        name: pd.DataFrame(p, columns=NAMES).assign(y=np.array(NAMES)[Y], w=WEIGHTS)
        for name, p in MODELS.items()
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    for name, frame in frames().items():
        frame.to_parquet(folder / f"{name}.parquet")
    return {name: folder / f"{name}.parquet" for name in MODELS}


def in_memory(metrics: Any, ties: Any = "fair", weights: Any = None) -> Any:
    """Differences and standard errors of values in memory, by model."""
    made = {
        name: polyroc.Predictions(np.array(NAMES)[Y], p, labels=NAMES, sample_weight=weights)
        for name, p in MODELS.items()
    }
    found = {}
    for metric in metrics:
        for pair in combinations(MODELS, 2):
            values = [polyroc.registry[metric].of(made[name], ties=ties) for name in pair]
            found[(metric, *pair)] = values[0] - values[1]
    return found


def rows_of(found: Any) -> dict[Any, Any]:
    return {(each.metric, each.model_a, each.model_b): each for each in found.differences}


@pytest.mark.parametrize("ties", ["fair", "strict", "lenient"])
def test_three_models_metric_by_metric(files: dict[str, Path], ties: Any) -> None:
    metrics = ["aunu", "auc_mu", "hand_till"]
    found = compare_parquet(files, target="y", metrics=metrics, ties=ties, exact=True)
    expected = in_memory(metrics, ties)
    rows = rows_of(found)
    assert list(rows) == list(expected)
    for key, difference in expected.items():
        assert rows[key].low == pytest.approx(difference, abs=1e-12)
        assert rows[key].high == pytest.approx(difference, abs=1e-12)
        assert rows[key].standard_error > 0 and rows[key].note == ""
    assert list(found) == ["one", "two", "three"]
    assert found["two"].columns == tuple(NAMES)
    alone = evaluate_parquet(files["two"], target="y", metrics=metrics, ties=ties, exact=True)
    assert found["two"].to_dict() == alone.to_dict()


def test_bounds_of_differences_are_those_of_both_models(files: dict[str, Path]) -> None:
    options: dict[str, Any] = {"target": "y", "metrics": ["aunp"], "mantissa_bits": 1}
    found = compare_parquet(files, **options)
    for row in found.differences:
        one, other = found[row.model_a]["aunp"], found[row.model_b]["aunp"]
        assert one.width > 0 and other.width > 0
        assert (row.low, row.high) == (one.low - other.high, one.high - other.low)
    for name, path in files.items():
        assert found[name]["aunp"] == evaluate_parquet(path, **options)["aunp"]


def test_defaults_of_comparisons(files: dict[str, Path]) -> None:
    """Bounds with shared ties, an error for absent classes, and no bar."""
    files = dict(list(files.items())[:2])
    plain = compare_parquet(files, target="y")
    spelled = compare_parquet(
        files, target="y", ties="fair", absent="raise", exact=False, progress=False
    )
    assert plain.to_dict() == spelled.to_dict()
    assert plain.to_dict() != compare_parquet(files, target="y", ties="strict").to_dict()
    few = compare_parquet(files, target="y", mantissa_bits=1, exact=True)
    assert few["one"]["hand_till"].width == 0


def test_frames_give_what_files_give(files: dict[str, Path]) -> None:
    import dask.dataframe as dd

    files = dict(list(files.items())[:2])
    lazy = {name: dd.from_pandas(frames()[name], npartitions=2) for name in files}
    for options in (
        {},
        {"ties": "lenient", "metrics": ["auc_mu"]},
        {"mantissa_bits": 1, "sample_weight": "w", "metrics": ["aunp"]},
        {"mantissa_bits": 1, "exact": True, "classes": NAMES[::-1]},
    ):
        asked: dict[str, Any] = {"target": "y", **options}
        made = compare_dask(lazy, **asked)
        assert made.to_dict() == compare_parquet(files, **asked).to_dict(), options
    assert compare_dask(lazy, target="y", mantissa_bits=1)["one"]["hand_till"].width > 0


def test_the_least_memory_of_comparisons(files: dict[str, Path]) -> None:
    import dask.dataframe as dd

    files = dict(list(files.items())[:2])
    lazy = {name: dd.from_pandas(frames()[name], npartitions=1) for name in files}
    assert len(compare_parquet(files, target="y", memory=1 << 20)) == 2
    assert len(compare_dask(lazy, target="y", memory=1 << 20)) == 2
    for little in ((1 << 20) - 1, 1, 0):
        with pytest.raises(InvalidInput, match="memory"):
            compare_parquet(files, target="y", memory=little)
        with pytest.raises(InvalidInput, match="memory"):
            compare_dask(lazy, target="y", memory=little)
    with pytest.raises(InvalidType, match="exact"):
        compare_parquet(files, target="y", exact=2)  # type: ignore[arg-type]
    with pytest.raises(InvalidType, match="progress"):
        compare_parquet(files, target="y", progress="no")  # type: ignore[arg-type]


def test_weights_of_comparisons(files: dict[str, Path]) -> None:
    found = compare_parquet(files, target="y", sample_weight="w", metrics=["aunp"], exact=True)
    rows = rows_of(found)
    for key, difference in in_memory(["aunp"], weights=WEIGHTS).items():
        assert rows[key].low == pytest.approx(difference, abs=1e-12)


def test_metrics_that_are_not_defined_have_a_note(files: dict[str, Path], tmp_path: Path) -> None:
    found = compare_parquet(files, target="y", metrics=["roc_auc", "aunp"])
    for row in found.differences:
        undefined = row.metric == "roc_auc"
        assert np.isnan(row.low) == np.isnan(row.high) == undefined
        assert row.note == (found[row.model_a]["roc_auc"].note if undefined else "")
    assert "roc_auc" in found["one"]["roc_auc"].note
    logits = frames()["two"]
    logits[NAMES] = 3 * logits[NAMES] - 1
    logits.to_parquet(tmp_path / "logits.parquet")
    for first, second in (("one", "logits"), ("logits", "one")):
        paths = {"one": files["one"], "logits": tmp_path / "logits.parquet"}
        given = {first: paths[first], second: paths[second]}
        mixed = compare_parquet(given, target="y", metrics=["total_length"])
        (row,) = mixed.differences
        assert np.isnan(row.low) and row.note == mixed["logits"]["total_length"].note != ""


# Opening


def opener(classes_of: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    asked: list[Any] = []

    def open_one(table: Any, known: Any, own: Any) -> Any:
        asked.append((table, known, own))
        return SimpleNamespace(layout=SimpleNamespace(classes=classes_of[table]))

    return open_one, asked


def test_models_are_opened_with_the_classes_of_the_first() -> None:
    open_one, asked = opener({"x": ("b", "a"), "z": ("b", "a"), "v": ("b", "a")})
    found = _opened({"m": "x", "n": "z", "o": "v"}, ["p", "q"], None, open_one)
    assert list(found) == ["m", "n", "o"]
    assert asked == [
        ("x", None, ["p", "q"]),
        ("z", ("b", "a"), ["p", "q"]),
        ("v", ("b", "a"), ["p", "q"]),
    ]
    asked.clear()
    by_class = {"b": "p", "a": "q"}
    _opened({"m": "x", "n": "z"}, {"m": ["p", "q"], "n": by_class}, ["b", "a"], open_one)
    assert asked == [("x", ["b", "a"], ["p", "q"]), ("z", ["b", "a"], by_class)]


def test_classes_in_another_order_are_refused() -> None:
    open_one, _ = opener({"x": ("b", "a"), "z": ("a", "b")})
    with pytest.raises(InvalidInput) as caught:
        _opened({"m": "x", "n": "z"}, None, None, open_one)
    assert str(caught.value) == (
        "The classes of 'n' are ('a', 'b'), those of 'm' ('b', 'a'). Name the same classes in the "
        "same order in columns=."
    )


def test_columns_by_model_or_by_class() -> None:
    models = {"a": 1, "b": 2}
    by_model = {"a": ["p"], "b": ["q"]}
    assert _columns_of(by_model, models, "a") == ["p"]
    assert _columns_of(by_model, models, "b") == ["q"]
    for shared in (
        None,
        ["p", "q"],
        {"a": "p", "b": "q"},  # classes that are named like the models
        {"a": ["p"], "b": "q"},
        {"a": ["p"], "c": ["q"]},
        {"a": ["p"]},
    ):
        assert _columns_of(shared, models, "a") is shared


def test_what_was_read_does_not_change() -> None:
    from polyroc.scale._compare import _Read

    nothing: Any = None
    with pytest.raises(FrozenInstanceError):
        _Read(nothing, nothing, nothing).known = nothing  # type: ignore[misc]


def test_how_files_are_read_is_passed_on(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyroc._base.parallel import thread_count
    from polyroc.scale import _compare as compare
    from polyroc.scale import _parquet as parquet

    read, asked, shown = compare.files_reader, [], []

    def noted(path: Any, given: Any, *how: Any) -> Any:
        asked.append((path, given, how))
        return read(path, given, *how)

    class Bar(parquet.ProgressBar):  # type: ignore[misc, name-defined]
        def __init__(self, *what: Any, **options: Any) -> None:
            shown.append(options["shown"])
            super().__init__(*what, **options)

    monkeypatch.setattr(compare, "files_reader", noted)
    monkeypatch.setattr(parquet, "ProgressBar", Bar)
    models = {"one": files["one"], "two": files["two"]}
    compare_parquet(models, target="y", metrics="aunp")
    everything = thread_count(None)
    first, second = asked
    assert first == (
        files["one"],
        ("y", None, None, None),
        (compare.MEMORY, everything, False, None),
    )
    assert second[:2] == (files["two"], ("y", tuple(NAMES), None, None))
    assert shown and not any(shown)
    asked.clear()
    shown.clear()
    options: dict[str, Any] = {"sample_weight": "w", "memory": 1 << 22, "n_threads": 1}
    compare_parquet(models, target="y", classes=NAMES, progress=True, metrics="aunp", **options)
    assert asked[0] == (files["one"], ("y", NAMES, None, "w"), (1 << 22, 1, True, None))
    assert shown and all(shown)


def test_models_are_paired_before_they_are_read(tmp_path: Path) -> None:
    table = frames()["one"]
    table.to_parquet(tmp_path / "a.parquet")
    table.iloc[::-1].to_parquet(tmp_path / "b.parquet")
    paths = {name: tmp_path / f"{name}.parquet" for name in ("a", "b")}
    with pytest.raises(InvalidInput, match="the classes or weights in the rows of 'a' and 'b'"):
        compare_parquet(paths, target="y")
    table.iloc[:-1].to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InvalidInput, match="'a' has 56 cases and 'b' has 55"):
        compare_parquet(paths, target="y")


def test_absent_classes_of_comparisons(tmp_path: Path) -> None:
    """Left out where that is asked for: the errors are those of the classes that are there."""
    for name in ("one", "two"):
        frames()[name].assign(dog=0.0).to_parquet(tmp_path / f"{name}.parquet")
    paths = {name: tmp_path / f"{name}.parquet" for name in ("one", "two")}
    options: dict[str, Any] = {"target": "y", "classes": ["dog", *NAMES], "metrics": ["aunu"]}
    with pytest.raises(InvalidInput, match="'dog' has no cases"):
        compare_parquet(paths, **options)
    (row,) = compare_parquet(paths, absent="skip", exact=True, **options).differences
    truth = np.array(NAMES)[Y]
    models = {name: MODELS[name] for name in paths}
    made = {name: polyroc.Predictions(truth, p, labels=NAMES) for name, p in models.items()}
    expected = polyroc.compare(made, metrics=["aunu"], reference="normal").frame().iloc[0]
    assert row.low == pytest.approx(expected["difference"], abs=1e-12)
    assert row.standard_error == pytest.approx(expected["standard_error"], rel=1e-9)
    assert row.p_value == pytest.approx(expected["p_value"], rel=1e-6)
