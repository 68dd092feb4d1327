"""Rows of numbers as text, as HTML and for JSON."""

import math
from collections.abc import Mapping
from html import escape
from typing import Any


def without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for JSON: a number that does not exist, or is infinite, is None."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }


def text_table(rows: list[dict[str, Any]]) -> str:
    """Rows as aligned text, numbers with four digits."""
    if not rows:
        return "(nothing)"
    cells = [list(rows[0])] + [[_cell_of(*item) for item in row.items()] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    numeric = [isinstance(value, float) for value in rows[0].values()]
    lines = (
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in cells
    )
    return "\n".join(lines)


def html_table(rows: list[dict[str, Any]]) -> str:
    """Rows as an HTML table; all text is escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in (rows[0] if rows else {}))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell_of(*item))}</td>" for item in row.items()) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell_of(column: str, value: Any) -> str:
    return p_cell(value) if column in ("p_value", "p_adjusted") else cell(value)


def p_cell(value: float) -> str:
    """A p-value; one that is too small for a float is not 0.

    Examples
    --------
    >>> p_cell(0.04), p_cell(2e-9), p_cell(0.0)
    ('0.0400', '2.0e-09', '<1e-300')
    """
    return "<1e-300" if value == 0 else cell(value)


def cell(value: Any) -> str:
    """A cell of a table: four decimals, fewer zeros for small p-values, a dash for NaN."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "–"
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-4 else f"{value:.1e}"
