"""How many columns a table may have, and how many classes a summary.

Time and memory grow with the square of the number of classes, so that a table lying on its side, a
column per case, would end in an exhausted machine instead of a message.
"""

from polyroc.errors import InvalidInput

MOST_COLUMNS = 100_000
"""Of a file: more are taken for a mistake."""

MOST_CLASSES = 10_000
"""Of a summary: it keeps sums for each pair of classes, some 3 GB for so many."""

LONGEST_LIST = MOST_COLUMNS + 2
"""Of columns, in the description of a Parquet file: they have a root, and one may be too many."""


def check_column_count(n_columns: int, path: str) -> None:
    """Refuse tables of absurd width before they are read."""
    if n_columns > MOST_COLUMNS:
        raise too_wide(path)


def too_wide(path: str) -> InvalidInput:
    """What to say of a table of absurd width."""
    return InvalidInput(
        f"{path} has more than {MOST_COLUMNS:,} columns. A row is a case and a column a class: "
        "transpose the table, or leave columns out."
    )


def is_too_wide(error: BaseException) -> bool:
    """Whether Arrow gave up on the description of a Parquet file because of ``LONGEST_LIST``."""
    return "Exceeded size limit" in str(error)


def check_classes(n_classes: int) -> None:
    """Refuse a summary of absurdly many classes before memory is set aside.

    Examples
    --------
    >>> check_classes(10**6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    polyroc.errors.InvalidInput: A summary of 1,000,000 classes would not fit into memory: ...
    """
    if n_classes > MOST_CLASSES:
        raise InvalidInput(
            f"A summary of {n_classes:,} classes would not fit into memory: it keeps numbers for "
            f"each pair of them, and {MOST_CLASSES:,} is the most. Evaluate fewer classes at a "
            "time, or arrays, whose classes without cases take no room."
        )
