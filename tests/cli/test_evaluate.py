"""``polyroc evaluate``, as a newcomer would try it."""

from pathlib import Path

import pytest
from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written

from polyroc import evaluate, evaluate_pairs
from polyroc.datasets import example_predictions


def test_values_are_those_of_the_library() -> None:
    example = example_predictions()
    made = document("evaluate", EXAMPLE, "--level", "0.9", "--metrics", "hand_till,pdi")
    for model in made["models"]:
        scores = example.models[model["model"]]
        metrics = ["hand_till", "pdi"]
        expected = evaluate(example.y_true, scores, metrics, labels=example.labels, level=0.9)
        assert {"model": model["model"], **expected.to_dict()} == model


def test_says_what_was_read_as_what() -> None:
    result = run("evaluate", EXAMPLE, "--model", "forest")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "850 cases of 3 classes: 440 common, 350 frequent, 60 rare." in words
    assert "true classes in 'truth'; scores in 'forest:common', 'forest:frequent'" in words
    assert "not used: 'logistic:common'" in words
    assert "hand_till 0.8748 0.8454–0.8993" in words


@pytest.mark.parametrize("columns", [80, 50])
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_tables_fit_the_screen(command: str, columns: int) -> None:
    result = run(command, EXAMPLE, columns=columns)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= columns
    rows = [line for line in result.stdout.splitlines() if "hand_till_probabilistic" in line]
    assert rows, "a name was broken in two"


def test_all_metrics_with_reasons_for_those_that_do_not_exist() -> None:
    result = run("evaluate", EXAMPLE, "--model", "bayes", "--metrics", "all")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "roc_auc – –" in words
    assert "Note. roc_auc, saec are defined for 2 classes, but there are 3." in words
    assert "saec – –" in words and "Note. saec: lower is better." in words


def test_no_metric_that_exists_is_code_1() -> None:
    result = run("evaluate", EXAMPLE, "--model", "bayes", "--metrics", "roc_auc")
    assert result.exit_code == 1
    assert "roc_auc is defined for 2 classes" in result.stdout
    assert result.stderr == "polyroc: None of these metrics exists for these data.\n"


def test_rows_that_are_no_probabilities(tmp_path: Path) -> None:
    path = written(tmp_path, "y,p_a,p_b\na,3,1\nb,1,4\na,2,2\nb,0,2\n")
    result = run("evaluate", path, "-m", "hand_till,hand_till_scored")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "hand_till_scored – –" in words
    assert "or --normalize to divide each row by its sum" in words
    normalized = document("evaluate", path, "-m", "hand_till_scored", "--normalize")
    assert normalized["models"][0]["metrics"][0]["value"] is not None


def test_a_constant_out_of_range_is_refused_before_anything_is_printed(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_CASES)
    result = run("evaluate", path, "-m", "hand_till", "--against", "85")
    assert result.exit_code == 2 and result.stdout == ""
    assert "--against must lie in the range of the metric, 0 to 1, got 85.0." in result.stderr


def test_a_misspelt_class_of_columns_is_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, "y,u,v\ncat,.9,.1\nhorse,.2,.8\ncat,.4,.6\n")
    message = refused("evaluate", path, "--columns", "cat=u,hose=v")
    assert "'y' has the label 'horse' in row 1, but --columns names columns for" in message
    assert "'cat', 'hose' only. Did you mean 'horse'? Correct the label" in message
    assert "--labels" not in message


def test_columns_of_whole_numbers_are_named_by_an_example(tmp_path: Path) -> None:
    path = written(tmp_path, "y,p_a,p_b\n0,.9,.1\n1,.2,.8\n0,.4,.6\n1,.3,.7\n")
    example = "--columns 0=p_a,1=p_b"
    assert f"such as {example}, or another" in refused("evaluate", path)
    assert document("evaluate", path, *example.split(), "-m", "hand_till")["models"]
    told = "Leave --labels out, and name the column of each class, such as --columns 0=…,1=…."
    assert told in refused("evaluate", path, "--labels", "a,b")
    more = written(tmp_path, "y,p_a,p_b,age\n0,.9,.1,3\n1,.2,.8,4\n", "more.csv")
    assert "such as --columns 0=…,1=…, or another" in refused("evaluate", more)
    spaces = written(tmp_path, "y,u,v\na b,.9,.1\nc,.2,.8\n", "spaces.csv")
    assert "such as --columns CLASS=COLUMN,…, or another" in refused("evaluate", spaces)


def test_a_class_without_cases(tmp_path: Path) -> None:
    text = "y,p_a,p_b,p_c\na,.9,.1,0\nb,.2,.8,0\na,.4,.6,0\nb,.3,.7,0\n"
    path = written(tmp_path, text)
    assert "The class 'c' has no cases. Pass --absent skip" in refused("evaluate", path)
    metric = document("evaluate", path, "--absent", "skip", "-m", "hand_till")["models"][0]
    assert metric["metrics"][0]["value"] == 1
    assert any("without the class c, which has" in n["text"] for n in metric["metrics"][0]["notes"])


