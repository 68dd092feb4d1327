"""Scorers for scikit-learn: ``polyroc.scorers["hand_till"]`` goes into ``scoring=``.

>>> from sklearn.datasets import load_iris
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.model_selection import cross_validate
>>> from polyroc import scorers
>>> X, y = load_iris(return_X_y=True)
>>> scoring = {name: scorers[name] for name in ("hand_till", "vus")}
>>> result = cross_validate(LogisticRegression(max_iter=1000), X, y, scoring=scoring)
>>> round(float(result["test_hand_till"].mean()), 3)
0.996
"""

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.metrics import registry
from polyroc.predictions._classes import listed
from polyroc.predictions._containers import read_labels
from polyroc.predictions._estimators import gives_probabilities, scores_of
from polyroc.predictions._rows import rows_by_position
from polyroc.typing import LabelsLike, WeightsLike

_FROM_THE_CALL = ("y_true", "y_score", "labels", "sample_weight")


@dataclass(frozen=True)
class Scorer:
    """A metric as scikit-learn calls it: ``scorer(estimator, X, y, sample_weight=None) -> float``.

    The classes are those that the estimator has learned, in its order; the scores are
    ``predict_proba``, or ``decision_function`` for an estimator without probabilities and a metric
    that does not need them. A fold without cases of some class is an error, to which scikit-learn's
    ``error_score`` applies; ``with_options(absent="skip")`` evaluates the other classes,
    ``with_options(absent="skip", normalize=True)`` also for metrics that need probabilities.

    A scorer is the higher the better, as scikit-learn's model selection needs: that of a metric
    where lower is better, such as ``saec``, is the negative of the metric, and shows as
    ``neg_saec``.

    Weights are passed on by ``scorer(..., sample_weight=w)``, and by scikit-learn's metadata
    routing after ``set_score_request(sample_weight=True)``.
    """

    metric: str
    options: tuple[tuple[str, Any], ...] = ()
    request: bool | str | None = None
    """What metadata routing does with sample_weight: see ``set_score_request``."""

    def __call__(
        self, estimator: Any, X: Any, y: LabelsLike, sample_weight: WeightsLike | None = None
    ) -> float:
        """The metric of a fitted classifier on these cases, or its negative: higher is better."""
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        _check_learned(estimator, y)
        metric = registry[self.metric]
        return metric.sign * metric.function(
            y,
            self._scores(estimator, X),
            labels=getattr(estimator, "classes_", None),
            sample_weight=sample_weight,
            **dict(self.options),
        )

    @property
    def __name__(self) -> str:
        """What tables of other packages call it, as scikit-learn names its own scorers."""
        return self.metric if registry[self.metric].sign > 0 else f"neg_{self.metric}"

    def with_options(self, **options: Any) -> "Scorer":
        """The same metric called with these options, such as ``ties="strict"``."""
        known = inspect.signature(registry[self.metric].function).parameters
        allowed = [name for name in known if name not in _FROM_THE_CALL]
        unknown = [name for name in options if name not in allowed]
        if unknown:
            raise InvalidType(
                f"The scorer of {self.metric} has no option {', '.join(unknown)}. "
                f"Its options are {', '.join(allowed)}."
            )
        merged = {**dict(self.options), **options}
        return replace(self, options=tuple(merged.items()))

    def set_score_request(self, *, sample_weight: bool | str | None) -> "Scorer":
        """A scorer that asks metadata routing for weights: True, or the name they go by.

        False: never; None: weights are an error until it is said whether the scorer wants them.
        """
        return replace(self, request=sample_weight)

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing is to pass to the scorer."""
        from sklearn.utils.metadata_routing import MetadataRequest

        requests = MetadataRequest(owner=self)
        requests.score.add_request(param="sample_weight", alias=self.request)
        return requests

    def _scores(self, estimator: Any, X: Any) -> Any:
        probabilities = registry[self.metric].needs_probabilities
        if probabilities and not gives_probabilities(estimator):
            raise NotDefined(
                f"{self.metric} needs probabilities, but {type(estimator).__name__} has no "
                "predict_proba. Wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
        return scores_of(estimator, X)

    def __repr__(self) -> str:
        text = f'scorers["{self.metric}"]'
        if self.options:
            listed = ", ".join(f"{name}={value!r}" for name, value in self.options)
            text += f".with_options({listed})"
        if self.request is not None:
            text += f".set_score_request(sample_weight={self.request!r})"
        return text if registry[self.metric].sign > 0 else f"{text}  # neg_{self.metric}"


def _check_learned(estimator: Any, y: LabelsLike) -> None:
    """Whether the classifier knows the classes it is tested on: a training fold may lack one."""
    learned = getattr(estimator, "classes_", None)
    if learned is None:
        return
    known = read_labels(learned, "classes_")[0].tolist()
    tested = Counter(read_labels(y, "y")[0].tolist())
    unknown = sorted(set(tested) - set(known), key=str)
    if unknown:
        which = "class" if len(unknown) == 1 else "classes"
        raise InvalidInput(
            f"{type(estimator).__name__} was trained without cases of the {which} "
            f"{listed(unknown)}; it knows {listed(known)}. Of the {tested.total():,} cases it is "
            f"tested on, {sum(tested[each] for each in unknown):,} are of the {which} it lacks. "
            "If this is a fold of a cross-validation, split with StratifiedKFold or "
            "StratifiedShuffleSplit, so that every training set has cases of every class."
        )


class Scorers(Mapping[str, Scorer]):
    """A mapping from the names of metrics to their scorers."""

    def __getitem__(self, name: str) -> Scorer:
        return Scorer(registry[name].name)

    def __contains__(self, name: object) -> bool:
        return name in registry

    def __iter__(self) -> Iterator[str]:
        return iter(registry)

    def __len__(self) -> int:
        return len(registry)

    def __repr__(self) -> str:
        return f"<polyroc.scorers: {', '.join(self)}>"

    def __reduce__(self) -> str:
        """Pickled by name, as functions are."""
        return "scorers"

    # There is one: compared by identity, and kept in sets.
    __eq__ = object.__eq__
    __hash__ = object.__hash__


scorers = Scorers()
"""The scorer of each metric by name."""
