"""Everything in polyroc that writes a file, each with an older and a newer version of its content.

Contents are made once, so that writing is all that happens when a writer is called.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

OLD, NEW = 0, 1
NAMES = ("surface", "search checkpoint", "study checkpoint", "summary", "report")
SETS = [
    pytest.param(("arrays",), id="what all of them call"),
    pytest.param(NAMES, id="each of them", marks=pytest.mark.slow),
]

Writer = Callable[[Path, int], object]


def writer(name: str) -> Writer:
    """A function of a path and a version; version 1 is longer than version 0."""
    made: dict[str, Callable[[], Writer]] = {
        "surface": _surface,
        "search checkpoint": _search_checkpoint,
        "study checkpoint": _study_checkpoint,
        "summary": _summary,
        "report": _report,
        "arrays": _arrays,
    }
    return made[name]()


def cases(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities of three classes."""
    rng = np.random.default_rng(n)
    y = np.arange(n) % 3
    return y, rng.dirichlet(np.ones(3), n) * 0.7 + 0.3 * np.eye(3)[y]


def _arrays() -> Writer:
    """What most of the others go through, with all it can do, and nothing heavy loaded."""
    from polyroc._storage.npz import write_arrays

    versions = [{"a": np.arange(n), "b": np.ones(n)} for n in (500, 900)]
    return lambda path, version: write_arrays(
        path, "polyroc test 1", {"version": version}, versions[version], keep_previous=True
    )


def _surface() -> Writer:
    from polyroc.surface import RocSurface

    versions = [
        RocSurface(
            np.linspace(0, 1, 6 * n).reshape(n, 6), np.ones((n, 3, 3)), np.zeros((n, 0)),
            ("a", "b", "c"), np.ones(3), {"history": []}, None,
        )
        for n in (20, 60)
    ]  # fmt: skip
    return lambda path, version: versions[version].save(path)


def _search_checkpoint() -> Writer:
    from polyroc.surface import ScoreModel
    from polyroc.surface._checkpoint import checkpoint_of, save
    from polyroc.surface._evolution import Evolution, Settings

    versions = []
    for generations in (0, 3):
        evolution = Evolution(ScoreModel(*cases(30)), Settings(10, "pairs", "inherit", None), 1)
        evolution.begin()
        for _ in range(generations):
            evolution.advance()
        versions.append(evolution)
    return lambda path, version: save(checkpoint_of(path), versions[version])


def _study_checkpoint() -> Writer:
    from sklearn.naive_bayes import GaussianNB

    from polyroc.inference._study.checkpoint import checkpoint_of, save
    from polyroc.inference._study.plan import plan_of
    from polyroc.inference._study.splits import Finished

    y, X = cases(30)
    plan = plan_of({"bayes": GaussianNB()}, X, y, 0.4, ["hand_till"], None)
    versions = [
        Finished(plan, 1, {split: np.full((1, 1), 0.5) for split in range(n)}) for n in (2, 900)
    ]
    return lambda path, version: save(checkpoint_of(path), versions[version])


def _summary() -> Writer:
    from polyroc.scale import PairSummary

    versions = [PairSummary([0, 1, 2]).update(*cases(n)) for n in (30, 90)]
    return lambda path, version: versions[version].save(path)


def _report() -> Writer:
    from polyroc.report import _page as page

    y, scores = cases(60)
    content = page.gather(y, scores)
    text = page.render(content)
    versions = [text, text + "<!-- the newer version -->"]

    def write(path: Path, version: int) -> object:
        page.gather, page.render = (lambda *_, **__: content), (lambda _: versions[version])
        return page.write_report(path, y, scores)

    return write
