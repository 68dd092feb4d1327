"""Results that resemble a cell in which intervals miss their level say so."""

import json
import sys
from pathlib import Path

import pytest

from polyroc import evaluate
from polyroc.inference._coverage import missed_cells

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
