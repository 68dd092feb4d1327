"""Findings that several models share, told once."""

from dataclasses import dataclass

from polyroc.report._content import Content
from polyroc.report._finding import SEVERITIES, Finding, Severity

ABOVE_THE_FOLD = 7
"""Findings that are shown at once; the others are folded away, unless there is one."""

TITLES = {
    "difference-clear": "{best} is better than {others}",
    "difference-unclear": "{best} cannot be told apart from {any_others}",
    "no-test": "{best}: no test against {any_others}",
    "not-probabilities": "The scores of {some} are not probabilities",
    "worse-than-guessing": "{Some} are worse than guessing",
    "not-better-than-guessing": "{None_is} better than guessing, as far as these cases show",
    "reversed-pair": "{Some} rank a pair of classes the wrong way round",
    "perfect-separation": "{Some} separate some classes perfectly",
    "cases-pooled": "{Some}: folds are on different scales",
    "rows-by-position": "{Some}: rows matched by position",
    "overconfident": "{Some} are overconfident",
    "underconfident": "{Some} are underconfident",
    "class-shares": "{Some}: probabilities of a class are too high or too low on average",
    "tied-scores": "{Some}: tied scores",
    "undefined-metric": "{Some}: metrics that are not defined",
}
"""Headlines of findings that there is one of for each model."""


@dataclass(frozen=True)
class Group:
    """One finding, or the same of several models."""

    code: str
    severity: Severity
    title: str
    members: tuple[Finding, ...]


def grouped(content: Content, found: list[Finding]) -> list[Group]:
    """The findings by code, what matters most first."""
    by_code: dict[str, list[Finding]] = {}
    for finding in found:
        by_code.setdefault(finding.code, []).append(finding)
    groups = [_group(content, code, members) for code, members in by_code.items()]
    return sorted(groups, key=lambda group: SEVERITIES.index(group.severity))


def above_the_fold(groups: list[Group]) -> tuple[list[Group], list[Group]]:
    """Those shown at once and the others, of which there are none or at least two."""
    n_shown = ABOVE_THE_FOLD - (len(groups) == ABOVE_THE_FOLD + 1)
    return groups[:n_shown], groups[n_shown:]


def _group(content: Content, code: str, members: list[Finding]) -> Group:
    severity = min((each.severity for each in members), key=SEVERITIES.index)
    if len(members) == 1:
        return Group(code, severity, members[0].title, tuple(members))
    n_models = len(content.models)
    counts = {
        "some": some_of(len(members), n_models, "models"),
        "others": some_of(len(members), n_models - 1, "other models"),
        "any_others": any_of(len(members), n_models - 1),
    }
    counts["Some"] = counts["some"].capitalize()
    counts["None_is"] = none_of(len(members), n_models)
    title = TITLES[code].format(best=content.leading.name, **counts)
    return Group(code, severity, title, tuple(members))


def some_of(count: int, every: int, word: str) -> str:
    """How many of several, as a sentence says it.

    Examples
    --------
    >>> some_of(2, 3, "models"), some_of(2, 2, "models"), some_of(5, 5, "other models")
    ('2 of 3 models', 'both models', 'all 5 other models')
    """
    if count < every:
        return f"{count} of {every} {word}"
    return f"both {word}" if every == 2 else f"all {every} {word}"


def any_of(count: int, every: int) -> str:
    """How many of the other models, after a "not": from all of them means from each.

    Examples
    --------
    >>> any_of(2, 3), any_of(2, 2), any_of(5, 5)
    ('2 of 3 other models', 'either other model', 'any of the 5 other models')
    """
    if count < every:
        return some_of(count, every, "other models")
    return "either other model" if every == 2 else f"any of the {every} other models"


def none_of(count: int, every: int) -> str:
    """How many models are not what follows, at the beginning of a sentence.

    Examples
    --------
    >>> none_of(2, 3), none_of(2, 2), none_of(3, 3)
    ('2 of 3 models are not', 'Neither model is', 'None of the 3 models is')
    """
    if count < every:
        return f"{count} of {every} models are not"
    return "Neither model is" if every == 2 else f"None of the {every} models is"
