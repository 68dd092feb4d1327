"""What may come of hostile input: a result, or an error of polyroc that says so in one line."""

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostile.guard import watching

from polyroc.errors import PolyrocError

LONGEST = 2000
"""Signs of a message: more would bury what is wrong."""


class Broken(AssertionError):
    """Hostile input had an outcome that must not be."""


def outcome(call: Callable[[], Any], *reading: Path) -> Any:
    """The result of a call, or the error of polyroc that it raised; all else is ``Broken``.

    ``reading`` are the files that the call may read; it may write, start and run nothing.
    """
    with warnings.catch_warnings(), watching(*reading) as watch:
        warnings.simplefilter("error")
        try:
            found = call()
        except PolyrocError as error:
            found = error
        except Exception as error:
            raise broken_by(error) from error
    if watch.acts:
        raise Broken("; ".join(watch.acts))
    if isinstance(found, PolyrocError):
        check_message(str(found))
    return found


def broken_by(error: BaseException) -> Broken:
    """What an error of others was, and where in polyroc it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "polyroc" in Path(each.filename).parts]
    place = f" in {Path(ours[-1].filename).name}, line {ours[-1].lineno}" if ours else ""
    return Broken(f"{type(error).__name__}{place}: {error}"[:500])


def check_message(message: str) -> None:
    """Whether a message is one line that a terminal can take and a person can read."""
    if not message.strip():
        raise Broken("an error without a message")
    if len(message.splitlines()) > 1:
        raise Broken(f"an error of several lines: {message[:300]!r}")
    if len(message) > LONGEST:
        raise Broken(f"an error of {len(message)} signs: {message[:300]!r}")
