"""An earlier report, or what ``polyroc evaluate --json`` printed earlier, to compare with."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from polyroc._base.checks import flag, shown
from polyroc._base.tables import without_nan
from polyroc._storage.paths import open_regular, path_of, readable
from polyroc._version import __version__
from polyroc.errors import InvalidInput
from polyroc.results import Evaluation

SCHEMAS = ("polyroc report ", "polyroc evaluate ")
_IN_PAGE = re.compile(r'<script[^>]*\bid="evaluation"[^>]*>(.*?)</script>', re.DOTALL)
_ADVICE = "Pass a page that polyroc report wrote, or what polyroc evaluate --json printed."


@dataclass(frozen=True)
class EarlierReport:
    """An earlier report to compare with, and what is known of its cases.

    Attributes
    ----------
    path : of the page, or of what ``polyroc evaluate --json`` printed.
    other_cases : whether none of its cases is among those of the new report. Then differences get
        intervals, of independent samples.

    Examples
    --------
    >>> from polyroc.report import EarlierReport
    >>> EarlierReport("may.html", other_cases=True)
    EarlierReport(path='may.html', other_cases=True)
    """

    path: str | Path
    other_cases: bool = False


class Known(NamedTuple):
    """A value of an earlier report."""

    value: float
    standard_error: float
    degrees_of_freedom: float
    over_folds: bool
    """Whether it is a mean over folds."""


class Earlier(NamedTuple):
    """What an earlier report says."""

    source: str
    made: str
    """Version and date, as far as they are known."""
    n_cases: int
    classes: tuple[str, ...]
    counts: Mapping[str, int]
    """Cases of each class; empty where they are not known."""
    models: Mapping[str, Mapping[str, Known]]
    other_cases: bool


def summary_of(evaluations: Mapping[str, Evaluation], about: Mapping[str, Any]) -> dict[str, Any]:
    """What a later report is compared with, for the page; ``about``: input and date."""
    models = []
    for name, result in evaluations.items():
        rows = []
        for each in result.values():
            numbers = ("value", "standard_error", "degrees_of_freedom")
            known = without_nan({number: getattr(each, number) for number in numbers})
            said = {name: each.settings[name] for name in ("estimand",) if name in each.settings}
            rows.append({"metric": each.metric, **known, "settings": said})
        models.append({"model": name, "metrics": rows})
    return {"schema": "polyroc report 1", "polyroc": __version__, **about, "models": models}


def read_earlier(given: Any) -> Earlier | None:
    """The earlier report that is named, if there is one."""
    if given is None:
        return None
    named = given if isinstance(given, EarlierReport) else EarlierReport(given)
    path = path_of(named.path, "earlier")
    flag(named.other_cases, "other_cases")
    source = readable(path.name)
    document = _document(_text(path, source), source)
    try:
        return _earlier(document, source, named.other_cases)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidInput(
            f"The earlier report {shown(source)} lacks what such a document has. {_ADVICE}"
        ) from None


def _text(path: Path, source: str) -> str:
    try:
        with open_regular(path) as file:
            return file.read().decode("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(
            f"The earlier report {shown(source)} cannot be read: {reason}. {_ADVICE}"
        ) from None


def _document(text: str, source: str) -> dict[str, Any]:
    """The JSON in a page, or that is the file."""
    page = text.lstrip()[:9].lower() == "<!doctype"
    inside = _IN_PAGE.search(text) if page else None
    if page and inside is None:
        raise InvalidInput(
            f"The earlier report {shown(source)} is a page without values to compare with, not one "
            f"of this version of polyroc. {_ADVICE}"
        )
    try:
        found = json.loads(inside[1] if inside else text)
    except (ValueError, RecursionError):
        raise InvalidInput(
            f"The earlier report {shown(source)} is neither a page nor JSON. {_ADVICE}"
        ) from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(schema, str) or not schema.startswith(SCHEMAS):
        what = f"the document {shown(schema)}" if schema else "another kind of JSON"
        raise InvalidInput(f"The earlier report {shown(source)} is {what}. {_ADVICE}")
    assert isinstance(found, dict)
    return found


def _earlier(document: dict[str, Any], source: str, other_cases: bool) -> Earlier:
    given, models = document["input"], document["models"]
    made = f"polyroc {document['polyroc']}"
    if document.get("date"):
        made = f"{document['date']}, {made}"
    counts = given.get("counts") or models[0]["metrics"][0]["counts"]
    return Earlier(
        source,
        made,
        sum(int(count) for count in counts.values()),  # those of weight 0 are left out
        tuple(str(each) for each in given["classes"]),
        {str(label): int(count) for label, count in counts.items()},
        {str(each["model"]): _known(each["metrics"]) for each in models},
        other_cases,
    )


def _known(rows: list[dict[str, Any]]) -> dict[str, Known]:
    return {
        str(row["metric"]): Known(
            _number(row["value"]),
            _number(row["standard_error"]),
            math.inf if row["degrees_of_freedom"] is None else float(row["degrees_of_freedom"]),
            is_over_folds(row.get("settings") or {}),
        )
        for row in rows
    }


def is_over_folds(settings: Mapping[str, Any]) -> bool:
    """Whether a value with these settings is a mean over folds."""
    return settings.get("estimand") == "mean over folds"


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
