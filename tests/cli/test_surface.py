"""``polyroc surface``: search, choice, files."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.running import EXAMPLE, FOUR_CASES, document, refused, run, written

from polyroc.cli.surface import parsed_limit
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput
from polyroc.surface import RocSurface

pytestmark = pytest.mark.system

QUICK = ("--model", "forest", "--generations", "5", "--seed", "1")


def test_size_volume_and_points_are_those_of_the_surface(tmp_path: Path) -> None:
    path = tmp_path / "surface.npz"
    made = document("surface", EXAMPLE, *QUICK, "--knee", "-o", path)["surface"]
    surface = RocSurface.load(path)
    assert made["points"] == len(surface)
    assert made["gini"]["value"] == surface.gini(rng=1).value
    criteria = "total_error", "farthest_from_chance", "knee"
    for point, criterion in zip(made["operating_points"], criteria, strict=True):
        seed = {"rng": 1} if criterion == "knee" else {}
        chosen = surface.choose(criterion=criterion, **seed)  # type: ignore[call-overload]
        assert point["criterion"] == chosen.criterion and point["value"] == chosen.value
        assert point["index"] == chosen.index
        assert np.array_equal(point["confusion"], chosen.confusion)
        assert np.array_equal(point["costs"], chosen.costs)


@pytest.mark.parametrize("columns", [80, 50, 24])
def test_prints_the_point_within_limits(columns: int) -> None:
    limit = ("--limit", "rare>common=0.3", "--limit", "common > rare = 0.1")
    result = run("surface", EXAMPLE, *QUICK, *limit, columns=columns)
    assert result.exit_code == 0, result.stderr
    words = " ".join(result.stdout.split())
    assert "Read as: true classes in 'truth'; scores in 'forest:common'" in words
    assert "operating points on the surface (5 generations, seed 1; G may still grow)" in words
    assert "exact, on the cases searched)" in words and "total error" in words
    assert "(95 % interval 0." in words
    assert columns < 80 or "decisions, largest 1 (only their ratios" in words
    assert max(map(len, result.stdout.splitlines())) <= columns


def test_notes_are_lines_and_groups_that_are_not_used_are_one(tmp_path: Path) -> None:
    lines = Path(EXAMPLE).read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{number // 2}" for number, line in enumerate(lines[1:301])]
    path = written(tmp_path, "\n".join([f"{lines[0]},patient", *rows]) + "\n")
    result = run("surface", path, *QUICK, "--knee")
    assert result.exit_code == 0, result.stderr
    assert "\\n" not in result.stdout
    words = " ".join(result.stdout.split())
    assert "Note. Intervals treat cases as independent, also those with the same 'patient'" in words
    assert "Intervals treat cases" not in run("surface", EXAMPLE, *QUICK).stdout
    assert re.search(r"marginal utility \S*[1-9]", words)


def test_limits_that_nothing_keeps_are_code_1(tmp_path: Path) -> None:
    limits = ("--limit", "rare>common=0", "--limit", "rare>frequent=0", "--limit")
    message = refused(
        "surface", EXAMPLE, *QUICK, *limits, "common>rare=0", "-o", tmp_path / "s.npz", code=1
    )
    assert re.search(r"No operating point keeps the rate of 'rare' decided as '\w+' at", message)
    assert not list(tmp_path.iterdir())


def test_a_misspelt_class_of_a_limit_is_asked_about() -> None:
    asked = "does not name two of the classes 'common', 'frequent', 'rare'. Did you mean 'common'?"
    assert asked in refused("surface", EXAMPLE, *QUICK, "--limit", "rare>comon=0.05")
    assert "Did you mean" not in refused("surface", EXAMPLE, *QUICK, "--limit", "rare>x=0.05")


@pytest.mark.parametrize(
    "costs",
    [
        [[0, 1, 1], [1, 0, 1], [10, 10, 0]],
        {
            "common": {"frequent": 1, "rare": 1},
            "frequent": {"common": 1, "rare": 1},
            "rare": {"common": 10, "frequent": 10},
        },
        {"rare": {"common": 10, "frequent": 10}},
    ],
    ids=["rows", "names", "some names"],
)
def test_costs_from_a_file(costs: Any, tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(costs), "costs.json")
    (point,) = document("surface", EXAMPLE, *QUICK, "--costs", path)["surface"]["operating_points"]
    assert point["criterion"] == "expected cost"
    priors = np.array([440, 350, 60]) / 850
    table = np.array([[0, 1, 1], [1, 0, 1], [10, 10, 0]])
    expected = (priors[:, None] * table * point["confusion"]).sum()
    assert point["value"] == pytest.approx(expected, rel=1e-12)
    assert point["costs_asked"] == table.tolist()


def test_a_file_that_is_read_is_not_written(tmp_path: Path) -> None:
    """Nor is one file written twice; whatever it is called."""
    costs = written(tmp_path, '{"rare": {"common": 10}}', "c.json")
    example, both = tmp_path / "example.csv", tmp_path / "z.npz"
    example.write_bytes(Path(EXAMPLE).read_bytes())
    (tmp_path / "link.csv").symlink_to(example)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for arguments, pair in (
        (("--costs", costs, "-o", costs), "--costs and --output"),
        (("--costs", costs, "--checkpoint", costs), "--costs and --checkpoint"),
        (("-o", both, "--checkpoint", both), "--checkpoint and --output"),
        (("-o", both, "--checkpoint", f"{tmp_path}/./z.npz"), "--checkpoint and --output"),
        (("-o", tmp_path / "link.csv"), "FILE and --output"),
        (("--checkpoint", example), "FILE and --checkpoint"),
    ):
        message = refused("surface", example, *QUICK, *arguments)
        assert f"{pair} are the same file" in message
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as JSON"),
        ("[[0, 1], [1, 0]]", "a row and a column for each of the 3 classes"),
        ('{"rare": {"odd": 1}}', "'odd' is not a class"),
        ('{"rare": 3}', "does not contain costs"),
        ('[[0, "x", 1], [1, 0, 1], [1, 1, 0]]', "Write {truth: {decided: cost}}"),
        ("[[0, -1, 1], [1, 0, 1], [1, 1, 0]]", "finite non-negative numbers"),
    ],
)
def test_costs_that_are_none(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, text, "costs.json")
    assert message in refused("surface", EXAMPLE, *QUICK, "--costs", path)


def test_limits_are_read_by_the_names_of_the_classes() -> None:
    assert parsed_limit("a>b=0.05", ("a", "b")) == {("a", "b"): 0.05}
    assert parsed_limit("a>b>c=1", ("a>b", "c")) == {("a>b", "c"): 1.0}
    assert parsed_limit("x=1>2=.5", ("x=1", "2")) == {("x=1", "2"): 0.5}
    assert parsed_limit("1>2=0", (1, 2)) == {(1, 2): 0.0}
    for text in ("a", "a>b", "a>b=x", "a>b=1.5", "a=1", "a>z=1"):
        with pytest.raises(InvalidInput):
            parsed_limit(text, ("a", "b"))


def test_scores_that_are_no_probabilities(tmp_path: Path) -> None:
    path = written(tmp_path, "y,p_a,p_b\na,3,1\nb,1,4\n")
    assert "needs probabilities" in refused("surface", path, "--generations", "2", code=1)
    assert run("surface", path, "--generations", "2", "--normalize").exit_code == 0


@pytest.mark.parametrize("model", ["knn", "mlp", "linear"])
def test_models_of_features(model: str, tmp_path: Path) -> None:
    X, y = three_class_mixture((20, 20, 20), rng=1)
    lines = [f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    path = written(tmp_path, "\n".join(["u,v,class", *lines]) + "\n")
    options = ("--features", "--model", model, "--generations", "3", "--seed", "1")
    made = document("surface", path, *options)
    assert made["surface"]["model"] == model
    assert made["input"]["files"][0]["features"] == ["u", "v"]


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_CASES)
    assert "Choose one with --model." in refused("surface", EXAMPLE)
    assert "--columns cannot be combined" in refused(
        "surface", path, "--features", "--columns", "a,b"
    )
    assert "--drop cannot be combined" in refused("surface", path, "--drop", "p_a")
    assert "knn, mlp or linear" in refused("surface", path, "--features", "--model", "tree")


def test_a_checkpoint_goes_on_and_another_search_is_refused(tmp_path: Path) -> None:
    command = ("surface", EXAMPLE, "--model", "forest", "--seed", "1")
    checkpoint = ("--checkpoint", tmp_path / "c.npz")
    document(*command, "--generations", "2", *checkpoint)
    resumed = document(*command, "--generations", "5", *checkpoint)
    assert resumed == document(*command, "--generations", "5")
    other = ("surface", EXAMPLE, "--model", "bayes", "--seed", "1", "--generations", "5")
    assert "belongs to a search with different data" in refused(*other, *checkpoint)
