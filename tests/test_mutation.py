"""The tool that tries mutants: what it changes, what it leaves alone, and what it counts."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="mutants are tried in forked processes, unknown to Windows"
)


@pytest.fixture(autouse=True)
def _tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool lies beside the tests, not among them."""
    monkeypatch.syspath_prepend(str(ROOT / "proof"))


def texts_after(source: str) -> list[str]:
    """The code of each mutant of a piece of code."""
    population = import_module("mutation.population")
    data = source.encode()
    count = len(list(population.changes(ast.parse(data))))
    return [ast.unparse(population.mutated(data, number)) for number in range(count)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a + b", ["x = a - b"]),
        ("x = a ** b", ["x = a * b"]),
        ("x += y", ["x -= y", "pass"]),
        ("x = a < b", ["x = a <= b", "x = a >= b"]),
        (
            "x = a < b <= c",
            ["x = a <= b <= c", "x = a >= b <= c", "x = a < b < c", "x = a < b > c"],
        ),
        ("x = a is None", ["x = a is not None"]),
        ("x = a and b", ["x = a or b"]),
        ("x = not a", ["x = a"]),
        ("x = -a", ["x = a"]),
        ("x = 3", ["x = 4", "x = -3"]),
        ("x = 0", ["x = 1"]),
        ("x = 0.5", ["x = 1.0", "x = -0.5"]),
        ("x = a[-1]", ["x = a[1]", "x = a[-2]"]),
        ("x = True", ["x = False"]),
        ("x = np.nan", ["x = 0.0"]),
        ("x = b if a else c", ["x = b if True else c", "x = b if False else c"]),
        ("x = [b for b in a if b]", ["x = [b for b in a]"]),
        ("x = max(a, b)", ["x = min(a, b)"]),
        ("x = a.sum(axis=1)", ["x = a.sum()", "x = a.mean(axis=1)", "x = a.sum(axis=0)"]),
        ("x = zip(a, strict=True)", ["x = zip(a, strict=False)"]),
        ("x = a[b:]", ["x = a[b + 1:]", "x = a[b:-1]"]),
        ("x = f(a, side='left')", ["x = f(a)", "x = f(a, side='right')"]),
        ("x[a] = b", ["pass"]),
        ("f(a)", ["pass"]),
        ("if a:\n    f(b)", ["if True:\n    f(b)", "if False:\n    f(b)"]),
        ("x = abs(a)", ["x = a"]),
    ],
)
def test_operators(source: str, expected: list[str]) -> None:
    assert texts_after(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A text."""',
        "from a import b",
        "__all__ = ['left', 'right']",
        "x: Literal[1, 2]",
        "x: TypeAlias = a | b",
        "def f(a: Literal[1]) -> Literal[2]:\n    return a",
        "x = f'{a + 1}'",
        "if TYPE_CHECKING:\n    x = 1",
    ],
)
def test_prose_and_types_stay(source: str) -> None:
    assert texts_after(source) == []


def test_the_message_of_an_error_stays_but_not_the_error() -> None:
    assert texts_after("def f():\n    raise E(f'{a}' + 'b')") == ["def f():\n    pass"]


def test_each_mutant_is_other_code_with_a_name_of_its_own() -> None:
    population = import_module("mutation.population")
    path = ROOT / "src" / "polyroc" / "statistics" / "means.py"
    mutants = list(population.mutants_of(path))
    trees = {ast.dump(population.mutated(path.read_bytes(), each.number)) for each in mutants}
    assert len(trees) == len(mutants) > 10
    assert ast.dump(ast.parse(path.read_bytes())) not in trees
    assert len({each.key for each in mutants}) == len(mutants)
    assert all(len(each.before) < 300 and each.before != each.after for each in mutants)


@pytest.mark.system
def test_samples_are_nested_and_differ_by_seed() -> None:
    population = import_module("mutation.population")
    mutants = population.population()
    assert {each.package for each in mutants} == {
        "metrics",
        "statistics",
        "inference",
        "surface",
        "utility",
        "scale",
        "readers",
        "report",
    }
    few, many = (population.sample(mutants, size, 0) for size in (20, 200))
    assert few == many[:20]
    assert len({each.key for each in many}) == 200
    assert population.sample(mutants, 20, 1) != few
    assert population.sample(mutants[::-1], 20, 0) == few


@pytest.mark.system
def test_a_sample_of_each_package_is_the_beginning_of_its_mutants() -> None:
    population, command = (import_module(f"mutation.{name}") for name in ("population", "command"))
    asked = command._parser().parse_args(["--sample", "30", "--each", "readers", "report"])
    mutants = population.population()
    drawn = command._drawn(mutants, asked)
    assert [each.package for each in drawn] == ["readers", "report"] * 30, "in turn"
    own = [each for each in mutants if each.package == "report"]
    assert drawn[1::2] == population.sample(own, 30, 0)
    within = command._drawn(mutants, command._parser().parse_args(["--each", "surface/models"]))
    assert {Path(each.file).parent.name for each in within} == {"models"}
    assert {each.package for each in within} == {"surface"} and len(within) == 300


def test_a_mutant_keeps_its_name_when_code_before_it_changes(tmp_path: Path) -> None:
    population = import_module("mutation.population")
    path = tmp_path / "code.py"
    path.write_text("def f(a, b):\n    return a + b\n")
    (alone,) = population.mutants_of(path)
    path.write_text("c = 1\n\n\ndef f(a, b):\n    return a + b\n")
    assert alone.key in {each.key for each in population.mutants_of(path)}


def test_wilson_interval() -> None:
    """Newcombe 1998, table I: 81 of 263, and 0 of 20."""
    wilson = import_module("mutation.record").wilson
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)


def test_counts_and_survivors(monkeypatch: pytest.MonkeyPatch) -> None:
    population, record, trial = (
        import_module(f"mutation.{name}") for name in ("population", "record", "trial")
    )
    mutants = list(population.mutants_of(ROOT / "src" / "polyroc" / "statistics" / "means.py"))[:4]
    verdicts = ["killed", "timed out", "survived", "not reached"]
    found = {
        each.key: trial.Trial(each.key, verdict, None, 1.0, 1, 0)
        for each, verdict in zip(mutants, verdicts, strict=True)
    }
    monkeypatch.setattr(record, "reasons", lambda: {mutants[2].key: "equivalent: so"})
    rows, lost = record.table(mutants, found), record.survivors(mutants, found)
    assert [(row["package"], row["mutants"], row["share"]) for row in rows] == [
        ("statistics", 4, 0.5),
        ("all", 4, 0.5),
    ]
    assert [each["mutant"] for each in lost] == [mutants[2].key, mutants[3].key]
    assert [each["reason"] for each in lost] == ["equivalent: so", None]
    assert record.without_equivalents(rows, lost)["share"] == round(2 / 3, 4)


def test_reasons_are_given_in_known_words() -> None:
    for mutant, reason in import_module("mutation.record").reasons().items():
        assert mutant.startswith("src/polyroc/")
        kind = reason.partition(": ")[0]
        assert kind in ("equivalent", "speed only", "message only", "left out", "gap"), reason


TRIALS = """
import json, sys
sys.path[:0] = [{root!r} + "/proof", {root!r} + "/src"]
from mutation import trial
from mutation.mapping import Reach
from mutation.population import mutants_of
from mutation.places import ROOT
trial.GRACE, trial.HEAVY = 15, ""
trial.warm_up()
path = ROOT / "src/polyroc/metrics/ordinal.py"
doctest = "src/polyroc/metrics/ordinal.py::polyroc.metrics.ordinal.ordinal_vus"
plan = trial.Plan((Reach(doctest, 0.1, False, {{}}),))
wanted = [None, *list(mutants_of(path))[::{step}]]
print(json.dumps([each.to_dict() for each in trial.trials([(m, plan) for m in wanted], 2)]))
"""


@pytest.mark.system
@pytest.mark.parametrize("step", [8, pytest.param(3, marks=pytest.mark.slow)])
def test_trials_of_a_file(step: int) -> None:
    """The code as it is passes its doctest, some mutants do not, and no file is changed."""
    path = ROOT / "src" / "polyroc" / "metrics" / "ordinal.py"
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", TRIALS.format(root=str(ROOT), step=step)],
        capture_output=True,
        check=True,
    )
    trials = {each["key"]: each["verdict"] for each in json.loads(done.stdout)}
    assert trials.pop("unchanged") == "survived"
    assert set(trials.values()) <= {"killed", "survived"}
    assert "killed" in trials.values()
    assert path.read_bytes() == before
