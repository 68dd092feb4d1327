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
    assert "--target COLUMN" in refused("evaluate", *parts, "--streaming")
    assert "polyroc compare" in refused("evaluate", *parts, "--target", "y")
    assert "--streaming" in refused("evaluate", parts[0], "--exact")
    refused("evaluate", parts[0].parent / "none.parquet", "--streaming", "--target", "y")
