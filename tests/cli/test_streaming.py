"""Parquet files of any size on the command line."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import document, refused, run

import polyroc

NAMES = np.array(["ant", "bee", "cat"])


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("parts")
    paths = []
    for part in range(3):
        y = rng.integers(3, size=2_000)
        p = rng.dirichlet(np.ones(3), len(y)) * 0.6 + 0.4 * np.eye(3)[y]
        frame = pd.DataFrame({"y": NAMES[y], **{f"p_{n}": p[:, k] for k, n in enumerate(NAMES)}})
        paths.append(folder / f"part-{part}.parquet")
        frame.to_parquet(paths[-1])
    return paths


def in_memory(parts: list[Path]) -> float:
    frame = pd.concat([pd.read_parquet(part) for part in parts])
    scores = frame[[f"p_{name}" for name in NAMES]].to_numpy()
    return polyroc.hand_till(frame["y"], scores, labels=list(NAMES))


def test_many_files_are_one_table(parts: list[Path]) -> None:
    made = document("evaluate", *parts, "--streaming", "--target", "y")
    assert made["schema"] == "polyroc streaming 1"
    assert made["input"]["cases"] == 6_000 and made["input"]["classes"] == list(NAMES)
    bounds = {each["metric"]: each for each in made["metrics"]}["hand_till"]
    assert bounds["low"] <= in_memory(parts) <= bounds["high"]
    assert bounds["width"] < 1e-3


def test_exact_bounds_meet(parts: list[Path]) -> None:
    options = ("--streaming", "--exact", "--target", "y", "-m", "hand_till")
    (only,) = document("evaluate", *parts, *options)["metrics"]
    assert only["low"] == only["high"] == pytest.approx(in_memory(parts), abs=1e-15)


def test_the_table_says_what_it_holds(parts: list[Path]) -> None:
    printed = run("evaluate", *parts, "--streaming", "--target", "y").output
    assert "Each value lies between these bounds" in printed and "6,000 cases" in printed


def test_what_is_missing_is_told(parts: list[Path]) -> None:
    assert "as one table with --streaming" in refused("evaluate", *parts, "--target", "y")
    assert "--streaming" in refused("evaluate", parts[0], "--exact")
    refused("evaluate", parts[0].parent / "none.parquet", "--streaming", "--target", "y")


@pytest.fixture(scope="module")
def weighted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Classes 0, 1, 2 as integers, with weights that matter and columns not in their order."""
    rng, path = np.random.default_rng(1), tmp_path_factory.mktemp("weighted") / "w.parquet"
    y = rng.integers(3, size=400)
    p = rng.dirichlet(np.ones(3), len(y)) * 0.7 + 0.3 * np.eye(3)[y]
    w = np.where((p.argmax(axis=1) == y), 0.2, 3.0)
    columns = {f"p_{k}": p[:, k] for k in (2, 0, 1)}
    pd.DataFrame({"label": y, **columns, "weight": w, "extra": 1}).to_parquet(path)
    return path


def test_the_same_columns_and_numbers_as_in_memory(weighted: Path) -> None:
    """Target and weights by their names, --labels of integers, every metric that both have."""
    for options in ((), ("--weights", "none"), ("--labels", "2,0,1"), ("--columns", "p_2,p_0,p_1")):
        found = document("evaluate", weighted, "--streaming", "--exact", *options)
        inside = document("evaluate", weighted, *options)
        known = {each["metric"]: each for each in inside["models"][0]["metrics"]}
        assert found["input"]["target"] == "label"
        assert found["input"]["weight"] == inside["input"]["files"][0]["weight"]
        for each in found["metrics"]:
            same = known[each["metric"]]
            assert each["low"] == pytest.approx(same["value"], abs=1e-12)
            assert each["standard_error"] == pytest.approx(same["standard_error"], rel=1e-6)
    plain, heavy = (
        document("evaluate", weighted, "--streaming", "-m", "hand_till", "--weights", column)
        for column in ("none", "weight")
    )
    assert plain["metrics"][0]["low"] > heavy["metrics"][0]["high"] + 0.05


def test_auc_mu_on_request(weighted: Path) -> None:
    (only,) = document("evaluate", weighted, "--streaming", "--exact", "-m", "auc_mu")["metrics"]
    (same,) = document("evaluate", weighted, "-m", "auc_mu")["models"][0]["metrics"]
    assert only["low"] == pytest.approx(same["value"], abs=1e-12)


def test_options_without_effect_are_refused(weighted: Path, tmp_path: Path) -> None:
    options = {
        "--model": "w",
        "--level": "0.9",
        "--interval": "bootstrap",
        "--replicates": "10",
        "--tuples": "10",
        "--normalize": None,
        "--seed": "1",
        "--groups": "extra",
    }
    for option, value in options.items():
        given = (option,) if value is None else (option, value)
        message = refused("evaluate", weighted, "--streaming", *given)
        assert f"{option} cannot be combined with --streaming" in message
    patients = tmp_path / "p.parquet"
    frame = pd.read_parquet(weighted)
    frame.assign(patient=np.arange(len(frame)) // 4).to_parquet(patients)
    assert "--groups none" in refused("evaluate", patients, "--streaming")
    assert document("evaluate", patients, "--streaming", "--groups", "none")["metrics"]


def test_a_file_of_another_kind_is_named(parts: list[Path], tmp_path: Path) -> None:
    text = tmp_path / "scores.csv"
    pd.read_parquet(parts[0]).to_csv(text, index=False)
    for files in ((text,), (parts[0], text)):
        message = refused("evaluate", *files, "--streaming")
        assert "is not a Parquet file, the only kind that is read in pieces" in message
