"""How large the pages of a Parquet file are once they are unpacked.

Arrow sets aside what the header of a page announces, up to 2 GB for every column, and compares it
with nothing. Here the headers are walked before, to add up what they announce. Footer and headers
are structures of Thrift in its compact protocol, of which only a few numbers are of interest.
pyarrow shows the footer, too, but a wrong one may end the process.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Fields = dict[int, Any]

LARGEST_PAGE = 1 << 31
"""Bytes: sizes of pages are signed numbers of 32 bits."""

_ROW_GROUPS, _COLUMNS, _COLUMN = 4, 1, 3
"""Fields that lead from the footer to the description of a column chunk."""

_CODEC, _NUMBER, _SIZE, _START, _DICTIONARY = 4, 5, 7, 9, 11
"""Fields of that: codec, number of values, bytes, and where data and dictionary begin."""

_UNPACKED, _PACKED, _DATA, _DATA_V2 = 2, 3, 5, 8
"""Fields of a page header: its sizes with and without compression, and what is in it."""

_VALUES = 1
"""Field of a data page's own header: how many values it has."""

_HARMLESS = (0, 1)
"""No compression, and Snappy, which makes nothing more than 25 times smaller."""

_DEEPEST = 12


def unpacked_size(content: bytes) -> int:
    """Bytes of all pages that the footer leads to, without compression."""
    with _described():
        return sum(page for group in _groups(content) for column in group for page in column)


def unpacked_at_once(content: bytes) -> int:
    """Bytes that reading row by row takes at most: of each column one page, without compression."""
    with _described():
        groups = (sum(max(each, default=0) for each in group) for group in _groups(content))
        return max(groups, default=0)


@contextmanager
def _described() -> Iterator[None]:
    """Numbers where there should be columns, or nothing, are an error of the file."""
    try:
        yield
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("its columns are not described as such") from error


def _groups(content: bytes) -> Iterator[list[Iterator[int]]]:
    """Unpacked sizes of the pages of every column, by groups of rows."""
    size = int.from_bytes(content[-8:-4], "little")
    footer = _Thrift(content, max(0, len(content) - 8 - size)).structure()
    for group in footer.get(_ROW_GROUPS, ()):
        yield [_pages(content, each.get(_COLUMN) or {}) for each in group.get(_COLUMNS, ())]


def _pages(content: bytes, chunk: Fields) -> Iterator[int]:
    """Unpacked sizes of the pages of a column chunk."""
    if chunk.get(_CODEC, 0) in _HARMLESS:
        return
    place = min(chunk[_START], chunk.get(_DICTIONARY) or chunk[_START])
    end, seen = place + chunk[_SIZE], 0
    if not 0 <= place <= end <= len(content):
        raise ValueError("a column lies outside the file")
    while place < end and seen < chunk[_NUMBER]:
        header = _Thrift(content, place)
        fields = header.structure()
        yield max(0, fields.get(_UNPACKED, 0))
        place = header.place + max(0, fields.get(_PACKED, 0))
        data = fields.get(_DATA) or fields.get(_DATA_V2) or {}
        seen += max(0, data.get(_VALUES, 0))


class _Thrift:
    """Values of Thrift's compact protocol, from a place in some bytes on."""

    def __init__(self, content: bytes, place: int) -> None:
        self.content, self.place = content, place

    def structure(self, depth: int = 0) -> Fields:
        """Fields by their numbers; texts and broken numbers are passed over."""
        fields: Fields = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth >= _DEEPEST:
            raise ValueError("its description is too deep")
        if kind in (1, 2):  # true and false, which have no bytes of their own
            return 0
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 12:
            return self.structure(depth + 1)
        if kind in (9, 10):
            return self._elements(depth)
        if kind not in (7, 8):
            raise ValueError("its description has a type that does not exist")
        length = 8 if kind == 7 else self._unsigned()
        self.place += length
        return 0

    def _elements(self, depth: int) -> list[Any]:
        """A list or a set."""
        head = self._byte()
        number = self._unsigned() if head >> 4 == 15 else head >> 4
        if number > len(self.content):
            raise ValueError("a list in its description is too long")
        kind = 3 if head & 15 in (1, 2) else head & 15  # here true and false have bytes
        return [self._value(kind, depth + 1) for _ in range(number)]

    def _byte(self) -> int:
        if self.place >= len(self.content):
            raise ValueError("its description is cut")
        self.place += 1
        return self.content[self.place - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("a number in its description is too long")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
