"""Files made to do harm: each is small, and names what it tries."""

import gzip
import io
import json
import pickle
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

BOMB = 255 << 24
"""Bytes that a small file expands to, some 4 GB, as many as a plain zip archive may name."""


class Creates:
    """A pickle that would create a file if it were loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


# NPZ


def npy(shape: object, dtype: str = "<f8", body: bytes = b"", fortran: bool = False) -> bytes:
    """An NPY file whose header says what it is told to."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    return npy_of(header.encode(), body)


def npy_of(header: bytes, body: bytes = b"") -> bytes:
    """An NPY file with any header."""
    padded = header + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded + body


def zipped(members: dict[str, bytes], **options: Any) -> bytes:
    """A zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def deflated(start: bytes, piece: bytes, number: int) -> bytes:
    """Bytes and a piece many times over, deflated; the piece is packed once."""
    packer = zlib.compressobj(9, wbits=-15)
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + again * number + packer.flush()


def bomb_of(start: bytes) -> bytes:
    """A zip archive of one member x.npy: some bytes and gigabytes of zeros."""
    stream = deflated(start, bytes(1 << 24), BOMB >> 24)
    content = bytearray(zipped({"x.npy": stream}))
    for mark, method, size in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        place = content.rfind(mark) if mark == b"PK\x01\x02" else 0
        struct.pack_into("<H", content, place + method, zipfile.ZIP_DEFLATED)
        struct.pack_into("<I", content, place + size, len(start) + BOMB)
    return bytes(content)


def opened(content: bytes) -> dict[str, bytes]:
    """The members of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _renamed(content: bytes, before: bytes, after: bytes) -> bytes:
    """A member under another name of the same length, in the directory too."""
    assert len(before) == len(after) and before in content
    return content.replace(before, after)


def _flagged(content: bytes, flag: int) -> bytes:
    """An archive all of whose members have a flag set, such as 1: encrypted."""
    changed = bytearray(content)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = changed.find(mark)
        while start >= 0:
            changed[start + place] |= flag
            start = changed.find(mark, start + 4)
    return bytes(changed)


def _twice(content: bytes) -> bytes:
    """An archive that holds its first member twice."""
    import warnings

    file = io.BytesIO(content)
    with warnings.catch_warnings(), zipfile.ZipFile(file, "a") as archive:
        warnings.simplefilter("ignore")
        name = archive.namelist()[0]
        archive.writestr(name, archive.read(name))
    return file.getvalue()


def _symbolic(content: bytes) -> bytes:
    """An archive with a member that says it is a link to a file of passwords."""
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a") as archive:
        link = zipfile.ZipInfo("link.npy")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return file.getvalue()


def _with(content: bytes, **members: bytes) -> bytes:
    """An archive with some members replaced or added."""
    return zipped({**opened(content), **{f"{name}.npy": each for name, each in members.items()}})


