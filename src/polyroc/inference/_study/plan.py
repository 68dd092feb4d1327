"""What a study is about: learners, data and metrics, checked before anything runs."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from polyroc._base.checks import reason_of, shown
from polyroc._storage.fingerprint import fingerprint
from polyroc.errors import InvalidInput, InvalidType
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric, Occasion
from polyroc.predictions._classes import classes_of
from polyroc.predictions._containers import read_labels
from polyroc.predictions._rows import rows_by_position
from polyroc.typing import IntArray, Label, LabelsLike

Estimators = Mapping[str, Any] | Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Plan:
    """What every split does."""

    estimators: dict[str, Any]
    X: Any
    y: Any
    codes: IntArray
    classes: tuple[Label, ...]
    metrics: tuple[Metric, ...]
    test_size: float

    @property
    def metric_names(self) -> tuple[str, ...]:
        return tuple(metric.name for metric in self.metrics)

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What must be the same for splits to belong together, besides the seed."""
        import joblib

        data = (self.X, self.y, self.classes)
        return {
            "data": hashed("X", lambda: str(joblib.hash(data, hash_name="sha1"))),
            "estimators": {
                name: hashed(f"the estimator {name!r}", partial(fingerprint, estimator))
                for name, estimator in self.estimators.items()
            },
            "metrics": list(self.metric_names),
            "test_size": self.test_size,
        }


def hashed(what: str, make: Callable[[], str], run: str = "study") -> str:
    """A hash, by which a checkpoint knows its study again."""
    try:
        return make()
    except Exception as error:  # of many kinds: objects of the user say what they are made of
        raise InvalidType(
            f"checkpoint= has to know {what} again when the {run} is continued, and it has parts "
            f"that cannot be pickled ({reason_of(error)}). Leave checkpoint= out, or replace them."
        ) from error


def plan_of(
    estimators: Estimators,
    X: Any,
    y: LabelsLike,
    test_size: float,
    metrics: Iterable[str] | str | None,
    labels: LabelsLike | None,
) -> Plan:
    rows_by_position({"y": y, "X": X})
    values, _ = read_labels(y)
    classes = classes_of(y, labels)
    codes = class_codes(values, classes)
    if not isinstance(test_size, (int, float)) or not 0 < test_size < 1:
        raise InvalidInput(f"test_size must lie between 0 and 1, got {shown(test_size)}.")
    n_cases = number_of_cases(X)
    if n_cases != len(codes):
        raise InvalidInput(
            f"X has {n_cases} cases but y has {len(codes)}. Pass one label per case."
        )
    occasion = Occasion(len(classes), math.ceil(test_size * n_cases))
    chosen = tuple(registry.select(metrics, occasion))
    named = named_estimators(estimators)
    return Plan(named, X, np.array(values.tolist()), codes, classes, chosen, float(test_size))


def number_of_cases(X: Any) -> int:
    """Rows of a table of features, whatever holds it; the learners judge the rest."""
    try:
        return int(np.shape(X)[0])
    except Exception:
        what = "X must be a table of features, a row per case"
        raise InvalidType(f"{what}, got {shown(X)}.") from None


def class_codes(values: Any, classes: tuple[Label, ...], run: str = "A study") -> IntArray:
    """The position of the class of each case; every class has to be trained and tested."""
    position = {label: code for code, label in enumerate(classes)}
    strays = [label for label in dict.fromkeys(values.tolist()) if label not in position]
    if strays:
        raise InvalidInput(f"y has the label {shown(strays[0])}, which is not among the labels.")
    codes = np.array([position[label] for label in values.tolist()], dtype=np.intp)
    counts = np.bincount(codes, minlength=len(classes))
    needed = f"{run} needs at least two classes with two cases each, for training and test"
    if not len(classes):
        raise InvalidInput(f"{needed}; y has no cases.")
    if len(classes) < 2 or counts.min() < 2:
        fewest = shown(classes[int(counts.argmin())])
        raise InvalidInput(f"{needed}; class {fewest} has {counts.min()} of {len(codes)} cases.")
    return codes


def named_estimators(estimators: Estimators) -> dict[str, Any]:
    """Estimators by name, checked."""
    if hasattr(estimators, "fit"):
        raise InvalidType(
            f"estimators must be named, got {type(estimators).__name__}. "
            'Pass a mapping such as {"logistic": LogisticRegression()}.'
        )
    pairs = list(estimators.items() if isinstance(estimators, Mapping) else estimators)
    named = {str(name): estimator for name, estimator in pairs}
    if not pairs:
        raise InvalidInput("There are no estimators. Pass at least one, by name.")
    if len(named) < len(pairs):
        raise InvalidInput("Two estimators have the same name. Give each its own.")
    for name, estimator in named.items():
        if not hasattr(estimator, "fit") or isinstance(estimator, type):
            raise InvalidType(
                f"{name!r} is {estimator!r}, which is not a scikit-learn estimator. "
                "Pass unfitted classifiers, such as LogisticRegression()."
            )
    return named
