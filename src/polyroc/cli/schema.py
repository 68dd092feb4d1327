"""``polyroc schema``: the JSON schema of the documents that commands print."""

import json
from importlib import resources
from typing import Any

import click


@click.command(short_help="JSON schema of the documents of --json.")
@click.argument("name", required=False)
def schema(name: str | None) -> None:
    """Print the JSON schema of the document NAME, such as evaluate; without NAME, of any document.

    The documents are named after the commands that print them; that of evaluate --streaming is
    streaming.
    """
    click.echo(json.dumps(schema_of_any() if name is None else schema_of(name), indent=2))


def schema_names() -> list[str]:
    """The documents that have a schema."""
    files = resources.files("polyroc").joinpath("data", "schemas").iterdir()
    return sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))


def schema_of(name: str) -> dict[str, Any]:
    """The schema of a document."""
    from polyroc._base.checks import did_you_mean, shown
    from polyroc.errors import UnknownName

    known = schema_names()
    if name not in known:
        raise UnknownName(
            f"There is no document {shown(name)}.{did_you_mean(name, known)} "
            f"There are {', '.join(known)}."
        )
    file = resources.files("polyroc").joinpath("data", "schemas", f"{name}.json")
    made: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return made


def schema_of_any() -> dict[str, Any]:
    """One schema that every document satisfies."""
    names = schema_names()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:polyroc:any",
        "title": "polyroc --json",
        "oneOf": [{"$ref": f"urn:polyroc:{name}:1"} for name in names],
        "$defs": {name: schema_of(name) for name in names},
    }
