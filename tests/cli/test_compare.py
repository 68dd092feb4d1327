"""``polyroc compare``: one file of several models, or several files."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written
from scipy.special import softmax

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


# Files whose cases are in another order


def two_files(folder: Path, n: int = 60, name: str = "id") -> tuple[Path, Path, Path]:
    """A file per model, and the second once more with its rows shuffled."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n)
    frames = []
    for noise in (1.0, 1.6):
        p = softmax(noise * rng.normal(size=(n, 3)) + 2 * np.eye(3)[y], axis=1)
        ids = [f"case {number}" for number in range(n)]
        columns = {f"p_{k}": p[:, k] for k in range(3)}
        patients = np.arange(n) // 3
        frames.append(pd.DataFrame({"y": y, **columns, "patient": patients, name: ids}))
    one, two, shuffled = (folder / f"{stem}.csv" for stem in ("one", "two", "two_shuffled"))
    frames[0].to_csv(one, index=False)
    frames[1].to_csv(two, index=False)
    order = np.concatenate([rng.permutation(np.flatnonzero(y == k)) for k in range(3)])
    inverse = np.argsort(np.argsort(y, kind="stable"), kind="stable")
    frames[1].iloc[order[inverse]].to_csv(shuffled, index=False)  # the labels are in order still
    return one, two, shuffled


def p_values(*arguments: object) -> list[float]:
    made = document("compare", *arguments, "-m", "hand_till,pdi")
    return [row["p_value"] for row in made["comparison"]["differences"]]


def test_intervals_are_shown_where_they_fit_and_promised_only_there() -> None:
    for columns, shown in ((200, True), (70, True), (60, True), (36, False)):
        printed = run("compare", EXAMPLE, "-m", "hand_till", columns=columns).stdout
        start = printed[printed.index("Which is best?") :]
        words = " ".join(start.split())
        assert ("from the best with 95 % intervals" in words) == shown, columns
        assert bool(re.search(r"[+-]0\.\d{4} … [+-]0\.\d{4}", start)) == shown, columns
        assert max(map(len, printed.splitlines())) <= columns


def test_shuffled_rows_joined_by_id_are_the_same_comparison(tmp_path: Path) -> None:
    one, two, shuffled = two_files(tmp_path)
    for groups in ("none", "patient"):
        options = ("--groups", groups)
        true = p_values(one, two, *options)
        assert p_values(one, shuffled, "--id", "id", *options) == true
        assert p_values(shuffled, one, "--id", "id", *options) == pytest.approx(true, rel=1e-9)
    wrong = p_values(one, shuffled, "--id", "none", "--groups", "none")
    assert wrong != pytest.approx(p_values(one, two, "--groups", "none"), rel=0.01)


def test_rows_of_other_cases_are_not_paired_by_position(tmp_path: Path) -> None:
    """Also where pandas wrote its index without a name."""
    for name in ("id", "Image ID", ""):
        one, two, shuffled = two_files(tmp_path, name=name)
        message = refused("compare", one, shuffled, "--groups", "none")
        assert "have different cases in row" in message and f"--id {name!r}" in message
        assert p_values(one, two)
        assert p_values(one, shuffled, "--independent")


def test_cases_that_one_file_lacks(tmp_path: Path) -> None:
    one, two, shuffled = two_files(tmp_path)
    lines = shuffled.read_text().splitlines()
    shuffled.write_text("\n".join([lines[0], *lines[4:]]))
    message = refused("compare", one, shuffled, "--id", "id")
    assert "lacks 3 of the 60 cases of" in message and "--join inner" in message
    assert "lacks 3 of the 60" in refused("compare", shuffled, one, "--id", "id")
    made = document("compare", one, shuffled, "--id", "id", "--join", "inner", "-m", "hand_till")
    assert made["join"] == {"column": "id", "matched": 57, "left_out": [3, 0]}
    gone = {line.rpartition(",")[2] for line in lines[1:4]}
    for path in (one, two):
        rows = path.read_text().splitlines()
        left = [row for row in rows if row.rpartition(",")[2] not in gone]
        path.write_text("\n".join(left))
    assert made["comparison"]["differences"][0]["p_value"] == pytest.approx(
        p_values(one, two)[0], rel=1e-9
    )
    printed = run("compare", one, shuffled, "--id", "id", "--join", "inner", columns=200).output
    assert "Joined by 'id': 57 cases in all files." in printed


