"""Words that go with numbers."""


def plural(count: int, word: str) -> str:
    """A count with its word.

    Examples
    --------
    >>> plural(1, "class"), plural(2, "class"), plural(1200, "case")
    ('1 class', '2 classes', '1,200 cases')
    """
    return f"{count:,} {word}{('es' if word.endswith('s') else 's') * (count != 1)}"
