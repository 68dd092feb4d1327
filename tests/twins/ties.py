"""The rule for equal numbers in plain loops and exact fractions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

SLACK = Fraction(1, 2**40)


def slack_of(value: Fraction, terms: Iterable[Fraction]) -> Fraction:
    """Of a sum of terms."""
    return SLACK * max(abs(Fraction(term)) for term in terms) if value else Fraction(0)


def run_numbers(values: Sequence[Fraction], slacks: Sequence[Fraction]) -> list[int]:
    """The number of the run of each value, runs in ascending order."""
    largest: dict[Fraction, Fraction] = {}
    for value, slack in zip(values, slacks, strict=True):
        largest[value] = max(slack, largest.get(value, Fraction(0)))
    runs: list[list[Fraction]] = []
    for value in sorted(largest):
        near = runs and value - runs[-1][-1] <= max(largest[value], largest[runs[-1][-1]])
        if near:
            runs[-1].append(value)
        else:
            runs.append([value])
    number: dict[Fraction, int] = {}
    for run in runs:
        wide = run[-1] - run[0] > 1024 * max(largest[value] for value in run)
        base = len(set(number.values()))
        for place, value in enumerate(run):
            number[value] = base + (place if wide else 0)
    return [number[value] for value in values]
