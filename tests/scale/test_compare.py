"""Models compared out of core: the differences, errors and p values of ``compare`` in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import polyroc
from polyroc.errors import InvalidInput, InvalidType
from polyroc.scale import compare_dask, compare_parquet

METRICS = ["hand_till", "aunp", "auc_mu"]
NAMES = ["ant", "bee", "cat"]
RNG = np.random.default_rng(4)
Y = np.concatenate([[0, 1, 2], RNG.integers(0, 3, 1497)])
WEIGHTS = RNG.integers(4, 17, len(Y)) / 8


def softmax(logits: Any) -> Any:
    raw = np.exp(logits)
    return raw / raw.sum(axis=1, keepdims=True)


SHARED = RNG.normal(size=(len(Y), 3)) + 1.2 * np.eye(3)[Y]
MODELS = {
    "new": softmax(SHARED),
    "old": softmax(SHARED + 0.6 * RNG.normal(size=SHARED.shape)).round(2),
}


def frames() -> dict[str, pd.DataFrame]:
    """A table for each model, with weights."""
    truth = np.array(NAMES)[Y]
    return {
        name: pd.DataFrame(p, columns=NAMES).assign(y=truth, w=WEIGHTS)
        for name, p in MODELS.items()
    }


def in_memory(weighted: bool) -> Any:
    models = {
        name: polyroc.Predictions(
            np.array(NAMES)[Y],
            p,
            labels=NAMES,
            sample_weight=WEIGHTS if weighted else None,
        )
        for name, p in MODELS.items()
    }
    return polyroc.compare(models, metrics=METRICS, reference="normal")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of each model, in parts and row groups of different sizes."""
    folder, found = tmp_path_factory.mktemp("models"), {}
    for size, (name, frame) in zip((400, 700), frames().items(), strict=True):
        (folder / name).mkdir()
        for start in range(0, len(frame), size):
            part = pa.Table.from_pandas(frame.iloc[start : start + size], preserve_index=False)
            pq.write_table(part, folder / name / f"{start:05}.parquet", row_group_size=size // 3)
        found[name] = str(folder / name)
    return found


@pytest.mark.parametrize("weight", [None, "w"])
def test_exact_differences_and_errors_are_those_in_memory(
    files: dict[str, str], weight: str | None
) -> None:
    options = {"target": "y", "sample_weight": weight, "metrics": METRICS}
    exact = compare_parquet(files, exact=True, **options)
    expected = in_memory(weight is not None).frame().set_index("metric")
    table = exact.frame().set_index("metric")
    assert table.index.tolist() == METRICS
    assert (table["most"] - table["least"]).max() < 1e-10
    for column, given in (("least", "difference"), ("standard_error", "standard_error")):
        np.testing.assert_allclose(table[column], expected[given], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(table["p_value"], expected["p_value"], rtol=1e-6)
    bounded = compare_parquet(files, mantissa_bits=4, **options).frame().set_index("metric")
    assert (bounded["least"] <= expected["difference"]).all()
    assert (bounded["most"] >= expected["difference"]).all()
    assert (bounded["most"] > bounded["least"]).all()
    assert (bounded["p_value"] >= table["p_value"] * (1 - 1e-9)).all()
    assert (bounded["low"] <= table["low"]).all() and (bounded["high"] >= table["high"]).all()


def test_dask_and_one_table_for_both_give_the_same(files: dict[str, str], tmp_path: Path) -> None:
    expected = compare_parquet(files, target="y").to_dict()
    parts = {"new": 3, "old": 5}
    lazy = {name: dd.from_pandas(each, npartitions=parts[name]) for name, each in frames().items()}
    assert compare_dask(lazy, target="y").to_dict() == expected
    wide = frames()["new"][["y", "w"]].copy()
    for name, p in MODELS.items():
        wide[[f"{name}_{label}" for label in NAMES]] = p
    wide.to_parquet(tmp_path / "both.parquet")
    columns = {name: [f"{name}_{label}" for label in NAMES] for name in MODELS}
    both = dict.fromkeys(MODELS, tmp_path / "both.parquet")
    options = {"target": "y", "classes": NAMES, "columns": columns}
    assert compare_parquet(both, **options).to_dict() == expected
    assert "hand_till" in repr(compare_parquet(both, **options))


def test_rows_must_correspond(files: dict[str, str], tmp_path: Path) -> None:
    frame = frames()["old"]
    swapped = frame.copy()
    swapped.loc[[0, 1]] = frame.loc[[1, 0]].to_numpy()
    lighter = frame.assign(w=np.append(WEIGHTS[:-1], 5.0))
    cases = (
        (frame.iloc[:-1], None, r"'new' has 1,500 cases and 'other' has 1,499"),
        (swapped, None, "the classes or weights in the rows of 'new' and 'other' differ"),
        (lighter, "w", "the classes or weights in the rows of 'new' and 'other' differ"),
    )
    for number, (table, weight, said) in enumerate(cases):
        path = tmp_path / f"{number}.parquet"
        table.to_parquet(path)
        with pytest.raises(InvalidInput, match=said):
            compare_parquet({"new": files["new"], "other": path}, target="y", sample_weight=weight)


def test_weights_of_zero_leave_rows_where_they_are(tmp_path: Path) -> None:
    """Whatever the files and row groups are; another row left out is another table."""
    weights = np.where(np.arange(len(Y)) % 5 == 0, 0, WEIGHTS)
    made = {name: frame.assign(w=weights) for name, frame in frames().items()}

    def files_of(frame: pd.DataFrame, name: str, size: int) -> str:
        (tmp_path / name).mkdir()
        for start in range(0, len(frame), size):
            part = pa.Table.from_pandas(frame.iloc[start : start + size], preserve_index=False)
            pq.write_table(part, tmp_path / name / f"{start:05}.parquet", row_group_size=size // 3)
        return str(tmp_path / name)

    paths = {"new": files_of(made["new"], "a", 1500), "old": files_of(made["old"], "b", 700)}
    options: dict[str, Any] = {"target": "y", "sample_weight": "w", "metrics": METRICS}
    found = compare_parquet(paths, exact=True, **options).frame()
    positive = {name: frame[weights > 0] for name, frame in made.items()}
    shorter = {name: files_of(frame, name + "+", 1500) for name, frame in positive.items()}
    expected = compare_parquet(shorter, exact=True, **options).frame()
    pd.testing.assert_frame_equal(found, expected)
    same = np.flatnonzero((Y[:-1] == Y[1:]) & (weights[:-1] > 0) & (weights[1:] > 0))[0]
    one, other = (np.where(np.arange(len(Y)) == same + i, 0, 1.0) for i in (0, 1))
    moved = {
        "new": files_of(made["new"].assign(w=one), "c", 1500),
        "old": files_of(made["old"].assign(w=other), "d", 1500),
    }
    with pytest.raises(InvalidInput, match="classes or weights in the rows of 'new' and 'old'"):
        compare_parquet(moved, **options)


def test_columns_by_class_and_by_model(files: dict[str, str]) -> None:
    by_class = {name: name for name in NAMES}
    options: dict[str, Any] = {"target": "y", "metrics": METRICS}
    plain = compare_parquet(files, classes=NAMES, **options).frame()
    for columns in (by_class, {"new": by_class, "old": by_class}, {"new": by_class, "old": NAMES}):
        pd.testing.assert_frame_equal(
            compare_parquet(files, columns=columns, **options).frame(), plain
        )
    backwards = dict(reversed(by_class.items()))
    with pytest.raises(InvalidInput, match="the same classes in the same order"):
        compare_parquet(files, columns={"new": by_class, "old": backwards}, **options)


def test_what_cannot_be_compared(files: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="two models or more, got 1"):
        compare_parquet({"new": files["new"]}, target="y")
    with pytest.raises(InvalidType, match="models must map names of models"):
        compare_parquet([files["new"], files["old"]], target="y")  # type: ignore[arg-type]
    same = compare_parquet({"one": files["new"], "two": files["new"]}, target="y", exact=True)
    row = same.frame().iloc[0]
    assert row["least"] == 0 and np.isnan(row["standard_error"]) and "agrees" in row["note"]


def test_a_sample_of_the_cases_gives_nearly_the_error_of_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 40_000)
    one = rng.normal(y * 1.5)
    models = {"one": one, "two": one + rng.normal(scale=0.7, size=len(y))}
    for name, p in models.items():
        pd.DataFrame({"y": y, "p": p}).to_parquet(tmp_path / f"{name}.parquet")
    paths = {name: tmp_path / f"{name}.parquet" for name in models}
    found = compare_parquet(paths, target="y", columns=["p"], metrics=["roc_auc"], exact=True)
    expected = polyroc.compare(y, models, ["roc_auc"]).frame().iloc[0]
    row = found.frame().iloc[0]
    assert row["least"] == pytest.approx(expected["difference"], abs=1e-12)
    assert row["standard_error"] == pytest.approx(expected["standard_error"], rel=0.05)
    assert found["one"].n_cases == len(y) and list(found) == ["one", "two"]
