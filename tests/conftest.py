"""Settings of all tests."""

import functools
import sys
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The first example of a compiled function waits for the compiler, and machines are noisy.
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("quick")

# ``pytest --hypothesis-profile usual``, or ``long``, takes the place of the one above: the option
# is read after this file. Tests that say how many examples they want by
# ``differential.data_sets.examples``, or not at all, try more in proportion.
settings.register_profile("usual", deadline=None, max_examples=100)
settings.register_profile("long", deadline=None, max_examples=2000)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Docstrings of tests have no examples: what would look for them is left out."""
    found = yield
    return [each for each in found if type(each).__name__ != "DoctestModule"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Faults, hostile files and the browser are in the tier of the system."""
    tests = Path(__file__).parent
    for item in items:
        folder = item.path.relative_to(tests).parts[0] if item.path.is_relative_to(tests) else ""
        if folder in ("faults", "hostile") or item.get_closest_marker("browser"):
            item.add_marker("system")


@pytest.fixture(scope="session", autouse=True)
def _every_document_is_as_its_schema_says() -> Iterator[None]:
    """Whatever a command prints with --json in this process is validated, in every test."""
    from documents import validate

    from polyroc.cli import documents as printing

    plain = printing.print_document

    @functools.wraps(plain)
    def validated(command: str, content: Mapping[str, Any]) -> None:
        validate(command, printing.document_text(command, content))
        plain(command, content)

    printing.print_document = validated
    yield
    printing.print_document = plain


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """Displays draw at once: what a test has drawn goes with it."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
