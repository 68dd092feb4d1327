"""What a search asks of a classifier, and how to bring your own.

A model of your own is a subclass with a scale of noise, a way to begin and its probabilities:

    class Stump(Model):
        name = "stump"
        noise = np.array([0.1, 1.0])

        def draw(self, rng):
            return rng.normal(size=2)

        def probabilities(self, parameters):
            odds = parameters[1] * (self.X[:, 0] - parameters[0])
            return np.column_stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))])
"""

import copy
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from polyroc._base.wording import plural
from polyroc.predictions._classes import listed
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._scores import check_lengths
from polyroc.surface._cases import (
    Cases,
    cases_of,
    check_features,
    feature_names,
    read_features,
)
from polyroc.typing import Float64Array, Label, LabelsLike, ScoresLike, WeightsLike

LARGEST = 1e100
"""The largest number in a file that is taken for a parameter or a feature: squares of it exist."""


class Model(ABC):
    """A classifier with parameters, and the cases on which its errors are counted.

    Parameters
    ----------
    X : (n, p) features.
    y : n labels.
    labels : the classes in order; by default the categories or the sorted distinct labels.
    sample_weight : n non-negative weights; error rates are weighted.

    Attributes
    ----------
    name : of the kind of model, for files and tables.
    noise : (P,) scale of the Laplacian noise that perturbs each parameter.
    remembered, arrays : names of the attributes that make up ``settings`` and ``state``.
    X : features of the cases.
    cases : their classes and weights.
    features : names of the features, where ``X`` was a frame: new cases must have the same.
    """

    name: ClassVar[str]
    remembered: ClassVar[tuple[str, ...]] = ()
    arrays: ClassVar[tuple[str, ...]] = ()
    noise: Float64Array
    X: Float64Array
    classes: tuple[Label, ...]
    cases: Cases
    features: tuple[str, ...] | None = None

    def __init__(
        self,
        X: ScoresLike,
        y: LabelsLike,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
    ) -> None:
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        self.features = feature_names(X)
        self._take_cases(read_features(X), cases_of(y, labels, sample_weight))

    def _take_cases(self, X: Float64Array, cases: Cases) -> None:
        check_lengths(cases.n_given, len(X), "X")
        self.classes, self.cases = cases.classes, cases
        self.take(X[cases.rows])

    def take(self, X: Float64Array) -> None:
        """Give probabilities for cases with these features from now on."""
        self.X = X

    # What a search asks

    @property
    def n_parameters(self) -> int:
        """Number of parameters."""
        return len(self.noise)

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Float64Array:
        """Random parameters to begin with."""

    @abstractmethod
    def probabilities(self, parameters: Float64Array) -> Float64Array:
        """(n, K) probabilities of the classes for each case."""

    def seeds(self, rng: np.random.Generator) -> list[Float64Array]:
        """Parameters that are good already; the search tries costs with each at its start."""
        return []

    def within(self, parameters: Float64Array) -> Float64Array:
        """Perturbed parameters, put back to where they make sense."""
        return parameters

    def perturb(
        self, parameters: Float64Array, rng: np.random.Generator, scale: float = 1.0
    ) -> Float64Array:
        """Parameters with Laplacian noise (Everson & Fieldsend 2006, line 4 of Algorithm 1)."""
        return self.within(parameters + scale * self.noise * rng.laplace(size=len(self.noise)))

    # New cases, files and identity

    def at(self, X: ScoresLike) -> Self:
        """The same classifier, giving the probabilities of cases without labels."""
        check_features(X, self.features)
        other = copy.copy(self)
        vars(other).pop("cases", None)
        other.take(read_features(X))
        return other

    def on(self, X: ScoresLike, y: LabelsLike, *, sample_weight: WeightsLike | None = None) -> Self:
        """The same classifier with its errors counted on other cases."""
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        check_features(X, self.features)
        other = copy.copy(self)
        other._take_cases(read_features(X), cases_of(y, self.classes, sample_weight))
        return other

    def settings(self) -> dict[str, Any]:
        """What tells this model from others of its kind, ready for JSON."""
        return {name: getattr(self, name) for name in self.remembered}

    def state(self) -> dict[str, NDArray[Any]]:
        """Arrays that ``probabilities`` needs besides the features of the cases."""
        return {name: getattr(self, name) for name in self.arrays}

    @classmethod
    def restored(
        cls,
        classes: tuple[Label, ...],
        settings: Mapping[str, Any],
        state: Mapping[str, NDArray[Any]],
    ) -> Self:
        """A model without cases, for ``at`` and ``on``, from what a file holds."""
        model = cls.__new__(cls)
        model.classes = classes
        vars(model).update({name: settings[name] for name in cls.remembered})
        vars(model).update({name: state[name] for name in cls.arrays})
        model.check()
        return model

    def check(self) -> None:  # noqa: B027  (most models have nothing to check)
        """An error if what a file holds cannot be a state of this model."""

    def fingerprint(self) -> str:
        """A hash of kind, settings, data and labels: equal only for equal searches."""
        digest = hashlib.sha256()
        text = [self.name, self.settings(), [repr(label) for label in self.classes]]
        digest.update(json.dumps(text, sort_keys=True).encode())
        own = {"X": self.X, "codes": self.cases.codes, "weights": self.cases.weights}
        arrays = {**own, **{f"state {name}": array for name, array in self.state().items()}}
        for name, array in sorted(arrays.items()):
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        if not hasattr(self, "cases"):
            return f"{type(self).__name__}(for {listed(self.classes)}, without cases)"
        counts = f"{plural(len(self.cases), 'case')} of {listed(self.classes)}"
        return f"{type(self).__name__}({counts})"
