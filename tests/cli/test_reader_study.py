"""``polyroc reader-study``."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import document, refused, run

from polyroc import reader_study


def readings(K: int) -> pd.DataFrame:
    rng = np.random.default_rng(K)
    case, reader, modality = (each.ravel() for each in np.indices((24, 3, 2)))
    classes = ["well", "ill", "unclear"][:K]
    scores = rng.random((case.size, K)) + 0.3 * (case[:, None] % K == np.arange(K))
    table = {
        "case": case,
        "reader": np.array(["Ann", "Bob", "Eve"])[reader],
        "modality": np.array(["ct", "mr"])[modality],
        "truth": np.array(classes)[case % K],
    }
    return pd.DataFrame({**table, **{f"p_{c}": scores[:, k] for k, c in enumerate(classes)}})


ROLES = {name: name for name in ("case", "reader", "modality", "truth")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readings")
    for K in (2, 3):
        readings(K).to_csv(made / f"{K}.csv", index=False)
        readings(K).to_parquet(made / f"{K}.parquet")
    return made


def test_csv_and_parquet_give_what_the_library_gives(folder: Path) -> None:
    options = ("--rating", "p_ill", "--labels", "well,ill", "--covariance", "influence")
    expected = reader_study(
        readings(2), rating="p_ill", labels=["well", "ill"], covariance="influence", **ROLES
    ).to_dict()
    for name in ("2.csv", "2.parquet"):
        made = document("reader-study", folder / name, *options)
        assert made["reader_study"] == json.loads(json.dumps(expected))
        assert made["reader_study"]["positive"] == "ill"
        assert made["input"]["files"][0]["cases"] == 144


def test_scores_of_three_classes(folder: Path) -> None:
    expected = reader_study(
        readings(3), scores=["p_well", "p_ill", "p_unclear"], metric="hand_till", **ROLES
    )
    for scores in ("p_well,p_ill,p_unclear", "ill=p_ill,unclear=p_unclear,well=p_well"):
        made = document("reader-study", folder / "3.csv", "--scores", scores, "-m", "hand_till")
        means = made["reader_study"]["analyses"][0]["means"]
        assert {row["modality"]: row["value"] for row in means} == pytest.approx(expected.means)
        assert made["reader_study"]["positive"] is None


def test_what_people_see(folder: Path) -> None:
    result = run("reader-study", folder / "2.csv", "--rating", "p_ill", "--labels", "well,ill")
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "24 cases (12 well, 12 ill), 3 readers, 2 modalities; 'ill' is the positive" in text
    for heading in ("roc_auc of each reader", "Means", "Differences", "Variance components"):
        assert heading in text
    assert "random readers and cases: F(1, " in text
    assert max(map(len, result.output.splitlines())) <= 80


def test_mistakes_are_one_line(folder: Path, tmp_path: Path) -> None:
    file = folder / "2.csv"
    assert refused("reader-study", file) == (
        "polyroc: Name either --rating, the column of ratings of two classes, or --scores, a "
        "column per class."
    )
    assert "there is no column 'grade'" in refused("reader-study", file, "--rating", "grade")
    rating = ("--rating", "p_ill")
    assert "There is no metric 'auc'" in refused("reader-study", file, *rating, "-m", "auc")
    fitted = ("-m", "binormal_auc", "--covariance", "influence")
    message = refused("reader-study", file, *rating, *fitted)
    assert message.endswith("Use --covariance jackknife or --covariance bootstrap.")
    short = tmp_path / "short.csv"
    readings(2)[5:].to_csv(short, index=False)
    assert "case 0 by reader 'Ann' under modality 'ct'" in refused("reader-study", short, *rating)
    gap = tmp_path / "gap.csv"
    readings(2).assign(reader=lambda t: t["reader"].where(t.index != 3, "")).to_csv(gap)
    assert "Name the reader of every row" in refused("reader-study", gap, *rating)
    message = refused(
        "reader-study", folder / "3.csv", "--scores", "p_well,p_ill,p_unclear", code=1
    )
    assert message.endswith(
        "roc_auc is defined for 2 classes, but there are 3. Pass -m hand_till, which is defined "
        "for any number."
    )


def test_whole_numbers_are_classes(tmp_path: Path) -> None:
    table = readings(2).assign(truth=lambda t: t["truth"].map({"well": 0, "ill": 1}))
    table.to_csv(tmp_path / "x.csv", index=False)
    for labels, positive in (("0,1", 1), ("1,0", 0)):
        made = document("reader-study", tmp_path / "x.csv", "--rating", "p_ill", "--labels", labels)
        assert made["reader_study"]["positive"] == positive
