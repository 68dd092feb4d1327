"""Settings of all tests."""

import functools
import os
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
settings.register_profile("long", deadline=None, max_examples=500)

SYSTEM = [Path(__file__).parent / name for name in ("display", "faults", "hostile", "report")]
MANY = 2000
"""Tests that need nearly every kernel."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Docstrings of tests have no examples: what would look for them is left out."""
    found = yield
    return [each for each in found if type(each).__name__ != "DoctestModule"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Faults, hostile files, figures, reports and the browser are in the tier of the system."""
    for item in items:
        if item.path.parent in SYSTEM or item.get_closest_marker("browser"):
            item.add_marker("system")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What another tier runs is not even read."""
    return (collection_path in SYSTEM and "not system" in config.option.markexpr) or None


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


@pytest.fixture(scope="session", autouse=True)
def _each_kernel_is_compiled_by_one_worker(request: pytest.FixtureRequest) -> None:
    """Where all tests run, workers compile different kernels first, not the same ones at once."""
    n_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    if n_workers > 1 and len(request.session.items) > MANY:
        from kernels.workloads import results

        list(results(int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")), n_workers))


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """Displays draw at once: what a test has drawn goes with it."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
