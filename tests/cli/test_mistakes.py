"""Mistakes that people make with a first file: what the commands say about them."""

from pathlib import Path

import numpy as np
import pandas as pd
from cli.running import refused, run

from polyroc._base.tables import text_table


def first_table() -> pd.DataFrame:
    """Predictions of 60 cases of three classes, good but not perfect."""
    rng = np.random.default_rng(3)
    y = np.arange(60) % 3
    p = rng.dirichlet(np.ones(3), 60) + 0.4 * np.eye(3)[y]
    table = pd.DataFrame(p / p.sum(axis=1, keepdims=True), columns=["p_0", "p_1", "p_2"])
    return table.assign(y=y)


def test_percentages_are_told_once(tmp_path: Path) -> None:
    path, table = tmp_path / "percent.csv", first_table()
    table.assign(**{name: 100 * table[name] for name in ("p_0", "p_1", "p_2")}).to_csv(path)
    shown = " ".join(run("evaluate", str(path)).stdout.split())
    assert shown.count("sums to 100. Pass probabilities, or --normalize") == 1
    assert "triangle_area, vus, wvus, wvus2 need probabilities, but row 0" in shown
    alone = " ".join(run("evaluate", str(path), "-m", "hand_till,vus").stdout.split())
    assert "Note. vus needs probabilities, but row 0" in alone
    assert "The surface needs probabilities" in refused("surface", str(path), code=1)


def test_columns_in_a_wrong_order_are_noticed(tmp_path: Path) -> None:
    path, table = tmp_path / "swapped.csv", first_table()
    table.to_csv(path, index=False)
    assert "guessing" not in run("evaluate", str(path)).stdout
    table.rename(columns={"p_0": "p_1", "p_1": "p_2", "p_2": "p_0"}).to_csv(path, index=False)
    shown = " ".join(run("evaluate", str(path), "-m", "hand_till,aunu").stdout.split())
    assert "Note. hand_till, aunu: worse than guessing. Check in the line Read as" in shown
    both = table.rename(columns=lambda name: name.replace("p_", "good:"))
    for name, other in (("0", "2"), ("1", "0"), ("2", "1")):
        both[f"bad:{name}"] = table[f"p_{other}"]
    both.to_csv(path, index=False)
    shown = " ".join(run("evaluate", str(path), "-m", "hand_till").stdout.split())
    assert "hand_till of bad: worse than guessing" in shown and "of good" not in shown


def test_messages_say_what_to_do(tmp_path: Path) -> None:
    table = first_table()
    path = tmp_path / "mistake.csv"
    features = table.assign(bottle=[f"b{row}" for row in range(60)])
    one_hot = table.drop(columns="y").assign(**{f"y_{k}": table["y"] == k for k in range(3)})
    readings = pd.DataFrame({"case": [1], "reader": [1], "truth": [0], "rating": [1]})
    doubled = pd.concat([table, table[:1]]).assign(id=[*range(60), 0])
    percent = table.assign(p_0=[f"{100 * value:.1f}%" for value in table["p_0"]])
    wrong = table.assign(p_0=["high", *table["p_0"][1:]])
    share = percent["p_0"][0].removesuffix("%")
    cases = [
        (percent, ("evaluate",), f"Write it as a plain number, {float(share) / 100:g} or {share}."),
        (wrong, ("evaluate",), "expected a number. Remove the row, or correct it."),
        (table, ("report", "b.csv", "-o", "x.html"), "There is no file b.csv. Check the path."),
        (features, ("study",), "column 'bottle'; expected a number. Correct it, or leave the"),
        (one_hot, ("evaluate",), "If 'y_0', 'y_1', 'y_2' say which class is true, write one"),
        (readings, ("reader-study", "--rating", "rating"), "Name the column with --modality."),
        (doubled, ("compare", str(path), "--id", "id"), "and row 60 (line 62), column 'id'."),
    ]
    for frame, (command, *options), expected in cases:
        frame.to_csv(path, index=False)
        assert expected in refused(command, str(path), *options), command


def test_streaming_says_which_scores_it_took(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    first_table().to_parquet(path)
    shown = " ".join(run("evaluate", str(path), "--streaming").stdout.split())
    assert "Read as: true classes in 'y'; scores in 'p_0', 'p_1', 'p_2'." in shown


def test_what_was_left_out_or_drawn_is_told(tmp_path: Path) -> None:
    path, table = tmp_path / "weighted.csv", first_table()
    table.assign(weight=[0, 0, *[1] * 58]).to_csv(path, index=False)
    options = ("-m", "vus,hum,pdi", "--tuples", "50")
    shown = " ".join(run("evaluate", str(path), *options, "--seed", "4").stdout.split())
    assert "20 of class 2. 2 cases of weight 0 left out. Read as" in shown
    assert "Note. vus, hum: estimated from 50 random tuples of cases, seed 4" in shown
    assert "left out" not in run("evaluate", str(path), "--weights", "none").stdout


def test_metrics_are_explained_in_whole_sentences() -> None:
    shown = run("metrics", "hand_till").stdout
    assert "Parameters" not in shown and "``" not in shown and "\n    " not in shown
    assert "\nguessing  ½\n" in shown and "\nrange     0 to 1, higher is better\n" in shown


def test_a_p_value_is_never_0() -> None:
    assert "<1e-300" in text_table([{"metric": "roc_auc", "p_value": 0.0, "difference": 0.0}])
