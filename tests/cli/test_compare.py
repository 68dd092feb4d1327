"""``polyroc compare``: one file of several models, or several files."""

from pathlib import Path

from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written

from polyroc import compare
from polyroc.datasets import example_predictions

OTHER = "y,p_b,p_a\na,.1,.9\nb,.4,.6\na,.6,.4\nb,.7,.3\n"
"""The cases of FOUR_CASES with columns the other way round; one pair in the wrong order."""


def test_one_file_of_several_models() -> None:
    example = example_predictions()
    made = document("compare", EXAMPLE, "-m", "hand_till")
    expected = compare(example.y_true, example.models, ["hand_till"], labels=example.labels)
    assert made["comparison"] == expected.to_dict()


def test_a_file_per_model_with_columns_in_any_order(tmp_path: Path) -> None:
    files = written(tmp_path, FOUR_CASES, "one.csv"), written(tmp_path, OTHER, "two.csv")
    made = document("compare", *files, "-m", "hand_till")["comparison"]
    assert made["values"] == {"hand_till": {"one": 1.0, "two": 0.75}}
    assert made["differences"][0]["difference"] == 0.25


def test_files_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "u").mkdir()
    files = written(tmp_path, FOUR_CASES), written(tmp_path / "u", OTHER)
    values = document("compare", *files, "-m", "hand_till")["comparison"]["values"]
    assert sorted(values["hand_till"].values()) == [0.75, 1.0]


def test_different_cases_are_refused_unless_independent(tmp_path: Path) -> None:
    first = written(tmp_path, FOUR_CASES, "one.csv")
    rows = OTHER.splitlines()
    swapped = written(tmp_path, "\n".join([rows[0], *rows[:0:-1]]) + "\n", "two.csv")
    message = refused("compare", first, swapped)
    assert "differ in the true class in row 0: a and b." in message
    assert document("compare", first, swapped, "--independent")["comparison"]["differences"]
    longer = written(tmp_path, OTHER + "a,.1,.9\n", "three.csv")
    assert "has 4 cases but" in refused("compare", first, longer)


def test_different_classes_and_too_few_models(tmp_path: Path) -> None:
    first = written(tmp_path, FOUR_CASES, "one.csv")
    other = written(tmp_path, FOUR_CASES.replace("b", "c"), "two.csv")
    assert "Compare models of the same classes" in refused("compare", first, other)
    assert "a comparison needs two" in refused("compare", first)


def test_nothing_to_compare_by_is_code_1() -> None:
    result = run("compare", EXAMPLE, "-m", "roc_auc")
    assert result.exit_code == 1
    assert "None of these metrics exists" in result.stderr


def test_a_permutation_test_repeats_itself() -> None:
    options = ("-m", "hand_till", "--method", "permutation", "--replicates", "20", "--seed", "3")
    assert document("compare", EXAMPLE, *options) == document("compare", EXAMPLE, *options)
