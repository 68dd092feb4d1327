"""A piece of work that polyroc and peers do: how it is measured and what the page says of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from peers.rows import Row
from peers.settings import Settings


@dataclass(frozen=True)
class Work:
    """``axis`` is the size that grows, ``peers`` are the packages that take part."""

    name: str
    title: str
    axis: str
    axis_title: str
    peers: tuple[str, ...]
    about: str
    measure: Callable[[Settings], Iterator[Row]]
