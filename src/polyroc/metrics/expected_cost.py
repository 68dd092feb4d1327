"""Surface-averaged expected cost of two classes."""

from typing import Literal

from polyroc.predictions import Predictions
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike


def saec(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    model: Literal["binormal", "proper", "hull"] = "binormal",
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
    y_true : true class of each case; or one Predictions, which takes the place of labels and
        scores.
    y_score : scores of the second class, or of both.
    labels : the two classes in order; by default sorted.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    model : ``"binormal"``, the conventional binormal curve fitted by maximum likelihood, on
        ranks; ``"proper"``, the proper one, which has no hooks; ``"hull"``, the convex hull of the
        empirical curve, which assumes nothing and is optimistic.

    Examples
    --------
    >>> from polyroc import saec
    >>> y, score = [0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8]
    >>> round(saec(y, score, model="hull"), 4)  # 2(1 − 7/8)/(½ + √½ + ½)
    0.1464
    >>> round(saec(y, score), 4)
    0.2632
    """
    from polyroc._base.checks import check_choice
    from polyroc.utility._categories import RankedCases
    from polyroc.utility._data_cost import MODELS, saec_of
    from polyroc.utility._fits import two_classes

    check_choice(model, "model", MODELS)
    predictions = two_classes(y_true, y_score, labels, sample_weight, "saec")
    return saec_of(RankedCases.of(predictions), model)
