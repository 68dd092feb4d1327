"""Errors and warnings. Each message says what is wrong, what was got and what to do."""


class PolyrocError(Exception):
    """Base of every error raised on purpose by polyroc."""


class InvalidInput(PolyrocError, ValueError):
    """The values given cannot be evaluated."""


class InvalidType(PolyrocError, TypeError):
    """The kind of object given cannot be read."""


class UnknownName(InvalidInput, KeyError):
    """A name that is not among those there are; a mapping raises it as a KeyError."""

    __str__ = Exception.__str__


class NotAligned(InvalidInput):
    """Objects have the same row labels in another order."""


class RowsByPosition(UserWarning):
    """Objects have different row labels, and their rows were matched by position."""


class NotSaved(UserWarning):
    """A checkpoint cannot be written any more; ``last`` says whether the work is done."""

    def __init__(self, message: str, last: bool) -> None:
        super().__init__(message)
        self.last = last

    def __reduce__(self) -> tuple[type["NotSaved"], tuple[str, bool]]:
        return type(self), (str(self), self.last)


class NotConverged(UserWarning):
    """A fit ran to a limit of its model, so that what was computed from it is not an estimate."""


class NotDefined(InvalidInput):
    """The quantity asked for does not exist for these data."""
