"""The same cases by every route: the same numbers, or the same error."""

import importlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from routes.cases import GROUPED, METRICS, ROUTES, Cases, by_definition

import polyroc
from polyroc.errors import PolyrocError

pytestmark = pytest.mark.system

RNG = np.random.default_rng(11)
CODES = np.arange(48) % 3
COUNTS = RNG.multinomial(100, [0.25, 0.35, 0.4], 48) + 8 * np.eye(3, dtype=int)[CODES]
P = COUNTS / COUNTS.sum(axis=1, keepdims=True)
P = np.round(P * 64) / 64  # ties, and bins of one value each
WEIGHTS = RNG.integers(0, 4, 48).astype(float).tolist()
PATIENTS = [f"patient {number}" for number in RNG.integers(0, 14, 48)]
WORDS, NUMBERS = ["low", "medium", "high"], [7, 3, 10]


def cases_of(names: list[Any]) -> Cases:
    return Cases([names[k] for k in CODES], names, P)


def arrangements() -> dict[str, Cases]:
    words, numbers = cases_of(WORDS), cases_of(NUMBERS)
    weighted = replace(words, w=WEIGHTS)
    grouped = replace(weighted, g=PATIENTS)
    moved = RNG.permutation(48)
    return {
        "words": words,
        "numbers": numbers,
        "weighted": weighted,
        "grouped": grouped,
        "rows moved": grouped.rows(moved),
        "columns moved": grouped.columns([2, 0, 1]),
        "all moved": grouped.rows(moved[::-1]).columns([1, 0, 2]),
        "numbers moved": replace(numbers, w=WEIGHTS, g=PATIENTS).columns([1, 2, 0]),
        "few groups": replace(words, g=[k % 4 for k in range(48)]),
    }


@pytest.mark.parametrize(
    "route", [pytest.param(name, marks=[pytest.mark.slow] * (name == "report")) for name in ROUTES]
)
def test_the_same_numbers(route: str, tmp_path: Path) -> None:
    for name, cases in arrangements().items():
        expected = by_definition(cases)
        found = ROUTES[route](cases, tmp_path)
        for metric in METRICS:
            if metric in found:
                assert found[metric] == pytest.approx(expected[metric], abs=1e-12), name
        if "error" in found:
            plain = ROUTES["lists"](cases, tmp_path)["error"]
            assert found["error"] == pytest.approx(plain, rel=1e-9), name


def spoiled() -> dict[str, tuple[Cases, tuple[str, ...]]]:
    """What is wrong with cases, and words of which each message has one."""
    cases = replace(cases_of(WORDS), w=WEIGHTS, g=PATIENTS)
    y, p = list(cases.y), cases.p.copy()
    y[5], p[7, 1] = "zebra", np.nan
    heavy = [-1.0, *WEIGHTS[1:]]
    absent = [k for k in range(48) if cases.y[k] != "high"]
    return {
        "a label without a column": (replace(cases, y=y), ("zebra",)),
        "a class without a column": (cases.columns([0, 1]), ("high",)),
        "a column with another name": (replace(cases, names=["low", "medium", "hihg"]), ("high",)),
        "a score that is missing": (replace(cases, p=p), ("nan", "no value", "null")),
        "a negative weight": (replace(cases, w=heavy), ("-1.0", "-1")),
        "a class without cases": (cases.rows(np.array(absent)), ("high",)),
    }


@pytest.mark.parametrize("route", ROUTES)
def test_the_same_errors(route: str, tmp_path: Path) -> None:
    for name, (cases, words) in spoiled().items():
        with pytest.raises(PolyrocError) as caught:
            ROUTES[route](cases, tmp_path)
        assert any(word in str(caught.value) for word in words), (name, str(caught.value))


@pytest.mark.parametrize("route", sorted(GROUPED))
def test_missing_groups(route: str, tmp_path: Path) -> None:
    for missing in ("", "NA"):
        groups = [*PATIENTS[:9], missing, *PATIENTS[10:]]
        with pytest.raises(PolyrocError, match=r"missing value in row 9|no value in row 9"):
            ROUTES[route](replace(cases_of(WORDS), g=groups), tmp_path)


@pytest.fixture
def torch() -> Any:
    if os.environ.get("POLYROC_REQUIRE_TORCH"):
        return importlib.import_module("torch")  # a missing torch is then a failure
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.mark.torch
def test_tensors(torch: Any, tmp_path: Path) -> None:
    for name, cases in arrangements().items():
        if not isinstance(cases.y[0], int):
            continue
        y, p = torch.tensor(cases.y), torch.tensor(cases.p)
        w = None if cases.w is None else torch.tensor(cases.w)
        expected = by_definition(cases)
        for metric in METRICS:
            function = polyroc.registry[metric].function
            found = function(y, p, labels=cases.names, sample_weight=w)
            assert found == pytest.approx(expected[metric], abs=1e-12), name
        plain = by_definition(replace(cases, w=None))
        on_device = polyroc.scale.torch.evaluate(y, p, METRICS, labels=cases.names)
        for metric in METRICS:
            assert on_device[metric].low == pytest.approx(plain[metric], abs=1e-12), name
