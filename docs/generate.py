"""Writes what follows from the registry: the reference of the metrics and the type stubs.

Run it after a change of a metric; a test fails while the files are not current.
"""

import inspect
from pathlib import Path

import polyroc
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric, Property

ROOT = Path(__file__).parents[1]

ANNOTATIONS = {
    "y_true": "LabelsLike",
    "y_score": "ScoresLike",
    "labels": "LabelsLike | None",
    "sample_weight": "WeightsLike | None",
    "ties": "Ties",
    "priors": "PriorsLike | None",
    "partition": "ArrayLike | None",
    "pair_weights": "ArrayLike | None",
    "n_tuples": "int | None",
    "rng": "RandomState",
    "absent": "Absent",
    "normalize": "bool",
    "n_threads": "int | None",
}

STUB_HEAD = '''"""Types of the metrics. Written by docs/generate.py."""

from numpy.typing import ArrayLike

from polyroc.metrics.ordinal_vus import ordinal_vus as ordinal_vus
from polyroc.metrics.pairwise_auc import pairwise_auc as pairwise_auc
from polyroc.metrics.registry import registry as registry
from polyroc.metrics.saec import saec as saec
from polyroc.typing import (
    Absent,
    LabelsLike,
    PriorsLike,
    RandomState,
    ScoresLike,
    Ties,
    WeightsLike,
)

'''

REFERENCE_HEAD = """# Metrics

Each metric is a function `f(y_true, y_score, *, labels=None, sample_weight=None, …)`. This page is
written from the declarations in the source, which the tests check one by one.

## Properties

A tick is a property that is tested on generated data. A missing one has a counterexample in the
tests, or cannot be asked because the metric needs probabilities and refuses the changed scores.

"""

HEADINGS = {
    Property.PERFECT_ARGMAX: "best if every argmax is right",
    Property.SKEW: "free of class skew",
    Property.COLUMN_MONOTONE: "only ranks matter",
    Property.ROW_SHIFT: "free of row shifts",
    Property.COMMON_SCALE: "free of scale",
}


def metrics_stub() -> str:
    """Signatures of the metrics for type checkers."""
    return STUB_HEAD + "".join(_signature(metric) for metric in registry.values())


def _signature(metric: Metric) -> str:
    lines = [f"def {metric.name}("]
    starred = False
    for parameter in inspect.signature(metric.function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            lines.append("    *,")
            starred = True
        given = parameter.default is not parameter.empty
        default = " = ..." if given else ""
        lines.append(f"    {parameter.name}: {ANNOTATIONS[parameter.name]}{default},")
    return "\n".join([*lines, ") -> float: ..."]) + "\n"


def package_stub() -> str:
    """Names of the package for type checkers, which do not follow lazy loading."""
    lines = ['"""Types of the public names. Written by docs/generate.py."""', ""]
    modules = sorted(set(polyroc._MODULES) - {"scorers"})
    lines += [f"from polyroc import {name} as {name}" for name in modules]
    lines.append("from polyroc._version import __version__ as __version__")
    for home, names in sorted(polyroc._HOMES.items()):
        lines += [f"from {home} import {name} as {name}" for name in sorted(names.split())]
    lines += ["from polyroc.scorers import Scorers", "", "scorers: Scorers"]
    return "\n".join(lines) + "\n"


def reference() -> str:
    """The page of the metrics."""
    parts = [REFERENCE_HEAD, _table(), "\n"]
    parts += [_section(metric) for metric in registry.values()]
    return "".join(parts)


def _table() -> str:
    head = ["metric", "classes", "range", "chance", *HEADINGS.values(), "weighted by priors"]
    rows = [head, ["---"] * len(head)]
    for metric in registry.values():
        ticks = ["✓" if each in metric.properties else "" for each in HEADINGS]
        chance = "varies" if metric.chance is None else metric.chance.formula
        link = f"[`{metric.name}`](#{metric.name})"
        spread = f"{metric.lowest:g}–{metric.highest:g}"
        prior = "✓" if metric.prior_weighted else ""
        rows.append([link, str(metric.classes), spread, chance, *ticks, prior])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _section(metric: Metric) -> str:
    text = inspect.cleandoc(metric.formula.__doc__ or "")
    body, _, example = text.partition("Examples\n--------\n")
    words, *code = _split_example(example)
    probabilities = " Needs probabilities." if metric.needs_probabilities else ""
    return (
        f"## {metric.name}\n\n**{metric.title}** ({metric.symbol}). {metric.reference}. "
        f"{metric.complexity}.{probabilities}\n\n{body.strip()}\n\n{words}"
        f"```pycon\n{''.join(code)}```\n\n"
    )


def _split_example(example: str) -> tuple[str, str]:
    place = example.index(">>>")
    return example[:place], example[place:].rstrip() + "\n"


OUTPUTS = {
    ROOT / "docs" / "metrics.md": reference,
    ROOT / "src" / "polyroc" / "__init__.pyi": package_stub,
    ROOT / "src" / "polyroc" / "metrics" / "__init__.pyi": metrics_stub,
}

if __name__ == "__main__":
    for path, text in OUTPUTS.items():
        path.write_text(text())
        print(path.relative_to(ROOT))
