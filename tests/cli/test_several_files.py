"""Several files, the standard input, and files joined by case, in evaluate, compare and report."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written
from cli.test_compare import two_files
from click.testing import CliRunner

from polyroc import evaluate
from polyroc.cli import main
from polyroc.readers import read_predictions


def values_of(*arguments: object) -> dict[str, Any]:
    """Metrics by model, in the order of the output."""
    made = document("evaluate", *arguments, "-m", "hand_till,pdi")
    return {each["model"]: each["metrics"] for each in made["models"]}


def test_evaluate_of_several_files_is_that_of_each(tmp_path: Path) -> None:
    """Joined by case or not, weights and groups of either file being those of the cases."""
    one, two, shuffled = two_files(tmp_path)
    both = values_of(one, two)
    assert both == {"one": values_of(one)["one"], "two": values_of(two)["two"]}
    joined = values_of(one, shuffled, "--id", "id")
    assert list(joined) == ["one", "two_shuffled"] and joined["one"] == both["one"]
    for ours, theirs in zip(joined["two_shuffled"], both["two"], strict=True):
        assert ours["value"] == theirs["value"]
        assert ours["standard_error"] == pytest.approx(theirs["standard_error"], rel=1e-12)
    assert values_of(one, two, "--model", "two") == {"two": both["two"]}
    made = document("evaluate", one, shuffled, "--id", "id", "-m", "pdi")
    assert made["join"] == {"column": "id", "matched": 60, "left_out": [0, 0]}
    assert [file["path"] for file in made["input"]["files"]] == [str(one), str(shuffled)]
    told = run("evaluate", one, shuffled, "--id", "id", "-m", "pdi", columns=300).stdout
    lines = told.splitlines()
    assert lines[0].startswith(f"{one}: 60 cases") and lines[2].startswith(f"{shuffled}: 60 cases")
    assert lines[4] == "Joined by 'id': 60 cases in all files." and lines[5] == ""


def test_files_of_different_cases_are_refused(tmp_path: Path) -> None:
    one, two, shuffled = two_files(tmp_path)
    page = ("-o", tmp_path / "page.html")
    for command, rest in (("evaluate", ()), ("report", page)):
        assert "have different cases in row" in refused(command, one, shuffled, *rest)
        assert "--join inner needs --id" in refused(command, one, two, "--join", "inner", *rest)
        lines = two.read_text().splitlines()
        short = written(tmp_path, "\n".join(lines[:-2]), "short.csv")
        assert "lacks 2 of the 60 cases" in refused(command, one, short, "--id", "id", *rest)
        assert "has 60 cases but" in refused(command, one, short, *rest)
        inner = run(command, one, short, "--id", "id", "--join", "inner", *rest, columns=300)
        assert inner.exit_code == 0
        assert f"Joined by 'id': 58 cases in all files; 2 of {one} left out." in inner.stdout
    made = values_of(one, short, "--id", "id", "--join", "inner")
    frame = pd.read_csv(one)[:-2]
    scores = frame[["p_0", "p_1", "p_2"]].to_numpy()
    expected = evaluate(frame["y"], scores, ["hand_till", "pdi"], groups=frame["patient"])
    assert [each["value"] for each in made["one"]] == [each.value for each in expected.values()]


@pytest.mark.system
def test_report_of_several_files(tmp_path: Path) -> None:
    one, two, shuffled = two_files(tmp_path)
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for page, other in zip(pages, (two, shuffled), strict=True):
        told = run("report", one, other, "--id", "id", "-o", page, "--title", "T", columns=300)
        assert told.exit_code == 0, told.output
        first, second, joined, where = told.stdout.splitlines()
        assert first.startswith("Read as: ") and second.startswith("Read as: ")
        assert joined == "Joined by 'id': 60 cases in all files." and where == f"Report: {page}"
    texts = [page.read_text() for page in pages]
    assert "two_shuffled" in texts[1] and "one" in texts[0]
    only = run("report", EXAMPLE, "--model", "forest", "-o", pages[0])
    assert only.exit_code == 0 and "logistic" not in pages[0].read_text()
    assert "are the same file" in refused("report", one, two, "-o", two)


def test_report_normalizes_and_skips(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 20)
    table = pd.DataFrame(rng.integers(1, 9, (40, 3)), columns=["p_a", "p_b", "p_c"]).assign(y=y)
    path, page = tmp_path / "x.csv", tmp_path / "page.html"
    table.to_csv(path, index=False)
    assert "The class 'c' has no cases." in refused("report", path, "-o", page)
    assert run("report", path, "--absent", "skip", "--normalize", "-o", page).exit_code == 0


def test_standard_input(tmp_path: Path) -> None:
    expected = document("evaluate", written(tmp_path, FOUR_CASES), "-m", "roc_auc")["models"][0]

    def piped(*arguments: str) -> Any:
        return CliRunner().invoke(main, arguments, input=FOUR_CASES)

    made = json.loads(piped("evaluate", "-", "-m", "roc_auc", "--json").stdout)
    assert made["models"][0]["metrics"] == expected["metrics"]
    assert made["models"][0]["model"] == "standard input"
    assert made["input"]["files"][0]["path"] == "standard input"
    assert piped("evaluate", "-").stdout.startswith("standard input: 4 cases of 2 classes")
    assert piped("compare", "-", str(tmp_path / "x.csv")).exit_code == 0
    assert piped("report", "-", "-o", str(tmp_path / "page.html")).exit_code == 0
    assert piped("check", "-", "--min", "roc_auc=.01").exit_code == 0
    assert "standard input is empty" in piped("compare", "-", "-").output


def test_decimal_commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commas = FOUR_CASES.replace(",", ";").replace(".", "0,")
    expected = read_predictions(written(tmp_path, FOUR_CASES)).models["x"]
    for text in (commas, commas.replace(";", "\t"), commas.replace("0,9", '"0,9"')):
        path = written(tmp_path, text, "commas.csv")
        found = read_predictions(path, decimal=",").models["commas"]
        assert (found == expected).all()
        assert "Pass --decimal , where all numbers are written so" in refused("evaluate", path)
        assert run("evaluate", path, "--decimal", ",").exit_code == 0
    quoted = 'y,p_a,p_b\na,"0,9","0,1"\nb,"0,2","0,8"\n'
    assert read_predictions(written(tmp_path, quoted), decimal=",").models["x"][1, 1] == 0.8
    for mixed in (commas.replace("0,9", "0.9"), commas.replace("0,", "0.")):
        message = refused("evaluate", written(tmp_path, mixed), "--decimal", ",")
        assert "a number with a point, but --decimal , is given. Write all" in message
    wrong = refused("evaluate", written(tmp_path, commas.replace("0,9", "x")), "--decimal", ",")
    assert "contains 'x' in row 0 (line 2), column 'p_a'; expected a number." in wrong
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(commas.encode())))
    assert (read_predictions("-", decimal=",").models["standard input"] == expected).all()


def test_a_repeated_column_of_scores_is_reported_as_that(tmp_path: Path) -> None:
    for header in ("y,p_a,p_a,p_c", "y,m:a,m:a,m:c", "y,p_a,p_b,p_b", "y,a,a,b"):
        path = written(tmp_path, f"{header}\na,.5,.3,.2\nb,.2,.6,.2\nc,.1,.1,.8\n")
        names = header.split(",")
        (twice,) = {name for name in names if names.count(name) > 1}
        assert f"there are 2 columns named '{twice}'" in refused("evaluate", path), header


def test_compare_from_random_tuples(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4
    columns: dict[str, Any] = {"y": y}
    for model in "ab":
        p = rng.dirichlet(np.ones(4), 200) * 0.8 + 0.2 * np.eye(4)[y]
        columns |= {f"{model}:{k}": p[:, k] for k in range(4)}
    path = tmp_path / "four.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    words = ("compare", path, "-m", "hum", "--tuples", 500, "--seed", 3)
    made = document(*words)["comparison"]
    assert made == document(*words)["comparison"]
    values = document("evaluate", path, *words[2:])["models"]
    assert made["values"]["hum"] == {each["model"]: each["metrics"][0]["value"] for each in values}
    message = refused(*words, "--method", "permutation")
    assert "--tuples cannot be combined with --method permutation" in message
