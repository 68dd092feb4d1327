"""Writes what follows from other files: the reference of the metrics, tables, type stubs, schemas.

Run it after a change of a metric or of docs/json.md; a test fails while the files are not current.
"""

import inspect
import json
import os
import re
import runpy
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import polyroc
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric, Property

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FORMULAS = runpy.run_path(str(DOCS / "formulas.py"))["FORMULAS"]

REFERENCE_HEAD = """# Metrics

Each metric is a function `f(y_true, y_score, *, labels=None, sample_weight=None, …)`. This page is
written from the declarations in the source, which the tests check one by one.

## Properties

A tick is a property that is tested on generated data. Where there is none, the tests contain a
counterexample, or the metric needs probabilities and rejects the transformed scores.

"""

HEADINGS = {
    Property.PERFECT_ARGMAX: "best if every argmax is right",
    Property.SKEW: "free of class skew",
    Property.COLUMN_MONOTONE: "only ranks matter",
    Property.ROW_SHIFT: "free of row shifts",
    Property.COMMON_SCALE: "free of scale",
}

FURTHER: dict[str, Callable[[Metric], bool]] = {
    "needs probabilities": lambda metric: metric.needs_probabilities,
    "weighted by priors": lambda metric: metric.prior_weighted,
}

ROLE = re.compile(r":(?:class|func|meth|mod):(?=`)")
"""What docstrings put before a name in backquotes, which a page does not show."""

MARKED = re.compile(
    r"(?P<start><!-- properties: (?P<names>[\w ]+) -->\n).*?(?P<end><!-- end of properties -->)",
    re.DOTALL,
)
"""Where a page wants a table: the metrics to show, or all."""


def package_stub() -> str:
    """Names of the package for type checkers, which do not follow lazy loading."""
    lines = ['"""Types of the public names. Written by docs/generate.py."""', ""]
    lines += [f"from polyroc import {name} as {name}" for name in sorted(polyroc._MODULES)]
    public = ["from polyroc._version import __version__ as __version__"]
    for home, names in polyroc._HOMES.items():
        public += [f"from {home} import {name} as {name}" for name in names.split()]
    return "\n".join([*lines, *sorted(public)]) + "\n"


def reference() -> str:
    """The page of the metrics."""
    parts = [REFERENCE_HEAD, _table(registry.values()), "\n"]
    parts += [_section(metric) for metric in registry.values()]
    return "".join(parts)


def _table(metrics: Iterable[Metric], page: str = "") -> str:
    """Properties of metrics, with links to their sections on a page."""
    head = ["metric", "classes", "range", "better", "chance", *HEADINGS.values(), *FURTHER]
    rows = [head, ["---"] * len(head)]
    for metric in metrics:
        held = [each in metric.properties for each in HEADINGS]
        held += [get(metric) for get in FURTHER.values()]
        chance = "varies" if metric.chance is None else metric.chance.formula
        link = f"[`{metric.name}`]({page}#{metric.name})"
        spread = f"{metric.lowest:g}–{metric.highest:g}"
        ticks = ["✓" if each else "" for each in held]
        rows.append([link, str(metric.classes), spread, metric.direction, chance, *ticks])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_tables(path: Path) -> str:
    """A page whose tables between comments are written anew; the rest of it is written by hand."""
    target = os.path.relpath(DOCS / "metrics.md", path.parent)

    def table(found: re.Match[str]) -> str:
        names = found["names"].split()
        metrics = registry.values() if names == ["all"] else [registry[name] for name in names]
        return f"{found['start']}\n{_table(metrics, target)}\n{found['end']}"

    return MARKED.sub(table, path.read_text())


def _section(metric: Metric) -> str:
    text = ROLE.sub("", inspect.cleandoc(metric.function.__doc__ or ""))
    body, _, rest = text.partition("Parameters\n----------\n")
    example = rest.partition("Examples\n--------\n")[2]
    words, *code = _split_example(example)
    probabilities = " Needs probabilities." if metric.needs_probabilities else ""
    text = _with_formula(metric.name, body.strip())
    return (
        f"## {metric.name}\n\n**{metric.title}** ({metric.symbol}). {metric.reference}. "
        f"{metric.complexity}.{probabilities}\n\n{text}\n\n{words}"
        f"```pycon\n{''.join(code)}```\n\n"
    )


