"""Every kind of bad input: one line on standard error, exit code 2, nothing written."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written

from polyroc import registry

CASES = {
    "NaN": ("y,p_a,p_b\na,.9,.1\nb,nan,.8\n", "no value in row 1 (line 3), column 'p_a'"),
    "missing": ("y,p_a,p_b\na,.9,.1\nb,.2,\n", "no value in row 1 (line 3), column 'p_b'"),
    "infinite": ("y,p_a,p_b\na,.9,.1\nb,.2,inf\n", "contains inf in row 1 (line 3), column 'p_b'"),
    "a word": ("y,p_a,p_b\na,.9,.1\nb,x,.8\n", "contains 'x' in row 1 (line 3), column 'p_a'"),
    "no label": ("y,p_a,p_b\na,.9,.1\n,.2,.8\n", "no value in row 1 (line 3), column 'y'"),
    "broken label": ("y,p_1,p_2\n1,.9,.1\n1.5,.2,.8\n", "contains 1.5 in row 1 (line 3)"),
    "decimal commas": ("y;a;b\na;0,9;0,1\nb;0,2;0,8\n", "contains '0,9' in row 0 (line 2)"),
    "negative weight": (
        "y,p_a,p_b,weight\na,.9,.1,1\nb,.2,.8,-1\n",
        "weights contains -1.0 in row 1",
    ),
    "short row": ("y,p_a,p_b\na,.9,.1\nb,.2\n", "Row #3: Expected 3 columns, got 2"),
    "one class": ("y,p_a\na,.9\na,.2\n", "at least two classes are needed"),
    "absent class": ("y,p_a,p_b\na,.9,.1\na,.2,.8\n", "The class 'b' has no cases."),
    "empty": ("", "is empty"),
    "blank": ("\n\n  \n", "is empty"),
    "header only": ("y,p_a,p_b\n", "has columns but no rows"),
    "unknown label": ("y,p_a,p_b\na,.9,.1\nb,.2,.8\nc,0,1\n", "no column of scores for 'c'"),
    "twice": ("y,p_a,p_b,p_a\na,.9,.1,0\nb,.2,.8,0\n", "there are 2 columns named 'p_a'"),
    "two targets": ("y,truth,p_a,p_b\na,a,.9,.1\n", "could contain the true classes: 'y', 'truth'"),
    "no target": ("q,p_a,p_b\na,.9,.1\n", "Name the one with --target."),
    "two sets": ("y,a,b,p_a,p_b\na,1,0,.9,.1\nb,0,1,.2,.8\n", "several sets of columns"),
}


@pytest.mark.parametrize("kind", CASES)
def test_text(kind: str, tmp_path: Path) -> None:
    text, message = CASES[kind]
    path = written(tmp_path, text)
    assert message in refused("evaluate", path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "q"], "there is no column 'q'. The columns are 'y', 'p_a', 'p_b'."),
        (["--weights", "q"], "there is no column 'q'"),
        (["--labels", "a,b,c"], "no column of scores for 'c'"),
        (["--labels", "a,a"], "labels name 'a' "),
        (["--labels", "a,x", "--columns", "p_a,p_b"], "label 'b' in row 1"),
        (["--columns", "p_a,p_b,y"], "do not say which of the classes"),
        (["--model", "forest"], "there is no model 'forest'. There is 'x'."),
    ],
)
def test_options(options: list[str], message: str, tmp_path: Path) -> None:
    assert message in refused("evaluate", written(tmp_path, FOUR_CASES), *options)


def test_a_class_without_cases_beside_other_columns(tmp_path: Path) -> None:
    """Every command finds it, though columns are named by the classes alone."""
    lines = [f"{k},c{k % 2},.5,.{3 - k % 2},.{2 + k % 2},{30 + k}" for k in range(8)]
    path = written(tmp_path, "\n".join(["id,truth,c0,c1,c2,age", *lines]) + "\n")
    parquet = tmp_path / "x.parquet"
    pd.read_csv(path).to_parquet(parquet)
    commands = {
        "evaluate": (path,),
        "check": (path, "--min", "hand_till=0.1"),
        "calibration": (path,),
        "surface": (path,),
        "plan": (path, "--power", 0.8),
        "compare": (path, path),
        "report": (path, "-o", tmp_path / "r.html"),
    }
    for command, arguments in commands.items():
        assert "The class 'c2' has no cases." in refused(command, *arguments), command
    remedy = "Name the others with --labels and pass --normalize, or add cases."
    assert refused("surface", path).endswith(remedy)
    assert "c2" in refused("evaluate", parquet, "--streaming", "-m", "hand_till")
    for options in (["--labels", "c0,c1"], ["--absent", "skip"]):
        assert run("evaluate", path, "-m", "hand_till", *options).exit_code == 0
    near = written(tmp_path, "y,c0,c1,clas2\nc0,.5,.3,.2\nc1,.2,.3,.5\nc2,.2,.4,.4\n")
    assert "no column of scores for 'c2', but 'c0' for 'c0'." in refused("evaluate", near)
    near = written(tmp_path, "y,class_0,clas_1\nclass_0,.5,.5\nclass_1,.2,.8\n")
    assert "'class_0'. Did you mean 'clas_1'?" in refused("evaluate", near)


def test_files_that_are_none(tmp_path: Path) -> None:
    assert "There is no file" in refused("evaluate", tmp_path / "nothing.csv")
    assert "is a folder" in refused("evaluate", tmp_path)
    binary = tmp_path / "x.bin"
    binary.write_bytes(bytes(range(256)))
    assert "neither text nor a table" in refused("evaluate", binary)


@pytest.mark.parametrize("start", [b"PAR1", b"ARROW1\0\0", b"PK\x03\x04", b"\x1f\x8b\x08", b"FEA1"])
def test_starts_of_formats_without_the_rest(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes(start + b"\0" * 40)
    assert "cannot be read as" in refused("evaluate", path)


def test_pickled_objects_are_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, y_true=np.array(["a", "b"], dtype=object), m=np.eye(2))
    assert "contains Python objects" in refused("evaluate", path)


@pytest.mark.parametrize("command", ["compare", "surface", "report", "study"])
def test_other_commands_refuse_alike(command: str, tmp_path: Path) -> None:
    path = written(tmp_path, CASES["missing"][0])
    output = ["-o", tmp_path / "out"] if command in ("surface", "report") else []
    message = refused(command, path, *output)
    assert "no value in row 1 (line 3), column 'p_b'" in message
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("command", ["surface", "report"])
def test_outputs_that_cannot_be_written(command: str, tmp_path: Path) -> None:
    source = written(tmp_path, FOUR_CASES)
    assert "There is no folder" in refused(command, source, "-o", tmp_path / "no" / "out")
    assert "is a folder" in refused(command, source, "-o", tmp_path)
    assert "are the same file" in refused(command, source, "-o", source)
    assert source.read_text() == FOUR_CASES


def test_no_command_and_unknown_ones() -> None:
    assert run("evaluate").exit_code == 2
    assert "No such command" in run("evaluat", EXAMPLE).stderr


def test_names_that_are_nearly_right(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_CASES.replace("y,", "diagnose,"))
    assert "Did you mean 'hand_till'?" in refused("evaluate", EXAMPLE, "-m", "handtill")
    assert "Did you mean 'hand_till'?" in refused("metrics", "handtill")
    assert "Did you mean 'diagnose'?" in refused("evaluate", path, "-t", "diagnosis")
    assert "Did you mean 'forest'?" in refused("evaluate", EXAMPLE, "--model", "forrest")
    assert "Did you mean 'logistic'?" in refused(
        "study", path, "-t", "diagnose", "--learners", "logistics"
    )
    for symbol, name in (("AUC", "roc_auc"), ("m", "hand_till"), ("Mp", "hand_till_probabilistic")):
        assert f"Did you mean {name!r}? The" in refused("evaluate", EXAMPLE, "-m", symbol)
    option = refused("evaluate", EXAMPLE, "--modle", "forest")
    assert re.search(r"Did you mean '?--model'?\? See .* --help\.$", option)


def test_a_margin_is_asked_for_as_an_option() -> None:
    asked = refused("compare", EXAMPLE, "--alternative", "noninferior")
    assert "--alternative noninferior needs a margin. Pass --margin, the largest" in asked
    vain = refused("compare", EXAMPLE, "--margin", "0.02")
    assert "--margin 0.02 has no meaning" in vain
    assert vain.endswith("Pass --alternative noninferior, equivalent, greater or less.")


def test_percentages_are_not_taken_for_shares() -> None:
    """A margin of 5 where .05 was meant would show anything; nothing is said before."""
    asked = ("-m", "hand_till", "--alternative", "equivalent", "--margin")
    too_large = "--margin must be less than 1, the range of hand_till, got 5."
    assert too_large in refused("compare", EXAMPLE, *asked, 5)
    assert too_large in refused("evaluate", EXAMPLE, *asked, 5, "--against", 0.9)
    named = refused("evaluate", EXAMPLE, "-m", "hand_till", "--against", 90)
    assert "polyroc: --against must lie in the range of the metric, 0 to 1, got 90" in named
    result = run("compare", EXAMPLE, *asked, 0.05, "--level", 0.5)
    assert "--level must be above 0.5" in result.stderr and not result.stdout


def test_decimal_commas_are_recognised(tmp_path: Path) -> None:
    path = written(tmp_path, "y;p_a;p_b\na;0,9;0,1\nb;0,2;0,8\n")
    message = refused("evaluate", path)
    assert "contains '0,9' in row 0 (line 2), column 'p_a'; expected a number. " in message
    assert "Pass --decimal , where all numbers are written so" in message
    words = written(tmp_path, "y;p_a;p_b\na;much;0.1\nb;0.2;0.8\n")
    assert "decimal point" not in refused("evaluate", words)


def test_logits_are_told_what_works(tmp_path: Path) -> None:
    path = written(tmp_path, "y,p_a,p_b,p_c\na,2,-1,0\nb,0,1,-1\nc,0,0,3\na,1,0,0\n")
    result = run("evaluate", path, "-m", "hand_till,vus", columns=300)
    assert "softmax(scores, axis=1)" in result.output and "--normalize" not in result.output
    assert "softmax(scores, axis=1)" in refused("evaluate", path, "--normalize", "-m", "vus")


def test_volumes_of_many_classes_name_the_option(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(600) % 4
    p = rng.dirichlet(np.ones(4), 600) * 0.8 + 0.2 * np.eye(4)[y]
    rows = [",".join([f"c{k}", *(f"{v:.17g}" for v in row)]) for k, row in zip(y, p, strict=True)]
    path = written(tmp_path, "\n".join(["y,c0,c1,c2,c3", *rows]))
    result = run("evaluate", path, "-m", "vus", columns=300)
    assert result.exit_code == 1 and "Pass --tuples to evaluate" in result.output
    options = ("--tuples", "2000", "--seed", "1")
    (found,) = document("evaluate", path, "-m", "vus", *options)["models"][0]["metrics"]
    assert 0 < found["value"] < 1 and found["method"] == "influence, random tuples"
    resampled = ("--interval", "bootstrap", "--replicates", "5")
    (again,) = document("evaluate", path, "-m", "vus", *options, *resampled)["models"][0]["metrics"]
    assert again["value"] == found["value"] and again["method"] == "bootstrap"


def test_one_column_of_scores_says_whose_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, "truth,score\nill,.9\nwell,.2\nill,.4\nwell,.3\n")
    assert "scores of 'well' in 'score'" in run("evaluate", path).output
    assert "scores of 'ill' in 'score'" in run("evaluate", path, "--labels", "well,ill").output
    path = written(tmp_path, "truth,p_ill\nill,.9\nwell,.2\nill,.4\nwell,.3\n")
    assert "scores of 'ill' in 'p_ill'" in run("evaluate", path).output


def test_two_classes_print_each_number_once(tmp_path: Path) -> None:
    printed = run("evaluate", written(tmp_path, FOUR_CASES)).output
    assert [name for name in registry if f"\n{name} " in printed] == [
        "probabilistic_auc",
        "roc_auc",
        "scored_auc",
    ]
