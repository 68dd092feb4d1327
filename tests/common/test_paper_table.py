"""The table of properties of Kleiman & Page 2019 comes out of the declarations."""

from __future__ import annotations

import pytest

from polyroc import registry
from polyroc.metrics.declaration import Property

TABLE = {
    "hand_till": ("✗", "✓", "✓"),
    "aunp": ("✗", "✓", "✗"),
    "auc_mu": ("✓", "✓", "✓"),
    "vus": ("✓", "✗", "?"),
}
"""Perfect = 1, random = 0.5, skew insensitive: H&T, P&D, AUC_μ and VUS-3 of Kleiman & Page 2019."""


def mark(holds: bool) -> str:
    return "✓" if holds else "✗"


@pytest.mark.parametrize("name", TABLE)
def test_row(name):
    metric = registry[name]
    found = (
        mark(Property.PERFECT_ARGMAX in metric.properties and metric.highest == 1),
        mark(metric.chance is not None and metric.chance(3) == 0.5),
        mark(Property.SKEW in metric.properties),
    )
    known = [
        (ours, theirs) for ours, theirs in zip(found, TABLE[name], strict=True) if theirs != "?"
    ]
    assert all(ours == theirs for ours, theirs in known), (name, found)


def test_what_the_paper_left_open():
    """Kleiman & Page 2019 have a question mark for the skew of VUS: it does not matter."""
    assert Property.SKEW in registry["vus"].properties
