"""Settings of all tests."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import settings

# The first example of a compiled function waits for the compiler, and machines are noisy.
settings.register_profile("polyroc", deadline=None)
settings.load_profile("polyroc")

# ``pytest --hypothesis-profile long`` takes the place of the one above: the option is read after
# this file. Tests that say how many examples they want by ``differential.data_sets.examples``, or
# not at all, try twenty times as many.
settings.register_profile("long", deadline=None, max_examples=20 * settings().max_examples)


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
