"""Notes on values, each once, with the metrics and models that it is about."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyroc.results import Evaluation


def notes(results: "Mapping[str, Evaluation]", left_out: Sequence[str] = ()) -> list[str]:
    """What is right but surprising about these numbers, each once, with what it is about.

    Notes with the codes ``left_out`` are not told.
    """
    about: dict[tuple[str, bool], dict[str, list[str]]] = {}
    for name, result in results.items():
        for metric, estimate in result.items():
            for note in (each for each in estimate.notes if each.code not in left_out):
                own = note.text.startswith(f"{metric} ")  # a sentence whose subject is the metric
                text = note.text.removeprefix(f"{metric} ")
                about.setdefault((text, own), {}).setdefault(metric, []).append(name)
    lines = []
    for (text, own), metrics in about.items():
        by_models: dict[tuple[str, ...], list[str]] = {}
        for metric, models in metrics.items():
            by_models.setdefault(tuple(models), []).append(metric)
        for told, named in by_models.items():
            of = "" if len(told) == len(results) else f" of {', '.join(told)}"
            subject = f"{', '.join(named)}{of}"
            lines.append(f"{subject} {_agreed(text, named)}" if own else f"{subject}: {text}")
    return lines


def _agreed(predicate: str, subjects: list[str]) -> str:
    """A predicate whose verb agrees with the number of subjects.

    Examples
    --------
    >>> _agreed("needs probabilities.", ["vus"]), _agreed("needs probabilities.", ["vus", "wvus"])
    ('needs probabilities.', 'need probabilities.')
    """
    verb, space, rest = predicate.partition(" ")
    several = {"needs": "need", "is": "are", "has": "have"}
    return predicate if len(subjects) == 1 else f"{several.get(verb, verb)}{space}{rest}"
