"""The page of ten learners: its tables and sentences, counted again from the committed values."""

import csv
import importlib.util
import re
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

ROOT = Path(__file__).parents[1]
LEARNERS = ROOT / "proof" / "learners"
sys.path.append(str(LEARNERS))  # where the command finds itself

import counting  # noqa: E402
import tables  # noqa: E402
import writing  # noqa: E402
from picture import APART, apart  # noqa: E402
from tables import read  # noqa: E402

pytestmark = pytest.mark.system

PAGE = (ROOT / "docs" / "learners.md").read_text(encoding="utf-8")
FLAT = " ".join(PAGE.split())
RANKS = "hand_till", "au1p", "aunu", "aunp", "auc_mu", "pdi"
SIZES = "hand_till_probabilistic", "hand_till_scored", "total_length"


def rows_of(name: str) -> list[dict[str, str]]:
    with (ROOT / "docs" / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


VALUES, TESTS = rows_of("learners.csv"), rows_of("learners_tests.csv")


def test_the_page_is_that_of_the_tables() -> None:
    told = re.search(r"same predictions, by (.*?)\. These functions", FLAT)
    assert told
    versions = dict(each.rsplit(" ", 1) for each in told[1].split(", "))
    assert writing.page(*read(ROOT / "docs" / "data"), versions) == PAGE


def test_a_package_that_was_not_installed_is_named() -> None:
    values, tests = read(ROOT / "docs" / "data")
    versions = {"scikit-learn": "1", "torchmetrics": "1"}
    page = " ".join(writing.page(values.drop(columns="lightgbm"), tests, versions).split())
    assert "Not installed, so left out: lightgbm." in page
    assert "LightGBM" not in page and "Not installed" not in PAGE


def test_the_command_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("command", LEARNERS / "__main__.py")
    command = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(command)
    written: list[dict[str, Any]] = []
    few = {name: command.learners()[name] for name in ("naive Bayes", "linear discriminant")}
    iris = command.Problem.of(*load_iris(return_X_y=True))
    monkeypatch.setattr(command, "problems", lambda _: {"iris": iris, "again": iris})
    monkeypatch.setattr(command, "learners", lambda: few)
    monkeypatch.setattr(command, "write", lambda results, _: written.append(results))
    arguments = ["learners", "--cache", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [*arguments, "--only", "iris"])
    assert command.main() == 0
    assert "\n1 data sets are done; the page is written when all are." in capsys.readouterr().out
    (tmp_path / "again.json").write_bytes((tmp_path / "iris.json").read_bytes())
    monkeypatch.setattr(command, "result", None)  # nothing is left to compute
    monkeypatch.setattr(sys, "argv", arguments)
    assert command.main() == 0
    (results,) = written
    values, tests = tables.values_of(results), tables.tests_of(results)
    assert set(values["learner"]) == set(few) == {*tests["model_a"], *tests["model_b"]}
    assert counting.agreement(values)["largest"].max() < 1e-5


def test_the_table_is_complete_and_its_values_lie_in_their_intervals() -> None:
    data, learners = ({row[name] for row in VALUES} for name in ("data", "learner"))
    assert len(data) == 10 and len(learners) == 10
    found = defaultdict(set)
    for row in VALUES:
        found[row["data"], row["learner"]].add(row["metric"])
        if row["metric"] not in ("accuracy", "log_loss"):
            assert float(row["low"]) <= float(row["value"]) <= float(row["high"]), row
            assert float(row["low"]) < float(row["high"]), row
    assert len(found) == 100
    assert all(has >= {*RANKS, *SIZES, "accuracy", "log_loss"} for has in found.values())
    classes = sorted({int(row["classes"]) for row in VALUES})
    assert f"{classes[0]} to {classes[-1]} classes" in FLAT


def test_other_packages_report_the_same_values() -> None:
    """Of scikit-learn and torchmetrics all; LightGBM's ties differ for confident learners."""
    for row in VALUES:
        for peer, allowed in (("scikit-learn", 2e-6), ("torchmetrics", 1e-5), ("lightgbm", 0.01)):
            if row[peer] and row["value"]:
                assert abs(float(row[peer]) - float(row["value"])) <= allowed, row
    given = [row for row in VALUES if row["lightgbm"]]
    near = [row for row in given if abs(float(row["lightgbm"]) - float(row["value"])) < 1e-5]
    assert f"| lightgbm | `auc_mu` | {len(given)} | {len(near)} |" in PAGE


def best_by() -> dict[str, dict[str, set[str]]]:
    """The best learners of a data set by each metric, in a plain loop."""
    held: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in VALUES:
        sign = -1 if row["metric"] == "log_loss" else 1
        held[row["data"], row["metric"]][row["learner"]] = sign * float(
            row["value"] or row["scikit-learn"]
        )
    found: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for (data, metric), values in held.items():
        most = max(values.values())
        found[data][metric] = {name for name, value in values.items() if value == most}
    return found


def test_best_learners_are_counted_correctly() -> None:
    best = best_by().values()
    same = sum(all(each[m] == each["hand_till"] for m in RANKS) for each in best)
    every = (*RANKS, *SIZES, "accuracy", "log_loss")
    all_of_them = sum(all(each[m] == each["hand_till"] for m in every) for each in best)
    accuracy = sum(each["accuracy"] != each["hand_till"] for each in best)
    sizes = sum(any(each[m] != each["hand_till"] for m in SIZES) for each in best)
    assert f"the same best learner on {same} of 10 data sets; all eleven" in FLAT
    assert f"all eleven of the picture on {all_of_them}." in FLAT
    assert f"another best learner than M on {accuracy} of 10 data sets" in FLAT
    assert f"(M_p, M_s, TL) on {sizes}." in FLAT
    assert f"name another best learner than M on {sizes} of 10 data sets." in FLAT


def test_mean_ranks_differ_as_much_as_the_page_says() -> None:
    """Ranks of a plain loop: one more than the number of better ones, and half of the tied."""
    held: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in VALUES:
        if row["metric"] in (*RANKS, *SIZES):
            held[row["data"], row["metric"]][row["learner"]] = float(row["value"])
    ranks: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (_, metric), values in held.items():
        for learner, own in values.items():
            others = [value for name, value in values.items() if name != learner]
            place = 1 + sum(each > own for each in others) + sum(each == own for each in others) / 2
            ranks[learner, metric].append(place)
    means = {key: sum(found) / 10 for key, found in ranks.items()}
    learners = {learner for learner, _ in means}
    of_ranks = max(
        max(means[name, m] for m in RANKS) - min(means[name, m] for m in RANKS) for name in learners
    )
    far = {
        name: max(abs(means[name, m] - means[name, "hand_till"]) for m in SIZES)
        for name in learners
    }
    most = max(far, key=lambda name: far[name])
    assert f"differ by at most {of_ranks:.1f} between the six metrics of ranks" in FLAT
    assert f"by up to {far[most]:.1f} ({most}) between M and a metric of the sizes" in FLAT


def test_pairs_that_metrics_order_differently_are_counted_correctly() -> None:
    pairs: dict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
    for row in TESTS:
        key = row["data"], row["model_a"], row["model_b"]
        pairs[key].append((float(row["difference"]), float(row["p_adjusted"])))
    decided = differ = one = both = 0
    for found in pairs.values():
        decided += any(p < 0.05 for _, p in found)
        apart = [(p, q) for (a, p), (b, q) in combinations(found, 2) if a * b < 0]
        differ += bool(apart)
        one += any(min(two) < 0.05 for two in apart)
        both += any(max(two) < 0.05 for two in apart)
    assert 10 * 45 - 3 <= len(pairs) <= 10 * 45  # three learners make no error on Shuttle
    assert f"Of {len(pairs)} pairs of learners that are not equal in every fold" in FLAT
    assert f"of a data set, {decided} differ significantly by some metric." in FLAT
    assert f"order {differ} of {len(pairs)} pairs of learners differently, and none of" in FLAT
    assert both == 0
    assert f"Two metrics order {differ} of the pairs differently." in FLAT
    assert f"In {one} of these one of the two finds its own order significant, in {both}" in FLAT


def test_names_in_the_picture_are_kept_apart() -> None:
    places = np.random.default_rng(0).uniform(1, 10, 10)
    moved = apart(places)
    assert (np.argsort(moved) == np.argsort(places)).all()
    assert np.diff(np.sort(moved)).min() >= APART - 1e-6
