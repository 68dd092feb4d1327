"""Findings that several models share, told once."""

from dataclasses import dataclass

from polyroc.report._content import Content
from polyroc.report._finding import SEVERITIES, Finding, Severity

ABOVE_THE_FOLD = 7
"""Findings that are shown at once; the others are folded away."""

TITLES = {
    "difference-clear": "{best} is better than {n} of {others} other models",
    "difference-unclear": "{best} cannot be told apart from {n} of {others} other models",
    "no-test": "{best}: no test against {n} of {others} other models",
    "not-probabilities": "The scores of {n} of {all} models are not probabilities",
    "worse-than-guessing": "{n} of {all} models are worse than guessing",
    "not-better-than-guessing": (
        "{n} of {all} models are not better than guessing, as far as these cases show"
    ),
    "reversed-pair": "{n} of {all} models rank a pair of classes the wrong way round",
    "perfect-separation": "{n} of {all} models separate classes perfectly",
    "cases-pooled": "{n} of {all} models: folds are on different scales",
    "rows-by-position": "{n} of {all} models: rows matched by position",
    "overconfident": "{n} of {all} models are overconfident",
    "underconfident": "{n} of {all} models are underconfident",
    "class-shares": (
        "{n} of {all} models: probabilities of a class are too high or too low on average"
    ),
    "tied-scores": "{n} of {all} models: tied scores",
    "undefined-metric": "{n} of {all} models: metrics that are not defined",
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


def _group(content: Content, code: str, members: list[Finding]) -> Group:
    severity = min((each.severity for each in members), key=SEVERITIES.index)
    if len(members) == 1:
        return Group(code, severity, members[0].title, tuple(members))
    n_models = len(content.models)
    counts = {"n": len(members), "all": n_models, "others": n_models - 1}
    title = TITLES[code].format(best=content.leading.name, **counts)
    return Group(code, severity, title, tuple(members))
