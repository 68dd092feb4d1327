"""HTML built from text that cannot break out: everything is escaped unless it is markup already."""

from html import escape
from typing import Any

_VOID = frozenset({"meta", "input", "br", "hr"})


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


def element(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element; a child that is no markup is text. ``class_`` and ``aria_label`` lose the bar.

    An attribute that is None or False is left out, one that is True has no value.

    Examples
    --------
    >>> element("p", "1 < 2", class_="note", hidden=True)
    '<p class="note" hidden>1 &lt; 2</p>'
    """
    written = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: Any) -> Markup:
    """Children one after the other; lists and generators are opened, None is nothing."""
    parts = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(str(child))
        elif child is None:
            continue
        elif isinstance(child, str) or not hasattr(child, "__iter__"):
            parts.append(escape(str(child)))
        else:
            parts.append(joined(*child))
    return Markup("".join(parts))


def _attribute(name: str, value: Any) -> str:
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


def percent(share: float, digits: int = 0) -> str:
    """A share in percent, with a space that does not break.

    Examples
    --------
    >>> percent(0.071, 1)
    '7.1\\xa0%'
    """
    return f"{100 * share:.{digits}f}\u00a0%"
