"""Findings: what a reader should know first, in plain words."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from polyroc.report import _on_cases as on_cases
from polyroc.report import _on_classes as on_classes
from polyroc.report import _on_models as on_models
from polyroc.report import _on_pairs as on_pairs
from polyroc.report._content import Content
from polyroc.report._finding import SEVERITIES, Finding
from polyroc.report._wording import spoken

RULES: tuple[Callable[[Content], Iterator[Finding]], ...] = (
    on_models.differences,
    on_models.metric_choice,
    on_pairs.confused_pairs,
    on_pairs.reversed_pairs,
    on_classes.confusions,
    on_models.not_probabilities,
    on_models.guessing,
    on_models.separation,
    on_cases.groups,
    on_cases.folds,
    on_cases.weights,
    on_cases.by_position,
    on_classes.rare_classes,
    on_classes.few_cases,
    on_classes.calibration,
    on_classes.class_shares,
    on_models.ties,
    on_models.undefined,
    on_cases.sampled,
)


def findings(content: Content) -> list[Finding]:
    """All that was found, what matters most first."""
    content = replace(content, classes=tuple(spoken(label) for label in content.classes))
    found = [finding for rule in RULES for finding in rule(content)]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
