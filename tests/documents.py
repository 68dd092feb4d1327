"""JSON documents of the command line against their published schemas."""

import functools
import json
from typing import Any

from polyroc.cli.schema import schema_of


def closed(schema: Any) -> Any:
    """A schema that allows no other fields: the published ones allow those of later versions."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if "properties" in made and isinstance(schema.get("type"), (str, list)):
        made.setdefault("additionalProperties", False)
    return made


@functools.cache
def validator_of(name: str) -> Any:
    from jsonschema import Draft202012Validator

    schema = closed(schema_of(name))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def validate(name: str, text: str) -> None:
    """An error where a document is not as its schema says."""
    found = min(validator_of(name).iter_errors(json.loads(text)), key=str, default=None)
    if found is not None:
        raise AssertionError(f"{name}, {found.json_path}: {found.message[:500]}")