def _with_formula(name: str, body: str) -> str:
    """The text, with the formula below its first paragraph, in place of the one in plain signs."""
    formula = FORMULAS[name]
    first, *others = body.split("\n\n")
    if formula.begins:
        kept = [each for each in others if not each.startswith(formula.begins)]
        assert len(kept) == len(others) - 1, name
        others = kept
    words = [formula.words] if formula.words else []
    return "\n\n".join([first, f"$$\n{formula.tex}\n$$", *words, *others])


def _split_example(example: str) -> tuple[str, str]:
    place = example.index(">>>")
    return example[:place], example[place:].rstrip() + "\n"


# JSON schemas, from the tables of docs/json.md

PAGE_OF_JSON = DOCS / "json.md"
FIELD = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]*)\|", re.MULTILINE)
TYPES = {"label": ["string", "integer", "boolean"]}
"""Words of the page that stand for several types."""


def json_sections() -> dict[str, dict[str, tuple[str, str]]]:
    """By section of the page: type and meaning of each field."""
    parts = re.split(r"^## (.+)$", PAGE_OF_JSON.read_text(), flags=re.MULTILINE)[1:]
    return {
        heading.strip("`"): {path: (kind.strip(), text.strip()) for path, kind, text in found}
        for heading, found in zip(parts[::2], map(FIELD.findall, parts[1::2]), strict=True)
    }


def schema_of(heading: str) -> str:
    """The schema of a document, as its section and that of every document say."""
    sections = json_sections()
    name = schema_name(heading)
    fields = sections[heading] if name == "streaming" else sections[EVERY] | sections[heading]
    made: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:polyroc:{name}:1",
        "title": f"polyroc {heading} --json",
        "type": "object",
    }
    for path, (kind, text) in fields.items():
        _add_field(made, path, kind, text)
    own = f"polyroc {name} 1"
    made["properties"]["schema"] |= {"description": f"`{own}`", "const": own}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def schema_name(heading: str) -> str:
    """``streaming`` for ``evaluate --streaming``."""
    return heading.rpartition("--")[2]


def _add_field(schema: dict[str, Any], path: str, kind: str, text: str) -> None:
    """Add a field to the schema of the object or array that contains it."""
    *parents, last = re.findall(r"\[\]|\*|[^.\[\]*]+", path)
    for part in parents:
        place = {"[]": "items", "*": "additionalProperties"}.get(part)
        schema = schema["properties"][part] if place is None else schema[place]
    names, _, optional = kind.partition(", ")
    types = [each for name in names.split(" or ") for each in TYPES.get(name, [name])]
    own: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    own |= {"description": text} if text else {}
    if last == "[]":
        schema["items"] = own
    elif last == "*":
        schema["additionalProperties"] = own
    else:
        schema.setdefault("properties", {})[last] = own
        if not optional:
            schema.setdefault("required", []).append(last)


EVERY = "Every document"
SCHEMAS = {
    ROOT / "src" / "polyroc" / "data" / "schemas" / f"{schema_name(heading)}.json": heading
    for heading in json_sections()
    if heading != EVERY
}

WITH_TABLES = [path for path in sorted(DOCS.rglob("*.md")) if MARKED.search(path.read_text())]

OUTPUTS: dict[Path, Callable[[], str]] = {
    DOCS / "metrics.md": reference,
    **{path: partial(with_tables, path) for path in WITH_TABLES},
    ROOT / "src" / "polyroc" / "__init__.pyi": package_stub,
    **{path: partial(schema_of, heading) for path, heading in SCHEMAS.items()},
}

if __name__ == "__main__":
    for path, text in OUTPUTS.items():
        path.write_text(text())
        print(path.relative_to(ROOT))
