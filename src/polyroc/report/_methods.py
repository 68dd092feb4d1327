"""A paragraph for the methods section of a paper, with what was done here and its references."""

from polyroc._base.wording import plural
from polyroc._version import __version__
from polyroc.metrics import registry
from polyroc.report._content import Content
from polyroc.report._wording import level_text, spoken

CITATIONS = {
    "hand_till": "D. J. Hand, R. J. Till, Machine Learning 45 (2001) 171–186",
    "roc_auc": "J. A. Hanley, B. J. McNeil, Radiology 143 (1982) 29–36",
}
HOLM = "S. Holm, Scandinavian Journal of Statistics 6 (1979) 65–70"
WILSON = "E. B. Wilson, Journal of the American Statistical Association 22 (1927) 209–212"


def methods(content: Content) -> str:
    """What was computed, from how many cases, and by which version."""
    predictions = content.predictions
    declared = registry[content.main_metric]
    counts = ", ".join(
        f"{count:,} {label}" if spoken(label) == label else f"{count:,} of {spoken(label)}"
        for label, count in zip(content.classes, predictions.class_counts.tolist(), strict=True)
    )
    cases = plural(len(predictions), "case")
    few = len(content.classes) <= 12
    parts = [
        f"Predictions for {cases} of {plural(len(content.classes), 'class')}"
        f"{f' ({counts})' if few else ''} by {plural(len(content.models), 'model')} were "
        f"evaluated with polyroc {__version__}.",
        f"Discrimination was measured by {declared.symbol} ({declared.title}; "
        f"{CITATIONS.get(declared.name, declared.reference)}), with "
        f"{level_text(content.level)} confidence intervals in Wilson's form ({WILSON}) from "
        f"influence values{_design(content)}.",
    ]
    if content.comparison is not None:
        several = len(content.models) > 2
        holm = f", with p-values adjusted for pairs of models ({HOLM})" if several else ""
        parts.append(
            "Models were compared on the same cases by paired tests of the differences of their "
            f"influence values{holm}."
        )
    return " ".join(parts)


def _design(content: Content) -> str:
    """What else is known of the cases."""
    told = []
    if content.groups is not None:
        told.append(f"{plural(content.n_groups, 'group')} of cases were treated as independent")
    if content.predictions.weights is not None:
        told.append("cases were weighted")
    if content.predictions.folds is not None:
        folds = plural(len(content.predictions.folds.names), "fold")
        told.append(f"values are means over {folds} of a cross-validation")
    return f"; {'; '.join(told)}" if told else ""
