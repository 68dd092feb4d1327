"""Tables for papers: Markdown and LaTeX, with values in the form "0.892 (0.868–0.913)"."""

import math
import re
from collections.abc import Mapping, Sequence

from polyroc._base.checks import whole_number

LATEX = {
    "\\": r"\textbackslash{}",
    "|": r"\textbar{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "∞": r"$\infty$",
    "<": "$<$",
    ">": "$>$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def with_interval(value: float, low: float, high: float, digits: int = 3) -> str:
    """A value and its limits in brackets; a dash where there is no value.

    Examples
    --------
    >>> with_interval(0.8924, 0.8675, 0.9131)
    '0.892 (0.868–0.913)'
    >>> with_interval(-0.0113, -0.0242, 0.0016)
    '−0.011 (−0.024 to 0.002)'
    >>> with_interval(0.5, math.nan, math.nan, digits=2), with_interval(math.nan, 0, 1)
    ('0.50', '–')
    >>> with_interval(0.01, -0.02, math.inf)
    '0.010 (−0.020 to ∞)'
    """
    if math.isnan(value):
        return "–"
    if math.isnan(low) or math.isnan(high):
        return _rounded(value, digits)
    between = " to " if low < 0 else "–"
    return f"{_rounded(value, digits)} ({_rounded(low, digits)}{between}{_rounded(high, digits)})"


def _rounded(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−").replace("inf", "∞")


def p_with_bound(value: float) -> str:
    """A p-value with three decimals, or that it is below the least of those.

    Examples
    --------
    >>> p_with_bound(0.0034), p_with_bound(2e-9), p_with_bound(math.nan)
    ('0.003', '<0.001', '–')
    """
    if math.isnan(value):
        return "–"
    return "<0.001" if value < 0.0005 else f"{value:.3f}"


def checked_digits(digits: int) -> int:
    """A number of decimals that a table can have."""
    return whole_number(digits, "digits", least=0, most=15)


def markdown_table(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str:
    """Rows as a table of Markdown, of which there may be none.

    Examples
    --------
    >>> print(markdown_table([{"metric": "a|b", "value": "0.5"}], ["metric", "value"]))
    | metric | value |
    |---|---|
    | a\\|b | 0.5 |
    """
    lines = [list(columns), *([row[name] for name in columns] for row in rows)]
    made = [f"| {' | '.join(map(_for_markdown, line))} |" for line in lines]
    return "\n".join([made[0], "|" + "---|" * len(columns), *made[1:]])


def latex_table(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str:
    """Rows as a table of LaTeX, for the package booktabs.

    Examples
    --------
    >>> row = {"metric": "hand_till", "value": "0.892 (0.868–0.913)"}
    >>> print(latex_table([row], ["metric", "value"]))
    \\begin{tabular}{ll}
    \\toprule
    metric & value \\\\
    \\midrule
    hand\\_till & 0.892 (0.868--0.913) \\\\
    \\bottomrule
    \\end{tabular}
    """
    head, *body = (
        " & ".join(map(_for_latex, line)) + r" \\"
        for line in [list(columns), *([row[name] for name in columns] for row in rows)]
    )
    begin = rf"\begin{{tabular}}{{{'l' * len(columns)}}}"
    lines = [begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines)


def _for_markdown(text: str) -> str:
    return re.sub(r"([\\|*<`])", r"\\\1", " ".join(text.split()))


def _for_latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in " ".join(text.split()))
