"""A study or search knows its checkpoint again: by data, settings and the code of the user."""

import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.writers import cases
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from polyroc._storage.fingerprint import fingerprint
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference import study
from polyroc.surface import LinearModel, search

Y, P = cases(60)

SOURCE = """
import numpy as np
from functools import partial
from sklearn.base import BaseEstimator, TransformerMixin
FACTOR = 1.0
TABLE = {"a": [1, 2]}

def helper(x):
    return x * FACTOR

def change(x, power=1, *, shift=0.0):
    return np.power(helper(x), power) + shift

def closed(by):
    def inner(x):
        return [x + each for each in [by]][0]
    return inner

class Step(BaseEstimator, TransformerMixin):
    kind = "plain"
    def __init__(self, by=1.0):
        self.by = by
    def fit(self, X, y=None):
        return self
    def transform(self, X):
        return self.scaled(X)
    @staticmethod
    def scaled(X):
        return X * len(TABLE)
"""
CHANGES = {
    "a constant of the module": ("FACTOR = 1.0", "FACTOR = 2.0"),
    "a function that is called": ("return x * FACTOR", "return x + FACTOR"),
    "a default": ("power=1", "power=2"),
    "a default by name": ("shift=0.0", "shift=1.0"),
    "a constant": ("[by]][0]", "[by]][-1]"),
    "an operator": ("x + each", "x - each"),
    "a method": ("return self.scaled(X)", "return 2 * self.scaled(X)"),
    "a static method": ("X * len(TABLE)", "X + len(TABLE)"),
    "an attribute of a class": ('kind = "plain"', 'kind = "other"'),
    "a table": ('"a": [1, 2]', '"a": [1, 3]'),
}


def parts_of(source: str) -> list[Any]:
    """Estimators that use all there is in a module of the user."""
    module: dict[str, Any] = {"__name__": "module_of_the_user"}
    exec(compile(source, "module.py", "exec"), module)
    change, step = module["change"], module["Step"]
    return [
        make_pipeline(FunctionTransformer(change), step(2.0), GaussianNB()),
        FunctionTransformer(partial(change, power=3)),
        FunctionTransformer(module["closed"](np.arange(3.0))),
    ]


def test_changes_are_noticed_and_repetition_is_not() -> None:
    first = fingerprint(parts_of(SOURCE))
    assert fingerprint(parts_of("\n\n# moved down\n" + SOURCE)) == first
    for what, (old, new) in CHANGES.items():
        assert SOURCE.count(old) == 1, what
        assert fingerprint(parts_of(SOURCE.replace(old, new))) != first, what


PLACED = """
class Step:
    __firstlineno__ = 7
    __static_attributes__ = ("by", "with")
    kind = 3

def inside():
    class Inner:
        __firstlineno__ = 7
        kind = 3
    return Inner
"""


def test_the_line_that_a_class_is_on_is_no_part_of_it() -> None:
    """Python 3.13 and newer write it into the class, and what is assigned to ``self`` too, in an
    order that depends on the process; 3.14 keeps annotations there once they were asked for."""
    first, moved, other = (dict[str, Any](__name__="module_of_the_user") for _ in range(3))
    exec(PLACED, first)
    exec(PLACED.replace("= 7", "= 70_000").replace('"by", "with"', '"with", "by"'), moved)
    exec(PLACED.replace("kind = 3", "kind = 4"), other)
    for name in ("Step", "inside"):
        assert fingerprint(moved[name]) == fingerprint(first[name]) != fingerprint(other[name])
    before = fingerprint(first["Step"])
    first["Step"].__annotations_cache__ = {"by": float}
    assert fingerprint(first["Step"]) == before


def test_values() -> None:
    values: list[Any] = [
        1, 1.0, True, None, "1", b"1", (1,), [1], {1: 2}, {2: 1}, {1}, frozenset([1]), 1j,
        "ü\udc80", np.arange(2), np.arange(2.0), np.arange(2).reshape(2, 1),
        np.array(["a", None], dtype=object),
        np.log, len, int, GaussianNB(), GaussianNB(var_smoothing=1e-8), LogisticRegression(),
        LogisticRegression(C=2), StandardScaler(), np.random.default_rng(1),
        np.random.default_rng(2), range(3), range(4), Path("a"), Path("b"),
    ]  # fmt: skip
    prints = [fingerprint(value) for value in values]
    assert len(set(prints)) == len(values)
    itself: list[Any] = []
    itself.append(itself)
    assert fingerprint(itself) == fingerprint(itself)
    assert fingerprint({"a": 1, "b": {2, 3}}) == fingerprint({"a": 1, "b": {3, 2}})


OPTIONS: dict[str, Any] = {"metrics": ["hand_till"], "rng": 0, "n_jobs": 1, "progress": False}


def run(path: Path, function: Any, n_splits: int = 2) -> Any:
    models = {"m": make_pipeline(FunctionTransformer(function), GaussianNB())}
    return study(models, P, Y, n_splits=n_splits, checkpoint=path, **OPTIONS)


def test_a_study_with_lambdas_and_its_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "study.npz"
    run(path, lambda x: x**2)
    whole = run(tmp_path / "other.npz", lambda x: x**2, n_splits=4)
    assert np.array_equal(run(path, lambda x: x**2, n_splits=4).values, whole.values)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="belongs to a study with different estimators"):
        run(path, lambda x: x**3, n_splits=5)
    assert path.read_bytes() == before


class Locked(TransformerMixin, BaseEstimator):
    def __init__(self, lock: Any = None) -> None:
        self.lock = lock


def test_what_cannot_be_known_again_is_refused_before_it_runs(tmp_path: Path) -> None:
    models = {"m": make_pipeline(Locked(threading.Lock()), GaussianNB())}
    with pytest.raises(InvalidType, match=r"know the estimator 'm' again .*lock"):
        study(models, P, Y, n_splits=2, checkpoint=tmp_path / "study.npz", **OPTIONS)
    assert list(tmp_path.iterdir()) == []


def test_a_search_with_another_model_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"

    def model(factor: float) -> LinearModel:
        class Own(LinearModel):
            def posteriors(self, parameters: Any, X: Any) -> Any:
                return super().posteriors(parameters * factor, X)

        return Own(P, Y)

    search(model(1.0), generations=1, rng=0, checkpoint=path, progress=False)
    search(model(1.0), generations=2, rng=0, checkpoint=path, progress=False)
    with pytest.raises(InvalidInput, match="belongs to a search with different model"):
        search(model(2.0), generations=3, rng=0, checkpoint=path, progress=False)
