"""All metrics by name. The decorator :func:`metric` turns a formula into a public function.

A metric's module writes the formula as a function of predictions and its options; the decorator
adds what all metrics share (the gate for labels and scores, the description of the parameters) and
registers the declaration. Importing :mod:`polyroc.metrics` loads every metric.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.metrics.declaration import Influence, Metric, Occasion
from polyroc.options import check_choice, did_you_mean, shown
from polyroc.predictions import Predictions

Formula = Callable[..., float]

_GATE = inspect.signature(Predictions).parameters


class Registry(Mapping[str, Metric]):
    """Metrics by name, in the order of registration."""

    def __init__(self) -> None:
        self._metrics: dict[str, Metric] = {}

    def add(self, metric: Metric) -> None:
        """Add a metric; its name must be new."""
        if metric.name in self._metrics:
            raise InvalidInput(f"There are two metrics {metric.name!r}. Give one another name.")
        self._metrics[metric.name] = metric

    def __getitem__(self, name: str) -> Metric:
        if name not in self:
            raise UnknownName(
                f"There is no metric {shown(name)}.{did_you_mean(name, self._metrics)} "
                f"The metrics are {', '.join(self._metrics)}."
            )
        return self._metrics[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._metrics

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def __reduce__(self) -> Any:
        """Pickled by name: there is one registry in each process."""
        return "registry" if self is registry else super().__reduce__()

    def select(self, names: Iterable[str] | str | None, occasion: Occasion) -> list[Metric]:
        """Metrics by names, each once; "all": every one.

        None: those that are defined for this number of classes, are affordable for these cases, and
        differ from each other. So two classes get the AUC once and not under nine names, three
        classes the volumes up to 3,000 cases, and many classes no volumes.
        """
        if names is None:
            return [metric for metric in self._metrics.values() if metric.by_default(occasion)]
        return self.named(names)

    def named(self, names: Iterable[str] | str) -> list[Metric]:
        """Metrics by names, each once; "all": every one."""
        if isinstance(names, str):
            return list(self._metrics.values()) if names == "all" else [self[names]]
        try:
            listed = list(names)
        except Exception:  # no sequence, or one that cannot be gone through
            raise InvalidType(
                f'metrics must be names, "all" or None, got {shown(names)}.'
            ) from None
        return list({name: self[name] for name in listed}.values())


registry = Registry()


def registered(metric: Metric) -> tuple[Callable[[str], Metric], tuple[str]] | None:
    """How pickle finds a metric again; None if it is not registered."""
    return (registry.__getitem__, (metric.name,)) if registry.get(metric.name) is metric else None


PARAMETERS = {
    "y_true": "true class of each case: strings, integers, booleans or a categorical.",
    "y_score": "scores, a row per case and a column per class; a frame's column names are classes.",
    "labels": "the classes in the order of the columns; by default the sorted ones of y_true.",
    "sample_weight": "weight of each case; 0 is the same as leaving the case out.",
    "ties": 'credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.',
    "priors": "prior of each class, by class or in order, in place of the shares in the sample.",
    "partition": "K × K costs that decide between classes; row: class named, column: true class.",
    "pair_weights": "K × K weights of the pairs; both entries of a pair are added up.",
    "n_tuples": "draw so many tuples at random instead of using all, which is expensive for K ≥ 4.",
    "rng": "seed or generator of that draw.",
    "absent": 'a class without cases: "raise" an error, or "skip" it and use the others.',
    "normalize": "divide each row of scores by its sum.",
    "n_threads": "threads to use; by default all that the process may run on.",
}


def metric(*, influence: Callable[..., Influence], **declared: Any) -> Callable[[Formula], Formula]:
    """Register the decorated formula and return the public function of labels and scores."""

    def decorate(formula: Formula) -> Formula:
        public = _public(formula, bool(declared.get("needs_probabilities")))
        registry.add(
            Metric(
                name=formula.__name__,
                function=public,
                formula=formula,
                linearise=influence,
                **declared,
            )
        )
        return public

    return decorate


def _public(formula: Formula, needs_probabilities: bool) -> Formula:
    """The function of labels and scores that checks them and evaluates the formula."""
    name, signature = formula.__name__, _signature(formula, needs_probabilities)

    def public(*arguments: Any, **named: Any) -> float:
        try:
            options = signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise InvalidType(
                f"{name}(): {error}. Its signature is {name}{_short(signature)}."
            ) from None
        _check_words(signature, options)
        gate = {key: options.pop(key) for key in _GATE if key in options}
        return registry[name].value(Predictions.borrowed(**gate), **options)

    public.__signature__ = signature  # type: ignore[attr-defined]
    public.__name__ = public.__qualname__ = name
    public.__module__ = formula.__module__
    public.__doc__ = _described(formula, signature)
    return public


def _short(signature: inspect.Signature) -> inspect.Signature:
    """Names and defaults only, for messages."""
    parameters = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    return inspect.Signature(parameters)


def _check_words(signature: inspect.Signature, options: dict[str, Any]) -> None:
    """Refuse lists and arrays where a word is asked for, before a formula looks them up."""
    for name, value in options.items():
        annotation = signature.parameters[name].annotation
        if get_origin(annotation) is Literal and not isinstance(value, Hashable):
            check_choice(value, name, get_args(annotation))


def _signature(formula: Formula, needs_probabilities: bool) -> inspect.Signature:
    """The parameters of the gate with the options of the formula among them."""
    gate = dict(_GATE) if needs_probabilities else {**_GATE, "normalize": None}
    _, *options = inspect.signature(formula).parameters.values()
    last = ("absent", "normalize", "n_threads")
    first = [gate[name] for name in gate if name not in last]
    parameters = [*first, *options, *(gate[name] for name in last)]
    return inspect.Signature([p for p in parameters if p is not None], return_annotation=float)


def _described(formula: Formula, signature: inspect.Signature) -> str:
    """The docstring with the parameters described before its examples."""
    text = inspect.cleandoc(formula.__doc__ or "")
    head, heading, examples = text.partition("Examples\n--------\n")
    listed = "\n".join(f"{name} : {PARAMETERS[name]}" for name in signature.parameters)
    return f"{head}Parameters\n----------\n{listed}\n\n{heading}{examples}"
