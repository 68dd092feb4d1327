"""Results that resemble a cell in which intervals miss their level say so."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from polyroc import evaluate
from polyroc.inference import _coverage
from polyroc.inference._coverage import Missed, missed_cells

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "docs" / "coverage" / "coverage.json").read_text())
TRIED = 6
"""Samples of a cell of which one must have the note: values far from the truth do not resemble."""


@pytest.fixture(scope="module")
def proof():
    """The modules that draw the samples and write the table."""
    sys.path.insert(0, str(ROOT / "proof" / "coverage"))
    import cells
    import samples
    import table

    yield {cell.name: cell for cell in cells.CELLS}, samples, table
    sys.path.remove(str(ROOT / "proof" / "coverage"))


def told(samples, cell, signal, metrics, seed):
    y, p, groups = samples.sample_of(cell, signal, seed)
    tuples = {"n_tuples": 5000, "rng": seed} if len(cell.sizes) > 3 else {}
    found = evaluate(y, p, metrics, groups=groups, **tuples)
    return {
        name: note.text
        for name, each in found.items()
        for note in each.notes
        if note.code == "coverage"
    }


def test_the_cells_are_those_with_a_star(proof):
    _, _, table = proof
    made = [cell._asdict() for cell in missed_cells()]
    assert made == table.missed_cells(ROWS)
    text = (ROOT / "docs" / "coverage" / "coverage.md").read_text()
    assert text.count("*") - 2 == len(made)  # and two around M in the text


def test_every_star_has_its_note(proof):
    cells, samples, _ = proof
    for row in ROWS:
        if row["met"]:
            continue
        cell, name, signal = cells[row["cell"]], row["metric"], row["signal"]
        texts = (told(samples, cell, signal, [name], seed).get(name) for seed in range(TRIED))
        text = next((text for text in texts if text), None)
        assert text is not None, (row["cell"], name)
        assert text.startswith("95 % intervals of this metric covered ")
        assert " % instead of 95 % in simulations with " in text


def test_other_cells_have_none(proof):
    cells, samples, _ = proof
    starred, checked = {row["metric"] for row in ROWS if not row["met"]}, 0
    for name in ("K=2 15×2 M=0.8", "K=3 15×3 M=0.95", "K=3 60×3 M=0.8 20 patients"):
        own = {row["metric"]: row for row in ROWS if row["cell"] == name}
        plain = [metric for metric in own if metric not in starred | {"gini", "saec"}]
        signal = next(iter(own.values()))["signal"]
        assert told(samples, cells[name], signal, plain, 1) == {}
        checked += len(plain)
    assert checked > 10


def test_results_like_a_cell_that_misses_are_told(monkeypatch):
    """Within a factor of two of its cases and groups, and three standard errors of its value."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    p = rng.dirichlet(np.ones(3), 60) + 0.5 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    plain = evaluate(y, p, ["hand_till"])["hand_till"]
    like = Missed("hand_till", 3, 20, plain.value, 90.0)
    error = plain.standard_error
    for cell, expected in (
        (like, True),
        (like._replace(metric="aunu"), False),
        (like._replace(n_classes=2), False),
        (like._replace(smallest=10), True),
        (like._replace(smallest=9), False),
        (like._replace(smallest=40), True),
        (like._replace(smallest=41), False),
        (like._replace(truth=plain.value + 2.9 * error), True),
        (like._replace(truth=plain.value - 3.1 * error), False),
        (like._replace(groups=20), False),
        (like._replace(levels=30), True),
        (like._replace(levels=29), False),
    ):
        monkeypatch.setattr(_coverage, "missed_cells", lambda cell=cell: (cell,))
        notes = evaluate(y, p, ["hand_till"])["hand_till"].notes
        assert any("instead of 95 % in simulations" in note.text for note in notes) == expected
