"""Results as two tables: values with intervals beside peers, and tests of pairs of learners."""

from pathlib import Path
from typing import Any

import pandas as pd

VALUES, TESTS = "learners.csv", "learners_tests.csv"
DIGITS = 6


def values_of(results: dict[str, Any]) -> pd.DataFrame:
    """A row per data set, learner and metric; those of peers alone have no value of polyroc."""
    rows = []
    for data, found in results.items():
        size = {"data": data, "cases": found["cases"], "classes": found["classes"]}
        for learner, estimates in found["values"].items():
            own = {each["metric"]: each for each in estimates}
            told = found["peers"][learner]
            for metric in dict.fromkeys([*own, *(name for peer in told.values() for name in peer)]):
                peers = {peer: given.get(metric) for peer, given in told.items()}
                rows.append({**size, "learner": learner, "metric": metric, **own.get(metric, {}),
                             **peers})  # fmt: skip
    return pd.DataFrame(rows)


def tests_of(results: dict[str, Any]) -> pd.DataFrame:
    """A row per data set, metric and pair of learners, where there is a test."""
    kept = ["metric", "model_a", "model_b", "difference", "p_adjusted"]
    tables = [pd.DataFrame(found["tests"])[kept].assign(data=data)
              for data, found in results.items()]  # fmt: skip
    return pd.concat(tables).dropna(subset="p_adjusted")[["data", *kept]]


def keep(results: dict[str, Any], folder: Path) -> None:
    """Write both."""
    for name, table in ((VALUES, values_of(results)), (TESTS, tests_of(results))):
        table.to_csv(folder / name, index=False, float_format=f"%.{DIGITS}g")


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both, as they were written."""
    values, tests = (pd.read_csv(folder / name) for name in (VALUES, TESTS))
    return values, tests
