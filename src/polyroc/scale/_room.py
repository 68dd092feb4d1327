"""Whether a summary fits into memory."""

from polyroc._storage.limits import in_words, memory_of_machine
from polyroc.errors import InvalidInput

SHARE_OF_MEMORY = 0.75
"""Of what a process may have, for histograms: others and the batch need some, too."""


class NoRoom(InvalidInput):
    """A summary that does not fit into memory."""


def check_room(n_classes: int, n_bytes: int) -> None:
    """Refuse a summary that is larger than the share of memory it may have."""
    most = memory_of_machine()
    if n_bytes > SHARE_OF_MEMORY * most:
        raise NoRoom(
            f"The summary of {n_classes:,} classes needs {in_words(n_bytes)}, and this process may "
            f"use {in_words(most)} of memory. A smaller mantissa_bits= makes it smaller; "
            "evaluate_parquet takes the columns of a file in turn."
        )
