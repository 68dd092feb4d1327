"""Surface-averaged expected cost of two classes."""

import math
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

from polyroc._base.checks import check_choice
from polyroc.errors import NotConverged
from polyroc.metrics.declaration import ON_REQUEST, Chance, Classes, Metric, Property
from polyroc.metrics.question import Gradient, NoDerivative
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions
from polyroc.statistics.ratings import Ratings
from polyroc.typing import Absent, LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    from polyroc.utility._categories import Categories
    from polyroc.utility._data_cost import Cost

Model = Literal["binormal", "proper", "hull"]


def _levels(ratings: Ratings) -> "Categories":
    from polyroc.utility._categories import Categories

    return Categories(ratings.levels, ratings.squares)


@lru_cache(maxsize=4)
def _cost(ratings: Ratings, model: Model) -> "Cost":
    """The fit is asked for its value, its faults and its derivatives: it is made once."""
    from polyroc.utility._data_cost import cost_of_levels

    return cost_of_levels(_levels(ratings), model, ratings.extremes)


def _value(ratings: Ratings, model: Model = "binormal") -> float:
    """2(1 − A)/S of the curve."""
    return _cost(ratings, model).saec


def _fault(ratings: Ratings, model: Model = "binormal") -> str | None:
    """What is wrong with the fit, and what to use instead."""
    from polyroc.utility._data_cost import advice

    found = _cost(ratings, model)
    return None if found.fault is None else advice(found, _levels(ratings), model)


def _gradient(ratings: Ratings, model: Model = "binormal") -> Gradient:
    """By the weights of the classes at each score; a fit also depends on the shares of the classes.

    D_k = n Σ w ∂θ/∂w / n_k over class k, and their mean over the classes is 0.
    """
    from polyroc.utility._cost_gradient import cost_slopes

    slopes = cost_slopes(_levels(ratings), model, ratings.extremes)
    if slopes.reason is not None:
        raise NoDerivative(slopes.reason)
    by_class = (ratings.levels * slopes.values).sum(axis=1) / ratings.weights
    priors = None if model == "hull" else by_class * float(ratings.weights.sum())
    return Gradient(slopes.values, priors)


SAEC = registry.add(
    Metric(
        "saec",
        Ratings,
        value=_value,
        gradient=_gradient,
        fault=_fault,
        title="Surface-averaged expected cost",
        symbol="SAEC",
        reference="Edwards & Metz 2007 eq. 15 and 17",
        complexity="O(n log n)",
        chance=Chance("1/√2", lambda _: math.sqrt(0.5)),
        direction="lower",
        highest=4 / (2 + math.sqrt(math.pi)),
        classes=Classes(2, 2),
        instead="hand_till",
        affordable=ON_REQUEST,
        properties=frozenset(
            {Property.PERFECT_ARGMAX, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}
        ),
    )
)


def saec(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    model: Model = "binormal",
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """Expected cost averaged over the ROC curve of two classes: lower is better.

    SAEC = 2(1 − AUC)/S with S the length of the curve: the mean over the points of the curve of
    the cost that is least there, in units in which the costs of the two errors form a vector of
    length 1. It is 0 for perfect scores and 1/√2 ≈ .707 on the diagonal; scores that rank the
    wrong way can reach 1.06. Without ties between classes an empirical curve has S = 2 whatever
    it looks like, so a smooth curve takes its place. Edwards & Metz 2007 eq. 15 and 17.

    Undefined for other than two classes and, unless ``model="hull"``, where all scores are equal
    or give a single operating point. Where a threshold separates the classes it is 0. With scores
    that separate them the wrong way it is 1, and 1/√2 for the proper model. Where the likelihood
    has no maximum and the fit runs to a limit, as with few ratings it often does, a
    ``polyroc.errors.NotConverged`` warning says so and names the value of the hull.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
        One column belongs to the second class, and of two that of the second class is used.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    model : ``"binormal"``, the conventional binormal curve fitted by maximum likelihood, on
        ranks; ``"proper"``, the proper one, which has no hooks; ``"hull"``, the convex hull of the
        empirical curve, which assumes nothing and is optimistic.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Returns
    -------
    float
        The expected cost; lower is better.

    Examples
    --------
    >>> from polyroc import saec
    >>> y, score = [0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8]
    >>> round(saec(y, score, model="hull"), 4)  # 2(1 − 7/8)/(½ + √½ + ½)
    0.1464
    >>> round(saec(y, score), 4)
    0.2632
    """
    from polyroc.utility._fits import two_classes

    check_choice(model, "model", get_args(Model))
    gate = {"absent": absent, "n_threads": n_threads}
    cases = two_classes(y_true, y_score, labels, sample_weight, "saec", **gate)
    for part in _parts(cases):
        if (fault := _fault(Ratings.of(part), model)) is not None:
            warnings.warn(NotConverged(fault), stacklevel=2)
    return SAEC.of(cases, model=model)


def _parts(cases: Predictions) -> list[Predictions]:
    """What curves are fitted to: all cases, or those of each fold that has both classes."""
    if cases.folds is None:
        return [cases]
    parts = [cases.part(rows) for rows in cases.fold_rows]
    return [part for part in parts if part.n_classes == 2]
