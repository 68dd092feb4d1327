"""Whether columns may be something else than they are taken for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyroc.predictions import Predictions
    from polyroc.readers import FileFeatures


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


def features_read(cases: "FileFeatures") -> list[str]:
    """Which columns are features, and a note on those whose name is that of a case or a group."""
    from polyroc.predictions._classes import listed
    from polyroc.predictions._score_columns import is_named
    from polyroc.readers._names import CASES, GROUPS

    named = [name for name in cases.features if is_named(name, (*CASES, *GROUPS))]
    note = (
        f"Note. {listed(named)}: taken as a feature. A column that numbers or names cases can give "
        "their classes away; leave it out with --drop."
    )
    return [f"Read as: {cases.describe()}.", *([note] if named else [])]
