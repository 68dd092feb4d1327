"""Rare options of inference, in small objects: how to resample, and how the cases were sampled."""

from dataclasses import dataclass
from typing import Any, Literal

from polyroc._base.checks import check_choice, generator_of, repeats, shown
from polyroc.errors import InvalidInput
from polyroc.typing import RandomState

Weighting = Literal["sampling", "frequency"]
Sampling = Literal["stratified", "random"]


@dataclass(frozen=True)
class Bootstrap:
    """Intervals and comparisons from resampled cases, in place of ``"bootstrap"``.

    Parameters
    ----------
    replicates : number of resamples, at least 2.
    rng : seed; where it is None, that of the call.
    n_tuples : random tuples to estimate the volumes from in every resample; by default all tuples.

    Examples
    --------
    >>> from polyroc import Bootstrap, evaluate
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> few = Bootstrap(replicates=200, rng=0)
    >>> found = evaluate(y, models["forest"], ["hand_till"], labels=labels, interval=few)
    >>> found["hand_till"].method
    'bootstrap'
    """

    replicates: int = 2000
    rng: RandomState = None
    n_tuples: int | None = None

    def __post_init__(self) -> None:
        _check_rng(self.rng)
        repeats(self.replicates, "replicates", least=2)
        if self.n_tuples is not None:
            repeats(self.n_tuples, "n_tuples", least=2)


@dataclass(frozen=True)
class Permutation:
    """A paired permutation test of models, in place of ``"permutation"``.

    Parameters
    ----------
    replicates : number of permutations, at least 1.
    rng : seed.

    Examples
    --------
    >>> from polyroc import Permutation, compare
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> test = Permutation(replicates=200, rng=0)
    >>> compare(y, models, ["hand_till"], labels=labels, method=test).method
    'permutation'
    """

    replicates: int = 2000
    rng: RandomState = None

    def __post_init__(self) -> None:
        _check_rng(self.rng)
        repeats(self.replicates, "replicates", least=1)


@dataclass(frozen=True)
class Influence:
    """Standard errors from influence values, in place of ``"influence"``.

    Parameters
    ----------
    n_tuples : random tuples to estimate the volumes from, which are expensive for many classes;
        by default all tuples.
    rng : seed of the random tuples.

    Examples
    --------
    >>> from polyroc import Influence
    >>> Influence(n_tuples=100_000, rng=0)
    Influence(n_tuples=100000, rng=0)
    """

    n_tuples: int | None = None
    rng: RandomState = None

    def __post_init__(self) -> None:
        _check_rng(self.rng)
        if self.n_tuples is not None:
            repeats(self.n_tuples, "n_tuples", least=1)


@dataclass(frozen=True)
class Design:
    """How the cases were sampled: pass it as ``groups=``.

    Parameters
    ----------
    groups : group of each case where cases are not independent, such as the patient of an image.
    sampling : ``"stratified"`` if the class sizes were fixed, ``"random"`` if they came about by
        sampling cases; it matters to metrics that weight by priors.
    weights : ``"sampling"`` for weights that say how much of the population a case stands for,
        ``"frequency"`` for numbers of copies.

    Examples
    --------
    >>> from polyroc import Design, evaluate
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> design = Design(sampling="random")
    >>> found = evaluate(y, models["forest"], ["aunp"], labels=labels, groups=design)
    >>> found["aunp"].settings["sampling"]
    'random'
    """

    groups: Any = None
    sampling: Sampling = "stratified"
    weights: Weighting = "sampling"

    def __post_init__(self) -> None:
        check_choice(self.sampling, "sampling", ("stratified", "random"))
        check_choice(self.weights, "weights", ("sampling", "frequency"))

    @classmethod
    def of(cls, groups: Any) -> "Design":
        """A design, or the groups of an ordinary one."""
        return groups if isinstance(groups, cls) else cls(groups)


def _check_rng(rng: RandomState) -> None:
    """Refuse what no generator comes from; None takes a seed from the system, and is not tried."""
    if rng is not None:
        generator_of(rng)


IntervalMethod = Literal["influence", "bootstrap"] | Bootstrap
CompareMethod = (
    Literal["influence", "bootstrap", "permutation"] | Influence | Bootstrap | Permutation
)
Method = Influence | Bootstrap | Permutation

_NAMED: dict[str, type[Method]] = {
    "influence": Influence,
    "bootstrap": Bootstrap,
    "permutation": Permutation,
}


def interval_method(given: Any) -> Influence | Bootstrap | None:
    """How intervals are computed, or None: not at all."""
    if given is None or isinstance(given, Bootstrap):
        return given
    if isinstance(given, str) and given in ("influence", "bootstrap"):
        return Bootstrap() if given == "bootstrap" else Influence()
    raise InvalidInput(
        f'interval must be "influence", "bootstrap", a Bootstrap or None, got {shown(given)}.'
    )


def compare_method(given: Any) -> Method:
    """How models are compared."""
    if isinstance(given, Method):
        return given
    check_choice(given, "method", tuple(_NAMED))
    return _NAMED[given]()
