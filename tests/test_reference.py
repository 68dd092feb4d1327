"""Every public name has a page of the reference."""

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import polyroc

PAGES = sorted((Path(__file__).parents[1] / "docs" / "api").glob("*.md"))
LISTED = re.compile(
    r"^\.\. currentmodule:: (\S+)\n\n\.\. autosummary::\n.*?\n\n(.*?)^```", re.M | re.S
)


def listed() -> list[str]:
    """Names that have a page, with their modules."""
    blocks = [found for page in PAGES for found in LISTED.findall(page.read_text("utf-8"))]
    return [f"{module}.{name}" for module, names in blocks for name in names.split()]


def public_modules() -> Iterator[ModuleType]:
    """The package, what it names, what those name, and where the checked input comes from."""
    yield polyroc
    for name in [*polyroc._MODULES, "predictions"]:
        module = import_module(f"polyroc.{name}")
        yield module
        for below in getattr(module, "__all__", ()):
            if inspect.ismodule(getattr(module, below)):
                yield getattr(module, below)


def public_names(module: ModuleType) -> list[str]:
    """Those of ``__all__``; where there is none, what the module defines."""
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    names = getattr(module, "__all__", own)
    return [name for name in names if not inspect.ismodule(getattr(module, name))]


def value_of(path: str) -> object:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def test_no_public_name_is_without_a_page() -> None:
    """An object that is public in several modules has one page, at one of its names."""
    shown = {id(value_of(path)) for path in listed()}
    missing = [
        f"{module.__name__}.{name}"
        for module in public_modules()
        for name in public_names(module)
        if name != "__version__" and id(getattr(module, name)) not in shown
    ]
    assert missing == []


def test_a_page_is_of_a_public_name_and_no_name_has_two() -> None:
    public = {
        f"{module.__name__}.{name}" for module in public_modules() for name in public_names(module)
    }
    counts = Counter(id(value_of(path)) for path in listed())
    assert [path for path in listed() if path not in public] == []
    assert [path for path in listed() if counts[id(value_of(path))] > 1] == []