def _saved(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


SHAPES = {
    "a shape of 10¹² numbers": "(1000000000000,)",
    "a negative shape": "(-1,)",
    "two negative sizes": "(-2, -2)",
    "a shape beyond 64 bits": "(4294967296, 4294967296, 4294967296)",
    "a shape of 10¹⁰⁰": f"(1{'0' * 100},)",
    "a shape of words": "('a',)",
    "a shape of booleans": "(True, True)",
    "no shape": "None",
    "a shape of 100 sizes": "(1,) * 100",
    "0 times very much": "(0, 9223372036854775807)",
}


def archives(content: bytes, member: str, marker: Path) -> dict[str, bytes]:
    """Archives made from a valid one, one of whose members is an array of numbers."""
    objects = io.BytesIO()
    np.lib.format.write_array(objects, np.array([Creates(marker)], dtype=object))
    name = f"{member}.npy".encode()
    made = {
        what: _with(content, **{member: npy(shape, body=bytes(64))})
        for what, shape in SHAPES.items()
    }
    made |= {
        "a pickle in an array": _with(content, **{member: objects.getvalue()}),
        "a pickle beside the arrays": _with(content, extra=objects.getvalue()),
        "a bare pickle as a member": _with(content, **{member: pickle.dumps(Creates(marker))}),
        "a bare pickle as the file": pickle.dumps(Creates(marker)),
        "a structured type": _with(
            content, **{member: npy("(2,)", "V8").replace(b"'V8'", b"[('a','<f8')]")}
        ),
        "a type with a title that is code": _with(
            content, **{member: npy("(2,)", "__import__('os').system('true')", bytes(16))}
        ),
        "a header that calls": _with(
            content, **{member: npy_of(b"__import__('pathlib').Path('x').touch()")}
        ),
        "a header of brackets": _with(content, **{member: npy_of(b"[" * 9000)}),
        "a header of signs": _with(content, **{member: npy_of(b"-" * 9000 + b"1")}),
        "a header of powers": _with(content, **{member: npy_of(b"9**9**9**9")}),
        "Fortran order": _with(content, **{member: npy("(3, 2)", body=bytes(48), fortran=True)}),
        "big numbers first": _with(content, **{member: npy("(2,)", ">f8", bytes(16))}),
        "a long double": _with(content, **{member: npy("(2,)", "<f16", bytes(32))}),
        "complex numbers": _with(content, **{member: npy("(2,)", "<c16", bytes(32))}),
        "dates": _with(content, **{member: npy("(2,)", "<M8[ns]", bytes(16))}),
        "strings of no length": _with(content, **{member: npy("(1000000000000,)", "<U0")}),
        "strings that are not text": _with(
            content, **{member: npy("(2,)", "<U1", b"\xff\xff\xff\xff" * 2)}
        ),
        "halves of signs": _with(content, **{member: npy("(2,)", "<U1", b"\x00\xd8\0\0" * 2)}),
        "void": _with(content, **{member: npy("(2,)", "|V1000000000")}),
        "no dimension": _with(content, **{member: npy("()", body=bytes(8))}),
        "three dimensions": _with(content, **{member: npy("(2, 2, 2)", body=bytes(64))}),
        "another version": _with(content, **{member: b"\x93NUMPY\x09\x00" + bytes(64)}),
        "a long header": _with(
            content, **{member: b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + bytes(64)}
        ),
        "a member that lacks": zipped(
            {key: each for key, each in opened(content).items() if key != f"{member}.npy"}
        ),
        "an archive in an archive": _with(content, **{member: content}),
        "an archive as a whole in another": zipped({"inner.npz": content}),
        "no members": zipped({}),
        "a text among the members": zipped({**opened(content), "note.txt": b"hello"}),
        "a name that climbs": _renamed(content, name, b"../" + b"x" * (len(name) - 3)),
        "a name from the root": _renamed(content, name, b"/" + b"x" * (len(name) - 1)),
        "a name of zeros": _renamed(content, name, b"\0" * len(name)),
        "a member twice": _twice(content),
        "a link": _symbolic(content),
        "encrypted": _flagged(content, 1),
        "patched data": _flagged(content, 0x20),
        "compressed by bzip2": zipped(opened(content), compression=zipfile.ZIP_BZIP2),
        "compressed by lzma": zipped(opened(content), compression=zipfile.ZIP_LZMA),
        "an unknown compression": content.replace(
            b"PK\x03\x04\x14\x00\x00\x00\x00\x00", b"PK\x03\x04\x14\x00\x00\x00\x63\x00"
        ),
        "names in no encoding": _flagged(_renamed(content, name, b"\xff" * len(name)), 0),
        "a comment of 64 kB": content[:-2] + b"\xff\xff" + b"x" * 65535,
        "garbage before it": b"PK\x03\x04" + bytes(1000) + content,
        "many members": zipped({f"{number}.npy": b"" for number in range(2_000)}),
    }
    return made


def archive_bombs() -> dict[str, bytes]:
    """Small archives that expand to much."""
    return {
        "a bomb of zeros": bomb_of(npy(f"({BOMB // 8},)")),
        "a bomb under a small header": bomb_of(npy("(2,)")),
        "a bomb of labels": bomb_of(npy(f"({BOMB // 4},)", "<U1")),
        "a bomb of columns": bomb_of(npy(f"(2, {BOMB // 16})")),
    }


# JSON

DEEP = "[" * 100_000 + "]" * 100_000


def headers(header: dict[str, Any]) -> dict[str, bytes]:
    """JSON texts that take the place of a header."""
    text = json.dumps(header)
    plain: dict[str, Any] = {
        "a number": 3,
        "a list": [],
        "nothing": None,
        "no schema": {key: value for key, value in header.items() if key != "schema"},
        "a schema that is a list": {**header, "schema": [header["schema"]]},
        "a schema of another kind": {**header, "schema": "polyroc something 9"},
        "a long schema": {**header, "schema": "x" * 100_000},
        "a schema of lines": {**header, "schema": "a\nb\x1b[31m\u2028c"},
    }
    made = {what: json.dumps(value).encode() for what, value in plain.items()}
    return made | {
        "deep": DEEP.encode(),
        "deep inside": text.replace("{", '{"x": ' + DEEP + ", ", 1).encode(),
        "deep objects": (text[:-1] + ', "x": ' + '{"a":' * 100_000 + "1" + "}" * 100_001).encode(),
        "a number of 10⁵ digits": (text[:-1] + ', "x": ' + "9" * 100_000 + "}").encode(),
        "no number": (text[:-1] + ', "x": NaN, "y": -Infinity}').encode(),
        "a key twice": (text[:-1] + ', "schema": 1}').encode(),
        "halves of signs": (text[:-1] + ', "x": "\\ud800"}').encode(),
        "no text": b"\xff\xfe" + text.encode(),
        "a mark of order": b"\xef\xbb\xbf" + text.encode(),
        "empty": b"",
        "zeros": bytes(100),
        "a script": b"__import__('os').system('true')",
    }


def with_header(content: bytes, text: bytes) -> bytes:
    """A file of ours with another header."""
    return _with(content, header=npy(f"({len(text)},)", "|u1", text))


WRONG: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, -(10**30), 1e308, float("nan"), float("inf"), "", "a",
    "\ud800", [], {}, [[]], [None], [1, 1], ["a", "a"], [0] * 5, {"a": 1}, {"a": {"b": []}},
)  # fmt: skip