def test_weights_and_groups_are_used_and_can_be_declined(tmp_path: Path) -> None:
    text = "y,p_a,p_b,weight,patient\n" + "a,.9,.1,1,u\nb,.2,.8,1,v\na,.1,.9,3,w\nb,.3,.7,1,x\n"
    path = written(tmp_path, text)

    def value(*options: str) -> float:
        made = document("evaluate", path, "-m", "hand_till", *options)
        number: float = made["models"][0]["metrics"][0]["value"]
        return number

    assert value() == 0.25  # weight 1 of 4 in class a stands below both of b
    assert value("--weights", "none") == 0.5
    assert value("--weights", "weight") == 0.25
    read = document("evaluate", path, "--groups", "none")["input"]["files"][0]
    assert (read["weight"], read["group"], read["unused"]) == ("weight", None, ["patient"])


def test_bootstrap_with_a_seed_repeats_itself() -> None:
    command = ("evaluate", EXAMPLE, "--model", "forest", "-m", "hand_till", "--interval")
    options = ("bootstrap", "--replicates", "50", "--seed", "1")
    once, again = document(*command, *options), document(*command, *options)
    assert once == again
    assert once["models"][0]["metrics"][0]["method"].startswith("bootstrap")
    assert document(*command, "none")["models"][0]["metrics"][0]["low"] is None


def test_columns_by_options(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_CASES.replace("p_a,p_b", "u,v"))
    assert "no columns are named after the classes 'a', 'b'" in refused("evaluate", path)
    for options in (["--columns", "u,v", "--labels", "a,b"], ["--columns", "b=v,a=u"]):
        made = document("evaluate", path, "-m", "hand_till", *options)
        assert made["models"][0]["metrics"][0]["value"] == 1
    assert "mixes COLUMN and CLASS=COLUMN" in refused("evaluate", path, "--columns", "u,b=v")


def test_unknown_metric_is_refused_before_the_file_is_read() -> None:
    assert "There is no metric 'auc'." in refused("evaluate", "no such file", "-m", "auc")


@pytest.mark.parametrize("option", [("--level", "2"), ("--level", "x"), ("--labels", "a,,b")])
def test_options_that_make_no_sense(option: tuple[str, str]) -> None:
    result = run("evaluate", EXAMPLE, *option)
    assert result.exit_code == 2
    assert f"Invalid value for '{option[0]}'" in result.stderr


def test_pairs_worst_first(tmp_path: Path) -> None:
    example = example_predictions()
    found = evaluate_pairs(example.y_true, example.models["forest"], labels=example.labels)
    worst = found.sort_values("value").iloc[0]
    made = document("evaluate", EXAMPLE, "-m", "hand_till", "--pairs", "--model", "forest")
    rows = made["models"][0]["pairs"]
    assert len(rows) == 6 and rows[0] == worst.to_dict()
    assert [row["value"] for row in rows] == sorted(row["value"] for row in rows)
    words = " ".join(run("evaluate", EXAMPLE, "-m", "hand_till", "--pairs").stdout.split())
    assert "Which classes are confused? AUC(k|r) of forest, worst pairs first" in words
    limits = f"{worst['value']:.4f} {worst['low']:.4f}–{worst['high']:.4f}"
    assert f"{worst['positive']} {worst['negative']} {limits}" in words
    many = "abcdefg"
    lines = [f"{k},{','.join(str(int(k == c)) for c in many)}\n" for k in many * 2]
    path = written(tmp_path, f"y,{','.join('p_' + c for c in many)}\n" + "".join(lines))
    assert "the 20 worst of 42 pairs" in " ".join(run("evaluate", path, "--pairs").stdout.split())


def test_values_against_a_constant() -> None:
    given = ("evaluate", EXAMPLE, "--model", "logistic", "-m", "hand_till", "--against", 0.86)
    words = " ".join(run(*given, "--alternative", "greater").stdout.split())
    assert "hand_till: 0.8924 is better than 0.86, p = 0.007." in words
    assert "not adjusted" not in words
    row = document(*given, "--alternative", "less", "--margin", 0.01)["models"][0]["tests"][0]
    assert (row["alternative"], row["margin"], row["low"]) == ("less", 0.01, 0.0)
    assert row["p_value"] > 0.9
    several = run("evaluate", EXAMPLE, "-m", "hand_till,pdi", "--against", 0.8).stdout
    assert "logistic, pdi: 0.8178 cannot be told apart from 0.8" in several
    assert "p-values are those of single tests, not adjusted for their number." in several
    assert refused("evaluate", EXAMPLE, "--margin", 0.1) == (
        "polyroc: --margin needs --against, the value to test against."
    )
    assert refused(*given[:-1], 8) == (
        "polyroc: --against must lie in the range of the metric, 0 to 1, got 8.0."
    )
