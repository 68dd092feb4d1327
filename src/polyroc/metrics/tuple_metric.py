"""Metrics that are means over tuples: a rule and what a right tuple is worth."""

from collections.abc import Callable

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.metrics.declaration import Influence
from polyroc.options import check_choice, generator_of, shown
from polyroc.predictions import Predictions
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.tuples import Drawn, Rule, draw_tuples, tuple_mean, tuple_projections
from polyroc.typing import Float64Array, RandomState, Ties

Worth = Callable[[Predictions, Ties], tuple[Rule, Float64Array]]
"""Rule and coefficients of the credits that it gives, for a treatment of ties."""


def tuple_value(
    worth: Worth, predictions: Predictions, ties: Ties, n_tuples: int | None, rng: RandomState
) -> float:
    """The mean over all tuples, or over random ones if they are asked for."""
    if random_tuples(predictions, n_tuples, rng):
        return drawn(worth, predictions, ties, n_tuples, rng).value
    return tuple_mean(predictions, *worth(predictions, ties))


def random_tuples(predictions: Predictions, n_tuples: int | None, rng: RandomState) -> bool:
    """Whether random tuples are asked for: by their number, or by a seed where all are many."""
    if rng is not None:
        generator_of(rng)
    return n_tuples is not None or (rng is not None and predictions.n_classes > 3)


def drawn(
    worth: Worth, predictions: Predictions, ties: Ties, n_tuples: int | None, rng: RandomState
) -> Drawn:
    """Random tuples and their credit."""
    rule, coefficients = worth(predictions, ties)
    return draw_tuples(predictions, rule, coefficients, n_tuples, rng)


def tuple_influence(worth: Worth, default: Ties) -> Callable[..., Influence]:
    """Projections less their mean within each class.

    Those on random tuples carry the noise of the draw, which a variance must not count as the
    spread of cases: the tuples are handed on with them.
    """

    def influence(
        predictions: Predictions,
        *,
        ties: Ties = default,
        n_tuples: int | None = None,
        rng: RandomState = None,
    ) -> Influence:
        if not random_tuples(predictions, n_tuples, rng):
            projections = tuple_projections(predictions, *worth(predictions, ties))
            return Influence(centre_by_class(predictions, projections))
        found = drawn(worth, predictions, ties, n_tuples, rng)
        share = predictions.case_weights / predictions.class_weights[predictions.codes]
        return Influence(found.pull(len(predictions)) / share, drawn=found)

    return influence


def assignment_credit(ties: Ties) -> Float64Array:
    """Coefficients of the plain credit of an assignment rule."""
    names = ("strict", "fair", "lenient")
    check_choice(ties, "ties", ("fair", "strict", "lenient"))
    return np.eye(6, dtype=np.float64)[names.index(ties), :]


def highest_rule(ties: Ties) -> Rule:
    """The highest-probability rule: strict, or lenient; a fair value is not defined."""
    rules = {"strict": Rule.HIGHEST, "lenient": Rule.HIGHEST_LENIENT}
    if not isinstance(ties, str) or ties not in rules:
        raise InvalidInput(
            f'ties must be "strict" or "lenient" for this rule, got {shown(ties)}: '
            "a tie within a column has no fair share. Report both, they enclose every other choice."
        )
    return rules[ties]
