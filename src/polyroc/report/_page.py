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
from polyroc._base.wording import plural
from polyroc._storage.atomic import check_place, write_whole
from polyroc._storage.paths import path_of
from polyroc._version import __version__
from polyroc.predictions import Predictions
from polyroc.predictions._slices import Attribute
from polyroc.report import _sections as sections
from polyroc.report._all_cases import all_cases_data, counts_all, most_probable
from polyroc.report._calibration import usable
from polyroc.report._cases import PageCases
from polyroc.report._content import Content, gather
from polyroc.report._earlier import EarlierReport, summary_of
from polyroc.report._explorer import explorer
from polyroc.report._finding import Finding
from polyroc.report._findings import findings
from polyroc.report._markup import Markup, element, joined
from polyroc.report._packing import packed
from polyroc.report._pair_data import pairs_data
from polyroc.report._roc_section import curves_data
from polyroc.report._since import check_comparable
from polyroc.report._slices import sliced_models
from polyroc.report._surfaces import MESH, PageSurface
from polyroc.report._verdict import ranked
from polyroc.report._wording import level_text
from polyroc.report._written import WrittenReport
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

SCRIPTS = (
    "data",
    "sample",
    "decide",
    "chance",
    "outcome",
    "whole",
    "certainty",
    "state",
    "elements",
    "controls",
    "practice",
    "limits",
    "order",
    "matrix",
    "confusion",
    "case_list",
    "canvas",
    "density",
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
    "roc",
    "pairs",
    "main",
)
"""The modules of the page; each imports only from those before it."""
FEW_CLASSES = 4
"""Of more classes the explorer shows one confusion at a time."""
STYLES = ("colours", "page", "explorer", "roc", "media", "paper")
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
    earlier: str | Path | EarlierReport | None = None,
) -> Path:
    """Write a report on one or several models as one HTML page that works offline.

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
    earlier : an earlier report on the same classes, or what ``polyroc evaluate --json`` printed: a
        section says how each metric has changed. Give an :class:`polyroc.report.EarlierReport`
        where it is known that none of its cases is among these, for intervals of the differences.

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
        earlier=earlier,
    )
    check_comparable(content)
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
    scripts = joined(data, _evaluation(content), element("script", Markup(script), type="module"))
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


def _evaluation(content: Content) -> Markup:
    """The values of this report, for one that is compared with it later."""
    counts = content.predictions.class_counts.tolist()
    about = {
        "date": content.date,
        "input": {
            "cases": len(content.predictions),
            "classes": content.classes,
            "counts": dict(zip(content.classes, counts, strict=True)),
        },
    }
    known = summary_of({model.name: model.evaluation for model in content.models}, about)
    text = json.dumps(known, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return element("script", Markup(text), type="application/json", id="evaluation")


def _header(content: Content) -> Markup:
    weighted = "" if content.predictions.weights is None else "weighted "
    together = "" if content.groups is None else f" in {plural(content.n_groups, 'group')}"
    facts = [
        f"{plural(len(content.predictions), f'{weighted}case')}{together}",
        plural(len(content.classes), "class"),
        plural(len(content.models), "model"),
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
    several = len(content.classes) > 2
    targets = {
        "summary": "Summary",
        "explorer": "Cost explorer",
        "metrics": "Metrics",
        "since": "Changes" if content.earlier else "",
        "slices": "Slices" if sliced_models(content) else "",
        "pairs": "Pairs",
        "curves": "ROC curves",
        "calibration": "Calibration" if usable(content) else "",
        "benefit": "Net benefit" if usable(content) else "",
        "compared": "Models compared" if content.comparison else "",
        "surface": ("ROC surface" if several else "All costs") if content.surfaces else "",
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
        sections.since(content),
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
        "first": _first_pair(content),
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
            "drawn_from": cases.n_cases if cases.sampled else None,
            "all": all_cases_data(content),
        },
        "mesh": MESH if len(content.classes) == 3 else 0,
        "surfaces": [_surface_data(content.surfaces[name]) for name in content.surfaces],
        "curves": curves_data(content),
        "pairs": pairs_data(content),
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _best(content: Content) -> int:
    """Place of the best model among those of the explorer, which opens on it."""
    places = {name: place for place, name in enumerate(content.cases.scores)}
    return next((places[model.name] for model in ranked(content) if model.name in places), 0)


def _first_pair(content: Content) -> tuple[int, int]:
    """Truth and decision that the explorer of many classes opens on: the most frequent confusion.

    It is that of the best model if every case gets its most probable class.
    """
    n_classes, scores = len(content.classes), list(content.cases.scores.values())
    if not scores or n_classes <= FEW_CLASSES:
        return 0, 1
    if counts_all(content):
        codes, decided = content.predictions.codes, list(most_probable(content).values())
    else:
        codes, decided = content.cases.codes, [table.argmax(axis=1) for table in scores]
    cells = codes.astype(np.int64) * n_classes + decided[_best(content)]
    table = np.bincount(cells, minlength=n_classes**2).reshape(n_classes, n_classes)
    np.fill_diagonal(table, 0)
    truth, decision = np.unravel_index(np.argmax(table), table.shape)
    return (int(truth), int(decision)) if table.any() else (0, 1)


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
