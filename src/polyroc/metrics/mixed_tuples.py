"""The rule of VUS₂ with the weight of wVUS."""

from polyroc.metrics.declaration import ON_REQUEST, Metric, Property, Repeats
from polyroc.metrics.registry import registry
from polyroc.metrics.tuples import _gradient, _highest, _value
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.tuples import Tuples
from polyroc.typing import Absent, LabelsLike, RandomState, ScoresLike, Ties, WeightsLike

LENGTH_WEIGHTED_VUS2 = registry.add(
    Metric(
        "length_weighted_vus2",
        Tuples,
        value=_value,
        gradient=_gradient,
        title="VUS₂ weighted by distance to the corners",
        symbol="VUS₂ℓ",
        reference="Van Calster et al. 2008 §V",
        affordable=ON_REQUEST,
        repeats=(Repeats(2, ("roc_auc", "scored_auc")),),
        chance=None,
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
        complexity="O(n²) for K ≤ 3, else all tuples or random ones",
        ask=_highest([0.0, 1.0], near=True),
    )
)


def length_weighted_vus2(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "strict",
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """VUS₂ℓ: correct tuples of VUS₂ weighted, like those of wVUS, by closeness to the corners.

    A tuple that is right by the rule of VUS₂, p_k(x_k) > p_k(x_r) for every k ≠ r, counts
    1 − Σ_k ‖x_k − e_k‖ / (K√2).

    Van Calster et al. 2008 §V use it to find out why wVUS behaves like the unweighted metrics: it
    does so too, hence the reason is the weight and not the rule. For K = 2 it is the mean of the
    strict AUC and the scored AUC, as wVUS is. It is computed only if requested by name.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "strict" gives nothing, "lenient" gives all.
    n_tuples : draw this many tuples at random instead of using all, which is expensive for K ≥ 4.
    rng : seed or generator of that draw.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    normalize : divide each row of scores by its sum.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import length_weighted_vus2, wvus
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(length_weighted_vus2([0, 1, 2], p), 6)  # 1 − (√.06 + 2 √.24) / (3 √2)
    0.711325
    >>> p = [[0.8, 0.1, 0.1], [0.3, 0.5, 0.2], [0.85, 0.1, 0.05]]  # case 3 leads in class 1
    >>> length_weighted_vus2([0, 1, 2], p)
    0.0
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return LENGTH_WEIGHTED_VUS2.of(cases, ties=ties, n_tuples=n_tuples, rng=rng)
