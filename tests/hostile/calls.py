"""Public functions with arguments that work, any one of which is then replaced by something odd.

Parameters are found in the signatures, so that a new one is tried without being listed.
"""

import inspect
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hostile import seeds
from sklearn.naive_bayes import GaussianNB

import polyroc
from polyroc.readers import read_features, read_predictions
from polyroc.scale import PairSummary, compare_parquet, evaluate_parquet
from polyroc.surface import LinearModel, RocSurface, ScoreModel, search

Y, P, X, Y_OF_X = (each.tolist() for each in (seeds.Y, seeds.P, seeds.X, seeds.Y_OF_X))

LONG = frozenset(
    [
        "n_replicates",
        "replicates",
        "n_tuples",
        "n_samples",
        "n_splits",
        "generations",
        "costs_per_generation",
        "islands",
    ]
)
"""Parameters that say how much work is to be done."""


def takes_long(parameter: str, value: Any) -> bool:
    """Whether a value asks for much work, and may."""
    try:
        return parameter in LONG and 1000 < float(value) <= 10**9
    except Exception:
        return False


class Call(NamedTuple):
    """A function, arguments that it takes, and parameters that are not for this test.

    Those take code of the user, such as learners, or files, which other tests make up.
    """

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    spared: tuple[str, ...] = ()

    @property
    def parameters(self) -> list[str]:
        """What may be replaced."""
        kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        given = inspect.signature(self.function).parameters.values()
        names = [each.name for each in given if each.kind not in kinds]
        return [name for name in names if name not in self.spared]

    def with_odd(self, parameter: str, value: Any) -> Callable[[], Any]:
        """The call with one argument replaced."""
        return lambda: repr(self.function(**{**self.arguments, parameter: value}))


@cache
def folder() -> Path:
    """Where the files lie that functions read; it goes with the process."""
    made = tempfile.TemporaryDirectory()
    _kept.append(made)
    return Path(made.name)


_kept: list[Any] = []


@cache
def file_of(kind: str) -> Path:
    """A valid file."""
    path = folder() / kind
    path.write_bytes(getattr(seeds, kind)()[0])
    return path


def _metrics() -> dict[str, Call]:
    return {
        name: Call(metric.function, {"y_true": Y, "y_score": P})
        for name, metric in polyroc.registry.items()
    }


def _summary(**options: Any) -> PairSummary:
    return PairSummary(list(seeds.LABELS), mantissa_bits=2).update(**options)


@cache
def _surface() -> RocSurface:
    return RocSurface.load(file_of("surface"))


def _readings() -> dict[str, Any]:
    """A small reader study."""
    rows = [(case, r, m, case % 2, (5 * case + r + m) % 7) for case, r, m in np.ndindex(8, 2, 2)]
    names = ("case", "reader", "modality", "truth", "rating")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return {"table": table, "n_replicates": 3, "rng": 1, **{name: name for name in names}}


@cache
def calls() -> dict[str, Call]:
    """All of them, by name."""
    predictions = {"y_true": Y, "y_score": P}
    models = {"one": P, "two": P[::-1]}
    both = {"y_true": Y, "y_scores": models, "metrics": ["hand_till"]}
    learner = {"estimators": {"bayes": GaussianNB()}, "X": seeds.X, "y": Y_OF_X, "rng": 1}
    study = {**learner, "n_splits": 1, "metrics": ["hand_till"], "test_size": 0.5}
    quick = {"generations": 1, "costs_per_generation": 2, "rng": 1, "progress": False}
    return {
        **_metrics(),
        "Predictions": Call(polyroc.Predictions, predictions),
        "evaluate": Call(polyroc.evaluate, {**predictions, "metrics": ["hand_till", "pdi"]}),
        "bootstrap": Call(
            polyroc.evaluate,
            {**predictions, "metrics": ["hand_till"], "interval": polyroc.Bootstrap(3, 1)},
        ),
        "replicates": Call(polyroc.Bootstrap, {"replicates": 3, "rng": 1}),
        "estimate": Call(polyroc.estimate, {**predictions, "metric": "hand_till"}),
        "compare": Call(polyroc.compare, both),
        "permutation": Call(polyroc.compare, {**both, "method": polyroc.Permutation(3, 1)}),
        "reader_study": Call(polyroc.reader_study, _readings()),
        "study": Call(polyroc.study, study, ("X", "n_jobs", "checkpoint", "estimators")),
        "cross_evaluate": Call(
            polyroc.cross_evaluate,
            {"estimator": GaussianNB(), "X": seeds.X, "y": Y_OF_X, "rng": 1, "cv": 2},
            ("X", "n_jobs", "checkpoint", "estimator", "cv"),
        ),
        "PairSummary": Call(PairSummary, {"classes": ["a", "b"]}),
        "update": Call(PairSummary([*"abc"], mantissa_bits=2).update, {"y": Y, "p": P}),
        "from_bytes": Call(PairSummary.from_bytes, {"data": seeds.summary()[0]}),
        "compare_parquet": Call(
            compare_parquet,
            {"models": dict.fromkeys("ab", file_of("parquet")), "target": "y"},
            tuple(set(inspect.signature(compare_parquet).parameters) - {"models", "columns"}),
        ),
        "evaluate_parquet": Call(
            evaluate_parquet, {"path": file_of("parquet"), "target": "y"}, ("path", "client")
        ),
        "read_predictions": Call(read_predictions, {"path": file_of("csv")}, ("path",)),
        "read_features": Call(read_features, {"path": file_of("csv"), "target": "y"}, ("path",)),
        "ScoreModel": Call(ScoreModel, predictions),
        "LinearModel": Call(LinearModel, {"X": X, "y": Y_OF_X}),
        "search": Call(
            search,
            {"model": seeds.models()[0], **quick},
            ("generations", "checkpoint", "client"),
        ),
        "load": Call(RocSurface.load, {"path": file_of("surface")}, ("path",)),
        "choose": Call(_surface().choose, {"criterion": "total_error"}),
        "costs": Call(_surface().choose, {"costs": (1 - np.eye(3)).tolist()}),
        "decide": Call(_surface().decide, {"X": P, "index": 0}),
        "rescore": Call(_surface().rescore, {"X": P, "y": Y}),
        "surface_gini": Call(_surface().gini, {"method": "monte_carlo", "n_samples": 10, "rng": 1}),
    }
