"""Names of classes, models and metrics as text in a figure: literal, short and still distinct."""

import textwrap
from collections import Counter
from collections.abc import Iterable
from unicodedata import category

from polyroc._base.checks import whole_number

_NO_TEXT = ("Cc", "Cs", "Cn")
"""Control characters, halves of surrogate pairs and code points without a character."""


def literal(text: object) -> str:
    r"""Text that matplotlib shows as it is: no mathematics between dollar signs, one line.

    Examples
    --------
    >>> print(literal("cost of $5 or $6"))
    cost of \$5 or \$6
    """
    line = " ".join(_without_controls(str(text)).split()).replace("$", r"\$") or "(empty)"
    # Legends leave out labels that begin with an underscore; a thin space before it is not seen.
    return f"\u2009{line}" if line.startswith("_") else line


def _without_controls(text: str) -> str:
    """Text with a mark in place of characters that no figure shows and no SVG file may contain."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if category(sign) in _NO_TEXT and not sign.isspace() else sign
        for sign in text
    )


def short_names(names: Iterable[object], most: int = 24) -> list[str]:
    """Names of at most so many characters, cut in the middle; those that look alike are numbered.

    Examples
    --------
    >>> short_names(["setosa", "a name that goes on and on"], most=12)
    ['setosa', 'a name…nd on']
    >>> short_names(["left side, first row", "left edge, other row"], most=9)
    ['1 le… row', '2 le… row']
    """
    whole_number(most, "most", least=5)
    whole = [" ".join(str(name).split()) for name in names]
    short = [_cut(name, most) for name in whole]
    again = Counter(short)
    return [
        _cut(f"{place} {name}", most) if again[each] > 1 else each
        for place, (each, name) in enumerate(zip(short, whole, strict=True), start=1)
    ]


def _cut(name: str, most: int) -> str:
    """The beginning and the end of a name, which tell names apart more often than the middle."""
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def shown_names(names: Iterable[object], most: int = 24) -> list[str]:
    """Short names, literal."""
    return [literal(name) for name in short_names(names, most)]


def names_with(names: Iterable[object], details: Iterable[str]) -> list[str]:
    """Names for a legend, each with a detail beside it, or below where names are long and few."""
    shown = shown_names(names)
    gap = "\n" if max(map(len, shown)) > 12 and len(shown) <= 3 else "  "
    return [f"{name}{gap}{detail}" for name, detail in zip(shown, details, strict=True)]


def wrapped_names(names: Iterable[object], width: int = 22, lines: int = 2) -> list[str]:
    """Short names over a few lines, literal.

    Examples
    --------
    >>> wrapped_names(["a name of two lines"], width=10)
    ['a name of\\ntwo lines']
    """
    return [_wrapped(name, width, lines) for name in short_names(names, width * lines)]


def _wrapped(name: str, width: int, lines: int) -> str:
    parts = textwrap.wrap(name, width, break_on_hyphens=False)
    if len(parts) > lines:  # words that do not fill their lines: break anywhere
        parts = [name[start : start + width] for start in range(0, len(name), width)]
    return "\n".join(literal(part) for part in parts)
