"""``polyroc evaluate --pairs``: how well are single pairs of classes told apart?"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from polyroc._base.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from polyroc.cli.screen import Titled
    from polyroc.predictions import Predictions

MOST_PAIRS = 20
"""Ordered pairs that are shown on a screen; JSON has all."""


def worst_first(predictions: "Predictions", level: float) -> "pd.DataFrame":
    """Every AUC(k|r) with its interval, the lowest first."""
    from polyroc.inference import evaluate_pairs

    found = evaluate_pairs(predictions, level=level)
    return found.sort_values("value", kind="stable", ignore_index=True)


def pair_rows(found: "pd.DataFrame") -> list[dict[str, Any]]:
    """Rows for JSON."""
    from polyroc._base.tables import without_nan

    records: list[dict[str, Any]] = found.to_dict("records")
    return [without_nan(row) for row in records]


def pair_tables(pairs: "Mapping[str, pd.DataFrame]", level: float) -> "list[Titled]":
    """A table per model, the worst pairs first."""
    from polyroc._base.tables import cell, table_rows
    from polyroc.cli.screen import table

    made = []
    for name, found in pairs.items():
        of = f" of {name}" if len(pairs) > 1 else ""
        shown = min(MOST_PAIRS, len(found))
        which = f"the {shown} worst of {plural(len(found), 'pair')}"
        which = which if shown < len(found) else "worst pairs first"
        title = f"Which classes are confused? AUC(k|r){of}, {which}"
        numbers = ["AUC(k|r)", f"{100 * level:.6g} % interval"]
        made.append(table(title, ["k: scores of", "r: against"], numbers))
        for row in table_rows(found.head(MOST_PAIRS)):
            limits = "–" if math.isnan(row.low) else f"{cell(row.low)}–{cell(row.high)}"
            made[-1].add(row.positive, row.negative, cell(row.value), limits)
    return made
