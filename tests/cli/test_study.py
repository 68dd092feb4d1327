"""``polyroc study``: learners on a table of features."""

from pathlib import Path

import pytest
from cli.running import document, refused, run, written

from polyroc.cli.learners import DESCRIPTIONS, learners
from polyroc.datasets import three_class_mixture

QUICK = ("--learners", "logistic,shrunken", "--splits", "3", "--seed", "1")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    X, y = three_class_mixture((30, 30, 20), rng=1)
    lines = [
        f"{row},{a},{b},{'rgb'[label]}"
        for row, ((a, b), label) in enumerate(zip(X.tolist(), y.tolist(), strict=True))
    ]
    return written(tmp_path_factory.mktemp("study"), "\n".join([",u,v,class", *lines]) + "\n")


def test_tables_name_learners_and_metrics(table: Path) -> None:
    result = run("study", table, *QUICK)
    assert result.exit_code == 0, result.stderr
    words = " ".join(result.stdout.split())
    assert "80 cases, 2 features, classes 'b', 'g', 'r'." in words
    assert "Read as: true classes in 'class'; features 'u', 'v'." in words
    assert "3 splits, 40 % of the cases for testing, seed 1." in words
    assert "metric logistic shrunken" in words and "vus2" in words


def test_a_number_of_the_case_among_the_features_has_a_note(table: Path, tmp_path: Path) -> None:
    path = written(tmp_path, table.read_text().replace(",u,", "case_id,u,", 1))
    note = "Note. 'case_id': taken as a feature."
    features = ("surface", path, "--features", "--model", "knn", "--generations", "1")
    for command in (("study", path, *QUICK), features):
        assert note in run(*command).stdout
        assert "Note." not in run(*command, "--drop", "case_id").stdout.split("\n\n")[0]


def test_metrics_without_a_test_are_named(table: Path) -> None:
    sizes = ("--metrics", "hand_till,wvus,total_length", "--seed", "1", "--splits", "2")
    words = " ".join(run("study", table, "--learners", "logistic,shrunken", *sizes).stdout.split())
    assert "on the size of the probabilities (wvus, total_length) have no test: it" in words
    ranks = run("study", table, *QUICK, "-m", "hand_till").stdout
    assert "Tests: corrected resampled t" in ranks and "have no test" not in ranks


@pytest.mark.parametrize("columns", [80, 50, 40])
def test_tables_fit_the_screen(table: Path, columns: int) -> None:
    result = run("study", table, *QUICK, columns=columns)
    assert max(map(len, result.stdout.splitlines())) <= columns


def test_the_same_seed_gives_the_same_study(table: Path, tmp_path: Path) -> None:
    once = document("study", table, *QUICK)
    checkpoint = ("--checkpoint", tmp_path / "c.npz")
    assert once == document("study", table, *QUICK, *checkpoint)
    assert once == document("study", table, *QUICK, *checkpoint), "goes on from a finished study"
    assert once["study"]["estimators"] == ["logistic", "shrunken"]
    assert once["input"]["files"][0]["features"] == ["u", "v"], "the index is no feature"


def test_the_help_says_that_classes_are_sorted() -> None:
    assert "order of the columns" not in run("study", "--help").output
    assert "[default: sorted]" in run("study", "--help").output


def test_every_learner_learns(table: Path) -> None:
    made = document("study", table, "--splits", "1", "--seed", "1", "-m", "hand_till")["study"]
    values = dict(zip(made["estimators"], made["means"], strict=True))
    assert values.keys() == DESCRIPTIONS.keys() == learners().keys()
    assert all(value > 0.8 for (value,) in values.values()), values


def test_refusals(table: Path, tmp_path: Path) -> None:
    assert "There is no learner 'tree'" in refused("study", table, "--learners", "tree")
    assert "no column 'q'" in refused("study", table, "--drop", "q")
    assert "--test-size must lie between 0 and 1" in refused("study", table, "--test-size", "2")
    assert "has no features" in refused("study", table, "--drop", "u,v")
    words = written(tmp_path, "sex,class\nf,a\nm,b\n")
    assert "contains 'f' in row 0 (line 2), column 'sex'" in refused("study", words)


def test_a_learner_that_fails_is_one_line_and_code_1(tmp_path: Path) -> None:
    rows = [f"{n},{'ab'[n % 2]}" for n in range(8)]
    path = written(tmp_path, "\n".join(["u,class", *rows]) + "\n")
    message = refused("study", path, "--learners", "linear", "--splits", "1", code=1)
    assert "A learner failed" in message and "'linear' in split 0" in message
