"""Rows of numbers as text, as HTML and for JSON."""

import math
from collections.abc import Mapping
from html import escape
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for JSON: a number that does not exist, or is infinite, is None."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }


def less(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A row without one of its columns."""
    return {key: value for key, value in row.items() if key != name}


def table_rows(table: "pd.DataFrame") -> list[SimpleNamespace]:
    """The rows, with columns as attributes; pandas' ``itertuples`` compiles a class each time."""
    return [SimpleNamespace(**row) for row in table.to_dict("records")]


def text_table(rows: list[dict[str, Any]]) -> str:
    """Rows as aligned text, numbers with four digits."""
    if not rows:
        return "(nothing)"
    cells = [[_cell_of(*item) for item in row.items()] for row in rows]
    return aligned(list(rows[0]), cells, [isinstance(value, float) for value in rows[0].values()])


def aligned(head: list[str], cells: list[list[str]], right: list[bool]) -> str:
    """Lines of text below a head whose names may repeat; ``right`` says which columns are numbers.

    Examples
    --------
    >>> print(aligned(["truth", "truth"], [["truth", "0.5000"]], [False, True]))
    truth   truth
    truth  0.5000
    """
    lines = [head, *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def shares_table(truths: list[str], decisions: list[str], shares: list[list[float]]) -> str:
    """A row per true class and a column per decision, whatever the classes are called."""
    cells = [[truth, *map(cell, row)] for truth, row in zip(truths, shares, strict=True)]
    return aligned(["truth", *decisions], cells, [False] + [True] * len(decisions))


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
