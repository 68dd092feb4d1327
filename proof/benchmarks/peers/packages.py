"""The peers: how they are found, installed and left out."""

import platform
from collections.abc import Collection
from importlib.metadata import version
from importlib.util import find_spec

import polyroc

MODULES = {
    "scikit-learn": "sklearn",
    "lightgbm": "lightgbm",
    "torchmetrics": "torchmetrics",
    "pymoo": "pymoo",
    "moocore": "moocore",
    "confidenceinterval": "confidenceinterval",
    "fairlearn": "fairlearn",
    "numpy": "numpy",
}
"""The module that each package is imported as."""

BELOW = ("polyroc", "numba", "scipy", "pyarrow")
"""Packages beside the peers whose versions matter to the times."""

INSTALL = "pip install -e '.[benchmark]'"


class MissingPeer(Exception):
    """A peer that is to be measured is not installed."""


def require(wanted: Collection[str]) -> None:
    """Raise an error that says how to go on unless every package can be imported."""
    missing = [name for name in wanted if find_spec(MODULES[name]) is None]
    if missing:
        raise MissingPeer(
            f"Not installed: {', '.join(missing)}. Install all peers with {INSTALL}, or leave "
            f"them out openly with --without {' '.join(missing)}."
        )


def versions(names: Collection[str]) -> dict[str, str]:
    """Versions of Python, of the peers named and of what lies below them.

    That of polyroc is what is imported: an editable install keeps the number of its first day.
    """
    with_torch = ["torch"] if "torchmetrics" in names else []
    listed = [*BELOW, *names, *with_torch]
    found = {name: version(name) for name in dict.fromkeys(listed)}
    return {"python": platform.python_version()} | found | {"polyroc": polyroc.__version__}
