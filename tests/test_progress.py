"""The progress bar: on a terminal, in a notebook without widgets, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from polyroc import cross_evaluate
from polyroc._base import progress
from polyroc._base.progress import ProgressBar
from polyroc.surface import KnnModel, search
from polyroc.surface._progress import SearchProgress

Y = np.arange(60) % 3
X = np.random.default_rng(0).normal(size=(60, 2)) + Y[:, None]


class Cell:
    """What a cell shows: each output, and what it was replaced by."""

    def __init__(self) -> None:
        self.shown: list[list[dict[str, str]]] = []

    def display(self, bundle: dict[str, str], raw: bool, display_id: bool) -> Any:
        assert raw and display_id
        self.shown.append([bundle])
        return types.SimpleNamespace(update=lambda new, raw: self.shown[-1].append(new))


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    """The cell of a notebook, whose kernel has loaded IPython."""
    made, ipython, display = Cell(), types.ModuleType("IPython"), types.ModuleType("display")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())  # type: ignore
    display.display = made.display  # type: ignore
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return made


def test_a_bar_in_a_notebook(cell: Cell, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", 0.0)
    with ProgressBar("a < b", 4, shown=True, done=1) as bar:
        bar.advance()
        bar.to(4, "nearly")
    ((first, second, third, last),) = cell.shown
    assert first["text/plain"] == "a < b: 1 of 4, 0 s"
    assert '<progress value="2" max="4"></progress> a &lt; b: 2 of 4' in second["text/html"]
    assert third["text/plain"] == last["text/plain"] == "a < b: 4 of 4, nearly, 0 s"
    cross_evaluate(GaussianNB(), X, Y, cv=3, metrics=["hand_till"], rng=0)
    assert [each["text/plain"].rpartition(",")[0] for each in cell.shown[-1]] == [
        *(f"splits: {done} of 3" for done in (0, 1, 2, 3, 3))
    ]
    search(KnnModel(X, Y), generations=20, rng=0)
    assert "generations, at most: 20 of 20, " in (told := cell.shown[-1][-1]["text/plain"])
    generations = [each["text/plain"].split(" of ")[0].split()[-1] for each in cell.shown[-1]]
    assert sorted(set(generations), key=int) == ["0", "1", "10", "20"], "every tenth"
    assert " on the front, G = 0." in told
    ProgressBar("nothing", 1, shown=False).advance()
    assert len(cell.shown) == 3
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("first", [0, 3, 12, 27])
def test_a_search_tells_where_it_begins_and_every_tenth_generation(first: int, cell: Cell) -> None:
    """A search that is resumed begins later."""
    bar, told = SearchProgress(60, shown=True), []
    bar.to = lambda generation, note: told.append((generation, note))  # type: ignore
    archive = types.SimpleNamespace(size=1234)
    for generation in range(first, 45):
        bar.of(
            types.SimpleNamespace(generation=generation, archive=archive, share=lambda: 0.5)  # type: ignore
        )
    expected = [first, *(g for g in (10, 20, 30, 40) if g > first)]
    assert told == [(each, "1,234 on the front, G = 0.5000") for each in expected]


def test_a_notebook_is_sent_few_pictures(cell: Cell) -> None:
    with ProgressBar("cases", 10_000, shown=True) as bar:
        for _ in range(10_000):
            bar.advance()
    assert 2 <= len(cell.shown[0]) < 1000
    assert cell.shown[0][-1]["text/plain"].startswith("cases: 10,000 of 10,000")


def test_no_bar_without_a_terminal_or_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    assert not ProgressBar("cases", 1, shown=True).active
    shell = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace())  # of a terminal
    monkeypatch.setitem(sys.modules, "IPython", shell)
    assert not ProgressBar("cases", 1, shown=True).active
    code = (
        "import polyroc._base.progress as p, sys; print(p.in_notebook(), 'IPython' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False False\n"
