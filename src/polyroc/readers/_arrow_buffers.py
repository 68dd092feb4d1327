"""How large the buffers of an Arrow file are once they are unpacked.

A compressed buffer begins with the size that it has without compression, and Arrow sets that much
aside. Here these sizes are added up before. They are found through the FlatBuffers that describe
each message; Arrow's format names the fields by the numbers used here.
"""

import struct
from collections.abc import Iterator
from typing import Any

_MAGIC = b"ARROW1"
_BLOCK, _BUFFER = struct.Struct("<qi4xq"), struct.Struct("<qq")
_DICTIONARY, _BATCH = 2, 3
"""Types of messages with buffers: words for codes, around a batch of them, and a batch of rows."""


def unpacked_size(content: bytes) -> int:
    """Bytes of all compressed buffers, without compression; 0 where nothing is compressed."""
    messages = _file_messages if content.startswith(_MAGIC) else _stream_messages
    return sum(_unpacked(message) for message in messages(content))


def _stream_messages(content: bytes) -> Iterator[Any]:
    import pyarrow as pa

    yield from pa.ipc.MessageReader.open_stream(pa.BufferReader(content))


def _file_messages(content: bytes) -> Iterator[Any]:
    """The messages that the footer leads to."""
    import pyarrow as pa

    size = _number(content, len(content) - 10, "i")
    footer = _table(content[len(content) - 10 - size : -10], 0)
    whole = pa.py_buffer(content)
    for field in (2, 3):  # of words for codes, and of rows
        for offset, *_ in footer.structures(field, _BLOCK):
            if not 0 <= offset < len(content):
                raise ValueError("a batch lies outside the file")
            yield pa.ipc.read_message(whole.slice(offset))


def _unpacked(message: Any) -> int:
    found = _table(message.metadata.to_pybytes(), 0)
    kind, batch = found.byte(1), found.table(2)
    if batch is not None and kind == _DICTIONARY:
        batch = batch.table(1)
    if kind not in (_DICTIONARY, _BATCH) or batch is None or not batch.place_of(3):
        return 0  # columns are described, or nothing is compressed
    view, total = memoryview(message.body), 0
    for offset, length in batch.structures(2, _BUFFER):
        if length >= 8:
            total += max(0, _number(view, offset, "q"))
    return total


class _Table:
    """A table of a FlatBuffer: where it lies, and where its fields do."""

    def __init__(self, content: bytes, place: int) -> None:
        self.content, self.place = content, place
        self.fields = place - _number(content, place, "i")

    def place_of(self, field: int) -> int:
        """Where a field lies, 0 if the table has none."""
        if 4 + 2 * field >= _number(self.content, self.fields, "H"):
            return 0
        offset = _number(self.content, self.fields + 4 + 2 * field, "H")
        return self.place + offset if offset else 0

    def byte(self, field: int) -> int:
        """A small number, 0 if it is not given."""
        place = self.place_of(field)
        return _number(self.content, place, "B") if place else 0

    def table(self, field: int) -> "_Table | None":
        """The table that a field refers to."""
        place = self.place_of(field)
        return _table(self.content, place) if place else None

    def structures(self, field: int, kind: struct.Struct) -> Iterator[tuple[int, ...]]:
        """The structures of a vector."""
        place = self.place_of(field)
        if not place:
            return
        place += _number(self.content, place, "I")
        for index in range(_number(self.content, place, "I")):
            start = place + 4 + index * kind.size
            if start + kind.size > len(self.content):
                raise ValueError("a list of batches or buffers is cut")
            yield kind.unpack_from(self.content, start)


def _table(content: bytes, place: int) -> _Table:
    """The table that an offset in a place refers to."""
    return _Table(content, place + _number(content, place, "I"))


def _number(content: "bytes | memoryview", place: int, kind: str) -> int:
    if not 0 <= place <= len(content) - struct.calcsize(kind):
        raise ValueError("an offset leads outside the file")
    number: int = struct.unpack_from(f"<{kind}", content, place)[0]
    return number
