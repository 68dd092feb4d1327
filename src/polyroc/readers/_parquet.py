"""Parquet files, column by column of those that hold a value per row."""

from typing import Any

from polyroc._base.table_size import LONGEST_LIST, check_column_count, is_too_wide, too_wide
from polyroc._storage.limits import check_size
from polyroc._storage.parquet_pages import unpacked_size
from polyroc.errors import InvalidInput
from polyroc.readers._table import Table, unreadable, validated

_BATCH = 1 << 26
"""Bytes that are read at once, after which what has been read is weighed."""

_MOST_ROWS = 1 << 20


def read_parquet(content: bytes, path: str) -> Table:
    """The columns of a Parquet file; lists and other tables in its cells stay unread."""
    try:
        file = _opened(content)
        check_column_count(file.metadata.num_columns, path)
        check_size(unpacked_size(content), len(content), path)
        return _columns(content, file, path)
    except InvalidInput:
        raise
    except Exception as error:  # of many kinds, depending on which byte is broken
        if is_too_wide(error):
            raise too_wide(path) from None
        raise unreadable(path, "a Parquet file", error) from None


def _opened(content: bytes, **options: Any) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    limit = LONGEST_LIST
    return pq.ParquetFile(pa.BufferReader(content), thrift_container_size_limit=limit, **options)


def _columns(content: bytes, file: Any, path: str) -> Table:
    """Columns read in batches, and text as codes: a word that every row repeats is there once."""
    import pyarrow as pa

    schema = file.schema_arrow
    flat = [each.name for each in schema if _is_flat(each.type)]
    texts = [each.name for each in schema if _is_flat(each.type) and _has_words(each.type)]
    again = _opened(content, metadata=file.metadata, read_dictionary=texts)
    wanted = None if len(flat) == len(schema) else flat
    batches, held = [], 0
    for batch in again.iter_batches(_rows_at_once(schema.types), columns=wanted):
        batches.append(batch)
        held += max(batch.nbytes, 8 * batch.num_rows * batch.num_columns)
        check_size(held, len(content), path)
    if not batches:
        return validated(again.schema_arrow.empty_table(), path)
    found = validated(pa.Table.from_batches(batches), path)
    if wanted is None:
        return found
    read = dict(zip(found.names, found.columns, strict=True))
    filled = (read.get(each.name, pa.chunked_array([], each.type)) for each in schema)
    return Table(path, tuple(schema.names), tuple(filled))


def _is_flat(kind: Any) -> bool:
    """Whether a column of this type could be labels, numbers or groups."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return _is_flat(kind.storage_type) and not _has_words(kind.storage_type)
    return not pa.types.is_nested(kind)


def _has_words(kind: Any) -> bool:
    """Whether values have any length."""
    import pyarrow as pa

    texts = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    return kind in texts or (pa.types.is_dictionary(kind) and kind.value_type in texts)


def _rows_at_once(kinds: list[Any]) -> int:
    """As many rows as fit into a batch."""
    return max(1, min(_MOST_ROWS, 8 * _BATCH // max(1, sum(map(_bits, kinds)))))


def _bits(kind: Any) -> int:
    """Room that a value takes, or its code."""
    try:
        return int(kind.bit_width)
    except ValueError:
        return 32