def test_ids_that_join_nothing(tmp_path: Path) -> None:
    one, two, _ = two_files(tmp_path)
    assert "has the case 0 twice, in row 0 (line 2), column 'patient', and row 1" in refused(
        "compare", one, two, "--id", "patient"
    )
    assert "there is no column 'nothing'" in refused("compare", one, two, "--id", "nothing")
    assert "--join inner needs --id" in refused("compare", one, two, "--join", "inner")
    assert "--independent" in refused("compare", one, two, "--id", "id", "--independent")
    two.write_text(two.read_text().replace("case ", "image "))
    assert "Is 'id' the column that identifies the cases?" in refused(
        "compare", one, two, "--id", "id", "--join", "inner"
    )


def test_names_of_rows_are_compared_also_where_they_repeat(tmp_path: Path) -> None:
    rows = ["a,.9,.1", "b,.2,.8", "a,.6,.4", "b,.3,.7", "a,.5,.5", "b,.6,.4"]

    def file(column: str, names: list[str], path: str) -> Path:
        lines = [f"{row},{name}" for row, name in zip(rows, names, strict=True)]
        return written(tmp_path, "\n".join([f"y,p_a,p_b,{column}", *lines]) + "\n", path)

    first = file("patient", ["u", "u", "v", "v", "w", "w"], "one.csv")
    other = file("patient", ["w", "w", "u", "u", "v", "v"], "two.csv")
    assert "differ in the group in row 0: u and w" in refused("compare", first, other)
    first = file("image", ["1", "2", "1", "4", "5", "6"], "one.csv")
    other = file("image", ["1", "4", "1", "2", "5", "6"], "two.csv")
    assert "different cases in row 1: 2 and 4 in the column 'image'" in refused(
        "compare", first, other
    )
    assert document("compare", first, other, "--id", "none", "-m", "roc_auc")["comparison"]


def test_notes_on_a_class_with_a_semicolon_stay_whole(tmp_path: Path) -> None:
    """A class may be named as the notes of a row are put together."""
    rows = [
        f"{'x; y' if i % 2 else 'b'},{a / 100},{1 - a / 100},{b / 100},{1 - b / 100}"
        for i, (a, b) in enumerate([(63, 27), (4, 1), (81, 91), (60, 72), (54, 93), (81, 0)])
    ]
    path = written(tmp_path, "\n".join(["y,A:b,A:x; y,B:b,B:x; y", *rows]))
    whole = "Note. roc_auc: fewer than 10 cases: b (3), x; y (3)"
    for command in (("compare",), ("check", "--model", "A", "--min", "roc_auc=.5")):
        told = run(*command, path, *(("-m", "roc_auc") if command == ("compare",) else ()))
        notes = [line for line in told.stdout.splitlines() if line.startswith("Note. ")]
        assert whole in notes and not any("y (3)" in line for line in notes if line != whole)


def test_classes_that_are_true_and_false_have_an_order(tmp_path: Path) -> None:
    values = (0.1, 0.3, 0.4, 0.35, 0.2, 0.8)
    rows = [f"{i % 2 == 1},{value},{1 - value}" for i, value in enumerate(values)]
    path = written(tmp_path, "\n".join(["y,A,B", *rows]))
    forward, back = (
        document("evaluate", path, "--columns", "A", "--labels", labels, "-m", "roc_auc")
        for labels in ("False,True", "true,false")
    )
    found = [each["models"][0]["metrics"][0]["value"] for each in (forward, back)]
    assert found == pytest.approx([7 / 9, 2 / 9])
    assert "labels names 'no', but the labels" in refused("evaluate", path, "--labels", "no,yes")


def test_long_names_of_models_leave_room_for_all_digits(tmp_path: Path) -> None:
    table = pd.read_csv(EXAMPLE)
    names = {model: f"{model} of the second hospital" for model in ("forest", "bayes")}
    kept = ["truth", *(column for column in table if column.split(":")[0] in names)]
    renamed = {c: f"{names[c.split(':')[0]]}:{c.split(':')[1]}" for c in kept if ":" in c}
    path = tmp_path / "long.csv"
    table[kept].rename(columns=renamed).to_csv(path, index=False)
    found = document("compare", path, "-m", "hand_till")["comparison"]["differences"][0]
    shown = run("compare", path, "-m", "hand_till", "--all-pairs").stdout
    line = next(line for line in shown.splitlines() if line.startswith("hand_till  "))
    p = f"{found['p_value']:.4f}"
    limits = f"{found['low']:+.4f} … {found['high']:+.4f}"
    assert line.split(maxsplit=2)[1:] == [f"{found['difference']:+.4f}", f"{limits}  {p}    {p}"]