def wrong_values(header: dict[str, Any]) -> dict[str, bytes]:
    """A header with the wrong value in every place, one at a time."""
    made = {}
    for place in places(header):
        for number, value in enumerate(WRONG):
            changed = replaced(header, place, value)
            made[f"{place} is wrong value {number}"] = json.dumps(changed).encode()
        made[f"no {place}"] = json.dumps(replaced(header, place, ...)).encode()
    return made


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places in a JSON value; of a list the first and the last."""
    found = [before] if before else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*before, key))
    elif isinstance(value, list) and value:
        for index in {0, len(value) - 1}:
            found += places(value[index], (*before, index))
    return found


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """A JSON value with another in a place; nothing there where the other is an ellipsis."""
    key, *rest = place
    copy = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[key] = replaced(value[key], tuple(rest), new)
    elif new is ...:
        del copy[key]
    else:
        copy[key] = new
    return copy


def header_of(content: bytes) -> dict[str, Any]:
    """The header of a file of ours."""
    with np.load(io.BytesIO(content)) as file:
        header: dict[str, Any] = json.loads(bytes(file["header"]).decode())
    return header


# Text


def texts() -> dict[str, bytes]:
    """CSV files."""
    line = b"y,p_a,p_b\na,.9,.1\nb,.2,.8\n"
    many = b"y,p_a,p_b\n" + b"a,.9,.1\nb,.2,.8\n" * 2000
    return {
        "zeros": bytes(1000),
        "a zero in a name": line.replace(b"p_a", b"p\0a"),
        "a zero far down": many + bytes(1 << 17) + many,
        "no UTF-8": line.replace(b"p_a", b"p_\xff"),
        "no UTF-8 far down": many + b"\xff,1,2\n",
        "half a sign": line.replace(b"a,.9", b"\xed\xa0\x80,.9"),
        "a sign too long": line.replace(b"a,.9", b"\xc0\x80,.9"),
        "two marks": b"\xef\xbb\xbf\xef\xbb\xbf" + line,
        "only a mark": b"\xef\xbb\xbf",
        "UTF-16 of odd length": line.decode().encode("utf-16") + b"x",
        "UTF-16 in halves": b"\xff\xfe" + b"\x00\xd8" * 50,
        "UTF-32": line.decode().encode("utf-32"),
        "a quote that never ends": b'"' + line * 500,
        "a quote that never ends, many lines": b'y,"p_a,p_b\n' + b"\n" * 3_000_000,
        "only quotes": b'"' * 100_001,
        "quotes in quotes": b'y,"p""a","p""""b"\n"""",1,2\n"\n",2,1\n',
        "only separators": b"," * 50_000,
        "only line ends": b"y,p_a,p_b" + b"\r" * 100_000,
        "only blanks": b"y,p_a,p_b\n" + b" " * 100_000,
        "a cell of 1 MB": line + b"a" * 1_000_000 + b",1,2\n",
        "a cell of 1 MB that is no number": line + b"a,1," + b"x" * 1_000_000 + b"\n",
        "a cell of 1 MB of digits": line + b"a,1," + b"9" * 1_000_000 + b"\n",
        "a name of 1 MB": line.replace(b"p_a", b"p_" + b"a" * 1_000_000),
        "a name of separators": line.replace(b"p_a", b"_" * 200_000),
        "a name of digits": b"y,p_1," + b"9" * 5000 + b"\n1,.9,.1\n2,.2,.8\n",
        "a path of separators": line.replace(b"a", b"a/" * 50_000),
        "labels of digits": b"y,p_1,p_2\n" + b"9" * 5000 + b",.9,.1\n2,.2,.8\n",
        "100,001 columns": b"y" + b",x" * 100_001 + b"\n",
        "9,999 columns": b"y" + b",x" * 9_999 + b"\na" + b",1" * 9_999 + b"\n",
        "rows of other lengths": line + b"a,1\na,1,2,3\n",
        "formulas": b"y,=1+1,@x\n=1+1,.9,.1\n@x,.2,.8\n",
        "numbers beyond float": line + b"a,1e999,-1e999\n",
        "labels beyond 64 bits": b"y,p_1,p_2\n99999999999999999999,.9,.1\n1,.2,.8\n",
        "a label of each kind": b"y,p_1,p_x\n1,.9,.1\nx,.2,.8\ntrue,1,2\n,3,4\n",
        "dates": b"y,p_a,p_b\n2020-01-01,.9,.1\n2020-01-02,.2,.8\n",
        "years beyond": b"y,p_a,p_b\na,9999999-01-01,.1\n",
        "escape signs": b"y,p_\x1b[31m,p_b\n\x1b[31m,.9,.1\nb,.2,.8\n\x1b[2J,1,2\n",
        "a terminal's title": b"\x1b]0;x\x07,p_a,p_b\na,.9,.1\n",
        "gzip of nothing": gzip.compress(b""),
        "gzip cut": gzip.compress(many)[:50],
        "gzip and garbage": gzip.compress(line) + b"garbage",
        "gzip in gzip": gzip.compress(gzip.compress(line)),
        "gzip of zeros": gzip.compress(bytes(100_000)),
        "gzip with a wrong sum": gzip.compress(line)[:-8] + bytes(8),
    }


def text_bomb() -> bytes:
    """A small gzipped table that expands to much."""
    piece = b"a,.9,.1\n" * (1 << 21)
    stream = deflated(b"y,p_a,p_b\n", piece, BOMB // len(piece))
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stream + bytes(8)


# Arrow and Parquet

Table = Any


def parquet_of(table: Table, **options: Any) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pa.BufferOutputStream()
    pq.write_table(table, file, **options)
    return bytes(file.getvalue().to_pybytes())


def arrow_of(table: Table, **options: Any) -> bytes:
    import pyarrow as pa

    file = pa.BufferOutputStream()
    with pa.ipc.new_file(file, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return bytes(file.getvalue().to_pybytes())


def tables(marker: Path) -> dict[str, Table]:
    """Arrow tables with columns that a table of predictions does not have."""
    import pyarrow as pa

    y = pa.array(["a", "b", "a", "b"])
    score = pa.array([0.1, 0.9, 0.4, 0.6])
    payload = pickle.dumps(Creates(marker))
    pandas = {b"pandas": b'{"columns": [{"name": ["x"], "metadata": 5}], "index_columns": 3}'}
    python = {
        "ARROW:extension:name": "arrow.py_extension_type",
        "ARROW:extension:metadata": payload,
    }
    unknown = {"ARROW:extension:name": "a\x1b[31m", "ARROW:extension:metadata": b"\xff"}

    def scored(**others: Any) -> Table:
        return pa.table({"y": y, "p_a": score, "p_b": score, **others})

    def typed(name: str, array: Any, metadata: dict[str, Any] | None = None) -> Table:
        table = scored()
        place = table.schema.get_field_index(name)
        return table.set_column(place, pa.field(name, array.type, metadata=metadata), array)

    lists = pa.array([[1.0], [2.0, 3.0], None, []])
    structs = pa.array([{"a": 1}, {"a": 2}, None, {"a": 3}])
    maps = pa.array([[("a", 1)], [], None, [("b", 2)]], pa.map_(pa.string(), pa.int64()))
    kinds = {
        "lists": lists,
        "structs": structs,
        "maps": maps,
        "bytes": pa.array([b"a", b"b", b"\xff", b""]),
        "fixed bytes": pa.array([b"ab", b"cd", b"ef", b"gh"], pa.binary(2)),
        "nothing": pa.nulls(4),
        "dates": pa.array([1, 2, 3, 4], pa.date32()),
        "moments": pa.array([1, 2**62, 3, -(2**62)], pa.timestamp("ns", "Mars/Base")),
        "durations": pa.array([1, 2, 3, 4], pa.duration("ns")),
        "decimals": pa.array([1, 2, 3, 4], pa.decimal128(38, 0)),
        "large decimals": pa.array([10**60] * 4, pa.decimal256(76, 10)),
        "halves": pa.array(np.array([1, 2, np.inf, np.nan], dtype=np.float16)),
        "booleans": pa.array([True, False, None, True]),
        "codes": pa.array(["a", "b", "a", None]).dictionary_encode(),
        "codes of lists": pa.DictionaryArray.from_arrays([0, 1, 0, 1], pa.array([[1], [2]])),
        "codes of bytes": pa.array([b"a", b"b", b"a", b"\xff"]).dictionary_encode(),
        "codes of numbers": pa.array([1.5, 2.0, 1.5, 2.0]).dictionary_encode(),
        "large texts": pa.array(["a", "b", "a", "b"], pa.large_string()),
        "unsigned": pa.array([2**64 - 1, 0, 1, 2], pa.uint64()),
    }
    made = {
        f"{role}: {what}": typed(column, array)
        for role, column in (("labels", "y"), ("scores", "p_a"))
        for what, array in kinds.items()
    }
    made |= {f"weights: {what}": scored(weight=array) for what, array in kinds.items()}
    made |= {f"groups: {what}": scored(patient=array) for what, array in kinds.items()}
    made |= {f"beside: {what}": scored(other=array) for what, array in kinds.items()}
    return made | {
        "metadata of pandas": scored().replace_schema_metadata(pandas),
        "a Python type": typed("p_a", score, python),
        "a Python type of labels": typed("y", y, python),
        "an unknown type": typed("p_a", score, unknown),
        "a type of Arrow": scored(patient=pa.array([b"0" * 16] * 4, pa.uuid())),
        "metadata of bytes": scored().replace_schema_metadata({b"\xff": b"\xff" * 100_000}),
        "a name of zeros": scored(**{"\0": score}),
        "a name of separators": scored(**{"_" * 100_000: score}),
        "names of digits": pa.table({"y": pa.array([1, 2, 1, 2]), "9" * 5000: score, "p_1": score}),
        "names twice": pa.table([y, score, score, score], names=["y", "p_a", "p_a", "p_b"]),
        "no columns": pa.table({}),
        "no rows": scored().slice(0, 0),
        "many columns": pa.table({"y": y, **{f"x{n}": score for n in range(2000)}}),
    }


def parquet_tables(marker: Path) -> dict[str, bytes]:
    """Those of them that Parquet can hold."""
    return {
        what: parquet_of(table)
        for what, table in tables(marker).items()
        if "codes of lists" not in what
    }


def arrow_tables() -> dict[str, bytes]:
    """Files that only Arrow's own format can hold."""
    import pyarrow as pa

    y, score = pa.array(["a", "b"] * 2), pa.array([0.1, 0.9, 0.4, 0.6])
    ends = pa.RunEndEncodedArray.from_arrays(pa.array([2, 4], pa.int32()), pa.array([0.1, 0.9]))
    words = pa.RunEndEncodedArray.from_arrays(pa.array([2, 4], pa.int32()), pa.array(["a", "b"]))
    union = pa.UnionArray.from_sparse(pa.array([0, 0, 1, 1], pa.int8()), [score, y])
    views = pa.array(["a", "b", "a", "b"], pa.string_view())
    kinds = {"runs": ends, "runs of words": words, "unions": union, "views": views}
    made = {}
    for what, array in kinds.items():
        made[f"labels: {what}"] = arrow_of(pa.table({"y": array, "p_a": score, "p_b": score}))
        made[f"scores: {what}"] = arrow_of(pa.table({"y": y, "p_a": array, "p_b": score}))
        made[f"groups: {what}"] = arrow_of(
            pa.table({"y": y, "p_a": score, "p_b": score, "group": array})
        )
    return made


