"""The documents of ``--json`` hold what docs/json.md says, no more and no less."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.running import EXAMPLE, document, refused, run, written
from documents import validate

import polyroc
from polyroc._version import __version__
from polyroc.cli import main
from polyroc.cli.documents import SCHEMA_VERSION
from polyroc.cli.schema import schema_names, schema_of
from polyroc.datasets import three_class_mixture

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
TYPES = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "number": (int, float),
    "label": (str, int, bool),
    "null": type(None),
    "object": dict,
    "array": list,
}


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    X, y = three_class_mixture((30, 30, 20), rng=1)
    rows = [f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    return written(tmp_path_factory.mktemp("json"), "\n".join(["u,v,class", *rows]) + "\n")


def command_line(command: str, features: Path) -> tuple[object, ...]:
    """A command whose document has something of everything."""
    learners = ("--learners", "logistic,shrunken")
    tests = ("--pairs", "--against", 0.8, "--alternative", "noninferior", "--margin", 0.1)
    prices = ("--prices", "common=1,frequent=1,rare=2")
    required = ("--model", "forest", "--min", "hand_till=0.5", "--max-drop", 0.1)
    costs = features.with_name("costs.json")
    costs.write_text('{"rare": {"common": 10}}')
    table = pd.read_csv(EXAMPLE).rename_axis("id")
    sliced = features.with_name("sliced.csv")
    table.assign(site=np.where(table.index < 3, "c", np.where(table.index % 2, "a", "b"))).to_csv(
        sliced
    )
    numbered = features.with_name("numbered.csv")
    by = ("--by", "site")
    pd.read_csv(sliced, index_col="id").iloc[::5].assign(
        site=lambda t: np.where(t.index < 12, "c", t["site"])
    ).to_csv(numbered)
    return {
        "evaluate": (
            "evaluate",
            numbered,
            numbered,
            "--id",
            "id",
            "-m",
            "all",
            "--model",
            "forest",
            *tests,
            *by,
        ),
        "compare": ("compare", numbered, numbered, "--id", "id", "-m", "hand_till", *by),
        "calibration": ("calibration", numbered, numbered, "--id", "id", "--model", "forest"),
        "check": ("check", numbered, "--id", "id", "--baseline", numbered, *required),
        "plan": ("plan", EXAMPLE, "--models", "forest,bayes", "--power", 0.8, *prices),
        "study": ("study", features, "--splits", 2, "-m", "hand_till,roc_auc", *learners),
        "reader-study": ("reader-study", *reader_study_file(features.parent)),
        "surface": ("surface", EXAMPLE, "--model", "forest", "--generations", 2, "--costs", costs),
    }[command]


def reader_study_file(folder: Path) -> tuple[object, ...]:
    """A file in which every case is read correctly once, for a note, and the options to read it."""
    rows = [
        f"{case},{reader},{modality},{case % 2},{case % 2 if reader == 'A' else case * 7 % 5}"
        for case in range(12)
        for reader in "AB"
        for modality in ("ct", "mr")
    ]
    text = "\n".join(["case,reader,modality,truth,rating", *rows]) + "\n"
    return written(folder, text, "readings.csv"), "--rating", "rating"


def described(heading: str) -> dict[str, set[str]]:
    """Paths and their types, from the table of a section of the page."""
    text = PAGE.read_text(encoding="utf-8")
    section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert section is not None
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", section[1], re.M)
    return {path: set(kinds.strip().split(",")[0].split(" or ")) for path, kinds in rows}


def found(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a document with its path; names that depend on the data are ``*``."""
    if path:
        yield path, value
    if isinstance(value, dict) and not path.endswith(".settings"):
        free = path.endswith((".scores", ".counts")) or ".values" in path
        for key, inner in value.items():
            yield from found(inner, f"{path}.{'*' if free else key}".strip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from found(inner, f"{path}[]")


@pytest.mark.parametrize(
    "command",
    ["evaluate", "compare", "calibration", "check", "plan", "reader-study", "study", "surface"],
)
def test_the_page_describes_the_document(command: str, features: Path) -> None:
    made = document(*command_line(command, features))
    assert made["schema"] == f"polyroc {command} {SCHEMA_VERSION}"
    assert made["polyroc"] == __version__
    shared = described("Every document")
    known = shared | described(f"`{command}`")
    seen = set()
    for path, value in found(made):
        assert path in known, f"{path} is not on the page"
        assert any(isinstance(value, TYPES[kind]) for kind in known[path]), (path, value)
        seen.add(path)
    assert not known.keys() - shared.keys() - seen, "on the page only"


def test_the_page_describes_the_document_of_streaming(tmp_path: Path) -> None:
    table = pd.DataFrame({"y": ["a", "b"] * 5, "p_a": np.linspace(0, 1, 10)})
    table.assign(p_b=1 - table["p_a"]).to_parquet(tmp_path / "cases.parquet")
    made = document("evaluate", tmp_path / "cases.parquet", "--streaming", "--target", "y")
    known = described("`evaluate --streaming`")
    for path, value in found(made):
        path = path.replace("counts.a", "counts.*").replace("counts.b", "counts.*")
        assert any(isinstance(value, TYPES[kind]) for kind in known[path]), (path, value)


def test_what_the_page_says_of_every_document_occurs(features: Path) -> None:
    documents = [document(*command_line(each, features)) for each in ("evaluate", "study")]
    seen = {path for made in documents for path, _ in found(made)}
    assert described("Every document").keys() <= seen


def test_every_document_has_a_schema() -> None:
    """Each command with --json, and each name that a document is printed under."""
    source = Path(polyroc.__file__).parent / "cli"
    commands = {
        name
        for name, command in main.commands.items()
        if any("--json" in parameter.opts for parameter in command.params)
    }
    printed = set()
    for path in source.glob("*.py"):
        printed |= set(re.findall(r'print_document\("([\w-]+)"', path.read_text()))
    assert commands <= printed and printed == set(schema_names())


def test_schema_prints_what_documents_are_validated_by(features: Path) -> None:
    from jsonschema import Draft202012Validator

    everything = json.loads(run("schema").stdout)
    valid = Draft202012Validator(everything)
    made = document("evaluate", EXAMPLE, "-m", "hand_till")
    assert valid.is_valid(made)
    for name in schema_names():
        single = json.loads(run("schema", name).stdout)
        assert single == everything["$defs"][name] == schema_of(name)
        Draft202012Validator.check_schema(single)
        own = single["properties"]["schema"]
        assert own["description"] == f"`{own['const']}`" == f"`polyroc {name} {SCHEMA_VERSION}`"
        assert Draft202012Validator(single).is_valid(made) == (name == "evaluate")
    assert "Did you mean 'evaluate'?" in refused("schema", "evaluat")
    made["models"][0]["level"] = "95 %"
    assert not valid.is_valid(made)
    made["models"][0]["level"], made["new"] = 0.95, 1
    assert valid.is_valid(made)  # later versions may add fields
    with pytest.raises(AssertionError, match="'new' was unexpected"):
        validate("evaluate", json.dumps(made))
    del made["new"], made["models"][0]["metrics"][0]["value"]
    with pytest.raises(AssertionError, match="'value' is a required property"):
        validate("evaluate", json.dumps(made))


def test_numbers_that_do_not_exist_are_null(features: Path) -> None:
    made = document("evaluate", EXAMPLE, "-m", "roc_auc,hand_till", "--model", "forest")
    first = made["models"][0]["metrics"][0]
    assert (first["metric"], first["value"], first["low"]) == ("roc_auc", None, None)
    assert "NaN" not in json.dumps(made)
