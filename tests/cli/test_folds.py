"""``--folds COLUMN``: values, differences and a report within the folds of a cross-validation."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import document, refused, run

import polyroc
from polyroc.readers import read_predictions

rng = np.random.default_rng(6)
Y = np.arange(60) % 3
P = rng.dirichlet(np.ones(3), 60) + 0.4 * np.eye(3)[Y]
P /= P.sum(axis=1, keepdims=True)
Q = np.roll(P, 1, axis=0)
FOLDS = np.array(["f1", "f2", "f3"])[np.arange(60) // 20]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    columns = {"y": np.array(list("abc"))[Y], "part": FOLDS}
    for model, scores in {"one": P, "two": Q}.items():
        columns |= {f"{model}:{label}": scores[:, k] for k, label in enumerate("abc")}
    path = tmp_path / "held_out.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_evaluate_compare_and_report(file: Path, tmp_path: Path) -> None:
    options = ("--folds", "part", "-m", "hand_till")
    made = document("evaluate", file, *options)
    plain = polyroc.evaluate(Y, P, ["hand_till"], folds=FOLDS)["hand_till"]
    assert made["input"]["files"][0]["fold"] == "part"
    row = made["models"][0]["metrics"][0]
    assert row["value"] == pytest.approx(plain.value, abs=1e-12)
    assert row["standard_error"] == pytest.approx(plain.standard_error, rel=1e-9)
    assert row["settings"]["by_fold"].keys() == {"f1", "f2", "f3"}
    shown = run("evaluate", file, *options).stdout
    assert "folds in 'part'" in " ".join(shown.split())
    assert "Note. hand_till: mean over 3 folds" in shown
    compared = document("compare", file, *options)["comparison"]["differences"][0]
    expected = polyroc.compare(Y, {"one": P, "two": Q}, ["hand_till"], folds=FOLDS).differences[0]
    assert compared["difference"] == pytest.approx(expected.difference, abs=1e-12)
    assert compared["standard_error"] == pytest.approx(expected.standard_error, rel=1e-9)
    page = tmp_path / "page.html"
    assert run("report", file, "--folds", "part", "-o", page).exit_code == 0
    text = page.read_text()
    assert "The cases were held out in 3 folds of a cross-validation." in text
    pairs = np.mean(
        [polyroc.pairwise_auc(Y[f == FOLDS], P[f == FOLDS]) for f in set(FOLDS)], axis=0
    )
    np.testing.assert_allclose(
        polyroc.pairwise_auc(polyroc.Predictions(Y, P, folds=FOLDS)), pairs, atol=1e-14
    )


def test_what_is_refused(file: Path, tmp_path: Path) -> None:
    assert "there is no column 'fold'" in refused("evaluate", file, "--folds", "fold")
    streaming = refused("evaluate", file, "--folds", "part", "--streaming")
    assert "--folds cannot be combined with --streaming" in streaming
    table = pd.read_csv(file)
    table.assign(part=np.arange(60) // 58).to_csv(tmp_path / "few.csv", index=False)
    few = refused("evaluate", tmp_path / "few.csv", "--folds", "part")
    assert "Fold 1 has no cases of the class 'a'" in few and "--absent skip" in few
    table.assign(part=np.roll(FOLDS, 5)).to_csv(tmp_path / "other.csv", index=False)
    other = refused("compare", file, tmp_path / "other.csv", "--folds", "part")
    assert "differ in the fold in row 0: f1 and f3" in other
    read = read_predictions(file, fold="part")
    assert read.predictions("one").folds.names == ("f1", "f2", "f3")
    assert read.rows(np.arange(5)).folds.tolist() == ["f1"] * 5
    table.assign(part=[None, *FOLDS[1:]]).to_csv(tmp_path / "gap.csv", index=False)
    assert "Name the fold of every row" in refused(
        "evaluate", tmp_path / "gap.csv", "--folds", "part"
    )
