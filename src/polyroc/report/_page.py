"""The page: one HTML file with everything in it, written as a whole or not at all."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.levels import two_sided_quantile
from polyroc._storage.atomic import check_place, write_whole
from polyroc._storage.paths import path_of
from polyroc._version import __version__
from polyroc.predictions import Predictions
from polyroc.predictions._slices import Attribute
from polyroc.report import _sections as sections
from polyroc.report._calibration import usable
from polyroc.report._cases import PageCases
from polyroc.report._content import Content, gather
from polyroc.report._explorer import explorer
from polyroc.report._finding import Finding
from polyroc.report._findings import findings
from polyroc.report._markup import Markup, element, joined
from polyroc.report._slices import sliced_models
from polyroc.report._surfaces import MESH, PageSurface
from polyroc.report._verdict import ranked
from polyroc.report._wording import counted, level_text
from polyroc.report._written import WrittenReport
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

SCRIPTS = (
    "data",
    "sample",
    "decide",
    "chance",
    "outcome",
    "certainty",
    "state",
    "elements",
    "controls",
    "practice",
    "limits",
    "confusion",
    "case_list",
    "canvas",
    "regions",
    "simplex",
    "sheet",
    "space",
    "surface_view",
    "model_costs",
    "promises",
    "export",
    "address",
    "sharing",
    "main",
)
"""The modules of the page; each imports only from those before it."""
STYLES = ("colours", "page", "explorer", "media", "paper")
_IMPORT = re.compile(r'^import \{([^}]+)\} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:const|function) (\w+)", re.MULTILINE)


def write_report(
    path: str | Path,
    y_true: LabelsLike | Predictions | Mapping[Any, Predictions],
    models: Mapping[Any, ScoresLike] | ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: Any = None,
    ids: Any = None,
    title: str | None = None,
    source: str | None = None,
    include_cases: bool = True,
    level: float = 0.95,
) -> Path:
    """Write a report on one or several models as one HTML page that works without a network.

    Parameters
    ----------
    path : the file; it is replaced as a whole once everything is computed.
    y_true, labels, sample_weight : see :class:`polyroc.Predictions`. One Predictions takes the
        place of labels and scores, and a mapping from names to Predictions of the same cases that
        of labels and models.
    groups : group of each case where cases are not independent, such as the patient of an image;
        all intervals and comparisons of the page are then computed over groups.
    folds : fold of a cross-validation in which each case was held out; values, intervals and
        comparisons are then means over folds. Curves and the explorer show all cases together.
    by : attributes of the cases, such as sex or site, whose slices get a section of their own; see
        :func:`polyroc.evaluate`.
    models : a mapping from name to (n, K) scores of the same cases, or the scores of one model.
    ids : name of each case, by which the list of cases shows it; by default its row, from 0.
    title : heading of the page.
    source : what the predictions were read from, such as a file, to be named in the heading.
    include_cases : whether the page holds the cases, for its explorer. Without them nobody can read
        scores, true classes or names of single cases from the file.
    level : confidence level of all intervals.

    Returns
    -------
    Path
        Of the file. In a notebook it shows the page, in a sandboxed frame.

    Notes
    -----
    All statistics are computed from all cases. The page itself holds the cases for its explorer,
    rounded to single precision; where they would take more than 2 MB, it holds a stratified sample
    and says so.
    """
    target = path_of(path)
    check_place(target, "the report")
    content = gather(
        y_true,
        models,
        labels=labels,
        sample_weight=sample_weight,
        groups=groups,
        folds=folds,
        by=by,
        ids=ids,
        title=title,
        source=source,
        include_cases=include_cases,
        level=level,
    )
    page = render(content).encode("utf-8", errors="replace")
    write_whole(target, lambda file: file.write(page))
    return WrittenReport(target)


def render(content: Content) -> str:
    """The page as text."""
    found = findings(content)
    style, script = stylesheet(), bundle()
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    top = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", content.title),
        element("style", Markup(style)),
    )
    data = element("script", Markup(page_data(content)), type="application/json", id="page-data")
    scripts = joined(data, element("script", Markup(script), type="module"))
    skip = element("a", "Skip to the summary", href="#summary", class_="skip")
    body = element(
        "body",
        skip,
        _header(content),
        _navigation(content),
        _main(content, found),
        _footer(),
        scripts,
    )
    return f"<!doctype html>\n{element('html', top, body, lang='en')}\n"


def _header(content: Content) -> Markup:
    weighted = "" if content.predictions.weights is None else "weighted "
    together = "" if content.groups is None else f" in {counted(content.n_groups, 'group')}"
    facts = [
        f"{counted(len(content.predictions), f'{weighted}case')}{together}",
        counted(len(content.classes), "class"),
        counted(len(content.models), "model"),
        f"{level_text(content.level)} intervals",
        *([content.date] if content.date else []),
        *([content.source] if content.source else []),
    ]
    return element(
        "header",
        element("h1", content.title, dir="auto"),
        element("p", " · ".join(facts), class_="muted"),
    )


def _navigation(content: Content) -> Markup:
    targets = {
        "summary": "Summary",
        "explorer": "Cost explorer",
        "metrics": "Metrics",
        "slices": "Slices" if sliced_models(content) else "",
        "pairs": "Pairs",
        "curves": "ROC curves",
        "calibration": "Calibration" if usable(content) else "",
        "benefit": "Net benefit" if usable(content) else "",
        "compared": "Models compared" if content.comparison else "",
        "surface": "ROC surface" if content.surfaces else "",
        "reading": "How to read",
    }
    links = [element("a", title, href=f"#{anchor}") for anchor, title in targets.items() if title]
    return element("nav", *links, aria_label="Sections")


def _main(content: Content, found: list[Finding]) -> Markup:
    return element(
        "main",
        sections.summary(content, found),
        explorer(content),
        sections.metrics(content),
        sections.slices(content),
        sections.pairs(content),
        sections.curves(content),
        sections.calibration(content),
        sections.benefit(content),
        sections.compared(content),
        sections.surfaces(content),
        sections.reading(content, found),
    )


def _footer() -> Markup:
    return element("footer", f"Made by polyroc {__version__}. Self-contained, no network requests.")


def page_data(content: Content) -> str:
    """What the scripts need, as JSON that cannot end its script element."""
    if not content.holds_cases:
        content = replace(content, cases=_nothing(content.cases), surfaces={})
    cases = content.cases
    data = {
        "classes": content.classes,
        "literals": content.literals,
        "models": list(cases.scores),
        "best": _best(content),
        "quantile": two_sided_quantile(content.level),
        "level": content.level,
        "cases": {
            "rows": packed(cases.rows) if _leaves_gaps(cases.rows) else None,
            "codes": packed(cases.codes),
            "weights": None if cases.weights is None else packed(cases.weights),
            "groups": None if cases.groups is None else packed(cases.groups),
            "scores": [packed(scores) for scores in cases.scores.values()],
            "slices": [_attribute_data(attribute) for attribute in cases.slices],
            "ids": cases.ids,
            "sampled": cases.sampled,
        },
        "mesh": MESH if len(content.classes) == 3 else 0,
        "surfaces": [_surface_data(content.surfaces[name]) for name in content.surfaces],
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _best(content: Content) -> int:
    """Place of the best model among those of the explorer, which opens on it."""
    places = {name: place for place, name in enumerate(content.cases.scores)}
    return next((places[model.name] for model in ranked(content) if model.name in places), 0)


def _nothing(cases: PageCases) -> PageCases:
    """No case and no model."""
    nobody = np.empty(0, dtype=np.int64)
    return PageCases(nobody, nobody, None, {}, cases.n_cases)


def _attribute_data(attribute: Attribute) -> dict[str, Any]:
    slices = [str(each) for each in attribute.slices]
    return {"name": attribute.name, "slices": slices, "numbers": packed(attribute.numbers)}


def _leaves_gaps(rows: NDArray[np.int64]) -> bool:
    """Whether rows are not just counted from 0."""
    return not np.array_equal(rows, np.arange(len(rows)))


def _surface_data(surface: PageSurface) -> dict[str, Any]:
    whole = (surface.tables == np.round(surface.tables)).all()
    return {
        "costs": packed(surface.costs.astype(np.float32)),
        "tables": packed(surface.tables.astype(np.int64) if whole else surface.tables),
        "front": packed(surface.front.astype(np.int64)),
    }


def packed(array: NDArray[Any]) -> dict[str, str]:
    """An array as base64 with the name of its JavaScript type; whole numbers in few bytes.

    Examples
    --------
    >>> packed(np.array([1, 2, 300]))
    {'type': 'Uint16Array', 'data': 'AQACACwB'}
    """
    kind = array.dtype
    if kind.kind in "iu":
        largest = int(array.max(initial=0))
        kind = np.dtype("u1" if largest < 1 << 8 else "<u2" if largest < 1 << 16 else "<u4")
    names = {"u1": "Uint8", "u2": "Uint16", "u4": "Uint32", "f4": "Float32", "f8": "Float64"}
    raw = np.ascontiguousarray(array, dtype=kind.newbyteorder("<")).tobytes()
    return {
        "type": f"{names[kind.str[1:]]}Array",
        "data": base64.b64encode(raw).decode("ascii"),
    }


def bundle() -> str:
    """The modules in one, each in a scope of its own; imports take from the scopes before it."""
    return "\n".join(_scoped(module, _asset(f"{module}.js")) for module in SCRIPTS)


def _scoped(module: str, text: str) -> str:
    """A module as a function that is called at once and returns what it exports.

    Examples
    --------
    >>> print(_scoped("two", 'import { one } from "./first.js";\\nexport const two = one + one;'))
    const module_two = (() => {
    const { one } = module_first;
    const two = one + one;
    return { two };
    })();
    """
    text = _IMPORT.sub(r"const {\1} = module_\2;", text)
    exported = ", ".join(_EXPORT.findall(text))
    body = text.replace("\nexport ", "\n").strip()
    return f"const module_{module} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"


def stylesheet() -> str:
    """The styles of the page."""
    return "\n".join(_asset(f"{name}.css") for name in STYLES)


def _asset(name: str) -> str:
    return (files("polyroc.report") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """The hash by which the policy allows an inline script or style, and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
