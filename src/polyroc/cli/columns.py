"""Whether columns of scores may be swapped, as the predictions themselves show."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyroc.predictions import Predictions


def swapped_columns(predictions: "Predictions", level: float) -> str:
    """A question about two classes that are ranked the wrong way round, or nothing.

    Both AUCs of the pair are clearly below ½, at a level adjusted for the number of pairs; it is
    the question that the report asks.
    """
    from polyroc.inference._influence import CaseDesign
    from polyroc.inference._pairs import pair_limits, reversed_pairs
    from polyroc.metrics.folds import pairs_of

    if predictions.n_classes == 2:
        return ""
    auc = pairs_of(predictions).auc()
    if not ((auc < 0.5) & (auc.T < 0.5)).any():
        return ""
    design = CaseDesign.of(None, predictions)
    wrong = reversed_pairs(predictions, design, pair_limits(predictions, design, level), level)
    if not wrong.any():
        return ""
    from polyroc.report._on_pairs import swapped

    return swapped([str(label) for label in predictions.classes], auc, wrong)
