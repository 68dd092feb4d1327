"""Cases with named columns, weights and groups, and every route by which they may come in."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from cli.running import run
from twins.metrics import aunp as aunp_twin
from twins.metrics import hand_till as hand_till_twin

import polyroc
from polyroc.display import PairwiseAucDisplay
from polyroc.errors import InvalidInput
from polyroc.readers import read_predictions
from polyroc.report._content import gather
from polyroc.scale import PairSummary, evaluate_dask, evaluate_parquet

METRICS = ["hand_till", "aunp"]


@dataclass(frozen=True)
class Cases:
    """Labels, a column of scores per class with its name, weights, groups."""

    y: list[Any]
    names: list[Any]
    p: np.ndarray
    w: list[float] | None = None
    g: list[Any] | None = None

    def rows(self, order: np.ndarray) -> "Cases":
        """The same cases in another order."""
        moved = {"y": [self.y[k] for k in order], "p": self.p[order]}
        for name, values in (("w", self.w), ("g", self.g)):
            moved[name] = None if values is None else [values[k] for k in order]
        return replace(self, **moved)

    def columns(self, order: list[int]) -> "Cases":
        """The columns in another order, each with its name."""
        return replace(self, names=[self.names[k] for k in order], p=self.p[:, order])

    def turned(self) -> "Cases":
        """The first column last."""
        return self.columns([*range(1, len(self.names)), 0])

    def frame(self) -> pd.DataFrame:
        """One table with all columns, as files have them."""
        columns = {f"p_{name}": self.p[:, k] for k, name in enumerate(self.names)}
        more = {"weight": self.w, "patient": self.g}
        given = {name: values for name, values in more.items() if values is not None}
        return pd.DataFrame({"y": self.y, **columns, **given})

    def scores(self) -> pd.DataFrame:
        """The table of scores alone."""
        return pd.DataFrame(self.p, columns=self.names)


def by_definition(cases: Cases) -> dict[str, float]:
    """Plain loops over pairs of cases; those of weight 0 are left out."""
    classes = sorted(cases.names)
    order = [cases.names.index(label) for label in classes]
    weights = [1.0] * len(cases.y) if cases.w is None else cases.w
    kept = [k for k, weight in enumerate(weights) if weight]
    codes = [classes.index(cases.y[k]) for k in kept]
    rows, w = cases.p[np.ix_(kept, order)].tolist(), [weights[k] for k in kept]
    return {
        "hand_till": hand_till_twin(codes, rows, w, len(classes)),
        "aunp": aunp_twin(codes, rows, w, len(classes)),
    }


def evaluated(y: Any, p: Any, w: Any, g: Any, **options: Any) -> dict[str, float]:
    """Values, and the standard error that groups decide."""
    found = polyroc.evaluate(y, p, METRICS, sample_weight=w, groups=g, **options)
    values = {metric: found[metric].value for metric in METRICS}
    return {**values, "error": found["hand_till"].standard_error}


def certified(found: Any) -> dict[str, float]:
    """Values whose bounds agree."""
    assert max(found[metric].width for metric in METRICS) < 1e-12
    return {metric: found[metric].low for metric in METRICS}


# Routes in memory


def arrays(cases: Cases, folder: Path) -> dict[str, float]:
    w, g = (None if v is None else np.array(v) for v in (cases.w, cases.g))
    return evaluated(np.array(cases.y), cases.p, w, g, labels=cases.names)


def lists(cases: Cases, folder: Path) -> dict[str, float]:
    return evaluated(cases.y, cases.p.tolist(), cases.w, cases.g, labels=cases.names)


def functions(cases: Cases, folder: Path) -> dict[str, float]:
    return {
        name: polyroc.registry[name].function(cases.y, cases.scores(), sample_weight=cases.w)
        for name in METRICS
    }


def pandas(cases: Cases, folder: Path) -> dict[str, float]:
    y = pd.Categorical(cases.y, sorted({*cases.y, *cases.names}, reverse=True))
    w, g = (None if v is None else pd.Series(v) for v in (cases.w, cases.g))
    return evaluated(y, cases.scores(), w, g)


def polars(cases: Cases, folder: Path) -> dict[str, float]:
    table = pl.DataFrame({str(name): cases.p[:, k] for k, name in enumerate(cases.names)})
    w, g = (None if v is None else pl.Series(v) for v in (cases.w, cases.g))
    return evaluated(pl.Series(cases.y), table, w, g)


def arrow(cases: Cases, folder: Path) -> dict[str, float]:
    table = pa.table({str(name): cases.p[:, k] for k, name in enumerate(cases.names)})
    w, g = (None if v is None else pa.array(v) for v in (cases.w, cases.g))
    return evaluated(pa.array(cases.y), table, w, g)


def summary(cases: Cases, folder: Path) -> dict[str, float]:
    made = PairSummary(sorted(cases.names))
    half, w = len(cases.y) // 2, cases.w
    for part in (slice(half), slice(half, None)):
        weights = None if w is None else w[part]
        made.update(cases.y[part], cases.scores()[part], weights)
    return certified(made.compute(METRICS))


class Fitted:
    """A classifier that gives the scores of the cases."""

    def __init__(self, cases: Cases) -> None:
        self.cases, self.classes_ = cases, np.array(cases.names)

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.cases.p


def scorer(cases: Cases, folder: Path) -> dict[str, float]:
    X = np.zeros((len(cases.y), 1))
    return {
        name: polyroc.scorers[name](Fitted(cases), X, cases.y, sample_weight=cases.w)
        for name in METRICS
    }


def display(cases: Cases, folder: Path) -> dict[str, float]:
    shown = PairwiseAucDisplay.from_predictions(cases.y, cases.scores(), sample_weight=cases.w)
    return {"hand_till": float(np.nanmean(shown.matrix))}


def compared(cases: Cases, folder: Path) -> dict[str, float]:
    """Beside a model whose columns are in another order."""
    models = {"turned": cases.turned().scores(), "m": cases.scores()}
    found = polyroc.compare(cases.y, models, METRICS, sample_weight=cases.w, groups=cases.g)
    assert all(row.difference == 0 for row in found.differences)
    return {metric: found.values[metric]["m"] for metric in METRICS}


def report(cases: Cases, folder: Path) -> dict[str, float]:
    models = {"turned": cases.turned().scores(), "m": cases.scores()}
    found = gather(cases.y, models, sample_weight=cases.w, groups=cases.g).models[1].evaluation
    values = {metric: found[metric].value for metric in METRICS}
    return {**values, "error": found["hand_till"].standard_error}


# Files


def written(cases: Cases, folder: Path, kind: str) -> Path:
    path, frame = folder / f"cases.{kind}", cases.frame()
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "npz":
        more = {"weight": cases.w, "patient": cases.g}
        given = {name: np.array(v) for name, v in more.items() if v is not None}
        np.savez(path, y=np.array(cases.y), m=cases.p, labels=np.array(cases.names), **given)
    else:
        pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=17)
    return path


def read(kind: str) -> Callable[[Cases, Path], dict[str, float]]:
    def route(cases: Cases, folder: Path) -> dict[str, float]:
        found = read_predictions(written(cases, folder, kind))
        (scores,) = found.models.values()
        options = {"labels": found.labels}
        return evaluated(found.y_true, scores, found.sample_weight, found.groups, **options)

    return route


def streamed(cases: Cases, folder: Path) -> dict[str, float]:
    weight = None if cases.w is None else "weight"
    path = written(cases, folder, "parquet")
    options: dict[str, Any] = {"target": "y", "sample_weight": weight, "metrics": METRICS}
    return certified(evaluate_parquet(path, exact=True, **options))


def dask(cases: Cases, folder: Path) -> dict[str, float]:
    frame = dd.from_pandas(cases.frame(), npartitions=3, sort=False)
    weight = None if cases.w is None else "weight"
    options: dict[str, Any] = {"target": "y", "sample_weight": weight, "metrics": METRICS}
    return certified(evaluate_dask(frame, exact=True, **options))


def command(*words: str, kind: str = "csv") -> Callable[[Cases, Path], dict[str, float]]:
    def route(cases: Cases, folder: Path) -> dict[str, float]:
        path = written(cases, folder, kind)
        result = run(words[0], path, *words[1:], "--metrics", ",".join(METRICS), "--json")
        if result.exit_code:
            assert result.exit_code == 2, result.output
            raise InvalidInput(result.stderr)
        (model,) = json.loads(result.stdout)["models"]
        found = {each["metric"]: each for each in model["metrics"]}
        values = {metric: found[metric]["value"] for metric in METRICS}
        return {**values, "error": found["hand_till"]["standard_error"]}

    return route


def command_compare(cases: Cases, folder: Path) -> dict[str, float]:
    path, other = written(cases, folder, "csv"), folder / "turned.csv"
    cases.turned().frame().to_csv(other, index=False)
    result = run("compare", path, other, "--metrics", ",".join(METRICS), "--json")
    if result.exit_code:
        assert result.exit_code == 2, result.output
        raise InvalidInput(result.stderr)
    found = json.loads(result.stdout)["comparison"]["values"]
    return {metric: found[metric]["cases"] for metric in METRICS}


ROUTES: dict[str, Callable[[Cases, Path], dict[str, float]]] = {
    "arrays": arrays,
    "lists": lists,
    "functions": functions,
    "pandas": pandas,
    "polars": polars,
    "arrow": arrow,
    "summary": summary,
    "scorer": scorer,
    "display": display,
    "compare": compared,
    "report": report,
    "csv": read("csv"),
    "parquet": read("parquet"),
    "npz": read("npz"),
    "streamed": streamed,
    "dask": dask,
    "command evaluate": command("evaluate"),
    "command evaluate, parquet": command("evaluate", kind="parquet"),
    "command compare": command_compare,
}
GROUPED = {"arrays", "lists", "pandas", "polars", "arrow", "compare", "report", "csv", "parquet"}
GROUPED |= {"npz", "command evaluate", "command evaluate, parquet", "command compare"}
"""Routes that take groups."""
