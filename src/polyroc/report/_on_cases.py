"""Findings about the cases: whether they belong together, weigh differently, or are a sample."""

from collections.abc import Iterator

from polyroc._base.wording import plural
from polyroc.predictions._groups import FEW_GROUPS
from polyroc.report._all_cases import counts_all
from polyroc.report._content import Content
from polyroc.report._finding import Finding


def groups(content: Content) -> Iterator[Finding]:
    """Cases that are not independent."""
    if content.groups is None:
        return
    told = (
        f"The {plural(len(content.predictions), 'case')} belong to "
        f"{plural(content.n_groups, 'group')}. Every interval and test on this page treats "
        "groups, not cases, as independent."
    )
    if content.n_groups < FEW_GROUPS:
        text = f"{told} With so few groups they are unreliable."
        yield Finding("few-groups", "warning", "Few groups", text)
    else:
        yield Finding("grouped-cases", "fact", "Cases belong to groups", told)


def folds(content: Content) -> Iterator[Finding]:
    """Cases that were held out in folds of a cross-validation."""
    given = content.predictions.folds
    if given is None:
        return
    text = (
        f"The cases were held out in {plural(len(given.names), 'fold')} of a cross-validation. "
        "Metrics, their intervals and tests are means over folds: only cases of the same fold, "
        "whose scores come from the same fitted model, are compared. Curves, rates and the "
        "explorer put the folds together."
    )
    yield Finding("mean-over-folds", "fact", "Values are means over folds", text)
    for model in content.models:
        notes = model.evaluation[content.main_metric].notes
        for note in notes:
            if note.code == "cases-pooled":
                title = f"{model.name}: folds are on different scales"
                text = f"{note.text[:1].upper()}{note.text[1:]}."
                yield Finding("cases-pooled", "warning", title, text)


def weights(content: Content) -> Iterator[Finding]:
    """Cases that do not count alike."""
    given = content.predictions.weights
    if given is None:
        return
    dropped = content.n_given - len(content.predictions)
    left_out = f" {plural(dropped, 'case')} of weight 0 left out." if dropped else ""
    text = (
        f"Metrics, rates and shares count each case by its weight; the largest weight is "
        f"{given.max() / given.min():.3g} times the smallest. Numbers of cases are plain counts."
        f"{left_out}"
    )
    yield Finding("weighted-cases", "fact", "Cases are weighted", text)


def by_position(content: Content) -> Iterator[Finding]:
    """Rows that were matched by their place, although indexes differ."""
    for model in content.models:
        notes = model.evaluation[content.main_metric].notes
        for text in dict.fromkeys(note.text for note in notes if note.code == "rows-by-position"):
            title = f"{model.name}: rows matched by position"
            yield Finding("rows-by-position", "warning", title, f"{text[:1].upper()}{text[1:]}.")


def sampled(content: Content) -> Iterator[Finding]:
    """A page that holds only some of the cases."""
    cases = content.cases
    if cases.sampled and content.holds_cases:
        kind = "surface" if len(content.classes) > 2 else "curve of all costs"
        also = f" and the ROC {kind}" if content.surfaces else ""
        text = (
            f"All numbers outside the explorer{also} are computed from all "
            f"{plural(cases.n_cases, 'case')}. The page itself contains {len(cases):,} of them, "
            "drawn at random within each class, so that it stays small; decisions, their costs "
            f"and the points that mark them on ROC curves are of these{_unless(content)}."
        )
        yield Finding("sample-in-page", "fact", "The explorer shows a sample of the cases", text)


def _unless(content: Content) -> str:
    return ", unless every error costs the same" if counts_all(content) else ""
