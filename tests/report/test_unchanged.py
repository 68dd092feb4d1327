"""Pages say what they said: every text, heading, label and class, in order.

Whether it is true is for the other tests. After a change that is meant, write the pages anew with
``POLYROC_WRITE_PAGES=1 pytest -m system tests/report/test_unchanged.py``, and read the difference.
"""

import difflib
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from report.conftest import make_sample
from report.dom import Node, parsed

from polyroc import Predictions, __version__
from polyroc.datasets import example_predictions
from polyroc.report import write_report

PAGES = Path(__file__).parent / "pages"

LEFT_OUT = {"script", "style"}

LONG = 200
"""Characters of an attribute that are written out."""


def shortened(value: str) -> str:
    """Long lists of coordinates by their beginning and a hash."""
    if len(value) <= LONG:
        return value
    return f"{value[:20]}… {hashlib.sha256(value.encode()).hexdigest()[:12]}"


def outline(node: Node) -> Iterator[str]:
    """A line for each element: what it is, and the text that is directly in it."""
    if node.tag in LEFT_OUT:
        return
    attributes = [
        name if value is None else f'{name}="{shortened(value)}"'
        for name, value in sorted(node.attributes.items())
    ]
    text = " ".join(" ".join(each for each in node.children if isinstance(each, str)).split())
    yield " ".join(filter(None, [node.tag, *attributes, text and f"| {text}"]))
    for child in node.children:
        if isinstance(child, Node):
            yield from outline(child)


def example(path: Path) -> Path:
    y, models, labels = example_predictions()
    return write_report(path, y, models, labels=labels, title="Example")


def slices(path: Path) -> Path:
    """One model of five classes, with weights, groups, slices and a class of two cases."""
    y, models = make_sample(5, 240, n_models=1)
    y[y == 4] = 0
    y[:2] = 4
    at = np.arange(len(y))
    cases = Predictions(
        y,
        models["model 0"],
        sample_weight=1.0 + at % 3,
        groups=at // 3,
        slices={"site": np.array(["north", "south", "east"])[at % 3], "rare": at < 3},
    )
    return write_report(path, {"model 0": cases}, level=0.9)


def folds(path: Path) -> Path:
    """Two models of two classes, tested on five folds."""
    y, models = make_sample(2, 200)
    at = np.arange(len(y)) % 5
    cases = {name: Predictions(y, scores, folds=at) for name, scores in models.items()}
    return write_report(path, cases)


def hard(path: Path) -> Path:
    """A perfect model, one that guesses, and one that is reversed, of four classes."""
    y, models = make_sample(4, 120, n_models=1)
    own = np.eye(4)[y]
    guess = np.full((len(y), 4), 0.25)
    return write_report(
        path,
        y,
        {
            "perfect": 0.7 * own + 0.1 * (1 - own),
            "guess": guess,
            "reversed": models["model 0"][:, ::-1],
        },
    )


@pytest.mark.parametrize("make", [example, slices, folds, hard], ids=lambda make: make.__name__)
def test_pages_say_what_they_said(make, tmp_path: Path) -> None:
    html = make(tmp_path / "page.html").read_text(encoding="utf-8")
    html = re.sub(r"\d{4}-\d\d-\d\d", "DATE", html.replace(__version__, "VERSION"))
    html = re.sub(r"&#x27;sha256-[^&]+&#x27;", "HASH", html)
    found = [line + "\n" for line in outline(parsed(html))]
    path = PAGES / f"{make.__name__}.txt"
    if os.environ.get("POLYROC_WRITE_PAGES") == "1":
        path.write_text("".join(found), encoding="utf-8")
    before = path.read_text(encoding="utf-8").splitlines(keepends=True)
    changes = "".join(list(difflib.unified_diff(before, found, "before", "now", n=1))[:60])
    assert not changes, changes