def parquet_bombs() -> dict[str, bytes]:
    """Parquet files that expand to much by their encoding."""
    import pyarrow as pa

    n = 1 << 20
    long_word = pa.DictionaryArray.from_arrays(
        pa.array(np.arange(n, dtype=np.int32) % 2), pa.array(["a" * 100_000, "b" * 100_000])
    )
    few = pa.array(np.zeros(n))
    words = pa.table({"y": long_word, "p_a": few, "p_b": few})
    nested = pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32), long_word)
    plain = pa.table({"y": ["a", "b"] * (n // 2), "p_a": few, "p_b": few, "x": long_word})
    listed = pa.table({"y": ["a", "b"] * (n // 2), "p_a": few, "p_b": few, "x": nested})
    return {
        "long labels by their codes": parquet_of(words, store_schema=False),
        "long words beside, by their codes": parquet_of(plain, store_schema=False),
        "long words in lists, by their codes": parquet_of(listed, store_schema=False),
        "very many rows": _rows_by_runs(1 << 27),
    }


def _rows_by_runs(n_rows: int) -> bytes:
    """So many rows of zeros, in a few kilobytes: run lengths and a dictionary of one value."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pa.BufferOutputStream()
    piece = pa.table({"y": pa.array(np.zeros(1 << 22, np.int32)), "p_0": np.zeros(1 << 22)})
    with pq.ParquetWriter(file, piece.schema, compression="zstd") as writer:
        for _ in range(n_rows >> 22):
            writer.write_table(piece, row_group_size=1 << 22)
    return bytes(file.getvalue().to_pybytes())


def arrow_bombs() -> dict[str, bytes]:
    """Arrow files that expand to much."""
    import pyarrow as pa

    zeros = pa.array(np.zeros(1 << 27))
    nothing = pa.Array.from_buffers(pa.null(), 10**12, [None])
    some = pa.Array.from_buffers(pa.null(), 1 << 27, [None])
    codes = pa.DictionaryArray.from_arrays(
        pa.array(np.arange(1 << 20, dtype=np.int32) % 2), pa.array(["a" * 10**5, "b" * 10**5])
    )
    few = pa.array(np.zeros(1 << 20))
    columns = {f"p_{k}": zeros for k in range(4)}
    return {
        "columns of zeros by zstd": arrow_of(pa.table({"y": some, **columns}), compression="zstd"),
        "columns of zeros by lz4": arrow_of(pa.table({"y": some, **columns}), compression="lz4"),
        "long labels by their codes": arrow_of(pa.table({"y": codes, "p_a": few, "p_b": few})),
        "rows of nothing": arrow_of(
            pa.table({"y": nothing, "p_a": nothing, "weight": nothing}), allow_64bit=True
        ),
    }


def footers(content: bytes) -> dict[str, bytes]:
    """Parquet files whose footers are cut, long, or lie."""
    size = struct.unpack("<i", content[-8:-4])[0]
    return {
        "no footer": content[: -8 - size] + content[-8:],
        "a footer cut": content[: -8 - size // 2] + content[-8:],
        "a footer of 2 GB": content[:-8] + struct.pack("<I", 0x7FFFFFFF) + b"PAR1",
        "a footer of 4 GB": content[:-8] + struct.pack("<I", 0xFFFFFFFF) + b"PAR1",
        "a footer of nothing": content[:-8] + struct.pack("<I", 0) + b"PAR1",
        "encrypted": b"PARE" + content[4:-4] + b"PARE",
        "an encrypted end": content[:-4] + b"PARE",
        "no end": content[:-4],
        "only a start": b"PAR1",
        "start and end": b"PAR1" + bytes(8) + b"PAR1",
        "zeros in the pages": content[:4] + bytes(len(content) - size - 12) + content[-8 - size :],
    }
